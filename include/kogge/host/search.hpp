// Searches with host threads: needles in chunks, several of them side by side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

/// Calls store(needle's number, bound) for each of `needles` needles: the number of the n items for which
/// is_before(item's number, needle's number).
template <class IsBefore, class Store>
void search(std::uint64_t n, std::uint64_t needles, const IsBefore& is_before, const Store& store, int threads) {
    constexpr std::uint64_t kTogether = 8, kChunk = 4096;
    for_chunks(needles, kChunk, threads, [=](const Chunk& chunk) {
        for (std::uint64_t first = chunk.begin; first < chunk.end; first += kTogether) {
            const std::uint64_t count = (std::min)(kTogether, chunk.end - first);
            std::uint64_t low[kTogether] = {};
            // Each bound is one of low … low + length. The needles take the same steps, so that what one waits for
            // does not hold up the others.
            for (std::uint64_t length = n; length > 0;) {
                const std::uint64_t step = (length + 1) / 2;
                for (std::uint64_t i = 0; i < count; ++i)
                    if (is_before(low[i] + step - 1, first + i)) low[i] += step;
                length -= step;
            }
            for (std::uint64_t i = 0; i < count; ++i) store(first + i, low[i]);
        }
    });
}

}  // namespace kogge::host
