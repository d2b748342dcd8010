// How many digits of a sort need passes. When numbers differ so much in their leading digits that few agree in all of
// these, passes over those digits leave only small groups of neighbours out of order, which are put in order on chip
// (sort/prefix/small_buckets.cuh): 2^28 random keys of 128 bits take four passes instead of 16. Keys of 64 bits alone,
// and those of 32 bits, alone or with values of as many, are put in order on chip in groups of many as well
// (sort/prefix/spans.cuh): where they are even, they take two passes, over the highest digits that differ.
//
// The last block to count digits chooses. If digits were independent, the product of the digits' most frequent values
// would bound the groups; a sample of the keys, which one block takes while the others count, tells whether they are.
// The choice decides only about speed.
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

/// Keys expected in a group beside each key, at most.
inline constexpr double kMostTogether = 0.3;
/// Of spans: by how much keys may be together in more than equal groups of leading digits, and in how much more than
/// equal groups of all digits. Other keys would crowd bins, and cost more than passes.
inline constexpr double kMostUneven = 1.25, kMostUnevenDigits = 2;
inline constexpr std::uint32_t kMostEqual = 8;  ///< keys of the sample that have been met before
/// What follows costs as much as a pass, so that it must save more.
inline constexpr int kLeastSaved = 2;
inline constexpr std::uint64_t kLeastLeading = 16384;  ///< keys

inline constexpr int kMostLeadingPasses = 16;  ///< of numbers

struct LeadingShared {
    float share[kMostLeadingPasses];         ///< of all keys that have a pass's most frequent digit; of spans, folded
    std::uint32_t used[kMostLeadingPasses];  ///< digits that occur
    std::uint32_t distinct;
    std::uint32_t varying;  ///< passes whose digits differ in the sample, a bit each
};

/// Of spans: so many neighbouring values of a pass's digit count as one, because n keys in all codes of the digits
/// below `top` are at least as far apart on average. Keys at equal distances are even, though finer digits of theirs
/// are not.
KOGGE_DEVICE int folded_digits(std::uint64_t n, int pass, int top) {
    int bits = 0;
    KOGGE_NO_UNROLL
    for (; bits < kDigitBits; ++bits) {
        const int above = (top - pass) * kDigitBits - bits - 1;
        if (above < 0 || (above < 64 && n > std::uint64_t{1} << above)) break;
    }
    return 1 << bits;
}

/// Words of shared memory for the codes of so many keys, and to tell them apart.
KOGGE_DEVICE std::uint32_t sample_words(std::uint32_t samples, std::size_t code_bytes) {
    return samples * static_cast<std::uint32_t>(code_bytes / sizeof(std::uint32_t)) + 2 * samples;
}
/// Enough samples that one pair in two of them, or more, agrees for each key that a key is together with; but no more
/// than there are words for.
KOGGE_DEVICE std::uint32_t samples_of(std::uint64_t n, std::size_t code_bytes, std::uint32_t words) {
    std::uint32_t samples = 4 * kHistogramThreads;
    while (static_cast<std::uint64_t>(samples) * samples < n / 2 && sample_words(2 * samples, code_bytes) <= words)
        samples *= 2;
    while (sample_words(samples, code_bytes) > words) samples /= 2;
    return samples;
}
/// What samples share if each key is together with so many others, and something for chance.
KOGGE_DEVICE float allowed_together(std::uint32_t samples, std::uint64_t n, double together) {
    const float shared_by_each = static_cast<float>(samples) / static_cast<float>(n) * static_cast<float>(together);
    const float allowed = static_cast<float>(samples) * shared_by_each / 2 * (1 - shared_by_each / 3);
    return allowed + 4 * std::sqrt(allowed) + 4;
}

/// One more than the highest of the passes whose digits differ among the codes of a sample; 0: none does. All threads
/// call; a barrier has stood since the codes were written and `varying` was cleared.
template <class Code>
KOGGE_DEVICE int highest_varying(const Code* codes, std::uint32_t samples, const MoveRules& rules,
                                 std::uint32_t& varying) {
    if constexpr (sizeof(Code) <= sizeof(std::uint32_t)) {
        return rules.passes;  // of fewer, too few would be saved
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

/// Takes a sample, by one block: control->sampled_values and, if passes over leading digits would do for all keys as
/// they do for these, the lowest of the digits, and whether spans will do. `words` of shared memory at `at` are free.
/// All threads call.
///
/// This runs once, and fetching its instructions takes as long as they do: hence few of them, in loops.
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

    // Of all digits first; then of the two that spans take; then of fewer and fewer leading ones, by bisection: those
    // from above `high` up will not do.
    int lowest = 0, low = 0, high = 0, tried = 0, top = 0;
    std::uint32_t all = 0;
    float allowed = 0;
    const auto begin_groups = [&] {
        const bool are_few = all <= kFewValues;
        allowed = are_few ? 0 : allowed_together(samples, n, kMostTogether);
        high = rules.passes - 1;
        low = kLeastSaved - 1;
        // Keys are together with more than this at least; but those of few values are in order when their leading
        // digits tell these apart, however many are equal.
        auto together = static_cast<float>(n) / kBins;
        for (; !are_few && high > low && together > static_cast<float>(kMostTogether); together /= kBins) --high;
        tried = high;  // of even keys the right one
    };
    KOGGE_NO_UNROLL
    for (bool is_first = true; is_first || low < high; is_first = false) {
        const std::uint32_t distinct = table.count_distinct(
            [&](const auto& f) {
                KOGGE_NO_UNROLL
                for (std::uint32_t s = thread; s < samples; s += kHistogramThreads) f(codes[s] >> tried * kDigitBits);
            },
            shared.distinct);
        if (is_first) {
            all = distinct;
            const bool by_spans = rules.span_items > 0 && all > kFewValues;
            const std::uint64_t group = whole_group(n);
            const bool fit = rules.span_words == 0 || fits_words(divide_up(rules.span_words, group), group);
            // As few equal keys as even keys have.
            if (by_spans && fit && samples - all <= kMostEqual)
                top = highest_varying(codes, samples, rules, shared.varying);
            if (top >= kLeastSaved + kSpanDigits) {
                allowed = allowed_together(samples, n, kMostUneven * equal_group(n));
                tried = high = top - kSpanDigits;
                low = high - 1;
            } else {
                top = 0;
                if (rules.may_group || !by_spans) begin_groups();
            }
            continue;
        }
        const bool will_do = static_cast<float>(all - distinct) <= allowed;
        if (will_do) lowest = low = tried;
        else high = tried - 1;
        if (top > 0 && !will_do) {
            top = 0;
            if (rules.may_group) begin_groups();
        } else {
            tried = (low + high + 1) / 2;
        }
    }
    if (thread > 0) return;
    control->sampled_lowest = static_cast<std::uint32_t>(lowest);
    control->sampled_top = static_cast<std::uint32_t>(top);
    control->sampled_values = all;
}

/// Of spans: the keys of the fullest group, if digits are independent.
KOGGE_DEVICE float fullest_group(const LeadingShared& shared, std::uint64_t n, int top) {
    float fullest = static_cast<float>(n);
    for (int pass = top - kSpanDigits; pass < top; ++pass) fullest *= shared.share[pass];
    return fullest;
}

/// The first pass of the leading digits, and whether spans follow; 0: all digits need passes.
struct LeadingChoice {
    int lowest;
    bool by_spans;
};
/// Finds it, by one thread, from all counts and what a sample has shown.
KOGGE_DEVICE LeadingChoice find_leading(std::uint64_t n, const MoveRules& rules, const SplitControl* control,
                                        const LeadingShared& shared) {
    const auto sampled_lowest = static_cast<int>(simt::load_relaxed(&control->sampled_lowest));
    const auto top = static_cast<int>(simt::load_relaxed(&control->sampled_top));
    const std::uint32_t sampled_values = simt::load_relaxed(&control->sampled_values);
    constexpr LeadingChoice all_digits{0, false};
    if (sampled_lowest == 0) return all_digits;
    const int passes = rules.passes;
    const auto saves_enough = [&](int lowest) {
        int saved = 0;  // passes that would change something
        KOGGE_NO_UNROLL
        for (int pass = 0; pass < lowest; ++pass) saved += shared.used[pass] > 1 ? 1 : 0;
        return saved >= kLeastSaved;
    };
    if (top > 0) {
        float uneven = 1;
        bool fit = fullest_group(shared, n, top) <= static_cast<float>(kMostOfSpan * rules.span_items);
        KOGGE_NO_UNROLL
        for (int pass = 0; pass < passes; ++pass)
            if (pass < top) uneven *= shared.share[pass] * static_cast<float>(kBins / folded_digits(n, pass, top));
            else fit = fit && shared.used[pass] <= 1;
        return fit && uneven < static_cast<float>(kMostUnevenDigits) && saves_enough(sampled_lowest)
                   ? LeadingChoice{sampled_lowest, true}
                   : all_digits;
    }
    bool are_few = sampled_values <= kFewValues;  // and there are none that the sample has missed
    KOGGE_NO_UNROLL
    for (int pass = 0; pass < passes; ++pass) are_few = are_few && shared.used[pass] <= sampled_values;
    int lowest = are_few || rules.may_group ? passes : 0;
    KOGGE_NO_UNROLL
    for (auto together = static_cast<float>(n); !are_few && lowest > 0 && together > static_cast<float>(kMostTogether);)
        together *= shared.share[--lowest];
    lowest = sampled_lowest < lowest ? sampled_lowest : lowest;
    return saves_enough(lowest) ? LeadingChoice{lowest, !rules.may_group} : all_digits;
}

}  // namespace kogge::grid::KOGGE_CODE
