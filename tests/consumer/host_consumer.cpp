// Sorts, sums and filters host memory; the status says whether the results are right.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/scan.hpp"

// host_file.cpp
void sort_and_sum(std::uint32_t* items, std::uint64_t n);
std::uint64_t keep_even(const std::uint32_t* items, std::uint64_t n, std::uint32_t* even);

int main() {
    std::vector<std::uint32_t> items = {5, 3, 9, 1, 7}, same = items;
    kogge::radix_sort(items.data(), items.size());
    if (items != std::vector<std::uint32_t>{1, 3, 5, 7, 9}) return 1;

    kogge::inclusive_scan(items.data(), items.data(), items.size());
    if (items != std::vector<std::uint32_t>{1, 4, 9, 16, 25}) return 2;

    std::vector<std::uint32_t> even(items.size());
    even.resize(kogge::compact(items.data(), even.data(), items.size(), [](std::uint32_t x) { return x % 2 == 0; }));
    if (even != std::vector<std::uint32_t>{4, 16}) return 3;

    sort_and_sum(same.data(), same.size());
    if (same != items) return 4;
    if (keep_even(same.data(), same.size(), even.data()) != 2 || even[1] != 16) return 5;
    std::puts("host consumer: right");
    return 0;
}
