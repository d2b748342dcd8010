// Plans of segmented sorts.
#include "kogge/plan/segmented/sort.hpp"

#include <algorithm>
#include <sstream>

#include "kogge/error.hpp"
#include "kogge/segmented/shape.hpp"
#include "plan/candidates.hpp"
#include "plan/sort_task.hpp"

namespace kogge {
namespace grid {
namespace {

void choose_splits(segmented_sort_plan& plan, const device_properties& device) {
    const std::size_t moved = moved_value_bytes(plan), widest = std::max(plan.shape.key_bytes, moved);
    const auto multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    plan.most_long = plan.n / (plan.longest_short + 1);
    plan.tile_items = static_cast<std::uint64_t>(tile_items(widest)) * kTileThreads;
    plan.most_tiles = plan.n / plan.tile_items + plan.most_long;
    const std::uint64_t resident = std::clamp<std::uint64_t>(
        device.shared_bytes_per_multiprocessor /
            (long_shared_bytes(plan.shape.key_bytes, moved, has_tables(plan.shape.key_bytes, plan.shape.merges_keys)) +
             1024),
        1, kLongBlocks);
    plan.blocks = static_cast<std::uint32_t>(std::min(plan.most_tiles, multiprocessors * resident));
    plan.launches += 1;
}

/// Rows that are sorted one after another: at least two, and indices, if any, count from each row's begin.
bool are_rows_apart(const segmented_sort_plan& plan, const device_properties& device) {
    const segment_layout& layout = plan.layout;
    return layout.row_length > 0 && plan.n / layout.row_length >= 2 &&
           (!layout.writes_indices || layout.indices_in_segment) &&
           layout.row_length >= kRowKeysApart * static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
}
void plan_rows_apart(segmented_sort_plan& plan, const device_properties& device) {
    plan.row_length = plan.layout.row_length;
    const auto add = [&](std::uint64_t length, std::uint64_t count) {
        if (length == 0) return;
        const radix_sort_plan row = plan_radix_sort(length, plan.shape, device);
        plan.launches += row.launches * static_cast<int>(count);
        plan.scratch_bytes = std::max(plan.scratch_bytes, detail::scratch_with_slack(row.scratch_bytes));
    };
    add(plan.row_length, plan.n / plan.row_length);
    add(plan.n % plan.row_length, 1);
}

}  // namespace
}  // namespace grid

segmented_sort_plan plan_segmented_sort(std::uint64_t n, std::uint64_t segments, const radix_sort_shape& shape,
                                        const device_properties& device, const segment_layout& layout) {
    const char* const call = "plan_segmented_sort";
    std::size_t item_bytes = shape.key_bytes;
    for (const value_layout& value : shape.values) item_bytes += value.bytes;
    detail::bytes_of(call, n, item_bytes);
    detail::bytes_of(call, segments, sizeof(std::uint64_t));
    segmented_sort_plan plan;
    plan.n = n;
    plan.segments = segments;
    plan.shape = shape;
    plan.layout = layout;
    plan.digit_bits = grid::kDigitBits;
    plan.passes = grid::digits_of(call, n, shape);
    const int value_arrays = static_cast<int>(shape.values.size());
    // Of no bits, too, gaps are kept and indices written: sorted by one digit of no bits, nothing moves.
    if (plan.passes == 0 && n > 0 && (layout.have_ends || layout.writes_indices)) plan.passes = 1;
    if (plan.passes == 0) {
        if (n > 0 && !shape.in_place) plan.launches = 1 + value_arrays;
        return plan;
    }
    if (grid::are_rows_apart(plan, device)) {
        grid::plan_rows_apart(plan, device);
        return plan;
    }
    if (value_arrays > 1 || (value_arrays == 1 && !grid::travels(shape.values[0])))
        plan.index_bytes = n < (std::uint64_t{1} << 32) || (n == std::uint64_t{1} << 32 && !layout.have_ends) ? 4 : 8;
    const std::size_t moved = grid::moved_value_bytes(plan);
    const int items = grid::short_items_on_chip(shape.key_bytes, moved, device.shared_bytes_per_block);
    if (items == 0 ||
        grid::long_shared_bytes(shape.key_bytes, moved, grid::has_tables(shape.key_bytes, shape.merges_keys)) >
            device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "segmented_sort",
                    "keys of " + std::to_string(shape.key_bytes) + " bytes are too wide for this device's chip");
    plan.threads = grid::kShortThreads;
    plan.items_per_thread = items;
    plan.shared_bytes = grid::short_shared_bytes(items, shape.key_bytes, moved);
    plan.digit_bytes = grid::short_digit_bytes(items, shape.key_bytes);
    const auto capacity = static_cast<std::uint64_t>(plan.threads * items);
    const auto multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    plan.window_items = grid::window_items(capacity, n, segments, multiprocessors);
    plan.longest_short = capacity - plan.window_items;
    plan.windows = grid::divide_up(n, plan.window_items);
    plan.digit_blocks = static_cast<std::uint32_t>(std::min(plan.windows, multiprocessors));
    plan.launches = 4;
    plan.may_be_long = n > plan.longest_short;
    if (plan.may_be_long) grid::choose_splits(plan, device);
    if (layout.are_stored) plan.launches += layout.have_ends ? 2 : 1;
    if (layout.have_ends)
        plan.launches += (plan.may_be_long ? 2 : 1) + (plan.index_bytes > 0 || !shape.writes_keys ? 1 : 0);
    if (layout.indices_in_segment) plan.launches += 2;
    if (plan.index_bytes > 0) plan.launches += value_arrays * (shape.in_place ? 2 : 1);
    plan.scratch_bytes = grid::scratch_of([&](detail::Carver& carver) { grid::carve_segmented_sort(carver, plan); });
    return plan;
}

std::string to_string(const segmented_sort_plan& plan) {
    std::ostringstream text;
    if (plan.row_length > 0) {
        text << "segmented_sort: rows of " << plan.row_length << " one after another; " << plan.launches
             << " launches, " << plan.scratch_bytes << " bytes of scratch";
        return text.str();
    }
    text << "segmented_sort: " << plan.windows << " windows of " << plan.window_items << " items, on chip by "
         << plan.threads << " x " << plan.items_per_thread << " items; segments of more than " << plan.longest_short
         << " by ";
    if (plan.may_be_long)
        text << "up to " << plan.passes + (grid::has_tables(plan.shape.key_bytes, plan.shape.merges_keys) ? 1 : 0)
             << " splits by " << plan.digit_bits << " bits over tiles of " << plan.tile_items << " items, "
             << plan.blocks << " blocks";
    else text << "no split: there are none";
    text << "; " << plan.launches << " launches, " << plan.scratch_bytes << " bytes of scratch"
         << (plan.index_bytes > 0 ? ", values gathered by index" : "") << (plan.layout.have_ends ? ", gaps kept" : "")
         << (plan.layout.are_stored ? ", offsets stored" : "");
    return text.str();
}

}  // namespace kogge
