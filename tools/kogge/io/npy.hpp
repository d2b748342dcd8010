// The header of a .npy file (format versions 1.0, 2.0 and 3.0).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "io/array.hpp"

namespace kogge::command {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";
/// Magic, version, and the first bytes of the length.
inline constexpr std::size_t kNpyPrefix = 12;

struct NpyHeader {
    Type type;
    std::uint64_t items;
    bool big_endian = false;
};

/// The length of the whole header, from its first kNpyPrefix bytes. `name` is the file's, for messages.
std::size_t npy_header_length(std::string_view prefix, const std::string& name);
/// Reads a whole header; throws for anything but numbers along one dimension: further ones may be of one item, and
/// there may be none at all.
NpyHeader parse_npy_header(std::string_view header, const std::string& name);
std::string make_npy_header(const NpyHeader& header);

}  // namespace kogge::command
