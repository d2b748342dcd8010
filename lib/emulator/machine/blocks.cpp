// The life of a block: it is claimed, its threads get stacks and start, and each exits.
#include <algorithm>

#include "emulator/machine/machine.hpp"

namespace kogge::simt::emulator {

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

Strand& Worker::take_strand() {
    if (idle_strands.empty()) {
        strands.push_back(std::make_unique<Strand>());
        idle_strands.reserve(strands.capacity());
        idle_strands.push_back(strands.back().get());
    }
    std::swap(idle_strands[random.below(static_cast<std::uint32_t>(idle_strands.size()))], idle_strands.back());
    Strand& strand = *idle_strands.back();
    idle_strands.pop_back();
    strand.stack.prepare(random.below(32));
    if (!strand.tsan) strand.tsan = tsan_create();
    return strand;
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
    for (void** side : {&block.engine.shared_side, &block.engine.global_side})
        if (!*side) *side = tsan_create();
    block.named = std::make_unique<NamedBarrier[]>(16);
    block.transactions.clear();
    block.shared.prepare(launch->shape.shared_bytes);
    if (launch->shape.cluster) launch->shared_of_blocks[rank] = static_cast<unsigned char*>(block.shared.data());
    block.fibers.assign(threads, Fiber{});
    block.warps.clear();

    for (std::uint32_t i = 0; i < threads; ++i) {
        Fiber& fiber = block.fibers[i];
        Strand& strand = take_strand();
        fiber.thread = i;
        fiber.threads = threads;
        fiber.block = rank;
        fiber.blocks = launch->shape.blocks;
        fiber.cluster = launch->shape.cluster ? launch->shape.blocks : 1;
        fiber.home = &block;
        fiber.strand = &strand;
        fiber.context = boost::context::detail::make_fcontext(strand.stack.top(), strand.stack.bytes(), fiber_main);
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
        if ((warp.arrived >> lane & 1) && (warp.masks[lane] >> fiber.lane() & 1))
            fail(fiber, fiber.site,
                 "exited while " + thread_name(warp.first[lane]) + " waits for it in a warp collective at " +
                     at(warp.first[lane].site));
    }
    fiber.state = State::exited;
    block.worker->note_progress();
    if (--block.live > 0) {
        if (block.at_barrier == block.live) release_block_barrier(block);
        return;
    }
    Launch& launch = *block.worker->launch;
    if (launch.shape.cluster) launch.shared_of_blocks[block.rank] = nullptr;
    ++launch.exited_blocks;
    if (launch.at_grid_barrier > 0) {
        Site waits_at;
        {
            const std::lock_guard lock(launch.mutex);
            waits_at = launch.grid_site;
        }
        fail(fiber, fiber.site,
             std::string("its block exits while others wait for it at the ") + launch.barrier_name() + " of " +
                 at(waits_at));
    }
    if (!block.shared.intact())
        fail(fiber, fiber.site,
             "shared memory was written outside of the launch's " + std::to_string(block.shared.bytes()) + " bytes");
    // The last thread still runs on its strand, but nobody takes one before it has left.
    for (const Fiber& thread : block.fibers) block.worker->idle_strands.push_back(thread.strand);
    block.resident = false;
    --block.worker->resident;
}

}  // namespace kogge::simt::emulator
