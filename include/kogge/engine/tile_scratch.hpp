// The scratch that holds the tile status of a launch. Plans carve it to measure it, launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"

namespace kogge::grid {

/// A published value of at most 32 bytes is split over 64-bit words with a flag each; a larger one has one flag.
constexpr bool slot_is_split(std::size_t bytes) { return bytes <= 32; }
constexpr int slot_words(std::size_t bytes) { return slot_is_split(bytes) ? static_cast<int>((bytes + 3) / 4) : 1; }

/// The memory of a Board for `tiles` tiles. Values of `large_value_bytes` bytes, if not 0, stand beside the words. The
/// first `zeroed` bytes from `ticket` must be zero before the launch.
struct BoardMemory {
    std::uint32_t* ticket;
    std::uint64_t* counter;  ///< a zeroed word for the caller's use
    std::uint64_t* words;
    void* values;
    std::size_t zeroed;
};
BoardMemory carve_board(detail::Carver& carver, std::uint64_t tiles, int words_per_slot, std::size_t large_value_bytes);

}  // namespace kogge::grid
