// The shapes of top-k selections that plans and kernels share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kogge::grid {

inline constexpr int kTopKThreads = 512;
inline constexpr int kTopKBlocks = 2;  ///< per multiprocessor
/// A thread holds so many chunks of 16 bytes. What the blocks hold at once is read before the threshold is known.
inline constexpr int kTopKChunks = 8;
inline constexpr int kTopKStreamed = 4;  ///< chunks of a thread at a time, of what is read after that
inline constexpr std::uint64_t kTopKBlockBytes = std::uint64_t{kTopKThreads} * kTopKChunks * 16;

/// The threshold is one of the groups' least ranks. There are at least so many groups, and some are taken together
/// until there are no more.
inline constexpr std::uint64_t kTopKGroups = 128;

inline constexpr std::uint64_t kTopKPlaces = std::uint64_t{1} << 16;  ///< of candidates
inline constexpr int kTopKBins = 2048;                                ///< of a round of counting
inline constexpr int kTopKCompared = 4;                               ///< ranks that a warp compares with all others
inline constexpr std::uint64_t kTopKTickets = 8;                      ///< counters of tickets, each for some blocks
inline constexpr int kTopKSamples = 3;                                ///< at most, per thread
inline constexpr std::uint64_t kMostSelected = std::uint64_t{1} << 14;

/// Code and index of an item, side by side: 8 bytes if 4 are enough for each.
constexpr std::size_t top_k_rank_bytes(std::size_t key_bytes, std::uint64_t n) {
    return key_bytes <= 4 && n < std::uint64_t{1} << 32 ? 8 : 16;
}
constexpr std::size_t top_k_shared_bytes(std::size_t rank_bytes) {
    return std::size_t{kTopKThreads} * rank_bytes + std::size_t{kTopKBins} * 4 +
           std::size_t{kTopKThreads} / 32 * (8 + std::size_t{kTopKCompared} * 4) + 4 * rank_bytes + 16;
}

/// Segments: the list of a warp, whose places are as many as the keys that it takes at a time; and how many it compares
/// each with each, unless k is greater.
inline constexpr std::size_t kTopKWarpBytes = 4096;
inline constexpr int kTopKFew = 64;
/// The greatest k of lists.
constexpr std::uint64_t top_k_list_most(std::size_t rank_bytes) { return kTopKWarpBytes / rank_bytes / 2; }
/// Of segments whose lengths the host does not know, a warp takes those of so many batches; of rows, those for which it
/// needs no more rounds than blocks would. To select among its warps' lists takes a block as long as some batches.
inline constexpr std::uint64_t kTopKShortBatches = 8, kTopKMergeBatches = 4;
inline constexpr std::uint64_t kTopKPartItems = 4096;  ///< at least, where several blocks take a row
inline constexpr int kTopKMerged = 512;                ///< ranks of all lists that are compared each with each, at most
constexpr std::size_t top_k_list_shared_bytes(std::size_t rank_bytes) {
    return kTopKThreads / 32 * (kTopKWarpBytes + 12) + (kTopKMerged - kTopKThreads) * rank_bytes +
           top_k_shared_bytes(rank_bytes) + 16;
}
/// The greatest k of a segment: numbers of 32 bits count the candidates, up to twice as many.
inline constexpr std::uint64_t kMostOfSegment = std::uint64_t{1} << 30;

/// What the blocks exchange. All of it is zero when they first add to it.
struct TopKControl {
    std::uint64_t bins[3][kTopKBins];            ///< in turns: one is read, the next one added to, the third one zeroed
    std::uint32_t tickets[2][kTopKTickets][32];  ///< of each collection; lines of their own
    std::uint32_t counts[4];                     ///< of the candidates of each collection
};

}  // namespace kogge::grid
