"""The map of a chapter: its pages in reading order, and beside them a line from each page to the pages that use it.

What a page needs stands in book/taught.toml. The lines run in lanes, like the branches of a version history: a page stands in
its lane, at its row, and a line runs in a lane where no page stands between its ends.
"""
import pathlib
import re
import tomllib

from docutils import nodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from recto_book.elements import LATE, esc, lately

log = logging.getLogger(__name__)


def listed(folder):
    """(pages that can be read at any time, {page: pages that it needs}) of taught.toml; pages by the name of their program."""
    found = tomllib.loads((pathlib.Path(folder) / "taught.toml").read_text(encoding="utf-8")).get("needs", {})
    machine = found.pop("machine", [])
    return machine, {page: wanted for chapter in found.values() for page, wanted in chapter.items()}


def troubles(order, machine, needs):
    """What is wrong with these needs, a sentence each; `order` has all pages as they are read."""
    at = {page: n for n, page in enumerate(order)}
    for page in [*machine, *needs]:
        if page not in at:
            yield f"the book has no page {page}"
    for page in order[1:]:
        if not needs.get(page):
            yield f"{page} needs no page"
    for page, wanted in needs.items():
        for other in wanted:
            if other not in at:
                yield f"{page} needs {other}, and the book has no such page"
            elif page in at and at[other] >= at[page] and other not in machine:
                yield f"{page} needs {other}, which comes later"


def chapters(root):
    """[(chapter, its pages as they are read)], from the tables of contents of the sources."""
    out = []
    for index in sorted((pathlib.Path(root) / "chapters").glob("*/index.md")):
        tree = re.search(r"```\{toctree\}\n(.*?)```", index.read_text(encoding="utf-8"), re.S)
        pages = [line.strip() for line in tree[1].splitlines() if line.strip() and not line.startswith(":")] if tree else []
        out.append((index.parent.name.partition("-")[2], pages))
    return out


def direct(needs):
    """Of what each page needs the pages that no other page it needs has needed before: what has to be drawn."""
    above = {}

    def before(page):
        if page not in above:
            above[page] = set()              # needs that lead back to their page are told elsewhere
            above[page] = {q for other in needs.get(page, ()) for q in (other, *before(other))}
        return above[page]
    return {page: [q for q in wanted if not any(q in before(other) for other in wanted if other != q)]
            for page, wanted in needs.items()}


def lanes(pages, needs):
    """({page: its lane}, [(from, to, the lane of the line between)]) of pages in order."""
    row, lane, taken, lines = {page: n for n, page in enumerate(pages)}, {}, {}, []

    def free(where, first, last, line):
        return all(taken.get((where, n), line) == line for n in range(first, last))

    def way(page, end, other):
        """(cost, lane) of the best line from `other` to `page`, should the page stand in lane `end`."""
        top, bottom = row[other] + 1, row[page]
        ways = [(abs(end - lane[other]) + (2 * abs(via - end) + 2 * abs(via - lane[other]) if via not in (end, lane[other]) else 0), via)
                for via in range(len(pages)) if free(via, top, bottom, other)]
        return min(ways, key=lambda w: (w[0], w[1] != end))

    for page in pages:
        wanted = [other for other in needs.get(page, ()) if other in lane]
        lane[page] = min((n for n in range(len(pages)) if free(n, row[page], row[page] + 1, None)),
                         key=lambda n: (sum(way(page, n, other)[0] for other in wanted) + (0 if wanted else n) + n / 100))
        taken[lane[page], row[page]] = f"page {page}"
        for other in wanted:
            via = way(page, lane[page], other)[1]
            lines.append((other, page, via))
            taken.update({(via, n): other for n in range(row[other] + 1, row[page])})
    return lane, lines


def path(start, end, via):
    """One line as SVG, a unit for each lane and row; (lane, row) of its ends. It leaves its lane within a row."""
    (x, y), (u, v) = start, end
    out = f"M{x} {y}"
    if via != x:
        out += f"C{x} {y + .6} {via} {y + .4} {via} {y + 1}"
        y += 1
    if via == u:
        return out + f"V{v}"
    return out + f"V{v - 1}C{via} {v - .4} {u} {v - .6} {u} {v}"


def drawn(pages, needs, entry):
    """The map as HTML; `entry(page)` is what stands in its row."""
    lane, lines = lanes(pages, direct(needs))
    row, wide = {page: n for n, page in enumerate(pages)}, max(lane.values(), default=0)
    wide = max([wide, *(via for _, _, via in lines)])
    paths = "".join(f'<path data-from="{esc(a)}" data-to="{esc(b)}" d="{path((lane[a], row[a]), (lane[b], row[b]), via)}"/>'
                    for a, b, via in lines)
    svg = (f'<svg aria-hidden="true" viewBox="-.5 -.5 {wide + 1} {len(pages)}" preserveAspectRatio="none">{paths}</svg>')
    rows = "".join(f'<li data-page="{esc(page)}" style="--lane:{lane[page]}">{entry(page)}</li>' for page in pages)
    return f'<div class="rx-map" style="--lanes:{wide + 1}">{svg}<ol>{rows}</ol></div>'


def known(env, chapter):
    """What a map depends on."""
    return listed(env.app.confdir), [(doc, str(env.titles.get(doc, "")), env.toc_secnumbers.get(doc, {}).get(""))
                                     for doc in env.found_docs if "/" in doc and doc.rpartition("/")[0] == chapter.rpartition("/")[0]]


def chapter_map(translator, node):
    """The map of the chapter whose contents this page has."""
    builder, env = translator.builder, translator.builder.env
    machine, needs = listed(env.app.confdir)
    docs = {doc.rpartition("/")[2]: doc for doc in sorted(env.recto_stamps)}
    pages = [doc.rpartition("/")[2] for doc in env.toctree_includes.get(node["arg"], [])]

    def number(page):
        return ".".join(map(str, env.toc_secnumbers.get(docs[page], {}).get("", ())))

    def link(page, words, css=""):
        return f'<a{css} href="{esc(builder.get_relative_uri(builder.current_docname, docs[page]))}">{words}</a>'

    def entry(page):
        title = esc(env.titles[docs[page]].astext())
        mark = '<i class="machine"></i>' if page in machine else "<i></i>"
        wanted = [other for other in needs.get(page, ()) if other in docs]
        words = ", ".join(number(other) if other in pages else
                          link(other, number(other), f' title="{esc(env.titles[docs[other]].astext())}"') for other in wanted)
        far = " far" if any(other not in pages for other in wanted) else ""
        after = f'<span class="rx-after{far}">after {words}</span>' if words else ""
        return f'{mark}<span class="rx-stop">{link(page, f"<b>{number(page)}</b> {title}")}{after}</span>'

    note = ""
    if any(page in machine for page in pages):
        note = '<p class="rx-map-note"><i class="machine"></i> The machine: read it now or after the next chapter.</p>'
    return drawn([page for page in pages if page in docs], needs, entry) + note


class Map(SphinxDirective):
    """`{map}`: the pages that this file's table of contents lists, and what depends on what."""

    def run(self):
        says = "A line leads from each page down to the pages that use its ideas; point at a page to follow its lines."
        heard = nodes.paragraph("", says, classes=["rx-map-says"])
        return [heard, lately(self.env, "map", self.env.docname)]


def checked(app, _env):
    for trouble in troubles([page for _, pages in chapters(app.config.recto_root) for page in pages], *listed(app.confdir)):
        log.warning("taught.toml: %s", trouble)


def setup(app):
    app.add_directive("map", Map)
    app.connect("env-updated", checked)
    LATE["map"] = known, chapter_map
