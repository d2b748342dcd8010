"""Sorts, groups and sums of an array of which each process of a ``torch.distributed`` group holds a part.

The parts are one-dimensional tensors, in the order of the ranks, of any lengths, also none; all processes make a call
together, with the same options. Work is done where the tensors are: with NCCL on each process's GPU, with gloo on the host.

    # torchrun --nproc-per-node 2 program.py
    import torch, kogge.distributed as kd
    torch.distributed.init_process_group("nccl")
    torch.cuda.set_device(torch.distributed.get_rank())
    part = kd.sort(torch.randn(1_000_000, device="cuda"))            # rank 0 has the least ones
    key, total = kd.reduce_by_key(customer, amount)                  # GROUP BY customer: SUM(amount)

Shared by all of them

* ``group``: a process group; None: the default one.
* Results of sorts are shared evenly: N items of P ranks are ⌊N / P⌋ or ⌈N / P⌉ on each, however skewed the keys are.
  Equal keys stay in the order of their ranks, and in their order within a rank.
* ``descending``, ``nans``, ``zeros``, and dtypes: as of ``kogge.sort``.
* All calls wait for the other ranks. What a rank alone has wrong (``ValueError``, ``TypeError``), or no memory for, is
  raised on all ranks, so that none waits for ever.
* Memory: about four times a rank's part.

Method: each rank sorts its part; the keys at which the ranks' results end are found a digit at a time, by searches in
the sorted parts whose counts are added up over all ranks; one exchange; and each rank sorts what has come.
"""

from __future__ import annotations

import hashlib

import torch
import torch.distributed as dist

from . import _calls
from ._kinds import view

__all__ = ["argsort", "cumsum", "histogram", "rebalance", "reduce_by_key", "sort", "sort_pairs", "topk", "unique"]

_SIGNED = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
_DIGIT_BITS = 11
_AS_NUMPY = {"descending": False, "nans": "last", "zeros": "equal"}


# ---- a group ---------------------------------------------------------------------------------------------------------


class _Group:
    """The processes of a call, and what they tell each other. `where`: a tensor on the device that the call is about."""

    def __init__(self, call, group, where):
        if not dist.is_initialized():
            raise RuntimeError(f"kogge.distributed.{call}: torch.distributed.init_process_group comes first")
        self.call, self.group = call, group
        self.rank, self.size = dist.get_rank(group), dist.get_world_size(group)
        if self.rank < 0:
            raise ValueError(f"kogge.distributed.{call}: this process is not in the group")
        if dist.get_backend(group) != dist.Backend.NCCL:
            self.device = torch.device("cpu")
        elif isinstance(where, torch.Tensor) and where.is_cuda:
            self.device = where.device
        else:
            self.device = torch.device("cuda", torch.cuda.current_device())

    def sum(self, numbers):
        """The sums of int64 numbers over all ranks, on the host."""
        numbers = numbers.to(self.device, torch.int64)
        dist.all_reduce(numbers, group=self.group)
        return numbers.cpu()

    def gather(self, numbers):
        """The ranks' int64 numbers, on the host: a row for each rank."""
        mine = numbers.to(self.device, torch.int64).reshape(1, -1)
        all_of_them = [torch.empty_like(mine) for _ in range(self.size)]
        dist.all_gather(all_of_them, mine, group=self.group)
        return torch.cat(all_of_them).cpu()

    def exchange(self, x, counts):
        """Sends counts[rank][r] items to rank r, one after another, and gets counts[r][rank] of it."""
        item = x.element_size()
        sent, got = counts[self.rank], counts[:, self.rank]

        def bytes_to_and_from():
            received = torch.empty(int(got.sum()), dtype=x.dtype, device=x.device)
            # a tensor without items may have a stride of 0
            given = x.contiguous() if x.numel() > 0 else torch.empty(0, dtype=x.dtype, device=x.device)
            to, from_ = received.view(torch.uint8), given.view(torch.uint8)
            if x.device == self.device:
                return received, to, from_
            return received, torch.empty(to.shape, dtype=torch.uint8, device=self.device), from_.to(self.device)

        received, to, from_ = self.run(bytes_to_and_from)
        dist.all_to_all_single(to, from_, (got * item).tolist(), (sent * item).tolist(), group=self.group)
        if x.device != self.device:
            received.view(torch.uint8).copy_(to)
        return received

    def run(self, make):
        """What make() returns. What it raises on one rank is raised on all."""
        made = failure = None
        try:
            made = make()
        except Exception as error:  # noqa: BLE001: other ranks must not wait for this one
            failure = error
        failed = self.gather(torch.tensor([failure is not None])).flatten()
        if failure is not None:
            raise failure
        if failed.any():
            rank = int(failed.nonzero()[0])
            raise ValueError(f"kogge.distributed.{self.call}: rank {rank} of {self.size} has failed; see what it raises")
        return made

    def check_alike(self, **given):
        """Refuses what the ranks do not all have alike."""
        names = sorted(given)
        mine = torch.tensor([_hash(given[name]) for name in names], dtype=torch.int64)
        rows = self.gather(mine)
        for column, name in enumerate(names):
            other = (rows[:, column] != rows[0, column]).nonzero()
            if len(other):
                raise ValueError(
                    f"kogge.distributed.{self.call}: rank {int(other[0])} of {self.size} gives another {name} than rank 0"
                )


def _hash(value):
    """63 bits that tell values apart, alike in all processes."""
    return int.from_bytes(hashlib.sha256(repr(value).encode()).digest()[:8], "little") >> 1


def _begin(call, group, options, check=lambda: None, alike=None, **tensors):
    """The group of a call, when all ranks have found their arguments right and alike. The tensors are one-dimensional, and
    where the first one is; check() says what else is wrong."""
    first = next(iter(tensors.values()))
    ranks = _Group(call, group, first)
    full = f"distributed.{call}"

    def check_all():
        for name, x in tensors.items():
            if not isinstance(x, torch.Tensor):
                raise TypeError(f"kogge.{full}: {name} is a {type(x).__name__}, where it must be a tensor")
            if x is first:
                leading = _calls._one_dimension(full, name, view(full, name, x))
            else:
                _calls._beside(full, name, x, leading, leading.size)
        if options:
            _calls._options(full, **options)
        check()

    ranks.run(check_all)
    dtypes = {f"dtype of {name}": str(x.dtype) for name, x in tensors.items()}
    ranks.check_alike(options=sorted((options or {}).items()), **dtypes, **(alike or {}))
    return ranks


# ---- the order of keys -----------------------------------------------------------------------------------------------


def _codes(x, descending, nans, zeros):
    """Signed integers as wide as the keys, in the order of a sort."""
    width = x.element_size()
    signed = _SIGNED[width]
    least = -(1 << (8 * width - 1))
    if x.dtype.is_floating_point:
        if zeros == "equal":
            x = torch.where(x == 0, torch.zeros((), dtype=x.dtype, device=x.device), x)
        bits = x.view(signed)
        codes = torch.where(bits < 0, bits ^ (-1 - least), bits)
        if nans == "greatest":
            codes = torch.where(x.isnan(), -1 - least, codes)
        if descending:
            codes = ~codes
        return torch.where(x.isnan(), -1 - least, codes) if nans == "last" else codes
    codes = _in_signed_order(x)
    return ~codes if descending else codes


def _find_cuts(ranks, codes, sizes, whole_runs):
    """How many of each rank's items, which are sorted, lie in front of each cut between even shares of the sorted whole: a
    row for each rank. With `whole_runs` equal items stay together, behind the cut."""
    bits = 8 * codes.element_size()
    least = -(1 << (bits - 1))
    total = int(sizes.sum())
    positions = _even(total, ranks.size)
    prefix = [0] * len(positions)  # leading bits of each cut's code, as an unsigned number
    lesser = [0] * len(positions)
    while bits > 0:
        digit = min(_DIGIT_BITS, bits)
        bits -= digit
        steps = torch.arange(1 << digit) << bits  # modulo 2^64, as their sums with the first of each prefix
        needles = torch.cat([steps + (least + (p << digit + bits)) for p in prefix]).to(codes.device, codes.dtype)
        below = ranks.sum(_calls.searchsorted(codes, needles)).reshape(len(positions), -1)
        for c, position in enumerate(positions):
            last = int((below[c] <= position).sum()) - 1  # the last digit below which there are not too many items
            prefix[c], lesser[c] = prefix[c] << digit | last, int(below[c, last])
    exact = torch.tensor([least + p for p in prefix], dtype=codes.dtype).to(codes.device)
    begins = ranks.gather(_calls.searchsorted(codes, exact))
    if whole_runs:
        return begins
    ends = ranks.gather(_calls.searchsorted(codes, exact, "right"))
    for c, position in enumerate(positions):
        in_front = position - lesser[c]  # of the equal items of all ranks, those of lower ranks first
        for r in range(ranks.size):
            taken = min(in_front, int(ends[r, c] - begins[r, c]))
            begins[r, c] = sizes[r] if position == total else begins[r, c] + taken
            in_front -= taken
    return begins


def _even(total, ranks):
    """The positions between even shares."""
    each, more = divmod(total, ranks)
    return [each * r + min(r, more) for r in range(1, ranks)]


def _share(ranks, keys, values, options, whole_runs=False):
    """This rank's share of sorted keys, and of values beside them, if not None: of each rank its items, sorted."""
    if ranks.size > 1:
        sizes = ranks.gather(torch.tensor([keys.numel()]))
        begins = _find_cuts(ranks, ranks.run(lambda: _codes(keys, **options)), sizes, whole_runs)
        counts = torch.cat([begins, sizes], dim=1).diff(dim=1, prepend=torch.zeros_like(sizes))
        keys = ranks.exchange(keys, counts)
        values = None if values is None else ranks.exchange(values, counts)
    return keys, values


# ---- the functions ---------------------------------------------------------------------------------------------------


def sort(x, *, group=None, descending=False, nans="by_sign", zeros="negative_first"):
    """This rank's share of the sorted array of all ranks' items."""
    options = {"descending": bool(descending), "nans": nans, "zeros": zeros}
    ranks = _begin("sort", group, options, x=x)
    mine, _ = _share(ranks, ranks.run(lambda: _calls.sort(x, **options)), None, options)
    return mine if ranks.size == 1 else _calls.sort(mine, out=mine, **options)


def sort_pairs(keys, values, *, group=None, descending=False, nans="by_sign", zeros="negative_first"):
    """This rank's share of the sorted keys, and the values that belong to them. Stable."""
    options = {"descending": bool(descending), "nans": nans, "zeros": zeros}
    ranks = _begin("sort_pairs", group, options, keys=keys, values=values)
    return _sort_pairs(ranks, keys, values, options)


def _sort_pairs(ranks, keys, values, options):
    mine, moved = _share(ranks, *ranks.run(lambda: _calls.sort_pairs(keys, values, **options)), options)
    return (mine, moved) if ranks.size == 1 else _calls.sort_pairs(mine, moved, out=(mine, moved), **options)


def argsort(x, *, group=None, descending=False, nans="by_sign", zeros="negative_first"):
    """This rank's share of the int64 indices that sort all ranks' items: index i counts from rank 0's first item on."""
    options = {"descending": bool(descending), "nans": nans, "zeros": zeros}
    ranks = _begin("argsort", group, options, x=x)
    before = ranks.gather(torch.tensor([x.numel()]))[: ranks.rank].sum()
    indices = ranks.run(lambda: torch.arange(int(before), int(before) + x.numel(), device=x.device))
    return _sort_pairs(ranks, x, indices, options)[1]


def topk(x, k, *, group=None, largest=True, nans="by_sign", zeros="negative_first"):
    """The first k of all ranks' items, the greatest first, on all ranks."""
    options = {"descending": bool(largest), "nans": nans, "zeros": zeros}
    ranks = _begin("topk", group, options, x=x)
    total = int(ranks.sum(torch.tensor([x.numel()])))
    ranks.run(lambda: _calls._count("distributed.topk", "k", k, total))
    ranks.check_alike(k=int(k))
    first = {"largest": bool(largest), "nans": nans, "zeros": zeros}
    mine = ranks.run(lambda: _calls.topk(x, min(k, x.numel()), **first))
    counts = ranks.gather(torch.tensor([mine.numel()])).repeat(1, ranks.size)
    return _calls.topk(ranks.exchange(mine.repeat(ranks.size), counts), k, **first)


def reduce_by_key(keys, values, op="plus", *, group=None):
    """The different keys of all ranks in ascending order, and the sums (``"plus"``), maxima or minima of their values: a
    group-by. Each rank gets some of the keys, about as many as the others, a key on one rank alone.

    Sums have the dtype of ``kogge.reduce``, and are alike in every run.
    """
    ranks = _begin(
        "reduce_by_key", group, None, lambda: _calls._choice("distributed.reduce_by_key", "op", _calls._OPERATORS, op), {"op": op},
        keys=keys, values=values,
    )
    runs = ranks.run(lambda: _calls.reduce_by_key(*_calls.sort_pairs(keys, values, **_AS_NUMPY), op))
    return _join_runs(ranks, *runs, op)


def _join_runs(ranks, keys, values, op):
    """Of the ranks' different keys, in order, and their values this rank's share, each key once."""
    kept, results = _share(ranks, keys, values, _AS_NUMPY, whole_runs=True)
    return _calls.reduce_by_key(*_calls.sort_pairs(kept, results, **_AS_NUMPY), op)


def _in_signed_order(values):
    """Unsigned items as signed ones in the same order: their first bits are turned. Others as they are."""
    if values.dtype.is_floating_point or values.dtype.is_signed:
        return values
    signed = values.view(_SIGNED[values.element_size()])
    return signed ^ torch.iinfo(signed.dtype).min


def unique(x, *, group=None, return_counts=False):
    """The different items of all ranks in ascending order, each on one rank alone; with ``return_counts`` also how often
    each occurs, as int64."""
    ranks = _begin("unique", group, None, alike={"return_counts": bool(return_counts)}, x=x)
    runs = ranks.run(lambda: _calls.run_length_encode(_calls.sort(x, **_AS_NUMPY)))
    items, counts = _join_runs(ranks, *runs, "plus")
    return (items, counts) if return_counts else items


def cumsum(x, *, group=None, dtype=None):
    """Prefix sums over all ranks' items, in their order; of the dtype that ``kogge.cumsum`` has."""
    ranks = _begin("cumsum", group, None, alike={"dtype": str(dtype)}, x=x)
    sums = ranks.run(lambda: _calls.cumsum(x, dtype=dtype))
    last = sums[-1:] if len(sums) else torch.zeros(1, dtype=sums.dtype, device=sums.device)
    ends = ranks.exchange(last.repeat(ranks.size), torch.ones(ranks.size, ranks.size, dtype=torch.int64))
    if ranks.rank > 0 and len(sums):
        # PyTorch does not add unsigned items; signed ones of the same bits have the same sums.
        of = sums.dtype if sums.dtype.is_floating_point else _SIGNED[sums.element_size()]
        sums.view(of).add_(ends.view(of)[: ranks.rank].sum(dtype=of))
    return sums


def histogram(x, bins, range=None, *, group=None):
    """``kogge.histogram`` of all ranks' items, on all ranks."""
    ranks = _begin("histogram", group, None, x=x)
    counts = ranks.run(lambda: _calls.histogram(x, bins, range))
    ranks.check_alike(bins=bins.tolist() if isinstance(bins, torch.Tensor) else bins, range=range)
    return ranks.sum(counts).to(x.device)


def rebalance(x, *, group=None):
    """The same items in the same order, evenly shared."""
    ranks = _begin("rebalance", group, None, x=x)
    sizes = ranks.gather(torch.tensor([x.numel()])).flatten()
    ends = sizes.cumsum(0)
    cuts = torch.tensor([0, *_even(int(ends[-1]), ranks.size), int(ends[-1])])
    begins = (cuts.reshape(1, -1) - (ends - sizes).reshape(-1, 1)).clamp(min=0)
    begins = torch.minimum(begins, sizes.reshape(-1, 1))
    return ranks.exchange(x, begins[:, 1:] - begins[:, :-1])
