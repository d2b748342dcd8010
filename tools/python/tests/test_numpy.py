"""What users of NumPy give that is no plain array, number or dtype; errors name the function and the argument."""

import array
import fractions
import gc
import pickle
import sys

import numpy as np
import pytest

import kogge

X = np.array([3, 1, 2])
F = np.array([3.0, 1.0, 2.0])


class Subclass(np.ndarray):
    pass


def test_subclasses():
    x = np.array([3, 1, 3]).view(Subclass)
    for result in (kogge.sort(x), kogge.cumsum(x), *kogge.unique(x, return_inverse=True)):
        assert type(result) is np.ndarray
    out = np.empty(3, x.dtype).view(Subclass)
    assert kogge.sort(x, out=out) is out


def test_masked_arrays():
    x = np.ma.array([3, 1, 2], mask=[0, 1, 0])
    for call in (lambda: kogge.sort(x), lambda: kogge.compact(X, x > 1), lambda: kogge.sort(X, out=x)):
        with pytest.raises(TypeError, match="masked array, whose mask would be lost"):
            call()


@pytest.mark.parametrize("given, name", [
    ([3, 1], "list"), (np.int64(3), "numpy.int64"), (b"ab", "bytes"), (bytearray(b"ab"), "bytearray"),
    (memoryview(b"ab"), "memoryview"), (array.array("i", [1]), "array.array"),
])
def test_no_arrays(given, name):
    with pytest.raises(TypeError, match=f"^kogge.sort: x is a {name}; arrays are"):
        kogge.sort(given)
    with pytest.raises(TypeError, match=f"^kogge.compact: mask is a {name}; arrays are"):
        kogge.compact(X, given)


@pytest.mark.parametrize("dtype", ["U1", "S1", "O", "M8[D]", "m8[s]", "c16", "V4", [("a", "i4")]])
def test_dtypes_that_are_none(dtype):
    with pytest.raises(TypeError, match="^kogge.sort_pairs: values is of dtype .*, none of bool, "):
        kogge.sort_pairs(X, np.zeros(3, dtype))


def test_a_class_for_an_array():
    with pytest.raises(TypeError, match="^kogge.sort: x is not to be had by DLPack"):
        kogge.sort(np.ndarray)


@pytest.mark.parametrize("dtype", [np.int32, np.dtype("int32"), "int32", "i4", np.intc])
def test_dtype_arguments(dtype):
    assert kogge.argsort(X, dtype=dtype).dtype == np.int32
    assert kogge.argsort_columns([X], dtype=dtype).dtype == np.int32
    assert kogge.cumsum(X.astype(np.int32), dtype=dtype).dtype == np.int32
    assert kogge.plan("sort", 100, dtype, device="H100").launches > 0


@pytest.mark.parametrize("dtype", [None, "int31", complex, ">i8", [1], 5, Subclass, ""])
def test_wrong_dtype_arguments(dtype):
    with pytest.raises(TypeError, match="^kogge.argsort: the dtype .* is none of bool, "):
        kogge.argsort(X, dtype=dtype)


def test_dtypes_of_indices():
    for dtype in ("int16", "float64", bool):
        with pytest.raises(TypeError, match="^kogge.argsort: dtype is .*, none of int32, int64, uint32, uint64"):
            kogge.argsort(X, dtype=dtype)
    with pytest.raises(TypeError, match="^kogge.argsort: out is of dtype float64, none of int32"):
        kogge.argsort(X, out=np.empty(3))
    assert kogge.argsort(X, out=np.empty(3, np.uint32)).tolist() == [1, 2, 0]


@pytest.mark.parametrize("call, message", [
    (lambda: kogge.sort(X, begin_bit=1.0), "kogge.sort: begin_bit is a float, where it must be an integer"),
    (lambda: kogge.sort(X, end_bit="8"), "kogge.sort: end_bit is a str"),
    (lambda: kogge.argsort_columns([kogge.column(X, end_bit=None)]), r"kogge.argsort_columns: columns\[0\]: end_bit is a NoneType"),
    (lambda: kogge.topk(X, 2, return_indices=True, out=(F[:2], X[:2])), r"kogge.topk: out\[0\] is of dtype float64"),
    (lambda: kogge.histogram(X, [1, 2]), "kogge.histogram: bins is a list, where it must be an integer or an array of bounds"),
    (lambda: kogge.histogram(X, 3, (None, 4)), "kogge.histogram: range is None, where it must be a number"),
    (lambda: kogge.histogram(X, 3, "ab"), "kogge.histogram: range is 'a', where it must be a number"),
    (lambda: kogge.histogram(F, 3, (1j, 4)), "kogge.histogram: range is 1j"),
    (lambda: kogge.split(X, np.zeros(3, np.uint8), 2.0), "kogge.split: bins is a float, where it must be an integer"),
    (lambda: kogge.partition(X, "<", "2"), "kogge.partition: value is '2', where it must be a number"),
    (lambda: kogge.partition(F, "<", "2"), "kogge.partition: value is '2', where it must be a number"),
    (lambda: kogge.partition(F, "<", None), "kogge.partition: value is None, where it must be a number"),
    (lambda: kogge.partition(X, "<", np.datetime64("2020-01-01")), "kogge.partition: value is .*, where it must be a number"),
    (lambda: kogge.scan(F, init=object()), "kogge.scan: init is .*, where it must be a number"),
    (lambda: kogge.set_num_threads(2.0), "kogge.set_num_threads: threads is a float, where it must be an integer"),
    (lambda: kogge.trim("1"), "kogge.trim: bytes_to_keep is a str, where it must be an integer"),
    (lambda: kogge.plan("sort", 5, "int8", device=None), r"kogge.plan\('sort'\): device is a NoneType"),
    (lambda: kogge.plan("sort", 5, "int8", device="H100", scratch_limit="1"), r"kogge.plan\('sort'\): scratch_limit is a str"),
    (lambda: kogge.plan("sort", 5, "int8", device="H100", values="int8"), r"kogge.plan\('sort'\): values is for 'sort_pairs'"),
    (lambda: kogge.plan("sort_pairs", 5, "int8", device="H100"), r"kogge.plan\('sort_pairs'\): values is not given"),
])
def test_wrong_types(call, message):
    with pytest.raises(TypeError, match="^" + message):
        call()


@pytest.mark.parametrize("call, message", [
    (lambda: kogge.sort(X, begin_bit=-1), "kogge.sort: begin_bit is -1"),
    (lambda: kogge.sort(X, end_bit=2**40), "kogge.sort: end_bit is 1099511627776"),
    (lambda: kogge.argsort(X, out=X), "kogge.argsort: the keys and the indices overlap"),
    (lambda: kogge.topk(X, 2, out=X[:2]), "kogge.topk: .* overlap"),
    (lambda: kogge.segmented_sort(X, np.array([2, 1])), r"kogge.segmented_sort: offsets\[1\] is 1"),
    (lambda: kogge.histogram(X, 3, 5), "kogge.histogram: range is 5, where it must be a pair of numbers"),
    (lambda: kogge.histogram(X, 3, (0, 2**64)), "kogge.histogram: range is 18446744073709551616, which is no int64"),
    (lambda: kogge.histogram(X, 2**32, (0, 1)), "kogge.histogram: bins is 4294967296, where it must be from 1 to 4294967295"),
    (lambda: kogge.histogram(np.empty((0, 3)), 0, (0, 1)), "kogge.histogram: bins is 0"),
    (lambda: kogge.split(X, np.zeros(3, np.uint8), 2**40), "kogge.split: bins is 1099511627776"),
    (lambda: kogge.partition(X, "<", 2**70), "kogge.partition: value is 1180591620717411303424, which is no int64"),
    (lambda: kogge.partition(X, "<", np.nan), "kogge.partition: value is nan, which is no int64"),
    (lambda: kogge.partition(X, "<", np.inf), "kogge.partition: value is inf, which is no int64"),
    (lambda: kogge.partition(X, "<", 2.0**63), "kogge.partition: value is 9.223372036854776e.18, which is no int64"),
    (lambda: kogge.partition(X > 1, "==", 2), "kogge.partition: value is 2, which is no bool"),
    (lambda: kogge.partition(X, "<", fractions.Fraction(1, 2)), "kogge.partition: value is .*, which is no int64"),
    (lambda: kogge.scan(X, reverse=True, keys=X), "kogge.scan: reverse is for one dimension, without keys and offsets"),
    (lambda: kogge.scan(X, init=1, offsets=np.array([0])), "kogge.scan: with keys, offsets or rows init is for exclusive scans"),
    (lambda: kogge.set_num_threads(2**40), "kogge.set_num_threads: threads is 1099511627776"),
    (lambda: kogge.trim(-1), "kogge.trim: bytes_to_keep is -1"),
    (lambda: kogge.plan("sort", 2**70, "int8", device="H100"), r"kogge.plan\('sort'\): n is 1180591620717411303424"),
    (lambda: kogge.plan("sort", 5, "int8", device="H100", scratch_limit=-1), r"kogge.plan\('sort'\): scratch_limit is -1"),
    (lambda: kogge.argsort_columns([kogge.column(X, valid_from=2**64)]), r"kogge.argsort_columns: columns\[0\]: valid_from is "),
])
def test_wrong_numbers(call, message):
    with pytest.raises(ValueError, match="^" + message):
        call()
    assert X.tolist() == [3, 1, 2]


def test_numbers():
    """Numbers of all kinds as items."""
    for value in (2, 2.0, np.int8(2), np.float32(2), np.array(2), fractions.Fraction(2)):
        for x in (X, F, X.astype(np.uint8), F.astype(np.float32)):
            assert kogge.partition(x, "<", value)[1] == 1
    assert kogge.partition(np.array([2**63, 2**64 - 1], np.uint64), "<", 2**64 - 1)[1] == 1
    assert kogge.partition(np.array([-(2**63), 0]), "==", -(2**63))[1] == 1
    assert kogge.partition(X > 1, "==", True)[1] == 2
    for k in (np.int32(2), np.uint64(2), np.array(2), True):
        assert kogge.topk(X, k).tolist() == [3, 2][: int(k)]


def test_bits_of_rows():
    x = np.array([[0x0102, 0x0201], [0x0301, 0x0100]], np.uint16)
    assert kogge.sort(x, begin_bit=8).tolist() == [[0x0102, 0x0201], [0x0100, 0x0301]]
    assert kogge.sort(x, end_bit=8).tolist() == [[0x0201, 0x0102], [0x0100, 0x0301]]


def test_outputs_of_unique():
    out = np.empty(3, np.int64)
    with pytest.raises(ValueError, match=r"^kogge.unique: out\[1\] and out\[2\] overlap"):
        kogge.unique(X, return_inverse=True, return_counts=True, out=(np.empty(3, np.int64), out, out))
    items, inverse, counts = kogge.unique(X, return_inverse=True, return_counts=True, out=(out, None, None))
    assert out.tolist() == items.tolist() == [1, 2, 3] and inverse.tolist() == [2, 0, 1] and counts.tolist() == [1, 1, 1]


def test_failures_are_pickled():
    for call in (lambda: kogge.sort(X, nans="x"), lambda: kogge.argsort(X, out=X), lambda: kogge.cumsum(X, dtype=bool)):
        with pytest.raises(Exception) as failure:
            call()
        again = pickle.loads(pickle.dumps(failure.value))
        assert type(again) is type(failure.value) and str(again) == str(failure.value)


def test_nothing_is_kept():
    """Calls that end well and calls that fail leave no references."""
    x, mask = np.arange(50), np.ones(50, bool)

    def work():
        kogge.sort(x), kogge.argsort(x, dtype=np.int32), kogge.compact(x, mask), kogge.unique(x, return_inverse=True)
        kogge.partition(x, "<", 4), kogge.sort_columns([x, mask])
        for wrong in (lambda: kogge.sort(x, end_bit=99), lambda: kogge.sort(x[::2]), lambda: kogge.scan(x, init="a")):
            with pytest.raises((TypeError, ValueError)):
                wrong()

    work()
    gc.collect()
    before = [sys.getrefcount(each) for each in (x, mask, x.dtype)]
    for _ in range(20):
        work()
    gc.collect()
    assert [sys.getrefcount(each) for each in (x, mask, x.dtype)] == before
