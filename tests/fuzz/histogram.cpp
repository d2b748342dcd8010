// Histograms: by a function or described bins, of arrays and rows, with and without weights.
#include "kogge/calls/histogram.hpp"

#include <algorithm>

#include "fuzz/bins.hpp"
#include "fuzz/families.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"

namespace fuzz {
namespace {

template <class Sum>
void run(Case& of) {
    using Key = std::uint32_t;
    using Weight = std::int32_t;
    const Count count = of.count();
    const bool rows = of.one_in(3), weights = of.one_in(3);
    const std::uint64_t length = rows ? 1 + of.below(of.one_in(2) ? 70 : 9000) : count.n;
    const kogge::rows_of of_rows{length, rows ? count.bound / length : 1};
    of.say(rows ? "rows of " : "items ", length, weights ? ", weights," : ",");
    const ChosenBins chosen(of, rows ? 6000 : 150000);
    const std::uint32_t bins = chosen.number();
    const std::uint32_t* const bounds = of.memory().input(chosen.bounds());
    const auto keys = any_values<Key>(of, count.bound);
    const auto with = any_values<Weight>(of, weights ? count.bound : 0);
    const Key* const in = of.memory().input(keys);
    const Weight* const amounts = of.memory().input(with);
    std::vector<Sum> want(of_rows.count * bins);
    Sum* const sums = of.memory().output<Sum>(want.size());
    const auto call = [&](const auto& n, const kogge::exec& how) {
        chosen.with(bounds, [&](const auto&... given) {
            if (weights) kogge::weighted_histogram(in, amounts, sums, n, given..., how);
            else kogge::histogram(in, sums, n, given..., how);
        });
    };
    if (of.one_in(16))
        return of.refuse(kogge::errc::invalid_argument, "no bins",
                         [&](const kogge::exec& how) { kogge::histogram(in, sums, count, 0, BinOfNumber{}, how); });
    const Plan plan = plan_of([&] {
        return kogge::plan_histogram(rows ? length : count.bound, of_rows.count, bins,
                                     {sizeof(Key) + (weights ? sizeof(Weight) : 0), sizeof(Sum), weights},
                                     kogge::simt::properties_of(of.how().stream))
            .scratch_bytes;
    });
    of.run(plan, [&](const kogge::exec& how) {
        if (rows) call(of_rows, how);
        else call(static_cast<kogge::item_count>(count), how);
    });
    if (!of.ran()) return;
    for (std::uint64_t i = 0; i < of_rows.count * length; ++i) {
        const std::int64_t bin = chosen.bin_of(keys[i]);
        if (bin < 0) continue;
        Sum& sum = want[i / length * bins + static_cast<std::uint64_t>(bin)];
        sum = static_cast<Sum>(sum + (weights ? static_cast<Sum>(with[i]) : Sum{1}));
    }
    of.expect("counts", sums, want);
}

}  // namespace

void histogram(Case& of) {
    if (of.one_in(2)) run<std::uint32_t>(of);
    else run<std::uint64_t>(of);
}

}  // namespace fuzz
