"""Counts the figures of the whole book without reading the whole book.

After every edit Sphinx renumbers all figures, tables and formulas, and reads the trees of all pages from the disk for
it: seconds, and more with every chapter. It looks at little of them, so that little is kept with the environment.
"""
from docutils import nodes
from sphinx import addnodes
from sphinx.environment.collectors.toctree import TocTreeCollector

assign = TocTreeCollector.assign_figure_numbers


def pruned(node, into, counted):
    """Puts into `into` what has a number below a node, with its caption; the contents; and what these stand in."""
    for child in node.children:
        if isinstance(child, addnodes.toctree) or (
                counted(node) and isinstance(child, (nodes.caption, nodes.title, nodes.literal_block))):
            into.append(child.deepcopy())
        elif isinstance(child, nodes.Element):
            part = pruned(child, child.copy(), counted)
            if part.children or counted(child):
                into.append(part)
    return into


def keep(app, doctree):
    domains = list(app.env.domains.sorted())

    def counted(node):
        return any(d.get_enumerable_node_type(node) not in (None, "section") for d in domains)

    bare = pruned(doctree, nodes.container(), counted)
    for node in bare.findall():
        node.document = None            # or the whole tree would be kept after all
    app.env.recto_skeletons[app.env.docname] = bare


def assign_from_skeletons(self, env):
    env.get_doctree = env.recto_skeletons.__getitem__
    try:
        return assign(self, env)
    finally:
        del env.get_doctree


def setup(app):
    app.connect("doctree-read", keep, priority=900)
    TocTreeCollector.assign_figure_numbers = assign_from_skeletons
