// What the families of scans share.
#pragma once

#include <vector>

#include "fuzz/case.hpp"
#include "fuzz/mistakes.hpp"
#include "fuzz/types.hpp"
#include "fuzz/values.hpp"
#include "kogge/reverse_scan.hpp"
#include "kogge/scan.hpp"

namespace fuzz {

inline kogge::scan_options scan_options_of(Case& of) {
    using kogge::grid_strategy;
    kogge::scan_options options;
    if (of.one_in(2))
        options.grid = of.pick({grid_strategy::one_wave, grid_strategy::on_chip, grid_strategy::two_level,
                                grid_strategy::recursive, grid_strategy::one_block});
    if (of.one_in(3)) options.block = kogge::kAllNetworks[of.below(kogge::kAllNetworks.size())];
    if (kOnDevice) of.say(", ", kogge::to_string(options.grid), " of ", kogge::to_string(options.block), ",");
    return options;
}

inline Plan plan_of(const Case& of, const Count& count, const kogge::scan_shape& shape,
                    const kogge::scan_options& options) {
    return plan_of([&] {
        return kogge::plan_scan(count.bound, shape, options, kogge::simt::properties_of(of.how().stream)).scratch_bytes;
    });
}

/// The scan, one item after the other. `init` may be null.
template <class Sum, class T, class Op>
std::vector<Sum> scanned(const std::vector<T>& values, std::uint64_t n, Op op, const Sum* init, bool inclusive) {
    std::vector<Sum> sums(n);
    Sum sum = init ? *init : Sum{};
    for (std::uint64_t i = 0; i < n; ++i) {
        if (!inclusive) sums[i] = sum;
        sum = i == 0 && !init ? static_cast<Sum>(values[i]) : static_cast<Sum>(op(sum, static_cast<Sum>(values[i])));
        if (inclusive) sums[i] = sum;
    }
    return sums;
}
/// The same of each run: starts[i] tells whether one begins at item i.
template <class Sum, class T, class Op>
std::vector<Sum> scanned_runs(const std::vector<T>& values, const std::vector<bool>& starts, std::uint64_t n, Op op,
                              const Sum& init, bool inclusive) {
    std::vector<Sum> sums(n);
    Sum sum = init;
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool starts_here = i == 0 || starts[i];
        if (!inclusive) {
            if (starts_here) sum = init;
            sums[i] = sum;
            sum = static_cast<Sum>(op(sum, static_cast<Sum>(values[i])));
        } else {
            sum = starts_here ? static_cast<Sum>(values[i]) : static_cast<Sum>(op(sum, static_cast<Sum>(values[i])));
            sums[i] = sum;
        }
    }
    return sums;
}

}  // namespace fuzz
