#!/usr/bin/env bash
# Kernels that are compiled for a debugger, and apart from what they call, link as the page of calls says.
set -euo pipefail

if [ "$KOGGE_WITH_CUDA" != ON ]; then
    echo "skipped: no nvcc"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

grep -q -e '-maxrregcount=32' "$KOGGE_SOURCE_DIR/include/kogge/CALLS.md" || { echo "the page of calls names no bound of registers" && exit 1; }
cat > "$out/kernel.cu" << 'END'
#include "kogge/compact/launch.cuh"
struct Odd { __host__ __device__ bool operator()(unsigned item) const { return item % 2 == 1; } };
using Keep = kogge::grid::ByPredicate<Odd>;
template __global__ void kogge::grid::count_kept_kernel<unsigned, Keep>(kogge::grid::CompactProblem<unsigned, Keep>);
END
debug=(-std=c++20 -arch=sm_90 -ccbin "$CXX" --expt-relaxed-constexpr -I "$KOGGE_SOURCE_DIR/include" -G -rdc=true
    -maxrregcount=32)
"$CUDACXX" "${debug[@]}" -c -o "$out/kernel.o" "$out/kernel.cu"
"$CUDACXX" "${debug[@]}" -dlink -o "$out/linked.o" "$out/kernel.o"
