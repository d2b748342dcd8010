// Plans of top-k calls: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "kogge/plan/has_way.hpp"
#include "kogge/plan/launch_size.hpp"
#include "kogge/plan/radix_sort.hpp"

namespace kogge {

struct top_k_shape {
    std::size_t key_bytes;
    int begin_bit = 0;
    int end_bit = 0;
    bool writes_keys = true;
    std::size_t index_bytes = 0;  ///< of the indices written; 0: none are
    std::size_t value_bytes = 0;  ///< of the values written, of all arrays together; 0: none are
    bool merges_keys = false;     ///< as radix_sort_shape's
    bool are_floats = false;      ///< as radix_sort_shape's
    bool are_numbers = true;      ///< false for keys with a codec of their own
    int value_arrays = 0;         ///< of the values, if there are several
};

/// One launch; each key's place is the number of keys that come before it, counted by comparing it with all.
struct top_k_compare {
    launch_size launch;
};

/// One launch of resident blocks, which find a threshold, read the keys once, and put the candidates in order.
struct top_k_select {
    launch_size launch;
    bool cluster = false;        ///< the blocks are one thread-block cluster, or there is one block
    bool cooperative = false;    ///< the blocks are one cooperative grid
    std::uint64_t samples = 0;   ///< loads of 16 bytes for the threshold; 0: it follows from all keys, on chip
    int groups_per_block = 0;    ///< whose least keys the threshold is found among
    int groups = 0;              ///< in all; if fewer than blocks have, some of these count as one
    std::uint32_t places = 0;    ///< of candidates; were there more, keys are counted first
    std::uint32_t compared = 0;  ///< candidates that are put in order by comparing each with each
    std::size_t rank_bytes = 0;  ///< of a key's code and index
};

/// The whole array is sorted, keys or indices, and its front copied.
struct top_k_sort {
    radix_sort_plan sort;
    bool sorts_indices = false;  ///< by which keys and values are gathered
};

using top_k_way = std::variant<top_k_compare, top_k_select, top_k_sort>;

/// The first k of n keys in order.
struct top_k_plan : has_way<top_k_plan> {
    std::uint64_t n = 0;
    std::uint64_t k = 0;
    top_k_shape shape{};
    top_k_way way;
    int launches = 0;  ///< kernels, fills and copies, if n and k are known to the host
    std::size_t scratch_bytes = 0;
};
/// The fastest way whose scratch is at most `scratch_limit`. k is at most n. Throws as plan_radix_sort, and
/// errc::invalid_argument if k is greater than n.
top_k_plan plan_top_k(std::uint64_t n, std::uint64_t k, const top_k_shape& shape, const device_properties& device,
                      std::size_t scratch_limit = kNoLimit);

/// The way's name: "compare", "select" or "sort".
const char* to_string(const top_k_way& way);
std::string to_string(const top_k_plan& plan);

}  // namespace kogge
