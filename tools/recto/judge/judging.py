"""The functions for writing a judge.py, which calls a student's program and compares the answers with its own.

    from recto.judge.judging import Misconception, matrix, part

    def softmax(rows): ...                      # the judge's own, in Python

    misconceptions = [
        Misconception("no-maximum", "softmax", naive, "exp overflows: subtract each row's largest number first"),
    ]

    @part("large")
    def large(student):
        for _ in range(10):
            x = [[student.random.uniform(700, 900) for _ in range(4)] for _ in range(3)]
            student.expect("softmax", matrix(x), gives=matrix(softmax(x)), within=1e-12, about="the probabilities")

An answer has the number, kinds and shapes of values that are expected, or that `ask` declares (judge/kinds.py), before a
judge.py sees it. A part that returns has passed. Cases that were asked are asked once more at its end, in another order: an
answer must not depend on what was asked before. The second answer may differ from the first within the tolerance of the
comparison: `expect` and `compare` remember theirs. A judge.py that compares in its own way says it in
`ask(..., within=1e-9)`. Where there is no tolerance the second answer must be the same to the bit.
"""
import dataclasses
import os
import random
import re
import time
from collections.abc import Callable
from typing import Any

from recto.judge.comparing import close, difference, show, show_all
from recto.judge.crashes import crash, sanitizer
from recto.judge.frames import THREW, Array, Garbled, answer, encode, floats, integers, matrix, question
from recto.judge.kinds import ARRAY, REAL, TEXT, TEXTS, WHOLE, Kind, array_of, by_axes, foreign, kinds_of, wholes
from recto.judge.sandbox import End, Limits, Process, one_line, run

__all__ = ["ARRAY", "REAL", "TEXT", "TEXTS", "WHOLE", "Array", "Misconception", "NotHere", "Wrong", "array_of", "close",
           "floats", "integers", "matrix", "part", "wholes"]

PASSED, WRONG, UNCOMPILED, CRASHED = "passed", "wrong answer", "did not compile", "crashed"
LATE, MEMORY, EARLY, GARBLED, OWN = "out of time", "out of memory", "ended early", "garbled answer", "judge's own failure"
OUTCOMES = (PASSED, WRONG, UNCOMPILED, CRASHED, LATE, MEMORY, EARLY, GARBLED, OWN)
UNWRITTEN = "not written yet: "
MISTAKE = "a mistake in the kernel or around it: "      # what the emulator has found (exercises/kit/kernels.hpp)
AGAIN = 40          # cases that are asked a second time
LOOK = 2.0          # seconds in which a smaller wrong case is looked for
REMEMBERED = 20     # right answers to each function that a misconception must explain too
SANITIZED = 77      # the status with which a sanitizer ends a program


@dataclasses.dataclass(frozen=True)
class Misconception:
    """A named mistake, and how it is recognised.

    `gives` answers as a student with this misconception would: it takes the arguments of `function`. It must explain the wrong
    answer, and the right ones that the student gave before. Where a mistake shows otherwise, `outcome` and `matches` (a regular
    expression over the message) tell it, and `when`, which takes the arguments of the call, says whether it can be the cause. A
    judge.py may also name it outright: `student.check(..., suspect="name")`.
    """
    name: str
    function: str | None = None
    gives: Callable | None = None
    says: str = ""
    outcome: str | None = None
    matches: str = ""
    part: str | None = None
    when: Callable | None = None


@dataclasses.dataclass
class Message:
    """The message for a student. All fields are texts; a text is empty if it does not apply."""
    about: str = ""             # what was asked for
    expected: str = ""
    got: str = ""
    where: str = ""             # the first place where they differ
    call: str = ""              # the function and its arguments
    case: int = 0               # the number of the call in this part
    misconception: str = ""     # its name
    says: str = ""              # what to think about
    printed: str = ""           # what the program printed
    report: str = ""            # what the judge found in detail, line by line: told whether the part is passed or not


@dataclasses.dataclass
class Asked:
    """A case that is asked once more, its first answer, and the tolerance of the comparison with what was expected."""
    case: int
    function: str
    arguments: tuple
    before: bytes               # the frame of the first answer without its number
    within: float = 0
    relative: float = 0

    def loosen(self, within: float, relative: float) -> None:
        """Several comparisons of one answer: the loosest one counts."""
        self.within, self.relative = max(self.within, within), max(self.relative, relative)

    def changed(self, frame: bytes) -> tuple[str, str, str] | None:
        """(where, first answer, second answer) if the second answer is another one; None if it is the same.

        Each of two right answers may differ from the expected number by the tolerance, in opposite directions: the two
        may differ by twice as much."""
        if frame[8:] == self.before:
            return None
        (_, status, first), (_, status_now, second) = answer(bytes(8) + self.before), answer(frame)
        if status != status_now or len(first) != len(second):
            return "", show_all(first), show_all(second)
        for number, (one, other) in enumerate(zip(first, second)):
            found = difference(other, one, 2 * self.within, 2 * self.relative)
            if found:
                where, before, now = found
                place = f"value {number + 1} of {len(first)}" if len(first) > 1 else ""
                return ", ".join(filter(None, (place, where))), before, now
        return None if self.within or self.relative else ("", show_all(first), show_all(second))


@dataclasses.dataclass(frozen=True)
class Compared:
    """A call whose answer was compared with an expected one."""
    function: str
    arguments: tuple
    kinds: Kind | tuple[Kind, ...]
    got: tuple
    expected: tuple
    within: float
    relative: float

    def size(self) -> int:
        """The size of the arguments: their number of numbers and letters."""
        return sum(len(one.numbers) if isinstance(one, Array) else len("".join(map(str, one)))
                   if isinstance(one, (list, tuple)) else len(one) if isinstance(one, (str, bytes)) else 1 for one in self.arguments)

    def right(self, student: "Student") -> bool:
        """Whether this student's program answers it as expected."""
        got = student.ask(self.function, *self.arguments, gives=self.kinds, again=False)
        values = got if isinstance(self.kinds, tuple) else [got]
        return all(difference(theirs, mine, self.within, self.relative) is None for mine, theirs in zip(self.expected, values))


class Wrong(Exception):
    """Raised when a part is not passed."""

    def __init__(self, outcome: str, message: Message, compared: Compared | None = None):
        super().__init__(message.about)
        self.outcome, self.message, self.compared = outcome, message, compared


class NotHere(Exception):
    """Raised, with the reason, when a part cannot be judged on this machine: it is then reported as not run."""


def part(name: str):
    """Marks the function that judges the part of this name."""
    def mark(function):
        function.part = name
        return function
    return mark


def judged(function: Callable, student: "Student") -> None:
    """Judges a part; raises what is wrong. After a wrong answer the other cases are asked too, for a little while: of those that
    show the same mistake, the smallest is told."""
    student.found = []
    try:
        function(student)
    except Replayed:
        raise
    except Exception:
        if not student.found:
            raise
    if student.found:
        name = student.found[0].message.misconception
        raise min((one for one in student.found if one.message.misconception == name), key=lambda one: one.compared.size())


def recognise(outcome: str, message: Message, misconceptions: list[Misconception], arguments: tuple = ()) -> None:
    """Adds to the message the misconception that shows in an outcome, if one is known and none is named yet. `arguments` are
    those of the last call."""
    for guess in misconceptions:
        if (guess.outcome == outcome and not message.misconception
                and guess.function in (None, message.call.split("(")[0])
                and (guess.when is None or guess.when(*arguments))
                and re.search(guess.matches, f"{message.about}\n{message.where}")):
            message.misconception, message.says = guess.name, guess.says


class Student:
    """The interface of a judge.py to a student's program."""

    def __init__(self, process: Process, seed: int, misconceptions: list[Misconception], seconds: float,
                 stop_at: int = 0, watch: Callable | None = None, sanitized: bool = False):
        self.process = process
        self.found: list[Wrong] | None = None   # wrong answers so far, while a smaller one is looked for
        self.look_until = 0.0                   # and so long
        self.random = random.Random(seed)       # for inputs: the same seed, the same cases
        self.misconceptions = misconceptions
        self.case = 0
        self.asked: list[Asked] = []            # what is asked once more at the end
        self.last: tuple[str, tuple] = ("", ())             # the function asked last, and its arguments
        self.kinds: Any = ()                    # and the kinds of its answer
        self.record: dict[int, tuple[bytes, bytes]] = {}    # by the number of the case: the question, the answer
        self.verdicts: list[tuple[bytes, ...] | None] = []  # of each comparison: None if right, else what was expected
        self.tolerances: list[tuple[float, float]] = []     # of each comparison: absolute and relative
        self.right: dict[str, list[tuple]] = {}             # by function: arguments, answer and tolerance of what was right
        self.seconds = seconds                  # for the whole part
        self.until = time.monotonic() + seconds
        self.stop_at = stop_at                  # a replay ends with this case
        self.reached: Replayed | None = None    # the case with which a replay ends, until it is compared
        self.last_frame = b""
        self.watch = watch
        self.measured: float | None = None      # a number for the register: a judge.py sets it
        self.sanitized = sanitized
        self.candidates = None                  # what a student's test is tried on (candidates.py)
        self.emulated = True                    # does the emulator run the kernels?
        self.counts = False                     # does the emulator count what kernels do?
        self.report: list[str] = []             # lines for the student, whether the part is passed or not

    def ask(self, function: str, *arguments: Any, gives: Kind | tuple[Kind, ...], again: bool = True, within: float = 0,
            relative: float = 0) -> Any:
        """What the student's function answers, of the kind that is declared; a list where there are several kinds. `within`
        and `relative` are the tolerance of a comparison that the judge.py makes itself: the second asking grants it too."""
        if self.reached:
            raise self.reached
        self.case += 1
        self.last, self.kinds = (function, arguments), gives
        self.last_frame = question(self.case, function, arguments)
        frame = self.exchange(function, arguments, self.last_frame)
        self.record[self.case] = self.last_frame, frame
        values = self.values(function, arguments, frame, gives if isinstance(gives, tuple) else (gives,))
        if again and len(self.asked) < AGAIN:
            self.asked.append(Asked(self.case, function, arguments, frame[8:], within, relative))
        return values if isinstance(gives, tuple) else values[0]

    def choose(self, number: int) -> bool:
        """Has the student's test call the candidate of this number from now on; False if its program has ended."""
        if self.reached:
            raise self.reached
        return not self.candidates or self.candidates.choose(number, max(0.01, self.until - time.monotonic()))

    def exchange(self, function: str, arguments: tuple, frame: bytes) -> bytes:
        """One question, and the frame that answers it."""
        call = self.call(function, arguments)
        try:
            got = self.process.ask(frame, max(0.01, self.until - time.monotonic()), self.watch)
            if got is None:
                left = self.until - time.monotonic()
                late = left <= 0 and not self.process.report
                raise Wrong(*self.ended(call, self.process.end(0 if late else max(0.1, left))))
            if answer(got)[0] != self.case:
                raise Garbled(f"an answer to question {answer(got)[0]} where one to question {self.case} was due")
        except Garbled as garbled:
            raise self.garbled(call, str(garbled)) from None
        return got

    def garbled(self, call: str, why: str) -> Wrong:
        """The outcome of an answer that cannot be read."""
        return Wrong(GARBLED, Message(about=f"the program wrote an invalid answer: {why}", call=call, case=self.case))

    def values(self, function: str, arguments: tuple, frame: bytes, kinds: tuple[Kind, ...]) -> list:
        """The values of an answer, of these kinds; a thrown exception and a wrong shape are wrong answers."""
        _, status, values = answer(frame)
        call = self.call(function, arguments)
        strange = foreign(values, (TEXT,) if status == THREW else kinds)
        if strange:
            raise self.garbled(call, strange)
        if status == THREW:
            text = one_line(values[0])
            if text == "std::bad_alloc":
                limits = self.process.limits
                raise Wrong(MEMORY, Message(
                    about=f"{function} asked for more memory than its {limits.memory} MiB", call=call,
                    case=self.case))
            if text.startswith(UNWRITTEN):
                raise Wrong(WRONG, Message(about=f"{text.removeprefix(UNWRITTEN)} is still to be written", call=call,
                                           case=self.case, misconception="unwritten",
                                           says="start with the smallest example of the statement; ./recto hint helps"))
            about = text if text.startswith(MISTAKE) else f"{function} threw an exception: {text}"
            raise Wrong(WRONG, Message(about=about, call=call, case=self.case))
        if self.stop_at and self.case >= self.stop_at:
            self.reached = Replayed(call, values)
        for number, (value, kind) in enumerate(zip(values, kinds), 1):
            if not kind.fits(value):
                which = f" of value {number}" if len(kinds) > 1 else ""
                raise Wrong(WRONG, Message(about=f"the answer of {function} has another shape", case=self.case, call=call,
                                           expected=by_axes(kind.shape), got=by_axes(value.shape),
                                           where=f"the shape{which}"))
        return values

    def call(self, function: str, arguments: tuple) -> str:
        """The call, as one line."""
        return f"{function}({', '.join(show(argument) for argument in arguments)})"

    def ended(self, call: str, end: End) -> tuple[str, Message]:
        """The message for a program that ended instead of answering."""
        message = Message(call=call, case=self.case)
        printed = self.process.printed()
        if end.how == "time":
            limit = f"{self.process.limits.cpu} s of computing" if end.cpu_ms else f"{self.seconds:g} s"
            message.about = f"no answer within the time of this part, {limit}"
            return LATE, message
        if end.how == "memory":
            message.about = f"the program took more than {self.process.limits.memory} MiB of memory"
            return MEMORY, message
        if end.how == "processes":
            message.about = f"the program started more than {self.process.limits.processes} processes or threads"
            return CRASHED, message
        if end.how == "exit" and end.code == SANITIZED and self.sanitized:
            message.about = sanitizer(printed)
            return CRASHED, message
        if end.how == "signal":
            message.about = crash(end.code, printed)
            return CRASHED, message
        if end.how == "exit":
            message.about = f"the program ended by itself, with status {end.code}, before it had answered"
            return EARLY, message
        if end.how == "failed":
            message.about = f"the program could not be started: {os.strerror(end.code)}"
            known, _ = run(["/usr/bin/true"], Limits(), {})     # does the sandbox start one that is not the student's?
            return (UNCOMPILED if (known.how, known.code) == ("exit", 0) else OWN), message
        message.about = "the sandbox was lost"
        return OWN, message

    def expect(self, function: str, *arguments: Any, gives: Any, within: float = 0, relative: float = 0, about: str = "",
               again: bool = True) -> Any:
        """Asks, and compares: nothing may differ by more than `within` plus `relative` times the expected number."""
        got = self.ask(function, *arguments, gives=kinds_of(gives), again=again)
        self.compare(got, gives, within, relative, about or function, function, arguments)
        return got

    def compare(self, got: Any, expected: Any, within: float = 0, relative: float = 0, about: str = "",
                function: str = "", arguments: tuple = ()) -> None:
        """Compares an answer; several answers with a tuple of expected ones."""
        if self.asked and self.asked[-1].case == self.case:
            self.asked[-1].loosen(within, relative)
        self.tolerances.append((within, relative))
        pairs = list(zip(expected, got, strict=True)) if isinstance(expected, tuple) else [(expected, got)]
        for number, (mine, theirs) in enumerate(pairs):
            found = difference(theirs, mine, within, relative)
            if found:
                where, want, have = found
                if len(pairs) > 1:
                    where = f"value {number + 1} of {len(pairs)}" + (f", {where}" if where else "")
                message = Message(about, want, have, where, self.call(function, arguments), self.case)
                self.name(message, got, expected, within, relative, function, arguments)
                answered, due = (got, expected) if isinstance(expected, tuple) else ((got,), (expected,))
                self.verdicts.append(tuple(map(encode, due)))
                return self.fail(Wrong(WRONG, message, Compared(*self.last, self.kinds, tuple(answered), due, within, relative)))
        self.verdicts.append(None)
        self.right.setdefault(function, []).append((arguments, got, within, relative))
        if self.reached:
            self.reached.expected = show_all(list(expected)) if isinstance(expected, tuple) else show(expected)

    def fail(self, wrong: Wrong) -> None:
        """Raises what is wrong, unless there is time to look for a smaller case."""
        recognise(wrong.outcome, wrong.message, self.misconceptions, self.last[1])
        if self.found is None or self.reached:
            self.found = None
            raise wrong
        if not self.found:
            self.look_until = time.monotonic() + LOOK
        self.found.append(wrong)
        if time.monotonic() > self.look_until and not self.stop_at:
            raise wrong

    def name(self, message: Message, got: Any, expected: Any, within: float, relative: float, function: str,
             arguments: tuple) -> None:
        """Names the misconception that would have given this answer, and the right ones before it."""
        def same(one: Any, other: Any, within: float, relative: float) -> bool:
            if isinstance(other, tuple):
                return (isinstance(one, (list, tuple)) and len(one) == len(other)
                        and all(same(*pair, within, relative) for pair in zip(one, other)))
            return difference(one, other, within or 1e-12, relative) is None

        def explains(guess: Misconception, arguments: tuple, got: Any, within: float, relative: float) -> bool | None:
            """Whether the misconception explains these answers; None if it gives no answer here."""
            try:
                theirs = guess.gives(*arguments)
            except (ArithmeticError, ValueError, IndexError):
                return None
            return None if theirs is None else same(got, theirs, within, relative)

        for guess in self.misconceptions:
            if (guess.gives and guess.function == function and explains(guess, arguments, got, within, relative)
                    and not explains(guess, arguments, expected, within, relative)
                    and all(explains(guess, *before) is not False for before in self.right.get(function, ())[-REMEMBERED:])):
                message.misconception, message.says = guess.name, guess.says
                return

    def check(self, holds: bool, about: str, expected: str = "", got: str = "", suspect: str = "", where: str = "") -> None:
        """A condition on the last answer; `suspect` names the misconception if the condition fails."""
        if holds:
            return
        says = next((guess.says for guess in self.misconceptions if guess.name == suspect), "")
        if suspect and not says:
            raise KeyError(f"no misconception is called {suspect}")
        call = self.call(*self.last) if self.case else ""
        raise Wrong(WRONG, Message(about, expected, got, where, call, self.case, suspect, says))

    def once_more(self) -> None:
        """Asks all questions again in reverse order: the answers must be the same, within the tolerance of the first comparison."""
        if self.reached:
            raise self.reached
        for asked in reversed(self.asked):
            function, arguments = asked.function, asked.arguments
            self.case += 1
            self.last_frame = question(self.case, function, arguments)
            frame = self.exchange(function, arguments, self.last_frame)
            changed = asked.changed(frame)
            if changed:
                where, before, now = changed
                raise Wrong(WRONG, Message(
                    about="the same call gave another answer the second time", call=self.call(function, arguments),
                    expected=before, got=now, where=where, case=self.case, misconception="unsteady",
                    says="an answer may depend only on the arguments: look for uninitialised variables, static variables "
                         "that keep state, clocks and your own random numbers"))
            if self.stop_at and self.case >= self.stop_at:
                raise Replayed(self.call(function, arguments), answer(frame)[2])


class Replayed(Exception):
    """Raised when a replay has reached its case."""

    def __init__(self, call: str, values: list):
        super().__init__(call)
        self.call, self.values = call, values
        self.expected = ""      # what the answer was compared with
