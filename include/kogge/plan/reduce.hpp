// Plans of reductions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "kogge/plan/has_way.hpp"
#include "kogge/plan/scan.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

struct reduce_shape {
    std::size_t item_bytes = 0;
    std::size_t accumulator_bytes = 0;
};

/// One launch of resident blocks, which meet once: one block, one cluster, or a cooperative grid.
struct reduce_wave {
    bool cluster = false;
    bool cooperative = false;
};
/// More blocks than are resident, so that a block that ends early is followed by another one. The last block to end
/// folds the aggregates of all. A fill precedes the launch.
struct reduce_blocks {};
using reduce_way = std::variant<reduce_wave, reduce_blocks>;

/// Each block folds its share of the items into one aggregate; the aggregates are folded in the order of the blocks.
struct reduce_plan : has_way<reduce_plan> {
    reduce_way way;
    std::uint32_t blocks = 1;
    int threads = 0;                ///< per block
    std::size_t shared_bytes = 0;   ///< per block
    int launches = 0;               ///< kernels and fills
    std::size_t scratch_bytes = 0;  ///< a workspace must hold this many
};
/// Throws errc::invalid_argument for items of no bytes, of more than 2^62 bytes in all, or with accumulators too wide
/// for a block's shared memory.
reduce_plan plan_reduce(std::uint64_t n, const reduce_shape& shape, const device_properties& device);

/// Sizes of one value and one sum, and the sum's alignment.
struct reduce_by_key_shape {
    std::size_t value_bytes = 0;
    std::size_t sum_bytes = 0;
    std::size_t sum_alignment = 0;
};
/// A reduction by key is planned as a scan by key whose sums carry the number of runs: a wave, a pipeline or tiles.
/// Throws as plan_scan.
scan_plan plan_reduce_by_key(std::uint64_t n, const reduce_by_key_shape& shape, const device_properties& device);

/// The way's name: "wave" or "blocks".
const char* to_string(const reduce_way& way);
std::string to_string(const reduce_plan& plan);

}  // namespace kogge
