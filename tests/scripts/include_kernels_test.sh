#!/usr/bin/env bash
# No header compiles a kernel by being included: only a call does, and only what its types need. A call on plain numbers
# that the library has device code for compiles none.
set -euo pipefail

if [ "$KOGGE_WITH_CUDA" != ON ]; then
    echo "skipped: no nvcc"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failures=0

# expect_kernels NAME COUNT < source
expect_kernels() {
    local kernels
    cat > "$out/a.cu"
    "$CUDACXX" -std=c++20 -ccbin "$CXX" -ptx --expt-relaxed-constexpr --extended-lambda -I "$KOGGE_SOURCE_DIR/include" \
        -o "$out/a.ptx" "$out/a.cu"
    kernels=$(grep -c '\.entry' "$out/a.ptx" || true)
    [ "$kernels" -eq "$2" ] && return
    echo "$1: $kernels kernels, not $2:"
    grep '\.entry' "$out/a.ptx" | c++filt | cut -c1-200
    failures=$((failures + 1))
}

# The headers of kernels that kogge.hpp includes are among them.
for header in $(cd "$KOGGE_SOURCE_DIR/include" && find kogge -name '*.hpp' -o -name '*.cuh' | grep -v /simt/emulated); do
    echo "#include \"$header\""
done | expect_kernels "all headers" 0

expect_kernels "calls on numbers" 0 << 'END'
#include "kogge/kogge.hpp"
void calls(const unsigned* in, unsigned* out, float* floats, double* values, const std::uint8_t* flags,
           std::uint64_t* numbers, std::uint64_t* count, std::uint64_t n) {
    kogge::inclusive_scan(in, out, n);
    kogge::exclusive_scan(in, numbers, n, std::uint64_t{0});
    kogge::compact(in, out, count, n, kogge::compare<unsigned>{kogge::relation::less, 7u});
    kogge::compact_flags(in, flags, out, count, n);
    kogge::radix_sort(out, n);
    kogge::radix_sort_pairs(floats, values, n, {.nans = kogge::nan_order::last});
    kogge::argsort(in, out, n);
    kogge::segmented_sort(out, n, numbers, 3);
    kogge::segmented_sort_pairs(floats, kogge::arrays(out, values), n, numbers, 3);
}
END
exit $((failures > 0))
