// The scratch of radix sorts and splits.
#include <algorithm>
#include <variant>

#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "kogge/sort/prefix/shape.hpp"
#include "scratch/gathered.hpp"

namespace kogge::grid {

namespace {

// The alternate of the output, between which passes go to and fro; and the stand-in for an output without keys.
template <class Memory>
void carve_alternate(detail::Carver& carver, const radix_sort_plan& plan, bool is_packed, bool is_needed,
                     Memory& memory) {
    const std::size_t key_bytes = plan.shape.key_bytes, moved = moved_value_bytes(plan);
    if (is_needed && is_packed) {
        unsigned char* const items = carver.take<unsigned char>(plan.n * (key_bytes + moved));
        memory.keys = items;
        memory.values = items ? items + plan.n * key_bytes : nullptr;
    } else if (is_needed) {
        memory.keys = carver.take<unsigned char>(plan.n * key_bytes);
        if (moved > 0) memory.values = carver.take<unsigned char>(plan.n * moved);
    }
    if (!plan.shape.writes_keys && plan.passes > 2) memory.more_keys = carver.take<unsigned char>(plan.n * key_bytes);
}

// One overload per way; those without scratch share the first.
template <class Way>
void carve(detail::Carver&, const radix_sort_plan&, const Way&, SortMemory&) {}

void carve(detail::Carver& carver, const radix_sort_plan& plan, const counting_sort& way, SortMemory& memory) {
    if (way.fill)
        memory.value_counts = carver.take<std::uint64_t>(value_count_bytes(plan.shape.key_bytes, way.count.blocks) / 8);
}

void carve(detail::Carver& carver, const radix_sort_plan& plan, const resident_sort& way, SortMemory& memory) {
    const std::uint64_t tables = static_cast<std::uint64_t>(plan.passes) + (way.bucket_items > 0 ? 1 : 0);
    const std::uint32_t blocks = way.launch.blocks;
    memory.resident.counts = carver.take<std::uint32_t>(tables * count_exchange_words(blocks, kBins));
    if (way.quantile_items > 0) {
        memory.resident.quantile_counts = carver.take<std::uint32_t>(count_exchange_words(blocks, kQuantileBins));
        memory.resident.samples = carver.take<unsigned char>(std::uint64_t{2} * 32 * blocks * plan.shape.key_bytes);
    }
    memory.resident.outcome = carver.take<std::uint32_t>(1);
    memory.resident.moved = carver.take<std::uint32_t>(1);
    memory.resident.disorder = carver.take<std::uint32_t>(1);
    memory.resident.ordered = carver.take<std::uint32_t>(blocks);
    carve_alternate(carver, plan, false, plan.passes > 1, memory.resident);
}

void carve(detail::Carver& carver, const radix_sort_plan& plan, const pass_sort& way, SortMemory& memory) {
    PassMemory& own = memory.passes;
    const std::uint64_t passes = static_cast<std::uint64_t>(plan.passes), slots = 1 + passes;
    own.moves = carver.take<std::uint32_t>(slots);
    if (way.launches_per_pass > 1) own.next_starts = carver.take<std::uint64_t>(2 * kBins);
    const std::size_t key_bytes = plan.shape.key_bytes, widest = std::max(key_bytes, moved_value_bytes(plan));
    if (way.prefix) {
        const std::uint64_t spans = way.prefix->spans ? way.prefix->spans->spans : 0;
        own.most_large = most_large_buckets(plan.n, key_bytes);
        own.most_slices = most_large_slices(plan.n, key_bytes, widest);
        own.levels = large_levels(plan.passes);
        own.bounds = carver.take<Places>(most_bound_slices(plan.n, *way.prefix) + 1);
        own.batches = carver.take<Batch>(most_batches(spans, plan.n, key_bytes, plan.passes));
        own.large = carver.take<LargeBucket>(2 * own.most_large);
        own.owners = carver.take<std::uint32_t>(2 * own.most_slices);
    }
    const std::size_t start = carver.used();
    own.control = carver.take<std::uint32_t>(kPassControlWords);
    own.listed = carver.take<std::uint64_t>(own.levels);
    own.drawn = carver.take<std::uint32_t>(2 * own.levels);
    own.tickets = carver.take<std::uint32_t>(slots * way.launches_per_pass);
    own.histograms = carver.take<std::uint64_t>(passes * kBins);
    const std::uint64_t words = look_back_words(way.look_back_rows);
    own.zeroed = carver.used() - start + words * sizeof(std::uint64_t);
    own.counts = carver.take<std::uint64_t>(std::max(2 * words, own.most_slices * (kBins / 2)));
    const bool is_packed = way.pipelined && packs_items(plan.shape.key_bytes, moved_value_bytes(plan));
    carve_alternate(carver, plan, is_packed, plan.passes > 1 || (plan.shape.in_place && plan.shape.writes_keys), own);
}

}  // namespace

LargeList PassMemory::large_list(int number) const {
    const std::uint64_t second = number % 2 == 1 ? 1 : 0;
    return {listed,
            drawn,
            drawn + levels,
            large + second * most_large,
            owners + second * most_slices,
            reinterpret_cast<std::uint32_t*>(counts)};
}

SortMemory carve_radix_sort(detail::Carver& carver, const radix_sort_plan& plan) {
    SortMemory memory;
    carve_gathered(carver, plan, memory,
                   [&] { std::visit([&](const auto& way) { carve(carver, plan, way, memory); }, plan.way); });
    return memory;
}

}  // namespace kogge::grid
