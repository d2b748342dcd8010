#!/usr/bin/env bash
# The kernels compile for the oldest architecture that the library supports, without a warning: those that it holds, and
# those that it makes for a caller's functions.
set -euo pipefail

if [ "$KOGGE_WITH_CUDA" != ON ] || ! grep -q '^compute_75$' <<< "$("$CUDACXX" --list-gpu-arch)"; then
    echo "skipped: no nvcc that compiles for sm_75"
    exit 77
fi
quick=
if grep -q -e --Ofast-compile <<< "$("$CUDACXX" --help)"; then quick=--Ofast-compile=max; fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

compile() {
    local log
    log=$("$CUDACXX" -std=c++20 -arch=sm_75 -Wno-deprecated-gpu-targets -ccbin "$CXX" -cubin $quick \
        --expt-relaxed-constexpr -I "$KOGGE_SOURCE_DIR/include" -o "$2/$(basename "$1").cubin" "$1" 2>&1) && [ -z "$log" ] && return
    echo "$1:"
    sed -E 's/_ZN[0-9A-Za-z_]{200,}/(a long name)/' <<< "$log" | sort | uniq -c | head -20
    return 1
}
export -f compile
export KOGGE_SOURCE_DIR CUDACXX CXX quick
cat > "$out/calls.cu" << 'END'
#include "kogge/kogge.hpp"
struct Odd { __host__ __device__ bool operator()(unsigned item) const { return item % 2 == 1; } };
struct Bin { __host__ __device__ unsigned operator()(unsigned item) const { return item % 10; } };
struct Two { __host__ __device__ std::uint64_t operator()(std::uint64_t) const { return 2; } };
struct Make { __host__ __device__ unsigned operator()(std::uint64_t i, std::uint64_t) const { return unsigned(i); } };
struct Pair { float x, y; };
struct Add { __host__ __device__ Pair operator()(Pair a, Pair b) const { return {a.x + b.x, a.y + b.y}; } };
void calls(const unsigned* in, unsigned* out, const std::uint8_t* bytes, const Pair* pairs, Pair* sums,
           std::uint64_t* numbers, std::uint64_t* count, std::uint64_t n) {
    kogge::inclusive_scan(pairs, sums, n, Add{});
    kogge::exclusive_scan(bytes, numbers, n, std::uint64_t{0});
    kogge::reverse_inclusive_scan(in, out, n);
    kogge::inclusive_scan_by_key(in, pairs, sums, n, Add{});
    kogge::inclusive_segmented_scan(in, out, n, numbers, 3);
    kogge::compact(in, out, count, n, Odd{});
    kogge::partition(in, out, count, n, Odd{});
    kogge::split(in, out, numbers, n, 10, Bin{});
    kogge::emit(out, n, count, n, Two{}, Make{});
    kogge::run_length_encode(in, out, numbers, count, n);
    kogge::radix_sort_pairs(out, sums, n);
    kogge::segmented_sort(out, n, numbers, 3);
}
END
sources=("$out/calls.cu")
# A build for this device alone has compiled the library's.
if ! grep -q '^CMAKE_CUDA_ARCHITECTURES:[A-Z]*=75-real$' "$KOGGE_BUILD_DIR/CMakeCache.txt"; then
    sources+=("$KOGGE_SOURCE_DIR"/lib/instances/*.cu)
fi
printf '%s\n' "${sources[@]}" | xargs -P 2 -I{} bash -c 'compile "$1" "$2"' _ {} "$out"
