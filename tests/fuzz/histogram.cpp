// Histograms: by a function or described bins, of arrays and rows, with and without weights.
#include "kogge/calls/histogram.hpp"

#include <algorithm>

#include "fuzz/families.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"

namespace fuzz {
namespace {

/// The bin of a number; of some there is none.
struct BinOfNumber {
    std::uint32_t kind, bins, past;
    KOGGE_HOST_DEVICE std::int64_t operator()(std::uint32_t key) const {
        if (past != 0 && key % past == 0) return key % 2 == 0 ? -1 : std::int64_t{bins} + key % 3;
        if (kind == 0) return key % bins;
        if (kind == 1) return static_cast<std::int64_t>((std::uint64_t{key} * bins) >> 32);
        return key % 100 == 0 ? key / 100 % bins : bins / 2;
    }
};

template <class Sum>
void run(Case& of) {
    using Key = std::uint32_t;
    using Weight = std::int32_t;
    const Count count = of.count();
    const bool rows = of.one_in(3), weights = of.one_in(3), even = of.one_in(4);
    const std::uint64_t length = rows ? 1 + of.below(of.one_in(2) ? 70 : 9000) : count.n;
    const kogge::rows_of of_rows{length, rows ? count.bound / length : 1};
    const auto bins = static_cast<std::uint32_t>(of.one_in(3)   ? 1 + of.below(8)
                                                 : of.one_in(2) ? 1 + of.below(600)
                                                                : 1 + of.below(rows ? 6000 : 150000));
    const BinOfNumber bin_of{static_cast<std::uint32_t>(of.below(3)), bins,
                             static_cast<std::uint32_t>(of.one_in(3) ? 1 + of.below(2000) : 0)};
    of.say(rows ? "rows of " : "items ", length, ", ", bins, " bins, kind ", bin_of.kind, weights ? ", weights" : "",
           even ? ", even," : ",");
    const auto keys = any_values<Key>(of, count.bound);
    const auto with = any_values<Weight>(of, weights ? count.bound : 0);
    const Key* const in = of.memory().input(keys);
    const Weight* const amounts = of.memory().input(with);
    std::vector<Sum> want(of_rows.count * bins);
    Sum* const sums = of.memory().output<Sum>(want.size());
    const kogge::even_bins<std::uint32_t> described(100, ~0u, bins);
    const auto call = [&](const auto& n, const kogge::exec& how) {
        if (weights && even) kogge::weighted_histogram(in, amounts, sums, n, described, how);
        else if (weights) kogge::weighted_histogram(in, amounts, sums, n, bins, bin_of, how);
        else if (even) kogge::histogram(in, sums, n, described, how);
        else kogge::histogram(in, sums, n, bins, bin_of, how);
    };
    if (of.one_in(16))
        return of.refuse(kogge::errc::invalid_argument, "no bins",
                         [&](const kogge::exec& how) { kogge::histogram(in, sums, count, 0, bin_of, how); });
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
        std::int64_t bin = bin_of(keys[i]);
        if (even)
            bin = keys[i] < 100 || keys[i] == ~0u
                      ? -1
                      : static_cast<std::int64_t>((std::uint64_t{keys[i]} - 100) * bins / (~0u - 100u));
        if (bin < 0 || bin >= std::int64_t{bins}) continue;
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
