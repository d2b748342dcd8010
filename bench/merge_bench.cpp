// kogge-bench: GPU
//
// Merges and searches. The least that must move: of merges each item (and value) read once and written once; of
// searches each needle read once and each result written once.
//   merge, merge_pairs    n outputs, the half of them from either input, against CUB's merges; uniform: keys of both
//                         inputs follow each other at random; skewed: a hundredth of the outputs is of the second
//                         input; blocks: 100,000 outputs in a row are of one input
//   lower_bound           n needles in as many sorted items, or in=2^20 of them, against Thrust's; random, or sorted
#include "kogge/calls/merge.hpp"

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <cub/device/device_merge.cuh>

#include "kogge/calls/search.hpp"
#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

// ---- merges --------------------------------------------------------------------------------------------
enum class Mix { uniform, skewed, blocks };

/// Ascending keys whose distances are random: of `length` keys, a share of the numbers up to `most`.
template <class T>
struct Ascending {
    std::uint64_t seed, step;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        return static_cast<T>(i * step + random_bits(seed, i) % step);
    }
};
/// Blocks of the numbers, in turns.
template <class T>
struct InBlocks {
    std::uint64_t side;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        constexpr std::uint64_t kBlock = 100'000;
        return static_cast<T>((2 * (i / kBlock) + side) * kBlock + i % kBlock);
    }
};

template <class T>
void make_inputs(T* a, std::uint64_t n_a, T* b, std::uint64_t n_b, Mix mix, std::uint64_t seed, stream_t stream) {
    if (mix == Mix::blocks) {
        make_items(a, n_a, InBlocks<T>{0}, stream);
        make_items(b, n_b, InBlocks<T>{1}, stream);
        return;
    }
    const std::uint64_t most = std::uint64_t{1} << 31;
    make_items(a, n_a, Ascending<T>{3 * seed, most / (n_a + 1)}, stream);
    make_items(b, n_b, Ascending<T>{3 * seed + 1, most / (n_b + 1)}, stream);
}

struct CubLess {
    template <class T>
    KOGGE_HOST_DEVICE bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};

/// Without values, Value is void.
template <class T, class Value>
Task merge_task(Mix mix, std::uint64_t n) {
    constexpr bool has_values = !std::is_void_v<Value>;
    using Word = std::conditional_t<has_values, Value, std::uint32_t>;
    const std::uint64_t n_b = mix == Mix::skewed ? n / 100 : n / 2, n_a = n - n_b, values_n = has_values ? n : 0;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> a(n_a, slots), b(n_b, slots), out(n, slots), expected(n, slots);
        const Slots<Word> values_a(has_values ? n_a : 0, slots), values_b(has_values ? n_b : 0, slots);
        const Slots<Word> values_out(values_n, slots), expected_values(values_n, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_inputs<T>(a[slot], n_a, b[slot], n_b, mix, static_cast<std::uint64_t>(slot), stream);
            make_items(values_a[slot], values_a.items(), Place<Word>{}, stream);
            make_items(values_b[slot], values_b.items(), Place<Word>{}, stream);
        }
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            const T *const of_a = a[slot], *const of_b = b[slot];
            const Word *const with_a = values_a[slot], *const with_b = values_b[slot];
            const exec how{.stream = s};
            if constexpr (has_values)
                kogge::merge_pairs(of_a, with_a, of_b, with_b, out[slot], values_out[slot], n_a, n_b, how);
            else kogge::merge(of_a, of_b, out[slot], n_a, n_b, how);
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const T *const of_a = a[slot], *const of_b = b[slot];
            const Word *const with_a = values_a[slot], *const with_b = values_b[slot];
            const auto items_a = static_cast<std::int64_t>(n_a), items_b = static_cast<std::int64_t>(n_b);
            if constexpr (has_values)
                return cub::DeviceMerge::MergePairs(temporary, bytes, of_a, with_a, items_a, of_b, with_b, items_b,
                                                    expected[slot], expected_values[slot], CubLess{}, s);
            else
                return cub::DeviceMerge::MergeKeys(temporary, bytes, of_a, items_a, of_b, items_b, expected[slot],
                                                   CubLess{}, s);
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            values_out.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const T*>(out[slot]), static_cast<const T*>(expected[slot]), n, s) &&
                   (!has_values || is_equal(static_cast<const Word*>(values_out[slot]),
                                            static_cast<const Word*>(expected_values[slot]), n, s));
        };
        return contest;
    };
    return {bytes_of(2 * n, sizeof(T) + (has_values ? sizeof(Word) : 0)), prepare};
}

// ---- searches ------------------------------------------------------------------------------------------
template <class T>
struct Needle {
    std::uint64_t most, seed;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const { return static_cast<T>(random_bits(seed, i) % most); }
};

template <class T>
Task search_task(std::uint64_t n, std::uint64_t needles, bool are_sorted) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> sorted(n, slots), of(needles, slots);
        const Slots<std::uint32_t> out(needles, slots), expected(needles, slots);
        const std::uint64_t most = std::uint64_t{1} << 31;
        for (int slot = 0; slot < slots; ++slot) {
            const auto seed = 3 * static_cast<std::uint64_t>(slot);
            make_items(sorted[slot], n, Ascending<T>{seed, most / n}, stream);
            if (are_sorted) make_items(of[slot], needles, Ascending<T>{seed + 1, most / needles}, stream);
            else make_items(of[slot], needles, Needle<T>{most, seed + 1}, stream);
        }
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::lower_bound(static_cast<const T*>(sorted[slot]), static_cast<const T*>(of[slot]), out[slot], n,
                               needles, exec{.stream = s});
        };
        contest.cub = [=](int slot, stream_t s) {
            const T *const begin = sorted[slot], *const first = of[slot];
            thrust::lower_bound(thrust::cuda::par_nosync.on(s), begin, begin + n, first, first + needles,
                                static_cast<std::uint32_t*>(expected[slot]));
        };
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            return is_equal(static_cast<const std::uint32_t*>(out[slot]),
                            static_cast<const std::uint32_t*>(expected[slot]), needles, s);
        };
        return contest;
    };
    return {bytes_of(needles, sizeof(T) + sizeof(std::uint32_t)), prepare};
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    if (row.primitive == "lower_bound") {
        const std::string_view name = row.case_name;
        const bool are_sorted = name.starts_with("sorted");
        const std::uint64_t in = name.ends_with("in=2^20") ? std::uint64_t{1} << 20 : n;
        return for_type<std::uint32_t, std::uint64_t, float>(
            row.type, [&]<class T>() -> std::optional<Task> { return search_task<T>(in, n, are_sorted); });
    }
    if (n < 200) return {};
    const Mix mix = row.case_name == "skewed" ? Mix::skewed : row.case_name == "blocks" ? Mix::blocks : Mix::uniform;
    if (row.primitive == "merge")
        return for_type<std::uint32_t, std::uint64_t, double>(
            row.type, [&]<class T>() -> std::optional<Task> { return merge_task<T, void>(mix, n); });
    if (row.primitive == "merge_pairs" && row.type == "u32+u32")
        return merge_task<std::uint32_t, std::uint32_t>(mix, n);
    if (row.primitive == "merge_pairs" && row.type == "u64+u32")
        return merge_task<std::uint64_t, std::uint32_t>(mix, n);
    return {};
}

const Sizes kMergeSizes = {1u << 10, 1u << 13, 1u << 16, 1u << 18, 1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28};
const Sizes kFewMerges = {1u << 20, 1u << 24, 1u << 28};
const std::vector<RowSet> kRows = {
    {"merge", {"u32"}, {"uniform"}, kMergeSizes, kQuickSizes},
    {"merge", {"u64", "f64"}, {"uniform"}, kFewMerges},
    {"merge", {"u32"}, {"skewed", "blocks"}, kFewMerges},
    {"merge_pairs", {"u32+u32", "u64+u32"}, {"uniform"}, kFewMerges},
    {"lower_bound", {"u32"}, {"random", "sorted"}, kMergeSizes, kQuickSizes},
    {"lower_bound", {"u32"}, {"random in=2^20", "sorted in=2^20"}, kFewMerges},
    {"lower_bound", {"u64", "f32"}, {"random"}, kFewMerges},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find); }
