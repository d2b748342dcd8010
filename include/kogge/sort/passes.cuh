// A stable split into bins, in passes of at most 256 bins each: the launches of a radix sort and of the public split.
// Traffic: one read of the keys for the histograms of all passes, then each pass reads and writes every key (and value)
// once. Floats may take a second read (sort/prefix/histogram.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/gather.cuh"
#include "kogge/pass/onesweep.cuh"
#include "kogge/pass/shape.hpp"
#include "kogge/pass/tile.cuh"
#include "kogge/plan.hpp"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/prefix/choose_values.cuh"
#include "kogge/sort/prefix/fallback.cuh"
#include "kogge/sort/prefix/histogram.cuh"
#include "kogge/sort/prefix/shape.hpp"
#include "kogge/sort/prefix/small_buckets.cuh"
#include "kogge/sort/prefix/spans.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Counts the digits of all passes, turns the counts into the starts of the bins, and lists the moves. Behind a fill.
template <class Key, class Bucket>
void launch_histograms(const Key* keys, const OrderedItems<Key>& ordered, const Count& n, const Bucket& bucket,
                       const radix_sort_plan& plan, const MoveRules& rules, const SplitMemory& memory,
                       stream_t stream) {
    for (int first = 0; first < plan.passes; first += plan.histogram_passes) {
        const int passes = plan.passes - first < plan.histogram_passes ? plan.passes - first : plan.histogram_passes;
        const auto count = [&]<int stripe_bits>(std::integral_constant<int, stripe_bits>) {
            simt::launch(count_digits_kernel<stripe_bits, Key, Bucket>,
                         {plan.histogram_blocks, kHistogramThreads, histogram_bytes(passes, stripe_bits), stream,
                          "count_digits_kernel"},
                         keys, ordered, n, bucket, first, passes, rules, static_cast<SplitControl*>(memory.control),
                         memory.moves, memory.histograms);
        };
        // More stripes mean fewer conflicts, and more to clear and to add up.
        constexpr int most = Bucket::kIdentifies ? histogram_stripe_bits(sizeof(Key)) : kFewStripeBits;
        if (plan.many_stripes) count(std::integral_constant<int, most>{});
        else count(std::integral_constant<int, kFewStripeBits>{});
    }
}

/// All passes, from the least significant digit of the bucket number up, with values of one type (NoValue: none).
///
/// Input, output and a temporary take turns as the list of moves says, such that the last move writes the output. Where
/// the output takes no keys (argsort) a second temporary stands for it.
template <class Key, class Value, class Bucket>
void split_passes(const Key* keys_in, Key* keys_out, const Value* values_in, Value* values_out, const Count& n,
                  const Bucket& bucket, const radix_sort_plan& plan, const SplitMemory& memory, stream_t stream) {
    using PassBucket = decltype(bucket.in_pass(0));
    using Problem = PassProblem<Key, Value, PassBucket>;
    constexpr bool kPipelines = Bucket::kPipelines && pipelines_items(sizeof(Key), Problem::kValueBytes);
    constexpr bool kMayGoByValues =
        kPipelines && may_go_by_values<Key, Bucket>() && orders_spans(sizeof(Key), Problem::kValueBytes);
    const bool in_place = plan.shape.in_place && plan.shape.writes_keys;
    const MoveRules rules{plan.passes,
                          in_place,
                          !plan.shape.writes_keys,
                          plan.orders_groups,
                          orders_small_groups(plan),
                          plan.span_threads > 0 ? span_items(plan.span_threads) : 0,
                          Problem::kHasValues ? plan.span_stretch : 0};
    auto* const control = static_cast<SplitControl*>(memory.control);
    const OrderedItems<Key> ordered(keys_in, keys_out, values_in, values_out);
    simt::fill(memory.control, 0, memory.zeroed, stream);
    if constexpr (kMayGoByValues)
        if (plan.samples_values) {
            simt::launch(sample_values_kernel<Key>,
                         {1, kHistogramThreads, sizeof(ValueShared), stream, "sample_values_kernel"}, keys_in, n,
                         bucket, rules.span_items, control);
            launch_histograms(keys_in, ordered, n, ValueBucket<Key>{bucket}, plan, rules, memory, stream);
        }
    launch_histograms(keys_in, ordered, n, bucket, plan, rules, memory, stream);

    const auto launch = [&]<class Pass>(auto kernel, int slot, int pass, const Pass& pass_bucket) {
        PassProblem<Key, Value, Pass> problem{keys_in,
                                              keys_out ? keys_out : static_cast<Key*>(memory.more_keys),
                                              static_cast<Key*>(memory.keys),
                                              values_in,
                                              values_out,
                                              static_cast<Value*>(memory.values),
                                              n,
                                              0,
                                              plan.part_tiles * plan.tile_items,
                                              pass_bucket};
        const std::uint64_t* starts = memory.histograms + static_cast<std::size_t>(pass) * kBins;
        for (std::uint32_t part = 0; part < plan.parts; ++part) {
            problem.first = part * problem.most;
            std::uint64_t* const next = part + 1 < plan.parts ? memory.next_starts + (part % 2) * kBins : nullptr;
            const PassBoard board{memory.moves + slot,
                                  memory.tickets + static_cast<std::uint32_t>(slot) * plan.parts + part,
                                  starts,
                                  next,
                                  memory.counts,
                                  static_cast<std::uint32_t>(plan.count_rows),
                                  part,
                                  plan.parts};
            simt::launch(
                kernel,
                {plan.blocks, static_cast<std::uint32_t>(plan.threads), plan.shared_bytes, stream, "split_pass_kernel"},
                problem, board);
            starts = next;
        }
    };
    // kernel_of(pass, its bucket)
    const auto launch_slot = [&](auto kernel_of, int slot, int pass, const auto& pass_bucket) {
        launch(kernel_of(pass, pass_bucket), slot, pass, pass_bucket);
    };
    const auto launch_each = [&](auto kernel_of) {
        if (rules.in_place && plan.passes % 2 == 1) launch_slot(kernel_of, 0, 0, bucket.in_pass(0));
        for (int pass = 0; pass < plan.passes; ++pass) launch_slot(kernel_of, 1 + pass, pass, bucket.in_pass(pass));
    };
    // Behind those by codes, of which a copy may be one.
    const auto launch_values = [&](auto kernel_of) {
        if constexpr (kMayGoByValues) {
            const int first = plan.passes - kSpanDigits;
            for (int pass = plan.samples_values ? first : plan.passes; pass < plan.passes; ++pass)
                launch_slot(kernel_of, 1 + pass, pass, ValuePass{{}, &control->values, pass - first});
        }
    };
    if constexpr (kPipelines) {
        if (plan.pipelined) {
            const std::uint32_t check_blocks = plan.checks_order ? plan.histogram_blocks * kCheckBlocks : 0;
            // Beside values, ranks of a sort's many digits are not what takes the time. (H200, 2^28 pairs of u32:
            // atomics make the sort 3 % longer.)
            constexpr Ranks stable = Bucket::kIdentifies && Problem::kHasValues ? Ranks::by_ballots : Ranks::in_order;
            const auto in_order = []<class Pass>(int, const Pass&) {
                return split_pass_kernel<stable, Key, Value, Pass>;
            };
            if constexpr (Bucket::kIdentifies && !Problem::kHasValues) {
                // Keys that are their codes: a first pass may leave equal digits in any order, and the result of all
                // passes is right if it is in order.
                const auto as_served = []<class Pass>(int, const Pass&) {
                    return split_pass_kernel<Ranks::any_order, Key, Value, Pass>;
                };
                if (plan.checks_order) {
                    launch_each(as_served);
                    launch_values(as_served);
                    if (plan.span_threads == 0)
                        simt::launch(check_order_kernel<Key, Bucket>,
                                     {check_blocks, kCheckThreads, 0, stream, "check_order_kernel"},
                                     static_cast<const Key*>(keys_out), n, bucket, control);
                } else {
                    const auto first_as_served = [&](int pass, const auto& pass_bucket) {
                        return plan.reorders_first && pass == 0 ? as_served(pass, pass_bucket)
                                                                : in_order(pass, pass_bucket);
                    };
                    launch_each(first_as_served);
                    launch_values(in_order);
                }
            } else if constexpr (!Bucket::kIdentifies) {
                // Beside values, atomics rank five digits and more sooner than ballots.
                constexpr std::uint32_t few = Problem::kHasValues ? kRegisterDigits : kFewDigits;
                const auto by_digits = [&](int pass, const auto& pass_bucket) {
                    return pass_bucket.last_digit() < few ? split_pass_kernel<Ranks::of_few, Key, Value, PassBucket>
                                                          : in_order(pass, pass_bucket);
                };
                launch_each(by_digits);
            } else {
                launch_each(in_order);
                launch_values(in_order);
            }
            // If the result is out of order, it still holds the right items, equal ones in order, and is sorted again.
            if constexpr (Bucket::kIdentifies) {
                if (!plan.checks_order && !plan.orders_groups) return;
                using Groups = GroupProblem<Key, Value, Bucket>;
                const Groups problem{keys_out ? keys_out : static_cast<Key*>(memory.more_keys),
                                     values_out,
                                     n,
                                     bucket,
                                     control,
                                     memory.large};
                const simt::LaunchShape shape{plan.group_blocks, kGroupThreads, group_shared_bytes(Groups::kWidest),
                                              stream, "order_groups_kernel"};
                using Again = AgainProblem<Key, Value, Bucket>;
                const Again again{problem.keys,
                                  values_out,
                                  static_cast<Key*>(memory.keys),
                                  static_cast<Value*>(memory.values),
                                  n,
                                  bucket,
                                  plan.passes,
                                  control,
                                  reinterpret_cast<std::uint32_t*>(memory.counts),
                                  plan.again_blocks,
                                  memory.large,
                                  memory.crowded};
                if constexpr (orders_spans(sizeof(Key), Problem::kValueBytes)) {
                    const auto in_spans = [&]<int threads>() {
                        order_spans(
                            SpanProblem<Again, threads>{again, keys_out != nullptr, memory.spans, plan.span_stretch,
                                                        span_stretches(plan), plan.span_blocks, check_blocks},
                            plan.samples_values, stream);
                    };
                    if (plan.span_threads == kSpanThreads) in_spans.template operator()<kSpanThreads>();
                    if (plan.span_threads == kLargeSpanThreads) in_spans.template operator()<kLargeSpanThreads>();
                }
                if (orders_small_groups(plan)) {
                    simt::launch(order_groups_kernel<false, Groups>, shape, problem);
                    simt::launch(order_groups_kernel<true, Groups>, shape, problem);
                }
                simt::launch(sort_again_kernel<Again>,
                             {plan.again_blocks, kTileThreads, tile_shared_bytes(TileShared<Again>::kWidest), stream,
                              "sort_again_kernel"},
                             again);
            }
            return;
        }
    }
    launch_each([]<class Pass>(int, const Pass&) { return split_tile_kernel<Key, Value, Pass>; });
}

}  // namespace kogge::grid::KOGGE_CODE
