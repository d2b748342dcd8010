// The functions of kogge.h that the module kogge._kogge lends to kogge._kogge_xla, which links no library of its own.
#pragma once

#include "kogge/kogge.h"

/// The capsule's name holds the version, so that modules of two builds do not meet.
inline constexpr char kFunctionsName[] = "kogge.functions 0.2";

struct Functions {
    decltype(&kogge_message) message = kogge_message;
    decltype(&kogge_radix_sort) radix_sort = kogge_radix_sort;
    decltype(&kogge_radix_sort_pairs) radix_sort_pairs = kogge_radix_sort_pairs;
    decltype(&kogge_radix_sort_columns) radix_sort_columns = kogge_radix_sort_columns;
    decltype(&kogge_radix_sort_columns_pairs) radix_sort_columns_pairs = kogge_radix_sort_columns_pairs;
    decltype(&kogge_argsort) argsort = kogge_argsort;
    decltype(&kogge_argsort_columns) argsort_columns = kogge_argsort_columns;
    decltype(&kogge_segmented_sort) segmented_sort = kogge_segmented_sort;
    decltype(&kogge_segmented_argsort) segmented_argsort = kogge_segmented_argsort;
    decltype(&kogge_top_k) top_k = kogge_top_k;
    decltype(&kogge_arg_top_k) arg_top_k = kogge_arg_top_k;
    decltype(&kogge_segmented_top_k) segmented_top_k = kogge_segmented_top_k;
    decltype(&kogge_select) select = kogge_select;
    decltype(&kogge_quantiles) quantiles = kogge_quantiles;
    decltype(&kogge_segmented_select) segmented_select = kogge_segmented_select;
    decltype(&kogge_scan) scan = kogge_scan;
    decltype(&kogge_scan_by_key) scan_by_key = kogge_scan_by_key;
    decltype(&kogge_segmented_scan) segmented_scan = kogge_segmented_scan;
    decltype(&kogge_reduce) reduce = kogge_reduce;
    decltype(&kogge_segmented_reduce) segmented_reduce = kogge_segmented_reduce;
    decltype(&kogge_reduce_by_key) reduce_by_key = kogge_reduce_by_key;
    decltype(&kogge_arg_min) arg_min = kogge_arg_min;
    decltype(&kogge_arg_max) arg_max = kogge_arg_max;
    decltype(&kogge_lower_bound) lower_bound = kogge_lower_bound;
    decltype(&kogge_upper_bound) upper_bound = kogge_upper_bound;
    decltype(&kogge_merge) merge = kogge_merge;
    decltype(&kogge_merge_pairs) merge_pairs = kogge_merge_pairs;
    decltype(&kogge_histogram_even) histogram_even = kogge_histogram_even;
    decltype(&kogge_histogram_bounds) histogram_bounds = kogge_histogram_bounds;
    decltype(&kogge_compact_flags) compact_flags = kogge_compact_flags;
    decltype(&kogge_nonzero) nonzero = kogge_nonzero;
    decltype(&kogge_partition) partition = kogge_partition;
    decltype(&kogge_partition_flags) partition_flags = kogge_partition_flags;
    decltype(&kogge_split) split = kogge_split;
    decltype(&kogge_unique) unique = kogge_unique;
    decltype(&kogge_run_length_encode) run_length_encode = kogge_run_length_encode;
};

inline constexpr Functions kFunctions;
