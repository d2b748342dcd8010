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
* Offsets and ranks are integers of 32 or 64 bits.
* Sizes are known when a function is traced: ``compact``, ``flatnonzero``, ``nonzero``, ``compact_indices``, ``unique``,
  ``unique_consecutive``, ``run_length_encode`` and ``reduce_by_key`` give arrays of the input's size, filled with
  ``fill_value`` past their items, and the number of these last.
* Gradients, forward and reverse: of items that a function moves (sorts, top-k, ranks, merges, ``compact``, partitions and
  ``split``), of sums by ``cumsum``, ``scan`` (not by key or of segments), ``reduce`` and ``segmented_reduce``. Indices and
  numbers in bins have the gradient 0; all else raises an error where a gradient is asked for.
* ``vmap``: of all functions, and of their gradients but those of ``cumsum`` and ``scan``; those of one-dimensional arrays run one
  after the other.
* What is wrong with dtypes and shapes raises ``TypeError`` and ``ValueError`` when a function is traced; what only the library
  finds raises ``jax.errors.JaxRuntimeError`` with its message when it runs.
"""

from __future__ import annotations

import functools
import operator

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
    "argmax", "argmin", "argsort", "argsort_columns", "argtopk", "compact", "compact_indices", "cumsum", "flatnonzero",
    "histogram", "merge", "merge_pairs", "nonzero", "partition", "partition_flags", "quantiles", "reduce", "reduce_by_key",
    "run_length_encode", "scan", "searchsorted", "segmented_argsort", "segmented_reduce", "segmented_sort", "segmented_topk",
    "select", "sort", "sort_columns", "sort_columns_pairs", "sort_pairs", "split", "topk", "unique", "unique_consecutive",
]

for _name, (_host, _device) in _kogge_xla.handlers.items():
    jax.ffi.register_ffi_target(f"kogge_{_name}", _host, platform="cpu")
    if _kogge.runtime() == "cuda":
        jax.ffi.register_ffi_target(f"kogge_{_name}", _device, platform="CUDA")


def _run(name, results, *arrays, vmap_method="sequential", **attributes):
    """What a handler returns; its attributes are integers and lists of integers."""
    attributes = {key: np.array(value, np.int64)[()] for key, value in attributes.items()}
    return jax.ffi.ffi_call(f"kogge_{name}", results, vmap_method=vmap_method)(*arrays, **attributes)


def _array(call, x, name="x", dimensions=None):
    if not isinstance(x, jax.Array):
        raise TypeError(f"kogge.{call}: {name} is a {type(x).__name__}, where it must be an array of JAX's")
    type_number(call, x.dtype)
    if x.ndim == 0 or dimensions not in (None, x.ndim):
        raise ValueError(f"kogge.{call}: {name} has {x.ndim} dimensions, where it must have {dimensions or 'one at least'}")
    return x


def _beside(call, name, array, size=None, dtypes=None):
    """Another input of a call, one-dimensional."""
    _array(call, array, name, 1)
    if size is not None and array.size != size:
        raise ValueError(f"kogge.{call}: {name} has {array.size} items, where it must have {size}")
    if dtypes is not None and array.dtype.name not in dtypes:
        raise TypeError(f"kogge.{call}: {name} is of dtype {array.dtype}, none of {', '.join(dtypes)}")
    return array


def _mask(call, mask, x):
    return _beside(call, "mask", mask, x.size, ("bool", "uint8"))


def _places(call, name, array):
    """Offsets or ranks."""
    return _beside(call, name, array, dtypes=("int32", "uint32", "int64", "uint64"))


def _offsets(call, offsets):
    starts = _places(call, "offsets", offsets)
    return starts if starts.size else jnp.zeros(1, starts.dtype)  # without offsets all items are one segment


def _index():
    return jax.dtypes.canonicalize_dtype(np.int64)


def _like(x, shape=None, dtype=None):
    return jax.ShapeDtypeStruct(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)


# JAX has 64 bits only if it is told to, and the library's counts and offsets have them: they pass as halves, the lower one
# first.


def _wide(numbers):
    """Numbers as the library reads them."""
    if numbers.dtype.itemsize == 8:
        return numbers
    return jnp.stack([numbers.astype(np.uint32), jnp.zeros(numbers.shape, np.uint32)], -1)


def _along(call, x, axis):
    """The array along whose last dimension a call works."""
    dimensions = getattr(x, "ndim", 1)
    return jnp.ravel(x) if _calls._is_flat(call, axis, dimensions) and dimensions != 1 else x


def _halves(*shape):
    return jax.ShapeDtypeStruct((*shape, 2), np.uint32)


def _joined(halves, dtype=np.int64):
    """Numbers that the library wrote."""
    dtype = jax.dtypes.canonicalize_dtype(dtype)
    return (jax.lax.bitcast_convert_type(halves, np.uint64) if dtype.itemsize == 8 else halves[..., 0]).astype(dtype)


def _counted(name, results, *arrays, **attributes):
    """The results of a handler whose last one is a number."""
    *made, halves = _run(name, (*results, _halves()), *arrays, **attributes)
    return *made, _joined(halves)


def _filled(items, count, fill_value=0):
    return jnp.where(jnp.arange(items.shape[0]) < count, items, jnp.asarray(fill_value, items.dtype))


def _order(call, descending, nans, zeros):
    """The options of an order as attributes."""
    return {
        "order": _calls._ORDERS[bool(descending)], "zeros": _calls._choice(call, "zeros", _calls._ZEROS, zeros),
        "nans": _calls._choice(call, "nans", _calls._NANS, nans),
    }


# ---- gradients of moved items ----------------------------------------------------------------------------------------


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _moved(run, order, moved, *arrays):
    """run(*arrays): items of each of the first `moved` arrays, and results without a gradient. order(*arrays) gives, for the
    gradient, the items' indices along the last dimension, and those other results."""
    return tuple(run(*arrays))


@_moved.defjvp
def _(run, order, moved, primals, tangents):
    indices, *others = order(*map(jax.lax.stop_gradient, primals))
    items, changes = (tuple(_taken(each, indices) for each in arrays[:moved]) for arrays in (primals, tangents))
    return (*items, *others), (*changes, *(np.zeros(each.shape, jax.dtypes.float0) for each in others))


def _taken(array, indices):
    """The items of these indices along the last dimension; 0 for indices past the end."""
    if array.dtype == jax.dtypes.float0:  # as tangents of integers are
        return np.zeros(indices.shape, jax.dtypes.float0)
    if array.size == 0:
        return jnp.zeros(indices.shape, array.dtype)
    if array.ndim == 1:
        return array.at[indices].get(mode="fill", fill_value=0)
    return jnp.take_along_axis(array, indices, -1)


def _moved_alike(run, x, *others):
    """run(x, *others), which moves any items as it moves those of x."""
    return _moved(run, lambda x, *others: run(jnp.arange(x.size, dtype=_index()), *others), 1, x, *others)


# ---- sorts -----------------------------------------------------------------------------------------------------------


def _argsort(x, order):
    x = jax.lax.stop_gradient(x)
    return _run("argsort", _like(x, dtype=_index()), x, vmap_method="broadcast_all", **order)


def _segmented_argsort(x, starts, order):
    x = jax.lax.stop_gradient(x)
    return _run("segmented_argsort", _like(x, dtype=_index()), x, _wide(starts), **order)


def sort(x, axis=-1, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.sort`` of whole keys.

    >>> print(kogge.jax.sort(jnp.array([2.5, -1.0, 7.0]), descending=True))
    [ 7.   2.5 -1. ]
    """
    x = _array("sort", _along("sort", x, axis))
    order = _order("sort", descending, nans, zeros)
    return _moved(
        lambda x: (_run("sort", _like(x), x, vmap_method="broadcast_all", **order),), lambda x: (_argsort(x, order),), 1, x
    )[0]


def sort_pairs(keys, values, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.sort_pairs`` of whole keys.

    >>> keys, values = kogge.jax.sort_pairs(jnp.array([3, 1, 2]), jnp.array([30., 10., 20.]))
    >>> print(keys, values)
    [1 2 3] [10. 20. 30.]
    """
    _beside("sort_pairs", "keys", keys), _beside("sort_pairs", "values", values, keys.size)
    order = _order("sort_pairs", descending, nans, zeros)
    return _moved(
        lambda keys, values: _run("sort_pairs", (_like(keys), _like(values)), keys, values, **order),
        lambda keys, values: (_argsort(keys, order),), 2, keys, values,
    )


def argsort(x, axis=-1, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.argsort``.

    >>> print(kogge.jax.argsort(jnp.array([30, 10, 20])))
    [1 2 0]
    """
    return _argsort(_array("argsort", _along("argsort", x, axis)), _order("argsort", descending, nans, zeros))


def _columns(call, columns):
    """The columns' keys, their bitmaps, and the rest as an attribute."""
    keys, bitmaps, numbers = [], [], []
    listed = _calls._listed(call, columns)
    for c, given in enumerate(listed):
        place = f"{call}: columns[{c}]"
        keys.append(_beside(call, f"columns[{c}]", given.keys, keys[0].size if keys else None))
        valid, valid_from = 0, _calls._count(place, "valid_from", given.valid_from)
        if given.valid is not None:
            bitmap = _beside(place, "valid", given.valid, dtypes=("uint8", "int32", "uint32"))
            _calls._check_bitmap(place, bitmap.size * bitmap.dtype.itemsize, valid_from, keys[0].size)
            valid = len(listed) + len(bitmaps)  # its place among the arrays; 0: there is none
            bitmaps.append(bitmap)
        order = _order(place, given.descending, given.nans, given.zeros)
        nulls = _calls._choice(place, "nulls", _calls._NULLS, given.nulls)
        numbers += [*order.values(), given.begin_bit, given.end_bit, nulls, valid, valid_from]
    return keys, bitmaps, numbers


def _argsort_columns(numbers, *arrays):
    arrays = map(jax.lax.stop_gradient, arrays)
    first = next(arrays)
    return _run("argsort_columns", _like(first, dtype=_index()), first, *arrays, columns=numbers)


def argsort_columns(columns):
    """``kogge.argsort_columns``: of arrays, and of what ``kogge.column`` makes of them.

    >>> print(kogge.jax.argsort_columns([jnp.array([1, 0, 1]), kogge.column(jnp.array([5., 6., 7.]), descending=True)]))
    [1 2 0]
    """
    keys, bitmaps, numbers = _columns("argsort_columns", columns)
    return _argsort_columns(numbers, *keys, *bitmaps)


def sort_columns(columns):
    """``kogge.sort_columns``, of columns as ``argsort_columns`` has them.

    >>> first, second = kogge.jax.sort_columns([jnp.array([1, 0, 1]), kogge.column(jnp.array([5., 6., 7.]), descending=True)])
    >>> print(first, second)
    [0 1 1] [6. 7. 5.]
    """
    keys, bitmaps, numbers = _columns("sort_columns", columns)
    return _moved(
        lambda *arrays: _run("sort_columns", tuple(map(_like, arrays[: len(keys)])), *arrays, columns=numbers),
        lambda *arrays: (_argsort_columns(numbers, *arrays),), len(keys), *keys, *bitmaps,
    )


def sort_columns_pairs(columns, values):
    """``kogge.sort_columns_pairs``, of columns as ``argsort_columns`` has them.

    >>> columns = [jnp.array([1, 0, 1]), jnp.array([7, 6, 5])]
    >>> (first, second), values = kogge.jax.sort_columns_pairs(columns, jnp.array([10., 20., 30.]))
    >>> print(first, second, values)
    [0 1 1] [6 5 7] [20. 30. 10.]
    """
    call = "sort_columns_pairs"
    keys, bitmaps, numbers = _columns(call, columns)
    values, *keys = _moved(
        lambda *arrays: _run(call, tuple(map(_like, arrays[: len(keys) + 1])), *arrays, columns=numbers),
        lambda values, *arrays: (_argsort_columns(numbers, *arrays),), len(keys) + 1,
        _beside(call, "values", values, keys[0].size), *keys, *bitmaps,
    )
    return tuple(keys), values


def segmented_sort(x, offsets, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.segmented_sort``.

    >>> print(kogge.jax.segmented_sort(jnp.array([3, 1, 9, 8, 7]), jnp.array([0, 2])))
    [1 3 7 8 9]
    """
    call = "segmented_sort"
    _array(call, x, dimensions=1)
    starts, order = _offsets(call, offsets), _order(call, descending, nans, zeros)
    return _moved(
        lambda x, starts: (_run(call, _like(x), x, _wide(starts), **order),),
        lambda x, starts: (_segmented_argsort(x, starts, order),), 1, x, starts,
    )[0]


def segmented_argsort(x, offsets, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.segmented_argsort``.

    >>> print(kogge.jax.segmented_argsort(jnp.array([3, 1, 9, 8, 7]), jnp.array([0, 2])))
    [1 0 4 3 2]
    """
    call = "segmented_argsort"
    return _segmented_argsort(_array(call, x, dimensions=1), _offsets(call, offsets), _order(call, descending, nans, zeros))


# ---- top-k -----------------------------------------------------------------------------------------------------------


def _first(call, x, k):
    return _calls._count(call, "k", k, _array(call, x).shape[-1])


def _topk_pairs(x, k, order):
    shape = (*x.shape[:-1], k)
    return _run("topk_pairs", (_like(x, shape), _like(x, shape, _index())), x, vmap_method="broadcast_all", **order)


def _argtopk(x, k, order):
    x = jax.lax.stop_gradient(x)
    return _run("argtopk", _like(x, (*x.shape[:-1], k), _index()), x, vmap_method="broadcast_all", **order)


def topk(x, k, *, axis=-1, largest=True, nans="by_sign", zeros="negative_first", return_indices=False):
    """``kogge.topk``; ``k`` is a number, not a tracer.

    >>> items, indices = kogge.jax.topk(jnp.array([3., 9., 5., 9.]), 2, return_indices=True)
    >>> print(items, indices)
    [9. 9.] [1 3]
    """
    x = _along("topk", x, axis)
    k, order = _first("topk", x, k), _order("topk", largest, nans, zeros)
    if return_indices:
        return _moved(lambda x: _topk_pairs(x, k, order), lambda x: [_argtopk(x, k, order)] * 2, 1, x)
    return _moved(
        lambda x: (_run("topk", _like(x, (*x.shape[:-1], k)), x, vmap_method="broadcast_all", **order),),
        lambda x: (_argtopk(x, k, order),), 1, x,
    )[0]


def argtopk(x, k, *, axis=-1, largest=True, nans="by_sign", zeros="negative_first"):
    """``kogge.argtopk``; ``k`` is a number, not a tracer.

    >>> print(kogge.jax.argtopk(jnp.array([3, 9, 5]), 2, largest=False))
    [0 2]
    """
    x = _along("argtopk", x, axis)
    return _argtopk(x, _first("argtopk", x, k), _order("argtopk", largest, nans, zeros))


def segmented_topk(x, offsets, k, *, largest=True, nans="by_sign", zeros="negative_first", return_indices=False):
    """``kogge.segmented_topk``; ``k`` is a number, not a tracer. Of a segment of fewer items the rest of its row is unspecified,
    and has the gradient 0.

    >>> print(kogge.jax.segmented_topk(jnp.array([3, 1, 9, 8, 7]), jnp.array([0, 2]), 2))
    [[3 1]
     [9 8]]
    """
    call = "segmented_topk"
    _array(call, x, dimensions=1)
    starts, k = _places(call, "offsets", offsets), _calls._count(call, "k", k)
    order = _order(call, largest, nans, zeros)

    def run(x, starts):
        results = (_like(x, (starts.size, k)), _like(x, (starts.size, k), _index()))
        if return_indices:
            return _run("segmented_topk_pairs", results, x, _wide(starts), **order)
        return (_run("segmented_topk", results[0], x, _wide(starts), **order),)

    def places(x, starts):
        indices = _run("segmented_argtopk", _like(x, (starts.size, k), _index()), x, _wide(starts), **order)
        begins = starts.astype(_index())
        lengths = jnp.append(begins[1:], x.size)[: starts.size] - begins
        of_whole = jnp.where(jnp.arange(k) < lengths[:, None], begins[:, None] + indices, x.size)
        return (of_whole, indices) if return_indices else (of_whole,)

    results = _moved(run, places, 1, x, starts)
    return results if return_indices else results[0]


# ---- keys by rank ----------------------------------------------------------------------------------------------------


def select(x, rank, *, axis=-1, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.select``; ``rank`` is a number, not a tracer.

    >>> print(kogge.jax.select(jnp.array([[5, 1, 9], [2, 8, 4]]), 1))
    [5 4]
    """
    x = _array("select", _along("select", x, axis))
    length = x.shape[-1]
    rank = _calls._count("select", "rank", rank)
    if rank >= length:
        raise ValueError(f"kogge.select: rank is {rank}, where there are {length} items")
    order = _order("select", descending, nans, zeros)
    (items,) = _moved(
        lambda x: (_run("select", _like(x, (*x.shape[:-1], 1)), x, vmap_method="broadcast_all", rank=rank, **order),),
        lambda x: (_argsort(x, order)[..., rank : rank + 1],), 1, x,
    )
    return items[..., 0]


def quantiles(x, ranks, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.quantiles``.

    >>> print(kogge.jax.quantiles(jnp.array([50, 10, 90, 20, 80]), jnp.array([0, 2, 4])))
    [10 50 90]
    """
    _array("quantiles", x, dimensions=1), _places("quantiles", "ranks", ranks)
    order = _order("quantiles", descending, nans, zeros)
    return _moved(
        lambda x, ranks: (_run("quantiles", _like(x, ranks.shape), x, _wide(ranks), **order),),
        lambda x, ranks: (_argsort(x, order)[ranks],), 1, x, ranks,
    )[0]


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


def _of_tangents(call, options):
    """The options of sums for sums of their tangents."""
    options = dict(options)
    if options["op"] != _calls._OPERATORS["plus"]:
        raise NotImplementedError(f"kogge.{call}: only sums have a gradient, not maxima and minima")
    return {**options, "has_init": False, "init": 0}


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1, 2))
def _scan(name, dtype, options, x, *beside):
    return _run(name, _like(x, dtype=dtype), x, *beside, **dict(options))


@_scan.defjvp
def _(name, dtype, options, primals, tangents):
    if name != "scan":
        raise NotImplementedError("kogge.scan: only sums of whole arrays have a gradient, not by key or of segments")
    ahead = _of_tangents("scan", options)
    back = {**ahead, "reverse": not ahead["reverse"]}  # the transpose of sums are sums from the other end
    sums = jax.custom_derivatives.linear_call(
        lambda _, t: _run("scan", _like(t), t, **ahead), lambda _, t: _run("scan", _like(t), t, **back), (),
        tangents[0].astype(dtype),
    )
    return _scan(name, dtype, options, *primals), sums


def scan(x, op="plus", *, axis=-1, exclusive=False, reverse=False, init=None, keys=None, offsets=None, dtype=None):
    """``kogge.scan``, of one dimension: with ``axis=None`` of all items.

    >>> print(kogge.jax.scan(jnp.array([3, 1, 4]), "maximum"))
    [3 3 4]
    >>> print(kogge.jax.scan(jnp.array([1, 1, 1, 1]), keys=jnp.array([0, 0, 5, 5]), exclusive=True, init=10))
    [10 11 10 11]
    """
    x = _along("scan", x, axis)
    number = _calls._choice("scan", "op", _calls._OPERATORS, op)
    dtype = _sum_dtype("scan", _array("scan", x, dimensions=1), op, dtype)
    name, beside = "scan", ()
    if keys is not None:
        name, beside = "scan_by_key", (jax.lax.stop_gradient(_beside("scan", "keys", keys, x.size)),)
    if offsets is not None:
        if keys is not None:
            raise ValueError("kogge.scan: give keys or offsets, not both")
        name, beside = "segmented_scan", (_wide(_offsets("scan", offsets)),)
    if beside and (reverse or init is not None and not exclusive):
        raise ValueError("kogge.scan: by key and of segments reverse is not there, and init is for exclusive scans alone")
    options = {"op": number, "exclusive": bool(exclusive), "reverse": bool(reverse), **_init("scan", init, dtype)}
    return _scan(name, dtype, tuple(options.items()), x, *beside) if x.size else jnp.zeros(0, dtype)


def cumsum(x, axis=None, *, dtype=None):
    """``kogge.cumsum``.

    >>> print(kogge.jax.cumsum(jnp.array([1, 2, 3])))
    [1 3 6]
    """
    return scan(x, axis=axis, dtype=dtype)


def _reduce_options(call, x, op, init, dtype):
    """The dtype of reductions, and their attributes in a form that is hashable."""
    number, dtype = _calls._choice(call, "op", _calls._OPERATORS, op), _sum_dtype(call, x, op, dtype)
    return dtype, tuple({"op": number, **_init(call, init, dtype)}.items())


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _reduce(dtype, options, x):
    return _run("reduce", _like(x, x.shape[:-1], dtype), x, vmap_method="broadcast_all", **dict(options))


@_reduce.defjvp
def _(dtype, options, primals, tangents):
    _of_tangents("reduce", options)
    return _reduce(dtype, options, *primals), tangents[0].astype(dtype).sum(-1)


@functools.partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _segmented_reduce(dtype, options, x, starts):
    return _run("segmented_reduce", _like(x, starts.shape, dtype), x, _wide(starts), **dict(options))


@_segmented_reduce.defjvp
def _(dtype, options, primals, tangents):
    _of_tangents("segmented_reduce", options)
    x, starts = primals
    lengths = jnp.diff(starts.astype(_index()), prepend=0, append=x.size)  # of what precedes the segments, too
    numbers = jnp.repeat(jnp.roll(jnp.arange(starts.size + 1), 1), lengths, total_repeat_length=x.size)
    # In reverse only the transpose of these sums runs, which is a gather.
    sums = jax.ops.segment_sum(tangents[0].astype(dtype), numbers, starts.size + 1)[:-1]
    return _segmented_reduce(dtype, options, x, starts), sums


def reduce(x, op="plus", *, axis=-1, init=None, dtype=None):
    """``kogge.reduce``.

    >>> print(kogge.jax.reduce(jnp.array([[1, 2], [3, 4]]), init=10))
    [13 17]
    """
    x = _along("reduce", x, axis)
    return _reduce(*_reduce_options("reduce", _array("reduce", x), op, init, dtype), x)


def segmented_reduce(x, offsets, op="plus", *, init=None, dtype=None):
    """``kogge.segmented_reduce``.

    >>> print(kogge.jax.segmented_reduce(jnp.array([3, 1, 9, 8, 7]), jnp.array([0, 2, 2])))
    [ 4  0 24]
    """
    call = "segmented_reduce"
    options = _reduce_options(call, _array(call, x, dimensions=1), op, init, dtype)
    return _segmented_reduce(*options, x, _places(call, "offsets", offsets))


def reduce_by_key(keys, values, op="plus", *, dtype=None, fill_value=0):
    """The first key of each run of equal neighbouring keys, then ``fill_value``; ``reduce`` of the values beside them, then 0;
    and the number of runs.

    >>> keys, sums, runs = kogge.jax.reduce_by_key(jnp.array([7, 7, 5, 7]), jnp.array([1, 2, 3, 4]), fill_value=-1)
    >>> print(keys, sums, runs)
    [ 7  5  7 -1] [3 3 4 0] 3
    """
    call = "reduce_by_key"
    _beside(call, "keys", keys), _beside(call, "values", values, keys.size)
    number, dtype = _calls._choice(call, "op", _calls._OPERATORS, op), _sum_dtype(call, values, op, dtype)
    firsts, sums, runs = _counted(call, (_like(keys), _like(values, dtype=dtype)), keys, values, op=number)
    return _filled(firsts, runs, fill_value), _filled(sums, runs), runs


def argmin(x):
    """``kogge.argmin``.

    >>> print(kogge.jax.argmin(jnp.array([3, 1, 4, 1])))
    1
    """
    return _extreme("argmin", x)


def argmax(x):
    """``kogge.argmax``.

    >>> print(kogge.jax.argmax(jnp.array([3., jnp.nan, 4.])))
    1
    """
    return _extreme("argmax", x)


def _extreme(call, x):
    if not _array(call, x, dimensions=1).size:
        raise ValueError(f"kogge.{call}: x has no items")
    return _counted(call, (), jax.lax.stop_gradient(x))[0]


# ---- sorted arrays ---------------------------------------------------------------------------------------------------


def searchsorted(a, v, side="left"):
    """``kogge.searchsorted``.

    >>> print(kogge.jax.searchsorted(jnp.array([1, 3, 3, 5]), jnp.array([3, 4]), side="right"))
    [3 3]
    """
    a = jax.lax.stop_gradient(_beside("searchsorted", "a", a))
    v = jax.lax.stop_gradient(_beside("searchsorted", "v", v, dtypes=(a.dtype.name,)))
    upper = _calls._choice("searchsorted", "side", {"left": False, "right": True}, side)
    return _run("searchsorted", _like(v, dtype=_index()), a, v, upper=upper)


def _merged_places(a, b):
    """The places of the items of a merge in both inputs, the second one behind the first."""
    a, b = map(jax.lax.stop_gradient, (a, b))
    places = jnp.arange(a.size + b.size, dtype=_index())
    return _merge_pairs(a, places[: a.size], b, places[a.size :])[1]


def _taken_of_both(a, b, places):
    return _taken(a if a.dtype == jax.dtypes.float0 else jnp.concatenate([a, b]), places)


@jax.custom_jvp
def _merge(a, b):
    return _run("merge", _like(a, (a.size + b.size,)), a, b)


@_merge.defjvp
def _(primals, tangents):
    places = _merged_places(*primals)
    return _taken_of_both(*primals, places), _taken_of_both(*tangents, places)


@jax.custom_jvp
def _merge_pairs(a, values_a, b, values_b):
    results = tuple(_like(each, (a.size + b.size,)) for each in (a, values_a))
    return tuple(_run("merge_pairs", results, a, values_a, b, values_b))


@_merge_pairs.defjvp
def _(primals, tangents):
    places = _merged_places(*primals[::2])
    return tuple(tuple(_taken_of_both(*given[i::2], places) for i in (0, 1)) for given in (primals, tangents))


def merge(a, b):
    """``kogge.merge``.

    >>> print(kogge.jax.merge(jnp.array([1, 4, 6]), jnp.array([2, 4])))
    [1 2 4 4 6]
    """
    _beside("merge", "a", a), _beside("merge", "b", b, dtypes=(a.dtype.name,))
    return _merge(a, b)


def merge_pairs(a, values_a, b, values_b):
    """``kogge.merge_pairs``.

    >>> keys, values = kogge.jax.merge_pairs(jnp.array([1, 4]), jnp.array([10., 40.]), jnp.array([2]), jnp.array([20.]))
    >>> print(keys, values)
    [1 2 4] [10. 20. 40.]
    """
    call = "merge_pairs"
    _beside(call, "a", a), _beside(call, "b", b, dtypes=(a.dtype.name,))
    _beside(call, "values_a", values_a, a.size), _beside(call, "values_b", values_b, b.size, (values_a.dtype.name,))
    return _merge_pairs(a, values_a, b, values_b)


# ---- histograms ------------------------------------------------------------------------------------------------------


def histogram(x, bins, range=None, *, weights=None):
    """``kogge.histogram``; ``range`` is a pair of numbers, not of tracers. ``weights`` need ``jax_enable_x64``, and are not
    yet on a GPU.

    >>> print(kogge.jax.histogram(jnp.array([1, 2, 2, 9, 10]), 5, (0, 10)))
    [1 2 0 0 1]
    """
    x = jax.lax.stop_gradient(_array("histogram", x))
    if weights is None:
        weights = jnp.zeros(0, np.int32)
    elif _array("histogram", weights, "weights").shape != x.shape:
        raise ValueError(f"kogge.histogram: weights has the shape {weights.shape}, where x has {x.shape}")
    elif not jax.config.jax_enable_x64:
        raise TypeError("kogge.histogram: sums of weights have 64 bits, which JAX has with jax_enable_x64")
    weights = jax.lax.stop_gradient(weights)
    as_bounds = np.dtype(np.float32) if x.dtype.name in ("float16", "bfloat16") else x.dtype
    if isinstance(bins, jax.Array) and bins.ndim:
        bounds = jax.lax.stop_gradient(_array("histogram", bins, "bins", 1))
        if range is not None:
            raise ValueError("kogge.histogram: range is for a number of bins, not for bounds")
        if bounds.dtype != as_bounds:
            raise TypeError(f"kogge.histogram: bins is of dtype {bounds.dtype}, where it must be {as_bounds}")
        if bounds.size < 2:
            raise ValueError(f"kogge.histogram: bins has {bounds.size} bounds, where there must be two at least")
        return _run("histogram_bounds", _like(x, (*x.shape[:-1], bounds.size - 1), _index()), x, weights, bounds)
    bins = _calls._count("histogram", "bins", bins)
    if bins == 0 or range is None or len(range) != 2:
        raise ValueError(f"kogge.histogram: bins is {bins} and range {range!r}, where they must be positive and a pair of numbers")
    if x.dtype.kind in "iub" and x.dtype != np.uint64:
        as_bounds = np.dtype(np.int64)
    lower, upper = (_bytes("histogram", "range", each, as_bounds) for each in range)
    counts = _like(x, (*x.shape[:-1], bins), _index())
    return _run("histogram", counts, x, weights, vmap_method="broadcast_all", lower=lower, upper=upper)


# ---- compaction and partition ----------------------------------------------------------------------------------------


def compact(x, mask, *, fill_value=0):
    """The items where ``mask`` (bool or uint8) is not 0, in their order, then ``fill_value`` to the size of ``x``; and their
    number. Does not wait for the number, on a GPU either.

    >>> items, count = kogge.jax.compact(jnp.array([5, 6, 7]), jnp.array([True, False, True]))
    >>> print(items, count)
    [5 7 0] 2
    """
    _array("compact", x, dimensions=1)
    items, count = _moved(
        lambda x, mask: _counted("compact", (_like(x),), x, mask), lambda x, mask: _nonzero(mask), 1, x, _mask("compact", mask, x)
    )
    return _filled(items, count, fill_value), count


def _nonzero(x):
    return _counted("flatnonzero", (_like(x, dtype=_index()),), x)


def flatnonzero(x, *, fill_value=-1):
    """The indices of the items that are not 0, then ``fill_value`` to the size of ``x``; and their number.

    >>> indices, count = kogge.jax.flatnonzero(jnp.array([0, 4, 0, 5]))
    >>> print(indices, count)
    [ 1  3 -1 -1] 2
    """
    return _indices("flatnonzero", "x", x, fill_value)


def _indices(call, name, x, fill_value):
    indices, count = _nonzero(jax.lax.stop_gradient(_beside(call, name, x)))
    return _filled(indices, count, fill_value), count


def nonzero(x, *, fill_value=-1):
    """``flatnonzero`` with the indices as a tuple of those of each dimension, of which there is one; and their number.

    >>> (indices,), count = kogge.jax.nonzero(jnp.array([0, 4, 0, 5]))
    >>> print(indices, count)
    [ 1  3 -1 -1] 2
    """
    indices, count = _indices("nonzero", "x", x, fill_value)
    return (indices,), count


def compact_indices(mask, *, fill_value=-1):
    """The indices where a mask is set: ``flatnonzero`` by the name of what it does.

    >>> indices, count = kogge.jax.compact_indices(jnp.array([False, True, False, True]))
    >>> print(indices, count)
    [ 1  3 -1 -1] 2
    """
    return _indices("compact_indices", "mask", mask, fill_value)


def partition(x, relation, value):
    """``kogge.partition``; ``value`` is a number, not a tracer. Does not wait for the number of items for which it holds.

    >>> items, boundary = kogge.jax.partition(jnp.array([5, 1, 6, 2]), "<", 4)
    >>> print(items, boundary)
    [1 2 5 6] 2
    """
    call = "partition"
    _array(call, x, dimensions=1)
    number, as_bytes = _calls._choice(call, "relation", _calls._RELATIONS, relation), _bytes(call, "value", value, x.dtype)
    return _moved(
        lambda x: _counted(call, (_like(x),), x, relation=number, value=as_bytes),
        lambda x: _partition_flags(jnp.arange(x.size, dtype=_index()), _HOLDS[relation](x, jnp.asarray(value, x.dtype))), 1, x,
    )


_HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def partition_flags(x, mask):
    """``kogge.partition_flags``. Does not wait for the number of items where the mask is set.

    >>> items, boundary = kogge.jax.partition_flags(jnp.array([5, 1, 6]), jnp.array([False, True, False]))
    >>> print(items, boundary)
    [1 5 6] 1
    """
    _array("partition_flags", x, dimensions=1)
    return _moved_alike(_partition_flags, x, _mask("partition_flags", mask, x))


def _partition_flags(x, mask):
    return _counted("partition_flags", (_like(x),), x, mask)


def split(x, bin_numbers, bins):
    """``kogge.split``; ``bins`` is a number, not a tracer. The offsets are unsigned. Not yet on a GPU.

    >>> items, offsets = kogge.jax.split(jnp.array([5., 6., 7.]), jnp.array([1, 0, 1], jnp.uint8), 2)
    >>> print(items, offsets)
    [6. 5. 7.] [0 1 3]
    """
    _array("split", x, dimensions=1)
    numbers = _beside("split", "bin_numbers", bin_numbers, x.size, ("uint8", "uint16", "uint32", "uint64"))
    bins = _calls._count("split", "bins", bins)

    def run(x, numbers):
        _, items, offsets = _run("split", (_like(numbers), _like(x), _halves(bins + 1)), numbers, x)
        return items, _joined(offsets, np.uint64)

    return _moved_alike(run, x, numbers)


# ---- runs ------------------------------------------------------------------------------------------------------------


def run_length_encode(x, *, fill_value=0):
    """The first item of each run of equal neighbours, then ``fill_value`` to the size of ``x``; the runs' lengths, then 0; and the
    number of runs.

    >>> items, lengths, runs = kogge.jax.run_length_encode(jnp.array([7, 7, 5, 7]))
    >>> print(items, lengths, runs)
    [7 5 7 0] [2 1 1 0] 3
    """
    _array("run_length_encode", x, dimensions=1)
    items, lengths, runs = _counted("run_length_encode", (_like(x), _like(x, dtype=_index())), x)
    return _filled(items, runs, fill_value), _filled(lengths, runs), runs


def unique_consecutive(x, *, fill_value=0):
    """The first item of each run of equal neighbours, then ``fill_value`` to the size of ``x``; and the number of runs.

    >>> items, runs = kogge.jax.unique_consecutive(jnp.array([7, 7, 5, 7]), fill_value=-1)
    >>> print(items, runs)
    [ 7  5  7 -1] 3
    """
    _array("unique_consecutive", x, dimensions=1)
    items, runs = _counted("unique_consecutive", (_like(x),), x)
    return _filled(items, runs, fill_value), runs


def unique(x, *, return_inverse=False, return_counts=False, fill_value=0):
    """The different items in ascending order, then ``fill_value`` to the size of ``x``; with ``return_inverse`` the place of each
    item among them; with ``return_counts`` how often each occurs, then 0; and the number of different items.

    >>> items, inverse, counts, found = kogge.jax.unique(jnp.array([5, 3, 5]), return_inverse=True, return_counts=True)
    >>> print(items, inverse, counts, found)
    [3 5 0] [1 0 1] [1 2 0] 2
    """
    _array("unique", x, dimensions=1)
    results = ()
    if return_inverse:
        order = argsort(x, nans="last", zeros="equal")
        ordered = x[order]
        begins = jnp.append(False, ordered[1:] != ordered[:-1])[: x.size]
        results = (jnp.zeros(x.size, _index()).at[order].set(cumsum(begins.astype(_index()))),)
    else:
        ordered = sort(x, nans="last", zeros="equal")
    items, *others = (run_length_encode if return_counts else unique_consecutive)(ordered, fill_value=fill_value)
    return items, *results, *others
