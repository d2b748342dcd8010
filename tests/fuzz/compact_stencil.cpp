// Compactions by a stencil.
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/partition.hpp"

namespace fuzz {
namespace {

template <class T, class Stencil>
void run(Case& of) {
    const Count count = of.count();
    const auto values = any_values<T>(of, count.bound);
    const auto deciding = any_values<Stencil>(of, count.bound);
    const kogge::compare<Stencil> predicate = comparison(of, deciding);
    std::vector<bool> flags(count.bound);
    for (std::uint64_t i = 0; i < count.bound; ++i) flags[i] = predicate(deciding[i]);
    const bool in_place = of.one_in(3);
    of.say(name_of<T>(), " by ", name_of<Stencil>(), in_place ? " in place," : ",");
    const Stencil* const stencil = of.memory().input(deciding);
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    T* const out = in_place ? in : of.memory().output<T>(count.bound);
    Number number(of);
    const auto call = [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                    return kogge::compact_stencil(from, stencil, to, n, predicate, with);
                else return kogge::compact_stencil(from, stencil, to, place, n, predicate, with);
            },
            how);
    };
    if (of.one_in(8)) return refuse_two<T, T>(of, choose_mistake(of, count), in, count, call, true);
    of.run(plan_of(of, count, sizeof(T)), [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    const std::vector<T> want = flagged(values, flags, count.n);
    number.expect(of, want.size());
    of.expect("out", out, want);
    if (!in_place) of.expect_untouched("out", out, want.size(), count.bound);
}

}  // namespace

void compact_stencil(Case& of) {
    if (of.one_in(2)) run<std::uint32_t, std::uint8_t>(of);
    else run<std::uint64_t, float>(of);
}

}  // namespace fuzz
