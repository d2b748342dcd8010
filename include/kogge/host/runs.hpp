// Runs of equal neighbours with host threads: reduce-then-scan over the number of runs and the head of the last run.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kogge/detail/inputs.hpp"
#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

/// Calls write(run, its head, the head before it) for every run, and write.finish(runs, last head, n) once. Returns the
/// number of runs.
template <class In, class Equal, class Write>
std::uint64_t find_runs(const In& keys, std::uint64_t n, const Equal& equal, const Write& write, int threads) {
    using kogge::detail::item_at;
    using Key = kogge::detail::item_of<In>;
    struct Tally {
        std::uint64_t runs = 0, last = 0;
    };
    const auto join = [](const Tally& a, const Tally& b) {
        return Tally{a.runs + b.runs, b.runs > 0 ? b.last : a.last};
    };
    const auto visit_heads = [&](const Chunk& chunk, Tally tally, const auto& at_head) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
            if (i > 0 && static_cast<bool>(equal(item_at<Key>(keys, i - 1), item_at<Key>(keys, i)))) continue;
            at_head(tally.runs, i, tally.last);
            tally = {tally.runs + 1, i};
        }
        return tally;
    };
    const auto count_heads = [&](const Chunk& chunk, unsigned) {
        return visit_heads(chunk, {}, [](std::uint64_t, std::uint64_t, std::uint64_t) {});
    };
    const auto write_heads = [&](const Chunk& chunk, unsigned, const Tally& before) {
        visit_heads(chunk, before, write);
    };
    constexpr std::uint64_t kChunkItems = std::max<std::uint64_t>(1, kChunkBytes / sizeof(Key));
    const Tally all = reduce_then_scan(n, kChunkItems, threads, Tally{}, join, count_heads, write_heads);
    write.finish(all.runs, all.last, n);
    return all.runs;
}

}  // namespace kogge::host
