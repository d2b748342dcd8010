#!/usr/bin/env bash
# A build option with a value that it does not have ends the configuration, and the message says which it has.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# refuse OPTION=VALUE MESSAGE
refuse() {
    if cmake -S "$KOGGE_SOURCE_DIR" -B "$work" "-DCMAKE_CXX_COMPILER=$CXX" -DKOGGE_CUDA=OFF "-D$1" > "$work/log" 2>&1; then
        echo "accepted: $1"
        status=1
    elif ! tr -s '[:space:]' ' ' < "$work/log" | grep -qF "$2"; then
        echo "does not say '$2': $1"
        status=1
    fi
    rm -f "$work/CMakeCache.txt"
}

refuse KOGGE_QUICK_KERNELS=all "KOGGE_QUICK_KERNELS is 'all': use TESTS, ALL or OFF"
refuse KOGGE_CUDA=yes "KOGGE_CUDA is 'yes': use AUTO, ON or OFF"
refuse KOGGE_HIGHWAY=yes "KOGGE_HIGHWAY is 'yes': use AUTO, ON or OFF"
refuse KOGGE_SANITIZE=memory "KOGGE_SANITIZE is 'memory': use address, thread or nothing"
refuse KOGGE_ARCHITECTURES=sm_80 "KOGGE_ARCHITECTURES is 'sm_80': use ALL, or a list as 80-real;90"

# All cards in one file: machine code of each, PTX of the newest alone, compressed.
if [ "${KOGGE_WITH_CUDA:-OFF}" = ON ]; then
    if ! cmake -S "$KOGGE_SOURCE_DIR" -B "$work/all" "-DCMAKE_CXX_COMPILER=$CXX" "-DCMAKE_CUDA_COMPILER=$CUDACXX" -DKOGGE_CUDA=ON \
        -DKOGGE_ARCHITECTURES=ALL -DKOGGE_BUILD_TESTS=OFF -DKOGGE_BUILD_BENCH=OFF -DKOGGE_BUILD_TOOLS=OFF \
        -DKOGGE_BUILD_EMULATOR=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON > "$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    kernels=$(grep -m1 -E '"command".*instances/scan_plus' "$work/all/compile_commands.json")
    for code in sm_{75,80,86,89,90,100,120} compute_120; do
        if ! grep -qE "code=\[?([a-z_0-9]+,)?$code[],]" <<< "$kernels"; then
            echo "KOGGE_ARCHITECTURES=ALL has no $code: $kernels"
            status=1
        fi
    done
    if [ "$(grep -oE 'compute_[0-9]+,sm|code=\[compute' <<< "$kernels" | wc -l)" -ne 1 ] || ! grep -q -e 'compress' <<< "$kernels"; then
        echo "KOGGE_ARCHITECTURES=ALL has other PTX, or is not compressed: $kernels"
        status=1
    fi
fi
exit $status
