// Segmented sorts against the better of CUB's two, DeviceSegmentedSort and DeviceSegmentedRadixSort, tried before the
// contest: part of radix_sort_bench.cpp. The least that must move: each key and value read once and written once.
#pragma once

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "harness.hpp"
#include "kogge/segmented_sort.hpp"

namespace bench {

/// Which of CUB's sorts: both take the same arguments.
template <bool by_radix, class T>
cudaError_t segmented_cub(void* temporary, std::size_t& bytes, const T* keys, T* keys_out, const T* values,
                          T* values_out, std::uint64_t n, std::uint64_t segments, const std::uint64_t* offsets,
                          stream_t stream) {
    const auto items = static_cast<int>(n), count = static_cast<int>(segments);
    constexpr int bits = static_cast<int>(8 * sizeof(T));
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

template <class T>
Task find_segmented_sort(const SegmentCase& segments, std::uint64_t n, bool pairs) {
    const auto prepare = [=](int slots, stream_t stream) {
        const std::uint64_t value_items = pairs ? n : 0;
        const Slots<T> keys(n, slots), out(n, slots), expected(n, slots);
        const Slots<T> values(value_items, slots), with(value_items, slots), expected_with(value_items, slots);
        const Slots<std::uint64_t> offsets(segments.count + 1, slots);  // and n behind them
        for (int slot = 0; slot < slots; ++slot) {
            const auto seed = static_cast<std::uint64_t>(slot);
            make_items(keys[slot], n, Key<T>{Distribution::uniform, 3 * seed, n}, stream);
            make_items(values[slot], value_items, Place<T>{}, stream);
            make_items(offsets[slot], segments.count, segments.offsets(seed, n), stream);
            kogge::simt::copy(offsets[slot] + segments.count, &n, sizeof n, stream);
        }
        kogge::simt::synchronize(stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const kogge::exec how = with_scratch(scratch, s);
            const T *from = keys[slot], *beside = values[slot];
            if (pairs)
                kogge::segmented_sort_pairs(from, out[slot], beside, with[slot], n, offsets[slot], segments.count, {},
                                            how);
            else kogge::segmented_sort(from, out[slot], n, offsets[slot], segments.count, {}, how);
        };
        const auto call_of = [=]<bool by_radix>(std::bool_constant<by_radix>) {
            return with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
                return segmented_cub<by_radix, T>(temporary, bytes, keys[slot], expected[slot],
                                                  pairs ? values[slot] : nullptr, pairs ? expected_with[slot] : nullptr,
                                                  n, segments.count, offsets[slot], s);
            });
        };
        contest.cub = faster_of(call_of(std::true_type{}), call_of(std::false_type{}), stream);
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            with.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), n, s) &&
                   is_equal(static_cast<const T*>(with[slot]), static_cast<const T*>(expected_with[slot]), value_items,
                            s);
        };
        return contest;
    };
    return {bytes_of(n, (pairs ? 4 : 2) * sizeof(T)), prepare};
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
