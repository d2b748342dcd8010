"""kogge's functions as PyTorch's operators: for ``torch.compile`` without graph breaks, and with gradients.

The functions have the names, arguments and results of those of ``kogge``, for tensors alone. Each is an operator of
``torch.ops.kogge`` with a fake kernel, which works in the current stream with scratch from PyTorch's caching allocator.
Importing this module also makes ``torch.compile`` use them where a compiled function calls ``kogge.sort`` and the like.

>>> import torch, kogge.torch
>>> @torch.compile(fullgraph=True, backend="aot_eager")
... def middle(x):
...     return kogge.torch.sort(x * 2)[x.shape[0] // 2]
>>> middle(torch.tensor([3., 1., 2.]))
tensor(4.)

Shared by all of them

* Tensors are contiguous, as everywhere in kogge; others are refused when a function is traced.
* Gradients: of ``sort``, ``sort_pairs``, ``topk``, ``segmented_sort``, ``compact``, and of sums by ``cumsum``, ``scan``
  (not by key or of segments) and ``reduce``. Others have none, and say so in ``backward()``. A sort keeps its input,
  not the order of its items, for the gradient: ``backward()`` takes one ``argsort``.
* ``out``: as in ``kogge``, of calls that give one tensor of a size known in advance. Such calls have no gradient, and
  refuse tensors that require one.
* Results whose size depends on the data (``compact``, ``flatnonzero``, ``unique``, ``run_length_encode``,
  ``reduce_by_key``) have a symbolic size of their own in a graph.
"""

from __future__ import annotations

import torch
from torch.library import custom_op, get_ctx

from . import _calls
from ._calls import _SUM_OF
from ._tensors import signed, taken

__all__ = [
    "argmax", "argmin", "argsort", "argtopk", "compact", "compact_indices", "cumsum", "flatnonzero", "histogram", "merge",
    "merge_pairs", "nonzero", "partition", "partition_flags", "quantiles", "reduce", "reduce_by_key", "run_length_encode",
    "scan", "searchsorted", "segmented_argsort", "segmented_reduce", "segmented_sort", "segmented_topk", "select", "sort",
    "sort_pairs", "split", "topk", "unique", "unique_consecutive",
]

# ---- operators -------------------------------------------------------------------------------------------------------

# Without defaults: PyTorch would leave out arguments that are equal to them.
_ORDER = "bool descending, str nans, str zeros"
_FIRST = "bool largest, str nans, str zeros"


def _define(name, parameters, results, run, fake, out=False):
    """The operator kogge::name, and with `out` also kogge::name_out, which writes to its last argument."""
    made = custom_op(f"kogge::{name}", run, mutates_args=(), schema=f"({parameters}) -> {results}")
    made.register_fake(fake)
    if out:
        def run_out(*given):
            run(*given[:-1], out=given[-1])

        def fake_out(*given):
            result, to = fake(*given[:-1]), given[-1]
            _contiguous(name, out=to)
            if to.dtype != result.dtype:
                raise TypeError(f"kogge.{name}: out is of dtype {to.dtype}, where the result is {result.dtype}")
            if to.dim() != result.dim():
                raise ValueError(f"kogge.{name}: out has {to.dim()} dimensions, where the result has {result.dim()}")
            for given_extent, extent in zip(to.shape, result.shape):
                torch._check(given_extent == extent, lambda: f"kogge.{name}: out has not the shape of the result")

        writes = custom_op(
            f"kogge::{name}_out", run_out, mutates_args=("out",), schema=f"({parameters}, Tensor(a!) out) -> ()"
        )
        writes.register_fake(fake_out)
    return made


def _contiguous(call, **tensors):
    for name, tensor in tensors.items():
        if tensor is not None and not tensor.is_contiguous():
            raise ValueError(
                f"kogge.{call}: {name} is not contiguous (row by row); kogge makes no copies behind your back: pass a contiguous one"
            )


def _vector(call, **tensors):
    _contiguous(call, **tensors)
    for name, tensor in tensors.items():
        if tensor is not None and tensor.dim() != 1:
            raise ValueError(f"kogge.{call}: {name} has {tensor.dim()} dimensions, where it must have one")


def _array(call, x):
    _contiguous(call, x=x)
    if x.dim() == 0:
        raise ValueError(f"kogge.{call}: x has no dimension")


def _first(call, x, k):
    _array(call, x)
    torch._check(k >= 0, lambda: f"kogge.{call}: k is negative")
    torch._check(k <= x.shape[-1], lambda: f"kogge.{call}: k is greater than the number of items")
    return (*x.shape[:-1], k)


def _sum_dtype(x, op, dtype):
    if dtype is not None:
        return dtype
    return getattr(torch, _SUM_OF[str(x.dtype).rsplit(".", 1)[-1]]) if op == "plus" else x.dtype


def _unknown_size(x):
    """The size of a result of x's items that the data decide."""
    size = get_ctx().new_dynamic_size()
    torch._check(size <= x.shape[0])
    return size


def _sorted(call):
    def run(x, descending, nans, zeros, out=None):
        return call(x, descending=descending, nans=nans, zeros=zeros, out=out)

    return run


def _fake_sort(x, descending, nans, zeros):
    _array("sort", x)
    return torch.empty_like(x)


def _fake_argsort(x, dtype, descending, nans, zeros):
    _array("argsort", x)
    return x.new_empty(x.shape, dtype=dtype)


def _run_argsort(x, dtype, descending, nans, zeros, out=None):
    return _calls.argsort(x, dtype=dtype, descending=descending, nans=nans, zeros=zeros, out=out)


_sort = _define("sort", f"Tensor x, {_ORDER}", "Tensor", _sorted(_calls.sort), _fake_sort, out=True)
_argsort = _define("argsort", f"Tensor x, ScalarType dtype, {_ORDER}", "Tensor", _run_argsort, _fake_argsort, out=True)


def _fake_sort_pairs(keys, values, descending, nans, zeros):
    _vector("sort_pairs", keys=keys, values=values)
    torch._check(keys.shape[0] == values.shape[0], lambda: "kogge.sort_pairs: keys and values are of different sizes")
    return torch.empty_like(keys), torch.empty_like(values)


_sort_pairs = _define(
    "sort_pairs", f"Tensor keys, Tensor values, {_ORDER}", "(Tensor, Tensor)",
    lambda keys, values, descending, nans, zeros: _calls.sort_pairs(keys, values, descending=descending, nans=nans, zeros=zeros),
    _fake_sort_pairs,
)


def _segmented(call):
    def run(x, offsets, descending, nans, zeros, out=None):
        return call(x, offsets, descending=descending, nans=nans, zeros=zeros, out=out)

    return run


def _fake_segmented_sort(x, offsets, descending, nans, zeros):
    _vector("segmented_sort", x=x, offsets=offsets)
    return torch.empty_like(x)


def _fake_segmented_argsort(x, offsets, descending, nans, zeros):
    _vector("segmented_argsort", x=x, offsets=offsets)
    return torch.empty_like(x, dtype=torch.int64)


_segments = f"Tensor x, Tensor offsets, {_ORDER}"
_segmented_sort = _define(
    "segmented_sort", _segments, "Tensor", _segmented(_calls.segmented_sort), _fake_segmented_sort, out=True
)
_segmented_argsort = _define(
    "segmented_argsort", _segments, "Tensor", _segmented(_calls.segmented_argsort), _fake_segmented_argsort, out=True
)


def _run_topk(x, k, largest, nans, zeros, out=None):
    return _calls.topk(x, k, largest=largest, nans=nans, zeros=zeros, out=out)


def _run_topk_pairs(x, k, largest, nans, zeros):
    return _calls.topk(x, k, largest=largest, nans=nans, zeros=zeros, return_indices=True)


def _run_argtopk(x, k, largest, nans, zeros, out=None):
    return _calls.argtopk(x, k, largest=largest, nans=nans, zeros=zeros, out=out)


def _fake_topk(x, k, largest, nans, zeros):
    return x.new_empty(_first("topk", x, k))


def _fake_topk_pairs(x, k, largest, nans, zeros):
    shape = _first("topk", x, k)
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)


def _fake_argtopk(x, k, largest, nans, zeros):
    return x.new_empty(_first("argtopk", x, k), dtype=torch.int64)


_topk = _define("topk", f"Tensor x, SymInt k, {_FIRST}", "Tensor", _run_topk, _fake_topk, out=True)
_topk_pairs = _define("topk_pairs", f"Tensor x, SymInt k, {_FIRST}", "(Tensor, Tensor)", _run_topk_pairs, _fake_topk_pairs)
_argtopk = _define("argtopk", f"Tensor x, SymInt k, {_FIRST}", "Tensor", _run_argtopk, _fake_argtopk, out=True)


def _run_segmented_topk(x, offsets, k, largest, nans, zeros):
    return _calls.segmented_topk(x, offsets, k, largest=largest, nans=nans, zeros=zeros, return_indices=True)


def _fake_segmented_topk(x, offsets, k, largest, nans, zeros):
    _vector("segmented_topk", x=x, offsets=offsets)
    shape = (offsets.shape[0], k)
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)


_segmented_topk = _define(
    "segmented_topk", f"Tensor x, Tensor offsets, SymInt k, {_FIRST}", "(Tensor, Tensor)", _run_segmented_topk,
    _fake_segmented_topk,
)


def _run_select(x, rank, descending, nans, zeros, out=None):
    return _calls.select(x, rank, descending=descending, nans=nans, zeros=zeros, out=out)


def _fake_select(x, rank, descending, nans, zeros):
    _array("select", x)
    torch._check(rank >= 0, lambda: "kogge.select: rank is negative")
    torch._check(rank < x.shape[-1], lambda: "kogge.select: rank is not less than the number of items")
    return x.new_empty(x.shape[:-1])


def _run_quantiles(x, ranks, descending, nans, zeros, out=None):
    return _calls.quantiles(x, ranks, descending=descending, nans=nans, zeros=zeros, out=out)


def _fake_quantiles(x, ranks, descending, nans, zeros):
    _vector("quantiles", x=x, ranks=ranks)
    return x.new_empty(ranks.shape)


_select = _define("select", f"Tensor x, SymInt rank, {_ORDER}", "Tensor", _run_select, _fake_select, out=True)
_quantiles = _define("quantiles", f"Tensor x, Tensor ranks, {_ORDER}", "Tensor", _run_quantiles, _fake_quantiles, out=True)


def _fake_searchsorted(a, v, side):
    _vector("searchsorted", a=a, v=v)
    return torch.empty_like(v, dtype=torch.int64)


def _fake_merge(a, b):
    _vector("merge", a=a, b=b)
    return a.new_empty(a.shape[0] + b.shape[0])


def _fake_merge_pairs(a, values_a, b, values_b):
    _vector("merge_pairs", a=a, values_a=values_a, b=b, values_b=values_b)
    size = a.shape[0] + b.shape[0]
    return a.new_empty(size), values_a.new_empty(size)


_searchsorted = _define(
    "searchsorted", "Tensor a, Tensor v, str side", "Tensor",
    lambda a, v, side, out=None: _calls.searchsorted(a, v, side, out=out), _fake_searchsorted, out=True,
)
_merge = _define("merge", "Tensor a, Tensor b", "Tensor", lambda a, b, out=None: _calls.merge(a, b, out=out), _fake_merge, out=True)
_merge_pairs = _define(
    "merge_pairs", "Tensor a, Tensor values_a, Tensor b, Tensor values_b", "(Tensor, Tensor)", _calls.merge_pairs, _fake_merge_pairs
)


def _run_histogram(x, bins, lower, upper, weights, out=None):
    return _calls.histogram(x, bins, (lower, upper), weights=weights, out=out)


def _fake_histogram(x, bins, lower, upper, weights):
    _array("histogram", x)
    _contiguous("histogram", weights=weights)
    torch._check(bins > 0, lambda: "kogge.histogram: bins is not positive")
    return x.new_empty((*x.shape[:-1], bins), dtype=torch.int64)


def _run_histogram_bounds(x, bounds, weights, out=None):
    return _calls.histogram(x, bounds, weights=weights, out=out)


def _fake_histogram_bounds(x, bounds, weights):
    _array("histogram", x)
    _contiguous("histogram", weights=weights)
    _vector("histogram", bins=bounds)
    return x.new_empty((*x.shape[:-1], bounds.shape[0] - 1), dtype=torch.int64)


_histogram = _define(
    "histogram", "Tensor x, SymInt bins, Scalar lower, Scalar upper, Tensor? weights", "Tensor", _run_histogram,
    _fake_histogram, out=True,
)
_histogram_bounds = _define(
    "histogram_bounds", "Tensor x, Tensor bounds, Tensor? weights", "Tensor", _run_histogram_bounds, _fake_histogram_bounds,
    out=True,
)


def _run_scan(x, op, exclusive, reverse, init, keys, offsets, dtype, out=None):
    return _calls.scan(
        x, op, exclusive=exclusive, reverse=reverse, init=init, keys=keys, offsets=offsets, dtype=dtype, out=out
    )


def _fake_scan(x, op, exclusive, reverse, init, keys, offsets, dtype):
    _array("scan", x)
    _vector("scan", keys=keys, offsets=offsets)
    return torch.empty_like(x, dtype=_sum_dtype(x, op, dtype))


def _run_reduce(x, op, init, dtype, out=None):
    return _calls.reduce(x, op, init=init, dtype=dtype, out=out)


def _fake_reduce(x, op, init, dtype):
    _array("reduce", x)
    return x.new_empty(x.shape[:-1], dtype=_sum_dtype(x, op, dtype))


def _run_segmented_reduce(x, offsets, op, init, dtype, out=None):
    return _calls.segmented_reduce(x, offsets, op, init=init, dtype=dtype, out=out)


def _fake_segmented_reduce(x, offsets, op, init, dtype):
    _vector("segmented_reduce", x=x, offsets=offsets)
    return x.new_empty(offsets.shape, dtype=_sum_dtype(x, op, dtype))


def _fake_extreme(x):
    _vector("argmin", x=x)
    return x.new_empty((), dtype=torch.int64)


_scan = _define(
    "scan", "Tensor x, str op, bool exclusive, bool reverse, Scalar? init, Tensor? keys, Tensor? offsets, ScalarType? dtype",
    "Tensor", _run_scan, _fake_scan, out=True,
)
_reduce = _define("reduce", "Tensor x, str op, Scalar? init, ScalarType? dtype", "Tensor", _run_reduce, _fake_reduce, out=True)
_segmented_reduce = _define(
    "segmented_reduce", "Tensor x, Tensor offsets, str op, Scalar? init, ScalarType? dtype", "Tensor", _run_segmented_reduce,
    _fake_segmented_reduce, out=True,
)
_argmin = _define("argmin", "Tensor x", "Tensor", lambda x, out=None: _calls.argmin(x, out=out), _fake_extreme, out=True)
_argmax = _define("argmax", "Tensor x", "Tensor", lambda x, out=None: _calls.argmax(x, out=out), _fake_extreme, out=True)


def _fake_compact(x, mask):
    _vector("compact", x=x, mask=mask)
    return x.new_empty(_unknown_size(x))


def _fake_flatnonzero(x):
    _vector("flatnonzero", x=x)
    return x.new_empty(_unknown_size(x), dtype=torch.int64)


def _fake_unique_consecutive(x):
    _vector("unique_consecutive", x=x)
    return x.new_empty(_unknown_size(x))


def _fake_run_length_encode(x):
    _vector("run_length_encode", x=x)
    runs = _unknown_size(x)
    return x.new_empty(runs), x.new_empty(runs, dtype=torch.int64)


def _fake_reduce_by_key(keys, values, op, dtype):
    _vector("reduce_by_key", keys=keys, values=values)
    runs = _unknown_size(keys)
    return keys.new_empty(runs), values.new_empty(runs, dtype=_sum_dtype(values, op, dtype))


_compact = _define("compact", "Tensor x, Tensor mask", "Tensor", lambda x, mask: _calls.compact(x, mask), _fake_compact)
_flatnonzero = _define("flatnonzero", "Tensor x", "Tensor", lambda x: _calls.flatnonzero(x), _fake_flatnonzero)
_unique_consecutive = _define(
    "unique_consecutive", "Tensor x", "Tensor", lambda x: _calls.unique_consecutive(x), _fake_unique_consecutive
)
_run_length_encode = _define(
    "run_length_encode", "Tensor x", "(Tensor, Tensor)", lambda x: _calls.run_length_encode(x), _fake_run_length_encode
)
_reduce_by_key = _define(
    "reduce_by_key", "Tensor keys, Tensor values, str op, ScalarType? dtype", "(Tensor, Tensor)",
    lambda keys, values, op, dtype: _calls.reduce_by_key(keys, values, op, dtype=dtype), _fake_reduce_by_key,
)


def _with_boundary(result):
    """The boundary as a tensor on the host, whose item() is a symbolic number in a graph."""
    return result[0], torch.tensor(result[1], dtype=torch.int64)


def _fake_partition(x, relation, value):
    _vector("partition", x=x)
    return torch.empty_like(x), torch.empty((), dtype=torch.int64)


def _fake_partition_flags(x, mask):
    _vector("partition_flags", x=x, mask=mask)
    return torch.empty_like(x), torch.empty((), dtype=torch.int64)


def _fake_split(x, bin_numbers, bins):
    _vector("split", x=x, bin_numbers=bin_numbers)
    return torch.empty_like(x), x.new_empty(bins + 1, dtype=torch.uint64)


_partition = _define(
    "partition", "Tensor x, str relation, Scalar value", "(Tensor, Tensor)",
    lambda x, relation, value: _with_boundary(_calls.partition(x, relation, value)), _fake_partition,
)
_partition_flags = _define(
    "partition_flags", "Tensor x, Tensor mask", "(Tensor, Tensor)",
    lambda x, mask: _with_boundary(_calls.partition_flags(x, mask)), _fake_partition_flags,
)
_split = _define("split", "Tensor x, Tensor bin_numbers, SymInt bins", "(Tensor, Tensor)", _calls.split, _fake_split)

# ---- gradients -------------------------------------------------------------------------------------------------------


def _spread(gradient, indices, shape):
    """The gradient of items that were gathered by indices along the last dimension."""
    return gradient.new_zeros(shape).scatter(-1, indices, gradient)


def _keep_input(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.options = inputs[1:]


def _backward_sort(ctx, gradient):
    (x,) = ctx.saved_tensors
    return _spread(gradient, _argsort(x, torch.int64, *ctx.options), x.shape), None, None, None


def _keep_pairs(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])
    ctx.options = inputs[2:]
    ctx.set_materialize_grads(False)
    ctx.values_shape = inputs[1].shape


def _backward_sort_pairs(ctx, of_keys, of_values):
    (keys,) = ctx.saved_tensors
    order = _argsort(keys, torch.int64, *ctx.options)
    given = [None if each is None else _spread(each, order, keys.shape) for each in (of_keys, of_values)]
    return (*given, None, None, None)


def _keep_segments(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], inputs[1])
    ctx.options = inputs[2:]


def _backward_segmented_sort(ctx, gradient):
    x, offsets = ctx.saved_tensors
    return _spread(gradient, _segmented_argsort(x, offsets, *ctx.options), x.shape), None, None, None, None


def _backward_topk(ctx, gradient):
    (x,) = ctx.saved_tensors
    return _spread(gradient, _argtopk(x, *ctx.options), x.shape), None, None, None, None


def _keep_indices(ctx, inputs, output):
    ctx.save_for_backward(output[1])
    ctx.mark_non_differentiable(output[1])
    ctx.shape = inputs[0].shape


def _backward_topk_pairs(ctx, gradient, _):
    (indices,) = ctx.saved_tensors
    return _spread(gradient, indices, ctx.shape), None, None, None, None


def _keep_mask(ctx, inputs, output):
    ctx.save_for_backward(inputs[1])


def _backward_compact(ctx, gradient):
    (mask,) = ctx.saved_tensors
    return gradient.new_zeros(mask.shape).masked_scatter(mask != 0, gradient), None


def _keep_scan(ctx, inputs, output):
    x, ctx.op, ctx.exclusive, ctx.reverse, _, keys, offsets, _ = inputs
    ctx.grouped = keys is not None or offsets is not None
    ctx.dtype = x.dtype


def _backward_scan(ctx, gradient):
    if ctx.op != "plus" or ctx.grouped:
        raise NotImplementedError("kogge.scan: only sums of whole arrays have a gradient, not maxima, minima, sums by key or of segments")
    if not ctx.reverse:
        gradient = gradient.flip(-1)
    sums = _scan(gradient.contiguous(), "plus", ctx.exclusive, False, None, None, None, gradient.dtype)
    return ((sums if ctx.reverse else sums.flip(-1)).to(ctx.dtype), *[None] * 7)


def _keep_reduce(ctx, inputs, output):
    ctx.op, ctx.shape, ctx.dtype = inputs[1], inputs[0].shape, inputs[0].dtype


def _backward_reduce(ctx, gradient):
    if ctx.op != "plus":
        raise NotImplementedError("kogge.reduce: only sums have a gradient, not maxima and minima")
    return gradient.to(ctx.dtype).unsqueeze(-1).expand(ctx.shape), None, None, None


_sort.register_autograd(_backward_sort, setup_context=_keep_input)
_sort_pairs.register_autograd(_backward_sort_pairs, setup_context=_keep_pairs)
_segmented_sort.register_autograd(_backward_segmented_sort, setup_context=_keep_segments)
_topk.register_autograd(_backward_topk, setup_context=_keep_input)
_topk_pairs.register_autograd(_backward_topk_pairs, setup_context=_keep_indices)
_compact.register_autograd(_backward_compact, setup_context=_keep_mask)
_scan.register_autograd(_backward_scan, setup_context=_keep_scan)
_reduce.register_autograd(_backward_reduce, setup_context=_keep_reduce)

# ---- the functions ---------------------------------------------------------------------------------------------------


def _call(name, *given, out=None):
    """An operator, or the one that writes to `out`."""
    if out is None:
        return getattr(torch.ops.kogge, name)(*given)
    if torch.is_grad_enabled() and any(isinstance(each, torch.Tensor) and each.requires_grad for each in (*given, out)):
        raise RuntimeError(f"kogge.torch.{name}: what is written to out= has no gradient, but a tensor requires one")
    getattr(torch.ops.kogge, f"{name}_out")(*given, out)
    return out


def _along(call, x, axis):
    """The tensor along whose last dimension a call works."""
    if not _calls._is_flat(call, axis, x.dim()):
        return x
    _contiguous(call, x=x)
    return x.reshape(-1)


def sort(x, axis=-1, *, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """``kogge.sort``, of whole keys."""
    return _call("sort", _along("sort", x, axis), descending, nans, zeros, out=out)


def sort_pairs(keys, values, *, descending=False, nans="by_sign", zeros="negative_first"):
    """``kogge.sort_pairs``, of whole keys."""
    return _call("sort_pairs", keys, values, descending, nans, zeros)


def argsort(x, axis=-1, *, descending=False, nans="by_sign", zeros="negative_first", dtype=torch.int64, out=None):
    """``kogge.argsort``."""
    dtype = out.dtype if out is not None else dtype
    return _call("argsort", _along("argsort", x, axis), dtype, descending, nans, zeros, out=out)


def segmented_sort(x, offsets, *, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """``kogge.segmented_sort``."""
    return _call("segmented_sort", x, offsets, descending, nans, zeros, out=out)


def segmented_argsort(x, offsets, *, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """``kogge.segmented_argsort``."""
    return _call("segmented_argsort", x, offsets, descending, nans, zeros, out=out)


def topk(x, k, *, axis=-1, largest=True, nans="by_sign", zeros="negative_first", return_indices=False, out=None):
    """``kogge.topk``; ``out`` without ``return_indices``."""
    x = _along("topk", x, axis)
    if not return_indices:
        return _call("topk", x, k, largest, nans, zeros, out=out)
    if out is not None:
        raise TypeError("kogge.torch.topk: out is for calls without return_indices")
    return _call("topk_pairs", x, k, largest, nans, zeros)


def argtopk(x, k, *, axis=-1, largest=True, nans="by_sign", zeros="negative_first", out=None):
    """``kogge.argtopk``."""
    return _call("argtopk", _along("argtopk", x, axis), k, largest, nans, zeros, out=out)


def segmented_topk(x, offsets, k, *, largest=True, nans="by_sign", zeros="negative_first", return_indices=False):
    """``kogge.segmented_topk``."""
    items, indices = _call("segmented_topk", x, offsets, k, largest, nans, zeros)
    return (items, indices) if return_indices else items


def select(x, rank, *, axis=-1, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """``kogge.select``."""
    return _call("select", _along("select", x, axis), rank, descending, nans, zeros, out=out)


def quantiles(x, ranks, *, descending=False, nans="by_sign", zeros="negative_first", out=None):
    """``kogge.quantiles``."""
    return _call("quantiles", x, ranks, descending, nans, zeros, out=out)


def searchsorted(a, v, side="left", *, out=None):
    """``kogge.searchsorted``."""
    return _call("searchsorted", a, v, side, out=out)


def merge(a, b, *, out=None):
    """``kogge.merge``."""
    return _call("merge", a, b, out=out)


def merge_pairs(a, values_a, b, values_b):
    """``kogge.merge_pairs``."""
    return _call("merge_pairs", a, values_a, b, values_b)


def histogram(x, bins, range=None, *, weights=None, out=None):
    """``kogge.histogram``."""
    if isinstance(bins, torch.Tensor):
        if range is not None:
            raise ValueError("kogge.histogram: range is for a number of bins, not for bounds")
        return _call("histogram_bounds", x, bins, weights, out=out)
    if range is None or len(range) != 2:
        raise ValueError(f"kogge.histogram: range is {range!r}, where it must be a pair of numbers")
    return _call("histogram", x, bins, range[0], range[1], weights, out=out)


def compact(x, mask):
    """``kogge.compact``."""
    return _call("compact", x, mask)


def flatnonzero(x):
    """``kogge.flatnonzero``."""
    return _call("flatnonzero", x)


def nonzero(x):
    """``kogge.nonzero``."""
    return (flatnonzero(x),)


def compact_indices(mask):
    """``kogge.compact_indices``."""
    return flatnonzero(mask)


def partition(x, relation, value):
    """``kogge.partition``."""
    items, boundary = _call("partition", x, relation, value)
    return items, boundary.item()


def partition_flags(x, mask):
    """``kogge.partition_flags``."""
    items, boundary = _call("partition_flags", x, mask)
    return items, boundary.item()


def split(x, bin_numbers, bins):
    """``kogge.split``."""
    return _call("split", x, bin_numbers, bins)


def run_length_encode(x):
    """``kogge.run_length_encode``."""
    return _call("run_length_encode", x)


def unique_consecutive(x):
    """``kogge.unique_consecutive``."""
    return _call("unique_consecutive", x)


def unique(x, *, return_inverse=False, return_counts=False):
    """``kogge.unique``."""
    x = x.detach()
    if not return_inverse:
        ordered = sort(x, nans="last", zeros="equal")
        return run_length_encode(ordered) if return_counts else unique_consecutive(ordered)
    order = argsort(x, nans="last", zeros="equal")
    ordered = taken(x, order)
    items, counts = run_length_encode(ordered)
    begins = torch.zeros_like(order)
    bits = signed(ordered)
    begins[1:] = bits[1:] != bits[:-1]
    inverse = torch.empty_like(order).scatter(0, order, begins.cumsum(0))
    return (items, inverse, counts) if return_counts else (items, inverse)


def reduce_by_key(keys, values, op="plus", *, dtype=None):
    """``kogge.reduce_by_key``."""
    return _call("reduce_by_key", keys, values, op, dtype)


def cumsum(x, axis=None, *, dtype=None, out=None):
    """``kogge.cumsum``."""
    return scan(x, axis=axis, dtype=dtype, out=out)


def scan(x, op="plus", *, axis=-1, exclusive=False, reverse=False, init=None, keys=None, offsets=None, dtype=None, out=None):
    """``kogge.scan``."""
    dtype = out.dtype if out is not None and dtype is None else dtype
    return _call("scan", _along("scan", x, axis), op, exclusive, reverse, init, keys, offsets, dtype, out=out)


def reduce(x, op="plus", *, axis=-1, init=None, dtype=None, out=None):
    """``kogge.reduce``."""
    dtype = out.dtype if out is not None and dtype is None else dtype
    return _call("reduce", _along("reduce", x, axis), op, init, dtype, out=out)


def segmented_reduce(x, offsets, op="plus", *, init=None, dtype=None, out=None):
    """``kogge.segmented_reduce``."""
    dtype = out.dtype if out is not None and dtype is None else dtype
    return _call("segmented_reduce", x, offsets, op, init, dtype, out=out)


def argmin(x, *, out=None):
    """``kogge.argmin``."""
    return _call("argmin", x, out=out)


def argmax(x, *, out=None):
    """``kogge.argmax``."""
    return _call("argmax", x, out=out)

for _name in __all__:
    torch.compiler.substitute_in_graph(getattr(_calls, _name), skip_signature_check=True)(globals()[_name])
