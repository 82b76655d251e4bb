"""Proofs that are expensive and determined by the content of files, kept in receipts.

A proof says of one subject (a source file that compiles, an exercise that is proven) what came out, when, and on which
machine. With it stands the digest of all its inputs. As long as the inputs have the same digest, the proof is fresh and
need not be done again; as soon as one of them changes, it is stale. A receipt is a JSON file with the proofs of one kind,
a line for each subject, so that two branches that prove different subjects merge without a conflict. The receipts that a
machine makes for itself lie in build/results, those that are committed in tests/receipts/proofs.

A receipt can be wrong: an input may have been forgotten, a machine may have been special. Before a commit lands, one fresh
proof in ten is therefore done again, another tenth for every commit (`Plan`, `--sample`).

Of a C++ file its tokens count: a better comment, or a better sentence on a page, makes no proof stale. Of a CMakeLists.txt its lists
of sources do not count: the sources are inputs themselves where they matter.

A receipt is made on machines of other people, so it is read with suspicion: `read` checks every field.
"""
import datetime
import fcntl
import functools
import hashlib
import json
import math
import os
import platform
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from recto import lexer
from recto.place import RESULTS, ROOT, Failure

COMMITTED = ROOT / "tests" / "receipts" / "proofs"
SAMPLE = 0.1                # of the fresh proofs are done again for a commit
MOST = 8 << 20              # bytes of a receipt
LONGEST = 400               # letters of one field
PASSED = "passed"
CODE = (".cpp", ".hpp", ".cu", ".cuh")
LISTS = re.compile(rb"^[ ]*#.*\n|^set\([a-z][\w/]* [\w ]+\)\n|^recto_pages\([^)]*\)\n", re.M)     # and the comments between them


class BadReceipt(Failure):
    """An invalid receipt; the message names the file and the reason."""


@dataclass(frozen=True)
class Proof:
    """The proof of one subject: digest, outcome, date, machine and tool."""
    inputs: str             # the digest of everything that the outcome depends on
    outcome: str            # "passed", or in one line what went wrong
    by: str                 # the tools that proved it, with their versions
    machine: str            # where
    date: str               # when, as 2026-11-23
    measured: dict[str, float] = field(default_factory=dict)   # numbers that it found, by name


@dataclass(frozen=True)
class Standing:
    """Which proofs of a receipt are fresh, stale or missing for the present files. Every list is sorted."""
    passed: list[str]       # proven, and nothing has changed since
    failed: list[str]       # known to fail, and nothing has changed since
    stale: list[str]        # an input changed since
    missing: list[str]      # never proven

    def due(self) -> list[str]:
        """The subjects that need a proof: all but those that passed."""
        return sorted([*self.failed, *self.stale, *self.missing])


@dataclass(frozen=True)
class Plan:
    """The subjects proven in this run, and those proven by receipt. Both lists are sorted."""
    now: list[str]
    by_receipt: list[str]


@functools.cache
def content(path: Path, size: int, changed: int) -> str:
    """The digest of what counts of a file's content, cached by the file's size and time of change."""
    held = path.read_bytes()
    if path.suffix in CODE:
        held = "\0".join(lexer.stream(held.decode("utf-8", "surrogateescape"))).encode("utf-8", "surrogateescape")
    if path.name == "CMakeLists.txt":
        held = LISTS.sub(b"", held)
    return hashlib.sha256(held).hexdigest()


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


def compiler() -> str:
    """The compiler that builds this tree, with its version: g++ 12.2.0."""
    return f"g++ {subprocess.run(['g++', '-dumpfullversion'], capture_output=True, text=True).stdout.strip()}"


def proof(inputs: str, outcome: str, by: str, measured: dict[str, float] | None = None) -> Proof:
    """A new proof, made on this machine. The outcome is cut to one line that fits a receipt."""
    line = " ".join(outcome.split())
    printable = "".join(letter if letter.isprintable() else "?" for letter in line)
    return Proof(inputs, printable[:LONGEST] or "failed without a word", by, here(), datetime.date.today().isoformat(),
                 measured or {})


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; an error if a name occurs twice."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name stands twice in an object")
    return dict(pairs)


def checked(subject: str, entry: Any) -> Proof:
    """One entry of a receipt as a proof; ValueError says what is wrong with it."""
    names = [one.name for one in fields(Proof)]
    if not isinstance(entry, dict) or sorted({"measured": {}} | entry) != sorted(names):
        raise ValueError(f"{subject[:80]!r}: wanted {', '.join(names)}, got {str(entry):.80}")
    measured = entry.get("measured", {})
    if not isinstance(measured, dict) or not all(type(value) in (int, float) and math.isfinite(value) for value in measured.values()):
        raise ValueError(f"{subject[:80]!r}: wanted finite numbers as measured, got {str(measured):.80}")
    words = {name: value for name, value in entry.items() if name != "measured"}
    for name, value in [("subject", subject), *(("name in measured", name) for name in measured), *words.items()]:
        if not isinstance(value, str) or not 0 < len(value) <= LONGEST or not value.isprintable():
            raise ValueError(f"{subject[:80]!r}: wanted one line of at most {LONGEST} letters as {name}, got {str(value)[:80]!r}")
    if not re.fullmatch("[0-9a-f]{64}", entry["inputs"]):
        raise ValueError(f"{subject!r}: wanted a SHA-256 as inputs, got {entry['inputs'][:80]!r}")
    datetime.date.fromisoformat(entry["date"])
    return Proof(**entry)


def read(path: Path, kind: str) -> dict[str, Proof]:
    """The proofs in a receipt of this kind, by subject; empty without a file. Raises BadReceipt if invalid."""
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
    """Writes a receipt, one line for each subject in the order of their names: atomically."""
    def line(subject: str) -> str:
        entry = {name: value for name, value in asdict(proofs[subject]).items() if value != {}}
        return f"{json.dumps(subject)}: {json.dumps(entry)}"
    lines = ",\n".join(map(line, sorted(proofs)))
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


def commit() -> str:
    """The commit that is checked out, by its hash; empty outside a git repository."""
    done = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def sample(subjects: Iterable[str], of: str, group: Callable[[str], str] = lambda subject: "") -> list[str]:
    """A sample of one in ten, at least one if there are any; the choice depends only on the words `of`. It is from as few
    groups as possible, where a group of subjects needs a build of its own."""
    def chance(word: str) -> bytes:
        return hashlib.sha256(f"{of}\0{word}".encode()).digest()
    drawn = sorted(subjects, key=lambda subject: (chance(group(subject)), chance(subject)))
    return sorted(drawn[:math.ceil(SAMPLE * len(drawn))])


def plan(known: dict[str, Proof], inputs: dict[str, str], again: bool = False, sampled: bool = False,
         group: Callable[[str], str] = lambda subject: "") -> Plan:
    """What to prove of these subjects: what no fresh proof says passed, with `sampled` a tenth of the others too, with
    `again` everything."""
    fresh = standing(known, inputs).passed
    repeated = fresh if again else sample(fresh, commit(), group) if sampled else []
    by_receipt = sorted(set(fresh) - set(repeated))
    return Plan(sorted(set(inputs) - set(by_receipt)), by_receipt)


class Kept:
    """The proofs of one kind: this machine's own and the committed ones."""

    def __init__(self, kind: str, committed: Path = COMMITTED, own: Path = RESULTS):
        self.kind, self.committed, self.own = kind, committed / f"{kind}.json", own / f"{kind}.json"

    def all(self) -> dict[str, Proof]:
        """The last proof of every subject, fresh or not; this machine's own before the committed one."""
        return read(self.committed, self.kind) | read(self.own, self.kind)

    def known(self, inputs: dict[str, str]) -> dict[str, Proof]:
        """The fresh proof of every subject that has one; this machine's own before the committed one."""
        found = [*read(self.committed, self.kind).items(), *read(self.own, self.kind).items()]
        return {subject: one for subject, one in found if inputs.get(subject) == one.inputs}

    def keep(self, made: dict[str, Proof]) -> None:
        """Adds proofs to this machine's own, under a lock."""
        self.own.parent.mkdir(parents=True, exist_ok=True)
        with self.own.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            write(self.own, self.kind, read(self.own, self.kind) | made)

    def commit(self, inputs: dict[str, str]) -> None:
        """Writes the receipt to commit: all fresh passed proofs."""
        write(self.committed, self.kind, {subject: one for subject, one in self.known(inputs).items() if one.outcome == PASSED})
