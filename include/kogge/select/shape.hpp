// The shapes of selections by rank that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/top_k/shape.hpp"

namespace kogge::grid {

inline constexpr int kSelectDigitBits = 16;  ///< at most
inline constexpr std::uint64_t kMostRanks = 1024;
inline constexpr std::uint64_t kMostSelectCounters = std::uint64_t{1} << 22;
inline constexpr int kSelectCountThreads = 512;
inline constexpr int kSelectCountBlocks = 2;  ///< per multiprocessor
inline constexpr int kSelectFindThreads = 1024;
inline constexpr std::uint64_t kMostFindBlocks = 64;

/// Segments: a warp holds the codes of a short one, in as many bytes as a warp of a top-k.
inline constexpr int kSelectRowThreads = 256;
inline constexpr std::uint64_t kSelectRowBlocks = 6;  ///< per multiprocessor
/// A block of a long one: what two kinds of rounds of counting take (top_k/narrow.cuh).
constexpr std::size_t select_block_bytes(std::size_t rank_bytes) {
    return top_k_shared_bytes(8) + top_k_shared_bytes(rank_bytes);
}

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
