#!/usr/bin/env bash
# Installs the build, then builds and runs a project that knows only the installed package.
set -euo pipefail

work=$KOGGE_BUILD_DIR/consumer
options=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_COMPILER=$CXX")
if [ "$KOGGE_WITH_CUDA" = ON ]; then options+=(-DCONSUMER_CUDA=ON "-DCMAKE_CUDA_COMPILER=$CUDACXX"); fi

rm -rf "$work"
cmake --install "$KOGGE_BUILD_DIR" --prefix "$work/install" --component library > /dev/null
# The installed tree must stand alone, wherever it is moved to.
if grep -rnF --include="*.cmake" -e "$KOGGE_SOURCE_DIR/include" -e "$KOGGE_BUILD_DIR" "$work/install"; then
    echo "the installed package names the tree it was built from"
    exit 1
fi
mv "$work/install" "$work/moved"
cmake -S "$KOGGE_SOURCE_DIR/tests/consumer" -B "$work/build" "-DCMAKE_PREFIX_PATH=$work/moved" "${options[@]}"
cmake --build "$work/build"
"$work/build/host_consumer"
if [ -e "$work/build/device_consumer" ]; then "$work/build/device_consumer"; fi
