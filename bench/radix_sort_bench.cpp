// kogge-bench: GPU
//
// Radix sorts against CUB's, the faster of that with a count of 32 bits and that with 64, out of place; both keep their
// input. The least that a sort must move: each key and value read once and written once. Values tell where their key
// stood, so that comparing them with CUB's checks stability as well. argsort stands beside CUB's sort of pairs whose
// values are the indices, ready-made.
#include "kogge/radix_sort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include "support/harness.hpp"
#include "support/repaired.cuh"
#include "support/segmented_rows.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

/// ours(in, out, how) sorts.
template <class T, class Sort>
Task sort_keys(Distribution distribution, std::uint64_t n, const Sort& ours) {
    const auto make = [=](std::uint64_t slot) { return Key<T>{distribution, 3 * slot, n}; };
    const auto cub = [](void* temporary, std::size_t& bytes, const T* in, T* out, auto count, stream_t stream) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, count, 0, static_cast<int>(8 * sizeof(T)),
                                              stream);
    };
    return {bytes_of(n, 2 * sizeof(T)), array_contest<T>(n, make, ours, cub)};
}
template <class T>
Task sort_keys(Distribution distribution, std::uint64_t n) {
    return sort_keys<T>(distribution, n, [n](const T* in, T* out, const exec& how) {
        kogge::radix_sort(in, out, n, kogge::sort_options{}, how);
    });
}

/// Keys and integers; or, with `indices_only`, argsort of the keys.
template <class T, class Value = kogge::detail::unsigned_of<sizeof(T)>>
Task sort_pairs(Distribution distribution, std::uint64_t n, bool indices_only) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), cub_keys(n, slots);
        const Slots<Value> values(n, slots), out(n, slots), expected(n, slots);
        const Slots<T> out_keys = indices_only ? Slots<T>() : Slots<T>(n, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(keys[slot], n, Key<T>{distribution, 3 * static_cast<std::uint64_t>(slot), n}, stream);
            make_items(values[slot], n, Place<Value>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T* key = keys[slot];
            const Value* value = values[slot];
            if (indices_only) kogge::argsort(key, out[slot], n, {}, with_scratch(scratch, s));
            else
                kogge::radix_sort_pairs(key, out_keys[slot], value, out[slot], n, kogge::sort_options{},
                                        with_scratch(scratch, s));
        };
        contest.cub = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                const T* key = keys[slot];
                const Value* value = values[slot];
                return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, cub_keys[slot], value, expected[slot],
                                                       count, 0, static_cast<int>(8 * sizeof(T)), s);
            },
            stream);
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            if (!indices_only) out_keys.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const Value*>(out[slot]), static_cast<const Value*>(expected[slot]), n, s) &&
                   (indices_only ||
                    is_equal(static_cast<const T*>(out_keys[slot]), static_cast<const T*>(cub_keys[slot]), n, s));
        };
        return contest;
    };
    return {bytes_of(n, indices_only ? sizeof(T) + sizeof(Value) : 2 * (sizeof(T) + sizeof(Value))), prepare};
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    if (row.primitive.starts_with("segmented")) return find_segmented_call(row, n);
    if (row.primitive == "radix_sort" && row.case_name == "repaired")
        return for_type<std::uint32_t>(row.type, [&]<class T>() -> std::optional<Task> {
            return sort_keys<T>(Distribution::uniform, n, repaired_sort<T>(n));
        });
    const std::optional<Distribution> distribution = distribution_named(row.case_name);
    if (!distribution) return {};
    const auto keys = [&]<class T>() -> std::optional<Task> { return sort_keys<T>(*distribution, n); };
    const auto pairs = [&]<class T>() -> std::optional<Task> { return sort_pairs<T>(*distribution, n, false); };
    const auto indices = [&]<class T>() -> std::optional<Task> { return sort_pairs<T>(*distribution, n, true); };
    if (row.primitive == "radix_sort")
        return for_type<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int32_t, std::int64_t, __half,
                        __nv_bfloat16, float, double>(row.type, keys);
    if (row.primitive == "radix_sort_pairs" && row.type == "u64+u32")
        return sort_pairs<std::uint64_t, std::uint32_t>(*distribution, n, false);
    if (row.primitive == "radix_sort_pairs")
        return for_type<std::uint32_t, std::uint64_t>(type_of_pair(row.type), pairs);
    if (row.primitive == "argsort") return for_type<std::uint32_t, std::uint64_t, float>(row.type, indices);
    return {};
}

const std::vector<std::string> kDistributionNames = {"and_skewed", "values_16", "one_value", "sorted", "reversed"};
const std::vector<std::string> kSegmentNames = {"segments_10", "segments_1000", "segments_100000", "segments_10000000",
                                                "skewed"};
const std::vector<RowSet> kRows = {
    {"radix_sort", {"u8", "u16", "u32", "u64"}, {"uniform"}, kAllSizes, kQuickSizes},
    {"radix_sort", {"f32", "f64"}, {"uniform"}, kAllSizes},
    {"radix_sort", {"half", "bf16", "i32"}, {"uniform"}, kFewSizes},
    {"radix_sort", {"u32", "u64"}, kDistributionNames, kFewSizes},
    {"radix_sort", {"u64"}, {"low32"}, kFewSizes},
    {"radix_sort", {"u64"}, {"shared_prefix"}, {std::uint64_t{1} << 24, std::uint64_t{1} << 28}},
    {"radix_sort", {"u32"}, {"repaired"}, {std::uint64_t{1} << 30}},
    {"radix_sort_pairs", {"u32+u32", "u64+u64"}, {"uniform"}, kAllSizes, kQuickSizes},
    {"radix_sort_pairs", {"u64+u32"}, {"uniform"}, kAllSizes},
    {"radix_sort_pairs", {"u32+u32"}, kDistributionNames, kFewSizes},
    {"argsort", {"u32"}, {"uniform"}, kAllSizes, kQuickSizes},
    {"argsort", {"f32"}, {"uniform"}, kAllSizes},
    {"segmented_sort", {"u32", "u64"}, kSegmentNames, kFewSizes},
    {"segmented_sort_pairs", {"u32+u32"}, kSegmentNames, kFewSizes},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find); }
