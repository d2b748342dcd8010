// All bytes of a read, write or copy, which the system may do in parts. False: errno says why not.
#pragma once

#include <cstdint>
#include <string>

namespace kogge::command {

bool write_all(int descriptor, const void* from, std::uint64_t bytes);
/// The same at a place of a file.
bool write_all_at(int descriptor, std::uint64_t place, const void* from, std::uint64_t bytes);
/// A file that ends before is an error of input.
bool read_all_at(int descriptor, std::uint64_t place, void* to, std::uint64_t bytes);
/// Cuts a file off behind its first bytes; there the descriptor is written on.
bool keep_first(int descriptor, std::uint64_t bytes);
/// The first bytes of a file; the descriptor that they go to is written on.
bool copy_all(int to, int from, std::uint64_t bytes);

/// So that no file that is opened later takes the number of a standard stream that is closed.
void open_standard_streams();
/// A new file in a directory, open and without a name; negative, with errno, where there are no such files.
int open_nameless(const std::string& directory);

}  // namespace kogge::command
