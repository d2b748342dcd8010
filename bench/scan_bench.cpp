// kogge-bench: GPU
//
// Scans against CUB's. The least that a scan must move: each item read once and written once; by key, the keys read
// too.
//   scan_by_key      runs of equal keys of 1 to 15 items (runs_8) or 1 to 1999 (runs_1000); values and keys of one type
//   segmented_scan   the same runs given by offsets; CUB has no such scan, so its side scans by key with the segments'
//   numbers
//                    as ready-made keys
//   block_scan       what a network costs in itself: blocks of 256 threads load one item a thread (coarsened: 16
//   items),
//                    scan it 16 times over, each time the results of the last, and store it; CUB's side is
//                    cub::BlockScan with the same loads and rounds
//   grid_scan        the ways to cross blocks, for the same scan
#include "kogge/scan.hpp"

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "kogge/block/coarsened.cuh"
#include "kogge/block/networks.cuh"
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

template <class Make>
constexpr auto kSeeded = [](std::uint64_t seed) { return Make{seed}; };

Shape shape_of(const std::string& primitive, const std::string& type, const std::string& name, std::uint64_t n,
               std::size_t bytes) {
    return {primitive, type, name, n, static_cast<double>(n) * static_cast<double>(bytes)};
}

// ---- whole arrays --------------------------------------------------------------------------------------

template <class T>
void add_inclusive_sum(Suite& suite, const std::string& type, std::uint64_t n) {
    const auto ours = [n](const T* in, T* out, const exec& how) {
        kogge::inclusive_scan(in, out, n, kogge::plus{}, how);
    };
    const auto cub = [n](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
        return cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, static_cast<int>(n), stream);
    };
    suite.add(shape_of("inclusive_scan", type, "sum", n, 2 * sizeof(T)),
              array_contest<T>(n, kSeeded<Summand<T>>, ours, cub));
}

template <class T, class Op, class Make>
void add_inclusive(Suite& suite, const std::string& type, const std::string& name, std::uint64_t n) {
    const auto ours = [n](const T* in, T* out, const exec& how) { kogge::inclusive_scan(in, out, n, Op{}, how); };
    const auto cub = [n](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
        return cub::DeviceScan::InclusiveScan(temporary, bytes, in, out, Op{}, static_cast<int>(n), stream);
    };
    suite.add(shape_of("inclusive_scan", type, name, n, 2 * sizeof(T)), array_contest<T>(n, kSeeded<Make>, ours, cub));
}

template <class T>
void add_exclusive_sum(Suite& suite, const std::string& type, std::uint64_t n) {
    const auto ours = [n](const T* in, T* out, const exec& how) {
        kogge::exclusive_scan(in, out, n, T{}, kogge::plus{}, how);
    };
    const auto cub = [n](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
        return cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, static_cast<int>(n), stream);
    };
    suite.add(shape_of("exclusive_scan", type, "sum", n, 2 * sizeof(T)),
              array_contest<T>(n, kSeeded<Summand<T>>, ours, cub));
}

void add_grid_strategies(Suite& suite, std::uint64_t n) {
    using T = std::uint32_t;
    const auto cub = [n](void* temporary, std::size_t& bytes, const T* in, T* out, stream_t stream) {
        return cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, static_cast<int>(n), stream);
    };
    for (const kogge::grid_strategy strategy : {kogge::on_chip, kogge::two_level, kogge::recursive}) {
        const auto ours = [n, strategy](const T* in, T* out, const exec& how) {
            kogge::inclusive_scan(in, out, n, kogge::plus{}, {.grid = strategy}, how);
        };
        suite.add(shape_of("grid_scan", "u32", kogge::to_string(strategy), n, 2 * sizeof(T)),
                  array_contest<T>(n, kSeeded<Summand<T>>, ours, cub));
    }
}

// ---- runs of keys, and segments ------------------------------------------------------------------------

/// Where runs of 1 to 2·mean − 1 items begin: one in each stretch of `mean` items, at a random place.
struct RunStarts {
    std::uint64_t seed, mean;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t run) const {
        return run * mean + (run == 0 ? 0 : random_bits(seed, run) % mean);
    }
};
/// The same as offsets: the last run may begin past the end, and is empty then.
struct RunOffsets {
    RunStarts starts;
    std::uint64_t n;
    KOGGE_HOST_DEVICE std::uint64_t operator()(std::uint64_t run) const { return starts(run) < n ? starts(run) : n; }
};
/// The number of the run that an item belongs to.
struct RunNumbers {
    RunStarts starts;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const {
        const std::uint64_t stretch = i / starts.mean;
        return static_cast<std::uint32_t>(i < starts(stretch) ? stretch - 1 : stretch);
    }
};

void add_runs(Suite& suite, std::uint64_t n, std::uint64_t mean, bool by_offsets) {
    using T = std::uint32_t;
    const std::uint64_t runs = (n + mean - 1) / mean;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> keys(n, slots), in(n, slots), out(n, slots), expected(n, slots);
        const Slots<std::uint64_t> offsets(runs, slots);
        for (int slot = 0; slot < slots; ++slot) {
            const RunStarts starts{static_cast<std::uint64_t>(slot), mean};
            make_items(keys[slot], n, RunNumbers{starts}, stream);
            make_items(in[slot], n, Summand<T>{starts.seed}, stream);
            make_items(offsets[slot], runs, RunOffsets{starts, n}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T* items = in[slot];
            if (by_offsets)
                kogge::inclusive_segmented_scan(items, out[slot], n, static_cast<const std::uint64_t*>(offsets[slot]),
                                                runs, kogge::plus{}, with_scratch(scratch, s));
            else
                kogge::inclusive_scan_by_key(static_cast<const T*>(keys[slot]), items, out[slot], n, kogge::plus{},
                                             kogge::equal_to{}, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceScan::InclusiveSumByKey(temporary, bytes, static_cast<const T*>(keys[slot]),
                                                      static_cast<const T*>(in[slot]), expected[slot],
                                                      static_cast<int>(n), kogge::equal_to{}, s);
        });
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), n, s);
        };
        return contest;
    };
    const std::string name = "runs_" + std::to_string(mean);
    const auto bytes_by_offsets = static_cast<double>(n * 2 * sizeof(T) + runs * sizeof(std::uint64_t));
    if (by_offsets) suite.add({"segmented_scan", "u32", name, n, bytes_by_offsets}, prepare);
    else suite.add(shape_of("scan_by_key", "u32+u32", name, n, 3 * sizeof(T)), prepare);
}

// ---- networks of a block -------------------------------------------------------------------------------

constexpr int kBlock = 256, kRounds = 16, kSegment = 16;

template <int items>
struct alignas(items % 4 == 0 ? 16 : 4) Segment {
    std::uint32_t item[items];
};

template <kogge::network which>
KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(kBlock, 1) void scan_by_network_kernel(const std::uint32_t* in, std::uint32_t* out) {
    using Network = kogge::block::BlockScan<which, kBlock>;
    auto& storage = kogge::simt::shared_memory<typename Network::template Storage<std::uint32_t>>();
    std::uint32_t item = in[first_place()];
    for (int round = 0; round < kRounds; ++round) {
        item = Network::scan(item, kBlock, kogge::plus{}, storage).inclusive;
        kogge::simt::sync_block();  // the storage is used again
    }
    out[first_place()] = item;
}

KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(kBlock, 1) void scan_coarsened_kernel(const std::uint32_t* in, std::uint32_t* out) {
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

void add_network(Suite& suite, const std::string& name, std::uint64_t n, BlockKernel ours, BlockKernel cub, int items) {
    using T = std::uint32_t;
    // More than any of the networks takes.
    constexpr std::size_t shared = 16 * 1024;
    const auto blocks = static_cast<std::uint32_t>(n / static_cast<std::uint64_t>(kBlock * items));
    const auto run_ours = [=](const T* in, T* out, const exec& how) {
        kogge::simt::launch(ours, {blocks, kBlock, shared, how.stream, "scan_by_network_kernel"}, in, out);
    };
    const auto run_cub = [=](void* temporary, std::size_t&, const T* in, T* out, stream_t stream) {
        if (temporary) kogge::simt::launch(cub, {blocks, kBlock, shared, stream, "scan_by_cub_kernel"}, in, out);
        return cudaSuccess;
    };
    suite.add(shape_of("block_scan", "u32", name, n, 2 * sizeof(T)),
              array_contest<T>(n, kSeeded<Summand<T>>, run_ours, run_cub));
}

template <kogge::network... which>
void add_networks(Suite& suite, std::uint64_t n) {
    (add_network(suite, kogge::to_string(which), n, scan_by_network_kernel<which>, scan_by_cub_kernel<1>, 1), ...);
    add_network(suite, "coarsened", n, scan_coarsened_kernel, scan_by_cub_kernel<kSegment>, kSegment);
}

// ---- all rows ------------------------------------------------------------------------------------------

void add_rows(Suite& suite) {
    for (const std::uint64_t n : suite.sizes()) {
        add_inclusive_sum<std::uint8_t>(suite, "u8", n);
        add_inclusive_sum<std::uint32_t>(suite, "u32", n);
        add_inclusive_sum<std::uint64_t>(suite, "u64", n);
        add_inclusive_sum<float>(suite, "f32", n);
        if (suite.quick()) continue;
        add_inclusive_sum<std::uint16_t>(suite, "u16", n);
        add_inclusive_sum<double>(suite, "f64", n);
    }
    for (const std::uint64_t n : suite.few_sizes()) {
        add_inclusive<std::uint32_t, kogge::maximum, Summand<std::uint32_t>>(suite, "u32", "max", n);
        add_inclusive<Matrix, Multiply, RandomMatrix>(suite, "matrix", "matrix", n);
        add_exclusive_sum<std::uint32_t>(suite, "u32", n);
        add_exclusive_sum<std::uint64_t>(suite, "u64", n);
        for (const std::uint64_t mean : {8, 1000}) {
            add_runs(suite, n, mean, false);
            add_runs(suite, n, mean, true);
        }
        add_grid_strategies(suite, n);
    }
    using enum kogge::network;
    if (suite.is_whole())
        add_networks<shuffle, kogge_stone, kogge_stone_registers, hillis_steele, brent_kung, brent_kung_tree, blelloch>(
            suite, 1u << 24);
}

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, add_rows); }
