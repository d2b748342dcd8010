# What the scripts share that build consumers. Needs the variables of a script test; sets `work`, a folder of the script's own.

work=$KOGGE_BUILD_DIR/consumers/$(basename "$0" _test.sh)
rm -rf "$work"
mkdir -p "$work"

fail() {
    echo "$*"
    exit 1
}

# quietly COMMAND...: shows what it prints only when it fails.
quietly() {
    local log=$work/command.log
    if ! "$@" > "$log" 2>&1; then
        cat "$log"
        fail "failed: $*"
    fi
}

# A library without CUDA in $host_build, which is this build, or one that the scripts build once for all of them.
build_host_only() {
    host_build=$KOGGE_BUILD_DIR
    if [ "$KOGGE_WITH_CUDA" != ON ]; then return; fi
    host_build=$KOGGE_BUILD_DIR/consumers/host_only
    {
        flock 9
        quietly cmake -S "$KOGGE_SOURCE_DIR" -B "$host_build" -G Ninja "-DCMAKE_CXX_COMPILER=$CXX" -DKOGGE_CUDA=OFF \
            "-DKOGGE_WERROR=${KOGGE_WERROR:-OFF}" -DKOGGE_BUILD_TESTS=OFF -DKOGGE_BUILD_BENCH=OFF -DKOGGE_BUILD_TOOLS=OFF \
            -DKOGGE_BUILD_EMULATOR=OFF
        quietly cmake --build "$host_build" --target kogge kogge_distributed
    } 9> "$KOGGE_BUILD_DIR/consumers/host_only.lock"
}

# The newest CMake that pip brings, in $newest_cmake; empty, and said so, where it brings none.
find_newest_cmake() {
    local venv=$KOGGE_BUILD_DIR/consumers/newest_cmake
    newest_cmake=$venv/bin/cmake
    {
        flock 9
        if [ ! -x "$newest_cmake" ] && ! { python3 -m venv "$venv" && timeout 100 "$venv/bin/pip" install -q cmake; } > "$work/pip.log" 2>&1; then
            tail -1 "$work/pip.log"
            echo "not tested: the newest CMake, which pip does not bring here"
            newest_cmake=
            return
        fi
    } 9> "$KOGGE_BUILD_DIR/consumers/newest_cmake.lock"
    "$newest_cmake" --version | head -1
}

# configure CMAKE FOLDER ON|OFF OPTION...: a consumer with or without CUDA, which has no build type.
configure() {
    local cmake=$1 folder=$2 cuda=$3
    shift 3
    local options=("-DCMAKE_CXX_COMPILER=$CXX" "-DCONSUMER_CUDA=$cuda")
    if [ "$cuda" = ON ]; then options+=("-DCMAKE_CUDA_COMPILER=$CUDACXX" "-DCMAKE_CUDA_HOST_COMPILER=$CXX"); fi
    if [ "$cuda" = ON ] && grep -q -e --Ofast-compile <<< "$("$CUDACXX" --help)"; then
        options+=(-DCMAKE_CUDA_FLAGS=--Ofast-compile=mid)  # kernels that run once; less would not bound registers
    fi
    # Without a GPU no kernel runs: the driver's part of compiling is left out.
    if [ "$cuda" = ON ] && ! nvidia-smi -L > /dev/null 2>&1; then options+=(-DCMAKE_CUDA_ARCHITECTURES=90-virtual); fi
    quietly "$cmake" -S "$KOGGE_SOURCE_DIR/tests/consumer" -B "$folder" -G "Unix Makefiles" "${options[@]}" "$@"
}
