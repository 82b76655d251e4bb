"""What the comparison of pages in a browser with native runs finds, and how a page is enclosed in a namespace."""
import importlib.util
import json
import math
import unittest
import unittest.mock

from recto.build import web
from recto.place import ROOT
from wasm import compare


def load_enclose():
    """web/enclose.py, which is a program of its own."""
    spec = importlib.util.spec_from_file_location("enclose", ROOT / "web" / "enclose.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(measured: float = 0.5, text: str = "30 points", **more) -> dict:
    """What a page might leave."""
    records = [{"kind": "say", "text": text}, {"kind": "claim", "measured": measured}, {"kind": "timing", "text": "3 ms"},
               {"kind": "page", "seconds": 1}]
    return compare.results("page", {"trace.jsonl": "\n".join(map(json.dumps, records)), **more})


class Compare(unittest.TestCase):
    EXACT, NEAR = 0, 1e-6

    def test_equal_runs_are_equal(self):
        self.assertEqual(compare.compare(run(), run(), self.EXACT), (0, ""))

    def test_one_bit_is_found(self):
        self.assertIn("native 0.5", compare.compare(run(), run(math.nextafter(0.5, 1)), self.EXACT)[1])

    def test_a_band_allows_what_it_says(self):
        self.assertEqual(compare.compare(run(), run(0.5 + 1e-7), self.NEAR)[1], "")
        self.assertTrue(compare.compare(run(), run(0.5 + 1e-5), self.NEAR)[1])

    def test_nan_is_near_nothing_but_nan(self):
        self.assertTrue(compare.compare(run(), run(math.nan), self.NEAR)[1])
        self.assertEqual(compare.compare(run(math.nan), run(math.nan), self.EXACT), (0, ""))

    def test_numbers_in_words_and_the_words(self):
        self.assertTrue(compare.compare(run(), run(text="31 points"), self.EXACT)[1])
        self.assertTrue(compare.compare(run(), run(text="30 lines"), self.NEAR)[1])

    def test_a_missing_figure(self):
        self.assertIn("differ in what they show", compare.compare(run(**{"a.vl.json": "{\"x\": 1}"}), run(), self.NEAR)[1])


class SomeImages(unittest.TestCase):
    def run_with(self, judged: bool, standard: bool, error: str = "") -> dict:
        """What a run under node might leave."""
        records = [{"kind": "claim", "judged": judged}, {"kind": "page", "standard": standard}]
        return {"error": error, "written": {} if error else {"/out/trace.jsonl": "\n".join(map(json.dumps, records))}}

    def test_nothing_may_be_judged(self):
        self.assertEqual(compare.pretends(self.run_with(False, False)), "")
        self.assertTrue(compare.pretends(self.run_with(True, False)))
        self.assertTrue(compare.pretends(self.run_with(False, True)))

    def test_a_run_that_fails_is_told(self):
        self.assertEqual(compare.pretends(self.run_with(False, False, "select: wanted rows\n")), "select: wanted rows")

    def test_whole_files_are_those_of_the_native_run(self):
        need = {"module": "m", "program": "a", "whole": True, "files": {f"/x/{web.CLOTHES}/t.gz": "t", "/figures/b.csv": "b"}}
        with unittest.mock.patch.object(compare.subprocess, "run") as called:
            called.return_value.stdout = "{}"
            compare.run_browser(need, [])
        self.assertIn(json.dumps({f"/x/{web.CLOTHES}/t.gz": f"/x/{web.CLOTHES}/t.gz", "/figures/b.csv": "b"}), called.call_args[0][0])


class Enclose(unittest.TestCase):
    def test_lines_stay_where_they_were(self):
        page = '#line 2 "page.cpp"\n//\n#include <a>\n\nusing namespace recto;\nvoid page() {}\n'
        made = load_enclose().enclosed(page, "bumps").split("\n")
        self.assertEqual(made[1], '#line 2 "page.cpp"')
        self.assertTrue(made[4].startswith("namespace page_bumps {"))
        self.assertEqual(made[5:7], ["using namespace recto;", "void page() {}"])


class Scripts(unittest.TestCase):
    def test_a_script_brings_its_bytes(self):
        text = web.script("a", b"\0bytes" * 9)
        self.assertRegex(text, r'^\(window\.recto_packed \?\?= \{\}\)\["a"\] = "[A-Za-z0-9+/=]+";\n$')


if __name__ == "__main__":
    unittest.main()
