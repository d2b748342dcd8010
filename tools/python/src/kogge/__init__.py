"""kogge: sorts, top-k, compactions, runs, scans and reductions of arrays, on CUDA GPUs and on host threads.

Arrays are NumPy's, PyTorch's, CuPy's, JAX's, or anything with ``__dlpack__`` or ``__cuda_array_interface__``. The data
decide where a call runs; results are of the caller's kind, where the data is. On a GPU calls go to the caller's current
stream, with scratch from the caller's allocator.

>>> import numpy as np, kogge
>>> kogge.sort(np.array([3, 1, 2]))
array([1, 2, 3])

Shared by all functions

* Arrays are contiguous; others are refused (``ValueError``), not copied. So are lists, scalars, buffers and masked arrays
  (``TypeError``); results of subclasses of NumPy's arrays are plain arrays.
* dtypes: bool, all integers to 64 bits, float16, bfloat16 (PyTorch's, and NumPy's by ml_dtypes), float32 and float64.
* ``axis``, where a function has it: -1, the last dimension, or ``None``, all items as one row, which makes the result
  one-dimensional. Other dimensions are refused (``ValueError``): pass a contiguous transpose.
* ``out``: an array for the result, of its shape, dtype and place. It may be the input where a function says so.
* Sorts are stable in both orders. ``nans="by_sign"`` puts NaNs with a sign before everything and others after it;
  ``nans="last"`` all of them last, in both orders, as NumPy does; ``nans="greatest"`` after +∞, so first in descending
  order. ``zeros="equal"`` makes −0 and 0 equal keys.
* Errors: ``TypeError`` for arrays and dtypes, ``ValueError`` for what is wrong with them, ``MemoryError`` for scratch, or what the
  caller's allocator raises, ``NotImplementedError`` where the library has no code for a dtype on a device, ``RuntimeError`` from the device.
"""

from ._calls import (
    Column,
    Plan,
    argmax,
    argmin,
    argsort,
    argsort_columns,
    argtopk,
    column,
    compact,
    compact_indices,
    cumsum,
    flatnonzero,
    histogram,
    known_devices,
    merge,
    merge_pairs,
    nonzero,
    partition,
    partition_flags,
    plan,
    quantiles,
    reduce,
    reduce_by_key,
    run_length_encode,
    scan,
    scratch_bytes,
    searchsorted,
    segmented_argsort,
    segmented_reduce,
    segmented_sort,
    segmented_topk,
    select,
    set_num_threads,
    sort,
    sort_columns,
    sort_columns_pairs,
    sort_pairs,
    split,
    topk,
    trim,
    unique,
    unique_consecutive,
)
from ._kogge import device_count, runtime, version

__version__ = version()
__all__ = [
    "Column", "Plan", "argmax", "argmin", "argsort", "argsort_columns", "argtopk", "column", "compact",
    "compact_indices", "cumsum", "device_count", "flatnonzero", "histogram", "known_devices", "merge", "merge_pairs",
    "nonzero", "partition", "partition_flags", "plan", "quantiles", "reduce", "reduce_by_key", "run_length_encode",
    "runtime", "scan", "scratch_bytes", "searchsorted", "segmented_argsort", "segmented_reduce", "segmented_sort",
    "segmented_topk", "select", "set_num_threads", "sort", "sort_columns", "sort_columns_pairs", "sort_pairs", "split",
    "topk", "trim", "unique", "unique_consecutive", "version",
]
