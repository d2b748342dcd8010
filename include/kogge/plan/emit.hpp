// Plans of emissions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/simt/runtime.hpp"

namespace kogge {

/// Emission of up to `capacity` outputs of n items.
struct emit_plan {
    bool one_wave = false;     ///< on chip as a whole, a tile a block, by one launch
    bool cluster = false;      ///< the blocks of a wave are one thread-block cluster
    bool cooperative = false;  ///< they are resident at once
    int threads = 0;
    int items_per_thread = 0;
    std::uint64_t tiles = 0;
    std::uint32_t blocks = 0;
    int launches = 0;
    std::size_t scratch_bytes = 0;
};
/// `count_bytes`: 4 where the type of an item's number of outputs has no more bytes, otherwise 8. Throws
/// errc::invalid_argument of more items than one call takes, which are 2^43 at least.
emit_plan plan_emit(std::uint64_t n, std::uint64_t capacity, std::size_t count_bytes, const device_properties& device);

std::string to_string(const emit_plan& plan);

}  // namespace kogge
