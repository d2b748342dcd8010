// Recursive doubling: in the step of distance d = 1, 2, 4, … < N, every x[i] with i >= d becomes x[i−d] ⊕ x[i]. Then
// x[i] is the fold of the last 2d values up to i.
//
// ceil(log2 N) steps and Σ (N − d) operations; for N a power of two that is N·log2 N − (N − 1): the fewest steps that a
// scan can have, and the most operations. N need not be a power of two: a step simply has N − d operations.
//
// P. Kogge and H. Stone, "A parallel algorithm for the efficient solution of a general class of recurrence equations",
// 1973; D. Hillis and G. Steele, "Data parallel algorithms", CACM 29(12), 1986. The three forms below have the same
// data flow and differ in where a value is kept between two steps.
#pragma once

#include "kogge/block/networks/common.cuh"

namespace kogge::block {

/// Double-buffered: a step reads one buffer and writes the other, so that one barrier per step is enough.
///
/// Shared memory: 2·threads cells. A step reads 2(N − d) + d cells and writes N, of which d are copied unchanged; all
/// accesses are to consecutive cells. The barrier of a step orders the previous step's writes, which filled the buffer
/// now read, and its reads, whose buffer is now written.
template <int threads>
struct KoggeStoneScan {
    template <class T>
    struct Storage {
        T cells[2][std::size_t{threads}];
    };

    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadScan<T> scan(T partial, int active, Op op, Storage<T>& storage, Probe probe = {}) {
        const int thread = simt::thread_rank();
        T* from = storage.cells[0];
        T* to = storage.cells[1];
        if (thread < active) from[thread] = partial;
        for (int distance = 1; distance < active; distance *= 2) {
            simt::sync_block();  // `from` is written, and all reads of `to` are done
            probe.step();
            if (thread < active)
                to[thread] =
                    thread < distance ? from[thread] : static_cast<T>(op(from[thread - distance], from[thread]));
            T* const written = to;
            to = from;
            from = written;
        }
        simt::sync_block();  // the last step's results are written
        return read_inclusive(from, partial, active);
    }
};

/// Each thread keeps its value in a register; one shared buffer passes it on.
///
/// Shared memory: `threads` cells, half of the double-buffered form. A step reads N − d cells and writes N − d,
/// consecutive ones. It has two barriers: one between writing and reading, one between reading and the next writing.
template <int threads>
struct KoggeStoneRegistersScan {
    template <class T>
    struct Storage {
        T cells[std::size_t{threads}];
    };

    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadScan<T> scan(T partial, int active, Op op, Storage<T>& storage, Probe probe = {}) {
        const int thread = simt::thread_rank();
        T value = partial;
        if (thread < active) storage.cells[thread] = value;
        for (int distance = 1; distance < active; distance *= 2) {
            simt::sync_block();  // all values of the previous step are written
            probe.step();
            if (thread >= distance && thread < active)
                value = static_cast<T>(op(storage.cells[thread - distance], value));
            simt::sync_block();  // all threads have read: cells may change
            if (thread >= distance && thread < active) storage.cells[thread] = value;
        }
        simt::sync_block();  // the last step's results are written
        return read_inclusive(storage.cells, partial, active);
    }
};

/// Hillis and Steele's statement "for all k in parallel: x[k] := x[k−d] + x[k]" as published: the vector is in shared
/// memory, in place. Their machine executes it in lockstep; here a barrier separates all reads from all writes.
///
/// Shared memory: `threads` cells. A step reads 2(N − d) cells and writes N − d, consecutive ones. Two barriers per
/// step.
/// Shared memory `threads` cells. A step reads 2(N − d) cells and writes N − d, consecutive ones; two barriers.
template <int threads>
struct HillisSteeleScan {
    template <class T>
    struct Storage {
        T cells[std::size_t{threads}];
    };

    template <class T, class Op, class Probe = NoProbe>
    KOGGE_DEVICE static ThreadScan<T> scan(T partial, int active, Op op, Storage<T>& storage, Probe probe = {}) {
        const int thread = simt::thread_rank();
        T* const x = storage.cells;
        if (thread < active) x[thread] = partial;
        for (int distance = 1; distance < active; distance *= 2) {
            const bool takes_part = thread >= distance && thread < active;
            simt::sync_block();  // all of x is that of the previous step
            probe.step();
            T sum = partial;
            if (takes_part) sum = static_cast<T>(op(x[thread - distance], x[thread]));
            simt::sync_block();  // all right-hand sides are read
            if (takes_part) x[thread] = sum;
        }
        simt::sync_block();  // the last step's results are written
        return read_inclusive(x, partial, active);
    }
};

}  // namespace kogge::block
