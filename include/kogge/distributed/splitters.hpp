// Where a sorted array is cut into the ranks' parts, found without sorting it: counts of digits over all ranks, from
// the top, of those keys alone whose leading bits still may hold a cut. Exact for any keys: items that are equal to a
// cut's code go to its two sides by their position, as a stable sort has them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "kogge/calls/histogram.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/memory.hpp"
#include "kogge/keys.hpp"
#include "kogge/types/bins.hpp"

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
    KOGGE_HOST_DEVICE std::uint32_t digit(int begin, int width) const {
        return static_cast<std::uint32_t>(word[word_of(begin)] >> begin % 64) & ((1u << width) - 1u);
    }
    /// With zeros for the last `bits` bits.
    KOGGE_HOST_DEVICE SortCode without_last(int bits) const {
        SortCode rest = *this;
        for (int w = words - 1; w >= 0 && bits > 0; --w, bits -= 64)
            rest.word[w] = bits >= 64 ? 0 : word[w] >> bits << bits;
        return rest;
    }
};

/// A key's code for a sort by the bits [begin, end).
template <class Key>
struct CodeOfKey {
    static constexpr int kWords = (key_bits<Key> + 63) / 64;
    using Code = SortCode<kWords>;

    codec_of<Key> codec;
    int begin;
    int end;

    KOGGE_HOST_DEVICE Code operator()(const Key& key) const {
        Code code;
        if constexpr (is_number_key<Key> && kWords == 1) {
            const std::uint64_t bits = codec.encode(std::bit_cast<stored_key<Key>>(key));
            if (begin < end) code.word[0] = bits >> begin & ~std::uint64_t{0} >> (64 - (end - begin));
        } else {
            constexpr int kStep = 16;
            for (int bit = begin; bit < end; bit += kStep)
                code.put(bit - begin, codec.digit(stored(key), bit, end - bit < kStep ? end - bit : kStep));
        }
        return code;
    }

private:
    KOGGE_HOST_DEVICE static auto stored(const Key& key) {
        if constexpr (is_number_key<Key>) return std::bit_cast<stored_key<Key>>(key);
        else return static_cast<stored_key<Key>>(key);
    }
};

/// The first of n ascending codes that is not less than `code`.
template <class Code>
KOGGE_HOST_DEVICE std::uint32_t first_not_less(const Code* codes, std::uint32_t n, const Code& code) {
    std::uint32_t low = 0;
    while (n > 0) {
        const std::uint32_t half = n / 2;
        if (codes[low + half] < code) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/// The bin of a key one of whose leading bits are prefixes[p], without its `width` bits at `begin` and those after
/// them: p × 2^width and these bits. Other keys have none.
template <class Key>
struct DigitsOfPrefixes {
    using Code = typename CodeOfKey<Key>::Code;
    CodeOfKey<Key> code_of;
    const Code* prefixes;
    std::uint32_t count;
    int begin;
    int width;

    KOGGE_HOST_DEVICE std::uint32_t operator()(const Key& key) const {
        const Code code = code_of(key), prefix = code.without_last(begin + width);
        const std::uint32_t p = first_not_less(prefixes, count, prefix);
        return p < count && prefixes[p] == prefix ? p << width | code.digit(begin, width) : kNoBin;
    }
};

/// The part of a key between `count` ascending codes: 2 i for keys between the codes i − 1 and i, 2 i + 1 for those
/// equal to code i.
template <class Key>
struct PartOfKey {
    using Code = typename CodeOfKey<Key>::Code;
    CodeOfKey<Key> code_of;
    const Code* codes;
    std::uint32_t count;

    KOGGE_HOST_DEVICE std::uint32_t operator()(const Key& key) const {
        const Code code = code_of(key);
        const std::uint32_t i = first_not_less(codes, count, code);
        return 2 * i + (i < count && codes[i] == code);
    }
};

/// A cut of the sorted array.
template <class Code>
struct Cut {
    std::uint64_t position;    ///< the items in front of it
    Code code{};               ///< all lesser ones are in front of it, all greater ones behind it
    std::uint64_t lesser = 0;  ///< how many those are; position − lesser of the equal ones are in front of it, too
    bool at_end = false;       ///< all items are in front of it, and there is no code
};

/// Finds the cuts at ascending positions of the sorted array of all ranks' keys, `total` in number, cut i up to
/// slack[i] items lower. Collective. Each round reads this rank's keys once, and adds up at most 65,536 counters over
/// all ranks; there are ⌈bits / 16⌉ rounds for two ranks, fewer where cuts fall between digits, and with more ranks
/// shorter digits.
template <class Key>
std::vector<Cut<typename CodeOfKey<Key>::Code>> find_cuts(DistributedCall& call, RankWork* work, const Key* keys,
                                                          const CodeOfKey<Key>& code_of,
                                                          const std::vector<std::uint64_t>& positions,
                                                          std::uint64_t total,
                                                          const std::vector<std::uint64_t>& slack) {
    using Code = typename CodeOfKey<Key>::Code;
    std::vector<Cut<Code>> cuts;
    for (const std::uint64_t position : positions) cuts.push_back({position, {}, 0, position == total});
    int rest = code_of.end - code_of.begin;  // bits of the codes that are not known yet
    const auto is_open = [&](const Cut<Code>& cut) { return !cut.at_end && cut.lesser != cut.position && rest > 0; };
    std::uint32_t most_bins = 256;
    while (most_bins < 65536 && most_bins < total / 4) most_bins *= 2;
    for (;;) {
        std::vector<Code> prefixes;
        for (const Cut<Code>& cut : cuts)
            if (is_open(cut) && (prefixes.empty() || !(prefixes.back() == cut.code))) prefixes.push_back(cut.code);
        if (prefixes.empty()) return cuts;
        const auto open = static_cast<std::uint32_t>(prefixes.size());
        int width = 1;
        while (width < 16 && width < rest && std::uint64_t{open} << (width + 1) <= most_bins) ++width;
        if (const int in_word = (rest - 1) % 64 + 1; width > in_word) width = in_word;  // digits do not cross words
        rest -= width;
        const std::uint32_t bins = open << width;
        const std::vector<std::uint64_t> counts = call.sum(bins, [&](std::uint64_t* mine) {
            std::fill_n(mine, bins, 0);
            if (work->n() == 0) return;
            auto of_work = work->take<Code>(open);
            auto counters = work->take<std::uint64_t>(bins);
            work->write(of_work.data(), prefixes.data(), open);
            kogge::histogram(keys, counters.data(), work->n(), bins,
                             DigitsOfPrefixes<Key>{code_of, of_work.data(), open, rest, width}, work->how());
            work->read(mine, counters.data(), bins);
            work->give_back(counters, bins);
            work->give_back(of_work, open);
        });
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            Cut<Code>& cut = cuts[i];
            if (cut.at_end || cut.lesser == cut.position) continue;
            const auto p = static_cast<std::size_t>(std::lower_bound(prefixes.begin(), prefixes.end(), cut.code) -
                                                    prefixes.begin());
            std::uint32_t digit = 0;
            const std::uint64_t* const of_prefix = counts.data() + (p << width);
            while (cut.lesser + of_prefix[digit] <= cut.position) cut.lesser += of_prefix[digit++];
            cut.code.put(rest, digit);
            // Not past the cut in front of it, which may have less slack.
            const bool is_behind = i == 0 || cuts[i - 1].position <= cut.lesser;
            if (is_behind && cut.position - cut.lesser <= slack[i]) cut.position = cut.lesser;
        }
    }
}

}  // namespace kogge::detail::KOGGE_CODE
