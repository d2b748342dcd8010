// An output that takes items and forgets them; as a place for a number of items, one that nobody reads.
#pragma once

#include <cstdint>

#include "kogge/simt/config.hpp"

namespace kogge {

struct discard {
    struct nothing {
        template <class Item>
        KOGGE_HOST_DEVICE const nothing& operator=(const Item&) const {
            return *this;
        }
    };
    KOGGE_HOST_DEVICE nothing operator[](std::uint64_t) const { return {}; }
};

}  // namespace kogge
