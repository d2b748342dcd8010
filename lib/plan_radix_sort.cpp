// Plans of radix sorts and splits.
#include <algorithm>
#include <sstream>

#include "kogge/grid/group_shape.hpp"
#include "kogge/grid/sort_memory.hpp"
#include "kogge/grid/sort_shape.hpp"
#include "kogge/plan.hpp"
#include "tuning.hpp"

namespace kogge {
namespace grid {
namespace {

std::size_t moved_value_bytes(const radix_sort_plan& plan) {
    return plan.gathers_values ? plan.index_bytes : plan.shape.values.empty() ? 0 : plan.shape.values[0].bytes;
}

// Look-back words count to 2^30.
constexpr std::uint64_t kMostPartItems = (std::uint64_t{1} << 30) - 1;

// The threads of a sort by one block; 0: it does not fit.
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

// Plans comparisons where two blocks a multiprocessor, all of them resident, have a lane for each key.
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

// Of more keys, several blocks sort faster than one that could.
constexpr std::uint64_t block_sort_best(bool has_values, int passes) { return has_values || passes == 1 ? 4096 : 8192; }

// With so many keys a block, ranks by atomics and a check of the order cost less than ranks by ballots.
constexpr std::uint64_t kServedChunk = 12288;

// With so many keys a multiprocessor, values of 8 or 16 bits are counted sooner than all blocks move keys.
bool counts_sooner(const radix_sort_plan& plan, const device_properties& device) {
    const std::uint64_t share = plan.shape.key_bytes == 1 ? 8192 : 12288;
    return plan.n >= static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)) * share;
}

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

// Plans one launch where a grid of resident blocks holds all keys. The chosen share of keys is enough for a block: more
// blocks rank no sooner, and wait for each other longer.
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
}

// Plans to count values where keys allow it.
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

// Plans to count bytes in one block, where they are few but more than are compared in the same time.
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

// The arrays that take turns with the output.
template <class Memory>
void carve_turns(detail::Carver& carver, const radix_sort_plan& plan, bool takes_turns, Memory& memory) {
    const std::size_t moved = moved_value_bytes(plan);
    if (takes_turns && plan.pipelined && !plan.shape.merges_keys && packs_items(plan.shape.key_bytes, moved)) {
        unsigned char* const items = carver.take<unsigned char>(plan.n * (plan.shape.key_bytes + moved));
        memory.keys = items;
        memory.values = items ? items + plan.n * plan.shape.key_bytes : nullptr;
    } else if (takes_turns) {
        memory.keys = carver.take<unsigned char>(plan.n * plan.shape.key_bytes);
        if (moved > 0) memory.values = carver.take<unsigned char>(plan.n * moved);
    }
    if (!plan.shape.writes_keys && plan.passes > 2)
        memory.more_keys = carver.take<unsigned char>(plan.n * plan.shape.key_bytes);
}

}  // namespace

SplitMemory carve_split(detail::Carver& carver, const radix_sort_plan& plan) {
    SplitMemory memory;
    const std::uint64_t passes = static_cast<std::uint64_t>(plan.passes), slots = 1 + passes;
    memory.moves = carver.take<std::uint32_t>(slots);
    if (plan.parts > 1) memory.next_starts = carver.take<std::uint64_t>(2 * kBins);
    if (plan.orders_groups) memory.large = carver.take<LargeGroup>(most_large_groups(plan.n));
    if (plan.span_stretch > 0) {
        memory.spans = carver.take<LargeGroup>(plan.group_blocks + std::size_t{1});
        memory.crowded = carver.take<LargeGroup>(2 * std::size_t{plan.group_blocks});
    }
    const std::size_t start = carver.used();
    memory.control = carver.take<std::uint32_t>(kSplitControlWords);
    memory.tickets = carver.take<std::uint32_t>(slots * plan.parts);
    memory.histograms = carver.take<std::uint64_t>(passes * kBins);
    const std::uint64_t words = split_table_words(plan.part_tiles);
    memory.zeroed = carver.used() - start + words * sizeof(std::uint64_t);
    memory.counts = carver.take<std::uint64_t>(2 * words);
    return memory;
}

SortMemory carve_radix_sort(detail::Carver& carver, const radix_sort_plan& plan) {
    const radix_sort_shape& shape = plan.shape;
    SortMemory memory;
    if (plan.counts_values && !plan.one_block)
        memory.value_counts = carver.take<std::uint64_t>(value_count_bytes(shape.key_bytes, plan.histogram_blocks) / 8);
    if (plan.passes == 0 && !plan.compares) return memory;
    if (plan.one_grid) {
        memory.grid.counts =
            carver.take<std::uint32_t>((plan.passes + (plan.range_items > 0 ? 1u : 0u)) * grid_sort_words(plan.blocks));
        memory.grid.moved = carver.take<std::uint32_t>(1);
        memory.grid.disorder = carver.take<std::uint32_t>(1);
        carve_turns(carver, plan, plan.passes > 1, memory.grid);
    } else if (!plan.one_block && !plan.compares && !plan.counts_bins) {
        memory.split = carve_split(carver, plan);
        carve_turns(carver, plan, plan.passes > 1 || (shape.in_place && shape.writes_keys), memory.split);
    }
    if (plan.gathers_values) {
        memory.indices = carver.take<unsigned char>(plan.n * plan.index_bytes);
        std::size_t widest = 0;
        if (shape.in_place)
            for (const value_layout& value : shape.values) widest = std::max(widest, value.bytes);
        if (widest > 0) memory.gathered = carver.take<unsigned char>(plan.n * widest);
    }
    return memory;
}

radix_sort_shape sort_shape(std::size_t key_bytes, int begin_bit, int end_bit, bool in_place, bool writes_keys,
                            bool merges_keys, std::span<const value_array> values) {
    radix_sort_shape shape{key_bytes, begin_bit, end_bit, in_place, writes_keys, {}, merges_keys};
    for (const value_array& value : values) {
        shape.values.push_back({value.bytes, value.alignment});
        if (value.in == value.out) shape.in_place = true;
    }
    return shape;
}

}  // namespace grid

namespace {

// The ways that a plan may go.
struct Ways {
    bool by_codes = true;  // keys may be compared, and values gathered: not in a split into bins
    bool on_chip = true;
    bool counting = true;
    bool grid = true;
    bool pipeline = true;
    bool travel = true;       // values may move with their keys
    std::uint64_t parts = 1;  // launches of a pass, at least
};

radix_sort_plan plan_passes(std::uint64_t n, const radix_sort_shape& shape, const Ways& may,
                            const device_properties& device) {
    std::size_t item_bytes = shape.key_bytes;
    for (const auto& value : shape.values) item_bytes += value.bytes;
    detail::bytes_of("plan_radix_sort", n, item_bytes);
    radix_sort_plan plan;
    plan.n = n;
    plan.shape = shape;
    plan.digit_bits = grid::kDigitBits;
    plan.passes = n == 0 ? 0 : (shape.end_bit - shape.begin_bit + grid::kDigitBits - 1) / grid::kDigitBits;
    plan.gathers_values = may.by_codes && !shape.values.empty() &&
                          !(may.travel && shape.values.size() == 1 && grid::travels(shape.values[0]));
    if (plan.gathers_values) plan.index_bytes = n <= (std::uint64_t{1} << 32) ? 4 : 8;
    const int value_arrays = static_cast<int>(shape.values.size());
    if (plan.passes == 0) {
        if (n > 0 && !shape.in_place) plan.launches = (shape.writes_keys ? 1 : 0) + value_arrays;
        return plan;
    }

    const bool all_bits = shape.begin_bit == 0 && static_cast<std::size_t>(shape.end_bit) == 8 * shape.key_bytes;
    plan.reorders_first = all_bits && shape.values.empty() && !shape.merges_keys;
    const bool counts_in_block = may.counting && grid::choose_block_counting(plan, device);
    const bool compares = may.by_codes && !counts_in_block && grid::choose_comparing(plan, device);
    plan.counts_bins = !may.by_codes && may.on_chip && plan.passes == 1 && n <= grid::kFewSplitItems;
    const bool may_fit = may.on_chip && !counts_in_block && !compares && !plan.counts_bins;
    const int block_threads = may_fit ? grid::block_sort_threads(n, shape.key_bytes, value_arrays > 0, device) : 0;
    const bool one_block = block_threads > 0 && n <= grid::block_sort_best(value_arrays > 0, plan.passes);
    const bool may_count = may.counting && !compares && block_threads == 0;
    const bool may_grid = may_fit && may.grid && !one_block;
    bool counts_values =
        counts_in_block || (may_count && grid::counts_sooner(plan, device) && grid::choose_counting(plan, device));
    const bool one_grid = may_grid && !counts_values && grid::choose_grid(plan, device);
    if (may_count && !one_grid && !counts_values) counts_values = grid::choose_counting(plan, device);
    if (plan.counts_bins) {
        plan.threads = grid::kFewSplitThreads;
        plan.items_per_thread = 1;
        plan.tile_items = static_cast<std::uint64_t>(plan.threads);
        plan.tiles = grid::divide_up(n, plan.tile_items);
        plan.blocks = static_cast<std::uint32_t>(plan.tiles);
        plan.launches = 1;
    } else if (one_block || (block_threads > 0 && !one_grid)) {
        plan.one_block = true;
        plan.threads = block_threads;
        plan.items_per_thread = grid::block_sort_items(shape.key_bytes, value_arrays > 0);
        plan.tile_items = static_cast<std::uint64_t>(block_threads * plan.items_per_thread);
        plan.shared_bytes = grid::block_sort_bytes(block_threads, shape.key_bytes, value_arrays > 0);
        plan.tiles = plan.blocks = 1;
        plan.launches = 1;
    } else if (!compares && !counts_values && !one_grid) {
        grid::choose_tile(plan, may.pipeline, may.parts, device);
        const std::uint64_t most = static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
        plan.histogram_blocks = static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(grid::divide_up(n, 8 * grid::kHistogramThreads), 1, most));
        plan.checks_order = plan.pipelined && plan.reorders_first && plan.passes % 2 == 0;
        plan.orders_groups = plan.pipelined && !shape.merges_keys && plan.passes % 2 == 0 && plan.passes > 2;
        if (plan.checks_order || plan.orders_groups) {
            const std::size_t widest = std::max(shape.key_bytes, grid::moved_value_bytes(plan));
            const std::uint64_t group_tiles = grid::divide_up(n, static_cast<std::uint64_t>(grid::group_items(widest)));
            plan.group_blocks = static_cast<std::uint32_t>(
                std::max(std::min(group_tiles, 4 * most), grid::divide_up(group_tiles, grid::kGroupThreads)));
            const bool groups_fit = n >> 16 <= grid::kSpanItems;  // of two leading digits, if keys are even
            if (plan.orders_groups && all_bits && groups_fit &&
                grid::orders_spans(shape.key_bytes, grid::moved_value_bytes(plan))) {
                plan.span_stretch = grid::span_stretch(n, value_arrays > 0);
                plan.group_blocks = static_cast<std::uint32_t>(grid::divide_up(n, plan.span_stretch));
            }
            const std::uint64_t resident = std::clamp<std::uint64_t>(
                device.shared_bytes_per_multiprocessor / (grid::tile_shared_bytes(widest) + 1024), 1,
                grid::kAgainBlocks);
            plan.again_blocks = static_cast<std::uint32_t>(std::min(2 * plan.part_tiles, resident * most));
        }
        const int pass_launches = plan.passes * static_cast<int>(plan.parts);
        plan.launches =
            1 + static_cast<int>(grid::divide_up(static_cast<std::uint64_t>(plan.passes), grid::kHistogramPasses)) +
            pass_launches;
        if (plan.passes % 2 == 1 && shape.in_place && shape.writes_keys) plan.launches += static_cast<int>(plan.parts);
        if (plan.checks_order) ++plan.launches;
        if (plan.orders_groups) plan.launches += plan.span_stretch > 0 ? 3 : 2;
        if (plan.again_blocks > 0) ++plan.launches;
    }
    if (plan.gathers_values) plan.launches += value_arrays * (shape.in_place ? 2 : 1);
    detail::Carver carver;
    grid::carve_radix_sort(carver, plan);
    plan.scratch_bytes = detail::scratch_with_slack(carver.used());
    return plan;
}

}  // namespace

radix_sort_plan plan_radix_sort(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device,
                                std::size_t scratch_limit) {
    radix_sort_plan plan;
    std::size_t least = kNoLimit;
    const auto fits = [&](const Ways& may) {
        plan = plan_passes(n, shape, may, device);
        least = std::min(least, plan.scratch_bytes);
        return plan.scratch_bytes <= scratch_limit;
    };
    Ways may{.pipeline = !shape.merges_keys};
    if (fits(may)) return plan;
    may.counting = false;
    for (const bool travel : {true, false}) {
        may.travel = travel;
        may.grid = true;
        may.parts = 1;
        if (fits(may)) return plan;
        // One block, or passes. More launches of a pass need smaller tables, as long as each fills the device.
        may.grid = false;
        for (may.parts = 1; may.parts == 1 || may.parts * plan.blocks <= plan.tiles; may.parts *= 2)
            if (fits(may)) return plan;
    }
    throw error(errc::out_of_memory, "radix_sort",
                "at least " + std::to_string(least) + " bytes of scratch are needed, but exec.scratch_limit is " +
                    std::to_string(scratch_limit));
}

radix_sort_plan plan_split(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device) {
    radix_sort_shape bins = shape;
    bins.merges_keys = true;
    const std::size_t value_bytes = shape.values.empty() ? 0 : shape.values[0].bytes;
    return plan_passes(n, bins, {.by_codes = false, .on_chip = grid::splits_on_chip(shape.key_bytes, value_bytes)},
                       device);
}

std::string to_string(const radix_sort_plan& plan) {
    std::ostringstream text;
    text << "radix_sort: " << plan.passes << " passes of " << plan.digit_bits << " bits, " << plan.tiles << " tiles of "
         << plan.threads << " x " << plan.items_per_thread << " items, " << plan.blocks << " blocks, " << plan.launches
         << " launches, " << plan.scratch_bytes << " bytes of scratch" << (plan.counts_values ? ", values counted" : "")
         << (plan.compares ? ", places counted by comparing" : "")
         << (plan.counts_bins ? ", all items counted by each block" : "")
         << (plan.one_block   ? ", on chip"
             : plan.one_grid  ? ", on chip by all blocks"
             : plan.pipelined ? ", pipelined"
                              : "")
         << (plan.range_items > 0 ? ", by ranges where they are even" : "")
         << (plan.checks_order ? ", order checked" : "")
         << (plan.orders_groups ? ", by leading digits where they suffice" : "")
         << (plan.gathers_values ? ", values gathered by index" : "");
    return text.str();
}

}  // namespace kogge
