#!/usr/bin/env bash
# Builds kernels so that the emulator sees each memory access, and checks that reads of memory that nobody has
# written are reported. The same flags serve any other emulated test: give its source as an argument.
#   tests/scripts/initialised_test.sh [source …]
set -euo pipefail
source_dir=${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build_dir=${KOGGE_BUILD_DIR:-$source_dir/build}/initialised
compiler=(${CXX:-g++})
command -v ccache > /dev/null && compiler=(ccache "${compiler[@]}")

if ! echo '#include <boost/context/detail/fcontext.hpp>' | "${compiler[@]}" -x c++ -E - > /dev/null 2>&1; then
    echo "skipped: Boost.Context (libboost-context-dev) is not here"
    exit 77
fi
mkdir -p "$build_dir"
flags=(-std=c++20 -O2 -g -DKOGGE_EMULATED=1 -DKOGGE_CHECK_INITIALISED=1 -I"$source_dir/include"
    -I"$source_dir/lib" -I"$source_dir/tests")

# The scheduler, and what it asks whether a thread only measures, are not instrumented; the library's kernels and the
# tests are, and nothing links ThreadSanitizer.
objects=()
compile() {  # <source> [flag …]
    local object
    object=${1#"$source_dir"/}
    object=$build_dir/${object//\//_}.o
    "${compiler[@]}" "${flags[@]}" "${@:2}" -c "$1" -o "$object"
    objects+=("$object")
}
while IFS= read -r source; do compile "$source"; done < <(find "$source_dir/lib/emulator" -name '*.cpp' | sort)
compile "$source_dir/lib/measuring.cpp"
if [[ $# -gt 0 ]]; then
    for source in "$source_dir"/lib/{exec.cpp,{plan,tuning,scratch,host}/*.cpp}; do compile "$source" -fsanitize=thread; done
    for source in "$source_dir"/lib/instances/*.cu; do compile "$source" -x c++ -fsanitize=thread; done
fi
shared=("${objects[@]}")
for source in "${@:-$source_dir/tests/support/initialised.cpp}"; do
    objects=("${shared[@]}")
    compile "$source" -fsanitize=thread
    program=$build_dir/$(basename "${source%.*}")
    "${compiler[@]}" "${objects[@]}" -o "$program" -lgtest -lgtest_main -lboost_context -pthread
    "$program" --gtest_brief=1
done
