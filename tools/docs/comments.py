"""How the headers' comments are read: the head of a header, and text as Doxygen and reStructuredText take it."""

import re

EDGE = "\0"


def head(source):
    """The lines of the comment that a header begins with, without its marks."""
    lines = []
    if source.startswith("/*"):
        for line in source[2:source.index("*/")].splitlines():
            lines.append(re.sub(r"^ ?\*? ?", "", line, count=1).rstrip())
        while lines and not lines[-1]:
            lines.pop()
        return lines
    for line in source.splitlines():
        if not line.startswith("//") or line.startswith("///"):
            break
        lines.append(re.sub(r"^// ?", "", line).rstrip())
    return lines


def in_words(text, escape):
    """The text with `escape` applied to all that stands between code spans, which are kept."""
    parts = text.split("`")
    return [escape(part) if i % 2 == 0 else part for i, part in enumerate(parts)]


def code(text):
    """A code span. Its marks end where join() sees that a letter would follow, or precede, at once."""
    return f"{EDGE}``{text}``{EDGE}"


def join(words):
    """Text out of words and code spans."""
    text = re.sub(r"\s+", " ", "".join(words)).strip()
    text = re.sub(rf"(^|[\s(\[{{'\"]){EDGE}", r"\1", text)
    text = re.sub(rf"{EDGE}($|[\s.,;:!?)\]}}'\"-])", r"\1", text)
    return text.replace(EDGE, r"\ ")


def escaped(text):
    parts = in_words(text, lambda words: re.sub(r"([\\*_|])", r"\\\1", words))
    return "".join(part if i % 2 == 0 else code(part) for i, part in enumerate(parts))


def rst(text):
    return join([escaped(text)])


def doxygen(text):
    def escape(words):
        words = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return re.sub(r"([\\@#*])", r"\\\1", words)

    return "`".join(in_words(text, escape))


def head_to_rst(lines):
    """Paragraphs, code that is indented by four, and rows of a term and what holds for it: `  term   text`."""
    out, i = [], 0
    while i < len(lines):
        line = lines[i]
        if not line:
            out.append("")
            i += 1
        elif line.startswith("    "):
            out += ["", ".. code-block:: cpp", ""]
            while i < len(lines) and (not lines[i] or lines[i].startswith("    ")):
                out.append(lines[i])
                i += 1
            out.append("")
        elif line.startswith("  "):
            out.append("")
            while i < len(lines) and lines[i].startswith("  "):
                term, _, text = re.sub(r"  +", "\0", lines[i].strip(), count=1).partition("\0")
                if not text and re.fullmatch(r"[^,] ", lines[i][13:15]):  # a term that fills its column
                    term, text = lines[i][2:14], lines[i][15:]
                row = [text]
                i += 1
                while i < len(lines) and lines[i].startswith("    "):
                    row.append(lines[i].strip())
                    i += 1
                out += [f"{rst(term)}", "    " + rst(" ".join(filter(None, row)))]
            out.append("")
        elif i + 1 < len(lines) and re.match(r"  \S", lines[i + 1]) and len(line) < 40 and not line.endswith("."):
            out += ["", f".. rubric:: {rst(line)}", ""]
            i += 1
        else:
            text = []
            while i < len(lines) and lines[i] and not lines[i].startswith("  "):
                text.append(lines[i])
                i += 1
            out += ["", rst(" ".join(text)), ""]
    return out
