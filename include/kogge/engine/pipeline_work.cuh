// The interface of a Work, which a pipeline (engine/pipeline.cuh) copies into every thread:
//
//     using Item, Acc, Op, Saved;                  Saved: state that a lane keeps from a tile's reduce to its finish
//     static constexpr int kItems;                 items per lane
//     in;  Count n;  Op op;  Carry<Acc> start;     `in` is a pointer or has operator[]
//     Acc  reduce(const Slice<Item>&, Saved&);   the slice's fold, in every lane; unspecified if the slice is empty
//     bool finish(const Slice<Item>&, const Carry<Acc>&, const Saved&);
//                                                  true, for every tile or for none: lane 0 has committed a group
//                                                  of bulk stores, maybe empty, that still reads the slice
//     void complete(const Carry<Acc>& all);        one lane, once, with the fold of all items
#pragma once

#include <cstdint>

#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

/// A warp's slice of a tile, on chip.
template <class Item>
struct Slice {
    Item* items;
    int count;           ///< 0 … 32 × the work's items per lane
    std::uint64_t base;  ///< index of the first item
};

/// A work may fetch its own items when a slice is reduced. Then the pipeline passes it empty slices, and calls
///
///     void look_ahead(const Slice<Item>&);      before the slice before this one is finished
///     Acc  reduce(const Slice<Item>&, Saved&, simt::TransactionBarrier& fetched);
///                                                 one lane arrives on `fetched`
template <class Work>
concept FetchingWork = requires(Work work, const Slice<typename Work::Item>& own) {
    work.look_ahead(own);
};

/// A work may be told which items are loaded next: prefetch(base, count).
template <class Work>
concept PrefetchingWork = requires(Work work) {
    work.prefetch(std::uint64_t{}, int{});
};

/// A work may load its own tiles. All lanes of the copy warp call
///
///     void load(std::uint64_t base, int begin, int end, unsigned char* stage, simt::TransactionBarrier& full);
///
/// for items begin … end of the tile at `base`, which are whole slices. Each lane arrives on `full` once. Items that
/// have not arrived by then are read by the work when it reduces the slice. Such a work may give an item more room in a
/// stage than its size: static constexpr std::size_t kPlaceBytes.
template <class Work>
concept LoadingWork = requires(const Work work, unsigned char* stage, simt::TransactionBarrier& full) {
    work.load(std::uint64_t{}, int{}, int{}, stage, full);
};

/// A work may declare that a warp reads the item before its slice on chip: static constexpr bool kLooksBack = true.
template <class Work>
concept LookingBackWork = Work::kLooksBack;

/// A work may declare that a tile takes longer than its bulk stores: static constexpr bool kGivesBackLate = true. Then
/// a stage is released one tile later, and no warp waits for a store.
template <class Work>
concept LateWork = Work::kGivesBackLate;

/// A work may report that its input is not worth keeping in the L2 cache: reads_once().
template <class Work>
concept OnceReadingWork = requires(Work work) {
    work.reads_once();
};

}  // namespace kogge::grid::KOGGE_CODE
