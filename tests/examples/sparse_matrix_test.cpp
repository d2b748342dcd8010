// kogge-test: EMULATED GPU HOST
// Sparse matrices from triplets; and calls by key, of keys that an input of the caller's reads from two arrays.
#include "examples/sparse_matrix.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

struct Triplets {
    std::vector<std::uint32_t> rows, columns;
    std::vector<std::int64_t> values;
    explicit Triplets(std::uint64_t n) : rows(n), columns(n), values(n) {
        Random random(n + 1);
        for (std::uint64_t i = 0; i < n; ++i) {
            rows[i] = static_cast<std::uint32_t>(random() % 50) * 1000;
            columns[i] = static_cast<std::uint32_t>(random() % 70) << 20;
            values[i] = static_cast<std::int64_t>(random() % 100) - 50;
        }
    }
};

template <class T>
std::vector<T> front(std::vector<T> items, std::uint64_t n) {
    items.resize(n);
    return items;
}

TEST(SparseMatrix, OfTriplets) {
    for (const std::uint64_t n : {0, 1, 40, 3000, 20000}) {
        const Triplets triplets(n);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> sums;
        for (std::uint64_t i = 0; i < n; ++i) sums[{triplets.rows[i], triplets.columns[i]}] += triplets.values[i];
        Array<std::uint32_t> rows(triplets.rows), columns(triplets.columns);
        Array<std::int64_t> values(triplets.values);
        const auto matrix = examples::assemble(rows.data(), columns.data(), values.data(), n, {.where = kWhere});
        ASSERT_EQ(matrix.count, sums.size());
        std::vector<std::uint32_t> want_rows, want_columns;
        std::vector<std::int64_t> want;
        for (const auto& [place, sum] : sums) {
            want_rows.push_back(place.first);
            want_columns.push_back(place.second);
            want.push_back(sum);
        }
        EXPECT_EQ(front(matrix.rows.to_vector(), matrix.count), want_rows);
        EXPECT_EQ(front(matrix.columns.to_vector(), matrix.count), want_columns);
        EXPECT_EQ(front(matrix.values.to_vector(), matrix.count), want);
    }
}

struct Place {
    std::uint32_t row, column;
    KOGGE_HOST_DEVICE friend bool operator==(const Place& a, const Place& b) {
        return a.row == b.row && a.column == b.column;
    }
};

/// Two arrays as one of places.
template <class Index>
struct Places {
    Index* rows;
    Index* columns;

    struct Reference {
        Index& row;
        Index& column;
        KOGGE_HOST_DEVICE operator Place() const { return {row, column}; }  // NOLINT: implicit, as references are
        KOGGE_HOST_DEVICE const Reference& operator=(const Place& place) const {
            row = place.row;
            column = place.column;
            return *this;
        }
    };
    KOGGE_HOST_DEVICE decltype(auto) operator[](std::uint64_t i) const {
        if constexpr (std::is_const_v<Index>) return Place{rows[i], columns[i]};
        else return Reference{rows[i], columns[i]};
    }
};

// Runs of equal places in input order.
TEST(KeysInTwoArrays, OfEveryCallByKey) {
    const std::uint64_t n = 9001;
    Triplets triplets(n);
    for (std::uint64_t i = 1; i < n; ++i) {  // runs in which only the column changes, and longer ones
        if (i % 3 != 0) triplets.rows[i] = triplets.rows[i - 1];
        if (i % 7 > 1) triplets.columns[i] = triplets.columns[i - 1];
    }
    std::vector<std::uint32_t> heads, lengths;
    std::vector<std::int64_t> inclusive(n), exclusive(n), firsts;
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool starts =
            i == 0 || triplets.rows[i] != triplets.rows[i - 1] || triplets.columns[i] != triplets.columns[i - 1];
        if (starts) {
            heads.push_back(static_cast<std::uint32_t>(i));
            lengths.push_back(0);
            firsts.push_back(triplets.values[i]);
        }
        ++lengths.back();
        exclusive[i] = starts ? 0 : inclusive[i - 1];
        inclusive[i] = exclusive[i] + triplets.values[i];
    }
    std::vector<std::uint32_t> want_rows, want_columns;
    for (const std::uint32_t head : heads) {
        want_rows.push_back(triplets.rows[head]);
        want_columns.push_back(triplets.columns[head]);
    }
    const Array<std::uint32_t> rows(triplets.rows), columns(triplets.columns);
    const Array<std::int64_t> values(triplets.values);
    Array<std::uint32_t> rows_out(n), columns_out(n), counts(n);
    Array<std::int64_t> out(n);
    const Places<const std::uint32_t> keys{rows.data(), columns.data()};
    const Places<std::uint32_t> keys_out{rows_out.data(), columns_out.data()};
    const auto expect_keys = [&](std::uint64_t runs) {
        ASSERT_EQ(runs, heads.size());
        EXPECT_EQ(front(rows_out.get(), runs), want_rows);
        EXPECT_EQ(front(columns_out.get(), runs), want_columns);
    };
    expect_keys(kogge::unique(keys, keys_out, n));
    expect_keys(kogge::unique_by_key(keys, values.data(), keys_out, out.data(), n));
    EXPECT_EQ(front(out.get(), heads.size()), firsts);
    expect_keys(kogge::run_length_encode(keys, keys_out, counts.data(), n));
    EXPECT_EQ(front(counts.get(), heads.size()), lengths);
    kogge::inclusive_scan_by_key(keys, values.data(), out.data(), n);
    EXPECT_TRUE(same(out.get(), inclusive));
    kogge::exclusive_scan_by_key(keys, values.data(), out.data(), n, std::int64_t{0});
    EXPECT_TRUE(same(out.get(), exclusive));
}

}  // namespace
