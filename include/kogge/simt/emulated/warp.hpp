// Emulated: warp barriers and collectives, and bit counting. Lanes run one after another; a collective waits
// for all lanes of its mask, and the last to come exchanges the values.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "kogge/simt/emulated/thread.hpp"

namespace kogge::simt {

namespace detail {

enum class WarpOperation { barrier, shuffle, shuffle_up, shuffle_down, shuffle_xor, ballot, match, sum, maximum };

/// One lane's part in a collective.
struct WarpCall {
    WarpOperation operation;
    mask_t mask;
    Site site;
    std::uint32_t argument = 0;   ///< source lane, delta, lane bits, vote or digit
    const void* value = nullptr;  ///< a shuffle's operand …
    void* result = nullptr;       ///< … and where the value read goes
    std::uint32_t bytes = 0;
    mask_t lanes = 0;  ///< what ballot, match and sum return
};
void warp_collective(WarpCall& call);

template <class T>
T exchange(WarpOperation operation, const T& value, int argument, mask_t mask, Site site) {
    static_assert(std::is_trivially_copyable_v<T>);
    T mine = value;
    T result = mine;
    WarpCall call{operation, mask, site, static_cast<std::uint32_t>(argument), &mine, &result, sizeof(T)};
    warp_collective(call);
    return result;
}
inline mask_t gather(WarpOperation operation, std::uint32_t argument, mask_t mask, Site site) {
    WarpCall call{operation, mask, site, argument};
    warp_collective(call);
    return call.lanes;
}

}  // namespace detail

inline void sync_warp(mask_t mask = kAllLanes, Site site = Site::here()) {
    if (!detail::switched_off(site, SiteKind::warp_barrier))
        detail::gather(detail::WarpOperation::barrier, 0, mask, site);
}

// ---- warp collectives: every lane of `mask`, and no other, calls with the same mask ---------------------
/// The value of lane `source` modulo 32.
template <class T>
T shuffle(const T& value, int source, mask_t mask = kAllLanes, Site site = Site::here()) {
    return detail::exchange(detail::WarpOperation::shuffle, value, source & (kWarpSize - 1), mask, site);
}
/// The value of the lane `delta` before this one; lanes without one get their own value back.
template <class T>
T shuffle_up(const T& value, int delta, mask_t mask = kAllLanes, Site site = Site::here()) {
    return detail::exchange(detail::WarpOperation::shuffle_up, value, delta, mask, site);
}
template <class T>
T shuffle_down(const T& value, int delta, mask_t mask = kAllLanes, Site site = Site::here()) {
    return detail::exchange(detail::WarpOperation::shuffle_down, value, delta, mask, site);
}
template <class T>
T shuffle_xor(const T& value, int lanes, mask_t mask = kAllLanes, Site site = Site::here()) {
    return detail::exchange(detail::WarpOperation::shuffle_xor, value, lanes, mask, site);
}
inline mask_t ballot(bool vote, mask_t mask = kAllLanes, Site site = Site::here()) {
    return detail::gather(detail::WarpOperation::ballot, vote, mask, site);
}
inline bool any(bool vote, mask_t mask = kAllLanes, Site site = Site::here()) { return ballot(vote, mask, site) != 0; }
inline bool all(bool vote, mask_t mask = kAllLanes, Site site = Site::here()) {
    return ballot(vote, mask, site) == mask;
}
/// The sum over all 32 lanes, in every lane.
inline std::uint32_t reduce_add(std::uint32_t value, Site site = Site::here()) {
    return detail::gather(detail::WarpOperation::sum, value, kAllLanes, site);
}
/// The largest number of all 32 lanes, in every lane.
inline std::uint32_t reduce_max(std::uint32_t value, Site site = Site::here()) {
    return detail::gather(detail::WarpOperation::maximum, value, kAllLanes, site);
}
/// The lanes of the warp whose lowest `bits` bits of `digit` equal this lane's. All 32 lanes call.
template <int bits>
mask_t match_digit(std::uint32_t digit, Site site = Site::here()) {
    static_assert(bits >= 0 && bits <= 32);
    const std::uint32_t digits = bits == 32 ? ~0u : (1u << bits % 32) - 1;
    return detail::gather(detail::WarpOperation::match, digit & digits, kAllLanes, site);
}

/// Keeps the compiler from knowing that a number is one that it has seen.
inline void forget_origin(int&) {}
inline void forget_origin(std::uint32_t&) {}

// ---- bits ----------------------------------------------------------------------------------------------
inline int count_bits(mask_t bits) { return std::popcount(bits); }
/// The upper half of a product.
inline std::uint32_t multiply_high(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
}
/// Byte `index` of a word, the lowest one being 0.
inline std::uint32_t byte_of(std::uint32_t word, int index) { return word >> 8 * index & 0xffu; }
/// Four bytes, lowest first, of `word` followed by zeros: the lowest nibbles of `code`, up to 7, number them.
inline std::uint32_t pick_bytes(std::uint32_t word, std::uint32_t code) {
    std::uint32_t picked = 0;
    for (int i = 0; i < 4; ++i) {
        const std::uint64_t byte = std::uint64_t{word} >> 8 * (code >> 4 * i & 7u) & 0xffu;
        picked |= static_cast<std::uint32_t>(byte) << 8 * i;
    }
    return picked;
}
/// `sum`, and the products of the bytes of two words, pair by pair.
inline std::uint32_t add_products(std::uint32_t a, std::uint32_t b, std::uint32_t sum) {
    for (int i = 0; i < 4; ++i) sum += byte_of(a, i) * byte_of(b, i);
    return sum;
}
/// The upper word of two that are shifted left together, by `bits` modulo 32.
inline std::uint32_t shift_left(std::uint32_t high, std::uint32_t low, std::uint32_t bits) {
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << bits % 32 >> 32);
}
/// What lies between 0 and 1 of a number; of NaN, 0.
inline float saturate(float number) { return number > 0 ? number < 1 ? number : 1.0f : 0.0f; }
inline int lowest_bit(mask_t bits) { return bits ? std::countr_zero(bits) : -1; }
inline int highest_bit(mask_t bits) { return 31 - std::countl_zero(bits); }

}  // namespace kogge::simt
