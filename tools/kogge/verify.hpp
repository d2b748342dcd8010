// Results checked by simple code of another kind: std::stable_sort, and loops. Each function throws when they differ.
#pragma once

#include <cstddef>
#include <string>

#include "commands/commands.hpp"
#include "commands/runs.hpp"
#include "commands/tally.hpp"
#include "io/array.hpp"
#include "io/pieces.hpp"

namespace kogge::command {

/// The inputs of a sort as they were before it, and what came of them; arrays that take no part are null.
struct SortResult {
    const Array* keys;
    const Array* values;
    const Array* sorted_keys;
    const Array* sorted_values;
    const Array* indices;
};
void verify_sort(const SortResult& result, const sort_options& options);

/// Bit for bit what a loop over the input keeps.
void verify_compact(const Array& input, const Array& kept, relation test, const std::string& value);

/// The same of the indices of what is kept.
void verify_kept_indices(const Array& input, const Array& indices, relation test, const std::string& value);

/// Integers and extremes exactly; sums of floating-point numbers to what their rounding explains.
void verify_scan(const Array& input, const Array& result, const ScanSettings& settings);

/// The same of inputs that are read a piece at a time: once more, from their beginning.
void verify_top_k(OpenInput& input, const TopKSettings& settings, const Array& items, const Array& indices);
void verify_unique(OpenInput& input, const UniqueSettings& settings, const Run& run);
void verify_histogram(OpenInput& input, const HistogramSettings& settings, const Bins& bins, const Tally& tally);

/// Memory that verify_sort needs for each item, beside the arrays.
inline constexpr std::size_t kVerifySortBytes = 3 * sizeof(std::uint64_t);

}  // namespace kogge::command
