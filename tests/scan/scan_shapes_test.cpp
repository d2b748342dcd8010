// kogge-test: EMULATED GPU HOST
// Scans of items and accumulators of any size under an operator that does not commute, in every form.
#include <gtest/gtest.h>

#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;

/// Maps x → multiply · x + add, a pair of words each; a last odd word counts. Composition does not commute.
template <class Word, int words>
struct Maps {
    Word word[words];
};
struct Compose {
    template <class Word, int words>
    KOGGE_HOST_DEVICE Maps<Word, words> operator()(const Maps<Word, words>& first,
                                                   const Maps<Word, words>& then) const {
        Maps<Word, words> both;
        for (int i = 0; i + 1 < words; i += 2) {
            both.word[i] = static_cast<Word>(first.word[i] * then.word[i]);
            both.word[i + 1] = static_cast<Word>(first.word[i + 1] * then.word[i] + then.word[i + 1]);
        }
        if (words % 2 == 1) both.word[words - 1] = static_cast<Word>(first.word[words - 1] + then.word[words - 1]);
        return both;
    }
};

template <class T>
class ScanShapes : public ::testing::Test {
protected:
    static std::vector<T> scanned(const std::vector<T>& items, const T* init, bool inclusive) {
        std::vector<T> out;
        T sum = init ? *init : T{};
        for (std::size_t i = 0; i < items.size(); ++i) {
            const T before = sum;
            sum = i > 0 || init ? Compose{}(sum, items[i]) : items[i];
            out.push_back(inclusive ? sum : before);
        }
        return out;
    }
};
// Published in words with flags up to 32 bytes, behind one flag above.
#if defined(__CUDACC__)
using Shapes = ::testing::Types<Maps<std::uint32_t, 3>, Maps<std::uint64_t, 5>>;  // minutes of compilation fewer
#else
using Shapes = ::testing::Types<Maps<std::uint8_t, 3>, Maps<std::uint32_t, 3>, Maps<std::uint32_t, 5>,
                                Maps<std::uint64_t, 5>, Maps<std::uint32_t, 25>>;
#endif
TYPED_TEST_SUITE(ScanShapes, Shapes);

TYPED_TEST(ScanShapes, EveryStrategy) {
    const std::size_t tile = 256 * (sizeof(TypeParam) <= 80 ? 80 / sizeof(TypeParam) : 1);
    std::vector<std::size_t> sizes{1, tile, tile + 1, 33 * tile + 5};
    if (small()) sizes.back() = 5 * tile + 5;
    for (const std::size_t n : sizes) {
        const auto items = random_items<TypeParam>(n, n);
        const TypeParam init = random_items<TypeParam>(1, 99)[0];
        const auto inclusive = this->scanned(items, nullptr, true);
        const auto with_init = this->scanned(items, &init, true);
        const auto exclusive = this->scanned(items, &init, false);
        const Array<TypeParam> in(items);
        for (const auto grid :
             {kogge::grid_strategy::automatic, kogge::on_chip, kogge::two_level, kogge::recursive, kogge::one_block}) {
            SCOPED_TRACE(std::to_string(n) + " items, " + kogge::to_string(grid));
            Array<TypeParam> out(n), in_place(items);
            kogge::inclusive_scan(in.data(), out.data(), n, Compose{}, {.grid = grid});
            EXPECT_TRUE(same(out.get(), inclusive)) << "inclusive";
            kogge::inclusive_scan(in.data(), out.data(), n, Compose{}, init, {.grid = grid});
            EXPECT_TRUE(same(out.get(), with_init)) << "with an initial value";
            kogge::exclusive_scan(in_place.data(), in_place.data(), n, init, Compose{}, {.grid = grid});
            EXPECT_TRUE(same(in_place.get(), exclusive)) << "exclusive, in place";
        }
    }
}

TYPED_TEST(ScanShapes, EveryNetwork) {
    const std::size_t n = 256 * (sizeof(TypeParam) <= 80 ? 80 / sizeof(TypeParam) : 1) * 3 + 7;
    const auto items = random_items<TypeParam>(n, 5);
    const auto want = this->scanned(items, nullptr, true);
    const Array<TypeParam> in(items);
    for (const auto block : kogge::kAllNetworks) {
        Array<TypeParam> out(n);
        kogge::inclusive_scan(in.data(), out.data(), n, Compose{}, {.block = block});
        EXPECT_TRUE(same(out.get(), want)) << kogge::to_string(block);
    }
}

TYPED_TEST(ScanShapes, RunsOfEqualKeys) {
    const std::size_t n = 5003;
    const auto items = random_items<TypeParam>(n, 6);
    const TypeParam init = random_items<TypeParam>(1, 98)[0];
    Random random(3);
    std::vector<std::uint16_t> keys(n);
    std::vector<TypeParam> inclusive(n), exclusive(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = i > 0 && random() % 300 != 0 ? keys[i - 1] : static_cast<std::uint16_t>(random());
        const bool head = i == 0 || keys[i] != keys[i - 1];
        inclusive[i] = head ? items[i] : Compose{}(inclusive[i - 1], items[i]);
        exclusive[i] = head ? init : Compose{}(exclusive[i - 1], items[i - 1]);
    }
    const Array<std::uint16_t> runs(keys);
    const Array<TypeParam> in(items);
    Array<TypeParam> out(n);
    kogge::inclusive_scan_by_key(runs.data(), in.data(), out.data(), n, Compose{});
    EXPECT_TRUE(same(out.get(), inclusive));
    kogge::exclusive_scan_by_key(runs.data(), in.data(), out.data(), n, init, Compose{});
    EXPECT_TRUE(same(out.get(), exclusive));
}

// Bytes reach every offset from the 16-byte steps of the copies.
TEST(ScanOffsets, EveryByte) {
    const std::size_t n = 2 * 512 * 80 + 77;
    const auto items = random_items<std::uint8_t>(n);
    std::vector<std::uint8_t> want;
    std::uint8_t sum = 0;
    for (const std::uint8_t item : items) want.push_back(sum = static_cast<std::uint8_t>(sum + item));
    for (std::size_t at = 0; at <= 16; at += small() ? 5 : 1) {
        const Array<std::uint8_t> in(items, at);
        Array<std::uint8_t> out(n), in_place(items, at);
        kogge::inclusive_scan(in.data(), out.data(), n);
        EXPECT_TRUE(same(out.get(), want)) << "from " << at;
        kogge::inclusive_scan(in_place.data(), in_place.data(), n);
        EXPECT_TRUE(same(in_place.get(), want)) << "in place at " << at;
        const Array<std::uint8_t> aligned(items);
        Array<std::uint8_t> off(n, at);
        kogge::inclusive_scan(aligned.data(), off.data(), n);
        EXPECT_TRUE(same(off.get(), want)) << "to " << at;
    }
}

}  // namespace
