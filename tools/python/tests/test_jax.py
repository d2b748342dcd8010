"""kogge.jax: handlers in jax.jit, with gradients and vmap; on the host, and on a GPU where there is one."""

import doctest

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.5")
jnp = jax.numpy

import kogge  # noqa: E402
from conftest import numbers  # noqa: E402

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


def test_sorted_and_bins(device, random):
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


@pytest.mark.parametrize("n", [0, 1, 1000])
def test_sizes_that_the_data_decide(device, random, n):
    x, mask = random.standard_normal(n).astype(np.float32), random.integers(0, 2, n).astype(bool)
    items, count = jax.jit(lambda x, mask: kj.compact(x, mask, fill_value=9))(jnp.asarray(x), jnp.asarray(mask))
    assert int(count) == mask.sum()
    np.testing.assert_array_equal(items, np.concatenate([x[mask], np.full(n - mask.sum(), 9, np.float32)]))
    indices, count = jax.jit(kj.flatnonzero)(jnp.asarray(mask))
    np.testing.assert_array_equal(indices[: int(count)], np.flatnonzero(mask))
    assert (np.asarray(indices[int(count) :]) == -1).all()


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
    for call in (lambda x: kj.scan(x, "maximum"), lambda x: kj.reduce(x, "maximum")):
        with pytest.raises(NotImplementedError, match="only sums"):
            jax.grad(lambda x: call(x).sum())(x)


def test_vmap(device, random):
    x = jnp.asarray(random.standard_normal((4, 30)).astype(np.float32))
    for call in (kj.sort, kj.argsort, lambda x: kj.topk(x, 3), kj.cumsum, lambda x: kj.histogram(x, 4, (-1, 1)), lambda x: kj.compact(x, x > 0)[0]):
        np.testing.assert_array_equal(jax.jit(jax.vmap(call))(x), np.stack([call(row) for row in x]))


@pytest.mark.parametrize("call, error, message", [
    (lambda x: kj.sort(np.arange(3)), TypeError, "an array of JAX's"), (lambda x: kj.sort(x[0]), ValueError, "0 dimensions"),
    (lambda x: kj.topk(x, 4), ValueError, "k is 4"), (lambda x: kj.sort(x, nans="first"), ValueError, "nans is 'first'"),
    (lambda x: kj.cumsum(x.reshape(1, 3)), ValueError, "2 dimensions"), (lambda x: kj.scan(x, "xor"), ValueError, "op is 'xor'"),
    (lambda x: kj.compact(x, x), TypeError, "mask is of dtype"), (lambda x: kj.compact(x, x[:2] > 0), ValueError, "mask has 2 items"),
    (lambda x: kj.sort_pairs(x, x[:2]), ValueError, "values has 2 items"), (lambda x: kj.searchsorted(x, x > 0), TypeError, "v is of dtype bool"),
    (lambda x: kj.histogram(x, 5), ValueError, "range None"), (lambda x: kj.histogram(x, x[:1]), ValueError, "1 bounds"),
    (lambda x: kj.histogram(x, x > 0), TypeError, "bins is of dtype bool"), (lambda x: kj.histogram(x, x, (0, 1)), ValueError, "range is for"),
    (lambda x: kj.sort(x.astype(complex)), TypeError, "is none of"),
])
def test_errors(call, error, message):
    for run in (call, jax.jit(call)):
        with pytest.raises(error, match=message):
            run(jnp.arange(3.0))


def test_errors_of_the_library():
    with pytest.raises(jax.errors.JaxRuntimeError, match="INVALID_ARGUMENT.*kogge"):
        jax.jit(lambda x: kj.histogram(x, 3, (1, 0)))(jnp.arange(3.0)).block_until_ready()


def test_example():
    assert doctest.testmod(kj).failed == 0 and doctest.testmod(kj).attempted > 0
