"""Grades one file with the tiny exercise `twice`, as a program of its own: grade_one.py FILE. Prints what became of it."""
import contextlib
import json
import sys
import tempfile
from pathlib import Path
from unittest import mock

import support
from recto.judge import grading, sandbox


def main() -> None:
    """Grades one file for the exercise `twice` and prints outcome, message and isolation as JSON."""
    here = Path(tempfile.gettempdir())
    with mock.patch.object(support, "open_folder", lambda: contextlib.nullcontext(here)), support.tiny():
        report = grading.grade(support.exercise("twice"), Path(sys.argv[1]), 1, sanitize=False,
                               tell=lambda line: print(line, file=sys.stderr, flush=True))
    print(json.dumps([report.results[0].outcome, report.results[0].message.about, sandbox.isolation()]))


if __name__ == "__main__":
    main()
