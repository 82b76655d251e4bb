"""Which lines of a page's program are plumbing: options, drawing, keeping studies, and what only checks and prints.

The weaver folds them by kind, so that what stays open is what the page is about. Nothing is lost: a fold opens by a click,
all of them by the page's switch, and on paper and without a script everything can be read.
"""
import re
from typing import NamedTuple

from recto_book.tools import lexer

OPTIONS, FIGURE, CHECKS = "the options", "how the figure is drawn", "what is checked and printed"
STUDY, ORDER = "how the study is kept", "the page in order"
OPTION = re.compile(r"(static\s+)?const\s+(book::)?Option<")
STYLE = re.compile(r"(const|constexpr)\s+figure::(Style|Color)\b")
DRAWS = re.compile(r"\b(?:figure::)?Figure\b\s*(\w+)?\s*\(")
NAMED = re.compile(r"\bFigure\b&?\s+(\w+)")
KEEPS = re.compile(r"const\s+(book::)?Study\s+\w+[({]|std::vector<((book::)?Study::Row|std::string)>\s+\w+\(\)")
PAGE = re.compile(r"void\s+page\(\)")
TELLS = re.compile(r"(book::)?(claim\w*|timing_claim|not_reproduced|say\w*|table|shows|report)\(")
LOOP = re.compile(r"(for|if)\s*\(")
LEAST = 3           # lines: a shorter fold would hide less than it takes up
MOST = 0.5          # of a function's body may be plumbing before all of the function is
NEXT = {";", ",", ")", "else", ".", "->", "while", "(", "?", "}"}   # a brace before one of these does not end its statement


class Unit(NamedTuple):
    """A statement, a definition, or a part of one that the block cuts: its lines, from `first` to before `end`."""
    first: int
    end: int
    body: tuple[int, int] | None      # the lines between its outermost braces, if it has some
    open: bool = False                # the block ends before its brace is closed


def units(code: list[str], first: int, end: int) -> list[Unit]:
    """What stands in these lines of a block, one after the other; lines that no unit holds are blank."""
    found: list[Unit] = []
    depth, start, opened, closed = 0, None, None, None
    listed = [(text.strip(), first + line - 1) for text, line in lexer.tokens("\n".join(code[first:end]))]
    n = 0
    while n < len(listed):
        sign, line = listed[n]
        if start is None:
            start, opened, closed = line, None, None
        if sign == "}" and depth == 0:                                  # the end of what an earlier block began
            found.append(Unit(line, line + 1, None))
            start = None
        elif sign in ("(", "{", "["):
            if sign == "{" and depth == 0:
                opened = (n, line)
            depth += 1
        elif sign in (")", "}", "]"):
            depth -= 1
            closed = line if sign == "}" and depth == 0 else closed
        ahead = listed[n + 1][0] if n + 1 < len(listed) else ""
        ends = sign == ";" or (sign == "}" and ahead not in NEXT) or (sign == "}" and ahead == "}")
        if start is not None and depth == 0 and ends:
            body = (opened[1] + 1, closed) if opened and closed is not None and closed > opened[1] else None
            found.append(Unit(start, line + 1, body))
            start = None
        n += 1
    if start is not None and opened and closed is None:                 # a function whose prose stands inside it
        found.append(Unit(start, opened[1] + 1, None, open=True))
        found += units(code, opened[1] + 1, end)
    elif start is not None:
        found.append(Unit(start, end, None))
    return found


def kind(code: list[str], unit: Unit, figures: set[str]) -> str | None:
    """What kind of plumbing a unit is, if it is some."""
    text = "\n".join(code[unit.first:unit.end]).strip()
    if OPTION.match(text):
        return OPTIONS
    if STYLE.match(text):
        return FIGURE
    if KEEPS.match(text):
        return STUDY
    if PAGE.match(text) and unit.body:
        return ORDER
    if TELLS.match(text):
        return CHECKS
    name = re.match(r"(\w+)\s*\.", text)
    if DRAWS.match(text) or (name and name[1] in figures):
        return FIGURE
    if unit.body and LOOP.match(text):
        inside = {kind(code, one, figures) for one in units(code, *unit.body)}
        return FIGURE if FIGURE in inside else inside.pop() if len(inside) == 1 else None
    if LOOP.match(text):
        inner = re.sub(r"^(for|if)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\s*", "", text)
        name = re.match(r"(\w+)\s*\.", inner)
        return CHECKS if TELLS.match(inner) else FIGURE if name and name[1] in figures else None
    return None


def filled(code: list[str], first: int, end: int) -> int:
    """How many of these lines are not blank."""
    return sum(bool(line.strip()) for line in code[first:end])


def marked(code: list[str], first: int, end: int, figures: set[str]) -> list[tuple[int, int, str]]:
    """The plumbing in these lines: (first, end, kind) of every unit that is some, and of functions that are mostly some."""
    found: list[tuple[int, int, str]] = []
    for unit in units(code, first, end):
        if what := kind(code, unit, figures):
            found.append((unit.first, unit.end, what))
        elif unit.body and not LOOP.match(code[unit.first].strip()):
            inside = marked(code, *unit.body, figures)
            away = sum(filled(code, a, b) for a, b, _ in inside)
            if away > MOST * filled(code, *unit.body):
                found.append((unit.first, unit.end, max((filled(code, a, b), what) for a, b, what in inside)[1]))
            else:
                found += inside
    return found


def parts(code: list[str]) -> list[tuple[int, int, str]]:
    """A block in pieces, (first, end, words): what stays open has no words, a fold has those of what it holds."""
    figures = {name for line in code for name in NAMED.findall(line)} | {"figure"}
    folds: list[tuple[int, int, list[str]]] = []
    for first, end, what in marked(code, 0, len(code), figures):
        if folds and not filled(code, folds[-1][1], first):
            folds[-1] = (folds[-1][0], end, [*folds[-1][2], *([what] if what not in folds[-1][2] else [])])
        else:
            folds.append((first, end, [what]))
    made, at = [], 0
    for first, end, words in folds:
        if filled(code, first, end) < LEAST:
            continue
        if filled(code, at, first):
            made.append((at, first, ""))
        made.append((first, end, ", and ".join(words)))
        at = end
    if made and all(line.strip() in ("", "}") for line in code[at:]):       # a brace by itself says nothing
        made[-1] = (made[-1][0], len(code), made[-1][2])
    elif filled(code, at, len(code)):
        made.append((at, len(code), ""))
    return made
