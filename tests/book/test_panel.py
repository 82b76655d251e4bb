"""What *Change and run* says of a page, and with which values it begins."""
import json
import pathlib
import tempfile
import types
import unittest

from recto_book import header

PAGE = {"options": [{"name": "pictures", "default": "60000", "help": "how many"}], "seed": 1, "seconds": 1, "threads": 2}
NEED = {"program": "a", "module": "pages32", "files": {}}


def panel(need, page=None):
    """The panel of a page that needs this."""
    with tempfile.TemporaryDirectory() as folder:
        listed = pathlib.Path(folder, "web", "programs.json")
        listed.parent.mkdir()
        listed.write_text(json.dumps({"a": need}), encoding="utf-8")
        return header.tryable(types.SimpleNamespace(recto_build=folder), {"program": "a", "page": page or PAGE})


class Panel(unittest.TestCase):
    def test_a_page_that_cannot_run_says_why(self):
        self.assertIn("does not run in a browser: it is large.</p>", panel({"why": "it is large"}))

    def test_options_begin_with_their_standard_values(self):
        made = panel(NEED)
        self.assertIn('name="--pictures" data-standard="60000" value="60000"', made)
        self.assertIn('data-part=""', made)
        self.assertNotIn("This book carries", made)

    def test_with_some_of_the_images_it_says_so_and_begins_with_those(self):
        made = panel(NEED | {"part": "6,000 of 60,000 training images", "start": {"pictures": "6000"}})
        self.assertIn('name="--pictures" data-standard="60000" value="6000"', made)
        self.assertIn("This book carries 6,000 of 60,000 training images of Fashion-MNIST. With fewer images no claim is judged.", made)
        self.assertIn('data-part="6,000 of 60,000 training images"', made)

    def test_a_slow_page_says_so_and_begins_with_quick(self):
        self.assertNotIn("At its standard settings", panel(NEED))
        made = panel(NEED, PAGE | {"seconds": 60})
        self.assertIn("this page takes about 8 minutes in a browser", made)
        self.assertIn('name="--quick" data-standard="false" checked', made)


if __name__ == "__main__":
    unittest.main()
