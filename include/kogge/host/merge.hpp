// Merges with host threads: each chunk of outputs begins and ends on the merge path, and is merged serially.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

/// Calls take_a(output, i) or take_b(output, i) for each output of a merge of n_a and n_b items, where less(b's item,
/// a's item) decides. split(outputs, low, high) is where the merge has come to (detail::find_split).
template <class Split, class BComesFirst, class TakeA, class TakeB>
void merge(std::uint64_t n_a, std::uint64_t n_b, const Split& split, const BComesFirst& b_comes_first,
           const TakeA& take_a, const TakeB& take_b, std::size_t item_bytes, int threads) {
    const std::uint64_t n = n_a + n_b;
    const std::uint64_t size = std::max<std::uint64_t>(1, kChunkBytes / item_bytes);
    for_chunks(n, size, threads, [=](const Chunk& chunk) {
        const std::uint64_t low = chunk.begin > n_b ? chunk.begin - n_b : 0;
        std::uint64_t a = split(chunk.begin, low, (std::min)(chunk.begin, n_a)), b = chunk.begin - a;
        for (std::uint64_t output = chunk.begin; output < chunk.end; ++output) {
            if (a == n_a || (b < n_b && b_comes_first(b, a))) take_b(output, b++);
            else take_a(output, a++);
        }
    });
}

}  // namespace kogge::host
