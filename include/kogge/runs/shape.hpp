// The shapes that plans and kernels share where runs are found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

inline constexpr int kRunThreads = 256;
/// An interval of items that one warp counts and writes: kRunRows rows of 32.
inline constexpr int kRunRows = 32;
inline constexpr std::uint64_t kRunInterval = kRunRows * 32;
/// The number of runs that begin in an interval, and the index where the last one begins.
struct RunTally {
    std::uint64_t runs;
    std::uint64_t last;
};
inline constexpr scan_shape kRunTallies{sizeof(RunTally), sizeof(RunTally), sizeof(RunTally)};

/// Per warp's slice of a pipeline that finds lengths: the number of runs before it, and the index of its first head.
struct SliceRuns {
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::uint64_t before;
    std::uint64_t first;
};

/// Whether the heads' positions fit where the keys stand. Waves and pipelines need that for values and lengths.
constexpr bool packs_places(std::size_t key_bytes, runs_output writes) {
    return writes == runs_output::items || key_bytes >= sizeof(std::uint16_t);
}
/// A wave's aggregate per tile: the number of runs and, for lengths, where the last one begins.
constexpr std::size_t run_tally_bytes(runs_output writes) { return writes == runs_output::lengths ? 8 : 4; }

}  // namespace kogge::grid
