"""The contents of a chapter as pictures: every page of it, with its figures made small."""
import base64
import functools
import json
import math
import pathlib
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from recto_book.tools import palette
from recto_book import runs
from recto_book import stills
from recto_book.elements import LATE, esc, lately

WIDE, HIGH = 141, 92         # pixels of a thumbnail; twice as many are kept, for fine screens


class Thumbnails(SphinxDirective):
    """`{thumbnails}`: the pages that this file's table of contents lists."""

    def run(self):
        return [lately(self.env, "thumbnails", self.env.docname)]


@functools.lru_cache
def colours(style, dark):
    """The variables of the page's colours, light or dark, as its style sheet sets them."""
    text = pathlib.Path(style).read_text(encoding="utf-8")
    found = [dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", block))
             for block in re.findall(r"body[^{]*\{([^}]*--fig-ink[^}]*)\}", text)]
    return found[1 if dark else 0]


def coloured(svg, known):
    """An SVG on its own: variables become colours, on the page's paper."""
    def paint(style):
        return "".join(f' {key}="{known.get(name, "#888888")}"' for key, name in
                       re.findall(r"(fill|stroke|stop-color):var\((--[\w-]+)\)", style[1])) + (
            f' style="{rest}"' if (rest := re.sub(r"(fill|stroke|stop-color):var\([^)]*\);?", "", style[1])) else "")
    return re.sub(r' style="([^"]*var\([^"]*)"', paint, svg)


def png(config, svg, dark):
    """The picture as bytes, kept in the cache like every still."""
    import vl_convert
    known = colours(str(pathlib.Path(config.recto_root) / "book/_static/recto.css"), dark)
    size = re.search(r'width="([\d.]+)"', svg)
    text = coloured(svg, known)
    made = stills.kept(config, "thumbnails", text, lambda: base64.b64encode(
        vl_convert.svg_to_png(text, scale=2 * WIDE / max(float(size[1]), 1))).decode())
    return base64.b64decode(made)


def nearest(svgs):
    """Of a wide and a narrow drawing the one whose form is nearer to that of the frame."""
    def off(svg):
        wide, high = (float(re.search(rf'{word}="([\d.]+)"', svg)[1]) for word in ("width", "height"))
        return abs(math.log(wide / max(high, 1) / (WIDE / HIGH)))
    return min((svg for _, svg in svgs), key=off)


def still(config, folder, spec):
    """(what is to be seen, an SVG that is narrow if it can be) of one figure, or None if it cannot be drawn."""
    path = folder / spec
    try:
        if spec.endswith(".dot"):
            seen = runs.load(path.with_suffix(".meta.json"), {}).get("description", "")
            return seen, nearest(stills.dot(config, path.read_text(encoding="utf-8"), path.stem)[0])
        data = json.loads(path.read_text(encoding="utf-8"))
        return data.get("description", ""), nearest(stills.vega(config, palette.dress(data), path.stem))
    except (OSError, ValueError):
        return None                      # the page itself complains


def pages(env, chapter):
    """(page, its folder of results, [(name, file) of its figures]) in the order of the contents."""
    for doc in env.toctree_includes.get(chapter, []):
        folder = pathlib.Path(env.config.recto_build) / "runs" / doc.rpartition("/")[2]
        trace = folder / "trace.jsonl"
        lines = trace.read_text(encoding="utf-8").splitlines() if trace.exists() else []
        records = [json.loads(line) for line in lines if line.startswith('{"kind":"figure"')]
        yield doc, folder, [(r["name"], r["spec"]) for r in records]


def known(env, chapter):
    """What the contents depend on."""
    return [(doc, str(env.titles.get(doc, "")), runs.stamp(env.config, doc.rpartition("/")[2])) for doc, _, _ in pages(env, chapter)]


def contents(translator, node):
    """The list of pages, each with its title and a row of thumbnails that link to the figures."""
    builder, env = translator.builder, translator.builder.env
    home = pathlib.Path(builder.outdir) / "figures" / "small"
    home.mkdir(parents=True, exist_ok=True)
    out = []
    for doc, folder, figures in pages(env, node["arg"]):
        link = esc(builder.get_relative_uri(builder.current_docname, doc))
        number = ".".join(map(str, env.toc_secnumbers.get(doc, {}).get("", ())))
        title = f"{number} {esc(env.titles[doc].astext() if doc in env.titles else doc)}"
        row = ""
        for name, spec in figures:
            drawn = still(env.config, folder, spec)
            if not drawn:
                continue
            images = ""
            for theme in ("light", "dark"):
                file = f"{name}.{theme}.png"
                (home / file).write_bytes(png(env.config, drawn[1], theme == "dark"))
                images += (f'<img class="only-{theme}" src="@ROOT@figures/small/{esc(file)}" alt="{esc(name)}" '
                           f'width="{WIDE}" height="{HIGH}" loading="lazy" decoding="async">')
            row += f'<a href="{link}#{nodes.make_id(name)}" title="{esc(drawn[0])}">{images}</a>'
        out.append(f'<li><a class="rx-chapter-page" href="{link}">{title}</a><div class="rx-thumbs">{row}</div></li>')
    return f'<ol class="rx-contents">{"".join(out)}</ol>'


def setup(app):
    app.add_directive("thumbnails", Thumbnails)
    LATE["thumbnails"] = known, contents
