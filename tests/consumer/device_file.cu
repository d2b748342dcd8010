// A second file with the call of device_consumer.cu.
#include <cstdint>

#include "kogge/scan.hpp"
#include "xor.hpp"

void scan_once_more(std::uint32_t* items, std::uint64_t n) { kogge::inclusive_scan(items, items, n, Xor{}); }
