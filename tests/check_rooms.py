#!/usr/bin/env python3
"""Refuses a library in which an operation lacks what every operation must have.

    PYTHONPATH=tools python3 tests/check_rooms.py LIB [STAMP]

LIB is the folder lib/recto. Fails, with one sentence for each thing missing, when

* a name that some `record("name", ...)` puts on the tape has no `GRADIENT_TEST("name"...)`;
* a function that a header of LIB/ops offers for tensors has no line `{"name", ...` in LIB/testing/every_op.cpp;
* a room of a family in LIB/ops (a .cpp or a .hpp) has no .test.cpp beside it.

Several operations may share a function whose first parameter is `const char* name` and which says
`record(name, ...)`; then the names are looked for where that function is called. With STAMP, an empty
file is written there when all is well, so that a build can depend on it.
"""

import re
import sys
from pathlib import Path

from recto.lexer import without_comments

LITERAL = r'"((?:[^"\\]|\\.)*)"'
RECORD = re.compile(r"\brecord\s*\(\s*(?:" + LITERAL + r"|(\w+)\s*,)")
TEST = re.compile(r"\bGRADIENT_TEST\s*\(\s*" + LITERAL)
SHARED = re.compile(r"\b(\w+)\s*\(\s*const char\s*\*\s*name\b[^;{]*\)\s*\{")
OFFERED = re.compile(r"^([\w:<>]+) (\w+)\(((?:[^;{}]|\{\})*)\);", re.M)  # not inline: what only calls another needs no line
LINE = re.compile(r"^\s*\{\s*" + LITERAL, re.M)

ELSEWHERE = {"autograd", "testing", "book"}  # the tape itself, its tests' helpers, and another record()


def recorded_names(text):
    """(name or None where it cannot be told, line) of everything that `text` records."""
    found = []
    shared = False
    for m in RECORD.finditer(text):
        line = text.count("\n", 0, m.start()) + 1
        if m[2] == "name":
            shared = True
        else:
            found.append((m[1], line))
    if shared:
        for function in {m[1] for m in SHARED.finditer(text)} - {"record"}:
            call = re.compile(r"\b" + function + r"\s*(?:<[^<>()]*>)?\s*\(\s*" + LITERAL)
            found += [(m[1], text.count("\n", 0, m.start()) + 1) for m in call.finditer(text)]
    return found


def without_layouts(ops):
    """(name, header) of every function of tensors that the table of operations lacks; strides are not tensors."""
    table = ops.parent / "testing" / "every_op.cpp"
    lines = set(LINE.findall(without_comments(table.read_text(encoding="utf-8")))) if table.exists() else set()
    for header in sorted(ops.rglob("*.hpp")):
        for returned, name, taken in OFFERED.findall(without_comments(header.read_text(encoding="utf-8"))):
            if "Tensor" in taken and returned != "PerAxis" and name not in lines:
                yield name, header


def faults(lib):
    """One sentence for each thing missing in `lib`."""
    recorded, tested, sentences = {}, set(), []
    for path in sorted(p for p in lib.rglob("*") if p.suffix in (".cpp", ".hpp", ".cu")):
        text = without_comments(path.read_text(encoding="utf-8"))
        if path.name.endswith(".test.cpp"):
            tested.update(TEST.findall(text))
        elif path.parent.name not in ELSEWHERE:
            for name, line in recorded_names(text):
                if name is None:
                    sentences.append(f"{path}:{line}: record() wants its name in quotes, or from a parameter `name`")
                else:
                    recorded.setdefault(name, f"{path}:{line}")
    for name, where in recorded.items():
        if name not in tested:
            sentences.append(f'{where}: the operation "{name}" has no gradient test: write GRADIENT_TEST("{name}") {{ ... }}')
    for name, header in dict(without_layouts(lib / "ops")).items():
        sentences.append(f'{header}: nothing tries "{name}" on views and other devices: give it a line in testing/every_op.cpp')
    rooms = {p.with_suffix("") for p in (lib / "ops").rglob("*.?pp") if not p.name.endswith(".test.cpp")}
    for room in sorted(rooms - {lib / "ops" / "ops"}):  # ops.hpp is the list of all rooms
        if not room.with_name(room.name + ".test.cpp").exists():
            sentences.append(f"{room}.cpp: the room has no tests: write {room.name}.test.cpp beside it")
    return sentences


def main(arguments):
    sentences = faults(Path(arguments[0]))
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    if not sentences and len(arguments) > 1:
        Path(arguments[1]).touch()
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
