// Inputs as functions of an item's index, each call's from another seed: the same for the host and for kernels.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kogge/simt/config.hpp"
#include "rows.hpp"

namespace bench {

/// Random bits of a place in a sequence: the finaliser of SplitMix64.
KOGGE_HOST_DEVICE std::uint64_t random_bits(std::uint64_t seed, std::uint64_t place) {
    std::uint64_t bits = (seed * 0x632be59bd9b4e019ull + place + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return bits ^ (bits >> 31);
}

// ---- what scans and compactions read -------------------------------------------------------------------

/// Items for sums: any unsigned integer, small signed ones, whose sums overflow no int, and for floats small multiples
/// of one half about zero, whose sums are exact in any association; of 16 bits that holds for differences of neighbours
/// in a row of such numbers.
template <class T>
struct Summand {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed, i);
        if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
            return static_cast<T>(static_cast<int>(bits >> 60) - 8);
        else if constexpr (!is_float<T>) return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
        else if constexpr (sizeof(T) == 2) return static_cast<T>(small(random_bits(seed, i + 1)) - small(bits));
        else return static_cast<T>(small(bits));
    }
    KOGGE_HOST_DEVICE static float small(std::uint64_t bits) { return static_cast<float>(bits >> 60) - 7.5f; }
};

/// What is kept: a share of all items, item by item at random, or by runs of 1024 items.
struct Selectivity {
    double share;
    bool clustered;
};
/// kept_50, kept_0.1_clustered
inline std::optional<Selectivity> selectivity_named(std::string_view name) {
    constexpr std::string_view end = "_clustered";
    const bool clustered = name.size() > end.size() && name.substr(name.size() - end.size()) == end;
    if (clustered) name.remove_suffix(end.size());
    const std::optional<double> percent = number_after("kept_", name);
    if (!percent || !(*percent >= 0 && *percent <= 100)) return {};
    return Selectivity{*percent / 100, clustered};
}
struct Kept {
    std::uint64_t seed;
    Selectivity of;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed + 77, of.clustered ? i / 1024 : i);
        return static_cast<double>(bits >> 11) * 0x1p-53 < of.share;
    }
};

/// The same as bits: bit b of word w is item 32·w + b's.
struct KeptBits {
    Kept kept;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t word) const {
        std::uint32_t bits = 0;
        for (std::uint32_t bit = 0; bit < 32; ++bit) bits |= std::uint32_t{kept(32 * word + bit)} << bit;
        return bits;
    }
};

/// The least item that is not kept; the lower half of a type's values is kept.
template <class T>
KOGGE_HOST_DEVICE T kept_below() {
    if constexpr (std::is_floating_point_v<T>) return T(0.5);
    else return static_cast<T>(T(1) << (8 * sizeof(T) - 1));
}
/// Random items below and not below kept_below().
template <class T>
struct Selectable {
    Kept kept;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(kept.seed, i);
        const bool low = kept(i);
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<T>(static_cast<double>(bits >> 44) * 0x1p-21) + (low ? T(0) : T(0.5));
        else {
            const T half = static_cast<T>(static_cast<T>(bits) & static_cast<T>(kept_below<T>() - 1));
            return low ? half : static_cast<T>(half | kept_below<T>());
        }
    }
};

// ---- runs of equal keys --------------------------------------------------------------------------------

/// Where runs of 1 to 2·mean − 1 items begin: one in each stretch of `mean` items, at a random place.
struct RunStarts {
    std::uint64_t seed, mean;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t run) const {
        return run * mean + (run == 0 ? 0 : random_bits(seed, run) % mean);
    }
};
/// The same as offsets: the last run may begin past the end, and is empty then.
struct RunOffsets {
    RunStarts starts;
    std::uint64_t n;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t run) const { return starts(run) < n ? starts(run) : n; }
};
/// The number of the run that an item belongs to.
template <class T>
struct RunNumbers {
    RunStarts starts;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        const std::uint64_t stretch = i / starts.mean;
        return static_cast<T>(i < starts(stretch) ? stretch - 1 : stretch);
    }
};
/// runs_8
inline std::optional<std::uint64_t> mean_of_runs(std::string_view name) {
    const std::optional<double> mean = number_after("runs_", name);
    if (!mean || !(*mean >= 1 && *mean < 0x1p31)) return {};
    return static_cast<std::uint64_t>(*mean);
}

// ---- segments ------------------------------------------------------------------------------------------

/// One segment of `first` items, if that is not 0, and then runs of `mean` items on average.
struct SegmentOffsets {
    RunOffsets runs;
    std::uint64_t first;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t s) const {
        if (first == 0) return runs(s);
        return s == 0 ? 0 : first + runs(s - 1);
    }
};
/// The number of the segment that an item belongs to.
template <class T>
struct SegmentNumbers {
    SegmentOffsets offsets;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        if (i < offsets.first) return 0;
        const T run = RunNumbers<T>{offsets.runs.starts}(i - offsets.first);
        return static_cast<T>(offsets.first == 0 ? run : run + 1);
    }
};
struct SegmentCase {
    std::uint64_t count, first, mean;
    SegmentOffsets offsets(std::uint64_t seed, std::uint64_t n) const { return {{{seed, mean}, n - first}, first}; }
};
/// runs_8; segments_1000, which are as many runs, or one more that may be empty; skewed, one segment of half the items
/// and runs_8 behind it.
inline std::optional<SegmentCase> segments_named(std::string_view name, std::uint64_t n) {
    if (name == "skewed" && n >= 32) return SegmentCase{(n - n / 2 + 7) / 8 + 1, n / 2, 8};
    std::optional<std::uint64_t> mean = mean_of_runs(name);
    const std::optional<double> count = number_after("segments_", name);
    if (count && *count >= 1 && *count <= static_cast<double>(n)) mean = n / static_cast<std::uint64_t>(*count);
    if (!mean) return {};
    return SegmentCase{(n + *mean - 1) / *mean, 0, *mean};
}

// ---- what sorts read -----------------------------------------------------------------------------------

enum class Distribution { uniform, and_skewed, values_16, one_value, sorted, reversed, low32, shared_prefix };

inline constexpr std::pair<Distribution, const char*> kDistributions[] = {
    {Distribution::uniform, "uniform"},     {Distribution::and_skewed, "and_skewed"},
    {Distribution::values_16, "values_16"}, {Distribution::one_value, "one_value"},
    {Distribution::sorted, "sorted"},       {Distribution::reversed, "reversed"},
    {Distribution::low32, "low32"},         {Distribution::shared_prefix, "shared_prefix"},
};
inline std::optional<Distribution> distribution_named(std::string_view name) {
    for (const auto& [distribution, its_name] : kDistributions)
        if (name == its_name) return distribution;
    return {};
}

/// Keys of a distribution. and_skewed is the conjunction of three random words; sorted and reversed are spread evenly
/// over all values; low32 are 32 random bits in a wider key; with shared_prefix, 16384 keys among random ones share
/// their upper 32 bits with 1023 others each. Floats are evenly spread over (−1, 1).
template <class T>
struct Key {
    static constexpr std::uint64_t kPrefixed = 16384, kPrefixes = 16;
    Distribution distribution;
    std::uint64_t seed;
    std::uint64_t n;
    KOGGE_HOST_DEVICE std::uint64_t bits(std::uint64_t i) const {
        switch (distribution) {
            case Distribution::uniform:
                break;
            case Distribution::and_skewed:
                return random_bits(seed, i) & random_bits(seed + 1, i) & random_bits(seed + 2, i);
            case Distribution::values_16:
                return (random_bits(seed, i) >> 60) * 0x0f1e2d3c4b5a6978ull;
            case Distribution::one_value:
                return 0x5bd1e9955bd1e995ull;
            case Distribution::sorted:
                return i * (~std::uint64_t{0} / n);
            case Distribution::reversed:
                return (n - 1 - i) * (~std::uint64_t{0} / n);
            case Distribution::low32:
                return random_bits(seed, i) >> 32;
            case Distribution::shared_prefix: {
                const std::uint64_t step = n > kPrefixed ? n / kPrefixed : 1;
                if (i % step != 0) break;
                const std::uint64_t prefix = random_bits(seed + 1, i / step % kPrefixes);
                return (prefix >> 32 << 32) | random_bits(seed, i) >> 32;
            }
        }
        return random_bits(seed, i);
    }
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        const std::uint64_t all = bits(i);
        if constexpr (is_float<T>) {
            using Made = std::conditional_t<std::is_floating_point_v<T>, T, float>;
            constexpr int fraction = std::numeric_limits<Made>::digits - 1;
            constexpr Made step = Made(2) / static_cast<Made>(std::uint64_t{1} << fraction);
            return static_cast<T>((static_cast<Made>(all >> (64 - fraction)) + Made(0.5)) * step - 1);
        } else return static_cast<T>(distribution == Distribution::low32 ? all : all >> (64 - 8 * sizeof(T)));
    }
};

/// Values that tell where their key stood.
template <class T>
struct Place {
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const { return static_cast<T>(i); }
};

}  // namespace bench
