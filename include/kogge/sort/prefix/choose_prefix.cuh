// Chooses how many digits of a sort need passes. Passes over the leading digits leave buckets, neighbours that agree in
// these digits. If most keys are in buckets that fit the chip, the rest is sorted there: 2^28 random keys of 64 bits
// take two passes instead of eight. A large bucket that the choice has missed costs what sorting its keys alone costs
// (sort/prefix/large_buckets.cuh), so the choice affects speed only.
//
// A sample of the keys, which one block takes while the others count, proposes: how many of its keys agree in leading
// digits bounds the buckets. The last block to count digits decides, by the counts of all keys.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/digit/sample.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/simt/device.cuh"
#include "kogge/sort/prefix/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// Keys are uniform in two digits if a bucket has no more keys than this, as expected, relative to equally large
/// buckets. For spans, all digits together may have this much skew: more would crowd bins, and few keys may be equal.
inline constexpr double kMostUneven = 1.25, kMostUnevenDigits = 2;
inline constexpr std::uint32_t kMostEqual = 8;  ///< by values: keys of the sample that have been met before
inline constexpr double kMostOfBin = 6;         ///< the most other keys expected in a key's bin of a span
/// For batches: the most keys expected in a key's bucket, relative to what fits. Then few buckets do not fit.
inline constexpr double kMostOfBatch = 0.3;
/// The work after the passes costs as much as a pass, so it must save more than one.
inline constexpr int kLeastSaved = 2, kLeastSavedByBatches = 3;
inline constexpr std::uint64_t kLeastLeading = 16384;  ///< keys

inline constexpr int kMostLeadingPasses = 16;  ///< of numbers

struct LeadingShared {
    float share[kMostLeadingPasses];  ///< of keys with a pass's most frequent digit; for spans, of coarsened digits
    std::uint32_t used[kMostLeadingPasses];  ///< digits that occur
    std::uint32_t distinct;
    std::uint32_t varying;  ///< passes whose digits differ in the sample, a bit each
};

/// For spans: the number of neighbouring values of a pass's digit that count as one. n keys over all codes of the
/// digits below `top` are at least as far apart on average, so that keys at equal distances count as uniform, although
/// their finer digits are not.
KOGGE_DEVICE int folded_digits(std::uint64_t n, int pass, int top) {
    int bits = 0;
    KOGGE_NO_UNROLL
    for (; bits < kDigitBits; ++bits) {
        const int above = (top - pass) * kDigitBits - bits - 1;
        if (above < 0 || (above < 64 && n > std::uint64_t{1} << above)) break;
    }
    return 1 << bits;
}

/// Words of shared memory for the codes of `samples` keys and the table that tells them apart.
KOGGE_DEVICE std::uint32_t sample_words(std::uint32_t samples, std::size_t code_bytes) {
    return samples * static_cast<std::uint32_t>(code_bytes / sizeof(std::uint32_t)) + 2 * samples;
}
/// The number of samples: at least sqrt(n / 2), as far as `words` suffice. Each other key that keys share their digits
/// with then adds 1/4 or more to the expected number of agreeing pairs.
KOGGE_DEVICE std::uint32_t samples_of(std::uint64_t n, std::size_t code_bytes, std::uint32_t words) {
    std::uint32_t samples = 4 * kHistogramThreads;
    while (static_cast<std::uint64_t>(samples) * samples < n / 2 && sample_words(2 * samples, code_bytes) <= words)
        samples *= 2;
    while (sample_words(samples, code_bytes) > words) samples /= 2;
    return samples;
}
/// The most agreeing samples, if each key is together with `together` others: the expectation, and a margin for chance.
KOGGE_DEVICE float allowed_together(std::uint32_t samples, std::uint64_t n, double together) {
    const float expected = static_cast<float>(samples) / static_cast<float>(n) * static_cast<float>(together);
    const float shared_by_each = expected < 1 ? expected : 1;  // beyond that the sample tells no more
    const float allowed = static_cast<float>(samples) * shared_by_each / 2 * (1 - shared_by_each / 3);
    return allowed + 4 * std::sqrt(allowed) + 4;
}

/// One more than the highest pass whose digits vary among the codes of a sample; 0: none varies. All threads call,
/// after a barrier that follows the writes of the codes and of `varying`.
template <class Code>
KOGGE_DEVICE int highest_varying(const Code* codes, std::uint32_t samples, const MoveRules& rules,
                                 std::uint32_t& varying) {
    if constexpr (sizeof(Code) <= sizeof(std::uint32_t)) {
        return rules.passes;  // fewer passes would save too little
    } else {
        Code differing = 0;
        KOGGE_NO_UNROLL
        for (auto s = static_cast<std::uint32_t>(simt::thread_rank()); s < samples; s += kHistogramThreads)
            differing |= codes[s] ^ codes[0];
        std::uint32_t passes = 0;
        KOGGE_NO_UNROLL
        for (; differing != 0; differing >>= kDigitBits) passes = passes << 1 | 1;
        if (passes != 0) simt::atomic_or<simt::Scope::block>(&varying, passes);
        simt::sync_block();  // all threads have looked
        return varying != 0 ? simt::highest_bit(varying) + 1 : 0;
    }
}

/// The part of a span, or of a batch where there are no spans, that a bucket of uniform keys may be expected to fill.
KOGGE_DEVICE float most_of_bucket(const MoveRules& rules) {
    return static_cast<float>(kMostOfSpan * (rules.span_items > 0 ? rules.span_items : rules.batch_items));
}

/// Takes a sample, in one block. Writes control->sampled_values and, if passes over leading digits would do for all
/// keys as they do for the sample, the lowest of these digits and whether keys are uniform in two of them. `words` of
/// shared memory at `at` are free. All threads call.
///
/// This runs once, and fetching its instructions takes as long as executing them: hence few instructions, in loops.
template <class Key, class Bucket>
KOGGE_DEVICE void sample_leading(const Key* keys, std::uint64_t n, const Bucket& bucket, const MoveRules& rules,
                                 LeadingShared& shared, std::uint32_t* at, std::uint32_t words, SplitControl* control) {
    using Code = std::remove_cvref_t<decltype(bucket.code(keys[0]))>;
    constexpr std::uint32_t in_flight = 4;
    if (n < kLeastLeading) return;
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const std::uint32_t samples = samples_of(n, sizeof(Code), words);
    auto* const codes = reinterpret_cast<Code*>(at);
    at += samples * (sizeof(Code) / sizeof(*at));
    words -= samples * static_cast<std::uint32_t>(sizeof(Code) / sizeof(*at));
    const CodeTable<kHistogramThreads> table(at, 4 * samples <= words ? 4 * samples : 2 * samples);
    if (thread == 0) shared.varying = 0;
    KOGGE_NO_UNROLL
    for (std::uint32_t s = thread; s < samples; s += in_flight * kHistogramThreads) {
        Key sampled[in_flight];
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < in_flight; ++u)
            if (s + u * kHistogramThreads < samples)
                sampled[u] = keys[sample_place(s + u * kHistogramThreads, n / samples)];
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < in_flight; ++u)
            if (s + u * kHistogramThreads < samples) codes[s + u * kHistogramThreads] = bucket.code(sampled[u]);
    }

    // Tried in turn: all digits; the two highest that vary, in which keys may be uniform; fewer and fewer leading
    // digits, by bisection. Digits from above `high` up will not do.
    int lowest = 0, low = 0, high = 0, tried = 0, top = 0;
    std::uint32_t all = 0;
    float allowed = 0;
    const auto begin_bisection = [&] {
        const bool are_few = all <= kFewValues;
        const auto most = static_cast<float>(kMostOfBatch * rules.batch_items);
        allowed = are_few ? 0 : allowed_together(samples, n, most);
        high = rules.passes - 1;
        low = kLeastSaved - 1;
        // Even uniform keys share their digits above `high` with more than this many others. It does not bound keys of
        // few values, which are in order once their leading digits tell the values apart, however many are equal.
        auto together = static_cast<float>(n) / kBins;
        for (; !are_few && high > low && together > most; together /= kBins) --high;
        tried = high;  // right for uniform keys
    };
    const auto count_distinct = [&](int below) {  // without the bits below
        return table.count_distinct(
            [&](const auto& f) {
                KOGGE_NO_UNROLL
                for (std::uint32_t s = thread; s < samples; s += kHistogramThreads) f(codes[s] >> below);
            },
            shared.distinct);
    };
    // Where only two passes are saved, keys that are equal need not fit a batch, but a large bucket of them costs more.
    const bool counts_equal = rules.passes <= kLeastSaved + kSpanDigits;
    KOGGE_NO_UNROLL
    for (bool is_first = true; is_first || low < high; is_first = false) {
        const std::uint32_t distinct = count_distinct(tried * kDigitBits);
        if (is_first) {
            all = distinct;
            if (all > kFewValues && equal_group(n) <= most_of_bucket(rules))
                top = highest_varying(codes, samples, rules, shared.varying);
            if (top >= kLeastSaved + kSpanDigits) {
                allowed = allowed_together(samples, n, kMostUneven * equal_group(n));
                tried = high = top - kSpanDigits;
                low = high - 1;
            } else {
                top = 0;
                begin_bisection();
            }
            continue;
        }
        const std::uint32_t met = (counts_equal || top > 0) && all > kFewValues ? samples : all;
        const bool will_do = static_cast<float>(met - distinct) <= allowed;
        if (will_do) lowest = low = tried;
        else high = tried - 1;
        if (top > 0 && !will_do) {
            top = 0;
            begin_bisection();
        } else {
            tried = (low + high + 1) / 2;
        }
    }
    // How many keys a bin of a span would have: those that agree in as many leading bits as tell apart n uniform keys,
    // or in one digit more than the passes order.
    std::uint32_t together = samples;
    if (lowest > 0 && rules.span_items > 0) {
        int below = top > 0 ? top * kDigitBits : (lowest - 1) * kDigitBits;
        if (top > 0)
            for (std::uint64_t keys = n; keys > 1 && below > 0; keys /= 2) --below;
        together = samples - count_distinct(below);
    }
    if (thread > 0) return;
    control->sampled_lowest = static_cast<std::uint32_t>(lowest);
    control->sampled_top = static_cast<std::uint32_t>(top);
    control->sampled_values = all;
    control->sampled_crowded = static_cast<float>(together) <= allowed_together(samples, n, kMostOfBin) ? 0 : 1;
}

/// The keys of the fullest bucket of two digits, if digits are independent.
KOGGE_DEVICE float fullest_bucket(const LeadingShared& shared, std::uint64_t n, int top) {
    float fullest = static_cast<float>(n);
    for (int pass = top - kSpanDigits; pass < top; ++pass) fullest *= shared.share[pass];
    return fullest;
}

/// The first pass of the leading digits (0: all digits need passes), and what sorts their buckets.
struct LeadingChoice {
    int lowest;
    SortOutcome outcome;
};
/// Chooses, in one thread, from all counts and the sample's findings.
KOGGE_DEVICE LeadingChoice find_leading(std::uint64_t n, const MoveRules& rules, const SplitControl* control,
                                        const LeadingShared& shared) {
    const auto sampled_lowest = static_cast<int>(simt::load_relaxed(&control->sampled_lowest));
    const auto top = static_cast<int>(simt::load_relaxed(&control->sampled_top));
    const std::uint32_t sampled_values = simt::load_relaxed(&control->sampled_values);
    const bool may_span = rules.span_items > 0 && simt::load_relaxed(&control->sampled_crowded) == 0;
    const int passes = rules.passes;
    const auto choice = [&](int lowest, SortOutcome outcome) {
        int saved = 0;  // passes that would change something
        KOGGE_NO_UNROLL
        for (int pass = 0; pass < lowest; ++pass) saved += shared.used[pass] > 1 ? 1 : 0;
        const int least = outcome == SortOutcome::batches ? kLeastSavedByBatches : kLeastSaved;
        return saved >= least ? LeadingChoice{lowest, outcome} : LeadingChoice{0, SortOutcome::all_digits};
    };
    if (sampled_lowest == 0) return {0, SortOutcome::all_digits};
    if (top > 0) {
        const float fullest = fullest_bucket(shared, n, top);
        const std::uint64_t group = whole_group(n);
        bool spans = may_span && fullest <= most_of_bucket(rules) &&
                     (rules.span_words == 0 || fits_words(divide_up(rules.span_words, group), group));
        float uneven = 1;
        KOGGE_NO_UNROLL
        for (int pass = 0; pass < passes; ++pass)
            if (pass < top) uneven *= shared.share[pass] * static_cast<float>(kBins / folded_digits(n, pass, top));
            else spans = spans && shared.used[pass] <= 1;
        if (spans && uneven < static_cast<float>(kMostUnevenDigits)) return choice(sampled_lowest, SortOutcome::spans);
        // A third digit, if some buckets of two digits would be too large.
        const bool fit = fullest <= static_cast<float>(kMostOfSpan * rules.batch_items);
        if (fit) return choice(sampled_lowest, SortOutcome::batches);
        return choice(sampled_lowest - 1,
                      may_span && rules.span_words == 0 ? SortOutcome::spans : SortOutcome::batches);
    }
    if (sampled_values > kFewValues)
        return choice(sampled_lowest, may_span && rules.span_words == 0 ? SortOutcome::spans : SortOutcome::batches);
    bool are_few = true;  // the counts show no value that the sample has missed
    KOGGE_NO_UNROLL
    for (int pass = 0; pass < passes; ++pass) are_few = are_few && shared.used[pass] <= sampled_values;
    return are_few ? choice(sampled_lowest, SortOutcome::few_distinct) : LeadingChoice{0, SortOutcome::all_digits};
}

}  // namespace kogge::grid::KOGGE_CODE
