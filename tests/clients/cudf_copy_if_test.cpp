// kogge-test: GPU HOST
// cuDF's copies by a predicate or by flags, of inputs and to outputs that are no arrays, with a number of 64 bits or
// with one that nobody reads.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kRows = 8'009;

/// Whether a row of a column is valid, by the bits of its mask.
struct IsValid {
    const std::uint32_t* mask;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t row) const { return (mask[row / 32] >> row % 32 & 1) != 0; }
};
/// The rows of a table behind `first`.
struct RowsFrom {
    std::int32_t first;
    KOGGE_HOST_DEVICE std::int32_t operator[](std::uint64_t i) const { return first + static_cast<std::int32_t>(i); }
};
/// Stores a row's number beside a column's.
struct RowsOfColumn {
    struct Place {
        std::int64_t* at;
        KOGGE_HOST_DEVICE void operator=(std::int32_t row) const { *at = std::int64_t{3} << 32 | row; }
    };
    std::int64_t* rows;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {rows + i}; }
};

class CuDFCopyIf : public ::testing::Test {
protected:
    bool is_valid(std::size_t row) const { return IsValid{bits.data()}(row); }

    std::vector<std::uint32_t> bits = random_items<std::uint32_t>(kRows / 32 + 1);
    Array<std::uint32_t> mask{bits};
};

TEST_F(CuDFCopyIf, RowsThatAreValid) {
    std::vector<std::uint64_t> want;
    for (std::size_t row = 0; row < kRows; ++row)
        if (is_valid(row)) want.push_back(row);
    Array<std::uint64_t> out(kRows);
    Array<std::size_t> number(1);
    kogge::compact(kogge::positions{}, out.data(), number.data(), kRows, IsValid{mask.data()});
    ASSERT_EQ(number.get()[0], want.size());
    EXPECT_TRUE(same(front(out, want.size()), want));
}

TEST_F(CuDFCopyIf, RowsByFlagsWithoutTheirNumber) {
    std::vector<std::int64_t> want;
    for (std::size_t row = 0; row < kRows; ++row)
        if (is_valid(row)) want.push_back(std::int64_t{3} << 32 | static_cast<std::int64_t>(row + 100));
    Array<std::int64_t> out(kRows);
    kogge::compact_stencil(RowsFrom{100}, kogge::positions{}, RowsOfColumn{out.data()}, kogge::discard{}, kRows,
                           IsValid{mask.data()});
    EXPECT_TRUE(same(front(out, want.size()), want));
    EXPECT_EQ(out.get()[want.size()], Array<std::int64_t>::poison());
}

}  // namespace
