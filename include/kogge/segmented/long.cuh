// Long segments: an MSD radix split. Each is split into up to 256 segments; segments that are still long are split by
// the next eight bits of their keys, and so on. The first split of keys of numbers is by a table that adapts to the
// keys (segmented/table.cuh). All levels are one cooperative launch over the tiles of all long segments together.
// Global traffic of a level: two reads and one write of every key, and one read and one write of every value, that is
// still in a long segment.
//
// A level: count the digits of each segment; turn the counts into places, mark these as segments, and list the long
// ones for the next level; split tile by tile as pass/tile.cuh does, with a look-back that ends at the segment's first
// tile. If all keys of a segment share the digit, nothing moves. A long segment whose keys agree in all bits is sorted,
// and is moved to the output.
//
// Progress: tiles are drawn in order, and a tile waits only for tiles drawn before it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/slice.cuh"
#include "kogge/segmented/list.cuh"
#include "kogge/segmented/table.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The buffers of a segmented sort.
template <class Key, class Value>
struct SegmentRoute {
    const Key* keys_in;
    Key* keys_out;
    Key* keys_other;
    const Value* values_in;  ///< null: a value is its item's index
    Value* values_out;
    Value* values_other;

    KOGGE_DEVICE const Key* keys_at(SegmentPlace place) const {
        return place == SegmentPlace::input ? keys_in : place == SegmentPlace::other ? keys_other : keys_out;
    }
    KOGGE_DEVICE Value value_at(SegmentPlace place, std::uint64_t index) const {
        if constexpr (std::is_integral_v<Value>)
            if (place == SegmentPlace::input && !values_in) return static_cast<Value>(index);
        return (place == SegmentPlace::input   ? values_in
                : place == SegmentPlace::other ? values_other
                                               : values_out)[index];
    }
};
/// Where a split moves a segment.
KOGGE_DEVICE SegmentPlace next_place(SegmentPlace from) {
    return from == SegmentPlace::other ? SegmentPlace::output : SegmentPlace::other;
}

template <class Key, class Value, class Bucket>
struct LongProblem {
    using key_type = Key;
    using value_type = Value;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(Value) : 0;
    static constexpr bool kHasTables = has_tables(sizeof(Key), !Bucket::kIdentifies);

    SegmentRoute<Key, Value> route;
    Bucket bucket;
    SegmentShape shape;
    SegmentMemory memory;

    /// Whether a level splits by tables: the first, if keys have more bits than cells.
    KOGGE_DEVICE bool splits_by_table(int level) const {
        if constexpr (kHasTables) return level == 0 && bucket.end - bucket.begin > kCellBits;
        else return false;
    }
    /// The digit in which the keys of a segment are split, given its low bits in which they may differ, or its table.
    KOGGE_DEVICE auto digit(int bits, [[maybe_unused]] const unsigned char* table) const {
        if constexpr (kHasTables) {
            const int from = table ? bucket.end - bucket.begin - kCellBits : bits > kDigitBits ? bits - kDigitBits : 0;
            return LongDigit<typename Bucket::Pass, Bucket>(bucket, table, from);
        } else {
            return bucket.in_pass(bits / kDigitBits - 1);
        }
    }
};

/// Loads a segment's table. A block barrier must precede and follow.
KOGGE_DEVICE void load_table(unsigned char* table, const unsigned char* tables, std::uint64_t number) {
    struct alignas(16) Part {
        std::uint32_t words[4];
    };
    static_assert(kTableBytes % sizeof(Part) == 0 && kTableCells == sizeof(Part) * kTileThreads);
    const int thread = simt::thread_rank();
    reinterpret_cast<Part*>(table)[thread] = reinterpret_cast<const Part*>(tables + number * kTableBytes)[thread];
}

/// Makes the table of each segment.
template <class Shared, class Problem>
KOGGE_DEVICE void make_tables(Shared& shared, const Problem& problem, const LongList& list) {
    static_assert(sizeof(shared.exchange) >= 2 * kTableCells * sizeof(std::uint16_t));
    const CellTree tree{reinterpret_cast<std::uint16_t*>(shared.exchange), shared.rows[0]};
    const int shift = problem.bucket.end - problem.bucket.begin - kCellBits;
    const auto encoding = problem.bucket.in_pass(0);
    const std::uint64_t segments = simt::load_relaxed(list.listed) >> 32;
    for (std::uint64_t number = simt::block_rank(); number < segments; number += simt::grid_size()) {
        const LongSegment segment = list.longs[number];
        const auto* const keys = problem.route.keys_at(segment.from);
        tree.count(segment.begin, segment.end - segment.begin, [&](std::uint64_t place) {
            return static_cast<std::uint32_t>(problem.bucket.item_code(encoding.encode(keys[place])) >> shift);
        });
        simt::sync_block();  // the tree is complete
        tree.write(problem.memory.tables + number * kTableBytes, shift, shared.network);
        simt::sync_block();  // the tree has been read
    }
}

/// Calls f(segment, its number, from, to) for each slice of a segment in the block's share of consecutive tiles. All
/// threads call.
template <class F>
KOGGE_DEVICE void for_each_slice(const LongList& list, std::uint64_t tiles, std::uint64_t tile_items, const F& f) {
    const std::uint64_t last = tiles * (simt::block_rank() + 1) / simt::grid_size();
    for (std::uint64_t tile = tiles * simt::block_rank() / simt::grid_size(); tile < last;) {
        const std::uint32_t number = list.tiles[tile];
        const LongSegment segment = list.longs[number];
        const std::uint64_t behind = segment.first_tile + divide_up(segment.end - segment.begin, tile_items);
        const std::uint64_t beyond = behind < last ? behind : last;
        const std::uint64_t to = segment.begin + (beyond - segment.first_tile) * tile_items;
        f(segment, number, segment.begin + (tile - segment.first_tile) * tile_items,
          to < segment.end ? to : segment.end);
        tile = beyond;
    }
}

/// Copies a slice of a long segment that is sorted to the output, unless it is there.
template <class Problem>
KOGGE_DEVICE void move_slice(const Problem& problem, const LongSegment& segment, std::uint64_t from, std::uint64_t to) {
    if (segment.from == SegmentPlace::output) return;
    const auto* const keys = problem.route.keys_at(segment.from);
    for (std::uint64_t i = from + static_cast<std::uint64_t>(simt::thread_rank()); i < to; i += kTileThreads) {
        problem.route.keys_out[i] = keys[i];
        if constexpr (Problem::kHasValues) problem.route.values_out[i] = problem.route.value_at(segment.from, i);
    }
}

/// Counts the digits of each segment, and clears the look-back's words. Segments that are sorted move to the output.
template <class Shared, class Problem>
KOGGE_DEVICE void count_long(Shared& shared, unsigned char* table, const Problem& problem, const LongList& list,
                             std::uint64_t tiles, int level) {
    const auto thread = static_cast<std::uint64_t>(simt::thread_rank());
    const std::uint64_t first = tiles * simt::block_rank() / simt::grid_size();
    const std::uint64_t last = tiles * (simt::block_rank() + 1) / simt::grid_size();
    const bool by_table = problem.splits_by_table(level);
    for (std::uint64_t i = first * kBins + thread; i < last * kBins; i += kTileThreads) problem.memory.words[i] = 0;
    for_each_slice(list, tiles, problem.shape.tile_items,
                   [&](const LongSegment& segment, std::uint32_t number, std::uint64_t from, std::uint64_t to) {
                       if (segment.bits == 0) return move_slice(problem, segment, from, to);
                       if (by_table) {
                           load_table(table, problem.memory.tables, number);
                           simt::sync_block();  // the table is on chip
                       }
                       count_rows<8>(shared, problem.route.keys_at(segment.from), true,
                                     problem.digit(segment.bits, by_table ? table : nullptr), from, to);
                       std::uint32_t sum = 0;
                       for (int w = 0; w < Shared::kWarps; ++w) sum += shared.rows[w][thread];
                       if (sum > 0)
                           simt::atomic_add<simt::Scope::device>(
                               list.counts + static_cast<std::uint64_t>(number) * kBins + thread, sum);
                       simt::sync_block();  // the counters have been read
                   });
}

/// Turns counts into places, marks the segments that the split produces, and lists those still long.
template <class Shared, class Problem>
KOGGE_DEVICE void place_long(Shared& shared, const Problem& problem, const LongList& list, const LongList& next,
                             int level) {
    using Network = block::ShuffleScan<kBins>;
    auto& network = *reinterpret_cast<Network::template Storage<std::uint64_t>*>(shared.exchange);
    const std::uint64_t segments = simt::load_relaxed(list.listed) >> 32;
    const int thread = simt::thread_rank();
    for (std::uint64_t number = simt::block_rank(); number < segments; number += simt::grid_size()) {
        const LongSegment segment = list.longs[number];
        if (segment.bits == 0) {
            if (thread == 0) list.longs[number].whole = true;
            continue;
        }
        std::uint64_t* const own = list.counts + number * kBins + thread;
        const std::uint64_t count = *own;
        if (thread == 0) shared.described[0] = 0;
        simt::sync_block();  // no bin is known to hold all keys
        if (count == segment.end - segment.begin) shared.described[0] = 1;
        const auto bins = Network::scan(count, kBins, plus{}, network);
        const std::uint64_t begin = segment.begin + (bins.has_before ? bins.before : 0);
        *own = begin;
        const bool whole = shared.described[0] != 0;  // a barrier of the scan stands between
        const SegmentPlace to = next_place(segment.from);
        if (whole && thread == 0) list.longs[number].whole = true;
        if (!whole && count > 0)
            mark_segment(problem.memory.marks, begin, begin == segment.begin ? segment.from : SegmentPlace::none, to);
        const bool is_long = count > problem.shape.longest_short;
        int bits = segment.bits > kDigitBits ? segment.bits - kDigitBits : 0;
        if (is_long && problem.splits_by_table(level))
            bits = problem.memory.tables[number * kTableBytes + kTableCells + static_cast<std::uint64_t>(thread)];
        list_long(next, is_long, begin, begin + count, whole ? segment.from : to, bits, problem.shape.tile_items);
        simt::sync_block();  // the network and the verdict have been read
    }
}

/// Look-back words: a count; a bit, set for a prefix; above it the level plus one, so that words of earlier levels are
/// not taken for this level's.
struct SegmentWord {
    static constexpr int kLevel = 49;
    static constexpr std::uint64_t kPrefix = std::uint64_t{1} << 48, kCount = kPrefix - 1;
};

/// The place of a bin's first key: `start` in a segment's first tile, else the sum over earlier tiles, back to the
/// first one whose prefix is known. Publishes the tile's own prefix. All lanes of a warp call, each for its bin.
KOGGE_DEVICE std::uint64_t look_back(std::uint64_t* words, std::uint64_t tile, bool begins, int bin,
                                     std::uint64_t count, int level, std::uint64_t start) {
    constexpr int window = 4;
    const std::uint64_t tag = static_cast<std::uint64_t>(level) + 1;
    std::uint64_t* const own = words + tile * kBins + bin;
    std::uint64_t before = start, next = tile;  // words below `next` are still to be added
    bool done = begins;
    if (!done) simt::store_relaxed(own, tag << SegmentWord::kLevel | count);
    while (!simt::all(done)) {
        std::uint64_t seen[window];
        KOGGE_UNROLL
        for (int w = 0; w < window; ++w)
            seen[w] = !done && next > static_cast<std::uint64_t>(w)
                          ? simt::load_relaxed(words + (next - 1 - static_cast<std::uint64_t>(w)) * kBins + bin)
                          : 0;
        bool progress = false, adding = !done;
        KOGGE_UNROLL
        for (int w = 0; w < window; ++w) {
            adding = adding && seen[w] >> SegmentWord::kLevel == tag;
            if (!adding) continue;
            before += seen[w] & SegmentWord::kCount;
            --next;
            progress = true;
            done = (seen[w] & SegmentWord::kPrefix) != 0;
            adding = !done;
        }
        if (!simt::any(progress)) simt::poll_pause();
    }
    simt::store_relaxed(own, tag << SegmentWord::kLevel | SegmentWord::kPrefix | (before + count));
    return before;
}

template <class Shared, class Problem>
KOGGE_DEVICE void split_long(Shared& shared, unsigned char* table, const Problem& problem, const LongList& list,
                             std::uint64_t tiles, int level) {
    using Key = typename Problem::key_type;
    using Value = typename Problem::value_type;
    const SegmentMemory& memory = problem.memory;
    const SegmentRoute<Key, Value>& route = problem.route;
    const std::uint64_t tile_items = problem.shape.tile_items;
    constexpr int bits_at = 44, load_at = 60;  // above a place: the segment's bits, and whether its table is to load
    const int thread = simt::thread_rank();
    const bool by_table = problem.splits_by_table(level);
    // The first thread draws and describes the next tile while the block stores the current one.
    const auto draw = [&](bool is_first) {
        const std::uint64_t number_on_chip = is_first ? 0 : shared.described[0] >> 32 & 0x7fffffffu;
        std::uint64_t next, number;
        LongSegment segment;
        do {
            next = simt::atomic_add<simt::Scope::device>(memory.tickets + level, 1);
            if (next >= tiles) {
                shared.described[0] = next;
                return;
            }
            number = list.tiles[next];
            segment = list.longs[number];
        } while (segment.whole);
        const std::uint64_t begins = next == segment.first_tile ? 1 : 0;
        const std::uint64_t loads = by_table && (is_first || number != number_on_chip) ? 1 : 0;
        shared.described[0] = next | number << 32 | begins << 63;
        shared.described[1] = (segment.begin + (next - segment.first_tile) * tile_items) |
                              static_cast<std::uint64_t>(segment.bits) << bits_at | loads << load_at;
        shared.described[2] = segment.end | static_cast<std::uint64_t>(segment.from) << 62;
    };
    if (thread == 0) draw(true);
    for (;;) {
        clear_row(shared.rows[simt::warp_rank()]);
        simt::sync_block();  // the tile is described, and the previous one has left the chip
        const std::uint64_t tile = shared.described[0] & 0xffffffffu, number = shared.described[0] >> 32 & 0x7fffffffu;
        const bool begins = shared.described[0] >> 63 != 0;
        if (tile >= tiles) return;
        const std::uint64_t described = shared.described[1], end = shared.described[2] & ~std::uint64_t{0} >> 2;
        const std::uint64_t base = described & ((std::uint64_t{1} << bits_at) - 1);
        const std::uint64_t rest = end - base;
        const auto from = static_cast<SegmentPlace>(shared.described[2] >> 62);
        const auto bucket = problem.digit(static_cast<int>(described >> bits_at & 0xffffu), by_table ? table : nullptr);
        if ((described >> load_at & 1u) != 0) {
            load_table(table, memory.tables, number);
            simt::sync_block();  // the table is on chip
        }
        const bool to_output = next_place(from) == SegmentPlace::output;
        TileRoute<Key, Value> of_tile{
            route.keys_at(from), to_output ? route.keys_out : route.keys_other, nullptr, nullptr, bucket.recodes(),
            bucket.recodes()};
        if constexpr (Problem::kHasValues) {
            of_tile.values_in = from == SegmentPlace::input   ? route.values_in
                                : from == SegmentPlace::other ? route.values_other
                                                              : route.values_out;
            of_tile.values_out = to_output ? route.values_out : route.values_other;
        }
        split_tile(shared, of_tile, bucket, base, static_cast<int>(rest < tile_items ? rest : tile_items),
                   [&](int bin, std::uint32_t keys) {
                       const std::uint64_t start =
                           begins ? list.counts[number * kBins + static_cast<std::uint64_t>(bin)] : 0;
                       const std::uint64_t place = look_back(memory.words, tile, begins, bin, keys, level, start);
                       if (thread == 0) draw(false);
                       return place;
                   });
    }
}

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, kLongBlocks)
    split_segments_kernel(LongProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    using Problem = LongProblem<Key, Value, Bucket>;
    using Shared = TileShared<Problem>;
    static_assert(kTileThreads == kBins, "a thread a bin");
    auto& shared = simt::shared_memory<Shared>();
    static_assert(sizeof(Shared) <= tile_shared_bytes(Shared::kWidest));
    auto* const table = reinterpret_cast<unsigned char*>(&shared) + tile_shared_bytes(Shared::kWidest);
    if (*problem.memory.falls != 0) return;  // segments may overlap
    for (int level = 0;; ++level) {
        const LongList list = problem.memory.list(level);
        const std::uint64_t tiles = simt::load_relaxed(list.listed) & 0xffffffffu;
        if (tiles == 0) return;
        if constexpr (Problem::kHasTables)
            if (problem.splits_by_table(level)) {
                make_tables(shared, problem, list);
                simt::sync_grid();  // the tables are written
            }
        count_long(shared, table, problem, list, tiles, level);
        simt::sync_grid();  // the digits of all segments are counted
        place_long(shared, problem, list, problem.memory.list(level + 1), level);
        simt::sync_grid();  // the places are known
        split_long(shared, table, problem, list, tiles, level);
        simt::sync_grid();  // the keys are in their places, and the next list is complete
    }
}

}  // namespace kogge::grid::KOGGE_CODE
