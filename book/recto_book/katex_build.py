"""Formulas become HTML and MathML at build time: KaTeX in an embedded engine, no script in the page.

KaTeX comes from the distribution (libjs-katex), the engine is the PyPI wheel `quickjs-ng`; no node.
A mistake in a formula is a warning that names its line. Without KaTeX the TeX itself is shown.
"""
import json
import pathlib
import re

from docutils import nodes
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from recto_book.folders import sync

log = logging.getLogger(__name__)
CALL = """(function (s) { const [tex, display, macros] = JSON.parse(s);   // stringify: a rope would not cross
  try { return JSON.stringify(["+", katex.renderToString(tex, {displayMode: display, macros: macros,
                                                               output: "htmlAndMathml", strict: "error"})]); }
  catch (e) { return JSON.stringify(["-", e.message]); } })"""
engine, made = None, {}


def html(self, node, display):
    """The HTML of one formula."""
    global engine
    config, tex = self.builder.config, node.astext()
    if (tex, display) in made:
        return made[tex, display]
    if engine is None:
        script = pathlib.Path(config.katex_path) / "katex.min.js"
        if not script.exists():
            if config.recto_strict:
                log.warning("%s is missing (package libjs-katex): formulas are shown as TeX", script)
            engine = False
        else:
            import quickjs
            context = quickjs.Context()
            context.eval(script.read_text())
            engine = context.eval(CALL), context
    if not engine:
        return f"<code>{self.encode(tex)}</code>"
    sign, answer = json.loads(engine[0](json.dumps([tex, display, config.katex_macros])))
    if sign == "-":
        log.warning("%s in %s", answer, tex.strip().replace("\n", " ")[:100], location=node)
        return f"<code>{self.encode(tex)}</code>"
    made[tex, display] = answer
    return answer


def visit_inline(self, node):
    self.body.append(f'<span class="math">{html(self, node, False)}</span>')
    raise nodes.SkipNode


def visit_block(self, node):
    """A displayed formula with its number and its anchor."""
    self.body.append(self.starttag(node, "div", CLASS="math-block"))
    self.body.append(f'<div class="math" tabindex="0" role="group" aria-label="{_("Equation")}">{html(self, node, True)}</div>')
    if node["number"]:
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def copy_assets(app):
    """The style sheet and its woff2 fonts, nothing else."""
    home = pathlib.Path(app.config.katex_path)
    if app.builder.format != "html" or not home.is_dir():
        return
    css = (home / "katex.min.css").read_text()
    css = re.sub(r""",url\(fonts/[^)]*\.(?:woff|ttf)\) format\(["']\w+["']\)""", "", css)
    files = {f"fonts/{f.name}": f.read_bytes() for f in (home / "fonts").glob("*.woff2")}
    sync(pathlib.Path(app.outdir) / "_static" / "katex", {"katex.css": css.encode(), **files})
    app.add_css_file("katex/katex.css", priority=200)


def setup(app):
    app.add_config_value("katex_path", "/usr/share/javascript/katex", "html")
    app.add_config_value("katex_macros", {}, "html")
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_block, None))
    app.connect("builder-inited", copy_assets)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
