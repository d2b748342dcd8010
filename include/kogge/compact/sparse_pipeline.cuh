// Compaction by flags where few items are kept, as the work of a pipeline whose tiles hold the flags alone. Once a warp
// has its carry, it lists its kept items on chip, and its lanes copy them side by side from input to output. Items are
// read only in 32-byte sectors that hold a kept one.
#pragma once

#include <cstdint>

#include "kogge/compact/byte_flags.cuh"
#include "kogge/compact/problem.cuh"
#include "kogge/compact/warp_compact.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/pipeline.cuh"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The input is not the output.
template <class Gathered>
struct GatherWork {
    using Item = std::uint8_t;
    using Acc = Tally;
    using Op = AddTallies;
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kPiece = 16;
    static constexpr int kRows = kItems / kPiece;
    using Saved = KeptBits<kRows, kPiece>;

    const std::uint8_t* in;  ///< the flags
    Count n;
    Op op;
    Carry<Acc> start;
    CompactProblem<Gathered, ByFlag> problem;

    KOGGE_HOST_DEVICE explicit GatherWork(const CompactProblem<Gathered, ByFlag>& all)
        : in(all.keep.flags), n(all.n), op{}, start{}, problem(all) {}

    KOGGE_DEVICE Acc reduce(const Stretch<Item>& own, Saved& saved) const {
        saved = {};
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) {
            Flags<kPiece> flags;
            flags.read(own.items + place(r), own.count - place(r));
            saved.set_piece(r, flags.bits());
        }
        return {saved.count_warp()};
    }

    KOGGE_DEVICE bool finish(const Stretch<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const std::uint32_t kept = saved.count_warp();
        if (kept == 0) return false;
        std::uint32_t before[kRows];
        rank_kept(saved, before);
        // The flags are in registers. If more items are kept than the list has room for, it is filled again.
        auto* const list = reinterpret_cast<std::uint16_t*>(own.items);
        const Gathered* const from = problem.in + own.base;
        Gathered* const to = problem.kept + (carry.present ? carry.value.value : 0);
        for (std::uint32_t first = 0; first < kept; first += kRoom) {
            simt::sync_warp();  // the list has been read
            KOGGE_UNROLL
            for (int r = 0; r < kRows; ++r) {
                std::uint32_t rank = before[r] - first;  // wraps to a large number for an earlier item
                for (std::uint32_t bits = saved.piece(r); bits != 0; bits &= bits - 1, ++rank)
                    if (rank < kRoom) list[rank] = static_cast<std::uint16_t>(place(r) + simt::lowest_bit(bits));
            }
            simt::sync_warp();  // the list is written
            gather(list, kept - first < kRoom ? kept - first : kRoom, from, to + first);
        }
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.present ? all.value.value : 0; }

private:
    static constexpr std::uint32_t kRoom = kItems * simt::kWarpSize / sizeof(std::uint16_t);

    KOGGE_DEVICE static int place(int row) { return (row * simt::kWarpSize + simt::lane()) * kPiece; }

    KOGGE_DEVICE static void gather(const std::uint16_t* list, std::uint32_t count, const Gathered* from,
                                    Gathered* to) {
        constexpr std::uint32_t batch = 4;  // loads in flight
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::lane()); i < count; i += batch * simt::kWarpSize) {
            Gathered items[batch];
            KOGGE_UNROLL
            for (std::uint32_t u = 0; u < batch; ++u)
                if (i + u * simt::kWarpSize < count) items[u] = from[list[i + u * simt::kWarpSize]];
            KOGGE_UNROLL
            for (std::uint32_t u = 0; u < batch; ++u)
                if (i + u * simt::kWarpSize < count) to[i + u * simt::kWarpSize] = items[u];
        }
    }
};

}  // namespace kogge::grid::KOGGE_CODE
