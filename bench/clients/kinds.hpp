// The clients' keys by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "amounts.hpp"
#include "ids.hpp"
#include "kogge/keys.hpp"
#include "space.hpp"
#include "tensors.hpp"
#include "text.hpp"
#include "times.hpp"

namespace bench::clients {

/// Calls use(keys), keys(i) being key i of n of that kind; false where no such keys have this type. Seeds are far
/// apart: generators use a few from theirs on.
template <class Key, class Use>
bool with_kind(std::string_view name, std::uint64_t n, std::uint64_t seed, const Use& use) {
    const auto is = [&](std::string_view kind, const auto& keys) {
        if (name != kind) return false;
        use(keys);
        return true;
    };
    if constexpr (std::is_same_v<Key, std::uint32_t>) {
        if (const std::optional<ZipfIds> ids = zipf_ids_named(name, seed)) return use(*ids), true;
        return is("morton_30_surfaces", MortonCodes<10>{seed, true}) ||
               is("morton_30_clusters", MortonCodes<10>{seed, false}) || is("subnets_64", Subnets{seed, n, 64}) ||
               is("groups_1000000", GroupKeys{seed, 1'000'000, true}) ||
               is("groups_1000000_spread", GroupKeys{seed, 1'000'000, false}) || is("mostly_one", MostlyOne{seed}) ||
               is("dates", Dates{seed});
    } else if constexpr (std::is_same_v<Key, std::uint64_t>) {
        return is("morton_63_surfaces", MortonCodes<21>{seed, true}) ||
               is("morton_63_clusters", MortonCodes<21>{seed, false}) ||
               is("tile_depth_44", TileDepths{seed, 80, 45, 5}) || is("tile_depth_45", TileDepths{seed, 120, 68, 8}) ||
               is("prefix_counter_12", PrefixCounters{seed, n, 12}) ||
               is("prefix_counter_64", PrefixCounters{seed, n, 64}) ||
               is("prefix_counter_256", PrefixCounters{seed, n, 256}) || is("times_jittered", JitteredTimes{seed, n}) ||
               is("times_16_runs", SortedRunsOfTimes{seed, n}) || is("times_appended", AppendedTimes{seed, n}) ||
               is("file_sizes", FileSizes{seed}) || is("words", Words{seed}) || is("urls", Urls{seed, true}) ||
               is("hosts", Urls{seed, false}) || is("kmers_31", Kmers{seed, n});
    } else if constexpr (std::is_same_v<Key, std::int64_t>) return is("money", Bookings{seed});
    else if constexpr (std::is_same_v<Key, double>) return is("money", Prices{seed});
    else return is("activations", Rounded<Key, Activations>{{seed}}) || is("logits", Rounded<Key, Logits>{{seed}});
}

/// How both sides sort keys of a kind: CUB takes +0 and −0 for equal, and a rasteriser says how many bits it has.
inline kogge::sort_options options_of_kind(std::string_view name) {
    kogge::sort_options options;
    if (name == "tile_depth_44") options.end_bit = 44;
    if (name == "tile_depth_45") options.end_bit = 45;
    if (name == "activations") options.zeros = kogge::zero_order::equal;
    return options;
}

}  // namespace bench::clients
