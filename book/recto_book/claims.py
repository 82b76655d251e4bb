"""Claims: sentences that can be false, each with what was asked and what was measured."""
import json

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from recto_book.elements import asked, esc, icon, number, raw

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
    """Which of a page's claims are not folded, by identity: all that do not simply hold, and of those that do the first four,
    those that prove a part of the register before the others."""
    holding = sorted((c for c in listed if look(c) == "holds"), key=lambda c: not c.get("part"))
    return {id(c) for c in listed if look(c) not in ("holds", "time")} | {id(c) for c in holding[:IN_VIEW]}


def spread(claim):
    """How many seeds, and how far apart their results lie."""
    if claim.get("seeds", 1) <= 1:
        return ""
    low, high = number(claim.get("low")), number(claim.get("high"))
    between = f", all {low}" if low == high else f", {low} to {high}"
    return f' <span class="rx-spread">{claim["seeds"]} seeds{between}</span>'


def one(claim, anchor):
    kind = look(claim)
    state, words, shown = LOOKS[kind]
    text = claim["text"].strip().rstrip(".")
    sentence = esc(text[:1].upper() + text[1:], quote=False)
    part = claim.get("part", "")
    row = part.split("/")[0]
    link = (f' <a class="rx-part" href="@ROOT@register.html#row={esc(row)}" aria-label="proves part {esc(part)}">{esc(part)}</a>'
            if part else "")
    told = claim["relation"] == "==" and claim["bound"] == claim["measured"] == 1 and claim.get("seeds", 1) <= 1
    verb = {"differs": "expected", "unjudged": "would ask"}.get(kind, "asked")
    tried = f'<span class="rx-tried">Tried: {esc(claim["tried"].rstrip("."))}.</span>' if claim.get("tried") else ""
    extra = ""
    if kind == "broken" and claim.get("expect") == "fails":
        extra = '<span class="rx-tried">Published as not reproduced, yet it holds here.</span>'
    measured = "" if told else (f'<span class="rx-measured">measured <b>{number(claim["measured"])}</b>, '
                                f'{verb} {asked(claim["relation"], claim["bound"])}</span>')     # "1 = 1" says nothing
    return (f'<li class="rx-claim {state} is-{kind}" id="{anchor}">{icon(state)}<p>'
            f'<span class="rx-sentence"><span class="rx-verdict{"" if shown else " rx-hidden"}">{words}: </span>{sentence}.</span> '
            f'{measured}{spread(claim)}{link}{tried}{extra}</p></li>')


class Claims(SphinxDirective):
    has_content = True

    def run(self):
        listed = json.loads("\n".join(self.content))
        items, folded = [], []
        for c in listed:
            seen = self.env.temp_data.setdefault("recto_claims", {})
            anchor = nodes.make_id("claim-" + (c.get("part") or c["text"]))
            seen[anchor] = seen.get(anchor, 0) + 1
            made = one(c, anchor if seen[anchor] == 1 else f"{anchor}-{seen[anchor]}")
            (items if c.get("view", True) else folded).append(made)
        shown = f'<ul class="rx-claims">{"".join(items)}</ul>' if items else ""
        if folded:
            words = f'{len(folded)} {"more " if items else ""}check{"s" * (len(folded) > 1)} pass{"es" * (len(folded) == 1)}'
            shown += (f'<details class="rx-checks"><summary>{icon("reproduced")}{words}</summary>'
                      f'<ul class="rx-claims">{"".join(folded)}</ul></details>')
        return [raw(shown)]


class values(nodes.figure):
    """A table of numbers: counted as a table, set like a figure."""


def visit_values(self, node):
    self.body.append(self.starttag(node, "figure", CLASS="rx-figure rx-table-figure"))


def depart_values(self, node):
    self.body.append("</figure>\n")


class DataTable(SphinxDirective):
    """A table the program filled; numbers stand to the right."""
    has_content = True

    def run(self):
        t = json.loads("\n".join(self.content))
        numeric = [all(isinstance(r[k], (int, float)) or r[k] in ("", "nan", "inf", "-inf") for r in t["rows"])
                   for k in range(len(t["columns"]))]
        look = [' class="num"' if n else "" for n in numeric]
        head = "".join(f'<th scope="col"{k}>{esc(c)}</th>' for c, k in zip(t["columns"], look))
        body = "".join("<tr>" + "".join(
            (f'<th scope="row"{k}>{number(v)}</th>' if n == 0 and not numeric[0] else f"<td{k}>{number(v)}</td>")
            for n, (v, k) in enumerate(zip(row, look))) + "</tr>" for row in t["rows"])
        caption, messages = self.parse_inline(t.get("caption") or t["name"])
        table = values("")
        self.set_source_info(table)
        self.options["name"] = t["name"]
        self.add_name(table)
        table += nodes.caption("", "", *caption)
        table += raw(f'<div class="rx-values" tabindex="0" role="region" aria-label="Table {esc(t["name"])}"><table>'
                     f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>")
        return [table, *messages]


def setup(app):
    app.add_enumerable_node(values, "table", html=(visit_values, depart_values))
    app.add_directive("claims", Claims)
    app.add_directive("data-table", DataTable)
