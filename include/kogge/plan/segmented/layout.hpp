// How the segments of a call are given, as far as plans depend on it.
#pragma once

namespace kogge {

struct segment_layout {
    bool have_ends = false;           ///< begins and ends apart: gaps are kept
    bool are_stored = false;          ///< neither pointers nor rows: stored first, as integers of 64 bits
    bool writes_indices = false;      ///< an argsort: the one value array has no input
    bool indices_in_segment = false;  ///< indices count from the segment's first item
};

}  // namespace kogge
