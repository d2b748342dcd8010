// kogge-bench: GPU
//
// Whole pipelines of clients, n items each: our calls, and CUB's between the clients' own kernels. Both sides leave the
// same arrays, and take scratch that is allocated.
//   splat_frame     a frame of gaussian splatting: n splats make a key (tile over depth) for each tile that they touch;
//                   keys are sorted by as many bits as they have; the range of each tile. In eager mode CUB's side
//                   waits for the number of keys, as clients do; in a graph it cannot, and sorts as many keys as there
//                   is room for, 5/4 of them. Ours reads the number on the device in both.
//   moe_permute     a layer of a mixture of experts: n rows, each of an expert, by expert (experts_128); where each
//                   expert's rows begin, and where each row went. CUB's side sorts and searches, as clients do.
//   group_sums      GROUP BY: n keys and values, sums of groups that are 100,000 ids of 32 bits from anywhere
//   unique_inverse  the different items in order, how often each occurs, and each item's place among them: what
//                   torch.unique returns; of Zipf's ids
//
// The least that must move is reckoned of the pipeline's inputs and outputs alone, as if one kernel did all.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>

#include <bit>

#include "clients/ids.hpp"
#include "kogge/calls/reduce.hpp"
#include "kogge/calls/reduce_by_key.hpp"
#include "kogge/partition.hpp"
#include "kogge/radix_sort.hpp"
#include "kogge/runs.hpp"
#include "kogge/scan.hpp"
#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::stream_t;

/// The clients' kernels have a thread for each item.
KOGGE_DEVICE std::uint32_t own_item() { return static_cast<std::uint32_t>(first_place()); }
kogge::simt::LaunchShape a_thread_each(std::uint64_t n, stream_t stream, const char* name) {
    return {static_cast<std::uint32_t>((n + kThreads - 1) / kThreads), kThreads, 0, stream, name};
}

// ---- splat_frame ---------------------------------------------------------------------------------------

/// A rectangle of tiles, and how far away its splat is.
struct Splat {
    std::uint16_t left, top, right, bottom;
    float depth;
    KOGGE_HOST_DEVICE std::uint32_t tiles() const {
        return static_cast<std::uint32_t>((right - left) * (bottom - top));
    }
};
constexpr std::uint32_t kColumns = 120, kRowsOfTiles = 68, kTiles = kColumns * kRowsOfTiles;  // 1920 x 1080
constexpr int kKeyBits = 32 + std::bit_width(kTiles - 1);

/// Splats crowd about 64 places; a quarter of them is behind the camera. Radii in tiles.
struct Scene {
    std::uint64_t seed;
    KOGGE_HOST_DEVICE static std::uint16_t clamped(double x, double most) {
        return static_cast<std::uint16_t>(x < 0 ? 0 : x > most ? most : x);
    }
    KOGGE_HOST_DEVICE Splat operator()(std::uint64_t i) const {
        using namespace clients;
        constexpr std::uint64_t of_places = 817;
        const std::uint64_t place = random_bits(seed, i) % 64;
        const double spread = 1.25 + 19 * uniform(of_places + 2, place);
        const double x = kColumns * uniform(of_places, place) + spread * normal(seed + 1, i);
        const double y = kRowsOfTiles * uniform(of_places + 1, place) + spread * normal(seed + 2, i);
        const auto depth = static_cast<float>(0.4 * std::exp(4.5 * uniform(seed + 3, i)));
        if (random_bits(seed + 4, i) % 4 == 0) return {0, 0, 0, 0, depth};
        const double radius = log_normal(seed + 5, i, 0.6, 0.9);
        return {clamped(std::floor(x - radius), kColumns), clamped(std::floor(y - radius), kRowsOfTiles),
                clamped(std::ceil(x + radius), kColumns), clamped(std::ceil(y + radius), kRowsOfTiles), depth};
    }
};
struct TilesTouched {
    const Splat* splats;
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint64_t i) const { return splats[i].tiles(); }
};
struct TilesOf {
    KOGGE_HOST_DEVICE std::uint64_t operator()(const Splat& splat) const { return splat.tiles(); }
};
KOGGE_HOST_DEVICE std::uint64_t key_of(const Splat& splat, std::uint32_t column, std::uint32_t row) {
    return std::uint64_t{row * kColumns + column} << 32 | std::bit_cast<std::uint32_t>(splat.depth);
}
struct KeyAndSplat {
    const Splat* splats;
    KOGGE_HOST_DEVICE std::pair<std::uint64_t, std::uint32_t> operator()(std::uint64_t i, std::uint64_t k) const {
        const Splat splat = splats[i];
        const auto at = static_cast<std::uint32_t>(k), width = static_cast<std::uint32_t>(splat.right - splat.left);
        return {key_of(splat, splat.left + at % width, splat.top + at / width), static_cast<std::uint32_t>(i)};
    }
};
struct Range {
    std::uint32_t begin, end;
    KOGGE_HOST_DEVICE friend bool operator==(const Range&, const Range&) = default;
};

KOGGE_KERNEL void count_tiles(const Splat* splats, std::uint32_t n, std::uint32_t* touched) {
    kogge::simt::wait_for_stream();
    const std::uint32_t i = own_item();
    if (i < n) touched[i] = splats[i].tiles();
}
KOGGE_KERNEL void duplicate(const Splat* splats, std::uint32_t n, const std::uint32_t* ends, std::uint64_t* keys,
                            std::uint32_t* values) {
    kogge::simt::wait_for_stream();
    const std::uint32_t i = own_item();
    if (i >= n) return;
    std::uint32_t at = i == 0 ? 0 : ends[i - 1];
    const Splat splat = splats[i];
    for (std::uint32_t row = splat.top; row < splat.bottom; ++row)
        for (std::uint32_t column = splat.left; column < splat.right; ++column) {
            keys[at] = key_of(splat, column, row);
            values[at++] = i;
        }
}
template <class Number>
KOGGE_KERNEL void find_ranges(const std::uint64_t* keys, const Number* number, Range* ranges) {
    kogge::simt::wait_for_stream();
    const std::uint32_t i = own_item();
    const auto n = static_cast<std::uint32_t>(*number);
    if (i >= n) return;
    const auto tile = static_cast<std::uint32_t>(keys[i] >> 32);
    const std::uint32_t before = i == 0 ? ~0u : static_cast<std::uint32_t>(keys[i - 1] >> 32);
    if (tile != before) {
        ranges[tile].begin = i;
        if (i > 0) ranges[before].end = i;
    }
    if (i + 1 == n) ranges[tile].end = n;
}
KOGGE_KERNEL void pad(std::uint64_t* keys, const std::uint32_t* number, std::uint32_t room) {
    kogge::simt::wait_for_stream();
    const std::uint32_t i = *number + own_item();
    if (i < room) keys[i] = ~std::uint64_t{0};
}

struct Frame {
    Slots<std::uint64_t> keys, sorted;
    Slots<std::uint32_t> values, sorted_values;
    Slots<Range> ranges;
    Frame(std::uint64_t room, int slots)
        : keys(room, 1), sorted(room, 1), values(room, 1), sorted_values(room, slots), ranges(kTiles, slots) {}
    template <class Number>
    void find(int slot, const Number* number, std::uint64_t room, stream_t stream) const {
        kogge::simt::fill(ranges[slot], 0, kTiles * sizeof(Range), stream);
        const std::uint64_t* const keys_of_tiles = sorted[0];
        kogge::simt::launch(find_ranges<Number>, a_thread_each(room, stream, "find_ranges"), keys_of_tiles, number,
                            ranges[slot]);
    }
};

/// CUB's side of a frame, as far as it is the same in both modes.
struct CubFrame : Frame {
    std::uint32_t n;
    Slots<std::uint32_t> touched, ends;
    Call scan;
    Slots<unsigned char> memory;  ///< for sorts of any number of keys, up to all that there is room for

    CubFrame(std::uint32_t splats, std::uint64_t room, int slots)
        : Frame(room, slots), n(splats), touched(n, 1), ends(n, 1) {
        scan = with_temporary([in = touched[0], out = ends[0], items = static_cast<int>(n)](
                                  void* temporary, std::size_t& bytes, int, stream_t stream) {
            return cub::DeviceScan::InclusiveSum(temporary, bytes, in, out, items, stream);
        });
        std::size_t bytes = 0;
        check_cuda(sort(nullptr, bytes, 0, room, nullptr), "CUB's size query");
        memory = Slots<unsigned char>(bytes, 1);
    }
    cudaError_t sort(void* temporary, std::size_t& bytes, int slot, std::uint64_t items, stream_t stream) const {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys[0], sorted[0], values[0], sorted_values[slot],
                                               static_cast<int>(items), 0, kKeyBits, stream);
    }
    const std::uint32_t* number() const { return ends[0] + n - 1; }
    void make_keys(const Splat* splats, stream_t stream) const {
        kogge::simt::launch(count_tiles, a_thread_each(n, stream, "count_tiles"), splats, n, touched[0]);
        scan(0, stream);
        const std::uint32_t* const last = ends[0];
        kogge::simt::launch(duplicate, a_thread_each(n, stream, "duplicate"), splats, n, last, keys[0], values[0]);
    }
    void finish(int slot, std::uint64_t items, stream_t stream) const {
        std::size_t bytes = memory.items();
        check_cuda(sort(memory[0], bytes, slot, items, stream), "CUB");
        find(slot, number(), items, stream);
    }
};

Task splat_frame(std::uint64_t n) {
    constexpr double kTilesEach = 4.2;  // about, with those behind the camera
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<Splat> splats(n, slots);
        std::vector<std::uint64_t> keys(static_cast<std::size_t>(slots));
        std::uint64_t most = 0;
        for (int slot = 0; slot < slots; ++slot) {
            make_items(splats[slot], n, Scene{static_cast<std::uint64_t>(slot)}, stream);
            std::uint64_t& number = keys[static_cast<std::size_t>(slot)];
            number = kogge::transform_reduce(static_cast<const Splat*>(splats[slot]), n, TilesOf{}, {.stream = stream});
            most = std::max(most, number);
        }
        const std::uint64_t room = most + most / 4;
        const Frame ours(room, slots);
        const CubFrame cub(static_cast<std::uint32_t>(n), room, slots);
        const Slots<std::uint64_t> number(1, slots);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const kogge::exec how = with_scratch(scratch, s);
            const Splat* const in = splats[slot];
            kogge::emit(kogge::arrays(ours.keys[0], ours.values[0]), room, number[slot], n, TilesTouched{in},
                        KeyAndSplat{in}, how);
            kogge::radix_sort_pairs(static_cast<const std::uint64_t*>(ours.keys[0]), ours.sorted[0],
                                    static_cast<const std::uint32_t*>(ours.values[0]), ours.sorted_values[slot],
                                    kogge::device_count{number[slot], room}, {.end_bit = kKeyBits}, how);
            ours.find(slot, number[slot], room, s);
        };
        contest.cub = [=](int slot, stream_t s) {
            cub.make_keys(splats[slot], s);
            std::uint32_t found = 0;
            kogge::simt::copy(&found, cub.number(), sizeof found, s);
            kogge::simt::synchronize(s);
            cub.finish(slot, found, s);
        };
        contest.cub_in_graph = [=](int slot, stream_t s) {
            cub.make_keys(splats[slot], s);
            kogge::simt::launch(pad, a_thread_each(room, s, "pad"), cub.keys[0], cub.number(),
                                static_cast<std::uint32_t>(room));
            cub.finish(slot, room, s);
        };
        contest.spoil = [=](stream_t s) {
            ours.sorted_values.fill(kPattern, s);
            ours.ranges.fill(kPattern, s);
            number.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t found = keys[static_cast<std::size_t>(slot)];
            return read_number(number[slot], s) == found &&
                   is_equal(static_cast<const Range*>(ours.ranges[slot]), static_cast<const Range*>(cub.ranges[slot]),
                            kTiles, s) &&
                   is_same_bits<std::uint32_t>(ours.sorted_values[slot], cub.sorted_values[slot], found, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(Splat) + kTilesEach * sizeof(std::uint32_t)) + bytes_of(kTiles, sizeof(Range)), prepare};
}

// ---- moe_permute ---------------------------------------------------------------------------------------

/// Experts are chosen unevenly, and no two neighbours of the order are alike.
struct Experts {
    std::uint64_t seed;
    int experts;
    KOGGE_HOST_DEVICE int operator()(std::uint64_t i) const {
        const auto rank = static_cast<int>(std::pow(clients::uniform(seed, i), 1.6) * experts);
        return (rank * 37 + 11) % experts;
    }
};
struct Itself {
    KOGGE_HOST_DEVICE int operator()(int expert) const { return expert; }
};
KOGGE_KERNEL void invert(const int* rows, std::uint32_t n, int* places) {
    kogge::simt::wait_for_stream();
    const std::uint32_t i = own_item();
    if (i < n) places[rows[i]] = static_cast<int>(i);
}
/// As the clients do it: a binary search a bound, and the inverse.
KOGGE_KERNEL void search_and_invert(const int* sorted, const int* rows, std::uint32_t n, int experts,
                                    std::uint64_t* begins, int* places) {
    kogge::simt::wait_for_stream();
    const std::uint32_t i = own_item();
    if (i <= static_cast<std::uint32_t>(experts)) {
        std::uint32_t low = 0, high = n;
        while (low < high) {
            const std::uint32_t middle = (low + high) / 2;
            if (sorted[middle] < static_cast<int>(i)) low = middle + 1;
            else high = middle;
        }
        begins[i] = low;
    }
    if (i < n) places[rows[i]] = static_cast<int>(i);
}

Task moe_permute(std::uint64_t n, int experts) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<int> keys(n, slots), rows(n, slots);
        const Slots<int> sorted(n, slots), moved(n, slots), places(n, slots);
        const Slots<int> cub_sorted(n, slots), cub_moved(n, slots), cub_places(n, slots);
        const auto bounds = static_cast<std::uint64_t>(experts) + 1;
        const Slots<std::uint64_t> begins(bounds, slots), cub_begins(bounds, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(keys[slot], n, Experts{static_cast<std::uint64_t>(slot), experts}, stream);
            make_items(rows[slot], n, Place<int>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        const int bits = static_cast<int>(std::bit_width(static_cast<unsigned>(experts - 1)));
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::split_pairs(static_cast<const int*>(keys[slot]), static_cast<const int*>(rows[slot]), sorted[slot],
                               moved[slot], begins[slot], n, static_cast<std::uint32_t>(experts), Itself{},
                               with_scratch(scratch, s));
            const int* const rows_moved = moved[slot];
            kogge::simt::launch(invert, a_thread_each(n, s, "invert"), rows_moved, static_cast<std::uint32_t>(n),
                                places[slot]);
        };
        const Call sort = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceRadixSort::SortPairs(temporary, bytes, static_cast<const int*>(keys[slot]),
                                                   cub_sorted[slot], static_cast<const int*>(rows[slot]),
                                                   cub_moved[slot], static_cast<int>(n), 0, bits, s);
        });
        contest.cub = [=](int slot, stream_t s) {
            sort(slot, s);
            const int *const in_order = cub_sorted[slot], *const rows_moved = cub_moved[slot];
            kogge::simt::launch(search_and_invert, a_thread_each(std::max(n, bounds), s, "search_and_invert"), in_order,
                                rows_moved, static_cast<std::uint32_t>(n), experts, cub_begins[slot], cub_places[slot]);
        };
        contest.spoil = [=](stream_t s) {
            for (const auto& each : {sorted, moved, places}) each.fill(kPattern, s);
            begins.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_same_bits<int>(sorted[slot], cub_sorted[slot], n, s) &&
                   is_same_bits<int>(moved[slot], cub_moved[slot], n, s) &&
                   is_same_bits<int>(places[slot], cub_places[slot], n, s) &&
                   is_same_bits<std::uint64_t>(begins[slot], cub_begins[slot], bounds, s);
        };
        return contest;
    };
    return {bytes_of(n, 5 * sizeof(int)) + bytes_of(static_cast<std::uint64_t>(experts) + 1, 8), prepare};
}

// ---- group_sums ----------------------------------------------------------------------------------------

Task group_sums(std::uint64_t n) {
    constexpr std::uint64_t kGroups = 100'000;
    const auto prepare = [=](int slots, stream_t stream) {
        using Id = std::uint32_t;
        using Value = std::uint64_t;
        const Slots<Id> keys(n, slots), sorted(n, 1), cub_sorted(n, 1);
        const Slots<Value> values(n, slots), moved(n, 1), cub_moved(n, 1);
        const std::uint64_t room = std::min(n, kGroups);
        const Slots<Id> found(room, slots), cub_found(room, slots);
        const Slots<Value> sums(room, slots), cub_sums(room, slots);
        const Slots<std::uint64_t> number(1, slots), cub_number(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            const auto seed = static_cast<std::uint64_t>(slot);
            make_items(keys[slot], n, clients::GroupKeys{seed, kGroups, false}, stream);
            make_items(values[slot], n, Key<Value>{Distribution::low32, seed + 1, n}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const kogge::exec how = with_scratch(scratch, s);
            kogge::radix_sort_pairs(static_cast<const Id*>(keys[slot]), sorted[0],
                                    static_cast<const Value*>(values[slot]), moved[0], n, {}, how);
            kogge::reduce_by_key(static_cast<const Id*>(sorted[0]), static_cast<const Value*>(moved[0]), found[slot],
                                 sums[slot], number[slot], n, how);
        };
        const Call sort = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                return cub::DeviceRadixSort::SortPairs(temporary, bytes, static_cast<const Id*>(keys[slot]),
                                                       cub_sorted[0], static_cast<const Value*>(values[slot]),
                                                       cub_moved[0], count, 0, 32, s);
            },
            stream);
        const Call add = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceReduce::ReduceByKey(temporary, bytes, cub_sorted[0], cub_found[slot], cub_moved[0],
                                                  cub_sums[slot], cub_number[slot], cuda::std::plus<Value>{},
                                                  static_cast<int>(n), s);
        });
        contest.cub = [=](int slot, stream_t s) {
            sort(slot, s);
            add(slot, s);
        };
        contest.spoil = [=](stream_t s) {
            found.fill(kPattern, s);
            sums.fill(kPattern, s);
            number.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t groups = read_number(number[slot], s);
            return groups <= room && groups == read_number(cub_number[slot], s) &&
                   is_same_bits<Id>(found[slot], cub_found[slot], groups, s) &&
                   is_same_bits<Value>(sums[slot], cub_sums[slot], groups, s);
        };
        return contest;
    };
    return {bytes_of(n, 12) + bytes_of(std::min(n, kGroups), 12), prepare};
}

// ---- unique_inverse ------------------------------------------------------------------------------------

/// 1 where an item differs from the one before it.
struct Heads {
    const std::uint32_t* sorted;
    KOGGE_HOST_DEVICE std::uint32_t operator[](std::uint64_t i) const { return i > 0 && sorted[i - 1] != sorted[i]; }
    KOGGE_HOST_DEVICE std::uint32_t operator()(std::uint32_t i) const { return (*this)[i]; }
};
/// A result goes where the item came from.
struct Inverse {
    const std::uint32_t* origins;
    std::uint32_t* places;
    KOGGE_HOST_DEVICE std::uint32_t& operator[](std::uint64_t i) const { return places[origins[i]]; }
};

Task unique_inverse(std::uint64_t n, const clients::ZipfIds& ids) {
    const auto prepare = [=](int slots, stream_t stream) {
        using Slot = Slots<std::uint32_t>;
        const Slot items(n, slots), numbers(n, 1);
        const Slot sorted(n, 1), origins(n, 1), cub_sorted(n, 1), cub_origins(n, 1);
        const Slot found(n, slots), lengths(n, slots), places(n, slots);
        const Slot cub_found(n, slots), cub_lengths(n, slots), cub_places(n, slots);
        const Slots<std::uint64_t> number(1, slots), cub_number(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            clients::ZipfIds of_slot = ids;
            of_slot.seed = static_cast<std::uint64_t>(slot);
            make_items(items[slot], n, of_slot, stream);
        }
        make_items(numbers[0], n, Place<std::uint32_t>{}, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const kogge::exec how = with_scratch(scratch, s);
            const std::uint32_t* const in = sorted[0];
            kogge::radix_sort_pairs(static_cast<const std::uint32_t*>(items[slot]), sorted[0],
                                    static_cast<const std::uint32_t*>(numbers[0]), origins[0], n, {}, how);
            kogge::inclusive_scan(Heads{in}, Inverse{origins[0], places[slot]}, n, kogge::plus{}, how);
            kogge::run_length_encode(in, found[slot], lengths[slot], number[slot], n, how);
        };
        const Call sort = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                return cub::DeviceRadixSort::SortPairs(temporary, bytes, static_cast<const std::uint32_t*>(items[slot]),
                                                       cub_sorted[0], static_cast<const std::uint32_t*>(numbers[0]),
                                                       cub_origins[0], count, 0, 32, s);
            },
            stream);
        const Call place = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const auto heads =
                thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0), Heads{cub_sorted[0]});
            return cub::DeviceScan::InclusiveSum(temporary, bytes, heads,
                                                 thrust::make_permutation_iterator(cub_places[slot], cub_origins[0]),
                                                 static_cast<int>(n), s);
        });
        const Call encode = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceRunLengthEncode::Encode(temporary, bytes, cub_sorted[0], cub_found[slot],
                                                      cub_lengths[slot], cub_number[slot], static_cast<int>(n), s);
        });
        contest.cub = [=](int slot, stream_t s) {
            sort(slot, s);
            place(slot, s);
            encode(slot, s);
        };
        contest.spoil = [=](stream_t s) {
            for (const auto& each : {found, lengths, places}) each.fill(kPattern, s);
            number.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t runs = read_number(number[slot], s);
            return runs <= n && runs == read_number(cub_number[slot], s) &&
                   is_same_bits<std::uint32_t>(found[slot], cub_found[slot], runs, s) &&
                   is_same_bits<std::uint32_t>(lengths[slot], cub_lengths[slot], runs, s) &&
                   is_same_bits<std::uint32_t>(places[slot], cub_places[slot], n, s);
        };
        return contest;
    };
    return {bytes_of(n, 2 * sizeof(std::uint32_t)), prepare};
}

// ---- all rows ------------------------------------------------------------------------------------------

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    if (row.primitive == "splat_frame" && row.type == "u64+u32" && row.case_name == "crowded") return splat_frame(n);
    const std::optional<double> experts = number_after("experts_", row.case_name);
    if (row.primitive == "moe_permute" && row.type == "i32+i32" && experts && *experts >= 2 && *experts <= 256)
        return moe_permute(n, static_cast<int>(*experts));
    if (row.primitive == "group_sums" && row.type == "u32+u64" && row.case_name == "groups_100000")
        return group_sums(n);
    if (row.primitive == "unique_inverse" && row.type == "u32")
        if (const auto ids = clients::zipf_ids_named(row.case_name, 0)) return unique_inverse(n, *ids);
    return {};
}

std::string file_of_pipelines(const Row&) { return "pipelines"; }

constexpr std::uint64_t kMillion = 1'000'000;
const Sizes kRoutedRows = {128, 2048, 1u << 15, 1u << 17, 1u << 20};
const std::vector<RowSet> kRows = {
    {"splat_frame", {"u64+u32"}, {"crowded"}, {100'000, 300'000, kMillion, 3 * kMillion}, {kMillion}},
    {"moe_permute", {"i32+i32"}, {"experts_8", "experts_256"}, kRoutedRows},
    {"moe_permute", {"i32+i32"}, {"experts_128"}, kRoutedRows, {1u << 15}},
    {"group_sums", {"u32+u64"}, {"groups_100000"}, {kMillion, 1u << 22, 1u << 24, 1u << 26}, {1u << 24}},
    {"unique_inverse", {"u32"}, {"zipf_1_of_1000000_permuted"}, {1u << 18, kMillion, 1u << 22, 1u << 24}, {1u << 22}},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find, file_of_pipelines); }
