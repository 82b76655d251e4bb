"""The reference of one header: Breathe's page of a file, without its frame of namespaces.

Every header opens the same namespace; with Breathe's own layout, every header would declare the namespace again.
"""
from breathe.directives.file import DoxygenFileDirective
from breathe.renderer.sphinxrenderer import SphinxRenderer
from docutils import nodes
from sphinx import addnodes
from sphinx.domains.cpp import DefinitionParser
from sphinx.util.nodes import make_refnode

from recto_book import runs


def inside(renderer, node):
    """What a namespace holds, of what the directive asked for; neither its declaration nor its description."""
    data = renderer.parse_compound(node.refid)
    env = renderer.app.env
    here, top = env.current_document, env.domaindata["cpp"]["root_symbol"]
    name = DefinitionParser(data.compounddef[0].compoundname, location="", config=env.config).parse_namespace_object()
    outer = here.cpp_parent_symbol or top
    for symbol in (top.add_name(name.nestedName), outer):
        here.cpp_parent_symbol = symbol
        env.ref_context["cpp:parent_key"] = symbol.get_lookup_key()
        if symbol is not outer:
            renderer.nesting_level += 1         # names inside are relative
            made = renderer.render(data, renderer.context.create_child_context(data))
            renderer.nesting_level -= 1
    return [n for n in made if isinstance(n, (nodes.container, addnodes.desc, addnodes.index))]


class HeaderFile(DoxygenFileDirective):
    """`{header-file} recto/base/shape.hpp`"""

    def run(self):
        kept, SphinxRenderer.visit_namespace = SphinxRenderer.visit_namespace, inside
        try:
            return super().run()
        finally:
            SphinxRenderer.visit_namespace = kept


def known(builder):
    """Last name -> (page, anchor), for every C++ name that the reference documents once. Each name of each signature
    asks, when all pages have been read."""
    if not hasattr(builder, "recto_anchors"):
        found = {}
        for name, _, _, doc, anchor, _ in builder.env.domains.cpp_domain.get_objects():
            found.setdefault(name.rpartition("::")[2], set()).add((doc, anchor))
        builder.recto_anchors = {k: next(iter(v)) for k, v in found.items() if len(v) == 1}
    return builder.recto_anchors


def missing(app, env, node, contnode):
    """What Sphinx cannot resolve and need not warn of.

    Names in a signature were resolved by the compiler: they become a link if only one thing is called so, else
    plain text. Doxygen makes links to header files, which have no anchor here. And while a page has not run,
    its figures have no number.
    """
    if node.get("reftype") == "identifier":
        doc, anchor = known(app.builder).get(node["reftarget"].rpartition("::")[2], (None, None))
        return make_refnode(app.builder, node["refdoc"], doc, anchor, contnode) if doc else contnode
    if node.get("reftype") == "ref" and node["reftarget"].endswith("_8hpp"):
        return contnode
    if node.get("reftype") in ("ref", "numref") and not app.config.recto_strict and any(
            runs.page_record(app.config, d.rpartition("/")[2]) is None for d in env.recto_stamps):
        return contnode
    return None


def setup(app):
    app.setup_extension("breathe")
    app.connect("missing-reference", missing)
    app.add_directive("header-file", HeaderFile)
