// The course of a sort by devices that hold a batch of the items at a time.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "kogge/host/machine/processors.hpp"
#include "kogge/host/machine/scratch.hpp"
#include "kogge/host/machine/threads.hpp"
#include "out_of_core/crossings.hpp"

namespace kogge::detail {
namespace {

/// Fewer items are not worth a batch, whatever the limit.
constexpr std::uint64_t kLeastItems = 1000;
/// Items of fewer bytes are no faster on several devices, or in several batches.
constexpr std::uint64_t kFewBytes = std::uint64_t{32} << 20;
/// A device stands still while its first batch comes and its last one goes.
constexpr std::uint64_t kBatchesPerDevice = 24;

/// An array, or a copy of it in scratch.
struct Items {
    std::byte* data;
    std::size_t item_bytes;
    bool is_pinned;

    HostPiece piece(std::uint64_t first, std::uint64_t n) const {
        return {data + first * item_bytes, n * item_bytes, is_pinned};
    }
};
using Arrays = std::vector<Items>;

Items items_of(const std::byte* data, std::size_t item_bytes) {
    // What is only read is given as a Batch's `from` alone.
    return {const_cast<std::byte*>(data), item_bytes, simt::location_of(data).memory == simt::Memory::pinned};
}

class SortInBatches {
public:
    SortInBatches(const char* call, std::span<const HostArray> arrays, std::uint64_t n, const BatchSort& types,
                  const out_of_core::exec& how)
        : call_(call), n_(n), types_(types), host_threads_(how.host_threads) {
        std::vector<std::size_t> sizes;
        for (const HostArray& array : arrays) {
            in_.push_back(items_of(array.in, array.item_bytes));
            out_.push_back(items_of(array.out, array.item_bytes));
            sizes.push_back(array.item_bytes);
            bytes_ += n * array.item_bytes;
        }
        crossings_ = std::make_unique<Crossings>(call, how, BatchWork{sizes, types.sort});
    }

    void run() {
        if (n_ == 0 || sorts_at_once()) return;
        take_memory();
        sort_batches();
        const std::vector<Batch> parts = parts_of_whole();
        try {
            crossings_->run(parts);
        } catch (...) {
            for (std::size_t a = 0; a < in_.size(); ++a)
                if (in_[a].data == out_[a].data) copy(sorted_[a], out_[a]);
            throw;
        }
    }

private:
    /// All items on one device, if they fit it, and more devices are of no use. Returns whether it has sorted them.
    bool sorts_at_once() {
        if (crossings_->devices() > 1 && bytes_ > kFewBytes) return false;
        if (crossings_->most_items(n_, 1) < n_ || !takes(n_, 1)) return false;
        Batch all{.items = n_, .from = {}, .to = {}};
        for (const Items& array : in_) all.from.push_back({array.piece(0, n_)});
        for (const Items& array : out_) all.to.push_back(array.piece(0, n_));
        crossings_->run({&all, 1});
        return true;
    }

    bool takes(std::uint64_t items, int at_once) {
        const std::uint64_t batches = host::divide_up(n_, items);
        try {
            crossings_->take_memory(items, n_ - (batches - 1) * items, at_once, batches);
            return true;
        } catch (const error& failure) {
            if (failure.code() != errc::out_of_memory) throw;
            return false;
        }
    }

    /// Decides how many items are a batch, and takes memory for all that follows.
    void take_memory() {
        const std::uint64_t most = crossings_->most_items(n_, Crossings::kInFlight);
        const std::uint64_t wanted =
            std::max(host::divide_up(n_, kBatchesPerDevice * crossings_->devices()), kFewBytes / (bytes_ / n_));
        const std::uint64_t least = std::min(n_, kLeastItems);
        for (batch_ = std::min(wanted, most);; batch_ -= host::divide_up(batch_, 3)) {
            if (batch_ < least)
                throw error(errc::out_of_memory, call_,
                            "a device, or exec.device_memory_limit, has no room for " +
                                std::to_string(Crossings::kInFlight) + " batches of " + std::to_string(least) +
                                " items");
            if (takes(batch_, Crossings::kInFlight)) break;
        }
        batches_ = host::divide_up(n_, batch_);
        for (const Items& array : in_) {
            memory_.emplace_back(host::allocate_scratch(call_, n_, array.item_bytes), std::free);
            sorted_.push_back(items_of(static_cast<std::byte*>(memory_.back().get()), array.item_bytes));
        }
        for (std::uint64_t b = 0; b <= batches_; ++b) begins_.push_back(std::min(b * batch_, n_));
    }

    void sort_batches() {
        std::vector<Batch> batches;
        for (std::uint64_t b = 0; b < batches_; ++b) {
            const std::uint64_t first = begins_[b], items = begins_[b + 1] - first;
            Batch batch{.items = items, .from = {}, .to = {}};
            for (const Items& array : in_) batch.from.push_back({array.piece(first, items)});
            for (const Items& array : sorted_) batch.to.push_back(array.piece(first, items));
            batches.push_back(std::move(batch));
        }
        crossings_->run(batches);
    }

    /// The items between two cuts, gathered from all sorted batches. Parts are as long as batches.
    std::vector<Batch> parts_of_whole() const {
        std::vector<std::vector<std::uint64_t>> cuts(batches_ + 1);
        host::for_chunks(batches_ + 1, 1, threads(), [&](const host::Chunk& chunk) {
            cuts[chunk.index] = types_.cut(sorted_[0].data, begins_, begins_[chunk.index]);
        });
        std::vector<Batch> parts;
        for (std::uint64_t p = 0; p < batches_; ++p) {
            const std::uint64_t items = begins_[p + 1] - begins_[p];
            Batch part{.items = items, .from = {}, .to = {}};
            for (const Items& array : sorted_) {
                std::vector<HostPiece> pieces;
                for (std::uint64_t b = 0; b < batches_; ++b)
                    if (cuts[p][b] < cuts[p + 1][b])
                        pieces.push_back(array.piece(begins_[b] + cuts[p][b], cuts[p + 1][b] - cuts[p][b]));
                part.from.push_back(std::move(pieces));
            }
            for (const Items& array : out_) part.to.push_back(array.piece(begins_[p], items));
            parts.push_back(std::move(part));
        }
        return parts;
    }

    int threads() const { return host_threads_ > 0 ? host_threads_ : static_cast<int>(host::usable_processors()); }
    void copy(const Items& from, const Items& to) const {
        host::copy_items(to.data, from.data, n_ * to.item_bytes, threads());
    }

    const char* call_;
    std::uint64_t n_;
    const BatchSort& types_;
    int host_threads_;
    std::uint64_t bytes_ = 0;  ///< of all items
    Arrays in_, out_, sorted_;
    std::vector<std::unique_ptr<void, void (*)(void*)>> memory_;
    std::unique_ptr<Crossings> crossings_;
    std::uint64_t batch_ = 0, batches_ = 0;  ///< items of a batch, and how many batches
    std::vector<std::uint64_t> begins_;      ///< of the batches, and n
};

}  // namespace

void sort_in_batches(const char* call, std::span<const HostArray> arrays, std::uint64_t n, const BatchSort& types,
                     const out_of_core::exec& how) {
    const host::CallerFunctions functions(call);
    SortInBatches(call, arrays, n, types, how).run();
}

}  // namespace kogge::detail
