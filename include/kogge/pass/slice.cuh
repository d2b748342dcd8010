// One block's work on a slice of consecutive items, of any length: it counts their digits, and splits them tile by tile
// (pass/tile.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/pass/tile.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Counts the digits of [begin, end) in the warps' rows, with `in_flight` keys per thread in flight. All threads call.
/// A block barrier must follow before the rows change.
template <int in_flight, class Shared, class PassBucket>
KOGGE_DEVICE void count_rows(Shared& shared, const typename Shared::Key* keys, bool encodes, const PassBucket& bucket,
                             std::uint64_t begin, std::uint64_t end) {
    std::uint32_t* const row = shared.rows[simt::warp_rank()];
    clear_row(row);
    simt::sync_warp();  // the counters are zero
    for (std::uint64_t i = begin + static_cast<std::uint64_t>(simt::thread_rank()); i < end;
         i += in_flight * kTileThreads) {
        typename Shared::Key seen[in_flight];
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u)
            if (i + u * kTileThreads < end) seen[u] = keys[i + u * kTileThreads];
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u)
            if (i + u * kTileThreads < end) rank_as_served(bucket(encodes ? bucket.encode(seen[u]) : seen[u]), row);
    }
    simt::sync_block();  // all warps have counted
}

/// Counts likewise, and returns the number of keys in this thread's bin.
template <class Shared, class Route, class PassBucket>
KOGGE_DEVICE std::uint32_t count_slice(Shared& shared, const Route& route, const PassBucket& bucket,
                                       std::uint64_t begin, std::uint64_t end) {
    count_rows<sizeof(typename Shared::Key) <= 8 ? 8 : 4>(shared, route.keys_in, route.encodes, bucket, begin, end);
    std::uint32_t sum = 0;
    for (const auto& of_warp : shared.rows) sum += of_warp[simt::thread_rank()];
    return sum;
}

/// Splits [begin, end); the first key of this thread's bin goes to `place`. All threads call, after a block barrier.
template <class Shared, class Route, class PassBucket>
KOGGE_DEVICE void split_slice(Shared& shared, const Route& route, const PassBucket& bucket, std::uint64_t begin,
                              std::uint64_t end, std::uint64_t place) {
    constexpr std::uint64_t most = Shared::kItems * kTileThreads;
    for (std::uint64_t base = begin; base < end; base += most) {
        clear_row(shared.rows[simt::warp_rank()]);
        simt::sync_block();  // the counters are zero, and the previous tile has left the chip
        const int count = end - base < most ? static_cast<int>(end - base) : static_cast<int>(most);
        split_tile(shared, route, bucket, base, count, [&](int, std::uint32_t keys) {
            const std::uint64_t own = place;
            place += keys;
            return own;
        });
    }
}

}  // namespace kogge::grid::KOGGE_CODE
