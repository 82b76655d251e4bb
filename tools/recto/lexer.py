"""One lexer for C++: everything in this project that looks into C++ text sees it through these tokens."""
import hashlib
import re

COMMENT = r"//(?:\\[ \t]*\n|[^\n])*|/\*[\s\S]*?\*/"
RAW = r'(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\([\s\S]*?\)(?P=mark)"'
STRING = r'(?:u8|[uUL])?"(?:\\[ \t]*\n|\\.|[^"\\\n])*"'
CHAR = r"(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'"
LEXEME = re.compile("|".join((
    r"(?P<splice>\\[ \t]*\n)", r"(?P<space>[ \t\r\f\v]+)", r"(?P<newline>\n)", rf"(?P<comment>{COMMENT})",
    rf"(?P<raw>{RAW}\w*)", rf"(?P<string>{STRING}\w*)", rf"(?P<char>{CHAR}\w*)",
    r"(?P<number>\.?[0-9](?:[eEpP][+-]|'\w|[\w.])*)", r"(?P<word>[^\W0-9]\w*)", r"(?P<other>[\s\S])")))
QUOTED = re.compile(rf"(?P<comment>{COMMENT})|{RAW}|{STRING}|(?<!\w){CHAR}")      # 1'000 begins no character
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


def without_comments(source: str) -> str:
    """The text with comments replaced by blanks: all other characters keep their positions."""
    return QUOTED.sub(lambda m: re.sub(r"[^\n]", " ", m[0]) if m["comment"] else m[0], source)


def stream(source: str) -> list[str]:
    """The tokens of a source, without line numbers."""
    return [text for text, _ in tokens(source)]


def digest(*sources: str) -> str:
    """Sixteen letters that change when a program does; comments and white space do not count."""
    return hashlib.sha256("\0".join("\0".join(stream(source)) for source in sources).encode()).hexdigest()[:16]
