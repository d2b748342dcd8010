"""kogge.distributed: processes of a torch.distributed group, by gloo on the host, and by NCCL where there are two GPUs."""

import sys
import traceback

import numpy as np
import pytest

torch = pytest.importorskip("torch", minversion="2.6")

import torch.distributed as dist  # noqa: E402
import torch.multiprocessing as processes  # noqa: E402

import kogge  # noqa: E402
import kogge.distributed as kd  # noqa: E402

if not dist.is_available() or not dist.is_gloo_available():
    pytest.skip("PyTorch has no gloo", allow_module_level=True)

GPUS = torch.cuda.device_count() if kogge.device_count() > 0 else 0


# ---- what one process does -------------------------------------------------------------------------------------------


class Rank:
    """A process, which has the same `whole` arrays as the others, and of each its part."""

    def __init__(self, rank, size, backend):
        self.rank, self.size = rank, size
        self.device = torch.device("cuda", rank) if backend == "nccl" else torch.device("cpu")
        self.random = np.random.default_rng(11)

    def cuts(self, n):
        """Uneven parts, of which one may be empty."""
        return [0, *sorted(int(c) for c in self.random.integers(0, n + 1, self.size - 1)), n]

    def part(self, whole, cuts):
        return torch.from_numpy(whole[cuts[self.rank] : cuts[self.rank + 1]].copy()).to(self.device)

    def joined(self, mine):
        """All ranks' results, one after another."""
        all_of_them = [None] * self.size
        dist.all_gather_object(all_of_them, mine.cpu().numpy())
        return np.concatenate(all_of_them)

    def even(self, mine, total):
        each, more = divmod(total, self.size)
        assert len(mine) == each + (self.rank < more)


def keys(random, n):
    """Keys of every kind: few and many different ones, sorted, all equal, with NaNs and both zeros."""
    yield random.integers(-1000, 1000, n).astype(np.int32)
    yield random.integers(-(2**63), 2**63 - 1, n, dtype=np.int64)
    yield random.integers(0, 2**64 - 1, n, dtype=np.uint64)
    yield random.integers(0, 3, n).astype(np.uint8)
    yield random.integers(0, 2, n).astype(bool)
    yield np.sort(random.integers(0, 2**16, n).astype(np.uint16))
    yield np.full(n, 7, np.int64)
    for dtype in (np.float32, np.float64, np.float16):
        x = random.standard_normal(n).astype(dtype)
        x[::7], x[::11], x[::13] = np.nan, 0, -0.0
        x[::17] = -x[::17]
        yield x


def bits(x):
    return x.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "f" else x


def check_sorts(me):
    options = [{}, {"descending": True}, {"nans": "last", "zeros": "equal"}, {"nans": "greatest", "descending": True}]
    for n in (0, 1, 5, 3000):
        for x in keys(me.random, n):
            values = np.arange(n)
            cuts = me.cuts(n)
            for option in options:
                mine, owned = me.part(x, cuts), me.part(values, cuts)
                want = kogge.sort(x, **option)
                order = kogge.argsort(x, **option)
                got = kd.sort(mine, **option)
                me.even(got, n)
                assert np.array_equal(bits(me.joined(got)), bits(want)), (x.dtype, option)
                assert np.array_equal(bits(mine.cpu().numpy()), bits(x[cuts[me.rank] : cuts[me.rank + 1]]))
                sorted_keys, moved = kd.sort_pairs(mine, owned, **option)
                assert np.array_equal(bits(me.joined(sorted_keys)), bits(want)), (x.dtype, option)
                assert np.array_equal(me.joined(moved), order), (x.dtype, option)
                assert np.array_equal(me.joined(kd.argsort(mine, **option)), order), (x.dtype, option)


def check_groups(me):
    for n, distinct in ((0, 1), (1, 1), (4000, 1), (4000, 50), (4000, 10**9)):
        group, amount = me.random.integers(0, distinct, n), me.random.integers(-50, 50, n).astype(np.int32)
        cuts = me.cuts(n)
        mine, owned = me.part(group, cuts), me.part(amount, cuts)
        for op in ("plus", "maximum", "minimum"):
            order = np.argsort(group, kind="stable")
            want_keys, want = kogge.reduce_by_key(group[order], amount[order], op)
            kept, results = kd.reduce_by_key(mine, owned, op)
            assert np.array_equal(me.joined(kept), want_keys) and np.array_equal(me.joined(results), want), op
        items, counts = kd.unique(mine, return_counts=True)
        want, want_counts = np.unique(group, return_counts=True)
        assert np.array_equal(me.joined(items), want) and np.array_equal(me.joined(counts), want_counts)
        assert np.array_equal(me.joined(kd.unique(mine)), want)
        if distinct > n > 1000:  # no rank has all
            assert len(items) < 0.7 * n or me.size == 1


def check_others(me):
    for n in (0, 1, 3, 5000):
        x, y = me.random.integers(-9, 9, n).astype(np.int32), me.random.standard_normal(n).astype(np.float32)
        cuts = me.cuts(n)
        mine = me.part(x, cuts)
        assert np.array_equal(me.joined(kd.cumsum(mine)), np.cumsum(x))
        for dtype in (np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.float16):
            wanted = kogge.cumsum(np.abs(x).astype(dtype))
            got = me.joined(kd.cumsum(me.part(np.abs(x).astype(dtype), cuts)))
            assert got.dtype == wanted.dtype and np.array_equal(got, wanted), dtype
        counts = kd.histogram(me.part(y, cuts), 10, (-2.0, 2.0))
        assert counts.device == me.device and np.array_equal(counts.cpu().numpy(), kogge.histogram(y, 10, (-2.0, 2.0)))
        shared = kd.rebalance(mine)
        me.even(shared, n)
        assert np.array_equal(me.joined(shared), x)
        for k in {0, min(n, 1), min(n, 40), n}:
            for largest in (True, False):
                assert np.array_equal(kd.topk(mine, k, largest=largest).cpu().numpy(), kogge.topk(x, k, largest=largest))


def raised(call):
    try:
        call()
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"
    return "nothing"


def check_refusals(me):
    """What one rank has wrong is raised on all, and the group goes on."""
    last = me.size - 1
    good = torch.arange(10, device=me.device)
    own = me.rank == last
    assert ("TypeError" if own else "ValueError" if me.size > 1 else "TypeError") in raised(lambda: kd.sort([3, 1] if own else good))
    assert "2 dimensions" in raised(lambda: kd.sort(good.reshape(2, 5) if own else good)) or not own
    assert "not contiguous" in raised(lambda: kd.sort(good[::2] if own else good)) or not own
    assert "values has 9 items, where it must have 10" in raised(lambda: kd.sort_pairs(good, good[:9] if own else good)) or not own
    assert "none of" in raised(lambda: kd.sort(good.float(), nans="first"))
    assert "none of" in raised(lambda: kd.reduce_by_key(good, good, "times"))
    assert f"where there are {10 * me.size} items" in raised(lambda: kd.topk(good, 10 * me.size + 1))
    assert "requires a gradient" in raised(lambda: kd.sort(torch.ones(3, device=me.device, requires_grad=True)))
    if me.size > 1:
        assert f"rank {last} of {me.size} has failed" in raised(lambda: kd.sort(None if own else good)) or own
        assert "gives another dtype of x than rank 0" in raised(lambda: kd.sort(good.int() if own else good))
        assert "gives another options than rank 0" in raised(lambda: kd.sort(good, descending=own))
        assert "gives another dtype than rank 0" in raised(lambda: kd.cumsum(good, dtype=torch.float64 if own else None))
        assert "gives another k than rank 0" in raised(lambda: kd.topk(good, 4 if own else 3))
    assert torch.equal(kd.sort(good)[:1].cpu(), torch.tensor([0])) or me.rank > 0


def check_failures(me):
    """A rank that has no memory for a step, whichever: all ranks hear of it, and the group goes on."""
    x = torch.arange(10, device=me.device)
    calls = {
        "sort": lambda: kd.sort(x), "sort_pairs": lambda: kd.sort_pairs(x, x), "topk": lambda: kd.topk(x, 3),
        "reduce_by_key": lambda: kd.reduce_by_key(x, x), "run_length_encode": lambda: kd.unique(x), "cumsum": lambda: kd.cumsum(x),
        "histogram": lambda: kd.histogram(x, 5, (0, 10)),
    }

    def none_left(*_, **__):
        raise MemoryError("there is none left")

    for step, call in calls.items():
        of_package = getattr(kd._calls, step)
        if me.rank == me.size - 1:
            setattr(kd._calls, step, none_left)
        said = raised(call)
        setattr(kd._calls, step, of_package)
        own = me.rank == me.size - 1
        assert ("MemoryError" in said) if own else (f"rank {me.size - 1} of {me.size} has failed" in said), (step, said)
        assert raised(call) == "nothing", step


def check_a_smaller_group(me):
    """A group of some of the processes, in which ranks have other numbers; the others are refused."""
    members = list(range(1, me.size))
    some = dist.new_group(members)
    if me.rank == 0:
        assert "not in the group" in raised(lambda: kd.sort(torch.arange(3), group=some))
        return
    x = torch.arange(6, device=me.device).flip(0).contiguous() + me.rank
    got = kd.sort(x, group=some)
    lists = [None] * len(members)
    dist.all_gather_object(lists, got.cpu(), group=some)
    assert torch.equal(torch.cat(lists), torch.cat([torch.arange(6) + r for r in members]).sort().values)


CHECKS = [check_sorts, check_groups, check_others, check_refusals, check_failures]


def run_rank(rank, size, backend, folder, names):
    torch.set_num_threads(1)
    kogge.set_num_threads(1)
    if backend == "nccl":
        torch.cuda.set_device(rank)
    dist.init_process_group(backend, init_method=f"file://{folder}/meeting", rank=rank, world_size=size)
    try:
        for name in names:
            globals()[name](Rank(rank, size, backend))
    except BaseException:
        print(f"rank {rank}, {name}:", traceback.format_exc(), file=sys.stderr, flush=True)
        raise
    finally:
        dist.destroy_process_group()


def run(tmp_path, size, backend, checks):
    names = [check.__name__ for check in checks]
    processes.spawn(run_rank, (size, backend, str(tmp_path), names), nprocs=size)


# ---- tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_processes_on_the_host(tmp_path, size, check):
    run(tmp_path, size, "gloo", [check])


def test_some_of_the_processes(tmp_path):
    run(tmp_path, 3, "gloo", [check_a_smaller_group])


@pytest.mark.skipif(GPUS < 2, reason="there are not two GPUs")
def test_processes_with_a_gpu_each(tmp_path):
    run(tmp_path, 2, "nccl", CHECKS)


def test_before_there_is_a_group():
    assert "init_process_group comes first" in raised(lambda: kd.sort(torch.arange(3)))
