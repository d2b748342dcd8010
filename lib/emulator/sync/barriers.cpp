// Block and named barriers, warp collectives, and what their misuse looks like.
#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "emulator/machine/machine.hpp"

namespace kogge::simt {

namespace emulator {
namespace {

void wait_in(Fiber& me, State state, Site site) {
    me.state = state;
    me.site = site;
    worker_of(me).suspend(&me);
}

/// bar.sync is executed by whole warps: its lanes must not wait at different barriers.
void check_divergence(Block& block) {
    for (auto& warp : block.warps) {
        const Fiber* other = nullptr;
        for (int lane = 0; lane < warp->lanes; ++lane) {
            const Fiber& fiber = warp->first[lane];
            if (fiber.state != State::at_block_barrier) continue;
            if (other && !same_site(other->site, fiber.site))
                fail(current_fiber(), fiber.site,
                     "divergent block barrier: " + thread_name(*other) + " is in sync_block at " + at(other->site) +
                         " while " + thread_name(fiber) + " of the same warp is in another");
            other = &fiber;
        }
    }
}

std::uint32_t source_lane(const detail::WarpCall& call, int lane) {
    switch (call.operation) {
        case detail::WarpOperation::shuffle:
            return call.argument % kWarpSize;
        case detail::WarpOperation::shuffle_up:
            return static_cast<std::uint32_t>(lane) - call.argument;
        case detail::WarpOperation::shuffle_down:
            return static_cast<std::uint32_t>(lane) + call.argument;
        default:
            return static_cast<std::uint32_t>(lane) ^ call.argument;
    }
}

void shuffle_value(const Warp& warp, const detail::WarpCall& call, int lane) {
    const std::uint32_t source = source_lane(call, lane);
    if (source >= kWarpSize) return copy_unseen(call.result, call.value, call.bytes);
    if (call.mask >> source & 1) return copy_unseen(call.result, warp.calls[source]->value, call.bytes);
    // What a lane outside of the mask holds is undefined: the reader gets rubbish, which it may ignore.
    for (std::uint32_t i = 0; i < call.bytes; ++i)
        static_cast<volatile unsigned char*>(call.result)[i] = kSharedPattern;
}

/// The lanes of `mask` that have called with this argument.
mask_t lanes_with(const Warp& warp, std::uint32_t argument, mask_t mask) {
    mask_t lanes = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) lanes |= mask_t{warp.arguments[lane] == argument} << lane;
    return lanes & mask;
}

void complete_collective(Warp& warp, const detail::WarpCall& last) {
    const auto each_lane = [&](auto action) {
        for (mask_t rest = last.mask; rest != 0; rest &= rest - 1) action(lowest_bit(rest));
    };
    mask_t result = 0;
    switch (last.operation) {
        case detail::WarpOperation::barrier:
            return;
        case detail::WarpOperation::ballot:
            result = last.mask & ~lanes_with(warp, 0, last.mask);
            break;
        case detail::WarpOperation::sum:
            each_lane([&](int lane) { result += warp.arguments[lane]; });
            break;
        case detail::WarpOperation::maximum:
            each_lane([&](int lane) { result = std::max(result, warp.arguments[lane]); });
            break;
        case detail::WarpOperation::match:
            return each_lane([&](int lane) { warp.results[lane] = lanes_with(warp, warp.arguments[lane], last.mask); });
        default:
            return each_lane([&](int lane) { shuffle_value(warp, *warp.calls[lane], lane); });
    }
    each_lane([&](int lane) { warp.results[lane] = result; });
}

/// Why this lane's call cannot belong to the collective that others of the warp are in; fails if so.
void check_collective(Fiber& me, Warp& warp, const detail::WarpCall& call) {
    const mask_t self = mask_t{1} << me.lane();
    if (!(call.mask & self)) fail(me, call.site, "a lane that is not in its own mask calls a warp collective");
    const mask_t exists = warp.lanes == kWarpSize ? kAllLanes : (mask_t{1} << warp.lanes) - 1;
    if (call.mask & ~exists)
        fail(me, call.site, "the mask of a warp collective names lanes that the block does not have");
    if (const mask_t gone = call.mask & warp.exited; gone)
        fail(me, call.site,
             "the mask of a warp collective names " + thread_name(warp.first[lowest_bit(gone)]) +
                 ", which has exited (last seen at " + at(warp.first[lowest_bit(gone)].site) + ")");
    // Lanes that wait with one mask agree already, so one of them stands for all. Those that do not wait for this lane
    // may come to its collective later.
    for (mask_t rest = warp.arrived & call.mask; rest != 0;) {
        const int other = lowest_bit(rest);
        rest &= ~warp.masks[other];
        if (!(warp.masks[other] & self)) continue;
        const detail::WarpCall& theirs = *warp.calls[other];
        // Warp barriers may meet at different places, other collectives may not.
        const bool matches = theirs.mask == call.mask && theirs.operation == call.operation &&
                             (call.operation == detail::WarpOperation::barrier || same_site(theirs.site, call.site));
        if (!matches)
            fail(me, call.site,
                 "warp collective differs from the one in which " + thread_name(warp.first[other]) + " waits at " +
                     at(theirs.site) + ": another mask, operation or place");
    }
}

bool all_have_come(const Warp& warp, mask_t mask) {
    if ((warp.arrived & mask) != mask) return false;
    for (mask_t rest = mask; rest != 0; rest &= rest - 1)
        if (warp.masks[lowest_bit(rest)] != mask) return false;
    return true;
}

std::string what_it_does(const Fiber& fiber) {
    switch (fiber.state) {
        case State::ready:
            return "can run, last seen at " + at(fiber.site);
        case State::polling:
            return "poll at " + at(fiber.site);
        case State::at_block_barrier:
            return "wait in sync_block at " + at(fiber.site);
        case State::at_named_barrier:
            return "wait at named barrier " + std::to_string(fiber.waits_on) + " at " + at(fiber.site);
        case State::in_collective:
            return "wait in a warp collective at " + at(fiber.site);
        case State::at_transaction:
            return "wait for a transaction barrier at " + at(fiber.site);
        case State::at_bulk_wait:
            return "wait for bulk stores at " + at(fiber.site);
        case State::exited:
            return "have exited, last seen at " + at(fiber.site);
    }
    return {};
}

}  // namespace

std::string describe_waiters(const Block& block) {
    struct Group {
        std::uint32_t first, count;
    };
    std::map<std::string, Group> groups;
    for (const Fiber& fiber : block.fibers)
        ++groups.try_emplace(what_it_does(fiber), Group{fiber.thread, 0}).first->second.count;
    std::string text;
    for (const auto& [what, group] : groups) {
        if (!text.empty()) text += "; ";
        text += std::to_string(group.count) + " of its threads (" + std::to_string(group.first) + ", …) " + what;
    }
    return text;
}

void release_block_barrier(Block& block) {
    check_divergence(block);
    block.at_barrier = 0;
    ++block.barrier_generation;
    for (Fiber& fiber : block.fibers)
        if (fiber.state == State::at_block_barrier) block.worker->make_ready(&fiber);
}

}  // namespace emulator

namespace detail {

using namespace emulator;

void* shared_bytes(std::size_t bytes, Site site) {
    Fiber& me = current_fiber();
    SharedArena& shared = me.home->shared;
    if (bytes > shared.bytes())
        fail(me, site,
             "shared_memory needs " + std::to_string(bytes) + " bytes, the launch gave " +
                 std::to_string(shared.bytes()) + ": raise LaunchShape::shared_bytes");
    return shared.data();
}

void* shared_of_block(void* place, std::size_t bytes, std::uint32_t block, Site site) {
    Fiber& me = current_fiber();
    Launch& launch = *worker_of(me).launch;
    const SharedArena& own = me.home->shared;
    if (!own.holds(place, bytes)) fail(me, site, "map_shared_rank takes a place in the block's shared memory");
    if (block >= me.cluster)
        fail(me, site,
             "the cluster has " + std::to_string(me.cluster) + " blocks, and none of rank " + std::to_string(block));
    if (block == me.block) return place;
    unsigned char* const other = launch.shared_of_blocks[block];
    if (!other)
        fail(me, site,
             "the shared memory of block " + std::to_string(block) +
                 " is not there: the block has not begun, or has exited");
    return other + (static_cast<unsigned char*>(place) - static_cast<unsigned char*>(own.data()));
}

void block_barrier(Site site) {
    Fiber& me = current_fiber();
    Block& block = *me.home;
    SyncObject& sync = *block.barrier_sync[block.barrier_generation % 2];
    sync.release();
    me.state = State::at_block_barrier;
    me.site = site;
    if (++block.at_barrier == block.live) release_block_barrier(block);
    worker_of(me).suspend(&me);
    sync.acquire();
}

namespace {

// As on a GPU, the block meets, its first thread counts it in and waits for the others, and the block meets again.
std::uint32_t arrive_at_barrier_of_all_blocks(Fiber& me, Launch& launch, Site site) {
    block_barrier(site);
    if (me.thread != 0) return 0;
    const std::uint32_t generation = launch.grid_generation;
    launch.grid_sync[generation % 2].release();
    me.site = site;
    {
        const std::lock_guard lock(launch.mutex);
        launch.grid_site = site;
    }
    made_progress();
    if (++launch.at_grid_barrier == launch.shape.blocks) {
        launch.at_grid_barrier = 0;
        ++launch.grid_generation;
        return generation;
    }
    while (launch.looks_when && !launch.aborted && !launch.looks_when(launch.exited_blocks)) std::this_thread::yield();
    if (launch.waits_for_exited(generation))  // a block that goes looks for those that wait, and the reverse
        fail(me, site, std::string("the ") + launch.barrier_name() + " waits for a block that has exited");
    return generation;
}

}  // namespace

std::uint32_t arrive_at_grid_barrier(Site site) {
    Fiber& me = current_fiber();
    Launch& launch = *worker_of(me).launch;
    if (!launch.shape.cooperative)
        fail(me, site, "a grid barrier needs a cooperative launch: set LaunchShape::cooperative");
    return arrive_at_barrier_of_all_blocks(me, launch, site);
}

// The cluster is the whole grid.
std::uint32_t arrive_at_cluster_barrier(Site site) {
    Fiber& me = current_fiber();
    Launch& launch = *worker_of(me).launch;
    if (!launch.shape.cluster) fail(me, site, "a cluster barrier needs a cluster: set LaunchShape::cluster");
    return arrive_at_barrier_of_all_blocks(me, launch, site);
}

void wait_at_grid_barrier(std::uint32_t arrival, bool waits, Site site) {
    if (!waits) return;
    Fiber& me = current_fiber();
    Launch& launch = *worker_of(me).launch;
    if (me.thread == 0) {
        while (launch.grid_generation == arrival) pause(site);
        launch.grid_sync[arrival % 2].acquire();
    }
    block_barrier(site);
}

void named_barrier(int id, int threads, bool waits, Site site) {
    Fiber& me = current_fiber();
    Block& block = *me.home;
    if (id < 1 || id > 15) fail(me, site, "named barrier ids are 1..15, this is " + std::to_string(id));
    const auto whole = (me.threads + kWarpSize - 1) / kWarpSize * kWarpSize;
    if (threads <= 0 || threads % kWarpSize != 0 || static_cast<std::uint32_t>(threads) > whole)
        fail(me, site,
             "a named barrier is for a multiple of 32 threads of the block, not for " + std::to_string(threads));
    NamedBarrier& barrier = block.named[id];
    if (barrier.threads == 0) {
        barrier.threads = static_cast<std::uint32_t>(threads);
        barrier.site = site;
    } else if (barrier.threads != static_cast<std::uint32_t>(threads)) {
        fail(me, site,
             "named barrier " + std::to_string(id) + " is for " + std::to_string(barrier.threads) + " threads at " +
                 at(barrier.site) + " and for " + std::to_string(threads) + " here");
    }
    SyncObject& sync = barrier.sync[barrier.generation % 2];
    sync.release();
    me.site = site;
    if (waits) {
        me.state = State::at_named_barrier;
        me.waits_on = static_cast<std::uint32_t>(id);
    }
    if (++barrier.arrived == barrier.threads) {
        barrier.threads = barrier.arrived = 0;
        ++barrier.generation;
        for (Fiber& fiber : block.fibers)
            if (fiber.state == State::at_named_barrier && fiber.waits_on == static_cast<std::uint32_t>(id))
                block.worker->make_ready(&fiber);
    }
    if (!waits) return;
    worker_of(me).suspend(&me);
    sync.acquire();
}

void warp_collective(WarpCall& call) {
    Fiber& me = current_fiber();
    Warp& warp = *me.home->warps[me.thread / kWarpSize];
    check_collective(me, warp, call);
    const bool orders_memory = call.operation == WarpOperation::barrier;
    if (orders_memory) warp.sync.release();
    const int lane = me.lane();
    warp.arguments[lane] = call.argument;
    warp.masks[lane] = call.mask;
    warp.calls[lane] = &call;
    ++me.home->worker->collectives;
    warp.arrived |= mask_t{1} << lane;
    if (!all_have_come(warp, call.mask)) {
        wait_in(me, State::in_collective, call.site);
    } else {
        me.site = call.site;
        complete_collective(warp, call);
        warp.arrived &= ~call.mask;
        for (mask_t rest = call.mask & ~(mask_t{1} << lane); rest != 0; rest &= rest - 1)
            worker_of(me).make_ready(&warp.first[lowest_bit(rest)]);
    }
    call.lanes = warp.results[lane];
    if (orders_memory) warp.sync.acquire();
}

}  // namespace detail
}  // namespace kogge::simt
