// The calls of host_consumer.cpp once more, in a second file, after macros such as windows.h defines.
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) < (b) ? (b) : (a))
#include <kogge/kogge.hpp>

void sort_and_sum(std::uint32_t* items, std::uint64_t n) {
    kogge::radix_sort(items, n);
    kogge::inclusive_scan(items, items, n);
}

std::uint64_t keep_even(const std::uint32_t* items, std::uint64_t n, std::uint32_t* even) {
    return kogge::compact(items, even, n, [](std::uint32_t x) { return x % 2 == 0; });
}
