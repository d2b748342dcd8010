// The on-chip scan for GPUs with bulk copies (sm_90): a ring of tiles in shared memory, and warps with roles, so that
// loading, reducing, waiting for carries, scanning and storing of different tiles overlap.
//
//   copy warp       draws tickets; loads each tile into the next free stage of the ring
//   worker warps    reduce tile k + ahead: each thread folds its segment, each warp scans the folds; then scan tile k from
//                   its carry, in place, and store it: each warp has its own stretch of the tile
//   publish warp    folds the warps' totals of a tile and publishes the aggregate at once
//   carry warp      folds the aggregates of all earlier tiles, and hands every worker warp its own carry
//
// Every item is read once and written once. In between it crosses shared memory five times: in, reduce, scan (both
// ways), out. Stage s of the ring passes through these barriers, once each per tile; nobody can fall two phases behind,
// because a stage is loaded again only after all that wait on it have passed:
//   full[s]      the tile and its number are there                  copy → workers, publish, carry
//   counted[s]   the warps' totals are written                      workers → publish, carry
//   ready[s]     the warps' carries are written                     carry → workers
//   empty[s]     the stored tile and the totals have been read      workers, publish → copy
#pragma once

#include <cstdint>

#include "kogge/block/tile.cuh"
#include "kogge/grid/carry.cuh"
#include "kogge/grid/scan_tile.cuh"

namespace kogge::grid {

/// The shape of one pipelined block. A type, because nvcc 13.0 does not compile kernels with a struct as template value.
template <int worker_warps_, int stages_, int ahead_>
struct RingTuning {
    static constexpr int worker_warps = worker_warps_;
    static constexpr int stages = stages_;
    static constexpr int ahead = ahead_;  ///< tiles that are reduced before the one that is scanned
};

template <class Problem, class Tuning>
struct RingShared {
    using Acc = typename Problem::Accumulator;
    static constexpr int kWorkers = Tuning::worker_warps * simt::kWarpSize;
    static constexpr int kWarpItems = simt::kWarpSize * Problem::kItems;
    static constexpr int kTileItems = Tuning::worker_warps * kWarpItems;
    static constexpr std::uint64_t kNoTile = ~std::uint64_t{0};

    struct Stage {
        alignas(128) unsigned char items[kTileItems * sizeof(typename Problem::Item)];
    };
    Stage stage[Tuning::stages];
    simt::TransactionBarrier full[Tuning::stages];
    simt::TransactionBarrier counted[Tuning::stages];
    simt::TransactionBarrier ready[Tuning::stages];
    simt::TransactionBarrier empty[Tuning::stages];
    std::uint64_t tile[Tuning::stages];
    Acc totals[Tuning::stages][Tuning::worker_warps];
    Carry<Acc> carries[Tuning::stages][Tuning::worker_warps];
};

/// The roles of one block's warps; each is a loop over the block's tiles k = 0, 1, … through the ring.
template <class Problem, class Tuning>
class ScanRing {
public:
    using Acc = typename Problem::Accumulator;
    using Item = typename Problem::Item;
    using Result = typename Problem::Result;
    using Shared = RingShared<Problem, Tuning>;
    static constexpr int kItems = Problem::kItems, kStages = Tuning::stages;

    KOGGE_DEVICE ScanRing(const Problem& problem, const Board<Acc>& board, Shared& shared, bool bulk_in, bool bulk_out)
        : problem_(problem), board_(board), shared_(shared), n_(problem.n.get()), bulk_in_(bulk_in), bulk_out_(bulk_out) {}

    KOGGE_DEVICE void run() {
        if (simt::thread_rank() < kStages) {
            shared_.full[simt::thread_rank()].init(1);
            shared_.counted[simt::thread_rank()].init(Tuning::worker_warps);
            shared_.ready[simt::thread_rank()].init(1);
            shared_.empty[simt::thread_rank()].init(Tuning::worker_warps + 1);
        }
        simt::sync_block();  // the barriers are initialised
        const int role = simt::warp_rank() - Tuning::worker_warps;
        if (role < 0) work();
        else if (role == 0) copy_in();
        else if (role == 1) publish();
        else hand_out_carries();
    }

private:
    /// Where tile k of this block stands in the ring, and in which round.
    struct Place {
        int stage;
        std::uint32_t parity;
    };
    KOGGE_DEVICE static Place place(std::uint32_t k) { return {static_cast<int>(k % kStages), k / kStages & 1u}; }

    KOGGE_DEVICE int count_of(std::uint64_t tile) const {
        const std::uint64_t left = n_ - tile * Shared::kTileItems;
        return left < Shared::kTileItems ? static_cast<int>(left) : Shared::kTileItems;
    }

    // ---- copy warp ----
    KOGGE_DEVICE void copy_in() {
        const std::uint64_t tiles = divide_up(n_, Shared::kTileItems);
        for (std::uint32_t k = 0;; ++k) {
            const Place at = place(k);
            std::uint64_t tile = 0;
            if (simt::lane() == 0) tile = simt::atomic_add<simt::Scope::device>(board_.ticket, 1);
            tile = simt::shuffle(tile, 0);
            if (k >= kStages) shared_.empty[at.stage].wait(at.parity ^ 1u);
            if (tile >= tiles) {
                if (simt::lane() == 0) {
                    shared_.tile[at.stage] = Shared::kNoTile;
                    shared_.full[at.stage].arrive();
                }
                return;
            }
            load(tile, shared_.stage[at.stage], shared_.full[at.stage], shared_.tile[at.stage]);
        }
    }
    KOGGE_DEVICE void load(std::uint64_t tile, typename Shared::Stage& stage, simt::TransactionBarrier& full,
                           std::uint64_t& number) {
        if constexpr (std::is_pointer_v<decltype(problem_.in)>) {
            if (bulk_in_) {
                const Item* source = problem_.in + tile * Shared::kTileItems;
                const std::uint32_t bytes = static_cast<std::uint32_t>(count_of(tile) * sizeof(Item));
                const std::uint32_t bulk = bytes / 16 * 16;  // the copy engine moves units of 16 bytes
                const int tail = static_cast<int>(bulk / sizeof(Item)) + simt::lane();
                if (tail < count_of(tile)) reinterpret_cast<Item*>(stage.items)[tail] = source[tail];
                simt::sync_warp();  // the tail is written before lane 0 arrives
                if (simt::lane() == 0) {
                    number = tile;
                    full.arrive_expect(bulk);
                    if (bulk > 0) simt::bulk_load(stage.items, source, bulk, full);
                }
                return;
            }
        }
        if (simt::lane() == 0) {  // the workers load
            number = tile;
            full.arrive();
        }
    }

    // ---- worker warps ----
    KOGGE_DEVICE void work() {
        // before[j] is the fold of the earlier lanes' segments in tile k + j.
        Acc before[Tuning::ahead + 1] = {};
        std::uint32_t reduced = 0;  // tiles that this warp has reduced
        bool more = true;
        for (int j = 0; j < Tuning::ahead && more; ++j)
            if ((more = reduce(reduced, before[j]))) ++reduced;
        for (std::uint32_t k = 0;; ++k) {
            if (more && (more = reduce(reduced, before[Tuning::ahead]))) ++reduced;
            if (k == reduced) break;
            scan(k, before[0]);
            KOGGE_UNROLL
            for (int j = 0; j < Tuning::ahead; ++j) before[j] = before[j + 1];
        }
        if (simt::lane() == 0) simt::bulk_wait<0>();
    }

    KOGGE_DEVICE Item* warp_items(int stage) {
        return reinterpret_cast<Item*>(shared_.stage[stage].items) + simt::warp_rank() * Shared::kWarpItems;
    }
    KOGGE_DEVICE static int clamp(int value, int most) { return value < 0 ? 0 : value < most ? value : most; }

    /// Folds tile k; false when there is no such tile.
    KOGGE_DEVICE bool reduce(std::uint32_t k, Acc& before) {
        const Place at = place(k);
        shared_.full[at.stage].wait(at.parity);
        const std::uint64_t tile = shared_.tile[at.stage];
        if (tile == Shared::kNoTile) return false;
        const int lane = simt::lane();
        const int count = clamp(count_of(tile) - simt::warp_rank() * Shared::kWarpItems, Shared::kWarpItems);
        Item* const items = warp_items(at.stage);
        if (!bulk_in_) {
            const std::uint64_t base = tile * Shared::kTileItems + simt::warp_rank() * Shared::kWarpItems;
            KOGGE_UNROLL
            for (int i = 0; i < kItems; ++i) {
                const int j = i * simt::kWarpSize + lane;
                if (j < count) items[j] = problem_.in[base + j];
            }
            simt::sync_warp();  // the warp's items are on chip
        }
        const Item* const tile_items = reinterpret_cast<const Item*>(shared_.stage[at.stage].items);
        Acc partial{};
        const auto fold = [&](int i, const Item& item) {
            partial = i > 0 ? static_cast<Acc>(problem_.op(partial, static_cast<Acc>(item))) : static_cast<Acc>(item);
        };
        if (count == Shared::kWarpItems) block::visit_segment<kItems>(tile_items, kItems, fold);
        else block::visit_segment<kItems>(tile_items, clamp(count - lane * kItems, kItems), fold);

        const int active = (count + kItems - 1) / kItems;
        partial = warp::inclusive_scan(partial, active, problem_.op);
        if (lane == (active > 0 ? active - 1 : 0)) {
            shared_.totals[at.stage][simt::warp_rank()] = partial;
            shared_.counted[at.stage].arrive();
        }
        before = simt::shuffle_up(partial, 1);
        return true;
    }

    KOGGE_DEVICE void scan(std::uint32_t k, const Acc& before) {
        const Place at = place(k);
        shared_.ready[at.stage].wait(at.parity);
        const std::uint64_t tile = shared_.tile[at.stage];
        const int lane = simt::lane(), warp = simt::warp_rank();
        const int count = clamp(count_of(tile) - warp * Shared::kWarpItems, Shared::kWarpItems);

        Carry<Acc> running = shared_.carries[at.stage][warp];
        if (lane > 0 && lane * kItems < count) {
            running.value = running.present ? static_cast<Acc>(problem_.op(running.value, before)) : before;
            running.present = true;
        }
        const Item* const tile_items = reinterpret_cast<const Item*>(shared_.stage[at.stage].items);
        Result* const tile_results = reinterpret_cast<Result*>(shared_.stage[at.stage].items);
        const auto step = [&](int i, const Item& from) {
            const Acc item = static_cast<Acc>(from);
            const Acc earlier = running.value;
            running.value = i > 0 || running.present ? static_cast<Acc>(problem_.op(earlier, item)) : item;
            return static_cast<Result>(problem_.inclusive ? running.value : earlier);
        };
        if (count == Shared::kWarpItems) block::rewrite_segment<kItems>(tile_items, tile_results, kItems, step);
        else block::rewrite_segment<kItems>(tile_items, tile_results, clamp(count - lane * kItems, kItems), step);

        const Result* const scanned = tile_results + warp * Shared::kWarpItems;
        Result* const target = problem_.out + tile * Shared::kTileItems + warp * Shared::kWarpItems;
        const int bulk = bulk_out_ ? static_cast<int>(count * sizeof(Result) / 16 * 16 / sizeof(Result)) : 0;
        if (bulk > 0) simt::fence_bulk();
        simt::sync_warp();  // the warp's results are written
        for (int i = bulk + lane; i < count; i += simt::kWarpSize) target[i] = scanned[i];
        if (lane == 0) {
            if (bulk > 0) simt::bulk_store(target, scanned, static_cast<std::uint32_t>(bulk * sizeof(Result)));
            simt::bulk_commit();
        }
        if (bulk_out_) {
            // One tile late, so that the store of this tile need not be waited for.
            if (lane == 0 && k > 0) {
                simt::bulk_wait_read<1>();
                shared_.empty[place(k - 1).stage].arrive();
            }
        } else {
            simt::sync_warp();  // the warp's results are read
            if (lane == 0) shared_.empty[at.stage].arrive();
        }
    }

    // ---- publish and carry warps ----

    /// Waits for the totals of tile k and scans them; lane w holds the fold of warps 0 … w. False when there is no tile.
    KOGGE_DEVICE bool scan_totals(std::uint32_t k, std::uint64_t& tile, int& active, Acc& inclusive) {
        const Place at = place(k);
        shared_.full[at.stage].wait(at.parity);
        tile = shared_.tile[at.stage];
        if (tile == Shared::kNoTile) return false;
        shared_.counted[at.stage].wait(at.parity);
        active = (count_of(tile) + Shared::kWarpItems - 1) / Shared::kWarpItems;
        inclusive = Acc{};
        if (simt::lane() < active) inclusive = shared_.totals[at.stage][simt::lane()];
        inclusive = warp::inclusive_scan(inclusive, active, problem_.op);
        return true;
    }

    KOGGE_DEVICE void publish() {
        std::uint64_t tile;
        int active;
        Acc inclusive;
        for (std::uint32_t k = 0; scan_totals(k, tile, active, inclusive); ++k) {
            if (simt::lane() == active - 1) board_.tiles.publish(tile, inclusive);
            simt::sync_warp();  // all lanes have read the totals
            if (simt::lane() == 0) shared_.empty[place(k).stage].arrive();
        }
    }

    KOGGE_DEVICE void hand_out_carries() {
        CarryFold<Acc, typename Problem::Operator> fold(board_.tiles, problem_.op, problem_.start);
        std::uint64_t tile;
        int active;
        Acc inclusive;
        for (std::uint32_t k = 0; scan_totals(k, tile, active, inclusive); ++k) {
            Carry<Acc> carry = fold.before(tile);
            const Acc earlier_warps = simt::shuffle_up(inclusive, 1);
            if (simt::lane() > 0 && simt::lane() < active) {
                carry.value = carry.present ? static_cast<Acc>(problem_.op(carry.value, earlier_warps)) : earlier_warps;
                carry.present = true;
            }
            const int stage = place(k).stage;
            if (simt::lane() < Tuning::worker_warps) shared_.carries[stage][simt::lane()] = carry;
            simt::sync_warp();  // all carries are written
            if (simt::lane() == 0) shared_.ready[stage].arrive();
        }
    }

    Problem problem_;
    Board<Acc> board_;
    Shared& shared_;
    std::uint64_t n_;
    bool bulk_in_;
    bool bulk_out_;
};

template <class Tuning>
inline constexpr int kRingBlockThreads = (Tuning::worker_warps + 3) * simt::kWarpSize;

using DefaultRing = RingTuning<kRingWarps, kRingStages, kRingAhead>;

template <class Problem, class Tuning>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kRingBlockThreads<Tuning>, 1)
    scan_ring_kernel(Problem problem, Board<typename Problem::Accumulator> board, bool bulk_in, bool bulk_out) {
    ScanRing<Problem, Tuning>(problem, board, simt::shared_memory<RingShared<Problem, Tuning>>(), bulk_in, bulk_out).run();
}

}  // namespace kogge::grid
