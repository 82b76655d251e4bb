"""Grades one submission for Classroom 50, in the student's checkout; exercises/autograder.py starts it there."""
import re
import shutil
import sys
from pathlib import Path

from recto.judge import catalogue, classroom, formats, release
from recto.judge.grading import Report
from recto.judge.judging import OWN
from recto.place import Failure, Mistake, write, write_json


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


def main(home: Path, chosen: str) -> int:
    """Grades the folder that it is called in, with the bundle in `home` if there is one."""
    folder = Path.cwd()
    try:
        if (home / "bundle.zip").exists():
            catalogue.SOLUTIONS = release.open_bundle(home / "bundle.zip")
        exercises = catalogue.chosen(chosen)
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
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
