// The keys as the blocks of a team read them: in chunks of 16 bytes, of which a thread holds a batch, and the few
// ragged items before the first chunk and after the last one.
//
// Neighbouring warps' stretches of 32 chunks go to neighbouring blocks, so that short inputs reach all blocks.
#pragma once

#include <cstdint>
#include <cstring>

#include "kogge/block/tile.cuh"
#include "kogge/engine/wave.cuh"
#include "kogge/top_k/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The blocks that select together: all of the launch.
struct GridTeam {
    static constexpr bool kIsBlock = false;
    KOGGE_DEVICE std::uint64_t blocks() const { return simt::grid_size(); }
    KOGGE_DEVICE std::uint64_t block() const { return simt::block_rank(); }
    /// Threads before this one, of all blocks; neighbouring threads are of one block.
    KOGGE_DEVICE std::uint64_t thread() const {
        return block() * kTopKThreads + static_cast<std::uint64_t>(simt::thread_rank());
    }
    KOGGE_DEVICE std::uint64_t threads() const { return blocks() * kTopKThreads; }
    /// What any of their threads wrote before it, all see behind it. All threads call.
    KOGGE_DEVICE void sync() const { sync_wave(); }
};

/// A block that selects alone.
struct BlockTeam {
    static constexpr bool kIsBlock = true;
    KOGGE_DEVICE std::uint64_t blocks() const { return 1; }
    KOGGE_DEVICE std::uint64_t block() const { return 0; }
    KOGGE_DEVICE std::uint64_t thread() const { return static_cast<std::uint64_t>(simt::thread_rank()); }
    KOGGE_DEVICE std::uint64_t threads() const { return kTopKThreads; }
    KOGGE_DEVICE void sync() const { simt::sync_block(); }
};

template <class Key>
struct TopKInput {
    static constexpr int kEach = static_cast<int>(sizeof(block::Chunk) / sizeof(Key));  ///< items of a chunk
    const Key* keys;
    std::uint64_t n;
    std::uint64_t chunks;
    std::uint64_t head;  ///< items before the first chunk

    KOGGE_DEVICE TopKInput(const Key* of_keys, std::uint64_t count) : keys(of_keys), n(count) {
        const std::uint64_t past = reinterpret_cast<std::uintptr_t>(keys) % sizeof(block::Chunk);
        head = past > 0 ? (sizeof(block::Chunk) - past) / sizeof(Key) : 0;
        if (head > n) head = n;
        chunks = (n - head) / kEach;
    }
    KOGGE_DEVICE block::Chunk load(std::uint64_t chunk) const {
        return reinterpret_cast<const block::Chunk*>(keys + head)[chunk];
    }
    KOGGE_DEVICE std::uint64_t index_of(std::uint64_t chunk, int item) const {
        return head + chunk * kEach + static_cast<std::uint64_t>(item);
    }
    /// Calls use(whether there is an item, its index) in all lanes of one warp of the team, for the ragged items.
    template <class Team, class Use>
    KOGGE_DEVICE void for_ragged(const Team& team, const Use& use) const {
        static_assert(2 * (kEach - 1) <= simt::kWarpSize);
        if (team.block() > 0 || simt::warp_rank() > 0) return;
        const std::uint64_t whole = chunks * kEach, ragged = n - whole, i = static_cast<std::uint64_t>(simt::lane());
        if (ragged > 0) use(i < ragged, i < head ? i : whole + i);
    }
};

template <class Key>
KOGGE_DEVICE void unpack(const block::Chunk& chunk, Key (&items)[std::size_t{TopKInput<Key>::kEach}]) {
    std::memcpy(items, &chunk, sizeof(chunk));
}

/// The chunks that a thread holds: number j is `from` + j × step, if there are so many.
template <class Key, int count>
struct TopKBatch {
    static constexpr int kChunks = count;
    block::Chunk chunk[std::size_t{kChunks}];
    std::uint64_t from;
    std::uint64_t step;

    template <class Team>
    KOGGE_DEVICE explicit TopKBatch(const Team& team)
        : from((static_cast<std::uint64_t>(simt::warp_rank()) * team.blocks() + team.block()) * simt::kWarpSize +
               static_cast<std::uint64_t>(simt::lane())),
          step(team.threads()) {}
    KOGGE_DEVICE std::uint64_t at(int j) const { return from + static_cast<std::uint64_t>(j) * step; }
    /// Whether any lane of the warp has a chunk of number j, or later.
    KOGGE_DEVICE bool any(const TopKInput<Key>& in, int j = 0) const {
        return at(j) - static_cast<std::uint64_t>(simt::lane()) < in.chunks;
    }
    KOGGE_DEVICE void next() { from += kChunks * step; }
    /// The batch of a round, of all warps of the team, and of one of these warps.
    KOGGE_DEVICE void move_to(std::uint64_t round, std::uint32_t warp) {
        from =
            round * kChunks * step + std::uint64_t{warp} * simt::kWarpSize + static_cast<std::uint64_t>(simt::lane());
    }
    KOGGE_DEVICE void load(const TopKInput<Key>& in) {
        if (at(kChunks - 1) < in.chunks) {
            KOGGE_UNROLL
            for (int j = 0; j < kChunks; ++j) chunk[j] = in.load(at(j));
        } else {
            KOGGE_UNROLL
            for (int j = 0; j < kChunks; ++j) chunk[j] = at(j) < in.chunks ? in.load(at(j)) : block::Chunk{};
        }
    }
    /// A bit per chunk that there is.
    KOGGE_DEVICE std::uint32_t present(const TopKInput<Key>& in) const {
        constexpr std::uint32_t all = (1u << kChunks) - 1;
        if (at(kChunks - 1) < in.chunks) return all;
        std::uint32_t bits = 0;
        KOGGE_UNROLL
        for (int j = 0; j < kChunks; ++j) bits |= (at(j) < in.chunks ? 1u : 0u) << j;
        return bits;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
