// kogge-bench: GPU
//
// Calls of real programs that the other records do not have. The rival is what such a program calls of CUB, with its
// own kernel where CUB needs one; both sides leave the same arrays.
//   segmented_argsort     the order of each row of logits, the greatest first, as indices within the row: llama.cpp,
//                         onnxruntime-genai. CUB's side writes the indices first, and sorted keys nobody reads
//   segmented_sort_pairs  rows with begins and ends apart, as int, and gaps of 24 items between them: warp, cugraph
//   radix_sort_pairs      i32 rows and columns of a sparse matrix, in two arrays, with f32: raft, cupy. CUB's side
//   packs
//                         them into keys of 64 bits, sorts by as many bits as they have, and unpacks them
//   reverse_inclusive_scan_by_key  the maximum from the run's end, in place: PyTorch's embeddings, XGBoost. CUB's side
//                         takes reverse iterators
//   unique_by_key         where each run begins; no keys come out: PyTorch's embeddings
//   run_length_encode     of the upper half of each item, computed as it is read: warp's volumes, Open3D
//   inclusive_scan        every third item of an array, to every third one of another: warp
//   partition_flags       items by flags in bytes: raft
//
// The least that must move: each input read once, each output written once.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>
#include <cub/device/device_select.cuh>

#include <bit>

#include "clients/tensors.hpp"
#include "kogge/calls/segmented_argsort.hpp"
#include "kogge/calls/sort_columns.hpp"
#include "kogge/partition.hpp"
#include "kogge/reverse_scan.hpp"
#include "kogge/runs.hpp"
#include "kogge/scan.hpp"
#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

template <class T>
const T* read_only(T* items) {
    return items;
}
constexpr auto kSeed = [](int slot) { return 5 * static_cast<std::uint64_t>(slot); };

// ---- rows ----------------------------------------------------------------------------------------------

/// Where row r begins, or with `behind` where it ends.
struct RowBound {
    std::uint64_t step, behind;
    KOGGE_HOST_DEVICE int operator()(std::uint64_t row) const { return static_cast<int>(row * step + behind); }
};
struct PlaceInRow {
    std::uint64_t length;
    KOGGE_HOST_DEVICE int operator()(std::uint64_t i) const { return static_cast<int>(i % length); }
};

/// The faster of CUB's two where both can run. sort<by_radix>(temporary, bytes, slot, stream)
template <class Sort>
void set_segmented_rivals(Contest& contest, const Sort& sort, stream_t stream) {
    const auto call_of = [&]<bool by_radix>(std::bool_constant<by_radix>) {
        return with_temporary([sort](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return sort.template operator()<by_radix>(temporary, bytes, slot, s);
        });
    };
    contest.cub_in_graph = call_of(std::true_type{});
    contest.cub = faster_of(contest.cub_in_graph, call_of(std::false_type{}), stream);
}

Task argsort_of_rows(std::uint64_t n, std::uint64_t length) {
    const std::uint64_t rows = n / length, items = rows * length;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<float> keys(items, slots), sorted(items, 1);
        const Slots<int> indices(items, 1), out(items, slots), expected(items, slots), bounds(rows + 1, 1);
        for (int slot = 0; slot < slots; ++slot) make_items(keys[slot], items, clients::Logits{kSeed(slot)}, stream);
        make_items(bounds[0], rows + 1, RowBound{length, 0}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::segmented_argsort(read_only(keys[slot]), out[slot], kogge::rows_of{length, rows},
                                     {.order = kogge::descending}, with_scratch(scratch, s));
        };
        const auto sort = [=]<bool by_radix>(void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const auto count = static_cast<std::int64_t>(items), segments = static_cast<std::int64_t>(rows);
            const int *const begins = bounds[0], *const places = indices[0];
            if (temporary) make_items(indices[0], items, PlaceInRow{length}, s);
            if constexpr (by_radix)
                return cub::DeviceSegmentedRadixSort::SortPairsDescending(temporary, bytes, read_only(keys[slot]),
                                                                          sorted[0], places, expected[slot], count,
                                                                          segments, begins, begins + 1, 0, 32, s);
            else
                return cub::DeviceSegmentedSort::StableSortPairsDescending(temporary, bytes, read_only(keys[slot]),
                                                                           sorted[0], places, expected[slot], count,
                                                                           segments, begins, begins + 1, s);
        };
        set_segmented_rivals(contest, sort, stream);
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) { return is_same_bits<int>(out[slot], expected[slot], items, s); };
        return contest;
    };
    return {bytes_of(items, sizeof(float) + sizeof(int)), prepare};
}

Task rows_with_gaps(std::uint64_t n, std::uint64_t length) {
    constexpr std::uint64_t kGap = 24;
    const std::uint64_t rows = n / (length + kGap);
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<float> keys(n, slots), out(n, slots), expected(n, slots);
        const Slots<int> values(n, 1), with(n, slots), expected_with(n, slots), begins(rows, 1), ends(rows, 1);
        for (int slot = 0; slot < slots; ++slot) make_items(keys[slot], n, clients::Logits{kSeed(slot)}, stream);
        make_items(values[0], n, Place<int>{}, stream);
        make_items(begins[0], rows, RowBound{length + kGap, 0}, stream);
        make_items(ends[0], rows, RowBound{length + kGap, length}, stream);
        expected.fill(kPattern, stream);  // gaps stay as they are
        expected_with.fill(kPattern, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::segmented_sort_pairs(read_only(keys[slot]), out[slot], read_only(values[0]), with[slot], n,
                                        kogge::segments_of(read_only(begins[0]), read_only(ends[0]), rows),
                                        with_scratch(scratch, s));
        };
        const auto sort = [=]<bool by_radix>(void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const auto count = static_cast<std::int64_t>(n), segments = static_cast<std::int64_t>(rows);
            const int *const from = begins[0], *const to = ends[0], *const beside = values[0];
            if constexpr (by_radix)
                return cub::DeviceSegmentedRadixSort::SortPairs(temporary, bytes, read_only(keys[slot]), expected[slot],
                                                                beside, expected_with[slot], count, segments, from, to,
                                                                0, 32, s);
            else
                return cub::DeviceSegmentedSort::StableSortPairs(temporary, bytes, read_only(keys[slot]),
                                                                 expected[slot], beside, expected_with[slot], count,
                                                                 segments, from, to, s);
        };
        set_segmented_rivals(contest, sort, stream);
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            with.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_same_bits(out[slot], expected[slot], n, s) &&
                   is_same_bits<int>(with[slot], expected_with[slot], n, s);
        };
        return contest;
    };
    return {bytes_of(rows * length, 2 * (sizeof(float) + sizeof(int))), prepare};
}

// ---- keys in two arrays --------------------------------------------------------------------------------

struct Coordinate {
    std::uint64_t seed, limit;
    KOGGE_HOST_DEVICE int operator()(std::uint64_t i) const { return static_cast<int>(random_bits(seed, i) % limit); }
};
struct Packed {
    const int *rows, *columns;
    int column_bits;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        return static_cast<std::uint64_t>(rows[i]) << column_bits | static_cast<std::uint64_t>(columns[i]);
    }
};
KOGGE_KERNEL void unpack(const std::uint64_t* keys, std::uint64_t n, int column_bits, int* rows, int* columns) {
    kogge::simt::wait_for_stream();
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) {
        rows[i] = static_cast<int>(keys[i] >> column_bits);
        columns[i] = static_cast<int>(keys[i] & ((std::uint64_t{1} << column_bits) - 1));
    }
}

Task sort_coordinates(std::uint64_t n, std::uint64_t limit) {
    const int bits = static_cast<int>(std::bit_width(limit - 1));
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<int> rows(n, slots), columns(n, slots), out_rows(n, slots), out_columns(n, slots);
        const Slots<int> expected_rows(n, slots), expected_columns(n, slots);
        const Slots<float> values(n, 1), with(n, slots), expected_with(n, slots);
        const Slots<std::uint64_t> packed(n, 1), sorted(n, 1);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(rows[slot], n, Coordinate{kSeed(slot), limit}, stream);
            make_items(columns[slot], n, Coordinate{kSeed(slot) + 1, limit}, stream);
        }
        make_items(values[0], n, Place<float>{}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const kogge::column_options bits_of_each{.end_bit = bits};
            kogge::radix_sort_pairs(kogge::columns(kogge::column(read_only(rows[slot]), bits_of_each),
                                                   kogge::column(read_only(columns[slot]), bits_of_each)),
                                    kogge::arrays(out_rows[slot], out_columns[slot]), read_only(values[0]), with[slot],
                                    n, with_scratch(scratch, s));
        };
        const Call sort = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                return cub::DeviceRadixSort::SortPairs(temporary, bytes, read_only(packed[0]), sorted[0],
                                                       read_only(values[0]), expected_with[slot], count, 0, 2 * bits,
                                                       s);
            },
            stream);
        contest.cub = [=](int slot, stream_t s) {
            make_items(packed[0], n, Packed{rows[slot], columns[slot], bits}, s);
            sort(slot, s);
            kogge::simt::launch(unpack, shape_for(n, s, "unpack"), read_only(sorted[0]), n, bits, expected_rows[slot],
                                expected_columns[slot]);
        };
        contest.spoil = [=](stream_t s) {
            for (const auto& each : {out_rows, out_columns}) each.fill(kPattern, s);
            with.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_same_bits<int>(out_rows[slot], expected_rows[slot], n, s) &&
                   is_same_bits<int>(out_columns[slot], expected_columns[slot], n, s) &&
                   is_same_bits(with[slot], expected_with[slot], n, s);
        };
        return contest;
    };
    return {bytes_of(n, 2 * (2 * sizeof(int) + sizeof(float))), prepare};
}

// ---- runs ----------------------------------------------------------------------------------------------

Task maximum_from_the_end(std::uint64_t n, std::uint64_t mean) {
    using Item = std::uint32_t;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<Item> keys(n, slots), in(n, slots), items(n, slots), cub_items(n, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(keys[slot], n, RunNumbers<Item>{RunStarts{kSeed(slot), mean}}, stream);
            make_items(in[slot], n, Key<Item>{Distribution::uniform, kSeed(slot), n}, stream);
            kogge::simt::copy(items[slot], in[slot], n * sizeof(Item), stream);
            kogge::simt::copy(cub_items[slot], in[slot], n * sizeof(Item), stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        // A maximum of maxima is the same again, so that calls in place can be repeated.
        contest.ours = [=](int slot, stream_t s) {
            kogge::reverse_inclusive_scan_by_key(read_only(keys[slot]), read_only(items[slot]), items[slot], n,
                                                 kogge::maximum{}, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const auto from_end = [n](Item* array) { return thrust::make_reverse_iterator(array + n); };
            return cub::DeviceScan::InclusiveScanByKey(
                temporary, bytes, from_end(keys[slot]), from_end(cub_items[slot]), from_end(cub_items[slot]),
                cuda::maximum<Item>{}, static_cast<std::uint32_t>(n), cuda::std::equal_to<Item>{}, s);
        });
        contest.spoil = [=](stream_t s) {
            for (int slot = 0; slot < slots; ++slot) kogge::simt::copy(items[slot], in[slot], n * sizeof(Item), s);
        };
        contest.is_right = [=](int slot, stream_t s) { return is_same_bits<Item>(items[slot], cub_items[slot], n, s); };
        return contest;
    };
    return {bytes_of(n, 3 * sizeof(Item)), prepare};
}

Task begins_of_runs(std::uint64_t n, std::uint64_t mean) {
    using Item = std::uint32_t;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<Item> keys(n, slots), begins(n, slots), expected(n, slots);
        const Slots<std::uint64_t> number(1, slots), cub_number(1, slots);
        for (int slot = 0; slot < slots; ++slot)
            make_items(keys[slot], n, RunNumbers<Item>{RunStarts{kSeed(slot), mean}}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::unique_by_key(read_only(keys[slot]), kogge::positions{}, kogge::discard{}, begins[slot],
                                 number[slot], n, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceSelect::UniqueByKey(temporary, bytes, read_only(keys[slot]),
                                                  thrust::counting_iterator<Item>(0), thrust::make_discard_iterator(),
                                                  expected[slot], cub_number[slot], static_cast<int>(n), s);
        });
        contest.spoil = [=](stream_t s) {
            begins.fill(kPattern, s);
            number.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t runs = read_number(number[slot], s);
            return runs <= n && runs == read_number(cub_number[slot], s) &&
                   is_same_bits<Item>(begins[slot], expected[slot], runs, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(Item)) + bytes_of((n + mean - 1) / mean, sizeof(Item)), prepare};
}

struct UpperHalf {
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t item) const {
        return static_cast<std::uint32_t>(item >> 32);
    }
};
struct UpperHalves {
    const std::uint64_t* items;
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return UpperHalf{}(items[i]); }
};
struct RunsInUpperHalf {
    RunNumbers<std::uint32_t> runs;
    std::uint64_t seed;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t i) const {
        return std::uint64_t{runs(i)} << 32 | random_bits(seed, i) >> 32;
    }
};

Task lengths_of_upper_halves(std::uint64_t n, std::uint64_t mean) {
    using Item = std::uint32_t;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<std::uint64_t> in(n, slots), number(1, slots), cub_number(1, slots);
        const Slots<Item> out(n, slots), lengths(n, slots), expected(n, slots), expected_lengths(n, slots);
        for (int slot = 0; slot < slots; ++slot)
            make_items(in[slot], n, RunsInUpperHalf{{RunStarts{kSeed(slot), mean}}, kSeed(slot) + 1}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::run_length_encode(UpperHalves{in[slot]}, out[slot], lengths[slot], number[slot], n,
                                     with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceRunLengthEncode::Encode(
                temporary, bytes, thrust::make_transform_iterator(read_only(in[slot]), UpperHalf{}), expected[slot],
                expected_lengths[slot], cub_number[slot], static_cast<int>(n), s);
        });
        contest.spoil = [=](stream_t s) {
            for (const auto& each : {out, lengths}) each.fill(kPattern, s);
            number.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t runs = read_number(number[slot], s);
            return runs <= n && runs == read_number(cub_number[slot], s) &&
                   is_same_bits<Item>(out[slot], expected[slot], runs, s) &&
                   is_same_bits<Item>(lengths[slot], expected_lengths[slot], runs, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(std::uint64_t)) + bytes_of((n + mean - 1) / mean, 2 * sizeof(Item)), prepare};
}

// ---- strides, flags ------------------------------------------------------------------------------------

constexpr std::uint64_t kStride = 3;
template <class T>
struct Strided {
    T* items;
    KOGGE_HOST_DEVICE T& operator[](std::uint64_t i) const { return items[kStride * i]; }
    KOGGE_HOST_DEVICE T& operator()(std::uint64_t i) const { return items[kStride * i]; }
};

Task scan_with_strides(std::uint64_t n) {
    const auto prepare = [=](int slots, stream_t stream) {
        const std::uint64_t room = kStride * n;
        const Slots<float> in(room, slots), out(room, slots), expected(room, slots);
        for (int slot = 0; slot < slots; ++slot) make_items(in[slot], room, Summand<float>{kSeed(slot)}, stream);
        expected.fill(kPattern, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::inclusive_scan(Strided<const float>{in[slot]}, Strided<float>{out[slot]}, n,
                                  with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const thrust::counting_iterator<std::uint64_t> places(0);
            return cub::DeviceScan::InclusiveSum(
                temporary, bytes, thrust::make_transform_iterator(places, Strided<const float>{in[slot]}),
                thrust::make_transform_iterator(places, Strided<float>{expected[slot]}), static_cast<int>(n), s);
        });
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) { return is_same_bits(out[slot], expected[slot], room, s); };
        return contest;
    };
    // Memory moves by sectors of 32 bytes, so that all of both arrays does; the sectors of the output are read as well.
    return {bytes_of(kStride * n, 3 * sizeof(float)), prepare};
}

Task partition_by_flags(std::uint64_t n, const Selectivity& selectivity) {
    using Item = std::uint32_t;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<Item> in(n, slots), out(n, slots), expected(n, slots);
        const Slots<std::uint8_t> flags(n, slots);
        const Slots<std::uint64_t> number(1, slots), cub_number(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(in[slot], n, Place<Item>{}, stream);
            make_items(flags[slot], n, Kept{kSeed(slot), selectivity}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::partition_flags(read_only(in[slot]), read_only(flags[slot]), out[slot], number[slot], n,
                                   with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DevicePartition::Flagged(temporary, bytes, read_only(in[slot]), read_only(flags[slot]),
                                                 expected[slot], cub_number[slot], static_cast<int>(n), s);
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            number.fill(kPattern, s);
        };
        // CUB leaves the rejected side reversed.
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t kept = read_number(number[slot], s);
            const Item *const left = out[slot], *const right = expected[slot];
            return kept <= n && kept == read_number(cub_number[slot], s) && is_equal(left, right, kept, s) &&
                   is_equal(left + kept, Reversed<Item>{right + kept, n - kept}, n - kept, s);
        };
        return contest;
    };
    return {bytes_of(n, 2 * sizeof(Item) + 1), prepare};
}

// ---- all rows ------------------------------------------------------------------------------------------

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    const auto [primitive, type, name] = row;
    const auto number = [&](std::string_view prefix, double most) -> std::uint64_t {
        const std::optional<double> found = number_after(prefix, name);
        return found && *found >= 1 && *found <= most ? static_cast<std::uint64_t>(*found) : 0;
    };
    const auto most = static_cast<double>(n);
    if (n > 0x7fffffff) return {};
    if (const std::uint64_t length = number("rows_", most); length > 0) {
        if (primitive == "segmented_argsort" && type == "f32+i32") return argsort_of_rows(n, length);
        if (primitive == "segmented_sort_pairs" && type == "f32+i32" && length + 24 <= n)
            return rows_with_gaps(n, length);
    }
    if (const std::uint64_t limit = number("coordinates_below_", 0x1p31); limit > 1)
        if (primitive == "radix_sort_pairs" && type == "i32,i32+f32") return sort_coordinates(n, limit);
    if (const std::optional<std::uint64_t> mean = mean_of_runs(name)) {
        if (primitive == "reverse_inclusive_scan_by_key" && type == "u32+u32") return maximum_from_the_end(n, *mean);
        if (primitive == "unique_by_key" && type == "u32") return begins_of_runs(n, *mean);
        if (primitive == "run_length_encode" && type == "u64") return lengths_of_upper_halves(n, *mean);
    }
    if (primitive == "inclusive_scan" && type == "f32" && name == "stride_3") return scan_with_strides(n);
    if (primitive == "partition_flags" && type == "u32")
        if (const std::optional<Selectivity> selectivity = selectivity_named(name))
            return partition_by_flags(n, *selectivity);
    return {};
}

std::string file_of_calls(const Row&) { return "calls"; }

const Sizes kSizes = {1u << 14, 1u << 18, 1u << 22, 1u << 26};
const std::vector<RowSet> kRows = {
    {"segmented_argsort", {"f32+i32"}, {"rows_256", "rows_32000"}, kSizes, {1u << 22}},
    {"segmented_argsort", {"f32+i32"}, {"rows_128256"}, {128'256, 4'104'192}},
    {"segmented_sort_pairs", {"f32+i32"}, {"rows_1000"}, kSizes, {1u << 22}},
    {"radix_sort_pairs", {"i32,i32+f32"}, {"coordinates_below_1000000"}, kSizes, {1u << 22}},
    {"reverse_inclusive_scan_by_key", {"u32+u32"}, {"runs_8", "runs_1000"}, kSizes, {1u << 22}},
    {"unique_by_key", {"u32"}, {"runs_8", "runs_1000"}, kSizes, {1u << 22}},
    {"run_length_encode", {"u64"}, {"runs_8"}, kSizes, {1u << 22}},
    {"inclusive_scan", {"f32"}, {"stride_3"}, kSizes, {1u << 22}},
    {"partition_flags", {"u32"}, {"kept_50"}, kSizes, {1u << 22}},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find, file_of_calls); }
