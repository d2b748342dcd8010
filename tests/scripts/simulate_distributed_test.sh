#!/usr/bin/env bash
# tools/simulate_distributed.py: its engine, that it reproduces what was measured on two GPUs, and that the page shows
# what it gives for the record.
set -uo pipefail

source "$(dirname "$0")/tools.sh"
simulate=$tools/simulate_distributed.py
page=$KOGGE_SOURCE_DIR/include/kogge/distributed/README.md
record=$KOGGE_SOURCE_DIR/bench/results/nvidia_h100

# run STATUS TEXT ARGUMENTS...: its output must hold TEXT.
run() { expect "$1" "$2" "$simulate" "${@:3}"; }

PYTHONPATH=$tools python3 - << 'TESTS' || fail "the engine"
import math
import unittest

import simulate_distributed as simulated
from simulate_distributed import EIGHT, MANY, TWO, Machine, Sort, Task, simulate

N = 1 << 29
record = simulated.Record(simulated.RECORD)


class Flat(simulated.Record):
    """All kernels take no time to speak of, so that the links decide."""

    def __init__(self):
        pass

    def copy(self, n):
        return n * 1e-12

    sort = merge = passes = spans = copy


class Engine(unittest.TestCase):
    def check(self, tasks, ends):
        ms, busy = simulate(tasks)
        for task, end in zip(tasks, ends):
            self.assertAlmostEqual(task.end, end)
        self.assertAlmostEqual(ms, max(ends))
        return busy

    def test_alone(self):
        self.assertAlmostEqual(self.check([Task("a", 3, {"memory": 0.5})], [3])["memory"], 1.5)

    def test_a_chain(self):
        a = Task("a", 3)
        self.check([a, Task("b", 2, {}, (a,))], [3, 5])

    def test_two_share(self):
        # Each at half its speed until the first is done, after 4 ms.
        self.assertAlmostEqual(self.check([Task("a", 2, {"link": 1}), Task("b", 5, {"link": 1})], [4, 7])["link"], 7)

    def test_what_suffices_for_both(self):
        self.check([Task("a", 2, {"memory": 0.7}), Task("b", 2, {"memory": 0.3})], [2, 2])

    def test_max_min(self):
        # a and b share the link, and leave three quarters of c's memory, which c needs two of.
        self.check([Task("a", 1, {"link": 1, "memory": 0.5}), Task("b", 1, {"link": 1}), Task("c", 3, {"memory": 1})], [2, 2, 3.5])

    def test_no_end(self):
        a = Task("a", 1)
        a.after = (a,)
        with self.assertRaises(ValueError):
            simulate([a])


class Schedules(unittest.TestCase):
    def test_what_was_measured_on_two_gpus(self):
        steady = 0
        for n in (1 << 27, 1 << 28, N):
            ms, _ = simulate(Sort(TWO, n, record).merges(8).tasks)
            took, spread = simulated.measured(2 * n)
            if spread < 0.5:  # otherwise their median says too little
                self.assertLess(abs(ms / took - 1), 0.1, n)
                steady += 1
        self.assertGreaterEqual(steady, 2)

    def test_one_after_another(self):
        sort = Sort(TWO, N, record).merges()
        parts = (record.sort(N), simulated.ROUNDS * simulated.ROUND_MS, N // 2 * 4 / simulated.LINK, record.merge(N))
        self.assertAlmostEqual(simulate(sort.tasks)[0], math.fsum(parts))

    def test_pieces_hide_the_exchange(self):
        ms = {pieces: simulate(Sort(TWO, N, record).merges(pieces).tasks)[0] for pieces in (1, 2, 8)}
        self.assertTrue(ms[8] < ms[2] < ms[1])

    def test_fetching_from_one_rank_after_another(self):
        # Each link carries what one rank gets of seven others, one after another.
        unit = N / 8 * 4 / simulated.LINK
        ms, _ = simulate(Sort(EIGHT, N, Flat()).merges().tasks)
        self.assertAlmostEqual((ms - simulated.ROUNDS * simulated.ROUND_MS) / unit, 7, places=1)

    def test_hosts_exchange_at_the_speed_of_the_nic(self):
        ms, busy = simulate(Sort(MANY, N, Flat()).merges(1, meets=True).tasks)
        far = N * 56 / 64 * 4 / simulated.NIC
        self.assertAlmostEqual(ms - (simulated.ROUNDS + 2) * simulated.OVER_MPI_MS, far, places=1)
        self.assertAlmostEqual(busy["NIC in", 0], far, places=1)

    def test_a_level_of_merges_for_each_doubling_of_ranks(self):
        for gpus, levels in ((2, 1), (3, 2), (8, 3)):
            tasks = Sort(Machine(gpus), N, record).merges(4).tasks
            merges = sum(task.name.startswith("merge") and ("multiprocessors", 0) in task.needs for task in tasks)
            self.assertEqual(merges, 4 * levels)

    def test_spans_only_of_buckets_that_fit(self):
        Sort(EIGHT, 1 << 27, record).spans_last(8)
        with self.assertRaises(ValueError):
            Sort(EIGHT, N, record).spans_last()

    def test_terms(self):
        a, b = Task("a", 2), Task("b 1", 3)
        c = Task("c", 1, {}, (a, b))
        simulate([a, b, c])
        self.assertEqual(simulated.longest_term(4, [a, b, c]), "b 75 %")


unittest.main(argv=["simulate_distributed"], verbosity=0)
TESTS

case_name="the page"
run 0 "" --check "$page"
case_name="a page that is not up to date"
sed 's/^| 2 | 2^29 | 1 piece.*/| 2 | 2^29 | 1 piece | 1.0 |/' "$page" > "$work/page.md"
run 1 "not what the record's times give" --check "$work/page.md"
case_name="it is written"
run 0 "" --write "$work/page.md"
cmp -s "$page" "$work/page.md" || fail "$case_name: another page"
case_name="a page without markers"
echo text > "$work/bare.md"
run 2 "needs the lines '<!-- simulated schedules: begin -->'" --write "$work/bare.md"
case_name="no page"
run 2 "none.md: No such file" --check "$work/none.md"
case_name="a record without a row that it needs"
mkdir "$work/record"
cp "$record"/{radix_sort,partition}.csv "$work/record"
grep -v '^merge,u32,uniform' "$record/merge.csv" > "$work/record/merge.csv"
run 2 "no eager row merge u32 uniform" --record "$work/record"
case_name="another record gives other times"
sed 's/^\(radix_sort,u32,uniform,1073741824,eager\),[0-9.]*/\1,20000/' "$record/radix_sort.csv" > "$work/record/radix_sort.csv"
cp "$record/merge.csv" "$work/record"
run 1 "not what the record's times give" --record "$work/record" --check "$page"
case_name="no arguments"
run 0 "kernels |s"

[ "$failures" -eq 0 ] && echo "tools/simulate_distributed.py does what it says"
