"""The messages between the judge and a student's program: values as bytes, in frames that begin with their length.

A question is `length, number, name, values`; an answer `length, number, status, values` (exercises/kit/driver.cpp is
the other side). Little-endian throughout. A frame from a program is a stranger's: everything is checked.
"""
import dataclasses
import math
import struct
from array import array
from typing import Any

LARGEST = 64 << 20      # bytes of a frame
MOST = 1 << 20          # values of an answer, and texts of a list
ANSWERED, THREW = 0, 1
CODES = {"D": ("d", 8), "F": ("f", 4), "I": ("q", 8)}   # arrays: double, float, 64-bit integers


class Garbled(Exception):
    """Bytes that are not a valid frame; the text says what is wrong with them."""


@dataclasses.dataclass(frozen=True)
class Array:
    """Numbers with a shape; `kind` is D (double), F (float) or I (integers). Index with a tuple: a[1, 2]."""
    shape: tuple[int, ...]
    numbers: list
    kind: str = "D"

    def __post_init__(self):
        if math.prod(self.shape) != len(self.numbers):
            raise ValueError(f"array: {len(self.numbers)} numbers do not fill the shape {self.shape}")

    def __getitem__(self, place):
        flat = 0
        for size, at in zip(self.shape, place if isinstance(place, tuple) else (place,), strict=True):
            flat = flat * size + at
        return self.numbers[flat]

    def rows(self) -> list[list]:
        """The rows of a matrix."""
        width = self.shape[1]
        return [self.numbers[i * width:(i + 1) * width] for i in range(self.shape[0])]


def matrix(rows: list[list[float]], kind: str = "D") -> Array:
    """A matrix from its rows, all of one length."""
    return Array((len(rows), len(rows[0]) if rows else 0), [number for row in rows for number in row], kind)


def floats(values: list[float], shape: tuple[int, ...] | None = None) -> Array:
    """Single-precision numbers, rounded to it."""
    return Array((len(values),) if shape is None else shape, array("f", values).tolist(), "F")


def integers(values: list[int]) -> Array:
    """A list of integers, which may be empty."""
    return Array((len(values),), list(values), "I")


def encode(value: Any) -> bytes:
    """The bytes of one value: bool, int, float, str, bytes, Array, or a list of numbers or of texts."""
    if isinstance(value, (bool, int)):
        return b"i" + struct.pack("<q", value)
    if isinstance(value, float):
        return b"d" + struct.pack("<d", value)
    if isinstance(value, (str, bytes)):
        text = value.encode("utf-8", errors="surrogateescape") if isinstance(value, str) else value
        return b"s" + struct.pack("<I", len(text)) + text
    if isinstance(value, Array):
        code, _ = CODES[value.kind]
        shape = struct.pack(f"<I{len(value.shape)}I", len(value.shape), *value.shape)
        return value.kind.encode() + shape + array(code, value.numbers).tobytes()
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(word, (str, bytes)) for word in value):
            return b"L" + struct.pack("<I", len(value)) + b"".join(encode(word)[1:] for word in value)
        whole = value and all(isinstance(number, int) for number in value)
        return encode(Array((len(value),), list(value), "I" if whole else "D"))
    raise TypeError(f"frames: no way to send a {type(value).__name__}")


def question(number: int, name: str, values: tuple) -> bytes:
    """One call of a student's function, as a frame."""
    body = struct.pack("<Q", number) + encode(name)[1:] + struct.pack("<I", len(values)) + b"".join(map(encode, values))
    return struct.pack("<I", len(body)) + body


class Reader:
    """Takes values from bytes, and complains where they end too early."""

    def __init__(self, data: bytes):
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        """Reads the next `count` bytes; Garbled if fewer are left."""
        if count > len(self.data) - self.at:
            raise Garbled(f"an answer ends at byte {len(self.data)} where {count} more were due")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, code: str) -> Any:
        """The next number, in the notation of `struct`."""
        return struct.unpack("<" + code, self.take(struct.calcsize("<" + code)))[0]

    def text(self) -> str:
        """The next text; bytes that are no UTF-8 stay visible as escapes."""
        return self.take(self.number("I")).decode("utf-8", errors="surrogateescape")

    def value(self) -> Any:
        """Reads the next value of any type; a letter in front of it names the type."""
        kind = chr(self.number("B"))
        if kind in "id":
            return self.number("q" if kind == "i" else "d")
        if kind == "s":
            return self.text()
        if kind == "L":
            count = self.number("I")
            if count > MOST:
                raise Garbled(f"an answer has a list of {count} texts, {MOST} are the most")
            return [self.text() for _ in range(count)]
        if kind not in CODES:
            raise Garbled(f"an answer has a value of the kind {kind!r}, which does not exist")
        rank = self.number("I")
        if rank > 8:
            raise Garbled(f"an answer has an array of {rank} axes, 8 are the most")
        shape = tuple(self.number("I") for _ in range(rank))
        code, size = CODES[kind]
        if 0 in shape and max(shape) > MOST:
            raise Garbled(f"an answer has an array of {' x '.join(map(str, shape))} numbers")
        numbers = array(code)
        numbers.frombytes(self.take(math.prod(shape) * size))
        return Array(shape, numbers.tolist(), kind)


def answer(frame: bytes) -> tuple[int, int, list]:
    """(number of the question, status, values) of an answer's frame, without its length."""
    reader = Reader(frame)
    number, status = reader.number("Q"), reader.number("B")
    if status not in (ANSWERED, THREW):
        raise Garbled(f"an answer has the status {status}, which does not exist")
    values = []
    while reader.at < len(frame):
        values.append(reader.value())
        if len(values) > MOST:
            raise Garbled(f"an answer has more than {MOST} values")
    return number, status, values
