// Scans of segments.
#include "fuzz/families.hpp"
#include "fuzz/scans.hpp"
#include "fuzz/segments.hpp"

namespace fuzz {
namespace {

template <class T, class Sum>
void scan(Case& of) {
    const Count count = of.count();
    const auto values = summable_values<T>(of, count.bound);
    const auto offsets = segment_offsets(of, count.n);
    const kogge::scan_options options = scan_options_of(of);
    const bool inclusive = of.one_in(2), in_place = inclusive && std::is_same_v<T, Sum> && of.one_in(3);
    of.say(offsets.size(), " segments, ", name_of<T>(), " to ", name_of<Sum>(), inclusive ? " inclusive" : " exclusive",
           in_place ? " in place" : "");
    T* const in = in_place ? of.memory().in_out(values) : of.memory().input(values);
    Sum* const out = in_place ? reinterpret_cast<Sum*>(in) : of.memory().output<Sum>(count.bound);
    const std::uint64_t* const at = of.memory().input(offsets);
    const Sum init{7};
    const auto call = [&](const T* from, Sum* to, const kogge::item_count& n, const kogge::exec& how) {
        if (inclusive) kogge::inclusive_segmented_scan(from, to, n, at, offsets.size(), kogge::plus{}, options, how);
        else kogge::exclusive_segmented_scan(from, to, n, at, offsets.size(), init, kogge::plus{}, options, how);
    };
    if constexpr (sizeof(T) == sizeof(Sum))
        if (of.one_in(8)) return refuse_two<T, Sum>(of, choose_mistake(of, count), in, count, call);
    of.run(plan_of(of, count, kogge::segments_shape<T, Sum>(), options),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    std::vector<bool> starts(count.n);
    for (const std::uint64_t offset : offsets)
        if (offset < count.n) starts[offset] = true;
    if (!of.ran()) return;
    of.expect("out", out, scanned_runs<Sum>(values, starts, count.n, kogge::plus{}, init, inclusive));
    if (!in_place) of.expect_untouched("out", out, count.n, count.bound);
}

}  // namespace

void scan_segments(Case& of) {
    if (of.one_in(2)) scan<std::int32_t, std::int32_t>(of);
    else scan<std::uint8_t, std::uint64_t>(of);
}

}  // namespace fuzz
