// Keys of 8 or 16 bits, without values and by all of their bits: equal ones are the same, so nothing has to move. Each
// value is counted, then written as often as it was met. Traffic: one read, one write.
//
// In groups of 256 values, so that a block that fills a stretch of the output finds the few values it needs without
// reading all counts. Counting knows nothing of the order: it counts bit patterns, and filling asks for the counts in
// the order of the codes. Patterns with equal upper bytes have codes with equal upper bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/block/scan.cuh"
#include "kogge/grid/carry.cuh"
#include "kogge/grid/digits.cuh"
#include "kogge/grid/sort_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

template <class Key>
struct ValueCounts {
    static constexpr std::uint32_t kValues = 1u << (8 * sizeof(Key)), kGroups = kValues / kBins;

    std::uint64_t* values;  ///< [kValues], zero before the count
    std::uint64_t* groups;  ///< [kGroups], for more than one group: their sums
    std::uint32_t* rows;    ///< for more than one group: the counters of each block that counted

    KOGGE_DEVICE void add(std::uint32_t value, std::uint64_t count) const {
        simt::atomic_add<simt::Scope::device>(values + value, count);
    }
};

/// Keys of a 16-byte access, as words: compilers give an array of bytes a register each.
template <class Key>
struct alignas(16) KeyWords {
    static constexpr int kKeys = 16 / sizeof(Key), kBits = 8 * sizeof(Key), kOfWord = 32 / kBits;
    std::uint32_t word[4];

    KOGGE_DEVICE std::uint32_t key(int k) const {
        return word[k / kOfWord] >> (k % kOfWord * kBits) & (ValueCounts<Key>::kValues - 1);
    }
    /// The key repeated over a word.
    KOGGE_DEVICE static std::uint32_t repeated(std::uint32_t key) {
        return key * (sizeof(Key) == 1 ? 0x01010101u : 0x00010001u);
    }
};

// ---- counting ------------------------------------------------------------------------------------------

/// A block's counters on chip. Of 8 bits: in 32 stripes, one a lane, so that lanes never meet.
template <class Key>
struct ValueCounters {
    static constexpr std::uint32_t kWords = kBins * simt::kWarpSize;
    std::uint32_t* words;
    const ValueCounts<Key>& counts;

    KOGGE_DEVICE void clear() const {
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::thread_rank()); i < kWords; i += kCountThreads)
            words[i] = 0;
    }
    KOGGE_DEVICE void count(const KeyWords<Key>& pack, bool real) const {
        if (!real) return;
        KOGGE_UNROLL
        for (int k = 0; k < pack.kKeys; ++k)
            simt::atomic_add<simt::Scope::block>(words + simt::lane() + pack.key(k) * simt::kWarpSize, 1);
    }
    KOGGE_DEVICE void end_round() const {}
    KOGGE_DEVICE void flush() const {
        const std::uint32_t value = static_cast<std::uint32_t>(simt::thread_rank());
        if (value >= kBins) return;
        std::uint32_t sum = 0;
        for (int s = 0; s < simt::kWarpSize; ++s)
            sum += words[value * simt::kWarpSize + (static_cast<std::uint32_t>(s + simt::lane()) % simt::kWarpSize)];
        if (sum > 0) counts.add(value, sum);
    }
};

/// Of 16 bits: two counters of 16 bits a word, as no block has room for more. A counter that reaches 2^15 hands that
/// many over to memory. A round adds at most 2^15 to any counter and ends with a barrier, so that none passes 2^16.
template <>
struct ValueCounters<std::uint16_t> {
    static constexpr std::uint32_t kWords = 1u << 15, kSpill = 1u << 15;
    std::uint32_t* words;
    const ValueCounts<std::uint16_t>& counts;

    KOGGE_DEVICE void clear() const {
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::thread_rank()); i < kWords; i += kCountThreads)
            words[i] = 0;
    }
    KOGGE_DEVICE void add(std::uint32_t value, std::uint32_t amount) const {
        std::uint32_t* const word = words + value % kWords;
        const std::uint32_t shift = value / kWords * 16;
        const std::uint32_t old = simt::atomic_add<simt::Scope::block>(word, amount << shift) >> shift & 0xffffu;
        if (old < kSpill && old + amount >= kSpill) {
            simt::atomic_add<simt::Scope::block>(word, 0u - (kSpill << shift));
            counts.add(value, kSpill);
        }
    }
    KOGGE_DEVICE void count(const KeyWords<std::uint16_t>& pack, bool real) const {
        // One value in a whole warp, where atomics would queue up, is added at once.
        const std::uint32_t first = simt::shuffle(pack.word[0], 0);
        std::uint32_t differs = first ^ pack.repeated(pack.key(0));
        KOGGE_UNROLL
        for (int w = 0; w < 4; ++w) differs |= pack.word[w] ^ first;
        if (simt::all(real && differs == 0)) {
            if (simt::lane() == 0) add(pack.key(0), pack.kKeys * simt::kWarpSize);
        } else if (real) {
            KOGGE_UNROLL
            for (int k = 0; k < pack.kKeys; ++k) add(pack.key(k), 1);
        }
    }
    KOGGE_DEVICE void end_round() const { simt::sync_block(); }  // what reached the bound has been handed over
    KOGGE_DEVICE void flush() const {
        for (std::uint32_t i = static_cast<std::uint32_t>(simt::thread_rank()); i < kWords; i += kCountThreads)
            counts.rows[simt::block_rank() * kWords + i] = words[i];
    }
};

/// Where whole 16-byte packs of an array begin, and how many there are.
template <class Key>
struct PackedRange {
    static constexpr int kKeys = KeyWords<Key>::kKeys;
    std::uint64_t head;  ///< keys before the first pack
    std::uint64_t packs;

    KOGGE_DEVICE PackedRange(const Key* keys, std::uint64_t n) {
        head = (16 - reinterpret_cast<std::uintptr_t>(keys) % 16) % 16 / sizeof(Key);
        head = head < n ? head : n;
        packs = (n - head) / kKeys;
    }
    KOGGE_DEVICE std::uint64_t tail() const { return head + packs * kKeys; }
};

/// The block's share of all packs, in rounds. All threads call.
template <class Key>
KOGGE_DEVICE void count_packs(const Key* keys, const PackedRange<Key>& range, const ValueCounters<Key>& counters) {
    using Pack = KeyWords<Key>;
    constexpr int in_flight = 4;
    static_assert(sizeof(Key) == 1 || kCountThreads * in_flight * Pack::kKeys <= 1 << 15, "a round, see ValueCounters");
    const std::uint64_t stride = static_cast<std::uint64_t>(simt::grid_size()) * kCountThreads;
    const std::uint64_t own = static_cast<std::uint64_t>(simt::block_rank()) * kCountThreads + simt::thread_rank();
    const auto* const packs = reinterpret_cast<const Pack*>(keys + range.head);
    Pack next[in_flight] = {};
    const auto load = [&](std::uint64_t round) {
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u) {
            const std::uint64_t index = round + u * stride + own;
            if (index < range.packs) next[u] = packs[index];
        }
    };
    load(0);
    for (std::uint64_t round = 0; round < range.packs; round += in_flight * stride) {
        Pack mine[in_flight];
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u) mine[u] = next[u];
        load(round + in_flight * stride);
        KOGGE_UNROLL
        for (int u = 0; u < in_flight; ++u) counters.count(mine[u], round + u * stride + own < range.packs);
        counters.end_round();
    }
}

template <class Key>
struct CountShared {
    alignas(128) std::uint32_t words[ValueCounters<Key>::kWords];
};

template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCountThreads, 1)
    count_values_kernel(const Key* keys, Count count, ValueCounts<Key> counts) {
    static_assert(sizeof(CountShared<Key>) <= count_shared_bytes(sizeof(Key)));
    auto& shared = simt::shared_memory<CountShared<Key>>();
    const int thread = simt::thread_rank();
    const ValueCounters<Key> counters{shared.words, counts};
    counters.clear();
    simt::sync_block();  // the counters are zero

    const std::uint64_t n = count.get();
    const PackedRange<Key> range(keys, n);
    count_packs(keys, range, counters);
    if (simt::block_rank() == 0) {  // what no pack holds
        const std::uint64_t at = static_cast<std::uint64_t>(thread);
        if (at < range.head) counts.add(keys[at], 1);
        if (range.tail() + at < n) counts.add(keys[range.tail() + at], 1);
    }
    simt::sync_block();  // the block has counted
    counters.flush();
}

struct SumShared {
    static constexpr int kParts = kCountThreads / kBins;
    std::uint64_t sums[2][kParts][kBins];
    std::uint64_t groups[2];
};

/// Adds the rows of counters that blocks have left to the counts, and sums groups. A block has 256 words of a row: two
/// groups; four parts of its threads take turns with the rows.
template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kCountThreads, 1) sum_counts_kernel(ValueCounts<Key> counts, std::uint32_t rows) {
    constexpr std::uint32_t words = ValueCounters<Key>::kWords, parts = SumShared::kParts;
    auto& shared = simt::shared_memory<SumShared>();
    const std::uint32_t thread = static_cast<std::uint32_t>(simt::thread_rank()), part = thread / kBins;
    const std::uint32_t column = simt::block_rank() * kBins + thread % kBins;
    std::uint64_t sums[2] = {};
    constexpr std::uint32_t in_flight = 16;
    for (std::uint32_t first = part; first < rows; first += in_flight * parts) {
        std::uint32_t seen[in_flight];
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < in_flight; ++u)
            seen[u] = first + u * parts < rows ? counts.rows[(first + u * parts) * words + column] : 0;
        KOGGE_UNROLL
        for (std::uint32_t u = 0; u < in_flight; ++u) {
            sums[0] += seen[u] & 0xffffu;
            sums[1] += seen[u] >> 16;
        }
    }
    if (thread < 2) shared.groups[thread] = 0;
    shared.sums[0][part][thread % kBins] = sums[0];
    shared.sums[1][part][thread % kBins] = sums[1];
    simt::sync_block();  // all parts have summed
    if (thread < 2 * kBins) {
        const std::uint32_t half = thread / kBins, value = half * words + column;
        std::uint64_t sum = counts.values[value];
        KOGGE_UNROLL
        for (std::uint32_t p = 0; p < parts; ++p) sum += shared.sums[half][p][thread % kBins];
        counts.values[value] = sum;
        const std::uint64_t warp_sum = warp::inclusive_scan(sum, simt::kWarpSize, plus{});
        if (simt::lane() == simt::kWarpSize - 1) simt::atomic_add<simt::Scope::block>(shared.groups + half, warp_sum);
    }
    simt::sync_block();  // both groups are summed
    if (thread < 2) counts.groups[thread * (words / kBins) + simt::block_rank()] = shared.groups[thread];
}

// ---- filling -------------------------------------------------------------------------------------------

/// Values in order of their codes, from `first` on, and where each begins in a stretch of the output.
template <class Key, std::uint32_t size>
struct ValueWindow {
    static_assert((size & (size - 1)) == 0);
    std::uint32_t first;
    const std::uint32_t* starts;  ///< [size + 1], ascending
    NumberEncoding<Key> encoding;

    /// The value at a place of the window: the last that begins there or before.
    KOGGE_DEVICE std::uint32_t find(std::uint32_t place) const {
        std::uint32_t index = 0;
        for (std::uint32_t step = size / 2; step > 0; step /= 2)
            if (starts[index + step] <= place) index += step;
        return index;
    }
    KOGGE_DEVICE Key key(std::uint32_t index) const { return encoding.decode(static_cast<Key>(first + index)); }

    /// Writes the window's places, which begin at `out`. All threads of the block call.
    KOGGE_DEVICE void fill(Key* out) const {
        using Pack = KeyWords<Key>;
        constexpr std::uint32_t most_rows = 8;
        const std::uint32_t begin = starts[0], end = starts[size];
        const PackedRange<Key> range(out + begin, end - begin);
        const std::uint32_t packs_begin = begin + static_cast<std::uint32_t>(range.head);
        const std::uint32_t packs_end = begin + static_cast<std::uint32_t>(range.tail());
        const std::uint32_t thread = static_cast<std::uint32_t>(simt::thread_rank());
        if (begin + thread < packs_begin) out[begin + thread] = key(find(begin + thread));
        if (packs_end + thread < end) out[packs_end + thread] = key(find(packs_end + thread));

        // A warp takes some rows of 32 packs that follow each other. Most rows hold one value.
        auto* const packs = reinterpret_cast<Pack*>(out + packs_begin);
        const std::uint32_t count = static_cast<std::uint32_t>(range.packs);
        const std::uint32_t warps = static_cast<std::uint32_t>(simt::block_size() / simt::kWarpSize);
        const std::uint32_t rows = count < warps * most_rows * simt::kWarpSize ? 1 : most_rows;
        const std::uint32_t stretch = rows * simt::kWarpSize;
        for (std::uint32_t s = static_cast<std::uint32_t>(simt::warp_rank()) * stretch; s < count;
             s += warps * stretch) {
            std::uint32_t index = find(packs_begin + s * Pack::kKeys);
            for (std::uint32_t row = s; row < s + stretch && row < count; row += simt::kWarpSize) {
                const std::uint32_t place = packs_begin + row * Pack::kKeys, own = row + simt::lane();
                index = find_from(index, place);
                Pack pack;
                if (place + simt::kWarpSize * Pack::kKeys <= starts[index + 1]) {
                    const std::uint32_t word = Pack::repeated(key(index));
                    pack = {{word, word, word, word}};
                } else if (own < count) {
                    pack = pack_at(index, packs_begin + own * Pack::kKeys);
                }
                if (own < count) packs[own] = pack;
            }
        }
    }

private:
    /// The same as find, from the value at an earlier place: often one of the next.
    KOGGE_DEVICE std::uint32_t find_from(std::uint32_t index, std::uint32_t place) const {
        for (int near = 0; near < 4; ++near) {
            if (starts[index + 1] > place) return index;
            ++index;
        }
        return find(place);
    }
    /// The pack at a place; `index` is the value at an earlier one.
    KOGGE_DEVICE KeyWords<Key> pack_at(std::uint32_t index, std::uint32_t place) const {
        KeyWords<Key> pack{};
        std::uint32_t here = 0, end = 0;
        KOGGE_UNROLL
        for (int k = 0; k < pack.kKeys; ++k) {
            if (place + k >= end) {
                index = find_from(index, place + k);
                here = key(index);
                end = starts[index + 1];
            }
            pack.word[k / pack.kOfWord] |= here << (k % pack.kOfWord * pack.kBits);
        }
        return pack;
    }
};

inline constexpr int kFillThreads = 512;
/// A block's stretch begins at a multiple of so many keys, and is filled at most so many at a time.
inline constexpr std::uint64_t kFillAligned = 64, kFillMost = 1 << 30;
inline constexpr std::uint32_t kFillEach = 8;  ///< values of a window a thread
/// Going through a group of values takes as long as writing so many keys. Without that, one block alone would go
/// through nearly all values where nearly all keys share few.
inline constexpr std::uint64_t kGroupWork = 2048;

template <class Key>
struct FillShared {
    static constexpr std::uint32_t kMost = kFillThreads * kFillEach;
    static constexpr std::uint32_t kWindow = ValueCounts<Key>::kValues < kMost ? ValueCounts<Key>::kValues : kMost;
    std::uint64_t group_starts[ValueCounts<Key>::kGroups + 1];
    std::uint32_t starts[kWindow + 1];
    typename block::ShuffleScan<kFillThreads>::template Storage<std::uint64_t> network;
};

/// A block fills stretches of the output, a window of values at a time.
template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kFillThreads, 2)
    fill_values_kernel(Key* out, Count count, ValueCounts<Key> counts, NumberEncoding<Key> encoding) {
    using Shared = FillShared<Key>;
    using Scan = block::ShuffleScan<kFillThreads>;
    constexpr std::uint32_t values = counts.kValues, groups = counts.kGroups, window = Shared::kWindow;
    auto& shared = simt::shared_memory<Shared>();
    const std::uint32_t thread = static_cast<std::uint32_t>(simt::thread_rank());
    const std::uint64_t n = count.get();

    if constexpr (groups > 1) {
        static_assert(groups <= kFillThreads);
        const std::uint32_t group = encoding.decode(static_cast<Key>(thread * kBins)) / kBins;
        const std::uint64_t size = thread < groups ? counts.groups[group] : 0;
        const auto prefix = Scan::scan(size, kFillThreads, plus{}, shared.network);
        if (thread <= groups) shared.group_starts[thread] = prefix.has_before ? prefix.before : 0;
    } else {
        if (thread <= groups) shared.group_starts[thread] = thread == 0 ? 0 : n;
    }
    simt::sync_block();  // the groups' starts are written
    const auto group_at = [&](std::uint64_t place) {
        std::uint32_t group = 0;
        for (std::uint32_t step = groups / 2; step > 0; step /= 2)
            if (shared.group_starts[group + step] <= place) group += step;
        return group;
    };

    // Blocks share the work evenly: the keys, and before those of each group the way through its values.
    constexpr std::uint64_t of_group = groups > 1 ? kGroupWork : 0;
    const std::uint64_t share = divide_up(n + groups * of_group, simt::grid_size());
    const auto place_of_work = [&](std::uint64_t work) {
        std::uint32_t group = 0;
        for (std::uint32_t step = groups / 2; step > 0; step /= 2)
            if (shared.group_starts[group + step] + (group + step) * of_group <= work) group += step;
        const std::uint64_t done = shared.group_starts[group] + (group + 1) * of_group;
        const std::uint64_t place = shared.group_starts[group] + (work > done ? work - done : 0);
        return place < n ? place / kFillAligned * kFillAligned : n;
    };
    const std::uint64_t stop = place_of_work((simt::block_rank() + std::uint64_t{1}) * share);
    for (std::uint64_t begin = place_of_work(simt::block_rank() * share), end; begin < stop; begin = end) {
        end = stop - begin < kFillMost ? stop : begin + kFillMost;  // places are 32-bit numbers
        const std::uint32_t last = group_at(end - 1);
        for (std::uint32_t group = group_at(begin); group <= last;) {
            std::uint64_t sizes[kFillEach], sum = 0;
            const std::uint32_t first = group * kBins + thread * kFillEach;
            const bool wanted = thread * kFillEach < window && first < values && first / kBins <= last;
            KOGGE_UNROLL
            for (std::uint32_t i = 0; i < kFillEach; ++i) {
                sizes[i] = wanted ? counts.values[encoding.decode(static_cast<Key>(first + i))] : 0;
                sum += sizes[i];
            }
            // Its barrier stands behind all that read the last window.
            const auto prefix = Scan::scan(sum, kFillThreads, plus{}, shared.network);
            const auto place_of = [&](std::uint64_t at) {
                return static_cast<std::uint32_t>(at < begin ? 0 : at < end ? at - begin : end - begin);
            };
            std::uint64_t at = shared.group_starts[group] + (prefix.has_before ? prefix.before : 0);
            KOGGE_UNROLL
            for (std::uint32_t i = 0; i < kFillEach; ++i) {
                if (thread * kFillEach < window) shared.starts[thread * kFillEach + i] = place_of(at);
                at += sizes[i];
            }
            if (thread == 0) shared.starts[window] = place_of(shared.group_starts[group] + prefix.aggregate);
            simt::sync_block();  // the window's starts are written
            ValueWindow<Key, window>{group * kBins, shared.starts, encoding}.fill(out + begin);
            const std::uint64_t next = begin + shared.starts[window];
            if (next >= end) break;
            group = group_at(next);  // groups without keys are passed over
        }
    }
}

// ---- launches ------------------------------------------------------------------------------------------

/// Sorts as a plan says that counts; `memory` is value_count_bytes.
template <class Key>
void count_and_fill(const Key* keys, Key* out, const Count& n, const NumberEncoding<Key>& encoding,
                    const radix_sort_plan& plan, std::uint64_t* memory, stream_t stream) {
    std::uint64_t* const groups = memory + ValueCounts<Key>::kValues;
    const ValueCounts<Key> counts{memory, groups, reinterpret_cast<std::uint32_t*>(groups + ValueCounts<Key>::kGroups)};
    simt::fill(memory, 0, ValueCounts<Key>::kValues * sizeof(std::uint64_t), stream);
    simt::launch(count_values_kernel<Key>,
                 {plan.histogram_blocks, kCountThreads, plan.shared_bytes, stream, "count_values_kernel"}, keys, n,
                 counts);
    if constexpr (ValueCounts<Key>::kGroups > 1)
        simt::launch(
            sum_counts_kernel<Key>,
            {ValueCounters<Key>::kWords / kBins, kCountThreads, sizeof(SumShared), stream, "sum_counts_kernel"}, counts,
            plan.histogram_blocks);
    simt::launch(fill_values_kernel<Key>,
                 {plan.blocks, kFillThreads, sizeof(FillShared<Key>), stream, "fill_values_kernel"}, out, n, counts,
                 encoding);
}

}  // namespace kogge::grid
