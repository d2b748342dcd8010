"""What public headers declare, out of Doxygen's XML, as directives of Sphinx's C++ and C domains, in the headers' order."""

import re
import xml.etree.ElementTree as ET

from comments import code, escaped, join

PUBLIC_SECTIONS = {"public-func", "public-attrib", "public-static-func", "public-static-attrib", "public-type", "user-defined"}
# Of small parts a page's own table of contents says nothing.
UNLISTED = ["   :no-contents-entry:", ""]


class Declarations:
    def __init__(self, xml, include):
        self.xml, self.include = xml, include
        self.of_file = {}  # by path: [(line, lines of reStructuredText)]
        for compound in ET.parse(xml / "index.xml").getroot().iter("compound"):
            if compound.get("kind") in ("namespace", "file", "concept"):
                self.read(self.compound(compound.get("refid")))

    def compound(self, refid):
        return ET.parse(self.xml / f"{refid}.xml").getroot().find("compounddef")

    def add(self, place, lines):
        self.of_file.setdefault(place.get("file"), []).append((int(place.get("line")), lines))

    def rst(self, path):
        entries = sorted(self.of_file.get(path, []), key=lambda entry: entry[0])
        return [line for _, lines in entries for line in lines]

    def read(self, compound):
        is_c = compound.get("kind") == "file" and compound.find("location").get("file").endswith(".h")
        if compound.get("kind") == "concept":
            self.add(compound.find("location"), concept(compound))
        if compound.get("kind") == "file" and not is_c:
            return  # macros alone
        for section in compound.iterfind("sectiondef"):
            members = [member for member in section.iterfind("memberdef") if is_shown(member, is_c)]
            if members and section.find("header") is not None:
                heading, file = section.find("header").text, members[0].find("location").get("file")
                mark = re.compile(rf"---- {re.escape(heading)} -", re.IGNORECASE)
                source = (self.include / file).read_text().splitlines()
                place = {"file": file, "line": next(i for i, line in enumerate(source, 1) if mark.search(line))}
                self.add(place, [heading, "~" * len(heading), ""] + description(section))
            for member in members:
                self.add(member.find("location"), declaration(member, "c" if is_c else "cpp"))
        for inner in compound.iterfind("innerclass"):
            definition = self.compound(inner.get("refid"))
            if definition.get("prot", "public") == "public":
                self.add(definition.find("location"), self.class_(definition, "c" if is_c else "cpp"))

    def class_(self, definition, domain):
        name = definition.find("compoundname").text
        kind = "struct" if definition.get("kind") == "struct" else "class"
        bases = [("" if base.get("prot") == "public" and kind == "struct" else base.get("prot") + " ") + text_of(base)
                 for base in definition.iterfind("basecompoundref")]
        signature = template(definition) + name + (" : " + ", ".join(bases) if bases and domain == "cpp" else "")
        lines = [f".. {domain}:{kind}:: {signature}", ""] + indent(description(definition))
        entries = []
        for section in definition.iterfind("sectiondef"):
            if section.get("kind") in PUBLIC_SECTIONS:
                for member in section.iterfind("memberdef"):
                    if member.get("prot") == "public" and is_shown(member, False):
                        entries.append((int(member.find("location").get("line")), declaration(member, domain)))
        for inner in definition.iterfind("innerclass"):
            if inner.get("prot") == "public":
                nested = self.compound(inner.get("refid"))
                entries.append((int(nested.find("location").get("line")), self.class_(nested, domain)))
        for _, member in sorted(entries, key=lambda entry: entry[0]):
            lines += indent(member)
        return lines


def is_shown(member, is_c):
    name = member.find("name").text
    if member.get("kind") == "friend" or name.startswith("@") or member.get("static") == "yes" and is_c:
        return False
    if is_c and member.get("kind") == "typedef" and member.find("type").text and member.find("type").text.startswith(("enum ", "struct ")):
        return False  # the enumeration, or the structure, has the same name
    if is_c and member.get("kind") == "define":
        return member.find("detaileddescription/para") is not None or "VERSION" in name
    return member.get("kind") != "define"


def text_of(node):
    return "" if node is None else re.sub(r"\s+", " ", "".join(node.itertext())).strip()


def template(node):
    parameters = []
    found = node.find("templateparamlist")
    if found is None:
        return ""
    for parameter in found.iterfind("param"):
        name = text_of(parameter.find("declname"))
        value = text_of(parameter.find("defval"))
        parameters.append(text_of(parameter.find("type")) + (f" {name}" if name else "") + (f" = {value}" if value else ""))
    clause = text_of(node.find("requiresclause"))
    return f"template <{', '.join(parameters)}> " + (f"requires {clause} " if clause else "")


def declaration(member, domain):
    kind, type_ = member.get("kind"), text_of(member.find("type"))
    # A member of a class stands within it.
    name = text_of(member.find("qualifiedname" if member.get("id").startswith("namespace") else "name"))
    args, initializer = text_of(member.find("argsstring")), text_of(member.find("initializer"))
    body = indent(description(member))
    if kind == "function":
        words = "".join(f"{word} " for word in ("explicit", "static", "virtual") if member.get({"virtual": "virt"}.get(word, word)) in ("yes", "virtual", "pure-virtual"))
        words += "constexpr " if member.get("constexpr") == "yes" and not type_.startswith("constexpr") else ""
        args = re.sub(r"=(default|delete|0)$", r" = \1", args)
        return [f".. {domain}:function:: {template(member)}{words}{type_}{' ' if type_ else ''}{name}{args}", ""] + body
    if kind == "enum":
        scoped = "enum-class" if member.get("strong") == "yes" else "enum"
        lines = [f".. {domain}:{scoped}:: {name}", ""] + body
        for value in member.iterfind("enumvalue"):
            number = text_of(value.find("initializer")) if domain == "c" else ""
            lines += indent([f".. {domain}:enumerator:: {text_of(value.find('name'))} {number}".rstrip(), *UNLISTED] + indent(description(value)))
        return lines
    if kind == "typedef":
        if domain == "c":
            return [f".. c:type:: {text_of(member.find('definition')).removeprefix('typedef ')}", ""] + body
        return [f".. cpp:type:: {template(member)}{name} = {type_}", ""] + body
    if kind == "define":
        parameters = [text_of(parameter.find("defname")) for parameter in member.iterfind("param")]
        return [f".. c:macro:: {name}" + (f"({', '.join(parameters)})" if parameters else ""), ""] + body
    is_field = not member.get("id").startswith(("namespace", "kogge_8h"))
    static = "static " if member.get("static") == "yes" else ""
    shown = f" {initializer}" if initializer and len(initializer) < 60 and domain == "cpp" else ""
    return [f".. {domain}:{'member' if domain == 'c' else 'var'}:: {template(member)}{static}{type_} {name}{args}{shown}", *(UNLISTED if is_field else [""])] + body


def concept(compound):
    name = text_of(compound.find("compoundname"))
    initializer = text_of(compound.find("initializer"))
    parameters = initializer.partition(" concept ")[0]
    lines = [f".. cpp:concept:: {parameters} {name}", ""] + indent(description(compound))
    return lines


def indent(lines):
    return ["   " + line if line else "" for line in lines]


# ---- text ------------------------------------------------------------------------------------------------------------


def description(node):
    lines = []
    for part in ("briefdescription", "detaileddescription", "description"):
        found = node.find(part)
        if found is not None:
            lines += blocks(found)
    return lines


def blocks(node):
    """The paragraphs and lists of a node, each with an empty line after it."""
    lines, words = [], [escaped(node.text or "")]

    def end_paragraph():
        text = join(words)
        words.clear()
        if text:
            lines.extend([text, ""])

    for child in node:
        if child.tag in ("para", "itemizedlist", "orderedlist", "verbatim", "programlisting", "simplesect", "listitem", "title"):
            end_paragraph()
            lines.extend(block(child))
        else:
            words.append(inline(child))
        words.append(escaped(child.tail or ""))
    end_paragraph()
    return lines


def block(node):
    if node.tag in ("itemizedlist", "orderedlist"):
        lines = []
        for item in node.iterfind("listitem"):
            mark = "#. " if node.tag == "orderedlist" else "-  "
            text = blocks(item)
            lines += [mark + text[0]] + indent(text[1:])
        return lines
    if node.tag in ("verbatim", "programlisting"):
        text = "\n".join("".join(line.itertext()) for line in node.iter("codeline")) or node.text
        return [".. code-block:: cpp", ""] + indent(text.strip("\n").split("\n")) + [""]
    return blocks(node)


def inline(node):
    if node.tag == "computeroutput":
        return code("".join(node.itertext()))
    if node.tag in ("sp", "linebreak"):
        return " "
    entity = {"ndash": "–", "mdash": "—", "nonbreakablespace": " ", "lsquo": "‘", "rsquo": "’", "times": "×"}.get(node.tag)
    return entity or escaped("".join(node.itertext()))
