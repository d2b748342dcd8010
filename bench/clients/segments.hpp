// Segments that clients sort by: rows of matrices, documents, a few huge parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "random.hpp"

namespace bench::clients {

/// Where each begins, and n behind them.
using Bounds = std::vector<std::uint64_t>;

/// Rows of `length` keys; the last one may be shorter.
inline Bounds rows(std::uint64_t n, std::uint64_t length) {
    Bounds bounds;
    for (std::uint64_t at = 0; at < n; at += length) bounds.push_back(at);
    bounds.push_back(n);
    return bounds;
}

/// Segments of 200 keys on average whose lengths follow Zipf's law, of s = 1, in any order: documents by their words,
/// users by their events.
inline Bounds zipf_lengths(std::uint64_t n) {
    const std::uint64_t count = n / 200 + 1;
    const Permutation order(count);
    double all = 0, before = 0;
    for (std::uint64_t rank = 1; rank <= count; ++rank) all += 1 / static_cast<double>(rank);
    Bounds bounds;
    for (std::uint64_t segment = 0; segment < count; ++segment) {
        const double at = static_cast<double>(n) * (before / all);
        bounds.push_back(at < static_cast<double>(n) ? static_cast<std::uint64_t>(at) : n);
        before += 1 / static_cast<double>(order(segment) + 1);
    }
    bounds.push_back(n);
    return bounds;
}

/// Three huge segments of 30 of 100 keys each, and the rest in rows of 100: a skewed join.
inline Bounds huge_and_short(std::uint64_t n) {
    Bounds bounds;
    for (std::uint64_t huge = 0; huge < 3; ++huge) bounds.push_back(huge * (n * 3 / 10));
    const std::uint64_t rest = 3 * (n * 3 / 10);
    for (const std::uint64_t at : rows(n - rest, 100)) bounds.push_back(rest + at);
    return bounds;
}

/// rows_2048, huge_4 (equal parts), huge_and_short, zipf_lengths
inline std::optional<Bounds> bounds_named(std::string_view name, std::uint64_t n) {
    if (name == "zipf_lengths") return zipf_lengths(n);
    if (name == "huge_and_short" && n >= 10) return huge_and_short(n);
    const std::optional<double> parts = number_after("huge_", name), length = number_after("rows_", name);
    if (parts && *parts >= 1 && *parts <= static_cast<double>(n)) {
        const auto count = static_cast<std::uint64_t>(*parts);
        return rows(n, (n + count - 1) / count);
    }
    if (length && *length >= 1 && *length <= 0x1p31) return rows(n, static_cast<std::uint64_t>(*length));
    return {};
}

}  // namespace bench::clients
