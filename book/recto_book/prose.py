"""What an author writes beside prose: an erratum, something to try, exercises, the cover."""
import pathlib

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from recto_book import equations
from recto_book import katex_build
from recto_book import runs
from recto_book.elements import LATE, el, esc, icon, lately, raw, words

log = logging.getLogger(__name__)


class Erratum(SphinxDirective):
    """Where a source is wrong: what it prints, what is true, how we know."""
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True
    option_spec = {k: directives.unchanged_required for k in ("source", "row", "printed", "correct")}

    def run(self):
        for needed in ("source", "printed", "correct"):
            if needed not in self.options:
                raise self.error(f"erratum: `:{needed}:` is missing")
        row, title = self.options.get("row", ""), self.arguments[0]
        if row and runs.rows(self.config) and row not in runs.rows(self.config):
            log.warning("erratum: the register has no row %s", row, location=(self.env.docname, self.lineno))
        listed = self.env.recto_errata.setdefault(self.env.docname, [])
        anchor = f"erratum-{len(listed) + 1}"
        listed.append({"title": title, "anchor": anchor, **self.options})
        box = el("div", id=anchor, class_="rx-erratum", role="note", aria_label=f"Erratum: {title}")
        link = f' <a href="@ROOT@register.html#row={esc(row)}">{esc(runs.label(row))}</a>' if row else ""
        box += raw(f'<p class="rx-label">{icon("erratum")}Erratum{link}</p>')
        source, _ = self.parse_inline(self.options["source"])
        box += nodes.paragraph("", "", nodes.strong("", title), nodes.Text(" \N{EN DASH} "), nodes.inline("", "", *source))
        for kind in ("printed", "correct"):
            box += el("div", raw(f'<p class="rx-word">{kind}</p>'), *self.formula(self.options[kind]), class_=f"rx-{kind}")
        box += self.parse_content_to_nodes()
        return [box]

    def formula(self, text):
        """TeX; or words, if there is a `$` or a quotation mark in it."""
        if "$" in text or '"' in text:
            return [nodes.paragraph("", "", *self.parse_inline(text)[0])]
        made = nodes.math_block(text, text, number=None, label=None)
        made["no-wrap"] = made["nowrap"] = True
        self.set_source_info(made)
        return [made]


class ErrataList(SphinxDirective):
    def run(self):
        return [lately(self.env, "errata")]


def errata(translator, node):
    env, out = translator.builder.env, []
    order = equations.reading_order(env)
    for doc in sorted(env.recto_errata, key=lambda d: order.index(d) if d in order else 999):
        for e in env.recto_errata[doc]:
            def shown(text):
                if "$" in text or '"' in text:
                    return words(text, translator)
                return katex_build.html(translator, nodes.math("", text), False)
            row = f' <a class="rx-part" href="@ROOT@register.html#row={esc(e["row"])}">{esc(runs.label(e["row"]))}</a>' if e.get("row") else ""
            out.append(f'<tr><th scope="row"><a href="@ROOT@{doc}.html#{e["anchor"]}">{esc(e["title"])}</a>{row}'
                       f'<small>{words(e["source"].replace("{footcite:t}", ""), translator)}</small></th>'
                       f'<td><div class="rx-wide" tabindex="0" role="group" aria-label="printed">{shown(e["printed"])}</div></td>'
                       f'<td><div class="rx-wide" tabindex="0" role="group" aria-label="correct">{shown(e["correct"])}</div></td></tr>')
    if not out:
        return "<p>No page of this book lists an erratum yet.</p>"
    return ('<div class="rx-listing"><table><thead><tr><th scope="col">Where</th><th scope="col">Printed</th>'
            f'<th scope="col">Correct</th></tr></thead><tbody>{"".join(out)}</tbody></table></div>')


class Boxed(SphinxDirective):
    """A labelled aside: what to try, which exercises belong here."""
    has_content = True
    label, kind = "Try", "rx-try"

    def run(self):
        if not any(line.strip() for line in self.content):
            return []
        box = el("div", class_=self.kind, role="note", aria_label=self.label)
        box += raw(f'<p class="rx-label">{self.label}</p>')
        box += self.parse_content_to_nodes()
        return [box]


class Exercises(Boxed):
    label, kind = "Exercises that belong here", "rx-try rx-exercises"


class Cover(SphinxDirective):
    """The first page: what this is, in one sentence."""
    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self):
        leaf = (pathlib.Path(self.env.app.confdir) / "_static" / "recto.svg").read_text()
        where = " ".join(self.content).replace("C++", 'C<span class="plus">++</span>')
        return [raw(f'<div class="rx-cover"><div aria-hidden="true">{leaf}</div><p class="rx-motto">{esc(self.arguments[0])}</p>'
                    f'<p class="rx-where">{where}</p></div>')]


def setup(app):
    for name, made in {"erratum": Erratum, "errata-list": ErrataList, "try": Boxed, "exercises": Exercises,
                       "cover": Cover}.items():
        app.add_directive(name, made)
    LATE["errata"] = (lambda env, arg: (env.recto_errata, equations.reading_order(env))), errata
