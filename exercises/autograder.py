#!/usr/bin/env python3
"""Grades one submission for Classroom 50, whose runner calls it in the student's checkout.

    CLASSROOM/autograders/ASSIGNMENT/autograder.py      this file
    CLASSROOM/autograders/ASSIGNMENT/recto/             a tree of Recto, whole or handed out (`recto release`)
    CLASSROOM/autograders/ASSIGNMENT/bundle.zip         its bundle, if that tree was handed out

The tree may also stand where RECTO names it, or in /opt/recto of a container; it must be writable. The machine needs g++
and bubblewrap (`"apt": ["g++", "bubblewrap"]`). What is graded is the set or the exercise that the assignment is called,
or that SET below or RECTO_SET names. It writes result.json and release-body.md; points are hundredths of the mark. Exit
status 1 means that the grading itself failed, which nobody is marked down for.

The runner works on the student's side: whoever can read its pages can read the bundle.
"""
import os
import re
import shutil
import sys
from pathlib import Path

SET = ""                # such as foundations
HERE = Path(__file__).resolve().parent


def tree() -> Path:
    """Where Recto is."""
    for place in (os.environ.get("RECTO"), HERE / "recto", HERE.parent, "/opt/recto"):
        if place and Path(place, "tools", "judge").is_dir():
            return Path(place).resolve()
    sys.exit("autograder: there is no tree of Recto beside it, in RECTO or in /opt/recto")


sys.path.insert(0, str(tree() / "tools"))

from judge import catalogue, classroom, formats, release            # noqa: E402
from judge.grading import Report                                    # noqa: E402
from judge.judging import OWN                                       # noqa: E402
from place import Failure, Mistake, write, write_json               # noqa: E402


def body(result: dict, reports: list[Report]) -> str:
    """The text of the submission's page, in Markdown; what the student's program said stays text."""
    tests = result["tests"]
    lines = [f"### {result['score'] / 100:.2f} of {result['max-score'] / 100:g}", ""]
    lines += ["| Part | Outcome | Points |", "|---|---|---|"]
    lines += [f"| {test['test-name']} | {test['outcome']} | {test['score']} / {test['max-score']} |" for test in tests]
    for test in tests:
        if test["output"]:
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", test["output"])), default=0))
            lines += ["", f"**{test['test-name']}**", "", f"{fence}text", test["output"], fence]
    isolation = ", ".join(dict.fromkeys(report.isolation for report in reports if report.isolation))
    return "\n".join([*lines, "", f"seed {reports[0].seed}, isolation: {isolation or 'nothing ran'}", ""])


def remove(path: Path) -> None:
    """Removes a file, a link, or a folder with what is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def main() -> int:
    """Grades the folder that it is called in."""
    folder = Path.cwd()
    try:
        if (HERE / "bundle.zip").exists():
            catalogue.SOLUTIONS = release.open_bundle(HERE / "bundle.zip")
        exercises = catalogue.chosen(SET or os.environ.get("RECTO_SET") or os.environ.get("ASSIGNMENT") or "?")
        for name in ("result.json", "release-body.md"):         # whatever the student called so
            remove(folder / name)
        reports = classroom.grade_folder(exercises, folder)
    except (Failure, Mistake, OSError) as why:
        print(f"autograder: {why}", file=sys.stderr)
        return 1
    broken = [report for report in reports if any(result.outcome == OWN for result in report.results)]
    if broken:
        about = next(result.message.about for result in broken[0].results if result.outcome == OWN)
        print(f"autograder: {broken[0].exercise.name}: {about}", file=sys.stderr)
        return 1
    result = formats.write_classroom50(reports, {}, False)
    write_json(folder / "result.json", result)
    write(folder / "release-body.md", body(result, reports))
    return 0


if __name__ == "__main__":
    sys.exit(main())
