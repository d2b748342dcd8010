// The order of a sort as a comparison: of keys that are sorted already, whose places are searched for or which are
// merged. What sorts them reads their digits instead (keys.hpp).
#pragma once

#include <bit>
#include <cstdint>

#include "kogge/keys.hpp"

namespace kogge::detail::KOGGE_CODE {

/// The bits that keys are sorted by, as a number: words of 64 bits, most significant first.
template <int words>
struct SortCode {
    std::uint64_t word[words]{};

    KOGGE_HOST_DEVICE friend bool operator==(const SortCode& a, const SortCode& b) {
        for (int w = 0; w < words; ++w)
            if (a.word[w] != b.word[w]) return false;
        return true;
    }
    KOGGE_HOST_DEVICE friend bool operator<(const SortCode& a, const SortCode& b) {
        for (int w = 0; w + 1 < words; ++w)
            if (a.word[w] != b.word[w]) return a.word[w] < b.word[w];
        return a.word[words - 1] < b.word[words - 1];
    }
    /// The word that has bit `bit`.
    KOGGE_HOST_DEVICE static int word_of(int bit) { return words - 1 - bit / 64; }
    /// Adds `digit` at bit `begin`, where there are zeros; digits do not cross words.
    KOGGE_HOST_DEVICE void put(int begin, std::uint64_t digit) { word[word_of(begin)] |= digit << begin % 64; }
};

/// A key's code for a sort by the bits [begin, end).
template <class Key>
struct CodeOfKey {
    static constexpr int kWords = (key_bits<Key> + 63) / 64;
    static constexpr bool kIsNumber = is_number_key<Key> && kWords == 1;
    using Code = SortCode<kWords>;

    codec_of<Key> codec;
    int begin;
    int end;

    KOGGE_HOST_DEVICE Code operator()(const Key& key) const {
        Code code;
        if constexpr (kIsNumber) {
            if (begin < end) code.word[0] = static_cast<std::uint64_t>(codec.encode(stored(key)) & mask()) >> begin;
        } else {
            constexpr int kStep = 16;
            for (int bit = begin; bit < end; bit += kStep)
                code.put(bit - begin, codec.digit(stored(key), bit, end - bit < kStep ? end - bit : kStep));
        }
        return code;
    }
    /// Whether the sort has key a before key b, whatever their positions.
    KOGGE_HOST_DEVICE bool is_less(const Key& a, const Key& b) const {
        if constexpr (kIsNumber) return (codec.encode(stored(a)) & mask()) < (codec.encode(stored(b)) & mask());
        else return (*this)(a) < (*this)(b);
    }

private:
    /// The code's bits, where they are.
    KOGGE_HOST_DEVICE auto mask() const requires kIsNumber {
        using Bits = decltype(codec.encode(stored_key<Key>{}));
        constexpr int all = static_cast<int>(sizeof(Bits)) * 8;
        if (begin == end) return Bits{0};
        return static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> (all - (end - begin)) << begin);
    }
    KOGGE_HOST_DEVICE static auto stored(const Key& key) {
        if constexpr (is_number_key<Key>) return std::bit_cast<stored_key<Key>>(key);
        else return static_cast<stored_key<Key>>(key);
    }
};

/// The order of a sort, as an operator of merges.
template <class Key>
struct LessByCode {
    CodeOfKey<Key> code_of;
    KOGGE_HOST_DEVICE bool operator()(const Key& a, const Key& b) const { return code_of.is_less(a, b); }
};

}  // namespace kogge::detail::KOGGE_CODE
