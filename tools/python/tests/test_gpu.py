"""What there is only on a GPU: the caller's stream, its allocator, graphs, and peak memory."""

import numpy as np
import pytest

import kogge

pytestmark = pytest.mark.skipif(kogge.device_count() == 0, reason="no GPU")


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("a PyTorch without CUDA")
    return torch


def test_torch_stream(torch):
    """Work in a stream of the caller's follows what is in front of it there."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        x = torch.randint(0, 1 << 40, (1 << 24,), device="cuda")
        for _ in range(20):
            x = (x * 5 + 1) % (1 << 40)
        result = kogge.sort(x)
        expected = torch.sort(x).values
    stream.synchronize()
    assert torch.equal(result, expected)


def test_torch_peak_memory(torch):
    n = 1 << 26
    x = torch.rand(n, device="cuda")
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    kogge.sort(x, out=x)
    planned = kogge.scratch_bytes("sort", n, "float32", in_place=True)
    assert planned <= torch.cuda.max_memory_allocated() - before <= planned + (4 << 20)
    torch.cuda.reset_peak_memory_stats()
    kogge.topk(x, 40)
    assert torch.cuda.max_memory_allocated() - before < n * 4 // 100


def test_torch_out_of_memory(torch):
    """The allocator's own exception, which programs catch to take less; and the next call works."""
    x = torch.arange(1 << 24, device="cuda", dtype=torch.int32).flip(0)
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction(1e-6)
    try:
        with pytest.raises(torch.OutOfMemoryError):
            kogge.sort(x, out=x)
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert torch.equal(kogge.sort(x), torch.arange(1 << 24, device="cuda", dtype=torch.int32))


def test_torch_device_that_is_not_current(torch):
    if torch.cuda.device_count() < 2:
        pytest.skip("one device")
    x = torch.randint(0, 1000, (1 << 20,), device="cuda:1")
    assert torch.equal(kogge.sort(x), torch.sort(x).values) and torch.cuda.current_device() == 0


def test_torch_graph(torch):
    x = torch.randint(0, 1000, (1 << 20,), device="cuda", dtype=torch.int32)
    out = torch.empty_like(x)
    kogge.sort(x, out=out)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        kogge.sort(x, out=out)
        sums = kogge.cumsum(out)
    x.random_(0, 1000)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, torch.sort(x).values)
    assert torch.equal(sums, torch.cumsum(out, 0))


def test_torch_capture_of_a_count(torch):
    x = torch.ones(1000, device="cuda")
    mask = x > 0
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(ValueError, match="captured"):
        with torch.cuda.graph(graph):
            kogge.compact(x, mask)


def test_torch_devices_apart(torch):
    x, mask = torch.ones(10, device="cuda"), torch.ones(10, dtype=torch.bool)
    with pytest.raises(ValueError, match="not where the other array is"):
        kogge.compact(x, mask)
    with pytest.raises(ValueError, match="out is on the host"):
        kogge.sort(x, out=torch.empty(10))


def test_cupy_pool_and_stream():
    cupy = pytest.importorskip("cupy")
    pool = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc), cupy.cuda.Stream() as stream:
        x = cupy.random.randint(0, 1 << 40, 1 << 22)
        pool.free_all_blocks()  # what made x may have left free ones
        used = pool.total_bytes()
        result = kogge.sort(x)
        stream.synchronize()
        assert pool.total_bytes() > used
        assert bool((result == cupy.sort(x)).all())


def test_cuda_array_interface():
    cupy = pytest.importorskip("cupy")

    class Wrapped:
        def __init__(self, array):
            self.array = array

        @property
        def __cuda_array_interface__(self):
            return self.array.__cuda_array_interface__

    x, out = cupy.arange(1000)[::-1].copy(), cupy.empty(1000, cupy.int64)
    kogge.sort(Wrapped(x), out=Wrapped(out))
    np.testing.assert_array_equal(out.get(), np.arange(1000))
    with pytest.raises(TypeError, match="give out="):
        kogge.sort(Wrapped(x))
