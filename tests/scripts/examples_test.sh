#!/usr/bin/env bash
# The examples that are not C++ (tests/examples), compiled as their first lines say: in C on the host, on an emulated device
# and on a GPU, as far as this build and machine have them; in Rust and in Go where their compilers are.
set -euo pipefail
source "$KOGGE_SOURCE_DIR/tests/consumer/common.sh"
if [ ! -e "$KOGGE_BUILD_DIR/libkogge.so" ]; then
    echo "skipped: this build has no libkogge.so"
    exit 77
fi
examples=$KOGGE_SOURCE_DIR/tests/examples
cc=${CC:-cc}
export LD_LIBRARY_PATH=$KOGGE_BUILD_DIR
include=(-I "$KOGGE_SOURCE_DIR/include")
library=(-L "$KOGGE_BUILD_DIR" -lkogge)
warnings=(-Wall -Wextra -pedantic -Werror)

# runs_c NAME: the program checks its results; a plan is exact, so that the allocator lends what it says, on a device.
runs_c() {
    local program=$work/$1 planned lent
    "$program" > "$program.txt" || fail "strongest.c, $1, ends with $?: $(cat "$program.txt")"
    planned=$(sed -nE 's/^scratch: ([0-9]+) bytes$/\1/p' "$program.txt")
    lent=$(sed -nE 's/^lent: ([0-9]+) bytes$/\1/p' "$program.txt")
    [ "${planned:-0}" -gt 0 ] || fail "strongest.c, $1, plans no scratch: $(cat "$program.txt")"
    [ "$lent" = "$([ "$1" = host ] && echo 0 || echo "$planned")" ] || fail "strongest.c, $1: $(cat "$program.txt")"
}

quietly "$cc" -std=c11 "${warnings[@]}" "${include[@]}" "$examples/strongest.c" "${library[@]}" -o "$work/host"
runs_c host
grep -q '^plan for H100: .*1 launch' "$work/host.txt" || fail "strongest.c tells no plan: $(cat "$work/host.txt")"

# The emulated device, by CUDA's names for the three calls that the example makes.
if [ -e "$KOGGE_BUILD_DIR/libkogge_emulated.a" ]; then
    mkdir "$work/emulated_cuda"
    cat > "$work/emulated_cuda/cuda_runtime_api.h" << 'END'
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct CUstream_st* cudaStream_t;
enum { cudaSuccess = 0, cudaMemcpyDefault = 4 };
int cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream);
int cudaFreeAsync(void* memory, cudaStream_t stream);
int cudaMemcpy(void* to, const void* from, size_t bytes, int kind);
#ifdef __cplusplus
}
#endif
END
    cat > "$work/emulated_cuda/runtime.cpp" << 'END'
#include <cuda_runtime_api.h>
#include <kogge/simt/runtime.hpp>
int cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
    *memory = kogge::simt::allocate(bytes, stream);
    return cudaSuccess;
}
int cudaFreeAsync(void* memory, cudaStream_t stream) { return kogge::simt::deallocate(memory, stream), cudaSuccess; }
int cudaMemcpy(void* to, const void* from, size_t bytes, int) {
    kogge::simt::copy(to, from, bytes, nullptr);
    kogge::simt::synchronize(nullptr);
    return cudaSuccess;
}
END
    quietly "$cc" -std=c11 "${warnings[@]}" -DWITH_CUDA -I "$work/emulated_cuda" "${include[@]}" -c "$examples/strongest.c" -o "$work/emulated.o"
    quietly "$CXX" -std=c++20 -DKOGGE_EMULATED=1 -I "$work/emulated_cuda" "${include[@]}" "$work/emulated_cuda/runtime.cpp" "$work/emulated.o" \
        "$KOGGE_BUILD_DIR"/CMakeFiles/kogge_c_objects.dir/lib/c/*.o "$KOGGE_BUILD_DIR"/libkogge_emulated{,_base}.a \
        -lboost_context -pthread -o "$work/emulated"
    runs_c emulated
fi
if [ "${KOGGE_WITH_CUDA:-}" = ON ]; then
    toolkit=$(dirname "$(dirname "$(readlink -f "$CUDACXX")")")
    quietly "$cc" -std=c11 "${warnings[@]}" -DWITH_CUDA -isystem "$toolkit/include" "${include[@]}" "$examples/strongest.c" \
        "${library[@]}" -L "$toolkit/lib64" -lcudart_static -ldl -lrt -pthread -o "$work/gpu"
    if nvidia-smi -L 2> /dev/null | grep '^GPU ' > /dev/null; then runs_c gpu; else echo "not tested: the example in C on a GPU"; fi
fi

PATH=$PATH:$HOME/.cargo/bin
if command -v rustc > /dev/null; then
    quietly rustc --edition 2021 -O "$examples/host.rs" -L "native=$KOGGE_BUILD_DIR" -o "$work/host_rs"
    quietly "$work/host_rs"
    grep -q '^refused: kogge::arg_top_k: ' "$work/command.log" || fail "host.rs says: $(cat "$work/command.log")"
else
    echo "not tested: the example in Rust, as there is no rustc"
fi

if command -v go > /dev/null; then
    quietly env "CGO_CFLAGS=${include[*]}" "CGO_LDFLAGS=${library[*]}" "GOCACHE=$work/go" go run "$examples/host.go"
    grep -q '^refused: kogge::radix_sort: ' "$work/command.log" || fail "host.go says: $(cat "$work/command.log")"
else
    echo "not tested: the example in Go, as there is no go"
fi
