"""What tests/exercises/prove.py found out about an exercise: kept until anything that it rests on changes."""
import hashlib
import threading
from pathlib import Path

from recto import proofs
from recto.includes import LIBRARY, closure
from recto.place import ROOT

from recto.judge import catalogue
from recto.judge.catalogue import Exercise
from recto.judge.given import BASE, EMULATOR

KEPT = proofs.Kept("exercises")
PROVERS = tuple(ROOT / "tests" / "exercises" / name for name in ("prove.py", "fuzz.py"))
ONE = threading.Lock()      # keeps at a time


def subject(exercise: Exercise) -> str:
    """How a receipt calls it."""
    return f"{exercise.set}/{exercise.name}"


def sources(exercise: Exercise) -> set[Path]:
    """Every file that the outcome rests on: the exercise, its solution, the judge, what is used of the kit and the library."""
    folders = [exercise.folder, exercise.solution, Path(__file__).parent, *([EMULATOR] if exercise.cuda else [])]
    found = {path for folder in folders for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"
             and not path.name.endswith(".test.cpp")} | set(catalogue.KIT.glob("*.cpp"))
    rooms = {LIBRARY / "recto" / f"{room}.cpp" for room in (*BASE, *exercise.library)} if exercise.library else set()
    code = [path for path in found if path.suffix in (".cpp", ".hpp", ".cu")]
    flags = set((ROOT / "cmake").iterdir()) if exercise.library else set()
    return closure([*code, *rooms], (LIBRARY, catalogue.KIT, exercise.folder)) | found | flags | set(PROVERS)


def inputs(exercise: Exercise) -> str:
    """The digest of all of these, and of the solution to the letter: a wrong answer has its name in a comment, and a patch
    quotes the comments of the reference."""
    answers = [hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(exercise.solution.rglob("*.cpp"))]
    return proofs.digest(ROOT, sources(exercise), *answers)


def keep(exercise: Exercise, proof: proofs.Proof) -> None:
    """Keeps what was found; its numbers are what the judge measured of the reference, by part."""
    with ONE:
        KEPT.keep({subject(exercise): proof})


def kept(exercise: Exercise) -> proofs.Proof | None:
    """What was found, if nothing has changed since."""
    name = subject(exercise)
    return KEPT.known({name: inputs(exercise)}).get(name)
