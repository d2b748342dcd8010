// kogge-test: EMULATED GPU
// Which digits of keys take passes: what the count of the digits decides about keys of 32 bits that spans may put in
// order. Sorts of such keys are in radix_sort_tiles_test. And the check of the order behind passes over all digits, and
// the list of moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/sort/prefix/histogram.cuh"
#include "support/backend.hpp"
#include "support/inputs.hpp"

using namespace kogge::grid;
using namespace tests;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::uint32_t kBySpans = sizeof(std::uint32_t) - kSpanDigits;  ///< the lowest digit that takes a pass then

/// What the count leaves.
template <class Key>
struct Counted {
    SplitControl control;
    std::vector<std::uint32_t> moves;
    std::vector<Key> copies;
};
/// As OrderedItems has them.
struct Values {
    const void* in = nullptr;
    void* out = nullptr;
    int bytes = 0;
};
template <class Key>
Counted<Key> count_digits(const std::vector<Key>& keys, bool by_spans, std::uint32_t items = span_items(kSpanThreads),
                          std::uint64_t words = 0, std::uint32_t blocks = 3, int passes = sizeof(Key),
                          const Values& values = {}) {
    constexpr int stripe_bits = histogram_stripe_bits(sizeof(Key));
    const NumberBucket<Key> bucket({.is_signed = false, .is_float = false, .descending = false}, 0, 8 * passes);
    // As plans have it: beside the counters of fewer digits the sample has no room.
    const bool may_leave_out = passes > 2;
    const MoveRules rules{.passes = passes,
                          .in_place = false,
                          .drops_keys = false,
                          .may_leave_out = may_leave_out,
                          .may_group = !by_spans || sizeof(Key) > 4,
                          .span_items = by_spans ? items : 0,
                          .span_words = words};
    const Array<Key> in(keys);
    Array<SplitControl> control(std::vector<SplitControl>(1));
    Array<Key> copies(keys.size());
    const NoValue* const no_values = nullptr;
    OrderedItems<Key> ordered(in.data(), copies.data(), no_values, static_cast<NoValue*>(nullptr));
    ordered.values_in = values.in;
    ordered.values = values.out;
    ordered.value_bytes = values.bytes;
    Array<std::uint32_t> moves(static_cast<std::size_t>(passes) + 1);
    Array<std::uint64_t> histograms(std::vector<std::uint64_t>(static_cast<std::size_t>(passes) * kBins));
    kogge::simt::launch(count_digits_kernel<stripe_bits, Key, NumberBucket<Key>>,
                        {blocks, kHistogramThreads, histogram_bytes(passes, stripe_bits), {}, "count_digits_kernel"},
                        in.data(), ordered, Count{keys.size()}, bucket, 0, passes, rules, control.data(), moves.data(),
                        histograms.data());
    return {control.get()[0], moves.get(), copies.get()};
}

/// The lowest digit that takes a pass; 0: all do.
template <class Key>
std::uint32_t lowest_digit(const std::vector<Key>& keys, bool by_spans, auto... more) {
    return count_digits(keys, by_spans, more...).control.lowest;
}
std::uint32_t lowest_digit(const Words& keys) { return lowest_digit(keys, true); }

/// n keys in reverse order, at equal distances in all codes; `times`: so many of each.
Words spaced(std::size_t n, std::size_t times = 1) {
    Words keys(n);
    const std::uint64_t distance = ~std::uint64_t{0} / n * times;
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>((n - 1 - i) / times * distance >> 32);
    return keys;
}
Words changed(Words keys, auto change) {
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = change(keys[i], i);
    return keys;
}

// The average distance lies in each of the three lowest digits, and at bounds of them.
std::vector<std::size_t> sizes() {
    return small() ? std::vector<std::size_t>{1 << 15, 100'000}
                   : std::vector<std::size_t>{1 << 14, 1 << 15, 50'000, 1 << 16, 100'000, 1 << 17, 1 << 19};
}

TEST(LeadingDigits, EvenKeysTakeSpans) {
    for (const std::size_t n : sizes()) {
        SCOPED_TRACE(n);
        EXPECT_EQ(lowest_digit(random_items<std::uint32_t>(n, 3)), kBySpans) << "random";
        EXPECT_EQ(lowest_digit(spaced(n)), kBySpans) << "reversed";
        EXPECT_EQ(lowest_digit(shuffled(spaced(n))), kBySpans) << "shuffled";
    }
}

// Groups of 64, of which the fullest has a little more.
TEST(LeadingDigits, GroupsHaveToFit) {
    const Words keys = random_items<std::uint32_t>(small() ? 1 << 20 : 1 << 22, 3);
    const auto group = static_cast<std::uint32_t>(keys.size() >> 16), items = group * 5 / 4;
    const Words below = changed(keys, [](auto key, auto) { return key - key / 4; });
    EXPECT_EQ(lowest_digit(keys, true, items), kBySpans);
    EXPECT_EQ(lowest_digit(below, true), kBySpans) << "uneven, but not by much";
    EXPECT_EQ(lowest_digit(below, true, items), 0u);
    EXPECT_EQ(lowest_digit(keys, true, span_items(kSpanThreads), group * 8), kBySpans);
    EXPECT_EQ(lowest_digit(keys, true, span_items(kSpanThreads), std::uint64_t{group} << 10), 0u) << "nor words";
}

TEST(LeadingDigits, UnevenKeysDoNot) {
    for (const std::size_t n : sizes()) {
        SCOPED_TRACE(n);
        const Words random = random_items<std::uint32_t>(n, 3), reversed = spaced(n);
        for (const Words& even : {random, reversed}) {
            EXPECT_EQ(lowest_digit(changed(even, [&](auto key, auto i) { return i % 2 == 0 ? key >> 8 : key; })), 0u)
                << "half of them in a 256th of the codes";
            EXPECT_EQ(lowest_digit(changed(even, [&](auto key, auto) { return key & 0xff3fffffu; })), 0u)
                << "a quarter of a leading digit's values";
        }
        for (const std::size_t times : {16, 100}) {
            EXPECT_EQ(lowest_digit(spaced(n, times)), 0u) << times << " times";
            EXPECT_EQ(lowest_digit(shuffled(spaced(n, times))), 0u) << times << " times, shuffled";
        }
        EXPECT_EQ(lowest_digit(changed(random, [&](auto, auto i) { return random[i % 1000]; })), 0u) << "1000 values";
        EXPECT_EQ(lowest_digit(changed(random, [&](auto, auto i) { return random[i % 16]; })), 3u)
            << "16 values, which the first digit tells apart";
    }
}

// A digit counts as far as it is no finer than keys are apart on average.
TEST(LeadingDigits, CrowdsCloserThanKeysOnAverageDoNoHarm) {
    const auto crowded = [](std::size_t n, std::uint32_t mask) {
        return changed(random_items<std::uint32_t>(n, 3), [&](auto key, auto) { return key & mask; });
    };
    for (const std::uint32_t mask : {0xffff01ffu, 0xffff0f0fu, 0xffffc0ffu})
        EXPECT_EQ(lowest_digit(crowded(1 << 16, mask)), kBySpans) << mask;
    const std::size_t many = 1 << 18;  // at an average distance of 2^14
    EXPECT_EQ(lowest_digit(crowded(many, 0xffffd1ffu)), kBySpans);
    EXPECT_EQ(lowest_digit(crowded(many, 0xffff3fffu)), 0u) << "a quarter of a middle digit's values";
    EXPECT_EQ(lowest_digit(crowded(many, 0xffffbfffu)), 0u) << "half of them, as fine as counts";
}

// Keys of 64 bits take spans behind the two highest digits that differ, or small groups, where they are not even.
TEST(LeadingDigits, OfKeysOf64Bits) {
    using Longs = std::vector<std::uint64_t>;
    const std::size_t n = small() ? 1 << 16 : 1 << 18;
    const auto random = random_items<std::uint64_t>(n, 3);
    const auto expect = [](const Longs& keys, std::uint32_t lowest, bool by_spans, const char* what) {
        const SplitControl control = count_digits(keys, true).control;
        EXPECT_EQ(control.lowest, lowest) << what;
        EXPECT_EQ(control.by_spans, by_spans ? 1u : 0u) << what;
    };
    const auto made = [&](auto change) {
        Longs keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = change(random[i], i);
        return keys;
    };
    expect(random, 6, true, "random");
    expect(made([&](auto, auto i) { return ~std::uint64_t{0} / n * (n - 1 - i); }), 6, true, "at equal distances");
    expect(made([](auto key, auto) { return key >> 8; }), 5, true, "56 bits");
    expect(made([](auto key, auto) { return key >> 32; }), 2, true, "32 bits");
    expect(made([](auto key, auto) { return key >> 32 | std::uint64_t{77} << 40; }), 2, true, "behind equal ones");
    expect(made([](auto key, auto) { return key >> 40; }), 0, false, "24 bits, one pass would be saved");
    expect(made([](auto key, auto) { return key & 0xfffff1ffffffffffu; }), 6, true, "crowds closer than keys are");
    expect(made([](auto key, auto) { return key & 0xff3fffffffffffffu; }), 5, false, "a digit is not even");
    expect(made([](auto key, auto) { return key >> 3; }), 5, false, "the highest digit is not even");
    expect(made([](auto key, auto i) { return i == 4711 ? key : key >> 32; }), 0, false, "one key the sample misses");
    expect(made([&](auto, auto i) { return random[i % 16]; }), 6, false, "16 values, which two digits tell apart");
}

TEST(LeadingDigits, OtherKeysCountEachDigit) {
    const std::size_t n = 1 << 16;
    const auto random = random_items<std::uint64_t>(n, 3);
    EXPECT_EQ(lowest_digit(random, false), 5u);
    auto crowded = random;  // three digits do not tell these apart
    for (auto& key : crowded) key &= 0xffff01ffffffffffu;
    EXPECT_EQ(lowest_digit(crowded, false), 4u);
}

// The sample of any width of keys, by a block that counts as well or not; and digits that all keys share.
TEST(LeadingDigits, OfKeysOfAnyWidthAndBits) {
    const std::size_t n = 1 << 16;
    const auto wide = random_items<kogge::uint128>(n, 3);
    EXPECT_EQ(lowest_digit(wide, false), 13u);
    const auto random = random_items<std::uint64_t>(n, 3);
    EXPECT_EQ(lowest_digit(random, false, 0, 0, 1), 5u) << "one block";
    EXPECT_EQ(lowest_digit(random, false, 0, 0, 3, 6), 3u) << "48 of 64 bits";
    EXPECT_EQ(lowest_digit(random_items<std::uint32_t>(n, 3), true, span_items(kSpanThreads), 0, 1), kBySpans);
    auto low = random, lower = random;
    for (auto& key : low) key &= 0xffffffffffffu;
    for (auto& key : lower) key &= 0xffffffffu;
    EXPECT_EQ(lowest_digit(low, false), 3u) << "two digits that all share";
    EXPECT_EQ(lowest_digit(lower, false), 0u) << "one pass would be saved";
    auto together = wide;  // digits that look independent, and are not: 1000 kinds
    for (std::size_t i = 0; i < n; ++i) together[i] = wide[i % 1000] >> 64 << 64 | static_cast<std::uint64_t>(wide[i]);
    EXPECT_EQ(lowest_digit(together, false), 7u) << "the upper half does not tell them apart";
}

/// Whether the count has left nothing to do, and the items in the outputs; else the last move writes these. Without
/// values they are indices.
template <class Key, class Value>
bool is_done(const std::vector<Key>& keys, const std::vector<Value>& values) {
    const Array<Value> in(values);
    Array<Value> out(keys.size());
    const Values arrays{values.empty() ? nullptr : in.data(), out.data(), sizeof(Value)};
    const Counted<Key> counted =
        count_digits(keys, sizeof(Key) == 4, span_items(kSpanThreads), 0, 3, sizeof(Key), arrays);
    bool moves = false, ends_in_output = false;
    for (const std::uint32_t word : counted.moves) {
        const Move move = Move::of(word);
        if (move.action == Move::skip) continue;
        moves = true;
        ends_in_output = move.to == Move::output;
    }
    if (moves) {
        EXPECT_TRUE(ends_in_output);
        return false;
    }
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

/// Whether the check of the order finds something; `offset`: where the keys begin, in keys behind a pack's alignment.
template <class Key>
bool finds_disorder(const std::vector<Key>& keys, std::size_t offset) {
    const NumberBucket<Key> bucket({.is_signed = false, .is_float = false, .descending = false}, 0, 8 * sizeof(Key));
    const Array<Key> array(keys, offset);
    Array<SplitControl> control(std::vector<SplitControl>{{.splits = 2}});
    kogge::simt::launch(check_order_kernel<Key, NumberBucket<Key>>, {2, kCheckThreads, 0, {}, "check_order_kernel"},
                        array.data(), Count{keys.size()}, bucket, control.data());
    return control.get()[0].disorder != 0;
}
// One pair of neighbours out of order: within packs, across packs, lanes, steps and stretches of warps, and behind all
// whole stretches.
template <class Key>
void check_order_of_all() {
    const std::size_t stretch = 8 * 32 * KeyPack<Key>::kKeys, n = 3 * stretch + 2 * KeyPack<Key>::kKeys + 1;
    std::vector<Key> sorted(n);
    for (std::size_t i = 0; i < n; ++i) sorted[i] = static_cast<Key>(i / 2 * 3);
    for (const std::size_t offset : {0, 1}) {
        EXPECT_FALSE(finds_disorder(sorted, offset)) << "keys in order, some of them equal";
        for (std::size_t i = 1; i + 1 < n; i += 2) {  // the next key is greater
            const bool is_near = i % stretch < 9 || i % stretch > stretch - 9 || i + 40 > n;
            if (!is_near && i % (small() ? 211 : 23) != 0) continue;
            auto keys = sorted;
            std::swap(keys[i], keys[i + 1]);
            EXPECT_TRUE(finds_disorder(keys, offset)) << i << " of " << n;
        }
    }
}
TEST(CheckOrder, FindsOnePairOutOfOrder) {
    check_order_of_all<std::uint32_t>();
    check_order_of_all<std::uint64_t>();
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
