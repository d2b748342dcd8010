// Plans of selections by rank: one struct per algorithm, and which of them a call takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kogge/plan/has_way.hpp"
#include "kogge/plan/histogram.hpp"
#include "kogge/plan/launch_size.hpp"
#include "kogge/plan/radix_sort.hpp"

namespace kogge {

struct select_shape {
    std::size_t key_bytes;
    int begin_bit = 0;
    int end_bit = 0;
    bool merges_keys = false;  ///< as radix_sort_shape's
    bool are_floats = false;   ///< as radix_sort_shape's
    bool are_numbers = true;   ///< false for keys with a codec of their own
};

/// One launch; each key's place is the number of keys that come before it, counted by comparing it with all.
struct select_compare {
    launch_size launch;
};

/// A digit of a key's code, or, of keys that their codes do not tell, of its index.
struct select_digit {
    bool of_index = false;
    int begin = 0;
    int bits = 0;
};

/// Keys are counted by their first digit; then those that agree with a wanted key in the digits so far, by the next
/// one, and so on. Two reads for keys of 32 bits. For more than two digits the second read lists what agrees in the
/// first one, if it is not too much, and the later ones read the list.
struct select_digits {
    std::vector<select_digit> digits;
    histogram_plan first;        ///< how the first digit is counted
    launch_size count;           ///< of the later ones
    launch_size find;            ///< that finds the wanted keys' digits
    std::uint64_t counters = 0;  ///< of all wanted keys, in the round that has most
    std::uint64_t places = 0;    ///< of the list
    std::size_t counter_bytes = 4;
    std::size_t rank_bytes = 0;  ///< of a key's code and index
};

/// The whole array is sorted, keys or indices.
struct select_sort {
    radix_sort_plan sort;
    bool sorts_indices = false;
    std::size_t index_bytes = 4;
};

using select_way = std::variant<select_compare, select_digits, select_sort>;

/// m keys of n by their ranks.
struct select_plan : has_way<select_plan> {
    std::uint64_t n = 0;
    std::uint64_t m = 0;
    select_shape shape{};
    select_way way;
    int launches = 0;  ///< kernels and fills, if n is known to the host
    std::size_t scratch_bytes = 0;
};
/// The fastest way whose scratch is at most `scratch_limit`. Throws as plan_radix_sort.
select_plan plan_select(std::uint64_t n, std::uint64_t m, const select_shape& shape, const device_properties& device,
                        std::size_t scratch_limit = kNoLimit);

/// The way's name: "compare", "digits" or "sort".
const char* to_string(const select_way& way);
std::string to_string(const select_plan& plan);

}  // namespace kogge
