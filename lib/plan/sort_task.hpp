// What the candidates of sorts and splits are asked: each checks whether its way takes the task, and if so
// returns its plan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kogge/plan/radix_sort.hpp"

namespace kogge::grid {

struct SortTask {
    std::uint64_t n;
    const radix_sort_shape& shape;
    const device_properties& device;
    int passes;                        // digits in the bit range
    std::size_t index_bytes = 0;       // 0: values travel with their keys
    bool may_pipeline = true;          // passes may have warps with roles
    std::uint64_t least_launches = 1;  // per pass

    // The bytes that move with a key: its value's, the value's index's, or none.
    std::size_t moved_bytes() const {
        return index_bytes > 0 ? index_bytes : shape.values.empty() ? 0 : shape.values[0].bytes;
    }
    bool has_values() const { return !shape.values.empty(); }
    // Codes are numbers of the keys' width, of which passes may have warps with roles; those of structs and bins are
    // not.
    bool codes_are_numbers() const { return !shape.merges_keys || shape.merges_floats; }
    std::uint64_t multiprocessors() const { return static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)); }

    // The plan of a way with this many passes and launches; launches that gather values are added, the scratch
    // measured.
    radix_sort_plan plan(const sort_way& way, int way_passes, int launches) const;
};

using Candidate = std::optional<radix_sort_plan> (*)(const SortTask&);
using MaybePlan = std::optional<radix_sort_plan>;

MaybePlan try_copy(const SortTask& task);
MaybePlan try_rank_sort(const SortTask& task);
// One block: if it is faster than several; and if it has room.
MaybePlan try_fast_block_sort(const SortTask& task);
MaybePlan try_block_sort(const SortTask& task);
bool fits_block_sort(const SortTask& task);
// Counting: by one block; by all blocks, if that is faster than moving keys; and by all blocks.
MaybePlan try_counting_in_block(const SortTask& task);
MaybePlan try_fast_counting(const SortTask& task);
MaybePlan try_counting(const SortTask& task);
MaybePlan try_resident_sort(const SortTask& task);
// Pipelined passes over fewer items than are worth it where another way takes them.
MaybePlan try_few_pipelined(const SortTask& task);
// Passes with at least task.least_launches launches each. Takes every task, or throws errc::invalid_argument for items
// that are too wide for the device's chip.
MaybePlan try_pass_sort(const SortTask& task);
MaybePlan try_small_split(const SortTask& task);

// Whether passes of this task are pipelined.
bool fits_pipeline(const SortTask& task);

// The number of digits to sort by, 0 without keys; throws errc::invalid_argument for an invalid bit range.
int digits_of(const char* call, std::uint64_t n, const radix_sort_shape& shape);

}  // namespace kogge::grid
