// kogge-test: EMULATED
// Device data and plain C++, which compiles no kernels: calls on numbers find the library's own device code, all others
// say that they are not built, and change nothing. tests/CMakeLists.txt has it compiled for a GPU, too, and not by
// nvcc.
#undef KOGGE_EMULATED  // as a user's file; the library runs on the emulated device all the same
#include "kogge/detail/prebuilt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/kogge.hpp"
#include "support/device_array.hpp"
#include "support/inputs.hpp"

static_assert(!KOGGE_KERNELS, "this is no file for nvcc");

namespace {

using kogge::test::DeviceArray;
using Word = std::uint32_t;
using Number = std::uint64_t;

template <class T>
std::vector<T> front(const DeviceArray<T>& array, std::size_t n) {
    auto items = array.values();
    items.resize(n);
    return items;
}

// ---- what is built -------------------------------------------------------------------------------------

/// What tells a plan's kernels from another's.
template <class Plan>
std::string way_of(const Plan& plan) {
    return std::string(to_string(plan.way)) + " of " + std::to_string(plan.launches) + "; ";
}

template <class T>
class Prebuilt : public ::testing::Test {
protected:
    /// What a block takes, and what a device does; the least that takes each other way, as way(n, device) has it; and
    /// many words.
    template <class Way>
    static std::vector<std::size_t> sizes(const Way& way) {
        std::vector<std::size_t> list{1000, 30'001};
        if (std::getenv("KOGGE_TEST_SMALL")) return list;
        const bool is_gpu = kogge::simt::runtime_name() == std::string("cuda");
        const std::size_t most = is_gpu ? 11'000'001 : 30'001;
        const kogge::device_properties device = kogge::simt::properties_of(nullptr);
        std::set<std::string> taken{way(list[0], device), way(list[1], device)};
        for (std::size_t n = list[0], next = 0; n < most; n = next) {
            next = std::min(n + n / 8, most);
            const std::string own = way(n, device);
            if (way(next, device) == own) continue;
            for (std::size_t before = n; next - before > 1;) {
                const std::size_t middle = (before + next) / 2;
                (way(middle, device) == own ? before : next) = middle;
            }
            if (taken.insert(way(next, device)).second) list.push_back(next);
        }
        if (is_gpu && (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>)) list.push_back(most);
        return list;
    }
    /// So small that sums of floats are exact; of signed types, some negative.
    static std::vector<T> items(std::size_t n) {
        std::vector<T> list;
        for (const Word word : tests::random_items<Word>(n)) {
            const int value = static_cast<int>(word >> 30) - (std::numeric_limits<T>::is_signed ? 1 : 0);
            list.push_back(static_cast<T>(value));
        }
        return list;
    }
};
using Numbers = ::testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                                 std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(Prebuilt, Numbers);

template <class T, class Op>
void check_scans(const std::vector<T>& items, Op op) {
    const DeviceArray<T> in(items), inclusive(items.size(), T{}), exclusive(items.size(), T{});
    kogge::inclusive_scan(in.data(), inclusive.data(), items.size(), op);
    kogge::exclusive_scan(in.data(), exclusive.data(), items.size(), T{1}, op);
    std::vector<T> want, before;
    for (T sum = 1; const T& item : items) {
        want.push_back(want.empty() ? item : static_cast<T>(op(want.back(), item)));
        before.push_back(sum);
        sum = static_cast<T>(op(sum, item));
    }
    EXPECT_TRUE(inclusive.values() == want);
    EXPECT_TRUE(exclusive.values() == before);
}
TYPED_TEST(Prebuilt, Scans) {
    const auto way = [](std::size_t count, const kogge::device_properties& device) {
        return way_of(kogge::plan_scan<TypeParam>(count, {}, device));
    };
    for (const std::size_t n : this->sizes(way)) {
        SCOPED_TRACE(n);
        const auto items = this->items(n);
        check_scans(items, kogge::plus{});
        check_scans(items, kogge::maximum{});
        check_scans(items, kogge::minimum{});
    }
}

/// The indices of byte flags and of bits, where a device writes them by waves and by tiles.
template <class T>
class PrebuiltIndices : public Prebuilt<T> {};
using IndexTypes = ::testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(PrebuiltIndices, IndexTypes);
TYPED_TEST(PrebuiltIndices, OfFlags) {
    const auto way = [](std::size_t count, const kogge::device_properties& device) {
        return way_of(kogge::plan_compact(count, sizeof(TypeParam), false, false, device));
    };
    for (const std::size_t n : this->sizes(way)) {
        SCOPED_TRACE(n);
        const auto words = tests::random_items<Word>(n / 32 + 1);
        std::vector<std::uint8_t> flags;
        std::vector<TypeParam> want;
        for (std::size_t i = 0; i < n; ++i) {
            flags.push_back(static_cast<std::uint8_t>(words[i / 32] >> i % 32 & 1u));
            if (flags[i] != 0) want.push_back(static_cast<TypeParam>(i));
        }
        const DeviceArray<std::uint8_t> bytes(flags);
        const DeviceArray<Word> bits(words);
        const DeviceArray<TypeParam> out(n, TypeParam{});
        EXPECT_EQ(kogge::compact_indices(bytes.data(), out.data(), n), want.size());
        EXPECT_TRUE(front(out, want.size()) == want);
        const DeviceArray<TypeParam> others(n, TypeParam{});
        const DeviceArray<Number> count(1, Number{});
        kogge::compact_indices(kogge::bit_mask(bits.data()), others.data(), count.data(), n);
        EXPECT_EQ(count.values()[0], want.size());
        EXPECT_TRUE(front(others, want.size()) == want);
    }
}

template <class T, class Op>
void check_reductions(const std::vector<T>& items, Op op) {
    const DeviceArray<T> in(items), out(1, T{});
    T want = items[0];
    for (std::size_t i = 1; i < items.size(); ++i) want = static_cast<T>(op(want, items[i]));
    kogge::reduce(in.data(), out.data(), items.size(), op);
    EXPECT_EQ(out.values()[0], want);
    EXPECT_EQ(kogge::reduce(in.data(), items.size(), op, T{1}), static_cast<T>(op(T{1}, want)));
}
TYPED_TEST(Prebuilt, Reductions) {
    const auto way = [](std::size_t count, const kogge::device_properties& device) {
        constexpr std::size_t bytes = sizeof(TypeParam), indexed = sizeof(kogge::detail::Indexed<TypeParam>);
        return way_of(kogge::plan_reduce(count, {bytes, bytes}, device)) +
               way_of(kogge::plan_reduce(count, {bytes, indexed}, device));
    };
    for (const std::size_t n : this->sizes(way)) {
        SCOPED_TRACE(n);
        const auto items = this->items(n);
        check_reductions(items, kogge::plus{});
        check_reductions(items, kogge::maximum{});
        check_reductions(items, kogge::minimum{});
        const DeviceArray<TypeParam> in(items);
        const auto least = std::min_element(items.begin(), items.end());
        const auto greatest = std::max_element(items.begin(), items.end());
        EXPECT_EQ(kogge::arg_min(in.data(), n).index, static_cast<Number>(least - items.begin()));
        EXPECT_EQ(kogge::arg_max(in.data(), n).index, static_cast<Number>(greatest - items.begin()));
    }
}

template <class T, class Sum>
void check_sums() {
    const std::size_t n = 30'001;
    std::vector<T> items;
    std::vector<Sum> want;
    Sum sum = 7;
    for (const Word word : tests::random_items<Word>(n)) {
        const auto item = static_cast<std::uint8_t>(word >> 29);
        constexpr std::uint16_t halves[] = {0x0000, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
        constexpr std::uint16_t bfloats[] = {0x0000, 0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0};
        if constexpr (std::is_same_v<T, kogge::half>) items.push_back({halves[item]});
        else if constexpr (std::is_same_v<T, kogge::bfloat16>) items.push_back({bfloats[item]});
        else items.push_back(static_cast<T>(item));
        want.push_back(sum += static_cast<Sum>(item));
    }
    const DeviceArray<T> in(items);
    const DeviceArray<Sum> out(n, Sum{});
    kogge::inclusive_scan(in.data(), out.data(), n, kogge::plus{}, Sum{7});
    EXPECT_TRUE(out.values() == want);
    EXPECT_EQ(kogge::reduce(in.data(), n, kogge::plus{}, Sum{7}), want.back());
    kogge::inclusive_scan(in.data(), out.data(), n);  // in the type of the results, without being told
    for (Sum& each : want) each -= 7;
    EXPECT_TRUE(out.values() == want);
    kogge::reduce(in.data(), out.data(), n);
    EXPECT_EQ(out.values()[0], want.back());
}
TEST(PrebuiltSums, InWiderTypes) {
    check_sums<std::uint8_t, std::uint32_t>();
    check_sums<std::uint8_t, std::uint64_t>();
    check_sums<std::uint32_t, std::uint64_t>();
    check_sums<std::int32_t, std::int64_t>();
    check_sums<kogge::half, float>();
    check_sums<kogge::bfloat16, float>();
    check_sums<std::uint16_t, std::uint64_t>();
    check_sums<std::int8_t, std::int64_t>();
    check_sums<std::int16_t, std::int64_t>();
    check_sums<float, double>();
}

TYPED_TEST(Prebuilt, Compactions) {
    using T = TypeParam;
    const auto way = [](std::size_t count, const kogge::device_properties& device) {
        return way_of(kogge::plan_compact<T>(count, device)) + way_of(kogge::plan_compact_flags<T>(count, device)) +
               way_of(kogge::plan_partition<T>(count, device));
    };
    for (const std::size_t n : this->sizes(way)) {
        SCOPED_TRACE(n);
        const auto items = this->items(n);
        auto flags = tests::random_items<std::uint8_t>(n, 2);
        for (auto& flag : flags) flag &= 1;
        const kogge::compare<T> low{kogge::relation::less, T{1}};
        std::vector<T> kept, flagged, sides = items;
        std::vector<Word> bits(n / 32 + 1);
        std::copy_if(items.begin(), items.end(), std::back_inserter(kept), low);
        for (std::size_t i = 0; i < n; ++i) {
            if (flags[i]) flagged.push_back(items[i]);
            bits[i / 32] |= Word{flags[i]} << i % 32;
        }
        std::stable_partition(sides.begin(), sides.end(), low);

        const DeviceArray<T> in(items), out(n, T{});
        const DeviceArray<std::uint8_t> marks(flags);
        EXPECT_EQ(kogge::compact(in.data(), out.data(), n, low), kept.size());
        EXPECT_TRUE(front(out, kept.size()) == kept);
        EXPECT_EQ(kogge::compact_flags(in.data(), marks.data(), out.data(), n), flagged.size());
        EXPECT_TRUE(front(out, flagged.size()) == flagged);
        const DeviceArray<T> by_bits(n, T{});
        const DeviceArray<Word> mask(bits);
        EXPECT_EQ(kogge::compact_flags(in.data(), kogge::bit_mask(mask.data()), by_bits.data(), n), flagged.size());
        EXPECT_TRUE(front(by_bits, flagged.size()) == flagged);
        EXPECT_EQ(kogge::partition(in.data(), out.data(), n, low), kept.size());
        EXPECT_TRUE(out.values() == sides);
    }
}

TYPED_TEST(Prebuilt, CompactionsOfSeveralArraysByFlags) {
    using T = TypeParam;
    const std::size_t n = 20'011;
    const auto items = this->items(n);
    const auto words = tests::random_items<Word>(n, 3);
    auto flags = tests::random_items<std::uint8_t>(n, 2);
    std::vector<T> kept;
    std::vector<Word> beside;
    for (std::size_t i = 0; i < n; ++i) {
        if ((flags[i] %= 3) == 0) continue;
        kept.push_back(items[i]);
        beside.push_back(words[i]);
    }
    const DeviceArray<T> in(items), out(n, T{});
    const DeviceArray<Word> more(words), more_out(n, 0);
    const DeviceArray<std::uint8_t> marks(flags);
    const DeviceArray<Number> count(1, 0);
    EXPECT_EQ(kogge::compact_flags(kogge::arrays(in.data(), more.data()), marks.data(),
                                   kogge::arrays(out.data(), more_out.data()), kogge::count_at(count.data()), n),
              kept.size());
    EXPECT_EQ(count.values()[0], kept.size());
    EXPECT_TRUE(front(out, kept.size()) == kept);
    EXPECT_TRUE(front(more_out, kept.size()) == beside);
}

/// Whether these are indices in the order of their keys, and in their own where keys are equal: of all keys there is
/// one such order, for no index can stand in it twice.
template <class T>
bool is_stable_order(const std::vector<Word>& order, const std::vector<T>& keys) {
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] >= keys.size()) return false;
        if (i == 0) continue;
        const T &before = keys[order[i - 1]], &own = keys[order[i]];
        if (own < before || (!(before < own) && order[i] <= order[i - 1])) return false;
    }
    return order.size() == keys.size();
}

struct Three {
    std::uint8_t bytes[3];
    friend bool operator==(const Three&, const Three&) = default;
};
TYPED_TEST(Prebuilt, Sorts) {
    using T = TypeParam;
    const auto way = [](std::size_t count, const kogge::device_properties& device) {
        return way_of(kogge::plan_argsort<T, Word>(count, {}, device)) +
               way_of(kogge::plan_radix_sort<T>(count, {}, device, false)) +
               way_of(kogge::plan_radix_sort<T, Three>(count, {}, device));
    };
    for (const std::size_t n : this->sizes(way)) {
        SCOPED_TRACE(n);
        auto keys = tests::random_items<T>(n);
        if constexpr (std::is_floating_point_v<T>) {  // no NaNs, which < does not order
            for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<T>(tests::Random(i)() >> 40) / 3 - 1'000'000;
        }
        const auto values = tests::random_items<Three>(n, 3);
        const DeviceArray<T> in(keys), out(n, T{});
        const DeviceArray<Word> places(n, 0);
        const DeviceArray<Three> with(values);
        kogge::argsort(in.data(), places.data(), n);
        const std::vector<Word> order = places.values();
        ASSERT_TRUE(is_stable_order(order, keys));
        std::vector<T> sorted;
        std::vector<Three> moved;
        for (const Word i : order) {
            sorted.push_back(keys[i]);
            moved.push_back(values[i]);
        }
        kogge::radix_sort(in.data(), out.data(), n);
        EXPECT_TRUE(out.values() == sorted);
        kogge::radix_sort_pairs(in.data(), with.data(), n);
        EXPECT_TRUE(in.values() == sorted);
        EXPECT_TRUE(with.values() == moved);
    }
}

// Short segments, and one that does not fit a block.
TYPED_TEST(Prebuilt, SegmentedSorts) {
    using T = TypeParam;
    const std::vector<Number> starts{5, 900, 900, 1234, 18'000};
    const std::size_t n = 20'011;
    const auto keys = this->items(n);
    std::vector<Word> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = static_cast<Word>(i);
    for (std::size_t s = 0; s <= starts.size(); ++s) {
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(s > 0 ? starts[s - 1] : 0);
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(s < starts.size() ? starts[s] : n);
        std::stable_sort(begin, end, [&](Word a, Word b) { return keys[a] < keys[b]; });
    }
    const auto values = tests::random_items<Three>(n, 3);
    std::vector<T> sorted;
    std::vector<Three> moved;
    for (const Word i : order) {
        sorted.push_back(keys[i]);
        moved.push_back(values[i]);
    }
    const DeviceArray<Number> offsets(starts);
    const DeviceArray<T> in(keys), out(n, T{});
    const DeviceArray<Word> places(tests::random_items<Word>(n)), with_out(n, 0);
    kogge::segmented_sort(in.data(), out.data(), n, offsets.data(), starts.size());
    EXPECT_TRUE(out.values() == sorted);
    const auto words = places.values();
    kogge::segmented_sort_pairs(in.data(), out.data(), places.data(), with_out.data(), n, offsets.data(), starts.size(),
                                {.zeros = kogge::zero_order::equal});
    EXPECT_TRUE(out.values() == sorted);
    std::vector<Word> in_order;
    for (const Word i : order) in_order.push_back(words[i]);
    EXPECT_TRUE(with_out.values() == in_order);
    const DeviceArray<Three> with(values);
    kogge::segmented_sort_pairs(in.data(), with.data(), n, offsets.data(), starts.size());
    EXPECT_TRUE(in.values() == sorted);
    EXPECT_TRUE(with.values() == moved);
}

TYPED_TEST(Prebuilt, MergesAndSearches) {
    using T = TypeParam;
    const auto way = [](std::size_t count, const kogge::device_properties& device) {
        return way_of(kogge::plan_search<T>(count, count / 3, device));
    };
    for (const std::size_t n : this->sizes(way)) {
        SCOPED_TRACE(n);
        auto a = this->items(n), b = this->items(n / 3);
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
        const std::size_t all = n + n / 3;
        std::vector<T> merged(all);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
        std::vector<Number> order(all), of_a(n), of_b(n / 3);
        for (std::size_t i = 0; i < n; ++i) of_a[i] = i;
        for (std::size_t i = 0; i < n / 3; ++i) of_b[i] = n + i;
        std::merge(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), order.begin(),
                   [&](Number x, Number y) { return (x < n ? a[x] : b[x - n]) < (y < n ? a[y] : b[y - n]); });
        const DeviceArray<T> in_a(a), in_b(b), out(all, T{});
        const DeviceArray<Number> with_a(of_a), with_b(of_b), with_out(all, 0);
        kogge::merge(in_a.data(), in_b.data(), out.data(), n, n / 3);
        EXPECT_TRUE(out.values() == merged);
        kogge::merge_pairs(in_a.data(), with_a.data(), in_b.data(), with_b.data(), out.data(), with_out.data(), n,
                           n / 3);
        EXPECT_TRUE(out.values() == merged);
        EXPECT_TRUE(with_out.values() == order);
        std::vector<float> floats_a(n, 1), floats_b(n / 3, 2);
        const DeviceArray<float> values_a(floats_a), values_b(floats_b), values_out(all, 0.f);
        kogge::merge_pairs(in_a.data(), values_a.data(), in_b.data(), values_b.data(), out.data(), values_out.data(), n,
                           n / 3);
        std::vector<float> sides;
        for (const Number i : order) sides.push_back(i < n ? 1.f : 2.f);
        EXPECT_TRUE(values_out.values() == sides);
        std::vector<Word> lower;
        std::vector<std::int64_t> upper;
        for (const T& needle : b) {
            lower.push_back(static_cast<Word>(std::lower_bound(a.begin(), a.end(), needle) - a.begin()));
            upper.push_back(std::upper_bound(a.begin(), a.end(), needle) - a.begin());
        }
        const DeviceArray<Word> words(n / 3, 0);
        const DeviceArray<std::int64_t> numbers(n / 3, 0);
        kogge::lower_bound(in_a.data(), in_b.data(), words.data(), n, n / 3);
        EXPECT_TRUE(words.values() == lower);
        kogge::upper_bound(in_a.data(), in_b.data(), numbers.data(), n, n / 3);
        EXPECT_TRUE(numbers.values() == upper);
    }
}

// ---- what is not ---------------------------------------------------------------------------------------

struct Join {
    Word operator()(Word a, Word b) const { return a ^ b; }
};
struct Before {
    bool operator()(Word a, Word b) const { return a % 5 < b % 5; }
};
struct Odd {
    bool operator()(Word item) const { return item % 2 == 1; }
};
struct Bin {
    Word operator()(Word item) const { return item % 10; }
};
struct One {
    Number operator()(Number) const { return 1; }
};
struct Make {
    Word operator()(Number item, Number) const { return static_cast<Word>(item); }
};
struct Pixel {
    std::uint8_t red, green, blue;
};

}  // namespace

template <>
struct kogge::key_codec<Pixel> {
    using bits = std::uint32_t;
    static bits encode(const Pixel& pixel) { return pixel.green; }
};

namespace {

struct Arrays {
    static constexpr std::size_t kItems = 3000;
    DeviceArray<Word> in, keys, out, other;
    DeviceArray<Number> numbers, count, starts;
    Arrays()
        : in(tests::random_items<Word>(kItems)),
          keys(tests::random_items<Word>(kItems, 2)),
          out(tests::random_items<Word>(kItems, 3)),
          other(tests::random_items<Word>(kItems, 4)),
          numbers(tests::random_items<Number>(kItems + 1, 5)),
          count(tests::random_items<Number>(1, 6)),
          starts({0, kItems / 3, kItems / 2}) {}
    auto contents() const {
        return std::pair(std::vector{in.values(), keys.values(), out.values(), other.values()},
                         std::vector{numbers.values(), count.values(), starts.values()});
    }
    Pixel* pixels() const { return reinterpret_cast<Pixel*>(out.data()); }
    Pixel* other_pixels() const { return reinterpret_cast<Pixel*>(other.data()); }
    const std::uint8_t* flags() const { return reinterpret_cast<const std::uint8_t*>(numbers.data()); }
};
struct Call {
    const char* name;
    std::function<void(const Arrays&, Number)> run;
};
const Call kCalls[] = {
    {"inclusive_scan", [](auto& a, auto n) { kogge::inclusive_scan(a.in.data(), a.out.data(), n, Join{}); }},
    {"exclusive_scan to a wider type, the largest",
     [](auto& a, auto n) { kogge::exclusive_scan(a.in.data(), a.numbers.data(), n, Number{0}, kogge::maximum{}); }},
    {"reduce", [](auto& a, auto n) { kogge::reduce(a.in.data(), a.out.data(), n, Join{}); }},
    {"transform_reduce", [](auto& a, auto n) { kogge::transform_reduce(a.in.data(), a.out.data(), n, Bin{}); }},
    {"reduce_by_key",
     [](auto& a, auto n) {
         kogge::reduce_by_key(a.keys.data(), a.in.data(), a.other.data(), a.out.data(), a.count.data(), n);
     }},
    {"segmented_reduce",
     [](auto& a, auto n) { kogge::segmented_reduce(a.in.data(), a.out.data(), n, a.starts.data(), 3); }},
    {"reverse_inclusive_scan", [](auto& a, auto n) { kogge::reverse_inclusive_scan(a.in.data(), a.out.data(), n); }},
    {"reverse_inclusive_scan, in place",
     [](auto& a, auto n) { kogge::reverse_inclusive_scan(a.in.data(), a.in.data(), n); }},
    {"reverse_exclusive_scan",
     [](auto& a, auto n) { kogge::reverse_exclusive_scan(a.in.data(), a.out.data(), n, Word{1}); }},
    {"merge", [](auto& a, auto n) { kogge::merge(a.in.data(), a.keys.data(), a.out.data(), n / 2, n / 2, Before{}); }},
    {"merge_pairs",
     [](auto& a, auto n) {
         kogge::merge_pairs(a.in.data(), a.pixels(), a.in.data(), a.pixels(), a.keys.data(), a.other_pixels(), n / 2,
                            n / 2);
     }},
    {"lower_bound",
     [](auto& a, auto n) { kogge::lower_bound(a.in.data(), a.keys.data(), a.out.data(), n, n, Before{}); }},
    {"upper_bound of other needles",
     [](auto& a, auto n) { kogge::upper_bound(a.in.data(), a.numbers.data(), a.out.data(), n, n); }},
    {"reverse_inclusive_scan_by_key",
     [](auto& a, auto n) { kogge::reverse_inclusive_scan_by_key(a.keys.data(), a.in.data(), a.out.data(), n); }},
    {"inclusive_scan_by_key",
     [](auto& a, auto n) { kogge::inclusive_scan_by_key(a.keys.data(), a.in.data(), a.out.data(), n); }},
    {"exclusive_scan_by_key",
     [](auto& a, auto n) { kogge::exclusive_scan_by_key(a.keys.data(), a.in.data(), a.out.data(), n, 1); }},
    {"inclusive_segmented_scan",
     [](auto& a, auto n) { kogge::inclusive_segmented_scan(a.in.data(), a.out.data(), n, a.starts.data(), 3); }},
    {"exclusive_segmented_scan",
     [](auto& a, auto n) { kogge::exclusive_segmented_scan(a.in.data(), a.out.data(), n, a.starts.data(), 3, 1); }},
    {"compact", [](auto& a, auto n) { kogge::compact(a.in.data(), a.out.data(), n, Odd{}); }},
    {"compact, in place", [](auto& a, auto n) { kogge::compact(a.in.data(), a.in.data(), n, Odd{}); }},
    {"compact, without waiting",
     [](auto& a, auto n) { kogge::compact(a.in.data(), a.out.data(), a.count.data(), n, Odd{}); }},
    {"compact of several arrays",
     [](auto& a, auto n) {
         kogge::compact(kogge::arrays(a.in.data(), a.keys.data()), kogge::arrays(a.out.data(), a.other.data()), n,
                        Odd{});
     }},
    {"compact_flags of pixels by bits",
     [](auto& a, auto n) { kogge::compact_flags(a.pixels(), kogge::bit_mask(a.keys.data()), a.other_pixels(), n); }},
    {"compact_stencil",
     [](auto& a, auto n) { kogge::compact_stencil(a.in.data(), a.keys.data(), a.out.data(), n, Odd{}); }},
    // The words alone could move, in both orders.
    {"compact_flags of pixels and words",
     [](auto& a, auto n) {
         kogge::compact_flags(kogge::arrays(a.pixels(), a.in.data()), a.flags(),
                              kogge::arrays(a.other_pixels(), a.keys.data()), n);
     }},
    {"compact_flags of words and pixels",
     [](auto& a, auto n) {
         kogge::compact_flags(kogge::arrays(a.in.data(), a.pixels()), a.flags(),
                              kogge::arrays(a.keys.data(), a.other_pixels()), a.count.data(), n);
     }},
    {"partition", [](auto& a, auto n) { kogge::partition(a.in.data(), a.out.data(), n, Odd{}); }},
    {"partition, without waiting",
     [](auto& a, auto n) { kogge::partition(a.in.data(), a.out.data(), a.count.data(), n, Odd{}); }},
    {"partition to two outputs",
     [](auto& a, auto n) {
         kogge::partition(a.in.data(), kogge::two_outputs<Word>{a.out.data(), a.other.data()}, n, Odd{});
     }},
    {"split", [](auto& a, auto n) { kogge::split(a.in.data(), a.out.data(), a.numbers.data(), n, 10, Bin{}); }},
    {"split_pairs",
     [](auto& a, auto n) {
         kogge::split_pairs(a.in.data(), a.keys.data(), a.out.data(), a.other.data(), n, 10, Bin{});
     }},
    {"emit", [](auto& a, auto n) { kogge::emit(a.out.data(), n, n, One{}, Make{}, a.numbers.data()); }},
    {"emit, without waiting", [](auto& a, auto n) { kogge::emit(a.out.data(), n, a.count.data(), n, One{}, Make{}); }},
    {"unique", [](auto& a, auto n) { kogge::unique(a.in.data(), a.out.data(), n); }},
    {"unique, without waiting", [](auto& a, auto n) { kogge::unique(a.in.data(), a.out.data(), a.count.data(), n); }},
    {"unique_by_key",
     [](auto& a, auto n) { kogge::unique_by_key(a.keys.data(), a.in.data(), a.out.data(), a.other.data(), n); }},
    {"run_length_encode",
     [](auto& a, auto n) { kogge::run_length_encode(a.in.data(), a.out.data(), a.numbers.data(), a.count.data(), n); }},
    {"radix_sort of structs", [](auto& a, auto n) { kogge::radix_sort(a.pixels(), n); }},
    {"radix_sort_pairs of structs", [](auto& a, auto n) { kogge::radix_sort_pairs(a.pixels(), a.in.data(), n); }},
    {"argsort of structs", [](auto& a, auto n) { kogge::argsort(a.pixels(), a.other.data(), n); }},
    {"segmented_sort of structs", [](auto& a, auto n) { kogge::segmented_sort(a.pixels(), n, a.starts.data(), 3); }},
    {"segmented_sort_pairs of structs",
     [](auto& a, auto n) { kogge::segmented_sort_pairs(a.pixels(), a.in.data(), n, a.starts.data(), 3); }},
};

TEST(NotBuilt, SaysSoAndChangesNothing) {
    const Arrays arrays;
    const auto before = arrays.contents();
    for (const Call& call : kCalls) {
        SCOPED_TRACE(call.name);
        try {
            call.run(arrays, Arrays::kItems);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const kogge::error& failure) {
            EXPECT_EQ(failure.code(), kogge::errc::not_built) << failure.what();
            EXPECT_NE(std::string(failure.what()).find("nvcc"), std::string::npos) << failure.what();
        }
        EXPECT_TRUE(arrays.contents() == before);
    }
}

}  // namespace
