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
inline constexpr double kMostUneven = 1.25, kMostSkewedDigits = 2;
inline constexpr std::uint32_t kMostEqual = 8;  ///< by values: keys of the sample that have been met before
inline constexpr double kMostOfBin = 2;         ///< the most other keys expected in a key's bin of a span
/// For batches: the most keys expected in a key's bucket, relative to what fits. Then few buckets do not fit.
inline constexpr double kMostOfBatch = 0.15;
/// The work after the passes costs as much as a pass, so it must save more than one.
inline constexpr int kLeastSaved = 2, kLeastSavedSkewed = 3;  ///< the latter where keys are not uniform
/// Batches take as many passes on chip as digits are left, each of which costs as much as a pass over 8-byte items.
constexpr int least_saved_by_batches(std::size_t item_bytes) { return item_bytes <= 8 ? 5 : 4; }
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
/// The most agreeing pairs of samples, if each key is together with `together` others: the expectation, and a margin
/// for chance. `others`: pairs that are expected to be counted besides.
KOGGE_DEVICE float allowed_pairs(std::uint32_t samples, std::uint64_t n, double together, float others = 0) {
    const auto all = static_cast<float>(samples);
    const float expected = all * all / (2 * static_cast<float>(n)) * static_cast<float>(together) + others;
    return expected + 2 * std::sqrt(expected) + 1;
}

/// Whether a sample leaves open how many other keys are in a key's bin of a span: more seem to be there than in bins of
/// uniform keys, and not more than there may be.
KOGGE_DEVICE bool is_crowding_open(float crowding, std::uint32_t samples, std::uint64_t n) {
    const auto all = static_cast<float>(samples);
    const float of_uniform = all * all / (2 * static_cast<float>(n));
    return crowding > of_uniform + 1.5f * std::sqrt(of_uniform) && crowding <= allowed_pairs(samples, n, kMostOfBin);
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
                                 LeadingShared& shared, std::uint32_t* at, std::uint32_t words, PassControl* control) {
    using Code = std::remove_cvref_t<decltype(bucket.code(keys[0]))>;
    constexpr std::uint32_t in_flight = 4;
    if (n < kLeastLeading) return;
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    std::uint32_t samples = samples_of(n, sizeof(Code), words);
    auto* const codes = reinterpret_cast<Code*>(at);
    const auto table_of = [&] {
        const std::uint32_t of_codes = samples * static_cast<std::uint32_t>(sizeof(Code) / sizeof(*at));
        return CodeTable<kHistogramThreads>(at + of_codes, 4 * samples <= words - of_codes ? 4 * samples : 2 * samples);
    };
    auto table = table_of();
    if (thread == 0) shared.varying = 0;

    // Looked at in turn: how many codes are distinct; if few, whether half of the samples show them too; whether keys
    // are uniform in the two highest digits that vary; otherwise fewer and fewer leading digits, by bisection; where so
    // few agree in these that it may be chance, whether the digit before them divides keys evenly; whether buckets have
    // gaps between them; and how many keys a bin of a span would have.
    enum Step { whole, half, uniform, bisection, evenness, gaps, bins, none };
    bool is_taken = false;  // the sample
    int lowest = 0, low = 0, high = 0, top = 0, below = 0;
    std::uint32_t all = 0;
    bool are_few = false;  // so few values that their buckets are in order once leading digits tell them apart
    float in_bucket = equal_group(n), in_wider = 0;  // keys beside a key; the same in the buckets of a digit fewer
    const auto others =
        static_cast<float>(samples) * static_cast<float>(samples) / 2 / static_cast<float>(table.pairs_per_other());
    const auto begin_bisection = [&] {
        low = kLeastSaved - 1;
        high = rules.passes - 1;
        below = high * kDigitBits;  // right for few values, and for uniform keys
        return low < high ? bisection : none;
    };
    const auto begin_uniform = [&] {
        top = equal_group(n) <= most_of_bucket(rules) ? highest_varying(codes, samples, rules, shared.varying) : 0;
        if (top < kLeastSaved + kSpanDigits) {
            top = 0;
            return begin_bisection();
        }
        below = (top - kSpanDigits) * kDigitBits;
        return uniform;
    };
    // A bucket has about as many bins as keys.
    const auto begin_bins = [&] {
        below = lowest * kDigitBits;
        for (float keys = in_bucket; keys >= 2 && below > 0; keys /= 2) --below;
        return bins;
    };
    // A span is as many neighbouring buckets as hold its keys, if there are no gaps between them.
    float in_span = in_bucket;
    const auto begin_gaps = [&] {
        below = lowest * kDigitBits;
        for (in_span = in_bucket; 2 * in_span <= static_cast<float>(rules.span_items); in_span *= 2) ++below;
        return gaps;
    };
    // As estimated from a number of pairs; at least 1.
    const auto keys_beside = [&](std::uint32_t pairs) {
        const float keys = (static_cast<float>(pairs) - others) * 2 * static_cast<float>(n) /
                           (static_cast<float>(samples) * static_cast<float>(samples));
        return keys > 1 ? keys : 1;
    };
    auto crowding = static_cast<float>(samples);
    KOGGE_NO_UNROLL
    for (Step step = whole; step != none;) {
        KOGGE_NO_UNROLL
        for (std::uint32_t s = thread; !is_taken && s < samples; s += in_flight * kHistogramThreads) {
            Key sampled[in_flight];
            KOGGE_UNROLL
            for (std::uint32_t u = 0; u < in_flight; ++u)
                if (s + u * kHistogramThreads < samples)
                    sampled[u] = keys[sample_place(s + u * kHistogramThreads, n / samples)];
            KOGGE_UNROLL
            for (std::uint32_t u = 0; u < in_flight; ++u)
                if (s + u * kHistogramThreads < samples) codes[s + u * kHistogramThreads] = bucket.code(sampled[u]);
        }
        is_taken = true;
        const std::uint32_t seen = step == half ? samples / 2 : samples;
        const auto visit = [&](const auto& f) {
            KOGGE_NO_UNROLL
            for (std::uint32_t s = thread; s < seen; s += kHistogramThreads) f(codes[s] >> below);
        };
        const bool by_pairs = step == uniform || step == evenness || step == gaps || (step == bisection && !are_few);
        const std::uint32_t found =
            by_pairs ? table.count_pairs(visit, shared.distinct) : table.count_distinct(visit, shared.distinct);
        switch (step) {
            case whole:
                all = found;
                are_few = all <= kFewValues;
                if (are_few) step = begin_bisection();
                else if (all <= samples / 8 && rules.passes > kLeastSaved + kSpanDigits) step = half;
                else step = begin_uniform();
                break;
            case half:
                are_few = found >= all - all / 64;
                step = are_few ? begin_bisection() : begin_uniform();
                break;
            case uniform:
                if (static_cast<float>(found) <= allowed_pairs(samples, n, kMostUneven * equal_group(n), others)) {
                    lowest = top - kSpanDigits;
                    step = rules.span_items > 0 ? begin_bins() : none;
                } else {
                    top = 0;
                    step = begin_bisection();
                }
                break;
            case bisection: {
                // Few values may share buckets with a part of the others that is as small as what half a sample misses.
                const bool will_do = are_few ? all - found <= (all <= kFewValues ? 0 : all / 64)
                                             : static_cast<float>(found) <=
                                                   allowed_pairs(samples, n, kMostOfBatch * rules.batch_items, others);
                const int tried = below / kDigitBits;
                if (will_do) {
                    lowest = low = tried;
                    // So few pairs may be chance.
                    const float chance = 2 * std::sqrt(static_cast<float>(found));
                    in_bucket = static_cast<float>(found) - others > chance ? keys_beside(found) : 0;
                } else {
                    high = tried - 1;
                    in_wider = keys_beside(found);
                }
                below = (low + high + 1) / 2 * kDigitBits;
                if (low < high) break;
                if (lowest == 0 || rules.span_items == 0 || are_few) {
                    step = none;
                } else if (in_bucket >= 1) {
                    step = begin_gaps();
                } else {
                    step = in_wider > 0 ? evenness : none;
                    below = (lowest + 1) * kDigitBits + kDigitBits / 2;
                }
                break;
            }
            case evenness:
                // Where the lower half of the digit before divides keys evenly, the last one is taken to do so, too.
                in_bucket = in_wider / kBins > 1 ? in_wider / kBins : 1;
                step = keys_beside(found) * 4 / 3 > in_wider * (1 << kDigitBits / 2) ? begin_gaps() : none;
                break;
            case gaps:
                step = keys_beside(found) * 2 > in_span ? begin_bins() : none;
                break;
            default:
                crowding = static_cast<float>(samples - found);
                // Twice as many samples see four times as many pairs.
                is_taken = !is_crowding_open(crowding, samples, n) || sample_words(2 * samples, sizeof(Code)) > words;
                if (is_taken) {
                    step = none;
                } else {
                    samples *= 2;
                    table = table_of();
                }
        }
    }
    if (thread > 0) return;
    control->sampled_lowest = static_cast<std::uint32_t>(lowest);
    control->sampled_top = static_cast<std::uint32_t>(top);
    control->sampled_values = all;
    const float crowded = allowed_pairs(samples, n, kMostOfBin);
    control->sampled_crowded = crowding > crowded ? 1 : 0;
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
KOGGE_DEVICE LeadingChoice find_leading(std::uint64_t n, const MoveRules& rules, const PassControl* control,
                                        const LeadingShared& shared) {
    const auto sampled_lowest = static_cast<int>(simt::load_relaxed(&control->sampled_lowest));
    const auto top = static_cast<int>(simt::load_relaxed(&control->sampled_top));
    const std::uint32_t sampled_values = simt::load_relaxed(&control->sampled_values);
    const bool may_span = rules.span_items > 0 && simt::load_relaxed(&control->sampled_crowded) == 0;
    // Words of 32 bits have room for uniform keys alone.
    const bool may_span_skewed = may_span && (rules.span_words == 0 || rules.passes > kLeastSaved + kSpanDigits);
    const int passes = rules.passes;
    const auto choice = [&](int lowest, SortOutcome outcome) {
        int saved = 0;  // passes that would change something
        KOGGE_NO_UNROLL
        for (int pass = 0; pass < lowest; ++pass) saved += shared.used[pass] > 1 ? 1 : 0;
        const int least = outcome == SortOutcome::batches             ? rules.least_saved
                          : outcome == SortOutcome::spans && top == 0 ? kLeastSavedSkewed
                                                                      : kLeastSaved;
        return saved >= least ? LeadingChoice{lowest, outcome} : LeadingChoice{0, SortOutcome::all_digits};
    };
    if (sampled_lowest == 0) return {0, SortOutcome::all_digits};
    if (top > 0) {
        const float fullest = fullest_bucket(shared, n, top);
        const std::uint64_t group = whole_group(n);
        bool spans = may_span && fullest <= most_of_bucket(rules) &&
                     (rules.span_words == 0 || fits_words(divide_up(rules.span_words, group), group));
        float skew = 1;
        KOGGE_NO_UNROLL
        for (int pass = 0; pass < passes; ++pass)
            if (pass < top) skew *= shared.share[pass] * static_cast<float>(kBins / folded_digits(n, pass, top));
            else spans = spans && shared.used[pass] <= 1;
        if (spans && skew < static_cast<float>(kMostSkewedDigits)) return choice(sampled_lowest, SortOutcome::spans);
        // A third digit, if some buckets of two digits would be too large.
        const bool fit = fullest <= static_cast<float>(kMostOfSpan * rules.batch_items);
        if (fit) return choice(sampled_lowest, SortOutcome::batches);
        return choice(sampled_lowest - 1, may_span_skewed ? SortOutcome::spans : SortOutcome::batches);
    }
    if (sampled_values > kFewValues)
        return choice(sampled_lowest, may_span_skewed ? SortOutcome::spans : SortOutcome::batches);
    bool are_few = true;  // the counts show no value that the sample has missed
    KOGGE_NO_UNROLL
    for (int pass = 0; pass < passes; ++pass) are_few = are_few && shared.used[pass] <= sampled_values;
    return are_few ? choice(sampled_lowest, SortOutcome::few_distinct) : LeadingChoice{0, SortOutcome::all_digits};
}

}  // namespace kogge::grid::KOGGE_CODE
