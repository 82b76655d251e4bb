"""Numbered equations that say which function computes them and which test proves them, and their table."""
import re

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.directives.patches import MathDirective
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from recto_book import katex_build
from recto_book import program
from recto_book import runs
from recto_book.elements import LATE, esc, late, lately

log = logging.getLogger(__name__)


def split(text):
    """Several functions or tests stand with `;` between them."""
    return [t.strip() for t in re.split(r";|\n", text or "") if t.strip()]


class Equation(MathDirective):
    """`{equation} eq-1.1` with `:function:` (of the library with its namespace, of the page without) and `:test:`."""
    option_spec = {"function": directives.unchanged_required, "test": directives.unchanged_required}

    def run(self):
        label, self.arguments = self.arguments[0], []
        functions, tests = split(self.options.get("function")), split(self.options.get("test"))
        self.options |= {"label": label, "no-wrap": True}
        made = super().run()
        where = (self.env.docname, self.lineno)
        for t in tests:
            if t not in runs.catalogue(self.config.recto_build):
                log.warning("equation %s: there is no test %r", label, t, location=where)
        self.env.recto_equations.setdefault(self.env.docname, []).append(
            {"label": label, "functions": functions, "tests": tests, "tex": "\n".join(self.content)})
        line = nodes.paragraph()
        for k, name in enumerate(functions):
            if k:
                line += nodes.Text(", ")
            if "::" not in name:
                line += nodes.literal("", name)
                continue
            link = addnodes.pending_xref("", nodes.literal("", name.rpartition("::")[2]), refdomain="cpp", reftype="any",
                                         reftarget=name, refexplicit=True, refdoc=self.env.docname, refwarn=True)
            line += link
        if tests:
            line += nodes.inline("", " checked by " if functions else "checked by ", classes=["rx-by"])
            line += late("", what="proof", arg=tests)
        self.set_source_info(line)
        for node in line.findall(addnodes.pending_xref):
            self.set_source_info(node)
        proof = [nodes.container("", line, classes=["rx-proof"])] if line.children else []
        return [nodes.container("", *made, *proof, classes=["rx-equation"])]


def proof(translator, node):
    return ", ".join(f'<span class="rx-test">{program.test_anchor(translator, t)}</span>' for t in node["arg"])


class EquationTable(SphinxDirective):
    """Every equation of the book, the function that computes it, the test that proves it."""

    def run(self):
        return [lately(self.env, "equation-table")]


def every(env):
    """(page, equation) in the order of the book."""
    order = {d: n for n, d in enumerate(reading_order(env))}
    return [(d, e) for d in sorted(env.recto_equations, key=lambda d: order.get(d, 1e9)) for e in env.recto_equations[d]]


def reading_order(env):
    """Pages as the tables of contents list them."""
    out, todo = [], [env.config.root_doc]
    while todo:
        doc = todo.pop()
        if doc not in out:
            out.append(doc)
            todo += reversed(env.toctree_includes.get(doc, []))
    return out


def number_of(env, doc, label):
    """(anchor, number) of an equation, the number that stands beside it on its page."""
    anchor = nodes.make_id(f"equation-{label}")
    counted = env.toc_fignumbers.get(doc, {}).get("displaymath", {}).get(anchor)
    return anchor, ".".join(map(str, counted or env.domains.math_domain.equations.get(label, ("", "?"))[1:]))


def claimed(env, equation):
    """Whether the claims of its page show what an equation says."""
    return runs.key(runs.rows(env.config).get(equation["label"], {}).get("verdict")) == "reproduced"


def breakable(name):
    """A name in C++ that may go on in the next line."""
    return esc(name).replace("::", "::<wbr>").replace("_", "_<wbr>")


def table(translator, node):
    env = translator.builder.env
    cpp, rows = {}, []
    for name, _, kind, doc, anchor, _ in env.domains.cpp_domain.get_objects():
        cpp.setdefault(name, (doc, anchor))
    for doc, e in every(env):
        anchor, number = number_of(env, doc, e["label"])
        functions = ", ".join(
            f'<a href="@ROOT@{cpp[f][0]}.html#{cpp[f][1]}"><code>{breakable(f.removeprefix("recto::"))}</code></a>' if f in cpp
            else f"<code>{breakable(f)}</code>" for f in e["functions"])
        tests = "<br>".join(program.test_anchor(translator, t) for t in e["tests"])
        if not tests and claimed(env, e):
            tests = f'<a href="@ROOT@{doc}.html#{anchor}">claims on its page</a>'
        tex = katex_build.html(translator, nodes.math("", e["tex"]), True)
        rows.append(f'<tr><th scope="row"><a href="@ROOT@{doc}.html#{anchor}">({number})</a>'
                    f'<small>{esc(e["label"])}</small></th>'
                    f'<td class="tex"><div tabindex="0" role="group" aria-label="Equation {number}">{tex}</div></td>'
                    f"<td>{functions}</td><td>{tests}</td></tr>")
    if not rows:
        return "<p>No page of this book has an equation yet.</p>"
    return ('<div class="rx-listing rx-equations" tabindex="0" role="region" aria-label="equations"><table><thead><tr>'
            '<th scope="col">Number</th><th scope="col">Equation</th><th scope="col">Function</th><th scope="col">Proved by</th></tr></thead>'
            f'<tbody>{"".join(rows)}</tbody></table></div>')


def table_key(env, _arg):
    named = {f for _, e in every(env) for f in e["functions"]}
    return every(env), [(number_of(env, d, e["label"]), claimed(env, e)) for d, e in every(env)], reading_order(env), sorted(
        (n, d) for n, _, _, d, _, _ in env.domains.cpp_domain.get_objects() if n in named)


def setup(app):
    app.add_directive("equation", Equation)
    app.add_directive("equation-table", EquationTable)
    LATE["proof"] = None, proof
    LATE["equation-table"] = table_key, table
