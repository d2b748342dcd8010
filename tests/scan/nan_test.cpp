// kogge-test: EMULATED GPU HOST
// maximum and minimum beside NaNs: associative to the bit, and the same in every form of a scan.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "kogge/scan.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;

template <class T>
using Bits = kogge::detail::unsigned_of<sizeof(T)>;
template <class T>
Bits<T> bits_of(const T& value) {
    return std::bit_cast<Bits<T>>(value);
}
template <class T>
std::vector<Bits<T>> bits_of(const std::vector<T>& values) {
    std::vector<Bits<T>> bits;
    for (const T& value : values) bits.push_back(bits_of(value));
    return bits;
}

/// NaNs of both signs and of several payloads, zeros, infinities and numbers.
template <class T>
std::vector<T> special_values() {
    constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const auto with_payload = [&](int payload) {
        return std::bit_cast<T>(static_cast<Bits<T>>(bits_of(nan) + static_cast<Bits<T>>(payload)));
    };
    return {nan, -nan, with_payload(1), with_payload(2), T(0), -T(0), infinity, -infinity, T(1), T(5), T(-5)};
}

template <class T, class Op>
void expect_nans_win_associatively(Op op) {
    const auto values = special_values<T>();
    for (const T a : values)
        for (const T b : values) {
            const T both = op(a, b), turned = op(b, a);
            EXPECT_EQ(both != both, a != a || b != b) << a << ' ' << b;
            EXPECT_TRUE(both == turned || (both != both && turned != turned)) << a << ' ' << b;
            for (const T c : values)
                EXPECT_EQ(bits_of(op(op(a, b), c)), bits_of(op(a, op(b, c)))) << a << ' ' << b << ' ' << c;
        }
}
TEST(Nans, WinAssociatively) {
    expect_nans_win_associatively<float>(kogge::maximum{});
    expect_nans_win_associatively<float>(kogge::minimum{});
    expect_nans_win_associatively<double>(kogge::maximum{});
    expect_nans_win_associatively<double>(kogge::minimum{});
}
static_assert(kogge::maximum{}(-1, 2) == 2 && kogge::minimum{}(-1, 2) == -1);

/// The first items without a NaN, so that not all results are one, then all special values.
template <class T>
std::vector<T> mixed_items(std::size_t n, std::size_t first_nan) {
    const auto values = special_values<T>();
    std::vector<T> items;
    for (const std::uint32_t word : random_items<std::uint32_t>(n)) {
        const bool special = items.size() >= first_nan && word % 64 == 0;
        items.push_back(special ? values[word / 64 % values.size()] : T(static_cast<float>(word % 4096) - 2048));
    }
    return items;
}

template <class T, class Op>
void expect_serial_results(Op op) {
    const Pretending device(2);
    constexpr kogge::grid_strategy strategies[] = {kogge::grid_strategy::automatic, kogge::on_chip, kogge::two_level};
    for (const std::size_t n : {1u, 33u, 2'017u, 65'601u, 300'007u}) {
        if (small() && n > 100'000) continue;
        const auto items = mixed_items<T>(n, n / 3);
        std::vector<T> want{items[0]};
        for (std::size_t i = 1; i < n; ++i) want.push_back(op(want.back(), items[i]));
        const Array<T> in(items);
        for (const auto strategy : strategies) {
            Array<T> out(n);
            kogge::inclusive_scan(in.data(), out.data(), n, op, {.grid = strategy});
            EXPECT_TRUE(bits_of(out.get()) == bits_of(want)) << n << ' ' << kogge::to_string(strategy);
        }
    }
}
TEST(Nans, ScansOfFloats) {
    expect_serial_results<float>(kogge::maximum{});
    expect_serial_results<float>(kogge::minimum{});
}
TEST(Nans, ScansOfDoubles) {
    expect_serial_results<double>(kogge::maximum{});
    expect_serial_results<double>(kogge::minimum{});
}

/// A NaN near the beginning decides everything behind it, whichever blocks the items are in.
TEST(Nans, OneDecidesAllBehindIt) {
    const Pretending device(2);
    std::vector<float> items(65'601, 1.0f);
    items[1] = std::numeric_limits<float>::quiet_NaN();
    items[2] = 5;
    const Array<float> in(items);
    Array<float> out(items.size());
    kogge::inclusive_scan(in.data(), out.data(), items.size(), kogge::maximum{});
    const auto results = out.get();
    EXPECT_EQ(results[0], 1.0f);
    std::size_t numbers = 0;
    for (const float result : results) numbers += result == result ? 1 : 0;
    EXPECT_EQ(numbers, 1u);
}

#if defined(__CUDACC__)
TEST(Nans, OfCudasHalves) {
    std::vector<__half> values;
    std::vector<__nv_bfloat16> others;
    for (const float value : special_values<float>()) values.push_back(__float2half(value)), others.push_back(value);
    const auto check = [](const auto& items, auto op) {
        for (const auto& a : items)
            for (const auto& b : items) {
                const float first = static_cast<float>(a), second = static_cast<float>(b);
                const auto got = static_cast<float>(op(a, b)), want = op(first, second);
                EXPECT_TRUE(got == want || (got != got && want != want)) << first << ' ' << second;
            }
    };
    check(values, kogge::maximum{}), check(values, kogge::minimum{});
    check(others, kogge::maximum{}), check(others, kogge::minimum{});
}
#endif

}  // namespace
