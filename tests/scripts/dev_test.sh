#!/usr/bin/env bash
# What tools/dev says and does on machines that lack something. The machine is a PATH of links and stand-ins.
set -uo pipefail

KOGGE_SOURCE_DIR=${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
machine=$work/bin
failures=0
export KOGGE_BUILD_ROOT=$work/build
unset CXX CUDACXX CMAKE_PREFIX_PATH

fail() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# stand_in NAME SCRIPT: a program of the machine.
stand_in() {
    rm -f "$machine/$1"
    printf '#!/bin/bash\n%s\n' "$2" > "$machine/$1"
    chmod +x "$machine/$1"
}

# fresh_machine USER_ID: everything of this machine but compilers and what installs; a g++ that finds every header.
fresh_machine() {
    rm -rf "$machine" "$KOGGE_BUILD_ROOT"
    mkdir "$machine"
    ln -s /usr/bin/* "$machine/" 2> /dev/null
    rm -f "$machine"/{g++,clang++,clang-format,gcc}* "$machine"/*sudo* "$machine"/{apt*,nvcc,nvidia-smi,cmake,ninja,python*}
    stand_in g++ 'case $1 in -dumpfullversion) echo 12.2.0 ;; --version) echo g++ ;; *) cat > /dev/null ;; esac'
    stand_in cmake 'echo "cmake version 3.25.1"'
    stand_in ninja ''
    stand_in python3 'exit 1'
    stand_in clang-format-14 'echo "clang-format version 14.0.6"'
    stand_in id "echo $1"
    stand_in apt-cache 'case $2 in g++) v=4:12.2.0-3 ;; cmake) v=3.25.1-1 ;; esac; echo "  Candidate: $v"'
    stand_in apt-get "echo \"apt-get \$*\" >> $work/apt.log"
    : > "$work/apt.log"
}

# dev STATUS TEXT ARGUMENTS...: runs tools/dev there; its last line must hold TEXT.
dev() {
    local expected=$1 text=$2 output status=0
    shift 2
    output=$(PATH=$machine "$KOGGE_SOURCE_DIR/tools/dev" "$@" 2>&1) || status=$?
    [ "$status" -eq "$expected" ] || fail "$case_name: status $status: $output"
    [[ $(tail -1 <<< "$output") == *"$text"* ]] || fail "$case_name: ends without '$text': $output"
}

case_name="everything is there"
fresh_machine 0
dev 0 "everything is there: g++" deps
# But for Highway and MPI, which some releases lack, and ccache.
if grep -vE '((libhwy|libopenmpi)-dev|ccache)$' "$work/apt.log" > /dev/null; then fail "$case_name: yet it installs: $(cat "$work/apt.log")"; fi

case_name="not root"
fresh_machine 1000
rm "$machine/ninja"
dev 1 "run this, then try again: sudo apt-get install -y ninja-build" test
[ ! -s "$work/apt.log" ] || fail "$case_name: yet it installs"

case_name="root installs"
fresh_machine 0
rm "$machine/ninja"
stand_in apt-get "echo \"apt-get \$*\" >> $work/apt.log; if [ \"\$1\" = install ]; then ln -sf /bin/true $machine/ninja; fi"
dev 0 "everything is there" deps
grep -q '^apt-get update' "$work/apt.log" || fail "$case_name: without the package lists"
grep -q '^apt-get install .*ninja-build$' "$work/apt.log" || fail "$case_name: not ninja"

case_name="root, and the package does not help"
fresh_machine 0
rm "$machine/ninja"
dev 1 "still missing after installing ninja-build: Ninja" deps

case_name="no network"
fresh_machine 0
rm "$machine/ninja"
stand_in apt-get 'exit 100'
dev 1 "apt-get update failed" demo

case_name="no such package"
fresh_machine 0
rm "$machine/ninja"
stand_in apt-get '[ "$1" = update ]'
dev 1 "apt-get could not install: ninja-build" demo

case_name="no apt"
fresh_machine 0
rm "$machine"/{apt-get,apt-cache,cmake}
dev 1 "install what is missing (on Debian or Ubuntu: cmake)" demo

case_name="a header is missing"
fresh_machine 1000
stand_in g++ 'if [ "$1" = -dumpfullversion ]; then echo 13.1.0; exit; fi; if [ "$1" = --version ]; then echo g++; exit; fi
! grep gtest > /dev/null'
dev 1 "sudo apt-get install -y libgtest-dev" test

case_name="an old compiler"
fresh_machine 1000
stand_in g++ 'case $1 in -dumpfullversion) echo 11.4.0 ;; --version) echo g++ ;; *) cat > /dev/null ;; esac'
stand_in apt-cache 'echo "  Candidate: 4:11.2.0-1"'
note=$(PATH=$machine "$KOGGE_SOURCE_DIR/tools/dev" deps 2>&1)
[[ $note == *"g++-12"* ]] || fail "$case_name: $note"
case_name="CXX names an old compiler"
CXX=g++ dev 1 "CXX=g++ is not a C++20 compiler" deps

case_name="clang 15 is too old, clang 16 is not"
fresh_machine 1000
rm "$machine/g++"
stand_in clang++ 'case $1 in -dumpfullversion) echo 15.0.6 ;; --version) echo clang ;; *) cat > /dev/null ;; esac'
dev 1 "sudo apt-get install -y g++" lint
stand_in clang++-16 'case $1 in -dumpfullversion) echo 16.0.6 ;; --version) echo clang ;; *) cat > /dev/null ;; esac'
dev 0 "everything is there: clang++-16" deps

old_cmake='echo "cmake version 3.22.1"'
case_name="an old CMake, and a newer one from PyPI"
fresh_machine 1000
stand_in cmake "$old_cmake"
stand_in apt-cache 'echo "  Candidate: 3.22.1-1"'
dev 1 "sudo apt-get install -y python3-venv" demo
stand_in python3 'if [ "$1" = -c ]; then exit; fi
mkdir -p "$3/bin"
printf "#!/bin/bash\nprintf \"#!/bin/bash\\necho cmake version 4.1.0\\n\" > $3/bin/cmake; chmod +x $3/bin/cmake" > "$3/bin/pip"
chmod +x "$3/bin/pip"'
dev 0 "cmake version 4.1.0" deps
rm -rf "$KOGGE_BUILD_ROOT"
stand_in python3 '[ "$1" = -c ]'
dev 1 "PyPI gave no CMake" deps

case_name="configuring fails"
fresh_machine 0
stand_in cmake 'if [ "$1" = --version ]; then echo "cmake version 3.25.1"; exit; fi; echo "the reason"; exit 1'
dev 1 "configuring failed" demo
case_name="building fails"
stand_in cmake 'if [ "$1" = --version ]; then echo "cmake version 3.25.1"; exit; fi; [ "$1" != --build ]'
dev 1 "the build failed; the first error is above" demo

case_name="a benchmark fails, and the next one runs all the same"
fresh_machine 0
benches=$KOGGE_BUILD_ROOT/plain/bench
mkdir -p "$benches"
for name in first second; do printf '#!/bin/bash\necho "$*" >> %s/log\n' "$benches" > "$benches/${name}_bench_host"; done
echo 'exit 1' >> "$benches/first_bench_host"
chmod +x "$benches"/*_bench_host
dev 1 "a benchmark failed; what it said is above" bench --quick
[ "$(grep -c -- "--out=$KOGGE_BUILD_ROOT/plain/bench-results --quick" "$benches/log")" -eq 2 ] || fail "$case_name: $(cat "$benches/log")"
case_name="benchmarks pass"
printf '#!/bin/bash\n' > "$benches/first_bench_host"
rm "$machine/python3"
dev 0 "no python3, so no plots and no table" bench --quick
case_name="benchmarks on a GPU, and those of the host beside it"
stand_in nvcc ''
stand_in nvidia-smi 'echo "GPU 0: stand-in"'
benches=$KOGGE_BUILD_ROOT/cuda/bench
mkdir -p "$benches"
for name in host gpu; do printf '#!/bin/bash\necho %s "$*" >> %s/log\n' $name "$benches" > "$benches/only_bench_$name"; done
chmod +x "$benches"/*_bench_*
dev 0 "no python3, so no plots and no table" bench --quick
dev 0 "no python3, so no plots and no table" bench --host --quick
[ "$(cut -d ' ' -f 1,3 "$benches/log" | paste -sd ,)" = "gpu --quick,host --quick" ] || fail "$case_name: $(cat "$benches/log")"
case_name="benchmarks against another CUB"
mkdir -p "$KOGGE_BUILD_ROOT/cccl/bench"
printf '#!/bin/bash\necho "$*" >> %s/log\n' "$KOGGE_BUILD_ROOT/cccl" > "$KOGGE_BUILD_ROOT/cccl/bench/only_bench_gpu"
chmod +x "$KOGGE_BUILD_ROOT/cccl/bench/only_bench_gpu"
stand_in cmake "case \$1 in --version) echo 'cmake version 3.25.1' ;; -S) echo \"\$*\" > $work/configured ;; esac"
dev 1 "there is no folder '$work/none'" bench --cccl "$work/none"
dev 0 "no python3, so no plots and no table" bench --cccl "$machine"
grep -q -- "-DKOGGE_CCCL_DIR=$machine " "$work/configured" || fail "$case_name: configured by $(cat "$work/configured")"
[ "$(cat "$KOGGE_BUILD_ROOT/cccl/log")" = "--out=$KOGGE_BUILD_ROOT/cccl/bench-results" ] || fail "$case_name: $(cat "$KOGGE_BUILD_ROOT/cccl/log")"
stand_in cmake 'echo "cmake version 3.25.1"'
rm "$machine"/{nvcc,nvidia-smi}

case_name="no GPU"
dev 1 "gpu-test needs nvcc on PATH" gpu-test
dev 1 "tune needs nvcc on PATH" tune
dev 1 "compile-cost needs nvcc on PATH" compile-cost
stand_in nvcc ''
dev 1 "gpu-test needs an NVIDIA GPU" gpu-test
dev 1 "bench --cccl needs an NVIDIA GPU" bench --cccl "$machine"
dev 1 "tune needs an NVIDIA GPU" tune

case_name="compute-sanitizer"
stand_in nvidia-smi 'echo "GPU 0: stand-in"'
stand_in cmake 'if [ "$1" = --version ]; then echo "cmake version 3.25.1"; fi'
stand_in ctest 'echo "  Test #1: scan_gpu"'
stand_in compute-sanitizer 'case $2 in racecheck) exit 99 ;; initcheck) exit 1 ;; synccheck) sleep 9 ;; esac'
KOGGE_SANITIZE_TIMEOUT=2 dev 1 "1 passed, 8 failed, 0 skipped" gpu-test --sanitize
stand_in compute-sanitizer '[ "$KOGGE_TEST_SMALL" = 1 ]'
dev 0 "9 passed, 0 failed, 0 skipped" gpu-test --sanitize
stand_in nvidia-smi 'echo "GPU 0: stand-in"; sleep .2; echo "GPU 1: stand-in"'
stand_in compute-sanitizer "echo \$CUDA_VISIBLE_DEVICES >> $machine/devices; sleep 1"
dev 0 "6 passed, 0 failed, 0 skipped" gpu-test --sanitize racecheck
[ "$(sort -u "$machine/devices" | paste -sd ,)" = 0,1 ] || fail "$case_name: not on both GPUs"

case_name="the fuzzer: both machines at once, and what each says"
fresh_machine 0
# fuzzer PLACE SCRIPT
fuzzer() {
    mkdir -p "$KOGGE_BUILD_ROOT/${1%/*}/tests/fuzz"
    printf '#!/bin/bash\necho "$*" >> %s/fuzzed\n%s\n' "$work" "$2" > "$KOGGE_BUILD_ROOT/${1%/*}/tests/fuzz/kogge_fuzz_${1#*/}"
    chmod +x "$KOGGE_BUILD_ROOT/${1%/*}/tests/fuzz/kogge_fuzz_${1#*/}"
}
fuzzer address-sanitizer/host 'echo "7 passed, 0 failed"'
fuzzer plain/emulated 'echo "FAILED: tools/dev fuzz --emulated --seed 5"; echo "3 passed, 1 failed"; exit 1'
dev 1 "10 passed, 1 failed" fuzz --seconds 6
said=$(PATH=$machine "$KOGGE_SOURCE_DIR/tools/dev" fuzz 2>&1)
[[ $said == *"FAILED: tools/dev fuzz --emulated --seed 5"* ]] || fail "$case_name: $said"
[[ $said == *"no clang++ with libFuzzer"* ]] || fail "$case_name: no word of the readers: $said"
dev 0 "7 passed, 0 failed" fuzz --host --seed 5
[ "$(sort "$work/fuzzed" | paste -sd ,)" = "--seconds 6,--seconds 6,--seconds 60,--seconds 60,--seed 5" ] ||
    fail "$case_name: called with $(cat "$work/fuzzed")"
fuzzer plain/emulated 'kill -9 $$'
dev 1 "kogge_fuzz_emulated ended early" fuzz --emulated
stand_in clang++ 'case "$*" in *-MM*) echo "x: x" ;; *"-o /dev/null"*) ;; *)
    printf "#!/bin/bash\necho stat::number_of_executed_units: 40\n" > "${@: -1}"; chmod +x "${@: -1}" ;; esac'
dev 0 "1 passed, 0 failed" fuzz --readers --seconds 1
dev 0 "1 passed, 0 failed" fuzz --readers "$work/fuzzed"
dev 0 "8 passed, 0 failed" fuzz --host --readers --seconds 1
case_name="words that the fuzzer does not know"
for words in --seed "--seconds 1.5" "--seed x" --only --fast; do
    # shellcheck disable=SC2086  # a list of words
    dev 1 "usage: tools/dev fuzz" fuzz $words
done

case_name="wheels"
for words in --fast --library "--cuda --python"; do
    # shellcheck disable=SC2086  # a list of words
    dev 1 "usage: tools/dev wheel" wheel $words
done
dev 1 "there is no library '$work/none'" wheel --library "$work/none"
dev 1 "'python9' is no Python" wheel --python python9
dev 1 "wheel --cuda needs nvcc on PATH" wheel --cuda
stand_in python3 '[ "$1" = -c ] && echo 3.11'
dev 1 "pip does not bring what wheels are built with" wheel

case_name="no such command"
dev 1 "there is no command 'tset'" tset
dev 0 "KOGGE_JOBS" --help
dev 0 "KOGGE_JOBS" demo --help

case_name="ctest's counts"
printf '%s\n' '<testsuite name="tests=9"' ' tests="7"' ' failures="2"' ' disabled="1"' ' skipped="1"' ' >' \
    '<testcase name="a"/>' > "$work/results.xml"
counts=$(source "$KOGGE_SOURCE_DIR/tools/shell/build.sh" && count_results "$work/results.xml" && closing_line)
[ "$counts" = "3 passed, 2 failed, 2 skipped" ] || fail "$case_name: $counts"

[ "$failures" -eq 0 ] && echo "tools/dev says what to do"
