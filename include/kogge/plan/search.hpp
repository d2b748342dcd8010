// Plans of searches for many needles in a sorted range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "kogge/plan/has_way.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// A warp searches for one needle, with 32 probes at a time: for few needles, the sooner found.
struct search_by_warps {};
/// A thread searches for several needles side by side; the top levels of all searches are on chip.
struct search_by_threads {
    std::size_t shared_bytes = 0;  ///< of a block; 0: nothing is kept on chip
};
using search_way = std::variant<search_by_warps, search_by_threads>;

struct search_plan : has_way<search_plan> {
    search_way way;
    std::uint64_t tiles = 0;
    std::uint64_t tile_items = 0;  ///< needles
    std::uint32_t blocks = 0;
    int launches = 0;
    std::size_t scratch_bytes = 0;  ///< none
};
/// Of `needles` needles in n sorted items of `item_bytes` bytes. Throws errc::invalid_argument for items of no bytes,
/// or of more than 2^62 bytes in all.
search_plan plan_search(std::uint64_t n, std::uint64_t needles, std::size_t item_bytes,
                        const device_properties& device);
template <class Item>
search_plan plan_search(std::uint64_t n, std::uint64_t needles, const device_properties& device) {
    return plan_search(n, needles, sizeof(Item), device);
}

/// The way's name: "by warps" or "by threads".
const char* to_string(const search_way& way);
std::string to_string(const search_plan& plan);

}  // namespace kogge
