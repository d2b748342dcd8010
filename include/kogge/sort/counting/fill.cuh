// Writes each value as often as it occurs, in the order of codes: the sorted keys. A block fills slices of the output,
// and reads the counts in the order of codes. Bit patterns with equal upper bytes have codes with equal upper bytes, so
// that a group of 256 codes is a group of 256 values.
#pragma once

#include <cstdint>

#include "kogge/block/scan.cuh"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/sort/counting/counts.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Values in order of their codes from `first` on, and where each begins in a slice of the output.
template <class Key, std::uint32_t size>
struct ValueWindow {
    static_assert((size & (size - 1)) == 0);
    std::uint32_t first;
    const std::uint32_t* starts;  ///< [size + 1], ascending
    NumberEncoding<Key> encoding;

    /// The value at a place of the window: the last one that begins there or earlier.
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

        // A warp takes `rows` consecutive rows of 32 vectors. Most rows hold one value.
        auto* const packs = reinterpret_cast<Pack*>(out + packs_begin);
        const std::uint32_t count = static_cast<std::uint32_t>(range.packs);
        const std::uint32_t warps = static_cast<std::uint32_t>(simt::block_size() / simt::kWarpSize);
        const std::uint32_t rows = count < warps * most_rows * simt::kWarpSize ? 1 : most_rows;
        const std::uint32_t interval = rows * simt::kWarpSize;
        for (std::uint32_t s = static_cast<std::uint32_t>(simt::warp_rank()) * interval; s < count;
             s += warps * interval) {
            std::uint32_t index = find(packs_begin + s * Pack::kKeys);
            for (std::uint32_t row = s; row < s + interval && row < count; row += simt::kWarpSize) {
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
    /// A vector of `of_first` keys of one value, filled up with the next value.
    KOGGE_DEVICE KeyWords<Key> two_values(std::uint32_t index, std::uint32_t of_first) const {
        using Pack = KeyWords<Key>;
        const std::uint32_t first = Pack::repeated(key(index)), second = Pack::repeated(key(index + 1));
        Pack pack;
        KOGGE_UNROLL
        for (std::uint32_t w = 0; w < 4; ++w) {
            constexpr std::uint32_t of_word = Pack::kOfWord;
            const std::uint32_t here = of_first > w * of_word ? of_first - w * of_word : 0;
            const std::uint32_t mask = here >= of_word ? ~0u : (1u << here * Pack::kBits) - 1;
            pack.word[w] = (first & mask) | (second & ~mask);
        }
        return pack;
    }
    /// The same as find, from the value at an earlier place: the result is often one of the next values.
    KOGGE_DEVICE std::uint32_t find_from(std::uint32_t index, std::uint32_t place) const {
        for (int near = 0; near < 4; ++near) {
            if (starts[index + 1] > place) return index;
            ++index;
        }
        return find(place);
    }
    /// The vector at a place; `index` is the value at an earlier place.
    KOGGE_DEVICE KeyWords<Key> pack_at(std::uint32_t index, std::uint32_t place) const {
        using Pack = KeyWords<Key>;
        index = find_from(index, place);
        if (index + 1 < size && place + Pack::kKeys <= starts[index + 2])
            return two_values(index, starts[index + 1] - place);
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

/// A block's slice begins at a multiple of kFillAligned keys, and is filled in parts of at most kFillMost keys.
inline constexpr std::uint64_t kFillAligned = 64, kFillMost = 1 << 30;
inline constexpr std::uint32_t kFillEach = 8;  ///< values of a window per thread
/// To go through a group of values costs as much as to write this many keys. Without this term, where nearly all keys
/// share few values, one block alone would go through nearly all values.
inline constexpr std::uint64_t kGroupWork = 2048;

template <class Key>
struct FillShared {
    static constexpr std::uint32_t kMost = kFillThreads * kFillEach;
    static constexpr std::uint32_t kWindow = ValueCounts<Key>::kValues < kMost ? ValueCounts<Key>::kValues : kMost;
    std::uint64_t group_starts[ValueCounts<Key>::kGroups + 1];
    std::uint32_t starts[kWindow + 1];
    typename block::ShuffleScan<kFillThreads>::template Storage<std::uint64_t> network;
};

/// A block fills slices of the output, one window of values at a time.
template <class Key>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kFillThreads, 2)
    fill_values_kernel(Key* out, Count count, ValueCounts<Key> counts, NumberEncoding<Key> encoding) {
    simt::wait_for_stream();
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

    // Blocks share the work evenly: writing keys, and going through the values of each group before its keys.
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
            // A barrier of the scan follows all reads of the previous window.
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
            group = group_at(next);  // groups without keys are skipped
        }
    }
}

}  // namespace kogge::grid::KOGGE_CODE
