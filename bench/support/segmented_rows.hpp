// Segmented sorts against the better of CUB's two, DeviceSegmentedSort and DeviceSegmentedRadixSort, tried before the
// contest; the former waits for the device, which no graph can hold. Of a few segments, CUB's sort of each, one after
// another, is a third rival. The least that must move: each key and value read once and written once.
#pragma once

#include <algorithm>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <vector>

#include "kogge/segmented_sort.hpp"
#include "sort_contests.hpp"

namespace bench {

/// Which of CUB's sorts: both take the same arguments.
template <bool by_radix, class Key, class Value>
cudaError_t segmented_cub(void* temporary, std::size_t& bytes, const Key* keys, Key* keys_out, const Value* values,
                          Value* values_out, std::uint64_t n, std::uint64_t segments, const std::uint64_t* offsets,
                          stream_t stream) {
    const auto items = static_cast<int>(n), count = static_cast<int>(segments);
    constexpr int bits = static_cast<int>(8 * sizeof(Key));
    using Radix = cub::DeviceSegmentedRadixSort;
    using Merge = cub::DeviceSegmentedSort;
    if constexpr (by_radix)
        return values ? Radix::SortPairs(temporary, bytes, keys, keys_out, values, values_out, items, count, offsets,
                                         offsets + 1, 0, bits, stream)
                      : Radix::SortKeys(temporary, bytes, keys, keys_out, items, count, offsets, offsets + 1, 0, bits,
                                        stream);
    else
        return values ? Merge::StableSortPairs(temporary, bytes, keys, keys_out, values, values_out, items, count,
                                               offsets, offsets + 1, stream)
                      : Merge::SortKeys(temporary, bytes, keys, keys_out, items, count, offsets, offsets + 1, stream);
}

/// CUB's sort of each segment, one after another; bounds[s] is where segment s begins, and the last one is n.
template <class Key, class Value>
cudaError_t sort_each(void* temporary, std::size_t& bytes, const Key* keys, Key* keys_out, const Value* values,
                      Value* values_out, const std::vector<std::uint64_t>& bounds, stream_t stream) {
    std::size_t most = 0;
    for (std::size_t segment = 0; segment + 1 < bounds.size(); ++segment) {
        const std::uint64_t from = bounds[segment], items = bounds[segment + 1] - from;
        const auto count = static_cast<int>(items);
        constexpr int bits = static_cast<int>(8 * sizeof(Key));
        std::size_t size = bytes;
        const cudaError_t status =
            values
                ? cub::DeviceRadixSort::SortPairs(temporary, size, keys + from, keys_out + from, values + from,
                                                  values_out + from, count, 0, bits, stream)
                : cub::DeviceRadixSort::SortKeys(temporary, size, keys + from, keys_out + from, count, 0, bits, stream);
        if (status != cudaSuccess) return status;
        most = std::max(most, size);
    }
    bytes = temporary ? bytes : most;
    return cudaSuccess;
}

/// Keys, with integers beside them if `pairs`, in `count` segments. fill_offsets() writes one offset each; `bounds`,
/// with n behind them, are those of a few segments of any slot, or nothing.
template <class Key, class Value>
Task segmented_sort(std::uint64_t n, std::uint64_t count, bool pairs, const FillSlot<Key>& fill,
                    const FillSlot<std::uint64_t>& fill_offsets, const std::vector<std::uint64_t>& bounds = {}) {
    const auto prepare = [=](int slots, stream_t stream) {
        const std::uint64_t value_items = pairs ? n : 0;
        const Slots<Key> keys(n, slots), out(n, slots), expected(n, slots);
        const Slots<Value> values(value_items, slots), with(value_items, slots), expected_with(value_items, slots);
        const Slots<std::uint64_t> offsets(count + 1, slots);  // and n behind them
        for (int slot = 0; slot < slots; ++slot) {
            const auto seed = static_cast<std::uint64_t>(slot);
            fill(keys[slot], seed, stream);
            make_items(values[slot], value_items, Place<Value>{}, stream);
            fill_offsets(offsets[slot], seed, stream);
            kogge::simt::copy(offsets[slot] + count, &n, sizeof n, stream);
        }
        kogge::simt::synchronize(stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const kogge::exec how = with_scratch(scratch, s);
            const Key* from = keys[slot];
            const Value* beside = values[slot];
            if (pairs) kogge::segmented_sort_pairs(from, out[slot], beside, with[slot], n, offsets[slot], count, how);
            else kogge::segmented_sort(from, out[slot], n, offsets[slot], count, how);
        };
        const auto values_of = [=](int slot) -> const Value* { return pairs ? values[slot] : nullptr; };
        const auto sorted_of = [=](int slot) -> Value* { return pairs ? expected_with[slot] : nullptr; };
        const auto call_of = [=]<bool by_radix>(std::bool_constant<by_radix>) {
            return with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
                const Key* from = keys[slot];
                return segmented_cub<by_radix, Key>(temporary, bytes, from, expected[slot], values_of(slot),
                                                    sorted_of(slot), n, count, offsets[slot], s);
            });
        };
        contest.cub_in_graph = call_of(std::true_type{});
        if (!bounds.empty()) {
            const Call each = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
                const Key* from = keys[slot];
                return sort_each(temporary, bytes, from, expected[slot], values_of(slot), sorted_of(slot), bounds, s);
            });
            contest.cub_in_graph = faster_of(contest.cub_in_graph, each, stream);
        }
        contest.cub = faster_of(contest.cub_in_graph, call_of(std::false_type{}), stream);
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            with.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_same_bits(out[slot], expected[slot], n, s) &&
                   is_same_bits(with[slot], expected_with[slot], value_items, s);
        };
        return contest;
    };
    return {bytes_of(n, 2 * (sizeof(Key) + (pairs ? sizeof(Value) : 0))), prepare};
}

/// Uniform keys, part of radix_sort_bench.cpp.
template <class T>
Task find_segmented_sort(const SegmentCase& segments, std::uint64_t n, bool pairs) {
    const auto fill = [=](T* items, std::uint64_t slot, stream_t stream) {
        make_items(items, n, Key<T>{Distribution::uniform, 3 * slot, n}, stream);
    };
    const auto fill_offsets = [=](std::uint64_t* offsets, std::uint64_t slot, stream_t stream) {
        make_items(offsets, segments.count, segments.offsets(slot, n), stream);
    };
    return segmented_sort<T, T>(n, segments.count, pairs, fill, fill_offsets);
}

inline std::optional<Task> find_segmented_call(const RowName& row, std::uint64_t n) {
    const std::optional<SegmentCase> segments = segments_named(row.case_name, n);
    if (!segments) return {};
    if (row.primitive == "segmented_sort")
        return for_type<std::uint32_t, std::uint64_t>(
            row.type, [&]<class T>() -> std::optional<Task> { return find_segmented_sort<T>(*segments, n, false); });
    if (row.primitive == "segmented_sort_pairs" && row.type == "u32+u32")
        return find_segmented_sort<std::uint32_t>(*segments, n, true);
    return {};
}

}  // namespace bench
