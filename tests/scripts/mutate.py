#!/usr/bin/env python3
"""Switches off each synchronisation of emulated kernels, one at a time, and fails when no test notices.

    tests/scripts/mutate.py [--files REGEX] [--timeout SECONDS] [--jobs N] test_binary … [-- argument …]

The binaries are emulated tests; those of a ThreadSanitizer build also notice missing acquires, releases and fences,
which an x86 processor forgives. Each site is tried with the binaries that visit it until one of them fails, hangs or
crashes. Arguments behind -- go to every binary, for example --gtest_filter=…
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile


def run(binary, arguments, timeout, **environment):
    """True when the tests pass; a hang counts as a failure."""
    settings = dict(os.environ, GTEST_FAIL_FAST="1", **environment)
    settings["TSAN_OPTIONS"] = "halt_on_error=1 report_bugs=1 " + settings.get("TSAN_OPTIONS", "")
    try:
        done = subprocess.run([binary, *arguments], env=settings, timeout=timeout,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def sites_of(binary, arguments, timeout):
    """The synchronisation sites that a binary visits: {"file:line": kind}."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sites")
        if not run(binary, arguments, timeout, KOGGE_LIST_SITES=path):
            sys.exit(f"mutate.py: {binary} fails without any mutation: repair that first")
        if not os.path.exists(path):
            return {}  # it runs no kernel
        with open(path, encoding="utf-8") as lines:
            return {place: kind for place, kind, _ in (line.rsplit(maxsplit=2) for line in lines)}


def main():
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", nargs="+", metavar="test_binary")
    parser.add_argument("--files", metavar="REGEX", default="/kogge/", help="only sites whose file:line this finds (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=300, help="seconds a run may take (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time (default: %(default)s)")
    options = parser.parse_args(sys.argv[1:end])
    arguments = sys.argv[end + 1:]

    visitors, kinds = {}, {}
    for binary in options.binaries:
        for place, kind in sites_of(binary, arguments, options.timeout).items():
            # Only behind another kernel does it matter that one waits for its stream: lint sees that each does.
            if re.search(options.files, place) and kind != "stream_wait":
                visitors.setdefault(place, []).append(binary)
                kinds[place] = kind
    if not visitors:
        sys.exit(f"mutate.py: '{options.files}' finds no site that was visited")

    def noticed_by(place):
        for binary in visitors[place]:
            if not run(binary, arguments, options.timeout, KOGGE_MUTATE=place):
                return binary
        return None

    survivors = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        places = sorted(visitors)
        for place, binary in zip(places, pool.map(noticed_by, places)):
            verdict = f"noticed by {os.path.basename(binary)}" if binary else "SURVIVES"
            print(f"{place} {kinds[place]}: {verdict}", flush=True)
            if not binary:
                survivors.append(place)
    print(f"{len(visitors) - len(survivors)} of {len(visitors)} switched-off sites were noticed")
    if survivors:
        sys.exit("mutate.py: nothing needs the synchronisation at " + ", ".join(survivors) +
                 ": remove it, or add the test that does")


if __name__ == "__main__":
    main()
