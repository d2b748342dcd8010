// The arguments of one launch of a pass, and the buffers that it reads and writes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/keys.hpp"
#include "kogge/pass/schedule.cuh"
#include "kogge/pass/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

/// A key and its value, of 4 bytes each, which travel as one item in pipelined passes: on chip they move in one access,
/// and between passes one scattered stream of 8-byte items writes fewer sectors than two of 4. The key is the upper
/// half.
template <class Key>
struct Packed {
    using Item = std::uint64_t;

    template <class Value>
    KOGGE_DEVICE static Item pack(const Key& key, const Value& value) {
        return static_cast<Item>(std::bit_cast<std::uint32_t>(key)) << 32 | std::bit_cast<std::uint32_t>(value);
    }
    KOGGE_DEVICE static Key key(Item item) { return std::bit_cast<Key>(static_cast<std::uint32_t>(item >> 32)); }
    template <class Value>
    KOGGE_DEVICE static Value value(Item item) {
        return std::bit_cast<Value>(static_cast<std::uint32_t>(item));
    }
};

/// A pass's function for packed items.
template <class Key, class PassBucket>
struct PackedBucket {
    PassBucket of_key;

    KOGGE_DEVICE std::uint32_t operator()(std::uint64_t item) const { return of_key(Packed<Key>::key(item)); }
    KOGGE_DEVICE std::uint64_t encode(std::uint64_t item) const {
        using Half = Packed<Key>;
        return Half::pack(of_key.encode(Half::key(item)), Half::template value<std::uint32_t>(item));
    }
};

/// One launch of a pass: tiles of the items [first, first + most) that exist.
template <class Key, class Value, class PassBucket>
struct PassProblem {
    using key_type = Key;
    using value_type = Value;
    using Bucket = PassBucket;
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;
    static constexpr std::size_t kValueBytes = kHasValues ? sizeof(Value) : 0;
    static constexpr int kItems = onesweep_items(sizeof(Key) + kValueBytes);  ///< per thread of a pipelined pass
    /// In pipelined passes, a thread's items and those in `other` are key and value in one.
    static constexpr bool kPacks = packs_items(sizeof(Key), kValueBytes);
    using Item = std::conditional_t<kPacks, std::uint64_t, Key>;

    const Key* keys_in;  ///< the three buffers of Move
    Key* keys_out;
    Key* keys_other;         ///< packed items of pipelined passes are here
    const Value* values_in;  ///< null stands for indices
    Value* values_out;
    Value* values_other;
    Count n;
    std::uint64_t first;  ///< item of this launch, which takes at most `most`
    std::uint64_t most;
    PassBucket bucket;
};

/// State shared by the tiles of one launch.
struct PassBoard {
    const std::uint32_t* moves;   ///< this launch's word of the schedule
    std::uint32_t* ticket;        ///< zero before the launch
    const std::uint64_t* starts;  ///< of the bins
    std::uint64_t* next_starts;   ///< null, or where the starts for the next launch of the pass go
    std::uint64_t* counts;        ///< two tables (look_back_words) that alternate; zero before
    std::uint32_t rows;
    std::uint32_t part;  ///< number of this launch among the `parts` launches of the pass
    std::uint32_t parts;
};

/// A look-back word holds two bins, each with a state in the two highest of 32 bits and a count below.
struct CountWord {
    static constexpr std::uint32_t kAggregate = 1u << 30, kPrefix = 2u << 30, kCount = (1u << 30) - 1;

    KOGGE_DEVICE static std::uint64_t pack(std::uint32_t state, std::uint32_t low, std::uint32_t high) {
        return static_cast<std::uint64_t>(state | high) << 32 | (state | low);
    }
};

/// The buffers that a tile reads and writes.
template <class Key, class Value>
struct TileRoute {
    const Key* keys_in;
    Key* keys_out;           ///< null: no keys are written
    const Value* values_in;  ///< null: a value is its item's index
    Value* values_out;
    bool encodes;
    bool decodes;

    KOGGE_DEVICE Value value_at(std::uint64_t index) const {
        if constexpr (std::is_integral_v<Value>)
            if (!values_in) return static_cast<Value>(index);
        return values_in[index];
    }
};

/// The buffers of a launch, as its move says.
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
    std::uint64_t* cleared;  ///< the next launch's table

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
        const std::uint64_t table = look_back_words(board.rows);
        const std::uint32_t turn = (move.index * board.parts + board.part) % 2;
        counts = board.counts + table * turn;
        cleared = board.counts + table * (1 - turn);
        encodes = move.encodes && problem.bucket.recodes();
        decodes = move.decodes && problem.bucket.recodes();
    }

    /// How a move that copies treats an item. (A conditional expression of structs keeps nvcc 13.0 compiling without
    /// end.)
    using Copied = typename Problem::key_type;
    KOGGE_DEVICE void load(std::uint64_t index, Copied& item) const {
        if (keys_out) item = keys_in[index];
    }
    KOGGE_DEVICE void store(std::uint64_t index, const Copied& copied, const typename Problem::Bucket& bucket) const {
        if (keys_out) {
            if (encodes == decodes) keys_out[index] = copied;
            else keys_out[index] = encodes ? bucket.encode(copied) : bucket.decode(copied);
        }
        if constexpr (Problem::kHasValues) values_out[index] = this->value_at(index);
    }
};

/// The same for a pipelined pass.
template <class Problem>
struct PipelineRoute : PassRoute<Problem> {
    using Item = typename Problem::Item;
    using Base = PassRoute<Problem>;
    using Base::keys_in;
    using Base::keys_out;
    using Base::values_in;
    using Base::values_out;

    const Item* items_in = nullptr;  ///< packed; then no other array is read
    Item* items_out = nullptr;       ///< packed; then no other array is written

    KOGGE_DEVICE PipelineRoute(const Problem& problem, const PassBoard& board, const Move& move)
        : Base(problem, board, move) {
        if constexpr (Problem::kPacks) {
            if (move.from == Move::other) {
                items_in = reinterpret_cast<const Item*>(keys_in);
                keys_in = nullptr;
                values_in = nullptr;
            }
            if (move.to == Move::other) items_out = reinterpret_cast<Item*>(keys_out);
        }
    }
    KOGGE_DEVICE Item item_at(std::uint64_t index) const {
        if constexpr (Problem::kPacks) {
            if (items_in) return items_in[index];
            return Packed<typename Problem::key_type>::pack(keys_in[index], this->value_at(index));
        } else {
            return keys_in[index];
        }
    }

    using Copied = Item;
    KOGGE_DEVICE void load(std::uint64_t index, Copied& item) const {
        if constexpr (Problem::kPacks) item = item_at(index);
        else Base::load(index, item);
    }
    KOGGE_DEVICE void store(std::uint64_t index, const Copied& item, const typename Problem::Bucket& bucket) const {
        if constexpr (Problem::kPacks) {
            using Half = Packed<typename Problem::key_type>;
            using Value = typename Problem::value_type;
            typename Problem::key_type key = Half::key(item);
            if (this->encodes != this->decodes) key = this->encodes ? bucket.encode(key) : bucket.decode(key);
            if (items_out) {
                items_out[index] = Half::pack(key, Half::template value<Value>(item));
            } else {
                if (keys_out) keys_out[index] = key;
                values_out[index] = Half::template value<Value>(item);
            }
        } else {
            Base::store(index, item, bucket);
        }
    }
};

/// Copies the launch's items without moving them.
template <class Problem, class Route>
KOGGE_DEVICE void copy_through(const Problem& problem, const Route& route) {
    const std::uint64_t step = static_cast<std::uint64_t>(simt::grid_size()) * simt::block_size(),
                        end = problem.first + route.n;
    const std::uint64_t begin =
        problem.first + static_cast<std::uint64_t>(simt::block_rank()) * simt::block_size() + simt::thread_rank();
    constexpr int batch = sizeof(typename Problem::key_type) <= 16 ? 8 : 1;
    for (std::uint64_t i = begin; i < end; i += batch * step) {
        typename Route::Copied items[batch];
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u)
            if (i + u * step < end) route.load(i + u * step, items[u]);
        KOGGE_UNROLL
        for (int u = 0; u < batch; ++u)
            if (i + u * step < end) route.store(i + u * step, items[u], problem.bucket);
    }
}

}  // namespace kogge::grid::KOGGE_CODE
