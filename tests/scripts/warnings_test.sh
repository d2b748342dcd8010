#!/usr/bin/env bash
# The headers have no warnings of which a project would hear that includes them as its own and has many switched on; and
# they do not mind macros called min and max. By g++ and by clang++, and both as the host compiler of nvcc. The library's
# sources have none of clang++'s usual ones.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings=(-Wall -Wextra -Wshadow -Wconversion -Wsign-conversion)
status=0

# silent COMMAND...: the command prints nothing.
silent() {
    local log
    if log=$("$@" 2>&1) && [ -z "$log" ]; then return; fi
    echo "$*:"
    grep -E '(warning|error)[: ]' <<< "$log" | sort -u | head -20
    status=1
}

# What programs define that have never heard of kogge, windows.h for one.
cat > "$work/macros.hpp" << 'END'
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) < (b) ? (b) : (a))
END
cat > "$work/calls.cpp" << 'END'
#include "macros.hpp"
#include "every_call.hpp"

namespace consumer {
template <class Key>
void sort_keys(void* memory, const Places& at, const kogge::exec& how) {
    sorts(static_cast<Key*>(memory), static_cast<Key*>(memory), 9, at, how);
}
template <class T>
void use(void* memory, const Places& at, const kogge::exec& how) {
    T* const items = static_cast<T*>(memory);
    sort_keys<T>(memory, at, how);
    scans(items, items, 9, at, how);
    merges_and_searches(items, items, 9, at, how);
    reductions(items, items, 9, at, how);
    if constexpr (std::integral<T>) compactions(items, items, 9, at, how);
    if constexpr (std::integral<T>) ranges(std::vector<T>{});
    histograms(items, 9, at, how);
}
void use_all(void* memory, const Places& at, const kogge::exec& how) {
    use<std::uint32_t>(memory, at, how);
    emits(static_cast<std::uint32_t*>(memory), 9, at, how);
#ifndef __CUDACC__
    use<std::uint8_t>(memory, at, how);
    use<std::int16_t>(memory, at, how);
    use<std::int64_t>(memory, at, how);
    use<float>(memory, at, how);
    use<double>(memory, at, how);
    sort_keys<Particle>(memory, at, how);
    sort_keys<kogge::half>(memory, at, how);
    sort_keys<kogge::uint128>(memory, at, how);
#endif
}
}  // namespace consumer
END
# The standard library and the toolkit mind the macros: they come first where they do not take them back.
cat > "$work/calls.cu" << 'END'
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <ranges>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <vector>
#include "calls.cpp"
END

compilers=("$CXX")
if command -v clang++ > /dev/null && [ "$(basename "$CXX")" != clang++ ]; then compilers+=(clang++); fi
includes=(-I "$KOGGE_SOURCE_DIR/include" -I "$KOGGE_SOURCE_DIR/tests/consumer" -I "$work")
for compiler in "${compilers[@]}"; do
    silent "$compiler" -std=c++20 "${warnings[@]}" -Wpedantic -pedantic-errors -fno-rtti "${includes[@]}" -fsyntax-only "$work/calls.cpp"
done
if command -v clang++ > /dev/null; then
    for source in "$KOGGE_SOURCE_DIR"/lib/{,plan/,tuning/,scratch/,host/}*.cpp "$KOGGE_SOURCE_DIR"/lib/runtime/none*.cpp; do
        silent clang++ -std=c++20 -Wall -Wextra -I "$KOGGE_SOURCE_DIR/include" -I "$KOGGE_SOURCE_DIR/lib" -fsyntax-only "$source"
    done
fi
if [ "$KOGGE_WITH_CUDA" = ON ]; then
    quick=()
    if grep -q -e --Ofast-compile <<< "$("$CUDACXX" --help)"; then quick=(--Ofast-compile=max); fi
    # What nvcc hands to the host compiler has directives, and initialisers, that are no part of ISO C++.
    host_warnings=$(IFS=,; echo "${warnings[*]}")
    for compiler in "${compilers[@]}"; do
        extra=
        if [[ $compiler == *clang++ ]]; then extra=,-Wno-gnu-designator,-Wno-unused-function; fi  # and the toolkit has unused ones
        silent "$CUDACXX" -ccbin "$compiler" -std=c++20 -arch=compute_90 "${quick[@]}" --expt-relaxed-constexpr --extended-lambda \
            "-Xcompiler=$host_warnings$extra" "${includes[@]}" -c "$work/calls.cu" -o "$work/calls.o"
    done
fi
exit $status
