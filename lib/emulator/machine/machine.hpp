// The emulated machine: a launch runs on workers (OS threads), each interleaves a few resident blocks, whose
// threads are fibers. A block's fibers stay on its worker, so only memory is shared between OS threads.
#pragma once

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/memory/heap.hpp"
#include "emulator/memory/memory.hpp"
#include "emulator/sanitizers.hpp"
#include "kogge/simt/emulated.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge::simt::emulator {

using boost::context::detail::fcontext_t;

/// splitmix64: small, fast, and every seed is a good one.
class Random {
public:
    explicit Random(std::uint64_t seed = 0) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(((next() >> 32) * limit) >> 32); }
    bool one_in(std::uint32_t n) { return below(n) == 0; }

private:
    std::uint64_t state_;
};

struct Block;
struct Worker;

enum class State {
    ready,
    polling,
    at_block_barrier,
    at_named_barrier,
    in_collective,
    at_transaction,
    at_bulk_wait,
    exited
};

/// What a fiber runs on. The identity that ThreadSanitizer sees belongs to the stack, whose memory it knows; the
/// pairs are dealt out at random, so that threads of equal rank in later blocks are strangers.
struct Strand {
    Stack stack;
    void* tsan = nullptr;
    void* asan_save = nullptr;
};

struct Fiber : detail::ThreadPosition {
    Block* home = nullptr;
    fcontext_t context = nullptr;
    Strand* strand = nullptr;
    State state = State::ready;
    Site site;                         // of what it waits in, or of its latest synchronisation
    std::uint32_t waits_on = 0;        // the named or transaction barrier that it waits at
    const void* seen_address[4] = {};  // what it loaded lately, to know polling
    std::uint64_t seen_value[4] = {};
    std::uint32_t open_group = 0;      // bulk stores: the group not committed yet,
    std::uint32_t readable_group = 0;  // all groups before this one have been waited for,
    std::uint32_t stored_groups = 0;   // one more than the last group with a store in it,
    Site store_site;                   // whose site is this
    std::uint32_t wait_group = 0;      // at_bulk_wait: until all groups before this one are done
    detail::BulkWait wait_until = detail::BulkWait::read;
    int lane() const { return static_cast<int>(thread % kWarpSize); }
};

/// What its lanes have called, and what they get, stands here, lane by lane: on their stacks it would be far apart.
struct Warp {
    Fiber* first = nullptr;
    int lanes = 0;
    mask_t exited = 0;
    mask_t arrived = 0;  // lanes waiting in a collective
    SyncObject sync;
    std::uint32_t arguments[kWarpSize] = {};
    mask_t masks[kWarpSize] = {};
    const detail::WarpCall* calls[kWarpSize] = {};
    mask_t results[kWarpSize] = {};  // of what is no shuffle
};

struct NamedBarrier {
    std::uint32_t threads = 0;  // of the generation under way; 0: none
    std::uint32_t arrived = 0;
    std::uint32_t generation = 0;
    Site site;
    SyncObject sync[2];
};

struct Transaction {
    TransactionBarrier* where = nullptr;
    std::uint32_t arrivals = 0;
    std::uint32_t missing = 0;              // arrivals of this phase
    std::int64_t bytes = 0;                 // announced and not landed
    std::uint32_t phase = 0;                // phases completed
    std::uint32_t latest_seen = 0;          // the most phases that any thread knows to be over,
    std::uint32_t loaded_phases = 0;        // and must be known to be over for the loads to have landed,
    Site load_site;                         // the last of which is this
    std::unique_ptr<std::uint32_t[]> seen;  // for each thread: the phases that it knows to be over
    SyncObject sync[2];
};

/// The copy engine's identities for ThreadSanitizer. As another proxy it comes behind others' accesses to shared memory
/// only where these have fenced them; the side that is in global memory comes behind all that the issuing thread has
/// seen.
struct EngineTsan {
    void* shared_side = nullptr;
    void* global_side = nullptr;
};

struct Copy {
    Block* home;  // null once the block is gone: the store has read all and only has to write
    Fiber* owner;
    unsigned char* to;
    const unsigned char* from;
    std::uint32_t bytes;
    std::uint32_t barrier;  // of a load
    std::uint32_t group;    // of a store
    bool store;
    bool lazy;                                // moves only while no thread of the worker can run
    std::unique_ptr<unsigned char[]> staged;  // of a store: what it has read
    EngineTsan engine;
};

struct Block {
    Worker* worker = nullptr;
    std::uint32_t rank = 0;
    bool resident = false;
    std::uint32_t live = 0;
    std::uint32_t polling = 0;
    std::uint32_t copies = 0;  // loads in flight, and stores that still read
    std::uint32_t at_barrier = 0;
    std::uint32_t barrier_generation = 0;
    std::vector<Fiber> fibers;
    std::unique_ptr<SyncObject> begin;
    std::vector<std::unique_ptr<Warp>> warps;
    std::unique_ptr<SyncObject> barrier_sync[2];
    EngineTsan engine;
    std::unique_ptr<SyncObject> bulk_issued, bulk_fenced, bulk_read, bulk_written;
    std::unique_ptr<NamedBarrier[]> named;
    std::deque<Transaction> transactions;
    SharedArena shared;
};

/// One launch that is running.
struct Launch {
    const LaunchShape& shape;
    const std::function<void()>& body;
    std::uint64_t seed = 0;
    bool copies_in_bulk = false;  // its device does
    std::uint32_t workers = 1;
    std::uint32_t resident = 1;  // blocks a worker
    std::atomic<std::uint32_t> next_block{0};
    std::atomic<bool> aborted{false};
    std::mutex mutex;
    std::string failure;
    SyncObject begin, end;
    // Blocks at the barrier of the grid or of the cluster that it is, the barriers that are over, and blocks that are
    // gone.
    std::atomic<std::uint32_t> at_grid_barrier{0}, grid_generation{0}, exited_blocks{0};
    Site grid_site;  // of the block that came last to the barrier; guarded by the mutex, as it is two words
    /// Of a cluster's blocks that have begun and not exited.
    std::vector<std::atomic<unsigned char*>> shared_of_blocks;
    std::function<bool(std::uint32_t)> looks_when;
    SyncObject grid_sync[2];
    // Of a launch that overlaps the kernel in front of it: whether a thread waits for that one, and that it is over.
    bool overlaps = false;
    std::atomic<bool> awaits_stream{false}, stream_is_done{false};
    SyncObject stream_sync;

    Launch(const LaunchShape& shape, const std::function<void()>& body)
        : shape(shape), body(body), shared_of_blocks(shape.cluster ? shape.blocks : 0) {}
    void fail(const std::string& what);
    /// Whether a block has exited that the barrier, whose number `generation` is, still waits for. Blocks exit after a
    /// barrier as well: whoever sees such a one sees that this barrier is over, if he looks at that last.
    bool waits_for_exited(std::uint32_t generation) const { return exited_blocks > 0 && grid_generation == generation; }
    const char* barrier_name() const { return shape.cluster ? "cluster barrier" : "grid barrier"; }
    /// The next block to start, or false when there is none left. Nearly in grid order.
    bool claim_block(std::uint32_t& rank);
};

struct Worker {
    Launch* launch = nullptr;
    std::vector<Worker*>* team = nullptr;
    Random random;
    std::uint32_t patience = 1;  // how strongly this launch prefers the thread that became ready last
    std::vector<Fiber*> ready, pollers;
    std::vector<Copy> copies;
    std::vector<std::unique_ptr<Block>> slots;
    std::vector<std::unique_ptr<Strand>> strands;
    std::vector<Strand*> idle_strands;
    std::uint32_t resident = 0;
    fcontext_t main_context = nullptr;
    fcontext_t* saved = nullptr;
    Fiber* running = nullptr;
    void* main_tsan = nullptr;
    void* main_asan_save = nullptr;
    const void* main_stack = nullptr;
    std::size_t main_stack_bytes = 0;
    // Livelock: all workers see the same progress for many rounds in which all their threads only poll.
    std::atomic<std::uint64_t> progress{0};
    std::atomic<std::uint64_t> observed{0};
    std::atomic<std::uint32_t> stuck{0};
    std::atomic<bool> busy{false};
    std::uint64_t collectives = 0;

    void run(Launch& launch, std::vector<Worker*>& team, std::uint32_t rank);
    /// Lets another thread run; `me` has been put on a list or waits for somebody to put it there.
    void suspend(Fiber* me);
    [[noreturn]] void leave();
    /// Leaves without a word to the sanitizers, from a signal handler.
    [[noreturn]] void escape();
    void make_ready(Fiber* fiber);
    void advance_copies();
    /// Something changed that a polling thread may be waiting for. Only this worker writes its count.
    void note_progress() { progress.store(progress.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

private:
    void start_blocks();
    void start_block(Block& block, std::uint32_t rank);
    Strand& take_strand();
    void enter(Fiber* fiber);
    Fiber* pick();
    void count_round();
    std::uint64_t progress_of_all() const;
    void check_deadlock();
    void drop_everything();
    friend void fiber_main(boost::context::detail::transfer_t from);
    void landed();
    void switch_from(Fiber& me, bool forever);
};

/// The fiber that runs on this OS thread.
inline Fiber& current_fiber() { return *const_cast<Fiber*>(static_cast<const Fiber*>(detail::position)); }
inline Worker& worker_of(Fiber& fiber) { return *fiber.home->worker; }

/// Unwinds the thread that has found a failure; all others are dropped where they are.
struct LaunchAborted {};
/// Ends the launch with `what` for its report.
void record_failure(Fiber& fiber, Site site, const std::string& what);
/// The same, from within a kernel thread: never returns.
[[noreturn]] void fail(Fiber& fiber, Site site, const std::string& what);
bool same_site(Site a, Site b);
std::string at(Site site);
std::string thread_name(const Fiber& fiber);
/// What the block's threads wait for, in a few lines.
std::string describe_waiters(const Block& block);

/// Where every fiber begins.
void fiber_main(boost::context::detail::transfer_t from);
void thread_exits(Fiber& fiber);
void release_block_barrier(Block& block);
void check_copies_at_exit(Fiber& fiber);
std::uint32_t transaction_index(std::uint64_t state);
Transaction& find_transaction(Fiber& me, const TransactionBarrier& barrier, std::uint64_t state, Site site);
void complete_phase_if_due(Block& block, std::uint32_t index);

/// The most threads that may be resident at once: each has a stack, and an identity for ThreadSanitizer.
inline constexpr std::uint32_t kMostThreads = KOGGE_TSAN ? 6000 : 20480;

struct LaunchResult {
    std::string failure;  // empty when there was none
    std::uint64_t collectives = 0;
};
/// Runs a launch to its end on the worker threads. `resident` is the least number of blocks that must be resident
/// together; `copies_in_bulk`: its device does. What is `before` it in its stream, if anything, is called when a thread
/// waits for that, or at the end, and returns whether the launch may go on.
LaunchResult run_launch(const LaunchShape& shape, const std::function<void()>& body, std::uint64_t seed,
                        std::uint32_t resident, bool copies_in_bulk, const std::function<bool()>& before);
/// The most threads of a kernel that the launch behind it starts before.
inline constexpr std::uint32_t kMostThreadsBefore = KOGGE_TSAN ? 2000 : kMostThreads;

/// False for a range that begins inside of a device allocation and ends outside. Only while a launch runs.
bool allocation_holds(const void* address, std::size_t bytes);
/// The device allocation that holds an address, or null. Only while a launch runs.
const DeviceHeap::Range* allocation_of(const void* address);

}  // namespace kogge::simt::emulator
