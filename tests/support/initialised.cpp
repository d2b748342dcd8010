// What tests/initialised_test.sh builds and runs: reads of memory that nobody has written are reported with file and
// line, and correct kernels are not.
#include <cstring>

#include "support/emulator.hpp"

using namespace kogge;
using namespace kogge::simt;
using namespace kogge::test;

namespace {

struct Padded {
    std::uint8_t small;
    std::uint64_t large;
};
struct alignas(16) Shared {
    std::uint32_t words[64];
    Padded padded[64];
    std::uint32_t copied[64];
    std::uint32_t counter;
    TransactionBarrier full;
};

template <bool broken>
void shared_kernel(std::uint32_t* out) {
    auto& shared = shared_memory<Shared>();
    if (!broken || thread_rank() != 5) shared.words[thread_rank()] = 1;
    sync_block();
    out[block_rank() * 64 + thread_rank()] = shared.words[63 - thread_rank()];  // <reads-shared>
}
template <bool broken>
void counter_kernel(std::uint32_t* out) {
    auto& shared = shared_memory<Shared>();
    if (!broken && thread_rank() == 0) shared.counter = 0;
    sync_block();
    out[block_rank() * 64 + thread_rank()] = atomic_add<Scope::block>(&shared.counter, 1);
}
void global_kernel(std::uint32_t* out) {
    if (out[block_rank() * 64 + thread_rank()] == 7) out[0] = 1;  // <reads-global>
}
void other_ways_kernel(const std::uint32_t* in, std::uint32_t* out) {
    auto& shared = shared_memory<Shared>();
    const int rank = thread_rank();
    shared.padded[rank].small = 3;
    shared.padded[rank].large = 4;
    const Padded copy = shared.padded[rank];
    if (rank == 0) {
        shared.full.init(1);
        std::memset(shared.copied, 0, sizeof(shared.copied));
        shared.full.arrive_expect(sizeof(shared.words));
        bulk_load(shared.words, in, sizeof(shared.words), shared.full);
    }
    sync_block();
    shared.full.wait(0);
    out[block_rank() * 64 + rank] = shared.words[rank] + shared.copied[rank] + copy.small;
}

constexpr LaunchShape kShape{.blocks = 3, .threads = 64, .shared_bytes = sizeof(Shared), .name = "reads"};

TEST(Initialised, SharedMemory) {
    DeviceArray<std::uint32_t> out(3 * 64, 0);
    for_each_seed([&](std::uint64_t) {
        const std::string report = report_of(shared_kernel<true>, kShape, out.data());
        expect_mentions(report, place_of("reads-shared"));
        expect_mentions(report, "thread 58 (lane 26)");
        expect_mentions(report, "4 bytes of shared memory that nobody has written");
        expect_mentions(report_of(counter_kernel<true>, kShape, out.data()), "shared memory that nobody has written");
        EXPECT_EQ(report_of(shared_kernel<false>, kShape, out.data()), "");
        EXPECT_EQ(report_of(counter_kernel<false>, kShape, out.data()), "");
    });
}
TEST(Initialised, DeviceMemory) {
    auto* fresh = static_cast<std::uint32_t*>(allocate(3 * 64 * 4, nullptr));
    const std::string report = report_of(global_kernel, kShape, fresh);
    expect_mentions(report, place_of("reads-global"));
    expect_mentions(report, "device memory that nobody has written");
    fill(fresh, 0, 3 * 64 * 4, nullptr);
    EXPECT_EQ(report_of(global_kernel, kShape, fresh), "");
    deallocate(fresh, nullptr);
}
TEST(Initialised, BulkCopiesPaddingAndUnseenWritesCount) {
    DeviceArray<std::uint32_t> in(64, 1), out(3 * 64, 0);
    for_each_seed([&](std::uint64_t) {
        EXPECT_EQ(report_of(other_ways_kernel, kShape, in.data(), out.data()), "");
        EXPECT_EQ(out.values()[70], 4u);
    });
}

}  // namespace
