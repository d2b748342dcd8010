// The scratch of sorts and splits, carved by plans to measure it and by launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"
#include "kogge/plan.hpp"

namespace kogge::grid {

struct Batch;
struct LargeBucket;
struct LargeList;
struct Places;

/// What the passes of a split share.
struct PassMemory {
    void* control = nullptr;              ///< a PassControl
    std::uint32_t* tickets = nullptr;     ///< one a launch
    std::uint64_t* histograms = nullptr;  ///< passes × kBins; turned into the starts of the bins
    /// Two tables of look_back_words(look_back_rows); later a row per slice of large buckets.
    std::uint64_t* counts = nullptr;
    std::size_t zeroed = 0;  ///< bytes from `control` to the first table's end, zero before the first launch
    std::uint32_t* moves = nullptr;
    std::uint64_t* next_starts = nullptr;  ///< 2 × kBins, where a pass takes several launches
    void* keys = nullptr;                  ///< n keys, n values: the place that takes turns with the output
    void* values = nullptr;
    void* more_keys = nullptr;  ///< stands for the output where that takes no keys
    Places* bounds = nullptr;   ///< of buckets: one more than slices
    Batch* batches = nullptr;
    std::uint64_t* listed = nullptr;  ///< [large_levels]: large buckets and slices per level
    std::uint32_t* drawn = nullptr;   ///< [2][large_levels]: slices drawn, and done
    LargeBucket* large = nullptr;     ///< two lists
    std::uint32_t* owners = nullptr;
    std::uint64_t levels = 0, most_large = 0, most_slices = 0;

    LargeList large_list(int number) const;
};

/// What the blocks of a sort by one cooperative launch share. Nothing in it need be zero.
struct ResidentSortMemory {
    std::uint32_t* counts = nullptr;  ///< of each pass, and of one by buckets: count_exchange_words(blocks, kBins)
    std::uint32_t* quantile_counts = nullptr;  ///< count_exchange_words(blocks, kQuantileBins)
    void* samples = nullptr;                   ///< codes: 32 a block, and these in order
    std::uint32_t* outcome = nullptr;          ///< a ResidentOutcome
    std::uint32_t* moved = nullptr;
    std::uint32_t* disorder = nullptr;
    std::uint32_t* ordered = nullptr;  ///< one a block
    void* keys = nullptr;              ///< n keys, n values: the place that takes turns with the output
    void* values = nullptr;
    void* more_keys = nullptr;  ///< stands for the output where that takes no keys
};

struct SortMemory {
    PassMemory passes{};
    ResidentSortMemory resident{};
    std::uint64_t* value_counts = nullptr;
    void* indices = nullptr;
    void* gathered = nullptr;  ///< a copy of the widest value array that is sorted in place
};
SortMemory carve_radix_sort(detail::Carver& carver, const radix_sort_plan& plan);

}  // namespace kogge::grid
