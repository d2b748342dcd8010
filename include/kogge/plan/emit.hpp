// Plans of emissions: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "kogge/plan/has_way.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// One launch whose blocks hold all items on chip, one tile each; further blocks only make outputs of large tiles.
struct emit_wave {
    bool cluster = false;      ///< the blocks are one thread-block cluster
    bool cooperative = false;  ///< the blocks are one cooperative grid
    int items_per_thread = 0;
};

/// Tiles in shared memory, drawn by the blocks one after another, after a fill that zeroes the tile status.
struct emit_tiles {};

using emit_way = std::variant<emit_wave, emit_tiles>;

/// Emission of up to `capacity` outputs of n items.
struct emit_plan : has_way<emit_plan> {
    emit_way way;
    std::uint64_t tiles = 0;
    std::uint64_t tile_items = 0;
    std::uint32_t blocks = 0;
    int launches = 0;  ///< kernels and fills
    std::size_t scratch_bytes = 0;
};
/// `count_bytes`: 4 if the type of an item's number of outputs has at most 4 bytes, else 8. Throws
/// errc::invalid_argument for more items than one call takes (at least 2^43).
emit_plan plan_emit(std::uint64_t n, std::uint64_t capacity, std::size_t count_bytes, const device_properties& device);

/// The way's name: "wave" or "tiles".
const char* to_string(const emit_way& way);
std::string to_string(const emit_plan& plan);

}  // namespace kogge
