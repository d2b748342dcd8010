"""What the tests of the kogge command share: numbers, files of them, and runs of the program."""
import math
import os
import random
import struct
import subprocess
import tempfile
import unittest

COMMAND = os.environ["KOGGE_COMMAND"]
IS_EMULATED = b"emulated: " in subprocess.run([COMMAND, "info"], stdout=subprocess.PIPE, check=True).stdout

# name: (npy code, struct code, bytes)
TYPES = {
    "u8": ("|u1", "B", 1), "i8": ("|i1", "b", 1), "u16": ("<u2", "H", 2), "i16": ("<i2", "h", 2),
    "u32": ("<u4", "I", 4), "i32": ("<i4", "i", 4), "u64": ("<u8", "Q", 8), "i64": ("<i8", "q", 8),
    "f16": ("<f2", "e", 2), "f32": ("<f4", "f", 4), "f64": ("<f8", "d", 8), "bool": ("|b1", "B", 1),
}
FLOATS = ("f16", "f32", "f64")


def on_host_alone(test):
    """Of a long test whose runs all say --backend host: it runs with one of the two programs."""
    return unittest.skipIf(IS_EMULATED, "the program without an emulated device has it")(test)


def pack(name, items):
    return struct.pack(f"<{len(items)}{TYPES[name][1]}", *items)


def unpack(name, data):
    _, code, size = TYPES[name]
    assert len(data) % size == 0
    return list(struct.unpack(f"<{len(data) // size}{code}", data))


def make_npy(name, items, version=(1, 0), descr=None, shape=None, order=False):
    shape = f"({len(items)},)" if shape is None else shape
    text = f"{{'descr': {descr or repr(TYPES[name][0])}, 'fortran_order': {order}, 'shape': {shape}, }}"
    prefix = 10 if version[0] == 1 else 12
    text += " " * (-(prefix + len(text) + 1) % 64) + "\n"
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + length + text.encode() + pack(name, items)


def parse_npy(data):
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:16]
    end = 10 + struct.unpack("<H", data[8:10])[0]
    assert end % 64 == 0 and data[end - 1 : end] == b"\n"
    header = eval(data[10:end].decode(), {"__builtins__": {}})  # a literal of our own making
    name = next(n for n, t in TYPES.items() if t[0] == header["descr"])
    items = unpack(name, data[end:])
    assert header["shape"] == (len(items),) and header["fortran_order"] is False
    return name, items


def text_of(items):
    return "".join(f"{i}\n" for i in items).encode()


def in_pieces(memory):
    """Options for pieces of so much memory; where these are very many, an emulated device would take long."""
    return ["--memory", memory, *(["--backend", "host"] if memory in ("1", "8", "300") else [])]


def numbers_of(name, n, seed=1):
    """Random numbers over the whole range of a type, with ties and, for floats, zeros and infinities."""
    r = random.Random(f"{name} {n} {seed}")
    if name == "bool":
        return [r.randrange(2) for _ in range(n)]
    if name in FLOATS:
        some = [0.0, -0.0, 1.5, -1.5, 1e-4, math.inf, -math.inf, 60000.0]
        raw = [r.choice(some) if r.random() < 0.2 else r.uniform(-1000, 1000) for _ in range(n)]
        return unpack(name, pack(name, raw))
    bits = 8 * TYPES[name][2]
    low = -(1 << (bits - 1)) if name[0] == "i" else 0
    return [low + (r.getrandbits(bits) & r.getrandbits(bits)) for _ in range(n)]


def place_of(name, item):
    """A number whose order is IEEE 754's total order, or the integers' own."""
    if name not in FLOATS:
        return item
    size = TYPES[name][2]
    bits = int.from_bytes(pack(name, [item]), "little")
    sign = 1 << (8 * size - 1)
    return -(bits - sign) - 1 if bits & sign else bits


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kogge-test-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name, data=None):
        path = os.path.join(self.folder.name, name)
        if data is not None:
            with open(path, "wb") as file:
                file.write(data)
        return path

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def files_can_be_nameless(self):
        try:
            os.close(os.open(self.folder.name, os.O_TMPFILE | os.O_RDWR))
        except OSError:
            return False
        return True

    def nameless_files(self, process, folder=""):
        """The sizes of those that a process has open in the folder."""
        sizes = []
        for descriptor in os.listdir(f"/proc/{process}/fd"):
            file = f"/proc/{process}/fd/{descriptor}"
            try:
                path, size = os.readlink(file), os.stat(file).st_size
            except FileNotFoundError:
                continue  # closed meanwhile
            if os.path.dirname(path) == os.path.realpath(self.path(folder).rstrip("/")) and path.endswith(" (deleted)"):
                sizes.append(size)
        return sizes

    def run_command(self, *words, stdin=b"", **more):
        more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 300, **more}
        if "input" not in more and not hasattr(stdin, "fileno"):
            more["input"] = stdin
        elif "input" not in more:
            more["stdin"] = stdin
        return subprocess.run([COMMAND, *map(str, words)], **more)

    def good(self, *words, **more):
        done = self.run_command(*words, **more)
        self.assertEqual(done.returncode, 0, (words, done.stderr))
        return done

    def bad(self, code, message, *words, **more):
        """Fails with that exit code, says so in one line that begins with kogge:, and writes nothing."""
        before = sorted(os.listdir(self.folder.name))
        done = self.run_command(*words, **more)
        stderr = done.stderr.decode()
        self.assertEqual(done.returncode, code, (words, stderr))
        lines = stderr.splitlines()
        self.assertRegex(lines[0], "^kogge: ", stderr)
        self.assertIn(message, lines[0])
        self.assertLessEqual(len(lines), 2, stderr)
        if len(lines) == 2:
            self.assertRegex(lines[1], "^  hint: ")
        if done.stdout:
            self.fail(f"{words} wrote {done.stdout[:80]} to standard output")
        self.assertEqual(sorted(os.listdir(self.folder.name)), before, f"{words} left a file behind")
        return stderr
