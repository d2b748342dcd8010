// What the launches of a split tell each other: the list of moves, and what was found out on the way.
//
// Passes may be left out, and only the device knows which. As two buffers take turns, leaving out passes changes where
// each of the others reads and writes, so the list of moves is written on the device, one word a pass, and the passes'
// kernels follow it; the host does not wait to learn it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/grid/sort_memory.hpp"
#include "kogge/grid/value_digits.cuh"

namespace kogge::grid {

/// What one launch of a pass does. Place: which of the buffers it reads and writes.
struct Move {
    enum Place : std::uint32_t { input, output, other, nowhere };
    enum Action : std::uint32_t { skip, split, copy };

    Action action;
    Place from;
    Place to;
    std::uint32_t index;      ///< splits before this one
    std::uint32_t encodes;    ///< 1: reads keys, and not yet items
    std::uint32_t decodes;    ///< 1: writes keys again
    std::uint32_t by_values;  ///< 1: is for the launch of the pass that goes by values

    KOGGE_HOST_DEVICE std::uint32_t word() const {
        return action | from << 2 | to << 4 | encodes << 6 | decodes << 7 | by_values << 8 | index << 9;
    }
    KOGGE_HOST_DEVICE static Move of(std::uint32_t word) {
        return {static_cast<Action>(word & 3),
                static_cast<Place>(word >> 2 & 3),
                static_cast<Place>(word >> 4 & 3),
                word >> 9,
                word >> 6 & 1,
                word >> 7 & 1,
                word >> 8 & 1};
    }
};

/// What shapes the list of moves.
struct MoveRules {
    int passes;
    bool in_place;       ///< an output is its input, so that the number of moves is even, but for none
    bool drops_keys;     ///< the last move writes no keys, unless groups are still to be put in order
    bool may_leave_out;  ///< passes over lower digits may be left out, as groups of equal leading ones are put in order
    bool may_group;      ///< order_groups.cuh follows
    std::uint32_t span_items;  ///< what order_spans.cuh, which follows, puts in order together; 0: it does not
    std::uint64_t span_words;  ///< places of a block there, whose groups have to fit words; 0: they need not
};

/// Writes the list: a slot before the passes, for a copy that finds no pass left out, and a slot a pass. `by_values`:
/// all passes are, and keys themselves travel between them. `active(p)`: pass p changes something. `may_stay`: if none
/// does, the outputs hold the items. Returns the number of such passes.
template <class Active>
KOGGE_DEVICE std::uint32_t list_moves(std::uint32_t* moves, const MoveRules& rules, bool may_stay, bool drops_keys,
                                      bool by_values, Active active) {
    std::uint32_t splits = 0;
    KOGGE_NO_UNROLL
    for (int pass = 0; pass < rules.passes; ++pass) splits += active(pass) ? 1 : 0;
    const bool copies = splits == 0 ? !may_stay : rules.in_place && splits % 2 == 1;
    const bool has_idle = splits < static_cast<std::uint32_t>(rules.passes);
    std::uint32_t left = splits + (copies ? 1 : 0), index = 0;
    bool copied = !copies;
    std::uint32_t encodes = by_values ? 0 : 1;
    Move::Place from = Move::input;
    KOGGE_NO_UNROLL
    for (int slot = 0; slot <= rules.passes; ++slot) {
        const bool splits_here = slot > 0 && active(slot - 1);
        const bool copies_here = !copied && !splits_here && (slot > 0 || !has_idle);
        Move move{Move::skip, from, from, index, encodes, 0, 0};
        if (splits_here || copies_here) {
            --left;
            move.action = splits_here ? Move::split : Move::copy;
            move.to = from = left % 2 == 0 ? Move::output : Move::other;
            move.decodes = left == 0 && !by_values ? 1 : 0;
            move.by_values = splits_here && by_values ? 1 : 0;
            encodes = 0;
            if (left == 0 && drops_keys) move.to = Move::nowhere;
            index += splits_here ? 1 : 0;
            copied = copied || copies_here;
        }
        moves[slot] = move.word();
    }
    return splits;
}

/// What the counting blocks and the passes share; zero before the count.
struct SplitControl {
    std::uint32_t done;       ///< blocks that have counted
    std::uint32_t unsorted;   ///< keys out of order were met
    std::uint32_t disorder;   ///< the result is out of order: ranks as served did not come in order
    std::uint32_t splits;     ///< passes that are not left out
    std::uint32_t lowest;     ///< passes below this one are left out, so that groups are to be put in order; 0: none
    std::uint32_t large;      ///< groups listed that are to be sorted by themselves (large_groups.cuh)
    std::uint32_t too_large;  ///< one of them is too large for that
    std::uint32_t sampled_lowest;  ///< by a sample, passes below this one may be left out; 0: none
    std::uint32_t sampled_top;     ///< and spans will do behind passes over digits below this; 0: they will not
    std::uint32_t sampled_values;  ///< different keys of it
    std::uint32_t by_spans;        ///< groups are to be put in order by order_spans.cuh
    std::uint32_t has_large;       ///< a group does not fit the chip (order_spans.cuh)
    std::uint32_t crowded;         ///< spans listed that are to be sorted by digits
    std::uint32_t no_spans;        ///< where these begin and end does not fit together: there is disorder
    std::uint32_t again_drawn,
        again_done;           ///< what is listed, and stretches of a sort that is repeated (sort_again.cuh)
    ValueDigits values;       ///< if there are some, passes go by these
    std::uint32_t last_nans;  ///< but there are keys for which they do not hold
};
static_assert(sizeof(SplitControl) <= kSplitControlWords * sizeof(std::uint32_t));

}  // namespace kogge::grid
