// Merges, of keys alone and with values.
#include "kogge/calls/merge.hpp"

#include <algorithm>
#include <numeric>

#include "fuzz/families.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"

namespace fuzz {
namespace {

template <class T>
struct Greater {
    KOGGE_HOST_DEVICE bool operator()(const T& a, const T& b) const { return b < a; }
};

template <class Key, class Value>
void merge_by(Case& of, bool descending) {
    const Count count_a = of.count(), count_b = of.count();
    const bool with_values = of.one_in(2), left_out = of.one_in(2);
    of.say(name_of<Key>(), descending ? " descending" : "", with_values ? " with values" : "");
    const auto before = [&](const Key& a, const Key& b) { return descending ? b < a : a < b; };
    // The items that count are sorted; those above a count on the device are anything.
    const auto sorted = [&](const Count& count) {
        auto keys = summable_values<Key>(of, count.bound);
        std::stable_sort(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(count.n), before);
        return keys;
    };
    const auto keys_a = sorted(count_a), keys_b = sorted(count_b);
    const auto values_a = any_values<Value>(of, count_a.bound), values_b = any_values<Value>(of, count_b.bound);
    const std::uint64_t bound = count_a.bound + count_b.bound, n = count_a.n + count_b.n;
    const Key *const a = of.memory().input(keys_a), *const b = of.memory().input(keys_b);
    const Value *const with_a = of.memory().input(values_a), *const with_b = of.memory().input(values_b);
    Key* const out = of.memory().output<Key>(bound);
    Value* const values_out = of.memory().output<Value>(with_values ? bound : 0);
    const auto merge = [&](const Key* from, Key* to, const kogge::item_count& n_a, const kogge::exec& how) {
        const kogge::item_count n_b = count_b;
        const auto with = [&](const auto&... last) {
            if (with_values) kogge::merge_pairs(from, with_a, b, with_b, to, values_out, n_a, n_b, last...);
            else kogge::merge(from, b, to, n_a, n_b, last...);
        };
        if (descending) with(Greater<Key>{}, how);
        else if (left_out) with(how);
        else with(kogge::less{}, how);
    };
    if (of.one_in(8) && count_b.bound == 0)
        return refuse_two<Key, Key>(of, choose_mistake(of, count_a), a, count_a, merge);
    of.run(plan_of([] { return std::size_t{0}; }),
           [&](const kogge::exec& how) { merge(a, out, kogge::item_count(count_a), how); });
    if (!of.ran()) return;
    std::vector<std::uint64_t> order(n);
    std::iota(order.begin(), order.end(), 0);
    const auto key = [&](std::uint64_t i) { return i < count_a.n ? keys_a[i] : keys_b[i - count_a.n]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint64_t x, std::uint64_t y) { return before(key(x), key(y)); });
    std::vector<Key> want;
    std::vector<Value> want_values;
    for (const std::uint64_t i : order) {
        want.push_back(key(i));
        want_values.push_back(i < count_a.n ? values_a[i] : values_b[i - count_a.n]);
    }
    of.expect("out", out, want);
    of.expect_untouched("out", out, n, bound);
    if (!with_values) return;
    of.expect("values", values_out, want_values);
    of.expect_untouched("values", values_out, n, bound);
}

}  // namespace

void merge(Case& of) {
    const bool descending = of.one_in(3);
    switch (of.below(3)) {
        case 0:
            return merge_by<std::uint32_t, std::uint8_t>(of, descending);
        case 1:
            return merge_by<std::uint8_t, std::uint64_t>(of, descending);
        default:
            return merge_by<double, std::uint32_t>(of, descending);
    }
}

}  // namespace fuzz
