// Plans of radix sorts and splits: the candidates, fastest first.
#include <algorithm>
#include <array>
#include <span>
#include <sstream>

#include "kogge/error.hpp"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"
#include "plan/candidates.hpp"
#include "plan/sort_task.hpp"

namespace kogge {
namespace grid {

radix_sort_shape sort_shape(std::size_t key_bytes, int begin_bit, int end_bit, bool in_place, bool writes_keys,
                            bool merges_keys, std::span<const value_array> values) {
    radix_sort_shape shape{key_bytes, begin_bit, end_bit, in_place, writes_keys, {}, merges_keys};
    for (const value_array& value : values) {
        shape.values.push_back({value.bytes, value.alignment});
        if (value.in == value.out) shape.in_place = true;
    }
    return shape;
}

bool sorts_all_bits(const radix_sort_shape& shape) {
    return shape.begin_bit == 0 && static_cast<std::size_t>(shape.end_bit) == 8 * shape.key_bytes;
}

bool stability_is_unobservable(const radix_sort_shape& shape) {
    return sorts_all_bits(shape) && shape.values.empty() && !shape.merges_keys;
}

int digits_of(const char* call, std::uint64_t n, const radix_sort_shape& shape) {
    if (shape.begin_bit < 0 || shape.begin_bit > shape.end_bit)
        throw error(errc::invalid_argument, call,
                    "bits [" + std::to_string(shape.begin_bit) + ", " + std::to_string(shape.end_bit) + ") are none");
    return n == 0 ? 0 : (shape.end_bit - shape.begin_bit + kDigitBits - 1) / kDigitBits;
}

radix_sort_plan SortTask::plan(const sort_way& way, int way_passes, int launches) const {
    radix_sort_plan plan{{}, n, shape, way, way_passes, index_bytes, launches, 0};
    if (index_bytes > 0) plan.launches += static_cast<int>(shape.values.size()) * (shape.in_place ? 2 : 1);
    plan.scratch_bytes = scratch_of([&](detail::Carver& carver) { carve_radix_sort(carver, plan); });
    return plan;
}

MaybePlan try_copy(const SortTask& task) {
    if (task.passes > 0) return std::nullopt;
    const int arrays = (task.shape.writes_keys ? 1 : 0) + static_cast<int>(task.shape.values.size());
    return radix_sort_plan{
        {}, task.n, task.shape, copy_way{}, 0, task.index_bytes, task.n > 0 && !task.shape.in_place ? arrays : 0, 0};
}

namespace {

constexpr std::array<Candidate, 9> kSorts{try_copy,          try_counting_in_block, try_rank_sort, try_fast_block_sort,
                                          try_fast_counting, try_resident_sort,     try_counting,  try_block_sort,
                                          try_few_pipelined};
constexpr std::array<Candidate, 5> kSplits{try_copy, try_small_split, try_fast_block_sort, try_resident_sort,
                                           try_block_sort};
constexpr std::array<Candidate, 1> kLargeSplits{try_copy};  // of items that no way on chip is compiled for

// The first plan that `fits`: of the candidates, then of passes. With more launches per pass the tables are smaller;
// launches are doubled while each still fills the device.
template <class Fits>
MaybePlan first_of(std::span<const Candidate> candidates, SortTask task, const Fits& fits) {
    for (const Candidate candidate : candidates)
        if (MaybePlan plan = candidate(task); plan && fits(*plan)) return plan;
    for (;; task.least_launches *= 2) {
        MaybePlan plan = try_pass_sort(task);
        if (fits(*plan)) return plan;
        const pass_sort& way = *plan->as<pass_sort>();
        if (2 * task.least_launches * way.pass.blocks > way.tiles) return std::nullopt;
    }
}

void check_bytes(std::uint64_t n, const radix_sort_shape& shape) {
    std::size_t item_bytes = shape.key_bytes;
    for (const value_layout& value : shape.values) item_bytes += value.bytes;
    detail::bytes_of("plan_radix_sort", n, item_bytes);
}

constexpr std::uint64_t kMostNarrowIndices = std::uint64_t{1} << 32;

}  // namespace
}  // namespace grid

radix_sort_plan plan_radix_sort(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device,
                                std::size_t scratch_limit) {
    grid::check_bytes(n, shape);
    const std::size_t index_bytes = n <= grid::kMostNarrowIndices ? 4 : 8;
    const bool travels = shape.values.empty() || (shape.values.size() == 1 && grid::travels(shape.values[0]));
    grid::SortTask task{n, shape, device, grid::digits_of("plan_radix_sort", n, shape)};
    task.may_pipeline = task.codes_are_numbers();
    std::size_t least = kNoLimit;
    const auto fits = [&](const radix_sort_plan& plan) {
        least = std::min(least, plan.scratch_bytes);
        return plan.scratch_bytes <= scratch_limit;
    };
    if (!travels) task.index_bytes = index_bytes;
    if (auto plan = grid::first_of(grid::kSorts, task, fits)) return *plan;
    // Gathering by index saves scratch only if the value is wider than an index; an argsort's value is an index.
    if (travels && !shape.values.empty() && shape.values[0].bytes > 4 && shape.writes_keys && index_bytes == 4) {
        task.index_bytes = index_bytes;
        if (auto plan = grid::first_of(grid::kSorts, task, fits)) return *plan;
    }
    throw error(errc::out_of_memory, "radix_sort",
                "at least " + std::to_string(least) + " bytes of scratch are needed, but exec.scratch_limit is " +
                    std::to_string(scratch_limit));
}

radix_sort_plan plan_split(std::uint64_t n, const radix_sort_shape& shape, const device_properties& device) {
    grid::check_bytes(n, shape);
    radix_sort_shape bins = shape;
    bins.merges_keys = true;
    const std::size_t value_bytes = shape.values.empty() ? 0 : shape.values[0].bytes;
    const std::span<const grid::Candidate> candidates = grid::splits_on_chip(shape.key_bytes, value_bytes)
                                                            ? std::span<const grid::Candidate>(grid::kSplits)
                                                            : std::span<const grid::Candidate>(grid::kLargeSplits);
    const grid::SortTask task{n, bins, device, grid::digits_of("plan_radix_sort", n, bins)};
    return *grid::first_of(candidates, task, [](const radix_sort_plan&) { return true; });
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"copy",          "rank_sort", "block_sort", "counting_sort",
                               "resident_sort", "pass_sort", "small_split"};
static_assert(kWayNames.size() == std::variant_size_v<sort_way>);

std::string text_of(const launch_size& launch) {
    return std::to_string(launch.blocks) + " blocks of " + std::to_string(launch.threads) + " threads";
}
std::string text_of(const copy_way&) { return ""; }
std::string text_of(const rank_sort& way) { return ", " + text_of(way.launch); }
std::string text_of(const block_sort& way) {
    return ", one block of " + std::to_string(way.launch.threads) + " x " + std::to_string(way.items_per_thread) +
           " items";
}
std::string text_of(const counting_sort& way) {
    return (way.fill ? ", counted by " : ", counted and written by ") + text_of(way.count) +
           (way.fill ? ", written by " + text_of(*way.fill) : "");
}
std::string text_of(const resident_sort& way) {
    std::string text =
        ", " + std::to_string(way.launch.blocks) + " blocks of " + std::to_string(way.block_items) + " items on chip";
    if (way.bucket_items > 0) text += ", by buckets of at most " + std::to_string(way.bucket_items) + " where uniform";
    return text + (way.checks_order ? ", order checked" : "");
}
std::string text_of(const pass_sort& way) {
    std::ostringstream text;
    text << ", " << way.tiles << " tiles of " << way.tile_items << " items, " << way.pass.blocks << " blocks"
         << (way.pipelined ? ", pipelined" : "") << (way.prefix ? ", by leading digits where they suffice" : "")
         << (way.prefix && way.prefix->spans && way.prefix->spans->samples_values
                 ? ", of values where these are uniform"
                 : "");
    return text.str();
}
std::string text_of(const small_split& way) { return ", all items counted by each of " + text_of(way.launch); }

}  // namespace

const char* to_string(const sort_way& way) { return kWayNames[way.index()]; }

std::string to_string(const radix_sort_plan& plan) {
    std::ostringstream text;
    text << "radix_sort: " << to_string(plan.way);
    if (plan.passes > 0)
        text << ", " << plan.passes << (plan.passes == 1 ? " pass of " : " passes of ")
             << (plan.is<small_split>() ? grid::kFewSplitBits : grid::kDigitBits) << " bits";
    text << std::visit([](const auto& way) { return text_of(way); }, plan.way) << ", " << plan.launches
         << (plan.launches == 1 ? " launch, " : " launches, ") << plan.scratch_bytes << " bytes of scratch"
         << (plan.index_bytes > 0 ? ", values gathered by index" : "");
    return text.str();
}

}  // namespace kogge
