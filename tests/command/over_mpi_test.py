"""mpirun -n N kogge sort: the same files as one process writes."""
import os
import shutil
import subprocess

from command.case import COMMAND, TYPES, make_npy, numbers_of, pack, Case


class OverMpi(Case):
    def ranks(self, number, *words):
        return subprocess.run(["mpirun", "-n", str(number), COMMAND, *map(str, words)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)

    def same_as_one(self, number, source, *words, out="out.npy", verify=("--verify",)):
        self.good("sort", self.path(source), "-o", self.path("one-" + out), "-q", *words)
        done = self.ranks(number, "sort", self.path(source), "-o", self.path(out), *words, *verify)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read(out), self.read("one-" + out), (number, source, words))
        return done

    def refused(self, message, *words, number=2):
        before = sorted(os.listdir(self.folder.name))
        done = self.ranks(number, *words)
        stderr = done.stderr.decode()
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(stderr.count("kogge: "), 1, stderr)  # not once for each process
        self.assertIn(message, stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before, f"{words} left a file behind")

    def test_every_type(self):
        for name in TYPES:
            self.path("in.npy", make_npy(name, numbers_of(name, 5000)))
            self.same_as_one(2, "in.npy")
        self.same_as_one(3, "in.npy", "--indices", "--descending", verify=())

    def test_few_keys_for_many_ranks(self):
        for n in (0, 1, 3, 4, 5):
            self.path("in.npy", make_npy("i32", numbers_of("i32", n)))
            self.same_as_one(4, "in.npy")

    def test_equal_keys_and_orders(self):
        self.path("one.npy", make_npy("u16", [7] * 5000))
        self.path("some.npy", make_npy("u16", [i % 3 for i in range(5000)]))
        for source in ("one.npy", "some.npy"):
            self.same_as_one(4, source, "--indices", verify=())
            self.same_as_one(4, source, "--descending")
        nan = float("nan")
        self.path("nans.npy", make_npy("f32", [nan, -nan, 0.0, -0.0, 1.5, -2.5] * 500))
        for words in (["--nan", "last"], ["--zeros", "equal"], ["--nan", "greatest", "-d"]):
            self.same_as_one(3, "nans.npy", *words)
            self.same_as_one(3, "nans.npy", "--indices", *words, verify=())
        self.path("bits.npy", make_npy("u32", numbers_of("u32", 5000)))
        self.same_as_one(3, "bits.npy", "--begin-bit", 3, "--end-bit", 9)

    def test_formats_and_report(self):
        items = numbers_of("i64", 5000)
        self.path("in.bin", pack("i64", items))
        self.same_as_one(2, "in.bin", "--type", "i64", out="out.npy")
        done = self.same_as_one(2, "in.bin", "--type", "i64", out="out.bin")
        self.assertRegex(done.stderr.decode(), r"^sorted 5,000 i64 in .*, 2 processes\), verified\n$")
        self.path("big_endian.npy", make_npy("i64", [], descr="'>i8'", shape="(5000,)") + b"".join(
            i.to_bytes(8, "big", signed=True) for i in items))
        self.same_as_one(3, "big_endian.npy")

    def test_onto_the_input(self):
        self.path("in.npy", make_npy("u32", numbers_of("u32", 5000)))
        self.good("sort", self.path("in.npy"), "-o", self.path("one.npy"))
        self.assertEqual(self.ranks(3, "sort", self.path("in.npy"), "-o", self.path("in.npy")).returncode, 0)
        self.assertEqual(self.read("in.npy"), self.read("one.npy"))

    def test_what_is_refused(self):
        source, out = self.path("in.npy", make_npy("u32", range(100))), self.path("out.npy")
        for option in (["--unique"], ["--count"], ["--memory", "1M"], ["--with", source]):
            self.refused(option[0] + " is for one process", "sort", source, "-o", out, *option)
        self.refused("--verify of --indices is for one process", "sort", source, "-o", out, "--indices", "--verify")
        self.refused("several processes sort on the host", "sort", source, "-o", out, "--backend", "device")
        self.refused("read and write files", "sort", source)
        self.refused("read and write files", "sort", "-o", out)
        self.refused("read and write .npy and raw files", "sort", self.path("in.txt", b"2\n1\n"), "-o", out)
        self.refused("read and write .npy and raw files", "sort", source, "-o", self.path("out.txt"))
        self.refused("--end-bit is 33, and keys of type u32 have 32 bits", "sort", source, "-o", out, "--end-bit", 33)
        self.refused("ends with '.npz'", "sort", source, "-o", self.path("out.npz"))
        self.refused("was not expected", "sort", source, "-o", out, "--bogus")

    def test_faults(self):
        out = self.path("out.npy")
        self.refused("No such file", "sort", self.path("absent.npy"), "-o", out)
        self.refused("is truncated", "sort", self.path("short.npy", make_npy("u32", range(100))[:-1]), "-o", out)
        self.refused("goes on after", "sort", self.path("long.npy", make_npy("u32", range(100)) + b"1"), "-o", out)
        self.refused("cannot create", "sort", self.path("in.npy", make_npy("u32", range(100))), "-o", self.path("no/such/out.npy"))
        self.path("old.npy", b"precious")
        self.refused("is truncated", "sort", self.path("short.npy"), "-o", self.path("old.npy"))
        self.assertEqual(self.read("old.npy"), b"precious")

    def test_what_is_for_each_process(self):
        # A program that a rank starts inherits the variables, and is none of the ranks; nor do other calls share work.
        done = self.good("sort", stdin=b"2\n1\n", env={**os.environ, "OMPI_COMM_WORLD_SIZE": "2"})
        self.assertEqual(done.stdout, b"1\n2\n")
        self.path("in.txt", b"2\n1\n")
        done = subprocess.run(["mpirun", "-n", "2", "sh", "-c", f"{COMMAND} sort {self.path('in.txt')} -q; true"],
                              stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual(done.stdout, b"1\n2\n1\n2\n")
        self.assertEqual(self.ranks(2, "scan", self.path("in.txt"), "-q").stdout, b"2\n3\n2\n3\n")

    def test_without_the_other_program(self):
        alone = shutil.copy(COMMAND, self.path("kogge"))
        done = subprocess.run(["mpirun", "-n", "2", alone, "sort"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"kogge: mpirun has started several processes, and '.*/kogge-mpi' does not start")
