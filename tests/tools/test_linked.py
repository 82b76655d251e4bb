"""`recto.includes.linked` names every source of the library that a file of tests needs, as the symbols of the objects show."""
import subprocess
import unittest
from pathlib import Path

from recto.includes import LIBRARY, linked
from recto.place import ROOT

BUILD = ROOT / "build/main"
ROOM = BUILD / "lib/CMakeFiles/recto.dir"
TESTS = BUILD / "tests/CMakeFiles/recto_tests.dir/__/lib"


def symbols(objects: list[Path]) -> dict[Path, tuple[set[str], set[str]]]:
    """What each object defines for others, and what it wants of them."""
    found: dict[Path, tuple[set[str], set[str]]] = {path: (set(), set()) for path in objects}
    done = subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        path, _, rest = line.partition(":")
        kind, name = rest.split()[-2:]
        if kind in "TBDRU":
            found[Path(path)][kind == "U"].add(name)
    return found


@unittest.skipUnless(any(ROOM.rglob("*.o")) and any(TESTS.rglob("*.test.cpp.o")), "the tests of the library are not built")
class Linked(unittest.TestCase):
    def test_no_object_that_a_test_links_is_forgotten(self):
        library = symbols([path for path in ROOM.rglob("*.o") if self.source(path, ROOM).exists()])
        defined = {name: path for path, (names, _) in library.items() for name in names}
        for test, (_, wanted) in symbols([path for path in TESTS.rglob("*.test.cpp.o") if self.source(path, TESTS).exists()]).items():
            needed: set[Path] = set()
            todo = [defined[name] for name in wanted & defined.keys()]
            while todo:
                path = todo.pop()
                if path not in needed:
                    needed.add(path)
                    todo += [defined[name] for name in library[path][1] & defined.keys()]
            with self.subTest(test.name):
                sources = {self.source(path, ROOM) for path in needed}
                self.assertEqual(sources - linked([self.source(test, TESTS)]), set())

    @staticmethod
    def source(path: Path, folder: Path) -> Path:
        """The source of an object."""
        return LIBRARY / path.relative_to(folder).with_suffix("")


if __name__ == "__main__":
    unittest.main()
