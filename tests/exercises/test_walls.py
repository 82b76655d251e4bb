"""Submissions to real exercises that want points for nothing: hostile/*, none of which gets its part.

The first lines of a file are comments: the exercise, the part (`*`: every quick part), the outcome that it must get,
and `says`, a regular expression over what a student is told.
"""
import re
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
from recto.judge import catalogue, grading
from recto.judge.reading import Source


class Walls(unittest.TestCase):
    """Each program in hostile/ gets the outcome that its header names."""

    def judge(self, path: Path) -> None:
        """Does every part that it is after get the outcome that it must get?"""
        text = path.read_text(encoding="utf-8")
        label = dict(re.findall(r"^// (exercise|part|outcome|says): (.*)$", text, re.M))
        exercise = catalogue.chosen(label["exercise"])[0]
        report = grading.grade_source(exercise, Source(exercise.file, text.encode()), 1, False, False, lambda line: None)
        results = [result for result in report.results if not result.part.training and label["part"] in ("*", result.part.name)]
        self.assertTrue(results)
        for result in results:
            with self.subTest(result.part.name):
                self.assertEqual(result.outcome, label["outcome"], result.message)
                self.assertRegex(result.message.about, label.get("says", ""))


for _path in sorted((HERE / "hostile").iterdir()):
    setattr(Walls, f"test_{_path.stem}", lambda self, path=_path: self.judge(path))

if __name__ == "__main__":
    unittest.main()
