#!/usr/bin/env python3
"""The rule of the case study on registration: which flows pass, and what is said of the others."""
import math
import random
import unittest

from recto.judge import catalogue, grading
from recto.judge.frames import Array

JUDGE = grading.judge_of(catalogue.chosen("registration")[0])
PAIRS = JUDGE.pairs(random.Random(1), 2)
PIXELS = JUDGE.SIDE ** 2


def changed(change):
    """The true flows with every arrow (u, v) changed."""
    numbers, truth = [], PAIRS.flows.numbers
    for start in range(0, len(truth), 2 * PIXELS):
        arrows = [change(truth[start + at], truth[start + PIXELS + at]) for at in range(PIXELS)]
        numbers += [u for u, _ in arrows] + [v for _, v in arrows]
    return Array(PAIRS.flows.shape, numbers, "F")


class Rule(unittest.TestCase):
    """The error of a flow over that of the identity."""

    def share(self, change):
        """The rule for the true flows with every arrow changed."""
        return JUDGE.share(changed(change), PAIRS.flows)

    def test_the_truth_and_the_identity(self):
        """[row:ex-case-registration/a] True arrows have the error 0, arrows of length 0 the error 1."""
        self.assertEqual(self.share(lambda u, v: (u, v)), 0)
        self.assertEqual(self.share(lambda u, v: (0, 0)), 1)

    def test_a_share_of_each_arrow(self):
        """[row:ex-case-registration/a] Arrows that are too short or too long by a share have this share as their error."""
        self.assertAlmostEqual(self.share(lambda u, v: (0.7 * u, 0.7 * v)), 0.3)
        self.assertAlmostEqual(self.share(lambda u, v: (1.5 * u, 1.5 * v)), 0.5)

    def test_a_turned_arrow(self):
        """A right angle: the error is the diagonal of a square."""
        self.assertAlmostEqual(self.share(lambda u, v: (-v, u)), math.sqrt(2))

    def test_all_pixels_count_alike(self):
        """Not the pairs: one with short arrows would weigh as much as one with long arrows."""
        lengths = [math.hypot(*pair) for start in (0, 2 * PIXELS)
                   for pair in zip(PAIRS.flows.numbers[start:start + PIXELS], PAIRS.flows.numbers[start + PIXELS:start + 2 * PIXELS])]
        half = Array(PAIRS.flows.shape, PAIRS.flows.numbers[:2 * PIXELS] + [0.0] * 2 * PIXELS, "F")
        self.assertAlmostEqual(JUDGE.share(half, PAIRS.flows), sum(lengths[PIXELS:]) / sum(lengths))

    def test_no_number_passes_by_being_none(self):
        for strange in (math.nan, math.inf, -math.inf, 1e308):
            self.assertFalse(self.share(lambda u, v, strange=strange: (strange, v)) <= JUDGE.MOST)
            self.assertEqual(JUDGE.suspected(changed(lambda u, v, strange=strange: (u, strange)), PAIRS.flows), "")

    def test_mistakes_are_named(self):
        for name, change in [("backwards", lambda u, v: (-u, -v)), ("axes-exchanged", lambda u, v: (v, u)),
                             ("wrong-unit", lambda u, v: (u / 4, v / 4)), ("", lambda u, v: (0, 0))]:
            self.assertEqual(JUDGE.suspected(changed(change), PAIRS.flows), name)


if __name__ == "__main__":
    unittest.main()
