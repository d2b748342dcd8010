// Run after run of the same call, compared on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kogge/exec.hpp"
#include "kogge/simt/device.cuh"
#include "support/backend.hpp"

namespace tests {

KOGGE_SHARED_KERNEL void count_differences_kernel(const std::uint32_t* a, const std::uint32_t* b, std::uint64_t n,
                                                  std::uint64_t* differences) {
    kogge::simt::wait_for_stream();
    for (std::uint64_t i = kogge::simt::block_rank() * std::uint64_t{256} + kogge::simt::thread_rank(); i < n;
         i += kogge::simt::grid_size() * std::uint64_t{256})
        if (a[i] != b[i]) kogge::simt::atomic_add<kogge::simt::Scope::device>(differences, 1);
}

/// Words in which `runs` runs of call(out, how) differ from a first one. between(run): other work, which finds all
/// kernels loaded and all memory there.
template <class T, class Call, class Between>
std::uint64_t differences_of_runs(std::size_t n, kogge::stream_t stream, const Call& call, const Between& between,
                                  int runs = 1000) {
    const kogge::exec how{.stream = stream};
    Array<T> first(n), again(n);
    Array<std::uint64_t> differences(std::vector<std::uint64_t>(1, 0));
    const auto compare = [&] {
        call(again.data(), how);
        kogge::simt::launch(count_differences_kernel, {264, 256, 0, stream, "count_differences_kernel"},
                            reinterpret_cast<const std::uint32_t*>(first.data()),
                            reinterpret_cast<const std::uint32_t*>(again.data()), n * sizeof(T) / sizeof(std::uint32_t),
                            differences.data());
    };
    call(first.data(), how);
    compare();
    kogge::simt::synchronize(stream);
    for (int run = 0; run < runs; ++run) {
        between(run);
        compare();
    }
    kogge::simt::synchronize(stream);
    return differences.get()[0];
}

}  // namespace tests
