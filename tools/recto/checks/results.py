"""How the tests in Python ended that name parts of the register, kept until a test or a tool changes."""
import hashlib
from pathlib import Path

from recto.checks.catch import Case
from recto.place import RESULTS, ROOT, read_json, write_json

PYTHON = RESULTS / "python.json"


def key(root: Path = ROOT) -> str:
    """The digest of the tests in Python and of the tools that they test."""
    paths = sorted([*(root / "tests").rglob("*.py"), *(root / "tools").rglob("*.py")])
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:16]


def keep(cases: list[Case]) -> None:
    """Keeps name, tags and state of each test that names a part."""
    write_json(PYTHON, {"key": key(), "cases": [[case.name, list(case.tags), case.state] for case in cases if case.tags]})


def kept() -> list[tuple[str, list[str], str]]:
    """(name, tags, state) of every test that was kept; nothing if a test or a tool has changed since."""
    found = read_json(PYTHON, {})
    return found["cases"] if isinstance(found, dict) and found.get("key") == key() else []
