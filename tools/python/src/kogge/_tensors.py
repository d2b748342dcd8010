"""What PyTorch lacks for its unsigned tensors on GPUs, done with signed ones of the same bits."""

from __future__ import annotations

import torch

_SIGNED = {torch.uint16: torch.int16, torch.uint32: torch.int32, torch.uint64: torch.int64}


def signed(x):
    """A view of x whose items can be gathered and compared."""
    return x.view(_SIGNED.get(x.dtype, x.dtype))


def taken(x, order):
    """x[order]."""
    return signed(x)[order].view(x.dtype)
