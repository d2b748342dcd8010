"""Where results go: modes, links, onto the input, and the progress beside them."""
import os
import pty
import select
import signal
import stat
import subprocess
import time

from command.case import COMMAND, Case


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

    def test_hard_links(self):
        """A result takes the place of one name: a file that is replaced at once cannot keep its other names."""
        self.path("x.txt", b"3\n1\n")
        os.link(self.path("x.txt"), self.path("other"))
        self.good("sort", self.path("x.txt"), "-o", self.path("x.txt"))
        self.assertEqual((self.read("x.txt"), self.read("other")), (b"1\n3\n", b"3\n1\n"))

    def test_owner(self):
        if os.geteuid() != 0:
            self.skipTest("only root gives files to others")
        self.path("x.txt", b"3\n1\n")
        os.chown(self.path("x.txt"), 1234, 2345)
        os.chmod(self.path("x.txt"), 0o640)
        self.good("sort", self.path("x.txt"), "-o", self.path("x.txt"))
        status = os.stat(self.path("x.txt"))
        self.assertEqual((status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)), (1234, 2345, 0o640))

    def test_closed_standard_streams(self):
        """A file that is opened does not take their place: nothing but the result is in it."""
        self.path("in.txt", b"1\n2\n")
        for command in (["sort"], ["sort", "--memory", "1M"], ["unique"], ["top-k", "--smallest"], ["compact", "--where", ">0"]):
            for closed in ((2,), (1, 2), (0, 2), (0, 1, 2)):
                self.good(*command, self.path("in.txt"), "-o", self.path("out.txt"), stdin=None,
                          preexec_fn=lambda closed=closed: [os.close(descriptor) for descriptor in closed])
                self.assertEqual(self.read("out.txt"), b"1\n2\n", (command, closed))
        self.bad(1, "cannot read standard input", "sort", preexec_fn=lambda: os.close(0))
        self.bad(1, "cannot write to standard output", "sort", self.path("in.txt"), preexec_fn=lambda: os.close(1))

    def test_links_to_what_does_not_exist_yet(self):
        os.mkdir(self.path("below"))
        os.symlink("below/first", self.path("link"))
        os.symlink("second", self.path("below/first"))
        self.good("sort", "-o", self.path("link"), stdin=b"4\n3\n")
        self.assertTrue(os.path.islink(self.path("link")) and os.path.islink(self.path("below/first")))
        self.assertEqual(self.read("below/second"), b"3\n4\n")
        os.symlink("round", self.path("round"))
        self.bad(1, "cannot open", "sort", "-o", self.path("round"), stdin=b"4\n3\n")
        self.assertTrue(os.path.islink(self.path("round")))

    def test_standard_output_by_its_path(self):
        with open(self.path("log"), "wb") as log:
            log.write(b"before\n")
            log.flush()
            self.good("sort", "-o", "/dev/stdout", stdin=b"2\n1\n", stdout=log)
            log.write(b"after\n")
        self.assertEqual(self.read("log"), b"before\n1\n2\nafter\n")

    def test_open_descriptors(self):
        read, write = os.pipe()
        for path in (f"/dev/fd/{write}", f"/proc/self/fd/{write}"):
            self.good("sort", "-o", path, stdin=b"2\n1\n", pass_fds=[write])
            self.assertEqual(os.read(read, 100), b"1\n2\n")
        os.close(read)
        done = self.run_command("sort", "-o", f"/dev/fd/{write}", stdin=b"2\n1\n", pass_fds=[write])
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, b""))
        os.close(write)
        # A file goes on where it is, as standard output does.
        with open(self.path("log"), "wb") as log:
            log.write(b"before\n")
            log.flush()
            self.good("sort", "-o", f"/dev/fd/{log.fileno()}", stdin=b"2\n1\n", pass_fds=[log.fileno()])
        self.assertEqual(self.read("log"), b"before\n1\n2\n")
        self.bad(1, "cannot open '/dev/fd/99': Bad file descriptor", "sort", "-o", "/dev/fd/99", stdin=b"1\n")
        with open("/dev/null", "rb") as unwritable:
            self.bad(1, "cannot write to", "sort", "-o", f"/dev/fd/{unwritable.fileno()}", stdin=b"1\n", pass_fds=[unwritable.fileno()])

    def test_process_substitution(self):
        script = '"$0" sort -q -o >(cat > "$1") && wait $!'
        subprocess.run(["bash", "-c", script, COMMAND, self.path("out")], input=b"2\n1\n", check=True, timeout=60)
        self.assertEqual(self.read("out"), b"1\n2\n")

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
