// kogge-bench: GPU
//
// Scans against CUB's. The least that a scan must move: each item read once and written once; by key, the keys read
// too; of segments, the offsets too. Counts go to CUB with 32 bits, which 2^31 fits: it numbers items with as many.
//
// CUB accumulates in the type of its operator's results, which of two bytes is int: sums go to it with an operator that
// keeps the items' type, as ours do; and the largest and the smallest with its own operators, which it is tuned for.
//
// inclusive_scan u8_to_u64: of items of one type, accumulated and left in another.
//
// scan_by_key: runs of equal keys of 1 to 15 items (runs_8) or 1 to 1999 (runs_1000), so many runs (segments_10), or
// one of half the items and then runs_8 (skewed); values and keys of one type.
//
// segmented_scan: the same runs given by offsets. Before CUB had such a scan, its side scans by key with the segments'
// numbers as ready-made keys; since then that or its segmented scan, whichever is faster.
//
// block_scan: what a network costs in itself. Blocks of 256 threads load one item a thread (coarsened: 16 items), scan
// it 16 times over, each time the results of the last, and store it; CUB's side is cub::BlockScan with the same loads
// and rounds.
//
// grid_scan: the ways to cross blocks, for the same scan; on_chip_generic as it is on devices without bulk copies.
#include "kogge/scan.hpp"

#include <thrust/iterator/reverse_iterator.h>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <cuda/std/functional>
#if __has_include(<cub/device/device_segmented_scan.cuh>)
#include <cub/device/device_segmented_scan.cuh>
#define KOGGE_BENCH_SEGMENTED_SCAN 1
#endif

#include "kogge/block/coarsened.cuh"
#include "kogge/block/networks.cuh"
#include "kogge/reverse_scan.hpp"
#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

struct Matrix {
    std::uint32_t a, b, c, d;
    KOGGE_HOST_DEVICE friend bool operator==(const Matrix& x, const Matrix& y) {
        return x.a == y.a && x.b == y.b && x.c == y.c && x.d == y.d;
    }
};
struct Multiply {
    KOGGE_HOST_DEVICE Matrix operator()(const Matrix& x, const Matrix& y) const {
        return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
    }
};
struct RandomMatrix {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE Matrix operator()(std::uint64_t i) const {
        const std::uint64_t left = random_bits(seed, 2 * i), right = random_bits(seed, 2 * i + 1);
        return {static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(left >> 32),
                static_cast<std::uint32_t>(right), static_cast<std::uint32_t>(right >> 32)};
    }
};

struct Candidate {
    double value;
    std::uint64_t place;
    KOGGE_HOST_DEVICE friend bool operator==(const Candidate& x, const Candidate& y) {
        return x.value == y.value && x.place == y.place;
    }
};
struct FirstMaximum {
    KOGGE_HOST_DEVICE Candidate operator()(const Candidate& x, const Candidate& y) const {
        return x.value < y.value ? y : x;
    }
};
/// Values that climb, so that the maximum moves on through the whole array.
struct Climbing {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE Candidate operator()(std::uint64_t i) const {
        return {static_cast<double>(i + (random_bits(seed, i) >> 54)), i};
    }
};

// ---- whole arrays --------------------------------------------------------------------------------------

template <class T, class Make = Summand<T>, class Out = T, class Ours, class Cub>
Task scan_task(std::uint64_t n, const Ours& ours, const Cub& cub) {
    const auto make = [](std::uint64_t seed) { return Make{seed}; };
    return {bytes_of(n, sizeof(T) + sizeof(Out)), array_contest<T, Out>(n, make, ours, cub)};
}

template <class T>
Task inclusive_sum(std::uint64_t n, const kogge::scan_options& options = {}) {
    return scan_task<T>(
        n,
        [=](const T* in, T* out, const exec& how) { kogge::inclusive_scan(in, out, n, kogge::plus{}, options, how); },
        [=](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
            return cub::DeviceScan::InclusiveScan(temporary, bytes, in, out, cuda::std::plus<T>{},
                                                  static_cast<std::uint32_t>(n), stream);
        });
}

template <class T, class Op, class Make = Summand<T>, class CubOp = Op>
Task inclusive(std::uint64_t n) {
    return scan_task<T, Make>(
        n, [=](const T* in, T* out, const exec& how) { kogge::inclusive_scan(in, out, n, Op{}, how); },
        [=](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
            return cub::DeviceScan::InclusiveScan(temporary, bytes, in, out, CubOp{}, static_cast<std::uint32_t>(n),
                                                  stream);
        });
}

template <class T>
Task exclusive_sum(std::uint64_t n) {
    return scan_task<T>(
        n, [=](const T* in, T* out, const exec& how) { kogge::exclusive_scan(in, out, n, T{}, kogge::plus{}, how); },
        [=](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
            return cub::DeviceScan::ExclusiveScan(temporary, bytes, in, out, cuda::std::plus<T>{}, T{},
                                                  static_cast<std::uint32_t>(n), stream);
        });
}

template <class T, class Sum>
Task sum_in(std::uint64_t n) {
    return scan_task<T, Summand<T>, Sum>(
        n,
        [=](const T* in, Sum* out, const exec& how) {
            kogge::inclusive_scan(in, out, n, kogge::plus{}, Sum{}, {}, how);
        },
        [=](void* temporary, std::size_t& bytes, const T* in, Sum* out, stream_t stream) {
            return cub::DeviceScan::InclusiveScanInit(temporary, bytes, in, out, cuda::std::plus<Sum>{}, Sum{},
                                                      static_cast<std::uint32_t>(n), stream);
        });
}

template <class T>
Task sum_from_end(std::uint64_t n) {
    return scan_task<T>(
        n,
        [=](const T* in, T* out, const exec& how) {
            kogge::reverse_inclusive_scan(in, out, n, kogge::plus{}, {}, how);
        },
        [=](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
            return cub::DeviceScan::InclusiveScan(temporary, bytes, thrust::make_reverse_iterator(in + n),
                                                  thrust::make_reverse_iterator(out + n), cuda::std::plus<T>{},
                                                  static_cast<std::uint32_t>(n), stream);
        });
}

// ---- runs of keys, and segments ------------------------------------------------------------------------

Task scan_segments(std::uint64_t n, const SegmentCase& segments, bool by_offsets) {
    using T = std::uint32_t;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), in(n, slots), out(n, slots), expected(n, slots);
        const Slots<std::uint64_t> offsets(segments.count + 1, slots);  // and n behind them
        for (int slot = 0; slot < slots; ++slot) {
            const auto seed = static_cast<std::uint64_t>(slot);
            make_items(keys[slot], n, SegmentNumbers<T>{segments.offsets(seed, n)}, stream);
            make_items(in[slot], n, Summand<T>{seed}, stream);
            make_items(offsets[slot], segments.count, segments.offsets(seed, n), stream);
            kogge::simt::copy(offsets[slot] + segments.count, &n, sizeof n, stream);
        }
        kogge::simt::synchronize(stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T* items = in[slot];
            if (by_offsets)
                kogge::inclusive_segmented_scan(items, out[slot], n, static_cast<const std::uint64_t*>(offsets[slot]),
                                                segments.count, kogge::plus{}, with_scratch(scratch, s));
            else
                kogge::inclusive_scan_by_key(static_cast<const T*>(keys[slot]), items, out[slot], n, kogge::plus{},
                                             kogge::equal_to{}, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, static_cast<const T*>(keys[slot]),
                                                      static_cast<const T*>(in[slot]), expected[slot],
                                                      static_cast<std::uint32_t>(n), kogge::equal_to{}, s);
        });
#if KOGGE_BENCH_SEGMENTED_SCAN
        const auto by_segments = [=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const std::uint64_t* const starts = offsets[slot];
            return cub::DeviceSegmentedScan::InclusiveSegmentedSum(temporary, bytes, static_cast<const T*>(in[slot]),
                                                                   expected[slot], starts, starts + 1,
                                                                   static_cast<std::int64_t>(segments.count), s);
        };
        if (by_offsets) contest.cub = faster_of(contest.cub, with_temporary(by_segments), stream);
#endif
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), n, s);
        };
        return contest;
    };
    const double of_bounds = by_offsets ? bytes_of(segments.count, sizeof(std::uint64_t)) : bytes_of(n, sizeof(T));
    return {bytes_of(n, 2 * sizeof(T)) + of_bounds, prepare};
}

// ---- strategies of a grid ------------------------------------------------------------------------------

/// As a device without bulk copies takes it.
Task scan_generic(std::uint64_t n) {
    using T = std::uint32_t;
    using Problem = kogge::grid::ScanProblem<const T*, T, T, kogge::plus>;
    return scan_task<T>(
        n,
        [=](const T* in, T* out, const exec& how) {
            kogge::device_properties device = kogge::simt::current_properties();
            device.compute_major = 8;
            const Problem problem{in, out, {n, nullptr}, {}, {}, true};
            kogge::grid::launch_scan("inclusive_scan", problem, kogge::grid::DefaultNetwork{},
                                     kogge::plan_scan(n, Problem::kShape, {.grid = kogge::on_chip}, device), how);
        },
        [=](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
            return cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, static_cast<std::uint32_t>(n), stream);
        });
}

/// on_chip, two_level_blelloch
std::optional<Task> find_strategy(const std::string& name, std::uint64_t n) {
    if (name == "on_chip_generic") return scan_generic(n);
    for (const kogge::grid_strategy grid : {kogge::one_wave, kogge::on_chip, kogge::two_level, kogge::recursive})
        for (const kogge::network block : kogge::kAllNetworks) {
            const std::string over = block == kogge::shuffle ? "" : std::string("_") + to_string(block);
            if (name == kogge::to_string(grid) + over)
                return inclusive_sum<std::uint32_t>(n, {.grid = grid, .block = block});
        }
    return {};
}

// ---- networks of a block -------------------------------------------------------------------------------

constexpr int kBlock = 256, kRounds = 16, kSegment = 16;

template <int items>
struct alignas(items % 4 == 0 ? 16 : 4) Segment {
    std::uint32_t item[items];
};

template <kogge::network which>
KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(kBlock, 1) void scan_by_network_kernel(const std::uint32_t* in, std::uint32_t* out) {
    kogge::simt::wait_for_stream();
    using Network = kogge::block::BlockScan<which, kBlock>;
    auto& storage = kogge::simt::shared_memory<typename Network::template Storage<std::uint32_t>>();
    std::uint32_t item = in[first_place()];
    for (int round = 0; round < kRounds; ++round) {
        item = kogge::block::inclusive<Network>(item, kBlock, kogge::plus{}, storage);
        kogge::simt::sync_block();  // the storage is used again
    }
    out[first_place()] = item;
}

KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(kBlock, 1) void scan_coarsened_kernel(const std::uint32_t* in, std::uint32_t* out) {
    kogge::simt::wait_for_stream();
    using Network = kogge::block::BlockScan<kogge::network::shuffle, kBlock>;
    auto& storage = kogge::simt::shared_memory<typename Network::template Storage<std::uint32_t>>();
    Segment<kSegment> segment = reinterpret_cast<const Segment<kSegment>*>(in)[first_place()];
    for (int round = 0; round < kRounds; ++round) {
        kogge::block::coarsened_scan<kSegment, Network>(segment.item, kBlock * kSegment, kogge::plus{}, storage);
        kogge::simt::sync_block();  // the storage is used again
    }
    reinterpret_cast<Segment<kSegment>*>(out)[first_place()] = segment;
}

template <int items>
KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(kBlock, 1) void scan_by_cub_kernel(const std::uint32_t* in, std::uint32_t* out) {
    kogge::simt::wait_for_stream();
    using Scan = cub::BlockScan<std::uint32_t, kBlock, cub::BLOCK_SCAN_WARP_SCANS>;
    auto& storage = kogge::simt::shared_memory<typename Scan::TempStorage>();
    Segment<items> segment = reinterpret_cast<const Segment<items>*>(in)[first_place()];
    for (int round = 0; round < kRounds; ++round) {
        Scan(storage).InclusiveSum(segment.item, segment.item);
        kogge::simt::sync_block();  // the storage is used again
    }
    reinterpret_cast<Segment<items>*>(out)[first_place()] = segment;
}

using BlockKernel = void (*)(const std::uint32_t*, std::uint32_t*);

/// Nothing when n is no whole number of blocks.
std::optional<Task> scan_blocks(std::uint64_t n, BlockKernel ours, BlockKernel cub, int items) {
    using T = std::uint32_t;
    constexpr std::size_t shared = 16 * 1024;  // more than any of the networks takes
    const auto block_items = static_cast<std::uint64_t>(kBlock * items);
    if (n % block_items != 0) return {};
    const auto blocks = static_cast<std::uint32_t>(n / block_items);
    return scan_task<T>(
        n,
        [=](const T* in, T* out, const exec& how) {
            kogge::simt::launch(ours, {blocks, kBlock, shared, how.stream, "scan_by_network_kernel"}, in, out);
        },
        [=](void* temporary, std::size_t&, const T* in, T* out, stream_t stream) {
            if (temporary) kogge::simt::launch(cub, {blocks, kBlock, shared, stream, "scan_by_cub_kernel"}, in, out);
            return cudaSuccess;
        });
}

template <kogge::network which>
std::optional<Task> scan_by_network(std::uint64_t n) {
    return scan_blocks(n, scan_by_network_kernel<which>, scan_by_cub_kernel<1>, 1);
}

std::optional<Task> find_network(const std::string& name, std::uint64_t n) {
    if (name == "coarsened") return scan_blocks(n, scan_coarsened_kernel, scan_by_cub_kernel<kSegment>, kSegment);
    using enum kogge::network;
    constexpr std::pair<kogge::network, std::optional<Task> (*)(std::uint64_t)> all[] = {
        {shuffle, scan_by_network<shuffle>},
        {kogge_stone, scan_by_network<kogge_stone>},
        {kogge_stone_registers, scan_by_network<kogge_stone_registers>},
        {hillis_steele, scan_by_network<hillis_steele>},
        {brent_kung, scan_by_network<brent_kung>},
        {brent_kung_tree, scan_by_network<brent_kung_tree>},
        {blelloch, scan_by_network<blelloch>},
    };
    for (const auto& [which, task] : all)
        if (name == kogge::to_string(which)) return task(n);
    return {};
}

// ---- all rows ------------------------------------------------------------------------------------------

std::optional<Task> find_inclusive(const RowName& row, std::uint64_t n) {
    const auto sum = [&]<class T>() -> std::optional<Task> { return inclusive_sum<T>(n); };
    const auto max = [&]<class T>() -> std::optional<Task> {
        return inclusive<T, kogge::maximum, Summand<T>, cuda::maximum<T>>(n);
    };
    const auto min = [&]<class T>() -> std::optional<Task> {
        return inclusive<T, kogge::minimum, Summand<T>, cuda::minimum<T>>(n);
    };
    if (row.case_name == "sum" && row.type == "u8_to_u64") return sum_in<std::uint8_t, std::uint64_t>(n);
    if (row.case_name == "sum" && row.type == "half_to_f32") return sum_in<__half, float>(n);
    if (row.case_name == "sum")
        return for_type<std::uint8_t, std::int8_t, std::uint16_t, std::uint32_t, std::int32_t, std::uint64_t, __half,
                        float, double>(row.type, sum);
    if (row.case_name == "max") return for_type<std::uint32_t, float>(row.type, max);
    if (row.case_name == "min") return for_type<std::uint32_t, float>(row.type, min);
    if (row.case_name == "matrix" && row.type == "matrix") return inclusive<Matrix, Multiply, RandomMatrix>(n);
    if (row.case_name == "argmax" && row.type == "f64+u64") return inclusive<Candidate, FirstMaximum, Climbing>(n);
    return {};
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    if (row.primitive == "inclusive_scan") return find_inclusive(row, n);
    if (row.primitive == "exclusive_scan" && row.case_name == "sum")
        return for_type<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float, double>(
            row.type, [&]<class T>() -> std::optional<Task> { return exclusive_sum<T>(n); });
    if (row.primitive == "block_scan" && row.type == "u32") return find_network(row.case_name, n);
    if (row.primitive == "grid_scan" && row.type == "u32") return find_strategy(row.case_name, n);
    if (row.primitive == "reverse_inclusive_scan" && row.type == "u32" && row.case_name == "sum")
        return sum_from_end<std::uint32_t>(n);
    const bool by_key = row.primitive == "scan_by_key" && row.type == "u32+u32";
    const bool by_offsets = row.primitive == "segmented_scan" && row.type == "u32";
    const std::optional<SegmentCase> segments = segments_named(row.case_name, n);
    if ((by_key || by_offsets) && segments) return scan_segments(n, *segments, by_offsets);
    return {};
}

Sizes and_also(Sizes sizes, std::uint64_t last) {
    sizes.push_back(last);
    return sizes;
}

const std::vector<RowSet> kRows = {
    {"inclusive_scan", {"u8"}, {"sum"}, and_also(kAllSizes, 1u << 31), kQuickSizes},
    {"inclusive_scan", {"u32", "u64", "f32"}, {"sum"}, kAllSizes, kQuickSizes},
    {"inclusive_scan", {"u16"}, {"sum"}, and_also(kAllSizes, 1u << 31)},
    {"inclusive_scan", {"f64"}, {"sum"}, kAllSizes},
    {"inclusive_scan", {"i8"}, {"sum"}, and_also(kFewSizes, 1u << 31)},
    {"inclusive_scan", {"i32"}, {"sum"}, and_also(kFewSizes, 1u << 30)},
    {"inclusive_scan", {"half", "u8_to_u64", "half_to_f32"}, {"sum"}, kFewSizes},
    {"inclusive_scan", {"u32"}, {"max", "min"}, kFewSizes},
    {"inclusive_scan", {"matrix"}, {"matrix"}, kFewSizes},
    {"inclusive_scan", {"f64+u64"}, {"argmax"}, kFewSizes},
    {"exclusive_scan", {"u32"}, {"sum"}, kAllSizes},
    {"exclusive_scan", {"u8", "u64", "f32"}, {"sum"}, kFewSizes},
    {"reverse_inclusive_scan", {"u32"}, {"sum"}, kFewSizes},
    {"scan_by_key", {"u32+u32"}, {"runs_8", "runs_1000"}, kMoreSizes},
    {"scan_by_key", {"u32+u32"}, {"segments_10", "skewed"}, kFewSizes},
    {"scan_by_key", {"u32+u32"}, {"segments_10000000"}, {100000000}},
    {"segmented_scan", {"u32"}, {"runs_8", "runs_1000"}, kMoreSizes},
    {"segmented_scan", {"u32"}, {"segments_10", "skewed"}, kFewSizes},
    {"segmented_scan", {"u32"}, {"segments_10000000"}, {100000000}},
    {"grid_scan", {"u32"}, {"one_wave"}, {1u << 16, 1u << 20}},
    {"grid_scan", {"u32"}, {"on_chip", "on_chip_generic", "two_level", "recursive"}, kFewSizes},
    {"grid_scan",
     {"u32"},
     {"two_level_kogge_stone", "two_level_brent_kung", "two_level_blelloch", "recursive_kogge_stone",
      "recursive_brent_kung", "recursive_blelloch"},
     {1u << 24}},
    {"block_scan",
     {"u32"},
     {"shuffle", "kogge_stone", "kogge_stone_registers", "hillis_steele", "brent_kung", "brent_kung_tree", "blelloch",
      "coarsened"},
     {1u << 24}},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find); }
