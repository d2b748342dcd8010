#!/usr/bin/env bash
# What the tools for the benchmarks' record say, draw and write, from small records made here.
set -uo pipefail

source "$(dirname "$0")/tools.sh"
columns=primitive,type,case,n,mode,ours_us,cub_us,copy_us,spread,checked,commit,gpu,driver,cuda,cub,date
setting=abc123,NVIDIA\ H200,580.1,13.0,3.0.1,2026-11-21

# record FILE ROW...: a row is everything before the setting.
record() {
    local file=$1 row
    shift
    mkdir -p "$(dirname "$file")"
    echo "$columns" > "$file"
    for row in "$@"; do echo "$row,$setting" >> "$file"; done
}

sum=inclusive_scan,u32,sum

case_name="compare"
record "$work/old.csv" "$sum,1024,eager,100,200,90,0.05,yes" "$sum,4096,eager,100,200,90,0.05,yes" \
    "$sum,16384,eager,100,200,90,0.05,yes" "$sum,65536,eager,100,200,90,0.001,yes"
record "$work/new.csv" "$sum,1024,eager,104,200,90,0.01,yes" "$sum,4096,eager,94,200,90,0.01,yes" \
    "$sum,16384,eager,106,200,90,0.01,yes" "$sum,1048576,eager,100,200,90,0.01,yes"
expect 1 "1 PASS, 1 FAIL, 1 NOISE; 1 rows only in the old record, 1 only in the new one" \
    "$tools/compare_bench.py" "$work/old.csv" "$work/new.csv"
for line in "NOISE  inclusive_scan u32 sum 2^10 eager" "PASS   inclusive_scan u32 sum 2^12 eager" "FAIL   inclusive_scan u32 sum 2^14 eager"; do
    [[ $output == *"$line"* ]] || fail "$case_name: without '$line': $output"
done
case_name="compare, brief"
expect 1 "FAIL" "$tools/compare_bench.py" --brief "$work/old.csv" "$work/new.csv"
[[ $output != *"NOISE  "* ]] || fail "$case_name: shows noise: $output"
case_name="compare with itself"
expect 0 "0 PASS, 0 FAIL, 4 NOISE" "$tools/compare_bench.py" "$work/old.csv" "$work/old.csv"
case_name="the calls whose compilation is measured"
expect 0 "" "$tools/compile_cost.py" "$KOGGE_SOURCE_DIR/README.md" --check
case_name="a record of several GPUs"
mkdir -p "$work/h100_x2"
echo "$columns,one_gpu_us" > "$work/h100_x2/distributed.csv"
echo "radix_sort,u32,uniform,1024,eager,100,200,90,0.05,yes,$setting,150" >> "$work/h100_x2/distributed.csv"
expect 0 "distributed_cases.svg" "$tools/plot_bench.py" "$work/h100_x2"
expect 0 "0 PASS, 0 FAIL, 1 NOISE" "$tools/compare_bench.py" "$work/h100_x2" "$work/h100_x2"
case_name="the floor of noise"
record "$work/close.csv" "$sum,65536,eager,102.9,200,90,0.001,yes"
expect 0 "1 NOISE" "$tools/compare_bench.py" "$work/old.csv" "$work/close.csv"
expect 1 "1 FAIL" "$tools/compare_bench.py" --floor 0.005 "$work/old.csv" "$work/close.csv"
case_name="ratios"
record "$work/slow_machine.csv" "$sum,65536,eager,200,400,180,0.001,yes"
expect 1 "1 FAIL" "$tools/compare_bench.py" "$work/old.csv" "$work/slow_machine.csv"
expect 0 "1 NOISE" "$tools/compare_bench.py" --ratio "$work/old.csv" "$work/slow_machine.csv"
case_name="a wrong result fails, however fast"
record "$work/wrong.csv" "$sum,65536,eager,10,200,90,0.001,no"
expect 1 "wrong result" "$tools/compare_bench.py" "$work/old.csv" "$work/wrong.csv"

case_name="nothing in common"
record "$work/other.csv" "$sum,65536,graph,10,200,90,0.001,yes"
expect 2 "no row in common" "$tools/compare_bench.py" "$work/old.csv" "$work/other.csv"
case_name="no such file"
expect 2 "none.csv: No such file" "$tools/compare_bench.py" "$work/old.csv" "$work/none.csv"
case_name="not a record"
echo "a,b" > "$work/strange.csv"
expect 2 "its columns are not those" "$tools/compare_bench.py" "$work/old.csv" "$work/strange.csv"
case_name="a broken row"
record "$work/broken.csv" "$sum,1024,eager,fast,200,90,0.05,yes"
expect 2 "broken.csv:2: not a row" "$tools/compare_bench.py" "$work/old.csv" "$work/broken.csv"
record "$work/broken.csv" "$sum,1024,eager,0,200,90,0.05,yes"
expect 2 "broken.csv:2: a size or a time is not positive" "$tools/compare_bench.py" "$work/old.csv" "$work/broken.csv"
case_name="an empty folder"
mkdir "$work/empty"
expect 2 "holds none of scan.csv" "$tools/compare_bench.py" "$work/empty" "$work/empty"

# ---- plots ---------------------------------------------------------------------------------------------
gpu=$work/results/nvidia_h200
record "$gpu/scan.csv" "$sum,1024,eager,4,8,3,0.05,yes" "$sum,1000000,eager,5,9,4,0.05,yes" "$sum,16777216,eager,40,52,35,0.01,yes" \
    "$sum,267386880,eager,560,690,500,0.01,no" "$sum,268435456,eager,700,690,507,0.01,yes" \
    "grid_scan,u32,two_level,1024,eager,5,8,3,0.05,yes"
case_name="plot"
expect 0 "scan_ratio.svg" "$tools/plot_bench.py" "$gpu"
for plot in throughput ratio cases; do
    python3 -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" "$gpu/scan_$plot.svg" || fail "$case_name: $plot"
    grep -q "NVIDIA H200, driver 580.1, CUDA 13.0, CUB 3.0.1, commit abc123, 2026-11-21" "$gpu/scan_$plot.svg" ||
        fail "$case_name: $plot has no caption"
    grep -q "prefers-color-scheme: dark" "$gpu/scan_$plot.svg" || fail "$case_name: $plot is for light pages only"
done
[ "$(grep -c '<polyline' "$gpu/scan_throughput.svg")" -eq 3 ] || fail "$case_name: not the curves of one panel"
# From 1024 items in 8 µs to 268435456 in 507 µs: 0.128 to 529 thousand million items per second.
[ "$(sed -nE 's/.*class="note end">([0-9.]+)<.*/\1/p' "$gpu/scan_throughput.svg" | paste -sd ' ')" = "0.1 1 10 100 1000" ] ||
    fail "$case_name: the axis has not just the powers of ten"
steps=$(sed -nE 's/.* y="([0-9.]+)" class="note end">.*/\1/p' "$gpu/scan_throughput.svg" |
    awk 'NR > 1 { printf "%.0f\n", last - $1 } { last = $1 }' | sort -u)
[ "$steps" = 35 ] || fail "$case_name: powers of ten stand $steps apart"
for text in '2²⁸−2²⁰' '10⁶' '>2.00<' '>0.99<' '>wrong<'; do
    grep -q -- "$text" "$gpu/scan_ratio.svg" || fail "$case_name: no $text in the ratios"
done
grep -q two_level "$gpu/scan_ratio.svg" && fail "$case_name: a row of few sizes among the ratios"
grep -q two_level "$gpu/scan_cases.svg" || fail "$case_name: no row of few sizes among the cases"
[ ! -e "$gpu/partition_ratio.svg" ] || fail "$case_name: a plot of nothing"
grep -q 'times faster than CUB' "$gpu/scan_ratio.svg" || fail "$case_name: faster than whom?"
case_name="clients' and an adversary's keys have plots, and no place in the table"
cp -r "$gpu" "$work/with_clients"
record "$work/with_clients/clients.csv" "radix_sort,u32,dates,1048576,eager,40,30,25,0.01,yes"
record "$work/with_clients/adversary.csv" "radix_sort,u32,adversary_outliers,1048576,eager,40,30,25,0.01,yes"
expect 0 "" "$tools/plot_bench.py" "$work/with_clients"
grep -qF "Clients&#x27; keys: times faster" "$work/with_clients/clients_cases.svg" || fail "$case_name: clients"
grep -qF "An adversary&#x27;s keys: times faster" "$work/with_clients/adversary_cases.svg" || fail "$case_name: adversary"
for folder in results/nvidia_h200 with_clients; do
    printf '<!-- benchmarks of %s: begin -->\n<!-- benchmarks: end -->\n' $folder > "$work/$(basename $folder).md"
    expect 0 "" "$tools/readme_table.py" "$work/$(basename $folder).md"
done
[ "$(sed 's/with_clients/results\/nvidia_h200/; s/ Of the records of other calls.*//' "$work/with_clients.md")" = "$(cat "$work/nvidia_h200.md")" ] || fail "$case_name"
expect 1 "0 rows only in the old record, 2 only in the new one" "$tools/compare_bench.py" "$gpu" "$work/with_clients"
case_name="plot of a processor's record"
setting="abc123,A processor,2 threads,none,3.0.1,2026-11-21" record "$work/cpu/scan.csv" "$sum,1024,eager,4,8,3,0.05,yes"
expect 0 "scan_cases.svg" "$tools/plot_bench.py" "$work/cpu"
for text in 'times faster than the rival' 'A processor, 2 threads, Thrust 3.0.1, commit abc123'; do
    grep -q "$text" "$work/cpu/scan_cases.svg" || fail "$case_name: no '$text'"
done
case_name="long names and captions end within the page"
long=a_case_whose_name_takes_more_than_half_of_the_page
setting="abc123,$(printf 'an NVIDIA H%s and ' {100..120})another,580.1,13.0,3.0.1,2026-11-21" record "$work/long/scan.csv" \
    "inclusive_scan,u32,$long,"{1024,4096,16384,65536,262144}",eager,100,200,90,0.05,yes"
expect 0 "scan_ratio.svg" "$tools/plot_bench.py" "$work/long"
for plot in throughput ratio; do
    python3 - "$work/long/scan_$plot.svg" << 'END' || fail "$case_name: $plot"
import sys, xml.dom.minidom
page = xml.dom.minidom.parse(sys.argv[1]).documentElement
width, height = float(page.getAttribute("width")), float(page.getAttribute("height"))
caption = []
for text in page.getElementsByTagName("text"):
    x, y, style, words = float(text.getAttribute("x")), float(text.getAttribute("y")), text.getAttribute("class"), text.firstChild.data
    length = 5 * len(words)  # pixels: no common font of these sizes has narrower letters
    begin = x - length if "end" in style else x - length / 2 if "middle" in style else x
    assert 0 <= begin and begin + length <= width and y < height, text.toxml()
    caption += [words] if style == "note" else []
assert len(caption) > 1 and " ".join(caption) == page.getElementsByTagName("desc")[0].firstChild.data, caption
END
done
case_name="plot of no rows"
record "$work/rowless/scan.csv"
expect 2 "holds no rows" "$tools/plot_bench.py" "$work/rowless"
case_name="plot of no record"
expect 2 "holds none of" "$tools/plot_bench.py" "$work/empty"

# ---- the README's table --------------------------------------------------------------------------------
readme=$work/README.md
printf 'before\n<!-- benchmarks of results/nvidia_h200: begin -->\nold\n<!-- benchmarks: end -->\nafter\n' > "$readme"
case_name="table, not up to date"
expect 1 "a table is not that of" "$tools/readme_table.py" "$readme" --check
case_name="table"
expect 0 "" "$tools/readme_table.py" "$readme"
expect 0 "" "$tools/readme_table.py" "$readme" --check
line='| inclusive sum u32 | 4.0 µs, ×2.00 | – | – | 40.0 µs, ×1.30 | 700.0 µs, ×0.99 | 72 % |'
for text in "$line" 'commit abc123, 2026-11-21' 'CUB is faster in 1 of' '- inclusive_scan u32 sum, eager: 2^28 ×0.99' '(results/nvidia_h200/scan_ratio.svg)' before after; do
    grep -qF -- "$text" "$readme" || fail "$case_name: no '$text' in $(cat "$readme")"
done
grep -q '^old$' "$readme" && fail "$case_name: the old text stayed"
grep -qF '**NVIDIA H200**: time of a call' "$readme" || fail "$case_name: of which card?"
case_name="table of another card"
setting="abc124,NVIDIA H100 80GB HBM3,580.1,13.0,3.0.1,2026-11-21" record "$work/results/nvidia_h100/scan.csv" \
    "$sum,1024,eager,2,8,3,0.05,yes"
expect 0 "" "$tools/readme_table.py" "$readme" --show results/nvidia_h100
expect 0 "" "$tools/readme_table.py" "$readme" --check
for text in '<!-- benchmarks of results/nvidia_h100: begin -->' '**NVIDIA H100 80GB HBM3**: time' '2.0 µs, ×4.00'; do
    grep -qF -- "$text" "$readme" || fail "$case_name: no '$text' in $(cat "$readme")"
done
case_name="rows of several commits"
mkdir "$work/mixed"
{ cat "$work/results/nvidia_h100/scan.csv"; echo "$sum,4096,eager,2,8,3,0.05,yes,abc125,NVIDIA H100 80GB HBM3,580.1,13.0,3.0.1,2026-11-23"; } > "$work/mixed/scan.csv"
expect 0 "" "$tools/readme_table.py" "$readme" --show mixed
grep -qF 'CUB 3.0.1, 2 commits of 2026-11-21 to 2026-11-23' "$readme" || fail "$case_name: $(cat "$readme")"
case_name="networks"
record "$work/networks/scan.csv" "grid_scan,u32,two_level,1024,eager,5,8,3,0.05,yes" \
    "block_scan,u32,brent_kung,16777216,eager,2000,400,35,0.01,yes" "block_scan,u32,coarsened,16777216,eager,90,70,35,0.01,yes"
for section in networks benchmarks; do
    printf '<!-- %s of networks: begin -->\nold\n<!-- %s: end -->\n' $section $section
done > "$readme"
expect 0 "" "$tools/readme_table.py" "$readme"
for text in '| brent_kung | 15 | 502 | 2.00 ms | 400.0 µs |' '| coarsened | – | – | 90.0 µs | 70.0 µs |' '| two_level | 5.0 µs |'; do
    grep -qF -- "$text" "$readme" || fail "$case_name: no '$text' in $(cat "$readme")"
done
grep -q '^old$' "$readme" && fail "$case_name: the old text stayed"
case_name="rows of other records on which CUB is faster"
record "$work/networks/merge.csv" "merge,u32,uniform,4096,eager,10,8,3,0.05,yes" "merge,u32,uniform,1024,eager,5,8,3,0.05,yes"
for section in slower benchmarks; do
    printf '<!-- %s of networks: begin -->\nold\n<!-- %s: end -->\n' $section $section
done > "$readme"
expect 0 "" "$tools/readme_table.py" "$readme"
for text in 'merge.csv: CUB is faster in 1 of 2 rows' '- merge u32 uniform, eager: 2^12 ×0.80' 'in 1 of 2 of merge.csv; bench/README.md lists them'; do
    grep -qF -- "$text" "$readme" || fail "$case_name: no '$text' in $(cat "$readme")"
done
case_name="table without markers"
echo "nothing" > "$work/bare.md"
expect 2 "needs the lines" "$tools/readme_table.py" "$work/bare.md"
printf '<!-- benchmarks: end -->\n<!-- benchmarks of results/nvidia_h200: begin -->\n' > "$work/bare.md"
expect 2 "needs the lines" "$tools/readme_table.py" "$work/bare.md"
case_name="table of no README"
expect 2 "No such file" "$tools/readme_table.py" "$work/none.md"
case_name="table of no record"
printf '<!-- benchmarks of empty: begin -->\n<!-- benchmarks: end -->\n' > "$work/bare.md"
expect 2 "holds none of" "$tools/readme_table.py" "$work/bare.md"

# ---- the record of the Python package ------------------------------------------------------------------
of_python=$(PYTHONPATH=$tools python3 -c 'import bench_record; print(",".join(bench_record.OF_PYTHON))')
# python_record FOLDER SETTING ROW...: a row is everything before the setting, which begins with the commit.
python_record() {
    local file=$1/python.csv setting=$2 row
    shift 2
    mkdir -p "${file%/*}"
    echo "$of_python" > "$file"
    for row in "$@"; do echo "$row,$setting" >> "$file"; done
}
page=$work/python.md
printf 'before\n<!-- python of python: begin -->\nold\n<!-- python: end -->\nafter\n' > "$page"
without_record=$'before\n<!-- python of python: begin -->\n<!-- python: end -->\nafter'

case_name="the Python package without a record"
mkdir "$work/python"
expect 1 "a table is not that of" "$tools/readme_table.py" "$page" --check
expect 0 "" "$tools/readme_table.py" "$page"
[ "$(cat "$page")" = "$without_record" ] || fail "$case_name: $(cat "$page")"
case_name="the Python package on a processor"
# primitive,type,case,n,mode, ours and four rivals, spread,checked, first calls of the five, peaks of two
python_record "$work/python/a_processor" "abc123,A processor,2 threads,none,3.12.3,2.5.2,,,,2026-11-28" \
    "sort,int32,uniform,1024,eager,8,4,,,,0.1,yes,90,9,,,,," "sort,int32,uniform,1048576,eager,2000,6000,,,,0.1,yes,90,9,,,,,"
expect 0 "" "$tools/readme_table.py" "$page"
for text in '**A processor**: time of a call, and how many times faster it is than NumPy (2 threads, NumPy 2.5.2, commit abc123, 2026-11-28).' \
    '| | 2^10 | 2^20 |' '| sort int32 | 8.0 µs, ×0.50 | 2.00 ms, ×3.00 |' 'NumPy is faster in 1 of 2 rows.' \
    '- sort int32 uniform, eager: 2^10 ×0.50'; do
    grep -qxF -- "$text" "$page" || fail "$case_name: no '$text' in $(cat "$page")"
done
case_name="and on a GPU, whose table is the first"
python_record "$work/python/nvidia_h100" "abc124,NVIDIA H100 80GB HBM3,580.1,13.0,3.12.3,,2.11.0,14.2.0,0.11.2,2026-11-28" \
    "sort,int32,uniform,65536,eager,40,,100,120,,0.1,yes,90,,9,9,,1.52,8.04" \
    "sort,int32,uniform,16777216,eager,400,,960,500,600,0.1,yes,90,,9,9,900000,1.51,8.1" \
    "topk,float32,rows_32768_k_40,16777216,eager,50,,,,40,0.1,no,90,,,,900000,0.01,"
expect 0 "" "$tools/readme_table.py" "$page"
expect 0 "" "$tools/readme_table.py" "$page" --check
for text in '(driver 580.1, CUDA 13.0, PyTorch 2.11.0, CuPy 14.2.0, JAX 0.11.2, commit abc124, 2026-11-28).' '| | 2^16 | 2^24 | memory |' \
    '| sort int32 | 40.0 µs, ×2.50 PyTorch | 400.0 µs, ×1.25 CuPy | 1.5 / 8.1 |' \
    '| topk float32, rows 32768 k 40 | – | 50.0 µs, wrong result JAX | 0.0 / – |' \
    'The best of PyTorch, CuPy and JAX is faster in 1 of 3 rows.' 'float32 rows_32768_k_40, eager: 2^24 ×0.80' '**A processor**'; do
    grep -qF -- "$text" "$page" || fail "$case_name: no '$text' in $(cat "$page")"
done
[[ $(grep -n '^\*\*' "$page") == *H100*processor* ]] || fail "$case_name: the order is $(grep '^\*\*' "$page")"
case_name="the Python package on one machine of them"
expect 0 "" "$tools/readme_table.py" "$page" --show python/a_processor
if grep -q H100 "$page"; then fail "$case_name: $(cat "$page")"; fi
case_name="the Python package in no such folder"
expect 2 "there is no such folder" "$tools/readme_table.py" "$page" --show nowhere
case_name="plot of the Python package's record"
expect 0 "python_cases.svg" "$tools/plot_bench.py" "$work/python/nvidia_h100"
for text in 'Calls from Python: times faster than the best of PyTorch, CuPy and JAX' '>2.50<' '>1.25<' '>wrong<' \
    '400.0 µs, PyTorch 960.0 µs, CuPy 500.0 µs, JAX 600.0 µs'; do
    grep -qF -- "$text" "$work/python/nvidia_h100/python_cases.svg" || fail "$case_name: no '$text'"
done
case_name="comparing records of the Python package"
expect 1 "x0.80 of JAX  wrong result" "$tools/compare_bench.py" "$work/python/nvidia_h100" "$work/python/nvidia_h100"
case_name="a row of Python without a rival"
python_record "$work/alone" "abc123,A processor,2 threads,none,3.12.3,,,,,2026-11-28" "sort,int32,uniform,1024,eager,8,,,,,0.1,yes,90,,,,,,"
expect 2 "python.csv:2: not a row of a benchmark record" "$tools/plot_bench.py" "$work/alone"

# ---- the record in the tree ----------------------------------------------------------------------------
case_name="the project's pages show its record"
expect 0 "" "$tools/readme_table.py" "$KOGGE_SOURCE_DIR/README.md" --check
expect 0 "" "$tools/readme_table.py" "$KOGGE_SOURCE_DIR/bench/README.md" --check
expect 0 "" "$tools/readme_table.py" "$KOGGE_SOURCE_DIR/include/kogge/sort/README.md" --check
expect 0 "" "$tools/readme_table.py" "$KOGGE_SOURCE_DIR/tools/python/README.md" --check

[ "$failures" -eq 0 ] && echo "the tools for the benchmarks' record do what they say"
