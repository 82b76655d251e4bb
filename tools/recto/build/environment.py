"""The Python environment under build/venv, made from book/requirements.txt with hashes only."""
import hashlib
import re
import shutil
import subprocess
import sys
from pathlib import Path

from recto import term
from recto.place import BUILD, ROOT, VENV, Failure

REQUIREMENTS = ROOT / "book" / "requirements.txt"
PYTHON = VENV / "bin" / "python"
FOR_FIGURES = ("vl-convert-python",)          # all that `recto run` needs


def wanted(whole: bool) -> str:
    """The requirements to install: all, or what figures need."""
    text = REQUIREMENTS.read_text(encoding="utf-8")
    if whole:
        return text
    pins = re.split(r"^(?=\S)", text, flags=re.M)
    return "".join(pin for pin in pins if pin.partition("==")[0] in FOR_FIGURES)


def stamp_of(whole: bool) -> tuple[Path, str]:
    """The file that says an environment is complete, and what must stand in it."""
    key = hashlib.sha256(f"{sys.version}\n{sys.executable}\n{wanted(whole)}".encode()).hexdigest()
    return VENV / ("book.stamp" if whole else "figures.stamp"), key


def ready(whole: bool) -> bool:
    """Whether the environment is complete for the book, or at least for figures."""
    stamp, key = stamp_of(whole)
    return stamp.is_file() and stamp.read_text() == key


def ensure(whole: bool) -> Path:
    """Makes the environment if it is not there; returns its Python.

    While packages go in, `busy` lies in the folder: an interrupted try is thrown away by the next.
    """
    if ready(whole):
        return PYTHON
    busy = VENV / "busy"
    others_ready = any(ready(kind) for kind in (True, False))
    if busy.exists() or not others_ready:
        shutil.rmtree(VENV, ignore_errors=True)
    if not PYTHON.exists():
        term.progress("Python environment ...")
        BUILD.mkdir(exist_ok=True)
        VENV.mkdir(parents=True)
        busy.touch()
        call([sys.executable, "-m", "venv", str(VENV)])
    busy.touch()
    term.progress("Python packages ...")
    pins = VENV / "wanted.txt"
    pins.write_text(wanted(whole), encoding="utf-8")
    call([str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-deps",
          "--only-binary", ":all:", "--require-hashes", "--requirement", str(pins)])
    stamp, key = stamp_of(whole)
    stamp.write_text(key)
    if whole:
        figures, key = stamp_of(False)
        figures.write_text(key)
    busy.unlink()
    term.clear()
    return PYTHON


def call(command: list[str]) -> None:
    """Runs a step of the set-up; its last words are the message when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise Failure("the Python environment could not be made:\n    " + "\n    ".join(words[-4:]))
