// Radix sorts of numbers, which the library holds ready for the device.
#include "fuzz/families.hpp"
#include "fuzz/sort_keys.hpp"

namespace fuzz {

void sort(Case& of) {
    switch (of.below(10)) {
        case 0:
            return sort_any<std::uint8_t, std::uint8_t>(of);
        case 1:
            return sort_any<std::uint16_t, std::uint64_t>(of);
        case 2:
            return sort_any<kogge::half, Bytes<16, 16>>(of);
        case 3:
            return sort_any<std::uint32_t, std::uint64_t>(of);
        case 4:
            return sort_any<std::int32_t, Bytes<12, 4>>(of);
        case 5:
            return sort_any<float, Bytes<16, 16>>(of);
        case 6:
            return sort_any<std::uint64_t, std::uint64_t>(of);
        case 7:
            return sort_any<std::int64_t, std::uint16_t>(of);
        case 8:
            return sort_any<double, Bytes<16, 16>>(of);
        default:
            return sort_any<uint128, std::uint64_t>(of);
    }
}

}  // namespace fuzz
