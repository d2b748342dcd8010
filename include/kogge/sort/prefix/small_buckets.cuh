// After passes over leading digits only: sorts small buckets, neighbours that agree in these digits, in place. A bucket
// is in order already or small, so a tile is read, and only items that move are written. Each key of a bucket counts
// the greater keys before it and the smaller keys after it, which gives its place, and keeps equal keys in order.
//
// Two launches: the first sorts tiles, except for the buckets at their ends; the second sorts these, in windows around
// the tiles' bounds. No launch writes what another of its blocks reads.
//
// Buckets of more than `kGroupReach` keys are left alone, and listed if they are out of order
// (sort/prefix/large_buckets.cuh). None is missed: two neighbours in the wrong order are in one tile, or in a window
// around its bound, which holds more than a reach on either side. A bucket that crosses a window's end either is large
// already within the window, or does not cross the bound, so that the tile has sorted it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/engine/carry.cuh"
#include "kogge/pass/schedule.cuh"
#include "kogge/sort/prefix/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

inline constexpr int kGroupReach = 192;
static_assert(kGroupReach < kGroupThreads / 2);

template <class KeyType, class ValueType, class Bucket>
struct GroupProblem {
    using Key = KeyType;
    using Value = ValueType;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr std::size_t kWidest = kHasValues && sizeof(Value) > sizeof(Key) ? sizeof(Value) : sizeof(Key);
    static constexpr int kItems = group_items(kWidest);

    Key* keys;
    Value* values;
    Count count;
    Bucket bucket;
    SplitControl* control;
    LargeGroup* large;  ///< [most_large_groups]
};

template <class Problem>
struct GroupShared {
    std::uint32_t members;   ///< items with neighbours in their bucket
    std::uint32_t descends;  ///< some members are out of order
    std::uint32_t listed;    ///< a bit per kGroupReach places in which a listed large bucket begins
    std::uint32_t stops;     ///< the sort is to be repeated anyway
    std::uint32_t crossed;   ///< bounds that lie in a bucket
    std::uint16_t bounds[kGroupThreads];
    std::uint16_t places[Problem::kItems];   ///< of the members
    std::uint16_t targets[Problem::kItems];  ///< the members' places in order
    alignas(16) unsigned char items[Problem::kItems * Problem::kWidest];

    static_assert(Problem::kItems / kGroupReach < 32);

    KOGGE_DEVICE void clear() { members = descends = listed = stops = 0; }
};
constexpr std::size_t group_shared_bytes(std::size_t widest) {
    return 2048 + static_cast<std::size_t>(group_items(widest)) * (widest + 4);
}

/// A launch's items, in buckets that share the upper bits of codes.
template <class Problem>
struct Groups {
    using Key = typename Problem::Key;
    const Problem& problem;
    GroupShared<Problem>& shared;
    std::uint64_t n;
    int shift;
    bool plain;  ///< keys are their codes

    KOGGE_DEVICE auto code(const Key& key) const { return plain ? key : problem.bucket.code(key); }
    template <class Code>
    KOGGE_DEVICE bool share(const Code& a, const Code& b) const {
        return (a ^ b) >> shift == 0;
    }
    KOGGE_DEVICE void report_disorder() const { simt::atomic_or<simt::Scope::device>(&problem.control->disorder, 1); }

    /// Sorts the buckets that are whole within [base, base + rows × threads). Ends with reads of `shared`.
    template <int rows, bool at_bounds>
    KOGGE_DEVICE void order(std::uint64_t base) const {
        constexpr int most = rows * kGroupThreads;
        const int count = n - base < static_cast<std::uint64_t>(most) ? static_cast<int>(n - base) : most;
        list_members<rows, at_bounds>(base, count);
        simt::sync_block();  // the members are listed
        if (shared.descends == 0 || shared.stops != 0) return;
        const int members = static_cast<int>(shared.members), thread = simt::thread_rank();
        for (int m = thread; m < members; m += kGroupThreads) find_target(base, count, m);
        simt::sync_block();  // all targets are found
        move(problem.keys + base, members);
        if constexpr (Problem::kHasValues) {
            simt::sync_block();  // the keys have left the chip
            move(problem.values + base, members);
        }
    }

private:
    KOGGE_DEVICE auto* codes() const { return reinterpret_cast<decltype(problem.bucket.code(Key{}))*>(shared.items); }

    template <int rows, bool at_bounds>
    KOGGE_DEVICE void list_members(std::uint64_t base, int count) const {
        const int thread = simt::thread_rank(), lane = simt::lane();
        Key keys[rows];
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r)
            if (r * kGroupThreads + thread < count) keys[r] = problem.keys[base + r * kGroupThreads + thread];
        if (!at_bounds && thread == 0) shared.stops = simt::load_relaxed(&problem.control->disorder);
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            keys[r] = code(keys[r]);
            if (r * kGroupThreads + thread < count) codes()[r * kGroupThreads + thread] = keys[r];
        }
        simt::sync_block();  // the codes are on chip

        bool descends = false, is_wrong = false;
        simt::mask_t joined[rows];
        int members = 0;
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            const int i = r * kGroupThreads + thread;
            bool joins = i > 0 && i < count && share(codes()[i - 1], keys[r]);
            if (i + 1 < count) {
                const auto next = codes()[i + 1];
                const bool joins_next = share(keys[r], next);
                if (keys[r] > next) (joins_next ? descends : is_wrong) = true;
                joins = joins || joins_next;
            }
            joined[r] = simt::ballot(joins);
            members += simt::count_bits(joined[r]);
        }
        if (is_wrong) {
            report_disorder();
            simt::atomic_or<simt::Scope::block>(&shared.stops, 1);
        }
        if (simt::any(descends) && lane == 0) simt::atomic_or<simt::Scope::block>(&shared.descends, 1);
        if (members == 0) return;
        std::uint32_t at = 0;
        if (lane == 0) at = simt::atomic_add<simt::Scope::block>(&shared.members, static_cast<std::uint32_t>(members));
        at = simt::shuffle(at, 0);
        KOGGE_UNROLL
        for (int r = 0; r < rows; ++r) {
            if (joined[r] >> lane & 1)
                shared.places[at + simt::count_bits(joined[r] & simt::lanes_before())] =
                    static_cast<std::uint16_t>(r * kGroupThreads + thread);
            at += simt::count_bits(joined[r]);
        }
    }

    /// The place of a member in its sorted bucket. A member of a bucket that is large, or not whole here, stays.
    KOGGE_DEVICE void find_target(std::uint64_t base, int count, int member) const {
        constexpr int near = 8;  // most buckets reach no further
        const int i = shared.places[member];
        const auto own = codes()[i];
        const auto shares_before = [&](int j) { return j >= 0 && share(own, codes()[j]); };
        const auto shares_behind = [&](int j) { return j < count && share(own, codes()[j]); };
        int first = i, end = i + 1, greater = 0, smaller = 0;
        const auto look = [&](int reach) {
            for (; i - first < reach && shares_before(first - 1); --first) greater += codes()[first - 1] > own ? 1 : 0;
            for (; end - i <= reach && shares_behind(end); ++end) smaller += codes()[end] < own ? 1 : 0;
        };
        look(near);
        bool is_large = false;
        if (i - first == near || end - i > near) {
            is_large = shares_before(i - kGroupReach) || shares_behind(i + kGroupReach);
            if (!is_large) look(kGroupReach);
            is_large = is_large || end - first > kGroupReach;
            if (is_large && shares_behind(i + 1) && own > codes()[i + 1]) list_large(base, i);
        }
        const bool is_cut = (first == 0 && base > 0) || (end == count && base + static_cast<std::uint64_t>(count) < n);
        shared.targets[member] = static_cast<std::uint16_t>(is_large || is_cut ? i : i - greater + smaller);
    }

    /// Lists the bucket of a place, unless this tile has listed it already.
    KOGGE_DEVICE void list_large(std::uint64_t base, int i) const {
        const auto own = codes()[i];
        int first = 0;
        for (int last = i; first < last;) {
            const int middle = (first + last) / 2;
            if (share(own, codes()[middle])) last = middle;
            else first = middle + 1;
        }
        const std::uint32_t bit = 1u << first / kGroupReach;
        if (simt::atomic_or<simt::Scope::block>(&shared.listed, bit) & bit) return;
        const std::uint32_t number = simt::atomic_add<simt::Scope::device>(&problem.control->large, 1);
        if (number < most_large_groups(n)) problem.large[number].begin = base + static_cast<std::uint64_t>(i);
        else report_disorder();
    }

    /// Moves the members' items to their targets. Targets are a permutation of places: each thread writes its own
    /// places.
    template <class Item>
    KOGGE_DEVICE void move(Item* items, int members) const {
        auto* const staged = reinterpret_cast<Item*>(shared.items);
        for (int m = simt::thread_rank(); m < members; m += kGroupThreads) {
            const int place = shared.places[m], target = shared.targets[m];
            if (place != target) staged[target] = items[place];
        }
        simt::sync_block();  // the items are in order on chip
        for (int m = simt::thread_rank(); m < members; m += kGroupThreads) {
            const int place = shared.places[m];
            if (place != shared.targets[m]) items[place] = staged[place];
        }
    }
};

/// Whether the bound before item `b` needs a window: it lies in a bucket of several keys, or beside one. Other bounds
/// need no more than the comparison here.
template <class Problem>
KOGGE_DEVICE bool needs_window(const Groups<Problem>& groups, std::uint64_t b) {
    const auto code_at = [&](std::uint64_t i) { return groups.code(groups.problem.keys[i]); };
    const auto last = code_at(b - 1), first = code_at(b);
    const bool crosses = groups.share(last, first);
    if (!crosses && last > first) groups.report_disorder();
    return crosses || groups.share(code_at(b - 2), last) || (b + 1 < groups.n && groups.share(first, code_at(b + 1)));
}

template <bool at_bounds, class Problem>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kGroupThreads, 3) order_groups_kernel(Problem problem) {
    simt::wait_for_stream();
    const int lowest = static_cast<int>(problem.control->lowest), thread = simt::thread_rank();
    if (lowest == 0 || problem.control->by_spans != 0) return;
    auto& shared = simt::shared_memory<GroupShared<Problem>>();
    static_assert(sizeof(GroupShared<Problem>) <= group_shared_bytes(Problem::kWidest));
    const Groups<Problem> groups{problem, shared, problem.count.get(), lowest * kDigitBits,
                                 problem.bucket.keys_are_codes()};
    const std::uint64_t tiles = divide_up(groups.n, Problem::kItems), blocks = simt::grid_size();
    if (thread == 0) shared.clear();
    if constexpr (at_bounds) {
        // Each thread looks at one bound; plans have enough blocks for that.
        const auto bound_of = [=](int thread) {
            return (simt::block_rank() + static_cast<std::uint64_t>(thread) * blocks + 1) * Problem::kItems;
        };
        if (thread == 0) shared.crossed = 0;
        simt::sync_block();  // no bound is listed
        if (bound_of(thread) < groups.n && needs_window(groups, bound_of(thread)))
            shared.bounds[simt::atomic_add<simt::Scope::block>(&shared.crossed, 1)] =
                static_cast<std::uint16_t>(thread);
        simt::sync_block();  // the bounds are listed
        for (std::uint32_t c = 0; c < shared.crossed; ++c) {
            groups.template order<1, true>(bound_of(shared.bounds[c]) - kGroupThreads / 2);
            simt::sync_block();  // the window has left the chip
            if (thread == 0) shared.clear();
        }
    } else {
        for (std::uint64_t tile = simt::block_rank(); tile < tiles; tile += blocks) {
            groups.template order<Problem::kItems / kGroupThreads, false>(tile * Problem::kItems);
            if (shared.stops != 0) return;
            simt::sync_block();  // the tile has left the chip
            if (thread == 0) shared.clear();
        }
    }
}

}  // namespace kogge::grid::KOGGE_CODE
