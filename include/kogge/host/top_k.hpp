// Top-k with host threads. Each thread keeps the first items of what it has seen: items before its bound are added, and
// when it has twice k of them, std::nth_element leaves k and gives a new bound. The threads' items are joined, and
// their first k put in order. A k of more than an eighth of n sorts everything.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"
#include "kogge/host/radix_sort.hpp"
#include "kogge/host/segmented_sort.hpp"
#include "kogge/keys.hpp"

namespace kogge::host {

namespace detail {

/// The order of items by code and index. Numbers are encoded once; structs are compared where they are.
template <class Key, class Codec>
struct TopKOrder {
    struct Item {
        std::uint64_t index;
    };
    const Key* keys;
    Codec codec;
    int begin, end;

    Item item(std::uint64_t index) const { return {index}; }
    bool operator()(const Item& a, const Item& b) const {
        if (comes_before(codec, keys[a.index], keys[b.index], begin, end)) return true;
        return a.index < b.index && !comes_before(codec, keys[b.index], keys[a.index], begin, end);
    }
};
template <class Key>
struct TopKOrder<Key, kogge::detail::NumberCodec<Key>> {
    struct Item {
        Key code;
        std::uint64_t index;
    };
    const Key* keys;
    kogge::detail::NumberCodec<Key> codec;
    int begin, end;

    Item item(std::uint64_t index) const {
        if (begin == end) return {0, index};
        const int above = kogge::detail::NumberCodec<Key>::kBits - end;
        const Key code = static_cast<Key>(codec.encode(keys[index]) << above);
        return {static_cast<Key>(code >> (above + begin)), index};
    }
    bool operator()(const Item& a, const Item& b) const {
        return a.code < b.code || (a.code == b.code && a.index < b.index);
    }
};

/// The first items of all that were added, in any order.
template <class Order>
class FirstItems {
public:
    using Item = typename Order::Item;

    void add(const Order& order, const Item& item, std::uint64_t k) {
        if (items_.size() >= k && is_bounded_ && !order(item, bound_)) return;
        items_.push_back(item);
        if (items_.size() >= 2 * k + 1024) leave(order, k);
    }
    /// At most k items stay.
    void leave(const Order& order, std::uint64_t k) {
        if (items_.size() <= k) return;
        std::nth_element(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(k - 1), items_.end(), order);
        items_.resize(k);
        bound_ = items_.back();
        is_bounded_ = true;
    }
    std::vector<Item>& items() { return items_; }

private:
    std::vector<Item> items_;
    Item bound_{};
    bool is_bounded_ = false;
};

/// Writes what belongs to the items index_at(0 … k − 1).
template <class Key, class IndexAt>
void write_first(const Key* keys, std::uint64_t k, const grid::top_k_arrays& arrays, int threads,
                 const IndexAt& index_at) {
    for_chunks(k, 1u << 14, threads, [&](const Chunk& chunk) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
            const std::uint64_t index = index_at(i);
            if (arrays.writes_keys) static_cast<Key*>(arrays.keys)[i] = keys[index];
            if (arrays.index_bytes == 4) {
                const auto narrow = static_cast<std::uint32_t>(index);
                std::memcpy(static_cast<std::uint32_t*>(arrays.indices) + i, &narrow, sizeof narrow);
            } else if (arrays.index_bytes == 8) {
                std::memcpy(static_cast<std::uint64_t*>(arrays.indices) + i, &index, sizeof index);
            }
            for (std::size_t a = 0; a < arrays.value_count(); ++a) {
                const grid::value_array& values = arrays.values[a];
                std::memcpy(static_cast<std::byte*>(values.out) + i * values.bytes,
                            static_cast<const std::byte*>(values.in) + index * values.bytes, values.bytes);
            }
        }
    });
}

template <class Key, class Codec>
void top_k_by_sort(const Key* keys, std::uint64_t n, std::uint64_t k, const Codec& codec, int begin_bit, int end_bit,
                   const grid::top_k_arrays& arrays, int threads) {
    if (arrays.index_bytes == 0 && arrays.value_count() == 0) {
        const Scratch<Key> sorted("top_k", n);
        radix_sort(keys, sorted.data(), n, codec, begin_bit, end_bit, {}, threads);
        return copy_items(static_cast<Key*>(arrays.keys), sorted.data(), k, threads);
    }
    const auto sort = [&]<class Index>(Index) {
        const Scratch<Index> order("top_k", n);
        const grid::value_array indices{nullptr, order.data(), sizeof(Index), alignof(Index)};
        radix_sort(keys, static_cast<Key*>(nullptr), n, codec, begin_bit, end_bit, {&indices, 1}, threads);
        const Index* const index = order.data();
        write_first(keys, k, arrays, threads, [=](std::uint64_t i) { return std::uint64_t{index[i]}; });
    };
    if (n <= std::uint64_t{1} << 32) sort(std::uint32_t{});
    else sort(std::uint64_t{});
}

}  // namespace detail

/// Writes the first k ≥ 1 of n keys by the bits [begin_bit, end_bit) of their codes.
template <class Key, class Codec>
void top_k(const Key* keys, std::uint64_t n, std::uint64_t k, const Codec& codec, int begin_bit, int end_bit,
           const grid::top_k_arrays& arrays, int wanted_threads) {
    const int threads = threads_of(n, wanted_threads);
    if (k > n / 8 && n > 64) return detail::top_k_by_sort(keys, n, k, codec, begin_bit, end_bit, arrays, threads);
    using Order = detail::TopKOrder<Key, Codec>;
    const Order order{keys, codec, begin_bit, end_bit};
    // Each thread has room of its own, and its chunks are long beside k.
    std::vector<detail::FirstItems<Order>> found(static_cast<std::size_t>(threads));
    for_chunks(n, std::max<std::uint64_t>(kChunkBytes / sizeof(Key), 1), threads,
               [&found, order, k](const Chunk& chunk) {
                   detail::FirstItems<Order> first = std::move(found[chunk.worker]);
                   for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) first.add(order, order.item(i), k);
                   found[chunk.worker] = std::move(first);
               });
    std::vector<typename Order::Item> items;
    for (auto& first : found) {
        first.leave(order, k);
        items.insert(items.end(), first.items().begin(), first.items().end());
    }
    std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(k), items.end(), order);
    detail::write_first(keys, k, arrays, threads, [&](std::uint64_t i) { return items[i].index; });
}

/// Writes the first k of each of `segments` segments, or as many as it has, or each_k, unless null, says, to places k
/// apart; bounds_of(s) is a pair of begin and length.
template <class Key, class Codec, class BoundsOf>
void segmented_top_k(const Key* keys, std::uint64_t n, std::uint64_t segments, const BoundsOf& bounds_of,
                     std::uint64_t k, const std::uint64_t* each_k, const Codec& codec, int begin_bit, int end_bit,
                     const grid::top_k_arrays& arrays, int threads) {
    using Order = detail::TopKOrder<Key, Codec>;
    // Segments per chunk: about 2^16 items, so that a slow thread does not hold up the others.
    const std::uint64_t together = std::clamp<std::uint64_t>(segments * 65536 / std::max<std::uint64_t>(n, 1), 1, 256);
    for_chunks(segments, together, static_cast<int>(threads_for(n, threads)), [=](const Chunk& chunk) {
        std::vector<typename Order::Item> items;
        for (std::uint64_t s = chunk.begin; s < chunk.end; ++s) {
            const auto [begin, length] = bounds_of(s);
            const Order order{keys + begin, codec, begin_bit, end_bit};
            items.resize(length);
            for (std::uint64_t i = 0; i < length; ++i) items[i] = order.item(i);
            const std::uint64_t first = (std::min)({k, length, each_k ? each_k[s] : k});
            std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first), items.end(), order);
            grid::top_k_arrays own = arrays;
            const auto move = [](auto*& array, std::uint64_t bytes) {
                using Byte =
                    std::conditional_t<std::is_const_v<std::remove_pointer_t<std::remove_cvref_t<decltype(array)>>>,
                                       const std::byte, std::byte>;
                array = static_cast<Byte*>(array) + bytes;
            };
            if (own.writes_keys) move(own.keys, s * k * sizeof(Key));
            if (own.index_bytes > 0) move(own.indices, s * k * own.index_bytes);
            for (grid::value_array& values : own.values) {
                move(values.in, begin * values.bytes);
                move(values.out, s * k * values.bytes);
            }
            detail::write_first(keys + begin, first, own, 1, [&](std::uint64_t i) { return items[i].index; });
        }
    });
}

}  // namespace kogge::host
