// kogge-bench: GPU
//
// Reductions against CUB's, which accumulate in the same type, get the same counts and offsets, and leave the same
// outputs; its counts of items are of 32 bits or of 64, whichever is faster. The least that must move: each item (and
// key) read once, each result (and key of a run) written once, and the offsets of segments read. The copy writes half
// of that, so that a reduction may be faster.
//   reduce            sum, of u8_to_u32 accumulated and left in the wider type; max, against CUB's own; xor, against
//                     its Reduce with that operator
//   transform_reduce  the sum of squares; count, of the items in the lower half of the type's values
//   arg_min           index and item; of equal items the first, on both sides
//   reduce_by_key     the keys, the sums and the number of runs of 1 to 2 · mean − 1 items (runs_16, runs_1000), or of
//                     one and two in turns of either order (runs_1.5)
//   segmented_reduce  sums of segments that both sides find by offsets of 64 bits: rows_L of so many items, the last
//                     one of fewer; or zipf_lengths, of 200 on average
//
// Check: integers, extremes and indices are CUB's. Sums of floats are not, because they are associated differently:
// they differ from CUB's by at most 256 ε (√m + |sum|), where ε is the type's epsilon and m the number of the sum's
// items (of a run, 2 · mean − 1). Items lie in (−1, 1), at random, so that rounding errors add up like a random walk,
// to less than a tenth of that where no thread adds more than some thousand items in a row; up to 2^24 f32, a single
// missing item is mostly more. But for arg_min, what our calls left is also compared with the results of one call more,
// which must be the same bits.
#include "kogge/calls/reduce.hpp"

#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cuda/std/functional>

#include "clients/segments.hpp"
#include "kogge/calls/reduce_by_key.hpp"
#include "kogge/calls/segmented_reduce.hpp"
#include "support/harness.hpp"

namespace {

using namespace bench;
using kogge::exec;
using kogge::stream_t;

template <class T>
void make_uniform(T* items, std::uint64_t n, int slot, stream_t stream) {
    make_items(items, n, Key<T>{Distribution::uniform, static_cast<std::uint64_t>(slot), n}, stream);
}

// ---- comparing sums ------------------------------------------------------------------------------------

/// How many items a result is of: all as many.
struct EachOf {
    std::uint64_t items;
    KOGGE_DEVICE std::uint64_t operator()(std::uint64_t) const { return items; }
};
/// The same of a segment.
struct LengthOf {
    const std::uint64_t* offsets;
    KOGGE_DEVICE std::uint64_t operator()(std::uint64_t s) const { return offsets[s + 1] - offsets[s]; }
};

template <class T, class Items>
KOGGE_KERNEL void count_far_kernel(const T* sums, const T* expected, std::uint64_t n, Items items_of,
                                   std::uint64_t* count) {
    kogge::simt::wait_for_stream();
    constexpr double share = 256.0 * std::numeric_limits<T>::epsilon();
    std::uint64_t mine = 0;
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) {
        const double wanted = expected[i], distance = std::fabs(static_cast<double>(sums[i]) - wanted);
        const double most = share * (std::sqrt(static_cast<double>(items_of(i))) + std::fabs(wanted));
        mine += distance <= most ? 0 : 1;  // a NaN is far, too
    }
    if (mine > 0) kogge::simt::atomic_add<kogge::simt::Scope::device>(count, mine);
}

/// Whether n sums are as near as the head of this file says, or of integers equal; waits for the answer.
template <class T, class Items>
bool is_near(const T* sums, const T* expected, std::uint64_t n, Items items_of, stream_t stream) {
    if constexpr (is_float<T>) {
        const Slots<std::uint64_t> count(1, 1);
        count.fill(0, stream);
        kogge::simt::launch(count_far_kernel<T, Items>, shape_for(n, stream, "count_far_kernel"), sums, expected, n,
                            items_of, count[0]);
        return read_number(count[0], stream) == 0;
    } else return is_equal(sums, expected, n, stream);
}

// ---- whole arrays --------------------------------------------------------------------------------------

/// Of n items of type T to one result of type Out. ours(in, out, exec) and cub(temporary, bytes, in, out, count,
/// stream) are the calls. Results that are no sums are compared bit by bit.
template <class T, class Out, bool is_sum, class Ours, class Cub>
Task reduction(std::uint64_t n, const Ours& ours, const Cub& cub) {
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> in(n, slots);
        const Slots<Out> out(1, slots), expected(1, slots);
        for (int slot = 0; slot < slots; ++slot) make_uniform(in[slot], n, slot, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        const auto run = [=](int slot, Out* to, stream_t s) {
            ours(static_cast<const T*>(in[slot]), to, with_scratch(scratch, s));
        };
        Contest contest;
        contest.ours = [=](int slot, stream_t s) { run(slot, out[slot], s); };
        contest.cub = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                return cub(temporary, bytes, static_cast<const T*>(in[slot]), expected[slot], count, s);
            },
            stream);
        contest.spoil = [=](stream_t s) { out.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            const Slots<Out> again(1, 1);
            again.fill(0, s);
            run(slot, again[0], s);
            if (!is_same_bits<Out>(out[slot], again[0], 1, s)) return false;
            if constexpr (is_sum) return is_near<Out>(out[slot], expected[slot], 1, EachOf{n}, s);
            else return is_same_bits<Out>(out[slot], expected[slot], 1, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T)) + sizeof(Out), prepare};
}

template <class T, class Sum = T>
Task sum_of(std::uint64_t n) {
    return reduction<T, Sum, true>(
        n, [=](const T* in, Sum* out, const exec& how) { kogge::reduce(in, out, n, kogge::plus{}, how); },
        [](void* temporary, std::size_t& bytes, const T* in, Sum* out, auto count, stream_t stream) {
            return cub::DeviceReduce::Sum(temporary, bytes, in, out, count, stream);  // accumulates in Sum
        });
}

template <class T>
Task max_of(std::uint64_t n) {
    return reduction<T, T, false>(
        n, [=](const T* in, T* out, const exec& how) { kogge::reduce(in, out, n, kogge::maximum{}, how); },
        [](void* temporary, std::size_t& bytes, const T* in, T* out, auto count, stream_t stream) {
            return cub::DeviceReduce::Max(temporary, bytes, in, out, count, stream);
        });
}

struct Xor {
    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T& a, const T& b) const {
        return a ^ b;
    }
};
template <class T>
Task xor_of(std::uint64_t n) {
    return reduction<T, T, false>(
        n, [=](const T* in, T* out, const exec& how) { kogge::reduce(in, out, n, Xor{}, how); },
        [](void* temporary, std::size_t& bytes, const T* in, T* out, auto count, stream_t stream) {
            return cub::DeviceReduce::Reduce(temporary, bytes, in, out, count, cuda::std::bit_xor<>{}, T{}, stream);
        });
}

struct Square {
    template <class T>
    KOGGE_HOST_DEVICE T operator()(const T& item) const {
        return item * item;
    }
};
/// 1 for an item in the lower half.
struct IsLow {
    template <class T>
    KOGGE_HOST_DEVICE std::uint32_t operator()(const T& item) const {
        return item < kept_below<T>() ? 1 : 0;
    }
};
template <class T, class Function, class Sum = T>
Task transformed_sum(std::uint64_t n) {
    return reduction<T, Sum, true>(
        n,
        [=](const T* in, Sum* out, const exec& how) {
            kogge::transform_reduce(in, out, n, Function{}, kogge::plus{}, how);
        },
        [](void* temporary, std::size_t& bytes, const T* in, Sum* out, auto count, stream_t stream) {
            return cub::DeviceReduce::TransformReduce(temporary, bytes, in, out, count, cuda::std::plus<>{}, Function{},
                                                      Sum{}, stream);
        });
}

template <class T>
Task arg_min_of(std::uint64_t n) {
    using Index = std::int64_t;  // which CUB counts with
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> in(n, slots), out(1, slots), expected(1, slots);
        const Slots<Index> index(1, slots), expected_index(1, slots);
        for (int slot = 0; slot < slots; ++slot) make_uniform(in[slot], n, slot, stream);
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, stream_t s) {
            kogge::arg_min(static_cast<const T*>(in[slot]), out[slot], index[slot], n, with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            return cub::DeviceReduce::ArgMin(temporary, bytes, static_cast<const T*>(in[slot]), expected[slot],
                                             expected_index[slot], static_cast<std::int64_t>(n), s);
        });
        contest.spoil = [=](stream_t s) {
            out.fill(kPattern, s);
            index.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            return is_same_bits<T>(out[slot], expected[slot], 1, s) &&
                   is_same_bits<Index>(index[slot], expected_index[slot], 1, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T)) + sizeof(T) + sizeof(Index), prepare};
}

// ---- runs of keys --------------------------------------------------------------------------------------

/// Numbers of runs of some mean length; of 1.5, each three items are a run of one and a run of two, or the reverse.
template <class T>
struct RunKeys {
    std::uint64_t seed;
    double mean;
    KOGGE_HOST_DEVICE T operator()(std::uint64_t i) const {
        if (mean != 1.5) return RunNumbers<T>{{seed, static_cast<std::uint64_t>(mean)}}(i);
        const std::uint64_t three = i / 3, first = 1 + random_bits(seed, three) % 2;
        return static_cast<T>(2 * three + (i % 3 < first ? 0 : 1));
    }
};

/// runs_1.5, runs_16
std::optional<double> mean_named(const std::string& name) {
    if (name == "runs_1.5") return 1.5;
    const std::optional<std::uint64_t> mean = mean_of_runs(name);
    if (!mean) return {};
    return static_cast<double>(*mean);
}

template <class T>
Task sums_by_key(std::uint64_t n, double mean) {
    using Key = std::uint32_t;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<Key> keys(n, slots), keys_out(n, slots), expected_keys(n, slots);
        const Slots<T> values(n, slots), sums(n, slots), expected(n, slots);
        const Slots<std::uint64_t> runs(1, slots), expected_runs(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            make_items(keys[slot], n, RunKeys<Key>{static_cast<std::uint64_t>(slot), mean}, stream);
            make_uniform(values[slot], n, slot, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        const auto run = [=](int slot, Key* to_keys, T* to, std::uint64_t* to_runs, stream_t s) {
            kogge::reduce_by_key(static_cast<const Key*>(keys[slot]), static_cast<const T*>(values[slot]), to_keys, to,
                                 to_runs, n, kogge::plus{}, with_scratch(scratch, s));
        };
        Contest contest;
        contest.ours = [=](int slot, stream_t s) { run(slot, keys_out[slot], sums[slot], runs[slot], s); };
        contest.cub = with_either_count(
            n,
            [=](void* temporary, std::size_t& bytes, auto count, int slot, stream_t s) {
                return cub::DeviceReduce::ReduceByKey(temporary, bytes, static_cast<const Key*>(keys[slot]),
                                                      expected_keys[slot], static_cast<const T*>(values[slot]),
                                                      expected[slot], expected_runs[slot], cuda::std::plus<>{}, count,
                                                      s);
            },
            stream);
        contest.spoil = [=](stream_t s) {
            keys_out.fill(kPattern, s);
            sums.fill(kPattern, s);
            runs.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, stream_t s) {
            const std::uint64_t found = read_number(runs[slot], s);
            if (found != read_number(expected_runs[slot], s) || found > n) return false;
            const Slots<Key> keys_again(n, 1);
            const Slots<T> again(n, 1);
            const Slots<std::uint64_t> runs_again(1, 1);
            run(slot, keys_again[0], again[0], runs_again[0], s);
            const EachOf items_of{static_cast<std::uint64_t>(2 * mean - 1)};
            return read_number(runs_again[0], s) == found && is_same_bits<T>(sums[slot], again[0], found, s) &&
                   is_same_bits<Key>(keys_out[slot], keys_again[0], found, s) &&
                   is_same_bits<Key>(keys_out[slot], expected_keys[slot], found, s) &&
                   is_near<T>(sums[slot], expected[slot], found, items_of, s);
        };
        return contest;
    };
    const double each = sizeof(Key) + sizeof(T);
    return {bytes_of(n, each) + bytes_of(n, each / mean) + sizeof(std::uint64_t), prepare};
}

// ---- segments ------------------------------------------------------------------------------------------

template <class T>
Task sums_of_segments(std::uint64_t n, const clients::Bounds& bounds) {
    const std::uint64_t count = bounds.size() - 1;
    const auto prepare = [=](int slots, stream_t stream) {
        const Slots<T> in(n, slots), sums(count, slots), expected(count, slots);
        const Slots<std::uint64_t> offsets(count + 1, slots);  // and n behind them
        for (int slot = 0; slot < slots; ++slot) {
            make_uniform(in[slot], n, slot, stream);
            kogge::simt::copy(offsets[slot], bounds.data(), bounds.size() * sizeof(std::uint64_t), stream);
        }
        kogge::simt::synchronize(stream);
        const auto scratch = std::make_shared<KeptScratch>();
        const auto run = [=](int slot, T* to, stream_t s) {
            kogge::segmented_reduce(static_cast<const T*>(in[slot]), to, n,
                                    static_cast<const std::uint64_t*>(offsets[slot]), count, kogge::plus{},
                                    with_scratch(scratch, s));
        };
        Contest contest;
        contest.ours = [=](int slot, stream_t s) { run(slot, sums[slot], s); };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, stream_t s) {
            const std::uint64_t* const begins = offsets[slot];
            return cub::DeviceSegmentedReduce::Sum(temporary, bytes, static_cast<const T*>(in[slot]), expected[slot],
                                                   static_cast<std::int64_t>(count), begins, begins + 1, s);
        });
        contest.spoil = [=](stream_t s) { sums.fill(kPattern, s); };
        contest.is_right = [=](int slot, stream_t s) {
            const Slots<T> again(count, 1);
            run(slot, again[0], s);
            return is_same_bits<T>(sums[slot], again[0], count, s) &&
                   is_near<T>(sums[slot], expected[slot], count, LengthOf{offsets[slot]}, s);
        };
        return contest;
    };
    return {bytes_of(n, sizeof(T)) + bytes_of(count, sizeof(T) + sizeof(std::uint64_t)), prepare};
}

/// Nothing where a row would be longer than all items.
std::optional<clients::Bounds> segments_named(const std::string& name, std::uint64_t n) {
    const std::optional<double> length = number_after("rows_", name);
    if (length && *length > static_cast<double>(n)) return {};
    return clients::bounds_named(name, n);
}

// ---- all rows ------------------------------------------------------------------------------------------

std::optional<Task> find_reduce(const RowName& row, std::uint64_t n) {
    const auto sum = [&]<class T>() -> std::optional<Task> { return sum_of<T>(n); };
    const auto max = [&]<class T>() -> std::optional<Task> { return max_of<T>(n); };
    const auto parity = [&]<class T>() -> std::optional<Task> { return xor_of<T>(n); };
    if (row.case_name == "sum" && row.type == "u8_to_u32") return sum_of<std::uint8_t, std::uint32_t>(n);
    if (row.case_name == "sum") return for_type<std::uint32_t, std::uint64_t, float, double>(row.type, sum);
    if (row.case_name == "max") return for_type<std::uint32_t, float>(row.type, max);
    if (row.case_name == "xor") return for_type<std::uint32_t, std::uint64_t>(row.type, parity);
    return {};
}

std::optional<Task> find(const RowName& row, std::uint64_t n) {
    if (row.primitive == "reduce") return find_reduce(row, n);
    if (row.primitive == "transform_reduce" && row.case_name == "squares")
        return for_type<float, double>(row.type,
                                       [&]<class T>() -> std::optional<Task> { return transformed_sum<T, Square>(n); });
    if (row.primitive == "transform_reduce" && row.case_name == "count" && row.type == "u32")
        return transformed_sum<std::uint32_t, IsLow>(n);
    if (row.primitive == "arg_min" && row.case_name == "uniform")
        return for_type<std::uint32_t, float>(row.type,
                                              [&]<class T>() -> std::optional<Task> { return arg_min_of<T>(n); });
    if (row.primitive == "reduce_by_key") {
        const std::optional<double> mean = mean_named(row.case_name);
        if (mean && row.type == "u32+u32") return sums_by_key<std::uint32_t>(n, *mean);
        if (mean && row.type == "u32+f32") return sums_by_key<float>(n, *mean);
    }
    if (row.primitive == "segmented_reduce") {
        const std::optional<clients::Bounds> bounds = segments_named(row.case_name, n);
        if (!bounds) return {};
        return for_type<std::uint32_t, float>(
            row.type, [&]<class T>() -> std::optional<Task> { return sums_of_segments<T>(n, *bounds); });
    }
    return {};
}

const Sizes kSizes = {1u << 10, 1u << 13, 1u << 16, 1u << 18, 1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28};
const std::vector<RowSet> kRows = {
    {"reduce", {"u32", "f32"}, {"sum"}, kAllSizes, kQuickSizes},
    {"reduce", {"u8_to_u32", "u64", "f64"}, {"sum"}, kSizes},
    {"reduce", {"u32", "f32"}, {"max"}, kFewSizes},
    {"reduce", {"u32", "u64"}, {"xor"}, kFewSizes},
    {"transform_reduce", {"f32"}, {"squares"}, kSizes},
    {"transform_reduce", {"f64"}, {"squares"}, kFewSizes},
    {"transform_reduce", {"u32"}, {"count"}, kFewSizes},
    {"arg_min", {"u32", "f32"}, {"uniform"}, kSizes},
    {"reduce_by_key", {"u32+u32", "u32+f32"}, {"runs_1.5", "runs_16", "runs_1000"}, kSizes},
    {"segmented_reduce", {"u32", "f32"}, {"rows_32", "rows_1000", "rows_100000", "zipf_lengths"}, kSizes},
};

}  // namespace

int main(int count, char** arguments) { return run_gpu_program(count, arguments, kRows, find); }
