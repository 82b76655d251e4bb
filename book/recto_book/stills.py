"""Figures as SVG for paper and for browsers without a script; each is made once and kept in build/cache."""
import hashlib
import json
import pathlib
import re
import subprocess

from docutils import nodes

from recto_book.tools import palette

WIDE, NARROW = 740, 345
SIDE = 480                                                             # of a square panel that stands alone


def kept(config, folder, text, make):
    """The result of `make`, from the cache if the same text was made before."""
    home = pathlib.Path(config.recto_build) / "cache" / folder
    path = home / hashlib.sha256(f"3{text}".encode()).hexdigest()[:32]
    if not path.exists():
        home.mkdir(parents=True, exist_ok=True)
        made = make()
        fresh = path.with_suffix(".new")
        fresh.write_text(made, encoding="utf-8")
        fresh.rename(path)
    return path.read_text(encoding="utf-8")


def own_names(svg, key):
    """Every vega SVG has an id clip0: give each figure its own."""
    svg = re.sub(r'\bid="([\w-]+)"', rf'id="{key}-\1"', svg)
    svg = re.sub(r"url\(#([\w-]+)\)", rf"url(#{key}-\1)", svg)
    return re.sub(r'(xlink:)?href="#([\w-]+)"', rf'\1href="#{key}-\2"', svg)


def kind(spec):
    """`fluid`: takes the width of the page; `panels`: stand side by side or below each other; `fixed`: neither."""
    marks = [part.get("mark") for part in [spec, *spec.get("layer", ())]]
    pictures = any(m == "image" or isinstance(m, dict) and m.get("type") == "image" and m.get("aspect", True)
                   for m in marks)                                     # one without an aspect fills whatever there is
    if pictures or isinstance(spec.get("width"), dict):
        return "fixed"
    if "layer" in spec or "mark" in spec:
        return "fluid"
    return "panels" if spec.get("concat") and {kind(p) for p in spec["concat"]} == {"fluid"} else "fixed"


def square(spec):
    """A panel about as high as wide is a square at any width, because its angles and areas mean something (live.js does the same)."""
    width, height = spec.get("width"), spec.get("height")
    return isinstance(width, int) and isinstance(height, int) and abs(width - height) < 8


def below(spec, width):
    """(columns, width of a panel) where there is little room: small ones stay two and two (live.js does the same)."""
    widest = max(p.get("width", width) for p in spec["concat"])
    return (2, min(widest, (width - 60) // 2)) if widest <= 200 else (1, width - 75)


def legend_columns(spec, width):
    """A legend on a narrow page has two columns where their labels fit, otherwise one (live.js does the same)."""
    found = [p.get("encoding", {}).get("color", {}).get("scale", {}).get("domain") for p in [spec, *spec.get("concat", ())]]
    labels = next(filter(None, found), [])
    longest = [max((len(str(label)) for label in labels[column::2]), default=0) for column in (0, 1)]
    return 2 if sum(longest) * 6.3 < width - 140 else 1


def at(spec, width):
    """The specification at one width, if it can choose."""
    if kind(spec) == "fluid" and square(spec):
        side = min(width - 10, SIDE)
        spec = {**spec, "width": side, "height": side}
    elif kind(spec) == "fluid":
        spec = {**spec, "width": width, "autosize": {"type": "fit", "contains": "padding"}}
    elif width < 480:
        columns, wide = below(spec, width)
        spec = {**spec, "columns": columns, "concat": [{**p, "width": wide, **({"height": wide} if square(p) else {})}
                                                        for p in spec["concat"]]}
    if width < 480 and isinstance(spec["config"].get("legend"), dict):
        legend = {**spec["config"]["legend"], "columns": legend_columns(spec, width), "columnPadding": 10, "labelFontSize": 13}
        axis = {**spec["config"].get("axisX", {}), "tickCount": 4}
        spec["config"] = {**spec["config"], "legend": legend, "axisX": axis}
    return spec


def vega(config, spec, name):
    """[(width, svg)] of a figure: one for a wide page and, if it can, one for a narrow one."""
    out = []
    for width in (WIDE,) if kind(spec) == "fixed" else (WIDE, NARROW):
        text = json.dumps(at(spec, width))

        def make(text=text):
            import vl_convert
            return vl_convert.vegalite_to_svg(json.loads(text))
        svg = palette.variables(kept(config, "vega", text, make))
        svg = re.sub(r' aria-[a-z]+="[^"]*"| role="[^"]*"', "", svg)     # one label, on the figure
        out.append((width, own_names(svg, nodes.make_id(f"{name}-{width}"))))
    return out


def dot(config, text, name):
    """([(width, svg)], graph as Graphviz laid it out) of a diagram; a row too wide for a phone also as a column, if that is narrower."""
    svg, graph = draw(config, text)
    width, svg = sized(svg)
    out = [(WIDE, own_names(svg, nodes.make_id(name)))]
    column = re.sub(r'rankdir\s*=\s*"?LR"?', "rankdir=TB", text)
    if width > NARROW * 1.2 and column != text:
        narrow, turned = sized(draw(config, column)[0])
        if narrow < width:
            out.append((NARROW, own_names(turned, nodes.make_id(f"{name}-narrow"))))
    return out, graph


def draw(config, text):
    """What Graphviz makes of a diagram: SVG and its own data."""
    def make():
        fonts = [f"-{k}fontname=Charis SIL" for k in "NEG"]
        ran = [subprocess.run(["dot", f"-T{form}", *fonts], input=text, text=True, capture_output=True)
               for form in ("svg", "dot_json")]
        if ran[0].returncode:
            raise ValueError(ran[0].stderr.strip().splitlines()[-1])
        return json.dumps([ran[0].stdout, json.loads(ran[1].stdout)])
    return json.loads(kept(config, "dot", text, make))


def sized(svg):
    """(width in pixels, SVG in the page's colours and face)."""
    svg = svg[svg.index("<svg"):]
    size = re.search(r'width="(\d+)pt" height="(\d+)pt"', svg)
    width, height = int(size[1]) * 4 // 3, int(size[2]) * 4 // 3
    svg = svg.replace(size[0], f'width="{width}" height="{height}"', 1)
    svg = re.sub(r"<title>.*?</title>|<!--.*?-->|<\?.*?\?>", "", svg, flags=re.S)
    svg = re.sub(r'<polygon fill="white" stroke="(?:transparent|none)"[^>]*/>', "", svg, count=1)      # the sheet
    for colour, variable in {**palette.PALETTE, "black": "--fig-ink", "white": "--paper", "lightgrey": "--tint-2"}.items():
        svg = re.sub(rf'(fill|stroke)="{colour}"', rf'\1="var({variable})"', svg, flags=re.I)
    svg = re.sub(r"<text (?![^>]*fill=)", '<text fill="var(--fig-ink)" ', svg)
    return width, palette.variables(re.sub(r' font-family="[^"]*"', "", svg))
