// Segments that fit the chip: a block sorts all segments that begin in its window of places. Global traffic: keys, and
// values, are read once and written once.
//
// A segment of m keys has m bins, in order. Keys are spread over them in proportion, as if they were uniform between
// the window's least and greatest prefix, so that a bin has one key on average. A key's place follows from its bin and
// from a comparison with the other keys of the bin. Windows whose bins are overfull are left to segmented/digits.cuh.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/segmented/window.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The tables, which precede the keys in shared memory.
struct ShortShared {
    WindowMarks marks;
    std::uint32_t totals[simt::kWarpSize];
    std::uint32_t looks[simt::kWarpSize];
    std::uint32_t greatest[2];  ///< of the prefixes' complements, and of the prefixes
};
static_assert(sizeof(ShortShared) <= kShortTables);

/// How keys are compared on chip. An item represents a key there. Its prefix is the highest 32 bits in which keys of a
/// segment may differ: the keys of a segment that was split share their highest digits.
template <class Key, class Bucket>
struct SpreadOrder {
    const Bucket& bucket;
    int passes;

    KOGGE_DEVICE SpreadOrder(const Bucket& digits, int number) : bucket(digits), passes(number) {}
    KOGGE_DEVICE const Key& encode(const Key& key) const { return key; }
    KOGGE_DEVICE const Key& decode(const Key& item) const { return item; }
    KOGGE_DEVICE std::uint32_t prefix(const Key& item, int splits) const {
        std::uint32_t prefix = 0;
        const int highest = passes - 1 - splits;
        const auto& code = bucket.item_code(item);
        for (int pass = highest; pass > highest - 4; --pass)
            prefix = prefix << kDigitBits | (pass >= 0 ? bucket.digit_of(code, pass) : 0);
        return prefix;
    }
    /// Whether equal items are identical, so that their order does not matter.
    KOGGE_DEVICE bool equals_are_same() const { return false; }
    /// Whether item a, which came from `place`, precedes item b.
    KOGGE_DEVICE bool before(const Key& a, std::uint32_t place, const Key& b, std::uint32_t other_place) const {
        const auto &first = bucket.item_code(a), &second = bucket.item_code(b);
        return place < other_place ? bucket.ordered(first, second) : !bucket.ordered(second, first);
    }
};
template <class Key>
struct SpreadOrder<Key, NumberBucket<Key>> : NumberEncoding<Key> {
    static constexpr int kBits = static_cast<int>(8 * sizeof(Key));
    Key field;  ///< the bits that count
    int down;
    int up;

    KOGGE_DEVICE SpreadOrder(const NumberBucket<Key>& bucket, int passes)
        : NumberEncoding<Key>(bucket.encoding),
          field(static_cast<Key>(bucket.mask << bucket.begin)),
          down(bucket.begin),
          up(kBits - kDigitBits * passes) {}
    KOGGE_DEVICE std::uint32_t prefix(Key item, int splits) const {
        Key high = static_cast<Key>(static_cast<Key>(item & field) >> down << up);
        if (splits > 0) high = static_cast<Key>(high << kDigitBits);
        if (splits > 1) high = static_cast<Key>(high << kDigitBits);
        if constexpr (kBits > 32) return static_cast<std::uint32_t>(high >> (kBits - 32));
        else return static_cast<std::uint32_t>(high) << (32 - kBits);
    }
    KOGGE_DEVICE bool equals_are_same() const { return field == static_cast<Key>(~Key{0}); }
    KOGGE_DEVICE bool before(Key a, std::uint32_t place, Key b, std::uint32_t other_place) const {
        const Key first = static_cast<Key>(a & field), second = static_cast<Key>(b & field);
        return first < second || (first == second && place < other_place);
    }
};

/// The least number of splits of a segment, given where it is.
KOGGE_DEVICE int least_splits(SegmentPlace from) {
    return from == SegmentPlace::input ? 0 : from == SegmentPlace::other ? 1 : 2;
}

/// Spreads prefixes between the least and the greatest over a segment's bins.
struct PrefixRange {
    std::uint32_t least;
    int up;

    KOGGE_DEVICE PrefixRange(std::uint32_t lowest, std::uint32_t greatest)
        : least(lowest), up(greatest > least ? 31 - simt::highest_bit(greatest - least) : 0) {}
    KOGGE_DEVICE std::uint32_t bin(std::uint32_t prefix, std::uint32_t bounds) const {
        const std::uint32_t begin = bounds & 0xffffu, length = (bounds >> 16) - begin;
        return begin + static_cast<std::uint32_t>(static_cast<std::uint64_t>((prefix - least) << up) * length >> 32);
    }
};

/// Turns the bins' counts, two per word, into their first places. Returns the number of comparisons to come. All
/// threads call, after a block barrier.
KOGGE_DEVICE std::uint32_t place_bins(ShortShared& shared, std::uint32_t* counters, const Window& window) {
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const int lane = simt::lane(), warp = simt::warp_rank();
    const std::uint32_t first_word = window.first / 2, end_word = (window.end + 1) / 2;
    const std::uint32_t each = (end_word - first_word + kShortThreads - 1) / kShortThreads | 1u;  // no bank conflicts
    const std::uint32_t from = first_word + thread * each;
    const std::uint32_t to = from + each < end_word ? from + each : end_word;
    std::uint32_t sum = 0, looks = 0;
    for (std::uint32_t w = from; w < to; ++w) {
        const std::uint32_t low = counters[w] & 0xffffu, high = counters[w] >> 16;
        sum += low + high;
        looks += low * low + high * high;
    }
    const std::uint32_t inclusive = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
    looks = simt::reduce_add(looks);
    if (lane == simt::kWarpSize - 1) {
        shared.totals[warp] = inclusive;
        shared.looks[warp] = looks;
    }
    simt::sync_block();  // the warps' totals are written
    std::uint32_t place = window.first + simt::reduce_add(lane < warp ? shared.totals[lane] : 0u) + inclusive - sum;
    for (std::uint32_t w = from; w < to; ++w) {
        const std::uint32_t low = counters[w] & 0xffffu, high = counters[w] >> 16;
        counters[w] = place | (place + low) << 16;
        place += low + high;
    }
    return simt::reduce_add(lane < kShortThreads / simt::kWarpSize ? shared.looks[lane] : 0u);
}

/// If offsets fall, there are no segments: the items of the block's window are copied as they are.
template <class Problem>
KOGGE_DEVICE void keep_window(const Problem& problem, std::uint64_t base) {
    const std::uint64_t n = problem.shape.n.get(), rest = n - base;
    const std::uint64_t count = rest < problem.shape.window_items ? rest : problem.shape.window_items;
    for (std::uint64_t i = static_cast<std::uint64_t>(simt::thread_rank()); i < count; i += kShortThreads) {
        problem.route.keys_out[base + i] = problem.route.keys_in[base + i];
        if constexpr (Problem::kHasValues)
            problem.route.values_out[base + i] = problem.route.value_at(SegmentPlace::input, base + i);
    }
}

/// Sorts each block's window, or lists it for the sort by digits.
template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kShortThreads, 2)
    spread_segments_kernel(ShortProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    using Problem = ShortProblem<Key, Value, Bucket>;
    constexpr int items = Problem::kItems, warps = kShortThreads / simt::kWarpSize;
    const std::uint32_t capacity = problem.shape.capacity;
    constexpr std::uint32_t most_looks = 32;  // per key; beyond, a sort by digits is as fast
    auto& shared = simt::shared_memory<ShortShared>();
    auto* const slots = reinterpret_cast<Key*>(reinterpret_cast<unsigned char*>(&shared) + kShortTables);
    auto* const counters = reinterpret_cast<std::uint32_t*>(slots + capacity);
    const auto* const bin_begins = reinterpret_cast<const std::uint16_t*>(counters);
    auto* const bins = reinterpret_cast<std::uint16_t*>(counters + capacity / 2);
    auto* const indices = bins + capacity;
    const SpreadOrder<Key, Bucket> order(problem.bucket, problem.shape.passes);
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const auto lane = static_cast<std::uint32_t>(simt::lane()), warp = static_cast<std::uint32_t>(simt::warp_rank());

    const std::uint64_t base = static_cast<std::uint64_t>(simt::block_rank()) * problem.shape.window_items;
    if (base >= problem.shape.n.get()) return;
    if (*problem.memory.falls != 0) return keep_window(problem, base);
    shared.marks.load(problem.memory.marks, base, capacity, problem.shape.n.get());
    if (thread < 2) shared.greatest[thread] = 0;
    simt::sync_block();  // the marks are on chip
    shared.marks.index();
    simt::sync_block();  // the marks are indexed
    const Window window = shared.marks.window(problem.shape, base, capacity);
    if (window.count() == 0) return;

    // A warp has every warps-th row of 32 places.
    const std::uint32_t first_row = window.first_row() + warp;
    const int rows =
        first_row < window.end_row() ? static_cast<int>((window.end_row() - first_row - 1) / warps) + 1 : 0;
    const std::uint32_t first = first_row * simt::kWarpSize + lane;
    const auto place_of = [&](int i) { return first + static_cast<std::uint32_t>(i * kShortThreads); };
    Key keys[items];
    std::uint32_t bounds[items], from = 0;  // two bits per row
    const auto from_of = [&](int i) { return static_cast<SegmentPlace>(from >> 2 * i & 3u); };
    for_items<items, 1>(rows, [&](int i) {
        bounds[i] = shared.marks.bounds(window, first_row + static_cast<std::uint32_t>(i * warps));
        if (bounds[i] == 0) return;
        const SegmentPlace here =
            window.from != SegmentPlace::none ? window.from : shared.marks.from(bounds[i] & 0xffffu);
        from |= static_cast<std::uint32_t>(here) << 2 * i;
        keys[i] = problem.route.keys_at(here)[base + place_of(i)];
        if (lane % 2 == 0 || place_of(i) == window.first) counters[place_of(i) / 2] = 0;
    });
    const auto prefix = [&](const Key& item, int i) { return order.prefix(item, least_splits(from_of(i))); };
    std::uint32_t greatest[2] = {};
    for_items<items, 1>(rows, [&](int i) {
        if (bounds[i] == 0) return;
        keys[i] = order.encode(keys[i]);
        const std::uint32_t own = prefix(keys[i], i);
        greatest[0] = greatest[0] > ~own ? greatest[0] : ~own;
        greatest[1] = greatest[1] > own ? greatest[1] : own;
    });
    KOGGE_UNROLL
    for (int g = 0; g < 2; ++g) {
        KOGGE_UNROLL
        for (int lanes = simt::kWarpSize / 2; lanes > 0; lanes /= 2) {
            const std::uint32_t other = simt::shuffle_xor(greatest[g], lanes);
            greatest[g] = greatest[g] > other ? greatest[g] : other;
        }
        if (lane == 0) simt::atomic_max<simt::Scope::block>(shared.greatest + g, greatest[g]);
    }
    simt::sync_block();  // the range of the prefixes is known, and the bins are empty
    const PrefixRange range(~shared.greatest[0], shared.greatest[1]);
    const auto holds = [&](int i) { return place_of(i) - window.first < window.count(); };
    std::uint32_t(&ranks)[items] = bounds;  // in place of bounds: an item's bin, and in upper bits its rank there
    for_items<items, 1>(rows, [&](int i) {
        if (!holds(i)) return;
        const std::uint32_t bin = range.bin(prefix(keys[i], i), bounds[i]), shift = bin % 2 * 16;
        const std::uint32_t before = simt::atomic_add<simt::Scope::block>(counters + bin / 2, 1u << shift);
        ranks[i] = bin | (before >> shift) << 16;
    });
    simt::sync_block();  // the keys of all bins are counted
    if (place_bins(shared, counters, window) > most_looks * window.count()) {
        if (thread == 0)
            problem.memory.left[simt::atomic_add<simt::Scope::device>(problem.memory.uncounted, 1)] =
                simt::block_rank();
        return;
    }
    simt::sync_block();  // the places of all bins are known
    const bool keeps_places = Problem::kHasValues || !order.equals_are_same();
    for_items<items, 1>(rows, [&](int i) {
        if (!holds(i)) return;
        const std::uint32_t bin = ranks[i] & 0xffffu, slot = bin_begins[bin] + (ranks[i] >> 16);
        slots[slot] = keys[i];
        bins[slot] = static_cast<std::uint16_t>(bin);
        if (keeps_places) indices[slot] = static_cast<std::uint16_t>(place_of(i));
    });
    simt::sync_block();  // the items are in order of their bins

    [[maybe_unused]] auto* const sorted = indices + capacity;
    for_items<items, 1>(rows, [&](int i) {
        if (!holds(i)) return;
        const std::uint32_t slot = place_of(i), bin = bins[slot];
        const Key own = slots[slot];
        const std::uint32_t end = bin + 1 < window.end ? bin_begins[bin + 1] : window.end;
        std::uint32_t target = bin_begins[bin];
        const auto count_before = [&](std::uint32_t index, const auto& index_of) {
            for (std::uint32_t j = bin_begins[bin]; j < end; ++j)
                target += order.before(slots[j], index_of(j), own, index) ? 1u : 0u;
        };
        if (keeps_places) {
            const std::uint32_t index = indices[slot];
            count_before(index, [&](std::uint32_t j) { return indices[j]; });
            if constexpr (Problem::kHasValues) sorted[target] = static_cast<std::uint16_t>(index);
        } else {
            count_before(slot, [](std::uint32_t j) { return j; });
        }
        problem.route.keys_out[base + target] = order.decode(own);
    });
    if constexpr (Problem::kHasValues) {
        simt::sync_block();  // the order is known
        Value values[items];
        for_items<items, 1>(rows, [&](int i) {
            if (holds(i)) values[i] = problem.route.value_at(from_of(i), base + sorted[place_of(i)]);
        });
        simt::sync_block();  // all values have been read, and may be overwritten
        for_items<items, 1>(rows, [&](int i) {
            if (holds(i)) problem.route.values_out[base + place_of(i)] = values[i];
        });
    }
}

}  // namespace kogge::grid::KOGGE_CODE
