#!/usr/bin/env python3
"""Runs the kogge command as a user would, and compares with what Python makes of the same numbers.

KOGGE_COMMAND names the program; arguments go to unittest (command_test.py Sort.test_text).
"""
import array
import itertools
import math
import os
import pty
import random
import resource
import select
import signal
import stat
import struct
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["KOGGE_COMMAND"]

# name: (npy code, struct code, bytes)
TYPES = {
    "u8": ("|u1", "B", 1), "i8": ("|i1", "b", 1), "u16": ("<u2", "H", 2), "i16": ("<i2", "h", 2),
    "u32": ("<u4", "I", 4), "i32": ("<i4", "i", 4), "u64": ("<u8", "Q", 8), "i64": ("<i8", "q", 8),
    "f16": ("<f2", "e", 2), "f32": ("<f4", "f", 4), "f64": ("<f8", "d", 8), "bool": ("|b1", "B", 1),
}
FLOATS = ("f16", "f32", "f64")


def pack(name, items):
    return struct.pack(f"<{len(items)}{TYPES[name][1]}", *items)


def unpack(name, data):
    _, code, size = TYPES[name]
    assert len(data) % size == 0
    return list(struct.unpack(f"<{len(data) // size}{code}", data))


def make_npy(name, items, version=(1, 0), descr=None, shape=None, order=False):
    shape = f"({len(items)},)" if shape is None else shape
    text = f"{{'descr': {descr or repr(TYPES[name][0])}, 'fortran_order': {order}, 'shape': {shape}, }}"
    prefix = 10 if version[0] == 1 else 12
    text += " " * (-(prefix + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text.encode() + pack(name, items)


def parse_npy(data):
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:16]
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert end % 64 == 0 and data[end - 1 : end] == b"\n"
    header = eval(data[10:end].decode(), {"__builtins__": {}})  # a literal of our own making
    name = next(n for n, t in TYPES.items() if t[0] == header["descr"])
    items = unpack(name, data[end:])
    assert header["shape"] == (len(items),) and header["fortran_order"] is False
    return name, items


def text_of(items):
    return "".join(f"{i}\n" for i in items).encode()


def numbers_of(name, n, seed=1):
    """Random numbers over the whole range of a type, with ties and, for floats, zeros and infinities."""
    r = random.Random(f"{name} {n} {seed}")
    if name == "bool":
        return [r.randrange(2) for _ in range(n)]
    if name in FLOATS:
        some = [0.0, -0.0, 1.5, -1.5, 1e-4, math.inf, -math.inf, 60000.0]
        raw = [r.choice(some) if r.random() < 0.2 else r.uniform(-1000, 1000) for _ in range(n)]
        return unpack(name, pack(name, raw))
    bits = 8 * TYPES[name][2]
    low = -(1 << (bits - 1)) if name[0] == "i" else 0
    return [low + (r.getrandbits(bits) & r.getrandbits(bits)) for _ in range(n)]


def place_of(name, item):
    """A number whose order is IEEE 754's total order, or the integers' own."""
    if name not in FLOATS:
        return item
    size = TYPES[name][2]
    bits = int.from_bytes(pack(name, [item]), "little")
    sign = 1 << (8 * size - 1)
    return -(bits - sign) - 1 if bits & sign else bits


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kogge-test-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name, data=None):
        path = os.path.join(self.folder.name, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_command(self, *words, stdin=b"", **more):
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 300, **more}
        if "input" not in more and not hasattr(stdin, "fileno"):
            more["input"] = stdin
        elif "input" not in more:
            more["stdin"] = stdin
        return subprocess.run([COMMAND, *map(str, words)], **more)

    def good(self, *words, **more):
        done = self.run_command(*words, **more)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done

    def bad(self, code, message, *words, **more):
        """Fails with that exit code, says so in one line that begins with kogge:, and writes nothing."""
        before = sorted(os.listdir(self.folder.name))
        done = self.run_command(*words, **more)
        stderr = done.stderr.decode()
        self.assertEqual(done.returncode, code, (words, stderr))
        lines = stderr.splitlines()
        self.assertRegex(lines[0], "^kogge: ", stderr)
        self.assertIn(message, lines[0])
        self.assertLessEqual(len(lines), 2, stderr)
        if len(lines) == 2:
            self.assertRegex(lines[1], "^  hint: ")
        if done.stdout:
            self.fail(f"{words} wrote {done.stdout[:80]} to standard output")
        self.assertEqual(sorted(os.listdir(self.folder.name)), before, f"{words} left a file behind")
        return stderr


class Sort(Case):
    def expected(self, name, items, descending=False):
        return sorted(items, key=lambda item: place_of(name, item), reverse=descending)

    def test_every_type_and_format(self):
        for name, descending in itertools.product(TYPES, (False, True)):
            order = ["--descending"] if descending else []
            for n in (0, 1, 2, 1000):
                items = numbers_of(name, n)
                wanted = pack(name, self.expected(name, items, descending))
                with self.subTest(type=name, n=n, descending=descending):
                    self.path("in.npy", make_npy(name, items))
                    self.good("sort", self.path("in.npy"), "-o", self.path("out.npy"), "--verify", *order)
                    got_name, got = parse_npy(self.read("out.npy"))
                    self.assertEqual((got_name, pack(name, got)), (name, wanted))
                    raw = self.good("sort", "-", "--type", name, "--input-format", "raw", "-q", *order,
                                    stdin=pack(name, items))
                    self.assertEqual((raw.stdout, raw.stderr), (wanted, b""))
                    text = self.good("sort", "--type", name, *order, stdin=text_of(items))
                    self.assertEqual(pack(name, [float(x) if name in FLOATS else int(x) for x in text.stdout.split()]), wanted)

    def test_text_types_by_content(self):
        for lines, wanted in [
            ("3\n-1\n2", "-1\n2\n3\n"),
            ("18446744073709551615\n1\n", "1\n18446744073709551615\n"),
            ("-9223372036854775808\n9223372036854775807\n", "-9223372036854775808\n9223372036854775807\n"),
            ("2.5\n-1\n1e3\ninf\n", "-1\n2.5\n1000\ninf\n"),
            ("  7 \r\n\t5\r\n", "5\n7\n"),
            ("0.1\n", "0.1\n"),
            ("", ""),
        ]:
            with self.subTest(lines=lines):
                self.assertEqual(self.good("sort", stdin=lines.encode()).stdout.decode(), wanted)

    def test_shortest_decimals_read_back(self):
        for name in ("f32", "f64"):
            items = numbers_of(name, 2000, seed=7)
            out = self.good("sort", "--type", name, "--input-format", "raw", "--format", "text", stdin=pack(name, items)).stdout
            self.assertEqual(pack(name, [float(x) for x in out.split()]), pack(name, self.expected(name, items)))

    def test_million(self):
        items = array.array("I", random.Random(5).randbytes(4_000_000))
        done = self.good("sort", "--type", "u32", "--input-format", "raw", "--verify", stdin=items.tobytes())
        self.assertEqual(done.stdout, array.array("I", sorted(items)).tobytes())
        self.assertRegex(done.stderr.decode(), r"^sorted 1,000,000 u32 in [0-9.]+ (us|ms|s) \([0-9,]+ (M )?keys/s, .+\), verified\n$")

    def test_values_follow_their_keys(self):
        keys = [k % 50 for k in numbers_of("i32", 3000)]
        order = sorted(range(len(keys)), key=lambda i: keys[i], reverse=False)
        down = sorted(range(len(keys)), key=lambda i: -keys[i])
        for name in TYPES:
            values = numbers_of(name, len(keys), seed=3)
            self.path("keys.npy", make_npy("i32", keys))
            self.path("values.npy", make_npy(name, values))
            for direction, wanted in (([], order), (["-d"], down)):
                with self.subTest(type=name, direction=direction):
                    self.good("sort", self.path("keys.npy"), "-o", self.path("sorted.npy"), "--with", self.path("values.npy"),
                              "--verify", *direction)
                    self.assertEqual(parse_npy(self.read("sorted.npy")), ("i32", [keys[i] for i in wanted]))
                    got_name, got = parse_npy(self.read("sorted.values.npy"))
                    self.assertEqual((got_name, pack(name, got)), (name, pack(name, [values[i] for i in wanted])))

    def test_values_to_a_named_place(self):
        self.path("values.txt", b"30\n10\n20\n")
        done = self.good("sort", "-", "--with", self.path("values.txt"), "--with-output", self.path("moved"), stdin=b"3\n1\n2\n")
        self.assertEqual((done.stdout, self.read("moved")), (b"1\n2\n3\n", b"10\n20\n30\n"))
        self.good("sort", "-", "--with", self.path("values.txt"), "-o", self.path("plain"), stdin=b"3\n1\n2\n")
        self.assertEqual(self.read("plain.values"), b"10\n20\n30\n")

    def test_raw_values(self):
        self.path("keys.bin", pack("u16", [3, 1, 2]))
        self.path("values.bin", pack("f64", [30, 10, 20]))
        words = ["sort", self.path("keys.bin"), "--type", "u16", "--with", self.path("values.bin"), "-o", self.path("out.bin")]
        self.good(*words, "--with-type", "f64")
        self.assertEqual((unpack("u16", self.read("out.bin")), unpack("f64", self.read("out.values.bin"))), ([1, 2, 3], [10, 20, 30]))
        os.unlink(self.path("out.values.bin"))
        self.bad(2, "raw binary input 'FOLDER/values.bin' needs a type".replace("FOLDER", self.folder.name), *words)
        self.bad(1, "3 keys and 6 values", *words, "--with-type", "u32")

    def test_indices(self):
        for name in TYPES:
            items = numbers_of(name, 1000)
            wanted = sorted(range(len(items)), key=lambda i: place_of(name, items[i]))
            self.path("in.npy", make_npy(name, items))
            with self.subTest(type=name):
                self.good("sort", self.path("in.npy"), "--indices", "--verify", "-o", self.path("out.npy"))
                self.assertEqual(parse_npy(self.read("out.npy")), ("i64", wanted))

    def test_bits(self):
        items = numbers_of("u32", 2000)
        out = self.good("sort", "--type", "u32", "--input-format", "raw", "--begin-bit", 4, "--end-bit", 12, "--verify",
                        stdin=pack("u32", items)).stdout
        self.assertEqual(unpack("u32", out), sorted(items, key=lambda x: x >> 4 & 255))
        out = self.good("sort", "--type", "u32", "--input-format", "raw", "--begin-bit", 7, "--end-bit", 7, stdin=pack("u32", items)).stdout
        self.assertEqual(unpack("u32", out), items)
        self.bad(2, "not within a key of 32 bits", "sort", "--type", "u32", "--begin-bit", 3, "--end-bit", 33, stdin=b"1\n")
        self.bad(2, "not within a key of 8 bits", "sort", "--type", "u8", "--begin-bit", 9, stdin=b"1\n")

    def test_bits_of_nan_survive(self):
        patterns = [0x7FC00001, 0xFFC00002, 0x3F800000, 0x7F800001, 0xFF800003, 0x80000000, 0x00000000, 0x7F800000, 0xFF800000]

        def total(bits):
            return -(bits - 2**31) - 1 if bits >> 31 else bits

        def is_nan(bits):
            return bits & 0x7FFFFFFF > 0x7F800000

        for words, wanted in [
            ([], sorted(patterns, key=total)),
            (["-d"], sorted(patterns, key=total, reverse=True)),
            (["--nan", "last"], sorted(patterns, key=lambda b: (is_nan(b), 0 if is_nan(b) else total(b)))),
            (["--nan", "last", "-d"], sorted(patterns, key=lambda b: (is_nan(b), 0 if is_nan(b) else -total(b)))),
            (["--zeros", "equal"], sorted(patterns, key=lambda b: 0 if b == 0x80000000 else total(b))),
        ]:
            with self.subTest(words=words):
                out = self.good("sort", "--type", "f32", "--input-format", "raw", "--verify", *words, stdin=pack("u32", patterns)).stdout
                self.assertEqual([hex(b) for b in unpack("u32", out)], [hex(b) for b in wanted])
        text = self.good("sort", stdin=b"nan\n1\n-nan\n").stdout
        self.assertEqual(text, b"-nan\n1\nnan\n")

    def test_threads_and_backend(self):
        items = numbers_of("u64", 300_000)
        for words in (["--threads", 1], ["--threads", 3], ["--backend", "host"], ["--backend", "auto"]):
            out = self.good("sort", "--type", "u64", "--input-format", "raw", *words, stdin=pack("u64", items))
            self.assertEqual(out.stdout, pack("u64", sorted(items)))
        self.assertIn(b"host, 1 thread)", self.good("sort", "--backend", "host", "--threads", 1, stdin=b"1\n").stderr)

    def test_pipe_to_a_reader_that_leaves(self):
        self.path("x", text_of(range(300_000, 0, -1)))
        with open(self.path("x"), "rb") as numbers:
            with subprocess.Popen([COMMAND, "sort", "-"], stdin=numbers, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as sort:
                self.assertEqual(sort.stdout.readline(), b"1\n")
                sort.stdout.close()
                message = sort.stderr.read().decode()
        self.assertEqual(sort.returncode, 1)
        self.assertEqual(message, "kogge: cannot write to standard output: its reader has gone before everything was written\n")


class Compact(Case):
    RELATIONS = {
        "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
    }

    def test_every_type_and_relation(self):
        for name in TYPES:
            items = numbers_of(name, 2000) + ([math.nan] if name in FLOATS else [])
            self.path("in.npy", make_npy(name, items))
            bound = 1.5 if name in FLOATS else 1 if name == "bool" else sorted(items)[1000]
            for sign, keep in self.RELATIONS.items():
                wanted = [item for item in items if keep(item, bound)]
                with self.subTest(type=name, sign=sign):
                    done = self.good("compact", self.path("in.npy"), "--where", f"{sign}{bound}", "--verify", "-o", self.path("out.npy"))
                    got_name, got = parse_npy(self.read("out.npy"))
                    self.assertEqual((got_name, pack(name, got)), (name, pack(name, wanted)))
                    self.assertIn(f"kept {len(wanted):,} of {len(items):,} {name}", done.stderr.decode())
                    self.assertIn("verified", done.stderr.decode())

    def test_text_and_raw(self):
        out = self.good("compact", "--where", " > 5 ", stdin=b"9\n1\n7\n5\n")
        self.assertEqual(out.stdout, b"9\n7\n")
        out = self.good("compact", "--type", "i16", "--input-format", "raw", "--where", "<-2", stdin=pack("i16", [1, -2, -3, -9]))
        self.assertEqual(out.stdout, pack("i16", [-3, -9]))
        for stdin in (b"", b"4\n"):
            self.assertEqual(self.good("compact", "--where", ">5", stdin=stdin).stdout, b"")

    def test_million(self):
        items = array.array("I", random.Random(6).randbytes(4_000_000))
        out = self.good("compact", "--type", "u32", "--input-format", "raw", "--where", ">1048576", stdin=items.tobytes())
        self.assertEqual(out.stdout, array.array("I", [x for x in items if x > 1048576]).tobytes())

    def test_bad_comparisons(self):
        for where in ("", "5", ">", "=>5", "=5", ">abc", ">5x", "><5"):
            with self.subTest(where=where):
                self.bad(2, "--where", "compact", f"--where={where}", stdin=b"1\n")
        self.bad(2, "'1.5', which is no number of type i64", "compact", "--where", ">1.5", stdin=b"1\n")
        self.bad(2, "'300', which is no number of type u8", "compact", "--where", ">300", "--type", "u8", stdin=b"1\n")
        self.bad(2, "--where", "compact", stdin=b"1\n")


class Scan(Case):
    def result_type(self, name, op):
        if name == "f16":
            return "f32"
        if op != "sum" or name in FLOATS:
            return name
        return "i64" if name[0] == "i" else "u64"

    def test_every_type_and_operator(self):
        operators = {"sum": lambda a, b: a + b, "max": max, "min": min}
        for name, (op, function) in itertools.product(TYPES, operators.items()):
            items = numbers_of(name, 1500)
            if name in FLOATS:
                items = [float(int(x)) if math.isfinite(x) and abs(x) < 1000 else 1.0 for x in items]  # sums are exact
            elif TYPES[name][2] == 8:
                items = [x >> 12 for x in items]
            self.path("in.npy", make_npy(name, items))
            with self.subTest(type=name, op=op):
                self.good("scan", self.path("in.npy"), "--op", op, "--verify", "-o", self.path("out.npy"))
                wanted = (self.result_type(name, op), list(itertools.accumulate(items, function)))
                self.assertEqual(parse_npy(self.read("out.npy")), wanted)
                start = 1 if name in ("bool", "u8", "u16", "u32", "u64") else 3
                self.good("scan", self.path("in.npy"), "--op", op, "--exclusive", "--init", start, "--verify", "-o", self.path("out.npy"))
                wanted = (wanted[0], list(itertools.accumulate(items, function, initial=start))[:-1])
                self.assertEqual(parse_npy(self.read("out.npy")), wanted)

    def test_text_and_raw(self):
        self.assertEqual(self.good("scan", stdin=b"1\n2\n3\n").stdout, b"1\n3\n6\n")
        self.assertEqual(self.good("scan", "--exclusive", stdin=b"1\n2\n3\n").stdout, b"0\n1\n3\n")
        self.assertEqual(self.good("scan", "--init", "-10", stdin=b"1\n2\n3\n").stdout, b"-9\n-7\n-4\n")
        self.assertEqual(self.good("scan", "--op", "max", "--exclusive", "--type", "u8", stdin=b"1\n9\n3\n").stdout, b"0\n1\n9\n")
        self.assertEqual(self.good("scan", "--op", "min", "--exclusive", stdin=b"1.5\n0.5\n").stdout, b"inf\n1.5\n")
        self.assertEqual(self.good("scan", "--op", "max", "--exclusive", stdin=b"1.5\n").stdout, b"-inf\n")
        out = self.good("scan", "--type", "u8", "--input-format", "raw", "--accumulate", "u16", stdin=bytes([255, 255])).stdout
        self.assertEqual(unpack("u16", out), [255, 510])
        out = self.good("scan", "--accumulate", "f64", stdin=b"9223372036854775807\n9223372036854775807\n").stdout
        self.assertEqual([float(x) for x in out.split()], [2.0**63, 2.0**64])
        self.assertEqual(self.good("scan", stdin=b"").stdout, b"")
        self.assertEqual(self.good("scan", stdin=b"5").stdout, b"5\n")
        self.assertEqual(self.good("scan", "--type", "f64", stdin=b"-0\n").stdout, b"-0\n")

    def test_million(self):
        items = array.array("I", random.Random(8).randbytes(4_000_000))
        done = self.good("scan", "--type", "u32", "--input-format", "raw", "--verify", stdin=items.tobytes())
        self.assertEqual(done.stdout, array.array("Q", itertools.accumulate(items)).tobytes())
        self.assertRegex(done.stderr.decode(), r"^scanned 1,000,000 u32 to u64 in .* items/s, .*verified")

    def test_rounded_sums_verify(self):
        for name in ("f16", "f32", "f64"):
            items = [random.Random(9).uniform(-1, 1) for _ in range(200_000)]
            self.path("in.npy", make_npy(name, items))
            self.good("scan", self.path("in.npy"), "--verify", "-o", self.path("out.npy"))
            sums = parse_npy(self.read("out.npy"))[1]
            exact = math.fsum(unpack(name, pack(name, items)))
            self.assertLess(abs(sums[-1] - exact), 1.0)

    def test_sums_that_do_not_fit(self):
        self.bad(1, "leaves i64 at item 1", "scan", stdin=b"9223372036854775807\n1\n")
        self.bad(1, "leaves i64 at item 1", "scan", stdin=b"-9223372036854775808\n-1\n")
        self.bad(1, "leaves u64 at item 1", "scan", "--type", "u64", stdin=b"18446744073709551615\n1\n")
        self.bad(1, "leaves u8 at item 2", "scan", "--type", "u8", "--accumulate", "u8", stdin=b"100\n100\n100\n")
        # Only the sums that are written count.
        self.assertEqual(self.good("scan", "--exclusive", stdin=b"9223372036854775807\n1\n").stdout, b"0\n9223372036854775807\n")

    def test_bad_options(self):
        self.bad(1, "item 1 is -3, which does not fit u32", "scan", "--accumulate", "u32", stdin=b"1\n-3\n")
        self.bad(2, "would cut the fractions off f64", "scan", "--accumulate", "u32", stdin=b"1.5\n")
        self.bad(2, "--accumulate f16 is not possible", "scan", "--accumulate", "f16", stdin=b"1.5\n")
        self.bad(2, "--init 'x' is no number of type i64", "scan", "--init", "x", stdin=b"1\n")
        self.bad(1, "item 2 is NaN", "scan", "--op", "max", stdin=b"1\n2.5\nnan\n")
        self.bad(2, "'product' is not one of sum|max|min", "scan", "--op", "product", stdin=b"1\n")


class Formats(Case):
    def test_npy_versions(self):
        for version in ((1, 0), (2, 0), (3, 0)):
            self.path("in.npy", make_npy("i32", [3, 1, 2], version=version))
            out = self.good("sort", self.path("in.npy"), "--format", "text").stdout
            self.assertEqual(out, b"1\n2\n3\n")
        for descr in ("'<i4'", "'i4'", "'=i4'", '"<i4"'):
            out = self.good("sort", "--format", "text", stdin=make_npy("i32", [3, 1], descr=descr)).stdout
            self.assertEqual(out, b"1\n3\n")
        self.good("sort", "--format", "text", stdin=make_npy("i32", [3, 1], order=True))
        self.assertEqual(parse_npy(self.good("sort", stdin=make_npy("u8", [3, 1])).stdout), ("u8", [1, 3]))

    def test_formats_of_results(self):
        self.path("in.txt", b"3\n1\n2\n")
        self.good("sort", self.path("in.txt"), "-o", self.path("out.npy"))
        self.assertEqual(parse_npy(self.read("out.npy")), ("i64", [1, 2, 3]))
        self.good("sort", self.path("in.txt"), "-o", self.path("out.bin"))
        self.assertEqual(unpack("i64", self.read("out.bin")), [1, 2, 3])
        self.good("sort", self.path("out.npy"), "-d", "-o", self.path("out.txt"))
        self.assertEqual(self.read("out.txt"), b"3\n2\n1\n")
        self.good("sort", self.path("out.npy"), "-o", self.path("unknown.end"))
        self.assertEqual(parse_npy(self.read("unknown.end")), ("i64", [1, 2, 3]))
        self.good("sort", self.path("in.txt"), "--format", "raw", "-o", self.path("out.npy"))
        self.assertEqual(unpack("i64", self.read("out.npy")), [1, 2, 3])

    def test_recognised_input(self):
        self.path("numbers", pack("u32", [7, 5]))
        self.assertEqual(unpack("u32", self.good("sort", self.path("numbers"), "--type", "u32").stdout), [5, 7])
        self.path("digits.bin", b"4321")
        self.assertEqual(self.good("sort", self.path("digits.bin"), "--type", "u8").stdout, b"1234")
        self.bad(2, "neither a .npy file nor text", "sort", self.path("numbers"))

    def test_damaged_npy(self):
        whole = make_npy("u32", list(range(100)))
        for end in (0, 5, 8, 11, 60, 128, 300, len(whole) - 1):
            for name in ("file", "pipe"):
                with self.subTest(end=end, source=name):
                    part = whole[:end]
                    self.path("part.npy", part)
                    words = [self.path("part.npy")] if name == "file" else ["-", "--input-format", "npy"]
                    stderr = self.bad(1, "", "sort", *words, "-o", self.path("out.npy"), stdin=part)
                    self.assertRegex(stderr, "truncated|is not a .npy file|ends within the header")
        for message, data in [
            ("goes on after the 100 items", whole + b"x"),
            ("holds items of type '<c8'", make_npy("u64", [1], descr="'<c8'")),
            ("holds items of type '<U5'", make_npy("u64", [1], descr="'<U5'")),
            ("holds items of type 'O'", make_npy("u64", [1], descr="'O'")),
            ("is big-endian", make_npy("u64", [1], descr="'>u8'")),
            ("holds records", make_npy("u64", [1], descr="[('a', '<u8')]")),
            ("not one dimension", make_npy("u64", [1, 2], shape="(2, 1)")),
            ("not one dimension", make_npy("u64", [1], shape="()")),
            ("not one dimension", make_npy("u64", [1], shape="(,)").replace(b"(,)", b"(1)")),
            ("its shape (x,) is not readable", make_npy("u64", [1], shape="(x,)")),
            ("its shape (-1,) is not readable", make_npy("u64", [1], shape="(-1,)")),
            ("its shape (9999999999999999999,) is not readable", make_npy("u64", [1], shape="(9999999999999999999,)")),
            ("its header has no 'shape'", make_npy("u64", [1]).replace(b"'shape'", b"'shabe'")),
            ("its header has no 'descr'", make_npy("u64", [1]).replace(b"'descr'", b"'desks'")),
            ("format version 9 is not known", whole[:6] + b"\x09" + whole[7:]),
            ("its header cannot have", make_npy("u64", [1], version=(2, 0))[:8] + b"\xff\xff\xff\xff" + whole[12:]),
        ]:
            with self.subTest(message=message):
                self.bad(1, message, "sort", "-", "-o", self.path("out.npy"), stdin=data)
        self.path("text.npy", b"1\n2\n")
        self.bad(1, "is not a .npy file", "sort", self.path("text.npy"))

    def test_wrong_type(self):
        self.path("in.npy", make_npy("f64", [1.0]))
        self.bad(1, "holds f64, not u32", "sort", self.path("in.npy"), "--type", "u32")
        self.path("in.bin", b"12345")
        self.bad(1, "no whole number of items of 4 bytes", "sort", self.path("in.bin"), "--type", "u32")
        self.bad(2, "needs a type", "sort", self.path("in.bin"))
        self.bad(2, "'u33' is no type", "sort", "--type", "u33", stdin=b"1\n")

    def test_bad_text(self):
        for message, lines in [
            ("line 2 of standard input is 'x', not a number", b"1\nx\n3\n"),
            ("line 2 of standard input is empty", b"1\n\n3\n"),
            ("line 3 of standard input is '1 2', not a number", b"1\n2\n1 2\n"),
            ("line 1 of standard input is '+1', not a number", b"+1\n"),
            ("line 1 of standard input is '0x10', not a number", b"0x10\n"),
            ("line 2 of standard input is '1,5', not a number", b"1.5\n1,5\n"),
            ("'99999999999999999999' does not fit 64 bits", b"1\n99999999999999999999\n"),
            ("has negative integers, and in line 2 one above", b"-1\n18446744073709551615\n"),
        ]:
            with self.subTest(lines=lines):
                self.bad(1, message, "sort", "-o", self.path("out"), stdin=lines)
        for name, line in [("u8", "256"), ("u8", "-1"), ("i8", "128"), ("u32", "1.5"), ("f16", "70000"), ("f32", "1e99"), ("bool", "2")]:
            with self.subTest(type=name, line=line):
                self.bad(1, f"line 2 of standard input is '{line}', not a number of type {name}", "sort", "--type", name,
                         stdin=f"1\n{line}\n".encode())


class Failures(Case):
    def test_usage(self):
        for message, words in [
            ("no command", []),
            ("'sorte' is no command", ["sorte"]),
            ("--frobnicate", ["sort", "--frobnicate"]),
            ("--frobnicate", ["--frobnicate"]),
            ("extra", ["sort", "-", "extra"]),
            ("'fast' is not one of auto|host|device", ["sort", "--backend", "fast"]),
            ("'xls' is not one of npy|raw|text", ["sort", "--format", "xls"]),
            ("--threads", ["sort", "--threads", "0"]),
            ("--threads", ["sort", "--threads", "many"]),
            ("--with excludes --indices", ["sort", "--indices", "--with", "x"]),
            ("--with-output requires --with", ["sort", "--with-output", "x"]),
            ("standard output takes only one", ["sort", "-", "--with", "x"]),
            ("cannot both come from standard input", ["sort", "-", "--with", "-", "-o", "x"]),
            ("--n requires --plan", ["info", "--n", "5"]),
            ("--plan", ["info", "--plan", "dance"]),
            ("A subcommand is required", ["bench"]),
            ("'round' is not one of uniform|", ["bench", "sort", "--dist", "round"]),
            ("--pairs excludes --indices", ["bench", "sort", "--pairs", "--indices"]),
            ("--kept", ["bench", "compact", "--kept", "101"]),
            ("--bins", ["bench", "split", "--bins", "1"]),
            ("--bins", ["bench", "sort", "--bins", "16"]),
            ("'u128' is no type", ["bench", "sort", "--type", "u128"]),
            ("'potato' is not known", ["info", "--plan", "sort", "--device-like", "potato"]),
        ]:
            with self.subTest(words=words):
                self.bad(2, message, *words)

    def test_help_and_version(self):
        for words in (["--help"], ["sort", "--help"], ["compact", "--help"], ["scan", "--help"], ["info", "--help"], ["demo", "--help"],
                      ["bench", "--help"], ["bench", "sort", "--help"]):
            self.assertIn(b"Usage: kogge", self.good(*words).stdout)
        self.assertRegex(self.good("--version").stdout, rb"^kogge \d+\.\d+\.\d+\n$")

    def test_missing_and_unreadable_files(self):
        self.bad(1, "No such file", "sort", self.path("absent.npy"))
        self.bad(1, "cannot read", "sort", self.folder.name)
        self.bad(1, "cannot create", "sort", "-o", self.path("no/such/folder/out"), stdin=b"1\n")
        self.bad(1, "cannot open", "sort", "-o", self.folder.name, stdin=b"1\n")

    def test_numbers_of_keys_and_values(self):
        self.path("values.txt", b"1\n2\n")
        self.bad(1, "3 keys and 2 values", "sort", "-o", self.path("x"), "--with", self.path("values.txt"), stdin=b"1\n2\n3\n")

    def test_terminal(self):
        master, slave = pty.openpty()
        try:
            with os.fdopen(slave, "rb+", buffering=0) as terminal:
                self.bad(2, "no input", "sort", stdin=terminal)
                done = self.run_command("sort", "--format", "npy", stdin=b"1\n", stdout=terminal)
                self.assertEqual((done.returncode, b"terminal" in done.stderr), (2, True))
        finally:
            os.close(master)

    def test_full_disk(self):
        numbers = text_of(range(100_000))
        self.bad(1, "cannot write to '/dev/full': No space left", "sort", "-o", "/dev/full", stdin=numbers)
        with open("/dev/full", "wb") as full:
            for words in (["sort"], ["compact", "--where", ">=0"], ["scan"], ["info"]):
                done = self.run_command(*words, stdin=numbers, stdout=full)
                self.assertEqual((done.returncode, done.stderr[:37]), (1, b"kogge: cannot write to standard outpu"))

    def test_file_size_limit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        numbers = text_of(range(100_000))
        for words in (["sort"], ["compact", "--where", ">=0"], ["scan"]):
            self.path("old.npy", b"precious")
            self.bad(1, "cannot write to", *words, "-o", self.path("new.npy"), stdin=numbers, preexec_fn=limit)
            self.bad(1, "File too large", *words, "-o", self.path("old.npy"), stdin=numbers, preexec_fn=limit)
            self.assertEqual(self.read("old.npy"), b"precious")
        # The second of two results fails: the first does not appear either.
        self.path("values.npy", make_npy("u64", range(4000)))
        self.bad(1, "values.npy", "sort", "--type", "u8", "--input-format", "raw", "-o", self.path("new.npy"), "--with",
                 self.path("values.npy"), stdin=bytes(4000), preexec_fn=limit)

    def test_memory(self):
        with open(self.path("huge.npy"), "wb") as file:
            file.write(make_npy("u64", [], shape=f"({1 << 37},)"))
            file.truncate(file.tell() + (8 << 37))
        self.bad(1, "of memory, and", "sort", self.path("huge.npy"))
        with open(self.path("huge.bin"), "wb") as file:
            file.truncate(1 << 40)
        self.bad(1, "of memory, and", "scan", self.path("huge.bin"), "--type", "u8")
        with open(self.path("huge.txt"), "wb") as file:
            file.truncate(1 << 40)
        self.bad(1, "of memory, and", "compact", self.path("huge.txt"), "--where", ">1")
        self.bad(1, "of memory, and", "sort", "-", stdin=make_npy("u64", [], shape=f"({1 << 37},)"))

    def test_memory_limit_of_a_stream(self):
        limit = 256 << 20

        def set_limit():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        with open("/dev/zero", "rb") as zeros:
            self.bad(1, "of memory, and", "sort", "--type", "u8", stdin=zeros, preexec_fn=set_limit)

    def test_device_where_there_is_none(self):
        if "\ndevice       none" not in self.good("info").stdout.decode():
            self.skipTest("there is a device")
        self.bad(1, "there is no device", "sort", "--backend", "device", stdin=b"1\n")
        self.path("file", b"1")
        done = self.run_command("demo", "--backend", "device", "--root", self.folder.name)
        self.assertEqual((done.returncode, done.stderr[:26]), (1, b"kogge: there is no device\n"))

    def test_signals_leave_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.mkfifo(self.path("values"))
            # The keys' temporary file is there while the values wait for a reader of theirs.
            self.path("keys.txt", b"2\n1\n")
            with subprocess.Popen([COMMAND, "sort", self.path("keys.txt"), "-o", self.path("out.txt"), "--with", self.path("keys.txt"),
                                   "--with-output", self.path("values")], stderr=subprocess.DEVNULL) as sort:
                deadline = time.monotonic() + 60
                while not any(name.startswith(".kogge-") for name in os.listdir(self.folder.name)):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                sort.send_signal(number)
                self.assertEqual(sort.wait(60), -number)
            os.unlink(self.path("values"))
            self.assertEqual(os.listdir(self.folder.name), ["keys.txt"])

    def test_ignored_signals_stay_ignored(self):
        with subprocess.Popen([COMMAND, "sort", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as sort:
            # Once it has read more than a pipe holds, it runs.
            sort.stdin.write(b"1\n" * 100_000)
            sort.stdin.flush()
            sort.send_signal(signal.SIGHUP)
            out, _ = sort.communicate(timeout=60)
        self.assertEqual((sort.returncode, len(out)), (0, 200_000))


class Outputs(Case):
    def test_modes_and_links(self):
        old = os.umask(0o027)
        try:
            self.good("sort", "-o", self.path("new"), stdin=b"2\n1\n")
        finally:
            os.umask(old)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o640)
        os.chmod(self.path("new"), 0o604)
        os.symlink("new", self.path("link"))
        self.good("sort", "-o", self.path("link"), stdin=b"4\n3\n")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.read("new"), b"3\n4\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.path("new")).st_mode), 0o604)

    def test_onto_its_own_input(self):
        self.path("x.txt", b"3\n1\n2\n")
        self.good("sort", self.path("x.txt"), "-o", self.path("x.txt"))
        self.assertEqual(self.read("x.txt"), b"1\n2\n3\n")

    def test_progress_bar_only_on_a_terminal(self):
        master, slave = pty.openpty()
        shown = b""
        with subprocess.Popen([COMMAND, "sort", "--type", "u8", "--input-format", "raw", "-o", self.path("out.bin")],
                              stdin=subprocess.PIPE, stderr=slave) as sort:
            os.close(slave)
            deadline = time.monotonic() + 60
            while b"reading standard input" not in shown:
                self.assertLess(time.monotonic(), deadline)
                sort.stdin.write(b"z" * 4096)
                sort.stdin.flush()
                if select.select([master], [], [], 0.05)[0]:
                    shown += os.read(master, 4096)
            sort.stdin.close()
            while b"sorted" not in shown:
                shown += os.read(master, 4096)
        os.close(master)
        self.assertIn(b"\r\x1b[K", shown.split(b"sorted")[0])
        self.assertEqual(sort.returncode, 0)


class Info(Case):
    def test_machine(self):
        text = self.good("info").stdout.decode()
        for word in ("kogge ", "compiler ", "host ", "device "):
            self.assertIn(word, text)

    def test_plans(self):
        for plan in ("sort", "compact", "scan"):
            for name in TYPES:
                text = self.good("info", "--plan", plan, "--type", name, "--n", 268435456, "--device-like", "h200").stdout.decode()
                self.assertIn(f"{plan} of 268,435,456 {name}", text)
                self.assertIn("NVIDIA H200", text)
                self.assertRegex(text, r"\d+ bytes of scratch")
        with_values = self.good("info", "--plan", "sort", "--with", "u64", "--device-like", "h200").stdout
        without = self.good("info", "--plan", "sort", "--device-like", "h200").stdout
        self.assertIn(b"with u64 values", with_values)
        self.assertNotEqual(with_values.splitlines()[2], without.splitlines()[2])


class Bench(Case):
    def stand_ins(self):
        """Benchmark programs that say which one they are, and what they were told."""
        for name in ("host_bench_host", "scan_bench_gpu", "partition_bench_gpu", "radix_sort_bench_gpu"):
            self.path(name, b'#!/bin/sh\necho "' + name.encode() + b' $*"\n')
            os.chmod(self.path(name), 0o755)

    def test_rows(self):
        self.stand_ins()
        for words, family, row in [
            (["sort"], "radix_sort", "--row=radix_sort/u32/uniform --n=2^24"),
            (["sort", "--type", "u64", "--n", "2^28", "--dist", "low32"], "radix_sort", "--row=radix_sort/u64/low32 --n=2^28"),
            (["sort", "--pairs"], "radix_sort", "--row=radix_sort_pairs/u32+u32/uniform --n=2^24"),
            (["sort", "--indices"], "radix_sort", "--row=argsort/u32/uniform --n=2^24"),
            (["scan", "--type", "f32"], "scan", "--row=inclusive_scan/f32/sum --n=2^24"),
            (["scan", "--exclusive", "--op", "max"], "scan", "--row=exclusive_scan/u32/max --n=2^24"),
            (["compact"], "partition", "--row=compact/u32/kept_50 --n=2^24"),
            (["compact", "--flags", "--kept", 0.1], "partition", "--row=compact_flags/u32/kept_0.1 --n=2^24"),
            (["partition", "--kept", 90, "--clustered"], "partition", "--row=partition/u32/kept_90_clustered --n=2^24"),
            (["split", "--bins", 16], "partition", "--row=split/u32/bins_16 --n=2^24"),
        ]:
            with self.subTest(words=words):
                text = self.good("bench", *words, "--programs", self.folder.name).stdout.decode()
                self.assertIn(text, (f"host_bench_host {row}\n", f"{family}_bench_gpu {row}\n"))
                text = self.good("bench", *words, "--backend", "host", "--programs", self.folder.name).stdout.decode()
                self.assertEqual(text, f"host_bench_host {row}\n")

    def test_programs_that_are_not_there(self):
        for words in (["sort"], ["scan"], ["split"]):
            stderr = self.bad(1, "No such file", "bench", *words, "--programs", self.folder.name)
            self.assertIn("tools/dev bench", stderr)

    def test_of_the_host(self):
        program = os.path.join(os.path.dirname(os.path.dirname(COMMAND)), "bench", "host_bench_host")
        if not os.path.exists(program):
            self.skipTest("this build has no benchmarks")
        text = self.good("bench", "sort", "--n", 5000, "--backend", "host").stdout.decode()
        self.assertRegex(text, r"radix_sort u32 uniform_vs_std, 5000 items, eager\n"
                               r"  kogge +[0-9.]+ .?s +[0-9.]+ G items/s\n  std +[0-9.]+ .?s +[0-9.]+ G items/s\n  copy .*\n"
                               r"  [0-9.]+ times as fast as std, spread [0-9.]+ %; the results agree\n")
        for message, words in [("'many' is no number of items", ["sort", "--n", "many"]),
                               ("there is no row split/u32/bins_4 of 16777216 items", ["split", "--bins", 4])]:
            done = self.run_command("bench", *words, "--backend", "host")
            self.assertEqual((done.returncode, done.stderr[:13], done.stdout), (2, b"kogge bench: ", b""))
            self.assertIn(message, done.stderr.decode())


class Demo(Case):
    def make_tree(self):
        sizes = [0, 1, 10, 10, 5000, (1 << 20), (1 << 20) + 1, 3 << 20]
        for number, size in enumerate(sizes):
            with open(self.path(f"file {number}\n"), "wb") as file:
                file.truncate(size)
        os.makedirs(self.path("below/deeper"))
        with open(self.path("below/deeper/large"), "wb") as file:
            file.truncate(5 << 20)
        os.link(self.path("below/deeper/large"), self.path("below/again"))
        os.symlink("/usr", self.path("elsewhere"))
        os.symlink("absent", self.path("dangling"))
        os.mkfifo(self.path("fifo"))
        return sizes + [5 << 20]

    def test_tree(self):
        sizes = self.make_tree()
        text = self.good("demo", "--root", self.folder.name).stdout.decode()
        self.assertIn(f"  files    {len(sizes)} (left out: 1 further hard link)", text)
        self.assertIn(f"  bytes    {sum(sizes):,} (", text)
        self.assertIn("  the 3 files above 1 MiB", text)
        self.assertRegex(text, rf"  5,242,880 +[0-9.]+ % +[0-9.]+ %  {self.folder.name}/below/(deeper/large|again)\n")
        self.assertIn("file 7\\x0a\n", text)
        self.assertEqual(text.count("  check  "), 3)
        self.assertEqual(text.count("the same 9 lines"), 2)
        self.assertEqual(text.count("the same 3 lines"), 1)

    def test_unreadable_directory(self):
        sizes = self.make_tree()
        os.chmod(self.path("below"), 0)
        self.addCleanup(os.chmod, self.path("below"), 0o755)
        more = {}
        if os.geteuid() == 0:
            # Root reads everything: look with the eyes of somebody else.
            os.chmod(self.folder.name, 0o755)
            more = {"user": 65534}
            try:
                self.good("--version", **more)
            except PermissionError:
                self.skipTest("only root can run this build of the command")
        text = self.good("demo", "--root", self.folder.name, **more).stdout.decode()
        self.assertIn(f"  files    {len(sizes) - 1} (left out: 1 unreadable directory)\n", text)

    def test_without_bytes(self):
        self.path("empty", b"")
        self.assertIn("the same 1 line ", self.good("demo", "--root", self.folder.name).stdout.decode())

    def test_bad_roots(self):
        for message, root in (("there are no files", self.folder.name), ("No such file", self.path("absent"))):
            done = self.run_command("demo", "--root", root)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr.decode())

    def test_missing_tools(self):
        self.make_tree()
        done = self.run_command("demo", "--root", self.folder.name, env={"PATH": self.path("below")})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"there is no sort on this machine", done.stdout)
        self.assertIn(b"kogge: the demo's results are not confirmed", done.stderr)

    def test_tools_that_disagree(self):
        self.make_tree()
        os.mkdir(self.path("tools"))
        for tool, script in (("sort", "#!/bin/sh\nexec cat\n"), ("awk", "#!/bin/sh\nexit 3\n")):
            self.path(f"tools/{tool}", script.encode())
            os.chmod(self.path(f"tools/{tool}"), 0o755)
        done = self.run_command("demo", "--root", self.folder.name, env={"PATH": self.path("tools") + ":/usr/bin:/bin"})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"DIFFERS from line 1 on", done.stdout)
        self.assertIn(b"awk failed", done.stderr)


if __name__ == "__main__":
    unittest.main()
