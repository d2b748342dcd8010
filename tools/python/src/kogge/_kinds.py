"""Arrays of all kinds: where they are, and how more of their kind are made.

Each kind of array has an object with the same methods. A call asks it for a view of what it reads (view), for an array to
write to (new), and for the stream and the allocator that the caller's library uses now (running, whose result is None or a
context for the call).
A call of a few items takes a few microseconds, so that what is the same in every call is found once.
"""

from __future__ import annotations

import contextlib
import math
import operator
import sys

import numpy as np

from . import _kogge

# Types: the numbers of kogge_type.
NONE = 0
TYPES = {
    "bool": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "uint32": 6, "int32": 7, "uint64": 8, "int64": 9,
    "float16": 12, "bfloat16": 13, "float32": 14, "float64": 15,
}
NAMES = {number: name for name, number in TYPES.items()}
ITEM_BYTES = {number: int("".join(filter(str.isdigit, name)) or 8) // 8 for name, number in TYPES.items()}


class View:
    """An array as a call sees it. `keep` holds what must live until the call is made; `made`: the package made it."""

    __slots__ = ("kind", "array", "address", "type", "shape", "place", "read_only", "keep", "made")

    def __init__(self, kind, array, address, type_, shape, place, read_only=False, keep=None):
        self.kind, self.array, self.address, self.type = kind, array, address, type_
        self.shape, self.place, self.read_only, self.keep = shape, place, read_only, keep
        self.made = False

    @property
    def size(self):
        return math.prod(self.shape)

    @property
    def name(self):
        return NAMES[self.type]


_numbers = {}  # kogge_type of the dtypes that there have been, as their names take long to build


def type_number(call, dtype, array=None):
    """kogge_type of a dtype of any library, by its name or as NumPy knows it; `array`: the name of what has it."""
    try:
        return _numbers[dtype]
    except (KeyError, TypeError):  # it is new, or nothing that a dictionary holds
        pass
    number = TYPES.get(str(dtype).rsplit(".", 1)[-1]) or TYPES.get(_numpy_name(dtype))
    if number is None:
        what = "the dtype" if array is None else f"{array} is of dtype"
        raise TypeError(f"kogge.{call}: {what} {dtype}{' is' if array is None else ','} none of {', '.join(TYPES)}")
    _numbers[dtype] = number
    return number


def _numpy_name(dtype):
    """Of np.int32, int, "i4" and the like; None, where NumPy knows none."""
    if dtype is None:  # which is float64 to NumPy
        return None
    try:
        known = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        return None
    return known.name if known.isnative else None


def refuse_strides(call, name):
    raise ValueError(
        f"kogge.{call}: {name} is not contiguous (row by row); kogge makes no copies behind your back: pass a contiguous one"
    )


class Numpy:
    """NumPy's arrays, which the host's threads work on."""

    def __init__(self):
        self.dtypes = {number: np.dtype(name) for name, number in TYPES.items() if name != "bfloat16"}

    def view(self, call, name, array):
        if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
            raise TypeError(f"kogge.{call}: {name} is a masked array, whose mask would be lost: pass its data or compressed()")
        flags = array.flags
        if not flags.c_contiguous:
            refuse_strides(call, name)
        if not array.dtype.isnative:
            raise TypeError(f"kogge.{call}: {name} is in the byte order of other machines ({array.dtype})")
        if not flags.aligned:
            raise ValueError(f"kogge.{call}: {name} is not aligned")
        return self._seen(array, type_number(call, array.dtype, name), not flags.writeable)

    def _seen(self, array, type_, read_only=False):
        return View(self, array, _kogge.address_of(array), type_, array.shape, "host", read_only)

    def dtype(self, type_):
        if type_ not in self.dtypes:
            import ml_dtypes

            self.dtypes[type_] = np.dtype(ml_dtypes.bfloat16)
        return self.dtypes[type_]

    def new(self, shape, type_, like):
        return self._seen(np.empty(shape, self.dtype(type_)), type_)

    def row_offsets(self, like):
        """Where the rows along the last dimension begin."""
        return self._seen(np.arange(0, like.size, like.shape[-1], np.int64), TYPES["int64"])

    def result(self, array, like):
        return array

    def running(self, like, exec_):
        return None


def _lend_scratch(exec_, allocate, address_of):
    """A call's scratch is memory that `allocate` makes."""
    held = {}

    def lend(bytes_, stream):
        memory = allocate(bytes_)
        address = address_of(memory)
        held[address] = memory
        return address

    exec_.allocate = lend
    exec_.deallocate = lambda address, bytes_, stream: held.pop(address)


class Torch:
    """PyTorch's tensors: the current stream, and scratch from its caching allocator."""

    WITHOUT_GRADIENT = {  # their results are indices or numbers of items
        "argmax", "argmin", "argsort", "argsort_columns", "argtopk", "compact_indices", "flatnonzero", "histogram",
        "searchsorted", "segmented_argsort",
    }

    def view(self, call, name, array):
        import torch

        if array.layout != torch.strided:
            raise TypeError(f"kogge.{call}: {name} is a sparse tensor")
        if not array.is_contiguous():
            refuse_strides(call, name)
        device = array.device
        if device.type == "cuda":
            place = ("device", device.index)
        elif device.type == "cpu":
            place = "host"
        else:
            raise ValueError(f"kogge.{call}: {name} is on the device {device}; kogge knows cpu and cuda")
        if array.requires_grad and torch.is_grad_enabled():
            if name.startswith("out"):
                raise ValueError(f"kogge.{call}: {name} requires a gradient, which what is written there does not have")
            if call not in self.WITHOUT_GRADIENT:
                raise ValueError(f"kogge.{call}: {name} requires a gradient, which would be lost; kogge.torch keeps it, "
                                 f"and {name}.detach() does without")
        return View(self, array, array.data_ptr(), type_number(call, array.dtype, name), tuple(array.shape), place)

    def new(self, shape, type_, like):
        import torch

        array = torch.empty(shape, dtype=getattr(torch, NAMES[type_]), device=like.array.device)
        return View(self, array, array.data_ptr(), type_, shape, like.place)

    def row_offsets(self, like):
        import torch

        return self.view("scan", "offsets", torch.arange(0, like.size, like.shape[-1], device=like.array.device))

    def result(self, array, like):
        return array

    def running(self, like, exec_):
        if like.place == "host":
            return None
        import torch

        # The library finds the device by the arrays, and is on it when it asks for scratch.
        device, uint8 = like.array.device, torch.uint8
        exec_.stream = self._stream(torch, device.index)
        _lend_scratch(exec_, lambda bytes_: torch.empty(bytes_, dtype=uint8, device=device), torch.Tensor.data_ptr)
        return None

    def _stream(self, torch, index):
        """As PyTorch's compiled code asks for it; the public way makes an object for it."""
        of_device = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        return of_device(index) if of_device else torch.cuda.current_stream(index).cuda_stream


class Cupy:
    """CuPy's arrays: the current stream, and scratch from its current allocator (its pool, or RMM)."""

    def view(self, call, name, array):
        if not array.flags.c_contiguous:
            refuse_strides(call, name)
        place = ("device", array.device.id)
        return View(self, array, array.data.ptr, type_number(call, array.dtype, name), array.shape, place)

    def new(self, shape, type_, like):
        import cupy

        with like.array.device:
            array = cupy.empty(shape, NUMPY.dtype(type_))
        return View(self, array, array.data.ptr, type_, shape, like.place)

    def row_offsets(self, like):
        import cupy

        with like.array.device:
            return self.view("scan", "offsets", cupy.arange(0, like.size, like.shape[-1], dtype=cupy.int64))

    def result(self, array, like):
        return array

    def running(self, like, exec_):
        import cupy

        with like.array.device:
            exec_.stream = cupy.cuda.get_current_stream().ptr
        # Its memory goes back to the pool, which orders by the current stream.
        _lend_scratch(exec_, cupy.cuda.alloc, operator.attrgetter("ptr"))
        return None


# DLPack's device types and dtype codes.
_HOST, _CUDA, _PINNED, _MANAGED = 1, 2, 3, 13
_DLPACK_TYPES = {
    (0, 8): "int8", (0, 16): "int16", (0, 32): "int32", (0, 64): "int64",
    (1, 8): "uint8", (1, 16): "uint16", (1, 32): "uint32", (1, 64): "uint64",
    (2, 16): "float16", (2, 32): "float32", (2, 64): "float64", (4, 16): "bfloat16", (6, 8): "bool",
}
_LEGACY_STREAM = 1  # the default stream, in DLPack's numbers


def _are_contiguous(strides, shape, item_bytes):
    """Whether the items follow one another, row by row: without strides, or whatever dimensions of one item have."""
    if strides is None or 0 in shape:
        return True
    step = item_bytes
    for stride, extent in zip(reversed(strides), reversed(shape)):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


class Exchanged:
    """Arrays of other libraries, JAX's among them, by DLPack or by __cuda_array_interface__.

    They come in the default stream, and results are complete when a call returns: such a library need not know of streams.
    Outputs are made by the library's own array namespace, or exchanged by DLPack.
    """

    def view(self, call, name, array):
        interface = getattr(array, "__cuda_array_interface__", None) if not hasattr(array, "__dlpack__") else None
        if interface is not None:
            return self._view_of_interface(call, name, array, interface)
        try:
            device, _ = array.__dlpack_device__()
            capsule = self._exported(array, _LEGACY_STREAM if device in (_CUDA, _MANAGED) else None)
        except (TypeError, RuntimeError, BufferError) as failure:
            raise TypeError(f"kogge.{call}: {name} is not to be had by DLPack: {failure}") from failure
        borrowed = _kogge.Borrowed(capsule)
        code, bits, lanes = borrowed.dtype
        dtype = _DLPACK_TYPES.get((code, bits)) if lanes == 1 else None
        if dtype is None:
            raise TypeError(f"kogge.{call}: the dtype of {name}, DLPack's ({code}, {bits}, {lanes}), is none of {', '.join(TYPES)}")
        if not borrowed.contiguous:
            refuse_strides(call, name)
        kind, index = borrowed.device
        if kind not in (_HOST, _CUDA, _PINNED, _MANAGED):
            raise ValueError(f"kogge.{call}: {name} is on a device of DLPack's type {kind}; kogge knows the host and CUDA")
        place = ("device", index) if kind in (_CUDA, _MANAGED) else "host"
        return View(self, array, borrowed.address, TYPES[dtype], borrowed.shape, place, self._is_constant(array, borrowed), borrowed)

    def _exported(self, array, stream):
        """By DLPack 1, which also tells what is read-only, where the library has it."""
        try:
            return array.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # its DLPack is older, and knows no versions
            return array.__dlpack__(stream=stream)

    def _is_constant(self, array, borrowed):
        return borrowed.read_only or type(array).__module__.split(".")[0] in ("jax", "jaxlib")

    def _view_of_interface(self, call, name, array, interface):
        address, read_only = interface["data"]
        dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        if not _are_contiguous(interface.get("strides"), shape, dtype.itemsize):
            refuse_strides(call, name)
        if interface.get("mask") is not None:
            raise TypeError(f"kogge.{call}: {name} has a mask, which would be lost")
        stream = interface.get("stream")
        if stream not in (None, 1):
            _kogge.synchronize(stream)  # its work may not be done
        return View(self, array, address or 0, type_number(call, dtype, name), shape, ("device", None), read_only)

    def _namespace(self, array):
        if hasattr(array, "__array_namespace__"):
            return array.__array_namespace__()
        root = type(array).__module__.split(".")[0]
        if root in ("jax", "jaxlib"):
            import jax.numpy

            return jax.numpy
        if root == "numba":
            from numba import cuda

            return cuda
        raise TypeError(f"kogge: how to make a {type(array).__name__} is not known: give out=")

    def new(self, shape, type_, like):
        if like.place == "host":
            return NUMPY.new(shape, type_, like)
        return self.view("empty", "the result", self._empty(shape, type_, like))

    def _empty(self, shape, type_, like):
        namespace = self._namespace(like.array)
        if hasattr(namespace, "device_array"):  # Numba's
            return namespace.device_array(shape, NUMPY.dtype(type_))
        array = namespace.empty(shape, dtype=getattr(namespace, NAMES[type_]), device=like.array.device)
        if hasattr(array, "block_until_ready"):  # JAX's
            if array.dtype != NUMPY.dtype(type_):
                raise TypeError(f"kogge: the result is of dtype {NAMES[type_]}, of which JAX makes {array.dtype}: say "
                                "jax.config.update('jax_enable_x64', True), or call kogge.jax, whose results are JAX's")
            array.block_until_ready()
        return array

    def row_offsets(self, like):
        if like.place == "host":
            return NUMPY.row_offsets(like)
        raise TypeError("kogge: scans of rows on a GPU are for arrays of PyTorch and CuPy; for others give offsets=, and axis=None")

    def result(self, array, like):
        """A result on the host, as an array of the caller's kind."""
        if not isinstance(array, np.ndarray):
            return array
        namespace = self._namespace(like.array)
        try:
            return namespace.from_dlpack(array)
        except (TypeError, RuntimeError, BufferError, ValueError, AttributeError):
            return namespace.asarray(array)

    def running(self, like, exec_):
        return None if like.place == "host" else self._complete()

    @contextlib.contextmanager
    def _complete(self):
        """What runs in it is done behind it."""
        yield
        _kogge.synchronize(0)


NUMPY, TORCH, CUPY, EXCHANGED = Numpy(), Torch(), Cupy(), Exchanged()


def kind_of(call, name, array):
    if isinstance(array, np.ndarray):
        return NUMPY
    root = type(array).__module__.split(".", 1)[0]
    if root == "torch" and hasattr(array, "data_ptr"):
        return TORCH
    if root == "cupy" and "cupy" in sys.modules:
        return CUPY
    if hasattr(array, "__dlpack__") or hasattr(array, "__cuda_array_interface__"):
        return EXCHANGED
    module = type(array).__module__
    raise TypeError(
        f"kogge.{call}: {name} is a {'' if module == 'builtins' else module + '.'}{type(array).__name__}; arrays are NumPy's, PyTorch's, CuPy's, or anything with "
        "__dlpack__ or __cuda_array_interface__ (make one of a list by numpy.asarray)"
    )


def view(call, name, array):
    return kind_of(call, name, array).view(call, name, array)
