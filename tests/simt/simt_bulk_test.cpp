// kogge-test: EMULATED
// Transaction barriers and bulk copies on the emulator: copies land late and out of order, and each misuse is
// reported or gives wrong results. Kernels come in pairs: <true> has the defect.
#include <cstdlib>
#include <numeric>
#include <type_traits>

#include "support/emulator.hpp"

using namespace kogge;
using namespace kogge::simt;
using namespace kogge::test;

namespace {

constexpr int kThreads = 64;
constexpr std::uint32_t kStageBytes = kThreads * sizeof(std::uint32_t);

struct Ring {
    std::uint32_t stage[2][kThreads];
    TransactionBarrier full[2];
};
LaunchShape shape_of(std::uint32_t blocks) {
    return {.blocks = blocks, .threads = kThreads, .shared_bytes = sizeof(Ring), .name = "bulk"};
}

std::vector<std::uint32_t> iota(std::size_t n) {
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 1);
    return values;
}

/// What the kernels below may leave out.
enum class Defect { none, wait_for_load, wait_before_reuse, barrier_before_store };

/// Each block doubles `tiles` tiles of 64 items through a ring of two stages: load, double in place, store.
template <Defect defect>
void double_kernel(const std::uint32_t* in, std::uint32_t* out, int tiles) {
    auto& ring = shared_memory<Ring>();
    const int rank = thread_rank();
    const std::size_t first = std::size_t{block_rank()} * static_cast<std::size_t>(tiles) * kThreads;
    const auto load = [&](int tile) {
        ring.full[tile % 2].arrive_expect(kStageBytes);
        bulk_load(ring.stage[tile % 2], in + first + tile * kThreads, kStageBytes, ring.full[tile % 2]);
    };
    if (rank == 0)
        for (auto& barrier : ring.full) barrier.init(1);
    sync_block();
    if (rank == 0) load(0);
    for (int tile = 0; tile < tiles; ++tile) {
        std::uint32_t* stage = ring.stage[tile % 2];
        if (rank == 0 && tile + 1 < tiles) {
            if (defect != Defect::wait_before_reuse) bulk_wait_read<0>();
            load(tile + 1);
        }
        if (defect != Defect::wait_for_load) ring.full[tile % 2].wait(static_cast<std::uint32_t>(tile) / 2 % 2);
        stage[rank] *= 2;
        fence_bulk();
        if (defect != Defect::barrier_before_store) sync_block();
        if (rank == 0) {
            bulk_store(out + first + tile * kThreads, stage, kStageBytes);
            bulk_commit();
        }
        sync_block();
    }
    if (rank == 0) {
        if (defect == Defect::wait_for_load)
            ring.full[(tiles - 1) % 2].wait(static_cast<std::uint32_t>(tiles - 1) / 2 % 2);
        bulk_wait_read<0>();
    }
}

/// Runs the kernel under every seed; how often it was wrong or reported.
template <Defect defect>
std::uint64_t count_wrong(std::string* report = nullptr) {
    constexpr int tiles = 5, blocks = 3;
    const auto in = iota(tiles * blocks * kThreads);
    auto doubled = in;
    for (auto& value : doubled) value *= 2;
    std::uint64_t wrong = 0;
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> source(in), target(in.size(), 0);
        const std::string failure =
            report_of(double_kernel<defect>, shape_of(blocks), source.data(), target.data(), tiles);
        if (report && !failure.empty()) *report = failure;
        wrong += !failure.empty() || target.values() != doubled;
    });
    return wrong;
}

TEST(BulkCopies, CorrectPipelineIsAlwaysRight) {
    std::string report;
    EXPECT_EQ(count_wrong<Defect::none>(&report), 0u) << report;
}
TEST(BulkCopies, MissingWaitForALoadIsSeen) {
    if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer reports the race itself";
    EXPECT_GT(count_wrong<Defect::wait_for_load>(), kSeeds / 2);
}
TEST(BulkCopies, ReuseOfAStageBeforeWaitReadIsSeen) {
    if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer reports the race itself";
    EXPECT_GT(count_wrong<Defect::wait_before_reuse>(), kSeeds / 4);
}
TEST(BulkCopies, MissingBarrierBeforeAStoreIsSeen) {
    if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer reports the race itself";
    EXPECT_GT(count_wrong<Defect::barrier_before_store>(), kSeeds / 4);
}

// ---- a stage that is loaded again ------------------------------------------------------------------------

struct Handed {
    std::uint32_t stage[kThreads];
    TransactionBarrier full, taken;
};
enum class Handing { correct, no_fence, no_arrival };

/// Sums the columns of `tiles` tiles that pass through one stage. Threads read it by ordinary loads and say so, and
/// then thread 0 has it loaded again.
template <Handing handing>
void sum_columns_kernel(const std::uint32_t* in, std::uint32_t* out, std::uint32_t tiles) {
    auto& shared = shared_memory<Handed>();
    const int rank = thread_rank();
    if (rank == 0) {
        shared.full.init(1);
        shared.taken.init(handing == Handing::no_arrival ? 1 : kThreads);
    }
    sync_block();
    std::uint32_t sum = 0;
    for (std::uint32_t tile = 0; tile < tiles; ++tile) {
        if (rank == 0) {
            if (tile > 0) shared.taken.wait((tile - 1) % 2);
            shared.full.arrive_expect(kStageBytes);
            bulk_load(shared.stage, in + (block_rank() * tiles + tile) * kThreads, kStageBytes, shared.full);
        }
        shared.full.wait(tile % 2);
        sum += shared.stage[rank];
        if (handing != Handing::no_fence) fence_bulk();
        if (handing != Handing::no_arrival || rank == 0) shared.taken.arrive();
    }
    out[block_rank() * kThreads + static_cast<std::uint32_t>(rank)] = sum;
}

template <Handing handing>
std::uint64_t count_wrong_sums(std::uint64_t seeds) {
    constexpr std::uint32_t tiles = 5, blocks = 3;
    const auto in = iota(tiles * blocks * kThreads);
    std::vector<std::uint32_t> sums(blocks * kThreads, 0);
    for (std::size_t i = 0; i < in.size(); ++i) sums[i / (tiles * kThreads) * kThreads + i % kThreads] += in[i];
    std::uint64_t wrong = 0;
    for_each_seed(
        [&](std::uint64_t) {
            DeviceArray<std::uint32_t> source(in), target(sums.size(), 0);
            const LaunchShape shape{.blocks = blocks, .threads = kThreads, .shared_bytes = sizeof(Handed)};
            const std::string report =
                report_of(sum_columns_kernel<handing>, shape, source.data(), target.data(), tiles);
            wrong += !report.empty() || target.values() != sums;
        },
        seeds);
    return wrong;
}

TEST(BulkCopies, ReadsAreFencedBeforeTheNextLoad) {
    EXPECT_EQ(count_wrong_sums<Handing::correct>(200), 0u) << emulator::last_failure();
}
TEST(BulkCopies, MissingArrivalBeforeTheNextLoadIsSeen) {
    if (kThreadSanitizer) GTEST_SKIP() << "the next test";
    EXPECT_GT(count_wrong_sums<Handing::no_arrival>(kSeeds), kSeeds / 4);
}
// A GPU's copy engine may overtake reads that are not fenced; the emulator's does not.
TEST(BulkCopies, ThreadSanitizerSeesUnfencedReads) {
    if (!kThreadSanitizer) {
        EXPECT_EQ(count_wrong_sums<Handing::no_fence>(kSeeds), 0u);
        return;
    }
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto run_under_few_seeds = []<Handing handing>(std::integral_constant<Handing, handing>) {
        count_wrong_sums<handing>(kSeeds);
        std::exit(0);  // which ThreadSanitizer changes if it has reported anything
    };
    EXPECT_EXIT((run_under_few_seeds(std::integral_constant<Handing, Handing::correct>{})), testing::ExitedWithCode(0),
                "");
    EXPECT_EXIT((run_under_few_seeds(std::integral_constant<Handing, Handing::no_fence>{})),
                testing::ExitedWithCode(66), "data race.*\n.*sum_columns_kernel");
    EXPECT_EXIT((run_under_few_seeds(std::integral_constant<Handing, Handing::no_arrival>{})),
                testing::ExitedWithCode(66), "data race.*\n.*sum_columns_kernel");
}

// ---- phases ---------------------------------------------------------------------------------------------

/// Warp 0 completes phases, warp 1 waits for each; the block barrier keeps them in step.
template <bool broken>
void phases_kernel() {
    auto& ring = shared_memory<Ring>();
    if (thread_rank() == 0) ring.full[0].init(1);
    sync_block();
    for (std::uint32_t phase = 0; phase < 6; ++phase) {
        if (thread_rank() == 0) ring.full[0].arrive();
        const bool late = broken && phase % 2 == 0;  // steps aside while two phases complete
        if (warp_rank() == 1 && !late) ring.full[0].wait(broken ? phase / 2 % 2 : phase % 2);  // <behind>
        sync_block();
    }
}
TEST(TransactionBarriers, WaiterTwoPhasesBehind) {
    for_each_seed([&](std::uint64_t) {
        const std::string report = report_of(phases_kernel<true>, shape_of(2));
        expect_mentions(report, "2 phases behind");
        expect_mentions(report, place_of("behind"));
        EXPECT_EQ(report_of(phases_kernel<false>, shape_of(2)), "");
    });
}

/// A waiter that nothing holds back may be overtaken while it waits.
void overtaken_kernel() {
    auto& ring = shared_memory<Ring>();
    if (thread_rank() == 0) ring.full[0].init(1);
    sync_block();
    if (warp_rank() == 1) ring.full[0].wait(0);  // <overtaken>
    if (thread_rank() == 0) {
        ring.full[0].arrive();
        ring.full[0].arrive();
    }
}
TEST(TransactionBarriers, OvertakenWaiterIsReportedUnderSomeSeed) {
    std::uint64_t reported = 0;
    for_each_seed([&](std::uint64_t) {
        const std::string report = report_of(overtaken_kernel, shape_of(1));
        if (report.empty()) return;
        ++reported;
        expect_mentions(report, place_of("overtaken"));
    });
    EXPECT_GT(reported, kSeeds / 8);
}

// ---- misuse ---------------------------------------------------------------------------------------------

enum class Misuse { none, address, size, outside, past_allocation, late_bytes, no_init, too_many, in_flight, unread };

template <Misuse misuse>
void misuse_kernel(const std::uint32_t* in, std::uint32_t* out) {
    auto& ring = shared_memory<Ring>();
    if (thread_rank() == 0 && misuse != Misuse::no_init) ring.full[0].init(1);
    if (thread_rank() == 0 && misuse == Misuse::no_init) ring.full[0].state = 0;
    sync_block();
    if (thread_rank() != 0) return;
    constexpr std::uint32_t bytes = misuse == Misuse::size ? 8 : 64;
    auto* to = misuse == Misuse::outside ? ring.stage[0] + sizeof(Ring) / 4 - 4 : ring.stage[0];
    const auto* from = in + (misuse == Misuse::address ? 1 : misuse == Misuse::past_allocation ? kThreads - 4 : 0);
    ring.full[0].arrive_expect(misuse == Misuse::late_bytes ? 80 : bytes);  // <expect>
    if (misuse == Misuse::too_many)
        ring.full[0].arrive(), ring.full[0].arrive_expect(16), ring.full[0].arrive();  // <arrive>
    bulk_load(to, from, bytes, ring.full[0]);                                          // <load>
    if (misuse == Misuse::in_flight) return;
    ring.full[0].wait(0);                   // <wait>
    bulk_store(out, ring.stage[0], bytes);  // <store>
    bulk_commit();
    if (misuse != Misuse::unread) bulk_wait_read<0>();
}

template <Misuse misuse>
void expect_misuse(const std::string& text, const std::string& place) {
    DeviceArray<std::uint32_t> in(iota(kThreads)), out(kThreads, 0);
    const std::string report = report_of(misuse_kernel<misuse>, shape_of(1), in.data(), out.data());
    expect_mentions(report, text);
    expect_mentions(report, place);
}
TEST(BulkCopies, MisuseIsReported) {
    expect_misuse<Misuse::address>("multiples of 16", place_of("load"));
    expect_misuse<Misuse::size>("multiples of 16", place_of("load"));
    expect_misuse<Misuse::outside>("outside of the block's shared memory", place_of("load"));
    expect_misuse<Misuse::past_allocation>("outside of its device allocation", place_of("load"));
    expect_misuse<Misuse::late_bytes>("deadlock", place_of("wait"));
    expect_misuse<Misuse::no_init>("was not initialised", place_of("expect"));
    expect_misuse<Misuse::too_many>("one arrival too many", place_of("arrive"));
    expect_misuse<Misuse::in_flight>("nobody has waited", place_of("load"));
    expect_misuse<Misuse::unread>("may still read shared memory", place_of("store"));
}
TEST(BulkCopies, CorrectUseIsNot) {
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> in(iota(kThreads)), out(kThreads, 0);
        EXPECT_EQ(report_of(misuse_kernel<Misuse::none>, shape_of(1), in.data(), out.data()), "");
        EXPECT_EQ(out.values()[15], 16u);
    });
}
TEST(BulkCopies, NeedComputeCapability9) {
    device_properties turing = emulator::default_properties();
    turing.compute_major = 7;
    turing.compute_minor = 5;
    emulator::set_properties(turing);
    expect_misuse<Misuse::none>("compute capability 9.0", place_of("load"));
    emulator::set_properties(emulator::default_properties());

    // Of two devices, the one that the kernel runs on.
    for (const int able : {0, 1}) {
        std::vector<device_properties> devices(2, turing);
        devices[static_cast<std::size_t>(able)] = emulator::default_properties();
        emulator::set_devices(devices);
        for (const int device : {0, 1}) {
            const OnDevice there(device);
            DeviceArray<std::uint32_t> in(iota(kThreads)), out(kThreads, 0);
            const std::string report = report_of(misuse_kernel<Misuse::none>, shape_of(1), in.data(), out.data());
            if (device == able) EXPECT_EQ(report, "");
            else expect_mentions(report, "compute capability 9.0");
        }
    }
    emulator::reset_devices();
}

}  // namespace
