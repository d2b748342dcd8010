#include "fuzz/sorts.hpp"

#include <algorithm>

namespace fuzz {

void order_places(const std::vector<uint128>& codes, std::uint64_t* begin, std::uint64_t* end) {
    std::stable_sort(begin, end, [&](std::uint64_t a, std::uint64_t b) { return codes[a] < codes[b]; });
}

}  // namespace fuzz
