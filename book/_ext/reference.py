"""The reference of one header: Breathe's page of a file, without its frame of namespaces.

Every header opens the same namespace; set as Breathe would, the namespace would be declared anew in each.
"""
from breathe.directives.file import DoxygenFileDirective
from breathe.renderer.sphinxrenderer import SphinxRenderer
from docutils import nodes
from sphinx import addnodes
from sphinx.domains.cpp import DefinitionParser


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
    """`{header-file} recto/core/shape.hpp`"""

    def run(self):
        kept, SphinxRenderer.visit_namespace = SphinxRenderer.visit_namespace, inside
        try:
            return super().run()
        finally:
            SphinxRenderer.visit_namespace = kept


def setup(app):
    app.setup_extension("breathe")
    app.add_directive("header-file", HeaderFile)
