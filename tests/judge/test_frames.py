"""What the judge and a program say to each other: there and back, and whatever a stranger may send instead."""
import math
import random
import struct
import unittest
from unittest import mock

import support  # noqa: F401
from recto.judge import frames
from recto.judge.frames import Array, Garbled, answer, encode, floats, integers, matrix, question


def framed(*values: bytes, number: int = 1, status: int = 0) -> bytes:
    """An answer, without its length."""
    return struct.pack("<QB", number, status) + b"".join(values)


def back(value):
    """What comes out of a value that was sent."""
    return answer(framed(encode(value)))[2][0]


def array_of(kind: bytes, *shape: int, data: bytes = b"") -> bytes:
    """The bytes of an array, whatever its shape says."""
    return kind + struct.pack(f"<I{len(shape)}I", len(shape), *shape) + data


class ThereAndBack(unittest.TestCase):
    """What is sent arrives."""

    def test_numbers(self):
        for value in (0, 1, -1, 2**63 - 1, -2**63, 0.0, -0.0, 0.1, 1e308, 5e-324, math.inf, -math.inf):
            self.assertEqual(back(value), value)
            self.assertIs(type(back(value)), type(value))
        self.assertTrue(math.isnan(back(math.nan)))
        self.assertEqual(math.copysign(1, back(-0.0)), -1)
        self.assertEqual((back(True), back(False)), (1, 0))

    def test_texts(self):
        for text in ("", "a", "naïve ☃ \U0001f600", "two\nlines\0and a zero"):
            self.assertEqual(back(text), text)

    def test_bytes_that_are_no_text_survive_being_sent_back(self):
        self.assertEqual(back(b"\xff\xfe a"), "\udcff\udcfe a")
        self.assertEqual(encode(back(b"\xff\xfe a")), encode(b"\xff\xfe a"))

    def test_arrays(self):
        for value in (matrix([[1.5, 2], [3, 4], [5, -0.1]]), matrix([]), matrix([[], []]), integers([]), integers([1, -2]),
                      floats([0.5, 0.25], (1, 2)), Array((2, 1, 3), [float(n) for n in range(6)]), Array((), [1.0])):
            self.assertEqual(back(value), value)

    def test_single_precision_is_rounded_once(self):
        self.assertEqual(back(floats([0.1])).numbers, floats([0.1]).numbers)
        self.assertNotEqual(floats([0.1]).numbers, [0.1])

    def test_lists(self):
        self.assertEqual(back([1, 2]), integers([1, 2]))
        self.assertEqual(back([1, 2.5]), Array((2,), [1.0, 2.5]))
        self.assertEqual(back(["a", "", "bc"]), ["a", "", "bc"])
        self.assertEqual(back([]).numbers, [])

    def test_what_cannot_be_sent(self):
        for value in (None, {}, object()):
            self.assertRaises(TypeError, encode, value)
        self.assertRaises(ValueError, Array, (2, 2), [1.0])

    def test_several_values_and_the_number(self):
        got = answer(framed(encode(1), encode("a"), encode([0.5]), number=2**40, status=frames.THREW))
        self.assertEqual(got, (2**40, frames.THREW, [1, "a", Array((1,), [0.5])]))

    def test_a_question(self):
        frame = question(3, "f", (1, "a"))
        self.assertEqual(frame, struct.pack("<I", len(frame) - 4) + struct.pack("<Q", 3) + struct.pack("<I", 1) + b"f"
                         + struct.pack("<I", 2) + encode(1) + encode("a"))

    def test_places(self):
        x = matrix([[1, 2, 3], [4, 5, 6]])
        self.assertEqual(x[1, 2], 6)
        self.assertEqual(x.rows(), [[1, 2, 3], [4, 5, 6]])
        self.assertEqual(integers([7, 8])[1], 8)
        self.assertRaises(ValueError, lambda: x[1])


class Strangers(unittest.TestCase):
    """Bytes that are no answer are refused, in words, whatever they are."""

    def refused(self, frame: bytes, words: str) -> None:
        """Such a frame is garbled, and these words say why."""
        with self.assertRaisesRegex(Garbled, words):
            answer(frame)

    def test_too_short(self):
        whole = framed(encode(matrix([[1, 2], [3, 4]])), encode("text"), encode(["a", "b"]), encode(1), encode(0.5))
        ends = {len(framed())}
        for value in (encode(matrix([[1, 2], [3, 4]])), encode("text"), encode(["a", "b"]), encode(1), encode(0.5)):
            ends.add(max(ends) + len(value))
        for length in range(len(whole)):
            if length in ends:
                answer(whole[:length])
            else:
                self.refused(whole[:length], "ends at byte")

    def test_status(self):
        for status in (2, 255):
            self.refused(framed(status=status), f"the status {status}, which does not exist")

    def test_kind(self):
        for kind in set(range(256)) - set(b"idsLDFI"):
            self.refused(framed(bytes([kind]) + bytes(64)), "of the kind .*, which does not exist")

    def test_lengths_that_lie(self):
        most = 2**32 - 1
        self.refused(framed(b"s" + struct.pack("<I", most) + b"abc"), "where 4294967295 more were due")
        self.refused(framed(b"L" + struct.pack("<I", most)), "a list of 4294967295 texts")
        self.refused(framed(array_of(b"D", most, most)), "ends at byte")
        self.refused(framed(array_of(b"D", 2**20, 2**20, data=bytes(64))), "ends at byte")
        self.refused(framed(array_of(b"F", 3, data=bytes(11))), "ends at byte")

    def test_too_many_axes(self):
        answer(framed(array_of(b"D", *[1] * 8, data=bytes(8))))
        self.refused(framed(array_of(b"D", *[1] * 9, data=bytes(8))), "9 axes, 8 are the most")
        self.refused(framed(b"D" + struct.pack("<I", 2**32 - 1)), "4294967295 axes")

    def test_an_array_of_nothing_that_claims_to_be_large(self):
        """No bytes bound the number of rows: a loop over them would not end."""
        self.refused(framed(array_of(b"D", 2**32 - 1, 0)), "array of 4294967295 x 0 numbers")
        self.assertEqual(answer(framed(array_of(b"D", 3, 0)))[2][0].rows(), [[], [], []])

    def test_too_many_values(self):
        with mock.patch.object(frames, "MOST", 1000):
            self.refused(framed(*[encode(1)] * 1001), "more than 1000 values")
            self.assertEqual(len(answer(framed(*[encode(1)] * 1000))[2]), 1000)

    def test_nothing_and_noise(self):
        self.refused(b"", "ends at byte 0")
        chance = random.Random(1)
        whole = framed(encode(matrix([[1, 2], [3, 4]])), encode("text"), encode(["a", "b"]))
        for _ in range(3000):
            noise = bytearray(whole if chance.random() < 0.7 else chance.randbytes(chance.randrange(60)))
            for _ in range(chance.randrange(1, 4) if noise else 0):
                noise[chance.randrange(len(noise))] = chance.randrange(256)
            try:
                _, status, values = answer(bytes(noise))
                self.assertIn(status, (0, 1))
                self.assertIsInstance(values, list)
            except Garbled as why:
                self.assertTrue(str(why).startswith("an answer"))


if __name__ == "__main__":
    unittest.main()
