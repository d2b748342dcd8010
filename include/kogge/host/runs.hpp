// Runs of equal neighbours with host threads: chunks count the heads of their runs and note the last of them, the
// counts are summed, and then the chunks look again and write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kogge/host/threads.hpp"

namespace kogge::host {

/// write(run, its head, the head before it) for every run, and write.finish(runs, last head, n) once. Returns the
/// number of runs.
template <class Key, class Equal, class Write>
std::uint64_t find_runs(const Key* keys, std::uint64_t n, const Equal& equal, const Write& write, int threads) {
    constexpr std::uint64_t kItems = std::max<std::uint64_t>(1024, (64u << 10) / sizeof(Key));
    struct Tally {
        std::uint64_t runs = 0, last = 0;
    };
    const std::uint64_t chunks = divide_up(n, kItems);
    const Scratch<Tally> tallies("runs", chunks);
    threads = threads_for(n, threads);
    const auto visit = [&](std::uint64_t chunk, Tally& tally, const auto& at_head) {
        for (std::uint64_t i = chunk * kItems; i < std::min(n, (chunk + 1) * kItems); ++i)
            if (i == 0 || !static_cast<bool>(equal(keys[i - 1], keys[i]))) {
                at_head(tally.runs, i, tally.last);
                tally = {tally.runs + 1, i};
            }
    };
    for_chunks(chunks, threads, [&](std::uint64_t chunk) {
        Tally tally;
        visit(chunk, tally, [](std::uint64_t, std::uint64_t, std::uint64_t) {});
        tallies.data()[chunk] = tally;
    });
    Tally all;
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
        const Tally here = std::exchange(tallies.data()[chunk], all);
        if (here.runs > 0) all = {all.runs + here.runs, here.last};
    }
    for_chunks(chunks, threads, [&](std::uint64_t chunk) {
        Tally tally = tallies.data()[chunk];
        visit(chunk, tally, write);
    });
    write.finish(all.runs, all.last, n);
    return all.runs;
}

}  // namespace kogge::host
