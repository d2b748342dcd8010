// Lower and upper bounds.
#include "kogge/calls/search.hpp"

#include <algorithm>

#include "fuzz/families.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"

namespace fuzz {
namespace {

template <class Item, class Index>
void bounds(Case& of) {
    const Count count = of.count(), needles = of.count();
    const bool upper = of.one_in(2), sorted_needles = of.one_in(3), left_out = of.one_in(2);
    of.say(name_of<Item>(), upper ? " upper" : " lower", sorted_needles ? " of sorted needles" : "");
    auto items = summable_values<Item>(of, count.bound), wanted = summable_values<Item>(of, needles.bound);
    const auto end = items.begin() + static_cast<std::ptrdiff_t>(count.n);
    std::sort(items.begin(), end);
    if (sorted_needles) std::sort(wanted.begin(), wanted.end());
    const Item *const sorted = of.memory().input(items), *const in = of.memory().input(wanted);
    Index* const out = of.memory().output<Index>(needles.bound);
    const auto call = [&](const Item* from, Index* to, const kogge::item_count& m, const kogge::exec& how) {
        const auto find = [&](const auto&... last) {
            if (upper) kogge::upper_bound(sorted, from, to, kogge::item_count(count), m, last...);
            else kogge::lower_bound(sorted, from, to, kogge::item_count(count), m, last...);
        };
        if (left_out) find(how);
        else find(kogge::less{}, how);
    };
    if (of.one_in(8)) return refuse_two<Item, Index>(of, choose_mistake(of, needles), in, needles, call);
    of.run(plan_of([] { return std::size_t{0}; }),
           [&](const kogge::exec& how) { call(in, out, kogge::item_count(needles), how); });
    if (!of.ran()) return;
    std::vector<Index> want;
    for (std::uint64_t i = 0; i < needles.n; ++i) {
        const auto bound =
            upper ? std::upper_bound(items.begin(), end, wanted[i]) : std::lower_bound(items.begin(), end, wanted[i]);
        want.push_back(static_cast<Index>(bound - items.begin()));
    }
    of.expect("out", out, want);
    of.expect_untouched("out", out, needles.n, needles.bound);
}

}  // namespace

void search(Case& of) {
    switch (of.below(3)) {
        case 0:
            return bounds<std::uint32_t, std::uint32_t>(of);
        case 1:
            return bounds<std::uint8_t, std::int64_t>(of);
        default:
            return bounds<double, std::uint64_t>(of);
    }
}

}  // namespace fuzz
