"""The mark of a set, from 0 to 4 (row ex-scoring-scheme)."""
import itertools
import unittest

import made
from recto.judge.grading import NOT_RUN
from recto.judge.judging import OUTCOMES, PASSED, WRONG
from recto.judge.marks import Mark, mark


class Scheme(unittest.TestCase):
    """What the course says."""

    def test_all_of_the_base_and_no_star_is_2(self):
        """[row:ex-scoring-scheme/a]"""
        got = mark([made.report(PASSED, PASSED, PASSED, WRONG, WRONG, stars=2)])
        self.assertEqual(got.value, 2)
        self.assertEqual(got.arithmetic(), "2 x 3/3 + 2 x 0/2 = 2.00")

    def test_all_is_4(self):
        """[row:ex-scoring-scheme/b]"""
        self.assertEqual(mark([made.report(PASSED, PASSED, PASSED, stars=1)]).value, 4)
        self.assertEqual(mark([made.report(PASSED, PASSED, PASSED)]).value, 4)

    def test_late_is_1_at_most(self):
        """[row:ex-scoring-scheme/c]"""
        for passed, stars in itertools.product(range(5), range(4)):
            work = [made.report(*[PASSED] * passed, *[WRONG] * (4 - passed), stars=stars)]
            late, punctual = mark(work, late=True), mark(work)
            self.assertLessEqual(late.value, 1)
            self.assertEqual(late.value, min(punctual.value, 1))
        self.assertEqual(mark([made.report(PASSED)], late=True).arithmetic(), "4 x 1/1 = 4.00, handed in late: 1 at most")

    def test_fractions(self):
        """[row:ex-scoring-scheme/d] Each part gives its share of the points: 5 of 6 points of the base are 2 x 5/6."""
        work = [made.report(*[PASSED] * 5, WRONG, PASSED, stars=1)]
        self.assertAlmostEqual(mark(work).value, 2 * 5 / 6, delta=1e-15)
        self.assertEqual(mark(work).arithmetic(), "2 x 5/6 = 1.67, starred parts count when the base is complete")


class Details(unittest.TestCase):
    """What follows from it."""

    def test_starred_parts_do_not_count_while_the_base_is_incomplete(self):
        with_star = mark([made.report(PASSED, WRONG, PASSED, stars=1)])
        without = mark([made.report(PASSED, WRONG, WRONG, stars=1)])
        self.assertEqual(with_star.value, 1)
        self.assertEqual(with_star.value, without.value)

    def test_starred_parts_count_by_their_points(self):
        work = [made.report(PASSED, PASSED, WRONG, stars=2, points=(1, 3, 1))]
        self.assertEqual(mark(work).value, 2 + 2 * 3 / 4)
        self.assertEqual(mark(work).arithmetic(), "2 x 1/1 + 2 x 3/4 = 3.50")

    def test_a_set_without_starred_parts_scales_to_4(self):
        self.assertEqual(mark([made.report(PASSED, WRONG)]).value, 2)
        self.assertEqual(mark([made.report(PASSED, WRONG, WRONG, WRONG)]).arithmetic(), "4 x 1/4 = 1.00")

    def test_a_set_of_starred_parts_alone_gives_nothing_for_nothing(self):
        self.assertEqual(mark([made.report(WRONG, WRONG, stars=2)]).value, 0)
        self.assertEqual(mark([made.report(PASSED, WRONG, stars=2)]).value, 2)

    def test_an_exercise_of_the_base_can_be_missing_in_another(self):
        """The base is that of the whole set, whichever exercise its parts belong to."""
        work = [made.report(PASSED, PASSED, stars=1), made.report(WRONG, name="other")]
        self.assertEqual(mark(work).value, 1)

    def test_empty_sets(self):
        for nothing in ([], [made.report()]):
            self.assertEqual(mark(nothing).value, 0)
            self.assertEqual(mark(nothing, late=True).value, 0)
            self.assertEqual(mark(nothing).arithmetic(), "no parts, no mark")

    def test_parts_without_points_add_nothing(self):
        self.assertEqual(mark([made.report(PASSED, WRONG, points=(1, 0))]).value, 4)
        self.assertEqual(mark([made.report(WRONG, points=(0,))]).value, 0)

    def test_only_what_passed_counts(self):
        for outcome in (*OUTCOMES, NOT_RUN):
            self.assertEqual(mark([made.report(outcome)]).value, 4 if outcome == PASSED else 0)

    def test_points_that_no_binary_fraction_meets(self):
        """0.1 + 0.2 + 0.3 and the like: a complete base is complete."""
        work = [made.report(*[PASSED] * 4, points=(0.1, 0.2, 0.3, 0.7), stars=1)]
        self.assertAlmostEqual(mark(work).value, 4, delta=1e-12)
        self.assertTrue(mark(work).complete)

    def test_a_mark_stays_between_0_and_4_and_never_falls_with_another_part(self):
        for stars in range(5):
            for outcomes in itertools.product((PASSED, WRONG), repeat=4):
                got = mark([made.report(*outcomes, stars=stars)]).value
                self.assertTrue(0 <= got <= 4)
                for at, outcome in enumerate(outcomes):
                    if outcome == WRONG:
                        better = [*outcomes[:at], PASSED, *outcomes[at + 1:]]
                        self.assertGreaterEqual(mark([made.report(*better, stars=stars)]).value, got)

    def test_what_parts_are_worth_adds_up_to_4(self):
        for stars in range(5):
            report = made.report(*[PASSED] * 4, stars=stars, points=(1, 2, 0.5, 3))
            got = mark([report])
            self.assertAlmostEqual(sum(got.worth(part) for part in report.exercise.parts), 4, delta=1e-12)
            self.assertTrue(all(map(got.counts, report.exercise.parts)))

    def test_what_counts(self):
        incomplete = made.report(PASSED, WRONG, PASSED, stars=1)
        self.assertEqual([mark([incomplete]).counts(part) for part in incomplete.exercise.parts], [True, True, False])

    def test_the_arithmetic_ends_in_the_mark(self):
        self.assertEqual(Mark(1, 2, 1, 2, late=True).arithmetic(), "2 x 1/2 = 1.00, starred parts count when the base is "
                                                                   "complete, handed in late: 1 at most")


if __name__ == "__main__":
    unittest.main()
