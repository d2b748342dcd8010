// A window of places on chip: where its segments begin and end. Global traffic: two bits per place that the block may
// hold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/segmented/list.cuh"
#include "kogge/segmented/long.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Value, class Bucket>
struct ShortProblem {
    using key_type = Key;
    using value_type = Value;
    using bucket_type = Bucket;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(Value) : 0;
    /// The most items per thread; a device with little shared memory has fewer on chip.
    static constexpr int kItems = short_items(sizeof(Key) > kValueBytes ? sizeof(Key) : kValueBytes);

    SegmentRoute<Key, Value> route;
    Bucket bucket;
    SegmentShape shape;
    SegmentMemory memory;
};

/// The places [first, end), counted from `base`, that the block sorts: the short segments that begin in the window,
/// whole.
struct Window {
    std::uint64_t base;
    std::uint32_t first;
    std::uint32_t end;
    SegmentPlace from;  ///< where all items are; none: in several buffers

    KOGGE_DEVICE std::uint32_t count() const { return end - first; }
    /// Rows of 32 places.
    KOGGE_DEVICE std::uint32_t first_row() const { return first / simt::kWarpSize; }
    KOGGE_DEVICE std::uint32_t end_row() const { return (end + simt::kWarpSize - 1) / simt::kWarpSize; }
};

/// The marks of the places that the block may hold, in shared memory.
struct WindowMarks {
    static constexpr std::uint32_t kRows = static_cast<std::uint32_t>(short_items(1) * kShortThreads / simt::kWarpSize);
    static constexpr std::uint32_t kNone = 0xffff;

    std::uint32_t planes[2 * kRows];                ///< per row: the low bits of its marks, then the high bits
    std::uint32_t marked[kRows / simt::kWarpSize];  ///< a bit per row: a segment begins there
    std::uint32_t kinds[kRows / simt::kWarpSize];   ///< per 32 rows, a bit per kind of mark (less one) in them
    std::uint16_t last_before[kRows + 1];           ///< the last place before a row where a segment begins
    std::uint16_t next_from[kRows + 1];             ///< the first place in a row or later
    std::uint32_t longest;  ///< length of the window's longest segment of those that meet two rows; 0: there is none

    /// Loads the marks of `capacity` places. All threads call; a block barrier and index() must follow.
    KOGGE_DEVICE void load(const std::uint32_t* marks, std::uint64_t base, std::uint64_t capacity, std::uint64_t n) {
        const auto row = static_cast<std::uint32_t>(simt::thread_rank());
        if (row == kRows) longest = 0;
        if (row >= kRows) return;
        const std::uint64_t place = static_cast<std::uint64_t>(row) * simt::kWarpSize;
        const bool real = place < capacity && base + place < n;
        const std::uint32_t* const word = marks + 2 * ((base + place) / simt::kWarpSize);
        const std::uint32_t low = real ? word[0] : 0, high = real ? word[1] : 0;
        planes[2 * row] = low;
        planes[2 * row + 1] = high;
        const simt::mask_t any = simt::ballot((low | high) != 0);
        const std::uint32_t met = (simt::any((low & ~high) != 0) ? 1u : 0u) |
                                  (simt::any((high & ~low) != 0) ? 2u : 0u) | (simt::any((low & high) != 0) ? 4u : 0u);
        if (simt::lane() != 0) return;
        marked[row / simt::kWarpSize] = any;
        kinds[row / simt::kWarpSize] = met;
    }
    /// Finds, for all rows, the nearest beginnings of segments. All threads call; a block barrier must follow.
    KOGGE_DEVICE void index() {
        const auto row = static_cast<std::uint32_t>(simt::thread_rank());
        if (row > kRows) return;
        last_before[row] = static_cast<std::uint16_t>(find_last(row));
        next_from[row] = static_cast<std::uint16_t>(find_next(row));
    }
    /// Finds `longest`. All threads call, after index(); a block barrier must follow.
    KOGGE_DEVICE void measure(const SegmentShape& shape, std::uint64_t base, std::uint64_t capacity) {
        const auto row = static_cast<std::uint32_t>(simt::thread_rank());
        if (row / simt::kWarpSize > kRows / simt::kWarpSize) return;
        std::uint32_t length = 0;
        // The segment that a row begins in the midst of; the thread itself has found its bounds.
        if (row <= kRows && last_before[row] < shape.window_items) {
            const std::uint32_t end = end_or_rest(next_from[row], shape, base, capacity);
            const bool is_last = next_from[row] >= shape.window_items;  // if it is long, the window ends before it
            if (end != kNone && !(is_last && end - last_before[row] > shape.longest_short))
                length = end - last_before[row];
        }
        length = simt::reduce_max(length);
        if (simt::lane() == 0 && length > 0) simt::atomic_max<simt::Scope::block>(&longest, length);
    }
    KOGGE_DEVICE std::uint32_t begins_in(std::uint32_t row) const { return planes[2 * row] | planes[2 * row + 1]; }
    KOGGE_DEVICE SegmentPlace from(std::uint32_t begin) const {
        const std::uint32_t row = begin / simt::kWarpSize, bit = begin % simt::kWarpSize;
        return static_cast<SegmentPlace>((planes[2 * row] >> bit & 1u) | (planes[2 * row + 1] >> bit & 1u) << 1);
    }
    /// Where the items of a place's segment are.
    KOGGE_DEVICE SegmentPlace from_place(std::uint32_t place) const {
        const std::uint32_t row = place / simt::kWarpSize, up_to_own = (2u << place % simt::kWarpSize) - 1u;
        const std::uint32_t own = begins_in(row) & up_to_own;
        return from(own != 0 ? row * simt::kWarpSize + static_cast<std::uint32_t>(simt::highest_bit(own))
                             : last_before[row]);
    }
    /// The short segments of the window.
    KOGGE_DEVICE Window window(const SegmentShape& shape, std::uint64_t base, std::uint64_t capacity) const {
        const std::uint32_t beyond = shape.window_items / simt::kWarpSize;
        const std::uint32_t first = next_from[0], last = last_before[beyond];
        if (last == kNone) return {base, 0, 0, SegmentPlace::none};
        const std::uint32_t end = end_or_rest(next_from[beyond], shape, base, capacity);
        std::uint32_t met = 0;
        KOGGE_UNROLL
        for (std::uint32_t word = 0; word < kRows / simt::kWarpSize; ++word) met |= kinds[word];
        const SegmentPlace from = met == 1   ? SegmentPlace::input
                                  : met == 2 ? SegmentPlace::other
                                  : met == 4 ? SegmentPlace::output
                                             : SegmentPlace::none;
        // The last segment may be too long for the block. One that ends in the window fits even if it has been listed.
        return {base, first, end == kNone || end - last > shape.longest_short ? last : end, from};
    }
    /// The bounds of the segment at this lane's place in a row: begin in the lower half, end in the upper. 0: the block
    /// does not sort it.
    KOGGE_DEVICE std::uint32_t bounds(const Window& window, std::uint32_t row) const {
        const std::uint32_t begins = begins_in(row), up_to_own = (2u << simt::lane()) - 1u;
        const std::uint32_t place = row * simt::kWarpSize + static_cast<std::uint32_t>(simt::lane());
        if (place < window.first || place >= window.end) return 0;
        const std::uint32_t own = begins & up_to_own, later = begins & ~up_to_own;
        const std::uint32_t begin =
            own != 0 ? row * simt::kWarpSize + static_cast<std::uint32_t>(simt::highest_bit(own)) : last_before[row];
        const std::uint32_t end = later != 0
                                      ? row * simt::kWarpSize + static_cast<std::uint32_t>(simt::lowest_bit(later))
                                      : next_from[row + 1];
        return begin | (end < window.end ? end : window.end) << 16;
    }

private:
    /// Where a segment ends, given where the next one begins.
    KOGGE_DEVICE static std::uint32_t end_or_rest(std::uint32_t next, const SegmentShape& shape, std::uint64_t base,
                                                  std::uint64_t capacity) {
        if (next != kNone) return next;
        const std::uint64_t rest = shape.n.get() - base;
        return rest <= capacity ? static_cast<std::uint32_t>(rest) : kNone;
    }
    KOGGE_DEVICE std::uint32_t find_next(std::uint32_t row) const {
        if (row >= kRows) return kNone;
        std::uint32_t word = row / simt::kWarpSize;
        std::uint32_t rows = marked[word] & (~0u << row % simt::kWarpSize);
        while (rows == 0) {
            if (++word == kRows / simt::kWarpSize) return kNone;
            rows = marked[word];
        }
        const std::uint32_t found = word * simt::kWarpSize + static_cast<std::uint32_t>(simt::lowest_bit(rows));
        return found * simt::kWarpSize + static_cast<std::uint32_t>(simt::lowest_bit(begins_in(found)));
    }
    KOGGE_DEVICE std::uint32_t find_last(std::uint32_t row) const {
        if (row == 0) return kNone;
        std::uint32_t word = (row - 1) / simt::kWarpSize;
        std::uint32_t rows = marked[word] & ((2u << (row - 1) % simt::kWarpSize) - 1u);
        while (rows == 0) {
            if (word-- == 0) return kNone;
            rows = marked[word];
        }
        const std::uint32_t found = word * simt::kWarpSize + static_cast<std::uint32_t>(simt::highest_bit(rows));
        return found * simt::kWarpSize + static_cast<std::uint32_t>(simt::highest_bit(begins_in(found)));
    }
};
static_assert(WindowMarks::kRows < kShortThreads);

}  // namespace kogge::grid::KOGGE_CODE
