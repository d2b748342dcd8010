// Plans of radix sorts and of splits into bins: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kogge/exec.hpp"
#include "kogge/plan/has_way.hpp"
#include "kogge/plan/launch_size.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge {

/// The layout of one value array of a sort.
struct value_layout {
    std::size_t bytes;
    std::size_t alignment;
};

struct radix_sort_shape {
    std::size_t key_bytes;
    int begin_bit = 0;
    int end_bit = 0;
    bool in_place = true;                ///< some output is its input
    bool writes_keys = true;             ///< false for argsort
    std::vector<value_layout> values{};  ///< none: keys only
    bool merges_keys = false;            ///< different keys may be equal: structs, some float orders, bins
    bool are_floats = false;             ///< compared by all their bits: -0 < +0, NaNs by sign
    bool merges_floats = false;          ///< `merges_keys` of floats: equal zeros, or NaNs that are equal
};

/// No bits to sort by: keys and values are copied.
struct copy_way {};

/// One launch; each key's place is the number of keys that come before it, counted by comparing it with all.
struct rank_sort {
    launch_size launch;
};

/// One launch of one block, which does all passes on chip.
struct block_sort {
    launch_size launch;
    int items_per_thread = 0;
};

/// Keys of 8 or 16 bits without values: each value is counted, and written as often as it occurs.
struct counting_sort {
    launch_size count;
    std::optional<launch_size> fill;  ///< none: one block counts and fills
};

/// One cooperative launch, whose blocks hold all keys on chip.
struct resident_sort {
    launch_size launch;
    int items_per_thread = 0;
    std::uint64_t block_items = 0;   ///< per block; the last block may hold fewer
    std::uint32_t bucket_items = 0;  ///< keys go by buckets of at most this many keys each; 0: by digits only
    /// Keys that are not uniform go by buckets between quantiles, of at most this many keys each; 0: by digits.
    std::uint32_t quantile_items = 0;
    bool checks_order = false;  ///< passes rank in arrival order; the result is checked, and sorted again if wrong
};

/// Neighbouring buckets of uniform keys are sorted together on chip, by one scatter.
struct span_plan {
    int threads = 0;           ///< per block
    std::uint64_t places = 0;  ///< of the array, per span
    std::uint32_t spans = 0;
    std::uint32_t blocks = 0;
    bool samples_values = false;  ///< buckets may be intervals of the floats' values, if a sample finds them uniform
};

/// The device may choose passes over the leading digits alone. The buckets that these leave are sorted on chip, as
/// spans or as batches of neighbouring buckets, and those that do not fit by all blocks together.
struct prefix_plan {
    std::optional<span_plan> spans;
    std::uint64_t batch_places = 0;  ///< of the array, per batch
    std::uint32_t bound_blocks = 0, batch_blocks = 0, large_blocks = 0;
};

/// Passes over the whole array, one per digit, least significant first.
struct pass_sort {
    launch_size pass;        ///< of each launch
    bool pipelined = false;  ///< warps have roles: loading, ranking and storing overlap (sm_90)
    int items_per_thread = 0;
    std::uint64_t tile_items = 0;
    std::uint64_t tiles = 0;
    std::uint64_t tiles_per_launch = 0;
    std::uint32_t launches_per_pass = 0;
    std::uint64_t look_back_rows = 0;  ///< of the tables in which the tiles of a launch publish their counts
    std::uint32_t histogram_blocks = 0;
    int digits_per_read = 0;    ///< counted by one launch of the histogram
    bool many_stripes = false;  ///< in the histogram's blocks, of counters
    std::optional<prefix_plan> prefix;
};

/// A split of few items in one launch, in which each block counts all of them.
struct small_split {
    launch_size launch;
    std::uint64_t block_items = 0;
};

using sort_way = std::variant<copy_way, rank_sort, block_sort, counting_sort, resident_sort, pass_sort, small_split>;

struct radix_sort_plan : has_way<radix_sort_plan> {
    std::uint64_t n = 0;
    radix_sort_shape shape{};
    sort_way way;
    int passes = 0;               ///< over digits; 0: the way takes none
    std::size_t index_bytes = 0;  ///< 0: values travel with the keys; else indices do, and values are gathered by them
    int launches = 0;             ///< kernels, fills and copies
    std::size_t scratch_bytes = 0;  ///< a workspace must hold this many
};
/// The fastest way whose scratch is at most `scratch_limit`. Throws errc::out_of_memory, naming the least, if there is
/// none, and errc::invalid_argument for an invalid bit range, and for keys or values without bytes or too wide for
/// the device.
radix_sort_plan plan_radix_sort(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device,
                                std::size_t scratch_limit = kNoLimit);
/// A split into bins is a sort by the bits [0, log2(bins)) of the bin number; values always travel with their keys.
radix_sort_plan plan_split(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device);

/// The way's name: "rank_sort", "pass_sort", ….
const char* to_string(const sort_way& way);
std::string to_string(const radix_sort_plan& plan);

}  // namespace kogge
