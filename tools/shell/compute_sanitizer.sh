#!/usr/bin/env bash
# compute_sanitizer.sh TOOL PROGRAM FOLDER SHARD SHARDS: one GPU test, or the SHARDth part of it, under one tool; its log
# goes into the folder. One line of result. Where several run at a time, KOGGE_SLOT numbers them: they share KOGGE_GPUS GPUs.
tool=$1 program=$2 shard=$4 shards=$5
name="$tool ${program##*/}$([ "$shards" -eq 1 ] || echo " $shard/$shards")"
log=$3/$tool-${program##*/}-$shard.log

if [ -n "${KOGGE_SLOT:-}" ]; then export CUDA_VISIBLE_DEVICES=$((KOGGE_SLOT % KOGGE_GPUS)); fi
SECONDS=0
options=(--tool "$tool" --error-exitcode 99)
# Tests provoke errors of the API on purpose: those are theirs to check, not the tool's.
if [ "$tool" = memcheck ]; then options+=(--report-api-errors no); fi
# Of its own accord it tracks too few barriers for the scans that have the most, and dies.
if [ "$tool" = synccheck ]; then options+=(--num-cuda-barriers 65536); fi
# There is no time for others' kernels.
if [ "$tool" = racecheck ]; then options+=(--kernel-name-exclude "regex=cub::"); fi
export GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$((shard - 1))
timeout "${KOGGE_SANITIZE_TIMEOUT:-300}" compute-sanitizer "${options[@]}" "$program" --gtest_brief=1 > "$log" 2>&1
case $? in
    0) echo "passed $name ($SECONDS s)" ;;
    124) echo "failed $name: still running after $SECONDS s" ;;
    99) echo "failed $name: $(grep -m1 '^=========.*[a-z]' "$log"); see $log" ;;
    *) echo "failed $name: the test itself failed; see $log" ;;
esac
