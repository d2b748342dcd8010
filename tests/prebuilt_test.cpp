// kogge-test: EMULATED HOST
// Plain C++ that calls the library's device code, where the library has a device: what is prebuilt works, and what is
// not says so before anything has changed.
#undef KOGGE_EMULATED  // kernels are the library's here, not this file's
#define KOGGE_EMULATED 0
#include "kogge/prebuilt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/device_array.hpp"
#include "support/inputs.hpp"

namespace {

using kogge::backend;
using kogge::errc;
using kogge::test::DeviceArray;
using tests::random_items;
using Word = std::uint32_t;
using Number = std::uint64_t;

class Prebuilt : public ::testing::Test {
protected:
    void SetUp() override {
        if (kogge::simt::device_count() == 0) GTEST_SKIP() << "the library has no device";
    }
};

struct Three {
    std::uint8_t bytes[3];
    friend bool operator==(const Three&, const Three&) = default;
};
bool is_odd(Word item) { return item % 2 == 1; }

template <class T, class Keep>
std::vector<T> kept_of(const std::vector<T>& items, const Keep& keep) {
    std::vector<T> kept;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (keep(i)) kept.push_back(items[i]);
    return kept;
}
template <class T>
std::vector<T> front(const DeviceArray<T>& array, std::size_t n) {
    std::vector<T> items = array.values();
    items.resize(n);
    return items;
}

TEST_F(Prebuilt, CompactionsAreThere) {
    const std::size_t n = 20011;
    const auto x = random_items<Word>(n, 1);
    const auto y = random_items<double>(n, 2);
    const auto marks = random_items<std::uint8_t>(n, 3);
    const auto want_low = kept_of(x, [&](std::size_t i) { return x[i] < 1u << 31; });
    std::vector<std::uint8_t> bits;
    for (const std::uint8_t mark : marks) bits.push_back(mark % 3);
    const auto want = kept_of(x, [&](std::size_t i) { return bits[i] != 0; });
    const auto is_kept = [&](std::size_t i) { return bits[i] != 0; };

    const DeviceArray<Word> in_x(x);
    const DeviceArray<double> in_y(y);
    const DeviceArray<std::uint8_t> flags(bits);
    const DeviceArray<Word> out_x(n, 0);
    const DeviceArray<double> out_y(n, 0);
    const DeviceArray<Number> count(1, 0);
    const kogge::compare<Word> low{kogge::relation::less, 1u << 31};
    const kogge::count_at place(count.data());

    EXPECT_EQ(kogge::compact(in_x.data(), n, out_x.data(), place, low), want_low.size());
    EXPECT_EQ(count.values()[0], want_low.size());
    EXPECT_EQ(front(out_x, want_low.size()), want_low);
    EXPECT_EQ(kogge::compact(kogge::arrays(in_x.data()), n, kogge::arrays(out_x.data()), low), want_low.size());
    EXPECT_EQ(kogge::partition(in_x.data(), n, out_x.data(), place, low), want_low.size());
    EXPECT_EQ(kogge::compact_flags(in_x.data(), flags.data(), n, out_x.data()), want.size());
    EXPECT_EQ(front(out_x, want.size()), want);

    const DeviceArray<Word> again(n, 0);
    EXPECT_EQ(kogge::compact_flags(kogge::arrays(in_x.data(), in_y.data()), flags.data(), n,
                                   kogge::arrays(again.data(), out_y.data()), place),
              want.size());
    EXPECT_EQ(count.values()[0], want.size());
    EXPECT_EQ(front(again, want.size()), want);
    const auto kept_y = kept_of(y, is_kept), got_y = front(out_y, want.size());
    EXPECT_EQ(std::memcmp(got_y.data(), kept_y.data(), kept_y.size() * sizeof(double)), 0);
}

TEST_F(Prebuilt, WhatIsNotChangesNothing) {
    const std::size_t n = 1000;
    const DeviceArray<Word> in(random_items<Word>(n)), out(n, 7), more(n, 7);
    const DeviceArray<Three> threes(random_items<Three>(n)), threes_out(n, Three{{1, 2, 3}});
    const DeviceArray<std::uint8_t> flags(n, 1);
    const DeviceArray<Number> count(1, 5);
    const kogge::count_at place(count.data());
    const kogge::compare<Word> low{kogge::relation::less, 1u << 31};
    const std::function<void()> calls[] = {
        [&] { kogge::compact(in.data(), n, out.data(), is_odd); },
        [&] { kogge::compact(in.data(), n, out.data(), count.data(), is_odd); },
        [&] { kogge::compact_flags(in.data(), kogge::bit_mask(more.data()), n, out.data()); },
        [&] { kogge::compact_stencil(in.data(), more.data(), n, out.data(), low); },
        [&] { kogge::compact_stencil(in.data(), more.data(), n, out.data(), place, low); },
        [&] {
            kogge::compact(kogge::arrays(in.data(), in.data()), n, kogge::arrays(out.data(), more.data()), place, low);
        },
        // The words alone could move, in both orders.
        [&] {
            kogge::compact_flags(kogge::arrays(threes.data(), in.data()), flags.data(), n,
                                 kogge::arrays(threes_out.data(), out.data()), place);
        },
        [&] {
            kogge::compact_flags(kogge::arrays(in.data(), in.data(), threes.data()), flags.data(), n,
                                 kogge::arrays(out.data(), more.data(), threes_out.data()), count.data());
        },
        [&] { kogge::unique(in.data(), n, out.data(), place); },
        [&] { kogge::run_length_encode(in.data(), n, out.data(), more.data(), place); },
        [&] {
            kogge::emit(
                n, out.data(), n, place, [](Number) { return 1; }, [](Number, Number) { return Word{0}; }, nullptr,
                {.where = backend::device});
        },
    };
    int number = 0;
    for (const auto& call : calls) {
        SCOPED_TRACE(number++);
        try {
            call();
            ADD_FAILURE() << "nothing was thrown";
        } catch (const kogge::error& failure) {
            EXPECT_EQ(failure.code(), errc::not_built);
        }
        EXPECT_EQ(out.values(), std::vector<Word>(n, 7));
        EXPECT_EQ(more.values(), std::vector<Word>(n, 7));
        EXPECT_EQ(threes_out.values(), std::vector<Three>(n, Three{{1, 2, 3}}));
        EXPECT_EQ(count.values()[0], 5u);
    }
}

}  // namespace
