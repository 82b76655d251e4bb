"""A chapter has the number of its folder, also while the chapter before it is not written.

Sphinx counts the chapters that are there. What it counted is corrected before figures and equations are numbered.
"""
import pathlib

from docutils import nodes
from sphinx.environment.collectors.toctree import TocTreeCollector

as_counted = TocTreeCollector.assign_section_numbers


def chapters(root):
    """The number of each chapter: `chapters/6-fine-tuning` is number 6."""
    return {name: int(number) for number, _, name in (path.name.partition("-") for path in (root / "chapters").glob("[1-9]-*"))}


def moved(numbers, chapter):
    """A section's number, with that of its chapter in front."""
    return type(numbers)([chapter, *numbers[1:]]) if numbers else numbers


def assign_section_numbers(self, env):
    """Numbers the sections; returns the pages whose numbers have changed."""
    before = env.toc_secnumbers
    as_counted(self, env)
    known = chapters(pathlib.Path(env.config.recto_root))
    for doc, sections in env.toc_secnumbers.items():
        if (chapter := known.get(doc.partition("/")[0])) is None:
            continue
        env.toc_secnumbers[doc] = {anchor: moved(numbers, chapter) for anchor, numbers in sections.items()}
        for node in (*env.tocs[doc].findall(nodes.reference), env.titles[doc]):
            if node.get("secnumber"):
                node["secnumber"] = moved(node["secnumber"], chapter)
    return [doc for doc, sections in env.toc_secnumbers.items() if sections != before.get(doc)]


def setup(_app):
    TocTreeCollector.assign_section_numbers = assign_section_numbers
