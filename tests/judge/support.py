"""What the tests of the judge share: tiny exercises of their own, small limits, and eyes for what is left behind."""
import contextlib
import ctypes
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from recto.judge import building, cage, catalogue, grading
from recto.judge.catalogue import Exercise
from recto.judge.sandbox import Limits

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUBREAPER = 36      # prctl: what loses its parent below us becomes our child, and so stays in sight
QUICK = {"plain": Limits(cpu=1, memory=96, address=512, processes=16),
         "sanitized": Limits(cpu=8, memory=400, processes=16)}
COMPILER = Limits(cpu=4, wall=200, memory=400, address=1024, processes=16, file=32)


class Wall(dict):
    """How long programs may take: long, because the machine may be busy, unless a thread says otherwise for its own."""

    def __init__(self):
        super().__init__(plain=30.0, sanitized=60.0)
        self.mine = threading.local()

    def __getitem__(self, variant: str) -> float:
        return getattr(self.mine, "seconds", 0) or super().__getitem__(variant)


WALL = Wall()


def watch_over_orphans() -> None:
    """From now on every process that one of ours leaves behind is found by `descendants`."""
    ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0)


def descendants() -> dict[int, str]:
    """The processes below this one that are alive, with their names and states."""
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name, rest = re.match(r"\d+ \((.*)\) (.*)", (folder / "stat").read_text(), re.S).groups()
            parents[int(folder.name)], names[int(folder.name)] = int(rest.split()[1]), f"{name} {rest[0]}"
    found = {}
    for process in parents:
        at = process
        while at in parents and at != os.getpid():
            at = parents[at]
        if at == os.getpid() and process != at and not names[process].endswith(" Z"):
            found[process] = names[process]
    return found


@contextlib.contextmanager
def tiny() -> Iterator[Path]:
    """The exercises beside this file and small limits; the folder where all that is temporary must go, and vanish."""
    with open_folder() as folder, contextlib.ExitStack() as stack:
        for thing, name, value in ((catalogue, "EXERCISES", HERE / "exercises"), (catalogue, "SOLUTIONS", HERE / "solutions"),
                                   (grading, "QUICK", QUICK), (grading, "QUICK_WALL", WALL), (building, "COMPILER", COMPILER),
                                   (tempfile, "tempdir", str(folder))):
            stack.enter_context(mock.patch.object(thing, name, value))
        yield folder


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that all users may enter."""
    with tempfile.TemporaryDirectory(prefix="recto-test-", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def exercise(name: str) -> Exercise:
    """One of the tiny ones."""
    return catalogue.load(HERE / "exercises" / "own" / name)


@contextlib.contextmanager
def without_namespaces() -> Iterator[None]:
    """As on a machine that forbids them."""
    with mock.patch.dict(os.environ, {"RECTO_ISOLATION": cage.LIMITS}):
        cage.why_not_full.cache_clear()
        try:
            yield
        finally:
            cage.why_not_full.cache_clear()
