// Plans of selections by rank.
#include "kogge/plan/select.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <sstream>

#include "kogge/engine/tile_shape.hpp"
#include "kogge/error.hpp"
#include "kogge/histogram/shape.hpp"
#include "kogge/select/scratch.hpp"
#include "kogge/top_k/shape.hpp"
#include "plan/candidates.hpp"

namespace kogge {
namespace grid {
namespace {

struct SelectTask {
    std::uint64_t n, m;
    const select_shape& shape;
    const device_properties& device;
    std::size_t scratch_limit;

    bool has_ranks() const { return shape.are_numbers && shape.key_bytes <= 8; }
    std::uint64_t multiprocessors() const { return static_cast<std::uint64_t>(std::max(device.multiprocessors, 1)); }
    // Whether a key follows from its code.
    bool tells_keys() const {
        return !shape.merges_keys && shape.begin_bit == 0 && shape.end_bit == static_cast<int>(8 * shape.key_bytes);
    }
    select_plan with_scratch(const select_way& way, int launches) const {
        select_plan plan{{}, n, m, shape, way, launches, 0};
        plan.scratch_bytes = scratch_of([&](detail::Carver& carver) { carve_select(carver, plan); });
        return plan;
    }
};

constexpr std::uint64_t kMostCompared = 4096;  // keys that are compared each with each
// From this many keys per multiprocessor on, counting all digits takes less time than a sort. (H100, 9 ranks of u32:
// 2^20 keys take 118 us to count and 31 to sort, 2^23 162 and 161, 2^24 199 and 276; u64: 2^23 282 and 260, 2^24 335
// and 465.)
constexpr std::uint64_t kLeastCountedShare = 61440;
constexpr std::uint64_t kListShare = 16;       // a list has places for this part of the items,
constexpr std::uint64_t kLeastPlaces = 65536;  // and for at least this many

std::optional<select_plan> try_compare(const SelectTask& task) {
    if (!task.has_ranks() || task.n > kMostCompared || task.m > kMostRanks) return std::nullopt;
    const std::uint64_t blocks = std::min(divide_up(task.n, 16), task.multiprocessors() * kTopKBlocks);
    const launch_size launch{static_cast<std::uint32_t>(std::max<std::uint64_t>(blocks, 1)), kTopKThreads,
                             std::size_t{kTopKThreads} / 32 * std::size_t{kTopKCompared} * 4};
    return task.with_scratch(select_compare{launch}, 1);
}

// Digits of at most `first` bits, then at most `later` bits, over `bits` bits from the top.
void add_digits(std::vector<select_digit>& digits, bool of_index, int bits, int later) {
    while (bits > 0) {
        const int width = std::min(bits, digits.empty() ? kSelectDigitBits : later);
        bits -= width;
        digits.push_back({of_index, bits, width});
    }
}

std::optional<select_plan> try_digits(const SelectTask& task) {
    if (!task.has_ranks() || task.m > kMostRanks) return std::nullopt;
    if (task.shape.begin_bit == task.shape.end_bit) return std::nullopt;
    select_digits way;
    way.rank_bytes = top_k_rank_bytes(task.shape.key_bytes, task.n);
    way.counter_bytes = task.n < std::uint64_t{1} << 32 ? 4 : 8;
    int later = kSelectDigitBits;
    while (task.m << later > kMostSelectCounters) --later;
    add_digits(way.digits, false, task.shape.end_bit - task.shape.begin_bit, later);
    if (!task.tells_keys()) add_digits(way.digits, true, static_cast<int>(std::bit_width(task.n - 1)), later);
    const histogram_shape counted{task.shape.key_bytes, way.counter_bytes, false};
    const int first_bits = way.digits.front().bits;
    way.first = plan_histogram(task.n, 1, std::uint32_t{1} << first_bits, counted, task.device);
    way.counters = std::uint64_t{1} << first_bits;
    for (std::size_t d = 1; d < way.digits.size(); ++d)
        way.counters = std::max(way.counters, task.m << way.digits[d].bits);
    if (way.digits.size() > 2) way.places = std::max(task.n / kListShare, kLeastPlaces);
    const std::uint64_t busy = divide_up(task.n * task.shape.key_bytes, std::size_t{4} << 10);
    const std::uint64_t resident = kSelectCountBlocks * task.multiprocessors();
    way.count = {static_cast<std::uint32_t>(std::min(busy, resident)), kSelectCountThreads,
                 std::size_t{2} * kHistogramCached * 4 + std::size_t{kSelectMapWords} * 4 + task.m * way.rank_bytes};
    way.find = {static_cast<std::uint32_t>(std::min({task.m, kMostFindBlocks, task.multiprocessors()})),
                kSelectFindThreads, std::max<std::size_t>(1024, task.m * (way.rank_bytes + 4))};
    if (way.count.shared_bytes > task.device.shared_bytes_per_block ||
        way.find.shared_bytes > task.device.shared_bytes_per_block)
        return std::nullopt;
    const int rounds = static_cast<int>(way.digits.size());
    const select_plan plan = task.with_scratch(way, 1 + way.first.launches + 1 + (rounds - 1) * 3);
    return plan.scratch_bytes <= task.scratch_limit ? std::optional(plan) : std::nullopt;
}

std::optional<select_plan> try_fast_digits(const SelectTask& task) {
    return task.n >= task.multiprocessors() * kLeastCountedShare ? try_digits(task) : std::nullopt;
}

std::optional<select_plan> try_sort(const SelectTask& task) {
    const select_shape& shape = task.shape;
    select_sort way;
    way.sorts_indices = !shape.are_numbers;
    way.index_bytes = task.n <= std::uint64_t{1} << 32 ? 4 : 8;
    radix_sort_shape sorted{shape.key_bytes,
                            shape.begin_bit,
                            shape.end_bit,
                            false,
                            !way.sorts_indices,
                            {},
                            shape.merges_keys,
                            shape.are_floats,
                            shape.merges_keys && shape.are_numbers};
    if (way.sorts_indices) sorted.values.push_back({way.index_bytes, way.index_bytes});
    const select_plan bare{{}, task.n, task.m, shape, way, 0, 0};
    const std::size_t own = scratch_of([&](detail::Carver& carver) { carve_select(carver, bare); });
    way.sort = plan_radix_sort(task.n, sorted, task.device, limit_beside("select", own, task.scratch_limit));
    return task.with_scratch(way, way.sort.launches + 1);
}

// Counters may fit a limit that no sort fits.
std::optional<select_plan> try_fitting_sort(const SelectTask& task) {
    try {
        return try_sort(task);
    } catch (const error& thrown) {
        if (thrown.code() != errc::out_of_memory) throw;
        return std::nullopt;
    }
}

constexpr std::array<std::optional<select_plan> (*)(const SelectTask&), 5> kWays{
    try_compare, try_fast_digits, try_fitting_sort, try_digits, try_sort};

}  // namespace
}  // namespace grid

select_plan plan_select(std::uint64_t n, std::uint64_t m, const select_shape& shape, const device_properties& device,
                        std::size_t scratch_limit) {
    const char* const call = "plan_select";
    detail::bytes_of(call, n, shape.key_bytes);
    detail::bytes_of(call, m, sizeof(std::uint64_t));
    if (shape.begin_bit < 0 || shape.begin_bit > shape.end_bit)
        throw error(errc::invalid_argument, call,
                    "bits [" + std::to_string(shape.begin_bit) + ", " + std::to_string(shape.end_bit) + ") are none");
    if (n == 0 || m == 0) return {{}, n, m, shape, {}, 0, 0};
    return grid::first_plan(grid::kWays, grid::SelectTask{n, m, shape, device, scratch_limit});
}

// ---- text ----------------------------------------------------------------------------------------------

namespace {

constexpr std::array kWayNames{"compare", "digits", "sort"};
static_assert(kWayNames.size() == std::variant_size_v<select_way>);

std::string text_of(const select_compare& way) { return ", " + std::to_string(way.launch.blocks) + " blocks"; }
std::string text_of(const select_digits& way) {
    std::ostringstream text;
    text << " of";
    for (const select_digit& digit : way.digits)
        text << ' ' << digit.bits << (digit.of_index ? " bits of indices" : "");
    if (way.places > 0) text << ", " << way.places << " places in the list";
    return text.str();
}
std::string text_of(const select_sort& way) {
    return std::string(way.sorts_indices ? ", of indices" : "") + ", by " + to_string(way.sort.way);
}

}  // namespace

const char* to_string(const select_way& way) { return kWayNames[way.index()]; }

std::string to_string(const select_plan& plan) {
    return std::string("select: ") + to_string(plan.way) +
           std::visit([](const auto& way) { return text_of(way); }, plan.way) + ", " + std::to_string(plan.launches) +
           (plan.launches == 1 ? " launch, " : " launches, ") + std::to_string(plan.scratch_bytes) +
           " bytes of scratch";
}

}  // namespace kogge
