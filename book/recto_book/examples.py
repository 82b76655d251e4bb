"""The examples of the reference: tests of lib/recto/ops/examples.test.cpp, as a reader would write them.

`shows(EXPRESSION, "TEXT")` of a test compares what the expression gives with the text; here the expression stands with the text
behind it. What is shown is therefore compiled and was compared.
"""
import pathlib
import re
import textwrap

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from recto_book import runs

HOME = "lib/recto/ops/examples.test.cpp"
SHOWS = re.compile(r'^shows\((.*), "([^"]*)"\);$', re.S)
HOLDS = re.compile(r"^CHECK\((.*)\)(;)$", re.S)
COLUMN = 36                 # where the values stand, if the expressions leave room


def families(text):
    """{family: the lines of its example} of a file of examples."""
    found = re.findall(r'^TEST_CASE\("example: (\w+)".*?\{\n(.*?)^\}', text, re.S | re.M)
    return {family: written(textwrap.dedent(body)) for family, body in found}


def written(body):
    """The body of a test as a reader would write it."""
    out = []
    for statement in re.findall(r"^\n|^//[^\n]*\n|.*?;[^\n]*\n", body, re.S | re.M):
        statement = statement.rstrip("\n")
        match = SHOWS.match(statement) or HOLDS.match(statement)
        if match:
            code = re.sub(r"\n\s*", " ", match[1]) + ";"
            statement = f"{code:{COLUMN}}  // {match[2].replace(';', 'true')}"
        out.append(statement)
    return out


class Example(SphinxDirective):
    """`{example} reductions`: how operations of this family are used, and what they give."""
    required_arguments = 1

    def run(self):
        family, path = self.arguments[0], pathlib.Path(self.config.recto_root) / HOME
        self.env.note_dependency(str(path))
        lines = families(path.read_text(encoding="utf-8")).get(family)
        if not lines:
            raise self.error(f"{HOME} has no example of {family}")
        code = "\n".join(lines)
        test = runs.catalogue(self.config.recto_build)[f"example: {family}"]
        link = addnodes.pending_xref("", nodes.inline("", "a test"), refdomain="std", reftype="doc", reftarget=f"/{test['doc']}",
                                     refexplicit=True, refwarn=True, refdoc=self.env.docname)
        proof = nodes.paragraph("", "", nodes.Text("What stands behind // is what "), link, nodes.Text(" compares."),
                                classes=["rx-compared"])
        return [nodes.literal_block(code, code, language="cpp", classes=["rx-example"]), proof]


def setup(app):
    app.add_directive("example", Example)
