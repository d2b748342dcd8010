// The arrays of a sort or split, as its launches hand them on.
#pragma once

#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/plan/radix_sort.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Value>
struct SortArrays {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;

    const Key* keys_in;
    Key* keys_out;           ///< null: no keys are written (argsort)
    const Value* values_in;  ///< null: a value is its key's index
    Value* values_out;
    Count n;

    /// An output is its input.
    bool in_place() const { return keys_in == keys_out || (values_in == values_out && values_in != nullptr); }
};

inline simt::LaunchShape shape_of(const launch_size& size, stream_t stream, const char* name,
                                  bool cooperative = false) {
    return {size.blocks, static_cast<std::uint32_t>(size.threads), size.shared_bytes, stream, name, cooperative};
}

}  // namespace kogge::grid::KOGGE_CODE
