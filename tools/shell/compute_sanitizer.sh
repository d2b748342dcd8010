#!/usr/bin/env bash
# compute_sanitizer.sh TOOL PROGRAM LOG: one GPU test under one tool, one line of result.
tool=$1 program=$2 log=$3

SECONDS=0
# Tests provoke errors of the API on purpose: those are theirs to check, not the tool's.
options=(--tool "$tool" --error-exitcode 99)
if [ "$tool" = memcheck ]; then options+=(--report-api-errors no); fi
timeout "${KOGGE_SANITIZE_TIMEOUT:-300}" compute-sanitizer "${options[@]}" "$program" --gtest_brief=1 > "$log" 2>&1
case $? in
    0) echo "passed $tool ${program##*/} ($SECONDS s)" ;;
    124) echo "failed $tool ${program##*/}: still running after $SECONDS s" ;;
    99) echo "failed $tool ${program##*/}: $(grep -m1 '^=========.*[a-z]' "$log"); see $log" ;;
    *) echo "failed $tool ${program##*/}: the test itself failed; see $log" ;;
esac
