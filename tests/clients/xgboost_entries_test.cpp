// kogge-test: GPU HOST
// XGBoost's entries, which it makes from positions: those that are there, by a stencil, in one call however many there
// are; the unique ones of each column, whose number is counted where their keys would go; and a page of rows, whose
// entries a scan writes to their places in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>
#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 12'289;
constexpr std::uint32_t kColumns = 7;

struct Entry {
    std::uint32_t column;
    float value;
};
/// Entry i of a dense matrix.
struct Entries {
    const float* values;
    KOGGE_HOST_DEVICE Entry operator[](std::uint64_t i) const {
        return {static_cast<std::uint32_t>(i % kColumns), values[i]};
    }
};
struct IsPresent {
    KOGGE_HOST_DEVICE bool operator()(float value) const { return value >= 0; }
};

std::vector<float> matrix() {
    std::vector<float> values(kItems);
    Random random(1);
    for (float& value : values) value = static_cast<float>(random() % 100) - 30;
    return values;
}

TEST(XGBoost, CopiesEntriesThatAreThere) {
    const auto all = matrix();
    std::vector<Entry> want;
    for (std::size_t i = 0; i < kItems; ++i)
        if (all[i] >= 0) want.push_back({static_cast<std::uint32_t>(i % kColumns), all[i]});
    const Array<float> values(all);
    Array<Entry> out(kItems);
    const std::uint64_t kept =
        kogge::compact_stencil(Entries{values.data()}, values.data(), out.data(), kItems, IsPresent{});
    ASSERT_EQ(kept, want.size());
    EXPECT_TRUE(same(front(out, kept), want));
}

/// The column of a position, by where columns begin, and its value: equal only within a column.
struct ColumnsOfValues {
    const std::uint64_t* starts;
    const float* values;
    KOGGE_HOST_DEVICE Entry operator[](std::uint64_t i) const {
        std::uint32_t column = 0;
        while (starts[column + 1] <= i) ++column;
        return {column, values[i]};
    }
};
struct AreEqual {
    KOGGE_HOST_DEVICE bool operator()(const Entry& a, const Entry& b) const {
        return a.column == b.column && a.value == b.value;
    }
};
/// Keeps no key, but counts it.
struct CountedByColumn {
    struct Place {
        std::uint32_t* counts;
        KOGGE_HOST_DEVICE const Place& operator=(const Entry& key) const {
#if defined(__CUDA_ARCH__)
            atomicAdd(counts + key.column, 1u);
#else
            std::atomic_ref(counts[key.column]).fetch_add(1, std::memory_order_relaxed);
#endif
            return *this;
        }
    };
    std::uint32_t* counts;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t) const { return {counts}; }
};

TEST(XGBoost, UniqueValuesOfEachColumn) {
    const std::vector<std::uint64_t> starts{0, 5, 5, 4000, 4001, 9000, kItems};
    std::vector<float> sorted(kItems), want;
    std::vector<std::uint32_t> counts(starts.size() - 1);
    Random random(2);
    for (std::size_t column = 0; column + 1 < starts.size(); ++column) {
        float value = 0;  // the last value of a column is often the first of the next one
        for (std::size_t i = starts[column]; i < starts[column + 1]; ++i) {
            const float before = value;
            value += random() % 3 == 0 ? 1 : 0;
            sorted[i] = value;
            if (i > starts[column] && value == before) continue;
            want.push_back(value);
            ++counts[column];
        }
    }
    const Array<std::uint64_t> columns(starts);
    const Array<float> values(sorted);
    Array<float> out(kItems);
    Array<std::uint32_t> of_columns(std::vector<std::uint32_t>(counts.size()));
    const std::uint64_t kept = kogge::unique_by_key(ColumnsOfValues{columns.data(), values.data()}, values.data(),
                                                    CountedByColumn{of_columns.data()}, out.data(), kItems, AreEqual{});
    ASSERT_EQ(kept, want.size());
    EXPECT_TRUE(same(front(out, kept), want));
    EXPECT_TRUE(same(of_columns.get(), counts));
}

/// How many entries of its row there are up to one, and which that is.
struct InRow {
    std::uint32_t row, number;
    std::uint64_t entry;
};
struct EntriesInRows {
    const float* values;
    KOGGE_HOST_DEVICE InRow operator[](std::uint64_t i) const {
        return {static_cast<std::uint32_t>(i / kColumns), IsPresent{}(values[i]) ? 1u : 0u, i};
    }
};
struct CountInRow {
    KOGGE_HOST_DEVICE InRow operator()(const InRow& a, const InRow& b) const {
        return {b.row, b.number + (a.row == b.row ? a.number : 0u), b.entry};
    }
};
/// Writes an entry to the place that its number says.
struct PageOfRows {
    struct Place {
        const float* values;
        float* page;
        KOGGE_HOST_DEVICE const Place& operator=(const InRow& of) const {
            if (IsPresent{}(values[of.entry])) page[of.row * kColumns + of.number - 1] = values[of.entry];
            return *this;
        }
    };
    const float* values;
    float* page;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t) const { return {values, page}; }
};

TEST(XGBoost, ScanThatWritesAPage) {
    const auto all = matrix();
    std::vector<float> want((kItems + kColumns - 1) / kColumns * kColumns, -1.0f);
    const Array<float> values(all);
    Array<float> page(want);
    for (std::size_t row = 0, place = 0; row < kItems; row += kColumns, place = row)
        for (std::size_t i = row; i < std::min<std::size_t>(row + kColumns, kItems); ++i)
            if (all[i] >= 0) want[place++] = all[i];
    kogge::inclusive_scan(EntriesInRows{values.data()}, PageOfRows{values.data(), page.data()}, kItems, CountInRow{});
    EXPECT_TRUE(same(page.get(), want));
}

}  // namespace
