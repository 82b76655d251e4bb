"""The functions for the judge of an exercise with kernels, beside judging.py (exercises/kit/kernels.hpp is the other
side).

    done = run(student, "scaled", floats(x), 2.0, gives=floats(y), within=1e-6, about="the scaled numbers")
    at_most(student, done, done.load_transactions, 40, "transactions that read x", suspect="strided")

The order in which the emulator runs the threads is part of the question. Under sanitizers and on a GPU nothing is counted.
"""
import dataclasses
from typing import Any

from recto.judge.judging import TEXT, WRONG, Misconception, Student, wholes
from recto.judge.kinds import kinds_of

FORWARDS, BACKWARDS = "threads forwards", "threads backwards"


@dataclasses.dataclass(frozen=True)
class Launches:
    """The launches of one answer, and the emulator's counts over all launches."""
    counted: int                    # did the emulator count?
    launches: int
    blocks: int
    threads: int
    largest_block: int              # threads
    shared_bytes: int               # of a block
    load_requests: int
    load_transactions: int
    ideal_load_transactions: int
    store_requests: int
    store_transactions: int
    ideal_store_transactions: int
    shared_requests: int
    shared_passes: int
    ideal_shared_passes: int
    worst_conflict: int             # 1 means no conflict
    atomics: int
    barriers: int
    worst_where: str = ""           # the line of the worst conflict


# What every exercise with kernels knows.
COMMON = [
    Misconception("unwritten", outcome=WRONG,
                  matches=r"wanted elements that were written, got (\d+) of \1 that never were",
                  says="no thread has written any element of the result: the kernel is still empty, or it is never launched"),
    Misconception("endless-loop", outcome=WRONG, matches=r"has not ended after \d+ steps",
                  says="a loop of this thread never ends: check its condition, and what each iteration changes"),
    Misconception("takes-the-answer", outcome="did not compile", matches=r"recto/\S* is not among the files",
                  says="the library's kernels are not allowed here: write them yourself"),
]


def shuffled(student: Student) -> str:
    """A random order of the threads."""
    return f"threads shuffled {student.random.randrange(2, 1000)}"


def run(student: Student, function: str, *arguments: Any, gives: Any, within: float = 0, relative: float = 0,
        about: str = "", order: str = FORWARDS) -> Launches:
    """Asks, compares, and returns the launches."""
    words = (*arguments, order)
    kinds = kinds_of(gives) if isinstance(gives, tuple) else (kinds_of(gives),)
    counts = len(dataclasses.fields(Launches)) - 1
    *values, numbers, where = student.ask(function, *words, gives=(*kinds, wholes(counts), TEXT),
                                          again=order in (FORWARDS, BACKWARDS))     # each shuffling is another one
    got = values if isinstance(gives, tuple) else values[0]
    student.compare(got, gives, within, relative, about or function, function, words)
    return Launches(*numbers.numbers, where)


def in_all_orders(student: Student, function: str, *arguments: Any, **expected: Any) -> Launches:
    """The same with the threads in forward, reverse and shuffled order: the result of a kernel must not depend on it."""
    for order in (BACKWARDS, shuffled(student)):
        run(student, function, *arguments, order=order, **expected)
    return run(student, function, *arguments, **expected)


def at_most(student: Student, done: Launches, got: int, limit: int, what: str, suspect: str, where: str = "") -> None:
    """Checks that a count of the emulator is at most the limit."""
    student.check(done.counted or not student.counts, "no count of the kernel came: a program may not change the emulator")
    student.check(not done.counted or got <= limit, f"too many {what}", f"at most {limit}", str(got), suspect, where)


def at_least(student: Student, got: int, limit: int, what: str, suspect: str) -> None:
    """Checks that a number of the launch is at least the limit, on a GPU too."""
    student.check(got >= limit, f"too few {what}", f"at least {limit}", str(got), suspect)
