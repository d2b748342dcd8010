// How a tile learns what came before it: the on-chip reduce-then-scan of the grid.
//
// Blocks draw tiles from a counter (a ticket), in order. A block reduces the tile that it holds on chip, publishes the
// aggregate, folds the aggregates published before it into the tile's carry, and finishes the tile that it still holds.
// Nobody waits for a carry of somebody else, only for aggregates, and those depend on nothing: there is no chain.
//
// Progress: a ticket's earlier tickets are all held by blocks that run, and a block publishes its aggregates in order and
// before it waits, so any number of resident blocks finishes; nothing has to be co-resident.
//
// The fold's association depends on tile numbers alone: tiles form groups of 32, a group folds as a warp scan does, and a
// carry is ((G0 ⊕ G1) ⊕ …) ⊕ (the fold of the tile's own group up to the tile). So the result is the same whichever block
// did what when, floating point included.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kogge/plan.hpp"
#include "kogge/prebuilt.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid {

static_assert(kGroupTiles == simt::kWarpSize);

/// A number of items that the kernel reads from the device, or gets from the host.
struct Count {
    std::uint64_t host = 0;                  ///< the number, or its bound when `device` is set
    const std::uint64_t* device = nullptr;
    std::uint64_t divisor = 1;               ///< counts groups of so many items, the last one may be partial

    KOGGE_DEVICE std::uint64_t get() const {
        std::uint64_t n = host;
        if (device && *device < n) n = *device;
        return (n + divisor - 1) / divisor;
    }
};

/// A count of items on its way between blocks: 63 bits, so that it fits one word with its flag.
struct Tally {
    std::uint64_t value;
};
struct AddTallies {
    KOGGE_DEVICE Tally operator()(Tally a, Tally b) const { return {a.value + b.value}; }
};

/// Slots through which blocks hand values to each other, once each. All words are zero before the kernel starts.
///
/// A value of up to 32 bytes travels in 64-bit words that each hold 32 bits of it and a flag, so that every word is
/// complete as soon as it is seen and no order between words matters. Larger values are written first and flagged after.
template <class T>
struct Slots {
    static constexpr bool kTally = std::is_same_v<T, Tally>;
    static constexpr int kWords = kTally ? 1 : slot_words(sizeof(T));
    static constexpr bool kSplit = !kTally && slot_is_split(sizeof(T));
    static constexpr std::uint64_t kFlag = std::uint64_t{1} << (kTally ? 63 : 32);

    std::uint64_t* words = nullptr;
    T* values = nullptr;   ///< only for large values
    /// Whether what the publisher did before is visible to whoever acquires: needed where a value also says that others may
    /// write where the tile's items stood. Large values are always ordered.
    bool ordered = false;

    /// What a slot holds at one moment; a word without flag: nothing yet.
    struct Look {
        std::uint64_t word[kWords];
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
    /// The value of a slot, given the latest look at it; waits for it.
    KOGGE_DEVICE T wait(std::uint64_t slot, Look seen) const {
        for (; !seen.complete(); seen = look(slot)) simt::poll_pause();
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
    /// After the last wait: what the publishers did before is visible, if the slots are ordered.
    KOGGE_DEVICE void acquire() const {
        if (ordered) simt::fence_device();
    }
};

/// What the blocks of one on-chip launch share. `ticket` and the slots' words are zero before it starts.
template <class T>
struct Board {
    std::uint32_t* ticket = nullptr;
    Slots<T> tiles;
};

template <class T>
Board<T> make_board(const BoardMemory& memory, bool ordered = false) {
    return {memory.ticket, {memory.words, static_cast<T*>(memory.values), ordered}};
}

/// The carries of one block's tiles, which come in ascending order. One warp owns it and makes every call with all lanes.
template <class T, class Op>
class CarryFold {
public:
    /// `start` enters before the first tile.
    KOGGE_DEVICE CarryFold(const Slots<T>& slots, Op op, const Carry<T>& start) : slots_(slots), op_(op), prefix_(start) {}

    /// The fold of everything before the tile; waits for the aggregates since the block's previous tile.
    KOGGE_DEVICE Carry<T> before(std::uint64_t tile) {
        const std::uint64_t group = tile / kGroupTiles;
        const int place = static_cast<int>(tile % kGroupTiles);
        const int lane = simt::lane();

        // All looks of a batch are in flight before the first is waited for.
        constexpr int batch = sizeof(T) <= 8 ? 4 : 1;
        while (folded_ < group) {
            typename Slots<T>::Look looks[batch];
            KOGGE_UNROLL
            for (int i = 0; i < batch; ++i)
                if (folded_ + i < group) looks[i] = slots_.look((folded_ + i) * kGroupTiles + lane);
            KOGGE_UNROLL
            for (int i = 0; i < batch; ++i) {
                if (folded_ + i < group) {
                    T value = slots_.wait((folded_ + i) * kGroupTiles + lane, looks[i]);
                    value = warp::inclusive_scan(value, kGroupTiles, op_);
                    prefix_ = append(prefix_, simt::shuffle(value, kGroupTiles - 1));
                }
            }
            folded_ = folded_ + batch < group ? folded_ + batch : group;
        }
        T own{};
        if (lane < place) own = slots_.wait(tile - place + lane, slots_.look(tile - place + lane));
        slots_.acquire();
        if (place == 0) return prefix_;
        own = warp::inclusive_scan(own, place, op_);
        return append(prefix_, simt::shuffle(own, place - 1));
    }

private:
    KOGGE_DEVICE Carry<T> append(const Carry<T>& carry, const T& value) const {
        return {carry.present ? static_cast<T>(op_(carry.value, value)) : value, true};
    }

    Slots<T> slots_;
    Op op_;
    Carry<T> prefix_;             ///< the start and the groups before `folded_`
    std::uint64_t folded_ = 0;
};

}  // namespace kogge::grid
