// kogge-test: EMULATED GPU HOST
// What one rank does wrong: all ranks throw the same error, none waits for ever, nothing has changed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "distributed/ranks.hpp"
#include "kogge/distributed/radix_sort.hpp"
#include "kogge/distributed/runs.hpp"
#include "support/sort_checks.hpp"
#if KOGGE_EMULATED
#include "kogge/simt/emulator.hpp"
#endif

namespace {

using namespace tests;
namespace distributed = kogge::distributed;
using kogge::errc;
using Word = std::uint32_t;

/// Sorts on four ranks, of which `wrong` does so by its own options, number, room or memory; all keep their keys.
struct Case {
    distributed::sort_options options{};
    std::size_t n = 500;
    std::size_t capacity = 500;
    kogge::exec how{.where = kWhere};
    bool has_keys = true;
};
std::vector<Told> sort_on_four(std::size_t wrong, const Case& own) {
    return told(4, [&](kogge::communicator& ranks, std::size_t rank) {
        const Case by = rank == wrong ? own : Case{};
        const auto keys = random_items<Word>(500, rank);
        Array<Word> in(keys), out(std::size_t{500});
        const auto before = out.get();
        const auto check = [&] {
            EXPECT_TRUE(same(in.get(), keys));
            EXPECT_TRUE(same(out.get(), before));
        };
        try {
            distributed::radix_sort(ranks, by.has_keys ? in.data() : nullptr, out.data(), by.capacity, by.n, by.options,
                                    by.how);
        } catch (...) {
            check();
            throw;
        }
    });
}

TEST(DistributedFaults, ArgumentsThatDiffer) {
    expect_told(sort_on_four(2, {.options = {.order = kogge::descending}}), 2, errc::invalid_argument,
                "rank 2 of 4 gives options.order = 1, rank 0 0");
    expect_told(sort_on_four(0, {.options = {.begin_bit = 3}}), 1, errc::invalid_argument,
                "rank 1 of 4 gives options.begin_bit = 0, rank 0 3");
    expect_told(sort_on_four(3, {.options = {.sizes = distributed::part_sizes::kept}}), 3, errc::invalid_argument,
                "options.sizes");
    expect_told(sort_on_four(1, {.options = {.pieces = 2}}), 1, errc::invalid_argument, "options.pieces = 2");
}
TEST(DistributedFaults, ArgumentsThatAreWrong) {
    expect_told(sort_on_four(1, {.options = {.end_bit = 33}}), 1, errc::invalid_argument, "on rank 1 of 4: kogge::");
    expect_told(sort_on_four(1, {.options = {.pieces = 65}}), 1, errc::invalid_argument, "not within 0 … 64");
    expect_told(sort_on_four(1, {.options = {.pieces = -1}}), 1, errc::invalid_argument, "not within 0 … 64");
    expect_told(sort_on_four(1, {.has_keys = false}), 1, errc::invalid_argument, "the keys");
    expect_told(sort_on_four(3, {.capacity = 499}), 3, errc::invalid_argument,
                "gets 500 items, but its outputs have room for 499");
    std::byte space[8];
    expect_told(sort_on_four(3, {.how = {.where = kWhere, .space = {space, sizeof space}}}), 3,
                kOnDevice ? errc::unreachable : errc::invalid_argument, "exec.space");
}
TEST(DistributedFaults, OtherCalls) {
    expect_told(told(2,
                     [](kogge::communicator& ranks, std::size_t rank) {
                         Array<Word> keys(random_items<Word>(9));
                         Array<std::uint64_t> indices(std::size_t{9});
                         if (rank == 0) distributed::radix_sort(ranks, keys.data(), 9);
                         else distributed::argsort(ranks, keys.data(), indices.data(), 9, 9);
                     }),
                1, errc::invalid_argument, "rank 1 of 2 calls distributed::argsort, rank 0 distributed::radix_sort");
}
TEST(DistributedFaults, TooLittleMemory) {
    using Wide = Bytes<64>;
    const std::size_t n = 500;
    // Enough for nothing; for the codes; for the counters; for the split.
    for (const int limit : {0, 1000, 20'000, 40'000}) {
        const auto all = told(4, [&](kogge::communicator& ranks, std::size_t rank) {
            const auto keys = random_items<Word>(n, rank);
            const auto values = random_items<Wide>(n, rank);
            Array<Word> in(keys);
            Array<Wide> beside(values);
            kogge::exec how{.where = kWhere};
            if (rank == 2) how.scratch_limit = static_cast<std::size_t>(limit);
            try {
                distributed::radix_sort_pairs(ranks, in.data(), beside.data(), n, how);
            } catch (...) {
                EXPECT_TRUE(same(in.get(), keys));
                EXPECT_TRUE(same(beside.get(), values));
                throw;
            }
        });
        expect_told(all, 2, errc::out_of_memory, "exec.scratch_limit is");
    }
}

#if KOGGE_EMULATED
/// Makes the call on `size` ranks, with each allocation failing in turn: then all ranks are told, and check(k) sees
/// that nothing has changed. Returns how many there are.
std::uint64_t fail_each_allocation(std::size_t size, const std::function<void(kogge::communicator&, std::size_t)>& call,
                                   const std::function<void(std::uint64_t)>& check) {
    std::uint64_t failed = 0;
    for (; failed < 1000; ++failed) {
        kogge::simt::emulator::fail_allocation(failed);
        std::vector<Told> all(size);
        on_ranks(size, [&](kogge::communicator& ranks, std::size_t rank) {
            try {
                call(ranks, rank);
            } catch (const kogge::rank_error& failure) {
                all[rank] = {true, failure.code(), failure.rank(), failure.what()};
            }
        });
        if (!all[0].thrown) break;
        expect_told(all, all[0].rank, errc::out_of_memory, "on rank ");
        check(failed);
    }
    kogge::simt::emulator::fail_allocation(~std::uint64_t{0});
    EXPECT_LT(failed, 1000u);
    return failed;
}

// Whichever allocation fails, on whichever rank.
TEST(DistributedFaults, EachAllocationFails) {
    const std::size_t n = 400, size = 3;
    std::vector<std::unique_ptr<Array<Word>>> keys, values;
    for (std::size_t r = 0; r < size; ++r) {
        keys.push_back(std::make_unique<Array<Word>>(random_items<Word>(n, r)));
        values.push_back(std::make_unique<Array<Word>>(random_items<Word>(n, r + 9)));
    }
    const auto sort = [&](kogge::communicator& ranks, std::size_t rank) {
        distributed::radix_sort_pairs(ranks, keys[rank]->data(), values[rank]->data(), n);
    };
    EXPECT_GT(fail_each_allocation(size, sort,
                                   [&](std::uint64_t failed) {
                                       for (std::size_t r = 0; r < size; ++r) {
                                           EXPECT_TRUE(same(keys[r]->get(), random_items<Word>(n, r))) << failed;
                                           EXPECT_TRUE(same(values[r]->get(), random_items<Word>(n, r + 9))) << failed;
                                       }
                                   }),
              3 * size);
}
// The place of the number of runs, too, is had before any rank writes one.
TEST(DistributedFaults, EachAllocationOfRunsFails) {
    const std::size_t n = 400, size = 3;
    const std::vector<Word> untouched(n, 7);
    const Array<Word> keys(std::vector<Word>(n, 1)), values(random_items<Word>(n));
    std::vector<std::unique_ptr<Array<Word>>> keys_out, sums;
    for (std::size_t r = 0; r < size; ++r) {
        keys_out.push_back(std::make_unique<Array<Word>>(untouched));
        sums.push_back(std::make_unique<Array<Word>>(untouched));
    }
    const auto check = [&](std::uint64_t failed) {
        for (std::size_t r = 0; r < size; ++r) {
            EXPECT_TRUE(same(keys_out[r]->get(), untouched)) << failed;
            EXPECT_TRUE(same(sums[r]->get(), untouched)) << failed;
        }
    };
    const auto sum = [&](kogge::communicator& ranks, std::size_t rank) {
        distributed::reduce_by_key(ranks, keys.data(), values.data(), keys_out[rank]->data(), sums[rank]->data(), n);
    };
    EXPECT_GT(fail_each_allocation(size, sum, check), size);
    for (std::size_t r = 0; r < size; ++r) {
        keys_out[r] = std::make_unique<Array<Word>>(untouched);
        sums[r] = std::make_unique<Array<Word>>(untouched);
    }
    const auto keep = [&](kogge::communicator& ranks, std::size_t rank) {
        distributed::unique(ranks, values.data(), keys_out[rank]->data(), n);
    };
    EXPECT_GT(fail_each_allocation(size, keep, check), size);
}
#endif

/// Keys of which one kind cannot be encoded.
struct Touchy {
    Word key;
};
}  // namespace
template <>
struct kogge::key_codec<Touchy> {
    using bits = std::uint32_t;
    KOGGE_HOST_DEVICE static bits encode(const Touchy& key) {
#if !KOGGE_KERNELS
        if (key.key == 13) throw std::runtime_error("thirteen");
#endif
        return key.key;
    }
};
namespace {
#if !KOGGE_KERNELS
TEST(DistributedFaults, ThrownByAFunction) {
    bool is_nested = false;
    expect_told(told(3,
                     [&](kogge::communicator& ranks, std::size_t rank) {
                         std::vector<Touchy> keys(100, Touchy{rank == 1 ? 13u : 1u});
                         try {
                             distributed::radix_sort(ranks, keys.data(), 100);
                         } catch (const kogge::rank_error& failure) {
                             try {
                                 std::rethrow_if_nested(failure);
                                 EXPECT_NE(rank, 1u);
                             } catch (const std::runtime_error& original) {
                                 is_nested = rank == 1 && std::string(original.what()) == "thirteen";
                             }
                             throw;
                         }
                     }),
                1, errc::invalid_argument, "on rank 1 of 3: thirteen");
    EXPECT_TRUE(is_nested);
}
#endif

// What was no fault of the transport's leaves the group whole.
TEST(DistributedFaults, WorksAfterwards) {
    on_ranks(3, [](kogge::communicator& ranks, std::size_t rank) {
        std::vector<Word> all = random_items<Word>(30);
        Array<Word> keys(std::vector<Word>(all.begin() + 10 * static_cast<int>(rank),
                                           all.begin() + 10 * static_cast<int>(rank) + 10));
        EXPECT_THROW(distributed::radix_sort(ranks, keys.data(), 10, {.begin_bit = static_cast<int>(rank)}),
                     kogge::rank_error);
        distributed::radix_sort(ranks, keys.data(), 10);
        std::sort(all.begin(), all.end());
        EXPECT_TRUE(same(keys.get(), parts_of(all, {10, 10, 10})[rank]));
    });
}

// ---- ranks that do not come ----------------------------------------------------------------------------

void sort_some(kogge::communicator& ranks) {
    Array<Word> keys(random_items<Word>(50));
    distributed::radix_sort(ranks, keys.data(), 50);
}

TEST(DistributedFaults, ARankThatIsLate) {
    const auto all = told(3,
                          [](kogge::communicator& ranks, std::size_t rank) {
                              sort_some(ranks);
                              if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(400));
                              EXPECT_THROW(sort_some(ranks), kogge::rank_error);
                              sort_some(ranks);  // the group stays broken
                          },
                          {.timeout = std::chrono::milliseconds(100)});
    expect_told(all, 1, errc::unreachable, "rank 1 of 3 has not answered for 100 ms");
}
TEST(DistributedFaults, ARankThatReturns) {
    std::vector<Told> all(3);
    on_ranks(3, [&](kogge::communicator& ranks, std::size_t rank) {
        sort_some(ranks);
        if (rank == 2) return;
        try {
            sort_some(ranks);
        } catch (const kogge::rank_error& failure) {
            all[rank] = {true, failure.code(), failure.rank(), failure.what()};
        }
    });
    all.pop_back();
    expect_told(all, 2, errc::unreachable, "rank 2 of 3 has left the group");
}
// What was exchanged before it returned has been: no rank is told of it too early.
TEST(DistributedFaults, RanksThatReturnAtOnce) {
    for (int round = 0; round < 200; ++round)
        on_ranks(4, [&](kogge::communicator& ranks, std::size_t rank) {
            std::uint64_t all[4];
            const std::uint64_t mine = rank + 1;
            ranks.all_gather(&mine, all, sizeof mine);
            EXPECT_EQ(all[0] + all[1] + all[2] + all[3], 10u);
            if (rank > 1) return;
            EXPECT_THROW(ranks.all_gather(&mine, all, sizeof mine), kogge::rank_error);
        });
}
TEST(DistributedFaults, ARankThatThrows) {
    try {
        kogge::run_on_threads(4, [](kogge::communicator& ranks) {
            sort_some(ranks);
            if (ranks.rank() == 3) throw std::runtime_error("its own");
            sort_some(ranks);
        });
        FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& thrown) {
        EXPECT_STREQ(thrown.what(), "its own");
    }
}
TEST(DistributedFaults, ARankThatAborts) {
    expect_told(told(3,
                     [](kogge::communicator& ranks, std::size_t rank) {
                         sort_some(ranks);
                         if (rank == 0) ranks.abort("enough");
                         sort_some(ranks);
                     }),
                0, errc::unreachable, "rank 0 of 3 has aborted: enough");
}

// ---- exchanges by themselves ---------------------------------------------------------------------------

/// Aborts instead of taking part in one of its exchanges.
class AbortsOnce : public kogge::communicator {
public:
    AbortsOnce(kogge::communicator& by, std::size_t at) : by_(by), at_(at) {}
    int rank() const override { return by_.rank(); }
    int size() const override { return by_.size(); }
    void exchange(std::span<const outgoing> to, std::span<const incoming> from, kogge::backend where,
                  kogge::stream_t stream) override {
        if (exchanges_++ == at_) by_.abort("it is the one");
        by_.exchange(to, from, where, stream);
    }
    void abort(const std::string& why) noexcept override { by_.abort(why); }
    std::size_t exchanges() const { return exchanges_; }

private:
    kogge::communicator& by_;
    std::size_t at_, exchanges_ = 0;
};

// Before each of a sort's exchanges in turn, those of pieces, too: all ranks are told, and keys are only read.
TEST(DistributedFaults, ARankThatAbortsAtAnyExchange) {
    const std::size_t n = 300;
    const auto sort = [&](kogge::communicator& ranks, std::size_t rank) {
        const auto keys = random_items<Word>(n, rank);
        const Array<Word> in(keys);
        Array<Word> out(n);
        try {
            distributed::radix_sort(ranks, in.data(), out.data(), n, n, {.pieces = 3}, {.where = kWhere});
        } catch (...) {
            EXPECT_TRUE(same(in.get(), keys));
            throw;
        }
    };
    std::size_t exchanges = 0;
    on_ranks(3, [&](kogge::communicator& ranks, std::size_t rank) {
        AbortsOnce all(ranks, ~std::size_t{0});
        sort(all, rank);
        if (rank == 1) exchanges = all.exchanges();
    });
    ASSERT_GT(exchanges, 5u);
    for (std::size_t at = 0; at < exchanges; ++at)
        expect_told(told(3,
                         [&](kogge::communicator& ranks, std::size_t rank) {
                             AbortsOnce one(ranks, rank == 1 ? at : ~std::size_t{0});
                             sort(one, rank);
                         }),
                    1, errc::unreachable, "has aborted: it is the one");
}

TEST(DistributedFaults, PiecesOfOtherSizes) {
    const auto all = told(2, [](kogge::communicator& ranks, std::size_t rank) {
        std::vector<std::byte> mine(8), theirs(16);
        ranks.all_gather(mine.data(), theirs.data(), rank == 0 ? 8 : 7);
    });
    for (const Told& one : all) {
        ASSERT_TRUE(one.thrown);
        EXPECT_EQ(one.code, errc::invalid_argument);
        EXPECT_NE(one.what.find(" bytes, not "), std::string::npos) << one.what;
    }
}
TEST(DistributedFaults, Sums) {
    for (const std::size_t ranks_in_all : {1u, 2u, 5u})
        for (const std::size_t count : {0u, 1u, 3u, 100u})
            on_ranks(ranks_in_all, [&](kogge::communicator& ranks, std::size_t rank) {
                std::vector<std::uint64_t> numbers(count), want(count, 0);
                for (std::size_t i = 0; i < count; ++i) {
                    numbers[i] = rank * 1000 + i;
                    for (std::size_t r = 0; r < ranks_in_all; ++r) want[i] += r * 1000 + i;
                }
                ranks.all_sum(numbers.data(), count);
                EXPECT_EQ(numbers, want);
            });
}
TEST(DistributedFaults, GroupsOfNone) {
    EXPECT_EQ(code_of([] { kogge::communicators_of_threads(0); }), errc::invalid_argument);
}

}  // namespace
