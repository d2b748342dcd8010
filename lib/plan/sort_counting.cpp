// Candidates for keys of 8 and 16 bits without values: counting sorts.
#include "kogge/sort/common/shape.hpp"
#include "plan/sort_task.hpp"

namespace kogge::grid {
namespace {

bool may_count(const SortTask& task) {
    const std::size_t bytes = task.shape.key_bytes;
    return bytes <= 2 && stability_is_unobservable(task.shape) &&
           count_shared_bytes(bytes) <= task.device.shared_bytes_per_block;
}

}  // namespace

// Few keys, but too many for a rank sort to be as fast.
MaybePlan try_counting_in_block(const SortTask& task) {
    if (task.n <= kRankSortBytes || task.n > kBlockCountKeys || task.shape.key_bytes > 1 || !may_count(task))
        return std::nullopt;
    const int threads = task.n <= kBlockCountKeys / 4 ? kCountThreads / 4 : kCountThreads;
    return task.plan(counting_sort{{1, threads, kBlockCountTables}, std::nullopt}, 0, 1);
}

MaybePlan try_counting(const SortTask& task) {
    const std::size_t bytes = task.shape.key_bytes;
    if (!may_count(task) || fits_block_sort(task)) return std::nullopt;
    const std::uint64_t tiles = divide_up(task.n, std::uint64_t{kCountThreads} * (16 / bytes));
    const auto count_blocks = static_cast<std::uint32_t>(std::min(tiles, task.multiprocessors()));
    const auto fill_blocks =
        static_cast<std::uint32_t>(std::min(divide_up(task.n, kFillLeast), 2 * task.multiprocessors()));
    return task.plan(counting_sort{{count_blocks, kCountThreads, count_shared_bytes(bytes)},
                                   launch_size{fill_blocks, kFillThreads, 0}},
                     0, bytes == 1 ? 3 : 4);
}

// From this many keys per multiprocessor on, counting is faster than moving keys between blocks.
MaybePlan try_fast_counting(const SortTask& task) {
    const std::uint64_t share = task.shape.key_bytes == 1 ? 8192 : 12288;
    return task.n >= task.multiprocessors() * share ? try_counting(task) : std::nullopt;
}

}  // namespace kogge::grid
