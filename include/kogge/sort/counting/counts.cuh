// What counting and filling (sort/counting/launch.cuh) share: the counts of the values of 8- or 16-bit keys, and keys
// in vectors of 16 bytes.
//
// Values are in groups of 256, so that a block that fills a slice of the output finds the few values it needs without
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
    std::uint64_t* groups;  ///< [kGroups], sums of the groups, if there is more than one
    std::uint32_t* rows;    ///< if there is more than one group: the counters of each block that counted

    KOGGE_DEVICE void add(std::uint32_t value, std::uint64_t count) const {
        simt::atomic_add<simt::Scope::device>(values + value, count);
    }
};

/// A 16-byte vector of keys, as words: compilers give each element of an array of bytes a register.
template <class Key>
struct alignas(16) KeyWords {
    static constexpr int kKeys = 16 / sizeof(Key), kBits = 8 * sizeof(Key), kOfWord = 32 / kBits;
    std::uint32_t word[4];

    KOGGE_DEVICE std::uint32_t key(int k) const {
        return word[k / kOfWord] >> (k % kOfWord * kBits) & (ValueCounts<Key>::kValues - 1);
    }
    /// The key, repeated over a word.
    KOGGE_DEVICE static std::uint32_t repeated(std::uint32_t key) {
        return key * (sizeof(Key) == 1 ? 0x01010101u : 0x00010001u);
    }
};

/// Where the whole 16-byte vectors of an array begin, and their number.
template <class Key>
struct PackedRange {
    static constexpr int kKeys = KeyWords<Key>::kKeys;
    std::uint64_t head;  ///< keys before the first vector
    std::uint64_t packs;

    KOGGE_DEVICE PackedRange(const Key* keys, std::uint64_t n) {
        head = (16 - reinterpret_cast<std::uintptr_t>(keys) % 16) % 16 / sizeof(Key);
        head = head < n ? head : n;
        packs = (n - head) / kKeys;
    }
    KOGGE_DEVICE std::uint64_t tail() const { return head + packs * kKeys; }
};

}  // namespace kogge::grid::KOGGE_CODE
