"""bench.py: its rows, all of them checked, and what it says when a library fails, differs or is not there."""

import csv
import importlib
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import kogge

FOLDER = pathlib.Path(__file__).resolve().parent.parent


def run(path, *words):
    command = [sys.executable, str(FOLDER / "bench.py"), "--seconds", "0.01", "--commit", "abc123", "--csv", str(path), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_host(tmp_path):
    rows = run(tmp_path / "python.csv", "--host", "--n", "2^10")
    primitives = {"sort", "sort_pairs", "argsort", "topk", "unique", "nonzero", "compact", "cumsum", "reduce", "histogram", "searchsorted"}
    assert {row["primitive"] for row in rows} == primitives
    assert len({(row["primitive"], row["type"], row["case"]) for row in rows}) == len(rows) > 60
    for row in rows:
        assert row["checked"] == "yes" and row["n"] == "1024" and row["commit"] == "abc123" and row["numpy"] == np.__version__
        assert all(float(row[name]) > 0 for name in ("ours_us", "numpy_us", "ours_first_us", "numpy_first_us"))
        assert not any(row[name] for name in ("torch_us", "cupy_us", "jax_us", "ours_peak"))


def test_device(tmp_path):
    torch = pytest.importorskip("torch")
    if kogge.device_count() == 0 or not torch.cuda.is_available():
        pytest.skip("no GPU, or a PyTorch without CUDA")
    rows = run(tmp_path / "python.csv", "--n", "2^16", "--only", "sort,unique,reduce")
    assert {row["primitive"] for row in rows} == {"sort", "unique", "reduce"}
    for row in rows:
        assert row["checked"] == "yes"
        assert all(float(row[name]) > 0 for name in ("ours_us", "torch_us", "ours_peak", "torch_peak"))


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("bench")


@pytest.fixture
def result(bench, monkeypatch, tmp_path, capsys):
    """The exit status, the rows and stderr of a benchmark of one case, `reduce` of int32."""
    cases = {case.case: case for case in bench.CASES if case.primitive == "reduce"}

    def of(*words, **changed):
        monkeypatch.setattr(bench, "CASES", [cases["sum"]._replace(types=("int32",), **changed)])
        path = tmp_path / "python.csv"
        monkeypatch.setattr(sys, "argv", ["bench.py", "--host", "--n", "2^10", "--seconds", "0", "--csv", str(path), *words])
        status = bench.main()
        with open(path, newline="", encoding="utf-8") as file:
            return status, list(csv.DictReader(file)), capsys.readouterr().err

    return of


def raises(*_):
    raise RuntimeError("out of luck\nand more")


def test_kogge_raises(result):
    assert result(ours=raises) == (1, [], "bench: reduce int32 sum 2^10: kogge raises RuntimeError: out of luck\n")


def test_rival_raises(result):
    assert result(rivals={"numpy": raises}) == (0, [], "bench: reduce int32 sum 2^10: numpy raises RuntimeError: out of luck\n")


def test_results_differ(result):
    status, rows, error = result(ours=lambda x: kogge.reduce(x, init=1))
    assert status == 1 and error == "bench: reduce int32 sum 2^10: the result is not that of numpy\n"
    assert [row["checked"] for row in rows] == ["no"]


def test_limit(result):
    status, rows, error = result("--limit", "0")
    assert (status, rows, error) == (1, [], "bench: reduce int32 sum 2^10: left out, as the time is over\n")


def test_missing_library(bench, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert bench.libraries({"numpy": bench.Library, "cupy": bench.Cupy}).keys() == {"numpy"}
    assert capsys.readouterr().err.startswith("bench: without cupy: ")


def test_folder_name(bench):
    names = {"NVIDIA H100 80GB HBM3": "nvidia_h100", "NVIDIA H200": "nvidia_h200", "AMD EPYC": "amd_epyc", "": "unknown"}
    assert {name: bench.folder_name(name) for name in names} == names


@pytest.mark.parametrize("words", [["--n", "2^x"], ["--n", "0"], ["--only", "sorts"]])
def test_usage(bench, monkeypatch, words):
    monkeypatch.setattr(sys, "argv", ["bench.py", *words])
    with pytest.raises(SystemExit, match="2"):
        bench.main()
