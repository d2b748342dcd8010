// Histograms with host threads: each thread has counts of its own, which are added up at the end. Where these would be
// longer than the input is worth, one thread counts; of many rows each thread counts some.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

/// add(i, counts) adds item i to its bin's count. counts[0 … rows × bins) are overwritten; their sums are modulo
/// 2^bits.
template <class Count, class Add>
void histogram(Count* counts, std::uint64_t length, std::uint64_t rows, std::uint32_t bins, const Add& add,
               int wanted_threads) {
    const int threads = threads_of(length * rows, wanted_threads);
    if (rows == 1 && threads > 1 && bins <= length / (4 * static_cast<unsigned>(threads))) {
        std::vector<std::vector<Count>> own(static_cast<std::size_t>(threads));
        for (auto& of_worker : own) of_worker.resize(bins);
        for_chunks(length, std::uint64_t{1} << 16, threads, [&own, add](const Chunk& chunk) {
            Count* const mine = own[chunk.worker].data();
            for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) add(i, mine);
        });
        for (std::uint32_t b = 0; b < bins; ++b) {
            Count sum = 0;
            for (const auto& of_worker : own) sum = static_cast<Count>(sum + of_worker[b]);
            counts[b] = sum;
        }
        return;
    }
    const std::uint64_t together =
        std::max<std::uint64_t>((std::uint64_t{1} << 14) / std::max<std::uint64_t>(length, 1), 1);
    for_chunks(rows, together, threads, [=](const Chunk& chunk) {
        for (std::uint64_t row = chunk.begin; row < chunk.end; ++row) {
            Count* const mine = counts + row * bins;
            std::fill_n(mine, bins, Count{0});
            for (std::uint64_t i = row * length; i < (row + 1) * length; ++i) add(i, mine);
        }
    });
}

}  // namespace kogge::host
