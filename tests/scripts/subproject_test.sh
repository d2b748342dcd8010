#!/usr/bin/env bash
# Projects that build kogge as a part of theirs, by add_subdirectory and by FetchContent, with CUDA and without. They are
# given the library as it is built already: what is tested is how they compile and link.
set -euo pipefail
if ! command -v make > /dev/null; then
    echo "skipped: no make"
    exit 77
fi
source "$KOGGE_SOURCE_DIR/tests/consumer/common.sh"

# consume CMAKE NAME WAY ON|OFF TARGET...
consume() {
    local cmake=$1 folder=$work/$2 way=$3 cuda=$4 target targets=() library=$host_build kogge
    shift 4
    configure "$cmake" "$folder" "$cuda" "-DCONSUMER_GETS_KOGGE_BY=$way" "-DCONSUMER_KOGGE_SOURCE=$KOGGE_SOURCE_DIR" "-DKOGGE_CUDA=$cuda"
    kogge=$folder/kogge
    if [ "$way" = FetchContent ]; then kogge=$folder/_deps/kogge-build; fi
    # The project has no build type; the library is optimised.
    grep -q '^CXX_FLAGS = .*-O3' "$kogge/CMakeFiles/kogge.dir/flags.make" || fail "$2: the library is not optimised"
    if [ "$cuda" = ON ]; then
        library=$KOGGE_BUILD_DIR
        grep -q '^CUDA_FLAGS = .*-O3' "$kogge/CMakeFiles/kogge.dir/flags.make" || fail "$2: kernels are not optimised"
    fi
    if grep -rlE '(gtest|KOGGE_EMULATED|CLI11)' "$kogge" --include=flags.make; then fail "$2: builds tests or tools"; fi
    cp "$library/libkogge.a" "$kogge/"
    for target; do targets+=("$target/fast"); done  # without the library
    quietly "$cmake" --build "$folder" --target "${targets[@]}"
    # The project installs what it installs.
    quietly "$cmake" --install "$folder" --prefix "$folder/installed"
    if [ -e "$folder/installed" ]; then fail "$2: installs kogge as well"; fi
}

build_host_only
find_newest_cmake

# The components are optimised, too.
configure cmake "$work/components" OFF -DCONSUMER_GETS_KOGGE_BY=add_subdirectory "-DCONSUMER_KOGGE_SOURCE=$KOGGE_SOURCE_DIR" \
    -DKOGGE_CUDA=OFF -DKOGGE_BUILD_C=ON -DKOGGE_BUILD_DISTRIBUTED=ON
for component in distributed mpi c_objects; do
    flags=$work/components/kogge/CMakeFiles/kogge_$component.dir/flags.make
    if [ "$component" = mpi ] && [ ! -e "$flags" ]; then continue; fi  # no MPI here
    grep -q '^CXX_FLAGS = .*-O3' "$flags" || fail "components: kogge_$component is not optimised"
done

consume cmake subdirectory add_subdirectory OFF flags host_consumer
"$work/subdirectory/host_consumer"
consume cmake fetched FetchContent OFF flags host_consumer
"$work/fetched/host_consumer"
if [ -n "$newest_cmake" ]; then
    consume "$newest_cmake" newest_subdirectory add_subdirectory OFF flags host_consumer
    "$work/newest_subdirectory/host_consumer"
    consume "$newest_cmake" newest_fetched FetchContent OFF flags
fi

if [ "$KOGGE_WITH_CUDA" != ON ]; then exit 0; fi
consume cmake cuda_subdirectory add_subdirectory ON flags host_consumer separable_consumer
"$work/cuda_subdirectory/host_consumer"
"$work/cuda_subdirectory/separable_consumer"
consume cmake cuda_fetched FetchContent ON flags
if [ -n "$newest_cmake" ]; then
    consume "$newest_cmake" newest_cuda_subdirectory add_subdirectory ON flags
    consume "$newest_cmake" newest_cuda_fetched FetchContent ON flags
fi
