// The values that plans choose by. None has been measured against others yet.
#pragma once

#include "tuning.hpp"

namespace kogge::grid {

inline constexpr Tuned kTuning[] = {
    {Choice::scan_block_rows, 4, 2},
    {Choice::scan_cluster_rows, 4, 2},
    {Choice::scan_wave_rows, 4, 8},
    {Choice::scan_ring_rounds, 4, 16},
    // H200, half of them kept: 2^14 bytes 3.0 us by a row of two blocks, 4.6 us by two rows; 2^17 bytes 3.1 and 5.3 us.
    {Choice::compact_block_rows, 1, 1},
    {Choice::compact_block_rows, 2, 2},
    {Choice::compact_cluster_rows, 1, 1},
    {Choice::compact_cluster_rows, 2, 2},
    {Choice::compact_wave_groups, 4, 16},
    {Choice::compact_ring_rounds, 4, 16},
    {Choice::tile_blocks, 4, 6},
    {Choice::sort_compare_keys, 2, 4096},
    {Choice::sort_compare_keys, 4, 16384},
    {Choice::sort_grid_share, 4, 768},
    {Choice::sort_pipeline_share, 4, 24576},
};

}  // namespace kogge::grid
