"""The contents of a chapter as pictures: a figure of every page of it, hardly smaller than on the page, so that it can be read."""
import base64
import functools
import json
import pathlib
import re

from sphinx.util.docutils import SphinxDirective

from recto_book.tools import palette
from recto_book import runs
from recto_book import stills
from recto_book import taught
from recto_book.elements import LATE, el, esc, lately

WIDE, HIGH = 330, 230        # pixels of a thumbnail; twice as many are kept, for fine screens


class Thumbnails(SphinxDirective):
    """`{thumbnails}`: the pages that this file's table of contents lists."""

    def run(self):
        return [lately(self.env, "thumbnails", self.env.docname)]


class Chapter(SphinxDirective):
    """`{chapter} training/descent`: a chapter on the cover, with the figure that stands for this page; without one, in words."""
    optional_arguments = 1
    has_content = True

    def run(self):
        doc = self.arguments[0] if self.arguments else ""
        made = [lately(self.env, "chapter-picture", doc)] if doc else []
        return [el("div", *made, el("div", *self.parse_content_to_nodes()), class_=f"rx-part-card{'' if doc else ' rx-unwritten'}")]


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
    """The figure as PNG bytes, cached like every still."""
    import vl_convert
    known = colours(str(pathlib.Path(config.recto_root) / "book/_static/recto.css"), dark)
    size = re.search(r'width="([\d.]+)"', svg)
    text = coloured(svg, known)
    made = stills.kept(config, "thumbnails", text, lambda: base64.b64encode(
        vl_convert.svg_to_png(text, scale=2 * WIDE / max(float(size[1]), 1))).decode())
    return base64.b64decode(made)


def narrow(svgs):
    """Of a wide and a narrow drawing the narrow one: its words keep their size."""
    return svgs[-1][1]


def tall(svg):
    """Whether a drawing is much taller than the frame, which then shows its top."""
    wide, high = (float(re.search(rf'{word}="([\d.]+)"', svg)[1]) for word in ("width", "height"))
    return high / wide > 1.4 * HIGH / WIDE


def still(config, folder, spec):
    """(what is to be seen, an SVG that is narrow if it can be) of one figure, or None if it cannot be drawn."""
    path = folder / spec
    try:
        if spec.endswith(".dot"):
            seen = runs.load(path.with_suffix(".meta.json"), {}).get("description", "")
            return seen, narrow(stills.dot(config, path.read_text(encoding="utf-8"), path.stem)[0])
        data = json.loads(path.read_text(encoding="utf-8"))
        return data.get("description", ""), narrow(stills.vega(config, palette.dress(data), path.stem))
    except (OSError, ValueError):
        return None                      # the page itself complains


def pages(env, docs):
    """(page, its folder of results, [(name, file) of its figures])."""
    for doc in docs:
        folder = pathlib.Path(env.config.recto_build) / "runs" / doc.rpartition("/")[2]
        trace = folder / "trace.jsonl"
        lines = trace.read_text(encoding="utf-8").splitlines() if trace.exists() else []
        records = [json.loads(line) for line in lines if line.startswith('{"kind":"figure"')]
        yield doc, folder, [(r["name"], r["spec"]) for r in records]


def chosen(env, doc, folder, figures):
    """The figure that stands for a page, (its name, what is to be seen, SVG): the one that taught.toml names, else the first."""
    name = taught.pictures(env.app.confdir).get(doc.rpartition("/")[2])
    for name, spec in sorted(figures, key=lambda figure: figure[0] != name):
        if drawn := still(env.config, folder, spec):
            return name, *drawn
    return None


def picture(builder, name, svg, alt=""):
    """A figure as an image, light and dark."""
    home = pathlib.Path(builder.outdir) / "figures" / "small"
    home.mkdir(parents=True, exist_ok=True)
    images = ""
    for theme in ("light", "dark"):
        file = f"{name}.{theme}.png"
        (home / file).write_bytes(png(builder.config, svg, theme == "dark"))
        images += (f'<img class="only-{theme}{" tall" if tall(svg) else ""}" src="@ROOT@figures/small/{esc(file)}" alt="{esc(alt)}" '
                   f'width="{WIDE}" height="{HIGH}" loading="lazy" decoding="async">')
    return images


def known(env, chapter):
    """What the contents depend on."""
    return taught.pictures(env.app.confdir), [
        (doc, str(env.titles.get(doc, "")), runs.stamp(env.config, doc.rpartition("/")[2]))
        for doc in env.toctree_includes.get(chapter, [])]


def contents(translator, node):
    """The list of pages, each with its title below a thumbnail that links to it."""
    builder, env = translator.builder, translator.builder.env
    out = []
    for doc, folder, figures in pages(env, env.toctree_includes.get(node["arg"], [])):
        link = esc(builder.get_relative_uri(builder.current_docname, doc))
        number = ".".join(map(str, env.toc_secnumbers.get(doc, {}).get("", ())))
        title = f"<b>{number}</b> {esc(env.titles[doc].astext() if doc in env.titles else doc)}"
        shown = chosen(env, doc, folder, figures)
        images = picture(builder, shown[0], shown[2]) if shown else ""
        seen = f' title="{esc(shown[1])}"' if shown else ""
        out.append(f'<li><a href="{link}"{seen}>{images}<span>{title}</span></a></li>')
    return f'<ol class="rx-contents">{"".join(out)}</ol>'


def cover(translator, node):
    """The figure of a chapter on the cover, a link to the page that drew it."""
    builder = translator.builder
    for doc, folder, figures in pages(builder.env, [node["arg"]]):
        if shown := chosen(builder.env, doc, folder, figures):
            link = esc(builder.get_relative_uri(builder.current_docname, doc))
            return f'<a class="rx-part-picture" href="{link}">{picture(builder, shown[0], shown[2], shown[1])}</a>'
    return ""


def setup(app):
    app.add_directive("thumbnails", Thumbnails)
    app.add_directive("chapter", Chapter)
    LATE["chapter-picture"] = (lambda env, doc: (taught.pictures(env.app.confdir), runs.stamp(env.config, doc.rpartition("/")[2]))), cover
    LATE["thumbnails"] = known, contents
