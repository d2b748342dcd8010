// Marks and lists the segments of a segmented sort. See segmented/list.cuh.
#include <algorithm>

#include "kogge/segmented/list.cuh"

namespace kogge::grid {
namespace {

constexpr int kListThreads = 256;

/// Segments 0 … `segments`: the one before the first offset, then those that the offsets begin. Offsets past n count
/// as n. Where an offset falls, `falls` says so, and what is marked and listed is of no use.
template <class Offsets>
KOGGE_DEVICE void list_by_offsets(const Offsets& offsets, std::uint64_t segments, const SegmentShape& shape,
                                  const SegmentMemory& memory) {
    const std::uint64_t n = shape.n.get();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kListThreads;
    const auto offset = [&](std::uint64_t s) { return offsets[s] < n ? offsets[s] : n; };
    for (std::uint64_t first = static_cast<std::uint64_t>(simt::block_rank()) * kListThreads +
                               static_cast<std::uint64_t>(simt::warp_rank() * simt::kWarpSize);
         first <= segments; first += step) {
        const std::uint64_t s = first + static_cast<std::uint64_t>(simt::lane());
        const bool real = s <= segments;
        const std::uint64_t begin = real && s > 0 ? offset(s - 1) : 0;
        const std::uint64_t end = !real ? begin : s < segments ? offset(s) : n;
        // As given, not as bounded: past n, too, offsets that fall are a mistake.
        if (real && s > 0 && s < segments && offsets[s] < offsets[s - 1]) simt::store_relaxed(memory.falls, 1);
        mark_segments(memory.marks, begin < end ? begin : n, n);
        const bool is_long = begin < end && end - begin > shape.longest_short;
        list_long(memory.list(0), is_long, begin, end, SegmentPlace::input, shape.passes * kDigitBits,
                  shape.tile_items);
    }
}

KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4) list_segments_kernel(SegmentShape shape, SegmentMemory memory) {
    simt::wait_for_stream();
    list_by_offsets(shape.offsets, shape.segments, shape, memory);
}

/// Offsets of any type, or rows, whose number may stand on the device.
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4)
    list_any_segments_kernel(detail::SegmentBounds segments, SegmentShape shape, SegmentMemory memory) {
    simt::wait_for_stream();
    list_by_offsets(detail::SegmentBegins{segments}, segments.number(), shape, memory);
}

// ---- begins and ends apart -----------------------------------------------------------------------------
// Three kernels: one marks, lists, and sets a bit per item of the short segments; one sets the bits of the long ones,
// tile by tile; and one marks what has no bit. Segments overlap where their lengths add up to more than n, or where a
// bit is set twice. Global traffic besides the list's own: the bits are written and read once each.

/// Sets the bits of a word that lie in [begin, end). Returns whether one was set before.
KOGGE_DEVICE bool cover_word(std::uint32_t* covered, std::uint64_t word, std::uint64_t begin, std::uint64_t end) {
    const std::uint64_t first = word * simt::kWarpSize, behind = first + simt::kWarpSize;
    std::uint32_t bits = ~0u;
    if (begin > first) bits &= ~0u << (begin - first);
    if (end < behind) bits &= ~0u >> (behind - end);
    return (simt::atomic_or<simt::Scope::device>(covered + word, bits) & bits) != 0;
}

KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4)
    list_bounded_segments_kernel(detail::SegmentBounds segments, SegmentShape shape, SegmentMemory memory) {
    simt::wait_for_stream();
    constexpr std::uint64_t few = 2;  // words that a lane sets alone
    const std::uint64_t n = shape.n.get(), number = segments.number();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kListThreads;
    const auto lane = static_cast<std::uint64_t>(simt::lane());
    std::uint64_t items = 0;
    bool overlap = false;
    for (std::uint64_t first = static_cast<std::uint64_t>(simt::block_rank()) * kListThreads +
                               static_cast<std::uint64_t>(simt::warp_rank() * simt::kWarpSize);
         first < number; first += step) {
        const std::uint64_t s = first + lane;
        const detail::SegmentBounds::Bounds own =
            s < number ? segments.at(s, number, n) : detail::SegmentBounds::Bounds{0, 0};
        const std::uint64_t length = own.end - own.begin;
        items += length;
        if (length > 0) mark_segment(memory.marks, own.begin, SegmentPlace::none, SegmentPlace::input);
        list_long(memory.list(0), length > shape.longest_short, own.begin, own.end, SegmentPlace::input,
                  shape.passes * kDigitBits, shape.tile_items);
        const std::uint64_t word = own.begin / simt::kWarpSize;
        const std::uint64_t words = length == 0 ? 0 : (own.end - 1) / simt::kWarpSize - word + 1;
        for (std::uint64_t w = 0; w < words && words <= few; ++w)
            overlap |= cover_word(memory.covered, word + w, own.begin, own.end);
        // The lanes set the words of each other short segment together.
        for (simt::mask_t left = simt::ballot(words > few && length <= shape.longest_short); left != 0;
             left &= left - 1) {
            const int owner = simt::lowest_bit(left);
            const std::uint64_t begin = simt::shuffle(own.begin, owner), end = simt::shuffle(own.end, owner);
            for (std::uint64_t w = begin / simt::kWarpSize + lane; w * simt::kWarpSize < end; w += simt::kWarpSize)
                overlap |= cover_word(memory.covered, w, begin, end);
        }
    }
    KOGGE_UNROLL
    for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2) items += simt::shuffle_xor(items, lanes);
    if (lane == 0 && items > 0) simt::atomic_add<simt::Scope::device>(memory.covered_items, items);
    if (overlap) simt::store_relaxed(memory.falls, 1);
}

KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4) cover_long_kernel(SegmentShape shape, SegmentMemory memory) {
    simt::wait_for_stream();
    if (*memory.covered_items > shape.n.get()) return;  // the list may be incomplete
    const LongList list = memory.list(0);
    const std::uint64_t tiles = *list.listed & 0xffffffffu;
    bool overlap = false;
    for (std::uint64_t tile = simt::block_rank(); tile < tiles; tile += simt::grid_size()) {
        const LongSegment segment = list.longs[list.tiles[tile]];
        const std::uint64_t from = segment.begin + (tile - segment.first_tile) * shape.tile_items;
        const std::uint64_t to = from + shape.tile_items < segment.end ? from + shape.tile_items : segment.end;
        for (std::uint64_t w = from / simt::kWarpSize + static_cast<std::uint64_t>(simt::thread_rank());
             w * simt::kWarpSize < to; w += kListThreads)
            overlap |= cover_word(memory.covered, w, from, to);
    }
    if (overlap) simt::store_relaxed(memory.falls, 1);
}

/// Words that a warp looks at together: more items than a short segment, or a window, may have.
KOGGE_HOST_DEVICE std::uint64_t words_together(const SegmentShape& shape) {
    const std::uint64_t longest =
        shape.longest_short > shape.window_items ? shape.longest_short : std::uint64_t{shape.window_items};
    return longest / simt::kWarpSize + 1;
}

KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4) mark_gaps_kernel(SegmentShape shape, SegmentMemory memory) {
    simt::wait_for_stream();
    constexpr std::uint64_t warps = kListThreads / simt::kWarpSize;
    const std::uint64_t n = shape.n.get(), words = divide_up(n, simt::kWarpSize), together = words_together(shape);
    const auto lane = static_cast<std::uint64_t>(simt::lane());
    if (simt::block_rank() == 0 && simt::thread_rank() == 0 && *memory.covered_items > n)
        simt::store_relaxed(memory.falls, 1);
    for (std::uint64_t first = (simt::block_rank() * warps + static_cast<std::uint64_t>(simt::warp_rank())) * together;
         first < words; first += simt::grid_size() * warps * together) {
        const std::uint64_t behind = first + together < words ? first + together : words;
        std::uint32_t any = 0;
        for (std::uint64_t w = first + lane; w < behind; w += simt::kWarpSize) any |= memory.covered[w];
        const bool is_empty = !simt::any(any != 0) && (first + together) * simt::kWarpSize <= n;
        if (is_empty) {  // one mark, of a segment that no list holds
            if (lane == 0) {
                memory.marks[2 * first] |= 1u;
                memory.marks[2 * first + 1] |= 1u;
            }
            continue;
        }
        for (std::uint64_t w = first + lane; w < behind; w += simt::kWarpSize) {
            const std::uint64_t rest = n - w * simt::kWarpSize;
            const std::uint32_t gap = ~memory.covered[w] & (rest < simt::kWarpSize ? ~(~0u << rest) : ~0u);
            if (gap == 0) continue;
            memory.marks[2 * w] |= gap;
            memory.marks[2 * w + 1] |= gap;
        }
    }
}

// ---- indices -------------------------------------------------------------------------------------------

constexpr std::uint64_t kAlone = 8;  // indices that a lane changes alone

/// Takes the begin of each segment from the indices in its places. Parts of long segments are listed.
template <class Index>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4)
    count_from_begins_kernel(detail::SegmentBounds segments, Index* indices, Count of, SegmentMemory memory) {
    simt::wait_for_stream();
    if (*memory.falls != 0) return;  // nothing is sorted
    const std::uint64_t n = of.get(), number = segments.number();
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kListThreads;
    const auto lane = static_cast<std::uint64_t>(simt::lane());
    for (std::uint64_t first = static_cast<std::uint64_t>(simt::block_rank()) * kListThreads +
                               static_cast<std::uint64_t>(simt::warp_rank() * simt::kWarpSize);
         first < number; first += step) {
        const std::uint64_t s = first + lane;
        const detail::SegmentBounds::Bounds own =
            s < number ? segments.at(s, number, n) : detail::SegmentBounds::Bounds{0, 0};
        const std::uint64_t length = own.begin == 0 ? 0 : own.end - own.begin;
        if (length <= kAlone)
            for (std::uint64_t i = own.begin; i < own.begin + length; ++i)
                indices[i] = static_cast<Index>(indices[i] - own.begin);
        for (simt::mask_t left = simt::ballot(length > kAlone); left != 0; left &= left - 1) {
            const int owner = simt::lowest_bit(left);
            const std::uint64_t begin = simt::shuffle(own.begin, owner), end = simt::shuffle(own.end, owner);
            if (end - begin <= kPieceItems) {
                for (std::uint64_t i = begin + lane; i < end; i += simt::kWarpSize)
                    indices[i] = static_cast<Index>(indices[i] - begin);
                continue;
            }
            const std::uint64_t pieces = divide_up(end - begin, kPieceItems);
            std::uint64_t place = 0;
            if (lane == 0) place = simt::atomic_add<simt::Scope::device>(memory.pieces.listed, pieces);
            place = simt::shuffle(place, 0);
            for (std::uint64_t p = lane; p < pieces; p += simt::kWarpSize) {
                const std::uint64_t from = begin + p * kPieceItems,
                                    to = from + kPieceItems < end ? from + kPieceItems : end;
                memory.pieces.pieces[place + p] = {begin, from, to};
            }
        }
    }
}

template <class Index>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kListThreads, 4)
    count_pieces_from_begins_kernel(Index* indices, SegmentPieces pieces) {
    simt::wait_for_stream();
    const std::uint64_t listed = *pieces.listed;
    for (std::uint64_t p = simt::block_rank(); p < listed; p += simt::grid_size()) {
        const SegmentPiece piece = pieces.pieces[p];
        for (std::uint64_t i = piece.from + static_cast<std::uint64_t>(simt::thread_rank()); i < piece.to;
             i += kListThreads)
            indices[i] = static_cast<Index>(indices[i] - piece.begin);
    }
}

simt::LaunchShape shape_for(std::uint64_t blocks, stream_t stream, const char* name) {
    const auto multiprocessors = static_cast<std::uint64_t>(simt::properties_of(stream).multiprocessors);
    return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, 8 * multiprocessors)), kListThreads, 0,
            stream, name};
}

}  // namespace

void list_segments(const detail::SegmentBounds& segments, const item_count& n, const segmented_sort_plan& plan,
                   const SegmentMemory& memory, stream_t stream) {
    SegmentShape shape = segment_shape({n.bound(), n.on_device()}, plan);
    const auto listing = [&](const char* name) {
        return shape_for(divide_up(segments.most + 1, kListThreads), stream, name);
    };
    if (segments.are_plain()) {
        shape.offsets = static_cast<const std::uint64_t*>(segments.begins.first);
        shape.segments = segments.most;
        return simt::launch(list_segments_kernel, listing("list_segments_kernel"), shape, memory);
    }
    if (!segments.have_ends)
        return simt::launch(list_any_segments_kernel, listing("list_any_segments_kernel"), segments, shape, memory);
    simt::launch(list_bounded_segments_kernel, listing("list_bounded_segments_kernel"), segments, shape, memory);
    if (plan.may_be_long)
        simt::launch(cover_long_kernel, shape_for(plan.most_tiles, stream, "cover_long_kernel"), shape, memory);
    simt::launch(mark_gaps_kernel,
                 shape_for(divide_up(n.bound(), words_together(shape) * kListThreads), stream, "mark_gaps_kernel"),
                 shape, memory);
}

void count_from_begins(void* indices, std::size_t index_bytes, const detail::SegmentBounds& segments,
                       const item_count& n, const SegmentMemory& memory, stream_t stream) {
    const auto count = [&]<class Index>(Index* of) {
        simt::launch(count_from_begins_kernel<Index>,
                     shape_for(divide_up(segments.most, kListThreads), stream, "count_from_begins_kernel"), segments,
                     of, Count{n.bound(), n.on_device()}, memory);
        simt::launch(count_pieces_from_begins_kernel<Index>,
                     shape_for(memory.pieces.most, stream, "count_pieces_from_begins_kernel"), of, memory.pieces);
    };
    if (index_bytes == 4) count(static_cast<std::uint32_t*>(indices));
    else count(static_cast<std::uint64_t*>(indices));
}

}  // namespace kogge::grid
