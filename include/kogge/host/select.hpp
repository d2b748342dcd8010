// Selections by rank with host threads: items by code and index, of which std::nth_element puts one after the other in
// its place, in what the ranks before have left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/host/machine/threads.hpp"
#include "kogge/host/top_k.hpp"

namespace kogge::host {

/// Writes the keys of m ranks, each less than n, by the bits [begin_bit, end_bit) of their codes.
template <class Key, class Codec>
void select(const Key* keys, Key* out, std::uint64_t n, const std::uint64_t* ranks, std::uint64_t m, const Codec& codec,
            int begin_bit, int end_bit, int threads) {
    using Order = detail::TopKOrder<Key, Codec>;
    const Order order{keys, codec, begin_bit, end_bit};
    std::vector<typename Order::Item> items(n);
    auto* const all = items.data();
    for_chunks(n, std::uint64_t{1} << 16, threads_of(n, threads), [=](const Chunk& chunk) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) all[i] = order.item(i);
    });
    std::vector<std::uint64_t> by_rank(m);
    for (std::size_t i = 0; i < by_rank.size(); ++i) by_rank[i] = i;
    std::sort(by_rank.begin(), by_rank.end(), [=](std::uint64_t a, std::uint64_t b) { return ranks[a] < ranks[b]; });
    std::uint64_t placed = 0;  // items before that are in their places
    for (const std::uint64_t j : by_rank) {
        const std::uint64_t rank = ranks[j];
        if (rank >= placed) {
            std::nth_element(all + placed, all + rank, all + n, order);
            placed = rank + 1;
        }
        out[j] = keys[all[rank].index];
    }
}

/// Writes the key of a rank of each of `segments` segments to out[segment], if it has any: rank_of(s, length) is less
/// than the length; bounds_of(s) is a pair of begin and length.
template <class Key, class Codec, class BoundsOf, class RankOf>
void segmented_select(const Key* keys, Key* out, std::uint64_t n, std::uint64_t segments, const BoundsOf& bounds_of,
                      const RankOf& rank_of, const Codec& codec, int begin_bit, int end_bit, int threads) {
    using Order = detail::TopKOrder<Key, Codec>;
    // Segments per chunk: about 2^16 items, so that a slow thread does not hold up the others.
    const std::uint64_t together = std::clamp<std::uint64_t>(segments * 65536 / std::max<std::uint64_t>(n, 1), 1, 256);
    for_chunks(segments, together, static_cast<int>(threads_for(n, threads)), [=](const Chunk& chunk) {
        std::vector<typename Order::Item> items;
        for (std::uint64_t s = chunk.begin; s < chunk.end; ++s) {
            const auto [begin, length] = bounds_of(s);
            if (length == 0) continue;
            const Order order{keys + begin, codec, begin_bit, end_bit};
            items.resize(length);
            for (std::uint64_t i = 0; i < length; ++i) items[i] = order.item(i);
            const auto wanted = items.begin() + static_cast<std::ptrdiff_t>(rank_of(s, length));
            std::nth_element(items.begin(), wanted, items.end(), order);
            out[s] = keys[begin + wanted->index];
        }
    });
}

}  // namespace kogge::host
