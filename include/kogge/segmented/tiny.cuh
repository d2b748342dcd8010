// Windows of tiny segments, none longer than a warp is wide: a warp sorts the segments that begin in a row of 32
// places, as many at a time as have at most 32 keys. Equal keys keep their order. Global traffic: keys, and values,
// are read once and written once.
//
// Each lane has a word: the number of its key's segment, then the key from the highest bit in which the keys at hand
// differ on, as far as there is room, then the lane. A bitonic network sorts the words; since they differ, one minimum
// or maximum a step suffices. Only where neighbours have equal words but for the lane, and bits of their keys found no
// room, are such neighbours exchanged until all are in order: at most 32 steps.
//
// Shared memory, in order: the tables; a code per place; 2 bytes per place for the targets of what waits in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/segmented/order.cuh"
#include "kogge/segmented/window.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A key on chip: of(key). compared() is the part that keys are sorted by. Where a code has all of the key, key() is
/// the key, which then need not wait in a register.
template <class Key, class Bucket>
struct TinyCode {
    using type = Key;
    static constexpr bool kHasKey = false;
    const Bucket& bucket;

    KOGGE_DEVICE TinyCode(const Bucket& digits, int) : bucket(digits) {}
    KOGGE_DEVICE type of(Key key) const { return bucket.code(key); }
    KOGGE_DEVICE type compared(type code) const { return code; }
};
template <class Key, class Bucket>
requires(sizeof(Key) <= 2) struct TinyCode<Key, Bucket> {
    using type = std::uint32_t;
    static constexpr bool kHasKey = true;
    const Bucket& bucket;

    KOGGE_DEVICE TinyCode(const Bucket& digits, int) : bucket(digits) {}
    KOGGE_DEVICE type of(Key key) const { return static_cast<std::uint32_t>(bucket.code(key)) << 16 | key; }
    KOGGE_DEVICE type compared(type code) const { return code >> 16; }
    KOGGE_DEVICE Key key(type code) const { return static_cast<Key>(code); }
};
template <class Key>
requires(sizeof(Key) > 2) struct TinyCode<Key, NumberBucket<Key>> : SpreadOrder<Key, NumberBucket<Key>> {
    using type = Key;
    static constexpr bool kHasKey = true;
    using SpreadOrder<Key, NumberBucket<Key>>::SpreadOrder;
    KOGGE_DEVICE type of(Key key) const { return this->encode(key); }
    KOGGE_DEVICE type compared(type code) const { return static_cast<Key>(code & this->field); }
    KOGGE_DEVICE Key key(type code) const { return this->decode(code); }
};

/// The highest bit that any lane has; 0 if none has any. All lanes of a warp call.
template <class Bits>
KOGGE_DEVICE int highest_bit_of_lanes(Bits bits) {
    std::uint32_t word = 0;
    int from = static_cast<int>(8 * sizeof(Bits));
    do {
        from -= 32;
        word = simt::reduce_max(static_cast<std::uint32_t>(bits >> from));
    } while (word == 0 && from > 0);
    return from + simt::highest_bit(word | 1u);
}

/// Sorts the words of a warp, which has them in the order of its lanes. All lanes call.
KOGGE_DEVICE std::uint32_t sort_lanes(std::uint32_t word) {
    const int lane = simt::lane();
    const auto exchange = [&](int partner, int bit) {
        const std::uint32_t other = simt::shuffle_xor(word, partner);
        const std::uint32_t least = word < other ? word : other, greatest = word < other ? other : word;
        word = (lane & bit) == 0 ? least : greatest;
    };
    KOGGE_UNROLL
    for (int size = 2; size <= simt::kWarpSize; size *= 2) {
        exchange(size - 1, size / 2);  // a run that ascends with the mirror image of the next one
        KOGGE_UNROLL
        for (int distance = size / 4; distance > 0; distance /= 2) exchange(distance, distance);
    }
    return word;
}

/// Orders `count` words that are sorted but for keys of equal words before the lane: these are exchanged with their
/// neighbours. code_of(lane) is the key of a lane's word. All lanes of a warp call.
template <class CodeOf>
KOGGE_DEVICE std::uint32_t exchange_neighbours(std::uint32_t word, std::uint32_t count, const CodeOf& code_of) {
    const int lane = simt::lane(), lanes = static_cast<int>(count);
    auto code = code_of(word % simt::kWarpSize);
    for (int step = 0, quiet = 0; quiet < 2; ++step) {
        const int partner = (lane % 2 == step % 2) ? lane + 1 : lane - 1;
        const std::uint32_t other = simt::shuffle(word, partner);
        const auto other_code = simt::shuffle(code, partner);
        // Equal words before the lane: the lanes order equal keys.
        const bool comes_first = other_code < code || (other_code == code && other < word);
        const bool swaps = partner >= 0 && partner < lanes && lane < lanes && (word ^ other) < simt::kWarpSize &&
                           comes_first == (lane < partner);
        if (swaps) {
            word = other;
            code = other_code;
        }
        quiet = simt::any(swaps) ? 0 : quiet + 1;
    }
    return word;
}

/// Sorts the segments that begin in the `count` places from `first` on, all of them whole and at most 32 places; bit i
/// of `heads`: one begins at place first + i. Calls place(from, to) in each lane that has a key, which belongs from
/// place `from` to place `to`. All lanes of a warp call.
template <class Code, class Place>
KOGGE_DEVICE void sort_in_warp(const Code& code, const typename Code::type* codes, std::uint32_t first,
                               std::uint32_t count, std::uint32_t heads, const Place& place) {
    using Bits = typename Code::type;
    constexpr int width = static_cast<int>(8 * sizeof(Bits)), lane_bits = 5;
    const auto lane = static_cast<std::uint32_t>(simt::lane());
    const auto code_of = [&](std::uint32_t of_lane) {
        return code.compared(codes[first + (of_lane < count ? of_lane : 0)]);
    };
    const Bits own = code_of(lane);
    const int highest = highest_bit_of_lanes(static_cast<Bits>(own ^ code.compared(codes[first])));
    const std::uint32_t in_chunk = heads & ~0u >> (simt::kWarpSize - count);
    const auto last_segment = static_cast<std::uint32_t>(simt::count_bits(in_chunk)) - 1;
    const auto segment = static_cast<std::uint32_t>(simt::count_bits(in_chunk & simt::lanes_before()));
    const int segment_bits = last_segment > 0 ? simt::highest_bit(last_segment) + 1 : 0;
    const auto leading = static_cast<std::uint32_t>(static_cast<Bits>(own << (width - 1 - highest)) >> (width - 32));
    // A segment's first lane has one head fewer before it than the others.
    const std::uint32_t number = segment - ((in_chunk >> lane & 1u) != 0 ? 0 : 1);
    std::uint32_t word = ((number << (31 - segment_bits)) << 1) |
                         ((leading >> segment_bits) & ~(std::uint32_t{simt::kWarpSize} - 1)) | lane;
    if (lane >= count) word = ~0u;
    word = sort_lanes(word);
    if (highest + 1 > 32 - lane_bits - segment_bits) {  // the lowest bits found no room
        const std::uint32_t next = simt::shuffle_down(word, 1);
        if (simt::any(lane + 1 < count && (word ^ next) < simt::kWarpSize))
            word = exchange_neighbours(word, count, code_of);
    }
    if (lane < count) place(first + word % simt::kWarpSize, first + lane);
}

/// Sorts a window of tiny segments. All threads call, after a block barrier.
template <class Problem>
KOGGE_DEVICE void sort_tiny(const WindowMarks& marks, unsigned char* chip, const Problem& problem,
                            const Window& window) {
    using Key = typename Problem::key_type;
    using Value = typename Problem::value_type;
    using Code = TinyCode<Key, typename Problem::bucket_type>;
    constexpr int items = Problem::kItems;
    constexpr std::uint32_t warps = kShortThreads / simt::kWarpSize;
    constexpr bool has_targets = !Code::kHasKey || Problem::kHasValues;
    static_assert(sizeof(typename Code::type) + (has_targets ? 2 : 0) <= sizeof(Key) + 6, "as short_shared_bytes");
    if (simt::thread_rank() == 0) simt::atomic_add<simt::Scope::device>(problem.memory.tiny, 1);
    auto* const codes = reinterpret_cast<typename Code::type*>(chip);
    auto* const targets = reinterpret_cast<std::uint16_t*>(codes + problem.shape.capacity);
    const Code code(problem.bucket, problem.shape.passes);
    const std::uint32_t first_row = window.first_row() + static_cast<std::uint32_t>(simt::warp_rank());
    const int rows =
        first_row < window.end_row() ? static_cast<int>((window.end_row() - first_row - 1) / warps) + 1 : 0;
    const std::uint32_t first = first_row * simt::kWarpSize + static_cast<std::uint32_t>(simt::lane());
    const auto place_of = [&](int i) { return first + static_cast<std::uint32_t>(i * kShortThreads); };
    const auto holds = [&](int i) { return place_of(i) - window.first < window.count(); };
    const auto from_of = [&](int i) {
        return window.from != SegmentPlace::none ? window.from : marks.from_place(place_of(i));
    };

    Key keys[items];
    [[maybe_unused]] std::conditional_t<Problem::kHasValues, Value, unsigned char> values[items];
    const auto load_values = [&] {
        if constexpr (Problem::kHasValues)
            for_items<items, 1>(rows, [&](int i) {
                if (holds(i)) values[i] = problem.route.value_at(from_of(i), window.base + place_of(i));
            });
    };
    // Wide keys and values do not fit the registers together.
    constexpr bool loads_together = items * (sizeof(Key) + Problem::kValueBytes) <= 128;
    for_items<items, 1>(rows, [&](int i) {
        if (holds(i)) keys[i] = problem.route.keys_at(from_of(i))[window.base + place_of(i)];
    });
    if constexpr (loads_together) load_values();
    for_items<items, 1>(rows, [&](int i) {
        if (holds(i)) codes[place_of(i)] = code.of(keys[i]);
    });
    if constexpr (!loads_together) load_values();
    simt::sync_block();  // all items have been read, and may be overwritten in global memory; the codes are on chip

    const auto place = [&](std::uint32_t from, std::uint32_t to) {
        if constexpr (Code::kHasKey) problem.route.keys_out[window.base + to] = code.key(codes[from]);
        if constexpr (has_targets) targets[from] = static_cast<std::uint16_t>(to);
    };
    KOGGE_NO_UNROLL
    for (std::uint32_t row = first_row; row < window.end_row(); row += warps) {
        const std::uint32_t begins = marks.begins_in(row), next = marks.next_from[row + 1];
        const std::uint32_t end = next < window.end ? next : window.end;
        if (begins == 0) continue;
        std::uint32_t from = row * simt::kWarpSize + static_cast<std::uint32_t>(simt::lowest_bit(begins));
        while (from < end) {  // twice or three times where segments reach into the next row
            const std::uint32_t heads = begins >> from % simt::kWarpSize;
            const std::uint32_t count =
                end - from <= simt::kWarpSize ? end - from : static_cast<std::uint32_t>(simt::highest_bit(heads));
            sort_in_warp(code, codes, from, count, heads, place);
            from += count;
        }
    }
    if constexpr (has_targets) {
        simt::sync_block();  // the targets are known
        for_items<items, 1>(rows, [&](int i) {
            if (!holds(i)) return;
            const std::uint64_t target = window.base + targets[place_of(i)];
            if constexpr (!Code::kHasKey) problem.route.keys_out[target] = keys[i];
            if constexpr (Problem::kHasValues) problem.route.values_out[target] = values[i];
        });
    }
}

}  // namespace kogge::grid::KOGGE_CODE
