// The resident sort's pass by quantiles (sort/resident/quantiles.cuh), and the sort of its buckets
// (sort/resident/bucket_sort.cuh).
//
// A block's bucket is a range of neighbouring bins, cut by the exact counts of all bins, so that buckets are as large
// as each other but for a bin. The keys of a heavy bin that holds one value alone go straight to the output, and take
// no part in that: so no value is too frequent. Ranks are stable.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/sort/resident/bucket_sort.cuh"
#include "kogge/sort/resident/pass.cuh"
#include "kogge/sort/resident/quantiles.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A pass over the keys in a chunk's registers.
template <class Problem, int most>
class QuantilePass {
    static_assert(sizeof(QuantileTables<typename Problem::KeyType>) <=
                  quantile_table_bytes(sizeof(typename Problem::KeyType)));

public:
    using Key = typename Problem::KeyType;
    using Chunk = ResidentChunk<Problem, most>;

    KOGGE_DEVICE QuantilePass(ResidentSortShared& shared, const Problem& problem, Chunk& chunk)
        : shared_(shared),
          problem_(problem),
          chunk_(chunk),
          tables_(*reinterpret_cast<QuantileTables<Key>*>(reinterpret_cast<unsigned char*>(&shared) +
                                                          problem.quantile_tables)) {
        auto* const values_end =
            reinterpret_cast<unsigned char*>(chunk.exchange) +
            static_cast<std::size_t>(chunk.items * kResidentSortThreads) * (sizeof(Key) + Problem::kValueBytes);
        bins_ = reinterpret_cast<std::uint16_t*>(values_end);
    }

    /// Sorts; false: a bucket is too large for its block, and nothing has moved. To be called after a grid barrier that
    /// follows publish_sample. All threads call.
    KOGGE_DEVICE bool run() {
        simt::sync_block();                                                       // what was on chip has been read
        CountExchange<kQuantileBins>::clear(problem_.memory.quantile_counts, 1);  // find_bounds has a grid barrier
        find_bounds(tables_, problem_, chunk_.exchange);
        if (simt::thread_rank() < kBins) shared_.sizes[simt::thread_rank()] = 0;
        if (simt::thread_rank() == 0) {
            shared_.verdict = shared_.end = 0;
            for (std::uint32_t& greatest : tables_.greatest) greatest = 0;
        }
        simt::sync_block();  // the bounds are known, and no bucket has keys
        const CountExchange<kQuantileBins> counts(problem_.memory.quantile_counts, problem_.in_place);
        rank_and_place(counts);
        if (!find_buckets(counts)) return false;
        store();
        finish_move(problem_.memory.moved, 1);
        sort_own_bucket();
        return true;
    }

private:
    /// Beside a target: in the output, not in the temporary array.
    static constexpr std::uint32_t kStraight = 1u << 31;

    /// Puts the block's keys in order of their bins on chip, and publishes the counts.
    KOGGE_DEVICE void rank_and_place(const CountExchange<kQuantileBins>& counts) {
        constexpr int step = batch_of(most), warps = ResidentSortShared::kWarps;
        constexpr std::uint32_t words = kQuantileBins / 2;
        const WarpShare& share = chunk_.share;
        std::uint16_t* const row = tables_.rows[simt::warp_rank()];
        for (int i = simt::lane(); i < static_cast<int>(words); i += simt::kWarpSize)
            reinterpret_cast<std::uint32_t*>(row)[i] = 0;
        simt::sync_warp();                       // the counters are zero
        std::uint32_t ranks[std::size_t{most}];  // a bin, and in the upper half the rank
        for_batches<most, step>(share.used, [&](int i) {
            Key codes[std::size_t{step}];
            for_each_item<step>([&](int u) { codes[u] = problem_.bucket.item_code(chunk_.keys[i + u]); });
            tables_.template find_bins<step>(codes, [&](int u, std::uint32_t bin) {
                if (!share.holds(i + u)) bin = kQuantileBins - 1;  // past the end: after all keys
                ranks[i + u] = bin | rank_in_order<kQuantileBits>(bin, row) << 16;
            });
        });
        const int ranked = (share.used + step - 1) / step * step * simt::kWarpSize;
        if (simt::lane() == 0)
            row[kQuantileBins - 1] = static_cast<std::uint16_t>(row[kQuantileBins - 1] - (ranked - share.keys));
        simt::sync_block();  // all warps have counted

        auto* const column = reinterpret_cast<std::uint32_t*>(tables_.rows[0]) + simt::thread_rank();  // of two bins
        std::uint32_t before[std::size_t{warps}], sum = 0;
        KOGGE_UNROLL
        for (int w = 0; w < warps; ++w) {
            before[w] = sum;
            sum += column[static_cast<std::uint32_t>(w) * words];
        }
        const std::uint32_t low = sum & 0xffffu, high = sum >> 16;
        const auto bin = 2 * static_cast<std::uint32_t>(simt::thread_rank());
        counts.publish(bin, low);
        counts.publish(bin + 1, high);
        const std::uint32_t base = sum_before(shared_, low + high);
        KOGGE_UNROLL
        for (int w = 0; w < warps; ++w)
            column[static_cast<std::uint32_t>(w) * words] = before[w] + (base | (base + low) << 16);
        simt::sync_block();  // the places of all bins are known

        for_batches<most, step>(share.used, [&](int i) {
            for_each_item<step>([&](int u) {
                if (!share.holds(i + u)) return;
                const std::uint32_t own = ranks[i + u] & 0xffffu, place = row[own] + (ranks[i + u] >> 16);
                chunk_.exchange[place] = chunk_.keys[i + u];
                bins_[place] = static_cast<std::uint16_t>(own);
                if constexpr (Problem::kHasValues) chunk_.value_exchange[place] = chunk_.values[i + u];
            });
        });
    }

    /// Waits for the counts of all blocks, and divides the bins among the blocks. False: some bucket is too large.
    KOGGE_DEVICE bool find_buckets(const CountExchange<kQuantileBins>& counts) {
        const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
        const std::uint32_t blocks = simt::grid_size(), heavy = chunk_.n / (2 * blocks);
        const auto found = counts.collect();
        std::uint32_t kept[2];  // keys that a block has to sort
        bool straight[2];
        KOGGE_UNROLL
        for (int h = 0; h < 2; ++h) {
            straight[h] = found.of_all[h] > heavy && tables_.has_one_code(static_cast<int>(2 * thread) + h);
            kept[h] = straight[h] ? 0 : found.of_all[h];
        }
        std::uint32_t start = sum_before(shared_, found.of_all[0] + found.of_all[1]);
        simt::sync_block();  // the warps' totals have been read
        std::uint32_t kept_start = sum_before(shared_, kept[0] + kept[1]);
        const std::uint32_t all_kept =
            simt::reduce_add(simt::lane() < ResidentSortShared::kWarps ? shared_.totals[simt::lane()] : 0u);
        KOGGE_UNROLL
        for (int h = 0; h < 2; ++h) {
            const std::uint32_t bin = 2 * thread + static_cast<std::uint32_t>(h), own_start = tables_.rows[0][bin];
            tables_.targets[bin] = (straight[h] ? kStraight + start : kept_start) + found.before[h] - own_start;
            tables_.starts()[bin] = kept_start;
            tables_.moves()[bin] = start - kept_start;
            if (kept[h] > 0) {
                const std::uint32_t owner = (kept_start + kept[h] / 2) * blocks / all_kept;
                simt::atomic_add<simt::Scope::block>(shared_.sizes + owner, kept[h]);
                if (owner == simt::block_rank()) {
                    simt::atomic_max<simt::Scope::block>(&shared_.end, kept_start + kept[h]);
                    simt::atomic_max<simt::Scope::block>(tables_.greatest, start - kept_start);
                    simt::atomic_max<simt::Scope::block>(tables_.greatest + 1, ~(start - kept_start));
                    simt::atomic_max<simt::Scope::block>(tables_.greatest + 2, bin);
                    simt::atomic_max<simt::Scope::block>(tables_.greatest + 3, ~bin);
                }
            }
            start += found.of_all[h];
            kept_start += kept[h];
        }
        simt::sync_block();  // the targets of all bins and the sizes of all buckets are known
        if (thread < kBins && shared_.sizes[thread] > problem_.most_of_bucket)
            simt::atomic_or<simt::Scope::block>(&shared_.verdict, 1);
        simt::sync_block();  // all buckets have been checked
        return shared_.verdict == 0;
    }

    /// Writes keys and values to the temporary array, or straight to the output.
    KOGGE_DEVICE void store() const {
        const auto first_pass = problem_.bucket.in_pass(0);
        const Chunk& chunk = chunk_;
        for_places<Chunk::kStep>(chunk.count, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            const auto place_of = [&](int u) { return first + u * kResidentSortThreads; };
            Key keys[batch];
            std::uint32_t targets[batch];
            for_each_item<batch>([&](int u) { keys[u] = chunk.exchange[place_of(u)]; });
            for_each_item<batch>([&](int u) {
                targets[u] = tables_.targets[bins_[place_of(u)]] + static_cast<std::uint32_t>(place_of(u));
            });
            for_each_item<batch>([&](int u) {
                if (targets[u] < kStraight) problem_.keys_other[targets[u]] = keys[u];
                else if (problem_.writes_keys) problem_.keys_out[targets[u] - kStraight] = first_pass.decode(keys[u]);
            });
            if constexpr (Problem::kHasValues) {
                typename Problem::ValueType values[batch];
                for_each_item<batch>([&](int u) { values[u] = chunk.value_exchange[place_of(u)]; });
                for_each_item<batch>([&](int u) {
                    if (targets[u] < kStraight) problem_.values_other[targets[u]] = values[u];
                    else problem_.values_out[targets[u] - kStraight] = values[u];
                });
            }
        });
    }

    KOGGE_DEVICE void sort_own_bucket() {
        const std::uint32_t size = shared_.sizes[simt::block_rank()], begin = shared_.end - size;
        if (size == 0) return;
        // Where straight keys lie between a bucket's, these move by different distances.
        const bool moves_together = tables_.greatest[0] == ~tables_.greatest[1];
        const std::uint32_t together = begin + tables_.greatest[0];
        const std::uint32_t first_bin = ~tables_.greatest[3], last_bin = tables_.greatest[2];
        sort_bucket<CodeSteps<Key>, false>(
            shared_, problem_, [&](const auto& bounds) { return CodeSteps<Key>(problem_.bucket.encoding, bounds); },
            chunk_.exchange, begin, static_cast<int>(size),
            [&](std::uint32_t place) {
                if (moves_together) return together + place;
                std::uint32_t bin = first_bin, behind = last_bin + 1;  // the last one that does not begin after it
                while (bin + 1 < behind) {
                    const std::uint32_t middle = (bin + behind) / 2;
                    if (tables_.starts()[middle] <= begin + place) bin = middle;
                    else behind = middle;
                }
                return begin + place + tables_.moves()[bin];
            });
    }

    ResidentSortShared& shared_;
    const Problem& problem_;
    Chunk& chunk_;
    QuantileTables<Key>& tables_;
    std::uint16_t* bins_;  ///< of the block's keys, in their order on chip
};

}  // namespace kogge::grid::KOGGE_CODE
