// Selections by rank on the device: the plan, its scratch, and the launches of the way that the plan names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/histogram/launch.cuh"
#include "kogge/plan/select.hpp"
#include "kogge/select/count.cuh"
#include "kogge/select/find.cuh"
#include "kogge/select/scratch.hpp"
#include "kogge/top_k/launch.cuh"

namespace kogge::grid::KOGGE_CODE {

/// Few keys: each is compared with all others, and written where its place is wanted. Any number of blocks.
template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kTopKThreads, kTopKBlocks)
    select_compare_kernel(SelectProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    const std::uint64_t n = problem.n.get();
    write_in_order<Rank>([&problem](std::uint32_t i) { return make_rank<Rank>(problem.codes.of(problem.keys[i]), i); },
                         static_cast<std::uint32_t>(n), n, GridTeam{}, simt::shared_memory<TopKPlacesShared>(),
                         [&problem, n](Rank rank, std::uint64_t place) {
                             for (std::uint64_t j = 0; j < problem.wanted.count; ++j)
                                 if (problem.wanted.at(j, n) == place) problem.out[j] = problem.keys[index_of(rank)];
                         });
}

/// out[j] = keys[order[rank j]], or keys[rank j] where there is no order.
template <class Key, class Index>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kMoveThreads, 4)
    take_ranks_kernel(const Key* keys, const Index* order, Count count, WantedRanks wanted, Key* out) {
    simt::wait_for_stream();
    const std::uint64_t n = count.get();
    if (n == 0) return;
    for (std::uint64_t j = static_cast<std::uint64_t>(simt::block_rank()) * kMoveThreads +
                           static_cast<std::uint64_t>(simt::thread_rank());
         j < wanted.count; j += std::uint64_t{simt::grid_size()} * kMoveThreads) {
        const std::uint64_t rank = wanted.at(j, n);
        out[j] = keys[order ? std::uint64_t{order[rank]} : rank];
    }
}

template <class Key, class Index>
void take_ranks(const Key* keys, const Index* order, const Count& n, const WantedRanks& wanted, Key* out,
                stream_t stream) {
    const std::uint64_t blocks = divide_up(wanted.count, kMoveThreads);
    simt::launch(
        take_ranks_kernel<Key, Index>,
        {static_cast<std::uint32_t>(blocks < 1024 ? blocks : 1024), kMoveThreads, 0, stream, "take_ranks_kernel"}, keys,
        order, n, wanted, out);
}

template <class Key, class Codec, class Rank>
void launch_select(const select_compare& way, const SelectProblem<Key, Codec, Rank>& problem, const item_count&,
                   const SelectMemory&, const char*, const exec& how) {
    simt::launch(select_compare_kernel<Key, Codec, Rank>, shape_of(way.launch, how.stream, "select_compare_kernel"),
                 problem);
}

/// The first digit of an item's code.
template <class Codec>
struct SelectFirstBinOf {
    TopKCodes<Codec> codes;
    int begin;
    template <class Key>
    KOGGE_DEVICE std::uint32_t operator()(const Key& key) const {
        return static_cast<std::uint32_t>(codes.of(key) >> begin);
    }
};

template <class Key, class Codec, class Rank>
void launch_select(const select_digits& way, SelectProblem<Key, Codec, Rank> problem, const item_count& n,
                   const SelectMemory& memory, const char* call, const exec& how) {
    static_assert(sizeof(SelectFindShared) <= 1024, "plans count on it");
    static_assert(sizeof(SelectCountShared) <= std::size_t{2} * kHistogramCached * 4 + kSelectMapWords * 4);
    problem.control = memory.control;
    problem.counters = memory.counters;
    problem.counter_bytes = static_cast<int>(way.counter_bytes);
    problem.beginnings = static_cast<Rank*>(memory.beginnings);
    problem.found = static_cast<Rank*>(memory.found);
    problem.slot = memory.slot;
    problem.remaining = memory.remaining;
    problem.list = static_cast<Rank*>(memory.list);
    problem.places = way.places;
    const auto place_of = [](const select_digit& digit) {
        return SelectDigit{digit.begin + (digit.of_index ? 0 : kRankIndexBits<Rank>), digit.bits};
    };
    problem.first = place_of(way.digits.front());
    simt::fill(memory.control, 0, sizeof(SelectControl), how.stream);
    const std::size_t rounds = way.digits.size();
    for (std::size_t round = 0; round < rounds; ++round) {
        const select_digit& digit = way.digits[round];
        problem.digit = place_of(digit);
        problem.is_first = round == 0;
        problem.is_last = round + 1 == rounds;
        problem.writes_list = round == 1 && rounds > 2;
        problem.reads_list = round > 1;
        if (round == 0) {
            exec of_first = how;
            of_first.space = {memory.of_first, way.first.scratch_bytes};
            device_histogram<OwnCode>(call, problem.keys, NoValue{}, memory.counters, way.counter_bytes, n, 1,
                                      std::uint32_t{1} << digit.bits,
                                      SelectFirstBinOf<Codec>{problem.codes, digit.begin}, of_first);
        } else {
            simt::fill(memory.counters, 0, (problem.wanted.count << digit.bits) * way.counter_bytes, how.stream);
            simt::launch(select_count_kernel<Key, Codec, Rank>, shape_of(way.count, how.stream, "select_count_kernel"),
                         problem);
        }
        simt::launch(select_find_kernel<Key, Codec, Rank>, shape_of(way.find, how.stream, "select_find_kernel"),
                     problem);
    }
}

}  // namespace kogge::grid::KOGGE_CODE

namespace kogge::grid {

/// Writes the keys of m ranks: those at `ranks`, or, if that is null, the one rank `rank`. Arguments have been checked.
template <class Code, class Key, class Codec>
void device_select(const char* call, const Key* keys, Key* out, const item_count& n, const std::uint64_t* ranks,
                   std::uint64_t rank, std::uint64_t m, const Codec& codec, detail::BitRange bits, const exec& how) {
    if (n.bound() == 0 || m == 0) return;
    constexpr bool is_number = is_number_codec<Codec>;
    using Bucket = bucket_of<Codec>;
    select_shape shape{sizeof(Key), bits.begin, bits.end, !Bucket::kIdentifies, false, is_number};
    if constexpr (Bucket::kIdentifies) shape.are_floats = Bucket{codec, bits.begin, bits.end}.is_float();
    const select_plan plan = plan_select(n.bound(), m, shape, simt::properties_of(how.stream), how.scratch_limit);
    const detail::CarvedScratch scratch(call, how, plan.scratch_bytes,
                                        [&](detail::Carver& carver) { return carve_select(carver, plan); });
    const SelectMemory& memory = *scratch;
    const Count count{n.bound(), n.on_device()};
    const WantedRanks wanted{ranks, rank, m};
    if constexpr (is_number && sizeof(Key) <= 8) {  // the codes fit ranks
        const auto launch = [&](const auto& way) {
            const auto with = [&]<class Rank>(Rank) {
                launch_select(way,
                              SelectProblem<Key, Codec, Rank>{keys, out, TopKCodes<Codec>(codec, bits), count, wanted},
                              n, memory, call, how);
            };
            if constexpr (sizeof(Key) <= 4)
                if (top_k_rank_bytes(sizeof(Key), n.bound()) == 8) return with(std::uint64_t{});
            with(uint128{});
        };
        if (const auto* const way = plan.as<select_compare>()) return launch(*way);
        if (const auto* const way = plan.as<select_digits>()) return launch(*way);
    }
    const select_sort& way = *plan.as<select_sort>();
    exec of_sort = how;
    of_sort.space = {memory.of_sort, way.sort.scratch_bytes};
    of_sort.scratch_limit = way.sort.scratch_bytes;
    if constexpr (is_number) {
        auto* const sorted = static_cast<Key*>(memory.sorted);
        device_radix_sort<NoValue, Code>(call, keys, sorted, n, codec, bits, {}, of_sort);
        take_ranks<Key, std::uint32_t>(sorted, nullptr, count, wanted, out, how.stream);
    } else {
        const auto by_indices = [&]<class Index>(Index) {
            auto* const order = static_cast<Index*>(memory.sorted);
            const value_array indices{nullptr, order, sizeof(Index), alignof(Index)};
            device_radix_sort<Index, Code>(call, keys, static_cast<Key*>(nullptr), n, codec, bits, {&indices, 1},
                                           of_sort);
            take_ranks<Key, Index>(keys, order, count, wanted, out, how.stream);
        };
        if (way.index_bytes == 8) by_indices(std::uint64_t{});
        else by_indices(std::uint32_t{});
    }
}

}  // namespace kogge::grid
