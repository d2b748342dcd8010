// The shapes of what finds runs, that plans and kernels agree on.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/engine/wave_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

inline constexpr int kRunThreads = 256;
/// A warp's stretch of items, where runs are counted, scanned and written: so many rows of 32.
inline constexpr int kRunRows = 32;
inline constexpr std::uint64_t kRunStretch = kRunRows * 32;
/// The runs that begin in a stretch, and where the last of them does.
struct RunTally {
    std::uint64_t runs;
    std::uint64_t last;
};
inline constexpr scan_shape kRunTallies{sizeof(RunTally), sizeof(RunTally), sizeof(RunTally)};

/// Of a ring that finds lengths: the runs before a warp's stretch, and the index of the first head in it.
struct StretchRuns {
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::uint64_t before;
    std::uint64_t first;
};

/// Whether the places of heads fit where the keys stand, as waves and rings need for what stands beside them.
constexpr bool packs_places(std::size_t key_bytes, runs_output writes) {
    return writes == runs_output::items || key_bytes >= sizeof(std::uint16_t);
}
/// The aggregate of a wave's tile: runs, and for lengths where the last one begins.
constexpr std::size_t run_tally_bytes(runs_output writes) { return writes == runs_output::lengths ? 8 : 4; }

}  // namespace kogge::grid
