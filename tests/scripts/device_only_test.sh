#!/usr/bin/env bash
# Functions that are __device__ only compile in every call that takes a function, and host data with them are refused by
# name. The one kind that a compiler cannot tell, a struct's operator(), ends the process with the reason on stderr.
set -euo pipefail

if [ "$KOGGE_WITH_CUDA" != ON ]; then
    echo "skipped: no nvcc"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

cat > "$out/refused.cu" << 'END'
#include <cstdint>
#include <cstdio>
#include <vector>
#include "kogge/kogge.hpp"

struct Untold { __device__ bool operator()(int item) const { return item > 0; } };
struct Told { __device__ bool operator()(int item) const { return item > 0; } };
template <> inline constexpr bool kogge::runs_on_host<Told> = false;
struct ToldAdd { __device__ int operator()(int a, int b) const { return a + b; } };
template <> inline constexpr bool kogge::runs_on_host<ToldAdd> = false;

int in[300'000] = {1, -1}, out[300'000], beside[300'000];
std::uint64_t numbers[300'001];
int wrong = 0;

template <class Call>
void refused(const char* name, const Call& call) {
    try {
        call();
        std::printf("%s: runs\n", name);
    } catch (const kogge::error& error) {
        const std::string what = error.what();
        if (error.code() == kogge::errc::invalid_argument && what.find("__device__ only") != std::string::npos) return;
        std::printf("%s: %s\n", name, error.what());
    }
    ++wrong;
}

int main(int argc, char**) {
    const auto positive = [] __device__(int item) { return item > 0; };
    const auto add = [] __device__(int a, int b) { return a + b; };
    const auto same = [] __device__(int a, int b) { return a == b; };
    const auto bin = [] __device__(int item) { return item & 1; };
    const auto less = [] __device__(int a, int b) { return a < b; };
    const auto first = [] __device__(std::uint64_t i) { return i == 0; };
    const auto two = [] __device__(std::uint64_t) { return 2; };
    const auto make = [] __device__(std::uint64_t i, std::uint64_t k) { return static_cast<int>(i + k); };
    if (argc == 1) {
        refused("compact", [&] { kogge::compact(in, out, 2, positive); });
        refused("compact, told", [&] { kogge::compact(in, out, 2, Told{}); });
        refused("compact_stencil", [&] { kogge::compact_stencil(in, in, out, 2, positive); });
        refused("compact of arrays", [&] { kogge::compact(kogge::arrays(in), kogge::arrays(out), 2, positive); });
        refused("partition", [&] { kogge::partition(in, out, 2, positive); });
        refused("split", [&] { kogge::split(in, out, 2, 2, bin); });
        refused("emit", [&] { kogge::emit(out, 4, 2, two, make); });
        refused("inclusive_scan", [&] { kogge::inclusive_scan(in, out, 2, add); });
        refused("exclusive_scan", [&] { kogge::exclusive_scan(in, out, 2, 0, add); });
        refused("reverse_inclusive_scan", [&] { kogge::reverse_inclusive_scan(in, out, 2, add); });
        refused("scan by key", [&] { kogge::inclusive_scan_by_key(in, in, out, 2, kogge::plus{}, same); });
        refused("segmented scan", [&] { kogge::inclusive_segmented_scan(in, out, 2, numbers, 1, add); });
        refused("unique", [&] { kogge::unique(in, out, 2, same); });
        refused("unique_by_key", [&] { kogge::unique_by_key(in, in, out, beside, 2, same); });
        refused("run_length_encode", [&] { kogge::run_length_encode(in, out, beside, 2, same); });
        refused("compact_indices", [&] { kogge::compact_indices(in, out, 2, positive); });
        refused("compact_indices of positions", [&] { kogge::compact_indices(kogge::positions{}, out, 2, first); });
        refused("reduce", [&] { kogge::reduce(in, out, 2, add); });
        refused("reduce, told", [&] { kogge::reduce(in, 2, ToldAdd{}); });
        refused("transform_reduce", [&] { kogge::transform_reduce(in, out, 2, bin); });
        refused("transform_reduce, returned", [&] { kogge::transform_reduce(in, 2, Told{}); });
        refused("transform_reduce by an operator", [&] { kogge::transform_reduce(in, out, 2, bin, add, 0); });
        refused("reduce_by_key", [&] { kogge::reduce_by_key(in, in, out, beside, 2, add); });
        refused("reduce_by_key of equal keys", [&] { kogge::reduce_by_key(in, in, out, beside, 2, kogge::plus{}, same); });
        refused("segmented_reduce", [&] { kogge::segmented_reduce(in, out, 2, numbers, 1, add); });
        refused("segmented_reduce of rows", [&] { kogge::segmented_reduce(in, out, kogge::rows_of{1, 2}, add); });
        refused("merge", [&] { kogge::merge(in, in, out, 2, 2, less); });
        refused("merge_pairs", [&] { kogge::merge_pairs(in, in, in, in, out, beside, 2, 2, less); });
        refused("lower_bound", [&] { kogge::lower_bound(in, in, out, 2, 2, less); });
        refused("upper_bound", [&] { kogge::upper_bound(in, in, out, 2, 2, less); });
        refused("histogram", [&] { kogge::histogram(in, out, 2, 2, bin); });
        refused("histogram of rows", [&] { kogge::histogram(in, out, kogge::rows_of{1, 2}, 2, bin); });
        refused("weighted_histogram", [&] { kogge::weighted_histogram(in, in, out, 2, 2, bin); });
        refused("a range", [&] { std::vector<int>(2) | kogge::compact(positive); });
        refused("exec.where", [&] { kogge::compact(in, out, 2, positive, {.where = kogge::backend::host}); });
        if (kogge::compact(in, out, 0, positive) != 0 || kogge::unique(in, out, 0, same) != 0) ++wrong;
        kogge::split(in, out, numbers, 0, 2, bin);
        return wrong > 0 || numbers[2] != 0 ? 2 : 0;
    }
    // With two threads, too, where the function ends the process in either.
    kogge::compact(in, out, argc == 2 ? 2 : 300'000, Untold{}, {.host_threads = argc == 2 ? 1 : 2});
    return 0;
}
END
quick=
if grep -q -e --Ofast-compile <<< "$("$CUDACXX" --help)"; then quick=--Ofast-compile=max; fi
"$CUDACXX" -std=c++20 -arch=sm_75 -Wno-deprecated-gpu-targets -ccbin "$CXX" $quick --expt-relaxed-constexpr --extended-lambda \
    -I "$KOGGE_SOURCE_DIR/include" "$out/refused.cu" "$KOGGE_BUILD_DIR/libkogge.a" -o "$out/refused"

status=0
"$out/refused" || { echo "some calls are not refused" && status=1; }
for arguments in one 'one two'; do
    # shellcheck disable=SC2086
    if "$out/refused" $arguments 2> "$out/log"; then
        echo "a __device__ function ran on the host"
        status=1
    elif ! grep -q 'kogge::compact: the process ends in a function .*__device__ only' "$out/log"; then
        echo "the process ended without a reason: $(cat "$out/log")"
        status=1
    fi
done
exit $status
