// The candidate that takes everything: passes over the whole array.
#include <string>

#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/prefix/shape.hpp"
#include "plan/sort_task.hpp"
#include "tuning/tuning.hpp"

namespace kogge::grid {

namespace {

// From so many items per multiprocessor on, pipelined passes are faster than plain ones on an H100. Sorts that fit the
// chip are faster still, up to the tuned share.
constexpr std::uint64_t kLeastPipelineShare = 7168;

bool pipelines_from(std::uint64_t share, const SortTask& task) {
    const std::size_t key_bytes = task.shape.key_bytes, moved = task.moved_bytes();
    return task.device.compute_major >= 9 && pipelines_items(key_bytes, moved) &&
           task.n >= task.multiprocessors() * share &&
           task.device.shared_bytes_per_block >= onesweep_shared_bytes(key_bytes + moved);
}

}  // namespace

// With enough items per multiprocessor there are enough tiles for passes to be pipelined.
bool fits_pipeline(const SortTask& task) {
    const std::size_t words = divide_up(task.shape.key_bytes, 4) + divide_up(task.moved_bytes(), 4);  // in registers
    return pipelines_from(chosen(Choice::sort_pipeline_share, 4 * words), task);
}

namespace {

// Look-back words count to 2^30.
constexpr std::uint64_t kMostLaunchItems = (std::uint64_t{1} << 30) - 1;

void plan_tiles(const SortTask& task, bool pipelined, pass_sort& way) {
    const std::size_t moved = task.moved_bytes(), together = task.shape.key_bytes + moved;
    const std::size_t widest = std::max(task.shape.key_bytes, moved);
    std::uint64_t resident = task.multiprocessors();
    way.pipelined = pipelined;
    if (way.pipelined) {
        way.pass.threads = kOnesweepThreads;
        way.items_per_thread = onesweep_items(together);
        way.tile_items = static_cast<std::uint64_t>(kRankingWarps * 32 * way.items_per_thread);
        way.pass.shared_bytes = onesweep_shared_bytes(together);
    } else {
        way.pass.threads = kTileThreads;
        way.items_per_thread = tile_items(widest);
        way.tile_items = static_cast<std::uint64_t>(way.items_per_thread * kTileThreads);
        way.pass.shared_bytes = tile_shared_bytes(widest);
        resident *= std::clamp<std::uint64_t>(
            task.device.shared_bytes_per_multiprocessor / (way.pass.shared_bytes + 1024), 1, 6);
    }
    if (way.pass.shared_bytes > task.device.shared_bytes_per_block)
        throw error(errc::invalid_argument, "radix_sort",
                    "items of " + std::to_string(widest) + " bytes are too wide for this device's chip");
    way.tiles = divide_up(task.n, way.tile_items);
    const std::uint64_t launches =
        std::max(divide_up(way.tiles, kMostLaunchItems / way.tile_items), task.least_launches);
    way.tiles_per_launch = divide_up(way.tiles, launches);
    way.launches_per_pass = static_cast<std::uint32_t>(divide_up(way.tiles, way.tiles_per_launch));
    way.pass.blocks = static_cast<std::uint32_t>(std::min(way.tiles_per_launch, resident));
    way.look_back_rows = way.pipelined ? most_pass_tiles(way.tiles_per_launch, way.pass.blocks) : way.tiles_per_launch;
}

// As many digits per read as a block has room for; many stripes only if they fit and the block counts enough keys.
void plan_histograms(const SortTask& task, pass_sort& way) {
    way.histogram_blocks = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(divide_up(task.n, 8 * kHistogramThreads), 1, task.multiprocessors()));
    way.digits_per_read = histogram_passes(task.device.shared_bytes_per_block);
    const int digits = std::min(task.passes, way.digits_per_read);
    const int stripe_bits = task.codes_are_numbers() ? histogram_stripe_bits(task.shape.key_bytes) : kFewStripeBits;
    way.many_stripes = task.n / way.histogram_blocks >= kManyStripeItems &&
                       histogram_bytes(digits, stripe_bits) <= task.device.shared_bytes_per_block;
}

std::optional<span_plan> plan_spans(const SortTask& task) {
    const radix_sort_shape& shape = task.shape;
    const std::size_t key_bytes = shape.key_bytes, moved = task.moved_bytes();
    if (shape.merges_keys || !orders_spans(key_bytes, moved)) return std::nullopt;
    span_plan spans;
    spans.threads = span_threads(task.n, key_bytes + moved);
    spans.places = span_places(task.n, spans.threads, task.has_values());
    spans.spans = static_cast<std::uint32_t>(divide_up(task.n, spans.places));
    spans.samples_values =
        sorts_all_bits(shape) && shape.are_floats && spans_take_floats(key_bytes, moved, spans.threads);
    spans.blocks = static_cast<std::uint32_t>(
        span_blocks(spans.spans, spans.threads, task.has_values(), static_cast<int>(task.multiprocessors())));
    return spans;
}

prefix_plan plan_prefix(const SortTask& task) {
    prefix_plan prefix;
    prefix.spans = plan_spans(task);
    const std::size_t key_bytes = task.shape.key_bytes, widest = std::max(key_bytes, task.moved_bytes());
    prefix.batch_places = batch_places(task.n, key_bytes);
    const std::uint64_t batches = divide_up(task.n, prefix.batch_places), multiprocessors = task.multiprocessors();
    prefix.bound_blocks = static_cast<std::uint32_t>(divide_up(1 + most_bound_slices(task.n, prefix), kBlockBounds));
    prefix.batch_blocks = static_cast<std::uint32_t>(std::min(batches, 2 * multiprocessors));
    const std::uint64_t resident = std::clamp<std::uint64_t>(
        task.device.shared_bytes_per_multiprocessor / (large_shared_bytes(widest) + 1024), 1, kLargeBlocks);
    prefix.large_blocks = static_cast<std::uint32_t>(resident * multiprocessors);
    return prefix;
}

int count_launches(const SortTask& task, const pass_sort& way) {
    const int each = static_cast<int>(way.launches_per_pass);
    int launches = 1 + (task.passes + way.digits_per_read - 1) / way.digits_per_read + task.passes * each;
    if (task.passes % 2 == 1 && task.shape.in_place && task.shape.writes_keys) launches += each;
    if (!way.prefix) return launches;
    const span_plan* const spans = way.prefix->spans ? &*way.prefix->spans : nullptr;
    launches += spans ? 4 : 3;
    // The sample, the count of value digits and their passes.
    if (spans && spans->samples_values) launches += 2 + kSpanDigits * each;
    return launches;
}

radix_sort_plan plan_passes(const SortTask& task, bool pipelined) {
    pass_sort way;
    plan_tiles(task, pipelined, way);
    plan_histograms(task, way);
    // What sorts buckets takes scratch that more launches do not make smaller.
    const bool is_limited = task.least_launches > 1;
    if (way.pipelined && task.codes_are_numbers() && task.passes > 2 && !is_limited) way.prefix = plan_prefix(task);
    return task.plan(way, task.passes, count_launches(task, way));
}

}  // namespace

MaybePlan try_pass_sort(const SortTask& task) { return plan_passes(task, task.may_pipeline && fits_pipeline(task)); }

MaybePlan try_few_pipelined(const SortTask& task) {
    if (!task.may_pipeline || !pipelines_from(kLeastPipelineShare, task)) return std::nullopt;
    return plan_passes(task, true);
}

}  // namespace kogge::grid
