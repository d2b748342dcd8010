// What the candidates of compactions are asked: each checks whether its way takes the task, and if so
// returns its plan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/plan/compact.hpp"
#include "plan/tiles.hpp"

namespace kogge::grid {

struct CompactTask {
    std::uint64_t n;
    std::size_t item_bytes;
    bool keep_rejected;
    bool in_place;
    const device_properties& device;
};

std::optional<compact_plan> try_compact_wave(const CompactTask& task);

// The way's name and details, without its tiles.
std::string text_of(const compact_way& way);

// The tiles of a pipeline, of compactions and runs.
struct PipelineTiles {
    std::uint64_t tiles;
    std::uint64_t tile_items;
    std::uint32_t blocks;
    bool cooperative;  // so few that one launch may zero the tile status itself
};

// None if the device runs no pipelines, or there are fewer than two tiles. `item_bytes`: of the widest items.
inline std::optional<PipelineTiles> pipeline_tiles(std::uint64_t n, int items_per_thread, std::size_t item_bytes,
                                                   const device_properties& device) {
    const std::uint64_t tile_items = static_cast<std::uint64_t>(items_per_thread) * kRingThreads;
    const std::uint64_t tiles = divide_up(n, tile_items);
    if (!runs_rings(device) || tiles < 2) return std::nullopt;
    return PipelineTiles{tiles, tile_items,
                         blocks_for(tiles, static_cast<std::uint32_t>(std::max(device.multiprocessors, 1))),
                         is_one_launch(tiles, chosen(Choice::compact_ring_rounds, item_bytes), device)};
}

}  // namespace kogge::grid
