// Where segments begin and end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fuzz/case.hpp"

namespace fuzz {

/// Offsets of any number of segments of n items, in order: many empty ones, few long ones, or one. The first may begin
/// behind the first item.
inline std::vector<std::uint64_t> segment_offsets(Case& of, std::uint64_t n) {
    std::vector<std::uint64_t> offsets;
    switch (of.below(5)) {
        case 0:
            break;
        case 1:  // all of one length
            for (std::uint64_t at = 0, length = 1 + of.below(of.one_in(2) ? 20 : 3000); at < n; at += length)
                offsets.push_back(at);
            break;
        case 2:  // some at one place
            for (std::uint64_t segments = of.below(50); segments > 0; --segments)
                offsets.insert(offsets.end(), 1 + of.below(4), of.below(n + 1));
            break;
        case 3:  // one long one among short ones
            for (std::uint64_t at = of.below(n + 1), end = of.below(n + 1); at < n; at += 1 + of.below(5))
                if (at < end / 2 || at > end) offsets.push_back(at);
            break;
        default:
            for (std::uint64_t segments = of.below(n / 2 + 2); segments > 0; --segments)
                offsets.push_back(of.below(n + 1));
    }
    std::sort(offsets.begin(), offsets.end());
    return offsets;
}

struct Part {
    std::uint64_t begin, end;
};

/// Parts of n items that do not overlap, in any order; some are empty, and some lie past n.
inline std::vector<Part> parts_apart(Case& of, std::uint64_t n) {
    std::vector<Part> parts;
    const std::uint64_t most_length = 1 + of.below(of.one_in(3) ? n + 1 : of.one_in(2) ? 30 : 900);
    const std::uint64_t most_gap = 1 + of.below(of.one_in(3) ? n + 1 : 40);
    for (std::uint64_t at = of.below(most_gap); at < n && parts.size() < 3000;) {
        const std::uint64_t end = at + of.below(most_length);
        parts.push_back({at, end});
        at = end + of.below(most_gap);
    }
    if (of.one_in(4)) parts.push_back({n + of.below(9), n + 20});
    if (of.one_in(4)) parts.push_back({of.below(n + 1), 0});
    if (of.one_in(2))
        for (std::size_t i = parts.size(); i > 1; --i) std::swap(parts[i - 1], parts[of.below(i)]);
    return parts;
}

}  // namespace fuzz
