// Scans of segments.
#include "kogge/calls/segmented_scan.hpp"

#include "fuzz/families.hpp"
#include "fuzz/given_segments.hpp"
#include "fuzz/scans.hpp"

namespace fuzz {
namespace {

template <class T, class Sum>
void scan(Case& of) {
    const Count count = of.count();
    const auto values = summable_values<T>(of, count.bound);
    const GivenSegments segments(of, count, true);
    const bool left_out = of.one_in(4);
    const kogge::scan_options options = left_out ? kogge::scan_options{} : scan_options_of(of);
    const bool inclusive = of.one_in(2), in_place = inclusive && std::is_same_v<T, Sum> && of.one_in(3);
    of.say(name_of<T>(), " to ", name_of<Sum>(), inclusive ? " inclusive" : " exclusive", in_place ? " in place" : "");
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    Sum* const out = in_place ? reinterpret_cast<Sum*>(in) : of.memory().output<Sum>(count.bound);
    const Sum init{7};
    const auto call = [&](const T* from, Sum* to, const kogge::exec& how) {
        const auto scan = [&](const auto&... given) {
            if (inclusive && left_out) kogge::inclusive_segmented_scan(from, to, given..., how);
            else if (inclusive) kogge::inclusive_segmented_scan(from, to, given..., kogge::plus{}, options, how);
            else if (left_out) kogge::exclusive_segmented_scan(from, to, given..., init, how);
            else kogge::exclusive_segmented_scan(from, to, given..., init, kogge::plus{}, options, how);
        };
        // Those with ends of their own are none of a scan.
        segments.with([&](const auto&... given) {
            if constexpr (sizeof...(given) != 2) scan(given...);
        });
    };
    if (of.one_in(8) && segments.items() > 1) {
        if (of.one_in(2))
            return of.refuse(kogge::errc::overlap, "sums among the items",
                             [&](const kogge::exec& how) { call(reinterpret_cast<const T*>(out) + 1, out, how); });
        return of.refuse(kogge::errc::invalid_argument, "null for the sums",
                         [&](const kogge::exec& how) { call(in, nullptr, how); });
    }
    // Other offsets are stored first.
    const Plan plan =
        segments.are_plain_offsets() ? plan_of(of, count, kogge::segments_shape<T, Sum>(), options) : Plan{};
    of.run(plan, [&](const kogge::exec& how) { call(in, out, how); });
    if (!of.ran()) return;
    const std::uint64_t n = segments.are_rows() ? segments.items() : count.n;
    std::vector<bool> starts(n);
    for (const Part& part : segments.parts())
        if (part.begin < n) starts[part.begin] = true;
    of.expect("out", out, scanned_runs<Sum>(values, starts, n, kogge::plus{}, init, inclusive));
    if (!in_place) of.expect_untouched("out", out, n, count.bound);
}

}  // namespace

void scan_segments(Case& of) {
    if (of.one_in(2)) scan<std::int32_t, std::int32_t>(of);
    else scan<std::uint8_t, std::uint64_t>(of);
}

}  // namespace fuzz
