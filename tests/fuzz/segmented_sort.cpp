// Sorts of segments.
#include "kogge/segmented_sort.hpp"
#include "fuzz/families.hpp"
#include "fuzz/segments.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"

namespace fuzz {
namespace {

/// The places of n items, those of each segment in the order of their keys.
template <class Key>
std::vector<std::uint64_t> segment_places(const std::vector<Key>& keys, std::uint64_t n,
                                          const std::vector<std::uint64_t>& offsets,
                                          const kogge::sort_options& options) {
    auto places = all_places(n);
    const auto codes = codes_of(keys, options);
    for (std::size_t s = 0; s <= offsets.size(); ++s) {
        const std::uint64_t begin = s == 0 ? 0 : offsets[s - 1], end = s < offsets.size() ? offsets[s] : n;
        order_places(codes, places.data() + begin, places.data() + end);
    }
    return places;
}

template <class Key, class Value>
void run(Case& of) {
    const Count count = of.count();
    const auto chosen = chosen_or_left_out<kogge::sort_options>(of, [&] { return sort_options_of<Key>(of); });
    const kogge::sort_options& options = chosen.options;
    const auto offsets = segment_offsets(of, count.n);
    const bool pairs = of.one_in(2), all_in_place = of.one_in(2), two = pairs && of.one_in(3);
    of.say(offsets.size(), " segments,");
    const Sorted<Key> keys(of, any_values<Key>(of, count.bound), all_in_place || two || (pairs && of.one_in(3)));
    const Sorted<Value> beside(of, any_values<Value>(of, pairs ? count.bound : 0), all_in_place || two || of.one_in(3));
    const Sorted<std::uint8_t> more(of, any_values<std::uint8_t>(of, two ? count.bound : 0), true);
    const std::uint64_t* const at = of.memory().input(offsets);
    const std::uint64_t number = offsets.size();
    const auto call = [&](const auto&... last) {
        if (two) kogge::segmented_sort_pairs(keys.in, kogge::arrays(beside.in, more.in), count, at, number, last...);
        else if (pairs && all_in_place) kogge::segmented_sort_pairs(keys.in, beside.in, count, at, number, last...);
        else if (pairs)
            kogge::segmented_sort_pairs(keys.in, keys.out, beside.in, beside.out, count, at, number, last...);
        else if (keys.in_place()) kogge::segmented_sort(keys.in, count, at, number, last...);
        else kogge::segmented_sort(keys.in, keys.out, count, at, number, last...);
    };
    if (of.one_in(16)) return refuse_bits<Key>(of, options, call);
    if (of.one_in(16))
        return refuse_two<Key, Key>(of, choose_mistake(of, count), keys.in, count,
                                    [&](const Key* from, Key* to, const kogge::item_count& n, const kogge::exec& how) {
                                        kogge::segmented_sort(from, to, n, at, offsets.size(), options, how);
                                    });
    const Plan plan = plan_of([&] {
        std::vector<kogge::value_layout> layouts;
        if (pairs) layouts.push_back(layout_of<Value>());
        if (two) layouts.push_back(layout_of<std::uint8_t>());
        const bool in_place = keys.in_place() || (pairs && beside.in_place());
        return kogge::plan_segmented_sort(count.bound, offsets.size(),
                                          shape_of<Key>(options, in_place, true, std::move(layouts)),
                                          kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
    // Of no keys no plan is asked for.
    of.run(count.bound == 0 ? Plan{} : plan, [&](const kogge::exec& how) { chosen.in_form(how, call); });
    if (!of.ran()) return;
    const auto places = segment_places(keys.values, count.n, offsets, options);
    keys.expect(of, "keys", places);
    if (pairs) beside.expect(of, "values", places);
    if (two) more.expect(of, "more values", places);
}

}  // namespace

void segmented_sort(Case& of) {
    if (of.one_in(2)) run<std::uint32_t, std::uint32_t>(of);
    else if (of.one_in(2)) run<double, Bytes<12, 4>>(of);
    else run<float, std::uint64_t>(of);
}

}  // namespace fuzz
