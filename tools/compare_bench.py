#!/usr/bin/env python3
"""Compares two benchmark records row by row.

NOISE  the times differ by no more than the larger spread of the two rows, or than --floor: a row's spread is that of
       one run, and two runs of the same program differ by up to 3 % on two machines of one kind
PASS   the new one is faster by more than that
FAIL   the new one is slower by more than that, or its result was wrong

Exit code: 0 without a FAIL, 1 with one, 2 when the records cannot be compared.
"""

import argparse
import sys

import bench_record


def judge(old, new, floor, by_ratio):
    """The verdict, and by how much the new row is slower."""
    slower = old.ratio / new.ratio - 1 if by_ratio else new.ours_us / old.ours_us - 1
    if not new.checked:
        return "FAIL", slower
    allowed = max(old.spread, new.spread, floor)
    if abs(slower) <= allowed:
        return "NOISE", slower
    return ("FAIL" if slower > 0 else "PASS"), slower


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="a CSV file of the record, or a GPU's folder")
    parser.add_argument("new")
    parser.add_argument("--ratio", action="store_true", help="compare the ratios to the rival, not the times: for two machines")
    parser.add_argument("--floor", type=float, default=0.03, help="differences up to this are noise (default: %(default)s)")
    parser.add_argument("--brief", action="store_true", help="show no NOISE rows")
    arguments = parser.parse_args()

    old = {row.key: row for row in bench_record.read(arguments.old)}
    new = {row.key: row for row in bench_record.read(arguments.new)}
    common = [key for key in new if key in old]
    if not common:
        bench_record.fail("the two records have no row in common")

    counts = {"PASS": 0, "FAIL": 0, "NOISE": 0}
    for key in common:
        verdict, slower = judge(old[key], new[key], arguments.floor, arguments.ratio)
        counts[verdict] += 1
        if arguments.brief and verdict == "NOISE":
            continue
        primitive, kind, case, n, mode = key
        name = f"{primitive} {kind} {case} {bench_record.size_name(n)} {mode}"
        times = f"{old[key].ours_us:10.1f} -> {new[key].ours_us:10.1f} us"
        wrong = "" if new[key].checked else "  wrong result"
        print(f"{verdict:5}  {name:60} {times}  {100 * slower:+6.1f} %  x{new[key].ratio:.2f} of {bench_record.rival([new[key]])}{wrong}")
    missing, added = len(old) - len(common), len(new) - len(common)
    print(f"{counts['PASS']} PASS, {counts['FAIL']} FAIL, {counts['NOISE']} NOISE; "
          f"{missing} rows only in the old record, {added} only in the new one")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
