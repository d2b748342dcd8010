// The coarsened segmented scan of a tile: each thread folds its contiguous items serially, a network scans the partial
// folds, and each thread scans its items again from its prefix. With s items per thread, a tile of N items costs about
// 2N operations whatever the network, because the network sees only N/s values.
#pragma once

#include "kogge/block/scan.cuh"

namespace kogge::block {

enum class Form { inclusive, exclusive };

/// The fold of all that precedes a tile, if anything does.
template <class T>
struct TileCarry {
    T value;
    bool present;
};

namespace detail {
/// Calls visit(i) for the first `valid` of `items` items. If all are valid, there is no bounds check per item.
template <int items, class Visit>
KOGGE_DEVICE void for_valid(int valid, Visit visit) {
    if (valid >= items) {
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i) visit(i);
    } else {
        KOGGE_UNROLL
        for (int i = 0; i < items; ++i)
            if (i < valid) visit(i);
    }
}
}  // namespace detail

/// Scans a tile in place. Each thread of the block holds items [thread·items, (thread+1)·items) at `segment`, in
/// registers or in its slice of shared memory. Only the first `valid` items of the tile (>= 1, the same in all threads)
/// are read, passed to `op` and written. An exclusive scan without a carry leaves the tile's first item unchanged.
///
/// Returns the fold of the valid items, without the carry, in all threads. The barriers are those of the network. The
/// caller puts one between two calls that share a Storage.
template <int items, class Network, Form form = Form::inclusive, class T, class Op>
KOGGE_DEVICE T coarsened_scan(T* segment, int valid, Op op, typename Network::template Storage<T>& storage,
                              TileCarry<T> carry = {}) {
    const int mine = valid - simt::thread_rank() * items;  // items of this thread; more than `items`: all
    const int active = (valid + items - 1) / items;

    T partial = mine > 0 ? segment[0] : carry.value;  // unused in a thread without items
    detail::for_valid<items>(mine, [&](int i) {
        if (i > 0) partial = static_cast<T>(op(partial, segment[i]));
    });

    const ThreadPrefix<T> prefix = Network::scan(partial, active, op, storage);
    if (mine <= 0) return prefix.aggregate;

    T running = prefix.has_before ? prefix.before : carry.value;
    if (prefix.has_before && carry.present) running = static_cast<T>(op(carry.value, prefix.before));
    const bool has_running = prefix.has_before || carry.present;

    detail::for_valid<items>(mine, [&](int i) {
        const bool has_before = i > 0 || has_running;
        const T next = has_before ? static_cast<T>(op(running, segment[i])) : segment[i];
        if (form == Form::inclusive) segment[i] = next;
        else if (has_before) segment[i] = running;
        running = next;
    });
    return prefix.aggregate;
}

}  // namespace kogge::block
