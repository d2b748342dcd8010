// The worker's loop: starts blocks, switches between their threads in random order, completes copies, and
// finds out when nothing moves any more.
#include <algorithm>
#include <exception>
#include <thread>

#include "emulated_machine.hpp"

namespace kogge::simt {

constinit thread_local const detail::ThreadPosition* detail::position = nullptr;

namespace emulator {

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
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

// ---- blocks ---------------------------------------------------------------------------------------------

bool Launch::claim_block(std::uint32_t& rank) {
    const std::uint32_t place = next_block.fetch_add(1, std::memory_order_relaxed);
    if (place >= shape.blocks) {
        next_block.store(shape.blocks, std::memory_order_relaxed);
        return false;
    }
    rank = place;
    if (const std::uint32_t group = place / 8; (group + 1) * 8ull <= shape.blocks) {
        const auto key = static_cast<std::uint32_t>(Random(seed + group).next());
        rank = group * 8 + (place * (key % 4 * 2 + 1) + key / 4) % 8;  // an odd factor: a permutation
    }
    return true;
}

void Worker::start_blocks() {
    for (auto& slot : slots) {
        if (resident == launch->resident) return;
        std::uint32_t rank = 0;
        if (slot->resident) continue;
        if (!launch->claim_block(rank)) return;
        start_block(*slot, rank);
    }
}

void Worker::start_block(Block& block, std::uint32_t rank) {
    const std::uint32_t threads = launch->shape.threads;
    block.worker = this;
    block.rank = rank;
    block.resident = true;
    block.live = threads;
    block.polling = block.copies = block.at_barrier = block.barrier_generation = 0;
    block.begin = std::make_unique<SyncObject>();
    for (auto& sync : block.barrier_sync) sync = std::make_unique<SyncObject>();
    for (auto* sync : {&block.bulk_issued, &block.bulk_fenced, &block.bulk_read, &block.bulk_written})
        *sync = std::make_unique<SyncObject>();
    if (!block.engine_tsan) block.engine_tsan = tsan_create();
    block.named = std::make_unique<NamedBarrier[]>(16);
    block.transactions.clear();
    block.shared.prepare(launch->shape.shared_bytes);
    if (block.strands.size() < threads) block.strands.resize(threads);
    block.fibers.assign(threads, Fiber{});
    block.warps.clear();

    const auto deal = random.below(static_cast<std::uint32_t>(block.strands.size()));
    for (std::uint32_t i = 0; i < threads; ++i) {
        Fiber& fiber = block.fibers[i];
        Strand& strand = block.strands[(i + deal) % block.strands.size()];
        fiber.thread = i;
        fiber.threads = threads;
        fiber.block = rank;
        fiber.blocks = launch->shape.blocks;
        fiber.home = &block;
        fiber.strand = &strand;
        strand.stack.prepare((i + deal) % static_cast<std::uint32_t>(block.strands.size()));
        if (!strand.tsan) strand.tsan = tsan_create();
        fiber.context = make_fcontext(strand.stack.top(), strand.stack.bytes(), fiber_main);
        if (i % kWarpSize == 0) {
            block.warps.push_back(std::make_unique<Warp>());
            block.warps.back()->first = &fiber;
            block.warps.back()->lanes = static_cast<int>(std::min<std::uint32_t>(kWarpSize, threads - i));
        }
        make_ready(&fiber);
    }
    block.begin->release();
    ++resident;
    note_progress();
}

void thread_exits(Fiber& fiber) {
    Block& block = *fiber.home;
    check_copies_at_exit(fiber);
    Warp& warp = *block.warps[fiber.thread / kWarpSize];
    warp.exited |= mask_t{1} << fiber.lane();
    for (int lane = 0; lane < warp.lanes; ++lane) {
        const Fiber& other = warp.first[lane];
        if ((warp.arrived >> lane & 1) && (other.call->mask >> fiber.lane() & 1))
            fail(fiber, fiber.site,
                 "exited while " + thread_name(other) + " waits for it in a warp collective at " + at(other.site));
    }
    fiber.state = State::exited;
    block.worker->note_progress();
    if (--block.live > 0) {
        if (block.at_barrier == block.live) release_block_barrier(block);
        return;
    }
    if (!block.shared.intact())
        fail(fiber, fiber.site,
             "shared memory was written outside of the launch's " + std::to_string(block.shared.bytes()) + " bytes");
    block.resident = false;
    --block.worker->resident;
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
    const bool moved = sum != observed;
    observed = sum;
    stuck = moved ? 0 : stuck + 1;
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
        // Frames were dropped in the middle: ThreadSanitizer's view of these call stacks is of no more use.
        for (Strand& strand : block->strands)
            if (strand.tsan) {
                {
                    const ActAs dropped(strand.tsan);
                    launch->end.release();
                }
                tsan_destroy(strand.tsan);
                strand.tsan = nullptr;
            }
        block->resident = false;
    }
    resident = 0;
    ready.clear();
    pollers.clear();
    copies.clear();
}

}  // namespace emulator

// ---- polling --------------------------------------------------------------------------------------------

namespace detail {

void pause(Site site) {
    emulator::Fiber& me = emulator::current_fiber();
    emulator::Worker& worker = emulator::worker_of(me);
    me.site = site;
    me.state = emulator::State::polling;
    ++me.home->polling;
    worker.pollers.push_back(&me);
    worker.suspend(&me);
}

void after_load(const void* address, std::uint64_t value, Site site) {
    emulator::Fiber& me = emulator::current_fiber();
    const auto slot = reinterpret_cast<std::uintptr_t>(address) / 4 % 4;
    if (me.seen_address[slot] == address && me.seen_value[slot] == value) return pause(site);
    me.seen_address[slot] = address;
    me.seen_value[slot] = value;
}

void before_atomic(const void* address, std::size_t bytes, Space space, Site site) {
    emulator::Fiber& me = emulator::current_fiber();
    if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
        emulator::fail(me, site, "an atomic access is not aligned to its " + std::to_string(bytes) + " bytes");
    if (space == Space::global && me.home->shared.holds(address, bytes))
        emulator::fail(me, site, "ordered loads and stores are for global memory, this address is shared memory");
    emulator::Worker& worker = emulator::worker_of(me);
    if (!worker.random.one_in(8)) return;
    worker.make_ready(&me);
    worker.suspend(&me);
}

void made_progress() { emulator::worker_of(emulator::current_fiber()).note_progress(); }

}  // namespace detail
}  // namespace kogge::simt
