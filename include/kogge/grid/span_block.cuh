// One span, neighbouring groups of equal leading digits, is put in order on chip by one block, in place. Each item is
// read once and written once.
//
// Of a key a word travels on chip: the way from the span's lowest code, and below it where the key came from, so that
// words in order are keys in a stable order. Words fall into about as many bins as there are keys, equal stretches of
// all of them. Atomics count the bins, in any order, and a scan tells where each begins. Then a word stands in its bin,
// and its place there follows from comparing it with the few others of the bin. A span whose words do not fit, or crowd
// a bin, is listed, and sorted by digits. Of keys alone it does not matter where they came from: below the way stands
// the number within the bin that the atomics gave.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/grid/span_bounds.cuh"
#include "kogge/operators.hpp"
#include "kogge/warp/scan.cuh"

namespace kogge::grid {

inline constexpr int kSpanBeyond = 32;  ///< words that stand behind those of a span

template <bool has_values>
struct SpanShared {
    static constexpr int kWarps = kSpanThreads / simt::kWarpSize;
    simt::TransactionBarrier loaded;  ///< the values are on chip
    std::uint32_t totals[kWarps];
    std::uint32_t is_crowded;
    std::uint32_t descends[2];  ///< of the large groups at the stretch's ends: some keys are out of order
    /// Counts; then each with the first place below it. The last ones are of no word.
    alignas(16) std::uint32_t bins[kSpanBins + simt::kWarpSize];
    std::uint32_t words[kSpanItems + kSpanBeyond];  ///< in order of their bins, and behind them greater ones
    /// By origin, behind a gap that keeps their alignment.
    alignas(16) std::uint32_t values[has_values ? kSpanItems + 4 : 4];
};
static_assert(sizeof(SpanShared<true>) <= span_shared_bytes(true));
static_assert(sizeof(SpanShared<false>) <= span_shared_bytes(false));

/// The words of a span, and their bins.
template <bool has_values>
struct SpanWords {
    static constexpr int kRankBits = 5;
    static_assert(kCrowdedBin < 1 << kRankBits);
    std::uint32_t low;  ///< code
    std::uint32_t way;  ///< from there to the highest
    int tag_bits;       ///< of a key's origin, or of its number within its bin
    std::uint32_t scale;
    bool fit;

    KOGGE_DEVICE SpanWords(std::uint32_t low, std::uint32_t high, int count)
        : low(low),
          way(high - low),
          tag_bits(has_values ? simt::highest_bit(static_cast<simt::mask_t>(count)) + 1 : kRankBits) {
        fit = (way >> (32 - tag_bits)) == 0;
        // A little less than bins / words times 2^32, so that the highest word falls into the last bin.
        const float words = (static_cast<float>(way) + 1) * static_cast<float>(1u << tag_bits);
        scale = static_cast<std::uint32_t>(static_cast<float>(kSpanBins) * 0x1.fffffp31f / words);
    }
    KOGGE_DEVICE std::uint32_t word(std::uint32_t code, int tag) const {
        return (code - low) << tag_bits | static_cast<std::uint32_t>(tag);
    }
    KOGGE_DEVICE bool has(std::uint32_t code) const { return code - low <= way; }
    KOGGE_DEVICE std::uint32_t code(std::uint32_t word) const { return low + (word >> tag_bits); }
    KOGGE_DEVICE std::uint32_t tag(std::uint32_t word) const { return word & ((1u << tag_bits) - 1u); }
    KOGGE_DEVICE std::uint32_t bin(std::uint32_t word) const {
        if constexpr (!has_values) word &= ~((1u << kRankBits) - 1u);  // it is not known before the bin
        return static_cast<std::uint32_t>(static_cast<std::uint64_t>(word) * scale >> 32);
    }
};

/// Ranks of a thread's words within their bins, four a register; of crowded bins they mean nothing.
template <int items>
struct ByteRanks {
    std::uint32_t fours[(items + 3) / 4];

    KOGGE_DEVICE void set(int i, std::uint32_t rank) {
        fours[i / 4] = i % 4 == 0 ? rank : fours[i / 4] + (rank << i % 4 * 8);
    }
    KOGGE_DEVICE std::uint32_t get(int i) const { return fours[i / 4] >> i % 4 * 8 & 0xffu; }
};

/// `recodes`: keys are not their codes.
template <bool recodes, class Problem>
struct Spans {
    static constexpr bool kHasValues = Problem::kHasValues;
    using Shared = SpanShared<kHasValues>;
    static constexpr int kEach = kSpanItems / kSpanThreads, kStep = 3;
    static_assert(kEach % kStep == 0 && kSpanItems < 1 << 16);
    const Problem& problem;
    Shared& shared;
    bool writes_keys;
    std::uint32_t turn = 0;  ///< spans that this block had before

    /// Puts the span [begin, begin + count) in order. All threads call.
    KOGGE_DEVICE void order(std::uint64_t begin, int count) {
        std::uint32_t* const keys = problem.all.keys + begin;
        const int thread = simt::thread_rank(), rows = (count + kSpanThreads - 1) / kSpanThreads;
        const auto first_pass = problem.all.bucket.in_pass(0);
        const auto place_of = [&](int i) { return i * kSpanThreads + thread; };
        std::uint32_t words[kEach];
        ByteRanks<kEach> ranks;
        for_items<kEach, kStep>(rows, [&](int i) {
            if (place_of(i) < count) words[i] = keys[place_of(i)];
        });
        std::uint32_t gap = 0;
        if constexpr (kHasValues) gap = start_loading(problem.all.values + begin, count);
        const std::uint32_t below = (1u << problem.shift()) - 1u;
        const std::uint32_t low = first_pass.encode(keys[0]) & ~below,
                            high = first_pass.encode(keys[count - 1]) | below;
        const SpanWords<kHasValues> way(low, high, count);
        clear();
        simt::sync_block();  // no bin has keys

        if constexpr (recodes) for_items<kEach, kStep>(rows, [&](int i) { words[i] = first_pass.encode(words[i]); });
        bool strays = !kHasValues && low > high;  // keys that are not between the ends
        for_items<kEach, kStep>(rows, [&](int i) {
            bool is_counted = place_of(i) < count;
            if constexpr (!kHasValues) {
                strays = strays || (is_counted && !way.has(words[i]));
                is_counted = is_counted && way.has(words[i]);
            }
            words[i] = way.word(words[i], kHasValues ? place_of(i) : 0);
            const std::uint32_t bin = is_counted ? way.bin(words[i]) : kSpanBins + simt::lane();
            ranks.set(i, simt::atomic_add<simt::Scope::block>(shared.bins + bin, 1));
        });
        simt::sync_block();  // the bins are counted
        if constexpr (!kHasValues)
            if (strays) simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
        scan_bins(!way.fit || strays);
        if (thread < kSpanBeyond) shared.words[count + thread] = ~0u;
        if constexpr (kHasValues) shared.loaded.wait(turn++ & 1);
        if (shared.is_crowded != 0) {
            if (thread == 0)
                problem.crowded[simt::atomic_add<simt::Scope::device>(&problem.all.control->crowded, 1)] = {
                    begin, begin + static_cast<std::uint64_t>(count)};
            return;
        }
        for_items<kEach, kStep>(rows, [&](int i) {
            if (place_of(i) >= count) return;
            const std::uint32_t rank = ranks.get(i), at = (shared.bins[way.bin(words[i])] & 0xffffu) + rank;
            shared.words[at] = kHasValues ? words[i] : words[i] | rank;
        });
        simt::sync_block();  // each word stands in its bin

        // A bin's words are compared with those that follow it as well: these are greater.
        constexpr int batch = 4, step = 2;
        for (int first = thread; first - thread < count; first += batch * kSpanThreads) {
            std::uint32_t own[batch], start[batch], place[batch], most = 1;
            for_each_item<batch>([&](int u) {
                const int at = first + u * kSpanThreads;
                own[u] = shared.words[at < count ? at : count - 1];
            });
            for_each_item<batch>([&](int u) {
                const std::uint32_t bin = shared.bins[way.bin(own[u])], size = bin >> 16;
                place[u] = start[u] = bin & 0xffffu;
                most = size > most ? size : most;
            });
            for (std::uint32_t j = 0; most > 1 && j < most; j += step) {
                std::uint32_t others[step][batch];
                for_each_item<step>([&](int k) {
                    for_each_item<batch>([&](int u) { others[k][u] = shared.words[start[u] + j + k]; });
                });
                for_each_item<step>([&](int k) {
                    for_each_item<batch>([&](int u) { simt::count_less(place[u], others[k][u], own[u]); });
                });
            }
            const auto is_real = [&](int u) { return first + u * kSpanThreads < count; };
            if constexpr (kHasValues) {
                std::uint32_t* const values = problem.all.values + begin;
                for_each_item<batch>([&](int u) {
                    if (is_real(u)) values[place[u]] = shared.values[gap + way.tag(own[u])];
                });
            }
            if (!kHasValues || writes_keys)
                for_each_item<batch>([&](int u) {
                    const std::uint32_t code = way.code(own[u]);
                    if (is_real(u)) keys[place[u]] = recodes ? first_pass.decode(code) : code;
                });
        }
    }

private:
    struct alignas(16) Quad {
        std::uint32_t word[4];
    };
    static constexpr int kRows = kSpanBins / Shared::kWarps / simt::kWarpSize / 4;  ///< of a quad a lane
    static_assert(kRows == 4, "the sums of two rows share a word");

    KOGGE_DEVICE Quad& quad(int row) const {
        return reinterpret_cast<Quad*>(shared.bins)[(simt::warp_rank() * kRows + row) * simt::kWarpSize + simt::lane()];
    }
    KOGGE_DEVICE void clear() const {
        for_each_item<kRows>([&](int r) { quad(r) = {}; });
        if (simt::thread_rank() < simt::kWarpSize) shared.bins[kSpanBins + simt::thread_rank()] = 0;
        if (simt::thread_rank() == 0) shared.is_crowded = 0;
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

    /// Turns the counts of the bins into first places, below the counts. All threads call.
    KOGGE_DEVICE void scan_bins(bool gives_up) const {
        const int lane = simt::lane(), warp = simt::warp_rank();
        Quad counts[kRows];
        std::uint32_t sums[kRows] = {}, most = gives_up ? kCrowdedBin + 1 : 0;
        for_each_item<kRows>([&](int r) { counts[r] = quad(r); });
        for_each_item<kRows>([&](int r) {
            for_each_item<4>([&](int i) {
                sums[r] += counts[r].word[i];
                most = counts[r].word[i] > most ? counts[r].word[i] : most;
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
        if (lane == 0) shared.totals[warp] = all;
        if (most > kCrowdedBin) simt::atomic_or<simt::Scope::block>(&shared.is_crowded, 1);
        simt::sync_block();  // the sums of the warps are written
        const std::uint32_t base = simt::reduce_add(lane < warp ? shared.totals[lane] : 0);
        for_each_item<kRows>([&](int r) {
            next[r] += base;
            for_each_item<4>([&](int i) {
                const std::uint32_t count = counts[r].word[i];
                counts[r].word[i] = next[r] | count << 16;
                next[r] += count;
            });
            quad(r) = counts[r];
        });
        simt::sync_block();  // it is known where bins begin
    }
};

}  // namespace kogge::grid
