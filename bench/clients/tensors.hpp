// Keys of neural networks.
#pragma once

#include <cstdint>
#include <limits>

#include "random.hpp"

namespace bench::clients {

/// A layer's output behind a rectifier and a mask: 45 of 100 are +0, 10 are −0, which a masked negative leaves, 1 of
/// 4096 is NaN, as after an overflow.
struct Activations {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE float operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed, i), kind = bits % 100;
        if (bits >> 52 == 0) return std::numeric_limits<float>::quiet_NaN();
        if (kind < 55) return kind < 45 ? 0.0f : -0.0f;
        return static_cast<float>(normal(seed + 1, i));
    }
};

/// What a language model says of each token of its vocabulary; 2 of 100 tokens are forbidden, −∞. None is −0 or NaN.
struct Logits {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE float operator()(std::uint64_t i) const {
        if (random_bits(seed, i) % 50 == 0) return -std::numeric_limits<float>::infinity();
        const auto logit = static_cast<float>(2.5 * normal(seed + 1, i) - 3);
        constexpr float least = 0x1p-14f;  // none is rounded to a zero
        return logit > -least && logit < least ? least : logit;
    }
};

/// The same as T.
template <class T, class Make>
struct Rounded {
    Make make;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const { return static_cast<T>(make(i)); }
};

}  // namespace bench::clients
