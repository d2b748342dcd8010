// How a tile leaves the chip in a pipelined pass: in order of its places, so that neighbouring lanes write neighbouring
// items of a bin.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/pass/onesweep_block.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The slot in the exchange of a place of the tile. Bins of equal size would put their first keys into one bank, so
/// each row of 32 places is permuted by its number. Of packed items 16 fill all banks, and 16 bins of equal size begin
/// 24 rows apart; so their rows are permuted by the upper digits of the number as well.
template <bool packs>
KOGGE_DEVICE std::uint32_t spread(std::uint32_t place) {
    const std::uint32_t row = place >> 5;
    return place ^ ((packs ? row ^ row >> 3 : row) & 31);
}

/// Writes the tile, in order in the exchange, to its bins' places in the output.
template <bool decodes, class Walk>
KOGGE_DEVICE void store_tile(const Walk& walk, int buffer, std::uint32_t count) {
    using Problem = typename Walk::Problem;
    constexpr std::uint32_t row = kRankingWarps * simt::kWarpSize;
    const std::uint32_t share = (count + row - 1) / row * simt::kWarpSize;
    const std::uint32_t begin = static_cast<std::uint32_t>(simt::warp_rank()) * share;
    const std::uint32_t end = begin + share < count ? begin + share : count;
    decltype(auto) bucket = walk.bucket();
    // A batch's loads stand before its stores, which the compiler must not reorder.
    const auto store = [&]<int batch>(std::uint32_t place, std::integral_constant<int, batch>) {
        const auto place_of = [&](int u) { return place + static_cast<std::uint32_t>(u * simt::kWarpSize); };
        typename Walk::Item items[batch];
        std::uint32_t bins[batch];
        for_each_item<batch>([&](int u) { items[u] = walk.ordered[spread<Problem::kPacks>(place_of(u))]; });
        for_each_item<batch>([&](int u) { bins[u] = bucket(items[u]); });
        const auto write = [&](const std::uint64_t* targets, auto part) {
            using Part = decltype(part(0));
            std::uint64_t addresses[batch];
            for_each_item<batch>([&](int u) {
                addresses[u] = targets[bins[u]] + static_cast<std::uint64_t>(place_of(u)) * sizeof(Part);
            });
            for_each_item<batch>([&](int u) { *simt::global_at<Part>(addresses[u]) = part(u); });
        };
        const auto decoded = [&](const auto& key) {
            if constexpr (decodes) return walk.problem.bucket.decode(key);
            else return key;
        };
        const std::uint64_t* const targets = walk.shared.targets[buffer];
        [[maybe_unused]] const std::uint64_t* const value_targets = walk.shared.value_targets[buffer];
        if constexpr (Problem::kPacks) {
            if (walk.items_out) return write(targets, [&](int u) { return items[u]; });
            using Half = Packed<typename Problem::key_type>;
            if (walk.keys_out) write(targets, [&](int u) { return decoded(Half::key(items[u])); });
            write(value_targets, [&](int u) { return Half::template value<typename Problem::value_type>(items[u]); });
        } else {
            if (walk.keys_out) write(targets, [&](int u) { return decoded(items[u]); });
            if constexpr (Problem::kHasValues) {
                typename Problem::value_type values[batch];
                for_each_item<batch>(
                    [&](int u) { values[u] = walk.ordered_values[spread<Problem::kPacks>(place_of(u))]; });
                write(value_targets, [&](int u) { return values[u]; });
            }
        }
    };
    // More packed items would find no registers beside those of the next tile.
    constexpr int batch = Problem::kItems >= 16 && !Problem::kPacks ? 4 : 2;
    std::uint32_t place = begin + static_cast<std::uint32_t>(simt::lane());
    for (; place + (batch - 1) * simt::kWarpSize < end; place += batch * simt::kWarpSize)
        store(place, std::integral_constant<int, batch>{});
    for (; place < end; place += simt::kWarpSize) store(place, std::integral_constant<int, 1>{});
}

}  // namespace kogge::grid::KOGGE_CODE
