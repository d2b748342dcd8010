// One block sorts a batch, neighbouring buckets that fit the chip together, in place. Each item is read once and
// written once.
//
// Passes on chip go by 8 bits at a time, and only by bits that differ within the batch: one look at the keys finds
// these. Keys stay in registers between passes and change places through shared memory; indices of 16 bits travel with
// them, by which the values are fetched at the end (sort/small/block_sort.cuh). The time depends on the number of bits
// that differ, and not on how the keys are distributed. The local sort of a hybrid radix sort (E. Stehle, H. Jacobsen,
// SIGMOD 2017).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/sort/prefix/buckets.cuh"
#include "kogge/sort/small/block_sort.cuh"

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

/// Sorts one batch. All threads call; a barrier must follow before the next one.
template <class Problem>
KOGGE_DEVICE void sort_batch(const Problem& problem, BatchShared<Problem>& shared, const Places& batch) {
    using Key = typename Problem::Key;
    using Value = typename Problem::Value;
    constexpr int most_items = batch_items_per_thread(sizeof(Key)), step = 4;
    constexpr bool has_values = Problem::kHasValues;
    auto* const exchange = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kBlockSortTables);
    auto* const index_exchange = reinterpret_cast<std::uint16_t*>(exchange + Problem::kBatchItems);
    const auto count = static_cast<int>(batch.end - batch.begin);
    const int items = (count + kBatchThreads * step - 1) / (kBatchThreads * step) * step;  // per thread
    const int first = simt::warp_rank() * simt::kWarpSize * items + simt::lane();
    const auto place_of = [&](int i) { return first + i * simt::kWarpSize; };
    const auto encoding = problem.bucket.in_pass(0);
    Key* const own_keys = problem.keys + batch.begin;

    if (simt::thread_rank() < static_cast<int>(sizeof(shared.differing) / sizeof(shared.differing[0])))
        shared.differing[simt::thread_rank()] = 0;
    Key keys[most_items];
    std::uint32_t indices[most_items];
    for_items<most_items, step>(items, [&](int i) {
        keys[i] = own_keys[place_of(i) < count ? place_of(i) : 0];
        indices[i] = static_cast<std::uint32_t>(place_of(i));
    });
    const Key base = encoding.encode(own_keys[0]);
    Key differing = 0;
    for_items<most_items, step>(items, [&](int i) {
        keys[i] = encoding.encode(keys[i]);
        differing |= keys[i] ^ base;
    });
    simt::sync_block();  // no bits are gathered
    differing =
        gather_bits<Key>(differing & static_cast<Key>(problem.bucket.mask << problem.bucket.begin), shared.differing);
    if (differing == 0) return;  // all are equal
    KOGGE_NO_UNROLL
    for (int bit = 0; (differing >> bit) != 0; bit += kDigitBits) {
        while ((differing >> bit & 1) == 0) ++bit;
        const auto mask = static_cast<std::uint32_t>(differing >> bit) & (kBins - 1);
        sort_by_digit<has_values, step>(
            shared.sort, exchange, index_exchange, keys, indices, items, count, true,
            [=](const Key& key, const std::uint32_t&) { return static_cast<std::uint32_t>(key >> bit) & mask; });
        if constexpr (sizeof(Key) * 8 > kDigitBits)
            if (bit + kDigitBits >= static_cast<int>(8 * sizeof(Key))) break;
    }
    if (problem.writes_keys)
        for_items<most_items, step>(items, [&](int i) {
            if (place_of(i) < count) own_keys[place_of(i)] = encoding.decode(keys[i]);
        });
    if constexpr (has_values) {
        Value* const own_values = problem.values + batch.begin;
        Value values[most_items];
        for_items<most_items, step>(items, [&](int i) {
            if (place_of(i) < count) values[i] = own_values[indices[i]];
        });
        simt::sync_block();  // all values have been read, and may be overwritten
        for_items<most_items, step>(items, [&](int i) {
            if (place_of(i) < count) own_values[place_of(i)] = values[i];
        });
    }
}

/// Sorts the batches of all slices; after spans, those that these have listed.
template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kBatchThreads, 2) sort_batches_kernel(Problem problem) {
    simt::wait_for_stream();
    using Shared = BatchShared<Problem>;
    static_assert(sizeof(Shared) <= kBlockSortTables);
    if (problem.control->lowest == 0 || problem.n.get() == 0) return;
    auto& shared = simt::shared_memory<Shared>();
    const auto sort = [&](const Places& batch) {
        sort_batch(problem, shared, batch);
        simt::sync_block();  // the batch has left the chip
    };
    if (problem.control->by_spans()) {
        const std::uint32_t batches = problem.control->batches;
        for (std::uint32_t i = simt::block_rank(); i < batches; i += simt::grid_size()) sort(problem.batches[i]);
        return;
    }
    const std::uint32_t slices = problem.slices();
    for (std::uint32_t slice = simt::block_rank(); slice < slices; slice += simt::grid_size())
        for_batches_of_slice(
            problem, slice, [](std::uint64_t places) { return places <= Problem::kBatchItems; }, sort);
}

}  // namespace kogge::grid::KOGGE_CODE
