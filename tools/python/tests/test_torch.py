"""kogge.torch: operators in eager mode, in torch.compile, with gradients; on the host, and on a GPU where there is one."""

import doctest
import inspect
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", minversion="2.6")

import kogge  # noqa: E402
import kogge.torch as kt  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if kogge.device_count() > 0 and torch.cuda.is_available() else [])


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(3)
    torch._dynamo.reset()
    return request.param


def samples(device):
    """Arguments of each operator; those that the library has no device code for are left out on a GPU."""
    ops = torch.ops.kogge
    order, first = (True, "last", "equal"), (True, "by_sign", "negative_first")
    x, rows = torch.randn(60, device=device), torch.randn(4, 15, device=device)
    whole = torch.randint(0, 5, (60,), device=device)
    ascending, mask, starts = torch.sort(x).values, x > 0, torch.tensor([0, 7, 7, 40], device=device)
    given = [
        (ops.sort, (x, *order)), (ops.sort, (rows, *order)), (ops.sort_out, (rows, *order, torch.empty_like(rows))),
        (ops.argsort, (rows, torch.int32, *order)), (ops.sort_pairs, (whole, x, *order)),
        (ops.segmented_sort, (x, starts, *order)), (ops.segmented_argsort, (x, starts, *order)),
        (ops.topk, (rows, 3, *first)), (ops.topk_pairs, (x, 7, *first)), (ops.argtopk, (rows, 3, *first)),
        (ops.argtopk_out, (x, 3, *first, torch.empty(3, dtype=torch.int64, device=device))),
        (ops.select, (rows, 2, *order)), (ops.quantiles, (x, starts, *order)),
        (ops.searchsorted, (ascending, x, "right")), (ops.merge, (ascending, ascending[:9].contiguous())),
        (ops.merge_pairs, (ascending, whole, ascending, whole)), (ops.histogram, (rows, 5, -1.0, 1.0, None)),
        (ops.histogram_bounds, (rows, torch.tensor([-1.0, 0, 1], device=device), None)),
        (ops.scan, (x, "plus", False, False, None, None, None, None)),
        (ops.scan, (x, "maximum", True, False, 0.5, None, None, None)),
        (ops.reduce, (x, "plus", None, None)), (ops.argmin, (x,)), (ops.argmax, (x,)), (ops.compact, (x, mask)),
        (ops.partition, (whole, "<", 3)), (ops.flatnonzero, (whole,)), (ops.unique_consecutive, (whole,)),
        (ops.run_length_encode, (whole,)),
    ]
    if device == "cpu":
        given += [
            (ops.segmented_topk, (x, torch.tensor([0, 20]), 3, *first)), (ops.histogram, (rows, 5, -1.0, 1.0, rows.to(torch.int64))),
            (ops.scan, (x, "plus", False, True, None, None, None, torch.float64)),
            (ops.scan, (whole, "plus", True, False, None, whole, None, None)),
            (ops.reduce, (rows, "maximum", None, None)), (ops.segmented_reduce, (x, starts, "plus", 1.0, torch.float64)),
            (ops.reduce_by_key, (whole, x, "plus", None)), (ops.partition_flags, (x, mask)),
            (ops.split, (x, whole.to(torch.uint8), 5)),
        ]
    return given


def test_opcheck(device):
    """PyTorch's own checks: schema, fake kernel against the real one, autograd, and tracing with symbolic sizes."""
    for op, arguments in samples(device):
        torch.library.opcheck(op, arguments)


def test_every_operator_is_checked():
    """All that the module defines has samples above, but for the _out forms, which are made alike."""
    defined = {name.split("::")[1] for name in torch._C._dispatch_get_all_op_names() if name.startswith("kogge::")}
    checked = {str(op).split(".")[-1] for op, _ in samples("cpu")}
    assert {name for name in defined if not name.endswith("_out")} <= checked
    assert {name for name in defined if name.endswith("_out")} >= {f"{name}_out" for name in ("sort", "argsort", "topk", "scan", "reduce")}


def test_meta():
    x = torch.empty(3, 10, device="meta", dtype=torch.bfloat16)
    assert kt.argsort(x).shape == (3, 10) and kt.argsort(x).dtype == torch.int64 and kt.topk(x, 4).shape == (3, 4)
    assert kt.cumsum(x[0]).dtype == torch.float32


def fixed(x, keys):
    ascending = kt.sort(x)
    items, indices = kt.topk(x, x.shape[0] // 3, return_indices=True)
    moved, order = kt.sort_pairs(keys, kt.argsort(x, descending=True))
    return (
        ascending, items, indices, moved, order, kt.argtopk(x, 4, largest=False), kt.cumsum(keys),
        kt.scan(x, "maximum", exclusive=True, init=-1.5), kt.reduce(x, "minimum"), kt.searchsorted(ascending, x + 1),
        kt.histogram(keys, 4, (0, 8)), kt.histogram(x, torch.arange(-2.0, 3.0, device=x.device)), kt.select(x, 5),
        kt.merge(ascending, ascending), kt.argmax(x), kt.sort(x, out=torch.empty_like(x)),
    )


def of_unknown_size(x, keys):
    kept = kt.compact(x, keys > 3)
    runs, lengths = kt.run_length_encode(kt.sort(keys))
    return (
        kept, kt.sort(kept * 2), kt.cumsum(kept), kt.flatnonzero(keys), runs * 2, kt.sort(lengths), kt.unique(x),
        *kt.unique(keys, return_inverse=True, return_counts=True), kt.partition(keys, "<", 4)[0],
    )


def of_unknown_size_on_the_host(x, keys):
    return *kt.reduce_by_key(keys, x), kt.split(x, keys.to(torch.uint8), 9)[0]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("function", [fixed, of_unknown_size, of_unknown_size_on_the_host])
def test_compile(device, backend, dynamic, function):
    if device == "cuda" and function is of_unknown_size_on_the_host:
        pytest.skip("no device code")
    compiled = torch.compile(function, fullgraph=True, backend=backend, dynamic=dynamic)
    for n in (50, 50, 71, 300):
        x, keys = torch.randn(n, device=device), torch.randint(0, 8, (n,), device=device)
        for given, right in zip(compiled(x, keys), function(x, keys), strict=True):
            torch.testing.assert_close(given, right, rtol=0, atol=0)


def test_results(device):
    x, keys = torch.randn(500, device=device), torch.randint(0, 8, (500,), device=device)
    assert torch.equal(kt.sort(x), torch.sort(x).values)
    assert torch.equal(kt.argsort(keys), torch.sort(keys, stable=True).indices)
    items, indices = kt.topk(x, 20, return_indices=True)
    assert torch.equal(items, torch.topk(x, 20).values) and torch.equal(x[indices], items)
    assert torch.equal(kt.compact(x, keys > 3), x[keys > 3])
    unique = {"return_inverse": True, "return_counts": True}
    for given, right in zip(kt.unique(keys, **unique), torch.unique(keys, **unique)):
        assert torch.equal(given, right)
    assert torch.equal(kt.flatnonzero(keys > 3), torch.nonzero(keys > 3)[:, 0])
    items, boundary = kt.partition(keys, "<", 4)
    assert boundary == int((keys < 4).sum()) and torch.equal(items[:boundary], keys[keys < 4])


def test_package_functions_in_a_graph():
    """A compiled function that calls the functions of kogge gets the operators."""

    def function(x, mask):
        return kogge.sort(x * 2, descending=True), kogge.compact(x, mask), kogge.topk(x, 3, return_indices=True)[1]

    torch._dynamo.reset()
    x = torch.randn(40)
    compiled = torch.compile(function, fullgraph=True, backend="aot_eager")
    for given, right in zip(compiled(x, x > 0), function(x, x > 0), strict=True):
        assert torch.equal(given, right)
    # What the operators do not have is run outside the graph.
    low_bits = torch.compile(lambda x: kogge.sort(x + 0, begin_bit=0, end_bit=8), backend="eager")
    assert low_bits(torch.tensor([0x102, 0x201])).tolist() == [0x201, 0x102]


def test_axis(device):
    rows = torch.randn(4, 6, device=device)
    calls = [kogge.sort, kogge.argsort, kogge.cumsum, lambda x, axis: kogge.topk(x, 3, axis=axis), lambda x, axis: kogge.argtopk(x, 3, axis=axis),
             lambda x, axis: kogge.select(x, 3, axis=axis), lambda x, axis: kogge.reduce(x, axis=axis), lambda x, axis: kogge.scan(x, "maximum", axis=axis)]
    for call in calls:
        for axis in (-1, 1, None):
            torch._dynamo.reset()
            compiled = torch.compile(lambda x: call(x, axis), fullgraph=True, backend="eager")
            assert torch.equal(compiled(rows), call(rows, axis))
    double = rows.double().requires_grad_()
    check = torch.autograd.gradcheck
    assert check(lambda x: kt.sort(x, None), double) and check(lambda x: kt.cumsum(x, -1), double) and check(kt.cumsum, double)
    assert check(lambda x: kt.scan(x, exclusive=True), double) and check(lambda x: kt.reduce(x, axis=None), double)


def test_gradients(device):
    x = torch.randperm(24, device=device).double().requires_grad_()
    rows = torch.randperm(24, device=device).double().reshape(4, 6).requires_grad_()
    keys, mask = torch.randint(0, 3, (24,), device=device), torch.arange(24, device=device) % 3 == 0
    starts = torch.tensor([0, 5, 11], device=device)
    check = torch.autograd.gradcheck
    assert check(kt.sort, rows) and check(lambda x: kt.sort(x, descending=True), x)
    assert check(lambda rows: kt.topk(rows, 2), rows) and check(lambda x: kt.topk(x, 5, return_indices=True)[0], x)
    assert check(lambda x: kt.sort_pairs(keys, x)[1], x) and check(lambda x: kt.sort_pairs(x, keys)[0], x)
    assert check(lambda x: kt.sort_pairs(x, x * x), x)
    assert check(lambda x: kt.segmented_sort(x, starts), x)
    assert check(lambda x: kt.compact(x, mask), x) and check(lambda x: kt.compact(x, mask.to(torch.uint8)), x)
    assert check(kt.cumsum, x) and check(lambda x: kt.scan(x, exclusive=True), x)
    assert check(kt.reduce, x)
    if device == "cpu":
        assert check(lambda x: kt.scan(x, reverse=True), x) and check(kt.reduce, rows)
        assert check(lambda x: kt.scan(x, reverse=True, exclusive=True), x)
    assert torch.autograd.gradgradcheck(lambda x: kt.sort(x * x), x) and torch.autograd.gradgradcheck(lambda x: kt.cumsum(x * x), x)


def test_gradients_are_not_lost(device):
    """The package's own functions, which know no gradients, refuse tensors that require one."""
    x = torch.randn(9, device=device, requires_grad=True)
    for call in (kogge.sort, lambda x: kogge.topk(x, 2), lambda x: kogge.sort(x.detach(), out=x)):
        with pytest.raises(ValueError, match="requires a gradient"):
            call(x)
    for call in (lambda x: kt.sort(x, out=torch.empty(9, device=device)), lambda x: kt.cumsum(x.detach(), out=x)):
        with pytest.raises(RuntimeError, match="no gradient"):
            call(x)
    assert torch.equal(kogge.argsort(x), torch.argsort(x)) and kogge.argmax(x) == torch.argmax(x)
    assert torch.equal(kogge.sort(x.detach()), torch.sort(x.detach()).values)
    with torch.no_grad():
        assert torch.equal(kogge.sort(x), torch.sort(x).values)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_gradients_in_a_graph(device, backend):
    def function(x):
        return (kt.sort(x * x)[:3].sum() + kt.topk(x, 4).prod() + kt.cumsum(x)[5] * kt.reduce(x) + kt.compact(x, x > 0).sum())

    compiled = torch.compile(function, fullgraph=True, backend=backend, dynamic=True)
    for n in (10, 33):
        x = torch.randn(n, device=device, requires_grad=True)
        (given,), (right,) = torch.autograd.grad(compiled(x), x), torch.autograd.grad(function(x), x)
        torch.testing.assert_close(given, right)


def test_half_sums_have_gradients():
    x = torch.ones(5, dtype=torch.bfloat16, requires_grad=True)
    kt.cumsum(x).sum().backward()
    assert x.grad.dtype == torch.bfloat16 and x.grad.tolist() == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("call", [
    lambda x: kt.scan(x, "maximum"), lambda x: kt.reduce(x, "maximum"), lambda x: kt.scan(x, keys=torch.zeros(4)),
    lambda x: kt.scan(x, offsets=torch.zeros(1, dtype=torch.int64)),
])
def test_no_gradient(call):
    x = torch.ones(4, requires_grad=True)
    with pytest.raises(NotImplementedError, match="only sums"):
        call(x).sum().backward()


def test_no_formula():
    x = torch.ones(4, requires_grad=True)
    with pytest.raises(RuntimeError, match="no autograd formula"):
        kt.merge(x, x).sum().backward()
    assert not kt.argsort(x).requires_grad and not kt.searchsorted(x, x).requires_grad


def test_out(device):
    x, out = torch.randn(30, device=device), torch.empty(30, device=device)
    assert kt.sort(x, out=out) is out and torch.equal(out, torch.sort(x).values)
    indices = torch.empty(30, dtype=torch.int32, device=device)
    assert torch.equal(x[kt.argsort(x, out=indices).long()], out)

    def in_place(x):
        kt.sort(x, out=x)
        return x + 1

    for backend in ("eager", "aot_eager", "inductor"):
        given = x.clone()
        assert torch.equal(torch.compile(in_place, fullgraph=True, backend=backend)(given), out + 1)
        assert torch.equal(given, out)


@pytest.mark.parametrize("call, error, message", [
    (lambda x: kt.sort(x[::2]), ValueError, "not contiguous"), (lambda x: kt.topk(x, 31), ValueError, "k is 31"),
    (lambda x: kt.topk(x, -1), ValueError, "k is -1"), (lambda x: kt.sort(x, nans="first"), ValueError, "nans is 'first'"),
    (lambda x: kt.sort(x, out=torch.empty(3)), ValueError, "out has the shape"),
    (lambda x: kt.sort(x, out=torch.empty(30, dtype=torch.int32)), TypeError, "out is of dtype int32"),
    (lambda x: kt.compact(x, x), TypeError, "mask is of dtype float32"), (lambda x: kt.scan(x, "xor"), ValueError, "op is 'xor'"),
    (lambda x: kt.histogram(x, 5), ValueError, "range is None"), (lambda x: kt.sort(x.reshape(30)[0]), ValueError, "no dimension"),
    (lambda x: kt.histogram(x, x, (0, 1)), ValueError, "range is for a number of bins"),
    (lambda x: kt.topk(x, 3, return_indices=True, out=x), TypeError, "out is for calls without return_indices"),
    (lambda x: kt.sort(x.to(torch.complex64)), TypeError, "dtype torch.complex64, none of"),
])
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call(torch.arange(30.0))


@pytest.mark.parametrize("call, message", [
    (lambda x: kt.sort((x * 2)[::2]), "not contiguous"), (lambda x: kt.topk(x, 31), "k is greater than the number of items"),
    (lambda x: kt.compact(x, (x > 0)[::2]), "not contiguous"), (lambda x: kt.argmin(x.reshape(5, 6)), "has 2 dimensions"),
    (lambda x: kt.sort(x, out=torch.empty(3)), "out has not the shape"), (lambda x: kt.select(x, 30), "rank is not less"),
    (lambda x: kt.sort(x, out=torch.empty(30, dtype=torch.int32)), "out is of dtype"),
    (lambda x: kt.sort_pairs(x, x[:3]), "different sizes"), (lambda x: kt.sort(x.reshape(5, 6), 0), "axis is 0"),
    (lambda x: kt.scan(x.reshape(5, 6), keys=x.reshape(5, 6)), "keys has 2 dimensions"),
    (lambda x: kt.sort(x.reshape(5, 6).T, None), "not contiguous"),
])
def test_errors_of_tracing(call, message):
    torch._dynamo.reset()
    with pytest.raises(Exception, match=message):
        torch.compile(call, fullgraph=True, backend="eager")(torch.arange(30.0))


def test_names():
    """All functions are kogge's, with its parameters in its order, as far as they have them."""
    for name in kt.__all__:
        own, there = (list(inspect.signature(getattr(module, name)).parameters) for module in (kt, kogge))
        assert own == [each for each in there if each in own], name
        assert set(there) - set(own) <= {"out", "begin_bit", "end_bit"}, name
    others = {"Column", "Plan", "column", "device_count", "known_devices", "plan", "runtime", "scratch_bytes", "set_num_threads",
              "trim", "version"}
    assert {name for name in kogge.__all__ if name not in others and "columns" not in name} == set(kt.__all__)


def test_example():
    (example,) = doctest.DocTestFinder(exclude_empty=True).find(kt, globs=vars(kt).copy())[:1]
    result = doctest.DocTestRunner().run(example, clear_globs=False)  # which compiled functions of the example still use
    assert result.failed == 0 and result.attempted > 0


def test_import_is_lazy():
    code = "import sys, kogge; print([name for name in ('torch', 'jax', 'cupy') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.skipif("cuda" not in DEVICES, reason="no GPU")
def test_stream_and_allocator():
    """Operators work in the current stream with PyTorch's allocator, in a compiled function too."""
    compiled = torch.compile(lambda x: kt.sort(x * 2), fullgraph=True)
    n = 1 << 24
    x = torch.randint(0, 1 << 30, (n,), device="cuda", dtype=torch.int32)
    compiled(x)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        y = x
        for _ in range(20):
            y = (y * 5 + 1) % (1 << 30)
        given, right = compiled(y), torch.sort(y * 2).values
    stream.synchronize()
    assert torch.equal(given, right)
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    result = kt.sort(x)
    planned = kogge.scratch_bytes("sort", n, "int32") + result.nbytes
    assert planned <= torch.cuda.max_memory_allocated() - before <= planned + (4 << 20)


@pytest.mark.skipif("cuda" not in DEVICES, reason="no GPU")
def test_graph_of_operators():
    x = torch.randint(0, 1000, (1 << 20,), device="cuda", dtype=torch.int32)
    compiled = torch.compile(lambda x: kt.cumsum(kt.sort(x)), fullgraph=True, mode="reduce-overhead")
    for _ in range(4):
        x.random_(0, 1000)
        assert torch.equal(compiled(x), torch.cumsum(torch.sort(x).values, 0))
