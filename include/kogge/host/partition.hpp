// Compaction, two-way partition and emit with host threads: reduce-then-scan over numbers of items.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>

#include "kogge/caller_numbers.hpp"
#include "kogge/host/scratch.hpp"
#include "kogge/host/threads.hpp"

namespace kogge::host {

namespace detail {

template <class Item>
inline constexpr std::uint64_t kChunkItems = std::max<std::uint64_t>(1, kChunkBytes / sizeof(Item));

/// A worker sorts out its chunk into buffers of its own, without a branch, and copies them to their places when it
/// learns these. By then every chunk up to its own has been read, so the items kept may overwrite the input.
template <bool keep_rejected, class Item, class Keep>
std::uint64_t sort_out(const Item* in, std::uint64_t n, Item* kept, Item* rejected, const Keep& keep, int threads) {
    const std::uint64_t room = (std::min)(n, kChunkItems<Item>);
    const Scratch<Item> buffers("compact", 2 * room * threads_for(n, threads));
    const auto move_chunk = [=, &buffers](const Chunk& chunk, const auto& swap) {
        const Item* const from = in + chunk.begin;
        const std::uint64_t size = chunk.end - chunk.begin;
        Item* const keeps = buffers.data() + 2 * room * chunk.worker;
        [[maybe_unused]] Item* const rest = keeps + room;
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < size; ++i) {
            const bool keeps_it = keep(chunk.begin + i, from[i]);
            copy_items(keeps + count, from + i, 1);
            if constexpr (keep_rejected) copy_items(rest + (i - count), from + i, 1);
            count += keeps_it;
        }
        const std::uint64_t before = swap(count);
        copy_items(kept + before, keeps, count);
        if constexpr (keep_rejected) copy_items(rejected + (chunk.begin - before), rest, size - count);
    };
    return reduce_then_scan(n, kChunkItems<Item>, threads, std::uint64_t{0}, std::plus<>(), move_chunk);
}

}  // namespace detail

/// Keeps the items with keep(i, in[i]), in order, and returns how many. The others go to `rejected` unless it is null,
/// and behind the kept ones when it is `kept`; then keep is called twice an item, otherwise once. kept may be in.
template <class Item, class Keep>
std::uint64_t compact(const Item* in, std::uint64_t n, Item* kept, Item* rejected, const Keep& keep, int threads) {
    if (!rejected) return detail::sort_out<false>(in, n, kept, rejected, keep, threads);
    if (rejected != kept) return detail::sort_out<true>(in, n, kept, rejected, keep, threads);
    const Scratch<Item> copy("partition", in == kept ? n : 0);
    if (in == kept) {
        copy_items(copy.data(), in, n, threads);
        in = copy.data();
    }
    std::atomic<std::uint64_t> total = 0;
    for_chunks(n, detail::kChunkItems<Item>, threads, [&](const Chunk& chunk) {
        std::uint64_t count = 0;
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) count += keep(i, in[i]) ? 1u : 0u;
        total += count;
    });
    return detail::sort_out<true>(in, n, kept, kept + total, keep, threads);
}

/// Item i yields make(i, 0) … make(i, count(i) − 1). Writes the first `capacity` outputs and returns how many there
/// are. count is called once an item. offsets (n + 1 entries) may be null. Threads share the outputs, however they are
/// spread.
template <class Count, class Make, class Out>
std::uint64_t emit(std::uint64_t n, const Count& count, const Make& make, Out* out, std::uint64_t capacity,
                   std::uint64_t* offsets, int threads) {
    constexpr std::uint64_t kItems = 4096;
    const Scratch<std::uint64_t> own("emit", offsets ? 0 : n + 1);
    std::uint64_t* const starts = offsets ? offsets : own.data();
    const auto place_chunk = [=](const Chunk& chunk, const auto& swap) {
        std::uint64_t sum = 0;
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
            starts[i] = sum;
            sum += kogge::detail::output_number(count(i));
        }
        const std::uint64_t before = swap(sum);
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) starts[i] += before;
    };
    starts[n] = reduce_then_scan(n, kItems, threads, std::uint64_t{0}, std::plus<>(), place_chunk);
    for_chunks((std::min)(starts[n], capacity), kItems, threads, [=](const Chunk& chunk) {
        // The last item that starts at or before the chunk has its first output.
        std::uint64_t i = static_cast<std::uint64_t>(std::upper_bound(starts, starts + n, chunk.begin) - starts) - 1;
        for (std::uint64_t at = chunk.begin; at < chunk.end; ++at) {
            while (starts[i + 1] <= at) ++i;
            out[at] = make(i, at - starts[i]);
        }
    });
    return starts[n];
}

}  // namespace kogge::host
