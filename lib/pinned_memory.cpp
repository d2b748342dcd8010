#include "pinned_memory.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <vector>

#include "contexts.hpp"
#include "kogge/error.hpp"
#include "kogge/simt/runtime.hpp"

namespace kogge::detail {
namespace {

using Piece = PinnedMemory::Piece;

/// Of each context: for calls at the same time, which each take one.
constexpr std::size_t kMostKept = 4;

/// Pieces without an owner.
class Keeper {
public:
    /// The smallest piece of the context that has so many bytes; one without data: there is none.
    Piece take(std::uint64_t context, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        std::vector<Piece>& pieces = by_context_[context];
        const auto found = std::find_if(pieces.begin(), pieces.end(), [=](const Piece& p) { return p.bytes >= bytes; });
        if (found == pieces.end()) return {};
        const Piece piece = *found;
        pieces.erase(found);
        return piece;
    }
    /// Returns the piece that is one too many: the smallest one.
    Piece keep(const Piece& piece) {
        const std::lock_guard lock(mutex_);
        std::vector<Piece>& pieces = by_context_[piece.context];
        const auto larger =
            std::find_if(pieces.begin(), pieces.end(), [&](const Piece& p) { return p.bytes > piece.bytes; });
        pieces.insert(larger, piece);
        if (pieces.size() <= kMostKept) return {};
        const Piece smallest = pieces.front();
        pieces.erase(pieces.begin());
        return smallest;
    }
    /// Takes all pieces of the context, but for the largest ones that have at most so many bytes together.
    std::vector<Piece> take_all_but(std::uint64_t context, std::uint64_t bytes) {
        const std::lock_guard lock(mutex_);
        std::vector<Piece>& pieces = by_context_[context];
        std::vector<Piece> taken, kept;
        for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
            if (piece->bytes > bytes) {
                taken.push_back(*piece);
            } else {
                bytes -= piece->bytes;
                kept.insert(kept.begin(), *piece);
            }
        }
        pieces = kept;
        return taken;
    }
    bool has_any() const {
        const std::lock_guard lock(mutex_);
        return std::any_of(by_context_.begin(), by_context_.end(), [](const auto& of) { return !of.second.empty(); });
    }

private:
    mutable std::mutex mutex_;
    /// In ascending order. What a context has that is gone, of a device that was reset, went with it: its addresses
    /// must not be used, nor given back, as they may have become another's.
    std::map<std::uint64_t, std::vector<Piece>> by_context_;
};

/// Never destroyed: at the end of the process the driver may have gone before it, and other destructors may sort.
Keeper& keeper() {
    static Keeper& of_process = *new Keeper;
    return of_process;
}

}  // namespace

PinnedMemory::PinnedMemory(std::size_t bytes) {
    const std::uint64_t context = simt::context_number("allocate_pinned");
    piece_ = keeper().take(context, bytes);
    if (piece_.data) return;
    const std::size_t size = std::bit_ceil(bytes);  // so that a call with some more items finds it large enough
    const auto allocate = [&] { return static_cast<std::byte*>(simt::allocate_pinned(size)); };
    const int device = simt::current_device();
    std::byte* data = nullptr;
    try {
        data = allocate();
    } catch (const error& failure) {
        // What is kept in smaller pieces may be what is missing.
        if (failure.code() != errc::out_of_memory || !trim_pinned(0)) throw;
        data = allocate();
    }
    piece_ = {data, size, context, device};
}

void PinnedMemory::leave() noexcept {
    if (!piece_.data) return;
    try {
        piece_ = keeper().keep(piece_);
    } catch (...) {}  // there is no memory to note it in: it is given back
    if (!piece_.data) return;
    try {
        const simt::OnDevice current(piece_.device);
        simt::free_pinned(std::exchange(piece_.data, nullptr));
    } catch (...) {}  // the device has failed
}

bool trim_pinned(std::uint64_t bytes_to_keep) {
    if (!keeper().has_any()) return false;  // and perhaps no device either
    const std::vector<Piece> pieces = keeper().take_all_but(simt::context_number("trim"), bytes_to_keep);
    for (const Piece& piece : pieces) simt::free_pinned(piece.data);
    return !pieces.empty();
}

}  // namespace kogge::detail
