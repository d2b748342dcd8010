"""kogge top-k and kogge unique: against sorted() of the same numbers, and against sort and uniq."""
import collections
import itertools
import math
import os
import random
import subprocess

from command.case import TYPES, FLOATS, pack, make_npy, parse_npy, text_of, numbers_of, place_of, in_pieces, Case

# From one item in a piece to all of them.
MEMORY = ("1", "300", "5K", "1G")


def run_tool(words, data):
    return subprocess.run(words, input=data, stdout=subprocess.PIPE, check=True, env={**os.environ, "LC_ALL": "C"}).stdout


class TopK(Case):
    def test_every_type(self):
        for name, smallest, memory in itertools.product(TYPES, (False, True), MEMORY):
            items = numbers_of(name, 600) + ([math.nan] if name in FLOATS else [])
            order = sorted(range(len(items)), key=lambda i: place_of(name, items[i]) * (1 if smallest else -1))
            words = ["top-k", self.path("in.npy"), *in_pieces(memory), "--verify", *(["--smallest"] if smallest else [])]
            self.path("in.npy", make_npy(name, items))
            with self.subTest(type=name, smallest=smallest, memory=memory):
                self.good(*words, "-k", 37, "-o", self.path("out.npy"))
                got_name, got = parse_npy(self.read("out.npy"))
                self.assertEqual((got_name, pack(name, got)), (name, pack(name, [items[i] for i in order[:37]])))
                self.good(*words, "-k", 37, "--indices", "-o", self.path("out.npy"))
                self.assertEqual(parse_npy(self.read("out.npy")), ("i64", order[:37]))

    def test_as_sort_and_head(self):
        r = random.Random(9)
        lines = text_of(r.randrange(-10**12, 10**12) for _ in range(20_000))
        for k, memory in itertools.product((1, 10, 999, 20_000), ("4K", "1M")):
            for words, flag in (([], "-nr"), (["--largest"], "-nr"), (["--smallest"], "-n")):
                wanted = b"".join(run_tool(["sort", flag], lines).splitlines(True)[:k])
                self.assertEqual(self.good("top-k", "-k", k, *in_pieces(memory), *words, stdin=lines).stdout, wanted)

    def test_how_many(self):
        lines = b"3\n1\n2\n"
        self.assertEqual(self.good("top-k", "-k", 0, stdin=lines).stdout, b"")
        self.assertEqual(self.good("top-k", "-k", 0, "--indices", "--verify", stdin=lines).stdout, b"")
        self.assertEqual(self.good("top-k", "-k", "2^40", "--verify", stdin=lines).stdout, b"3\n2\n1\n")
        self.assertEqual(self.good("top-k", stdin=text_of(range(30))).stdout, text_of(range(29, 19, -1)))
        for words in ([], ["--indices"], ["--smallest", "--type", "f32", "--verify"]):
            self.assertEqual(self.good("top-k", *words, stdin=b"").stdout, b"")
        self.assertEqual(parse_npy(self.good("top-k", stdin=make_npy("u16", [])).stdout), ("u16", []))
        done = self.good("top-k", "-k", 2, "--verify", stdin=lines)
        self.assertRegex(done.stderr.decode(), r"^found the 2 largest of 3 i64 in [0-9.]+ (us|ms|s) \(.+\), verified\n$")
        self.assertEqual(self.good("top-k", "-q", stdin=lines).stderr, b"")

    def test_ties_and_options_of_the_order(self):
        items = [-0.0, 0.0, math.nan, -1.0, -math.nan, 0.0]
        self.path("in.npy", make_npy("f64", items))
        for words, wanted in [
            ([], [2, 1, 5, 0, 3, 4]),
            (["--nan", "last"], [1, 5, 0, 3, 2, 4]),
            (["--zeros", "equal"], [2, 0, 1, 5, 3, 4]),
            (["--smallest", "--nan", "last", "--zeros", "equal"], [3, 0, 1, 5, 2, 4]),
        ]:
            for memory in MEMORY:
                out = self.good("top-k", self.path("in.npy"), "--indices", "--verify", *in_pieces(memory), "--format", "text", *words).stdout
                self.assertEqual(out, text_of(wanted))

    def test_wrong_usage(self):
        for message, words in [
            ("'many' is no number of items", ["-k", "many"]),
            ("'-1' is no number of items", ["-k", "-1"]),
            ("--largest", ["--largest", "--smallest"]),
            ("'0' is no number of bytes", ["--memory", "0"]),
            ("'1X' is no number of bytes", ["--memory", "1X"]),
            ("'17179869184G' is no number of bytes", ["--memory", "17179869184G"]),
            ("'first' is not one of sign|last", ["--nan", "first"]),
        ]:
            with self.subTest(words=words):
                self.bad(2, message, "top-k", *words, stdin=b"1\n")


class Unique(Case):
    def test_every_type(self):
        for name, descending, memory in itertools.product(TYPES, (False, True), MEMORY):
            some = numbers_of(name, 90) + ([math.nan] if name in FLOATS else [])
            items = [random.Random(f"{name} {i}").choice(some) for i in range(500)]
            counts = collections.Counter(place_of(name, item) for item in items)
            first = {place_of(name, item): item for item in items}
            order = sorted(counts, reverse=descending)
            self.path("in.npy", make_npy(name, items))
            with self.subTest(type=name, descending=descending, memory=memory):
                self.good("unique", self.path("in.npy"), "--count", *in_pieces(memory), "--verify", "-o", self.path("out.npy"),
                          *(["-d"] if descending else []))
                got_name, got = parse_npy(self.read("out.npy"))
                self.assertEqual((got_name, pack(name, got)), (name, pack(name, [first[place] for place in order])))
                self.assertEqual(parse_npy(self.read("out.counts.npy")), ("u64", [counts[place] for place in order]))
                self.good("unique", self.path("in.npy"), *in_pieces(memory), "--verify", "-o", self.path("again.npy"),
                          *(["-d"] if descending else []))
                self.assertEqual(self.read("again.npy"), self.read("out.npy"))

    def test_as_sort_and_uniq(self):
        r = random.Random(3)
        lines = text_of(r.choice((r.randrange(-50, 50), r.randrange(10**6))) for _ in range(20_000))
        in_order = run_tool(["sort", "-n"], lines)
        for memory in ("2K", "100K", "1G"):
            self.assertEqual(self.good("unique", *in_pieces(memory), stdin=lines).stdout, run_tool(["sort", "-nu"], lines))
            self.assertEqual(self.good("unique", "-r", *in_pieces(memory), stdin=lines).stdout, run_tool(["sort", "-nur"], lines))
            self.assertEqual(self.good("unique", "-c", *in_pieces(memory), "--verify", stdin=lines).stdout, run_tool(["uniq", "-c"], in_order))

    def test_where_counts_go(self):
        lines = b"7\n5\n7\n"
        self.path("in.txt", lines)
        words = ["unique", self.path("in.txt"), "--count"]
        for name, wanted in [("out.txt", b"      1 5\n      2 7\n"), ("out.csv", b"value,count\n5,1\n7,2\n"), ("out.tsv", b"value\tcount\n5\t1\n7\t2\n")]:
            self.good(*words, "-o", self.path(name))
            self.assertEqual(self.read(name), wanted)
        self.good(*words, "-o", self.path("out.csv"), "--count-output", self.path("counts.npy"))
        self.assertEqual((self.read("out.csv"), parse_npy(self.read("counts.npy"))), (b"5\n7\n", ("u64", [1, 2])))
        self.bad(2, "the numbers and the counts cannot both go to", *words, "-o", self.path("out.npy"), "--count-output", self.path("out.npy"))
        self.bad(2, "--count writes a second result", *words, "--format", "npy")
        self.bad(2, "--count-output requires --count", "unique", "--count-output", self.path("x"), stdin=lines)

    def test_equals(self):
        items = [-0.0, 0.0, math.nan, -math.nan, 0.0]
        self.path("in.npy", make_npy("f32", items))
        for words, wanted in [([], b"      1 -nan\n      1 -0\n      2 0\n      1 nan\n"), (["--zeros", "equal", "--nan", "last"], b"      3 -0\n      2 nan\n")]:
            for memory in MEMORY:
                out = self.good("unique", self.path("in.npy"), "-c", "--format", "text", "--verify", *in_pieces(memory), *words).stdout
                self.assertEqual(out, wanted)

    def test_little_input(self):
        for lines, wanted in ((b"", b""), (b"\n", b""), (b"4", b"4\n"), (b"4\n4\n4\n", b"4\n")):
            self.assertEqual(self.good("unique", "--verify", stdin=lines).stdout, wanted)
        self.assertEqual(self.good("unique", "--count", stdin=b"").stdout, b"")

    def test_second_result_that_cannot_be_written(self):
        """Then the first one does not appear either."""
        self.path("in.npy", make_npy("u8", [1, 2]))
        self.path("out.npy", b"precious")
        self.bad(1, "cannot create", "unique", self.path("in.npy"), "-c", "-o", self.path("out.npy"), "--count-output", self.path("no/such/file"))
        self.assertEqual(self.read("out.npy"), b"precious")
