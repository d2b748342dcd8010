// Where a merge of two sorted inputs has come to after so many outputs: the merge path (O. Green, R. McColl, D. Bader,
// "GPU Merge Path: a GPU merging algorithm", 2012).
#pragma once

#include <cstdint>

#include "kogge/simt/config.hpp"

namespace kogge::detail {

/// How many of the first `outputs` outputs are items of `a`: between `low` and `high`, where
/// low = max(0, outputs − n_b) and high = min(outputs, n_a), or what is known better. Of equal items those of `a` come
/// first.
template <class Number, class A, class B, class Less>
KOGGE_HOST_DEVICE Number find_split(const A& a, const B& b, Number outputs, Number low, Number high, const Less& less) {
    while (low < high) {
        const Number middle = low + (high - low) / 2;
        if (static_cast<bool>(less(b[outputs - 1 - middle], a[middle]))) high = middle;
        else low = middle + 1;
    }
    return low;
}

}  // namespace kogge::detail
