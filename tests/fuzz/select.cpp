// Keys by their rank.
#include "kogge/calls/select.hpp"

#include "fuzz/families.hpp"
#include "fuzz/short_forms.hpp"
#include "fuzz/sorts.hpp"

namespace fuzz {
namespace {

template <class Key>
void run(Case& of) {
    const Count count = of.count();
    const bool left_out = of.one_in(4);
    const kogge::sort_options options = left_out ? kogge::sort_options{} : sort_options_of<Key>(of);
    const bool one = count.bound > 0 && of.one_in(3);
    const std::uint64_t m = one ? 1 : count.bound == 0 ? 0 : of.below(of.one_in(3) ? 1500 : 70);
    of.say(m, one ? " rank alone," : " ranks,");
    const auto keys = any_values<Key>(of, count.bound);
    std::vector<std::uint64_t> ranks(m);
    for (auto& rank : ranks) rank = of.below(count.bound);
    const Key* const in = of.memory().input(keys);
    const std::uint64_t* const at = of.memory().input(ranks);
    Key* const out = of.memory().output<Key>(m);
    const auto call = [&](std::uint64_t rank, const kogge::exec& how) {
        in_form(left_out, options, how, [&](const auto&... last) {
            if (one) kogge::select(in, out, count, rank, last...);
            else kogge::quantiles(in, out, count, at, m, last...);
        });
    };
    if (of.one_in(8) && one)
        return of.refuse(kogge::errc::invalid_argument, "a rank past the keys",
                         [&](const kogge::exec& how) { call(count.bound, how); });
    Plan plan = plan_of([&] {
        const auto shape = shape_of<Key>(options, false, true, {});
        return kogge::plan_select(count.bound, m,
                                  {.key_bytes = sizeof(Key),
                                   .begin_bit = shape.begin_bit,
                                   .end_bit = shape.end_bit,
                                   .merges_keys = shape.merges_keys,
                                   .are_floats = shape.are_floats},
                                  kogge::simt::properties_of(of.how().stream), of.how().scratch_limit)
            .scratch_bytes;
    });
    plan.fits_limit_only = false;  // a sort may take less than counters
    of.run(m == 0 ? Plan{} : plan, [&](const kogge::exec& how) { call(one ? ranks[0] : 0, how); });
    if (!of.ran() || m == 0) return;
    if (count.n == 0) return of.expect_untouched("keys", out, 0, m);
    const auto places = sorted_places(keys, count.n, options);
    std::vector<Key> want(m);
    for (std::uint64_t j = 0; j < m; ++j) want[j] = keys[places[std::min(ranks[j], count.n - 1)]];
    of.expect("keys", out, want);
}

}  // namespace

void select(Case& of) {
    if (of.one_in(4)) run<std::uint32_t>(of);
    else if (of.one_in(3)) run<double>(of);
    else if (of.one_in(2)) run<kogge::half>(of);
    else run<float>(of);
}

}  // namespace fuzz
