// kogge-test: HOST
// The host backend's scan against a serial one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "kogge/host/scan.hpp"
#include "kogge/operators.hpp"
#include "support/host.hpp"

using namespace host_tests;

namespace {

/// The bicyclic monoid: b^closed a^open. Associative, not commutative.
struct Brackets {
    std::uint32_t closed, open;
};
struct Match {
    Brackets operator()(const Brackets& x, const Brackets& y) const {
        const std::uint32_t matched = std::min(x.open, y.closed);
        return {x.closed + y.closed - matched, x.open + y.open - matched};
    }
};
struct Matrix {
    std::uint32_t a, b, c, d;
};
struct Multiply {
    Matrix operator()(const Matrix& x, const Matrix& y) const {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};

template <class T, class Op>
std::vector<T> serial_scan(const std::vector<T>& in, Op op, const T* init, bool inclusive) {
    std::vector<T> out(in.size());
    if (in.empty()) return out;
    T sum = init ? *init : in[0];
    for (std::size_t i = 0; i < in.size(); ++i) {
        if (!inclusive) out[i] = sum;
        if (init || i > 0) sum = static_cast<T>(op(sum, in[i]));
        if (inclusive) out[i] = sum;
    }
    return out;
}

template <class T, class Op>
void check_scan(const std::vector<T>& in, Op op, T init) {
    for (const int threads : thread_counts())
        for (const int form : {0, 1, 2}) {
            SCOPED_TRACE(testing::Message() << in.size() << " items, " << threads << " threads, form " << form);
            const bool inclusive = form<2, has_init = form> 0;
            const std::vector<T> expected = serial_scan(in, op, has_init ? &init : nullptr, inclusive);
            std::vector<T> out(in.size()), in_place = in;
            host::scan(in.data(), out.data(), in.size(), op, init, has_init, inclusive, threads);
            host::scan(in_place.data(), in_place.data(), in.size(), op, init, has_init, inclusive, threads);
            ASSERT_TRUE(same_bytes(out, expected));
            ASSERT_TRUE(same_bytes(in_place, expected));
        }
}

TEST(HostScan, SumsAndHardOperators) {
    for (const std::uint64_t n : kSizes) {
        check_scan(random_items<std::uint32_t>(n), kogge::plus{}, 17u);
        check_scan(random_items<std::int64_t>(n), kogge::maximum{}, std::int64_t{-5});
        check_scan(random_items<Matrix>(n), Multiply{}, Matrix{1, 2, 3, 5});
        std::vector<Brackets> brackets(n);
        std::mt19937 random(3);
        for (Brackets& b : brackets) b = random() % 2 ? Brackets{0, 1} : Brackets{1, 0};
        check_scan(brackets, Match{}, Brackets{0, 3});
    }
}

TEST(HostScan, LeavesTheNeighboursAlone) {
    constexpr std::uint64_t n = 5'000'001;
    std::vector<std::uint32_t> in = random_items<std::uint32_t>(n + 1);
    for (const std::uint64_t shift : {0, 1}) {
        std::vector<std::uint32_t> expected(n), out(n + 2, 7);
        std::partial_sum(in.begin() + shift, in.begin() + shift + n, expected.begin());
        host::scan(in.data() + shift, out.data() + shift, n, kogge::plus{}, 0u, false, true, 2);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), out.begin() + shift));
        ASSERT_EQ(out[n + 1], 7u);
        if (shift == 1) {
            ASSERT_EQ(out[0], 7u);
        } else {
            ASSERT_EQ(out[n], 7u);
        }
    }
}

TEST(HostScan, FloatsDoNotDependOnThreads) {
    std::vector<float> in(1'000'000);
    std::mt19937 random(5);
    for (float& x : in) x = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 40) - 20);
    std::vector<float> first(in.size());
    host::scan(in.data(), first.data(), in.size(), kogge::plus{}, 0.f, false, true, 1);
    for (const int threads : thread_counts()) {
        std::vector<float> out(in.size());
        host::scan(in.data(), out.data(), in.size(), kogge::plus{}, 0.f, false, true, threads);
        EXPECT_TRUE(same_bytes(out, first)) << threads;
    }
    double exact = 0;
    for (const float x : in) exact += x;
    EXPECT_NEAR(first.back(), exact, 1e-4 * exact);
}

TEST(HostScan, WideAccumulatorsAndSequences) {
    struct Squares {
        std::uint64_t operator[](std::uint64_t i) const { return i * i; }
    };
    constexpr std::uint64_t n = 200'000;
    std::vector<std::uint64_t> out(n);
    host::scan(Squares{}, out.data(), n, kogge::plus{}, std::uint64_t{0}, false, true, 3);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], i * (i + 1) * (2 * i + 1) / 6);
    const std::vector<std::uint8_t> bytes(n, 255);
    host::scan(bytes.data(), out.data(), n, kogge::plus{}, std::uint64_t{0}, true, false, 2);
    for (std::uint64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], 255 * i);
}

TEST(HostScan, ExclusiveNeedsAnInitialValue) {
    const int in = 1;
    int out = 5;
    EXPECT_EQ(code_of([&] { host::scan(&in, &out, 1, kogge::plus{}, 0, false, false, 1); }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(out, 5);
}

}  // namespace
