"""What tests/exercises/prove.py found out about an exercise: kept until anything that it rests on changes."""
import hashlib
from pathlib import Path
from typing import Any

from recto.place import RESULTS, ROOT, read_json, write_json

from recto.judge import catalogue
from recto.judge.catalogue import Exercise

KEPT = RESULTS / "exercises"
PROVERS = tuple(ROOT / "tests" / "exercises" / name for name in ("prove.py", "fuzz.py"))


def sources(exercise: Exercise) -> list[Path]:
    """Every file that the outcome rests on: the exercise, its solution, the kit, the judge."""
    folders = [exercise.folder, exercise.solution, catalogue.KIT, Path(__file__).parent]
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return sorted([*found, *PROVERS])


def key(exercise: Exercise) -> str:
    """The digest of all of these."""
    whole = hashlib.sha256()
    for path in sources(exercise):
        whole.update(f"{path.relative_to(ROOT)}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()[:24]


def place(exercise: Exercise) -> Path:
    """Where it is kept."""
    return KEPT / f"{exercise.set}-{exercise.name}.json"


def keep(exercise: Exercise, complaints: list[str], measured: dict[str, float], with_mutants: bool, words: str) -> None:
    """Keeps an outcome; `measured` is what the judge reported of the reference, by part."""
    write_json(place(exercise), {"key": key(exercise), "complaints": complaints, "measured": measured,
                                 "mutants": with_mutants, "words": words})


def kept(exercise: Exercise) -> dict[str, Any] | None:
    """The outcome, if nothing has changed since."""
    found = read_json(place(exercise))
    return found if isinstance(found, dict) and found.get("key") == key(exercise) else None
