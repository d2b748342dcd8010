// The shapes of selections by rank that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kogge::grid {

inline constexpr int kSelectDigitBits = 16;  ///< at most
inline constexpr std::uint64_t kMostRanks = 1024;
inline constexpr std::uint64_t kMostSelectCounters = std::uint64_t{1} << 22;
inline constexpr int kSelectCountThreads = 512;
inline constexpr int kSelectCountBlocks = 2;  ///< per multiprocessor
inline constexpr int kSelectFindThreads = 1024;
inline constexpr std::uint64_t kMostFindBlocks = 64;

inline constexpr int kSelectMapWords = 1 << (kSelectDigitBits - 5);  ///< of a bit per first digit

/// What the rounds hand on. `finished` is zero before the first one; the other numbers are written before they are
/// read.
struct SelectControl {
    std::uint32_t finished;              ///< blocks of a finding
    std::uint32_t slots;                 ///< different beginnings of wanted ranks
    std::uint32_t is_listed;             ///< whether the list has room
    std::uint32_t map[kSelectMapWords];  ///< a bit per first digit of a wanted rank
    std::uint64_t matching;              ///< items with such a first digit
    std::uint64_t listed;                ///< items listed so far
};

}  // namespace kogge::grid
