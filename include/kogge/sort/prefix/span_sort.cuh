// One block sorts one span, neighbouring buckets of equal leading digits, on chip and in place. Each item is read once
// and written once.
//
// A key travels on chip as a word of its size: its distance from the span's lowest code, and with values, in lower
// bits, its origin, so that words in order are keys in a stable order. Words fall into about as many bins as there are
// keys, equal intervals of their range. Atomics count the bins, in any order, and a scan finds where each begins. Once
// all words are in their bins, no word is further from its place than its bin is long. So each thread sorts a window of
// neighbouring words in registers, by odd-even transposition (N. Habermann, 1972; Knuth, TAOCP 3, 5.3.4), and then
// merges the words before and after the window's end (K. Batcher, 1968; TAOCP 3, 5.3.4). A span whose words do not fit,
// or crowd a bin, is listed, and sorted as a batch.
//
// After passes by the values of floats (digit/value_digits.cuh) a span's codes are anything between its lowest key and
// its highest. Few codes: each has its own bin, and needs no order. Codes of many exponents: bins are equal intervals
// of values. If keys, most often equal ones, crowd a bin, turns go on until all words are in order, up to a limit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kogge/operators.hpp"
#include "kogge/sort/prefix/buckets.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Words that a thread sorts at a time, and the distance of the second window from the first.
inline constexpr int kSpanWindow = 18, kWindowShift = 8;
inline constexpr int kSpanBeyond = 32;  ///< words after those of a span
static_assert(span_items(1) == kSpanWindow && kSpanWindow + kWindowShift <= kSpanBeyond);

/// Words before the end of a sorted window that are merged with as many after it. A bin of up to kMerged + 1 words has
/// no more on either side.
inline constexpr int kMerged = 8;
static_assert(kMerged < kSpanWindow && kMerged % 2 == 0 && kMerged < kSpanBeyond);

/// Batcher's odd-even merge of two sorted sequences of kMerged words: calls compare(a, b), a < b, for each pair of
/// places to be put in order next.
template <int distance = kMerged, class Compare>
KOGGE_HOST_DEVICE constexpr void merge_neighbours(const Compare& compare) {
    constexpr int from = distance % kMerged;
    for (int i = 0; i < kMerged - from; ++i) {
        const int place = from + i / distance * 2 * distance + i % distance;
        compare(place, place + distance);
    }
    if constexpr (distance > 1) merge_neighbours<distance / 2>(compare);
}

/// Turns, alternately without and with the shift, that sort bins of up to `most` words without a merge. A bin of up to
/// 9 words lies in one window of either kind; the test tries all larger bins at all places, with zeros and ones (the
/// 0-1 principle, TAOCP 3, 5.3.4).
constexpr int window_turns(std::uint32_t most) { return most <= 9 ? 2 : most <= 17 ? 3 : 4; }
inline constexpr int kMostTurns = 16;  ///< for a crowded bin, after which the span is listed
static_assert(kCrowdedBin <= 24);

/// `threads`: of a block that sorts spans.
template <class BucketProblem, int threads>
struct SpanProblem {
    using All = BucketProblem;
    using Key = typename All::Key;
    using Value = typename All::Value;
    static constexpr bool kHasValues = All::kHasValues;
    static constexpr int kThreads = threads;
    static constexpr std::size_t kItemBytes = sizeof(Key) + All::kValueBytes;
    static constexpr bool kIsWide = sizeof(Key) > sizeof(std::uint32_t);  ///< words have 64 bits
    static constexpr std::uint32_t kItems = span_items(threads);          ///< the most items of a span
    static_assert(orders_spans(sizeof(Key), All::kValueBytes));

    All all;
};

/// Lists places for the sort of batches, or of large buckets where a batch has no room for them. One thread calls.
template <class Problem>
KOGGE_DEVICE void list_batch(const Problem& problem, const Places& places) {
    if (Problem::kItems > Problem::All::kBatchItems && places.end - places.begin > Problem::All::kBatchItems)
        return problem.all.list_large(problem.all.list(0), places, static_cast<std::uint32_t>(problem.all.passes), 0);
    problem.all.list_batch(places, false);
}

template <class Problem>
struct SpanShared {
    using Word = typename Problem::Key;
    static constexpr int kWarps = Problem::kThreads / simt::kWarpSize;
    static constexpr std::uint32_t kItems = Problem::kItems, kBins = span_bins(Problem::kThreads);
    simt::TransactionBarrier loaded;            ///< the values are on chip
    std::uint32_t totals[std::size_t{kWarps}];  ///< words per warp, and in upper bits the most words of a bin
    std::uint32_t descend;                      ///< words are out of order
    BlockBounds<kWarps> bounds;                 ///< of codes, where the span's ends do not give them
    /// Counts, then first places. The last kWarpSize are for places past the end.
    alignas(16) std::uint32_t bins[kBins + simt::kWarpSize];
    alignas(16) Word words[kItems + kSpanBeyond];  ///< in order of their bins, then greater words
    /// By origin, after a gap that keeps their alignment.
    alignas(16) typename Problem::Value values[Problem::kHasValues ? kItems + 4 : 1];
};

/// The words of a span, and their bins. `by_values`: many keys may be equal, since floats that are uniform by values
/// have few codes where their exponents are highest.
template <class Problem, bool by_values>
struct SpanWords {
    using Word = typename Problem::Key;
    static constexpr bool has_values = Problem::kHasValues;
    static constexpr std::uint32_t kItems = Problem::kItems, kBins = span_bins(Problem::kThreads);
    Word low;        ///< the lowest code
    Word way;        ///< the distance from there to the highest code
    int tag_bits;    ///< bits of a key's origin; zeros if codes are apart
    int below_bins;  ///< low bits of 64 that bins do not depend on
    std::uint32_t scale;
    bool fit;
    bool are_apart;  ///< each code has a bin of its own, and equal keys need no order
    bool are_wide;   ///< codes have so many exponents that bins are equal intervals of values

    SpanWords() = default;
    KOGGE_DEVICE SpanWords(Word lowest, Word highest, int count)
        : low(lowest),
          way(highest - lowest),
          are_apart(by_values && !has_values && way < kBins - 1),
          are_wide(by_values && !has_values && way >> kWideBits != 0) {
        // There must be more words than bins: buckets of two digits have 2^16 codes or so, but a step of values may
        // have one.
        constexpr int many_bits = std::bit_width(kItems), apart_bits = 33 - std::bit_width(kBins);
        static_assert(1u << many_bits > kItems && 1u << many_bits > kBins && kBins == 1u << (32 - apart_bits));
        if (has_values) tag_bits = by_values ? many_bits : simt::highest_bit(static_cast<simt::mask_t>(count)) + 1;
        else tag_bits = are_apart ? apart_bits : 0;
        constexpr int word_bits = static_cast<int>(8 * sizeof(Word));
        fit = !has_values || way >> (word_bits - tag_bits) == 0;
        // A little less than bins / words times 2^32, so that the highest word falls into the last bin. Words that do
        // not fit fall into any of the bins.
        below_bins = bits_beyond_32(way, tag_bits);
        const float words = (static_cast<float>(way) + 1) * static_cast<float>(1u << tag_bits) /
                                static_cast<float>(std::uint64_t{1} << below_bins) +
                            (Problem::kIsWide ? 1.0f : 0.0f);
        scale = static_cast<std::uint32_t>(static_cast<float>(kBins) * 0x1.fffffp31f / words);
    }
    /// The codes of eight exponents: half of floats that are uniform by values have the highest one.
    static constexpr int kWideBits = 26;
    /// Of a distance that is shifted up by so many bits.
    static KOGGE_DEVICE int bits_beyond_32(Word way, int up) {
        if constexpr (Problem::kIsWide) {
            const auto upper = static_cast<simt::mask_t>(way >> 32), lower = static_cast<simt::mask_t>(way);
            const int bits = upper != 0 ? 33 + simt::highest_bit(upper) : lower != 0 ? 1 + simt::highest_bit(lower) : 0;
            return bits + up > 32 ? bits + up - 32 : 0;
        } else {
            return 0;
        }
    }
    KOGGE_DEVICE Word word(Word from_low, int origin) const {
        return has_values  ? from_low << tag_bits | static_cast<std::uint32_t>(origin)
               : by_values ? from_low << tag_bits
                           : from_low;
    }
    KOGGE_DEVICE Word code(Word word) const { return low + (has_values || by_values ? word >> tag_bits : word); }
    KOGGE_DEVICE std::uint32_t origin(Word word) const {
        return static_cast<std::uint32_t>(word) & ((1u << tag_bits) - 1u);
    }
    KOGGE_DEVICE std::uint32_t bin(Word word) const {
        if constexpr (Problem::kIsWide) word >>= below_bins;
        return simt::multiply_high(static_cast<std::uint32_t>(word), scale);
    }
};

/// Ranks of a thread's words within their bins, four per register. Invalid if any bin has more than kMostRank words.
inline constexpr std::uint32_t kMostRank = 255;
template <int items>
struct ByteRanks {
    std::uint32_t fours[std::size_t{(items + 3) / 4}];

    KOGGE_DEVICE void set(int i, std::uint32_t rank) {
        fours[i / 4] = i % 4 == 0 ? rank : fours[i / 4] + (rank << i % 4 * 8);
    }
    KOGGE_DEVICE std::uint32_t get(int i) const { return fours[i / 4] >> i % 4 * 8 & 0xffu; }
};

/// `recodes`: keys are not their codes. `by_values`: the passes went by floats' values.
template <bool recodes, bool by_values, class Problem>
struct Spans {
    static constexpr bool kHasValues = Problem::kHasValues, kByValues = by_values;
    static constexpr int kThreads = Problem::kThreads;
    using Shared = SpanShared<Problem>;
    using Word = typename Problem::Key;
    static constexpr std::uint32_t kItems = Shared::kItems, kBins = Shared::kBins;
    static constexpr int kEach = kItems / kThreads, kStep = 2;
    static constexpr bool kIsWide = Problem::kIsWide;
    static_assert(kEach % kStep == 0 && kItems < 1 << 16);
    const Problem& problem;
    Shared& shared;
    std::uint32_t turn = 0;  ///< spans that this block has sorted before

    /// Sorts the span [begin, begin + count). All threads call.
    KOGGE_DEVICE void order(std::uint64_t begin, int count) {
        Word* const keys = problem.all.keys + begin;
        const int thread = simt::thread_rank(), rows = (count + kThreads - 1) / kThreads;
        const auto first_pass = problem.all.bucket.in_pass(0);
        const auto place_of = [&](int i) { return i * kThreads + thread; };
        Word words[kEach];
        ByteRanks<kEach> ranks;
        const auto load = [&](int i) { words[i] = place_of(i) < count ? keys[place_of(i)] : 0; };
        if constexpr (kIsWide) {
            // Otherwise ptxas 13.0 keeps registers that only long spans write alive from span to span. (Words of 32
            // bits spill less without it.)
            for_each_item<kEach>(load);
            ranks = {};
        } else {
            for_items<kEach, kStep>(rows, load);
        }
        std::uint32_t gap = 0;
        if constexpr (kHasValues) gap = start_loading(problem.all.values + begin, count);
        // The bits of items that keys are not sorted by must be the same throughout a span.
        const NumberBucket<Word>& bucket = problem.all.bucket;
        [[maybe_unused]] Word others = 0, fixed = 0;
        if constexpr (recodes) {
            const Word sorted_by = static_cast<Word>(bucket.mask << bucket.begin);
            fixed = first_pass.encode(keys[0]) & static_cast<Word>(~sorted_by);
        }
        const auto key_of = [&](Word code) {
            return recodes ? first_pass.decode(static_cast<Word>(code << bucket.begin) | fixed) : code;
        };
        const auto encode = [&] {
            if constexpr (recodes)
                for_items<kEach, kStep>(rows, [&](int i) {
                    const Word item = first_pass.encode(words[i]);
                    words[i] = bucket.item_code(item);
                    if (place_of(i) < count) others |= item ^ (static_cast<Word>(words[i] << bucket.begin) | fixed);
                });
        };
        SpanWords<Problem, kByValues> way;
        if constexpr (kByValues) {
            encode();
            find_bounds(words, rows, count);
        } else {
            const Word below = (Word{1} << problem.all.shift()) - 1u;
            way = {bucket.code(keys[0]) & ~below, bucket.code(keys[count - 1]) | below, count};
        }
        clear();
        simt::sync_block();  // no bin has keys, and the warps' bounds are written

        if constexpr (kByValues) {
            way = {shared.bounds.low(), shared.bounds.high(), count};
        } else {
            encode();
        }
        const auto with_bins = [&](const auto& f) {
            if constexpr (kByValues && !kHasValues)
                if (way.are_wide) {
                    const auto value_of = [&](Word code) { return std::bit_cast<float>(key_of(code)); };
                    const float first = value_of(way.low), last = value_of(way.low + way.way);
                    const float scale = static_cast<float>(kBins) * 0x1.fffffp-1f / (last - first);
                    if (scale != 0 && scale - scale == 0)
                        return f([&](Word word) {
                            const auto bin = static_cast<std::uint32_t>((value_of(way.code(word)) - first) * scale);
                            return bin < kBins ? bin : kBins - 1;
                        });
                }
            f([&](Word word) { return way.bin(word); });
        };
        with_bins([&](const auto& bin_of) {
            for_items<kEach, kStep>(rows, [&](int i) {
                const bool is_real = place_of(i) < count;
                Word from_low = words[i] - way.low;
                from_low = from_low < way.way ? from_low : way.way;  // for places past the end
                words[i] = way.word(from_low, place_of(i));
                const std::uint32_t bin = is_real ? bin_of(words[i]) : kBins + simt::lane();
                ranks.set(i, simt::atomic_add<simt::Scope::block>(shared.bins + bin, 1));
            });
        });
        simt::sync_block();  // the bins are counted
        const std::uint32_t most = scan_bins(!way.fit || others != 0);
        if (thread < kSpanBeyond) shared.words[count + thread] = ~Word{0};
        if constexpr (kHasValues) shared.loaded.wait(turn++ & 1);
        const auto list_crowded = [&] {
            if (thread == 0) list_batch(problem, {begin, begin + static_cast<std::uint64_t>(count)});
        };
        constexpr bool takes_any = kByValues && !kHasValues;
        if (most > (takes_any ? kItems : kByValues ? kMostRank : kCrowdedBin)) return list_crowded();
        // A batch's loads stand before its stores, which the compiler must not reorder. Words of keys alone need not
        // keep their order in a bin, so they are counted once more if ranks do not go as far.
        with_bins([&](const auto& bin_of) {
            for_batches<kEach, kStep>(rows, [&](int i) {
                std::uint32_t places[kStep];
                for_each_item<kStep>([&](int u) {
                    std::uint32_t& next = shared.bins[bin_of(words[i + u])];
                    if (!takes_any || most <= kMostRank) places[u] = next + ranks.get(i + u);
                    else if (place_of(i + u) < count) places[u] = simt::atomic_add<simt::Scope::block>(&next, 1);
                });
                for_each_item<kStep>([&](int u) {
                    if (place_of(i + u) < count) shared.words[places[u]] = words[i + u];
                });
            });
        });
        simt::sync_block();  // each word is in its bin
        const auto order_windows = [&](int turns) {
            for (int turn = 0; turn < turns; ++turn) {
                order_window<Word>(turn % 2 * kWindowShift + thread * kSpanWindow, count, static_cast<int>(most));
                simt::sync_block();  // the windows are in order
            }
        };
        // After passes by values few bins are as small, and the code for them would take registers from the others.
        if (!kByValues && most <= kMerged + 1) {
            // Numbers of 32 bits take a third of the time to compare.
            if (kIsWide && way.below_bins > 0) order_small_bins<Word>(count, static_cast<int>(most));
            else order_small_bins<std::uint32_t>(count, static_cast<int>(most));
        } else if (most <= kCrowdedBin) {
            if (!way.are_apart) order_windows(window_turns(most));
        } else if (kByValues && !way.are_apart) {
            // Most often equal keys crowd a bin, and little remains to be done.
            for (int turns = 0; !stand_in_order(count); turns += 2) {
                if (turns == kMostTurns) return list_crowded();
                order_windows(2);
            }
        }

        constexpr int batch = kEach / 2;
        for_batches<kEach, batch>(rows, [&](int i) {
            Word sorted[batch];
            for_each_item<batch>(
                [&](int u) { sorted[u] = place_of(i + u) < count ? shared.words[place_of(i + u)] : 0; });
            if constexpr (kHasValues) {
                auto* const values = problem.all.values + begin;
                for_each_item<batch>([&](int u) {
                    if (place_of(i + u) < count) values[place_of(i + u)] = shared.values[gap + way.origin(sorted[u])];
                });
            }
            if (!kHasValues || problem.all.writes_keys)
                for_each_item<batch>([&](int u) {
                    const Word code = way.code(sorted[u]);
                    if (place_of(i + u) < count) keys[place_of(i + u)] = key_of(code);
                });
        });
    }

private:
    struct alignas(16) Quad {
        std::uint32_t word[4];
    };
    struct alignas(2 * sizeof(Word)) Pair {
        Word word[2];
    };
    static constexpr int kRows = kBins / Shared::kWarps / simt::kWarpSize / 4;  ///< in rows of a quad per lane
    static_assert(kRows == 4, "the sums of two rows share a word");

    KOGGE_DEVICE Quad& quad(int row) const {
        return reinterpret_cast<Quad*>(shared.bins)[(simt::warp_rank() * kRows + row) * simt::kWarpSize + simt::lane()];
    }
    KOGGE_DEVICE void clear() const {
        for_each_item<kRows>([&](int r) { quad(r) = {}; });
        if (simt::thread_rank() < simt::kWarpSize) shared.bins[kBins + simt::thread_rank()] = 0;
    }

    /// Whether all words are in order. All threads call, after a barrier.
    KOGGE_DEVICE bool stand_in_order(int count) const {
        if (simt::thread_rank() == 0) shared.descend = 0;
        simt::sync_block();  // nothing is known yet
        bool descend = false;
        for (int i = simt::thread_rank(); i + 1 < count; i += kThreads)
            descend = descend || shared.words[i] > shared.words[i + 1];
        if (simt::any(descend) && simt::lane() == 0) simt::atomic_or<simt::Scope::block>(&shared.descend, 1);
        simt::sync_block();  // all threads have looked
        return shared.descend == 0;
    }

    /// Writes the bounds of each warp's codes.
    KOGGE_DEVICE void find_bounds(const Word (&codes)[std::size_t{kEach}], int rows, int count) const {
        std::uint32_t lowest = ~0u, highest = 0;
        for_items<kEach, kStep>(rows, [&](int i) {
            if (i * kThreads + simt::thread_rank() >= count) return;
            lowest = codes[i] < lowest ? codes[i] : lowest;
            highest = codes[i] > highest ? codes[i] : highest;
        });
        shared.bounds.leave(lowest, highest);
    }

    /// Calls f(put_in_order) for `size` words from place `first` on, held as `Number`, and writes the words back.
    template <class Number, int size, class F>
    KOGGE_DEVICE void with_words(int first, int count, const F& f) const {
        if (first >= count) return;
        auto* const pairs = reinterpret_cast<Pair*>(shared.words + first);
        Number words[size];
        for_each_item<size / 2>([&](int i) {
            const Pair pair = pairs[i];
            words[2 * i] = static_cast<Number>(pair.word[0]);
            words[2 * i + 1] = static_cast<Number>(pair.word[1]);
        });
        f([&](int a, int b) {
            const Number one = words[a], other = words[b];
            words[a] = one < other ? one : other;
            words[b] = one < other ? other : one;
        });
        for_each_item<size / 2>([&](int i) { pairs[i] = Pair{{words[2 * i], words[2 * i + 1]}}; });
    }
    /// Sorts the words of a window, none of which is further than `most` from its place. As many rounds, alternately
    /// over even and odd neighbours, suffice.
    template <class Number>
    KOGGE_DEVICE void order_window(int first, int count, int most) const {
        const int rounds = most < kSpanWindow ? most : kSpanWindow;
        with_words<Number, kSpanWindow>(first, count, [&](const auto& put_in_order) {
            for (int round = 0; round < rounds; round += 2) {
                for_each_item<kSpanWindow / 2>([&](int i) { put_in_order(2 * i, 2 * i + 1); });
                for_each_item<kSpanWindow / 2 - 1>([&](int i) { put_in_order(2 * i + 1, 2 * i + 2); });
            }
        });
    }
    /// Sorts all words, in bins of up to `most` words, at most kMerged + 1. All threads call.
    template <class Number>
    KOGGE_DEVICE void order_small_bins(int count, int most) const {
        const int first = simt::thread_rank() * kSpanWindow;
        order_window<Number>(first, count, most);
        simt::sync_block();  // the windows are in order
        with_words<Number, 2 * kMerged>(first + kSpanWindow - kMerged, count,
                                        [&](const auto& put_in_order) { merge_neighbours(put_in_order); });
        simt::sync_block();  // and the words around the windows' ends
    }

    /// Starts to load the span's values, and returns their offset on chip. A bulk copy loads the part that is aligned
    /// for it.
    template <class Value>
    KOGGE_DEVICE std::uint32_t start_loading(const Value* values, int count) const {
        constexpr int pack = static_cast<int>(16 / sizeof(Value));
        const int thread = simt::thread_rank();
        const int gap = static_cast<int>(reinterpret_cast<std::uintptr_t>(values) / sizeof(Value) % pack);
        const int head = (pack - gap) % pack, whole = (gap + count) / pack * pack - gap,
                  rest = whole > head ? whole : head;
        if (thread == 0) {
            const std::uint32_t bytes = static_cast<std::uint32_t>((rest - head) * static_cast<int>(sizeof(Value)));
            shared.loaded.arrive_expect(bytes);
            if (bytes > 0) simt::bulk_load(shared.values + gap + head, values + head, bytes, shared.loaded);
        }
        if (thread < head && thread < count) shared.values[gap + thread] = values[thread];
        if (thread < pack && rest + thread < count) shared.values[gap + rest + thread] = values[rest + thread];
        return static_cast<std::uint32_t>(gap);
    }

    /// Turns the counts of the bins into first places, and returns the largest count. All threads call.
    KOGGE_DEVICE std::uint32_t scan_bins(bool gives_up) const {
        const int lane = simt::lane(), warp = simt::warp_rank();
        std::uint32_t sums[kRows] = {}, most = gives_up ? kItems + 1 : 0;
        for_each_item<kRows>([&](int r) {
            const Quad counts = quad(r);
            for_each_item<4>([&](int i) {
                sums[r] += counts.word[i];
                most = counts.word[i] > most ? counts.word[i] : most;
            });
        });
        const std::uint32_t of_rows[2] = {sums[0] | sums[1] << 16, sums[2] | sums[3] << 16};
        std::uint32_t before[2], next[kRows], all = 0;
        for_each_item<2>([&](int h) {
            const std::uint32_t inclusive = warp::inclusive_scan(of_rows[h], simt::kWarpSize, plus{});
            const std::uint32_t total = simt::shuffle(inclusive, simt::kWarpSize - 1);
            before[h] = inclusive - of_rows[h];
            next[2 * h] = all + (before[h] & 0xffffu);
            all += total & 0xffffu;
            next[2 * h + 1] = all + (before[h] >> 16);
            all += total >> 16;
        });
        most = simt::reduce_max(most);
        if (lane == 0) shared.totals[warp] = all | most << 16;
        simt::sync_block();  // the sums of the warps are written
        const std::uint32_t of_warp = lane < Shared::kWarps ? shared.totals[lane] : 0;
        const std::uint32_t base = simt::reduce_add(lane < warp ? of_warp & 0xffffu : 0);
        for_each_item<kRows>([&](int r) {
            next[r] += base;
            Quad counts = quad(r);  // read once more, as words fill the registers
            for_each_item<4>([&](int i) {
                const std::uint32_t count = counts.word[i];
                counts.word[i] = next[r];
                next[r] += count;
            });
            quad(r) = counts;
        });
        simt::sync_block();  // the bins' first places are written
        return simt::reduce_max(of_warp >> 16);
    }
};

}  // namespace kogge::grid::KOGGE_CODE
