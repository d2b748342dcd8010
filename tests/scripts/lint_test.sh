#!/usr/bin/env bash
# Plants each kind of violation in a small tree and sees that lint finds it, there and nowhere else.
set -uo pipefail

KOGGE_SOURCE_DIR=${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
lint=$KOGGE_SOURCE_DIR/tools/lint
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
# The small tree compiles without CUDA headers: keep the device compiler out of it.
PATH=$(tr ':' '\n' <<< "$PATH" | while IFS= read -r folder; do [ -x "$folder/nvcc" ] || printf '%s:' "$folder"; done)
failures=0

write() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' "${@:2}" > "$tree/$1"
}

fresh_tree() {
    rm -rf "${tree:?}"/*
    cp "$KOGGE_SOURCE_DIR/.clang-format" "$tree/"
    write include/kogge/error.hpp '// Errors.' '#pragma once' 'struct error {};'
    write include/kogge/exec.hpp '#pragma once' '#include "kogge/simt/config.hpp"'
    write include/kogge/simt/config.hpp '#pragma once' '// a mention of __shared__ and <<< is none'
    write include/kogge/simt/device.cuh '#pragma once' '#include "kogge/error.hpp"' '#include "kogge/simt/config.hpp"'
    write include/kogge/warp/scan.cuh '#pragma once' '#include "kogge/simt/device.cuh"'
    write include/kogge/block/scan.cuh '#pragma once' '#include "kogge/warp/scan.cuh"'
    write include/kogge/scan/launch.cuh '#pragma once' '#include "kogge/block/scan.cuh"' '#include "kogge/exec.hpp"'
    write include/kogge/compact/launch.cuh '#pragma once' '#include "kogge/block/scan.cuh"'
    write include/kogge/sort/prefix/shape.hpp '#pragma once'
    write include/kogge/sort/resident/kernel.cuh '#pragma once' '#include "kogge/block/scan.cuh"'
    write include/kogge/host/scan.hpp '#pragma once' '#include "kogge/exec.hpp"'
    write include/kogge/scan.hpp '#pragma once' '#include "kogge/host/scan.hpp"' '#include "kogge/scan/launch.cuh"'
    write lib/scan.cpp '#include "kogge/scan.hpp"' 'const char* text = "blockIdx, <<<";'
    write tests/scan_test.cpp '#include "kogge/scan.hpp"'
}

fail() {
    echo "$1"
    failures=$((failures + 1))
}

# expect_finding NAME TEXT: lint fails with exactly one finding, and it says TEXT.
expect_finding() {
    local output
    if output=$("$lint" "$tree" 2>&1); then fail "$1: lint found nothing"; fi
    if ! grep -qF "$2" <<< "$output"; then fail "$1: lint does not say '$2': $output"; fi
    if [ "$(grep -c '^lint: .*: ' <<< "$output")" -ne 1 ]; then fail "$1: more than one finding: $output"; fi
    fresh_tree
}

# A line of code in a file of its own.
plant_code() {
    write "$1" "$2"
    expect_finding "$2 in $1" "$1:1: $3"
}

fresh_tree
output=$("$lint" "$tree" 2>&1) || fail "the clean tree: $output"
clang_format_runs=true
if grep -q 'formatting is not checked' <<< "$output"; then clang_format_runs=false; fi

for code in '__shared__ int a[32];' 'int a = threadIdx.x;' 'int a = blockIdx.x;' 'int a = blockDim.x;' \
    'int a = gridDim.x;' 'void f() { __syncthreads(); }' 'void f() { __syncwarp(); }' 'void f() { __threadfence(); }' \
    'int a = __shfl_sync(0, 0, 0);' 'int a = __ballot_sync(0, 0);' 'int a = __match_any_sync(0, 0);'; do
    word=$(grep -oE '__[a-z]+|[a-z]+(Idx|Dim)' <<< "$code" | head -1)
    plant_code lib/planted.cpp "$code" "$word"
done
plant_code lib/planted.cpp 'int a = atomicAdd(0, 0);' 'a bare atomic outside simt/'
plant_code lib/planted.cpp 'void f() { asm("nop"); }' 'assembler outside simt/'
plant_code lib/planted.cpp '#include <cub/cub.cuh>' 'CUB and Thrust'
plant_code lib/planted.cpp '#include "thrust/sort.h"' 'CUB and Thrust'
write include/kogge/sort/prefix/planted.cuh '#pragma once' '#include <bit>' 'inline int f(unsigned a) { return std::popcount(a); }'
expect_finding popcount 'include/kogge/sort/prefix/planted.cuh:3: not for device code, unless constexpr'
write include/kogge/planted.hpp '#pragma once' '#include <algorithm>' '#include <limits>' 'inline int f(int a) { return (std::max)(a, 1); }' \
    'inline int g() { return std::numeric_limits<int>::max(); }'
expect_finding max 'include/kogge/planted.hpp:5: a macro called min or max would take this'
write include/kogge/planted.hpp '#pragma once' '#include <algorithm>' 'inline int f(int a) { return std::min(a, 1); }'
expect_finding min 'include/kogge/planted.hpp:3: a macro called min or max would take this'

# Lists with designators: assigned ones, and initialisations that are none.
declare='struct Two { int a, b; struct { int c; } in; Two* next; };'
assigned='a list with designators is assigned: name its type'
for code in 'x = {.a = 1};' 'if (x.a) x = {.b = 2};' 'x.in = {.c = 2};' 'x.next->in = {.c = 2};' 'list[3] = {1, 2, {.c = 2}};' \
    'list[x.a].in =' 'pairs = {{.a = 1}, {.a = 2}};' '*x.next = {' 'for (;;) x = { .a = 1};'; do
    write tests/planted.cpp '// clang-format off' "$declare" 'void f(Two& x, Two (&list)[9], Pairs& pairs) {' "    $code" \
        '        {.c = 1};' '}'
    expect_finding "$code" "tests/planted.cpp:4: $assigned"
done
write tests/planted.cpp '// clang-format off' "$declare" 'void f(Two x = {.a = 1}) {' '    const Two y = {.a = 1}, z{.b = x.a};' \
    '    const Outer outer = {.two = {.a = 1}, .other =' '        {.b = 1}};' '    x = Two{.a = 1}; x = {}; x = {1, 2}; x.in = {x.a};' \
    '    static constexpr Two list[2] = {{.a = 1}, {.b = 2}};' '    // x = {.a = 1};' '}'
"$lint" "$tree" > /dev/null || fail "lint takes an initialisation for an assignment"
fresh_tree

write lib/planted.cu '// clang-format off' 'void f() { kernel<<<1, 1>>>(); }'
expect_finding launch 'lib/planted.cu:2: a kernel launch outside simt/'

write tests/planted.cpp '// clang-format off' 'KOGGE_KERNEL void fine_kernel(int* a,' '                              int* b) {' \
    '    simt::wait_for_stream();' '}' 'KOGGE_KERNEL void early_kernel(int* a) {' '    *a = 1;' '}'
expect_finding "a kernel that does not wait" 'tests/planted.cpp:6: a kernel begins with wait_for_stream()'
write tests/planted.cpp '// clang-format off' 'KOGGE_KERNEL void declared_kernel(int* a);' \
    'KOGGE_KERNEL void short_kernel(int* a) { simt::wait_for_stream(); *a = 1; }' \
    'KOGGE_SHARED_KERNEL void early_kernel(int* a) { *a = 1; }' 'void wait() { simt::wait_for_stream(); }'
expect_finding "a short one" 'tests/planted.cpp:4: a kernel begins with wait_for_stream()'

write lib/emulator/fine.cpp '__shared__ int a[32];'
write tests/fine.cpp '#include <cub/cub.cuh>'
"$lint" "$tree" > /dev/null || fail "lint objects to machine words in lib/emulator, or to CUB in tests"
fresh_tree

# include direction: every pair that points up.
plant_include() {
    write "$1" '#pragma once' "#include \"kogge/$2\""
    expect_finding "$1 includes $2" "$1:2: $3"
}
plant_include include/kogge/simt/planted.hpp warp/scan.cuh 'simt must not include warp'
plant_include include/kogge/warp/planted.cuh block/scan.cuh 'warp must not include block'
plant_include include/kogge/block/planted.cuh scan/launch.cuh 'block must not include scan'
plant_include include/kogge/scan/planted.cuh compact/launch.cuh 'scan must not include compact'
plant_include include/kogge/pass/planted.cuh sort/prefix/shape.hpp 'pass must not include sort/prefix'
plant_include include/kogge/sort/small/planted.cuh sort/resident/kernel.cuh 'sort/small must not include sort/resident'
plant_include include/kogge/segmented/planted.cuh scan.hpp 'segmented must not include public'
plant_include include/kogge/host/planted.hpp scan/launch.cuh 'host must not include scan'
plant_include include/kogge/host/planted.hpp block/scan.cuh 'host must not include block'
plant_include include/kogge/host/planted.hpp warp/scan.cuh 'host must not include warp'
plant_include include/kogge/plan.hpp scan/launch.cuh 'vocabulary must not include scan'
plant_include include/kogge/attic/planted.cuh simt/device.cuh 'attic or simt is in no row of the floors'
write include/kogge/warp/planted.cuh '#pragma once' '#include "scan.cuh"'
expect_finding "a relative include" 'include/kogge/warp/planted.cuh:2: includes "scan.cuh"'

write include/kogge/warp/planted.cuh '#pragma once' 'inline std::size_t a = 0;'
expect_finding "a header that needs another" 'include/kogge/warp/planted.cuh: does not compile alone with -DKOGGE_EMULATED=1'
write include/kogge/planted.hpp '#pragma once' '#if !KOGGE_EMULATED' 'inline std::size_t a = 0;' '#endif'
expect_finding "a header that needs the emulator" 'include/kogge/planted.hpp: does not compile alone: '
write include/kogge/planted.hpp '#pragma once' '#if KOGGE_EMULATED' 'inline std::size_t a = 0;' '#endif'
expect_finding "a header that needs the host" 'include/kogge/planted.hpp: does not compile alone with -DKOGGE_EMULATED=1'
write include/kogge/planted.hpp '// Nothing.'
expect_finding "no guard" 'include/kogge/planted.hpp: no #pragma once'

write lib/planted.cpp '// a space at the end '
if $clang_format_runs; then sed -i '1i // clang-format off' "$tree/lib/planted.cpp"; fi
expect_finding "a space" 'tab, carriage return or space at the end of a line'
write tools/planted.sh $'\techo'
expect_finding "a tab" 'tools/planted.sh:1: tab'
write notes.txt 'hello'
expect_finding "a stranger at the top" 'notes.txt: does not belong at the top level'
if $clang_format_runs; then
    write lib/planted.cpp 'int   a;'
    expect_finding "format" 'lib/planted.cpp:1: not formatted'
fi

[ "$failures" -eq 0 ] && echo "lint finds what was planted"
