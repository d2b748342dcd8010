// Windows of tiny segments, none longer than kTinyItems: the place of a key is the number of keys in its segment that
// precede it, and each key is compared with all of them. Equal keys keep their order. Global traffic: keys, and values,
// are read once and written once.
//
// A thread reads codes of its key's segment from shared memory, a batch at a time; lanes whose keys share a segment
// read the same words. A comparison takes three instructions if keys have 32 bits: two compare code and place, one sets
// a bit. Of 32 keys at a time, the bits of those in the segment are counted.
//
// Shared memory, in order: the tables; a code per place; 2 bytes per place for the targets of what waits in registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/segmented/order.cuh"
#include "kogge/segmented/window.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A key's code as it is compared on chip. That of a narrow key ends in its place, so that one comparison suffices.
/// Where a code has all of the key, the key need not wait in a register.
template <class Key, class Bucket>
struct TinyCode {
    using type = std::remove_cvref_t<decltype(std::declval<const Bucket&>().code(std::declval<const Key&>()))>;
    static constexpr bool kHasKey = false, kHasPlace = false;
    static constexpr bool kMayMask = false;  ///< whether codes may have bits that keys are not sorted by
    const Bucket& bucket;

    KOGGE_DEVICE TinyCode(const Bucket& digits, int) : bucket(digits) {}
    KOGGE_DEVICE type of(const Key& key, std::uint32_t) const { return bucket.code(key); }
};
template <class Key, class Bucket>
    requires(sizeof(Key) <= 2)
struct TinyCode<Key, Bucket> {
    using type = std::uint32_t;
    static constexpr bool kHasKey = false, kHasPlace = true, kMayMask = false;
    static_assert(short_items(1) * kShortThreads <= 1 << 16);
    const Bucket& bucket;

    KOGGE_DEVICE TinyCode(const Bucket& digits, int) : bucket(digits) {}
    KOGGE_DEVICE type of(const Key& key, std::uint32_t place) const {
        return static_cast<std::uint32_t>(bucket.code(key)) << 16 | place;
    }
};
template <class Key>
    requires(sizeof(Key) > 2)
struct TinyCode<Key, NumberBucket<Key>> : SpreadOrder<Key, NumberBucket<Key>> {
    using type = Key;
    static constexpr bool kHasKey = true, kHasPlace = false, kMayMask = true;
    using SpreadOrder<Key, NumberBucket<Key>>::SpreadOrder;
    KOGGE_DEVICE type of(const Key& key, std::uint32_t) const { return this->encode(key); }
};

/// Whether code a, of place `place`, precedes code b.
template <bool has_place, class Code>
KOGGE_DEVICE bool is_before(Code a, std::uint32_t place, Code b, std::uint32_t other_place) {
    if constexpr (has_place) return a < b;
    else if constexpr (sizeof(Code) == 4)
        return (static_cast<std::uint64_t>(a) << 32 | place) < (static_cast<std::uint64_t>(b) << 32 | other_place);
    else return a < b || (a == b && place < other_place);
}

/// The number of keys in the segment of `bounds` that precede the key at `place`. `span`: the most slots that a lane of
/// the warp looks at. All lanes of a warp call.
template <class TinyCode, class Mask>
KOGGE_DEVICE std::uint32_t rank_among(const typename TinyCode::type* codes, std::uint32_t capacity,
                                      std::uint32_t bounds, std::uint32_t place, std::uint32_t span, const Mask& mask) {
    using Code = typename TinyCode::type;
    constexpr std::uint32_t batch = tiny_batch(sizeof(Code)), group = 32;
    struct alignas(16) Batch {
        Code codes[batch];
    };
    const std::uint32_t begin = bounds & 0xffffu, aligned = begin & ~(batch - 1);
    std::uint32_t rank = 0;
    const Code own = mask(codes[place]);
    KOGGE_NO_UNROLL
    for (std::uint32_t from = 0; from < span; from += group) {
        const std::uint32_t first = aligned + from;
        const std::uint32_t own_place = place > first ? place - first : 0;
        std::uint32_t before = 0;  // a bit per key
        KOGGE_UNROLL
        for (std::uint32_t slot = 0; slot < group; slot += batch) {
            if (from + slot >= span) break;  // the same for all lanes
            // Beyond its segment a lane may read any codes.
            const std::uint32_t at = first + slot < capacity ? first + slot : capacity - batch;
            const Batch seen = *reinterpret_cast<const Batch*>(codes + at);
            KOGGE_UNROLL
            for (std::uint32_t i = 0; i < batch; ++i)
                if (is_before<TinyCode::kHasPlace>(mask(seen.codes[i]), slot + i, own, own_place))
                    before |= 1u << (slot + i);
        }
        const std::uint32_t end = (bounds >> 16) > first ? (bounds >> 16) - first : 0;
        const std::uint32_t up_to_end = end < group ? (1u << end) - 1u : ~0u;
        const std::uint32_t from_begin = begin > first ? ~0u << (begin - first) : ~0u;
        rank += static_cast<std::uint32_t>(simt::count_bits(before & up_to_end & from_begin));
    }
    return rank;
}

/// Sorts a window whose segments are tiny. All threads call, after a block barrier.
template <class Problem>
KOGGE_DEVICE void sort_tiny(const WindowMarks& marks, unsigned char* chip, const Problem& problem,
                            const Window& window) {
    using Key = typename Problem::key_type;
    using Value = typename Problem::value_type;
    using Codes = TinyCode<Key, typename Problem::bucket_type>;
    using Code = typename Codes::type;
    constexpr int items = Problem::kItems;
    constexpr std::uint32_t warps = kShortThreads / simt::kWarpSize;
    const std::uint32_t capacity = problem.shape.capacity;
    auto* const codes = reinterpret_cast<Code*>(chip);
    auto* const targets = reinterpret_cast<std::uint16_t*>(codes + capacity);
    const Codes code(problem.bucket, problem.shape.passes);
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
        if (holds(i)) codes[place_of(i)] = code.of(keys[i], place_of(i));
    });
    if constexpr (!loads_together) load_values();
    simt::sync_block();  // all items have been read, and may be overwritten in global memory; the codes are on chip

    const auto rank_rows = [&](const auto& mask) {
        KOGGE_NO_UNROLL
        for (int i = 0; i < rows; ++i) {
            const std::uint32_t place = place_of(i), bounds = marks.bounds(window, place / simt::kWarpSize);
            const std::uint32_t begin = bounds & 0xffffu;
            const std::uint32_t span =
                simt::reduce_max((bounds >> 16) - (begin & ~(tiny_batch(sizeof(Code)) - 1)));
            const std::uint32_t target =
                begin + rank_among<Codes>(codes, capacity, bounds, bounds != 0 ? place : begin, span, mask);
            if (bounds == 0) continue;
            if constexpr (Codes::kHasKey) problem.route.keys_out[window.base + target] = code.decode(codes[place]);
            if constexpr (!Codes::kHasKey || Problem::kHasValues)
                targets[place] = static_cast<std::uint16_t>(target);
        }
    };
    const auto as_it_is = [](Code own) { return own; };
    if constexpr (Codes::kMayMask) {
        if (code.equals_are_same()) rank_rows(as_it_is);
        else rank_rows([&code](Code own) { return static_cast<Code>(own & code.field); });
    } else {
        rank_rows(as_it_is);
    }
    // Each thread has found the targets of its own items.
    for_items<items, 1>(rows, [&](int i) {
        if (!holds(i)) return;
        if constexpr (!Codes::kHasKey) problem.route.keys_out[window.base + targets[place_of(i)]] = keys[i];
        if constexpr (Problem::kHasValues) problem.route.values_out[window.base + targets[place_of(i)]] = values[i];
    });
}

}  // namespace kogge::grid::KOGGE_CODE
