"""What a page says, as plain text in a script of its own: the search shows a piece of it under each answer.

Sphinx would fetch the pages that it found, and a page that is opened as a file may not fetch. A script it may load.
"""
import json
import pathlib
import re
import unicodedata

from docutils import nodes
from sphinx import addnodes

UNSAID = (nodes.literal_block, nodes.math_block, nodes.comment, nodes.raw, nodes.Invisible, nodes.title, addnodes.index)


def formula(tex):
    """A formula as it is read in a line, or three dots."""
    def letter(match):
        try:
            return unicodedata.lookup(f"GREEK {'CAPITAL' if match[1][0].isupper() else 'SMALL'} LETTER {match[1].upper()}")
        except KeyError:
            return match[0]
    plain = re.sub(r"\\([A-Za-z]+)", letter, tex)
    return plain if re.fullmatch(r"[\w\s.,;:=<>+()'-]{1,20}", plain) else "…"


def said(node):
    """The words below a node."""
    if isinstance(node, nodes.Text):
        return node.astext()
    if isinstance(node, nodes.math):
        return formula(node.astext())
    if isinstance(node, UNSAID):
        return ""
    return "".join(map(said, node.children)) + ":" * isinstance(node, nodes.term)


def text(doctree):
    """What stands in a page's paragraphs, in a line; not which tests prove an equation."""
    def spoken(node):
        return isinstance(node, (nodes.paragraph, nodes.term, nodes.caption)) and "rx-proof" not in node.parent.get("classes", ())
    return re.sub(r"\s+", " ", " ".join(map(said, doctree.findall(spoken)))).strip()


def script(doc, words):
    return f"recto.text({json.dumps(doc)}, {json.dumps(words, ensure_ascii=False)});\n"


def keep(app, pagename, templatename, context, doctree):
    """Beside each page that is written its text; on the page of the search the script that shows it."""
    if pagename == "search":
        app.add_js_file("search.js", defer="defer")
    if doctree is None or app.builder.format != "html":
        return
    path = pathlib.Path(app.outdir) / "texts" / f"{pagename}.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(script(pagename, text(doctree)), encoding="utf-8")


def setup(app):
    app.connect("html-page-context", keep)
