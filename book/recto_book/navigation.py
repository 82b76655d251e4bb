"""The contents beside each page, made from titles alone.

The theme shows the titles of all pages, and no sections. Sphinx copies every page's sections, members of the reference
among them, only to throw them away again: half a second for each page of the book.
"""
from sphinx import addnodes
from sphinx.builders.html import StandaloneHTMLBuilder

with_sections = StandaloneHTMLBuilder._get_local_toctree


def titles(toc):
    """Of a page's contents the title and the pages below it, as Sphinx leaves them where only titles are wanted."""
    kept = toc.deepcopy()
    for entry in kept.children:
        if len(entry) > 1:
            below = list(entry.findall(addnodes.toctree))
            if below:
                entry[1][:] = below
            else:
                entry.pop(1)
    return kept


def with_titles(self, docname, collapse=True, **wanted):
    """Of the whole book, as this page shows it."""
    if not wanted.get("titles_only"):
        return with_sections(self, docname, collapse, **wanted)
    if not hasattr(self, "recto_titles"):
        self.recto_titles = {doc: titles(toc) for doc, toc in self.env.tocs.items()}
    whole, self.env.tocs = self.env.tocs, self.recto_titles
    try:
        return with_sections(self, docname, collapse, **wanted)
    finally:
        self.env.tocs = whole


def setup(_app):
    StandaloneHTMLBuilder._get_local_toctree = with_titles
