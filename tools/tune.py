#!/usr/bin/env python3
"""Chooses what plans choose by (lib/tuning/tuning.hpp): makes lib/tuning/tuning_table.hpp of a record of candidates' times.

tools/tune.py                     make the table of the record
tools/tune.py --check             exit code 1 when the table is not that of the record
tools/tune.py --measure PROGRAM   first renew the record with bench/tune.cpp's program, on this machine's GPU

For each value and width of items the record has the times of some candidates at the same sizes, eager and in a graph.
Chosen is the first candidate whose times are within 1 % of the best, in the geometric mean over sizes; the one that was
in force comes first, so that nothing changes for less than a measurement is worth. The table depends on nothing else.

Exit code 2, and neither record nor table changed, when the record is not what it should be.
"""

import argparse
import csv
import io
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = ("value", "item_bytes", "candidate", "type", "case", "n", "mode", "us", "spread", "commit", "gpu", "driver",
           "cuda", "date")
TIE = 1.01


class BadRecord(Exception):
    pass


def known_values(header):
    """The names of enum Choice, in its order."""
    body = re.search(r"enum class Choice[^{]*{(.*?)};", header.read_text(encoding="utf-8"), re.DOTALL)
    return re.findall(r"^ *(\w+),", body[1], re.MULTILINE)


def positive(number_of, text):
    number = number_of(text)
    if not (number > 0 and math.isfinite(number)):
        raise ValueError
    return number


def read_record(name, text, values):
    """{(value, item bytes): {candidate: {(n, mode): row}}}, each level in the record's order."""
    reader = csv.DictReader(io.StringIO(text))
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise BadRecord(f"{name}: its columns are not those of a tuning record")
    record = {}
    for line, row in enumerate(reader, start=2):
        if None in row or None in row.values():
            raise BadRecord(f"{name}:{line}: not a row of {len(COLUMNS)} columns")
        if row["value"] not in values:
            raise BadRecord(f"{name}:{line}: plans choose nothing by '{row['value']}'")
        if row["mode"] not in ("eager", "graph"):
            raise BadRecord(f"{name}:{line}: the mode is '{row['mode']}', not eager or graph")
        try:
            for column, number_of in (("item_bytes", int), ("candidate", int), ("n", int), ("us", float)):
                row[column] = positive(number_of, row[column])
        except ValueError:
            raise BadRecord(f"{name}:{line}: {column} is '{row[column]}', not a positive number") from None
        times = record.setdefault((row["value"], row["item_bytes"]), {}).setdefault(row["candidate"], {})
        point = row["n"], row["mode"]
        if point in times:
            raise BadRecord(f"{name}:{line}: {row['value']} of {row['candidate']} has this size and mode twice")
        times[point] = row
    check_complete(name, record, values)
    return record


def check_complete(name, record, values):
    for value in values:
        if not any(value == measured for measured, _ in record):
            raise BadRecord(f"{name}: has no rows of {value}")
    for (value, item_bytes), candidates in record.items():
        points = {frozenset(times) for times in candidates.values()}
        if len(candidates) < 2 or len(points) > 1:
            raise BadRecord(f"{name}: {value} at {item_bytes} bytes an item needs two candidates or more, "
                            "all at the same sizes and modes")


def choose(candidates):
    """The candidate, and by how much each is slower than the best of its size, in the geometric mean."""
    points = next(iter(candidates.values()))
    best = {point: min(times[point]["us"] for times in candidates.values()) for point in points}
    slower = {candidate: math.exp(sum(math.log(times[point]["us"] / best[point]) for point in points) / len(points))
              for candidate, times in candidates.items()}
    least = min(slower.values())
    return next(candidate for candidate, factor in slower.items() if factor <= TIE * least), slower


def comment(candidates, slower):
    """Lines that cite the rows."""
    rows = [row for times in candidates.values() for row in times.values()]

    def all_of(column):
        return ", ".join(dict.fromkeys(row[column] for row in rows))
    sizes = dict.fromkeys(row["n"] for row in rows)
    yield (f"{all_of('type')} {all_of('case')} of {', '.join(map(str, sizes))} items; {all_of('gpu')}, "
           f"commit {all_of('commit')}, {all_of('date')}")
    yield "slower than the best: " + ", ".join(f"{candidate} by {100 * (factor - 1):.1f} %"
                                               for candidate, factor in slower.items())


def table_of(record, values):
    lines = ["// The values that plans choose by, and by how much their candidates were slower than the best one. Made by",
             "// tools/tune.py of the record bench/results/nvidia_h200/tuning.csv, which has the times; do not edit.",
             "#pragma once",
             "",
             '#include "tuning/tuning.hpp"',
             "",
             "namespace kogge::grid {",
             "",
             "// clang-format off",
             "inline constexpr Tuned kTuning[] = {"]
    for value in values:
        for item_bytes in sorted(width for measured, width in record if measured == value):
            candidates = record[value, item_bytes]
            chosen, slower = choose(candidates)
            lines += [f"    // {line}" for line in comment(candidates, slower)]
            lines.append(f"    {{Choice::{value}, {item_bytes}, {chosen}}},")
    lines += ["};", "// clang-format on", "", "}  // namespace kogge::grid", ""]
    return "\n".join(lines)


def check_gpu(record, folder):
    """The record is one GPU's, and stands in the folder of its name."""
    gpus = {row["gpu"] for candidates in record.values() for times in candidates.values() for row in times.values()}
    if {re.sub(r"[^a-z0-9]+", "_", gpu.lower()).strip("_") for gpu in gpus} != {folder}:
        raise BadRecord(f"measured on {' and '.join(sorted(gpus))}, but the record is that of {folder}: "
                        "name another with --record, and --table if plans shall not follow it")


def replace(path, text):
    """All of the new text, or the old one."""
    unfinished = path.with_name(path.name + ".new")
    unfinished.write_text(text, encoding="utf-8")
    os.replace(unfinished, path)


def measured_by(program):
    try:
        run = subprocess.run([program], stdout=subprocess.PIPE, check=False, encoding="utf-8")
    except OSError as error:
        raise BadRecord(f"{program}: {error.strerror}") from None
    if run.returncode != 0:
        raise BadRecord(f"{program}: failed with exit code {run.returncode}")
    return run.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--measure", metavar="PROGRAM", help="as tools/dev tune builds it")
    parser.add_argument("--record", type=pathlib.Path, default=ROOT / "bench/results/nvidia_h200/tuning.csv")
    parser.add_argument("--table", type=pathlib.Path, default=ROOT / "lib/tuning/tuning_table.hpp")
    arguments = parser.parse_args()
    if arguments.check and arguments.measure:
        parser.error("--check measures nothing")
    values = known_values(ROOT / "lib/tuning/tuning.hpp")
    try:
        if arguments.measure:
            name, text = arguments.measure, measured_by(arguments.measure)
        else:
            name, text = arguments.record, arguments.record.read_text(encoding="utf-8")
        record = read_record(name, text, values)
        if arguments.measure:
            check_gpu(record, arguments.record.absolute().parent.name)
        table = table_of(record, values)
        if arguments.check:
            if arguments.table.read_text(encoding="utf-8") == table:
                return 0
            print(f"tune.py: {arguments.table} is not the table of {arguments.record}: run tools/tune.py", file=sys.stderr)
            return 1
        if arguments.measure:
            replace(arguments.record, text)
        replace(arguments.table, table)
        return 0
    except (BadRecord, UnicodeDecodeError) as problem:
        print(f"tune.py: {problem}", file=sys.stderr)
    except OSError as problem:
        print(f"tune.py: {problem.filename}: {problem.strerror}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
