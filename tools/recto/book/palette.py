"""Colours of figures: what a program may write, the variable of the page it becomes, and the theme of Vega."""
import re

# The palette: what a program writes in a specification, and the variable the page replaces it by.
PALETTE = {"#1F1C18": "--fig-ink", "#165CC8": "--fig-blue", "#B03A2A": "--fig-red",
           "#05A06C": "--fig-green", "#AF8800": "--fig-ochre", "#AD4394": "--fig-plum",
           "#6B6357": "--fig-grey"}
FONT = "Charis SIL, Charter, Georgia, serif"
AXIS = {"labelColor": "var(--fig-grey)", "titleColor": "var(--fig-ink)", "domainColor": "var(--fig-axis)",
        "tickColor": "var(--fig-axis)", "gridColor": "var(--fig-grid)", "labelFontSize": 13,
        "titleFontSize": 14, "titleFontWeight": "normal", "titleFontStyle": "italic", "tickSize": 4,
        "titlePadding": 8, "labelPadding": 5}
# Gradients are computed from colours, so they cannot be variables. Viridis (as lib/recto/figure/ramp.cpp) reads on
# paper, in the dark and for colour-blind eyes; the middle of the diverging one is grey, not white.
RAMP = {"scheme": "viridis"}
DIVERGING = ["#2a6fd0", "#7aa0d6", "#b9bcc0", "#d68f6b", "#b8432b"]
THEME = {"background": "transparent", "font": FONT, "view": {"stroke": None}, "axis": AXIS,
         "axisX": {"grid": False, "tickCount": 6}, "axisY": {"domain": False, "ticks": False},
         "header": {"labelColor": "var(--fig-ink)", "titleColor": "var(--fig-ink)", "labelFontSize": 13,
                    "titleFontSize": 14, "titleFontWeight": "normal", "titleFontStyle": "italic", "labelFontWeight": "normal"},
         "title": {"color": "var(--fig-ink)", "fontSize": 14, "fontWeight": "normal", "fontStyle": "italic"},
         "text": {"color": "var(--fig-ink)", "fontSize": 13}, "rule": {"color": "var(--fig-grey)"},
         "line": {"strokeJoin": "round"},                  # no round caps: they would close the gaps of dotted lines
         "legend": {"labelColor": "var(--fig-ink)", "titleColor": "var(--fig-ink)", "labelFontSize": 14,
                    "titleFontSize": 14, "titleFontWeight": "normal", "titleFontStyle": "italic",
                    "symbolStrokeWidth": 2.5, "symbolSize": 110, "symbolOpacity": 1, "columnPadding": 18, "offset": 10},
         "range": {"category": [f"var({v})" for v in list(PALETTE.values())[1:]],
                   "ramp": RAMP, "heatmap": RAMP, "diverging": DIVERGING}}
CHANNELS = ("color", "fill", "stroke")
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"       # what our bundle speaks


def continuous(encoding):
    """Does this channel interpolate its colours?"""
    scale = encoding.get("scale") or {}
    kind = scale.get("type", "")
    return kind in ("linear", "log", "sqrt", "pow", "symlog", "sequential") or (
        not kind and encoding.get("type") in ("quantitative", "temporal"))


def paint(value, key=""):
    """The specification with our hexadecimal colours as variables, except where colours are computed from."""
    if isinstance(value, dict):
        if key in CHANNELS and continuous(value):
            return {k: v if k == "scale" else paint(v, k) for k, v in value.items()}
        return {k: v if k in ("datasets", "values", "url") else paint(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [paint(v) for v in value]
    if isinstance(value, str) and value.upper() in PALETTE:
        return f"var({PALETTE[value.upper()]})"
    return value


def dress(spec):
    """A program's specification as the page shows it."""
    spec = {**paint(spec), "$schema": SCHEMA}
    config = {**THEME, "mark": {"color": "var(--fig-blue)"}}
    for key, value in spec.get("config", {}).items():       # what the program asks for comes on top
        config[key] = {**config[key], **value} if isinstance(value, dict) and isinstance(config.get(key), dict) else value
    return {**spec, "config": config}


def variables(svg):
    """Colours of an SVG that are variables move into `style`, where every reader of SVG resolves them."""
    def move(tag):
        found = re.findall(r' (fill|stroke|stop-color)="(var\([^"]+\))"', tag[0])
        if not found:
            return tag[0]
        plain = re.sub(r' (fill|stroke|stop-color)="var\([^"]+\)"', "", tag[0])
        style = ";".join(f"{k}:{v}" for k, v in found)
        if ' style="' in plain:
            return plain.replace(' style="', f' style="{style};', 1)
        return re.sub(r"(/?>)$", rf' style="{style}"\1', plain)
    return re.sub(r"<[a-z][^>]*>", move, svg)
