"""Claims: sentences that can be false, each with what was asked and what was measured."""
import collections
import itertools
import json

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from recto_book import runs
from recto_book.elements import asked, esc, icon, number, raw, words

LOOKS = {  # key: (class and icon, words, shown to all eyes?)
    "holds": ("reproduced", "Holds", False),
    "broken": ("broken", "Broken here", True),
    "differs": ("differs", "Not reproduced", True),
    "unjudged": ("not-run", "Not judged", True),
    "time": ("time", "Timing", False),
    "slow": ("time", "Not on this machine", True),
}


def look(claim):
    """Which of the looks a claim has."""
    if claim.get("timing"):
        return "time" if claim["holds"] else "slow"
    if not claim.get("judged", True):
        return "unjudged"
    if claim.get("expect", "holds") == "fails":
        return "broken" if claim["holds"] else "differs"
    return "holds" if claim["holds"] else "broken"


IN_VIEW = 4     # claims of a page that hold


def in_view(listed):
    """Which of a page's claims are not folded, by identity: all that do not simply hold, and of those that do the first four.
    First come those that prove a part of the register, over several seeds before exact ones, each row once before any twice."""
    rows = collections.Counter()
    ranked = []
    for claim in (c for c in listed if look(c) == "holds"):
        row, several = claim.get("part", "").split("/")[0], claim.get("seeds", 1) > 1
        rows[row, several] += 1
        ranked.append((not row, not several, rows[row, several], id(claim)))
    best = [ident for *_, ident in sorted(ranked, key=lambda r: r[:3])[:IN_VIEW]]
    return {id(c) for c in listed if look(c) != "holds"} | set(best)


def spread(claim):
    """How many seeds, and how far apart their results lie."""
    if claim.get("seeds", 1) <= 1:
        return ""
    low, high = number(claim.get("low")), number(claim.get("high"))
    between = f", all {low}" if low == high else f", {low} to {high}"
    return f' <span class="rx-spread">{claim["seeds"]} seeds{between}</span>'


def sentence_of(claim):
    text = claim["text"].strip().rstrip(".")
    return esc(text[:1].upper() + text[1:], quote=False)


def one(claim, parts, anchors):
    """A claim, with every part that it proves."""
    kind = look(claim)
    state, words, shown = LOOKS[kind]
    sentence = sentence_of(claim)
    link = "".join(f' <a class="rx-part" id="{anchor}" href="@ROOT@register.html#row={esc(part.split("/")[0])}" '
                   f'aria-label="proves part {esc(runs.label(part))}">{esc(runs.label(part))}</a>' if part else f'<span id="{anchor}"></span>'
                   for part, anchor in zip(parts, anchors))
    told = claim["relation"] == "==" and claim["bound"] == claim["measured"] == 1 and claim.get("seeds", 1) <= 1
    verb = {"differs": "expected", "unjudged": "would ask"}.get(kind, "asked")
    tried = f'<span class="rx-tried">Tried: {esc(claim["tried"].rstrip("."))}.</span>' if claim.get("tried") else ""
    extra = ""
    if kind == "broken" and claim.get("expect") == "fails":
        extra = '<span class="rx-tried">Published as not reproduced, yet it holds here.</span>'
    measured = "" if told else (f'<span class="rx-measured">measured <b>{number(claim["measured"])}</b>, '
                                f'{verb} {asked(claim["relation"], claim["bound"])}</span>')     # "1 = 1" says nothing
    return (f'<li class="rx-claim {state} is-{kind}">{icon(state)}<p>'
            f'<span class="rx-sentence"><span class="rx-verdict{"" if shown else " rx-hidden"}">{words}: </span>{sentence}.</span> '
            f'{measured}{spread(claim)}{link}{tried}{extra}</p></li>')


class Claims(SphinxDirective):
    has_content = True

    def run(self):
        listed = json.loads("\n".join(self.content))
        items, folded = [], []
        same = lambda c: [c.get(k) for k in ("text", "measured", "relation", "bound", "seeds")]
        for _, group in itertools.groupby(listed, same):        # one measurement may prove several parts
            group = list(group)
            made = one(group[0], [c.get("part", "") for c in group], [self.anchor(c) for c in group])
            (items if any(c.get("view", True) for c in group) else folded).append((made, group[0]))
        return [raw(unordered(items) + checks(folded, bool(items)))]

    def anchor(self, claim):
        seen = self.env.temp_data.setdefault("recto_claims", {})
        anchor = nodes.make_id("claim-" + (claim.get("part") or claim["text"]))
        seen[anchor] = seen.get(anchor, 0) + 1
        return anchor if seen[anchor] == 1 else f"{anchor}-{seen[anchor]}"


def unordered(items):
    return f'<ul class="rx-claims">{"".join(made for made, _ in items)}</ul>' if items else ""


def checks(folded, more):
    """Claims that hold, each behind one line with its sentence and its number; from four on all behind one line."""
    if len(folded) >= IN_VIEW:
        return fold(f'{len(folded)} {"more " if more else ""}checks pass', folded)
    return "".join(fold(short(claim), [(made, claim)]) for made, claim in folded)


def short(claim):
    exact = claim["relation"] == "==" and claim["bound"] == claim["measured"] == 1      # "1 = 1" says nothing
    return sentence_of(claim) + ("." if exact else f': <b>{number(claim["measured"])}</b>')


def fold(words, items):
    return f'<details class="rx-checks"><summary>{icon("reproduced")}<span>{words}</span></summary>{unordered(items)}</details>'


SPECIAL = ("", "nan", "inf", "-inf")       # what stands for a number that a trace cannot hold


class values(nodes.figure):
    """A table of numbers: counted as a table, set like a figure."""


def visit_values(self, node):
    self.body.append(self.starttag(node, "figure", CLASS="rx-figure rx-table-figure"))


def depart_values(self, node):
    self.body.append("</figure>\n")


class cells(nodes.General, nodes.Element):
    """The rows and columns of a table of numbers; its formulas are made when the page is written."""


def cell(v, translator):
    """A cell as HTML: a number, or words with formulas."""
    return words(v, translator) if isinstance(v, str) and v not in SPECIAL else number(v)


def visit_cells(self, node):
    """Numbers stand to the right."""
    t = node["table"]
    numeric = [all(isinstance(r[k], (int, float)) or r[k] in SPECIAL for r in t["rows"]) for k in range(len(t["columns"]))]
    look = [' class="num"' if n else "" for n in numeric]
    head = "".join(f'<th scope="col"{k}>{cell(c, self)}</th>' for c, k in zip(t["columns"], look))
    body = "".join("<tr>" + "".join(
        (f'<th scope="row"{k}>{cell(v, self)}</th>' if n == 0 and not numeric[0] else f"<td{k}>{cell(v, self)}</td>")
        for n, (v, k) in enumerate(zip(row, look))) + "</tr>" for row in t["rows"])
    self.body.append(f'<div class="rx-values" tabindex="0" role="region" aria-label="Table {esc(t["name"])}"><table>'
                     f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n")
    raise nodes.SkipNode


class DataTable(SphinxDirective):
    """A table that the program filled."""
    has_content = True

    def run(self):
        t = json.loads("\n".join(self.content))
        caption, messages = self.parse_inline(t.get("caption") or t["name"])
        table = values("")
        self.set_source_info(table)
        self.options["name"] = t["name"]
        self.add_name(table)
        table += nodes.caption("", "", *caption)
        table += cells("", table=t)
        return [table, *messages]


def setup(app):
    app.add_enumerable_node(values, "table", html=(visit_values, depart_values))
    app.add_node(cells, html=(visit_cells, None))
    app.add_directive("claims", Claims)
    app.add_directive("data-table", DataTable)
