"""Files the pages need beside themselves: the script that draws, the text face, their licences, programs for the browser."""
import json
import pathlib
import re
import shutil

from recto_book.folders import sync
from recto_book.tools import palette

LICENCES = {"charis-sil": "fonts-sil-charis", "katex": "libjs-katex"}


def bundle(app, error):
    """The one script that draws: made by vl-convert, wrapped so that its names stay its own."""
    if error or app.builder.format != "html":
        return
    import importlib.metadata
    version = importlib.metadata.version("vl-convert-python")
    kept = pathlib.Path(app.config.recto_build) / "cache" / f"vega-{version}.js"
    if not kept.exists():
        import vl_convert
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(f"// Vega, Vega-Lite and Vega-Embed (BSD-3-Clause), bundled by vl-convert {version}\n"
                        f"(() => {{{vl_convert.javascript_bundle()}}})();\n", encoding="utf-8")
    out = pathlib.Path(app.outdir) / "_static" / "vega.js"
    if not out.exists() or out.stat().st_size != kept.stat().st_size:
        shutil.copy2(kept, out)


def programs(app, error):
    """The modules and data that the pages run in the browser, as recto.build.web packed them, and the colours of their figures."""
    if error or app.builder.format != "html":
        return
    out = pathlib.Path(app.outdir) / "_static"
    sync(out / "programs", {p.name: p.read_bytes() for p in (pathlib.Path(app.config.recto_build) / "web/programs").glob("*.js")})
    dressing = {"colours": palette.PALETTE, "channels": palette.CHANNELS, "theme": palette.THEME, "schema": palette.SCHEMA}
    (out / "palette.js").write_text(f"window.recto_palette = {json.dumps(dressing)};\n", encoding="utf-8")


def fonts(app):
    """The text face, from the distribution; without it the page falls back on the reader's own."""
    home = pathlib.Path(app.config.recto_fonts)
    out = pathlib.Path(app.outdir) / "_static" / "fonts"
    if app.builder.format != "html":
        return
    out.mkdir(parents=True, exist_ok=True)
    for face in ("Regular", "Italic", "Bold"):
        path = home / f"CharisSIL-{face}.woff2"
        if path.exists():
            shutil.copy2(path, out / path.name)
    for name, package in LICENCES.items():
        path = pathlib.Path("/usr/share/doc") / package / "copyright"
        if path.exists():
            (out.parent / "licences").mkdir(exist_ok=True)
            shutil.copy2(path, out.parent / "licences" / f"{name}.txt")


def reachable(app, pagename, templatename, context, doctree):
    """What scrolls sideways can be scrolled by keyboard; furo's own wrappers forget it."""
    if "body" in context:
        context["body"] = context["body"].replace(' role="doc-biblioentry"', "").replace('<div role="list" class="cit', '<div class="cit')
        context["body"] = re.sub(r'<div class="((?:table|math)-wrapper[^"]*)"', r'<div class="\1" tabindex="0" role="group" '
                                 r'aria-label="table"', context["body"])
    for key in ("body", "furo_navigation_tree"):
        if key in context:
            context[key] = context[key].replace('class="caption" role="heading"', 'class="caption" role="heading" aria-level="2"')


def setup(app):
    app.connect("builder-inited", fonts)
    app.connect("html-page-context", reachable, priority=900)
    app.connect("build-finished", bundle)
    app.connect("build-finished", programs)
