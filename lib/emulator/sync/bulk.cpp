// Bulk copies. A copy moves a random piece at a random time; loads tell their barrier, stores first read shared memory
// into a staging buffer and write global memory later still.
#include <algorithm>
#include <string>

#include "emulator/machine/machine.hpp"

namespace kogge::simt {

namespace emulator {
namespace {

constexpr std::uint32_t kGranule = 16;

bool groups_done(const Fiber& fiber) {
    for (const Copy& copy : worker_of(const_cast<Fiber&>(fiber)).copies) {
        if (copy.owner != &fiber || !copy.store || copy.group >= fiber.wait_group) continue;
        if (fiber.wait_until == detail::BulkWait::complete || !copy.staged) return false;
    }
    return true;
}

void wake_waiter(Fiber* owner) {
    if (owner && owner->state == State::at_bulk_wait && groups_done(*owner)) worker_of(*owner).make_ready(owner);
}

void check_copy(Fiber& me, const void* shared, const void* global, std::uint32_t bytes, Site site) {
    if (!worker_of(me).launch->copies_in_bulk)
        fail(me, site, "bulk copies need compute capability 9.0; the emulated device has less");
    const auto misaligned = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % kGranule != 0; };
    if (misaligned(shared) || misaligned(global) || bytes % kGranule != 0 || bytes == 0)
        fail(me, site,
             "a bulk copy needs both addresses and the size (" + std::to_string(bytes) +
                 " bytes) to be multiples of 16");
    if (!me.home->shared.holds(shared, bytes))
        fail(me, site, "a bulk copy reaches outside of the block's shared memory");
    if (me.home->shared.holds(global, 1)) fail(me, site, "a bulk copy names shared memory as its global side");
    if (!allocation_holds(global, bytes)) fail(me, site, "a bulk copy reaches outside of its device allocation");
}

void land_piece(Copy& copy, std::uint32_t piece) {
    Transaction& transaction = copy.home->transactions[copy.barrier];
    {
        const ActAs engine(copy.engine.global_side);
        tsan_read(copy.from, piece);
        transaction.sync[transaction.phase % 2].release();
    }
    {
        const ActAs engine(copy.engine.shared_side);
        tsan_write(copy.to, piece);
        transaction.sync[transaction.phase % 2].release();
    }
    copy_unseen(copy.to, copy.from, piece);
    note_copy(&copy.home->shared, copy.to, copy.from, piece);
    copy.to += piece;
    copy.from += piece;
    copy.bytes -= piece;
    transaction.bytes -= piece;
    complete_phase_if_due(*copy.home, copy.barrier);
}

void read_store(Copy& copy) {
    copy.staged = std::make_unique<unsigned char[]>(copy.bytes);
    copy_unseen(copy.staged.get(), copy.from, copy.bytes);
    note_copy(&copy.home->shared, copy.to, copy.from, copy.bytes);
    const ActAs engine(copy.engine.shared_side);
    tsan_read(copy.from, copy.bytes);
    copy.home->bulk_read->release();
}

void write_store(Copy& copy, Launch& launch) {
    copy_unseen(copy.to, copy.staged.get(), copy.bytes);
    const ActAs engine(copy.engine.global_side);
    tsan_write(copy.to, copy.bytes);
    if (copy.home) copy.home->bulk_written->release();
    launch.end.release();
    copy.bytes = 0;
}

void start(Fiber& me, Copy copy) {
    Block& block = *me.home;
    {
        const ActAs engine(copy.engine.shared_side);
        block.begin->acquire();
        block.bulk_fenced->acquire();
    }
    // A load reads what its thread has seen; a store writes behind what has been fenced.
    SyncObject& before = copy.store ? *block.bulk_fenced : *block.bulk_issued;
    if (!copy.store) before.release();
    {
        const ActAs engine(copy.engine.global_side);
        before.acquire();
    }
    ++block.copies;
    const ActAs scheduler(worker_of(me).main_tsan);
    worker_of(me).copies.push_back(std::move(copy));
}

}  // namespace

void Worker::advance_copies() {
    for (std::uint32_t steps = 1 + random.below(4); steps > 0 && !copies.empty(); --steps) {
        const std::uint32_t index = random.below(static_cast<std::uint32_t>(copies.size()));
        Copy& copy = copies[index];
        if (copy.lazy && !ready.empty()) continue;
        Fiber* owner = copy.owner;
        note_progress();
        if (!copy.store)
            land_piece(copy, random.one_in(2) ? copy.bytes : (1 + random.below(copy.bytes / kGranule)) * kGranule);
        else if (!copy.staged) read_store(copy);
        else write_store(copy, *launch);
        if (copy.bytes == 0) {
            if (copy.home) --copy.home->copies;
            if (index + 1 != copies.size()) copies[index] = std::move(copies.back());
            copies.pop_back();
        }
        wake_waiter(owner);
    }
}

void check_copies_at_exit(Fiber& fiber) {
    if (fiber.stored_groups > fiber.readable_group)
        fail(fiber, fiber.store_site,
             "a thread exits while its bulk store may still read shared memory: bulk_commit, then bulk_wait_read<0>");
    Block& block = *fiber.home;
    if (block.live > 1) return;
    for (const Transaction& transaction : block.transactions)
        if (transaction.latest_seen < transaction.loaded_phases)
            fail(fiber, transaction.load_site,
                 "the block ends and nobody has waited for its bulk load: it may be in flight");
    for (Copy& copy : block.worker->copies) {
        if (copy.home != &block) continue;
        copy.home = nullptr;
        copy.owner = nullptr;
    }
    block.copies = 0;
}

}  // namespace emulator

namespace detail {

using namespace emulator;

void start_bulk_load(void* shared, const void* global, std::uint32_t bytes, TransactionBarrier& barrier,
                     std::uint64_t state, Site site) {
    Fiber& me = current_fiber();
    me.site = site;
    check_copy(me, shared, global, bytes, site);
    Transaction& transaction = find_transaction(me, barrier, state, site);
    transaction.loaded_phases = transaction.phase + 1;
    transaction.load_site = site;
    start(me, {.home = me.home,
               .owner = &me,
               .to = static_cast<unsigned char*>(shared),
               .from = static_cast<const unsigned char*>(global),
               .bytes = bytes,
               .barrier = transaction_index(state),
               .group = 0,
               .store = false,
               .lazy = worker_of(me).random.one_in(2),
               .staged = nullptr,
               .engine = me.home->engine});
}

void start_bulk_store(void* global, const void* shared, std::uint32_t bytes, Site site) {
    Fiber& me = current_fiber();
    me.site = me.store_site = site;
    check_copy(me, shared, global, bytes, site);
    me.stored_groups = me.open_group + 1;
    start(me, {.home = me.home,
               .owner = &me,
               .to = static_cast<unsigned char*>(global),
               .from = static_cast<const unsigned char*>(shared),
               .bytes = bytes,
               .barrier = 0,
               .group = me.open_group,
               .store = true,
               .lazy = worker_of(me).random.one_in(2),
               .staged = nullptr,
               .engine = me.home->engine});
}

void commit_bulk_group(Site site) {
    Fiber& me = current_fiber();
    me.site = site;
    ++me.open_group;
}

void wait_bulk_groups(std::uint32_t pending, BulkWait until, Site site) {
    Fiber& me = current_fiber();
    me.site = site;
    me.wait_group = me.open_group > pending ? me.open_group - pending : 0;
    me.wait_until = until;
    if (!groups_done(me)) {
        me.state = State::at_bulk_wait;
        worker_of(me).suspend(&me);
    }
    me.home->bulk_read->acquire();
    if (until == BulkWait::complete) me.home->bulk_written->acquire();
    me.readable_group = std::max(me.readable_group, me.wait_group);
}

void fence_bulk_proxy(Site site) {
    Fiber& me = current_fiber();
    me.site = site;
    me.home->bulk_fenced->release();
}

}  // namespace detail
}  // namespace kogge::simt
