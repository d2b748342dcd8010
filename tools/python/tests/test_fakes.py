"""What the package asks of PyTorch and CuPy on a GPU, told by stand-ins whose "device" is the host's memory: the stream
and the allocator of the caller's, and the calls that make results. tests/test_gpu.py has the real ones, where they are."""

import sys
import types
import weakref

import numpy as np
import pytest

import kogge
from kogge import _kinds, _kogge


class FakeDtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"torch.{self.name}"


class FakeTensor:
    layout = "strided"
    requires_grad = False

    def __init__(self, array, device):
        self.array, self.device = np.asarray(array), device
        self.shape, self.dtype = self.array.shape, FakeDtype(str(self.array.dtype))

    def data_ptr(self):
        return self.array.ctypes.data

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def __getitem__(self, places):
        return FakeTensor(self.array[places.array if isinstance(places, FakeTensor) else places], self.device)

    def __mul__(self, number):
        return FakeTensor(self.array * number, self.device)

    def __mod__(self, number):
        return FakeTensor(self.array % number, self.device)

    def __len__(self):
        return len(self.array)


FakeTensor.__module__ = "torch"


class FakeDevice(types.SimpleNamespace):
    def __str__(self):
        return self.type


def fake_torch(log):
    torch = types.ModuleType("torch")
    torch.strided = "strided"
    for name in _kinds.TYPES:
        setattr(torch, name, FakeDtype(name))

    def empty(shape, dtype, device):
        log.append(("empty", shape, dtype.name, device.type))
        return FakeTensor(np.empty(shape, dtype.name), device)

    torch.empty = empty
    torch.arange = lambda *range_, device: FakeTensor(np.arange(*range_, dtype="int64"), device)

    def stream(index):
        log.append(("stream", index))
        return 4711 + index

    torch.Tensor = FakeTensor
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=stream)
    torch.cuda = types.SimpleNamespace(current_stream=lambda index: types.SimpleNamespace(cuda_stream=stream(index)))
    return torch


@pytest.fixture
def torch(monkeypatch):
    if kogge.device_count() > 0:
        pytest.skip("the stand-in has no device")
    log = []
    module = fake_torch(log)
    module.log = log
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_torch(torch, where):
    device = FakeDevice(type=where, index=3 if where == "cuda" else None)
    x = FakeTensor(np.array([5, 1, 4, 1], np.int64), device)
    out = FakeTensor(np.zeros(4, np.int64), device)
    assert kogge.sort(x, out=out) is out and out.array.tolist() == [1, 1, 4, 5]
    assert kogge.argsort(x).array.tolist() == [1, 3, 2, 0]
    mask = FakeTensor(np.array([True, False, False, True]), device)
    assert kogge.compact(x, mask).array.tolist() == [5, 1]
    rows = FakeTensor(np.array([[3, 1, 2], [9, 7, 8]], np.float32), device)
    assert kogge.sort(rows).array.tolist() == [[1, 2, 3], [7, 8, 9]]
    assert kogge.argsort(rows).array.tolist() == [[1, 2, 0], [1, 2, 0]]
    items, indices = kogge.topk(rows, 1, return_indices=True)
    assert items.array.tolist() == [[3], [9]] and indices.array.tolist() == [[0], [0]]
    assert indices.device is device
    starts = FakeTensor(np.array([0, 2]), device)
    assert kogge.segmented_argsort(x, starts).array.tolist() == [1, 0, 3, 2]
    assert kogge.scan(x, keys=x).array.tolist() == [5, 1, 4, 1]
    assert kogge.cumsum(x).array.tolist() == [5, 6, 10, 11]
    assert kogge.scan(rows, "maximum").array.tolist() == [[3, 3, 3], [9, 9, 9]]
    with pytest.raises(ValueError, match="contiguous"):
        kogge.sort(FakeTensor(np.arange(8)[::2], device))


@pytest.mark.parametrize("has_raw_streams", [True, False])
def test_torch_stream_and_allocator(torch, has_raw_streams):
    if not has_raw_streams:
        del torch._C._cuda_getCurrentRawStream
    x = _kinds.view("sort", "x", FakeTensor(np.zeros(3), FakeDevice(type="cuda", index=2)))
    how = _kogge.Exec()
    assert x.kind.running(x, how) is None
    assert how.stream == 4713
    places = [how.allocate(100, how.stream), how.allocate(50, how.stream)]
    held = weakref.ref(how.deallocate.__closure__[0].cell_contents[places[0]])
    how.deallocate(places[0], 100, how.stream)
    assert held() is None  # back to the caching allocator at once
    how.deallocate(places[1], 50, how.stream)
    assert torch.log == [("stream", 2), ("empty", 100, "uint8", "cuda"), ("empty", 50, "uint8", "cuda")]


def test_torch_calls_ask_once(torch, monkeypatch):
    """What a call of a few items asks PyTorch for."""
    views = []
    monkeypatch.setattr(_kinds.TORCH, "view", lambda *given, view=_kinds.TORCH.view: views.append(given[1]) or view(*given))
    device = FakeDevice(type="cuda", index=1)
    x, out = FakeTensor(np.array([5, 1, 4], np.int64), device), FakeTensor(np.zeros(3, np.int64), device)
    for call in (kogge.sort, kogge.argsort, kogge.cumsum, lambda x, out=None: kogge.scan(x, "maximum", out=out), kogge.flatnonzero):
        del torch.log[:], views[:]
        call(x, out=out)
        assert torch.log == [("stream", 1)] and views == ["x", "out"]
        del torch.log[:], views[:]
        call(x)
        assert torch.log == [("empty", (3,), "int64", "cuda"), ("stream", 1)] and views == ["x"]
    sums = FakeTensor(np.zeros((), np.int64), device)
    del torch.log[:], views[:]
    kogge.reduce(x, out=sums)
    assert torch.log == [("stream", 1)] and views == ["x", "out"] and sums.array == 10


def test_torch_places(torch):
    host, device = FakeDevice(type="cpu", index=None), FakeDevice(type="cuda", index=0)
    with pytest.raises(ValueError, match="not where the other array is: the host, device 0"):
        kogge.compact(FakeTensor(np.zeros(3), device), FakeTensor(np.zeros(3, bool), host))
    with pytest.raises(ValueError, match="out is on the host, and the input on device 0"):
        kogge.sort(FakeTensor(np.zeros(3), device), out=FakeTensor(np.zeros(3), host))
    with pytest.raises(ValueError, match="device mps"):
        kogge.sort(FakeTensor(np.zeros(3), FakeDevice(type="mps", index=0)))
    sparse = FakeTensor(np.zeros(3), host)
    sparse.layout = "sparse"
    with pytest.raises(TypeError, match="sparse"):
        kogge.sort(sparse)


def test_torch_gradients(torch):
    x = FakeTensor(np.array([2.0, 1.0]), FakeDevice(type="cpu", index=None))
    x.requires_grad = True
    torch.is_grad_enabled = lambda: True
    with pytest.raises(ValueError, match="kogge.sort: x requires a gradient, which would be lost"):
        kogge.sort(x)
    torch.is_grad_enabled = lambda: False
    assert kogge.sort(x).array.tolist() == [1, 2]


class FakeCupyArray:
    def __init__(self, array, device):
        self.array, self.device = np.asarray(array), device
        self.shape, self.dtype, self.flags = self.array.shape, self.array.dtype, self.array.flags
        self.data = types.SimpleNamespace(ptr=self.array.ctypes.data)

    def __len__(self):
        return len(self.array)

    def __getitem__(self, places):
        if isinstance(places, slice):
            return FakeCupyArray(self.array[places], self.device)
        self.device.check_current()
        return FakeCupyArray(self.array[places.array], self.device)

    def __setitem__(self, places, items):
        self.device.check_current()
        places = places.array if isinstance(places, FakeCupyArray) else places
        self.array[places] = items.array if isinstance(items, FakeCupyArray) else items


FakeCupyArray.__module__ = "cupy"


class FakeMemory(types.SimpleNamespace):
    pass  # of which there are weak references


class FakeCupyDevice:
    """One that is not current until it is entered: CuPy works on the current device alone."""

    id = 1
    entered = 0

    def __enter__(self):
        self.entered += 1

    def __exit__(self, *failure):
        self.entered -= 1

    def check_current(self):
        assert self.entered


def test_cupy(monkeypatch):
    if kogge.device_count() > 0:
        pytest.skip("the stand-in has no device")
    device = FakeCupyDevice()
    cupy = types.ModuleType("cupy")
    cupy.int64 = np.int64

    def on_device(make):
        def made_there(*given, **more):
            device.check_current()
            return FakeCupyArray(make(*(each.array if isinstance(each, FakeCupyArray) else each for each in given), **more), device)

        return made_there

    for name in ("empty", "zeros", "arange", "cumsum"):
        setattr(cupy, name, on_device(getattr(np, name)))
    lent, made = [], []

    def allocate(bytes_):
        memory = np.empty(bytes_, np.uint8)
        lent.append(bytes_)
        made.append(FakeMemory(ptr=memory.ctypes.data, memory=memory))
        return made[0]

    cupy.cuda = types.SimpleNamespace(alloc=allocate, get_current_stream=lambda: types.SimpleNamespace(ptr=99))
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    x = FakeCupyArray(np.array([[3., 1.], [2., 7.]]), device)
    assert kogge.sort(x).array.tolist() == [[1, 3], [2, 7]]
    assert kogge.cumsum(x, axis=-1).array.tolist() == [[3, 4], [2, 9]]
    few, outs = FakeCupyArray(np.array([7, 3, 7, 5]), device), [FakeCupyArray(np.zeros(4, int), device) for _ in range(3)]
    for out in (None, outs):
        results = kogge.unique(few, return_inverse=True, return_counts=True, out=out)
        assert [each.array.tolist() for each in results] == [[3, 5, 7], [2, 0, 2, 1], [1, 1, 2]]
    assert results[1] is outs[1] and not device.entered
    with pytest.raises(ValueError, match="contiguous"):
        kogge.sort(FakeCupyArray(np.arange(8)[::2], device))
    seen = _kinds.view("sort", "x", x)
    how = _kogge.Exec()
    assert seen.kind.running(seen, how) is None and how.stream == 99
    address = how.allocate(64, 99)
    held = weakref.ref(made[0])
    del made[:]
    assert held() is not None
    how.deallocate(address, 64, 99)
    assert lent == [64] and held() is None


class Interface:
    """Numba's way: __cuda_array_interface__ alone."""

    def __init__(self, array, **more):
        self.array = array
        self.__cuda_array_interface__ = {
            "data": (array.ctypes.data, False), "typestr": array.dtype.str, "shape": array.shape, "strides": None, **more,
        }


def test_cuda_array_interface(monkeypatch):
    if kogge.device_count() > 0:
        pytest.skip("the stand-in has no device")
    waits = []
    monkeypatch.setattr(_kogge, "synchronize", waits.append)
    x, out = np.array([3, 1, 2]), np.zeros(3, int)
    given = Interface(out)
    assert kogge.sort(Interface(x, stream=7), out=given) is given
    assert out.tolist() == [1, 2, 3] and waits == [7, 0]  # before: the caller's stream; after: the result is complete
    with pytest.raises(TypeError, match="give out="):
        kogge.sort(Interface(x))
    rows = np.array([[[3, 1]], [[2, 9]]])
    assert kogge.sort(Interface(rows, strides=(16, 999, 8)), out=Interface(rows)) and rows.tolist() == [[[1, 3]], [[2, 9]]]
    kogge.sort(Interface(np.empty((0, 3)), strides=(7, 7)), out=Interface(np.empty((0, 3))))
    for strides in [(16,), (-8,), (0,)]:
        with pytest.raises(ValueError, match="contiguous"):
            kogge.sort(Interface(x, strides=strides))
    with pytest.raises(ValueError, match="contiguous"):
        kogge.sort(Interface(rows, strides=(8, 8, 16)))
    with pytest.raises(TypeError, match="scans of rows on a GPU are for arrays of PyTorch and CuPy"):
        kogge.scan(Interface(rows), out=Interface(rows))
    with pytest.raises(TypeError, match="mask"):
        kogge.sort(Interface(x, mask=Interface(x > 1)))
    weights = Interface(np.array([5, 1, 1]))  # where both are, nobody knows
    counts = Interface(np.zeros(2, int))
    kogge.histogram(Interface(x), 2, (0, 4), weights=weights, out=counts)
    assert counts.array.sum() == 7
    with pytest.raises(ValueError, match="read-only"):
        kogge.sort(Interface(x), out=Interface(out, data=(out.ctypes.data, True)))
