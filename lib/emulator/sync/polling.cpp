// Polling, and what surrounds each atomic access. A polling thread lets all others run first; when all threads only
// poll and nothing changes, the workers report a livelock.
#include <string>
#include <thread>

#include "emulator/machine/machine.hpp"

namespace kogge::simt {

namespace detail {

using namespace emulator;

void pause(Site site) {
    Fiber& me = current_fiber();
    Worker& worker = worker_of(me);
    me.site = site;
    me.state = State::polling;
    ++me.home->polling;
    worker.pollers.push_back(&me);
    worker.suspend(&me);
}

void after_load(const void* address, std::uint64_t value, Site site) {
    Fiber& me = current_fiber();
    const auto slot = reinterpret_cast<std::uintptr_t>(address) / 4 % 4;
    if (me.seen_address[slot] == address && me.seen_value[slot] == value) return pause(site);
    me.seen_address[slot] = address;
    me.seen_value[slot] = value;
}

void before_atomic(const void* address, std::size_t bytes, Space space, Site site) {
    Fiber& me = current_fiber();
    if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
        fail(me, site, "an atomic access is not aligned to its " + std::to_string(bytes) + " bytes");
    if (space == Space::global && me.home->shared.holds(address, bytes))
        fail(me, site, "ordered loads and stores are for global memory, this address is shared memory");
    Worker& worker = worker_of(me);
    if (!worker.random.one_in(8)) return;
    worker.make_ready(&me);
    worker.suspend(&me);
}

void wait_for_stream(Site site) {
    Launch& launch = *worker_of(current_fiber()).launch;
    if (!launch.overlaps) return;
    launch.awaits_stream.store(true, std::memory_order_relaxed);
    // For good, where what came before has failed, which is known once it is done.
    while (!launch.stream_is_done.load(std::memory_order_acquire) || launch.aborted.load(std::memory_order_relaxed)) {
        made_progress();  // elsewhere
        std::this_thread::yield();
        pause(site);
    }
    launch.stream_sync.acquire();
}

void made_progress() { worker_of(current_fiber()).note_progress(); }

void fence(Site site) {
    static constinit std::uint64_t all_fences = 0;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    current_fiber().site = site;
    tsan_acquire(&all_fences);
    tsan_release(&all_fences);
}

}  // namespace detail
}  // namespace kogge::simt
