#!/usr/bin/env python3
"""site.py OUT: the documentation site in OUT/html. `tools/dev docs` calls it in an environment that has Sphinx. With
--pages it ends before Sphinx, with the pages in OUT/source.

Pages: one per public header, with its head as text and what it declares by Doxygen's XML; kogge.h; the Python package,
of its stubs and docstrings; and the Markdown pages of the tree, in their folders. Ends with 1 if Doxygen or Sphinx warns.
"""

import ast
import os
import pathlib
import re
import shutil
import subprocess
import sys

from comments import head, head_to_rst
from declarations import Declarations

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "kogge"
# Headers that describe calls and hold none; all other public ones are calls.
VOCABULARY = "arrays buffer error exec keys networks operators traits".split()
# Programs that are shown below the C interface, by their language.
EXAMPLES = {"tests/c/hello.c": "c", "tests/examples/strongest.c": "c", "tests/examples/host.rs": "rust",
            "tests/examples/host.go": "go"}
MAINTAINERS = [
    "include/kogge/README.md", "include/kogge/sort/README.md", "include/kogge/pass/README.md",
    "include/kogge/histogram/README.md", "include/kogge/top_k/README.md", "lib/c/README.md", "tests/README.md",
    "lib/emulator/README.md", "bench/README.md", "bench/MEASURING.md", "tools/README.md",
    "tools/packaging/README.md",
]


def version():
    return re.search(r"project\(kogge VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def public_headers():
    """By section: the headers that kogge.hpp includes, those of the plans and of the types, and those beside it."""
    names = re.findall(r'#include "kogge/(.*?)"', (INCLUDE / "kogge.hpp").read_text())
    sections = {"calls": [], "vocabulary": [], "plans": []}
    for name in names:
        if name.startswith("plan"):
            sections["plans"].append(name)
        elif name.startswith("types/") or pathlib.Path(name).stem in VOCABULARY:
            sections["vocabulary"].append(name)
        else:
            sections["calls"].append(name)
    for folder, section in (("plan", "plans"), ("types", "vocabulary")):
        for path in sorted((INCLUDE / folder).rglob("*.hpp")):
            name = str(path.relative_to(INCLUDE))
            if name not in sections[section]:
                sections[section].append(name)
    for folder in ("out_of_core", "distributed"):
        sections[folder] = [str(path.relative_to(INCLUDE)) for path in (INCLUDE / folder).glob("*.hpp")]
    for headers in sections.values():
        headers.sort(key=page_of)
    return sections


def page_of(name):
    """The header's name; in a folder of plan/ and the like, which may repeat names, after the folder's."""
    path = pathlib.Path(name)
    return "_".join([*path.parent.parts[1:], path.stem])


def title_of(name):
    words = page_of(name).replace("_", " ").replace("top k", "top-k")
    return words.upper() if words in ("mpi", "nccl") else words.capitalize()


def heading(text, mark="="):
    return [text, mark * (len(text) + 2), ""]


class Site:
    def __init__(self, out):
        self.out, self.source = out, out / "source"
        self.pages_of_files = dict.fromkeys(["include/kogge/kogge.h", *EXAMPLES], "c.rst")
        shutil.rmtree(self.source, ignore_errors=True)
        self.source.mkdir(parents=True)

    def write(self, name, lines):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines) + "\n")

    # ---- C++ and C ---------------------------------------------------------------------------------------------------

    def write_headers(self, sections):
        titles = {"calls": "Calls", "vocabulary": "Types and options", "plans": "Plans",
                  "out_of_core": "Arrays larger than a GPU", "distributed": "Arrays of several ranks"}
        declarations = Declarations(self.out / "xml", ROOT / "include")
        for section, headers in sections.items():
            pages = ["/include/kogge/distributed/README"] if section == "distributed" else []
            for name in headers:
                reference = declarations.rst(f"kogge/{name}")
                if not reference and section in ("out_of_core", "distributed"):
                    continue  # the library's own
                page = f"cpp/{section}/{page_of(name)}"
                pages.append("/" + page)
                lines = heading(title_of(name)) + [f"``#include <kogge/{name}>``", ""]
                lines += head_to_rst(head((INCLUDE / name).read_text()))
                if reference:
                    lines += heading("Reference", "-") + reference
                self.pages_of_files[f"include/kogge/{name}"] = page + ".rst"
                self.write(page + ".rst", lines)
            self.write(f"cpp/{section}.rst", heading(titles[section]) + toctree(pages))
        self.write("cpp/index.rst", heading("C++") + [
            "``#include <kogge/kogge.hpp>`` brings all calls, types and plans; the other pages name their headers. "
            ":doc:`/include/kogge/CALLS` has one line per call.", "",
        ] + toctree([f"/cpp/{section}" for section in sections] + ["/include/kogge/CALLS"], depth=2))
        header = INCLUDE / "kogge.h"
        lines = heading("C") + ["``#include <kogge/kogge.h>``, ``-lkogge``", ""]
        lines += head_to_rst(head(header.read_text())) + declarations.rst("kogge/kogge.h")
        lines += heading("Examples", "~")
        for path, language in EXAMPLES.items():
            lines += [f"``{path}``", "", f".. code-block:: {language}", ""] + indented((ROOT / path).read_text())
        self.write("c.rst", lines)

    # ---- Python ------------------------------------------------------------------------------------------------------

    def write_python(self):
        package = ROOT / "tools" / "python" / "src" / "kogge"
        docstrings = {}
        for path in sorted(package.glob("*.py")):
            for node in ast.parse(path.read_text()).body:
                if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                    docstrings.setdefault(node.name, ast.get_docstring(node))
        lines = [".. py:module:: kogge", ""] + heading("Functions of the package")
        lines += [ast.get_docstring(ast.parse((package / "__init__.py").read_text())), ""]
        functions, classes = {}, []
        for node in ast.parse((package / "__init__.pyi").read_text()).body:
            if isinstance(node, ast.FunctionDef):
                functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                classes.append(node)
        for name, forms in functions.items():
            signatures = [f"{name}({ast.unparse(form.args)}) -> {ast.unparse(form.returns)}" for form in forms]
            lines += [".. py:function:: " + ("\n" + " " * 17).join(signatures), ""]
            lines += indented(docstrings.get(name, ""))
        for node in classes:
            lines += [f".. py:class:: {node.name}", ""] + indented(docstrings.get(node.name, ""))
            for field in node.body:
                if isinstance(field, ast.AnnAssign):
                    lines += indented(f".. py:attribute:: {field.target.id}\n   :type: {ast.unparse(field.annotation)}")
        self.write("python/functions.rst", lines)
        self.write("python/index.rst", heading("Python") + toctree(["/tools/python/README", "/python/functions"]))

    # ---- pages of the tree -------------------------------------------------------------------------------------------

    def write_pages(self):
        pages = [page for page in MAINTAINERS if (ROOT / page).exists()]
        shown = set(pages) | {"README.md", "include/kogge/CALLS.md", "include/kogge/distributed/README.md",
                              "tools/python/README.md"}
        for page in shown:
            text = self.with_links((ROOT / page).read_text(), pathlib.Path(page).parent, shown)
            name = page
            if page == "README.md":
                name = "index.md"
                names = ["Overview <self>", "cpp/index", "c", "python/index", "maintainers"]
                text += "\n```{toctree}\n:hidden:\n:maxdepth: 3\n\n" + "\n".join(names) + "\n```\n"
            self.write(name, [text])
        self.write("maintainers.rst", heading("Maintainers' pages") + toctree(["/" + page[:-3] for page in pages]))

    def with_links(self, text, folder, shown):
        """Links between pages stay, pictures come along, and other files of the tree are named without a link."""

        def link(match):
            picture, words, target = match.groups()
            if re.match(r"[a-z]+:|#", target):
                return match[0]
            path = os.path.normpath(folder / target.partition("#")[0])
            if picture:
                (self.source / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / path, self.source / path)
                return match[0]
            for page in (path, f"{path}/README.md"):
                if page in shown:
                    name = "index.md" if page == "README.md" else page
                    return f"[{words}]({os.path.relpath(name, folder)})"
            if path in self.pages_of_files:
                return f"[{words}]({os.path.relpath(self.pages_of_files[path], folder)})"
            if not (ROOT / path).exists():
                raise SystemExit(f"{folder}: a link to {target}, which is not there")
            return words if words.startswith("`") else f"{words} (`{path}`)"

        return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, text)


def toctree(pages, depth=1):
    return [".. toctree::", f"   :maxdepth: {depth}", ""] + ["   " + page for page in pages] + [""]


def indented(text):
    return ["   " + line if line else "" for line in text.splitlines()] + [""]


def run_doxygen(out, headers):
    shutil.rmtree(out / "xml", ignore_errors=True)
    settings = (ROOT / "tools/docs/Doxyfile").read_text()
    settings += f"INPUT = {' '.join(f'include/kogge/{header}' for header in headers)}\nOUTPUT_DIRECTORY = {out}\n"
    settings += f"STRIP_FROM_PATH = {ROOT}/include\n"
    run = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=ROOT, stderr=subprocess.PIPE)
    sys.stderr.write(run.stderr)
    if run.returncode != 0:
        raise SystemExit("Doxygen failed")
    return not run.stderr.strip()


def main():
    out = pathlib.Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    sections = public_headers()
    is_clean = run_doxygen(out, [name for headers in sections.values() for name in headers] + ["kogge.h"])
    site = Site(out)
    site.write_headers(sections)
    site.write_python()
    site.write_pages()
    shutil.copy(ROOT / "tools/docs/conf.py", site.source)
    shutil.copytree(ROOT / "tools/docs/style", site.source / "style")
    if "--pages" in sys.argv[2:]:
        return 0 if is_clean else 1
    environment = dict(os.environ, KOGGE_VERSION=version())
    shutil.rmtree(out / "html", ignore_errors=True)
    run = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-b", "html",
                          "-d", out / "doctrees", site.source, out / "html"], env=environment)
    return 0 if is_clean and run.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
