// The words that the launches of a split share: the schedule of passes, and findings about the keys.
//
// A pass may be left out, and only the device knows which. Two buffers alternate, so leaving out a pass changes where
// the others read and write. The schedule is therefore written on the device, one word per pass, and the passes'
// kernels follow it; the host does not wait for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kogge/digit/value_digits.cuh"
#include "kogge/pass/shape.hpp"
#include "kogge/simt/device.cuh"

namespace kogge::grid::KOGGE_CODE {

/// One step of the schedule: what a launch of a pass does, and which buffers (Place) it reads and writes.
struct Move {
    enum Place : std::uint32_t { input, output, other, nowhere };
    enum Action : std::uint32_t { skip, split, copy };

    Action action;
    Place from;
    Place to;
    std::uint32_t index;      ///< splits before this one
    std::uint32_t encodes;    ///< 1: reads keys, which are not yet encoded as items
    std::uint32_t decodes;    ///< 1: writes decoded keys
    std::uint32_t by_values;  ///< 1: for the launch of the pass that goes by values

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

/// Constraints of the schedule.
struct MoveRules {
    int passes;
    bool in_place;       ///< an output is its input: the number of moves is even, or 0
    bool drops_keys;     ///< the last move writes no keys, unless buckets are still to be sorted
    bool may_leave_out;  ///< passes over lower digits may be left out: buckets of equal leading digits are sorted later
    std::uint32_t batch_items;  ///< the most items that sort/prefix/batch_sort.cuh sorts together
    int least_saved;            ///< the fewest passes that must be left out for batches
    std::uint32_t span_items;   ///< the most items that sort/prefix/spans.cuh sorts together; 0: it does not follow
    std::uint64_t span_words;   ///< places per span block, whose buckets must fit its words; 0: they need not
};

/// Writes the schedule: a slot before all passes, for a copy that finds no pass left out, then a slot per pass.
/// `by_values`: all passes go by values, and keys themselves travel between them. `active(p)`: pass p changes
/// something. `may_stay`: if no pass is active, the outputs already hold the items. Returns the number of active
/// passes. All lanes of one warp call: one thread would take longer than all other work after the count.
template <class Active>
KOGGE_DEVICE std::uint32_t list_moves(std::uint32_t* moves, const MoveRules& rules, bool may_stay, bool drops_keys,
                                      bool by_values, Active active) {
    const int slots = rules.passes + 1;
    const auto splits_in = [&](int slot) { return slot > 0 && slot < slots && active(slot - 1); };
    std::uint32_t splits = 0;
    int idle = 0;  // the first slot of a pass that is left out; else the slot before all
    KOGGE_NO_UNROLL
    for (int first = 0; first < slots; first += simt::kWarpSize) {
        const int slot = first + simt::lane();
        const bool splits_here = splits_in(slot);
        splits += static_cast<std::uint32_t>(simt::count_bits(simt::ballot(splits_here)));
        const simt::mask_t left_out = simt::ballot(slot > 0 && slot < slots && !splits_here);
        if (idle == 0 && left_out != 0) idle = first + simt::lowest_bit(left_out);
    }
    const bool copies = splits == 0 ? !may_stay : rules.in_place && splits % 2 == 1;
    // The last move writes the output; the moves before it alternate.
    const std::uint32_t all = splits + (copies ? 1 : 0);
    const auto place_behind = [&](std::uint32_t done) { return (all - done) % 2 == 0 ? Move::output : Move::other; };
    std::uint32_t done = 0, index = 0;  // moves and splits in earlier slots
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

/// What the device has found about the keys, and what puts them in order. Tests read it.
enum class SortOutcome : std::uint32_t {
    all_digits,    ///< passes over all digits, but for those that all keys share
    in_order,      ///< the keys were in order: the count has written them
    few_distinct,  ///< passes over the leading digits that tell few distinct keys apart
    batches,       ///< passes over leading digits, then sort/prefix/batch_sort.cuh
    spans,         ///< the same, then sort/prefix/spans.cuh
    value_spans,   ///< passes over leading digits of floats' values, then spans
};

/// State shared by the counting blocks and the passes; zero before the count.
struct PassControl {
    std::uint32_t done;      ///< blocks that have counted
    std::uint32_t unsorted;  ///< keys out of order were met
    SortOutcome outcome;
    std::uint32_t lowest;           ///< passes below this one are left out, and buckets are to be sorted; 0: none
    std::uint32_t sampled_lowest;   ///< according to the sample, passes below this one may be left out; 0: none
    std::uint32_t sampled_top;      ///< and the keys are uniform in the two digits below this one; 0: they are not
    std::uint32_t sampled_values;   ///< distinct keys in the sample
    std::uint32_t sampled_crowded;  ///< but bins of spans would have too many keys
    std::uint32_t batches;          ///< listed: spans that are too skewed for their bins, and parts of large buckets
    std::uint32_t has_wide;         ///< some buckets fit a batch, but no span
    ValueDigits values;             ///< if set, passes go by these
    std::uint32_t last_nans;        ///< but some keys are NaNs that come last, for which they do not hold

    KOGGE_DEVICE bool by_spans() const { return outcome >= SortOutcome::spans; }
};
static_assert(sizeof(PassControl) <= kPassControlWords * sizeof(std::uint32_t));

}  // namespace kogge::grid::KOGGE_CODE
