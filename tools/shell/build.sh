# Configure, build, run ctest.

quick_code="-O1 -DNDEBUG"

# configure FOLDER [OPTION...]
configure() {
    local folder=$1
    shift
    local log=$folder/configure.log
    local arguments=(-S "$root" -B "$folder" -G Ninja "-DKOGGE_WERROR=${KOGGE_WERROR:-OFF}"
        "-DCMAKE_PROJECT_kogge_INCLUDE=$root/tools/cmake/KoggePrecompiled.cmake")
    if [ -n "${KOGGE_QUICK_KERNELS:-}" ]; then arguments+=("-DKOGGE_QUICK_KERNELS=$KOGGE_QUICK_KERNELS"); fi
    if [ "${KOGGE_QUICK_CODE:-}" = ON ]; then
        # nvcc's level is for its host code; what kernels cost is KOGGE_QUICK_KERNELS' to say.
        arguments+=("-DCMAKE_CXX_FLAGS_RELEASE=$quick_code" "-DCMAKE_CUDA_FLAGS_RELEASE=-O0 -DNDEBUG")
    elif grep -qsFx -- "CMAKE_CXX_FLAGS_RELEASE:STRING=$quick_code" "$folder/CMakeCache.txt"; then
        arguments+=(-UCMAKE_CXX_FLAGS_RELEASE -UCMAKE_CUDA_FLAGS_RELEASE)
    fi
    mkdir -p "$folder"
    # The compiler is chosen once a folder: changing it later would throw the folder's cache away.
    if [ ! -e "$folder/CMakeCache.txt" ]; then arguments+=("-DCMAKE_CXX_COMPILER=$CXX"); fi
    say "configuring ${folder#"$root"/}"
    if ! cmake "${arguments[@]}" "$@" > "$log" 2>&1; then
        cat "$log"
        die "configuring failed; the whole output is in $log"
    fi
    grep -A4 -E '^-- kogge:|^CMake Warning' "$log" | grep -E '^-- kogge:|Warning|^  +kogge:' || true
}

# Without nvcc on PATH the folder of a build with CUDA would go on using it: say OFF.
cuda_option() { if has_nvcc; then echo -DKOGGE_CUDA=AUTO; else echo -DKOGGE_CUDA=OFF; fi; }

# The folder for builds of this machine's kind.
main_folder() { if has_nvcc; then echo "$build_root/cuda"; else echo "$build_root/plain"; fi; }

sanitized_folder() { echo "$build_root/$1-sanitizer"; }
configure_sanitized() {
    configure "$(sanitized_folder "$1")" "-DKOGGE_SANITIZE=$1" -DKOGGE_CUDA=OFF -DKOGGE_BUILD_BENCH=OFF -DKOGGE_BUILD_TOOLS=OFF
}

# A build of the benchmarks alone, against another CUB than the toolkit's: configure_for_cccl DIR
cccl_folder() { echo "$build_root/cccl"; }
configure_for_cccl() {
    configure "$(cccl_folder)" -DKOGGE_CUDA=ON "-DKOGGE_CCCL_DIR=$1" -DKOGGE_BUILD_TESTS=OFF -DKOGGE_BUILD_EMULATOR=OFF \
        -DKOGGE_BUILD_TOOLS=OFF
}

# build FOLDER TARGET...
build() {
    local folder=$1
    shift
    say "building $*"
    # Without these ccache keeps nothing that precompiled headers are part of.
    CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros} \
        cmake --build "$folder" -j "$(job_count)" --target "$@" || die "the build failed; the first error is above"
}

# run_ctest FOLDER [CTEST OPTION...]: by the command run_with, if that is set; returns ctest's status and counts.
run_with=()
run_ctest() {
    local folder=$1 status=0 results gpus=()
    shift
    if [ -e "$folder/tests/gpus.json" ]; then gpus=(--resource-spec-file "$folder/tests/gpus.json"); fi
    results=$folder/results.xml
    rm -f "$results"
    "${run_with[@]}" ctest --test-dir "$folder" --output-on-failure --output-junit "$results" -j "$(nproc)" \
        ${gpus[@]+"${gpus[@]}"} "$@" || status=$?
    grep -q '<testcase' "$results" || die "ctest found no tests"
    count_results "$results"
    return "$status"
}

# count_results JUNIT_FILE: adds to the totals.
passed=0 failed=0 skipped=0
count_results() {
    local tests failures disabled not_run
    tests=$(suite_attribute "$1" tests)
    failures=$(suite_attribute "$1" failures)
    disabled=$(suite_attribute "$1" disabled)
    not_run=$(suite_attribute "$1" skipped)
    passed=$((passed + tests - failures - disabled - not_run))
    failed=$((failed + failures))
    skipped=$((skipped + disabled + not_run))
}

# suite_attribute JUNIT_FILE NAME
suite_attribute() { sed -nE "/<testsuite /,/>/ s/^.*[[:space:]]$2=\"([0-9]+)\".*/\1/p" "$1" | head -1; }

closing_line() { echo "$passed passed, $failed failed, $skipped skipped"; }
