#!/usr/bin/env python3
"""Grades one submission for Classroom 50, whose runner calls it in the student's checkout.

    CLASSROOM/autograders/ASSIGNMENT/autograder.py      this file
    CLASSROOM/autograders/ASSIGNMENT/recto/             a tree of Recto, whole or handed out (`recto release`)
    CLASSROOM/autograders/ASSIGNMENT/bundle.zip         its bundle, if that tree was handed out

The tree may also stand where RECTO names it, or in /opt/recto of a container; it must be writable. The machine needs g++
and bubblewrap (`"apt": ["g++", "bubblewrap"]`). The name of the assignment, SET below or RECTO_SET selects the set or the
exercise to grade. The program writes result.json and release-body.md; points are hundredths of the mark. Exit status 1
means that the grading itself failed, which costs no student a mark.

The runner works on the student's side: every reader of its pages can read the bundle.
"""
import os
import sys
from pathlib import Path

SET = ""                # such as foundations
HERE = Path(__file__).resolve().parent


def tree() -> Path:
    """The folder of Recto's tree."""
    for place in (os.environ.get("RECTO"), HERE / "recto", HERE.parent, "/opt/recto"):
        if place and Path(place, "tools", "recto").is_dir():
            return Path(place).resolve()
    sys.exit("autograder: there is no tree of Recto beside it, in RECTO or in /opt/recto")


if __name__ == "__main__":
    chosen = SET or os.environ.get("RECTO_SET") or os.environ.get("ASSIGNMENT") or "?"
    # With -P, Python does not import modules from the student's checkout.
    command = [sys.executable, "-P", "-B", "-m", "recto.judge.classroom50", str(HERE), chosen]
    os.execve(sys.executable, command, {**os.environ, "PYTHONPATH": str(tree() / "tools")})
