// Plans of reductions: the candidates, fastest first.
#include "kogge/plan/reduce.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/reduce/scratch.hpp"
#include "kogge/reduce/shape.hpp"
#include "plan/candidates.hpp"
#include "plan/reduce_places.hpp"

namespace kogge {
namespace grid {
namespace {

// A block's rounds up to which it is sooner done than several blocks have met: about a microsecond's loads.
constexpr std::uint64_t kOneBlockRounds = 1;
// The same of a cluster's blocks. A cluster's barrier takes less than the grid's, but a cluster is slower to start.
// (H200, graph, 2^16 u32: 3.2 us, as a grid 3.8; 2^18 f64, two rounds: 5.0 us, as a grid 4.6.)
constexpr std::uint64_t kClusterRounds = 1;
// Blocks of a wave per round, up to one on each multiprocessor. (H200, graph, 2^16 f32: maximum 3.6 us, by one per
// round 4.6; sums the same.)
constexpr std::uint64_t kBlocksPerRound = 2;
// Rounds of each resident block up to which a fill would take longer than waiting for the slowest block.
constexpr std::uint64_t kWaveRounds = 4;
// Blocks of a larger launch, per resident block: where one is slow, others take its place.
constexpr std::uint64_t kBlocksPerPlace = 4;

struct ReduceTask {
    std::uint64_t n;
    const reduce_shape& shape;
    const device_properties& device;

    std::uint64_t rounds() const { return divide_up(n * shape.item_bytes, reduce_round_bytes(shape)); }
    std::size_t shared() const { return reduce_shared_bytes(shape.accumulator_bytes); }
    std::uint64_t resident() const { return reduce_places(shared(), device); }
};

using MaybePlan = std::optional<reduce_plan>;

reduce_plan plan_of(const reduce_way& way, std::uint64_t blocks, int launches, const ReduceTask& task) {
    reduce_plan plan{{}, way, static_cast<std::uint32_t>(blocks), kReduceThreads, task.shared(), launches, 0};
    plan.scratch_bytes =
        scratch_of([&](detail::Carver& carver) { carve_reduce(carver, plan, task.shape.accumulator_bytes); });
    return plan;
}

MaybePlan try_one_block(const ReduceTask& task) {
    if (task.rounds() > kOneBlockRounds) return std::nullopt;
    return plan_of(reduce_wave{}, 1, 1, task);
}
MaybePlan try_cluster(const ReduceTask& task) {
    const std::uint64_t most = task.device.cluster_blocks;
    if (most < 2 || task.rounds() > most * kClusterRounds ||
        reduce_blocks_each(task.shared(), task.device) < kReduceBlocks)
        return std::nullopt;
    return plan_of(reduce_wave{true, false}, std::min(most, kBlocksPerRound * task.rounds()), 1, task);
}
MaybePlan try_wave(const ReduceTask& task) {
    if (task.rounds() > kWaveRounds * task.resident()) return std::nullopt;
    const auto multiprocessors = static_cast<std::uint64_t>(std::max(task.device.multiprocessors, 1));
    const std::uint64_t spread = std::min(kBlocksPerRound * task.rounds(), multiprocessors);
    const std::uint64_t blocks = std::min(std::max(task.rounds(), spread), task.resident());
    return plan_of(reduce_wave{false, blocks > 1}, blocks, 1, task);
}
MaybePlan try_blocks(const ReduceTask& task) {
    return plan_of(reduce_blocks{}, std::min(task.rounds(), kBlocksPerPlace * task.resident()), 2, task);
}

constexpr MaybePlan (*kCandidates[])(const ReduceTask&) = {try_one_block, try_cluster, try_wave, try_blocks};

}  // namespace
}  // namespace grid

reduce_plan plan_reduce(std::uint64_t n, const reduce_shape& shape, const device_properties& device) {
    detail::bytes_of("plan_reduce", n, shape.item_bytes);
    detail::bytes_of("plan_reduce", 1, shape.accumulator_bytes);
    const grid::ReduceTask task{n, shape, device};
    grid::check_width("plan_reduce", task.shared(), shape.accumulator_bytes, device);
    return grid::first_plan(grid::kCandidates, task);
}

scan_plan plan_reduce_by_key(std::uint64_t n, const reduce_by_key_shape& shape, const device_properties& device) {
    detail::bytes_of("plan_reduce_by_key", n, shape.value_bytes);
    // As RunSum: the sum, and the number of runs in two words.
    const std::size_t alignment = std::max<std::size_t>(shape.sum_alignment, alignof(std::uint32_t));
    const auto aligned = [](std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; };
    const std::size_t run_sum =
        aligned(aligned(shape.sum_bytes, alignof(std::uint32_t)) + 2 * sizeof(std::uint32_t), alignment);
    return plan_scan(std::max<std::uint64_t>(n, 1), {run_sum, shape.sum_bytes, run_sum, shape.value_bytes}, {}, device);
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"wave", "blocks"};
static_assert(kWayNames.size() == std::variant_size_v<reduce_way>);

}  // namespace

const char* to_string(const reduce_way& way) { return kWayNames[way.index()]; }

std::string to_string(const reduce_plan& plan) {
    const auto* const wave = plan.as<reduce_wave>();
    return std::string("reduce: ") + to_string(plan.way) + (wave && wave->cluster ? ", a cluster" : "") + ", " +
           std::to_string(plan.blocks) + (plan.blocks == 1 ? " block, " : " blocks, ") + std::to_string(plan.launches) +
           (plan.launches == 1 ? " launch, " : " launches, ") + std::to_string(plan.scratch_bytes) +
           " bytes of scratch";
}

}  // namespace kogge
