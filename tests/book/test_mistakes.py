"""The pages of wrong answers."""
import pathlib
import tempfile
import types
import unittest

from recto.place import ROOT
from recto_book import exercise, mistakes

ANSWER = {"name": "off-by-one", "outcome": "crashed", "about": "", "says": "x < y, see `n - 1`", "patch": True, "code": "@@ -1 +1 @@\n-a\n+b"}


class Pages(unittest.TestCase):
    """Which pages there are."""

    @unittest.skipUnless((ROOT / "solutions").is_dir(), "not run: this tree was handed out")
    def test_every_statement_leads_to_its_mistakes(self):
        made = exercise.pages(ROOT)
        self.assertIn("(softmax-mistakes.md)", made["exercises/foundations/softmax.md"][0])
        self.assertIn("```{mistakes} foundations/softmax", made["exercises/foundations/softmax-mistakes.md"][0])

    def test_a_tree_that_was_handed_out_has_none(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "exercises").symlink_to(ROOT / "exercises")
            made = exercise.pages(pathlib.Path(folder))
        self.assertIn("exercises/foundations/softmax.md", made)
        self.assertFalse([name for name, (text, _) in made.items() if "mistakes" in name or "{mistakes}" in text])

    def test_a_fold(self):
        fold = mistakes.Mistakes.fold(types.SimpleNamespace(), ANSWER)
        opening, code = fold.children
        self.assertEqual(opening["markup"], "<summary><code>off-by-one</code> (crashed)</summary>"
                                            "<p>The judge says: <q>x &lt; y, see <code>n - 1</code></q>.</p>")
        self.assertEqual((fold["tag"], code["language"], code.astext()), ("details", "diff", ANSWER["code"]))
        whole = mistakes.Mistakes.fold(types.SimpleNamespace(), {**ANSWER, "patch": False})
        self.assertIn("shares too little with the reference", whole.children[0]["markup"])
        self.assertEqual(whole.children[1]["language"], "cpp")


if __name__ == "__main__":
    unittest.main()
