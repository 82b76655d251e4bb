"""`recto generate`: continues a text with a language model, by a program of the library (generate/)."""
import subprocess

from recto import machine
from recto.build import cmake
from recto.place import MAIN


def generate(model: str, options: dict[str, str | None]) -> int:
    """Runs `recto generate`: builds the program if necessary and passes it the options that were given."""
    if not (MAIN / "build.ninja").exists():
        cmake.configure(machine.has_catch2())
    cmake.compile(["recto_generate"])
    words = [word for name, value in options.items() if value is not None for word in (name, value)]   # CLI11 overlooks an empty --prompt=
    try:
        return subprocess.run([str(MAIN / "recto_generate"), *words, "--", model]).returncode
    except KeyboardInterrupt:
        print()
        return 0  # the reader has read enough
