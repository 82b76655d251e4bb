"""The planted mistakes of tests/mistakes.json fit the code and the register that they are planted in."""
import json
import unittest

import mistakes

from recto import proofs
from recto.place import ROOT


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.mistakes = json.loads((ROOT / "tests" / "mistakes.json").read_text(encoding="utf-8"))

    def test_what_is_changed_stands_once_in_its_file(self):
        self.assertGreater(len(self.mistakes), 50)
        for mistake in self.mistakes:
            with self.subTest(row=mistake["row"], part=mistake.get("part")):
                text = (ROOT / mistake["file"]).read_text(encoding="utf-8")
                self.assertEqual(text.count(mistake["old"]), 1)

    def test_each_has_a_name_of_its_own_that_fits_a_receipt(self):
        subjects = [mistake.subject for mistake in mistakes.listed()]
        self.assertEqual(len(set(subjects)), len(subjects))
        self.assertLessEqual(max(map(len, subjects)), proofs.LONGEST)

    def test_something_proves_its_part(self):
        for mistake in mistakes.listed():
            with self.subTest(mistake.subject):
                self.assertTrue(mistakes.proving(mistake))

    def test_its_part_is_in_the_register(self):
        rows = {row["id"]: {part["id"] for part in row["parts"]} for path in (ROOT / "book" / "register").glob("*.json")
                for row in json.loads(path.read_text(encoding="utf-8"))["rows"]}
        for mistake in self.mistakes:
            with self.subTest(row=mistake["row"], part=mistake.get("part")):
                self.assertIn(mistake["row"], rows)
                if "part" in mistake:
                    self.assertIn(mistake["part"], rows[mistake["row"]])


if __name__ == "__main__":
    unittest.main()
