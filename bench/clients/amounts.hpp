// Keys that are quantities: money, and sizes of files.
#pragma once

#include <cstdint>

#include "random.hpp"

namespace bench::clients {

/// Prices in cents: log-normal about 35.00, a third of them rounded to .99 or .00.
KOGGE_HOST_DEVICE std::int64_t cents_of(std::uint64_t seed, std::uint64_t i) {
    const auto cents = static_cast<std::int64_t>(1 + log_normal(seed, i, 3500, 1.3));
    const std::uint64_t kind = random_bits(seed + 1, i) % 6;
    if (kind == 0) return cents / 100 * 100 + 99;
    return kind == 1 ? cents / 100 * 100 + 100 : cents;
}

/// Amounts in a column of doubles.
struct Prices {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE double operator()(std::uint64_t i) const { return static_cast<double>(cents_of(seed, i)) / 100; }
};
/// The same in a column of decimals with two places, which are integers; 3 of 100 are refunds.
struct Bookings {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE std::int64_t operator()(std::uint64_t i) const {
        const std::int64_t cents = cents_of(seed, i);
        return random_bits(seed + 2, i) % 100 < 3 ? -cents : cents;
    }
};

/// Bytes of a file system's files: 3 of 100 are empty, most log-normal about 8 KB, 7 of 100 in Pareto's tail from 1 MB.
struct FileSizes {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        const std::uint64_t kind = random_bits(seed, i) % 100;
        if (kind < 3) return 0;
        const double size =
            kind < 10 ? 0x1p20 * std::pow(uniform(seed + 1, i), -1 / 1.1) : log_normal(seed + 1, i, 8192, 2.3);
        return size < 0x1p44 ? static_cast<std::uint64_t>(size) : std::uint64_t{1} << 44;
    }
};

}  // namespace bench::clients
