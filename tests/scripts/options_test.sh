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
exit $status
