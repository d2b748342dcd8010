// kogge-test: EMULATED GPU
// Which digits of keys take passes, and what sorts the buckets that these leave: what the count of the digits decides.
// Sorts of such keys are in radix_sort_tiles_test. And the list of moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "kogge/sort/prefix/histogram.cuh"
#include "support/backend.hpp"
#include "support/inputs.hpp"

using namespace kogge::grid;
using namespace tests;

namespace {

using Words = std::vector<std::uint32_t>;
using Longs = std::vector<std::uint64_t>;

/// What the count leaves.
template <class Key>
struct Counted {
    PassControl control;
    std::vector<std::uint32_t> moves;
    std::vector<Key> copies;
};
/// As OrderedItems has them.
struct Values {
    const void* in = nullptr;
    void* out = nullptr;
    int bytes = 0;
};
/// What a plan settles.
struct Planned {
    bool spans = true;  ///< they may follow
    std::uint32_t span_items = kogge::grid::span_items(kSpanThreads);
    std::uint64_t span_words = 0;
    std::uint32_t batch_items = 0;  ///< 0: few_batch_items
    int least_saved = kLeastSaved;  ///< for batches
    std::uint32_t blocks = 3;
    int passes = 0;  ///< over so many of the lowest digits; 0: over all of the keys' digits
    Values values{};
};
constexpr Planned kNoSpans{.spans = false};

/// As small a part of the keys as in sorts of tens of millions.
std::uint32_t few_batch_items(std::size_t n) { return static_cast<std::uint32_t>(n / 2500); }

template <class Key>
Counted<Key> count_digits(const std::vector<Key>& keys, const Planned& planned = {}) {
    constexpr int stripe_bits = histogram_stripe_bits(sizeof(Key));
    const int passes = planned.passes > 0 ? planned.passes : static_cast<int>(sizeof(Key));
    const NumberBucket<Key> bucket({.is_signed = false, .is_float = false, .descending = false}, 0, 8 * passes);
    const MoveRules rules{.passes = passes,
                          .in_place = false,
                          .drops_keys = false,
                          .may_leave_out = passes > 2,  // beside the counters of fewer digits the sample has no room
                          .batch_items = planned.batch_items > 0 ? planned.batch_items : few_batch_items(keys.size()),
                          .least_saved = planned.least_saved,
                          .span_items = planned.spans ? planned.span_items : 0,
                          .span_words = planned.span_words};
    const Array<Key> in(keys);
    Array<PassControl> control(std::vector<PassControl>(1));
    Array<Key> copies(keys.size());
    const NoValue* const no_values = nullptr;
    OrderedItems<Key> ordered(in.data(), copies.data(), no_values, static_cast<NoValue*>(nullptr));
    ordered.values_in = planned.values.in;
    ordered.values = planned.values.out;
    ordered.value_bytes = planned.values.bytes;
    Array<std::uint32_t> moves(static_cast<std::size_t>(passes) + 1);
    Array<std::uint64_t> histograms(std::vector<std::uint64_t>(static_cast<std::size_t>(passes) * kBins));
    kogge::simt::launch(
        count_digits_kernel<stripe_bits, Key, NumberBucket<Key>>,
        {planned.blocks, kHistogramThreads, histogram_bytes(passes, stripe_bits), {}, "count_digits_kernel"}, in.data(),
        ordered, Count{keys.size()}, bucket, 0, passes, rules, control.data(), moves.data(), histograms.data());
    return {control.get()[0], moves.get(), copies.get()};
}

struct Choice {
    SortOutcome outcome;
    std::uint32_t lowest;  ///< digit that takes a pass; 0: all do, or none
    friend bool operator==(const Choice&, const Choice&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Choice& choice) {
        constexpr const char* names[] = {"all digits", "in order", "few distinct",
                                         "batches",    "spans",    "spans of values"};
        return out << names[static_cast<int>(choice.outcome)] << " from " << choice.lowest;
    }
};
/// The share of keys in buckets, of the digits from `lowest` up, that do not fit a batch, but for a bucket's most
/// frequent key.
template <class Key>
double share_of_large(std::vector<Key> keys, std::uint32_t lowest) {
    const std::uint32_t most = few_batch_items(keys.size());
    std::sort(keys.begin(), keys.end());
    std::size_t large = 0;
    for (std::size_t begin = 0, end = 0; begin < keys.size(); begin = end) {
        std::size_t equal = 0, most_equal = 0;
        for (; end < keys.size() && (keys[end] ^ keys[begin]) >> lowest * kDigitBits == 0; ++end) {
            equal = end > begin && keys[end] == keys[end - 1] ? equal + 1 : 1;
            most_equal = std::max(most_equal, equal);
        }
        if (end - begin > most) large += end - begin - most_equal;
    }
    return static_cast<double>(large) / static_cast<double>(keys.size());
}
/// Passes that would change something, below `lowest`.
template <class Key>
int saved_passes(const std::vector<Key>& keys, std::uint32_t lowest) {
    Key differing = 0;
    for (const Key& key : keys) differing |= key ^ keys[0];
    int saved = 0;
    for (std::uint32_t pass = 0; pass < lowest; ++pass) saved += (differing >> pass * kDigitBits) % kBins != 0 ? 1 : 0;
    return saved;
}
/// Whatever is chosen, it saves enough passes, its buckets fit the chip for the most part, and there is what sorts
/// them.
template <class Key>
Choice choose(const std::vector<Key>& keys, const Planned& planned = {}) {
    const PassControl control = count_digits(keys, planned).control;
    const bool are_batches = control.outcome == SortOutcome::batches, are_spans = control.outcome == SortOutcome::spans;
    EXPECT_EQ(control.lowest > 0, are_batches || are_spans || control.outcome == SortOutcome::few_distinct);
    EXPECT_TRUE(planned.spans || !are_spans);
    if (control.lowest > 0) {
        EXPECT_GE(saved_passes(keys, control.lowest), are_batches ? planned.least_saved : kLeastSaved);
    }
    if ((are_batches || are_spans) && planned.batch_items == 0 && planned.passes == 0) {
        EXPECT_LT(share_of_large(keys, control.lowest), 0.15);
    }
    return {control.outcome, control.lowest};
}
constexpr Choice kAllDigits{SortOutcome::all_digits, 0};
Choice spans(std::uint32_t lowest) { return {SortOutcome::spans, lowest}; }
Choice few_distinct(std::uint32_t lowest) { return {SortOutcome::few_distinct, lowest}; }
constexpr std::uint32_t kOfWords = sizeof(std::uint32_t) - kSpanDigits;  ///< two digits of four take passes

/// There are such passes.
template <class Key>
void expect_leading(const std::vector<Key>& keys, const std::string& what, const Planned& planned = {}) {
    SCOPED_TRACE(what);
    EXPECT_NE(choose(keys, planned).lowest, 0u);
}
/// Too many keys would be in some bins of spans.
template <class Key>
void expect_no_spans(const std::vector<Key>& keys, const std::string& what, const Planned& planned = {}) {
    SCOPED_TRACE(what);
    EXPECT_NE(choose(keys, planned).outcome, SortOutcome::spans);
}

/// n keys in reverse order, at equal distances in all codes; `times`: so many of each.
Words spaced(std::size_t n, std::size_t times = 1) {
    Words keys(n);
    const std::uint64_t distance = ~std::uint64_t{0} / n * times;
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>((n - 1 - i) / times * distance >> 32);
    return keys;
}
template <class Key>
std::vector<Key> changed(std::vector<Key> keys, auto change) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<Key>(change(keys[i], i));
    return keys;
}

// The average distance lies in each of the three lowest digits, and at bounds of them.
std::vector<std::size_t> sizes() {
    return small() ? std::vector<std::size_t>{1 << 15, 100'000}
                   : std::vector<std::size_t>{1 << 14, 1 << 15, 50'000, 1 << 16, 100'000, 1 << 17, 1 << 19};
}

// ---- keys of 32 bits -----------------------------------------------------------------------------------

TEST(LeadingDigits, UniformKeysTakeSpans) {
    for (const std::size_t n : sizes()) {
        SCOPED_TRACE(n);
        const Words random = random_items<std::uint32_t>(n, 3);
        for (const Words& keys : {random, spaced(n), shuffled(spaced(n))}) {
            EXPECT_EQ(choose(keys), spans(kOfWords));
            expect_no_spans(keys, "where none may follow", kNoSpans);
        }
        EXPECT_EQ(choose(random, {.blocks = 1}), spans(kOfWords)) << "one block samples and counts";
    }
}

TEST(LeadingDigits, FewKeysTakeAllDigits) {
    EXPECT_EQ(choose(random_items<std::uint32_t>(kLeastLeading - 1)), kAllDigits);
    EXPECT_EQ(choose(random_items<std::uint64_t>(kLeastLeading - 1), kNoSpans), kAllDigits);
}

// Buckets of 64, the fullest of which has a little more.
TEST(LeadingDigits, BucketsHaveToFit) {
    const Words keys = random_items<std::uint32_t>(small() ? 1 << 20 : 1 << 22, 3);
    const auto group = static_cast<std::uint32_t>(keys.size() >> 16), items = group * 5 / 4;
    const Words below = changed(keys, [](auto key, auto) { return key - key / 4; });
    EXPECT_EQ(choose(keys, {.span_items = items}), spans(kOfWords));
    EXPECT_EQ(choose(changed(keys, [](auto key, auto) { return key - key / 8; })), spans(kOfWords))
        << "uneven, but not by much";
    expect_no_spans(below, "uneven", {.span_items = items});
    EXPECT_EQ(choose(keys, {.span_words = group * 8}), spans(kOfWords));
    expect_no_spans(keys, "nor words", {.span_words = std::uint64_t{group} << 10});
}

// Passes over two of four digits pay only if spans follow.
TEST(LeadingDigits, SkewedKeys) {
    for (const std::size_t n : {std::size_t{1} << 17, std::size_t{1} << 19}) {
        if (small() && n > 1 << 17) break;
        SCOPED_TRACE(n);
        const Words random = random_items<std::uint32_t>(n, 3), reversed = spaced(n);
        for (const Words& even : {random, reversed}) {
            choose(changed(even, [&](auto key, auto i) { return i % 2 == 0 ? key >> 2 : key; }));
            choose(changed(even, [&](auto key, auto) { return key & 0xff3fffffu; }));
            choose(changed(even, [&](auto key, auto) { return key >> 8; }));
            expect_no_spans(changed(even, [&](auto key, auto i) { return i % 2 == 0 ? key >> 12 : key; }),
                            "half of them in a 4096th of the codes");
            expect_no_spans(changed(even, [&](auto key, auto i) { return i % 2 == 0 ? 0x12345678 : key; }),
                            "half of them equal");
        }
        for (const std::size_t times : {16, 100}) {
            expect_no_spans(spaced(n, times), std::to_string(times) + " times");
            expect_no_spans(shuffled(spaced(n, times)), std::to_string(times) + " times, shuffled");
        }
        expect_no_spans(changed(random, [&](auto, auto i) { return random[i % 1000]; }), "1000 values");
    }
}

/// The highest digit such that it and those above it tell all keys apart.
template <class Key>
std::uint32_t telling_digit(std::vector<Key> keys) {
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    auto digit = static_cast<std::uint32_t>(sizeof(Key) - 1);
    const auto agree = [&](Key a, Key b) { return (a ^ b) >> digit * kDigitBits == 0; };
    while (std::adjacent_find(keys.begin(), keys.end(), agree) != keys.end()) --digit;
    return digit;
}

TEST(LeadingDigits, FewDistinctKeys) {
    constexpr std::uint32_t samples = 4 * kHistogramThreads;
    for (const std::size_t n : sizes()) {
        SCOPED_TRACE(n);
        const Words random = random_items<std::uint32_t>(n, 3);
        for (const std::size_t values : {2, 16, 60}) {
            const Words few = changed(random, [&](auto, auto i) { return random[i % values]; });
            EXPECT_EQ(choose(few), few_distinct(telling_digit(few))) << values;
            EXPECT_EQ(choose(few, kNoSpans), few_distinct(telling_digit(few))) << values;
        }
        const Words digits = changed(random, [&](auto key, auto) { return key % 16 * 0x11111111u; });
        EXPECT_EQ(choose(digits), few_distinct(3));
        EXPECT_EQ(choose(changed(digits, [](auto key, auto) { return key & 0xffff; })), kAllDigits)
            << "two digits vary";
        std::size_t missed = 0;  // by the sample
        for (std::uint32_t s = 0; s < samples; ++s) missed += sample_place(s, n / samples) == missed ? 1 : 0;
        Words other = digits;
        other[missed] = 0x01010101;
        EXPECT_EQ(choose(other), kAllDigits) << "one key that the counts show";
        other[missed] = 0x11112222;
        EXPECT_EQ(choose(other), few_distinct(3)) << "one key that nothing shows";
    }
}

// A digit counts as far as it is no finer than keys are apart on average.
TEST(LeadingDigits, CrowdsCloserThanKeysOnAverageDoNoHarm) {
    const auto crowded = [](std::size_t n, std::uint32_t mask) {
        return changed(random_items<std::uint32_t>(n, 3), [&](auto key, auto) { return key & mask; });
    };
    for (const std::uint32_t mask : {0xffff01ffu, 0xffff0f0fu, 0xffffc0ffu})
        EXPECT_EQ(choose(crowded(1 << 16, mask)), spans(kOfWords)) << mask;
    const std::size_t many = 1 << 18;  // at an average distance of 2^14
    EXPECT_EQ(choose(crowded(many, 0xffffd1ffu)), spans(kOfWords));
    expect_no_spans(crowded(many, 0xffff3fffu), "a quarter of a middle digit's values");
    expect_no_spans(crowded(many, 0xffffbfffu), "half of them, as fine as counts");
}

// Each value comes seven times. A sample that sees too few pairs of equal keys to tell is followed by a larger one.
TEST(LeadingDigits, FewEqualKeysAreSeen) {
    const std::size_t n = 1 << 22;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const auto values = random_items<std::uint32_t>(n / 7 + 1, seed);
        auto keys = random_items<std::uint32_t>(n, seed + 100);
        for (auto& key : keys) key = values[key % values.size()];
        expect_no_spans(keys, "seven equal keys");
    }
    EXPECT_EQ(choose(random_items<std::uint32_t>(n, 3)), spans(kOfWords)) << "nearly none";
}

// ---- wider keys, and parts of the bits -----------------------------------------------------------------

// Spans follow the two highest digits that differ, if keys are uniform in all of them.
TEST(LeadingDigits, OfKeysOf64Bits) {
    const std::size_t n = small() ? 1 << 16 : 1 << 18;
    const auto random = random_items<std::uint64_t>(n, 3);
    const auto made = [&](auto change) { return choose(changed(random, change)); };
    EXPECT_EQ(choose(random), spans(6));
    EXPECT_EQ(made([&](auto, auto i) { return ~std::uint64_t{0} / n * (n - 1 - i); }), spans(6)) << "equal distances";
    EXPECT_EQ(made([](auto key, auto) { return key >> 8; }), spans(5)) << "56 bits";
    EXPECT_EQ(made([](auto key, auto) { return key >> 32; }), spans(2)) << "32 bits";
    EXPECT_EQ(made([](auto key, auto) { return key >> 32 | std::uint64_t{77} << 40; }), spans(2)) << "after equal ones";
    EXPECT_EQ(made([](auto key, auto) { return key & 0xfffff1ffffffffffu; }), spans(6))
        << "crowds closer than keys are";
    EXPECT_EQ(made([](auto key, auto) { return key >> 48; }), kAllDigits) << "16 bits, of which all take passes";
    EXPECT_EQ(made([&](auto, auto i) { return random[i % 16]; }),
              few_distinct(telling_digit(Longs(random.begin(), random.begin() + 16))))
        << "16 values";
}

/// Keys of 64 bits that are not uniform, with a name.
template <class Check>
void for_each_skewed(const Longs& random, const Check& check) {
    check("a digit is not even", changed(random, [](auto key, auto) { return key & 0xff3fffffffffffffu; }));
    check("the highest digit is not even", changed(random, [](auto key, auto) { return key >> 3; }));
    check("and-skewed", items_of<std::uint64_t>(Distribution::and_skewed, random.size()));
    check("one key that the sample misses",
          changed(random, [](auto key, auto i) { return i == 4711 ? key : key >> 16; }));
    // Clustered: each key's neighbours differ from it in the lowest bits only.
    check("14 leading bits and 20 lowest ones",
          changed(random, [](auto key, auto) { return key >> 50 << 50 | (key & 0xfffff); }));
    check("groups of ten", changed(random, [&](auto key, auto i) {
              return random[i * 7919 % (random.size() / 10)] >> 12 << 12 | (key & 0xfff);
          }));
    check("groups of ten after equal bits", changed(random, [&](auto key, auto i) {
              return random[i * 7919 % (random.size() / 10)] >> 24 << 12 | (key & 0xfff);
          }));
    check("each ten times", changed(random, [&](auto, auto i) { return random[i * 7919 % (random.size() / 10)]; }));
}
TEST(LeadingDigits, SkewedKeysOf64Bits) {
    const auto random = random_items<std::uint64_t>(small() ? 1 << 17 : 1 << 18, 3);
    for_each_skewed(random, [](const std::string& what, const Longs& keys) {
        // Of keys that are often equal, more may share a bucket than fit.
        if (what == "half of them equal" || what == "each many times") {
            choose(keys);
            choose(keys, kNoSpans);
            return;
        }
        expect_leading(keys, what);
        expect_leading(keys, what, kNoSpans);
        expect_leading(keys, what, {.spans = false, .blocks = 1});
    });
    expect_leading(random, "uniform, and no spans", kNoSpans);
    expect_leading(random, "as few passes as must be left out", {.spans = false, .least_saved = 6});
    EXPECT_EQ(choose(random, {.spans = false, .least_saved = 7}), kAllDigits) << "too few are";
    for (const Planned& planned : {Planned{}, kNoSpans}) {
        SCOPED_TRACE(planned.spans ? "with spans" : "without spans");
        choose(changed(random, [&](auto key, auto i) { return i % 2 == 0 ? random[5] : key; }), planned);
        choose(changed(random, [&](auto, auto i) { return random[i % 3000]; }), planned);
    }
    expect_leading(changed(random, [](auto key, auto) { return key & 0xffff01ffffffffffu; }), "crowded", kNoSpans);
}

// Of doubles that are uniform by value so few agree in four digits that the sample cannot tell them from chance. That
// the third digit divides them evenly says that they are uniform within their buckets.
TEST(LeadingDigits, UniformDoublesOfWhichFewAgree) {
    Longs keys(std::size_t{1} << 22);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::uint64_t random = (i + 1) * 0x9e3779b97f4a7c15u,
                            mixed = (random ^ random >> 29) * 0xbf58476d1ce4e5b9u;
        const double value = static_cast<double>(static_cast<std::int64_t>(mixed ^ mixed >> 32)) * 0x1p-63;
        const auto bits = std::bit_cast<std::uint64_t>(value);
        keys[i] = bits >> 63 != 0 ? ~bits : bits | std::uint64_t{1} << 63;
    }
    const auto found = count_digits(keys, {.batch_items = 400, .least_saved = least_saved_by_batches(8)});
    EXPECT_EQ(found.control.outcome, SortOutcome::spans);
    EXPECT_EQ(found.control.lowest, 4u);
}

// Some keys share all leading digits that may be passed over, and differ in the others.
TEST(LeadingDigits, ManyKeysThatAgreeInTheLeadingDigits) {
    const auto random = random_items<std::uint64_t>(small() ? 1 << 17 : 1 << 18, 3);
    EXPECT_EQ(choose(changed(random, [](auto key, auto i) { return i % 2 == 0 ? key & 0xffff : key; }), kNoSpans),
              kAllDigits)
        << "half of them differ in 16 bits alone";
}

TEST(LeadingDigits, OfKeysOfAnyWidthAndBits) {
    const std::size_t n = 1 << 16;
    const auto wide = random_items<kogge::uint128>(n, 3);
    const auto random = random_items<std::uint64_t>(n, 3);
    expect_leading(wide, "16 bytes", kNoSpans);
    const auto few = changed(wide, [&](auto, auto i) { return wide[i % 16]; });
    EXPECT_EQ(choose(few, kNoSpans), few_distinct(telling_digit(few)));
    // Digits that look independent, and are not: 1000 kinds.
    const auto together =
        changed(wide, [&](auto key, auto i) { return wide[i % 1000] >> 64 << 64 | static_cast<std::uint64_t>(key); });
    expect_leading(together, "the upper half does not tell these apart", kNoSpans);
    expect_leading(changed(random, [](auto key, auto) { return key & 0xffffffffffffu; }), "two digits that all share",
                   kNoSpans);
    expect_leading(changed(random, [](auto key, auto) { return key & 0xffffffffffu; }), "three digits that all share",
                   kNoSpans);
    // Fewer digits, odd numbers of them, and what is above them does not count.
    for (const int passes : {5, 6, 7}) {
        SCOPED_TRACE(passes);
        const std::uint64_t mask = (std::uint64_t{1} << 8 * passes) - 1;
        const Longs lower = changed(random, [=](auto key, auto) { return key & mask; });
        const Planned planned{.spans = false, .passes = passes};
        expect_leading(lower, "lower digits", planned);
        EXPECT_EQ(choose(random, planned), choose(lower, planned));
    }
    // Of three digits one takes a pass, if any is left out.
    for (const bool spans : {false, true}) {
        EXPECT_LE(choose(random, {.spans = spans, .batch_items = batch_items(8), .passes = 3}).lowest, 2u);
        EXPECT_EQ(choose(random, {.spans = spans, .batch_items = batch_items(8), .passes = 2}), kAllDigits);
    }
}

// ---- keys in order -------------------------------------------------------------------------------------

/// Whether the count has left nothing to do, and the items in the outputs; else the last move writes these. Without
/// values they are indices.
template <class Key, class Value>
bool is_done(const std::vector<Key>& keys, const std::vector<Value>& values) {
    const Array<Value> in(values);
    Array<Value> out(keys.size());
    const Counted<Key> counted = count_digits(
        keys, {.spans = sizeof(Key) == 4, .values = {values.empty() ? nullptr : in.data(), out.data(), sizeof(Value)}});
    bool moves = false, ends_in_output = false;
    for (const std::uint32_t word : counted.moves) {
        const Move move = Move::of(word);
        if (move.action == Move::skip) continue;
        moves = true;
        ends_in_output = move.to == Move::output;
    }
    EXPECT_EQ(counted.control.outcome == SortOutcome::in_order, !moves);
    if (moves) {
        EXPECT_TRUE(ends_in_output);
        return false;
    }
    EXPECT_EQ(counted.control.lowest, 0u);
    EXPECT_TRUE(same(counted.copies, keys));
    auto wanted = values;
    for (std::size_t i = wanted.size(); i < keys.size(); ++i) wanted.push_back(static_cast<Value>(i));
    EXPECT_TRUE(same(out.get(), wanted)) << "values";
    return true;
}

// What is in order is written by the count itself, and nothing else is done.
template <class Key, class Value>
void count_in_order(bool has_values = true) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{33}, std::size_t{4097}, sizes().back()}) {
        SCOPED_TRACE(n);
        auto keys = random_items<Key>(n, 3);
        const auto values = has_values ? random_items<Value>(n, 4) : std::vector<Value>{};
        std::sort(keys.begin(), keys.end());
        EXPECT_TRUE(is_done(keys, values)) << "sorted";
        EXPECT_TRUE(is_done(std::vector<Key>(n, keys[n / 2]), values)) << "one value";
        for (const std::size_t at : {std::size_t{1}, n / 2, n - 1}) {
            if (at == 0 || at >= n) continue;
            auto two = keys;
            two[at - 1] = Key(two[at] + 1);
            if (two[at - 1] > two[at]) {
                EXPECT_FALSE(is_done(two, values)) << "but for a pair, behind " << at - 1;
            }
        }
    }
}
TEST(LeadingDigits, ItemsInOrderAreDone) {
    count_in_order<std::uint16_t, std::uint64_t>();
    count_in_order<std::uint32_t, std::uint32_t>();
    count_in_order<std::uint64_t, kogge::uint128>();
    count_in_order<kogge::uint128, std::uint32_t>();
}
TEST(LeadingDigits, IndicesOfKeysInOrderAreDone) {
    count_in_order<std::uint32_t, std::uint64_t>(false);
    count_in_order<std::uint64_t, std::uint32_t>(false);
}

// What has no room for packs is left to a move; what stays need not have it.
TEST(LeadingDigits, WhereItemsInOrderGo) {
    alignas(16) std::uint64_t in[8], out[8];
    alignas(16) std::uint32_t values[8], others[8];
    const auto suffice = [](auto* keys_in, auto* keys_out, const auto* values_in, auto* values_out) {
        return OrderedItems(keys_in, keys_out, values_in, values_out).suffice;
    };
    const std::uint64_t *const from = in, *const behind = in + 1;
    const std::uint32_t* const none = nullptr;
    EXPECT_TRUE(suffice(from, out, values, others));
    EXPECT_TRUE(suffice(behind, in + 1, values, values)) << "in place";
    EXPECT_TRUE(suffice(behind, static_cast<std::uint64_t*>(nullptr), none, others)) << "argsort";
    EXPECT_FALSE(suffice(behind, out, values, others));
    EXPECT_FALSE(suffice(from, out + 1, values, values));
    EXPECT_FALSE(suffice(from, out, values + 1, others));
    EXPECT_FALSE(suffice(from, in, values, others + 2));
}

// ---- the list of moves -----------------------------------------------------------------------------------

/// Lists the moves of as many sets of passes as there are blocks, each with its own rules.
KOGGE_KERNEL void list_moves_kernel(const MoveRules* rules, const std::uint32_t* flags, const std::uint8_t* active,
                                    std::uint32_t most, std::uint32_t* moves, std::uint32_t* splits) {
    kogge::simt::wait_for_stream();
    const std::uint32_t set = kogge::simt::block_rank(), flag = flags[set];
    const std::uint32_t found =
        list_moves(moves + set * (most + 1), rules[set], (flag & 1) != 0, (flag & 2) != 0, (flag & 4) != 0,
                   [&](int pass) { return active[set * most + static_cast<std::uint32_t>(pass)] != 0; });
    if (kogge::simt::lane() == 0) splits[set] = found;
}

// Items go from the input through the two buffers in turn to the output, by all splits that change something and at
// most one copy, which stands where no split does.
TEST(Moves, LeadFromTheInputToTheOutput) {
    constexpr std::uint32_t sets = 600, most = 70;
    const auto random = random_items<std::uint32_t>(sets * (most + 2), 5);
    std::vector<MoveRules> rules(sets);
    std::vector<std::uint32_t> flags(sets);
    std::vector<std::uint8_t> active(std::size_t{sets} * most);
    for (std::uint32_t set = 0; set < sets; ++set) {
        const std::uint32_t* const draw = random.data() + set * (most + 2);
        rules[set].passes = static_cast<int>(set % most + 1);
        rules[set].in_place = (draw[0] & 1) != 0;
        flags[set] = draw[0] >> 1 & 7;
        for (std::uint32_t p = 0; p < most; ++p)  // of all, none, and some in between
            active[std::size_t{set} * most + p] = draw[1] % 8 == 0 ? 0 : draw[1] % 8 == 1 ? 1 : draw[2 + p] >> 31;
    }
    const Array<MoveRules> in_rules(rules);
    const Array<std::uint32_t> in_flags(flags);
    const Array<std::uint8_t> in_active(active);
    Array<std::uint32_t> moves(std::vector<std::uint32_t>(std::size_t{sets} * (most + 1))), splits(std::size_t{sets});
    kogge::simt::launch(list_moves_kernel, {sets, 32, 0, {}, "list_moves_kernel"}, in_rules.data(), in_flags.data(),
                        in_active.data(), most, moves.data(), splits.data());
    const auto all = moves.get(), counts = splits.get();
    for (std::uint32_t set = 0; set < sets; ++set) {
        SCOPED_TRACE(set);
        const bool may_stay = (flags[set] & 1) != 0, drops_keys = (flags[set] & 2) != 0,
                   by_values = (flags[set] & 4) != 0;
        std::vector<Move> list;
        std::uint32_t wanted = 0, copies = 0, before_first = 0;
        for (int slot = 0; slot <= rules[set].passes; ++slot) {
            const Move move = Move::of(all[set * (most + 1) + static_cast<std::uint32_t>(slot)]);
            const bool splits_here = slot > 0 && active[set * most + static_cast<std::uint32_t>(slot) - 1] != 0;
            EXPECT_EQ(move.action == Move::split, splits_here) << slot;
            EXPECT_EQ(move.by_values, splits_here && by_values ? 1u : 0u) << slot;
            EXPECT_EQ(move.index, wanted) << slot;
            wanted += splits_here ? 1 : 0;
            if (move.action == Move::skip) continue;
            if (move.action == Move::copy) {
                ++copies;
                before_first = slot == 0 ? 1 : 0;
            }
            list.push_back(move);
        }
        EXPECT_EQ(counts[set], wanted);
        EXPECT_EQ(copies, wanted == 0 ? !may_stay : rules[set].in_place && wanted % 2 == 1);
        if (copies > 0) {
            EXPECT_EQ(before_first == 1, wanted == static_cast<std::uint32_t>(rules[set].passes));
        }
        Move::Place at = Move::input;
        for (std::size_t m = 0; m < list.size(); ++m) {
            const bool is_last = m + 1 == list.size();
            EXPECT_EQ(list[m].from, at) << m;
            EXPECT_EQ(list[m].encodes, m == 0 && !by_values ? 1u : 0u) << m;
            EXPECT_EQ(list[m].decodes, is_last && !by_values ? 1u : 0u) << m;
            const Move::Place in_turn = (list.size() - m) % 2 == 0 ? Move::other : Move::output;
            EXPECT_EQ(list[m].to, is_last && drops_keys ? Move::nowhere : in_turn) << m;
            at = list[m].to;
        }
    }
}

}  // namespace
