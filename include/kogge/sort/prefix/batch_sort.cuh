// One block sorts a batch, neighbouring buckets that fit the chip together, in place. Each item is read once and
// written once.
//
// Passes on chip go by 8 bits at a time, and only by bits that differ within the batch: one look at the keys finds
// these. Keys stay in registers between passes and change places through shared memory; indices of 16 bits travel with
// them, by which the values are fetched at the end (sort/common/block_pass.cuh). The time depends on the number of bits
// that differ, and not on how the keys are distributed. The local sort of a hybrid radix sort (E. Stehle, H. Jacobsen,
// SIGMOD 2017).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/sort/common/block_pass.cuh"
#include "kogge/sort/prefix/buckets.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Problem>
struct BatchShared {
    BlockSortShared sort;
    std::uint32_t differing[sizeof(typename Problem::Key) < 4 ? 1 : sizeof(typename Problem::Key) / 4];
};

/// The bits that differ among the keys of a block, which are those that differ from one of them. `own`: the bits in
/// which the thread's keys do. All threads call; `words` are zero before, and a barrier has passed.
template <class Key>
KOGGE_DEVICE Key gather_bits(Key own, std::uint32_t* words) {
    constexpr int count = sizeof(Key) < 4 ? 1 : static_cast<int>(sizeof(Key) / 4);
    KOGGE_UNROLL
    for (int w = 0; w < count; ++w) {
        const auto word = static_cast<std::uint32_t>(own >> (32 * w));
        if (word != 0) simt::atomic_or<simt::Scope::block>(words + w, word);
    }
    simt::sync_block();  // all bits are gathered
    Key all = 0;
    KOGGE_UNROLL
    for (int w = 0; w < count; ++w) all |= static_cast<Key>(static_cast<Key>(words[w]) << (32 * w));
    return all;
}

/// Sorts one batch, and brings it back if it stands in the alternate array. All threads call; a barrier must follow
/// before the next one.
template <class Problem>
KOGGE_DEVICE void sort_batch(const Problem& problem, BatchShared<Problem>& shared, const Batch& batch) {
    using Key = typename Problem::Key;
    using Value = typename Problem::Value;
    constexpr int most_items = batch_items_per_thread(sizeof(Key)), step = 4;
    constexpr bool has_values = Problem::kHasValues;
    auto* const exchange = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kBlockSortTables);
    auto* const index_exchange = reinterpret_cast<std::uint16_t*>(exchange + Problem::kBatchItems);
    const auto count = static_cast<int>(batch.places.end - batch.places.begin);
    const int items = (count + kBatchThreads * step - 1) / (kBatchThreads * step) * step;  // per thread
    const int first = simt::warp_rank() * simt::kWarpSize * items + simt::lane();
    const auto place_of = [&](int i) { return first + i * simt::kWarpSize; };
    const auto encoding = problem.bucket.in_pass(0);
    const Key* const keys_in = (batch.is_moved != 0 ? problem.other_keys : problem.keys) + batch.places.begin;

    if (simt::thread_rank() < static_cast<int>(sizeof(shared.differing) / sizeof(shared.differing[0])))
        shared.differing[simt::thread_rank()] = 0;
    Key keys[most_items];
    ShortNumbers<most_items> indices;
    for_items<most_items, step>(items, [&](int i) {
        keys[i] = keys_in[place_of(i) < count ? place_of(i) : 0];
        indices.set(i, static_cast<std::uint32_t>(place_of(i)));
    });
    const auto& bucket = problem.bucket;
    const Key base = bucket.full_code(encoding.encode(keys_in[0]));
    Key differing = 0;
    for_items<most_items, step>(items, [&](int i) {
        keys[i] = encoding.encode(keys[i]);
        differing |= bucket.full_code(keys[i]) ^ base;
    });
    simt::sync_block();  // no bits are gathered
    differing = gather_bits<Key>(differing & static_cast<Key>(bucket.mask << bucket.begin), shared.differing);
    if (differing == 0 && batch.is_moved == 0) return;  // all are equal
    KOGGE_NO_UNROLL
    for (int bit = 0; (differing >> bit) != 0; bit += kDigitBits) {
        while ((differing >> bit & 1) == 0) ++bit;
        const auto mask = static_cast<std::uint32_t>(differing >> bit) & (kBins - 1);
        sort_by_digit<has_values, step>(shared.sort, exchange, index_exchange, keys, indices, items, count, true,
                                        [&bucket, bit, mask](const Key& key, std::uint32_t) {
                                            return static_cast<std::uint32_t>(bucket.full_code(key) >> bit) & mask;
                                        });
        if constexpr (sizeof(Key) * 8 > kDigitBits)
            if (bit + kDigitBits >= static_cast<int>(8 * sizeof(Key))) break;
    }
    if (problem.writes_keys) {
        Key* const keys_out = problem.keys + batch.places.begin;
        for_items<most_items, step>(items, [&](int i) {
            if (place_of(i) < count) keys_out[place_of(i)] = encoding.decode(keys[i]);
        });
    }
    if constexpr (has_values) {
        const Value* const values_in =
            (batch.is_moved != 0 ? problem.other_values : problem.values) + batch.places.begin;
        Value* const values_out = problem.values + batch.places.begin;
        Value values[most_items];
        for_items<most_items, step>(
            items, [&](int i) { values[i] = place_of(i) < count ? values_in[indices.get(i)] : Value{}; });
        simt::sync_block();  // all values have been read, and may be overwritten
        for_items<most_items, step>(items, [&](int i) {
            if (place_of(i) < count) values_out[place_of(i)] = values[i];
        });
    }
}

/// Sorts the batches of all slices, but not after spans, and those that are listed.
template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kBatchThreads, 2) sort_batches_kernel(Problem problem) {
    simt::wait_for_stream();
    using Shared = BatchShared<Problem>;
    static_assert(sizeof(Shared) <= kBlockSortTables);
    if (problem.control->lowest == 0 || problem.n.get() == 0) return;
    auto& shared = simt::shared_memory<Shared>();
    const auto sort = [&](const Batch& batch) {
        sort_batch(problem, shared, batch);
        simt::sync_block();  // the batch has left the chip
    };
    const std::uint32_t listed = problem.control->batches;
    for (std::uint32_t i = simt::block_rank(); i < listed; i += simt::grid_size()) sort(problem.batches[i]);
    if (problem.control->by_spans()) return;
    const std::uint32_t slices = problem.slices();
    for (std::uint32_t slice = simt::block_rank(); slice < slices; slice += simt::grid_size())
        for_batches_of_slice(
            problem, slice, [](std::uint64_t places) { return places <= Problem::kBatchItems; },
            [&](const Places& places) {
                sort({places, 0});
            });
}

}  // namespace kogge::grid::KOGGE_CODE
