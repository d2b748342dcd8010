// Tables for sorts by several columns, and the order that a stable sort by comparison gives their rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "kogge/types/columns.hpp"
#include "support/backend.hpp"
#include "support/inputs.hpp"

namespace tests {

/// A column of a table: its keys, which of them are there, and how they order rows.
template <class Key>
struct TestColumn {
    std::vector<Key> keys;
    std::vector<bool> valid;  ///< empty: all
    kogge::column_options options;

    /// Whether row a comes before row b (negative), behind it (positive), or neither.
    int compare(std::uint64_t a, std::uint64_t b) const {
        const bool null_a = !valid.empty() && !valid[a], null_b = !valid.empty() && !valid[b];
        if (null_a || null_b) {
            if (null_a && null_b) return 0;
            return null_a == (options.nulls == kogge::null_order::first) ? -1 : 1;
        }
        return compare_keys(keys[a], keys[b]);
    }
    /// Bit i of the mask is bit valid_from + i.
    std::vector<std::uint32_t> mask() const {
        std::vector<std::uint32_t> words((options.valid_from + valid.size() + 31) / 32, 0xa5a5a5a5u);
        for (std::size_t i = 0; i < valid.size(); ++i) {
            const std::uint64_t bit = options.valid_from + i;
            words[bit / 32] &= ~(1u << bit % 32);
            if (valid[i]) words[bit / 32] |= 1u << bit % 32;
        }
        return words;
    }

private:
    int compare_keys(Key a, Key b) const {
        const bool descending = options.order == kogge::descending;
        const auto of = [&](auto x, auto y) { return x == y ? 0 : (x < y) != descending ? -1 : 1; };
        if constexpr (std::is_floating_point_v<Key>) {
            const bool nan_a = std::isnan(a), nan_b = std::isnan(b);
            if ((nan_a || nan_b) && options.nans != kogge::nan_order::by_sign) {
                if (nan_a == nan_b) return 0;
                return nan_a == (descending && options.nans == kogge::nan_order::greatest) ? -1 : 1;
            }
            // By sign: all NaNs of a test have the same payload.
            const auto rank = [](Key x) { return std::isnan(x) ? (std::signbit(x) ? -1 : 1) : 0; };
            if (nan_a || nan_b) return of(rank(a), rank(b));
            if (a == 0 && b == 0 && options.zeros == kogge::zero_order::negative_first)
                return of(!std::signbit(a), !std::signbit(b));
            return of(a, b);
        } else if constexpr (kogge::detail::is_enum_key<Key>) {
            return of(static_cast<std::underlying_type_t<Key>>(a), static_cast<std::underlying_type_t<Key>>(b));
        } else if constexpr (std::is_unsigned_v<Key> && sizeof(Key) <= 8) {
            const auto bits = [&](Key key) {  // descending codes are complements
                const std::uint64_t code = descending ? ~std::uint64_t{key} : std::uint64_t{key};
                const int end = options.end_bit == -1 ? static_cast<int>(8 * sizeof(Key)) : options.end_bit;
                const std::uint64_t shifted = options.begin_bit == 64 ? 0 : code >> options.begin_bit;
                const int width = end - options.begin_bit;
                return width == 64 ? shifted : shifted & ((std::uint64_t{1} << width) - 1);
            };
            return bits(a) == bits(b) ? 0 : bits(a) < bits(b) ? -1 : 1;
        } else {
            return of(a, b);
        }
    }
};

/// Few different keys, so that later columns count; of floats also zeros, infinities and NaNs of both signs.
template <class Key>
std::vector<Key> few_keys(std::uint64_t n, std::uint64_t seed, std::uint64_t different = 5) {
    std::vector<Key> keys(n);
    Random random(seed);
    for (Key& key : keys) {
        const std::uint64_t which = random() % different;
        if constexpr (std::is_floating_point_v<Key>) {
            const Key values[] = {Key{0},
                                  -Key{0},
                                  static_cast<Key>(INFINITY),
                                  static_cast<Key>(-INFINITY),
                                  std::copysign(static_cast<Key>(NAN), Key{1}),
                                  std::copysign(static_cast<Key>(NAN), Key{-1})};
            key = which == 0 ? values[random() % 6] : static_cast<Key>(which) - static_cast<Key>(2.5);
        } else {  // spread over all bits
            key = static_cast<Key>(static_cast<std::uint64_t>(which) * 0x9e3779b97f4a7c15u >> 3);
            if constexpr (sizeof(Key) == 16) key = key << 64 | which;
        }
    }
    return keys;
}
inline std::vector<bool> some_valid(std::uint64_t n, std::uint64_t seed) {
    std::vector<bool> valid(n);
    Random random(seed);
    for (std::uint64_t i = 0; i < n; ++i) valid[i] = random() % 3 != 0;
    return valid;
}

/// The first n rows in order.
template <class... Keys>
std::vector<std::uint64_t> order_of_rows(std::uint64_t n, const TestColumn<Keys>&... columns) {
    std::vector<std::uint64_t> rows(n);
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint64_t a, std::uint64_t b) {
        int order = 0;
        ((order = order != 0 ? order : columns.compare(a, b)), ...);
        return order < 0;
    });
    return rows;
}
template <class T>
std::vector<T> rows_in_order(const std::vector<T>& items, const std::vector<std::uint64_t>& rows) {
    std::vector<T> sorted = items;
    for (std::size_t i = 0; i < rows.size(); ++i) sorted[i] = items[rows[i]];
    return sorted;
}

}  // namespace tests
