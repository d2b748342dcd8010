// kogge-test: EMULATED
// The emulator reports each defect of barriers, warp collectives, shared memory and atomics with file and line,
// and never a correct kernel. Kernels come in pairs: <true> has the defect.
#include <stdexcept>

#include "support/emulator.hpp"

using namespace kogge;
using namespace kogge::simt;
using namespace kogge::test;

namespace {

struct Words {
    std::uint32_t word[64];
};
constexpr LaunchShape kShape{.blocks = 3, .threads = 64, .shared_bytes = sizeof(Words), .name = "tried"};

/// The broken form is reported every time, with all of `mentions`; the correct form never.
template <class... Parameters>
void expect_pair(void (*broken)(Parameters...), void (*correct)(Parameters...), const LaunchShape& shape,
                 const std::vector<std::string>& mentions, std::type_identity_t<Parameters>... arguments) {
    for_each_seed([&](std::uint64_t seed) {
        SCOPED_TRACE(seed);
        const std::string report = report_of(broken, shape, arguments...);
        for (const auto& text : mentions) expect_mentions(report, text);
        EXPECT_EQ(report_of(correct, shape, arguments...), "");
    });
}

// ---- barriers -------------------------------------------------------------------------------------------

template <bool broken>
void skip_barrier_kernel() {
    if (broken && thread_rank() < 8) named_sync(3, 64);  // <skips>
    else sync_block();                                   // <skipped>
    if (!broken) named_sync(3, 64);
}
TEST(Barriers, SkippedByAFewThreads) {
    expect_pair(skip_barrier_kernel<true>, skip_barrier_kernel<false>, kShape,
                {"deadlock", place_of("skips"), place_of("skipped"), "8 of its threads", "56 of its threads"});
}

template <bool broken>
void diverge_kernel() {
    if (broken && lane() % 2) sync_block();  // <odd>
    else sync_block();                       // <even>
}
TEST(Barriers, DivergentInAWarp) {
    expect_pair(diverge_kernel<true>, diverge_kernel<false>, kShape,
                {"divergent block barrier", place_of("odd"), place_of("even")});
}

void barriers_of_warps_kernel(std::uint32_t* out) {
    auto& shared = shared_memory<Words>();
    if (thread_rank() == 63) return;  // threads that have exited are not waited for
    shared.word[thread_rank()] = static_cast<std::uint32_t>(thread_rank());
    if (warp_rank() == 0) sync_block();
    else sync_block();
    if (thread_rank() == 0) atomic_add<Scope::device>(out, shared.word[62]);
}
TEST(Barriers, WarpsMayMeetAtDifferentPlacesAndThreadsMayExit) {
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> out(1, 0);
        EXPECT_EQ(report_of(barriers_of_warps_kernel, kShape, out.data()), "");
        EXPECT_EQ(out.values()[0], 3 * 62u);
    });
}

template <bool broken>
void named_counts_kernel() {
    named_sync(1, broken && warp_rank() == 1 ? 32 : 64);  // <counts>
}
TEST(Barriers, NamedWithDifferentCounts) {
    expect_pair(named_counts_kernel<true>, named_counts_kernel<false>, kShape, {"named barrier 1", place_of("counts")});
}

void named_misuse_kernel(int id, int threads) { named_sync(id, threads); }  // <misuse>
TEST(Barriers, NamedMisuse) {
    for (const auto& [id, threads, text] : std::vector<std::tuple<int, int, const char*>>{{0, 64, "ids are 1..15"},
                                                                                          {16, 64, "ids are 1..15"},
                                                                                          {1, 48, "multiple of 32"},
                                                                                          {1, 96, "multiple of 32"}}) {
        const std::string report = report_of(named_misuse_kernel, kShape, id, threads);
        expect_mentions(report, text);
        expect_mentions(report, place_of("misuse"));
    }
}

void producer_consumer_kernel(std::uint32_t* out, int rounds) {
    auto& shared = shared_memory<Words>();
    for (int round = 0; round < rounds; ++round) {
        if (warp_rank() == 0) {
            shared.word[lane()] = static_cast<std::uint32_t>(round * 32 + lane());
            named_arrive(1, 64);  // full
            named_sync(2, 64);    // empty
        } else {
            named_sync(1, 64);
            if (shared.word[(lane() + 1) % 32] != static_cast<std::uint32_t>(round * 32 + (lane() + 1) % 32))
                atomic_add<Scope::device>(out, 1);
            named_arrive(2, 64);
        }
    }
}
TEST(Barriers, NamedArriveAndSyncHandOver) {
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> wrong(1, 0);
        EXPECT_EQ(report_of(producer_consumer_kernel, kShape, wrong.data(), 5), "");
        EXPECT_EQ(wrong.values()[0], 0u);
    });
}

struct GridMeeting {
    static std::uint32_t blocks() { return grid_size(); }
    static void meet() {
        sync_grid();  // <grid-barrier>
    }
};
struct ClusterMeeting {  // the cluster is the grid
    static std::uint32_t blocks() { return cluster_size(); }
    static void meet() {
        sync_cluster();  // <cluster-barrier>
    }
};
// Neighbours in the grid read each other's words, twice.
template <class Meeting, bool broken>
void skip_meeting_kernel(std::uint32_t* words) {
    const std::uint32_t threads = Meeting::blocks() * static_cast<std::uint32_t>(block_size());
    const std::uint32_t me =
        block_rank() * static_cast<std::uint32_t>(block_size()) + static_cast<std::uint32_t>(thread_rank());
    for (std::uint32_t round = 0; round < 3; ++round) {
        std::uint32_t* const now = words + round % 2 * threads;
        now[me] = me + round;
        if (broken && round == 1 && block_rank() == 1) return;
        Meeting::meet();
        const std::uint32_t other = (me + threads / 2) % threads;
        if (now[other] != other + round) throw std::runtime_error("a neighbour was late");
    }
}
TEST(Barriers, GridBarrierSkippedByABlock) {
    const LaunchShape shape{.blocks = 6, .threads = 64, .name = "tried", .cooperative = true};
    DeviceArray<std::uint32_t> words(2 * 6 * 64, 0);
    expect_pair(skip_meeting_kernel<GridMeeting, true>, skip_meeting_kernel<GridMeeting, false>, shape,
                {place_of("grid-barrier"), "exit", "grid barrier"}, words.data());
}

// A block may be slow to look for exited blocks: the barrier that it arrived at is over, the other block gone. It gives
// the other one time to exit, and no more, since that one may wait for it at the second barrier.
void meet_once_kernel() { sync_grid(); }
void meet_twice_kernel() {
    sync_grid();
    if (block_rank() == 1) return;
    sync_grid();  // <second-barrier>
}
TEST(Barriers, LateLookForExitedBlocks) {
    const LaunchShape shape{.blocks = 2, .threads = 64, .name = "tried", .cooperative = true};
    const emulator::Config before = emulator::config();
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const auto late = [](auto exited) {
            thread_local int looks = 0;
            return exited > 0 || ++looks % 1000 == 0;
        };
        emulator::configure({.seed = seed, .workers = 2, .resident = 1, .looks_when = late});
        EXPECT_EQ(report_of(meet_once_kernel, shape), "");
        expect_mentions(report_of(meet_twice_kernel, shape), place_of("second-barrier"));
    }
    emulator::configure(before);
}

TEST(Barriers, GridBarrierNeedsACooperativeLaunch) {
    DeviceArray<std::uint32_t> words(2 * 3 * 64, 0);
    const std::string report = report_of(skip_meeting_kernel<GridMeeting, false>, kShape, words.data());
    for (const auto& text : {place_of("grid-barrier"), std::string("cooperative")}) expect_mentions(report, text);
}

TEST(Barriers, ClusterBarrierSkippedByABlock) {
    const LaunchShape shape{.blocks = 4, .threads = 64, .name = "tried", .cluster = true};
    DeviceArray<std::uint32_t> words(2 * 4 * 64, 0);
    expect_pair(skip_meeting_kernel<ClusterMeeting, true>, skip_meeting_kernel<ClusterMeeting, false>, shape,
                {place_of("cluster-barrier"), "exit", "cluster barrier"}, words.data());
}
TEST(Barriers, ClusterBarrierNeedsACluster) {
    DeviceArray<std::uint32_t> words(2 * 3 * 64, 0);
    for (const bool cooperative : {false, true}) {
        LaunchShape shape = kShape;
        shape.cooperative = cooperative;
        const std::string report = report_of(skip_meeting_kernel<ClusterMeeting, false>, shape, words.data());
        for (const auto& text : {place_of("cluster-barrier"), std::string("needs a cluster")})
            expect_mentions(report, text);
    }
    LaunchShape shape = kShape;
    shape.cluster = true;
    expect_mentions(report_of(skip_meeting_kernel<GridMeeting, false>, shape, words.data()),
                    "needs a cooperative launch");
}

enum class Reach { neighbour, no_shared_place, no_block };
template <Reach reach>
void reach_kernel() {
    auto& shared = shared_memory<Words>();
    std::uint32_t own = 0;
    sync_cluster();
    std::uint32_t* const place = reach == Reach::no_shared_place ? &own : shared.word + thread_rank();
    const std::uint32_t block = reach == Reach::no_block ? cluster_size() : (block_rank() + 1) % cluster_size();
    *map_shared_rank(place, block) = 1;  // <reach>
    sync_cluster();
}
TEST(SharedMemory, OfOtherBlocks) {
    LaunchShape shape = kShape;
    shape.cluster = true;
    expect_pair(reach_kernel<Reach::no_shared_place>, reach_kernel<Reach::neighbour>, shape,
                {place_of("reach"), "takes a place in the block's shared memory"});
    expect_pair(reach_kernel<Reach::no_block>, reach_kernel<Reach::neighbour>, shape,
                {place_of("reach"), "the cluster has 3 blocks, and none of rank 3"});
}

// ---- warp collectives -----------------------------------------------------------------------------------

template <bool broken>
void missing_lane_kernel() {
    if (!broken || lane() != 7) ballot(true);  // <all-but-one>
    sync_block();                              // <the-one>
}
TEST(WarpCollectives, MissingLane) {
    expect_pair(missing_lane_kernel<true>, missing_lane_kernel<false>, kShape,
                {"deadlock", "62 of its threads", "warp collective", place_of("all-but-one"), place_of("the-one")});
}

template <bool broken>
void exited_lane_kernel() {
    sync_warp();  // <last-seen>
    if (lane() == 3) return;
    ballot(true, broken ? kAllLanes : kAllLanes & ~(1u << 3));  // <names-exited>
}
TEST(WarpCollectives, ExitedLaneInTheMask) {
    expect_pair(exited_lane_kernel<true>, exited_lane_kernel<false>, kShape,
                {"exited", "(lane 3)", place_of("names-exited")});
}

template <bool broken>
void different_masks_kernel() {
    const mask_t half = lane() < 16 ? 0xffffu : 0xffff0000u;
    shuffle(lane(), 0, broken && lane() == 20 ? kAllLanes : half);  // <masks>
    sync_block();
}
TEST(WarpCollectives, DifferentMasks) {
    expect_pair(different_masks_kernel<true>, different_masks_kernel<false>, kShape,
                {"another mask", place_of("masks")});
}

void halves_then_all_kernel() {
    for (int round = 0; round < 4; ++round) {
        sync_warp(lane() < 16 ? 0xffffu : 0xffff0000u);  // one half may be ahead of the other
        ballot(true);
    }
}
TEST(WarpCollectives, HalvesMayWaitForEachOther) {
    for_each_seed([&](std::uint64_t) { EXPECT_EQ(report_of(halves_then_all_kernel, kShape), ""); });
}

template <bool broken>
void different_operations_kernel() {
    if (broken && lane() == 5) any(true);  // <one-any>
    else shuffle_xor(lane(), 1);           // <others-shuffle>
}
TEST(WarpCollectives, DifferentOperations) {
    expect_pair(different_operations_kernel<true>, different_operations_kernel<false>, kShape,
                {"warp collective differs", place_of("one-any"), place_of("others-shuffle")});
}

template <bool broken>
void not_in_own_mask_kernel() {
    if (broken || lane() < 8) shuffle(1, 0, 0xffu);  // <outside>
}
TEST(WarpCollectives, LaneOutsideOfItsOwnMask) {
    expect_pair(not_in_own_mask_kernel<true>, not_in_own_mask_kernel<false>, kShape,
                {"not in its own mask", place_of("outside")});
}

template <bool broken>
void short_warp_kernel() {
    sync_warp(broken ? kAllLanes : 0xffu);  // <short-warp>
}
TEST(WarpCollectives, LanesThatDoNotExist) {
    expect_pair(short_warp_kernel<true>, short_warp_kernel<false>, {.threads = 8, .name = "short"},
                {"the block does not have", place_of("short-warp")});
}

// ---- shared memory --------------------------------------------------------------------------------------

template <bool broken>
void far_outside_kernel() {
    auto& shared = shared_memory<Words>();
    auto* word = static_cast<volatile std::uint32_t*>(shared.word);
    word[thread_rank() + (broken ? 512 : 0)] = 1;  // <far-outside>
}
TEST(SharedMemory, WriteFarOutside) {
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "the sanitizer takes the fault";
    expect_pair(far_outside_kernel<true>, far_outside_kernel<false>, kShape, {"outside of the launch's 256 bytes"});
}

template <bool broken>
void just_outside_kernel() {
    auto& shared = shared_memory<std::uint32_t[3]>();
    if (thread_rank() < (broken ? 4 : 3)) static_cast<volatile std::uint32_t*>(shared)[thread_rank()] = 1;
}
constexpr LaunchShape kTwelveBytes{.threads = 32, .shared_bytes = 12, .name = "just_outside"};
TEST(SharedMemory, WriteJustOutside) {
    if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "one stops the program, the other calls it a race";
    expect_pair(just_outside_kernel<true>, just_outside_kernel<false>, kTwelveBytes,
                {"just_outside", "outside of the launch's 12 bytes"});
}
TEST(SharedMemoryDeathTest, AddressSanitizerKnowsTheEnd) {
    if (!kAddressSanitizer) GTEST_SKIP() << "needs AddressSanitizer";
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_EQ(report_of(just_outside_kernel<false>, kTwelveBytes), "");
    EXPECT_DEATH(report_of(just_outside_kernel<true>, kTwelveBytes), "use-after-poison.*just_outside_kernel");
}

void too_large_kernel() { shared_memory<Words>().word[0] = 1; }  // <too-large>
TEST(SharedMemory, StructLargerThanTheLaunchGives) {
    const std::string report = report_of(too_large_kernel, {.threads = 1, .shared_bytes = sizeof(Words) - 1});
    expect_mentions(report, place_of("too-large"));
    expect_mentions(report, "needs 256 bytes, the launch gave 255");
    EXPECT_EQ(report_of(too_large_kernel, {.threads = 1, .shared_bytes = sizeof(Words)}), "");
}

// ---- polling, atomics, exceptions ------------------------------------------------------------------------

template <bool broken, bool pauses>
void wait_for_flag_kernel(std::uint32_t* flags) {
    if (thread_rank() == 0 && !(broken && block_rank() == 1)) store_release(&flags[block_rank()], 1);
    if (thread_rank() == 1) {
        const std::uint32_t* awaited = &flags[(block_rank() + 1) % grid_size()];
        while (load_acquire(awaited) == 0)  // <spins>
            if (pauses) poll_pause();       // <pauses>
    }
    sync_block();  // <parked>
}
TEST(Polling, LivelockIsReported) {
    const LaunchShape shape{.blocks = 2, .threads = 64, .name = "polls", .cooperative = true};
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> flags(2, 0);
        std::string report = report_of(wait_for_flag_kernel<true, true>, shape, flags.data());
        for (const auto& text : {std::string("livelock"), place_of("parked")}) expect_mentions(report, text);
        EXPECT_TRUE(report.find(place_of("pauses")) != report.npos || report.find(place_of("spins")) != report.npos)
            << report;
    });
    DeviceArray<std::uint32_t> flags(2, 0);
    expect_mentions(report_of(wait_for_flag_kernel<true, false>, shape, flags.data()), place_of("spins"));
    for_each_seed([&](std::uint64_t) {
        DeviceArray<std::uint32_t> a(2, 0), b(2, 0);
        EXPECT_EQ(report_of(wait_for_flag_kernel<false, true>, shape, a.data()), "");
        EXPECT_EQ(report_of(wait_for_flag_kernel<false, false>, shape, b.data()), "");
    });
}

void ordered_shared_kernel() {
    auto& shared = shared_memory<Words>();
    store_release(&shared.word[0], 1);  // <ordered-shared>
}
void misaligned_atomic_kernel(std::uint32_t* words) {
    atomic_add<Scope::device>(reinterpret_cast<std::uint32_t*>(reinterpret_cast<char*>(words) + 2), 1);  // <misaligned>
}
TEST(Atomics, WrongAddressesAreReported) {
    DeviceArray<std::uint32_t> words(4, 0);
    std::string report = report_of(ordered_shared_kernel, kShape);
    expect_mentions(report, place_of("ordered-shared"));
    expect_mentions(report, "for global memory");
    report = report_of(misaligned_atomic_kernel, kShape, words.data());
    expect_mentions(report, place_of("misaligned"));
    expect_mentions(report, "not aligned");
}

void throwing_kernel() {
    sync_block();  // <before-throw>
    if (thread_rank() == 9) throw std::runtime_error("nine");
}
void null_kernel(volatile std::uint32_t* nothing) { *nothing = 1; }
TEST(Kernels, ExceptionsAndFaultsAreReported) {
    for (int i = 0; i < 3; ++i) {
        const std::string report = report_of(throwing_kernel, kShape);
        expect_mentions(report, "an exception left the kernel: nine");
        expect_mentions(report, place_of("before-throw"));
    }
    if (kAddressSanitizer || kThreadSanitizer) return;
    expect_mentions(report_of(null_kernel, kShape, nullptr), "memory that does not exist");
}

}  // namespace
