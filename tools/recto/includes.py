"""Which files of this project a C++ source includes."""
import functools
import re
from collections.abc import Iterable
from pathlib import Path

from recto.place import ROOT

LIBRARY = ROOT / "lib"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)


@functools.cache
def included(path: Path, places: tuple[Path, ...]) -> frozenset[Path]:
    """The files of this project that a file includes, looked for beside it and in these places."""
    names = INCLUDE.findall(path.read_text(encoding="utf-8"))
    found = (next((place / name for place in (path.parent, *places) if (place / name).is_file()), None) for name in names)
    return frozenset(path.resolve() for path in found if path)


def closure(sources: Iterable[Path], places: tuple[Path, ...] = (LIBRARY,)) -> set[Path]:
    """These sources and every file of this project that they include, directly or not."""
    found: set[Path] = set()
    todo = list(sources)
    while todo:
        path = todo.pop()
        if path not in found:
            found.add(path)
            todo += included(path, places)
    return found
