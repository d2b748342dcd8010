// The coarsened segmented scan of a tile, in two serial halves around a network. Each thread folds its contiguous
// items, its segment, to one partial; a network scans the partials; and each thread scans its segment from its prefix.
// With s items per thread, a tile of N items costs about 2N operations whatever the network, because the network sees
// only N/s values.
//
//     SegmentScan fold(Carry<T>{}, op);               // the first half: fold.take(item), item by item
//     ThreadPrefix<T> prefix = Network::scan(fold.running().value, active, op, storage);
//     SegmentScan scan(prefix.after(carry, op), op);  // the second half: scan.take(item), item by item
//
// Only the second half needs the carry, what precedes the tile. Kernels of many tiles publish prefix.aggregate, and
// find the carry between the two. What an item is differs: in scan/tile.cuh a value, in compact/launch.cuh whether the
// input's item is kept, in emit/tile.cuh its number of outputs, in pass/tile.cuh a warp's count of a bin's keys.
#pragma once

#include "kogge/block/scan.cuh"
#include "kogge/block/tile.cuh"

namespace kogge::block {

enum class Form { inclusive, exclusive };

/// A thread's serial scan of its segment. From nothing it is the first half, of which only the fold of all items is
/// wanted; from what precedes the segment it is the second, of which each item's prefix is. It has no barrier. An item
/// that has been taken may be overwritten.
template <class T, class Op>
class SegmentScan {
public:
    KOGGE_DEVICE SegmentScan(const Carry<T>& before, Op op) : running_(before), op_(op) {}

    /// Returns the fold of all that precedes `item`, the segment's next one.
    KOGGE_DEVICE Carry<T> take(const T& item) {
        const Carry<T> before = running_;
        running_ = append(before, item, op_);
        return before;
    }
    /// The fold of what precedes the segment and of all items taken; empty if there are neither.
    KOGGE_DEVICE const Carry<T>& running() const { return running_; }

private:
    Carry<T> running_;
    Op op_;
};

/// Scans a tile in place. Each thread of the block holds items [thread·items, (thread+1)·items) at `segment`, in
/// registers or in its slice of shared memory. Only the first `valid` items of the tile (>= 1, the same in all threads)
/// are read, passed to `op` and written. An exclusive scan without a carry leaves the tile's first item unchanged.
///
/// Returns the fold of the valid items, without the carry, in all threads. The barriers are those of the network. The
/// caller puts one between two calls that share a Storage.
template <int items, class Network, Form form = Form::inclusive, class T, class Op>
KOGGE_DEVICE T coarsened_scan(T* segment, int valid, Op op, typename Network::template Storage<T>& storage,
                              const Carry<T>& carry = {}) {
    const auto for_segment = [&](const auto& visit) {
        with_size<items>(segment_size<items>(valid, simt::thread_rank()), [&](auto size) {
            KOGGE_UNROLL
            for (int i = 0; i < items; ++i)
                if (i < size) visit(segment[i]);
        });
    };
    SegmentScan fold(Carry<T>{}, op);
    for_segment([&](const T& item) { fold.take(item); });
    const int active = (valid + items - 1) / items;
    const ThreadPrefix<T> prefix = Network::scan(fold.running().value, active, op, storage);

    SegmentScan scan(prefix.after(carry, op), op);
    for_segment([&](T& item) {
        const Carry<T> before = scan.take(item);
        if (form == Form::inclusive) item = scan.running().value;
        else if (before.present) item = before.value;
    });
    return prefix.aggregate;
}

}  // namespace kogge::block
