"""kogge info, bench and demo."""
import os

from command.case import COMMAND, TYPES, Case


class Info(Case):
    def test_machine(self):
        text = self.good("info").stdout.decode()
        for word in ("kogge ", "compiler ", "host ", "device ", "plain numbers "):
            self.assertIn(word, text)

    def test_threads_follow_the_affinity_mask(self):
        one = min(os.sched_getaffinity(0))
        text = self.good("info", preexec_fn=lambda: os.sched_setaffinity(0, {one})).stdout.decode()
        self.assertIn("host         1 thread, ", text)
        sorted_by = self.good("sort", "--backend", "host", stdin=b"1\n", preexec_fn=lambda: os.sched_setaffinity(0, {one})).stderr
        self.assertIn(b"host, 1 thread)", sorted_by)

    def test_plans(self):
        for plan in ("sort", "compact", "scan"):
            for name in TYPES:
                text = self.good("info", "--plan", plan, "--type", name, "--n", "2^28", "--device-like", "h200").stdout.decode()
                self.assertIn(f"{plan} of 268,435,456 {name}", text)
                self.assertIn("device       H200\n", text)
                self.assertRegex(text, r"\d+ bytes of scratch")
        with_values = self.good("info", "--plan", "sort", "--with", "u64", "--device-like", "h200").stdout
        without = self.good("info", "--plan", "sort", "--device-like", "h200").stdout
        self.assertIn(b"with u64 values", with_values)
        self.assertNotEqual(with_values.splitlines()[2], without.splitlines()[2])

    def test_cards_that_are_not_here(self):
        measured = self.good("info", "--device-like", "H200").stdout.decode()
        self.assertIn("limits       of plans: measured on such a card\n", measured)
        for name, told in ("a100", "A100: sm_80, 108 "), ("RTX 4090", "RTX 4090: sm_89, 128 "), ("sm_120", "RTX 5090: sm_120, 170 "):
            text = self.good("info", "--device-like", name).stdout.decode()
            self.assertIn("device       " + told, text)
            self.assertIn("derived from those measured on NVIDIA H200, ", text)
        plans = {name: self.good("info", "--plan", "scan", "--device-like", name).stdout.decode() for name in ("T4", "B200")}
        for name, text in plans.items():
            self.assertIn(f"device       {name}\n", text)
            self.assertIn("limits       of plans: derived from ", text)
        self.assertNotEqual(plans["T4"].splitlines()[2], plans["B200"].splitlines()[2])

    def test_plans_within_a_limit(self):
        plan = ("info", "--plan", "sort", "--device-like", "h200")
        self.assertIn(b"resident_sort", self.good(*plan, "--n", "2^14").stdout)
        least = self.good(*plan, "--n", "2^14", "--scratch-limit", 0).stdout
        self.assertIn(b"block_sort", least)
        self.assertIn(b", 0 bytes of scratch\n", least)
        self.bad(1, "bytes of scratch are needed, but exec.scratch_limit is 1024", *plan, "--scratch-limit", 1024)

    def test_numbers_of_items(self):
        plan = ("info", "--plan", "sort", "--device-like", "h200", "--n")
        wanted = self.good(*plan, "1000000").stdout
        for same in ("1e6", "1e+6", "10e5", "1000000e0"):
            self.assertEqual(self.good(*plan, same).stdout, wanted)
        for word in ("1e", "e6", "1e20", "2e19", "1.5e3", "2^64", "2^", ""):
            self.bad(2, f"'{word}' is no number of items, such as 1000000, 1e6 or 2^20", *plan, word)


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
