// Shared by the textbook networks: a thread's results, and the hook that counts steps.
#pragma once

#include "kogge/block/scan.cuh"

namespace kogge::block {

/// A ThreadPrefix and the inclusive result, which these networks give without another operation.
template <class T>
struct ThreadScan : ThreadPrefix<T> {
    T inclusive;  ///< the fold of the partials of this thread and all earlier ones
};

/// Every thread calls a probe's step() once per step of a network. This probe does nothing.
struct NoProbe {
    KOGGE_DEVICE void step() const {}
};

/// This thread's results, read from the finished inclusive scan in `cells`. Threads at or past `active` get the
/// aggregate only.
template <class T>
KOGGE_DEVICE ThreadScan<T> read_inclusive(const T* cells, T partial, int active) {
    const int thread = simt::thread_rank();
    ThreadScan<T> result{{partial, thread > 0 && thread < active, cells[active - 1]}, partial};
    if (thread < active) result.inclusive = cells[thread];
    if (result.has_before) result.before = cells[thread - 1];
    return result;
}

}  // namespace kogge::block
