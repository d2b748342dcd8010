// kogge-bench: GPU
//
// Compaction, partition, split, emit and runs against CUB's, counts left on the device. The least that must move: each
// item (and flag) read once, each item that is kept written once; of emit, each output written once.
//   partition   CUB writes the second side in reverse behind the first, and is compared so, with one output and two
//   split       by the highest bits of the item; CUB's nearest is a radix sort by these bits
//   emit        item i yields i mod 4 outputs; CUB's side scans the same function's counts into offsets of 32 bits, and
//               launches a kernel of one thread an item, which balances no uneven counts
#include "kogge/partition.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "kogge/operators.hpp"
#include "support/harness.hpp"
#include "support/runs_rows.hpp"
#include "support/unordered.cuh"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

// ---- compaction and partition --------------------------------------------------------------------------

enum class Form { by_predicate, by_flags, two_sides, two_outputs };

template <class T>
kogge::compare<T> predicate() {
    return {kogge::relation::less, kept_below<T>()};
}

constexpr bool has_two_sides(Form form) { return form == Form::two_sides || form == Form::two_outputs; }

/// `rejected` is for two outputs.
template <Form form, class T>
void compact_ours(const T* in, const std::uint8_t* flags, std::uint64_t n, T* out, T* rejected, std::uint64_t* count,
                  const exec& how) {
    if constexpr (form == Form::by_predicate) kogge::compact(in, n, out, count, predicate<T>(), how);
    else if constexpr (form == Form::by_flags) kogge::compact_flags(in, flags, n, out, count, how);
    else if constexpr (form == Form::two_sides) kogge::partition(in, n, out, count, predicate<T>(), how);
    else kogge::partition(in, n, kogge::two_outputs<T>{out, rejected}, count, predicate<T>(), how);
}

template <Form form, class T>
cudaError_t compact_cub(void* temporary, std::size_t& bytes, const T* in, const std::uint8_t* flags, std::uint64_t n,
                        T* out, std::uint64_t* count, stream_t stream) {
    const auto items = static_cast<std::int64_t>(n);
    if constexpr (form == Form::by_predicate)
        return cub::DeviceSelect::If(temporary, bytes, in, out, count, items, predicate<T>(), stream);
    else if constexpr (form == Form::by_flags)
        return cub::DeviceSelect::Flagged(temporary, bytes, in, flags, out, count, items, stream);
    else return cub::DevicePartition::If(temporary, bytes, in, out, count, items, predicate<T>(), stream);
}

template <Form form, class T>
Task keep_items(const Selectivity& selectivity, std::uint64_t n) {
    constexpr bool has_flags = form == Form::by_flags;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> in(n, slots), out(n, slots), expected(n, slots);
        const Slots<T> rejected(form == Form::two_outputs ? n : 1, slots);
        const Slots<std::uint8_t> flags(has_flags ? n : 1, slots);
        const Slots<std::uint64_t> count(1, slots), expected_count(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            const Kept kept{static_cast<std::uint64_t>(slot), selectivity};
            make_items(in[slot], n, Selectable<T>{kept}, stream);
            make_items(flags[slot], flags.items(), kept, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            compact_ours<form, T>(in[slot], flags[slot], n, out[slot], rejected[slot], count[slot],
                                  with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return compact_cub<form, T>(temporary, bytes, in[slot], flags[slot], n, expected[slot],
                                        expected_count[slot], s);
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            rejected.fill(kPattern, s);
            count.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t kept = read_number(count[slot], s);
            if (kept != read_number(expected_count[slot], s) || kept > n) return false;
            const T *left = out[slot], *right = expected[slot];
            if (!is_equal(left, right, kept, s)) return false;
            const T* const others = form == Form::two_outputs ? rejected[slot] : left + kept;
            return !has_two_sides(form) || is_equal(others, Reversed<T>{right + kept, n - kept}, n - kept, s);
        };
        return contest;
    };
    const double written = has_two_sides(form) ? 1 : selectivity.share;
    return {bytes_of(n, sizeof(T) * (1 + written) + (has_flags ? 1 : 0)), prepare};
}

// ---- split ---------------------------------------------------------------------------------------------

template <class T>
struct HighestBits {
    int shift;
    KOGGE_HOST_DEVICE std::uint32_t operator()(T item) const { return static_cast<std::uint32_t>(item >> shift); }
};

template <class T>
Task split_items(int bits, std::uint64_t n) {
    const auto make = [n](std::uint64_t slot) { return Key<T>{Distribution::uniform, slot, n}; };
    constexpr int width = 8 * sizeof(T);
    const auto ours = [=](const T* in, T* out, const exec& how) {
        kogge::split(in, n, out, 1u << bits, HighestBits<T>{width - bits}, nullptr, how);
    };
    const auto cub = [=](void* temporary, std::size_t& bytes, const T* in, T* out, auto count, stream_t stream) {
        return cub::DeviceRadixSort::SortKeys(temporary, bytes, in, out, count, width - bits, width, stream);
    };
    return {bytes_of(n, 2 * sizeof(T)), array_contest<T>(n, make, ours, cub)};
}
/// With values that tell where their item stood, so that comparing them checks stability.
template <class T>
Task split_pairs(int bits, std::uint64_t n) {
    constexpr int width = 8 * sizeof(T);
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), values(n, slots), out(n, slots), with(n, slots);
        const Slots<T> expected(n, slots), expected_with(n, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(keys[slot], n, Key<T>{Distribution::uniform, static_cast<std::uint64_t>(slot), n}, stream);
            make_items(values[slot], n, Place<T>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T *key = keys[slot], *value = values[slot];
            kogge::split_pairs(key, value, n, out[slot], with[slot], 1u << bits, HighestBits<T>{width - bits}, nullptr,
                               with_scratch(scratch, s));
        };
        contest.cub = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                const T *key = keys[slot], *value = values[slot];
                return cub::DeviceRadixSort::SortPairs(temporary, bytes, key, expected[slot], value,
                                                       expected_with[slot], count, width - bits, width, s);
            },
            stream);
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            with.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), n, s) &&
                   is_equal(static_cast<const T*>(with[slot]), static_cast<const T*>(expected_with[slot]), n, s);
        };
        return contest;
    };
    return {bytes_of(n, 4 * sizeof(T)), prepare};
}
/// bins_2 … bins_4096
std::optional<int> bits_of_bins(const std::string& name) {
    for (int bits = 1; bits <= 12; ++bits)
        if (name == "bins_" + std::to_string(1 << bits)) return bits;
    return {};
}

// ---- emit ----------------------------------------------------------------------------------------------

struct CountOf {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>(i % 4); }
};
struct Output {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i, std::uint64_t k) const {
        return static_cast<std::uint32_t>(random_bits(k, i));
    }
};
KOGGE_KERNEL void emit_items_kernel(const std::uint32_t* offsets, std::uint64_t n, std::uint32_t* out,
                                    std::uint64_t* total) {
    kogge::simt::wait_for_stream();
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) {
        const std::uint32_t offset = offsets[i], count = CountOf{}(i);
        for (std::uint32_t k = 0; k < count; ++k) out[offset + k] = Output{}(i, k);
        if (i == n - 1) *total = offset + count;
    }
}

Task emit_items(std::uint64_t n) {
    using T = std::uint32_t;
    constexpr std::uint64_t of_last[] = {0, 0, 1, 3};  // from the items behind the last whole four
    const std::uint64_t outputs = n / 4 * 6 + of_last[n % 4];
    const auto prepare = [=](int slots, stream_t) {
        const Slots<T> offsets(n, slots), out(outputs, slots), expected(outputs, slots);
        const Slots<std::uint64_t> total(1, slots), expected_total(1, slots);
        const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), CountOf{});
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::emit(n, out[slot], outputs, total[slot], CountOf{}, Output{}, nullptr, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const cudaError_t status =
                cub::DeviceScan::ExclusiveSum(temporary, bytes, counts, offsets[slot], static_cast<int>(n), s);
            if (temporary && status == cudaSuccess)
                kogge::simt::launch(emit_items_kernel, shape_for(n, s, "emit_items_kernel"), offsets[slot], n,
                                    expected[slot], expected_total[slot]);
            return status;
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            total.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return read_number(total[slot], s) == read_number(expected_total[slot], s) &&
                   read_number(total[slot], s) == outputs &&
                   is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), outputs, s);
        };
        return contest;
    };
    return {bytes_of(outputs, sizeof(T)), prepare};
}

// ---- all rows ------------------------------------------------------------------------------------------

template <Form form, class... Types>
std::optional<Task> find_form(const RowName& row, std::uint64_t n) {
    const std::optional<Selectivity> selectivity = selectivity_named(row.case_name);
    if (!selectivity) return {};
    return for_type<Types...>(row.type,
                              [&]<class T>() -> std::optional<Task> { return keep_items<form, T>(*selectivity, n); });
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    if (row.primitive == "compact" && row.type == "u32" && row.case_name == "kept_50_unordered")
        return compact_unordered<u32>({.share = 0.5, .clustered = false}, n);
    if (row.primitive == "compact") return find_form<Form::by_predicate, u8, u16, u32, u64, float, double>(row, n);
    if (row.primitive == "compact_flags") return find_form<Form::by_flags, u8, u32, u64>(row, n);
    if (row.primitive == "partition") {
        constexpr std::string_view end = "_two_outputs";
        if (!row.case_name.ends_with(end)) return find_form<Form::two_sides, u8, u32, u64>(row, n);
        RowName apart = row;
        apart.case_name.resize(row.case_name.size() - end.size());
        return find_form<Form::two_outputs, u8, u32, u64>(apart, n);
    }
    if (row.primitive == "emit" && row.type == "u32" && row.case_name == "outputs_0_to_3") return emit_items(n);
    const std::optional<int> bits = bits_of_bins(row.case_name);
    if (row.primitive == "split" && bits)
        return for_type<u32, u64>(row.type, [&]<class T>() -> std::optional<Task> { return split_items<T>(*bits, n); });
    if (row.primitive == "split_pairs" && row.type == "u32+u32" && bits) return split_pairs<u32>(*bits, n);
    return find_run_call(row, n);
}

const std::vector<RowSet> kRows = {
    {"compact", {"u8", "u32", "u64"}, {"kept_50"}, kAllSizes, kQuickSizes},
    {"compact", {"u16", "f32", "f64"}, {"kept_50"}, kAllSizes},
    {"compact",
     {"u32"},
     {"kept_0.1", "kept_1", "kept_10", "kept_90", "kept_100", "kept_0.1_clustered", "kept_1_clustered",
      "kept_10_clustered", "kept_50_clustered", "kept_90_clustered"},
     kFewSizes},
    {"compact", {"u32"}, {"kept_50_unordered"}, kFewSizes},
    {"compact_flags", {"u32"}, {"kept_50"}, kAllSizes, kQuickSizes},
    {"compact_flags", {"u8", "u64"}, {"kept_50"}, kFewSizes},
    {"compact_flags",
     {"u32"},
     {"kept_0.1", "kept_1", "kept_10", "kept_100", "kept_0.1_clustered", "kept_1_clustered", "kept_50_clustered"},
     kFewSizes},
    {"partition", {"u32"}, {"kept_50"}, kAllSizes, kQuickSizes},
    {"partition", {"u8", "u64"}, {"kept_50"}, kMoreSizes},
    {"partition", {"u32"}, {"kept_50_two_outputs"}, kAllSizes},
    {"partition", {"u8", "u64"}, {"kept_50_two_outputs"}, kFewSizes},
    {"split", {"u32"}, {"bins_256"}, kAllSizes, kQuickSizes},
    {"split",
     {"u32"},
     {"bins_2", "bins_4", "bins_8", "bins_16", "bins_32", "bins_64", "bins_128", "bins_512", "bins_1024", "bins_2048",
      "bins_4096"},
     kMoreSizes},
    {"split_pairs", {"u32+u32"}, {"bins_2", "bins_16", "bins_256", "bins_4096"}, kMoreSizes},
    {"emit", {"u32"}, {"outputs_0_to_3"}, kMoreSizes},
    {"unique", {"u32"}, {"runs_8"}, kAllSizes, kQuickSizes},
    {"unique", {"u32"}, {"runs_1000"}, kFewSizes},
    {"unique", {"u64"}, {"runs_8"}, kFewSizes},
    {"unique_by_key", {"u32+u32"}, {"runs_8", "runs_1000"}, kFewSizes},
    {"run_length_encode", {"u32"}, {"runs_8", "runs_1000"}, kMoreSizes},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find); }
