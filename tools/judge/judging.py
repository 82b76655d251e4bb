"""What a judge.py is written with. It asks a student's program and compares the answers with its own.

    from judge.judging import Misconception, matrix, part

    def softmax(rows): ...                      # the judge's own, in Python

    misconceptions = [
        Misconception("no-maximum", "softmax", naive, "exp overflows: subtract each row's largest number first"),
    ]

    @part("large")
    def large(student):
        for _ in range(10):
            x = [[student.random.uniform(700, 900) for _ in range(4)] for _ in range(3)]
            student.expect("softmax", matrix(x), gives=matrix(softmax(x)), within=1e-12, about="the probabilities")

A part that returns has passed. Cases that were asked are asked once more at its end, in another order: an answer must
not depend on what was asked before.
"""
import dataclasses
import math
import random
import re
import time
from collections.abc import Callable
from typing import Any

from judge.frames import THREW, Array, Garbled, answer, floats, integers, matrix, question
from judge.sandbox import End, Process, harmless

__all__ = ["Array", "Misconception", "Wrong", "close", "floats", "integers", "matrix", "part"]

PASSED, WRONG, UNCOMPILED, CRASHED = "passed", "wrong answer", "did not compile", "crashed"
LATE, MEMORY, EARLY, GARBLED, OWN = "out of time", "out of memory", "ended early", "garbled answer", "judge's own failure"
OUTCOMES = (PASSED, WRONG, UNCOMPILED, CRASHED, LATE, MEMORY, EARLY, GARBLED, OWN)
UNWRITTEN = "not written yet: "
AGAIN = 40          # cases that are asked a second time


@dataclasses.dataclass(frozen=True)
class Misconception:
    """A mistake that has a name, and how it is known.

    `gives` answers as somebody with this misconception would: it takes the arguments of `function`. Where a mistake shows
    otherwise, `outcome` and `matches` (a regular expression over the message) tell it. A judge.py may also name it
    outright: `student.check(..., suspect="name")`.
    """
    name: str
    function: str | None = None
    gives: Callable | None = None
    says: str = ""
    outcome: str | None = None
    matches: str = ""
    part: str | None = None


@dataclasses.dataclass
class Message:
    """What a student is told. All texts; empty where there is nothing to say."""
    about: str = ""             # what was asked for
    expected: str = ""
    got: str = ""
    where: str = ""             # the first place where they differ
    call: str = ""              # the function and its arguments
    case: int = 0               # the number of the call in this part
    misconception: str = ""     # its name
    says: str = ""              # what to think about
    printed: str = ""           # what the program printed


class Wrong(Exception):
    """A part is not passed."""

    def __init__(self, outcome: str, message: Message):
        super().__init__(message.about)
        self.outcome, self.message = outcome, message


def part(name: str):
    """Marks the function that judges the part of this name."""
    def mark(function):
        function.part = name
        return function
    return mark


def close(got: float, expected: float, within: float, relative: float = 0) -> bool:
    """Is it near enough? A NaN is never near a number."""
    if math.isnan(expected) or math.isinf(expected):
        return got == expected or (math.isnan(expected) and math.isnan(got))
    return abs(got - expected) <= within + relative * abs(expected)


def show_number(value: Any) -> str:
    """A number as short as it can be told."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def show(value: Any, most: int = 60) -> str:
    """A value as a student reads it, long ones cut."""
    if isinstance(value, Array):
        if len(value.shape) == 2 and value.shape[0] > 1:
            rows = [show_list(row, 8) for row in value.rows()[:6]]
            rest = f", ... {value.shape[0]} rows in all" if value.shape[0] > 6 else ""
            return f"{{{', '.join(rows)}{rest}}}"
        shape = "" if len(value.shape) == 1 else f" of shape {' x '.join(map(str, value.shape))}"
        return show_list(value.numbers, 12) + shape
    if isinstance(value, (list, tuple)):
        return show_list(value, 12)
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    if isinstance(value, str):
        text = harmless(value).replace("\n", "\\n")
        return f'"{text[:most]}{"..." if len(text) > most else ""}"'
    return show_number(value)


def show_list(values: list, most: int) -> str:
    """{1, 2, 3, ... 40 in all}"""
    few = [show(value, 30) for value in values[:most]]
    return "{" + ", ".join(few) + (f", ... {len(values)} in all" if len(values) > most else "") + "}"


def difference(got: Any, expected: Any, within: float, relative: float) -> tuple[str, str, str] | None:
    """(where, expected, got) of the first place where they differ; None if they do not."""
    if isinstance(expected, (list, tuple)) and not any(isinstance(word, (str, bytes)) for word in expected):
        expected = Array((len(expected),), list(expected), "I" if all(isinstance(n, int) for n in expected) else "D")
    if isinstance(expected, Array):
        if not isinstance(got, Array):
            return "", show(expected), show(got)
        if got.shape != expected.shape:
            shown = [" x ".join(map(str, array.shape)) for array in (expected, got)]
            return "the shape", shown[0], shown[1]
        for flat, (mine, theirs) in enumerate(zip(expected.numbers, got.numbers)):
            if not close(theirs, mine, within, relative):
                return place(flat, expected.shape), show_number(mine), show_number(theirs)
        return None
    if isinstance(expected, (bool, int, float)):
        if not isinstance(got, (int, float)) or not close(got, expected, within, relative):
            return "", show(expected), show(got)
        return None
    if isinstance(expected, (list, tuple)):
        if not isinstance(got, list):
            got = []
        if len(got) != len(expected):
            return "how many", str(len(expected)), str(len(got))
        for at, (mine, theirs) in enumerate(zip(expected, got)):
            if mine != theirs:
                return f"number {at}, counted from 0", show(mine), show(theirs)
        return None
    return None if got == expected else ("", show(expected), show(got))


def place(flat: int, shape: tuple[int, ...]) -> str:
    """Where in an array, counted from 0."""
    if len(shape) == 2:
        return f"row {flat // shape[1]}, column {flat % shape[1]}"
    if len(shape) == 1:
        return f"element {flat}"
    at = []
    for size in reversed(shape):
        at.append(flat % size)
        flat //= size
    return f"element ({', '.join(map(str, reversed(at)))})"


class Student:
    """A student's program, as a judge.py speaks to it."""

    def __init__(self, process: Process, seed: int, misconceptions: list[Misconception], seconds: float,
                 stop_at: int = 0, watch: Callable | None = None):
        self.process = process
        self.random = random.Random(seed)       # for inputs: the same seed, the same cases
        self.misconceptions = misconceptions
        self.case = 0
        self.asked: list[tuple[str, tuple, bytes]] = []
        self.last: tuple[str, tuple] = ("", ())     # what was asked last
        self.until = time.monotonic() + seconds
        self.stop_at = stop_at                  # a replay ends with this case
        self.last_frame = b""
        self.watch = watch

    def ask(self, function: str, *arguments: Any, again: bool = True) -> Any:
        """What the student's function answers; a list where it has several answers."""
        self.case += 1
        self.last = function, arguments
        self.last_frame = question(self.case, function, arguments)
        frame = self.exchange(function, arguments, self.last_frame)
        values = self.values(function, arguments, frame)
        if again and len(self.asked) < AGAIN:
            self.asked.append((function, arguments, frame[8:]))
        return values[0] if len(values) == 1 else values

    def exchange(self, function: str, arguments: tuple, frame: bytes) -> bytes:
        """One question, and the frame that answers it."""
        call = self.call(function, arguments)
        try:
            got = self.process.ask(frame, max(0.01, self.until - time.monotonic()), self.watch)
            if got is None:
                raise Wrong(*self.ended(call, self.process.end(max(0.01, self.until - time.monotonic()))))
            if answer(got)[0] != self.case:
                raise Garbled(f"an answer to question {answer(got)[0]} where one to question {self.case} was due")
        except Garbled as garbled:
            raise Wrong(GARBLED, Message(about=f"the program wrote what is no answer: {garbled}", call=call,
                                         case=self.case)) from None
        return got

    def values(self, function: str, arguments: tuple, frame: bytes) -> list:
        """The values of an answer; a thrown exception is a wrong answer."""
        _, status, values = answer(frame)
        call = self.call(function, arguments)
        if status == THREW:
            text = harmless(str(values[0])) if values else ""
            if text.startswith(UNWRITTEN):
                raise Wrong(WRONG, Message(about=f"{text.removeprefix(UNWRITTEN)} is still to be written", call=call,
                                           case=self.case, misconception="unwritten",
                                           says="start with the smallest case of the statement; ./recto hint helps"))
            raise self.known(Wrong(WRONG, Message(about=f"{function} threw an exception: {text}", call=call, case=self.case)))
        if self.stop_at and self.case >= self.stop_at:
            raise Replayed(call, values)
        return values

    def call(self, function: str, arguments: tuple) -> str:
        """The call, as one line."""
        return f"{function}({', '.join(show(argument) for argument in arguments)})"

    def ended(self, call: str, end: End) -> tuple[str, Message]:
        """What to say of a program that ended instead of answering."""
        message = Message(call=call, case=self.case)
        if end.how == "time" or (end.how == "signal" and end.code == 24):
            message.about = "no answer within the time that there is"
            return LATE, message
        if end.how == "memory":
            message.about = f"the program took more than {self.process.limits.memory} MiB of memory"
            return MEMORY, message
        if end.how == "exit" and end.code == 77:
            message.about = sanitizer(self.process.output.decode("utf-8", errors="replace"))
            return CRASHED, message
        if end.how == "signal":
            message.about = crash(end.code, self.process.output.decode("utf-8", errors="replace"))
            return CRASHED, message
        if end.how == "exit":
            message.about = f"the program ended by itself, with status {end.code}, before it had answered"
            return EARLY, message
        message.about = "the sandbox was lost"
        return OWN, message

    def known(self, wrong: Wrong) -> Wrong:
        """Adds the misconception that shows in this outcome, if one is known."""
        message = wrong.message
        for guess in self.misconceptions:
            if guess.outcome == wrong.outcome and not message.misconception and re.search(
                    guess.matches, f"{message.about}\n{message.where}") and guess.function in (None, message.call.split("(")[0]):
                message.misconception, message.says = guess.name, guess.says
        return wrong

    def expect(self, function: str, *arguments: Any, gives: Any, within: float = 0, relative: float = 0, about: str = "",
               again: bool = True) -> Any:
        """Asks, and compares: nothing may differ by more than `within` plus `relative` times the expected number."""
        got = self.ask(function, *arguments, again=again)
        self.compare(got, gives, within, relative, about or function, function, arguments)
        return got

    def compare(self, got: Any, expected: Any, within: float = 0, relative: float = 0, about: str = "",
                function: str = "", arguments: tuple = ()) -> None:
        """Compares an answer; several answers with a tuple of expected ones."""
        pairs = list(zip(expected, got)) if isinstance(expected, tuple) and isinstance(got, list) else [(expected, got)]
        if isinstance(expected, tuple) and (not isinstance(got, list) or len(got) != len(expected)):
            raise Wrong(GARBLED, Message(about=f"{function} gives {len(expected)} values", case=self.case))
        for number, (mine, theirs) in enumerate(pairs):
            found = difference(theirs, mine, within, relative)
            if found:
                where, want, have = found
                if len(pairs) > 1:
                    where = f"value {number + 1} of {len(pairs)}" + (f", {where}" if where else "")
                message = Message(about, want, have, where, self.call(function, arguments), self.case)
                self.name(message, got, expected, within, relative, function, arguments)
                raise self.known(Wrong(WRONG, message))

    def name(self, message: Message, got: Any, expected: Any, within: float, relative: float, function: str,
             arguments: tuple) -> None:
        """Names the misconception that would have given this answer."""
        def same(one: Any, other: Any) -> bool:
            if isinstance(other, tuple):
                return isinstance(one, (list, tuple)) and len(one) == len(other) and all(map(same, one, other))
            return difference(one, other, within or 1e-12, relative) is None
        for guess in self.misconceptions:
            if guess.gives and guess.function == function:
                try:
                    theirs = guess.gives(*arguments)
                except (ArithmeticError, ValueError, IndexError):
                    continue
                if theirs is not None and same(got, theirs) and not same(list(theirs) if isinstance(theirs, tuple) else theirs,
                                                                         expected):
                    message.misconception, message.says = guess.name, guess.says
                    return

    def check(self, holds: bool, about: str, expected: str = "", got: str = "", suspect: str = "", where: str = "") -> None:
        """Something that must be true of the last answer; `suspect` names the misconception if it is not."""
        if holds:
            return
        says = next((guess.says for guess in self.misconceptions if guess.name == suspect), "")
        if suspect and not says:
            raise KeyError(f"no misconception is called {suspect}")
        function, arguments = self.last
        call = self.call(function, arguments) if function else ""
        raise self.known(Wrong(WRONG, Message(about, expected, got, where, call, self.case, suspect, says)))

    def once_more(self) -> None:
        """Asks again what was asked, backwards: the answers must be the same to the bit."""
        for function, arguments, before in reversed(self.asked):
            self.case += 1
            frame = self.exchange(function, arguments, question(self.case, function, arguments))
            if frame[8:] != before:
                raise Wrong(WRONG, Message(
                    about="the same call gave another answer the second time", call=self.call(function, arguments),
                    expected=", ".join(map(show, answer(bytes(8) + before)[2])), got=", ".join(map(show, answer(frame)[2])),
                    case=self.case, misconception="unsteady",
                    says="an answer may depend on the arguments alone: look for variables that are never set, for static "
                         "ones that remember, for clocks and random numbers of your own"))


class Replayed(Exception):
    """A replay has reached its case."""

    def __init__(self, call: str, values: list):
        super().__init__(call)
        self.call, self.values = call, values


SIGNALS = {4: "an instruction that does not exist", 6: "it gave up (abort)", 7: "a bus error", 8: "a division by zero",
           9: "killed", 11: "memory that is not its own (segmentation fault)", 13: "a closed pipe",
           25: "a file that grew too large", 31: "a forbidden system call"}
OWN_FRAME = r"(?:/student/|^)([\w.-]+\.(?:cpp|hpp|cu)):(\d+)"


def crash(code: int, printed: str) -> str:
    """A sentence for a signal."""
    if "Assertion" in printed and "size()" in printed:
        return "the program stopped: an index outside a std::vector"
    found = re.search(r"Assertion '(.*?)' failed|Assertion `(.*?)' failed|what\(\):\s+(.*)", printed)
    detail = f": {next(filter(None, found.groups()))}" if found else ""
    return f"the program crashed: {SIGNALS.get(code, f'signal {code}')}{detail}"


def sanitizer(printed: str) -> str:
    """A sentence for what AddressSanitizer or UBSan reported, with the student's line."""
    line = next((f", in {m[1]} line {m[2]}" for m in re.finditer(r"/student/([\w.-]+):(\d+)", printed)), "")
    undefined = re.search(r"runtime error: (.*)", printed)
    if undefined:
        return f"what the language leaves undefined: {harmless(undefined[1])}{line}"
    kind = re.search(r"AddressSanitizer: ([\w-]+)", printed)
    names = {"heap-buffer-overflow": "an index outside memory that was allocated",
             "stack-buffer-overflow": "an index outside an array", "global-buffer-overflow": "an index outside an array",
             "heap-use-after-free": "memory that was given back already", "stack-use-after-scope": "a variable that is gone",
             "stack-use-after-return": "a variable of a function that has returned", "container-overflow":
             "an element beyond the size of a container", "stack-overflow": "too deep a recursion, the stack is full",
             "SEGV": "memory that is not its own", "FPE": "a division by zero", "ABRT": "it gave up (abort)",
             "attempting": "memory freed twice, or never allocated", "allocation-size-too-big": "a size that makes no sense",
             "negative-size-param": "a negative size", "requested": "a size that makes no sense"}
    if kind and kind[1] == "ABRT" and "Assertion" in printed:
        return f"an index outside a std::vector{line}"
    return f"the program crashed: {names.get(kind[1], kind[1]) if kind else 'a sanitizer stopped it'}{line}"
