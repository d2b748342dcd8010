// Before the passes of a sort or a split: one read of the keys counts the digits of all passes, and finds out which
// passes are not needed. If passes may be left out, one of the blocks takes a sample of the keys instead of counting.
//
// A pass whose keys all share one digit moves nothing and is left out. Keys that are in order need no pass at all:
// while all keys met are in order, they are written to the output too, and then their values. The last block to count
// writes the schedule of the remaining passes (pass/schedule.cuh).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/pass/shape.hpp"
#include "kogge/sort/prefix/choose_prefix.cuh"

namespace kogge::grid::KOGGE_CODE {

inline constexpr int kMostPasses = 512;  ///< keys have at most 4096 bits
struct HistogramShared {
    std::uint32_t last;
    std::uint32_t unsorted;
    std::uint32_t constant[kMostPasses];  ///< all keys share this pass's digit
    LeadingShared leading;
};
static_assert(sizeof(HistogramShared) <= kHistogramTables);

/// A vector of keys, which memory moves in one access: as many as fit 16 bytes.
template <class Key>
struct KeyPack {
    static constexpr int kKeys =
        sizeof(Key) <= 8 && (sizeof(Key) & (sizeof(Key) - 1)) == 0 ? static_cast<int>(16 / sizeof(Key)) : 1;
    alignas(kKeys > 1 ? 16 : alignof(Key)) Key keys[std::size_t{kKeys}];

    /// Whether keys at this address may be read and written as vectors.
    KOGGE_HOST_DEVICE static bool may_begin_at(const Key* keys) {
        return reinterpret_cast<std::uintptr_t>(keys) % alignof(KeyPack) == 0;
    }
};

/// The outputs of items that are in order already.
template <class Key>
struct OrderedItems {
    bool suffice;  ///< else a move writes them
    Key* keys;     ///< null: keys stay, or are not written; aligned as vectors, like the input
    const void* values_in;
    void* values;         ///< likewise
    int value_bytes = 0;  ///< 4, 8 or 16

    /// They do not suffice if an array is not aligned for vectors.
    template <class Value>
    OrderedItems(const Key* keys_in, Key* keys_out, const Value* from, Value* to)
        : suffice(true),
          keys(keys_out == keys_in ? nullptr : keys_out),
          values_in(from),
          values(to == from ? nullptr : to) {
        const auto fits = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % 16 == 0; };
        if (keys) suffice = KeyPack<Key>::may_begin_at(keys_in) && KeyPack<Key>::may_begin_at(keys);
        if (values) suffice = suffice && fits(values_in) && fits(values);
        if constexpr (!std::is_same_v<Value, NoValue>) value_bytes = sizeof(Value);
    }
};

/// The arguments of one launch.
template <class KeyType, class BucketType>
struct CountProblem {
    using Key = KeyType;
    using Bucket = BucketType;
    const Key* keys;
    OrderedItems<Key> ordered;
    std::uint64_t n;
    Bucket bucket;
    int first_pass;
    int passes;
    MoveRules rules;
    PassControl* control;
    std::uint32_t* moves;
    std::uint64_t* histograms;

    static constexpr bool kByValues = goes_by_values<Bucket>;
    static constexpr int kUsual = Bucket::kEncodes ? static_cast<int>(sizeof(Key)) : 1;  ///< passes
};

/// Copies a share of the values, that of block `block` of `blocks`.
template <class Key>
KOGGE_DEVICE void copy_values(const OrderedItems<Key>& items, std::uint64_t n, std::uint32_t block,
                              std::uint32_t blocks) {
    constexpr int in_flight = 4;
    const std::uint64_t first = std::uint64_t{block} * kHistogramThreads + simt::thread_rank(),
                        step = std::uint64_t{blocks} * kHistogramThreads;
    if (!items.values_in) {
        for (std::uint64_t i = first; i < n; i += step) {
            if (items.value_bytes == 4) static_cast<std::uint32_t*>(items.values)[i] = static_cast<std::uint32_t>(i);
            else static_cast<std::uint64_t*>(items.values)[i] = i;
        }
        return;
    }
    using Pack = KeyPack<std::uint32_t>;
    const std::uint64_t words = n * static_cast<std::uint64_t>(items.value_bytes) / sizeof(std::uint32_t),
                        packs = words / Pack::kKeys;
    const auto* const in = static_cast<const Pack*>(items.values_in);
    auto* const out = static_cast<Pack*>(items.values);
    for (std::uint64_t i = first; i < packs; i += in_flight * step) {
        Pack mine[in_flight];
        for_each_item<in_flight>([&](int u) {
            if (i + u * step < packs) mine[u] = in[i + u * step];
        });
        for_each_item<in_flight>([&](int u) {
            if (i + u * step < packs) out[i + u * step] = mine[u];
        });
    }
    const std::uint64_t rest = packs * Pack::kKeys + first;
    if (rest < words)
        static_cast<std::uint32_t*>(items.values)[rest] = static_cast<const std::uint32_t*>(items.values_in)[rest];
}

/// Counts a share of the keys, that of block `block` of `blocks`, in 2^stripe_bits stripes of counters, so that lanes
/// with equal digits do not meet, and adds the counts to the totals.
template <int stripe_bits, class Problem>
KOGGE_DEVICE void count_share(const Problem& problem, std::uint32_t block, std::uint32_t blocks,
                              HistogramShared& shared, std::uint32_t* counters) {
    using Key = typename Problem::Key;
    using Bucket = typename Problem::Bucket;
    using Pack = KeyPack<Key>;
    constexpr int in_flight = 4;
    const Key* const keys = problem.keys;
    Key* const copies = problem.ordered.suffice ? problem.ordered.keys : nullptr;
    const std::uint64_t n = problem.n;
    const Bucket& bucket = problem.bucket;
    const int first_pass = problem.first_pass, passes = problem.passes, bins = passes * kBins;
    const int thread = simt::thread_rank(), lane = simt::lane();
    const std::uint32_t stripe = static_cast<std::uint32_t>(lane) & ((1u << stripe_bits) - 1u);
    if (thread == 0) shared.unsorted = 0;
    for (int i = thread; i < bins << stripe_bits; i += kHistogramThreads) counters[i] = 0;
    simt::sync_block();  // the counters are zero

    auto* const own = reinterpret_cast<unsigned char*>(counters + stripe);
    const auto add_digit = [&](std::uint32_t digit, int pass) {
        auto* const row = own + (static_cast<std::size_t>(pass) * kBins * sizeof(*counters) << stripe_bits);
        simt::atomic_add<simt::Scope::block>(
            reinterpret_cast<std::uint32_t*>(row + (digit * sizeof(*counters) << stripe_bits)), 1);
    };
    const auto in_order = [&](const Key& a, const Key& b) { return bucket.ordered(bucket.code(a), bucket.code(b)); };
    bool sorted = first_pass == 0;
    // From now on order need not be looked at, and copies are of no use. All lanes of the warp call.
    const auto tell_disorder = [&] {
        if (lane == 0 && simt::atomic_or<simt::Scope::block>(&shared.unsorted, 1) == 0)
            simt::atomic_or<simt::Scope::device>(&problem.control->unsorted, 1);
    };
    const auto count_keys = [&](const auto& code_of, const auto& count_code) {
        // Whole vectors first, in rounds of `in_flight` vectors per thread; order is looked at until disorder is met.
        // The last round comes first, so that the first pass finds its first keys in the L2 cache.
        const std::uint64_t packs = Pack::may_begin_at(keys) ? n / Pack::kKeys : 0;
        const std::uint64_t rounds = divide_up(packs, kHistogramThreads * in_flight);
        const auto* const all = reinterpret_cast<const Pack*>(keys);
        for (std::uint64_t later = block; later < rounds; later += blocks) {
            const std::uint64_t round = (rounds - 1 - later) * kHistogramThreads * in_flight;
            const bool looks = sorted;
            const std::uint32_t elsewhere = looks ? simt::load_relaxed(&problem.control->unsorted) : 0;
            Pack mine[in_flight];
            KOGGE_UNROLL
            for (int u = 0; u < in_flight; ++u) {
                const std::uint64_t index = round + static_cast<std::uint64_t>(u * kHistogramThreads + thread);
                if (index < packs) mine[u] = all[index];
            }
            if (looks) {
                bool here = elsewhere == 0;
                KOGGE_UNROLL
                for (int u = 0; u < in_flight; ++u) {
                    const std::uint64_t index = round + static_cast<std::uint64_t>(u * kHistogramThreads + thread);
                    if (index >= packs) continue;
                    KOGGE_UNROLL
                    for (int k = 1; k < Pack::kKeys; ++k) here = here && in_order(mine[u].keys[k - 1], mine[u].keys[k]);
                    const std::uint64_t next = (index + 1) * Pack::kKeys;
                    if (next < n) here = here && in_order(mine[u].keys[Pack::kKeys - 1], keys[next]);
                }
                sorted = simt::all(here);
                if (!sorted) tell_disorder();
            }
            if (sorted && copies) {
                KOGGE_UNROLL
                for (int u = 0; u < in_flight; ++u) {
                    const std::uint64_t index = round + static_cast<std::uint64_t>(u * kHistogramThreads + thread);
                    if (index < packs) reinterpret_cast<Pack*>(copies)[index] = mine[u];
                }
            }
            KOGGE_UNROLL
            for (int u = 0; u < in_flight; ++u) {
                const std::uint64_t index = round + static_cast<std::uint64_t>(u * kHistogramThreads + thread);
                if (index >= packs) continue;
                KOGGE_UNROLL
                for (int k = 0; k < Pack::kKeys; ++k) count_code(code_of(mine[u].keys[k]));
            }
        }
        for (std::uint64_t i = packs * Pack::kKeys + static_cast<std::uint64_t>(block) * kHistogramThreads + thread;
             i < n; i += static_cast<std::uint64_t>(blocks) * kHistogramThreads) {
            if (sorted && i + 1 < n) sorted = in_order(keys[i], keys[i + 1]);
            if (sorted && copies) copies[i] = keys[i];
            count_code(code_of(keys[i]));
        }
    };
    // If all bits of numbers count, in one launch, the compiler knows the shifts.
    constexpr int usual = Problem::kUsual;
    const auto count_usual = [&](const auto& code) {
        KOGGE_UNROLL
        for (int pass = 0; pass < usual; ++pass)
            add_digit(bucket.digit_of(code, Bucket::kEncodes ? pass : first_pass + pass), pass);
    };
    const auto count_all = [&](const auto& code) {
        for (int pass = 0; pass < passes; ++pass) add_digit(bucket.digit_of(code, first_pass + pass), pass);
    };
    // The choice of what to count is made once: made for each key, it takes longer than the counting.
    const auto code_of = [&](const Key& key) { return bucket.code(key); };
    bool plain = false;  // keys are their codes
    if constexpr (Problem::kByValues) {
        const ValueDigits values = problem.control->values;
        plain = true;
        Key highest = 0;
        count_keys([](const Key& key) -> const Key& { return key; },
                   [&](const Key& key) {
                       const Key code = bucket.code(key);
                       highest = code > highest ? code : highest;
                       const std::uint32_t step = values(key);
                       for_each_item<kSpanDigits>([&](int digit) {
                           add_digit(step >> digit * kDigitBits & (kBins - 1), usual - kSpanDigits + digit);
                       });
                   });
        if (highest >= kLastNans) simt::atomic_or<simt::Scope::device>(&problem.control->last_nans, 1);
    } else if constexpr (std::is_same_v<Key, std::remove_cvref_t<decltype(bucket.code(keys[0]))>>) {
        plain = passes == usual && bucket.keys_are_codes();
        if (plain) count_keys([](const Key& key) -> const Key& { return key; }, count_usual);
    }
    if (!plain && passes == usual) count_keys(code_of, count_usual);
    else if (!plain) count_keys(code_of, count_all);
    if (first_pass == 0 && simt::any(!sorted)) tell_disorder();  // the last keys may show it
    simt::sync_block();                                          // the block has counted

    for (int i = thread; i < bins; i += kHistogramThreads) {
        std::uint32_t sum = 0;
        for (int s = 0; s < 1 << stripe_bits; ++s)
            sum += counters[(i << stripe_bits) + ((s + lane) & ((1 << stripe_bits) - 1))];
        if (sum > 0) simt::atomic_add<simt::Scope::device>(problem.histograms + first_pass * kBins + i, sum);
    }
    // If any key is out of order, these copies are not used.
    const OrderedItems<Key>& items = problem.ordered;
    if (first_pass == 0 && items.suffice && items.values && shared.unsorted == 0 &&
        simt::load_relaxed(&problem.control->unsorted) == 0)
        copy_values(items, n, block, blocks);
}

/// Run by the last block: turns the counts into the starts of bins, and writes the schedule.
template <class Problem>
KOGGE_DEVICE void finish_count(const Problem& problem, HistogramShared& shared) {
    const std::uint64_t n = problem.n;
    const MoveRules& rules = problem.rules;
    const int thread = simt::thread_rank(), warp = simt::warp_rank(), lane = simt::lane();
    const auto top = static_cast<int>(simt::load_relaxed(&problem.control->sampled_top));
    // A warp scans the histogram of a pass, eight bins per lane.
    KOGGE_NO_UNROLL
    for (int pass = warp; pass < rules.passes; pass += kHistogramThreads / simt::kWarpSize) {
        constexpr int each = kBins / simt::kWarpSize;
        std::uint64_t* const bin = problem.histograms + pass * kBins + lane * each;
        const int folded = top > pass && !Problem::kByValues ? folded_digits(n, pass, top) : 1;
        std::uint64_t before[each], sum = 0, together = 0, most = 0;
        std::uint32_t used = 0;
        KOGGE_UNROLL
        for (int i = 0; i < each; ++i) {
            const std::uint64_t here = simt::load_relaxed(bin + i);
            together = (i & (folded - 1)) == 0 ? here : together + here;
            most = together > most ? together : most;
            used += here > 0 ? 1 : 0;
            before[i] = sum;
            sum += here;
        }
        const std::uint64_t base = warp::inclusive_scan(sum, simt::kWarpSize, plus{}) - sum;
        KOGGE_UNROLL
        for (int i = 0; i < each; ++i) bin[i] = base + before[i];
        KOGGE_UNROLL
        for (int lanes = 1; lanes < simt::kWarpSize; lanes *= 2) {
            const std::uint64_t other = simt::shuffle_xor(most, lanes);
            if (lanes * each < folded) most += other;
            else most = other > most ? other : most;
        }
        used = simt::reduce_add(used);
        if (lane == 0) shared.constant[pass] = used <= 1 ? 1 : 0;
        if (lane == 0 && pass < kMostLeadingPasses) {
            shared.leading.share[pass] = static_cast<float>(most) / static_cast<float>(n);
            shared.leading.used[pass] = used;
        }
    }
    simt::sync_block();  // it is known which passes change nothing
    const bool unsorted = simt::load_relaxed(&problem.control->unsorted) != 0;
    LeadingChoice leading{0, unsorted ? SortOutcome::all_digits : SortOutcome::in_order};
    if constexpr (Problem::kByValues) {
        const bool hold =
            fullest_bucket(shared.leading, n, Problem::kUsual) <= static_cast<float>(kMostOfSpan * rules.span_items) &&
            simt::load_relaxed(&problem.control->last_nans) == 0;
        if (unsorted && !hold) {
            simt::sync_block();  // all threads have read the words that are reset here
            for (int i = thread; i < rules.passes * kBins; i += kHistogramThreads) problem.histograms[i] = 0;
            if (thread == 0) {
                problem.control->done = problem.control->unsorted = 0;
                problem.control->values = {0, 0};
            }
            return;
        }
        if (unsorted) leading = {Problem::kUsual - kSpanDigits, SortOutcome::value_spans};
    } else if (thread == 0 && rules.may_leave_out && unsorted) {
        leading = find_leading(n, rules, problem.control, shared.leading);
    }
    if (warp > 0) return;
    leading.lowest = simt::shuffle(leading.lowest, 0);
    list_moves(problem.moves, rules, problem.ordered.suffice, rules.drops_keys && leading.lowest == 0,
               Problem::kByValues,
               [&](int pass) { return unsorted && pass >= leading.lowest && shared.constant[pass] == 0; });
    if (thread > 0) return;
    problem.control->lowest = static_cast<std::uint32_t>(leading.lowest);
    problem.control->outcome = leading.outcome;
}

/// Counts digits of the passes [first_pass, first_pass + passes) in `histograms`. The last block of the last call turns
/// the counts into the starts of bins, and writes the schedule.
///
/// Floats may take two launches: the first goes by values, if control->values is set; the second goes by codes, if it
/// is not, or if the first has found a step too full or a NaN that comes last.
template <int stripe_bits, class Key, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kHistogramThreads, 1)
    count_digits_kernel(const Key* keys, OrderedItems<Key> ordered, Count count, Bucket bucket, int first_pass,
                        int passes, MoveRules rules, PassControl* control, std::uint32_t* moves,
                        std::uint64_t* histograms) {
    simt::wait_for_stream();
    using Problem = CountProblem<Key, Bucket>;
    if (may_go_by_values<Key, Bucket>() && control->values.are_some() != Problem::kByValues) return;
    auto& shared = simt::shared_memory<HistogramShared>();
    auto* const counters =
        reinterpret_cast<std::uint32_t*>(reinterpret_cast<unsigned char*>(&shared) + kHistogramTables);
    const Problem problem{keys, ordered, count.get(), bucket, first_pass, passes, rules, control, moves, histograms};
    std::uint32_t block = simt::block_rank(), blocks = simt::grid_size();
    bool counts = true;
    if constexpr (Bucket::kEncodes && !Problem::kByValues)
        if (rules.may_leave_out) {
            if (block == 0)
                sample_leading(keys, problem.n, bucket, rules, shared.leading, counters,
                               static_cast<std::uint32_t>(passes * kBins) << stripe_bits, control);
            if (blocks > 1) {
                counts = block > 0;
                --block;
                --blocks;
            }
        }
    if (counts) count_share<stripe_bits>(problem, block, blocks, shared, counters);
    if (first_pass + passes < rules.passes) return;

    simt::sync_block();  // the block's findings are written before it says so
    if (simt::thread_rank() == 0) shared.last = simt::atomic_add_acq_rel(&control->done, 1) == simt::grid_size() - 1;
    simt::sync_block();  // the verdict is written
    if (shared.last) finish_count(problem, shared);
}

}  // namespace kogge::grid::KOGGE_CODE
