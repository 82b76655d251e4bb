"""What a student is told of an answer that goes wrong, with the real compiler and sandbox."""
import dataclasses
import shutil
import unittest
from unittest import mock

import made
from recto.judge import grading
from recto.judge.grading import NOT_RUN, Report
from recto.judge.judging import LATE, PASSED, WRONG
from recto.judge.reading import Source

START = '#include "double_it.hpp"\n#include <unistd.h>\n\n'


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class Messages(unittest.TestCase):
    """Reports on files for an exercise of three parts: whole, broken, far."""

    def setUp(self):
        self.enterContext(made.exercises("double_it"))
        (self.exercise,) = made.catalogue.chosen("double_it")
        quick = {variant: dataclasses.replace(limits, cpu=min(limits.cpu, 1)) for variant, limits in grading.QUICK.items()}
        self.enterContext(mock.patch.object(grading, "QUICK", quick))

    def report(self, text: str, sanitize: bool = False) -> Report:
        """What is said of this file."""
        return grading.grade_source(self.exercise, Source("double_it.cpp", text.encode()), 1, False, sanitize, lambda line: None)


class Late(Messages):
    """Programs that do not come to an end."""

    def test_an_endless_loop(self):
        """Two functions deep, in the second part: its line, the limit, and no third part."""
        text = (START + "static long spin(long x) {\n    for (volatile long at = x;;)\n        at = at + 1;\n    return x;\n}\n\n"
                "double double_it(double x) {\n    if (x != double(long(x)))\n        return double(spin(long(x)));\n    return x + x;\n}\n")
        whole, broken, far = self.report(text).results
        self.assertEqual((whole.outcome, broken.outcome, far.outcome, far.points), (PASSED, LATE, NOT_RUN, 0))
        self.assertRegex(broken.message.about, r"^no answer within the time of this part, 1 s of computing: the program was in "
                                               r"line [56] of double_it\.cpp$")
        self.assertEqual(far.message.about, "broken ran out of time; the later parts were not run")

    def test_a_sleeping_program(self):
        """The limit is the clock's, and the innermost line of the student's own is where it waits."""
        with mock.patch.dict(grading.QUICK_WALL, plain=1.5):
            whole, *others = self.report(START + "double double_it(double x) {\n    for (;;)\n        pause();\n    return x;\n}\n").results
        self.assertEqual(whole.message.about, "no answer within the time of this part, 1.5 s: the program was in line 6 of double_it.cpp")
        self.assertEqual([result.outcome for result in others], [NOT_RUN, NOT_RUN])

    def test_under_sanitizers_too(self):
        text = (START + "double double_it(double x) {\n#ifdef __SANITIZE_ADDRESS__\n    for (volatile unsigned at = 0;;)\n        at = at + 1;\n"
                "#endif\n    return x + x;\n}\n")
        whole, *others = self.report(text, sanitize=True).results
        self.assertRegex(whole.message.about, "1 s of computing: the program was in line [67] of double_it.cpp")
        self.assertEqual([result.outcome for result in others], [NOT_RUN, NOT_RUN])

    def test_a_place_that_is_forged(self):
        """It names a line of the student's own file or none, and never stops the judge."""
        loop = "    for (volatile unsigned at = 0;;)\n        at = at + 1;\n    return x;\n}\n"
        for forged in ("at ffffffff", "at 0 --help"):
            text = f'{START}#include <csignal>\n#include <cstdio>\n\ndouble double_it(double x) {{\n    std::signal(SIGXCPU, SIG_IGN);\n' \
                   f'    std::fprintf(stderr, "\\x1e" "{forged}\\n");\n{loop}'
            with self.subTest(forged):
                whole = self.report(text).results[0]
                self.assertEqual((whole.outcome, whole.message.about), (LATE, "no answer within the time of this part, 1 s of computing"))


class Warned(Messages):
    """Compiler warnings that explain what happened."""

    def test_a_missing_return(self):
        """It comes before the crash, however many other warnings there are; without one the crash stands alone."""
        others = "    int a, b, c;\n"
        text = (START + "static double twice(double x) {\n" + others + "    if (x > 1e308 || getpid() < 0)\n        return x;\n}\n\n"
                "double double_it(double x) { volatile double y = twice(x); return y / 0 * 0 + *(volatile int*)0; }\n")
        whole = self.report(text).results[0]
        lines = whole.message.about.splitlines()
        self.assertRegex(whole.message.about, "(?m)^double_it.cpp:8: warning: control reaches end of non-void function\n    }$")
        self.assertNotIn("unused variable", whole.message.about)
        self.assertRegex(lines[-1], "^the program crashed|^no answer within")
        crash = self.report(START + "double double_it(double x) { if (x == x) abort(); return x; }\n".replace("abort", "__builtin_abort"))
        self.assertEqual(crash.results[0].message.about.splitlines(), ["the program crashed: it gave up (abort)"])

    def test_a_wrong_answer_is_not_put_down_to_a_warning(self):
        text = START + "double double_it(double x) { int y; if (x > 1e307) return y; return x; }\n"
        self.assertNotIn("uninitialized", self.report(text).results[0].message.about)


class Undefined(Messages):
    """What the language leaves undefined, behind a wrong answer."""

    def test_a_shift_by_a_negative_number(self):
        """It is named with its line before the numbers; the outcome stays a wrong answer, and without sanitizers nothing is said."""
        text = START + "double double_it(double x) {\n    volatile int by = -1;\n    return x + (1 << by) + 1;\n}\n"
        whole = self.report(text, sanitize=True).results[0]
        self.assertEqual((whole.outcome, whole.points), (WRONG, 0))
        self.assertEqual(whole.message.about.splitlines(), ["what the language leaves undefined: shift exponent -1 is negative, in "
                                                            "double_it.cpp line 6", "the double"])
        self.assertTrue(whole.message.expected and whole.message.got)
        self.assertEqual(self.report(text).results[0].message.about, "the double")


if __name__ == "__main__":
    unittest.main()
