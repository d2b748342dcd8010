// kogge-test: EMULATED
//
// An adversary's keys: groups where it says so, and uniform keys where a sample looks.
#include "../../bench/clients/adversary.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace {

using namespace bench::clients;
constexpr std::uint64_t kItems = 1 << 18;

template <class Key>
std::vector<Key> keys(Trick trick) {
    const AdversaryKeys<Key> make{trick, 1000, kItems};
    std::vector<Key> made(kItems);
    for (std::uint64_t i = 0; i < kItems; ++i) made[i] = make(i);
    return made;
}
template <class Key>
std::map<Key, std::uint64_t> prefixes(const std::vector<Key>& keys, int low) {
    std::map<Key, std::uint64_t> counts;
    for (const Key key : keys) ++counts[key >> low];
    return counts;
}
/// What a sample of that many keys would see.
template <class Key>
std::vector<Key> sampled(const std::vector<Key>& keys, std::uint32_t samples) {
    std::vector<Key> seen;
    for (std::uint32_t s = 0; s < samples; ++s) seen.push_back(keys[kogge::grid::sample_place(s, kItems / samples)]);
    return seen;
}

TEST(AdversaryKeys, AreFoundByName) {
    for (const auto& [trick, name] : kTricks) EXPECT_EQ(trick_named(name), trick);
    EXPECT_FALSE(trick_named("adversary"));
}

TEST(AdversaryKeys, StandInGroups) {
    const auto near = [](std::uint64_t groups, std::uint64_t keys_each) {
        EXPECT_NEAR(static_cast<double>(groups) * static_cast<double>(keys_each), kItems, 0.01 * kItems);
    };
    near(prefixes(keys<std::uint32_t>(Trick::networks), 8).size(), 64);
    near(prefixes(keys<std::uint64_t>(Trick::prefixes), 20).size(), 32);
    near(prefixes(keys<std::uint64_t>(Trick::groups_of_12), 16).size(), 12);
    const auto outliers = keys<std::uint32_t>(Trick::outliers);
    EXPECT_NEAR(static_cast<double>(std::count(outliers.begin(), outliers.end(), 77u)), kItems * 63.0 / 64, 600);
}

TEST(AdversaryKeys, AreUniformWhereASampleLooks) {
    std::uint64_t places = 0;
    for (std::uint64_t i = 0; i < kItems; ++i) places += is_sampled(i, kItems) ? 1 : 0;
    EXPECT_GT(places, 1u << 17);
    EXPECT_LT(places, kItems * 3 / 4) << "there are others to hide keys at";
    for (const Trick trick : {Trick::hidden_digits, Trick::hidden_one, Trick::hidden_prefixes}) {
        const auto all = keys<std::uint64_t>(trick);
        for (std::uint32_t samples = 1u << 10; samples <= 1u << 17; samples *= 2) {
            const auto seen = prefixes(sampled(all, samples), 48);
            const double pairs = 65536;  // of digits; so many of them does a uniform sample meet
            EXPECT_NEAR(static_cast<double>(seen.size()), pairs * (1 - std::exp(-1.0 * samples / pairs)),
                        0.02 * samples + 5);
        }
    }
    const auto one = prefixes(keys<std::uint64_t>(Trick::hidden_one), 48);
    EXPECT_GT(one.at(0x5a5a), kItems / 520 / 4);
    std::uint64_t crowded = 0;
    for (const auto& [digits, count] : prefixes(keys<std::uint32_t>(Trick::hidden_digits), 16)) crowded += count > 80;
    EXPECT_EQ(crowded, 512u);
    std::uint64_t groups = 0;
    for (const auto& [prefix, count] : prefixes(keys<std::uint64_t>(Trick::hidden_prefixes), 16)) groups += count > 40;
    EXPECT_NEAR(static_cast<double>(groups), kItems / 190, 20);
}

}  // namespace
