"""The top of a page, the switch for its code; and its foot: how to run it, what it covers with which verdict, its tests."""
import json
import pathlib

from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from recto_book import exercise
from recto_book import program
from recto_book import runs
from recto_book.elements import LATE, esc, icon, lately, raw, seconds

log = logging.getLogger(__name__)


class Rows(SphinxDirective):
    """`{rows} fig-1.1 eq-1.1`: the rows of the register that this page covers."""
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self):
        ids = (self.arguments[0] if self.arguments else "").split()
        top = self.env.temp_data.get("recto_top")
        if not top:
            raise self.error("rows: only a program can cover rows")
        known = runs.rows(self.config)
        for row in ids:
            if known and row not in known:
                log.warning("rows: the register has no row %s", row, location=(self.env.docname, self.lineno))
        self.env.note_dependency(str(pathlib.Path(self.config.recto_build) / "web/programs.json"))
        return [raw(tryable(self.config, top)),
                raw(f'<div class="rx-page"><div class="rx-run">{command(top)}</div>'),
                lately(self.env, "chips", (self.env.docname, ids)), raw("</div>")]


class PageTop(SphinxDirective):
    """Under the title: whether code is folded, and why numbers are missing if they are."""

    def run(self):
        top = self.env.temp_data["recto_top"]
        if top["problem"] and self.config.recto_strict:
            log.warning("not run: %s", top["problem"], location=(self.env.docname, self.lineno))
        out = [raw('<div class="rx-switch" role="group" aria-label="What this book shows" hidden>'
                   '<button type="button" value="prose">Prose</button><button type="button" value="code">Code</button></div>')]
        if top["problem"]:
            out.append(raw(f'<p class="rx-note">{icon("not-run")}<span><b>Not run yet.</b> {esc(top["problem"])} '
                           f'<code>./recto book</code> runs it.</span></p>'))
        elif not top["page"].get("standard", True):
            out.append(raw(f'<p class="rx-note">{icon("not-run")}<span><b>Not the standard settings.</b> '
                           "Claims are not judged in this run.</span></p>"))
        return out


def command(top):
    run, name = top["page"] or {}, top["program"]
    shown = f'<code class="rx-command">./recto run {esc(name)}</code>'
    if run:
        device = {"cpu": "the CPU", "sim": "the simulated GPU", "cuda": "the GPU"}.get(run.get("device"), run.get("device"))
        threads = run.get("threads")
        where = f"{device}, {threads} thread{'s' * (threads != 1)}" if threads and run.get("device") == "cpu" else device
        shown += f'<span class="rx-took">{seconds(run.get("seconds"))} on {esc(where)}</span>'
    rows = "".join(
        f'<tr><th scope="row"><code>--{esc(o["name"])}</code></th><td><code>{esc(str(o["default"]))}</code></td>'
        f"<td>{esc(o.get('help', ''))}</td></tr>" for o in run.get("options", ()))
    rows += (f'<tr><th scope="row"><code>--seed</code></th><td><code>{esc(str(run.get("seed", 1)))}</code></td>'
             "<td>of everything random</td></tr>"
             '<tr><th scope="row"><code>--device</code></th><td><code>cpu</code></td><td>cpu, sim or cuda</td></tr>'
             '<tr><th scope="row"><code>--quick</code></th><td></td><td>a small run; nothing is judged</td></tr>')
    count = len(run.get("options", ())) + 3
    return (f'{shown}<details><summary>{count} options</summary><div class="rx-options"><table>'
            '<thead class="rx-hidden"><tr><th scope="col">option</th><th scope="col">standard</th><th scope="col">what it is</th></tr></thead>'
            f"<tbody>{rows}</tbody></table></div></details>")


PATIENCE = 20        # seconds that a reader waits without being warned
SLOWER = 4           # times longer than on one core here: vectors of 128 bits


def tryable(config, top):
    """*Change and run*: the page's options as inputs, for a script to run the page's program in the browser. Empty where the book
    was made without these programs; a sentence where this program cannot run there."""
    need = runs.load(pathlib.Path(config.recto_build) / "web/programs.json", {}).get(top["program"])
    run = top["page"]
    if not need or not run:
        return ""
    if "why" in need:
        return f'<p class="rx-elsewhere">This page does not run in a browser: {esc(need["why"])}.</p>'
    options = [*run.get("options", ()), {"name": "seed", "default": str(run.get("seed", 1)), "help": "of everything random"}]
    part, begin = need.get("part", ""), need.get("start", {})
    inputs = "".join(field(o["name"], str(o["default"]), o.get("help", ""), begin=begin.get(o["name"])) for o in options)
    expected = run.get("seconds", 0) * run.get("threads", 1) * SLOWER
    slow, warning = expected > PATIENCE, ""
    if slow:
        how_long = f"about {expected / 60:.0f} minutes" if expected > 90 else "up to a minute and a half"
        warning = f"<p>At its standard settings this page takes {how_long} in a browser; quick is a small run, and nothing is judged.</p>"
    fewer = f"<p>This book carries {part} of Fashion-MNIST. With fewer images no claim is judged.</p>" if part else ""
    differs = ("Its last digits may differ from those printed above: a browser has smaller vectors and no fused multiply-add, "
               "and training magnifies rounding.")
    return (f'<details class="rx-here" data-page="{esc(json.dumps(need))}" data-differs="{esc(differs)}" data-part="{esc(part)}" hidden>'
            f"<summary>Change and run</summary><p>This page's own program, in your browser. Nothing leaves it.</p>{fewer}{warning}"
            f'<form><div class="rx-fields">{inputs}{field("quick", "false", "a small run; nothing is judged", on=slow)}</div>'
            '<button type="submit" name="run">Run</button> <button type="button" name="stop" disabled>Stop</button> '
            '<button type="button" name="reset">Standard values</button></form>'
            '<p role="status"></p><progress aria-label="share of the run that is done" hidden></progress>'
            '<pre tabindex="0" role="log" aria-label="What the program prints" hidden></pre><div class="rx-results"></div></details>')


def field(name, standard, words, on=False, begin=None):
    """One option as an input, which begins with its standard value unless told otherwise. The program itself says which values it wants."""
    if standard in ("true", "false"):
        checked = " checked" if standard == "true" or on else ""
        entry = f'<input type="checkbox" name="--{esc(name)}" data-standard="{standard}"{checked}>'
    else:
        entry = (f'<input type="text" name="--{esc(name)}" data-standard="{esc(standard)}" value="{esc(begin or standard)}" '
                 'autocomplete="off" spellcheck="false">')
    return f"<label><code>{esc(name)}</code>{entry}<span>{esc(words)}</span></label>"


def chips(translator, node):
    """The rows with their verdicts, and the ways on."""
    doc, ids = node["arg"]
    config, out = translator.builder.config, []
    known = runs.rows(config)
    for row in ids:
        verdict = known.get(row, {}).get("verdict") or "open"
        out.append(f'<li><a class="rx-chip {runs.key(verdict)}" href="@ROOT@register.html#row={esc(row)}" '
                   f'title="{esc(verdict)}">{icon(runs.key(verdict))}{esc(runs.label(row))}<span class="rx-hidden"> {esc(verdict)}</span></a></li>')
    listed = f'<ul class="rx-chips" aria-label="Rows of the register covered here">{"".join(out)}</ul>' if out else ""
    tests = runs.proving(config, ids)
    ways = [f'<a href="@ROOT@programs/{esc(doc)}.cpp.txt">the program</a>', '<a href="@ROOT@api/index.html">the reference</a>',
            *exercise.belonging(config, ids)]
    fold = ""
    if tests:
        items = "".join(f"<li>{program.test_anchor(translator, t['name'])}</li>" for t in tests)
        fold = f"<details><summary>{len(tests)} test{'s' * (len(tests) != 1)}</summary><ul class='rx-tests'>{items}</ul></details>"
    else:
        ways.insert(1, '<a href="@ROOT@tests/index.html">the tests</a>')
    return f'{listed}<div class="rx-ways"><span>{" · ".join(ways)}</span>{fold}</div>'


def chips_key(env, arg):
    ids = arg[1]
    known = runs.rows(env.config)
    return [(i, known.get(i, {}).get("verdict")) for i in ids] + [
        (t["name"], t["doc"], t["anchor"]) for t in runs.proving(env.config, ids)]


def programs(app, error):
    """Every program as plain text beside its page."""
    if error or app.builder.format != "html":
        return
    from recto_book.gather import sync
    source = pathlib.Path(app.srcdir)
    sync(pathlib.Path(app.outdir) / "programs", {f"{p.relative_to(source).as_posix()}.txt": p.read_bytes()
                                                 for p in source.rglob("*.cpp")})


def setup(app):
    app.add_directive("rows", Rows)
    app.add_directive("page-top", PageTop)
    LATE["chips"] = chips_key, chips
    app.connect("build-finished", programs)
