// Plans of emissions.
#include <algorithm>
#include <string>

#include "kogge/emit/scratch.hpp"
#include "kogge/emit/shape.hpp"
#include "kogge/plan.hpp"
#include "kogge/simt/runtime.hpp"
#include "plan/tiles.hpp"

namespace kogge {

emit_plan plan_emit(std::uint64_t n, std::uint64_t capacity, std::size_t count_bytes, const device_properties& device) {
    if (count_bytes != 4 && count_bytes != 8)
        throw error(errc::invalid_argument, "plan_emit", "counts have 4 or 8 bytes");
    detail::bytes_of("plan_emit", n, 1);
    detail::bytes_of("plan_emit", capacity, 1);
    const auto multiprocessors = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
    emit_plan plan;
    plan.threads = grid::kEmitThreads;
    plan.launches = 2;
    plan.items_per_thread = grid::kEmitItems;
    std::uint64_t resident = grid::kEmitBlocks * multiprocessors;
    for (const int items : {grid::kEmitWideItems, grid::kEmitWaveItems}) {  // a wave of the fewer, if there is one
        const std::uint64_t by_shared =
            device.shared_bytes_per_multiprocessor / (grid::emit_wave_bytes(count_bytes, items) + 1024);
        const std::uint64_t by_threads =
            static_cast<std::uint64_t>(device.max_threads_per_multiprocessor / grid::kEmitThreads);
        const std::uint64_t blocks =
            std::min({std::uint64_t{grid::kEmitBlocks}, by_shared, by_threads}) * multiprocessors;
        if (grid::emit_tiles(n, items) > std::min(blocks, grid::kMostEmitWaveTiles) || blocks == 0) continue;
        plan.one_wave = true;
        plan.launches = 1;
        plan.items_per_thread = items;
        resident = blocks;
    }
    plan.tiles = grid::emit_tiles(n, plan.items_per_thread);
    if (plan.tiles >= grid::kMostEmitTiles)
        throw error(errc::invalid_argument, "plan_emit",
                    std::to_string(n) + " items are too many for one call: emit them in parts");
    // At least a block, and as many as there are tiles or shares of the outputs.
    const std::uint64_t shares = grid::divide_up(capacity, grid::kEmitShare);
    plan.blocks = static_cast<std::uint32_t>(std::min(std::max({plan.tiles, shares, std::uint64_t{1}}), resident));
    if (plan.one_wave && plan.blocks > 1) {
        plan.cluster = plan.blocks <= device.cluster_blocks;
        plan.cooperative = !plan.cluster;
    }
    detail::Carver carver;
    grid::carve_emit(carver, plan, capacity);
    plan.scratch_bytes = detail::scratch_with_slack(carver.used());
    return plan;
}

std::string to_string(const emit_plan& plan) {
    return std::string("emit") + (plan.one_wave ? " in one wave: " : ": ") + grid::launch_text(plan);
}

}  // namespace kogge
