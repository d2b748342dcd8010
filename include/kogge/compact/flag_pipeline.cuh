// Compaction by flags as the work of a pipeline. The flags tell which items are kept before any item is read. So a warp
// reads its flags first, and then fetches its slice of items: whole, as one bulk copy, or, where few are kept, the 16
// bytes around each kept item. The rest is as in compact/pipeline.cuh. Where a sample finds that few of all items are
// kept, the pipeline's tiles hold flags alone (compact/sparse_pipeline.cuh).
#pragma once

#include <cstdint>

#include "kogge/compact/byte_flags.cuh"
#include "kogge/compact/pipeline.cuh"
#include "kogge/compact/sparse_pipeline.cuh"
#include "kogge/detail/prebuilt.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The input is at a 16-byte boundary and is not the output.
template <class Item_>
struct FlaggedWork {
    using Compaction = CompactWork<Item_, ByFlag>;
    using Item = Item_;
    using Acc = Tally;
    using Op = AddTallies;
    using Saved = typename Compaction::Saved;
    static constexpr int kItems = Compaction::kItems;
    static constexpr int kPiece = Compaction::kPiece;
    static constexpr int kRows = Compaction::kRows;
    /// A slice is fetched whole if more than one in kSparse of its pieces hold kept items.
    static constexpr int kSparse = 8;
    /// Kept items are stored one by one if at most one in kFew is kept.
    static constexpr int kFew = 25;
    using Piece = typename Compaction::Piece;

    const Item* in;
    Count n;
    Op op;
    Carry<Acc> start;
    CompactProblem<Item, ByFlag> problem;
    Flags<kPiece> flags[std::size_t{kRows}];  ///< of the slice that is reduced next

    KOGGE_HOST_DEVICE explicit FlaggedWork(const CompactProblem<Item, ByFlag>& all)
        : in(all.in), n(all.n), op{}, start{}, problem(all) {}

    /// Starts loading the flags into the cache; they are read when the tile is reduced.
    KOGGE_DEVICE void prefetch(std::uint64_t base, int count) const {
        simt::prefetch(problem.keep.flags + base, static_cast<std::uint32_t>(count));
    }

    /// Starts reading the flags of the slice that is reduced next.
    KOGGE_DEVICE void look_ahead(const Slice<Item>& next) {
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) flags[r].read(problem.keep.flags + next.base + place(r), next.count - place(r));
    }

    /// Decides, and fetches the pieces that hold kept items, or all pieces. `fetched` counts the bytes.
    KOGGE_DEVICE Acc reduce(const Slice<Item>& own, Saved& saved, simt::TransactionBarrier& fetched) const {
        saved = {};
        std::uint32_t needed = 0;  // this lane's whole pieces that hold kept items
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) {
            saved.set_piece(r, flags[r].bits());
            const int first = place(r);
            if (is_whole(own, r)) needed += saved.count(r) > 0 ? 1 : 0;
            else  // a partial piece at the end of the input: read without the copy engine
                for (int i = first; i < own.count; ++i) own.items[i] = in[own.base + static_cast<std::uint64_t>(i)];
        }
        needed = simt::reduce_add(needed);
        const std::uint32_t all = static_cast<std::uint32_t>(own.count / kPiece);
        const bool sparse = needed * kSparse <= all;
        if (simt::lane() == 0) {
            fetched.arrive_expect((sparse ? needed : all) * kPieceBytes);
            if (!sparse) simt::bulk_load(own.items, in + own.base, all * kPieceBytes, fetched);
        }
        if (sparse) {
            KOGGE_UNROLL
            for (int r = 0; r < kRows; ++r)
                if (is_whole(own, r) && saved.count(r) > 0)
                    simt::bulk_load(own.items + place(r), in + own.base + place(r), kPieceBytes, fetched);
        }
        return {saved.count_warp()};
    }

    KOGGE_DEVICE bool finish(const Slice<Item>& own, const Carry<Acc>& carry, const Saved& saved) const {
        const std::uint32_t kept = saved.count_warp();
        if (kept == 0) return false;
        Item* const run = problem.kept + (carry.present ? carry.value.value : 0);
        if (kept * kFew <= kRows * simt::kWarpSize * kPiece) {
            scatter(own, saved, run);
            return false;
        }
        Piece pieces[kRows];
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r)
            if (saved.count(r) > 0) pieces[r] = *reinterpret_cast<const Piece*>(own.items + place(r));
        simt::sync_warp();  // the slice is in registers
        store_sides(pieces, saved, kept, own.count, own.items, run, static_cast<Item*>(nullptr));
        return false;
    }

    KOGGE_DEVICE void complete(const Carry<Acc>& all) const { *problem.total = all.present ? all.value.value : 0; }

private:
    static constexpr std::uint32_t kPieceBytes = sizeof(Piece);

    /// Stores the kept items one by one.
    KOGGE_DEVICE static void scatter(const Slice<Item>& own, const Saved& saved, Item* run) {
        constexpr int width = 12;  // bits of a rank; one word holds the ranks of all rows
        static_assert(kRows * width <= 64 && kItems * simt::kWarpSize < 1 << width);
        std::uint32_t before[kRows];
        rank_kept(saved, before);
        std::uint64_t ranks = 0;
        KOGGE_UNROLL
        for (int r = 0; r < kRows; ++r) ranks |= static_cast<std::uint64_t>(before[r]) << (width * r);
        KOGGE_UNROLL
        for (int w = 0; w < Saved::kWords; ++w) {
            for (std::uint32_t bits = saved.words[w]; bits != 0; bits &= bits - 1) {
                const int bit = 32 * w + simt::lowest_bit(bits), row = bit / kPiece;
                run[ranks >> (width * row) & ((1u << width) - 1)] = own.items[place(row) + bit % kPiece];
                ranks += std::uint64_t{1} << (width * row);  // the next item of the same piece
            }
        }
    }
    KOGGE_DEVICE static int place(int row) { return (row * simt::kWarpSize + simt::lane()) * kPiece; }
    KOGGE_DEVICE static bool is_whole(const Slice<Item>& own, int row) { return place(row) + kPiece <= own.count; }
};

/// Whether few items are kept, and far apart, as estimated from a sample of pieces of flags at equal distances. One
/// warp calls. Kept items that are close together are faster as whole slices through the copy engine.
inline constexpr std::uint32_t kGatherShare = 16;    ///< few: at most one kept item in kGatherShare
inline constexpr std::uint32_t kGatherTogether = 4;  ///< more per piece that holds any are close together
KOGGE_DEVICE bool keeps_few(const std::uint8_t* flags, std::uint64_t n) {
    constexpr int piece = 16, looks = 4;
    constexpr std::uint64_t all = looks * simt::kWarpSize;
    const std::uint64_t pieces = n / piece;
    Flags<piece> seen[looks];
    KOGGE_UNROLL
    for (int u = 0; u < looks; ++u) {
        const std::uint64_t at = pieces * static_cast<std::uint64_t>(u * simt::kWarpSize + simt::lane()) / all;
        if (pieces > 0) seen[u].read(flags + at * piece, piece);
    }
    std::uint32_t kept = 0;  // low half: kept items; high half: pieces that hold any
    KOGGE_UNROLL
    for (int u = 0; u < looks; ++u)
        if (const std::uint32_t bits = seen[u].bits(); bits != 0)
            kept += (1u << 16) + static_cast<std::uint32_t>(simt::count_bits(bits));
    kept = simt::reduce_add(kept);
    const std::uint32_t holding = kept >> 16;
    kept &= 0xffffu;
    return kept * kGatherShare <= all * piece && kept <= holding * kGatherTogether;
}
/// Narrower items are hardly wider than their flags.
constexpr bool may_gather(std::size_t item_bytes) { return item_bytes >= 4; }

/// Tiles whose workers fetch the items are not loaded in parts.
template <class Work>
using FlagRing = RingTuning<kRingWarps, kRingStages, kFlagRingAhead, FetchingWork<Work> ? 1 : kRingParts>;
template <class Work>
using FlagRingShared = RingShared<Work, FlagRing<Work>>;
/// The same for both works.
template <class Item>
inline constexpr int kFlagRingThreads = kRingBlockThreads<FlagRing<GatherWork<Item>>>;

/// The storage of one of the two pipelines, whose tiles differ in size.
template <class Item>
struct FlaggedShared {
    union {
        FlagRingShared<FlaggedWork<Item>> fetched;
        FlagRingShared<GatherWork<Item>> gathered;
    };
    bool few;
};

/// Samples the flags, and runs the faster pipeline. The input is at a 16-byte boundary and is not the output. The tile
/// status has tickets, and slots for tiles of items, of which there are at least as many as tiles of flags.
template <class Item>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kFlagRingThreads<Item>, 1)
    compact_rare_kernel(CompactProblem<Item, ByFlag> problem, Board<Tally> board) {
    simt::wait_for_stream();
    if constexpr (simt::kHasBulkCopy) {  // plans choose it for no other device
        auto& shared = simt::shared_memory<FlaggedShared<Item>>();
        // All blocks take the same sample. One warp per block does, because all warps would contend for the few
        // addresses.
        if (simt::warp_rank() == 0) {
            const bool few = keeps_few(problem.keep.flags, problem.n.get());
            if (simt::lane() == 0) shared.few = few;
        }
        simt::sync_block();  // whether few are kept is known
        const auto run = [&]<class Work>(FlagRingShared<Work>& ring, const Work& work) {
            Ring<Work, FlagRing<Work>>(work, board, ring, block::is_chunk_aligned(work.in)).run();
        };
        if (shared.few) run(shared.gathered, GatherWork<Item>(problem));
        else run(shared.fetched, FlaggedWork<Item>(problem));
    }
}

/// Inputs too short for tickets would not repay the sample and the larger kernel.
template <class Item>
void launch_flagged_ring(const CompactProblem<Item, ByFlag>& problem, const Board<Tally>& board, std::uint32_t blocks,
                         stream_t stream) {
    if constexpr (may_gather(sizeof(Item))) {
        static_assert(sizeof(FlaggedShared<Item>) <= kRingSharedBytes, "plans count on it");
        if (board.ticket)
            return simt::launch(
                compact_rare_kernel<Item>,
                {blocks, kFlagRingThreads<Item>, sizeof(FlaggedShared<Item>), stream, "compact_rare_kernel"}, problem,
                board);
    }
    launch_ring<kFlagRingAhead, 1>(FlaggedWork<Item>(problem), board, blocks, "compact_flagged_kernel", stream);
}

/// Where items are no array, or outputs no array of them; or where there are no items, but positions. The input is not
/// the output. The tile status has slots for tiles of items, of which there are at least as many as tiles of flags.
template <class Item, class Keep, class In, class Out>
void launch_gather_ring(const CompactProblem<Item, Keep, In, Out>& problem, const Board<Tally>& board,
                        std::uint32_t blocks, stream_t stream) {
    launch_ring<kFlagRingAhead>(GatherWork<Item, Keep, In, Out>(problem), board, blocks, "compact_gather_kernel",
                                stream);
}

}  // namespace kogge::grid::KOGGE_CODE
