"""kogge's functions inside ``jax.jit``, by handlers that XLA calls: on the host, and on a GPU in XLA's stream with scratch
from XLA's allocator. Needs a package that was built where jaxlib is; without the handlers the import fails.

The functions have the names and arguments of those of ``kogge``, for JAX's arrays and tracers.

>>> import jax, jax.numpy as jnp, kogge.jax
>>> @jax.jit
... def middle(x):
...     return kogge.jax.sort(x * 2)[x.shape[0] // 2]
>>> print(middle(jnp.array([3., 1., 2.])))
4.0

Shared by all of them

* Integers that a function makes (indices, numbers in bins, sums) have 64 bits with ``jax_enable_x64`` and 32 without it.
* Sizes are known when a function is traced: ``compact`` and ``flatnonzero`` give arrays of the input's size, and the number
  of items that are in it.
* Gradients, forward and reverse: of ``sort``, ``sort_pairs``, ``topk``, of sums by ``cumsum``, ``scan`` and ``reduce``. Indices
  and numbers in bins have none. ``vmap``: of all; those of one-dimensional arrays run one after the other.
* What is wrong with dtypes and shapes raises ``TypeError`` and ``ValueError`` when a function is traced; what only the library
  finds raises ``jax.errors.JaxRuntimeError`` with its message when it runs.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np

from . import _calls, _kogge
from ._kinds import TYPES, type_number

try:
    from . import _kogge_xla
except ImportError as failure:
    raise ImportError(
        "kogge.jax: this package was built without XLA's headers; build it where jaxlib is installed: "
        "pip install --no-build-isolation -C cmake.define.KOGGE_PYTHON_XLA=ON ./tools/python"
    ) from failure

__all__ = [
    "argsort", "argtopk", "compact", "cumsum", "flatnonzero", "histogram", "reduce", "scan", "searchsorted", "sort", "sort_pairs",
    "topk",
]

for _name, (_host, _device) in _kogge_xla.handlers.items():
    jax.ffi.register_ffi_target(f"kogge_{_name}", _host, platform="cpu")
    if _kogge.runtime() == "cuda":
        jax.ffi.register_ffi_target(f"kogge_{_name}", _device, platform="CUDA")


def _run(name, results, *arrays, vmap_method, **attributes):
    attributes = {key: np.int64(value) for key, value in attributes.items()}
    return jax.ffi.ffi_call(f"kogge_{name}", results, vmap_method=vmap_method)(*arrays, **attributes)


def _array(call, x, name="x", dimensions=None):
    if not isinstance(x, jax.Array):
        raise TypeError(f"kogge.{call}: {name} is a {type(x).__name__}, where it must be an array of JAX's")
    type_number(call, x.dtype)
    if x.ndim == 0 or dimensions not in (None, x.ndim):
        raise ValueError(f"kogge.{call}: {name} has {x.ndim} dimensions, where it must have {dimensions or 'one at least'}")
    return x


def _index():
    return np.dtype(np.int64 if jax.config.jax_enable_x64 else np.int32)


def _like(x, shape=None, dtype=None):
    return jax.ShapeDtypeStruct(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)


def _order(call, descending, nans, zeros):
    """The options of an order as attributes, in a form that is hashable."""
    return (
        ("order", _calls._ORDERS[bool(descending)]), ("zeros", _calls._choice(call, "zeros", _calls._ZEROS, zeros)),
        ("nans", _calls._choice(call, "nans", _calls._NANS, nans)),
    )


# ---- sorts -----------------------------------------------------------------------------------------------------------


@functools.partial(jax.custom_jvp, nondiff_argnums=(1,))
def _sort(x, order):
    return _run("sort", _like(x), x, vmap_method="broadcast_all", **dict(order))


@_sort.defjvp
def _(order, primals, tangents):
    indices = _argsort(primals[0], order)
    return tuple(jnp.take_along_axis(each, indices, -1) for each in (*primals, *tangents))


def _argsort(x, order):
    x = jax.lax.stop_gradient(x)
    return _run("argsort", _like(x, dtype=_index()), x, vmap_method="broadcast_all", **dict(order))


@functools.partial(jax.custom_jvp, nondiff_argnums=(2,))
def _sort_pairs(keys, values, order):
    return tuple(_run("sort_pairs", (_like(keys), _like(values)), keys, values, vmap_method="sequential", **dict(order)))


@_sort_pairs.defjvp
def _(order, primals, tangents):
    indices = _argsort(primals[0], order)
    # Tangents of integers are float0, which are not moved.
    moved = tuple(each if each.dtype == jax.dtypes.float0 else each[indices] for each in tangents)
    return tuple(each[indices] for each in primals), moved


def sort(x, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.sort`` of whole keys."""
    return _sort(_array("sort", x), _order("sort", descending, nans, zeros))


def sort_pairs(keys, values, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.sort_pairs`` of whole keys."""
    _array("sort_pairs", keys, "keys", 1), _array("sort_pairs", values, "values", 1)
    if keys.shape != values.shape:
        raise ValueError(f"kogge.sort_pairs: values has {values.size} items, where it must have {keys.size}")
    return _sort_pairs(keys, values, _order("sort_pairs", descending, nans, zeros))


def argsort(x, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.argsort``."""
    return _argsort(_array("argsort", x), _order("argsort", descending, nans, zeros))


# ---- top-k -----------------------------------------------------------------------------------------------------------


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _topk(x, k, order):
    return _run("topk", _like(x, (*x.shape[:-1], k)), x, vmap_method="broadcast_all", **dict(order))


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _topk_pairs(x, k, order):
    shape = (*x.shape[:-1], k)
    results = (_like(x, shape), _like(x, shape, _index()))
    return tuple(_run("topk_pairs", results, x, vmap_method="broadcast_all", **dict(order)))


@_topk.defjvp
def _(k, order, primals, tangents):
    items, indices = _topk_pairs(*primals, k, order)
    return items, jnp.take_along_axis(tangents[0], indices, -1)


@_topk_pairs.defjvp
def _(k, order, primals, tangents):
    items, indices = _topk_pairs(*primals, k, order)
    return (items, indices), (jnp.take_along_axis(tangents[0], indices, -1), np.zeros(indices.shape, jax.dtypes.float0))


def _first(call, x, k):
    return _calls._count(call, "k", k, _array(call, x).shape[-1])


def topk(x, k, *, largest=True, nans="by_sign", zeros="negative_first", return_indices=False):
    """``kogge.topk``; ``k`` is a number, not a tracer."""
    k, order = _first("topk", x, k), _order("topk", largest, nans, zeros)
    return (_topk_pairs if return_indices else _topk)(x, k, order)


def argtopk(x, k, *, largest=True, nans="by_sign", zeros="negative_first"):
    """``kogge.argtopk``; ``k`` is a number, not a tracer."""
    k, order = _first("argtopk", x, k), _order("argtopk", largest, nans, zeros)
    x = jax.lax.stop_gradient(x)
    return _run("argtopk", _like(x, (*x.shape[:-1], k), _index()), x, vmap_method="broadcast_all", **dict(order))


# ---- scans and reductions --------------------------------------------------------------------------------------------


def _sum_dtype(call, x, op, dtype):
    if dtype is not None:
        type_number(call, np.dtype(dtype))
        return jax.dtypes.canonicalize_dtype(dtype)
    if op != "plus":
        return x.dtype
    name = _calls._SUM_OF[x.dtype.name]
    if not jax.config.jax_enable_x64 and name in ("int64", "uint64"):
        name = {"int32": "int32", "uint32": "uint32", "uint8": "uint32"}.get(x.dtype.name)
        if name is None:
            raise TypeError(f"kogge.{call}: sums of {x.dtype.name} have 64 bits, which JAX has with jax_enable_x64")
    return np.dtype(name)


def _bytes(call, name, number, dtype):
    """An item's bytes as an attribute."""
    return int.from_bytes(_calls._item(call, name, number, TYPES[dtype.name]).ljust(8, b"\0"), "little", signed=True)


def _init(call, init, dtype):
    return {"has_init": init is not None, "init": 0 if init is None else _bytes(call, "init", init, dtype)}


def _scan_of(x, dtype, options):
    return _run("scan", _like(x, dtype=dtype), x, vmap_method="sequential", **dict(options))


def _sums(t, options):
    """Sums of tangents, which are linear in them: their transpose are sums from the other end."""
    options = {**dict(options), "has_init": 0, "init": 0}
    ahead = tuple(options.items())
    back = tuple({**options, "reverse": not options["reverse"]}.items())
    return jax.custom_derivatives.linear_call(
        lambda _, t: _scan_of(t, t.dtype, ahead), lambda _, t: _scan_of(t, t.dtype, back), (), t
    )


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _scan(x, dtype, options):
    return _scan_of(x, dtype, options)


@_scan.defjvp
def _(dtype, options, primals, tangents):
    if dict(options)["op"] != _calls._OPERATORS["plus"]:
        raise NotImplementedError("kogge.scan: only sums have a gradient, not maxima and minima")
    return _scan(*primals, dtype, options), _sums(tangents[0].astype(dtype), options)


def scan(x, op="plus", *, exclusive=False, reverse=False, init=None, dtype=None):
    """``kogge.scan`` of whole arrays."""
    number = _calls._choice("scan", "op", _calls._OPERATORS, op)
    dtype = _sum_dtype("scan", _array("scan", x, dimensions=1), op, dtype)
    options = {"op": number, "exclusive": bool(exclusive), "reverse": bool(reverse), **_init("scan", init, dtype)}
    return _scan(x, dtype, tuple(options.items())) if x.size else jnp.zeros(0, dtype)


def cumsum(x, *, dtype=None):
    """``kogge.cumsum``."""
    return scan(x, dtype=dtype)


@functools.partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def _reduce(x, dtype, options):
    return _run("reduce", _like(x, x.shape[:-1], dtype), x, vmap_method="broadcast_all", **dict(options))


@_reduce.defjvp
def _(dtype, options, primals, tangents):
    if dict(options)["op"] != _calls._OPERATORS["plus"]:
        raise NotImplementedError("kogge.reduce: only sums have a gradient, not maxima and minima")
    return _reduce(*primals, dtype, options), tangents[0].astype(dtype).sum(-1)


def reduce(x, op="plus", *, init=None, dtype=None):
    """``kogge.reduce``."""
    number = _calls._choice("reduce", "op", _calls._OPERATORS, op)
    dtype = _sum_dtype("reduce", _array("reduce", x), op, dtype)
    return _reduce(x, dtype, tuple({"op": number, **_init("reduce", init, dtype)}.items()))


# ---- searches, histograms, compactions -------------------------------------------------------------------------------


def searchsorted(a, v, side="left"):
    """``kogge.searchsorted``."""
    a, v = (jax.lax.stop_gradient(_array("searchsorted", each, name, 1)) for each, name in ((a, "a"), (v, "v")))
    if a.dtype != v.dtype:
        raise TypeError(f"kogge.searchsorted: v is of dtype {v.dtype}, where a is of {a.dtype}")
    upper = _calls._choice("searchsorted", "side", {"left": False, "right": True}, side)
    return _run("searchsorted", _like(v, dtype=_index()), a, v, vmap_method="sequential", upper=upper)


def histogram(x, bins, range=None):
    """``kogge.histogram`` without weights; ``range`` is a pair of numbers, not of tracers."""
    x = jax.lax.stop_gradient(_array("histogram", x))
    as_bounds = np.dtype(np.float32) if x.dtype.name in ("float16", "bfloat16") else x.dtype
    if isinstance(bins, jax.Array) and bins.ndim:
        bounds = jax.lax.stop_gradient(_array("histogram", bins, "bins", 1))
        if range is not None:
            raise ValueError("kogge.histogram: range is for a number of bins, not for bounds")
        if bounds.dtype != as_bounds:
            raise TypeError(f"kogge.histogram: bins is of dtype {bounds.dtype}, where it must be {as_bounds}")
        if bounds.size < 2:
            raise ValueError(f"kogge.histogram: bins has {bounds.size} bounds, where there must be two at least")
        counts = _like(x, (*x.shape[:-1], bounds.size - 1), _index())
        return _run("histogram_bounds", counts, x, bounds, vmap_method="sequential")
    bins = _calls._count("histogram", "bins", bins)
    if bins == 0 or range is None or len(range) != 2:
        raise ValueError(f"kogge.histogram: bins is {bins} and range {range!r}, where they must be positive and a pair of numbers")
    if x.dtype.kind in "iub" and x.dtype != np.uint64:
        as_bounds = np.dtype(np.int64)
    lower, upper = (_bytes("histogram", "range", each, as_bounds) for each in range)
    counts = _like(x, (*x.shape[:-1], bins), _index())
    return _run("histogram", counts, x, vmap_method="broadcast_all", lower=lower, upper=upper)


def _number(halves):
    """A number that the library wrote as two halves."""
    return jax.lax.bitcast_convert_type(halves, np.uint64).astype(np.int64) if jax.config.jax_enable_x64 else halves[0].astype(np.int32)


def _filled(items, count, fill_value):
    return jnp.where(jnp.arange(items.shape[0]) < count, items, jnp.asarray(fill_value, items.dtype)), count


def compact(x, mask, *, fill_value=0):
    """The items where ``mask`` (bool or uint8) is not 0, in their order, then ``fill_value`` to the size of ``x``; and their number.

    Does not wait for the number, on a GPU either. Without gradient.
    """
    x, mask = (jax.lax.stop_gradient(_array("compact", each, name, 1)) for each, name in ((x, "x"), (mask, "mask")))
    if mask.dtype.name not in ("bool", "uint8"):
        raise TypeError(f"kogge.compact: mask is of dtype {mask.dtype}, none of bool, uint8")
    if mask.shape != x.shape:
        raise ValueError(f"kogge.compact: mask has {mask.size} items, where it must have {x.size}")
    items, halves = _run("compact", (_like(x), jax.ShapeDtypeStruct((2,), np.uint32)), x, mask, vmap_method="sequential")
    return _filled(items, _number(halves), fill_value)


def flatnonzero(x, *, fill_value=-1):
    """The indices of the items that are not 0, then ``fill_value`` to the size of ``x``; and their number."""
    x = jax.lax.stop_gradient(_array("flatnonzero", x, dimensions=1))
    results = (_like(x, dtype=_index()), jax.ShapeDtypeStruct((2,), np.uint32))
    indices, halves = _run("flatnonzero", results, x, vmap_method="sequential")
    return _filled(indices, _number(halves), fill_value)
