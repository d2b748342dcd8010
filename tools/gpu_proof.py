#!/usr/bin/env python3
"""The record that all tests on a GPU passed, from an optimised build of these very sources.

    tools/gpu_proof.py check                    one line of verdict; exit code 1 when neither proof nor notice stands
    tools/gpu_proof.py stands                   the same, but a notice is not enough
    tools/gpu_proof.py write --device NAME ...  what `tools/dev gpu-test` writes: tests/gpu_proof/<gpu>.txt
    tools/gpu_proof.py pending REASON           what `tools/dev gpu-test --pending REASON` writes
    tools/gpu_proof.py passed --log LOG ...     notes which test programs have passed, as ctest's output says
    tools/gpu_proof.py left --into FILE ...     which of these test programs have not passed from the present sources

A run may be interrupted, or a test fail and be mended: then the next run takes only the programs that have not passed from
what they are compiled from now. A proof says in how many runs all of them passed.

A proof stands while the digest of the tree (tools/source_digest.py) is that of a record; of which GPU does not matter.
tests/gpu_proof/pending.txt is a notice that no GPU was to be had. It stands for one digest, and between two proofs for
one only: it names the proof that it follows, and where git knows the history, no other notice may have been committed
on the way here since the last proof. The next proof removes it.
"""

import argparse
import datetime
import pathlib
import re
import subprocess
import sys

import source_digest

FOLDER = "tests/gpu_proof"
PENDING = "pending.txt"
PROOF_FIELDS = ("device", "driver", "cuda", "date", "passed", "failed", "skipped", "digest")
RUNS = "runs"  # more than one; not in older records
PENDING_FIELDS = ("digest", "after", "date", "reason")
NONE = "none"  # what a first notice follows
PASSED = re.compile(r"Test +#\d+: (\S+) \.*\s+Passed")  # a line of ctest's output


class Refused(Exception):
    pass


def read(text, fields, name):
    """The fields of a record, which has a line `field: value` for each."""
    record = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    missing = [field for field in fields if field not in record]
    if missing:
        raise Refused(f"{FOLDER}/{name}: has no line '{missing[0]}: '")
    return record


def save(path, fields, record):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{field}: {record[field]}\n" for field in fields), encoding="utf-8")


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M")


def slug(device):
    """A device's name as a file's, as benchmarks name their folders: nvidia_h100 of "NVIDIA H100 80GB HBM3"."""
    name = re.sub(r"[\s-]\d+\s?GB\b.*", "", device).lower()
    return re.sub(r"[^a-z0-9]+", "_", name).strip("_") or "unknown"


def proofs(root):
    """The records, the newest first."""
    records = []
    for path in sorted((root / FOLDER).glob("*.txt")):
        if path.name != PENDING:
            record = read(path.read_text(encoding="utf-8"), PROOF_FIELDS, path.name)
            if record["failed"] != "0" or record["skipped"] != "0" or record["passed"] in ("", "0"):
                raise Refused(f"{FOLDER}/{path.name}: not all tests passed")
            records.append(record)
    return sorted(records, key=lambda record: record["date"], reverse=True)


def pending_notice(root):
    path = root / FOLDER / PENDING
    return read(path.read_text(encoding="utf-8"), PENDING_FIELDS, PENDING) if path.exists() else None


def git(root, *words):
    """What git prints; nothing where there is no git, or no such thing."""
    try:
        return subprocess.run(["git", "-C", str(root), *words], capture_output=True, check=True).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.CalledProcessError):
        return ""


def committed_notices(root):
    """Digests of the notices in the commits that led here since a proof was committed: along first parents, so that a
    merged branch counts as one step. The oldest commit of a shallow clone shows all its files as new, proofs too."""
    if git(root, "rev-parse", "--show-prefix").strip():
        return set()  # a tree inside another project's
    digests = set()
    for commit in git(root, "rev-list", "--first-parent", "HEAD", "--", FOLDER).split():
        changed = git(root, "diff-tree", "-m", "--first-parent", "--root", "-r", "--no-commit-id", "--name-only", commit, "--", FOLDER)
        notice = git(root, "show", f"{commit}:{FOLDER}/{PENDING}")
        if notice:
            digests.add(read(notice, PENDING_FIELDS, PENDING)["digest"])
        if set(changed.split()) - {f"{FOLDER}/{PENDING}"}:
            break
    return digests


def latest(records):
    return records[0]["digest"] if records else NONE


def verdict(root):
    """(whether a proof stands, a line about it); raises Refused when neither proof nor notice stands."""
    digest, records, notice = source_digest.digest_of(root), proofs(root), pending_notice(root)
    for record in records:
        if record["digest"] == digest:
            return True, (f"{record['passed']} GPU tests passed on {record['device']} with CUDA {record['cuda']}, {record['date']}, "
                          "from an optimised build of these sources")
    how = "on a machine with a GPU, tools/dev gpu-test writes one"
    if notice is None:
        newest = f"the newest proof, on {records[0]['device']}, is of other ones" if records else "there is none yet"
        raise Refused(f"no proof that the GPU tests pass from these sources: {newest}; {how}")
    if notice["digest"] != digest:
        raise Refused(f"{FOLDER}/{PENDING} is a notice for other sources than these, and a second change needs a proof: {how}")
    if notice["after"] != latest(records):
        raise Refused(f"{FOLDER}/{PENDING} follows a proof that is not the newest one here; {how}")
    if committed_notices(root) - {digest}:
        raise Refused(f"{FOLDER}/{PENDING} is the second notice since the last proof, and one is the most: {how}")
    return False, f"NOT PROVEN ON A GPU, of {notice['date']}: {notice['reason']}. The next change of kernels or tests needs a proof"


def check(root, _arguments):
    proven, line = verdict(root)
    if proven:
        print(f"GPU proof: {line}")
    else:
        print(f"GPU proof: !!!! {line} !!!!")


def stands(root, _arguments):
    proven, line = verdict(root)
    if not proven:
        raise Refused(line)
    print(f"GPU proof: {line}")


def program_of(test):
    """The name of a test program in source_digest.program_digests."""
    return re.sub(r"_(gpu|host)$", "", test)


def noted(path):
    """(digest, program) -> the number of the run that it passed in."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {(digest, program): run for digest, program, run in (line.split(" ", 2) for line in lines)}


def passed(_root, arguments):
    """Adds the tests that the log calls passed, with the digests that their sources had then."""
    digests = {name: digest for digest, name in (line.split() for line in arguments.digests.read_text(encoding="utf-8").splitlines())}
    notes = noted(arguments.into)
    run = str(1 + max((int(earlier) for earlier in notes.values()), default=0))
    for test in PASSED.findall(arguments.log.read_text(encoding="utf-8", errors="replace")):
        if program_of(test) in digests:
            notes[digests[program_of(test)], program_of(test)] = run
    arguments.into.write_text("".join(f"{digest} {program} {run}\n" for (digest, program), run in notes.items()), encoding="utf-8")


def runs_of(root, arguments):
    """The runs in which the tests passed; None for those that have not, from the present sources."""
    notes, digests = noted(arguments.into), source_digest.program_digests(root)
    return {test: notes.get((digests.get(program_of(test)), program_of(test))) for test in arguments.tests.split()}


def left(root, arguments):
    for test, run in runs_of(root, arguments).items():
        if run is None:
            print(test)


def write(root, arguments):
    if arguments.digest != source_digest.digest_of(root):
        raise Refused("sources have changed since the tests were built: no proof is written")
    if arguments.failed != 0 or arguments.skipped != 0 or arguments.passed <= 0:
        raise Refused("not all tests passed: no proof is written")
    path = root / FOLDER / f"{slug(arguments.device)}.txt"
    record, fields = {**vars(arguments), "date": now()}, PROOF_FIELDS
    if arguments.into:
        runs = runs_of(root, arguments)
        if None in runs.values() or len(runs) != arguments.passed:
            raise Refused("not all tests passed: no proof is written")
        if len(set(runs.values())) > 1:
            record[RUNS], fields = len(set(runs.values())), PROOF_FIELDS + (RUNS,)
        arguments.into.unlink()
    save(path, fields, record)
    (root / FOLDER / PENDING).unlink(missing_ok=True)
    print(f"GPU proof: {FOLDER}/{path.name} is written; commit it with the change")


def pending(root, arguments):
    reason = " ".join(arguments.reason.split()).rstrip(".")
    if not reason:
        raise Refused("say why no GPU was to be had")
    digest, records, notice = source_digest.digest_of(root), proofs(root), pending_notice(root)
    if any(record["digest"] == digest for record in records):
        raise Refused("these sources have a proof: there is nothing to give notice of")
    earlier = committed_notices(root)
    if notice and not git(root, "rev-parse", "HEAD"):
        earlier = {notice["digest"]}  # nothing tells whether it has landed
    if earlier - {digest}:
        raise Refused("a notice has been given since the last proof, and one is the most: run tools/dev gpu-test on a machine with a GPU")
    save(root / FOLDER / PENDING, PENDING_FIELDS, {"digest": digest, "after": latest(records), "date": now(), "reason": reason})
    print(f"GPU proof: {FOLDER}/{PENDING} is written, for these sources only; write it last, and commit it with the change")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    commands = parser.add_subparsers(required=True)
    commands.add_parser("check").set_defaults(run=check)
    commands.add_parser("stands").set_defaults(run=stands)
    writer = commands.add_parser("write")
    for name in ("device", "driver", "cuda", "digest"):
        writer.add_argument(f"--{name}", required=True)
    for name in ("passed", "failed", "skipped"):
        writer.add_argument(f"--{name}", type=int, required=True)
    writer.add_argument("--into", type=pathlib.Path, help="the notes of passed tests, which end with the proof")
    writer.add_argument("--tests", default="", help="all tests, with --into")
    writer.set_defaults(run=write)
    noter = commands.add_parser("passed")
    for name in ("log", "digests", "into"):
        noter.add_argument(f"--{name}", type=pathlib.Path, required=True)
    noter.set_defaults(run=passed)
    lister = commands.add_parser("left")
    lister.add_argument("--into", type=pathlib.Path, required=True)
    lister.add_argument("--tests", required=True)
    lister.set_defaults(run=left)
    giver = commands.add_parser("pending")
    giver.add_argument("reason")
    giver.set_defaults(run=pending)
    arguments = parser.parse_args()
    try:
        arguments.run(arguments.root, arguments)
    except Refused as reason:
        print(f"GPU proof: {reason}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
