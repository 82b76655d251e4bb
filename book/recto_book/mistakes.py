"""The page of an exercise's wrong answers: each by its name, what the judge says of it, and the change that makes it."""
import json
import pathlib
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from recto_book.elements import el, esc, raw


def page(exercise):
    """(link from the statement, text of the page) for an exercise as set.toml and exercise.toml describe it."""
    link = (f"## Mistakes\n\nAn answer that is almost right teaches most: [the wrong answers that the judge "
            f"recognises]({exercise['name']}-mistakes.md), each as a change of the right one. They give the answer away.\n")
    text = (f"---\norphan: true\n---\n\n# Mistakes: {exercise['title']}\n\n[The exercise]({exercise['name']}.md). Each fold names a "
            "mistake, quotes what the judge says of it, and shows the lines of the reference that it drops (−) and adds (+). "
            f"**This gives the answer away.**\n\n```{{mistakes}} {exercise['set']}/{exercise['name']}\n```\n")
    return link, text


class Mistakes(SphinxDirective):
    """`{mistakes} foundations/softmax`: the wrong answers of an exercise, folded."""
    required_arguments = 1

    def run(self):
        path = pathlib.Path(self.config.recto_build) / "mistakes.json"
        self.env.note_dependency(str(path))
        if not path.exists():
            return [raw("<p>The wrong answers were not read yet: <code>./recto book</code> reads them.</p>")]
        return [self.fold(answer) for answer in json.loads(path.read_text(encoding="utf-8")).get(self.arguments[0], [])]

    def fold(self, answer):
        """A fold with one wrong answer: its code, and what the judge says of it."""
        words = re.sub("`([^`]+)`", r"<code>\1</code>", esc(answer["says"], quote=False))
        said = f"<p>The judge says: <q>{words}</q>.</p>" if words else ""
        about = f'<p>{esc(answer["about"], quote=False)}</p>' if answer["about"] else ""
        whole = "" if answer["patch"] else "<p>This program shares too little with the reference to be shown as a change of it.</p>"
        outcome = "" if answer["outcome"] == "wrong answer" else f' ({esc(answer["outcome"])})'
        code = nodes.literal_block(answer["code"], answer["code"], language="diff" if answer["patch"] else "cpp")
        return el("details", raw(f'<summary><code>{esc(answer["name"])}</code>{outcome}</summary>{about}{said}{whole}'), code)


def setup(app):
    app.add_directive("mistakes", Mistakes)
