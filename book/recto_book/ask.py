"""Questions to answer before looking. Choices are folds, so they work without a script and keep nothing;
a number has a small script and a fold with the answer. Paper shows the answers at the end of the page."""
import json

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from recto_book.elements import el, icon, number, raw


def inline(directive, text):
    """Markdown of one line, as nodes."""
    found, _ = directive.parse_inline(text, lineno=directive.lineno)
    return [nodes.inline("", "", *found)]      # a reference wants a parent that holds text


class Ask(SphinxDirective):
    has_content = True

    def run(self):
        r = json.loads("\n".join(self.content))
        asked = self.env.recto_asks.setdefault(self.env.docname, [])
        n = len(asked) + 1
        box = el("div", id=f"ask-{n}", class_="rx-ask", role="group", aria_labelledby=f"ask-{n}-question")
        box += raw('<p class="rx-label">Before you look</p>')
        box += el("p", *inline(self, r["question"]), class_="rx-question", id=f"ask-{n}-question")
        box += self.choices(r, n) if "choices" in r else self.number(r, n)
        asked.append(r)
        return [box]

    def choices(self, r, n):
        listed = el("ol", class_="rx-choices")
        for letter, c in zip("abcdefgh", r["choices"]):
            state = "reproduced" if c["right"] else "broken"
            fold = el("details", name=f"ask-{n}", class_=state)
            fold += el("summary", raw(f'<span class="rx-letter">{letter}</span>'), el("span", *inline(self, c["text"])))
            why = el("p", raw(f'{icon(state)}<b>{"Right." if c["right"] else "No."}</b> '), *inline(self, c.get("why", "")),
                     class_=f"rx-why {state}")
            fold += why
            listed += el("li", fold)
        return listed

    def number(self, r, n):
        form = el("div", class_="rx-answer", data_answer=str(r["answer"]), data_tolerance=str(r.get("tolerance", 0)))
        form += raw(f'<form class="rx-guess" hidden><label>Your number <input type="text" inputmode="decimal" '
                    f'autocomplete="off" spellcheck="false"></label> <button type="submit">check</button> '
                    f'<output aria-live="polite"></output></form>'
                    f'<template class="rx-yes">{icon("reproduced")}</template><template class="rx-no">{icon("broken")}</template>')
        fold = el("details", el("summary", nodes.Text("the answer")))
        fold += el("p", raw(f"<b>{number(r['answer'])}</b>{within(r)}. "), *inline(self, r.get("why", "")), class_="rx-why")
        form += fold
        return form


def within(r):
    return f", within {number(r['tolerance'])}" if r.get("tolerance") else ""


def after(sentence):
    """What stands between a choice and its reason: a full stop, unless the choice ends with one."""
    return " " if sentence.rstrip().endswith((".", "?", "!")) else ". "


class Answers(SphinxDirective):
    """On paper, at the end of the page: what was right, and why."""

    def run(self):
        asked = self.env.recto_asks.get(self.env.docname, [])
        if not asked:
            return []
        box = el("div", class_="rx-answers")
        box += raw('<p class="rx-label">Answers</p>')
        for n, r in enumerate(asked, 1):
            lead = el("b", nodes.Text(f"{n}. " if len(asked) > 1 else ""))
            if "choices" in r:
                for letter, c in zip("abcdefgh", r["choices"]):
                    if c["right"]:
                        box += el("p", lead, raw(f"<b>({letter})</b> "), *inline(self, c["text"]), nodes.Text(after(c["text"])),
                                  *inline(self, c.get("why", "")))
            else:
                box += el("p", lead, raw(f"<b>{number(r['answer'])}</b>{within(r)}. "), *inline(self, r.get("why", "")))
        return [box]


def setup(app):
    app.add_directive("ask", Ask)
    app.add_directive("answers", Answers)
