#!/usr/bin/env python3
"""Writes the table of operations in include/kogge/CALLS.md: which call of C++ has which functions of C and of Python.
With --check it only says whether the table is current. It fails if a call, a function of kogge.h that takes a
kogge_exec, or a function of the package is in no row, if a row names what there is not, or if a call of C++ is not in
the page's list. It also fails where the options of the languages differ: a member of C's options that C++ lacks or that no
parameter of a row's function of Python stands for, or a choice of Python's that is another number in C."""

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

# What stands for a member of C's options among the parameters of Python's functions, where it has another name.
OTHER_NAMES = {"order": ("descending", "largest")}
# Members that are no parameters of these functions.
LEFT_OUT = {
    "begin_bit end_bit": "argsort segmented_sort segmented_argsort topk argtopk segmented_topk select quantiles",
    "op exclusive reverse init": "cumsum",
}
# What C has for the words of Python's choices: dictionaries of _calls.py and _kinds.py.
CHOICES = {
    "_ORDERS": {False: "KOGGE_ASCENDING", True: "KOGGE_DESCENDING"},
    "_ZEROS": {"negative_first": "KOGGE_NEGATIVE_ZERO_FIRST", "equal": "KOGGE_ZEROS_EQUAL"},
    "_NANS": {"by_sign": "KOGGE_NANS_BY_SIGN", "last": "KOGGE_NANS_LAST", "greatest": "KOGGE_NANS_GREATEST"},
    "_NULLS": {"last": "KOGGE_NULLS_LAST", "first": "KOGGE_NULLS_FIRST"},
    "_OPERATORS": {"plus": "KOGGE_PLUS", "maximum": "KOGGE_MAXIMUM", "minimum": "KOGGE_MINIMUM"},
    "_RELATIONS": {
        "<": "KOGGE_LESS", "<=": "KOGGE_LESS_EQUAL", ">": "KOGGE_GREATER", ">=": "KOGGE_GREATER_EQUAL", "==": "KOGGE_EQUAL",
        "!=": "KOGGE_NOT_EQUAL",
    },
    "TYPES": {
        "bool": "KOGGE_BOOL", "uint8": "KOGGE_U8", "int8": "KOGGE_I8", "uint16": "KOGGE_U16", "int16": "KOGGE_I16",
        "uint32": "KOGGE_U32", "int32": "KOGGE_I32", "uint64": "KOGGE_U64", "int64": "KOGGE_I64", "float16": "KOGGE_F16",
        "bfloat16": "KOGGE_BF16", "float32": "KOGGE_F32", "float64": "KOGGE_F64",
    },
}
INTERFACE = json.loads((ROOT / "tools/c_interface.json").read_text())
PACKAGE = ROOT / "tools/python/src/kogge"


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
    return {
        name.removeprefix("kogge_")
        for name, function in INTERFACE["functions"].items()
        if not name.startswith("kogge_plan_") and any(each["name"] == "exec" for each in function["parameters"])
    }


def functions_of_python():
    for node in ast.parse((PACKAGE / "__init__.py").read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            return set(ast.literal_eval(node.value)) - OTHERS_OF_PYTHON
    sys.exit("operations: the package has no __all__")


def check(language, there, column):
    named = {name for row in ROWS for name in row[column].split()}
    if there - named:
        sys.exit(f"operations: of {language}, in no row: {', '.join(sorted(there - named))}: add them to tools/operations.py")
    if named - there:
        sys.exit(f"operations: of {language}, there is no {', '.join(sorted(named - there))}")


def members(struct):
    return {each["name"] for each in INTERFACE["structs"][struct]} - {"size"}


def options_of_c(function):
    """The members of the options that a function of C takes."""
    structs = re.findall(r"\bkogge_\w+_options\b", str(INTERFACE["functions"][f"kogge_{function}"]["parameters"]))
    return set().union(*map(members, structs))


def check_options():
    """The same options in each language, and the same numbers for their words."""
    fields = re.search(r"\nstruct sort_options \{\n(.*?)\n\};", (ROOT / "include/kogge/keys.hpp").read_text(), re.S)[1]
    of_cpp, of_c = set(re.findall(r"^ +\w+ (\w+) =", fields, re.M)), members("kogge_sort_options")
    if of_cpp != of_c:
        sys.exit(f"operations: of sort_options, in one of C++ and C alone: {', '.join(sorted(of_cpp ^ of_c))}")
    parameters = {}
    for node in ast.parse((PACKAGE / "__init__.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            parameters[node.name] = {each.arg for each in node.args.args + node.args.kwonlyargs}
    for _, c, python, _ in ROWS:
        options = set().union(*map(options_of_c, c.split()))
        for function in python.split():
            given = parameters["column" if "columns" in parameters[function] else function]
            left_out = " ".join(names for names, functions in LEFT_OUT.items() if function in functions.split()).split()
            there = {name for name in options if given & set(OTHER_NAMES.get(name, (name,)))}
            if options - there != options & set(left_out):
                sys.exit(f"operations: of Python's {function}, not as tools/operations.py has them: "
                         f"{', '.join(sorted((options - there) ^ (options & set(left_out))))}")
    numbers = {name: number for values in INTERFACE["enumerations"].values() for name, number in values.items()}
    for file in ("_calls.py", "_kinds.py"):
        for node in ast.parse((PACKAGE / file).read_text()).body:
            name = getattr(node.targets[0], "id", "") if isinstance(node, ast.Assign) else ""
            if name in CHOICES and ast.literal_eval(node.value) != {word: numbers[of_c] for word, of_c in CHOICES[name].items()}:
                sys.exit(f"operations: of Python's {name}, not all are C's numbers")


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
    check_options()
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
