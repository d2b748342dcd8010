// Byte flags, read in loads as wide as the piece of items beside them allows.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The flags of one piece of items.
template <int count>
struct alignas(count < 4 ? 4 : count) Flags {
    static constexpr int kWords = count < 4 ? 1 : count / 4;
    std::uint32_t words[std::size_t{kWords}] = {};  ///< four flags each

    KOGGE_DEVICE void read(const std::uint8_t* from, int size) {
        using Narrow = std::conditional_t<count == 1, std::uint8_t, std::uint16_t>;
        if (size >= count && reinterpret_cast<std::uintptr_t>(from) % count == 0) {
            if constexpr (count < 4) words[0] = *reinterpret_cast<const Narrow*>(from);
            else *this = *reinterpret_cast<const Flags*>(from);
        } else {
            *this = {};
            KOGGE_UNROLL
            for (int i = 0; i < count; ++i)
                if (i < size) words[i / 4] |= static_cast<std::uint32_t>(from[i]) << (8 * (i % 4));
        }
    }
    /// One bit per flag, set where the flag is not 0.
    KOGGE_DEVICE std::uint32_t bits() const {
        std::uint32_t all = 0;
        KOGGE_UNROLL
        for (int w = 0; w < kWords; ++w) {
            // The highest bit of each byte that is not 0; then these four bits are moved side by side.
            const std::uint32_t set = (((words[w] & 0x7f7f7f7fu) + 0x7f7f7f7fu) | words[w]) >> 7 & 0x01010101u;
            all |= (set * 0x10204080u >> 28) << (4 * w);
        }
        return all;
    }
};

}  // namespace kogge::grid::KOGGE_CODE
