// kogge-test: EMULATED GPU HOST
// Reductions, scans, histograms, top-k, compaction and runs of arrays of which each rank holds a part, against the same
// of the whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "distributed/ranks.hpp"
#include "kogge/distributed/compact.hpp"
#include "kogge/distributed/histogram.hpp"
#include "kogge/distributed/reduce.hpp"
#include "kogge/distributed/runs.hpp"
#include "kogge/distributed/top_k.hpp"

namespace {

using namespace tests;
namespace distributed = kogge::distributed;
using kogge::errc;
using kogge::exec;
using Word = std::uint32_t;
using Number = std::uint64_t;

std::size_t most() { return small() || KOGGE_EMULATED ? 1'000 : 9'000; }
exec here() { return {.where = kWhere}; }

std::vector<Bicyclic> brackets(std::size_t n) {
    Random random(n);
    std::vector<Bicyclic> items(n);
    for (Bicyclic& item : items) item = random() % 2 ? Bicyclic{1, 0} : Bicyclic{0, 1};
    return items;
}

/// Calls body(ranks, rank, counts) on the ranks of each sharing.
void for_shares(std::size_t n, const std::function<void(kogge::communicator&, std::size_t, const Counts&)>& body) {
    for (const Counts& counts : shares(n)) {
        SCOPED_TRACE(text_of(counts));
        on_ranks(counts.size(), [&](kogge::communicator& ranks, std::size_t rank) { body(ranks, rank, counts); });
    }
}

// ---- reductions and scans ------------------------------------------------------------------------------

TEST(DistributedCalls, Reduce) {
    for (const std::size_t n : {std::size_t{0}, std::size_t{3}, most()}) {
        const auto numbers = random_items<Number>(n);
        const auto items = brackets(n);
        const Number sum = std::accumulate(numbers.begin(), numbers.end(), Number{0});
        const Bicyclic folded = std::accumulate(items.begin(), items.end(), Bicyclic{0, 0}, JoinBrackets{});
        for_shares(n, [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
            const Array<Number> own(parts_of(numbers, counts)[rank]);
            const Array<Bicyclic> own_items(parts_of(items, counts)[rank]);
            EXPECT_EQ(distributed::reduce(ranks, own.data(), counts[rank], here()), sum);
            EXPECT_EQ(distributed::reduce(ranks, own.data(), counts[rank], kogge::plus{}, Number{7}, here()), sum + 7);
            EXPECT_EQ(distributed::reduce(ranks, own_items.data(), counts[rank], JoinBrackets{}, here()), folded);
            EXPECT_EQ(
                distributed::reduce(ranks, own_items.data(), counts[rank], JoinBrackets{}, Bicyclic{0, 5}, here()),
                JoinBrackets{}({0, 5}, folded));
        });
    }
}
TEST(DistributedCalls, ReduceOfBytesInWiderTypes) {
    const auto bytes = random_items<std::uint8_t>(most());
    const double sum = std::accumulate(bytes.begin(), bytes.end(), 0.5);
    for_shares(bytes.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
        const Array<std::uint8_t> own(parts_of(bytes, counts)[rank]);
        EXPECT_EQ(distributed::reduce(ranks, own.data(), counts[rank], kogge::plus{}, 0.5, here()), sum);
    });
    on_ranks(2, [](kogge::communicator& ranks, std::size_t) {
        EXPECT_EQ(distributed::reduce(ranks, static_cast<const int*>(nullptr), 0, kogge::maximum{}),
                  std::numeric_limits<int>::lowest());
    });
}

TEST(DistributedCalls, Scans) {
    const auto items = brackets(most());
    const Bicyclic init{0, 3};
    std::vector<Bicyclic> inclusive(items.size()), from_init(items.size()), exclusive(items.size());
    std::inclusive_scan(items.begin(), items.end(), inclusive.begin(), JoinBrackets{});
    std::inclusive_scan(items.begin(), items.end(), from_init.begin(), JoinBrackets{}, init);
    std::exclusive_scan(items.begin(), items.end(), exclusive.begin(), init, JoinBrackets{});
    for_shares(items.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
        const std::size_t n = counts[rank];
        const Array<Bicyclic> in(parts_of(items, counts)[rank]);
        Array<Bicyclic> out(n), in_place(parts_of(items, counts)[rank]);
        distributed::inclusive_scan(ranks, in.data(), out.data(), n, JoinBrackets{}, here());
        EXPECT_TRUE(same(out.get(), parts_of(inclusive, counts)[rank]));
        distributed::inclusive_scan(ranks, in.data(), out.data(), n, JoinBrackets{}, init, here());
        EXPECT_TRUE(same(out.get(), parts_of(from_init, counts)[rank]));
        distributed::exclusive_scan(ranks, in_place.data(), in_place.data(), n, init, JoinBrackets{}, here());
        EXPECT_TRUE(same(in_place.get(), parts_of(exclusive, counts)[rank]));
    });
}
TEST(DistributedCalls, ScansOfFlagsInWiderTypes) {
    const auto flags = random_items<std::uint8_t>(most());
    std::vector<Number> want(flags.size());
    std::exclusive_scan(flags.begin(), flags.end(), want.begin(), Number{0});
    for_shares(flags.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
        const Array<std::uint8_t> in(parts_of(flags, counts)[rank]);
        Array<Number> out(counts[rank]);
        distributed::exclusive_scan(ranks, in.data(), out.data(), counts[rank], here());
        EXPECT_TRUE(same(out.get(), parts_of(want, counts)[rank]));
    });
}

// ---- histograms ----------------------------------------------------------------------------------------

struct ModuloTen {
    KOGGE_HOST_DEVICE Word operator()(Word item) const { return item % 10; }
};
TEST(DistributedCalls, Histograms) {
    const auto items = random_items<Word>(most());
    std::vector<Word> tens(10, 0);
    std::vector<Number> eighths(8, 0);
    for (const Word item : items) {
        ++tens[item % 10];
        ++eighths[item >> 29];
    }
    for_shares(items.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
        const Array<Word> in(parts_of(items, counts)[rank]);
        Array<Word> by_ten(std::size_t{10});
        Array<Number> by_eighth(std::size_t{8});
        distributed::histogram(ranks, in.data(), by_ten.data(), counts[rank], 10, ModuloTen{}, here());
        distributed::histogram(ranks, in.data(), by_eighth.data(), counts[rank], kogge::leading_bits{3}, here());
        EXPECT_TRUE(same(by_ten.get(), tens));
        EXPECT_TRUE(same(by_eighth.get(), eighths));
    });
}

// ---- top-k ---------------------------------------------------------------------------------------------

TEST(DistributedCalls, TopK) {
    for (const auto distribution : {Distribution::uniform, Distribution::values_16, Distribution::one_value}) {
        const auto keys = items_of<Word>(distribution, most());
        std::vector<Number> order(keys.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Number a, Number b) { return keys[a] > keys[b]; });
        for (const std::size_t k : {std::size_t{1}, std::size_t{40}, most() / 2, most()}) {
            const std::vector<Number> indices(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
            std::vector<Word> first;
            for (const Number i : indices) first.push_back(keys[i]);
            for_shares(keys.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
                std::vector<Number> positions(counts[rank]);
                std::iota(positions.begin(), positions.end(),
                          std::accumulate(counts.begin(), counts.begin() + static_cast<int>(rank), Number{0}));
                const Array<Word> in(parts_of(keys, counts)[rank]);
                const Array<Number> values(positions);
                Array<Word> out(k), with_values(k), with_indices(k);
                Array<Number> values_out(k), found(k);
                distributed::top_k(ranks, in.data(), out.data(), counts[rank], k, here());
                EXPECT_TRUE(same(out.get(), first));
                distributed::top_k_pairs(ranks, in.data(), with_values.data(), values.data(), values_out.data(),
                                         counts[rank], k, here());
                EXPECT_TRUE(same(with_values.get(), first));
                EXPECT_TRUE(same(values_out.get(), indices));
                distributed::arg_top_k(ranks, in.data(), with_indices.data(), found.data(), counts[rank], k, here());
                EXPECT_TRUE(same(with_indices.get(), first));
                EXPECT_TRUE(same(found.get(), indices));
            });
        }
    }
}
// Values are integers of any size, of which only some could be indices.
TEST(DistributedCalls, TopKWithBytes) {
    const auto keys = random_items<Word>(most());
    const auto bytes = random_items<std::uint8_t>(most(), 3);
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] > keys[b]; });
    std::vector<Word> first;
    std::vector<std::uint8_t> first_bytes;
    for (std::size_t i = 0; i < 40; ++i) {
        first.push_back(keys[order[i]]);
        first_bytes.push_back(bytes[order[i]]);
    }
    for_shares(keys.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
        const Array<Word> in(parts_of(keys, counts)[rank]);
        const Array<std::uint8_t> values(parts_of(bytes, counts)[rank]);
        Array<Word> out(first.size());
        Array<std::uint8_t> values_out(first.size());
        distributed::top_k_pairs(ranks, in.data(), out.data(), values.data(), values_out.data(), counts[rank],
                                 first.size(), here());
        EXPECT_TRUE(same(out.get(), first));
        EXPECT_TRUE(same(values_out.get(), first_bytes));
    });
}
TEST(DistributedCalls, TopKOfTooFew) {
    expect_told(told(3,
                     [](kogge::communicator& ranks, std::size_t rank) {
                         const Array<Word> in(random_items<Word>(rank));
                         Array<Word> out(std::size_t{4});
                         distributed::top_k(ranks, in.data(), out.data(), rank, 4, here());
                     }),
                0, errc::invalid_argument, "k is 4, but there are 3 keys");
    expect_told(told(3,
                     [](kogge::communicator& ranks, std::size_t rank) {
                         const Array<Word> in(random_items<Word>(9));
                         Array<Word> out(std::size_t{4});
                         distributed::top_k(ranks, in.data(), out.data(), 9, rank == 2 ? 3 : 4, here());
                     }),
                2, errc::invalid_argument, "gives k = 3, rank 0 4");
}

// ---- compaction ----------------------------------------------------------------------------------------

struct IsBelow {
    Word bound;
    KOGGE_HOST_DEVICE bool operator()(Word item) const { return item < bound; }
};
TEST(DistributedCalls, CompactAndRebalance) {
    const auto items = random_items<Word>(most());
    for (const Word bound : {0u, 1u << 26, 1u << 31, ~0u}) {
        std::vector<Word> kept;
        std::copy_if(items.begin(), items.end(), std::back_inserter(kept), IsBelow{bound});
        for_shares(items.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
            Counts sizes(counts.size(), kept.size() / counts.size());
            for (std::size_t r = 0; r < kept.size() % counts.size(); ++r) ++sizes[r];
            const auto want = parts_of(kept, sizes)[rank];
            const Array<Word> in(parts_of(items, counts)[rank]);
            Array<Word> out(want.size());
            EXPECT_EQ(
                distributed::compact(ranks, in.data(), out.data(), want.size(), counts[rank], IsBelow{bound}, here()),
                want.size());
            EXPECT_TRUE(same(out.get(), want));
        });
    }
    for_shares(items.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
        Counts sizes(counts.size(), items.size() / counts.size());
        for (std::size_t r = 0; r < items.size() % counts.size(); ++r) ++sizes[r];
        const Array<Word> in(parts_of(items, counts)[rank]);
        Array<Word> out(sizes[rank]);
        EXPECT_EQ(distributed::rebalance(ranks, in.data(), out.data(), sizes[rank], counts[rank], here()), sizes[rank]);
        EXPECT_TRUE(same(out.get(), parts_of(items, sizes)[rank]));
    });
}
TEST(DistributedCalls, RoomOfOneRank) {
    const auto all = told(2, [](kogge::communicator& ranks, std::size_t rank) {
        const Array<Word> in(random_items<Word>(10));
        Array<Word> out(std::size_t{10});
        const auto before = out.get();
        try {
            distributed::rebalance(ranks, in.data(), out.data(), rank == 1 ? 9 : 10, 10, here());
        } catch (...) {
            EXPECT_TRUE(same(out.get(), before));
            throw;
        }
    });
    expect_told(all, 1, errc::invalid_argument, "gets 10 items, but its outputs have room for 9");
}

// ---- runs ----------------------------------------------------------------------------------------------

/// Runs of random lengths, some of which reach over whole ranks.
std::vector<Word> runs_of(std::size_t n, std::size_t longest) {
    Random random(longest);
    std::vector<Word> keys;
    for (Word key = 0; keys.size() < n; ++key)
        keys.insert(keys.end(), std::min<std::size_t>(n - keys.size(), 1 + random() % longest), key % 7);
    return keys;
}
TEST(DistributedCalls, Runs) {
    for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, most()}) {
        const auto keys = runs_of(most(), longest);
        const auto values = random_items<Number>(keys.size());
        // What begins on each rank, by index.
        std::vector<std::size_t> heads;
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (i == 0 || keys[i] != keys[i - 1]) heads.push_back(i);
        for_shares(keys.size(), [&](kogge::communicator& ranks, std::size_t rank, const Counts& counts) {
            const std::size_t n = counts[rank];
            const auto begin = std::accumulate(counts.begin(), counts.begin() + static_cast<int>(rank), std::size_t{0});
            std::vector<Word> want;
            std::vector<Number> want_sums;
            for (std::size_t h = 0; h < heads.size(); ++h) {
                if (heads[h] < begin || heads[h] >= begin + n) continue;
                want.push_back(keys[heads[h]]);
                const std::size_t end = h + 1 < heads.size() ? heads[h + 1] : keys.size();
                want_sums.push_back(std::accumulate(values.begin() + static_cast<int>(heads[h]),
                                                    values.begin() + static_cast<int>(end), Number{0}));
            }
            const Array<Word> in(parts_of(keys, counts)[rank]);
            const Array<Number> values_in(parts_of(values, counts)[rank]);
            Array<Word> out(n), keys_out(n);
            Array<Number> sums(n);
            const auto front = [](const auto& array, std::size_t count) {
                auto items = array.get();
                items.resize(count);
                return items;
            };
            ASSERT_EQ(distributed::unique(ranks, in.data(), out.data(), n, here()), want.size());
            EXPECT_TRUE(same(front(out, want.size()), want));
            ASSERT_EQ(
                distributed::reduce_by_key(ranks, in.data(), values_in.data(), keys_out.data(), sums.data(), n, here()),
                want.size());
            EXPECT_TRUE(same(front(keys_out, want.size()), want));
            EXPECT_TRUE(same(front(sums, want.size()), want_sums));
        });
    }
}

/// Item i is ⌊i / 10⌋.
struct Tens {
    KOGGE_HOST_DEVICE Word operator[](Number i) const { return static_cast<Word>(i / 10); }
};
TEST(DistributedCalls, RunsOfWhatIsNoArray) {
    on_ranks(2, [](kogge::communicator& ranks, std::size_t rank) {
        Array<Word> out(std::size_t{95});
        // Each rank has 0 … 9, the last of them half: none begins within a run.
        ASSERT_EQ(distributed::unique(ranks, Tens{}, out.data(), 95, here()), 10u);
        EXPECT_EQ(out.get()[9], 9u) << rank;
        EXPECT_EQ(distributed::reduce(ranks, Tens{}, 95, here()), 2 * (10 * 36u + 5 * 9u));
    });
}

// ---- faults --------------------------------------------------------------------------------------------

#if !KOGGE_KERNELS
struct ThrowsAtThirteen {
    Word operator()(Word a, Word b) const {
        if (a == 13 || b == 13) throw std::runtime_error("thirteen");
        return a + b;
    }
};
TEST(DistributedCalls, WhatAFunctionThrows) {
    const auto call_with = [](std::size_t thrower, const auto& call) {
        return told(3, [&](kogge::communicator& ranks, std::size_t rank) {
            std::vector<Word> items(20, 1), out(20), sums(20);
            if (rank == thrower) items[10] = 13;
            call(ranks, items, out, sums);
        });
    };
    using Items = std::vector<Word>;
    expect_told(call_with(1, [](auto& ranks, Items& in, Items&,
                                Items&) { distributed::reduce(ranks, in.data(), in.size(), ThrowsAtThirteen{}); }),
                1, errc::invalid_argument, "on rank 1 of 3: thirteen");
    expect_told(call_with(2,
                          [](auto& ranks, Items& in, Items& out, Items&) {
                              distributed::inclusive_scan(ranks, in.data(), out.data(), in.size(), ThrowsAtThirteen{});
                          }),
                2, errc::invalid_argument, "on rank 2 of 3: thirteen");
    expect_told(call_with(0,
                          [](auto& ranks, Items& in, Items& out, Items&) {
                              distributed::compact(ranks, in.data(), out.data(), 20, in.size(), [](Word item) {
                                  return item == 13 ? throw std::runtime_error("thirteen") : true;
                              });
                          }),
                0, errc::invalid_argument, "on rank 0 of 3: thirteen");
    expect_told(call_with(2,
                          [](auto& ranks, Items& in, Items& out, Items& sums) {
                              distributed::reduce_by_key(
                                  ranks, in.data(), in.data(), out.data(), sums.data(), in.size(), kogge::plus{},
                                  [](Word a, Word b) {
                                      return a == 13 || b == 13 ? throw std::runtime_error("thirteen") : a == b;
                                  });
                          }),
                2, errc::invalid_argument, "on rank 2 of 3: thirteen");
}
// Where the ranks' parts are joined, all ranks call the same; the group is whole afterwards.
TEST(DistributedCalls, WhatAFunctionThrowsOnAllRanks) {
    on_ranks(3, [](kogge::communicator& ranks, std::size_t rank) {
        const std::vector<Word> one{rank == 1 ? 13u : 1u};
        EXPECT_THROW(distributed::reduce(ranks, one.data(), 1, ThrowsAtThirteen{}), std::runtime_error);
        std::vector<Word> out(1);
        EXPECT_THROW(distributed::inclusive_scan(ranks, one.data(), out.data(), 1, ThrowsAtThirteen{}),
                     kogge::rank_error);
        EXPECT_EQ(distributed::reduce(ranks, one.data(), 1), 15u);
    });
}
#endif
TEST(DistributedCalls, MemoryOfOneRank) {
    const auto with_limit = [](const auto& call) {
        return told(3, [&](kogge::communicator& ranks, std::size_t rank) {
            const Array<Word> in(random_items<Word>(300));
            Array<Word> out(std::size_t{300});
            exec how = here();
            if (rank == 1) how.scratch_limit = 1;
            const auto before = out.get();
            try {
                call(ranks, in.data(), out.data(), how);
            } catch (...) {
                EXPECT_TRUE(same(out.get(), before));
                throw;
            }
        });
    };
    const std::string text = "on rank 1 of 3: ";
    expect_told(with_limit([](auto& ranks, const Word* in, Word* out, const exec& how) {
                    distributed::inclusive_scan(ranks, in, out, 300, how);
                }),
                1, errc::out_of_memory, text);
    expect_told(with_limit([](auto& ranks, const Word* in, Word* out, const exec& how) {
                    distributed::histogram(ranks, in, out, 300, 10, ModuloTen{}, how);
                }),
                1, errc::out_of_memory, text);
    expect_told(with_limit([](auto& ranks, const Word* in, Word* out, const exec& how) {
                    distributed::top_k(ranks, in, out, 300, 10, how);
                }),
                1, errc::out_of_memory, text);
    expect_told(with_limit([](auto& ranks, const Word* in, Word* out, const exec& how) {
                    distributed::compact(ranks, in, out, 300, 300, IsBelow{9}, how);
                }),
                1, errc::out_of_memory, text);
}

}  // namespace
