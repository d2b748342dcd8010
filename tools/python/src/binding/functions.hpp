// The functions of kogge.h that the module kogge._kogge lends to kogge._kogge_xla, which links no library of its own.
#pragma once

#include "kogge/kogge.h"

/// The capsule's name holds the version, so that modules of two builds do not meet.
inline constexpr char kFunctionsName[] = "kogge.functions 0.2";

struct Functions {
    decltype(&kogge_message) message;
    decltype(&kogge_radix_sort) radix_sort;
    decltype(&kogge_segmented_sort) segmented_sort;
    decltype(&kogge_radix_sort_pairs) radix_sort_pairs;
    decltype(&kogge_argsort) argsort;
    decltype(&kogge_segmented_argsort) segmented_argsort;
    decltype(&kogge_top_k) top_k;
    decltype(&kogge_arg_top_k) arg_top_k;
    decltype(&kogge_segmented_top_k) segmented_top_k;
    decltype(&kogge_scan) scan;
    decltype(&kogge_reduce) reduce;
    decltype(&kogge_segmented_reduce) segmented_reduce;
    decltype(&kogge_lower_bound) lower_bound;
    decltype(&kogge_upper_bound) upper_bound;
    decltype(&kogge_histogram_even) histogram_even;
    decltype(&kogge_histogram_bounds) histogram_bounds;
    decltype(&kogge_compact_flags) compact_flags;
    decltype(&kogge_nonzero) nonzero;
};

/// In the order of the struct's members.
inline constexpr Functions kFunctions{kogge_message,         kogge_radix_sort,
                                      kogge_segmented_sort,  kogge_radix_sort_pairs,
                                      kogge_argsort,         kogge_segmented_argsort,
                                      kogge_top_k,           kogge_arg_top_k,
                                      kogge_segmented_top_k, kogge_scan,
                                      kogge_reduce,          kogge_segmented_reduce,
                                      kogge_lower_bound,     kogge_upper_bound,
                                      kogge_histogram_even,  kogge_histogram_bounds,
                                      kogge_compact_flags,   kogge_nonzero};
