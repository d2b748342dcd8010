// The block's scan networks with one interface, chosen by value at compile time or at run time.
//
//     ThreadScan<T> r = BlockScan<network::blelloch, 256>::scan(partial, active, op, storage);
//     r.before (when r.has_before), r.inclusive, r.aggregate
//
// where `storage` is a BlockScan<network::blelloch, 256>::Storage<T> in shared memory.
//
// All `threads` threads of the block call with the same `active`, 1 <= active <= threads; `threads` is a multiple of
// 32, up to 1024. `op` is associative; it need not commute and needs no identity. It is never passed the value of a
// thread at or past `active`, which has no prefix, and of whose results only the aggregate is specified. The caller
// puts one block barrier between two scans that share a Storage. For N = active threads:
//
//                             steps            operations            barriers          cells of shared memory
//     kogge_stone             log2 N           N·log2 N − (N−1)      1 per step + 1    2·threads
//     kogge_stone_registers   log2 N           N·log2 N − (N−1)      2 per step + 1    threads
//     hillis_steele           log2 N           N·log2 N − (N−1)      2 per step + 1    threads
//     brent_kung              2·log2 N − 1     2N − 2 − log2 N       1 per step + 1    threads
//     brent_kung_tree         2·log2 N − 1     2N − 2 − log2 N       1 per step + 1    2·bit_ceil(threads)
//     blelloch                2·log2 N         2N − 2 − log2 N       1 per step + 1    threads + 1
//     blelloch, from a seed   2·log2 N         2N − 2                1 per step + 1    threads + 1
//
// for N a power of two; each network's file describes other N. shuffle has five steps of shuffles over the lanes,
// log2(threads/32) over the warp totals, and one barrier.
#pragma once

#include "kogge/block/networks/blelloch.cuh"
#include "kogge/block/networks/brent_kung.cuh"
#include "kogge/block/networks/kogge_stone.cuh"
#include "kogge/networks.hpp"

namespace kogge::block {

/// ShuffleScan with the interface of the others. The inclusive result, if used, costs one more operation per thread. It
/// has no steps of the whole block, so the probe counts none.
template <int threads>
struct ShuffleNetwork {
    template <class T>
    using Storage = typename ShuffleScan<threads>::template Storage<T>;

    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadScan<T> scan(T partial, int active, Op op, Storage<T>& storage, Probe = {}) {
        const ThreadPrefix<T> prefix = ShuffleScan<threads>::scan(partial, active, op, storage);
        return {prefix, prefix.has_before ? static_cast<T>(op(prefix.before, partial)) : partial};
    }
    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static T inclusive(T partial, int active, Op op, Storage<T>& storage, Probe = {}) {
        return ShuffleScan<threads>::inclusive(partial, active, op, storage);
    }
};

namespace detail {
template <network which, int threads>
constexpr auto select_network() {
    if constexpr (which == network::shuffle) return ShuffleNetwork<threads>{};
    else if constexpr (which == network::kogge_stone) return KoggeStoneScan<threads>{};
    else if constexpr (which == network::kogge_stone_registers) return KoggeStoneRegistersScan<threads>{};
    else if constexpr (which == network::hillis_steele) return HillisSteeleScan<threads>{};
    else if constexpr (which == network::brent_kung) return BrentKungScan<threads>{};
    else if constexpr (which == network::brent_kung_tree) return BrentKungTreeScan<threads>{};
    else if constexpr (which == network::blelloch) return BlellochScan<threads>{};
}
}  // namespace detail

/// The network `which` for blocks of `threads` threads.
template <network which, int threads>
using BlockScan = decltype(detail::select_network<which, threads>());

/// Storage for any network, chosen at run time.
template <class T, int threads>
union AnyStorage {
    typename ShuffleNetwork<threads>::template Storage<T> shuffle;
    typename KoggeStoneScan<threads>::template Storage<T> kogge_stone;
    typename KoggeStoneRegistersScan<threads>::template Storage<T> kogge_stone_registers;
    typename HillisSteeleScan<threads>::template Storage<T> hillis_steele;
    typename BrentKungScan<threads>::template Storage<T> brent_kung;
    typename BrentKungTreeScan<threads>::template Storage<T> brent_kung_tree;
    typename BlellochScan<threads>::template Storage<T> blelloch;
};

/// scan() of the network `which`, which is the same in all threads of the block.
template <int threads, class T, class Op, class Probe = NoProbe>
KOGGE_DEVICE ThreadScan<T> scan_with(network which, T partial, int active, Op op, AnyStorage<T, threads>& storage,
                                     Probe probe = {}) {
    switch (which) {
        case network::shuffle:
            break;
        case network::kogge_stone:
            return KoggeStoneScan<threads>::scan(partial, active, op, storage.kogge_stone, probe);
        case network::kogge_stone_registers:
            return KoggeStoneRegistersScan<threads>::scan(partial, active, op, storage.kogge_stone_registers, probe);
        case network::hillis_steele:
            return HillisSteeleScan<threads>::scan(partial, active, op, storage.hillis_steele, probe);
        case network::brent_kung:
            return BrentKungScan<threads>::scan(partial, active, op, storage.brent_kung, probe);
        case network::brent_kung_tree:
            return BrentKungTreeScan<threads>::scan(partial, active, op, storage.brent_kung_tree, probe);
        case network::blelloch:
            return BlellochScan<threads>::scan(partial, active, op, storage.blelloch, probe);
    }
    return ShuffleNetwork<threads>::scan(partial, active, op, storage.shuffle, probe);
}

/// This thread's inclusive result, for which some networks have a shorter way.
template <class Network, class T, class Op, class Probe = NoProbe>
KOGGE_DEVICE T inclusive(T partial, int active, Op op, typename Network::template Storage<T>& storage,
                         Probe probe = {}) {
    if constexpr (requires { Network::inclusive(partial, active, op, storage, probe); })
        return Network::inclusive(partial, active, op, storage, probe);
    else return Network::scan(partial, active, op, storage, probe).inclusive;
}

/// This thread's exclusive result from `init`, which precedes the first partial. A network that takes a seed uses it;
/// the others apply one more operation in each thread but the first. An exclusive result without `init` is
/// scan().before.
template <class Network, class T, class Op, class Probe = NoProbe>
KOGGE_DEVICE T exclusive(T init, T partial, int active, Op op, typename Network::template Storage<T>& storage,
                         Probe probe = {}) {
    if constexpr (requires { Network::scan_from(init, partial, active, op, storage, probe); }) {
        return Network::scan_from(init, partial, active, op, storage, probe).before;
    } else {
        const ThreadPrefix<T> prefix = Network::scan(partial, active, op, storage, probe);
        return prefix.after({init, true}, op).value;
    }
}

}  // namespace kogge::block
