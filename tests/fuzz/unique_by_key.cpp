// The first key of each run, and the value beside it.
#include "fuzz/families.hpp"
#include "fuzz/runs.hpp"

namespace fuzz {
namespace {

template <class Key, class Value, class Equal>
void run(Case& of, Equal equal) {
    const Count count = of.count();
    const auto keys = any_values<Key>(of, count.bound);
    const auto values = any_values<Value>(of, count.bound);
    of.say(name_of<Key>(), " keys, ", name_of<Value>(), ",");
    const Key* const in = of.memory().input(keys);
    const Value* const from = of.memory().input(values);
    Key* const out = of.memory().output<Key>(count.bound);
    Value* const to = of.memory().output<Value>(count.bound);
    Number number(of);
    const auto call = [&](const Key* keys_in, Key* keys_out, const kogge::item_count& n, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                    return kogge::unique_by_key(keys_in, from, keys_out, to, n, equal, with);
                else return kogge::unique_by_key(keys_in, from, keys_out, to, place, n, equal, with);
            },
            how);
    };
    if (of.one_in(8)) return refuse_two<Key, Key>(of, choose_mistake(of, count), in, count, call, true);
    of.run(plan_of(of, count, {sizeof(Key), kogge::runs_output::values}),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    const auto heads = heads_of(keys, count.n, equal);
    number.expect(of, heads.size());
    of.expect("keys", out, at_heads(keys, heads));
    of.expect("values", to, at_heads(values, heads));
    of.expect_untouched("keys", out, heads.size(), count.bound);
    of.expect_untouched("values", to, heads.size(), count.bound);
}

}  // namespace

void unique_by_key(Case& of) {
    if (of.one_in(2)) run<std::uint32_t, std::uint64_t>(of, kogge::equal_to{});
    else run<std::uint16_t, Bytes<12>>(of, NearlyEqual{});
}

}  // namespace fuzz
