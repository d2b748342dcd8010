// Plans of merges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "kogge/simt/runtime.hpp"

namespace kogge {

/// One launch. Each block merges consecutive tiles of the output.
struct merge_plan {
    std::uint64_t n = 0;  ///< outputs
    std::uint64_t tiles = 0;
    std::uint64_t tile_items = 0;
    int items_per_thread = 0;
    std::uint32_t blocks = 0;
    std::size_t shared_bytes = 0;  ///< of a block
    int launches = 0;
    std::size_t scratch_bytes = 0;  ///< none
};
/// Of n_a and n_b items of `item_bytes` bytes (keys, if values move with them). Throws errc::invalid_argument for items
/// of no bytes, or of more than 2^62 bytes in all.
merge_plan plan_merge(std::uint64_t n_a, std::uint64_t n_b, std::size_t item_bytes, const device_properties& device);
template <class Item>
merge_plan plan_merge(std::uint64_t n_a, std::uint64_t n_b, const device_properties& device) {
    return plan_merge(n_a, n_b, sizeof(Item), device);
}
std::string to_string(const merge_plan& plan);

}  // namespace kogge
