// Compaction where items are not held on chip, as the work of a pipeline whose tiles hold flags alone. Once a warp has
// its carry, it lists its kept items on chip, and its lanes copy them side by side from input to output.
//
// Byte flags, where few items are kept: items are read only in 32-byte sectors that hold a kept one. And positions,
// which are not read at all: 1 byte of flags per item is, or the bit of a mask, or what another decision reads; each
// result is written once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/compact/byte_flags.cuh"
#include "kogge/compact/problem.cuh"
#include "kogge/compact/warp_compact.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/pipeline.cuh"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// A decision as byte flags, which the workers of a pipeline make.
template <class Keep, class In>
struct MadeFlags {
    Keep keep;
    In in;
    KOGGE_DEVICE std::uint8_t operator[](std::uint64_t i) const { return keep(i, in[i]) ? 1 : 0; }
};

/// Whether only kept items are read: byte flags decide, or there is nothing to read.
template <class Keep, class In>
inline constexpr bool kGathers = std::is_same_v<Keep, ByFlag>;
template <class Keep, class Index>
inline constexpr bool kGathers<Keep, detail::Positions<Index>> = true;
template <class Keep>
inline constexpr bool kGathers<Keep, positions> = true;

/// The input is not the output.
template <class Gathered, class Keep = ByFlag, class In = const Gathered*, class Out = Gathered*>
struct GatherWork {
    using Item = std::uint8_t;
    using Acc = Tally;
    using Op = AddTallies;
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kPiece = 16;
    static constexpr int kRows = kItems / kPiece;
    using Saved = KeptBits<kRows, kPiece>;

    using Flagging = std::conditional_t<std::is_same_v<Keep, ByFlag>, const std::uint8_t*, MadeFlags<Keep, In>>;

    Flagging in;  ///< the flags
    Count n;
    Op op;
    Carry<Acc> start;
    CompactProblem<Gathered, Keep, In, Out> problem;

    KOGGE_HOST_DEVICE explicit GatherWork(const CompactProblem<Gathered, Keep, In, Out>& all)
        : in(flags_of(all)), n(all.n), op{}, start{}, problem(all) {}

    /// Bits are not loaded: a lane reads the half words of its pieces when it reduces the tile.
    KOGGE_DEVICE void load(std::uint64_t, int, int, unsigned char*,
                           simt::TransactionBarrier& full) const requires std::is_same_v<Keep, ByMask> {
        full.arrive();
    }

    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved) const {
        saved = {};
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) {
            if constexpr (std::is_same_v<Keep, ByMask>) {
                const int left = own.count - place(r);
                const std::uint64_t at = own.base + static_cast<std::uint64_t>(place(r));
                if (left > 0)
                    saved.set_piece(
                        r, problem.keep.words[at / 32] >> at % 32 & (left < kPiece ? (1u << left) - 1 : 0xffffu));
            } else {
                Flags<kPiece> flags;
                flags.read(own.items + place(r), own.count - place(r));
                saved.set_piece(r, flags.bits());
            }
        }
        return {saved.count_warp()};
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const std::uint32_t kept = saved.count_warp();
        if (kept == 0) return false;
        std::uint32_t before[kRows];
        rank_kept(saved, before);
        // The flags are in registers. If more items are kept than the list has room for, it is filled again.
        auto* const list = reinterpret_cast<std::uint16_t*>(own.items);
        const auto from = detail::input_from(problem.in, own.base);
        const Out to = problem.kept + (carry.present ? carry.value.value : 0);
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

    KOGGE_HOST_DEVICE static Flagging flags_of(const CompactProblem<Gathered, Keep, In, Out>& all) {
        if constexpr (std::is_same_v<Keep, ByFlag>) return all.keep.flags;
        else return {all.keep, all.in};
    }
    KOGGE_DEVICE static int place(int row) { return (row * simt::kWarpSize + simt::lane()) * kPiece; }

    template <class From>
    KOGGE_DEVICE static void gather(const std::uint16_t* list, std::uint32_t count, const From& from, const Out& to) {
        constexpr std::uint32_t batch = 4;  // loads in flight
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::lane()); i < count; i += batch * simt::kWarpSize) {
            Gathered items[batch];
            KOGGE_UNROLL
            for (std::uint32_t u = 0; u < batch; ++u)
                if (i + u * simt::kWarpSize < count) items[u] = from[list[i + u * simt::kWarpSize]];
            KOGGE_UNROLL
            for (std::uint32_t u = 0; u < batch; ++u)
                if (i + u * simt::kWarpSize < count) detail::put_item(to, i + u * simt::kWarpSize, items[u]);
        }
    }
};

}  // namespace kogge::grid::KOGGE_CODE
