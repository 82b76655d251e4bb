"""Writes the page of one run: what it said, claimed and drew, beside the standard run where they differ."""
import json
import re
import shutil
import subprocess
from html import escape
from itertools import zip_longest
from pathlib import Path
from typing import Any

from recto.book import palette
from recto.pages.pages import Page
from recto.pages.runs import Outcome
from recto.pages.trace import finished, page_lines, read_trace
from recto.register.evidence import asked

WORDS = ("say", "timing")
HERE = Path(__file__).resolve().parent
Record = dict[str, Any]
Pair = tuple[Record | None, Record | None]      # (of the standard run, of this one)


def number(value: Any) -> str:
    """Formats a measured number for people."""
    return f"{value:.4g}" if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def pairs(standard: list[Record], mine: list[Record]) -> list[Pair]:
    """Pairs the records of both runs: same kind, same line, same order."""
    def keyed(records: list[Record]) -> dict[tuple[Any, ...], Record]:
        found: dict[tuple[Any, ...], Record] = {}
        for record in records:
            if "line" in record:
                turn = 0
                while (record["line"], record["kind"], turn) in found:
                    turn += 1
                found[record["line"], record["kind"], turn] = record
        return found

    left, right = keyed(standard), keyed(mine)
    keys = sorted(dict.fromkeys([*right, *left]), key=lambda key: key[0])     # stable: as they were said
    return [(left.get(key), right.get(key)) for key in keys]


def joined(found: list[Pair], breaks: list[int]) -> list[Pair]:
    """Lines that were printed one after the other, with no heading between them, as one."""
    out: list[Pair] = []
    at = 0
    for left, right in found:
        record = right or left or {}
        here = sum(line <= record["line"] for line in breaks)
        old = out[-1] if out else (None, None)
        if left and right and old[0] and old[1] and here == at and record["kind"] in WORDS and old[1]["kind"] in WORDS:
            out[-1] = tuple({**one, "text": f"{one['text']}\n{more['text']}"} for one, more in zip(old, (left, right)))
        else:
            out.append((left, right))
        at = here
    return out


def beside(left: str, right: str) -> str:
    """Two results side by side, or one if this run is the standard run."""
    if not left:
        return right
    return f'<div class="pair"><div class="was"><p class="label">standard</p>{left}</div>' \
           f'<div><p class="label">this run</p>{right}</div></div>'


def said(left: str | None, right: str | None, two: bool) -> str:
    """What was printed; the same words stand once."""
    def block(text: str | None) -> str:
        return f"<pre>{escape(text)}</pre>" if text is not None else "<p class=none>said nothing</p>"
    return block(right) if not two or left == right else beside(block(left), block(right))


def claim(left: Record | None, right: Record | None, two: bool) -> str:
    """A claim, with its measured values."""
    shown = right or left or {}
    words = "not judged" if not shown.get("judged", True) else "holds" if shown["holds"] else "does not hold"
    if shown.get("judged", True) and shown.get("expect") == "fails" and not shown["holds"]:
        words = "not reproduced"
    numbers = f"measured <b>{escape(number(right['measured']))}</b>" if right else "not measured in this run"
    if two and left:
        numbers += f" (standard: {escape(number(left['measured']))})"
    part = f" <code>{escape(shown['part'])}</code>" if shown.get("part") else ""
    return f'<p class="claim {words.replace(" ", "-")}"><b>{words}:</b> {escape(shown["text"])}{part}<br>' \
           f'<small>{numbers}, asked {escape(asked(shown))}</small></p>'


def figure(record: Record | None, outcome: Outcome | None) -> str:
    """A figure, live, with its words and its data."""
    if record is None or outcome is None:
        return "<p class=none>drew nothing</p>"
    path = outcome.folder / record["spec"]
    if path.suffix == ".dot":
        meta = json.loads(path.with_suffix(".meta.json").read_text(encoding="utf-8"))
        drawn = diagram(path, meta.get("description", ""))
    else:
        meta = json.loads(path.read_text(encoding="utf-8"))
        spec = json.dumps(palette.dress(meta)).replace("<", "\\u003c")
        drawn = f'<div class="plot" role="img" aria-label="{escape(meta.get("description", ""))}">' \
                f'<script type="application/json">{spec}</script></div>'
    caption = meta.get("caption") or meta.get("usermeta", {}).get("recto", {}).get("caption", "")
    return f"<figure>{drawn}<figcaption>{escape(caption)}</figcaption></figure>"


def diagram(path: Path, description: str) -> str:
    """A Graphviz drawing, or its text where Graphviz is missing."""
    dot = shutil.which("dot")
    done = subprocess.run([dot, "-Tsvg", str(path)], capture_output=True, text=True) if dot else None
    if done is None or done.returncode:
        return f"<pre>{escape(path.read_text(encoding='utf-8'))}</pre>"
    svg = done.stdout[done.stdout.index("<svg"):]
    return f'<div class="diagram" role="img" aria-label="{escape(description)}">{svg}</div>'


def table(record: Record | None) -> str:
    """A table of words and numbers."""
    if record is None:
        return "<p class=none>no such table</p>"
    head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in record["columns"])
    rows = "".join("<tr>" + "".join(f"<td>{escape(number(cell))}</td>" for cell in row) + "</tr>"
                   for row in record["rows"])
    return f'<div class="scroll" tabindex="0"><table><caption>{escape(record["caption"])}</caption>' \
           f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"


def result(pair: Pair, standard: Outcome, mine: Outcome | None) -> str:
    """One result of this run, or the results of this run and of the standard run."""
    left, right = pair
    two = mine is not None
    kind = (right or left or {})["kind"]
    if kind in WORDS:
        return said((left or {}).get("text"), (right or {}).get("text"), two)
    if kind == "claim":
        return claim(left, right, two)
    if kind == "figure":
        return beside(figure(left, standard) if two else "", figure(right, mine or standard))
    if kind == "table":
        same = left is not None and right is not None and left["rows"] == right["rows"]
        return beside(table(left) if two and not same else "", table(right))
    return ""


def headings(page: Page) -> list[tuple[int, str]]:
    """(line, words) of the page's headings."""
    lines = page.source.read_text(encoding="utf-8").splitlines()
    found = [(number, re.match(r"\s*// #{2,4} (.*)", text)) for number, text in enumerate(lines, 1)]
    return [(number, match[1]) for number, match in found if match]


def options_table(end: Record) -> str:
    """Every option of the page, with its value in this run."""
    rows = "".join(f'<tr{" class=changed" if option["value"] != option["default"] else ""}>'
                   f"<td><code>--{escape(option['name'])}</code></td><td>{escape(str(option['value']))}</td>"
                   f"<td>{escape(str(option['default']))}</td><td>{escape(option['help'])}</td></tr>"
                   for option in end["options"])
    return '<details><summary>Options</summary><div class="scroll" tabindex="0"><table><thead><tr>' \
           '<th scope="col">option</th><th scope="col">this run</th><th scope="col">standard</th>' \
           f'<th scope="col">what it is</th></tr></thead><tbody>{rows}</tbody></table></div></details>'


def write_page(page: Page, options: list[str], standard: Outcome, mine: Outcome | None, script: str) -> str:
    """The whole HTML file."""
    left = read_trace(standard.folder)
    right = read_trace(mine.folder) if mine else left
    lines, titles, body = page_lines(page), headings(page), []
    left, right = ([{**record, "line": lines[min(record["line"], len(lines) - 1)]} if "line" in record else record
                    for record in records] for records in (left, right))
    for pair in joined(pairs(left, right), [line for line, _ in titles]):
        line = (pair[1] or pair[0] or {})["line"]
        while titles and titles[0][0] <= line:
            title = titles.pop(0)[1]
            if not titles or titles[0][0] > line:
                body.append(f"<h2>{escape(title)}</h2>")
        body.append(result(pair, standard, mine))
    end = finished(right) or {}
    command = " ".join(["./recto run", page.name, *options])
    took = f"{end.get('seconds', 0):.3g} s on {end.get('device')}, {end.get('threads')} threads, {end.get('cpu')}"
    note = "" if mine is None else "<p class=note>Claims are judged at the standard settings only.</p>"
    broken = f"<p class=broken>{escape((mine or standard).error)}</p>" if (mine or standard).error else ""
    parts = {"TITLE": escape(page.title), "STYLE": (HERE / "own.css").read_text(), "COMMAND": escape(command),
             "TOOK": escape(took), "NOTE": note + broken, "OPTIONS": options_table(end) if end else "",
             "BODY": "\n".join(body), "SCRIPT": script.replace("</script", "<\\/script"),
             "WAKE": (HERE / "own.js").read_text()}
    pieces = re.split(r"@([A-Z]+)@", (HERE / "own.html").read_text())
    return "".join(text + (parts[name] if name else "") for text, name in zip_longest(pieces[::2], pieces[1::2]))
