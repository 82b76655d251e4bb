"""What a student reads on the terminal."""
import contextlib
import io
import unittest
from pathlib import Path

import made
import support
from recto.judge import words
from recto.judge.grading import NOT_RUN
from recto.judge.judging import CRASHED, PASSED, UNCOMPILED, WRONG, Message
from recto.judge.marks import mark


class Words(unittest.TestCase):
    """The lines that the terminal shows for the parts of an exercise."""

    def test_one_line_a_part(self):
        report = made.report(PASSED, WRONG, CRASHED, NOT_RUN, stars=1)
        self.assertEqual([words.line_of(result) for result in report.results],
                         ["  ✓ part-0  1/1  the part 0", "  ✗ part-1  0/1  the part 1", "  ✗ part-2  0/1  the part 2: crashed",
                          "  – part-3 (*)  0/1  the part 3: not run"])

    def test_everything_about_a_wrong_answer(self):
        message = Message("the sum", "3", "4", "row 0", "f(1)", 2, "halves", "divide less", "one\n" * 20)
        lines = words.explain(made.report(WRONG, message=message).results[0], made.report(WRONG, message=message), " --file=a.cpp")
        self.assertEqual(lines[:4], ["the sum", "row 0: expected 3, got 4", "in f(1)", "Perhaps: divide less"])
        self.assertEqual(lines.count("    one"), 8)
        self.assertIn("again, just this: ./recto grade double_it --replay part-0:2:7 --file=a.cpp   (with --gdb: in the debugger)",
                      lines)

    def test_a_mistake_of_the_compilers_has_no_case(self):
        report = made.report(UNCOMPILED, message=Message("f.cpp:3: no\n    x"))
        self.assertEqual(words.explain(report.results[0], report), ["f.cpp:3: no", "    x"])

    def test_the_first_part_that_fails_is_explained(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            words.tell(made.report(PASSED, WRONG, WRONG))
            words.tell_mark("small", mark([made.report(PASSED, WRONG)]))
        self.assertEqual(out.getvalue().count("it is wrong"), 1)
        self.assertTrue(out.getvalue().endswith("small: 2.00 of 4   (4 x 1/2 = 2.00)\n"))

    def test_warnings_of_the_compiler(self):
        report, out = made.report(PASSED), io.StringIO()
        report.warnings = "f.cpp:3: warning: unused\n    int x;"
        with contextlib.redirect_stdout(out):
            words.tell(report)
        self.assertEqual(out.getvalue().splitlines()[2:], ["  the compiler warns; warnings cost nothing, but read them:",
                                                          "      f.cpp:3: warning: unused", "          int x;"])

    def test_names_of_files(self):
        for path, text in ((None, ""), (Path("/a/b.cpp"), " --file=/a/b.cpp"), (Path("a b.cpp"), " '--file=a b.cpp'"),
                           (Path("-x.cpp"), " --file=-x.cpp"), (support.ROOT / "work/a.cpp", " --file=work/a.cpp"),
                           (Path("$(rm).cpp"), " '--file=$(rm).cpp'"), (Path("\x1b[2J"), " '--file=\\x1b[2J'")):
            self.assertEqual(words.path_words(path), text)


if __name__ == "__main__":
    unittest.main()
