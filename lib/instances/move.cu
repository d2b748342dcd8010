// Items moved as bytes. See engine/gather.cuh.
#include "kogge/engine/gather.cuh"
#include "kogge/engine/store_offsets.cuh"

namespace kogge::grid {
namespace {

/// A word size that divides `bytes` and all the addresses.
int word_bytes(std::size_t bytes, const void* a, const void* b) {
    const std::uintptr_t all = bytes | reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b);
    return all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : all % 2 == 0 ? 2 : 1;
}

/// out item i = in item indices[i], or in item i where indices is null; items of `words` words. With `gaps`, an index
/// of all ones says that an item is not written.
template <class Word, class Index, bool gaps>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    gather_words_kernel(const Word* in, Word* out, const Index* indices, Count count, std::uint64_t words) {
    simt::wait_for_stream();
    const std::uint64_t total = count.get() * words;
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank();
         i < total; i += step) {
        const std::uint64_t item = i / words;
        const std::uint64_t source = indices ? static_cast<std::uint64_t>(indices[item]) : item;
        if constexpr (gaps)
            if (indices[item] == static_cast<Index>(~Index{0})) continue;
        out[i] = in[source * words + (i - item * words)];
    }
}

template <class Index>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4) write_indices_kernel(Index* out, Count count) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kMoveThreads;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads + simt::thread_rank(); i < n;
         i += step)
        out[i] = static_cast<Index>(i);
}

KOGGE_KERNEL void write_least_kernel(std::uint64_t* out, Count a, Count b) {
    simt::wait_for_stream();
    if (simt::thread_rank() == 0) *out = a.get() < b.get() ? a.get() : b.get();
}

/// Gathers items of any size; `indices` may be null for a plain copy. `in` and `out` do not overlap.
template <class Index>
void gather_items(const void* in, void* out, std::size_t item_bytes, const Index* indices, const item_count& n,
                  stream_t stream, bool gaps = false) {
    const auto gather = [&]<class Word>(Word) {
        const std::uint64_t words = item_bytes / sizeof(Word);
        simt::launch(gaps ? gather_words_kernel<Word, Index, true> : gather_words_kernel<Word, Index, false>,
                     move_shape(n.bound() * words, stream, "gather_words_kernel"), static_cast<const Word*>(in),
                     static_cast<Word*>(out), indices, Count{n.bound(), n.on_device()}, words);
    };
    switch (word_bytes(item_bytes, in, out)) {
        case 8:
            return gather(std::uint64_t{});
        case 4:
            return gather(std::uint32_t{});
        case 2:
            return gather(std::uint16_t{});
        default:
            return gather(std::uint8_t{});
    }
}

}  // namespace

void write_indices(void* out, std::size_t index_bytes, const item_count& n, stream_t stream) {
    const auto write = [&]<class Index>(Index* to) {
        simt::launch(write_indices_kernel<Index>, move_shape(n.bound(), stream, "write_indices_kernel"), to,
                     Count{n.bound(), n.on_device()});
    };
    if (index_bytes == 4) write(static_cast<std::uint32_t*>(out));
    else write(static_cast<std::uint64_t*>(out));
}

void write_least(std::uint64_t* out, const item_count& a, const item_count& b, stream_t stream) {
    simt::launch(write_least_kernel, {1, simt::kWarpSize, 0, stream, "write_least_kernel"}, out,
                 Count{a.bound(), a.on_device()}, Count{b.bound(), b.on_device()});
}

void store_offsets(const detail::SegmentBounds& segments, std::uint64_t* out, stream_t stream) {
    store_offsets(detail::SegmentBegins{segments}, out, Count{segments.most, segments.count}, stream);
}

void copy_items(const void* in, void* out, std::size_t item_bytes, const item_count& n, stream_t stream) {
    if (in == out) return;
    if (n.on_device()) gather_items(in, out, item_bytes, static_cast<const std::uint32_t*>(nullptr), n, stream);
    else simt::copy(out, in, n.bound() * item_bytes, stream);
}

void gather_values(std::span<const value_array> values, const void* indices, std::size_t index_bytes, void* copy,
                   const item_count& n, stream_t stream, bool gaps) {
    for (const value_array& array : values) {
        const void* source = array.in;
        if (array.in == array.out) {
            copy_items(array.in, copy, array.bytes, n, stream);
            source = copy;
        }
        if (index_bytes == 4)
            gather_items(source, array.out, array.bytes, static_cast<const std::uint32_t*>(indices), n, stream, gaps);
        else gather_items(source, array.out, array.bytes, static_cast<const std::uint64_t*>(indices), n, stream, gaps);
    }
}

}  // namespace kogge::grid
