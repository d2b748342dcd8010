// After passes over leading digits only, where many keys agree in these: a span, neighbouring groups of equal leading
// digits that fit the chip together, is put in order by one block, in place. Each item is read once and written once.
//
// Of a key a word travels on chip: the way from the span's lowest code, and below it where the key came from, so that
// words in order are keys in a stable order. Words fall into about as many bins as there are keys, equal stretches of
// all of them. Atomics count the bins, in any order, and a scan tells where each begins. Then a word stands in its bin,
// and its place there follows from comparing it with the few others of the bin. A span whose words do not fit, or crowd
// a bin, is listed, and sorted by digits. Of keys alone it does not matter where they came from: below the way stands
// the number within the bin that the atomics gave.
//
// The places of all n items are cut into stretches, and the groups that begin in a stretch are a block's: one span, or
// two where they do not fit together. A group that does not fit by itself is left alone; every block looks at its own
// stretch of it, and lists the group if it is out of order (large_groups.cuh).
//
// Passes over keys alone rank them as served, which may leave their leading digits out of order. Spans are left alone
// unless the groups around all bounds fit together, so that no two spans overlap; and each key is looked at whether it
// lies between its span's ends. Else the result, which still has all keys, is sorted again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/grid/group_bounds.cuh"
#include "kogge/grid/group_shape.hpp"
#include "kogge/grid/sort_again.cuh"

namespace kogge::grid {

template <class AgainProblem>
struct SpanProblem {
    using Again = AgainProblem;
    using Key = typename Again::key_type;
    using Value = typename Again::value_type;
    static constexpr bool kHasValues = Again::kHasValues;
    static_assert(std::is_same_v<Key, std::uint32_t> && (!kHasValues || std::is_same_v<Value, std::uint32_t>));

    Again all;              ///< the items, and what sorts them otherwise
    bool writes_keys;       ///< else only a large group, which may lead to a sort of all keys again, needs them
    LargeGroup* bounds;     ///< of the groups around the bounds of the stretches: one more than there are stretches
    LargeGroup* crowded;    ///< spans: there is room for two of each stretch
    std::uint64_t stretch;  ///< places
    std::uint32_t stretches;
    std::uint32_t crowded_blocks;

    KOGGE_DEVICE std::uint32_t code(std::uint64_t place) const { return all.bucket.code(all.keys[place]); }
    KOGGE_DEVICE int shift() const { return static_cast<int>(all.control->lowest) * kDigitBits; }
};

inline constexpr int kBoundThreads = 256;
/// So many lanes find the group of the last item before a stretch's end. Of keys alone a warp's last group is also the
/// next one's first, to be compared with the group before it.
inline constexpr int kBoundLanes = 8;
constexpr int warp_bounds(bool has_values) { return simt::kWarpSize / kBoundLanes - (has_values ? 0 : 1); }
constexpr int block_bounds(bool has_values) { return kBoundThreads / simt::kWarpSize * warp_bounds(has_values); }
template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kBoundThreads, 4) find_spans_kernel(Problem problem) {
    const int shift = problem.shift();
    if (shift == 0) return;
    constexpr int bounds = warp_bounds(Problem::kHasValues);
    const int of_warp = simt::lane() / kBoundLanes, looker = simt::lane() % kBoundLanes;
    const std::uint32_t own = simt::block_rank() * block_bounds(Problem::kHasValues) +
                              static_cast<std::uint32_t>(simt::warp_rank() * bounds + of_warp);
    const std::uint32_t bound = own < problem.stretches ? own : problem.stretches;
    const std::uint64_t n = problem.all.n.get(), at = bound * problem.stretch, end = at < n ? at : n;
    LargeGroup group{0, 0};
    if (n > 0) {
        const std::uint64_t place = end > 0 ? end - 1 : 0;
        const std::uint32_t code = problem.code(place);
        const auto shares = [&](std::uint64_t other) { return (problem.code(other) ^ code) >> shift == 0; };
        using Reach = GroupReach<kBoundLanes / 2>;
        Reach reach(place, n, kSpanItems, shares);
        if (simt::any(reach.before >= kSpanItems || reach.behind >= kSpanItems)) reach = Reach(place, n, n, shares);
        if (end > 0) group = {place - reach.before, place + reach.behind + 1};
        if constexpr (!Problem::kHasValues) {
            const LargeGroup next{simt::shuffle(group.begin, (simt::lane() + kBoundLanes) % simt::kWarpSize),
                                  simt::shuffle(group.end, (simt::lane() + kBoundLanes) % simt::kWarpSize)};
            bool fits =
                of_warp == bounds || next.begin >= group.end || (next.begin == group.begin && next.end == group.end);
            const std::uint32_t leading = code >> shift;
            const auto leading_at = [&](std::uint64_t other) { return problem.code(other) >> shift; };
            if (end > 0 && looker == 0) fits = fits && leading_at(group.begin) == leading;
            if (end > 0 && looker == 1) fits = fits && leading_at(group.end - 1) == leading;
            if (group.begin > 0 && looker == 2) fits = fits && leading_at(group.begin - 1) < leading;
            if (end > 0 && group.end < n && looker == 3) fits = fits && leading_at(group.end) > leading;
            if (!fits) {
                simt::atomic_or<simt::Scope::device>(&problem.all.control->no_spans, 1);
                simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
            }
        }
    }
    if (looker > 0 || of_warp >= bounds || own > problem.stretches) return;
    problem.bounds[bound] = group;
    if (group.end - group.begin > kSpanItems) simt::atomic_or<simt::Scope::device>(&problem.all.control->has_large, 1);
}

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

    /// Lists a group, the first or the second that this block looks at, that is out of order within [begin, end) and at
    /// its end. All threads call.
    KOGGE_DEVICE void look_at(int which, const LargeGroup& group, std::uint64_t begin, std::uint64_t end) const {
        constexpr int in_flight = 4;
        std::uint32_t& known = shared.descends[which];
        if (end == group.end) --end;
        bool descends = false, strays = false;
        [[maybe_unused]] const std::uint32_t code = problem.code(group.begin);
        for (std::uint64_t i = begin + static_cast<std::uint64_t>(simt::thread_rank()); i < end;
             i += in_flight * kSpanThreads) {
            std::uint32_t codes[in_flight], next[in_flight];
            for_each_item<in_flight>([&](int u) {
                if (i + u * kSpanThreads >= end) return;
                codes[u] = problem.code(i + u * kSpanThreads);
                next[u] = problem.code(i + u * kSpanThreads + 1);
            });
            for_each_item<in_flight>([&](int u) {
                if (i + u * kSpanThreads >= end) return;
                descends = descends || codes[u] > next[u];
                if constexpr (!kHasValues) strays = strays || (codes[u] ^ code) >> problem.shift() != 0;
            });
        }
        if constexpr (!kHasValues) {
            if (simt::any(strays) && simt::lane() == 0)
                simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
        }
        if (simt::any(descends) && simt::lane() == 0) simt::atomic_or<simt::Scope::block>(&known, 1);
        simt::sync_block();  // all have looked
        if (simt::thread_rank() > 0 || known == 0) return;
        const std::uint32_t number = simt::atomic_add<simt::Scope::device>(&problem.all.control->large, 1);
        if (number < most_large_groups(problem.all.n.get())) problem.all.large[number] = group;
        else simt::atomic_or<simt::Scope::device>(&problem.all.control->disorder, 1);
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

template <bool recodes, class Problem>
KOGGE_DEVICE void run_order_spans(const Problem& problem) {
    if (problem.all.control->lowest == 0 || problem.all.control->no_spans != 0) return;
    auto& shared = simt::shared_memory<SpanShared<Problem::kHasValues>>();
    Spans<recodes, Problem> spans{problem, shared, problem.writes_keys || problem.all.control->has_large != 0};
    const auto fits = [](std::uint64_t begin, std::uint64_t end) { return end - begin <= kSpanItems; };
    if (simt::thread_rank() == 0) shared.loaded.init(1);
    for (std::uint32_t stretch = simt::block_rank(); stretch < problem.stretches; stretch += simt::grid_size()) {
        const LargeGroup before = problem.bounds[stretch], last = problem.bounds[stretch + 1];
        if (simt::thread_rank() == 0) shared.descends[0] = shared.descends[1] = 0;
        simt::sync_block();  // the barrier stands, and nothing is known of large groups
        // What begins here, together or but for the last group and then that.
        std::uint64_t from = before.end, to = fits(from, last.end) ? last.end : last.begin;
        while (from < last.end) {
            if (from < to && fits(from, to)) {
                spans.order(from, static_cast<int>(to - from));
                if constexpr (Problem::kHasValues)
                    simt::fence_bulk();  // reads of values may be under way, and bulk copies overtake them
                simt::sync_block();      // the span has left the chip
            }
            from = to;
            to = last.end;
        }
        const std::uint64_t n = problem.all.n.get(), begin = stretch * problem.stretch;
        const std::uint64_t end = n < begin + problem.stretch ? n : begin + problem.stretch;
        if (begin >= end) return;
        if (!fits(before.begin, before.end) && before.end > begin)
            spans.look_at(0, before, begin, before.end < end ? before.end : end);
        if (!fits(last.begin, last.end) && last.end != before.end) spans.look_at(1, last, last.begin, end);
    }
}

template <bool recodes, class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSpanThreads, 4) order_spans_kernel(Problem problem) {
    if constexpr (simt::kHasBulkCopy) run_order_spans<recodes>(problem);  // plans choose it for no other device
}

/// Puts the listed spans in order by digits, if they are not in order.
template <class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTileThreads, kAgainBlocks) order_crowded_kernel(Problem problem) {
    const std::uint32_t crowded = problem.all.control->crowded;
    if (crowded == 0) return;
    auto& shared = simt::shared_memory<TileShared<typename Problem::Again>>();
    for (std::uint32_t c = simt::block_rank(); c < crowded; c += simt::grid_size()) {
        const LargeGroup span = problem.crowded[c];
        sort_stretch_alone(shared, problem.all, problem.all.passes, span.begin, span.end);
    }
}

inline constexpr std::uint32_t kMostSpanBlocks = 8192;  ///< of keys alone: to start more takes long for nothing

template <class Problem>
void order_spans(const Problem& problem, stream_t stream) {
    simt::launch(find_spans_kernel<Problem>,
                 {static_cast<std::uint32_t>(divide_up(problem.stretches + 1, block_bounds(Problem::kHasValues))),
                  kBoundThreads, 0, stream, "find_spans_kernel"},
                 problem);
    const std::uint32_t most = Problem::kHasValues ? problem.stretches : kMostSpanBlocks;
    const std::uint32_t blocks = problem.stretches < most ? problem.stretches : most;
    const auto order = [&](auto kernel) {
        simt::launch(kernel,
                     {blocks, kSpanThreads, span_shared_bytes(Problem::kHasValues), stream, "order_spans_kernel"},
                     problem);
    };
    if (problem.all.bucket.keys_are_codes()) order(order_spans_kernel<false, Problem>);
    else order(order_spans_kernel<true, Problem>);
    simt::launch(order_crowded_kernel<Problem>,
                 {problem.crowded_blocks, kTileThreads, tile_shared_bytes(sizeof(typename Problem::Key)), stream,
                  "order_crowded_kernel"},
                 problem);
}

}  // namespace kogge::grid
