"""The planted mistakes of tests/mistakes fit the code and the register that they are planted in."""
import json
import unittest

import mistakes

from recto import proofs
from recto.pages.pages import all_pages
from recto.place import ROOT


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.mistakes = mistakes.listed()

    def test_what_is_changed_stands_once_in_its_file(self):
        self.assertGreater(len(self.mistakes), 50)
        for mistake in self.mistakes:
            with self.subTest(mistake.subject):
                text = (ROOT / mistake.file).read_text(encoding="utf-8")
                self.assertEqual(text.count(mistake.old), 1)

    def test_each_has_a_name_of_its_own_that_fits_a_receipt(self):
        subjects = [mistake.subject for mistake in self.mistakes]
        self.assertEqual(len(set(subjects)), len(subjects))
        self.assertLessEqual(max(map(len, subjects)), proofs.LONGEST)

    def test_every_file_belongs_to_a_page(self):
        pages = {page.name for page in all_pages(ROOT)}
        self.assertEqual({path.stem for path in (ROOT / "tests/mistakes").iterdir()} - pages, set())

    def test_something_proves_its_part(self):
        for mistake in self.mistakes:
            with self.subTest(mistake.subject):
                self.assertTrue(mistakes.proving(mistake))

    def test_its_part_is_in_the_register(self):
        parts = {f"{row['id']}/{part['id']}" for path in (ROOT / "book" / "register").glob("*.json")
                 for row in json.loads(path.read_text(encoding="utf-8"))["rows"] for part in row["parts"]}
        for mistake in self.mistakes:
            with self.subTest(mistake.subject):
                self.assertIn(mistake.where, parts)


if __name__ == "__main__":
    unittest.main()
