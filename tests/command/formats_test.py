"""What the command reads and writes: npy, raw, text; what is damaged or of the wrong type."""
import os
import struct
import subprocess

from command.case import TYPES, pack, unpack, make_npy, parse_npy, Case


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

    def test_npy_shapes(self):
        for shape in ("(3,)", "(3, 1)", "(1, 3)", "(1, 3, 1)", "(3,1,)", "(3L,)"):
            for order in (False, True):
                self.assertEqual(parse_npy(self.good("sort", stdin=make_npy("i16", [3, 1, 2], shape=shape, order=order)).stdout),
                                 ("i16", [1, 2, 3]))
        for shape in ("()", "(1,)", "(1, 1)"):
            self.assertEqual(parse_npy(self.good("sort", stdin=make_npy("f32", [7.5], shape=shape)).stdout), ("f32", [7.5]))
        self.assertEqual(parse_npy(self.good("sort", stdin=make_npy("f32", [], shape="(0, 1)")).stdout), ("f32", []))

    def test_big_endian(self):
        for name in ("u16", "i32", "f32", "u64", "f64", "f16"):
            _, code, _ = TYPES[name]
            items = [3, 1, 258, 2]
            header = make_npy(name, [], descr=repr(TYPES[name][0].replace("<", ">")), shape="(4,)")
            self.assertEqual(parse_npy(self.good("sort", stdin=header + struct.pack(f">4{code}", *items)).stdout), (name, [1, 2, 3, 258]))
        self.assertEqual(parse_npy(self.good("sort", stdin=make_npy("u8", [2, 1], descr="'>u1'")).stdout), ("u8", [1, 2]))

    def test_csv_is_text(self):
        self.path("in.npy", make_npy("u8", [3, 1]))
        for end in ("csv", "tsv"):
            self.good("sort", self.path("in.npy"), "-o", self.path("out." + end))
            self.assertEqual(self.read("out." + end), b"1\n3\n")

    def test_text_as_people_write_it(self):
        for lines, words, wanted in [
            (b"+3\n-2\n", [], b"-2\n3\n"),
            (b"\n3\n\n  \n1\n\n", [], b"1\n3\n"),
            (b"3\r\n1\r\n\r\n", [], b"1\n3\n"),
            (b"0x1F\n-0x10\n0XfF\n", [], b"-16\n31\n255\n"),
            (b"0xffffffffffffffff\n1\n", [], b"1\n18446744073709551615\n"),
            (b"0x10\n1\n", ["--type", "f32"], b"1\n16\n"),
            (b"1e-400\n-1\n", [], b"-1\n0\n"),
            (b"1e-50\n-1\n", ["--type", "f32"], b"-1\n0\n"),
            (b"1e-42\n", ["--type", "f32"], b"1e-42\n"),
            (b"5e-324\n", [], b"5e-324\n"),
            (b"size\n3\n1\n", ["--header"], b"1\n3\n"),
            (b"7\n3\n1\n", ["--header", "--type", "u8"], b"1\n3\n"),
            (b"size\n", ["--header"], b""),
            (b"9007199254740992\n0.5\n", [], b"0.5\n9007199254740992\n"),
            (b"9007199254740993\n0.5\n", ["--type", "f64"], b"0.5\n9007199254740992\n"),
        ]:
            with self.subTest(lines=lines):
                self.assertEqual(self.good("sort", *words, stdin=lines).stdout, wanted)
        self.bad(2, "--header is for text", "sort", "--header", stdin=make_npy("u8", [1]))

    def test_formats_of_results(self):
        self.path("in.txt", b"3\n1\n2\n")
        self.good("sort", self.path("in.txt"), "-o", self.path("out.npy"))
        self.assertEqual(parse_npy(self.read("out.npy")), ("i64", [1, 2, 3]))
        self.good("sort", self.path("in.txt"), "-o", self.path("out.bin"))
        self.assertEqual(unpack("i64", self.read("out.bin")), [1, 2, 3])
        self.good("sort", self.path("out.npy"), "-d", "-o", self.path("out.txt"))
        self.assertEqual(self.read("out.txt"), b"3\n2\n1\n")
        for name in ("without", ".hidden", "x.2026-11-30", "x.", "x.d/y"):
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            self.good("sort", self.path("out.npy"), "-o", self.path(name))
            self.assertEqual(parse_npy(self.read(name)), ("i64", [1, 2, 3]))
        self.good("sort", self.path("in.txt"), "--format", "raw", "-o", self.path("out.npy"))
        self.assertEqual(unpack("i64", self.read("out.npy")), [1, 2, 3])

    def test_endings_of_no_format(self):
        said = "which is none of .npy, .bin, .raw, .txt, .text, .csv and .tsv"
        for end in (".npz", ".gz", ".parquet", ".NPY"):
            out = self.path("out.csv" + end)
            for command in (["sort"], ["sort", "--memory", "1M"], ["compact", "--where", ">0"], ["scan"], ["top-k"], ["unique"], ["histogram"]):
                self.bad(2, f"ends with '{end}', {said}", *command, "-o", out, stdin=b"1\n")
        for option, words in [("--with-output", ["sort", "--with", self.path("x.txt", b"1\n")]),
                              ("--count-output", ["unique", "--count"]), ("--edges", ["histogram", "--bins", "1"])]:
            self.bad(2, f"ends with '.npz', {said}", *words, "-o", self.path("out.npy"), option, self.path("other.npz"), stdin=b"1\n")
        self.good("sort", "-o", self.path("out.end"), "--format", "text", stdin=b"2\n1\n")
        self.assertEqual(self.read("out.end"), b"1\n2\n")
        os.mkfifo(self.path("pipe.gz"))
        with subprocess.Popen(["cat", self.path("pipe.gz")], stdout=subprocess.PIPE) as reader:
            self.good("sort", "-o", self.path("pipe.gz"), stdin=b"2\n1\n")
            self.assertEqual(reader.communicate()[0], b"1\n2\n")

    def test_inputs_of_other_kinds(self):
        for said, advice, head in [("compressed (gzip)", "zcat FILE", b"\x1f\x8b\x08"), ("compressed (xz)", "xzcat", b"\xfd7zXZ\x00"),
                                   ("compressed (zstd)", "zstdcat", b"\x28\xb5\x2f\xfd"), ("compressed (bzip2)", "bzcat", b"BZh9"),
                                   ("a zip archive, as .npz files are", "unzip -p", b"PK\x03\x04"), ("a Parquet file", "--man", b"PAR1"),
                                   ("an Arrow file", "--man", b"ARROW1")]:
            data = head + b"\x00\xff" * 9
            for words in ([], ["--type", "u8"], ["--column", "2"], ["--header"]):
                stderr = self.bad(2, f"'{self.path('x.gz', data)}' is {said}", "sort", self.path("x.gz"), *words)
                self.assertIn(advice, stderr)
            out = self.good("sort", "--type", "u8", "--input-format", "raw", stdin=data).stdout
            self.assertEqual(out, bytes(sorted(data)))
        self.assertEqual(self.good("sort", "--header", stdin=b"PAR1\n2\n1\n").stdout, b"1\n2\n")

    def test_files_of_the_system(self):
        """They say another size than they have, and some refuse long reads."""
        file = "/proc/sys/kernel/pid_max"
        if not os.access(file, os.R_OK):
            self.skipTest("no such file here")
        with open(file, "rb") as system:
            data = system.read()
        raw = ["--type", "u8", "--input-format", "raw", "--format", "raw", "-q"]
        for command, wanted in [(["sort"], sorted(data)), (["sort", "--memory", "1M"], sorted(data)), (["unique"], sorted(set(data))),
                                (["top-k", "-k", "1"], [max(data)]), (["compact", "--where", ">0"], data), (["scan", "--op", "max"], None)]:
            for verify in ([], ["--verify"]):
                if verify and "--memory" in command:
                    continue
                out = self.good(*command, *verify, file, *raw).stdout
                self.assertEqual(out, bytes(wanted) if wanted is not None else bytes(max(data[: i + 1]) for i in range(len(data))))
            self.good(*command, file, "-q")
        self.good("histogram", file, "--type", "u8", "--input-format", "raw", "--bins", "4")
        self.bad(1, "is truncated, or not of type", "top-k", file, "--type", "u64" if len(data) % 8 else "u32" if len(data) % 4 else "u16", "--input-format", "raw")

    def test_recognised_input(self):
        self.path("numbers", pack("u32", [7, 5]))
        self.assertEqual(unpack("u32", self.good("sort", self.path("numbers"), "--type", "u32").stdout), [5, 7])
        self.path("digits.bin", b"4321")
        self.assertEqual(self.good("sort", self.path("digits.bin"), "--type", "u8").stdout, b"1234")
        self.bad(2, "neither a .npy file nor text", "sort", self.path("numbers"))

    def test_text_that_is_not_ascii(self):
        for title in ("größe", "大きさ", "taille en €", "ß" * 4095, "x" * 4095 + "ß"):
            self.assertEqual(self.good("sort", "--header", stdin=f"{title}\n3\n1\n".encode()).stdout, b"1\n3\n")
            self.bad(1, "line 2 of standard input is '???3', not a number", "sort", "--header", "--type", "i8", stdin=f"{title}\n\u22123\n".encode())
            self.bad(1, "a header and no number", "top-k", stdin=f"{title}\n3\n".encode())
        for data in (b"\xc3", b"\xff1\n", b"\xc01\n", b"\xe2\x881\n", b"1\n\x00"):
            self.assertEqual(self.good("sort", "--type", "u8", stdin=data).stdout, bytes(sorted(data)))
            self.bad(2, "neither a .npy file nor text", "sort", stdin=data)

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
            ("holds complex numbers, which have no order (type '<c8')", make_npy("u64", [1], descr="'<c8'")),
            ("holds strings, not numbers (type '<U5')", make_npy("u64", [1], descr="'<U5'")),
            ("holds Python objects, not numbers (type '|O')", make_npy("u64", [1], descr="'|O'")),
            ("holds dates or times (type '<M8[ns]')", make_npy("u64", [1], descr="'<M8[ns]'")),
            ("holds items that are not read (type '<f16')", make_npy("u64", [1], descr="'<f16'")),
            ("holds items that are not read (type '|V8')", make_npy("u64", [1], descr="'|V8'")),
            ("holds records", make_npy("u64", [1], descr="[('a', '<u8')]")),
            ("has the shape (2, 3), more than one dimension", make_npy("u64", range(6), shape="(2, 3)", order=True)),
            ("has the shape (2, 1, 3), more than one dimension", make_npy("u64", range(6), shape="(2, 1, 3)")),
            ("its shape (,) is not readable", make_npy("u64", [1], shape="(,)")),
            ("its shape (+1,) is not readable", make_npy("u64", [1], shape="(+1,)")),
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
            ("line 3 of standard input is '1 2', not a number", b"1\n2\n1 2\n"),
            ("line 1 of standard input is '++1', not a number", b"++1\n"),
            ("line 1 of standard input is '+-1', not a number", b"+-1\n"),
            ("line 1 of standard input is '0x', not a number", b"0x\n"),
            ("line 1 of standard input is '0x1.8', not a number", b"0x1.8\n"),
            ("line 2 of standard input is '1,5', not a number", b"1.5\n1,5\n"),
            ("line 1 of standard input is 'size', a header and no number", b"size\n1\n"),
            ("line 1 of standard input is 'x', not a number", b"x\ny\n"),
            ("line 1 of standard input is '1_000', not a number", b"1_000\n1\n"),
            ("line 2 of standard input: '1e400' is out of the range of f64", b"1\n1e400\n"),
            ("line 1 of standard input: '9007199254740993' has more digits than f64 holds, which '0.5' in line 3",
             b"9007199254740993\n1\n0.5\n"),
            ("line 2 of standard input: '18446744073709551615' has more digits", b"0.5\n18446744073709551615\n"),
            ("'99999999999999999999' does not fit 64 bits", b"1\n99999999999999999999\n"),
            ("has negative integers, and in line 2 one above", b"-1\n18446744073709551615\n"),
        ]:
            with self.subTest(lines=lines):
                self.bad(1, message, "sort", "-o", self.path("out"), stdin=lines)
        for line, fits_f64 in [(b"1" * 400, False), (b"0x10000000000000000", False), (b"1" * 300, True)]:
            self.assertEqual("--type f64" in self.bad(1, "does not fit 64 bits", "sort", stdin=line), fits_f64)
        for name, line in [("u32", "1.5"), ("i64", "1e3"), ("bool", "yes"), ("f32", "x")]:
            with self.subTest(type=name, line=line):
                self.bad(1, f"line 2 of standard input is '{line}', not a number of type {name}", "sort", "--type", name,
                         stdin=f"1\n{line}\n".encode())
        for name, line in [("u8", "256"), ("u8", "-1"), ("i8", "128"), ("i8", "-129"), ("u32", "99999999999999999999"), ("u64", "-1"),
                           ("i16", "0x8000"), ("f16", "70000"), ("f32", "1e99"), ("f64", "-1e400"), ("bool", "2")]:
            with self.subTest(type=name, line=line):
                self.bad(1, f"line 2 of standard input: '{line}' is out of the range of {name}", "sort", "--type", name,
                         stdin=f"1\n{line}\n".encode())
