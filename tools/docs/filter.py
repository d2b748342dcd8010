#!/usr/bin/env python3
"""filter.py FILE: a public header as Doxygen should see it, on standard output.

C++: without the inline namespace of the machine, and with what Doxygen would take for commands in comments escaped. C:
comments become Doxygen's, and the headed parts of the header its groups of members.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from comments import doxygen


def filter_cpp(source):
    source = source.replace("::KOGGE_CODE", "")
    source = re.sub(r"(///<?)(.*)", lambda match: match[1] + doxygen(match[2]), source)
    # A number that a line happens to begin with is no list: those are indented.
    return re.sub(r"(/// [0-9]+)\.(?= |$)", r"\1\.", source, flags=re.MULTILINE)


def filter_c(source):
    out, at, has_group = [], source.index("*/") + 2, False
    out.append("\n" * source[:at].count("\n"))
    for match in re.compile(r"/\*(.*?)\*/", re.DOTALL).finditer(source, at):
        out.append(source[at:match.start()])
        at = match.end()
        lines = [re.sub(r"^ ?\*", "", line) for line in match[1].split("\n")]
        heading = re.match(r" ---- (.*?) -+ *$", lines[0])
        text = "\n *".join(doxygen(line) for line in (lines[1:] if heading else lines))
        if heading:
            out.append(f"{'/** @} */ ' if has_group else ''}/** @name {heading[1].capitalize()}\n *{text} */ /** @{{ */")
            has_group = True
        else:
            is_behind = source[:match.start()].rpartition("\n")[2].strip()
            out.append(f"/**{'<' if is_behind else ''}{text}*/")
    tail = source[at:]
    if has_group:
        # The group ends before what closes the header.
        tail = tail.replace("#ifdef __cplusplus", "/** @} */\n#ifdef __cplusplus", 1)
    return "".join(out) + tail


path = pathlib.Path(sys.argv[1])
text = path.read_text()
sys.stdout.write(filter_c(text) if path.suffix == ".h" else filter_cpp(text))
