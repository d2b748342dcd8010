// The values of a resident sort (sort/resident/kernel.cuh) whose keys have low cardinality, as a sample shows them. In
// order, they are the bins of a single pass; one more bin takes codes that the sample has missed.
#pragma once

#include <cstdint>

#include "kogge/digit/sample.cuh"
#include "kogge/sort/resident/buckets.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Maps a code to its place among the values.
template <class Bits>
struct FewValues {
    static constexpr std::uint32_t kNone = kBins - 1;  ///< the bin of codes that are not among the values
    /// The most different codes in a row of 32 samples. With kFewValues uniform values some row has more in one sort of
    /// ten, with 1000 values in every sort.
    static constexpr int kMostOfRow = 29;

    const Bits* values = nullptr;  ///< in order; the last one is repeated up to a power of two
    std::uint32_t half = 0;        ///< of the values; 0: there are many, or one

    /// Collects the values of a sample. All threads call.
    KOGGE_DEVICE FewValues(ResidentSortShared& shared, const Bits (&samples)[2]) {
        auto* const codes = reinterpret_cast<Bits*>(shared.rows);
        auto* const found = reinterpret_cast<Bits*>(shared.few);
        static_assert(kBucketSamples * sizeof(Bits) <= sizeof(shared.rows));
        static_assert(kFewValues * sizeof(Bits) <= sizeof(shared.few) && kFewValues < kNone);
        const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
        simt::sync_block();  // what was counted before has been read
        if (thread == 0) shared.verdict = 0;
        // Most often the first codes of some warp show that there are too many.
        const simt::mask_t alike = simt::match_digit<kDigitBits>(CodeHash(samples[0]).place % kBins);
        const int different = simt::count_bits(simt::ballot((alike & simt::lanes_before()) == 0));
        simt::sync_block();  // the verdict is clear
        if (different > kMostOfRow && simt::lane() == 0) simt::atomic_or<simt::Scope::block>(&shared.verdict, 1);
        simt::sync_block();  // all warps have looked
        if (shared.verdict != 0) return;
        for_each_item<2>(
            [&](int s) { codes[static_cast<std::uint32_t>(s) * kResidentSortThreads + thread] = samples[s]; });
        if (thread < kBins) shared.sizes[thread] = 0;
        if (thread == 0) shared.end = 0;
        simt::sync_block();  // the codes are on chip, and no slot is taken
        // A code takes the first free slot from its hash on, unless an equal code holds one. A slot holds the number of
        // its code, plus one. Of equal codes in a warp one searches. Only too many values end the search early, so that
        // all blocks find the same.
        bool searches[2];  // for both codes before either search, in which lanes diverge
        for_each_item<2>([&](int s) {
            const int first = simt::lowest_bit(simt::match_digit<kDigitBits>(CodeHash(samples[s]).place % kBins));
            const Bits of_first = simt::shuffle(samples[s], first);
            searches[s] = first == simt::lane() || of_first != samples[s];
        });
        for_each_item<2>([&](int s) {
            if (!searches[s]) return;
            const std::uint32_t own = static_cast<std::uint32_t>(s) * kResidentSortThreads + thread + 1;
            const std::uint32_t slot = CodeHash(samples[s]).place;
            for (std::uint32_t probe = 0; probe % 8 < 7 || simt::atomic_or<simt::Scope::block>(&shared.verdict, 0) == 0;
                 ++probe) {
                const std::uint32_t taken =
                    simt::atomic_compare_swap<simt::Scope::block>(shared.sizes + (slot + probe) % kBins, 0, own);
                if (taken == 0) {
                    const std::uint32_t number = simt::atomic_add<simt::Scope::block>(&shared.end, 1);
                    if (number < kFewValues) found[number] = samples[s];
                    else simt::atomic_or<simt::Scope::block>(&shared.verdict, 1);
                    return;
                }
                if (codes[taken - 1] == samples[s]) return;
            }
        });
        simt::sync_block();  // all values are found
        const std::uint32_t count = shared.end;
        if (shared.verdict != 0 || count < 2) return;
        std::uint32_t lower = 0;
        Bits own{};
        if (thread < count) {
            own = found[thread];
            for (std::uint32_t i = 0; i < count; ++i) lower += found[i] < own ? 1 : 0;
        }
        simt::sync_block();  // all values have been read
        values = found;
        for (half = 1; 2 * half < count;) half *= 2;
        if (thread < count) {
            found[lower] = own;
            if (lower == count - 1)
                for (std::uint32_t i = count; i < 2 * half; ++i) found[i] = own;
        }
        simt::sync_block();  // the values are in order
    }
    KOGGE_DEVICE bool are_some() const { return half > 0; }
    KOGGE_DEVICE std::uint32_t bin(const Bits& code) const {
        std::uint32_t place = 0;
        for (std::uint32_t step = half; step > 0; step /= 2)
            if (values[place + step] <= code) place += step;
        return values[place] == code ? place : kNone;
    }
};

/// The function of a pass by values; items are encoded and decoded as in a pass by digits.
template <class Bucket, class Bits>
struct FewDigit : Bucket::Pass {
    Bucket bucket;
    FewValues<Bits> few;

    KOGGE_DEVICE FewDigit(const Bucket& digits, const FewValues<Bits>& values)
        : Bucket::Pass(digits.in_pass(0)), bucket(digits), few(values) {}
    KOGGE_DEVICE std::uint32_t operator()(const Bits& item) const { return few.bin(bucket.item_code(item)); }
};

}  // namespace kogge::grid::KOGGE_CODE
