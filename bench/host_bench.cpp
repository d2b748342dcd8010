// kogge-bench: HOST
// The host backend beside std:: and memcpy, and beside Thrust's OpenMP backend where its headers and OpenMP are there.
// Rows are named primitive/whose/items; bytes are those that must be read and written at least.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "kogge/host/partition.hpp"
#include "kogge/host/radix_sort.hpp"
#include "kogge/host/scan.hpp"
#include "kogge/operators.hpp"

#if __has_include(<thrust/sort.h>) && defined(_OPENMP)
#include <thrust/copy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/system/omp/execution_policy.h>
#define KOGGE_BENCH_THRUST 1
#endif

namespace {

namespace host = kogge::host;
using Items = std::vector<std::uint32_t>;

const Items& input(std::uint64_t n) {
    static Items items;
    if (items.size() != n) {
        items.resize(n);
        std::mt19937 random(1);
        for (std::uint32_t& item : items) item = static_cast<std::uint32_t>(random());
    }
    return items;
}

bool is_odd(std::uint32_t item) { return item % 2 == 1; }
const auto keep_odd = [](std::uint64_t, std::uint32_t item) { return item % 2 == 1; };
const auto codec = kogge::detail::make_codec<std::uint32_t>({});

/// work(in, out) reads n items and writes `written` times as many; `out` has room for 2 n.
template <class Work>
void add(const std::string& name, std::uint64_t n, double written, Work work) {
    benchmark::RegisterBenchmark((name + "/" + std::to_string(n)).c_str(),
                                 [=](benchmark::State& state) {
                                     const Items& in = input(n);
                                     Items out(2 * n, 1);  // its pages are there before the clock runs
                                     for (auto _ : state) {
                                         work(in, out);
                                         benchmark::ClobberMemory();
                                     }
                                     state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * n));
                                     state.SetBytesProcessed(static_cast<std::int64_t>(
                                         static_cast<double>(state.iterations() * n * 4) * (1 + written)));
                                 })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
}

void add_all(std::uint64_t n) {
    add("copy/all threads", n, 1, [=](const Items& in, Items& out) { host::copy_items(out.data(), in.data(), n, 0); });

    add("scan/kogge", n, 1,
        [=](const Items& in, Items& out) { host::scan(in.data(), out.data(), n, kogge::plus{}, 0u, false, true, 0); });
    add("scan/std", n, 1, [](const Items& in, Items& out) { std::inclusive_scan(in.begin(), in.end(), out.begin()); });

    add("compact/kogge", n, 0.5, [=](const Items& in, Items& out) {
        host::compact(in.data(), n, out.data(), static_cast<std::uint32_t*>(nullptr), keep_odd, 0);
    });
    add("compact/std", n, 0.5,
        [](const Items& in, Items& out) { std::copy_if(in.begin(), in.end(), out.begin(), is_odd); });
    add("partition/kogge", n, 1,
        [=](const Items& in, Items& out) { host::compact(in.data(), n, out.data(), out.data(), keep_odd, 0); });
    add("split256/kogge", n, 1, [=](const Items& in, Items& out) {
        host::split(
            in.data(), out.data(), n, 256, [](std::uint32_t item) { return item % 256; }, nullptr, 0);
    });

    add("sort/kogge", n, 1,
        [=](const Items& in, Items& out) { host::radix_sort(in.data(), out.data(), n, codec, 0, 32, 0); });
    add("sort/std", n, 1, [](const Items& in, Items& out) {
        std::copy(in.begin(), in.end(), out.begin());
        std::sort(out.begin(), out.begin() + in.size());
    });
    add("sort pairs/kogge", n, 2, [=](const Items& in, Items& out) {
        host::radix_sort_pairs(in.data(), out.data(), in.data(), out.data() + n, n, codec, 0, 32, 0);
    });
#if defined(KOGGE_BENCH_THRUST)
    add("scan/thrust omp", n, 1, [](const Items& in, Items& out) {
        thrust::inclusive_scan(thrust::omp::par, in.begin(), in.end(), out.begin());
    });
    add("compact/thrust omp", n, 0.5, [](const Items& in, Items& out) {
        thrust::copy_if(thrust::omp::par, in.begin(), in.end(), out.begin(), is_odd);
    });
    add("sort/thrust omp", n, 1, [](const Items& in, Items& out) {
        thrust::copy(thrust::omp::par, in.begin(), in.end(), out.begin());
        thrust::sort(thrust::omp::par, out.begin(), out.begin() + in.size());
    });
#endif
}

const bool registered = [] {
    for (const int bits : {12, 16, 20, 26}) add_all(std::uint64_t{1} << bits);
    return true;
}();

}  // namespace
