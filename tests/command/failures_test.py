"""Wrong usage, missing files, full disks, limits, signals: one line that says so, and nothing left behind."""
import os
import pty
import re
import resource
import signal
import subprocess

from command.case import COMMAND, make_npy, text_of, Case


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
            ("--begin-bit 5 is above --end-bit 3", ["sort", "--begin-bit", "5", "--end-bit", "3"]),
            ("--with excludes --indices", ["sort", "--indices", "--with", "x"]),
            ("--with-output requires --with", ["sort", "--with-output", "x"]),
            ("standard output takes only one", ["sort", "-", "--with", "x"]),
            ("cannot both come from standard input", ["sort", "-", "--with", "-", "-o", "x"]),
            ("--output: '' is no file", ["sort", "-", "-o", ""]),
            ("--output: '' is no file", ["compact", "-", "--where", ">1", "-o", ""]),
            ("--device-like: '' is no card", ["info", "--device-like", ""]),
            ("--programs: '' is no folder", ["bench", "sort", "--programs", ""]),
            ("'64X' is no number of bytes", ["info", "--plan", "sort", "--scratch-limit", "64X"]),
            ("'/dev/null' takes only one", ["sort", "-", "--with", "x", "-o", "/dev/null"]),
            ("--with: '' is no file", ["sort", "-", "--with", "", "-o", "x"]),
            ("--with-output: '' is no file", ["sort", "-", "--with", "x", "--with-output", ""]),
            ("--init: '' is no number", ["scan", "--init", ""]),
            ("--n requires --plan", ["info", "--n", "5"]),
            ("--with is for the plan of a sort", ["info", "--plan", "compact", "--with", "u32"]),
            ("--scratch-limit is for the plan of a sort", ["info", "--plan", "scan", "--scratch-limit", "0"]),
            ("--plan", ["info", "--plan", "dance"]),
            ("'1e' is no number of items", ["info", "--plan", "sort", "--n", "1e"]),
            ("'-1' is no number of items", ["info", "--plan", "scan", "--n", "-1"]),
            ("'2^64' is no number of items", ["info", "--plan", "sort", "--n", "2^64"]),
            ("9223372036854775808 items of 4 bytes are more than memory can hold", ["info", "--plan", "sort", "--n", "2^63"]),
            ("'sorte'", ["help", "sorte"]),
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
        for words in (["--help"], ["sort", "--help"], ["compact", "--help"], ["scan", "--help"], ["top-k", "--help"], ["unique", "--help"],
                      ["histogram", "--help"], ["info", "--help"], ["demo", "--help"],
                      ["bench", "--help"], ["bench", "sort", "--help"]):
            self.assertIn(b"Usage: kogge", self.good(*words).stdout)
        self.assertEqual(self.good("help").stdout, self.good("--help").stdout)
        self.assertEqual(self.good("help", "bench", "sort").stdout, self.good("bench", "sort", "--help").stdout)
        self.assertRegex(self.good("--version").stdout, rb"^kogge \d+\.\d+\.\d+\n$")

    def test_manual_page(self):
        page = self.good("--man").stdout.decode()
        self.assertRegex(page, r"^\.TH KOGGE 1 ")
        told = page.replace("\\-", "-")
        for line in (".B kogge sort\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]\n", ".B kogge info\n[\\fIOPTION\\fR]...\n",
                     ".B kogge bench\n[\\fIOPTION\\fR]... \\fICALL\\fR\n"):
            self.assertIn(line, told)
        for words in (["sort"], ["compact"], ["scan"], ["top-k"], ["unique"], ["histogram"], ["info"], ["demo"], ["bench", "sort"], ["bench", "split"]):
            self.assertIn(f"\n.SS {' '.join(words)}\n", told)
            for option in re.findall(r"--[a-z-]+", self.good(*words, "--help").stdout.decode()):
                self.assertIn(option, told)
        for line in page.splitlines():
            self.assertNotRegex(line, r"^'|^\.(?!TH |SH |SS |TP$|PP$|EX$|EE$|B |br$)")

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
        self.bad(1, "of temporary files, and", "sort", self.path("huge.npy"), "-o", self.path("out.npy"), "-T", "/dev/shm")
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

    def test_ignored_signals_stay_ignored(self):
        with subprocess.Popen([COMMAND, "sort", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as sort:
            # Once it has read more than a pipe holds, it runs.
            sort.stdin.write(b"1\n" * 100_000)
            sort.stdin.flush()
            sort.send_signal(signal.SIGHUP)
            out, _ = sort.communicate(timeout=60)
        self.assertEqual((sort.returncode, len(out)), (0, 200_000))
