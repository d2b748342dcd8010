// kogge-test: EMULATED GPU
// The simt interface means the same on both machines: each operation against what its declaration says.
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/error.hpp"
#include "kogge/simt/device.cuh"
#include "kogge/simt/runtime.hpp"

using namespace kogge;
using namespace kogge::simt;

namespace {

constexpr std::uint32_t kBlocks = 3, kThreads = 96;

/// Runs `kernel(out, arguments …)` over kBlocks × kThreads threads; returns the `size` words of `out`, zero before.
template <class... Parameters>
std::vector<std::uint32_t> run(std::size_t size, std::size_t shared_bytes,
                               void (*kernel)(std::uint32_t*, Parameters...),
                               std::type_identity_t<Parameters>... arguments) {
    std::vector<std::uint32_t> result(size);
    auto* out = static_cast<std::uint32_t*>(allocate(size * sizeof(std::uint32_t), nullptr));
    fill(out, 0, size * sizeof(std::uint32_t), nullptr);
    launch(kernel, {.blocks = kBlocks, .threads = kThreads, .shared_bytes = shared_bytes, .name = "interface"}, out,
           arguments...);
    copy(result.data(), out, size * sizeof(std::uint32_t), nullptr);
    deallocate(out, nullptr);
    synchronize(nullptr);
    return result;
}

// ---- position and bits -----------------------------------------------------------------------------------

KOGGE_KERNEL void positions_kernel(std::uint32_t* out) {
    wait_for_stream();
    std::uint32_t* mine = out + (block_rank() * static_cast<std::uint32_t>(block_size()) + thread_rank()) * 8;
    mine[0] = static_cast<std::uint32_t>(thread_rank());
    mine[1] = static_cast<std::uint32_t>(lane());
    mine[2] = static_cast<std::uint32_t>(warp_rank());
    mine[3] = grid_size();
    mine[4] = lanes_before();
    mine[5] = static_cast<std::uint32_t>(count_bits(lanes_before()));
    mine[6] = static_cast<std::uint32_t>(lowest_bit(kAllLanes << lane()));
    mine[7] = static_cast<std::uint32_t>(highest_bit(kAllLanes >> lane()));
}
TEST(SimtInterface, Positions) {
    const auto out = run(kBlocks * kThreads * 8, 0, positions_kernel);
    for (std::uint32_t i = 0; i < kBlocks * kThreads; ++i) {
        const std::uint32_t thread = i % kThreads, lane = thread % 32;
        const std::vector<std::uint32_t> expected{thread,           lane, thread / 32, kBlocks,
                                                  (1u << lane) - 1, lane, lane,        31 - lane};
        EXPECT_EQ(std::vector(out.begin() + i * 8, out.begin() + i * 8 + 8), expected) << i;
    }
}

// ---- warp collectives ------------------------------------------------------------------------------------

struct Three {  // no multiple of 8 bytes
    std::uint32_t a, b, c;
};
constexpr std::uint32_t kResults = 14;

KOGGE_KERNEL void collectives_kernel(std::uint32_t* out, std::uint32_t factor) {
    wait_for_stream();
    const std::uint32_t thread = static_cast<std::uint32_t>(thread_rank()), me = static_cast<std::uint32_t>(lane());
    const mask_t half = me < 16 ? 0x0000ffffu : 0xffff0000u;
    std::uint32_t* mine = out + (block_rank() * static_cast<std::uint32_t>(block_size()) + thread) * kResults;
    mine[0] = shuffle(thread, static_cast<int>(me * factor % 32));
    mine[1] = shuffle_up(thread, 5);
    mine[2] = shuffle_down(thread, 3);
    mine[3] = shuffle_xor(thread, 6, half);
    const Three three = shuffle_xor(Three{thread, thread + 1, thread + 2}, 1);
    mine[4] = three.a + three.b * 1000 + three.c * 1000000;
    mine[5] = static_cast<std::uint32_t>(shuffle_up(std::uint64_t{thread} << 32 | thread, 1) >> 32);
    mine[6] = shuffle(static_cast<std::uint8_t>(thread), 9);
    mine[7] = simt::ballot(me % 3 == 0);
    mine[8] = simt::ballot(me % 3 == 0, half);
    mine[9] = static_cast<std::uint32_t>(simt::any(me == 40)) + 2 * simt::any(me == 4, half) + 4 * simt::all(me < 32) +
              8 * simt::all(me < 16, half);
    mine[10] = match_digit<3>(thread * factor);
    mine[11] = match_digit<0>(thread);
    mine[12] = reduce_add(thread);
    mine[13] = reduce_max(thread * factor % 16);
}
TEST(SimtInterface, WarpCollectives) {
    constexpr std::uint32_t factor = 5;
    const auto out = run(kBlocks * kThreads * kResults, 0, collectives_kernel, factor);
    const auto lanes_where = [](auto holds) {
        std::uint32_t mask = 0;
        for (std::uint32_t lane = 0; lane < 32; ++lane) mask |= std::uint32_t{holds(lane)} << lane;
        return mask;
    };
    for (std::uint32_t i = 0; i < kBlocks * kThreads; ++i) {
        const std::uint32_t thread = i % kThreads, lane = thread % 32, first = thread - lane;
        const std::uint32_t half = lane < 16 ? 0xffffu : 0xffff0000u,
                            thirds = lanes_where([](auto l) { return l % 3 == 0; });
        const std::uint32_t other = thread ^ 1;
        const std::vector<std::uint32_t> expected{
            first + lane * factor % 32,
            lane < 5 ? thread : thread - 5,
            lane > 28 ? thread : thread + 3,
            thread ^ 6,
            other + (other + 1) * 1000 + (other + 2) * 1000000,
            lane < 1 ? thread : thread - 1,
            first + 9,
            thirds,
            thirds & half,
            (lane < 16 ? 2u : 0u) + 4u + (lane < 16 ? 8u : 0u),
            lanes_where([&](auto l) { return (first + l) * factor % 8 == thread * factor % 8; }),
            0xffffffffu,
            32 * first + 31 * 16,
            15};
        EXPECT_EQ(std::vector(out.begin() + i * kResults, out.begin() + (i + 1) * kResults), expected) << i;
    }
}

// ---- shared memory, barriers, atomics ---------------------------------------------------------------------

struct Shared {
    std::uint32_t words[kThreads];
    std::uint32_t sum, bits, most;
    std::uint64_t wide;
};
KOGGE_KERNEL void once_kernel(std::uint32_t* out) {
    wait_for_stream();
    const std::uint32_t place = 4 * (block_rank() * kThreads + static_cast<std::uint32_t>(thread_rank()));
    for (std::uint32_t i = 0; i < 4; ++i) out[place + i] = 3 * (place + i);
    std::uint32_t words[4];
    load_words_once(out + place, words);
    store_words_once(out + place + 4 * kBlocks * kThreads, words);
}
TEST(SimtInterface, LoadsAndStoresOfWhatIsLookedAtOnce) {
    constexpr std::uint32_t words = 4 * kBlocks * kThreads;
    const auto out = run(2 * words, 0, once_kernel);
    for (std::uint32_t i = 0; i < words; ++i) EXPECT_EQ(out[words + i], 3 * i);
}

KOGGE_KERNEL void blocks_kernel(std::uint32_t* out) {
    wait_for_stream();
    auto& shared = shared_memory<Shared>();
    const std::uint32_t thread = static_cast<std::uint32_t>(thread_rank());
    shared.words[thread] = thread * thread;
    if (thread == 0) {
        shared.sum = shared.bits = shared.most = 0;
        shared.wide = 0;
    }
    sync_block();
    const std::uint32_t next = shared.words[(thread + 33) % kThreads];
    atomic_add<Scope::block>(&shared.sum, next);
    atomic_or<Scope::block>(&shared.bits, 1u << thread % 32);
    atomic_max<Scope::block>(&shared.most, next);
    atomic_add<Scope::block>(&shared.wide, std::uint64_t{1} << 33);
    sync_block();
    if (warp_rank() == 0) {
        named_sync(1, 64);
        shared.words[32 + lane()] = 7;  // what warp 1 has read
        named_arrive(2, 64);
    } else if (warp_rank() == 1) {
        const std::uint32_t mine = shared.words[32 + lane()];
        named_arrive(1, 64);
        named_sync(2, 64);
        atomic_add<Scope::device>(&out[5], mine + shared.words[32 + lane()]);
    }
    sync_block();
    if (thread != 0) return;
    atomic_add<Scope::device>(&out[0], shared.sum);
    atomic_or<Scope::device>(&out[1], shared.bits);
    atomic_max<Scope::device>(&out[2], shared.most + block_rank());
    atomic_add<Scope::device>(&out[3], static_cast<std::uint32_t>(shared.wide >> 33));
    out[6 + atomic_add_acq_rel(&out[4], 1)] = 1;
}
TEST(SimtInterface, BlocksAndAtomics) {
    const auto out = run(9, sizeof(Shared), blocks_kernel);
    std::uint32_t squares = 0, of_warp_1 = 0;
    for (std::uint32_t i = 0; i < kThreads; ++i) squares += i * i;
    for (std::uint32_t i = 32; i < 64; ++i) of_warp_1 += i * i + 7;
    EXPECT_EQ(out, (std::vector<std::uint32_t>{kBlocks * squares, 0xffffffffu, 95 * 95 + kBlocks - 1,
                                               kBlocks * kThreads, kBlocks, kBlocks * of_warp_1, 1, 1, 1}));
}

KOGGE_KERNEL void claim_kernel(std::uint32_t* out) {  // out: what a thread claims, the claims, what none does
    wait_for_stream();
    const std::uint32_t own = block_rank() * kThreads + static_cast<std::uint32_t>(thread_rank()) + 1;
    if (atomic_compare_swap<Scope::device>(&out[0], 0, own) == 0) atomic_add<Scope::device>(&out[1], own);
    atomic_compare_swap<Scope::device>(&out[2], 1, own);
}
TEST(SimtInterface, OneThreadClaims) {
    const auto out = run(3, 0, claim_kernel);
    EXPECT_NE(out[0], 0u);
    EXPECT_EQ(out[1], out[0]);
    EXPECT_EQ(out[2], 0u);
}

KOGGE_KERNEL void chain_kernel(std::uint32_t* out) {  // out: a ticket, then a sum and a flag for each
    wait_for_stream();
    auto& shared = shared_memory<std::uint32_t>();
    if (thread_rank() == 0) shared = atomic_add<Scope::device>(&out[0], 1);
    sync_block();
    if (thread_rank() != 0) return;
    std::uint32_t* mine = out + 1 + shared * 2;
    std::uint32_t before = 0;
    if (shared > 0) {
        while (load_acquire(mine - 1) == 0) poll_pause();
        before = mine[-2];
    }
    mine[0] = before + shared + 1;
    fence_device();
    if (load_relaxed(mine + 1) == 0) store_release(mine + 1, 1u);
}
TEST(SimtInterface, PublishedBetweenBlocks) {
    EXPECT_EQ(run(1 + 2 * kBlocks, sizeof(std::uint32_t), chain_kernel),
              (std::vector<std::uint32_t>{kBlocks, 1, 1, 3, 1, 6, 1}));
}

KOGGE_KERNEL void rounds_kernel(std::uint32_t* out) {  // out: two rows that take turns
    wait_for_stream();
    for (std::uint32_t round = 0; round < 4; ++round) {
        const std::uint32_t* before = out + (round + 1) % 2 * kBlocks;
        std::uint32_t sum = 1;
        for (std::uint32_t block = 0; round > 0 && block < grid_size(); ++block) sum += before[block];
        if (thread_rank() == 0) out[round % 2 * kBlocks + block_rank()] = sum + block_rank();
        if (round % 2 == 0) sync_grid();
        else wait_grid(arrive_grid());
    }
}
TEST(SimtInterface, GridBarriers) {
    std::vector<std::uint32_t> rows(2 * kBlocks);
    for (std::uint32_t round = 0; round < 4; ++round)
        for (std::uint32_t block = 0; block < kBlocks; ++block) {
            std::uint32_t sum = 1 + block;
            for (std::uint32_t b = 0; round > 0 && b < kBlocks; ++b) sum += rows[(round + 1) % 2 * kBlocks + b];
            rows[round % 2 * kBlocks + block] = sum;
        }
    auto* out = static_cast<std::uint32_t*>(allocate(rows.size() * 4, nullptr));
    launch(rounds_kernel, {.blocks = kBlocks, .threads = kThreads, .name = "rounds", .cooperative = true}, out);
    std::vector<std::uint32_t> result(rows.size());
    copy(result.data(), out, rows.size() * 4, nullptr);
    deallocate(out, nullptr);
    synchronize(nullptr);
    EXPECT_EQ(result, rows);
}

// Lanes of a warp come apart before they arrive: in code that is not optimised they may stay so.
KOGGE_KERNEL void parted_rounds_kernel(std::uint32_t* out) {  // out: a word a thread, then one a warp
    wait_for_stream();
    const auto thread = static_cast<std::uint32_t>(thread_rank()), row = block_rank() * kThreads;
    for (std::uint32_t round = 0; round < 4; ++round) {
        const auto note = [&](std::uint32_t place) { atomic_or<Scope::device>(out + place, 1u << round); };
        if (lane() % 32 < 30) note(row + thread);
        if (round % 2 == 0) sync_grid();
        else wait_grid(arrive_grid());
        if (kogge::simt::ballot((out[row + thread] >> round & 1) != 0) == kAllLanes >> 2 && lane() == 0)
            note(grid_size() * kThreads + (row + thread) / kWarpSize);
        sync_block();  // all have read
    }
}
TEST(SimtInterface, GridBarrierOfPartedLanes) {
    constexpr std::uint32_t kWords = kBlocks * kThreads, kWarps = kWords / kWarpSize;
    std::vector<std::uint32_t> result(kWords + kWarps);
    auto* out = static_cast<std::uint32_t*>(allocate(result.size() * 4, nullptr));
    fill(out, 0, result.size() * 4, nullptr);
    launch(parted_rounds_kernel, {.blocks = kBlocks, .threads = kThreads, .name = "parted", .cooperative = true}, out);
    copy(result.data(), out, result.size() * 4, nullptr);
    deallocate(out, nullptr);
    synchronize(nullptr);
    for (std::uint32_t i = 0; i < kWords; ++i) EXPECT_EQ(result[i], i % 32 < 30 ? 15u : 0u) << i;
    for (std::uint32_t w = 0; w < kWarps; ++w) EXPECT_EQ(result[kWords + w], 15u) << w;
}

KOGGE_KERNEL void cluster_rounds_kernel(std::uint32_t* out) {  // each block doubles what the one before has written
    wait_for_stream();
    if (thread_rank() == 0) out[block_rank()] = block_rank() + cluster_size();
    for (std::uint32_t round = 0; round < 4; ++round) {
        sync_cluster();
        const std::uint32_t before = out[(block_rank() + 1) % grid_size()];
        sync_cluster();
        if (thread_rank() == 0) out[block_rank()] = 2 * before;
    }
}
TEST(SimtInterface, ClusterBarriers) {
    const std::uint32_t blocks = current_properties().cluster_blocks;
    if (blocks < 2) GTEST_SKIP() << "needs a device with clusters";
    auto* out = static_cast<std::uint32_t*>(allocate(blocks * 4, nullptr));
    launch(cluster_rounds_kernel, {.blocks = blocks, .threads = kThreads, .name = "rounds", .cluster = true}, out);
    std::vector<std::uint32_t> result(blocks), expected(blocks);
    copy(result.data(), out, blocks * 4, nullptr);
    const LaunchShape too_large{.blocks = 64, .threads = kThreads, .name = "rounds", .cluster = true};
    EXPECT_THROW(launch(cluster_rounds_kernel, too_large, out), kogge::error);  // no device has room for that
    deallocate(out, nullptr);
    synchronize(nullptr);
    for (std::uint32_t b = 0; b < blocks; ++b) expected[b] = 16 * ((b + 4) % blocks + blocks);
    EXPECT_EQ(result, expected);
}

struct ClusterWords {
    std::uint32_t count;
    std::uint32_t word[64];
};
// Each thread writes a word into the shared memory of the next block, and counts in that of block 0.
KOGGE_KERNEL void cluster_memory_kernel(std::uint32_t* out) {
    wait_for_stream();
    auto& shared = shared_memory<ClusterWords>();
    if (thread_rank() == 0) shared.count = 0;
    const ClusterArrival begun = arrive_cluster();
    const std::uint32_t next = (block_rank() + 1) % cluster_size();
    const auto thread = static_cast<std::uint32_t>(thread_rank());
    wait_cluster(begun);  // all blocks have begun
    *map_shared_rank(shared.word + thread, next) = 100 * block_rank() + thread;
    atomic_add<Scope::device>(map_shared_rank(&shared.count, 0), 1);
    sync_cluster();
    out[block_rank() * 64 + thread] = shared.word[thread];
    if (block_rank() == 0 && thread == 0) out[cluster_size() * 64] = shared.count;
}
TEST(SimtInterface, MemoryOfClusters) {
    const std::uint32_t blocks = current_properties().cluster_blocks;
    if (blocks < 2) GTEST_SKIP() << "needs a device with clusters";
    auto* out = static_cast<std::uint32_t*>(allocate((blocks * 64 + 1) * 4, nullptr));
    const LaunchShape shape{
        .blocks = blocks, .threads = 64, .shared_bytes = sizeof(ClusterWords), .name = "memory", .cluster = true};
    launch(cluster_memory_kernel, shape, out);
    std::vector<std::uint32_t> result(blocks * 64 + 1);
    copy(result.data(), out, result.size() * 4, nullptr);
    deallocate(out, nullptr);
    synchronize(nullptr);
    for (std::uint32_t i = 0; i < blocks * 64; ++i)
        EXPECT_EQ(result[i], (i / 64 + blocks - 1) % blocks * 100 + i % 64) << i;
    EXPECT_EQ(result.back(), blocks * 64);
}

// ---- bulk copies -----------------------------------------------------------------------------------------

struct Staged {
    alignas(16) std::uint32_t words[kThreads];
    TransactionBarrier full;
};
KOGGE_KERNEL void staged_kernel(std::uint32_t* out, const std::uint32_t* in) {
    wait_for_stream();
    if constexpr (kHasBulkCopy) {
        auto& shared = shared_memory<Staged>();
        if (thread_rank() == 0) shared.full.init(2);
        sync_block();
        for (std::uint32_t round = 0; round < 2; ++round) {
            if (thread_rank() == 0) {
                shared.full.arrive_expect(sizeof(shared.words));
                bulk_load(shared.words, in + block_rank() * kThreads, sizeof(shared.words), shared.full);
            }
            if (thread_rank() == 1) shared.full.arrive();
            shared.full.pace(round);
            shared.full.wait(round);
            shared.words[thread_rank()] += round;
            fence_bulk();
            sync_block();
            if (thread_rank() == 0) {
                bulk_store(out + (round * grid_size() + block_rank()) * kThreads, shared.words, sizeof(shared.words));
                bulk_commit();
                if (round == 0) bulk_wait_read<0>();
                else bulk_wait<0>();
            }
            sync_block();
        }
    }
}
TEST(SimtInterface, BulkCopies) {
    if (current_properties().compute_major < 9) GTEST_SKIP() << "needs compute capability 9.0";
    std::vector<std::uint32_t> in(kBlocks * kThreads), expected;
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * i;
    for (std::uint32_t round = 0; round < 2; ++round)
        for (const std::uint32_t value : in) expected.push_back(value + round);
    auto* source = static_cast<std::uint32_t*>(allocate(in.size() * 4, nullptr));
    copy(source, in.data(), in.size() * 4, nullptr);
    EXPECT_EQ(run(expected.size(), sizeof(Staged), staged_kernel, source), expected);
    deallocate(source, nullptr);
    synchronize(nullptr);
}

}  // namespace
