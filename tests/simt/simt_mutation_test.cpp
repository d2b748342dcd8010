// kogge-test: EMULATED
// Switching off a synchronisation of a correct kernel makes its results wrong; tests/mutate.py does the same to the
// library's kernels through the environment.
#include <algorithm>
#include <map>
#include <numeric>

#include "support/emulator.hpp"

using namespace kogge;
using namespace kogge::simt;
using namespace kogge::test;

namespace {

constexpr int kThreads = 64;
constexpr std::uint32_t kBytes = kThreads * sizeof(std::uint32_t);

struct Shared {
    alignas(16) std::uint32_t loaded[kThreads];
    alignas(16) std::uint32_t rotated[kThreads];
    std::uint32_t swapped[kThreads];
    std::uint32_t handed[kThreads];
    TransactionBarrier full;
};
constexpr LaunchShape kShape{
    .blocks = 4, .threads = kThreads, .shared_bytes = sizeof(Shared), .name = "every_site", .cooperative = true};

/// Rotates each tile by one, swaps neighbours, then warps, and chains sums of first items through the blocks: needs
/// each of its synchronisations.
void every_site_kernel(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* sums, std::uint32_t* flag) {
    auto& shared = shared_memory<Shared>();
    const int rank = thread_rank();
    const std::size_t first = std::size_t{block_rank()} * kThreads;
    // What is summed below stands for what the next block has written.
    out[(first + kThreads) % (grid_size() * kThreads) + static_cast<std::size_t>(rank)] = 1;
    sync_grid();  // <grid>
    const std::uint32_t written = out[first];
    sync_block();  // <all-read>
    if (rank == 0) {
        shared.full.init(1);
        shared.full.arrive_expect(kBytes);
        bulk_load(shared.loaded, in + first, kBytes, shared.full);
    }
    sync_block();         // <init>
    shared.full.wait(0);  // <load>
    shared.swapped[rank] = shared.loaded[(rank + 1) % kThreads];
    sync_warp();  // <warp>
    std::uint32_t value = shared.swapped[rank ^ 1];
    shared.handed[rank] = value;
    named_sync(1, kThreads);  // <named>
    value = shared.handed[rank ^ 32];
    shared.rotated[rank] = value;
    fence_bulk();  // <bulk-fence>
    sync_block();  // <before-store>
    if (rank == 0) {
        bulk_store(out + first, shared.rotated, kBytes);
        bulk_commit();
        bulk_wait<0>();  // <bulk-wait>
        std::uint32_t sum = out[first] + written;
        if (block_rank() != 0) {
            while (load_acquire(&flag[block_rank() - 1]) == 0) poll_pause();  // <acquire>
            sum += sums[block_rank() - 1];
        }
        sums[block_rank()] = sum;
        store_release(&flag[block_rank()], 1);  // <release>
        std::uint32_t* doubles = sums + grid_size();
        doubles[block_rank()] = 2 * sum;
        if (atomic_add_acq_rel(&flag[grid_size()], 1) != grid_size() - 1) return;  // <acquire-release>
        std::uint32_t total = 0;
        for (std::uint32_t block = 0; block < grid_size(); ++block) total += doubles[block];
        doubles[grid_size()] = total;
    }
}

bool runs_correctly() {
    std::vector<std::uint32_t> in(kShape.blocks * kThreads), expected(in.size()), sums(kShape.blocks);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * i + 1);
    for (std::size_t i = 0; i < in.size(); ++i) {
        const std::size_t from = (i % kThreads) ^ 33;
        expected[i] = in[i / kThreads * kThreads + (from + 1) % kThreads];
    }
    for (std::size_t b = 0; b < kShape.blocks; ++b) sums[b] = expected[b * kThreads] + 1 + (b ? sums[b - 1] : 0);
    for (std::size_t b = 0; b < kShape.blocks; ++b) sums.push_back(2 * sums[b]);
    sums.push_back(std::accumulate(sums.begin() + kShape.blocks, sums.end(), 0u));
    DeviceArray<std::uint32_t> source(in), target(in.size(), 0), found(sums.size(), 0), flag(kShape.blocks + 1, 0);
    return report_of(every_site_kernel, kShape, source.data(), target.data(), found.data(), flag.data()).empty() &&
           target.values() == expected && found.values() == sums;
}

/// Each block hands a number to the next one.
void cluster_kernel(std::uint32_t* handed, std::uint32_t* out) {
    if (thread_rank() == 0) handed[(block_rank() + 1) % cluster_size()] = block_rank() + 1;
    sync_cluster();  // <cluster>
    if (thread_rank() == 0) out[block_rank()] = handed[block_rank()];
}
bool cluster_runs_correctly() {
    DeviceArray<std::uint32_t> handed(4, 0), found(4, 0);
    const LaunchShape shape{.blocks = 4, .threads = kThreads, .name = "cluster", .cluster = true};
    return report_of(cluster_kernel, shape, handed.data(), found.data()).empty() &&
           found.values() == std::vector<std::uint32_t>{4, 1, 2, 3};
}

template <class Run>
std::uint64_t count_wrong(const std::string& place, Run runs_correctly) {
    const auto colon = place.rfind(':');
    if (!place.empty()) emulator::switch_off(place.substr(0, colon), std::stoi(place.substr(colon + 1)));
    std::uint64_t wrong = 0;
    for_each_seed([&](std::uint64_t) { wrong += !runs_correctly(); });
    emulator::restore_sites();
    return wrong;
}
std::uint64_t count_wrong(const std::string& place) { return count_wrong(place, runs_correctly); }

TEST(Mutation, EachBarrierIsNeeded) {
    EXPECT_EQ(count_wrong(""), 0u) << emulator::last_failure();
    if (kThreadSanitizer) return;  // which reports the races that follow
    for (const char* name : {"init", "load", "grid", "warp", "named", "before-store", "bulk-wait"})
        EXPECT_GT(count_wrong(place_of(name)), 0u) << name;
    EXPECT_EQ(count_wrong(""), 0u) << emulator::last_failure();
}

TEST(Mutation, AClustersBarrierIsNeeded) {
    EXPECT_EQ(count_wrong("", cluster_runs_correctly), 0u) << emulator::last_failure();
    if (kThreadSanitizer) return;
    EXPECT_GT(count_wrong(place_of("cluster"), cluster_runs_correctly), 0u);
}

void write_kernel(std::uint32_t* words) { words[thread_rank()] = 7; }
void overlapped_kernel(const std::uint32_t* words, std::uint32_t* out) {
    wait_for_stream();  // <stream>
    out[thread_rank()] = words[thread_rank()];
}
bool overlap_runs_correctly() {
    DeviceArray<std::uint32_t> words(64, 0), out(64, 0);
    launch(write_kernel, {.threads = 64, .name = "write"}, words.data());
    launch(overlapped_kernel, {.threads = 64, .name = "overlapped"}, words.data(), out.data());
    return out.values() == std::vector<std::uint32_t>(64, 7);
}
TEST(Mutation, TheWaitForTheStreamIsNeeded) {
    EXPECT_EQ(count_wrong("", overlap_runs_correctly), 0u) << emulator::last_failure();
    if (kThreadSanitizer) return;
    EXPECT_GT(count_wrong(place_of("stream"), overlap_runs_correctly), 0u) << "nothing waits";
}

TEST(Mutation, SitesAreListedWithTheirKind) {
    emulator::watch_sites();
    EXPECT_TRUE(runs_correctly() && cluster_runs_correctly() && overlap_runs_correctly());
    const std::map<std::string, std::string> kinds{
        {"grid", "grid_barrier"},   {"init", "block_barrier"},    {"cluster", "cluster_barrier"},
        {"stream", "stream_wait"},  {"load", "transaction_wait"}, {"warp", "warp_barrier"},
        {"named", "named_barrier"}, {"bulk-fence", "bulk_fence"}, {"bulk-wait", "bulk_wait"},
        {"acquire", "acquire"},     {"release", "release"},       {"acquire-release", "acquire_release"}};
    const auto seen = emulator::sites_seen();
    for (const auto& [name, kind] : kinds) {
        const std::string place = place_of(name);
        const auto found = std::find_if(seen.begin(), seen.end(), [&](const emulator::SyncSite& site) {
            return site.file + ":" + std::to_string(site.line) == place;
        });
        ASSERT_NE(found, seen.end()) << name;
        EXPECT_EQ(found->kind, kind);
        EXPECT_GT(found->visits, 0u);
    }
}

/// A barrier that protects nothing: tests/mutate_test.sh expects mutate.py to say so.
void needless_barrier_kernel(std::uint32_t* out) {
    sync_block();  // <needless>
    if (thread_rank() == 0) out[block_rank()] = 1;
}
TEST(Needless, Barrier) {
    DeviceArray<std::uint32_t> out(2, 0);
    EXPECT_EQ(report_of(needless_barrier_kernel, {.blocks = 2, .threads = 64}, out.data()), "");
    EXPECT_EQ(out.values(), (std::vector<std::uint32_t>{1, 1}));
}

}  // namespace
