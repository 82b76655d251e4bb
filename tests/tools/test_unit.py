"""How the tests in Python are run: each ends in one state, and its time is kept."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT

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
        for n in (1, 2):
            with self.subTest(n):
                self.assertEqual(n, 1)
'''


class Unit(unittest.TestCase):
    def test_states_and_times(self):
        with tempfile.TemporaryDirectory(prefix="recto-unit-") as folder:
            Path(folder, "test_x.py").write_text(TESTS)
            done = subprocess.run([sys.executable, ROOT / "tools" / "unit.py", folder], capture_output=True, text=True)
        cases = {case["name"].rpartition(".")[2]: case for case in json.loads(done.stdout)}
        self.assertEqual({name: case["state"] for name, case in cases.items()},
                         {"test_passes": "passed", "test_fails": "failed", "test_breaks": "failed", "test_skips": "skipped",
                          "test_in_part": "failed"})
        self.assertGreaterEqual(cases["test_passes"]["seconds"], 0.02)
        self.assertEqual(cases["test_passes"]["tags"], ["row:fig-1.1/a"])
        self.assertEqual(cases["test_skips"]["why"], "not here")


if __name__ == "__main__":
    unittest.main()
