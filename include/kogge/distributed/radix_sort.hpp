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
//   scratch      about three times the rank's items, before and after the exchange; from exec.scratch, not exec.space;
//                exec.scratch_limit is the most, on the host, too.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails, before any output has changed (but for a rank that ends
//                or does not answer between two pieces of an exchange: then outputs are unspecified): invalid_argument
//                (what radix_sort refuses, capacity, options that differ), out_of_memory, unreachable (memory; a rank
//                that has ended or does not answer), not_built (on the device the file must be compiled by nvcc).
//   method       the cuts between the ranks' parts, exact, from counts of digits over all ranks (splitters.hpp); one
//                stable split at the cuts; an exchange, in pieces on devices; and radix_sort of each piece that has
//                come, while the next one is on its way.
#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/distributed/splitters.hpp"
#include "kogge/keys.hpp"
#include "kogge/partition.hpp"
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
    /// How far a balanced part's size may be from the mean, as a share of it; 0: not more than one item. Outputs then
    /// need room for that many more. 0.01 saves reads of the keys: one of two for evenly spread keys of 32 bits on two
    /// ranks.
    double tolerance = 0;
    /// In how many pieces each rank's part is exchanged and sorted, 1 … 64: on devices a piece is sorted while the next
    /// one is on its way. 0: up to 4 where all ranks are on devices and have 2^22 items on average, otherwise 1.
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

/// Of each boundary between the ranks' parts its cut; the codes of all cuts, ascending, and which of them each has.
template <class Code>
struct PartBounds {
    std::vector<Cut<Code>> cuts;
    std::vector<Code> codes;
    std::vector<std::size_t> code_of;

    explicit PartBounds(std::vector<Cut<Code>> found) : cuts(std::move(found)) {
        for (const Cut<Code>& cut : cuts) {
            if (!cut.at_end && (codes.empty() || !(codes.back() == cut.code))) codes.push_back(cut.code);
            code_of.push_back(codes.empty() ? 0 : codes.size() - 1);
        }
    }
};

/// The items of one rank that go to each rank begin there in its split array: size() + 1 numbers. `parts` are all
/// ranks' begins of the parts between and at the codes.
template <class Code>
std::vector<std::uint64_t> sent_begins(const PartBounds<Code>& bounds, std::span<const std::uint64_t> parts,
                                       std::size_t stride, std::size_t rank) {
    const std::uint64_t* const mine = parts.data() + rank * stride;
    std::vector<std::uint64_t> begins{0};
    for (std::size_t b = 0; b < bounds.cuts.size(); ++b) {
        const Cut<Code>& cut = bounds.cuts[b];
        std::uint64_t begin = mine[stride - 1];
        if (!cut.at_end) {
            const std::size_t equal = 2 * bounds.code_of[b] + 1;
            std::uint64_t in_front = cut.position - cut.lesser;  // equal items of all ranks, of lower ranks first
            for (std::size_t r = 0; r < rank; ++r)
                in_front -= (std::min)(in_front, parts[r * stride + equal + 1] - parts[r * stride + equal]);
            begin = mine[equal] + (std::min)(in_front, mine[equal + 1] - mine[equal]);
        }
        begins.push_back(begin);
    }
    begins.push_back(mine[stride - 1]);
    return begins;
}

/// In how many pieces each rank's part is exchanged.
inline std::size_t pieces_of(int wanted, bool all_on_devices, std::uint64_t total, std::size_t ranks) {
    constexpr std::uint64_t kWorthPieces = std::uint64_t{1} << 22;  // items per rank
    constexpr std::size_t kPieces = 4, kMostCuts = 127;             // one pass splits at so many cuts
    if (wanted > 0) return static_cast<std::size_t>(wanted);
    if (!all_on_devices || ranks == 1 || total / ranks < kWorthPieces) return 1;
    return std::clamp<std::size_t>(kMostCuts / ranks, 1, kPieces);
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
    call.same("options.tolerance", std::bit_cast<std::uint64_t>(options.tolerance));
    call.same("options.pieces", static_cast<std::uint64_t>(options.pieces));
    std::optional<RankWork> work;
    BitRange bits{};
    call.begin([&] {
        bits = bit_range<Key>(name, options);
        if (!(options.tolerance >= 0 && options.tolerance < 1))
            throw error(errc::invalid_argument, name, "options.tolerance is not within [0, 1)");
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
        std::uint64_t items, on_device;
    };
    std::vector<std::uint64_t> counts;
    bool all_on_devices = true;
    for (const Share& share : call.gather([&] { return Share{work->n(), work->on_device()}; })) {
        counts.push_back(share.items);
        all_on_devices = all_on_devices && share.on_device;
    }
    const std::vector<std::uint64_t> begins = begins_of(counts);
    const std::uint64_t total = begins.back();
    const std::size_t pieces = pieces_of(options.pieces, all_on_devices, total, size);
    const bool balanced = options.sizes == distributed::part_sizes::balanced;
    const std::vector<std::uint64_t> goal = balanced ? even_begins(total, size) : begins;

    // Cuts, and where this rank's keys lie between them.
    const CodeOfKey<Key> code_of{make_codec<Key>(options), bits.begin, bits.end};
    using Code = typename CodeOfKey<Key>::Code;
    const auto slack = balanced ? static_cast<std::uint64_t>(options.tolerance / 2 * static_cast<double>(total / size))
                                : std::uint64_t{0};
    // Cuts between pieces of a part may stand anywhere: an eighth of a piece is near enough.
    std::vector<std::uint64_t> positions, slacks;
    for (std::size_t r = 0; r < size; ++r) {
        const std::vector<std::uint64_t> inner = even_begins(goal[r + 1] - goal[r], pieces);
        for (std::size_t piece = r == 0 ? 1 : 0; piece < pieces; ++piece) {
            positions.push_back(goal[r] + inner[piece]);
            slacks.push_back(piece == 0 ? slack : inner[1] / 8);
        }
    }
    const PartBounds<Code> bounds(find_cuts<Key>(call, &*work, sort.keys_in, code_of, positions, total, slacks));
    // Piece p of rank r's part begins at result[pieces × r + p].
    std::vector<std::uint64_t> result{0};
    for (const Cut<Code>& cut : bounds.cuts) result.push_back(cut.position);
    result.push_back(total);
    const std::span<const std::uint64_t> part(result.data() + pieces * rank, pieces + 1);
    const std::uint64_t results = part[pieces] - part[0];

    // Each rank's split, and how many of its items each part has.
    const auto codes = static_cast<std::uint32_t>(bounds.codes.size());
    const std::uint32_t bins = 2 * codes + 1;
    const std::uint64_t own = work->n();
    WorkArray<Key> split_keys;
    WorkArray<Value> split_values, indices;
    const Value* values = sort.values_in;
    const std::vector<std::uint64_t> parts = call.gather<std::uint64_t>(bins + 1, [&](std::uint64_t* mine) {
        check_room(name, results, sort.capacity);
        std::fill_n(mine, bins + 1, 0);
        mine[bins] = own;
        if (own == 0) return;
        if constexpr (has_values)
            if (sort.are_indices) {
                if constexpr (std::is_integral_v<Value>) {
                    indices = work->take<Value>(own);
                    kogge::inclusive_scan(CountingFrom<Value>{begins[rank]}, indices.data(), own, maximum{},
                                          work->how());
                    values = indices.data();
                }
            }
        if (codes == 0) return;
        split_keys = work->take<Key>(own);
        auto of_work = work->take<Code>(codes);
        auto offsets = work->take<std::uint64_t>(bins + 1);
        work->write(of_work.data(), bounds.codes.data(), codes);
        const PartOfKey<Key> part_of_key{code_of, of_work.data(), codes};
        if constexpr (has_values) {
            split_values = work->take<Value>(own);
            kogge::split_pairs(sort.keys_in, values, split_keys.data(), split_values.data(), offsets.data(), own, bins,
                               part_of_key, work->how());
        } else {
            kogge::split(sort.keys_in, split_keys.data(), offsets.data(), own, bins, part_of_key, work->how());
        }
        work->read(mine, offsets.data(), bins + 1);
        work->give_back(offsets, bins + 1);
        work->give_back(of_work, codes);
    });
    const std::vector<std::uint64_t> sent = sent_begins(bounds, parts, bins + 1, rank);
    // Where each rank's items of each piece begin among what comes: piece by piece, of each rank by rank.
    std::vector<std::vector<std::uint64_t>> from(pieces, std::vector<std::uint64_t>{0});
    for (std::size_t r = 0; r < size; ++r) {
        const std::vector<std::uint64_t> theirs = sent_begins(bounds, parts, bins + 1, r);
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const std::size_t i = pieces * rank + piece;
            from[piece].push_back(from[piece].back() + theirs[i + 1] - theirs[i]);
        }
    }
    const auto first_of = [&](std::size_t piece) { return part[piece] - part[0]; };

    // All memory is had before a rank writes a result. On the host, whose calls take no workspace, sorts are in place,
    // and copied when all have succeeded.
    WorkArray<Key> keys_here;
    WorkArray<Value> values_here;
    const auto sort_piece = [&](std::size_t piece, Key* keys_to, Value* values_to, const exec& how) {
        const std::uint64_t first = first_of(piece), n_here = part[piece + 1] - part[piece];
        if (n_here == 0) return;
        const Key* const keys_from = keys_here.data() + first;
        if constexpr (has_values) {
            const Value* const values_from = values_here.data() + first;
            kogge::radix_sort_pairs(keys_from, keys_to + first, values_from, values_to + first, n_here, options, how);
        } else {
            kogge::radix_sort(keys_from, keys_to + first, n_here, options, how);
        }
    };
    const auto sort_to_results = [&](std::size_t piece, const exec& how) {
        sort_piece(piece, sort.writes_keys ? sort.keys_out : keys_here.data(), sort.values_out, how);
    };
    const bool overlaps = pieces > 1 && work->on_device();
    std::size_t space_bytes = 0;
    WorkArray<std::byte> space;
    std::optional<OwnStream> link;
    const auto take_space = [&] {
        for (std::size_t piece = 0; piece < pieces; ++piece) {
            const auto sort_it = [&](const exec& how) { sort_to_results(piece, how); };
            space_bytes = (std::max)(space_bytes, scratch_bytes(sort_it, work->how()));
        }
        space = work->take<std::byte>(space_bytes);
    };
    call.together([&] {
        keys_here = work->take<Key>(results);
        if constexpr (has_values) values_here = work->take<Value>(results);
        if (!overlaps) return;
        take_space();
        link.emplace();
        simt::synchronize(work->stream());  // what is sent is there
    });

    // Piece by piece: while one is sorted, the next one is on its way.
    const stream_t by = link ? link->get() : work->stream();
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        call.exchange(codes ? split_keys.data() : sort.keys_in, sent, keys_here.data() + first_of(piece), from[piece],
                      work->where(), by, pieces, piece);
        if constexpr (has_values)
            call.exchange(codes ? split_values.data() : values, sent, values_here.data() + first_of(piece), from[piece],
                          work->where(), by, pieces, piece);
        if (overlaps) sort_to_results(piece, work->how(space, space_bytes));
    }
    if (split_keys.data()) work->give_back(split_keys, own);
    if (split_values.data()) work->give_back(split_values, own);
    if (indices.data()) work->give_back(indices, own);
    call.together([&] {
        if (overlaps) return;
        if (work->on_device()) return take_space();
        for (std::size_t piece = 0; piece < pieces; ++piece)
            sort_piece(piece, keys_here.data(), values_here.data(), work->how());
    });
    if (work->on_device()) {
        if (!overlaps) sort_to_results(0, work->how(space, space_bytes));
        simt::synchronize(work->stream());
    } else {
        if (sort.writes_keys) work->copy(sort.keys_out, keys_here.data(), results);
        if constexpr (has_values) work->copy(sort.values_out, values_here.data(), results);
    }
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
