// Waves: whether the items of a scan, of runs or of a compaction fit the chip at once, and how.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/plan.hpp"
#include "tuning/tuning.hpp"

namespace kogge::grid {

inline int chosen_rows(Choice what, std::size_t item_bytes) { return static_cast<int>(chosen(what, item_bytes)); }

// The tiles of a wave.
struct Wave {
    int rows = 0;  // 0: the input does not fit
    int groups = 1;
    int packed_groups = 1;
    std::uint64_t tiles = 0;
    int counted_groups = 0;
    bool cluster = false, cooperative = false;
};
// What a wave keeps in shared memory beside its tables: marks (scans); one group of rows (runs, several arrays); groups
// (compactions).
enum class Staged { marks, one_group, groups };

// A single block if the items fit in few rows, because that needs no barrier between blocks; a cluster if they fit in
// few rows of its blocks, because its barrier takes half a microsecond where the grid's takes more than one; otherwise
// as many resident blocks as there are tiles. Always the fewest rows per thread, and then the fewest groups of them.
Wave plan_wave(std::uint64_t n, std::size_t item_bytes, std::size_t aggregate_bytes, int most_rows, Staged staged,
               const device_properties& device);

// A scan's wave whose blocks, two per multiprocessor, fill shared memory too. It needs work for most of them. (H200,
// 64-bit sums in a graph: 160 of 264 blocks 18.1 us, by a ring 17.9; 192 blocks 18.8 and 20.9.)
Wave plan_deep_wave(std::uint64_t n, const scan_shape& shape, const device_properties& device);

// A wave of a partition that counts the groups that do not fit the chip, and reads them again.
Wave plan_counted_wave(std::uint64_t n, std::size_t item_bytes, const device_properties& device);

}  // namespace kogge::grid
