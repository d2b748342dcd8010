// kogge-bench: GPU
//
// Radix sorts of uniform keys, and of keys of other simple distributions, against CUB's.
#include "support/segmented_rows.hpp"
#include "support/sort_contests.hpp"

namespace {

using namespace bench;
using kogge::stream_t;

template <class T>
FillSlot<T> keys_of(Distribution distribution, std::uint64_t n) {
    return [=](T* keys, std::uint64_t slot, stream_t stream) {
        make_items(keys, n, Key<T>{distribution, 3 * slot, n}, stream);
    };
}
template <class T>
Task sort_keys(Distribution distribution, std::uint64_t n) {
    return key_sort<T>(n, keys_of<T>(distribution, n));
}
template <class T, class Value = kogge::detail::unsigned_of<sizeof(T)>>
Task sort_pairs(Distribution distribution, std::uint64_t n, bool indices_only) {
    return pair_sort<T, Value>(n, keys_of<T>(distribution, n), indices_only);
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    if (row.primitive.starts_with("segmented")) return find_segmented_call(row, n);
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
