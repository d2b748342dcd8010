// The second half of a resident sort by buckets (sort/resident/kernel.cuh): a block has all keys of one range of codes,
// its bucket, in the temporary array, and sorts them into the output.
//
// Passes over the leading digits in shared memory, or one pass over a wide digit if keys are few and have no values
// (sort/resident/wide_digit.cuh), leave short runs of keys that agree in these digits; each run is sorted by one
// thread, by insertion. Values do not travel between the passes: their 16-bit indices do. Ranks are in arrival order,
// and a look at all neighbours tells whether digits are in order, and indices where digits are equal. If not, if a run
// is long, or if there are too many runs, the bucket is loaded again and sorted by all digits, with ranks in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kogge/sort/resident/block_keys.cuh"
#include "kogge/sort/resident/buckets.cuh"
#include "kogge/sort/resident/wide_digit.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A bucket in order of the leading digits, in shared memory.
template <class Steps, class Key, class Bucket, bool has_values>
struct RangeTile {
    using Code = typename Steps::Bits;
    static constexpr int kLongRun = 16;  ///< the most keys in a run that one thread sorts

    const Bucket& bucket;
    Key* keys;
    std::uint16_t* indices;
    int count;
    Code low;   ///< the lowest code
    int shift;  ///< bits below the leading digits of a step or of the distance from `low`; 0: digits are of all bits
    Steps steps;

    /// The digit of a pass, and the digits above it.
    KOGGE_DEVICE Code digits(const Key& key, int pass) const {
        const Code code = bucket.item_code(key);
        if constexpr (!Steps::kAreOfCodes)
            if (shift > 0) return steps(code) >> (shift + pass * kDigitBits);
        return static_cast<Code>((code - low) >> (shift + pass * kDigitBits));
    }
    KOGGE_DEVICE Code leading(int place) const { return digits(keys[place], 0); }
    /// Whether a place and the one before it have come in order, given that they have the same leading digits.
    KOGGE_DEVICE bool came_in_order(int place) const {
        if constexpr (has_values) return place == 0 || indices[place - 1] < indices[place];
        else return true;
    }

    /// The keys in a run that begins at a place, counted up to kLongRun + 1.
    KOGGE_DEVICE int length_of_run(int begin) const {
        const Code shared_digits = leading(begin);
        int end = begin + 1;
        while (end <= begin + kLongRun && end < count && leading(end) == shared_digits) ++end;
        return end - begin;
    }

    /// Sorts a run by insertion; equal keys keep their order. Other threads sort neighbouring runs at the same time:
    /// only keys of this run are read.
    KOGGE_DEVICE void sort_run(int begin, int length) const {
        for (int next = begin + 1; next < begin + length; ++next) {
            const Key key = keys[next];
            const Code code = bucket.item_code(key);
            [[maybe_unused]] std::uint16_t index = 0;
            if constexpr (has_values) index = indices[next];
            int place = next;
            for (; place > begin && code < bucket.item_code(keys[place - 1]); --place) {
                keys[place] = keys[place - 1];
                if constexpr (has_values) indices[place] = indices[place - 1];
            }
            keys[place] = key;
            if constexpr (has_values) indices[place] = index;
        }
    }
};

/// The runs that begin at a thread's places: one bit each, and four bits for the length.
template <int most>
struct RangeRuns {
    static_assert(most <= 64);
    static constexpr int kMost = 32;
    std::uint64_t bits = 0;
    std::uint64_t lengths[2] = {};  ///< less one, of the first run in the lowest bits

    /// Adds the run that begins at the thread's number-th place.
    KOGGE_DEVICE void add(int number) { bits |= std::uint64_t{1} << number; }
    /// Finds the lengths. False: a run is too long, or there are too many.
    template <class Tile>
    KOGGE_DEVICE bool measure(const Tile& tile) {
        int measured = 0;
        for (std::uint64_t rest = bits; rest != 0; rest &= rest - 1) {
            const int length = tile.length_of_run(place_of(rest));
            if (length > Tile::kLongRun || measured == kMost) return false;
            const std::uint64_t nibble = static_cast<std::uint64_t>(length - 1) << measured % 16 * 4;
            (measured < 16 ? lengths[0] : lengths[1]) |= nibble;
            ++measured;
        }
        return true;
    }
    KOGGE_DEVICE bool any() const { return bits != 0; }
    /// Removes the first length and returns it.
    KOGGE_DEVICE int take_length() {
        const int length = static_cast<int>(lengths[0] & 15) + 1;
        lengths[0] = lengths[0] >> 4 | lengths[1] << 60;
        lengths[1] >>= 4;
        return length;
    }
    /// Removes the first place and returns it.
    KOGGE_DEVICE int take_place() {
        const int place = place_of(bits);
        bits &= bits - 1;
        return place;
    }

private:
    KOGGE_DEVICE static int place_of(std::uint64_t bits) {
        const auto low = static_cast<simt::mask_t>(bits);
        const int number =
            low != 0 ? simt::lowest_bit(low) : 32 + simt::lowest_bit(static_cast<simt::mask_t>(bits >> 32));
        return simt::thread_rank() + number * kResidentSortThreads;
    }
};

/// Finds the runs at all places of a tile. Returns whether leading digits are in order, and all runs are short and few.
template <int most, class Tile>
KOGGE_DEVICE bool find_runs(const Tile& tile, RangeRuns<most>& heads) {
    bool in_order = true;
    int number = 0;
    for_places<4>(tile.count, [&]<int batch>(int first, std::integral_constant<int, batch>) {
        typename Tile::Code before[batch], own[batch], next[batch];
        const auto place_of = [&](int u) { return first + u * kResidentSortThreads; };
        for_each_item<batch>([&](int u) {
            const int place = place_of(u);
            before[u] = tile.leading(place > 0 ? place - 1 : place);
            own[u] = tile.leading(place);
            next[u] = tile.leading(place + 1 < tile.count ? place + 1 : place);
        });
        for_each_item<batch>([&](int u) {
            const int place = place_of(u);
            in_order = in_order && before[u] <= own[u] && (before[u] != own[u] || tile.came_in_order(place));
            if (place + 1 < tile.count && own[u] == next[u] && (place == 0 || before[u] != own[u]))
                heads.add(number + u);
        });
        number += batch;
    });
    if (tile.shift == 0) {  // equal digits are equal keys
        heads = {};
        return in_order;
    }
    // Lanes measure their runs together, once all heads are known.
    return heads.measure(tile) && in_order;
}

/// Whether more than half of up to 2048 of a bucket's keys share their leading 16 bits with an earlier one of them:
/// then runs are long. All threads call, after a barrier that follows the zeros of clear().
class LeadingBits {
public:
    static constexpr int kBits = 16;

    KOGGE_DEVICE explicit LeadingBits(ResidentSortShared& shared) : shared_(shared) {}

    KOGGE_DEVICE void clear() const {
        for_each_item<kWords / kResidentSortThreads>(
            [&](int i) { shared_.rows[simt::thread_rank() + i * kResidentSortThreads] = 0; });
    }
    template <class Digits>
    KOGGE_DEVICE bool are_crowded(const WarpShare& share, const Digits& leading) const {
        std::uint32_t held = 0, repeated = 0;
        for_each_item<kRows>([&](int i) {
            if (!share.holds(i)) return;
            const std::uint32_t bits = leading(i) % (1u << kBits), bit = 1u << bits % 32;
            ++held;
            if (simt::atomic_or<simt::Scope::block>(shared_.rows + bits / 32, bit) & bit) ++repeated;
        });
        const std::uint32_t sums = simt::reduce_add(held | repeated << 16);
        if (simt::lane() == 0) shared_.disorder[simt::warp_rank()] = sums;
        simt::sync_block();  // all warps have looked
        const std::uint32_t all =
            simt::reduce_add(simt::lane() < ResidentSortShared::kWarps ? shared_.disorder[simt::lane()] : 0u);
        return 2 * (all >> 16) > (all & 0xffffu);
    }

private:
    static constexpr int kWords = (1 << kBits) / 32, kRows = 4;
    static_assert(kWords <= 2 * ResidentSortShared::kHalfWords);
    ResidentSortShared& shared_;
};

/// Sorts a bucket: the `count` keys from `begin` on in the temporary array. steps_of(bounds) are the steps between its
/// least and greatest code, over which keys are expected to be uniform; place_of(i) is the place in the output
/// of the i-th key in order. False: the quick way did not work out, and nothing is written, as the block may give up
/// then; otherwise it sorts by all digits. All threads call.
template <class Steps, class Problem, class StepsOf, class Key, class PlaceOf>
KOGGE_DEVICE bool sort_bucket(ResidentSortShared& shared, const Problem& problem, const StepsOf& steps_of,
                              Key* exchange, std::uint32_t begin, int count, const PlaceOf& place_of,
                              bool may_give_up) {
    const auto bucket = problem.bucket;
    using Tile = RangeTile<Steps, Key, std::remove_const_t<decltype(bucket)>, Problem::kHasValues>;
    using Code = typename Tile::Code;
    constexpr int most = Problem::kBucketItems, step = batch_of(most);
    constexpr std::size_t widest = sizeof(Key) > Problem::kValueBytes ? sizeof(Key) : Problem::kValueBytes;
    auto* const index_exchange =
        reinterpret_cast<std::uint16_t*>(reinterpret_cast<unsigned char*>(exchange) + problem.most_of_bucket * widest);
    WarpShare share(count, (count + kResidentSortThreads - 1) / kResidentSortThreads);
    std::uint32_t* const row = shared.row(simt::warp_rank());

    Key keys[most];
    ShortNumbers<most> indices, ranks;
    const Key* const source = problem.keys_other + begin;
    const auto load = [&] {
        share = share.again();
        for_items<most, step>(share.used, [&](int i) {
            if (share.holds(i)) keys[i] = source[share.place(i)];
        });
        if constexpr (Problem::kHasValues)
            for_items<most, step>(share.used,
                                  [&](int i) { indices.set(i, static_cast<std::uint32_t>(share.place(i))); });
    };
    load();
    CodeBounds<Code> bounds{static_cast<Code>(~Code{0}), 0};
    for_items<most, step>(share.used, [&](int i) {
        if (share.holds(i)) bounds.add(bucket.item_code(keys[i]));
    });
    if (simt::thread_rank() == 0) shared.verdict = 0;
    [[maybe_unused]] const BlockDigits wide(shared);
    if constexpr (!Problem::kHasValues) wide.clear();
    const LeadingBits some(shared);
    if (may_give_up) some.clear();
    bounds.gather(shared);

    // Enough leading digits that a key shares them with less than one other key, if keys are uniform over the steps.
    const Steps steps = steps_of(bounds);
    const int width = bit_width(static_cast<Code>(bounds.high - bounds.low));
    const int all = width > 0 ? (width + kDigitBits - 1) / kDigitBits : 1;
    const int enough = (bit_width(static_cast<std::uint32_t>(count)) + kDigitBits - 1) / kDigitBits;
    const int leading_width = Steps::kAreOfCodes ? width : Steps::kWidth;
    const bool few = !Problem::kHasValues && problem.may_reorder && static_cast<std::uint32_t>(count) <= kMostOfWide;
    bool is_wide = few && steps.are_some() && width > BlockDigits::kBits;
    bool in_order = !Problem::kHasValues && !problem.may_reorder;  // without indices nobody could tell
    int passes = is_wide ? 0 : all <= enough || !steps.are_some() ? all : enough;
    if (may_give_up && !is_wide && passes < all && leading_width > LeadingBits::kBits) {
        const Tile tile{bucket, exchange, index_exchange, count, bounds.low, leading_width - LeadingBits::kBits, steps};
        if (some.are_crowded(share, [&](int i) { return static_cast<std::uint32_t>(tile.digits(keys[i], 0)); }))
            return false;
    }
    for (;; passes = all, is_wide = false, in_order = true) {
        const int beyond = leading_width - (is_wide ? BlockDigits::kBits : passes * kDigitBits);
        const Tile tile{bucket, exchange, index_exchange, count, bounds.low, passes < all ? beyond : 0, steps};
        if constexpr (!Problem::kHasValues)
            if (is_wide) {
                const auto digit = [&](int i) {
                    return static_cast<std::uint32_t>(tile.digits(keys[i], 0)) % (1u << BlockDigits::kBits);
                };
                for_items<most, step>(share.used,
                                      [&](int i) { ranks.set(i, share.holds(i) ? wide.rank(digit(i)) : 0); });
                simt::sync_block();  // all keys are counted
                wide.place();
                for_items<most, step>(share.used, [&](int i) {
                    if (share.holds(i)) exchange[wide.start(digit(i)) + ranks.get(i)] = keys[i];
                });
                simt::sync_block();  // the keys are in order of the digit
            }
        for (int pass = 0; pass < passes; ++pass) {
            share = share.again();
            const auto digit = [&](int i) {
                return static_cast<std::uint32_t>(tile.digits(keys[i], pass)) & (kBins - 1);
            };
            rank_share<most>(share, row, ranks, in_order, digit);
            simt::sync_block();  // all warps have counted, and have left the exchange
            share = share.again();
            place_digits(shared, [](std::uint32_t, std::uint32_t) {});
            place_share<most>(share, row, ranks, digit, [&](int i, std::uint32_t place) {
                exchange[place] = keys[i];
                if constexpr (Problem::kHasValues) index_exchange[place] = static_cast<std::uint16_t>(indices.get(i));
            });
            simt::sync_block();  // the keys are in order of the digit
            if (pass == passes - 1) break;
            share = share.again();
            for_items<most, step>(share.used, [&](int i) {
                if (share.holds(i)) keys[i] = exchange[share.place(i)];
            });
            if constexpr (Problem::kHasValues)
                for_items<most, step>(share.used, [&](int i) {
                    if (share.holds(i)) indices.set(i, index_exchange[share.place(i)]);
                });
        }
        if (in_order && tile.shift == 0) break;

        RangeRuns<most> heads;
        if (!find_runs(tile, heads)) simt::atomic_or<simt::Scope::block>(&shared.verdict, 1);
        simt::sync_block();  // every thread has looked at its places
        if (shared.verdict == 0) {
            while (heads.any()) {
                const int length = heads.take_length();
                tile.sort_run(heads.take_place(), length);
            }
            simt::sync_block();  // all runs are in order
            break;
        }
        if (may_give_up) return false;
        load();
    }

    const auto first_pass = bucket.in_pass(0);
    if (problem.writes_keys)
        for_places<4>(count, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Key sorted[batch];
            for_each_item<batch>([&](int u) { sorted[u] = exchange[first + u * kResidentSortThreads]; });
            for_each_item<batch>([&](int u) {
                problem.keys_out[place_of(static_cast<std::uint32_t>(first + u * kResidentSortThreads))] =
                    first_pass.decode(sorted[u]);
            });
        });
    if constexpr (Problem::kHasValues) {
        using Value = typename Problem::ValueType;
        auto* const values = reinterpret_cast<Value*>(exchange);
        const Value* const values_from = problem.values_other + begin;
        simt::sync_block();  // the keys have been read
        for_places<4>(count, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Value moved[batch];
            for_each_item<batch>([&](int u) { moved[u] = values_from[first + u * kResidentSortThreads]; });
            for_each_item<batch>([&](int u) { values[first + u * kResidentSortThreads] = moved[u]; });
        });
        simt::sync_block();  // the values are on chip
        for_places<4>(count, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Value sorted[batch];
            for_each_item<batch>([&](int u) { sorted[u] = values[index_exchange[first + u * kResidentSortThreads]]; });
            for_each_item<batch>([&](int u) {
                problem.values_out[place_of(static_cast<std::uint32_t>(first + u * kResidentSortThreads))] = sorted[u];
            });
        });
    }
    return true;
}

}  // namespace kogge::grid::KOGGE_CODE
