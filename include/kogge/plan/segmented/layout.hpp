// How the segments of a call are given, as far as plans depend on it.
#pragma once

#include <cstdint>

namespace kogge {

struct segment_layout {
    bool have_ends = false;           ///< begins and ends apart: gaps are kept
    bool are_stored = false;          ///< neither pointers nor rows: stored first, as integers of 64 bits
    bool writes_indices = false;      ///< an argsort: the one value array has no input
    bool indices_in_segment = false;  ///< indices count from the segment's first item
    std::uint64_t row_length = 0;     ///< of rows whose number the host knows, of keys that the library holds code for
};

}  // namespace kogge
