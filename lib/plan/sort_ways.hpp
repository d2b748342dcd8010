// The ways that sorts and splits go. choose_... looks whether a way takes the plan's keys, and then writes it down in
// the plan; those that return nothing take all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/plan.hpp"

namespace kogge::grid {

bool sorts_all_bits(const radix_sort_shape& shape);
// The digits of n keys that count; throws errc::invalid_argument for bits that are no range.
int digits_of(const char* call, std::uint64_t n, const radix_sort_shape& shape);

// ---- on chip, or without passes ------------------------------------------------------------------------

// Plans comparisons where two blocks a multiprocessor, all of them resident, have a lane for each key.
bool choose_comparing(radix_sort_plan& plan, const device_properties& device);

// Plans to count values where keys allow it.
bool choose_counting(radix_sort_plan& plan, const device_properties& device);
// With so many keys a multiprocessor, values of 8 or 16 bits are counted sooner than all blocks move keys.
bool counts_sooner(const radix_sort_plan& plan, const device_properties& device);
// Plans to count bytes in one block, where they are few but more than are compared in the same time.
bool choose_block_counting(radix_sort_plan& plan, const device_properties& device);
// Plans a split of few items, in which each block counts all of them.
bool choose_bin_counting(radix_sort_plan& plan);

// The threads of a sort by one block; 0: it does not fit.
int block_sort_threads(std::uint64_t n, std::size_t key_bytes, bool has_values, const device_properties& device);
// Of more keys, several blocks sort faster than one that could.
constexpr std::uint64_t block_sort_best(bool has_values, int passes) { return has_values || passes == 1 ? 4096 : 8192; }
void choose_block(radix_sort_plan& plan, int threads);

// Plans one launch where a grid of resident blocks holds all keys. The chosen share of keys is enough for a block: more
// blocks rank no sooner, and wait for each other longer.
bool choose_grid(radix_sort_plan& plan, const device_properties& device);

// ---- passes --------------------------------------------------------------------------------------------

// Plans passes, each by at least so many launches.
void choose_passes(radix_sort_plan& plan, bool may_pipeline, std::uint64_t least_parts,
                   const device_properties& device);

}  // namespace kogge::grid
