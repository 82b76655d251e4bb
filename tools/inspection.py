"""`recto inspect`: what is inside files of numbers, said by a program of the library (inspect/)."""
import subprocess

import build
import machine
import term
from place import MAIN


def inspect(files: list[str]) -> int:
    """The command: builds the program if need be and hands the files to it."""
    if not (MAIN / "build.ninja").exists():
        build.configure(machine.has_catch2())
    build.compile(["recto_inspect"])
    try:
        return subprocess.run([str(MAIN / "recto_inspect"), "--", *files]).returncode
    except KeyboardInterrupt:
        term.shown = True       # the program's progress line, which it left when it was interrupted
        raise
