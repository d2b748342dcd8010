// Sorts and orders of segments with begins and ends apart, and of rows.
#include <type_traits>

#include "fuzz/families.hpp"
#include "fuzz/segments.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"
#include "kogge/calls/segmented_argsort.hpp"

namespace fuzz {
namespace {

template <class Key, class Index, class Offset>
void run(Case& of) {
    const Count count = of.count();
    const bool left_out = of.one_in(5);
    const kogge::sort_options sorts = left_out ? kogge::sort_options{} : sort_options_of<Key>(of);
    const bool rows = !count.on_device && of.one_in(3), with_keys = of.one_in(2), of_whole = !left_out && of.one_in(2);
    const std::uint64_t length = 1 + of.below(of.one_in(2) ? 40 : count.n + 1), number = count.n / length;
    const std::uint64_t n = rows ? length * number : count.n, bound = rows ? n : count.bound;
    std::vector<Part> parts;
    if (rows)
        for (std::uint64_t r = 0; r < number; ++r) parts.push_back({r * length, (r + 1) * length});
    else parts = parts_apart(of, n);
    of.say(parts.size(), rows ? " rows," : " segments,", with_keys ? " keys," : "", of_whole ? " of the whole" : "");
    std::vector<Offset> begins, ends;
    for (const Part& part : parts) {
        begins.push_back(static_cast<Offset>(part.begin));
        ends.push_back(static_cast<Offset>(part.end));
    }
    const auto values = any_values<Key>(of, bound);
    const Key* const keys = of.memory().input(values);
    Key* const sorted = of.memory().output<Key>(with_keys ? bound : 0);
    Index* const indices = of.memory().output<Index>(bound);
    const Offset* const from = of.memory().input(begins);
    const Offset* const to = of.memory().input(ends);
    kogge::segmented_argsort_options options{sorts.order, sorts.begin_bit, sorts.end_bit, sorts.zeros, sorts.nans};
    if (of_whole) options.indices = kogge::index_origin::whole;
    const auto segments = kogge::segments_of(from, to, parts.size());
    const auto call = [&](const kogge::exec& how) {
        in_form(left_out, options, how, [&](const auto&... last) {
            if (rows && with_keys)
                kogge::segmented_argsort(keys, sorted, indices, kogge::rows_of{length, number}, last...);
            else if (rows) kogge::segmented_argsort(keys, indices, kogge::rows_of{length, number}, last...);
            else if (with_keys) kogge::segmented_argsort(keys, sorted, indices, count, segments, last...);
            else kogge::segmented_argsort(keys, indices, count, segments, last...);
        });
    };
    const Plan plan = plan_of([&] {
        return kogge::plan_segmented_sort(bound, parts.size(),
                                          shape_of<Key>(sorts, false, with_keys, {layout_of<Index>()}),
                                          kogge::simt::properties_of(of.how().stream),
                                          {.have_ends = !rows,
                                           .writes_indices = true,
                                           .indices_in_segment = !of_whole,
                                           .row_length = rows ? length : 0})
            .scratch_bytes;
    });
    of.run(bound == 0 ? Plan{} : plan, call);
    if (!of.ran()) return;
    const auto codes = codes_of(values, sorts);
    std::vector<bool> written(bound);
    for (const Part& part : parts) {
        const std::uint64_t end = std::min(part.end, n);
        if (part.begin >= end) continue;
        std::vector<std::uint64_t> places(end - part.begin);
        std::iota(places.begin(), places.end(), part.begin);
        order_places(codes, places.data(), places.data() + places.size());
        std::vector<Index> want;
        for (const std::uint64_t place : places)
            want.push_back(static_cast<Index>(of_whole ? place : place - part.begin));
        of.expect("indices", indices + part.begin, want);
        if (with_keys) of.expect("keys", sorted + part.begin, gathered(values, places));
        std::fill(written.begin() + static_cast<std::ptrdiff_t>(part.begin),
                  written.begin() + static_cast<std::ptrdiff_t>(end), true);
    }
    for (std::uint64_t i = 0; i < bound; ++i) {
        if (written[i]) continue;
        std::uint64_t end = i + 1;
        while (end < bound && !written[end]) ++end;
        of.expect_untouched("indices", indices, i, end);
        if (with_keys) of.expect_untouched("keys", sorted, i, end);
        i = end;
    }
}

}  // namespace

void segment_forms(Case& of) {
    if (of.one_in(2)) run<std::uint32_t, std::int32_t, std::int32_t>(of);
    else if (of.one_in(2)) run<float, std::uint64_t, std::uint32_t>(of);
    else run<std::uint32_t, std::uint32_t, std::int64_t>(of);
}

}  // namespace fuzz
