// What a launch of a split's pass is given, and which of the buffers it reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/grid/carry.cuh"
#include "kogge/grid/digits.cuh"
#include "kogge/grid/histogram.cuh"
#include "kogge/plan.hpp"
#include "kogge/prebuilt.hpp"

namespace kogge::grid {

/// One launch of a pass: tiles of the items [first, first + n) of the whole.
template <class Key, class Value, class PassBucket>
struct PassProblem {
    using key_type = Key;
    using value_type = Value;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(Value) : 0;
    static constexpr int kItems = split_items(sizeof(Key) + kValueBytes);  ///< of a thread of a pipelined pass

    const Key* keys_in;  ///< the three places of Move
    Key* keys_out;
    Key* keys_other;
    const Value* values_in;  ///< null stands for indices
    Value* values_out;
    Value* values_other;
    Count n;
    std::uint64_t first;  ///< of this launch's items; it takes at most `most`
    std::uint64_t most;
    PassBucket bucket;
};

/// What the tiles of one launch share.
struct PassBoard {
    const std::uint32_t* moves;   ///< this launch's word
    std::uint32_t* ticket;        ///< zero before the launch
    const std::uint64_t* starts;  ///< of the bins
    std::uint64_t* next_starts;   ///< null, or where the starts for the next launch's items go
    std::uint64_t* counts;        ///< two tables (see split_table_words) that take turns; zero before
    std::uint32_t rows;
    std::uint32_t part;  ///< of how many launches of the pass this is which
    std::uint32_t parts;
};

/// Look-back words hold two bins, each a state in the two highest of 32 bits and a count below.
struct CountWord {
    static constexpr std::uint32_t kAggregate = 1u << 30, kPrefix = 2u << 30, kCount = (1u << 30) - 1;

    KOGGE_DEVICE static std::uint64_t pack(std::uint32_t state, std::uint32_t low, std::uint32_t high) {
        return static_cast<std::uint64_t>(state | high) << 32 | (state | low);
    }
};

/// What a tile reads and writes.
template <class Key, class Value>
struct TileRoute {
    const Key* keys_in;
    Key* keys_out;           ///< null: no keys are written
    const Value* values_in;  ///< null stands for indices
    Value* values_out;
    bool encodes;
    bool decodes;

    KOGGE_DEVICE Value value_at(std::uint64_t index) const {
        if constexpr (std::is_integral_v<Value>)
            if (!values_in) return static_cast<Value>(index);
        return values_in[index];
    }
};

/// The route of a launch, as its move says.
template <class Problem>
struct PassRoute : TileRoute<typename Problem::key_type, typename Problem::value_type> {
    using Base = TileRoute<typename Problem::key_type, typename Problem::value_type>;
    using Base::decodes;
    using Base::encodes;
    using Base::keys_in;
    using Base::keys_out;
    using Base::values_in;
    using Base::values_out;

    std::uint64_t n;         ///< items of this launch
    std::uint64_t* counts;   ///< this launch's table
    std::uint64_t* cleared;  ///< the next launch's

    KOGGE_DEVICE PassRoute(const Problem& problem, const PassBoard& board, const Move& move) {
        keys_in = move.from == Move::input    ? problem.keys_in
                  : move.from == Move::output ? problem.keys_out
                                              : problem.keys_other;
        values_in = move.from == Move::input    ? problem.values_in
                    : move.from == Move::output ? problem.values_out
                                                : problem.values_other;
        keys_out = move.to == Move::nowhere ? nullptr : move.to == Move::output ? problem.keys_out : problem.keys_other;
        values_out = move.to == Move::other ? problem.values_other : problem.values_out;
        const std::uint64_t all = problem.n.get();
        n = all < problem.first ? 0 : all - problem.first < problem.most ? all - problem.first : problem.most;
        const std::uint64_t table = split_table_words(board.rows);
        const std::uint32_t turn = (move.index * board.parts + board.part) % 2;
        counts = board.counts + table * turn;
        cleared = board.counts + table * (1 - turn);
        encodes = move.encodes && problem.bucket.recodes();
        decodes = move.decodes && problem.bucket.recodes();
    }
};

/// Moves the launch's items as they are.
template <class Problem>
KOGGE_DEVICE void copy_through(const Problem& problem, const PassRoute<Problem>& route) {
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * simt::block_size(),
                        end = problem.first + route.n;
    const std::uint64_t begin =
        problem.first + static_cast<std::uint64_t>(simt::block_rank()) * simt::block_size() + simt::thread_rank();
    constexpr int batch = sizeof(typename Problem::key_type) <= 16 ? 8 : 1;
    for (std::uint64_t i = begin; i < end; i += batch * step) {
        typename Problem::key_type items[batch];
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u)
            if (route.keys_out && i + u * step < end) items[u] = route.keys_in[i + u * step];
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u) {
            if (i + u * step >= end) continue;
            if (route.keys_out) {
                if (route.encodes != route.decodes)
                    items[u] = route.encodes ? problem.bucket.encode(items[u]) : problem.bucket.decode(items[u]);
                route.keys_out[i + u * step] = items[u];
            }
            if constexpr (Problem::kHasValues) route.values_out[i + u * step] = route.value_at(i + u * step);
        }
    }
}

}  // namespace kogge::grid
