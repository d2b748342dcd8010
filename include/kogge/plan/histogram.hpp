// Plans of histograms: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "kogge/plan/has_way.hpp"
#include "kogge/plan/launch_size.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

struct histogram_shape {
    std::size_t item_bytes = 4;     ///< read per item, weight included
    std::size_t counter_bytes = 4;  ///< of a count, or of a sum of weights
    bool weighted = false;
};

/// Blocks that count in their own shared memory: parts of the input, or of each row, and add their counters up in the
/// counts, or, where one block counts all items of a row, store them.
struct histogram_blocks {
    launch_size launch;
    bool narrow = false;           ///< counters of 16 bits, which are looked through before one can overflow
    int copies_log2 = 0;           ///< copies of each counter, so that lanes with equal items seldom meet
    std::uint32_t ranges = 1;      ///< of the bins; a block counts those of one
    std::uint32_t range_bins = 0;  ///< bins of a range; the last one may have fewer
    std::uint32_t parts = 1;       ///< blocks that share a row and a range
    bool adds = false;             ///< counters are added to zeroed counts
    bool zeroes = false;           ///< the blocks zero these, and meet before they add; otherwise a fill precedes
    bool tickets = false;          ///< the last part of the input is drawn by tickets
};

/// A warp per row, with counters of its own in shared memory.
struct histogram_warps {
    launch_size launch;
};

/// Counts are added to in global memory; a block keeps those of bins that it has met before others in shared memory.
struct histogram_atomics {
    launch_size launch;
    std::uint32_t parts = 1;  ///< blocks that share a row
};

using histogram_way = std::variant<histogram_blocks, histogram_warps, histogram_atomics>;

/// A histogram of each of `rows` rows of `length` items.
struct histogram_plan : has_way<histogram_plan> {
    std::uint64_t length = 0;
    std::uint64_t rows = 1;
    std::uint32_t bins = 0;
    histogram_shape shape{};
    histogram_way way;
    std::uint64_t most = 0;  ///< items of a row that one launch counts
    int launches = 0;        ///< kernels and fills, if the number of items is known to the host
    std::size_t scratch_bytes = 0;
};
histogram_plan plan_histogram(std::uint64_t length, std::uint64_t rows, std::uint32_t bins,
                              const histogram_shape& shape, const device_properties& device);

/// The way's name: "blocks", "warps" or "atomics".
const char* to_string(const histogram_way& way);
std::string to_string(const histogram_plan& plan);

}  // namespace kogge
