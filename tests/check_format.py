"""Is all C++ in the shape of .clang-format, does formatting leave the prose of the pages alone, and is the English plain?

CRUDE lists phrases that an English editor would strike. More than 60 of them in comments, docstrings, Markdown and pages fail the
check. It prints file, line and phrase of each. Ends with one line, N passed, N failed, N skipped.
"""
import ast
import io
import pathlib
import re
import shutil
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_CRUDE = 60
CRUDE = re.compile("|".join((
    r"\b(?:whoever|somebody|everybody|(?<!`)nobody(?!`))\b",            # name the subject
    r"[.:;] Who (?:is|has|does|never|always)\b[^?]*\.(?:\s|$)",         # no clause as a subject
    r"\bshall\b",                                                       # will, must, let us
    r"\b(?:anew|likewise|thereby|whereby|dearer)\b",                    # a plain modern word
    r"\b(?:for ever|of late|to and fro|in vain|by and by)\b",           # a plain modern word
    r"\bto be had\b",                                                   # available; out of memory
    r"\bhas (?:it|he|she) (?:a|an|the|any)\b",                          # does it have
    r"\bat its word\b",                                                 # trusts
    r"\bthe way (?:back|there)\b",                                      # the backward pass, the forward pass
    r"\b(?:may|must|can) be told\b",                                    # takes, accepts
    r"\b(?:have|has) (?:not )?spoken\b|\bspeaks? for\b",                # reports; is evidence for
    r"\bkeeps? books\b|\b(?:is|be) through with\b",                     # records; no longer needs
    r"\bthere (?:is|are) not\b",                                        # there are no
    r"\bmust not forget\b",                                             # must
    r"\bholds? (?:\w+ )?for (?:impossible|true|certain)\b",             # assigns zero probability
)), re.IGNORECASE)
# Not edited: licences, inputs of receipts, hostile programs, and this list.
UNEDITED = re.compile(r"book/colophon\.md|tests/(?:exercises|golden|judge/hostile)/|tests/check_format\.py")


def prose(text: str) -> list[str]:
    """The full-line comments of a page: what the weaver makes Markdown of."""
    return [line.strip() for line in text.splitlines() if line.strip().startswith("//")]


def read_by_people(path: pathlib.Path, text: str) -> list[tuple[int, str]]:
    """The comments and docstrings of a source, or all of a Markdown file, by line."""
    if path.suffix == ".md":
        return list(enumerate(text.splitlines(), 1))
    if path.suffix != ".py":                            # C++: strings are skipped, so that // in them is no comment
        tokens = re.finditer(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', text, re.DOTALL)
        return [(text.count("\n", 0, t.start()) + 1, t[0]) for t in tokens if t[0].startswith("/")]
    found = [(t.start[0], t.string) for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type == tokenize.COMMENT]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            first = node.body[0].lineno
            found += list(enumerate(ast.get_docstring(node, clean=False).splitlines(), first))
    return sorted(found)


def crude(path: pathlib.Path, text: str) -> list[str]:
    """The crude phrases of one file: `file:line: phrase`."""
    return [f"{path}:{line}: '{hit[0].strip()}'" for line, words in read_by_people(path, text) for hit in CRUDE.finditer(words)]


def check_english() -> bool:
    """Prints all crude phrases of the files that git tracks; false if there are more than MOST_CRUDE."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, text=True, capture_output=True, check=True).stdout.split("\n")
    files = [pathlib.Path(f) for f in tracked if f.endswith((".cpp", ".hpp", ".cu", ".cuh", ".py", ".md")) and not UNEDITED.match(f)]
    found = [hit for f in files if (ROOT / f).exists() for hit in crude(f, (ROOT / f).read_text(encoding="utf-8"))]
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
