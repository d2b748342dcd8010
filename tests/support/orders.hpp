// The order that sorts must follow, written without its encodings.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kogge/keys.hpp"

namespace tests {

template <class Key>
bool less(const Key& a, const Key& b, const kogge::sort_options& options) {
    if constexpr (kogge::detail::is_float_key<Key>) {
        using Bits = kogge::detail::unsigned_of<sizeof(Key)>;
        constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Key) - 1));
        const Bits infinity = kogge::detail::make_codec<Key>({}).infinity;
        const auto place = [&](const Key& key) -> kogge::int128 {  // sign and magnitude on a line
            Bits bits;
            std::memcpy(&bits, &key, sizeof bits);
            const Bits magnitude = static_cast<Bits>(bits & ~sign);
            if (options.zeros == kogge::zero_order::equal && magnitude == 0) return 0;
            return bits & sign ? -1 - kogge::int128{magnitude} : kogge::int128{magnitude};
        };
        const auto is_nan = [&](const Key& key) {
            Bits bits;
            std::memcpy(&bits, &key, sizeof bits);
            return static_cast<Bits>(bits & ~sign) > infinity;
        };
        if (options.nans != kogge::nan_order::by_sign && (is_nan(a) || is_nan(b))) {
            const bool first = options.nans == kogge::nan_order::greatest && options.order == kogge::descending;
            return first ? is_nan(a) && !is_nan(b) : !is_nan(a) && is_nan(b);
        }
        return options.order == kogge::ascending ? place(a) < place(b) : place(b) < place(a);
    } else {
        return options.order == kogge::ascending ? a < b : b < a;
    }
}

/// Which key comes to each place.
template <class Key>
std::vector<std::uint32_t> order_of(const std::vector<Key>& keys, const kogge::sort_options& options) {
    std::vector<std::uint32_t> order(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return less<Key>(keys[a], keys[b], options); });
    return order;
}

}  // namespace tests
