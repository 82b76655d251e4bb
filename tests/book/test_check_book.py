"""The check in a browser, on a page with a mistake of each kind and on one without."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import check_book

HERE = Path(__file__).resolve().parent
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"></head><body style="background:#fff; color:#111">
<main><h1>A page</h1><article>%s</article></main></body></html>"""
ROWS = "".join(f"<tr><td>{n}</td></tr>" for n in range(50))
GOOD = f"<p>Words.</p><table>{ROWS}</table><label>Speed <input type='range'></label>"
MISTAKES = {        # what the check says, and the mistake
    "color-contrast": f"<table>{ROWS}<tr><td style='color:#bbb'>pale, after what is there many times</td></tr></table>",
    "button-name": "<button></button>",
    "scrollable-region-focusable": "<div style='overflow:scroll; width:90px; height:60px'><p style='width:400px'>%s</p></div>"
                                   % ("words " * 40),
    "Tab does not reach 1 sliders": "<label>Speed <input type='range' tabindex='-1'></label>",
    "Tab does not reach 2 controls": "<ul>" + "<li>one</li>" * 20 + "<li><a href='#' tabindex='-1'>the last</a></li></ul>",
    "scrolls sideways": "<div style='width:2000px'>wide</div>",
    "outside request": "<img alt='far' src='http://127.0.0.1:9/far.png'>",
    "failed request": "<img alt='gone' src='gone.png'>",
    "a formula is clipped: long: 200 pixels": '<div style="overflow: hidden; width: 100px"><span class="katex"><span class="katex-html">'
        '<span class="base" style="display: inline-block; width: 300px">long</span></span></span></div>',
    "console: oh": "<script>console.error('oh')</script>",
    "exception": "<script>throw new Error('oh')</script>",
}


def checked(body):
    """What the check prints of a book of one page."""
    with tempfile.TemporaryDirectory(prefix="recto-book-") as book:
        Path(book, "page.html").write_text(PAGE % body)
        done = subprocess.run([sys.executable, HERE / "check_book.py", book, "--only", "page"], capture_output=True, text=True,
                              env=os.environ | {"PYTHONPATH": str(HERE.parent.parent / "tools")})
    return done.stdout, done.returncode


@unittest.skipUnless(check_book.find() and check_book.axe_script()[0], "no browser here, or no axe-core")
class Planted(unittest.TestCase):
    def test_a_page_without_a_mistake_passes(self):
        said, code = checked(GOOD)
        self.assertEqual((said.splitlines()[-1], code), ("5 passed, 0 failed, 0 skipped", 0), said)

    def test_each_mistake_is_seen(self):
        said, code = checked(GOOD + "".join(MISTAKES.values()))
        for word in MISTAKES:
            with self.subTest(word):
                self.assertIn(word, said)
        self.assertEqual(code, 1)


if __name__ == "__main__":
    unittest.main()
