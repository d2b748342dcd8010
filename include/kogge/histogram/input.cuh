// The items of a histogram as warps read them: of a pointer in loads of 16 bytes, of anything else item by item. A load
// is the unit in which the input is shared out.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kogge/block/tile.cuh"
#include "kogge/histogram/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// An item with its weight, modulo 2^64.
template <class Item>
struct WeightedItem {
    Item item;
    std::uint64_t weight;
};
template <class Item>
inline constexpr bool is_weighted = false;
template <class Item>
inline constexpr bool is_weighted<WeightedItem<Item>> = true;

template <class In>
using histogram_item = std::remove_cvref_t<decltype(std::declval<const In&>()[std::uint64_t{}])>;

/// The items [begin, end) of an input.
template <class In>
struct HistogramInput {
    using Item = histogram_item<In>;
    static constexpr bool kInChunks = block::kCopiesChunks<Item, In>;
    using Held = std::conditional_t<kInChunks, block::Chunk, Item>;
    static constexpr int kEach = kInChunks ? static_cast<int>(sizeof(block::Chunk) / sizeof(Item)) : 1;

    In in;
    std::uint64_t begin;
    std::uint64_t head = 0;  ///< items before the first load
    std::uint64_t loads;
    std::uint64_t ragged = 0;  ///< items before the first load and after the last one

    KOGGE_DEVICE HistogramInput(const In& items, std::uint64_t first, std::uint64_t end) : in(items), begin(first) {
        const std::uint64_t n = end - first;
        loads = n;
        if constexpr (kInChunks) {
            const std::uint64_t past = reinterpret_cast<std::uintptr_t>(in + begin) % sizeof(block::Chunk);
            head = past > 0 ? (sizeof(block::Chunk) - past) / sizeof(Item) : 0;
            if (head > n) head = n;
            loads = (n - head) / kEach;
            ragged = n - loads * kEach;
        }
    }
    KOGGE_DEVICE Held load(std::uint64_t number) const {
        if constexpr (kInChunks) return reinterpret_cast<const block::Chunk*>(in + begin + head)[number];
        else return in[begin + number];
    }
    /// Calls use(whether there is an item, item, its index) in all lanes of the warp, for the items of a load per lane.
    template <class Use>
    KOGGE_DEVICE void visit_load(const Held& load, std::uint64_t number, const Use& use) const {
        const bool is_there = number < loads;
        const std::uint64_t index = begin + head + number * kEach;
        if constexpr (kInChunks) {
            Item items[std::size_t{kEach}];
            std::memcpy(static_cast<void*>(items), &load, sizeof(load));
            KOGGE_UNROLL
            for (int i = 0; i < kEach; ++i) use(is_there, items[i], index + static_cast<std::uint64_t>(i));
        } else {
            use(is_there, load, index);
        }
    }
    /// The same for the ragged items.
    template <class Use>
    KOGGE_DEVICE void for_ragged(const Use& use) const {
        if constexpr (kInChunks) {
            static_assert(2 * (kEach - 1) <= simt::kWarpSize);
            if (ragged == 0) return;
            const auto i = static_cast<std::uint64_t>(simt::lane());
            Item item{};
            const std::uint64_t index = begin + (i < head ? i : loads * kEach + i);
            if (i < ragged) item = in[index];
            use(i < ragged, item, index);
        }
    }
};

/// The loads that a thread has in flight: numbers from + j × 32.
template <class In, int most = kHistogramHeld>
struct HistogramBatch {
    using Input = HistogramInput<In>;
    static constexpr int kHeld = Input::kInChunks ? most : 2 * most;
    static constexpr std::uint64_t kWarpLoads = std::uint64_t{kHeld} * simt::kWarpSize;

    typename Input::Held held[std::size_t{kHeld}];
    std::uint64_t from;

    /// Loads batch `number` of all that warps have.
    KOGGE_DEVICE void load(const Input& in, std::uint64_t number) {
        from = number * kWarpLoads + static_cast<std::uint64_t>(simt::lane());
        if (from + (kWarpLoads - simt::kWarpSize) < in.loads) {
            KOGGE_UNROLL
            for (int j = 0; j < kHeld; ++j) held[j] = in.load(at(j));
        } else {
            KOGGE_UNROLL
            for (int j = 0; j < kHeld; ++j) held[j] = at(j) < in.loads ? in.load(at(j)) : typename Input::Held{};
        }
    }
    /// Calls use(whether there is an item, item, its index) in all lanes of the warp.
    template <class Use>
    KOGGE_DEVICE void visit(const Input& in, const Use& use) {
        if constexpr (Input::kEach <= 4) {
            KOGGE_UNROLL
            for (int j = 0; j < kHeld; ++j) in.visit_load(held[j], at(j), use);
        } else {  // with many items per load the code would be long
            KOGGE_NO_UNROLL
            for (int j = 0; j < kHeld; ++j) {
                const typename Input::Held now = held[0];
                KOGGE_UNROLL
                for (int i = 0; i + 1 < kHeld; ++i) held[i] = held[i + 1];
                in.visit_load(now, at(j), use);
            }
        }
    }

private:
    KOGGE_DEVICE std::uint64_t at(int j) const { return from + static_cast<std::uint64_t>(j * simt::kWarpSize); }
};

}  // namespace kogge::grid::KOGGE_CODE
