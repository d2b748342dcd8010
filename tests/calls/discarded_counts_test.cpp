// kogge-test: EMULATED GPU HOST
// kogge::discard as the place for a number: nothing is written, and nothing waits.
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/backend.hpp"
#include "support/front.hpp"
#include "support/inputs.hpp"

namespace {

using namespace tests;
constexpr std::size_t kItems = 5'003;
constexpr kogge::discard kNowhere{};
const kogge::exec kHow{.where = kWhere};

struct IsOdd {
    KOGGE_HOST_DEVICE bool operator()(std::uint32_t item) const { return item % 2 == 1; }
};
struct Two {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t) const { return 2; }
};
struct Sum {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i, std::uint64_t k) const {
        return static_cast<std::uint32_t>(i + k);
    }
};

/// Calls call(out, place…, n) with no place, which returns the number, and with that of a number that is discarded,
/// which returns nothing. Both write the same.
template <class Call>
void expect_same(std::size_t room, const Call& call) {
    Array<std::uint32_t> returned(room), discarded(room);
    EXPECT_GT(call(returned.data()), 0u);
    static_assert(std::is_void_v<decltype(call(discarded.data(), kNowhere))>);
    call(discarded.data(), kNowhere);
    EXPECT_TRUE(same(discarded.get(), returned.get()));
}

TEST(DiscardedCounts, LeaveResultsAsTheyAre) {
    auto items = random_items<std::uint32_t>(kItems);
    for (std::uint32_t& item : items) item %= 5;
    const std::vector<std::uint8_t> bytes(items.begin(), items.end());
    const Array<std::uint32_t> in(items);
    const Array<std::uint8_t> flags(bytes);
    Array<std::uint32_t> keys(kItems);
    const auto* const from = in.data();
    const auto* const set = flags.data();
    const std::size_t n = kItems;
    expect_same(n, [&](auto* out, auto... place) { return kogge::compact(from, out, place..., n, IsOdd{}, kHow); });
    expect_same(n, [&](auto* out, auto... place) { return kogge::compact_flags(from, set, out, place..., n, kHow); });
    expect_same(n, [&](auto* out, auto... place) {
        return kogge::compact_stencil(from, from, out, place..., n, IsOdd{}, kHow);
    });
    expect_same(n, [&](auto* out, auto... place) { return kogge::compact_indices(set, out, place..., n, kHow); });
    expect_same(n, [&](auto* out, auto... place) { return kogge::partition(from, out, place..., n, IsOdd{}, kHow); });
    expect_same(n, [&](auto* out, auto... place) { return kogge::partition_flags(from, set, out, place..., n, kHow); });
    expect_same(n, [&](auto* out, auto... place) { return kogge::unique(from, out, place..., n, kHow); });
    expect_same(n, [&](auto* out, auto... place) {
        return kogge::unique_by_key(from, kogge::positions{}, keys.data(), out, place..., n, kHow);
    });
    expect_same(n, [&](auto* out, auto... place) {
        return kogge::run_length_encode(from, kogge::discard{}, out, place..., n, kHow);
    });
    expect_same(n, [&](auto* out, auto... place) {
        return kogge::reduce_by_key(from, from, kogge::discard{}, out, place..., n, kHow);
    });
    expect_same(2 * n,
                [&](auto* out, auto... place) { return kogge::emit(out, 2 * n, place..., n, Two{}, Sum{}, kHow); });
    expect_same(n, [&](auto* out, auto... place) {
        return kogge::compact(kogge::arrays(from), kogge::arrays(out), place..., n, IsOdd{}, kHow);
    });
}

TEST(DiscardedCounts, OfNoItems) {
    Array<std::uint32_t> out(1);
    kogge::unique(out.data(), out.data(), kNowhere, 0, kHow);
    kogge::compact(out.data(), out.data(), kNowhere, 0, IsOdd{}, kHow);
    EXPECT_EQ(out.get()[0], Array<std::uint32_t>::poison());
}

}  // namespace
