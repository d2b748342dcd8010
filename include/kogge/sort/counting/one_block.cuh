// The counting sort of sort/counting/launch.cuh in one block, for few keys of 8 bits: counts, places and output in one
// launch, without scratch. Traffic: one read, one write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/counting/counts.cuh"
#include "kogge/sort/counting/fill.cuh"

namespace kogge::grid::KOGGE_CODE {

struct CountBlockShared {
    static constexpr std::uint32_t kStripes = 8;  ///< per counter; lanes alternate over them

    std::uint32_t counters[kBins * kStripes];
    std::uint32_t totals[kBins / simt::kWarpSize];
    std::uint32_t starts[kBins + 1];  ///< of the values, in order of their codes
};
static_assert(sizeof(CountBlockShared) <= kBlockCountTables);

template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCountThreads, 1)
    count_block_kernel(const Key* keys, Key* out, Count count, NumberEncoding<Key> encoding) {
    simt::wait_for_stream();
    static_assert(sizeof(Key) == 1);
    using Pack = KeyWords<Key>;
    constexpr std::uint32_t stripes = CountBlockShared::kStripes;
    auto& shared = simt::shared_memory<CountBlockShared>();
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const auto threads = static_cast<std::uint32_t>(simt::block_size());
    const int lane = simt::lane(), warp = simt::warp_rank();
    const auto n = static_cast<std::uint32_t>(count.get());
    const auto add = [&](std::uint32_t value) {
        simt::atomic_add<simt::Scope::block>(
            shared.counters + value * stripes + static_cast<std::uint32_t>(lane) % stripes, 1);
    };
    for (std::uint32_t i = thread; i < kBins * stripes; i += threads) shared.counters[i] = 0;
    simt::sync_block();  // the counters are zero

    const PackedRange<Key> range(keys, n);
    const auto* const packs = reinterpret_cast<const Pack*>(keys + range.head);
    for (std::uint32_t i = thread; i < range.packs; i += threads) {
        const Pack pack = packs[i];
        KOGGE_UNROLL
        for (int k = 0; k < Pack::kKeys; ++k) add(pack.key(k));
    }
    if (thread < range.head) add(keys[thread]);
    if (range.tail() + thread < n) add(keys[range.tail() + thread]);
    simt::sync_block();  // the keys are counted, and may be overwritten

    std::uint32_t sum = 0, inclusive = 0;
    if (thread < kBins) {
        const std::uint32_t value = encoding.decode(static_cast<Key>(thread));
        for (std::uint32_t s = 0; s < stripes; ++s)  // neighbours begin at different stripes, hence different banks
            sum += shared.counters[value * stripes + (s + value / (simt::kWarpSize / stripes)) % stripes];
        inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
        if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    }
    simt::sync_block();  // the warps' totals are written
    if (thread < kBins) {
        const std::uint32_t before = simt::reduce_add(lane < warp ? shared.totals[lane] : 0u);
        shared.starts[thread] = before + inclusive - sum;
        if (thread == kBins - 1) shared.starts[kBins] = before + inclusive;
    }
    simt::sync_block();  // the values' places are known
    ValueWindow<Key, kBins>{0, shared.starts, encoding}.fill(out);
}

}  // namespace kogge::grid::KOGGE_CODE
