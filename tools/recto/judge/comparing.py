"""Numbers, texts and arrays: whether they are near enough, where they differ first, and how they are shown to a student."""
import math
from typing import Any

from recto.judge.frames import Array
from recto.judge.sandbox import one_line


def close(got: float, expected: float, within: float, relative: float = 0) -> bool:
    """Whether a number is near enough to the expected one. A NaN is never near a number."""
    if math.isnan(expected) or math.isinf(expected):
        return got == expected or (math.isnan(expected) and math.isnan(got))
    return abs(got - expected) <= within + relative * abs(expected)


def show_number(value: Any) -> str:
    """The shortest form of a number."""
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def show(value: Any, most: int = 60) -> str:
    """A value as shown to a student, shortened if it is long."""
    if isinstance(value, Array):
        if not value.shape:
            return show_number(value.numbers[0])
        if len(value.shape) == 2 and value.shape[0] > 1:
            width = value.shape[1]
            rows = [show_list(value.numbers[at * width:(at + 1) * width], 8) for at in range(min(6, value.shape[0]))]
            rest = f", ... {value.shape[0]} rows in all" if value.shape[0] > 6 else ""
            return f"{{{', '.join(rows)}{rest}}}"
        shape = "" if len(value.shape) < 2 else f" of shape {' x '.join(map(str, value.shape))}"
        return show_list(value.numbers, 12) + shape
    if isinstance(value, (list, tuple)):
        return show_list(value, 12)
    if isinstance(value, bytes) and len(value) > 1000:
        return f"{len(value)} bytes"
    if isinstance(value, bytes):
        value = value.decode("utf-8", errors="replace")
    if isinstance(value, str):
        return f'"{one_line(value, most)}"'
    return show_number(value)


def show_all(values: list) -> str:
    """Several values, not too many."""
    return ", ".join(map(show, values[:8])) + (f", ... {len(values)} in all" if len(values) > 8 else "")


def show_list(values: list, most: int) -> str:
    """{1, 2, 3, ... 40 in all}"""
    few = [show(value, 30) for value in values[:most]]
    return "{" + ", ".join(few) + (f", ... {len(values)} in all" if len(values) > most else "") + "}"


def difference(got: Any, expected: Any, within: float, relative: float) -> tuple[str, str, str] | None:
    """(where, expected, got) of the first place where they differ; None if they do not."""
    if isinstance(expected, (list, tuple)) and not expected and isinstance(got, list) and not got:
        return None                             # no texts at all; no numbers at all would be an array
    if isinstance(expected, (list, tuple)) and not any(isinstance(word, (str, bytes)) for word in expected):
        expected = Array((len(expected),), list(expected), "I" if all(isinstance(n, int) for n in expected) else "D")
    if isinstance(expected, Array):
        if not isinstance(got, Array):
            return "", show(expected), show(got)
        if got.shape != expected.shape:
            shown = [" x ".join(map(str, array.shape)) or "no axes" for array in (expected, got)]
            return "the shape", shown[0], shown[1]
        for flat, (mine, theirs) in enumerate(zip(expected.numbers, got.numbers)):
            if not close(theirs, mine, within, relative):
                return place(flat, expected.shape), *apart(mine, theirs)
        return None
    if isinstance(expected, (bool, int, float)):
        if not isinstance(got, (int, float)):
            return "", show(expected), show(got)
        return None if close(got, expected, within, relative) else ("", *apart(expected, got))
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


def apart(expected: float, got: float) -> tuple[str, str]:
    """Two numbers that differ, with enough digits to see the difference."""
    short = show_number(expected), show_number(got)
    return short if short[0] != short[1] else (repr(expected), repr(got))


def place(flat: int, shape: tuple[int, ...]) -> str:
    """The position in an array, counted from 0."""
    if len(shape) == 2:
        return f"row {flat // shape[1]}, column {flat % shape[1]}"
    if len(shape) == 1:
        return f"element {flat}"
    if not shape:
        return ""
    at = []
    for size in reversed(shape):
        at.append(flat % size)
        flat //= size
    return f"element ({', '.join(map(str, reversed(at)))})"
