"""The planted mistakes of tests/mistakes fit the code and the register that they are planted in."""
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import mistakes

from recto import proofs
from recto.pages.pages import all_pages
from recto.place import ROOT
from recto.register import evidence, frozen

WITHOUT = {     # the types of parts that have no mistake, and why
    "gpu": "without a GPU nothing turns red",
    "timing": "a missed timing breaks nothing, because it depends on the machine",
}


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.mistakes = mistakes.listed()
        self.types = {f"{row['id']}/{part['id']}": part["type"] for path in (ROOT / "book/register").glob("*.json")
                      for row in json.loads(path.read_text(encoding="utf-8"))["rows"] for part in row["parts"]}

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
        for mistake in self.mistakes:
            with self.subTest(mistake.subject):
                self.assertIn(mistake.where, self.types)

    def test_every_part_that_a_page_claims_or_a_test_of_the_library_proves_has_one(self):
        tested = {part for path in (ROOT / "lib").rglob("*.[ch]pp")          # GRADIENT_TEST names parts in a header
                  for part in evidence.TAG.findall(path.read_text(encoding="utf-8"))}
        taught = {row for page in all_pages(ROOT) for row in page.rows}      # a mistake stands in the file of a page
        wanted = {part for part in tested | mistakes.claimed()
                  if part.partition("/")[0] in taught and self.types[part] not in WITHOUT}
        self.assertEqual(wanted - {mistake.where for mistake in self.mistakes}, set())


class Judged(unittest.TestCase):
    """What a test that ended counts for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name) / "program"
        patch = mock.patch.object(mistakes, "BUILD", Path(folder.name))
        patch.start()
        self.addCleanup(patch.stop)

    def red(self, script: str) -> set[str]:
        self.program.write_text(f"#!/bin/sh\n{script}\n")
        self.program.chmod(0o755)
        return mistakes.red(mistakes.Mistake("r/a", "", "", "", "", "test float"), self.program).broken

    def page(self, script: str, *sentences: str) -> mistakes.Verdict:
        self.program.write_text(f"#!/bin/sh\n{script}\n")
        self.program.chmod(0o755)
        return mistakes.red(mistakes.Mistake("r/a", "", "", "", "", "page p"), self.program, sentences)

    def test_only_a_failed_assertion_is_red(self):
        said = "echo 'test cases: 1 | 1 failed'; echo 'assertions: 3 | 2 passed | 1 failed'"
        self.assertEqual(self.red(f"{said}; exit 42"), {"r/a"})
        self.assertEqual(self.red("echo 'All tests passed (3 assertions in 1 test case)'"), set())
        for broken in (f"{said}; kill -SEGV $$", "echo 'Error(s) in input' >&2; exit 1", "echo 'terminate called' >&2; kill -ABRT $$"):
            with self.assertRaisesRegex(mistakes.Broken, "no failed assertion|ended with a signal"):
                self.red(broken)


    def claim(self, part: str, text: str, holds: bool) -> str:
        return json.dumps({"kind": "claim", "judged": True, "timing": False, "part": part, "text": text, "holds": holds, "expect": "holds"})

    def test_a_page_ends_with_the_first_broken_claim_of_its_part(self):
        said = self.page("echo 'BROKEN: the sum is finite: inf, asked < 1'; exec sleep 60", "the sum is finite")
        self.assertEqual((said.named, said.broken), ({"r/a"}, {"r/a"}))

    def test_a_page_goes_on_when_another_claim_is_broken(self):
        trace = "\n".join([self.claim("r/a", "one", True), self.claim("r/b", "two", False), self.claim("r/a", "both", True),
                           self.claim("r/b", "both", True)])
        said = self.page(f"echo 'BROKEN: two: 3, asked < 1'; cat >$2/trace.jsonl <<'END'\n{trace}\nEND\nexit 1", "one")
        self.assertEqual((said.named, said.broken), ({"r/a", "r/b"}, {"r/b"}))
        self.assertEqual(said.sentences, {"r/a": {"one"}, "r/b": {"two"}})

    def test_a_page_without_its_mistake_is_read_where_the_book_ran_it(self):
        page = next(page for page in mistakes.all_pages(mistakes.ROOT))
        mistake = mistakes.Mistake("r/a", "", "", "", "", f"page {page.name}")
        folder = self.program.parent / "run"
        folder.mkdir()
        (folder / "trace.jsonl").write_text(self.claim("r/a", "one", True) + "\n")
        self.program.write_text("#!/bin/sh\necho 'it was run' >&2; exit 1\n")
        self.program.chmod(0o755)
        with mock.patch.object(mistakes.runs, "kept", return_value=mistakes.runs.Outcome(folder, 0, "", 1.0)):
            self.assertEqual(mistakes.without(mistake, self.program), ({"r/a"}, set(), {"r/a": {"one"}}))
        with mock.patch.object(mistakes.runs, "kept", return_value=None), self.assertRaisesRegex(mistakes.Broken, "it was run"):
            mistakes.without(mistake, self.program)

    def test_a_page_that_ends_early_is_not_red(self):
        with self.assertRaisesRegex(mistakes.Broken, "ended early: no memory"):
            self.page("echo 'no memory' >&2; exit 1", "one")


class Rests(unittest.TestCase):
    def test_the_studies_of_a_page_count_for_its_mistakes(self):
        page = next(iter(frozen.pages().values()))
        mistake = next(one for one in mistakes.listed() if one.proof == f"page {page.name}")
        with mock.patch.object(proofs, "digest") as digest:
            mistakes.inputs(mistake)
        files = digest.call_args[0][1]
        self.assertLessEqual({*frozen.files(page), page.source.parent / "CMakeLists.txt"}, files)


if __name__ == "__main__":
    unittest.main()
