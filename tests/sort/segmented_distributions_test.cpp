// kogge-test: EMULATED GPU HOST
// Segmented sorts of keys as programs have them: floats, clusters, outliers, equal keys. On a device, also which
// windows the spread leaves to the sort by digits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kogge/segmented_sort.hpp"
#include "support/sort_checks.hpp"
#if KOGGE_KERNELS
#include "kogge/segmented/shape.hpp"
#endif

namespace {

using namespace tests;

template <class Key>
struct Kind {
    std::string name;
    std::function<Key(Random&, std::uint64_t)> key;  ///< of a place
    bool spreads;                                    ///< whether no window is left, however long its segments
    bool splits_once = false;                        ///< whether no segment of 20000 is long after one split
};

double normal(Random& random) {
    const auto unit = [&] { return (static_cast<double>(random() >> 11) + 1) * 0x1p-53; };
    return std::sqrt(-2 * std::log(unit())) * std::cos(6.283185307179586 * unit());
}

std::vector<Kind<float>> float_kinds() {
    return {
        {"normal", [](Random& random, std::uint64_t) { return static_cast<float>(normal(random)); }, true, true},
        {"log-normal", [](Random& random, std::uint64_t) { return static_cast<float>(std::exp(3 * normal(random))); },
         true, true},
        {"normal, far from zero",
         [](Random& random, std::uint64_t) { return static_cast<float>(1000 + normal(random)); }, true},
        {"normal beside infinity",
         [](Random& random, std::uint64_t i) {
             return i % 1000 == 7 ? -INFINITY : static_cast<float>(1 + 1e-2 * normal(random));
         },
         true},
    };
}
std::vector<Kind<std::uint32_t>> word_kinds() {
    return {
        {"uniform", [](Random& random, std::uint64_t) { return static_cast<std::uint32_t>(random()); }, true, true},
        {"small beside an outlier",
         [](Random& random, std::uint64_t i) {
             return i % 500 == 13 ? 0xffffffffu : static_cast<std::uint32_t>(random() & 0xffff);
         },
         true},
        {"numbers below 4096 beside padding",
         [](Random& random, std::uint64_t i) {
             return i % 50 == 49 ? 0xffffffffu : static_cast<std::uint32_t>(random() % 4096);
         },
         true},
        {"clusters",
         [](Random& random, std::uint64_t) {
             return static_cast<std::uint32_t>((random() % 8) << 29 | (random() & 0xffff));
         },
         true},
        // A part of a split segment is then uneven, too.
        {"clusters beside strays",
         [](Random& random, std::uint64_t i) {
             const std::uint64_t low = random() & (i % 8 == 0 ? 0x3ffffffu : 0x3ffffu);
             return static_cast<std::uint32_t>((random() % 64) << 26 | low);
         },
         true},
        {"few values", [](Random& random, std::uint64_t) { return static_cast<std::uint32_t>(random() % 16) << 20; },
         false},
        {"two values far apart", [](Random& random, std::uint64_t) { return random() % 2 == 0 ? 1u : 0xfffffff0u; },
         false},
        {"one value", [](Random&, std::uint64_t) { return 77u; }, false},
    };
}
std::vector<Kind<std::uint64_t>> wide_kinds() {
    return {
        {"nanoseconds of an hour",
         [](Random& random, std::uint64_t) { return 1'800'000'000'000'000'000u + random() % 3'600'000'000'000u; },
         true},
        {"numbers below 2^20", [](Random& random, std::uint64_t) { return random() % (std::uint64_t{1} << 20); }, true},
        {"few values", [](Random& random, std::uint64_t) { return (random() % 9) << 40; }, false},
    };
}

struct Shape {
    std::string name;
    std::uint64_t length, rows;
    bool leaves_equal;  ///< whether segments of few values, which no device splits, have too many equal keys
};
std::vector<Shape> shapes() {
    const std::uint64_t less = small() ? 2 : 1;
    return {{"rows of 32", 32, 500 / less, false},
            {"rows of 64", 64, 300 / less, false},
            {"rows of 256", 256, 80 / less, false},
            {"rows of 2048", 2048, 12 / less, true},
            {"rows of 20000", 20000, 2 / less, false}};
}

#if KOGGE_KERNELS
/// What the device has found of a sort's segments.
struct Found {
    std::uint32_t windows_left;  ///< by the spread
    std::uint32_t windows_tiny;  ///< sorted within warps
    std::uint64_t longs[2];      ///< long segments of the first levels
};
/// Of the sort(how) that this plan describes.
template <class Sort>
Found found_by(const kogge::segmented_sort_plan& plan, const Sort& sort) {
    Array<std::byte> space(plan.scratch_bytes);
    sort(kogge::exec{.space = {space.data(), plan.scratch_bytes}});
    std::vector<std::byte> bytes = space.get();
    const std::size_t past = reinterpret_cast<std::uintptr_t>(space.data()) % kogge::detail::kScratchAlignment;
    kogge::detail::Carver carver(bytes.data() + (past > 0 ? kogge::detail::kScratchAlignment - past : 0));
    const kogge::grid::SegmentMemory memory = kogge::grid::carve_segmented_sort(carver, plan);
    Found found{};
    std::memcpy(&found.windows_left, memory.uncounted, sizeof found.windows_left);
    std::memcpy(&found.windows_tiny, memory.tiny, sizeof found.windows_tiny);
    std::memcpy(found.longs, memory.listed, sizeof found.longs);
    for (std::uint64_t& longs : found.longs) longs >>= 32;
    return found;
}
#endif

template <class Key>
void check(const Kind<Key>& kind, const Shape& shape) {
    SCOPED_TRACE(kind.name + ", " + shape.name);
    const std::uint64_t n = shape.length * shape.rows;
    Random random(n);
    std::vector<Key> keys(n);
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint32_t> order(n);
    for (std::uint64_t i = 0; i < n; ++i) {
        keys[i] = kind.key(random, i);
        order[i] = static_cast<std::uint32_t>(i);
        if (i % shape.length == 0) offsets.push_back(i);
    }
    for (const std::uint64_t offset : offsets)
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(offset),
                         order.begin() + static_cast<std::ptrdiff_t>(offset + shape.length),
                         [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    const auto values = random_items<std::uint32_t>(n, 4);
    const Array<std::uint64_t> starts(offsets);
    const Array<Key> in(keys);
    const Array<std::uint32_t> with(values);
    Array<Key> out(n);
    Array<std::uint32_t> with_out(n);
    kogge::segmented_sort_pairs(in.data(), out.data(), with.data(), with_out.data(), n, starts.data(), offsets.size());
    EXPECT_TRUE(same(out.get(), gathered(keys, order)));
    EXPECT_TRUE(same(with_out.get(), gathered(values, order)));
#if KOGGE_KERNELS
    if (!kOnDevice) return;
    for (const bool pairs : {false, true}) {
        SCOPED_TRACE(pairs ? "pairs in place" : "keys in place");
        kogge::radix_sort_shape of_items{
            .key_bytes = sizeof(Key), .end_bit = static_cast<int>(8 * sizeof(Key)), .in_place = true};
        if (pairs) of_items.values = {{4, 4}};
        const auto plan = kogge::plan_segmented_sort(n, offsets.size(), of_items, kogge::simt::properties_of(nullptr));
        Array<Key> array(keys);
        Array<std::uint32_t> beside(values);
        const Found found = found_by(plan, [&](const kogge::exec& how) {
            if (pairs)
                kogge::segmented_sort_pairs(array.data(), beside.data(), n, starts.data(), offsets.size(), {}, how);
            else kogge::segmented_sort(array.data(), n, starts.data(), offsets.size(), {}, how);
        });
        EXPECT_TRUE(same(array.get(), gathered(keys, order)));
        EXPECT_TRUE(!pairs || same(beside.get(), gathered(values, order)));
        if (shape.length == 20000) {
            EXPECT_EQ(found.longs[0], shape.rows);
            if (kind.splits_once) {
                EXPECT_EQ(found.longs[1], 0u);
            }
        }
        if (kind.spreads) {
            EXPECT_EQ(found.windows_left, 0u);
        } else if (shape.leaves_equal) {
            EXPECT_GT(found.windows_left, 0u);
        } else if (shape.length == 20000 && sizeof(Key) == 4) {
            EXPECT_EQ(found.windows_left, 0u) << "each value has become a segment of its own";
        }
    }
#endif
}

#if KOGGE_KERNELS
// Which windows are sorted within warps: those without a segment of more than 32 that the chip sorts.
TEST(SegmentedTiny, WhereNoneIsLonger) {
    if (!kOnDevice) return;
    const auto run = [](const std::vector<std::uint64_t>& lengths) {
        std::vector<std::uint64_t> offsets;
        std::uint64_t n = 0;
        for (const std::uint64_t length : lengths) {
            offsets.push_back(n);
            n += length;
        }
        const auto keys = random_items<std::uint32_t>(n);
        auto want = keys;
        for (std::size_t s = 0; s < lengths.size(); ++s) {
            const auto from = want.begin() + static_cast<std::ptrdiff_t>(offsets[s]);
            std::sort(from, from + static_cast<std::ptrdiff_t>(lengths[s]));
        }
        const auto plan = kogge::plan_segmented_sort(
            n, offsets.size(), {.key_bytes = 4, .end_bit = 32, .in_place = true}, kogge::simt::properties_of(nullptr));
        const Array<std::uint64_t> starts(offsets);
        Array<std::uint32_t> array(keys);
        const Found found = found_by(plan, [&](const kogge::exec& how) {
            kogge::segmented_sort(array.data(), n, starts.data(), offsets.size(), {}, how);
        });
        EXPECT_TRUE(same(array.get(), want));
        return std::pair{plan.windows, std::uint64_t{found.windows_tiny}};
    };
    std::vector<std::uint64_t> lengths(600, 32);
    const auto [windows, tiny] = run(lengths);
    EXPECT_GT(windows, 1u);
    EXPECT_EQ(tiny, windows);
    lengths[0] = 33;
    lengths[1] = 31;
    const auto [windows_of_one, tiny_but_one] = run(lengths);
    EXPECT_EQ(tiny_but_one, windows_of_one - 1) << "the first window has one of 33";
    lengths[0] = 20000;  // split, and no window has what is long; those with its parts have longer ones than 32
    const auto [windows_of_long, tiny_beside] = run(lengths);
    EXPECT_GT(tiny_beside, 0u);
    EXPECT_LT(tiny_beside, windows_of_long);
    const auto [windows_of_33, none] = run(std::vector<std::uint64_t>(600, 33));
    EXPECT_GT(windows_of_33, 1u);
    EXPECT_EQ(none, 0u);
}
#endif

TEST(SegmentedDistributions, OfFloats) {
    for (const auto& kind : float_kinds())
        for (const Shape& shape : shapes()) check(kind, shape);
}
TEST(SegmentedDistributions, OfWords) {
    for (const auto& kind : word_kinds())
        for (const Shape& shape : shapes()) check(kind, shape);
}
TEST(SegmentedDistributions, OfWideKeys) {
    for (const auto& kind : wide_kinds())
        for (const Shape& shape : shapes()) check(kind, shape);
}

}  // namespace
