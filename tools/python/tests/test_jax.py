"""kogge.jax: handlers in jax.jit, with gradients and vmap; on the host, and on a GPU where there is one.

On a GPU, what the library has no device code for is expected to be refused: split, weights of histograms, merges of
float16 and of values of one or two bytes.
"""

import doctest
import functools
import itertools

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.5")
jnp = jax.numpy

import kogge  # noqa: E402
from conftest import bitmap_of, numbers, order_of_rows  # noqa: E402

kj = pytest.importorskip("kogge.jax", reason="built without XLA's headers", exc_type=ImportError)


def _devices():
    found = jax.devices("cpu")[:1]
    if kogge.device_count() > 0:
        try:
            found += jax.devices("gpu")[:1]
        except RuntimeError:  # a JAX without CUDA
            pass
    return found


@pytest.fixture(params=_devices(), ids=str)
def device(request):
    with jax.default_device(request.param):
        yield request.param


@pytest.fixture(params=[True, False], ids=["x64", "x32"], autouse=True)
def x64(request):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", request.param)
    yield request.param
    jax.config.update("jax_enable_x64", before)


WIDE = {"int64", "uint64", "float64"}


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"])
def test_sorts(device, x64, random, dtype):
    if dtype in WIDE and not x64:
        pytest.skip("no 64 bits")
    for shape in ((0,), (700,), (3, 50), (2, 3, 4), (0, 5), (5, 0)):
        x = numbers(random, dtype, int(np.prod(shape))).reshape(shape)
        given = jnp.asarray(x)
        np.testing.assert_array_equal(jax.jit(kj.sort)(given), np.sort(x))
        order = jax.jit(lambda x: kj.argsort(x, zeros="equal"))(given)
        np.testing.assert_array_equal(order, np.argsort(x, kind="stable"))
        assert order.dtype == (np.int64 if x64 else np.int32)
        k = min(4, shape[-1])
        items, indices = jax.jit(lambda x: kj.topk(x, k, return_indices=True))(given)
        np.testing.assert_array_equal(items, np.flip(np.sort(x), -1)[..., :k])
        np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(indices), -1), items)
        np.testing.assert_array_equal(jax.jit(lambda x: kj.topk(x, k, largest=False))(given), np.sort(x)[..., :k])
        np.testing.assert_array_equal(jax.jit(lambda x: kj.argtopk(x, k))(given), indices)


def test_bfloat16(device):
    x = jnp.array([3, -1, 2, jnp.nan], jnp.bfloat16)
    sums = kj.cumsum(x[:3])
    assert kj.sort(x).tolist()[:3] == [-1, 2, 3] and sums.dtype == jnp.float32 and sums.tolist() == [3, 2, 4]


def refused_on_gpu(device, call):
    """What the library has no device code for."""
    if device.platform != "cpu":
        with pytest.raises(jax.errors.JaxRuntimeError, match="UNIMPLEMENTED"):
            jax.block_until_ready(call())
        return True
    return False


# Of the dtypes that JAX has without jax_enable_x64, too.
NARROW = ["bool", "uint8", "int16", "uint32", "int32", "float16", "float32"]
SIZES = [0, 1, 3000]


def starts_of(n, dtype=np.int32):
    """Offsets of segments, some of them empty, behind items of none."""
    return np.sort([min(3, n), min(3, n), n // 3, n // 2, max(n - 1, 0), n]).astype(dtype)


def bounds_of(starts, n):
    starts = starts.tolist()
    return list(zip(starts, [*starts[1:], n]))


@pytest.mark.parametrize("offset_dtype", ["int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("n", SIZES)
def test_segments(device, x64, random, n, offset_dtype):
    if offset_dtype in WIDE and not x64:
        pytest.skip("no 64 bits")
    index, starts = (np.int64 if x64 else np.int32), starts_of(n, offset_dtype)
    for dtype in ("bool", "int16", "float16", "float32"):
        x = numbers(random, dtype, n)
        given, offsets = jnp.asarray(x), jnp.asarray(starts)
        bounds = [(0, int(starts[0])), *bounds_of(starts, n)]
        order = np.concatenate([a + np.argsort(x[a:b], kind="stable") for a, b in bounds])
        np.testing.assert_array_equal(jax.jit(kj.segmented_sort)(given, offsets), x[order])
        indices = jax.jit(lambda x, offsets: kj.segmented_argsort(x, offsets, zeros="equal"))(given, offsets)
        np.testing.assert_array_equal(indices, order)
        assert indices.dtype == index
        for k in (0, 4):
            first_k = functools.partial(kj.segmented_topk, k=k, largest=False, zeros="equal")
            items, indices = jax.jit(functools.partial(first_k, return_indices=True))(given, offsets)
            alone = jax.jit(first_k)(given, offsets)
            assert items.shape == indices.shape == alone.shape == (len(starts), k) and indices.dtype == index
            for s, (a, b) in enumerate(bounds[1:]):
                first = np.argsort(x[a:b], kind="stable")[:k]
                np.testing.assert_array_equal(indices[s, : len(first)], first)
                np.testing.assert_array_equal(items[s, : len(first)], x[a:b][first])
                np.testing.assert_array_equal(alone[s, : len(first)], x[a:b][first])


def test_no_segments(device):
    x, none = jnp.array([3.0, 1.0, 2.0]), jnp.zeros(0, jnp.int32)
    assert kj.segmented_sort(x, none).tolist() == [1, 2, 3] and kj.segmented_argsort(x, none).tolist() == [1, 2, 0]
    assert kj.segmented_topk(x, none, 2).shape == (0, 2) and kj.segmented_reduce(x, none).shape == (0,)
    assert kj.scan(x, offsets=none).tolist() == [3, 4, 6]
    for call in (lambda x: kj.segmented_sort(x, none)[0], lambda x: kj.segmented_topk(x, none, 2).sum(), lambda x: kj.segmented_reduce(x, none).sum()):
        assert jax.grad(call)(x).shape == (3,)


@pytest.mark.parametrize("dtype", NARROW)
def test_ranks(device, x64, random, dtype):
    x = numbers(random, dtype, 300)
    rows = x.reshape(2, 3, 50)
    for rank in (0, 7, 49):
        assert jax.jit(lambda x: kj.select(x, rank))(jnp.asarray(x)) == np.sort(x)[rank]
        given = jax.jit(lambda x: kj.select(x, rank, descending=True))(jnp.asarray(rows))
        np.testing.assert_array_equal(given, np.sort(rows)[..., ::-1][..., rank])
    for ranks in (np.array([299, 5, 5, 0], np.int32), np.zeros(0, np.uint32), np.arange(300, dtype=np.int64)[::-1]):
        given = jax.jit(kj.quantiles)(jnp.asarray(x), jnp.asarray(ranks))
        np.testing.assert_array_equal(given, np.sort(x)[ranks])
    assert kj.select(jnp.zeros((0, 5)), 2).shape == (0,)
    if dtype == "float16":
        return
    for ours, numpys in ((kj.argmin, np.argmin), (kj.argmax, np.argmax)):
        index = jax.jit(ours)(jnp.asarray(x))
        assert index == numpys(x) and index.dtype == (np.int64 if x64 else np.int32) and index.shape == ()


@pytest.mark.parametrize("dtype", NARROW)
def test_merge(device, random, dtype):
    for n, m in ((500, 120), (0, 3), (4, 0), (0, 0)):
        a, b = np.sort(numbers(random, dtype, n)), np.sort(numbers(random, dtype, m))
        if dtype == "float16" and n and refused_on_gpu(device, lambda: kj.merge(jnp.asarray(a), jnp.asarray(b))):
            continue
        both = np.concatenate([a, b])
        order = np.argsort(both, kind="stable")
        np.testing.assert_array_equal(jax.jit(kj.merge)(jnp.asarray(a), jnp.asarray(b)), both[order])
        for value_dtype in ("int32", "float32", "int16"):
            values = random.integers(0, 1000, n + m).astype(value_dtype)
            given = [jnp.asarray(each) for each in (a, values[:n], b, values[n:])]
            if value_dtype == "int16" and n and refused_on_gpu(device, lambda: kj.merge_pairs(*given)):
                continue
            keys, moved = jax.jit(kj.merge_pairs)(*given)
            np.testing.assert_array_equal(keys, both[order])
            np.testing.assert_array_equal(moved, values[order])


def test_columns(device, x64, random):
    n = 1000
    first, second, valid = numbers(random, "uint8", n) % 5, numbers(random, "float32", n), random.integers(0, 3, n) > 0
    third = -first.astype(np.int16)
    for valid_from, word in ((0, np.uint8), (37, np.int32)):
        bitmap = bitmap_of(valid, valid_from).view(word)

        def run(first, second, third, bitmap):
            columns = [
                kogge.column(first, descending=True), kogge.column(second, zeros="equal", valid=bitmap, valid_from=valid_from, nulls="first"), third,
            ]
            return kj.argsort_columns(columns), kj.sort_columns(columns), kj.sort_columns_pairs(columns, second)

        indices, ordered, (keys, values) = jax.jit(run)(*map(jnp.asarray, (first, second, third, bitmap)))
        order = order_of_rows((first, True, None, None), (second, False, valid, "first"))
        np.testing.assert_array_equal(indices, order)
        assert indices.dtype == (np.int64 if x64 else np.int32)
        for x, one, other in zip((first, second, third, second), (*ordered, values), (*keys, values)):
            np.testing.assert_array_equal(one, x[order])
            np.testing.assert_array_equal(other, x[order])
    bits = jax.jit(lambda x: kj.argsort_columns([kogge.column(x, begin_bit=8), x]))(jnp.array([0x0102, 0x0201, 0x0100], jnp.uint16))
    assert bits.tolist() == [2, 0, 1]
    assert kj.argsort_columns((jnp.zeros(0),)).shape == kj.sort_columns((jnp.zeros(0),))[0].shape == (0,)


def test_pairs(device, random):
    keys, values = random.integers(0, 9, 500).astype(np.int16), random.standard_normal(500).astype(np.float32)
    order = np.argsort(keys, kind="stable")
    given = jax.jit(kj.sort_pairs)(jnp.asarray(keys), jnp.asarray(values))
    np.testing.assert_array_equal(given[0], keys[order])
    np.testing.assert_array_equal(given[1], values[order])


def test_scans(device, x64, random):
    x = random.integers(0, 9, 1000).astype(np.int32)
    sums = jax.jit(kj.cumsum)(jnp.asarray(x))
    np.testing.assert_array_equal(sums, np.cumsum(x))
    assert sums.dtype == (np.int64 if x64 else np.int32)
    most = jax.jit(lambda x: kj.scan(x, "maximum", exclusive=True, init=-5))(jnp.asarray(x))
    np.testing.assert_array_equal(most, np.maximum.accumulate(np.concatenate([[-5], x[:-1]])))
    assert int(jax.jit(lambda x: kj.reduce(x, init=7))(jnp.asarray(x))) == x.sum() + 7
    assert kj.cumsum(jnp.zeros(0)).shape == (0,)
    if not x64:
        with pytest.raises(TypeError, match="jax_enable_x64"):
            kj.cumsum(jnp.zeros(3, jnp.int16))
    if device.platform == "cpu":
        np.testing.assert_array_equal(kj.scan(jnp.asarray(x), reverse=True), np.cumsum(x[::-1])[::-1])
        np.testing.assert_array_equal(kj.reduce(jnp.asarray(x.reshape(10, 100)), "minimum"), x.reshape(10, 100).min(-1))
    for options in ({}, {"exclusive": True}, {"exclusive": True, "init": 5}):
        expected = [np.cumsum(row) for row in x.reshape(-1, 10)]
        if options:
            expected = [np.append(0, row[:-1]) + options.get("init", 0) for row in expected]
        starts, keys = jnp.arange(0, 1000, 10), jnp.arange(1000) // 10 % 2
        given = jax.jit(lambda x, starts: kj.scan(x, offsets=starts, **options))(jnp.asarray(x), starts)
        np.testing.assert_array_equal(given, np.concatenate(expected))
        for dtype in (np.float32, np.int32, np.uint8):
            given = jax.jit(lambda x, keys: kj.scan(x, keys=keys, **options))(jnp.asarray(x), keys.astype(dtype))
            np.testing.assert_array_equal(given, np.concatenate(expected))


@pytest.mark.parametrize("op, ufunc", [("plus", np.add), ("maximum", np.maximum), ("minimum", np.minimum)])
def test_reductions(device, x64, random, op, ufunc):
    for n, dtype in itertools.product(SIZES, ("int32", "uint32", "float32")):
        x, starts = random.integers(0, 9, n).astype(dtype), starts_of(n)
        sums = jax.jit(lambda x, starts: kj.segmented_reduce(x, starts, op, init=5))(jnp.asarray(x), jnp.asarray(starts))
        np.testing.assert_array_equal(sums, [ufunc.reduce(x[a:b], initial=5) for a, b in bounds_of(starts, n)])
        keys = np.sort(random.integers(0, n // 5 + 1, n)).astype(np.int32)
        firsts, totals, runs = jax.jit(lambda keys, x: kj.reduce_by_key(keys, x, op, fill_value=-7))(jnp.asarray(keys), jnp.asarray(x))
        unique = np.unique(keys)
        assert runs == len(unique) and totals.shape == firsts.shape == (n,)
        np.testing.assert_array_equal(firsts, np.append(unique, np.full(n - len(unique), -7)))
        np.testing.assert_array_equal(totals, [ufunc.reduce(x[keys == key]) for key in unique] + [0] * (n - len(unique)))
        wide = x64 and op == "plus" and dtype != "float32"
        assert totals.dtype == sums.dtype == ({"int32": np.int64, "uint32": np.uint64}[dtype] if wide else dtype)
    half = kj.segmented_reduce(jnp.ones(9, jnp.float16), jnp.array([2, 5]))
    assert half.dtype == jnp.float32 and half.tolist() == [3, 4]


def test_sorted_and_bins(device, x64, random):
    x = random.standard_normal((3, 400)).astype(np.float32)
    ascending = np.sort(x[0])
    for side in ("left", "right"):
        given = jax.jit(lambda a, v: kj.searchsorted(a, v, side))(jnp.asarray(ascending), jnp.asarray(ascending[::7]))
        np.testing.assert_array_equal(given, np.searchsorted(ascending, ascending[::7], side))
    bounds = np.array([-1, 0, 0.5], np.float32)
    expected = [[((row >= a) & (row < b)).sum() for a, b in zip(bounds, bounds[1:])] for row in x]
    np.testing.assert_array_equal(jax.jit(kj.histogram)(jnp.asarray(x), jnp.asarray(bounds)), expected)
    whole = random.integers(0, 100, 900).astype(np.int32)
    given = jax.jit(lambda x: kj.histogram(x, 10, (0, 100)))(jnp.asarray(whole))
    np.testing.assert_array_equal(given, np.bincount(whole // 10, minlength=10))
    rows, weights = jnp.asarray(whole.reshape(3, 300)), random.integers(-50, 50, (3, 300)).astype(np.int16)
    expected = [np.bincount(row // 10, amounts, minlength=10) for row, amounts in zip(whole.reshape(3, 300), weights)]
    run = lambda: jax.jit(lambda weights: kj.histogram(rows, jnp.arange(0, 110, 10, jnp.int32), weights=weights))(jnp.asarray(weights))  # noqa: E731
    if not x64:
        with pytest.raises(TypeError, match="jax_enable_x64"):
            run()
        return
    if refused_on_gpu(device, run):
        return
    np.testing.assert_array_equal(run(), expected)
    given = jax.vmap(lambda x, weights: kj.histogram(x, 10, (0, 100), weights=weights))(rows, jnp.asarray(weights))
    np.testing.assert_array_equal(given, expected)
    assert kj.histogram(rows[:, :0], 3, (0, 9), weights=rows[:, :0]).tolist() == [[0, 0, 0]] * 3


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_sizes_that_the_data_decide(device, random, n):
    x, mask = random.standard_normal(n).astype(np.float32), random.integers(0, 2, n).astype(bool)
    items, count = jax.jit(lambda x, mask: kj.compact(x, mask, fill_value=9))(jnp.asarray(x), jnp.asarray(mask))
    assert int(count) == mask.sum()
    np.testing.assert_array_equal(items, np.concatenate([x[mask], np.full(n - mask.sum(), 9, np.float32)]))
    indices, count = jax.jit(kj.flatnonzero)(jnp.asarray(mask))
    np.testing.assert_array_equal(indices[: int(count)], np.flatnonzero(mask))
    assert (np.asarray(indices[int(count) :]) == -1).all()
    for (again,), as_many in (kj.nonzero(jnp.asarray(mask)), ([kj.compact_indices(jnp.asarray(mask))[0]], count)):
        np.testing.assert_array_equal(again, indices)
        assert as_many == count
    x = numbers(random, "int16", n)
    expected, found = np.unique(x, return_inverse=True, return_counts=True), len(np.unique(x))
    for inverse, counts in itertools.product((False, True), repeat=2):
        *given, count = jax.jit(lambda x: kj.unique(x, return_inverse=inverse, return_counts=counts, fill_value=7))(jnp.asarray(x))
        assert count == found
        wanted = [(expected[0], 7)] + [(expected[1], None)] * inverse + [(expected[2], 0)] * counts
        assert len(given) == len(wanted)
        for each, (right, fill) in zip(given, wanted):
            np.testing.assert_array_equal(each, np.append(right, np.full(n - len(right), fill or 0)))


@pytest.mark.parametrize("n", SIZES)
def test_partitions(device, x64, random, n):
    x, mask = random.integers(0, 9, n).astype(np.int16), random.integers(0, 3, n).astype(np.uint8)
    for relation in ("<", "<=", ">", ">=", "==", "!="):
        holds = eval(f"x {relation} 4")
        items, boundary = jax.jit(lambda x: kj.partition(x, relation, 4))(jnp.asarray(x))
        assert boundary == holds.sum() and boundary.dtype == (np.int64 if x64 else np.int32)
        np.testing.assert_array_equal(items, np.concatenate([x[holds], x[~holds]]))
    items, boundary = jax.jit(kj.partition_flags)(jnp.asarray(x), jnp.asarray(mask))
    assert boundary == (mask > 0).sum()
    np.testing.assert_array_equal(items, np.concatenate([x[mask > 0], x[mask == 0]]))
    for dtype in ("uint8", "uint16", "uint32"):
        bins = random.integers(0, 10, n).astype(dtype)
        call = lambda: jax.jit(lambda x, bins: kj.split(x, bins, 10))(jnp.asarray(x), jnp.asarray(bins))  # noqa: E731
        if n and refused_on_gpu(device, call):
            continue
        items, offsets = call()
        np.testing.assert_array_equal(items, x[np.argsort(bins, kind="stable")])
        np.testing.assert_array_equal(offsets, np.searchsorted(np.sort(bins), np.arange(11)))
        assert offsets.dtype == (np.uint64 if x64 else np.uint32)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", NARROW)
def test_runs(device, x64, random, n, dtype):
    x = np.repeat(numbers(random, dtype, n), 3)[:n]
    begins = np.flatnonzero(np.append(True, x[1:] != x[:-1])) if n else np.zeros(0, int)
    items, lengths, runs = jax.jit(lambda x: kj.run_length_encode(x, fill_value=1))(jnp.asarray(x))
    rest = n - len(begins)
    assert runs == len(begins) and runs.dtype == lengths.dtype == (np.int64 if x64 else np.int32)
    np.testing.assert_array_equal(items, np.append(x[begins], np.ones(rest, dtype)))
    np.testing.assert_array_equal(lengths, np.append(np.diff(begins, append=n), np.zeros(rest)) if n else [])
    items, runs = jax.jit(lambda x: kj.unique_consecutive(x, fill_value=1))(jnp.asarray(x))
    assert runs == len(begins)
    np.testing.assert_array_equal(items, np.append(x[begins], np.ones(rest, dtype)))


def test_gradients(device):
    x = jnp.array([3.0, 1.0, 2.0, 5.0])
    mine = lambda x: kj.sort(x)[1] * kj.topk(x, 2)[0] + kj.topk(x, 2, return_indices=True)[0][1] + kj.cumsum(x * x)[2] * kj.reduce(x)  # noqa: E731
    own = lambda x: jnp.sort(x)[1] * jnp.sort(x)[3] + jnp.sort(x)[2] + jnp.cumsum(x * x)[2] * jnp.sum(x)  # noqa: E731
    if device.platform == "cpu":  # the gradient of cumsum is a scan from the end
        np.testing.assert_allclose(jax.jit(jax.grad(mine))(x), jax.grad(own)(x), rtol=1e-6)
    np.testing.assert_allclose(jax.jvp(mine, (x,), (x,))[1], jax.jvp(own, (x,), (x,))[1], rtol=1e-6)
    moved = jax.grad(lambda x: (kj.sort_pairs(jnp.array([2, 0, 1, 3]), x)[1] * jnp.arange(4.0)).sum())(x)
    assert moved.tolist() == [2, 0, 1, 3]
    assert jax.grad(lambda x: x[kj.argsort(x)][0] + x[kj.argtopk(x, 1)][0])(x).tolist() == [0, 1, 0, 1]
    for call in (
        lambda x: kj.scan(x, "maximum"), lambda x: kj.reduce(x, "maximum"), lambda x: kj.scan(x, keys=x), lambda x: kj.scan(x, offsets=jnp.array([0])),
        lambda x: kj.segmented_reduce(x, jnp.array([0]), "minimum"),
    ):
        with pytest.raises(NotImplementedError, match="only sums"):
            jax.grad(lambda x: call(x).sum())(x)
    for call in (kj.unique_consecutive, kj.run_length_encode, lambda x: kj.reduce_by_key(x, x), kj.unique):
        with pytest.raises(ValueError, match="cannot be differentiated"):
            jax.grad(lambda x: call(x)[0].sum())(x)
    for call in (kj.argmin, kj.argmax, lambda x: kj.segmented_argsort(x, jnp.array([1]))[0], lambda x: kj.argsort_columns([x])[0]):
        assert jax.grad(lambda x: call(x) * 1.0 + x[0])(x).tolist() == [1, 0, 0, 0]


def moving(device):
    """Functions whose results are items of x, and the same by NumPy's functions for JAX."""
    starts = jnp.array([2, 5, 5, 9])

    def segments(x, change):
        return jnp.concatenate([change(x[a:b]) for a, b in ((2, 5), (5, 9), (9, 12))])

    chosen = np.arange(12) % 3 == 0
    mask = jnp.asarray(chosen)
    yield kj.sort, jnp.sort
    yield lambda x: kj.sort(x.reshape(3, 4), descending=True), lambda x: jnp.sort(x.reshape(3, 4))[:, ::-1]
    yield lambda x: kj.topk(x.reshape(3, 4), 2), lambda x: jnp.sort(x.reshape(3, 4))[:, :1:-1]
    yield lambda x: kj.topk(x, 3, return_indices=True)[0], lambda x: jnp.sort(x)[:8:-1]
    yield lambda x: kj.segmented_sort(x, starts)[2:], lambda x: segments(x, jnp.sort)
    yield lambda x: kj.segmented_topk(x, starts[::2], 3), lambda x: jnp.stack([jnp.sort(x[a:b])[:-4:-1] for a, b in ((2, 5), (5, 12))])
    yield lambda x: kj.segmented_topk(x, starts, 4, return_indices=True)[0][2], lambda x: jnp.sort(x[5:9])[::-1]
    yield lambda x: kj.segmented_topk(x, starts, 4)[3, :3], lambda x: jnp.sort(x[9:12])[::-1]
    yield lambda x: kj.select(x.reshape(3, 4), 1), lambda x: jnp.sort(x.reshape(3, 4))[:, 1]
    yield lambda x: kj.select(x, 4), lambda x: jnp.sort(x)[4]
    yield lambda x: kj.quantiles(x, jnp.array([3, 0, 3])), lambda x: jnp.sort(x)[jnp.array([3, 0, 3])]
    yield lambda x: kj.merge(kj.sort(x[:5]), kj.sort(x[5:])), jnp.sort
    yield lambda x: kj.merge_pairs(jnp.array([1, 4]), x[:2], jnp.array([0, 1]), x[2:4])[1], lambda x: x[jnp.array([2, 0, 3, 1])]
    yield lambda x: kj.merge_pairs(x[:1], jnp.array([1]), x[:2], jnp.array([4, 5]))[0], lambda x: jnp.sort(jnp.concatenate([x[:1], x[:2]]))
    yield lambda x: kj.compact(x, mask, fill_value=7)[0], lambda x: jnp.concatenate([x[::3], jnp.full(8, 7.0)])
    yield lambda x: kj.partition(x, ">=", 0)[0], lambda x: x[jnp.argsort(x < 0)]
    yield lambda x: kj.partition_flags(x, mask)[0], lambda x: x[np.argsort(~chosen, kind="stable")]
    yield lambda x: kj.sort_columns([mask, x])[1], lambda x: jnp.concatenate([jnp.sort(x[~chosen]), jnp.sort(x[chosen])])
    yield lambda x: kj.sort_columns_pairs([kj.argsort(x)], x)[1], lambda x: x[jnp.argsort(jnp.argsort(x))]
    yield lambda x: kj.segmented_reduce(x, starts, init=3), lambda x: 3 + jnp.stack([x[2:5].sum(), jnp.array(0.0), x[5:9].sum(), x[9:].sum()])
    if device.platform == "cpu":
        yield lambda x: kj.split(x, jnp.arange(12).astype(jnp.uint8) % 2, 2)[0], lambda x: jnp.concatenate([x[::2], x[1::2]])


def test_gradients_of_moved_items(device, random):
    x = jnp.sort(jnp.asarray(random.standard_normal(12).astype(np.float32)))[jnp.asarray(random.permutation(12))]
    x = x.at[:2].set(jnp.sort(x[:2]))  # for inputs of merges
    change = jnp.asarray(random.standard_normal(12).astype(np.float32))

    def of(call):
        def scalar(x):
            items = call(x)
            return (items**2 * jnp.cos(jnp.arange(items.size)).reshape(items.shape)).sum()

        return jax.jit(lambda x: (call(x), jax.grad(scalar)(x), *jax.jvp(call, (x,), (change,))))(x)

    for mine, own in moving(device):
        for given, right in zip(of(mine), of(own)):
            np.testing.assert_allclose(given, right, rtol=1e-5, atol=1e-6)


def test_rows_of_short_segments_have_no_gradient(device):
    x = jnp.array([3.0, 1.0, 2.0])
    gradient = jax.grad(lambda x: kj.segmented_topk(x, jnp.array([0, 1]), 3).sum())(x)
    assert gradient.tolist() == [1, 1, 1]
    assert jax.grad(lambda x: kj.segmented_topk(x, jnp.array([0, 0]), 3)[:, :0].sum())(x[:0]).shape == (0,)


def test_second_gradient(device):
    x = jnp.array([3.0, 1.0, 2.0])
    assert jax.hessian(lambda x: (kj.sort(x) ** 2 * jnp.arange(3.0)).sum())(x).tolist() == [[4, 0, 0], [0, 0, 0], [0, 0, 2]]


def test_vmap(device, random):
    x = jnp.asarray(random.standard_normal((4, 30)).astype(np.float32))
    starts = jnp.array([0, 4, 20])
    for call in (
        kj.sort, kj.argsort, lambda x: kj.topk(x, 3), kj.cumsum, lambda x: kj.histogram(x, 4, (-1, 1)), lambda x: kj.compact(x, x > 0)[0],
        lambda x: kj.segmented_sort(x, starts), lambda x: kj.segmented_topk(x, starts, 4), lambda x: kj.segmented_reduce(x, starts), kj.argmin,
        lambda x: kj.select(x, 3), lambda x: kj.quantiles(x, starts), lambda x: kj.scan(x, keys=x > 0), lambda x: kj.merge(x[:1], x[1:2]),
        lambda x: kj.partition(x, "<", 0)[0], lambda x: kj.partition_flags(x, x > 0)[1], lambda x: kj.run_length_encode(x > 0)[1],
        lambda x: kj.argsort_columns([x > 0, x]), lambda x: kj.sort_columns_pairs([x > 0], x)[1], lambda x: kj.unique(x > 0, return_inverse=True)[1],
    ):
        np.testing.assert_array_equal(jax.jit(jax.vmap(call))(x), np.stack([call(row) for row in x]))
    for call in (
        lambda x: kj.segmented_sort(x, starts)[5] ** 2, lambda x: kj.select(x, 3) ** 2, lambda x: kj.compact(x, x > 0)[0][1] ** 2,
        lambda x: (kj.segmented_reduce(x, starts) ** 2).sum(),
    ):
        np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(call)))(x), np.stack([jax.grad(call)(row) for row in x]), rtol=1e-6)


def test_axis(device, random):
    x = jnp.asarray(random.standard_normal((4, 6)).astype(np.float32))
    flat = np.asarray(x).reshape(-1)
    for call, expected in ((kj.sort, np.sort(flat)), (kj.argsort, np.argsort(flat)), (kj.cumsum, np.cumsum(flat)),
                           (lambda x, axis: kj.topk(x, 5, axis=axis), np.sort(flat)[:-6:-1]), (lambda x, axis: kj.argtopk(x, 5, axis=axis), np.argsort(-flat)[:5]),
                           (lambda x, axis: kj.select(x, 5, axis=axis), np.sort(flat)[5]), (lambda x, axis: kj.reduce(x, axis=axis), flat.sum()),
                           (lambda x, axis: kj.scan(x, "maximum", axis=axis), np.maximum.accumulate(flat))):
        np.testing.assert_allclose(jax.jit(lambda x: call(x, None))(x), expected, rtol=1e-5)
    np.testing.assert_array_equal(kj.sort(x, 1), np.sort(np.asarray(x)))


def starts3():
    return jnp.array([0, 1, 2])


@pytest.mark.parametrize("call, error, message", [
    (lambda x: kj.sort(np.arange(3)), TypeError, "an array of JAX's"), (lambda x: kj.sort(x[0]), ValueError, "no dimension"),
    (lambda x: kj.topk(x, 4), ValueError, "k is 4"), (lambda x: kj.sort(x, nans="first"), ValueError, "nans is 'first'"),
    (lambda x: kj.scan(x.reshape(1, 3)), ValueError, "2 dimensions"), (lambda x: kj.sort(x.reshape(1, 3), 0), ValueError, "axis is 0"), (lambda x: kj.scan(x, "xor"), ValueError, "op is 'xor'"),
    (lambda x: kj.compact(x, x), TypeError, "mask is of dtype"), (lambda x: kj.compact(x, x[:2] > 0), ValueError, "mask has 2 items"),
    (lambda x: kj.sort_pairs(x, x[:2]), ValueError, "values has 2 items"), (lambda x: kj.searchsorted(x, x > 0), TypeError, "v is of dtype bool"),
    (lambda x: kj.histogram(x, 5), ValueError, "range None"), (lambda x: kj.histogram(x, x[:1]), ValueError, "1 bounds"),
    (lambda x: kj.histogram(x, 3, (0, 1), weights=x[:2]), ValueError, r"weights has the shape \(2,\), where x has \(3,\)"),
    (lambda x: kj.histogram(x, x > 0), TypeError, "bins is of dtype bool"), (lambda x: kj.histogram(x, x, (0, 1)), ValueError, "range is for"),
    (lambda x: kj.sort(x.astype(complex)), TypeError, "is none of"), (lambda x: kj.segmented_sort(x, x), TypeError, "offsets is of dtype"),
    (lambda x: kj.segmented_sort(x.reshape(1, 3), starts3()), ValueError, "x has 2 dimensions"),
    (lambda x: kj.segmented_sort(x, starts3().reshape(1, 3)), ValueError, "offsets has 2 dimensions"),
    (lambda x: kj.segmented_argsort(x, [0]), TypeError, "offsets is a list"), (lambda x: kj.segmented_topk(x, starts3(), -1), ValueError, "k is -1"),
    (lambda x: kj.segmented_topk(x, starts3(), 1.5), TypeError, "k is a float"), (lambda x: kj.segmented_reduce(x, starts3(), "xor"), ValueError, "op is 'xor'"),
    (lambda x: kj.select(x, 3), ValueError, "rank is 3, where there are 3 items"), (lambda x: kj.quantiles(x, x), TypeError, "ranks is of dtype"),
    (lambda x: kj.merge(x, x > 0), TypeError, "b is of dtype bool"), (lambda x: kj.merge_pairs(x, x[:2], x, x), ValueError, "values_a has 2 items"),
    (lambda x: kj.merge_pairs(x, x, x, x > 0), TypeError, "values_b is of dtype bool"), (lambda x: kj.argmin(x[:0]), ValueError, "x has no items"),
    (lambda x: kj.argmax(x.reshape(1, 3)), ValueError, "2 dimensions"), (lambda x: kj.scan(x, keys=x[:2]), ValueError, "keys has 2 items"),
    (lambda x: kj.scan(x, keys=x, offsets=starts3()), ValueError, "keys or offsets"), (lambda x: kj.scan(x, offsets=x), TypeError, "offsets is of dtype"),
    (lambda x: kj.scan(x, keys=x, reverse=True), ValueError, "reverse"), (lambda x: kj.scan(x, offsets=starts3(), init=1), ValueError, "exclusive"),
    (lambda x: kj.reduce_by_key(x, x[:2]), ValueError, "values has 2 items"), (lambda x: kj.split(x, starts3().astype(jnp.int32), 3), TypeError, "bin_numbers is of dtype int32"),
    (lambda x: kj.split(x, jnp.zeros(2, jnp.uint8), 3), ValueError, "bin_numbers has 2 items"), (lambda x: kj.partition(x, "=<", 1), ValueError, "relation is '=<'"),
    (lambda x: kj.partition(x > 0, "<", 3), ValueError, "value is 3"), (lambda x: kj.partition_flags(x, x), TypeError, "mask is of dtype"),
    (lambda x: kj.argsort_columns(x), TypeError, "must be a list"), (lambda x: kj.argsort_columns([]), ValueError, "columns is empty"),
    (lambda x: kj.argsort_columns([x, x[:2]]), ValueError, r"columns\[1\] has 2 items"), (lambda x: kj.argsort_columns([[1]]), TypeError, r"columns\[0\] is a list"),
    (lambda x: kj.argsort_columns([kogge.column(x, valid=x > 0)]), TypeError, r"columns\[0\]: valid is of dtype bool"),
    (lambda x: kj.argsort_columns([kogge.column(x, valid=jnp.ones(3, jnp.uint8))]), ValueError, "valid has 3 bytes, where 3 keys from bit 0 on take 4"),
    (lambda x: kj.sort_columns_pairs([x], x[:2]), ValueError, "values has 2 items"), (lambda x: kj.sort_columns(None), TypeError, "must be a list"),
    (lambda x: kj.compact_indices(x.reshape(1, 3)), ValueError, "compact_indices: mask has 2 dimensions"),
    (lambda x: kj.argsort_columns([kogge.column(x, nulls="middle")]), ValueError, r"columns\[0\]: nulls is 'middle'"),
])
def test_errors(call, error, message):
    for run in (call, jax.jit(call)):
        with pytest.raises(error, match=message):
            run(jnp.arange(3.0))


def test_errors_of_the_library():
    with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT.*kogge"):
        jax.jit(lambda x: kj.histogram(x, 3, (1, 0)))(jnp.arange(3.0)).block_until_ready()


@pytest.mark.skipif(kogge.device_count() > 0, reason="on a GPU the host's checks of numbers are not made")
def test_errors_of_numbers():
    x = jnp.arange(3.0)
    for call in (
        lambda: kj.segmented_sort(x, jnp.array([2, 1])), lambda: kj.scan(x, offsets=jnp.array([2, 1])),
        lambda: kj.split(x, jnp.array([0, 9, 1], jnp.uint8), 2), lambda: kj.quantiles(x, jnp.array([3])),
    ):
        with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT"):
            jax.block_until_ready(call())


def test_examples():
    """Every function has one. They run on the host, as split has no device code."""
    with jax.default_device(jax.devices("cpu")[0]):
        result = doctest.testmod(kj, extraglobs={"kogge": kogge})
    assert result.failed == 0 and result.attempted > len(kj.__all__)
    for name in kj.__all__:
        assert ">>> " in getattr(kj, name).__doc__, name


def test_all_functions_of_arrays_are_here():
    """As README.md says."""
    of_no_arrays = {
        "Column", "Plan", "column", "device_count", "known_devices", "plan", "runtime", "scratch_bytes", "set_num_threads", "trim", "version",
    }
    assert set(kogge.__all__) - set(kj.__all__) == of_no_arrays
