// The worker's loop: switches between threads in random order, completes copies, and finds out when nothing moves
// any more.
#include <exception>
#include <thread>

#include "emulator/machine/machine.hpp"

namespace kogge::simt {

constinit thread_local const detail::ThreadPosition* detail::position = nullptr;

namespace emulator {

using boost::context::detail::jump_fcontext;
using boost::context::detail::transfer_t;

namespace {
constexpr std::uint32_t kRoundsUntilLivelock = 2000;
constexpr std::uint32_t kRoundsUntilPolite = 16;  // then the OS may run another worker
}  // namespace

// ---- switching ------------------------------------------------------------------------------------------
// A jump stores the context left behind where `saved` points. Fibers jump to each other directly, and to the
// worker's main context when something other than a ready thread needs a look.

void Worker::landed() { asan_finish_switch(running ? running->strand->asan_save : main_asan_save, nullptr, nullptr); }

void Worker::enter(Fiber* fiber) {
    running = fiber;
    detail::position = fiber;
    saved = &main_context;
    asan_start_switch(&main_asan_save, fiber->strand->stack.bottom(), fiber->strand->stack.bytes());
    tsan_switch(fiber->strand->tsan);
    const transfer_t from = jump_fcontext(fiber->context, this);
    *saved = from.fctx;
    landed();
}

void Worker::switch_from(Fiber& me, bool forever) {
    const bool attention = ready.empty() || launch->aborted.load(std::memory_order_relaxed) ||
                           (!copies.empty() && random.one_in(16)) || forever;
    Fiber* next = attention ? nullptr : pick();
    if (next == &me) return;
    saved = &me.context;
    running = next;
    detail::position = next;
    void** save = forever ? nullptr : &me.strand->asan_save;
    if (next) {
        asan_start_switch(save, next->strand->stack.bottom(), next->strand->stack.bytes());
        tsan_switch(next->strand->tsan);
    } else {
        asan_start_switch(save, main_stack, main_stack_bytes);
        tsan_switch(main_tsan);
    }
    const transfer_t from = jump_fcontext(next ? next->context : main_context, this);
    *saved = from.fctx;
    landed();
}

void Worker::suspend(Fiber* me) { switch_from(*me, false); }

void Worker::leave() {
    switch_from(*running, true);
    std::terminate();  // nobody resumes a fiber that has left
}

void Worker::escape() {
    saved = &running->context;
    running = nullptr;
    detail::position = nullptr;
    jump_fcontext(main_context, this);
    std::terminate();
}

void fiber_main(transfer_t from) {
    auto& worker = *static_cast<Worker*>(from.data);
    *worker.saved = from.fctx;
    asan_finish_switch(nullptr, nullptr, nullptr);
    Fiber& me = *worker.running;
    worker.launch->begin.acquire();
    me.home->begin->acquire();
    try {
        worker.launch->body();
        thread_exits(me);
    } catch (const LaunchAborted&) {
    } catch (const std::exception& error) {
        record_failure(me, me.site, std::string("an exception left the kernel: ") + error.what());
    } catch (...) {
        record_failure(me, me.site, "an exception left the kernel");
    }
    worker.launch->end.release();
    worker.leave();
}

void Worker::make_ready(Fiber* fiber) {
    fiber->state = State::ready;
    ready.push_back(fiber);
}

Fiber* Worker::pick() {
    if (!pollers.empty() && random.one_in(64)) {
        std::swap(pollers[random.below(static_cast<std::uint32_t>(pollers.size()))], pollers.back());
        --pollers.back()->home->polling;
        make_ready(pollers.back());
        pollers.pop_back();
    }
    if (patience == 1 || random.one_in(patience))
        std::swap(ready[random.below(static_cast<std::uint32_t>(ready.size()))], ready.back());
    Fiber* next = ready.back();
    ready.pop_back();
    return next;
}

// ---- the loop -------------------------------------------------------------------------------------------

void Worker::run(Launch& next, std::vector<Worker*>& all, std::uint32_t rank) {
    launch = &next;
    team = &all;
    random = Random(next.seed * 0x9e3779b97f4a7c15u + rank);
    patience = next.seed % 4 == 3 ? 8 : 1;
    main_tsan = tsan_current();
    // Kernel threads put themselves on these lists, where allocating memory would be theirs for ThreadSanitizer.
    ready.reserve(std::size_t{next.resident} * next.shape.threads);
    pollers.reserve(ready.capacity());
    while (slots.size() < next.resident) slots.push_back(std::make_unique<Block>());
    while (!next.aborted.load(std::memory_order_relaxed)) {
        start_blocks();
        if (!copies.empty() && (ready.empty() || random.one_in(2))) advance_copies();
        if (!ready.empty()) {
            enter(pick());
            continue;
        }
        if (resident == 0 && copies.empty()) break;
        check_deadlock();
        if (!pollers.empty()) count_round();
    }
    drop_everything();
    busy = false;
}

void Worker::check_deadlock() {
    for (auto& block : slots)
        if (block->resident && block->polling == 0 && block->copies == 0 && ready.empty())
            launch->fail("deadlock in block " + std::to_string(block->rank) + ": " + describe_waiters(*block));
}

std::uint64_t Worker::progress_of_all() const {
    std::uint64_t sum = 0;
    for (const Worker* worker : *team) sum += worker->progress;
    return sum;
}

void Worker::count_round() {
    for (Fiber* fiber : pollers) {
        --fiber->home->polling;
        make_ready(fiber);
    }
    pollers.clear();
    const std::uint64_t sum = progress_of_all();
    // The others look at `observed` and then at `stuck`: never at rounds before it.
    if (sum != observed) stuck = 0;
    else ++stuck;
    observed = sum;
    if (stuck > kRoundsUntilPolite) std::this_thread::yield();
    if (stuck < kRoundsUntilLivelock) return;
    for (const Worker* worker : *team)
        if (worker->busy && (worker->observed != sum || worker->stuck < kRoundsUntilLivelock)) return;
    if (progress_of_all() != sum) return;  // of a worker that has just finished
    std::string blocks;
    for (const auto& block : slots)
        if (block->resident) blocks += "; block " + std::to_string(block->rank) + ": " + describe_waiters(*block);
    launch->fail("livelock: threads poll and nothing changes" + blocks);
}

void Worker::drop_everything() {
    for (auto& block : slots) {
        if (!block->resident) continue;
        for (const Fiber& fiber : block->fibers) {
            // Frames were dropped in the middle: ThreadSanitizer's view of these call stacks is of no more use.
            {
                const ActAs dropped(fiber.strand->tsan);
                launch->end.release();
            }
            tsan_destroy(fiber.strand->tsan);
            fiber.strand->tsan = nullptr;
            idle_strands.push_back(fiber.strand);
        }
        block->resident = false;
    }
    resident = 0;
    ready.clear();
    pollers.clear();
    copies.clear();
}

}  // namespace emulator
}  // namespace kogge::simt
