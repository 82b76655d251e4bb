"""The program as it is shown, what it printed, how long it took, and the listings of the tests."""
import functools
import json
import pathlib
import re

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from recto_book import runs
from recto_book.elements import esc, raw, root

MOST = 40               # lines of an excerpt: a kernel or a table is shown whole

class program(nodes.literal_block):
    """A block of the program, numbered as in its file."""


class Program(SphinxDirective):
    has_content = True
    option_spec = {"first": int, "fold": directives.unchanged, "quiet": directives.flag}

    def run(self):
        code = "\n".join(json.loads("\n".join(self.content)))
        return [program(code, code, first=self.options["first"], fold=self.options.get("fold"), quiet="quiet" in self.options,
                        language="cpp", marks={})]


class Said(SphinxDirective):
    has_content = True
    label, kind = "Printed", "rx-said"

    def run(self):
        text = esc("\n".join(json.loads("\n".join(self.content))), quote=False)
        return [raw(f'<div class="{self.kind}" role="group" aria-label="{self.label}"><pre>{text}</pre></div>')]


class Timing(Said):
    """A time this machine measured: shown apart, since it differs on every run."""
    label, kind = "Measured on this machine", "rx-said rx-timing"


class TestFile(SphinxDirective):
    """All tests of one file, each with an anchor, as they are compiled."""
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        file = self.arguments[0]
        path = pathlib.Path(self.config.recto_root) / file
        self.env.note_dependency(str(path))
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        listed = [t for t in runs.catalogue(self.config.recto_build).values() if t["file"] == file]
        out, marks = [], {t["line"]: t["anchor"] for t in listed}
        items = []
        for t in listed:
            proved = " ".join(f'<a class="rx-part" href="@ROOT@register.html#row={esc(r.split("/")[0])}">{esc(runs.label(r))}</a>'
                              for r in t["rows"])
            items.append(f'<li><a href="#{t["anchor"]}">{esc(t["name"])}</a> {proved}</li>')
        out.append(raw(f'<ul class="rx-tests">{"".join(items)}</ul>'))
        code = "\n".join(lines)
        out.append(program(code, code, first=1, fold=None, language="cpp", marks=marks))
        return out


def definition(lines, name):
    """(number of its first line, lines) of a definition that stands at the left margin, without its comment."""
    at = next((n for n, line in enumerate(lines) if re.match(rf"[A-Za-z_][^/]*\b{name}( [={{]|[({{])", line)), None)
    if at is None:
        return None, []
    first = at
    while first and re.match(r"template|__global__", lines[first - 1]):
        first -= 1
    short = re.search(r"[;}]( *//.*)?$", lines[at])
    last = at if short else next((n for n in range(at, len(lines)) if lines[n] in ("}", "};")), first - 1)
    return first + 1, lines[first:last + 1]


class Excerpt(SphinxDirective):
    """`{excerpt} recto/ladder/products.cuh naive`: a definition in the library that the page is about."""
    required_arguments = 2

    def run(self):
        file, name = self.arguments
        path = pathlib.Path(self.config.recto_root) / "lib" / file
        self.env.note_dependency(str(path))
        first, code = definition(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], name)
        if not code:
            raise self.error(f"excerpt: wanted a definition of {name} in lib/{file}, found none")
        if len(code) > MOST:
            raise self.error(f"excerpt: {name} has {len(code)} lines; at most {MOST} may stand together")
        code = "\n".join(code)
        return [program(code, code, first=first, fold=None, language="cpp", marks={})]


def api_links(builder):
    """Unqualified name -> (address, is it a function), for every name the reference documents exactly once."""
    if not hasattr(builder, "recto_names"):
        found = {}
        for name, _, kind, doc, anchor, _ in builder.env.domains.cpp_domain.get_objects():
            if kind in ("function", "class", "struct", "type", "concept", "enum"):
                found.setdefault(name.rpartition("::")[2], {})[(doc, name)] = (doc, anchor, kind == "function")
        builder.recto_names = {k: next(iter(v.values())) for k, v in found.items() if len(v) == 1}
    return builder.recto_names


def visit_program(self, node):
    """Lines carry their own indentation, so that a phone can wrap them with a hanging indent."""
    names = api_links(self.builder)
    marked = self.highlighter.highlight_block(node.astext(), "cpp", location=node)
    inside = re.search(r"<pre>(?:<span></span>)?(.*?)\n?</pre>", marked, re.S)[1]

    def link(m):
        doc, anchor, function = names.get(m[2], (None, None, None))
        if not doc or (function and m[3] is None):
            return m[0]
        uri = self.builder.get_relative_uri(self.builder.current_docname, doc)
        return f'<a class="{m[1]} api" href="{uri}#{anchor}">{m[2]}</a>'

    inside = re.sub(r'<span class="(n|nf|nc)">(\w+)</span>(?=(<span class="[po]">(?:\(|&lt;|\{))?)', link, inside)
    lines, plain = [], node.astext().split("\n")
    for n, (text, shown) in enumerate(zip(plain, inside.split("\n")), node["first"]):
        indent = len(text) - len(text.lstrip())
        shown = re.sub(r"^(<span[^>]*>)?( +)", r'\1<span class="sp">\2</span>', shown)
        mark = f' id="{node["marks"][n]}"' if n in node["marks"] else ""
        lines.append(f'<span class="ln"{mark} style="--in:{indent}">{shown}\n</span>')
    code = (f'<div class="highlight-cpp notranslate"><div class="highlight"><pre style="--first:{node["first"] - 1}">'
            f'{"".join(lines)}</pre></div></div>')
    if node["fold"]:
        code = f'<details><summary>{esc(node["fold"])}</summary>{code}</details>'
    look = f'{" folded" if node["fold"] else ""}{" quiet" if node.get("quiet") else ""}'
    self.body.append(f'<div class="rx-program{look}">{code}</div>\n')
    raise nodes.SkipNode


@functools.lru_cache
def test_link(build, name):
    """(page, anchor) of a test."""
    t = runs.catalogue(build).get(name)
    return (t["doc"], t["anchor"]) if t else None


def test_anchor(translator, name):
    """A test's name, linked to where it stands."""
    found = test_link(translator.builder.config.recto_build, name)
    if not found and name.startswith("exercise "):
        return f'<a href="{root(translator)}exercises/{esc(name.split()[1].rstrip(":"))}.html">{esc(name)}</a>'
    if not found:
        return esc(name)
    return f'<a href="{root(translator)}{found[0]}.html#{found[1]}">{esc(name)}</a>'


def set_plus(app, doctree, docname):
    """C++ set tight: the plus of a text face stands too wide for a name."""
    for text in list(doctree.findall(nodes.Text)):
        if "C++" in text and not isinstance(text.parent, (nodes.literal, nodes.FixedTextElement, nodes.title)):
            parts = re.split(r"(?<=\bC)(\+\+)", text.astext())
            text.parent.replace(text, [nodes.inline("", p, classes=["plus"]) if p == "++" else nodes.Text(p)
                                       for p in parts if p])


def setup(app):
    for name, made in {"cpp-code": Program, "said": Said, "timing": Timing, "test-file": TestFile,
                       "excerpt": Excerpt}.items():
        app.add_directive(name, made)
    app.add_node(program, html=(visit_program, None))
    app.connect("doctree-resolved", set_plus)
