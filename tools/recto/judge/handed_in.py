"""What a student handed in: a folder, and somewhere in it the files, each under its own name: softmax.cpp,
softmax/softmax.cpp, work/foundations/softmax/softmax.cpp. What is missing or has another name is said, not guessed.
"""
import dataclasses
import difflib
import os
from pathlib import Path

from recto.judge.catalogue import Exercise
from recto.judge.sandbox import harmless

DEEPEST, MOST_FILES = 6, 2000           # of a student's folder: what lies beyond is not looked at


@dataclasses.dataclass(frozen=True)
class Found:
    """The path of a student's file, or the reason why it is missing."""
    exercise: Exercise
    path: Path | None
    problem: str = ""


def line(text: str) -> str:
    """A name or a text as one line that does no harm to a terminal; two names never look the same."""
    return harmless(text.replace("\\", "\\\\")).replace("\n", "\\n").replace("\t", "\\t")


def files_in(folder: Path) -> list[Path]:
    """What a student handed in, without following a link; in the order of the names, what lies higher first."""
    found, level = [], [folder]
    for _ in range(DEEPEST):
        below = []
        for at in level:
            for entry in sorted(os.scandir(at), key=lambda entry: entry.name):
                kind = below if entry.is_dir(follow_symlinks=False) else found
                if len(kind) < MOST_FILES:
                    kind.append(Path(entry.path))
        level = below
    return found


def find(exercise: Exercise, folder: Path, files: list[Path], taken: list[str]) -> Found:
    """The student's file for an exercise. Of several, or where exercises share its name, the one in a folder of the
    exercise's name."""
    named = [path for path in files if path.name == exercise.file]
    at_home = [path for path in named if path.parent.name == exercise.name]
    if taken.count(exercise.file) > 1 or len(named) > 1 and at_home:
        named = at_home
    if len(named) == 1:
        return Found(exercise, named[0])
    if named:
        places = ", ".join(line(str(path.relative_to(folder))) for path in named[:3])
        return Found(exercise, None, f"{exercise.file} is there {len(named)} times: {places}")
    others = {path.name.lower(): path.name for path in files if path.name not in taken}
    near = difflib.get_close_matches(exercise.file.lower(), others, n=1, cutoff=0.6)
    hint = f", is it {line(others[near[0]])}?" if near else ""
    among = f" among the first {MOST_FILES:,} files of the folder, the others were not looked at" if len(files) >= MOST_FILES else ""
    return Found(exercise, None, f"{exercise.file} is missing{among}{hint}")
