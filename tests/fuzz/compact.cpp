// Compactions of one array by a predicate or by flags.
#include "fuzz/families.hpp"
#include "fuzz/kept.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/partition.hpp"

namespace fuzz {
namespace {

enum class By { predicate, bytes, bits };

template <class T, bool by_predicate>
void run(Case& of) {
    const Count count = of.count();
    const auto values = any_values<T>(of, count.bound);
    const By by = by_predicate && of.one_in(3) ? By::predicate : of.pick({By::bytes, By::bits});
    const bool in_place = of.one_in(3);
    of.say(name_of<T>(),
           by == By::predicate ? " by a predicate"
           : by == By::bytes   ? " by bytes"
                               : " by bits",
           in_place ? " in place," : ",");
    std::vector<bool> flags = any_flags(of, count.bound);
    const std::uint8_t* bytes = nullptr;
    const std::uint32_t* bits = nullptr;
    if (by == By::bytes) bytes = of.memory().input(as_bytes(of, flags));
    if (by == By::bits) bits = of.memory().input(as_words(of, flags));
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    T* const out = in_place ? in : of.memory().output<T>(count.bound);
    Number number(of);
    const auto with = [&](const auto& predicate) {
        const auto call = [&](const T* from, T* to, const kogge::item_count& n, const auto& place,
                              const kogge::exec& how) {
            constexpr bool no_place = kNoPlace<std::remove_cvref_t<decltype(place)>>;
            if constexpr (by_predicate) {
                if (by == By::predicate) {
                    if constexpr (no_place) return kogge::compact(from, to, n, predicate, how);
                    else return kogge::compact(from, to, place, n, predicate, how);
                }
            }
            if constexpr (no_place) {
                if (by == By::bytes) return kogge::compact_flags(from, bytes, to, n, how);
                return kogge::compact_flags(from, kogge::bit_mask(bits), to, n, how);
            } else {
                if (by == By::bytes) return kogge::compact_flags(from, bytes, to, place, n, how);
                return kogge::compact_flags(from, kogge::bit_mask(bits), to, place, n, how);
            }
        };
        if (of.one_in(8))
            return refuse_two<T, T>(
                of, choose_mistake(of, count), in, count,
                [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
                    number([&](const auto& place,
                               const kogge::exec& with_how) { return call(from, to, n, place, with_how); },
                           how);
                },
                true);
        of.run(plan_of(of, count, sizeof(T)), [&](const kogge::exec& how) {
            number(
                [&](const auto& place, const kogge::exec& with_how) { return call(in, out, count, place, with_how); },
                how);
        });
        if (!of.ran()) return;
        const std::vector<T> want = flagged(values, flags, count.n);
        number.expect(of, want.size());
        of.expect("out", out, want);
        if (!in_place) of.expect_untouched("out", out, want.size(), count.bound);
    };
    if constexpr (by_predicate) {
        const kogge::compare<T> predicate = comparison(of, values);
        if (by == By::predicate)
            for (std::uint64_t i = 0; i < count.bound; ++i) flags[i] = predicate(values[i]);
        with(predicate);
    } else {
        with(0);
    }
}

}  // namespace

void compact(Case& of) {
    if (of.one_in(6)) return of.one_in(2) ? run<Bytes<12>, false>(of) : run<Bytes<3>, false>(of);
    with_type<std::uint8_t, std::uint16_t, std::uint32_t, std::int32_t, std::uint64_t, float, double>(
        of.below(7), [&]<class T>() { run<T, true>(of); });
}

}  // namespace fuzz
