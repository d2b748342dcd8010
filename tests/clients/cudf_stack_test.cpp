// kogge-test: GPU HOST
// cuDF's parser of nested text, which finds the top of a stack at each symbol: levels by a scan of pushes and pops
// whose results are transformed as they are written, symbols by level, and the last push within each level.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 8'009;
constexpr int kLevelBits = 13;  ///< that levels take

/// A symbol's change of level, or the level at it.
struct StackOp {
    std::int32_t level;
    char symbol;
};
struct OpsOf {
    const char* text;
    KOGGE_HOST_DEVICE StackOp operator[](std::uint64_t i) const {
        return {text[i] == '{' || text[i] == '[' ? 1 : text[i] == '}' ? -1 : 0, text[i]};
    }
};
struct AddLevels {
    KOGGE_HOST_DEVICE StackOp operator()(const StackOp& a, const StackOp& b) const {
        return {a.level + b.level, b.symbol};
    }
};
/// Writes the level at which a symbol stands: a pop belongs to the level that it leaves.
struct Levels {
    struct Place {
        std::uint32_t* level;
        KOGGE_HOST_DEVICE const Place& operator=(const StackOp& op) const {
            *level = static_cast<std::uint32_t>(op.level + (op.symbol == '}' ? 1 : 0));
            return *this;
        }
    };
    std::uint32_t* levels;
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {levels + i}; }
};
/// The last of two symbols that is a push.
struct LastPush {
    KOGGE_HOST_DEVICE char operator()(char a, char b) const { return b == '{' || b == '[' ? b : a; }
};

TEST(CuDF, TopsOfTheStack) {
    std::vector<char> text(kItems), tops(kItems);
    std::vector<std::uint32_t> levels(kItems);
    std::vector<char> stack;
    Random random(1);
    for (std::size_t i = 0; i < kItems; ++i) {
        const std::uint64_t what = random() % 5;
        text[i] = what < 2 ? "{["[what] : what < 4 && !stack.empty() ? '}' : 'x';
        if (what < 2) stack.push_back(text[i]);
        levels[i] = static_cast<std::uint32_t>(stack.size());
        tops[i] = stack.empty() ? 'x' : stack.back();
        if (text[i] == '}') stack.pop_back();
    }
    std::vector<std::uint32_t> places(kItems);
    for (std::size_t i = 0; i < kItems; ++i) places[i] = static_cast<std::uint32_t>(i);

    const Array<char> in(text);
    Array<std::uint32_t> keys(kItems), origins(places);
    kogge::inclusive_scan(OpsOf{in.data()}, Levels{keys.data()}, kItems, AddLevels{});
    EXPECT_TRUE(same(keys.get(), levels));

    Array<char> symbols(text);
    const auto values = kogge::arrays(symbols.data(), origins.data());
    kogge::radix_sort_pairs(keys.data(), values, kItems, {.begin_bit = 0, .end_bit = kLevelBits});
    kogge::inclusive_scan_by_key(keys.data(), symbols.data(), symbols.data(), kItems, LastPush{});
    const auto found = symbols.get();
    const auto from = origins.get(), sorted = keys.get();
    for (std::size_t i = 0; i < kItems; ++i)
        if (sorted[i] > 0) {
            ASSERT_EQ(found[i], tops[from[i]]) << i;
        }
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
}

}  // namespace
