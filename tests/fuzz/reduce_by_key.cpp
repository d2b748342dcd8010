// The first key of each run, and the fold of its values.
#include "kogge/calls/reduce_by_key.hpp"

#include "fuzz/families.hpp"
#include "fuzz/runs.hpp"

namespace fuzz {
namespace {

template <class Key, class Value, class Sum, class Op, class Equal>
void run(Case& of, Op op, Equal equal) {
    const Count count = of.count();
    const auto keys = any_values<Key>(of, count.bound);
    const auto values = summable_values<Value>(of, count.bound);
    of.say(name_of<Key>(), " keys, ", name_of<Value>(), " to ", name_of<Sum>(), ",");
    const Key* const in = of.memory().input(keys);
    const Value* const from = of.memory().input(values);
    Key* const out = of.memory().output<Key>(count.bound);
    Sum* const to = of.memory().output<Sum>(count.bound);
    const bool left_out = of.one_in(2);
    Number number(of);
    const auto call = [&](const Key* keys_in, Key* keys_out, const kogge::item_count& n, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                const auto reduce = [&](const auto&... last) {
                    if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                        return kogge::reduce_by_key(keys_in, from, keys_out, to, n, last...);
                    else return kogge::reduce_by_key(keys_in, from, keys_out, to, place, n, last...);
                };
                if constexpr (std::is_same_v<Equal, kogge::equal_to>) {
                    if constexpr (std::is_same_v<Op, kogge::plus>)
                        if (left_out) return reduce(with);
                    if (left_out) return reduce(op, with);
                }
                return reduce(op, equal, with);
            },
            how);
    };
    if (of.one_in(8)) return refuse_two<Key, Key>(of, choose_mistake(of, count), in, count, call, true);
    of.run(plan_of([&] {
               return kogge::plan_reduce_by_key(count.bound, {sizeof(Value), sizeof(Sum), alignof(Sum)},
                                                kogge::simt::properties_of(of.how().stream))
                   .scratch_bytes;
           }),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    const auto heads = heads_of(keys, count.n, equal);
    number.expect(of, heads.size());
    of.expect("keys", out, at_heads(keys, heads));
    of.expect("sums", to, sums_of_runs<Sum>(values, heads, count.n, op));
    of.expect_untouched("keys", out, heads.size(), count.bound);
    of.expect_untouched("sums", to, heads.size(), count.bound);
}

/// Associative, and keeps the last item.
struct Last {
    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T&, const T& b) const {
        return b;
    }
};

}  // namespace

void reduce_by_key(Case& of) {
    if (of.one_in(3)) run<std::uint8_t, std::uint8_t, std::uint64_t>(of, kogge::plus{}, kogge::equal_to{});
    else if (of.one_in(2)) run<std::uint32_t, float, float>(of, kogge::plus{}, NearlyEqual{});
    else run<std::uint16_t, std::uint64_t, std::uint64_t>(of, Last{}, kogge::equal_to{});
}

}  // namespace fuzz
