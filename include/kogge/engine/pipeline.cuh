// The on-chip engine for GPUs with bulk copies (sm_90): a warp-specialised pipeline over a circular buffer of stages in
// shared memory. Loading, reducing, waiting for carries, finishing and storing of different tiles overlap. The work
// (engine/pipeline_work.cuh) says how a tile is reduced and finished: a scan (scan/pipeline.cuh) or a compaction
// (compact/pipeline.cuh).
//
//   copy warp       draws tiles; loads each into the next free stage, part by part
//   worker warps    reduce tile k + ahead, each warp its own slice; then finish and store tile k from its carry
//   publish warp    folds the warps' totals of a tile and publishes the aggregate at once
//   carry warp      folds the aggregates of all earlier tiles, and passes each worker warp its carry
//
// Every item is read once from global memory. A tile in stage s passes these barriers, each once. No waiter can fall
// two phases behind, because a stage is loaded again only after all its waiters have passed:
//   full[s][p]   part p of the tile and the tile's number are there   copy → workers; part 0: also publish and carry
//   counted[s]   the warps' totals are written                        workers → publish, carry
//   fetched[s]   one per worker warp: the items it requested are there (only works that fetch their own items)
//   ready[s]     the carry warp's lanes have written the carries      carry → workers
//   empty[s]     the finished tile and the totals have been read      workers, publish → copy
//
// Blocks draw tiles by tickets from a tile status that an earlier launch zeroed; any number of resident blocks makes
// progress. A pipeline of few tiles is one cooperative launch: the blocks take tiles in turn, and zero the tile status
// themselves while their first tiles are in flight.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kogge/block/tile.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/pipeline_work.cuh"
#include "kogge/engine/tile_shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// The shape of a pipeline. A type, because nvcc 13.0 does not compile kernels with a struct as template value.
template <int worker_warps_, int stages_, int ahead_, int parts_ = kRingParts, int loading_ = kRingLoading>
struct RingTuning {
    static constexpr int worker_warps = worker_warps_;
    static constexpr int stages = stages_;
    static constexpr int ahead = ahead_;      ///< tiles reduced before the one being finished
    static constexpr int parts = parts_;      ///< of a tile; each has the slices of equally many warps
    static constexpr int loading = loading_;  ///< parts in flight at a time
    static_assert(worker_warps % parts == 0);
};

template <class Tuning>
inline constexpr int kRingBlockThreads = (Tuning::worker_warps + 3) * simt::kWarpSize;

/// Bytes per item in a stage.
template <class Work>
inline constexpr std::size_t kPlaceBytes = sizeof(typename Work::Item);
template <class Work>
requires(Work::kPlaceBytes > 0) inline constexpr std::size_t kPlaceBytes<Work> = Work::kPlaceBytes;

template <class Work, class Tuning>
struct RingShared {
    using Acc = typename Work::Acc;
    static constexpr int kWarpItems = simt::kWarpSize * Work::kItems;
    static constexpr int kTileItems = Tuning::worker_warps * kWarpItems;
    static constexpr std::uint64_t kNoTile = ~std::uint64_t{0};

    struct Stage {
        alignas(128) unsigned char items[kTileItems * kPlaceBytes<Work>];
    };
    Stage stage[Tuning::stages];
    simt::TransactionBarrier full[Tuning::stages][Tuning::parts];
    simt::TransactionBarrier counted[Tuning::stages];
    simt::TransactionBarrier ready[Tuning::stages];
    simt::TransactionBarrier empty[Tuning::stages];
    simt::TransactionBarrier fetched[FetchingWork<Work> ? Tuning::stages : 1][Tuning::worker_warps];
    std::uint64_t tile[Tuning::stages];
    Acc totals[Tuning::stages][Tuning::worker_warps];
    Carry<Acc> carries[Tuning::stages][Tuning::worker_warps];
};

/// The roles of one block's warps. Each is a loop over the block's tiles k = 0, 1, … .
template <class Work, class Tuning>
class Ring {
public:
    using Acc = typename Work::Acc;
    using Item = typename Work::Item;
    using Shared = RingShared<Work, Tuning>;
    static constexpr int kStages = Tuning::stages;
    static constexpr int kParts = Tuning::parts;
    static constexpr int kPartWarps = Tuning::worker_warps / kParts;
    static constexpr int kPartItems = Shared::kTileItems / kParts;
    static constexpr std::uint32_t kLoading = Tuning::loading;
    /// Tiles loaded before the tile status is known to be zeroed. More loads would delay the grid barrier.
    static constexpr std::uint32_t kLoadedEarly = 2;
    static constexpr bool kGivesBackLate = LateWork<Work>;
    static constexpr bool kLoads = std::is_pointer_v<decltype(Work::in)> && !FetchingWork<Work>;
    /// Lanes of the carry warp that arrive: all that have written; more where a warp arrives with all its lanes.
    static constexpr int kCarryArrivals =
        simt::kWarpArrivals > Tuning::worker_warps ? simt::kWarpArrivals : Tuning::worker_warps;

    /// With `bulk_in` the input is at a 16-byte boundary and the copy engine loads it; otherwise the workers do.
    KOGGE_DEVICE Ring(const Work& work, const Board<Acc>& board, Shared& shared, bool bulk_in)
        : work_(work), board_(board), shared_(shared), n_(work.n.get()), bulk_in_(bulk_in) {}

    KOGGE_DEVICE void run() {
        const int thread = simt::thread_rank();
        if (thread < kStages) {
            for (auto& barrier : shared_.full[thread]) barrier.init(simt::kWarpSize);
            shared_.counted[thread].init(Tuning::worker_warps);
            shared_.ready[thread].init(kCarryArrivals);
            shared_.empty[thread].init((Tuning::worker_warps + 1) * simt::kWarpArrivals);
            if constexpr (FetchingWork<Work>)
                for (auto& barrier : shared_.fetched[thread]) barrier.init(1);
        }
        simt::sync_block();  // the barriers are initialised
        const int role = simt::warp_rank() - Tuning::worker_warps;
        std::uint32_t drawn = 0;
        bool more = true;
        if (!board_.ticket) {
            zero_board();
            const simt::GridArrival zeroed = simt::arrive_grid();
            if (role == 0)
                while (more && drawn < kLoadedEarly) more = draw(drawn++);
            simt::wait_grid(zeroed);
        }
        if (role < 0) work();
        else if (role == 0)
            while (more) more = draw(drawn++);
        else if (role == 1) publish();
        else hand_out_carries();
    }

private:
    /// The stage of the block's tile k, and the parity of its round through the buffer.
    struct Place {
        int stage;
        std::uint32_t parity;
    };
    KOGGE_DEVICE static Place place(std::uint32_t k) { return {static_cast<int>(k % kStages), k / kStages & 1u}; }

    KOGGE_DEVICE std::uint64_t tiles() const { return divide_up(n_, Shared::kTileItems); }
    KOGGE_DEVICE int count_of(std::uint64_t tile) const {
        const std::uint64_t left = n_ - tile * Shared::kTileItems;
        return left < Shared::kTileItems ? static_cast<int>(left) : Shared::kTileItems;
    }
    /// This warp's slice of a tile in a stage.
    KOGGE_DEVICE Slice<Item> slice(std::uint64_t tile, int stage) {
        // The difference of two minima, not a value clamped on both sides: ptxas 13.0 turns a comparison of such a
        // value with its upper bound into the predicate of a fused VIMNMX.RELU, and gets it wrong.
        const int all = count_of(tile), first = simt::warp_rank() * Shared::kWarpItems;
        const int begin = first < all ? first : all;
        const int end = first + Shared::kWarpItems < all ? first + Shared::kWarpItems : all;
        unsigned char* const places = shared_.stage[stage].items;
        Item* items;
        if constexpr (kPlaceBytes<Work> != sizeof(Item))
            items = reinterpret_cast<Item*>(places + first * int{kPlaceBytes<Work>});
        else items = reinterpret_cast<Item*>(places) + first;
        return {items, end - begin, tile * Shared::kTileItems + static_cast<std::uint64_t>(first)};
    }

    /// Each thread zeroes its words of the tile status.
    KOGGE_DEVICE void zero_board() {
        const std::uint64_t words = tiles() * Slots<Acc>::kWords;
        const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * kRingBlockThreads<Tuning>;
        for (std::uint64_t i = static_cast<std::uint64_t>(simt::block_rank()) * kRingBlockThreads<Tuning> +
                               static_cast<std::uint64_t>(simt::thread_rank());
             i < words; i += step)
            board_.tiles.words[i] = 0;
    }

    // ---- copy warp ----

    /// Draws the block's tile k and starts loading it. False if no tile is left.
    KOGGE_DEVICE bool draw(std::uint32_t k) {
        const Place at = place(k);
        std::uint64_t tile = simt::block_rank() + static_cast<std::uint64_t>(k) * simt::grid_size();
        if (board_.ticket) {
            if (simt::lane() == 0) tile = simt::atomic_add<simt::Scope::device>(board_.ticket, 1);
            tile = simt::shuffle(tile, 0);
        }
        if (k >= kStages) shared_.empty[at.stage].wait(at.parity ^ 1u);
        if (tile < tiles()) {
            if constexpr (PrefetchingWork<Work>) work_.prefetch(tile * Shared::kTileItems, count_of(tile));
            KOGGE_UNROLL
            for (int part = 0; part < kParts; ++part) {
                pace(k * kParts + static_cast<std::uint32_t>(part));
                if (part == 0 && simt::lane() == 0) shared_.tile[at.stage] = tile;
                load(tile, part, at.stage);
            }
            return true;
        }
        if (simt::lane() == 0) shared_.tile[at.stage] = Shared::kNoTile;
        for (auto& full : shared_.full[at.stage]) full.arrive();
        return false;
    }

    /// Waits until part `next`, counted over all the block's tiles, may be loaded.
    KOGGE_DEVICE void pace(std::uint32_t next) {
        if (next < kLoading) return;
        const std::uint32_t earlier = next - kLoading;
        const Place at = place(earlier / kParts);
        shared_.full[at.stage][earlier % kParts].pace(at.parity);
    }

    KOGGE_DEVICE void load(std::uint64_t tile, int part, int stage) {
        const int all = count_of(tile), first = part * kPartItems, last = first + kPartItems;
        const int begin = first < all ? first : all, end = last < all ? last : all;
        const std::uint64_t base = tile * Shared::kTileItems;
        auto& full = shared_.full[stage][part];
        if constexpr (LoadingWork<Work>) {
            work_.load(base, begin, end, shared_.stage[stage].items, full);
            return;
        }
        std::uint32_t bulk = 0;
        if constexpr (kLoads) {
            if (bulk_in_) {
                bulk = static_cast<std::uint32_t>((end - begin) * sizeof(Item)) / 16 * 16;  // the copy engine's unit
                const int tail = begin + static_cast<int>(bulk / sizeof(Item)) + simt::lane();
                if (tail < end) reinterpret_cast<Item*>(shared_.stage[stage].items)[tail] = work_.in[base + tail];
            }
        }
        if (simt::lane() != 0) return full.arrive();
        full.arrive_expect(bulk);
        if constexpr (kLoads) {
            if (bulk == 0) return;
            Item* const target = reinterpret_cast<Item*>(shared_.stage[stage].items) + begin;
            const Item* const source = work_.in + base + begin;
            if constexpr (OnceReadingWork<Work>) {
                if (work_.reads_once()) return simt::bulk_load_once(target, source, bulk, full);
            }
            simt::bulk_load(target, source, bulk, full);
        }
    }

    // ---- worker warps ----

    KOGGE_DEVICE void work() {
        typename Work::Saved saved[Tuning::ahead + 1] = {};  // of tiles k − ahead … k
        std::uint32_t reduced = 0;                           // tiles reduced by this warp
        bool more = true, reads_on = false;
        for (std::uint32_t k = 0;; ++k) {
            if (more && (more = reduce(k, saved[Tuning::ahead]))) ++reduced;
            if (k >= Tuning::ahead) {
                const std::uint32_t next = k - Tuning::ahead;
                if (next > 0 && reads_on && (!kGivesBackLate || next == reduced) && simt::arrives_for_warp()) {
                    simt::bulk_wait_read<0>();  // another tile has been reduced meanwhile, or none is left
                    shared_.empty[place(next - 1).stage].arrive();
                }
                if (next == reduced) break;
                reads_on = finish(next, saved[0]);
            }
            KOGGE_UNROLL
            for (int j = 0; j < Tuning::ahead; ++j) saved[j] = saved[j + 1];
        }
    }

    /// False if there is no tile k.
    KOGGE_DEVICE bool reduce(std::uint32_t k, typename Work::Saved& saved) {
        const Place at = place(k);
        const int part = kParts > 1 ? simt::warp_rank() / kPartWarps : 0;
        shared_.full[at.stage][part].wait(at.parity);
        if constexpr (LookingBackWork<Work>)
            if (part > 0 && simt::warp_rank() % kPartWarps == 0) shared_.full[at.stage][part - 1].wait(at.parity);
        const std::uint64_t tile = shared_.tile[at.stage];
        if (tile == Shared::kNoTile) return false;
        const Slice<Item> own = slice(tile, at.stage);
        Acc total;
        if constexpr (FetchingWork<Work>) {
            if (k == 0) work_.look_ahead(own);
            total = work_.reduce(own, saved, shared_.fetched[at.stage][simt::warp_rank()]);
            look_ahead(k + 1);
        } else {
            if constexpr (!LoadingWork<Work>)
                if (!bulk_in_) read(own);
            total = work_.reduce(own, saved);
        }
        if (simt::lane() == 0) {
            shared_.totals[at.stage][simt::warp_rank()] = total;
            shared_.counted[at.stage].arrive();
        }
        return true;
    }

    KOGGE_DEVICE void read(const Slice<Item>& own) {
        // Loads in flight; more would exceed the registers.
        constexpr int batch = Work::kItems % 20 == 0 ? 20 : Work::kItems;
        KOGGE_NO_UNROLL
        for (int first = 0; first < Work::kItems; first += batch) {
            KOGGE_UNROLL
            for (int i = 0; i < batch; ++i) {
                const int j = (first + i) * simt::kWarpSize + simt::lane();
                if (j < own.count) own.items[j] = work_.in[own.base + j];
            }
        }
        simt::sync_warp();  // the slice is on chip
    }

    KOGGE_DEVICE void look_ahead(std::uint32_t k) {
        const Place at = place(k);
        shared_.full[at.stage][0].wait(at.parity);
        const std::uint64_t tile = shared_.tile[at.stage];
        if (tile != Shared::kNoTile) work_.look_ahead(slice(tile, at.stage));
    }

    /// Whether a bulk store may still read the tile's stage; otherwise the stage has been released.
    KOGGE_DEVICE bool finish(std::uint32_t k, const typename Work::Saved& saved) {
        const Place at = place(k);
        shared_.ready[at.stage].wait(at.parity);
        const Slice<Item> own = slice(shared_.tile[at.stage], at.stage);
        if constexpr (FetchingWork<Work>) shared_.fetched[at.stage][simt::warp_rank()].wait(at.parity);
        Carry<Acc> carry{};
        if (own.count > 0) carry = shared_.carries[at.stage][simt::warp_rank()];
        const bool reads_on = work_.finish(own, carry, saved);
        simt::fence_bulk();  // before the next tile is loaded into this stage
        simt::sync_warp();   // all lanes have read the slice and the carry
        if (!simt::arrives_for_warp()) return reads_on;
        if (!reads_on) {
            shared_.empty[at.stage].arrive();
        } else if (kGivesBackLate && k > 0) {
            simt::bulk_wait_read<1>();
            shared_.empty[place(k - 1).stage].arrive();
        }
        return reads_on;
    }

    // ---- publish and carry warps ----

    /// Waits for the totals of tile k and scans them: lane w gets the fold of warps 0 … w. False if there is no tile.
    KOGGE_DEVICE bool scan_totals(std::uint32_t k, std::uint64_t& tile, int& active, Acc& inclusive) {
        const Place at = place(k);
        shared_.full[at.stage][0].wait(at.parity);
        tile = shared_.tile[at.stage];
        if (tile == Shared::kNoTile) return false;
        shared_.counted[at.stage].wait(at.parity);
        active = (count_of(tile) + Shared::kWarpItems - 1) / Shared::kWarpItems;
        inclusive = Acc{};
        if (simt::lane() < active) inclusive = shared_.totals[at.stage][simt::lane()];
        inclusive = warp::inclusive_scan(inclusive, active, work_.op);
        return true;
    }

    KOGGE_DEVICE void publish() {
        std::uint64_t tile;
        int active;
        Acc inclusive;
        for (std::uint32_t k = 0; scan_totals(k, tile, active, inclusive); ++k) {
            if (simt::lane() == active - 1) board_.tiles.publish(tile, inclusive);
            simt::sync_warp();  // all lanes have read the totals
            if (simt::arrives_for_warp()) shared_.empty[place(k).stage].arrive();
        }
    }

    KOGGE_DEVICE void hand_out_carries() {
        CarryFold<Acc, typename Work::Op> fold(board_.tiles, work_.op, work_.start);
        if (tiles() == 0 && simt::block_rank() == 0 && simt::lane() == 0) work_.complete(work_.start);
        std::uint64_t tile;
        int active;
        Acc inclusive;
        for (std::uint32_t k = 0; scan_totals(k, tile, active, inclusive); ++k) {
            const Carry<Acc> carry = fold.before(tile);
            const Acc earlier_warps = simt::shuffle_up(inclusive, 1);
            const int stage = place(k).stage;
            if (simt::lane() < active)
                shared_.carries[stage][simt::lane()] =
                    simt::lane() > 0 ? append(carry, earlier_warps, work_.op) : carry;
            simt::sync_warp();  // all lanes have read the tile's number
            if (simt::lane() < kCarryArrivals) shared_.ready[stage].arrive();
            if (tile == tiles() - 1 && simt::lane() == active - 1) work_.complete(append(carry, inclusive, work_.op));
        }
    }

    Work work_;
    Board<Acc> board_;
    Shared& shared_;
    std::uint64_t n_;
    bool bulk_in_;
};

template <class Work, class Tuning>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kRingBlockThreads<Tuning>, 1)
    ring_kernel(Work work, Board<typename Work::Acc> board, bool bulk_in) {
    simt::wait_for_stream();
    if constexpr (simt::kHasBulkCopy)  // plans choose it for no other device
        Ring<Work, Tuning>(work, board, simt::shared_memory<RingShared<Work, Tuning>>(), bulk_in).run();
}

/// Launches a pipeline of `blocks` blocks in which `ahead` tiles are reduced before one is finished. The tile status is
/// zeroed; or it has no ticket: then the launch is cooperative and zeroes it.
template <int ahead, int parts = kRingParts, int loading = kRingLoading, class Work>
void launch_ring(const Work& work, const Board<typename Work::Acc>& board, std::uint32_t blocks, const char* name,
                 stream_t stream) {
    using Tuning = RingTuning<kRingWarps, kRingStages, ahead, parts, loading>;
    static_assert(sizeof(RingShared<Work, Tuning>) <= kRingSharedBytes, "plans count on it");
    bool bulk_in = false;
    if constexpr (std::is_pointer_v<decltype(work.in)>) bulk_in = block::is_chunk_aligned(work.in);
    simt::launch(
        ring_kernel<Work, Tuning>,
        {blocks, kRingBlockThreads<Tuning>, sizeof(RingShared<Work, Tuning>), stream, name, board.ticket == nullptr},
        work, board, bulk_in);
}

}  // namespace kogge::grid::KOGGE_CODE
