"""Where everything lies, how files are written, and how a command ends."""
import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
MAIN = BUILD / "main"          # what CMake builds, preset `default`
PAGES = MAIN / "pages"         # the page programs
RUNS = BUILD / "runs"          # what they left at their standard settings
RESULTS = BUILD / "results"    # what the tests left
VENV = BUILD / "venv"
BOOK = BUILD / "book"
TOOLS = ROOT / "tools"         # where Python finds this package


class Mistake(Exception):
    """Wrong usage: one line on standard error, exit status 2."""


class Failure(Exception):
    """A failure of something that should work: one line on standard error, exit status 1."""


def shown(path: Path) -> str:
    """A path for messages: relative to the repository if it lies inside."""
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def sha256(path: Path) -> str:
    """The SHA-256 of a file, or the empty string if it is missing."""
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_json(path: Path, default: Any = None) -> Any:
    """Reads a JSON file; returns `default` if it is missing or truncated."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return default


def write(path: Path, text: str) -> None:
    """Writes a file atomically; unchanged text keeps the file's time stamp."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file atomically, like `write`."""
    write(path, json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def replace_folder(fresh: Path, home: Path) -> None:
    """Replaces a folder by a finished new one."""
    old = home.with_name(home.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if home.exists():
        home.rename(old)
    fresh.rename(home)
    shutil.rmtree(old, ignore_errors=True)
