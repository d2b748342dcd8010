// Scans by key.
#include <algorithm>

#include "fuzz/families.hpp"
#include "fuzz/scans.hpp"

namespace fuzz {
namespace {

/// Not transitive: neighbours that differ by 2 at most.
struct Near {
    template <class Key>
    KOGGE_HOST_DEVICE bool operator()(const Key& a, const Key& b) const {
        return a <= b ? b - a <= 2 : a - b <= 2;
    }
};

template <class Key, class T, class Sum, class Equal>
void scan(Case& of, Equal equal) {
    const Count count = of.count();
    const auto keys = any_values<Key>(of, count.bound);
    const auto values = summable_values<T>(of, count.bound);
    const kogge::scan_options options = scan_options_of(of);
    const bool from_end = of.one_in(3), inclusive = of.one_in(2),
               in_place = inclusive && std::is_same_v<T, Sum> && of.one_in(3);
    of.say(name_of<Key>(), " keys, ", name_of<T>(), " to ", name_of<Sum>(), inclusive ? " inclusive" : " exclusive",
           from_end ? " from the end" : "", in_place ? " in place" : "");
    const Key* const key = of.memory().input(keys);
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    Sum* const out = in_place ? reinterpret_cast<Sum*>(in) : of.memory().output<Sum>(count.bound);
    const Sum init{7};
    const auto call = [&](const T* from, Sum* to, const kogge::item_count& n, const kogge::exec& how) {
        if (from_end && inclusive)
            kogge::reverse_inclusive_scan_by_key(key, from, to, n, kogge::plus{}, equal, options, how);
        else if (from_end)
            kogge::reverse_exclusive_scan_by_key(key, from, to, n, init, kogge::plus{}, equal, options, how);
        else if (inclusive) kogge::inclusive_scan_by_key(key, from, to, n, kogge::plus{}, equal, options, how);
        else kogge::exclusive_scan_by_key(key, from, to, n, init, kogge::plus{}, equal, options, how);
    };
    if constexpr (sizeof(T) == sizeof(Sum))
        if (of.one_in(8)) return refuse_two<T, Sum>(of, choose_mistake(of, count), in, count, call);
    if constexpr (sizeof(Key) == sizeof(Sum)) {
        if (of.one_in(16) && count.bound > 0) {
            const auto* const same = of.memory().input(values);
            auto* const over_keys = reinterpret_cast<Sum*>(of.memory().in_out(keys));
            return of.refuse(kogge::errc::overlap, "sums over keys", [&](const kogge::exec& how) {
                kogge::inclusive_scan_by_key(reinterpret_cast<const Key*>(over_keys), same, over_keys, count,
                                             kogge::plus{}, equal, options, how);
            });
        }
    }
    of.run(plan_of(of, count, kogge::by_key_shape<T, Sum>(), options),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    std::vector<bool> starts(count.bound);
    for (std::uint64_t i = 0; i < count.bound; ++i) starts[i] = i == 0 || !equal(keys[i - 1], keys[i]);
    if (!of.ran()) return;
    if (from_end) {
        const auto n = static_cast<std::ptrdiff_t>(count.n);
        const std::vector<T> turned(values.rend() - n, values.rend());
        std::vector<bool> ends(count.n);
        for (std::uint64_t i = 0; i < count.n; ++i) ends[i] = i == 0 || starts[count.n - i];
        auto want = scanned_runs<Sum>(turned, ends, count.n, kogge::plus{}, init, inclusive);
        std::reverse(want.begin(), want.end());
        of.expect("out", out, want);
    } else {
        of.expect("out", out, scanned_runs<Sum>(values, starts, count.n, kogge::plus{}, init, inclusive));
    }
    if (!in_place) of.expect_untouched("out", out, count.n, count.bound);
}

}  // namespace

void scan_by_key(Case& of) {
    switch (of.below(3)) {
        case 0:
            return scan<std::uint32_t, std::uint32_t, std::uint32_t>(of, kogge::equal_to{});
        case 1:
            return scan<std::uint8_t, std::uint8_t, std::uint64_t>(of, kogge::equal_to{});
        default:
            return scan<std::uint16_t, double, double>(of, Near{});
    }
}

}  // namespace fuzz
