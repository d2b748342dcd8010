// kogge-test: EMULATED GPU HOST
#include <gtest/gtest.h>

#include <string>

#include "kogge/partition.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;

struct MakeOutput {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item, std::uint64_t k) const { return item << 32 | k; }
};

template <class CountOf>
struct Expected {
    std::vector<std::uint64_t> outputs, offsets{0};
    Expected(std::uint64_t n, CountOf count) {
        for (std::uint64_t item = 0; item < n; ++item) {
            for (std::uint64_t k = 0; k < count(item); ++k) outputs.push_back(MakeOutput{}(item, k));
            offsets.push_back(outputs.size());
        }
    }
};

/// With room for all outputs, for none, and for as many as end within a tile, and a window.
template <class CountOf>
void check(std::uint64_t n, CountOf count) {
    SCOPED_TRACE(n);
    const kogge::exec how{.where = kWhere};
    const Expected<CountOf> want(n, count);
    const std::uint64_t wanted = want.outputs.size();
    Array<std::uint64_t> out(wanted + 1), offsets(n + 1), total(1);
    EXPECT_EQ(kogge::emit(out.data(), wanted + 1, n, count, MakeOutput{}, offsets.data(), how), wanted);
    auto all = want.outputs;
    all.push_back(Array<std::uint64_t>::poison());
    EXPECT_TRUE(same(out.get(), all));
    EXPECT_TRUE(same(offsets.get(), want.offsets));
    for (const std::uint64_t room : {std::uint64_t{0}, wanted / 3, wanted - wanted / 9, wanted}) {
        Array<std::uint64_t> few(wanted);
        kogge::emit(few.data(), room, total.data(), n, count, MakeOutput{}, how);
        EXPECT_EQ(total.get()[0], wanted);
        auto front = want.outputs;
        std::fill(front.begin() + static_cast<std::ptrdiff_t>(room), front.end(), Array<std::uint64_t>::poison());
        EXPECT_TRUE(same(few.get(), front)) << room;
    }
}

struct Few {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t item) const {
        return static_cast<std::uint32_t>(item * 2654435761u >> 7) % 4;
    }
};
TEST(Emit, FewOutputsAnItem) {
    for (const std::uint64_t n : {0, 1, 2, 31, 255, 256, 257, 2047, 2048, 2049, 20481}) check(n, Few{});
    if (!small()) check(1000001, Few{});
}

/// The same number for each item of a period, and none for the others.
struct Every {
    std::uint64_t period, outputs;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item) const {
        return item % period == period - 1 ? outputs : 0;
    }
};
TEST(Emit, EvenCounts) {
    check(5000, Every{1, 0});
    check(5000, Every{1, 1});
    check(5000, Every{1, 13});       // several windows a tile
    check(4100, Every{1, 17});       // tiles that all blocks share
    check(9000, Every{1000, 1});     // most items have none
    check(9000, Every{2048, 8192});  // windows that one item fills
    check(9000, Every{2048, 32768});
    check(9000, Every{2048, 32769});
    check(1, Every{1, 100001});
    check(20000, Every{1, 5});  // more tiles than an emulated wave takes
    check(20000, Every{6000, 70000});
}

struct SkewedCount {
    std::uint64_t most;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item) const { return item == 777 ? most : item % 3; }
};
TEST(Emit, OneItemWithMost) {
    check(5000, SkewedCount{40000});
    if (!small()) check(50000, SkewedCount{10000000});
}

// Several tiles a block: of another size, in one window and in more, and so large that all blocks share them.
TEST(Emit, ManyTiles) {
    const Pretending device(1);
    for (const std::uint64_t n : {24576, 24577, 30000}) check(n, Few{});
    check(30000, Every{1, 5});
    check(25000, Every{1, 13});
    if constexpr (kOnDevice) check(4000001, Few{});
}

/// Few outputs, but negative numbers in place of none.
template <class Number>
struct Negative {
    KOGGE_HOST_DEVICE Number operator()(std::uint64_t item) const {
        const std::uint32_t few = Few{}(item);
        return few > 0 ? static_cast<Number>(few) : item % 2 == 0 ? Number{-1} : std::numeric_limits<Number>::min();
    }
};
/// Far more than there can be.
struct Endless {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t item) const { return item == 2 ? ~std::uint64_t{0} : 1; }
};
TEST(Emit, NumbersThatAreNone) {
    const kogge::exec how{.where = kWhere};
    for (const std::uint64_t n : {std::uint64_t{300}, std::uint64_t{7001}}) {
        const Expected<Few> want(n, Few{});
        Array<std::uint64_t> out(want.outputs.size()), wide_out(want.outputs.size());
        const auto emit = [&](auto count, Array<std::uint64_t>& to) {
            return kogge::emit(to.data(), want.outputs.size(), n, count, MakeOutput{}, how);
        };
        EXPECT_EQ(emit(Negative<std::int32_t>{}, out), want.outputs.size());
        EXPECT_EQ(emit(Negative<std::int64_t>{}, wide_out), want.outputs.size());
        EXPECT_TRUE(same(out.get(), want.outputs)) << n;
        EXPECT_TRUE(same(wide_out.get(), want.outputs)) << n;
    }
    Array<std::uint64_t> out(5);
    EXPECT_EQ(kogge::emit(out.data(), 5, 10, Endless{}, MakeOutput{}, how), (std::uint64_t{1} << 40) + 9);
    EXPECT_EQ(out.get(), (std::vector<std::uint64_t>{0, 1ull << 32, 2ull << 32, 2ull << 32 | 1, 2ull << 32 | 2}));
}

/// More than a word of as many bytes holds.
struct Billions {
    KOGGE_HOST_DEVICE float operator()(std::uint64_t) const { return 0x1p33f; }
};
TEST(Emit, NumbersThatAreFloats) {
    Array<std::uint64_t> out(5);
    EXPECT_EQ(kogge::emit(out.data(), 5, 10, Billions{}, MakeOutput{}, {.where = kWhere}), std::uint64_t{10} << 33);
    EXPECT_EQ(out.get(), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

struct Most {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t) const { return std::uint64_t{1} << 40; }
};
TEST(Emit, MoreOutputsThanNumbersCount) {
    constexpr std::uint64_t kFit = (std::uint64_t{1} << 24) - 1, kAll = ~std::uint64_t{0};
    const std::uint64_t n = kFit + 4100;
    const bool has_offsets = !KOGGE_EMULATED;  // whose memory is dear
    if (small()) GTEST_SKIP() << "takes as many items";
    Array<std::uint64_t> out(50), offsets(has_offsets ? n + 1 : 1);
    EXPECT_EQ(
        kogge::emit(out.data(), 50, n, Most{}, MakeOutput{}, has_offsets ? offsets.data() : nullptr, {.where = kWhere}),
        kAll);
    const auto outputs = out.get();
    for (std::uint64_t k = 0; k < 50; ++k) EXPECT_EQ(outputs[k], k);
    if (!has_offsets) return;
    const auto starts = offsets.get();
    for (const std::uint64_t item : {std::uint64_t{0}, std::uint64_t{1}, kFit - 1, kFit})
        EXPECT_EQ(starts[item], item << 40) << item;
    for (const std::uint64_t item : {kFit + 1, kFit + 2, n - 1, n}) EXPECT_EQ(starts[item], kAll) << item;
}

TEST(Emit, MoreItemsThanOneCallTakes) {
    Array<std::uint64_t> out(10);
    const auto code = [&](std::uint64_t n) {
        return code_of([&] { kogge::emit(out.data(), 10, n, Few{}, MakeOutput{}, {.where = kWhere}); });
    };
    EXPECT_EQ(code(~std::uint64_t{0}), kogge::errc::invalid_argument);
    EXPECT_EQ(code(~std::uint64_t{0} - 5000), kogge::errc::invalid_argument);
    // Tiles are drawn by 32-bit tickets.
    if constexpr (kOnDevice) {
        EXPECT_EQ(code(std::uint64_t{1} << 44), kogge::errc::invalid_argument);
    }
    EXPECT_EQ(out.get(), std::vector<std::uint64_t>(10, Array<std::uint64_t>::poison()));
}

#if KOGGE_KERNELS
TEST(Emit, OfADeviceCount) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2048}, std::uint64_t{7001}}) {
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
        const Expected<Few> want(n, Few{});
        Array<std::uint64_t> out(want.outputs.size()), offsets(9001);
        EXPECT_EQ(kogge::emit(out.data(), want.outputs.size(), kogge::device_count{number.data(), 9000}, Few{},
                              MakeOutput{}, offsets.data(), {.where = kWhere}),
                  want.outputs.size());
        auto starts = want.offsets;
        starts.resize(9001, Array<std::uint64_t>::poison());
        EXPECT_TRUE(same(offsets.get(), starts)) << n;
        EXPECT_TRUE(same(out.get(), want.outputs)) << n;
    }
}
#endif

}  // namespace
