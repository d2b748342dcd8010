// Compaction of an array of which each rank holds a part, and even shares of what the ranks hold.
//
// Shared by both
//   result       the kept items of all ranks, in order, ⌈K / ranks⌉ or ⌊K / ranks⌋ of all K per rank, whoever had them.
//                The number of this rank's is returned.
//   ranks        all call it together; n, capacity and memory are each rank's own. A rank may have no items.
//   capacity     the room of this rank's output, in items. Where one rank's does not suffice, all throw.
//   items        of a type that travels as bytes.
//   memory       host or device memory, each rank's of one kind; `out` overlaps no input. compact takes room for n
//                items and what kogge::compact takes; from exec.scratch, not exec.space.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails, before any output has changed.
//   method       each rank's compaction, and one exchange, in which ranks get items of neighbours mostly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <vector>

#include "kogge/detail/inputs.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/partition.hpp"

namespace kogge::detail::KOGGE_CODE {

/// Moves items, `counts` of each rank, to the ranks' even shares; returns this rank's. `mine` are this rank's, complete
/// before; room() throws if the rank has too little for that many.
template <class T, class Room>
std::uint64_t share_evenly(DistributedCall& call, const RankWork& work, const T* mine, T* out,
                           const std::vector<std::uint64_t>& counts, const Room& room) {
    const std::vector<std::uint64_t> begins = begins_of(counts), goal = even_begins(begins.back(), call.size());
    const std::size_t rank = call.rank();
    const auto within = [](std::uint64_t position, std::uint64_t begin, std::uint64_t end) {
        return (std::min)((std::max)(position, begin), end) - begin;
    };
    // From this rank to each one, and from each one to this.
    std::vector<std::uint64_t> sent, received;
    for (std::size_t r = 0; r <= call.size(); ++r) {
        sent.push_back(within(goal[r], begins[rank], begins[rank + 1]));
        received.push_back(within(begins[r], goal[rank], goal[rank + 1]));
    }
    call.together([&] { room(goal[rank + 1] - goal[rank]); });
    call.exchange<T>(mine, sent, out, received, work.where(), work.stream());
    return goal[rank + 1] - goal[rank];
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::distributed::KOGGE_CODE {

/// Moves all ranks' in[0 … n), in order, so that each rank has an even share; returns how many this rank has got.
template <class T>
std::uint64_t rebalance(communicator& ranks, const T* in, T* out, std::uint64_t capacity, item_count n,
                        const exec& how = {}) {
    static_assert(travels_as_bytes<T>, "items travel as bytes: see kogge::travels_as_bytes");
    const char* const name = "distributed::rebalance";
    kogge::detail::DistributedCall call(ranks, name);
    call.same("bytes per item", sizeof(T));
    std::optional<kogge::detail::RankWork> work;
    call.begin([&] {
        work.emplace(name, how, n,
                     std::initializer_list<kogge::detail::Region>{
                         {in, kogge::detail::bytes_of(name, n.bound(), sizeof(T)), "in"}},
                     std::initializer_list<kogge::detail::Region>{
                         {out, kogge::detail::bytes_of(name, capacity, sizeof(T)), "out"}});
    });
    const auto counts = call.gather([&] { return work->n(); });
    return kogge::detail::share_evenly(call, *work, in, out, counts,
                                       [&](std::uint64_t items) { kogge::detail::check_room(name, items, capacity); });
}

/// Keeps all ranks' in[0 … n) for which predicate(item), in order and evenly shared; returns how many this rank has
/// got.
template <kogge::detail::item_input In, class T, class Predicate>
std::uint64_t compact(communicator& ranks, In in, T* out, std::uint64_t capacity, item_count n, Predicate predicate,
                      const exec& how = {}) {
    static_assert(travels_as_bytes<T>, "items travel as bytes: see kogge::travels_as_bytes");
    const char* const name = "distributed::compact";
    kogge::detail::DistributedCall call(ranks, name);
    call.same("bytes per item", sizeof(T));
    std::optional<kogge::detail::RankWork> work;
    call.begin([&] {
        work.emplace(
            name, how, n,
            std::initializer_list<kogge::detail::Region>{kogge::detail::input_region(name, in, n.bound(), "in")},
            std::initializer_list<kogge::detail::Region>{
                {out, kogge::detail::bytes_of(name, capacity, sizeof(T)), "out"}});
    });
    kogge::detail::WorkArray<T> kept;
    const auto counts = call.gather([&]() -> std::uint64_t {
        if (work->n() == 0) return 0;
        kept = work->take<T>(work->n());
        return kogge::compact(in, kept.data(), work->n(), predicate, work->how());
    });
    return kogge::detail::share_evenly(call, *work, kept.data(), out, counts,
                                       [&](std::uint64_t items) { kogge::detail::check_room(name, items, capacity); });
}

}  // namespace kogge::distributed::KOGGE_CODE
