// Indices of what is kept, against CUB's selection from a counting iterator: by byte flags, and by what is not 0 in an
// array of f32 (PyTorch's nonzero), counts left on the device. Part of partition_bench.cpp. The least that must move:
// each flag or item read once, each index written once.
#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_select.cuh>

#include "harness.hpp"
#include "kogge/calls/compact_indices.hpp"

namespace bench {

struct IsNotZero {
    template <class Item>
    KOGGE_HOST_DEVICE bool operator()(const Item& item) const {
        return item != 0;
    }
};

/// `Item`: std::uint8_t for flags.
template <class Index, class Item>
Task keep_indices(const Selectivity& selectivity, std::uint64_t n) {
    const auto prepare = [=](int slots, kogge::stream_t stream) {
        const Slots<Item> in(n, slots);
        const Slots<Index> out(n, slots), expected(n, slots);
        const Slots<std::uint64_t> count(1, slots), expected_count(1, slots);
        for (int slot = 0; slot < slots; ++slot)
            make_items(in[slot], n, Kept{static_cast<std::uint64_t>(slot), selectivity}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, kogge::stream_t s) {
            const Item* const items = in[slot];
            if constexpr (sizeof(Item) == 1)
                kogge::compact_indices(items, out[slot], count[slot], n, with_scratch(scratch, s));
            else kogge::compact_indices(items, out[slot], count[slot], n, IsNotZero{}, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, kogge::stream_t s) {
            const Item* const items = in[slot];
            return cub::DeviceSelect::Flagged(temporary, bytes, thrust::counting_iterator<Index>(0),
                                              thrust::make_transform_iterator(items, IsNotZero{}), expected[slot],
                                              expected_count[slot], static_cast<std::int64_t>(n), s);
        });
        contest.spoil = [=](kogge::stream_t s) {
            out.fill(kPattern, s);
            count.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, kogge::stream_t s) {
            const std::uint64_t kept = read_number(count[slot], s);
            const Index *left = out[slot], *right = expected[slot];
            return kept == read_number(expected_count[slot], s) && kept <= n && is_equal(left, right, kept, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(Item) + sizeof(Index) * selectivity.share), prepare};
}

/// compact_indices by flags, nonzero by items.
inline std::optional<Task> find_indices_call(const RowName& row, std::uint64_t n) {
    const std::optional<Selectivity> selectivity = selectivity_named(row.case_name);
    if (!selectivity) return {};
    return for_type<std::uint32_t, std::uint64_t>(row.type, [&]<class Index>() -> std::optional<Task> {
        if (row.primitive == "nonzero") return keep_indices<Index, float>(*selectivity, n);
        return keep_indices<Index, std::uint8_t>(*selectivity, n);
    });
}

}  // namespace bench
