// Long segments: a count of all digits, then a pass over memory a digit, over the tiles of all long segments together.
// A tile of a pass is split as split_tile.cuh does it; its look-back goes no further than its segment's first tile,
// which starts from the segment's counts. Global traffic: one read of the keys for the counts, then each pass reads and
// writes every key (and value) once.
//
// Progress: tiles are drawn in order, and a tile waits only for tiles drawn before it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/grid/segment_list.cuh"
#include "kogge/grid/split_tile.cuh"

namespace kogge::grid {

template <class KeyType, class ValueType, class PassBucket>
struct LongProblem {
    using key_type = KeyType;
    using value_type = ValueType;
    static constexpr bool kHasValues = !std::is_same_v<ValueType, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(ValueType) : 0;

    TileRoute<KeyType, ValueType> route;
    PassBucket bucket;
    SegmentShape shape;
    SegmentMemory memory;
    int pass;
};

/// Adds up the digits of the passes [first_pass, first_pass + passes) of each long segment; the first call also clears
/// the look-back's words, and copies the items to `copy` where that has places for them. A block has consecutive tiles,
/// and takes those of one segment together.
template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kHistogramThreads, 1)
    count_segments_kernel(TileRoute<Key, Value> route, TileRoute<Key, Value> copy, Bucket bucket, SegmentShape shape,
                          SegmentMemory memory, int first_pass, int passes) {
    constexpr int in_flight = 4;
    auto& shared = simt::shared_memory<HistogramShared>();
    auto* const counters =
        reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(&shared) + kHistogramTables);
    const auto thread = static_cast<std::uint64_t>(simt::thread_rank());
    const std::uint32_t stripe = thread & ((1u << kFewStripeBits) - 1u);
    const std::uint64_t tiles = *memory.listed & 0xffffffffu, blocks = simt::grid_size();
    const std::uint64_t last = tiles * (simt::block_rank() + 1) / blocks;
    std::uint64_t tile = tiles * simt::block_rank() / blocks;
    if (first_pass == 0)
        for (std::uint64_t i = tile * kBins + thread; i < last * kBins; i += kHistogramThreads) memory.words[i] = 0;
    while (tile < last) {
        const std::uint32_t number = memory.tiles[tile];
        const LongSegment segment = memory.longs[number];
        const std::uint64_t segment_tiles = divide_up(segment.end - segment.begin, shape.tile_items);
        const std::uint64_t beyond =
            segment.first_tile + segment_tiles < last ? segment.first_tile + segment_tiles : last;
        const std::uint64_t from = segment.begin + (tile - segment.first_tile) * shape.tile_items;
        const std::uint64_t behind = segment.begin + (beyond - segment.first_tile) * shape.tile_items;
        const std::uint64_t to = behind < segment.end ? behind : segment.end;
        for (std::uint64_t i = thread; i < static_cast<std::uint64_t>(passes * kBins) << kFewStripeBits;
             i += kHistogramThreads)
            counters[i] = 0;
        simt::sync_block();  // the counters are zero
        for (std::uint64_t i = from + thread; i < to; i += in_flight * kHistogramThreads) {
            Key keys[in_flight];
            KOGGE_UNROLL
            for (int u = 0; u < in_flight; ++u)
                if (i + u * kHistogramThreads < to) keys[u] = route.keys_in[i + u * kHistogramThreads];
            KOGGE_UNROLL
            for (int u = 0; u < in_flight; ++u) {
                const std::uint64_t place = i + u * kHistogramThreads;
                if (place >= to) continue;
                const auto code = bucket.code(keys[u]);
                for (int p = 0; p < passes; ++p)
                    simt::atomic_add<simt::Scope::block>(
                        counters + ((p * kBins + bucket.digit_of(code, first_pass + p)) << kFewStripeBits) + stripe, 1);
                if (copy.keys_out && first_pass == 0) {
                    copy.keys_out[place] = keys[u];
                    if constexpr (!std::is_same_v<Value, NoValue>) copy.values_out[place] = route.value_at(place);
                }
            }
        }
        simt::sync_block();  // the block has counted
        std::uint64_t* const counts =
            memory.counts + (static_cast<std::uint64_t>(number) * shape.passes + first_pass) * kBins;
        for (std::uint64_t i = thread; i < static_cast<std::uint64_t>(passes * kBins); i += kHistogramThreads) {
            std::uint32_t sum = 0;
            for (int s = 0; s < 1 << kFewStripeBits; ++s) sum += counters[(i << kFewStripeBits) + s];
            if (sum > 0) simt::atomic_add<simt::Scope::device>(counts + i, sum);
        }
        simt::sync_block();  // the counters have been read
        tile = beyond;
    }
}

/// Look-back words say of which pass they are, so that none is cleared between passes: a count, whether it is a prefix,
/// and the pass plus one above.
struct SegmentWord {
    static constexpr int kPass = 49;
    static constexpr std::uint64_t kPrefix = std::uint64_t{1} << 48, kCount = kPrefix - 1;
};

/// The place of the first key of a bin: `start` where a segment begins, else summed up over the tiles before, back to
/// the first that knows its prefix. Leaves the tile's own prefix for those behind. All lanes of a warp call, each for
/// its bin.
KOGGE_DEVICE std::uint64_t look_back(std::uint64_t* words, std::uint64_t tile, bool begins, int bin,
                                     std::uint64_t count, int pass, std::uint64_t start) {
    constexpr int window = 4;
    const std::uint64_t tag = static_cast<std::uint64_t>(pass) + 1;
    std::uint64_t* const own = words + tile * kBins + bin;
    std::uint64_t before = start, next = tile;  // words below `next` are still to be added
    bool done = begins;
    if (!done) simt::store_relaxed(own, tag << SegmentWord::kPass | count);
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
            adding = adding && seen[w] >> SegmentWord::kPass == tag;
            if (!adding) continue;
            before += seen[w] & SegmentWord::kCount;
            --next;
            progress = true;
            done = (seen[w] & SegmentWord::kPrefix) != 0;
            adding = !done;
        }
        if (!simt::any(progress)) simt::poll_pause();
    }
    simt::store_relaxed(own, tag << SegmentWord::kPass | SegmentWord::kPrefix | (before + count));
    return before;
}

template <class Key, class Value, class PassBucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, 3)
    split_segments_kernel(LongProblem<Key, Value, PassBucket> problem) {
    using Shared = TileShared<LongProblem<Key, Value, PassBucket>>;
    auto& shared = simt::shared_memory<Shared>();
    static_assert(sizeof(Shared) <= tile_shared_bytes(Shared::kWidest));
    const SegmentMemory& memory = problem.memory;
    const std::uint64_t tiles = *memory.listed & 0xffffffffu, tile_items = problem.shape.tile_items;
    const int thread = simt::thread_rank();
    // The first thread draws the next tile while the block stores the last one.
    std::uint64_t next = 0;
    LongSegment its_segment{};
    std::uint32_t its_number = 0;
    const auto draw = [&] {
        next = simt::atomic_add<simt::Scope::device>(memory.tickets + problem.pass, 1);
        if (next >= tiles) return;
        its_number = memory.tiles[next];
        its_segment = memory.longs[its_number];
    };
    if (thread == 0) draw();
    for (;;) {
        if (thread == 0) {
            const std::uint64_t begins = next == its_segment.first_tile ? 1 : 0;
            shared.described[0] = next | static_cast<std::uint64_t>(its_number) << 32 | begins << 63;
            shared.described[1] = its_segment.begin + (next - its_segment.first_tile) * tile_items;
            shared.described[2] = its_segment.end;
        }
        clear_row(shared.rows[simt::warp_rank()]);
        simt::sync_block();  // the tile is described, and the last one has left the chip
        const std::uint64_t tile = shared.described[0] & 0xffffffffu, number = shared.described[0] >> 32 & 0x7fffffffu;
        const bool begins = shared.described[0] >> 63 != 0;
        if (tile >= tiles) return;
        const std::uint64_t base = shared.described[1], rest = shared.described[2] - base;
        split_tile(
            shared, problem.route, problem.bucket, base, static_cast<int>(rest < tile_items ? rest : tile_items),
            [&](int bin, std::uint32_t keys) {
                std::uint64_t start = 0;
                if (begins) {
                    const std::uint64_t row = number * problem.shape.passes + problem.pass;
                    const std::uint64_t of_bin = memory.counts[row * kBins + bin];
                    // The exchange is not yet in use.
                    using Network = block::ShuffleScan<kBins>;
                    auto& network = *reinterpret_cast<Network::template Storage<std::uint64_t>*>(shared.exchange);
                    const auto bins = Network::scan(of_bin, kBins, plus{}, network);
                    start = base + (bins.has_before ? bins.before : 0);
                }
                const std::uint64_t place = look_back(memory.words, tile, begins, bin, keys, problem.pass, start);
                if (thread == 0) draw();
                return place;
            });
    }
}

}  // namespace kogge::grid
