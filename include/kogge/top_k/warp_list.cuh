// A warp's selection: codes of a batch of keys in registers, and a list in shared memory that at no time lacks one of
// the k least ranks so far. No guess is made: of each batch at most about k items are listed, those up to a code that
// is found by halving an interval; and what follows is compared with the k-th least of what has been seen.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/top_k/rank.cuh"
#include "kogge/top_k/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The greatest number of a warp's lanes, in all of them.
KOGGE_DEVICE std::uint32_t greatest_of_warp(std::uint32_t number) { return simt::reduce_max(number); }
KOGGE_DEVICE std::uint64_t greatest_of_warp(std::uint64_t number) {
    const auto high = static_cast<std::uint32_t>(number >> 32), most = simt::reduce_max(high);
    const std::uint32_t low = simt::reduce_max(high == most ? static_cast<std::uint32_t>(number) : 0);
    return std::uint64_t{most} << 32 | low;
}

/// All lanes of the warp call each function.
template <class Key, class Codec, class Rank>
class WarpSelection {
public:
    using Codes = TopKCodes<Codec>;
    using Code = typename Codes::Code;
    static constexpr int kPlaces = static_cast<int>(kTopKWarpBytes / sizeof(Rank)), kItems = kPlaces / simt::kWarpSize;
    static constexpr std::uint64_t kBatch = kPlaces;  ///< keys

    /// 0 < k <= top_k_list_most(sizeof(Rank)).
    KOGGE_DEVICE WarpSelection(const Codes& codes, int k, Rank* list)
        : codes_(codes), k_(k), enough_(k + k / 2 < kTopKFew ? kTopKFew : k + k / 2), list_(list) {}

    /// Takes keys[first … first + kBatch), as far as there are `length` keys.
    KOGGE_DEVICE void take(const Key* keys, std::uint64_t first, std::uint64_t length) {
        const std::uint64_t left = length - first;
        const int items = static_cast<int>(left < kBatch ? left : kBatch);
        const Key* const own = keys + first + simt::lane();
        Code codes[std::size_t{kItems}];
        KOGGE_UNROLL
        for (int e = 0; e < kItems; ++e) codes[e] = place_of(e) < items ? codes_.of(own[e * simt::kWarpSize]) : kNone;
        // Behind the threshold's item no other of its code is among the first.
        Code bound = code_of_rank<Code>(threshold_);
        if (first > index_of(threshold_)) {
            if (bound == 0) return;
            --bound;
        }
        const int count = count_up_to(codes, bound, items);
        if (count == 0) return;
        int most = kPlaces;  // of the code `bound`
        if (count > enough_) {
            most = narrow_batch(codes, bound, items, count);
            bound_by(bound);
        }
        append(codes, first, bound, most, items);
    }
    /// How many are listed.
    KOGGE_DEVICE int count() const { return count_; }
    /// The greatest code of what may still be among the first, here or in another selection of the same k.
    KOGGE_DEVICE Code bound() const { return code_of_rank<Code>(threshold_); }
    KOGGE_DEVICE void bound_by(Code code) {
        threshold_ = lesser(threshold_, make_rank<Rank>(code, index_of(kNoRank<Rank>)));
    }

    /// Takes off the list what is past the bound, and writes kNoRank to the places behind it.
    KOGGE_DEVICE void drop_others() {
        simt::sync_warp();  // the list is complete
        const int before = count_;
        count_ = 0;
        KOGGE_NO_UNROLL
        for (int from = 0; from < kPlaces; from += simt::kWarpSize) {
            const int at = from + simt::lane();
            const Rank rank = at < before ? list_[at] : kNoRank<Rank>;
            simt::sync_warp();  // the row has been read
            list_[at] = kNoRank<Rank>;
            simt::sync_warp();  // the row holds nothing
            const bool is_kept = at < before && rank <= threshold_;
            const simt::mask_t votes = simt::ballot(is_kept);
            if (is_kept) list_[count_ + simt::count_bits(votes & simt::lanes_before())] = rank;
            count_ += simt::count_bits(votes);
        }
    }

    /// Calls write(rank, place) for the k least ranks.
    template <class Write>
    KOGGE_DEVICE void write(const Write& write) {
        constexpr int each = 2, at_once = 4;
        if (count_ > enough_) shorten();
        // What rounds the list up to whole reads is behind all ranks.
        if (simt::lane() < at_once && count_ + simt::lane() < kPlaces) list_[count_ + simt::lane()] = kNoRank<Rank>;
        simt::sync_warp();  // the list is complete
        KOGGE_NO_UNROLL
        for (int from = 0; from < count_; from += each * simt::kWarpSize) {
            Rank own[each];
            int place[each] = {};
            KOGGE_UNROLL
            for (int c = 0; c < each; ++c) {
                const int at = from + c * simt::kWarpSize + simt::lane();
                own[c] = list_[at < count_ ? at : 0];
            }
            KOGGE_NO_UNROLL
            for (int i = 0; i < count_; i += at_once) {
                KOGGE_UNROLL
                for (int l = 0; l < at_once; ++l) {
                    const Rank other = list_[i + l];
                    KOGGE_UNROLL
                    for (int c = 0; c < each; ++c) place[c] += other < own[c] ? 1 : 0;
                }
            }
            KOGGE_UNROLL
            for (int c = 0; c < each; ++c)
                if (from + c * simt::kWarpSize + simt::lane() < count_ && place[c] < k_)
                    write(own[c], static_cast<std::uint64_t>(place[c]));
        }
        simt::sync_warp();  // the list has been read
    }

private:
    using Number = std::conditional_t<sizeof(Code) == 8, std::uint64_t, std::uint32_t>;
    static constexpr Code kNone = static_cast<Code>(~Code{0});  ///< stands for no item, too

    KOGGE_DEVICE static int place_of(int e) { return e * simt::kWarpSize + simt::lane(); }

    /// Of a batch's items those with a code up to this one.
    KOGGE_DEVICE static int count_up_to(const Code (&codes)[std::size_t{kItems}], Code code, int items) {
        if (code == kNone) return items;
        std::uint32_t own = 0;
        KOGGE_UNROLL
        for (int e = 0; e < kItems; ++e) own += codes[e] <= code ? 1u : 0u;
        return static_cast<int>(simt::reduce_add(own));
    }

    /// Lowers the bound until few of the batch's items, but k, are up to it. Returns how many with the code `bound` are
    /// enough: all, unless there are many.
    KOGGE_DEVICE int narrow_batch(const Code (&codes)[std::size_t{kItems}], Code& bound, int items, int count) {
        // As many items as there are lanes are up to the lanes' least codes, and twice as many up to their second ones.
        Code least = kNone, second = kNone;
        KOGGE_UNROLL
        for (int e = 0; e < kItems; ++e) {
            const Code greater = codes[e] < least ? least : codes[e];
            if (codes[e] < least) least = codes[e];
            if (greater < second) second = greater;
        }
        Code low = static_cast<Code>(~greatest_of_warp(static_cast<Number>(~Number{least})));
        Code high = bound;
        if (k_ <= 2 * simt::kWarpSize) {
            const Number of_lanes = greatest_of_warp(Number{k_ <= simt::kWarpSize ? least : second});
            if (of_lanes < high) high = static_cast<Code>(of_lanes);
        }
        count = count_up_to(codes, high, items);
        KOGGE_NO_UNROLL
        while (count > enough_ && low < high) {
            const Code middle = static_cast<Code>(low + (high - low) / 2);
            const int up_to = count_up_to(codes, middle, items);
            if (up_to >= k_) {
                high = middle;
                count = up_to;
            } else {
                low = static_cast<Code>(middle + 1);
            }
        }
        bound = high;
        if (count <= enough_) return kPlaces;
        return k_ - (high > 0 ? count_up_to(codes, static_cast<Code>(high - 1), items) : 0);
    }

    /// Lists the batch's items up to a code, of those that have it the first `most`.
    KOGGE_DEVICE void append(const Code (&codes)[std::size_t{kItems}], std::uint64_t first, Code bound, int most,
                             int items) {
        int equal = 0;
        KOGGE_UNROLL
        for (int e = 0; e < kItems; ++e) {
            if (e * simt::kWarpSize >= items) break;
            bool is_listed = place_of(e) < items && codes[e] <= bound;
            if (most < kPlaces) {
                const simt::mask_t equals = simt::ballot(is_listed && codes[e] == bound);
                if (codes[e] == bound) is_listed &= equal + simt::count_bits(equals & simt::lanes_before()) < most;
                equal += simt::count_bits(equals);
            }
            const simt::mask_t votes = simt::ballot(is_listed);
            if (votes == 0) continue;
            if (count_ + simt::kWarpSize > kPlaces) shorten();
            if (is_listed)
                list_[count_ + simt::count_bits(votes & simt::lanes_before())] =
                    make_rank<Rank>(codes[e], first + static_cast<std::uint64_t>(place_of(e)));
            count_ += simt::count_bits(votes);
        }
    }

    /// Leaves the k least ranks in the list, and few others.
    KOGGE_DEVICE_CALL void shorten() {
        simt::sync_warp();  // the list is complete
        Rank ranks[std::size_t{kItems}], low = kNoRank<Rank>, high = 0;
        KOGGE_UNROLL
        for (int e = 0; e < kItems; ++e) {
            ranks[e] = place_of(e) < count_ ? list_[place_of(e)] : kNoRank<Rank>;
            if (ranks[e] < low) low = ranks[e];
            if (place_of(e) < count_ && ranks[e] > high) high = ranks[e];
        }
        for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2) {
            low = lesser(low, simt::shuffle_xor(low, lanes));
            const Rank other = simt::shuffle_xor(high, lanes);
            if (other > high) high = other;
        }
        simt::sync_warp();  // the list has been read
        int count = count_;
        KOGGE_NO_UNROLL
        while (count > k_ + k_ / 8) {
            const Rank middle = static_cast<Rank>(low + (high - low) / 2);
            std::uint32_t own = 0;
            KOGGE_UNROLL
            for (int e = 0; e < kItems; ++e) own += ranks[e] <= middle ? 1u : 0u;
            const int up_to = static_cast<int>(simt::reduce_add(own));
            if (up_to >= k_) {
                high = middle;
                count = up_to;
            } else {
                low = static_cast<Rank>(middle + 1);
            }
        }
        threshold_ = high;
        count_ = 0;
        KOGGE_UNROLL
        for (int e = 0; e < kItems; ++e) {
            const simt::mask_t votes = simt::ballot(ranks[e] <= high);
            if ((votes >> simt::lane() & 1u) != 0)
                list_[count_ + simt::count_bits(votes & simt::lanes_before())] = ranks[e];
            count_ += simt::count_bits(votes);
        }
        simt::sync_warp();  // the list is shorter
    }

    const Codes& codes_;
    int k_, enough_;
    Rank* list_;
    int count_ = 0;
    Rank threshold_ = kNoRank<Rank>;  ///< what has a greater rank is not among the first
};

}  // namespace kogge::grid::KOGGE_CODE
