// kogge-bench: GPU
//
// Compaction, partition, split, emit and runs against CUB's, counts left on the device. The least that must move: each
// item (and flag) read once, each item that is kept written once; of emit, each output written once.
//   partition   CUB writes the second side in reverse behind the first, and is compared so, with one output and two;
//   its
//               count is of 32 bits or of 64, whichever is faster
//   in place    items are restored before each batch; both sides run once more before they are compared
//   arrays      CUB's are zipped
//   bit mask    CUB reads its flags through an iterator that takes them from the words
//   split       by the highest bits of the item; CUB's nearest is a radix sort by these bits, and, where offsets are
//               asked for, a search for each bin in its result
//   emit        item i yields i mod 4 outputs; CUB's side scans the same function's counts into offsets of 32 bits, and
//               launches a kernel of one thread an item, which balances no uneven counts; of one thread an output,
//               which searches its item, where they are uneven: skewed, where the item in the middle yields ten
//               million, and outputs_1_to_4096, where twice as many outputs are half as frequent
#include "kogge/partition.hpp"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <array>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <utility>

#include "kogge/compact_arrays.hpp"
#include "kogge/operators.hpp"
#include "support/harness.hpp"
#include "support/indices_rows.hpp"
#include "support/runs_rows.hpp"
#include "support/unordered.cuh"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

// ---- compaction and partition --------------------------------------------------------------------------

enum class Form { by_predicate, in_place, by_flags, by_mask, two_sides, two_outputs };

template <class T>
kogge::compare<T> predicate() {
    return {kogge::relation::less, kept_below<T>()};
}
/// The same for CUB, which knows no relations.
template <class T>
struct Below {
    T bound;
    KOGGE_HOST_DEVICE bool operator()(const T& item) const { return item < bound; }
};
template <class T>
Below<T> predicate_for_cub() {
    return {kept_below<T>()};
}

constexpr bool has_two_sides(Form form) { return form == Form::two_sides || form == Form::two_outputs; }

template <Form form>
using Flag = std::conditional_t<form == Form::by_mask, std::uint32_t, std::uint8_t>;
struct BitOf {
    const std::uint32_t* words;
    KOGGE_HOST_DEVICE bool operator()(std::uint64_t i) const { return (words[i / 32] >> i % 32 & 1u) != 0; }
};

/// `rejected` is for two outputs; in place `out` is the input.
template <Form form, class T>
void compact_ours(const T* in, const Flag<form>* flags, std::uint64_t n, T* out, T* rejected, std::uint64_t* count,
                  const exec& how) {
    if constexpr (form == Form::by_predicate) kogge::compact(in, out, count, n, predicate<T>(), how);
    else if constexpr (form == Form::in_place)
        kogge::compact(static_cast<const T*>(out), out, count, n, predicate<T>(), how);
    else if constexpr (form == Form::by_flags) kogge::compact_flags(in, flags, out, count, n, how);
    else if constexpr (form == Form::by_mask) kogge::compact_flags(in, kogge::bit_mask(flags), out, count, n, how);
    else if constexpr (form == Form::two_sides) kogge::partition(in, out, count, n, predicate<T>(), how);
    else kogge::partition(in, kogge::two_outputs<T>{out, rejected}, count, n, predicate<T>(), how);
}

/// `items`: n, of the type that CUB is to count with; its selections count with 64 bits whatever it is.
template <Form form, class T, class Items>
cudaError_t compact_cub(void* temporary, std::size_t& bytes, const T* in, const Flag<form>* flags, Items items, T* out,
                        std::uint64_t* count, stream_t stream) {
    if constexpr (form == Form::by_predicate)
        return cub::DeviceSelect::If(temporary, bytes, in, out, count, items, predicate_for_cub<T>(), stream);
    else if constexpr (form == Form::in_place)
        return cub::DeviceSelect::If(temporary, bytes, out, count, items, predicate_for_cub<T>(), stream);
    else if constexpr (form == Form::by_flags)
        return cub::DeviceSelect::Flagged(temporary, bytes, in, flags, out, count, items, stream);
    else if constexpr (form == Form::by_mask)
        return cub::DeviceSelect::Flagged(
            temporary, bytes, in,
            thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), BitOf{flags}), out, count,
            items, stream);
    else return cub::DevicePartition::If(temporary, bytes, in, out, count, items, predicate_for_cub<T>(), stream);
}

template <Form form, class T>
Task keep_items(const Selectivity& selectivity, std::uint64_t n) {
    constexpr bool in_place = form == Form::in_place;
    const std::uint64_t flags_n = form == Form::by_flags ? n : form == Form::by_mask ? (n + 31) / 32 : 0;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> in(n, slots), out(n, slots), expected(n, slots);
        const Slots<T> rejected(form == Form::two_outputs ? n : 1, slots);
        const Slots<Flag<form>> flags(flags_n, slots);
        const Slots<std::uint64_t> count(1, slots), expected_count(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            const Kept kept{static_cast<std::uint64_t>(slot), selectivity};
            make_items(in[slot], n, Selectable<T>{kept}, stream);
            if constexpr (form == Form::by_mask) make_items(flags[slot], flags_n, KeptBits{kept}, stream);
            else make_items(flags[slot], flags_n, kept, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            compact_ours<form, T>(in[slot], flags[slot], n, out[slot], rejected[slot], count[slot],
                                  with_scratch(scratch, s));
        };
        const auto cub = [=](void* temporary, std::size_t& bytes, auto items, int slot, stream_t s) {
            return compact_cub<form, T>(temporary, bytes, in[slot], flags[slot], items, expected[slot],
                                        expected_count[slot], s);
        };
        if constexpr (has_two_sides(form)) {
            contest.cub = with_either_count(n, cub, stream);
        } else {
            contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
                return cub(temporary, bytes, static_cast<std::int64_t>(n), slot, s);
            });
        }
        const auto restore = [=](int slot, stream_t s) {
            kogge::simt::copy(out[slot], in[slot], n * sizeof(T), s);
            kogge::simt::copy(expected[slot], in[slot], n * sizeof(T), s);
        };
        if (in_place) contest.restore = restore;
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            rejected.fill(kPattern, s);
            count.fill(kPattern, s);
        };
        contest.is_right = [=, ours = contest.ours, cub = contest.cub](int slot, stream_t s) {
            if (in_place) {  // who did not come last was restored
                restore(slot, s);
                ours(slot, s);
                cub(slot, s);
            }
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
    return {bytes_of(n, sizeof(T) * (1 + written)) + bytes_of(flags_n, sizeof(Flag<form>)), prepare};
}

struct ByFirst {
    template <class Tuple>
    KOGGE_HOST_DEVICE bool operator()(const Tuple& items) const {
        return thrust::get<0>(items) < kept_below<std::uint32_t>();
    }
};

/// Arrays of words, of which the first decides; the others tell where their items stood.
template <std::size_t... place>
Task keep_of_arrays(const Selectivity& selectivity, std::uint64_t n, std::index_sequence<place...>) {
    using T = std::uint32_t;
    using Arrays = std::array<Slots<T>, sizeof...(place)>;
    const auto prepare = [=](int slots, stream_t stream) {
        const auto make_arrays = [&] { return Arrays{(static_cast<void>(place), Slots<T>(n, slots))...}; };
        const Arrays in = make_arrays(), out = make_arrays(), expected = make_arrays();
        const Slots<std::uint64_t> count(1, slots), expected_count(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            (make_items(in[place][slot], n, Place<T>{}, stream), ...);
            make_items(in[0][slot], n, Selectable<T>{{static_cast<std::uint64_t>(slot), selectivity}}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::compact(kogge::arrays(static_cast<const T*>(in[place][slot])...), kogge::arrays(out[place][slot]...),
                           count[slot], n, predicate<T>(), with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceSelect::If(temporary, bytes, thrust::make_zip_iterator(in[place][slot]...),
                                         thrust::make_zip_iterator(expected[place][slot]...), expected_count[slot],
                                         static_cast<std::int64_t>(n), ByFirst{}, s);
        });
        contest.spoil = [=](stream_t s) {
            (out[place].fill(kPattern, s), ...);
            count.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t kept = read_number(count[slot], s);
            const auto is_same = [&](const T* left, const T* right) { return is_equal(left, right, kept, s); };
            return kept == read_number(expected_count[slot], s) && kept <= n &&
                   (is_same(out[place][slot], expected[place][slot]) && ...);
        };
        return contest;
    };
    return {bytes_of(n, sizeof...(place) * sizeof(T) * (1 + selectivity.share)), prepare};
}

// ---- split ---------------------------------------------------------------------------------------------

template <class T>
struct HighestBits {
    int shift;
    KOGGE_HOST_DEVICE std::uint32_t operator()(T item) const { return static_cast<std::uint32_t>(item >> shift); }
};

/// Offsets beside CUB's sort: each bin's first item is searched in the sorted ones.
template <class T>
KOGGE_KERNEL void find_bins_kernel(const T* sorted, std::uint64_t n, HighestBits<T> bin_of, std::uint64_t bins,
                                   std::uint64_t* offsets) {
    kogge::simt::wait_for_stream();
    for (std::uint64_t bin = first_place(); bin <= bins; bin += all_threads()) {
        std::uint64_t begin = 0, end = n;
        while (begin < end) {
            const std::uint64_t middle = (begin + end) / 2;
            if (bin_of(sorted[middle]) < bin) begin = middle + 1;
            else end = middle;
        }
        offsets[bin] = begin;
    }
}

/// Values tell where their item stood, so that comparing them checks stability.
template <class T>
Task split_items(int bits, std::uint64_t n, bool has_values, bool has_offsets) {
    constexpr int width = 8 * sizeof(T);
    const HighestBits<T> bin_of{width - bits};
    const std::uint32_t bins = 1u << bits;
    const std::uint64_t values_n = has_values ? n : 0, offsets_n = has_offsets ? bins + 1 : 0;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), out(n, slots), expected(n, slots);
        const Slots<T> values(values_n, slots), with(values_n, slots), expected_with(values_n, slots);
        const Slots<std::uint64_t> offsets(offsets_n, slots), expected_offsets(offsets_n, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(keys[slot], n, Key<T>{Distribution::uniform, static_cast<std::uint64_t>(slot), n}, stream);
            make_items(values[slot], values_n, Place<T>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T *key = keys[slot], *value = values[slot];
            std::uint64_t* const starts = has_offsets ? offsets[slot] : nullptr;
            const exec how = with_scratch(scratch, s);
            if (has_values) kogge::split_pairs(key, value, out[slot], with[slot], starts, n, bins, bin_of, how);
            else kogge::split(key, out[slot], starts, n, bins, bin_of, how);
        };
        contest.cub = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                const T *key = keys[slot], *value = values[slot];
                const cudaError_t status =
                    has_values ? cub::DeviceRadixSort::SortPairs(temporary, bytes, key, expected[slot], value,
                                                                 expected_with[slot], count, width - bits, width, s)
                               : cub::DeviceRadixSort::SortKeys(temporary, bytes, key, expected[slot], count,
                                                                width - bits, width, s);
                if (has_offsets && temporary && status == cudaSuccess)
                    kogge::simt::launch(find_bins_kernel<T>, shape_for(offsets_n, s, "find_bins_kernel"),
                                        expected[slot], n, bin_of, bins, expected_offsets[slot]);
                return status;
            },
            stream);
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            with.fill(kPattern, s);
            offsets.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const T *left = out[slot], *left_with = with[slot];
            const std::uint64_t* const left_offsets = offsets[slot];
            return is_equal(left, static_cast<const T*>(expected[slot]), n, s) &&
                   is_equal(left_with, static_cast<const T*>(expected_with[slot]), values_n, s) &&
                   is_equal(left_offsets, static_cast<const std::uint64_t*>(expected_offsets[slot]), offsets_n, s);
        };
        return contest;
    };
    return {bytes_of(n, (has_values ? 4 : 2) * sizeof(T)) + bytes_of(offsets_n, sizeof(std::uint64_t)), prepare};
}
/// bins_2 … bins_4096
std::optional<int> bits_of_bins(const std::string& name) {
    for (int bits = 1; bits <= 12; ++bits)
        if (name == "bins_" + std::to_string(1 << bits)) return bits;
    return {};
}

// ---- emit ----------------------------------------------------------------------------------------------

struct EvenCount {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return static_cast<std::uint32_t>(i % 4); }
};
struct SkewedCount {
    static constexpr std::uint32_t kMany = 10'000'000;
    std::uint64_t place;  ///< of the item that yields so many
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return i == place ? kMany : EvenCount{}(i); }
};
/// 1, 2, 4, … 4096, each half as often as the one before.
struct PowerCount {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        const std::uint64_t bits = random_bits(5, i) | std::uint64_t{1} << 12;
        return static_cast<std::uint32_t>(bits & (~bits + 1));
    }
};
struct Output {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i, std::uint64_t k) const {
        return static_cast<std::uint32_t>(random_bits(k, i));
    }
};
KOGGE_KERNEL void emit_items_kernel(const std::uint32_t* offsets, std::uint64_t n, std::uint32_t* out,
                                    std::uint64_t* total, EvenCount count_of) {
    kogge::simt::wait_for_stream();
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) {
        const std::uint32_t offset = offsets[i], count = count_of(i);
        for (std::uint32_t k = 0; k < count; ++k) out[offset + k] = Output{}(i, k);
        if (i == n - 1) *total = offset + count;
    }
}
template <class CountOf>
KOGGE_KERNEL void emit_outputs_kernel(const std::uint32_t* offsets, std::uint64_t n, std::uint32_t* out,
                                      std::uint64_t* total, CountOf count_of) {
    kogge::simt::wait_for_stream();
    const std::uint32_t outputs = offsets[n - 1] + count_of(n - 1);
    for (std::uint64_t place = first_place(); place < outputs; place += all_threads()) {
        std::uint64_t i = 0;  // the last that begins there or before
        for (std::uint64_t end = n; end - i > 1;) {
            const std::uint64_t middle = i + (end - i) / 2;
            if (offsets[middle] <= place) i = middle;
            else end = middle;
        }
        out[place] = Output{}(i, place - offsets[i]);
    }
    if (first_place() == 0) *total = outputs;
}

/// CUB's side launches the kernel with so many threads.
template <class CountOf, class Kernel>
Task emit_items(std::uint64_t n, std::uint64_t outputs, const CountOf& count_of, Kernel kernel, std::uint64_t threads) {
    using T = std::uint32_t;
    const auto prepare = [=](int slots, stream_t) {
        const Slots<T> offsets(n, slots), out(outputs, slots), expected(outputs, slots);
        const Slots<std::uint64_t> total(1, slots), expected_total(1, slots);
        const auto counts = thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0), count_of);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::emit(out[slot], outputs, total[slot], n, count_of, Output{}, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const cudaError_t status =
                cub::DeviceScan::ExclusiveSum(temporary, bytes, counts, offsets[slot], static_cast<int>(n), s);
            if (temporary && status == cudaSuccess)
                kogge::simt::launch(kernel, shape_for(threads, s, "emit_items_kernel"), offsets[slot], n,
                                    expected[slot], expected_total[slot], count_of);
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

std::optional<Task> find_emit(const std::string& name, std::uint64_t n) {
    constexpr std::uint64_t of_last[] = {0, 0, 1, 3};  // from the items behind the last whole four
    const std::uint64_t outputs = n / 4 * 6 + of_last[n % 4], place = n / 2;
    const std::uint64_t skewed = outputs - EvenCount{}(place) + SkewedCount::kMany;
    if (name == "outputs_0_to_3") return emit_items(n, outputs, EvenCount{}, emit_items_kernel, n);
    if (name == "skewed") return emit_items(n, skewed, SkewedCount{place}, emit_outputs_kernel<SkewedCount>, skewed);
    if (name == "outputs_1_to_4096") {
        std::uint64_t all = 0;
        for (std::uint64_t i = 0; i < n; ++i) all += PowerCount{}(i);
        return emit_items(n, all, PowerCount{}, emit_outputs_kernel<PowerCount>, all);
    }
    return {};
}

// ---- all rows ------------------------------------------------------------------------------------------

template <Form form, class... Types>
std::optional<Task> find_form(const RowName& row, std::uint64_t n) {
    const std::optional<Selectivity> selectivity = selectivity_named(row.case_name);
    if (!selectivity) return {};
    return for_type<Types...>(row.type,
                              [&]<class T>() -> std::optional<Task> { return keep_items<form, T>(*selectivity, n); });
}

/// The row without this end of its case's name; nothing if it has another.
std::optional<RowName> without(std::string_view end, RowName row) {
    if (!row.case_name.ends_with(end)) return {};
    row.case_name.resize(row.case_name.size() - end.size());
    return row;
}

std::optional<Task> find_split(const RowName& row, std::uint64_t n, bool has_offsets) {
    const std::optional<int> bits = bits_of_bins(row.case_name);
    if (!bits) return {};
    const auto keys = [&]<class T>() -> std::optional<Task> { return split_items<T>(*bits, n, false, has_offsets); };
    if (row.primitive == "split") return for_type<std::uint32_t, std::uint64_t>(row.type, keys);
    if (row.type == "u32+u32") return split_items<std::uint32_t>(*bits, n, true, has_offsets);
    return {};
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    using u8 = std::uint8_t;
    using u16 = std::uint16_t;
    using u32 = std::uint32_t;
    using u64 = std::uint64_t;
    if (row.primitive == "compact" && row.type == "u32" && row.case_name == "kept_50_unordered")
        return compact_unordered<u32>({.share = 0.5, .clustered = false}, n);
    if (row.primitive == "compact") return find_form<Form::by_predicate, u8, u16, u32, u64, float, double>(row, n);
    if (row.primitive == "compact_in_place") return find_form<Form::in_place, u32>(row, n);
    if (row.primitive == "compact_flags") return find_form<Form::by_flags, u8, u32, u64>(row, n);
    if (row.primitive == "compact_bit_mask") return find_form<Form::by_mask, u32>(row, n);
    if (row.primitive == "compact_indices" || row.primitive == "nonzero") return find_indices_call(row, n);
    const std::optional<Selectivity> selectivity = selectivity_named(row.case_name);
    if (row.primitive == "compact_arrays" && selectivity && row.type == "u32+u32")
        return keep_of_arrays(*selectivity, n, std::make_index_sequence<2>());
    if (row.primitive == "compact_arrays" && selectivity && row.type == "u32+u32+u32")
        return keep_of_arrays(*selectivity, n, std::make_index_sequence<3>());
    if (row.primitive == "partition") {
        const std::optional<RowName> apart = without("_two_outputs", row);
        return apart ? find_form<Form::two_outputs, u8, u32, u64>(*apart, n)
                     : find_form<Form::two_sides, u8, u32, u64>(row, n);
    }
    if (row.primitive == "emit" && row.type == "u32") return find_emit(row.case_name, n);
    if (row.primitive == "split" || row.primitive == "split_pairs") {
        const std::optional<RowName> plain = without("_offsets", row);
        return find_split(plain.value_or(row), n, plain.has_value());
    }
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
    {"compact_in_place", {"u32"}, {"kept_50"}, kFewSizes},
    {"compact_arrays", {"u32+u32", "u32+u32+u32"}, {"kept_50"}, kFewSizes},
    {"compact_bit_mask", {"u32"}, {"kept_50"}, kFewSizes},
    {"compact_flags", {"u32"}, {"kept_50"}, kAllSizes, kQuickSizes},
    {"compact_flags", {"u8", "u64"}, {"kept_50"}, kFewSizes},
    {"compact_flags", {"u64"}, {"kept_0.1", "kept_1"}, kFewSizes},
    {"compact_flags",
     {"u32"},
     {"kept_0.1", "kept_1", "kept_10", "kept_100", "kept_0.1_clustered", "kept_1_clustered", "kept_50_clustered"},
     kFewSizes},
    {"compact_indices", {"u32", "u64"}, {"kept_1", "kept_10", "kept_50"}, kFewSizes},
    {"nonzero", {"u32", "u64"}, {"kept_10", "kept_50"}, kFewSizes},
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
    {"split", {"u32"}, {"bins_256_offsets"}, kFewSizes},
    {"split", {"u64"}, {"bins_16", "bins_256"}, kFewSizes},
    {"split_pairs", {"u32+u32"}, {"bins_2", "bins_16", "bins_256", "bins_4096"}, kMoreSizes},
    {"emit", {"u32"}, {"outputs_0_to_3"}, kMoreSizes},
    {"emit", {"u32"}, {"skewed", "outputs_1_to_4096"}, {1u << 16, 1u << 20, 1u << 24}},
    {"unique", {"u32"}, {"runs_8"}, kAllSizes, kQuickSizes},
    {"unique", {"u32"}, {"runs_1000"}, kFewSizes},
    {"unique", {"u64"}, {"runs_8"}, kFewSizes},
    {"unique_by_key", {"u32+u32"}, {"runs_8", "runs_1000"}, kFewSizes},
    {"run_length_encode", {"u32"}, {"runs_8", "runs_1000"}, kMoreSizes},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find); }
