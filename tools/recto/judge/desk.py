"""work/: the student's own files, and the records about them. Nothing here ever overwrites a file of the student."""
import shutil
import time
from pathlib import Path

from recto.place import ROOT, read_json, shown, write, write_json

from recto.judge import catalogue, reading
from recto.judge.catalogue import Exercise
from recto.judge.grading import Report
from recto.judge.judging import PASSED

WORK = ROOT / "work"
PROGRESS = WORK / ".progress.json"
ASSISTANTS = """# For coding assistants

This folder holds exercises that a student is doing in order to learn. Help like a good tutor:

- Ask what they have tried and what they think happens. Explain the idea, the shapes, the error message.
- Use the ladder of hints: `./recto hint EXERCISE` gives the next one. Do not skip ahead of it.
- Never write the solution, nor the missing lines, and do not open `solutions/`.
- `./recto grade EXERCISE` says what is wrong, on which input, and how to replay it: read it with them.
"""


def file_of(exercise: Exercise) -> Path:
    """The student's file."""
    return WORK / exercise.set / exercise.name / exercise.file


def start(exercise: Exercise) -> tuple[Path, bool]:
    """Copies the stub unless the file exists: (the file, whether it is new)."""
    note = WORK / "AGENTS.md"
    if not note.exists():
        write(note, ASSISTANTS)
    path = file_of(exercise)
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = path.parent / "compile_flags.txt"           # what an editor needs to know
    if not flags.exists():
        write(flags, f"-std=c++20\n-xc++\n-I{exercise.folder}\n-I{catalogue.KIT}\n-I{ROOT / 'lib'}\n")
    try:
        with path.open("xb") as file:
            file.write(exercise.stub.read_bytes())
        return path, True
    except FileExistsError:
        return path, False


def digest(path: Path) -> str:
    """A digest of the file."""
    return reading.digest(path.read_bytes()) if path.is_file() else ""


def progress() -> dict:
    """What is remembered: for each exercise the parts that passed, the hints that were read, whether it was solved."""
    kept = read_json(PROGRESS, {})
    return kept if isinstance(kept, dict) else {}


def entry(kept: dict, exercise: Exercise) -> dict:
    """What is remembered of one exercise."""
    found = kept.get(f"{exercise.set}/{exercise.name}")
    return found if isinstance(found, dict) else {}


def remember(exercise: Exercise, **what) -> None:
    """Adds to what is remembered of one exercise."""
    kept = progress()
    kept[f"{exercise.set}/{exercise.name}"] = {**entry(kept, exercise), **what}
    write_json(PROGRESS, kept)


def remember_report(report: Report) -> None:
    """Keeps what a grading of the student's own file found, with the digest of the text that was graded: the file may have
    been saved again meanwhile."""
    passed = {result.part.name: result.outcome for result in report.results}
    solved = {"solved": time.strftime("%Y-%m-%d")} if report.solved else {}
    remember(report.exercise, digest=report.digest, parts=passed, **solved)


def state(exercise: Exercise) -> str:
    """not started, begun, changed since it was graded, 2 of 3 parts, solved."""
    path = file_of(exercise)
    known = entry(progress(), exercise)
    if not path.exists():
        return "not started"
    if not known.get("parts"):
        return "begun"
    passed = sum(outcome == PASSED for outcome in known["parts"].values())
    words = "solved" if passed == len(exercise.parts) else f"{passed} of {len(exercise.parts)} parts"
    return words if known.get("digest") == digest(path) else f"{words}, changed since"


def solved(exercise: Exercise) -> bool:
    """Whether it was ever solved."""
    return bool(entry(progress(), exercise).get("solved"))


def current() -> Exercise | None:
    """The exercise that the student is at: the one begun that was touched last and is not solved, else the first unsolved."""
    open_ = [exercise for exercise in catalogue.exercises() if not solved(exercise)]
    begun = [exercise for exercise in open_ if file_of(exercise).exists()]
    if begun:
        return max(begun, key=lambda exercise: file_of(exercise).stat().st_mtime)
    return open_[0] if open_ else None


def next_after(exercise: Exercise) -> Exercise | None:
    """The next one that is not solved, in the order of the book, from the start again at the end."""
    order = catalogue.exercises()
    at = next(number for number, other in enumerate(order) if other == exercise)
    return next((other for other in order[at + 1:] + order[:at] if not solved(other)), None)


def keep_copy(exercise: Exercise) -> Path:
    """The folder in which a replay leaves its program for the debugger."""
    folder = WORK / ".replay" / exercise.name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def forget_replays() -> None:
    """Removes the files that replays have left."""
    shutil.rmtree(WORK / ".replay", ignore_errors=True)


def where(exercise: Exercise) -> str:
    """The student's file as it is printed."""
    return shown(file_of(exercise))
