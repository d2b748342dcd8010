"""kogge histogram: counts against fractions and awk, bars, edges, what is left out."""
import bisect
import fractions
import fcntl
import itertools
import math
import os
import pty
import random
import struct
import subprocess
import termios

from command.case import TYPES, FLOATS, make_npy, parse_npy, text_of, numbers_of, in_pieces, Case

MEMORY = ("1", "300", "1G")


class Histogram(Case):
    def table(self, *words, **more):
        lines = self.good("histogram", *words, "--format", "text", **more).stdout.decode().splitlines()
        self.assertEqual(lines[0], "lower,upper,count")
        rows = [line.split(",") for line in lines[1:]]
        number_of = lambda text: int(text) if text.lstrip("-").isdigit() else float(text)
        self.assertEqual([row[0] for row in rows[1:]], [row[1] for row in rows[:-1]])
        return [number_of(row[0]) for row in rows] + [number_of(rows[-1][1])], [int(row[2]) for row in rows]

    def count(self, items, edges):
        """Bins have their lower edge, the last one both."""
        counts = [0] * (len(edges) - 1)
        for item in items:
            if not math.isnan(item) and edges[0] <= item <= edges[-1]:
                counts[min(bisect.bisect_right(edges, item) - 1, len(counts) - 1)] += 1
        return counts

    def test_every_type(self):
        for name, memory, bins in itertools.product(TYPES, MEMORY, (1, 7, 100)):
            items = numbers_of(name, 700) + ([math.nan] if name in FLOATS else [])
            finite = [item for item in items if math.isfinite(item)]
            self.path("in.npy", make_npy(name, items))
            with self.subTest(type=name, memory=memory, bins=bins):
                edges, counts = self.table(self.path("in.npy"), "--bins", bins, *in_pieces(memory), "--verify")
                self.assertEqual((edges[0], edges[-1]), (min(finite), max(finite)))
                self.assertEqual(counts, self.count(items, edges))
                self.assertEqual(sum(counts), len(finite))
                low, high = fractions.Fraction(edges[0]), fractions.Fraction(edges[-1])
                for i, edge in enumerate(edges):
                    self.assertAlmostEqual(float(low + i * (high - low) / bins), float(edge), delta=float(high - low) * 1e-15)

    def test_ranges_beside_the_type(self):
        for name, text, bins in [("u8", "0:255", 5), ("u8", "-10:300", 31), ("u8", "0:510", 4), ("u8", "300:400", 2), ("i8", "-128:127", 3),
                                 ("i8", "-400:-300", 2), ("i64", "-9223372036854775808:9223372036854775807", 4),
                                 ("u64", "1:18446744073709551615", 3), ("u64", "0:1e30", 5), ("f16", "-65504:65504", 9),
                                 ("f32", "-1e300:1e300", 8), ("f32", "0.1:0.7", 6), ("f64", "-1.7e308:1.7e308", 5), ("i32", "0.5:2.5", 2)]:
            items = numbers_of(name, 800)
            if name[0] in "ui":
                low, high = (0, 2 ** (8 * TYPES[name][2])) if name[0] == "u" else (-(2 ** (8 * TYPES[name][2] - 1)), 2 ** (8 * TYPES[name][2] - 1))
                items += [low, high - 1, high - 1, 1, 2]
            self.path("in.npy", make_npy(name, items))
            with self.subTest(type=name, range=text):
                edges, counts = self.table(self.path("in.npy"), f"--range={text}", "--bins", bins, "--verify")
                for told, edge in zip(text.split(":"), (edges[0], edges[-1])):
                    self.assertEqual(edge, float(told) if "e" in told or "." in told else int(told))
                self.assertEqual(counts, self.count(items, edges))

    def test_as_awk_counts(self):
        lines = text_of(random.Random(2).gauss(50, 20) for _ in range(5000))
        program = "$1 >= 0 && $1 < 100 { ++n[int($1 / 10)] } END { for (i = 0; i < 10; ++i) print 10 * i \",\" 10 * (i + 1) \",\" n[i] + 0 }"
        wanted = subprocess.run(["awk", program], input=lines, stdout=subprocess.PIPE, check=True).stdout
        out = self.good("histogram", "--range", "0:100", "--bins", 10, "--format", "text", stdin=lines).stdout
        self.assertEqual(out, b"lower,upper,count\n" + wanted)

    def test_log(self):
        edges, counts = self.table("--log", "--range", "1:1000", "--bins", 3, "--verify", stdin=text_of([0, -5, 1, 9, 10, 99, 100, 1000, 1001]))
        self.assertEqual((edges, counts), ([1, 10, 100, 1000], [2, 2, 2]))
        done = self.good("histogram", "--log", "--bins", 2, "--verify", stdin=b"0\n-1\n4\n1\n3\nnan\n")
        self.assertIn(b"left out: 2 below them, 1 NaN", done.stderr)
        self.assertIn(b"\nbelow: 2\nNaN: 1\n", done.stdout)
        for text in ("0:5", "-1:1"):
            self.bad(2, "--log needs a range of positive numbers", "histogram", "--log", f"--range={text}", stdin=b"1\n")

    def test_results(self):
        self.path("in.txt", b"1\n2\n2\n4\n")
        words = ["histogram", self.path("in.txt"), "--bins", 3]
        for name, wanted in [("out.csv", b"lower,upper,count\n1,2,1\n2,3,2\n3,4,1\n"), ("out.tsv", b"lower\tupper\tcount\n1\t2\t1\n2\t3\t2\n3\t4\t1\n")]:
            self.good(*words, "-o", self.path(name))
            self.assertEqual(self.read(name), wanted)
        self.good(*words, "-o", self.path("out.npy"), "--edges", self.path("edges.npy"), "--verify")
        self.assertEqual(parse_npy(self.read("out.npy")), ("u64", [1, 2, 1]))
        self.assertEqual(parse_npy(self.read("edges.npy")), ("f64", [1, 2, 3, 4]))
        self.bad(2, "the counts and the edges cannot both go to", *words, "-o", self.path("x"), "--edges", self.path("x"))
        self.bad(1, "cannot create", *words, "-o", self.path("x"), "--edges", self.path("no/such/file"))

    def test_little_input(self):
        for lines, wanted in ((b"", [0, 1, 0]), (b"7\n7\n", [6.5, 7.5, 2]), (b"nan\ninf\n", [0, 1, 0])):
            edges, counts = self.table("--bins", 1, "--verify", stdin=lines)
            self.assertEqual([*edges, *counts], wanted)
        edges, counts = self.table("--bins", 2, "--log", stdin=b"8\n")
        self.assertEqual((edges, counts), ([4, 8, 16], [0, 1]))
        edges, counts = self.table("--bins", 2, "--verify", "--type", "f64", stdin=b"1e300\n1e300\n")
        self.assertEqual(counts, [0, 2])
        done = self.good("histogram", stdin=b"-inf\n1\nnan\n2\ninf\ninf\n")
        self.assertIn(b"(left out: 1 below them, 2 above them, 1 NaN)", done.stderr)
        self.assertTrue(done.stdout.endswith(b"below: 1\nabove: 2\nNaN: 1\n"))

    def test_bars(self):
        lines = text_of([0] * 1 + [1] * 8 + [2] * 16 + [3] * 0 + [4] * 1)
        words = ["histogram", "--bins", 5, "--range", "0:5"]
        plain = self.good(*words, stdin=lines, env={"COLUMNS": "30", "LC_ALL": "C"}).stdout.decode()
        self.assertEqual(plain, "0 .. 1  ##                   1\n"
                                "1 .. 2  ##########           8\n"
                                "2 .. 3  ################### 16\n"
                                "3 .. 4                       0\n"
                                "4 .. 5  ##                   1\n")
        blocks = self.good(*words, stdin=lines, env={"COLUMNS": "27", "LC_ALL": "C.UTF-8"}).stdout.decode()
        self.assertEqual(blocks, "0 … 1  █▏                 1\n"
                                 "1 … 2  ████████▌          8\n"
                                 "2 … 3  █████████████████ 16\n"
                                 "3 … 4                     0\n"
                                 "4 … 5  █▏                 1\n")
        for width in ("1", "0", "no", ""):
            lines_of = self.good(*words, stdin=lines, env={"COLUMNS": width, "LC_ALL": "C"}).stdout.decode().splitlines()
            self.assertEqual({len(line) for line in lines_of}, {15 if width == "1" else 80})
        first = self.good("histogram", "--bins", 2, stdin=b"1000000\n1000001\n", env={"COLUMNS": "50", "LC_ALL": "C"}).stdout.splitlines()[0]
        self.assertEqual(first, b"  1000000 .. 1000000.5  " + b"#" * 24 + b" 1")  # digits that tell the ends apart

    def test_bars_fit_the_terminal(self):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 44, 0, 0))
        done = self.run_command("histogram", "-q", "--bins", 3, stdin=text_of(range(1000)), stdout=slave, env={"LC_ALL": "C"})
        os.close(slave)
        shown = os.read(master, 4096).decode().splitlines()
        os.close(master)
        self.assertEqual((done.returncode, [len(line) for line in shown]), (0, [44, 44, 44]))

    def test_wrong_usage(self):
        for message, words in [
            ("--bins", ["--bins", "0"]), ("--bins", ["--bins", "-3"]), ("--bins", ["--bins", "many"]), ("--bins", ["--bins", "16777217"]),
            ("--range: '' is no range", ["--range", ""]), ("--range '5' is no range", ["--range", "5"]), ("--range '1:x' is no range", ["--range", "1:x"]),
            ("--range ':' is no range", ["--range", ":"]), ("--range '1:2:3' is no range", ["--range", "1:2:3"]),
            ("--range '5:1' is empty", ["--range", "5:1"]), ("--range '5:5' is empty", ["--range", "5:5"]),
            ("--range '0:inf' is not finite", ["--range", "0:inf"]), ("--range 'nan:1' is not finite", ["--range", "nan:1"]),
            ("--edges: '' is no file", ["--edges", ""]),
        ]:
            with self.subTest(words=words):
                self.bad(2, message, "histogram", *words, stdin=b"1\n")
