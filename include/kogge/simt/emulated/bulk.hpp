// Emulated: transaction barriers and bulk asynchronous copies. A copy lands piece by piece, at random times
// and in random order among the copies in flight, as late as its waiters allow.
#pragma once

#include <cstdint>

#include "kogge/simt/emulated/thread.hpp"

namespace kogge::simt {

inline constexpr bool kHasBulkCopy = true;

struct TransactionBarrier;

namespace detail {

std::uint64_t transaction_init(TransactionBarrier& barrier, std::uint32_t arrivals, Site site);
void transaction_arrive(TransactionBarrier& barrier, std::uint64_t state, std::uint32_t bytes, Site site);
void transaction_wait(TransactionBarrier& barrier, std::uint64_t state, std::uint32_t parity, Site site);

void start_bulk_load(void* shared, const void* global, std::uint32_t bytes, TransactionBarrier& barrier,
                     std::uint64_t state, Site site);
void start_bulk_store(void* global, const void* shared, std::uint32_t bytes, Site site);
void commit_bulk_group(Site site);
enum class BulkWait { read, complete };
void wait_bulk_groups(std::uint32_t pending, BulkWait until, Site site);
void fence_bulk_proxy(Site site);

}  // namespace detail

/// A transaction barrier in shared memory. A phase ends when `arrivals` have arrived and all announced bytes
/// have landed. A waiter may be at most one phase behind: wait(parity) tells only odd phases from even ones.
struct TransactionBarrier {
    std::uint64_t state;

    /// One thread; a block barrier must follow before others use it.
    void init(std::uint32_t arrivals, Site site = Site::here()) {
        state = detail::transaction_init(*this, arrivals, site);
    }
    void arrive(Site site = Site::here()) { detail::transaction_arrive(*this, state, 0, site); }
    /// Arrives and announces bytes that bulk copies will bring in this phase.
    void arrive_expect(std::uint32_t bytes, Site site = Site::here()) {
        detail::transaction_arrive(*this, state, bytes, site);
    }
    /// Returns once the phase of that parity is over; acquires what arrivers and bulk copies wrote.
    void wait(std::uint32_t parity, Site site = Site::here()) {
        if (!detail::switched_off(site, SiteKind::transaction_wait))
            detail::transaction_wait(*this, state, parity, site);
    }
    /// The same for speed alone: nothing may rely on it, so that no mutation switches it off.
    void pace(std::uint32_t parity, Site site = Site::here()) { detail::transaction_wait(*this, state, parity, site); }
};
/// A warp arrives as one behind a sync_warp: by the lane for which arrives_for_warp is true.
inline constexpr int kWarpArrivals = 1;
inline bool arrives_for_warp() { return lane() == 0; }

/// Copies global → shared without the calling thread; `bytes` and both addresses are multiples of 16. Completion is
/// counted on `barrier`, which must have been told the bytes with arrive_expect.
inline void bulk_load(void* shared, const void* global, std::uint32_t bytes, TransactionBarrier& barrier,
                      Site site = Site::here()) {
    detail::start_bulk_load(shared, global, bytes, barrier, barrier.state, site);
}
/// The same; in the L2 cache what is read is the first to make room for others.
inline void bulk_load_once(void* shared, const void* global, std::uint32_t bytes, TransactionBarrier& barrier,
                           Site site = Site::here()) {
    detail::start_bulk_load(shared, global, bytes, barrier, barrier.state, site);
}
/// Begins to bring the 16-byte units that lie within [global, global + bytes) into the L2 cache.
inline void prefetch(const void*, std::uint32_t) {}
/// Copies shared → global without the calling thread. Ordinary writes to that shared memory must be followed by
/// fence_bulk in each writing thread and a barrier. Then bulk_commit, and bulk_wait_* by the same thread.
inline void bulk_store(void* global, const void* shared, std::uint32_t bytes, Site site = Site::here()) {
    detail::start_bulk_store(global, shared, bytes, site);
}
inline void bulk_commit(Site site = Site::here()) { detail::commit_bulk_group(site); }
/// Until at most `groups` of this thread's committed stores still read shared memory.
template <int groups>
void bulk_wait_read(Site site = Site::here()) {
    static_assert(groups >= 0);
    if (!detail::switched_off(site, SiteKind::bulk_wait))
        detail::wait_bulk_groups(groups, detail::BulkWait::read, site);
}
/// Until at most `groups` of this thread's committed stores are unfinished.
template <int groups>
void bulk_wait(Site site = Site::here()) {
    static_assert(groups >= 0);
    if (!detail::switched_off(site, SiteKind::bulk_wait))
        detail::wait_bulk_groups(groups, detail::BulkWait::complete, site);
}
/// Orders this thread's ordinary shared-memory accesses before later bulk copies, from or to that memory, of any thread
/// that this one arrives at a barrier for.
inline void fence_bulk(Site site = Site::here()) {
    if (!detail::switched_off(site, SiteKind::bulk_fence)) detail::fence_bulk_proxy(site);
}

}  // namespace kogge::simt
