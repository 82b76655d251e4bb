"""The snapshot of a page that its program is compiled from.

`snapshot.py PAGE COPY` rewrites COPY only when the page's token stream changed, so editing prose
compiles nothing. `line_map(copy, page)` says where each line of the copy stands in the page today.
"""
import hashlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LEXEME = re.compile(r"""
    (?P<splice>\\[ \t]*\n)
  | (?P<space>[ \t\r\f\v]+)
  | (?P<newline>\n)
  | (?P<comment>//(?:\\[ \t]*\n|[^\n])* | /\*[\s\S]*?\*/)
  | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\([\s\S]*?\)(?P=mark)"\w*)
  | (?P<string>(?:u8|[uUL])?"(?:\\[ \t]*\n|\\.|[^"\\\n])*"\w*)
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'\w*)
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<word>[^\W0-9]\w*)
  | (?P<other>[\s\S])
""", re.VERBOSE)
HEADER = re.compile(r"<[^>\n]*>")


def tokens(source: str) -> list[tuple[str, int]]:
    """(token, line) of everything the compiler sees.

    A token that follows white space or a comment begins with a space, and a directive ends with a
    newline token: two sources with equal tokens are the same program up to line numbers.
    """
    found: list[tuple[str, int]] = []
    line, at, gap, fresh, directive = 1, 0, "", True, False
    while at < len(source):
        match = LEXEME.match(source, at)
        assert match
        if directive and found[-1][0].strip() == "include" and source[at] == "<":
            match = HEADER.match(source, at) or match
        kind, text = match.lastgroup or "header", match[0]
        if kind in ("space", "comment"):
            gap = " "
        elif kind == "newline":
            if directive:
                found.append(("\n", line))
            gap, fresh, directive = " ", True, False
        elif kind != "splice":
            directive = directive or (fresh and text == "#")
            found.append((gap + text if found else text, line))
            gap, fresh = "", False
        line += text.count("\n")
        at = match.end()
    return found


def stream(source: str) -> list[str]:
    """The tokens without their lines."""
    return [text for text, _ in tokens(source)]


def digest(*sources: str) -> str:
    """Sixteen letters that change when a program does; comments and white space are none of it."""
    return hashlib.sha256("\0".join("\0".join(stream(source)) for source in sources).encode()).hexdigest()[:16]


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
        sys.exit("usage: snapshot.py PAGE COPY")
    take(Path(sys.argv[1]), Path(sys.argv[2]))
