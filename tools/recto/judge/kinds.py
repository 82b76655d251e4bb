"""What an answer must be before a judge.py sees it: how many values, each of which kind, arrays of which shape.

    train, dev, test = student.ask("split", words, seed, gives=(TEXTS, TEXTS, TEXTS))
    weights = student.ask("train", symbols, targets, gives=array_of(27, 27))

A value of another kind comes from a program that forges its answers: the compiler checks what a function returns.
"""
import dataclasses
from typing import Any

from recto.judge.frames import Array


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of value."""
    name: str
    codes: str                                      # those that a frame may have for it (judge/frames.py)
    shape: tuple[int | None, ...] | None = None     # of an array; None as a size or as the shape: any

    def holds(self, value: Any) -> bool:
        """Whether the value is of this kind, with the right number of axes."""
        if code_of(value) not in self.codes:
            return False
        return self.shape is None or not isinstance(value, Array) or len(value.shape) == len(self.shape)

    def fits(self, value: Any) -> bool:
        """Whether every axis of a value of this kind has the right size."""
        return self.shape is None or not isinstance(value, Array) or all(
            wanted in (None, size) for wanted, size in zip(self.shape, value.shape, strict=True))


REAL = Kind("a number", "id")
WHOLE = Kind("a whole number", "i")
TEXT = Kind("a text", "s")
TEXTS = Kind("a list of texts", "L")
ARRAY = Kind("an array of numbers", "DFI")
LIST = Kind("a list", "LDFI")


def array_of(*shape: int | None) -> Kind:
    """Numbers with a shape: array_of(None) is a list of any length, array_of(27, 27) a square matrix."""
    return Kind("an array of numbers", "DF", shape)


def wholes(*shape: int | None) -> Kind:
    """Whole numbers with a shape: wholes(None) is a list of any length."""
    return Kind("an array of whole numbers", "I", shape)


def code_of(value: Any) -> str:
    """The code that a frame has for a value."""
    if isinstance(value, Array):
        return value.kind
    return {int: "i", float: "d", str: "s", list: "L"}[type(value)]


def kind_of(expected: Any) -> Kind:
    """The kind of an expected value. Its shape is compared with its numbers: there it is a wrong answer."""
    if isinstance(expected, (bool, int, float)):
        return REAL
    if isinstance(expected, (str, bytes)):
        return TEXT
    if isinstance(expected, (list, tuple)) and not expected:
        return LIST
    texts = isinstance(expected, (list, tuple)) and isinstance(expected[0], (str, bytes))
    return TEXTS if texts else ARRAY


def kinds_of(expected: Any) -> Any:
    """The kind of an expected answer, or the kinds of one with several values."""
    return tuple(map(kind_of, expected)) if isinstance(expected, tuple) else kind_of(expected)


def foreign(values: list, kinds: tuple[Kind, ...]) -> str:
    """What is wrong with the number and the kinds of an answer's values; empty if nothing is."""
    if len(values) != len(kinds):
        return f"an answer has {len(values)} values where {len(kinds)} were due"
    for number, (value, kind) in enumerate(zip(values, kinds), 1):
        if not kind.holds(value):
            axes = "" if kind.shape is None else f" of {len(kind.shape)} axes"
            return f"value {number} of an answer is not {kind.name}{axes}"
    return ""


def by_axes(shape: tuple[int | None, ...]) -> str:
    """A shape as a student reads it: 3 x any."""
    return " x ".join("any" if size is None else str(size) for size in shape) or "no axes"
