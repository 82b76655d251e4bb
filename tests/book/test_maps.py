"""The maps of the chapters, and the thumbnails of their pages, as data."""
import pathlib
import re
import unittest

from recto_book import maps, taught

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHAPTERS = maps.chapters(ROOT)
MACHINE, NEEDS = maps.listed(ROOT / "book")


class Maps(unittest.TestCase):
    def test_every_page_needs_pages_that_come_before_it(self):
        self.assertEqual(list(maps.troubles([page for _, pages in CHAPTERS for page in pages], MACHINE, NEEDS)), [])

    def test_a_page_needs_few_others(self):
        self.assertLessEqual(max(map(len, NEEDS.values())), 4)

    def test_what_is_wrong_is_said(self):
        order, machine = ["one", "two", "gears"], ["gears"]
        for needs, wanted in (({"two": ["one"], "gears": ["one"]}, []),
                              ({"two": ["gears"], "gears": ["one"]}, []),
                              ({"one": ["two"], "two": ["one"], "gears": ["one"]}, ["one needs two, which comes later"]),
                              ({"two": ["three"], "gears": ["one"]}, ["two needs three, and the book has no such page"]),
                              ({"two": ["one"], "gears": []}, ["gears needs no page"]),
                              ({"two": ["one"], "gears": ["one"], "four": ["one"]}, ["the book has no page four"])):
            self.assertEqual(list(maps.troubles(order, machine, needs)), wanted)

    def test_only_direct_needs_are_drawn(self):
        self.assertEqual(maps.direct({"b": ["a"], "c": ["a", "b"], "d": ["a"]}), {"b": ["a"], "c": ["b"], "d": ["a"]})

    def test_no_line_runs_through_a_page(self):
        for _, pages in CHAPTERS:
            lane, lines = maps.lanes(pages, maps.direct(NEEDS))
            row = {page: n for n, page in enumerate(pages)}
            self.assertLessEqual(max(lane.values()), 5, "too wide for a phone")
            stops = {(lane[page], row[page]) for page in pages}
            used = {}
            for start, end, via in lines:
                for n in range(row[start] + 1, row[end]):
                    self.assertNotIn((via, n), stops)
                    self.assertEqual(used.setdefault((via, n), start), start, "two lines in one place")

    def test_a_line_begins_and_ends_at_its_pages(self):
        self.assertEqual(maps.path((0, 0), (0, 3), 0), "M0 0V3")
        self.assertTrue(maps.path((0, 0), (2, 3), 1).endswith("2 3"))

    def test_the_cover_and_the_readme_count_the_pages(self):
        self.assertEqual(re.findall(r"\*(\d+) pages\.\*", (ROOT / "book/index.md").read_text(encoding="utf-8")),
                         [str(len(pages)) for _, pages in CHAPTERS])
        self.assertIn(f"{sum(len(pages) for _, pages in CHAPTERS)} pages", (ROOT / "README.md").read_text(encoding="utf-8"))

    def test_pictures_name_pages_of_the_book(self):
        known = {page for _, pages in CHAPTERS for page in pages}
        self.assertEqual(set(taught.pictures(ROOT / "book")) - known, set())
        for page, figure in taught.pictures(ROOT / "book").items():
            if (run := ROOT / "build/runs" / page).exists():
                self.assertTrue((run / f"{figure}.vl.json").exists() or (run / f"{figure}.dot").exists(), figure)


if __name__ == "__main__":
    unittest.main()
