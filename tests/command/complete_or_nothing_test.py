"""Results are complete or not there at all, whatever ends the program and whatever the system lacks."""
import errno
import os
import resource
import shutil
import signal
import stat
import subprocess
import time

from command.case import COMMAND, in_pieces, make_npy, numbers_of, parse_npy, text_of, Case
from command.system_calls import KILL, calls_are, can_be_refused

NAMED = {"open without a name": errno.EOPNOTSUPP}
# What a system may lack: files without names, and links, by which they get one.
LACKING = [{}, NAMED, {"open without a name": errno.EISDIR}, {"open without a name": errno.ENOENT}, {"link": errno.EPERM}]


class CompleteOrNothing(Case):
    def setUp(self):
        super().setUp()
        self.ways = LACKING if can_be_refused() else [{}]

    def need(self, holds):
        if not holds:
            self.skipTest("not on this system")

    def with_umask(self, mask, *words, **more):
        old = os.umask(mask)
        try:
            self.good(*words, **more)
        finally:
            os.umask(old)

    def mode_of(self, name):
        return stat.S_IMODE(os.stat(self.path(name)).st_mode)

    def test_what_a_system_lacks_makes_no_difference(self):
        for calls in self.ways:
            more = {"preexec_fn": calls_are(calls)} if calls else {}
            with self.subTest(calls=calls):
                self.with_umask(0o027, "sort", "-o", self.path("new"), stdin=b"2\n1\n", **more)
                self.assertEqual((self.read("new"), self.mode_of("new")), (b"1\n2\n", 0o640))
                os.chmod(self.path("new"), 0o604)
                os.symlink("new", self.path("link"))
                self.with_umask(0o027, "sort", "-o", self.path("link"), stdin=b"4\n3\n", **more)
                self.assertEqual((self.read("new"), self.mode_of("new")), (b"3\n4\n", 0o604))
                os.symlink("later", self.path("to what is not there"))
                self.good("sort", "-o", self.path("to what is not there"), stdin=b"6\n5\n", **more)
                self.assertEqual(self.read("later"), b"5\n6\n")
                for link in ("link", "to what is not there"):
                    self.assertTrue(os.path.islink(self.path(link)))
                self.good("sort", "-o", "here", stdin=b"8\n7\n", cwd=self.folder.name, **more)
                self.good("sort", self.path("here"), "-d", "-o", "here", cwd=self.folder.name, **more)
                self.assertEqual(self.read("here"), b"8\n7\n")
                # Two results, of which one replaces its own input; and one whose head is written last.
                items = [i % 100 for i in numbers_of("u32", 5000)]
                for memory in ([], in_pieces("4K")):
                    self.path("values.npy", make_npy("u32", items))
                    self.good("sort", self.path("values.npy"), "-o", self.path("keys.npy"), "--with", self.path("values.npy"),
                              "--with-output", self.path("values.npy"), *memory, **more)
                    for name in ("keys.npy", "values.npy"):
                        self.assertEqual(parse_npy(self.read(name)), ("u32", sorted(items)))
                    self.good("sort", "-u", self.path("values.npy"), "-o", self.path("unique.npy"), *memory, **more)
                    self.assertEqual(parse_npy(self.read("unique.npy")), ("u32", sorted(set(items))))
                made = ["here", "keys.npy", "later", "link", "new", "to what is not there", "unique.npy", "values.npy"]
                self.assertEqual(sorted(os.listdir(self.folder.name)), made)
                for name in made:
                    os.unlink(self.path(name))

    def test_large_results_without_links(self):
        self.need(can_be_refused())
        items = text_of(range(1_000_000))  # of which a copy takes several steps
        self.good("sort", "-o", self.path("out"), stdin=items, preexec_fn=calls_are({"link": errno.EPERM}))
        self.assertEqual(self.read("out"), items)

    def test_no_proc(self):
        program = 'mount -t tmpfs none /proc && exec "$@"'
        hidden = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", program, "sh"]
        self.need(shutil.which("unshare") and subprocess.run([*hidden, "true"], stderr=subprocess.DEVNULL).returncode == 0)
        for _ in range(2):
            subprocess.run([*hidden, COMMAND, "sort", "-q", "-o", self.path("out")], input=b"2\n1\n", check=True, timeout=60)
            self.assertEqual(self.read("out"), b"1\n2\n")
        self.assertEqual(os.listdir(self.folder.name), ["out"])

    def test_temporary_names_that_are_taken(self):
        self.need(self.files_can_be_nameless())

        def take_names():
            for number in range(3):
                self.path(f".kogge-{os.getpid()}-{number}", b"another's")

        self.path("out", b"old")
        self.good("sort", "-o", self.path("out"), stdin=b"2\n1\n", preexec_fn=take_names)
        names = sorted(os.listdir(self.folder.name))
        self.assertEqual((len(names), self.read("out")), (4, b"1\n2\n"))
        for name in names[:3]:
            self.assertEqual(self.read(name), b"another's")

    def test_faults(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))

        numbers = text_of(range(100_000))
        self.path("old", b"precious")
        for calls in self.ways:
            def limited(calls=calls):
                limit()
                if calls:
                    calls_are(calls)()

            for name in ("old", "new"):
                self.bad(1, "File too large", "sort", "-o", self.path(name), stdin=numbers, preexec_fn=limited)
                self.bad(1, "cannot create", "sort", "-o", self.path("no/such/folder/" + name), stdin=b"1\n", preexec_fn=limited)
        self.assertEqual(self.read("old"), b"precious")
        self.need(can_be_refused())
        for calls, message, names in [
            ({"rename": errno.EPERM}, "Operation not permitted", ["old"]),
            ({**NAMED, "rename": errno.EPERM}, "Operation not permitted", ["old", "new"]),
            ({**NAMED, "open a new file": errno.ENOSPC}, "No space left", ["old", "new"]),
            ({"link": errno.ENOSPC, "open a new file": errno.ENOSPC}, "No space left", ["old", "new"]),
            ({"link": errno.EPERM, "rename": errno.EPERM}, "Operation not permitted", ["old", "new"]),
        ]:
            for name in names:
                self.bad(1, f"cannot create '{self.path(name)}': {message}", "sort", "-o", self.path(name), stdin=numbers,
                         preexec_fn=calls_are(calls))
        self.assertEqual(self.read("old"), b"precious")

    def test_signals_leave_nothing(self):
        # Several times: some hit the moment at which a temporary file has just been created.
        for calls in [{}, NAMED] if can_be_refused() else [{}]:
            more = {"preexec_fn": calls_are(calls)} if calls else {}
            nameless = not calls and self.files_can_be_nameless()
            for number in 10 * [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] + [signal.SIGKILL] * nameless:
                os.mkfifo(self.path("values"))
                self.path("keys.txt", b"2\n1\n")
                self.path("out.txt", b"precious")
                # The keys' file is there while the values wait for a reader of theirs.
                with subprocess.Popen([COMMAND, "sort", self.path("keys.txt"), "-o", self.path("out.txt"), "--with", self.path("keys.txt"),
                                       "--with-output", self.path("values")], stderr=subprocess.DEVNULL, **more) as sort:
                    deadline = time.monotonic() + 60
                    while not (self.nameless_files(sort.pid) if nameless else self.temporary_names()):
                        self.assertLess(time.monotonic(), deadline)
                    self.assertEqual(bool(self.temporary_names()), not nameless)
                    sort.send_signal(number)
                    self.assertEqual(sort.wait(60), -number)
                os.unlink(self.path("values"))
                self.assertEqual(sorted(os.listdir(self.folder.name)), ["keys.txt", "out.txt"])
                self.assertEqual(self.read("out.txt"), b"precious")

    def temporary_names(self):
        return [name for name in os.listdir(self.folder.name) if name.startswith(".kogge-")]

    def killed(self, call, *words):
        done = self.run_command("sort", self.path("in.npy"), "-o", self.path("out.npy"), *words, preexec_fn=calls_are({call: KILL}))
        self.assertEqual(done.returncode, -signal.SIGSYS, done.stderr)

    def test_killed_at_the_end(self):
        self.need(can_be_refused() and self.files_can_be_nameless())
        self.path("in.npy", make_npy("u32", numbers_of("u32", 5000)))
        for memory in ([], in_pieces("4K")):
            self.killed("link", *memory)
            self.assertEqual(os.listdir(self.folder.name), ["in.npy"])
        # All of it is written, except how many items it has.
        self.killed("write somewhere", "--unique", *in_pieces("4K"))
        self.assertEqual(os.listdir(self.folder.name), ["in.npy"])
        # A new name is the result's own; one that is there is replaced by a complete file.
        self.good("sort", self.path("in.npy"), "-o", self.path("wanted"), "--format", "npy", preexec_fn=calls_are({"rename": KILL}))
        self.path("out.npy", b"precious")
        os.chmod(self.path("out.npy"), 0o604)
        self.killed("link")
        self.killed("write somewhere", "--unique", *in_pieces("4K"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["in.npy", "out.npy", "wanted"])
        self.killed("rename")
        self.assertEqual((self.read("out.npy"), self.mode_of("out.npy")), (b"precious", 0o604))
        left, = self.temporary_names()
        self.assertEqual((self.read(left), self.mode_of(left)), (self.read("wanted"), 0o604))
