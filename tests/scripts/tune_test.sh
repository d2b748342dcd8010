#!/usr/bin/env bash
# tools/tune.py makes the table that plans choose by of a record of times, and of nothing else.
set -uo pipefail

source "$(dirname "$0")/tools.sh"
tune=$tools/tune.py
committed=$KOGGE_SOURCE_DIR/bench/results/nvidia_h200/tuning.csv
mkdir "$work/nvidia_h200"
record=$work/nvidia_h200/tuning.csv
table=$work/table.hpp

# run STATUS TEXT ARGUMENTS...: its output must hold TEXT.
run() { expect "$1" "$2" "$tune" --record "$record" --table "$table" "${@:3}"; }

# refuse TEXT ARGUMENTS...: says TEXT, and leaves the table as it was.
refuse() {
    local before
    before=$(md5sum < "$table")
    run 2 "$@"
    [ "$before" = "$(md5sum < "$table")" ] || fail "$case_name: the table has changed"
    [ -z "$(find "$work" -name '*.new')" ] || fail "$case_name: leaves an unfinished file"
}

# change AWK: the record is the committed one, changed.
change() { awk -F, -v OFS=, "$1" "$committed" > "$record"; }

case_name="the tree's table is that of its record"
"$tune" --check || fail "$case_name"

case_name="a new table"
cp "$committed" "$record"
run 0 ""
cmp -s "$table" "$KOGGE_SOURCE_DIR/lib/tuning/tuning_table.hpp" || fail "$case_name: not the committed one"
run 0 "" --check

case_name="a changed time changes the value"
change '$1 == "tile_blocks" && $3 == 8 { $8 = 1.5 } { print }'
run 1 "is not the table of" --check
grep -q '{Choice::tile_blocks, 4, 8},' "$table" && fail "$case_name: it was so before"
run 0 ""
grep -q '{Choice::tile_blocks, 4, 8},' "$table" || fail "$case_name: $(grep tile_blocks "$table")"

case_name="what is hardly faster changes nothing"
rows='value,item_bytes,candidate,type,case,n,mode,us,spread,commit,gpu,driver,cuda,date'
other() { change 'NR > 1 && $1 != "tile_blocks" { print }'; }
hardly() {
    other
    { echo "$rows" && cat "$record" && for row in "$@"; do
        echo "tile_blocks,4,${row%=*},u32,two_level,1000,eager,${row#*=},0.01,abc,NVIDIA H200,580,13.0,2026-11-21"
    done; } > "$record.all"
    mv "$record.all" "$record"
    run 0 ""
}
hardly 6=100 4=99.1
grep -q '{Choice::tile_blocks, 4, 6},' "$table" || fail "$case_name: $(grep tile_blocks "$table")"
hardly 6=100 4=98.9
grep -q '{Choice::tile_blocks, 4, 4},' "$table" || fail "$case_name, and what is clearly faster does"
grep -q 'u32 two_level of 1000 items; NVIDIA H200, commit abc, 2026-11-21' "$table" || fail "$case_name: no citation"
grep -q '6 by 1.1 %, 4 by 0.0 %' "$table" || fail "$case_name: no comparison"

case_name="columns"
change 'NR == 1 { $8 = "time" } { print }'
refuse "its columns are not those of a tuning record"
: > "$record"
refuse "its columns are not those of a tuning record"
case_name="a number"
for bad in fast 0 -1 nan inf ''; do
    change 'NR == 7 { $8 = "'"$bad"'" } { print }'
    refuse "tuning.csv:7: us is '$bad', not a positive number"
done
change 'NR == 7 { $3 = 2.5 } { print }'
refuse "tuning.csv:7: candidate is '2.5', not a positive number"
case_name="a row cut short"
head -c -60 "$committed" > "$record"
refuse "not a row of 14 columns"
case_name="an unknown value"
change 'NR == 7 { $1 = "speed" } { print }'
refuse "tuning.csv:7: plans choose nothing by 'speed'"
case_name="an unknown mode"
change 'NR == 7 { $7 = "fast" } { print }'
refuse "tuning.csv:7: the mode is 'fast'"
case_name="a row twice"
change '{ print } NR == 7 { print }'
refuse "tuning.csv:8: "
case_name="a candidate that was not measured everywhere"
change 'NR != 2 { print }'
refuse "all at the same sizes and modes"
case_name="a single candidate"
change '$1 != "tile_blocks" || $3 == 6 { print }'
refuse "tile_blocks at 4 bytes an item needs two candidates"
case_name="a value without rows"
change '$1 != "tile_blocks" { print }'
refuse "has no rows of tile_blocks"
case_name="no record"
rm "$record"
refuse "tuning.csv: No such file"
case_name="no text"
printf '\xff\xfe' > "$record"
refuse "decode"

# ---- a program that measures ---------------------------------------------------------------------------
program=$work/program
stand_in() {
    printf '#!/bin/sh\n%s\n' "$1" > "$program"
    chmod +x "$program"
    cp "$committed" "$record"
}
case_name="a measurement"
stand_in "awk -F, -v OFS=, '\$1 == \"tile_blocks\" && \$3 == 8 { \$8 = 1.5 } { print }' '$committed'"
run 0 "" --measure "$program"
grep -q '{Choice::tile_blocks, 4, 8},' "$table" || fail "$case_name: $(grep tile_blocks "$table")"
grep -q '^tile_blocks,4,8,.*,1.5,' "$record" || fail "$case_name: not in the record"
run 0 "" --check
case_name="a measurement that fails"
stand_in "cat '$committed'; exit 1"
refuse "failed with exit code 1" --measure "$program"
refuse "No such file" --measure "$work/none"
case_name="a measurement of nonsense"
stand_in "echo nonsense"
refuse "its columns are not those" --measure "$program"
cmp -s "$committed" "$record" || fail "$case_name: the record has changed"
case_name="a measurement on another GPU"
stand_in "sed 's/NVIDIA H200/NVIDIA L4/' '$committed'"
refuse "measured on NVIDIA L4, but the record is that of nvidia_h200" --measure "$program"
cmp -s "$committed" "$record" || fail "$case_name: the record has changed"

[ "$failures" -eq 0 ] && echo "the table that plans choose by is that of its record"
