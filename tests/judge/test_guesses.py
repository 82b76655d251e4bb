"""Guesses at the cause of an unforeseen wrong answer: relations between numbers, and slips in the judge's own steps."""
import importlib.util
import struct
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

from recto.judge import relations, slips
from recto.judge.frames import Array, encode, floats, matrix
from recto.judge.judging import Student, Wrong, judged
from recto.judge.sandbox import Limits


def told(got, expected, *others):
    """What is said of one wrong answer of one value, beside others."""
    pairs = [((mine,), (theirs,)) for mine, theirs in ((got, expected), *others)]
    return relations.common(pairs[0], pairs)


def numbers(*values):
    return Array((len(values),), list(values))


class Relations(unittest.TestCase):
    """Each sentence once, and where it must not be said."""

    def test_of_numbers(self):
        right = numbers(0.5, 1.25, -3.0, 7.5)
        for change, words in ((lambda x: -x, "the negative of"), (lambda x: 2 * x, "twice"), (lambda x: 3 * x, "3 times"),
                              (lambda x: x / 5, "one 5th of"), (lambda x: x + 2, "2 too large"), (lambda x: x * x, "the square of"),
                              (lambda x: 1 / x, "one divided by"), (lambda x: x * (1 + 1e-8), "the first six digits"),
                              (lambda x: float(int(x)), "the decimals are missing"), (lambda x: 0.0, "every number is 0"),
                              (lambda x: 4.0, "every number is the same"), (lambda x: float("nan"), "NaN"),
                              (lambda x: float("inf"), "infinite")):
            with self.subTest(words):
                self.assertIn(words, told(numbers(*map(change, right.numbers)), right))

    def test_of_places(self):
        right = matrix([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.5]])
        flat = right.numbers
        for got, words in ((flat[::-1], "reverse"), ([1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.5], "rows and columns"),
                           (flat[1:] + flat[:1], "one place too early"), (flat[-1:] + flat[:-1], "one place too late"),
                           ([2.0, 1.0, *flat[2:]], "in another order"), ([*flat[:-1], 8.0], "only the last number"),
                           ([8.0, *flat[1:]], "only the first number"), ([*flat[:6], 1.0, 2.0, 2.0], "last row"),
                           ([9.0, 2.0, 3.0, 4.0, 9.0, 6.0, 7.0, 8.0, 9.0], "diagonal")):
            with self.subTest(words):
                self.assertIn(words, told(Array((3, 3), got), right))

    def test_one_number_says_nothing_alone(self):
        self.assertEqual(told(2.0, 4.0), "")
        self.assertIn("half of", told(2.0, 4.0, (3.0, 6.0)))
        self.assertIn("the root of", told(2.0, 4.0, (3.0, 9.0)))

    def test_an_answer_that_shows_something_else(self):
        """It is said of all wrong answers or of none."""
        one, other = numbers(2.0, 4.0, 6.0), numbers(1.0, 2.0, 3.0)
        self.assertIn("twice", told(one, other, (numbers(2.0, 4.0, 8.0), numbers(1.0, 2.0, 4.0))))
        self.assertEqual(told(one, other, (numbers(-1.0, -2.0, -4.0), numbers(1.0, 2.0, 4.0))), "")

    def test_what_has_no_relation(self):
        for got, expected in ((numbers(1.0, 5.0, 2.0), numbers(2.0, 3.0, 9.0)), ("a", "b"), (["a"], ["b"]), (numbers(), numbers()),
                              (numbers(1.0, 2.0), numbers(1.0, 2.0, 3.0)), (floats([1.0, 0.0]), floats([0.0, 1.0])),
                              (numbers(1.0), numbers(float("nan"))), (Array((1, 3), [1.0, 2.0, 3.0]), Array((3, 1), [3.0, 2.0, 1.0]))):
            self.assertEqual(told(got, expected), "")


class Program:
    """Answers every question with one function, as a student's program would."""

    def __init__(self, gives):
        self.gives, self.limits, self.report = gives, Limits(), b""

    def ask(self, frame, seconds, watch=None):
        number, = struct.unpack_from("<Q", frame, 4)
        at = 12 + 4 + struct.unpack_from("<I", frame, 12)[0] + 4
        rank, length = struct.unpack_from("<II", frame, at + 1)
        return struct.pack("<QB", number, 0) + encode(self.gives(list(struct.unpack_from(f"<{length}d", frame, at + 9))))


JUDGE = """
    from recto.judge.judging import part

    def deviation(values):
        mean = sum(values) / len(values)
        total = 0.0
        for value in values:
            total += (value - mean) ** 2
        return total / len(values)

    def tolerance(values):
        return 2 * max(values) / 1e9

    def drawn(student, count):
        return [student.random.uniform(0, 9) for _ in range(count)]

    @part("all")
    def judge(student):
        student.expect("f", [0.0, 2.0], gives=1.0, within=1e-9)
        for count in range(2, 7):
            values = drawn(student, count)
            student.expect("f", values, gives=deviation(values), within=tolerance(values))
"""


class Slips(unittest.TestCase):
    """A judge of one part, and programs that are wrong in one step."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = Path(folder) / "judge.py"
        path.write_text(textwrap.dedent(JUDGE))
        spec = importlib.util.spec_from_file_location("judge_of_guesses", path)
        self.module = sys.modules["judge_of_guesses"] = importlib.util.module_from_spec(spec)
        self.addCleanup(sys.modules.pop, "judge_of_guesses")
        spec.loader.exec_module(self.module)

    def slip(self, gives):
        student = Student(Program(gives), 5, [], 10)
        with self.assertRaises(Wrong):
            judged(self.module.judge, student)
        return slips.searched(self.module.judge, student, 5)

    def test_one_step_is_another(self):
        def mean(x):
            return sum(x) / len(x)
        for gives, words in ((lambda x: sum((v - mean(x)) ** 2 for v in x) / (len(x) - 1), "`total / len(values)` is replaced by `total / (len(values) - 1)`"),
                             (lambda x: sum((v - mean(x)) ** 2 for v in x), "`total / len(values)` is replaced by `total`"),
                             (lambda x: sum((v + mean(x)) ** 2 for v in x) / len(x), "`value - mean` is replaced by `value + mean`"),
                             (lambda x: (x[-1] - mean(x)) ** 2 / len(x), "`total += (value - mean) ** 2` is replaced by `total = (value - mean) ** 2`")):
            with self.subTest(words):
                self.assertEqual(self.slip(gives), words)

    def test_the_judge_stays_as_it_was(self):
        code = self.module.deviation.__code__
        self.slip(lambda x: 17.5)
        self.assertIs(self.module.deviation.__code__, code)

    def test_what_no_slip_explains(self):
        """A constant; numbers by chance, or within a tolerance that a change would widen; right but for one of the later answers."""
        self.assertEqual(self.slip(lambda x: 17.5), "")
        self.assertEqual(self.slip(lambda x: self.module.deviation(x) + 0.123 * len(x) ** 0.5), "")
        self.assertEqual(self.slip(lambda x: self.module.deviation(x) if len(x) < 6 else 3.25), "")

    def test_an_endless_change(self):
        """The search ends in time, and says nothing."""
        def slow(values):
            return sum(values)
        before, slips.SEARCH = slips.SEARCH, 0.2
        self.addCleanup(setattr, slips, "SEARCH", before)
        self.module.deviation.__code__ = slow.__code__.replace(co_filename=self.module.deviation.__code__.co_filename)
        self.assertEqual(self.slip(lambda x: 1.5), "")


if __name__ == "__main__":
    unittest.main()
