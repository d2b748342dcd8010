"""Arrays of every kind that is here: tests run once for each. Those on a GPU are left out where there is none."""

import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64"]


class NumpyArrays:
    name = "numpy"
    on_device = False

    def make(self, array):
        return array.copy()

    def back(self, array):
        assert isinstance(array, (np.ndarray, np.generic))
        return array


class TorchArrays:
    def __init__(self, device):
        import torch

        self.torch, self.device, self.on_device = torch, device, device == "cuda"
        self.name = f"torch-{device}"

    def make(self, array):
        return self.torch.from_numpy(array.copy()).to(self.device)

    def back(self, tensor):
        assert isinstance(tensor, self.torch.Tensor) and tensor.device.type == self.device
        return tensor.cpu().numpy()


class CupyArrays:
    name = "cupy"
    on_device = True

    def __init__(self):
        import cupy

        self.cupy = cupy

    def make(self, array):
        return self.cupy.asarray(array)

    def back(self, array):
        assert isinstance(array, self.cupy.ndarray)
        return array.get()


class JaxArrays:
    def __init__(self, device):
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax, self.device = jax, jax.devices(device)[0]
        self.name, self.on_device = f"jax-{device}", device != "cpu"

    def make(self, array):
        return self.jax.device_put(array, self.device)

    def back(self, array):
        assert isinstance(array, self.jax.Array)
        return np.asarray(array)


def _try(make):
    try:
        return make()
    except Exception:  # the library is not here, or has no such device
        return None


def _kinds():
    import kogge

    found = [NumpyArrays(), _try(lambda: TorchArrays("cpu")), _try(lambda: JaxArrays("cpu"))]
    if kogge.device_count() > 0:
        found += [_try(lambda: TorchArrays("cuda")), _try(CupyArrays), _try(lambda: JaxArrays("gpu"))]
    return [kind for kind in found if kind is not None]


def pytest_generate_tests(metafunc):
    if "kind" in metafunc.fixturenames:
        kinds = _kinds()
        metafunc.parametrize("kind", kinds, ids=[kind.name for kind in kinds])


@pytest.fixture
def random():
    return np.random.default_rng(7)


def numbers(random, dtype, n):
    """Random numbers with repetitions, and of floats with zeros of both signs."""
    if dtype == "bool":
        return random.integers(0, 2, n).astype(bool)
    if dtype.startswith("float"):
        return np.where(random.integers(0, 3, n) == 0, random.integers(-3, 3, n), random.standard_normal(n)).astype(dtype)
    info = np.iinfo(dtype)
    return np.where(random.integers(0, 2, n) == 0, random.integers(0, 4, n), random.integers(info.min, info.max, n, dtype)).astype(dtype)


def order_of_rows(*columns):
    """By (keys, descending, valid, nulls), the first of which counts most; valid may be None."""
    keys = []
    for x, descending, valid, nulls in columns:
        _, ranks = np.unique(x, return_inverse=True)
        ranks = -ranks if descending else ranks
        if valid is not None:
            keys.append(valid if nulls == "first" else ~valid)
            ranks = np.where(valid, ranks, 0)
        keys.append(ranks)
    return np.lexsort(keys[::-1])


def bitmap_of(valid, valid_from):
    words = (len(valid) + valid_from + 31) // 32
    bits = np.concatenate([np.zeros(valid_from, bool), valid, np.zeros(32 * words - valid_from - len(valid), bool)])
    return np.packbits(bits, bitorder="little")
