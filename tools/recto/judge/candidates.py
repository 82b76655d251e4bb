"""The candidates of a student's test, in their own program and sandbox: the test can call them but cannot read their memory.

    with running(exercise, program, limits, environment) as (process, candidates):
        candidates.choose(11, seconds)      # what the test calls from now on

The two programs share a line (exercises/kit/trial.hpp and candidates.cpp are its ends), and the judge has one to each of them.
An exercise without candidates has the student's program alone.
"""
import contextlib
import fcntl
import io
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

from recto.judge import building
from recto.judge.building import Program
from recto.judge.catalogue import Exercise
from recto.judge.sandbox import Limits, Process

LINK = "RECTO_LINK"     # in the environment of both programs: the number of their end of the line


def chosen(number: int) -> bytes:
    """The frame that chooses a candidate."""
    return struct.pack("<II", 4, number)


class Candidates:
    """The judge's connection to the program of the candidates."""

    def __init__(self, process: Process):
        self.process = process
        self.number = 0

    def choose(self, number: int, seconds: float) -> bool:
        """Selects the candidate for all later calls and resets it; False if the program has ended."""
        self.number = number
        return self.process.ask(chosen(number), seconds) == chosen(number)[4:]

    def why_ended(self) -> str:
        """The reason why the program ended, in words; ends the program if it still runs."""
        limits, end = self.process.limits, self.process.end(0.5)
        return {"memory": f"it took more than {limits.memory} MiB of memory", "time": f"it took more than {limits.cpu} s of computing",
                "signal": "it crashed"}.get(end.how, "it does not answer any more")


@contextlib.contextmanager
def line() -> Iterator[tuple[io.FileIO, io.FileIO]]:
    """The two ends of a pipe, with descriptors that no program uses otherwise: 3 is for answers."""
    ends = socket.socketpair()
    with ends[0], ends[1]:
        first, second = (io.FileIO(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10), "r+") for end in ends)
    with first, second:
        yield first, second


@contextlib.contextmanager
def running(exercise: Exercise, program: Program, limits: Limits,
            environment: dict[str, str]) -> Iterator[tuple[Process, Candidates | None]]:
    """The student's program, and beside it the program of the candidates if the exercise has candidates."""
    def run(places: dict[str, Path], end: io.FileIO | None) -> Process:
        words, number = ({LINK: str(end.fileno())}, end.fileno()) if end else ({}, None)
        return stack.enter_context(Process(["/program"], limits, places, environment={**environment, **words}, talks=True,
                                           line=number))
    with contextlib.ExitStack() as stack:
        if not exercise.candidates:
            yield run(program.places(), None), None
            return
        with line() as (theirs, ours):      # each program keeps its own end only, so that it sees when the other one ends
            candidates = Candidates(run({"/program": building.candidates(exercise)}, ours))
            process = run(program.places(), theirs)
        yield process, candidates


@contextlib.contextmanager
def for_debugger(program: Path, number: int) -> Iterator[int]:
    """The descriptor of a pipe to this candidate, outside the sandbox, for the student's program in a debugger."""
    with line() as (theirs, ours):
        with subprocess.Popen([str(program)], stdin=subprocess.PIPE, env={LINK: str(ours.fileno())},
                              pass_fds=[ours.fileno()]) as process:
            try:
                process.stdin.write(chosen(number))
                process.stdin.flush()
                yield theirs.fileno()
            finally:
                process.kill()
