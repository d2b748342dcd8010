// Scratch, carved: into what, and how much of each.
#include <algorithm>

#include "kogge/compact/scratch.hpp"
#include "kogge/emit/scratch.hpp"
#include "kogge/engine/tile_scratch.hpp"
#include "kogge/runs/scratch.hpp"
#include "kogge/scan/scratch.hpp"
#include "kogge/segmented/shape.hpp"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/prefix/shape.hpp"

namespace kogge::grid {

BoardMemory carve_board(detail::Carver& carver, std::uint64_t tiles, int words_per_slot,
                        std::size_t large_value_bytes) {
    BoardMemory memory{};
    const std::size_t start = carver.used();
    memory.ticket = carver.take<std::uint32_t>(1);
    memory.counter = carver.take<std::uint64_t>(1);
    memory.words = carver.take<std::uint64_t>(tiles * static_cast<std::uint64_t>(words_per_slot));
    memory.zeroed = carver.used() - start;
    if (large_value_bytes > 0) memory.values = carver.take<unsigned char>(tiles * large_value_bytes);
    return memory;
}

ScanMemory carve_scan(detail::Carver& carver, const scan_plan& plan, std::size_t accumulator_bytes) {
    ScanMemory memory;
    if (plan.mark_words > 0) memory.marks = carver.take<std::uint32_t>(plan.mark_words);
    if (plan.grid == grid_strategy::one_wave)
        memory.sums.push_back(carver.take<unsigned char>(plan.tiles * accumulator_bytes));
    else if (plan.grid == grid_strategy::on_chip)
        memory.board = carve_board(carver, plan.tiles, slot_words(accumulator_bytes),
                                   slot_is_split(accumulator_bytes) ? 0 : accumulator_bytes);
    for (const scan_level& level : plan.levels)
        if (level.blocks > 1) memory.sums.push_back(carver.take<unsigned char>(level.blocks * accumulator_bytes));
    return memory;
}

CompactMemory carve_compact(detail::Carver& carver, const compact_plan& plan, std::uint64_t n, std::size_t item_bytes) {
    CompactMemory memory;
    if (plan.one_wave) memory.aggregates = carver.take<std::uint32_t>(plan.blocks);
    else memory.board = carve_board(carver, plan.tiles, 1, 0);
    if (plan.copies_input) memory.items = carver.take<unsigned char>(n * item_bytes);
    return memory;
}

RunsMemory carve_runs(detail::Carver& carver, const runs_plan& plan, runs_output writes) {
    RunsMemory memory;
    if (plan.one_wave) {
        memory.aggregates = carver.take<unsigned char>(plan.blocks * run_tally_bytes(writes));
    } else if (plan.stretches > 0) {
        memory.tallies = carver.take<RunTally>(plan.stretches + 1);
        memory.scan_space = {carver.take<unsigned char>(plan.scan_bytes), plan.scan_bytes};
    } else {
        memory.board = carve_board(carver, plan.tiles, 1, 0);
        if (writes == runs_output::lengths) memory.stretches = carver.take<StretchRuns>(plan.tiles * kRingWarps);
    }
    return memory;
}

EmitMemory carve_emit(detail::Carver& carver, const emit_plan& plan, std::uint64_t capacity) {
    EmitMemory memory;
    if (plan.one_wave) {
        memory.outputs = carver.take<std::uint64_t>(plan.tiles);
        return memory;
    }
    const std::size_t start = carver.used();
    memory.control = carver.take<EmitControl>(1);
    memory.board = carve_board(carver, plan.tiles, 1, 0);
    memory.zeroed = carver.used() - start;
    memory.large = carver.take<LargeTile>(most_large_tiles(plan.tiles, capacity));
    return memory;
}

namespace {

// The arrays that take turns with the output.
template <class Memory>
void carve_turns(detail::Carver& carver, const radix_sort_plan& plan, bool takes_turns, Memory& memory) {
    const std::size_t moved = moved_value_bytes(plan);
    if (takes_turns && plan.pipelined && packs_items(plan.shape.key_bytes, moved)) {
        unsigned char* const items = carver.take<unsigned char>(plan.n * (plan.shape.key_bytes + moved));
        memory.keys = items;
        memory.values = items ? items + plan.n * plan.shape.key_bytes : nullptr;
    } else if (takes_turns) {
        memory.keys = carver.take<unsigned char>(plan.n * plan.shape.key_bytes);
        if (moved > 0) memory.values = carver.take<unsigned char>(plan.n * moved);
    }
    if (!plan.shape.writes_keys && plan.passes > 2)
        memory.more_keys = carver.take<unsigned char>(plan.n * plan.shape.key_bytes);
}

// The indices by which values are gathered, beside what the sort takes; the copy of values that are in place over it.
template <class Plan, class Memory, class Sort>
void carve_gathered(detail::Carver& carver, const Plan& plan, Memory& memory, const Sort& carve_sort) {
    if (!plan.gathers_values) return carve_sort();
    memory.indices = carver.take<unsigned char>(plan.n * plan.index_bytes);
    std::size_t widest = 0;
    if (plan.shape.in_place)
        for (const value_layout& value : plan.shape.values) widest = std::max(widest, value.bytes);
    carver.take_in_turns(carve_sort, [&] {
        if (widest > 0) memory.gathered = carver.take<unsigned char>(plan.n * widest);
    });
}

}  // namespace

SplitMemory carve_split(detail::Carver& carver, const radix_sort_plan& plan) {
    SplitMemory memory;
    const std::uint64_t passes = static_cast<std::uint64_t>(plan.passes), slots = 1 + passes;
    memory.moves = carver.take<std::uint32_t>(slots);
    if (plan.parts > 1) memory.next_starts = carver.take<std::uint64_t>(2 * kBins);
    if (plan.orders_groups) memory.large = carver.take<LargeGroup>(most_large_groups(plan.n));
    if (plan.span_threads > 0) {
        memory.spans = carver.take<LargeGroup>(span_stretches(plan) + std::size_t{1});
        memory.crowded = carver.take<LargeGroup>(2 * std::size_t{span_stretches(plan)});
    }
    const std::size_t start = carver.used();
    memory.control = carver.take<std::uint32_t>(kSplitControlWords);
    memory.tickets = carver.take<std::uint32_t>(slots * plan.parts);
    memory.histograms = carver.take<std::uint64_t>(passes * kBins);
    const std::uint64_t words = split_table_words(plan.count_rows);
    memory.zeroed = carver.used() - start + words * sizeof(std::uint64_t);
    memory.counts = carver.take<std::uint64_t>(2 * words);
    return memory;
}

SortMemory carve_radix_sort(detail::Carver& carver, const radix_sort_plan& plan) {
    const radix_sort_shape& shape = plan.shape;
    SortMemory memory;
    if (plan.counts_values && !plan.one_block)
        memory.value_counts = carver.take<std::uint64_t>(value_count_bytes(shape.key_bytes, plan.histogram_blocks) / 8);
    if (plan.passes == 0 && !plan.compares) return memory;
    carve_gathered(carver, plan, memory, [&] {
        if (plan.one_grid) {
            memory.grid.counts = carver.take<std::uint32_t>((plan.passes + (plan.range_items > 0 ? 1u : 0u)) *
                                                            grid_sort_words(plan.blocks));
            memory.grid.moved = carver.take<std::uint32_t>(1);
            memory.grid.disorder = carver.take<std::uint32_t>(1);
            memory.grid.ordered = carver.take<std::uint32_t>(plan.blocks);
            carve_turns(carver, plan, plan.passes > 1, memory.grid);
        } else if (!plan.one_block && !plan.compares && !plan.counts_bins) {
            memory.split = carve_split(carver, plan);
            carve_turns(carver, plan, plan.passes > 1 || (shape.in_place && shape.writes_keys), memory.split);
        }
    });
    return memory;
}

SegmentMemory carve_segmented_sort(detail::Carver& carver, const segmented_sort_plan& plan) {
    SegmentMemory memory;
    if (plan.passes == 0) return memory;
    carve_gathered(carver, plan, memory, [&] {
        const std::size_t start = carver.used(), moved = moved_value_bytes(plan);
        memory.marks = carver.take<std::uint32_t>(2 * divide_up(plan.n, 32));
        memory.listed = carver.take<std::uint64_t>(static_cast<std::uint64_t>(plan.passes) + 1);
        memory.uncounted = carver.take<std::uint32_t>(1);
        memory.falls = carver.take<std::uint32_t>(1);
        memory.tickets = carver.take<std::uint32_t>(static_cast<std::uint64_t>(plan.passes));
        memory.zeroed = carver.used() - start;
        memory.left = carver.take<std::uint32_t>(plan.windows);
        if (plan.may_be_long) {
            for (LongList& list : memory.lists) {
                list.longs = carver.take<LongSegment>(plan.most_long);
                list.tiles = carver.take<std::uint32_t>(plan.most_tiles);
                list.counts = carver.take<std::uint64_t>(plan.most_long * kBins);
                list.most = plan.most_long;
                list.most_tiles = plan.most_tiles;
            }
            memory.words = carver.take<std::uint64_t>(plan.most_tiles * kBins);
            memory.keys = carver.take<unsigned char>(plan.n * plan.shape.key_bytes);
            if (moved > 0) memory.values = carver.take<unsigned char>(plan.n * moved);
        }
    });
    return memory;
}

}  // namespace kogge::grid
