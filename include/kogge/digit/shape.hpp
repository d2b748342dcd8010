// The digits by which keys are sorted and split.
#pragma once

#include <cstdint>

namespace kogge::grid {

inline constexpr int kDigitBits = 8;
inline constexpr int kBins = 1 << kDigitBits;

/// A sample with at most this many distinct values is taken to show all values of a sort.
inline constexpr std::uint32_t kFewValues = 64;

/// The number of most significant digits that the keys of a bucket share, where buckets are finished on chip.
inline constexpr int kSpanDigits = 2;

}  // namespace kogge::grid
