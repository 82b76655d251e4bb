"""One case again, as a message told: what was asked, what came, and the program for a debugger."""
import dataclasses
from pathlib import Path

from recto.place import Failure

from recto.judge import building, reading
from recto.judge.candidates import running
from recto.judge.catalogue import Exercise
from recto.judge.complaints import CompileError
from recto.judge.grading import KERNELS, QUICK, QUICK_WALL, Grading, environment
from recto.judge.judging import Message, Replayed, Student, Wrong, judged, recognise, show_all
from recto.judge.reading import Unreadable


@dataclasses.dataclass(frozen=True)
class Replay:
    """One case again: what was asked and what came."""
    call: str
    got: str
    expected: str
    message: Message | None
    program: Path
    frames: Path
    candidate: tuple[Path, int] | None = None       # what a student's test was tried on: the program, its number


def replay(exercise: Exercise, path: Path, part_name: str, case: int, seed: int, keep: Path) -> Replay:
    """Runs one part up to one case, and keeps the program and the question in `keep` for a debugger."""
    grading = Grading(exercise, seed, lambda text: None)
    part = next((part for part in exercise.parts if part.name == part_name), None)
    if not part:
        raise Failure(f"{exercise.name} has no part {part_name}")
    with building.workshop() as home:
        try:
            source = reading.read_source(path, exercise.file)
            program = building.build(exercise, source, "training" if part.training else "plain", home)
        except (Unreadable, CompileError) as error:
            raise Failure(str(error)) from None
        keep.mkdir(parents=True, exist_ok=True)
        kept, frames = keep / "program", keep / "case.bin"
        limits = (KERNELS if exercise.cuda else QUICK)["plain"]
        with running(exercise, program, limits, environment(exercise)) as (process, candidates):
            student = Student(process, seed, grading.misconceptions, QUICK_WALL["plain"], stop_at=case)
            student.candidates = candidates
            call, got, expected, message = "", "", "", None
            try:
                judged(grading.functions[part.name], student)
                student.once_more()
            except Replayed as at:
                call, got, expected = at.call, show_all(at.values), at.expected
            except Wrong as wrong:
                recognise(wrong.outcome, wrong.message, student.misconceptions, student.last[1])
                call, message = wrong.message.call, wrong.message
            frames.write_bytes(student.last_frame)
            candidate = (building.candidates(exercise), candidates.number) if candidates else None
        kept.unlink(missing_ok=True)
        (program.folder / "program").replace(kept) if same_disk(program.folder, keep) else copy(program.folder / "program", kept)
    return Replay(call, got, expected, message, kept, frames, candidate)


def same_disk(one: Path, other: Path) -> bool:
    """Can a file move from one to the other?"""
    return one.stat().st_dev == other.stat().st_dev


def copy(source: Path, target: Path) -> None:
    """Copies a program and makes the copy executable."""
    target.write_bytes(source.read_bytes())
    target.chmod(0o755)
