// Reductions by key with host threads: reduce-then-scan over the number of runs and the fold of the open one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kogge/host/machine/threads.hpp"

namespace kogge::host {

/// Writes each run's first key and the fold of its values. Returns the number of runs. `keys`, `values` and `keys_out`
/// have operator[].
template <class Keys, class Values, class KeysOut, class Sum, class Op, class Equal>
std::uint64_t reduce_by_key(const Keys& keys, const Values& values, const KeysOut& keys_out, Sum* sums, std::uint64_t n,
                            const Op& op, const Equal& equal, int threads) {
    struct Fold {
        std::uint64_t runs;  ///< that begin
        Sum value;           ///< of the last one, as far as it is folded
        bool present;
    };
    const auto add = [&op](const Sum& a, const Sum& b) { return static_cast<Sum>(op(a, b)); };
    const auto join = [&add](const Fold& a, const Fold& b) {
        if (!a.present) return b;
        return Fold{a.runs + b.runs, b.runs > 0 ? b.value : add(a.value, b.value), true};
    };
    const auto visit = [&](const Chunk& chunk, Fold fold, const auto& at_head) {
        for (std::uint64_t i = chunk.begin; i < chunk.end; ++i) {
            const auto value = static_cast<Sum>(values[i]);
            if (i == 0 || !static_cast<bool>(equal(keys[i - 1], keys[i]))) {
                at_head(fold, i);
                fold = {fold.runs + 1, value, true};
            } else {
                fold.value = fold.present ? add(fold.value, value) : value;
                fold.present = true;
            }
        }
        return fold;
    };
    const auto reduce = [&](const Chunk& chunk, unsigned) {
        return visit(chunk, {}, [](const Fold&, std::uint64_t) {});
    };
    const auto write = [&](const Chunk& chunk, unsigned, const Fold& before) {
        visit(chunk, before, [&](const Fold& fold, std::uint64_t i) {
            keys_out[fold.runs] = keys[i];
            if (fold.runs > 0) sums[fold.runs - 1] = fold.value;
        });
    };
    using Key = std::remove_cvref_t<decltype(keys[std::uint64_t{}])>;
    using Value = std::remove_cvref_t<decltype(values[std::uint64_t{}])>;
    constexpr std::uint64_t kChunkItems = std::max<std::uint64_t>(1, kChunkBytes / (sizeof(Key) + sizeof(Value)));
    const Fold all = reduce_then_scan(n, kChunkItems, threads, Fold{}, join, reduce, write);
    if (all.runs > 0) sums[all.runs - 1] = all.value;
    return all.runs;
}

}  // namespace kogge::host
