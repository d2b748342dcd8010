// Where the sorted array of all ranks' keys is cut into their parts, when each rank has sorted its own keys: a digit of
// the cuts at a time, from the top, by how many keys of each rank lie below each value of the digit. Exact for any
// keys: items that are equal to a cut's code go to its two sides by their position, as a stable sort has them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kogge/calls/search.hpp"
#include "kogge/detail/sort_code.hpp"
#include "kogge/distributed/call.hpp"
#include "kogge/distributed/memory.hpp"

namespace kogge::detail::KOGGE_CODE {

/// The codes of an array of keys.
template <class Key>
struct CodesOfKeys {
    CodeOfKey<Key> code_of;
    const Key* keys;
    KOGGE_HOST_DEVICE auto operator[](std::uint64_t i) const { return code_of(keys[i]); }
};
/// Each of `prefixes` with each value of the `width` bits at `begin`, which are zeros in the prefixes.
template <class Code>
struct NextDigits {
    const Code* prefixes;
    int begin;
    int width;
    KOGGE_HOST_DEVICE Code operator[](std::uint64_t i) const {
        Code code = prefixes[i >> width];
        code.put(begin, i & ((std::uint64_t{1} << width) - 1));
        return code;
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
/// slack[i] items lower; keys[0 … n) are this rank's, sorted. Collective. Each round searches for up to kMostNeedles
/// codes on each rank, and adds up over all ranks how many keys lie below them: for two ranks 3 rounds for keys of 32
/// bits, more for more cuts without slack, fewer where cuts fall between digits.
template <class Key>
std::vector<Cut<typename CodeOfKey<Key>::Code>> find_cuts(DistributedCall& call, RankWork& work, const Key* keys,
                                                          std::uint64_t n, const CodeOfKey<Key>& code_of,
                                                          const std::vector<std::uint64_t>& positions,
                                                          const std::vector<std::uint64_t>& slack,
                                                          std::uint64_t total) {
    using Code = typename CodeOfKey<Key>::Code;
    constexpr std::uint32_t kMostNeedles = 2048;  // per round, or two per cut
    std::vector<Cut<Code>> cuts;
    for (const std::uint64_t position : positions) cuts.push_back({position, {}, 0, position == total});
    const std::uint64_t most = (std::max)(std::uint64_t{kMostNeedles}, 2 * std::uint64_t{cuts.size()});
    WorkArray<Code> of_work;
    WorkArray<std::uint64_t> found;
    int rest = code_of.end - code_of.begin;  // bits of the codes that are not known yet
    const auto is_open = [](const Cut<Code>& cut) { return !cut.at_end && cut.lesser != cut.position; };
    while (rest > 0) {
        std::vector<Code> prefixes;
        for (const Cut<Code>& cut : cuts)
            if (is_open(cut) && (prefixes.empty() || !(prefixes.back() == cut.code))) prefixes.push_back(cut.code);
        if (prefixes.empty()) break;
        const auto open = static_cast<std::uint32_t>(prefixes.size());
        int width = 1;
        const int in_word = (rest - 1) % 64 + 1;  // digits do not cross words
        while (width < in_word && std::uint64_t{open} << (width + 1) <= kMostNeedles) ++width;
        rest -= width;
        const std::uint64_t needles = std::uint64_t{open} << width;
        const std::vector<std::uint64_t> lesser = call.sum(needles, [&](std::uint64_t* mine) {
            if (!found.data()) {
                of_work = work.take<Code>(cuts.size());
                found = work.take<std::uint64_t>(most);
            }
            work.write(of_work.data(), prefixes.data(), open);
            kogge::lower_bound(CodesOfKeys<Key>{code_of, keys}, NextDigits<Code>{of_work.data(), rest, width},
                               found.data(), n, needles, work.how());
            work.read(mine, found.data(), needles);
        });
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            Cut<Code>& cut = cuts[i];
            if (!is_open(cut)) continue;
            const auto p = std::lower_bound(prefixes.begin(), prefixes.end(), cut.code) - prefixes.begin();
            const auto of_prefix = lesser.begin() + (p << width);
            // The last digit below which there are not too many keys: never below the first one.
            const auto digit = std::upper_bound(of_prefix, of_prefix + (std::ptrdiff_t{1} << width), cut.position) - 1;
            cut.lesser = *digit;
            cut.code.put(rest, static_cast<std::uint64_t>(digit - of_prefix));
            // Not past the cut in front of it, which may have less slack.
            const bool is_behind = i == 0 || cuts[i - 1].position <= cut.lesser;
            if (is_behind && cut.position - cut.lesser <= slack[i]) cut.position = cut.lesser;
        }
    }
    if (found.data()) {
        work.give_back(found, most);
        work.give_back(of_work, cuts.size());
    }
    return cuts;
}

}  // namespace kogge::detail::KOGGE_CODE
