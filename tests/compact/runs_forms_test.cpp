// kogge-test: EMULATED GPU HOST
// Runs in place, of keys and values that stand in no array, and into outputs of other types or none.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kogge/runs.hpp"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
const kogge::exec kHow{.where = kWhere};

/// Keys in runs of `mean` at most twice; 1: no two neighbours are equal.
std::vector<std::uint32_t> keys_in_runs(std::size_t n, std::size_t mean) {
    Random random(n + mean);
    std::vector<std::uint32_t> keys;
    for (std::uint32_t run = 0; keys.size() < n; ++run)
        keys.resize(std::min(n, keys.size() + 1 + random() % (2 * mean - 1)), run * 7);
    return keys;
}
/// Keys made from positions.
struct Doubled {
    const std::uint32_t* of;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return std::uint64_t{2} * of[i]; }
};
template <class T>
::testing::AssertionResult begins_with(const Array<T>& array, const std::vector<T>& want) {
    std::vector<T> all = array.get();
    all.resize(want.size());
    return same(all, want);
}

void check(std::size_t n, std::size_t mean) {
    SCOPED_TRACE(std::to_string(n) + " items in runs of " + std::to_string(mean));
    const auto keys = keys_in_runs(n, mean);
    std::vector<std::uint32_t> firsts, lengths;
    std::vector<std::uint64_t> heads, doubled;
    std::vector<std::uint64_t> values(n);
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = 3 * i;
        if (i == 0 || keys[i - 1] != keys[i]) {
            firsts.push_back(keys[i]);
            doubled.push_back(2 * std::uint64_t{keys[i]});
            heads.push_back(3 * i);
            lengths.push_back(0);
        }
        ++lengths.back();
    }
    const std::uint64_t runs = firsts.size();
    std::vector<std::uint64_t> starts;
    for (const std::uint64_t head : heads) starts.push_back(head / 3);

    const Array<std::uint32_t> in(keys, 1);
    const Array<std::uint64_t> beside(values);
    Array<std::uint64_t> wide(n), count(1), values_out(n);
    Array<std::uint32_t> narrow(n), sizes(n);
    {
        Array<std::uint32_t> items(keys, n % 2);
        EXPECT_EQ(kogge::unique(items.data(), items.data(), n, kHow), runs);
        EXPECT_TRUE(begins_with(items, firsts)) << "unique in place";
    }
    for (const bool keys_stay : {false, true})
        for (const bool values_stay : {false, true}) {
            Array<std::uint32_t> own_keys(keys), keys_out(n);
            Array<std::uint64_t> own_values(values), values_to(n);
            auto& to = keys_stay ? own_keys : keys_out;
            auto& values_at = values_stay ? own_values : values_to;
            kogge::unique_by_key(own_keys.data(), own_values.data(), to.data(), values_at.data(), count.data(), n,
                                 kogge::equal_to{}, kHow);
            EXPECT_EQ(count.get()[0], runs);
            EXPECT_TRUE(begins_with(to, firsts)) << keys_stay << values_stay;
            EXPECT_TRUE(begins_with(values_at, heads)) << keys_stay << values_stay;
        }
    EXPECT_EQ(kogge::unique(in.data(), wide.data(), n, kHow), runs);
    EXPECT_TRUE(begins_with(wide, {firsts.begin(), firsts.end()})) << "to a wider type";
    EXPECT_EQ(kogge::unique(Doubled{in.data()}, wide.data(), n, kHow), runs);
    EXPECT_TRUE(begins_with(wide, doubled)) << "of no array";
    EXPECT_EQ(kogge::unique_by_key(in.data(), kogge::positions{}, kogge::discard{}, values_out.data(), n, kHow), runs);
    EXPECT_TRUE(begins_with(values_out, starts)) << "positions of the heads alone";
    EXPECT_EQ(kogge::unique_by_key(Doubled{in.data()}, beside.data(), wide.data(), values_out.data(), n, kHow), runs);
    EXPECT_TRUE(begins_with(wide, doubled)) << "by keys of no array";
    EXPECT_TRUE(begins_with(values_out, heads)) << "by keys of no array";
    EXPECT_EQ(kogge::run_length_encode(Doubled{in.data()}, narrow.data(), sizes.data(), n, kHow), runs);
    EXPECT_TRUE(begins_with(narrow, {doubled.begin(), doubled.end()})) << "encoded, to a narrower type";
    EXPECT_TRUE(begins_with(sizes, lengths));
    EXPECT_EQ(kogge::run_length_encode(in.data(), kogge::discard{}, sizes.data(), n, kHow), runs);
    EXPECT_TRUE(begins_with(sizes, lengths)) << "lengths alone";
}

TEST(RunsForms, OnEveryWay) {
    for (const std::size_t n : {0, 1, 33, 2049, 20481})
        for (const std::size_t mean : {1, 2, 300}) check(n, mean);
    const Pretending device(1);
    for (const std::size_t mean : {1, 3, 5000}) check(140'001, mean);
#if KOGGE_EMULATED
    const auto plan = [] {
        return kogge::plan_runs(140'001, {8, kogge::runs_output::values}, kogge::simt::current_properties());
    };
    EXPECT_TRUE(is_pipelined(plan()));
    kogge::device_properties older = kogge::simt::current_properties();
    older.compute_major = 8;
    pretend(older);  // `device` puts back what was
    EXPECT_TRUE(plan().is<kogge::runs_intervals>());
    for (const std::size_t mean : {1, 3}) check(140'001, mean);
#endif
}

// Nearly every key is kept, so that each tile's first keys go where another block has read before.
TEST(RunsForms, InPlaceOntoTheTileBefore) {
    const Pretending device(2);
    std::vector<std::uint32_t> keys(140'001), want;
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i < 999 ? 7 : static_cast<std::uint32_t>(i);
    want.push_back(7);
    want.insert(want.end(), keys.begin() + 999, keys.end());
    for (int round = 0; round < 4; ++round) {  // not in every order of the threads would a missing fence be noticed
        Array<std::uint32_t> items(keys);
        ASSERT_EQ(kogge::unique(items.data(), items.data(), keys.size(), kHow), want.size());
        EXPECT_TRUE(begins_with(items, want));
    }
}

TEST(RunsFormsErrors, AreFoundBeforeAnythingChanges) {
    const auto keys = keys_in_runs(1000, 3);
    Array<std::uint32_t> in(keys), values(keys), out(1000);
    Array<std::uint64_t> wide(1000);
    const auto refuses = [&](const std::function<void()>& call) { EXPECT_EQ(code_of(call), kogge::errc::overlap); };
    refuses([&] { kogge::unique(in.data(), in.data() + 1, 9, kHow); });
    refuses([&] { kogge::unique(reinterpret_cast<std::uint32_t*>(wide.data()), wide.data(), 9, kHow); });
    refuses([&] { kogge::unique_by_key(in.data(), values.data(), values.data(), out.data(), 9, kHow); });
    refuses([&] { kogge::unique_by_key(in.data(), values.data(), in.data() + 1, values.data(), 9, kHow); });
    refuses([&] { kogge::unique_by_key(in.data(), kogge::positions{}, in.data(), out.data(), 9, kHow); });
    refuses([&] { kogge::run_length_encode(in.data(), in.data(), out.data(), 9, kHow); });
    EXPECT_TRUE(same(in.get(), keys));
    EXPECT_TRUE(same(values.get(), keys));
}

}  // namespace
