// kogge-test: EMULATED GPU HOST
// Reductions in every form, beside a fold from the left, and operators that betray an order.
#include "kogge/calls/reduce.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "kogge/calls/segmented_reduce.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
using kogge::maximum;
using kogge::minimum;
using kogge::plus;

/// Around a row, a round, and what a block, a cluster, a wave and more blocks take on a small device.
std::vector<std::size_t> sizes() {
    std::vector<std::size_t> list{0, 1, 2, 31, 127, 128, 129, 511, 1024, 1025, 4095, 16384, 16385, 70001, 131073};
    if (!small()) list.insert(list.end(), {400001, 1200001});
    return list;
}

struct Identity {
    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T& item) const {
        return item;
    }
};

template <class Acc, class T, class Op>
Acc folded(const std::vector<T>& items, Op op, Acc fold) {
    for (const T& item : items) fold = static_cast<Acc>(op(fold, static_cast<Acc>(item)));
    return fold;
}

/// As `check` says, of items and of the same in all forms; `none` is the result without items.
template <class T, class Acc, class Op>
void check(const std::vector<T>& items, Op op, Acc none, Acc init, std::size_t offset = 0) {
    const std::size_t n = items.size();
    SCOPED_TRACE(std::to_string(n) + " items of " + std::to_string(sizeof(T)) + " bytes");
    const Array<T> in(items, offset);
    const kogge::exec how{.where = kWhere};
    Acc want = none;
    if (n > 0) {
        want = static_cast<Acc>(items[0]);
        for (std::size_t i = 1; i < n; ++i) want = static_cast<Acc>(op(want, static_cast<Acc>(items[i])));
    }
    Array<Acc> out(1, 1), from_init(1);
    kogge::reduce(in.data(), out.data(), n, op, how);
    EXPECT_TRUE(same(out.get(), {want}));
    kogge::reduce(in.data(), from_init.data(), n, op, init, how);
    EXPECT_TRUE(same(from_init.get(), {folded(items, op, init)}));
    const auto returned = static_cast<Acc>(kogge::reduce(in.data(), n, op, init, how));
    EXPECT_TRUE(same(std::vector<Acc>{returned}, {folded(items, op, init)}));
    if constexpr (std::is_same_v<T, Acc>) {
        EXPECT_TRUE(same(std::vector<Acc>{kogge::reduce(in.data(), n, op, how)}, {want}));
    }
}

template <class T>
void check_numbers(std::size_t n, std::size_t offset) {
    auto items = random_items<T>(n, n + 1);
    if constexpr (std::is_floating_point_v<T>)  // whose sums are exact
        for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(static_cast<int>(i * 7 % 15) - 7);
    using Limits = std::numeric_limits<T>;
    const T least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    const T greatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
    check<T, T>(items, plus{}, T{}, T{3}, offset);
    check<T, T>(items, maximum{}, least, T{3}, offset);
    check<T, T>(items, minimum{}, greatest, T{3}, offset);
}
TEST(Reduce, Numbers) {
    const Pretending device(2);
    for (const std::size_t n : sizes()) {
        check_numbers<std::uint32_t>(n, 0);
        check_numbers<std::uint32_t>(n, n % 3);
    }
    for (const std::size_t n : {0, 1000, 20001, 270001}) {
        check_numbers<std::uint8_t>(n, 0);
        check_numbers<std::uint8_t>(n, 1);
        check_numbers<std::int16_t>(n, 0);
        check_numbers<std::int64_t>(n, 1);
        check_numbers<float>(n, 0);
        check_numbers<double>(n, 0);
    }
}
TEST(Reduce, SumsOfOtherTypes) {
    const Pretending device(2);
    for (const std::size_t n : {0, 1000, 70001, 270001}) {
        check<std::uint8_t, std::uint64_t>(random_items<std::uint8_t>(n), plus{}, 0, 1000000000000);
        check<std::uint32_t, std::uint64_t>(random_items<std::uint32_t>(n), plus{}, 0, 5);
        check<std::uint64_t, std::uint16_t>(random_items<std::uint64_t>(n), plus{}, 0, 5);
    }
    std::vector<kogge::half> halves(70001);
    for (std::size_t i = 0; i < halves.size(); ++i)
        halves[i] = {static_cast<std::uint16_t>(i % 2 == 0 ? 0x3c00 : 0x4200)};  // 1 and 3
    check<kogge::half, float>(halves, plus{}, 0.0f, 8.0f);
}

struct Larger {
    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return a < b ? b : a;
    }
};
TEST(Reduce, ALiteralZeroNarrowsNothing) {
    const std::size_t n = 3000;
    const Array<double> halves(std::vector<double>(n, 0.5));
    const Array<std::uint64_t> large(std::vector<std::uint64_t>(n, std::uint64_t{1} << 31));
    Array<double> sum(1), of_rows(2);
    Array<std::uint64_t> whole(1);
    kogge::reduce(halves.data(), sum.data(), n, plus{}, 0);
    EXPECT_TRUE(same(sum.get(), {1500.0}));
    kogge::transform_reduce(large.data(), whole.data(), n, Identity{}, plus{}, 0);
    EXPECT_TRUE(same(whole.get(), {std::uint64_t{n} << 31}));
    kogge::segmented_reduce(halves.data(), of_rows.data(), kogge::rows_of{n / 2, 2}, plus{}, 1);
    EXPECT_TRUE(same(of_rows.get(), {751.0, 751.0}));
    EXPECT_EQ(kogge::reduce(halves.data(), n, plus{}, 0), 1500.0);
    EXPECT_EQ(kogge::reduce(large.data(), n, plus{}, 0), std::uint64_t{n} << 31);
}

TEST(Reduce, KeepsTheOrder) {
    const Pretending device(2);
    for (const std::size_t n : sizes()) {
        std::vector<Bicyclic> brackets(n);
        std::vector<Matrix> matrices(n);
        Random random(n);
        for (auto& item : brackets) item = random() % 2 == 0 ? Bicyclic{1, 0} : Bicyclic{0, 1};
        for (auto& item : matrices)
            item = {static_cast<std::uint32_t>(random()), static_cast<std::uint32_t>(random()), 1, 3};
        check<Bicyclic, Bicyclic>(brackets, JoinBrackets{}, {}, {2, 5});
        check<Matrix, Matrix>(matrices, Multiply{}, {}, {1, 2, 3, 5});
        check<std::uint32_t, std::uint32_t>(random_items<std::uint32_t>(n), Larger{}, 0, 77);
    }
}

struct Wide {
    std::uint32_t word[25];
};
struct AddWide {
    KOGGE_HOST_DEVICE Wide operator()(const Wide& a, const Wide& b) const {
        Wide sum;
        for (int i = 0; i < 25; ++i) sum.word[i] = 3 * a.word[i] * b.word[i] + a.word[i] + b.word[i];
        return sum;
    }
};
struct Odd12 {
    std::uint32_t a, b, c;
};
struct JoinOdd {
    KOGGE_HOST_DEVICE Odd12 operator()(const Odd12& x, const Odd12& y) const {
        return {x.a * y.a, x.b * y.a + y.b, x.c + y.c};
    }
};
TEST(Reduce, Structs) {
    const Pretending device(2);
    for (const std::size_t n : {0, 1, 999, 20001}) {
        check<Wide, Wide>(random_items<Wide>(n), AddWide{}, {}, random_items<Wide>(1, 9)[0]);
        check<Odd12, Odd12>(random_items<Odd12>(n), JoinOdd{}, {}, {1, 2, 3});
    }
}

/// Neither trivially copyable nor with a default constructor.
class Box {
public:
    KOGGE_HOST_DEVICE explicit Box(float low, float high) : low_(low), high_(high) {}
    KOGGE_HOST_DEVICE Box(const Box& other) : low_(other.low_), high_(other.high_) {}
    KOGGE_HOST_DEVICE float low() const { return low_; }
    KOGGE_HOST_DEVICE float high() const { return high_; }

private:
    const float low_, high_;
};
struct Around {
    KOGGE_HOST_DEVICE Box operator()(const Box& a, const Box& b) const {
        return Box(a.low() < b.low() ? a.low() : b.low(), a.high() > b.high() ? a.high() : b.high());
    }
};

}  // namespace
template <>
inline constexpr bool kogge::travels_as_bytes<Box> = true;
namespace {

struct Point {
    float x;
};
struct BoxOf {
    KOGGE_HOST_DEVICE Box operator()(const Point& point) const { return Box(point.x - 1, point.x + 1); }
};
TEST(Reduce, ItemsWithoutADefault) {
    std::vector<Point> points(30001);
    for (std::size_t i = 0; i < points.size(); ++i) points[i].x = static_cast<float>(i * 31 % 30001);
    const Array<Point> in(points);
    const Box all = kogge::transform_reduce(in.data(), points.size(), BoxOf{}, Around{}, Box(5, 6), {.where = kWhere});
    EXPECT_EQ(all.low(), -1.0f);
    EXPECT_EQ(all.high(), 30001.0f);
    const Box none = kogge::transform_reduce(in.data(), 0, BoxOf{}, Around{}, Box(5, 6), {.where = kWhere});
    EXPECT_EQ(none.high(), 6.0f);
}

struct Square {
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint32_t x) const { return std::uint64_t{x} * x; }
};
struct Counting {
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return static_cast<std::uint32_t>(i * i); }
};
TEST(Reduce, TransformedItems) {
    const Pretending device(2);
    const kogge::exec how{.where = kWhere};
    for (const std::size_t n : {0, 1, 1025, 70001}) {
        const auto items = random_items<std::uint32_t>(n);
        const Array<std::uint32_t> in(items);
        std::uint64_t want = 0;
        for (const std::uint32_t item : items) want += Square{}(item);
        Array<std::uint64_t> out(1);
        kogge::transform_reduce(in.data(), out.data(), n, Square{}, how);
        EXPECT_EQ(out.get()[0], want);
        kogge::transform_reduce(in.data(), out.data(), n, Square{}, plus{}, std::uint64_t{5}, how);
        EXPECT_EQ(out.get()[0], want + 5);
        EXPECT_EQ(kogge::transform_reduce(in.data(), n, Square{}, how), want);
        EXPECT_EQ(kogge::transform_reduce(in.data(), n, Square{}, plus{}, how), want);
        EXPECT_EQ(kogge::transform_reduce(in.data(), n, Square{}, plus{}, std::uint64_t{5}, how), want + 5);
    }
}
TEST(Reduce, ItemsThatAreNoArray) {
    const Pretending device(2);
    for (const std::size_t n : {1, 1025, 300001}) {
        std::uint32_t sum = 0;
        std::uint32_t last = 0;
        for (std::uint64_t i = 0; i < n; ++i) sum += Counting{}[i], last = std::max(last, Counting{}[i]);
        Array<std::uint32_t> out(1);
        kogge::reduce(Counting{}, out.data(), n);
        EXPECT_EQ(out.get()[0], sum);
        kogge::reduce(Counting{}, out.data(), n, Larger{});
        EXPECT_EQ(out.get()[0], last);
        EXPECT_EQ(kogge::reduce(Counting{}, n, {.where = kWhere}), sum);
    }
}

TEST(Reduce, FloatsAreTheSameFromRunToRun) {
    const Pretending device(2);
    for (const std::size_t n : {20001, 140001, 700001}) {
        if (small() && n > 200000) break;
        std::vector<float> items(n);
        Random random(n);
        for (float& item : items) item = static_cast<float>(static_cast<double>(random() >> 11) * 0x1p-53);
        const Array<float> in(items), moved(items, 1);
        Array<float> out(1);
        kogge::reduce(in.data(), out.data(), n);
        const auto want = out.get();
        for (int run = 0; run < 3; ++run) {
            kogge::reduce(run % 2 == 0 ? moved.data() : in.data(), out.data(), n, {.host_threads = run + 1});
            EXPECT_TRUE(same(out.get(), want));
        }
        EXPECT_NEAR(static_cast<double>(want[0]), static_cast<double>(n) / 2, static_cast<double>(n) / 200);
    }
}

template <class T>
void check_offsets(std::size_t n) {
    auto items = random_items<T>(n, n);
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t i = 0; i < n; ++i) items[i] = static_cast<T>(static_cast<std::uint32_t>(i) * 2654435761u) / 7;
    std::vector<T> sums;
    for (const std::size_t offset : {0, 1, 2, 3, 5}) {
        const Array<T> in(items, offset);
        Array<T> out(1);
        kogge::reduce(in.data(), out.data(), n);
        sums.push_back(out.get()[0]);
        if constexpr (std::is_integral_v<T>) {
            EXPECT_EQ(sums.back(), folded(items, plus{}, T{}));
            kogge::reduce(in.data(), out.data(), n, maximum{});
            EXPECT_EQ(out.get()[0], folded(items, maximum{}, items[0]));
            kogge::reduce(in.data(), out.data(), n, Larger{});
            EXPECT_EQ(out.get()[0], folded(items, maximum{}, items[0]));
        }
    }
    EXPECT_TRUE(same(sums, std::vector<T>(sums.size(), sums[0])));  // alignment does not matter
}
TEST(Reduce, AroundPiecesRowsAndRounds) {
    const Pretending device(2);
    for (const std::size_t n : {1,   3,    4,    5,    16,   17,   63,   127,  128,  129,   511,  513,
                                895, 1023, 1024, 1025, 1151, 2049, 4095, 8191, 8193, 16385, 17409}) {
        SCOPED_TRACE(n);
        check_offsets<std::uint8_t>(n);
        check_offsets<std::int16_t>(n);
        check_offsets<std::uint32_t>(n);
        check_offsets<std::uint64_t>(n);
        check_offsets<float>(n);
        check_offsets<double>(n);
    }
}

TEST(Reduce, ANaNWins) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const std::size_t n : {10, 5001}) {
        std::vector<float> items(n, 3.0f);
        items[n / 3] = nan;
        const Array<float> in(items);
        EXPECT_TRUE(std::isnan(kogge::reduce(in.data(), n, maximum{}, {.where = kWhere})));
        EXPECT_TRUE(std::isnan(kogge::reduce(in.data(), n, minimum{}, {.where = kWhere})));
    }
}

// ---- the first least or greatest item ------------------------------------------------------------------

template <bool greatest, class T>
std::uint64_t first_extreme(const std::vector<T>& items) {
    std::uint64_t best = 0;
    for (std::uint64_t i = 1; i < items.size(); ++i) {
        const bool precedes = greatest ? items[best] < items[i] : items[i] < items[best];
        const bool is_nan = items[i] != items[i], best_is_nan = items[best] != items[best];
        if ((precedes || is_nan) && !best_is_nan) best = i;
    }
    return best;
}
template <class T>
void check_args(const std::vector<T>& items, std::size_t offset) {
    const std::size_t n = items.size();
    SCOPED_TRACE(std::to_string(n) + " items of " + std::to_string(sizeof(T)) + " bytes, offset " +
                 std::to_string(offset));
    const kogge::exec how{.where = kWhere};
    const Array<T> in(items, offset);
    const std::uint64_t least = first_extreme<false>(items), greatest = first_extreme<true>(items);
    Array<T> item(1);
    Array<std::uint32_t> index(1);
    Array<std::int64_t> wide(1);
    kogge::arg_min(in.data(), item.data(), index.data(), n, how);
    EXPECT_EQ(index.get()[0], least);
    EXPECT_TRUE(same(item.get(), {items[least]}));
    kogge::arg_max(in.data(), item.data(), wide.data(), n, how);
    EXPECT_EQ(static_cast<std::uint64_t>(wide.get()[0]), greatest);
    EXPECT_TRUE(same(item.get(), {items[greatest]}));
    kogge::arg_min(in.data(), wide.data(), n, how);
    EXPECT_EQ(static_cast<std::uint64_t>(wide.get()[0]), least);
    kogge::arg_max(in.data(), index.data(), n, how);
    EXPECT_EQ(index.get()[0], greatest);
    EXPECT_EQ(kogge::arg_min(in.data(), n, how).index, least);
    const auto found = kogge::arg_max(in.data(), n, how);
    EXPECT_EQ(found.index, greatest);
    EXPECT_TRUE(same(std::vector<T>{found.item}, {items[greatest]}));
}
template <class T>
void check_args(const std::vector<T>& items) {
    check_args(items, items.size() % 3);
}
TEST(ArgReduce, TheFirstOfEquals) {
    const Pretending device(2);
    for (const std::size_t n : sizes()) {
        if (n == 0) continue;
        check_args(random_items<std::uint32_t>(n));
        check_args(items_of<std::uint32_t>(Distribution::two_values, n));
        check_args(items_of<std::uint32_t>(Distribution::one_value, n));
        check_args(random_items<std::int8_t>(n));
        check_args(random_items<double>(n));  // with NaNs and zeros of both signs
        std::vector<float> numbers(n);
        for (std::size_t i = 0; i < n; ++i) numbers[i] = static_cast<float>(i * 7919 % 1009) - 500.0f;
        check_args(numbers);
    }
}

/// What is compared is the first half.
struct Ranked {
    std::uint16_t rank, number;
    KOGGE_HOST_DEVICE friend bool operator<(const Ranked& a, const Ranked& b) { return a.rank < b.rank; }
    bool operator==(const Ranked&) const = default;
};
struct Ranked12 {
    std::uint32_t rank, number, other;
    KOGGE_HOST_DEVICE friend bool operator<(const Ranked12& a, const Ranked12& b) { return a.rank < b.rank; }
    bool operator==(const Ranked12&) const = default;
};
TEST(ArgReduce, AroundPiecesRowsAndRounds) {
    const Pretending device(2);
    for (const std::size_t n :
         {1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 63, 127, 129, 255, 513, 1023, 1025, 1151, 1153, 2049, 4095, 8193, 17409}) {
        std::vector<Ranked> ranked(n);
        std::vector<Ranked12> wide(n);
        for (std::size_t i = 0; i < n; ++i) {
            ranked[i] = {static_cast<std::uint16_t>(3 + i * 7919 % 61), static_cast<std::uint16_t>(i)};
            wide[i] = {static_cast<std::uint32_t>(3 + i * 7919 % 61), static_cast<std::uint32_t>(i), 1};
        }
        for (const std::size_t offset : {0, 1, 3}) {
            check_args(random_items<std::uint8_t>(n), 5 * offset);
            check_args(random_items<std::int16_t>(n), offset);
            check_args(random_items<float>(n, n), offset);
            check_args(random_items<std::uint64_t>(n), offset);
            check_args(ranked, offset);
            check_args(wide, offset);
        }
    }
}
TEST(ArgReduce, ItemsThatAreNoArray) {
    const Pretending device(2);
    for (const std::size_t n : {1, 9, 1025, 70001}) {
        std::vector<std::uint32_t> items(n);
        for (std::size_t i = 0; i < n; ++i) items[i] = Counting{}[i];
        EXPECT_EQ(kogge::arg_min(Counting{}, n, {.where = kWhere}).index, first_extreme<false>(items));
        EXPECT_EQ(kogge::arg_max(Counting{}, n, {.where = kWhere}).index, first_extreme<true>(items));
    }
}

/// Two items that are equal, or NaNs, at places of the same and of different lanes, rows, rounds, warps and blocks.
template <class T>
void check_pairs(std::size_t n, std::size_t offset) {
    SCOPED_TRACE(std::to_string(n) + " items of " + std::to_string(sizeof(T)) + " bytes, offset " +
                 std::to_string(offset));
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const T pairs[][2] = {{nan, nan}, {nan, -nan}, {T{-0.0}, T{0}}, {T{0}, T{-0.0}}, {T{0}, nan}, {nan, T{0}}};
    std::vector<std::size_t> places;
    for (const std::size_t place : {0, 1, 2, 3, 4, 5, 127, 128, 131, 132, 1023, 1024, 1027, 1155, 4096, 40000})
        if (place + 1 < n) places.push_back(place);
    places.push_back(n - 1);
    Random random(n + offset);
    for (std::size_t k = 0; k + 1 < places.size(); ++k) {
        // Each place with its neighbour, and with some other.
        const std::size_t more = places.size() - 1 - k;
        for (const std::size_t later : {places[k + 1], places[k + 1 + random() % more]}) {
            const auto& pair = pairs[random() % 6];
            for (const T rest : {T{1}, T{-1}}) {
                std::vector<T> items(n, rest);
                items[places[k]] = pair[0];
                items[later] = pair[1];
                const Array<T> in(items, offset);
                EXPECT_EQ(kogge::arg_min(in.data(), n, {.where = kWhere}).index, first_extreme<false>(items));
                EXPECT_EQ(kogge::arg_max(in.data(), n, {.where = kWhere}).index, first_extreme<true>(items));
            }
        }
    }
}
TEST(ArgReduce, NaNsAndZerosOfBothSigns) {
    const Pretending device(2);
    for (const std::size_t n : {2, 9, 130, 1000, 1029, 5000}) {
        for (const std::size_t offset : {0, 1, 2, 3}) {
            check_pairs<float>(n, offset);
            check_pairs<double>(n, offset);
        }
    }
    check_pairs<float>(70001, 0);
    check_pairs<float>(70001, 3);
}
TEST(ArgReduce, NoItems) {
    Array<float> in(1), item(1);
    Array<std::uint32_t> index(1);
    kogge::arg_min(in.data(), item.data(), index.data(), 0);
    EXPECT_EQ(index.get()[0], 0xffffffffu);
    EXPECT_EQ(item.get()[0], std::numeric_limits<float>::infinity());
    const auto found = kogge::arg_max(in.data(), 0, {.where = kWhere});
    EXPECT_EQ(found.index, ~std::uint64_t{0});
    EXPECT_EQ(found.item, -std::numeric_limits<float>::infinity());
}

// ---- counts on the device, errors ----------------------------------------------------------------------

#if KOGGE_KERNELS
TEST(Reduce, OfADeviceCount) {
    const Pretending device(2);
    const std::size_t bound = 150001;
    const auto items = random_items<std::uint32_t>(bound);
    const Array<std::uint32_t> in(items);
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{70001},
                                  std::uint64_t{bound}, std::uint64_t{bound} + 9}) {
        const Array<std::uint64_t> number(std::vector<std::uint64_t>{n});
        const kogge::device_count count{number.data(), bound};
        const std::vector<std::uint32_t> front(items.begin(),
                                               items.begin() + static_cast<std::ptrdiff_t>(std::min(n, bound)));
        Array<std::uint32_t> out(1);
        kogge::reduce(in.data(), out.data(), count);
        EXPECT_EQ(out.get()[0], folded(front, plus{}, 0u));
        kogge::reduce(in.data(), out.data(), count, Larger{}, 5u);
        EXPECT_EQ(out.get()[0], folded(front, Larger{}, 5u));
        EXPECT_EQ(kogge::reduce(in.data(), count), folded(front, plus{}, 0u));
        const auto found = kogge::arg_max(in.data(), count);
        EXPECT_EQ(found.index, front.empty() ? ~std::uint64_t{0} : first_extreme<true>(front));
    }
}
#else
TEST(Reduce, ADeviceCountNeedsTheDevice) {
    const std::vector<int> items(9, 1);
    const std::uint64_t n = 9;
    int out = 7;
    EXPECT_EQ(code_of([&] {
                  kogge::reduce(items.data(), &out, kogge::device_count{&n, 9});
              }),
              kogge::errc::invalid_argument);
    EXPECT_EQ(out, 7);
}
#endif

TEST(ReduceErrors, AreFoundBeforeAnythingChanges) {
    const auto items = random_items<std::uint32_t>(1000);
    Array<std::uint32_t> in(items), out(1);
    std::uint32_t* const nowhere = nullptr;
    const std::uint32_t* const nothing = nullptr;
    EXPECT_EQ(code_of([&] { kogge::reduce(in.data(), in.data() + 5, 9); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::reduce(in.data(), nowhere, 9); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::reduce(nothing, out.data(), 9); }), kogge::errc::invalid_argument);
    EXPECT_EQ(code_of([&] { kogge::arg_min(in.data(), out.data(), out.data(), 9); }), kogge::errc::overlap);
    EXPECT_EQ(code_of([&] { kogge::arg_min(Counting{}, out.data(), (std::uint64_t{1} << 32) + 1); }),
              kogge::errc::invalid_argument);
    EXPECT_TRUE(same(in.get(), items));
    EXPECT_TRUE(same(out.get(), {Array<std::uint32_t>::poison()}));
    kogge::reduce(in.data(), in.data() + 9, 9);  // behind what is read
    EXPECT_EQ(in.get()[9], folded(std::vector(items.begin(), items.begin() + 9), plus{}, 0u));
}

#if !KOGGE_KERNELS
struct Throws {
    int operator()(int a, int b) const { return b == 5 ? throw 5 : a + b; }
};
TEST(ReduceErrors, WhatTheOperatorThrows) {
    std::vector<int> items(400000, 1);
    items[300000] = 5;
    int out = 7;
    EXPECT_THROW(kogge::reduce(items.data(), &out, items.size(), Throws{}), int);
    EXPECT_EQ(out, 7);
}
#endif

}  // namespace
