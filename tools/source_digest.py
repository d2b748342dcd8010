#!/usr/bin/env python3
"""The digest of what the library and the tests on a GPU are compiled from. Comments and white space are left out, and so is
what `#if KOGGE_EMULATED` keeps from nvcc.

    tools/source_digest.py [ROOT]           prints the digest
    tools/source_digest.py [ROOT] --files   prints the digest of each file beside its name
    tools/source_digest.py [ROOT] --tests   prints for each test program the digest of its own file, of what this includes,
                                            and of the library, beside its name

It needs no git, and reads no file of a build. Moving a file changes it.
"""

import argparse
import hashlib
import pathlib
import re
import sys

# The library; tests that say GPU in their first lines, and what they include; what compiles them.
LIBRARY = ("include", "lib")
SUFFIXES = (".h", ".hpp", ".cuh", ".c", ".cpp", ".cu")
RUNS_ON_GPU = re.compile(r"^(?://|/\*) kogge-test:.*\bGPU\b", re.MULTILINE)
ALSO_ON_GPU = ("tests/support/gpu_main.cu", "tests/c/place_cuda.c", "tests/calls/prebuilt_test.cpp")  # the latter is plain C++ that calls kernels
INCLUDE = re.compile(r'^[ ]*\#[ ]*include[ ]*"([^"]+)"', re.MULTILINE)
BUILD = ("CMakeLists.txt", "tests/CMakeLists.txt", "tests/c/CMakeLists.txt", "tools/cmake/KoggeC.cmake",
         "tools/cmake/KoggeCompiler.cmake", "tools/cmake/KoggeCuda.cmake",
         "tools/cmake/KoggeVariants.cmake")
GOLDEN = "tests/golden"  # what tests on a GPU compare their results with
EMULATOR = re.compile(r"/emulat|lib/runtime/none")  # never part of a build with CUDA

SKIPPED, BREAK = "skipped", "break"
CODE = re.compile(r"""
    (?P<skipped> //(?:\\\r?\n|[^\n])* | /\*.*?\*/ | \\\r?\n | [^\S\n]+ )
  | (?P<break> \n )
  | (?: u8|[uUL] )? R"(?P<fence>[^()\\\s]{0,16})\(.*?\)(?P=fence)"
  | (?: u8|[uUL] )? "(?:\\.|[^"\\\n])*"
  | (?: u8|[uUL] )? '(?:\\.|[^'\\\n])+'
  | \.?[0-9](?:[eEpP][-+]|'?\w|\.)*
  | \w+
  | <<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#
  | .
""", re.VERBOSE | re.DOTALL)
CMAKE = re.compile(r"""
    (?P<skipped> \#\[(?P<comment>=*)\[.*?\](?P=comment)\] | \#[^\n]* | [^\S\n]+ )
  | (?P<break> \n )
  | \[(?P<fence>=*)\[.*?\](?P=fence)\]
  | "(?:\\.|[^"\\])*"
  | [()]
  | (?:\\.|[^\s()\#"\\])+
  | .
""", re.VERBOSE | re.DOTALL)


def tokens_of_code(text):
    """The tokens of C++. A directive ends with its line; in `#define NAME (` the space before the parenthesis counts."""
    directive = None  # the tokens of the directive so far
    line_is_empty, spaced = True, False
    for found in CODE.finditer(text):
        token = found[0]
        if found.lastgroup == SKIPPED:
            spaced = True
        elif found.lastgroup == BREAK:
            if directive is not None:
                yield "\n"
            directive, line_is_empty, spaced = None, True, False
        else:
            if line_is_empty and token == "#":
                directive = []
                yield "\n"
            if directive is not None:
                if spaced and token == "(" and len(directive) == 3 and directive[1] == "define":
                    yield " "
                directive.append(token)
            line_is_empty, spaced = False, False
            yield token
    if directive is not None:
        yield "\n"


def tokens_for_nvcc(text):
    """The tokens less what stands in `#if KOGGE_EMULATED` or in the `#else` of `#if !KOGGE_EMULATED`, and less these directives."""
    open_conditions = []  # for each: whether its code is kept, or None where it does not ask for the emulator alone
    tokens = iter(tokens_of_code(text))
    for token in tokens:
        directive = [token]
        if token == "\n":
            directive += iter(tokens.__next__, "\n")
        kind, rest = directive[2:3], directive[3:]
        ours = False
        if kind == ["if"]:
            ours = rest in (["KOGGE_EMULATED"], ["!", "KOGGE_EMULATED"])
            open_conditions.append(rest[0] == "!" if ours else None)
        elif kind in (["ifdef"], ["ifndef"]):
            open_conditions.append(None)
        elif kind == ["else"] and open_conditions and open_conditions[-1] is not None:
            ours, open_conditions[-1] = True, not open_conditions[-1]
        elif kind == ["elif"] and open_conditions and open_conditions[-1] is not None:
            open_conditions[-1] = True  # another question: all is kept from here on
        elif kind == ["endif"] and open_conditions:
            ours = open_conditions.pop() is not None
        if not ours and False not in open_conditions:
            yield from directive
            if token == "\n":
                yield token


def tokens_of_cmake(text):
    """Words, of CMake and of plain text."""
    return (found[0] for found in CMAKE.finditer(text) if found.lastgroup not in (SKIPPED, BREAK))


def is_code(path):
    return path.suffix in SUFFIXES


def text_of(path):
    return path.read_bytes().decode("utf-8", "surrogateescape")


def digest_of_file(path):
    tokens = tokens_for_nvcc(text_of(path)) if is_code(path) else tokens_of_cmake(text_of(path))
    return hashlib.sha256("\0".join(tokens).encode("utf-8", "surrogateescape")).hexdigest()


def included_by(path, root):
    """The files of the tree that a test includes by quotes: beside it, or as seen from the folders that tests see."""
    for name in INCLUDE.findall(text_of(path)):
        for folder in (path.parent, root / "tests", root / "include", root / "lib", root):
            if (folder / name).is_file():
                yield (folder / name).resolve()
                break


def tests_of(root):
    """The files of the tests that say GPU."""
    tests = [path for name in ("*_test.cpp", "*_test.c") for path in (root / "tests").rglob(name)]
    return [path for path in tests if RUNS_ON_GPU.search(text_of(path)[:1000])]


def with_includes(root, files, known):
    """The files, and all that they include of the tree, less what is known."""
    found, waiting = set(), list(files)
    while waiting:
        path = waiting.pop()
        if path not in found and path not in known:
            found.add(path)
            waiting.extend(included_by(path, root))
    return found


def shared_files_of(root):
    """The files that are part of every test program."""
    found = {path for folder in LIBRARY for path in (root / folder).rglob("*") if is_code(path) and path.is_file()}
    found |= with_includes(root, (root / name for name in ALSO_ON_GPU if (root / name).is_file()), found)
    found.update(root / name for name in BUILD if (root / name).is_file())
    found.update((root / GOLDEN).glob("*.txt"))
    return found


def names_of(root, found):
    """Names of the files, sorted, with slashes."""
    names = (path.relative_to(root).as_posix() for path in found)
    return sorted(name for name in names if not EMULATOR.search(name))


def files_of(root):
    root = root.resolve()
    shared = shared_files_of(root)
    return names_of(root, shared | with_includes(root, tests_of(root), shared))


def digests_of(root):
    return [(name, digest_of_file(root / name)) for name in files_of(root)]


def digest_of_lines(digests):
    lines = "".join(f"{digest}  {name}\n" for name, digest in digests)
    return hashlib.sha256(lines.encode("utf-8")).hexdigest()


def digest_of(root):
    return digest_of_lines(digests_of(root))


def program_digests(root):
    """The digest of each test program, by the name that ctest has for it, less what says that it runs on a GPU."""
    root = root.resolve()
    shared, of_files = shared_files_of(root), dict(digests_of(root))
    own = {("c_" if test.suffix == ".c" else "") + re.sub(r"_test$", "", test.stem): [test] for test in tests_of(root)}
    own["prebuilt"] = []  # among ALSO_ON_GPU
    return {
        program: digest_of_lines((name, of_files[name]) for name in names_of(root, shared | with_includes(root, files, shared)))
        for program, files in sorted(own.items())
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--tests", action="store_true")
    arguments = parser.parse_args()
    if arguments.tests:
        for name, digest in program_digests(arguments.root).items():
            print(f"{digest}  {name}")
    elif arguments.files:
        for name, digest in digests_of(arguments.root):
            print(f"{digest}  {name}")
    else:
        print(digest_of(arguments.root))
    return 0


if __name__ == "__main__":
    sys.exit(main())
