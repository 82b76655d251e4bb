"""`recto bench`: builds the benchmarks and runs them; the program understands the words."""
import subprocess

import build
import machine
from place import MAIN


def bench(words: list[str]) -> int:
    """The command."""
    if not (MAIN / "build.ninja").exists():
        build.configure(machine.has_catch2())
    build.compile(["recto_bench"])
    return subprocess.run([str(MAIN / "recto_bench"), *words]).returncode
