"""Figures and diagrams: numbered, described, still on paper, live on a screen, with their data below."""
import csv
import html
import io
import json
import pathlib
import re

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from recto_book.tools import palette
from recto_book import runs
from recto_book import stills
from recto_book.elements import esc, raw


class plot(nodes.General, nodes.Element):
    """A figure made from data: `svgs` for paper, `spec` for the screen."""


class Figure(SphinxDirective):
    """What figures and diagrams have in common."""
    required_arguments = 1
    final_argument_whitespace = True

    def page(self):
        """The page whose run drew the figure."""
        return self.env.docname

    def path(self, file):
        path = pathlib.Path(self.config.recto_build) / "runs" / self.page().rpartition("/")[2] / file
        if not path.exists():
            raise self.error(f"{file}: the trace names this figure, but it is not there")
        return path

    def described(self, name, text):
        if not (text or "").strip():
            raise self.error(f"{name}: a figure needs a description, it is read aloud")
        return text.strip()

    def numbered(self, made, name, caption, data):
        figure = nodes.figure("", made, classes=["rx-figure"])
        self.set_source_info(figure)
        self.options["name"] = name
        self.add_name(figure)
        text, messages = self.parse_inline(caption or "", lineno=self.lineno)
        figure += nodes.caption("", "", *text)
        figure += nodes.legend("", raw(data))
        return [figure, *messages]


class Vega(Figure):
    """A Vega-Lite file."""

    def run(self):
        return self.drawn(self.path(self.arguments[0]).read_text(encoding="utf-8"))

    def drawn(self, original):
        """The figure of a specification."""
        spec = json.loads(original)
        meta = spec.get("usermeta", {}).get("recto", {})
        name = meta.get("name") or self.arguments[0].split(".vl")[0]
        label = self.described(self.arguments[0], spec.get("description"))
        shown = palette.dress(spec)
        files = {f"{name}.vl.json": original, **{f"{name}.{t}.csv": table(r) for t, r in datasets(spec)}}
        made = plot(spec=json.dumps(shown), svgs=stills.vega(self.config, shown, name), name=name, label=label, files=files,
                    fit=stills.kind(spec), height=0 if stills.square(spec) else spec.get("height", 260))
        return self.numbered(made, name, meta.get("caption"), data_fold(datasets(spec), files, live=True))


class Taste(Vega):
    """`{taste} fig-3.2.vl.json training/descent`: a figure of another page, live, without number and data; the content is its
    caption. A book whose pages have not run yet leaves it out."""
    required_arguments = 2
    final_argument_whitespace = False
    has_content = True

    def page(self):
        return self.arguments[1]

    def run(self):
        if not (pathlib.Path(self.config.recto_build) / "runs" / self.page().rpartition("/")[2] / self.arguments[0]).exists():
            return []
        self.env.note_dependency(str(self.path(self.arguments[0])))
        return super().run()

    def numbered(self, made, name, caption, data):
        return [nodes.container("", made, *self.parse_content_to_nodes(), classes=["rx-taste"])]


class Dot(Figure):
    """A Graphviz file; beside it NAME.meta.json with what to read aloud."""

    def run(self):
        text = self.path(self.arguments[0]).read_text(encoding="utf-8")
        name = self.arguments[0].removesuffix(".dot")
        meta = runs.load(self.path(f"{name}.meta.json"), {})
        label = self.described(self.arguments[0], meta.get("description"))
        meta = {**meta, **meta.get("usermeta", {}).get("recto", {})}
        try:
            svgs, graph = stills.dot(self.config, text, name)
        except FileNotFoundError:
            raise self.error("Graphviz is missing (package graphviz): this diagram is not drawn") from None
        except ValueError as error:
            raise self.error(f"{name}.dot: {error}") from None
        files = {f"{name}.dot": text}
        made = plot(spec="", svgs=svgs, name=name, label=label, files=files, fit="fixed", height=0)
        return self.numbered(made, meta.get("name") or name, meta.get("caption"), data_fold(graph_tables(graph), files))


def words_of(node):
    """The label of a node of a diagram on one line."""
    label = node.get("label", "\\N").replace("\\N", node["name"])
    for mark in ("\\n", "\\l", "\\r", "|", "{", "}"):
        label = label.replace(mark, " ")
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", label)).split())


def graph_tables(graph):
    """Nodes and arrows of a diagram as tables."""
    parts = [o for o in graph.get("objects", ()) if "nodes" not in o and "subgraphs" not in o]
    by = {o["_gvid"]: words_of(o) for o in parts}
    arrows = []
    for e in graph.get("edges", ()):
        ends = (e["head"], e["tail"]) if e.get("dir") == "back" else (e["tail"], e["head"])
        arrows.append({"from": by.get(ends[0], ""), "to": by.get(ends[1], ""), "label": e.get("label", "").strip()})
    if not any(a["label"] for a in arrows):
        arrows = [{"from": a["from"], "to": a["to"]} for a in arrows]
    return [(t, r) for t, r in (("parts", [{"part": w} for w in by.values()]), ("arrows", arrows)) if r]


def datasets(spec):
    """(name, rows) of everything a specification draws, pictures left out."""
    found, todo = [], [spec]
    while todo:
        part = todo.pop(0)
        data = part.get("data") or {}
        rows = data.get("values", spec.get("datasets", {}).get(data.get("name")))
        if isinstance(rows, list) and rows:
            rows = [r if isinstance(r, dict) else {"value": r} for r in rows]
            keys = list(dict.fromkeys(k for r in rows for k in r))
            kept = [k for k in keys if not any(str(r.get(k, "")).startswith("data:") for r in rows[:3])]
            if kept:
                found.append((data.get("name") or (f"data-{len(found) + 1}" if found else "data"),
                              [{k: r.get(k, "") for k in kept} for r in rows]))
        for key in ("layer", "concat", "hconcat", "vconcat"):
            todo += part.get(key, [])
        if isinstance(part.get("spec"), dict):
            todo.append(part["spec"])
    names = set()
    return [(t, r) for t, r in found if not (t in names or names.add(t))]


def table(rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def cell(v):
    return f"{v:.6g}" if isinstance(v, float) else str(v)


def data_fold(tables, files, live=False, most=60):
    """The numbers of a figure, folded away, and its files."""
    out = []
    for title, rows in tables:
        keys = list(rows[0])
        head = "".join(f'<th scope="col">{esc(k)}</th>' for k in keys)
        body = "".join("<tr>" + "".join(f"<td>{esc(cell(r.get(k, '')))}</td>" for k in keys) + "</tr>" for r in rows[:most])
        more = f"<p>{len(rows) - most} more rows in the file.</p>" if len(rows) > most else ""
        count = f"{len(rows)} row{'s' * (len(rows) != 1)}"
        out.append(f'<div class="rx-table" tabindex="0" role="region" aria-label="{esc(title)}"><table>'
                   f"<caption>{esc(title)}, {count}</caption>"
                   f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}</div>")
    listed = " ".join(f'<a href="@ROOT@figures/{esc(f)}" download>{esc(f)}</a>' for f in files)
    hint = ('<p class="rx-hint">Hover a point for its values; Ctrl and scroll zooms, Ctrl and drag moves, '
            "a double click resets.</p>" if live else "")
    return (f'<details class="rx-data"><summary>Data</summary><div class="rx-tables">{"".join(out)}</div>'
            f'<p class="rx-files">{listed}</p>{hint}</details>')


def least(svg):
    """The smallest width of an SVG figure, in pixels, at which its smallest letters are 10.05 pixels high."""
    sizes = re.search(r'<svg[^>]*? width="([\d.]+)[^>]*? viewBox="\S+ \S+ (\S+)', svg)
    letters = [float(s) for s in re.findall(r'font-size(?:="|:\s*)([\d.]+)', svg) if float(s)]
    if not sizes or not letters:
        return 0
    return int(min(float(sizes[1]), float(sizes[2]) * 10.05 / min(letters)))


def visit_plot(self, node):
    """The still pictures and, for a script to find, the specification."""
    home = pathlib.Path(self.builder.outdir) / "figures"
    home.mkdir(parents=True, exist_ok=True)
    for name, text in node["files"].items():
        (home / name).write_text(text, encoding="utf-8")
    svgs = node["svgs"]
    stand = "".join(f'<div class="rx-still{" wide" if w == stills.WIDE else " narrow"}">{svg}</div>' for w, svg in svgs)
    look, scroll = "rx-plot" + (" two" if len(svgs) > 1 else ""), ""
    narrowest = least(svgs[-1][1])
    if narrowest > stills.NARROW:                        # cannot become narrow: it scrolls in a frame of its own
        look += " fixed"
        scroll = f';--least:{narrowest}px" tabindex="0" role="group" aria-label="figure'
    height = node["height"] if isinstance(node["height"], int) else 0
    spec = node["spec"].replace("</", "<" + chr(92) + "/")
    live = f'<script type="application/json">{spec}</script>' if node["spec"] else ""
    self.body.append(f'<div class="{look}" data-fit="{node["fit"]}" style="--height:{height}px{scroll}">'
                     f'<div class="rx-picture" role="img" aria-label="{esc(node["label"])}">{stand}</div>{live}</div>')
    raise nodes.SkipNode


def setup(app):
    app.add_directive("vega", Vega)
    app.add_directive("taste", Taste)
    app.add_directive("dot", Dot)
    app.add_node(plot, html=(visit_plot, None))
