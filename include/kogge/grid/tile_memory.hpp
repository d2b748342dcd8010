// The scratch of scans and compactions: what their blocks tell each other, carved by plans to measure it and by
// launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kogge/exec.hpp"
#include "kogge/grid/emit_shape.hpp"
#include "kogge/grid/runs_shape.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

/// A published value of so many bytes is split over 64-bit words that each carry a flag; larger ones have one flag.
constexpr bool slot_is_split(std::size_t bytes) { return bytes <= 32; }
constexpr int slot_words(std::size_t bytes) { return slot_is_split(bytes) ? static_cast<int>((bytes + 3) / 4) : 1; }

/// The memory behind a Board for `tiles` tiles and values of `bytes` bytes. The first `zeroed` bytes at `ticket` must
/// be zero before the launch.
struct BoardMemory {
    std::uint32_t* ticket;
    std::uint64_t* counter;  ///< a zeroed word for the caller
    std::uint64_t* words;
    void* values;
    std::size_t zeroed;
};
BoardMemory carve_board(detail::Carver& carver, std::uint64_t tiles, int words_per_slot, std::size_t large_value_bytes);

struct ScanMemory {
    std::uint32_t* marks = nullptr;  ///< words with a bit an item, where a segment starts
    BoardMemory board{};
    std::vector<void*> sums;  ///< of a wave's tiles; or one array a level that has more than one block
};
ScanMemory carve_scan(detail::Carver& carver, const scan_plan& plan, std::size_t accumulator_bytes);

struct CompactMemory {
    BoardMemory board{};
    std::uint32_t* aggregates = nullptr;  ///< of a wave's tiles
    void* items = nullptr;                ///< a copy of the input, for a partition in place
};
CompactMemory carve_compact(detail::Carver& carver, const compact_plan& plan, std::uint64_t n, std::size_t item_bytes);

/// Of a plan that does not compact.
struct RunsMemory {
    BoardMemory board{};
    void* aggregates = nullptr;        ///< of a wave's tiles
    StretchRuns* stretches = nullptr;  ///< of a ring that finds lengths: one a warp and tile
    RunTally* tallies = nullptr;       ///< of stretches that are counted, and one of nothing behind them
    workspace scan_space{};            ///< for the scan of these
};
RunsMemory carve_runs(detail::Carver& carver, const runs_plan& plan, runs_output writes);

/// The first `zeroed` bytes at `control` must be zero before the launch of all but a wave.
struct EmitMemory {
    EmitControl* control = nullptr;
    BoardMemory board{};
    LargeTile* large = nullptr;
    std::size_t zeroed = 0;
    std::uint64_t* outputs = nullptr;  ///< of a wave's tiles
};
EmitMemory carve_emit(detail::Carver& carver, const emit_plan& plan, std::uint64_t capacity);

}  // namespace kogge::grid
