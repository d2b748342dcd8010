// kogge-test: EMULATED GPU
// Ranks by atomics that are kept only if the lanes were served in order: no wrong order may go unseen, and a right one
// is taken for wrong only where many lanes share a digit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kogge/digit/warp_rank_atomic.cuh"
#include "kogge/simt/runtime.hpp"
#include "support/backend.hpp"

using namespace kogge;
using namespace kogge::grid;

namespace {

constexpr int kLanes = 32;

// ---- the arithmetic ------------------------------------------------------------------------------------

struct Row {
    std::vector<std::uint32_t> digits;  ///< of the lanes
    std::vector<int> order;             ///< lanes as they are served
};

/// Whether some lane sees disorder when counters of any contents serve the row.
bool is_seen(const Row& row, std::uint32_t contents) {
    std::vector<std::uint32_t> counters(kBins, contents), before(kLanes);
    for (int lane = 0; lane < kLanes; ++lane) before[lane] = counters[row.digits[lane]];
    bool seen = false;
    for (const int lane : row.order) {
        Witness witness(lane);
        std::uint32_t& counter = counters[row.digits[lane]];
        witness.rank(before[lane], counter);
        counter += witness.added;
        seen = seen || witness.disorder;
    }
    return seen;
}
bool is_in_order(const Row& row) {
    for (std::size_t later = 0; later < row.order.size(); ++later)
        for (std::size_t earlier = 0; earlier < later; ++earlier)
            if (row.order[earlier] > row.order[later] && row.digits[row.order[earlier]] == row.digits[row.order[later]])
                return false;
    return true;
}
int most_alike(const Row& row) {
    std::vector<int> lanes(kBins);
    for (const std::uint32_t digit : row.digits) ++lanes[digit];
    return *std::max_element(lanes.begin(), lanes.end());
}

TEST(Witness, SeesEveryExchangeOfTwoLanes) {
    for (int first = 0; first < kLanes; ++first)
        for (int second = first + 1; second < kLanes; ++second)
            for (const std::uint32_t others : {5u, 7u}) {  // of digits of their own, or all of the same one
                Row row{std::vector<std::uint32_t>(kLanes), std::vector<int>(kLanes)};
                std::iota(row.order.begin(), row.order.end(), 0);
                for (int lane = 0; lane < kLanes; ++lane)
                    row.digits[lane] = others == 7 ? 7 : 100 + static_cast<std::uint32_t>(lane);
                row.digits[first] = row.digits[second] = 7;
                if (others != 7) {
                    EXPECT_FALSE(is_seen(row, 0)) << first << " " << second;
                }
                std::swap(row.order[first], row.order[second]);
                for (const std::uint32_t contents : {0u, 1000u, ~0u - 5, ~0u << Witness::kCountBits})
                    EXPECT_TRUE(is_seen(row, contents)) << first << " " << second << " " << contents;
            }
}

TEST(Witness, SeesDisorderAndNothingElse) {
    std::mt19937 random(5);
    std::uint64_t wrong = 0, right = 0;
    for (int round = 0; round < 40000; ++round) {
        const std::uint32_t digits = 1u << random() % 9;
        Row row{std::vector<std::uint32_t>(kLanes), std::vector<int>(kLanes)};
        for (std::uint32_t& digit : row.digits) digit = static_cast<std::uint32_t>(random()) % digits;
        std::iota(row.order.begin(), row.order.end(), 0);
        if (round % 3 == 0) std::shuffle(row.order.begin(), row.order.end(), random);
        else if (round % 3 == 1) std::swap(row.order[random() % kLanes], row.order[random() % kLanes]);
        const bool seen = is_seen(row, static_cast<std::uint32_t>(random()));
        if (!is_in_order(row)) {
            ++wrong;
            EXPECT_TRUE(seen) << round;
        } else if (most_alike(row) <= 6) {
            ++right;
            EXPECT_FALSE(seen) << round;
        }
    }
    EXPECT_GT(wrong, 5000u);
    EXPECT_GT(right, 5000u);
}

// ---- a warp --------------------------------------------------------------------------------------------

constexpr int kRows = 32;
constexpr std::size_t kItems = kRows * kLanes;

/// ranks[i], the row's counters, and whether ranks were kept.
KOGGE_KERNEL void witness_kernel(const std::uint32_t* digits, std::uint32_t* out) {
    simt::wait_for_stream();
    auto& row = simt::shared_memory<std::uint32_t[kBins]>();
    const int lane = simt::lane();
    clear_row(row);
    simt::sync_warp();
    const auto place = [=](int i) { return i * kLanes + lane; };
    const bool kept = rank_by_atomics<kRows>(
        Witness(lane), row, [&](int i) { return digits[place(i)]; },
        [&](int i, std::uint32_t rank) { out[place(i)] = rank; });
    if (!kept && row[(lane + 1) % kLanes] != 0) out[kItems + kBins] = 2;  // others' counters are zero at once
    simt::sync_warp();
    for (int bin = lane; bin < kBins; bin += kLanes) out[kItems + static_cast<std::size_t>(bin)] = row[bin];
    if (kept && lane == 0) out[kItems + kBins] = 1;
}
std::vector<std::uint32_t> rank_by_warp(const std::vector<std::uint32_t>& digits) {
    std::vector<std::uint32_t> result(kItems + kBins + 1);
    auto* in = static_cast<std::uint32_t*>(simt::allocate(digits.size() * 4, nullptr));
    auto* out = static_cast<std::uint32_t*>(simt::allocate(result.size() * 4, nullptr));
    simt::copy(in, digits.data(), digits.size() * 4, nullptr);
    simt::fill(out, 0, result.size() * 4, nullptr);
    simt::launch(witness_kernel, {.blocks = 1, .threads = kLanes, .shared_bytes = kBins * 4, .name = "witness"}, in,
                 out);
    simt::copy(result.data(), out, result.size() * 4, nullptr);
    simt::deallocate(in, nullptr);
    simt::deallocate(out, nullptr);
    simt::synchronize(nullptr);
    return result;
}

TEST(WitnessWarp, KeepsStableRanksOrNone) {
    std::mt19937 random(6);
    int kept = 0, given_up = 0;
    for (int round = 0; round < 120; ++round) {
        const int kind = round % 6;
        const bool apart = kind % 2 == 1 || kind == 4;  // lanes of a row do not meet, but for those of a crowd
        std::vector<std::uint32_t> digits(kItems);
        for (std::uint32_t i = 0; i < kItems; ++i) {
            const std::uint32_t row = i / kLanes, lane = i % kLanes;
            const bool crowded = i < kLanes / 2 || random() % 3 == 0;
            digits[i] = kind == 4 ? (lane + 5 * row) % kLanes * 7  // each row has those of the row before
                        : apart   ? (i * 37 + row) % kBins
                                  : static_cast<std::uint32_t>(random()) % kBins;
            if (kind == 5 || (crowded && (kind == 2 || kind == 3))) digits[i] = 99;
        }
        const auto got = rank_by_warp(digits);
        EXPECT_NE(got[kItems + kBins], 2u) << round;
        const bool is_kept = got[kItems + kBins] == 1;
        std::vector<std::uint32_t> want, counts(kBins, 0);
        for (const std::uint32_t digit : digits) want.push_back(counts[digit]++);
        if (!is_kept) std::fill(counts.begin(), counts.end(), 0);
        if (is_kept) {
            EXPECT_EQ(std::vector(got.begin(), got.begin() + kItems), want) << round;
        }
        EXPECT_EQ(std::vector(got.begin() + kItems, got.end() - 1), counts) << round;
        if (apart) {
            EXPECT_TRUE(is_kept) << round;
        }
        ++(is_kept ? kept : given_up);
    }
    EXPECT_GE(kept, 80);
    if (KOGGE_EMULATED) {
        EXPECT_GE(given_up, 30) << "the emulator serves lanes in any order";
    }
}

}  // namespace
