"""Every function against NumPy, for every kind of arrays that is here."""

import numpy as np
import pytest

import kogge
from conftest import DTYPES, bitmap_of, numbers, order_of_rows

SIZES = [0, 1, 2, 100, 5001]


def on_device_or_skip(kind, call):
    """What the library has no device code for is refused there."""
    if kind.on_device:
        with pytest.raises(NotImplementedError):
            call()
        pytest.skip("no device code")
    return call()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_sort(kind, random, dtype, n):
    x = numbers(random, dtype, n)
    given = kind.make(x)
    np.testing.assert_array_equal(kind.back(kogge.sort(given)), np.sort(x))
    np.testing.assert_array_equal(kind.back(kogge.sort(given, descending=True)), np.sort(x)[::-1])
    np.testing.assert_array_equal(kind.back(given), x)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_argsort(kind, random, dtype, n):
    x = numbers(random, dtype, n)
    order = kind.back(kogge.argsort(kind.make(x), zeros="equal"))
    assert order.dtype == np.int64
    np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
    narrow = kogge.argsort(kind.make(x), zeros="equal", dtype="int32")
    np.testing.assert_array_equal(kind.back(narrow), np.argsort(x, kind="stable"))
    assert kind.back(narrow).dtype == np.int32


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float64", "float32", "int64"])
def test_sort_pairs(kind, random, dtype):
    keys, values = numbers(random, "int16", 3000), numbers(random, dtype, 3000)
    order = np.argsort(keys, kind="stable")
    sorted_keys, sorted_values = kogge.sort_pairs(kind.make(keys), kind.make(values))
    np.testing.assert_array_equal(kind.back(sorted_keys), keys[order])
    np.testing.assert_array_equal(kind.back(sorted_values), values[order])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_columns(kind, random, dtype, n):
    first, second, valid = numbers(random, "bool", n), numbers(random, dtype, n), random.integers(0, 3, n) > 0
    values = numbers(random, "float64", n)
    for descending, nulls, valid_from, word in ((False, "last", 0, np.uint8), (True, "first", 37, np.int32)):
        order = order_of_rows((first, not descending, None, None), (second, descending, valid, nulls))
        bitmap = bitmap_of(valid, valid_from).view(word)
        columns = [
            kogge.column(kind.make(first), descending=not descending),
            kogge.column(
                kind.make(second), descending=descending, zeros="equal", valid=kind.make(bitmap), valid_from=valid_from, nulls=nulls
            ),
        ]
        indices = kind.back(kogge.argsort_columns(columns))
        np.testing.assert_array_equal(indices, order)
        assert indices.dtype == np.int64
        assert kind.back(kogge.argsort_columns(columns, dtype="int32")).dtype == np.int32
        ordered = kogge.sort_columns(columns)
        moved = kogge.sort_columns_pairs(columns, kind.make(values))
        for x, sorted_, of_pairs in zip((first, second), ordered, moved[0]):
            np.testing.assert_array_equal(kind.back(sorted_), x[order])
            np.testing.assert_array_equal(kind.back(of_pairs), x[order])
        np.testing.assert_array_equal(kind.back(moved[1]), values[order])


def test_columns_in_place(kind, random):
    if kind.name.startswith("jax"):
        pytest.skip("JAX's arrays are constant")
    x = [numbers(random, dtype, 500) for dtype in ("uint8", "int64", "float64")]
    order = order_of_rows(*((each, False, None, None) for each in x[:2]))
    given = [kind.make(each) for each in x]
    keys, values = kogge.sort_columns_pairs(given[:2], given[2], out=(given[:2], given[2]))
    assert keys[0] is given[0] and keys[1] is given[1] and values is given[2]
    for each, before in zip(given, x):
        np.testing.assert_array_equal(kind.back(each), before[order])


@pytest.mark.parametrize("shape", [(3, 100), (50, 1), (0, 5), (5, 0), (2, 3, 40)])
def test_rows(kind, random, shape):
    x = random.standard_normal(shape).astype(np.float32)
    np.testing.assert_array_equal(kind.back(kogge.sort(kind.make(x))), np.sort(x))
    np.testing.assert_array_equal(kind.back(kogge.argsort(kind.make(x))), np.argsort(x, kind="stable"))
    k = min(shape[-1], 7)
    items, indices = kogge.topk(kind.make(x), k, return_indices=True)
    expected = np.argsort(-x, kind="stable")[..., :k]
    np.testing.assert_array_equal(kind.back(indices), expected)
    np.testing.assert_array_equal(kind.back(items), np.take_along_axis(x, expected, -1))


@pytest.mark.parametrize("shape", [(3, 100), (50, 1), (0, 5), (5, 0), (2, 3, 40), (30,)])
def test_axis(kind, random, shape):
    x = random.standard_normal(shape).astype(np.float32)
    given = kind.make(x)

    def check(result, expected, places=0):
        compare = np.testing.assert_allclose if places else np.testing.assert_array_equal
        compare(kind.back(result), expected, *[places] * bool(places))

    for axis in (-1, len(shape) - 1, None):
        length = x.size if axis is None else shape[-1]
        check(kogge.sort(given, axis), np.sort(x, axis))
        check(kogge.argsort(given, axis=axis, dtype="int32"), np.argsort(x, axis, kind="stable"))
        k = min(length, 7)
        order = np.argsort(-x, axis, kind="stable")[..., :k]
        items = np.take_along_axis(x.reshape(-1) if axis is None else x, order, -1)
        check(kogge.argtopk(given, k, axis=axis), order)
        check(kogge.topk(given, k, axis=axis), items)
        if length and x.size:
            check(kogge.select(given, length // 2, axis=axis), np.sort(x, axis)[..., length // 2])
            check(kogge.reduce(given, "maximum", axis=axis), np.max(x, axis))
        check(kogge.reduce(given, axis=axis, dtype="float64"), np.sum(x, axis, np.float64), 1e-9)
        check(kogge.cumsum(given, axis, dtype="float64"), np.cumsum(x, axis, np.float64), 1e-9)
        if axis is not None:
            check(kogge.scan(given, "maximum", axis=axis), np.maximum.accumulate(x, axis))
            before = np.cumsum(x, -1, np.float64) - x
            check(kogge.scan(given, axis=axis, exclusive=True, init=3, dtype="float64"), before + 3, 1e-6)
    check(kogge.scan(given, axis=None, reverse=True, dtype="float64"), np.cumsum(x.reshape(-1)[::-1], dtype=np.float64)[::-1], 1e-9)
    check(kogge.cumsum(given), np.cumsum(x), 1e-4)
    check(kogge.scan(given, "minimum"), np.minimum.accumulate(x, -1))
    if not kind.name.startswith("jax"):
        out = kind.make(np.zeros(x.size, np.float32))
        assert kogge.sort(given, axis=None, out=out) is out
        check(out, np.sort(x, None))


def test_wrong_axes(kind):
    x = kind.make(np.ones((2, 3)))
    for call in (kogge.sort, kogge.argsort, lambda x, axis: kogge.topk(x, 1, axis=axis), lambda x, axis: kogge.argtopk(x, 1, axis=axis),
                 lambda x, axis: kogge.select(x, 1, axis=axis), lambda x, axis: kogge.reduce(x, axis=axis), kogge.cumsum,
                 lambda x, axis: kogge.scan(x, axis=axis)):
        for axis in (0, 2, -2):
            with pytest.raises(ValueError, match=f"axis is {axis}, where x has 2 dimensions; kogge works along the last one"):
                call(x, axis)
        with pytest.raises(TypeError, match="axis is a float, where it must be an integer or None"):
            call(x, 1.0)
        with pytest.raises(ValueError, match="x has no dimension"):
            call(kind.make(np.array(5.0)), -1)
    with pytest.raises(ValueError, match="keys and offsets are for one dimension, and x has 2"):
        kogge.scan(x, keys=x)
    with pytest.raises(ValueError, match="reverse is for one dimension"):
        kogge.scan(x, reverse=True)
    with pytest.raises(ValueError, match="init is for exclusive scans"):
        kogge.scan(x, init=1)


def test_orders_of_floats(kind):
    x = np.array([np.nan, 1, -0.0, 0.0, -np.nan, -np.inf, np.inf, -1], np.float32)
    last = kind.back(kogge.sort(kind.make(x), nans="last", descending=True))
    np.testing.assert_array_equal(last[:6], [np.inf, 1, 0, 0, -1, -np.inf])
    assert np.isnan(last[6:]).all()
    greatest = kind.back(kogge.sort(kind.make(x), nans="greatest", descending=True))
    np.testing.assert_array_equal(greatest[2:], [np.inf, 1, 0, 0, -1, -np.inf])
    assert np.isnan(greatest[:2]).all()
    by_sign = kind.back(kogge.sort(kind.make(x)))
    assert np.isnan(by_sign[0]) and np.isnan(by_sign[-1]) and np.signbit(by_sign[3]) and not np.signbit(by_sign[4])
    np.testing.assert_array_equal(kind.back(kogge.argsort(kind.make(x), zeros="equal", nans="last")), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_top_k(kind, random, dtype):
    x = numbers(random, dtype, 4000)
    for k in (0, 1, 40, 4000):
        first = np.sort(x)[::-1][:k]
        np.testing.assert_array_equal(kind.back(kogge.topk(kind.make(x), k)), first)
        indices = kind.back(kogge.argtopk(kind.make(x), k, largest=False, zeros="equal"))
        np.testing.assert_array_equal(indices, np.argsort(x, kind="stable")[:k])


def test_segments(kind, random):
    x = random.integers(-100, 100, 1000)
    starts = np.array([3, 3, 400, 999])
    bounds = [0, 3, 3, 400, 999, 1000]
    order = np.concatenate([a + np.argsort(x[a:b], kind="stable") for a, b in zip(bounds, bounds[1:])])
    np.testing.assert_array_equal(kind.back(kogge.segmented_sort(kind.make(x), kind.make(starts))), x[order])
    np.testing.assert_array_equal(kind.back(kogge.segmented_argsort(kind.make(x), kind.make(starts))), order)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_compact(kind, random, dtype, n):
    x, mask = numbers(random, dtype, n), random.integers(0, 3, n) == 0
    np.testing.assert_array_equal(kind.back(kogge.compact(kind.make(x), kind.make(mask))), x[mask])
    np.testing.assert_array_equal(kind.back(kogge.compact(kind.make(x), kind.make(mask.astype(np.uint8)))), x[mask])


@pytest.mark.parametrize("dtype", DTYPES)
def test_nonzero(kind, random, dtype):
    x = numbers(random, dtype, 3000)
    (indices,) = kogge.nonzero(kind.make(x))
    np.testing.assert_array_equal(kind.back(indices), np.nonzero(x)[0])
    np.testing.assert_array_equal(kind.back(kogge.compact_indices(kind.make(x > 0))), np.flatnonzero(x > 0))


@pytest.mark.parametrize("relation", ["<", "<=", ">", ">=", "==", "!="])
def test_partition(kind, random, relation):
    x = random.integers(0, 9, 2000).astype(np.int16)
    holds = eval(f"x {relation} 4")
    items, boundary = kogge.partition(kind.make(x), relation, 4)
    assert boundary == holds.sum()
    np.testing.assert_array_equal(kind.back(items), np.concatenate([x[holds], x[~holds]]))


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_split(kind, random, dtype):
    if "torch" in kind.name and dtype != "uint8" and not hasattr(kind.torch, dtype):
        pytest.skip("an old PyTorch")
    bins, x = random.integers(0, 10, 2000).astype(dtype), random.standard_normal(2000)
    items, offsets = on_device_or_skip(kind, lambda: kogge.split(kind.make(x), kind.make(bins), 10))
    np.testing.assert_array_equal(kind.back(items), x[np.argsort(bins, kind="stable")])
    np.testing.assert_array_equal(kind.back(offsets), np.searchsorted(np.sort(bins), np.arange(11)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_unique(kind, random, dtype, n):
    x = numbers(random, dtype, n)
    items = kogge.unique(kind.make(x))
    np.testing.assert_array_equal(kind.back(items), np.unique(x))
    expected = np.unique(x, return_inverse=True, return_counts=True)
    for given, right in zip(kogge.unique(kind.make(x), return_inverse=True, return_counts=True), expected):
        np.testing.assert_array_equal(kind.back(given), right)


@pytest.mark.parametrize("n", SIZES)
def test_unique_into_outputs(kind, random, n):
    if kind.name.startswith("jax"):
        pytest.skip("JAX's arrays are constant")
    x = random.integers(0, 50, n).astype(np.int16)
    items, inverse, counts = np.unique(x, return_inverse=True, return_counts=True)

    def check(results, outs, rights):
        for result, whole, right in zip(results, outs, rights):
            np.testing.assert_array_equal(kind.back(result), right)
            np.testing.assert_array_equal(kind.back(whole)[: len(right)], right)

    def outputs(count):
        return [kind.make(np.zeros(n, np.int16))] + [kind.make(np.zeros(n, np.int64)) for _ in range(count - 1)]

    out = outputs(3)
    check([kogge.unique(kind.make(x), out=out[0])], out, [items])
    check(kogge.unique(kind.make(x), return_counts=True, out=out[:2]), out, [items, counts])
    out = outputs(3)
    check(kogge.unique(kind.make(x), return_inverse=True, out=tuple(out[:2])), out, [items, inverse])
    check(kogge.unique(kind.make(x), return_inverse=True, return_counts=True, out=out), out, [items, inverse, counts])
    (indices,) = kogge.nonzero(kind.make(x), out=out[1])
    check([indices], out[1:2], [np.nonzero(x)[0]])
    with pytest.raises(TypeError, match="kogge.unique: out has 2 arrays, where there are 3 results"):
        kogge.unique(kind.make(x), return_inverse=True, return_counts=True, out=out[:2])
    with pytest.raises(TypeError, match=r"kogge.unique: out\[1\] is of dtype int16, where the result is int64"):
        kogge.unique(kind.make(x), return_counts=True, out=(out[0], out[0]))
    with pytest.raises(TypeError, match="kogge.nonzero: out is of dtype int16, where the result is int64"):
        kogge.nonzero(kind.make(x), out=out[0])


def test_runs(kind):
    x = np.array([4, 4, 4, 2, 4, 4], np.int32)
    items, lengths = kogge.run_length_encode(kind.make(x))
    np.testing.assert_array_equal(kind.back(items), [4, 2, 4])
    np.testing.assert_array_equal(kind.back(lengths), [3, 1, 2])
    np.testing.assert_array_equal(kind.back(kogge.unique_consecutive(kind.make(x))), [4, 2, 4])


def test_runs_into_outputs(kind):
    if kind.name.startswith("jax"):
        pytest.skip("JAX's arrays are constant")
    x, ones = np.array([4, 4, 4, 2, 4, 4], np.int32), np.ones(6, np.float32)
    out = kind.make(np.zeros(6, np.int32)), kind.make(np.zeros(6, np.int64))
    items, lengths = kogge.run_length_encode(kind.make(x), out=out)
    for given, whole, right in zip((items, lengths), out, ([4, 2, 4], [3, 1, 2])):
        np.testing.assert_array_equal(kind.back(given), right)
        np.testing.assert_array_equal(kind.back(whole)[:3], right)
    for bad, error, match in (
        ((out[0][:3], out[1]), ValueError, r"out\[0\] has the shape \(3,\)"), ((out[0], out[0]), TypeError, "int64"),
        (out[0], TypeError, "a pair of arrays"),
    ):
        with pytest.raises(error, match=match):
            kogge.run_length_encode(kind.make(x), out=bad)
    out = kind.make(np.zeros(6, np.int32)), kind.make(np.zeros(6, np.float64))
    firsts, sums = kogge.reduce_by_key(kind.make(x), kind.make(ones), out=out)
    np.testing.assert_array_equal(kind.back(firsts), [4, 2, 4])
    np.testing.assert_array_equal(kind.back(sums), [3.0, 1, 2])
    np.testing.assert_array_equal(kind.back(out[1])[:3], [3.0, 1, 2])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_cumsum(kind, random, dtype, n):
    x = random.integers(0, 2, n).astype(dtype)
    expected = np.cumsum(x, dtype="float32" if dtype == "float16" else None)
    sums = kind.back(kogge.cumsum(kind.make(x)))
    np.testing.assert_array_equal(sums, expected)
    assert sums.dtype == expected.dtype


@pytest.mark.parametrize("op, ufunc", [("plus", np.add), ("maximum", np.maximum), ("minimum", np.minimum)])
@pytest.mark.parametrize("dtype", ["int64", "float64", "uint32"])
def test_scan(kind, random, op, ufunc, dtype):
    x = random.integers(0, 100, 3000).astype(dtype)
    run = lambda **options: kind.back(kogge.scan(kind.make(x), op, dtype=dtype, **options))  # noqa: E731
    np.testing.assert_array_equal(run(), ufunc.accumulate(x))
    np.testing.assert_array_equal(run(exclusive=True, init=50), ufunc.accumulate(np.concatenate([[50], x[:-1]]).astype(dtype)))
    np.testing.assert_array_equal(run(reverse=True), ufunc.accumulate(x[::-1])[::-1])
    keys, starts = np.arange(3000) // 7, np.arange(0, 3000, 7)
    expected = np.concatenate([ufunc.accumulate(x[a : a + 7]) for a in starts])
    np.testing.assert_array_equal(run(keys=kind.make(keys)), expected)
    np.testing.assert_array_equal(run(offsets=kind.make(starts)), expected)


def test_segmented_topk(kind, random):
    x, starts = random.integers(-100, 100, 1000), np.array([3, 100, 600])
    items, indices = kogge.segmented_topk(kind.make(x), kind.make(starts), 5, return_indices=True)
    for s, (a, b) in enumerate(zip(starts, [100, 600, 1000])):
        order = np.argsort(-x[a:b], kind="stable")[:5]
        np.testing.assert_array_equal(kind.back(indices)[s], order)
        np.testing.assert_array_equal(kind.back(items)[s], x[a:b][order])


@pytest.mark.parametrize("dtype", DTYPES)
def test_ranks(kind, random, dtype):
    x = numbers(random, dtype, 3000)
    ordered = np.sort(x)
    for rank in (0, 1500, 2999):
        assert kind.back(kogge.select(kind.make(x), rank)) == ordered[rank]
        assert kind.back(kogge.select(kind.make(x), rank, descending=True)) == ordered[::-1][rank]
    ranks = np.array([2999, 5, 5, 0])
    np.testing.assert_array_equal(kind.back(kogge.quantiles(kind.make(x), kind.make(ranks))), ordered[ranks])
    rows = x.reshape(30, 100)
    np.testing.assert_array_equal(kind.back(kogge.select(kind.make(rows), 50)), np.sort(rows)[:, 50])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_searchsorted(kind, random, dtype, n):
    a, v = np.sort(numbers(random, dtype, n)), numbers(random, dtype, 700)
    for side in ("left", "right"):
        run = lambda: kogge.searchsorted(kind.make(a), kind.make(v), side)  # noqa: E731
        found = kind.back(on_device_or_skip(kind, run) if dtype == "float16" else run())
        np.testing.assert_array_equal(found, np.searchsorted(a, v, side))
        assert found.dtype == np.int64


@pytest.mark.parametrize("dtype", DTYPES)
def test_merge(kind, random, dtype):
    a, b = np.sort(numbers(random, dtype, 1000)), np.sort(numbers(random, dtype, 300))
    both = np.concatenate([a, b])
    order = np.argsort(both, kind="stable")
    run = lambda: kogge.merge(kind.make(a), kind.make(b))  # noqa: E731
    np.testing.assert_array_equal(kind.back(on_device_or_skip(kind, run) if dtype == "float16" else run()), both[order])
    for value_dtype in ("int64", "float32", "int16"):
        values = random.integers(0, 1000, 1300).astype(value_dtype)
        of_a, of_b = kind.make(values[:1000]), kind.make(values[1000:])
        if kind.on_device and value_dtype == "int16":
            with pytest.raises(NotImplementedError):
                kogge.merge_pairs(kind.make(a), of_a, kind.make(b), of_b)
            continue
        keys, moved = kogge.merge_pairs(kind.make(a), of_a, kind.make(b), of_b)
        np.testing.assert_array_equal(kind.back(keys), both[order])
        np.testing.assert_array_equal(kind.back(moved), values[order])


@pytest.mark.parametrize("dtype", DTYPES)
def test_histogram(kind, random, dtype):
    x = random.integers(0, 100, 3000).astype(dtype)
    inner = x[x < 80]
    expected = np.histogram(inner, 8, (0, 80))[0]
    if kind.on_device and dtype in ("int8", "int16", "float16"):
        with pytest.raises(NotImplementedError):
            kogge.histogram(kind.make(x), 8, (0, 80))
        return
    counts = kind.back(kogge.histogram(kind.make(x), 8, (0, 80)))
    np.testing.assert_array_equal(counts, expected)
    assert counts.dtype == np.int64
    bounds = np.arange(0, 90, 10) > 0 if dtype == "bool" else np.arange(0, 90, 10).astype("float32" if dtype == "float16" else dtype)
    if dtype != "bool":
        np.testing.assert_array_equal(kind.back(kogge.histogram(kind.make(x), kind.make(bounds))), expected)
    rows = kind.back(kogge.histogram(kind.make(x.reshape(3, 1000)), 8, (0, 80)))
    np.testing.assert_array_equal(rows, [np.histogram(row[row < 80], 8, (0, 80))[0] for row in x.reshape(3, 1000)])
    if not kind.on_device:
        weights = random.integers(-50, 50, 3000).astype(np.int16)
        sums = kind.back(kogge.histogram(kind.make(x), 8, (0, 80), weights=kind.make(weights)))
        np.testing.assert_array_equal(sums, np.histogram(inner, 8, (0, 80), weights=weights[x < 80])[0])


def test_partition_flags(kind, random):
    x, mask = random.integers(0, 9, 2000), random.integers(0, 2, 2000) > 0
    items, boundary = kogge.partition_flags(kind.make(x), kind.make(mask))
    assert boundary == mask.sum()
    np.testing.assert_array_equal(kind.back(items), np.concatenate([x[mask], x[~mask]]))


@pytest.mark.parametrize("op, ufunc", [("plus", np.add), ("maximum", np.maximum), ("minimum", np.minimum)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_reduce(kind, random, dtype, op, ufunc):
    x = random.integers(0, 2, 3000).astype(dtype)
    if dtype == "float16" and op != "plus":
        with pytest.raises(NotImplementedError):
            kogge.reduce(kind.make(x), op)
        return
    as_sum = x if op != "plus" else x.astype(np.cumsum(x[:1], dtype="float32" if dtype == "float16" else None).dtype)
    result = kind.back(kogge.reduce(kind.make(x), op))
    assert result == ufunc.reduce(as_sum) and result.dtype == as_sum.dtype and result.shape == ()
    if dtype != "bool":
        assert kind.back(kogge.reduce(kind.make(x), op, init=1)) == ufunc.reduce(as_sum, initial=1)
    np.testing.assert_array_equal(kind.back(kogge.reduce(kind.make(x.reshape(30, 100)), op)), ufunc.reduce(as_sum.reshape(30, 100), 1))
    starts, keys = np.arange(0, 3000, 7), np.arange(3000) // 7
    expected = ufunc.reduceat(as_sum, starts)
    np.testing.assert_array_equal(kind.back(kogge.segmented_reduce(kind.make(x), kind.make(starts), op)), expected)
    firsts, sums = kogge.reduce_by_key(kind.make(keys), kind.make(x), op)
    np.testing.assert_array_equal(kind.back(firsts), np.unique(keys))
    np.testing.assert_array_equal(kind.back(sums), expected)


def test_reduce_nothing(kind):
    assert kind.back(kogge.reduce(kind.make(np.empty(0, np.int32)))) == 0
    assert kind.back(kogge.reduce(kind.make(np.empty(0, np.float32)), "maximum")) == -np.inf
    assert kind.back(kogge.reduce(kind.make(np.empty((3, 0))))).tolist() == [0, 0, 0]
    assert kind.back(kogge.histogram(kind.make(np.empty((2, 0))), 3, (0, 1))).tolist() == [[0] * 3] * 2
    with pytest.raises(ValueError, match="no items"):
        kogge.argmin(kind.make(np.empty(0)))
    with pytest.raises(ValueError, match="rank is 0, where there are 0 items"):
        kogge.select(kind.make(np.empty(0)), 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_extremes(kind, random, dtype):
    x = numbers(random, dtype, 3000)
    if dtype == "float16":
        with pytest.raises(NotImplementedError):
            kogge.argmin(kind.make(x))
        return
    for ours, numpys in ((kogge.argmin, np.argmin), (kogge.argmax, np.argmax)):
        index = kind.back(ours(kind.make(x)))
        assert index == numpys(x) and index.dtype == np.int64


def test_bfloat16(kind, random):
    x = random.standard_normal(1000).astype(np.float32)
    if kind.name.startswith("torch"):
        given = kind.make(x).to(kind.torch.bfloat16)
        np.testing.assert_array_equal(kogge.sort(given).float().cpu().numpy(), np.sort(given.float().cpu().numpy()))
        return
    ml_dtypes = pytest.importorskip("ml_dtypes")
    if kind.name != "numpy":
        pytest.skip("by NumPy and PyTorch")
    given = x.astype(ml_dtypes.bfloat16)
    assert kogge.sort(given).dtype == given.dtype
    np.testing.assert_array_equal(kogge.sort(given).astype(np.float32), np.sort(given.astype(np.float32)))
    sums = kogge.cumsum(np.ones(100, ml_dtypes.bfloat16))
    np.testing.assert_array_equal(sums, np.arange(1, 101, dtype=np.float32))


def test_outputs(kind, random):
    if kind.name.startswith("jax"):
        with pytest.raises(ValueError, match="read-only"):
            x = kind.make(np.arange(5))
            kogge.sort(x, out=x)
        return
    x = random.integers(-100, 100, 1000)
    given = kind.make(x)
    assert kogge.sort(given, out=given) is given
    np.testing.assert_array_equal(kind.back(given), np.sort(x))
    out = kind.make(np.zeros(1000, np.int64))
    assert kogge.argsort(given, out=out) is out
    kept = kogge.compact(given, kind.make(x > 0), out=out)
    assert kind.back(kept).shape == ((x > 0).sum(),)
    narrow = kind.make(np.zeros(1000, np.int32))
    with pytest.raises(TypeError, match="out is of dtype int32, where the result is int64"):
        kogge.sort(given, out=narrow)
    with pytest.raises(ValueError, match="shape"):
        kogge.sort(given, out=out[:5])


def test_wrong_arrays(kind):
    x = kind.make(np.arange(10))
    if kind.name != "cupy" and not kind.name.startswith("jax"):
        with pytest.raises(ValueError, match="contiguous"):
            kogge.sort(x[::2])
    with pytest.raises(ValueError, match="mask has 3 items, where it must have 10"):
        kogge.compact(x, kind.make(np.ones(3, bool)))
    with pytest.raises(TypeError, match="mask is of dtype int64"):
        kogge.compact(x, x)
    with pytest.raises(ValueError, match="k is 11, where there are 10 items"):
        kogge.topk(x, 11)
    with pytest.raises(ValueError, match="dimensions"):
        kogge.argmax(kind.make(np.ones((2, 2))))
    with pytest.raises(ValueError, match="no dimension"):
        kogge.sort(kind.make(np.array(5)))
    with pytest.raises(TypeError, match="dtype"):
        kogge.sort(kind.make(np.ones(3, np.complex64)))
