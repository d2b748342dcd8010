// Plans of top-k calls.
#include "kogge/plan/top_k.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <sstream>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/error.hpp"
#include "kogge/top_k/scratch.hpp"
#include "kogge/top_k/shape.hpp"
#include "plan/candidates.hpp"

namespace kogge {
namespace grid {
namespace {

struct TopKTask {
    std::uint64_t n, k;
    const top_k_shape& shape;
    const device_properties& device;
    std::size_t scratch_limit;

    std::uint64_t bytes() const { return n * shape.key_bytes; }
    bool has_ranks() const { return shape.are_numbers && shape.key_bytes <= 8 && shape.begin_bit < shape.end_bit; }
    std::uint64_t multiprocessors() const { return static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)); }
    top_k_plan with_scratch(const top_k_way& way, int launches) const {
        top_k_plan plan{{}, n, k, shape, way, launches, 0};
        plan.scratch_bytes = scratch_of([&](detail::Carver& carver) { carve_top_k(carver, plan); });
        return plan;
    }
};

// The numbers below are for 4-byte keys on an H100.
constexpr std::uint64_t kMostCompared = 4096;       // keys that are compared each with each
constexpr std::uint64_t kOneBlockBytes = 32 << 10;  // the most that one block reads alone
constexpr std::uint64_t kOneBlockMost = 64;         // the greatest k of one block
constexpr std::uint64_t kClusterMost = 256;         // and of a cluster

// All blocks that are resident at once; 0: none is.
std::uint64_t resident_blocks(const device_properties& device, std::size_t shared_bytes) {
    const std::uint64_t by_shared = device.shared_bytes_per_multiprocessor / (shared_bytes + 1024);
    const auto by_threads = static_cast<std::uint64_t>(device.max_threads_per_multiprocessor / kTopKThreads);
    return std::min({std::uint64_t{kTopKBlocks}, by_shared, by_threads}) *
           static_cast<std::uint64_t>(std::max(device.multiprocessors, 1));
}

std::optional<top_k_plan> try_compare(const TopKTask& task) {
    if (!task.has_ranks() || task.n > kMostCompared) return std::nullopt;
    const std::uint64_t blocks = std::min(divide_up(task.n, 16), task.multiprocessors() * kTopKBlocks);
    const launch_size launch{static_cast<std::uint32_t>(blocks), kTopKThreads,
                             std::size_t{kTopKThreads} / 32 * std::size_t{kTopKCompared} * 4};
    return top_k_plan{{}, task.n, task.k, task.shape, top_k_compare{launch}, 1, 0};
}

// The loads of a sample of which about 32 items, or more, are among the first k; but at most one per thread, or three
// for a large k, since they take 6 us of a long input, and three times as many 17. (H100, 2^28 f32.)
std::uint64_t samples_of(const TopKTask& task, std::uint64_t blocks) {
    const std::uint64_t each = 16 / task.shape.key_bytes, chunks = std::max<std::uint64_t>(task.n / each, 1);
    const std::uint64_t threads = blocks * kTopKThreads;
    const std::uint64_t per_thread = task.k <= kClusterMost || chunks / threads < 256 ? 1 : 3;
    static_assert(3 <= kTopKSamples);
    const std::uint64_t most = threads * per_thread, wanted = divide_up(chunks * 32, task.k);
    return std::clamp<std::uint64_t>(wanted, std::min<std::uint64_t>(most, 512), most);
}

std::optional<top_k_plan> try_select(const TopKTask& task) {
    const top_k_shape& shape = task.shape;
    if (!task.has_ranks() || task.k > kMostSelected || task.k > task.n / 8) return std::nullopt;
    top_k_select way;
    way.rank_bytes = top_k_rank_bytes(shape.key_bytes, task.n);
    way.launch.threads = kTopKThreads;
    way.launch.shared_bytes = top_k_shared_bytes(way.rank_bytes);
    const std::uint64_t resident = resident_blocks(task.device, way.launch.shared_bytes);
    std::uint64_t blocks = resident;
    if (task.device.cluster_blocks >= 8 && task.k <= kClusterMost &&
        task.bytes() <= task.device.cluster_blocks * kTopKBlockBytes) {
        blocks = task.device.cluster_blocks;
        way.cluster = true;
    } else if (task.bytes() <= kOneBlockBytes && task.k <= kOneBlockMost) {
        blocks = 1;
        way.cluster = true;
    } else {
        // No more than have four chunks a thread; but few blocks would put the candidates of a large k in order slowly.
        const std::uint64_t busy = divide_up(task.bytes(), kTopKBlockBytes / 2);
        blocks = std::min(
            resident,
            std::max({busy, std::min({divide_up(task.k, 8), task.multiprocessors(), kTopKGroups}), std::uint64_t{2}}));
        way.cooperative = true;
    }
    if (blocks == 0 || blocks > resident) return std::nullopt;
    if (way.cluster) way.launch.shared_bytes = top_k_cluster_shared_bytes(way.rank_bytes);
    if (way.launch.shared_bytes > task.device.shared_bytes_per_block) return std::nullopt;
    way.launch.blocks = static_cast<std::uint32_t>(blocks);
    way.groups_per_block = static_cast<int>(blocks >= kTopKGroups ? 1 : std::bit_ceil(divide_up(kTopKGroups, blocks)));
    // Half as many groups take a quarter of the time to compare.
    const std::uint64_t published = blocks * static_cast<std::uint64_t>(way.groups_per_block);
    const auto groups_of = [&](std::uint64_t most) { return divide_up(published, divide_up(published, most)); };
    const auto suffice = [&](std::uint64_t groups) {
        return task.bytes() <= blocks * kTopKBlockBytes && 4 * task.k <= 3 * groups;
    };
    const std::uint64_t few = groups_of(kTopKGroups / 2);
    way.groups = static_cast<int>(suffice(few) ? few : groups_of(kTopKGroups));
    const bool sees_all = suffice(static_cast<std::uint64_t>(way.groups));
    way.samples = sees_all ? 0 : samples_of(task, blocks);
    // A greater threshold than all groups' least keys has every key up to it.
    const auto all = static_cast<std::uint64_t>(way.groups);
    if (threshold_place(task.k, task.n, way.samples * (16 / shape.key_bytes), way.groups) > all) return std::nullopt;
    way.places = static_cast<std::uint32_t>(std::min(kTopKPlaces, task.n));
    way.compared = static_cast<std::uint32_t>(230 * std::sqrt(static_cast<double>(blocks)));
    const top_k_plan plan = task.with_scratch(way, 1);
    return plan.scratch_bytes <= task.scratch_limit ? std::optional(plan) : std::nullopt;
}

std::optional<top_k_plan> try_sort(const TopKTask& task) {
    const top_k_shape& shape = task.shape;
    top_k_sort way;
    way.sorts_indices = shape.index_bytes > 0 || shape.value_bytes > 0 || !shape.are_numbers;
    radix_sort_shape sorted{shape.key_bytes,
                            shape.begin_bit,
                            shape.end_bit,
                            false,
                            !way.sorts_indices,
                            {},
                            shape.merges_keys,
                            shape.are_floats,
                            shape.merges_keys && shape.are_numbers};
    top_k_plan plan{{}, task.n, task.k, shape, way, 0, 0};
    if (way.sorts_indices) {
        const std::size_t order_bytes = top_k_order_bytes(plan);
        sorted.values.push_back({order_bytes, order_bytes});
    }
    // What the call itself takes leaves the rest to the sort.
    const std::size_t own = scratch_of([&](detail::Carver& carver) { carve_top_k(carver, plan); });
    way.sort = plan_radix_sort(task.n, sorted, task.device, limit_beside("top_k", own, task.scratch_limit));
    const int copies = way.sorts_indices ? (shape.writes_keys ? 1 : 0) + (shape.index_bytes > 0 ? 1 : 0) +
                                               (shape.value_bytes > 0 ? std::max(shape.value_arrays, 1) : 0)
                                         : 1;
    return task.with_scratch(way, way.sort.launches + copies);
}

constexpr std::array<std::optional<top_k_plan> (*)(const TopKTask&), 3> kWays{try_compare, try_select, try_sort};

}  // namespace

std::size_t top_k_order_bytes(const top_k_plan& plan) {
    if (plan.shape.index_bytes > 0) return plan.shape.index_bytes;
    return plan.n <= std::uint64_t{1} << 32 ? 4 : 8;
}

}  // namespace grid

top_k_plan plan_top_k(std::uint64_t n, std::uint64_t k, const top_k_shape& shape, const device_properties& device,
                      std::size_t scratch_limit) {
    const char* const call = "plan_top_k";
    if (k > n)
        throw error(errc::invalid_argument, call,
                    "k is " + std::to_string(k) + ", but there are " + std::to_string(n) + " keys");
    detail::bytes_of(call, n, shape.key_bytes + shape.index_bytes + shape.value_bytes);
    if (shape.begin_bit < 0 || shape.begin_bit > shape.end_bit)
        throw error(errc::invalid_argument, call,
                    "bits [" + std::to_string(shape.begin_bit) + ", " + std::to_string(shape.end_bit) + ") are none");
    if (k == 0) return {{}, n, k, shape, {}, 0, 0};
    return grid::first_plan(grid::kWays, grid::TopKTask{n, k, shape, device, scratch_limit});
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"compare", "select", "sort"};
static_assert(kWayNames.size() == std::variant_size_v<top_k_way>);

std::string text_of(const top_k_compare& way) { return ", " + std::to_string(way.launch.blocks) + " blocks"; }
std::string text_of(const top_k_select& way) {
    std::ostringstream text;
    text << ", " << way.launch.blocks << (way.launch.blocks == 1 ? " block" : " blocks")
         << (way.cluster && way.launch.blocks > 1 ? ", a cluster" : "") << ", threshold from ";
    if (way.samples > 0) text << way.samples << " samples";
    else text << "all keys";
    text << ", " << way.places << " places for candidates";
    return text.str();
}
std::string text_of(const top_k_sort& way) {
    return std::string(way.sorts_indices ? ", of indices" : "") + ", by " + to_string(way.sort.way);
}

}  // namespace

const char* to_string(const top_k_way& way) { return kWayNames[way.index()]; }

std::string to_string(const top_k_plan& plan) {
    return std::string("top_k: ") + to_string(plan.way) +
           std::visit([](const auto& way) { return text_of(way); }, plan.way) + ", " + std::to_string(plan.launches) +
           (plan.launches == 1 ? " launch, " : " launches, ") + std::to_string(plan.scratch_bytes) +
           " bytes of scratch";
}

}  // namespace kogge
