"""`recto parity`: every operation on a GPU beside the CPU, and the receipt of it."""
import subprocess

from recto import term
from recto.build import cmake
from recto.gpu import receipts
from recto.place import BUILD, shown

FRESH = BUILD / "parity.json"


def parity(names: list[str], device: str, file: str) -> int:
    """Runs `recto parity`. A complete run on a GPU is kept as a receipt, unless another file is named."""
    program = cmake.program("recto_parity", device)
    FRESH.unlink(missing_ok=True)
    done = subprocess.run([str(program), *names, "--device", device, "--json", file or str(FRESH)])
    if file or not FRESH.exists():
        return done.returncode
    if receipts.read(FRESH).device == "cuda" and not names:
        term.say(f"kept as {shown(receipts.keep(FRESH))}")
    return done.returncode
