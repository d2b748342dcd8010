// Reductions and scans of an array of which each rank holds a part, in the order of the ranks.
//
// Shared by all of them
//   ranks        all call it together; n and memory are each rank's own. A rank may have no items.
//   items        `in` is a pointer, or any copyable object with operator[](uint64).
//   operator     op(a, b) is associative; it need not commute. It runs on the host, too, where the ranks' parts are
//                joined.
//   accumulator  items and sums are accumulated in the type of the results, or of `init`, if there is one; types are
//                trivially copyable and have a default. `init` is the same on all ranks, and counts once.
//   order        the association depends on each rank's n and on the ranks' devices: the same bits from run to run, and
//                of a reduction on all ranks.
//   memory       host or device memory, each rank's of one kind. A scan may be in place where items and results have
//                one size. Scratch comes from exec.scratch, not exec.space.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails: invalid_argument, overlap, out_of_memory and unreachable
//                before any output has changed. What the operator throws on the host leaves outputs unspecified.
//   method       each rank's fold, one exchange of these, and for scans each rank's scan from the fold of the lower
//                ranks: items are read twice.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/calls/reduce.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/operators.hpp"
#include "kogge/scan.hpp"

namespace kogge::detail::KOGGE_CODE {

/// The fold of a rank's items, if it has any.
template <class Acc>
struct RankFold {
    Acc value;
    bool has_items;
};

template <class Acc, class In, class Op>
RankFold<Acc> fold_of_rank(RankWork& work, const In& in, const Op& op) {
    static_assert(runs_on_host<Op>, "the ranks' parts are joined on the host: make the operator __host__ __device__");
    RankFold<Acc> fold{};
    if (work.n() == 0) return fold;
    auto place = work.take<Acc>(1);
    kogge::reduce(in, place.data(), work.n(), op, work.how());
    work.read(&fold.value, place.data(), 1);
    work.give_back(place, 1);
    fold.has_items = true;
    return fold;
}

/// init ⊕ the folds of the first `count` ranks.
template <class Acc, class Op>
std::optional<Acc> join_folds(const std::vector<RankFold<Acc>>& folds, std::size_t count, const Op& op,
                              const Acc* init) {
    std::optional<Acc> sum;
    if (init) sum = *init;
    for (std::size_t r = 0; r < count; ++r)
        if (folds[r].has_items) sum = sum ? static_cast<Acc>(op(*sum, folds[r].value)) : folds[r].value;
    return sum;
}

template <class Acc, class In, class Op>
Acc distributed_reduce(communicator& ranks, const In& in, const item_count& n, const Op& op, const Acc* init,
                       const exec& how) {
    const char* const name = "distributed::reduce";
    DistributedCall call(ranks, name);
    call.same("bytes per sum", sizeof(Acc));
    std::optional<RankWork> work;
    call.begin([&] {
        work.emplace(name, how, n, std::initializer_list<Region>{input_region(name, in, n.bound(), "in")},
                     std::initializer_list<Region>{});
    });
    const auto folds = call.gather([&] { return fold_of_rank<Acc>(*work, in, op); });
    std::optional<Acc> sum;
    call.alike([&] { sum = join_folds(folds, folds.size(), op, init); });
    return sum ? *sum : identity_of<Op, Acc>();
}

/// `init` is null if there is none.
template <bool inclusive, class Acc, class In, class Out, class Op>
void distributed_scan(communicator& ranks, const char* name, const In& in, const Out& out, const item_count& n,
                      const Op& op, const Acc* init, const exec& how) {
    DistributedCall call(ranks, name);
    call.same("bytes per sum", sizeof(Acc));
    std::optional<RankWork> work;
    call.begin([&] {
        work.emplace(name, how, n, std::initializer_list<Region>{input_region(name, in, n.bound(), "in")},
                     std::initializer_list<Region>{output_region(name, out, n.bound(), "out")},
                     may_be_in_place<In, Out>() ? 1 : 0);
    });
    const auto folds = call.gather([&] { return fold_of_rank<Acc>(*work, in, op); });
    std::optional<Acc> start;
    const auto scan = [&](const exec& by) {
        if constexpr (!inclusive) {
            kogge::exclusive_scan(in, out, work->n(), *start, op, by);
        } else {
            if (start) kogge::inclusive_scan(in, out, work->n(), op, *start, by);
            else kogge::inclusive_scan(in, out, work->n(), op, by);
        }
    };
    PreparedCall own(*work, scan);
    call.together([&] {
        if (work->n() == 0) return;
        start = join_folds(folds, call.rank(), op, init);
        own.prepare();
    });
    call.together([&] {
        if (work->n() > 0) own();
    });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::distributed::KOGGE_CODE {

/// Returns on all ranks the fold of all ranks' in[0 … n). Without items it is 0 for plus, the least number for maximum
/// and the greatest one for minimum, and a value-initialised result for any other operator.
template <class In, kogge::detail::no_exec Op = plus>
kogge::detail::item_of<In> reduce(communicator& ranks, In in, item_count n, Op op = {}, const exec& how = {}) {
    using Acc = kogge::detail::item_of<In>;
    return kogge::detail::distributed_reduce<Acc>(ranks, in, n, op, nullptr, how);
}
template <class In>
kogge::detail::item_of<In> reduce(communicator& ranks, In in, item_count n, const exec& how) {
    return distributed::reduce(ranks, in, n, plus{}, how);
}
/// Returns init ⊕ the fold, accumulated as reduce.hpp says.
template <class In, class Op, kogge::detail::no_exec Acc>
auto reduce(communicator& ranks, In in, item_count n, Op op, Acc init, const exec& how = {}) {
    const auto start = kogge::detail::initial_sum<kogge::detail::item_of<In>, kogge::detail::item_of<In>>(init);
    return kogge::detail::distributed_reduce(ranks, in, n, op, &start, how);
}

/// out[i] is the fold of all lower ranks' items and of in[0] … in[i].
template <class In, kogge::detail::item_output Out, kogge::detail::no_exec Op = plus>
void inclusive_scan(communicator& ranks, In in, Out out, item_count n, Op op = {}, const exec& how = {}) {
    using Acc = kogge::detail::result_of<In, Out>;
    kogge::detail::distributed_scan<true, Acc>(ranks, "distributed::inclusive_scan", in, out, n, op, nullptr, how);
}
template <class In, kogge::detail::item_output Out>
void inclusive_scan(communicator& ranks, In in, Out out, item_count n, const exec& how) {
    distributed::inclusive_scan(ranks, in, out, n, plus{}, how);
}
/// The same from an initial value, accumulated as scan.hpp says.
template <class In, kogge::detail::item_output Out, class Op, kogge::detail::no_exec Acc>
void inclusive_scan(communicator& ranks, In in, Out out, item_count n, Op op, Acc init, const exec& how = {}) {
    const auto start = kogge::detail::initial_sum<kogge::detail::item_of<In>, kogge::detail::result_of<In, Out>>(init);
    kogge::detail::distributed_scan<true>(ranks, "distributed::inclusive_scan", in, out, n, op, &start, how);
}

/// out[i] is init ⊕ the fold of all lower ranks' items and of in[0] … in[i − 1], accumulated as scan.hpp says.
template <class In, kogge::detail::item_output Out, kogge::detail::no_exec Acc, kogge::detail::no_exec Op = plus>
void exclusive_scan(communicator& ranks, In in, Out out, item_count n, Acc init, Op op = {}, const exec& how = {}) {
    const auto start = kogge::detail::initial_sum<kogge::detail::item_of<In>, kogge::detail::result_of<In, Out>>(init);
    kogge::detail::distributed_scan<false>(ranks, "distributed::exclusive_scan", in, out, n, op, &start, how);
}
template <class In, kogge::detail::item_output Out, kogge::detail::no_exec Acc>
void exclusive_scan(communicator& ranks, In in, Out out, item_count n, Acc init, const exec& how) {
    distributed::exclusive_scan(ranks, in, out, n, init, plus{}, how);
}
/// Sums from a value-initialised result.
template <class In, kogge::detail::item_output Out>
void exclusive_scan(communicator& ranks, In in, Out out, item_count n, const exec& how = {}) {
    distributed::exclusive_scan(ranks, in, out, n, kogge::detail::result_of<In, Out>{}, plus{}, how);
}

}  // namespace kogge::distributed::KOGGE_CODE
