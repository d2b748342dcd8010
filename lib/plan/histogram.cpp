// Plans of histograms.
#include "kogge/plan/histogram.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/error.hpp"
#include "kogge/histogram/scratch.hpp"
#include "kogge/histogram/shape.hpp"
#include "plan/candidates.hpp"

namespace kogge {
namespace grid {
namespace {

struct HistogramTask {
    std::uint64_t length, rows;
    std::uint32_t bins;
    const histogram_shape& shape;
    const device_properties& device;

    std::uint64_t multiprocessors() const { return static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)); }
    CounterKind word_kind() const {
        return shape.weighted && shape.counter_bytes == 8 ? CounterKind::wide : CounterKind::word;
    }
    histogram_plan with_scratch(const histogram_way& way, std::uint64_t most, int fills) const {
        histogram_plan plan{{}, length, rows, bins, shape, way, most, 0, 0};
        plan.launches = fills + static_cast<int>(std::max<std::uint64_t>(divide_up(length, most), 1));
        plan.scratch_bytes = scratch_of([&](detail::Carver& carver) { carve_histogram(carver, plan); });
        return plan;
    }
};

// The numbers below are reckoned for an H100.
constexpr std::uint64_t kPartBytes = 16 << 10;      // a further block is worth so many bytes of the input
constexpr std::uint64_t kOneBlockBytes = 64 << 10;  // one block counts so many in the time that zeroing counts takes
constexpr std::uint64_t kTicketBytes = 64 << 20;
constexpr std::size_t kCopiesBytes = 128 << 10;  // the rest of a multiprocessor's memory is the cache of loads
constexpr std::uint64_t kItemsPerCopied = 64;    // per bin in a block, from which on copies of its counter are worth it
constexpr std::uint64_t kZeroBytes = 4 << 20;    // of an input up to which blocks zero the counts themselves
constexpr std::uint32_t kMostRanges = 4;         // reads of the input, the most of them from the L2 cache
constexpr std::uint64_t kWarpRow = 4096;         // items that a warp counts alone
constexpr std::uint64_t kWarpRowFew = 1024;      // also if there are few rows
constexpr std::uint32_t kWarpRowBins = 1024;

std::optional<histogram_plan> try_nothing(const HistogramTask& task) {
    if (task.length > 0 && task.rows > 0) return std::nullopt;
    histogram_plan plan = task.with_scratch(histogram_warps{}, kHistogramMost, 0);
    plan.launches = task.rows > 0 ? 1 : 0;
    return plan;
}

std::optional<histogram_plan> try_warps(const HistogramTask& task) {
    constexpr std::uint64_t warps = kHistogramRowThreads / 32;
    if (task.rows < 2 || task.bins > kWarpRowBins || task.length > kWarpRow) return std::nullopt;
    if (task.length > kWarpRowFew && task.rows < 8 * task.multiprocessors()) return std::nullopt;
    const std::size_t shared = warps * histogram_bytes(task.word_kind(), task.bins, 0);
    if (shared > task.device.shared_bytes_per_block) return std::nullopt;
    const std::uint64_t resident = std::min<std::uint64_t>(
        task.device.shared_bytes_per_multiprocessor / (shared + 1024),
        static_cast<unsigned>(task.device.max_threads_per_multiprocessor) / unsigned{kHistogramRowThreads});
    const std::uint64_t blocks =
        std::min(divide_up(task.rows, warps), std::max<std::uint64_t>(resident, 1) * task.multiprocessors());
    const launch_size launch{static_cast<std::uint32_t>(blocks), kHistogramRowThreads, shared};
    return task.with_scratch(histogram_warps{launch}, kHistogramMost, 0);
}

std::optional<histogram_plan> try_blocks(const HistogramTask& task) {
    const std::size_t most_bytes = task.device.shared_bytes_per_block;
    const std::size_t copies_bytes = std::min(most_bytes, kCopiesBytes);
    histogram_blocks way;
    CounterKind kind = task.word_kind();
    if (histogram_bytes(kind, task.bins, 0) > copies_bytes && !task.shape.weighted) kind = CounterKind::narrow;
    way.narrow = kind == CounterKind::narrow;
    std::uint64_t held = task.bins;  // bins of a range
    if (histogram_bytes(kind, task.bins, 0) > most_bytes) {
        held = most_bytes / histogram_bytes(kind, 2, 0) * 2;
        if (held == 0) return std::nullopt;
        const std::uint64_t ranges = divide_up(task.bins, held);
        if (ranges > kMostRanges) return std::nullopt;
        way.ranges = static_cast<std::uint32_t>(ranges);
        held = divide_up(divide_up(task.bins, ranges), 32) * 32;  // evenly, in whole lines
        if (histogram_bytes(kind, held, 0) > most_bytes) held = divide_up(task.bins, ranges);
        way.ranges = static_cast<std::uint32_t>(divide_up(task.bins, held));
    }
    way.range_bins = static_cast<std::uint32_t>(held);
    if (task.length / 2 < held && (way.ranges > 1 || way.narrow)) return std::nullopt;  // more bins than items
    const std::uint64_t bytes = task.length * task.shape.item_bytes, resident = task.multiprocessors();
    const std::uint64_t rows = task.rows * way.ranges;
    std::uint64_t parts = 1;
    if (rows < resident && bytes > kOneBlockBytes) {
        // No more than have enough items to be worth the adding up of their counters.
        const std::uint64_t by_bytes = divide_up(bytes, kPartBytes), by_bins = divide_up(4 * task.length, held);
        parts = std::max<std::uint64_t>(std::min({resident / rows, by_bytes, by_bins}), 1);
    }
    way.parts = static_cast<std::uint32_t>(parts);
    // Copies are zeroed and added up, too. (H200, graph, 2^18 u32 in 256 bins: 7.8 us, by 16 copies 8.5.)
    if (!way.narrow && divide_up(task.length, parts) >= kItemsPerCopied * held)
        while (way.copies_log2 < 5 && histogram_bytes(kind, held, way.copies_log2 + 1) <= copies_bytes)
            ++way.copies_log2;
    const std::uint64_t most = kHistogramMost * parts;
    way.adds = parts > 1 || way.narrow || task.length > most;
    way.tickets = rows == 1 && !way.narrow && parts >= kHistogramTickets && bytes >= kTicketBytes &&
                  task.length <= most && task.length < std::uint64_t{1} << 40;
    // Each block counts one part: then it has zeroed a share of the counts before, and waits for the others' after it.
    // (H200, graph, 2^16 u32 in 256 bins: 7.0 us; by a fill, and with copies and whole batches, 9.2.)
    way.zeroes = way.adds && !way.narrow && rows * parts <= resident && bytes * task.rows <= kZeroBytes;
    way.launch = {static_cast<std::uint32_t>(std::min(rows * parts, resident)), kBinningThreads,
                  histogram_bytes(kind, held, way.copies_log2)};
    return task.with_scratch(way, most, (way.adds && !way.zeroes ? 1 : 0) + (way.tickets ? 1 : 0));
}

std::optional<histogram_plan> try_atomics(const HistogramTask& task) {
    const std::uint64_t resident = std::uint64_t{kHistogramAtomicBlocks} * task.multiprocessors();
    const std::uint64_t bytes = task.length * task.shape.item_bytes;
    const std::uint64_t by_bytes = std::max<std::uint64_t>(divide_up(bytes, kPartBytes / 4), 1);
    histogram_atomics way;
    way.parts =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(std::min(divide_up(resident, task.rows), by_bytes), 1));
    way.launch = {static_cast<std::uint32_t>(std::min(task.rows * way.parts, resident)), kHistogramAtomicThreads,
                  std::size_t{2} * kHistogramCached * sizeof(std::uint32_t)};
    return task.with_scratch(way, kHistogramMost * way.parts, 1);
}

constexpr std::array<std::optional<histogram_plan> (*)(const HistogramTask&), 4> kWays{try_nothing, try_warps,
                                                                                       try_blocks, try_atomics};

}  // namespace
}  // namespace grid

histogram_plan plan_histogram(std::uint64_t length, std::uint64_t rows, std::uint32_t bins,
                              const histogram_shape& shape, const device_properties& device) {
    const char* const call = "plan_histogram";
    if (bins == 0) throw error(errc::invalid_argument, call, "there must be at least one bin");
    if (shape.counter_bytes != 4 && shape.counter_bytes != 8)
        throw error(errc::invalid_argument, call, "counts have 4 or 8 bytes");
    if (length > 0)
        detail::bytes_of(call, detail::bytes_of(call, length, shape.item_bytes), std::max<std::size_t>(rows, 1));
    detail::bytes_of(call, std::uint64_t{bins} * shape.counter_bytes, std::max<std::size_t>(rows, 1));
    return grid::first_plan(grid::kWays, grid::HistogramTask{length, rows, bins, shape, device});
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"blocks", "warps", "atomics"};
static_assert(kWayNames.size() == std::variant_size_v<histogram_way>);

std::string text_of(const histogram_blocks& way) {
    std::ostringstream text;
    text << ", " << way.launch.blocks << " of them, " << (way.narrow ? "16-bit counters" : "counters");
    if (way.copies_log2 > 0) text << " in " << (1 << way.copies_log2) << " copies";
    if (way.ranges > 1) text << ", " << way.ranges << " ranges of bins";
    if (way.parts > 1) text << ", " << way.parts << " parts";
    return text.str();
}
std::string text_of(const histogram_warps& way) { return ", in " + std::to_string(way.launch.blocks) + " blocks"; }
std::string text_of(const histogram_atomics& way) { return ", " + std::to_string(way.launch.blocks) + " blocks"; }

}  // namespace

const char* to_string(const histogram_way& way) { return kWayNames[way.index()]; }

std::string to_string(const histogram_plan& plan) {
    return std::string("histogram: ") + to_string(plan.way) +
           std::visit([](const auto& way) { return text_of(way); }, plan.way) + ", " + std::to_string(plan.launches) +
           (plan.launches == 1 ? " launch, " : " launches, ") + std::to_string(plan.scratch_bytes) +
           " bytes of scratch";
}

}  // namespace kogge
