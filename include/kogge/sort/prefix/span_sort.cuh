// One span, neighbouring groups of equal leading digits, is put in order on chip by one block, in place. Each item is
// read once and written once.
//
// Of a key a word of its size travels on chip: the way from the span's lowest code, and with values below it where the
// key came from, so that words in order are keys in a stable order. Words fall into about as many bins as there are
// keys, equal stretches of all of them. Atomics count the bins, in any order, and a scan tells where each begins. When
// all words stand in their bins, no word is further from its place than its bin is long; so each thread puts a window
// of neighbouring words in order in registers, by odd-even transposition (N. Habermann, 1972; Knuth, TAOCP 3, 5.3.4),
// and then merges what stands before and behind its end (K. Batcher, 1968; TAOCP 3, 5.3.4). A span whose words do not
// fit, or crowd a bin, is listed, and sorted by digits.
//
// Behind passes by the values of floats (digit/value_digits.cuh) a span's codes are anything between its lowest key and
// its highest one: of few codes each has a bin, and needs no order; of many exponents' bins are equal stretches of
// values; and where keys, most often equal ones, crowd a bin, turns go on until all words are in order, up to a limit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kogge/operators.hpp"
#include "kogge/sort/prefix/span_bounds.cuh"
#include "kogge/warp/scan.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Words that a thread puts in order at a time, and how far the second window is from the first.
inline constexpr int kSpanWindow = 18, kWindowShift = 8;
inline constexpr int kSpanBeyond = 32;  ///< words that stand behind those of a span
static_assert(span_items(1) == kSpanWindow && kSpanWindow + kWindowShift <= kSpanBeyond);

/// Words before the end of a window, which is in order, that are merged with as many behind it. Of a bin of one more,
/// or of fewer, no more stand on either side.
inline constexpr int kMerged = 8;
static_assert(kMerged < kSpanWindow && kMerged % 2 == 0 && kMerged < kSpanBeyond);

/// Batcher's odd-even merge: calls compare(a, b), a < b, for each pair of places of two sequences in order that are to
/// be put in order next.
template <int distance = kMerged, class Compare>
KOGGE_HOST_DEVICE constexpr void merge_neighbours(const Compare& compare) {
    constexpr int from = distance % kMerged;
    for (int i = 0; i < kMerged - from; ++i) {
        const int place = from + i / distance * 2 * distance + i % distance;
        compare(place, place + distance);
    }
    if constexpr (distance > 1) merge_neighbours<distance / 2>(compare);
}

/// How often windows are put in order without a merge, in turns without and with the shift, until bins of up to so many
/// words are. A bin of up to 9 lies in one window without it or in one with it; the test tries all others at all places
/// (by zeros and ones: the 0-1 principle, TAOCP 3, 5.3.4).
constexpr int window_turns(std::uint32_t most) { return most <= 9 ? 2 : most <= 17 ? 3 : 4; }
inline constexpr int kMostTurns = 16;  ///< where a bin is crowded, after which the span is listed
static_assert(kCrowdedBin <= 24);

template <class Problem>
struct SpanShared {
    using Word = typename Problem::Key;
    static constexpr int kWarps = Problem::kThreads / simt::kWarpSize;
    static constexpr std::uint32_t kItems = Problem::kItems, kBins = span_bins(Problem::kThreads);
    simt::TransactionBarrier loaded;            ///< the values are on chip
    std::uint32_t totals[std::size_t{kWarps}];  ///< of words, and above them the most of a bin
    std::uint32_t descend;                      ///< words do
    BlockBounds<kWarps> bounds;                 ///< where they are not known from the span's ends
    std::uint32_t descends[2];  ///< of the large groups at the stretch's ends: some keys are out of order
    /// Counts, then first places. The last ones are of no word.
    alignas(16) std::uint32_t bins[kBins + simt::kWarpSize];
    alignas(16) Word words[kItems + kSpanBeyond];  ///< in order of their bins, and behind them greater ones
    /// By origin, behind a gap that keeps their alignment.
    alignas(16) std::uint32_t values[Problem::kHasValues ? kItems + 4 : 4];
};

/// The words of a span, and their bins. `by_values`: many keys may be equal, as floats that are even by values have few
/// codes where their exponents are highest.
template <class Problem, bool by_values>
struct SpanWords {
    using Word = typename Problem::Key;
    static constexpr bool has_values = Problem::kHasValues;
    static constexpr std::uint32_t kItems = Problem::kItems, kBins = span_bins(Problem::kThreads);
    Word low;        ///< code
    Word way;        ///< from there to the highest
    int tag_bits;    ///< of a key's origin; where codes are apart, zeros
    int below_bins;  ///< bits of 64 that bins do not depend on
    std::uint32_t scale;
    bool fit;
    bool are_apart;  ///< each code has a bin of its own, and keys that are equal need no order
    bool are_wide;   ///< codes of so many exponents that bins are to be equal stretches of values

    SpanWords() = default;
    KOGGE_DEVICE SpanWords(Word lowest, Word highest, int count)
        : low(lowest),
          way(highest - lowest),
          below_bins(bits_beyond_32(way)),
          are_apart(by_values && !has_values && way < kBins - 1),
          are_wide(by_values && !has_values && way >> kWideBits != 0) {
        // There have to be more words than bins: the lower digits take some 2^16 codes, but a step of values may have
        // one.
        constexpr int many_bits = std::bit_width(kItems), apart_bits = 33 - std::bit_width(kBins);
        static_assert(1u << many_bits > kItems && 1u << many_bits > kBins && kBins == 1u << (32 - apart_bits));
        if (has_values) tag_bits = by_values ? many_bits : simt::highest_bit(static_cast<simt::mask_t>(count)) + 1;
        else tag_bits = are_apart ? apart_bits : 0;
        fit = !has_values || way >> (32 - tag_bits) == 0;
        // A little less than bins / words times 2^32, so that the highest word falls into the last bin.
        const float words = (static_cast<float>(way >> below_bins) + 1) * static_cast<float>(1u << tag_bits);
        scale = static_cast<std::uint32_t>(static_cast<float>(kBins) * 0x1.fffffp31f / words);
    }
    /// Eight exponents' codes: half of floats that are even by values have the highest one.
    static constexpr int kWideBits = 26;
    static KOGGE_DEVICE int bits_beyond_32(Word way) {
        if constexpr (Problem::kIsWide) {
            const auto upper = static_cast<simt::mask_t>(way >> 32);
            return upper != 0 ? simt::highest_bit(upper) + 1 : 0;
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

/// Ranks of a thread's words within their bins, four a register. Where a bin has more than kMostRank words, none of
/// them means anything.
inline constexpr std::uint32_t kMostRank = 255;
template <int items>
struct ByteRanks {
    std::uint32_t fours[std::size_t{(items + 3) / 4}];

    KOGGE_DEVICE void set(int i, std::uint32_t rank) {
        fours[i / 4] = i % 4 == 0 ? rank : fours[i / 4] + (rank << i % 4 * 8);
    }
    KOGGE_DEVICE std::uint32_t get(int i) const { return fours[i / 4] >> i % 4 * 8 & 0xffu; }
};

/// `recodes`: keys are not their codes. Leading: what the passes have put in order (sort/prefix/span_bounds.cuh).
template <bool recodes, class Problem, class Leading>
struct Spans {
    static constexpr bool kHasValues = Problem::kHasValues, kByValues = Leading::kByValues;
    static constexpr int kThreads = Problem::kThreads;
    using Shared = SpanShared<Problem>;
    using Word = typename Problem::Key;
    static constexpr std::uint32_t kItems = Shared::kItems, kBins = Shared::kBins;
    static constexpr int kEach = kItems / kThreads, kStep = 2;
    static constexpr bool kIsWide = Problem::kIsWide;
    static_assert(kEach % kStep == 0 && kItems < 1 << 16);
    const Problem& problem;
    Shared& shared;
    const Leading& leading_at;
    bool writes_keys;
    std::uint32_t turn = 0;  ///< spans that this block had before

    /// Puts the span [begin, begin + count) in order. All threads call.
    KOGGE_DEVICE void order(std::uint64_t begin, int count) {
        Word* const keys = problem.all.keys + begin;
        const int thread = simt::thread_rank(), rows = (count + kThreads - 1) / kThreads;
        const auto first_pass = problem.all.bucket.in_pass(0);
        const auto place_of = [&](int i) { return i * kThreads + thread; };
        Word words[kEach];
        ByteRanks<kEach> ranks;
        const auto load = [&](int i) { words[i] = place_of(i) < count ? keys[place_of(i)] : 0; };
        if constexpr (kIsWide) {
            // ptxas 13.0 takes registers that only long spans write for ones that live from span to span. (Words of 32
            // bits spill less so.)
            for_each_item<kEach>(load);
            ranks = {};
        } else {
            for_items<kEach, kStep>(rows, load);
        }
        std::uint32_t gap = 0;
        if constexpr (kHasValues) gap = start_loading(problem.all.values + begin, count);
        const auto encode = [&] {
            if constexpr (recodes)
                for_items<kEach, kStep>(rows, [&](int i) { words[i] = first_pass.encode(words[i]); });
        };
        SpanWords<Problem, kByValues> way;
        bool strays = false;
        if constexpr (kByValues) {
            encode();
            find_bounds(words, rows, count);
        } else {
            const Word below = (Word{1} << problem.shift()) - 1u;
            way = {first_pass.encode(keys[0]) & ~below, first_pass.encode(keys[count - 1]) | below, count};
            strays = !kHasValues && way.low > way.low + way.way;
        }
        clear();
        simt::sync_block();  // no bin has keys, and the warps' bounds are written

        if constexpr (kByValues) {
            way = {shared.bounds.low(), shared.bounds.high(), count};
            const auto leading_of = [&](Word code) { return leading_at.values(first_pass.decode(code)); };
            strays = !kHasValues && (leading_of(way.low) < leading_at(begin) ||
                                     leading_of(way.low + way.way) > leading_at(begin + count - 1));
        } else {
            encode();
        }
        const auto with_bins = [&](const auto& f) {
            if constexpr (kByValues && !kHasValues)
                if (way.are_wide) {
                    const auto value_of = [&](Word code) { return std::bit_cast<float>(first_pass.decode(code)); };
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
                if constexpr (!kHasValues && !kByValues) strays = strays || (is_real && from_low > way.way);
                from_low = from_low < way.way ? from_low : way.way;  // bins are for no others
                words[i] = way.word(from_low, place_of(i));
                const std::uint32_t bin = is_real ? bin_of(words[i]) : kBins + simt::lane();
                ranks.set(i, simt::atomic_add<simt::Scope::block>(shared.bins + bin, 1));
            });
        });
        simt::sync_block();  // the bins are counted
        if constexpr (!kHasValues)
            if (strays) simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
        const std::uint32_t most = scan_bins(!way.fit || strays);
        if (thread < kSpanBeyond) shared.words[count + thread] = ~Word{0};
        if constexpr (kHasValues) shared.loaded.wait(turn++ & 1);
        const auto list_crowded = [&] {
            if (thread == 0)
                problem.all.crowded[simt::atomic_add<simt::Scope::device>(&problem.all.control->crowded, 1)] = {
                    begin, begin + static_cast<std::uint64_t>(count)};
        };
        constexpr bool takes_any = kByValues && !kHasValues;
        if (most > (takes_any ? kItems : kByValues ? kMostRank : kCrowdedBin)) return list_crowded();
        // Loads of a batch stand before its stores, which the compiler must not reorder. Words of keys alone need not
        // keep their order in a bin, so that they are counted once more where ranks do not go as far.
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
        simt::sync_block();  // each word stands in its bin
        const auto order_windows = [&](int turns) {
            for (int turn = 0; turn < turns; ++turn) {
                order_window<Word>(turn % 2 * kWindowShift + thread * kSpanWindow, count, static_cast<int>(most));
                simt::sync_block();  // the windows are in order
            }
        };
        // Behind passes by values few bins are as small, and the code for them takes registers from the others.
        if (!kByValues && most <= kMerged + 1) {
            // Numbers of 32 bits are compared in a third of the time.
            if (kIsWide && way.below_bins > 0) order_small_bins<Word>(count, static_cast<int>(most));
            else order_small_bins<std::uint32_t>(count, static_cast<int>(most));
        } else if (most <= kCrowdedBin) {
            if (!way.are_apart) order_windows(window_turns(most));
        } else if (kByValues && !way.are_apart) {
            // Most often equal keys crowd a bin, and little is to be done.
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
                std::uint32_t* const values = problem.all.values + begin;
                for_each_item<batch>([&](int u) {
                    if (place_of(i + u) < count) values[place_of(i + u)] = shared.values[gap + way.origin(sorted[u])];
                });
            }
            if (!kHasValues || writes_keys)
                for_each_item<batch>([&](int u) {
                    const Word code = way.code(sorted[u]);
                    if (place_of(i + u) < count) keys[place_of(i + u)] = recodes ? first_pass.decode(code) : code;
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
    static constexpr int kRows = kBins / Shared::kWarps / simt::kWarpSize / 4;  ///< of a quad a lane
    static_assert(kRows == 4, "the sums of two rows share a word");

    KOGGE_DEVICE Quad& quad(int row) const {
        return reinterpret_cast<Quad*>(shared.bins)[(simt::warp_rank() * kRows + row) * simt::kWarpSize + simt::lane()];
    }
    KOGGE_DEVICE void clear() const {
        for_each_item<kRows>([&](int r) { quad(r) = {}; });
        if (simt::thread_rank() < simt::kWarpSize) shared.bins[kBins + simt::thread_rank()] = 0;
    }

    /// Whether all words do. All threads call, behind a barrier.
    KOGGE_DEVICE bool stand_in_order(int count) const {
        if (simt::thread_rank() == 0) shared.descend = 0;
        simt::sync_block();  // nothing is known yet
        bool descend = false;
        for (int i = simt::thread_rank(); i + 1 < count; i += kThreads)
            descend = descend || shared.words[i] > shared.words[i + 1];
        if (simt::any(descend) && simt::lane() == 0) simt::atomic_or<simt::Scope::block>(&shared.descend, 1);
        simt::sync_block();  // all have looked
        return shared.descend == 0;
    }

    /// Leaves the bounds of each warp's codes.
    KOGGE_DEVICE void find_bounds(const Word (&codes)[std::size_t{kEach}], int rows, int count) const {
        std::uint32_t lowest = ~0u, highest = 0;
        for_items<kEach, kStep>(rows, [&](int i) {
            if (i * kThreads + simt::thread_rank() >= count) return;
            lowest = codes[i] < lowest ? codes[i] : lowest;
            highest = codes[i] > highest ? codes[i] : highest;
        });
        shared.bounds.leave(lowest, highest);
    }

    /// Has f(words, put_in_order) put so many words from a place on in order, as numbers that hold them.
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
    /// Puts the words of a window in order, none of which is further than `most` from its place. So many rounds, each
    /// of neighbours in every second place, do that.
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
    /// Puts all words in order, in bins of up to `most`, which is no more than kMerged + 1. All threads call.
    template <class Number>
    KOGGE_DEVICE void order_small_bins(int count, int most) const {
        const int first = simt::thread_rank() * kSpanWindow;
        order_window<Number>(first, count, most);
        simt::sync_block();  // the windows are in order
        with_words<Number, 2 * kMerged>(first + kSpanWindow - kMerged, count,
                                        [&](const auto& put_in_order) { merge_neighbours(put_in_order); });
        simt::sync_block();  // and what stands around their ends
    }

    /// Values stand on chip at the offset that is returned: what has the alignment for that comes by a bulk copy.
    KOGGE_DEVICE std::uint32_t start_loading(const std::uint32_t* values, int count) const {
        const int thread = simt::thread_rank();
        const int gap = static_cast<int>(reinterpret_cast<std::uintptr_t>(values) / sizeof(*values) % 4);
        const int head = (4 - gap) % 4, whole = (gap + count) / 4 * 4 - gap, rest = whole > head ? whole : head;
        if (thread == 0) {
            const std::uint32_t bytes = static_cast<std::uint32_t>((rest - head) * static_cast<int>(sizeof(*values)));
            shared.loaded.arrive_expect(bytes);
            if (bytes > 0) simt::bulk_load(shared.values + gap + head, values + head, bytes, shared.loaded);
        }
        if (thread < head && thread < count) shared.values[gap + thread] = values[thread];
        if (thread < 4 && rest + thread < count) shared.values[gap + rest + thread] = values[rest + thread];
        return static_cast<std::uint32_t>(gap);
    }

    /// Turns the counts of the bins into first places, and returns the largest. All threads call.
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
            Quad counts = quad(r);  // once more, as registers are full of words
            for_each_item<4>([&](int i) {
                const std::uint32_t count = counts.word[i];
                counts.word[i] = next[r];
                next[r] += count;
            });
            quad(r) = counts;
        });
        simt::sync_block();  // it is known where bins begin
        return simt::reduce_max(of_warp >> 16);
    }
};

}  // namespace kogge::grid::KOGGE_CODE
