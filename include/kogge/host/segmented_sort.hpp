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
#include "kogge/host/radix_sort.hpp"
#include "kogge/host/threads.hpp"
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
        for (std::uint64_t i = 0; i < count; ++i) out[first + i] = items_[i].first;
        for (const grid::value_array& array : values) {
            const std::size_t size = array.bytes;
            const auto* const from = static_cast<const std::byte*>(array.in) + first * size;
            auto* const to = static_cast<std::byte*>(array.out) + first * size;
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

/// Sorts each segment of n keys, and value arrays with them. Arrays may be sorted onto themselves.
template <class Key, class Codec>
void segmented_sort(const Key* in, Key* out, std::uint64_t n, const std::uint64_t* offsets, std::uint64_t segments,
                    const Codec& codec, int begin_bit, int end_bit, std::span<const grid::value_array> values,
                    int threads) {
    constexpr std::uint64_t kLong = 1u << 14;  // items of a segment
    // Segments per chunk: about 2^16 items, so that a slow thread does not hold up the others.
    const std::uint64_t together =
        std::clamp<std::uint64_t>((segments + 1) * 65536 / std::max<std::uint64_t>(n, 1), 1, 256);
    const auto begin_of = [=](std::uint64_t s) { return s == 0 ? 0 : (std::min)(offsets[s - 1], n); };
    const auto length_of = [=](std::uint64_t s) { return (s < segments ? begin_of(s + 1) : n) - begin_of(s); };
    std::vector<grid::value_array> moved(values.begin(), values.end());
    for (std::uint64_t s = 0; s <= segments; ++s) {
        if (length_of(s) <= kLong) continue;
        const std::uint64_t begin = begin_of(s);
        for (std::size_t a = 0; a < values.size(); ++a) {
            moved[a].in = static_cast<const std::byte*>(values[a].in) + begin * values[a].bytes;
            moved[a].out = static_cast<std::byte*>(values[a].out) + begin * values[a].bytes;
        }
        radix_sort(in + begin, out + begin, length_of(s), codec, begin_bit, end_bit, moved, threads);
    }
    const int workers = static_cast<int>(threads_for(n, threads));
    for_chunks(segments + 1, together, workers, [=](const Chunk& chunk) {
        detail::SegmentSorter<Key, Codec> sorter(codec, begin_bit, end_bit);
        for (std::uint64_t s = chunk.begin; s < chunk.end; ++s)
            if (length_of(s) > 0 && length_of(s) <= kLong) sorter.sort(in, out, begin_of(s), length_of(s), values);
    });
}

}  // namespace kogge::host
