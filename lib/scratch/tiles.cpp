// The scratch by which tiles learn of each other.
#include "kogge/engine/tile_scratch.hpp"

namespace kogge::grid {

BoardMemory carve_board(detail::Carver& carver, std::uint64_t tiles, int words_per_slot,
                        std::size_t large_value_bytes) {
    BoardMemory memory{};
    const std::size_t start = carver.used();
    memory.ticket = carver.take<std::uint32_t>(1);
    memory.counter = carver.take<std::uint64_t>(1);
    memory.words = carver.take<std::uint64_t>(tiles * static_cast<std::uint64_t>(words_per_slot));
    memory.zeroed = carver.used() - start;
    if (large_value_bytes > 0) memory.values = carver.take<unsigned char>(tiles * large_value_bytes);
    return memory;
}

}  // namespace kogge::grid
