// Page-locked host memory of calls. The process keeps it from call to call, as the pools keep scratch of devices: the
// driver takes milliseconds to lock pages and to release them, and serves one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace kogge::detail {

/// Memory that is its owner's alone, from and to which all devices copy. It belongs to the context that is current when
/// it is taken, as memory of that device does.
class PinnedMemory {
public:
    PinnedMemory() = default;  ///< none
    /// Takes what an earlier owner has left, if that is enough. Throws errc::out_of_memory.
    explicit PinnedMemory(std::size_t bytes);
    /// What was queued with it must be done.
    ~PinnedMemory() { leave(); }
    PinnedMemory(PinnedMemory&& other) noexcept : piece_(std::exchange(other.piece_, {})) {}
    PinnedMemory& operator=(PinnedMemory&& other) noexcept {
        std::swap(piece_, other.piece_);
        return *this;
    }

    std::byte* data() const { return piece_.data; }
    /// At least as many as it was asked for.
    std::size_t bytes() const { return piece_.bytes; }

    struct Piece {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
        std::uint64_t context = 0;
        int device = -1;
    };

private:
    void leave() noexcept;
    Piece piece_;
};

/// Gives the current context's memory without an owner back to the system, but for so many bytes. Returns whether there
/// was any to give back.
bool trim_pinned(std::uint64_t bytes_to_keep);

}  // namespace kogge::detail
