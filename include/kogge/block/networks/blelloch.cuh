// Blelloch's scan. An up-sweep folds a binary tree in place. A down-sweep passes every node the fold of all that
// precedes it: a left child gets its parent's; a right child gets its parent's ⊕ its left sibling's fold.
//
// 2·ceil(log2 N) steps. The up-sweep has N − 1 operations, and so has the down-sweep from a given first value (the
// "seed", the textbook's identity): 2(N − 1). Without a seed, nothing precedes the nodes on the left edge: their prefix
// is absent rather than an identity, which saves its ceil(log2 N) operations. A node's position tells whether it is on
// the left edge, so no flag is stored, and the operator needs no identity.
//
// N need not be a power of two: a node is kept in the cell of its last existing leaf, and a node whose right child has
// no leaf is its left child.
//
// G. Blelloch, "Prefix sums and their applications", CMU-CS-90-190, 1990; M. Harris, S. Sengupta, J. Owens, "Parallel
// prefix sum (scan) with CUDA", GPU Gems 3, ch. 39, 2007, where the work is given as 2(n − 1) additions and n − 1
// swaps.
#pragma once

#include <bit>

#include "kogge/block/networks/common.cuh"

namespace kogge::block {

/// Shared memory: `threads` + 1 cells. Up, a node reads two cells and writes one; down, it reads and writes two. The
/// cells of a step are 2d apart, which costs up to 32-fold bank conflicts. Active threads are consecutive. One barrier
/// per step orders the writes of the previous step; the nodes of one step share no cell.
template <int threads>
struct BlellochScan {
    template <class T>
    struct Storage {
        T cells[std::size_t{threads}];
        T aggregate;
    };

    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadScan<T> scan(T partial, int active, Op op, Storage<T>& storage, Probe probe = {}) {
        sweep<false>(partial, partial, active, op, storage, probe);
        const int thread = simt::thread_rank();
        ThreadScan<T> result{{partial, thread > 0 && thread < active, storage.aggregate}, storage.aggregate};
        if (thread < active) result.before = storage.cells[thread];
        // The prefix of the next thread is the inclusive result of this thread.
        if (thread + 1 < active) result.inclusive = storage.cells[thread + 1];
        return result;
    }

    /// The same from a seed that precedes the first partial: `before` includes it, `aggregate` does not.
    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadPrefix<T> scan_from(T seed, T partial, int active, Op op, Storage<T>& storage,
                                                  Probe probe = {}) {
        sweep<true>(seed, partial, active, op, storage, probe);
        const int thread = simt::thread_rank();
        return {thread < active ? storage.cells[thread] : partial, thread < active, storage.aggregate};
    }

private:
    template <bool seeded, class T, class Op, class Probe>
    KOGGE_DEVICE static void sweep(T seed, T partial, int active, Op op, Storage<T>& storage, Probe probe) {
        const int thread = simt::thread_rank();
        T* const cells = storage.cells;
        if (thread < active) cells[thread] = partial;
        if (active == 1 && thread == 0) {
            storage.aggregate = partial;
            if constexpr (seeded) cells[0] = seed;
        }

        int distance = 1;
        for (; distance < active; distance *= 2) {
            simt::sync_block();  // the level below is complete
            probe.step();
            const int left = (2 * thread + 1) * distance - 1;
            const int right = left + distance < active ? left + distance : active - 1;
            if (left + 1 < active) {
                const T fold = static_cast<T>(op(cells[left], cells[right]));
                const bool is_root = 2 * distance >= active;
                cells[right] = seeded && is_root ? seed : fold;
                if (is_root) storage.aggregate = fold;
            }
        }
        for (distance /= 2; distance > 0; distance /= 2) {
            simt::sync_block();  // the prefixes of the level above are complete
            probe.step();
            const int left = (2 * thread + 1) * distance - 1;
            const int right = left + distance < active ? left + distance : active - 1;
            if (left + 1 < active) {
                const T fold = cells[left];
                const T before = cells[right];
                if (!seeded && thread == 0) {
                    cells[right] = fold;
                } else {
                    cells[left] = before;
                    cells[right] = static_cast<T>(op(before, fold));
                }
            }
        }
        simt::sync_block();  // the prefixes of the leaves and the aggregate are complete
    }
};

}  // namespace kogge::block
