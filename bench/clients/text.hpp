// Keys that are the beginnings of texts: eight letters as a number, the first one highest, and the words of a genome.
#pragma once

#include <cstdint>

#include "random.hpp"

namespace bench::clients {

/// Letters that are written one behind another; the first eight stay.
struct FirstLetters {
    std::uint64_t bytes = 0;
    int count = 0;
    KOGGE_HOST_DEVICE void add(char letter) {
        if (count < 8) bytes |= static_cast<std::uint64_t>(letter) << (56 - 8 * count);
        ++count;
    }
    /// Entry number `entry` of a list of such width; spaces fill it up.
    KOGGE_HOST_DEVICE void add(const char* list, std::uint64_t entry, std::uint64_t width) {
        for (std::uint64_t i = 0; i < width && list[entry * width + i] != ' '; ++i) add(list[entry * width + i]);
    }
};

/// The word of a rank: 32 of the commonest, and others of two to five syllables.
KOGGE_HOST_DEVICE void add_word(FirstLetters& text, std::uint64_t rank) {
    if (rank < 32)
        return text.add(
            "the  of   and  to   a    in   is   that for  it   as   was  with be   by   on   "
            "not  he   i    this are  or   his  from at   whichbut  have an   had  they you  ",
            rank, 5);
    const std::uint64_t bits = random_bits(817, rank);
    for (std::uint64_t syllable = 0; syllable < 2 + (bits >> 62); ++syllable)
        text.add(
            "con pre re  in  un  de  com pro ter man ver ing er  ed  tionly  "
            "al  ous mentablest  tr  ca  se  mo  la  ri  ko  sub intero  ",
            (bits >> (5 * syllable)) % 31, 4);
}

/// Words of running text, of a vocabulary of 200,000.
struct Words {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        FirstLetters text;
        add_word(text, Zipf{1, 200'000}.rank(uniform(seed, i)));
        return text.bytes;
    }
};

/// Addresses of pages, whose first eight letters are hardly more than the scheme; or of their hosts, of which half
/// begin with www.
struct Urls {
    std::uint64_t seed;
    bool with_scheme;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed, i);
        FirstLetters text;
        if (with_scheme) text.add("http:// https://", bits % 10 < 9 ? 1 : 0, 8);
        if (bits >> 63) text.add("www.", 0, 4);
        add_word(text, 32 + Zipf{1, 1'000'000}.rank(uniform(seed + 1, i)));
        return text.bytes;
    }
};

/// Words of 31 bases, two bits each, out of 120 places of each of a sequencer's reads. Reads come from anywhere in a
/// genome of n / 32 bases and have 1 wrong base of 200. Of the genome's pieces of 320 bases 45 of 100 are copies of 12
/// repeats, with 1 base of 10 changed.
struct Kmers {
    static constexpr int k = 31;
    static constexpr std::uint64_t piece = 320, places = 120;
    std::uint64_t seed, n;
    KOGGE_HOST_DEVICE static std::uint64_t base(std::uint64_t place) {
        const std::uint64_t bits = random_bits(818, place / piece), within = place % piece;
        const bool repeats = bits % 100 < 45;
        const std::uint64_t source = repeats ? ~(bits >> 32) % 12 : 12 + place / piece;
        const std::uint64_t changed = random_bits(819, place);
        if (repeats && changed % 10 == 0) return changed >> 62;
        return random_bits(820, source * piece + within) >> 62;
    }
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        const std::uint64_t genome = n > 32'000 ? n / 32 : 1000, read = i / places;
        const std::uint64_t begin = random_bits(seed, read) % genome;
        std::uint64_t word = 0;
        for (std::uint64_t j = i % places; j < i % places + k; ++j) {
            const std::uint64_t error = random_bits(seed + 1, read * (places + k) + j);
            word = word << 2 | (error % 200 == 0 ? error >> 62 : base(begin + j));
        }
        return word;
    }
};

}  // namespace bench::clients
