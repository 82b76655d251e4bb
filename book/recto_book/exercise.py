"""Exercises in the book: the top of a statement, the lists of a set, and links from and to the pages."""
import functools
import pathlib
import tomllib

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from recto_book import mistakes, runs
from recto_book.elements import LATE, esc, icon, lately, raw, root

log = logging.getLogger(__name__)


@functools.lru_cache
def sets(tree):
    """Every set with its exercises, in the order of the book: dictionaries as they stand in set.toml and exercise.toml."""
    found = []
    for path in pathlib.Path(tree, "exercises").glob("*/set.toml"):
        group = {**tomllib.loads(path.read_text(encoding="utf-8")), "name": path.parent.name}
        group["exercises"] = [{**tomllib.loads((path.parent / name / "exercise.toml").read_text(encoding="utf-8")),
                               "name": name, "set": path.parent.name, "folder": path.parent / name}
                              for name in group["exercises"]]
        found.append(group)
    return sorted((group for group in found if group["exercises"]),
                  key=lambda group: (group["chapter"], group.get("order", 0), group["name"]))


def pages(tree):
    """The pages of all this: name to (text, the file it comes from)."""
    made = {}
    opening = tree / "exercises" / "index.md"
    if opening.exists():
        made["exercises/index.md"] = (opening.read_text(encoding="utf-8"), opening)
    for group in sets(str(tree)):
        name = group["name"]
        entries = "\n".join(exercise["name"] for exercise in group["exercises"])
        made[f"exercises/{name}/index.md"] = (
            f"# {group['title']}\n\n```{{exercise-set}} {name}\n```\n\n```{{toctree}}\n:hidden:\n\n{entries}\n```\n", None)
        for exercise in group["exercises"]:
            source = exercise["folder"] / "statement.md"
            title, _, rest = source.read_text(encoding="utf-8").partition("\n")
            link = ""
            if (tree / "solutions" / name / exercise["name"] / "wrong").is_dir():       # not in a tree that was handed out
                link, text = mistakes.page(exercise)
                made[f"exercises/{name}/{exercise['name']}-mistakes.md"] = (text, None)
            made[f"exercises/{name}/{exercise['name']}.md"] = (
                f"{title}\n\n```{{exercise}} {name}/{exercise['name']}\n```\n{rest}\n{link}", source)
    return made


def find(config, name):
    """One exercise by SET/NAME."""
    for group in sets(config.recto_root):
        for exercise in group["exercises"]:
            if name == f"{group['name']}/{exercise['name']}":
                return exercise
    return None


def belonging(config, rows):
    """Links to the exercises that name one of these rows."""
    found = [exercise for group in sets(config.recto_root) for exercise in group["exercises"]
             if set(rows) & set(exercise.get("rows", ()))]
    return [f'<a href="@ROOT@exercises/{exercise["set"]}/{exercise["name"]}.html">exercise: {esc(exercise["title"])}</a>'
            for exercise in found]


def points(part):
    """2 points (*), at most 60 s"""
    worth = part.get("points", 1)
    words = f"{worth:g} point{'s' * (worth != 1)}" + (" (*)" if part.get("star") else "")
    return words + (f", trains for at most {part['seconds']:g} s" if part.get("training") else "")


class Exercise(SphinxDirective):
    """The top of a statement: what to type, which file, how it is counted, where to read."""
    required_arguments = 1

    def run(self):
        exercise = find(self.config, self.arguments[0])
        known = runs.rows(self.config)
        for row in exercise.get("rows", ()):
            if known and row not in known:
                log.warning("exercise: the register has no row %s", row, location=(self.env.docname, self.lineno))
        name, group = exercise["name"], exercise["set"]
        parts = "".join(f'<tr><th scope="row"><code>{esc(part["name"])}</code></th><td>{esc(part["what"])}</td>'
                        f"<td>{esc(points(part))}</td></tr>" for part in exercise["parts"])
        return [raw(
            f'<div class="rx-page"><div class="rx-run"><code class="rx-command">./recto start {esc(name)}</code>'
            f'<code class="rx-command">./recto watch {esc(name)}</code>'
            f'<details><summary>{len(exercise["parts"])} parts</summary><div class="rx-options"><table><thead class="rx-hidden">'
            '<tr><th scope="col">part</th><th scope="col">what</th><th scope="col">points</th></tr></thead>'
            f"<tbody>{parts}</tbody></table></div></details></div>"),
            lately(self.env, "exercise-rows", (self.env.docname, list(exercise.get("rows", ())))),
            raw(f'<div class="rx-ways"><span>You write <code>work/{esc(group)}/{esc(name)}/{esc(exercise["file"])}</code>'
                "</span></div></div>")]


def chips(translator, node):
    """The rows that an exercise sends its reader to."""
    known = runs.rows(translator.builder.config)
    out = "".join(f'<li><a class="rx-chip {runs.key(verdict)}" href="@ROOT@register.html#row={esc(row)}" title="{esc(verdict)}">'
                  f'{icon(runs.key(verdict))}{esc(runs.label(row))}<span class="rx-hidden"> {esc(verdict)}</span></a></li>'
                  for row in node["arg"][1] for verdict in [known.get(row, {}).get("verdict") or "open"])
    return f'<ul class="rx-chips" aria-label="Rows of the register to read">{out}</ul>' if out else ""


class ExerciseSet(SphinxDirective):
    """The exercises of a set, and how it is marked."""
    required_arguments = 1

    def run(self):
        group = next(g for g in sets(self.config.recto_root) if g["name"] == self.arguments[0])
        starred = any(part.get("star") for exercise in group["exercises"] for part in exercise["parts"])
        rule = ("The base parts give up to 2 of 4; the starred ones give the rest, once the base is complete."
                if starred else "All parts together give up to 4.")
        rows = "".join(
            f'<tr><th scope="row"><a href="{esc(exercise["name"])}.html">{esc(exercise["title"])}</a></th>'
            f'<td><code>{esc(exercise["name"])}</code></td><td>{sum(part.get("points", 1) for part in exercise["parts"]):g} points'
            f'{" (*)" if all(part.get("star") for part in exercise["parts"]) else ""}</td></tr>'
            for exercise in group["exercises"])
        return [raw(f'<p>{rule} <code>./recto start {esc(group["name"])}</code> begins all of them.</p>'
                    '<div class="rx-listing"><table><thead><tr><th scope="col">Exercise</th><th scope="col">Name</th>'
                    f'<th scope="col">Worth</th></tr></thead><tbody>{rows}</tbody></table></div>')]


class link(nodes.Inline, nodes.TextElement):
    """A link whose address begins at the top of the book."""


def visit_link(self, node):
    self.body.append(f'<a href="{root(self)}{esc(node["to"])}">')


def depart_link(self, node):
    self.body.append("</a>")


def row(name, rawtext, text, lineno, inliner, options=None, content=None):
    """{row}`fig-1.1`: that row in the register."""
    return [link("", text, to=f"register.html#row={text}")], []


def setup(app):
    app.add_directive("exercise", Exercise)
    app.add_directive("exercise-set", ExerciseSet)
    app.add_role("row", row)
    app.add_node(link, html=(visit_link, depart_link))
    LATE["exercise-rows"] = (lambda env, arg: [(r, runs.rows(env.config).get(r, {}).get("verdict")) for r in arg[1]]), chips
