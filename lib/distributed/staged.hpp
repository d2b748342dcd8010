// An exchange of memory that a transport does not reach: through arrays that it does.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "kogge/distributed/communicator.hpp"

namespace kogge::detail {

/// Of all pieces, outgoing or incoming ones.
template <class Pieces>
std::size_t bytes_of(const Pieces& pieces) {
    std::size_t bytes = 0;
    for (const auto& piece : pieces) bytes += piece.bytes;
    return bytes;
}

/// Calls exchange(to, from) for pieces in `sent` and `received`, which have room for all, and copies between these and
/// the given ones, in the order of `stream`. Waits.
template <class Exchange>
void exchange_staged(std::span<const communicator::outgoing> to, std::span<const communicator::incoming> from,
                     std::byte* sent, std::byte* received, stream_t stream, const Exchange& exchange) {
    std::vector<communicator::outgoing> staged_to(to.begin(), to.end());
    std::vector<communicator::incoming> staged_from(from.begin(), from.end());
    for (communicator::outgoing& piece : staged_to) {
        if (piece.bytes > 0) simt::copy(sent, piece.data, piece.bytes, stream);
        piece.data = std::exchange(sent, sent + piece.bytes);
    }
    simt::synchronize(stream);
    for (communicator::incoming& piece : staged_from) piece.data = std::exchange(received, received + piece.bytes);
    exchange(staged_to, staged_from);
    for (std::size_t r = 0; r < from.size(); ++r)
        if (from[r].bytes > 0) simt::copy(from[r].data, staged_from[r].data, from[r].bytes, stream);
    simt::synchronize(stream);
}

}  // namespace kogge::detail
