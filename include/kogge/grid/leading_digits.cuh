// How many digits of a sort need passes. When numbers differ so much in their leading digits that few agree in all of
// these, passes over those digits leave only small groups of neighbours out of order, which are put in order on chip
// (order_groups.cuh): 2^28 random keys of 64 bits take four passes instead of eight. Keys of 32 bits, alone or with
// values of as many, are put in order on chip in groups of many as well (order_spans.cuh), and take two passes instead
// of four.
//
// The last block to count digits chooses. If digits were independent, the product of the digits' most frequent values
// would bound the groups; a sample of the keys then tells whether they are, which for spans a block takes while the
// others count. The choice decides only about speed.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "kogge/grid/group_shape.hpp"
#include "kogge/grid/split_moves.cuh"
#include "kogge/simt/device.cuh"

namespace kogge::grid {

/// Keys expected in a group beside each key, at most.
inline constexpr double kMostTogether = 0.3;
/// Of spans: by how much keys may be together in more than equal groups of leading digits, and in how much more than
/// equal groups of all digits. Other keys would crowd bins, and cost more than passes.
inline constexpr double kMostUneven = 1.25, kMostUnevenDigits = 2;
inline constexpr std::uint32_t kMostEqual = 8;  ///< keys of the sample that have been met before
/// What follows costs as much as a pass, so that it must save more.
inline constexpr int kLeastSaved = 2;
/// A sample is taken to show all values of a sort where it has only so many.
inline constexpr std::uint32_t kFewValues = 64;
inline constexpr std::uint64_t kLeastLeading = 16384;  ///< keys

inline constexpr int kMostLeadingPasses = 16;  ///< of numbers

struct LeadingShared {
    std::uint64_t most[kMostLeadingPasses];  ///< keys that share a pass's most frequent digit; of spans, folded
    std::uint32_t used[kMostLeadingPasses];  ///< digits that occur
    std::uint32_t distinct[2];
    int lowest;
};

/// Of spans: so many neighbouring values of a pass's digit count as one, because n keys in all codes of 32 bits are at
/// least as far apart on average. Keys at equal distances are even, though finer digits of theirs are not.
KOGGE_DEVICE int folded_digits(std::uint64_t n, int pass) {
    int bits = 0;
    while (bits < kDigitBits && n << (pass * kDigitBits + bits + 1) <= std::uint64_t{1} << 32) ++bits;
    return 1 << bits;
}

KOGGE_HOST_DEVICE std::uint64_t mixed(std::uint64_t word) {
    word = (word ^ word >> 32) * 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 29) * 0xbf58476d1ce4e5b9u;
    return word ^ word >> 32;
}
/// Where a sample's key stands: somewhere in its stretch of so many places.
KOGGE_HOST_DEVICE std::uint64_t sample_place(std::uint64_t sample, std::uint64_t stretch) {
    return sample * stretch + ((mixed(sample + 1) >> 32) * stretch >> 32);
}

/// 1 if a code is the first of its kind, else 0, by a table of `size` slots, a power of two, that is zero before.
template <class Code>
KOGGE_DEVICE std::uint32_t count_first(const Code& code, std::uint32_t* slots, std::uint32_t size) {
    std::uint32_t slot, mark;
    if constexpr (sizeof(Code) <= 4) {
        std::uint32_t hash = static_cast<std::uint32_t>(code) * 0x9e3779b1u;
        hash = (hash ^ hash >> 15) * 0x85ebca6bu;
        slot = hash >> 7;
        mark = hash | 1;
    } else {
        std::uint64_t words = static_cast<std::uint64_t>(code);
        if constexpr (sizeof(Code) > 8) words ^= mixed(static_cast<std::uint64_t>(code >> 64));
        const std::uint64_t hash = mixed(words);
        slot = static_cast<std::uint32_t>(hash);
        mark = static_cast<std::uint32_t>(hash >> 32) | 1;
    }
    for (;; ++slot) {
        const std::uint32_t old = simt::atomic_compare_swap<simt::Scope::block>(slots + (slot & (size - 1)), 0, mark);
        if (old == 0 || old == mark) return old == 0 ? 1 : 0;
    }
}
/// Adds what the threads of a block have counted.
KOGGE_DEVICE void add_up(std::uint32_t counted, std::uint32_t& sum) {
    const std::uint32_t of_warp = simt::reduce_add(counted);
    if (simt::lane() == 0) simt::atomic_add<simt::Scope::block>(&sum, of_warp);
}

/// f(key) for a thread's part of `samples` keys, one from each stretch of as many.
template <class Key, class F>
KOGGE_DEVICE void for_samples(const Key* keys, std::uint64_t n, std::uint32_t samples, const F& f) {
    constexpr int in_flight = 4;
    for (std::uint32_t s = static_cast<std::uint32_t>(simt::thread_rank()); s < samples;
         s += in_flight * kHistogramThreads) {
        const auto sample = [&](int u) { return s + static_cast<std::uint32_t>(u * kHistogramThreads); };
        Key sampled[in_flight];
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u)
            if (sample(u) < samples) sampled[u] = keys[sample_place(sample(u), n / samples)];
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u)
            if (sample(u) < samples) f(sampled[u]);
    }
}

/// The number of different values of the digits from pass `lowest` up, among `samples` keys (a power of two); there are
/// twice as many `slots`. All threads of the block call.
template <class Key, class Bucket>
KOGGE_DEVICE std::uint32_t count_distinct(const Key* keys, std::uint64_t n, const Bucket& bucket, int lowest,
                                          std::uint32_t samples, std::uint32_t* slots, std::uint32_t& found) {
    const std::uint32_t thread = static_cast<std::uint32_t>(simt::thread_rank());
    if (thread == 0) found = 0;
    for (std::uint32_t i = thread; i < 2 * samples; i += kHistogramThreads) slots[i] = 0;
    simt::sync_block();  // the slots are empty
    std::uint32_t firsts = 0;
    for_samples(keys, n, samples, [&](const Key& key) {
        firsts += count_first(bucket.code(key) >> (lowest * kDigitBits), slots, 2 * samples);
    });
    add_up(firsts, found);
    simt::sync_block();  // all warps have added theirs
    return found;
}

/// Enough samples that one pair in two of them, or more, agrees for each key that a key is together with; but with so
/// many slots each, no more than there are words for.
KOGGE_DEVICE std::uint32_t samples_of(std::uint64_t n, std::uint32_t slots, std::uint32_t words) {
    std::uint32_t samples = 4 * kHistogramThreads;
    while (static_cast<std::uint64_t>(samples) * samples < n / 2 && 2 * samples * slots <= words) samples *= 2;
    while (samples * slots > words) samples /= 2;
    return samples;
}
/// What samples share if each key is together with so many others, and something for chance.
KOGGE_DEVICE double allowed_together(std::uint32_t samples, std::uint64_t n, double together) {
    const double shared_by_each = static_cast<double>(samples) / static_cast<double>(n) * together;
    const double allowed = samples * shared_by_each / 2 * (1 - shared_by_each / 3);
    return allowed + 4 * std::sqrt(allowed) + 4;
}

/// Of spans: whether a sample shows as few equal keys, and as few that agree in their leading digits, as even keys
/// have. `words` of shared memory at `slots` are free. All threads of the block call, the first one learns it.
template <class Key, class Bucket>
KOGGE_DEVICE bool are_spans_even(const Key* keys, std::uint64_t n, const Bucket& bucket, int passes,
                                 LeadingShared& shared, std::uint32_t* slots, std::uint32_t words) {
    if (n < kLeastLeading) return false;
    const std::uint32_t thread = static_cast<std::uint32_t>(simt::thread_rank()), samples = samples_of(n, 4, words);
    // Half of the words each: the fewer slots are taken, the sooner a free one is found.
    std::uint32_t size = 2 * samples;
    while (4 * size <= words) size *= 2;
    if (thread < 2) shared.distinct[thread] = 0;
    for (std::uint32_t i = thread; i < 2 * size; i += kHistogramThreads) slots[i] = 0;
    simt::sync_block();  // the slots are empty
    std::uint32_t firsts = 0, leading_firsts = 0;
    for_samples(keys, n, samples, [&](const Key& key) {
        const auto code = bucket.code(key);
        firsts += count_first(code, slots, size);
        leading_firsts += count_first(code >> ((passes - kSpanDigits) * kDigitBits), slots + size, size);
    });
    add_up(firsts, shared.distinct[0]);
    add_up(leading_firsts, shared.distinct[1]);
    simt::sync_block();  // all warps have added theirs
    const std::uint32_t distinct = shared.distinct[0], leading = shared.distinct[1];
    return thread == 0 && samples - distinct <= kMostEqual &&
           static_cast<double>(distinct - leading) <= allowed_together(samples, n, kMostUneven * equal_group(n));
}

/// The first pass of the leading digits; 0: all digits need passes. `spans_even`: what a sample has shown, of spans.
/// `words` of shared memory at `slots` are free. All threads of the block call.
template <class Key, class Bucket>
KOGGE_DEVICE int find_leading(const Key* keys, std::uint64_t n, const Bucket& bucket, const MoveRules& rules,
                              bool spans_even, LeadingShared& shared, std::uint32_t* slots, std::uint32_t words) {
    if (n < kLeastLeading) return 0;
    const int passes = rules.passes;
    const auto next_below = [&](int pass) {  // the next pass that changes something; −1: none
        for (--pass; pass >= 0 && shared.used[pass] == 1;) --pass;
        return pass;
    };
    const auto saved_below = [&](int pass) {
        int saved = 0;
        while ((pass = next_below(pass)) >= 0) ++saved;
        return saved;
    };
    if (simt::thread_rank() == 0) {
        const auto share = [&](int pass) { return static_cast<double>(shared.most[pass]) / static_cast<double>(n); };
        if (rules.span_items > 0) {
            double uneven = 1, fullest = static_cast<double>(n);  // group
            for (int pass = 0; pass < passes; ++pass) {
                uneven *= share(pass) * (kBins / folded_digits(n, pass));
                if (pass >= passes - kSpanDigits) fullest *= share(pass);
            }
            const std::uint64_t group = whole_group(n);
            const bool fit = fullest <= kMostOfSpan * rules.span_items &&
                             (rules.span_words == 0 || fits_words(divide_up(rules.span_words, group), group));
            shared.lowest = fit && uneven < kMostUnevenDigits ? passes - kSpanDigits : 0;
        } else {
            double together = static_cast<double>(n);
            int lowest = passes;
            while (lowest > 0 && together > kMostTogether) {
                lowest = next_below(lowest);
                if (lowest >= 0) together *= share(lowest);
            }
            shared.lowest = lowest;
        }
    }
    simt::sync_block();  // the digits that would do if they were independent are known
    int lowest = shared.lowest;
    bool has_few_values = true;
    for (int pass = 0; pass < passes; ++pass) has_few_values = has_few_values && shared.used[pass] <= kFewValues;
    if (saved_below(lowest) < kLeastSaved && !has_few_values) return 0;

    if (rules.span_items > 0 && saved_below(lowest) >= kLeastSaved) return spans_even ? lowest : 0;
    const std::uint32_t samples = samples_of(n, 2, words);
    const std::uint32_t all = count_distinct(keys, n, bucket, 0, samples, slots, shared.distinct[0]);
    double allowed = allowed_together(samples, n, kMostTogether);
    if (saved_below(lowest) < kLeastSaved) {
        // Keys of few values are in order when their leading digits tell these apart, however many are equal.
        if (all > kFewValues) return 0;
        for (int pass = 0; pass < passes; ++pass)
            if (shared.used[pass] > all) return 0;  // there are values that the sample has missed
        allowed = 0;
        lowest = next_below(passes);
    }
    for (int turn = 1; saved_below(lowest) >= kLeastSaved; turn = 1 - turn) {
        const std::uint32_t leading = count_distinct(keys, n, bucket, lowest, samples, slots, shared.distinct[turn]);
        if (static_cast<double>(all - leading) <= allowed) return lowest;
        lowest = next_below(lowest);
    }
    return 0;
}

}  // namespace kogge::grid
