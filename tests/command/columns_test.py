"""Columns of text, for every command that reads numbers; inputs that are read a piece at a time, or twice."""
import os
import resource
import signal
import subprocess
import time

from command.case import COMMAND, on_host_alone, pack, make_npy, parse_npy, text_of, in_pieces, Case

TABLE = b'name,size,"free, in %"\n"a, b",5,1.5\nc,  7 ,2\n"d ""e""","3",-9e1\n'


class Columns(Case):
    def test_by_number_and_by_name(self):
        for words, wanted in [
            (["--column", "size"], b"7\n5\n3\n"),
            (["--column", "free, in %"], b"2\n1.5\n-90\n"),
            (["--column", "2", "--header"], b"7\n5\n3\n"),
            (["--column", "3", "--header", "--delimiter", ","], b"2\n1.5\n-90\n"),
        ]:
            for end in ("csv", "data"):
                with self.subTest(words=words, end=end):
                    path = self.path("in." + end, TABLE)
                    self.assertEqual(self.good("top-k", path, *words).stdout, wanted)
                    self.assertEqual(self.good("sort", "-d", path, *words).stdout, wanted)
                    self.assertEqual(self.good("unique", "-d", *words, stdin=TABLE).stdout, wanted)

    def test_delimiters(self):
        for lines, words in [
            (b"1\t30\n2\t10\n", []), (b"1;30\n2;10\n", []), (b"1|30\n2|10\n", []), (b"1 30\n2\t  10 x\n", []), (b"  1   30\r\n\r\n 2 10\r\n", []),
            (b"1:30\n2:10\n", ["--delimiter", ":"]), (b"1,9\t30\n2,9,9\t10\n", ["--delimiter", "\\t"]), (b"\t30\n\t10\n", []),
            (b"\xef\xbb\xbfa,b\n1,30\n2,10", ["--header"]), (b"\xef\xbb\xbfx,2\n1,30\n2,10", ["--header"]),
        ]:
            with self.subTest(lines=lines):
                self.assertEqual(self.good("sort", "--column", "2", *words, stdin=lines).stdout, b"10\n30\n")
        self.assertEqual(self.good("sort", "--column", "a", stdin=b"\xef\xbb\xbfa,b\n2,30\n1,10").stdout, b"1\n2\n")
        self.assertEqual(self.good("sort", stdin=b"\xef\xbb\xbf3\n1\n").stdout, b"1\n3\n")
        self.assertEqual(self.good("sort", "--header", stdin=b"\xef\xbb\xbfsize\n3\n1\n").stdout, b"1\n3\n")

    def test_titles_alone(self):
        for command in (["sort"], ["top-k"], ["unique"], ["compact", "--where", ">1"], ["scan"]):
            self.assertEqual(self.good(*command, "--column", "b", stdin=b"a,b\n").stdout, b"")
        self.good("histogram", "--column", "b", stdin=b"a,b\n")

    def test_fields_of_several_lines(self):
        """The next line is no line of its own, even where a number stands at its beginning."""
        for number, words, lines in [(2, ["--column", "1"], b'1,2\n1,"a\n2,b"\n3,c\n'), (2, ["--column", "k"], b'k;v\n1;"a\n2;b"\n'),
                                     (1, ["--column", "k"], b'k,"v\n2,w"\n3,4\n'), (1, ["--column", "1", "--header"], b'k\t"v\n2\tw"\n3\t4\n'),
                                     (5002, ["--column", "1"], b"1,2\n" * 5001 + b'1,"a\n2,b"\n')]:
            for command in (["sort"], ["top-k"], ["compact", "--where", ">0"]):
                self.bad(1, f"line {number:,} of standard input has a quoted field that does not end in it", *command, *words, stdin=lines)
        self.assertEqual(self.good("sort", "--column", "1", stdin=b'2 say "a b\n1 "c\n').stdout, b"1\n2\n")
        self.assertEqual(self.good("sort", "--column", "2", stdin=b'5",2\n"a ""b""",1\n').stdout, b"1\n2\n")

    def test_wrong_columns(self):
        for message, words, lines in [
            ("standard input has no column 'c'", ["--column", "c"], b"a,b\n1,2\n"),
            ("standard input has more than one column 'a'", ["--column", "a"], b"a,b,a\n1,2,3\n"),
            ("standard input is empty: it has no column 'c'", ["--column", "c"], b"\n"),
            ("line 2 of standard input has no column 3", ["--column", "3"], b"1,2,3\n1,2\n"),
            ("column 2 in line 3 of standard input is empty", ["--column", "2"], b"1,2\n\n1,\n"),
            ("column 'b' in line 3 of standard input is 'x', not a number", ["--column", "b"], b"a,b\n1,2\n1,x\n"),
            ("column 1 in line 1 of standard input is 'a', a header and no number", ["--column", "1"], b"a,b\n1,2\n"),
            ("column 2 in line 1 of standard input: '300' is out of the range of u8", ["--column", "2", "--type", "u8"], b"1,300\n"),
            ("column 2 in line 1 of standard input is '2,3\"\"', not a number", ["--column", "2"], b'1,"2,3"""\n'),
            ("line 1 of standard input has a quoted field that does not end in it", ["--column", "2"], b'1,"2,3""\n'),
        ]:
            for command in (["sort"], ["top-k"], ["histogram"], ["unique"]):
                with self.subTest(words=words, command=command):
                    self.bad(1, message, *command, *words, "-o", self.path("out"), stdin=lines)
        self.assertIn("its columns are a, b", self.bad(1, "no column 'c'", "top-k", "--column", "c", stdin=b"a,b\n1,2\n"))
        for lines in (b"1,2\n", b"1|2\n", b'"1"\n'):
            self.assertIn("--column", self.bad(1, "not a number", "top-k", stdin=lines))
        self.bad(2, "--column 0 is no column", "top-k", "--column", "0", stdin=b"1,2\n")
        self.bad(2, "--column: '' is no column", "top-k", "--column", "", stdin=b"1,2\n")
        self.bad(2, "--delimiter requires --column", "top-k", "--delimiter", ",", stdin=b"1,2\n")
        self.bad(2, "is no single character", "top-k", "--column", "1", "--delimiter", ", ", stdin=b"1,2\n")
        self.path("in.npy", make_npy("u8", [1]))
        self.bad(2, "--column is for text", "top-k", self.path("in.npy"), "--column", "1")


class Pieces(Case):
    COMMANDS = (["top-k", "-k", "3"], ["unique", "--count"], ["histogram", "--bins", "3"],
                ["histogram", "--bins", "3", "--range", "0:9"])

    def test_formats_and_sources_agree(self):
        items = [i * i % 11 for i in range(3000)]
        files = {"npy": make_npy("i64", items), "bin": pack("i64", items), "txt": text_of(items),
                 "big": make_npy("i64", [], descr="'>i8'", shape="(3000,)") + b"".join(i.to_bytes(8, "big") for i in items),
                 "csv": b"x,y\r\n" + b"".join(b"%d,0\r\n" % i for i in items)}
        for command in self.COMMANDS:
            results = set()
            for end, data in files.items():
                words = {"bin": ["--type", "i64", "--input-format", "raw"], "csv": ["--column", "x"]}.get(end, [])
                path = self.path("in." + end, data)
                for memory in ("8", "1000", "1G"):
                    results.add(self.good(*command, path, *words, *in_pieces(memory), "--format", "text").stdout)
                    results.add(self.good(*command, *words, *in_pieces(memory), "--verify", "--format", "text", stdin=data).stdout)
                with open(path, "rb") as file:  # a file, from where it stands
                    results.add(self.good(*command, *words, "--format", "text", stdin=file).stdout)
            self.assertEqual(len(results), 1, (command, results))

    def test_damaged_input(self):
        whole = make_npy("u32", range(1000))
        for command in self.COMMANDS:
            for memory in ("40", "1G"):
                words = [*command, "--format", "text", "-o", self.path("out"), *in_pieces(memory)]
                for message, data in [("is truncated: its header promises 4,000 bytes of items, and 3,999", whole[:-1]),
                                      ("ends within the .npy header", whole[:60]), ("goes on after the 1,000 items", whole + b"x")]:
                    self.bad(1, message, *words, stdin=data)
                    self.bad(1, message, *words, self.path("in.npy", data))
                raw = ["--type", "u32", "--input-format", "raw"]
                self.bad(1, "4,003 bytes are no whole number of items", *words, *raw, stdin=bytes(4003))
                self.bad(1, "4,003 bytes are no whole number of items", *words, *raw, self.path("in.bin", bytes(4003)))
                self.bad(2, "needs a type", *words, "--input-format", "raw", stdin=bytes(40))
                self.bad(1, "line 2,001 of", *words, "--type", "u8", stdin=b"1\n" * 2000 + b"x\n")
                self.bad(1, "line 2,001 of", *words, stdin=b"1\n" * 2000 + b"x\n")
            self.bad(1, "No such file", *command, self.path("absent"))
            self.bad(1, "cannot create", *command, "-o", self.path("no/such/folder"), stdin=b"1\n")

    def test_types_of_text_in_pieces(self):
        """What follows from all lines is the same however few are looked at once."""
        for lines, wanted in [(b"1\n" * 3000 + b"2.5\n", b"2.5\n"), (b"1\n18446744073709551615\n", b"18446744073709551615\n")]:
            self.assertEqual(self.good("top-k", "-k", 1, *in_pieces("8"), stdin=lines).stdout, wanted)
        self.bad(1, "has more digits than f64 holds", "top-k", stdin=b"9007199254740993\n1\n0.5\n")

    def test_long_lines_and_many(self):
        """Lines that are longer than what is read at once, and pieces that end within lines."""
        long = b"x" * (9 << 20)
        lines = b"1," + long + b"\n" + b"2," + long + b"\n3,y"
        self.assertEqual(self.good("top-k", "--column", "1", stdin=lines).stdout, b"3\n2\n1\n")
        blank = b"\n" * (5 << 20)
        self.assertEqual(self.good("top-k", "--column", "b", stdin=blank + b"a,b\n1,7\n").stdout, b"7\n")
        self.assertIn(b"line 5,242,882 of", self.run_command("top-k", "--column", "b", stdin=blank + b"a,b\n1,x\n").stderr)
        many = text_of(range(1_000_000))
        self.assertEqual(self.good("top-k", "-k", 2, "--memory", "100K", stdin=many).stdout, b"999999\n999998\n")

    def limited(self, megabytes):
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    @on_host_alone
    def test_more_than_memory(self):
        """Half a gigabyte through a process that may have half of it."""
        with open(self.path("zeros.bin"), "wb") as file:
            file.truncate(1 << 29)
            file.seek(12345)
            file.write(b"\x07")
        raw = ["--type", "u8", "--threads", "1", "--backend", "host"]
        limit = {"preexec_fn": self.limited(256)}
        with open(self.path("zeros.bin"), "rb") as zeros:
            self.assertEqual(self.good("top-k", "-k", 2, *raw, "--indices", "--input-format", "raw", "--format", "text", stdin=zeros, **limit).stdout, b"12345\n0\n")
        self.assertEqual(self.good("unique", *raw, "--memory", "64M", self.path("zeros.bin"), "-c", "--format", "text", **limit).stdout, b"536870911 0\n      1 7\n")
        self.assertEqual(self.good("histogram", *raw, "--bins", 2, self.path("zeros.bin"), "--format", "text", **limit).stdout,
                         b"lower,upper,count\n0,3.5,536870911\n3.5,7,1\n")

    def test_memory_that_is_not_there(self):
        limit = {"preexec_fn": self.limited(256)}
        with open("/dev/zero", "rb") as zeros:
            for words, hint in ((["histogram", "--type", "u8"], "--range"), (["top-k", "--type", "u8", "--verify"], "--verify"),
                                (["top-k", "--input-format", "text"], "--type"),
                                (["histogram", "--input-format", "text"], "--range, so that it is read only once, and --type")):
                self.assertIn(hint, self.bad(1, "of memory, and", *words, stdin=zeros, **limit))
        self.assertIn("--memory", self.bad(1, "of memory, and", "unique", "--type", "u8", "--memory", "1G", stdin=b"1\n", **limit))
        with open("/dev/zero", "rb") as zeros:
            self.bad(1, "memory", "top-k", "--type", "u8", "-k", "2^40", "--backend", "host", stdin=zeros, **limit)

    def test_signals_leave_nothing(self):
        self.path("old.npy", b"precious")
        for number in (signal.SIGINT, signal.SIGTERM):
            for words in (["top-k"], ["unique"], ["histogram", "--range", "0:1"]):
                with subprocess.Popen([COMMAND, *words, "--type", "u8", "-o", self.path("old.npy")], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
                    run.stdin.write(b"\x00" * 100_000)
                    run.stdin.flush()
                    deadline = time.monotonic() + 60
                    while not self.nameless_files(run.pid) and len(os.listdir(self.folder.name)) == 1:
                        self.assertLess(time.monotonic(), deadline)
                    run.send_signal(number)
                    self.assertEqual(run.wait(60), -number)
                self.assertEqual((os.listdir(self.folder.name), self.read("old.npy")), (["old.npy"], b"precious"))

    def test_onto_its_own_input(self):
        for words, wanted in ((["unique"], b"1\n2\n3\n"), (["top-k", "-k", "2"], b"3\n2\n")):
            path = self.path("in.txt", b"3\n1\n2\n3\n"[:6])
            self.good(*words, path, "-o", path)
            self.assertEqual(self.read("in.txt"), wanted)

    def test_full_disk(self):
        for command in self.COMMANDS:
            self.bad(1, "cannot write to '/dev/full': No space left", *command, "-o", "/dev/full", stdin=b"1\n2\n")
            with open("/dev/full", "wb") as full:
                done = self.run_command(*command, stdin=b"1\n2\n", stdout=full)
                self.assertEqual((done.returncode, done.stderr[:37]), (1, b"kogge: cannot write to standard outpu"))
