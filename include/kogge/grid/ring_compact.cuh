// Compaction and two-way partition as the work of a ring: the aggregate of a tile is the number of its items that are
// kept.
//
// A warp decides about its stretch in rows, one item a lane (four bytes of smaller ones), so that ballots rank the kept
// items of a row and shared memory is read and written without bank conflicts. Once the carry is known the stretch is
// packed where it lies, kept items first, and leaves as one straight run a side. Every item is read once, every result
// written once.
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
    static constexpr int kStretchItems = kItems * simt::kWarpSize;
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
        for (int word = 0; word < kWords; ++word)
            here += static_cast<std::uint32_t>(simt::count_bits(saved.kept[word]));
        return simt::reduce_add(here);
    }

    KOGGE_DEVICE Acc reduce(const Stretch<Item>& own, Saved& saved) const {
        saved = {};
        if (own.count == kStretchItems) decide<true>(own, saved);
        else decide<false>(own, saved);
        return {count_kept(saved)};
    }

    KOGGE_DEVICE bool finish(const Stretch<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const int lane = simt::lane();
        const int kept = static_cast<int>(count_kept(saved));
        if (own.count == kStretchItems) pack<true>(own, saved, kept);
        else pack<false>(own, saved, kept);
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

    // A full stretch has a path of its own, without a bound an item.
    template <bool full>
    KOGGE_DEVICE void decide(const Stretch<Item>& own, Saved& saved) const {
        const Pack* const rows = reinterpret_cast<const Pack*>(own.items) + simt::lane();
        KOGGE_UNROLL
        for (int row = 0; row < kRows; ++row) {
            Pack pack;
            if (full || place(row, 0) < own.count) pack = rows[row * simt::kWarpSize];
            KOGGE_UNROLL
            for (int p = 0; p < kPack; ++p) {
                const int j = place(row, p), bit = row * kPack + p;
                bool keep = false;
                if (full || j < own.count) keep = problem.keep(own.base + static_cast<std::uint64_t>(j), pack.item[p]);
                saved.kept[bit / 32] |= static_cast<std::uint32_t>(keep) << (bit % 32);
            }
        }
    }

    template <bool full>
    KOGGE_DEVICE void pack(const Stretch<Item>& own, const Saved& saved, int kept) const {
        Pack packs[kRows];
        KOGGE_UNROLL
        for (int row = 0; row < kRows; ++row)
            if (full || place(row, 0) < own.count)
                packs[row] = reinterpret_cast<const Pack*>(own.items)[row * simt::kWarpSize + simt::lane()];
        simt::sync_warp();  // the stretch is in registers
        Item* next = own.items;
        KOGGE_UNROLL
        for (int row = 0; row < kRows; ++row)
            next = put(next, packs[row], [&](int p) { return is_kept(saved, row, p); });
        if (!problem.rejected) return;
        next = own.items + kept;
        KOGGE_UNROLL
        for (int row = 0; row < kRows; ++row)
            next = put(next, packs[row],
                       [&](int p) { return (full || place(row, p) < own.count) && !is_kept(saved, row, p); });
    }

    /// Writes the chosen items of a row from `next` on, in order; returns the place behind them.
    template <class Choose>
    KOGGE_DEVICE static Item* put(Item* next, const Pack& pack, Choose choose) {
        int before = 0, all = 0;
        KOGGE_UNROLL
        for (int p = 0; p < kPack; ++p) {
            const simt::mask_t chosen = simt::ballot(choose(p));
            before += simt::count_bits(chosen & simt::lanes_before());
            all += simt::count_bits(chosen);
        }
        Item* at = next + before;
        KOGGE_UNROLL
        for (int p = 0; p < kPack; ++p)
            if (choose(p)) *at++ = pack.item[p];
        return next + all;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.present ? all.value.value : 0; }
};

}  // namespace kogge::grid
