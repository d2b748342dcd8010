// The shapes of top-k selections that plans and kernels share. top_k/README.md explains the steps: a threshold, one
// read that collects the candidates up to it, and their order. A chunk is 16 bytes of keys; a rank is a key's code with
// its index below it.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kogge/simt/config.hpp"

namespace kogge::grid {

inline constexpr int kTopKThreads = 512;
inline constexpr int kTopKBlocks = 2;  ///< per multiprocessor
/// Chunks that a thread holds in registers. An input that all threads hold together is loaded once, before the
/// threshold is known.
inline constexpr int kTopKChunks = 8;
/// Chunks that a thread loads at a time of a longer input, after the threshold is known.
inline constexpr int kTopKStreamed = 4;
/// The bytes of keys that a block's threads hold.
inline constexpr std::uint64_t kTopKBlockBytes = std::uint64_t{kTopKThreads} * kTopKChunks * 16;

/// Threads form groups, and only the least rank that a group has read is known to others. The threshold is one of these
/// ranks. Each block's number of groups is such that there are at least kTopKGroups in all. Where there are more,
/// several count as one, so that at most kTopKGroups are compared (top_k/threshold.cuh).
inline constexpr std::uint64_t kTopKGroups = 128;

/// Which of `groups` least ranks is the threshold, counted from 1; more than `groups`: there is none.
KOGGE_HOST_DEVICE std::uint64_t threshold_place(std::uint64_t k, std::uint64_t n, std::uint64_t sampled, int groups) {
    if (sampled == 0) return k;
    // Of the sample, x items are among the k first ones on average. If r items of it lie in so many groups at random,
    // some share one.
    const float x = static_cast<float>(k) * static_cast<float>(sampled) / static_cast<float>(n);
    const float r = x + 6 * std::sqrt(x) + 8, all = static_cast<float>(groups);
    return static_cast<std::uint64_t>(all * r / (all + r / 2)) + 1;
}

inline constexpr std::uint64_t kTopKPlaces = std::uint64_t{1} << 16;  ///< candidates that the list has room for
inline constexpr int kTopKBins = 2048;                                ///< of a round of counting (top_k/narrow.cuh)
inline constexpr int kTopKCompared = 4;           ///< candidates whose places a warp finds at a time
inline constexpr std::uint64_t kTopKTickets = 8;  ///< counters of tickets, each for some blocks
inline constexpr int kTopKSamples = 3;            ///< chunks per thread of the sample, at most
inline constexpr std::uint64_t kMostSelected = std::uint64_t{1} << 14;  ///< the greatest k; others sort (try_select)

/// A rank has 8 bytes if 4 are enough for the code and for the index, and else 16.
constexpr std::size_t top_k_rank_bytes(std::size_t key_bytes, std::uint64_t n) {
    return key_bytes <= 4 && n < std::uint64_t{1} << 32 ? 8 : 16;
}
/// What TopKShared takes (top_k/kernel.cuh): a rank per thread, the bins, a scan's totals and places per warp, bounds.
constexpr std::size_t top_k_shared_bytes(std::size_t rank_bytes) {
    return std::size_t{kTopKThreads} * rank_bytes + std::size_t{kTopKBins} * 4 +
           std::size_t{kTopKThreads} / 32 * (8 + std::size_t{kTopKCompared} * 4 + rank_bytes) + 4 * rank_bytes + 48;
}

/// A cluster's (top_k/cluster.cuh): that, the groups of all blocks, the candidates and their number.
inline constexpr std::size_t kTopKClusterPlaces = 2048;
constexpr std::size_t top_k_cluster_shared_bytes(std::size_t rank_bytes) {
    return top_k_shared_bytes(rank_bytes) + (kTopKThreads + kTopKClusterPlaces) * rank_bytes + 16;
}

/// Segments (top_k/segments.cuh): the bytes of shared memory in which a warp lists ranks, 512 of 8 bytes. It takes as
/// many keys at a time as the list has places. Of kTopKFew ranks, or 1.5 k, it compares each with each.
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
/// The greatest k of a segment: a block without lists has room for 2 k candidates, which are counted in 32 bits.
inline constexpr std::uint64_t kMostOfSegment = std::uint64_t{1} << 30;

/// What the blocks exchange in global memory. Counters are zeroed before any block adds to them. A selection collects
/// candidates once, and once more if those were too few or too many, with counters of its own.
struct TopKControl {
    std::uint64_t bins[3][kTopKBins];            ///< in turns: one is read, the next one added to, the third one zeroed
    std::uint32_t tickets[2][kTopKTickets][32];  ///< of each collection; lines of their own
    std::uint32_t counts[4];                     ///< candidates of each collection, of which there are at most two
};

}  // namespace kogge::grid
