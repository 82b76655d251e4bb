"""How `recto test` runs the tests in Python: each ends in one state, and its time and tags are kept."""
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from recto.build import environment
from recto.checks import testing
from recto.place import ROOT

TESTS = '''
import time, unittest
class T(unittest.TestCase):
    def test_passes(self):
        """It is so: [row:fig-1.1/a]"""
        time.sleep(0.02)
    def test_fails(self):
        self.assertEqual(1, 2)
    def test_breaks(self):
        raise OSError("no such thing")
    def test_skips(self):
        self.skipTest("not here")
    def test_in_part(self):
        for n in (1, 2, 3):
            with self.subTest(f"the case {n}"):
                self.assertEqual(n, 1)
class Down(unittest.TestCase):
    def test_last(self):
        pass
    def tearDown(self):
        raise OSError("cannot clean up")
'''


class Python(unittest.TestCase):
    def cases(self, wanted="", **files):
        with tempfile.TemporaryDirectory(prefix="recto-tests-") as name:
            folder = Path(name)
            (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
            for file, text in files.items():
                (folder / f"{file}.py").write_text(text)
            with mock.patch.object(environment, "PYTHON", Path(sys.executable)):
                return {case.name: case for case in testing.run_python(folder, wanted)}

    def test_states_times_and_tags(self):
        cases = self.cases(test_x=TESTS)
        self.assertEqual({name: case.state for name, case in cases.items()},
                         {"test_x.T.test_passes": "passed", "test_x.T.test_fails": "failed", "test_x.T.test_breaks": "failed",
                          "test_x.T.test_skips": "skipped", "test_x.T.test_in_part": "failed", "test_x.Down.test_last": "failed"})
        self.assertGreaterEqual(cases["test_x.T.test_passes"].seconds, 0.02)
        self.assertEqual(cases["test_x.T.test_passes"].tags, ("row:fig-1.1/a",))
        self.assertEqual(cases["test_x.T.test_skips"].why, "not here")
        self.assertIn("no such thing", cases["test_x.T.test_breaks"].why)
        self.assertIn("cannot clean up", cases["test_x.Down.test_last"].why)
        for failing in ("the case 2", "the case 3"):
            self.assertIn(failing, cases["test_x.T.test_in_part"].why)

    def test_a_filter_is_part_of_a_name_or_a_row(self):
        for wanted in ("T.test_passes", "x.T.test_passes", "fig-1.1", "fig-1.1/a"):
            self.assertEqual(list(self.cases(wanted, test_x=TESTS)), ["test_x.T.test_passes"], wanted)
        for wanted in ("[cube]", "fig-1"):
            self.assertEqual(self.cases(wanted, test_x=TESTS), {}, wanted)

    def test_a_file_that_does_not_load_fails_and_stops_no_other(self):
        cases = self.cases(test_bad="import nothing_of_this_name\n", test_x=TESTS)
        self.assertEqual((len(cases), cases["test_x.T.test_passes"].state), (7, "passed"))
        [bad] = [case for name, case in cases.items() if "test_bad" in name]
        self.assertEqual(bad.state, "failed")
        self.assertIn("nothing_of_this_name", bad.why)

    def test_what_is_no_pytest(self):
        with mock.patch.object(environment, "PYTHON", Path("/bin/false")):
            [case] = testing.run_python(ROOT / "tests" / "tools", "")
        self.assertEqual((case.name, case.state), ("tests/tools", "failed"))


if __name__ == "__main__":
    unittest.main()
