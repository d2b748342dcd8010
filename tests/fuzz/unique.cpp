// The first item of each run.
#include "fuzz/families.hpp"
#include "fuzz/runs.hpp"

namespace fuzz {
namespace {

template <class T, class Equal>
void run(Case& of, Equal equal) {
    const Count count = of.count();
    const auto items = any_values<T>(of, count.bound);
    of.say(name_of<T>(), ",");
    const T* const in = of.memory().input(items);
    T* const out = of.memory().output<T>(count.bound);
    Number number(of);
    const auto call = [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                    return kogge::unique(from, to, n, equal, with);
                else return kogge::unique(from, to, place, n, equal, with);
            },
            how);
    };
    if (of.one_in(8)) return refuse_two<T, T>(of, choose_mistake(of, count), in, count, call, true);
    of.run(plan_of(of, count, {sizeof(T), kogge::runs_output::items}),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    const auto want = at_heads(items, heads_of(items, count.n, equal));
    number.expect(of, want.size());
    of.expect("out", out, want);
    of.expect_untouched("out", out, want.size(), count.bound);
}

}  // namespace

void unique(Case& of) {
    switch (of.below(3)) {
        case 0:
            return run<std::uint8_t>(of, kogge::equal_to{});
        case 1:
            return run<std::uint32_t>(of, NearlyEqual{});
        default:
            return run<double>(of, kogge::equal_to{});
    }
}

}  // namespace fuzz
