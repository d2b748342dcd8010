// Plans of emissions.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <variant>

#include "kogge/emit/scratch.hpp"
#include "kogge/emit/shape.hpp"
#include "kogge/plan.hpp"
#include "kogge/simt/runtime.hpp"
#include "plan/candidates.hpp"
#include "plan/text.hpp"

namespace kogge {
namespace grid {
namespace {

struct EmitTask {
    std::uint64_t n;
    std::uint64_t capacity;
    std::size_t count_bytes;
    const device_properties& device;

    std::uint64_t multiprocessors() const { return static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)); }
    // At least a block, and as many as there are tiles or shares of the outputs, if so many are resident.
    std::uint32_t blocks(std::uint64_t tiles, std::uint64_t resident) const {
        const std::uint64_t shares = divide_up(capacity, kEmitShare);
        return static_cast<std::uint32_t>(std::min(std::max({tiles, shares, std::uint64_t{1}}), resident));
    }
    emit_plan with_scratch(emit_plan plan) const {
        plan.scratch_bytes = scratch_of([&](detail::Carver& carver) { carve_emit(carver, plan, capacity); });
        return plan;
    }
};

std::optional<emit_plan> try_wave(const EmitTask& task, int items) {
    const std::uint64_t by_shared =
        task.device.shared_bytes_per_multiprocessor / (emit_wave_bytes(task.count_bytes, items) + 1024);
    const auto by_threads = static_cast<std::uint64_t>(task.device.max_threads_per_multiprocessor / kEmitThreads);
    const std::uint64_t resident =
        std::min({std::uint64_t{kEmitBlocks}, by_shared, by_threads}) * task.multiprocessors();
    const std::uint64_t tiles = emit_tile_count(task.n, items);
    if (tiles > std::min(resident, kMostEmitWaveTiles) || resident == 0) return std::nullopt;
    const std::uint32_t blocks = task.blocks(tiles, resident);
    const bool cluster = blocks > 1 && blocks <= task.device.cluster_blocks;
    return task.with_scratch({{},
                              emit_wave{cluster, blocks > 1 && !cluster, items},
                              tiles,
                              static_cast<std::uint64_t>(kEmitThreads * items),
                              blocks,
                              1,
                              0});
}

emit_plan plan_tiles(const EmitTask& task) {
    const std::uint64_t tiles = emit_tile_count(task.n, kEmitItems);
    if (tiles >= kMostEmitTiles)
        throw error(errc::invalid_argument, "plan_emit",
                    std::to_string(task.n) + " items are too many for one call: emit them in parts");
    return task.with_scratch({{},
                              emit_tiles{},
                              tiles,
                              kEmitThreads * kEmitItems,
                              task.blocks(tiles, kEmitBlocks * task.multiprocessors()),
                              2,
                              0});
}

}  // namespace
}  // namespace grid

emit_plan plan_emit(std::uint64_t n, std::uint64_t capacity, std::size_t count_bytes, const device_properties& device) {
    if (count_bytes != 4 && count_bytes != 8)
        throw error(errc::invalid_argument, "plan_emit", "counts have 4 or 8 bytes");
    detail::bytes_of("plan_emit", n, 1);
    detail::bytes_of("plan_emit", capacity, 1);
    const grid::EmitTask task{n, capacity, count_bytes, device};
    for (const int items : {grid::kEmitWaveItems, grid::kEmitWideItems})
        if (const auto plan = grid::try_wave(task, items)) return *plan;
    return grid::plan_tiles(task);
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"wave", "tiles"};
static_assert(kWayNames.size() == std::variant_size_v<emit_way>);

}  // namespace

const char* to_string(const emit_way& way) { return kWayNames[way.index()]; }

std::string to_string(const emit_plan& plan) {
    const emit_wave* const wave = plan.as<emit_wave>();
    return std::string("emit: ") + to_string(plan.way) + (wave && wave->cluster ? ", a cluster, " : ", ") +
           grid::tiles_text(plan);
}

}  // namespace kogge
