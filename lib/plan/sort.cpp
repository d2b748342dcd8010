// Plans of radix sorts and splits.
#include <algorithm>
#include <sstream>

#include "kogge/plan.hpp"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "plan/sort_ways.hpp"

namespace kogge {

radix_sort_shape grid::sort_shape(std::size_t key_bytes, int begin_bit, int end_bit, bool in_place, bool writes_keys,
                                  bool merges_keys, std::span<const value_array> values) {
    radix_sort_shape shape{key_bytes, begin_bit, end_bit, in_place, writes_keys, {}, merges_keys};
    for (const value_array& value : values) {
        shape.values.push_back({value.bytes, value.alignment});
        if (value.in == value.out) shape.in_place = true;
    }
    return shape;
}

namespace {

// The ways that a plan may go.
struct Ways {
    bool by_codes = true;  // keys may be compared, and values gathered: not in a split into bins
    bool on_chip = true;
    bool counting = true;
    bool grid = true;
    bool pipeline = true;
    bool travel = true;       // values may move with their keys
    std::uint64_t parts = 1;  // launches of a pass, at least
};

radix_sort_plan plan_passes(std::uint64_t n, const radix_sort_shape& shape, const Ways& may,
                            const device_properties& device) {
    std::size_t item_bytes = shape.key_bytes;
    for (const auto& value : shape.values) item_bytes += value.bytes;
    detail::bytes_of("plan_radix_sort", n, item_bytes);
    radix_sort_plan plan;
    plan.n = n;
    plan.shape = shape;
    plan.digit_bits = grid::kDigitBits;
    plan.passes = grid::digits_of("plan_radix_sort", n, shape);
    plan.gathers_values = may.by_codes && !shape.values.empty() &&
                          !(may.travel && shape.values.size() == 1 && grid::travels(shape.values[0]));
    if (plan.gathers_values) plan.index_bytes = n <= (std::uint64_t{1} << 32) ? 4 : 8;
    const int value_arrays = static_cast<int>(shape.values.size());
    if (plan.passes == 0) {
        if (n > 0 && !shape.in_place) plan.launches = (shape.writes_keys ? 1 : 0) + value_arrays;
        return plan;
    }

    plan.reorders_first = grid::sorts_all_bits(shape) && shape.values.empty() && !shape.merges_keys;
    const bool counts_in_block = may.counting && grid::choose_block_counting(plan, device);
    const bool compares = may.by_codes && !counts_in_block && grid::choose_comparing(plan, device);
    const bool counts_bins = !may.by_codes && may.on_chip && grid::choose_bin_counting(plan);
    const bool may_fit = may.on_chip && !counts_in_block && !compares && !counts_bins;
    const int block_threads = may_fit ? grid::block_sort_threads(n, shape.key_bytes, value_arrays > 0, device) : 0;
    const bool one_block = block_threads > 0 && n <= grid::block_sort_best(value_arrays > 0, plan.passes);
    const bool may_count = may.counting && !compares && block_threads == 0;
    const bool may_grid = may_fit && may.grid && !one_block;
    bool counts_values =
        counts_in_block || (may_count && grid::counts_sooner(plan, device) && grid::choose_counting(plan, device));
    const bool one_grid = may_grid && !counts_values && grid::choose_grid(plan, device);
    if (may_count && !one_grid && !counts_values) counts_values = grid::choose_counting(plan, device);
    if (one_block || (block_threads > 0 && !one_grid)) grid::choose_block(plan, block_threads);
    else if (!compares && !counts_values && !counts_bins && !one_grid)
        grid::choose_passes(plan, may.pipeline, may.parts, device);
    if (plan.gathers_values) plan.launches += value_arrays * (shape.in_place ? 2 : 1);
    detail::Carver carver;
    grid::carve_radix_sort(carver, plan);
    plan.scratch_bytes = detail::scratch_with_slack(carver.used());
    return plan;
}

}  // namespace

radix_sort_plan plan_radix_sort(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device,
                                std::size_t scratch_limit) {
    radix_sort_plan plan;
    std::size_t least = kNoLimit;
    const auto fits = [&](const Ways& may) {
        plan = plan_passes(n, shape, may, device);
        least = std::min(least, plan.scratch_bytes);
        return plan.scratch_bytes <= scratch_limit;
    };
    Ways may{.pipeline = !shape.merges_keys};
    if (fits(may)) return plan;
    may.counting = false;
    // Indices take less than the one value that travels only where they are narrower; an argsort's value is an index.
    const bool narrower = shape.values.size() == 1 && grid::travels(shape.values[0]) && shape.values[0].bytes > 4 &&
                          shape.writes_keys && n <= (std::uint64_t{1} << 32);
    for (const bool travel : {true, false}) {
        if (!travel && !narrower) break;
        may.travel = travel;
        may.grid = true;
        may.parts = 1;
        if (fits(may)) return plan;
        // One block, or passes. More launches of a pass need smaller tables, as long as each fills the device.
        may.grid = false;
        for (may.parts = 1; may.parts == 1 || may.parts * plan.blocks <= plan.tiles; may.parts *= 2)
            if (fits(may)) return plan;
    }
    throw error(errc::out_of_memory, "radix_sort",
                "at least " + std::to_string(least) + " bytes of scratch are needed, but exec.scratch_limit is " +
                    std::to_string(scratch_limit));
}

radix_sort_plan plan_split(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device) {
    radix_sort_shape bins = shape;
    bins.merges_keys = true;
    const std::size_t value_bytes = shape.values.empty() ? 0 : shape.values[0].bytes;
    return plan_passes(n, bins, {.by_codes = false, .on_chip = grid::splits_on_chip(shape.key_bytes, value_bytes)},
                       device);
}

std::string to_string(const radix_sort_plan& plan) {
    std::ostringstream text;
    text << "radix_sort: " << plan.passes << (plan.passes == 1 ? " pass of " : " passes of ") << plan.digit_bits
         << " bits, " << plan.tiles << " tiles of ";
    if (plan.counts_bins) text << plan.tile_items;
    else text << plan.threads << " x " << plan.items_per_thread;
    text << " items, " << plan.blocks << " blocks, " << plan.launches << " launches, " << plan.scratch_bytes
         << " bytes of scratch" << (plan.counts_values ? ", values counted" : "")
         << (plan.compares ? ", places counted by comparing" : "")
         << (plan.counts_bins ? ", all items counted by each block" : "")
         << (plan.one_block   ? ", on chip"
             : plan.one_grid  ? ", on chip by all blocks"
             : plan.pipelined ? ", pipelined"
                              : "")
         << (plan.range_items > 0 ? ", by ranges where they are even" : "")
         << (plan.checks_order ? ", order checked" : "")
         << (plan.orders_groups ? ", by leading digits where they suffice" : "")
         << (plan.samples_values ? ", of values where these are even" : "")
         << (plan.gathers_values ? ", values gathered by index" : "");
    return text.str();
}

}  // namespace kogge
