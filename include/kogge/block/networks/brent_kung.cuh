// Two sweeps over a binary tree, inclusive. Up: every node becomes the fold of its two children. Down: every left child
// except the first of a level appends its fold to the prefix of its parent's left neighbour, which is known by then; a
// right child's prefix is its parent's.
//
// For N a power of two: 2·log2 N − 1 steps and 2N − 2 − log2 N operations. In general, level l of the tree has n(l) =
// floor(N / 2^l) nodes: floor(n/2) operations on the way up from it, ceil(n/2) − 1 on the way down to it, and a step
// for each sweep over a level that has any operations. N need not be a power of two: nodes whose last value is at or
// past N do not exist.
//
// R. Brent and H. T. Kung, "A regular layout for parallel adders", IEEE Trans. Computers C-31(3), 1982.
#pragma once

#include <bit>

#include "kogge/block/networks/common.cuh"

namespace kogge::block {

/// In place: a node of 2d leaves is in the cell of its last leaf. Threads are renumbered in every step, so that threads
/// 0, 1, 2, … are active, in whole warps but one.
///
/// Shared memory: `threads` cells; an operation reads two cells and writes one. The cells of a step are 2d apart, which
/// costs up to 32-fold bank conflicts in the middle of the sweeps. One barrier per step orders the writes of the
/// previous step. None is needed between a step's reads and its writes, because no thread touches a cell that another
/// writes.
/// another.
template <int threads>
struct BrentKungScan {
    template <class T>
    struct Storage {
        T cells[std::size_t{threads}];
    };

    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadScan<T> scan(T partial, int active, Op op, Storage<T>& storage, Probe probe = {}) {
        const int thread = simt::thread_rank();
        T* const cells = storage.cells;
        const auto combine = [=](int left, int right) {
            if (right < active) cells[right] = static_cast<T>(op(cells[left], cells[right]));
        };

        if (thread < active) cells[thread] = partial;
        int distance = 1;
        for (; 2 * distance <= active; distance *= 2) {
            simt::sync_block();  // the level below is complete
            probe.step();
            const int last = (thread + 1) * 2 * distance - 1;
            combine(last - distance, last);
        }
        // The highest level at which a left child has a left neighbour.
        distance = 3 * (distance / 2) <= active ? distance / 2 : distance / 4;
        for (; distance > 0; distance /= 2) {
            simt::sync_block();  // the prefixes of the level above are complete
            probe.step();
            const int neighbour = (thread + 1) * 2 * distance - 1;
            combine(neighbour, neighbour + distance);
        }
        simt::sync_block();  // the lowest level is complete
        return read_inclusive(cells, partial, active);
    }
};

/// Out of place: every level of the tree is an array of its own, and siblings are neighbours that are read and written
/// as one pair. The cells of a step are consecutive.
///
/// Shared memory: 2·bit_ceil(threads) cells. Up, an operation reads one pair and writes one cell; down, it reads three
/// cells and writes one pair. For T of 4 and 8 bytes these accesses have no bank conflicts, except that on the way down
/// a left child is read alone, which costs as much as its pair. One barrier per step orders the writes of the previous
/// step. Within a step the level read is not the level written, except for a thread's own pair.
template <int threads>
struct BrentKungTreeScan {
    static constexpr int kLeaves = static_cast<int>(std::bit_ceil(static_cast<unsigned>(threads)));

    template <class T>
    static constexpr std::size_t kPairAlignment = sizeof(T) == 4 || sizeof(T) == 8 ? 2 * sizeof(T) : alignof(T);

    template <class T>
    struct alignas(kPairAlignment<T>) Pair {
        T child[2];
    };

    template <class T>
    struct Storage {
        Pair<T> pairs[std::size_t{kLeaves}];

        KOGGE_DEVICE Pair<T>* level(int l) { return pairs + kLeaves - (kLeaves >> l); }
    };

    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadScan<T> scan(T partial, int active, Op op, Storage<T>& storage, Probe probe = {}) {
        const int thread = simt::thread_rank();
        const auto node = [](Pair<T>* level, int i) -> T& { return level[i / 2].child[i % 2]; };

        if (thread < active) node(storage.level(0), thread) = partial;
        int l = 0;
        for (; active >> l >= 2; ++l) {
            Pair<T>* const children = storage.level(l);
            simt::sync_block();  // level l is complete
            probe.step();
            if (thread < (active >> l) / 2) {
                const Pair<T> pair = children[thread];
                const T fold = static_cast<T>(op(pair.child[0], pair.child[1]));
                node(storage.level(l + 1), thread) = fold;
                if (thread == 0) children[0].child[1] = fold;  // nothing precedes it: this is its prefix already
            }
        }
        while (--l >= 0) {
            const int nodes = active >> l;
            if (nodes < 3) continue;  // the first pair is done
            Pair<T>* const parents = storage.level(l + 1);
            Pair<T>* const children = storage.level(l);
            simt::sync_block();  // the prefixes of level l + 1 are complete
            probe.step();
            const int pair = thread + 1;
            if (2 * pair < nodes) {
                const T left = static_cast<T>(op(node(parents, pair - 1), children[pair].child[0]));
                if (2 * pair + 1 < nodes) children[pair] = Pair<T>{{left, node(parents, pair)}};
                else children[pair].child[0] = left;
            }
        }
        simt::sync_block();                               // level 0 is complete
        static_assert(sizeof(Pair<T>) == 2 * sizeof(T));  // so the leaves are one array
        return read_inclusive(reinterpret_cast<const T*>(storage.pairs), partial, active);
    }
};

}  // namespace kogge::block
