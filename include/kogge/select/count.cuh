// A later round of a selection: the items whose digits so far are the beginning of a wanted rank are counted by the
// next digit. Of most inputs these are few: a bit per first digit, in shared memory, keeps all others away. A block
// counts those that it meets first in shared memory, so that an input of few values does not wait for the L2 cache.
//
// Global traffic: each item, or what an earlier round has listed, read once.
#pragma once

#include <cstdint>

#include "kogge/histogram/atomics.cuh"
#include "kogge/select/find.cuh"

namespace kogge::grid::KOGGE_CODE {

struct SelectCountShared {
    HistogramCacheShared cache;
    std::uint32_t map[kSelectMapWords];
    // behind it: the beginnings
};

static_assert(kSelectCountThreads == kHistogramAtomicThreads, "the cache of counters is zeroed by as many");

template <class Key, class Codec, class Rank>
class SelectCount {
public:
    using Problem = SelectProblem<Key, Codec, Rank>;
    using Input = HistogramInput<const Key*>;
    using Batch = HistogramBatch<const Key*>;

    KOGGE_DEVICE SelectCount(const Problem& problem, SelectCountShared& shared, std::uint64_t n)
        : problem_(problem),
          shared_(shared),
          beginnings_(reinterpret_cast<Rank*>(&shared + 1)),
          n_(n),
          slots_(problem.control->slots),
          counters_{{problem.counters, problem.counter_bytes}, &shared.cache},
          held_(counters_, true) {}

    KOGGE_DEVICE void run() {
        const int thread = simt::thread_rank();
        for (int i = thread; i < kSelectMapWords; i += kSelectCountThreads) shared_.map[i] = problem_.control->map[i];
        for (auto i = static_cast<std::uint32_t>(thread); i < slots_; i += kSelectCountThreads)
            beginnings_[i] = problem_.beginnings[i];
        counters_.zero();
        simt::sync_block();  // what is looked up is on chip, and the counters are zero
        if (problem_.reads_list && problem_.control->is_listed != 0) count_list();
        else count_items();
        held_.flush();
        simt::sync_block();  // the block has counted
        counters_.add_up();
    }

private:
    /// Which counter an item has, if it begins as a wanted one does.
    KOGGE_DEVICE std::uint32_t counter_of(Rank rank) const {
        const Rank beginning = rank & problem_.mask_before();
        std::uint32_t low = 0, high = slots_;  // beginnings_[low] <= beginning, if any is
        while (high - low > 1) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (beginning < beginnings_[middle]) high = middle;
            else low = middle;
        }
        if (beginnings_[low] != beginning) return detail::kNoBin;
        const auto digit = static_cast<std::uint32_t>(rank >> problem_.digit.begin) & ((1u << problem_.digit.bits) - 1);
        return (low << problem_.digit.bits) + digit;
    }
    KOGGE_DEVICE void count_items() {
        const bool lists = problem_.writes_list && problem_.control->is_listed != 0;
        const auto use = [&](bool is_there, Key key, std::uint64_t index) {
            const Rank rank = make_rank<Rank>(problem_.codes.of(key), index);
            const auto first =
                static_cast<std::uint32_t>(rank >> problem_.first.begin) & ((1u << problem_.first.bits) - 1);
            const bool may_match = is_there && (shared_.map[first / 32] >> first % 32 & 1u) != 0;
            const simt::mask_t matching = simt::ballot(may_match);
            if (matching == 0) return;
            if (lists) list(may_match, matching, rank);
            held_.count(may_match ? counter_of(rank) : detail::kNoBin);
        };
        const Input in(problem_.keys, 0, n_);
        if (simt::block_rank() == 0 && simt::warp_rank() == 0) in.for_ragged(use);
        const std::uint64_t batches = (in.loads + Batch::kWarpLoads - 1) / Batch::kWarpLoads;
        constexpr std::uint64_t block_warps = kSelectCountThreads / simt::kWarpSize;
        Batch batch;
        KOGGE_NO_UNROLL
        for (std::uint64_t b = static_cast<std::uint64_t>(simt::warp_rank()) * simt::grid_size() + simt::block_rank();
             b < batches; b += simt::grid_size() * block_warps) {
            batch.load(in, b);
            batch.visit(in, use);
        }
    }
    /// Appends a warp's matching items; there is room for all.
    KOGGE_DEVICE void list(bool matches, simt::mask_t matching, Rank rank) const {
        std::uint64_t place = 0;
        if (simt::lane() == 0)
            place = simt::atomic_add<simt::Scope::device>(&problem_.control->listed,
                                                          static_cast<unsigned>(simt::count_bits(matching)));
        place = simt::shuffle(place, 0) + static_cast<unsigned>(simt::count_bits(matching & simt::lanes_before()));
        if (matches) problem_.list[place] = rank;
    }
    KOGGE_DEVICE void count_list() {
        const std::uint64_t count = problem_.control->matching;
        const std::uint64_t threads = std::uint64_t{simt::grid_size()} * kSelectCountThreads;
        KOGGE_NO_UNROLL
        for (std::uint64_t i = std::uint64_t{simt::block_rank()} * kSelectCountThreads +
                               static_cast<std::uint64_t>(simt::thread_rank());
             i - static_cast<std::uint64_t>(simt::lane()) < count; i += threads)
            held_.count(i < count ? counter_of(problem_.list[i]) : detail::kNoBin);
    }

    const Problem& problem_;
    SelectCountShared& shared_;
    Rank* beginnings_;
    std::uint64_t n_;
    std::uint32_t slots_;
    CachedCounters counters_;
    HeldCounts<CachedCounters> held_;
};

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSelectCountThreads, kSelectCountBlocks)
    select_count_kernel(SelectProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    const std::uint64_t n = problem.n.get();
    if (n == 0) return;
    SelectCount<Key, Codec, Rank>(problem, simt::shared_memory<SelectCountShared>(), n).run();
}

}  // namespace kogge::grid::KOGGE_CODE
