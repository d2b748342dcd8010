// kogge-test: EMULATED GPU HOST
// Splits by bucket functions that name bins which are not there: on the device these items are the last bin's, and on
// the host nothing is written.
#include <gtest/gtest.h>

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
using Word = std::uint32_t;

/// Half of them past the end; of a power of two, their lower bits are those of a bin.
struct Twice {
    static constexpr const char* kName = "twice as many";
    std::uint32_t bins;
    KOGGE_HOST_DEVICE std::uint64_t operator()(Word key) const { return key % (2 * std::uint64_t{bins}); }
};
/// Past the end, in a number whose lower 32 bits are 0.
struct Wide {
    static constexpr const char* kName = "wide";
    std::uint32_t bins;
    KOGGE_HOST_DEVICE std::uint64_t operator()(Word key) const {
        const std::uint64_t bin = key % (2 * std::uint64_t{bins});
        return bin < bins ? bin : bin << 32;
    }
};
struct Negative {
    static constexpr const char* kName = "negative";
    std::uint32_t bins;
    KOGGE_HOST_DEVICE int operator()(Word key) const {
        return key % 3 == 0 ? -1 - static_cast<int>(key % 1000) : static_cast<int>(key % bins);
    }
};
/// Two keys of them all.
struct Rare {
    static constexpr const char* kName = "rare";
    std::uint32_t bins;
    KOGGE_HOST_DEVICE std::uint32_t operator()(Word key) const {
        return key == 0 ? bins : key == ~Word{0} ? ~std::uint32_t{0} : key % bins;
    }
};

template <class Value, class Bins>
void check(std::size_t n, std::uint32_t bins) {
    SCOPED_TRACE(std::string(Bins::kName) + ": " + std::to_string(n) + " items, " + std::to_string(bins) + " bins");
    const Bins bucket{bins};
    auto keys = random_items<Word>(n, bins);
    keys.front() = 0;
    keys.back() = ~Word{0};
    const auto values = random_items<Value>(n, 2);
    const Array<Word> in(keys);
    const Array<Value> values_in(values);
    Array<Word> out(n), out_of_pairs(n);
    Array<Value> values_out(n);
    Array<std::uint64_t> offsets(bins + 1), offsets_of_pairs(bins + 1);
    const auto split = [&] { kogge::split(in.data(), out.data(), offsets.data(), n, bins, bucket); };
    const auto split_pairs = [&] {
        kogge::split_pairs(in.data(), values_in.data(), out_of_pairs.data(), values_out.data(), offsets_of_pairs.data(),
                           n, bins, bucket);
    };
    std::vector<Word> want(n, Array<Word>::poison());
    std::vector<Value> want_values(n, Array<Value>::poison());
    std::vector<std::uint64_t> starts(bins + 1, Array<std::uint64_t>::poison());
    if constexpr (kOnDevice) {
        split();
        split_pairs();
        std::vector<std::uint64_t> bin_of(n);
        starts.assign(bins + 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const auto bin = static_cast<std::uint64_t>(bucket(keys[i]));
            bin_of[i] = bin < bins ? bin : bins - 1;
            ++starts[bin_of[i] + 1];
        }
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        std::vector<std::uint64_t> next = starts;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint64_t place = next[bin_of[i]]++;
            want[place] = keys[i];
            want_values[place] = values[i];
        }
    } else {
        EXPECT_EQ(code_of(split), kogge::errc::invalid_argument);
        EXPECT_EQ(code_of(split_pairs), kogge::errc::invalid_argument);
    }
    EXPECT_TRUE(same(out.get(), want));
    EXPECT_TRUE(same(offsets.get(), starts));
    EXPECT_TRUE(same(out_of_pairs.get(), want)) << "keys of pairs";
    EXPECT_TRUE(same(values_out.get(), want_values));
    EXPECT_TRUE(same(offsets_of_pairs.get(), starts)) << "of pairs";
}
template <class Value>
void check_each(std::size_t n, const std::vector<std::uint32_t>& bins) {
    for (const std::uint32_t number : bins) {
        check<Value, Twice>(n, number);
        check<Value, Wide>(n, number);
        check<Value, Negative>(n, number);
        check<Value, Rare>(n, number);
    }
}

// Each block counts all items; of more bins one block takes them.
TEST(SplitBounds, FewItems) {
    check_each<Word>(1000, {1, 2, 10, 256, 257, 4096, 4097});
    check_each<Word>(8192, {300});
}
TEST(SplitBounds, OnChipByAllBlocks) { check_each<Word>(9000, {1, 10, 256, 257, 65536, 70000}); }
struct SixtyFour {
    std::uint64_t words[8];
};
TEST(SplitBounds, PassesOfWideValues) { check_each<SixtyFour>(5000, {10, 256, 600}); }
// Passes in which loading, ranking and storing overlap, of few digits and of many.
TEST(SplitBounds, PipelinedPasses) {
    const Pretending device(1);
    const std::size_t n = pipelined_split_items(60'001);
    check_each<Word>(n, {2, 3, 10, 256, 600});
    check_each<std::uint64_t>(n, {4});
}

}  // namespace
