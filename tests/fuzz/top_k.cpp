// Top-k: keys, keys with values, indices.
#include "kogge/top_k.hpp"
#include "fuzz/families.hpp"
#include "fuzz/segments.hpp"
#include "fuzz/sorts.hpp"
#include "kogge/calls/segmented_top_k.hpp"

namespace fuzz {
namespace {

template <class Key, class Value>
void run(Case& of) {
    const Count count = of.count();
    const kogge::sort_options sorted = sort_options_of<Key>(of);
    const kogge::top_k_options options{sorted.order, sorted.begin_bit, sorted.end_bit, sorted.zeros, sorted.nans};
    const std::uint64_t k = of.below(of.one_in(2) ? count.bound + 1 : std::min<std::uint64_t>(count.bound, 70) + 1);
    const bool pairs = of.one_in(3), indices = !pairs && of.one_in(2);
    of.say("k ", k, pairs ? " pairs," : indices ? " indices," : ",");
    const auto keys = any_values<Key>(of, count.bound);
    const auto values = any_values<Value>(of, pairs ? count.bound : 0);
    const Key* const in = of.memory().input(keys);
    const Value* const with = of.memory().input(values);
    Key* const out = of.memory().output<Key>(indices ? 0 : k);
    Value* const with_out = of.memory().output<Value>(pairs ? k : 0);
    std::uint32_t* const at = of.memory().output<std::uint32_t>(indices ? k : 0);
    const auto call = [&](const kogge::top_k_options& how_ordered, const kogge::exec& how) {
        if (pairs) kogge::top_k_pairs(in, out, with, with_out, count, k, how_ordered, how);
        else if (indices) kogge::arg_top_k(in, at, count, k, how_ordered, how);
        else kogge::top_k(in, out, count, k, how_ordered, how);
    };
    if (of.one_in(16))
        return of.refuse(kogge::errc::invalid_argument, "a k above n",
                         [&](const kogge::exec& how) { kogge::top_k(in, out, count, count.bound + 1, options, how); });
    Plan plan = plan_of([&] {
        const auto shape = shape_of<Key>(sorted, false, true, {});
        return kogge::plan_top_k(count.bound, k,
                                 {.key_bytes = sizeof(Key),
                                  .begin_bit = shape.begin_bit,
                                  .end_bit = shape.end_bit,
                                  .writes_keys = !indices,
                                  .index_bytes = indices ? sizeof(std::uint32_t) : 0,
                                  .value_bytes = pairs ? sizeof(Value) : 0,
                                  .merges_keys = shape.merges_keys,
                                  .are_floats = shape.are_floats},
                                 kogge::simt::properties_of(of.how().stream), of.how().scratch_limit)
            .scratch_bytes;
    });
    plan.fits_limit_only = false;  // a sort may take less than a selection
    of.run(k == 0 ? Plan{} : plan, [&](const kogge::exec& how) { call(options, how); });
    if (!of.ran()) return;
    auto places = sorted_places(keys, count.n, sorted);
    places.resize(std::min(k, count.n));
    if (!indices) {
        of.expect("keys", out, gathered(keys, places));
        of.expect_untouched("keys", out, places.size(), k);
    }
    if (pairs) {
        of.expect("values", with_out, gathered(values, places));
        of.expect_untouched("values", with_out, places.size(), k);
    }
    if (indices) {
        of.expect("indices", at, std::vector<std::uint32_t>(places.begin(), places.end()));
        of.expect_untouched("indices", at, places.size(), k);
    }
}

/// Of segments, by offsets or in rows.
template <class Key, class Value>
void run_segments(Case& of) {
    const bool rows = of.one_in(2);
    const Count count = of.count();
    const kogge::sort_options sorted = sort_options_of<Key>(of);
    const kogge::top_k_options options{sorted.order, sorted.begin_bit, sorted.end_bit, sorted.zeros, sorted.nans};
    const std::uint64_t length = 1 + of.below(of.one_in(2) ? 70 : 9000);
    const kogge::rows_of of_rows{length, rows ? count.bound / length : 0};
    const auto offsets = rows ? std::vector<std::uint64_t>{} : segment_offsets(of, count.n);
    const std::uint64_t segments = rows ? of_rows.count : offsets.size();
    const std::uint64_t k = of.below(std::min<std::uint64_t>(rows ? length : 90, 90) + 1);
    of.say(segments, rows ? " rows of " : " segments ", length, ", k ", k, ",");
    const auto keys = any_values<Key>(of, count.bound);
    const auto values = any_values<Value>(of, count.bound);
    const Key* const in = of.memory().input(keys);
    const Value* const with = of.memory().input(values);
    const std::uint64_t* const at = of.memory().input(offsets);
    std::vector<Key> want(segments * k);
    std::vector<Value> want_values(segments * k);
    Key* const out = of.memory().in_out(want);
    Value* const with_out = of.memory().in_out(want_values);
    const Plan plan = plan_of([&] {
        const auto shape = shape_of<Key>(sorted, false, true, {});
        return kogge::plan_segmented_top_k(segments, rows ? length : count.bound, rows, k,
                                           {.key_bytes = sizeof(Key),
                                            .begin_bit = shape.begin_bit,
                                            .end_bit = shape.end_bit,
                                            .value_bytes = sizeof(Value)},
                                           kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
    of.run(k == 0 || segments == 0 || count.bound == 0 ? Plan{} : plan, [&](const kogge::exec& how) {
        if (rows) kogge::segmented_top_k_pairs(in, out, with, with_out, of_rows, k, options, how);
        else kogge::segmented_top_k_pairs(in, out, with, with_out, count, at, offsets.size(), k, options, how);
    });
    if (!of.ran()) return;
    const auto codes = codes_of(keys, sorted);
    for (std::uint64_t s = 0; s < segments; ++s) {
        const std::uint64_t begin = rows ? s * length : offsets[s];
        const std::uint64_t end = rows ? begin + length : s + 1 < segments ? offsets[s + 1] : count.n;
        std::vector<std::uint64_t> places;
        for (std::uint64_t i = begin; i < end; ++i) places.push_back(i);
        order_places(codes, places.data(), places.data() + places.size());
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(k, places.size()); ++i) {
            want[s * k + i] = keys[places[i]];
            want_values[s * k + i] = values[places[i]];
        }
    }
    of.expect("keys", out, want);
    of.expect("values", with_out, want_values);
}

}  // namespace

void top_k(Case& of) {
    if (of.one_in(4)) run<std::uint32_t, std::uint32_t>(of);
    else if (of.one_in(3)) run<double, Bytes<12, 4>>(of);
    else if (of.one_in(2)) run<kogge::half, std::uint64_t>(of);
    else run<float, std::uint64_t>(of);
}

void segmented_top_k(Case& of) {
    if (of.one_in(3)) run_segments<std::uint32_t, Bytes<12, 4>>(of);
    else if (of.one_in(2)) run_segments<double, std::uint8_t>(of);
    else run_segments<float, std::uint32_t>(of);
}

}  // namespace fuzz
