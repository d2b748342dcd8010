"""What the command reads and writes: npy, raw, text; what is damaged or of the wrong type."""
from command.case import pack, unpack, make_npy, parse_npy, Case


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
        records = make_npy("u64", [1], descr="[('a', '<u8')]")
        self.assertIn("hint: take one field", self.bad(1, "holds records", "sort", "-", "-o", self.path("out.npy"), stdin=records))
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
