// What a round of a selection finds in its counters: the next digit of each wanted rank.
//
// Each block takes some of the wanted ranks, adds up the counters of their beginnings, and finds the digit in which
// each lies. The block that is done last makes of the longer beginnings the list of different ones for the next round,
// or, after the last digit, writes the keys.
#pragma once

#include <cstdint>

#include "kogge/block/scan.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/engine/tile_shape.hpp"
#include "kogge/select/shape.hpp"
#include "kogge/top_k/rank.cuh"

namespace kogge::grid::KOGGE_CODE {

/// The wanted ranks: an array, or one number.
struct WantedRanks {
    const std::uint64_t* array;
    std::uint64_t one;
    std::uint64_t count;

    /// A rank past the last item is that of the last one of n ≥ 1.
    KOGGE_DEVICE std::uint64_t at(std::uint64_t i, std::uint64_t n) const {
        const std::uint64_t rank = array ? array[i] : one;
        return rank < n ? rank : n - 1;
    }
};

/// A digit's place in the rank of an item.
struct SelectDigit {
    int begin;
    int bits;
};

template <class Key, class Codec, class Rank>
struct SelectProblem {
    const Key* keys;
    Key* out;
    TopKCodes<Codec> codes;
    Count n;
    WantedRanks wanted;
    SelectDigit digit{};
    SelectDigit first{};  ///< the first digit
    bool is_first = false, is_last = false;
    bool reads_list = false, writes_list = false;
    int counter_bytes = 4;
    std::uint64_t places = 0;  ///< of the list
    SelectControl* control = nullptr;
    void* counters = nullptr;
    Rank* beginnings = nullptr;
    Rank* found = nullptr;
    std::uint32_t* slot = nullptr;
    std::uint64_t* remaining = nullptr;
    Rank* list = nullptr;

    KOGGE_DEVICE std::uint64_t counter(std::uint64_t place) const {
        if (counter_bytes == 4) return static_cast<const std::uint32_t*>(counters)[place];
        return static_cast<const std::uint64_t*>(counters)[place];
    }
    /// Ones for the digits before this one.
    KOGGE_DEVICE Rank mask_before() const {
        const int end = digit.begin + digit.bits;
        return end >= static_cast<int>(8 * sizeof(Rank)) ? Rank{0} : static_cast<Rank>(kNoRank<Rank> << end);
    }
};

struct SelectFindShared {
    using Network = block::ShuffleScan<kSelectFindThreads>;
    typename Network::template Storage<std::uint64_t> network;
    std::uint32_t is_last;
};

/// The digits of some of the wanted ranks. All threads of the block call.
template <class Key, class Codec, class Rank>
KOGGE_DEVICE void find_digits(const SelectProblem<Key, Codec, Rank>& problem, std::uint64_t n,
                              SelectFindShared& shared) {
    const std::uint64_t digits = std::uint64_t{1} << problem.digit.bits, m = problem.wanted.count;
    const auto thread = static_cast<std::uint64_t>(simt::thread_rank());
    const std::uint64_t each = divide_up(digits, kSelectFindThreads);
    const std::uint64_t first = thread * each < digits ? thread * each : digits;
    const std::uint64_t end = first + each < digits ? first + each : digits;
    std::uint64_t own = 0, before = 0;
    std::uint32_t summed = ~std::uint32_t{0};  // the slot whose counters these are
    KOGGE_NO_UNROLL
    for (std::uint64_t j = m * simt::block_rank() / simt::grid_size();
         j < m * (simt::block_rank() + 1) / simt::grid_size(); ++j) {
        const std::uint32_t slot = problem.is_first ? 0 : problem.slot[j];
        if (slot != summed) {
            summed = slot;
            own = 0;
            KOGGE_NO_UNROLL
            for (std::uint64_t d = first; d < end; ++d) own += problem.counter(slot * digits + d);
            before = SelectFindShared::Network::inclusive(own, kSelectFindThreads, plus{}, shared.network) - own;
            simt::sync_block();  // the network is free
        }
        const std::uint64_t rank = problem.is_first ? problem.wanted.at(j, n) : problem.remaining[j];
        simt::sync_block();  // all have read the rank
        if (before > rank || rank >= before + own) continue;
        std::uint64_t past = before, d = first;
        for (std::uint64_t count; past + (count = problem.counter(slot * digits + d)) <= rank; ++d) past += count;
        const Rank beginning = problem.is_first ? Rank{0} : problem.beginnings[slot];
        problem.found[j] = beginning | static_cast<Rank>(static_cast<Rank>(d) << problem.digit.begin);
        problem.remaining[j] = rank - past;
        if (problem.is_first) {  // the first who sets a bit counts the items that have the digit
            const std::uint32_t bit = 1u << d % 32;
            if ((simt::atomic_or<simt::Scope::device>(problem.control->map + d / 32, bit) & bit) == 0)
                simt::atomic_add<simt::Scope::device>(&problem.control->matching, problem.counter(d));
        }
    }
}

/// The different ones of the longer beginnings, in order. All threads of one block call, once all are found.
template <class Key, class Codec, class Rank>
KOGGE_DEVICE void list_beginnings(const SelectProblem<Key, Codec, Rank>& problem, Rank* ranks, std::uint32_t* firsts) {
    static_assert(kMostRanks <= kSelectFindThreads);
    const auto m = static_cast<std::uint32_t>(problem.wanted.count);
    const auto thread = static_cast<std::uint32_t>(simt::thread_rank());
    const Rank own = thread < m ? problem.found[thread] : kNoRank<Rank>;
    if (thread < m) ranks[thread] = own;
    simt::sync_block();  // all are on chip
    bool is_first = thread < m;
    for (std::uint32_t i = 0; i < thread && is_first; ++i) is_first = ranks[i] != own;
    if (thread < m) firsts[thread] = is_first ? 1 : 0;
    simt::sync_block();  // it is known which are the first of equal ones
    if (thread >= m) return;
    std::uint32_t place = 0, all = 0;
    for (std::uint32_t i = 0; i < m; ++i) {
        place += firsts[i] > 0 && ranks[i] < own ? 1u : 0u;
        all += firsts[i];
    }
    problem.slot[thread] = place;
    if (is_first) problem.beginnings[place] = own;
    if (thread > 0) return;
    SelectControl& control = *problem.control;
    control.slots = all;
    control.finished = 0;
    if (problem.is_first) control.is_listed = simt::load_relaxed(&control.matching) <= problem.places ? 1 : 0;
}

template <class Key, class Codec, class Rank>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kSelectFindThreads, 1)
    select_find_kernel(SelectProblem<Key, Codec, Rank> problem) {
    simt::wait_for_stream();
    auto& shared = simt::shared_memory<SelectFindShared>();
    const std::uint64_t n = problem.n.get();
    if (n == 0) return;
    find_digits(problem, n, shared);
    simt::sync_block();  // the block's digits are found
    if (simt::thread_rank() == 0)
        shared.is_last = simt::atomic_add_acq_rel(&problem.control->finished, 1) + 1 == simt::grid_size() ? 1 : 0;
    simt::sync_block();  // it is known whether all blocks are done
    if (shared.is_last == 0) return;
    simt::sync_block();  // the shared memory is free
    if (!problem.is_last) {
        auto* const ranks = reinterpret_cast<Rank*>(&shared);
        return list_beginnings(problem, ranks, reinterpret_cast<std::uint32_t*>(ranks + problem.wanted.count));
    }
    for (std::uint64_t j = static_cast<std::uint64_t>(simt::thread_rank()); j < problem.wanted.count;
         j += kSelectFindThreads) {
        const Rank rank = problem.found[j];
        problem.out[j] = problem.codes.tells_key()
                             ? problem.codes.key_of(code_of_rank<typename TopKCodes<Codec>::Code>(rank))
                             : problem.keys[index_of(rank)];
    }
}

}  // namespace kogge::grid::KOGGE_CODE
