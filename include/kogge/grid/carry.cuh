// How a tile learns what came before it: the on-chip reduce-then-scan of the grid.
//
// Blocks draw tiles from a counter (a ticket), in order. A block reduces the tile that it holds on chip, publishes the
// aggregate, folds the aggregates published before it into the tile's carry, and finishes the tile that it still holds.
// Nobody waits for a carry of somebody else, only for aggregates, and those depend on nothing: there is no chain.
//
// Progress: a ticket's earlier tickets are all held by blocks that run, and a block publishes its aggregate before it
// waits, so any number of resident blocks finishes; nothing has to be co-resident.
//
// The fold's association depends on tile numbers alone. Tiles form groups of 32; a group's aggregate is the warp scan
// of its tiles', and a carry is ((G0 ⊕ G1) ⊕ …) ⊕ (the fold of the tile's own group up to the tile). So the result is
// the same whichever block did what when, floating point included.
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
/// Small values travel with their flag in one 64-bit word; others are written first and flagged after.
/// What a block did before publish, and a block barrier before that, is visible to whoever got the value from wait.
template <class T>
struct Slots {
    static constexpr bool kTally = std::is_same_v<T, Tally>;
    static constexpr bool kPacked = slot_is_packed(sizeof(T)) || kTally;
    static constexpr std::uint64_t kFlag = kTally ? std::uint64_t{1} << 63 : std::uint64_t{1} << 32;
    using Word = std::conditional_t<kPacked, std::uint64_t, std::uint32_t>;

    Word* words = nullptr;
    T* values = nullptr;  ///< not used when packed

    KOGGE_DEVICE void publish(std::uint64_t slot, const T& value) const {
        if constexpr (kPacked) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &value, sizeof(T));
            simt::store_release(words + slot, kFlag | bits);
        } else {
            values[slot] = value;
            simt::store_release(words + slot, 1u);
        }
    }
    KOGGE_DEVICE T wait(std::uint64_t slot) const {
        Word word;
        while ((word = simt::load_acquire(words + slot)) == 0) simt::poll_pause();
        if constexpr (kPacked) {
            const std::uint64_t bits = word & ~kFlag;
            T value;
            std::memcpy(&value, &bits, sizeof(T));
            return value;
        } else {
            return values[slot];
        }
    }
};

/// What the blocks of one on-chip launch share. `ticket` and the slots' words are zero before it starts.
template <class T>
struct Board {
    std::uint32_t* ticket = nullptr;
    Slots<T> tiles;
    Slots<T> groups;
};

/// The carry of one block's tiles. One warp of the block owns it; every call is made by all of its lanes.
template <class T, class Op>
class CarryFold {
public:
    /// `start` enters before the first tile.
    KOGGE_DEVICE CarryFold(const Board<T>& board, Op op, const Carry<T>& start) : board_(board), op_(op), prefix_(start) {}

    /// Publishes the tile's aggregate and returns the fold of everything before the tile. The tiles of one block come
    /// in ascending order.
    KOGGE_DEVICE Carry<T> exchange(std::uint64_t tile, const T& aggregate) {
        const int lane = simt::lane();
        const std::uint64_t group = tile / kGroupTiles;
        const int place = static_cast<int>(tile % kGroupTiles);
        if (lane == 0) board_.tiles.publish(tile, aggregate);

        T own = aggregate;
        if (lane < place) own = board_.tiles.wait(tile - place + lane);
        own = warp::inclusive_scan(own, place, op_);
        if (place > 0) own = simt::shuffle(own, place - 1);  // the fold of the group's tiles before this one
        if (place == kGroupTiles - 1 && lane == 0) board_.groups.publish(group, static_cast<T>(op_(own, aggregate)));

        while (folded_ < group) {
            const int batch = group - folded_ < kGroupTiles ? static_cast<int>(group - folded_) : kGroupTiles;
            T earlier = aggregate;
            if (lane < batch) earlier = board_.groups.wait(folded_ + lane);
            for (int i = 0; i < batch; ++i) append(simt::shuffle(earlier, i));
            folded_ += batch;
        }
        Carry<T> carry = prefix_;
        if (place > 0) {
            carry.value = carry.present ? static_cast<T>(op_(carry.value, own)) : own;
            carry.present = true;
        }
        return carry;
    }

private:
    KOGGE_DEVICE void append(const T& value) {
        prefix_.value = prefix_.present ? static_cast<T>(op_(prefix_.value, value)) : value;
        prefix_.present = true;
    }

    Board<T> board_;
    Op op_;
    Carry<T> prefix_;             ///< the start and the groups before `folded_`
    std::uint64_t folded_ = 0;
};

}  // namespace kogge::grid
