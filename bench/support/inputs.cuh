// Inputs made on the device, each call's from another seed, and the comparison of results.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/simt/device.cuh"
#include "kogge/simt/runtime.hpp"

namespace bench {

using kogge::stream_t;

/// Random bits of a place in a sequence: the finaliser of SplitMix64.
KOGGE_HOST_DEVICE std::uint64_t random_bits(std::uint64_t seed, std::uint64_t place) {
    std::uint64_t bits = (seed * 0x632be59bd9b4e019ull + place + 1) * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return bits ^ (bits >> 31);
}

inline constexpr int kThreads = 256;

KOGGE_DEVICE std::uint64_t first_place() {
    return std::uint64_t{kogge::simt::block_rank()} * kThreads + static_cast<std::uint64_t>(kogge::simt::thread_rank());
}
KOGGE_DEVICE std::uint64_t all_threads() { return std::uint64_t{kogge::simt::grid_size()} * kThreads; }

inline kogge::simt::LaunchShape shape_for(std::uint64_t n, stream_t stream, const char* name) {
    const std::uint64_t blocks = (n + kThreads - 1) / kThreads;
    return {static_cast<std::uint32_t>(blocks < 1 ? 1 : blocks > 4096 ? 4096 : blocks), kThreads, 0, stream, name};
}

template <class T, class Make>
KOGGE_KERNEL void make_items_kernel(T* items, std::uint64_t n, Make make) {
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) items[i] = make(i);
}

/// items[i] = make(i).
template <class T, class Make>
void make_items(T* items, std::uint64_t n, Make make, stream_t stream) {
    kogge::simt::launch(make_items_kernel<T, Make>, shape_for(n, stream, "make_items_kernel"), items, n, make);
}

// ---- what scans and compactions read -------------------------------------------------------------------

/// Items for sums: any integer, and for floats small multiples of one half about zero, whose
/// sums are exact in any association.
template <class T>
struct Summand {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed, i);
        if constexpr (std::is_floating_point_v<T>) return static_cast<T>(static_cast<int>(bits >> 60) - 8) + T(0.5);
        else return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
    }
};

/// Whether an item is kept: a share of all, item by item at random, or by runs of 1024 items.
struct Kept {
    std::uint64_t seed;
    double share;
    bool clustered;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed + 77, clustered ? i / 1024 : i);
        return static_cast<double>(bits >> 11) * 0x1p-53 < share;
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

// ---- what sorts read -----------------------------------------------------------------------------------

enum class Distribution { uniform, and_skewed, values_16, one_value, sorted, reversed, low32 };

inline const char* to_string(Distribution distribution) {
    switch (distribution) {
        case Distribution::uniform:
            return "uniform";
        case Distribution::and_skewed:
            return "and_skewed";
        case Distribution::values_16:
            return "values_16";
        case Distribution::one_value:
            return "one_value";
        case Distribution::sorted:
            return "sorted";
        case Distribution::reversed:
            return "reversed";
        case Distribution::low32:
            return "low32";
    }
    return "unknown";
}

/// Keys of a distribution. and_skewed is the conjunction of three random words; sorted and reversed are spread evenly
/// over all values; low32 are 32 random bits in a wider key. Floats are evenly spread over (−1, 1).
template <class T>
struct Key {
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
        }
        return random_bits(seed, i);
    }
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        const std::uint64_t all = bits(i);
        if constexpr (std::is_floating_point_v<T>) return (static_cast<T>(all >> 41) + T(0.5)) * T(0x1p-22) - T(1);
        else return static_cast<T>(distribution == Distribution::low32 ? all : all >> (64 - 8 * sizeof(T)));
    }
};

/// Values that tell where their key stood.
template <class T>
struct Place {
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const { return static_cast<T>(i); }
};

// ---- comparing -----------------------------------------------------------------------------------------

/// Sums words, so that they must be read.
KOGGE_SHARED_KERNEL void read_all_kernel(const std::uint64_t* words, std::uint64_t n, std::uint64_t* sum) {
    std::uint64_t mine = 0;
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) mine += words[i];
    if (mine == 0) *sum = mine;  // words are not zero, so that this is never written
}
inline void read_all(const std::uint64_t* words, std::uint64_t n, std::uint64_t* sum, stream_t stream) {
    kogge::simt::launch(read_all_kernel, shape_for(n, stream, "read_all_kernel"), words, n, sum);
}

template <class T, class Other>
KOGGE_KERNEL void count_mismatches_kernel(const T* items, Other other, std::uint64_t n, std::uint64_t* count) {
    std::uint64_t mine = 0;
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) mine += items[i] == other[i] ? 0 : 1;
    if (mine > 0) kogge::simt::atomic_add<kogge::simt::Scope::device>(count, mine);
}

template <class T>
struct Reversed {
    const T* items;
    std::uint64_t n;
    KOGGE_DEVICE T operator[](std::uint64_t i) const { return items[n - 1 - i]; }
};

/// Whether items[i] == other[i] everywhere; waits for the answer.
template <class T, class Other>
bool is_equal(const T* items, Other other, std::uint64_t n, stream_t stream) {
    auto* count = static_cast<std::uint64_t*>(kogge::simt::allocate(sizeof(std::uint64_t), stream));
    kogge::simt::fill(count, 0, sizeof *count, stream);
    kogge::simt::launch(count_mismatches_kernel<T, Other>, shape_for(n, stream, "count_mismatches_kernel"), items,
                        other, n, count);
    std::uint64_t mismatches = 0;
    kogge::simt::copy(&mismatches, count, sizeof mismatches, stream);
    kogge::simt::deallocate(count, stream);
    kogge::simt::synchronize(stream);
    return mismatches == 0;
}

inline std::uint64_t read_number(const std::uint64_t* number, stream_t stream) {
    std::uint64_t value = 0;
    kogge::simt::copy(&value, number, sizeof value, stream);
    kogge::simt::synchronize(stream);
    return value;
}

}  // namespace bench
