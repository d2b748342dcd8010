// kogge-test: EMULATED GPU HOST
// Compactions and partitions of what stands in no array, by flags and stencils that stand in none, into arrays of
// another type and outputs that are none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kogge/partition.hpp"
#include "support/backend.hpp"
#include "support/compact_plans.hpp"
#include "support/inputs.hpp"
#include "support/pretending.hpp"

namespace {

using namespace tests;
const kogge::exec kHow{.where = kWhere};

struct Squares {
    const std::uint32_t* of;
    KOGGE_HOST_DEVICE std::uint64_t operator[](std::uint64_t i) const { return std::uint64_t{of[i]} * of[i]; }
};
/// As Thrust's zip: items are pairs, and operator[] gives references.
struct Zip {
    using value_type = std::pair<std::uint32_t, std::uint8_t>;
    const std::uint32_t* first;
    const std::uint8_t* second;
    KOGGE_HOST_DEVICE std::pair<const std::uint32_t&, const std::uint8_t&> operator[](std::uint64_t i) const {
        return {first[i], second[i]};
    }
};
struct Flags {
    const std::uint8_t* of;
    KOGGE_HOST_DEVICE bool operator[](std::uint64_t i) const { return of[i] % 3 == 0; }
};
struct IsThird {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& item) const {
        return item % 3 == 0;
    }
    KOGGE_HOST_DEVICE bool operator()(const Zip::value_type& item) const { return item.second % 3 == 0; }
};
/// Every other place of an array, of the half of each item.
struct Halves {
    std::uint32_t* to;
    struct Place {
        std::uint32_t* to;
        KOGGE_HOST_DEVICE const Place& operator=(std::uint64_t item) const {
            *to = static_cast<std::uint32_t>(item / 2);
            return *this;
        }
    };
    KOGGE_HOST_DEVICE Place operator[](std::uint64_t i) const { return {to + 2 * i}; }
};

template <class T>
std::vector<T> filled(std::vector<T> items, std::size_t n) {
    items.resize(n, Array<T>::poison());
    return items;
}

/// All forms, on whatever way a compaction of n items takes.
void check(std::size_t n) {
    SCOPED_TRACE(n);
    const auto numbers = random_items<std::uint32_t>(n, n);
    const auto marks = random_items<std::uint8_t>(n, n + 1);
    std::vector<std::uint64_t> squares, by_marks, rejected, widened;
    std::vector<std::uint32_t> halved(2 * n, Array<std::uint32_t>::poison()), from_array, positions;
    std::vector<Zip::value_type> pairs;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t square = std::uint64_t{numbers[i]} * numbers[i];
        if (IsThird{}(square)) {
            halved[2 * squares.size()] = static_cast<std::uint32_t>(square / 2);
            squares.push_back(square);
        }
        if (IsThird{}(marks[i])) {
            by_marks.push_back(square);
            from_array.push_back(numbers[i]);
            positions.push_back(static_cast<std::uint32_t>(i));
            pairs.emplace_back(numbers[i], marks[i]);
        } else {
            rejected.push_back(square);
        }
        if (IsThird{}(numbers[i])) widened.push_back(numbers[i]);
    }
    auto both = by_marks;
    both.insert(both.end(), rejected.begin(), rejected.end());

    const Array<std::uint32_t> in(numbers);
    const Array<std::uint8_t> bytes(marks, 1);
    const Squares items{in.data()};
    Array<std::uint64_t> out(n, 1), other(n), count(1);
    const auto expect = [&](std::uint64_t kept, const std::vector<std::uint64_t>& want, const char* form) {
        EXPECT_EQ(kept, want.size()) << form;
        EXPECT_TRUE(same(out.get(), filled(want, n))) << form;
        if constexpr (kOnDevice) kogge::simt::fill(out.data(), 0x5a, n * sizeof(std::uint64_t), nullptr);
        else std::fill_n(out.data(), n, Array<std::uint64_t>::poison());
    };
    expect(kogge::compact(items, out.data(), n, IsThird{}, kHow), squares, "compact");
    expect(kogge::compact_stencil(items, bytes.data(), out.data(), n, IsThird{}, kHow), by_marks, "by a stencil");
    expect(kogge::compact_flags(items, Flags{bytes.data()}, out.data(), n, kHow), by_marks, "by flags of no array");
    kogge::compact_stencil(items, Flags{bytes.data()}, out.data(), count.data(), n,
                           kogge::compare<bool>{kogge::relation::equal, true}, kHow);
    expect(count.get()[0], by_marks, "by a stencil of no array");
    expect(kogge::compact(in.data(), out.data(), n, IsThird{}, kHow), widened, "to a wider type");
    EXPECT_EQ(kogge::partition_stencil(items, bytes.data(), out.data(), n, IsThird{}, kHow), by_marks.size());
    expect(n, both, "partition by a stencil");
    EXPECT_EQ(kogge::partition_flags(items, Flags{bytes.data()},
                                     kogge::two_outputs<std::uint64_t>{out.data(), other.data()}, n, kHow),
              by_marks.size());
    EXPECT_TRUE(same(other.get(), filled(rejected, n)));
    expect(by_marks.size(), by_marks, "partition to two outputs");

    std::vector<std::uint8_t> set(n);
    for (std::size_t i = 0; i < n; ++i) set[i] = marks[i] % 3 == 0 ? 9 : 0;
    const Array<std::uint8_t> flags(set, 1);
    expect(kogge::compact_flags(items, flags.data(), out.data(), n, kHow), by_marks, "by byte flags");
    EXPECT_EQ(kogge::partition_flags(items, flags.data(), out.data(), n, kHow), by_marks.size());
    expect(n, both, "partition by byte flags");
    Array<std::uint32_t> narrow(n), strided(2 * n);
    EXPECT_EQ(kogge::compact_flags(kogge::positions{}, flags.data(), narrow.data(), n, kHow), positions.size());
    EXPECT_TRUE(same(narrow.get(), filled(positions, n)));
    Array<std::uint32_t> moved(numbers);
    EXPECT_EQ(kogge::partition_flags(moved.data(), flags.data(), moved.data(), n, kHow), from_array.size());
    const auto front = moved.get();
    EXPECT_TRUE(std::equal(from_array.begin(), from_array.end(), front.begin())) << "in place";
    EXPECT_EQ(kogge::compact(items, Halves{strided.data()}, n, IsThird{}, kHow), squares.size());
    EXPECT_TRUE(same(strided.get(), halved)) << "to an output that is no array";
    EXPECT_EQ(kogge::compact_flags(in.data(), flags.data(), kogge::discard{}, n, kHow), from_array.size());

    Array<Zip::value_type> zipped(n);
    EXPECT_EQ(kogge::compact(Zip{in.data(), bytes.data()}, zipped.data(), n, IsThird{}, kHow), pairs.size());
    const auto got = zipped.get();
    EXPECT_TRUE(std::equal(pairs.begin(), pairs.end(), got.begin())) << "zipped";
}

TEST(CompactInputs, OnEveryWay) {
    for (const std::size_t n : {0, 1, 33, 2049, 20481}) check(n);
    const Pretending device(1);
    check(70'001);
#if KOGGE_EMULATED
    const auto plan = [](std::size_t n) {
        return kogge::plan_compact(n, 8, false, false, kogge::simt::current_properties());
    };
    EXPECT_TRUE(is_pipelined(plan(70'001)));
    kogge::device_properties older = kogge::simt::current_properties();
    older.compute_major = 8;
    pretend(older);  // `device` puts back what was
    EXPECT_TRUE(plan(70'001).is<kogge::compact_tiles>());
    check(70'001);
#endif
}

}  // namespace
