"""The snapshot of a page that its program is compiled from.

`python3 -m recto.pages.snapshot PAGE COPY` rewrites COPY only when the page's token stream changed, so editing prose
compiles nothing. `line_map(copy, page)` says where each line of the copy stands in the page today.
"""
import re
import sys
from pathlib import Path

from recto.lexer import stream, tokens
from recto.place import ROOT


def frozen(source: str, name: str) -> str:
    """The text of a snapshot. Where the page begins with a comment, as pages do, the directive takes that
    line's place, so that both have the same lines and a compiler's excerpts are right."""
    first, _, rest = source.partition("\n")
    if first.startswith("//") and not first.endswith("\\"):
        return f'#line 2 "{name}"\n{rest}'
    return f'#line 1 "{name}"\n{source}'


def thaw(copy: str) -> str:
    """A snapshot's text as the page it was taken from, up to prose."""
    match = re.match(r'#line ([12]) ".*"\n', copy)
    return copy if not match else "\n" * (int(match[1]) - 1) + copy[match.end():]


def line_map(copy: str, page: str) -> list[int]:
    """For each line a program speaks of (from 1; entry 0 is unused) the line of the page today.

    Takes the text of the snapshot and of the page. Where the page's code has changed since the
    snapshot was taken, what stands before and after the change is still mapped token by token.
    """
    source = thaw(copy)
    old, new = tokens(source), tokens(page)
    head = common(old, new)
    tail = min(common(old[::-1], new[::-1]), min(len(old), len(new)) - head)
    pairs = list(zip(old[:head], new[:head])) + list(zip(old[len(old) - tail:], new[len(new) - tail:]))
    now: dict[int, int] = {}
    for (_, was), (_, line) in pairs:
        now.setdefault(was, line)
    lines, shift = [0], 0
    for number in range(1, source.count("\n") + 2):
        shift = now[number] - number if number in now else shift
        lines.append(max(1, number + shift))
    return lines


def common(old: list[tuple[str, int]], new: list[tuple[str, int]]) -> int:
    """How many tokens two streams share at their beginning."""
    count = 0
    while count < min(len(old), len(new)) and old[count][0] == new[count][0]:
        count += 1
    return count


def take(page: Path, copy: Path) -> bool:
    """Brings the copy up to date; True when it had to be rewritten."""
    source = page.read_text(encoding="utf-8")
    try:
        name = page.resolve().relative_to(ROOT).as_posix()
    except ValueError:
        name = page.resolve().as_posix()
    fresh = frozen(source, name)
    if copy.exists():
        old = copy.read_text(encoding="utf-8")
        if f' "{name}"\n' in old and stream(thaw(old)) == stream(source):
            return False
    copy.parent.mkdir(parents=True, exist_ok=True)
    part = copy.with_name(copy.name + ".part")
    part.write_text(fresh, encoding="utf-8")
    part.replace(copy)
    return True


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python3 -m recto.pages.snapshot PAGE COPY")
    take(Path(sys.argv[1]), Path(sys.argv[2]))
