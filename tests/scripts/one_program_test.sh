#!/usr/bin/env bash
# One program of files for several machines: a plain C++ file, and CUDA files with different -arch, make the same calls.
# Each has code of its own; what they share, of which the linker keeps one, is the same in all.
set -euo pipefail

if [ "$KOGGE_WITH_CUDA" != ON ]; then
    echo "skipped: no nvcc"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
status=0

cat > "$out/calls.cpp" << 'END'
#include "kogge/kogge.hpp"
struct Odd { KOGGE_HOST_DEVICE bool operator()(int item) const { return item % 2 != 0; } };
struct Xor { KOGGE_HOST_DEVICE int operator()(int a, int b) const { return a ^ b; } };
std::uint64_t CALLS(const int* in, std::uint64_t n, int* out) {
    kogge::inclusive_scan(in, out, n, Xor{});
    return kogge::unique(in, out, n) + kogge::compact(in, out, n, Odd{});
}
END
cat > "$out/main.cpp" << 'END'
#include <cstdint>
std::uint64_t on_host(const int*, std::uint64_t, int*), on_75(const int*, std::uint64_t, int*), on_90(const int*, std::uint64_t, int*);
int main() {
    const int in[] = {1, 1, 2, 3};  // 3 runs, 3 odd items
    int out[4];
    return on_host(in, 4, out) == 6 && on_75(in, 4, out) == 6 && on_90(in, 4, out) == 6 ? 0 : 1;
}
END
include=(-std=c++20 -I "$KOGGE_SOURCE_DIR/include")
cuda=(-x cu -ccbin "$CXX" --expt-relaxed-constexpr -Wno-deprecated-gpu-targets)
if grep -q -e --Ofast-compile <<< "$("$CUDACXX" --help)"; then cuda+=(--Ofast-compile=max); fi
"$CXX" "${include[@]}" -DCALLS=on_host -c "$out/calls.cpp" -o "$out/host.o"
for arch in 75 90; do
    "$CUDACXX" "${include[@]}" "${cuda[@]}" "-arch=sm_$arch" "-DCALLS=on_$arch" -c "$out/calls.cpp" -o "$out/$arch.o"
done

# The names of a file's functions that others may have, too. kogge::host is compiled alike for all, and so are members
# of the types that all share, and std's functions on these.
shared_names() { nm "$out/$1.o" | awk '$2 ~ /^[VWu]$/ { print $3 }' | sort -u; }
unlike_names() {
    comm -12 <(shared_names "$1") <(shared_names "$2") | grep 5kogge | grep -v -E '5kogge4host|^_ZZ?(NK?[RO]?)?(S[ta]|9__gnu_cxx)|^_ZT' | c++filt |
        grep -v -E -e '^(kogge::[a-z_]+ const\* |bool )?kogge::(error|item_count|[a-z_]+_plan|has_way<kogge::[a-z_]+_plan>|device_properties|exec)::' -e '::~[A-Za-z_]+\(\)$' \
            -e '^(void|auto) kogge::detail::(check_function|check_output|carry|carry_input|carry_output|on_carried|read_only)<' -e '^kogge::detail::(Scratch|Carver|CarvedScratch<[A-Za-z_:]+>|RunsOn)::' -e '^kogge::detail::scratch_with_slack\(' -e '^(kogge::detail::Region )?kogge::detail::(check_call|count_region|input_region|output_region|open_region|open_ended)\b' \
            -e '^kogge::[a-z_:]+(<.*>)?[ *&const]* std::' || true
}
for pair in 'host 75' 'host 90' '75 90'; do
    # shellcheck disable=SC2086
    names=$(unlike_names $pair)
    if [ -n "$names" ]; then
        echo "in both files of $pair; where the code differs, the name must (KOGGE_CODE of simt/config.hpp):"
        cut -c1-200 <<< "$names"
        status=1
    fi
done

# The calls are there once a file, and the plain file, which comes first, has not taken the place of another's.
"$CXX" "${include[@]}" "$out/main.cpp" "$out"/{host,75,90}.o "$KOGGE_BUILD_DIR/libkogge.a" -o "$out/program" \
    -L "$(dirname "$(dirname "$CUDACXX")")/lib64" -lcudart_static -lpthread -ldl -lrt
for code in code_host code_750 code_900; do
    calls=$(nm -C "$out/program" | grep -c -E "kogge::$code::(unique|compact|inclusive_scan)<" || true)
    if [ "$calls" -ne 3 ]; then
        echo "$calls calls in the program's $code, not 3"
        status=1
    fi
done
for code in code_750 code_900; do
    for function in device_runs device_compact device_scan; do
        # -q would end before nm, which would fail then.
        if ! nm -C "$out/program" | grep "kogge::grid::.*$function.*" | grep "$code" > /dev/null; then
            echo "the program has no $function of $code"
            status=1
        fi
    done
done
"$out/program" || { echo "the program's results are wrong" && status=1; }
exit $status
