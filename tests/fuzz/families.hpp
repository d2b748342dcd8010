// The families of calls. Each function makes one call of its family, with what the case chooses, and checks it. Those
// of distributed arrays are there where the library has such calls.
#pragma once

#include "fuzz/case.hpp"

namespace fuzz {

void scan_numbers(Case& of);
void scan_structs(Case& of);
void scan_reverse(Case& of);
void scan_by_key(Case& of);
void scan_segments(Case& of);
void merge(Case& of);
void search(Case& of);
void compact(Case& of);
void compact_arrays(Case& of);
void compact_indices(Case& of);
void compact_stencil(Case& of);
void partition(Case& of);
void partition_flags(Case& of);
void split(Case& of);
void emit(Case& of);
void unique(Case& of);
void unique_by_key(Case& of);
void run_length_encode(Case& of);
void sort(Case& of);
void sort_structs(Case& of);
void sort_columns(Case& of);
void segmented_sort(Case& of);
void segment_forms(Case& of);
void top_k(Case& of);
void segmented_top_k(Case& of);
void select(Case& of);
void segmented_select(Case& of);
void histogram(Case& of);
void reduce(Case& of);
void transform_reduce(Case& of);
void reduce_by_key(Case& of);
void key_arrays(Case& of);
void segmented_reduce(Case& of);
void ranges(Case& of);
void out_of_core_sort(Case& of);
#if FUZZ_DISTRIBUTED
void distributed_sort(Case& of);
void distributed_reduce(Case& of);
void distributed_scan(Case& of);
void distributed_compact(Case& of);
void distributed_unique(Case& of);
void distributed_reduce_by_key(Case& of);
void distributed_histogram(Case& of);
void distributed_top_k(Case& of);
#endif

struct Family {
    const char* name;
    void (*run)(Case&);
    unsigned weight;
};
inline constexpr Family kFamilies[] = {
    {"scan_numbers", scan_numbers, 3},
    {"scan_structs", scan_structs, 1},
    {"scan_reverse", scan_reverse, 1},
    {"scan_by_key", scan_by_key, 2},
    {"scan_segments", scan_segments, 2},
    {"merge", merge, 1},
    {"search", search, 1},
    {"compact", compact, 2},
    {"compact_arrays", compact_arrays, 1},
    {"compact_indices", compact_indices, 1},
    {"compact_stencil", compact_stencil, 1},
    {"partition", partition, 2},
    {"partition_flags", partition_flags, 1},
    {"split", split, 2},
    {"emit", emit, 1},
    {"unique", unique, 1},
    {"unique_by_key", unique_by_key, 1},
    {"run_length_encode", run_length_encode, 1},
    {"sort", sort, 5},
    {"sort_structs", sort_structs, 1},
    {"sort_columns", sort_columns, 2},
    {"segmented_sort", segmented_sort, 2},
    {"segment_forms", segment_forms, 2},
    {"top_k", top_k, 2},
    {"segmented_top_k", segmented_top_k, 2},
    {"select", select, 1},
    {"segmented_select", segmented_select, 1},
    {"histogram", histogram, 2},
    {"reduce", reduce, 2},
    {"transform_reduce", transform_reduce, 1},
    {"reduce_by_key", reduce_by_key, 2},
    {"key_arrays", key_arrays, 2},
    {"segmented_reduce", segmented_reduce, 2},
    {"ranges", ranges, 1},
    {"out_of_core_sort", out_of_core_sort, 1},
#if FUZZ_DISTRIBUTED
    {"distributed_sort", distributed_sort, 2},
    {"distributed_reduce", distributed_reduce, 1},
    {"distributed_scan", distributed_scan, 1},
    {"distributed_compact", distributed_compact, 1},
    {"distributed_unique", distributed_unique, 1},
    {"distributed_reduce_by_key", distributed_reduce_by_key, 1},
    {"distributed_histogram", distributed_histogram, 1},
    {"distributed_top_k", distributed_top_k, 1},
#endif
};

}  // namespace fuzz
