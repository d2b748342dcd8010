"""Reads the benchmarks' record: one row a contest, in the columns that bench/support/record.hpp writes."""

import csv
import pathlib
import sys
from dataclasses import dataclass, field

COLUMNS = ("primitive", "type", "case", "n", "mode", "ours_us", "cub_us", "copy_us", "spread", "checked",
           "commit", "gpu", "driver", "cuda", "cub", "date")
PRIMITIVES = ("scan", "partition", "radix_sort")  # files of all sizes and types, of inputs of a few simple distributions
FILES = PRIMITIVES + ("top_k", "merge", "reduce", "clients", "calls", "pipelines", "adversary", "distributed", "out_of_core", "python")
OF_SEVERAL = COLUMNS + ("one_gpu_us",)  # records of several GPUs
# Records of tools/python/bench.py, where a column is empty if there is no such library, or it has no such call.
LIBRARIES = {"numpy": "NumPy", "torch": "PyTorch", "cupy": "CuPy", "jax": "JAX"}
OF_PYTHON = (*COLUMNS[:6], *(f"{name}_us" for name in LIBRARIES), "spread", "checked", "ours_first_us",
             *(f"{name}_first_us" for name in LIBRARIES), "ours_peak", "torch_peak", "commit", "gpu", "driver", "cuda", "python",
             *LIBRARIES, "date")


@dataclass(frozen=True)
class Row:
    primitive: str
    type: str
    case: str
    n: int
    mode: str
    ours_us: float
    cub_us: float  # of a row of Python the best rival's
    copy_us: float  # None of a row of Python
    spread: float
    checked: bool
    setting: dict
    one_gpu_us: float = 0  # ours on one GPU, of a row of several
    rivals: dict = field(default_factory=dict)  # of a row of Python: times by library
    peaks: dict = field(default_factory=dict)  # of a row of Python on a GPU: "ours" and "torch", over the input's bytes

    @property
    def key(self):
        return self.primitive, self.type, self.case, self.n, self.mode

    @property
    def ratio(self):
        """How many times faster ours is."""
        return self.cub_us / self.ours_us

    @property
    def best(self):
        """The fastest rival of a row of Python."""
        return min(self.rivals, key=self.rivals.get)


def fail(message):
    print(f"{pathlib.Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def read_file(path):
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ()) not in (COLUMNS, OF_SEVERAL, OF_PYTHON):
                fail(f"{path}: its columns are not those of a benchmark record")
            return [to_row(path, line, words) for line, words in enumerate(reader, start=2)]
    except OSError as error:
        fail(f"{path}: {error.strerror}")


def to_row(path, line, words):
    try:
        row = (to_row_of_python if "python" in words else to_row_of_gpu)(words)
    except (TypeError, ValueError):
        fail(f"{path}:{line}: not a row of a benchmark record")
    if row.n <= 0 or min(row.ours_us, row.cub_us, *row.rivals.values(), row.ours_us if row.copy_us is None else row.copy_us) <= 0:
        fail(f"{path}:{line}: a size or a time is not positive")
    return row


def to_row_of_gpu(words):
    ours_us, cub_us, copy_us, spread = (float(words[name]) for name in ("ours_us", "cub_us", "copy_us", "spread"))
    return Row(words["primitive"], words["type"], words["case"], int(words["n"]), words["mode"], ours_us, cub_us, copy_us,
               spread, words["checked"] == "yes", {name: words[name] for name in COLUMNS[10:]}, float(words.get("one_gpu_us", 0)))


def to_row_of_python(words):
    def given(suffix, names):
        return {name: float(words[name + suffix]) for name in names if words[name + suffix]}
    rivals = given("_us", LIBRARIES)
    return Row(words["primitive"], words["type"], words["case"], int(words["n"]), words["mode"], float(words["ours_us"]),
               min(rivals.values()), None, float(words["spread"]), words["checked"] == "yes",
               {name: words[name] for name in OF_PYTHON[OF_PYTHON.index("commit"):]}, 0, rivals, given("_peak", ("ours", "torch")))


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


def libraries_of(rows):
    """The rivals of rows of Python, by name; none of others."""
    return [name for name in LIBRARIES if any(name in row.rivals for row in rows)]


def listed(names):
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def rival(rows):
    """Whose time stands in cub_us; a row of a processor names it in its case."""
    libraries = [LIBRARIES[name] for name in libraries_of(rows)]
    if libraries:
        return listed(libraries) if len(libraries) == 1 else f"the best of {listed(libraries)}"
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
    libraries = libraries_of(rows)
    others = ", ".join(f"{LIBRARIES[name]} {values(name)}" for name in libraries)
    if is_of_host(rows):
        versions = f"{values('driver')}, {others or 'Thrust ' + values('cub')}"
    else:
        versions = f"driver {values('driver')}, CUDA {values('cuda')}, {others or 'CUB ' + values('cub')}"
    return f"{values('gpu')}, {versions}, {commits_text(rows)}"
