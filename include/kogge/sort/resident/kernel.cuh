// The resident sort: one cooperative launch for as many keys as the chip holds. Each block keeps its keys in registers
// and exchanges only counts with the others.
//
// In a pass, a block ranks its keys and publishes its count of each digit; from the counts of all blocks follows where
// its keys go, in another array than they came from. Traffic: each pass reads and writes every key (and value) once,
// within the L2 cache. Progress: all blocks are resident, and a block publishes its counts before it waits for others'.
//
// Before the first pass, blocks whose keys are in order wait to learn whether all are: then nothing has to move.
//
// Keys whose codes, or floats whose values, are uniform enough take one pass, by buckets instead of digits: each block
// gets all keys of one range of codes, and sorts them on chip (sort/resident/bucket_sort.cuh). A sample of the keys
// suggests the ranges, and the counts tell whether each fits a block. A bucket whose keys crowd within it, as of few
// prefixes, is sorted by all bits that differ in it (sort/resident/word_sort.cuh). Other keys with values, where blocks
// have enough of them, go by buckets between quantiles (sort/resident/quantile_sort.cuh), and so do all of which blocks
// have more than a uniform bucket may have, and keys alone that are mostly equal. Without quantiles, if the sample has
// only a few values, these are the bins of a single pass, provided that the counts show no other value
// (sort/resident/few_values.cuh).
//
// Otherwise there is one pass per digit; a digit that all keys share moves nothing. Keys of up to 4 bytes without
// values, if many per block, are ranked in arrival order (digit/key_digits.cuh), and a check of each pass makes that
// safe: a block's keys, in order of a pass's digit, must be in order of all bits so far. If they are not, no key is
// lost: all passes are repeated on the output with ranks in order.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/digit/sample.cuh"
#include "kogge/sort/common/arrays.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/resident/bucket_sort.cuh"
#include "kogge/sort/resident/buckets.cuh"
#include "kogge/sort/resident/few_values.cuh"
#include "kogge/sort/resident/pass.cuh"
#include "kogge/sort/resident/quantile_sort.cuh"

namespace kogge::grid::KOGGE_CODE {

// ---- by buckets ----------------------------------------------------------------------------------------

/// The bins of a pass by ranges of codes, as a function of items. Its order is never checked.
template <class Bucket, class Steps>
struct BucketDigit : PlainItems {
    using Bits = typename Steps::Bits;
    Bucket bucket;
    CodeRange<Steps> range;

    KOGGE_DEVICE std::uint32_t operator()(const Bits& item) const { return range.bin(bucket.item_code(item)); }
    KOGGE_DEVICE bool keeps_order(const Bits&, const Bits&) const { return true; }
};

/// What a sample shows of the bins of a pass by ranges: they are uniform enough, they are not, or one has a quarter of
/// all keys. Then most digits are the same, too, and passes over digits would rank slowly.
enum class Evenness { uniform, uneven, heavy };
/// All threads call, and all blocks find the same. `sizes`, `end` and the verdict must be zero. `room`: how many times
/// the average a bin may have, if the keys can turn to quantiles instead; otherwise 0.
template <class Steps>
KOGGE_DEVICE Evenness evenness_of(ResidentSortShared& shared, const CodeRange<Steps>& range,
                                  const typename Steps::Bits (&samples)[2], std::uint32_t n, std::uint32_t bins,
                                  float room) {
    if (!range.steps.are_some()) return Evenness::uneven;
    // The heaviest bin may have a block's average of samples and what chance adds, or kQuickBucketKeys keys, which a
    // block sorts soon. Without quantiles to turn to, it may have four times the average.
    const bool may_turn = room > 0;
    const float average = static_cast<float>(kBucketSamples) / static_cast<float>(simt::grid_size());
    const auto of_blocks = static_cast<std::uint32_t>(may_turn ? average + 6 * std::sqrt(average) : 4 * average);
    const std::uint32_t soon = kQuickBucketKeys * kBucketSamples / n, most = of_blocks > soon ? of_blocks : soon;
    constexpr std::uint32_t heavy = kBucketSamples / 4;
    std::uint32_t verdict = 0, pairs = 0;  // of samples in the same bin
    for_each_item<2>([&](int s) {
        const std::uint32_t earlier = simt::atomic_add<simt::Scope::block>(shared.sizes + range.bin(samples[s]), 1);
        if (earlier >= most) verdict |= earlier >= heavy ? 3 : 1;
        pairs += earlier;
    });
    if (verdict != 0) simt::atomic_or<simt::Scope::block>(&shared.verdict, verdict);
    const bool counts_pairs = may_turn && of_blocks > soon;
    if (counts_pairs) {
        pairs = simt::reduce_add(pairs);
        if (simt::lane() == 0) simt::atomic_add<simt::Scope::block>(&shared.end, pairs);
    }
    simt::sync_block();  // all samples are counted
    // Bins of deviation v, relative to the average, have 1 + v² times the pairs of uniform ones, and the heaviest has
    // about 1 + 3v times the average. As many pairs more are chance as three times the root of their number.
    const float expected = static_cast<float>(kBucketSamples) * (kBucketSamples / 2) / static_cast<float>(bins);
    const float by_chance = 3 * std::sqrt(expected), spread = expected * (room - 1) * (room - 1) / 9;
    const bool is_uneven =
        counts_pairs && static_cast<float>(shared.end) > expected + (spread > by_chance ? spread : by_chance);
    if (shared.verdict == 0) return is_uneven ? Evenness::uneven : Evenness::uniform;
    return shared.verdict == 1 ? Evenness::uneven : Evenness::heavy;
}

/// The words of the counts that blocks exchange in a pass over digits, or, behind these, in one over ranges of codes.
template <class Problem>
KOGGE_DEVICE std::uint32_t* pass_counts(const Problem& problem, int pass) {
    return problem.memory.counts + static_cast<std::uint32_t>(pass) * count_exchange_words(simt::grid_size(), kBins);
}

/// What a resident sort did; of crowded buckets, the first block with its own.
enum class ResidentOutcome : std::uint32_t {
    digits,
    in_order,
    uniform_buckets,
    few_distinct,
    quantiles,
    crowded_buckets
};
template <class Problem>
KOGGE_DEVICE void tell(const Problem& problem, ResidentOutcome outcome) {
    if (simt::block_rank() == 0 && simt::thread_rank() == 0)
        *problem.memory.outcome = static_cast<std::uint32_t>(outcome);
}

/// Whether keys that are not uniform go by buckets, too.
template <class Problem>
KOGGE_DEVICE bool has_quantiles(const Problem& problem) {
    return problem.most_by_quantiles > 0 && quantiles_pay(resident_sort_chunk(problem.n.get(), simt::grid_size()),
                                                          problem.passes, problem.most_by_quantiles);
}

/// `by_words`: the keys have moved, and the block's bucket is to be sorted by words.
enum class BucketSort { done, by_words, skewed, by_quantiles, uniform_by_codes };

/// Sorts by buckets, which are ranges of `Steps` or lie between quantiles, or by the few values that there are.
/// Otherwise it only looks at the input, and returns how else the keys may be uniform. All threads call.
template <class Steps, class Problem>
KOGGE_DEVICE BucketSort sort_by_buckets(ResidentSortShared& shared, const Problem& problem, std::uint64_t n) {
    using Key = typename Problem::KeyType;
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    ResidentChunk<Problem, Problem::kBucketChunkItems, false> chunk(problem, shared, n);
    CountExchange<kBins>::clear(problem.memory.counts, problem.passes + 1);
    Key samples[2];
    for_each_item<2>([&](int s) {
        const auto sample = static_cast<std::uint32_t>(s) * kResidentSortThreads + thread;
        samples[s] = problem.keys_in[sample_place(sample, kBucketSamples, n)];
    });
    chunk.load(Move::input);
    const Key before = chunk.load_before();
    if (has_quantiles(problem)) publish_sample(problem, n);
    chunk.encode();
    const bool in_order = chunk.tell_order(before);
    simt::GridArrival cleared = simt::arrive_grid();
    if (in_order) {
        simt::wait_grid(static_cast<simt::GridArrival&&>(cleared));
        if (chunk.are_all_in_order()) {
            chunk.copy();
            tell(problem, ResidentOutcome::in_order);
            return BucketSort::done;
        }
    }

    // Puts the block's keys in order of the bins on chip, finds their targets, and calls each(bin, start, size).
    const auto move_by = [&](const auto& digit_of, bool overwrites_input, const auto& each) {
        chunk.load_values(Move::input);
        chunk.rank(Problem::kHasValues || !problem.may_reorder, digit_of);
        if (in_order) simt::sync_block();  // all warps have counted
        else simt::wait_grid(static_cast<simt::GridArrival&&>(cleared));
        const CountExchange<kBins> counts(pass_counts(problem, problem.passes), overwrites_input);
        chunk.place(counts, digit_of, Move::input);
        find_targets(shared, counts, chunk.n, each);
    };

    for_each_item<2>([&](int s) { samples[s] = problem.bucket.code(samples[s]); });
    if (thread < kBins) shared.sizes[thread] = 0;
    if (thread == 0) shared.verdict = shared.end = 0;
    const auto& encoding = problem.bucket.encoding;
    CodeBounds<Key> bounds{static_cast<Key>(~Key{0}), 0};
    for_each_item<2>([&](int s) {
        if (Steps::may_bound(encoding, samples[s])) bounds.add(samples[s]);
    });
    bounds.gather(shared);
    const std::uint32_t bins = kBins / simt::grid_size() * simt::grid_size();
    const CodeRange<Steps> range(encoding, bounds, bins);
    const bool may_turn = Problem::kHasValues && has_quantiles(problem);
    const float room = may_turn ? static_cast<float>(problem.most_of_bucket) / static_cast<float>(chunk.chunk) : 0;
    Evenness evenness = evenness_of(shared, range, samples, chunk.n, bins, room);
    if (evenness == Evenness::uniform) {
        const BucketDigit<decltype(problem.bucket), Steps> digit_of{{}, problem.bucket, range};
        simt::sync_block();  // all threads know the verdict
        if (thread < kBins) shared.sizes[thread] = 0;
        if (thread == 0) shared.end = 0;
        // A block gets the bin of its number or, if there are more bins, those whose middles lie in its part of the
        // output.
        move_by(digit_of, false, [&](std::uint32_t bin, std::uint32_t start, std::uint32_t size) {
            if (size == 0) return;
            const std::uint32_t owner =
                bins == simt::grid_size() ? bin : (start + size / 2) * simt::grid_size() / chunk.n;
            simt::atomic_add<simt::Scope::block>(shared.sizes + owner, size);
            if (owner == simt::block_rank()) simt::atomic_max<simt::Scope::block>(&shared.end, start + size);
        });
        if (thread < kBins && shared.sizes[thread] > problem.most_of_bucket)
            simt::atomic_or<simt::Scope::block>(&shared.verdict, 1);
        simt::sync_block();  // all buckets have been checked
        if (shared.verdict == 0) {
            const std::uint32_t size = shared.sizes[simt::block_rank()], begin = shared.end - size;
            chunk.store(digit_of, problem.keys_other, problem.values_other, false, false);
            finish_move(problem.memory.moved, 1);
            const bool has_words = has_quantiles(problem) && size <= problem.most_by_quantiles;
            const bool is_sorted = sort_bucket<Steps>(
                shared, problem, [&](const auto& found) { return range.steps_of(encoding, found); }, chunk.exchange,
                begin, static_cast<int>(size), [&](std::uint32_t place) { return begin + place; }, has_words);
            tell(problem, is_sorted ? ResidentOutcome::uniform_buckets : ResidentOutcome::crowded_buckets);
            return is_sorted ? BucketSort::done : BucketSort::by_words;
        }
        return BucketSort::skewed;
    }
    bool by_codes = false;
    if constexpr (!Steps::kAreOfCodes) {
        simt::sync_block();  // all threads know the verdict
        if (thread < kBins) shared.sizes[thread] = 0;
        if (thread == 0) shared.verdict = shared.end = 0;
        simt::sync_block();  // no sample is counted
        evenness = evenness_of(shared, CodeRange<CodeSteps<Key>>(encoding, bounds, bins), samples, chunk.n, bins, room);
        by_codes = evenness == Evenness::uniform;
    }
    const bool by_quantiles = may_turn || (evenness == Evenness::heavy && has_quantiles(problem));
    if (!by_codes && !by_quantiles) {
        const FewValues<Key> few(shared, samples);
        if (few.are_some()) {
            const FewDigit digit_of(problem.bucket, few);
            move_by(digit_of, problem.in_place, [&](std::uint32_t bin, std::uint32_t, std::uint32_t size) {
                if (bin == few.kNone && size > 0) shared.verdict = 1;
            });
            if (shared.verdict != 0) return BucketSort::skewed;
            chunk.store(digit_of, problem.writes_keys ? problem.keys_out : nullptr, problem.values_out,
                        digit_of.recodes(), false);
            tell(problem, ResidentOutcome::few_distinct);
            return BucketSort::done;
        }
    }
    if (!in_order) simt::wait_grid(static_cast<simt::GridArrival&&>(cleared));
    return by_codes ? BucketSort::uniform_by_codes : by_quantiles ? BucketSort::by_quantiles : BucketSort::skewed;
}

// ---- by digits -----------------------------------------------------------------------------------------

/// One pass per digit, with up to `most` keys per thread. `is_cleared`: the order of the input has been looked at, and
/// the counts have been cleared. All threads call.
template <int most, class Problem>
KOGGE_DEVICE void sort_by_digits(ResidentSortShared& shared, const Problem& problem, std::uint64_t n, bool is_cleared) {
    using Key = typename Problem::KeyType;
    using Value = typename Problem::ValueType;
    ResidentChunk<Problem, most> chunk(problem, shared, n);
    simt::GridArrival cleared{};
    if (!is_cleared) CountExchange<kBins>::clear(problem.memory.counts, problem.passes);

    std::uint32_t moves = 0;
    bool by_arrival = Problem::kMayRankByArrival && problem.checks_order, on_chip = false;
    for (auto from = Move::input;; from = Move::output) {
        bool ordered = true;
        // The last pass writes the output. If skipped passes have left the keys there, blocks write where others read,
        // once the others have published their counts.
        for (int pass = 0; pass < problem.passes; ++pass) {
            chunk.share = chunk.share.again();
            const auto bucket = problem.bucket.in_pass(pass);
            const bool last = pass == problem.passes - 1;
            const bool goes_out =
                last || from == Move::other || (from == Move::input && problem.passes % 2 == 1 && !problem.in_place);
            const auto to = goes_out ? Move::output : Move::other;
            const CountExchange<kBins> counts(pass_counts(problem, pass),
                                              from == to || (from == Move::input && goes_out && problem.in_place));
            // A split loads again even after a skipped pass.
            if constexpr (!Problem::kMayBeInOrder) chunk.forget();
            if (!Problem::kMayBeInOrder || !on_chip) {
                chunk.load(from);
                if constexpr (!decltype(chunk)::kValuesFollow) chunk.load_values(from);
            }
            if (pass == 0) {
                // The output that is to be sorted again is not checked for order.
                const bool looks = Problem::kMayBeInOrder && !is_cleared && from == Move::input;
                const Key before = looks ? chunk.load_before() : Key{};
                if (!looks && !is_cleared) cleared = simt::arrive_grid();
                chunk.encode();
                if (looks) {
                    const bool in_order = chunk.tell_order(before);
                    cleared = simt::arrive_grid();
                    if (in_order) {
                        simt::wait_grid(static_cast<simt::GridArrival&&>(cleared));
                        if (chunk.are_all_in_order()) {
                            tell(problem, ResidentOutcome::in_order);
                            return chunk.copy();
                        }
                        is_cleared = true;
                    }
                }
            }
            chunk.rank(Problem::kHasValues || !(by_arrival || (pass == 0 && problem.may_reorder)), bucket);
            simt::sync_block();  // all warps have counted
            if (simt::thread_rank() == 0) shared.holds_all = 0;
            if (pass == 0 && !is_cleared) simt::wait_grid(static_cast<simt::GridArrival&&>(cleared));
            chunk.place(counts, bucket, from);
            find_targets(shared, counts, chunk.n, [](std::uint32_t, std::uint32_t, std::uint32_t) {});
            on_chip = shared.holds_all != 0;
            if (on_chip && !last) continue;

            const bool decodes = last && bucket.recodes();
            Key* const keys_to = goes_out ? problem.keys_out : problem.keys_other;
            Value* const values_to = goes_out ? problem.values_out : problem.values_other;
            const bool checks = by_arrival && pass > 0;
            if (!chunk.store(bucket, last && !problem.writes_keys ? nullptr : keys_to, values_to, decodes, checks))
                ordered = false;
            from = to;
            on_chip = false;  // the keys in registers are no longer needed
            if (!last) finish_move(problem.memory.moved, ++moves);
        }
        if (!by_arrival) return;
        if (!ordered) simt::atomic_or<simt::Scope::device>(problem.memory.disorder, 1);
        finish_move(problem.memory.moved, ++moves);
        if (simt::load_relaxed(problem.memory.disorder) == 0) return;
        by_arrival = false;
        CountExchange<kBins>::clear(problem.memory.counts, problem.passes);
        is_cleared = false;
    }
}

/// What follows a look at the keys is called, so that it has all registers to itself.
template <int most, class Problem>
KOGGE_DEVICE_CALL void sort_by_digits_apart(ResidentSortShared& shared, const Problem& problem, std::uint64_t n,
                                            bool is_cleared) {
    sort_by_digits<most>(shared, problem, n, is_cleared);
}

/// By buckets, which are ranges of `Steps`, if they are uniform, or by digits only (void). These are separate kernels,
/// because fewer keys per thread take fewer registers.
template <class Steps, class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kResidentSortThreads, 1)
    resident_sort_kernel(KOGGE_KERNEL_PARAMETER ResidentSortProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    using Problem = ResidentSortProblem<Key, Value, Bucket>;
    const std::uint64_t n = problem.n.get();
    if (n == 0) return;
    auto& shared = simt::shared_memory<ResidentSortShared>();
    if (simt::block_rank() == 0 && simt::thread_rank() == 0) *problem.memory.moved = *problem.memory.disorder = 0;
    tell(problem, ResidentOutcome::digits);
    bool is_prepared = false, by_quantiles = Problem::kHasValues && has_quantiles(problem);
    if constexpr (!std::is_void_v<Steps>)
        if (n >= kBucketSamples) {
            BucketSort outcome = sort_by_buckets<Steps>(shared, problem, n);
            if constexpr (!Steps::kAreOfCodes)
                if (outcome == BucketSort::uniform_by_codes)
                    outcome = sort_by_buckets<CodeSteps<Key>>(shared, problem, n);
            if (outcome == BucketSort::done) return;
            if constexpr (Problem::kHasQuantiles)
                if (outcome == BucketSort::by_words) return sort_range_by_words(shared, problem);
            is_prepared = true;
            // Keys alone are sorted as soon by digits, but for those that are mostly equal.
            by_quantiles = by_quantiles || outcome == BucketSort::by_quantiles;
        }
    if constexpr (Problem::kHasQuantiles)
        if (by_quantiles) {
            const QuantileResult result = sort_by_quantiles(shared, problem, n, is_prepared);
            if (result != QuantileResult::too_large)
                return tell(problem,
                            result == QuantileResult::sorted ? ResidentOutcome::quantiles : ResidentOutcome::in_order);
            is_prepared = true;
        }
    constexpr int most = std::is_void_v<Steps> ? Problem::kItems : Problem::kBucketChunkItems;
    if constexpr (std::is_void_v<Steps> && !Problem::kHasQuantiles) sort_by_digits<most>(shared, problem, n, false);
    else sort_by_digits_apart<most>(shared, problem, n, is_prepared);
}

template <class Key, class Value, class Bucket>
void launch_sort(const resident_sort& way, const radix_sort_plan& plan, const SortArrays<Key, Value>& arrays,
                 const Bucket& bucket, const SortMemory& scratch, stream_t stream) {
    const ResidentSortMemory& memory = scratch.resident;
    const ResidentSortProblem<Key, Value, Bucket> problem{
        arrays.keys_in,
        arrays.keys_out ? arrays.keys_out : static_cast<Key*>(memory.more_keys),
        static_cast<Key*>(memory.keys),
        arrays.values_in,
        arrays.values_out,
        static_cast<Value*>(memory.values),
        arrays.keys_out != nullptr,
        arrays.in_place(),
        arrays.n,
        bucket,
        plan.passes,
        stability_is_unobservable(plan.shape),
        way.checks_order,
        way.bucket_items,
        way.quantile_items,
        way.launch.shared_bytes >=
            quantile_beside_bytes(way.block_items, sizeof(Key), ResidentSortProblem<Key, Value, Bucket>::kValueBytes),
        memory};
    const auto launch = [&](auto kernel) {
        simt::launch(kernel, shape_of(way.launch, stream, "resident_sort_kernel", true), problem);
    };
    if constexpr (Bucket::kIdentifies && (sizeof(Key) == 4 || sizeof(Key) == 8))
        if (way.bucket_items > 0 && bucket.is_float())
            return launch(resident_sort_kernel<ValueSteps<Key>, Key, Value, Bucket>);
    if constexpr (Bucket::kIdentifies && sizeof(Key) >= 4)
        if (way.bucket_items > 0) return launch(resident_sort_kernel<CodeSteps<Key>, Key, Value, Bucket>);
    launch(resident_sort_kernel<void, Key, Value, Bucket>);
}

}  // namespace kogge::grid::KOGGE_CODE
