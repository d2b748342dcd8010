#!/usr/bin/env python3
"""Measures what calls cost to compile, beside the same calls written with CUB, and renews the README's table.

    tools/compile_cost.py README.md [--library libkogge.a] [--only REGEX] [--check]

Each row is a file with nothing but an include and its calls, compiled by nvcc (CUDACXX) for one architecture: CPU
seconds of user and system, the object's size, and the kernels in it. With --library also the size of an executable with
one sort and one scan. With --only the rows are printed, and nothing is written. With --check the host compiler (CXX)
looks whether kogge's files are right, and nothing is measured. The table stands between
<!-- compile cost: begin --> and <!-- compile cost: end -->.
"""

import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

SECTION = re.compile(r"(<!-- compile cost: begin -->\n).*?(<!-- compile cost: end -->)", re.DOTALL)
ARCHITECTURE = "90"
FLAGS = ["-std=c++20", "-O3", f"-arch=sm_{ARCHITECTURE}", "--extended-lambda", "--expt-relaxed-constexpr"]
KOGGE = "#include <kogge/kogge.hpp>\n"
ADD_PAIRS = """struct Pair { float a, b; };
struct Add { __host__ __device__ Pair operator()(Pair x, Pair y) const { return {x.a + y.a, x.b + y.b}; } };
"""
DECLARE = """using u32 = unsigned; using u64 = unsigned long long;
struct Third { __host__ __device__ bool operator()(u32 x) const { return x % 3 == 0; } };
"""
TEMP = "void* t, std::size_t& b, "

# name, kogge's file, CUB's file or none
ROWS = (
    ("include alone", KOGGE, None),
    ("scan of u32, sort of pairs u64+u32",
     KOGGE + """void f(const std::uint64_t* k, std::uint64_t* l, const unsigned* v, unsigned* w, std::uint64_t n) {
    kogge::radix_sort_pairs(k, l, v, w, n); kogge::inclusive_scan(v, w, n); }""",
     "#include <cub/device/device_radix_sort.cuh>\n#include <cub/device/device_scan.cuh>\n" + DECLARE +
     "void f(" + TEMP + """const u64* k, u64* l, const u32* v, u32* w, u64 n) {
    cub::DeviceRadixSort::SortPairs(t, b, k, l, v, w, n); cub::DeviceScan::InclusiveSum(t, b, v, w, n); }"""),
    ("scan by an operator",
     KOGGE + ADD_PAIRS + "void f(const Pair* in, Pair* out, std::uint64_t n) { kogge::inclusive_scan(in, out, n, Add{}); }",
     "#include <cub/device/device_scan.cuh>\n" + ADD_PAIRS + DECLARE +
     "void f(" + TEMP + "const Pair* in, Pair* out, u64 n) { cub::DeviceScan::InclusiveScan(t, b, in, out, Add{}, n); }"),
    ("compact u32 by a predicate",
     KOGGE + DECLARE + "void f(const u32* in, u32* out, std::uint64_t n, std::uint64_t* c) { kogge::compact(in, out, c, n, Third{}); }",
     "#include <cub/device/device_select.cuh>\n" + DECLARE +
     "void f(" + TEMP + "const u32* in, u32* out, u64 n, u64* c) { cub::DeviceSelect::If(t, b, in, out, c, n, Third{}); }"),
    ("run lengths of u32",
     KOGGE + DECLARE + "void f(const u32* in, u32* out, u32* l, std::uint64_t n, std::uint64_t* c) { kogge::run_length_encode(in, out, l, c, n); }",
     "#include <cub/device/device_run_length_encode.cuh>\n" + DECLARE +
     "void f(" + TEMP + "const u32* in, u32* out, u32* l, u64* c, int n) { cub::DeviceRunLengthEncode::Encode(t, b, in, out, l, c, n); }"),
    ("segmented sort f32+i32",
     KOGGE + """void f(const float* k, float* l, const int* v, int* w, std::uint64_t n, const std::uint64_t* o, std::uint64_t s) {
    kogge::segmented_sort_pairs(k, l, v, w, n, o, s); }""",
     "#include <cub/device/device_segmented_sort.cuh>\n" + DECLARE + "void f(" + TEMP +
     """const float* k, float* l, const int* v, int* w, int n, const u64* o, int s) {
    cub::DeviceSegmentedSort::SortPairs(t, b, k, l, v, w, n, s, o, o + 1); }"""),
    ("emit the indices of a mask",
     KOGGE + """struct Count { const unsigned char* m; __host__ __device__ int operator()(std::uint64_t i) const { return m[i]; } };
struct Make { __host__ __device__ unsigned operator()(std::uint64_t i, std::uint64_t) const { return unsigned(i); } };
void f(const unsigned char* m, unsigned* out, std::uint64_t n, std::uint64_t* c) { kogge::emit(out, n, c, n, Count{m}, Make{}); }""",
     None),
)
PROGRAM = KOGGE + """int main() {
    unsigned* p = nullptr; std::uint64_t* k = nullptr;
    kogge::radix_sort_pairs(k, p, 1000); kogge::inclusive_scan(p, p, 1000);
}
"""


def nvcc():
    return os.environ.get("CUDACXX") or "nvcc"


def run(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"compile_cost.py: {' '.join(arguments)} failed:\n{done.stderr or done.stdout}")
    return done.stdout


def measure(source, folder, include):
    """CPU seconds, bytes of the object, kernels."""
    path, obj = folder / "a.cu", folder / "a.o"
    path.write_text(source + "\n", encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run([nvcc(), *FLAGS, "-I", str(include), "-c", "-keep", "-keep-dir", str(folder), str(path), "-o", str(obj)])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, obj.stat().st_size, (folder / "a.ptx").read_text(encoding="utf-8").count(".entry")


def check(include):
    """Whether the calls are still what the library has: all files as one, each in a namespace."""
    bodies = [ours.removeprefix(KOGGE) for _, ours, _ in ROWS if ours] + [PROGRAM.removeprefix(KOGGE)]
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "a.cpp"
        path.write_text(KOGGE + "".join(f"namespace file_{i} {{\n{body}\n}}\n" for i, body in enumerate(bodies)), encoding="utf-8")
        run([os.environ.get("CXX") or "c++", "-std=c++20", "-fsyntax-only", "-D__host__=", "-D__device__=", "-I", str(include), str(path)])


def cell(measured):
    return "–" if measured is None else f"{measured[0]:.1f} s, {measured[1] / 1000:.0f} kB, {measured[2]}"


def cub_version(folder):
    """CCCL's, of which CUB is a part: 3000001 is 3.0.1."""
    (folder / "v.cu").write_text("#include <cub/version.cuh>\n", encoding="utf-8")
    number = int(re.search(r"#define CCCL_VERSION (\d+)", run([nvcc(), "-E", "-Xcompiler", "-dM", str(folder / "v.cu")]))[1])
    return f"{number // 1000000}.{number // 1000 % 1000}.{number % 1000}"


def program_bytes(folder, include, library):
    path, program = folder / "program.cu", folder / "program"
    path.write_text(PROGRAM, encoding="utf-8")
    run([nvcc(), *FLAGS, "-I", str(include), str(path), str(library), "-o", str(program)])
    run(["strip", str(program)])
    return program.stat().st_size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readme", type=pathlib.Path)
    parser.add_argument("--library", type=pathlib.Path, help="libkogge.a, for one architecture")
    parser.add_argument("--only", metavar="REGEX", help="only rows of such names; writes nothing")
    parser.add_argument("--check", action="store_true", help="only look whether kogge's files compile")
    options = parser.parse_args()
    if options.check:
        return check(options.readme.resolve().parent / "include")
    text = options.readme.read_text(encoding="utf-8")
    if not SECTION.search(text):
        sys.exit(f"compile_cost.py: {options.readme} has no place for the table")
    include = options.readme.resolve().parent / "include"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        version = re.search(r"release ([0-9.]+)", run([nvcc(), "--version"]))[1]
        lines = [f"CPU seconds, object size and kernels of a file with just the calls: nvcc {version}, `-O3 -arch=sm_{ARCHITECTURE}`, "
                 f"CUB {cub_version(folder)}.", "", "| | kogge | CUB |", "|---|--:|--:|"]
        for row, ours, cub in ROWS:
            if options.only and not re.search(options.only, row):
                continue
            costs = [source and measure(source, folder, include) for source in (ours, cub)]
            lines.append(f"| {row} | {cell(costs[0])} | {cell(costs[1])} |")
            print(lines[-1], flush=True)
        if options.only:
            return
        if options.library:
            size = program_bytes(folder, include, options.library) / 1e6
            lines += ["", f"A program with the second row's calls has {size:.1f} MB for one architecture, CUDA's runtime included."]
            print(lines[-1])
    options.readme.write_text(SECTION.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], text), encoding="utf-8")


if __name__ == "__main__":
    main()
