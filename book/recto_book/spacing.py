"""A number and its per cent sign stay on one line."""
import re

from docutils import nodes


def kept_together(text: str) -> str:
    """A text in which no line breaks between a number and its per cent sign."""
    return re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", text)


def keep(_app, document):
    """In all text but code."""
    for text in list(document.findall(nodes.Text)):
        if not isinstance(text.parent, (nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.math_block)):
            text.parent.replace(text, nodes.Text(kept_together(str(text))))


def setup(app):
    app.connect("doctree-read", keep)
