"""What a page teaches (book/taught.toml): main entries of the index, which the search shows first; and, in the glossary, the
way from a term to its page."""
import functools
import json
import pathlib
import tomllib

from docutils import nodes
from sphinx import addnodes
from sphinx.util import logging

log = logging.getLogger(__name__)
OTHER = ("needs", "pictures")           # tables that are about pages, and list no terms


@functools.cache
def taught(folder):
    """The terms that each page teaches, by its name in the book: {"training/descent": ["gradient descent", ...]}."""
    listed = tomllib.loads((pathlib.Path(folder) / "taught.toml").read_text(encoding="utf-8"))
    return {f"{chapter}/{page}": terms for chapter, pages in listed.items() if chapter not in OTHER for page, terms in pages.items()}


@functools.cache
def pictures(folder):
    """{page: the figure that stands for it in pictures of its chapter}, where that is not its first."""
    return tomllib.loads((pathlib.Path(folder) / "taught.toml").read_text(encoding="utf-8")).get("pictures", {})


def index(app, document):
    """The entries of a page, at its title."""
    app.env.note_dependency(str(pathlib.Path(app.confdir) / "taught.toml"))
    terms = taught(app.confdir).get(app.env.docname, ())
    section = next(document.findall(nodes.section), None)
    if terms and section is not None:
        entries = [("single", term, section["ids"][0], "main", None) for term in terms]
        section.insert(0, addnodes.index(entries=entries))


def explained(app, document):
    """Behind the definition of a term in the glossary: the page that teaches it."""
    if app.env.docname != "glossary":
        return
    pages = {term.lower(): page for page, terms in taught(app.confdir).items() for term in terms}
    for item in document.findall(nodes.definition_list_item):
        page = next((pages[term.astext().lower()] for term in item.findall(nodes.term) if term.astext().lower() in pages), None)
        for definition in item.findall(nodes.definition) if page else ():
            link = addnodes.pending_xref("", nodes.inline("", ""), refdomain="std", reftype="doc", reftarget=f"/{page}",
                                         refexplicit=False, refwarn=True, refdoc="glossary")
            paragraph = next(definition.findall(nodes.paragraph))
            paragraph += [nodes.Text(" Taught in "), link, nodes.Text(".")]


def known(app, env):
    """Every page of the list is there."""
    for page in taught(app.confdir):
        if page not in env.found_docs:
            log.warning("taught.toml: the book has no page %s", page)
    for page in pictures(app.confdir):
        if not any(doc.endswith(f"/{page}") for doc in env.found_docs):
            log.warning("taught.toml: the book has no page %s", page)


def again(app):
    """Sphinx reads its search index again, for pages that it does not write this time, without the entries: they are kept here."""
    indexer = getattr(app.builder, "indexer", None)
    if indexer:
        path = pathlib.Path(app.doctreedir) / "entries.json"
        for doc, entries in (json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}).items():
            if doc in indexer._filenames:
                indexer._index_entries.setdefault(doc, [tuple(entry) for entry in entries])
        path.write_text(json.dumps(indexer._index_entries), encoding="utf-8")
    return []


def setup(app):
    app.connect("html-collect-pages", again)
    app.connect("doctree-read", index)
    app.connect("doctree-read", explained)
    app.connect("env-updated", lambda app, env: known(app, env))
