// Compaction and two-way partition as the work of a ring: the aggregate of a tile is the number of its items that are kept.
//
// A warp decides about its stretch in rows of 32 items, one a lane, so that ballots rank the kept items of a row and
// shared memory is read and written without bank conflicts. Once the carry is known the stretch is packed where it lies,
// kept items first, and leaves as one straight run a side. Every item is read once, every result written once.
#pragma once

#include <cstdint>

#include "kogge/grid/compact_problem.cuh"
#include "kogge/grid/ring.cuh"

namespace kogge::grid {

template <class Item_, class Keep>
struct CompactWork {
    using Item = Item_;
    using Acc = Tally;
    using Op = AddTallies;
    static constexpr int kItems = segment_items(sizeof(Item));
    static constexpr int kWords = (kItems + 31) / 32;

    struct Saved {
        std::uint32_t kept[kWords];  ///< bit i: this lane's item of row i is kept
    };

    const Item* in;
    Count n;
    Op op;
    Carry<Acc> start;
    CompactProblem<Item, Keep> problem;

    KOGGE_DEVICE Acc reduce(const Stretch<Item>& own, Saved& saved) const {
        std::uint32_t total = 0;
        KOGGE_UNROLL
        for (int word = 0; word < kWords; ++word) saved.kept[word] = 0;
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i) {
            const int j = i * simt::kWarpSize + simt::lane();
            const bool keep = j < own.count && problem.keep(own.base + j, own.items[j]);
            saved.kept[i / 32] |= static_cast<std::uint32_t>(keep) << (i % 32);
        }
        KOGGE_UNROLL
        for (int word = 0; word < kWords; ++word) total += static_cast<std::uint32_t>(simt::count_bits(saved.kept[word]));
        return {simt::reduce_add(total)};
    }

    KOGGE_DEVICE bool finish(const Stretch<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const int lane = simt::lane();
        Item items[kItems];
        std::uint32_t here = 0;
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i)
            if (i * simt::kWarpSize + lane < own.count) items[i] = own.items[i * simt::kWarpSize + lane];
        KOGGE_UNROLL
        for (int word = 0; word < kWords; ++word) here += static_cast<std::uint32_t>(simt::count_bits(saved.kept[word]));
        const int kept = static_cast<int>(simt::reduce_add(here));
        simt::sync_warp();  // the stretch is in registers

        int kept_place = 0, rejected_place = kept;
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i) {
            const bool valid = i * simt::kWarpSize + lane < own.count;
            const bool keep = (saved.kept[i / 32] >> (i % 32) & 1u) != 0;
            const simt::mask_t keepers = simt::ballot(keep);
            if (keep) own.items[kept_place + simt::count_bits(keepers & simt::lanes_before())] = items[i];
            kept_place += simt::count_bits(keepers);
            if (problem.rejected) {
                const simt::mask_t others = simt::ballot(valid && !keep);
                if (valid && !keep) own.items[rejected_place + simt::count_bits(others & simt::lanes_before())] = items[i];
                rejected_place += simt::count_bits(others);
            }
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

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.value.value; }
};

}  // namespace kogge::grid
