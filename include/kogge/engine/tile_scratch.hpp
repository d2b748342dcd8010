// The scratch through which the tiles of a launch learn what came before them, carved by plans to measure it and by
// launchers to use it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/exec.hpp"

namespace kogge::grid {

/// A published value of so many bytes is split over 64-bit words that each carry a flag; larger ones have one flag.
constexpr bool slot_is_split(std::size_t bytes) { return bytes <= 32; }
constexpr int slot_words(std::size_t bytes) { return slot_is_split(bytes) ? static_cast<int>((bytes + 3) / 4) : 1; }

/// The memory behind a Board for `tiles` tiles and values of `bytes` bytes. The first `zeroed` bytes at `ticket` must
/// be zero before the launch.
struct BoardMemory {
    std::uint32_t* ticket;
    std::uint64_t* counter;  ///< a zeroed word for the caller
    std::uint64_t* words;
    void* values;
    std::size_t zeroed;
};
BoardMemory carve_board(detail::Carver& carver, std::uint64_t tiles, int words_per_slot, std::size_t large_value_bytes);

}  // namespace kogge::grid
