#!/usr/bin/env python3
"""Measures the package's calls beside NumPy's on the host, and beside PyTorch's, CuPy's and JAX's on a GPU.

    python tools/python/bench.py [--n 2^20,2^24,2^28] [--only sort,argsort] [--csv FILE]

Prints a table: each library's time over kogge's (more than 1: kogge is faster), the first call's time, and the peak of
PyTorch's memory over the input's. A time is the median of several; on a GPU of whole calls, with a wait after each.
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
import time

import numpy as np

import kogge


def measure(call, wait, seconds=0.5):
    """(first call, median) in seconds."""
    wait()
    begin = time.perf_counter()
    call()
    wait()
    first = time.perf_counter() - begin
    times = []
    deadline = time.perf_counter() + seconds
    while len(times) < 5 or (time.perf_counter() < deadline and len(times) < 1000):
        begin = time.perf_counter()
        call()
        wait()
        times.append(time.perf_counter() - begin)
    return first, statistics.median(times)


class Case:
    """A call of kogge's, and those of others that do the same, by library: each is a function without arguments."""

    def __init__(self, name, dtype, n, ours, others, peak=None):
        self.name, self.dtype, self.n, self.ours, self.others, self.peak = name, dtype, n, ours, others, peak


def numbers(dtype, n):
    random = np.random.default_rng(1)
    if np.dtype(dtype).kind == "f":
        return random.standard_normal(n, dtype=np.float32).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, n, dtype)


def host_cases(n):
    for dtype in ("int32", "int64", "float32", "float64"):
        x = numbers(dtype, n)
        out = np.empty_like(x)
        yield Case("sort", dtype, n, lambda: kogge.sort(x, out=out), {"numpy": lambda: np.sort(x)})
        yield Case("argsort", dtype, n, lambda: kogge.argsort(x), {"numpy": lambda: np.argsort(x, kind="stable")})
        yield Case("sort_pairs", dtype, n, lambda: kogge.sort_pairs(x, x), {"numpy": lambda: pairs_of_numpy(x)})
        yield Case("topk 40", dtype, n, lambda: kogge.topk(x, 40), {"numpy": lambda: np.sort(np.partition(x, n - 40)[n - 40:])})
        few = (x.view(np.uint64 if x.itemsize == 8 else np.uint32) % 1000).astype(dtype)
        yield Case("unique", dtype, n, lambda: kogge.unique(few), {"numpy": lambda: np.unique(few)})
        yield Case("nonzero", dtype, n, lambda: kogge.nonzero(few), {"numpy": lambda: np.nonzero(few)})
        mask = x > 0
        yield Case("compact", dtype, n, lambda: kogge.compact(x, mask), {"numpy": lambda: x[mask]})
        yield Case("cumsum", dtype, n, lambda: kogge.cumsum(x), {"numpy": lambda: np.cumsum(x)})


def pairs_of_numpy(x):
    order = np.argsort(x, kind="stable")
    return x[order], x[order]


def device_cases(n):
    try:
        import torch
    except ImportError:
        sys.exit("bench: the GPU's rows need PyTorch")
    cupy = optional("cupy")
    jax = optional("jax")
    for dtype in ("int32", "int64", "float32", "float16"):
        x = torch.from_numpy(numbers(dtype, n)).cuda()
        others = {"torch": lambda: torch.sort(x)}
        argsorts = {"torch": lambda: torch.argsort(x)}
        if cupy is not None:
            y = cupy.from_dlpack(x)
            others["cupy"] = lambda: cupy.sort(y)
            argsorts["cupy"] = lambda: cupy.argsort(y)
        if jax is not None:
            jax.config.update("jax_enable_x64", True)
            z = jax.numpy.from_dlpack(x)
            jax_sort, jax_argsort = jax.jit(jax.lax.sort), jax.jit(jax.numpy.argsort)
            others["jax"] = lambda: jax_sort(z).block_until_ready()
            argsorts["jax"] = lambda: jax_argsort(z).block_until_ready()
        bytes_ = x.numel() * x.element_size()
        yield Case("sort", dtype, n, lambda: kogge.sort(x), others, bytes_)
        yield Case("argsort", dtype, n, lambda: kogge.argsort(x), argsorts, bytes_)
        yield Case("topk 40", dtype, n, lambda: kogge.topk(x, 40), {"torch": lambda: torch.topk(x, 40)}, bytes_)
        mask = x > 0
        yield Case("compact", dtype, n, lambda: kogge.compact(x, mask), {"torch": lambda: torch.masked_select(x, mask)}, bytes_)
        few = x if dtype == "float16" else x % 1000
        for name, ours, theirs in (
            ("nonzero", lambda: kogge.nonzero(few), lambda: torch.nonzero(few)),
            ("unique", lambda: kogge.unique(few), lambda: torch.unique(few)),
            ("cumsum", lambda: kogge.cumsum(x), lambda: torch.cumsum(x, 0)),
        ):
            yield Case(name, dtype, n, ours, {"torch": theirs}, bytes_)


def optional(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def peak_of(call, bytes_):
    """The peak of PyTorch's memory during a call, beside the input, over the input's bytes."""
    import torch

    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    call()
    torch.cuda.synchronize()
    return (torch.cuda.max_memory_allocated() - before) / bytes_


def rows_of(case, on_device):
    if on_device:
        import torch

        wait = torch.cuda.synchronize
    else:
        wait = lambda: None  # noqa: E731
    try:
        first, ours = measure(case.ours, wait)
    except NotImplementedError:
        yield {"call": case.name, "dtype": case.dtype, "n": case.n, "library": "kogge", "note": "no device code"}
        return
    peak = peak_of(case.ours, case.peak) if on_device else ""
    yield {"call": case.name, "dtype": case.dtype, "n": case.n, "library": "kogge", "first_us": first * 1e6, "us": ours * 1e6, "peak": peak}
    for library, call in case.others.items():
        first, theirs = measure(call, wait)
        peak = peak_of(call, case.peak) if on_device and library == "torch" else ""
        yield {"call": case.name, "dtype": case.dtype, "n": case.n, "library": library, "first_us": first * 1e6,
               "us": theirs * 1e6, "ratio": theirs / ours, "peak": peak}


def shown(value):
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", default="2^10,2^16,2^20,2^24")
    parser.add_argument("--only", default="", help="calls, by commas")
    parser.add_argument("--csv", default="")
    parser.add_argument("--host", action="store_true", help="on the host, though there is a GPU")
    arguments = parser.parse_args()
    on_device = kogge.device_count() > 0 and not arguments.host
    only = set(filter(None, arguments.only.split(",")))
    fields = ["call", "dtype", "n", "library", "first_us", "us", "ratio", "peak", "note"]
    print(" | ".join(fields))
    rows = []
    for size in arguments.n.split(","):
        base, _, exponent = size.partition("^")
        n = int(base) ** int(exponent or 1)
        for case in device_cases(n) if on_device else host_cases(n):
            if only and case.name.split()[0] not in only:
                continue
            for row in rows_of(case, on_device):
                rows.append(row)
                print(" | ".join(shown(row.get(field, "")) for field in fields), flush=True)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.DictWriter(file, fields)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
