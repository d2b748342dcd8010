"""Programs to which the system refuses some calls, as some systems do, or which it kills at one: by seccomp."""
import ctypes
import os
import platform
import resource
import struct
import subprocess

# Their numbers, and the flags that tell one kind of open from another.
NUMBERS = {
    "x86_64": {"open": [257], "link": [86, 265], "rename": [82, 264, 316], "write somewhere": [18]},
    "aarch64": {"open": [56], "link": [37], "rename": [38, 276], "write somewhere": [68]},
}
OPEN_FLAGS = {"open without a name": 0o20000000, "open a new file": os.O_EXCL}

KILL = 0x80000000
LOAD, IF_EQUAL, IF_ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, FLAGS = 0, 32  # offsets of a call's number, and of the lower half of its third argument
SET_NO_NEW_PRIVILEGES, SET_SECCOMP, BY_FILTER = 38, 22, 2


class Filter(ctypes.Structure):
    _fields_ = [("steps", ctypes.c_ushort), ("program", ctypes.c_char_p)]


def calls_are(fates):
    """For preexec_fn: of each kind of call ("link") the errno that it fails with, or KILL."""
    program = []

    def step(code, operand, if_so=0, otherwise=0):
        program.append(struct.pack("=HBBI", code, if_so, otherwise, operand))

    numbers = NUMBERS[platform.machine()]
    for kind, fate in fates.items():
        for number in numbers["open" if kind in OPEN_FLAGS else kind]:
            step(LOAD, NUMBER)
            step(IF_EQUAL, number, 0, 3 if kind in OPEN_FLAGS else 1)
            if kind in OPEN_FLAGS:
                step(LOAD, FLAGS)
                step(IF_ANY_BIT, OPEN_FLAGS[kind], 0, 1)
            step(RETURN, fate if fate == KILL else 0x00050000 | fate)
    step(RETURN, 0x7FFF0000)
    filters = Filter(len(program), b"".join(program))
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def set_them():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0 or prctl(SET_SECCOMP, BY_FILTER, ctypes.byref(filters), 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "seccomp")

    return set_them


def can_be_refused():
    """Whether this machine has what calls_are needs."""
    if platform.machine() not in NUMBERS:
        return False
    try:
        return subprocess.run(["true"], preexec_fn=calls_are({}), timeout=60).returncode == 0
    except subprocess.SubprocessError:
        return False
