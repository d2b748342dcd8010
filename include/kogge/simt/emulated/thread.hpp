// Emulated: sites, positions, shared memory, block and named barriers, fences, polling.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "kogge/simt/config.hpp"

namespace kogge::simt {

/// A place in the source: the file and line of a call.
struct Site {
    const char* file = "";
    int line = 0;
    static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return {file, line};
    }
};
#define KOGGE_SITE ::kogge::simt::Site = ::kogge::simt::Site::here()

using mask_t = std::uint32_t;
inline constexpr int kWarpSize = 32;
inline constexpr mask_t kAllLanes = 0xffffffffu;

/// What a site is for: each kind can be switched off for a mutation test.
enum class SiteKind {
    block_barrier,
    warp_barrier,
    named_barrier,
    acquire,
    release,
    acquire_release,
    fence,
    transaction_wait,
    bulk_fence,
    bulk_wait,
    grid_barrier,
    cluster_barrier,
    stream_wait
};

namespace detail {

struct ThreadPosition {
    std::uint32_t thread = 0;
    std::uint32_t threads = 0;
    std::uint32_t block = 0;
    std::uint32_t blocks = 0;
    std::uint32_t cluster = 1;
};
/// The kernel thread that this OS thread runs now.
extern constinit thread_local const ThreadPosition* position;

/// True while sites are counted or one is switched off.
extern constinit std::atomic<bool> sites_watched;
bool visit_site(Site site, SiteKind kind);
/// True for a site that a mutation test has switched off.
inline bool switched_off(Site site, SiteKind kind) {
    return sites_watched.load(std::memory_order_relaxed) && visit_site(site, kind);
}

void* shared_bytes(std::size_t bytes, Site site);
void* shared_of_block(void* place, std::size_t bytes, std::uint32_t block, Site site);
void block_barrier(Site site);
void named_barrier(int id, int threads, bool waits, Site site);
std::uint32_t arrive_at_grid_barrier(Site site);
std::uint32_t arrive_at_cluster_barrier(Site site);
void wait_at_grid_barrier(std::uint32_t arrival, bool waits, Site site);
void wait_for_stream(Site site);
void fence(Site site);
void pause(Site site);

}  // namespace detail

// ---- position ------------------------------------------------------------------------------------------
inline int thread_rank() { return static_cast<int>(detail::position->thread); }
inline int block_size() { return static_cast<int>(detail::position->threads); }
inline std::uint32_t block_rank() { return detail::position->block; }
inline std::uint32_t grid_size() { return detail::position->blocks; }
inline int lane() { return thread_rank() & (kWarpSize - 1); }
inline int warp_rank() { return thread_rank() / kWarpSize; }
/// The lanes before this one, as a mask.
inline mask_t lanes_before() { return (mask_t{1} << lane()) - 1; }

// ---- shared memory -------------------------------------------------------------------------------------
/// The block's shared memory as one struct. A kernel uses one struct type; its launch asks for at least
/// sizeof(Struct) bytes. Contents are undefined at the start of a block. Aligned to 128 bytes.
template <class Struct>
Struct& shared_memory(Site site = Site::here()) {
    static_assert(alignof(Struct) <= 128);
    return *static_cast<Struct*>(detail::shared_bytes(sizeof(Struct), site));
}

// ---- barriers and fences -------------------------------------------------------------------------------
inline void sync_block(Site site = Site::here()) {
    if (!detail::switched_off(site, SiteKind::block_barrier)) detail::block_barrier(site);
}
/// A barrier of some of the block's warps: `threads` (a multiple of 32) take part, under one of the ids 1..15.
inline void named_sync(int id, int threads, Site site = Site::here()) {
    if (!detail::switched_off(site, SiteKind::named_barrier)) detail::named_barrier(id, threads, true, site);
}
/// Counts this warp in without waiting.
inline void named_arrive(int id, int threads, Site site = Site::here()) {
    if (!detail::switched_off(site, SiteKind::named_barrier)) detail::named_barrier(id, threads, false, site);
}
/// A barrier of all blocks of a cooperative launch: what any of them wrote before it, all see behind it.
inline void sync_grid(Site site = Site::here()) {
    const std::uint32_t arrival = detail::arrive_at_grid_barrier(site);
    detail::wait_at_grid_barrier(arrival, !detail::switched_off(site, SiteKind::grid_barrier), site);
}
/// The same in two steps, between which a thread may do what neither reads nor writes what others do: what was written
/// before arrive_grid, all see behind wait_grid. Each block calls both, in turns.
using GridArrival = std::uint32_t;
inline GridArrival arrive_grid(Site site = Site::here()) { return detail::arrive_at_grid_barrier(site); }
inline void wait_grid(GridArrival arrival, Site site = Site::here()) {
    detail::wait_at_grid_barrier(arrival, !detail::switched_off(site, SiteKind::grid_barrier), site);
}
/// The blocks of this block's cluster; 1 where the launch made none.
inline std::uint32_t cluster_size() { return detail::position->cluster; }
/// A barrier of all blocks of a cluster, in two steps as a grid's, which takes a fraction of its time.
using ClusterArrival = std::uint32_t;
inline ClusterArrival arrive_cluster(Site site = Site::here()) { return detail::arrive_at_cluster_barrier(site); }
inline void wait_cluster(ClusterArrival arrival, Site site = Site::here()) {
    detail::wait_at_grid_barrier(arrival, !detail::switched_off(site, SiteKind::cluster_barrier), site);
}
inline void sync_cluster(Site site = Site::here()) { wait_cluster(arrive_cluster(site), site); }
/// The place in the shared memory of a block of this cluster, by its rank, that `place` is in this block's. It can be
/// reached after a barrier that shows that the block has begun, and before one that lets it exit.
template <class T>
T* map_shared_rank(T* place, std::uint32_t block, Site site = Site::here()) {
    return static_cast<T*>(detail::shared_of_block(place, sizeof(T), block, site));
}
/// Until all that is before this launch in its stream is done, and to be seen. Every kernel begins with it; here it
/// may start before the kernel in front of it does.
inline void wait_for_stream(Site site = Site::here()) {
    if (!detail::switched_off(site, SiteKind::stream_wait)) detail::wait_for_stream(site);
}
inline void fence_device(Site site = Site::here()) {
    if (!detail::switched_off(site, SiteKind::fence)) detail::fence(site);
}
/// Between two looks at a word that another thread will change.
inline void poll_pause(Site site = Site::here()) { detail::pause(site); }

}  // namespace kogge::simt
