"""Grading a class: one folder and one line of a csv file for each student.

What was graded is kept in build/judge/class under a name made from the file, the exercise and the judge, so that a
second run grades what changed or is missing, and nothing else.
"""
import csv
import dataclasses
import functools
import io
import multiprocessing
import multiprocessing.connection
import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recto.pages import pages
from recto.place import BUILD, ROOT, Mistake, read_json, sha256, write_json

from recto.judge import building, catalogue, given, grading, reading, sandbox
from recto.judge.reading import Unreadable
from recto.judge.catalogue import Exercise
from recto.judge.grading import NOT_RUN, Report, Result
from recto.judge.handed_in import Found, files_in, find, line
from recto.judge.judging import LATE, OWN, PASSED, UNCOMPILED, WRONG, Message
from recto.judge.marks import mark as mark_of

KEPT = BUILD / "judge" / "class"
HERE = Path(__file__).resolve().parent
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def cell(value: Any) -> str:
    """The text of a cell, escaped so that a spreadsheet does not read it as a formula."""
    text = str(value)
    return f"'{text}" if text.startswith(FORMULA) else text


@functools.cache
def judge_digest() -> str:
    """A name for the judge: its code, the kit, the compiler, the isolation."""
    paths = [*HERE.glob("*.py"), *HERE.glob("*.cpp"), *catalogue.KIT.iterdir()]
    compiler = subprocess.run(["g++", "--version"], capture_output=True, text=True).stdout
    return given.digest(compiler, sandbox.isolation(), *contents(paths))


@functools.cache
def exercise_digest(exercise: Exercise) -> str:
    """A name for an exercise and what judges it; the library belongs to it where it is linked."""
    folders = [exercise.folder, exercise.solution]
    folders += [ROOT / "lib"] if exercise.library or exercise.cuda else []
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return given.digest(judge_digest(), *contents(paths))


def contents(paths: list[Path]) -> list[str]:
    """Names and digests of files, in the order of the names."""
    return [word for path in sorted(paths) for word in (path.name, sha256(path))]


def kept_at(exercise: Exercise, text: bytes) -> Path:
    """The file that keeps the result for this content."""
    return KEPT / f"{exercise.name}-{given.digest(exercise_digest(exercise), text)}.json"


def text_of(exercise: Exercise, path: Path) -> bytes | None:
    """The content of the file, if it can be graded."""
    try:
        return reading.read_source(path, exercise.file).text
    except Unreadable:
        return None


def recall(exercise: Exercise, path: Path, seed: int | None) -> Report | None:
    """The result of an earlier run for this file; None without such a run, or with another seed."""
    text = text_of(exercise, path)
    kept = None if text is None else read_json(kept_at(exercise, text))
    if not isinstance(kept, dict) or seed not in (None, kept["seed"]):
        return None
    parts = {part.name: part for part in exercise.parts}
    results = [Result(parts[name], outcome, Message(about=about)) for name, outcome, about in kept["parts"]]
    return Report(exercise, kept["seed"], results)


def remember(report: Report, text: bytes) -> None:
    """Keeps a result for later runs; not where the judge failed, or time ran out, as it may on a busy machine."""
    parts = [(result.part.name, result.outcome, result.message.about) for result in report.results]
    if not {OWN, LATE} & {outcome for _, outcome, _ in parts}:
        write_json(kept_at(report.exercise, text), {"seed": report.seed, "parts": parts})


def grade_file(exercise: Exercise, path: Path, seed: int) -> Report:
    """One grading, kept. A failure of the judge is an outcome too: one exercise must not end the others."""
    try:
        text = text_of(exercise, path)
        report = grading.grade(exercise, path, seed)
        if text is not None and text == text_of(exercise, path):        # nobody changed it on the way
            remember(report, text)
        return report
    except Exception as failure:
        about = Message(about=(str(failure).splitlines() or [type(failure).__name__])[0])
        return Report(exercise, seed, [Result(part, OWN, dataclasses.replace(about)) for part in exercise.parts])


def not_handed_in(found: Found, seed: int) -> Report:
    """The report of a file that is not there."""
    results = [Result(part, NOT_RUN, Message(about=found.problem)) for part in found.exercise.parts]
    return Report(found.exercise, seed, results, note=found.problem)


@dataclasses.dataclass
class Student:
    """A student's folder, the files in it, and what became of them."""
    folder: Path
    found: list[Found]
    reports: list[Report | None]
    problem: str = ""               # why nothing of it can be graded

    def missing(self) -> list[int]:
        """The numbers of the files that are still to be graded."""
        return [at for at, report in enumerate(self.reports) if report is None]


def look(folder: Path, exercises: list[Exercise], seed: int | None) -> Student:
    """The student's hand-in, with the results that are already known."""
    if folder.is_symlink():
        return Student(folder, [], [], "is a symbolic link, not a folder")
    try:
        files = files_in(folder)
    except OSError as error:
        return Student(folder, [], [], f"cannot be read: {error.strerror}")
    taken = [exercise.file for exercise in exercises]
    found = [find(exercise, folder, files, taken) for exercise in exercises]
    reports = [recall(entry.exercise, entry.path, seed) if entry.path else None for entry in found]
    return Student(folder, found, reports)


def grade_folder(exercises: list[Exercise], folder: Path) -> list[Report]:
    """Grades what lies in one folder, whether or not it was graded before."""
    seed = grading.random_seed()
    files = files_in(folder)
    found = [find(exercise, folder, files, [other.file for other in exercises]) for exercise in exercises]
    return [grade_file(entry.exercise, entry.path, seed) if entry.path else not_handed_in(entry, seed)
            for entry in found]


def students_in(folder: Path, exercises: list[Exercise], seed: int | None,
                tell: Callable[[str], None]) -> list[Student]:
    """All students of a class, by name; what is no folder is named and left out."""
    if not folder.is_dir():
        raise Mistake(f"{line(str(folder))}: there is no such folder")
    students = []
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or path.is_dir() and not path.name.startswith("."):
            students.append(look(path, exercises, seed))
        elif not path.name.startswith("."):
            tell(f"{line(path.name)}: is no folder, left out")
    if not students:
        raise Mistake(f"{line(str(folder))}: holds no folders; expected one folder for each student")
    return students


def work(student: Student, seed: int, pipe: multiprocessing.connection.Connection) -> None:
    """Grades what is missing of one student, in a process of its own, and sends it home."""
    def stop(*_) -> None:
        raise KeyboardInterrupt
    try:
        signal.signal(signal.SIGINT, lambda *_: None)   # the parent hears it too, and says when to stop
        signal.signal(signal.SIGTERM, stop)
        for at in student.missing():
            pipe.send((at, grade_file(student.found[at].exercise, student.found[at].path, seed)))
    except (KeyboardInterrupt, BrokenPipeError):
        pass                                            # the sandbox was taken down on the way here
    os._exit(0)


def grade_students(students: list[Student], seed: int, jobs: int, tell: Callable[[str], None]) -> None:
    """Grades the missing files, several students in parallel, each in its own process."""
    forking = multiprocessing.get_context("fork")
    waiting, running = [student for student in students if student.missing()], {}
    done, total = 0, len(waiting)
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                student = waiting.pop(0)
                ours, theirs = forking.Pipe(duplex=False)
                process = forking.Process(target=work, args=(student, seed, theirs))
                process.start()
                theirs.close()
                running[ours] = student, process
            for pipe in multiprocessing.connection.wait(list(running)):
                student, process = running[pipe]
                try:
                    at, report = pipe.recv()
                    student.reports[at] = report
                except EOFError:
                    del running[pipe]
                    pipe.close()
                    process.join()
                    done += 1
                    tell(f"{done} of {total}: {line(student.folder.name)}")
    finally:
        for _, process in running.values():
            process.terminate()
        for _, process in running.values():
            process.join(10)
            process.kill()


def problems(student: Student) -> str:
    """The points for the teacher's attention: missing files, files that did not compile, failures of the judge."""
    said = [student.problem] if student.problem else []
    for report in student.reports:
        if report.note:
            said.append(report.note.replace(f"{line(str(student.folder))}/", ""))
            continue
        name = report.exercise.name
        fates = dict.fromkeys(result.outcome for result in report.results)
        for fate in fates:
            if fate == UNCOMPILED:
                said.append(f"{name} did not compile")
            elif fate not in (PASSED, WRONG, NOT_RUN):
                parts = [result for result in report.results if result.outcome == fate]
                why = f" ({parts[0].message.about})" if fate == OWN else ""
                said.append(f"{name}: {fate} in {', '.join(result.part.name for result in parts)}{why}")
    return line("; ".join(said))


def row(student: Student, exercises: list[Exercise], late: bool) -> list[str]:
    """A student's line of the table. If the judge failed, which is not the student's fault, it has neither points nor a mark."""
    reports = student.reports or [not_handed_in(Found(exercise, None), 0) for exercise in exercises]
    failed = [any(result.outcome == OWN for result in report.results) for report in reports]
    points = ["" if bad else f"{sum(result.points for result in report.results):g}"
              for bad, report in zip(failed, reports)]
    mark = mark_of(reports, late)
    seeds = dict.fromkeys(str(report.seed) for entry, report in zip(student.found, student.reports) if entry.path)
    value, words = ("", "") if any(failed) else (f"{mark.value:.2f}", mark.arithmetic())
    return [line(student.folder.name), *points, value, words, problems(student), " ".join(seeds)]


def table(students: list[Student], exercises: list[Exercise], late: set[str] | bool) -> str:
    """The marks of a class as CSV, one row for each student."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["student", *(exercise.name for exercise in exercises), "mark", "arithmetic", "problems", "seed"])
    for student in students:
        is_late = late if isinstance(late, bool) else student.folder.name in late
        writer.writerow(map(cell, row(student, exercises, is_late)))
    return text.getvalue()


def grade_class(group: str, folder: Path, csv: Path, late: set[str] | bool, seed: int | None, jobs: int | None,
                tell: Callable[[str], None]) -> int:
    """Grades a class. `late` names the students whose work came late, or says it of all. Exit 1 if the judge failed."""
    exercises = catalogue.chosen(group)
    if len({exercise.set for exercise in exercises}) != 1:
        raise Mistake(f"{group or 'all of it'}: a class is graded on one set")
    if csv.is_dir() or not csv.parent.is_dir():
        raise Mistake(f"{line(str(csv))}: is not a possible path for a file")
    students = students_in(folder, exercises, seed, tell)
    names = [student.folder.name for student in students]
    for name in () if isinstance(late, bool) else sorted(late - set(names)):
        raise Mistake(f"there is no student {line(name)}{pages.nearest(name, names)}")
    for exercise in exercises:                  # what is missing is said once, and what all need is made once
        grading.Grading(exercise, 0, lambda text: None)
        given.given(exercise)
        for variant in ("plain", "sanitized"):
            building.objects(exercise, variant)
    sandbox.warden()
    known = [report.seed for student in students for report in student.reports if report]
    seed = seed if seed is not None else known[0] if known else grading.random_seed()
    for student in students:
        for at, entry in enumerate(student.found):
            if entry.path is None:
                student.reports[at] = not_handed_in(entry, seed)
    count = sum(len(student.missing()) for student in students)
    tell(f"{len(students)} students, {count} files to grade, {len(known)} graded before, seed {seed}")
    grade_students(students, seed, jobs or os.cpu_count() or 1, tell)
    for student in students:
        for at in student.missing():
            lost = Message(about="the grading was lost")
            student.reports[at] = Report(student.found[at].exercise, seed, [
                Result(part, OWN, dataclasses.replace(lost)) for part in student.found[at].exercise.parts])
    part = csv.with_name(f".{csv.name}.{os.getpid()}.part")
    part.write_text(table(students, exercises, late), encoding="utf-8", newline="")
    part.replace(csv)
    failed = sum(any(result.outcome == OWN for report in student.reports for result in report.results)
                 for student in students)
    rest = f", the judge failed for {failed}: run it again" if failed else ""
    tell(f"{line(str(csv))}: {len(students)} students{rest}")
    return 1 if failed else 0
