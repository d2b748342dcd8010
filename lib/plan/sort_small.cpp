// Candidates for few keys: rank sort, block sort, small split.
#include "kogge/sort/common/shape.hpp"
#include "plan/sort_task.hpp"
#include "tuning/tuning.hpp"

namespace kogge::grid {

// A block places 32 keys; all blocks are resident, two per multiprocessor.
MaybePlan try_rank_sort(const SortTask& task) {
    const std::size_t key_bytes = task.shape.key_bytes, shared_bytes = rank_sort_shared_bytes(key_bytes);
    const std::uint64_t resident =
        task.multiprocessors() *
        static_cast<std::uint64_t>(std::min(task.device.max_threads_per_multiprocessor / kRankSortThreads, 2));
    const std::uint64_t rows = divide_up(task.n, 32);
    if (task.shape.merges_keys || key_bytes > 16 || rows > resident ||
        shared_bytes > task.device.shared_bytes_per_block)
        return std::nullopt;
    if (task.n > chosen(Choice::rank_sort_keys, key_bytes)) return std::nullopt;  // passes are faster
    const int threads = static_cast<int>(std::min<std::uint64_t>(32 * rows, kRankSortThreads));
    return task.plan(rank_sort{{static_cast<std::uint32_t>(rows), threads, shared_bytes}}, 0, 1);
}

namespace {

// The threads of a sort by one block; 0: it has no room.
int block_sort_threads(const SortTask& task) {
    const std::size_t key_bytes = task.shape.key_bytes;
    const auto items = static_cast<std::uint64_t>(block_sort_items(key_bytes, task.has_values()));
    for (int threads = kBins; threads <= kBlockSortThreads; threads *= 2) {
        if (block_sort_bytes(threads, key_bytes, task.has_values()) > task.device.shared_bytes_per_block) return 0;
        // Adding up more rows takes longer than ranking more keys per thread, up to 8 per thread.
        const std::uint64_t most = threads == kBins ? std::min<std::uint64_t>(items, 8) : items;
        if (task.n <= most * static_cast<std::uint64_t>(threads)) return threads;
    }
    return 0;
}

}  // namespace

bool fits_block_sort(const SortTask& task) { return block_sort_threads(task) > 0; }

MaybePlan try_block_sort(const SortTask& task) {
    const int threads = block_sort_threads(task);
    if (threads == 0) return std::nullopt;
    const std::size_t shared_bytes = block_sort_bytes(threads, task.shape.key_bytes, task.has_values());
    const int items = block_sort_items(task.shape.key_bytes, task.has_values());
    return task.plan(block_sort{{1, threads, shared_bytes}, items}, task.passes, 1);
}

MaybePlan try_fast_block_sort(const SortTask& task) {
    const std::uint64_t most = task.has_values() || task.passes == 1 ? 4096 : 8192;
    return task.n <= most ? try_block_sort(task) : std::nullopt;
}

MaybePlan try_small_split(const SortTask& task) {
    if (task.n > kFewSplitItems || task.shape.end_bit > kFewSplitBits) return std::nullopt;
    constexpr std::uint64_t items = kFewSplitRows * 32;
    const auto blocks = static_cast<std::uint32_t>(divide_up(task.n, items));
    return task.plan(small_split{{blocks, kFewSplitThreads, 0}, items}, 1, 1);
}

}  // namespace kogge::grid
