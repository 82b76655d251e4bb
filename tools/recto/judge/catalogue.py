"""All exercises: the files for the student (exercises/) and the files of the judge (solutions/)."""
import dataclasses
import functools
import tomllib
from pathlib import Path
from typing import Any

from recto.place import ROOT, Failure, Mistake, shown
from recto.pages import pages

EXERCISES = ROOT / "exercises"
SOLUTIONS = ROOT / "solutions"
KIT = EXERCISES / "kit"


@dataclasses.dataclass(frozen=True)
class Part:
    """A part of an exercise, graded separately."""
    name: str
    what: str                   # one line for the student
    points: float = 1
    star: bool = False          # counts only when the base is complete
    training: bool = False      # optimised, runs when the quick parts pass
    seconds: float = 0          # of a training part: how long it may take
    proves: tuple[str, ...] = ()        # parts of the register's rows that hold when the reference passes


@dataclasses.dataclass(frozen=True)
class Exercise:
    """One exercise; its folder is exercises/SET/NAME."""
    set: str
    name: str
    title: str
    file: str                               # what the student edits
    parts: tuple[Part, ...]
    rows: tuple[str, ...] = ()              # of the register: where to read
    given: tuple[str, ...] = ()             # headers that the student's file sees, beside matrix.hpp
    library: tuple[str, ...] = ()           # rooms of the library that it may call, such as ops/products/matmul
    candidates: str = ""                    # file in the solution folder: what a student's test is tried on
    central: bool = False                   # its bank holds thirteen wrong answers instead of eight
    cuda: bool = False                      # kernels, run on the emulator

    @property
    def folder(self) -> Path:
        """The folder that the student sees."""
        return EXERCISES / self.set / self.name

    @property
    def solution(self) -> Path:
        """The folder that the judge keeps: judge.py, the reference, the bank."""
        return SOLUTIONS / self.set / self.name

    @property
    def stub(self) -> Path:
        """The stub that `recto start` copies."""
        return self.folder / self.file

    @property
    def reference(self) -> Path:
        """The file with the reference solution."""
        return self.solution / self.file

    def quick(self) -> tuple[Part, ...]:
        """The parts that answer at once."""
        return tuple(part for part in self.parts if not part.training)

    def hints(self) -> list[str]:
        """Three, from a nudge to nearly there; `hints.md` separates them by lines of three dashes."""
        return [hint.strip() for hint in (self.folder / "hints.md").read_text(encoding="utf-8").split("\n---\n")]


@dataclasses.dataclass(frozen=True)
class Set:
    """A set: exercises that share one mark."""
    name: str
    title: str
    chapter: int
    exercises: tuple[Exercise, ...]
    order: int = 0              # within the chapter


def read(path: Path) -> dict:
    """A TOML file of ours."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Failure(f"{shown(path)}: {getattr(error, 'strerror', None) or error}") from None


def grades() -> bool:
    """Whether this tree can grade: one that was handed out needs the bundle for it."""
    return SOLUTIONS.is_dir()


def load(folder: Path) -> Exercise:
    """The exercise in this folder."""
    path = folder / "exercise.toml"
    words = read(path)
    words["parts"] = [make(Part, part, path) for part in words.get("parts", [])]
    return make(Exercise, {**words, "set": folder.parent.name, "name": folder.name}, path)


def make(kind: type, words: dict, path: Path) -> Any:
    """A Part, an Exercise or a Set from the words of a file, which must be those that it has."""
    fields = {field.name: field.default is dataclasses.MISSING for field in dataclasses.fields(kind)}
    strange = [name for name in words if name not in fields]
    missing = [name for name, needed in fields.items() if needed and name not in words]
    if strange or missing:
        what = f"{strange[0]} is not known" if strange else f"{missing[0]} is missing"
        raise Failure(f"{shown(path)}: {what} ({kind.__name__.lower()})")
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in words.items()})


@functools.cache
def sets() -> tuple[Set, ...]:
    """All sets, in the order of the book."""
    found = []
    for path in EXERCISES.glob("*/set.toml"):
        words = {"name": path.parent.name, "exercises": (), **read(path)}
        words["exercises"] = tuple(load(path.parent / name) for name in words["exercises"])
        found.append(make(Set, words, path))
    return tuple(sorted(found, key=lambda group: (group.chapter, group.order, group.name)))


def exercises() -> list[Exercise]:
    """All exercises, in the order of the book."""
    return [exercise for group in sets() for exercise in group.exercises]


def chosen(word: str | None) -> list[Exercise]:
    """The exercises that a word names: one, a whole set, or all without a word."""
    if not word:
        return exercises()
    word = word.removeprefix("work/").strip("/")
    found = [exercise for exercise in exercises()
             if word in (exercise.name, exercise.set, f"{exercise.set}/{exercise.name}")]
    if not found:
        names = [exercise.name for exercise in exercises()] + [group.name for group in sets()]
        raise Mistake(f"there is no exercise or set {word}{pages.nearest(word, names)} (./recto exercises)")
    return found
