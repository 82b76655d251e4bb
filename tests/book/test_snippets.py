"""What the search shows of a page."""
import tempfile
import types
import unittest

from docutils import nodes
from recto_book import snippets, taught


class Search(unittest.TestCase):
    def test_the_text_of_a_page_is_what_is_said_in_it(self):
        page = nodes.section("", nodes.title("", "Title"))
        page += (nodes.paragraph("", "The ", nodes.math("", r"\eta"), nodes.Text(" of "), nodes.math("", "w")),
                 nodes.literal_block("", "code();"), nodes.paragraph("", "rate."))
        page += nodes.container("", nodes.paragraph("", "f checked by a test"), classes=["rx-proof"])
        self.assertEqual(snippets.text(page), "The η of w rate.")

    def test_a_formula_is_read_or_left_out(self):
        for tex, wanted in ((r"w", "w"), (r"\eta = 0.1", "η = 0.1"), (r"\Theta", "Θ"), (r"\frac12", "…"), (r"\Loss", "…"),
                            ("x" * 30, "…")):
            self.assertEqual(snippets.formula(tex), wanted)

    def test_a_script_holds_it(self):
        self.assertEqual(snippets.script("a/b", 'say "é"'), 'recto.text("a/b", "say \\"é\\"");\n')

    def test_pages_that_are_not_written_keep_their_entries(self):
        def built(**entries):
            """The entries that a build ends with which wrote these pages, of two that there are."""
            indexer = types.SimpleNamespace(_filenames={"old": "", "new": ""}, _index_entries=entries)
            taught.again(types.SimpleNamespace(builder=types.SimpleNamespace(indexer=indexer), doctreedir=folder))
            return indexer._index_entries
        rate, batch = ("learning rate", "top", "main"), ("mini-batch", "top", "main")
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(built(old=[rate], new=[]), {"old": [rate], "new": []})
            self.assertEqual(built(new=[batch]), {"old": [rate], "new": [batch]})
            self.assertEqual(built(), {"old": [rate], "new": [batch]})


if __name__ == "__main__":
    unittest.main()
