"""tests/check_floors.py finds an include that leads upwards, and nothing else."""
import tempfile
import unittest
from pathlib import Path

import check_floors
from recto.place import ROOT


class Floors(unittest.TestCase):
    def faults(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            lib = Path(folder, "recto")
            for name, text in files.items():
                path = lib / (name.replace("__", "/").replace("_test_", ".test.").replace("_hpp", ".hpp").replace("_cpp", ".cpp"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return [sentence.removeprefix(f"{lib}/") for sentence in check_floors.faults(lib)]

    def test_the_library_has_no_circle(self):
        self.assertEqual(check_floors.faults(ROOT / "lib" / "recto"), [])

    def test_an_include_that_leads_upwards(self):
        self.assertEqual(self.faults(device__a_cpp="#include <recto/core/tensor.hpp>\n"),
                         ["device/a.cpp: device may include base, emulator; this file includes core"])
        self.assertEqual(self.faults(core__a_cpp="#include <recto/device/device.hpp>\n#include <recto/core/b.hpp>\n"), [])

    def test_tests_may_include_everything(self):
        self.assertEqual(self.faults(base__a_test_cpp="#include <recto/testing/testing.hpp>\n"), [])

    def test_a_folder_without_a_floor(self):
        self.assertEqual(self.faults(cellar__a_hpp=""),
                         ["cellar: the folder has no floor: name it in FLOORS of tests/check_floors.py"])


if __name__ == "__main__":
    unittest.main()
