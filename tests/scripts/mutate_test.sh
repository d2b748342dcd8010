#!/usr/bin/env bash
# tests/mutate.py finds out which synchronisation a test needs.
set -euo pipefail
source_dir=${KOGGE_SOURCE_DIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build_dir=${KOGGE_BUILD_DIR:-$source_dir/build}
binary=$build_dir/tests/simt_mutation_emulated
if [[ ! -x $binary ]]; then
    echo "skipped: this build has no emulated tests"
    exit 77
fi
mutate=("$source_dir/tests/scripts/mutate.py" --files simt_mutation_test.cpp --timeout 60)

fail() {
    echo "mutate_test: $1" >&2
    exit 1
}
line_of() { grep -n "// <$1>" "$source_dir/tests/simt/simt_mutation_test.cpp" | cut -d: -f1; }

# The kernel's block barriers and its bulk wait are noticed by wrong results, also beside a program that runs no kernel …
output=$("${mutate[@]}" /bin/true "$binary" -- --gtest_filter=Mutation.EachBarrierIsNeeded 2>&1) || true
for name in init load warp named before-store bulk-wait; do
    grep -q "simt_mutation_test.cpp:$(line_of "$name") .*: noticed by simt_mutation_emulated" <<< "$output" ||
        fail "the site <$name> was not noticed: $output"
done

# … and a needless barrier is named, with a non-zero exit.
if output=$("${mutate[@]}" "$binary" -- --gtest_filter=Needless.Barrier 2>&1); then fail "a survivor is no failure"; fi
grep -q "nothing needs the synchronisation at .*simt_mutation_test.cpp:$(line_of needless):" <<< "$output" ||
    fail "the survivor is not named: $output"

# A test that fails anyhow proves nothing.
if output=$(KOGGE_MUTATE=simt_mutation_test.cpp:$(line_of init) "${mutate[@]}" "$binary" 2>&1); then fail "a failing test passes"; fi
grep -q "fails without any mutation" <<< "$output" || fail "a failing test is not named: $output"
if "${mutate[@]}" --files no-such-file "$binary" > /dev/null 2>&1; then fail "no site at all is no failure"; fi
