// Compaction, two-way partition and emit with host threads: reduce-then-scan over item counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "kogge/detail/caller_numbers.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/detail/output_arrays.hpp"
#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

namespace detail {

template <class Item>
inline constexpr std::uint64_t kChunkItems = std::max<std::uint64_t>(1, kChunkBytes / sizeof(Item));

/// memcpy of items, or their assignment to what is no array of them.
template <class Item, class Out>
void put_items(const Out& out, const Item* from, std::uint64_t n) {
    if constexpr (std::is_same_v<Out, Item*>) copy_items(out, from, n);
    else
        for (std::uint64_t i = 0; i < n; ++i) kogge::detail::put_item(out, i, from[i]);
}

/// A chunk's items are separated into buffers, without a branch, and copied to their places once these are known. By
/// then every chunk up to this one has been read, so that the kept items may overwrite the input.
template <bool keep_rejected, class Item, class In, class Out, class Keep>
std::uint64_t sort_out(const In& in, std::uint64_t n, const Out& kept, const Out& rejected, const Keep& keep,
                       int wanted) {
    const int threads = threads_of(n, wanted);
    constexpr int kSides = keep_rejected ? 2 : 1;
    const std::uint64_t room = (std::min)(n, kChunkItems<Item>);
    const unsigned slots = slots_for(n, kChunkItems<Item>, threads);
    const Scratch<Item> buffers("compact", kSides * room * slots);
    const auto buffer_of = [room, first = buffers.data()](unsigned slot) { return first + kSides * room * slot; };
    std::vector<std::uint64_t> counts(slots);
    const auto separate = [=, counts = counts.data()](const Chunk& chunk, unsigned slot) {
        const auto from = kogge::detail::input_from(in, chunk.begin);
        const std::uint64_t size = chunk.end - chunk.begin;
        Item* const keeps = buffer_of(slot);
        [[maybe_unused]] Item* const rest = keeps + room;
        std::uint64_t count = 0;
        for (std::uint64_t i = 0; i < size; ++i) {
            const auto& item = kogge::detail::item_at<Item>(from, i);
            const bool keeps_it = keep(chunk.begin + i, item);
            copy_items(keeps + count, &item, 1);
            if constexpr (keep_rejected) copy_items(rest + (i - count), &item, 1);
            count += keeps_it;
        }
        return counts[slot] = count;
    };
    const auto place = [=, counts = counts.data()](const Chunk& chunk, unsigned slot, std::uint64_t before) {
        const std::uint64_t count = counts[slot];
        put_items(kept + before, buffer_of(slot), count);
        if constexpr (keep_rejected)
            put_items(rejected + (chunk.begin - before), buffer_of(slot) + room, chunk.end - chunk.begin - count);
    };
    return reduce_then_scan(n, kChunkItems<Item>, threads, std::uint64_t{0}, std::plus<>(), separate, place);
}

}  // namespace detail

/// Keeps the items with keep(i, in[i]), in order, and returns their number. The other items go to `rejected` unless it
/// is null; if `rejected` is `kept`, they follow the kept items, and keep is called twice per item, otherwise once.
/// `kept` may be `in`. Items are read from a pointer or anything with operator[]; outputs are pointers, also to other
/// types, or OutputFrom.
template <class In, class Out, class Keep>
std::uint64_t compact(In in, std::uint64_t n, const Out& kept, const Out& rejected, const Keep& keep, int threads) {
    using detail::sort_out;
    using Item = kogge::detail::item_of<In>;
    if (!rejected) return sort_out<false, Item>(in, n, kept, rejected, keep, threads);
    if (!(rejected == kept)) return sort_out<true, Item>(in, n, kept, rejected, keep, threads);
    const bool is_in_place = kogge::detail::are_same_place(in, kept);
    const Scratch<Item> copy("partition", is_in_place ? n : 0);
    if constexpr (std::is_pointer_v<In>)
        if (is_in_place) {
            copy_items(copy.data(), in, n, threads);
            in = copy.data();
        }
    std::atomic<std::uint64_t> total = 0;
    for_chunks(n, detail::kChunkItems<Item>, threads, [&](const Chunk& chunk) {
        std::uint64_t count = 0;
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i)
            count += keep(i, kogge::detail::item_at<Item>(in, i)) ? 1u : 0u;
        total += count;
    });
    return sort_out<true, Item>(in, n, kept, Out(kept + total.load()), keep, threads);
}

/// Item i yields make(i, 0) … make(i, count(i) − 1). Writes the first `capacity` outputs, and returns the number of all
/// outputs, as add_outputs counts them. count is called once per item. offsets (n + 1 entries) may be null. Threads
/// share the outputs evenly, whatever the counts.
template <class Count, class Make, class Out>
std::uint64_t emit(std::uint64_t n, const Count& count, const Make& make, const Out& out, std::uint64_t capacity,
                   std::uint64_t* offsets, int threads) {
    constexpr std::uint64_t kItems = 4096;
    const Scratch<std::uint64_t> own("emit", offsets ? 0 : n + 1);
    std::uint64_t* const starts = offsets ? offsets : own.data();
    const auto count_outputs = [=](const Chunk& chunk, unsigned) {
        std::uint64_t sum = 0;
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
            starts[i] = sum;
            sum += kogge::detail::output_number(count(i));
        }
        return sum;
    };
    const auto place_chunk = [=](const Chunk& chunk, unsigned, std::uint64_t before) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i)
            starts[i] = kogge::detail::add_outputs(starts[i], before);
    };
    starts[n] =
        reduce_then_scan(n, kItems, threads, std::uint64_t{0}, kogge::detail::add_outputs, count_outputs, place_chunk);
    for_chunks((std::min)(starts[n], capacity), kItems, threads, [=](const Chunk& chunk) {
        // The chunk's first output belongs to the last item that starts at or before it.
        std::uint64_t i = static_cast<std::uint64_t>(std::upper_bound(starts, starts + n, chunk.begin) - starts) - 1;
        for (std::uint64_t at = chunk.begin; at < chunk.end; ++at) {
            while (starts[i + 1] <= at) ++i;
            kogge::detail::put_made(out, at, make(i, at - starts[i]));
        }
    });
    return starts[n];
}

}  // namespace kogge::host
