#!/usr/bin/env python3
"""Measures the package's calls beside NumPy's on the host, and beside PyTorch's, CuPy's and JAX's on a GPU.

    python tools/python/bench.py [--n 2^20,2^24] [--only sort,argsort] [--csv FILE]
    python tools/python/bench.py --out bench/results        writes the record: bench/results/<gpu>/python.csv

A time is that of a whole call in Python: on a GPU with a wait before it and after it, arrays are PyTorch's, and of other
libraries' calls the same memory. The libraries take turns; a row has the medians of --seconds of calls in all, at least of
five rounds, or of three of those longer than 50 ms. Its first call is the process's first of this case: it loads kernels,
and JAX compiles. The peak is PyTorch's memory during a call, beside the input, over the input's bytes; results count.
Each result is compared with each rival's.

A library that is missing, or raises, leaves its column empty. The exit status is 1 if kogge raises, if results differ, or
if rows are left out by --limit. It needs the installed package and NumPy; on a GPU PyTorch, too.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import datetime
import functools
import importlib
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time

import numpy as np

import kogge

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import bench_record  # noqa: E402
from bench_cases import CASES, TYPES, TYPES_OF_JAX, TYPES_OF_LARGE  # noqa: E402

LARGE = 2**26
SIZES = {"host": "2^10,2^16,2^20,2^24", "device": "2^16,2^20,2^24,2^28"}
SAMPLES = 200  # at most


# ---- places and libraries --------------------------------------------------------------------------------------------


class Library:
    """NumPy and PyTorch, whose arrays the inputs are."""

    types = None

    def __init__(self, name):
        self.module = importlib.import_module(name)

    def of(self, array):
        return array

    def call(self, function, inputs):
        """A function without arguments."""
        return functools.partial(function, self.module, *inputs)

    def back(self, array):
        return array

    def free(self):
        pass


class Torch(Library):
    def free(self):
        self.module.cuda.empty_cache()


class Cupy(Library):
    def of(self, array):
        return self.module.asarray(array)

    def back(self, array):
        import torch

        return torch.from_dlpack(array)

    def free(self):
        self.module.get_default_memory_pool().free_all_blocks()


class Jax(Library):
    types = TYPES_OF_JAX

    def __init__(self, name):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else it takes most of the memory
        super().__init__(name)
        if self.module.devices()[0].platform != "gpu":
            raise ImportError("JAX has no GPU")
        self.module.config.update("jax_enable_x64", True)

    def of(self, array):
        return self.module.numpy.from_dlpack(array)

    def call(self, function, inputs):
        compiled = self.module.jit(functools.partial(function, self.module))
        return lambda: self.module.block_until_ready(compiled(*inputs))

    def back(self, array):
        import torch

        return torch.from_dlpack(array)


def libraries(kinds):
    found = {}
    for name, kind in kinds.items():
        try:
            found[name] = kind(name)
        except Exception as failure:  # not installed, or it does not work with this driver
            warn(f"without {name}: {first_line(failure)}")
    return found


class Host:
    name = "host"

    def __init__(self):
        self.libraries = libraries({"numpy": Library})
        self.generator = np.random.default_rng(1)

    def integers(self, low, high, dtype, n):
        return self.generator.integers(low, high, n, np.int64).astype(dtype)

    def fractions(self, dtype, n):
        return self.generator.random(n, np.float32).astype(dtype)

    def random(self, dtype, n):
        if dtype.startswith("float"):
            return self.generator.standard_normal(n, np.float32).astype(dtype) + np.zeros((), dtype)  # −0 + 0 is 0
        info = np.iinfo(dtype)
        return self.generator.integers(info.min, info.max, n, dtype)

    def ascending(self, x):
        return np.sort(x)

    def wait(self):
        pass

    def peak(self, call, inputs):
        return None

    def setting(self):
        with contextlib.suppress(OSError):
            found = re.search(r"^model name\s*: *(.+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        threads = len(os.sched_getaffinity(0))
        return {"gpu": found[1] if found else "unknown processor", "driver": f"{threads} threads", "cuda": "none"}


class Device:
    name = "device"

    def __init__(self):
        self.libraries = libraries({"torch": Torch, "cupy": Cupy, "jax": Jax})
        if "torch" not in self.libraries or not self.libraries["torch"].module.cuda.is_available():
            sys.exit("bench: on a GPU the arrays are PyTorch's, which is not here or has no GPU; --host measures the host")
        self.torch = self.libraries["torch"].module
        self.torch.manual_seed(1)

    def integers(self, low, high, dtype, n):
        return self.torch.randint(low, high, (n,), dtype=getattr(self.torch, dtype), device="cuda")

    def fractions(self, dtype, n):
        return self.torch.rand(n, dtype=getattr(self.torch, dtype), device="cuda")

    def random(self, dtype, n):
        if dtype.startswith("float"):
            return self.torch.randn(n, dtype=getattr(self.torch, dtype), device="cuda") + 0.0  # −0 + 0 is 0
        info = np.iinfo(dtype)
        return self.integers(info.min, info.max, dtype, n)

    def ascending(self, x):
        return self.torch.sort(x)[0]

    def wait(self):
        self.torch.cuda.synchronize()

    def peak(self, call, inputs):
        self.wait()
        self.torch.cuda.reset_peak_memory_stats()
        before = self.torch.cuda.memory_allocated()
        call()
        self.wait()
        most = self.torch.cuda.max_memory_allocated()
        return (most - before) / sum(x.numel() * x.element_size() for x in inputs)

    def setting(self):
        query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
        return {"gpu": self.torch.cuda.get_device_name(), "driver": output_of(query) or "unknown", "cuda": self.torch.version.cuda}


# ---- a row -----------------------------------------------------------------------------------------------------------


class Contender:
    """A call, its first time and the later ones in seconds, and its memory."""

    def __init__(self, place, call):
        self.place, self.call, self.times, self.peak = place, call, [], None

    def time(self):
        """Seconds of a call, and what it gives."""
        self.place.wait()
        begin = time.perf_counter()
        result = self.call()
        self.place.wait()
        return time.perf_counter() - begin, result

    def begin(self):
        self.first, result = self.time()
        return result


def take_turns(contenders, seconds):
    deadline = time.perf_counter() + seconds
    longest = 0
    for done in range(SAMPLES):
        if done >= (3 if longest > 0.05 else 5) and time.perf_counter() > deadline:
            break
        for turn in range(len(contenders)):
            contender = contenders[(done + turn) % len(contenders)]
            taken, _ = contender.time()
            contender.times.append(taken)
            longest = max(longest, taken)


def spread(times):
    tenths = statistics.quantiles(times, n=10, method="inclusive")
    return (tenths[-1] - tenths[0]) / statistics.median(times)


def measure(place, case, dtype, n, seconds):
    """A row of the record, None if no rival has a result, and the rivals whose results differ; raises what kogge raises."""
    inputs = case.inputs(place, dtype, n)
    ours = Contender(place, functools.partial(case.ours, *inputs))
    result = ours.begin()
    ours.peak = place.peak(ours.call, inputs)
    contenders, differing = {"ours": ours}, []
    for name, function in case.rivals.items():
        library = place.libraries.get(name)
        if library is None or (library.types is not None and dtype not in library.types):
            continue
        try:
            rival = Contender(place, library.call(function, [library.of(x) for x in inputs]))
            theirs = rival.begin()
            theirs = tuple(map(library.back, theirs)) if isinstance(theirs, (tuple, list)) else library.back(theirs)
            if not case.same(inputs, result, theirs):
                differing.append(name)
            theirs = None
            if name == "torch":
                rival.peak = place.peak(rival.call, inputs)
            contenders[name] = rival
        except Exception as failure:
            warn(f"{title(case, dtype, n)}: {name} raises {type(failure).__name__}: {first_line(failure)}")
    result = None
    if len(contenders) == 1:
        return None, differing
    take_turns(list(contenders.values()), seconds)
    row = {"primitive": case.primitive, "type": dtype, "case": case.case, "n": n, "mode": "eager",
           "spread": f"{max(spread(each.times) for each in contenders.values()):.4f}", "checked": "no" if differing else "yes"}
    for name, each in contenders.items():
        row[f"{name}_us"] = f"{1e6 * statistics.median(each.times):.3f}"
        row[f"{name}_first_us"] = f"{1e6 * each.first:.3f}"
        if each.peak is not None:
            row[f"{name}_peak"] = f"{each.peak:.3f}"
    return row, differing


def rows(place, only, sizes, seconds, deadline, problems):
    """Measures row by row. What went wrong is appended to problems."""
    for case in CASES:
        if (only and case.primitive not in only) or not case.rivals.keys() & place.libraries.keys():
            continue
        for dtype in TYPES[place.name]:
            for n in sizes:
                if dtype not in case.types or n % case.step or (n > LARGE and dtype not in TYPES_OF_LARGE):
                    continue
                if time.perf_counter() > deadline:
                    problems.append(f"{title(case, dtype, n)}: left out, as the time is over")
                    continue
                row, differing = None, []
                try:
                    row, differing = measure(place, case, dtype, n, seconds)
                except Exception as failure:
                    problems.append(f"{title(case, dtype, n)}: kogge raises {type(failure).__name__}: {first_line(failure)}")
                for library in place.libraries.values():
                    library.free()
                if differing:
                    problems.append(f"{title(case, dtype, n)}: the result is not that of {' and '.join(differing)}")
                if row:
                    yield row


# ---- the record ------------------------------------------------------------------------------------------------------


def title(case, dtype, n):
    return f"{case.primitive} {dtype} {case.case} {bench_record.size_name(n)}"


def first_line(failure):
    return (str(failure).strip().splitlines() or [""])[0]


def warn(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def output_of(command):
    """The first line that a command prints; empty when it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")[0].strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def commit_name():
    here = str(pathlib.Path(__file__).resolve().parent)
    described = output_of(["git", "-C", here, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"])
    return os.environ.get("KOGGE_COMMIT") or described or "unknown"


def folder_name(device):
    """As bench/support/record.hpp has it: without the size of the memory and what follows it."""
    words = re.findall(r"[a-z0-9]+", device.lower())
    memory = next((i for i, word in enumerate(words) if re.fullmatch(r"\d+gb", word)), len(words))
    return "_".join(words[:memory]) or "unknown"


def setting_of(place, commit):
    versions = {name: library.module.__version__ for name, library in place.libraries.items()}
    return {"commit": commit or commit_name(), **place.setting(), "python": platform.python_version(), **versions,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat()}


@contextlib.contextmanager
def record(path):
    """A function that adds a row. Rows go into a second file, which takes the old one's place at the end."""
    if path is None:
        yield lambda row: None
        return
    unfinished = path.with_name(path.name + ".new")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(unfinished, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, bench_record.OF_PYTHON, restval="", lineterminator="\n")
        writer.writeheader()

        def add(row):
            writer.writerow(row)
            file.flush()

        yield add
    unfinished.replace(path)


def shown(row):
    ours = float(row["ours_us"])
    name = f"{row['primitive']} {row['type']} {row['case']} {bench_record.size_name(row['n'])}"
    others = ", ".join(f"{library} ×{float(row[library + '_us']) / ours:.2f}"
                       for library in bench_record.LIBRARIES if row.get(library + "_us"))
    peaks = f"; memory {row['ours_peak']} and {row.get('torch_peak', '–')} of the input" if "ours_peak" in row else ""
    return f"{name:52} {ours:12.1f} µs, {others}; spread {row['spread']}{peaks}"


def size(text):
    base, _, exponent = text.partition("^")
    try:
        n = int(base) ** int(exponent or 1)
    except ValueError:
        n = 0
    if not 0 < n < 2**40:
        raise argparse.ArgumentTypeError(f"'{text}' is no size such as 2^20")
    return n


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=lambda text: [size(word) for word in text.split(",")], help="sizes; by default "
                        f"{SIZES['device']} on a GPU, {SIZES['host']} on the host")
    primitives = sorted({case.primitive for case in CASES})
    parser.add_argument("--only", default="", help=f"some of {', '.join(primitives)}")
    parser.add_argument("--csv", type=pathlib.Path, metavar="FILE", help="where the record goes")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", help="the record is FOLDER/<gpu or processor>/python.csv")
    parser.add_argument("--commit", help="of the record; by default KOGGE_COMMIT, or git's")
    parser.add_argument("--seconds", type=float, default=0.1, help="of a row's calls (0.1)")
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds after which rows are left out; none are by default")
    parser.add_argument("--host", action="store_true", help="on the host, though there is a GPU")
    given = parser.parse_args()
    given.only = set(filter(None, given.only.split(",")))
    if given.only - set(primitives):
        parser.error(f"there is no {' or '.join(sorted(given.only - set(primitives)))}; there are {', '.join(primitives)}")
    return given


def main():
    given = arguments()
    begin = time.perf_counter()
    place = Host() if given.host or kogge.device_count() == 0 else Device()
    sizes = given.n or [size(word) for word in SIZES[place.name].split(",")]
    setting = setting_of(place, given.commit)
    path = given.out / folder_name(setting["gpu"]) / "python.csv" if given.out else given.csv
    print(", ".join(f"{name} {value}" for name, value in setting.items()))
    problems, count = [], 0
    with record(path) as add:
        for row in rows(place, given.only, sizes, given.seconds, begin + given.limit, problems):
            add({**row, **setting})
            print(shown(row), flush=True)
            count += 1
    print(f"{count} rows" + (f" in {path}" if path else "") + f", {time.perf_counter() - begin:.0f} s")
    for problem in problems:
        warn(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
