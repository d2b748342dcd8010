// kogge-test: EMULATED GPU HOST
// Calls by key whose keys stand in several arrays: they are equal where all of them are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
using kogge::errc;
constexpr std::size_t kItems = 12'289;
const kogge::exec kHow{.where = kWhere};

/// Three arrays of keys, of which sometimes one, and sometimes several, change from an item to the next; and values.
struct Table {
    std::vector<std::uint8_t> a;
    std::vector<std::int32_t> b;
    std::vector<std::uint64_t> c;
    std::vector<std::uint32_t> values = random_items<std::uint32_t>(kItems, 2);
    std::vector<std::size_t> heads;  ///< where runs begin

    Table() {
        Random random(1);
        std::uint64_t x = 0, y = 0, z = 0;
        for (std::size_t i = 0; i < kItems; ++i) {
            const std::uint64_t change = random() % 20;
            x += change == 0 || change == 1;
            y += change == 1 || change == 2;
            z += change == 3 ? std::uint64_t{1} << 40 : 0;  // not seen in the lower half
            a.push_back(static_cast<std::uint8_t>(x));
            b.push_back(static_cast<std::int32_t>(y));
            c.push_back(z);
            if (i == 0 || change <= 3) heads.push_back(i);
        }
    }
    template <class T>
    std::vector<T> at_heads(const std::vector<T>& items) const {
        std::vector<T> first;
        for (const std::size_t head : heads) first.push_back(items[head]);
        return first;
    }
    /// Sums from the beginning of each run, or from its end.
    std::vector<std::uint32_t> scanned(bool from_the_end, bool inclusive) const {
        std::vector<std::uint32_t> sums(kItems);
        for (std::size_t run = 0; run < heads.size(); ++run) {
            const std::size_t begin = heads[run], end = run + 1 < heads.size() ? heads[run + 1] : kItems;
            std::uint32_t sum = 0;
            for (std::size_t k = 0; k < end - begin; ++k) {
                const std::size_t i = from_the_end ? end - 1 - k : begin + k;
                if (inclusive) sum += values[i];
                sums[i] = sum;
                if (!inclusive) sum += values[i];
            }
        }
        return sums;
    }
    std::vector<std::uint32_t> sums() const {
        std::vector<std::uint32_t> last;
        const auto all = scanned(false, true);
        for (std::size_t run = 1; run <= heads.size(); ++run)
            last.push_back(all[run < heads.size() ? heads[run] - 1 : kItems - 1]);
        return last;
    }
};

class KeyArrays : public ::testing::Test {
protected:
    Table table;
    std::size_t runs = table.heads.size();
    Array<std::uint8_t> a{table.a}, a_out{kItems};
    Array<std::int32_t> b{table.b};
    Array<std::int64_t> b_out{kItems};  // wider
    Array<std::uint64_t> c{table.c}, c_out{kItems}, number{1};
    Array<std::uint32_t> values{table.values}, out{kItems};

    auto keys() { return kogge::arrays(a.data(), b.data(), c.data()); }
    auto keys_out() { return kogge::arrays(a_out.data(), b_out.data(), c_out.data()); }
    void expect_keys() const {
        EXPECT_TRUE(same(front(a_out, runs), table.at_heads(table.a)));
        const auto wide = table.at_heads(table.b);
        EXPECT_TRUE(same(front(b_out, runs), std::vector<std::int64_t>(wide.begin(), wide.end())));
        EXPECT_TRUE(same(front(c_out, runs), table.at_heads(table.c)));
    }
};

TEST_F(KeyArrays, ReduceByKey) {
    EXPECT_EQ(kogge::reduce_by_key(keys(), values.data(), keys_out(), out.data(), kItems, kHow), runs);
    expect_keys();
    EXPECT_TRUE(same(front(out, runs), table.sums()));
    kogge::reduce_by_key(keys(), values.data(), kogge::discard{}, out.data(), number.data(), kItems, kogge::maximum{});
    EXPECT_EQ(number.get()[0], runs);
    auto most = table.at_heads(table.values);
    for (std::size_t run = 0; run < runs; ++run)
        for (std::size_t i = table.heads[run]; i < (run + 1 < runs ? table.heads[run + 1] : kItems); ++i)
            most[run] = std::max(most[run], table.values[i]);
    EXPECT_TRUE(same(front(out, runs), most));
    EXPECT_EQ(kogge::reduce_by_key(keys(), values.data(), keys_out(), out.data(), 0, kHow), 0u);
}

TEST_F(KeyArrays, UniqueByKey) {
    EXPECT_EQ(kogge::unique_by_key(keys(), values.data(), keys_out(), out.data(), kItems, kHow), runs);
    expect_keys();
    EXPECT_TRUE(same(front(out, runs), table.at_heads(table.values)));
    // No array but the keys.
    Array<std::uint64_t> heads(kItems);
    kogge::unique_by_key(keys(), kogge::positions{}, kogge::discard{}, heads.data(), number.data(), kItems);
    EXPECT_EQ(number.get()[0], runs);
    EXPECT_TRUE(same(front(heads, runs), std::vector<std::uint64_t>(table.heads.begin(), table.heads.end())));
}

TEST_F(KeyArrays, Scans) {
    kogge::inclusive_scan_by_key(keys(), values.data(), out.data(), kItems, kHow);
    EXPECT_TRUE(same(out.get(), table.scanned(false, true)));
    kogge::exclusive_scan_by_key(keys(), values.data(), out.data(), kItems, 0u);
    EXPECT_TRUE(same(out.get(), table.scanned(false, false)));
    kogge::reverse_exclusive_scan_by_key(keys(), values.data(), out.data(), kItems, 0u);
    EXPECT_TRUE(same(out.get(), table.scanned(true, false)));
    kogge::reverse_inclusive_scan_by_key(keys(), values.data(), values.data(), kItems);
    EXPECT_TRUE(same(values.get(), table.scanned(true, true)));
}

// Also of other keys: from 0 where no initial value is given.
TEST_F(KeyArrays, ExclusiveScansBeginAtZero) {
    kogge::exclusive_scan_by_key(keys(), values.data(), out.data(), kItems);
    EXPECT_TRUE(same(out.get(), table.scanned(false, false)));
    kogge::reverse_exclusive_scan_by_key(keys(), values.data(), out.data(), kItems, kHow);
    EXPECT_TRUE(same(out.get(), table.scanned(true, false)));
}

TEST_F(KeyArrays, AreCheckedAsOtherArrays) {
    const auto code = [&](const auto& from, const auto& to) {
        return code_of([&] { kogge::reduce_by_key(from, values.data(), to, out.data(), kItems, kHow); });
    };
    EXPECT_EQ(code(keys(), kogge::arrays(a_out.data(), b.data(), c_out.data())), errc::overlap);
    EXPECT_EQ(code(kogge::arrays(a.data(), static_cast<int*>(nullptr)), kogge::discard{}), errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::unique_by_key(keys(), values.data(), keys(), out.data(), kItems, kHow); }),
              errc::overlap);
    EXPECT_EQ(code_of([&] {
                  kogge::inclusive_scan_by_key(kogge::arrays(a.data(), out.data()), values.data(), out.data(), kItems,
                                               kHow);
              }),
              errc::overlap);
    EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(kItems, Array<std::uint32_t>::poison())));
}

}  // namespace
