// Runs of equal neighbours in an array of which each rank holds a part: a run may reach over several ranks. unique and
// reduce_by_key.
//
// Shared by both
//   result       a run's item, or key and sum, on the rank on which the run begins; the number of these is returned.
//                distributed::rebalance shares them evenly.
//   ranks        all call it together; n and memory are each rank's own. A rank may have no items.
//   equality     equal(in[i − 1], in[i]) of neighbours only, also of the last item of a rank and the first one of the
//                next that has any; it runs on the host, too, and so does the operator of sums.
//   items        of types that are trivially copyable and have a default. Inputs are pointers or objects with
//                operator[]; sums are accumulated in their own type.
//   memory       host or device memory, each rank's of one kind. Outputs overlap no input, and have room for as many
//                items as runs begin on the rank; where they end is not checked. Scratch as that of kogge::unique and
//                kogge::reduce_by_key, on a rank that begins within a run n keys and sums more; from exec.scratch, not
//                exec.space.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails. After invalid_argument, overlap, unreachable and
//                out_of_memory nothing has changed; what a function throws leaves outputs unspecified.
//   method       the ends of each rank's part are exchanged, and tell which rank begins within a run; each rank's own
//                runs; and for sums one exchange of those of the first and the last run.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/calls/reduce.hpp"
#include "kogge/calls/reduce_by_key.hpp"
#include "kogge/detail/inputs.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/operators.hpp"
#include "kogge/partition.hpp"
#include "kogge/scan.hpp"

namespace kogge::detail::KOGGE_CODE {

struct TakeFirst {
    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T& a, const T&) const {
        return a;
    }
};

/// Item i of an input, brought to the host.
template <class In>
item_of<In> read_item(RankWork& work, const In& in, std::uint64_t i) {
    using Item = item_of<In>;
    Item item{};
    if constexpr (std::is_pointer_v<In>) {
        work.read(&item, in + i, 1);
    } else {
        auto place = work.take<Item>(1);
        kogge::inclusive_scan(input_from(in, i), place.data(), 1, TakeFirst{}, work.how());
        work.read(&item, place.data(), 1);
        work.give_back(place, 1);
    }
    return item;
}

/// The ends of a rank's part, if it has items.
template <class Item>
struct RankEnds {
    Item first, last;
    bool has_items;
};
template <class In>
RankEnds<item_of<In>> ends_of_rank(RankWork& work, const In& in) {
    if (work.n() == 0) return {};
    return {read_item(work, in, 0), read_item(work, in, work.n() - 1), true};
}

/// Whether each rank's part begins within a run of a lower rank. Throws what `equal` throws.
template <class Item, class Equal>
std::vector<bool> begins_within_runs(const std::vector<RankEnds<Item>>& ends, const Equal& equal) {
    static_assert(runs_on_host<Equal>, "the ranks' ends are compared on the host: make equality __host__ __device__");
    std::vector<bool> within(ends.size(), false);
    const RankEnds<Item>* before = nullptr;
    for (std::size_t r = 0; r < ends.size(); ++r) {
        if (!ends[r].has_items) continue;
        within[r] = before && static_cast<bool>(equal(before->last, ends[r].first));
        before = &ends[r];
    }
    return within;
}

/// Whether item i begins a run.
template <class In, class Equal>
struct BeginsRun {
    using Item = item_of<In>;
    In in;
    Equal equal;
    bool first_does;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const {
        return i == 0 ? first_does : !static_cast<bool>(equal(static_cast<Item>(in[i - 1]), static_cast<Item>(in[i])));
    }
};

/// What the ranks must know of each other's sums.
template <class Sum>
struct RankSums {
    Sum first, last;
    std::uint64_t runs;
};

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge {
template <class In, class Equal>
inline constexpr bool runs_on_host<detail::BeginsRun<In, Equal>> = runs_on_host<In>&& runs_on_host<Equal>;
}  // namespace kogge

namespace kogge::detail::KOGGE_CODE {

template <class In, class Out, class Equal>
std::uint64_t distributed_unique(communicator& ranks, const In& given, const Out& out, const item_count& n,
                                 const Equal& equal, const exec& how) {
    using Item = item_of<In>;
    const char* const name = "distributed::unique";
    const auto in = read_only(given);
    DistributedCall call(ranks, name);
    call.same("bytes per item", sizeof(Item));
    std::optional<RankWork> work;
    call.begin([&] {
        const Region to = open_region(name, out, n.bound(), "out");
        work.emplace(name, how, n, std::initializer_list<Region>{input_region(name, in, n.bound(), "in")},
                     std::initializer_list<Region>{to});
    });
    const auto ends = call.gather([&] { return ends_of_rank(*work, in); });
    std::vector<bool> within;
    call.alike([&] { within = begins_within_runs(ends, equal); });
    WorkArray<std::uint64_t> runs_here;  // had before any rank writes an item
    const auto find = [&](const exec& by) {
        const BeginsRun<std::remove_const_t<decltype(in)>, Equal> begins{in, equal, !within[call.rank()]};
        kogge::compact_stencil(in, positions{}, out, runs_here.data(), work->n(), begins, by);
    };
    PreparedCall own(*work, find);
    call.together([&] {
        if (work->n() == 0) return;
        runs_here = work->take<std::uint64_t>(1);
        own.prepare();
    });
    std::uint64_t runs = 0;
    call.together([&] {
        if (work->n() == 0) return;
        own();
        work->read(&runs, runs_here.data(), 1);
    });
    return runs;
}

template <class Keys, class Values, class Key, class Sum, class Op, class Equal>
std::uint64_t distributed_reduce_by_key(communicator& ranks, const Keys& keys, const Values& values, Key* keys_out,
                                        Sum* sums, const item_count& n, const Op& op, const Equal& equal,
                                        const exec& how) {
    static_assert(std::is_same_v<item_of<Keys>, Key>, "keys are written as they are: keys_out has their type");
    static_assert(runs_on_host<Op>, "the ranks' sums are joined on the host: make the operator __host__ __device__");
    const char* const name = "distributed::reduce_by_key";
    DistributedCall call(ranks, name);
    call.same("bytes per key", sizeof(Key));
    call.same("bytes per sum", sizeof(Sum));
    std::optional<RankWork> work;
    call.begin([&] {
        const Region firsts = open_region(name, keys_out, n.bound(), "keys_out");
        const Region folds = open_region(name, sums, n.bound(), "sums");
        work.emplace(name, how, n,
                     std::initializer_list<Region>{input_region(name, keys, n.bound(), "keys"),
                                                   input_region(name, values, n.bound(), "values")},
                     std::initializer_list<Region>{firsts, folds});
    });
    const auto ends = call.gather([&] { return ends_of_rank(*work, keys); });
    std::vector<bool> within;
    call.alike([&] { within = begins_within_runs(ends, equal); });

    // A rank that begins within a run has its first sum aside: the run's rank adds it.
    const std::size_t rank = call.rank();
    const std::uint64_t own = work->n();
    WorkArray<Key> keys_aside;
    WorkArray<Sum> sums_aside;
    WorkArray<std::uint64_t> runs_here;
    RankSums<Sum> mine{};
    const auto reduce = [&](const exec& by) {
        Key* const to_keys = within[rank] ? keys_aside.data() : keys_out;
        Sum* const to_sums = within[rank] ? sums_aside.data() : sums;
        kogge::reduce_by_key(keys, values, to_keys, to_sums, runs_here.data(), own, op, equal, by);
    };
    PreparedCall local(*work, reduce);
    call.together([&] {
        if (own == 0) return;
        runs_here = work->take<std::uint64_t>(1);
        if (within[rank]) {
            keys_aside = work->take<Key>(own);
            sums_aside = work->take<Sum>(own);
        }
        local.prepare();
    });
    const auto all = call.gather([&] {
        if (own == 0) return mine;
        local();
        work->read(&mine.runs, runs_here.data(), 1);
        const Sum* const found = within[rank] ? sums_aside.data() : sums;
        work->read(&mine.first, found, 1);
        work->read(&mine.last, found + mine.runs - 1, 1);
        return mine;
    });
    std::uint64_t runs = 0;
    call.together([&] {
        if (own == 0) return;
        const std::uint64_t skipped = within[rank] ? 1 : 0;
        runs = all[rank].runs - skipped;
        if (within[rank]) {
            work->copy(keys_out, keys_aside.data() + 1, runs);
            work->copy(sums, sums_aside.data() + 1, runs);
        }
        if (runs == 0) return;
        Sum last = all[rank].last;
        for (std::size_t r = rank + 1; r < all.size(); ++r) {
            if (all[r].runs == 0) continue;
            if (!within[r]) break;
            last = op(last, all[r].first);
            if (all[r].runs > 1) break;
        }
        work->write(sums + runs - 1, &last, 1);
    });
    return runs;
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::distributed::KOGGE_CODE {

/// Keeps the first item of each run of all ranks' in[0 … n); returns how many runs begin on this rank.
template <kogge::detail::item_input In, kogge::detail::item_output Out, kogge::detail::no_exec Equal = equal_to>
std::uint64_t unique(communicator& ranks, In in, Out out, item_count n, Equal equal = {}, const exec& how = {}) {
    return kogge::detail::distributed_unique(ranks, in, out, n, equal, how);
}
template <kogge::detail::item_input In, kogge::detail::item_output Out>
std::uint64_t unique(communicator& ranks, In in, Out out, item_count n, const exec& how) {
    return kogge::detail::distributed_unique(ranks, in, out, n, equal_to{}, how);
}

/// Writes the first key of each run of all ranks' keys[0 … n), and the fold of the run's values; returns how many runs
/// begin on this rank.
template <class Keys, class Values, class Key, class Sum, kogge::detail::no_exec Op = plus,
          kogge::detail::no_exec Equal = equal_to>
std::uint64_t reduce_by_key(communicator& ranks, Keys keys, Values values, Key* keys_out, Sum* sums, item_count n,
                            Op op = {}, Equal equal = {}, const exec& how = {}) {
    return kogge::detail::distributed_reduce_by_key(
        ranks, kogge::detail::read_only(keys), kogge::detail::read_only(values), keys_out, sums, n, op, equal, how);
}
template <class Keys, class Values, class Key, class Sum, kogge::detail::no_exec Op>
std::uint64_t reduce_by_key(communicator& ranks, Keys keys, Values values, Key* keys_out, Sum* sums, item_count n,
                            Op op, const exec& how) {
    return distributed::reduce_by_key(ranks, keys, values, keys_out, sums, n, op, equal_to{}, how);
}
template <class Keys, class Values, class Key, class Sum>
std::uint64_t reduce_by_key(communicator& ranks, Keys keys, Values values, Key* keys_out, Sum* sums, item_count n,
                            const exec& how) {
    return distributed::reduce_by_key(ranks, keys, values, keys_out, sums, n, plus{}, equal_to{}, how);
}

}  // namespace kogge::distributed::KOGGE_CODE
