// Compaction, split and emit with host threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "kogge/host/scatter.hpp"
#include "kogge/host/threads.hpp"

namespace kogge::host {

namespace detail {

inline constexpr std::uint64_t kCompactChunkBytes = 64u << 10;

/// Sorts out items without a branch; returns the number kept. All by value: behind a reference, everything would be
/// read again after each store.
template <bool keep_rejected, class Item, class Keep>
std::uint64_t sort_out(const Item* in, std::uint64_t begin, std::uint64_t size, Item* kept, Item* rejected, Keep keep) {
    std::uint64_t count = 0;
#if !defined(__CUDACC__)  // nvcc does not know it
#pragma GCC unroll 4
#endif
    for (std::uint64_t i = 0; i < size; ++i) {
        const Item& item = in[begin + i];
        const bool keeps = keep(begin + i, item);
        std::memcpy(static_cast<void*>(kept + count), &item, sizeof(Item));
        if constexpr (keep_rejected) std::memcpy(static_cast<void*>(rejected + (i - count)), &item, sizeof(Item));
        count += keeps;
    }
    return count;
}

/// Where compaction puts what it does not keep.
enum class Rejects { nowhere, apart, at_the_end };

/// Keeps in `kept`; puts the rest into `rejected`, or behind in `kept`, last one first. A worker sorts out its chunk
/// into buffers of its own while its next chunk comes into the cache, takes the number kept before it, hands on the
/// number after it, and copies. By then every chunk up to its own has been read, so `kept` may be the input.
template <Rejects rejects, class Item, class Keep>
std::uint64_t compact_chunks(const Item* in, std::uint64_t n, Item* kept, Item* rejected, const Keep& keep,
                             int threads) {
    constexpr std::uint64_t kItems = std::max<std::uint64_t>(16, kCompactChunkBytes / sizeof(Item));
    constexpr std::uint64_t kPiece = divide_up(kItems, 32);
    constexpr bool keep_rejected = rejects != Rejects::nowhere;
    threads = threads_for(n, threads);
    const std::uint64_t room = std::min(n, kItems);
    const Scratch<Item> buffers("compact", 2 * room * threads);
    const bool stream = n * sizeof(Item) >= kStreamBytes;
    Tickets tickets(divide_up(n, kItems));
    Carry<std::uint64_t> carry(0);
    share(tickets, threads, [&](int worker) {
        Item* const keeps = buffers.data() + 2 * room * worker;
        Item* const rest = keeps + room;
        std::uint64_t chunk, next;
        for (bool more = tickets.take(chunk); more; chunk = next) {
            more = tickets.take(next);
            const std::uint64_t begin = chunk * kItems, end = std::min(n, begin + kItems);
            std::uint64_t count = 0;
            for (std::uint64_t i = begin; i < end; i += kPiece) {
                if (more) prefetch(in + (next * kItems + (i - begin)), kPiece * sizeof(Item));
                count += sort_out<keep_rejected>(in, i, std::min(kPiece, end - i), keeps + count,
                                                 rest + (i - begin - count), keep);
            }
            if (!carry.wait(chunk, tickets)) return;
            const std::uint64_t before = carry.value();
            carry.value() += count;
            carry.hand_on(chunk);
            copy_bytes(kept + before, keeps, count * sizeof(Item), stream);
            const std::uint64_t left = end - begin - count, left_before = begin - before;
            if constexpr (rejects == Rejects::apart)
                copy_bytes(rejected + left_before, rest, left * sizeof(Item), stream);
            if constexpr (rejects == Rejects::at_the_end)
                std::reverse_copy(rest, rest + left, kept + (n - left_before - left));
        }
    });
    return carry.value();
}

}  // namespace detail

/// Keeps the items with keep(i, in[i]), in order, and returns how many; keep is called once an item. The others go to
/// `rejected` unless it is null, and behind the kept ones when it is `kept`. kept may be in.
template <class Item, class Keep>
std::uint64_t compact(const Item* in, std::uint64_t n, Item* kept, Item* rejected, Keep keep, int threads) {
    using detail::Rejects;
    if (!rejected) return detail::compact_chunks<Rejects::nowhere>(in, n, kept, rejected, keep, threads);
    if (rejected != kept) return detail::compact_chunks<Rejects::apart>(in, n, kept, rejected, keep, threads);
    if (in == kept) {
        const Scratch<Item> behind("partition", n);
        const std::uint64_t total = detail::compact_chunks<Rejects::apart>(in, n, kept, behind.data(), keep, threads);
        copy_items(kept + total, behind.data(), n - total, threads);
        return total;
    }
    const std::uint64_t total = detail::compact_chunks<Rejects::at_the_end>(in, n, kept, rejected, keep, threads);
    constexpr std::uint64_t kItems = 1u << 15;
    const std::uint64_t swaps = (n - total) / 2;
    for_chunks(divide_up(swaps, kItems), threads_for(swaps, threads), [&](std::uint64_t chunk) {
        const std::uint64_t begin = chunk * kItems, size = std::min(kItems, swaps - begin);
        std::swap_ranges(kept + total + begin, kept + total + begin + size,
                         std::make_reverse_iterator(kept + n - begin));
    });
    return total;
}

namespace detail {

/// A bucket function that is not trusted.
template <class Bucket>
struct CheckedBucket {
    Bucket bucket;
    std::uint32_t bins;
    const char* call;
    template <class Item>
    std::uint32_t operator()(const Item& item) const {
        const std::uint32_t bin = bucket(item);
        if (bin >= bins)
            throw error(errc::invalid_argument, call,
                        "an item's bucket is " + std::to_string(bin) + ", but there are only " + std::to_string(bins) +
                            " bins");
        return bin;
    }
};

template <class Key, class Value, class Bucket>
void split_arrays(const char* call, const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out,
                  std::uint64_t n, std::uint32_t bins, const Bucket& bucket, std::uint64_t* offsets, int threads) {
    Scatter<Key, Value> scatter(call, n, bins, threads);
    scatter.count(keys_in, CheckedBucket<Bucket>{bucket, bins, call});
    if (offsets) scatter.offsets(offsets);
    scatter.move(keys_in, keys_out, values_in, values_out, bucket);
}

}  // namespace detail

/// Sorts items stably by bucket(item) < bins. offsets (bins + 1 entries) may be null; in and out are apart.
template <class Item, class Bucket>
void split(const Item* in, Item* out, std::uint64_t n, std::uint32_t bins, Bucket bucket, std::uint64_t* offsets,
           int threads) {
    detail::split_arrays<Item, detail::Nothing>("split", in, out, nullptr, nullptr, n, bins, bucket, offsets, threads);
}

/// The same with a value moving beside each key.
template <class Key, class Value, class Bucket>
void split_pairs(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, std::uint64_t n,
                 std::uint32_t bins, Bucket bucket, std::uint64_t* offsets, int threads) {
    detail::split_arrays("split_pairs", keys_in, keys_out, values_in, values_out, n, bins, bucket, offsets, threads);
}

/// Item i yields make(i, 0) … make(i, count(i) − 1). Writes the first `capacity` outputs and returns how many there
/// are. count is called once an item. offsets (n + 1 entries) may be null. Threads share the outputs, however they are
/// spread.
template <class Count, class Make, class Out>
std::uint64_t emit(std::uint64_t n, Count count, Make make, Out* out, std::uint64_t capacity, std::uint64_t* offsets,
                   int threads) {
    constexpr std::uint64_t kItems = 4096;
    const Scratch<std::uint64_t> own("emit", offsets ? 0 : n + 1);
    std::uint64_t* const starts = offsets ? offsets : own.data();
    Tickets tickets(divide_up(n, kItems));
    Carry<std::uint64_t> carry(0);
    share(tickets, threads_for(n, threads), [&](int) {
        for (std::uint64_t chunk; tickets.take(chunk);) {
            const std::uint64_t begin = chunk * kItems, end = std::min(n, begin + kItems);
            std::uint64_t sum = 0;
            for (std::uint64_t i = begin; i < end; ++i) {
                starts[i] = sum;
                sum += static_cast<std::uint64_t>(count(i));
            }
            if (!carry.wait(chunk, tickets)) return;
            const std::uint64_t before = carry.value();
            carry.value() += sum;
            carry.hand_on(chunk);
            for (std::uint64_t i = begin; i < end; ++i) starts[i] += before;
        }
    });
    const std::uint64_t total = starts[n] = carry.value();
    const std::uint64_t written = std::min(total, capacity);
    for_chunks(divide_up(written, kItems), threads_for(written, threads), [&](std::uint64_t chunk) {
        const std::uint64_t begin = chunk * kItems, end = std::min(written, begin + kItems);
        // The last item that starts at or before the chunk has its first output.
        std::uint64_t i = static_cast<std::uint64_t>(std::upper_bound(starts, starts + n, begin) - starts) - 1;
        for (std::uint64_t at = begin; at < end; ++at) {
            while (starts[i + 1] <= at) ++i;
            out[at] = make(i, at - starts[i]);
        }
    });
    return total;
}

}  // namespace kogge::host
