// The digits that keys are sorted and split by.
#pragma once

#include <cstdint>

namespace kogge::grid {

inline constexpr int kDigitBits = 8;
inline constexpr int kBins = 1 << kDigitBits;

/// A sample is taken to show all values of a sort where it has at most this many.
inline constexpr std::uint32_t kFewValues = 64;

/// The leading digits that buckets share which are finished on chip.
inline constexpr int kSpanDigits = 2;

}  // namespace kogge::grid
