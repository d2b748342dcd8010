"""The functions of the package, on arrays of all kinds. What they mean for one kind, _kinds.py says."""

from __future__ import annotations

import math
import operator
import sys
from typing import NamedTuple

import numpy as np

from . import _kogge
from ._kinds import ITEM_BYTES, NAMES, NONE, NUMPY, TYPES, View, type_number, view

_ORDERS = {False: 1, True: 2}
_ZEROS = {"negative_first": 0, "equal": 1}
_NANS = {"by_sign": 0, "last": 1, "greatest": 2}
_OPERATORS = {"plus": 0, "maximum": 1, "minimum": 2}
_NULLS = {"last": False, "first": True}
_RELATIONS = {"<": 0, "<=": 1, ">": 2, ">=": 3, "==": 4, "!=": 5}
_U8, _U64, _I64 = TYPES["uint8"], TYPES["uint64"], TYPES["int64"]

_INDICES = tuple(TYPES[name] for name in ("int32", "int64", "uint32", "uint64"))
_MOST, _MOST_BINS, _MOST_INT = 2**64 - 1, 2**32 - 1, 2**31 - 1  # what the library's numbers hold

_threads = 0


def set_num_threads(threads):
    """The number of host threads of later calls; 0: all."""
    global _threads
    threads = _count("set_num_threads", "threads", threads)
    if threads > _MOST_INT:
        raise ValueError(f"kogge.set_num_threads: threads is {threads}, where at most {_MOST_INT} can be")
    _threads = threads


def trim(bytes_to_keep=0):
    """Gives free scratch of the library's own pool on the current device back; returns the bytes that it still holds."""
    return _kogge.trim(_count("trim", "bytes_to_keep", bytes_to_keep))


# ---- arguments -------------------------------------------------------------------------------------------------------


def _choice(call, name, choices, given):
    try:
        return choices[given]
    except (KeyError, TypeError):
        raise ValueError(f"kogge.{call}: {name} is {given!r}, none of {', '.join(map(repr, choices))}") from None


def _options(call, descending, nans, zeros, begin_bit=0, end_bit=0):
    order = _ORDERS[bool(descending)]
    if begin_bit != 0 or end_bit != 0:
        for name, bit in (("begin_bit", begin_bit), ("end_bit", end_bit)):
            if _count(call, name, bit) > _MOST_INT:
                raise ValueError(f"kogge.{call}: {name} is {bit}, where keys have 64 bits at most")
    return _kogge.SortOptions(order, _choice(call, "zeros", _ZEROS, zeros), _choice(call, "nans", _NANS, nans), begin_bit, end_bit)


def _one_dimension(call, name, x):
    if len(x.shape) != 1:
        raise ValueError(f"kogge.{call}: {name} has {len(x.shape)} dimensions, where it must have one")
    return x


def _beside(call, name, array, x, size=None, types=None):
    """Another input of a call on x: one-dimensional, where x is."""
    other = _one_dimension(call, name, view(call, name, array))
    if _are_apart(other, x):
        raise ValueError(f"kogge.{call}: {name} is not where the other array is: {_place(other)}, {_place(x)}")
    if size is not None and other.size != size:
        raise ValueError(f"kogge.{call}: {name} has {other.size} items, where it must have {size}")
    if types is not None and other.type not in types:
        raise TypeError(f"kogge.{call}: {name} is of dtype {other.name}, none of {', '.join(NAMES[t] for t in types)}")
    return other


def _are_apart(a, b):
    """Whether no call can use both; of some arrays the device's number is not known."""
    return a.place != b.place and (a.place == "host" or b.place == "host" or None not in (a.place[1], b.place[1]))


def _place(x):
    return "the host" if x.place == "host" else f"device {x.place[1]}"


def _output(call, name, out, shape, type_, x):
    """A view of an output: the caller's (an array, or a view of it), checked, or a new one of the kind of x."""
    if out is None:
        made = x.kind.new(tuple(shape), type_, x)
        made.made = True
        return made
    given = out if isinstance(out, View) else view(call, name, out)
    if given.read_only:
        raise ValueError(f"kogge.{call}: {name} is read-only")
    if given.type != type_:
        raise TypeError(f"kogge.{call}: {name} is of dtype {given.name}, where the result is {NAMES[type_]}")
    if tuple(given.shape) != tuple(shape):
        raise ValueError(f"kogge.{call}: {name} has the shape {tuple(given.shape)}, where the result has {tuple(shape)}")
    if _are_apart(given, x):
        raise ValueError(f"kogge.{call}: {name} is on {_place(given)}, and the input on {_place(x)}")
    return given


def _given(out, x, count=None):
    """A result as the caller gets it, or its first items."""
    array = out.array if count is None else out.array[:count]
    return x.kind.result(array, x) if out.made else array


class _Running:
    """The stream and the allocator of a call on x; and the name that the call has here, in what the library says."""

    __slots__ = ("call", "exec", "context")

    def __init__(self, call, x):
        self.call = call
        self.exec = _kogge.Exec()
        if _threads:
            self.exec.threads = _threads
        self.context = x.kind.running(x, self.exec)

    def __enter__(self):
        if self.context is not None:
            self.context.__enter__()
        return self.exec

    def __exit__(self, kind, failure, trace):
        if failure is not None:
            self._name(failure)
        if self.context is not None:
            return self.context.__exit__(kind, failure, trace)

    def _name(self, failure):
        said = str(failure)
        if said.startswith("kogge::"):
            failure.args = (f"kogge.{self.call}: {said.partition(': ')[2]}",)


def _integer(call, name, number, or_else=""):
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"kogge.{call}: {name} is a {type(number).__name__}, where it must be an integer{or_else}") from None


def _count(call, name, number, below=None):
    number = _integer(call, name, number)
    if not 0 <= number <= (_MOST if below is None else below):
        raise ValueError(f"kogge.{call}: {name} is {number}" + ("" if below is None else f", where there are {below} items"))
    return number


def _rows(x):
    """The rows along the last dimension, and their number."""
    length = x.shape[-1] if x.shape else 1
    return length, (x.size // length if length else 0)


def _is_flat(call, axis, dimensions):
    """Whether a call along `axis` takes all items as one row; otherwise it works along the last dimension."""
    if axis is None:
        return True
    number = _integer(call, "axis", axis, " or None")
    if dimensions == 0:
        raise ValueError(f"kogge.{call}: x has no dimension")
    if number not in (-1, dimensions - 1):
        raise ValueError(f"kogge.{call}: axis is {number}, where x has {dimensions} dimension{'s' * (dimensions > 1)}; kogge works "
                         "along the last one (-1) or on all items (None): pass a contiguous transpose")
    return False


def _along(call, x, axis):
    """A view of x whose last dimension is the one along which a call works."""
    seen = view(call, "x", x)
    if _is_flat(call, axis, len(seen.shape)):
        seen.shape = (seen.size,)
    return seen


def _not_scalar(call, name, x):
    if not x.shape:
        raise ValueError(f"kogge.{call}: {name} has no dimension")
    return x


# ---- sorts -----------------------------------------------------------------------------------------------------------


def sort(x, axis=-1, *, descending=False, nans="by_sign", zeros="negative_first", begin_bit=0, end_bit=0, out=None):
    """Sorts along the last dimension, or with ``axis=None`` all items; ``out`` may be ``x``.

    ``begin_bit`` and ``end_bit`` (0: all above) sort by some of the keys' bits.

    >>> kogge.sort(np.array([2.5, -1.0, 7.0]), descending=True)
    array([ 7. ,  2.5, -1. ])
    >>> kogge.sort(np.array([[3, 1, 2], [9, 8, 7]]))
    array([[1, 2, 3],
           [7, 8, 9]])
    """
    call = "sort"
    x = _along(call, x, axis)
    options = _options(call, descending, nans, zeros, begin_bit, end_bit)
    to = _output(call, "out", out, x.shape, x.type, x)
    with _Running(call, x) as how:
        if len(x.shape) == 1:
            _kogge.radix_sort(x.address, x.type, to.address, x.size, options, how)
        elif x.size:
            _, rows = _rows(x)
            _kogge.segmented_sort(x.address, x.type, 0, to.address, x.size, rows, options, how)
    return _given(to, x)


def sort_pairs(keys, values, *, descending=False, nans="by_sign", zeros="negative_first", begin_bit=0, end_bit=0, out=None):
    """Sorts keys, and moves each value with its key: ``(keys, values)``. ``out`` is a pair of arrays.

    >>> kogge.sort_pairs(np.array([3, 1, 2]), np.array([30., 10., 20.]))
    (array([1, 2, 3]), array([10., 20., 30.]))
    """
    call = "sort_pairs"
    x = _one_dimension(call, "keys", view(call, "keys", keys))
    moved = _beside(call, "values", values, x, x.size)
    options = _options(call, descending, nans, zeros, begin_bit, end_bit)
    keys_out, values_out = _pair(call, out)
    to = _output(call, "out[0]", keys_out, x.shape, x.type, x)
    values_to = _output(call, "out[1]", values_out, x.shape, moved.type, x)
    with _Running(call, x) as how:
        _kogge.radix_sort_pairs(x.address, x.type, moved.address, moved.type, to.address, values_to.address, x.size, options, how)
    return _given(to, x), _given(values_to, x)


def _pair(call, out):
    if out is None:
        return None, None
    if not isinstance(out, (tuple, list)) or len(out) != 2:
        raise TypeError(f"kogge.{call}: out is a pair of arrays")
    return out


def _indices_output(call, dtype, out, x):
    """A view of indices, as many as x has items: of a dtype that is asked for, or that `out` has."""
    if out is not None:
        out = view(call, "out", out)
    index = type_number(call, dtype) if out is None else out.type
    if index not in _INDICES:
        name = "dtype is" if out is None else "out is of dtype"
        raise TypeError(f"kogge.{call}: {name} {NAMES[index]}, none of {', '.join(NAMES[t] for t in _INDICES)}")
    return _output(call, "out", out, x.shape, index, x)


def argsort(x, axis=-1, *, descending=False, nans="by_sign", zeros="negative_first", dtype="int64", out=None):
    """The indices that would sort along the last dimension, or with ``axis=None`` all items: int64, or of another integer
    ``dtype`` of 32 or 64 bits. With ``out`` of its dtype.

    >>> kogge.argsort(np.array([30, 10, 20]))
    array([1, 2, 0])
    """
    call = "argsort"
    x = _along(call, x, axis)
    options = _options(call, descending, nans, zeros)
    to = _indices_output(call, dtype, out, x)
    with _Running(call, x) as how:
        if len(x.shape) == 1:
            _kogge.argsort(x.address, x.type, to.address, to.type, x.size, options, how)
        elif x.size:
            _, rows = _rows(x)
            _kogge.segmented_argsort(x.address, x.type, 0, to.address, to.type, x.size, rows, False, options, how)
    return _given(to, x)


class Column(NamedTuple):
    """An array of keys, and how it orders rows: what ``column`` makes."""

    keys: object
    descending: bool
    nans: str
    zeros: str
    begin_bit: int
    end_bit: int
    valid: object
    valid_from: int
    nulls: str


def column(
    keys, *, descending=False, nans="by_sign", zeros="negative_first", begin_bit=0, end_bit=0, valid=None, valid_from=0, nulls="last"
):
    """A column of ``argsort_columns``, ``sort_columns`` and ``sort_columns_pairs`` with options of its own.

    ``valid`` says which keys are there, as Arrow's validity bitmaps: key i is null if bit ``valid_from + i`` is 0, from the
    lowest bit of each item on. It is an array of uint8, int32 or uint32, where ``keys`` are, which is read in words of 4
    bytes: it begins at a multiple of 4 bytes, and has all of its last word. Null keys are equal; they stand ``"last"`` or
    ``"first"`` in both orders.

    >>> kogge.argsort_columns([kogge.column(np.array([7, 8, 9]), valid=np.array([0b101], np.uint32), nulls="first")])
    array([1, 0, 2])
    """
    return Column(keys, descending, nans, zeros, begin_bit, end_bit, valid, valid_from, nulls)


def _listed(call, columns):
    """Each of the columns as a Column."""
    if not isinstance(columns, (tuple, list)) or isinstance(columns, Column):
        raise TypeError(f"kogge.{call}: columns is a {type(columns).__name__}, where it must be a list of columns")
    if not columns:
        raise ValueError(f"kogge.{call}: columns is empty, where it must have one column at least")
    return [each if isinstance(each, Column) else column(each) for each in columns]


def _columns(call, columns):
    """The columns as the binding has them, and views of their keys and bitmaps, which live until the call is made."""
    filled, views, bitmaps = _kogge.Columns(), [], []
    for c, given in enumerate(_listed(call, columns)):
        name = f"columns[{c}]"
        place = f"{call}: {name}"
        if views:
            x = _beside(call, name, given.keys, views[0], views[0].size)
        else:
            x = _one_dimension(call, name, view(call, name, given.keys))
        options = _options(place, given.descending, given.nans, given.zeros, given.begin_bit, given.end_bit)
        nulls_first = _choice(place, "nulls", _NULLS, given.nulls)
        valid_from = _count(place, "valid_from", given.valid_from)
        bitmap = None if given.valid is None else _bitmap(place, given.valid, valid_from, x)
        filled.add(x.address, x.type, options, nulls_first, bitmap.address if bitmap else 0, valid_from)
        views.append(x)
        bitmaps.append(bitmap)
    return filled, views, bitmaps


def _bitmap(place, valid, valid_from, x):
    bitmap = _beside(place, "valid", valid, x, types=(_U8, TYPES["int32"], TYPES["uint32"]))
    _check_bitmap(place, bitmap.size * (1 if bitmap.type == _U8 else 4), valid_from, x.size)
    if bitmap.address % 4:
        raise ValueError(f"kogge.{place}: valid does not begin at a multiple of 4 bytes")
    return bitmap


def _check_bitmap(place, given, valid_from, keys):
    needed = (valid_from + keys + 31) // 32 * 4 if keys else 0
    if given < needed:
        raise ValueError(f"kogge.{place}: valid has {given} bytes, where {keys} keys from bit {valid_from} on take {needed}")


def _column_outputs(call, name, out, views):
    if out is None:
        out = [None] * len(views)
    elif not isinstance(out, (tuple, list)) or len(out) != len(views):
        raise TypeError(f"kogge.{call}: {name} is a list of arrays, one for each of {len(views)} columns")
    return [_output(call, f"{name}[{c}]", array, x.shape, x.type, x) for c, (array, x) in enumerate(zip(out, views))]


def argsort_columns(columns, *, dtype="int64", out=None):
    """The indices that would sort rows by several arrays: int64, or of another integer ``dtype`` of 32 or 64 bits.
    With ``out`` of its dtype.

    ``columns`` is a list of one-dimensional arrays of one length, or of ``column(array, ...)``. The first counts most: rows
    that it does not tell apart are ordered by the second one, and so on.

    >>> kogge.argsort_columns([np.array([1, 0, 1]), kogge.column(np.array([5., 6., 7.]), descending=True)])
    array([1, 2, 0])
    """
    call = "argsort_columns"
    filled, views, bitmaps = _columns(call, columns)
    x = views[0]
    to = _indices_output(call, dtype, out, x)
    with _Running(call, x) as how:
        _kogge.argsort_columns(filled, to.address, to.type, x.size, how)
    return _given(to, x)


def sort_columns(columns, *, out=None):
    """Sorts rows by several arrays, as ``argsort_columns`` has them: a tuple of the sorted arrays.

    ``out`` is a list of arrays, which may be the columns' own. Bitmaps are not sorted: ``argsort_columns`` says where each
    bit belongs.

    >>> kogge.sort_columns([np.array([1, 0, 1]), kogge.column(np.array([5., 6., 7.]), descending=True)])
    (array([0, 1, 1]), array([6., 7., 5.]))
    """
    call = "sort_columns"
    filled, views, bitmaps = _columns(call, columns)
    x = views[0]
    to = _column_outputs(call, "out", out, views)
    with _Running(call, x) as how:
        _kogge.radix_sort_columns(filled, [each.address for each in to], x.size, how)
    return tuple(map(_given, to, views))


def sort_columns_pairs(columns, values, *, out=None):
    """``sort_columns``, with a value that moves with each row: ``(columns, values)``. ``out`` is such a pair.

    >>> kogge.sort_columns_pairs([np.array([1, 0, 1]), np.array([7, 6, 5])], np.array([10., 20., 30.]))
    ((array([0, 1, 1]), array([6, 5, 7])), array([20., 30., 10.]))
    """
    call = "sort_columns_pairs"
    filled, views, bitmaps = _columns(call, columns)
    x = views[0]
    moved = _beside(call, "values", values, x, x.size)
    columns_out, values_out = _pair(call, out)
    to = _column_outputs(call, "out[0]", columns_out, views)
    values_to = _output(call, "out[1]", values_out, x.shape, moved.type, x)
    with _Running(call, x) as how:
        _kogge.radix_sort_columns_pairs(
            filled, moved.address, moved.type, [each.address for each in to], values_to.address, x.size, how
        )
    return tuple(map(_given, to, views)), _given(values_to, x)


def _offsets(call, offsets, x):
    return _beside(call, "offsets", offsets, x, types=(_U64, _I64))


def segmented_sort(x, offsets, *, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """Sorts each segment on its own; ``out`` may be ``x``.

    Segment s begins at ``offsets[s]`` (int64 or uint64, ascending, where ``x`` is) and ends where the next one begins, the
    last one at the end; items before ``offsets[0]`` form a segment of their own.

    >>> kogge.segmented_sort(np.array([3, 1, 9, 8, 7]), np.array([0, 2]))
    array([1, 3, 7, 8, 9])
    """
    call = "segmented_sort"
    x = _one_dimension(call, "x", view(call, "x", x))
    starts = _offsets(call, offsets, x)
    options = _options(call, descending, nans, zeros)
    to = _output(call, "out", out, x.shape, x.type, x)
    with _Running(call, x) as how:
        _kogge.segmented_sort(x.address, x.type, starts.address, to.address, x.size, starts.size, options, how)
    return _given(to, x)


def segmented_argsort(x, offsets, *, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """The indices, in the whole array, that would sort each segment: int64.

    >>> kogge.segmented_argsort(np.array([3, 1, 9, 8, 7]), np.array([0, 2]))
    array([1, 0, 4, 3, 2])
    """
    call = "segmented_argsort"
    x = _one_dimension(call, "x", view(call, "x", x))
    starts = _offsets(call, offsets, x)
    options = _options(call, descending, nans, zeros)
    to = _output(call, "out", out, x.shape, _I64, x)
    with _Running(call, x) as how:
        _kogge.segmented_argsort(
            x.address, x.type, starts.address, to.address, _I64, x.size, starts.size, True, options, how
        )
    return _given(to, x)


# ---- top-k -----------------------------------------------------------------------------------------------------------


def topk(x, k, *, axis=-1, largest=True, nans="by_sign", zeros="negative_first", return_indices=False, out=None):
    """The first ``k`` along the last dimension of a stable sort, the greatest first unless ``largest`` is false.

    With ``return_indices`` a pair: the items and their int64 indices; ``out`` is a pair then, too.

    >>> kogge.topk(np.array([3., 9., 5., 9.]), 2, return_indices=True)
    (array([9., 9.]), array([1, 3]))
    """
    call = "topk"
    x = _along(call, x, axis)
    length, _ = _rows(x)
    k = _count(call, "k", k, length)
    shape = x.shape[:-1] + (k,)
    items_out, indices_out = _pair(call, out) if return_indices else (out, None)
    to = _output(call, "out[0]" if return_indices else "out", items_out, shape, x.type, x)
    indices = _output(call, "out[1]", indices_out, shape, _I64, x) if return_indices else None
    _top_k(call, x, k, to, indices, _options(call, largest, nans, zeros))
    return (_given(to, x), _given(indices, x)) if return_indices else _given(to, x)


def argtopk(x, k, *, axis=-1, largest=True, nans="by_sign", zeros="negative_first", out=None):
    """The int64 indices of the first ``k`` along the last dimension.

    >>> kogge.argtopk(np.array([3, 9, 5]), 2, largest=False)
    array([0, 2])
    """
    call = "argtopk"
    x = _along(call, x, axis)
    length, _ = _rows(x)
    k = _count(call, "k", k, length)
    to = _output(call, "out", out, x.shape[:-1] + (k,), _I64, x)
    _top_k(call, x, k, None, to, _options(call, largest, nans, zeros))
    return _given(to, x)


def _top_k(call, x, k, items, indices, options):
    if k == 0 or x.size == 0:
        return
    items_to, indices_to = (items.address if items else 0), (indices.address if indices else 0)
    index = _I64 if indices else NONE
    with _Running(call, x) as how:
        if len(x.shape) > 1:
            _, rows = _rows(x)
            _kogge.segmented_top_k(x.address, x.type, 0, items_to, indices_to, index, x.size, rows, k, options, how)
        elif indices:
            _kogge.arg_top_k(x.address, x.type, items_to, indices_to, index, x.size, k, options, how)
        else:
            _kogge.top_k(x.address, x.type, items_to, x.size, k, options, how)


def segmented_topk(x, offsets, k, *, largest=True, nans="by_sign", zeros="negative_first", return_indices=False, out=None):
    """The first ``k`` of each segment, as a row of ``k`` for each; with ``return_indices`` also their int64 indices within
    the segment. Offsets as in ``segmented_sort``, but items before ``offsets[0]`` belong to none. Of a segment of fewer
    items the rest of its row is unspecified.

    >>> kogge.segmented_topk(np.array([3, 1, 9, 8, 7]), np.array([0, 2]), 2)
    array([[3, 1],
           [9, 8]])
    """
    call = "segmented_topk"
    x = _one_dimension(call, "x", view(call, "x", x))
    starts = _offsets(call, offsets, x)
    k = _count(call, "k", k)
    items_out, indices_out = _pair(call, out) if return_indices else (out, None)
    to = _output(call, "out[0]" if return_indices else "out", items_out, (starts.size, k), x.type, x)
    indices = _output(call, "out[1]", indices_out, (starts.size, k), _I64, x) if return_indices else None
    options = _options(call, largest, nans, zeros)
    if k and starts.size and x.size:
        with _Running(call, x) as how:
            _kogge.segmented_top_k(
                x.address, x.type, starts.address, to.address, indices.address if indices else 0,
                _I64 if indices else NONE, x.size, starts.size, k, options, how,
            )
    return (_given(to, x), _given(indices, x)) if return_indices else _given(to, x)


# ---- keys by rank ----------------------------------------------------------------------------------------------------


def select(x, rank, *, axis=-1, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """The item of a rank, counted from 0, along the last dimension: what a sort would put there, without sorting.

    >>> kogge.select(np.array([[5, 1, 9], [2, 8, 4]]), 1)
    array([5, 4])
    """
    call = "select"
    x = _along(call, x, axis)
    length, rows = _rows(x)
    rank = _count(call, "rank", rank)
    if rank >= length:
        raise ValueError(f"kogge.{call}: rank is {rank}, where there are {length} items")
    options = _options(call, descending, nans, zeros)
    to = _output(call, "out", out, x.shape[:-1], x.type, x)
    with _Running(call, x) as how:
        if len(x.shape) == 1:
            _kogge.select(x.address, x.type, to.address, x.size, rank, options, how)
        elif rows:
            _kogge.rows_select(x.address, x.type, to.address, x.size, rows, rank, options, how)
    return _single(to, x)


def quantiles(x, ranks, *, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """The items of several ranks (int64 or uint64, where ``x`` is, in any order) of a one-dimensional array.

    >>> kogge.quantiles(np.array([50, 10, 90, 20, 80]), np.array([0, 2, 4]))
    array([10, 50, 90])
    """
    call = "quantiles"
    x = _one_dimension(call, "x", view(call, "x", x))
    wanted = _beside(call, "ranks", ranks, x, types=(_U64, _I64))
    options = _options(call, descending, nans, zeros)
    to = _output(call, "out", out, wanted.shape, x.type, x)
    with _Running(call, x) as how:
        _kogge.quantiles(x.address, x.type, wanted.address, to.address, x.size, wanted.size, options, how)
    return _given(to, x)


# ---- sorted arrays ---------------------------------------------------------------------------------------------------


def searchsorted(a, v, side="left", *, out=None):
    """Where each item of ``v`` belongs in the ascending array ``a``, as NumPy's: int64. Both have one dtype.

    ``side="left"`` is in front of equal items, ``"right"`` behind them. There are no NaNs.

    >>> kogge.searchsorted(np.array([1, 3, 3, 5]), np.array([3, 4]), side="right")
    array([3, 3])
    """
    call = "searchsorted"
    a = _one_dimension(call, "a", view(call, "a", a))
    needles = _beside(call, "v", v, a, types=(a.type,))
    upper = _choice(call, "side", {"left": False, "right": True}, side)
    to = _output(call, "out", out, needles.shape, _I64, a)
    with _Running(call, a) as how:
        _kogge.search(upper, a.address, needles.address, a.type, to.address, _I64, a.size, needles.size, how)
    return _given(to, a)


def merge(a, b, *, out=None):
    """Two ascending arrays of one dtype as one; of equal items those of ``a`` come first. There are no NaNs.

    >>> kogge.merge(np.array([1, 4, 6]), np.array([2, 4]))
    array([1, 2, 4, 4, 6])
    """
    call = "merge"
    a = _one_dimension(call, "a", view(call, "a", a))
    b = _beside(call, "b", b, a, types=(a.type,))
    to = _output(call, "out", out, (a.size + b.size,), a.type, a)
    with _Running(call, a) as how:
        _kogge.merge(a.address, b.address, a.type, to.address, a.size, b.size, how)
    return _given(to, a)


def merge_pairs(a, values_a, b, values_b, *, out=None):
    """``merge`` of keys, with a value that moves with each; ``out`` is a pair.

    >>> kogge.merge_pairs(np.array([1, 4]), np.array([10., 40.]), np.array([2]), np.array([20.]))
    (array([1, 2, 4]), array([10., 20., 40.]))
    """
    call = "merge_pairs"
    a = _one_dimension(call, "a", view(call, "a", a))
    b = _beside(call, "b", b, a, types=(a.type,))
    of_a = _beside(call, "values_a", values_a, a, a.size)
    of_b = _beside(call, "values_b", values_b, a, b.size, (of_a.type,))
    keys_out, values_out = _pair(call, out)
    to = _output(call, "out[0]", keys_out, (a.size + b.size,), a.type, a)
    values_to = _output(call, "out[1]", values_out, (a.size + b.size,), of_a.type, a)
    with _Running(call, a) as how:
        _kogge.merge_pairs(
            a.address, of_a.address, b.address, of_b.address, a.type, of_a.type, to.address, values_to.address,
            a.size, b.size, how,
        )
    return _given(to, a), _given(values_to, a)


# ---- histograms ------------------------------------------------------------------------------------------------------


def _bins(call, bins, or_else=""):
    """A number of bins."""
    bins = _integer(call, "bins", bins, or_else)
    if not 1 <= bins <= _MOST_BINS:
        raise ValueError(f"kogge.{call}: bins is {bins}, where it must be from 1 to {_MOST_BINS}")
    return bins


def histogram(x, bins, range=None, *, weights=None, out=None):
    """How many items fall into each bin along the last dimension: int64.

    ``bins`` is a number of bins of equal width in ``range``, a pair of numbers, or an array of ascending bounds of the
    dtype of ``x`` (float32 for float16 and bfloat16), where ``x`` is. Each bin, the last one too, has its lower bound and
    not its upper one; items outside and NaNs are not counted. ``weights``, integers, one for each item, are summed instead.

    >>> kogge.histogram(np.array([1, 2, 2, 9, 10]), 5, (0, 10))
    array([1, 2, 0, 0, 1])
    >>> kogge.histogram(np.array([1., 2., 2., 9.]), np.array([0., 2., 10.]), weights=np.array([5, 1, 1, 1]))
    array([5, 3])
    """
    call = "histogram"
    x = _not_scalar(call, "x", view(call, "x", x))
    rows = math.prod(x.shape[:-1])
    bounds, lower, upper = None, b"", b""
    as_float = NAMES[x.type] in ("float16", "bfloat16")
    if getattr(bins, "shape", ()) == ():
        bins = _bins(call, bins, " or an array of bounds")
        try:
            lower, upper = range
        except (TypeError, ValueError):
            raise ValueError(f"kogge.{call}: range is {range!r}, where it must be a pair of numbers") from None
        bound_type = TYPES["float32"] if as_float else x.type
        if NAMES[x.type][:3] in ("boo", "int", "uin") and x.type != _U64:
            bound_type = _I64
        lower, upper = (_item(call, "range", bound, bound_type) for bound in (lower, upper))
    else:
        if range is not None:
            raise ValueError(f"kogge.{call}: range is for a number of bins, not for bounds")
        bounds = _beside(call, "bins", bins, x, types=(TYPES["float32"] if as_float else x.type,))
        bins = bounds.size - 1
        if bins < 1:
            raise ValueError(f"kogge.{call}: bins has {bounds.size} bounds, where there must be two at least")
    amounts = None
    if weights is not None:
        amounts = view(call, "weights", weights)
        if tuple(amounts.shape) != tuple(x.shape):
            raise ValueError(f"kogge.{call}: weights has the shape {tuple(amounts.shape)}, where x has {tuple(x.shape)}")
        if _are_apart(amounts, x):
            raise ValueError(f"kogge.{call}: weights is not where x is: {_place(amounts)}, {_place(x)}")
    to = _output(call, "out", out, x.shape[:-1] + (bins,), _I64, x)
    if rows:
        with _Running(call, x) as how:
            _kogge.histogram(
                x.address, x.type, amounts.address if amounts else 0, amounts.type if amounts else NONE, to.address, _I64,
                x.size, rows, bins, bounds.address if bounds else 0, lower, upper, how,
            )
    return _given(to, x)


# ---- compaction and partition ----------------------------------------------------------------------------------------


def compact(x, mask, *, out=None):
    """The items where ``mask`` (bool or uint8, one for each item) is not 0, in their order: ``x[mask]``.

    Waits for their number. With ``out``, which has room for all items and may be ``x``, the result is its first part.

    >>> kogge.compact(np.array([5, 6, 7]), np.array([True, False, True]))
    array([5, 7])
    """
    call = "compact"
    x = _one_dimension(call, "x", view(call, "x", x))
    flags = _beside(call, "mask", mask, x, x.size, (TYPES["bool"], _U8))
    to = _output(call, "out", out, x.shape, x.type, x)
    with _Running(call, x) as how:
        kept = _kogge.compact_flags(x.address, x.type, flags.address, to.address, x.size, how)
    return _given(to, x, kept)


def flatnonzero(x, *, out=None):
    """The int64 indices of the items that are not 0, as NumPy's. Waits for their number. ``out`` has room for as many as
    there are items; the result is its first part.

    >>> kogge.flatnonzero(np.array([0, 4, 0, 5]))
    array([1, 3])
    """
    return _indices("flatnonzero", "x", x, out)


def _indices(call, name, x, out):
    x = _one_dimension(call, name, view(call, name, x))
    to = _output(call, "out", out, x.shape, _I64, x)
    with _Running(call, x) as how:
        count = _kogge.nonzero(x.address, x.type, to.address, _I64, x.size, how)
    return _given(to, x, count)


def nonzero(x, *, out=None):
    """As NumPy's: a tuple of the indices of each dimension, of which there is one. ``out`` as of ``flatnonzero``.

    >>> kogge.nonzero(np.array([0, 4, 0, 5]))
    (array([1, 3]),)
    """
    return (_indices("nonzero", "x", x, out),)


def compact_indices(mask, *, out=None):
    """The int64 indices where a mask is set: ``flatnonzero`` by the name of what it does.

    >>> kogge.compact_indices(np.array([False, True, False, True]))
    array([1, 3])
    """
    return _indices("compact_indices", "mask", mask, out)


def partition(x, relation, value, *, out=None):
    """The items for which ``item <relation> value`` holds, and after them the others, both in their order.

    The relation is ``"<"``, ``"<="``, ``">"``, ``">="``, ``"=="`` or ``"!="``. Returns the items, and the number of those
    for which it holds, for which the call waits. ``out`` may be ``x``. Not of float16 and bfloat16.

    >>> kogge.partition(np.array([5, 1, 6, 2]), "<", 4)
    (array([1, 2, 5, 6]), 2)
    """
    call = "partition"
    x = _one_dimension(call, "x", view(call, "x", x))
    by = _choice(call, "relation", _RELATIONS, relation)
    to = _output(call, "out", out, x.shape, x.type, x)
    with _Running(call, x) as how:
        boundary = _kogge.partition(x.address, x.type, to.address, x.size, by, _item(call, "value", value, x.type), how)
    return _given(to, x), boundary


def partition_flags(x, mask, *, out=None):
    """``partition`` by a mask as ``compact`` has it: the items where it is set, and after them the others.

    >>> kogge.partition_flags(np.array([5, 1, 6]), np.array([False, True, False]))
    (array([1, 5, 6]), 1)
    """
    call = "partition_flags"
    x = _one_dimension(call, "x", view(call, "x", x))
    flags = _beside(call, "mask", mask, x, x.size, (TYPES["bool"], _U8))
    to = _output(call, "out", out, x.shape, x.type, x)
    with _Running(call, x) as how:
        boundary = _kogge.partition_flags(x.address, x.type, flags.address, to.address, x.size, how)
    return _given(to, x), boundary


def _item(call, name, value, type_):
    """The bytes of a number as an item."""
    dtype = NUMPY.dtype(type_)
    item = np.asarray(value)
    if item.ndim != 0:
        raise ValueError(f"kogge.{call}: {name} is an array, where it must be a number")
    kind = item.dtype.kind
    try:
        if value is None or kind in "cSUMmT":  # NumPy would make numbers of them
            raise TypeError
        if dtype.kind not in "iub":
            return item.astype(dtype).tobytes()
        number = int(item)
        if (kind not in "iub" and number != item) or (dtype.kind == "b" and number not in (0, 1)):
            raise ValueError
        return number.to_bytes(dtype.itemsize, sys.byteorder, signed=dtype.kind == "i")
    except TypeError:
        raise TypeError(f"kogge.{call}: {name} is {value!r}, where it must be a number") from None
    except (OverflowError, ValueError):
        raise ValueError(f"kogge.{call}: {name} is {value!r}, which is no {NAMES[type_]}") from None


def split(x, bin_numbers, bins, *, out=None):
    """Sorts items into ``bins`` bins, stably, by their bins' numbers (an unsigned dtype, one for each item).

    Returns the items, and ``bins + 1`` uint64 offsets: bin b is ``items[offsets[b]:offsets[b + 1]]``.

    >>> kogge.split(np.array([5., 6., 7.]), np.array([1, 0, 1], np.uint8), 2)
    (array([6., 5., 7.]), array([0, 1, 3], dtype=uint64))
    """
    call = "split"
    x = _one_dimension(call, "x", view(call, "x", x))
    numbers = _beside(call, "bin_numbers", bin_numbers, x, x.size, [TYPES[f"uint{bits}"] for bits in (8, 16, 32, 64)])
    bins = _bins(call, bins)
    to = _output(call, "out", out, x.shape, x.type, x)
    sorted_numbers = _output(call, "numbers", None, x.shape, numbers.type, x)
    offsets = _output(call, "offsets", None, (bins + 1,), _U64, x)
    with _Running(call, x) as how:
        _kogge.split(
            numbers.address, numbers.type, x.address, x.type, sorted_numbers.address, to.address, offsets.address, x.size, bins, how
        )
    return _given(to, x), _given(offsets, x)


# ---- runs ------------------------------------------------------------------------------------------------------------


def run_length_encode(x, *, out=None):
    """The first item of each run of equal neighbours, and the runs' int64 lengths. Waits for their number. ``out`` is a
    pair of arrays as long as x; the results are their first items.

    >>> kogge.run_length_encode(np.array([7, 7, 5, 7]))
    (array([7, 5, 7]), array([2, 1, 1]))
    """
    call = "run_length_encode"
    x = _one_dimension(call, "x", view(call, "x", x))
    firsts_out, lengths_out = _pair(call, out)
    firsts = _output(call, "out[0]", firsts_out, x.shape, x.type, x)
    lengths = _output(call, "out[1]", lengths_out, x.shape, _I64, x)
    with _Running(call, x) as how:
        runs = _kogge.run_length_encode(x.address, x.type, firsts.address, lengths.address, _I64, x.size, how)
    return _given(firsts, x, runs), _given(lengths, x, runs)


def unique_consecutive(x, *, out=None):
    """The first item of each run of equal neighbours. Waits for their number. ``out`` is as long as x; the result is its
    first part.

    >>> kogge.unique_consecutive(np.array([7, 7, 5, 7]))
    array([7, 5, 7])
    """
    call = "unique_consecutive"
    x = _one_dimension(call, "x", view(call, "x", x))
    to = _output(call, "out", out, x.shape, x.type, x)
    with _Running(call, x) as how:
        runs = _kogge.unique(x.address, x.type, to.address, x.size, how)
    return _given(to, x, runs)


def unique(x, *, return_inverse=False, return_counts=False, out=None):
    """The different items in ascending order, as NumPy's; each NaN is different from all others.

    With ``return_inverse`` also the place of each item among them, with ``return_counts`` how often each occurs: int64.
    ``out``: an array as long as x for the items, or a tuple of as many such arrays as there are results, which are their
    first parts.

    >>> kogge.unique(np.array([5, 3, 5]), return_inverse=True, return_counts=True)
    (array([3, 5]), array([1, 0, 1]), array([1, 2]))
    """
    given = _one_dimension("unique", "x", view("unique", "x", x))
    types = [given.type] + [_I64] * (bool(return_inverse) + bool(return_counts))
    outs = [None] * len(types)
    if out is not None:
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(outs) != len(types):
            raise TypeError(f"kogge.unique: out has {len(outs)} arrays, where there are {len(types)} results")
        views = [
            _output("unique", f"out[{i}]" if len(outs) > 1 else "out", array, given.shape, type_, given)
            for i, (array, type_) in enumerate(zip(outs, types))
        ]
        _check_apart("unique", views)
        outs = [each.array for each in views]
    if not return_inverse:
        ordered = sort(x, nans="last", zeros="equal")
        return run_length_encode(ordered, out=None if out is None else outs) if return_counts else unique_consecutive(ordered, out=outs[0])
    order = argsort(x, nans="last", zeros="equal")
    if out is not None and not return_counts:
        outs.append(_output("unique", "counts", None, given.shape, _I64, given).array)
    items, counts = run_length_encode(_taken(x, order), out=None if out is None else (outs[0], outs[2]))
    inverse = _inverse(order, counts, given, outs[1])
    return (items, inverse, counts) if return_counts else (items, inverse)


def _check_apart(call, outputs):
    """Outputs, views named out[0] and so on, share no bytes."""
    ends = [each.address + each.size * ITEM_BYTES[each.type] for each in outputs]
    for b, second in enumerate(outputs):
        for a, first in enumerate(outputs[:b]):
            if first.address < ends[b] and second.address < ends[a]:
                raise ValueError(f"kogge.{call}: out[{a}] and out[{b}] overlap; they must be apart")


def _taken(x, order):
    """x[order]."""
    root = type(x).__module__.split(".", 1)[0]
    if root == "torch":
        from ._tensors import taken

        return taken(x, order)
    if root == "cupy":
        with x.device:
            return x[order]
    return x[order]


def _inverse(order, counts, x, out):
    """inverse[order[i]] is the number of the run that holds i; it is in `out`, unless that is None."""
    if x.kind is NUMPY:
        inverse = np.empty(len(order), np.int64) if out is None else out
        inverse[order] = np.repeat(np.arange(len(counts)), counts)
        return inverse
    root = type(x.array).__module__.split(".", 1)[0]
    if root == "torch":
        import torch

        numbers = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts, output_size=len(order))
        return (torch.empty_like(order) if out is None else out).index_copy_(0, order, numbers)
    if root == "cupy":
        import cupy

        with x.array.device:
            numbers = cupy.zeros(len(order), cupy.int64)
            if len(counts) > 1:
                numbers[cupy.cumsum(counts)[:-1]] = 1
            inverse = cupy.empty(len(order), cupy.int64) if out is None else out
            inverse[order] = cupy.cumsum(numbers)
        return inverse
    if root in ("jax", "jaxlib"):
        import jax.numpy as jnp

        numbers = jnp.repeat(jnp.arange(len(counts)), counts, total_repeat_length=len(order))
        return jnp.zeros_like(order).at[order].set(numbers)
    raise TypeError("kogge.unique: return_inverse is for arrays of NumPy, PyTorch, CuPy and JAX")


# ---- scans -----------------------------------------------------------------------------------------------------------

_SUM_OF = {
    "bool": "int64", "int8": "int64", "int16": "int64", "int32": "int64", "int64": "int64",
    "uint8": "uint64", "uint16": "uint64", "uint32": "uint64", "uint64": "uint64",
    "float16": "float32", "bfloat16": "float32", "float32": "float32", "float64": "float64",
}


def _sums_output(call, name, out, shape, x, op, dtype):
    """A view of results of the values x: of a dtype that is asked for, that `out` has, or that NumPy's sums have."""
    if out is not None:
        out = view(call, name, out)
    if dtype is not None:
        result = type_number(call, dtype)
    elif out is not None:
        result = out.type
    else:
        result = TYPES[_SUM_OF[x.name]] if op == 0 else x.type
    return _output(call, name, out, shape, result, x)


def cumsum(x, axis=None, *, dtype=None, out=None):
    """Prefix sums, in the dtype that NumPy's have: 64 bits of integers; float32 of float16 and bfloat16. As NumPy's they are
    of all items as one row, or with ``axis=-1`` of each row along the last dimension.

    >>> kogge.cumsum(np.array([1, 2, 3]))
    array([1, 3, 6])
    >>> kogge.cumsum(np.array([[1, 2], [3, 4]]), axis=-1)
    array([[1, 3],
           [3, 7]])
    """
    return _scan("cumsum", x, axis, dtype=dtype, out=out)


def scan(x, op="plus", *, axis=-1, exclusive=False, reverse=False, init=None, keys=None, offsets=None, dtype=None, out=None):
    """Prefix sums, maxima or minima along the last dimension: ``op`` is ``"plus"``, ``"maximum"`` or ``"minimum"``.

    ``exclusive``: a result holds the items before its own, and ``init``. ``keys``: each run of equal neighbouring keys on
    its own. ``offsets``: each segment on its own, as in ``segmented_sort``. ``reverse``: from the end. With keys or offsets,
    and of rows, scans are not reverse, and only exclusive ones have an ``init``. ``out`` may be ``x``, if their dtypes have
    one size, but for exclusive scans by key, of segments and of rows. There are no maxima and minima of float16 and bfloat16.

    >>> kogge.scan(np.array([3, 1, 4]), "maximum")
    array([3, 3, 4])
    >>> kogge.scan(np.array([1, 1, 1, 1]), keys=np.array([0, 0, 5, 5]), exclusive=True, init=10)
    array([10, 11, 10, 11])
    """
    return _scan("scan", x, axis, op, exclusive, reverse, init, keys, offsets, dtype, out)


def _scan(call, x, axis, op="plus", exclusive=False, reverse=False, init=None, keys=None, offsets=None, dtype=None, out=None):
    x = _along(call, x, axis)
    are_rows = len(x.shape) > 1
    by = _choice(call, "op", _OPERATORS, op)
    if keys is not None and offsets is not None:
        raise ValueError(f"kogge.{call}: give keys or offsets, not both")
    if are_rows and (keys is not None or offsets is not None):
        raise ValueError(f"kogge.{call}: keys and offsets are for one dimension, and x has {len(x.shape)}; axis=None takes them as one")
    if are_rows or keys is not None or offsets is not None:
        if reverse:
            raise ValueError(f"kogge.{call}: reverse is for one dimension, without keys and offsets")
        if init is not None and not exclusive:
            raise ValueError(f"kogge.{call}: with keys, offsets or rows init is for exclusive scans")
    heads = None if keys is None else _beside(call, "keys", keys, x, x.size)
    starts = None if offsets is None else _offsets(call, offsets, x)
    if are_rows and x.size:
        starts = x.kind.row_offsets(x)
    to = _sums_output(call, "out", out, x.shape, x, by, dtype)
    first = b"" if init is None else _item(call, "init", init, to.type)
    if x.size == 0:
        return _given(to, x)
    with _Running(call, x) as how:
        _kogge.scan(
            heads.address if heads else 0, heads.type if heads else NONE, starts.address if starts else 0,
            starts.size if starts else 0, x.address, x.type, to.address, to.type, x.size, by, bool(exclusive), bool(reverse),
            first, how,
        )
    return _given(to, x)


# ---- reductions ------------------------------------------------------------------------------------------------------


def _single(to, x):
    """A result without dimensions: of NumPy's arrays a scalar, as NumPy's functions give."""
    result = _given(to, x)
    return result[()] if to.made and isinstance(result, np.ndarray) else result


def reduce(x, op="plus", *, axis=-1, init=None, dtype=None, out=None):
    """Sums, maxima or minima along the last dimension, in the dtype that ``cumsum`` has. Does not wait.

    ``init`` precedes the items. Without items and ``init``: 0, or the least or greatest number of the dtype. A NaN wins in
    maxima and minima, of which there are none of float16 and bfloat16.

    >>> int(kogge.reduce(np.array([3, 1, 4]), "maximum"))
    4
    >>> kogge.reduce(np.array([[1, 2], [3, 4]]), init=10)
    array([13, 17])
    """
    call = "reduce"
    x = _along(call, x, axis)
    by = _choice(call, "op", _OPERATORS, op)
    to = _sums_output(call, "out", out, x.shape[:-1], x, by, dtype)
    first = b"" if init is None else _item(call, "init", init, to.type)
    with _Running(call, x) as how:
        if len(x.shape) == 1:
            _kogge.reduce(x.address, x.type, to.address, to.type, x.size, by, first, how)
        else:
            rows = math.prod(x.shape[:-1])
            _kogge.segmented_reduce(x.address, x.type, 0, to.address, to.type, x.size, rows, by, first, how)
    return _single(to, x)


def segmented_reduce(x, offsets, op="plus", *, init=None, dtype=None, out=None):
    """``reduce`` of each segment. Offsets as in ``segmented_topk``.

    >>> kogge.segmented_reduce(np.array([3, 1, 9, 8, 7]), np.array([0, 2, 2]))
    array([ 4,  0, 24])
    """
    call = "segmented_reduce"
    x = _one_dimension(call, "x", view(call, "x", x))
    starts = _offsets(call, offsets, x)
    by = _choice(call, "op", _OPERATORS, op)
    to = _sums_output(call, "out", out, starts.shape, x, by, dtype)
    first = b"" if init is None else _item(call, "init", init, to.type)
    if starts.size:
        with _Running(call, x) as how:
            _kogge.segmented_reduce(
                x.address, x.type, starts.address, to.address, to.type, x.size, starts.size, by, first, how
            )
    return _given(to, x)


def reduce_by_key(keys, values, op="plus", *, dtype=None, out=None):
    """The first key of each run of equal neighbouring keys, and ``reduce`` of the values beside them. Waits for their
    number. ``out`` is a pair of arrays as long as keys; the results are their first items.

    >>> kogge.reduce_by_key(np.array([7, 7, 5, 7]), np.array([1, 2, 3, 4]))
    (array([7, 5, 7]), array([3, 3, 4]))
    """
    call = "reduce_by_key"
    keys = _one_dimension(call, "keys", view(call, "keys", keys))
    values = _beside(call, "values", values, keys, keys.size)
    by = _choice(call, "op", _OPERATORS, op)
    keys_out, sums_out = _pair(call, out)
    firsts = _output(call, "out[0]", keys_out, keys.shape, keys.type, keys)
    sums = _sums_output(call, "out[1]", sums_out, keys.shape, values, by, dtype)
    with _Running(call, keys) as how:
        runs = _kogge.reduce_by_key(
            keys.address, keys.type, values.address, values.type, firsts.address, sums.address, sums.type, keys.size, by, how
        )
    return _given(firsts, keys, runs), _given(sums, keys, runs)


def argmin(x, *, out=None):
    """The index of the first least item of a one-dimensional array: int64. A NaN counts as less than every number.
    Not of float16 and bfloat16.

    >>> int(kogge.argmin(np.array([3, 1, 4, 1])))
    1
    """
    return _extreme("argmin", _kogge.arg_min, x, out)


def argmax(x, *, out=None):
    """The index of the first greatest item of a one-dimensional array: int64. A NaN counts as greater than every number.
    Not of float16 and bfloat16.

    >>> int(kogge.argmax(np.array([3., np.nan, 4.])))
    1
    """
    return _extreme("argmax", _kogge.arg_max, x, out)


def _extreme(call, run, x, out):
    x = _one_dimension(call, "x", view(call, "x", x))
    if x.size == 0:
        raise ValueError(f"kogge.{call}: x has no items")
    to = _output(call, "out", out, (), _I64, x)
    with _Running(call, x) as how:
        run(x.address, x.type, to.address, x.size, how)
    return _single(to, x)


# ---- plans -----------------------------------------------------------------------------------------------------------


class Plan(NamedTuple):
    """What a call will do on a device."""

    text: str
    scratch_bytes: int
    launches: int


def known_devices():
    """The names of cards whose plans can be made without them."""
    names = []
    while (name := _kogge.known_device(len(names))) is not None:
        names.append(name)
    return names


def plan(call, n, dtype, *, device="", k=None, values=None, in_place=False, descending=False, nans="by_sign",
         zeros="negative_first", scratch_limit=0):
    """What a call on ``n`` items will do: of ``"sort"``, ``"sort_pairs"`` (with the dtype of ``values``), ``"argsort"``,
    ``"topk"``, ``"argtopk"``, ``"compact"``, ``"partition"`` or ``"cumsum"``.

    ``device`` is the name of a card or an architecture, which need not be there; ``""``: the current device.

    >>> kogge.plan("sort", 2**28, "float32", in_place=True, device="H100").scratch_bytes < 1.2 * 4 * 2**28
    True
    """
    name = f"plan({call!r})"
    type_ = type_number(name, dtype)
    if not isinstance(device, str):
        raise TypeError(f"kogge.{name}: device is a {type(device).__name__}, where it must be a name")
    if values is not None and call != "sort_pairs":
        raise TypeError(f"kogge.{name}: values is for 'sort_pairs'")
    options = _options(name, call in ("topk", "argtopk") or descending, nans, zeros)
    how = _kogge.Exec()
    how.scratch_limit = _count(name, "scratch_limit", scratch_limit)
    n = _count(name, "n", n)
    if call == "sort_pairs" and values is None:
        raise TypeError(f"kogge.{name}: values is not given")
    if call in ("sort", "sort_pairs"):
        value = NONE if values is None else type_number(name, values)
        return Plan(*_kogge.plan_radix_sort(type_, value, in_place, n, options, how, device))
    if call == "argsort":
        return Plan(*_kogge.plan_argsort(type_, _I64, n, options, how, device))
    if call in ("topk", "argtopk"):
        if k is None:
            raise TypeError(f"kogge.{name}: k is not given")
        index = _I64 if call == "argtopk" else NONE
        return Plan(*_kogge.plan_top_k(type_, call == "topk", index, n, _count(name, "k", k, n), options, how, device))
    if call in ("compact", "partition"):
        return Plan(*_kogge.plan_compact(type_, call == "partition", n, device))
    if call == "cumsum":
        return Plan(*_kogge.plan_scan(type_, TYPES[_SUM_OF[NAMES[type_]]], n, device))
    raise ValueError(f"kogge.plan: no plans of {call!r} are made")


def scratch_bytes(call, n, dtype, **options):
    """The bytes of scratch that a call takes on a device: ``plan(…).scratch_bytes``.

    >>> kogge.scratch_bytes("topk", 2**28, "float32", k=40, device="sm_90") < 2**25
    True
    """
    return plan(call, n, dtype, **options).scratch_bytes
