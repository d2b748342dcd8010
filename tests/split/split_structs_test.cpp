// kogge-test: EMULATED GPU HOST
// Splits of structs, which are no numbers, by every plan: one block, all blocks on chip, plain and pipelined passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kogge/partition.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"
#include "support/splits.hpp"

namespace {

using namespace tests;

template <int count>
struct Words {
    std::uint32_t word[count];
};
struct Letter {
    std::uint8_t byte;
};
struct ByFirst {
    std::uint32_t bins;
    template <int count>
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Words<count>& item) const {
        return item.word[0] % bins;
    }
    KOGGE_HOST_DEVICE std::uint32_t operator()(const Letter& item) const { return item.byte % bins; }
};

template <class Item>
class SplitStructs : public ::testing::Test {};
#if defined(__CUDACC__)
using Items = ::testing::Types<Words<2>, Words<3>>;  // minutes of compilation fewer
#else
using Items = ::testing::Types<Letter, Words<2>, Words<3>, Words<4>, Words<16>>;
#endif
TYPED_TEST_SUITE(SplitStructs, Items);

TYPED_TEST(SplitStructs, InInputOrderWithOffsets) {
    const Pretending device(2);
    for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{9001}, std::size_t{60001}})
        for (const std::uint32_t bins : {10u, 300u}) {
            if (small() && n > 10000) continue;
            SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(bins) + " bins");
            const auto items = random_items<TypeParam>(n, n + bins);
            auto want = items;
            std::stable_sort(want.begin(), want.end(), [&](const TypeParam& a, const TypeParam& b) {
                return ByFirst{bins}(a) < ByFirst{bins}(b);
            });
            std::vector<std::uint64_t> starts(bins + 1, 0);
            for (const TypeParam& item : items) ++starts[ByFirst{bins}(item) + 1];
            for (std::uint32_t bin = 0; bin < bins; ++bin) starts[bin + 1] += starts[bin];
            const Array<TypeParam> in(items);
            Array<TypeParam> out(n);
            Array<std::uint64_t> offsets(bins + 1);
            kogge::split(in.data(), out.data(), offsets.data(), n, bins, ByFirst{bins});
            EXPECT_TRUE(same(out.get(), want));
            EXPECT_TRUE(same(offsets.get(), starts));
        }
}

// Keys and values of 4 bytes move as one on chip, and between passes.
TEST(SplitStructsOfWords, WithValues) {
    const Pretending device(2);
    const std::size_t n = pipelined_split_items(small() ? 60'001 : 120'001);
    const auto keys = random_items<Words<1>>(n, 1);
    const auto values = random_items<float>(n, 2);
    const Array<Words<1>> in(keys);
    const Array<float> values_in(values);
    for (const std::uint32_t bins : {2u, 3u, 100u, 700u}) {
        SCOPED_TRACE(std::to_string(n) + " items, " + std::to_string(bins) + " bins");
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return ByFirst{bins}(keys[a]) < ByFirst{bins}(keys[b]); });
        std::vector<Words<1>> want(n);
        std::vector<float> want_values(n);
        for (std::size_t i = 0; i < n; ++i) {
            want[i] = keys[order[i]];
            want_values[i] = values[order[i]];
        }
        Array<Words<1>> out(n);
        Array<float> values_out(n);
        kogge::split_pairs(in.data(), values_in.data(), out.data(), values_out.data(), n, bins, ByFirst{bins});
        EXPECT_TRUE(same(out.get(), want));
        EXPECT_TRUE(same(values_out.get(), want_values));
    }
}

}  // namespace
