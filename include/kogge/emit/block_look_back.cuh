// The carries of a block's tiles for sums of outputs, which saturate at the greatest number. As CarryFold
// (engine/carry.cuh), but several warps of the block read the other blocks' sums, one tile per thread. Many sums lie
// between two tiles of a block where a multiprocessor has several blocks, and a single warp would need several round
// trips in a row.
#pragma once

#include <cstdint>

#include "kogge/detail/caller_numbers.hpp"
#include "kogge/engine/carry.cuh"

namespace kogge::grid::KOGGE_CODE {

class BlockSums {
public:
    static constexpr int kWarps = 4;  ///< the first warps of the block
    struct Shared {
        alignas(16) std::uint64_t warps[kWarps];
    };

    KOGGE_DEVICE explicit BlockSums(const Slots<Tally>& slots) : slots_(slots) {}

    /// Waits for the sums of all tiles from the previous call's tile up to this one, exclusive, and adds them up per
    /// warp. All threads of the block call, with ascending tiles, and a block barrier must follow.
    KOGGE_DEVICE void collect(std::uint64_t tile, Shared& shared) {
        if (simt::warp_rank() >= kWarps) return;
        std::uint64_t sum = 0;
        while (seen_ < tile) {
            const std::uint64_t first = seen_ + static_cast<std::uint64_t>(simt::thread_rank());
            const int count = tile - seen_ < kBatch * kStep ? static_cast<int>(tile - seen_) : kBatch * kStep;
            Slots<Tally>::Look looks[kBatch] = {};
            const auto is_there = [&](int i) { return i * kStep + simt::thread_rank() < count; };
            // The lanes wait together, because lanes that polled separately would be serialised.
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
    /// The sum of all tiles before the tile that was collected last. Every thread calls once, after the barrier.
    KOGGE_DEVICE std::uint64_t before(const Shared& shared) {
        KOGGE_UNROLL
        for (int w = 0; w < kWarps; ++w) sum_ = detail::add_outputs(sum_, shared.warps[w]);
        return sum_;
    }

private:
    static constexpr int kStep = kWarps * simt::kWarpSize;
    /// Tiles per thread whose loads are in flight: as many as lie between two tiles of one block on a large device.
    static constexpr int kBatch = 5;

    Slots<Tally> slots_;
    std::uint64_t seen_ = 0;  ///< tiles added up so far
    std::uint64_t sum_ = 0;   ///< of those tiles
};

}  // namespace kogge::grid::KOGGE_CODE
