// Histograms of an array of which each rank holds a part.
//
//   result       counts[b] is the number of all ranks' items of bin b, on each rank.
//   ranks        all call it together, with the same bins; n and memory are each rank's own. A rank may have no items.
//   items, bins  as kogge::histogram's. Counts are integers of 4 or 8 bytes that hold the number of all ranks' items.
//   memory       host or device memory, each rank's of one kind; counts overlap nothing that is read. Scratch: 8 bytes
//                per bin, and on the host 16 more; from exec.scratch, not exec.space.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails, before any count has been written.
//   method       each rank's histogram, and sums of these over the ranks, of which each adds up a part of the bins.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/calls/histogram.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/types/bins.hpp"

namespace kogge::detail::KOGGE_CODE {

/// bins() checks and returns their number; count(counters, how) makes a rank's histogram.
template <class In, class Count, class Bins, class Make>
void distributed_histogram(communicator& ranks, const In& in, Count* counts, const item_count& n, const Bins& bins_of,
                           const Make& make, const exec& how) {
    static_assert(!std::is_const_v<Count>, "the counts are written: they are not const");
    const char* const name = "distributed::histogram";
    DistributedCall call(ranks, name);
    std::optional<RankWork> work;
    std::uint32_t bins = 0;
    call.begin([&] {
        bins = bins_of();
        if (bins == 0) throw error(errc::invalid_argument, name, "there must be at least one bin");
        call.same("bins", bins);
        work.emplace(name, how, n, std::initializer_list<Region>{input_region(name, in, n.bound(), "in")},
                     std::initializer_list<Region>{{counts, bytes_of(name, bins, sizeof(Count)), "the counts"}});
    });
    const std::uint64_t total = begins_of(call.gather([&] { return work->n(); })).back();
    const std::vector<std::uint64_t> sums = call.sum(bins, [&](std::uint64_t* mine) {
        if (total > static_cast<std::uint64_t>((std::numeric_limits<Count>::max)()))
            throw error(errc::invalid_argument, name,
                        "the type of the counts is too small for all ranks' " + std::to_string(total) + " items");
        if (work->n() == 0) return;
        auto counters = work->take<std::uint64_t>(bins);
        make(counters.data(), work->n(), work->how());
        work->read(mine, counters.data(), bins);
        work->give_back(counters, bins);
    });
    const std::vector<Count> all(sums.begin(), sums.end());
    work->write(counts, all.data(), bins);
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::distributed::KOGGE_CODE {

/// Counts the items of each of `bins` bins; bin_of(item) is an item's bin.
template <class In, kogge::detail::histogram_count Count, class BinOf>
requires(!std::same_as<BinOf, exec>) void histogram(communicator& ranks, In in, Count* counts, item_count n,
                                                    std::uint32_t bins, BinOf bin_of, const exec& how = {}) {
    kogge::detail::distributed_histogram(
        ranks, in, counts, n, [&] { return bins; },
        [&](std::uint64_t* counters, std::uint64_t items, const exec& by) {
            kogge::histogram(in, counters, items, bins, bin_of, by);
        },
        how);
}
/// The same by even_bins, bin_bounds or leading_bits.
template <class In, kogge::detail::histogram_count Count,
          kogge::detail::described_bins<kogge::detail::binned_item<In>> Bins>
void histogram(communicator& ranks, In in, Count* counts, item_count n, const Bins& bins, const exec& how = {}) {
    kogge::detail::distributed_histogram(
        ranks, in, counts, n,
        [&] { return kogge::detail::bins_of<kogge::detail::binned_item<In>>("distributed::histogram", bins).bins; },
        [&](std::uint64_t* counters, std::uint64_t items, const exec& by) {
            kogge::histogram(in, counters, items, bins, by);
        },
        how);
}

}  // namespace kogge::distributed::KOGGE_CODE
