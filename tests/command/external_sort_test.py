"""kogge sort of more than --memory holds: the same results as in memory, by way of temporary files."""
import fcntl
import os
import random
import resource
import signal
import subprocess
import time

from command.case import COMMAND, TYPES, in_pieces, make_npy, numbers_of, on_host_alone, pack, parse_npy, text_of, Case

MEMORIES = ("1", "4K", "20K", "1M")  # several passes over runs, one, few runs, and none


class ExternalSort(Case):
    def same_as_in_memory(self, data, *words, memory, files=("out",)):
        """Sorts the raw items both ways, and compares all results byte for byte."""
        self.path("in.bin", data)
        results = []
        for limit in ([], in_pieces(memory)):
            self.good("sort", self.path("in.bin"), "-o", self.path("out"), *words, *limit, "--verify")
            results.append([self.read(name) for name in files])
        self.assertEqual(*results, (words, memory))

    def test_every_type_and_order(self):
        for name in TYPES:
            data = pack(name, numbers_of(name, 5000))
            for memory in MEMORIES:
                for order in ([], ["--descending"]):
                    self.same_as_in_memory(data, "--type", name, *order, memory=memory)

    def test_sizes_around_a_part(self):
        # A part has 64 items at least, and 16 runs are merged at once.
        for n in (0, 1, 63, 64, 65, 128, 1023, 1024, 1025, 1088, 16 * 1024 + 1):
            self.same_as_in_memory(pack("u32", numbers_of("u32", n)), "--type", "u32", memory="1")

    def test_equal_keys_keep_their_order(self):
        r = random.Random(4)
        of_kind = {
            "one value": [7] * 6000,
            "two values": [r.randrange(2) for _ in range(6000)],
            "few beside many": [r.choice([3] * 50 + list(range(200))) for _ in range(6000)],
            "in order": [i // 3 for i in range(6000)],
            "falling": [(6000 - i) // 3 for i in range(6000)],
        }
        for kind, items in of_kind.items():
            for memory in MEMORIES:
                with self.subTest(kind=kind, memory=memory):
                    self.same_as_in_memory(pack("u16", items), "--type", "u16", "--indices", memory=memory)
                    self.same_as_in_memory(pack("u16", items), "--type", "u16", "--unique", memory=memory)
                    self.same_as_in_memory(pack("u16", items), "--type", "u16", "--unique", "--indices", memory=memory)

    def test_values_follow_their_keys(self):
        keys = [k % 50 for k in numbers_of("i32", 3000)]
        for values_type in ("u8", "f16", "i32", "f64"):
            self.path("values.npy", make_npy(values_type, numbers_of(values_type, 3000, seed=2)))
            for more in ([], ["--unique"], ["--descending"]):
                for memory in MEMORIES:
                    self.same_as_in_memory(pack("i32", keys), "--type", "i32", "--with", self.path("values.npy"),
                                           "--with-output", self.path("with.npy"), *more, memory=memory, files=("out", "with.npy"))

    def test_bits_nans_and_zeros(self):
        nan = float("nan")
        items = [random.Random(8).choice([nan, -nan, 0.0, -0.0, 1.5, -1.5, float("inf")]) for _ in range(3000)]
        for words in (["--nan", "last"], ["--nan", "greatest", "-d"], ["--zeros", "equal"], ["--zeros", "equal", "-d", "--nan", "last"]):
            self.same_as_in_memory(pack("f32", items), "--type", "f32", "--indices", *words, memory="4K")
            self.same_as_in_memory(pack("f32", items), "--type", "f32", "--unique", *words, memory="4K")
        for begin, end in ((0, 4), (5, 9), (12, 16), (3, 3)):
            self.same_as_in_memory(pack("u16", numbers_of("u16", 3000)), "--type", "u16", "--indices", "--begin-bit", begin,
                                   "--end-bit", end, memory="4K")

    def test_formats_and_pipes(self):
        items = numbers_of("i64", 3000)
        wanted = sorted(items)
        self.assertEqual(self.good("sort", *in_pieces("4K"), stdin=text_of(items)).stdout, text_of(wanted))
        self.assertEqual(self.good("sort", "--type", "i64", *in_pieces("4K"), stdin=text_of(items)).stdout, text_of(wanted))
        table = "name,size\n" + "".join(f"x,{i}\n" for i in items)
        got = self.good("sort", "--column", "size", *in_pieces("4K"), stdin=table.encode()).stdout
        self.assertEqual(got, text_of(wanted))
        npy = self.good("sort", *in_pieces("4K"), stdin=make_npy("i64", items)).stdout
        self.assertEqual(parse_npy(npy), ("i64", wanted))
        distinct = sorted(set(i % 100 for i in items))
        self.good("sort", "-u", "-o", self.path("out.npy"), *in_pieces("4K"), stdin=make_npy("i64", [i % 100 for i in items]))
        self.assertEqual(parse_npy(self.read("out.npy")), ("i64", distinct))
        count = self.good("sort", "-u", "-c", *in_pieces("4K"), stdin=make_npy("i64", [i % 100 for i in items]))
        self.assertEqual(count.stdout, b"100\n")

    def test_report(self):
        done = self.good("sort", *in_pieces("4K"), stdin=text_of(range(3000)))
        self.assertRegex(done.stderr.decode(), r"^sorted 3,000 i64 by way of \d+ runs in ")
        done = self.good("sort", *in_pieces("1M"), stdin=text_of(range(3000)))
        self.assertRegex(done.stderr.decode(), r"^sorted 3,000 i64 in ")

    def test_onto_the_input(self):
        items = numbers_of("u32", 5000)
        self.path("in.npy", make_npy("u32", items))
        self.good("sort", self.path("in.npy"), "-o", self.path("in.npy"), *in_pieces("4K"))
        self.assertEqual(parse_npy(self.read("in.npy")), ("u32", sorted(items)))

    @on_host_alone
    def test_files_beyond_memory_need_no_option(self):
        limit = 192 << 20

        def set_limit():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        data = random.Random(6).randbytes(16 << 20) * 6  # of which two copies do not fit
        self.path("in.bin", data)
        done = self.good("sort", self.path("in.bin"), "--type", "u64", "-o", self.path("out.bin"), "--verify", "--backend",
                         "host", "--threads", 1, preexec_fn=set_limit)
        self.assertIn(b"by way of", done.stderr)
        self.assertEqual(os.path.getsize(self.path("out.bin")), len(data))
        # Numbers take more memory than their text.
        self.path("in.txt", b"1\n" * (16 << 20))
        done = self.good("sort", self.path("in.txt"), "-o", self.path("out.txt"), "--backend", "host", "--threads", 1,
                         preexec_fn=set_limit)
        self.assertIn(b"by way of", done.stderr)

    def test_bad_options(self):
        self.bad(2, "is no number of bytes", "sort", "--memory", "much", stdin=b"1\n")
        self.bad(2, "is no number of bytes", "sort", "--memory", "0", stdin=b"1\n")
        self.bad(2, "is no directory", "sort", "-T", "", stdin=b"1\n")
        self.bad(2, "begins with the number of its items", "sort", "-u", "--memory", "1M", stdin=make_npy("u8", [1, 2]))
        self.bad(2, "cannot both come from standard input", "sort", "--memory", "1M", "--with", "-", "-o", self.path("x"), stdin=b"1\n")

    def test_numbers_of_keys_and_values(self):
        # Of files the numbers are known; of text, that there are more.
        self.path("values.txt", text_of(range(3000)))
        self.path("values.npy", make_npy("i64", range(3000)))
        for n, told in ((2000, "2,000 keys and more than 2,000 values"), (4000, "more than 3,000 keys and 3,000 values")):
            self.bad(1, f"there are {told}", "sort", "-o", self.path("x"), "--with", self.path("values.txt"),
                     *in_pieces("4K"), stdin=text_of(range(n)))
            self.path("keys.npy", make_npy("i64", range(n)))
            self.bad(1, f"there are {n:,} keys and 3,000 values", "sort", self.path("keys.npy"), "-o", self.path("x"),
                     "--with", self.path("values.npy"), *in_pieces("4K"))
        with open("/dev/zero", "rb") as endless:
            self.bad(1, "more than 3,000 keys and 3,000 values", "sort", "--type", "u8", "-o", self.path("x"), "--with",
                     self.path("values.npy"), *in_pieces("4K"), stdin=endless)

    def test_what_comes_in_parts_needs_files(self):
        items = make_npy("u32", numbers_of("u32", 5000))
        values = self.path("values.npy", items)
        os.mkfifo(self.path("fifo"))
        self.bad(2, "is no file", "sort", "-o", self.path("x"), "--with", values, "--with-output", self.path("fifo"),
                 *in_pieces("4K"), stdin=items)
        self.bad(2, "checked while it is written", "sort", "--verify", *in_pieces("4K"), stdin=items)
        self.bad(1, "No such file", "sort", "-o", self.path("x"), "--with", values, "--with-output", self.path("no/such"),
                 *in_pieces("4K"), stdin=items)

    @on_host_alone
    def test_no_more_memory_than_said(self):
        limit = 24 << 20
        program = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        data = random.Random(7).randbytes(8 << 20) * 8
        source, small = self.path("in.bin", data), self.path("small.bin", data[: len(data) // 8])
        for words in (["--type", "u64"], ["--type", "u8", "--with", source, "--with-type", "u8", "--with-output", self.path("with")],
                      ["--type", "u32", "--indices"]):
            done = subprocess.run(["python3", "-c", program, COMMAND, "sort", source, "-o", self.path("out"), "-q", "--memory",
                                   str(limit), "--backend", "host", *words], stdout=subprocess.PIPE, check=True, timeout=300)
            self.assertLess(1024 * int(done.stdout), limit * 3 // 2 + (16 << 20), words)  # the program itself takes some
        # More than there is means what there is.
        self.good("sort", small, "--type", "u8", "-o", self.path("out"), "--memory", "64T")
        # Text that must be read twice is kept, if it is no file: no more of it than that.
        self.bad(1, "of memory that it may", "sort", "--memory", "1M", stdin=text_of(range(1_000_000)))
        self.good("sort", "--memory", "1M", "--type", "i64", stdin=text_of(range(1_000_000)))

    def test_directories(self):
        items = text_of(numbers_of("u32", 5000))
        for bad in (self.path("absent"), self.path("file", b"")):
            self.bad(1, "cannot create a temporary file in", "sort", "-T", bad, *in_pieces("4K"), stdin=items)
        os.mkdir(self.path("empty"))
        self.good("sort", "-T", self.path("empty"), *in_pieces("4K"), stdin=items)
        self.good("sort", *in_pieces("4K"), stdin=items, env={**os.environ, "TMPDIR": self.path("empty")})
        self.bad(1, "cannot create a temporary file in '/no/such'", "sort", *in_pieces("4K"), stdin=items,
                 env={**os.environ, "TMPDIR": "/no/such"})
        self.assertEqual(os.listdir(self.path("empty")), [])

    def test_too_little_room(self):
        with open(self.path("huge.bin"), "wb") as file:
            file.truncate(1 << 42)
        self.bad(1, "of temporary files, and", "sort", self.path("huge.bin"), "--type", "u64", "--memory", "1M", "-o",
                 self.path("out"), "-T", "/dev/shm")

    def test_file_size_limit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        self.path("old.bin", b"precious")
        data = pack("u64", numbers_of("u64", 5000))
        stderr = self.bad(1, "cannot write to a temporary file in", "sort", "--type", "u64", "-o", self.path("old.bin"),
                          *in_pieces("4K"), stdin=data, preexec_fn=limit)
        self.assertIn("ulimit -f", stderr)
        # The temporary files of bytes fit, and their decimals do not.
        self.bad(1, "cannot write to", "sort", "--type", "u8", "--input-format", "raw", "-o", self.path("old.bin"), "--format",
                 "text", *in_pieces("4K"), stdin=bytes(range(256)) * 30, preexec_fn=limit)
        self.assertEqual(self.read("old.bin"), b"precious")

    def test_whatever_ends_it_leaves_nothing(self):
        os.mkdir(self.path("temporary"))
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            with subprocess.Popen([COMMAND, "sort", "-", "--type", "u64", "--input-format", "raw", *in_pieces("4K"), "-T",
                                   self.path("temporary"), "-o", self.path("out")], stdin=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL) as sort:
                sort.stdin.write(os.urandom(200_000))
                sort.stdin.flush()
                deadline = time.monotonic() + 60
                while not self.nameless_files(sort.pid, "temporary"):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                sort.send_signal(number)
                self.assertEqual(sort.wait(60), -number)
            self.assertEqual(os.listdir(self.path("temporary")), [])
            if number != signal.SIGKILL or self.files_can_be_nameless():
                self.assertEqual(os.listdir(self.folder.name), ["temporary"])

    def test_killed_while_it_merges(self):
        if not self.files_can_be_nameless():
            self.skipTest("no files without names here")
        os.mkdir(self.path("temporary"))
        self.path("in.bin", random.Random(9).randbytes(32 << 20))
        for old in (None, b"precious"):
            if old is not None:
                self.path("out.txt", old)
            before = sorted(os.listdir(self.folder.name))
            for _ in range(10):  # it may have been faster
                with subprocess.Popen([COMMAND, "sort", self.path("in.bin"), "--type", "u64", "--memory", "1M", "--backend", "host", "-T",
                                       self.path("temporary"), "-o", self.path("out.txt")], stderr=subprocess.DEVNULL) as sort:
                    deadline = time.monotonic() + 60
                    while sort.poll() is None and not any(self.nameless_files(sort.pid)):
                        self.assertLess(time.monotonic(), deadline)
                    sort.kill()
                    killed = sort.wait(60) == -signal.SIGKILL
                if killed:
                    break
                os.unlink(self.path("out.txt"))
                if old is not None:
                    self.path("out.txt", old)
            self.assertTrue(killed)
            self.assertEqual(sorted(os.listdir(self.folder.name)), before)
            self.assertEqual(os.listdir(self.path("temporary")), [])
            if old is not None:
                self.assertEqual(self.read("out.txt"), old)


class Resumed(Case):
    """--resume: a sort that is killed goes on behind its last complete run."""

    KEPT = ["sort.journal", "sort.keys", "sort.values"]

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("kept"))

    def kept(self):
        return sorted(os.listdir(self.path("kept")))

    def journal(self):
        return self.read("kept/sort.journal").decode().splitlines()

    def sort(self, *words):
        return ["sort", self.path("in.npy"), "-o", self.path("out.npy"), "--resume", self.path("kept"),
                *([] if "--memory" in words else in_pieces("20K")), *words]

    def kill_after_runs(self, runs, *words):
        """Runs the sort until so many runs are complete, and kills it."""
        process = subprocess.Popen([COMMAND, *map(str, self.sort(*words))], stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None:
                if os.path.exists(self.path("kept/sort.journal")) and len(self.journal()) > runs:
                    process.kill()
        finally:
            process.kill()
            process.wait()
        self.assertEqual(process.returncode, -signal.SIGKILL, "it was done before it could be killed")
        self.assertFalse(os.path.exists(self.path("out.npy")))

    def test_goes_on_after_a_kill(self):
        items = [i % 5000 for i in numbers_of("u32", 300_000)]
        self.path("in.npy", make_npy("u32", items))
        self.path("values.npy", make_npy("u32", range(len(items))))
        order = sorted(range(len(items)), key=lambda i: items[i])
        for words, results in (([], {"out.npy": ("u32", sorted(items))}),
                               (["--verify", "--indices"], {"out.npy": ("i64", order)}),
                               (["--with", self.path("values.npy"), "--verify"],
                                {"out.npy": ("u32", sorted(items)), "out.values.npy": ("u32", order)})):
            with self.subTest(words=words):
                self.kill_after_runs(3, *words)
                self.assertEqual(self.kept(), self.KEPT if len(words) > 0 else self.KEPT[:2])
                before = self.journal()
                self.assertGreater(len(before), 3)
                # A line and a run that a kill has cut off; and what this program adds stands behind what was there.
                with open(self.path("kept/sort.journal"), "ab") as file:
                    file.write(b"12")
                with open(self.path("kept/sort.keys"), "ab") as file:
                    file.write(b"123")
                self.kill_after_runs(len(before) + 2, *words)
                self.assertEqual(self.journal()[:len(before)], before)
                self.good(*self.sort(*words, "--memory", "33K"))  # parts may be of another size
                for name, wanted in results.items():
                    self.assertEqual(parse_npy(self.read(name)), wanted)
                    os.unlink(self.path(name))
                self.assertEqual(self.kept(), [])

    def test_all_runs_are_there(self):
        items = numbers_of("i16", 20_000)
        self.path("in.npy", make_npy("i16", items))
        failed = self.run_command("sort", self.path("in.npy"), "-o", "/dev/full", "--resume", self.path("kept"), *in_pieces("20K"))
        self.assertEqual(failed.returncode, 1, failed.stderr)
        self.assertEqual(sum(map(int, self.journal()[1:])), len(items))
        self.good(*self.sort())
        self.assertEqual((parse_npy(self.read("out.npy")), self.kept()), (("i16", sorted(items)), []))

    def test_what_is_refused(self):
        items = numbers_of("u32", 20_000)
        self.path("in.npy", make_npy("u32", items))
        self.bad(1, "cannot keep sorted runs", *self.sort()[:5], self.path("nowhere"), *in_pieces("20K"))
        self.bad(2, "no regular file", "sort", "--resume", self.path("kept"), stdin=b"1\n")
        self.run_command("sort", self.path("in.npy"), "-o", "/dev/full", "--resume", self.path("kept"), *in_pieces("20K"))
        kept = {name: self.read(f"kept/{name}") for name in self.kept()}
        for words in (["--descending"], ["--indices"], ["--end-bit", 9]):
            self.bad(1, "the runs of another sort", *self.sort(*words))
        with open(self.path("kept/sort.journal"), "rb") as journal:
            fcntl.flock(journal, fcntl.LOCK_EX)
            self.bad(1, "another sort keeps its runs", *self.sort())
        self.path("kept/sort.journal", kept["sort.journal"] + b"x\n")
        self.bad(1, "is damaged", *self.sort())
        self.path("kept/sort.journal", kept["sort.journal"])
        self.path("kept/sort.keys", kept["sort.keys"][:-1])
        self.bad(1, "lacks a part of what it had", *self.sort())
        self.path("kept/sort.keys", kept["sort.keys"])
        self.assertEqual({name: self.read(f"kept/{name}") for name in self.kept()}, kept)
        self.path("in.npy", make_npy("u32", items))  # the same items, but nobody knows
        self.bad(1, "the input has changed since", *self.sort())

    def test_files_of_others_stay(self):
        lines = text_of(numbers_of("i32", 5000))
        words = ["sort", "--resume", self.path("kept"), *in_pieces("20K"), "--format", "text"]
        for name, message in [("sort.keys", "is there already"), ("sort.values", "is there already"), ("sort.journal", "is no journal")]:
            file = self.path(f"kept/{name}", lines)
            for source in (self.path("in.txt", lines), file):
                self.bad(1, message, *words, source, "-o", self.path("out.txt"))
                self.assertEqual((self.kept(), self.read(f"kept/{name}")), ([name], lines))
            os.unlink(file)
            self.bad(2, "has the sorted parts", *words, self.path("in.txt"), "-o", file)
            self.bad(2, "has the sorted parts", *words, self.path("in.txt"), "-o", self.path("out.txt"), "--with", self.path("in.txt"),
                     "--with-output", self.path(f"./kept/{name}"))
            self.assertEqual(self.kept(), [])

    def test_a_title_decides(self):
        items = numbers_of("i32", 20_000)
        words = ["sort", self.path("in.txt", text_of(items)), "--resume", self.path("kept"), *in_pieces("20K"), "-o"]
        self.assertEqual(self.run_command(*words, "/dev/full", "--header").returncode, 1)
        self.bad(1, "the runs of another sort", *words, self.path("out.txt"))
        self.good(*words, self.path("out.txt"), "--header")
        self.assertEqual(self.read("out.txt"), text_of(sorted(items[1:])))

    def test_a_journal_without_runs_is_nobodys(self):
        items = numbers_of("u32", 5000)
        self.path("in.npy", make_npy("u32", items))
        self.path("kept/sort.journal", b"kogge sort 1, of something else\n7")
        self.good(*self.sort())
        self.assertEqual((parse_npy(self.read("out.npy")), self.kept()), (("u32", sorted(items)), []))

    def test_room_that_runs_take_already_is_not_asked_for(self):
        items = numbers_of("u32", 20_000)
        self.path("in.npy", make_npy("u32", items))
        self.run_command("sort", self.path("in.npy"), "-o", "/dev/full", "--resume", self.path("kept"), "--memory", "40K")
        self.assertGreater(len(self.journal()), 3)
        # All runs are there, and are merged at once: the other directory is of no use.
        self.good(*self.sort("--memory", "40K", "-T", self.path("nowhere")))
        self.assertEqual(parse_npy(self.read("out.npy")), ("u32", sorted(items)))

    def test_one_part_keeps_nothing(self):
        self.path("in.npy", make_npy("u32", [3, 1, 2]))
        self.good(*self.sort())
        self.assertEqual((parse_npy(self.read("out.npy")), self.kept()), (("u32", [1, 2, 3]), []))
