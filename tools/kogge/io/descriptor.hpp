// All bytes of a read or write, which the system may do in parts. False: errno says why not.
#pragma once

#include <cstdint>

namespace kogge::command {

bool write_all(int descriptor, const void* from, std::uint64_t bytes);
/// The same at a place of a file.
bool write_all_at(int descriptor, std::uint64_t place, const void* from, std::uint64_t bytes);
/// A file that ends before is an error of input.
bool read_all_at(int descriptor, std::uint64_t place, void* to, std::uint64_t bytes);

}  // namespace kogge::command
