// How a tile learns its carry, the fold of all earlier tiles: on-chip reduce-then-scan across the grid.
//
// Blocks draw tiles in ascending order from a counter (a ticket). A block reduces the tile that it holds on chip,
// publishes the aggregate, folds the aggregates of all earlier tiles into the tile's carry, and finishes the tile,
// which is still on chip. A tile waits for aggregates only, never for another tile's carry. An aggregate depends on its
// own tile alone, so there is no chain.
//
// Progress: all earlier tickets are held by blocks that run, and a block publishes its aggregates in order and before
// it waits. So any number of resident blocks finishes; blocks need not be co-resident.
//
// The fold's association depends on tile numbers alone. 32 tiles form a super-tile, which folds as a warp scan does. A
// carry is ((S0 ⊕ S1) ⊕ …) ⊕ (the fold of the earlier tiles of the same super-tile), S being super-tiles. So the result
// does not depend on the schedule, for floating point either.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/block/scan.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/tile_scratch.hpp"

namespace kogge::grid::KOGGE_CODE {

using block::append;

/// Tiles per super-tile: their aggregates are folded by one warp before they enter a carry.
inline constexpr int kGroupTiles = 32;
static_assert(kGroupTiles == simt::kWarpSize);

/// A number of items that the host knows, or that the kernel reads from the device.
struct Count {
    std::uint64_t host = 0;  ///< the number, or its bound when `device` is set
    const std::uint64_t* device = nullptr;
    std::uint64_t divisor = 1;  ///< the count is of batches of `divisor` items, the last of which may be partial

    KOGGE_DEVICE std::uint64_t get() const {
        std::uint64_t n = host;
        if (device && *device < n) n = *device;
        return divisor == 1 ? n : (n + divisor - 1) / divisor;  // a division takes as long as a load
    }
};

/// A count of items as it travels between blocks: 63 bits, so that count and flag share one word.
struct Tally {
    std::uint64_t value;
};
struct AddTallies {
    KOGGE_DEVICE Tally operator()(Tally a, Tally b) const { return {a.value + b.value}; }
};
/// Slots through which blocks pass values to each other, each of them once. All words are zero before the kernel
/// starts.
///
/// A value of at most 32 bytes travels in 64-bit words that hold 32 bits of it and a flag each. Every word is complete
/// as soon as it is seen, and the order of the words does not matter. A larger value is written first and flagged
/// afterwards.
template <class T>
struct Slots {
    static constexpr bool kTally = std::is_same_v<T, Tally>;
    static constexpr int kWords = kTally ? 1 : slot_words(sizeof(T));
    static constexpr bool kSplit = !kTally && slot_is_split(sizeof(T));
    static constexpr std::uint64_t kFlag = std::uint64_t{1} << (kTally ? 63 : 32);

    std::uint64_t* words = nullptr;
    T* values = nullptr;  ///< only for large values
    /// Whether acquiring a value makes the publisher's earlier accesses visible. Needed where a value also permits
    /// other blocks to write where the tile's items stood. Large values are always ordered.
    bool ordered = false;

    /// A slot's content at one moment. A word without flag is not published yet.
    struct Look {
        std::uint64_t word[std::size_t{kWords}];
        KOGGE_DEVICE bool complete() const {
            bool complete = true;
            KOGGE_UNROLL
            for (int i = 0; i < kWords; ++i) complete = complete && word[i] != 0;
            return complete;
        }
    };

    KOGGE_DEVICE void publish(std::uint64_t slot, const T& value) const {
        std::uint64_t* const at = words + slot * kWords;
        if (ordered) simt::fence_device();
        if constexpr (kSplit) {
            std::uint32_t bits[kWords] = {};
            std::memcpy(bits, &value, sizeof(T));
            KOGGE_UNROLL
            for (int i = 0; i < kWords; ++i) simt::store_relaxed(at + i, kFlag | bits[i]);
        } else if constexpr (kTally) {
            simt::store_relaxed(at, kFlag | value.value);
        } else {
            values[slot] = value;
            simt::store_release(at, kFlag);
        }
    }
    KOGGE_DEVICE Look look(std::uint64_t slot) const {
        Look look;
        KOGGE_UNROLL
        for (int i = 0; i < kWords; ++i) {
            if constexpr (kSplit || kTally) look.word[i] = simt::load_relaxed(words + slot * kWords + i);
            else look.word[i] = simt::load_acquire(words + slot * kWords + i);
        }
        return look;
    }
    /// The value of a slot whose `seen` is complete.
    KOGGE_DEVICE T value(std::uint64_t slot, const Look& seen) const {
        if constexpr (kSplit) {
            std::uint32_t bits[kWords];
            KOGGE_UNROLL
            for (int i = 0; i < kWords; ++i) bits[i] = static_cast<std::uint32_t>(seen.word[i]);
            T value;
            std::memcpy(&value, bits, sizeof(T));
            return value;
        } else if constexpr (kTally) {
            return {seen.word[0] & ~kFlag};
        } else {
            return values[slot];
        }
    }
    /// Call after the last wait. Makes the publishers' earlier accesses visible if the slots are ordered.
    KOGGE_DEVICE void acquire() const {
        if (ordered) simt::fence_device();
    }
};

/// The tile status that the blocks of one on-chip launch share. `ticket` and the slots' words are zero before the
/// launch. If `ticket` is null, the blocks take tiles in turn (round robin) and zero the words themselves.
template <class T>
struct Board {
    std::uint32_t* ticket = nullptr;
    Slots<T> tiles;
};

template <class T>
Board<T> make_board(const BoardMemory& memory, bool zeroed = true, bool ordered = false) {
    return {zeroed ? memory.ticket : nullptr, {memory.words, static_cast<T*>(memory.values), ordered}};
}

/// The carries of one block's tiles, which come in ascending order. One warp owns it; all its lanes make every call.
template <class T, class Op>
class CarryFold {
public:
    /// `start` precedes the first tile.
    KOGGE_DEVICE CarryFold(const Slots<T>& slots, Op op, const Carry<T>& start)
        : slots_(slots), op_(op), prefix_(start) {}

    /// The fold of everything before the tile. Waits for the aggregates since the block's previous tile.
    KOGGE_DEVICE Carry<T> before(std::uint64_t tile) {
        const std::uint64_t group = tile / kGroupTiles;
        const int place = static_cast<int>(tile % kGroupTiles), lane = simt::lane();
        T own{};  // the fold of the earlier tiles of the tile's own super-tile
        for (bool last = false; !last;) {
            const int groups = group - folded_ < kBatch ? static_cast<int>(group - folded_) : kBatch;
            last = folded_ + static_cast<std::uint64_t>(groups) == group;
            // A batch is up to kBatch whole super-tiles, and in the last batch also the earlier tiles of the tile's
            // own. All loads are in flight before the first wait.
            int active[kBatch + 1];
            std::uint64_t slot[kBatch + 1];
            KOGGE_UNROLL
            for (int i = 0; i <= kBatch; ++i) {
                active[i] = i < groups ? kGroupTiles : i == kBatch && last ? place : 0;
                slot[i] = (i < kBatch ? folded_ + static_cast<std::uint64_t>(i) : group) * kGroupTiles +
                          static_cast<std::uint64_t>(lane);
            }
            typename Slots<T>::Look looks[kBatch + 1] = {};
            KOGGE_UNROLL
            for (int i = 0; i <= kBatch; ++i)
                if (lane < active[i]) looks[i] = slots_.look(slot[i]);
            // The lanes wait together, because lanes that polled separately would be serialised.
            for (;;) {
                bool complete = true;
                KOGGE_UNROLL
                for (int i = 0; i <= kBatch; ++i) complete = complete && (lane >= active[i] || looks[i].complete());
                if (simt::all(complete)) break;
                simt::poll_pause();
                KOGGE_UNROLL
                for (int i = 0; i <= kBatch; ++i)
                    if (lane < active[i] && !looks[i].complete()) looks[i] = slots_.look(slot[i]);
            }
            T values[kBatch + 1] = {};
            KOGGE_UNROLL
            for (int i = 0; i <= kBatch; ++i)
                if (lane < active[i]) values[i] = slots_.value(slot[i], looks[i]);
            fold_each(values, active);
            KOGGE_UNROLL
            for (int i = 0; i < kBatch; ++i)
                if (i < groups) prefix_ = append(prefix_, values[i], op_);
            own = values[kBatch];
            folded_ += static_cast<std::uint64_t>(groups);
        }
        slots_.acquire();
        return place > 0 ? append(prefix_, own, op_) : prefix_;
    }

private:
    // As many super-tiles as lie between two tiles of one block on a large device.
    static constexpr int kBatch = sizeof(T) <= 8 ? 5 : 2;

    KOGGE_DEVICE void fold_each(T (&values)[std::size_t{kBatch + 1}],
                                const int (&active)[std::size_t{kBatch + 1}]) const {
        if constexpr (std::is_same_v<T, Tally>) {
            // The sum of a super-tile fits 32 bits.
            std::uint32_t counts[kBatch + 1];
            KOGGE_UNROLL
            for (int i = 0; i <= kBatch; ++i) counts[i] = static_cast<std::uint32_t>(values[i].value);
            warp::fold_each(counts, active, plus{});
            KOGGE_UNROLL
            for (int i = 0; i <= kBatch; ++i) values[i].value = counts[i];
        } else {
            warp::fold_each(values, active, op_);
        }
    }

    Slots<T> slots_;
    Op op_;
    Carry<T> prefix_;  ///< the start and the super-tiles before `folded_`
    std::uint64_t folded_ = 0;
};

}  // namespace kogge::grid::KOGGE_CODE
