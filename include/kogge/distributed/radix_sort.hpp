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
//   scratch      what radix_sort takes of the rank's own items, then about twice the items of the rank, three times
//                with more than two ranks; from exec.scratch, not exec.space; exec.scratch_limit is the most, on the
//                host, too.
//   returns      when the work is done; waits for exec.stream, and for all ranks.
//   throws       rank_error on all ranks if one of them fails, before any output has changed (but for a rank that ends
//                or does not answer between two pieces of an exchange: then outputs are unspecified): invalid_argument
//                (what radix_sort refuses, capacity, options that differ), out_of_memory, unreachable (memory; a rank
//                that has ended or does not answer), not_built (on the device the file must be compiled by nvcc).
//   method       each rank sorts its own items; the cuts between the ranks' parts, exact, are found in the sorted ranks
//                (splitters.hpp); the parts are exchanged, in pieces on devices; and what the ranks have sent is
//                merged, each piece while the next one is on its way.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kogge/distributed/call.hpp"
#include "kogge/distributed/communicator.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/distributed/sorted_runs.hpp"
#include "kogge/distributed/splitters.hpp"
#include "kogge/keys.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"
#include "kogge/simt/stream.hpp"

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
struct DistributedArrays {
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

/// One rank's share of a sort; run() names the steps.
template <class Key, class Value>
class DistributedSort {
public:
    using Arrays = DistributedArrays<Key, Value>;
    static_assert(!std::is_const_v<Key> && !std::is_const_v<Value>, "what is written is not const");
    static_assert(encodable<Key>,
                  "this key type has no key_codec: specialise kogge::key_codec for it, as keys.hpp says");
    static_assert(travels_as_bytes<Key> && travels_as_bytes<Value>,
                  "keys and values travel as bytes: see kogge::travels_as_bytes");

    DistributedSort(communicator& ranks, const char* name, const Arrays& arrays,
                    const distributed::sort_options& options)
        : ranks_(ranks),
          name_(name),
          arrays_(arrays),
          options_(options),
          call_(ranks, name),
          size_(call_.size()),
          rank_(call_.rank()) {}

    /// Returns how many items this rank has got.
    std::uint64_t run(const item_count& n, const exec& how) {
        begin(n, how);
        share_sizes();
        sort_own_items();
        find_parts();
        take_memory();
        if (are_reached_) {
            // No rank's items go while others fetch them, also when one has failed.
            call_.together([&] {
                try {
                    get_and_merge();
                } catch (...) {
                    wait_for_what_is_queued();
                    throw;
                }
            });
        } else {
            get_and_merge();
        }
        return goal_[rank_ + 1] - goal_[rank_];
    }

private:
    using Run = SortedRun<Key, Value>;
    using Code = typename CodeOfKey<Key>::Code;
    static constexpr bool kHasValues = Run::kHasValues;

    void begin(const item_count& n, const exec& how) {
        call_.same("bytes per key", sizeof(Key));
        call_.same("bytes per value", kHasValues ? sizeof(Value) : 0);
        call_.same_order(options_);
        call_.same("options.sizes", static_cast<std::uint64_t>(options_.sizes));
        call_.same("options.pieces", static_cast<std::uint64_t>(options_.pieces));
        call_.begin([&] {
            const BitRange bits = bit_range<Key>(name_, options_);
            code_of_ = {make_codec<Key>(options_), bits.begin, bits.end};
            if (options_.pieces < 0 || options_.pieces > 64)
                throw error(errc::invalid_argument, name_, "options.pieces is not within 0 … 64");
            const std::uint64_t read = bytes_of(name_, n.bound(), sizeof(Key)),
                                written = bytes_of(name_, arrays_.capacity, sizeof(Key)),
                                values_read = bytes_of(name_, n.bound(), sizeof(Value)),
                                values_written = bytes_of(name_, arrays_.capacity, sizeof(Value));
            work_.emplace(
                name_, how, n,
                std::initializer_list<Region>{
                    {arrays_.keys_in, read, "the keys"},
                    {arrays_.values_in, kHasValues && !arrays_.are_indices ? values_read : 0, "the values"}},
                std::initializer_list<Region>{{arrays_.keys_out, arrays_.writes_keys ? written : 0, "the sorted keys"},
                                              {arrays_.values_out, kHasValues ? values_written : 0,
                                               arrays_.are_indices ? "the indices" : "the sorted values"}},
                2);
        });
    }

    void share_sizes() {
        struct Share {
            std::uint64_t items;
            bool on_device, is_reached;
        };
        bool all_on_devices = true;
        for (const Share& share : call_.gather([&] {
                 return Share{work_->n(), work_->on_device(),
                              work_->takes_from_pool() && ranks_.has(communicator::capability::peer_memory)};
             })) {
            counts_.push_back(share.items);
            all_on_devices = all_on_devices && share.on_device;
            are_reached_ = are_reached_ && share.is_reached;
        }
        before_ = begins_of(counts_);
        const std::uint64_t total = before_.back();
        goal_ = options_.sizes == distributed::part_sizes::balanced ? even_begins(total, size_) : before_;
        pieces_ = pieces_of(options_.pieces, all_on_devices, are_reached_, total, size_);
    }

    /// For the others, or at once to the results if there are none.
    void sort_own_items() {
        const std::uint64_t n = work_->n(), results = goal_[rank_ + 1] - goal_[rank_];
        call_.together([&] {
            check_room(name_, results, arrays_.capacity);
            results_ = {arrays_.keys_out, arrays_.values_out, results};
            if (!arrays_.writes_keys) {
                unwanted_keys_ = work_->template take<Key>(results);
                results_.keys = unwanted_keys_.data();
            }
            own_ = {results_.keys, results_.values, n};
            if (size_ > 1) {
                own_keys_ = work_->template take<Key>(n);
                if constexpr (kHasValues) own_values_ = work_->template take<Value>(n);
                own_ = {own_keys_.data(), own_values_.data(), n};
            }
            if constexpr (!kHasValues) {
                kogge::radix_sort(arrays_.keys_in, own_.keys, n, options_, work_->how());
            } else if (!arrays_.are_indices) {
                kogge::radix_sort_pairs(arrays_.keys_in, own_.keys, arrays_.values_in, own_.values, n, options_,
                                        work_->how());
            } else if constexpr (std::is_integral_v<Value>) {
                auto indices = work_->template take<Value>(n);
                kogge::inclusive_scan(CountingFrom<Value>{before_[rank_]}, indices.data(), n, maximum{}, work_->how());
                kogge::radix_sort_pairs(arrays_.keys_in, own_.keys, indices.data(), own_.values, n, options_,
                                        work_->how());
                work_->give_back(indices, n);
            }
        });
    }

    /// Part i is piece i % pieces_ of rank i / pieces_. Pieces may begin anywhere: an eighth of one is near enough.
    void find_parts() {
        std::vector<std::uint64_t> positions, slack;
        for (std::size_t r = 0; r < size_; ++r) {
            const std::vector<std::uint64_t> inner = even_begins(goal_[r + 1] - goal_[r], pieces_);
            for (std::size_t piece = r == 0 ? 1 : 0; piece < pieces_; ++piece) {
                positions.push_back(goal_[r] + inner[piece]);
                slack.push_back(piece == 0 ? 0 : inner[1] / 8);
            }
        }
        const std::vector<Cut<Code>> cuts =
            find_cuts(call_, *work_, own_.keys, own_.n, code_of_, positions, slack, before_.back());
        parts_.emplace(call_, *work_, code_of_, own_.keys, cuts, counts_);
    }

    /// All that is needed, before a rank writes a result.
    void take_memory() {
        std::uint64_t n = results_.n;
        for (std::size_t piece = 0; piece < pieces_; ++piece) n -= parts_->items(rank_, pieces_ * rank_ + piece);
        merge_.emplace(*work_, code_of_, size_, results_);
        sorted_ = call_.template gather<Run>(1, [&](Run* mine) {
            received_keys_ = work_->template take<Key>(n);
            if constexpr (kHasValues) received_values_ = work_->template take<Value>(n);
            received_ = {received_keys_.data(), received_values_.data(), n};
            merge_->take_memory();
            *mine = own_;
            if (!work_->on_device()) return;
            if (pieces_ > 1) link_.emplace();
            simt::synchronize(work_->stream());  // what others get is there
        });
    }

    /// Piece by piece: while one is merged, the next one is on its way. Where this rank reaches the others' items it
    /// fetches them, and all pieces are queued at once; otherwise the ranks meet for each piece.
    void get_and_merge() {
        std::uint64_t arrived = 0, done = 0;
        for (std::size_t piece = 0; piece < pieces_; ++piece) {
            const std::size_t part = pieces_ * rank_ + piece;
            std::vector<Run> runs;
            std::uint64_t next = arrived, n = 0;
            for (std::size_t r = 0; r < size_; ++r) {
                const std::uint64_t items = parts_->items(r, part);
                runs.push_back(r == rank_ ? own_.from(parts_->begin(r, part), items) : received_.from(next, items));
                if (r != rank_) next += items;
                n += items;
            }
            if (are_reached_) {
                fetch(runs, part);
            } else {
                exchange(own_.keys, received_.keys + arrived, piece);
                if constexpr (kHasValues) exchange(own_.values, received_.values + arrived, piece);
            }
            (*merge_)(std::move(runs), done);
            arrived = next;
            done += n;
        }
        if (work_->on_device()) simt::synchronize(work_->stream());
    }

    void wait_for_what_is_queued() const noexcept {
        for (const stream_t stream : {link(), work_->stream()}) {
            try {
                simt::synchronize(stream);
            } catch (...) {  // the first failure is the one to tell of
            }
        }
    }

    stream_t link() const { return link_ ? link_->get() : work_->stream(); }

    /// Each rank begins behind itself, so that no rank's link serves all others at once.
    void fetch(const std::vector<Run>& runs, std::size_t part) const {
        for (std::size_t i = 1; i < size_; ++i) {
            const std::size_t r = (rank_ + i) % size_;
            const Run theirs = sorted_[r].from(parts_->begin(r, part), runs[r].n);
            simt::copy(runs[r].keys, theirs.keys, theirs.n * sizeof(Key), link());
            if constexpr (kHasValues) simt::copy(runs[r].values, theirs.values, theirs.n * sizeof(Value), link());
        }
        if (link_) simt::order_after(work_->stream(), link());
    }

    /// What others send goes to `into`, rank by rank.
    template <class T>
    void exchange(const T* mine, T* into, std::size_t piece) {
        std::vector<communicator::outgoing> to(size_);
        std::vector<communicator::incoming> from(size_);
        for (std::size_t r = 0; r < size_; ++r) {
            if (r == rank_) continue;
            const std::size_t theirs = pieces_ * r + piece, own = pieces_ * rank_ + piece;
            to[r] = {mine + parts_->begin(rank_, theirs), parts_->items(rank_, theirs) * sizeof(T)};
            from[r] = {into, parts_->items(r, own) * sizeof(T)};
            into += parts_->items(r, own);
        }
        ranks_.exchange(to, from, work_->where(), link());
    }

    communicator& ranks_;
    const char* name_;
    Arrays arrays_;
    distributed::sort_options options_;
    DistributedCall call_;
    std::size_t size_, rank_;
    std::optional<RankWork> work_;
    CodeOfKey<Key> code_of_{};
    std::vector<std::uint64_t> counts_;  ///< items of each rank
    std::vector<std::uint64_t> before_;  ///< items of the ranks before each one, and of all
    std::vector<std::uint64_t> goal_;    ///< where each rank's part of the sorted array begins, and its end
    bool are_reached_ = true;            ///< each rank's memory by the others' devices
    std::size_t pieces_ = 1;
    WorkArray<Key> own_keys_, unwanted_keys_, received_keys_;
    WorkArray<Value> own_values_, received_values_;
    Run own_{}, received_{}, results_{};
    std::vector<Run> sorted_;  ///< each rank's own items
    std::optional<PartsOfRanks> parts_;
    std::optional<RunMerges<Key, Value>> merge_;
    std::optional<simt::OwnStream> link_;
};

template <class Key, class Value>
std::uint64_t distributed_sort(communicator& ranks, const char* name, const DistributedArrays<Key, Value>& arrays,
                               const item_count& n, const distributed::sort_options& options, const exec& how) {
    return DistributedSort<Key, Value>(ranks, name, arrays, options).run(n, how);
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
