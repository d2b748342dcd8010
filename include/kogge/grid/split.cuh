// A stable split into at most 256 bins: one pass of a radix sort, or the public split. Each item is read once and
// written once; the starts of the bins must be known before (histogram kernels below).
//
// A warp holds 32 × items consecutive keys, register i of lane l being key 32 i + l, so that keys are ranked in order:
// per register, the lanes of equal digit find each other by ballots, and the warp's counter of the digit gives the rank.
// Bin counts of earlier tiles come by look-back over one word a bin and tile (D. Merrill, M. Garland, 2016; as a single
// pass of radix sort: A. Adinets, D. Merrill, 2022); counts are integers, so the order of addition does not matter.
// Keys then change places on chip, so that each bin leaves as one straight run.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/block/scan.cuh"
#include "kogge/grid/carry.cuh"
#include "kogge/grid/move.cuh"
#include "kogge/grid/scan.cuh"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// One pass. `bucket(key)` < kBins names the bin. Where values_in is null a value is its key's index; where keys_out is
/// null no keys are written.
template <class Key, class Value, class Bucket>
struct SplitProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr int kItems = split_items(sizeof(Key) > sizeof(Value) ? sizeof(Key) : sizeof(Value));
    static constexpr int kTileItems = kItems * kSplitThreads;

    const Key* keys_in;
    Key* keys_out;
    const Value* values_in;
    Value* values_out;
    Count n;
    Bucket bucket;
};

/// What the tiles of one pass share. Look-back words hold a count below kPrefix's and kAggregate's flags.
struct SplitBoard {
    static constexpr std::uint64_t kAggregate = std::uint64_t{1} << 62;
    static constexpr std::uint64_t kPrefix = std::uint64_t{1} << 63;
    static constexpr std::uint64_t kCount = kAggregate - 1;

    std::uint32_t* ticket;         ///< zero before the pass
    const std::uint64_t* starts;   ///< where each bin begins in the output
    std::uint64_t* counts;         ///< [tile][bin], zero before the pass
};

template <class Problem, class Key, class Value>
struct SplitShared {
    static constexpr int kWarps = kSplitThreads / simt::kWarpSize;
    static constexpr std::size_t kWidest = sizeof(Key) > sizeof(Value) ? sizeof(Key) : sizeof(Value);

    alignas(128) unsigned char exchange[Problem::kTileItems * kWidest];
    std::uint32_t counters[kWarps][kBins];  ///< of one warp and digit: a count, then the place of its next key
    std::uint64_t target[kBins];            ///< bin's place in the output, less its place in the tile (modulo 2^64)
    typename block::ShuffleScan<kBins>::template Storage<std::uint32_t> network;
    std::uint32_t ticket;
};

/// Ranks this thread's keys among the equal digits of its warp, in order, counting in the warp's row of counters.
template <int items>
KOGGE_DEVICE void rank_digits(const std::uint32_t (&digits)[items], std::uint32_t (&ranks)[items], std::uint32_t* counters) {
    KOGGE_UNROLL
    for (int i = 0; i < items; ++i) {
        const simt::mask_t peers = simt::match_digit<kDigitBits>(digits[i]);
        const int leader = simt::lowest_bit(peers);
        std::uint32_t seen = 0;
        if (simt::lane() == leader) {
            seen = counters[digits[i]];
            counters[digits[i]] = seen + simt::count_bits(peers);
        }
        ranks[i] = simt::shuffle(seen, leader) + simt::count_bits(peers & simt::lanes_before());
        simt::sync_warp();  // the next register's leaders see these counters
    }
}

/// Sums the counts of a bin over the tiles before `tile`, back to the first that knows its prefix, and leaves this
/// tile's prefix for those behind.
KOGGE_DEVICE std::uint64_t look_back(const SplitBoard& board, std::uint64_t tile, int bin, std::uint64_t count) {
    std::uint64_t* const own = board.counts + tile * kBins + bin;
    std::uint64_t before = 0;
    if (tile > 0) {
        simt::store_relaxed(own, SplitBoard::kAggregate | count);
        for (const std::uint64_t* earlier = own - kBins;; earlier -= kBins) {
            std::uint64_t word;
            while ((word = simt::load_relaxed(earlier)) == 0) simt::poll_pause();
            before += word & SplitBoard::kCount;
            if (word & SplitBoard::kPrefix) break;
        }
    }
    simt::store_relaxed(own, SplitBoard::kPrefix | (before + count));
    return before;
}

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSplitThreads, 3)
    split_kernel(SplitProblem<Key, Value, Bucket> problem, SplitBoard board) {
    using Problem = SplitProblem<Key, Value, Bucket>;
    using Shared = SplitShared<Problem, Key, Value>;
    constexpr int items = Problem::kItems, tile_items = Problem::kTileItems;
    static_assert(kSplitThreads == kBins, "a thread a bin");
    auto& shared = simt::shared_memory<Shared>();
    const std::uint64_t n = problem.n.get();
    const std::uint64_t tiles = divide_up(n, tile_items);
    const int thread = simt::thread_rank(), warp = simt::warp_rank(), lane = simt::lane();

    for (;;) {
        if (thread == 0) shared.ticket = simt::atomic_add<simt::Scope::device>(board.ticket, 1);
        for (int bin = lane; bin < kBins; bin += simt::kWarpSize) shared.counters[warp][bin] = 0;
        simt::sync_block();  // the ticket is written, and the last tile has left the chip
        const std::uint64_t tile = shared.ticket;
        if (tile >= tiles) return;
        const std::uint64_t base = tile * tile_items;
        const int count = tile_size<Problem>(tile, n);

        // Places past the end take the last bin: they rank behind all keys, and are not counted.
        const int first = warp * simt::kWarpSize * items + lane;
        Key keys[items];
        std::uint32_t digits[items], ranks[items];
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) {
            const int place = first + i * simt::kWarpSize;
            digits[i] = kBins - 1;
            if (place < count) {
                keys[i] = problem.keys_in[base + place];
                digits[i] = problem.bucket(keys[i]);
            }
        }
        rank_digits(digits, ranks, shared.counters[warp]);
        simt::sync_block();  // all warps' counts are complete

        std::uint32_t in_tile = 0;  // of this thread's bin
        KOGGE_UNROLL
        for (int w = 0; w < Shared::kWarps; ++w) {
            const std::uint32_t in_warp = shared.counters[w][thread];
            shared.counters[w][thread] = in_tile;
            in_tile += in_warp;
        }
        const std::uint32_t real = thread == kBins - 1 ? in_tile - static_cast<std::uint32_t>(tile_items - count) : in_tile;
        const auto prefix = block::ShuffleScan<kBins>::scan(in_tile, kBins, plus{}, shared.network);
        const std::uint32_t bin_place = prefix.has_before ? prefix.before : 0;
        KOGGE_UNROLL
        for (int w = 0; w < Shared::kWarps; ++w) shared.counters[w][thread] += bin_place;
        shared.target[thread] = board.starts[thread] + look_back(board, tile, thread, real) - bin_place;
        simt::sync_block();  // the places of all bins are known

        Key* const exchange = reinterpret_cast<Key*>(shared.exchange);
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) {
            ranks[i] += shared.counters[warp][digits[i]];
            if (first + i * simt::kWarpSize < count) exchange[ranks[i]] = keys[i];
        }
        simt::sync_block();  // the keys stand in order
        std::uint64_t targets[items];
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) {
            const int place = thread + i * kSplitThreads;
            if (place < count) {
                const Key key = exchange[place];
                targets[i] = shared.target[problem.bucket(key)] + place;
                if (problem.keys_out) problem.keys_out[targets[i]] = key;
            }
        }
        if constexpr (Problem::kHasValues) {
            simt::sync_block();  // the keys have been read
            Value* const values = reinterpret_cast<Value*>(shared.exchange);
            KOGGE_UNROLL
            for (int i = 0; i < items; ++i) {
                const int place = first + i * simt::kWarpSize;
                if (place < count) {
                    if constexpr (std::is_integral_v<Value>)
                        values[ranks[i]] = problem.values_in ? problem.values_in[base + place] : static_cast<Value>(base + place);
                    else
                        values[ranks[i]] = problem.values_in[base + place];
                }
            }
            simt::sync_block();  // the values stand in order
            KOGGE_UNROLL
            for (int i = 0; i < items; ++i) {
                const int place = thread + i * kSplitThreads;
                if (place < count) problem.values_out[targets[i]] = values[place];
            }
        }
    }
}

// ---- where the bins begin ------------------------------------------------------------------------------

inline constexpr int kHistogramPasses = 16;  ///< digits counted in one read

struct HistogramShared {
    std::uint32_t counts[kHistogramPasses][kBins];
};

/// Counts up to kHistogramPasses digits of every key in one read: histograms[pass][bin] += …, zero before.
/// `bucket.of_pass(key, pass)` is the bin of a key in a pass.
template <class Key, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSplitThreads, 4)
    count_digits_kernel(const Key* keys, Count count, Bucket bucket, int first_pass, int passes, std::uint64_t* histograms) {
    auto& shared = simt::shared_memory<HistogramShared>();
    const int thread = simt::thread_rank();
    for (int i = thread; i < passes * kBins; i += kSplitThreads) shared.counts[i / kBins][i % kBins] = 0;
    simt::sync_block();  // the counters are zero
    const std::uint64_t n = count.get();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kSplitThreads;
    // A block's 32-bit counters hold: it would take 2^32 keys a block to overflow one.
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kSplitThreads + thread; i < n; i += step) {
        const Key key = keys[i];
        for (int pass = 0; pass < passes; ++pass)
            simt::atomic_add<simt::Scope::block>(&shared.counts[pass][bucket.of_pass(key, first_pass + pass)], 1);
    }
    simt::sync_block();  // the block has counted
    for (int i = thread; i < passes * kBins; i += kSplitThreads) {
        const std::uint32_t sum = shared.counts[i / kBins][i % kBins];
        if (sum > 0) simt::atomic_add<simt::Scope::device>(histograms + static_cast<std::uint64_t>(first_pass) * kBins + i, sum);
    }
}

struct StartsShared {
    typename block::ShuffleScan<kBins>::template Storage<std::uint64_t> network;
};

/// Turns the histogram of each pass, one a block, into the starts of its bins, in place.
KOGGE_SHARED_KERNEL void KOGGE_LAUNCH_BOUNDS(kBins, 4) scan_histograms_kernel(std::uint64_t* histograms) {
    auto& shared = simt::shared_memory<StartsShared>();
    std::uint64_t* const bin = histograms + static_cast<std::uint64_t>(simt::block_rank()) * kBins + simt::thread_rank();
    const auto prefix = block::ShuffleScan<kBins>::scan(*bin, kBins, plus{}, shared.network);
    *bin = prefix.has_before ? prefix.before : 0;
}

// ---- launches ------------------------------------------------------------------------------------------

/// Counts the digits of `passes` passes and turns the counts into the starts of the bins.
template <class Key, class Bucket>
void launch_histograms(const Key* keys, const Count& n, const Bucket& bucket, int passes, const SplitMemory& memory,
                       std::uint32_t blocks, stream_t stream) {
    simt::fill(memory.histograms, 0, memory.zeroed, stream);
    for (int first = 0; first < passes; first += kHistogramPasses) {
        const int here = passes - first < kHistogramPasses ? passes - first : kHistogramPasses;
        simt::launch(count_digits_kernel<Key, Bucket>,
                     {blocks, kSplitThreads, sizeof(HistogramShared), stream, "count_digits_kernel"}, keys, n, bucket, first,
                     here, memory.histograms);
    }
    simt::launch(scan_histograms_kernel,
                 {static_cast<std::uint32_t>(passes), kBins, sizeof(StartsShared), stream, "scan_histograms_kernel"},
                 memory.histograms);
}

/// All passes, from the least significant digit of the bucket number up, with values of one type (NoValue: none).
/// `bucket.in_pass(p)` is the bucket function of pass p.
///
/// Two places take turns: the output and a temporary, such that the last pass writes the output. Where the output takes
/// no keys (argsort) two temporaries take turns. A first pass that would write onto its own input reads a copy.
template <class Key, class Value, class Bucket>
void split_passes(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, const Count& n,
                  const Bucket& bucket, const radix_sort_plan& plan, const SplitMemory& memory, stream_t stream) {
    using Problem = SplitProblem<Key, Value, Bucket>;
    Key* const output_keys = keys_out ? keys_out : static_cast<Key*>(memory.more_keys);
    Key* const other_keys = static_cast<Key*>(memory.keys);
    Value* const other_values = static_cast<Value*>(memory.values);

    if (plan.passes % 2 == 1 && keys_in == keys_out) {
        copy_items(keys_in, other_keys, sizeof(Key), n, stream);
        keys_in = other_keys;
    }
    if (plan.passes % 2 == 1 && Problem::kHasValues && values_in && values_in == values_out) {
        copy_items(values_in, other_values, sizeof(Value), n, stream);
        values_in = other_values;
    }
    launch_histograms(keys_in, n, bucket, plan.passes, memory, plan.blocks, stream);
    for (int pass = 0; pass < plan.passes; ++pass) {
        const bool last = pass == plan.passes - 1;
        const bool to_output = (plan.passes - 1 - pass) % 2 == 0;
        Key* const keys_to = last ? keys_out : to_output ? output_keys : other_keys;
        Value* const values_to = to_output ? values_out : other_values;
        simt::fill(memory.counts, 0, memory.counts_bytes, stream);
        const SplitBoard board{memory.tickets + pass, memory.histograms + static_cast<std::size_t>(pass) * kBins, memory.counts};
        const Problem problem{keys_in, keys_to, values_in, values_to, n, bucket.in_pass(pass)};
        simt::launch(split_kernel<Key, Value, Bucket>,
                     {plan.blocks, kSplitThreads, sizeof(SplitShared<Problem, Key, Value>), stream, "split_kernel"}, problem,
                     board);
        keys_in = keys_to;
        values_in = values_to;
    }
}

// ---- the public split ----------------------------------------------------------------------------------

/// The user's bucket function, eight bits of the bin number a pass. Numbers past the last bin count as the last bin, so
/// that nothing is ever written outside the output.
template <class User>
struct BinBucket {
    User user;
    std::uint32_t last_bin;
    int shift = 0;

    template <class Key>
    KOGGE_DEVICE std::uint32_t bin(const Key& key) const {
        const std::uint32_t bin = static_cast<std::uint32_t>(user(key));
        return bin < last_bin ? bin : last_bin;
    }
    template <class Key>
    KOGGE_DEVICE std::uint32_t operator()(const Key& key) const {
        return bin(key) >> shift & (kBins - 1);
    }
    template <class Key>
    KOGGE_DEVICE std::uint32_t of_pass(const Key& key, int pass) const {
        return in_pass(pass)(key);
    }
    KOGGE_HOST_DEVICE BinBucket in_pass(int pass) const { return {user, last_bin, pass * kDigitBits}; }
};

/// offsets[b] = the first place whose key falls into bin b or a later one; offsets[bins] = n.
template <class Key, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    find_bins_kernel(const Key* keys, Count count, Bucket bucket, std::uint32_t bins, std::uint64_t* offsets) {
    const std::uint64_t n = count.get();
    const std::uint64_t bin = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank();
    if (bin > bins) return;
    std::uint64_t low = 0, high = n;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (bucket.bin(keys[middle]) < bin) low = middle + 1;
        else high = middle;
    }
    offsets[bin] = low;
}

/// The bits that bin numbers take.
constexpr int bin_bits(std::uint32_t bins) {
    int bits = 0;
    while (bits < 32 && (std::uint64_t{1} << bits) < bins) ++bits;
    return bits;
}

/// Splits on the device; arguments have been checked, in and out are apart. `offsets` may be null.
template <class Key, class Value, class User>
void device_split(const char* call, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                  const item_count& n, std::uint32_t bins, const User& user, std::uint64_t* offsets, const exec& how) {
    constexpr bool has_values = !std::is_same_v<Value, NoValue>;
    const Count count{n.bound(), n.on_device()};
    const BinBucket<User> bucket{user, bins - 1};
    radix_sort_shape shape{sizeof(Key), 0, bin_bits(bins), false};
    if (has_values) shape.values.push_back({sizeof(Value), sizeof(Value)});
    const radix_sort_plan plan = plan_split(n.bound(), shape, simt::current_properties());
    detail::Carver measure;
    carve_radix_sort(measure, plan);
    detail::Scratch scratch(call, how, measure.used());
    detail::Carver carver(scratch.data());
    const SortMemory memory = carve_radix_sort(carver, plan);
    if (plan.passes > 0) {
        split_passes(keys_in, keys_out, values_in, values_out, count, bucket, plan, memory.split, how.stream);
    } else if (n.bound() > 0) {
        copy_items(keys_in, keys_out, sizeof(Key), count, how.stream);
        if (has_values) copy_items(values_in, values_out, sizeof(Value), count, how.stream);
    }
    if (offsets)
        simt::launch(find_bins_kernel<Key, BinBucket<User>>,
                     {static_cast<std::uint32_t>(divide_up(std::uint64_t{bins} + 1, kMoveThreads)), kMoveThreads, 0, how.stream,
                      "find_bins_kernel"},
                     keys_out, count, bucket, bins, offsets);
}

}  // namespace kogge::grid
