// Checks that keys are in order: each key is read once, in vectors of up to 16 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/carry.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/pass/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// A vector of keys, which memory moves in one access: as many as fit 16 bytes.
template <class Key>
struct KeyPack {
    static constexpr int kKeys =
        sizeof(Key) <= 8 && (sizeof(Key) & (sizeof(Key) - 1)) == 0 ? static_cast<int>(16 / sizeof(Key)) : 1;
    alignas(kKeys > 1 ? 16 : alignof(Key)) Key keys[std::size_t{kKeys}];

    /// Whether keys at this address may be read and written as vectors.
    KOGGE_HOST_DEVICE static bool may_begin_at(const Key* keys) {
        return reinterpret_cast<std::uintptr_t>(keys) % alignof(KeyPack) == 0;
    }
};

/// Sets control->disorder if neighbouring keys are out of order. Runs after passes over all digits, of which at least
/// two moved keys: a single pass cannot leave disorder. A warp reads slices of `each` vectors per lane, so that most
/// neighbours come from registers. All threads of the grid call.
template <class Key, class Bucket>
KOGGE_DEVICE void check_order(const Key* keys, std::uint64_t n, const Bucket& bucket, SplitControl* control) {
    using Pack = KeyPack<Key>;
    constexpr int each = 8;
    if (control->splits < 2 || control->lowest > 0) return;
    const int lane = simt::lane();
    const auto in_order = [&](const Key& a, const Key& b) { return bucket.ordered(bucket.code(a), bucket.code(b)); };
    const std::uint64_t stretch = each * simt::kWarpSize;
    const std::uint64_t stretches = Pack::may_begin_at(keys) ? n / (stretch * Pack::kKeys) : 0;
    const auto block_warps = static_cast<std::uint64_t>(simt::block_size() / simt::kWarpSize);
    const std::uint64_t warps = simt::grid_size() * block_warps;
    const std::uint64_t warp = simt::block_rank() * block_warps + static_cast<std::uint64_t>(simt::warp_rank());
    const auto* const all = reinterpret_cast<const Pack*>(keys);
    bool sorted = true;
    for (std::uint64_t s = warp; s < stretches; s += warps) {
        Pack mine[each];
        KOGGE_UNROLL
        for (int u = 0; u < each; ++u) mine[u] = all[s * stretch + u * simt::kWarpSize + lane];
        const std::uint64_t beyond = (s + 1) * stretch * Pack::kKeys;
        const Key next = beyond < n ? keys[beyond] : keys[n - 1];
        KOGGE_UNROLL
        for (int u = 0; u < each; ++u) {
            const Key offered = lane > 0       ? mine[u].keys[0]
                                : u + 1 < each ? mine[u + 1 < each ? u + 1 : u].keys[0]
                                               : next;
            const Key after = simt::shuffle(offered, (lane + 1) % simt::kWarpSize);
            KOGGE_UNROLL
            for (int k = 1; k < Pack::kKeys; ++k) sorted = sorted && in_order(mine[u].keys[k - 1], mine[u].keys[k]);
            sorted = sorted && in_order(mine[u].keys[Pack::kKeys - 1], after);
        }
    }
    const std::uint64_t rest = stretches * stretch * Pack::kKeys;
    for (std::uint64_t i = rest + warp * simt::kWarpSize + lane; i + 1 < n; i += warps * simt::kWarpSize)
        sorted = sorted && in_order(keys[i], keys[i + 1]);
    if (!sorted) simt::atomic_or<simt::Scope::device>(&control->disorder, 1);
}

inline constexpr int kCheckThreads = 256;
inline constexpr int kCheckBlocks = 4;  ///< per multiprocessor
template <class Key, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCheckThreads, kCheckBlocks)
    check_order_kernel(const Key* keys, Count count, Bucket bucket, SplitControl* control) {
    simt::wait_for_stream();
    check_order(keys, count.get(), bucket, control);
}

}  // namespace kogge::grid::KOGGE_CODE
