#include "plan/sort_ways.hpp"

#include <algorithm>
#include <string>

#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/prefix/shape.hpp"
#include "tuning/tuning.hpp"

namespace kogge::grid {

bool sorts_all_bits(const radix_sort_shape& shape) {
    return shape.begin_bit == 0 && static_cast<std::size_t>(shape.end_bit) == 8 * shape.key_bytes;
}

int digits_of(const char* call, std::uint64_t n, const radix_sort_shape& shape) {
    if (shape.begin_bit < 0 || shape.begin_bit > shape.end_bit)
        throw error(errc::invalid_argument, call,
                    "bits [" + std::to_string(shape.begin_bit) + ", " + std::to_string(shape.end_bit) + ") are none");
    return n == 0 ? 0 : (shape.end_bit - shape.begin_bit + kDigitBits - 1) / kDigitBits;
}

// ---- on chip, or without passes ------------------------------------------------------------------------

bool choose_comparing(radix_sort_plan& plan, const device_properties& device) {
    const std::uint64_t resident = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)) *
                                   std::min(device.max_threads_per_multiprocessor / kCompareThreads, 2);
    const std::uint64_t rows = divide_up(plan.n, 32);
    const bool fits = rows <= resident && compare_shared_bytes(plan.shape.key_bytes) <= device.shared_bytes_per_block;
    const bool are_few =
        plan.n <= chosen(Choice::sort_compare_keys, plan.shape.key_bytes);  // of more, passes are faster
    if (plan.shape.merges_keys || plan.shape.key_bytes > 16 || !are_few || !fits) return false;
    plan.compares = true;
    plan.passes = 0;
    plan.threads = static_cast<int>(std::min<std::uint64_t>(32 * rows, kCompareThreads));
    plan.items_per_thread = 1;
    plan.tile_items = 32;
    plan.tiles = rows;
    plan.blocks = static_cast<std::uint32_t>(rows);
    plan.shared_bytes = compare_shared_bytes(plan.shape.key_bytes);
    plan.launches = 1;
    return true;
}

bool counts_sooner(const radix_sort_plan& plan, const device_properties& device) {
    const std::uint64_t share = plan.shape.key_bytes == 1 ? 8192 : 12288;
    return plan.n >= static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)) * share;
}

bool choose_counting(radix_sort_plan& plan, const device_properties& device) {
    const std::size_t bytes = plan.shape.key_bytes;
    if (bytes > 2 || !plan.reorders_first || count_shared_bytes(bytes) > device.shared_bytes_per_block) return false;
    const std::uint64_t multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    plan.counts_values = true;
    plan.passes = 0;
    plan.threads = kCountThreads;
    plan.items_per_thread = static_cast<int>(16 / bytes);
    plan.tile_items = static_cast<std::uint64_t>(plan.threads * plan.items_per_thread);
    plan.tiles = divide_up(plan.n, plan.tile_items);
    plan.shared_bytes = count_shared_bytes(bytes);
    plan.histogram_blocks = static_cast<std::uint32_t>(std::min(plan.tiles, multiprocessors));
    plan.blocks = static_cast<std::uint32_t>(std::min(divide_up(plan.n, kFillLeast), 2 * multiprocessors));
    plan.launches = bytes == 1 ? 3 : 4;
    return true;
}

bool choose_block_counting(radix_sort_plan& plan, const device_properties& device) {
    if (plan.n <= kCompareBytes || plan.n > kBlockCountKeys || plan.shape.key_bytes > 1) return false;
    if (!choose_counting(plan, device)) return false;
    plan.one_block = true;
    plan.threads = plan.n <= kBlockCountKeys / 4 ? kCountThreads / 4 : kCountThreads;
    plan.tile_items = static_cast<std::uint64_t>(plan.threads * plan.items_per_thread);
    plan.shared_bytes = kBlockCountTables;
    plan.histogram_blocks = 0;
    plan.tiles = plan.blocks = 1;
    plan.launches = 1;
    return true;
}

bool choose_bin_counting(radix_sort_plan& plan) {
    if (plan.n > kFewSplitItems || plan.shape.end_bit > kFewSplitBits) return false;
    plan.counts_bins = true;
    plan.passes = 1;
    plan.digit_bits = kFewSplitBits;
    plan.threads = kFewSplitThreads;
    plan.items_per_thread = 1;
    plan.tile_items = kFewSplitRows * 32;
    plan.tiles = divide_up(plan.n, plan.tile_items);
    plan.blocks = static_cast<std::uint32_t>(plan.tiles);
    plan.launches = 1;
    return true;
}

int block_sort_threads(std::uint64_t n, std::size_t key_bytes, bool has_values, const device_properties& device) {
    const std::uint64_t items = static_cast<std::uint64_t>(block_sort_items(key_bytes, has_values));
    for (int threads = kBins; threads <= kBlockSortThreads; threads *= 2) {
        if (block_sort_bytes(threads, key_bytes, has_values) > device.shared_bytes_per_block) return 0;
        // Adding up more rows takes longer than ranking more keys a thread, until latency shows.
        const std::uint64_t most = threads == kBins ? std::min<std::uint64_t>(items, 8) : items;
        if (n <= most * static_cast<std::uint64_t>(threads)) return threads;
    }
    return 0;
}

void choose_block(radix_sort_plan& plan, int threads) {
    const bool has_values = !plan.shape.values.empty();
    plan.one_block = true;
    plan.threads = threads;
    plan.items_per_thread = block_sort_items(plan.shape.key_bytes, has_values);
    plan.tile_items = static_cast<std::uint64_t>(threads * plan.items_per_thread);
    plan.shared_bytes = block_sort_bytes(threads, plan.shape.key_bytes, has_values);
    plan.tiles = plan.blocks = 1;
    plan.launches = 1;
}

namespace {

// With enough items a multiprocessor, tiles are many enough for passes to be pipelined. Then, too, ranks by atomics and
// a check of the result cost less than ranks by ballots.
bool fits_pipeline(const radix_sort_plan& plan, const device_properties& device) {
    const std::size_t moved = moved_value_bytes(plan);
    const std::size_t words = divide_up(plan.shape.key_bytes, 4) + divide_up(moved, 4);  // of an item in registers
    return device.compute_major >= 9 && pipelines_items(plan.shape.key_bytes, moved) &&
           plan.n >= static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)) *
                         chosen(Choice::sort_pipeline_share, 4 * words) &&
           device.shared_bytes_per_block >= split_shared_bytes(plan.shape.key_bytes + moved);
}

// With so many keys a block, ranks by atomics and a check of the order cost less than ranks by ballots.
constexpr std::uint64_t kServedChunk = 12288;

// The most keys of a range that a block sorts, in a sort of several digits: some times as many as there are on average,
// where they fit.
std::uint32_t range_items(const radix_sort_plan& plan, std::uint64_t chunk, const device_properties& device) {
    const std::size_t key = plan.shape.key_bytes, moved = moved_value_bytes(plan);
    if (plan.shape.merges_keys || plan.passes < 3 || key < 4 || key > 16) return 0;
    const std::uint64_t room = (device.shared_bytes_per_block - kGridSortTables) / grid_range_bytes(key, moved);
    const std::uint64_t most = std::min<std::uint64_t>(grid_range_items(key, moved) * kGridSortThreads, room);
    return most < chunk ? 0
                        : static_cast<std::uint32_t>(std::min(most, std::max<std::uint64_t>(4 * chunk, 2 * kEvenKeys)) /
                                                     64 * 64);
}

}  // namespace

bool choose_grid(radix_sort_plan& plan, const device_properties& device) {
    const std::size_t moved = moved_value_bytes(plan), together = plan.shape.key_bytes + moved;
    const auto most_blocks =
        static_cast<std::uint64_t>(std::clamp(device.multiprocessors, 1, kGridSortGroup * kGridSortGroup));
    const std::uint64_t least = chosen(Choice::sort_grid_share, plan.shape.key_bytes);
    const auto blocks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(divide_up(plan.n, least), 1, most_blocks));
    const std::uint64_t chunk = grid_sort_chunk(plan.n, blocks);
    const int most_items = grid_sort_items(plan.shape.key_bytes, moved);
    if (together > 32 || plan.passes > kGridSortPasses) return false;
    // Keys of many digits may do with passes over the leading ones, which only pipelined ones try.
    if (!plan.shape.merges_keys && plan.shape.key_bytes > 4 && fits_pipeline(plan, device)) return false;
    if (chunk > static_cast<std::uint64_t>(most_items * kGridSortThreads)) return false;
    if (grid_sort_bytes(chunk, together) > device.shared_bytes_per_block) return false;
    plan.one_grid = true;
    plan.checks_order =
        plan.reorders_first && plan.passes > 2 && serves_ranks(plan.shape.key_bytes) && chunk >= kServedChunk;
    plan.threads = kGridSortThreads;
    plan.items_per_thread = static_cast<int>(divide_up(chunk, kGridSortThreads));
    plan.tile_items = chunk;
    plan.range_items = range_items(plan, chunk, device);
    plan.shared_bytes = std::max(grid_sort_bytes(chunk, together),
                                 kGridSortTables + plan.range_items * grid_range_bytes(plan.shape.key_bytes, moved));
    plan.tiles = divide_up(plan.n, chunk);
    plan.blocks = blocks;
    plan.launches = 1;
    return true;
}

// ---- passes --------------------------------------------------------------------------------------------

namespace {

// Look-back words count to 2^30.
constexpr std::uint64_t kMostPartItems = (std::uint64_t{1} << 30) - 1;

void choose_tile(radix_sort_plan& plan, bool may_pipeline, std::uint64_t least_parts, const device_properties& device) {
    const std::size_t moved = moved_value_bytes(plan), together = plan.shape.key_bytes + moved;
    const std::uint64_t multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    std::uint64_t resident = multiprocessors;
    plan.pipelined = may_pipeline && fits_pipeline(plan, device);
    if (plan.pipelined) {
        plan.threads = kSplitThreads;
        plan.items_per_thread = split_items(together);
        plan.tile_items = static_cast<std::uint64_t>(kSplitRanking * 32 * plan.items_per_thread);
        plan.shared_bytes = split_shared_bytes(together);
    } else {
        const std::size_t widest = std::max(plan.shape.key_bytes, moved);
        plan.threads = kTileThreads;
        plan.items_per_thread = tile_items(widest);
        plan.tile_items = static_cast<std::uint64_t>(plan.items_per_thread * kTileThreads);
        plan.shared_bytes = tile_shared_bytes(widest);
        resident *=
            std::clamp<std::uint64_t>(device.shared_bytes_per_multiprocessor / (plan.shared_bytes + 1024), 1, 6);
    }
    plan.tiles = divide_up(plan.n, plan.tile_items);
    const std::uint64_t parts = std::max(divide_up(plan.tiles, kMostPartItems / plan.tile_items), least_parts);
    plan.part_tiles = divide_up(plan.tiles, parts);
    plan.parts = static_cast<std::uint32_t>(divide_up(plan.tiles, plan.part_tiles));
    plan.blocks = static_cast<std::uint32_t>(std::min(plan.part_tiles, resident));
    plan.count_rows = plan.pipelined ? most_pass_tiles(plan.part_tiles, plan.blocks) : plan.part_tiles;
}

// What follows passes that leave out digits, or rank keys as served: groups are put in order, and what is out of order
// is sorted again.
void choose_groups(radix_sort_plan& plan, const device_properties& device) {
    const std::uint64_t most = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    const std::size_t widest = std::max(plan.shape.key_bytes, moved_value_bytes(plan));
    const std::uint64_t group_tiles = divide_up(plan.n, static_cast<std::uint64_t>(group_items(widest)));
    const bool has_values = !plan.shape.values.empty();
    const int threads = span_threads(plan.n);
    // Floats are even by their values, if at all, and spans of 64 bits do not go by these.
    const bool may_be_even = sorts_all_bits(plan.shape) && !(plan.shape.are_floats && plan.shape.key_bytes == 8);
    if (plan.orders_groups && may_be_even && orders_spans(plan.shape.key_bytes, moved_value_bytes(plan)) &&
        threads > 0) {
        plan.span_threads = threads;
        plan.span_stretch = span_stretch(plan.n, threads, has_values);
        plan.samples_values = plan.shape.are_floats && spans_take_floats(plan.shape.key_bytes, threads, has_values);
        plan.span_blocks = static_cast<std::uint32_t>(
            span_blocks(span_stretches(plan), threads, has_values, std::max(device.multiprocessors, 1)));
    }
    if (orders_small_groups(plan))
        plan.group_blocks = static_cast<std::uint32_t>(
            std::max(std::min(group_tiles, 4 * most), divide_up(group_tiles, kGroupThreads)));
    const std::uint64_t resident = std::clamp<std::uint64_t>(
        device.shared_bytes_per_multiprocessor / (tile_shared_bytes(widest) + 1024), 1, kAgainBlocks);
    plan.again_blocks = static_cast<std::uint32_t>(std::min(2 * plan.part_tiles, resident * most));
}

// Plans to count as many digits in one read, in as many stripes, as a block has room for.
void choose_histograms(radix_sort_plan& plan, const device_properties& device) {
    const auto blocks = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    plan.histogram_blocks =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(divide_up(plan.n, 8 * kHistogramThreads), 1, blocks));
    plan.histogram_passes = histogram_passes(device.shared_bytes_per_block);
    const int passes = std::min(plan.passes, plan.histogram_passes);
    const int stripe_bits = plan.shape.merges_keys ? kFewStripeBits : histogram_stripe_bits(plan.shape.key_bytes);
    plan.many_stripes = plan.n / plan.histogram_blocks >= kManyStripeItems &&
                        histogram_bytes(passes, stripe_bits) <= device.shared_bytes_per_block;
}

}  // namespace

void choose_passes(radix_sort_plan& plan, bool may_pipeline, std::uint64_t least_parts,
                   const device_properties& device) {
    choose_tile(plan, may_pipeline, least_parts, device);
    choose_histograms(plan, device);
    if (plan.shared_bytes > device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "radix_sort",
                    "items of " + std::to_string(std::max(plan.shape.key_bytes, moved_value_bytes(plan))) +
                        " bytes are too wide for this device's chip");
    plan.checks_order = plan.pipelined && plan.reorders_first && plan.passes % 2 == 0;
    plan.orders_groups = plan.pipelined && !plan.shape.merges_keys && plan.passes % 2 == 0 && plan.passes > 2;
    if (plan.checks_order || plan.orders_groups) choose_groups(plan, device);
    const int pass_launches = plan.passes * static_cast<int>(plan.parts);
    plan.launches = 1 + (plan.passes + plan.histogram_passes - 1) / plan.histogram_passes + pass_launches;
    if (plan.passes % 2 == 1 && plan.shape.in_place && plan.shape.writes_keys)
        plan.launches += static_cast<int>(plan.parts);
    if (plan.span_threads > 0) plan.launches += 2;  // the first of which may check the order
    else if (plan.checks_order) ++plan.launches;
    if (orders_small_groups(plan)) plan.launches += 2;
    // The sample, the count of value digits and their passes.
    if (plan.samples_values) plan.launches += 2 + kSpanDigits * static_cast<int>(plan.parts);
    if (plan.again_blocks > 0) ++plan.launches;
}

}  // namespace kogge::grid
