// Plans of unique and run-length encoding: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "kogge/plan/compact.hpp"
#include "kogge/plan/has_way.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// The output for each run of equal keys: its first item (unique), that and the value beside it (unique_by_key), or
/// that and its length (run_length_encode).
enum class runs_output { items, values, lengths };
struct runs_shape {
    std::size_t key_bytes;
    runs_output writes;
};

/// One launch whose blocks hold all keys on chip, one tile each, as those of a compact_wave.
struct runs_wave {
    bool cluster = false;      ///< the blocks are one thread-block cluster
    bool cooperative = false;  ///< the blocks are one cooperative grid
    int rows = 0;              ///< of 16 bytes per thread
};

/// Tiles in a pipeline, as those of a compact_pipeline. One more launch completes lengths.
struct runs_pipeline {
    bool cooperative = false;  ///< the launch zeroes the tile status; otherwise a fill does, before it
};

/// Intervals of keys, one per warp: the runs of each are counted, the counts scanned, and the runs written.
struct runs_intervals {
    std::uint64_t intervals = 0;
    std::size_t scan_bytes = 0;  ///< of the scratch, for the scan of the counts
};

/// A compact_way: unique keeps the first item of each run by this compaction.
using runs_way = std::variant<compact_way, runs_wave, runs_pipeline, runs_intervals>;

struct runs_plan : has_way<runs_plan> {
    runs_way way;
    std::uint64_t tiles = 0;
    std::uint64_t tile_items = 0;
    std::uint32_t blocks = 0;  ///< of the launch that writes runs
    int launches = 0;          ///< kernels and fills
    std::size_t scratch_bytes = 0;
};
/// The fastest way. Throws errc::invalid_argument for keys of no bytes, and for those that a compaction would take but
/// that are too wide for the device's chip.
runs_plan plan_runs(std::uint64_t n, const runs_shape& shape, const device_properties& device);

/// The way's name: "compaction", "wave", "pipeline" or "intervals".
const char* to_string(const runs_way& way);
std::string to_string(const runs_plan& plan);

}  // namespace kogge
