"""`recto inspect`: what is inside files of numbers, said by a program of the library (inspect/)."""
import subprocess

from recto import machine, term
from recto.build import cmake
from recto.place import MAIN


def inspect(files: list[str]) -> int:
    """Runs `recto inspect`: builds the program if necessary and passes it the files."""
    if not (MAIN / "build.ninja").exists():
        cmake.configure(machine.has_catch2())
    cmake.compile(["recto_inspect"])
    try:
        return subprocess.run([str(MAIN / "recto_inspect"), "--", *files]).returncode
    except KeyboardInterrupt:
        term.shown = True       # the program's progress line, which it left when it was interrupted
        raise
