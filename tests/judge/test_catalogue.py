"""Exercises as their files describe them; a file of ours that is broken is one line."""
import unittest
from pathlib import Path

import made
from recto.judge import catalogue
from recto.place import Failure, Mistake


class Catalogue(unittest.TestCase):
    """One set of two exercises, and what may be wrong with it."""

    def setUp(self):
        tree = made.exercises("double_it", "halve_it")
        self.root = tree.__enter__()
        self.addCleanup(tree.__exit__, None, None, None)
        self.set = self.root / "exercises" / "small"

    def broken(self, path: Path, text: str | bytes, words: str) -> None:
        """With this in a file the catalogue cannot be read, and says why."""
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        catalogue.sets.cache_clear()
        with self.assertRaisesRegex(Failure, words) as caught:
            catalogue.sets()
        self.assertEqual(len(str(caught.exception).splitlines()), 1)
        self.assertIn(path.name, str(caught.exception))

    def test_what_it_holds(self):
        (group,) = catalogue.sets()
        self.assertEqual((group.name, group.title, group.chapter), ("small", "Small", 1))
        exercise = group.exercises[0]
        self.assertEqual((exercise.name, exercise.set, exercise.file, exercise.given),
                         ("double_it", "small", "double_it.cpp", ("double_it.hpp",)))
        self.assertEqual([(part.name, part.star) for part in exercise.parts], [("whole", False), ("broken", False), ("far", True)])
        self.assertTrue(exercise.stub.exists() and exercise.reference.exists())

    def test_choosing(self):
        for word in ("double_it", "small/double_it", "work/small/double_it", "work/small/double_it/"):
            self.assertEqual([exercise.name for exercise in catalogue.chosen(word)], ["double_it"])
        for word in ("small", "work/small/", None, ""):
            self.assertEqual(len(catalogue.chosen(word)), 2)
        self.assertRaisesRegex(Mistake, "did you mean double_it", catalogue.chosen, "duoble_it")

    def test_broken_files(self):
        path = self.set / "double_it" / "exercise.toml"
        good = path.read_text()
        for text, words in (("title = ", "Invalid value"), (b"\xff", "decode"), ("", "title is missing"),
                            (good.replace("title", "tilte"), "tilte is not known"),
                            (good.replace("points", "point"), "") if "points" in good else ("x = 1\n" + good, "x is not known"),
                            (good + 'colour = "red"\n', "colour is not known .part"),
                            (good.replace('what = "whole', 'whta = "whole'), "whta is not known .part"),
                            (good.replace('what = "whole numbers are doubled"\n', ""), "what is missing .part")):
            self.broken(path, text, words)
        path.unlink()
        catalogue.sets.cache_clear()
        self.assertRaisesRegex(Failure, "exercise.toml: No such file", catalogue.sets)

    def test_broken_sets(self):
        for text, words in (('title = "Small"', "chapter is missing .set"), ('chapter = 1\nexercises = []', "title is missing"),
                            ('title = "Small"\nchapter = 1\nexercise = []', "exercise is not known")):
            self.broken(self.set / "set.toml", text, words)

    def test_hints(self):
        (exercise,) = catalogue.chosen("double_it")
        (exercise.folder / "hints.md").write_text("One.\n\n---\n\nTwo\nlines.\n\n---\n\nThree.\n")
        self.assertEqual(exercise.hints(), ["One.", "Two\nlines.", "Three."])


if __name__ == "__main__":
    unittest.main()
