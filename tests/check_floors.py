#!/usr/bin/env python3
"""Refuses a library whose folders depend on each other in a circle.

    check_floors.py LIB [STAMP]

LIB is the folder lib/recto. Each of its folders is a floor: a file may include headers of its own floor and of lower
ones. Tests may include everything. With STAMP, an empty file is written there when all is well.
"""
import re
import sys
from pathlib import Path

# From the ground up.
FLOORS = ("base", "emulator", "device", "core", "kernels", "ladder", "autograd", "ops", "io", "linalg", "data", "nn", "optim",
          "text", "classic", "book", "figure", "xt", "testing")
INCLUDE = re.compile(r"^\s*#\s*include <recto/([^/>]+)/", re.M)


def faults(lib):
    """One sentence for each include that leads upwards, and for each folder without a floor."""
    sentences = []
    folders = sorted(path.name for path in lib.iterdir() if any(path.rglob("*.hpp")))
    sentences += [f"{lib / name}: the folder has no floor: name it in FLOORS of tests/check_floors.py"
                  for name in folders if name not in FLOORS]
    for floor, folder in enumerate(FLOORS):
        for path in sorted((lib / folder).rglob("*")):
            if path.suffix not in (".hpp", ".cpp", ".cu", ".cuh") or path.name.endswith(".test.cpp"):
                continue
            for match in INCLUDE.finditer(path.read_text(encoding="utf-8")):
                if match[1] not in FLOORS[:floor + 1]:
                    sentences.append(f"{path}: {folder} may include {', '.join(FLOORS[:floor]) or 'nothing'}; "
                                     f"this file includes {match[1]}")
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
