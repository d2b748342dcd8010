// Keys of tables: ids by how often they occur, addresses, keys of two parts, keys of groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "random.hpp"

namespace bench::clients {

/// Ids of words, of products, of rows of an embedding. A dictionary that is sorted by frequency gives them by rank;
/// otherwise they are permuted.
struct ZipfIds {
    std::uint64_t seed;
    Zipf zipf;
    bool permuted;
    Permutation order;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        const std::uint64_t rank = zipf.rank(uniform(seed, i));
        return static_cast<std::uint32_t>(permuted ? order(rank) : rank);
    }
};
/// zipf_0.8_of_1000, zipf_0.8_of_1000_permuted
inline std::optional<ZipfIds> zipf_ids_named(std::string_view name, std::uint64_t seed) {
    constexpr std::string_view end = "_permuted", between = "_of_";
    const bool permuted = name.ends_with(end);
    if (permuted) name.remove_suffix(end.size());
    const std::size_t middle = name.find(between);
    if (middle == std::string_view::npos) return {};
    const std::optional<double> s = number_after("zipf_", name.substr(0, middle));
    const std::optional<double> ids = number_after(between, name.substr(middle));
    if (!s || !ids || !(*s > 0 && *s < 10) || !(*ids >= 1 && *ids <= 0x1p32)) return {};
    const auto count = static_cast<std::uint64_t>(*ids);
    return ZipfIds{seed, {*s, count}, permuted, Permutation(count)};
}

/// Addresses of a log's clients: about `each` keys out of each of n / each networks of 256 addresses.
struct Subnets {
    std::uint64_t seed, n, each;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        const std::uint64_t networks = n > each ? n / each : 1;
        const std::uint64_t network = random_bits(814, random_bits(seed, i) % networks);
        return static_cast<std::uint32_t>(network << 8 | random_bits(seed + 1, i) >> 56);
    }
};

/// Sensor and time, order and line, table and row: a hashed id in the upper 44 bits, about `each` keys of each, over 20
/// bits that count. They come in any order.
struct PrefixCounters {
    std::uint64_t seed, n, each;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        const std::uint64_t prefixes = n > each ? n / each : 1;
        const std::uint64_t prefix = random_bits(815, random_bits(seed, i) % prefixes);
        return prefix << 20 | random_bits(seed + 1, i) >> 44;
    }
};

/// Keys of a group-by, all groups of about one size: numbers from 0 on, or ids of 32 bits from anywhere.
struct GroupKeys {
    std::uint64_t seed, groups;
    bool dense;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        const std::uint64_t group = random_bits(seed, i) % groups;
        return static_cast<std::uint32_t>(dense ? group : random_bits(816, group));
    }
};

/// A column that mostly has its default: 1 of 64 keys is another, any of 32 bits.
struct MostlyOne {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed, i);
        return bits % 64 == 0 ? static_cast<std::uint32_t>(bits >> 32) : 77u;
    }
};

}  // namespace bench::clients
