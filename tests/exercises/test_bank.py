#!/usr/bin/env python3
"""Wrong answers as patches: each applies exactly or is named, and is as short as the mistake that it makes."""
import difflib
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import prove
from recto.judge import bank, catalogue, mistakes
from recto.judge.judging import UNCOMPILED, WRONG
from recto.place import ROOT, Failure

REFERENCE = ["one", "two", "", "four", "five"]
PATCH = ["--- a", "+++ a", "@@ -1,3 +1,3 @@", " one", "-two", "+2", " ", "@@ -5 +5,2 @@", " five", "+six"]


def changed(answer: bank.WrongAnswer) -> int:
    """How many lines of the reference a wrong answer drops, and how many it adds."""
    reference, lines = answer.exercise.reference.read_text().splitlines(), answer.text().splitlines()
    steps = difflib.SequenceMatcher(None, reference, lines, autojunk=False).get_opcodes()
    return sum(end - start + last - first for kind, start, end, first, last in steps if kind != "equal")


class Applying(unittest.TestCase):
    """One diff on one reference."""

    def refused(self, diff: list[str], reference: list[str], words: str) -> None:
        """The patch must be refused in these words."""
        with self.assertRaises(ValueError) as caught:
            bank.patched(reference, diff)
        self.assertEqual(str(caught.exception), words)

    def test_what_a_patch_makes(self):
        self.assertEqual(bank.patched(REFERENCE, PATCH), ["one", "2", "", "four", "five", "six"])

    def test_an_empty_line_may_have_lost_its_space(self):
        self.assertEqual(bank.patched(REFERENCE, ["" if line == " " else line for line in PATCH]),
                         ["one", "2", "", "four", "five", "six"])

    def test_a_line_that_changed(self):
        self.refused(PATCH, ["one", "zwei", "", "four", "five"],
                     "wants line 2 of the reference to be 'two', found 'zwei': the reference moved on")

    def test_context_that_changed_by_a_space(self):
        self.refused(PATCH, ["one ", *REFERENCE[1:]],
                     "wants line 1 of the reference to be 'one', found 'one ': the reference moved on")

    def test_a_line_that_moved(self):
        """The same words one line below are not taken for the place: the next reader would not know which was meant."""
        self.refused(PATCH, ["zero", *REFERENCE],
                     "wants line 1 of the reference to be 'one', found 'zero': the reference moved on")

    def test_the_end_of_the_reference(self):
        self.refused(PATCH, REFERENCE[:4],
                     "wants line 5 of the reference to be 'five', found the end of the file: the reference moved on")

    def test_what_is_no_diff(self):
        for cut in (2, 4, 6, 9):
            self.refused(PATCH[:cut], REFERENCE, "is no unified diff: it ends too early")
        for place, line in ((2, " one"), (7, "+and"), (7, "@@ -1 +1 @@"), (5, "two"), (5, "@@ -5 +5,2 @@")):
            self.refused([*PATCH[:place], line, *PATCH[place + 1:]], REFERENCE,
                         f"is no unified diff: it holds {line!r} where no such line belongs")


class Bank(unittest.TestCase):
    """The wrong answers of all exercises."""

    def test_every_patch_applies(self):
        answers = [answer for exercise in catalogue.exercises() for answer in bank.wrong_answers(exercise)]
        self.assertGreater(sum(answer.is_patch for answer in answers), 300)
        for answer in answers:
            with self.subTest(answer.path):
                self.assertNotEqual(answer.text(), answer.exercise.reference.read_text())
                self.assertTrue(answer.misconception)

    def test_a_patch_is_what_changes_fewer_lines_than_the_program_has(self):
        for exercise in catalogue.exercises():
            for answer in bank.wrong_answers(exercise):
                with self.subTest(answer.path):
                    self.assertEqual(answer.is_patch, changed(answer) < len(answer.text().splitlines()))

    def test_the_header(self):
        found = {answer.path.stem: answer for answer in bank.wrong_answers(catalogue.chosen("softmax")[0])}
        self.assertEqual((found["first_is_not_largest"].misconception, found["first_is_not_largest"].outcome,
                          found["first_is_not_largest"].about),
                         ("first-is-not-largest", WRONG, "Subtracts the first number of the row instead of the largest."))
        for name, patch in (("no_maximum", True), ("takes_the_answer", False)):
            self.assertEqual(found[name].is_patch, patch)
            self.assertNotIn("wrong: ", found[name].text())
        self.assertEqual(found["takes_the_answer"].outcome, UNCOMPILED)


class Described(unittest.TestCase):
    """The wrong answers as the book shows them."""

    def test_a_patch_with_the_words_of_the_judge(self):
        found = {answer["name"]: answer for answer in mistakes.described(catalogue.chosen("softmax")[0])}
        self.assertEqual(len(found), 14)
        self.assertIn("infinity over infinity is NaN", found["no-maximum"]["says"])
        self.assertTrue(found["no-maximum"]["code"].startswith("@@ -8,5 +8,4 @@\n"))
        self.assertEqual((found["takes-the-answer"]["patch"], found["takes-the-answer"]["outcome"]), (False, UNCOMPILED))

    def test_each_mistake_is_described(self):
        """By the judge, or by a sentence in its header where the judge's words are inside a function."""
        for exercise in catalogue.exercises():
            self.assertEqual([answer["name"] for answer in mistakes.described(exercise) if not answer["says"] and not answer["about"]],
                             [], exercise.name)


class MovedOn(unittest.TestCase):
    """A reference that changed after its patches were made."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        shutil.copytree(ROOT / "solutions" / "foundations" / "softmax", Path(folder.name) / "foundations" / "softmax")
        patch = mock.patch.object(catalogue, "SOLUTIONS", Path(folder.name))
        patch.start()
        self.addCleanup(patch.stop)
        self.exercise = catalogue.chosen("softmax")[0]
        text = self.exercise.reference.read_text()
        self.exercise.reference.write_text(text.replace("double largest = x(row, 0), sum = 0;", "double largest = x(row, 0);"))

    def test_a_stale_patch_is_named(self):
        answer = next(answer for answer in bank.wrong_answers(self.exercise) if answer.path.stem == "no_maximum")
        with self.assertRaises(Failure) as caught:
            answer.text()
        self.assertEqual(str(caught.exception),
                         "foundations/softmax: wrong/no_maximum.patch wants line 9 of the reference to be '        double largest = "
                         "x(row, 0), sum = 0;', found '        double largest = x(row, 0);': the reference moved on")

    def test_the_prover_names_all_of_them_and_tries_the_rest(self):
        trials, stale = prove.trials(self.exercise)
        self.assertEqual(len(stale), 11)
        self.assertTrue(all("the reference moved on" in line for line in stale), stale)
        self.assertEqual([trial.name for trial in trials if trial.kind == "wrong"],
                         ["logarithms", "takes_the_answer", "turned_signs"])


if __name__ == "__main__":
    unittest.main()
