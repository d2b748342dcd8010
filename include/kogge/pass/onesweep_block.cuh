// State shared by the roles of a pipelined pass (pass/onesweep.cuh): barriers, tables, and the block's view of its
// tiles. Bulk copies load a tile, one slice per warp; a ranked tile stays in order in the exchange until it is stored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/problem.cuh"

namespace kogge::grid::KOGGE_CODE {

struct PassShared {
    alignas(8) unsigned char of_function[8];  ///< the part of the pass's function that phases load
    PassTiles tiles;
    std::uint32_t tickets[4];                        ///< tile numbers, at the block's own tile count modulo 4
    simt::TransactionBarrier loaded[kRankingWarps];  ///< a warp's slice of the next tile is on chip: items or keys
    simt::TransactionBarrier values_loaded[kRankingWarps];  ///< its values, where loaded apart from keys
    simt::TransactionBarrier taken;                         ///< all ranking warps hold their keys of tile k
    simt::TransactionBarrier counted;                       ///< all ranking warps have counted tile k
    simt::TransactionBarrier placed[2];          ///< rows hold places; `places` and the ticket of tile k+1 are written
    simt::TransactionBarrier scattered;          ///< tile k is in order in the exchange
    simt::TransactionBarrier targeted[2];        ///< `targets` is written
    simt::TransactionBarrier stored;             ///< tile k−1 has left the exchange
    alignas(16) std::uint32_t places[2][kBins];  ///< a bin's first place in the tile
    std::uint64_t targets[2][kBins];             ///< where place 0 of the tile would go if it were in the bin
    std::uint64_t value_targets[2][kBins];
    alignas(128) std::uint32_t rows[kRankingWarps][kBins];

    template <class OnChip>
    KOGGE_DEVICE OnChip& part() {
        static_assert(sizeof(OnChip) <= sizeof of_function && alignof(OnChip) <= 8);
        return *reinterpret_cast<OnChip*>(of_function);
    }
};
static_assert(sizeof(PassShared) <= kOnesweepTables);

/// A block's state in one pass, as all roles see it.
template <class Key, class Value, class PassBucket>
struct PassWalk : PipelineRoute<PassProblem<Key, Value, PassBucket>> {
    using Problem = PassProblem<Key, Value, PassBucket>;
    using Route = PipelineRoute<Problem>;
    using Item = typename Problem::Item;
    using Route::items_in;
    using Route::keys_in;
    using Route::n;
    using Route::values_in;
    static constexpr bool kValuesApart = Problem::kHasValues && !Problem::kPacks;  ///< values have arrays of their own

    const Problem& problem;
    const PassBoard& board;
    PassShared& shared;
    static constexpr std::uint32_t segment = static_cast<std::uint32_t>(simt::kWarpSize * Problem::kItems);
    static constexpr std::uint32_t tile_items = kRankingWarps * segment;
    Item* ordered = nullptr;  ///< the exchange
    Value* ordered_values = nullptr;
    unsigned char* staged = nullptr;  ///< packed items; or keys, then values
    bool bulk = false;                ///< whole slices are loaded by bulk copies

    KOGGE_DEVICE PassWalk(const Problem& pass, const PassBoard& pass_board, PassShared& memory, const Move& move)
        : Route(pass, pass_board, move), problem(pass), board(pass_board), shared(memory) {
        auto* const tables_end = reinterpret_cast<unsigned char*>(&shared) + kOnesweepTables;
        ordered = reinterpret_cast<Item*>(tables_end);
        if constexpr (kValuesApart) ordered_values = reinterpret_cast<Value*>(ordered + tile_items);
        staged = tables_end + tile_items * (sizeof(Key) + Problem::kValueBytes);
        bulk = (reinterpret_cast<std::uintptr_t>(keys_in) | reinterpret_cast<std::uintptr_t>(values_in) |
                reinterpret_cast<std::uintptr_t>(items_in)) %
                   16 ==
               0;
    }

    /// This pass's function item → digit, loaded for one phase of a tile.
    KOGGE_DEVICE decltype(auto) bucket() const {
        if constexpr (loads_on_chip<PassBucket>) {
            const auto loaded = problem.bucket.loaded(shared.part<typename PassBucket::OnChip>());
            if constexpr (Problem::kPacks) return PackedBucket<Key, decltype(loaded)>{loaded};
            else return loaded;
        } else if constexpr (Problem::kPacks) return PackedBucket<Key, const PassBucket&>{problem.bucket};
        else return (problem.bucket);
    }
    KOGGE_DEVICE std::uint32_t tiles() const { return shared.tiles.tiles; }
    /// The items of `tile`, which must be below tiles().
    KOGGE_DEVICE std::uint32_t count_of(std::uint32_t tile) const {
        if (tile < shared.tiles.whole) return tile_items;
        const std::uint64_t rest = shared.tiles.n - begin_of(tile);
        return rest < shared.tiles.rest_items ? static_cast<std::uint32_t>(rest) : shared.tiles.rest_items;
    }
    /// The index of a tile's first item.
    KOGGE_DEVICE std::uint64_t place_of(std::uint32_t tile) const { return problem.first + begin_of(tile); }
    KOGGE_DEVICE static bool has_segment(std::uint32_t count, int warp) {
        return (static_cast<std::uint32_t>(warp) + 1) * segment <= count;
    }

    /// Starts to load a warp's slice of a tile: items, or keys alone where values have arrays of their own. A slice
    /// that is not whole is not loaded, but its barrier still completes one phase per tile.
    KOGGE_DEVICE void start_loading(std::uint32_t tile, int warp) const {
        constexpr std::uint32_t key_bytes = segment * sizeof(Key), value_bytes = segment * Problem::kValueBytes;
        if (!bulk || tile >= tiles()) return;
        auto& loaded = shared.loaded[warp];
        if (!has_segment(count_of(tile), warp)) return loaded.arrive();
        const std::uint64_t from = place_of(tile) + warp * segment;
        if constexpr (Problem::kPacks) {
            loaded.arrive_expect(items_in || values_in ? key_bytes + value_bytes : key_bytes);
            if (items_in) {
                simt::bulk_load(staged_items() + warp * segment, items_in + from, key_bytes + value_bytes, loaded);
                return;
            }
            if (values_in) simt::bulk_load(staged_values() + warp * segment, values_in + from, value_bytes, loaded);
        } else {
            loaded.arrive_expect(key_bytes);
        }
        simt::bulk_load(staged_keys() + warp * segment, keys_in + from, key_bytes, loaded);
    }
    KOGGE_DEVICE void start_loading_values(std::uint32_t tile, int warp) const {
        constexpr std::uint32_t bytes = segment * Problem::kValueBytes;
        if (!bulk || tile >= tiles()) return;
        auto& loaded = shared.values_loaded[warp];
        if (!has_segment(count_of(tile), warp)) return loaded.arrive();
        loaded.arrive_expect(bytes);
        simt::bulk_load(staged_values() + warp * segment, values_in + place_of(tile) + warp * segment, bytes, loaded);
    }
    /// Reads a thread's items of a tile that bulk copies have loaded: places first, first + 32, …
    KOGGE_DEVICE void read_staged(std::uint32_t tile, std::uint32_t first, Item (&items)[Problem::kItems]) const {
        const auto read = [&](auto item_at) {
            for_each_item<Problem::kItems>(
                [&](int i) { items[i] = item_at(first + static_cast<std::uint32_t>(i * simt::kWarpSize)); });
        };
        if constexpr (Problem::kPacks) {
            if (items_in) {
                read([&](std::uint32_t place) { return staged_items()[place]; });
            } else if (values_in) {
                read([&](std::uint32_t place) {
                    return Packed<Key>::pack(staged_keys()[place], staged_values()[place]);
                });
            } else if constexpr (std::is_integral_v<Value>) {
                const std::uint64_t base = place_of(tile);
                read([&](std::uint32_t place) {
                    return Packed<Key>::pack(staged_keys()[place], static_cast<Value>(base + place));
                });
            }
        } else {
            read([&](std::uint32_t place) { return staged_keys()[place]; });
        }
    }
    KOGGE_DEVICE Value* staged_values() const { return reinterpret_cast<Value*>(staged + tile_items * sizeof(Key)); }

private:
    KOGGE_DEVICE Key* staged_keys() const { return reinterpret_cast<Key*>(staged); }
    KOGGE_DEVICE Item* staged_items() const { return reinterpret_cast<Item*>(staged); }
    KOGGE_DEVICE std::uint64_t begin_of(std::uint32_t tile) const {
        const std::uint32_t whole = tile < shared.tiles.whole ? tile : shared.tiles.whole;
        return static_cast<std::uint64_t>(whole) * tile_items +
               static_cast<std::uint64_t>(tile - whole) * shared.tiles.rest_items;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
