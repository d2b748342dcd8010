// Radix sort of an array of which each rank holds a part, in the order of the ranks: of keys, of keys with values, and
// of global indices by keys. Stable in both orders, over all ranks.
//
// Shared by all of them
//   ranks        all call it together, with the same options; n and memory are each rank's own. A rank may have none.
//   result       the sorted array of all ranks' keys, in parts: rank 0 has the first ones. In place forms leave each
//                rank as many as it had. Out of place, `sizes` says how many each rank gets: `balanced`, ⌈N / ranks⌉ or
//                ⌊N / ranks⌋ of all N, however skewed the keys are; `kept`, as many as it had. The number is returned.
//   capacity     the room of this rank's outputs, in items. Where one rank's does not suffice, all throw.
//   keys, values as radix_sort's; one array of values. Equal keys are in the order of their ranks, and in input order
//                within a rank.
//   memory       host or device memory, each rank's of one kind. in == out is allowed.
//   scratch      what radix_sort takes of the rank's own items, then about twice the items of the rank, three times with
//                more than two ranks; from exec.scratch, not exec.space; exec.scratch_limit is the most, on the host,
//                too.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails, before any output has changed (but for a rank that ends
//                or does not answer between two pieces of an exchange: then outputs are unspecified): invalid_argument
//                (what radix_sort refuses, capacity, options that differ), out_of_memory, unreachable (memory; a rank
//                that has ended or does not answer), not_built (on the device the file must be compiled by nvcc).
//   method       each rank sorts its own items; the cuts between the ranks' parts, exact, are found in the sorted ranks
//                (splitters.hpp); the parts are exchanged, in pieces on devices; and what the ranks have sent is merged,
//                each piece while the next one is on its way.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/calls/merge.hpp"
#include "kogge/calls/search.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/distributed/splitters.hpp"
#include "kogge/keys.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"

namespace kogge::distributed {

/// How many items each rank holds afterwards.
enum class part_sizes : std::uint8_t { balanced, kept };

/// As kogge::sort_options.
struct sort_options {
    sort_order order = sort_order::ascending;
    int begin_bit = 0;
    int end_bit = -1;
    zero_order zeros = zero_order::negative_first;
    nan_order nans = nan_order::by_sign;
    part_sizes sizes = part_sizes::balanced;
    /// In how many pieces each rank's part is exchanged and merged, 1 … 64: on devices a piece is merged while the next
    /// one is on its way. 0: 4 or 8 where all ranks are on devices and have 2^22 items on average, otherwise 1.
    int pieces = 0;

    constexpr operator kogge::sort_options() const { return {order, begin_bit, end_bit, zeros, nans}; }  // NOLINT
};

}  // namespace kogge::distributed

namespace kogge::detail::KOGGE_CODE {

/// One rank's arrays of a sort. `values_in` is null where values are global indices.
template <class Key, class Value>
struct DistributedSort {
    static constexpr bool kHasValues = !std::is_same_v<Value, grid::NoValue>;
    const Key* keys_in;
    Key* keys_out;  ///< null if keys are not wanted
    const Value* values_in = nullptr;
    Value* values_out = nullptr;
    std::uint64_t capacity;
    bool writes_keys = true;
    bool are_indices = false;
};

/// Counts up from `first`, as an input.
template <class Index>
struct CountingFrom {
    std::uint64_t first;
    KOGGE_HOST_DEVICE Index operator[](std::uint64_t i) const { return static_cast<Index>(first + i); }
};

/// One rank's items with the code of a cut: how many lie before them, and before those behind them.
struct EqualItems {
    std::uint64_t begin, end;
};

/// The items of a sorted rank that belong to each part begin there: size() + 1 numbers. equal[r × cuts.size() + c] are
/// rank r's items with the code of cut c.
template <class Code>
std::vector<std::uint64_t> part_begins(const std::vector<Cut<Code>>& cuts, std::span<const EqualItems> equal,
                                       std::size_t rank, std::uint64_t n) {
    std::vector<std::uint64_t> begins{0};
    for (std::size_t c = 0; c < cuts.size(); ++c) {
        std::uint64_t in_front = cuts[c].position - cuts[c].lesser;  // equal items of all ranks, of lower ranks first
        for (std::size_t r = 0; r <= rank; ++r) {
            const auto& [begin, end] = equal[r * cuts.size() + c];
            const std::uint64_t taken = (std::min)(in_front, end - begin);
            if (r == rank) begins.push_back(cuts[c].at_end ? n : begin + taken);
            in_front -= taken;
        }
    }
    begins.push_back(n);
    return begins;
}

/// Items in order. Without values, `values` is null.
template <class Key, class Value>
struct SortedRun {
    Key* keys;
    Value* values;
    std::uint64_t n;

    SortedRun from(std::uint64_t first, std::uint64_t count) const {
        if constexpr (std::is_same_v<Value, grid::NoValue>) return {keys + first, nullptr, count};
        else return {keys + first, values + first, count};
    }
};

/// In how many pieces each rank's part is exchanged. More of them leave less to merge when the last one has come, and
/// cost meetings of the ranks where these do not reach each other's memory.
inline std::size_t pieces_of(int wanted, bool all_on_devices, bool are_reached, std::uint64_t total,
                             std::size_t ranks) {
    constexpr std::uint64_t kWorthPieces = std::uint64_t{1} << 22;  // items per rank
    if (ranks == 1) return 1;
    if (wanted > 0) return static_cast<std::size_t>(wanted);
    if (!all_on_devices || total / ranks < kWorthPieces) return 1;
    return are_reached ? 8 : 4;
}

template <class Key, class Value>
std::uint64_t distributed_sort(communicator& ranks, const char* name, const DistributedSort<Key, Value>& sort,
                               const item_count& n, const distributed::sort_options& options, const exec& exec_given) {
    static_assert(!std::is_const_v<Key> && !std::is_const_v<Value>, "what is written is not const");
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    static_assert(travels_as_bytes<Key> && travels_as_bytes<Value>,
                  "keys and values travel as bytes: see kogge::travels_as_bytes");
    constexpr bool has_values = DistributedSort<Key, Value>::kHasValues;
    DistributedCall call(ranks, name);
    call.same("bytes per key", sizeof(Key));
    call.same("bytes per value", has_values ? sizeof(Value) : 0);
    call.same_order(options);
    call.same("options.sizes", static_cast<std::uint64_t>(options.sizes));
    call.same("options.pieces", static_cast<std::uint64_t>(options.pieces));
    std::optional<RankWork> work;
    BitRange bits{};
    call.begin([&] {
        bits = bit_range<Key>(name, options);
        if (options.pieces < 0 || options.pieces > 64)
            throw error(errc::invalid_argument, name, "options.pieces is not within 0 … 64");
        const std::uint64_t read = bytes_of(name, n.bound(), sizeof(Key)),
                            written = bytes_of(name, sort.capacity, sizeof(Key)),
                            values_read = bytes_of(name, n.bound(), sizeof(Value)),
                            values_written = bytes_of(name, sort.capacity, sizeof(Value));
        work.emplace(name, exec_given, n,
                     std::initializer_list<Region>{
                         {sort.keys_in, read, "the keys"},
                         {sort.values_in, has_values && !sort.are_indices ? values_read : 0, "the values"}},
                     std::initializer_list<Region>{{sort.keys_out, sort.writes_keys ? written : 0, "the sorted keys"},
                                                   {sort.values_out, has_values ? values_written : 0,
                                                    sort.are_indices ? "the indices" : "the sorted values"}},
                     2);
    });
    const std::size_t size = call.size(), rank = call.rank();
    struct Share {
        std::uint64_t items;
        bool on_device, is_reached;
    };
    std::vector<std::uint64_t> counts;
    bool all_on_devices = true, are_reached = true;
    for (const Share& share : call.gather([&] {
             return Share{work->n(), work->on_device(),
                          work->takes_from_pool() && ranks.has(communicator::capability::peer_memory)};
         })) {
        counts.push_back(share.items);
        all_on_devices = all_on_devices && share.on_device;
        are_reached = are_reached && share.is_reached;
    }
    const std::vector<std::uint64_t> begins = begins_of(counts);
    const std::uint64_t total = begins.back();
    const std::size_t pieces = pieces_of(options.pieces, all_on_devices, are_reached, total, size);
    const bool balanced = options.sizes == distributed::part_sizes::balanced;
    const std::vector<std::uint64_t> goal = balanced ? even_begins(total, size) : begins;

    const std::uint64_t own = work->n(), results = goal[rank + 1] - goal[rank];

    // This rank's items, sorted: for the others, or at once to the results if there are none.
    WorkArray<Key> sorted_keys, unwanted_keys;
    WorkArray<Value> sorted_values, indices;
    Key* own_keys = nullptr;
    Value* own_values = sort.values_out;
    call.together([&] {
        check_room(name, results, sort.capacity);
        if (size > 1) {
            sorted_keys = work->take<Key>(own);
            if constexpr (has_values) own_values = (sorted_values = work->take<Value>(own)).data();
        }
        if (!sort.writes_keys) unwanted_keys = work->take<Key>(results);
        own_keys = size > 1 ? sorted_keys.data() : sort.writes_keys ? sort.keys_out : unwanted_keys.data();
        if constexpr (!has_values) {
            kogge::radix_sort(sort.keys_in, own_keys, own, options, work->how());
        } else if (!sort.are_indices) {
            kogge::radix_sort_pairs(sort.keys_in, own_keys, sort.values_in, own_values, own, options, work->how());
        } else if constexpr (std::is_integral_v<Value>) {
            indices = work->take<Value>(own);
            kogge::inclusive_scan(CountingFrom<Value>{begins[rank]}, indices.data(), own, maximum{}, work->how());
            kogge::radix_sort_pairs(sort.keys_in, own_keys, indices.data(), own_values, own, options, work->how());
            work->give_back(indices, own);
        }
    });

    // The cuts between parts, and between pieces of a part, where an eighth of a piece is near enough: part i is piece
    // i % pieces of rank i / pieces.
    std::vector<std::uint64_t> positions, slack;
    for (std::size_t r = 0; r < size; ++r) {
        const std::vector<std::uint64_t> inner = even_begins(goal[r + 1] - goal[r], pieces);
        for (std::size_t piece = r == 0 ? 1 : 0; piece < pieces; ++piece) {
            positions.push_back(goal[r] + inner[piece]);
            slack.push_back(piece == 0 ? 0 : inner[1] / 8);
        }
    }
    const CodeOfKey<Key> code_of{make_codec<Key>(options), bits.begin, bits.end};
    using Code = typename CodeOfKey<Key>::Code;
    const std::vector<Cut<Code>> cuts = find_cuts(call, *work, own_keys, own, code_of, positions, slack, total);
    const std::vector<EqualItems> equal = call.gather<EqualItems>(cuts.size(), [&](EqualItems* mine) {
        std::vector<Code> codes;
        for (const Cut<Code>& cut : cuts) codes.push_back(cut.code);
        auto of_work = work->take<Code>(codes.size());
        auto found = work->take<std::uint64_t>(2 * codes.size());
        work->write(of_work.data(), codes.data(), codes.size());
        const CodesOfKeys<Key> sorted{code_of, own_keys};
        kogge::lower_bound(sorted, of_work.data(), found.data(), own, codes.size(), work->how());
        kogge::upper_bound(sorted, of_work.data(), found.data() + codes.size(), own, codes.size(), work->how());
        std::vector<std::uint64_t> bounds(2 * codes.size());
        work->read(bounds.data(), found.data(), bounds.size());
        for (std::size_t c = 0; c < codes.size(); ++c) mine[c] = {bounds[c], bounds[codes.size() + c]};
        work->give_back(found, 2 * codes.size());
        work->give_back(of_work, codes.size());
    });
    std::vector<std::vector<std::uint64_t>> parts;  // of each rank
    for (std::size_t r = 0; r < size; ++r) parts.push_back(part_begins(cuts, std::span(equal), r, counts[r]));
    const auto items_of = [&](std::size_t r, std::size_t part) { return parts[r][part + 1] - parts[r][part]; };

    // All memory is had before a rank writes a result. Runs are merged in pairs, level by level, the last time to the
    // results, the time before to `spare`, and so on.
    int levels = 0;
    while ((std::size_t{1} << levels) < size) ++levels;
    std::uint64_t received = results;
    for (std::size_t piece = 0; piece < pieces; ++piece) received -= items_of(rank, pieces * rank + piece);
    WorkArray<Key> received_keys, spare_keys;
    WorkArray<Value> received_values, spare_values;
    std::optional<OwnStream> link;
    using Run = SortedRun<Key, Value>;
    const std::vector<Run> sorted = call.gather<Run>(1, [&](Run* mine) {
        received_keys = work->take<Key>(received);
        if (levels > 1) spare_keys = work->take<Key>(results);
        if constexpr (has_values) {
            received_values = work->take<Value>(received);
            if (levels > 1) spare_values = work->take<Value>(results);
        }
        *mine = {own_keys, own_values, own};
        if (!work->on_device()) return;
        if (pieces > 1) link.emplace();
        simt::synchronize(work->stream());  // what others get is there
    });
    const Run to_results{sort.writes_keys ? sort.keys_out : unwanted_keys.data(), sort.values_out, results},
        to_spare{spare_keys.data(), spare_values.data(), results};
    const auto merge_two = [&](const Run& a, const Run& b, const Run& to) {
        if (a.n == 0 || b.n == 0) {
            const Run& one = a.n > 0 ? a : b;
            work->copy(to.keys, one.keys, one.n);
            if constexpr (has_values) work->copy(to.values, one.values, one.n);
            return;
        }
        const auto merge = [&](const auto& arrays) {
            const LessByCode<Key> less{code_of};
            if (work->on_device()) merge_on_device(name, arrays, a.n, b.n, less, work->how());
            else run_merge(name, arrays, a.n, b.n, less, work->how());
        };
        merge(MergeArrays<const Key*, const Key*, Key*, const Value*, const Value*, Value*>{a.keys, b.keys, to.keys,
                                                                                             a.values, b.values,
                                                                                             to.values});
    };
    const auto merge_runs = [&](std::vector<Run> runs, std::uint64_t first) {
        for (int level = levels; level > 0; --level) {
            const std::size_t pairs = (runs.size() + 1) / 2;
            runs.resize(2 * pairs);
            std::vector<Run> merged;
            for (std::size_t p = 0, at = first; p < pairs; at += merged[p++].n)
                merged.push_back((level % 2 == 1 ? to_results : to_spare).from(at, runs[2 * p].n + runs[2 * p + 1].n));
            // Each rank begins with the runs beside its own, so that no rank's link serves all others at once.
            for (std::size_t i = 0; i < pairs; ++i) {
                const std::size_t p = ((rank >> (levels - level + 1)) + i) % pairs;
                merge_two(runs[2 * p], runs[2 * p + 1], merged[p]);
            }
            runs = std::move(merged);
        }
    };

    // Piece by piece: while one is merged, the next one is on its way. Where this rank reaches the others' items it
    // fetches them, and all pieces are queued at once; otherwise the ranks meet for each piece.
    const stream_t by = link ? link->get() : work->stream();
    const auto exchange_piece = [&]<class T>(const T* mine, T* into, std::size_t piece) {
        std::vector<communicator::outgoing> to(size);
        std::vector<communicator::incoming> from(size);
        for (std::size_t r = 0; r < size; ++r) {
            if (r == rank) continue;
            to[r] = {mine + parts[rank][pieces * r + piece], items_of(rank, pieces * r + piece) * sizeof(T)};
            from[r] = {into, items_of(r, pieces * rank + piece) * sizeof(T)};
            into += items_of(r, pieces * rank + piece);
        }
        ranks.exchange(to, from, work->where(), by);
    };
    const auto get_piece = [&](const Run& into, const std::vector<Run>& runs, std::size_t piece) {
        if (!are_reached) {
            exchange_piece(own_keys, into.keys, piece);
            if constexpr (has_values) exchange_piece(own_values, into.values, piece);
            return;
        }
        // Each rank begins behind itself, so that no rank's link serves all others at once.
        for (std::size_t i = 1; i < size; ++i) {
            const std::size_t r = (rank + i) % size;
            const Run theirs = sorted[r].from(parts[r][pieces * rank + piece], runs[r].n);
            simt::copy(runs[r].keys, theirs.keys, theirs.n * sizeof(Key), by);
            if constexpr (has_values) simt::copy(runs[r].values, theirs.values, theirs.n * sizeof(Value), by);
        }
        if (link) simt::order_after(work->stream(), by);
    };
    const Run own_run{own_keys, own_values, own}, received_run{received_keys.data(), received_values.data(), received};
    const auto merge_pieces = [&] {
        std::uint64_t arrived = 0, done = 0;
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const std::uint64_t first = done;
            const Run next = received_run.from(arrived, received - arrived);
            std::vector<Run> runs;
            for (std::size_t r = 0; r < size; ++r) {
                const std::size_t part = pieces * rank + piece;
                const std::uint64_t n_here = items_of(r, part);
                runs.push_back(r == rank ? own_run.from(parts[r][part], n_here) : received_run.from(arrived, n_here));
                if (r != rank) arrived += n_here;
                done += n_here;
            }
            get_piece(next, runs, piece);
            merge_runs(std::move(runs), first);
        }
        if (work->on_device()) simt::synchronize(work->stream());
    };
    if (are_reached) call.together(merge_pieces);  // nobody's items go while others fetch them
    else merge_pieces();
    return results;
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::distributed::KOGGE_CODE {

/// Sorts all ranks' keys[0 … n) in place: each rank keeps its number.
template <class Key>
void radix_sort(communicator& ranks, Key* keys, item_count n, sort_options options = {}, const exec& how = {}) {
    options.sizes = part_sizes::kept;
    kogge::detail::distributed_sort<Key, kogge::grid::NoValue>(
        ranks, "distributed::radix_sort", {.keys_in = keys, .keys_out = keys, .capacity = n.bound()}, n, options, how);
}
template <class Key>
void radix_sort(communicator& ranks, Key* keys, item_count n, const exec& how) {
    distributed::radix_sort(ranks, keys, n, sort_options{}, how);
}

/// Sorts all ranks' in[0 … n) to out, and returns how many of them this rank has got.
template <class Key>
std::uint64_t radix_sort(communicator& ranks, const Key* in, Key* out, std::uint64_t capacity, item_count n,
                         const sort_options& options = {}, const exec& how = {}) {
    return kogge::detail::distributed_sort<Key, kogge::grid::NoValue>(
        ranks, "distributed::radix_sort", {.keys_in = in, .keys_out = out, .capacity = capacity}, n, options, how);
}
template <class Key>
std::uint64_t radix_sort(communicator& ranks, const Key* in, Key* out, std::uint64_t capacity, item_count n,
                         const exec& how) {
    return distributed::radix_sort(ranks, in, out, capacity, n, sort_options{}, how);
}

/// Sorts keys in place, and moves each value with its key.
template <class Key, class Value>
void radix_sort_pairs(communicator& ranks, Key* keys, Value* values, item_count n, sort_options options = {},
                      const exec& how = {}) {
    options.sizes = part_sizes::kept;
    kogge::detail::distributed_sort<Key, Value>(
        ranks, "distributed::radix_sort_pairs",
        {.keys_in = keys, .keys_out = keys, .values_in = values, .values_out = values, .capacity = n.bound()}, n,
        options, how);
}
template <class Key, class Value>
void radix_sort_pairs(communicator& ranks, Key* keys, Value* values, item_count n, const exec& how) {
    distributed::radix_sort_pairs(ranks, keys, values, n, sort_options{}, how);
}

/// Out of place: each array beside its output.
template <class Key, class Value>
std::uint64_t radix_sort_pairs(communicator& ranks, const Key* keys_in, Key* keys_out, const Value* values_in,
                               Value* values_out, std::uint64_t capacity, item_count n,
                               const sort_options& options = {}, const exec& how = {}) {
    return kogge::detail::distributed_sort<Key, Value>(ranks, "distributed::radix_sort_pairs",
                                                       {.keys_in = keys_in,
                                                        .keys_out = keys_out,
                                                        .values_in = values_in,
                                                        .values_out = values_out,
                                                        .capacity = capacity},
                                                       n, options, how);
}
template <class Key, class Value>
std::uint64_t radix_sort_pairs(communicator& ranks, const Key* keys_in, Key* keys_out, const Value* values_in,
                               Value* values_out, std::uint64_t capacity, item_count n, const exec& how) {
    return distributed::radix_sort_pairs(ranks, keys_in, keys_out, values_in, values_out, capacity, n, sort_options{},
                                         how);
}

/// Writes the global indices that would sort all ranks' keys, and returns how many of them this rank has got: its first
/// one is the index of the key that a sort would put first in this rank's part. The index of a rank's first key is the
/// number of the keys of lower ranks. The keys are only read.
template <class Key, class Index>
requires(std::integral<Index> && sizeof(Index) == 8) std::uint64_t
    argsort(communicator& ranks, const Key* keys, Index* indices, std::uint64_t capacity, item_count n,
            const sort_options& options = {}, const exec& how = {}) {
    return kogge::detail::distributed_sort<Key, Index>(ranks, "distributed::argsort",
                                                       {.keys_in = keys,
                                                        .keys_out = nullptr,
                                                        .values_out = indices,
                                                        .capacity = capacity,
                                                        .writes_keys = false,
                                                        .are_indices = true},
                                                       n, options, how);
}
template <class Key, class Index>
std::uint64_t argsort(communicator& ranks, const Key* keys, Index* indices, std::uint64_t capacity, item_count n,
                      const exec& how) {
    return distributed::argsort(ranks, keys, indices, capacity, n, sort_options{}, how);
}

}  // namespace kogge::distributed::KOGGE_CODE
