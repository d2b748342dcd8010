// The steps of a pass of the resident sort (sort/resident/kernel.cuh): a block's keys are loaded, exchanged on chip in
// order of their digits, and stored where the counts of all blocks say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/resident/block_keys.cuh"
#include "kogge/sort/resident/count_exchange.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Value, class Bucket>
struct ResidentSortProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    using KeyType = Key;
    using ValueType = Value;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(Value) : 0;
    static constexpr int kItems = resident_sort_items(sizeof(Key), kValueBytes);
    static constexpr int kBucketItems = resident_bucket_items(sizeof(Key), kValueBytes);
    static constexpr int kJointItems = resident_joint_items(sizeof(Key), kValueBytes);
    static constexpr int kBucketChunkItems = kJointItems < kBucketItems ? kJointItems : kBucketItems;
    static constexpr bool kMayBeInOrder = Bucket::kEncodes;
    static constexpr bool kHasQuantiles = Bucket::kIdentifies && sizeof(Key) >= 4;
    /// Ranks in arrival order can be checked, and there are registers for that.
    static constexpr bool kMayRankByArrival = Bucket::kIdentifies && !kHasValues && ranks_by_arrival(sizeof(Key));

    const Key* keys_in;
    Key* keys_out;  ///< this array and the next alternate
    Key* keys_other;
    const Value* values_in;  ///< null: a value is its key's index
    Value* values_out;
    Value* values_other;
    bool writes_keys;  ///< in the last pass
    bool in_place;     ///< an output is its input
    Count n;
    Bucket bucket;
    int passes;
    bool may_reorder;                 ///< equal codes mean equal keys, whose order cannot be observed
    bool checks_order;                ///< all passes first rank in arrival order
    std::uint32_t most_of_bucket;     ///< the most keys that a block sorts in a uniform bucket; 0: none are
    std::uint32_t most_by_quantiles;  ///< the same between quantiles; 0: there is no pass by these
    bool values_beside;               ///< then there is room for values beside keys on chip
    ResidentSortMemory memory;
};

/// Waits for the counts of all blocks, turns them into the targets, and calls each(bin, start, size). All threads call.
template <class Each>
KOGGE_DEVICE void find_targets(ResidentSortShared& shared, const CountExchange<kBins>& counts, std::uint32_t n,
                               const Each& each) {
    const int pair = simt::thread_rank() / 4, part = simt::thread_rank() % 4, lane = simt::lane(),
              warp = simt::warp_rank();
    const auto found = counts.collect();
    if (part == 0 && (found.of_all[0] == n || found.of_all[1] == n)) shared.holds_all = 1;
    const std::uint32_t of_pair = found.of_all[0] + found.of_all[1];
    const std::uint32_t inclusive = warp::inclusive_scan(part == 0 ? of_pair : 0u, simt::kWarpSize, plus{});
    if (lane == simt::kWarpSize - 1) shared.totals[warp] = inclusive;
    simt::sync_block();  // the warps' totals are written, and the block's keys are in order of the digit
    const std::uint32_t start = simt::reduce_add(lane < warp ? shared.totals[lane] : 0u) + inclusive - of_pair;
    if (part < 2) {
        const int bin = 2 * pair + part;
        const std::uint32_t before = part == 0 ? found.before[0] : found.of_all[0] + found.before[1];
        shared.targets[bin] = start + before - shared.rows[bin];
        each(static_cast<std::uint32_t>(bin), start + (part == 0 ? 0 : found.of_all[0]), found.of_all[part]);
    }
    simt::sync_block();  // the targets of all digits are known
}

/// A block's keys in registers, up to `most` per thread, and their exchange. Values that follow take registers only
/// once the keys are in the exchange. What a lane may not load begins as zero: otherwise nvcc 13.0 holds registers for
/// it from a function's first instruction on.
template <class Problem, int most,
          bool follow = resident_values_follow(most, sizeof(typename Problem::KeyType), Problem::kValueBytes)>
struct ResidentChunk {
    using Key = typename Problem::KeyType;
    using Value = typename Problem::ValueType;
    static constexpr int kMost = most, kStep = batch_of(most);
    static constexpr bool kValuesFollow = Problem::kHasValues && follow;

    const Problem& problem;
    ResidentSortShared& shared;
    std::uint32_t n, chunk, base;
    int count, items;  ///< keys per block, and per thread
    WarpShare share;
    Key* exchange;
    Value* value_exchange;
    Key keys[std::size_t{kMost}]{};
    Value values[std::size_t{kMost}]{};
    ShortNumbers<kMost> ranks;

    KOGGE_DEVICE ResidentChunk(const Problem& sort, ResidentSortShared& memory, std::uint64_t of_all)
        : problem(sort),
          shared(memory),
          n(static_cast<std::uint32_t>(of_all)),
          chunk(resident_sort_chunk(n, simt::grid_size())),
          base(chunk * simt::block_rank()),
          count(static_cast<int>(base >= of_all          ? 0
                                 : of_all - base < chunk ? of_all - base
                                                         : chunk)),
          items(static_cast<int>((chunk + kResidentSortThreads - 1) / kResidentSortThreads)),
          share(WarpShare(count, items).again()),
          exchange(reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&memory) + kResidentSortTables)),
          value_exchange(reinterpret_cast<Value*>(exchange + items * kResidentSortThreads)) {}

    /// Declares all registers' keys unused. Otherwise nvcc 13.0 keeps those that load skips (a lane may have fewer)
    /// alive from pass to pass, and where registers are short each load waits for the one before.
    KOGGE_DEVICE void forget() {
        for_each_item<kMost>([&](int i) { keys[i] = {}; });
    }
    KOGGE_DEVICE void load(Move::Place from) {
        const Key* const source = (from == Move::input    ? problem.keys_in
                                   : from == Move::output ? problem.keys_out
                                                          : problem.keys_other) +
                                  base;
        for_items<kMost, kStep>(share.used, [&](int i) {
            if (share.holds(i)) keys[i] = source[share.place(i)];
        });
    }
    KOGGE_DEVICE void load_values(Move::Place from) {
        if constexpr (Problem::kHasValues) {
            const Value* const with = from == Move::input    ? problem.values_in
                                      : from == Move::output ? problem.values_out
                                                             : problem.values_other;
            if (with)
                for_items<kMost, kStep>(share.used, [&](int i) {
                    if (share.holds(i)) values[i] = with[base + share.place(i)];
                });
            else if constexpr (std::is_integral_v<Value>)
                for_items<kMost, kStep>(share.used,
                                        [&](int i) { values[i] = static_cast<Value>(base + share.place(i)); });
        }
    }
    /// Encodes the keys that the first pass has loaded.
    KOGGE_DEVICE void encode() {
        const auto first_pass = problem.bucket.in_pass(0);
        if (first_pass.recodes())
            for_items<kMost, kStep>(share.used, [&](int i) { keys[i] = first_pass.encode(keys[i]); });
    }
    /// For lane 0: the key of the input before the warp's slice.
    KOGGE_DEVICE Key load_before() const {
        if (simt::lane() > 0 || !has_before() || !pays_to_look()) return Key{};
        return problem.bucket.in_pass(0).encode(problem.keys_in[base + share.first - 1]);
    }
    /// Whether the block's keys are in order as they come in. After the next barrier of the grid other blocks know it,
    /// too. All threads call.
    KOGGE_DEVICE bool tell_order(const Key& before) const {
        if (!pays_to_look()) return false;
        const bool in_order = is_in_order(problem.bucket, share, keys, before, has_before());
        if (simt::lane() == 0) shared.disorder[simt::warp_rank()] = in_order ? 0 : 1;
        simt::sync_block();  // all warps have looked
        const bool all = simt::all(simt::lane() >= ResidentSortShared::kWarps || shared.disorder[simt::lane()] == 0);
        // Floats may be looked at twice: some blocks read the word while its block writes the same value again.
        if (simt::thread_rank() == 0) simt::store_relaxed(problem.memory.ordered + simt::block_rank(), all ? 1u : 0u);
        return all;
    }
    /// Whether the keys of all blocks are in order, after that barrier. All lanes call.
    KOGGE_DEVICE bool are_all_in_order() const {
        bool all = true;
        for (auto b = static_cast<std::uint32_t>(simt::lane()); b < simt::grid_size(); b += simt::kWarpSize)
            all = simt::load_relaxed(problem.memory.ordered + b) != 0 && all;
        return simt::all(all);
    }

    template <class Digit>
    KOGGE_DEVICE void rank(bool in_order, const Digit& digit_of) {
        rank_share<kMost>(share, shared.row(simt::warp_rank()), ranks, in_order,
                          [&](int i) { return digit_of(keys[i]); });
    }
    /// Puts the block's keys in order of the digit, after all warps have ranked, and publishes the counts. Values that
    /// follow come from where the keys came from; where others may overwrite that once they see the counts, they come
    /// before these.
    template <class Digit>
    KOGGE_DEVICE void place(const CountExchange<kBins>& counts, const Digit& digit_of, Move::Place from) {
        if constexpr (kValuesFollow)
            if (counts.ordered) load_values(from);
        place_digits(shared, [&](std::uint32_t bin, std::uint32_t size) { counts.publish(bin, size); });
        place_share<kMost>(
            share, shared.row(simt::warp_rank()), ranks, [&](int i) { return digit_of(keys[i]); },
            [&](int i, std::uint32_t place) {
                exchange[place] = keys[i];
                if constexpr (kValuesFollow) ranks.set(i, place);
                else if constexpr (Problem::kHasValues) value_exchange[place] = values[i];
            });
        if constexpr (kValuesFollow) {
            if (!counts.ordered) load_values(from);
            for_items<kMost, kStep>(share.used, [&](int i) {
                if (share.holds(i)) value_exchange[ranks.get(i)] = values[i];
            });
        }
    }

    /// Writes the exchange to the digits' places; `keys_to` may be null. If `is_checked`, returns whether the exchange
    /// is in order of all bits up to this pass. All threads call.
    template <class PassBucket>
    KOGGE_DEVICE bool store(const PassBucket& bucket, Key* keys_to, Value* values_to, bool decodes,
                            bool is_checked) const {
        bool ordered = true;
        constexpr int batch_size = kMost >= 32 ? 8 : kStep;
        for_places<batch_size>(count, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            // A batch's loads stand before its stores, which the compiler must not reorder.
            const auto place_of = [&](int u) { return first + u * kResidentSortThreads; };
            Key found[batch];
            std::uint32_t targets[batch];
            for_each_item<batch>([&](int u) { found[u] = exchange[place_of(u)]; });
            if constexpr (Problem::kMayRankByArrival)
                if (is_checked)
                    for_each_item<batch>([&](int u) {
                        const Key& before = exchange[place_of(u) > 0 ? place_of(u) - 1 : 0];
                        ordered = ordered && bucket.keeps_order(before, found[u]);
                    });
            for_each_item<batch>([&](int u) {
                targets[u] = shared.targets[bucket(found[u])] + static_cast<std::uint32_t>(place_of(u));
            });
            if (keys_to) {
                if (decodes) for_each_item<batch>([&](int u) { found[u] = bucket.decode(found[u]); });
                for_each_item<batch>([&](int u) { keys_to[targets[u]] = found[u]; });
            }
            if constexpr (Problem::kHasValues) {
                Value with[batch];
                for_each_item<batch>([&](int u) { with[u] = value_exchange[place_of(u)]; });
                for_each_item<batch>([&](int u) { values_to[targets[u]] = with[u]; });
            }
        });
        return ordered;
    }
    /// Writes the input, which is in order, to the output.
    KOGGE_DEVICE void copy() const {
        const auto first_pass = problem.bucket.in_pass(0);
        if (problem.writes_keys && problem.keys_in != problem.keys_out)
            for_items<kMost, kStep>(share.used, [&](int i) {
                if (share.holds(i)) problem.keys_out[base + share.place(i)] = first_pass.decode(keys[i]);
            });
        if constexpr (Problem::kHasValues)
            if (problem.values_in != problem.values_out)
                for_values([&](int i, const Value& value) { problem.values_out[base + share.place(i)] = value; });
    }
    /// Calls f(i, value) for the values of the input, of which only a few take registers at a time.
    template <class F>
    KOGGE_DEVICE void for_values(const F& f) const {
        const WarpShare own = share.again();
        const Value* const values_in = problem.values_in;
        constexpr int batch = kMost % (2 * kStep) == 0 ? 2 * kStep : kStep;
        for_batches<kMost, batch>(own.used, [&](int i) {
            Value found[std::size_t{batch}]{};
            const auto place_of = [&](int u) { return base + static_cast<std::uint32_t>(own.place(i + u)); };
            if (values_in)
                for_each_item<batch>([&](int u) {
                    if (own.holds(i + u)) found[u] = values_in[place_of(u)];
                });
            else if constexpr (std::is_integral_v<Value>)
                for_each_item<batch>([&](int u) { found[u] = static_cast<Value>(place_of(u)); });
            for_each_item<batch>([&](int u) {
                if (own.holds(i + u)) f(i + u, found[u]);
            });
        });
    }

private:
    /// To find out that no pass is needed takes nearly as long as one or two passes.
    KOGGE_DEVICE bool pays_to_look() const { return problem.passes > 2; }
    KOGGE_DEVICE bool has_before() const { return share.keys > 0 && (base > 0 || simt::warp_rank() > 0); }
};

}  // namespace kogge::grid::KOGGE_CODE
