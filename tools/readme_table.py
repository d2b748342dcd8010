#!/usr/bin/env python3
"""Writes the tables of a README from the record that its marker comments name.

    tools/readme_table.py README.md                                     rewrites what stands between the markers
    tools/readme_table.py README.md --check                             exit code 1 when it is not up to date
    tools/readme_table.py README.md --show bench/results/nvidia_h100    from now on the tables of this card

Markers are <!-- benchmarks of FOLDER: begin --> and <!-- benchmarks: end -->; the same with `networks`, for the networks
of a block and the strategies of a grid, with `ways`, for what each way of sorting earns, and with `slower`, for the rows
of the card's other records on which CUB is faster, may stand there too. With `python` there is a table for each folder in
FOLDER, or for FOLDER, that has a record of the Python package; or none.
"""

import argparse
import os
import pathlib
import re
import sys

import bench_record

SECTION = re.compile(r"(<!-- (benchmarks|networks|python|slower|ways) of (\S+): begin -->\n)(.*?)(<!-- \2: end -->)", re.DOTALL)
PLOTS = (("radix_sort_throughput.svg", "Throughput over n: radix sort, CUB, copy"), ("scan_ratio.svg", "Scan: times faster than CUB"))
SIZES = tuple(1 << bits for bits in (10, 16, 20, 24, 28))
LINES = (
    ("inclusive sum", "inclusive_scan", "sum", ("u8", "u32", "u64", "f32")),
    ("compact, half kept", "compact", "kept_50", ("u8", "u32", "u64")),
    ("compact by flags, half kept", "compact_flags", "kept_50", ("u32",)),
    ("partition, half kept", "partition", "kept_50", ("u32",)),
    ("split into 256 bins", "split", "bins_256", ("u32",)),
    ("unique, runs of 8", "unique", "runs_8", ("u32",)),
    ("radix sort", "radix_sort", "uniform", ("u8", "u16", "u32", "f32", "u64")),
    ("radix sort of pairs", "radix_sort_pairs", "uniform", ("u32+u32", "u64+u32", "u64+u64")),
    ("argsort", "argsort", "uniform", ("u32", "f32")),
)

NETWORK_THREADS = 256  # of a block in the rows block_scan
NETWORK_STEPS = {"kogge_stone": lambda log: log, "kogge_stone_registers": lambda log: log, "hillis_steele": lambda log: log,
                 "brent_kung": lambda log: 2 * log - 1, "brent_kung_tree": lambda log: 2 * log - 1, "blelloch": lambda log: 2 * log}
NETWORK_OPERATIONS = {"kogge_stone": lambda n, log: n * log - (n - 1), "kogge_stone_registers": lambda n, log: n * log - (n - 1),
                      "hillis_steele": lambda n, log: n * log - (n - 1), "brent_kung": lambda n, log: 2 * n - 2 - log,
                      "brent_kung_tree": lambda n, log: 2 * n - 2 - log, "blelloch": lambda n, log: 2 * n - 2 - log}
# A way of sorting, rows that take it, and what the row took before and after the way came, on an H200 in µs.
WAYS = (
    ("rank_sort", (("radix_sort", "u32", "uniform", 10, "graph"), ("radix_sort", "u32", "uniform", 12, "graph")), "–, 12.4 → 5.1"),
    ("counting_sort, one block", (("radix_sort", "u8", "uniform", 12, "graph"), ("radix_sort", "u8", "uniform", 14, "graph")),
     "6.5 → 4.1, 5.9 → 4.9"),
    ("counting_sort", (("radix_sort", "u8", "uniform", 28, "eager"), ("radix_sort", "u16", "uniform", 28, "eager")),
     "969 → 141, 1781 → 352"),
    ("resident, digits", (("radix_sort", "u32", "uniform", 22, "graph"), ("radix_sort", "u32", "and_skewed", 20, "graph")), "–"),
    ("resident, buckets", (("radix_sort", "u32", "uniform", 16, "graph"), ("radix_sort", "u32", "uniform", 20, "graph"),
                           ("radix_sort", "f32", "uniform", 16, "graph")), "18.5 → 13.0, 37.3 → 28.4, 25.1 → 14.9"),
    ("resident, few distinct", (("radix_sort", "u32", "values_16", 20, "graph"),), "43.7 → 23.5"),
    ("in order", (("radix_sort", "u32", "sorted", 16, "graph"), ("radix_sort", "u32", "sorted", 28, "eager")),
     "18.2 → 4.8, 1036 → 684"),
    ("prefix, spans", (("radix_sort", "u32", "uniform", 28, "eager"), ("radix_sort_pairs", "u32+u32", "uniform", 28, "eager"),
                       ("radix_sort", "u64", "uniform", 28, "eager"), ("radix_sort", "f32", "uniform", 28, "eager")),
     "3624 → 3179, 6809 → 5139, 7260 → 5411, 3823 → 3105"),
    ("all digits", (("radix_sort", "u32", "and_skewed", 28, "eager"), ("radix_sort", "u64", "and_skewed", 28, "eager")), "–"),
)
# records of a card beside bench_record.PRIMITIVES
OTHERS = ("merge", "reduce", "top_k", "clients", "calls", "pipelines", "adversary")
SHOWN_FOR_CONTRAST = ("block_scan", "grid_scan", "kept_50_unordered")


def time_text(microseconds):
    return f"{microseconds / 1000:.2f} ms" if microseconds >= 1000 else f"{microseconds:.1f} µs"


def cell(row):
    if row is None:
        return "–"
    ratio = f"×{row.ratio:.2f}" if row.checked else "wrong result"
    return f"{time_text(row.ours_us)}, {ratio}"


def table(rows):
    by_key = {row.key: row for row in rows}
    yield "| | " + " | ".join(bench_record.size_name(n) for n in SIZES) + " | of copy speed |"
    yield "|---|" + "---:|" * (len(SIZES) + 1)
    for title, primitive, case, types in LINES:
        for kind in types:
            found = [by_key.get((primitive, kind, case, n, "eager")) for n in SIZES]
            if not any(found):
                continue
            share = f"{100 * found[-1].copy_us / found[-1].ours_us:.0f} %" if found[-1] else "–"
            yield f"| {title} {kind} | " + " | ".join(cell(row) for row in found) + f" | {share} |"


def slower_rows(rows):
    """A line for each primitive with rows on which the rival is faster: cases, sizes, and how many times as fast kogge is there."""
    def text(row):
        return f"{bench_record.size_name(row.n)} ×{row.ratio:.2f}" + (f" {bench_record.LIBRARIES[row.best]}" if len(row.rivals) > 1 else "")
    cases = {}
    for row in rows:
        cases.setdefault(row.primitive, {}).setdefault((row.type, row.case, row.mode), []).append(row)
    for primitive, of_primitive in sorted(cases.items()):
        texts = []
        for (kind, case, mode), there in sorted(of_primitive.items()):
            sizes = ", ".join(text(row) for row in sorted(there, key=lambda row: row.n))
            texts.append(f"{kind} {case}, {mode}: {sizes}")
        yield f"- {primitive} {'; '.join(texts)}"


def slower_of_others(folder):
    """(record, its rows, those on which CUB is faster) of the card's other records."""
    for name in OTHERS:
        if (folder / f"{name}.csv").exists():
            rows = bench_record.read(folder, (name,))
            yield f"{name}.csv", rows, [row for row in rows if row.ratio < 1]


def other_records(folder):
    counts = [f"{len(slower)} of {len(rows)} of {name}" for name, rows, slower in slower_of_others(folder)]
    return f" Of the records of other calls and keys: in {', '.join(counts)}; bench/README.md lists them." if counts else ""


def slower(_rows, folder, _readme):
    for name, rows, found in slower_of_others(folder):
        yield f"<details><summary>{name}: CUB is faster in {len(found)} of {len(rows)} rows</summary>"
        yield ""
        yield from slower_rows(found)
        yield ""
        yield "</details>"


def section(rows, folder, readme):
    slower = [row for row in rows if row.ratio < 1 and not (row.primitive in SHOWN_FOR_CONTRAST or row.case in SHOWN_FOR_CONTRAST)]
    card = " and ".join(sorted({row.setting["gpu"] for row in rows}))
    setting = bench_record.setting_line(rows).removeprefix(f"{card}, ")
    yield f"**{card}**: time of a call, and how many times faster it is than CUB's ({setting})."
    yield ""
    yield from table(rows)
    yield ""
    yield (f"The last column is the speed at 2^28 items as a share of a copy's that moves the least bytes the operation must move. "
           f"CUB is faster in {len(slower)} of the record's {len(rows)} rows, apart from those that are there for contrast "
           f"({', '.join(SHOWN_FOR_CONTRAST)}).{other_records(folder)}")
    if slower:
        yield ""
        yield "<details><summary>The rows of scan.csv, partition.csv and radix_sort.csv on which CUB is faster</summary>"
        yield ""
        yield from slower_rows(slower)
        yield ""
        yield "</details>"
    yield from plots(folder, readme, PLOTS)


def networks(rows, _folder, _readme):
    """The networks of a block, and then the strategies of a grid."""
    log = NETWORK_THREADS.bit_length() - 1
    blocks = [row for row in rows if row.primitive == "block_scan"]
    yield f"| network, {NETWORK_THREADS} threads | steps | operations | sixteen scans of 2^24 u32 | cub::BlockScan |"
    yield "|---|---:|---:|---:|---:|"
    for row in sorted(blocks, key=lambda row: row.ours_us):
        steps, operations = (str(costs[row.case](*arguments)) if row.case in costs else "–" for costs, arguments in
                             ((NETWORK_STEPS, (log,)), (NETWORK_OPERATIONS, (NETWORK_THREADS, log))))
        yield f"| {row.case} | {steps} | {operations} | {time_text(row.ours_us)} | {time_text(row.cub_us)} |"
    grids = {(row.case, row.n): row for row in rows if row.primitive == "grid_scan" and row.mode == "eager"}
    sizes = sorted({n for _, n in grids})
    yield ""
    yield "| strategy of a grid, u32 | " + " | ".join(bench_record.size_name(n) for n in sizes) + " |"
    yield "|---|" + "---:|" * len(sizes)
    for case in dict.fromkeys(case for case, _ in grids):
        cells = (time_text(grids[case, n].ours_us) if (case, n) in grids else "–" for n in sizes)
        yield f"| {case} | " + " | ".join(cells) + " |"


def short(microseconds):
    return f"{microseconds:.0f}" if microseconds >= 100 else f"{microseconds:.1f}"


def ways(rows, _folder, _readme):
    """What each way of sorting takes, and CUB."""
    by_key = {row.key: row for row in rows}
    yield "| way | rows | µs, kogge / CUB | H200, before → after |"
    yield "|---|---|---|---|"
    for way, keys, earned in WAYS:
        names, times = [], []
        for primitive, kind, case, bits, mode in keys:
            row = by_key.get((primitive, kind, case, 1 << bits, mode))
            names.append(f"{kind}{'' if case == 'uniform' else ' ' + case} 2^{bits}{'*' if mode == 'graph' else ''}")
            times.append(f"{short(row.ours_us)} / {short(row.cub_us)}" if row else "–")
        yield f"| {way} | {', '.join(names)} | {', '.join(times)} | {earned} |"


def name_of(row):
    """sort int32; topk int32, rows 32768 k 40"""
    return f"{row.primitive} {row.type}" + ("" if row.case == "uniform" else ", " + row.case.replace("_", " "))


def python_cell(row, libraries):
    return cell(row) + (f" {bench_record.LIBRARIES[row.best]}" if row and len(libraries) > 1 else "")


def memory_cell(row):
    """Of the largest size."""
    return " / ".join(f"{row.peaks[name]:.1f}" if name in row.peaks else "–" for name in ("ours", "torch"))


def python_table(rows, libraries):
    sizes = sorted({row.n for row in rows})
    has_memory = any(row.peaks for row in rows)
    yield "| | " + " | ".join(bench_record.size_name(n) for n in sizes) + " |" + (" memory |" if has_memory else "")
    yield "|---|" + "---:|" * (len(sizes) + has_memory)
    lines = {}
    for row in sorted(rows, key=lambda row: row.n):
        lines.setdefault(name_of(row), {})[row.n] = row
    for name in dict.fromkeys(map(name_of, rows)):
        found = lines[name]
        memory = f" {memory_cell(found[max(found)])} |" if has_memory else ""
        yield f"| {name} | " + " | ".join(python_cell(found.get(n), libraries) for n in sizes) + f" |{memory}"


def plots(folder, readme, wanted):
    """Those that there are, as seen from the README."""
    for place, (name, title) in enumerate((name, title) for name, title in wanted if (folder / name).exists()):
        if place == 0:
            yield ""
        yield f"![{title}]({pathlib.PurePath(os.path.relpath(folder / name, readme.parent)).as_posix()})"


def python_of_folder(rows, folder, readme):
    libraries, rival = bench_record.libraries_of(rows), bench_record.rival(rows)
    slower = [row for row in rows if row.ratio < 1]
    card = " and ".join(sorted({row.setting["gpu"] for row in rows}))
    setting = bench_record.setting_line(rows).removeprefix(f"{card}, ")
    yield f"**{card}**: time of a call, and how many times faster it is than {rival} ({setting})."
    yield ""
    yield from python_table(rows, libraries)
    yield ""
    if any(row.peaks for row in rows):
        yield ("Memory is the peak of PyTorch's memory during a call at the largest size, results included, over the input's bytes: "
               "kogge's call / PyTorch's.")
    yield f"{rival[0].upper() + rival[1:]} is faster in {len(slower)} of {len(rows)} rows."
    if slower:
        yield ""
        yield f"<details><summary>All rows on which {rival} is faster</summary>"
        yield ""
        yield from slower_rows(slower)
        yield ""
        yield "</details>"
    yield from plots(folder, readme, (("python_cases.svg", f"Calls: times faster than {rival}"),))


def python(top, readme):
    """The record of each machine, those of GPUs first."""
    if not top.is_dir():
        bench_record.fail(f"{top}: there is no such folder")
    folders = [top] if (top / "python.csv").exists() else sorted(file.parent for file in top.glob("*/python.csv"))
    records = [(folder, bench_record.read(folder, ("python",))) for folder in folders]
    for place, (folder, rows) in enumerate(sorted(records, key=lambda record: bench_record.is_of_host(record[1]))):
        if place > 0:
            yield ""
        yield from python_of_folder(rows, folder, readme)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readme", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--show", metavar="FOLDER", help="of a card's record, as seen from the README")
    arguments = parser.parse_args()
    readme = arguments.readme

    try:
        text = readme.read_text(encoding="utf-8")
    except OSError as error:
        bench_record.fail(f"{readme}: {error.strerror}")
    if not SECTION.search(text):
        bench_record.fail(f"{readme}: needs the lines '<!-- benchmarks of FOLDER: begin -->' and '<!-- benchmarks: end -->'")

    def renewed(found):
        name = arguments.show or found[3]
        folder = readme.parent / name
        if found[2] == "python":
            lines = python(folder, readme)
        else:
            make = {"benchmarks": section, "networks": networks, "slower": slower, "ways": ways}[found[2]]
            lines = make(bench_record.read(folder, bench_record.PRIMITIVES), folder, readme)
        return f"<!-- {found[2]} of {name}: begin -->\n" + "".join(f"{line}\n" for line in lines) + found[5]

    wanted = SECTION.sub(renewed, text)
    if wanted == text:
        return 0
    if arguments.check:
        print(f"{readme}: a table is not that of its record; run tools/readme_table.py {readme}")
        return 1
    readme.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
