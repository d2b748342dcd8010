// Compaction of several arrays by one decision, as the work of a pipeline whose tiles hold all arrays: in a stage the
// items of one array follow those of another, and the copy warp loads each array's share of a part as one bulk copy. A
// lane keeps its decisions as bits. A warp packs its slice of each array in place, and stores it as a contiguous run.
// Every item is read once, every kept one written once.
//
// In place is safe as in compact/launch.cuh: a tile's count is published after the items of all arrays are on chip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "kogge/block/tile.cuh"
#include "kogge/compact/arrays/problem.cuh"
#include "kogge/compact/predicate.cuh"
#include "kogge/compact/warp_compact.cuh"
#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/pipeline.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/engine/wave_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The items of all arrays at one index.
template <std::size_t size>
struct ItemRow {
    unsigned char bytes[size];
};

/// keep(index, item of the first array) decides. The first `read_only` arrays have no output.
template <class Keep, int read_only, class... Items>
struct CompactArraysWork {
    static constexpr int kArrays = sizeof...(Items);
    static constexpr std::size_t kRowBytes = (sizeof(Items) + ...);
    static constexpr int kItems = arrays_items({sizeof(Items)...});
    static constexpr int kSliceItems = kItems * simt::kWarpSize;
    static constexpr int kTileItems = kSliceItems * kRingWarps;
    using Item = ItemRow<kRowBytes>;
    using Acc = Tally;
    using Op = AddTallies;
    /// A lane's bit i is about item 32 i + lane of the warp's slice, whatever the arrays' item sizes.
    using Saved = KeptBits<kItems, 1>;
    template <int a>
    using ItemOf = std::tuple_element_t<std::size_t{a}, std::tuple<Items...>>;

    ArrayPointers<kArrays> in;
    Count n;
    Op op;
    Carry<Acc> start;
    Keep keep;
    std::uint64_t* total;

    /// Starts loading the mask bits into the cache; they are read when the tile is reduced.
    KOGGE_DEVICE void prefetch(std::uint64_t base, int count) const requires std::is_same_v<Keep, ByMask> {
        simt::prefetch(keep.words + base / 32, static_cast<std::uint32_t>(divide_up(count, 32) * sizeof(*keep.words)));
    }

    KOGGE_DEVICE void load(std::uint64_t base, int begin, int end, unsigned char* stage,
                           simt::TransactionBarrier& full) const {
        std::uint32_t bulk = 0;
        for_each_array<0>([&]<int a>(Number<a>) {
            if (!is_bulk_loaded<a>()) return;
            const std::uint32_t own_bulk = bulk_bytes<a>(end - begin);
            bulk += own_bulk;
            const int tail = begin + static_cast<int>(own_bulk / sizeof(ItemOf<a>)) + simt::lane();
            if (tail < end) tile_of<a>(stage)[tail] = source<a>(base)[tail];
        });
        if (simt::lane() != 0) {
            full.arrive();
            return;
        }
        full.arrive_expect(bulk);
        for_each_array<0>([&]<int a>(Number<a>) {
            if (const std::uint32_t bytes = bulk_bytes<a>(end - begin); is_bulk_loaded<a>() && bytes > 0)
                simt::bulk_load(tile_of<a>(stage) + begin, source<a>(base) + begin, bytes, full);
        });
    }

    // A full slice has a code path of its own, without a bounds check per item.
    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved) const {
        for_each_array<0>([&]<int a>(Number<a>) {
            if (!is_bulk_loaded<a>()) read<a>(own);
        });
        simt::sync_warp();  // in place, no lane writes before all have read
        saved = {};
        if (own.count < kSliceItems) decide<false>(own, saved, keep);
        else with_decision(keep, [&](const auto& decision) { decide<true>(own, saved, decision); });
        return {saved.count_warp()};
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        std::uint32_t before[kItems], kept = 0;
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i) {
            const simt::mask_t lanes = simt::ballot(saved.get(i, 0));
            before[i] = kept + static_cast<std::uint32_t>(simt::count_bits(lanes & simt::lanes_before()));
            kept += static_cast<std::uint32_t>(simt::count_bits(lanes));
        }
        if (kept == 0) return false;
        const std::uint64_t first = carry.present ? carry.value.value : 0;
        for_each_array<read_only>([&]<int a>(Number<a>) { store<a>(own, saved, before, kept, first); });
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *total = all.present ? all.value.value : 0; }

private:
    template <int a>
    using Number = std::integral_constant<int, a>;

    /// Calls use(Number<a>{}) for array a = first and all later ones.
    template <int first, class Use>
    KOGGE_DEVICE static void for_each_array(const Use& use) {
        if constexpr (first < kArrays) {
            use(Number<first>{});
            for_each_array<first + 1>(use);
        }
    }

    /// The copy engine moves whole 16-byte units of arrays at a 16-byte boundary. The workers read other arrays.
    template <int a>
    KOGGE_DEVICE bool is_bulk_loaded() const {
        return block::is_chunk_aligned(in.in[a]);
    }
    template <int a>
    KOGGE_DEVICE static std::uint32_t bulk_bytes(int count) {
        return static_cast<std::uint32_t>(count * sizeof(ItemOf<a>)) / 16 * 16;
    }
    template <int a>
    KOGGE_DEVICE const ItemOf<a>* source(std::uint64_t base) const {
        return static_cast<const ItemOf<a>*>(in.in[a]) + base;
    }
    /// Array a's items of the tile in a stage.
    template <int a>
    KOGGE_DEVICE static ItemOf<a>* tile_of(unsigned char* stage) {
        constexpr std::size_t sizes[] = {sizeof(Items)...};
        std::size_t before = 0;
        KOGGE_UNROLL
        for (int b = 0; b < a; ++b) before += sizes[b];
        return reinterpret_cast<ItemOf<a>*>(stage + kTileItems * before);
    }
    /// Array a's items of the warp's slice, which is at a 16-byte boundary.
    template <int a>
    KOGGE_DEVICE static ItemOf<a>* slice_of(const Slice<Item>& own) {
        const int first = simt::warp_rank() * kSliceItems;
        return tile_of<a>(reinterpret_cast<unsigned char*>(own.items - first)) + first;
    }

    template <int a>
    KOGGE_DEVICE void read(const Slice<Item>& own) const {
        auto* const items = slice_of<a>(own);
        const auto* const from = source<a>(own.base);
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i) {
            const int place = i * simt::kWarpSize + simt::lane();
            if (place < own.count) items[place] = from[place];  // read back by this lane alone
        }
    }

    template <bool full, class Decision>
    KOGGE_DEVICE static void decide(const Slice<Item>& own, Saved& saved, const Decision& keep) {
        const auto* const items = slice_of<0>(own);
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i) {
            const int place = i * simt::kWarpSize + simt::lane();
            if (full || place < own.count)
                saved.set(i, 0, keep(own.base + static_cast<std::uint64_t>(place), items[place]));
        }
    }

    /// Stores the kept items of array a's slice. `before` are their ranks; `first` items are kept before the slice.
    template <int a>
    KOGGE_DEVICE void store(const Slice<Item>& own, const Saved& saved,
                            const std::uint32_t (&before)[std::size_t{kItems}], std::uint32_t kept,
                            std::uint64_t first) const {
        using T = ItemOf<a>;
        T* const items = slice_of<a>(own);
        T held[kItems];
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i)
            if (saved.get(i, 0)) held[i] = items[i * simt::kWarpSize + simt::lane()];
        simt::sync_warp();  // the kept items are in registers
        constexpr int piece = wave_piece_items(sizeof(T));
        const Run<T, (kItems + piece - 1) / piece, piece, kSliceItems> run(static_cast<T*>(in.out[a]) + first, kept);
        KOGGE_UNROLL
        for (int i = 0; i < kItems; ++i)
            if (saved.get(i, 0)) items[static_cast<std::uint32_t>(run.shift) + before[i]] = held[i];
        simt::sync_warp();  // the kept items are packed
        run.store(items);
    }
};

}  // namespace kogge::grid::KOGGE_CODE
