// kogge-test: EMULATED GPU HOST
// Places for a count of every integer type, and refusals where a type does not hold what the count may be.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"

namespace {

using namespace tests;
const kogge::exec kHow{.where = kWhere};

struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 2 == 1; }
};
struct Three {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t) const { return 3; }
};
/// A key and a value.
struct KeyAndValue {
    KOGGE_HOST_DEVICE std::pair<std::uint64_t, float> operator()(std::uint64_t i, std::uint64_t k) const {
        return {i * 10 + k, static_cast<float>(k)};
    }
};

/// Writes beside the count stay as they were.
template <class Count>
class Place {
public:
    Count* data() { return counts_.data() + 1; }
    void expect(std::uint64_t want) const {
        const std::vector<Count> all = counts_.get();
        EXPECT_EQ(all[1], static_cast<Count>(want));
        EXPECT_EQ(all[0], Array<Count>::poison());
        EXPECT_EQ(all[2], Array<Count>::poison());
    }

private:
    Array<Count> counts_{3};
};

template <class Count>
class NarrowCounts : public ::testing::Test {};
using Counts = ::testing::Types<std::uint8_t, short, int, unsigned, long, long long, unsigned long long, std::uint64_t>;
TYPED_TEST_SUITE(NarrowCounts, Counts);

TYPED_TEST(NarrowCounts, ReceiveTheNumber) {
    const std::size_t n = 200 < std::numeric_limits<TypeParam>::max() ? 200 : 100;
    std::vector<std::uint32_t> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<std::uint32_t>(i / 3);
    std::uint64_t odd = 0;
    for (const std::uint32_t item : items) odd += item % 2;
    const Array<std::uint32_t> in(items);
    Array<std::uint32_t> out(n), lengths(n);
    Array<std::uint64_t> keys(600);
    Array<float> values(600);
    const auto receives = [&](std::uint64_t want, const auto& call) {
        Place<TypeParam> written, returned;
        call(written.data());
        written.expect(want);
        EXPECT_EQ(call(kogge::count_at(returned.data())), want);
        returned.expect(want);
    };
    const std::uint64_t runs = (n + 2) / 3;
    receives(odd, [&](auto count) { return kogge::compact(in.data(), out.data(), count, n, IsOdd{}, kHow); });
    receives(odd, [&](auto count) { return kogge::partition(in.data(), out.data(), count, n, IsOdd{}, kHow); });
    receives(odd, [&](auto count) { return kogge::compact_indices(in.data(), out.data(), count, n, IsOdd{}, kHow); });
    receives(runs, [&](auto count) { return kogge::unique(in.data(), out.data(), count, n, kHow); });
    receives(runs, [&](auto count) {
        return kogge::run_length_encode(in.data(), out.data(), lengths.data(), count, n, kHow);
    });
    receives(0, [&](auto count) { return kogge::unique(in.data(), out.data(), count, 0, kHow); });
    // What does not fit is written as the greatest number.
    const std::uint64_t most = std::numeric_limits<TypeParam>::max();
    Place<TypeParam> place;
    kogge::emit(kogge::arrays(keys.data(), values.data()), 600, place.data(), n, Three{}, KeyAndValue{}, kHow);
    place.expect(std::min<std::uint64_t>(most, 3 * n));
    const std::vector<std::uint64_t> made = keys.get();
    const std::vector<float> made_values = values.get();
    for (std::size_t i = 0; i < 3 * n; ++i) {
        EXPECT_EQ(made[i], i / 3 * 10 + i % 3);
        EXPECT_EQ(made_values[i], static_cast<float>(i % 3));
    }
}

TEST(NarrowCountsErrors, AreFoundBeforeAnythingChanges) {
    const std::vector<std::uint32_t> items(300, 1);
    Array<std::uint32_t> in(items), out(300);
    Array<std::uint8_t> count(1);
    const auto refuses = [&](const std::function<void()>& call) {
        EXPECT_EQ(code_of(call), kogge::errc::invalid_argument);
    };
    auto* const place = count.data();
    auto* const is_signed = reinterpret_cast<signed char*>(count.data());
    refuses([&] { kogge::compact(in.data(), out.data(), place, 256, IsOdd{}, kHow); });
    refuses([&] { kogge::compact(in.data(), out.data(), is_signed, 128, IsOdd{}, kHow); });
    refuses([&] { kogge::compact(in.data(), out.data(), kogge::count_at(place), 256, IsOdd{}, kHow); });
    refuses([&] { kogge::partition(in.data(), out.data(), place, 256, IsOdd{}, kHow); });
    refuses([&] { kogge::unique(in.data(), out.data(), place, 256, kHow); });
    refuses([&] { kogge::unique(in.data(), out.data(), static_cast<int*>(nullptr), 9, kHow); });
    EXPECT_TRUE(same(out.get(), std::vector<std::uint32_t>(300, Array<std::uint32_t>::poison())));
    EXPECT_EQ(count.get()[0], Array<std::uint8_t>::poison());
    kogge::compact(in.data(), out.data(), place, 255, IsOdd{}, kHow);
    EXPECT_EQ(count.get()[0], 255u);
}

}  // namespace
