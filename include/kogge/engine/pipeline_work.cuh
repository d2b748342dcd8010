// What a ring (engine/pipeline.cuh) asks of a Work, which is copied into every thread:
//
//     using Item, Acc, Op, Saved;                  Saved: what a lane keeps of a tile between reduce and finish
//     static constexpr int kItems;                 a lane
//     in;  Count n;  Op op;  Carry<Acc> start;     `in` is a pointer or has operator[]
//     Acc  reduce(const Stretch<Item>&, Saved&);   the stretch's fold, in every lane; unspecified if it is empty
//     bool finish(const Stretch<Item>&, const Carry<Acc>&, const Saved&);
//                                                  true, for every tile or for none: lane 0 has committed a group
//                                                  of bulk stores, maybe empty, that still reads the stretch
//     void complete(const Carry<Acc>& all);        one lane, once, with the fold of everything
#pragma once

#include <cstdint>

#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A warp's stretch of a tile, on chip.
template <class Item>
struct Stretch {
    Item* items;
    int count;           ///< how many there are; 0 … 32 × the work's items a lane
    std::uint64_t base;  ///< index of the first
};

/// A work may fetch its items itself, when it is reduced. Then the ring brings it only empty stretches, and calls
///
///     void look_ahead(const Stretch<Item>&);      before the one before this stretch is finished
///     Acc  reduce(const Stretch<Item>&, Saved&, simt::TransactionBarrier& fetched);
///                                                 one lane arrives on `fetched`
template <class Work>
concept FetchingWork = requires(Work work, const Stretch<typename Work::Item>& own) {
    work.look_ahead(own);
};

/// A work may be told what items are about to be loaded, with prefetch(base, count).
template <class Work>
concept PrefetchingWork = requires(Work work) {
    work.prefetch(std::uint64_t{}, int{});
};

/// A work may load its tiles itself. All lanes of the copy warp call
///
///     void load(std::uint64_t base, int begin, int end, unsigned char* stage, simt::TransactionBarrier& full);
///
/// for items begin … end of the tile at `base`, those of whole stretches, and each arrives on `full` once; what is not
/// there then, the work reads when it is reduced. Then an item's place in a stage may also be larger than the item:
/// static constexpr std::size_t kPlaceBytes.
template <class Work>
concept LoadingWork = requires(const Work work, unsigned char* stage, simt::TransactionBarrier& full) {
    work.load(std::uint64_t{}, int{}, int{}, stage, full);
};

/// A work may say that a warp looks at the item before its stretch on chip: static constexpr bool kLooksBack = true.
template <class Work>
concept LookingBackWork = Work::kLooksBack;

/// A work may say that its tiles take longer than their bulk stores: static constexpr bool kGivesBackLate = true. Then
/// a stage is given back a tile later, and no warp waits for a store.
template <class Work>
concept LateWork = Work::kGivesBackLate;

/// A work may say that its input is not worth keeping in the L2 cache, with reads_once().
template <class Work>
concept OnceReadingWork = requires(Work work) {
    work.reads_once();
};

}  // namespace kogge::grid::KOGGE_CODE
