// Keys of an adversary, made to mislead a sort that looks at a sample of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "kogge/digit/sample.cuh"
#include "random.hpp"

namespace bench::clients {

/// Whether a sample that has 2^10 to 2^17 keys of n may look at index i.
KOGGE_HOST_DEVICE bool is_sampled(std::uint64_t i, std::uint64_t n) {
    for (std::uint32_t samples = 1u << 10; samples <= 1u << 17 && samples <= n; samples *= 2) {
        const std::uint64_t stretch = n / samples, sample = i / stretch;
        if (sample < samples && kogge::grid::sample_place(static_cast<std::uint32_t>(sample), stretch) == i)
            return true;
    }
    return false;
}

enum class Trick {
    networks,        ///< random /24 networks of about 64 addresses; with more than 2^24 keys, /28 ones of 128
    prefixes,        ///< random prefixes of 44 bits, of about 32 keys; with more than 2^24 keys, of 256
    groups_of_12,    ///< random prefixes of 48 bits, of about 12 keys
    outliers,        ///< one value, and 1 of 64 any other
    hidden_digits,   ///< 512 pairs of leading digits, each digit as frequent as any other
    hidden_one,      ///< one pair of leading digits for a 520th of the keys, all in one place
    hidden_prefixes  ///< prefixes of 48 bits with 190 keys each, counted from the end
};
inline constexpr std::pair<Trick, const char*> kTricks[] = {
    {Trick::networks, "adversary_networks"},
    {Trick::prefixes, "adversary_prefixes"},
    {Trick::groups_of_12, "adversary_groups_of_12"},
    {Trick::outliers, "adversary_outliers"},
    {Trick::hidden_digits, "adversary_hidden_digits"},
    {Trick::hidden_one, "adversary_hidden_one"},
    {Trick::hidden_prefixes, "adversary_hidden_prefixes"},
};
inline std::optional<Trick> trick_named(std::string_view name) {
    for (const auto& [trick, its_name] : kTricks)
        if (name == its_name) return trick;
    return {};
}

/// Those that are hidden are uniform wherever a sample looks. Key is an unsigned integer of 32 or 64 bits.
template <class Key>
struct AdversaryKeys {
    static constexpr int bits = 8 * sizeof(Key);
    Trick trick;
    std::uint64_t seed, n;
    KOGGE_HOST_DEVICE Key operator()(std::uint64_t i) const {
        const Key any = static_cast<Key>(random_bits(seed, i));
        const std::uint64_t pick = random_bits(seed + 1, i);
        const bool large = n > std::uint64_t{1} << 24;
        switch (trick) {
            case Trick::networks:
                return prefixed(pick % groups_of(large ? 128 : 64), large ? 4 : 8, any);
            case Trick::prefixes:
                return prefixed(pick % groups_of(large ? 256 : 32), bits - 44, any);
            case Trick::groups_of_12:
                return prefixed(pick % groups_of(12), bits - 48, any);
            case Trick::outliers:
                return pick % 64 == 0 ? any : Key{77};
            case Trick::hidden_digits: {
                if (is_sampled(i, n)) return any;
                const std::uint64_t second = pick & 255, first = (37 * second + 128 * (pick >> 8 & 1)) & 255;
                return prefixed_by(second << 8 | first, bits - 16, any);
            }
            case Trick::hidden_one:
                if (i < n / 3 || i >= n / 3 + n / 520 || is_sampled(i, n)) return any;
                return prefixed_by(0x5a5a, bits - 16, any);
            case Trick::hidden_prefixes:
                return is_sampled(i, n) ? any : prefixed((n - 1 - i) % groups_of(190), bits - 48, any);
        }
        return any;
    }

private:
    KOGGE_HOST_DEVICE std::uint64_t groups_of(std::uint64_t keys) const { return n > keys ? n / keys : 1; }
    KOGGE_HOST_DEVICE static Key prefixed_by(std::uint64_t prefix, int low, Key any) {
        return static_cast<Key>(static_cast<Key>(prefix) << low | (any & ((Key{1} << low) - 1)));
    }
    KOGGE_HOST_DEVICE static Key prefixed(std::uint64_t group, int low, Key any) {
        return prefixed_by(random_bits(821, group), low, any);
    }
};

}  // namespace bench::clients
