// Top-k: keys, keys with values, indices.
#include "kogge/top_k.hpp"
#include "fuzz/families.hpp"
#include "fuzz/sorts.hpp"

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
    const Plan plan = plan_of([&] {
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
                                 kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
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

}  // namespace

void top_k(Case& of) {
    if (of.one_in(4)) run<std::uint32_t, std::uint32_t>(of);
    else if (of.one_in(3)) run<double, Bytes<12, 4>>(of);
    else if (of.one_in(2)) run<kogge::half, std::uint64_t>(of);
    else run<float, std::uint64_t>(of);
}

}  // namespace fuzz
