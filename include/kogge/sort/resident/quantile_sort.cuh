// The resident sort's pass by quantiles (sort/resident/quantiles.cuh), after which each block sorts its bucket
// (sort/resident/word_sort.cuh).
//
// A block's bucket is a range of neighbouring bins, cut by the exact counts of all bins, so that buckets are as large
// as each other but for a bin. The keys of a heavy bin that holds one value alone go straight to the output, and take
// no part in that: so no value is too frequent. Ranks are stable.
//
// Keys stay in registers. What is computed of them, a bin and a rank, passes through shared memory, so that the search
// is a loop: straight-line code for all keys of a thread would be fetched for longer than it takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/sort/resident/pass.cuh"
#include "kogge/sort/resident/quantiles.cuh"
#include "kogge/sort/resident/word_sort.cuh"

namespace kogge::grid::KOGGE_CODE {

enum class QuantileResult { sorted, in_order, too_large };

template <class Problem>
class QuantileSort {
public:
    using Key = typename Problem::KeyType;
    using Value = typename Problem::ValueType;
    using Tables = QuantileTables<Key>;
    static constexpr std::size_t kTables = quantile_table_bytes(sizeof(Key));
    static_assert(sizeof(Tables) <= kTables && kTables % 128 == 0);

    KOGGE_DEVICE QuantileSort(ResidentSortShared& shared, const Problem& problem, std::uint64_t n)
        : shared_(shared),
          problem_(problem),
          chunk_(problem, shared, n),
          tables_(tables_of(shared)),
          area_(area_of(tables_)) {
        constexpr std::size_t key = sizeof(Key), value = Problem::kValueBytes;
        chunk_.exchange = reinterpret_cast<Key*>(area_);
        bins_ = reinterpret_cast<std::uint16_t*>(area_ + chunk_.chunk * (problem.values_beside ? key + value
                                                                         : key > value         ? key
                                                                                               : value));
    }

    KOGGE_DEVICE static Tables& tables_of(ResidentSortShared& shared) {
        return *reinterpret_cast<Tables*>(reinterpret_cast<unsigned char*>(&shared) + kResidentSortTables);
    }
    KOGGE_DEVICE static unsigned char* area_of(Tables& tables) {
        return reinterpret_cast<unsigned char*>(&tables) + kTables;
    }

    /// Moves all keys to their buckets, unless one is too large for its block; then nothing has moved. `is_prepared`: a
    /// sample has been published, keys are not in order, and a grid barrier has followed. Otherwise counts of digits
    /// are cleared, too. All threads call.
    KOGGE_DEVICE QuantileResult run(bool is_prepared) {
        if (!is_prepared) {
            publish_sample(problem_, chunk_.n);
            CountExchange<kBins>::clear(problem_.memory.counts, problem_.passes);
        }
        simt::sync_block();                                                       // what was on chip has been read
        CountExchange<kQuantileBins>::clear(problem_.memory.quantile_counts, 1);  // find_bounds has a grid barrier
        chunk_.load(Move::input);
        const Key before = is_prepared ? Key{} : chunk_.load_before();
        chunk_.encode();
        if (!is_prepared) {
            const bool in_order = chunk_.tell_order(before);
            simt::sync_grid();  // the sample is published, and all know which blocks' keys are in order
            if (in_order && chunk_.are_all_in_order()) {
                chunk_.copy();
                return QuantileResult::in_order;
            }
        }
        find_bounds(tables_, problem_, chunk_.exchange);
        if (const int b = simt::thread_rank(); b < kBins)
            shared_.sizes[b] = earlier()[b] = begins()[b] = own_begins()[b] = 0;
        if (simt::thread_rank() == 0) {
            shared_.verdict = shared_.end = 0;
            for (std::uint32_t& greatest : tables_.greatest) greatest = 0;
        }
        simt::sync_block();  // the bounds are known, and no bucket has keys
        const CountExchange<kQuantileBins> counts(problem_.memory.quantile_counts, false);
        rank_and_place(counts);
        std::uint32_t moves[2];
        if constexpr (Problem::kHasValues)
            if (problem_.values_beside) place_values();
        if (!find_buckets(counts, moves)) return QuantileResult::too_large;
        std::uint32_t moved = 0;
        if (Problem::kHasValues && problem_.values_beside && problem_.in_place)
            finish_move(problem_.memory.moved, ++moved);  // all have read what others overwrite
        store(moved);
        const auto bin = 2 * static_cast<std::uint32_t>(simt::thread_rank());
        finish_move(problem_.memory.moved, ++moved);
        for_each_item<2>([&](int h) { tables_.moves()[bin + static_cast<std::uint32_t>(h)] = moves[h]; });
        simt::sync_block();  // the moves are known
        return QuantileResult::sorted;
    }

public:
    static constexpr int most = quantile_chunk_items(sizeof(Key)), step = batch_of(most);
    /// Beside a target: in the output, not in the temporary array.
    static constexpr std::uint32_t kStraight = 1u << 31;

    /// Puts the block's keys in order of their bins on chip, and publishes the counts. Keeps the keys' places.
    KOGGE_DEVICE void rank_and_place(const CountExchange<kQuantileBins>& counts) {
        const WarpShare& share = chunk_.share;
        const auto bucket = problem_.bucket;
        std::uint32_t* const row = tables_.rows.row(simt::warp_rank());
        // Places past the end, up to the end of a row, count as keys of the last bin that come after all others.
        for_items<most, step>(share.used, [&](int i) {
            if (i < share.used)
                chunk_.exchange[share.place(i)] =
                    share.holds(i) ? bucket.item_code(chunk_.keys[i]) : static_cast<Key>(~Key{0});
        });
        KOGGE_NO_UNROLL
        for (int i = 0; i < share.used; i += step) {
            Key codes[std::size_t{step}];
            for_each_item<step>(
                [&](int u) { codes[u] = i + u < share.used ? chunk_.exchange[share.place(i + u)] : Key{}; });
            tables_.template find_bins<step>(codes, [&](int u, std::uint32_t bin) {
                if (i + u < share.used)
                    chunk_.exchange[share.place(i + u)] = share.holds(i + u) ? bin : kQuantileBins - 1;
            });
        }
        PackedRows::clear(row, PackedRows::kWords);
        const bool by_arrival = !Problem::kHasValues && problem_.may_reorder;
        KOGGE_NO_UNROLL
        for (int i = 0; i < share.used; i += step) {
            std::uint32_t bins[std::size_t{step}], ranks[std::size_t{step}];
            for_each_item<step>([&](int u) {
                bins[u] = i + u < share.used ? static_cast<std::uint32_t>(chunk_.exchange[share.place(i + u)])
                                             : kQuantileBins - 1;
                ranks[u] = bins[u];
            });
            if (!by_arrival) PackedRows::rank_and_repair<step>(ranks, row);
            else
                for_each_item<step>([&](int u) {
                    if (share.holds(i + u)) ranks[u] = PackedRows::rank_as_served(bins[u], row);
                });
            for_each_item<step>([&](int u) {
                if (i + u < share.used) chunk_.exchange[share.place(i + u)] = bins[u] | ranks[u] << 16;
            });
        }
        if (!by_arrival && simt::lane() == 0) row[PackedRows::kWords - 1] -= PackedRows::past_end<step>(share) << 16;
        simt::sync_block();  // all warps have counted
        tables_.rows.place(shared_, PackedRows::kWords, [&](std::uint32_t bin, std::uint32_t low, std::uint32_t high) {
            counts.publish(bin, low);
            counts.publish(bin + 1, high);
        });
        std::uint32_t ranked_bins[std::size_t{most}]{};
        for_items<most, step>(share.used, [&](int i) {
            if (share.holds(i)) ranked_bins[i] = static_cast<std::uint32_t>(chunk_.exchange[share.place(i)]);
        });
        simt::sync_block();  // all bins and ranks have been read
        for_batches<most, step>(share.used, [&](int i) {
            std::uint32_t places[std::size_t{step}];
            for_each_item<step>([&](int u) {
                if (share.holds(i + u))
                    places[u] = PackedRows::get(row, ranked_bins[i + u] & 0xffffu) + (ranked_bins[i + u] >> 16);
            });
            for_each_item<step>([&](int u) {
                if (!share.holds(i + u)) return;
                chunk_.exchange[places[u]] = chunk_.keys[i + u];
                bins_[places[u]] = static_cast<std::uint16_t>(ranked_bins[i + u]);
                if constexpr (Problem::kHasValues) chunk_.ranks.set(i + u, places[u]);
            });
        });
    }

    // Of the block that gets a bin, in place of the rows of digits: where its bucket begins, the keys in it of earlier
    // blocks, and where the own keys in it begin among those that are kept (complements of both begins). A bucket's
    // keys of a block lie side by side, whatever their bins, so that runs are long.
    KOGGE_DEVICE std::uint32_t* begins() const { return shared_.rows; }
    KOGGE_DEVICE std::uint32_t* earlier() const { return shared_.rows + kBins; }
    KOGGE_DEVICE std::uint32_t* own_begins() const { return shared_.rows + 2 * kBins; }

    /// Waits for the counts of all blocks, and divides the bins among the blocks. False: some bucket is too large.
    KOGGE_DEVICE bool find_buckets(const CountExchange<kQuantileBins>& counts, std::uint32_t (&moves)[2]) {
        const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
        const std::uint32_t blocks = simt::grid_size(), heavy = chunk_.n / (4 * blocks);
        const auto found = counts.collect();
        std::uint32_t kept[2], own_kept[2], own_starts[3];  // keys that a block has to sort, and the own ones of them
        bool straight[2];
        for_each_item<3>([&](int h) {
            const std::uint32_t bin = 2 * thread + static_cast<std::uint32_t>(h);
            own_starts[h] = bin < kQuantileBins ? PackedRows::get(tables_.rows.row(0), bin)
                                                : static_cast<std::uint32_t>(chunk_.count);
        });
        for_each_item<2>([&](int h) {
            straight[h] = found.of_all[h] > heavy && tables_.has_one_code(static_cast<int>(2 * thread) + h);
            kept[h] = straight[h] ? 0 : found.of_all[h];
            own_kept[h] = straight[h] ? 0 : own_starts[h + 1] - own_starts[h];
        });
        std::uint32_t start = sum_before(shared_, found.of_all[0] + found.of_all[1]);
        simt::sync_block();  // the warps' totals and the bounds have been read
        std::uint32_t kept_start = sum_before(shared_, kept[0] + kept[1]);
        const std::uint32_t all_kept =
            simt::reduce_add(simt::lane() < ResidentSortShared::kWarps ? shared_.totals[simt::lane()] : 0u);
        simt::sync_block();  // the warps' totals have been read
        const std::uint32_t own_first = sum_before(shared_, own_kept[0] + own_kept[1]);
        const auto own_place = [&](int h) { return own_first + (h > 0 ? own_kept[0] : 0); };
        std::uint32_t owners[2];
        for_each_item<2>([&](int h) {
            const std::uint32_t bin = 2 * thread + static_cast<std::uint32_t>(h);
            tables_.starts()[bin] = kept_start;
            moves[h] = start - kept_start;
            if (straight[h]) tables_.targets[bin] = kStraight + start + found.before[h] - own_starts[h];
            owners[h] = kept[h] > 0 ? (kept_start + kept[h] / 2) * blocks / all_kept : kBins;
            if (kept[h] > 0) {
                const std::uint32_t owner = owners[h];
                simt::atomic_max<simt::Scope::block>(begins() + owner, ~kept_start);
                simt::atomic_max<simt::Scope::block>(own_begins() + owner, ~own_place(h));
                simt::atomic_add<simt::Scope::block>(earlier() + owner, found.before[h]);
                simt::atomic_add<simt::Scope::block>(shared_.sizes + owner, kept[h]);
                if (owner == simt::block_rank()) {
                    simt::atomic_max<simt::Scope::block>(&shared_.end, kept_start + kept[h]);
                    simt::atomic_max<simt::Scope::block>(tables_.greatest, moves[h]);
                    simt::atomic_max<simt::Scope::block>(tables_.greatest + 1, ~moves[h]);
                    simt::atomic_max<simt::Scope::block>(tables_.greatest + 2, bin);
                    simt::atomic_max<simt::Scope::block>(tables_.greatest + 3, ~bin);
                }
            }
            start += found.of_all[h];
            kept_start += kept[h];
        });
        simt::sync_block();  // the sizes of all buckets are known, and what of them is the block's
        for_each_item<2>([&](int h) {
            if (kept[h] == 0) return;
            const std::uint32_t in_bucket = own_place(h) - ~own_begins()[owners[h]];  // among the own keys there
            tables_.targets[2 * thread + static_cast<std::uint32_t>(h)] =
                ~begins()[owners[h]] + earlier()[owners[h]] + in_bucket - own_starts[h];
        });
        if (thread < kBins && shared_.sizes[thread] > problem_.most_by_quantiles)
            simt::atomic_or<simt::Scope::block>(&shared_.verdict, 1);
        simt::sync_block();  // all buckets have been checked
        return shared_.verdict == 0;
    }

    /// Brings the values on chip, in order of their keys' bins.
    KOGGE_DEVICE void place_values() const {
        Value* const on_chip = exchanged_values();
        chunk_.for_values([&](int i, const Value& value) { on_chip[chunk_.ranks.get(i)] = value; });
    }
    /// Beside the keys, or in their place.
    KOGGE_DEVICE Value* exchanged_values() const {
        return reinterpret_cast<Value*>(area_ + (problem_.values_beside ? chunk_.chunk * sizeof(Key) : 0));
    }

    /// Writes keys and values to the temporary array, or straight to the output. `moved` counts the barriers of moves.
    KOGGE_DEVICE void store(std::uint32_t& moved) {
        if constexpr (!Problem::kHasValues) {
            store_items<true, false>();
        } else if (problem_.values_beside) {
            simt::sync_block();  // the values are in order of their bins
            store_items<true, true>();
        } else {
            store_items<true, false>();
            simt::sync_block();  // the keys have been read
            place_values();
            if (problem_.in_place) finish_move(problem_.memory.moved, ++moved);  // all have read what others overwrite
            simt::sync_block();  // the values are in order of their bins
            store_items<false, true>();
        }
    }
    template <bool keys, bool values>
    KOGGE_DEVICE void store_items() const {
        const auto first_pass = problem_.bucket.in_pass(0);
        Key* const keys_out = problem_.writes_keys ? problem_.keys_out : nullptr;
        Key* const keys_other = problem_.keys_other;
        [[maybe_unused]] Value *const values_out = problem_.values_out, *const values_other = problem_.values_other;
        [[maybe_unused]] const Value* const values_on_chip = exchanged_values();
        for_places<step>(chunk_.count, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            const auto place_of = [&](int u) { return first + u * kResidentSortThreads; };
            [[maybe_unused]] Key items[batch];
            [[maybe_unused]] Value with[batch];
            std::uint32_t targets[batch];
            for_each_item<batch>([&](int u) {
                if constexpr (keys) items[u] = chunk_.exchange[place_of(u)];
                if constexpr (values) with[u] = values_on_chip[place_of(u)];
                targets[u] = bins_[place_of(u)];
            });
            for_each_item<batch>(
                [&](int u) { targets[u] = tables_.targets[targets[u]] + static_cast<std::uint32_t>(place_of(u)); });
            for_each_item<batch>([&](int u) {
                const bool straight = targets[u] >= kStraight;
                const std::uint32_t target = targets[u] & ~kStraight;
                if constexpr (keys) {
                    if (!straight) keys_other[target] = items[u];
                    else if (keys_out) keys_out[target] = first_pass.decode(items[u]);
                }
                if constexpr (values) (straight ? values_out : values_other)[target] = with[u];
            });
        });
    }

    ResidentSortShared& shared_;
    const Problem& problem_;
    ResidentChunk<Problem, most, true> chunk_;
    Tables& tables_;
    unsigned char* area_;
    std::uint16_t* bins_;  ///< of the block's keys, in their order on chip
};

// Both stages are calls, so that each has all registers to itself. Where they use the problem's fields in a loop, they
// copy these: what is behind a reference is loaded again after each store, which might have changed it.
template <class Problem>
KOGGE_DEVICE_CALL QuantileResult move_to_buckets(ResidentSortShared& shared, const Problem& problem, std::uint64_t n,
                                                 bool is_prepared) {
    return QuantileSort<Problem>(shared, problem, n).run(is_prepared);
}
/// Sorts the bucket that the block has got. All threads call.
template <class Problem>
KOGGE_DEVICE_CALL void sort_own_bucket(ResidentSortShared& shared, const Problem& problem) {
    auto& tables = QuantileSort<Problem>::tables_of(shared);
    const auto size = [&] { return shared.sizes[simt::block_rank()]; };
    const auto bucket = [&] {
        return WordSort<Problem>(shared, tables, problem, QuantileSort<Problem>::area_of(tables), shared.end - size(),
                                 static_cast<int>(size()));
    };
    if (size() == 0) return;
    bucket().sort();
    // What the output takes is made anew, so that no registers hold it during the sort.
    // Where straight keys lie between a bucket's, these move by different distances.
    const std::uint32_t begin = shared.end - size(), together = begin + tables.greatest[0];
    const bool moves_together = tables.greatest[0] == ~tables.greatest[1];
    const std::uint32_t first_bin = ~tables.greatest[3], last_bin = tables.greatest[2];
    bucket().write([&](std::uint32_t place) {
        if (moves_together) return together + place;
        std::uint32_t bin = first_bin, behind = last_bin + 1;  // the last one that does not begin after it
        while (bin + 1 < behind) {
            const std::uint32_t middle = (bin + behind) / 2;
            if (tables.starts()[middle] <= begin + place) bin = middle;
            else behind = middle;
        }
        return begin + place + tables.moves()[bin];
    });
}

/// Sorts the block's bucket, which is a range of codes: its keys go where they are, in order. All threads call.
template <class Problem>
KOGGE_DEVICE void sort_range_by_words(ResidentSortShared& shared, const Problem& problem) {
    auto& tables = QuantileSort<Problem>::tables_of(shared);
    simt::sync_block();  // what is in place of the tables has been read
    if (simt::thread_rank() == 0) {
        tables.greatest[0] = 0;
        tables.greatest[1] = ~0u;
    }
    simt::sync_block();  // the distance is known
    sort_own_bucket(shared, problem);
}

/// Sorts by buckets between quantiles, unless one is too large for its block; see QuantileSort::run. All threads call.
template <class Problem>
KOGGE_DEVICE QuantileResult sort_by_quantiles(ResidentSortShared& shared, const Problem& problem, std::uint64_t n,
                                              bool is_prepared) {
    const QuantileResult result = move_to_buckets(shared, problem, n, is_prepared);
    if (result == QuantileResult::sorted) sort_own_bucket(shared, problem);
    return result;
}

}  // namespace kogge::grid::KOGGE_CODE
