// kogge-test: EMULATED GPU
//
// Every scan network of a block against a serial fold, for operators that betray a wrong order, and its steps and
// operations against the textbook formulas.
#include "kogge/block/networks.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "kogge/block/coarsened.cuh"
#include "kogge/operators.hpp"
#include "kogge/simt/runtime.hpp"
#include "support/device_array.hpp"
#include "support/inputs.hpp"

namespace {

using namespace kogge;
using test::DeviceArray;
using tests::Bicyclic;
using tests::JoinBrackets;
using tests::Matrix;
using tests::Multiply;

// ---- values and operators ------------------------------------------------------------------------------

// Random values; those of floats are small integers, whose sums are exact in any association.
template <class T>
T draw(std::mt19937_64& random) {
    if constexpr (std::is_same_v<T, float>) return static_cast<float>(random() % 1000);
    else if constexpr (std::is_same_v<T, Bicyclic>)
        return {static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 3)};
    else if constexpr (std::is_same_v<T, Matrix>) {
        const auto word = [&] { return static_cast<std::uint32_t>(random()); };
        return {word(), word(), word(), word()};
    } else return static_cast<T>(random());
}

/// The stretch of values [first, last) that a result was folded from.
struct Slice {
    std::uint32_t first, last;
    friend bool operator==(const Slice&, const Slice&) = default;
};
constexpr Slice kForeign = {1u << 30, 1u << 29};  // a value that no operator may see

struct Counters {
    std::uint32_t operations, mistakes, thread_steps;
};
/// Joins adjacent stretches, counts operations, and counts as mistakes operands that are not adjacent.
struct Join {
    Counters* counters;
    KOGGE_DEVICE Slice operator()(Slice a, Slice b) const {
        simt::atomic_add<simt::Scope::device>(&counters->operations, 1);
        if (a.last != b.first) simt::atomic_add<simt::Scope::device>(&counters->mistakes, 1);
        return {a.first, b.last};
    }
};
struct StepProbe {
    Counters* counters;
    KOGGE_DEVICE void step() const { simt::atomic_add<simt::Scope::device>(&counters->thread_steps, 1); }
};

/// KOGGE_TEST_SMALL leaves out blocks of 1024 threads, which cost a sanitizer minutes.
bool small_blocks_only() {
    static const bool small = std::getenv("KOGGE_TEST_SMALL") != nullptr;
    return small;
}

std::vector<int> active_counts(int threads) {
    std::vector<int> counts = {1,           2,      3, 31, 32, 33, threads / 2 - 1, threads / 2, threads / 2 + 1,
                               threads - 1, threads};
    std::erase_if(counts, [&](int n) { return n < 1 || n > threads; });
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

// ---- results, networks chosen at run time --------------------------------------------------------------

// Each block scans its own row of `in` twice with one Storage, from as many threads as `actives` says.
template <int threads, class T, class Op>
KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(threads, 1) void scan_rows_kernel(network which, const int* actives, const T* in,
                                                                   T* inclusive, T* before, T* aggregates) {
    simt::wait_for_stream();
    auto& storage = simt::shared_memory<block::AnyStorage<T, threads>>();
    const int thread = simt::thread_rank(), active = actives[simt::block_rank()];
    const std::size_t at = std::size_t{simt::block_rank()} * threads + static_cast<std::size_t>(thread);

    const auto first = block::scan_with<threads>(which, in[at], active, Op{}, storage);
    if (thread < active) inclusive[at] = first.inclusive;
    simt::sync_block();  // the storage is used again
    const auto second = block::scan_with<threads>(which, in[at], active, Op{}, storage);
    if (second.has_before) before[at] = second.before;
    aggregates[at] = second.aggregate;
}

template <class T, class Op, int threads>
void expect_serial_results(network which) {
    SCOPED_TRACE(std::string(to_string(which)) + ", " + std::to_string(threads) + " threads");
    const std::vector<int> actives = active_counts(threads);
    std::mt19937_64 random(17);
    std::vector<T> in(actives.size() * threads);
    for (T& value : in) value = draw<T>(random);
    const T untouched = draw<T>(random);

    const DeviceArray<int> device_actives(actives);
    const DeviceArray<T> device_in(in);
    const DeviceArray<T> inclusive(in.size(), untouched), before(in.size(), untouched),
        aggregates(in.size(), untouched);
    simt::launch(&scan_rows_kernel<threads, T, Op>,
                 {.blocks = static_cast<std::uint32_t>(actives.size()),
                  .threads = threads,
                  .shared_bytes = sizeof(block::AnyStorage<T, threads>),
                  .name = "scan_rows_kernel"},
                 which, device_actives.data(), device_in.data(), inclusive.data(), before.data(), aggregates.data());

    std::vector<T> expected_inclusive(in.size(), untouched), expected_before(in.size(), untouched);
    std::vector<T> expected_aggregates(in.size(), untouched);
    for (std::size_t row = 0; row < actives.size(); ++row) {
        const std::size_t base = row * threads, n = static_cast<std::size_t>(actives[row]);
        T running = in[base];
        expected_inclusive[base] = running;
        for (std::size_t i = 1; i < n; ++i) {
            expected_before[base + i] = running;
            running = static_cast<T>(Op{}(running, in[base + i]));
            expected_inclusive[base + i] = running;
        }
        for (std::size_t i = 0; i < threads; ++i) expected_aggregates[base + i] = running;
    }
    EXPECT_TRUE(inclusive.values() == expected_inclusive);
    EXPECT_TRUE(before.values() == expected_before);
    EXPECT_TRUE(aggregates.values() == expected_aggregates);
}

template <class T, class Op>
void expect_serial_results_of_all_networks() {
    for (const network which : kAllNetworks) {
        expect_serial_results<T, Op, 32>(which);
        expect_serial_results<T, Op, 64>(which);
        expect_serial_results<T, Op, 96>(which);
        expect_serial_results<T, Op, 256>(which);
        if (!small_blocks_only()) expect_serial_results<T, Op, 1024>(which);
    }
}

TEST(Networks, Sum) { expect_serial_results_of_all_networks<std::uint32_t, plus>(); }
TEST(Networks, Maximum64) { expect_serial_results_of_all_networks<std::uint64_t, maximum>(); }
TEST(Networks, BicyclicMonoid) { expect_serial_results_of_all_networks<Bicyclic, JoinBrackets>(); }
TEST(Networks, MatrixProduct) { expect_serial_results_of_all_networks<Matrix, Multiply>(); }
TEST(Networks, FloatSum) { expect_serial_results_of_all_networks<float, plus>(); }

TEST(Networks, HaveDistinctNames) {
    std::vector<std::string> names;
    for (const network which : kAllNetworks) names.emplace_back(to_string(which));
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
    EXPECT_EQ(std::count(names.begin(), names.end(), to_string(static_cast<network>(99))), 0);
}

// ---- steps and operations, networks chosen at compile time ----------------------------------------------

enum class Way { scan, inclusive, from_seed };

// Each block scans the stretches [1, 2), [2, 3), … of its active threads; the seed is [0, 1).
template <network which, int threads>
KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(threads, 1) void count_kernel(Way way, const int* actives, Slice* out,
                                                               Slice* aggregates, Counters* counters) {
    simt::wait_for_stream();
    using Network = block::BlockScan<which, threads>;
    auto& storage = simt::shared_memory<typename Network::template Storage<Slice>>();
    const std::uint32_t row = simt::block_rank();
    const int thread = simt::thread_rank(), active = actives[row];
    const auto i = static_cast<std::uint32_t>(thread);
    const Slice partial = thread < active ? Slice{i + 1, i + 2} : kForeign;
    const Join op{counters + row};
    const StepProbe probe{counters + row};

    Slice result = kForeign;
    if (way == Way::scan) {
        const auto all = Network::scan(partial, active, op, storage, probe);
        if (all.has_before) result = all.before;
        aggregates[row * threads + i] = all.aggregate;
    } else if (way == Way::inclusive) {
        result = block::inclusive<Network>(partial, active, op, storage, probe);
    } else {
        result = block::exclusive<Network>(Slice{0, 1}, partial, active, op, storage, probe);
    }
    if (thread < active) out[row * threads + i] = result;
}

struct Cost {
    std::uint32_t steps, operations;
    friend bool operator==(const Cost&, const Cost&) = default;
};

std::uint32_t floor_log2(std::uint32_t n) { return static_cast<std::uint32_t>(std::bit_width(n)) - 1; }
std::uint32_t ceil_log2(std::uint32_t n) { return static_cast<std::uint32_t>(std::bit_width(n - 1)); }

// The textbook formulas; for a count that is no power of two, the sums that they are the closed forms of.
Cost step_doubling_cost(std::uint32_t n) {
    const std::uint32_t log = ceil_log2(n);
    if (std::has_single_bit(n)) return {log, n * log - (n - 1)};
    std::uint32_t operations = 0;
    for (std::uint32_t d = 1; d < n; d *= 2) operations += n - d;
    return {log, operations};
}
Cost brent_kung_cost(std::uint32_t n) {
    if (n == 1) return {0, 0};
    if (std::has_single_bit(n)) return {2 * floor_log2(n) - 1, 2 * n - 2 - floor_log2(n)};
    Cost cost = {};
    for (std::uint32_t nodes = n; nodes >= 2; nodes /= 2) {
        cost.steps += nodes > 2 ? 2 : 1;
        cost.operations += nodes / 2 + (nodes + 1) / 2 - 1;
    }
    return cost;
}
Cost blelloch_cost(std::uint32_t n, bool seeded) {
    return {2 * ceil_log2(n), 2 * (n - 1) - (seeded ? 0 : ceil_log2(n))};
}

Cost cost_of(network which, Way way, std::uint32_t n) {
    const bool seeded = way == Way::from_seed;
    if (which == network::blelloch) return blelloch_cost(n, seeded);
    const bool is_tree = which == network::brent_kung || which == network::brent_kung_tree;
    Cost cost = is_tree ? brent_kung_cost(n) : step_doubling_cost(n);
    if (seeded) cost.operations += n - 1;
    return cost;
}

template <network which, int threads>
void expect_costs() {
    std::vector<int> actives = active_counts(threads);
    for (int n = 4; n <= threads; n *= 2) actives.push_back(n);
    actives.push_back(threads / 4 * 3);
    const std::size_t rows = actives.size();

    for (const Way way : {Way::scan, Way::inclusive, Way::from_seed}) {
        using Storage = typename block::BlockScan<which, threads>::template Storage<Slice>;
        const DeviceArray<int> device_actives(actives);
        const DeviceArray<Slice> out(rows * threads, kForeign), aggregates(rows * threads, kForeign);
        const DeviceArray<Counters> counters(rows, {});
        simt::launch(&count_kernel<which, threads>,
                     {.blocks = static_cast<std::uint32_t>(rows),
                      .threads = threads,
                      .shared_bytes = sizeof(Storage),
                      .name = "count_kernel"},
                     way, device_actives.data(), out.data(), aggregates.data(), counters.data());

        const std::vector<Slice> results = out.values(), totals = aggregates.values();
        const std::vector<Counters> counted = counters.values();
        for (std::size_t row = 0; row < rows; ++row) {
            const auto n = static_cast<std::uint32_t>(actives[row]);
            SCOPED_TRACE(std::string(to_string(which)) + ", " + std::to_string(threads) + " threads, " +
                         std::to_string(n) + " active, way " + std::to_string(static_cast<int>(way)));
            std::vector<Slice> expected(threads, kForeign);
            for (std::uint32_t i = 0; i < n; ++i) {
                if (way == Way::inclusive) expected[i] = {1, i + 2};
                else if (way == Way::from_seed) expected[i] = {0, i + 1};
                else if (i > 0) expected[i] = {1, i + 1};
            }
            const auto base = static_cast<std::ptrdiff_t>(row * threads);
            EXPECT_TRUE(std::equal(expected.begin(), expected.end(), results.begin() + base));
            if (way == Way::scan) {
                const auto total = totals.begin() + base;
                EXPECT_EQ(std::count(total, total + threads, Slice{1, n + 1}), threads);
            }
            EXPECT_EQ(counted[row].mistakes, 0u);
            if (which == network::shuffle) continue;  // no textbook counts: it spends operations to save steps
            const Cost cost = cost_of(which, way, n);
            EXPECT_EQ(counted[row].operations, cost.operations);
            EXPECT_EQ(counted[row].thread_steps, cost.steps * threads);
        }
    }
}

template <class Which>
class NetworkCosts : public ::testing::Test {};
template <network which>
using Constant = std::integral_constant<network, which>;
using AllNetworks =
    ::testing::Types<Constant<network::shuffle>, Constant<network::kogge_stone>,
                     Constant<network::kogge_stone_registers>, Constant<network::hillis_steele>,
                     Constant<network::brent_kung>, Constant<network::brent_kung_tree>, Constant<network::blelloch>>;
struct NetworkName {
    template <class Which>
    static std::string GetName(int) {
        return to_string(Which::value);
    }
};
TYPED_TEST_SUITE(NetworkCosts, AllNetworks, NetworkName);

TYPED_TEST(NetworkCosts, EqualTheTextbookFormulas) {
    expect_costs<TypeParam::value, 32>();
    expect_costs<TypeParam::value, 96>();
    expect_costs<TypeParam::value, 256>();
    if (!small_blocks_only()) expect_costs<TypeParam::value, 1024>();
}

// ---- coarsened scan ------------------------------------------------------------------------------------

template <int items, class Network, int threads>
struct CoarsenedShared {
    Slice tile[items * threads];
    typename Network::template Storage<Slice> storage;
};

// A block scans the stretches [1, 2), [2, 3), … of a tile, held in registers or in shared memory; the carry is [0, 1).
template <int items, class Network, int threads, block::Form form, bool in_registers>
KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(threads, 1) void scan_tile_kernel(const int* valids, bool has_carry, Slice* out,
                                                                   Slice* aggregates, Counters* counters) {
    simt::wait_for_stream();
    constexpr int tile_items = items * threads;
    auto& shared = simt::shared_memory<CoarsenedShared<items, Network, threads>>();
    const std::uint32_t row = simt::block_rank();
    const int valid = valids[row], first = simt::thread_rank() * items;
    const block::Carry<Slice> carry{has_carry ? Slice{0, 1} : kForeign, has_carry};
    const Join op{counters + row};
    const auto value = [valid](int i) {
        const auto place = static_cast<std::uint32_t>(i);
        return i < valid ? Slice{place + 1, place + 2} : kForeign;
    };

    Slice aggregate;
    if constexpr (in_registers) {
        Slice segment[items];
        for (int i = 0; i < items; ++i) segment[i] = value(first + i);
        aggregate = block::coarsened_scan<items, Network, form>(segment, valid, op, shared.storage, carry);
        for (int i = 0; i < items; ++i) out[row * tile_items + static_cast<std::uint32_t>(first + i)] = segment[i];
    } else {
        // Nothing is stored past `valid`: what the scan reads there would be reported as uninitialised.
        for (int i = first; i < first + items && i < valid; ++i) shared.tile[i] = value(i);
        aggregate = block::coarsened_scan<items, Network, form>(shared.tile + first, valid, op, shared.storage, carry);
        for (int i = first; i < first + items && i < valid; ++i)
            out[row * tile_items + static_cast<std::uint32_t>(i)] = shared.tile[i];
    }
    if (simt::thread_rank() == threads - 1) aggregates[row] = aggregate;
}

template <int items, class Network, int threads, block::Form form, bool in_registers>
void expect_coarsened() {
    constexpr int tile_items = items * threads;
    std::vector<int> valids = {1, 2, items, items + 1, tile_items / 2, tile_items - 1, tile_items};
    for (const bool has_carry : {false, true}) {
        const DeviceArray<int> device_valids(valids);
        const DeviceArray<Slice> out(valids.size() * tile_items, kForeign), aggregates(valids.size(), kForeign);
        const DeviceArray<Counters> counters(valids.size(), {});
        simt::launch(&scan_tile_kernel<items, Network, threads, form, in_registers>,
                     {.blocks = static_cast<std::uint32_t>(valids.size()),
                      .threads = threads,
                      .shared_bytes = sizeof(CoarsenedShared<items, Network, threads>),
                      .name = "scan_tile_kernel"},
                     device_valids.data(), has_carry, out.data(), aggregates.data(), counters.data());

        std::vector<Slice> expected(valids.size() * tile_items, kForeign), totals;
        const std::uint32_t start = has_carry ? 0 : 1;
        for (std::size_t row = 0; row < valids.size(); ++row) {
            const auto valid = static_cast<std::uint32_t>(valids[row]);
            for (std::uint32_t i = 0; i < valid; ++i) {
                const bool keeps_item = form == block::Form::exclusive && i == 0 && !has_carry;
                const std::uint32_t end = form == block::Form::inclusive || keeps_item ? i + 2 : i + 1;
                expected[row * tile_items + i] = {start, end};
            }
            totals.push_back({1, valid + 1});
        }
        EXPECT_TRUE(out.values() == expected) << items << " items, " << threads << " threads, carry " << has_carry;
        EXPECT_TRUE(aggregates.values() == totals);
        for (const Counters& counted : counters.values()) EXPECT_EQ(counted.mistakes, 0u);
    }
}

template <int items, class Network, int threads>
void expect_coarsened_in_all_forms() {
    expect_coarsened<items, Network, threads, block::Form::inclusive, true>();
    expect_coarsened<items, Network, threads, block::Form::exclusive, true>();
    expect_coarsened<items, Network, threads, block::Form::inclusive, false>();
    expect_coarsened<items, Network, threads, block::Form::exclusive, false>();
}

TEST(CoarsenedScan, OneItemAThread) { expect_coarsened_in_all_forms<1, block::ShuffleScan<64>, 64>(); }
TEST(CoarsenedScan, SeveralItemsAThread) { expect_coarsened_in_all_forms<5, block::ShuffleScan<96>, 96>(); }
TEST(CoarsenedScan, OverATextbookNetwork) {
    expect_coarsened_in_all_forms<4, block::BlockScan<network::brent_kung_tree, 128>, 128>();
}

// ---- its halves ----------------------------------------------------------------------------------------

KOGGE_DEVICE Slice slice_of(std::uint32_t place) { return {place, place + 1}; }
KOGGE_DEVICE Slice slice_of(Slice slice) { return slice; }

template <int items, class Network, int threads, class Item>
struct HalvesShared {
    alignas(16) Item tile[items * threads];
    alignas(16) Slice results[std::is_same_v<Item, Slice> ? 2 : items * threads];
    typename Network::template Storage<Slice> storage;
    block::Carry<Slice> carry;
};

// A block scans [0, 1), [1, 2), … [n − 1, n) a tile at a time, Slices in place. What precedes a tile is written between
// the halves.
template <int items, class Network, int threads, class Item>
KOGGE_KERNEL KOGGE_LAUNCH_BOUNDS(threads, 1) void scan_in_halves_kernel(const int* ns, int most, Slice* before,
                                                                        Slice* after, Counters* counters) {
    simt::wait_for_stream();
    constexpr int tile_items = items * threads;
    auto& shared = simt::shared_memory<HalvesShared<items, Network, threads, Item>>();
    const int row = static_cast<int>(simt::block_rank()), n = ns[row], thread = simt::thread_rank();
    const Join op{counters + row};
    Item* const segment = shared.tile + thread * items;
    Slice* results;
    if constexpr (std::is_same_v<Item, Slice>) results = segment;
    else results = shared.results + thread * items;
    block::Carry<Slice> all{kForeign};
    for (int base = 0; base < n; base += tile_items) {
        const int count = n - base < tile_items ? n - base : tile_items;
        const int first = base + thread * items, size = block::segment_size<items>(count, thread);
        for (int i = 0; i < size; ++i) {
            const auto place = static_cast<std::uint32_t>(first + i);
            if constexpr (std::is_same_v<Item, Slice>) segment[i] = slice_of(place);
            else segment[i] = place;
        }

        block::SegmentScan fold(block::Carry<Slice>{kForeign}, op);
        block::visit_segment<items>(segment, size, [&](int, const Item& item) { fold.take(slice_of(item)); });
        const auto prefix = Network::scan(fold.running().value, (count + items - 1) / items, op, shared.storage);
        if (prefix.has_before != (thread > 0 && size > 0))
            simt::atomic_add<simt::Scope::device>(&counters[row].mistakes, 1);

        if (thread == 0) shared.carry = all;
        all = block::append(all, prefix.aggregate, op);
        simt::sync_block();  // the carry is written

        block::SegmentScan scan(prefix.after(shared.carry, op), op);
        block::rewrite_segment<items>(segment, results, size, [&](int i, const Item& item) {
            const block::Carry<Slice> earlier = scan.take(slice_of(item));
            if (earlier.present) before[row * most + first + i] = earlier.value;
            return scan.running().value;
        });
        for (int i = 0; i < size; ++i) after[row * most + first + i] = results[i];
        simt::sync_block();  // the storage and the carry are used again
    }
}

template <int items, class Network, int threads, class Item>
void expect_same_in_halves() {
    constexpr int tile_items = items * threads, most = 3 * tile_items;
    const std::vector<int> ns = {
        1, 2, items, items + 1, tile_items - 1, tile_items, most - items, 2 * tile_items + items + 1, most};
    const DeviceArray<int> device_ns(ns);
    const DeviceArray<Slice> before(ns.size() * most, kForeign), after(ns.size() * most, kForeign);
    const DeviceArray<Counters> counters(ns.size(), {});
    simt::launch(&scan_in_halves_kernel<items, Network, threads, Item>,
                 {.blocks = static_cast<std::uint32_t>(ns.size()),
                  .threads = threads,
                  .shared_bytes = sizeof(HalvesShared<items, Network, threads, Item>),
                  .name = "scan_in_halves_kernel"},
                 device_ns.data(), most, before.data(), after.data(), counters.data());

    std::vector<Slice> expected_before(ns.size() * most, kForeign), expected_after = expected_before;
    for (std::size_t row = 0; row < ns.size(); ++row)
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(ns[row]); ++i) {
            if (i > 0) expected_before[row * most + i] = {0, i};
            expected_after[row * most + i] = {0, i + 1};
        }
    EXPECT_TRUE(before.values() == expected_before);
    EXPECT_TRUE(after.values() == expected_after);
    for (const Counters& counted : counters.values()) EXPECT_EQ(counted.mistakes, 0u);
}

TEST(CoarsenedScan, TakesACarryBetweenItsHalves) {
    expect_same_in_halves<8, block::ShuffleScan<64>, 64, Slice>();
    expect_same_in_halves<8, block::ShuffleScan<64>, 64, std::uint32_t>();
    expect_same_in_halves<5, block::BlockScan<network::blelloch, 96>, 96, Slice>();
    expect_same_in_halves<5, block::BlockScan<network::kogge_stone, 32>, 32, std::uint32_t>();
}

}  // namespace
