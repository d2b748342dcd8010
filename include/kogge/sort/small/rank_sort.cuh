// Rank sort of few numbers: one launch, no scratch. A key's place is the number of keys that precede it. Each block
// counts it for 32 keys by comparing them with all n. For so few keys n² comparisons on all multiprocessors take less
// time than the barriers between the passes of a sort in one block. Traffic: every block reads all keys (from the L2
// cache); each item is written once.
//
// A lane has one of the block's 32 keys. Each warp compares them with every warps-th row of 32 keys, and the warps'
// counts are summed. A smaller key precedes; an equal key precedes if it is in an earlier row, or in an earlier lane of
// the same row. So the sort is stable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kogge/detail/prebuilt.hpp"
#include "kogge/digit/key_digits.cuh"
#include "kogge/engine/carry.cuh"
#include "kogge/sort/common/arrays.cuh"
#include "kogge/sort/common/scratch.hpp"
#include "kogge/sort/common/shape.hpp"

namespace kogge::grid::KOGGE_CODE {

template <class Key, class Value, class Bucket>
struct RankSortProblem {
    static constexpr bool kHasValues = !std::is_same_v<Value, NoValue>;

    const Key* keys_in;
    Key* keys_out;           ///< null: no keys are written
    const Value* values_in;  ///< null: a value is its key's index
    Value* values_out;
    Count n;
    Bucket bucket;
    bool in_place;  ///< an output is its input: the launch is cooperative
};

/// The code that is compared, widened to a word at least, which takes one instruction.
template <class Key>
using CompareCode = std::conditional_t<sizeof(Key) < 4, std::uint32_t, Key>;

/// Codes that one instruction reads.
template <class Code>
struct alignas(16) CodePack {
    static constexpr int kCodes = static_cast<int>(16 / sizeof(Code));
    Code codes[std::size_t{kCodes}];
};

template <class Code>
struct CompareShared {
    static constexpr int kWarps = kRankSortThreads / simt::kWarpSize;

    alignas(128) CodePack<Code> rows[kWarps][simt::kWarpSize / CodePack<Code>::kCodes];  ///< a warp's row
    std::uint32_t before[kWarps][simt::kWarpSize];  ///< per warp, the keys in its rows that precede a lane's key
};

/// The number of codes in a row that are at most `bound`.
template <class Code>
KOGGE_DEVICE std::uint32_t count_up_to(const CodePack<Code>* row, const Code& bound) {
    std::uint32_t count = 0;
    KOGGE_UNROLL
    for (int p = 0; p < simt::kWarpSize / CodePack<Code>::kCodes; ++p) {
        const CodePack<Code> pack = row[p];
        KOGGE_UNROLL
        for (int c = 0; c < CodePack<Code>::kCodes; ++c) count += pack.codes[c] <= bound ? 1u : 0u;
    }
    return count;
}

template <class Key, class Value, class Bucket>
KOGGE_KERNEL void KOGGE_LAUNCH_BOUNDS(kRankSortThreads, 2)
    rank_sort_kernel(RankSortProblem<Key, Value, Bucket> problem) {
    simt::wait_for_stream();
    using Code = CompareCode<Key>;
    constexpr std::uint32_t row_keys = simt::kWarpSize;
    auto& shared = simt::shared_memory<CompareShared<Code>>();
    static_assert(sizeof(CompareShared<Code>) <= rank_sort_shared_bytes(sizeof(Key)));
    const std::uint32_t n = static_cast<std::uint32_t>(problem.n.get());
    const std::uint32_t warp = static_cast<std::uint32_t>(simt::warp_rank()),
                        lane = static_cast<std::uint32_t>(simt::lane());
    const std::uint32_t warps = static_cast<std::uint32_t>(simt::block_size()) / row_keys,
                        rows = (n + row_keys - 1) / row_keys;
    const std::uint32_t own_row = simt::block_rank(), place = own_row * row_keys + lane;
    const auto key_at = [&](std::uint32_t i) { return i < n ? problem.keys_in[i] : Key{}; };
    Key next = key_at(warp * row_keys + lane);
    const Key key = key_at(place);
    // Only the first warp writes, but its value is read before any output may be overwritten.
    [[maybe_unused]] Value value{};
    if constexpr (RankSortProblem<Key, Value, Bucket>::kHasValues)
        if (warp == 0 && place < n) {
            if constexpr (std::is_integral_v<Value>)
                value = problem.values_in ? problem.values_in[place] : static_cast<Value>(place);
            else value = problem.values_in[place];
        }
    const Code code = static_cast<Code>(problem.bucket.code(key));

    CodePack<Code>* const row_codes = shared.rows[warp];
    std::uint32_t count = 0;
    for (std::uint32_t row = warp; row < rows; row += warps) {
        // Places past the end come last: no key counts them.
        const std::uint32_t at = row * row_keys + lane;
        reinterpret_cast<Code*>(row_codes)[lane] =
            at < n ? static_cast<Code>(problem.bucket.code(next)) : static_cast<Code>(~Code{0});
        simt::sync_warp();  // the row is written
        next = key_at(at + warps * row_keys);
        if (row == own_row) {
            for (std::uint32_t other = 0; other < row_keys; ++other) {
                const Code& against = reinterpret_cast<const Code*>(row_codes)[other];
                count += against < code || (against == code && other < lane) ? 1 : 0;
            }
        } else {
            const bool counts_equal = row < own_row;
            const std::uint32_t found = count_up_to(row_codes, counts_equal ? code : static_cast<Code>(code - 1));
            count += counts_equal || code != 0 ? found : 0;
        }
        simt::sync_warp();  // the row has been read
    }
    shared.before[warp][lane] = count;
    simt::sync_block();                       // all warps have counted
    if (problem.in_place) simt::sync_grid();  // and all blocks have read
    if (warp > 0 || place >= n) return;
    std::uint32_t target = 0;
    for (std::uint32_t w = 0; w < warps; ++w) target += shared.before[w][lane];
    if (problem.keys_out) problem.keys_out[target] = key;
    if constexpr (RankSortProblem<Key, Value, Bucket>::kHasValues) problem.values_out[target] = value;
}

template <class Key, class Value, class Bucket>
void launch_sort(const rank_sort& way, const radix_sort_plan&, const SortArrays<Key, Value>& arrays,
                 const Bucket& bucket, const SortMemory&, stream_t stream) {
    const RankSortProblem<Key, Value, Bucket> problem{
        arrays.keys_in, arrays.keys_out, arrays.values_in, arrays.values_out, arrays.n, bucket, arrays.in_place()};
    simt::launch(rank_sort_kernel<Key, Value, Bucket>,
                 shape_of(way.launch, stream, "rank_sort_kernel", problem.in_place), problem);
}

}  // namespace kogge::grid::KOGGE_CODE
