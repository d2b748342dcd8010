// Runs and their lengths.
#include "fuzz/families.hpp"
#include "fuzz/runs.hpp"

namespace fuzz {
namespace {

template <class T, class Length, class Equal>
void run(Case& of, Equal equal) {
    const Count count = of.count();
    const auto items = any_values<T>(of, count.bound);
    of.say(name_of<T>(), ", lengths ", name_of<Length>(), ",");
    const T* const in = of.memory().input(items);
    T* const out = of.memory().output<T>(count.bound);
    Length* const lengths = of.memory().output<Length>(count.bound);
    Number number(of);
    const auto call = [&](const T* from, T* to, const kogge::item_count& n, const kogge::exec& how) {
        number(
            [&](const auto& place, const kogge::exec& with) {
                if constexpr (kNoPlace<std::remove_cvref_t<decltype(place)>>)
                    return kogge::run_length_encode(from, to, lengths, n, equal, with);
                else return kogge::run_length_encode(from, to, lengths, place, n, equal, with);
            },
            how);
    };
    if (of.one_in(8)) return refuse_two<T, T>(of, choose_mistake(of, count), in, count, call, true);
    of.run(plan_of(of, count, {sizeof(T), kogge::runs_output::lengths}),
           [&](const kogge::exec& how) { call(in, out, count, how); });
    if (!of.ran()) return;
    auto heads = heads_of(items, count.n, equal);
    number.expect(of, heads.size());
    of.expect("items", out, at_heads(items, heads));
    std::vector<Length> want;
    heads.push_back(count.n);
    for (std::size_t run = 0; run + 1 < heads.size(); ++run)
        want.push_back(static_cast<Length>(heads[run + 1] - heads[run]));
    of.expect("lengths", lengths, want);
    of.expect_untouched("items", out, want.size(), count.bound);
    of.expect_untouched("lengths", lengths, want.size(), count.bound);
}

}  // namespace

void run_length_encode(Case& of) {
    if (of.one_in(2)) run<std::uint8_t, std::uint32_t>(of, kogge::equal_to{});
    else run<std::uint64_t, std::int64_t>(of, NearlyEqual{});
}

}  // namespace fuzz
