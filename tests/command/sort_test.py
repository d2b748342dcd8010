"""kogge sort: every type and format, order, values, indices, bits."""
import array
import itertools
import os
import random
import signal
import subprocess

from command.case import COMMAND, IS_EMULATED, TYPES, FLOATS, pack, unpack, make_npy, parse_npy, text_of, numbers_of, place_of, Case


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

    def test_keys_and_values_to_one_place(self):
        keys, values = self.path("keys.txt", b"3\n1\n2\n"), self.path("values.txt", b"30\n10\n20\n")
        words = ["sort", keys, "--with", values]
        place = self.path("out.txt")
        other = os.path.join(self.folder.name, ".", "out.txt")
        link = self.path("link")
        os.symlink("out.txt", link)  # which is not there yet
        for first, second in ((place, place), (place, other), (link, place), ("-", "-"), ("/dev/stdout", "-")):
            self.bad(2, "the keys and the values cannot both go to", *words, "-o", first, "--with-output", second)
        self.path("out.txt", b"old")
        self.bad(2, "the keys and the values cannot both go to", *words, "-o", place, "--with-output", other)
        self.assertEqual(self.read("out.txt"), b"old")
        self.good(*words, "-o", "/dev/null", "--with-output", "/dev/null")
        self.bad(2, "standard output takes only one", *words, "-o", "/dev/stdout")

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
        for memory in ([], ["--memory", "1M"]):
            self.bad(2, "--end-bit is 33, and keys of type u32 have 32 bits", "sort", *memory, "--type", "u32", "--end-bit", 33, stdin=b"1\n")
            self.bad(2, "--begin-bit is 9, and keys of type u8 have 8 bits", "sort", *memory, "--type", "u8", "--begin-bit", 9, stdin=b"1\n")

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
            (["--nan", "greatest"], sorted(patterns, key=lambda b: (is_nan(b), 0 if is_nan(b) else total(b)))),
            (["--nan", "greatest", "-d"], sorted(patterns, key=lambda b: (not is_nan(b), 0 if is_nan(b) else -total(b)))),
            (["--zeros", "equal"], sorted(patterns, key=lambda b: 0 if b == 0x80000000 else total(b))),
        ]:
            with self.subTest(words=words):
                out = self.good("sort", "--type", "f32", "--input-format", "raw", "--verify", *words, stdin=pack("u32", patterns)).stdout
                self.assertEqual([hex(b) for b in unpack("u32", out)], [hex(b) for b in wanted])
        text = self.good("sort", stdin=b"nan\n1\n-nan\n").stdout
        self.assertEqual(text, b"-nan\n1\nnan\n")

    def test_device_memory_too_small_for_all_items(self):
        if not IS_EMULATED:
            self.skipTest("only an emulated device can be made smaller")
        items = numbers_of("u32", 30_000)
        order = sorted(range(len(items)), key=lambda i: items[i])
        self.path("keys.npy", make_npy("u32", items))
        self.path("values.npy", make_npy("u16", range(len(items))))
        small = {**os.environ, "KOGGE_DEVICE_BYTES": "250000"}
        done = subprocess.run([COMMAND, "sort", self.path("keys.npy"), "--with", self.path("values.npy"),
                               "--backend", "device", "-o", self.path("out.npy")],
                              env=small, capture_output=True, check=False)
        self.assertEqual((done.returncode, b"too small" in done.stderr), (0, False), done.stderr)
        self.assertIn(b"emulated", done.stderr)
        self.assertEqual(parse_npy(self.read("out.npy")), ("u32", sorted(items)))
        self.assertEqual(parse_npy(self.read("out.values.npy")), ("u16", order))

    def test_threads_and_backend(self):
        items = numbers_of("u64", 300_000)
        for words in (["--threads", 1], ["--threads", 3], ["--backend", "host"], ["--backend", "auto"]):
            out = self.good("sort", "--type", "u64", "--input-format", "raw", *words, stdin=pack("u64", items))
            self.assertEqual(out.stdout, pack("u64", sorted(items)))
        self.assertIn(b"host, 1 thread)", self.good("sort", "--backend", "host", "--threads", 1, stdin=b"1\n").stderr)

    def test_pipe_to_a_reader_that_leaves(self):
        """Ends as sort(1) does: by SIGPIPE and without a word, or with one where the caller ignores that signal."""
        self.path("x", text_of(range(300_000, 0, -1)))
        message = "kogge: cannot write to standard output: its reader has gone before everything was written\n"
        ignore = lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        for before, wanted in ((None, (-signal.SIGPIPE, "")), (ignore, (1, message))):
            with open(self.path("x"), "rb") as numbers:
                with subprocess.Popen([COMMAND, "sort", "-"], stdin=numbers, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      preexec_fn=before) as sort:
                    self.assertEqual(sort.stdout.readline(), b"1\n")
                    sort.stdout.close()
                    told = sort.stderr.read().decode()
            self.assertEqual((sort.returncode, told), wanted)
        self.assertEqual(os.listdir(self.folder.name), ["x"])

    def test_reverse(self):
        for word in ("-r", "--reverse", "-d", "--descending"):
            self.assertEqual(self.good("sort", word, stdin=b"1\n3\n2\n").stdout, b"3\n2\n1\n")

    def test_unique_and_count(self):
        for name in TYPES:
            items = [x for x in numbers_of(name, 300)] * 2
            self.path("in.npy", make_npy(name, items))
            wanted = [key for key, _ in itertools.groupby(sorted(items, key=lambda x: place_of(name, x)), key=lambda x: place_of(name, x))]
            with self.subTest(type=name):
                self.good("sort", self.path("in.npy"), "--unique", "--verify", "-o", self.path("out.npy"))
                self.assertEqual([place_of(name, x) for x in parse_npy(self.read("out.npy"))[1]], wanted)
                self.assertEqual(self.good("sort", self.path("in.npy"), "-u", "-c").stdout, b"%d\n" % len(wanted))
                self.good("sort", self.path("in.npy"), "-u", "--indices", "-o", self.path("out.npy"))
                self.assertEqual([place_of(name, items[i]) for i in parse_npy(self.read("out.npy"))[1]], wanted)
        self.assertEqual(self.good("sort", "-c", stdin=b"1\n3\n1\n").stdout, b"3\n")
        self.assertEqual(self.good("sort", "-u", stdin=b"").stdout, b"")
        # The first of equal keys, and what equal means, follow the options.
        self.path("values.txt", b"10\n20\n30\n40\n")
        self.good("sort", "-u", "--type", "u8", "--begin-bit", 4, "--with", self.path("values.txt"), "-o", self.path("keys.txt"),
                  stdin=b"0x21\n0x13\n0x12\n0x20\n")
        self.assertEqual((self.read("keys.txt"), self.read("keys.values.txt")), (b"19\n33\n", b"20\n10\n"))
        self.assertEqual(self.good("sort", "-u", "--zeros", "equal", stdin=b"0.0\n-0.0\n1\n").stdout, b"0\n1\n")
        self.assertEqual(self.good("sort", "-u", stdin=b"0.0\n-0.0\n1\n").stdout, b"-0\n0\n1\n")
        self.bad(2, "--with excludes --count", "sort", "-c", "--with", self.path("values.txt"), "-o", self.path("x"))
