"""A chapter program is a page: reads .cpp as MyST, with warnings that name the line of the program.

The whole grammar:
  * a line that is only a `//` comment is Markdown, without the `// `;
  * anything else is C++, shown as it is compiled;
  * `//- words` folds the lines up to the next `//-` under "words"; without words it leaves them out;
  * plumbing is folded by kind (recto_book/plumbing.py): options, drawing, checks;
  * a statement that begins with `ask` or `ask_number` stands folded under the question it asks, so that the
    key is not read before the question;
  * what line N said, claimed, asked or drew (trace.jsonl) appears under the block that holds line N, questions first and
    then in the order in which it was printed;
  * of the claims that hold, the first four of a page are in view, and the others in folds;
  * "```{opening} fig-3.3" shows a figure there, above the code that draws it, so that a page begins with its best one.
A page shows its idea, not its plumbing: see Page.limits.
"""
import itertools
import json
import pathlib
import re
import textwrap

from sphinx.util import logging
from myst_parser.mdit_to_docutils.sphinx_ import SphinxRenderer
from myst_parser.parsers.mdit import create_md_parser
from myst_parser.parsers.sphinx_ import MystParser

from recto_book import claims
from recto_book import plumbing
from recto_book import runs
from recto_book.tools import lexer

ASKS = re.compile(r"\s*(book::)?ask(_number)?\(")
SHOWN = ("ask", "say", "timing", "claim", "table", "figure")
OPENING = re.compile(r"```\{opening\} (\S+)$")
QUESTION = "the question as code"
EMPTY = re.compile(r"(void page\(\) \{|\};?|\s)*")      # where a program begins and ends, which says nothing by itself
LONGEST = 25                # open lines in a row: what a reader can hold
OPEN = 100                  # open lines of a page: what a reader reads in 15 minutes beside the prose
LEFT_OUT = 1 / 10           # of a page's lines of code: the others stand on the page, open or folded
log = logging.getLogger(__name__)


def directive(name, argument="", options=(), data=None):
    """One directive as Markdown lines; its data is one line of JSON, which nothing can take for Markdown."""
    fence = "`" * 8
    body = [] if data is None else ["", json.dumps(data)]
    return [f"{fence}{{{name}}} {argument}".rstrip(), *[f":{k}: {v}" for k, v in options], *body, fence, ""]


class Page:
    """Markdown lines, and for each of them the line of the program it came from."""

    def __init__(self, records):
        self.lines, self.origin, self.said = [], [], {}
        self.blocks = []                    # (first line, lines of code, left out) of every block
        self.open = []                      # (first line, lines of code) of everything that is not folded
        self.missing = []                   # (line, words) of opening figures that the page does not draw
        self.foot = []                      # (line, directive) of what stands behind the page: its includes and names
        in_view = claims.in_view([r for r in records if r["kind"] == "claim"])
        for order, record in enumerate(records):
            if record["kind"] in SHOWN:
                shown = {"view": id(record) in in_view} if record["kind"] == "claim" else {}
                self.said.setdefault(record.get("line", 1), []).append(record | {"order": order} | shown)

    def emit(self, lines, at):
        self.lines += lines
        self.origin += [at] * len(lines)

    def opening(self, name, at):
        """A figure before the code that draws it, which then only says where it stands. Nothing without a run."""
        for line, found in self.said.items():
            for number, record in enumerate(found):
                if record["kind"] == "figure" and record["spec"] in (f"{name}.vl.json", f"{name}.dot"):
                    self.emit(self.shown(record), at)
                    found[number] = record | {"kind": "above", "name": name}
                    return
        if self.said:
            self.missing.append((at, f"opening: the page draws no figure {name}"))

    def results(self, first, last):
        """What the lines from `first` to `last` had to say: questions first, then everything as it was printed."""
        found = sorted((r for n in range(first, last + 1) for r in self.said.pop(n, ())),
                       key=lambda r: (r["kind"] != "ask", r["order"]))
        for kind, group in itertools.groupby(found, lambda r: r["kind"]):
            group = list(group)
            at = group[0].get("line", 1)
            if kind in ("say", "timing"):
                self.emit(directive("said" if kind == "say" else "timing", data=[r["text"] for r in group]), at)
            elif kind == "claim":
                self.emit(directive("claims", data=group), at)
            else:
                for r in group:
                    self.emit(self.shown(r), r.get("line", 1))

    @staticmethod
    def shown(record):
        """The Markdown of a question, a table, a figure, or a figure that stands above."""
        if record["kind"] == "ask":
            return directive("ask", data=record)
        if record["kind"] == "above":
            return [f"This draws {{numref}}`{record['name']}`, at the top of the page.", ""]
        if record["kind"] == "table":
            return directive("data-table", data=record)
        return directive("dot" if record["spec"].endswith(".dot") else "vega", record["spec"])

    def block(self, code, first, fold, hidden, asks=False):
        """A block of the program and its results; results of lines above it that had no block of their own too.
        Of a question the result comes first."""
        end = first + len(code) - 1
        while code and not code[-1].strip():
            code.pop()
        while code and not code[0].strip():
            code.pop(0)
            first += 1
        if code:
            self.blocks.append((first, sum(bool(c.strip()) for c in code), hidden))
        if asks:
            self.results(1, end)
        if code and fold and any(line.startswith("#include") for line in code):
            self.foot.append((first, directive("cpp-code", options=[("first", first), ("fold", fold)], data=code)))
        elif code and not hidden and not EMPTY.fullmatch("\n".join(code)):
            for begin, stop, words in [(0, len(code), fold)] if fold else plumbing.parts(code):
                while not code[begin].strip():
                    begin += 1
                piece = textwrap.dedent("\n".join(code[begin:stop])).rstrip().splitlines()
                options = [("first", first + begin)] + ([("fold", words)] if words else [])
                if not words:
                    self.open.append((first + begin, sum(bool(line.strip()) for line in piece)))
                if words in (plumbing.CHECKS, QUESTION):
                    options.append(("quiet", ""))
                self.emit(["", *directive("cpp-code", options=options, data=piece)], first + begin)
        if code:
            self.results(1, end)

    def limits(self):
        """Where the page loses words, shows too much of its program at once, or leaves out too much of it: (line, words)."""
        for line, at in zip(self.lines, self.origin):
            if line.lstrip().startswith("%"):
                yield at, "a line of prose begins with %, which makes it a comment of MyST, and its words are lost: break the line elsewhere"
        yield from self.missing
        for first, lines in self.open:
            if lines > LONGEST:
                yield first, f"{lines} open lines of code in a row; at most {LONGEST} may stand together"
        shown = sum(lines for _, lines in self.open)
        if shown > OPEN:
            at = max(self.open, key=lambda block: block[1])[0]
            yield at, f"{shown} open lines of code on the page; at most {OPEN} may be"
        away, whole = sum(n for _, n, hidden in self.blocks if hidden), sum(n for _, n, _ in self.blocks)
        if away > LEFT_OUT * whole:
            at = max((n, -first) for first, n, hidden in self.blocks if hidden)[1]
            yield -at, f"{away} of {whole} lines of code are left out ({away / whole:.0%}); at most {LEFT_OUT:.0%} may be"

    def frame(self):
        """Under the title the switch for code and what is wrong with the run; at the foot what is behind the page, wherever
        its author wrote the rows. Every page has both."""
        title = next((n for n, t in enumerate(self.lines) if t.startswith("# ")), 0)
        first = next((n for n, t in enumerate(self.lines) if re.match(r"`{3,}\{rows\}", t)), None)
        lines, origin = ["```{rows}", "```"], [self.origin[title]] * 2
        if first is not None:
            last = next((n for n in range(first + 1, len(self.lines)) if self.lines[n].startswith("```")), first)
            lines, origin = self.lines[first:last + 1], self.origin[first:last + 1]
            del self.lines[first:last + 1], self.origin[first:last + 1]
        self.lines[title + 1:title + 1] = ["", *directive("page-top")]
        self.origin[title + 1:title + 1] = [self.origin[title]] * (len(self.lines) - len(self.origin))
        self.emit(["", *directive("answers"), "", "## Behind this page", ""], self.origin[-1])
        for at, shown in self.foot:
            self.emit(["", *shown], at)
        self.lines += lines
        self.origin += origin


def statement(lines, start):
    """The number of the line that ends the statement which begins on this one."""
    depth = 0
    for token, line in lexer.tokens("\n".join(lines[start:])):
        sign = token.strip()
        depth += (sign in ("(", "{")) - (sign in (")", "}"))
        if sign == ";" and depth <= 0:
            return start + line - 1
    return start


def weave(source, records):
    """The page woven from a program's text and its records."""
    page, code, first, fold, hidden, number = Page(records), [], 1, None, False, 0
    lines, asked = source.splitlines(), 0
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if number <= asked:
            continue
        if ASKS.match(line) and fold is None and not hidden:
            page.block(code, first, fold, hidden)
            asked = statement(lines, number - 1) + 1
            while asked < len(lines) and lines[asked].strip() == "}":    # a brace by itself says nothing
                asked += 1
            page.block(lines[number - 1:asked], number, QUESTION, False, asks=True)
            code, first = [], asked + 1
            continue
        if re.match(r"//-(\s|$)", text):
            page.block(code, first, fold, hidden)
            words = text[3:].strip()
            opening = fold is None and not hidden
            code, first = [], number + 1
            fold, hidden = (words or None, not words) if opening else (None, False)
        elif text.startswith("//") and not text.startswith("///") and fold is None and not hidden:
            page.block(code, first, fold, hidden)
            code, first = [], number + 1
            shown = OPENING.match(text[2:].strip())
            if shown:
                page.opening(shown[1], number)
                asked = number + 1                  # the line that ends the directive
            else:
                page.emit([text[2:].removeprefix(" ")], number)
        else:
            if not code and text:
                first = number
            if text or code:
                code.append(line)
    page.block(code, first, fold, hidden)
    page.results(1, number + 1)
    return page


class Parser(MystParser):
    """MyST over the woven lines; every token is given back the line number of the program."""

    supported = ("recto",)

    def parse(self, inputstring, document):
        env = document.settings.env
        source = pathlib.Path(document["source"])
        origin = runs.origins(env.config.recto_build).get(f"{env.docname}.cpp", source.name)
        run = runs.Run(env.config, source.stem, origin)
        env.recto_stamps[env.docname] = runs.stamp(env.config, source.stem)
        page = weave(inputstring, run.records)

        env.temp_data["recto_top"] = {"program": source.stem, "problem": run.problem, "page": run.page}
        for line, words in page.limits():
            log.warning("page: %s", words, location=(env.docname, line))

        page.frame()

        md = create_md_parser(env.myst_config, SphinxRenderer)
        md.options["document"] = document
        tokens = md.parse("\n".join(page.lines) + "\n", {})
        last = len(page.origin) - 1
        for token in tokens:
            for t in [token, *(token.children or ())]:
                if t.map:
                    t.map = [page.origin[min(n, last)] - 1 for n in t.map]
        md.renderer.render(tokens, md.options, {})


def outdated(app, env, _added, _changed, _removed):
    """Pages whose program ran again."""
    if not hasattr(env, "recto_stamps"):
        env.recto_stamps = {}
    return [doc for doc, seen in env.recto_stamps.items()
            if doc in env.found_docs and runs.stamp(app.config, doc.rpartition("/")[2]) != seen]


def setup(app):
    app.add_source_suffix(".cpp", "recto")
    app.add_source_parser(Parser)
    app.connect("env-get-outdated", outdated)
