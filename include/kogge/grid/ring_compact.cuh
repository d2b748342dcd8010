// Compaction and two-way partition as the work of a ring: the aggregate of a tile is the number of its items that are kept.
//
// A warp decides about its stretch in rows, one item a lane (four bytes of smaller ones), so that ballots rank the kept
// items of a row and shared memory is read and written without bank conflicts. Once the carry is known the stretch is packed
// where it lies, kept items first, and leaves as one straight run a side. Every item is read once, every result written once.
#pragma once

#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/grid/compact_problem.cuh"
#include "kogge/grid/ring.cuh"

namespace kogge::grid {

template <class Item_, class Keep>
struct CompactWork {
    using Item = Item_;
    using Acc = Tally;
    using Op = AddTallies;
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kPack = sizeof(Item) < 4 ? static_cast<int>(4 / sizeof(Item)) : 1;  ///< items a lane and row
    static constexpr int kRows = kItems / kPack;
    static constexpr int kWords = (kItems + 31) / 32;
    using Pack = block::Piece<Item, kPack>;

    struct Saved {
        std::uint32_t kept[kWords];  ///< bit row × kPack + p: item p of this lane in that row is kept
    };

    const Item* in;
    Count n;
    Op op;
    Carry<Acc> start;
    CompactProblem<Item, Keep> problem;

    KOGGE_DEVICE static int place(int row, int p) { return (row * simt::kWarpSize + simt::lane()) * kPack + p; }
    KOGGE_DEVICE static bool is_kept(const Saved& saved, int row, int p) {
        const int bit = row * kPack + p;
        return (saved.kept[bit / 32] >> (bit % 32) & 1u) != 0;
    }
    KOGGE_DEVICE static std::uint32_t count_kept(const Saved& saved) {
        std::uint32_t here = 0;
        KOGGE_UNROLL
        for (int word = 0; word < kWords; ++word) here += static_cast<std::uint32_t>(simt::count_bits(saved.kept[word]));
        return simt::reduce_add(here);
    }

    KOGGE_DEVICE Acc reduce(const Stretch<Item>& own, Saved& saved) const {
        saved = {};
        const Pack* const rows = reinterpret_cast<const Pack*>(own.items) + simt::lane();
        KOGGE_UNROLL
        for (int row = 0; row < kRows; ++row) {
            if (place(row, 0) >= own.count) break;
            const Pack pack = rows[row * simt::kWarpSize];
            KOGGE_UNROLL
            for (int p = 0; p < kPack; ++p) {
                const int j = place(row, p), bit = row * kPack + p;
                const bool keep = j < own.count && problem.keep(own.base + static_cast<std::uint64_t>(j), pack.item[p]);
                saved.kept[bit / 32] |= static_cast<std::uint32_t>(keep) << (bit % 32);
            }
        }
        return {count_kept(saved)};
    }

    KOGGE_DEVICE bool finish(const Stretch<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const int lane = simt::lane();
        Pack packs[kRows];
        KOGGE_UNROLL
        for (int row = 0; row < kRows; ++row)
            if (place(row, 0) < own.count) packs[row] = reinterpret_cast<const Pack*>(own.items)[row * simt::kWarpSize + lane];
        const int kept = static_cast<int>(count_kept(saved));
        simt::sync_warp();  // the stretch is in registers

        int kept_place = 0, rejected_place = kept;
        KOGGE_UNROLL
        for (int row = 0; row < kRows; ++row) {
            put(own, packs[row], kept_place, [&](int p) { return is_kept(saved, row, p); });
            if (problem.rejected)
                put(own, packs[row], rejected_place,
                    [&](int p) { return place(row, p) < own.count && !is_kept(saved, row, p); });
        }
        simt::sync_warp();  // the stretch is packed
        const std::uint64_t kept_before = carry.present ? carry.value.value : 0;
        Item* const kept_run = problem.kept + kept_before;
        for (int i = lane; i < kept; i += simt::kWarpSize) kept_run[i] = own.items[i];
        if (problem.rejected) {
            Item* const rejected_run = problem.rejected_begin() + (own.base - kept_before);
            for (int i = kept + lane; i < own.count; i += simt::kWarpSize) rejected_run[i - kept] = own.items[i];
        }
        return false;
    }

    /// Writes the chosen items of a row from `next` on, in order, and moves `next` behind them.
    template <class Choose>
    KOGGE_DEVICE static void put(const Stretch<Item>& own, const Pack& pack, int& next, Choose choose) {
        int before = 0, all = 0;
        KOGGE_UNROLL
        for (int p = 0; p < kPack; ++p) {
            const simt::mask_t chosen = simt::ballot(choose(p));
            before += simt::count_bits(chosen & simt::lanes_before());
            all += simt::count_bits(chosen);
        }
        Item* at = own.items + next + before;
        KOGGE_UNROLL
        for (int p = 0; p < kPack; ++p)
            if (choose(p)) *at++ = pack.item[p];
        next += all;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.value.value; }
};

}  // namespace kogge::grid
