// kogge-bench: GPU
//
// Top-k, the greatest first, against CUB's DeviceTopK, whose results are in no order, and of equal keys any; where the
// toolkit's CUB has none, against its descending radix sort of everything, of which the front is the result. The least
// that must move: each key read once. Results are compared with the front of a whole argsort by this library.
//   cases       k=40 uniform: k, and the keys: a distribution of the sorts' rows, or log-normal
//   arg_top_k   CUB's values are a counting iterator
//   segmented   k=40 rows=2048: rows of so many uniform keys, n in all, against CUB's segmented sort of everything
//   select      the median; quantiles m=9 uniform: so many ranks, evenly over the keys; against CUB's sort of
//   everything histogram   bins=256 uniform: even bins over all 32-bit integers, against CUB's HistogramEven
#include "kogge/top_k.hpp"

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/version.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/execution>
#include <cuda/iterator>
#include <cuda/std/execution>
#include <cuda/stream_ref>
#define KOGGE_CUB_TOP_K 1
#else
#define KOGGE_CUB_TOP_K 0
#endif
#include <cmath>

#include "kogge/calls/histogram.hpp"
#include "kogge/calls/segmented_top_k.hpp"
#include "kogge/calls/select.hpp"
#include "kogge/radix_sort.hpp"
#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

struct TopKCase {
    std::uint64_t k;
    std::optional<Distribution> distribution;  ///< none: log-normal
};
/// k=40 uniform
std::optional<TopKCase> case_named(std::string_view name) {
    const std::size_t space = name.find(' ');
    if (space == std::string_view::npos) return {};
    const std::optional<double> k = number_after("k=", name.substr(0, space));
    const std::string_view keys = name.substr(space + 1);
    if (!k || !(*k >= 1)) return {};
    TopKCase found{static_cast<std::uint64_t>(*k), distribution_named(keys)};
    if (!found.distribution && keys != "log-normal") return {};
    return found;
}

/// Numbers whose logarithms are normal, as far as the type goes.
template <class T>
struct LogNormal {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(seed, i);
        const float u = (static_cast<float>(bits >> 40) + 0.5f) * 0x1p-24f;
        const float v = static_cast<float>(bits & 0xffffffu) * (6.2831853f * 0x1p-24f);
        return static_cast<T>(std::exp(std::sqrt(-2 * std::log(u)) * std::cos(v)));
    }
};

template <class T>
void make_keys(T* keys, std::uint64_t n, const TopKCase& of, std::uint64_t seed, stream_t stream) {
    if (of.distribution) make_items(keys, n, Key<T>{*of.distribution, 3 * seed, n}, stream);
    else if constexpr (is_float<T>) make_items(keys, n, LogNormal<T>{seed}, stream);
}

enum class Form { keys, pairs, indices };

template <Form form, class T>
cudaError_t top_k_cub(void* temporary, std::size_t& bytes, const T* keys, T* keys_out, const std::uint32_t* values,
                      std::uint32_t* values_out, std::uint64_t n, std::uint64_t k, stream_t stream) {
#if KOGGE_CUB_TOP_K
    const auto how = cuda::std::execution::env{cuda::stream_ref{stream},
                                               cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                                        cuda::execution::output_ordering::unsorted)};
    const auto items = static_cast<std::int64_t>(n);
    const auto first = static_cast<int>(k);
    if constexpr (form == Form::keys)
        return cub::DeviceTopK::MaxKeys(temporary, bytes, keys, keys_out, items, first, how);
    else if constexpr (form == Form::pairs)
        return cub::DeviceTopK::MaxPairs(temporary, bytes, keys, keys_out, values, values_out, items, first, how);
    else
        return cub::DeviceTopK::MaxPairs(temporary, bytes, keys, keys_out, cuda::counting_iterator<std::uint32_t>(0),
                                         values_out, items, first, how);
#else
    const auto items = static_cast<std::int64_t>(n);
    constexpr int bits = static_cast<int>(8 * sizeof(T));
    static_cast<void>(k);
    if constexpr (form == Form::keys)
        return cub::DeviceRadixSort::SortKeysDescending(temporary, bytes, keys, keys_out, items, 0, bits, stream);
    else
        return cub::DeviceRadixSort::SortPairsDescending(temporary, bytes, keys, keys_out, values, values_out, items, 0,
                                                         bits, stream);
#endif
}

/// Values and indices are places, so that each is the other.
template <Form form, class T>
Task top_k_task(const TopKCase& of, std::uint64_t n) {
    using Index = std::uint32_t;
    const std::uint64_t k = of.k, places = form == Form::indices && KOGGE_CUB_TOP_K ? 0 : n;
    const std::uint64_t cub_items = KOGGE_CUB_TOP_K ? k : n;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), out(k, slots), wanted(k, slots), cub_out(cub_items, slots);
        const Slots<Index> values(form == Form::keys ? 0 : places, slots), with(k, slots), wanted_with(k, slots);
        const Slots<Index> cub_with(form == Form::keys ? 0 : cub_items, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_keys<T>(keys[slot], n, of, static_cast<std::uint64_t>(slot), stream);
            make_items(values[slot], values.items(), Place<Index>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T* const in = keys[slot];
            const exec how = with_scratch(scratch, s);
            if constexpr (form == Form::keys) kogge::top_k(in, out[slot], n, k, how);
            else if constexpr (form == Form::pairs)
                kogge::top_k_pairs(in, out[slot], static_cast<const Index*>(values[slot]), with[slot], n, k, how);
            else kogge::arg_top_k(in, out[slot], with[slot], n, k, how);
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return top_k_cub<form, T>(temporary, bytes, keys[slot], cub_out[slot], values[slot], cub_with[slot], n, k,
                                      s);
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            with.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const Slots<Index> order(n, 1);
            kogge::argsort(static_cast<const T*>(keys[slot]), order[0], n, {.order = kogge::descending},
                           with_scratch(scratch, s));
            kogge::grid::value_array gathered{keys[slot], wanted[slot], sizeof(T), alignof(T)};
            kogge::grid::gather_values({&gathered, 1}, order[0], sizeof(Index), nullptr, k, s);
            const bool keys_right =
                is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(wanted[slot]), k, s);
            return keys_right && (form == Form::keys || is_equal(static_cast<const Index*>(with[slot]),
                                                                 static_cast<const Index*>(order[0]), k, s));
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T)), prepare};
}

/// The first k of each of the rows of a sorted array.
template <class T>
struct Fronts {
    const T* sorted;
    std::uint64_t length, k;
    KOGGE_DEVICE T operator[](std::uint64_t i) const { return sorted[i / k * length + i % k]; }
};
struct RowStart {
    std::uint64_t length;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t row) const { return row * length; }
};

template <class T>
Task rows_task(std::uint64_t k, std::uint64_t length, std::uint64_t rows) {
    const std::uint64_t n = length * rows;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), out(k * rows, slots), sorted(n, slots);
        const Slots<std::uint64_t> offsets(rows + 1, 1);
        for (int slot = 0; slot < slots; ++slot)
            make_items(keys[slot], n, Key<T>{Distribution::uniform, 3 * static_cast<std::uint64_t>(slot), n}, stream);
        make_items(offsets[0], rows + 1, RowStart{length}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::segmented_top_k(static_cast<const T*>(keys[slot]), out[slot], kogge::rows_of{length, rows}, k, {},
                                   with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceSegmentedSort::SortKeysDescending(
                temporary, bytes, static_cast<const T*>(keys[slot]), sorted[slot], static_cast<int>(n),
                static_cast<int>(rows), static_cast<const std::uint64_t*>(offsets[0]),
                static_cast<const std::uint64_t*>(offsets[0]) + 1, s);
        });
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), Fronts<T>{sorted[slot], length, k}, k * rows, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T)), prepare};
}
/// k=40 rows=2048
std::optional<Task> find_rows(const RowName& row, std::uint64_t n) {
    const std::size_t space = row.case_name.find(' ');
    if (space == std::string::npos || row.type != "f32") return {};
    const auto k = number_after("k=", std::string_view(row.case_name).substr(0, space));
    const auto length = number_after("rows=", std::string_view(row.case_name).substr(space + 1));
    if (!k || !length || !(*k >= 1 && *k <= *length && *length <= static_cast<double>(n))) return {};
    const auto of_row = static_cast<std::uint64_t>(*length);
    return rows_task<float>(static_cast<std::uint64_t>(*k), of_row, n / of_row);
}

/// Rank j of m is in the middle of the j-th of m equal parts.
struct EvenRanks {
    std::uint64_t n, m;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t j) const { return (2 * j + 1) * n / (2 * m); }
};
template <class T>
struct AtRanks {
    const T* sorted;
    const std::uint64_t* ranks;
    KOGGE_DEVICE T operator[](std::uint64_t j) const { return sorted[ranks[j]]; }
};

template <class T>
Task ranks_task(std::uint64_t m, Distribution distribution, std::uint64_t n) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), out(m, slots), sorted(n, slots);
        const Slots<std::uint64_t> ranks(m, 1);
        for (int slot = 0; slot < slots; ++slot)
            make_items(keys[slot], n, Key<T>{distribution, 3 * static_cast<std::uint64_t>(slot), n}, stream);
        make_items(ranks[0], m, EvenRanks{n, m}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T* const in = keys[slot];
            const exec how = with_scratch(scratch, s);
            if (m == 1) kogge::select(in, out[slot], n, n / 2, how);
            else kogge::quantiles(in, out[slot], n, static_cast<const std::uint64_t*>(ranks[0]), m, how);
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceRadixSort::SortKeys(temporary, bytes, static_cast<const T*>(keys[slot]), sorted[slot],
                                                  static_cast<std::int64_t>(n), 0, static_cast<int>(8 * sizeof(T)), s);
        });
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), AtRanks<T>{sorted[slot], ranks[0]}, m, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T)), prepare};
}
/// m=9 uniform, or the distribution alone for the median
std::optional<Task> find_ranks(const RowName& row, std::uint64_t n) {
    std::uint64_t m = 1;
    std::string_view keys = row.case_name;
    if (row.primitive == "quantiles") {
        const std::size_t space = keys.find(' ');
        if (space == std::string_view::npos) return {};
        const auto ranks = number_after("m=", keys.substr(0, space));
        if (!ranks || !(*ranks >= 2 && *ranks <= 1024)) return {};
        m = static_cast<std::uint64_t>(*ranks);
        keys = keys.substr(space + 1);
    }
    const std::optional<Distribution> distribution = distribution_named(keys);
    if (!distribution || n < m) return {};
    return for_type<std::uint32_t, std::uint64_t, float>(
        row.type, [&]<class T>() -> std::optional<Task> { return ranks_task<T>(m, *distribution, n); });
}

Task histogram_task(std::uint32_t bins, Distribution distribution, std::uint64_t n) {
    using T = std::uint32_t;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> items(n, slots);
        const Slots<std::uint32_t> counts(bins, slots), cub_counts(bins, slots);
        for (int slot = 0; slot < slots; ++slot)
            make_items(items[slot], n, Key<T>{distribution, 3 * static_cast<std::uint64_t>(slot), n}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::histogram(static_cast<const T*>(items[slot]), counts[slot], n, kogge::even_bins(T{0}, ~T{0}, bins),
                             with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceHistogram::HistogramEven(temporary, bytes, static_cast<const T*>(items[slot]),
                                                       cub_counts[slot], static_cast<int>(bins + 1), T{0}, ~T{0},
                                                       static_cast<std::int64_t>(n), s);
        });
        contest.spoil = [=](stream_t s) { counts.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const std::uint32_t*>(counts[slot]),
                            static_cast<const std::uint32_t*>(cub_counts[slot]), bins, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T)), prepare};
}
/// bins=256 uniform
std::optional<Task> find_histogram(const RowName& row, std::uint64_t n) {
    const std::string_view name = row.case_name;
    const std::size_t space = name.find(' ');
    if (space == std::string_view::npos || row.type != "u32") return {};
    const auto bins = number_after("bins=", name.substr(0, space));
    const std::optional<Distribution> distribution = distribution_named(name.substr(space + 1));
    if (!bins || !distribution || !(*bins >= 1 && *bins <= 1 << 24)) return {};
    return histogram_task(static_cast<std::uint32_t>(*bins), *distribution, n);
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    if (row.primitive == "segmented_top_k") return find_rows(row, n);
    if (row.primitive == "select" || row.primitive == "quantiles") return find_ranks(row, n);
    if (row.primitive == "histogram") return find_histogram(row, n);
    const std::optional<TopKCase> of = case_named(row.case_name);
    if (!of || of->k > n) return {};
    const auto keys = [&]<class T>() -> std::optional<Task> { return top_k_task<Form::keys, T>(*of, n); };
    if (row.primitive == "top_k") return for_type<std::uint32_t, std::uint64_t, __half, float>(row.type, keys);
    if (row.primitive == "top_k_pairs" && row.type == "f32+u32") return top_k_task<Form::pairs, float>(*of, n);
    if (row.primitive == "arg_top_k" && row.type == "f32") return top_k_task<Form::indices, float>(*of, n);
    return {};
}

const Sizes kTopKSizes = {1u << 10, 1u << 13, 32000, 151936, 1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28};
const Sizes kTopKFew = {1u << 20, 1u << 24, 1u << 28};
const std::vector<RowSet> kRows = {
    {"top_k", {"f32"}, {"k=40 uniform"}, kTopKSizes, kQuickSizes},
    {"top_k", {"f32"}, {"k=1 uniform", "k=256 uniform", "k=1024 uniform", "k=4096 uniform"}, kTopKSizes},
    {"top_k", {"f32"}, {"k=40 log-normal", "k=1024 log-normal"}, kTopKFew},
    {"top_k", {"f32"}, {"k=40 values_16", "k=40 one_value", "k=40 sorted", "k=40 reversed"}, kTopKFew},
    {"top_k", {"half"}, {"k=40 uniform", "k=1024 log-normal"}, kTopKFew},
    {"top_k", {"u32", "u64"}, {"k=40 uniform"}, kTopKFew},
    {"top_k_pairs", {"f32+u32"}, {"k=40 uniform", "k=1024 uniform"}, kTopKFew},
    {"arg_top_k", {"f32"}, {"k=40 uniform", "k=1024 uniform"}, kTopKSizes},
    {"segmented_top_k", {"f32"}, {"k=8 rows=256", "k=40 rows=256", "k=40 rows=2048"}, {1u << 23}},
    {"segmented_top_k", {"f32"}, {"k=40 rows=32000"}, {512 * 32000}},
    {"segmented_top_k", {"f32"}, {"k=40 rows=128256"}, {8 * 128256, 64 * 128256}},
    {"select", {"f32"}, {"uniform", "one_value", "values_16", "sorted"}, kTopKFew},
    {"select", {"u32", "u64"}, {"uniform"}, kTopKFew},
    {"select", {"u64"}, {"low32"}, kTopKFew},
    {"quantiles", {"f32"}, {"m=9 uniform", "m=64 uniform", "m=9 values_16"}, kTopKFew},
    {"histogram",
     {"u32"},
     {"bins=16 uniform", "bins=256 uniform", "bins=4096 uniform", "bins=65536 uniform", "bins=1048576 uniform"},
     {1u << 16, 1u << 20, 1u << 24, 1u << 28}},
    {"histogram",
     {"u32"},
     {"bins=256 one_value", "bins=256 values_16", "bins=256 and_skewed", "bins=4096 one_value", "bins=4096 values_16",
      "bins=4096 and_skewed", "bins=65536 one_value", "bins=65536 values_16", "bins=65536 and_skewed"},
     {1u << 28}},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find); }
