#!/usr/bin/env python3
"""Describes the C interface for those who generate bindings: reads include/kogge/kogge.h, and writes its enumerations,
structs and functions to tools/c_interface.json. With --check it only says whether that file is current."""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "include/kogge/kogge.h"
DESCRIPTION = ROOT / "tools/c_interface.json"


def without_comments(text):
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def enumerations(text):
    found = {}
    for body, name in re.findall(r"typedef enum \w+ \{(.*?)\} (\w+);", text, flags=re.S):
        constants = {}
        for line in filter(None, map(squeezed, body.split(","))):
            constant, value = map(str.strip, line.split("="))
            constants[constant] = int(value, 0)
        found[name] = constants
    return found


def declaration(text):
    """The name and type of a member or a parameter."""
    text = squeezed(text)
    name = re.search(r"(\w+)$", text).group(1)
    return {"name": name, "type": squeezed(text[: -len(name)])}


def structs(text):
    return {
        name: [declaration(member) for member in map(squeezed, body.split(";")) if member]
        for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (\w+);", text, flags=re.S)
    }


def parameters(text):
    text = squeezed(text)
    return [] if text == "void" else [declaration(each) for each in text.split(",")]


def callbacks(text):
    return {
        name: {"returns": squeezed(returns), "parameters": parameters(given)}
        for returns, name, given in re.findall(r"typedef ([\w ]+\*?) ?\(\*(\w+)\)\((.*?)\);", text, flags=re.S)
    }


def functions(text):
    return {
        name: {"returns": squeezed(returns), "parameters": parameters(given)}
        for returns, name, given in re.findall(r"KOGGE_API ([\w ]+[ *]+)(kogge_\w+)\((.*?)\);", text, flags=re.S)
    }


def version(text):
    return ".".join(re.search(rf"#define KOGGE_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def describe(header):
    text = without_comments(header)
    return {
        "version": version(text),
        "enumerations": enumerations(text),
        "structs": structs(text),
        "callbacks": callbacks(text),
        "functions": functions(text),
    }


def main():
    description = describe(HEADER.read_text())
    if len(description["functions"]) != HEADER.read_text().count("KOGGE_API ") - HEADER.read_text().count("#define KOGGE_API "):
        sys.exit("c_interface: some function of kogge.h is not understood")
    declared = re.search(r"project\(kogge VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    if description["version"] != declared:
        sys.exit(f"c_interface: kogge.h is of version {description['version']}, the project of {declared}")
    text = json.dumps(description, indent=1) + "\n"
    if "--check" in sys.argv[1:]:
        if not DESCRIPTION.exists() or DESCRIPTION.read_text() != text:
            sys.exit("c_interface: tools/c_interface.json is not current: run tools/c_interface.py")
    else:
        DESCRIPTION.write_text(text)


if __name__ == "__main__":
    main()
