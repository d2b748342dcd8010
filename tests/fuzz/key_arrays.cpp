// Calls by key whose keys stand in two arrays: each call as with the whole keys in one.
#include <functional>
#include <utility>
#include <vector>

#include "fuzz/families.hpp"
#include "fuzz/runs.hpp"
#include "fuzz/scans.hpp"
#include "kogge/calls/reduce_by_key.hpp"

namespace fuzz {
namespace {

/// Keys of which neighbours differ in one part, in the other, or in both.
template <class First, class Second>
struct Parts {
    std::vector<First> first;
    std::vector<Second> second;

    Parts(Case& of, std::uint64_t n) : first(any_values<First>(of, n)), second(any_values<Second>(of, n)) {}
    std::vector<std::uint64_t> heads(std::uint64_t n) const {
        std::vector<std::pair<First, Second>> keys;
        for (std::uint64_t i = 0; i < n; ++i) keys.emplace_back(first[i], second[i]);
        return heads_of(keys, n, std::equal_to<>{});
    }
};

/// The first key of each run, with the sum of its values or the first of them.
template <class First, class Second, class Value>
void runs(Case& of) {
    const Count count = of.count();
    const Parts<First, Second> keys(of, count.bound);
    const auto values = summable_values<Value>(of, count.bound);
    const bool adds = of.one_in(2), keys_discarded = of.one_in(4);
    of.say(name_of<First>(), " and ", name_of<Second>(), " keys, ", name_of<Value>(), adds ? " added" : " kept",
           keys_discarded ? " without keys," : ",");
    const First* const first = of.memory().input(keys.first);
    const Second* const second = of.memory().input(keys.second);
    const Value* const from = of.memory().input(values);
    First* const first_out = of.memory().output<First>(count.bound);
    Second* const second_out = of.memory().output<Second>(count.bound);
    Value* const to = of.memory().output<Value>(count.bound);
    Number number(of);
    const auto call = [&](const First* firsts, const auto& keys_out, const kogge::exec& how) {
        const auto in = kogge::arrays(firsts, second);
        number(
            [&](const auto& place, const kogge::exec& with) {
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                    return adds ? kogge::reduce_by_key(in, from, keys_out, to, count, with)
                                : kogge::unique_by_key(in, from, keys_out, to, count, kogge::equal_to{}, with);
                else
                    return adds ? kogge::reduce_by_key(in, from, keys_out, to, place, count, with)
                                : kogge::unique_by_key(in, from, keys_out, to, place, count, kogge::equal_to{}, with);
            },
            how);
    };
    if (of.one_in(8) && count.bound > 0) {
        if (of.one_in(2))
            return of.refuse(kogge::errc::invalid_argument, "null for the first parts",
                             [&](const kogge::exec& how) { call(nullptr, kogge::arrays(first_out, second_out), how); });
        First* const both = of.memory().in_out(keys.first);
        return of.refuse(kogge::errc::overlap, "keys over keys",
                         [&](const kogge::exec& how) { call(both, kogge::arrays(both, second_out), how); });
    }
    of.run({}, [&](const kogge::exec& how) {
        if (keys_discarded) call(first, kogge::discard{}, how);
        else call(first, kogge::arrays(first_out, second_out), how);
    });
    if (!of.ran()) return;
    const auto heads = keys.heads(count.n);
    const std::uint64_t written = keys_discarded ? 0 : heads.size();
    number.expect(of, heads.size());
    if (!keys_discarded) {
        of.expect("first parts", first_out, at_heads(keys.first, heads));
        of.expect("second parts", second_out, at_heads(keys.second, heads));
    }
    of.expect("values", to,
              adds ? sums_of_runs<Value>(values, heads, count.n, kogge::plus{}) : at_heads(values, heads));
    of.expect_untouched("first parts", first_out, written, count.bound);
    of.expect_untouched("second parts", second_out, written, count.bound);
    of.expect_untouched("values", to, heads.size(), count.bound);
}

template <class First, class Second, class T>
void scan(Case& of) {
    const Count count = of.count();
    const Parts<First, Second> keys(of, count.bound);
    const auto values = summable_values<T>(of, count.bound);
    const bool inclusive = of.one_in(2);
    const kogge::scan_options options = scan_options_of(of);
    of.say(name_of<First>(), " and ", name_of<Second>(), " keys, ", name_of<T>(),
           inclusive ? " inclusive" : " exclusive");
    const First* const first = of.memory().input(keys.first);
    const Second* const second = of.memory().input(keys.second);
    const T* const in = of.memory().input(values);
    T* const out = of.memory().output<T>(count.bound);
    const T init{7};
    of.run(plan_of(of, count, kogge::by_key_shape<T, T>(), options), [&](const kogge::exec& how) {
        const auto pack = kogge::arrays(first, second);
        if (inclusive)
            kogge::inclusive_scan_by_key(pack, in, out, count, kogge::plus{}, kogge::equal_to{}, options, how);
        else kogge::exclusive_scan_by_key(pack, in, out, count, init, kogge::plus{}, kogge::equal_to{}, options, how);
    });
    if (!of.ran()) return;
    std::vector<bool> starts(count.bound);
    for (const std::uint64_t head : keys.heads(count.n)) starts[head] = true;
    of.expect("out", out, scanned_runs<T>(values, starts, count.n, kogge::plus{}, init, inclusive));
    of.expect_untouched("out", out, count.n, count.bound);
}

}  // namespace

void key_arrays(Case& of) {
    switch (of.below(3)) {
        case 0:
            return runs<std::uint8_t, std::uint32_t, std::uint64_t>(of);
        case 1:
            return runs<std::uint64_t, std::uint16_t, float>(of);
        default:
            return scan<std::uint32_t, std::uint8_t, std::uint32_t>(of);
    }
}

}  // namespace fuzz
