"""Receipts: what a GPU was seen to compute, tests/receipts/DEVICE-TOOLKIT.json, and whether it still counts.

A receipt is made by `recto parity`, possibly on an unknown machine: it is read as an untrusted file.
"""
import datetime
import functools
import json
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recto.gpu import kernels
from recto.lexer import without_comments
from recto.place import ROOT, Failure, shown, write

MOST = 1 << 20                       # bytes of a receipt
WORDS = {"receipt": 20, "device": 8, "name": 80, "capability": 8, "toolkit": 20, "driver": 20, "date": 10,
         "precision": 8, "commit": 80, "kernels": 64}
FOUND = {"name": str, "setting": str, "fault": str, "share": float, "error": float, "bound": float, "numbers": int}
LINE = re.compile(r'^\s*\{\s*"(\w+)", "', re.M)
TRIPWIRES = ("identity", "draws", "copies", "steps")


@dataclass(frozen=True)
class Receipt:
    """A receipt: the checked results of one run."""
    device: str                      # cuda, sim
    name: str                        # NVIDIA H200
    capability: str                  # 9.0
    toolkit: str                     # CUDA 13.0
    date: str
    commit: str
    kernels: str                     # the digest of all kernel sources
    files: dict[str, str]            # of each
    whole: bool                      # every operation was run
    found: tuple[dict[str, Any], ...]

    def differing(self) -> list[str]:
        """The names of what the device computed differently."""
        return [line["name"] for line in self.found if line["fault"] or not line["share"] <= 1]


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, in which no name stands twice."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a name stands twice in an object")
    return dict(pairs)


def number(value: Any) -> float:
    """Reads a number of a receipt; not-finite numbers are the strings nan and inf."""
    if isinstance(value, str) and value in ("nan", "inf"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        raise ValueError(f"wanted a number from 0, got {value!r:.40}")
    return float(value)


def word(value: Any, most: int) -> str:
    """Checks a text of one line."""
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        raise ValueError(f"wanted a line of at most {most} letters, got {value!r:.40}")
    return value


def line_of(entry: Any) -> dict[str, Any]:
    """Checks the result of one comparison."""
    if not isinstance(entry, dict) or entry.keys() != FOUND.keys():
        raise ValueError(f"wanted {', '.join(FOUND)} of each comparison, got {str(entry):.60}")
    if type(entry["numbers"]) is not int or entry["numbers"] < (not entry["fault"]):
        raise ValueError(f"{entry['name']!r:.40}: nothing was compared")
    return {name: number(entry[name]) if kind is float else entry[name] if kind is int else word(entry[name], 2000)
            for name, kind in FOUND.items()}


def read(path: Path) -> Receipt:
    """Reads a receipt. Raises Failure, with the path and the reason, when the file is not a receipt."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST + 1)
        if len(text) > MOST:
            raise ValueError(f"it is longer than {MOST} bytes")
        data = json.loads(text.decode(), object_pairs_hook=once)
        if not isinstance(data, dict) or data.get("receipt") != "parity":
            raise ValueError("this is no receipt of recto parity")
        if missing := (WORDS.keys() | {"gibibytes", "files", "whole", "found"}) ^ data.keys():
            raise ValueError(f"it lacks, or should not have: {', '.join(sorted(missing))[:200]}")
        words = {name: word(data[name], most) for name, most in WORDS.items()}
        number(data["gibibytes"])
        datetime.date.fromisoformat(words["date"])
        if not isinstance(data["files"], dict) or not isinstance(data["found"], list) or type(data["whole"]) is not bool:
            raise ValueError("wanted an object of files, a list of what was found, and whether it is whole")
        files = {word(name, 200): word(mark, 16) for name, mark in data["files"].items()}
        if words["kernels"] != kernels.total(files):
            raise ValueError("the digest of its kernel sources is not that of its files")
        return Receipt(files=files, whole=data["whole"], found=tuple(map(line_of, data["found"])),
                       **{name: words[name] for name in ("device", "name", "capability", "toolkit", "date", "commit", "kernels")})
    except (OSError, ValueError, RecursionError) as error:
        raise Failure(f"{shown(path)}: {error}") from error


def operations(root: Path = ROOT) -> set[str]:
    """The names that a complete receipt must contain: every line of the table, and the tripwires."""
    return set(LINE.findall(without_comments((root / "lib/recto/testing/every_op.cpp").read_text(encoding="utf-8")))) | set(TRIPWIRES)


def slug(receipt: Receipt) -> str:
    """The file name of a receipt: nvidia-h200-cuda-13.0."""
    return re.sub(r"[^a-z0-9.]+", "-", f"{receipt.name} {receipt.toolkit}".lower()).strip("-.")


def accept(path: Path) -> Receipt:
    """Reads a receipt that may be evidence for GPUs. Raises Failure, with the reason, otherwise."""
    receipt = read(path)
    if receipt.device != "cuda":
        raise Failure(f"{shown(path)}: a receipt of the device {receipt.device} says nothing about cuda")
    if not re.fullmatch(r"\d+\.\d+", receipt.capability) or not re.search(r"[A-Za-z]", receipt.name):
        raise Failure(f"{shown(path)}: it does not name a GPU")
    if not receipt.whole:
        raise Failure(f"{shown(path)}: only some operations were run; a receipt wants all of them")
    return receipt


def keep(path: Path, root: Path = ROOT) -> Path:
    """Stores a receipt in tests/receipts."""
    home = root / "tests" / "receipts" / f"{slug(accept(path))}.json"
    write(home, path.read_text(encoding="utf-8"))
    return home


@dataclass(frozen=True)
class Standing:
    """What all receipts together prove for the present kernel sources."""
    state: str                       # held, broken, stale, not run
    why: str                         # passed on NVIDIA H200, CUDA 13.0, 2026-11-21
    where: str = ""                  # the receipt that says so


NO_RECEIPT = Standing("not run", "not run: there is no receipt of a GPU")


@functools.lru_cache
def present(root: Path) -> dict[str, str]:
    """The kernel sources as they are, each with its digest."""
    return kernels.digests(root)


def standing(root: Path = ROOT, among: Collection[str] | None = None) -> Standing:
    """The state of the best receipt. Kernel sources that changed make it stale, or only those of `among`, the paths of what a
    program is made of: what it computed then it computes now. Without receipts it is `not run`."""
    now = present(root)
    found = []
    for path in sorted((root / "tests" / "receipts").glob("*.json")):
        receipt = accept(path)
        where = path.relative_to(root).as_posix()
        machine = f"{receipt.name}, {receipt.toolkit}, {receipt.date}"
        asked = receipt.files.keys() | now.keys() if among is None else now.keys() & among
        if different := sorted(name for name in asked if receipt.files.get(name) != now.get(name)):
            others = f" and {len(different) - 1} more" if len(different) > 1 else ""
            found.append(Standing("stale", f"stale since {different[0]}{others} changed (run on {machine})", where))
        elif receipt.kernels == kernels.total(now) and (lacking := operations(root) - {line["name"] for line in receipt.found}):
            raise Failure(f"{where}: it lacks {', '.join(sorted(lacking))[:200]}")
        elif bad := receipt.differing():
            found.append(Standing("broken", f"differs on {machine}: {', '.join(bad)[:200]}", where))
        else:
            found.append(Standing("held", f"passed on {machine}", where))
    order = ("broken", "held", "stale")
    return min(found, key=lambda one: order.index(one.state), default=NO_RECEIPT)
