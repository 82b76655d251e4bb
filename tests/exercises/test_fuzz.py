"""The judges of all exercises get answers of random kinds, numbers and shapes, and call none of them right.

prove.py does the same behind the references, where every question of a part is reached.
"""
import unittest

from fuzz import fuzz
from recto.judge import catalogue


class Fuzz(unittest.TestCase):
    """Answers that no student's function can give."""

    def test_every_part_of_every_exercise(self):
        for exercise in catalogue.exercises():
            with self.subTest(exercise.name):
                self.assertEqual(fuzz(exercise, None, 8), [])


if __name__ == "__main__":
    unittest.main()
