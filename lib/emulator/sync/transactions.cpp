// Transaction barriers. The word in shared memory names an entry of the block's table, which holds the counts.
#include <algorithm>
#include <string>

#include "emulator/machine/machine.hpp"

namespace kogge::simt {

namespace emulator {
namespace {

constexpr std::uint64_t kMagic = 0x6b6f6767ull << 32;
constexpr std::int64_t kMostBytes = (1 << 20) - 1;  // that a phase can count

}  // namespace

std::uint32_t transaction_index(std::uint64_t state) { return static_cast<std::uint32_t>(state ^ kMagic); }

Transaction& find_transaction(Fiber& me, const TransactionBarrier& barrier, std::uint64_t state, Site site) {
    auto& all = me.home->transactions;
    const std::uint64_t index = state ^ kMagic;
    if (index >= all.size() || all[index].where != &barrier)
        fail(me, site, "this transaction barrier was not initialised, or was overwritten or copied");
    return all[index];
}

void complete_phase_if_due(Block& block, std::uint32_t index) {
    Transaction& transaction = block.transactions[index];
    if (transaction.missing != 0 || transaction.bytes != 0) return;
    transaction.missing = transaction.arrivals;
    ++transaction.phase;
    for (Fiber& fiber : block.fibers)
        if (fiber.state == State::at_transaction && fiber.waits_on == index) block.worker->make_ready(&fiber);
}

}  // namespace emulator

namespace detail {

using namespace emulator;

std::uint64_t transaction_init(TransactionBarrier& barrier, std::uint32_t arrivals, Site site) {
    Fiber& me = current_fiber();
    auto& all = me.home->transactions;
    if (!me.home->shared.holds(&barrier, sizeof(barrier)))
        fail(me, site, "a transaction barrier must be in shared memory");
    if (arrivals == 0 || arrivals >= 1u << 20) fail(me, site, "a transaction barrier counts 1 .. 2^20 - 1 arrivals");
    const ActAs scheduler(worker_of(me).main_tsan);
    std::size_t index = 0;
    while (index < all.size() && all[index].where != &barrier) ++index;
    if (index == all.size()) all.emplace_back();
    Transaction& transaction = all[index];
    transaction.where = &barrier;
    transaction.arrivals = transaction.missing = arrivals;
    transaction.bytes = transaction.phase = transaction.latest_seen = transaction.loaded_phases = 0;
    transaction.seen = std::make_unique<std::uint32_t[]>(me.threads);
    return kMagic ^ index;
}

void transaction_arrive(TransactionBarrier& barrier, std::uint64_t state, std::uint32_t bytes, Site site) {
    Fiber& me = current_fiber();
    Transaction& transaction = find_transaction(me, barrier, state, site);
    me.site = site;
    if (transaction.missing == 0) fail(me, site, "one arrival too many in this phase of a transaction barrier");
    transaction.bytes += bytes;
    if (transaction.bytes > kMostBytes) fail(me, site, "a phase of a transaction barrier can announce 2^20 - 1 bytes");
    --transaction.missing;
    transaction.sync[transaction.phase % 2].release();
    complete_phase_if_due(*me.home, transaction_index(state));
    made_progress();
}

void transaction_wait(TransactionBarrier& barrier, std::uint64_t state, std::uint32_t parity, Site site) {
    Fiber& me = current_fiber();
    Transaction& transaction = find_transaction(me, barrier, state, site);
    std::uint32_t& seen = transaction.seen[me.thread];
    const auto behind = [&](std::uint32_t phases) {
        fail(me, site,
             "a waiter is " + std::to_string(phases) +
                 " phases behind its transaction barrier: parity cannot tell them apart, and the GPU may wait forever");
    };
    // A thread that waits for the parity after the phase it has seen waits for the next phase.
    if (parity % 2 == seen % 2 && transaction.phase >= seen + 2) behind(transaction.phase - seen);
    me.site = site;
    if (transaction.phase % 2 == parity % 2) {
        const std::uint32_t awaited = transaction.phase;
        me.state = State::at_transaction;
        me.waits_on = transaction_index(state);
        worker_of(me).suspend(&me);
        if (transaction.phase >= awaited + 2) behind(transaction.phase - awaited);
    }
    seen = transaction.phase;
    transaction.latest_seen = std::max(transaction.latest_seen, seen);
    transaction.sync[(transaction.phase - 1) % 2].acquire();
}

}  // namespace detail
}  // namespace kogge::simt
