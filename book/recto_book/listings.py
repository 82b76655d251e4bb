"""Pages made from what the build knows: how long everything took, who checked the book, where it stands."""
import pathlib

from sphinx.util.docutils import SphinxDirective

from recto_book import equations
from recto_book import runs
from recto_book.elements import LATE, esc, icon, lately, seconds


def taken(env):
    """(page, title, page record) of every page that ran, in the order of the book."""
    out = []
    for doc in equations.reading_order(env):
        if doc in env.recto_stamps:
            out.append((doc, env.titles[doc].astext() if doc in env.titles else doc,
                        runs.page_record(env.config, doc.rpartition("/")[2])))
    return out


def steps(env):
    return runs.load(pathlib.Path(env.config.recto_build) / "times.json", {})


def times(translator, node):
    """How long each page took, and each step of the build if it was timed."""
    env, rows, whole = translator.builder.env, [], 0
    for doc, title, page in taken(env):
        took = page["seconds"] if page else None
        whole += took or 0
        where = f'{page["device"]}, {page["threads"]} threads, {page["cpu"]}, {page["precision"]}' if page else "not run yet"
        rows.append(f'<tr><th scope="row"><a href="@ROOT@{doc}.html">{esc(title)}</a></th>'
                    f'<td class="num">{seconds(took)}</td><td>{esc(where)}</td></tr>')
    if not rows:
        return "<p>No page has run yet.</p>"
    rows.append(f'<tr class="sum"><th scope="row">All pages</th><td class="num">{seconds(whole)}</td><td></td></tr>')
    out = ('<div class="rx-listing"><table><thead><tr><th scope="col">Page</th><th scope="col" class="num">Took</th>'
           f'<th scope="col">On</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>')
    known = steps(env)
    if known.get("steps"):
        body = "".join(f'<tr><th scope="row">{esc(s["name"])}</th><td class="num">{seconds(s["seconds"])}</td></tr>'
                       for s in known["steps"])
        machine = f' on {esc(known["machine"])}' if known.get("machine") else ""
        out += (f"<p>The steps of the build{machine}:</p>"
                '<div class="rx-listing"><table><thead><tr><th scope="col">Step</th><th scope="col" class="num">Took</th></tr>'
                f"</thead><tbody>{body}</tbody></table></div>")
    return out


def checks(env, _arg=None):
    return runs.load(pathlib.Path(env.config.recto_build) / "checks.json", {})


def checked(translator, node):
    """Lists what the browser check found (tests/book/check_book.py), as evidence of the book's state."""
    c = checks(translator.builder.env)
    if not c:
        return ('<p>This copy of the book has not been checked in a browser. <code>tests/book/check_book.py</code> '
                "does it, and this page then shows what it found.</p>")
    rows = "".join(
        f'<tr><th scope="row"><a href="@ROOT@{esc(p["page"])}">{esc(p["page"])}</a></th>'
        + "".join(f'<td class="num">{p[k]}</td>' for k in ("sliders", "folds", "questions", "tables", "controls"))
        + f'<td>{"reached" if not p["unreached"] else esc(", ".join(p["unreached"]))}</td>'
        f'<td class="num">{p["violations"] if p.get("read", True) else "not read"}</td></tr>' for p in c["pages"])
    good = c["failed"] == 0
    return (f'<p class="rx-note {"reproduced" if good else "broken"}">{icon("reproduced" if good else "broken")}<span>'
            f'{esc(c["summary"])}. {esc(c["browser"])}, axe-core {esc(c["axe"])}, {esc(c["date"])}.</span></p>'
            '<div class="rx-listing" tabindex="0" role="region" aria-label="pages"><table><thead><tr><th scope="col">Page</th>'
            + "".join(f'<th scope="col" class="num">{w}</th>' for w in ("Sliders", "Folds", "Questions", "Tables", "All controls"))
            + '<th scope="col">By keyboard</th><th scope="col" class="num">Violations</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div>")


def standing(translator, node):
    """One line on the cover: how many rows of the register this build reproduces."""
    count = counts(translator.builder.env)
    total = sum(count.values())
    if not total:
        return ""
    names = {"reproduced": "reproduced", "erratum": "errata", "differs": "not reproduced", "not-run": "not run",
             "stale": "stale", "broken": "broken", "open": "open"}
    said = ", ".join(f"{count[k]} {w}" for k, w in names.items() if count.get(k))
    bar = "".join(f'<i class="{k}" style="flex-grow:{count[k]}"></i>' for k in names if count.get(k))
    return (f'<div class="rx-standing"><div class="rx-share" aria-hidden="true">{bar}</div>'
            f'<p><a href="@ROOT@register.html">{total} figures, equations, systems, claims and exercises of the sources</a>: {said}.</p></div>')


def counts(env, _arg=None):
    out = {}
    for row in runs.rows(env.config).values():
        look = runs.key(row.get("verdict"))
        out[look] = out.get(look, 0) + 1
    return out


def directive(what):
    class Made(SphinxDirective):
        def run(self):
            return [lately(self.env, what)]
    return Made


def setup(app):
    LATE["times"] = (lambda env, arg: (taken(env), steps(env))), times
    LATE["checked"] = checks, checked
    LATE["standing"] = counts, standing
    for name in ("times", "checked", "standing"):
        app.add_directive(name, directive(name))
