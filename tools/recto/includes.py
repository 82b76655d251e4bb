"""Which files of this project a C++ source includes."""
import functools
import re
from collections.abc import Iterable
from pathlib import Path

from recto.place import ROOT

LIBRARY = ROOT / "lib"
ELSEWHERE = {"core/tensor.hpp": ["autograd/tape.cpp"],       # where else the functions of a header are defined
             "nn/model_tape.hpp": ["nn/summary.cpp"]}
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


@functools.cache
def without_header(folder: Path) -> frozenset[Path]:
    """The sources in a folder, and below it, that define what headers with other names declare."""
    return frozenset(path for path in folder.rglob("*.cpp")
                     if not path.name.endswith(".test.cpp") and not path.with_suffix(".hpp").exists())


def linked(sources: Iterable[Path]) -> set[Path]:
    """`closure`, and with every header of the library the sources that define what it declares: the one with its name, those
    of its folder that have no header of their own, and what ELSEWHERE names. What a program is made of, never less."""
    found: set[Path] = set()
    todo = list(sources)
    while todo:
        path = todo.pop()
        if path in found:
            continue
        found.add(path)
        todo += included(path, (LIBRARY,))
        if path.suffix == ".hpp" and LIBRARY / "recto" in path.parents:
            if path.with_suffix(".cpp").exists():
                todo.append(path.with_suffix(".cpp"))
            todo += [LIBRARY / "recto" / name for name in ELSEWHERE.get(path.relative_to(LIBRARY / "recto").as_posix(), [])]
            if path.parent != LIBRARY / "recto":        # the headers that bring everything along
                todo += without_header(path.parent)
    return found


def flags(*folders: Path) -> set[Path]:
    """The files that decide how the library is compiled, and what these folders add to it."""
    listed = [ROOT / "CMakeLists.txt", ROOT / "CMakePresets.json", LIBRARY / "CMakeLists.txt", *(folder / "CMakeLists.txt" for folder in folders)]
    return {path for path in (ROOT / "cmake").iterdir() if path.is_file()} | set(listed)


def called_with(page: Path) -> str:
    """What the `recto_pages(...)` of a page says beside the names of pages: how it is compiled. A page that is added to its
    chapter changes nothing for the others."""
    listed = (page.parent / "CMakeLists.txt").read_text(encoding="utf-8")
    for words in map(str.split, re.findall(r"recto_pages\(([^)]*)\)", listed)):
        if page.stem in words:
            return " ".join(word for word in words if not (page.parent / f"{word}.cpp").exists())
    raise ValueError(f"{page}: wanted a recto_pages(...) that names it, found none")
