// The candidate that holds all keys on chip: one cooperative launch.
#include "kogge/sort/common/shape.hpp"
#include "plan/sort_task.hpp"
#include "tuning/tuning.hpp"

namespace kogge::grid {
namespace {

// From this many keys per block on, ranks by atomics and a check of the order cost less than ranks by ballots.
constexpr std::uint64_t kArrivalChunk = 12288;

// The most keys of a bucket that a block sorts, in a sort of several digits: several times the average, where they fit.
// 0: no buckets.
std::uint32_t bucket_items(const SortTask& task, std::uint64_t chunk) {
    const std::size_t key = task.shape.key_bytes, moved = task.moved_bytes();
    if (task.shape.merges_keys || task.passes < 3 || key < 4 || key > 16) return 0;
    const std::uint64_t room =
        (task.device.shared_bytes_per_block - kResidentSortTables) / resident_bucket_bytes(key, moved);
    const std::uint64_t most = std::min<std::uint64_t>(resident_bucket_items(key, moved) * kResidentSortThreads, room);
    if (most < chunk || chunk > static_cast<std::uint64_t>(resident_joint_items(key, moved) * kResidentSortThreads))
        return 0;
    return static_cast<std::uint32_t>(std::min(most, std::max<std::uint64_t>(4 * chunk, 2 * kQuickBucketKeys)) / 64 *
                                      64);
}

// The most keys of a bucket between quantiles that a block sorts. 0: no such buckets.
std::uint32_t quantile_items(const SortTask& task, std::uint64_t chunk) {
    const std::size_t key = task.shape.key_bytes, item = quantile_item_bytes(key, task.moved_bytes());
    const std::size_t tables = kResidentSortTables + quantile_table_bytes(key),
                      room = task.device.shared_bytes_per_block;
    if (!task.codes_are_numbers() || task.shape.merges_keys || task.passes < 3 || key < 4 || key > 16) return 0;
    if (chunk > static_cast<std::uint64_t>(quantile_chunk_items(key) * kResidentSortThreads)) return 0;
    if (room < tables + chunk * item) return 0;
    // No more than a bucket may need: what is left of an SM's memory is cache, through which all loads come.
    const std::uint64_t most =
        std::min<std::uint64_t>({kQuantileBucketItems * kResidentSortThreads, divide_up(3 * chunk, 128) * 64,
                                 (room - tables) / item / 64 * 64});
    return quantiles_pay(chunk, task.passes, most) ? static_cast<std::uint32_t>(most) : 0;
}

}  // namespace

// The tuned share of keys is enough for a block: more blocks rank no sooner, and wait for each other longer.
MaybePlan try_resident_sort(const SortTask& task) {
    const std::size_t key_bytes = task.shape.key_bytes, moved = task.moved_bytes(), together = key_bytes + moved;
    const auto most_blocks =
        static_cast<std::uint64_t>(std::clamp(task.device.multiprocessors, 1, kResidentSortGroup * kResidentSortGroup));
    const std::uint64_t least = chosen(Choice::resident_sort_share, key_bytes);
    const auto blocks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(divide_up(task.n, least), 1, most_blocks));
    const std::uint64_t chunk = resident_sort_chunk(task.n, blocks);
    const int most_items = resident_sort_items(key_bytes, moved);
    if (together > 32 || task.passes > kResidentSortPasses) return std::nullopt;
    // Keys of many digits may get by with passes over the leading ones, which only pipelined passes try.
    const std::uint32_t by_quantiles = quantile_items(task, chunk);
    const bool stays = by_quantiles > 0 && task.has_values();
    if (task.codes_are_numbers() && key_bytes > 4 && !stays && fits_pipeline(task)) return std::nullopt;
    if (chunk > static_cast<std::uint64_t>(most_items * kResidentSortThreads)) return std::nullopt;
    if (resident_sort_bytes(chunk, together) > task.device.shared_bytes_per_block) return std::nullopt;
    // Values that follow cost all passes over digits more than passes over the whole array do; they pay by quantiles.
    if (by_quantiles == 0 &&
        resident_values_follow(static_cast<int>(divide_up(chunk, kResidentSortThreads)), key_bytes, moved))
        return std::nullopt;
    resident_sort way;
    way.items_per_thread = static_cast<int>(divide_up(chunk, kResidentSortThreads));
    way.block_items = chunk;
    way.bucket_items = bucket_items(task, chunk);
    way.checks_order = stability_is_unobservable(task.shape) && task.passes > 2 && ranks_by_arrival(key_bytes) &&
                       chunk >= kArrivalChunk;
    way.quantile_items = by_quantiles;
    std::size_t shared_bytes =
        std::max(resident_sort_bytes(chunk, together),
                 kResidentSortTables + way.bucket_items * resident_bucket_bytes(key_bytes, moved));
    if (by_quantiles > 0) {
        const std::size_t beside = quantile_beside_bytes(chunk, key_bytes, moved);
        if (moved > 0 && beside <= task.device.shared_bytes_per_block) shared_bytes = std::max(shared_bytes, beside);
        shared_bytes = std::max(shared_bytes, kResidentSortTables + quantile_table_bytes(key_bytes) +
                                                  by_quantiles * quantile_item_bytes(key_bytes, moved));
    }
    way.launch = {blocks, kResidentSortThreads, shared_bytes};
    return task.plan(way, task.passes, 1);
}

}  // namespace kogge::grid
