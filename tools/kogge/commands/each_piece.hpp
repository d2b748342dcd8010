// The pieces of an input, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "commands/commands.hpp"
#include "io/memory.hpp"
#include "io/pieces.hpp"

namespace kogge::command {

/// Calls f(piece) with the input's items from where it stands to its end, in arrays of as many items as `memory` holds
/// where each needs `bytes` (see piece_items); once at least, if only with an empty one.
template <class F>
void for_each_piece(OpenInput& input, std::uint64_t memory, std::size_t bytes, const F& f) {
    const std::uint64_t most = piece_items(memory, bytes);
    require_memory(most * bytes, "a piece of " + input.name(), "say less with --memory");
    Array piece(input.type(), most);
    for (std::uint64_t got = most; got == most;) {
        got = input.pieces().read(piece.data(), most);
        piece.shrink(got);
        f(piece);
    }
    input.end();
}

}  // namespace kogge::command
