// Chooses whether the leading digits of floats go by values. A sample bounds the values, and shows whether more keys
// than fill a span fall into one step, or many are equal. Any answer gives a right result, and affects speed only. A
// step a little too full, which the sample cannot show, is found by the count of all digits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kogge/engine/carry.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/sort/prefix/choose_prefix.cuh"

namespace kogge::grid::KOGGE_CODE {

inline constexpr std::uint32_t kValueSamples = 4 * kHistogramThreads;
/// The margin that steps leave at each end of the sample's values, in average distances of its keys.
inline constexpr float kValueMargin = 12;

struct ValueShared {
    BlockBounds<kHistogramThreads / simt::kWarpSize> bounds;  ///< of finite values
    std::uint32_t crowded;
    std::uint32_t distinct;
    alignas(16) std::uint32_t words[kValueSteps / sizeof(std::uint32_t)];  ///< a byte per step; then a CodeTable
};
static_assert(kValueSteps / sizeof(std::uint32_t) == 4 * kValueSamples);

/// Steps between the values of two codes, if these are finite and differ.
template <class Bucket>
KOGGE_DEVICE ValueDigits value_digits_between(const Bucket& bucket, std::uint32_t lowest, std::uint32_t highest) {
    const float first = std::bit_cast<float>(bucket.encoding.decode(lowest)),
                last = std::bit_cast<float>(bucket.encoding.decode(highest));
    const float margin = (last - first) * (kValueMargin / kValueSamples);
    const float scale = 1 / (last - first + 2 * margin), shift = (margin - first) * scale;
    const bool are_some = lowest < highest && scale - scale == 0 && shift - shift == 0;
    return are_some ? ValueDigits{scale, shift} : ValueDigits{0, 0};
}

/// One block. Writes control->values if the steps will do.
template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kHistogramThreads, 1)
    sample_values_kernel(const Key* keys, Count count, NumberBucket<Key> bucket, std::uint32_t span_items,
                         PassControl* control) {
    simt::wait_for_stream();
    constexpr int each = kValueSamples / kHistogramThreads, of_word = sizeof(std::uint32_t);
    constexpr std::uint32_t most_of_step = 200;  // counters are bytes
    auto& shared = simt::shared_memory<ValueShared>();
    const std::uint64_t n = count.get();
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    // The part of all keys that a step may have, in samples.
    const float fitting = static_cast<float>(kMostOfSpan * span_items) / static_cast<float>(n) * kValueSamples;
    if (n < kLeastLeading || n < kValueSamples || fitting < static_cast<float>(kValueSamples) / kValueSteps) return;

    Key sampled[each];
    for_each_item<each>([&](int i) {
        sampled[i] = keys[sample_place(static_cast<std::uint32_t>(i * kHistogramThreads) + thread, n / kValueSamples)];
    });
    std::uint32_t lowest = ~0u, highest = 0;
    bool is_crowded = false;  // or has a NaN that comes last
    for_each_item<each>([&](int i) {
        const float value = std::bit_cast<float>(sampled[i]);
        const std::uint32_t code = bucket.code(sampled[i]);
        const bool is_finite = value - value == 0;
        lowest = is_finite && code < lowest ? code : lowest;
        highest = is_finite && code > highest ? code : highest;
        is_crowded = is_crowded || code >= kLastNans;
    });
    shared.bounds.leave(lowest, highest);
    if (thread == 0) shared.crowded = 0;
    for (std::uint32_t i = thread; i < kValueSteps / of_word; i += kHistogramThreads) shared.words[i] = 0;
    simt::sync_block();  // each warp's bounds are written, and no step has samples
    lowest = shared.bounds.low();
    highest = shared.bounds.high();
    const ValueDigits values = value_digits_between(bucket, lowest, highest);
    if (!values.are_some()) return;

    const float chance = 8;  // by chance, no step of uniform keys has more samples
    const float most = fitting < chance ? chance : fitting > most_of_step ? most_of_step : fitting;
    for_each_item<each>([&](int i) {
        const std::uint32_t step = values(sampled[i]), at = step % of_word * 8;
        const std::uint32_t before =
            simt::atomic_add<simt::Scope::block>(shared.words + step / of_word, 1u << at) >> at & 0xffu;
        is_crowded = is_crowded || before >= static_cast<std::uint32_t>(most);
    });
    simt::sync_block();  // all samples are counted
    // The samples of all steps that share a leading digit: four threads have them.
    constexpr std::uint32_t own = kValueSteps / of_word / kHistogramThreads;
    static_assert(4 * own * of_word == kBins && most_of_step * own * of_word / 2 < 1 << 16);
    std::uint32_t sums = 0;  // two sums of 16 bits
    for_each_item<own>([&](int i) {
        const std::uint32_t four = shared.words[thread * own + static_cast<std::uint32_t>(i)];
        sums += (four & 0xff00ffu) + (four >> 8 & 0xff00ffu);
    });
    std::uint32_t together = (sums & 0xffffu) + (sums >> 16);
    together += simt::shuffle_xor(together, 1);
    together += simt::shuffle_xor(together, 2);
    const float most_together = fitting * kBins;
    is_crowded = is_crowded || together > most_together + 5 * std::sqrt(most_together);
    if (simt::any(is_crowded) && simt::lane() == 0) simt::atomic_or<simt::Scope::block>(&shared.crowded, 1);
    simt::sync_block();  // the verdict is known, and the counters have been read
    if (shared.crowded != 0) return;
    const CodeTable<kHistogramThreads> table(shared.words, 4 * kValueSamples);
    const std::uint32_t distinct = table.count_distinct(
        [&](const auto& f) { for_each_item<each>([&](int i) { f(sampled[i]); }); }, shared.distinct);
    if (thread == 0 && kValueSamples - distinct <= kMostEqual) control->values = values;
}

}  // namespace kogge::grid::KOGGE_CODE
