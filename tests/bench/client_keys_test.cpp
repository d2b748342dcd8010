// kogge-test: HOST
//
// Clients' keys are what their generators say: ranges, shares, order, and how many are different.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "../../bench/clients/kinds.hpp"
#include "../../bench/clients/segments.hpp"

namespace {

using namespace bench::clients;
constexpr std::uint64_t kItems = 1 << 16;

template <class Key>
std::vector<Key> keys(const std::string& kind, std::uint64_t n = kItems) {
    std::vector<Key> made(n);
    const auto make = [&](const auto& generator) {
        for (std::uint64_t i = 0; i < n; ++i) made[i] = generator(i);
    };
    EXPECT_TRUE(with_kind<Key>(kind, n, 1000, make)) << kind;
    return made;
}
std::vector<std::uint32_t> u32(const std::string& kind) { return keys<std::uint32_t>(kind); }
std::vector<std::uint64_t> u64(const std::string& kind) { return keys<std::uint64_t>(kind); }

/// How often each of them occurs.
template <class Key>
std::map<Key, std::uint64_t> counts_of(const std::vector<Key>& items) {
    std::map<Key, std::uint64_t> counts;
    for (const Key item : items) ++counts[item];
    return counts;
}
template <class Key>
std::uint64_t most_frequent(const std::vector<Key>& items) {
    std::uint64_t most = 0;
    for (const auto& [item, count] : counts_of(items)) most = std::max(most, count);
    return most;
}
template <class Key, class Holds>
double share(const std::vector<Key>& items, const Holds& holds) {
    return static_cast<double>(std::count_if(items.begin(), items.end(), holds)) / static_cast<double>(items.size());
}
/// The share of neighbours in order.
template <class Key>
double order(const std::vector<Key>& items) {
    double ascents = 0;
    for (std::size_t i = 0; i + 1 < items.size(); ++i) ascents += items[i] <= items[i + 1] ? 1 : 0;
    return ascents / static_cast<double>(items.size() - 1);
}

TEST(ClientKeys, EachSlotHasItsOwnAndUnknownKindsAreNone) {
    std::uint32_t first = 0, second = 0;
    EXPECT_TRUE(with_kind<std::uint32_t>("subnets_64", kItems, 1000, [&](const auto& made) { first = made(7); }));
    EXPECT_TRUE(with_kind<std::uint32_t>("subnets_64", kItems, 1010, [&](const auto& made) { second = made(7); }));
    EXPECT_NE(first, second);
    const auto ignore = [](const auto&) { ADD_FAILURE(); };
    for (const char* wrong : {"", "subnets", "tile_depth_44", "zipf_", "zipf_1_of_", "zipf_1_of_0", "zipf_x_of_10",
                              "zipf_0_of_10", "zipf_1_of_10_", "zipf_1_of_10_permute"})
        EXPECT_FALSE(with_kind<std::uint32_t>(wrong, kItems, 1000, ignore)) << wrong;
    EXPECT_FALSE(with_kind<std::uint64_t>("subnets_64", kItems, 1000, ignore));
    EXPECT_FALSE(with_kind<float>("money", kItems, 1000, ignore));
}

TEST(ClientKeys, APermutationHasEachNumberOnce) {
    for (const std::uint64_t count : {1u, 2u, 3u, 1000u, 1024u, 1025u}) {
        const Permutation order(count);
        std::set<std::uint64_t> met;
        for (std::uint64_t i = 0; i < count; ++i) met.insert(order(i));
        EXPECT_EQ(met.size(), count);
        EXPECT_EQ(*met.rbegin(), count - 1);
    }
    const Permutation order(1000);
    std::uint64_t ascents = 0;
    for (std::uint64_t i = 0; i + 1 < 1000; ++i) ascents += order(i) < order(i + 1) ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(ascents), 500, 100);
}

TEST(ClientKeys, NormalNumbersAreNormal) {
    double sum = 0, squares = 0, within = 0;
    for (std::uint64_t i = 0; i < kItems; ++i) {
        const double x = normal(5, i);
        sum += x;
        squares += x * x;
        within += std::abs(x) < 1 ? 1 : 0;
    }
    EXPECT_NEAR(sum / kItems, 0, 0.02);
    EXPECT_NEAR(squares / kItems, 1, 0.02);
    EXPECT_NEAR(within / kItems, 0.683, 0.01);
}

TEST(ClientKeys, ZipfIdsAreAsFrequentAsTheLawSays) {
    for (const double s : {0.8, 1.0, 1.2}) {
        const std::string kind = "zipf_" + std::to_string(s).substr(0, 3) + "_of_1000";
        double all = 0;
        for (int rank = 1; rank <= 1000; ++rank) all += std::pow(rank, -s);
        const auto ids = u32(kind);
        for (const std::uint32_t rank : {0u, 1u, 10u, 100u}) {
            const double wanted = std::pow(rank + 1, -s) / all;
            const double found = share(ids, [=](std::uint32_t id) { return id == rank; });
            EXPECT_NEAR(found, wanted, 0.16 * wanted + 0.001) << kind << ' ' << rank;
        }
        EXPECT_EQ(*std::max_element(ids.begin(), ids.end()), 999u);

        const auto permuted = u32(kind + "_permuted");
        EXPECT_EQ(most_frequent(permuted), most_frequent(ids));
        EXPECT_EQ(counts_of(permuted).size(), counts_of(ids).size());
        EXPECT_LT(*std::max_element(permuted.begin(), permuted.end()), 1000u);
        EXPECT_NE(permuted, ids);
    }
}

TEST(ClientKeys, MortonCodesAreClusteredAndWithinTheirBits) {
    for (const char* kind : {"morton_30_surfaces", "morton_30_clusters"}) {
        const auto codes = u32(kind);
        EXPECT_LT(*std::max_element(codes.begin(), codes.end()), 1u << 30);
        std::set<std::uint32_t> cells;  // of 32^3
        for (const std::uint32_t code : codes) cells.insert(code >> 15);
        EXPECT_LT(cells.size(), 32768u / 4) << kind << ": uniform points would meet 28,000";
        EXPECT_GT(cells.size(), 300u) << kind;
    }
    for (const char* kind : {"morton_63_surfaces", "morton_63_clusters"}) {
        const auto codes = u64(kind);
        EXPECT_LT(*std::max_element(codes.begin(), codes.end()), std::uint64_t{1} << 63);
        EXPECT_GT(counts_of(codes).size(), kItems * 9 / 10) << kind;
    }
    // A cell's bits stand in the code by turns.
    const auto code = MortonCodes<10>{1000, true}(3);
    const Point point = point_on_surface(1000, 3);
    for (int axis = 0; axis < 3; ++axis) {
        std::uint32_t cell = 0;
        for (int bit = 0; bit < 10; ++bit) cell |= (code >> (3 * bit + axis) & 1) << bit;
        EXPECT_EQ(cell, static_cast<std::uint32_t>(point.at[axis] * 1024));
    }
}

TEST(ClientKeys, SplatsHaveOneDepthOverNeighbouringTiles) {
    const auto check = [](const std::string& kind, std::uint64_t tiles, double tiles_each) {
        const auto all = u64(kind);
        double splats = 1;
        for (std::size_t i = 0; i < all.size(); ++i) {
            ASSERT_LT(all[i] >> 32, tiles) << kind;
            const float depth = std::bit_cast<float>(static_cast<std::uint32_t>(all[i]));
            ASSERT_TRUE(depth >= 0.4f && depth < 36.1f) << kind;
            splats += i > 0 && static_cast<std::uint32_t>(all[i]) != static_cast<std::uint32_t>(all[i - 1]) ? 1 : 0;
        }
        EXPECT_NEAR(kItems / splats, tiles_each, 0.1) << kind;
        EXPECT_GE(std::uint64_t{1} << (options_of_kind(kind).end_bit - 32), tiles);
        EXPECT_LT(std::uint64_t{1} << (options_of_kind(kind).end_bit - 33), tiles);
    };
    check("tile_depth_44", 80 * 45, 5);
    check("tile_depth_45", 120 * 68, 8);
}

TEST(ClientKeys, KeysOfTwoPartsShareTheUpperOne) {
    std::map<std::uint32_t, std::uint64_t> networks;
    for (const std::uint32_t address : u32("subnets_64")) ++networks[address >> 8];
    EXPECT_NEAR(static_cast<double>(networks.size()), kItems / 64.0, 3);
    for (const std::uint64_t each : {12, 64, 256}) {
        std::map<std::uint64_t, std::uint64_t> prefixes;
        std::set<std::uint64_t> counters;
        for (const std::uint64_t key : u64("prefix_counter_" + std::to_string(each))) {
            ++prefixes[key >> 20];
            counters.insert(key & 0xfffff);
        }
        EXPECT_NEAR(static_cast<double>(kItems) / static_cast<double>(prefixes.size()), static_cast<double>(each),
                    0.01 * static_cast<double>(each));
        EXPECT_GT(counters.size(), kItems * 9 / 10);
    }
}

TEST(ClientKeys, GroupsAreDenseOrSpread) {
    const auto dense = u32("groups_1000000"), spread = u32("groups_1000000_spread");
    EXPECT_LT(*std::max_element(dense.begin(), dense.end()), 1'000'000u);
    EXPECT_GT(*std::max_element(spread.begin(), spread.end()), 0xff000000u);
    EXPECT_NEAR(static_cast<double>(counts_of(dense).size()), 63'400, 300);  // of a million, after 2^16 draws
    const auto mostly = u32("mostly_one");
    EXPECT_NEAR(share(mostly, [](std::uint32_t key) { return key == 77; }), 63.0 / 64, 0.002);
    EXPECT_GT(counts_of(mostly).size(), 900u);
}

TEST(ClientKeys, TimesAreAsSortedAsTheyClaim) {
    const auto in_day = [](const std::vector<std::uint64_t>& times) {
        return share(times,
                     [](std::uint64_t time) { return time >= Day::first && time < Day::first + 4 * Day::length; });
    };
    const auto runs = u64("times_16_runs"), appended = u64("times_appended"), jittered = u64("times_jittered");
    for (const auto& times : {runs, appended, jittered}) EXPECT_EQ(in_day(times), 1);
    EXPECT_NEAR(static_cast<double>(kItems - 1) * (1 - order(runs)), 15, 0.1);
    const std::size_t since = kItems - kItems / 100;
    EXPECT_TRUE(std::is_sorted(appended.begin(), appended.begin() + since));
    EXPECT_NEAR(order(std::vector(appended.begin() + since, appended.end())), 0.5, 0.1);
    EXPECT_TRUE(order(jittered) < 0.6);
    std::uint64_t far = 0;
    auto sorted = jittered;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < kItems; ++i) {
        const auto place = std::lower_bound(sorted.begin(), sorted.end(), jittered[i]) - sorted.begin();
        far += std::abs(place - static_cast<std::ptrdiff_t>(i)) > 5000 ? 1 : 0;
    }
    EXPECT_LT(far, kItems / 10) << "nearly sorted";
}

TEST(ClientKeys, DatesAreDates) {
    EXPECT_EQ(Dates::as_decimal(0), 20150101u);
    EXPECT_EQ(Dates::as_decimal(31 + 28), 20150301u);
    EXPECT_EQ(Dates::as_decimal(365 + 31 + 28), 20160229u);
    EXPECT_EQ(Dates::as_decimal(Dates::days - 1), 20251231u);
    const auto dates = u32("dates");
    for (const std::uint32_t date : dates) {
        ASSERT_TRUE(date >= 20150101 && date <= 20251231) << date;
        ASSERT_TRUE(date / 100 % 100 >= 1 && date / 100 % 100 <= 12 && date % 100 >= 1 && date % 100 <= 31) << date;
    }
    EXPECT_GT(counts_of(dates).size(), 3500u);
    EXPECT_GT(share(dates, [](std::uint32_t date) { return date >= 20200101; }), 0.65);
    EXPECT_NEAR(share(dates, [](std::uint32_t date) { return date == 20251227 || date == 20251228; }) /
                    share(dates, [](std::uint32_t date) { return date == 20251223 || date == 20251224; }),
                0.5, 0.3);  // a weekend and two working days
}

TEST(ClientKeys, MoneyIsInCents) {
    const auto prices = keys<double>("money");
    const auto bookings = keys<std::int64_t>("money");
    for (const double price : prices) ASSERT_EQ(price, static_cast<double>(std::llround(100 * price)) / 100);
    auto sorted = prices;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_GT(sorted.front(), 0);
    EXPECT_NEAR(sorted[kItems / 2], 35, 2);
    EXPECT_NEAR(share(bookings, [](std::int64_t cents) { return cents < 0; }), 0.03, 0.003);
    EXPECT_NEAR(share(bookings, [](std::int64_t cents) { return cents % 100 == 99; }), 1.0 / 6 + 0.008, 0.01);
}

TEST(ClientKeys, FileSizesHaveAHeavyTail) {
    auto sizes = u64("file_sizes");
    EXPECT_NEAR(share(sizes, [](std::uint64_t size) { return size == 0; }), 0.03, 0.003);
    EXPECT_GT(share(sizes, [](std::uint64_t size) { return size >= 1u << 20; }), 0.07);
    std::sort(sizes.begin(), sizes.end());
    EXPECT_NEAR(std::log2(static_cast<double>(sizes[kItems / 2])), 13.2, 0.5);
    EXPECT_GT(sizes.back(), std::uint64_t{1} << 30);
}

TEST(ClientKeys, TensorsHaveTheirZerosAndNaNs) {
    const auto activations = keys<float>("activations");
    EXPECT_NEAR(share(activations, [](float x) { return x == 0 && !std::signbit(x); }), 0.45, 0.01);
    EXPECT_NEAR(share(activations, [](float x) { return x == 0 && std::signbit(x); }), 0.1, 0.01);
    EXPECT_NEAR(share(activations, [](float x) { return std::isnan(x); }), 1.0 / 4096, 0.0002);
    EXPECT_NEAR(share(activations, [](float x) { return x < 0; }), 0.225, 0.01);
    EXPECT_EQ(options_of_kind("activations").zeros, kogge::zero_order::equal);

    const auto logits = keys<float>("logits");
    EXPECT_EQ(share(logits, [](float x) { return std::isnan(x) || x == 0; }), 0);
    EXPECT_NEAR(share(logits, [](float x) { return std::isinf(x) && x < 0; }), 0.02, 0.003);
    EXPECT_NEAR(share(logits, [](float x) { return x < -3; }), 0.51, 0.01);
}

std::string letters_of(std::uint64_t key) {
    std::string text;
    for (int shift = 56; shift >= 0; shift -= 8)
        if (const char letter = static_cast<char>(key >> shift & 255)) text += letter;
    return text;
}

TEST(ClientKeys, TextsBeginWithTheirFirstLetter) {
    const auto words = u64("words"), urls = u64("urls"), hosts = u64("hosts");
    std::map<std::string, int> found;
    for (const auto* texts : {&words, &urls, &hosts})
        for (const std::uint64_t key : *texts) {
            const std::string text = letters_of(key);
            ASSERT_FALSE(text.empty());
            ASSERT_EQ(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz:/."), std::string::npos) << text;
            ++found[text];
        }
    EXPECT_NEAR(found["the"], 0.087 * kItems, 0.01 * kItems);  // with the law's first rank
    EXPECT_GT(found["which"], 10);
    EXPECT_NEAR(share(urls, [](std::uint64_t key) { return letters_of(key) == "https://"; }), 0.9, 0.01);
    EXPECT_LT(counts_of(urls).size(), 30u);
    EXPECT_NEAR(share(hosts, [](std::uint64_t key) { return letters_of(key).starts_with("www."); }), 0.5, 0.01);
    EXPECT_GT(counts_of(words).size(), 3000u);
    EXPECT_GT(counts_of(hosts).size(), 3000u);
}

TEST(ClientKeys, KmersOverlapAndRepeat) {
    const auto kmers = u64("kmers_31");
    double overlaps = 0;
    for (std::size_t i = 0; i + 1 < kItems; ++i) {
        ASSERT_LT(kmers[i], std::uint64_t{1} << 62);
        overlaps += kmers[i] % (std::uint64_t{1} << 60) == kmers[i + 1] >> 2 ? 1 : 0;
    }
    EXPECT_NEAR(overlaps / kItems, 1 - 1.0 / Kmers::places, 0.001);
    const auto counts = counts_of(kmers);
    const auto several = std::count_if(counts.begin(), counts.end(), [](const auto& each) { return each.second >= 8; });
    EXPECT_GT(several, 1000) << "places that many reads cover";
    const auto once = std::count_if(counts.begin(), counts.end(), [](const auto& each) { return each.second == 1; });
    EXPECT_GT(once, 1000) << "words with errors";
    // repeats: words of far places agree, in a fiftieth or more of the genome's words
    std::map<std::uint64_t, std::uint64_t> places;
    std::uint64_t again = 0;
    for (std::uint64_t place = 0; place < 100'000; ++place) {
        std::uint64_t word = 0;
        for (std::uint64_t j = 0; j < 12; ++j) word = word << 2 | Kmers::base(place + j);
        for (std::uint64_t j = 12; j < 31; ++j) word = word * 5 + Kmers::base(place + j);
        again += places.emplace(word, place).second ? 0 : 1;
    }
    EXPECT_GT(again, 1000u);
}

TEST(ClientSegments, BoundsAscendFromZeroToTheEnd) {
    for (const char* name : {"rows_32", "rows_2048", "rows_128256", "zipf_lengths", "huge_4", "huge_and_short"}) {
        const Bounds bounds = *bounds_named(name, kItems + 5);
        EXPECT_EQ(bounds.front(), 0u) << name;
        EXPECT_EQ(bounds.back(), kItems + 5) << name;
        EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end())) << name;
    }
    EXPECT_EQ(bounds_named("rows_32", 100)->size(), 5u);
    EXPECT_EQ(bounds_named("huge_4", 100), (Bounds{0, 25, 50, 75, 100}));
    EXPECT_EQ(bounds_named("huge_and_short", 1000), (Bounds{0, 300, 600, 900, 1000}));
    for (const char* wrong : {"", "rows_", "rows_0", "huge_0", "huge_101", "zipf", "runs_8"})
        EXPECT_FALSE(bounds_named(wrong, 100)) << wrong;

    const Bounds bounds = zipf_lengths(1'000'000);  // 5001 segments: 1 / ln-like sums
    std::vector<std::uint64_t> lengths;
    for (std::size_t s = 0; s + 1 < bounds.size(); ++s) lengths.push_back(bounds[s + 1] - bounds[s]);
    EXPECT_EQ(lengths.size(), 5001u);
    EXPECT_FALSE(std::is_sorted(lengths.begin(), lengths.end()));
    std::sort(lengths.rbegin(), lengths.rend());
    EXPECT_NEAR(static_cast<double>(lengths[0]), 110'000, 2000);
    EXPECT_NEAR(static_cast<double>(lengths[0]) / static_cast<double>(lengths[9]), 10, 0.1);
}

}  // namespace
