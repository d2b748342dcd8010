#!/usr/bin/env python3
"""Simulates schedules of a sort whose keys several GPUs share, from measured times of their parts on one GPU.

    tools/simulate_distributed.py                                               prints the tables and a timeline
    tools/simulate_distributed.py --write include/kogge/distributed/README.md   writes them between the page's markers
    tools/simulate_distributed.py --check include/kogge/distributed/README.md   exit code 1 when they are not up to date

A task takes its measured time when it runs alone, and needs a share of some resources meanwhile: multiprocessors and
memory of a GPU, and a direction of its NVLink and of its NIC. Tasks that run together share what does not suffice for
all of them: each gets the same fraction of its own speed, until a resource it needs has no more to give.

Times of kernels are rows of bench/results/nvidia_h100, the time that two GPUs take is one of nvidia_h100_x2; what no
record has stands below, as measured or assumed.
"""

import argparse
import pathlib
import re
import sys
from dataclasses import dataclass, field

import bench_record

RESULTS = pathlib.Path(__file__).resolve().parent.parent / "bench/results"
RECORD, TWO_RECORD = RESULTS / "nvidia_h100", RESULTS / "nvidia_h100_x2"
KEY_BYTES = 4  # u32, uniform

# Measured on two H100 that 18 links connect (NV18), by times of each kernel and copy.
COPIES_MS = 2.86  # 2^28 keys each way at once
ROUND_MS = 0.08   # a search for cuts, and the sum of its counts over two ranks, which are threads
LINK = (1 << 28) * KEY_BYTES / COPIES_MS  # bytes per ms, a GPU's in one direction
# Assumed.
NIC = 46e6              # bytes per ms in one direction: what NCCL's maintainers expect of 400 Gb/s (NVIDIA/nccl-tests#290)
MEETING_MS = 0.05       # the ranks tell each other what they send, between threads
OVER_MPI_MS = 0.2       # a round or a meeting of processes

ROUNDS = 5              # of 32-bit keys: three digits of the cuts, the items equal to them, where the sorted ranks are
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
        for row in bench_record.read(folder, ("radix_sort", "partition", "merge")):
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

    def move(self, n, bins=DIGIT_BINS):
        """A pass of a sort: a split less its count."""
        return self.time(("split", "u32", f"bins_{bins}"), n) - self.read(n)

    def passes(self, n):
        """Of a sort that leaves buckets of 16 bits: a count and two passes."""
        return self.read(n) + 2 * self.move(n)

    def spans(self, n):
        return self.sort(n) - self.passes(n)

    def merge(self, n):
        return self.time(("merge", "u32", "uniform"), n)


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

    def meeting(self, after, rounds=0):
        """All ranks wait for each other; or `rounds` times, for sums of counts."""
        if self.machine.hosts > 1:
            ms = OVER_MPI_MS * max(rounds, 1)
        else:
            ms = ROUND_MS * rounds if rounds else MEETING_MS
        return [self.add("cuts" if rounds else "meeting", ms, {}, after)] * self.machine.gpus

    def flow(self, name, n, rate, port, source, r, after):
        """n keys from one GPU's memory to another's."""
        share = rate / self.memory
        return self.add(name, n * KEY_BYTES / rate, {(f"{port} out", source): 1.0, (f"{port} in", r): 1.0,
                                                     ("memory", source): share, ("memory", r): share}, after)

    def get(self, name, pieces, after):
        """One piece on each rank, from one other rank after another, beginning behind itself; from other hosts, to which
        NCCL sends at once, with what the host's other ranks have. That each rank's part is as large stands for all pairs."""
        n = self.n / pieces / self.machine.gpus  # from each rank to each
        done = []
        for r in self.ranks:
            last = after[r]
            if self.machine.hosts > 1:
                near, far = self.machine.on_host - 1, self.machine.gpus - self.machine.on_host
                last = [self.flow(name, near * n, LINK, "NVLink", r, r, (last,)), self.flow(name, far * n, NIC, "NIC", r, r, (last,))]
                done.append(self.add(name, 0, {}, last))
                continue
            for step in range(1, self.machine.gpus):
                last = self.flow(name, n, LINK, "NVLink", (r + step) % self.machine.gpus, r, (last,))
            done.append(last)
        return done

    def merges(self, pieces=1, meets=False):
        """Each rank sorts its keys, gets its part in pieces, and merges each while the next one is on its way. `meets`:
        the ranks meet for each piece, where they do not reach each other's memory."""
        got = self.meeting(self.kernel("sort", self.times.sort(self.n), self.n, 7), ROUNDS)
        levels, n = (self.machine.gpus - 1).bit_length(), self.n / pieces
        for piece in range(1, pieces + 1):
            got = self.get(f"exchange {piece}", pieces, self.meeting(got) if meets else got)
            if meets:
                got = self.meeting(got)
            for _ in range(levels):
                self.kernel(f"merge {piece}", self.times.merge(n), n, self.all_memory(self.times.merge(n), n), got)
        return self

    def all_memory(self, ms, n):
        """So many moves that a kernel has no memory to spare: copies beside a merge were seen to take a quarter longer."""
        return ms * self.memory / (n * KEY_BYTES)

    def spans_last(self, pieces=1):
        """Not built: the ranks stop after the passes, and sort the spans of what they have got from all."""
        if self.n * self.machine.gpus / BUCKETS_OF_SPANS > MOST_OF_SPAN:
            raise ValueError("buckets of 16 bits do not fit spans")
        got = self.meeting(self.kernel("passes", self.times.passes(self.n), self.n, 5), ROUNDS)
        n = self.n / pieces
        for piece in range(1, pieces + 1):
            got = self.get(f"exchange {piece}", pieces, got)
            self.kernel(f"spans {piece}", self.times.spans(n), n, 2, got)
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
DEFAULT, MESSAGES, SPANS = "8 pieces, the default", "4 pieces by messages", "passes, 8 pieces, spans (not built)"
SCHEDULES = (
    (TWO, 1 << 29, "1 piece", lambda sort: sort.merges()),
    (TWO, 1 << 29, DEFAULT, lambda sort: sort.merges(8)),
    (TWO, 1 << 29, MESSAGES, lambda sort: sort.merges(4, meets=True)),
    (TWO, 1 << 29, SPANS, lambda sort: sort.spans_last(8)),
    (EIGHT, 1 << 27, DEFAULT, lambda sort: sort.merges(8)),
    (EIGHT, 1 << 27, SPANS, lambda sort: sort.spans_last(8)),
    (EIGHT, 1 << 29, DEFAULT, lambda sort: sort.merges(8)),
    (EIGHT, 1 << 29, MESSAGES, lambda sort: sort.merges(4, meets=True)),
    (MANY, 1 << 29, MESSAGES + ", the default", lambda sort: sort.merges(4, meets=True)),
    (MANY, 1 << 29, "1 piece", lambda sort: sort.merges(1, meets=True)),
)


def table(record):
    yield "| GPUs | keys per GPU | schedule | ms | against one GPU | weak scaling | longest term | busiest resource |"
    yield "|---:|---:|---|---:|---:|---:|---|---|"
    for machine, n, name, schedule in SCHEDULES:
        tasks = schedule(Sort(machine, n, record)).tasks
        ms, busy = simulate(tasks)
        yield (f"| {machine.gpus} | {power(n)} | {name} | {ms:.1f} | ×{record.sort(n * machine.gpus) / ms:.2f} | "
               f"{ms / record.sort(n):.2f} | {longest_term(ms, tasks)} | {busiest(ms, busy)} |")


def measured(n):
    """The milliseconds of two GPUs that sort n keys together, and how far they spread."""
    for row in bench_record.read(TWO_RECORD, ("distributed",)):
        if (row.primitive, row.type, row.case, row.n, row.mode) == ("radix_sort", "u32", "uniform", n, "eager"):
            return row.ours_us / 1000, row.spread
    bench_record.fail(f"{TWO_RECORD} has no row of {n} uniform u32")


def comparison(record):
    yield "| 2 GPUs, u32 | measured, ms | spread of the times | simulated |"
    yield "|---|---:|---:|---:|"
    for n in (1 << 27, 1 << 28, 1 << 29):
        (took, spread), simulated = measured(2 * n), simulate(Sort(TWO, n, record).merges(8).tasks)[0]
        off = f"{100 * (simulated / took - 1):+.0f} %".replace("-", "−")
        yield f"| {power(2 * n)} | {took:.1f} | {100 * spread:.0f} % | {simulated:.1f} ({off}) |"


def timeline(record, columns=80):
    """GPU 0 of the sort in pieces on two GPUs."""
    tasks = Sort(TWO, 1 << 29, record).merges(8).tasks
    ms, _ = simulate(tasks)
    step = ms / columns
    lines = {"kernels": [" "] * columns, "link": [" "] * columns}
    marks = {"sort": "s"}
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
