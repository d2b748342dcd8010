#!/usr/bin/env python3
"""Simulates schedules of a sort whose keys several GPUs share, from measured times of their parts on one GPU.

    tools/simulate_distributed.py                                               prints the tables and a timeline
    tools/simulate_distributed.py --write include/kogge/distributed/README.md   writes them between the page's markers
    tools/simulate_distributed.py --check include/kogge/distributed/README.md   exit code 1 when they are not up to date

A task takes its measured time when it runs alone, and needs a share of some resources meanwhile: multiprocessors and
memory of a GPU, and a direction of its NVLink and of its NIC. Tasks that run together share what does not suffice for
all of them: each gets the same fraction of its own speed, until a resource it needs has no more to give.

Times of kernels are rows of bench/results/nvidia_h100; what no record has stands below, as measured or assumed.
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass, field

import bench_record

RECORD = pathlib.Path(__file__).resolve().parent.parent / "bench/results/nvidia_h100"
KEY_BYTES = 4  # u32, uniform

# Measured at 4e96878, on two H100 that 18 links connect (NV18).
COMPOSITION_MS = 16.7  # split, exchange and sort in place of 2^30 keys, one after another
SPLIT_MS = 2.47        # 2^29 keys by their top bit
SORT_MS = 7.29         # 2^29 uniform keys on one GPU
COPIES_MS = 2.86       # 2^28 keys each way at once, by copies
STORES_MS = 3.08       # the same by stores of a kernel
RECKONED_COUNT_MS = 0.75  # a read of 2^29 keys at the speed of a copy
LINK = (1 << 28) * KEY_BYTES / COPIES_MS          # bytes per ms, a GPU's in one direction
LINK_STORES = (1 << 28) * KEY_BYTES / STORES_MS
# Assumed.
NIC = 46e6              # bytes per ms in one direction: what NCCL's maintainers expect of 400 Gb/s (NVIDIA/nccl-tests#290)
MEETING_MS = 0.05       # an exchange of some numbers by the host, between threads
MEETING_OVER_MPI_MS = 0.2

DIGIT_BINS = 256
MOST_OF_SPAN = 17510    # keys per bucket of 16 bits that spans take, sort/prefix/shape.hpp
BUCKETS_OF_SPANS = 1 << 16


# ---- the engine ----------------------------------------------------------------------------------------

@dataclass(eq=False)
class Task:
    name: str
    ms: float                                  # alone
    needs: dict = field(default_factory=dict)  # of a resource, the share of its capacity that the task takes alone
    after: tuple = ()
    begin: float = -1
    end: float = -1


def speeds(running):
    """Of each task, the fraction of its own speed: max-min fair."""
    speed = dict.fromkeys(running, 0.0)
    free, rising = {}, set(running)
    for task in running:
        free.update(dict.fromkeys(task.needs, 1.0))
    while rising:
        load = dict.fromkeys(free, 0.0)
        for task in rising:
            for resource, share in task.needs.items():
                load[resource] += share
        room = [free[resource] / load[resource] for resource in free if load[resource] > 0]
        step = min([1 - speed[task] for task in rising] + room)
        for task in rising:
            speed[task] += step
        for resource in free:
            free[resource] -= step * load[resource]
        full = {resource for resource in free if free[resource] < 1e-12}
        rising = {task for task in rising if speed[task] < 1 - 1e-12 and full.isdisjoint(task.needs)}
    return speed


def simulate(tasks):
    """Sets begin and end of each task, and returns the end of all and how long each resource was busy."""
    left = {task: task.ms for task in tasks}
    waiting, running, busy, now = set(tasks), [], {}, 0.0
    while waiting or running:
        ready = [task for task in tasks if task in waiting and all(earlier.end >= 0 for earlier in task.after)]
        for task in ready:
            task.begin = now
            waiting.remove(task)
            running.append(task)
        if not running:
            raise ValueError("tasks wait for each other")
        speed = speeds(running)
        step = min(left[task] / speed[task] for task in running)
        for task in running:
            left[task] -= step * speed[task]
            for resource, share in task.needs.items():
                busy[resource] = busy.get(resource, 0.0) + step * speed[task] * share
        now += step
        for task in running:
            if left[task] <= 1e-9:
                task.end = now
        running = [task for task in running if task.end < 0]
    return now, busy


# ---- times of the parts --------------------------------------------------------------------------------

class Record:
    """Times on one GPU, in ms, of a record's rows, between which they are interpolated."""

    def __init__(self, folder):
        self.folder, self.rows = folder, {}
        for row in bench_record.read(folder, ("radix_sort", "partition", "top_k")):
            if row.mode == "eager":
                self.rows.setdefault((row.primitive, row.type, row.case), []).append(row)

    def time(self, name, n, column="ours_us"):
        rows = sorted(self.rows.get(name, ()), key=lambda row: row.n)
        if not rows:
            bench_record.fail("the record has no eager row " + " ".join(name))
        points = [(row.n, getattr(row, column) / 1000) for row in rows]
        if n >= points[-1][0]:
            return points[-1][1] * n / points[-1][0]
        if n <= points[0][0]:
            return points[0][1]
        above = next(i for i, point in enumerate(points) if point[0] >= n)
        (n0, ms0), (n1, ms1) = points[above - 1], points[above]
        return ms0 + (ms1 - ms0) * (n - n0) / (n1 - n0)

    def sort(self, n):
        """Uniform keys: a count, two passes, and spans."""
        return self.time(("radix_sort", "u32", "uniform"), n)

    def copy(self, n):
        return self.time(("radix_sort", "u32", "uniform"), n, "copy_us")

    def read(self, n):
        return self.copy(n) / 2

    def histogram(self, n, bins):
        return self.time(("histogram", "u32", f"bins={bins} uniform"), n)

    def split(self, n, bins):
        """By the least row that has so many bins. It reads the keys twice."""
        return self.time(("split", "u32", f"bins_{2 ** max(1, (bins - 1).bit_length())}"), n)

    def move(self, n, bins=DIGIT_BINS):
        """A pass of a sort: a split less its count."""
        return self.split(n, bins) - self.read(n)

    def all_digits(self, n, parts=1):
        """What a sort does with a part of the codes' range, in which there are fewer leading digits."""
        top = DIGIT_BINS // min(parts, DIGIT_BINS)
        return self.three_passes(n) + (self.move(n, top) if top > 1 else 0)

    def three_passes(self, n):
        return self.read(n) + 3 * self.move(n)

    def spans(self, n):
        return self.sort(n) - self.read(n) - 2 * self.move(n)


class Reckoned(Record):
    """The parts that the page's reckoning takes, in proportion to n."""

    def histogram(self, n, bins):
        return RECKONED_COUNT_MS * n / (1 << 29)

    def split(self, n, bins):
        return SPLIT_MS * n / (1 << 29)

    def all_digits(self, n, parts=1):
        return SORT_MS * n / (1 << 29)

    def three_passes(self, n):
        return self.all_digits(n) * 3 / 4


# ---- schedules -----------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Machine:
    gpus: int
    hosts: int = 1

    @property
    def on_host(self):
        return self.gpus // self.hosts


class Sort:
    """The tasks of a sort of n keys per GPU. A step takes, and returns, a task per rank that it follows."""

    def __init__(self, machine, n, times):
        self.machine, self.n, self.times = machine, n, times
        self.ranks = range(machine.gpus)
        self.tasks = []
        self.stream = [()] * machine.gpus  # the latest kernel of each rank, which the next one waits for
        self.memory = 2 * KEY_BYTES * (1 << 28) / times.copy(1 << 28)  # bytes per ms

    def add(self, name, ms, needs, after):
        task = Task(name, ms, needs, tuple(after))
        self.tasks.append(task)
        return task

    def kernel(self, name, ms, n, moved, after=None, needs=lambda rank: {}):
        """On each rank. `moved`: how often it reads or writes the n keys."""
        share = min(moved * n * KEY_BYTES / ms / self.memory, 1.0)
        for r in self.ranks:
            earlier = self.stream[r] + ((after[r],) if after else ())
            self.stream[r] = (self.add(name, ms, {("multiprocessors", r): 1.0, ("memory", r): share, **needs(r)}, earlier),)
        return [latest for latest, in self.stream]

    def meeting(self, after):
        """All ranks wait for each other."""
        ms = MEETING_MS if self.machine.hosts == 1 else MEETING_OVER_MPI_MS
        return [self.add("meeting", ms, {}, after)] * self.machine.gpus

    def cuts(self, bins=65536):
        """One read of the keys, a sum of the counts over all ranks, and its result to all."""
        counted = self.kernel("count", self.times.histogram(self.n, bins), self.n, 1)
        return self.meeting(self.meeting(counted))

    def split(self, pieces, after):
        bins = 2 * (self.machine.gpus * pieces - 1) + 1
        return self.meeting(self.kernel("split", self.times.split(self.n, bins), self.n, 3, after))

    def copy(self, name, n, r, after):
        return self.add(name, self.times.copy(n), {("memory", r): 1.0}, after)

    def flow(self, name, n, rate, port, source, r, after):
        """n keys from one GPU's memory to another's."""
        share = rate / self.memory
        return self.add(name, n * KEY_BYTES / rate, {(f"{port} out", source): 1.0, (f"{port} in", r): 1.0,
                                                     ("memory", source): share, ("memory", r): share}, after)

    def exchange(self, name, pieces, after, staggered=False):
        """Of one piece. Between threads each rank fetches its part from one rank after another, from rank 0 on, or, if
        staggered, from itself on. NCCL sends to all ranks at once; that each rank's part is as large stands for all pairs."""
        n = self.n / pieces / self.machine.gpus  # from each rank to each
        arrived = self.meeting(after)
        done = []
        for r in self.ranks:
            last = arrived[r]
            if self.machine.hosts > 1:
                near, far = self.machine.on_host - 1, self.machine.gpus - self.machine.on_host
                done += [self.copy(name, n, r, (last,)), self.flow(name, near * n, LINK, "NVLink", r, r, (last,)),
                         self.flow(name, far * n, NIC, "NIC", r, r, (last,))]
                continue
            for step in self.ranks:
                source = (r + step) % self.machine.gpus if staggered else step
                last = self.copy(name, n, r, (last,)) if source == r else self.flow(name, n, LINK, "NVLink", source, r, (last,))
            done.append(last)
        return self.meeting(done)

    def pieces(self, pieces=1, staggered=False, by_spans=False):
        """A piece is sorted while the next one is exchanged. `by_spans`: as fast as uniform keys of the whole range."""
        n = self.n / pieces
        if by_spans:
            self.check_spans()
        ms, moved = (self.times.sort(n), 7) if by_spans else (self.times.all_digits(n, self.machine.gpus * pieces), 9)
        exchanged = self.split(pieces, self.cuts())
        for piece in range(1, pieces + 1):
            exchanged = self.exchange(f"exchange {piece}", pieces, exchanged, staggered)
            self.kernel(f"sort {piece}", ms, n, moved, exchanged)
        return self

    def store(self, after):
        """One pass by the leading digit that stores straight into the other GPUs' memory."""
        link_ms = self.n * KEY_BYTES * (self.machine.gpus - 1) / self.machine.gpus / LINK_STORES
        ms = max(self.times.move(self.n), link_ms)
        link = link_ms / ms
        return self.meeting(self.kernel("store", ms, self.n, 2, after, lambda r: {("NVLink out", r): link, ("NVLink in", r): link}))

    def stores(self):
        """Then three passes within buckets."""
        self.kernel("passes", self.times.three_passes(self.n), self.n, 7, self.store(self.cuts()))
        return self

    def stores_and_spans(self, bins=65536):
        """Then one pass within buckets, and spans. `bins`: of the counts for the cuts."""
        self.check_spans()
        self.kernel("pass", self.times.read(self.n) + self.times.move(self.n), self.n, 3, self.store(self.cuts(bins)))
        self.kernel("spans", self.times.spans(self.n), self.n, 2)
        return self

    def check_spans(self):
        if self.n * self.machine.gpus / BUCKETS_OF_SPANS > MOST_OF_SPAN:
            raise ValueError("buckets of 16 bits do not fit spans")

    def composition(self, ms):
        """What was measured: a split by the top bit, an exchange, and a sort that takes `ms`, without counts for cuts."""
        exchanged = self.exchange("exchange 1", 1, self.kernel("split", SPLIT_MS, self.n, 3))
        self.kernel("sort 1", ms, self.n, 9, exchanged)
        return self


# ---- what is printed -----------------------------------------------------------------------------------

def power(n):
    return f"2^{n.bit_length() - 1}"


def busiest(ms, busy):
    """The resource that was busy longest, and its share of the time."""
    (kind, _), longest = max(busy.items(), key=lambda item: item[1])
    return f"{kind.split()[0]} {100 * longest / ms:.0f} %"


def longest_term(ms, tasks):
    """The steps that took most of the time in a chain of tasks that waited for each other, and their share."""
    task, terms = max(tasks, key=lambda task: task.end), {}
    while task:
        term = task.name.split()[0]
        terms[term] = terms.get(term, 0.0) + task.end - task.begin
        task = max(task.after, key=lambda earlier: earlier.end, default=None)
    term = max(terms, key=terms.get)
    return f"{term} {100 * terms[term] / ms:.0f} %"


TWO, EIGHT, MANY = Machine(2), Machine(8), Machine(64, 8)
PLAIN, PIECES = "1 piece", "4 pieces, the default"
IN_BUCKETS, SPANS = "stores to peers, 3 passes in buckets", "stores to peers, 1 pass in buckets, spans"
SCHEDULES = (
    (TWO, 1 << 29, PLAIN, lambda sort: sort.pieces()),
    (TWO, 1 << 29, PIECES, lambda sort: sort.pieces(4)),
    (TWO, 1 << 29, "4 pieces, sorted by spans", lambda sort: sort.pieces(4, by_spans=True)),
    (TWO, 1 << 29, IN_BUCKETS, lambda sort: sort.stores()),
    (TWO, 1 << 29, SPANS, lambda sort: sort.stores_and_spans()),
    (TWO, 1 << 29, SPANS + ", 256 counts", lambda sort: sort.stores_and_spans(256)),
    (EIGHT, 1 << 27, PIECES, lambda sort: sort.pieces(4)),
    (EIGHT, 1 << 27, "4 pieces, staggered", lambda sort: sort.pieces(4, staggered=True)),
    (EIGHT, 1 << 27, SPANS, lambda sort: sort.stores_and_spans()),
    (EIGHT, 1 << 29, PLAIN, lambda sort: sort.pieces()),
    (EIGHT, 1 << 29, PIECES, lambda sort: sort.pieces(4)),
    (EIGHT, 1 << 29, "4 pieces, staggered", lambda sort: sort.pieces(4, staggered=True)),
    (EIGHT, 1 << 29, IN_BUCKETS, lambda sort: sort.stores()),
    (MANY, 1 << 29, "1 piece, the default", lambda sort: sort.pieces()),
    (MANY, 1 << 29, "2 pieces", lambda sort: sort.pieces(2)),
)


def table(record):
    yield "| GPUs | keys per GPU | schedule | ms | against one GPU | weak scaling | longest term | busiest resource |"
    yield "|---:|---:|---|---:|---:|---:|---|---|"
    for machine, n, name, schedule in SCHEDULES:
        tasks = schedule(Sort(machine, n, record)).tasks
        ms, busy = simulate(tasks)
        yield (f"| {machine.gpus} | {power(n)} | {name} | {ms:.1f} | ×{record.sort(n * machine.gpus) / ms:.2f} | "
               f"{ms / record.sort(n):.2f} | {longest_term(ms, tasks)} | {busiest(ms, busy)} |")


def composition_ms(record, sort_ms):
    return simulate(Sort(TWO, 1 << 29, record).composition(sort_ms).tasks)[0]


def old_sort_ms(record):
    """All digits of 2^29 keys at 4e96878, which read the result once more to check its order."""
    return record.all_digits(1 << 29, 2) + record.read(1 << 29)


def comparison(record):
    n = 1 << 29

    def simulated(times, schedule):
        return simulate(schedule(Sort(TWO, n, times)).tasks)[0]

    def off(ms):
        return f"{ms:.1f} ({100 * (ms / COMPOSITION_MS - 1):+.0f} %)".replace("-", "−")

    yield "| 2 GPUs, 2^30 keys | measured or reckoned, ms | simulated, the same parts | simulated, the record's parts |"
    yield "|---|---:|---:|---:|"
    yield (f"| split, exchange, sort in place at 4e96878 | measured: {COMPOSITION_MS} | {off(composition_ms(record, SORT_MS))} | "
           f"{off(composition_ms(record, old_sort_ms(record)))} |")
    for name, reckoned, schedule in (("1 piece", 13.4, lambda sort: sort.pieces()), ("4 pieces", 11.2, lambda sort: sort.pieces(4)),
                                     ("stores, 3 passes in buckets", 9.3, lambda sort: sort.stores())):
        yield f"| {name} | {reckoned} | {simulated(Reckoned(record.folder), schedule):.1f} | {simulated(record, schedule):.1f} |"


def timeline(record, columns=80):
    """GPU 0 of the sort in pieces on two GPUs."""
    tasks = Sort(TWO, 1 << 29, record).pieces(4).tasks
    ms, _ = simulate(tasks)
    step = ms / columns
    lines = {"kernels": [" "] * columns, "link": [" "] * columns}
    marks = {"count": "c", "split": "s"}
    for task in tasks:
        mine = ("multiprocessors", 0) in task.needs, ("NVLink in", 0) in task.needs
        if not any(mine):
            continue
        for column in range(columns):
            if task.begin <= (column + 0.5) * step < task.end:
                lines["kernels" if mine[0] else "link"][column] = marks.get(task.name, task.name[-1])
    yield "```"
    for name, line in lines.items():
        yield f"{name:8}|{''.join(line)}|"
    yield f"{'':8}0{f'{ms:.1f} ms':>{columns + 1}}"
    yield "```"


def sections(record):
    return {"schedules": table(record), "comparison": comparison(record), "timeline": timeline(record)}


def renewed(text, record):
    for name, lines in sections(record).items():
        section = re.compile(rf"(<!-- simulated {name}: begin -->\n).*?(<!-- simulated {name}: end -->)", re.DOTALL)
        content = "\n".join(lines) + "\n"
        text, found = section.subn(lambda marks: marks[1] + content + marks[2], text)
        if found != 1:
            bench_record.fail(f"the page needs the lines '<!-- simulated {name}: begin -->' and '<!-- simulated {name}: end -->'")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", type=pathlib.Path, default=RECORD, help="a folder of one H100's record")
    pages = parser.add_mutually_exclusive_group()
    pages.add_argument("--write", type=pathlib.Path, metavar="PAGE")
    pages.add_argument("--check", type=pathlib.Path, metavar="PAGE")
    arguments = parser.parse_args()
    record, page = Record(arguments.record), arguments.write or arguments.check
    if page is None:
        print("\n\n".join("\n".join(lines) for lines in sections(record).values()))
        return 0
    try:
        text = page.read_text(encoding="utf-8")
    except OSError as error:
        bench_record.fail(f"{page}: {error.strerror}")
    wanted = renewed(text, record)
    if arguments.check and wanted != text:
        print(f"{page}: not what the record's times give; run tools/simulate_distributed.py --write {page}")
        return 1
    if arguments.write:
        page.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
