// Top-k of an array of which each rank holds a part: the first k keys of all ranks in the order of a sort, on each
// rank.
//
// Shared by all of them
//   result       as kogge::top_k's of the whole array: in order, of equal keys those of lower ranks first, and within a
//                rank the one with the lower index. All ranks get all k.
//   ranks        all call it together, with the same k and options; n and memory are each rank's own. A rank may have
//                none. k is at most the number of all ranks' keys.
//   keys, values as top_k's; one array of values.
//   memory       host or device memory, each rank's of one kind; outputs have room for k, and overlap no input.
//   scratch      up to k per rank, and what kogge::top_k takes; from exec.scratch, not exec.space.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails, before any output has changed.
//   method       each rank's first k, which all ranks exchange, and the first k of these: for small k.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/keys.hpp"
#include "kogge/top_k.hpp"

namespace kogge::detail::KOGGE_CODE {

/// One rank's arrays: values are moved with keys, or are the keys' global indices.
template <class Key, class Value>
struct DistributedTopK {
    const Key* keys;
    Key* keys_out;
    const Value* values = nullptr;
    Value* values_out = nullptr;
    bool are_indices = false;
};

template <class Key, class Value>
void distributed_top_k(communicator& ranks, const char* name, const DistributedTopK<Key, Value>& top,
                       const item_count& n, std::uint64_t k, const top_k_options& options, const exec& how) {
    constexpr bool has_values = !std::is_same_v<Value, grid::NoValue>;
    DistributedCall call(ranks, name);
    call.same("bytes per key", sizeof(Key));
    call.same("bytes per value", has_values ? sizeof(Value) : 0);
    call.same("k", k);
    call.same_order(options);
    std::optional<RankWork> work;
    call.begin([&] {
        bit_range<Key>(name, options);
        const std::uint64_t read = bytes_of(name, n.bound(), sizeof(Key)),
                            values_read = bytes_of(name, n.bound(), sizeof(Value));
        work.emplace(
            name, how, n,
            std::initializer_list<Region>{{top.keys, read, "the keys"},
                                          {top.values, has_values && !top.are_indices ? values_read : 0, "the values"}},
            std::initializer_list<Region>{{top.keys_out, bytes_of(name, k, sizeof(Key)), "the first keys"},
                                          {top.values_out, has_values ? bytes_of(name, k, sizeof(Value)) : 0,
                                           top.are_indices ? "the indices" : "the first values"}});
    });
    const std::vector<std::uint64_t> sizes = call.gather([&] { return work->n(); });
    const std::vector<std::uint64_t> begins = begins_of(sizes);
    std::vector<std::uint64_t> counts;
    for (const std::uint64_t size : sizes) counts.push_back((std::min)(size, k));
    const std::uint64_t own = counts[call.rank()], all = begins_of(counts).back();

    WorkArray<Key> keys_here, keys_all;
    WorkArray<Value> values_here, values_all;
    const auto find = [&](const exec& by) {
        if constexpr (has_values)
            kogge::top_k_pairs(keys_all.data(), top.keys_out, values_all.data(), top.values_out, all, k, options, by);
        else kogge::top_k(keys_all.data(), top.keys_out, all, k, options, by);
    };
    PreparedCall last(*work, find);
    call.together([&] {
        if (k > begins.back())
            throw error(errc::invalid_argument, name,
                        "k is " + std::to_string(k) + ", but there are " + std::to_string(begins.back()) + " keys");
        if (k == 0) return;
        keys_all = work->take<Key>(all);
        if constexpr (has_values) values_all = work->take<Value>(all);
        last.prepare();
        if (own == 0) return;
        keys_here = work->take<Key>(own);
        if constexpr (!has_values) {
            kogge::top_k(top.keys, keys_here.data(), work->n(), own, options, work->how());
        } else {
            values_here = work->take<Value>(own);
            if (!top.are_indices) {
                kogge::top_k_pairs(top.keys, keys_here.data(), top.values, values_here.data(), work->n(), own, options,
                                   work->how());
            } else if constexpr (top_k_index<Value>) {
                kogge::arg_top_k(top.keys, keys_here.data(), values_here.data(), work->n(), own, options, work->how());
                std::vector<Value> indices(own);
                work->read(indices.data(), values_here.data(), own);
                for (Value& index : indices) index += static_cast<Value>(begins[call.rank()]);
                work->write(values_here.data(), indices.data(), own);
            }
        }
    });
    if (k == 0) return;
    call.share(keys_here.data(), counts, keys_all.data(), work->where(), work->stream());
    if constexpr (has_values) call.share(values_here.data(), counts, values_all.data(), work->where(), work->stream());
    call.together([&] { last(); });
}

}  // namespace kogge::detail::KOGGE_CODE

namespace kogge::distributed::KOGGE_CODE {

/// Writes the first k of all ranks' keys[0 … n) to each rank's out[0 … k).
template <class Key>
void top_k(communicator& ranks, const Key* keys, Key* out, item_count n, std::uint64_t k,
           const top_k_options& options = {}, const exec& how = {}) {
    kogge::detail::distributed_top_k<Key, kogge::grid::NoValue>(ranks, "distributed::top_k",
                                                                {.keys = keys, .keys_out = out}, n, k, options, how);
}
template <class Key>
void top_k(communicator& ranks, const Key* keys, Key* out, item_count n, std::uint64_t k, const exec& how) {
    distributed::top_k(ranks, keys, out, n, k, top_k_options{}, how);
}

/// Writes the first k keys, and to values_out[0 … k) their values.
template <class Key, class Value>
void top_k_pairs(communicator& ranks, const Key* keys, Key* keys_out, const Value* values, Value* values_out,
                 item_count n, std::uint64_t k, const top_k_options& options = {}, const exec& how = {}) {
    kogge::detail::distributed_top_k<Key, Value>(
        ranks, "distributed::top_k_pairs",
        {.keys = keys, .keys_out = keys_out, .values = values, .values_out = values_out}, n, k, options, how);
}
template <class Key, class Value>
void top_k_pairs(communicator& ranks, const Key* keys, Key* keys_out, const Value* values, Value* values_out,
                 item_count n, std::uint64_t k, const exec& how) {
    distributed::top_k_pairs(ranks, keys, keys_out, values, values_out, n, k, top_k_options{}, how);
}

/// Writes the first k keys, and their global indices: the index of a rank's first key is the number of the keys of
/// lower ranks.
template <class Key, class Index>
requires(std::integral<Index> && sizeof(Index) == 8) void arg_top_k(communicator& ranks, const Key* keys, Key* keys_out,
                                                                    Index* indices, item_count n, std::uint64_t k,
                                                                    const top_k_options& options = {},
                                                                    const exec& how = {}) {
    kogge::detail::distributed_top_k<Key, Index>(
        ranks, "distributed::arg_top_k",
        {.keys = keys, .keys_out = keys_out, .values_out = indices, .are_indices = true}, n, k, options, how);
}
template <class Key, class Index>
void arg_top_k(communicator& ranks, const Key* keys, Key* keys_out, Index* indices, item_count n, std::uint64_t k,
               const exec& how) {
    distributed::arg_top_k(ranks, keys, keys_out, indices, n, k, top_k_options{}, how);
}

}  // namespace kogge::distributed::KOGGE_CODE
