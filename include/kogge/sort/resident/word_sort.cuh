// A block sorts its bucket by passes on chip, whatever the keys are, after the pass by quantiles
// (sort/resident/quantile_sort.cuh).
//
// Of the keys' codes, the 32-bit words count one by one: a word less its least value in the bucket has as many bits as
// it needs. Neighbouring words whose bits fit 32 together are sorted by at once, the lowest first, in passes of at most
// kQuantileBits bits. So a number in an upper word (a tile, a row) beside one in the lower (a depth) takes the passes
// of their ranges, not of all bits between. Values do not travel between passes: 16-bit indices do, and so do keys of
// more than a word.
//
// Ranks are in arrival order, and a look at all neighbours tells whether the result is in order. If not, all passes are
// repeated with ranks in order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/sort/resident/buckets.cuh"
#include "kogge/sort/resident/pass.cuh"
#include "kogge/sort/resident/quantiles.cuh"

namespace kogge::grid::KOGGE_CODE {

template <class Problem>
class WordSort {
public:
    using Key = typename Problem::KeyType;
    using Value = typename Problem::ValueType;

    /// `area`: shared memory of quantile_item_bytes for each of problem.most_by_quantiles keys.
    KOGGE_DEVICE WordSort(ResidentSortShared& shared, QuantileTables<Key>& tables, const Problem& problem,
                          unsigned char* area, std::uint32_t begin, int count)
        : shared_(shared),
          tables_(tables),
          problem_(problem),
          indices_(reinterpret_cast<std::uint16_t*>(area)),
          items_(area + (problem.most_by_quantiles * 2 + 15) / 16 * 16),
          bucket_(problem.bucket),
          source_(problem.keys_other + begin),
          begin_(begin),
          count_(count),
          share_(count, (count + kResidentSortThreads - 1) / kResidentSortThreads) {}

    /// Puts the bucket in order on chip. All threads call.
    KOGGE_DEVICE void sort() {
        if constexpr (!kTravels) find_widths();
        bool in_order = !kHasIndices && !problem_.may_reorder;  // without indices nobody could tell
        for (;; in_order = true) {
            sort_by_words(in_order);
            if constexpr (!kTravels) stage_keys();
            if (in_order) break;
            if (simt::thread_rank() == 0) shared_.verdict = 0;
            simt::sync_block();  // the verdict is open
            if (!is_in_order()) simt::atomic_or<simt::Scope::block>(&shared_.verdict, 1);
            simt::sync_block();  // every thread has looked at its places
            if (shared_.verdict == 0) break;
        }
    }
    /// Writes the sorted keys and values to the output; place_of(i) is the place of the i-th. All threads call, of an
    /// object that may be another one.
    template <class PlaceOf>
    KOGGE_DEVICE void write(const PlaceOf& place_of) {
        if constexpr (kTravels) least_ = tables_.low[0] << bucket_.in_pass(0).from;
        write_keys(place_of);
        if constexpr (Problem::kHasValues) write_values(place_of);
    }

private:
    static constexpr int most = kQuantileBucketItems, step = batch_of(most);
    static constexpr int kWords = static_cast<int>(sizeof(Key) / 4);
    static constexpr bool kTravels = kWords == 1;  ///< items travel themselves
    static constexpr bool kHasIndices = Problem::kHasValues || !kTravels;

    KOGGE_DEVICE std::uint32_t* words() const { return reinterpret_cast<std::uint32_t*>(items_); }
    KOGGE_DEVICE Key* keys() const { return reinterpret_cast<Key*>(items_); }
    KOGGE_DEVICE static std::uint32_t word(const Key& code, int w) {
        return static_cast<std::uint32_t>(code >> static_cast<int>(32 * w));
    }

    /// Takes note of the least value of each word of the codes, and of how many bits it differs by, from each thread's
    /// least and greatest ones.
    KOGGE_DEVICE void keep_widths(const c_array<std::uint32_t, kWords>& low,
                                  const c_array<std::uint32_t, kWords>& high) {
        constexpr int warps = ResidentSortShared::kWarps;
        for_each_item<kWords>([&](int w) {
            const std::uint32_t least = ~simt::reduce_max(~low[w]), greatest = simt::reduce_max(high[w]);
            if (simt::lane() > 0) return;
            reinterpret_cast<std::uint32_t*>(shared_.lowest[simt::warp_rank()])[w] = least;
            reinterpret_cast<std::uint32_t*>(shared_.highest[simt::warp_rank()])[w] = greatest;
        });
        simt::sync_block();  // all warps have written their bounds
        if (simt::warp_rank() == 0) {
            std::uint32_t least[std::size_t{kWords}], greatest[std::size_t{kWords}];
            for_each_item<kWords>([&](int w) {
                const int from = simt::lane() % warps;
                least[w] = ~simt::reduce_max(~reinterpret_cast<const std::uint32_t*>(shared_.lowest[from])[w]);
                greatest[w] = simt::reduce_max(reinterpret_cast<const std::uint32_t*>(shared_.highest[from])[w]);
            });
            if (simt::lane() == 0)
                for_each_item<kWords>([&](int w) {
                    tables_.low[w] = least[w];
                    tables_.width[w] = bit_width(greatest[w] - least[w]);
                });
        }
        simt::sync_block();  // the widths are known
    }
    /// Finds the widths of keys of several words.
    KOGGE_DEVICE void find_widths() {
        std::uint32_t low[std::size_t{kWords}], high[std::size_t{kWords}];
        for_each_item<kWords>([&](int w) {
            low[w] = ~0u;
            high[w] = 0;
        });
        for_places<2 * step>(count_, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Key codes[batch];
            for_each_item<batch>([&](int u) { codes[u] = source_[first + u * kResidentSortThreads]; });
            for_each_item<batch>([&](int u) {
                const Key code = bucket_.item_code(codes[u]);
                for_each_item<kWords>([&](int w) {
                    const std::uint32_t own = word(code, w);
                    low[w] = own < low[w] ? own : low[w];
                    high[w] = own > high[w] ? own : high[w];
                });
            });
        });
        keep_widths(low, high);
    }

    /// The bits of neighbouring words of a code, less their least values.
    KOGGE_DEVICE std::uint32_t joined(const Key& item, int from, int to) const {
        const Key code = bucket_.item_code(item);
        std::uint32_t bits = 0;
        int at = 0;
        for_each_item<kWords>([&](int w) {
            if (w < from || w >= to || tables_.width[w] == 0) return;
            bits |= (word(code, w) - tables_.low[w]) << at;
            at += tables_.width[w];
        });
        return bits;
    }

    KOGGE_DEVICE void sort_by_words(bool in_order) {
        if constexpr (kTravels) return sort_by_bits(0, 1, 0, true, in_order);
        bool is_first = true;
        for (int from = 0; from < kWords || is_first;) {
            int to = from, width = 0;
            while (to < kWords && width + tables_.width[to] <= 32) width += tables_.width[to++];
            if (width > 0 || (is_first && to == kWords)) {
                sort_by_bits(from, to, width, is_first, in_order);
                is_first = false;
            }
            from = to;
        }
    }

    /// Sorts by the bits of some words, stably. Of a word that travels itself, it finds the width first.
    KOGGE_DEVICE void sort_by_bits(int from, int to, int width, bool is_first, bool in_order) {
        std::uint32_t bits[std::size_t{most}]{};
        ShortNumbers<most> indices, ranks;
        WarpShare share = share_.again();
        if (kTravels || is_first) {
            for_items<most, step>(share.used, [&](int i) {
                if (share.holds(i)) bits[i] = travelling(source_[share.place(i)], from, to);
            });
            if constexpr (kTravels) {
                std::uint32_t low[1] = {~0u}, high[1] = {0};
                for_items<most, step>(share.used, [&](int i) {
                    const std::uint32_t code = bucket_.item_code(bits[i]);
                    if (share.holds(i)) {
                        low[0] = code < low[0] ? code : low[0];
                        high[0] = code > high[0] ? code : high[0];
                    }
                });
                keep_widths(low, high);
                width = tables_.width[0];
                least_ = tables_.low[0] << bucket_.in_pass(0).from;
                for_items<most, step>(share.used, [&](int i) { bits[i] -= least_; });
            }
            if constexpr (kHasIndices)
                for_items<most, step>(share.used,
                                      [&](int i) { indices.set(i, static_cast<std::uint32_t>(share.place(i))); });
        } else {
            for_places<2 * step>(count_, [&]<int batch>(int first, std::integral_constant<int, batch>) {
                Key found[batch];
                for_each_item<batch>([&](int u) { found[u] = source_[first + u * kResidentSortThreads]; });
                for_each_item<batch>(
                    [&](int u) { words()[first + u * kResidentSortThreads] = travelling(found[u], from, to); });
            });
            simt::sync_block();  // the words are on chip, in the bucket's order
            for_items<most, step>(share.used, [&](int i) {
                if (share.holds(i)) indices.set(i, indices_[share.place(i)]);
            });
            for_items<most, step>(share.used, [&](int i) {
                if (share.holds(i)) bits[i] = words()[indices.get(i)];
            });
            simt::sync_block();  // the words have been read
        }

        const int passes = width > 0 ? (width + kQuantileBits - 1) / kQuantileBits : 1;
        const int of_digit = width > passes ? (width + passes - 1) / passes : 1;
        const std::uint32_t ones = (1u << of_digit) - 1, used = of_digit > 1 ? 1u << (of_digit - 1) : 1;
        const int begin = kTravels ? bucket_.in_pass(0).from : 0;
        std::uint32_t* const row = tables_.rows.row(simt::warp_rank());
        for (int pass = 0; pass < passes; ++pass) {
            const int shift = pass * of_digit, left = width - shift, from_bit = begin + shift;
            const std::uint32_t mask = left < of_digit ? (1u << left) - 1 : ones;
            const auto digit_of = [&](std::uint32_t number) { return number >> from_bit & mask; };
            const auto digit = [&](int i) { return digit_of(bits[i]); };
            PackedRows::clear(row, used);
            share = share_.again();
            if (in_order) {
                // In a loop, through the warp's own places: for ballots of all registers, one after the other, nvcc
                // 13.0 has too few predicates. Places past the end take the last bin, after all keys, and are taken
                // off its count.
                if (pass == 0)
                    for_items<most, step>(share.used, [&](int i) {
                        if (share.holds(i)) words()[share.place(i)] = bits[i];
                    });
                KOGGE_NO_UNROLL
                for (int i = 0; i < share.used; i += step) {
                    std::uint32_t found[std::size_t{step}];
                    for_each_item<step>(
                        [&](int u) { found[u] = share.holds(i + u) ? digit_of(words()[share.place(i + u)]) : ones; });
                    PackedRows::rank_by_ballots<step>(found, row);
                    for_each_item<step>([&](int u) {
                        if (share.holds(i + u)) words()[share.place(i + u)] = found[u];
                    });
                }
                for_items<most, step>(share.used, [&](int i) {
                    if (share.holds(i)) ranks.set(i, words()[share.place(i)]);
                });
                if (simt::lane() == 0 && share.used > 0) row[used - 1] -= PackedRows::past_end<step>(share) << 16;
            } else {
                for_items<most, step>(share.used, [&](int i) {
                    ranks.set(i, PackedRows::rank_as_served(digit(i), row, share.holds(i)));
                });
            }
            simt::sync_block();  // all warps have counted, and have left the words
            share = share_.again();
            tables_.rows.place(shared_, used, [](std::uint32_t, std::uint32_t, std::uint32_t) {});
            for_batches<most, step>(share.used, [&](int i) {
                std::uint32_t places[std::size_t{step}];
                for_each_item<step>([&](int u) {
                    places[u] = PackedRows::get(row, digit(i + u)) + ranks.get(i + u);
                    simt::forget_origin(places[u]);
                });
                for_each_item<step>([&](int u) {
                    if (!share.holds(i + u)) return;
                    words()[places[u]] = bits[i + u];
                    if constexpr (kHasIndices) indices_[places[u]] = static_cast<std::uint16_t>(indices.get(i + u));
                });
            });
            simt::sync_block();  // the words are in order of the digit
            if (pass == passes - 1) break;
            share = share_.again();
            for_items<most, step>(share.used, [&](int i) {
                if (share.holds(i)) bits[i] = words()[share.place(i)];
            });
            if constexpr (kHasIndices)
                for_items<most, step>(share.used, [&](int i) {
                    if (share.holds(i)) indices.set(i, indices_[share.place(i)]);
                });
        }
    }
    KOGGE_DEVICE std::uint32_t travelling(const Key& item, int from, int to) const {
        if constexpr (kTravels) return item;
        else return joined(item, from, to);
    }

    /// Brings the keys on chip, in the bucket's order.
    KOGGE_DEVICE void stage_keys() const {
        for_places<2 * step>(count_, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Key found[batch];
            for_each_item<batch>([&](int u) { found[u] = source_[first + u * kResidentSortThreads]; });
            for_each_item<batch>([&](int u) { keys()[first + u * kResidentSortThreads] = found[u]; });
        });
        simt::sync_block();  // the keys are on chip
    }
    /// The item that belongs at a place of the sorted bucket.
    KOGGE_DEVICE Key sorted(int place) const {
        if constexpr (kTravels) return keys()[place] + least_;
        else return keys()[indices_[place]];
    }
    KOGGE_DEVICE bool is_in_order() const {
        bool ordered = true;
        for_places<2 * step>(count_, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            for_each_item<batch>([&](int u) {
                const int place = first + u * kResidentSortThreads, previous = place > 0 ? place - 1 : 0;
                const Key before = bucket_.item_code(sorted(previous)), own = bucket_.item_code(sorted(place));
                bool came_in_order = true;
                if constexpr (kHasIndices) came_in_order = place == 0 || indices_[previous] < indices_[place];
                ordered = ordered && (before < own || (before == own && came_in_order));
            });
        });
        return ordered;
    }

    template <class PlaceOf>
    KOGGE_DEVICE void write_keys(const PlaceOf& place_of) const {
        if (!problem_.writes_keys) return;
        const auto first_pass = bucket_.in_pass(0);
        Key* const keys_out = problem_.keys_out;
        for_places<2 * step>(count_, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Key found[batch];
            for_each_item<batch>([&](int u) { found[u] = sorted(first + u * kResidentSortThreads); });
            for_each_item<batch>([&](int u) {
                keys_out[place_of(static_cast<std::uint32_t>(first + u * kResidentSortThreads))] =
                    first_pass.decode(found[u]);
            });
        });
    }
    template <class PlaceOf>
    KOGGE_DEVICE void write_values(const PlaceOf& place_of) const {
        auto* const values = reinterpret_cast<Value*>(items_);
        const Value* const values_from = problem_.values_other + begin_;
        Value* const values_out = problem_.values_out;
        simt::sync_block();  // the keys have been read
        for_places<2 * step>(count_, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Value moved[batch];
            for_each_item<batch>([&](int u) { moved[u] = values_from[first + u * kResidentSortThreads]; });
            for_each_item<batch>([&](int u) { values[first + u * kResidentSortThreads] = moved[u]; });
        });
        simt::sync_block();  // the values are on chip
        for_places<2 * step>(count_, [&]<int batch>(int first, std::integral_constant<int, batch>) {
            Value found[batch];
            for_each_item<batch>([&](int u) { found[u] = values[indices_[first + u * kResidentSortThreads]]; });
            for_each_item<batch>([&](int u) {
                values_out[place_of(static_cast<std::uint32_t>(first + u * kResidentSortThreads))] = found[u];
            });
        });
    }

    ResidentSortShared& shared_;
    QuantileTables<Key>& tables_;
    const Problem& problem_;
    std::uint16_t* indices_;
    unsigned char* items_;
    decltype(Problem::bucket) bucket_;
    const Key* source_;
    std::uint32_t begin_;
    int count_;
    WarpShare share_;
    std::uint32_t least_ = 0;  ///< what is subtracted of items that travel: the least code, at its bits
};

}  // namespace kogge::grid::KOGGE_CODE
