// Write combining. A scatter to many bins would miss caches and pages with every item. So each bin has a line in the
// cache, cut at the destination's line boundaries; a full line is written past the caches.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kogge/host/machine/scratch.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace kogge::host {

/// One worker's lines for one destination array.
template <class T>
class Lines {
public:
    static constexpr std::size_t bytes(std::uint32_t bins) { return std::size_t{bins} * kItems * sizeof(T); }

    Lines(std::byte* lines, T* out)
        : lines_(lines),
          out_(reinterpret_cast<std::byte*>(out)),
          phase_(reinterpret_cast<std::uintptr_t>(out) % kLineBytes / sizeof(T)) {}

    /// Puts an item into its place, in a bin that begins at `begins[bin]`.
    void put(std::uint32_t bin, std::uint64_t place, const std::uint64_t* begins, const T& item) const {
        const std::uint64_t lane = (place + phase_) % kItems;
        std::memcpy(lines_ + (bin * kItems + lane) * sizeof(T), &item, sizeof(T));
        if (lane + 1 == kItems) write(bin, kItems, begins[bin], place + 1);
    }
    /// Writes the items that a bin's line still holds.
    void flush(std::uint32_t bin, std::uint64_t begin, std::uint64_t end) const {
        write(bin, (end + phase_) % kItems, begin, end);
    }
    /// Must be called before other threads read the destination.
    static void finish() {
#if defined(__SSE2__)
        _mm_sfence();
#endif
    }

private:
    static constexpr std::uint64_t kItems = std::bit_floor(std::max<std::size_t>(1, kLineBytes / sizeof(T)));

    /// The line's first `lanes` items end before place `end`; it holds none of a place before `begin`.
    void write(std::uint32_t bin, std::uint64_t lanes, std::uint64_t begin, std::uint64_t end) const {
        const std::uint64_t count = (std::min)(lanes, end - begin);
        const std::byte* const from = lines_ + (bin * kItems + lanes - count) * sizeof(T);
        std::byte* const to = out_ + (end - count) * sizeof(T);
#if defined(__SSE2__)
        if (count * sizeof(T) == kLineBytes && reinterpret_cast<std::uintptr_t>(to) % sizeof(__m128i) == 0) {
            for (std::size_t i = 0; i < kLineBytes; i += sizeof(__m128i))
                _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                                 _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
            return;
        }
#endif
        std::memcpy(to, from, count * sizeof(T));
    }

    std::byte* lines_;
    std::byte* out_;
    std::uint64_t phase_;  ///< of out[0] in its line
};

}  // namespace kogge::host
