"""The package itself: errors on NumPy, plans, doctests, threads, and what goes through DLPack."""

import ast
import doctest
import inspect
import pathlib
import threading

import numpy as np
import pytest

import kogge
import kogge._calls


def test_doctests():
    for module in (kogge, kogge._calls):
        result = doctest.testmod(module, extraglobs={"np": np, "kogge": kogge})
        assert result.failed == 0
    assert doctest.testmod(kogge._calls, extraglobs={"np": np, "kogge": kogge}).attempted > 20


NO_EXAMPLE = {"Column", "Plan", "device_count", "known_devices", "runtime", "set_num_threads", "trim", "version"}


def test_every_function_has_an_example():
    for name in kogge.__all__:
        assert (">>> " in (getattr(kogge, name).__doc__ or "")) == (name not in NO_EXAMPLE), name


def in_stubs(name):
    """The functions of a stub file, each with the sets of its overloads' parameters."""
    functions = {}
    for node in ast.parse(pathlib.Path(kogge.__file__).with_name(name).read_text()).body:
        if isinstance(node, ast.FunctionDef):
            given = [each.arg for each in node.args.args + node.args.kwonlyargs]
            functions.setdefault(node.name, set()).add(tuple(given + ([node.args.kwarg.arg] if node.args.kwarg else [])))
    return functions


def test_stubs():
    """The stubs have the functions that there are, and their parameters."""
    stubs = in_stubs("__init__.pyi")
    functions = {name for name in kogge.__all__ if callable(getattr(kogge, name)) and name not in ("Column", "Plan")}
    assert stubs.keys() == functions
    for name in functions - {"version", "runtime", "device_count"}:  # which are the module's
        assert stubs[name] == {tuple(inspect.signature(getattr(kogge, name)).parameters)}, name


@pytest.mark.parametrize("name", ["torch", "jax", "distributed"])
def test_stubs_of_operators(name):
    pytest.importorskip("torch" if name == "distributed" else name)
    module = pytest.importorskip(f"kogge.{name}", reason=f"built without {name}", exc_type=ImportError)
    stubs = in_stubs(f"{name}.pyi")
    assert stubs.keys() == set(module.__all__)
    for function in module.__all__:
        assert stubs[function] == {tuple(inspect.signature(getattr(module, function)).parameters)}, function


@pytest.mark.parametrize("array", [[3, 1], 5, "text", None, np.array(["a"]), np.array([object()])])
def test_not_an_array(array):
    with pytest.raises(TypeError):
        kogge.sort(array)


def test_read_only_output():
    out = np.zeros(3, int)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out is read-only"):
        kogge.sort(np.arange(3), out=out)
    x = np.arange(3)[::-1].copy()
    x.flags.writeable = False
    assert kogge.sort(x).tolist() == [0, 1, 2]


def test_other_byte_order():
    with pytest.raises(TypeError, match="byte order"):
        kogge.sort(np.arange(3).astype(">i8"))


def test_misaligned():
    x = np.frombuffer(bytearray(33), np.uint8)[1:].view(np.int64)
    with pytest.raises(ValueError, match="aligned"):
        kogge.sort(x)


@pytest.mark.parametrize("call", [
    lambda x: kogge.sort(x, nans="first"), lambda x: kogge.sort(x, zeros="none"), lambda x: kogge.scan(x, "xor"),
    lambda x: kogge.partition(x, "=<", 1), lambda x: kogge.partition(x, "<", 1.5), lambda x: kogge.topk(x, -1),
    lambda x: kogge.scan(x, keys=x, offsets=x), lambda x: kogge.sort(x, begin_bit=3, end_bit=70),
    lambda x: kogge.segmented_sort(x, np.array([5, 2])), lambda x: kogge.scan(x, reverse=True, keys=x),
    lambda x: kogge.split(x, np.array([0, 9, 1], np.uint8), 2), lambda x: kogge.set_num_threads(-1),
    lambda x: kogge.reduce(x, "xor"), lambda x: kogge.reduce(x, init=0.5), lambda x: kogge.select(x, 3),
    lambda x: kogge.segmented_reduce(x, np.array([0]), out=np.empty(2, x.dtype)),
    lambda x: kogge.quantiles(x, np.array([1, 3])), lambda x: kogge.reduce_by_key(x, np.arange(2)),
    lambda x: kogge.searchsorted(x, x, side="middle"), lambda x: kogge.merge_pairs(x, x, x, np.arange(2)),
    lambda x: kogge.histogram(x, 3), lambda x: kogge.histogram(x, 0, (0, 1)), lambda x: kogge.histogram(x, 3, (1, 0)),
    lambda x: kogge.histogram(x, np.array([1])), lambda x: kogge.histogram(x, np.array([0, 1]), (0, 1)),
    lambda x: kogge.histogram(x, 3, (0, 1), weights=np.arange(2)), lambda x: kogge.partition_flags(x, np.ones(2, bool)),
    lambda x: kogge.sort(x, out=np.empty(4, x.dtype)), lambda x: kogge.scan(x, init=[1, 2]),
])
def test_wrong_values(call):
    x = np.array([3, 1, 2])
    with pytest.raises(ValueError):
        call(x)
    assert x.tolist() == [3, 1, 2]


@pytest.mark.parametrize("second, error, message", [
    (np.arange(2), ValueError, r"columns\[1\] has 2 items, where it must have 3"),
    ([1, 2, 3], TypeError, r"columns\[1\] is a list"),
    (np.ones((3, 1)), ValueError, r"columns\[1\] has 2 dimensions"),
    (kogge.column(np.arange(3), nans="first"), ValueError, r"columns\[1\]: nans is 'first'"),
    (kogge.column(np.arange(3), zeros="none"), ValueError, r"columns\[1\]: zeros is 'none'"),
    (kogge.column(np.arange(3), nulls="middle"), ValueError, r"columns\[1\]: nulls is 'middle', none of 'last', 'first'"),
    (kogge.column(np.arange(3), end_bit=65), ValueError, r"columns\[1\]: bits \[0, 65\)"),
    (kogge.column(np.arange(3), valid_from=-1), ValueError, r"columns\[1\]: valid_from is -1"),
    (kogge.column(np.arange(3), valid=np.ones(3, bool)), TypeError, r"columns\[1\]: valid is of dtype bool"),
    (kogge.column(np.arange(3), valid=np.ones(3, np.uint8)), ValueError, r"columns\[1\]: valid has 3 bytes, where 3 keys from bit 0 on take 4"),
    (kogge.column(np.arange(3), valid=np.ones(1, np.uint32), valid_from=30), ValueError, "valid has 4 bytes, where 3 keys from bit 30 on take 8"),
    (kogge.column(np.arange(3), valid=np.zeros(9, np.uint8)[1:]), ValueError, "valid does not begin at a multiple of 4 bytes"),
])
def test_wrong_columns(second, error, message):
    for call in (kogge.argsort_columns, kogge.sort_columns, lambda columns: kogge.sort_columns_pairs(columns, np.arange(3))):
        with pytest.raises(error, match="^kogge.*_columns.*: .*" + message):
            call([np.arange(3), second])


def test_wrong_lists_of_columns():
    x = np.arange(3)
    for columns in (x, kogge.column(x), None):
        with pytest.raises(TypeError, match="kogge.argsort_columns: columns is a .*, where it must be a list"):
            kogge.argsort_columns(columns)
    with pytest.raises(ValueError, match="kogge.argsort_columns: columns is empty"):
        kogge.argsort_columns([])
    with pytest.raises(TypeError, match="kogge.sort_columns: out is a list of arrays, one for each of 2 columns"):
        kogge.sort_columns([x, x], out=[np.arange(3)])
    with pytest.raises(TypeError, match=r"kogge.sort_columns: out\[1\] is of dtype int32"):
        kogge.sort_columns([x, x], out=[np.arange(3), np.arange(3, dtype=np.int32)])
    with pytest.raises(ValueError, match="kogge.sort_columns: .*overlap"):
        kogge.sort_columns([x, x], out=[x, x])
    with pytest.raises(ValueError, match="kogge.sort_columns_pairs: values has 2 items"):
        kogge.sort_columns_pairs([x], np.arange(2))
    with pytest.raises(TypeError, match="the dtype float32x"):
        kogge.argsort_columns([x], dtype="float32x")
    with pytest.raises(TypeError, match="kogge.argsort_columns: dtype is float32, none of int32, int64"):
        kogge.argsort_columns([x], dtype="float32")
    assert x.tolist() == [0, 1, 2]


def test_overlap():
    x = np.arange(10)
    with pytest.raises(ValueError, match="overlap"):
        kogge.sort(x[:9], out=x[1:])


def test_no_code():
    with pytest.raises(NotImplementedError, match="float16"):
        try:
            kogge.scan(np.ones(3, np.float16), dtype="float16")
        except NotImplementedError as failure:
            raise NotImplementedError(str(failure).replace("f16", "float16")) from None


def test_bits():
    x = np.array([0x0102, 0x0201, 0x0100], np.uint16)
    assert kogge.sort(x, begin_bit=8).tolist() == [0x0102, 0x0100, 0x0201]


def test_plans():
    assert "H100" in kogge.known_devices()
    for device in kogge.known_devices():
        whole = kogge.plan("sort_pairs", 2**28, "float32", values="int32", device=device, in_place=True)
        assert whole.text and whole.launches > 0 and 2**31 * 0.9 < whole.scratch_bytes < 2**31 * 1.2
        for call in ("sort", "argsort", "compact", "partition", "cumsum"):
            assert kogge.plan(call, 10**6, "int64", device=device).launches > 0
        assert kogge.scratch_bytes("topk", 2**28, "float32", k=40, device=device) < 2**25
        assert kogge.plan("argtopk", 2**20, "float32", k=40, device=device).launches > 0
    with pytest.raises(ValueError, match="Voodoo"):
        kogge.plan("sort", 5, "int8", device="Voodoo")
    with pytest.raises(ValueError, match="no plans"):
        kogge.plan("emit", 5, "int8", device="H100")
    with pytest.raises(MemoryError):
        kogge.plan("sort", 2**28, "int32", device="H100", scratch_limit=1000)


def test_threads_of_python():
    """Calls run side by side, each with its own message."""
    x = np.random.default_rng(1).integers(0, 1 << 40, 200000)
    right, wrong = np.sort(x), []

    def work(i):
        for _ in range(5):
            if not (kogge.sort(x) == right).all():
                wrong.append(i)
            try:
                kogge.sort(x, begin_bit=i, end_bit=64 + i + 1)
            except ValueError as failure:
                if f"[{i}, {65 + i})" not in str(failure):
                    wrong.append(str(failure))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    kogge.set_num_threads(1)
    try:
        assert (kogge.sort(x) == right).all()
    finally:
        kogge.set_num_threads(0)


class Exported:
    """An array of an unknown library: DLPack alone, and results by its namespace."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array_namespace__(self):
        return Exported

    @staticmethod
    def from_dlpack(array):
        return Exported(np.from_dlpack(array))


def test_dlpack():
    result = kogge.sort(Exported(np.array([3, 1, 2])))
    assert isinstance(result, Exported) and result.array.tolist() == [1, 2, 3]
    result = kogge.compact(Exported(np.array([3., 1, 2])), Exported(np.array([1, 0, 1], np.uint8)))
    assert result.array.tolist() == [3, 2]
    given = [Exported(np.array([1, 0])), kogge.column(Exported(np.array([5., 6])), valid=Exported(np.array([2], np.uint32)))]
    keys, numbers = kogge.sort_columns(given)
    assert keys.array.tolist() == [0, 1] and numbers.array.tolist() == [6, 5]
    with pytest.raises(ValueError, match="contiguous"):
        kogge.sort(Exported(np.arange(10)[::2]))
    with pytest.raises(TypeError, match="DLPack"):
        kogge.sort(Exported(np.ones(3, np.complex64)))

    class Broken(Exported):
        def __dlpack__(self, **options):
            return 5

    with pytest.raises(TypeError, match="capsule"):
        kogge.sort(Broken(np.arange(3)))

    class Elsewhere(Exported):
        def __dlpack__(self, **options):
            raise BufferError("on another planet")

    with pytest.raises(TypeError, match="another planet"):
        kogge.sort(Elsewhere(np.arange(3)))


def test_dlpack_that_is_read_only():
    """DLPack 1 says so; before it nothing that is read-only could be exchanged."""

    class New(Exported):
        def __dlpack__(self, *, stream=None, max_version=None):
            assert stream is None and max_version == (1, 0)
            return self.array.__dlpack__(max_version=max_version)

    x = np.arange(5)[::-1].copy()
    x.flags.writeable = False
    try:
        x.__dlpack__(max_version=(1, 0))
    except TypeError:
        pytest.skip("a NumPy before 2.1")
    assert kogge.sort(New(x)).array.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="out is read-only"):
        kogge.sort(np.arange(5), out=New(x))


def test_names_in_errors():
    for call in (kogge.compact_indices, kogge.flatnonzero):
        with pytest.raises(ValueError, match=f"kogge.{call.__name__}: "):
            call(np.zeros((2, 2)))


def test_capsules_are_given_back():
    import sys

    x = np.arange(100)[::-1].copy()
    before = sys.getrefcount(x)
    for _ in range(10):
        kogge.sort(Exported(x))
    assert sys.getrefcount(x) == before
