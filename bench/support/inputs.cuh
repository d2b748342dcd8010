// Inputs in device memory, and the comparison of results.
#pragma once

#include <cstdint>

#include "inputs.hpp"
#include "kogge/simt/device.cuh"
#include "kogge/simt/runtime.hpp"

namespace bench {

using kogge::stream_t;

inline constexpr int kThreads = 256;

KOGGE_DEVICE std::uint64_t first_place() {
    return std::uint64_t{kogge::simt::block_rank()} * kThreads + static_cast<std::uint64_t>(kogge::simt::thread_rank());
}
KOGGE_DEVICE std::uint64_t all_threads() { return std::uint64_t{kogge::simt::grid_size()} * kThreads; }

inline kogge::simt::LaunchShape shape_for(std::uint64_t n, stream_t stream, const char* name) {
    const std::uint64_t blocks = (n + kThreads - 1) / kThreads;
    return {static_cast<std::uint32_t>(blocks < 1 ? 1 : blocks > 4096 ? 4096 : blocks), kThreads, 0, stream, name};
}

template <class T, class Make>
KOGGE_KERNEL void make_items_kernel(T* items, std::uint64_t n, Make make) {
    kogge::simt::wait_for_stream();
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) items[i] = make(i);
}

/// items[i] = make(i).
template <class T, class Make>
void make_items(T* items, std::uint64_t n, Make make, stream_t stream) {
    kogge::simt::launch(make_items_kernel<T, Make>, shape_for(n, stream, "make_items_kernel"), items, n, make);
}

// ---- comparing -----------------------------------------------------------------------------------------

/// Sums words, so that they must be read.
KOGGE_SHARED_KERNEL void read_all_kernel(const std::uint64_t* words, std::uint64_t n, std::uint64_t* sum) {
    kogge::simt::wait_for_stream();
    std::uint64_t mine = 0;
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) mine += words[i];
    if (mine == 0) *sum = mine;  // words are not zero, so that this is never written
}
inline void read_all(const std::uint64_t* words, std::uint64_t n, std::uint64_t* sum, stream_t stream) {
    kogge::simt::launch(read_all_kernel, shape_for(n, stream, "read_all_kernel"), words, n, sum);
}

template <class T, class Other>
KOGGE_KERNEL void count_mismatches_kernel(const T* items, Other other, std::uint64_t n, std::uint64_t* count) {
    kogge::simt::wait_for_stream();
    std::uint64_t mine = 0;
    for (std::uint64_t i = first_place(); i < n; i += all_threads()) mine += items[i] == other[i] ? 0 : 1;
    if (mine > 0) kogge::simt::atomic_add<kogge::simt::Scope::device>(count, mine);
}

template <class T>
struct Reversed {
    const T* items;
    std::uint64_t n;
    KOGGE_DEVICE T operator[](std::uint64_t i) const { return items[n - 1 - i]; }
};

/// Whether items[i] == other[i] everywhere; waits for the answer.
template <class T, class Other>
bool is_equal(const T* items, Other other, std::uint64_t n, stream_t stream) {
    auto* count = static_cast<std::uint64_t*>(kogge::simt::allocate(sizeof(std::uint64_t), stream));
    kogge::simt::fill(count, 0, sizeof *count, stream);
    kogge::simt::launch(count_mismatches_kernel<T, Other>, shape_for(n, stream, "count_mismatches_kernel"), items,
                        other, n, count);
    std::uint64_t mismatches = 0;
    kogge::simt::copy(&mismatches, count, sizeof mismatches, stream);
    kogge::simt::deallocate(count, stream);
    kogge::simt::synchronize(stream);
    return mismatches == 0;
}

inline std::uint64_t read_number(const std::uint64_t* number, stream_t stream) {
    std::uint64_t value = 0;
    kogge::simt::copy(&value, number, sizeof value, stream);
    kogge::simt::synchronize(stream);
    return value;
}

}  // namespace bench
