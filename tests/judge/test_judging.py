"""How answers are compared, shown and told, without a program."""
import math
import random
import unittest
from types import SimpleNamespace
from unittest import mock

import support  # noqa: F401
from recto.judge import frames, judging
from recto.judge.frames import Array, encode, floats, integers, matrix
from recto.judge.judging import (CRASHED, EARLY, GARBLED, LATE, MEMORY, OWN, REAL, TEXT, TEXTS, UNCOMPILED, WHOLE, WRONG,
                                 Message, Misconception, Student, Wrong, array_of, close, crash, difference, recognise,
                                 sanitizer, show, wholes)
from recto.judge.sandbox import End

NAN, INF = math.nan, math.inf


def differ(got, expected, within: float = 0, relative: float = 0):
    """(where, expected, got), or None."""
    return difference(got, expected, within, relative)


class Close(unittest.TestCase):
    """Answers within the absolute or relative tolerance are accepted."""

    def test_tolerances(self):
        self.assertTrue(close(1.5, 1, 0.5))
        self.assertFalse(close(1.5000001, 1, 0.5))
        self.assertTrue(close(110, 100, 0, 0.1))
        self.assertFalse(close(-100, 100, 0, 0.1))
        self.assertFalse(close(1e-9, 0, 0, 0.1))

    def test_no_number_is_near_no_number_alone(self):
        self.assertFalse(close(NAN, 1, 1e300))
        self.assertFalse(close(1, NAN, 1e300))
        self.assertTrue(close(NAN, NAN, 0))

    def test_infinity_is_near_itself_alone(self):
        self.assertTrue(close(INF, INF, 0))
        for other in (-INF, 1e308, NAN):
            self.assertFalse(close(other, INF, 1e300, 1e300))
            self.assertFalse(close(INF, other, 1e300, 1e-3))


class Difference(unittest.TestCase):
    """The first place where an answer differs."""

    def test_equal(self):
        for value in (1, 0.5, True, "a", "", ["a", "b"], [], matrix([[1.0, 2.0]]), integers([1]), matrix([])):
            self.assertIsNone(differ(value, value))
        self.assertIsNone(differ(integers([1, 2]), [1, 2]))
        self.assertIsNone(differ(floats([1, 2]), [1.0, 2.0]))
        self.assertIsNone(differ(Array((0,), []), []))
        self.assertIsNone(differ(1, True))
        self.assertIsNone(differ(matrix([[NAN, INF]]), matrix([[NAN, INF]])))

    def test_the_first_place(self):
        self.assertEqual(differ(matrix([[1, 2], [9, 9]]), matrix([[1, 2], [3, 4]])), ("row 1, column 0", "3", "9"))
        self.assertEqual(differ(integers([1, 5]), [1, 2]), ("element 1", "2", "5"))
        three = Array((2, 2, 2), [0.0] * 8)
        self.assertEqual(differ(Array((2, 2, 2), [0.0] * 6 + [1.0, 0.0]), three), ("element (1, 1, 0)", "0", "1"))
        self.assertEqual(differ(Array((), [1.0]), Array((), [2.0])), ("", "2", "1"))

    def test_a_nan_differs(self):
        self.assertEqual(differ(matrix([[NAN]]), matrix([[1.0]]), 1e300), ("row 0, column 0", "1", "nan"))
        self.assertEqual(differ(NAN, 0.0, 1e300), ("", "0", "nan"))

    def test_shapes(self):
        self.assertEqual(differ(matrix([[1, 2]]), matrix([[1], [2]])), ("the shape", "2 x 1", "1 x 2"))
        self.assertEqual(differ(integers([1, 2, 3]), [1, 2]), ("the shape", "2", "3"))

    def test_kinds(self):
        self.assertEqual(differ("a", 1.0), ("", "1", '"a"'))
        self.assertEqual(differ(1.0, "a"), ("", '"a"', "1"))
        self.assertEqual(differ(1.0, [1.0]), ("", "{1}", "1"))
        self.assertEqual(differ([1, 2], matrix([[1.0]])), ("", "{1} of shape 1 x 1", "{1, 2}"))

    def test_texts(self):
        self.assertEqual(differ(["a", "c"], ["a", "b"]), ("number 1, counted from 0", '"b"', '"c"'))
        self.assertEqual(differ(["a"], ["a", "b"]), ("how many", "2", "1"))
        self.assertEqual(differ(3, ["a"]), ("how many", "1", "0"))
        self.assertIsNone(differ([], []))

    def test_two_numbers_that_look_the_same_are_shown_in_full(self):
        where, expected, got = differ(1 / 3 + 1e-13, 1 / 3, 1e-15)
        self.assertNotEqual(expected, got)
        self.assertIn("0.33333333333", expected)
        _, expected, got = differ(matrix([[3 + 1e-12]]), matrix([[3]]), 1e-15)
        self.assertEqual((expected, got), ("3", repr(3 + 1e-12)))


class Show(unittest.TestCase):
    """Values as a student reads them."""

    def test_values(self):
        for value, text in ((1, "1"), (0.1, "0.1"), (1e300, "1e+300"), (True, "True"), (NAN, "nan"), (-INF, "-inf"),
                            ("a", '"a"'), (b"a", '"a"'), ([1, 2.5], "{1, 2.5}"), (("a", 1), '{"a", 1}'), ([], "{}"),
                            (matrix([[1, 2], [3, 4]]), "{{1, 2}, {3, 4}}"), (matrix([[1, 2]]), "{1, 2} of shape 1 x 2"),
                            (integers([1]), "{1}"), (Array((), [5.0]), "5"), (matrix([]), "{} of shape 0 x 0"),
                            (Array((1, 2, 1), [1, 2]), "{1, 2} of shape 1 x 2 x 1")):
            self.assertEqual(show(value), text)

    def test_long_values_are_cut(self):
        self.assertEqual(show(integers(list(range(40)))), "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ... 40 in all}")
        self.assertEqual(show("x" * 100), f'"{"x" * 60}..."')
        self.assertLess(len(show(matrix([[0.123456789] * 500] * 500))), 800)
        self.assertIn("500 rows in all", show(matrix([[1] * 500] * 500)))
        self.assertLess(len(show(["x" * 1000] * 1000)), 800)

    def test_a_matrix_of_many_rows_and_no_columns(self):
        self.assertIn(f"{frames.MOST} rows in all", show(Array((frames.MOST, 0), [])))

    def test_what_would_harm_a_terminal(self):
        self.assertEqual(show("\x1b[31m\a\n\u202e"), '"\\x1b[31m\\x07\\n\\u202e"')
        self.assertEqual(show("\udcff"), '"\\udcff"')


class Program:
    """A process that answers as it is told: with values, with an end, or with bytes."""

    def __init__(self, answers: list, end: End = End("exit", 0), output: bytes = b""):
        self.answers, self.ending, self.output = list(answers), end, bytearray(output)
        self.limits, self.report = SimpleNamespace(memory=512, processes=32), b""
        self.frames = []

    def ask(self, frame, seconds, watch=None):
        self.frames.append(frame)
        if not self.answers:
            return None
        said = self.answers.pop(0)
        return said if isinstance(said, bytes) else frame[4:12] + bytes([frames.ANSWERED]) + b"".join(map(encode, said))

    def end(self, seconds):
        return self.ending

    def printed(self) -> str:
        return self.output.decode()


def student(*answers, misconceptions=(), stop_at: int = 0, **program) -> Student:
    """A student whose program gives these answers."""
    return Student(Program(list(answers), **program), 1, list(misconceptions), 10, stop_at, sanitized=True)


class Asking(unittest.TestCase):
    """Questions, and what becomes of them."""

    def message(self, call, outcome: str) -> Message:
        """The message of a call that must go wrong in this way."""
        with self.assertRaises(Wrong) as caught:
            call()
        self.assertEqual(caught.exception.outcome, outcome)
        return caught.exception.message

    def test_a_right_answer(self):
        self.assertEqual(student([2.0]).expect("f", 1, gives=2.0), 2.0)
        self.assertEqual(student([2.0, "a"]).expect("f", 1, gives=(2.0, "a")), [2.0, "a"])

    def test_a_wrong_answer_says_everything(self):
        message = self.message(lambda: student([matrix([[1, 5]])]).expect("f", 7, gives=matrix([[1, 2]]), about="the sum"), WRONG)
        self.assertEqual((message.about, message.where, message.expected, message.got, message.call, message.case),
                         ("the sum", "row 0, column 1", "2", "5", "f(7)", 1))

    def test_one_of_several_values(self):
        message = self.message(lambda: student([1.0, 5.0]).expect("f", gives=(1.0, 2.0)), WRONG)
        self.assertEqual((message.where, message.expected, message.got), ("value 2 of 2", "2", "5"))
        self.message(lambda: student([1.0]).expect("f", gives=(1.0, 2.0)), GARBLED)
        self.message(lambda: student([1.0, 2.0, 3.0]).expect("f", gives=(1.0, 2.0)), GARBLED)

    def test_a_misconception_that_gives_the_same(self):
        wrong = Misconception("halves", "f", lambda x: x / 2, "divide less")
        message = self.message(lambda: student([2.0], misconceptions=[wrong]).expect("f", 4.0, gives=8.0), WRONG)
        self.assertEqual((message.misconception, message.says), ("halves", "divide less"))
        for answer, argument, gives in (([3.0], 4.0, 8.0), ([NAN], 4.0, 8.0)):
            message = self.message(lambda: student(answer, misconceptions=[wrong]).expect("f", argument, gives=gives), WRONG)
            self.assertEqual(message.misconception, "")

    def test_a_misconception_explains_the_right_answers_too(self):
        """Both give 4 for 4; only the second gives the right answer for 0 that came before."""
        wrong = [Misconception("always-four", "f", lambda x: 4.0), Misconception("the-same", "f", lambda x: x)]
        for before, name in (([0.0], "the-same"), ([], "always-four")):
            asked = student(*[[answer] for answer in (*before, 4.0)], misconceptions=wrong)
            for number in before:
                asked.expect("f", number, gives=2 * number)
            self.assertEqual(self.message(lambda: asked.expect("f", 4.0, gives=8.0), WRONG).misconception, name)

    def test_a_misconception_that_cannot_be_the_cause(self):
        small = Misconception("small", "f", outcome=CRASHED, when=lambda x: x < 3, says="yes")
        for number, name in ((2, "small"), (5, "")):
            message = self.message(lambda: student(end=End("signal", 8)).ask("f", number, gives=REAL), CRASHED)
            recognise(CRASHED, message, [small], (number,))
            self.assertEqual(message.misconception, name)

    def test_a_misconception_that_cannot_answer_is_passed_over(self):
        failing = Misconception("fails", "f", lambda x: 1 // 0, "never")
        second = Misconception("second", "f", lambda x: x, "it is this")
        message = self.message(lambda: student([4.0], misconceptions=[failing, second]).expect("f", 4.0, gives=8.0), WRONG)
        self.assertEqual(message.misconception, "second")

    def test_a_misconception_by_its_outcome(self):
        guesses = [Misconception("elsewhere", "g", says="no", outcome=CRASHED), Misconception("other", says="no", outcome=LATE),
                   Misconception("unlike", says="no", outcome=CRASHED, matches="bus"),
                   Misconception("this", "f", says="yes", outcome=CRASHED, matches="division"),
                   Misconception("later", says="no", outcome=CRASHED)]
        message = self.message(lambda: student(end=End("signal", 8)).ask("f", 1, gives=REAL), CRASHED)
        recognise(CRASHED, message, guesses)
        self.assertEqual((message.misconception, message.says), ("this", "yes"))
        message = Message("x", misconception="named")
        recognise(UNCOMPILED, message, [Misconception("other", outcome=UNCOMPILED)])
        self.assertEqual(message.misconception, "named")

    def test_ends(self):
        for end, output, outcome, words in (
                (End("time"), b"", LATE, "no answer within"), (End("processes"), b"", CRASHED, "processes or threads"),
                (End("memory"), b"", MEMORY, "512 MiB"), (End("signal", 11), b"", CRASHED, "memory that is not its own"),
                (End("signal", 64), b"", CRASHED, "signal 64"), (End("exit", 3), b"", EARLY, "status 3"),
                (End("exit", 77), b"runtime error: signed integer overflow", CRASHED, "undefined: signed"),
                (End("lost"), b"", OWN, "lost")):
            message = self.message(lambda: student(end=end, output=output).ask("f", gives=REAL), outcome)
            self.assertIn(words, message.about)

    def test_garbled(self):
        self.assertIn("an invalid answer: an answer ends", self.message(lambda: student(b"abc").ask("f", gives=REAL), GARBLED).about)
        other = (5).to_bytes(8, "little") + b"\0" + encode(1)
        self.assertIn("to question 5 where one to question 1", self.message(lambda: student(other).ask("f", gives=REAL), GARBLED).about)

    def test_answers_of_another_kind(self):
        """A judge.py sees none of them."""
        for gives, values, why in (
                (REAL, [], "0 values where 1 were due"), (REAL, [1.0, 2.0], "2 values where 1 were due"), ((REAL,), ["a"], "value 1"),
                (REAL, ["a"], "not a number"), (WHOLE, [1.0], "not a whole number"), (TEXT, [1], "not a text"),
                (TEXTS, ["a"], "not a list of texts"), (TEXTS, [integers([])], "not a list of texts"),
                ((REAL, TEXTS), [1.0, 2.0], "value 2"), (array_of(None), [matrix([[1.0]])], "not an array of numbers of 1 axes"),
                (array_of(None), [integers([1])], "not an array of numbers"), (wholes(1), [[1.0]], "not an array of whole numbers")):
            with self.subTest(why):
                self.assertIn(why, self.message(lambda: student(values).ask("f", gives=gives), GARBLED).about)
        for expected, values in ((2.0, ["a"]), ([1.0], [2.0]), ([], []), ((1.0, 2.0), []), (["a"], ["a", "b"]), ("a", [["a"]])):
            with self.subTest(expected):
                self.message(lambda: student(values).expect("f", gives=expected), GARBLED)

    def test_answers_of_another_shape(self):
        message = self.message(lambda: student([1.0, matrix([[1.0], [2.0]])]).ask("f", gives=(REAL, array_of(None, 2))), WRONG)
        self.assertEqual((message.where, message.expected, message.got), ("the shape of value 2", "any x 2", "2 x 1"))
        self.assertEqual(student([matrix([[1.0, 2.0]])]).ask("f", gives=array_of(None, 2)).shape, (1, 2))

    def test_one_answer_is_a_value_and_several_are_a_list(self):
        self.assertEqual(student([["a", "b"]]).ask("f", gives=TEXTS), ["a", "b"])
        self.assertEqual(student(["a"]).ask("f", gives=(TEXT,)), ["a"])

    def test_exceptions(self):
        def threw(text):
            return (1).to_bytes(8, "little") + bytes([frames.THREW]) + encode(text)
        message = self.message(lambda: student(threw("not written yet: f")).ask("f", 1, gives=REAL), WRONG)
        self.assertEqual((message.about, message.misconception), ("f is still to be written", "unwritten"))
        message = self.message(lambda: student(threw("vector::at\x1b[2J")).ask("f", 1, gives=REAL), WRONG)
        self.assertEqual(message.about, "f threw an exception: vector::at\\x1b[2J")

    def test_check_speaks_of_the_last_call(self):
        """Also after more calls than are kept to be asked again, and after one that is not asked again."""
        asked = student(*[[1.0]] * 60)
        for number in range(50):
            asked.ask("f", number, gives=REAL)
        message = self.message(lambda: asked.check(False, "it grows", suspect=""), WRONG)
        self.assertEqual((message.call, message.case), ("f(49)", 50))
        asked.ask("g", gives=REAL, again=False)
        self.assertEqual(self.message(lambda: asked.check(False, "it grows"), WRONG).call, "g()")
        self.assertRaises(KeyError, asked.check, False, "it grows", suspect="nobody")
        asked.check(True, "it grows", suspect="nobody")

    def test_once_more(self):
        steady = student([1.0], [2.0], [2.0], [1.0])
        steady.ask("f", 1, gives=REAL)
        steady.ask("f", 2, gives=REAL)
        steady.once_more()
        self.assertEqual(steady.case, 4)
        unsteady = student([1.0], [1.5])
        unsteady.ask("f", 1, gives=REAL)
        message = self.message(unsteady.once_more, WRONG)
        self.assertEqual((message.expected, message.got, message.misconception, message.case), ("1", "1.5", "unsteady", 2))

    def test_the_second_answer_may_differ_within_the_tolerance(self):
        """By twice the tolerance, for two right answers may lie on either side of the expected number."""
        for second in (1 + 0.9e-9, 1 - 1.0e-9):
            asked = student([1 + 0.9e-9, "a"], [second, "a"])
            asked.expect("f", 1, gives=(1.0, "a"), within=1e-9)
            asked.once_more()
        for first, second in ((1 + 0.9e-9, 1 - 1.2e-9), (1.0, math.nan)):
            asked = student([first], [second])
            asked.expect("f", 1, gives=1.0, within=1e-9)
            self.assertEqual(self.message(asked.once_more, WRONG).misconception, "unsteady")
        relative = student([matrix([[1e9]])], [matrix([[1e9 + 1]])])
        relative.compare(relative.ask("f", gives=array_of(None, None)), matrix([[1e9]]), relative=1e-9)
        relative.once_more()

    def test_the_tolerance_of_the_judges_own_comparison(self):
        own = student([1.0], [1 + 1e-10])
        own.ask("f", gives=REAL, within=1e-9)
        own.once_more()

    def test_each_case_has_its_own_tolerance(self):
        """What is asked without a tolerance stays exact, and the message shows digits that differ."""
        asked = student([1.0], [matrix([[1.0, 2.0]]), 5], [matrix([[1.0, 2 + 1e-15]]), 5])
        asked.expect("f", 1, gives=1.0, within=1e-3)
        asked.ask("f", 2, gives=(array_of(None, None), WHOLE))
        message = self.message(asked.once_more, WRONG)
        self.assertEqual((message.where, message.expected, message.got),
                         ("value 1 of 2, row 0, column 1", "2.0", repr(2 + 1e-15)))
        for first, second in (([0.0], [-0.0]), ([1], [1.0]), (["a"], ["b"]), ([1.0], [1.0, 2.0])):
            asked = student(first, second)
            asked.ask("f", gives=TEXT if first == ["a"] else REAL)
            self.assertEqual(self.message(asked.once_more, WRONG).misconception, "unsteady")

    def test_an_answer_whose_order_of_addition_varies(self):
        """As with a set of pointers, or with threads: the last digits differ from one asking to the next."""
        for seed in range(50):
            draw = random.Random(seed)
            terms = [draw.gauss(0, 1) for _ in range(30)]
            sums = [sum(draw.sample(terms, 30)) for _ in range(2)]
            steady, unsteady = student([sums[0]], [sums[1]]), student([sums[0]], [sums[1] + 1e-6])
            for asked in (steady, unsteady):
                asked.expect("f", floats(terms), gives=math.fsum(terms), within=1e-12)
            steady.once_more()
            self.message(unsteady.once_more, WRONG)

    def test_what_is_not_to_be_asked_again_is_not(self):
        asked = student([1.0])
        asked.ask("f", gives=REAL, again=False)
        asked.once_more()
        self.assertEqual(len(asked.process.frames), 1)

    def test_a_replay_ends_with_its_case(self):
        for case, answers in ((2, [[1.0], [2.0]]), (3, [[1.0], [2.0], [2.0]])):
            replayed = student(*answers, stop_at=case)
            with self.assertRaises(judging.Replayed) as caught:
                replayed.ask("f", 1, gives=REAL)
                replayed.ask("f", 2, gives=REAL)
                replayed.once_more()
            self.assertEqual((caught.exception.call, caught.exception.values), ("f(2)", [2.0]))


class Smallest(unittest.TestCase):
    """Of several wrong cases the smallest is told, if it shows the same mistake."""

    def told(self, sizes: list[int], wrong: dict[int, float], stop_at: int = 0) -> Message:
        """What is told when lists of these sizes are summed up, some of them with such an error, by their case."""
        one_more = Misconception("adds-one", "sum", lambda x: sum(x) + (len(x) > 3), "one too many")
        asked = student(*([size + wrong.get(case, 0.0)] for case, size in enumerate(sizes, 1)), misconceptions=[one_more],
                        stop_at=stop_at)

        def part(student):
            for size in sizes:
                student.expect("sum", [1.0] * size, gives=float(size))
        with self.assertRaises((Wrong, judging.Replayed)) as caught:
            judging.judged(part, asked)
        if isinstance(caught.exception, Wrong):
            self.assertEqual(caught.exception.outcome, WRONG)
            return caught.exception.message
        return Message(caught.exception.call, case=-1)

    def test_a_smaller_case_that_comes_later(self):
        message = self.told([3, 50, 2, 9, 30], {2: 1, 4: 1, 5: 1})
        self.assertEqual((message.case, message.got, message.misconception), (4, "10", "adds-one"))

    def test_only_if_it_is_the_same_mistake(self):
        message = self.told([3, 50, 2, 9, 30], {2: 1, 4: 5, 5: 1})
        self.assertEqual((message.case, message.misconception), (5, "adds-one"))

    def test_the_first_of_several_that_are_as_small(self):
        self.assertEqual(self.told([9, 9, 9], {2: 1, 3: 1}).case, 2)

    def test_what_goes_wrong_later_does_not_hide_it(self):
        """The program ends after its third answer."""
        asked = student([5.0], [7.0], [2.0])

        def part(student):
            for size in (5, 3, 2, 1):
                student.expect("sum", [1.0] * size, gives=float(size))
        with self.assertRaises(Wrong) as caught:
            judging.judged(part, asked)
        self.assertEqual((caught.exception.outcome, caught.exception.message.case), (WRONG, 2))

    def test_a_replay_comes_to_the_case_that_was_told(self):
        message = self.told([3, 50, 2, 9, 30], {2: 1, 4: 1}, stop_at=4)
        self.assertEqual((message.case, message.got), (4, "10"))
        self.assertEqual(self.told([3, 50, 2, 9, 30], {2: 1, 4: 1}, stop_at=3).case, -1)

    def test_it_is_looked_for_only_a_little_while(self):
        with mock.patch.object(judging, "LOOK", -1):
            self.assertEqual(self.told([50, 9], {1: 1, 2: 1}).case, 1)

    def test_where_one_wrong_case_ends_the_part_nothing_else_is_asked(self):
        asked = student([7.0], [5.0])
        with self.assertRaises(Wrong):
            asked.expect("sum", [1.0] * 5, gives=5.0)


class Sentences(unittest.TestCase):
    """What is made of crashes."""

    def test_signals(self):
        self.assertEqual(crash(8, ""), "the program crashed: a division by zero")
        self.assertIn("index outside a std::vector", crash(6, "Assertion '__n < this->size()' failed."))
        self.assertIn("gave up (abort): bad input", crash(6, "terminate called\n  what():  bad input"))
        self.assertIn("n > 0", crash(6, "x.cpp:3: int f(int): Assertion `n > 0' failed."))

    def test_sanitizers(self):
        said = "ERROR: AddressSanitizer: heap-buffer-overflow on address\n #0 f /student/softmax.cpp:12\n"
        self.assertEqual(sanitizer(said), "the program crashed: an index outside memory that was allocated, in softmax.cpp line 12")
        self.assertEqual(sanitizer("/student/a.cpp:3:5: runtime error: division by zero"),
                         "what the language leaves undefined: division by zero, in a.cpp line 3")
        self.assertEqual(sanitizer(""), "the program crashed: a sanitizer stopped it")
        self.assertIn("brand-new", sanitizer("AddressSanitizer: brand-new on"))


class Watching(unittest.TestCase):
    """How far a training has come."""

    def test_lines(self):
        from recto.judge.catalogue import Part
        from recto.judge.grading import progress_line
        part = Part("training", "it learns", training=True)
        self.assertEqual(progress_line(part, "0.25 2.5", 10), "training: 25 %, loss 2.5, 30 s left")
        self.assertEqual(progress_line(part, "0 2.5", 10), "training: 0 %, loss 2.5")
        for noise in ("", "1", "a b", "1 2 3", "\x1b[2J 1"):
            self.assertEqual(progress_line(part, noise, 10), "")
        for numbers in ("nan nan", "inf -inf", "1e-300 1"):
            self.assertTrue(progress_line(part, numbers, 10).isprintable())


if __name__ == "__main__":
    unittest.main()
