// Reductions with host threads: chunks are folded apart, and their folds joined in order. Chunks depend on the types
// alone, so that the result is the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/reductions.hpp"
#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

/// The fold of view(i, in[i]) for i in [begin, end), of at least one item.
template <class Acc, class In, class Op, class View>
Acc fold_items(const In& in, std::uint64_t begin, std::uint64_t end, const Op& op, const View& view) {
    const auto item = [&](std::uint64_t i) { return static_cast<Acc>(view(i, in[i])); };
    const auto join = [&](const Acc& a, const Acc& b) { return static_cast<Acc>(op(a, b)); };
    const std::uint64_t n = end - begin;
    // Several folds at a time, so that one need not wait for the other: of neighbouring items, which vectors take
    // together, or, where order counts, of the quarters of the interval.
    constexpr bool commutes = kogge::detail::commutes<Op, Acc>;
    constexpr std::uint64_t kFolds = commutes ? 16 : 4;
    const std::uint64_t each = n / kFolds, whole = each * kFolds;
    if (each < 2) {
        Acc fold = item(begin);
        for (std::uint64_t i = begin + 1; i < end; ++i) fold = join(fold, item(i));
        return fold;
    }
    const std::uint64_t apart = commutes ? 1 : each, step = commutes ? kFolds : 1;
    Acc folds[kFolds];
    for (std::uint64_t f = 0; f < kFolds; ++f) folds[f] = item(begin + f * apart);
    for (std::uint64_t k = 1, i = begin + step; k < each; ++k, i += step)
        for (std::uint64_t f = 0; f < kFolds; ++f) folds[f] = join(folds[f], item(i + f * apart));
    Acc fold = folds[0];
    for (std::uint64_t f = 1; f < kFolds; ++f) fold = join(fold, folds[f]);
    for (std::uint64_t i = begin + whole; i < end; ++i) fold = join(fold, item(i));
    return fold;
}

/// The reduction of view(i, in[i]) for i in [begin, end).
template <class Acc, class In, class Op, class View>
Acc reduce(const In& in, std::uint64_t begin, std::uint64_t end, const Op& op, const View& view,
           const kogge::detail::ReduceStart<Acc>& start, int threads) {
    struct Fold {
        Acc value;
        bool present;
    };
    using Item = std::remove_cvref_t<decltype(in[std::uint64_t{}])>;
    constexpr std::uint64_t kChunkItems = std::max<std::uint64_t>(1, kChunkBytes / sizeof(Item));
    const auto join = [&op](const Fold& a, const Fold& b) {
        return a.present ? Fold{static_cast<Acc>(op(a.value, b.value)), true} : b;
    };
    const auto fold = [&in, &op, &view, begin](const Chunk& chunk, unsigned) {
        return Fold{fold_items<Acc>(in, begin + chunk.begin, begin + chunk.end, op, view), true};
    };
    const Fold all = reduce_then_scan(end - begin, kChunkItems, threads, Fold{start.value, false}, join, fold,
                                      [](const Chunk&, unsigned, const Fold&) {});
    return start.result(all.value, all.present, op);
}

/// The reductions of segments: store(s, result) for each s in [0, segments), with the bounds bounds(s, n). Long
/// segments are shared by the threads one after the other; the others are handed out in groups.
template <class Acc, class In, class Op, class View, class Bounds, class Store>
void segmented_reduce(const In& in, std::uint64_t n, const Bounds& bounds, std::uint64_t segments, const Op& op,
                      const View& view, const kogge::detail::ReduceStart<Acc>& start, const Store& store, int threads) {
    constexpr std::uint64_t kLong = 1u << 18;
    const std::uint64_t each = std::max<std::uint64_t>(1, 16384 / (n / std::max<std::uint64_t>(segments, 1) + 1));
    std::atomic<bool> any_long = false;
    const auto reduce_one = [&](std::uint64_t s, int by) {
        const auto [begin, end] = bounds(s, n);
        store(s, reduce(in, begin, end, op, view, start, by));
    };
    // As many threads as the items are worth, or the segments, if they are many and empty.
    const int workers = threads_of((std::max)(n, segments), threads);
    for_chunks(segments, each, workers, [&](const Chunk& chunk) {
        for (std::uint64_t s = chunk.begin; s < chunk.end; ++s) {
            const auto [begin, end] = bounds(s, n);
            if (end - begin > kLong) any_long = true;
            else reduce_one(s, 1);
        }
    });
    if (!any_long) return;
    for (std::uint64_t s = 0; s < segments; ++s) {
        const auto [begin, end] = bounds(s, n);
        if (end - begin > kLong) reduce_one(s, threads);
    }
}

}  // namespace kogge::host
