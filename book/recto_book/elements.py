"""Small parts every directive uses: HTML nodes, icons, numbers, and nodes that are filled in at the end."""
import html
import math
import re

from docutils import nodes

from recto_book import katex_build

esc = html.escape

STATES = {  # key: (words, icon); the icons differ in shape, so colour is never alone
    "reproduced": ("reproduced", "M2.5 8.6 6.3 12.4 13.5 4"),
    "differs": ("not reproduced", "M2.5 6h11M2.5 10.4h11M11 2.2 5 14"),
    "erratum": ("erratum", "M3 13.2 3.7 10 11 2.7 13.3 5 6 12.3zM9.3 4.4l2.3 2.3"),
    "not-run": ("not run", "M3 8h2.2M7 8h2.2M11 8h2.2"),
    "stale": ("stale", "M12.9 6.2a5.2 5.2 0 1 0 .3 3.2M13.2 2.6v3.7H9.5"),
    "open": ("open", "M8 3a5 5 0 1 0 .01 0z"),
    "broken": ("broken here", "M3.5 3.5l9 9M12.5 3.5l-9 9"),
    "time": ("time", "M8 2.5a5.5 5.5 0 1 0 .01 0zM8 5v3.2l2.2 1.6"),
}


class block(nodes.General, nodes.Element):
    """HTML made from data; `@ROOT@` in it becomes the way to the top of the book."""


class el(nodes.General, nodes.Element):
    """An HTML element around other nodes."""

    def __init__(self, tag="div", *children, **attributes):
        super().__init__("", *children, tag=tag, html={k.rstrip("_").replace("_", "-"): v for k, v in attributes.items()})

    def copy(self):
        made = el(self["tag"])
        made.attributes = dict(self.attributes)
        return made


class late(nodes.General, nodes.Element):
    """What depends on more than its own page; LATE says how it is made when the page is written."""


ENTRIES = ("recto_lately", "recto_equations", "recto_errata", "recto_asks", "recto_skeletons", "recto_stamps",
           "recto_symbols")   # of each page
LATE = {}         # name: (fingerprint(env, node) -> what the HTML depends on, html(translator, node))


def raw(markup):
    return block("", markup=markup)


def icon(state):
    return f'<svg class="rx-icon" viewBox="0 0 16 16" aria-hidden="true"><path d="{STATES[state][1]}"/></svg>'


def number(v, digits=4):
    """A measured number for people: 0.0218, or 3.1 x 10 to the -14."""
    if isinstance(v, list):
        return f"[{', '.join(number(x, digits) for x in v)}]"
    if isinstance(v, bool) or not isinstance(v, (int, float)):
        return {"nan": "not a number", "inf": "∞", "-inf": "\N{MINUS SIGN}∞"}.get(v) or powers(esc(str(v)))
    if not math.isfinite(v):
        return number(str(v))
    if v == 0 or 1e-3 <= abs(v) < 1e5 or v == int(v) and abs(v) < 1e9:
        whole = v == int(v) or abs(v) >= 10 ** digits
        comma = "," if abs(v) >= 1e4 else ""
        return (f"{v:{comma}.0f}" if whole else f"{v:.{digits}g}").replace("-", "\N{MINUS SIGN}")
    digits, _, exponent = f"{v:.{1 if digits < 6 else 3}e}".partition("e")
    return power(re.sub(r"\.?0*$", "", digits), exponent)


def power(digits, exponent):
    """A number with a power of ten, as it is written on paper."""
    digits, shown = digits.replace("-", "\N{MINUS SIGN}"), f"10<sup>{str(int(exponent)).replace('-', chr(0x2212))}</sup>"
    return shown if digits == "1" else f"{digits} × {shown}"


def powers(text):
    """Words in which a program wrote 5.0e-11: the book writes numbers one way."""
    return re.sub(r"(?<![\w.-])(-?\d+(?:\.\d+)?)e([-+]?\d+)(?!\w)", lambda m: power(m[1], m[2]), text)


RELATION = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "=", "in": "in"}


def asked(relation, bound):
    return f"{esc(RELATION.get(relation, relation))} {number(bound, 6)}"


def seconds(s):
    """A time for people."""
    if s is None:
        return ""
    return f"{s * 1000:.0f} ms" if s < 1 else f"{s:.1f} s" if s < 60 else f"{int(s // 60)} min {s % 60:.0f} s"


def words(text, translator, plus=True):
    """One line of data as HTML: `code`, *stress* and $formulas$, nothing else."""
    out = []
    for piece in re.split(r"(\$[^$]+\$|`[^`]+`)", text or ""):
        if len(piece) > 2 and piece[0] == "$":
            out.append(f'<span class="math">{katex_build.html(translator, nodes.math("", piece[1:-1]), False)}</span>')
        elif len(piece) > 2 and piece[0] == "`":
            out.append(f"<code>{esc(piece[1:-1])}</code>")
        else:
            out.append(re.sub(r"\bC\+\+", 'C<span class="plus">++</span>', powers(esc(piece, quote=False))))
    return "".join(out)


def root(translator):
    here = translator.builder
    return here.get_relative_uri(here.current_docname, "index").removesuffix("index.html")


def visit_block(self, node):
    self.body.append(node["markup"].replace("@ROOT@", root(self)) + "\n")
    raise nodes.SkipNode


def visit_late(self, node):
    self.body.append(LATE[node["what"]][1](self, node).replace("@ROOT@", root(self)) + "\n")
    raise nodes.SkipNode


def visit_el(self, node):
    listed = "".join(f' {k}="{esc(v)}"' if v is not True else f" {k}" for k, v in node["html"].items())
    self.body.append(f"<{node['tag']}{listed}>")


def depart_el(self, node):
    self.body.append(f"</{node['tag']}>\n")


def rewritten(app, env):
    """Pages whose late parts would come out different now: they are written again, not read again."""
    seen, changed = getattr(env, "recto_late", {}), []
    for doc, listed in env.recto_lately.items():
        now = repr([LATE[what][0](env, arg) for what, arg in listed])
        if seen.get(doc) != now:
            changed.append(doc)
            seen[doc] = now
    env.recto_late = {d: v for d, v in seen.items() if d in env.found_docs}
    return changed


def lately(env, what, arg=None):
    """A late node, noted in the environment so that it is redone when what it depends on changes."""
    env.recto_lately.setdefault(env.docname, []).append((what, arg))
    return late("", what=what, arg=arg)


def setup(app):
    def begin(app, env, _docnames):
        for name in ENTRIES:
            if not hasattr(env, name):
                setattr(env, name, {})

    def purge(app, env, doc):
        for name in ENTRIES:
            getattr(env, name, {}).pop(doc, None)

    def merge(app, env, docs, other):
        for name in ENTRIES:
            getattr(env, name).update({d: v for d, v in getattr(other, name).items() if d in docs})

    app.connect("env-before-read-docs", begin)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("env-updated", rewritten, priority=900)
    app.add_node(block, html=(visit_block, None))
    app.add_node(late, html=(visit_late, None))
    app.add_node(el, html=(visit_el, depart_el))
