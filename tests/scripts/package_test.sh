#!/usr/bin/env bash
# Installs the library, with CUDA and without, and builds and runs projects that know only the installed packages.
set -euo pipefail
if ! command -v make > /dev/null; then
    echo "skipped: no make"
    exit 77
fi
source "$KOGGE_SOURCE_DIR/tests/consumer/common.sh"

# install BUILD NAME: to $work/NAME.
install() {
    quietly cmake --install "$1" --prefix "$work/installed" --component library
    # The installed tree must stand alone, wherever it is moved to.
    if grep -rnF --include="*.cmake" -e "$KOGGE_SOURCE_DIR/include" -e "$1" "$work/installed"; then
        fail "the installed package names the tree it was built from"
    fi
    mv "$work/installed" "$work/$2"
    # Nothing but headers, the library and what find_package reads.
    if (cd "$work/$2" && find . -type f | grep -vE '^\./(include/kogge/.*\.(hpp|cuh)|lib[^/]*/(.*/)?(libkogge\.a|cmake/kogge/kogge-[a-z-]+\.cmake))$'); then
        fail "that does not belong to the package"
    fi
}

# consume CMAKE NAME PACKAGE ON|OFF TARGET...
consume() {
    local cmake=$1 folder=$work/$2 package=$3 cuda=$4
    shift 4
    configure "$cmake" "$folder" "$cuda" "-DCMAKE_PREFIX_PATH=$work/$package"
    quietly "$cmake" --build "$folder" --target "$@"
}

build_host_only
install "$host_build" host_only
if [ "$KOGGE_WITH_CUDA" = ON ]; then install "$KOGGE_BUILD_DIR" with_cuda; fi
find_newest_cmake

consume cmake host host_only OFF flags host_consumer
"$work/host/host_consumer"
if [ -n "$newest_cmake" ]; then
    consume "$newest_cmake" newest_host host_only OFF flags host_consumer
    "$work/newest_host/host_consumer"
fi

# Arrays of several ranks are a component of their own.
quietly cmake --install "$host_build" --prefix "$work/host_only" --component distributed
mkdir "$work/ranks"
cat > "$work/ranks/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.25)
project(ranks LANGUAGES CXX)
find_package(kogge REQUIRED COMPONENTS distributed)
add_executable(ranks ranks.cpp)
target_link_libraries(ranks PRIVATE kogge::distributed)
END
cat > "$work/ranks/ranks.cpp" << 'END'
#include <kogge/distributed/reduce.hpp>
#include <kogge/distributed/threads.hpp>
int main() {
    kogge::run_on_threads(2, [](kogge::communicator& ranks) {
        const int own[] = {ranks.rank() + 1, 10};
        if (kogge::distributed::reduce(ranks, own, 2) != 23) ranks.abort("the sum is wrong");
        kogge::distributed::reduce(ranks, own, 2);
    });
}
END
quietly cmake -S "$work/ranks" -B "$work/ranks/build" "-DCMAKE_CXX_COMPILER=$CXX" "-DCMAKE_PREFIX_PATH=$work/host_only"
quietly cmake --build "$work/ranks/build"
"$work/ranks/build/ranks"

# Without CMake, and by another compiler.
if command -v clang++ > /dev/null; then
    quietly clang++ -std=c++20 -Wall -Wextra -Werror -I "$work/host_only/include" "$KOGGE_SOURCE_DIR"/tests/consumer/host_*.cpp \
        -o "$work/by_clang" "$(find "$work/host_only" -name libkogge.a)" -pthread
    "$work/by_clang"
fi

# A later version is not there.
mkdir "$work/later"
cat > "$work/later/CMakeLists.txt" << 'END'
cmake_minimum_required(VERSION 3.25)
project(later LANGUAGES CXX)
find_package(kogge 99 REQUIRED)
END
if cmake -S "$work/later" -B "$work/later/build" "-DCMAKE_CXX_COMPILER=$CXX" "-DCMAKE_PREFIX_PATH=$work/host_only" > "$work/later/log" 2>&1; then
    fail "found as version 99"
fi
grep -q 'requested version "99"' "$work/later/log" || fail "does not say which version is there: $(cat "$work/later/log")"

if [ "$KOGGE_WITH_CUDA" != ON ]; then exit 0; fi

# A program in plain C++, in a project without the language CUDA, uses the library with CUDA.
consume cmake plain with_cuda OFF host_consumer
"$work/plain/host_consumer"
consume cmake cuda with_cuda ON flags device_consumer
"$work/cuda/device_consumer"
if [ -n "$newest_cmake" ]; then
    consume "$newest_cmake" newest_cuda with_cuda ON flags device_consumer
    "$work/newest_cuda/device_consumer"
fi

# A project with CUDA that finds a package without it: CMake says so, and a .cu has one error.
configure cmake "$work/mixed" ON "-DCMAKE_PREFIX_PATH=$work/host_only"
tr -s '[:space:]' ' ' < "$work/command.log" | grep -q 'kogge: the package in .* was built without CUDA' ||
    fail "does not say that the package is without CUDA"
quietly cmake --build "$work/mixed" --target host_consumer
if cmake --build "$work/mixed" --target device_consumer > "$work/mixed/log" 2>&1; then fail "nvcc compiles against a package without CUDA"; fi
if [ "$(grep -c 'error: ' "$work/mixed/log")" -ne 1 ] || ! grep -q 'error: .*built without CUDA' "$work/mixed/log"; then
    cat "$work/mixed/log"
    fail "not one error, that the library is without CUDA"
fi
