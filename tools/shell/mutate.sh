#!/usr/bin/env bash
# mutate.sh BUILD THREAD_SANITIZED_BUILD [FILTER]
# Switches off each synchronisation site of the kernels in turn, and asks the emulated tests to notice: by a
# failing test, or by a report of ThreadSanitizer. FILTER is part of a site's name, such as grid/scan.cuh.
set -euo pipefail

build=$1 sanitized=$2 filter=${3:-}
seconds=${KOGGE_MUTATE_TIMEOUT:-300}
work=$build/mutation
export KOGGE_TEST_SMALL=1

rm -rf "$work"
mkdir -p "$work"

# Lists the sites that each test visits: TEST FILE:LINE KIND, kernels only. The emulator's own tests are left out,
# as they break their kernels themselves.
list_sites() {
    local program name
    for program in "$build"/tests/*_emulated; do
        name=${program##*/}
        case $name in emulator* | simt*) continue ;; esac
        if ! KOGGE_LIST_SITES=$work/$name.sites "$program" --gtest_brief=1 > "$work/$name.log" 2>&1; then
            echo "tools/dev mutate: $name fails with nothing switched off; see $work/$name.log" >&2
            exit 1
        fi
        awk -v name="$name" '$1 ~ /include\/kogge\/(warp|block|grid)\// {
            sub(/.*include\//, "", $1); print name, $1, $2 }' "$work/$name.sites"
    done
}

# notices BUILD TEST SITE: does the test fail when the site is off?
notices() {
    ! KOGGE_MUTATE=$3 timeout "$seconds" "$1/tests/$2" --gtest_brief=1 --gtest_fail_fast > "$work/last.log" 2>&1
}

find_noticer() {
    local site=$1 tests=$2 test
    for test in $tests; do
        if notices "$build" "$test" "$site"; then
            echo "$test"
            return 0
        fi
    done
    for test in $tests; do
        if notices "$sanitized" "$test" "$site"; then
            echo "$test under ThreadSanitizer"
            return 0
        fi
    done
    return 1
}

list_sites > "$work/sites"
noticed=0 unnoticed=0
while read -r site kind; do
    if [[ $site != *"$filter"* ]]; then continue; fi
    tests=$(awk -v site="$site" '$2 == site { print $1 }' "$work/sites")
    if noticer=$(find_noticer "$site" "$tests"); then
        echo "noticed    $site $kind: $noticer"
        noticed=$((noticed + 1))
    else
        echo "UNNOTICED  $site $kind: none of" $tests
        unnoticed=$((unnoticed + 1))
    fi
done < <(awk '{ print $2, $3 }' "$work/sites" | sort -u)
echo "$noticed passed, $unnoticed failed"
[ "$unnoticed" -eq 0 ] && [ "$noticed" -gt 0 ]
