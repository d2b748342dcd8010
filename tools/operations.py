#!/usr/bin/env python3
"""Writes the table of operations in include/kogge/CALLS.md: which call of C++ has which functions of C and of Python.
With --check it only says whether the table is current. It fails if a call, a function of kogge.h that takes a
kogge_exec, or a function of the package is in no row, if a row names what there is not, or if a call of C++ is not in
the page's list."""

import ast
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "include/kogge/CALLS.md"
BEGIN, END = "<!-- operations: begin -->\n", "<!-- operations: end -->\n"
FUNCTION = "takes a function of yours"

# Calls of C++, functions of C (without kogge_), functions of Python; and why there are none, or what else differs.
ROWS = [
    ("radix_sort", "radix_sort radix_sort_columns", "sort sort_columns", ""),
    ("radix_sort_pairs", "radix_sort_pairs radix_sort_columns_pairs", "sort_pairs sort_columns_pairs",
     "several arrays of values: C++"),
    ("argsort", "argsort argsort_columns", "argsort argsort_columns", ""),
    ("segmented_sort", "segmented_sort", "segmented_sort sort", "begins and ends apart: C++"),
    ("segmented_sort_pairs", "segmented_sort_pairs", "", ""),
    ("segmented_argsort", "segmented_argsort", "segmented_argsort argsort", ""),
    ("top_k", "top_k", "topk", ""),
    ("top_k_pairs", "top_k_pairs", "", ""),
    ("arg_top_k", "arg_top_k", "argtopk topk", ""),
    ("segmented_top_k segmented_top_k_pairs segmented_arg_top_k", "segmented_top_k", "segmented_topk topk argtopk",
     "a k per segment: C++"),
    ("select", "select", "select", ""),
    ("quantiles", "quantiles", "quantiles", ""),
    ("segmented_select", "segmented_select", "select", "of rows in Python"),
    ("histogram", "histogram_even histogram_bounds", "histogram", "leading bits, and bins by a function: C++"),
    ("weighted_histogram", "histogram_even histogram_bounds", "histogram", ""),
    ("compact", "compact", "", "by a relation in C; several arrays, and by a function: C++"),
    ("compact_flags", "compact_flags compact_bits", "compact", ""),
    ("compact_stencil", "", "", FUNCTION),
    ("compact_indices", "nonzero nonzero_bits", "compact_indices nonzero flatnonzero", "by a function: C++"),
    ("partition", "partition", "partition", "by a relation in C and Python"),
    ("partition_flags", "partition_flags partition_bits", "partition_flags", "two outputs: C++ and C"),
    ("partition_stencil", "", "", FUNCTION),
    ("split split_pairs", "split", "split", "by bits of a key in C, by numbers of bins in Python"),
    ("emit", "", "", FUNCTION),
    ("unique", "unique", "unique unique_consecutive", ""),
    ("unique_by_key", "unique_by_key", "", ""),
    ("run_length_encode", "run_length_encode", "run_length_encode unique", ""),
    ("inclusive_scan", "scan", "scan cumsum", ""),
    ("exclusive_scan reverse_inclusive_scan reverse_exclusive_scan", "scan", "scan", ""),
    ("inclusive_scan_by_key exclusive_scan_by_key", "scan_by_key", "scan", ""),
    ("reverse_inclusive_scan_by_key reverse_exclusive_scan_by_key", "", "", "not yet"),
    ("inclusive_segmented_scan exclusive_segmented_scan", "segmented_scan", "scan", ""),
    ("reduce", "reduce", "reduce", ""),
    ("transform_reduce", "", "", FUNCTION),
    ("arg_min", "arg_min", "argmin", ""),
    ("arg_max", "arg_max", "argmax", ""),
    ("segmented_reduce", "segmented_reduce", "segmented_reduce reduce", ""),
    ("reduce_by_key", "reduce_by_key", "reduce_by_key", ""),
    ("merge", "merge", "merge", ""),
    ("merge_pairs", "merge_pairs", "merge_pairs", ""),
    ("lower_bound upper_bound", "lower_bound upper_bound", "searchsorted", ""),
]
# Of the package, what is no operation on arrays.
OTHERS_OF_PYTHON = {
    "Column", "Plan", "column", "device_count", "known_devices", "plan", "runtime", "scratch_bytes", "set_num_threads", "trim",
    "version",
}


def calls_of_cpp():
    """The functions of the public headers that take a kogge::exec."""
    found = set()
    for header in sorted([*ROOT.glob("include/kogge/*.hpp"), *ROOT.glob("include/kogge/calls/*.hpp")]):
        space = r"namespace kogge::KOGGE_CODE \{\n(.*?)\n\}  // namespace kogge::KOGGE_CODE"
        for body in re.findall(space, header.read_text(), flags=re.S):
            body = re.sub(r"//.*", "", body)
            for name, parameters in re.findall(r"\b(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*\{", body):
                if re.search(r"\bexec& how\b", parameters):
                    found.add(name)
    return found


def functions_of_c():
    functions = json.loads((ROOT / "tools/c_interface.json").read_text())["functions"]
    return {
        name.removeprefix("kogge_")
        for name, function in functions.items()
        if not name.startswith("kogge_plan_") and any(each["name"] == "exec" for each in function["parameters"])
    }


def functions_of_python():
    for node in ast.parse((ROOT / "tools/python/src/kogge/__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return set(ast.literal_eval(node.value)) - OTHERS_OF_PYTHON
    sys.exit("operations: the package has no __all__")


def check(language, there, column):
    named = {name for row in ROWS for name in row[column].split()}
    if there - named:
        sys.exit(f"operations: of {language}, in no row: {', '.join(sorted(there - named))}: add them to tools/operations.py")
    if named - there:
        sys.exit(f"operations: of {language}, there is no {', '.join(sorted(named - there))}")


def table():
    def cell(names, prefix=""):
        return ", ".join(f"`{prefix}{name}`" for name in names.split()) or "–"

    lines = ["| C++ | C: `kogge_…` | Python | |", "|---|---|---|---|"]
    lines += [f"| {cell(cpp)} | {cell(c)} | {cell(python)} | {note} |" for cpp, c, python, note in ROWS]
    return "\n".join(lines) + "\n"


def main():
    calls = calls_of_cpp()
    check("C++", calls, 0)
    check("C", functions_of_c(), 1)
    check("Python", functions_of_python(), 2)
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    old, after = rest.split(END)
    listed = set(re.findall(r"\w+", before))
    if calls - listed:
        sys.exit(f"operations: not in the list of CALLS.md: {', '.join(sorted(calls - listed))}")
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(before + BEGIN + table() + END + after)
    elif old != table():
        sys.exit("operations: the table in CALLS.md is not current: run tools/operations.py")


if __name__ == "__main__":
    main()
