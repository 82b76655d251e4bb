"""The first use of a glossary's term on a page becomes an entry of the index, beside that of its definition."""
import re

from docutils import nodes
from sphinx import addnodes


def index(_app, document):
    """Targets and entries where {term} stands."""
    seen = set()
    for node in list(document.findall(addnodes.pending_xref)):
        term = re.sub(r"\s+", " ", node.get("reftarget", "")).strip()
        if node.get("reftype") != "term" or term in seen:
            continue
        seen.add(term)
        target, place = f"term-{nodes.make_id(term)}-here", node.parent.index(node)
        node.parent[place:place] = [addnodes.index(entries=[("single", term, target, "", None)]),
                                    nodes.target("", "", ids=[target])]


def setup(app):
    app.connect("doctree-read", index)
