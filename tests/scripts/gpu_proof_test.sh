#!/usr/bin/env bash
# The digest of what GPU tests are compiled from, the proof that they passed, and the notice that they could not run.
set -uo pipefail

source "$(dirname "$0")/tools.sh"
if ! command -v git > /dev/null; then
    echo "no git: the proof of GPU tests is not tested"
    exit 77
fi
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE CXX CUDACXX KOGGE_QUICK_KERNELS KOGGE_QUICK_CODE KOGGE_TEST_SMALL GTEST_FILTER GTEST_TOTAL_SHARDS
tree=$work/tree
records=$tree/tests/gpu_proof

write() {
    mkdir -p "$tree/$(dirname "$1")"
    printf '%s\n' "${@:2}" > "$tree/$1"
}

fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree"
    cp -r "$KOGGE_SOURCE_DIR/tools" "$tree/tools"
    rm -rf "$tree/tools/kogge" "$tree/tools/packaging" "$tree/tools/python" "$tree/tools/__pycache__"
    write CMakeLists.txt 'add_library(kogge)' 'target_compile_options(kogge PRIVATE -O3)'
    write include/kogge/scan.hpp '#pragma once' 'int scan(int a);'
    write lib/scan.cu '#include "kogge/scan.hpp"' 'int scan(int a) { return a + 1; }'
    write tests/scan_test.cpp '// kogge-test: EMULATED GPU' '#include "support/inputs.hpp"' 'int a = 1;'
    write tests/words_test.cpp '// kogge-test: HOST' 'int a = 1;'
    write tests/support/inputs.hpp '#pragma once' 'inline int input = 1;'
}

digest() { "$tree/tools/source_digest.py"; }
proof() { "$tree/tools/gpu_proof.py" "$@"; }
prove() { proof write --device "${1:-NVIDIA H100 80GB HBM3}" --driver 580.1 --cuda 13.0 --passed 3 --failed 0 --skipped 0 --digest "$(digest)"; }
commit() { git -C "$tree" add -A && git -C "$tree" commit -qm "$1"; }
change() { echo "int change_$1;" >> "$tree/lib/scan.cu"; }

# ---- the digest ----------------------------------------------------------------------------------------
# same CODE CODE, differ CODE CODE: as files of the library. All are compared by one run of Python.
codes=()
same() { codes+=(same "$1" "$2"); }
differ() { codes+=(differ "$1" "$2"); }
compare_codes() {
    python3 - "$work" "${codes[@]}" << 'END'
import pathlib, sys
sys.path.insert(0, sys.argv[1] + "/tree/tools")
import source_digest

def digest(code):
    file = pathlib.Path(sys.argv[1], "code.cpp")
    file.write_bytes((code + "\n").encode())
    return source_digest.digest_of_file(file)

for kind, one, other in zip(*[iter(sys.argv[2:])] * 3):
    if (digest(one) == digest(other)) != (kind == "same"):
        print(f"{'tells apart' if kind == 'same' else 'does not tell apart'}: {one} and: {other}")
END
}

fresh_tree
case_name="code"
same 'int f(int a) { return a; }' $'int f(int a)\n{\n\treturn a;  // the same\n}'
same 'int a, b;' '/* one * / two // three */ int a,/**/b; // "end'
same $'// one \\\n int a;\nint b;' 'int b;'
same 'int a = b + c;' 'int a=b+c;'
same $'#define A 1\nint a;' $'#  define   A   1 // one\n\n\nint a;'
same $'#define A(x) \\\n    f(x)' '#define A(x) f(x)'
same "char a = '\"'; // b" "char a = '\"';"
same "int a = 1'000; // it's" "int a = 1'000;"
same $'int a;\r' 'int a;'
differ 'int a = 1;' 'int a = 2;'
differ 'int ab;' 'int a b;'
differ 'a = b - -c;' 'a = b-- -c;'
differ 'auto a = "// one";' 'auto a = "// two";'
differ 'auto a = "/* one */";' 'auto a = "/* two */";'
differ 'auto a = "a b";' 'auto a = "ab";'
differ 'auto a = "\"// one";' 'auto a = "\"// two";'
differ 'auto a = R"(" // one)";' 'auto a = R"(" // two)";'
differ 'auto a = R"x()" /* one */)x";' 'auto a = R"x()" /* two */)x";'
differ $'auto a = R"(\n)";' 'auto a = R"()";'
differ "char a = '/', b = '/';" "char a = '/'; //', b = '/';"
differ "int a = 1'000, b = '2';" "int a = 1'000, b = '3';"
differ '#define A(x) f' '#define A (x) f'
differ $'#define A\nb' '#define A b'
differ $'#if A\nint a;\n#endif' $'#if A\n#endif\nint a;'
same $'#if KOGGE_EMULATED\nint a;\n#if A\nint b;\n#else\nint d;\n#endif\n#endif\nint c;' 'int c;'
same $'#if KOGGE_EMULATED\nint a;\n#else\nint b;\n#endif\nint c;' $'int b;\nint c;'
same $'#if !KOGGE_EMULATED // no\nint a;\n#if A\nint b;\n#endif\n#else\nint c;\n#endif' $'int a;\n#if A\nint b;\n#endif'
differ $'#if KOGGE_EMULATED\nint a;\n#else\nint b;\n#endif' $'#if KOGGE_EMULATED\nint a;\n#else\nint c;\n#endif'
differ $'#if KOGGE_EMULATED && A\nint a;\n#endif' $'#if KOGGE_EMULATED && A\nint b;\n#endif'
differ $'#ifdef KOGGE_EMULATED\nint a;\n#endif' $'#ifdef KOGGE_EMULATED\nint b;\n#endif'
differ $'#if A\n#if KOGGE_EMULATED\n#endif\nint a;\n#endif' $'#if A\n#endif\nint a;'
same 'int a = f("a", '"'\\''"'); // b' 'int a = f("a", '"'\\''"');'

output=$(compare_codes 2>&1)
[ -z "$output" ] || fail "$case_name: the digest $output"

case_name="files"
fresh_tree
before=$(digest)
# write_gives same|different FILE LINE: what writing the file does to the digest.
write_gives() {
    write "$2" "$3"
    [ "$([ "$(digest)" = "$before" ] && echo same || echo different)" = "$1" ] || fail "$case_name: $2 is $([ "$1" = same ] || echo not) part of the digest"
    fresh_tree
}
write_gives different include/kogge/other.cuh 'int a;'
write_gives different lib/instances/other.cu 'int a;'
write_gives different tests/support/inputs.hpp 'int a;'
write_gives different tests/more/gpu_test.cpp '// kogge-test: GPU HOST'
write_gives different tests/golden/scan.txt 'sums of 1: 2'
write_gives different CMakeLists.txt 'add_library(kogge SHARED)'
write_gives different tools/cmake/KoggeCuda.cmake 'set(a "# b")'
write_gives same tests/words_test.cpp '// kogge-test: HOST EMULATED'
write_gives same tests/support/unused.hpp 'int a;'
write_gives same tests/emulated_test.cpp '// kogge-test: EMULATED'
write_gives same lib/emulator/machine/pool.cpp 'int a;'
write_gives same include/kogge/simt/emulator.hpp 'int a;'
write_gives same README.md 'GPU'
write_gives same build/cuda/lib/scan.cpp 'int a;'
write_gives same lib/scan.o 'int a;'
case_name="CMake's comments"
write CMakeLists.txt '# one' '#[[ two' 'add() ]]' '  add_library( kogge )   # three' 'target_compile_options(kogge' '    PRIVATE -O3)'
[ "$(digest)" = "$before" ] || fail "$case_name: they change the digest"
write CMakeLists.txt 'add_library(kogge)' 'target_compile_options(kogge PRIVATE "-O3 # fast")'
one=$(digest)
write CMakeLists.txt 'add_library(kogge)' 'target_compile_options(kogge PRIVATE "-O3 # slow")'
[ "$(digest)" != "$one" ] || fail "$case_name: a string of CMake's is no comment"
case_name="the order of files"
fresh_tree
mkdir "$work/copy"
for file in $(cd "$tree" && find . -type f | sort -r); do
    mkdir -p "$work/copy/$(dirname "$file")"
    cp "$tree/$file" "$work/copy/$file"
done
[ "$("$tree/tools/source_digest.py" "$work/copy")" = "$before" ] || fail "$case_name: a copy has another digest"

# ---- the proof -----------------------------------------------------------------------------------------
case_name="no proof"
fresh_tree
expect 1 "there is none yet" proof check
case_name="a proof"
expect 0 "tests/gpu_proof/nvidia_h100.txt is written" prove
expect 0 "3 GPU tests passed on NVIDIA H100 80GB HBM3 with CUDA 13.0" proof check
expect 0 "3 GPU tests passed" proof stands
sed -i '1i // a comment' "$tree/lib/scan.cu"
expect 0 "3 GPU tests passed" proof check
case_name="other sources"
change 1
expect 1 "the newest proof, on NVIDIA H100 80GB HBM3, is of other ones" proof check
expect 0 "nvidia_h200.txt is written" prove "NVIDIA H200"
expect 0 "passed on NVIDIA H200" proof check
case_name="a record of a failure, and half a record"
sed -i 's/failed: 0/failed: 1/' "$records/nvidia_h200.txt"
expect 1 "nvidia_h200.txt: not all tests passed" proof check
sed -i '/digest/d' "$records/nvidia_h200.txt"
expect 1 "nvidia_h200.txt: has no line 'digest: '" proof check
case_name="tests that did not pass"
expect 1 "not all tests passed: no proof" proof write --device A --driver 1 --cuda 13.0 --passed 3 --failed 1 --skipped 0 --digest "$(digest)"
expect 1 "not all tests passed: no proof" proof write --device A --driver 1 --cuda 13.0 --passed 0 --failed 0 --skipped 3 --digest "$(digest)"
expect 1 "sources have changed" proof write --device A --driver 1 --cuda 13.0 --passed 3 --failed 0 --skipped 0 --digest 0

# ---- the notice ----------------------------------------------------------------------------------------
case_name="a notice, once"
fresh_tree
git -C "$tree" init -qb main
prove > /dev/null
commit "a proof"
expect 1 "there is nothing to give notice of" proof pending "no GPU"
change 1
expect 1 "say why" proof pending " "
expect 0 "pending.txt is written" proof pending "all GPUs were taken."
expect 0 "!!!! NOT PROVEN ON A GPU" proof check
expect 1 "NOT PROVEN ON A GPU" proof stands
[[ $output == *": all GPUs were taken. The next"* ]] || fail "$case_name: without its reason: $output"
change 2
expect 1 "a notice for other sources" proof check
expect 0 "pending.txt is written" proof pending "the change went on before it landed"
commit "a change with a notice"
expect 0 "!!!!" proof check
echo "text" > "$tree/README.md"
commit "no change of sources"
expect 0 "!!!!" proof check
case_name="a notice, twice"
change 3
expect 1 "a second change needs a proof" proof check
expect 1 "one is the most" proof pending "again"
git -C "$tree" rm -qf tests/gpu_proof/pending.txt
expect 1 "is of other ones" proof check
commit "the notice is gone"
expect 1 "one is the most" proof pending "again"
newest=$(sed -n 's/^digest: //p' "$records/nvidia_h100.txt")
write tests/gpu_proof/pending.txt "digest: $(digest)" "after: $newest" "date: 2026-01-01 00:00" "reason: by hand"
expect 1 "the second notice since the last proof" proof check
case_name="a shallow clone with a second notice, before and after its commit"
commit "by hand"
expect 1 "the second notice" proof check
git clone -q --depth 1 "file://$tree" "$work/shallow"
expect 0 "!!!!" proof --root "$work/shallow" check
case_name="the next proof removes the notice, and another may follow"
expect 0 "is written" prove
[ ! -e "$records/pending.txt" ] || fail "$case_name: it is still there"
expect 0 "3 GPU tests passed" proof check
commit "a proof"
change 4
expect 0 "pending.txt is written" proof pending "no GPU"
expect 0 "!!!!" proof check
commit "a change with a notice"
expect 0 "!!!!" proof check
case_name="a notice that follows another proof"
sed -i 's/^after: .*/after: none/' "$records/pending.txt"
expect 1 "follows a proof that is not the newest" proof check
git -C "$tree" checkout -q tests
case_name="a merged branch is one step"
git -C "$tree" checkout -qb branch HEAD~1
change 5
proof pending "no GPU" > /dev/null
commit "a notice on a branch"
change 6
expect 1 "one is the most" proof pending "no GPU"
git -C "$tree" checkout -q .
git -C "$tree" checkout -q main
git -C "$tree" reset -q --hard HEAD~1
git -C "$tree" merge -q --no-ff -m "a branch" branch
expect 0 "!!!!" proof check
change 7
expect 1 "one is the most" proof pending "no GPU"
case_name="a notice without git"
fresh_tree
expect 0 "pending.txt is written" proof pending "no GPU"
expect 0 "!!!!" proof check
change 1
expect 1 "a second change needs a proof" proof check
expect 1 "one is the most" proof pending "no GPU"

# ---- tools/dev and lint --------------------------------------------------------------------------------
machine=$work/bin
stand_in() {
    printf '#!/bin/bash\n%s\n' "$2" > "$machine/$1"
    chmod +x "$machine/$1"
}
mkdir "$machine"
export KOGGE_BUILD_ROOT=$work/build
cache=$KOGGE_BUILD_ROOT/cuda/CMakeCache.txt
stand_in g++ 'case $1 in -dumpfullversion) echo 12.2.0 ;; --version) echo g++ ;; *) cat > /dev/null ;; esac'
stand_in ninja ''
stand_in nvcc 'echo "Cuda compilation tools, release 13.0, V13.0.1"'
stand_in nvidia-smi 'case $1 in -L) echo "GPU 0: a" ;; *) echo "NVIDIA H100 80GB HBM3, 580.1" ;; esac'
# A cmake that caches what it is told.
stand_in cmake "case \$1 in --version) echo 'cmake version 3.25.1' ;; --build) if [ -n \"\${EDITED:-}\" ]; then echo 'int late;' >> \"\$EDITED\"; fi ;; *)
    printf '%s\n' CMAKE_BUILD_TYPE:STRING=\${TYPE:-Release} CMAKE_{CUDA,CXX}_FLAGS_RELEASE:STRING='-O3 -DNDEBUG' > $cache
    printf '%s\n' \"\$@\" | sed -nE 's/^-D([^=]*)=/\1:UNINITIALIZED=/p' >> $cache ;; esac"
# A ctest with two tests; of FAILED and SKIPPED it says so, and at STOPPED it is interrupted.
stand_in ctest 'tests="scan_gpu prebuilt_host" number=0 failed=0 skipped=0 regex=. file=
if [[ " $* " == *" -N "* ]]; then
    for test in $tests; do echo "  Test #$((++number)): $test"; done
    exit
fi
while [ $# -gt 0 ]; do
    case $1 in -R) regex=$2 ;; --output-junit) file=$2 ;; esac
    shift
done
for test in $tests; do
    number=$((number + 1))
    [[ $test =~ $regex ]] || continue
    if [ "$test" = "${STOPPED:-}" ]; then exit 2; fi
    if [ "$test" = "${FAILED:-}" ]; then failed=1 result="***Failed"
    elif [ "$test" = "${SKIPPED:-}" ]; then skipped=1 result="***Skipped"
    else result="   Passed"; fi
    echo "1/2 Test #$number: $test ..........$result    0.10 sec"
done
printf "<testsuite tests=\"2\"\n failures=\"%s\"\n disabled=\"0\"\n skipped=\"%s\">\n<testcase/>\n" $failed $skipped > "$file"'
dev() { PATH=$machine:$PATH "$tree/tools/dev" "$@"; }

case_name="gpu-test writes the proof"
fresh_tree
write tests/gpu_proof/pending.txt "digest: 0"
expect 0 "tests/gpu_proof/nvidia_h100.txt is written" dev gpu-test
for line in "device: NVIDIA H100 80GB HBM3" "driver: 580.1" "cuda: 13.0" "passed: 2" "failed: 0" "skipped: 0" "digest: $(digest)"; do
    grep -qxF "$line" "$records/nvidia_h100.txt" || fail "$case_name: no '$line' in $(cat "$records/nvidia_h100.txt")"
done
[ ! -e "$records/pending.txt" ] || fail "$case_name: the notice is still there"
if grep -q runs "$records/nvidia_h100.txt"; then fail "$case_name: in several runs"; fi
expect 0 "2 GPU tests passed" proof check
expect 0 "2 passed, 0 failed" dev gpu-test  # all of them again
# no_proof STATUS WHY [VARIABLE=VALUE]... [OPTION]...
no_proof() {
    local expected=$1 why=$2
    shift 2
    rm -f "$records"/*
    expect "$expected" "note: no proof is written: $why" env PATH="$machine:$PATH" "${@:1:$#-1}" "$tree/tools/dev" ${*: -1}
    [ ! -e "$records/nvidia_h100.txt" ] || fail "$case_name: yet it is written"
}
case_name="gpu-test, and not the whole of it"
no_proof 0 "options may leave tests out: -R scan" "gpu-test -R scan"
no_proof 0 "KOGGE_TEST_SMALL" KOGGE_TEST_SMALL=1 gpu-test
no_proof 0 "GTEST_FILTER" GTEST_FILTER=a gpu-test
case_name="gpu-test, not optimised"
no_proof 0 "KOGGE_QUICK_KERNELS is ALL" KOGGE_QUICK_KERNELS=ALL gpu-test
no_proof 0 "KOGGE_QUICK_KERNELS is TESTS" KOGGE_QUICK_KERNELS=TESTS gpu-test
no_proof 0 "the build is not optimised: its type is Debug" TYPE=Debug gpu-test
no_proof 0 "KOGGE_QUICK_CODE is ON" KOGGE_QUICK_CODE=ON gpu-test
case_name="gpu-test, not all passed"
no_proof 0 "not all tests passed" FAILED=scan_gpu gpu-test
no_proof 0 "not all tests passed" SKIPPED=scan_gpu gpu-test
case_name="gpu-test runs what has not passed"
expect 0 "is written" dev gpu-test
[[ $output != *prebuilt_host\ .* && $output == *"not run again"* ]] || fail "$case_name: $output"
grep -qxF "passed: 2" "$records/nvidia_h100.txt" || fail "$case_name: $(cat "$records/nvidia_h100.txt")"
grep -qxF "runs: 2" "$records/nvidia_h100.txt" || fail "$case_name: one run: $(cat "$records/nvidia_h100.txt")"
expect 0 "2 GPU tests passed" proof check
case_name="gpu-test after one that was interrupted"
rm -f "$records"/*
expect 1 "ctest found no tests" env STOPPED=prebuilt_host PATH="$machine:$PATH" "$tree/tools/dev" gpu-test
expect 0 "is written" dev gpu-test
[[ $output != *scan_gpu\ .* ]] || fail "$case_name: $output"
case_name="gpu-test after a change of one test's file, and of the library"
rm -f "$records"/*
expect 0 "not all tests passed" env FAILED=prebuilt_host PATH="$machine:$PATH" "$tree/tools/dev" gpu-test
echo "int changed;" >> "$tree/tests/scan_test.cpp"
expect 0 "is written" dev gpu-test
[[ $output == *scan_gpu\ .* && $output == *prebuilt_host\ .* ]] || fail "$case_name: $output"
expect 0 "not all tests passed" env FAILED=prebuilt_host PATH="$machine:$PATH" "$tree/tools/dev" gpu-test
change 1
rm -f "$records"/*
expect 0 "not all tests passed" env FAILED=prebuilt_host PATH="$machine:$PATH" "$tree/tools/dev" gpu-test
[[ $output == *scan_gpu\ .* ]] || fail "$case_name: $output"
expect 0 "is written" dev gpu-test
case_name="gpu-test with sources that change while they are built"
rm -f "$records"/*
expect 0 "not all tests passed" env EDITED="$tree/lib/scan.cu" PATH="$machine:$PATH" "$tree/tools/dev" gpu-test
expect 0 "is written" dev gpu-test
[[ $output == *scan_gpu\ .* && $output == *prebuilt_host\ .* ]] || fail "$case_name: $output"
rm -f "$records"/*
case_name="test, without a GPU"
stand_in nvidia-smi 'exit 1'
expect 0 "no GPU: GPU tests are built, and skipped" dev test
grep -q 'KOGGE_BUILD_GPU_TESTS:UNINITIALIZED=ON' "$cache" || fail "$case_name: configured by $(cat "$cache")"
prove > /dev/null
expect 0 "GPU tests are not built, as they have passed" dev test
grep -q 'KOGGE_BUILD_GPU_TESTS:UNINITIALIZED=OFF' "$cache" || fail "$case_name: configured by $(cat "$cache")"
change 1
expect 0 "no GPU: GPU tests are built, and skipped" dev test
rm -f "$records"/*
case_name="gpu-test --pending"
expect 1 "say why no GPU was to be had" dev gpu-test --pending
expect 0 "pending.txt is written" dev gpu-test --pending "no GPU"
expect 0 "!!!! NOT PROVEN" proof check
case_name="lint notes it and goes on"
expect 0 "!!!! NOT PROVEN" "$tree/tools/lint" "$tree"
rm "$records/pending.txt"
expect 0 "note: GPU proof: no proof that the GPU tests pass" "$tree/tools/lint" "$tree"
[ "$(tail -1 <<< "$output")" = "lint: 5 sources, 1 headers, nothing found" ] || fail "$case_name: its last line: $(tail -1 <<< "$output")"

[ "$failures" -eq 0 ] && echo "the proof of GPU tests stands for one digest"
