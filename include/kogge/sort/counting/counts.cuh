// Counts of the values that keys of 8 or 16 bits have, and keys as what memory moves at once: what counting and filling
// (sort/counting/launch.cuh) share.
//
// Values are in groups of 256, so that a block that fills a stretch of the output finds the few values it needs without
// reading all counts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/simt/device.cuh"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

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

}  // namespace kogge::grid::KOGGE_CODE
