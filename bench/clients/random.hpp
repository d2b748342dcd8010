// What the generators of client keys are made of: random numbers of some distributions as functions of a place, so that
// each key is made by itself, on the host and by kernels alike.
#pragma once

#include <cmath>
#include <cstdint>

#include "../support/inputs.hpp"

namespace bench::clients {

/// In (0, 1).
KOGGE_HOST_DEVICE double uniform(std::uint64_t seed, std::uint64_t place) {
    return (static_cast<double>(random_bits(seed, place) >> 11) + 0.5) * 0x1p-53;
}
/// Of mean 0 and deviation 1 (G. Box, M. Muller, 1958).
KOGGE_HOST_DEVICE double normal(std::uint64_t seed, std::uint64_t place) {
    const double radius = std::sqrt(-2 * std::log(uniform(seed, place)));
    return radius * std::cos(6.283185307179586 * uniform(~seed, place));
}
/// The median times e to a normal number of that deviation.
KOGGE_HOST_DEVICE double log_normal(std::uint64_t seed, std::uint64_t place, double median, double deviation) {
    return median * std::exp(deviation * normal(seed, place));
}

/// Ranks 0 to ids − 1 of Zipf's law, rank r with a share of about (r + 1)^−s: that of the density x^−s over
/// [r + 1/2, r + 3/2), which is right to 15 % for the first ranks and exact in the limit.
struct Zipf {
    double s = 1;
    std::uint64_t ids = 1;
    KOGGE_HOST_DEVICE std::uint64_t rank(double share) const {
        const double least = 0.5, most = static_cast<double>(ids) + 0.5, power = 1 - s;
        double x = 0;
        if (s == 1) x = least * std::pow(most / least, share);
        else {
            const double from = std::pow(least, power), to = std::pow(most, power);
            x = std::pow(from + share * (to - from), 1 / power);
        }
        const double found = x - least;
        if (!(found > 0)) return 0;
        return found < static_cast<double>(ids) ? static_cast<std::uint64_t>(found) : ids - 1;
    }
};

/// A fixed permutation of 0 to count − 1: steps that can be undone permute the least power of two that holds them all,
/// and are repeated until they lead back below `count`.
struct Permutation {
    std::uint64_t count = 1, mask = 0;
    int half = 1;

    Permutation() = default;
    explicit Permutation(std::uint64_t items) : count(items) {
        int bits = 0;
        while (mask < count - 1) {
            mask = 2 * mask + 1;
            ++bits;
        }
        half = bits / 2 + 1;
    }
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        do {
            for (int round = 0; round < 3; ++round) {
                i = (i * 0x9e3779b97f4a7c15ull + 0x632be59bd9b4e019ull) & mask;
                i ^= i >> half;
            }
        } while (i >= count);
        return i;
    }
};

}  // namespace bench::clients
