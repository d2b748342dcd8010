// The values that plans choose by, and by how much their candidates were slower than the best one. Made by
// tools/tune.py of the record bench/results/nvidia_h200/tuning.csv, which has the times; do not edit.
#pragma once

#include "tuning/tuning.hpp"

namespace kogge::grid {

// clang-format off
inline constexpr Tuned kTuning[] = {
    // u8 sum of 16384 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.0 %, 1 by 7.1 %
    {Choice::scan_block_rows, 1, 2},
    // u32 sum of 4096, 8192 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.4 %, 1 by 4.2 %, 4 by 2.5 %
    {Choice::scan_block_rows, 4, 2},
    // u64 sum of 2048, 4096 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.1 %, 1 by 4.4 %, 4 by 2.8 %
    {Choice::scan_block_rows, 8, 2},
    // u8 sum of 262144 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.0 %, 1 by 15.9 %
    {Choice::scan_cluster_rows, 1, 2},
    // u32 sum of 65536, 131072, 262144 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 3.1 %, 1 by 9.2 %, 4 by 1.8 %, 8 by 1.5 %
    {Choice::scan_cluster_rows, 4, 4},
    // u64 sum of 32768, 65536, 131072 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 2.4 %, 1 by 9.0 %, 4 by 1.9 %, 8 by 13.0 %
    {Choice::scan_cluster_rows, 8, 2},
    // u8 sum of 3145728, 4194304 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 8 by 0.4 %, 1 by 29.2 %, 2 by 0.1 %
    {Choice::scan_wave_rows, 1, 8},
    // u32 sum of 1572864, 2097152, 3145728, 4194304 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 4 by 4.4 %, 2 by 14.3 %, 8 by 0.0 %
    {Choice::scan_wave_rows, 4, 8},
    // u64 sum of 786432, 1048576, 1572864, 2097152 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 8 by 0.1 %, 2 by 16.9 %, 4 by 4.8 %
    {Choice::scan_wave_rows, 8, 8},
    // u8 sum of 50331648, 67108864, 134217728, 268435456, 1073741824 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.0 %, 4 by 1.0 %
    {Choice::scan_ring_rounds, 1, 16},
    // u32 sum of 12582912, 16777216, 33554432, 67108864, 268435456 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.0 %, 4 by 3.4 %
    {Choice::scan_ring_rounds, 4, 16},
    // u64 sum of 6291456, 8388608, 16777216, 33554432, 134217728 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.1 %, 4 by 2.3 %
    {Choice::scan_ring_rounds, 8, 16},
    // u8 kept_50 of 16384, 32768 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 1 by 0.0 %, 2 by 19.4 %, 4 by 19.5 %
    {Choice::compact_block_rows, 1, 1},
    // u32 kept_50 of 4096, 8192 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.0 %, 1 by 4.8 %, 4 by 10.8 %
    {Choice::compact_block_rows, 4, 2},
    // u64 kept_50 of 2048, 4096 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.5 %, 1 by 5.9 %, 4 by 6.5 %
    {Choice::compact_block_rows, 8, 2},
    // u8 kept_50 of 262144, 524288 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 1 by 0.3 %, 2 by 17.3 %, 4 by 17.3 %
    {Choice::compact_cluster_rows, 1, 1},
    // u32 kept_50 of 65536, 131072 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.1 %, 1 by 4.2 %, 4 by 10.8 %
    {Choice::compact_cluster_rows, 4, 2},
    // u64 kept_50 of 32768, 65536 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 2 by 0.0 %, 1 by 5.3 %, 4 by 7.4 %
    {Choice::compact_cluster_rows, 8, 2},
    // u8 kept_50 of 6291456, 8388608, 12582912, 16777216, 25165824, 33554432 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.1 %, 1 by 15.8 %, 2 by 11.4 %, 3 by 9.2 %, 4 by 6.0 %, 8 by 0.0 %
    {Choice::compact_wave_groups, 1, 16},
    // u32 kept_50 of 1572864, 2097152, 3145728, 4194304, 6291456, 8388608 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.2 %, 1 by 9.3 %, 2 by 3.5 %, 3 by 2.0 %, 4 by 0.3 %, 8 by 0.2 %
    {Choice::compact_wave_groups, 4, 16},
    // u64 kept_50 of 786432, 1048576, 1572864, 2097152, 3145728, 4194304 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.2 %, 1 by 16.1 %, 2 by 8.4 %, 3 by 4.1 %, 4 by 0.2 %, 8 by 0.2 %
    {Choice::compact_wave_groups, 8, 16},
    // u8 kept_50 of 50331648, 67108864, 134217728, 268435456, 1073741824 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.0 %, 4 by 3.9 %
    {Choice::compact_ring_rounds, 1, 16},
    // u32 kept_50 of 12582912, 16777216, 33554432, 67108864, 268435456 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.0 %, 4 by 3.5 %
    {Choice::compact_ring_rounds, 4, 16},
    // u64 kept_50 of 6291456, 8388608, 16777216, 33554432, 134217728 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16 by 0.7 %, 4 by 0.3 %
    {Choice::compact_ring_rounds, 8, 16},
    // u32 two_level of 16777216, 268435456 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 4 by 0.0 %, 6 by 12.4 %, 8 by 2.7 %
    {Choice::tile_blocks, 4, 4},
    // u16 uniform of 2048, 4096, 8192 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 4096 by 0.1 %, 1024 by 40.0 %, 2048 by 16.5 %, 8192 by 4.7 %
    {Choice::rank_sort_keys, 2, 4096},
    // u32 uniform of 4096, 8192 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16384 by 0.0 %, 2048 by 73.0 %, 4096 by 12.8 %
    {Choice::rank_sort_keys, 4, 16384},
    // u64 uniform of 4096, 8192 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 16384 by 0.0 %, 2048 by 128.9 %, 4096 by 33.9 %
    {Choice::rank_sort_keys, 8, 16384},
    // u32 uniform of 16384, 32768, 65536 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 768 by 0.0 %, 512 by 2.9 %, 1024 by 3.5 %, 1536 by 6.3 %
    {Choice::resident_sort_share, 4, 768},
    // u64 uniform of 16384, 32768, 65536 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 768 by 1.2 %, 512 by 1.5 %, 1024 by 5.2 %, 1536 by 10.2 %
    {Choice::resident_sort_share, 8, 768},
    // u32 uniform of 1572864, 2097152, 2621440, 4194304 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 32768 by 0.1 %, 12288 by 0.1 %, 16384 by 0.2 %, 24576 by 0.2 %
    {Choice::sort_pipeline_share, 4, 32768},
    // u64 uniform of 1179648, 1572864, 2097152, 2621440 items; NVIDIA H200, commit cb1656e, 2026-11-21
    // slower than the best: 8192 by 4.7 %, 12288 by 1.5 %, 16384 by 2.6 %, 24576 by 18.7 %
    {Choice::sort_pipeline_share, 8, 12288},
};
// clang-format on

}  // namespace kogge::grid
