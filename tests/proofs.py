"""Proofs that are expensive and determined by the content of files, kept in receipts.

A proof says of one subject (a source file that compiles, an exercise that is proven) what came out, when, and on which
machine. With it stands the digest of all its inputs. As long as the inputs have the same digest, the proof is fresh and
need not be done again; as soon as one of them changes, it is stale. A receipt is a JSON file with the proofs of one kind,
a line for each subject, so that two branches that prove different subjects merge without a conflict.

A receipt is made on machines of other people, so it is read with suspicion: `read` checks every field.
"""
import datetime
import functools
import hashlib
import json
import os
import platform
import re
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

MOST = 8 << 20              # bytes of a receipt
LONGEST = 400               # letters of one field
PASSED = "passed"


class BadReceipt(Exception):
    """A receipt that cannot be believed; the message names the file and the reason."""


@dataclass(frozen=True)
class Proof:
    """What is known of one subject."""
    inputs: str             # the digest of everything that the outcome depends on
    outcome: str            # "passed", or in one line what went wrong
    by: str                 # the tools that proved it, with their versions
    machine: str            # where
    date: str               # when, as 2026-11-23


@dataclass(frozen=True)
class Standing:
    """How the proofs of a receipt stand to the files as they are. Every list is sorted."""
    passed: list[str]       # proven, and nothing has changed since
    failed: list[str]       # known to fail, and nothing has changed since
    stale: list[str]        # an input changed since
    missing: list[str]      # never proven

    def due(self) -> list[str]:
        """The subjects that want a proof: all but those that passed."""
        return sorted([*self.failed, *self.stale, *self.missing])


@functools.cache
def content(path: Path, size: int, changed: int) -> str:
    """The digest of what a file holds; size and time of change tell one state of the file from another."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(root: Path, files: Iterable[Path], *words: str) -> str:
    """A digest of files by their names below `root` and their contents, in any order, and of words in their order."""
    total = hashlib.sha256()
    for path in sorted(set(files)):
        state = path.stat()
        held = content(path, state.st_size, state.st_mtime_ns)
        total.update(f"{path.relative_to(root).as_posix()}\0{held}\n".encode())
    for word in words:
        total.update(f"{word}\0".encode())
    return total.hexdigest()


def here() -> str:
    """This machine in a few words: x86_64, Debian GNU/Linux 12 (bookworm)."""
    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        system = ""
    return f"{platform.machine()}, {system or platform.system()}"


def proof(inputs: str, outcome: str, by: str) -> Proof:
    """A proof that was done now, on this machine. The outcome is cut to one line that fits a receipt."""
    line = " ".join(outcome.split())
    printable = "".join(letter if letter.isprintable() else "?" for letter in line)
    return Proof(inputs, printable[:LONGEST] or "failed without a word", by, here(), datetime.date.today().isoformat())


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused when a name stands in it twice."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name stands twice in an object")
    return dict(pairs)


def checked(subject: str, entry: Any) -> Proof:
    """One entry of a receipt as a proof; ValueError says what is wrong with it."""
    names = [field.name for field in fields(Proof)]
    if not isinstance(entry, dict) or sorted(entry) != sorted(names):
        raise ValueError(f"{subject[:80]!r}: wanted {', '.join(names)}, got {str(entry):.80}")
    for name, value in [("subject", subject), *entry.items()]:
        if not isinstance(value, str) or not 0 < len(value) <= LONGEST or not value.isprintable():
            raise ValueError(f"{subject[:80]!r}: wanted one line of at most {LONGEST} letters as {name}, got {str(value)[:80]!r}")
    if not re.fullmatch("[0-9a-f]{64}", entry["inputs"]):
        raise ValueError(f"{subject!r}: wanted a SHA-256 as inputs, got {entry['inputs'][:80]!r}")
    datetime.date.fromisoformat(entry["date"])
    return Proof(**entry)


def read(path: Path, kind: str) -> dict[str, Proof]:
    """The proofs in a receipt of this kind, by subject; none if there is no such file. BadReceipt if it cannot be believed."""
    try:
        if not path.exists():
            return {}
        with path.open("rb") as file:
            text = file.read(MOST + 1)
        if len(text) > MOST:
            raise ValueError(f"it is longer than {MOST} bytes")
        data = json.loads(text.decode(), object_pairs_hook=once)
        if not isinstance(data, dict) or sorted(data) != ["proofs", "receipt"] or not isinstance(data["proofs"], dict):
            raise ValueError("wanted an object with `receipt` and `proofs`")
        if data["receipt"] != kind:
            raise ValueError(f"wanted a receipt of {kind}, got {str(data['receipt'])[:80]!r}")
        return {subject: checked(subject, entry) for subject, entry in data["proofs"].items()}
    except (OSError, ValueError, RecursionError) as error:
        raise BadReceipt(f"{path}: {error}") from error


def write(path: Path, kind: str, proofs: dict[str, Proof]) -> None:
    """Writes a receipt, one line for each subject in the order of their names: whole on the disk, or not at all."""
    lines = ",\n".join(f"{json.dumps(subject)}: {json.dumps(asdict(proofs[subject]))}" for subject in sorted(proofs))
    text = f'{{"receipt": {json.dumps(kind)}, "proofs": {{\n{lines}\n}}}}\n'
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def standing(proofs: dict[str, Proof], inputs: dict[str, str]) -> Standing:
    """What the proofs say of the subjects as they are now; `inputs` has the digest of each. A subject that is no longer
    there is ignored."""
    passed, failed, stale, missing = [], [], [], []
    for subject in sorted(inputs):
        known = proofs.get(subject)
        if known is None:
            missing.append(subject)
        elif known.inputs != inputs[subject]:
            stale.append(subject)
        else:
            (passed if known.outcome == PASSED else failed).append(subject)
    return Standing(passed, failed, stale, missing)
