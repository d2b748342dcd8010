"""The cases of bench.py: what kogge does, and what NumPy, PyTorch, CuPy and JAX do for the same result.

A rival's function gets its library and the input as its library's arrays. Like is compared with like: stable sorts with
stable ones, indices of one width, sums in one dtype; but torch.sort always makes indices, too, and jax.lax.top_k's are of
32 bits. Floats have no NaN and no −0, so that all orders are one.
"""

from __future__ import annotations

from typing import Callable, NamedTuple

import numpy as np

import kogge

TYPES = {"host": ("int32", "int64", "float32", "float64"), "device": ("int32", "int64", "float32", "float16")}
TYPES_OF_LARGE = ("int32", "float32")  # beyond 2^26 items
TYPES_OF_JAX = ("int64", "float32")  # and not in every case: each of its programs takes about a second to compile
ROW = 2**15
NEEDLES = 16  # a search looks up a sixteenth as many items as the array has
BINS = 256
SUMS = {"int32": "int64", "int64": "int64", "float16": "float32", "float32": "float32", "float64": "float64"}


class Case(NamedTuple):
    primitive: str
    case: str
    inputs: Callable  # of Host or Device, dtype and n: a tuple of arrays
    ours: Callable  # of the arrays
    rivals: dict  # by library: a function of the library and the arrays
    same: Callable  # of the inputs, our result and a rival's
    types: tuple = ("int32", "int64", "float16", "float32", "float64")
    step: int = 1  # n is a multiple of it


# ---- inputs ----------------------------------------------------------------------------------------------------------


def uniform(place, dtype, n):
    """Integers of the whole range, normal floats."""
    return (place.random(dtype, n),)


def rows(place, dtype, n):
    return (place.random(dtype, n).reshape(-1, ROW),)


def with_values(place, dtype, n):
    return place.random(dtype, n), place.random("int32", n)


def few(place, dtype, n):
    return (place.integers(0, 1000, dtype, n),)


def half(place, dtype, n):
    return (place.integers(0, 2, dtype, n),)


def masked(place, dtype, n):
    x = place.random(dtype, n)
    return x, x > 0


def small(place, dtype, n):
    """Sums of these are exact in float32, in every order."""
    return (place.integers(-7, 8, dtype, n),)


def binned(place, dtype, n):
    """Integers of as many values as there are bins, and floats of [0, 1): no rounding moves an item to another bin."""
    return (place.fractions(dtype, n) if dtype.startswith("float") else place.integers(0, BINS, dtype, n),)


def haystack(place, dtype, n):
    return place.ascending(place.random(dtype, n)), place.random(dtype, max(n // NEEDLES, 1))


# ---- whether two results are the same --------------------------------------------------------------------------------


def equal(_, ours, theirs):
    ours, theirs = (result if isinstance(result, (tuple, list)) else (result,) for result in (ours, theirs))
    return len(ours) == len(theirs) and all(
        tuple(a.shape) == tuple(b.shape) and bool((a == b).all()) for a, b in zip(ours, theirs))


def same_order(inputs, ours, theirs):
    """Of sorts that are not all stable."""
    return equal(None, inputs[0][ours], inputs[0][theirs])


def same_top(inputs, ours, theirs):
    """The same items; and of equal ones, which other libraries order at will, ours are the first, in their order."""
    (items, indices), x = ours, inputs[0]
    taken = np.take_along_axis(x, indices, -1) if isinstance(x, np.ndarray) else x.gather(-1, indices)
    ascend = (items[..., 1:] != items[..., :-1]) | (indices[..., 1:] > indices[..., :-1])
    return equal(None, items, theirs[0]) and equal(None, items, taken) and bool(ascend.all())


# ---- what takes more than one call of a rival's ----------------------------------------------------------------------


def pairs_of_torch(torch, keys, values):
    keys, order = torch.sort(keys, stable=True)
    return keys, values[order]


def pairs_by_order(library, keys, values):
    order = library.argsort(keys, kind="stable")
    return keys[order], values[order]


def indices_with_items(x):
    import torch

    return kogge.sort_pairs(x, torch.arange(len(x), device=x.device))


def order_of_jax(dtype):
    """By indices of any dtype; jax.numpy.argsort's are of 64 bits where JAX has these."""
    return lambda jax, x: jax.lax.sort((x, jax.lax.iota(dtype, len(x))), num_keys=1)[1]


def top_of_numpy(k):
    def top(numpy, x):
        indices = numpy.argpartition(x, x.shape[-1] - k, axis=-1)[..., x.shape[-1] - k:]
        items = numpy.take_along_axis(x, indices, -1)
        order = numpy.argsort(items, axis=-1)[..., ::-1]
        return numpy.take_along_axis(items, order, -1), numpy.take_along_axis(indices, order, -1)

    return top


def sum_type(x):
    return SUMS[str(x.dtype).rsplit(".", 1)[-1]]


def upper_bound(x):
    return BINS if "int" in str(x.dtype) else 1


# ---- the cases -------------------------------------------------------------------------------------------------------


def sort_cases():
    rivals = {
        "numpy": lambda numpy, x: numpy.sort(x),
        "torch": lambda torch, x: torch.sort(x)[0],
        "cupy": lambda cupy, x: cupy.sort(x),
        "jax": lambda jax, x: jax.lax.sort(x),
    }
    yield Case("sort", "uniform", uniform, kogge.sort, rivals, equal)
    yield Case("sort", "numpy_order", uniform, lambda x: kogge.sort(x, nans="last", zeros="equal"),
               {name: rival for name, rival in rivals.items() if name != "jax"}, equal, ("float16", "float32", "float64"))
    yield Case("sort", f"rows_{ROW}", rows, kogge.sort, rivals, equal, step=ROW)
    yield Case("sort_with_indices", "stable", uniform, indices_with_items,
               {"torch": lambda torch, x: torch.sort(x, stable=True)}, equal)
    yield Case("sort_pairs", "int32_values", with_values, kogge.sort_pairs, {
        "numpy": pairs_by_order,
        "torch": pairs_of_torch,
        "cupy": pairs_by_order,
        "jax": lambda jax, keys, values: jax.lax.sort((keys, values), num_keys=1),
    }, equal)


def argsort_cases():
    yield Case("argsort", "stable", uniform, kogge.argsort, {
        "numpy": lambda numpy, x: numpy.argsort(x, kind="stable"),
        "torch": lambda torch, x: torch.argsort(x, stable=True),
        "cupy": lambda cupy, x: cupy.argsort(x, kind="stable"),
        "jax": lambda jax, x: jax.numpy.argsort(x),
    }, equal)
    yield Case("argsort", "unstable_rival", uniform, kogge.argsort, {
        "numpy": lambda numpy, x: numpy.argsort(x),
        "torch": lambda torch, x: torch.argsort(x),
    }, same_order)
    yield Case("argsort", "int32_indices", uniform, lambda x: kogge.argsort(x, dtype="int32"),
               {"jax": order_of_jax("int32")}, equal)


def top_cases():
    for name, inputs, step in (("", uniform, 1024), (f"rows_{ROW}_", rows, ROW)):
        for k in (40, 1024):
            rivals = {"numpy": top_of_numpy(k), "torch": lambda torch, x, k=k: torch.topk(x, k)}
            if k == 40 or inputs is uniform:
                rivals["jax"] = lambda jax, x, k=k: jax.lax.top_k(x, k)
            yield Case("topk", f"{name}k_{k}", inputs, lambda x, k=k: kogge.topk(x, k, return_indices=True), rivals, same_top, step=step)


def run_cases():
    for case, inputs in (("values_1000", few), ("uniform", uniform)):
        for suffix, options in (("", {}), ("_counts", {"return_counts": True}), ("_inverse", {"return_inverse": True})):
            if options and inputs is uniform:
                continue
            call = lambda library, x, options=options: library.unique(x, **options)  # noqa: E731
            yield Case("unique", case + suffix, inputs, lambda x, call=call: call(kogge, x),
                       {"numpy": call, "torch": call, "cupy": call}, equal)
    yield Case("nonzero", "half_kept", half, kogge.flatnonzero, {
        "numpy": lambda numpy, x: numpy.flatnonzero(x),
        "torch": lambda torch, x: torch.nonzero(x).view(-1),
        "cupy": lambda cupy, x: cupy.flatnonzero(x),
    }, equal)
    yield Case("compact", "half_kept", masked, kogge.compact, {
        "numpy": lambda numpy, x, mask: x[mask],
        "torch": lambda torch, x, mask: torch.masked_select(x, mask),
        "cupy": lambda cupy, x, mask: x[mask],
    }, equal)


def sum_cases():
    def numpys(name):
        return lambda library, x: getattr(library, name)(x, dtype=sum_type(x))

    yield Case("cumsum", "sum", small, kogge.cumsum, {
        "numpy": numpys("cumsum"),
        "torch": lambda torch, x: torch.cumsum(x, 0, dtype=getattr(torch, sum_type(x))),
        "cupy": numpys("cumsum"),
        "jax": lambda jax, x: jax.numpy.cumsum(x, dtype=sum_type(x)),
    }, equal)
    yield Case("reduce", "sum", small, kogge.reduce, {
        "numpy": numpys("sum"),
        "torch": lambda torch, x: torch.sum(x, dtype=getattr(torch, sum_type(x))),
        "cupy": numpys("sum"),
        "jax": lambda jax, x: jax.numpy.sum(x, dtype=sum_type(x)),
    }, equal)
    yield Case("reduce", "maximum", uniform, lambda x: kogge.reduce(x, "maximum"), {
        "numpy": lambda numpy, x: numpy.max(x),
        "torch": lambda torch, x: torch.amax(x),
        "cupy": lambda cupy, x: cupy.max(x),
    }, equal, ("int32", "int64", "float32", "float64"))


def search_cases():
    yield Case("histogram", f"bins_{BINS}", binned, lambda x: kogge.histogram(x, BINS, (0, upper_bound(x))), {
        "numpy": lambda numpy, x: numpy.histogram(x, BINS, (0, upper_bound(x)))[0],
        "torch": lambda torch, x: torch.histc(x, BINS, 0, upper_bound(x)),
        "cupy": lambda cupy, x: cupy.histogram(x, BINS, (0, upper_bound(x)))[0],
    }, equal, ("int32", "int64", "float32", "float64"))
    yield Case("searchsorted", f"needles_n_{NEEDLES}", haystack, kogge.searchsorted, {
        "numpy": lambda numpy, a, v: numpy.searchsorted(a, v),
        "torch": lambda torch, a, v: torch.searchsorted(a, v),
        "cupy": lambda cupy, a, v: cupy.searchsorted(a, v),
        "jax": lambda jax, a, v: jax.numpy.searchsorted(a, v),
    }, equal, ("int32", "int64", "float32", "float64"))


CASES = [*sort_cases(), *argsort_cases(), *top_cases(), *run_cases(), *sum_cases(), *search_cases()]
