// The whole library.
#pragma once

#include "kogge/arrays.hpp"                   // IWYU pragma: export
#include "kogge/buffer.hpp"                   // IWYU pragma: export
#include "kogge/calls/compact_indices.hpp"    // IWYU pragma: export
#include "kogge/calls/histogram.hpp"          // IWYU pragma: export
#include "kogge/calls/merge.hpp"              // IWYU pragma: export
#include "kogge/calls/reduce.hpp"             // IWYU pragma: export
#include "kogge/calls/reduce_by_key.hpp"      // IWYU pragma: export
#include "kogge/calls/scratch_bytes.hpp"      // IWYU pragma: export
#include "kogge/calls/search.hpp"             // IWYU pragma: export
#include "kogge/calls/segmented_argsort.hpp"  // IWYU pragma: export
#include "kogge/calls/segmented_reduce.hpp"   // IWYU pragma: export
#include "kogge/calls/segmented_scan.hpp"     // IWYU pragma: export
#include "kogge/calls/segmented_select.hpp"   // IWYU pragma: export
#include "kogge/calls/segmented_top_k.hpp"    // IWYU pragma: export
#include "kogge/calls/select.hpp"             // IWYU pragma: export
#include "kogge/calls/sort_columns.hpp"       // IWYU pragma: export
#include "kogge/compact_arrays.hpp"           // IWYU pragma: export
#include "kogge/error.hpp"                    // IWYU pragma: export
#include "kogge/exec.hpp"                     // IWYU pragma: export
#include "kogge/keys.hpp"                     // IWYU pragma: export
#include "kogge/operators.hpp"                // IWYU pragma: export
#include "kogge/partition.hpp"                // IWYU pragma: export
#include "kogge/plan.hpp"                     // IWYU pragma: export
#include "kogge/radix_sort.hpp"               // IWYU pragma: export
#include "kogge/ranges.hpp"                   // IWYU pragma: export
#include "kogge/reverse_scan.hpp"             // IWYU pragma: export
#include "kogge/runs.hpp"                     // IWYU pragma: export
#include "kogge/scan.hpp"                     // IWYU pragma: export
#include "kogge/segmented_sort.hpp"           // IWYU pragma: export
#include "kogge/top_k.hpp"                    // IWYU pragma: export
#include "kogge/traits.hpp"                   // IWYU pragma: export
#include "kogge/types/bins.hpp"               // IWYU pragma: export
#include "kogge/types/counts.hpp"             // IWYU pragma: export
