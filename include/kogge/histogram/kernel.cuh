// Histograms in shared memory. A block counts a part of the input, or of each row, for a range of the bins, and adds
// its counters up in the counts, or stores them.
//
//   words     32 bits per counter, in up to 32 copies. The last eighth of a long input is drawn by tickets, because
//             some multiprocessors read faster than others. No barrier while items are counted.
//   narrow    16 bits, for up to twice as many bins: between two looks for large counters, which are taken away from
//             and added to the counts, none can overflow.
//   wide      64-bit sums of weights, in two words: an addition that carries adds to the upper one.
//
// Global traffic: each item read once per range of bins, by blocks that read the same at about the same time; from each
// block each counter that is not zero. In shared memory one atomic addition per item.
#pragma once

#include <cstdint>

#include "kogge/engine/carry.cuh"
#include "kogge/histogram/counters.cuh"
#include "kogge/histogram/input.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class In, class BinOf>
struct HistogramProblem {
    In in;
    BinOf bin_of;
    HistogramCounts counts;
    Count length;  ///< of each row; of the input, if there is one row
    std::uint64_t rows;
    std::uint32_t bins;
    std::uint64_t first;  ///< items of each row that earlier launches have counted
    std::uint64_t most;   ///< items that this launch counts after these
    std::uint32_t parts;
    // Of blocks that count in shared memory.
    std::uint32_t ranges = 1, range_bins = 0;
    int copies_log2 = 0;
    bool adds = false;
    bool zeroes = false;               ///< the blocks, one per part, zero the counts, and meet before they add to them
    bool holds = false;                ///< lanes with equal items may meet
    std::uint32_t* tickets = nullptr;  ///< null: none are drawn

    KOGGE_DEVICE std::uint64_t count_of(std::uint64_t n) const {
        const std::uint64_t left = n > first ? n - first : 0;
        return left < most ? left : most;
    }
};

/// The items of a row that a launch counts.
template <class In, class BinOf>
KOGGE_DEVICE HistogramInput<In> input_of_row(const HistogramProblem<In, BinOf>& problem, std::uint64_t row,
                                             std::uint64_t length) {
    const std::uint64_t begin = row * length + problem.first;
    return {problem.in, begin, begin + problem.count_of(length)};
}

/// An item's bin among the `bins` bins from `first_bin` on, or kNoBin.
template <class BinOf, class Item>
KOGGE_DEVICE std::uint32_t bin_in_range(const BinOf& bin_of, const Item& item, std::uint32_t first_bin,
                                        std::uint32_t bins) {
    std::uint32_t bin;
    if constexpr (is_weighted<Item>) bin = bin_of(item.item) - first_bin;
    else bin = bin_of(item) - first_bin;
    return bin < bins ? bin : detail::kNoBin;
}
template <class Held, class Item>
KOGGE_DEVICE void count_item(Held& held, std::uint32_t bin, const Item& item) {
    if constexpr (is_weighted<Item>) held.add(bin, item.weight);
    else held.count(bin);
}

/// One block's part of a row and a range of its bins.
template <CounterKind kind, class In, class BinOf>
class HistogramPart {
public:
    using Problem = HistogramProblem<In, BinOf>;
    using Input = HistogramInput<In>;
    using Item = typename Input::Item;
    using Counters = HistogramCounters<kind>;

    KOGGE_DEVICE HistogramPart(const Problem& problem, const Counters& counters, std::uint64_t unit,
                               std::uint64_t length)
        : problem_(problem),
          counters_(counters),
          held_(counters, problem.holds),
          row_(unit / problem.ranges / problem.parts),
          part_(static_cast<std::uint32_t>(unit / problem.ranges % problem.parts)),
          first_bin_(static_cast<std::uint32_t>(unit % problem.ranges) * problem.range_bins),
          bins_(problem.bins - first_bin_ < problem.range_bins ? problem.bins - first_bin_ : problem.range_bins),
          in_(input_of_row(problem, row_, length)) {}

    /// Counts the part. All threads of the block call.
    KOGGE_DEVICE void count() {
        counters_.zero(bins_, simt::thread_rank(), kBinningThreads);
        simt::sync_block();  // the counters are zero
        const auto use = [this](bool is_there, const Item& item, std::uint64_t) {
            const std::uint32_t bin =
                is_there ? bin_in_range(problem_.bin_of, item, first_bin_, bins_) : detail::kNoBin;
            count_item(held_, bin, item);
        };
        if (part_ == 0 && simt::warp_rank() == 0) in_.for_ragged(use);
        if constexpr (kind == CounterKind::narrow) count_between_looks(use);
        else count_by_warps(use);
        held_.flush();
        simt::sync_block();  // the block has counted
    }
    /// Adds the counters up in the counts. Blocks begin at different bins, so that they seldom add to the same at a
    /// time.
    KOGGE_DEVICE void add_up() const {
        const HistogramCounts counts = problem_.counts.from(row_ * problem_.bins + first_bin_);
        const std::uint32_t first = static_cast<std::uint32_t>(std::uint64_t{bins_} * part_ / problem_.parts) / 32 * 32;
        for (auto i = static_cast<std::uint32_t>(simt::thread_rank()); i < bins_; i += kBinningThreads) {
            const std::uint32_t bin = bins_ - first > i ? first + i : i - (bins_ - first);
            const std::uint64_t count = counters_.get(bin);
            if (!problem_.adds) counts.store(bin, count);
            else if (count != 0) counts.add(bin, count);
        }
        simt::sync_block();  // the counters are read
    }

private:
    static constexpr int kWarps = kBinningThreads / simt::kWarpSize;

    /// Where there is less than a batch for each of all warps, each takes every so many rows of loads.
    template <class Use>
    KOGGE_DEVICE void count_few(const Use& use, std::uint64_t warps) const {
        const auto lane = static_cast<std::uint64_t>(simt::lane());
        std::uint64_t first = (std::uint64_t(simt::warp_rank()) * problem_.parts + part_) * simt::kWarpSize;
        KOGGE_NO_UNROLL
        for (; first < in_.loads; first += warps * simt::kWarpSize) {
            typename Input::Held load{};
            if (first + lane < in_.loads) load = in_.load(first + lane);
            in_.visit_load(load, first + lane, use);
        }
    }
    /// A warp takes every so many batches; the last ones are drawn.
    template <class Use>
    KOGGE_DEVICE void count_by_warps(const Use& use) {
        using Batch = HistogramBatch<In>;
        const std::uint64_t batches = (in_.loads + Batch::kWarpLoads - 1) / Batch::kWarpLoads;
        const std::uint64_t warps = std::uint64_t{problem_.parts} * kWarps;
        if (batches < warps) return count_few(use, warps);
        const std::uint64_t rounds = batches / warps;
        const std::uint64_t fixed = problem_.tickets && rounds > 0 ? (rounds - (rounds + 7) / 8) * warps : batches;
        Batch batch;
        KOGGE_NO_UNROLL
        for (std::uint64_t b = std::uint64_t(simt::warp_rank()) * problem_.parts + part_; b < fixed; b += warps) {
            batch.load(in_, b);
            batch.visit(in_, use);
        }
        if (fixed == batches) return;
        // Neighbouring numbers go to blocks of different counters. The next one is drawn while a batch is counted.
        const std::uint32_t counter = part_ % kHistogramTickets;
        std::uint64_t next = draw(counter);
        KOGGE_NO_UNROLL
        while (fixed + next < batches) {
            batch.load(in_, fixed + next);
            next = draw(counter);
            batch.visit(in_, use);
        }
    }
    /// All lanes call; the number is the same in all.
    KOGGE_DEVICE std::uint64_t draw(std::uint32_t counter) const {
        std::uint32_t ticket = 0;
        if (simt::lane() == 0)
            ticket = simt::atomic_add<simt::Scope::device>(problem_.tickets + counter * kHistogramTicketStep, 1);
        return std::uint64_t{simt::shuffle(ticket, 0)} * kHistogramTickets + counter;
    }

    /// The block goes through its batches together. A batch is in flight while large counters are looked for.
    template <class Use>
    KOGGE_DEVICE void count_between_looks(const Use& use) {
        constexpr int each = Input::kEach;
        constexpr int held = Input::kInChunks ? (each >= kNarrowItems ? 1 : kNarrowItems / each) : kHistogramHeld;
        using Batch = HistogramBatch<In, (held < kHistogramHeld ? held : kHistogramHeld)>;
        static_assert(Batch::kHeld * each <= kNarrowItems);
        const std::uint64_t batches = (in_.loads + Batch::kWarpLoads - 1) / Batch::kWarpLoads;
        const std::uint64_t step = std::uint64_t{problem_.parts} * kWarps;
        int counted = 1;  // the ragged items are a batch
        KOGGE_NO_UNROLL
        for (std::uint64_t base = std::uint64_t{part_} * kWarps; base < batches; base += step) {
            Batch batch;
            batch.load(in_, base + static_cast<std::uint64_t>(simt::warp_rank()));
            if (counted == kNarrowBatches) {
                held_.flush();
                simt::sync_block();  // the batches are counted
                take_large();
                simt::sync_block();  // no counter is large
                counted = 0;
            }
            batch.visit(in_, use);
            ++counted;
        }
    }
    KOGGE_DEVICE void take_large() const {
        constexpr std::uint32_t large = kNarrowLarge | kNarrowLarge << 16;
        constexpr std::uint32_t reached = ~(large - 0x00010001u);  // bits of a half that has reached kNarrowLarge
        const HistogramCounts counts = problem_.counts.from(row_ * problem_.bins + first_bin_);
        for (auto i = static_cast<std::uint32_t>(simt::thread_rank()); i < (bins_ + 1) / 2; i += kBinningThreads) {
            const std::uint32_t both = counters_.words[i];
            if ((both & reached) == 0) continue;
            const bool low = (both & reached & 0xffffu) != 0, high = (both & reached) >> 16 != 0;
            if (low) counts.add(2 * i, both & 0xffffu);
            if (high) counts.add(2 * i + 1, both >> 16);
            counters_.words[i] = both & ((low ? 0u : 0xffffu) | (high ? 0u : 0xffff0000u));
        }
    }

    const Problem& problem_;
    Counters counters_;
    HeldCounts<Counters> held_;
    std::uint64_t row_;
    std::uint32_t part_;
    std::uint32_t first_bin_, bins_;
    Input in_;
};

template <CounterKind kind, class In, class BinOf>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kBinningThreads, 1) histogram_blocks_kernel(HistogramProblem<In, BinOf> problem) {
    simt::wait_for_stream();
    const HistogramCounters<kind> counters{&simt::shared_memory<std::uint32_t>(), problem.copies_log2};
    const std::uint64_t length = problem.length.get();
    const std::uint64_t units = problem.rows * problem.parts * problem.ranges;
    simt::GridArrival zeroed{};
    if (problem.zeroes) {
        const auto threads = std::uint64_t{simt::grid_size()} * kBinningThreads;
        const std::uint64_t all = problem.rows * problem.bins, rank = simt::thread_rank();
        for (std::uint64_t i = simt::block_rank() * kBinningThreads + rank; i < all; i += threads)
            problem.counts.store(i, 0);
        zeroed = simt::arrive_grid();
    }
    KOGGE_NO_UNROLL
    for (std::uint64_t unit = simt::block_rank(); unit < units; unit += simt::grid_size()) {
        HistogramPart<kind, In, BinOf> part(problem, counters, unit, length);
        part.count();
        if (problem.zeroes) simt::wait_grid(static_cast<simt::GridArrival&&>(zeroed));  // all counts are zero
        part.add_up();
    }
}

}  // namespace kogge::grid::KOGGE_CODE
