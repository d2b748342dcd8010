"""Reads the benchmarks' record: one row a contest, in the columns that bench/support/record.hpp writes."""

import csv
import pathlib
import sys
from dataclasses import dataclass

COLUMNS = ("primitive", "type", "case", "n", "mode", "ours_us", "cub_us", "copy_us", "spread", "checked",
           "commit", "gpu", "driver", "cuda", "cub", "date")
PRIMITIVES = ("scan", "partition", "radix_sort")  # files of all sizes and types, of inputs of a few simple distributions
FILES = PRIMITIVES + ("top_k", "merge", "clients", "adversary", "distributed", "out_of_core")
OF_SEVERAL = COLUMNS + ("one_gpu_us",)  # records of several GPUs


@dataclass(frozen=True)
class Row:
    primitive: str
    type: str
    case: str
    n: int
    mode: str
    ours_us: float
    cub_us: float
    copy_us: float
    spread: float
    checked: bool
    setting: dict
    one_gpu_us: float = 0  # ours on one GPU, of a row of several

    @property
    def key(self):
        return self.primitive, self.type, self.case, self.n, self.mode

    @property
    def ratio(self):
        """How many times faster ours is."""
        return self.cub_us / self.ours_us


def fail(message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def read_file(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) not in (COLUMNS, OF_SEVERAL):
                fail(f"{path}: its columns are not those of a benchmark record")
            return [to_row(path, line, words) for line, words in enumerate(reader, start=2)]
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def to_row(path, line, words):
    try:
        ours_us, cub_us, copy_us, spread = (float(words[name]) for name in ("ours_us", "cub_us", "copy_us", "spread"))
        row = Row(words["primitive"], words["type"], words["case"], int(words["n"]), words["mode"], ours_us, cub_us, copy_us,
                  spread, words["checked"] == "yes", {name: words[name] for name in COLUMNS[10:]}, float(words.get("one_gpu_us", 0)))
    except (TypeError, ValueError):
        fail(f"{path}:{line}: not a row of a benchmark record")
    if row.n <= 0 or min(ours_us, cub_us, copy_us) <= 0:
        fail(f"{path}:{line}: a size or a time is not positive")
    return row


def files_of(folder, names=FILES):
    files = [folder / f"{name}.csv" for name in names if (folder / f"{name}.csv").exists()]
    if not files:
        fail(f"{folder}: holds none of " + ", ".join(f"{name}.csv" for name in names))
    return files


def read(path, names=FILES):
    """The rows of a file, or of the record's files of these names in a folder."""
    path = pathlib.Path(path)
    files = files_of(path, names) if path.is_dir() else [path]
    return [row for file in files for row in read_file(file)]


def size_name(n):
    """2^20 for 1048576, 10^6 for a million, 2^28-2^20 for what lies just below a power of two."""
    for base in (2, 10):
        power = n.bit_length() - 1 if base == 2 else len(str(n)) - 1
        if base ** power == n:
            return f"{base}^{power}"
    power = n.bit_length()
    gap = 2 ** power - n
    if gap & (gap - 1) == 0:
        return f"2^{power}-2^{gap.bit_length() - 1}"
    return str(n)


def is_of_host(rows):
    return all(row.setting["cuda"] == "none" for row in rows)


def rival(rows):
    """Whose time stands in cub_us; a row of a processor names it in its case."""
    return "the rival" if is_of_host(rows) else "CUB"


def commits_text(rows):
    """The commit and the day; of rows of several commits, how many, and from when to when."""
    commits, dates = ({row.setting[name] for row in rows} for name in ("commit", "date"))
    days = min(dates) if len(dates) == 1 else f"{min(dates)} to {max(dates)}"
    return f"commit {min(commits)}, {days}" if len(commits) == 1 else f"{len(commits)} commits of {days}"


def setting_line(rows):
    """One line that says where and when the rows were measured."""
    def values(name):
        return " and ".join(sorted({row.setting[name] for row in rows}))
    versions = (f"{values('driver')}, Thrust {values('cub')}" if is_of_host(rows) else
                f"driver {values('driver')}, CUDA {values('cuda')}, CUB {values('cub')}")
    return f"{values('gpu')}, {versions}, {commits_text(rows)}"
