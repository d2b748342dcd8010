// The shapes of histograms that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kogge::grid {

inline constexpr int kBinningThreads = 1024;
inline constexpr int kHistogramHeld = 4;  ///< loads of 16 bytes that a thread has in flight

/// A block counts at most so many items before it adds its counters up; more items take several launches.
inline constexpr std::uint64_t kHistogramMost = std::uint64_t{1} << 31;

/// 16-bit counters: between two looks for large ones, a thread counts so many batches of so many items; a counter that
/// has reached `kNarrowLarge` is taken away from. So no counter can overflow.
inline constexpr int kNarrowBatches = 3;
inline constexpr int kNarrowItems = 16;
inline constexpr std::uint32_t kNarrowLarge = 1u << 14;
static_assert(kNarrowLarge - 1 + kBinningThreads * kNarrowItems * kNarrowBatches < 1u << 16);

/// A warp is worth holding a bin's count in a register for so many items of it.
inline constexpr int kHistogramWorthHolding = 4;

/// Counters of tickets, on lines of their own, each for some of the blocks.
inline constexpr std::uint32_t kHistogramTickets = 8;
inline constexpr std::uint32_t kHistogramTicketStep = 32;

/// Rows of a warp each.
inline constexpr int kHistogramRowThreads = 256;
inline constexpr int kHistogramRowHeld = 4;
/// Counters of bins that a block has met, where those of all bins are in global memory.
inline constexpr int kHistogramCached = 2048;
inline constexpr int kHistogramAtomicThreads = 512;
inline constexpr int kHistogramAtomicBlocks = 2;  ///< per multiprocessor

/// How counters lie in shared memory: as 16 bits, as 32, or as 64 in two words.
enum class CounterKind : std::uint8_t { narrow, word, wide };

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
