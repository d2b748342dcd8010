"""kogge compact and kogge scan."""
import array
import fractions
import itertools
import math
import random

from command.case import TYPES, FLOATS, pack, unpack, make_npy, parse_npy, numbers_of, Case


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
        for where in ("", "5", ">", "=>5", "=5", ">abc", ">5x", "><5", ">K", ">1.5X", ">0x10000000000000000", ">+-1"):
            with self.subTest(where=where):
                self.bad(2, "--where", "compact", f"--where={where}", stdin=b"1\n")
        self.bad(2, "u8 has no NaN", "compact", "--where", ">nan", "--type", "u8", stdin=b"1\n")
        self.bad(2, "--where", "compact", stdin=b"1\n")

    def kept(self, where, name, items):
        done = self.good("compact", "--type", name, "--input-format", "raw", "--format", "raw", "--verify", f"--where={where}",
                         stdin=pack(name, items))
        return unpack(name, done.stdout)

    def test_bounds_that_the_type_does_not_hold(self):
        """Compared as fractions are: exactly."""
        values = ["+5", "-1.5", "2.5", "0.5", "1e-400", "-1e-400", "255.5", "300", "-129", "127.000", "1e2", "0x1F", "-0x10", "1e400",
                  "-1e400", "inf", "-inf", "0.1K", "1.5K", "2M", "1g", "9223372036854775807.5", "18446744073709551615", "18446744073709551616"]
        for name in ("u8", "i8", "i16", "u32", "i64", "u64"):
            items = sorted(set(numbers_of(name, 50) + [x for x in range(-130, 257) if self.holds(name, x)] +
                               [x for x in (1535, 1536, 1537, 1 << 21, 1 << 30, (1 << 63) - 1, (1 << 64) - 1) if self.holds(name, x)]))
            for value, (sign, keep) in itertools.product(values, self.RELATIONS.items()):
                with self.subTest(type=name, value=value, sign=sign):
                    bound = self.exactly(value)
                    self.assertEqual(self.kept(sign + value, name, items), [x for x in items if keep(x, bound)])

    def holds(self, name, x):
        bits = 8 * TYPES[name][2]
        return -(1 << bits - 1) <= x < 1 << bits - 1 if name[0] == "i" else 0 <= x < 1 << bits

    def exactly(self, value):
        if value.endswith("inf"):
            return math.inf if value[0] != "-" else -math.inf
        if "0x" in value:
            return int(value, 16)
        power = {"K": 10, "M": 20, "G": 30}.get(value[-1].upper(), 0)
        return fractions.Fraction(value[:-1] if power else value) * 2**power

    def test_bounds_beside_floating_point(self):
        large = 2.0**53
        for where, items, wanted in [
            (">9007199254740993", [large, large + 2], [large + 2]),
            ("==9007199254740993", [large, large + 2], []),
            ("<=9007199254740993", [large, large + 2], [large]),
            ("==9007199254740992", [large], [large]),
            ("==0.1", [0.1, 0.2], [0.1]),
            ("==1e30", [1e30], [1e30]),
            (">1e400", [1e308, math.inf], [math.inf]),
            ("<=1e400", [1e308, math.inf], [1e308]),
            ("!=1e400", [1e308, math.inf], [1e308, math.inf]),
            (">=-1e400", [-math.inf, -1e308], [-1e308]),
            (">=1.5K", [1535.0, 1536.0], [1536.0]),
            (">1e-400", [-1.0, 0.0, 5e-324], [5e-324]),
        ]:
            with self.subTest(where=where):
                self.assertEqual(self.kept(where, "f64", items), wanted)
        self.assertEqual(self.kept(">70000", "f16", [65504.0, math.inf]), [math.inf])
        self.assertEqual(self.kept("<-70000", "f16", [-65504.0, -math.inf]), [-math.inf])
        self.assertEqual(self.kept(">-70000", "f16", [-65504.0, -math.inf]), [-65504.0])
        self.assertEqual(self.kept(">1e39", "f32", [3e38, math.inf]), [math.inf])

    def test_indices_and_count(self):
        for name in ("u8", "i64", "f16", "f64"):
            items = [3, 1, 3, 2, 0, 9]
            with self.subTest(type=name):
                self.path("in.npy", make_npy(name, items))
                self.good("compact", self.path("in.npy"), "--where", ">=2.5", "--indices", "--verify", "-o", self.path("out.npy"))
                self.assertEqual(parse_npy(self.read("out.npy")), ("i64", [0, 2, 5]))
                self.assertEqual(self.good("compact", self.path("in.npy"), "--where", ">=2.5", "--count", "--verify").stdout, b"3\n")
                self.assertEqual(self.good("compact", self.path("in.npy"), "--where", ">=2.5", "--indices", "-c").stdout, b"3\n")
        self.good("compact", self.path("in.npy"), "--where", ">100", "-c", "-o", self.path("count.npy"))
        self.assertEqual(parse_npy(self.read("count.npy")), ("u64", [0]))


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
            items = [random.Random(9).uniform(-1, 1) for _ in range(50_000)]
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
        for op in ("max", "min"):
            self.bad(2, "--init is NaN", "scan", "--op", op, "--init", "nan", stdin=b"1.5\n")
        self.bad(1, "item 2 is NaN", "scan", "--op", "max", stdin=b"1\n2.5\nnan\n")
        self.bad(2, "'product' is not one of sum|max|min", "scan", "--op", "product", stdin=b"1\n")
