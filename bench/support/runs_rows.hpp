// Runs of equal neighbours against CUB's, counts left on the device: part of partition_bench.cpp. Runs have 1 to
// 2·mean − 1 items (runs_8, runs_1000). The least that must move: each key read once; each run's key, value or length
// written once, its value read.
#pragma once

#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_select.cuh>

#include "harness.hpp"
#include "kogge/runs.hpp"

namespace bench {

enum class RunCall { unique, unique_by_key, run_length_encode };

template <RunCall call, class T>
void runs_ours(const T* in, const T* values, std::uint64_t n, T* out, T* beside, std::uint64_t* count,
               const kogge::exec& how) {
    if constexpr (call == RunCall::unique) kogge::unique(in, out, count, n, {}, how);
    else if constexpr (call == RunCall::unique_by_key) kogge::unique_by_key(in, values, out, beside, count, n, {}, how);
    else kogge::run_length_encode(in, out, beside, count, n, {}, how);
}

template <RunCall call, class T>
cudaError_t runs_cub(void* temporary, std::size_t& bytes, const T* in, const T* values, std::uint64_t n, T* out,
                     T* beside, std::uint64_t* count, kogge::stream_t stream) {
    const auto items = static_cast<int>(n);
    if constexpr (call == RunCall::unique)
        return cub::DeviceSelect::Unique(temporary, bytes, in, out, count, items, stream);
    else if constexpr (call == RunCall::unique_by_key)
        return cub::DeviceSelect::UniqueByKey(temporary, bytes, in, values, out, beside, count, items, stream);
    else return cub::DeviceRunLengthEncode::Encode(temporary, bytes, in, out, beside, count, items, stream);
}

template <RunCall call, class T>
Task find_runs(std::uint64_t n, std::uint64_t mean) {
    constexpr bool has_values = call == RunCall::unique_by_key, writes_two = call != RunCall::unique;
    const std::uint64_t runs = (n + mean - 1) / mean;  // one less if the last would begin past the end
    const auto prepare = [=](int slots, kogge::stream_t stream) {
        const Slots<T> in(n, slots), values(has_values ? n : 1, slots);
        const Slots<T> out(n, slots), expected(n, slots);
        const Slots<T> beside(writes_two ? n : 1, slots), expected_beside(writes_two ? n : 1, slots);
        const Slots<std::uint64_t> count(1, slots), expected_count(1, slots);
        for (int slot = 0; slot < slots; ++slot) {
            const RunStarts starts{static_cast<std::uint64_t>(slot), mean};
            make_items(in[slot], n, RunNumbers<T>{starts}, stream);
            make_items(values[slot], values.items(), Place<T>{}, stream);
        }
        const auto scratch = std::make_shared<KeptScratch>();
        Contest contest;
        contest.ours = [=](int slot, kogge::stream_t s) {
            runs_ours<call, T>(in[slot], values[slot], n, out[slot], beside[slot], count[slot],
                               with_scratch(scratch, s));
        };
        contest.cub = with_temporary([=](void* temporary, std::size_t& bytes, int slot, kogge::stream_t s) {
            return runs_cub<call, T>(temporary, bytes, in[slot], values[slot], n, expected[slot], expected_beside[slot],
                                     expected_count[slot], s);
        });
        contest.spoil = [=](kogge::stream_t s) {
            out.fill(kPattern, s);
            beside.fill(kPattern, s);
            count.fill(kPattern, s);
        };
        contest.is_right = [=](int slot, kogge::stream_t s) {
            const std::uint64_t found = read_number(count[slot], s);
            if (found != read_number(expected_count[slot], s) || found > n) return false;
            const T *left = out[slot], *left_beside = beside[slot];
            return is_equal(left, static_cast<const T*>(expected[slot]), found, s) &&
                   (!writes_two || is_equal(left_beside, static_cast<const T*>(expected_beside[slot]), found, s));
        };
        return contest;
    };
    const double of_runs = 1 + (has_values ? 1 : 0) + (writes_two ? 1 : 0);
    return {bytes_of(n, sizeof(T)) + bytes_of(runs, of_runs * sizeof(T)), prepare};
}

inline std::optional<Task> find_run_call(const RowName& row, std::uint64_t n) {
    const std::optional<std::uint64_t> mean = mean_of_runs(row.case_name);
    if (!mean) return {};
    const auto unique = [&]<class T>() -> std::optional<Task> { return find_runs<RunCall::unique, T>(n, *mean); };
    if (row.primitive == "unique") return for_type<std::uint32_t, std::uint64_t>(row.type, unique);
    if (row.primitive == "unique_by_key" && row.type == "u32+u32")
        return find_runs<RunCall::unique_by_key, std::uint32_t>(n, *mean);
    if (row.primitive == "run_length_encode" && row.type == "u32")
        return find_runs<RunCall::run_length_encode, std::uint32_t>(n, *mean);
    return {};
}

}  // namespace bench
