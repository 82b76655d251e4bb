"""The page *How fast is it*."""
import json
import pathlib
import re
import types
import unittest

from recto_book import speed

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Speed(unittest.TestCase):
    def test_every_workload_has_words(self):
        told = json.loads((ROOT / "bench/measured.json").read_text())["workloads"]
        self.assertEqual({w["workload"] for w in told} - set(speed.WORKLOADS), set())
        sources = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "bench").glob("*.cpp"))
        named = set(re.findall(r'\{"((?:tiny|lenet|resnet|chargpt|gpt2|mlp)\w+)"', sources))
        self.assertTrue(named)
        self.assertEqual(named - set(speed.WORKLOADS), set())

    def test_the_page_shows_no_identifiers(self):
        shown = speed.speed(types.SimpleNamespace(builder=types.SimpleNamespace(env=types.SimpleNamespace(
            config=types.SimpleNamespace(recto_build=str(ROOT / "nowhere"))))), None)
        self.assertNotRegex(shown, r"mlp_|chargpt|gpt2_|resnet16|tiny_")
        self.assertIn("images a second", shown)


if __name__ == "__main__":
    unittest.main()
