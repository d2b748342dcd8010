// What the launches of a split tell each other: the list of moves, and what was found out on the way.
//
// Passes may be left out, and only the device knows which. As two buffers take turns, leaving out passes changes where
// each of the others reads and writes, so the list of moves is written on the device, one word a pass, and the passes'
// kernels follow it; the host does not wait to learn it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/digit/value_digits.cuh"
#include "kogge/pass/shape.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

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
    bool may_group;      ///< sort/prefix/small_buckets.cuh follows
    std::uint32_t span_items;  ///< what sort/prefix/spans.cuh, which follows, puts in order together; 0: it does not
    std::uint64_t span_words;  ///< places of a block there, whose groups have to fit words; 0: they need not
};

/// Writes the list: a slot before the passes, for a copy that finds no pass left out, and a slot a pass. `by_values`:
/// all passes are, and keys themselves travel between them. `active(p)`: pass p changes something. `may_stay`: if none
/// does, the outputs hold the items. Returns the number of such passes. All lanes of one warp call: one thread would
/// take longer than all the rest behind the count.
template <class Active>
KOGGE_DEVICE std::uint32_t list_moves(std::uint32_t* moves, const MoveRules& rules, bool may_stay, bool drops_keys,
                                      bool by_values, Active active) {
    const int slots = rules.passes + 1;
    const auto splits_in = [&](int slot) { return slot > 0 && slot < slots && active(slot - 1); };
    std::uint32_t splits = 0;
    int idle = 0;  // the first slot of a pass that is left out; else the one before all
    KOGGE_NO_UNROLL
    for (int first = 0; first < slots; first += simt::kWarpSize) {
        const int slot = first + simt::lane();
        const bool splits_here = splits_in(slot);
        splits += static_cast<std::uint32_t>(simt::count_bits(simt::ballot(splits_here)));
        const simt::mask_t left_out = simt::ballot(slot > 0 && slot < slots && !splits_here);
        if (idle == 0 && left_out != 0) idle = first + simt::lowest_bit(left_out);
    }
    const bool copies = splits == 0 ? !may_stay : rules.in_place && splits % 2 == 1;
    // The last move writes the output, those before it take turns.
    const std::uint32_t all = splits + (copies ? 1 : 0);
    const auto place_behind = [&](std::uint32_t done) { return (all - done) % 2 == 0 ? Move::output : Move::other; };
    std::uint32_t done = 0, index = 0;  // moves, and splits, in the slots before
    KOGGE_NO_UNROLL
    for (int first = 0; first < slots; first += simt::kWarpSize) {
        const int slot = first + simt::lane();
        const bool splits_here = splits_in(slot), copies_here = copies && slot == idle;
        const simt::mask_t moving = simt::ballot(splits_here || copies_here), splitting = simt::ballot(splits_here);
        const auto earlier = [](simt::mask_t lanes) {
            return static_cast<std::uint32_t>(simt::count_bits(lanes & simt::lanes_before()));
        };
        const std::uint32_t before = done + earlier(moving);
        const Move::Place from = before == 0 ? Move::input : place_behind(before);
        Move move{Move::skip, from, from, index + earlier(splitting), before == 0 && !by_values ? 1u : 0u, 0, 0};
        if (splits_here || copies_here) {
            const bool is_last = before + 1 == all;
            move.action = splits_here ? Move::split : Move::copy;
            move.to = is_last && drops_keys ? Move::nowhere : place_behind(before + 1);
            move.decodes = is_last && !by_values ? 1 : 0;
            move.by_values = splits_here && by_values ? 1 : 0;
        }
        if (slot < slots) moves[slot] = move.word();
        done += static_cast<std::uint32_t>(simt::count_bits(moving));
        index += static_cast<std::uint32_t>(simt::count_bits(splitting));
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
    std::uint32_t large;      ///< groups listed that are to be sorted by themselves (sort/prefix/large_buckets.cuh)
    std::uint32_t too_large;  ///< one of them is too large for that
    std::uint32_t sampled_lowest;  ///< by a sample, passes below this one may be left out; 0: none
    std::uint32_t sampled_top;     ///< and spans will do behind passes over digits below this; 0: they will not
    std::uint32_t sampled_values;  ///< different keys of it
    std::uint32_t by_spans;        ///< groups are to be put in order by sort/prefix/spans.cuh
    std::uint32_t has_large;       ///< a group does not fit the chip (sort/prefix/spans.cuh)
    std::uint32_t crowded;         ///< spans listed that are to be sorted by digits
    std::uint32_t no_spans;        ///< where these begin and end does not fit together: there is disorder
    std::uint32_t again_drawn,
        again_done;           ///< what is listed, and stretches of a sort that is repeated (sort/prefix/fallback.cuh)
    ValueDigits values;       ///< if there are some, passes go by these
    std::uint32_t last_nans;  ///< but there are keys for which they do not hold
};
static_assert(sizeof(SplitControl) <= kSplitControlWords * sizeof(std::uint32_t));

}  // namespace kogge::grid::KOGGE_CODE
