// Stable passes by digit over the whole array, at most 256 bins each: the launches of large sorts and splits.
//
// Digits go from the least significant up. Where the device finds that the leading digits alone nearly tell the keys
// apart, it lists passes over these only, the others return at once, and the buckets of equal leading digits are sorted
// on chip (sort/prefix/). Traffic: one read of the keys for the histograms of all digits; then each pass that runs
// reads and writes every key (and value) once. Floats may take a second read (sort/prefix/histogram.cuh).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/pass/onesweep.cuh"
#include "kogge/pass/shape.hpp"
#include "kogge/pass/tile.cuh"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/sort/common/arrays.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/prefix/batch_sort.cuh"
#include "kogge/sort/prefix/bucket_bounds.cuh"
#include "kogge/sort/prefix/choose_values.cuh"
#include "kogge/sort/prefix/histogram.cuh"
#include "kogge/sort/prefix/large_buckets.cuh"
#include "kogge/sort/prefix/shape.hpp"
#include "kogge/sort/prefix/spans.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The launches of a pass_sort; run() names them in order.
///
/// Input, output and an alternate take turns as the list of moves says, such that the last move writes the output. A
/// second temporary stands in for an output without keys (argsort).
template <class Key, class Value, class Bucket>
class PassSort {
public:
    PassSort(const pass_sort& way, const radix_sort_plan& plan, const SortArrays<Key, Value>& arrays,
             const Bucket& bucket, const PassMemory& memory, stream_t stream)
        : way_(way),
          plan_(plan),
          spans_(way.prefix && way.prefix->spans ? &*way.prefix->spans : nullptr),
          arrays_(arrays),
          bucket_(bucket),
          memory_(memory),
          control_(static_cast<PassControl*>(memory.control)),
          stream_(stream),
          rules_{plan.passes,
                 plan.shape.in_place && plan.shape.writes_keys,
                 !plan.shape.writes_keys,
                 way.prefix.has_value(),
                 batch_items(sizeof(Key)),
                 least_saved_by_batches(sizeof(Key) + Problem::kValueBytes),
                 spans_ ? span_items(spans_->threads) : 0,
                 kHasValues && spans_ ? spans_->places : 0} {}

    void run() const {
        simt::fill(memory_.control, 0, memory_.zeroed, stream_);
        if constexpr (kMayGoByValues)
            if (samples_values()) {
                sample_values();
                count_digits(ValueBucket<Key>{bucket_});
            }
        count_digits(bucket_);
        if constexpr (kPipelines)
            if (way_.pipelined) {
                if constexpr (!Bucket::kEncodes) run_passes_of_bins();
                else run_passes<kHasValues ? Ranks::by_ballots : Ranks::by_atomics>();
                if constexpr (Bucket::kEncodes && sizeof(Key) > 2)  // narrower ones have two digits at most
                    if (way_.prefix) sort_buckets();
                return;
            }
        launch_each([]<class Pass>(int, const Pass&) { return tile_pass_kernel<Key, Value, Pass>; });
    }

private:
    using PassBucket = decltype(std::declval<const Bucket&>().in_pass(0));
    using Problem = PassProblem<Key, Value, PassBucket>;
    static constexpr bool kHasValues = Problem::kHasValues;
    static constexpr bool kPipelines = Bucket::kPipelines && pipelines_items(sizeof(Key), Problem::kValueBytes);
    static constexpr std::uint32_t kFew = kHasValues ? kRegisterDigits : kFewDigits;
    static constexpr bool kMayGoByValues = kPipelines && may_go_by_values<Key, Bucket>() &&
                                           spans_take_floats(sizeof(Key), Problem::kValueBytes, kSpanThreads);

    bool samples_values() const { return spans_ && spans_->samples_values; }
    Key* keys_out() const { return arrays_.keys_out ? arrays_.keys_out : static_cast<Key*>(memory_.more_keys); }

    // ---- before the passes -----------------------------------------------------------------------------

    void sample_values() const {
        simt::launch(sample_values_kernel<Key>,
                     {1, kHistogramThreads, sizeof(ValueShared), stream_, "sample_values_kernel"}, arrays_.keys_in,
                     arrays_.n, bucket_, rules_.span_items, control_);
    }

    /// Counts the digits of all passes, turns the counts into the starts of the bins, and lists the moves.
    template <class Counted>
    void count_digits(const Counted& bucket) const {
        const OrderedItems<Key> ordered(arrays_.keys_in, arrays_.keys_out, arrays_.values_in, arrays_.values_out);
        for (int first = 0; first < plan_.passes; first += way_.digits_per_read) {
            const int passes = (std::min)(plan_.passes - first, way_.digits_per_read);
            const auto count = [&]<int stripe_bits>(std::integral_constant<int, stripe_bits>) {
                simt::launch(count_digits_kernel<stripe_bits, Key, Counted>,
                             {way_.histogram_blocks, kHistogramThreads, histogram_bytes(passes, stripe_bits), stream_,
                              "count_digits_kernel"},
                             arrays_.keys_in, ordered, arrays_.n, bucket, first, passes, rules_, control_,
                             memory_.moves, memory_.histograms);
            };
            // More stripes mean fewer conflicts, and more to clear and to sum.
            constexpr int most = Counted::kEncodes ? histogram_stripe_bits(sizeof(Key)) : kFewStripeBits;
            if (way_.many_stripes) count(std::integral_constant<int, most>{});
            else count(std::integral_constant<int, kFewStripeBits>{});
        }
    }

    // ---- passes ----------------------------------------------------------------------------------------

    /// The launches of one move: `slot` is its place in the list, `pass` its digit.
    template <class Pass>
    void launch_move(void (*kernel)(PassProblem<Key, Value, Pass>, PassBoard), int slot, int pass,
                     const Pass& pass_bucket) const {
        PassProblem<Key, Value, Pass> problem{arrays_.keys_in,
                                              keys_out(),
                                              static_cast<Key*>(memory_.keys),
                                              arrays_.values_in,
                                              arrays_.values_out,
                                              static_cast<Value*>(memory_.values),
                                              arrays_.n,
                                              0,
                                              way_.tiles_per_launch * way_.tile_items,
                                              pass_bucket};
        const std::uint32_t launches = way_.launches_per_pass;
        const std::uint64_t* starts = memory_.histograms + static_cast<std::size_t>(pass) * kBins;
        for (std::uint32_t part = 0; part < launches; ++part) {
            problem.first = part * problem.most;
            std::uint64_t* const next = part + 1 < launches ? memory_.next_starts + (part % 2) * kBins : nullptr;
            const PassBoard board{memory_.moves + slot,
                                  memory_.tickets + static_cast<std::uint32_t>(slot) * launches + part,
                                  starts,
                                  next,
                                  memory_.counts,
                                  static_cast<std::uint32_t>(way_.look_back_rows),
                                  part,
                                  launches};
            simt::launch(kernel, shape_of(way_.pass, stream_, "onesweep_kernel"), problem, board);
            starts = next;
        }
    }

    /// All digits, with the kernel_of(pass, its bucket). A sort in place by an odd number of passes begins with a copy.
    template <class KernelOf>
    void launch_each(const KernelOf& kernel_of) const {
        if (rules_.in_place && plan_.passes % 2 == 1) {
            const auto pass_bucket = bucket_.in_pass(0);
            launch_move(kernel_of(0, pass_bucket), 0, 0, pass_bucket);
        }
        for (int pass = 0; pass < plan_.passes; ++pass) {
            const auto pass_bucket = bucket_.in_pass(pass);
            launch_move(kernel_of(pass, pass_bucket), 1 + pass, pass, pass_bucket);
        }
    }

    /// By digits of floats' values; these return at once unless the device chose them. They follow the passes by codes,
    /// one of which may be a copy.
    template <class KernelOf>
    void launch_values(const KernelOf& kernel_of) const {
        if constexpr (kMayGoByValues) {
            const int first = plan_.passes - kSpanDigits;
            for (int pass = samples_values() ? first : plan_.passes; pass < plan_.passes; ++pass) {
                const ValuePass pass_bucket{{}, &control_->values, pass - first};
                launch_move(kernel_of(pass, pass_bucket), 1 + pass, pass, pass_bucket);
            }
        }
    }

    /// The kernel_of that ranks by `ranks`.
    template <Ranks ranks>
    struct Ranked {
        template <class Pass>
        auto operator()(int, const Pass&) const {
            return onesweep_kernel<ranks, Key, Value, Pass>;
        }
    };

    /// Keys whose codes are numbers. With values, ranking is not the bottleneck. (H200, 2^28 pairs of u32: atomics
    /// make the sort 3 % longer.)
    template <Ranks ranks>
    void run_passes() const {
        launch_each(Ranked<ranks>{});
        launch_values(Ranked<ranks>{});
    }

    /// Bins. With values, atomics rank five digits and more faster than ballots.
    void run_passes_of_bins() const {
        launch_each([](int pass, const PassBucket& pass_bucket) {
            return pass_bucket.last_digit() < kFew ? Ranked<Ranks::of_few>{}(pass, pass_bucket)
                                                   : Ranked<Ranks::by_atomics>{}(pass, pass_bucket);
        });
    }

    // ---- after the passes ------------------------------------------------------------------------------

    /// Sorts the buckets that passes over leading digits leave; after passes over all digits these return at once.
    void sort_buckets() const {
        using Buckets = BucketProblem<Key, Value, Bucket>;
        const prefix_plan& prefix = *way_.prefix;
        const Buckets buckets{keys_out(),
                              arrays_.values_out,
                              static_cast<Key*>(memory_.keys),
                              static_cast<Value*>(memory_.values),
                              arrays_.n,
                              bucket_,
                              plan_.passes,
                              arrays_.keys_out != nullptr,
                              control_,
                              memory_.bounds,
                              prefix.batch_places,
                              spans_ ? spans_->places : 0,
                              rules_.span_items,
                              memory_.batches,
                              {memory_.large_list(0), memory_.large_list(1)}};
        simt::launch(find_bounds_kernel<Buckets>,
                     {prefix.bound_blocks, kBoundThreads, 0, stream_, "find_bounds_kernel"}, buckets);
        if constexpr (Bucket::kIdentifies && orders_spans(sizeof(Key), Buckets::kValueBytes)) {
            if (spans_ && spans_->threads == kSpanThreads) sort_spans<kSpanThreads>(buckets);
            if constexpr (sizeof(Key) + Buckets::kValueBytes <= 8)
                if (spans_ && spans_->threads == kLargeSpanThreads) sort_spans<kLargeSpanThreads>(buckets);
        }
        simt::launch(
            split_large_kernel<Buckets>,
            {prefix.large_blocks, kTileThreads, large_shared_bytes(Buckets::kWidest), stream_, "split_large_kernel"},
            buckets);
        simt::launch(sort_batches_kernel<Buckets>,
                     {prefix.batch_blocks, kBatchThreads, batch_shared_bytes(sizeof(Key), kHasValues), stream_,
                      "sort_batches_kernel"},
                     buckets);
    }

    template <int threads, class Problem>
    void sort_spans(const Problem& buckets) const {
        launch_span_sort(SpanProblem<Problem, threads>{buckets}, spans_->blocks, spans_->samples_values, stream_);
    }

    const pass_sort& way_;
    const radix_sort_plan& plan_;
    const span_plan* spans_;  ///< null: there are none
    const SortArrays<Key, Value>& arrays_;
    const Bucket& bucket_;
    const PassMemory& memory_;
    PassControl* control_;
    stream_t stream_;
    MoveRules rules_;
};

template <class Key, class Value, class Bucket>
void launch_sort(const pass_sort& way, const radix_sort_plan& plan, const SortArrays<Key, Value>& arrays,
                 const Bucket& bucket, const SortMemory& memory, stream_t stream) {
    PassSort<Key, Value, Bucket>(way, plan, arrays, bucket, memory.passes, stream).run();
}

}  // namespace kogge::grid::KOGGE_CODE
