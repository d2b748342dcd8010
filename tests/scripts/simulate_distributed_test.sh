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

    histogram = split = move = all_digits = lambda self, n, *rest: n * 1e-12


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
    def test_composition_that_was_measured(self):
        ms = simulated.composition_ms(record, simulated.old_sort_ms(record))
        self.assertLess(abs(ms / simulated.COMPOSITION_MS - 1), 0.1)

    def test_passes_are_those_of_the_record(self):
        # Rows that go by all digits.
        row = record.time(("radix_sort", "u32", "and_skewed"), 1 << 28)
        self.assertLess(abs(record.all_digits(1 << 28) / row - 1), 0.1)

    def test_one_after_another(self):
        sort = Sort(TWO, N, record).pieces()
        parts = (record.histogram(N, 65536), record.split(N, 3), record.copy(N // 2), N // 2 * 4 / simulated.LINK,
                 record.all_digits(N, 2), 5 * simulated.MEETING_MS)
        # A rank's own copy and another one's fetching share its memory.
        shared = record.copy(N // 2) * simulated.LINK / sort.memory
        self.assertAlmostEqual(simulate(sort.tasks)[0], math.fsum(parts) + 2 * shared)

    def test_pieces_hide_the_exchange(self):
        ms = {pieces: simulate(Sort(TWO, N, record).pieces(pieces).tasks)[0] for pieces in (1, 2, 4)}
        self.assertTrue(ms[4] < ms[2] < ms[1])

    def test_fetching_from_one_rank_after_another(self):
        # In units of what one link takes for what a rank gets of another: 7 + 6 + … + 1, and 7 staggered.
        unit = N / 8 * 4 / simulated.LINK
        meetings = 5 * simulated.MEETING_MS
        for staggered, units in ((False, 28), (True, 7)):
            ms, _ = simulate(Sort(EIGHT, N, Flat()).pieces(1, staggered).tasks)
            self.assertAlmostEqual((ms - meetings) / unit, units, places=1)

    def test_hosts_exchange_at_the_speed_of_the_nic(self):
        ms, busy = simulate(Sort(MANY, N, Flat()).pieces().tasks)
        far = N * 56 / 64 * 4 / simulated.NIC
        self.assertAlmostEqual(ms - 5 * simulated.MEETING_OVER_MPI_MS, far, places=1)
        self.assertAlmostEqual(busy["NIC in", 0], far, places=1)

    def test_stores_take_the_link_or_the_pass(self):
        for machine in (Machine(1), TWO, EIGHT):
            sort = Sort(machine, N, record).stores()
            simulate(sort.tasks)
            store = next(task for task in sort.tasks if task.name == "store")
            link = N * 4 * (machine.gpus - 1) / machine.gpus / simulated.LINK_STORES
            self.assertAlmostEqual(store.end - store.begin, max(link, record.move(N)))

    def test_spans_only_of_buckets_that_fit(self):
        Sort(EIGHT, 1 << 27, record).stores_and_spans()
        for make in (lambda sort: sort.stores_and_spans(), lambda sort: sort.pieces(4, by_spans=True)):
            with self.assertRaises(ValueError):
                make(Sort(EIGHT, N, record))

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
grep -v '^histogram,u32,bins=65536 uniform' "$record/top_k.csv" > "$work/record/top_k.csv"
run 2 "no eager row histogram u32 bins=65536 uniform" --record "$work/record"
case_name="another record gives other times"
sed 's/^\(radix_sort,u32,uniform,1073741824,eager\),[0-9.]*/\1,20000/' "$record/radix_sort.csv" > "$work/record/radix_sort.csv"
cp "$record/top_k.csv" "$work/record"
run 1 "not what the record's times give" --record "$work/record" --check "$page"
case_name="no arguments"
run 0 "kernels |c"

[ "$failures" -eq 0 ] && echo "tools/simulate_distributed.py does what it says"
