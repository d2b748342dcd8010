// The key of a rank in each segment: one rank of all rows, or one for each segment.
#include "kogge/calls/segmented_select.hpp"

#include "fuzz/families.hpp"
#include "fuzz/given_segments.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"

namespace fuzz {
namespace {

template <class Key>
void run(Case& of) {
    const Count count = of.count();
    const bool left_out = of.one_in(4);
    const kogge::sort_options options = left_out ? kogge::sort_options{} : sort_options_of<Key>(of);
    const GivenSegments segments(of, count);
    const std::uint64_t rank = segments.row_length() > 0 ? of.below(segments.row_length()) : 0;
    // One past the last key of its segment is that of the last one.
    std::vector<std::uint64_t> ranks(segments.are_rows() ? 0 : segments.bound(), rank);
    const std::uint64_t most = of.one_in(2) ? 10 : count.bound + 2;
    for (std::uint64_t& each : ranks) each = of.one_in(50) ? ~std::uint64_t{0} : of.below(most);
    const auto keys = any_values<Key>(of, count.bound);
    const Key* const in = of.memory().input(keys);
    const std::uint64_t* const wanted = of.memory().input(ranks);
    Key* const out = of.memory().output<Key>(segments.bound());
    std::vector<Key> want = of.memory().get(out, segments.bound());
    const auto call = [&](const Key* from, Key* to, std::uint64_t rank_of_rows, const kogge::exec& how) {
        segments.with([&](const auto&... given) {
            in_form(left_out, options, how, [&](const auto&... last) {
                if constexpr (sizeof...(given) == 1) kogge::segmented_select(from, to, given..., rank_of_rows, last...);
                else kogge::segmented_select(from, to, given..., wanted, last...);
            });
        });
    };
    const bool any = segments.bound() > 0 && segments.items() > 0;
    if (segments.are_rows() && segments.bound() > 0 && (segments.row_length() == 0 || of.one_in(8)))
        return of.refuse(kogge::errc::invalid_argument, "a rank that is not below the length of rows",
                         [&](const kogge::exec& how) { call(in, out, segments.row_length(), how); });
    if (any && of.one_in(16)) {
        if (of.one_in(2))
            return of.refuse(kogge::errc::overlap, "results among the keys",
                             [&](const kogge::exec& how) { call(out, out, rank, how); });
        return of.refuse(kogge::errc::invalid_argument, "null for the results",
                         [&](const kogge::exec& how) { call(in, nullptr, rank, how); });
    }
    const Plan plan = plan_of([&] {
        const auto shape = shape_of<Key>(options, false, true, {});
        return kogge::plan_segmented_select(
                   segments.bound(), segments.longest(), segments.are_rows(),
                   {.key_bytes = sizeof(Key), .begin_bit = shape.begin_bit, .end_bit = shape.end_bit},
                   kogge::simt::properties_of(of.how().stream), segments.layout())
            .scratch_bytes;
    });
    of.run(any ? plan : Plan{}, [&](const kogge::exec& how) { call(in, out, rank, how); });
    if (!of.ran()) return;
    const auto codes = codes_of(keys, options);
    for (std::uint64_t s = 0; s < segments.number(); ++s) {
        const Part part = segments.parts()[s];
        if (part.begin == part.end) continue;
        std::vector<std::uint64_t> places(part.end - part.begin);
        std::iota(places.begin(), places.end(), part.begin);
        order_places(codes, places.data(), places.data() + places.size());
        want[s] = keys[places[std::min<std::uint64_t>(segments.are_rows() ? rank : ranks[s], places.size() - 1)]];
    }
    of.expect("keys", out, want);
}

}  // namespace

void segmented_select(Case& of) {
    switch (of.below(4)) {
        case 0:
            return run<std::uint32_t>(of);
        case 1:
            return run<double>(of);
        case 2:
            return run<std::int8_t>(of);
        default:
            return run<kogge::half>(of);
    }
}

}  // namespace fuzz
