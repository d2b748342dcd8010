// kogge-test: GPU
// Ranks over NCCL: threads of this process, each with a GPU of its own, of all that the machine has. Two communicators
// of NCCL never share a GPU, so on one GPU there is one rank.
#include <gtest/gtest.h>
#include <nccl.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "distributed/ranks.hpp"
#include "kogge/distributed/nccl.hpp"
#include "kogge/distributed/radix_sort.hpp"
#include "kogge/distributed/reduce.hpp"
#include "kogge/distributed/top_k.hpp"

namespace {

using namespace tests;
namespace distributed = kogge::distributed;
namespace simt = kogge::simt;
using Word = std::uint32_t;
using Number = std::uint64_t;
constexpr kogge::communicator_options kPatient{.timeout = std::chrono::minutes(1)};
constexpr kogge::communicator_options kImpatient{.timeout = std::chrono::milliseconds(2000)};

std::vector<int> all_devices() {
    std::vector<int> devices(static_cast<std::size_t>(simt::device_count()));
    std::iota(devices.begin(), devices.end(), 0);
    return devices;
}

using Body = std::function<void(kogge::communicator&)>;

/// Ranks that have nothing but NCCL.
void over_nccl_alone(const Body& body, const kogge::communicator_options& options = kPatient) {
    const std::vector<int> devices = all_devices();
    std::vector<ncclComm_t> comms(devices.size());
    ASSERT_EQ(ncclCommInitAll(comms.data(), static_cast<int>(devices.size()), devices.data()), ncclSuccess);
    std::vector<std::thread> threads;
    for (const int d : devices)
        threads.emplace_back([&, d] {
            const simt::OnDevice current(d);
            const auto ranks = kogge::communicator_over_nccl(comms[static_cast<std::size_t>(d)], options);
            body(*ranks);
        });
    for (std::thread& thread : threads) thread.join();
}

/// Ranks that meet over threads, and whose device memory goes over NCCL.
void over_a_group(const Body& body, const kogge::communicator_options& options = kPatient) {
    kogge::run_on_devices(
        all_devices(),
        [&](kogge::communicator& control) {
            const auto ranks = kogge::communicator_over_nccl(control, options);
            body(*ranks);
        },
        options);
}

class Nccl : public testing::TestWithParam<bool> {
protected:
    void SetUp() override {
        if (simt::device_count() == 0) GTEST_SKIP() << "there is no GPU";
    }
    /// On every rank.
    static void run(const Body& body, const kogge::communicator_options& options = kPatient) {
        GetParam() ? over_a_group(body, options) : over_nccl_alone(body, options);
    }
    static bool has_several_ranks() { return simt::device_count() > 1; }
};
INSTANTIATE_TEST_SUITE_P(With, Nccl, testing::Bool(),
                         [](const auto& of) { return of.param ? "AControlGroup" : "NothingElse"; });

/// Parts of uneven sizes, one per device.
Counts uneven(std::size_t n) {
    Counts counts;
    for (std::size_t d = 0; d < all_devices().size(); ++d) counts.push_back(n * (2 * d + 1));
    return counts;
}

/// Keys with many equal ones, sorted, and where each of them stood.
struct Whole {
    Counts counts;
    std::vector<Word> keys, sorted;
    std::vector<Number> order;
    Counts shares;
    explicit Whole(std::size_t n) : counts(uneven(n)), keys(random_items<Word>(sum_of(counts))), order(keys.size()) {
        for (Word& key : keys) key %= 1000;
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return keys[a] < keys[b]; });
        for (const Number i : order) sorted.push_back(keys[i]);
        for (std::size_t r = 0; r < counts.size(); ++r)
            shares.push_back(keys.size() / counts.size() + (r < keys.size() % counts.size()));
    }
};

void sort_all(kogge::communicator& ranks, const Whole& whole, const distributed::sort_options& options = {},
              const kogge::exec& how = {}) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::size_t n = whole.counts[rank], share = whole.shares[rank];
    const auto stood_at = parts_of(whole.order, whole.shares)[rank];
    std::vector<Number> places(whole.keys.size());
    std::iota(places.begin(), places.end(), 0);
    const Array<Word> keys(parts_of(whole.keys, whole.counts)[rank]);
    const Array<Number> values(parts_of(places, whole.counts)[rank]);
    Array<Word> sorted(share);
    Array<Number> moved(share), indices(share);
    EXPECT_EQ(distributed::radix_sort_pairs(ranks, keys.data(), sorted.data(), values.data(), moved.data(), share, n,
                                            options, how),
              share);
    EXPECT_TRUE(same(sorted.get(), parts_of(whole.sorted, whole.shares)[rank]));
    EXPECT_TRUE(same(moved.get(), stood_at));
    EXPECT_EQ(distributed::argsort(ranks, keys.data(), indices.data(), share, n, options, how), share);
    EXPECT_TRUE(same(indices.get(), stood_at));
}

TEST_P(Nccl, Sorts) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{200'000}}) {
        SCOPED_TRACE(n);
        const Whole whole(n);
        run([&](kogge::communicator& ranks) {
            EXPECT_EQ(ranks.size(), simt::device_count());
            sort_all(ranks, whole);
            sort_all(ranks, whole, {.pieces = 3});
            const kogge::stream_t stream = simt::create_stream();
            sort_all(ranks, whole, {}, {.stream = stream});
            simt::destroy_stream(stream);
        });
    }
}

TEST_P(Nccl, OtherCalls) {
    const Whole whole(5000);
    const Number sum = std::accumulate(whole.keys.begin(), whole.keys.end(), Number{0});
    std::vector<Word> least(whole.sorted.begin(), whole.sorted.begin() + 50);
    run([&](kogge::communicator& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        const std::size_t n = whole.counts[rank];
        const Array<Word> keys(parts_of(whole.keys, whole.counts)[rank]);
        EXPECT_EQ(distributed::reduce(ranks, keys.data(), n, kogge::plus{}, Number{0}), sum);
        Array<Word> best(50);
        distributed::top_k(ranks, keys.data(), best.data(), n, 50, {.order = kogge::sort_order::ascending});
        EXPECT_TRUE(same(best.get(), least));
    });
}

// Items on the host go through a device, or the group that the ranks have.
TEST_P(Nccl, HostMemory) {
    const Whole whole(3000);
    run([&](kogge::communicator& ranks) {
        const auto rank = static_cast<std::size_t>(ranks.rank());
        const auto keys = parts_of(whole.keys, whole.counts)[rank];
        std::vector<Word> sorted(whole.shares[rank]);
        EXPECT_EQ(distributed::radix_sort(ranks, keys.data(), sorted.data(), sorted.size(), keys.size()),
                  sorted.size());
        EXPECT_TRUE(same(sorted, parts_of(whole.sorted, whole.shares)[rank]));
    });
}

// ---- faults --------------------------------------------------------------------------------------------

/// The call throws rank_error with this rank and text.
void expect_told(int of, const std::string& text, const std::function<void()>& call) {
    try {
        call();
        FAIL() << "nothing was thrown";
    } catch (const kogge::rank_error& failure) {
        EXPECT_EQ(failure.rank(), of) << failure.what();
        EXPECT_NE(std::string(failure.what()).find(text), std::string::npos) << failure.what();
    }
}

// A refused argument and memory that a rank has not got reach all ranks, and the group stays whole.
TEST_P(Nccl, ARankThatCannot) {
    if (!has_several_ranks()) GTEST_SKIP() << "there is one GPU";
    const Whole whole(2000);
    run([&](kogge::communicator& ranks) {
        Array<Word> keys(std::vector<Word>(100, 5));
        const int last = ranks.size() - 1;
        expect_told(last, "options.begin_bit", [&] {
            distributed::radix_sort(ranks, keys.data(), 100, {.begin_bit = ranks.rank() == last ? 1 : 0});
        });
        expect_told(1, "exec.scratch_limit", [&] {
            kogge::exec how;
            if (ranks.rank() == 1) how.scratch_limit = 100;
            distributed::radix_sort(ranks, keys.data(), 100, how);
        });
        sort_all(ranks, whole);
    });
}

// The others wait for a rank that does not come until the timeout; the group is broken then. A first exchange, in which
// NCCL connects the ranks, cannot be left in a communicator that blocks, as those of ncclCommInitAll do.
TEST_P(Nccl, ARankThatDoesNotCome) {
    if (!has_several_ranks()) GTEST_SKIP() << "there is one GPU";
    const Whole whole(1000);
    std::vector<int> thrown(all_devices().size());
    const auto late = [&](kogge::communicator& ranks) {
        sort_all(ranks, whole);
        if (ranks.rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(5));
        for (int time = 0; time < 2; ++time) {
            try {
                sort_all(ranks, whole);
            } catch (const kogge::rank_error& failure) {
                EXPECT_NE(std::string(failure.what()).find("has not answered for 2000 ms"), std::string::npos)
                    << failure.what();
                ++thrown[static_cast<std::size_t>(ranks.rank())];
            }
        }
    };
    run(late, kImpatient);
    EXPECT_EQ(thrown[0], 2);
    EXPECT_EQ(thrown[1], 2);
}

TEST_P(Nccl, ARankThatAborts) {
    if (!has_several_ranks()) GTEST_SKIP() << "there is one GPU";
    const Whole whole(1000);
    const auto aborting = [&](kogge::communicator& ranks) {
        sort_all(ranks, whole);
        if (ranks.rank() == 1) ranks.abort("enough");
        EXPECT_THROW(sort_all(ranks, whole), kogge::rank_error);
    };
    run(aborting, kImpatient);
}

}  // namespace
