"""Is all C++ in the shape of .clang-format, does formatting leave the prose of the pages alone, and is the English plain?

CRUDE lists phrases that an English editor would strike. More than 60 of them in all that people read (comments, docstrings,
texts of programs, Markdown, data with words) fail the check. It prints file, line and phrase of each. Ends with one line,
N passed, N failed, N skipped.
"""
import bisect
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What stays on purpose: slopes that are slopes, such as those of lines and rectifiers; texts of programs that receipts rest
# on; names of wrong answers; quotations.
MOST_CRUDE = 60
CRUDE = re.compile("|".join((
    r"(?:^|[.:;?!(]\s+)who(?:ever)? (?!(?:is|are|was|were|wrote|has|had|can|will|would|said|invented|made)\b[^.]*\?)",
    r"\b(?:whoever|somebody|everybody|(?<!`)nobody(?!`))\b",            # name the subject
    r"\bone (?:can|could|may|might|must|has to|would|should|sees|knows|does)\b",           # you, we
    r"(?-i:\b(?:Is|Are|Has|Have|Does|Were) [^.?]{3,60}, (?:the|it|we|they|a|an|one)\b(?![^.]*\?))",      # if ..., then
    r"(?-i:\b(?:Against|From|Of|To|For|With) \w+(?: \w+){0,3} (?:helps|follows|comes|stands|lies|goes) only\b)",
    r"\bshall\b",                                                       # will, must, let us
    r"\b(?:anew|likewise|thereby|whereby|wherefrom|dearer)\b",          # a plain modern word
    r"\b(?:for\sever|of\slate|to\sand\sfro|in\svain|by\sand\sby)\b",   # a plain modern word
    r"\b(?:gladly|indeed|verily|alas|thus|hence)\b",                    # nothing, or the reason
    r"\bto\sbe\shad\b",                                                 # available; out of memory
    r"\bhas (?:it|he|she|the \w+) (?:a|an|the|any)\b",                  # does it have
    r"\bat its word\b",                                                 # trusts
    r"\bthe way (?:back|there|forth)\b|\bon the way (?:back|there)\b",  # the backward pass, the forward pass
    r"\bthe (?:one|other)\b[^.;:]{0,40}\bthe (?:one|other)\b",          # the noun, again
    r"\bso\smany\b",                                                    # how many, this many
    r"\b(?:may|must|can|need) be told\b",                               # takes, accepts
    r"\b(?:have|has|had) (?:not )?spoken\b|\bspeaks? for\b",            # reports; is evidence for
    r"\bkeep(?:s|ing)? books\b|\b(?:is|be) through with\b|\bwould be through\b",          # records; no longer needs
    r"\bthere (?:is|are) not\b|\b(?:is|are|was|were) (?:none|nothing but)\b",              # there are no; what it is
    r"\bmust not forget\b",                                             # must
    r"\bhold(?:s|ing)? (?:\w+ )?for (?:impossible|true|certain)\b",     # assigns zero probability
    r"\bslopes? (?:of|by|for)\b",                                       # derivative, gradient
    r"\b(?:a|the|of|many|these|all|more|few|each|every|test|training) pictures?\b",         # image, figure
)), re.IGNORECASE)
READ = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".md", ".sh", ".toml", ".txt", ".json"}
# Not edited: licences, this list, data of others, and receipts, which repeat the words of what they prove.
UNEDITED = re.compile(r"book/colophon\.md|book/references|tests/(?:golden|fuzz|receipts/proofs)/|tests/check_format\.py")


def prose(text: str) -> list[str]:
    """The full-line comments of a page: what the weaver makes Markdown of."""
    return [line.strip() for line in text.splitlines() if line.strip().startswith("//")]


def read_by_people(path: pathlib.Path, text: str) -> list[tuple[int, str]]:
    """What people read of a file, by line: all of Markdown, else comments and quoted texts of several words."""
    if path.suffix == ".md":
        return list(enumerate(text.splitlines(), 1))
    if path.suffix == ".py":
        words = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
        found = [(t.start[0], t.string) for t in tokenize.generate_tokens(io.StringIO(text).readline)
                 if t.type == tokenize.COMMENT or (t.type in words and " " in t.string)]
    else:                                               # a string is found first, so that // or # in it begins no comment
        comment = r"//[^\n]*|/\*.*?\*/" if path.suffix in (".cpp", ".hpp", ".cu", ".cuh") else r"(?<!\S)#[^\n]*"
        found = [(text.count("\n", 0, t.start()) + 1, t[0]) for t in re.finditer(rf'"(?:\\.|[^"\\\n])*"|{comment}', text, re.DOTALL)
                 if not t[0].startswith('"') or " " in t[0]]
    return [(first + k, line) for first, words in found for k, line in enumerate(words.splitlines())]


def crude(path: pathlib.Path, text: str) -> list[str]:
    """The crude phrases of one file, also those over a line's end: `file:line: phrase`."""
    lines = read_by_people(path, text)
    plain = [re.sub(r"^\s*(?:///?<?|#|\*)\s*", "", words).strip() for _, words in lines]
    whole, starts = "", []
    for (line, _), words, before in zip(lines, plain, [(0, ""), *lines]):
        whole += " " if line == before[0] + 1 else "\n"
        starts.append(len(whole))
        whole += words
    return [f"{path}:{lines[bisect.bisect_right(starts, hit.start()) - 1][0]}: '{hit[0].strip()}'" for hit in CRUDE.finditer(whole)]


def check_english() -> bool:
    """Prints all crude phrases of the files that git tracks; false if there are more than MOST_CRUDE."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, capture_output=True, check=True).stdout.split("\n")
    files = [pathlib.Path(f) for f in tracked if pathlib.Path(f).suffix in READ and not UNEDITED.match(f)]
    found = [hit for f in files if (ROOT / f).exists() for hit in crude(f, (ROOT / f).read_text(encoding="utf-8", errors="replace"))]
    print("\n".join(found + [f"{len(found)} crude phrases, {MOST_CRUDE} allowed"]))
    return len(found) <= MOST_CRUDE


def main() -> int:
    passed = failed = 0
    if check_english():
        passed += 1
    else:
        print("check_format: too many crude phrases; say it as CRUDE in tests/check_format.py suggests")
        failed += 1
    tool = shutil.which("clang-format")
    if not tool:
        print("clang-format is not installed: the shape of the code was not checked")
        print(f"{passed} passed, {failed} failed, 1 skipped")
        return 1 if failed else 0
    files = sorted(p for top in ("lib", "chapters", "tests", "bench", "inspect", "web") for p in (ROOT / top).rglob("*")
                   if p.suffix in (".cpp", ".hpp", ".cu", ".cuh"))
    for path in files:
        text = path.read_text(encoding="utf-8")
        formatted = subprocess.run([tool, f"--assume-filename={path}"], input=text, text=True, capture_output=True,
                                   check=True).stdout
        name = path.relative_to(ROOT)
        if path.is_relative_to(ROOT / "chapters") and prose(text) != prose(formatted):
            print(f"{name}: formatting changes its prose")
            failed += 1
        elif text != formatted:
            print(f"{name}: not formatted; clang-format -i {name}")
            failed += 1
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
