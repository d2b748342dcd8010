// kogge-test: EMULATED GPU HOST
// Inputs that stand in no array: XGBoost keeps entries that it makes from positions, by a stencil (in one call, however
// many there are); Warp compresses blocks, and encodes runs of computed keys with lengths and their number in ints;
// cuda-samples' segmentationTree takes the heads of its segments; LBVH makes 64-bit codes of unique 32-bit ones.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 12'289;

template <class T>
std::vector<T> front(const Array<T>& array, std::size_t n) {
    auto items = array.get();
    items.resize(n);
    return items;
}

struct Entry {
    std::uint32_t column;
    float value;
};
/// Entry i of a dense matrix.
struct Entries {
    const float* values;
    std::uint32_t columns;
    KOGGE_HOST_DEVICE Entry operator[](std::uint64_t i) const {
        return {static_cast<std::uint32_t>(i % columns), values[i]};
    }
};
struct IsPresent {
    KOGGE_HOST_DEVICE bool operator()(float value) const { return value >= 0; }
};

TEST(XGBoost, CopiesEntriesThatAreThere) {
    constexpr std::uint32_t columns = 7;
    std::vector<float> matrix(kItems);
    Random random(1);
    for (float& value : matrix) value = static_cast<float>(random() % 100) - 30;
    std::vector<Entry> want;
    for (std::size_t i = 0; i < kItems; ++i)
        if (matrix[i] >= 0) want.push_back({static_cast<std::uint32_t>(i % columns), matrix[i]});
    const Array<float> values(matrix);
    Array<Entry> out(kItems);
    const std::uint64_t kept =
        kogge::compact_stencil(Entries{values.data(), columns}, values.data(), out.data(), kItems, IsPresent{});
    ASSERT_EQ(kept, want.size());
    EXPECT_TRUE(same(front(out, kept), want));
}

/// The cell of each point.
struct Cells {
    const std::uint32_t* points;
    KOGGE_HOST_DEVICE int operator[](std::uint64_t i) const { return static_cast<int>(points[i] / 8); }
};

TEST(Warp, EncodesComputedKeysIntoInts) {
    std::vector<std::uint32_t> points(kItems);
    for (std::size_t i = 0; i < kItems; ++i) points[i] = static_cast<std::uint32_t>(i * 3);
    std::vector<int> want, lengths;
    for (const std::uint32_t point : points) {
        const int cell = static_cast<int>(point / 8);
        if (want.empty() || want.back() != cell) {
            want.push_back(cell);
            lengths.push_back(0);
        }
        ++lengths.back();
    }
    const Array<std::uint32_t> in(points);
    Array<int> cells(kItems), counts(kItems), number(1);
    kogge::run_length_encode(Cells{in.data()}, cells.data(), counts.data(), number.data(), kItems);
    ASSERT_EQ(number.get()[0], static_cast<int>(want.size()));
    EXPECT_TRUE(same(front(cells, want.size()), want));
    EXPECT_TRUE(same(front(counts, want.size()), lengths));
}

TEST(SegmentationTree, IndicesOfTheHeadsOfSegments) {
    std::vector<std::uint32_t> flags(kItems);
    std::vector<std::uint32_t> want;
    for (std::size_t i = 0; i < kItems; ++i)
        if ((flags[i] = i % 11 == 0 || i % 17 == 3)) want.push_back(static_cast<std::uint32_t>(i));
    const Array<std::uint32_t> stencil(flags);
    Array<std::uint32_t> heads(kItems);
    const std::uint64_t kept = kogge::compact_indices(stencil.data(), heads.data(), kItems,
                                                      kogge::compare<std::uint32_t>{kogge::relation::not_equal, 0});
    ASSERT_EQ(kept, want.size());
    EXPECT_TRUE(same(front(heads, kept), want));
}

TEST(Lbvh, UniqueCodesIntoAWiderType) {
    std::vector<std::uint32_t> codes(kItems);
    for (std::size_t i = 0; i < kItems; ++i) codes[i] = static_cast<std::uint32_t>(i / 3 * 5);
    std::vector<std::uint64_t> want;
    for (const std::uint32_t code : codes)
        if (want.empty() || want.back() != code) want.push_back(code);
    const Array<std::uint32_t> in(codes);
    Array<std::uint64_t> out(kItems);
    const std::uint64_t kept = kogge::unique(in.data(), out.data(), kItems);
    ASSERT_EQ(kept, want.size());
    EXPECT_TRUE(same(front(out, kept), want));
}

}  // namespace
