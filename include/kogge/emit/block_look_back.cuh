// The carries of a block's tiles where they are sums of outputs, which stop at the greatest number: the same as
// CarryFold (engine/carry.cuh), but all warps of the block look at the other blocks' sums, a thread a tile, because
// there are many where a multiprocessor has several blocks, and a warp alone would take a round trip to them after the
// other.
#pragma once

#include <cstdint>

#include "kogge/detail/caller_numbers.hpp"
#include "kogge/engine/carry.cuh"

namespace kogge::grid::KOGGE_CODE {

class BlockSums {
public:
    static constexpr int kWarps = 4;  ///< the first ones of the block
    struct Shared {
        alignas(16) std::uint64_t warps[kWarps];
    };

    KOGGE_DEVICE explicit BlockSums(const Slots<Tally>& slots) : slots_(slots) {}

    /// Waits for the sums of all tiles before this one since the last call, and adds them up by warps. All threads of
    /// the block call, with ascending tiles, and a block barrier must follow.
    KOGGE_DEVICE void collect(std::uint64_t tile, Shared& shared) {
        if (simt::warp_rank() >= kWarps) return;
        std::uint64_t sum = 0;
        while (seen_ < tile) {
            const std::uint64_t first = seen_ + static_cast<std::uint64_t>(simt::thread_rank());
            const int count = tile - seen_ < kBatch * kStep ? static_cast<int>(tile - seen_) : kBatch * kStep;
            Slots<Tally>::Look looks[kBatch] = {};
            const auto is_there = [&](int i) { return i * kStep + simt::thread_rank() < count; };
            // The lanes wait together: lanes that polled on their own would take turns at it.
            for (;;) {
                KOGGE_UNROLL
                for (int i = 0; i < kBatch; ++i)
                    if (is_there(i) && !looks[i].complete())
                        looks[i] = slots_.look(first + static_cast<std::uint64_t>(i * kStep));
                bool complete = true;
                KOGGE_UNROLL
                for (int i = 0; i < kBatch; ++i) complete = complete && (!is_there(i) || looks[i].complete());
                if (simt::all(complete)) break;
                simt::poll_pause();
            }
            KOGGE_UNROLL
            for (int i = 0; i < kBatch; ++i)
                if (is_there(i)) sum = detail::add_outputs(sum, slots_.value(0, looks[i]).value);
            seen_ += static_cast<std::uint64_t>(count);
        }
        KOGGE_UNROLL
        for (int lanes = 1; lanes < simt::kWarpSize; lanes *= 2)
            sum = detail::add_outputs(sum, simt::shuffle_xor(sum, lanes));
        if (simt::lane() == 0) shared.warps[simt::warp_rank()] = sum;
    }
    /// The sum of all tiles before the one that was collected last; once by every thread, behind the barrier.
    KOGGE_DEVICE std::uint64_t before(const Shared& shared) {
        KOGGE_UNROLL
        for (int w = 0; w < kWarps; ++w) sum_ = detail::add_outputs(sum_, shared.warps[w]);
        return sum_;
    }

private:
    static constexpr int kStep = kWarps * simt::kWarpSize;
    /// Tiles a thread, of which looks are in flight: as many as lie between two tiles of a block on a large device.
    static constexpr int kBatch = 5;

    Slots<Tally> slots_;
    std::uint64_t seen_ = 0;  ///< tiles
    std::uint64_t sum_ = 0;   ///< of them
};

}  // namespace kogge::grid::KOGGE_CODE
