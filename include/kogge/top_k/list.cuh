// A block's selection of a segment, or of a part of one: a list in shared memory that at no time lacks one of the k least
// ranks so far. Each item is read once, and no guess is made: the k-th least of what has been seen is a threshold for
// what follows, and so is, of a batch, what k groups have an item up to.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/top_k/collect.cuh"
#include "kogge/top_k/narrow.cuh"
#include "kogge/top_k/order.cuh"
#include "kogge/top_k/threshold.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A block that selects alone.
struct BlockTeam {
    KOGGE_DEVICE std::uint64_t blocks() const { return 1; }
    KOGGE_DEVICE std::uint64_t block() const { return 0; }
    KOGGE_DEVICE std::uint64_t thread() const { return static_cast<std::uint64_t>(simt::thread_rank()); }
    KOGGE_DEVICE std::uint64_t threads() const { return kTopKThreads; }
    KOGGE_DEVICE void sync() const { simt::sync_block(); }
};

template <class Rank>
struct TopKListShared {
    static constexpr int kPlaces = static_cast<int>(kTopKListBytes / sizeof(Rank));
    static constexpr int kWarps = kTopKThreads / simt::kWarpSize;
    Rank list[kPlaces];
    std::uint64_t groups[kWarps];
    std::uint32_t count;
    std::uint32_t is_last;
    TopKNarrowShared<Rank> narrow;
    TopKPlacesShared places;
};

/// The greatest number of a warp's lanes, in all of them.
KOGGE_DEVICE std::uint32_t greatest_of_warp(std::uint32_t number) { return simt::reduce_max(number); }
KOGGE_DEVICE std::uint64_t greatest_of_warp(std::uint64_t number) {
    const auto high = static_cast<std::uint32_t>(number >> 32), most = simt::reduce_max(high);
    const std::uint32_t low = simt::reduce_max(high == most ? static_cast<std::uint32_t>(number) : 0);
    return std::uint64_t{most} << 32 | low;
}
/// The j-th least number of a warp's lanes.
template <class Number>
KOGGE_DEVICE Number nth_least_of_warp(Number number, int j) {
    Number rest = static_cast<Number>(~number);  // the greatest are sought
    KOGGE_NO_UNROLL
    for (;; --j) {
        const Number greatest = greatest_of_warp(rest);
        if (j <= 1) return static_cast<Number>(~greatest);
        if (simt::lane() == simt::lowest_bit(simt::ballot(rest == greatest))) rest = 0;
    }
}

/// All threads of the block call each function. Between the selections of two parts the block meets.
template <class Key, class Codec, class Rank>
class ListSelection {
public:
    using Codes = TopKCodes<Codec>;
    using Code = typename Codes::Code;
    using Shared = TopKListShared<Rank>;

    /// Of n > 0 keys; of these, 0 < k <= n. `control` is the block's own, for counting.
    KOGGE_DEVICE ListSelection(const Key* keys, std::uint64_t n, std::uint64_t k, const Codes& codes, Shared& shared,
                               TopKControl* control)
        : in_(keys, n), k_(k), codes_(codes), shared_(shared), control_(control) {}

    /// Lists the k least ranks, and perhaps others.
    KOGGE_DEVICE void list() {
        if (simt::thread_rank() == 0) shared_.count = 0;
        simt::sync_block();  // the list is empty
        Batch batch(team_);
        batch.load(in_);
        collect_ragged(in_, codes_, threshold_, places(), team_);
        simt::sync_block();  // the ragged items are listed
        KOGGE_NO_UNROLL
        for (std::uint64_t first = 0; first < in_.chunks; first += kTopKStreamed * kTopKThreads) {
            const std::uint32_t before = shared_.count;
            if (first > 0) batch.load(in_);
            look_at_groups(batch, first == 0);  // in which the block meets
            if (batch.any(in_)) collect_batch(in_, batch, codes_, threshold_, places());
            simt::sync_block();  // the batch is listed
            if (shared_.count > Shared::kPlaces) list_less(before, first, batch);
            batch.next();
        }
    }
    /// Lists `count` ranks of another selection; take(i) is the i-th.
    template <class Take>
    KOGGE_DEVICE void list_those(std::uint32_t count, const Take& take) {
        for (auto i = static_cast<std::uint32_t>(simt::thread_rank()); i < count; i += kTopKThreads)
            shared_.list[i] = take(i);
        if (simt::thread_rank() == 0) shared_.count = count;
        simt::sync_block();  // the list is complete
    }

    /// Calls write(rank, place) for the k least ones.
    template <class Write>
    KOGGE_DEVICE void write(std::uint32_t most_compared, const Write& write) {
        if (shared_.count > most_compared) shorten(most_compared);
        const Rank* const list = shared_.list;
        write_in_order<Rank>([list](std::uint32_t i) { return list[i]; }, shared_.count, k_, team_, shared_.places,
                             write);
    }

private:
    using Batch = TopKBatch<Key, kTopKStreamed>;
    using List = TopKList<Rank, simt::Scope::block>;
    using Number = std::conditional_t<sizeof(Code) == 8, std::uint64_t, std::uint32_t>;
    static constexpr int kWarps = Shared::kWarps, kEach = TopKInput<Key>::kEach;

    KOGGE_DEVICE List places() const { return {shared_.list, &shared_.count, Shared::kPlaces}; }
    KOGGE_DEVICE Rank rank_at(std::uint64_t index) const {
        return make_rank<Rank>(codes_.of(in_.keys[index]), index);
    }

    /// A lane's items of a batch are a group. If of each warp j groups have an item up to a code, k items are.
    KOGGE_DEVICE void look_at_groups(const Batch& batch, bool is_first) {
        const std::uint64_t j = divide_up(k_, kWarps);
        if (is_first || j <= kTopKFewRounds) {
            const std::uint32_t present = batch.present(in_);
            Number least = static_cast<Number>(~Number{0});
            KOGGE_UNROLL
            for (int c = 0; c < kTopKStreamed; ++c) {
                Key items[std::size_t{kEach}];
                unpack(batch.chunk[c], items);
                Code of_chunk = codes_.of(items[0]);
                KOGGE_UNROLL
                for (int i = 1; i < kEach; ++i) {
                    const Code code = codes_.of(items[i]);
                    if (code < of_chunk) of_chunk = code;
                }
                if ((present >> c & 1u) != 0 && of_chunk < least) least = of_chunk;
            }
            const Number of_warp = nth_least_of_warp(least, static_cast<int>(j));
            if (simt::lane() == 0) shared_.groups[simt::warp_rank()] = of_warp;
        }
        simt::sync_block();  // the groups are known
        if (is_first || j <= kTopKFewRounds) {
            const Number code = greatest_of_warp(
                simt::lane() < kWarps ? static_cast<Number>(shared_.groups[simt::lane()]) : Number{0});
            if (code <= codes_.greatest())  // of groups without items there is none
                threshold_ = lesser(threshold_, make_rank<Rank>(static_cast<Code>(code), index_of(kNoRank<Rank>)));
        }
    }

    /// The list is full: the least of the `before` ranks listed earlier and of the batch's items are listed instead.
    KOGGE_DEVICE_CALL void list_less(std::uint32_t before, std::uint64_t first_chunk, const Batch& batch) {
        const std::uint64_t left = in_.chunks - first_chunk, most = kTopKStreamed * kTopKThreads;
        const std::uint64_t items = (left < most ? left : most) * kEach, first = in_.index_of(first_chunk, 0);
        const Rank* const list = shared_.list;
        threshold_ = count_to(Shared::kPlaces / 2, before + items, [&](std::uint64_t i) {
            return i < before ? list[i] : rank_at(first + (i - before));
        });
        keep_up_to(threshold_, before);
        if (batch.any(in_)) collect_batch(in_, batch, codes_, threshold_, places());
        simt::sync_block();  // the batch is listed
    }

    /// Takes ranks off the list until there are few to compare each with each.
    KOGGE_DEVICE_CALL void shorten(std::uint32_t most_compared) {
        const std::uint32_t count = shared_.count;
        const std::uint64_t most = k_ + k_ / 4 > most_compared ? k_ + k_ / 4 : most_compared;
        const Rank* const list = shared_.list;
        threshold_ = count_to(most, count, [list](std::uint64_t i) { return list[i]; });
        keep_up_to(threshold_, count);
    }

    /// A rank with at least k of the ranks up to it, and at most `most`.
    template <class RankAt>
    KOGGE_DEVICE Rank count_to(std::uint64_t most, std::uint64_t count, const RankAt& at) {
        for (int b = simt::thread_rank(); b < kTopKBins; b += kTopKThreads) control_->bins[0][b] = 0;
        int round = 0;
        simt::sync_block();  // the bins are zero
        const Rank greatest = make_rank<Rank>(codes_.greatest(), in_.n - 1);
        return narrow(TopKBounds<Rank>{0, lesser(threshold_, greatest), 0}, k_, most, count, at, round, control_,
                      shared_.narrow, team_);
    }
    /// Takes all others of the first `count` ranks off the list.
    KOGGE_DEVICE void keep_up_to(Rank bound, std::uint32_t count) {
        constexpr int each = Shared::kPlaces / kTopKThreads;
        Rank own[std::size_t{each}];
        KOGGE_UNROLL
        for (int i = 0; i < each; ++i) {
            const auto place = static_cast<std::uint32_t>(i * kTopKThreads + simt::thread_rank());
            own[i] = place < count ? shared_.list[place] : kNoRank<Rank>;
        }
        simt::sync_block();  // the list is read
        if (simt::thread_rank() == 0) shared_.count = 0;
        simt::sync_block();  // the list is empty
        KOGGE_UNROLL
        for (int i = 0; i < each; ++i) {
            const auto place = static_cast<std::uint32_t>(i * kTopKThreads + simt::thread_rank());
            places().append(place < count && own[i] <= bound, own[i]);
        }
        simt::sync_block();  // the others are off the list
    }

    TopKInput<Key> in_;
    std::uint64_t k_;
    const Codes& codes_;
    Shared& shared_;
    TopKControl* control_;
    BlockTeam team_{};
    Rank threshold_ = kNoRank<Rank>;
};

}  // namespace kogge::grid::KOGGE_CODE
