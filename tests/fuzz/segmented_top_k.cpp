// The first items of each segment: keys, keys with values in one array or two, and indices; one k, or one per segment.
#include "kogge/calls/segmented_top_k.hpp"

#include "fuzz/families.hpp"
#include "fuzz/given_segments.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/top_k_arrays.hpp"

namespace fuzz {
namespace {

/// One k for all segments, or one for each, some of them above the most that counts.
struct ChosenK {
    std::uint64_t most;
    std::vector<std::uint64_t> of_segments;
    const std::uint64_t* counts = nullptr;

    ChosenK(Case& of, const GivenSegments& segments)
        : most(of.below(std::min<std::uint64_t>(segments.are_rows() ? segments.row_length() : 90, 90) + 1)),
          of_segments(segments.bound(), most) {
        of.say("k ", most);
        if (of.one_in(2)) return;
        for (std::uint64_t& k : of_segments) k = of.below(most + 3);
        counts = of.memory().input(of_segments);
        for (std::uint64_t& k : of_segments) k = std::min(k, most);
        of.say("at most, one per segment");
    }
    template <class Call>
    void with(const Call& call) const {
        if (counts) call(kogge::each_k(counts, most));
        else call(most);
    }
};

/// The calls, by what they write.
struct Calls {
    template <class... Arguments>
    static void keys(const Arguments&... arguments) {
        kogge::segmented_top_k(arguments...);
    }
    template <class... Arguments>
    static void pairs(const Arguments&... arguments) {
        kogge::segmented_top_k_pairs(arguments...);
    }
    template <class Key, class... Arguments>
    static void indices(const Key* from, Key* keys_out, const Arguments&... arguments) {
        kogge::segmented_arg_top_k(from, keys_out, arguments...);
    }
};

template <class Key, class Value, class Index>
void run(Case& of) {
    const Count count = of.count();
    const bool left_out = of.one_in(4);
    const kogge::sort_options sorted =
        left_out ? kogge::sort_options(kogge::top_k_options{}) : sort_options_of<Key>(of);
    const kogge::top_k_options options{sorted.order, sorted.begin_bit, sorted.end_bit, sorted.zeros, sorted.nans};
    const GivenSegments segments(of, count);
    const ChosenK k(of, segments);
    TopKArrays<Key, Value, Index> arrays(of, count.bound, segments.bound() * k.most);
    const auto call = [&](const Key* in, const kogge::exec& how) {
        segments.with([&](const auto&... given) {
            k.with([&](const auto& k_given) {
                in_form(left_out, options, how,
                        [&](const auto&... last) { arrays.template call<Calls>(in, given..., k_given, last...); });
            });
        });
    };
    const bool any = k.most > 0 && segments.bound() > 0 && segments.items() > 0;
    if (any && of.one_in(16)) {
        if (segments.are_rows() && of.one_in(2))
            return of.refuse(
                kogge::errc::invalid_argument, "a k above the length of rows", [&](const kogge::exec& how) {
                    const kogge::rows_of rows{segments.row_length(), segments.bound()};
                    kogge::segmented_top_k(arrays.in, arrays.out, rows, segments.row_length() + 1, options, how);
                });
        if (of.one_in(2))
            return of.refuse(kogge::errc::invalid_argument, "null for the keys",
                             [&](const kogge::exec& how) { call(nullptr, how); });
        if (arrays.has_keys())
            return of.refuse(kogge::errc::overlap, "results among the keys",
                             [&](const kogge::exec& how) { call(arrays.out, how); });
    }
    const Plan plan = plan_of([&] {
        return kogge::plan_segmented_top_k(segments.bound(), segments.longest(), segments.are_rows(), k.most,
                                           arrays.shape(sorted), kogge::simt::properties_of(of.how().stream),
                                           segments.layout())
            .scratch_bytes;
    });
    of.run(any ? plan : Plan{}, [&](const kogge::exec& how) { call(arrays.in, how); });
    if (!of.ran()) return;
    const auto codes = codes_of(arrays.keys, sorted);
    for (std::uint64_t s = 0; s < segments.number(); ++s) {
        const Part part = segments.parts()[s];
        std::vector<std::uint64_t> places(part.end - part.begin);
        std::iota(places.begin(), places.end(), part.begin);
        order_places(codes, places.data(), places.data() + places.size());
        places.resize(std::min<std::uint64_t>(places.size(), k.of_segments[s]));
        for (std::uint64_t i = 0; i < places.size(); ++i) arrays.want(s * k.most + i, places[i], part.begin);
    }
    arrays.expect(of);
}

}  // namespace

void segmented_top_k(Case& of) {
    switch (of.below(4)) {
        case 0:
            return run<std::uint32_t, Bytes<12, 4>, std::int32_t>(of);
        case 1:
            return run<double, std::uint8_t, std::uint64_t>(of);
        case 2:
            return run<std::int16_t, std::uint64_t, std::uint32_t>(of);
        default:
            return run<float, std::uint32_t, std::int64_t>(of);
    }
}

}  // namespace fuzz
