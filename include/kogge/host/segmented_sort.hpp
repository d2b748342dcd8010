// Segmented sorts with host threads: long segments one after another, each by all threads; short segments by one thread
// each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/host/machine/threads.hpp"
#include "kogge/host/radix_sort.hpp"
#include "kogge/keys.hpp"

namespace kogge::host {

namespace detail {

/// Whether a comes before b by the bits [begin, end) of their codes.
template <class Key, class Codec>
bool comes_before(const Codec& codec, const Key& a, const Key& b, int begin, int end) {
    while (end > begin) {
        const int width = (std::min)(16, end - begin);
        end -= width;
        const std::uint32_t first = codec.digit(a, end, width), second = codec.digit(b, end, width);
        if (first != second) return first < second;
    }
    return false;
}

/// Sorts few items by comparing them. Keeps its memory for the next segment.
template <class Key, class Codec>
class SegmentSorter {
public:
    SegmentSorter(const Codec& codec, int begin_bit, int end_bit)
        : codec_(codec), begin_bit_(begin_bit), end_bit_(end_bit) {}

    void sort(const Key* in, Key* out, std::uint64_t first, std::uint64_t count,
              std::span<const grid::value_array> values) {
        items_.resize(count);
        for (std::uint64_t i = 0; i < count; ++i) items_[i] = {in[first + i], static_cast<std::uint32_t>(i)};
        std::sort(items_.begin(), items_.end(), [this](const auto& a, const auto& b) {
            if (comes_before(codec_, a.first, b.first, begin_bit_, end_bit_)) return true;
            return a.second < b.second && !comes_before(codec_, b.first, a.first, begin_bit_, end_bit_);
        });
        if (out)
            for (std::uint64_t i = 0; i < count; ++i) out[first + i] = items_[i].first;
        for (const grid::value_array& array : values) {
            const std::size_t size = array.bytes;
            auto* const to = static_cast<std::byte*>(array.out) + first * size;
            if (!array.in) {
                for (std::uint64_t i = 0; i < count; ++i) {
                    const std::uint64_t index = items_[i].second;
                    std::memcpy(to + i * size, &index, size);
                }
                continue;
            }
            const auto* const from = static_cast<const std::byte*>(array.in) + first * size;
            copy_.assign(from, from + count * size);
            for (std::uint64_t i = 0; i < count; ++i)
                std::memcpy(to + i * size, copy_.data() + items_[i].second * size, size);
        }
    }

private:
    Codec codec_;
    int begin_bit_;
    int end_bit_;
    std::vector<std::pair<Key, std::uint32_t>> items_;
    std::vector<std::byte> copy_;
};

}  // namespace detail

/// Makes indices of 4 or 8 bytes count from the whole array's first item.
inline void count_from_whole(void* indices, std::size_t bytes, std::uint64_t begin, std::uint64_t count) {
    auto* const first = static_cast<std::byte*>(indices) + begin * bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t index = 0;
        std::memcpy(&index, first + i * bytes, bytes);
        index += begin;
        std::memcpy(first + i * bytes, &index, bytes);
    }
}

/// Sorts each segment, where bounds_of(s) tells [begin, end), and value arrays with them. Arrays may be sorted onto
/// themselves. If `out` is null, keys are only read. An array without input gets indices, which count from the
/// segment's first item or, if `of_whole`, from the whole array's. `n` is about the number of items.
template <class Key, class Codec, class BoundsOf>
void segmented_sort(const Key* in, Key* out, std::uint64_t n, std::uint64_t segments, const BoundsOf& bounds_of,
                    const Codec& codec, int begin_bit, int end_bit, std::span<const grid::value_array> values,
                    bool of_whole, int threads) {
    constexpr std::uint64_t kLong = 1u << 14;  // items of a segment
    // Segments per chunk: about 2^16 items, so that a slow thread does not hold up the others.
    const std::uint64_t together = std::clamp<std::uint64_t>(segments * 65536 / std::max<std::uint64_t>(n, 1), 1, 256);
    const auto length_of = [=](std::uint64_t s) { return bounds_of(s).end - bounds_of(s).begin; };
    const auto finish = [=](std::uint64_t s) {
        if (!of_whole) return;
        for (const grid::value_array& array : values)
            if (!array.in) count_from_whole(array.out, array.bytes, bounds_of(s).begin, length_of(s));
    };
    std::vector<grid::value_array> moved(values.begin(), values.end());
    for (std::uint64_t s = 0; s < segments; ++s) {
        if (length_of(s) <= kLong) continue;
        const std::uint64_t begin = bounds_of(s).begin;
        for (std::size_t a = 0; a < values.size(); ++a) {
            if (values[a].in) moved[a].in = static_cast<const std::byte*>(values[a].in) + begin * values[a].bytes;
            moved[a].out = static_cast<std::byte*>(values[a].out) + begin * values[a].bytes;
        }
        radix_sort(in + begin, out ? out + begin : nullptr, length_of(s), codec, begin_bit, end_bit, moved, threads);
        finish(s);
    }
    const int workers = static_cast<int>(threads_for(n, threads));
    for_chunks(segments, together, workers, [=](const Chunk& chunk) {
        detail::SegmentSorter<Key, Codec> sorter(codec, begin_bit, end_bit);
        for (std::uint64_t s = chunk.begin; s < chunk.end; ++s) {
            if (length_of(s) == 0 || length_of(s) > kLong) continue;
            sorter.sort(in, out, bounds_of(s).begin, length_of(s), values);
            finish(s);
        }
    });
}

}  // namespace kogge::host
