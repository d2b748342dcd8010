// The shapes of histograms that plans and kernels share. histogram/README.md explains the three ways: counters of a
// block in shared memory, a warp per row, and atomic additions in global memory behind a cache of counters.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kogge::grid {

// ---- blocks that count in shared memory (histogram/kernel.cuh) -----------------------------------------

inline constexpr int kBinningThreads = 1024;  ///< of the one block per multiprocessor
/// Loads of 16 bytes that a thread has in flight: a batch. Half as many where each item has an atomic addition in
/// global memory, and twice as many loads of an item each where the input is no pointer.
inline constexpr int kHistogramHeld = 4;

/// Items that a block counts in one launch, at most, so that its counters of 32 bits cannot overflow. More items take
/// several launches.
inline constexpr std::uint64_t kHistogramMost = std::uint64_t{1} << 31;

/// 16-bit counters. After kNarrowBatches batches, of at most kNarrowItems items per thread each, the block looks at all
/// counters. What those that have reached kNarrowLarge hold goes to the counts in global memory, and they begin again
/// at 0. So a counter is below kNarrowLarge after a look, and cannot reach 2^16 before the next one.
inline constexpr int kNarrowBatches = 3;
inline constexpr int kNarrowItems = 16;
inline constexpr std::uint32_t kNarrowLarge = 1u << 14;
static_assert(kNarrowLarge - 1 + kBinningThreads * kNarrowItems * kNarrowBatches < 1u << 16);

/// Lanes of a warp that must have lane 0's bin at once for the warp to count that bin in a register from then on.
inline constexpr int kHistogramWorthHolding = 4;

/// The last batches of a long input are drawn by tickets. So that not all blocks draw from one counter, there are
/// several, each for every eighth block, and kHistogramTicketStep words apart, on cache lines of their own.
inline constexpr std::uint32_t kHistogramTickets = 8;
inline constexpr std::uint32_t kHistogramTicketStep = 32;

// ---- a warp per row (histogram/rows.cuh) ---------------------------------------------------------------

inline constexpr int kHistogramRowThreads = 256;
inline constexpr int kHistogramRowHeld = 4;  ///< items that a lane has in flight

// ---- counters in global memory (histogram/atomics.cuh) -------------------------------------------------

/// Counters in a block's shared memory. A bin has the one at its number modulo this, if the block met it there first; a
/// bin that finds another there is counted in global memory.
inline constexpr int kHistogramCached = 2048;
inline constexpr int kHistogramAtomicThreads = 512;
inline constexpr int kHistogramAtomicBlocks = 2;  ///< per multiprocessor

/// A counter in shared memory: 16 bits, 32 bits, or 64 bits in two words.
enum class CounterKind : std::uint8_t { narrow, word, wide };

/// Bytes of the counters of `bins` bins, of which there are 2^copies_log2 copies; narrow ones have one copy.
constexpr std::size_t histogram_bytes(CounterKind kind, std::uint64_t bins, int copies_log2) {
    switch (kind) {
        case CounterKind::narrow:
            return (bins + 1) / 2 * 4;
        case CounterKind::word:
            return (bins << copies_log2) * 4;
        default:
            return (bins << copies_log2) * 8;
    }
}

}  // namespace kogge::grid
