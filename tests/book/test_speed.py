"""The page *How fast is it*."""
import json
import pathlib
import re
import types
import unittest

from recto_book import profile, speed

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


class Profiles(unittest.TestCase):
    """Where the time goes: tables and the roofline."""

    def setUp(self):
        self.kept = profile.known(ROOT)

    def shown(self, root):
        return profile.profiles(types.SimpleNamespace(builder=types.SimpleNamespace(
            config=types.SimpleNamespace(recto_root=str(root)))), None)

    def test_a_table_for_each(self):
        self.assertEqual(set(profile.NAMES), {found["profile"] for found in self.kept["profiles"]})
        shown = self.shown(ROOT)
        self.assertEqual(shown.count("<table>"), len(profile.TABLES))
        self.assertEqual(shown.count("between operations"), len(profile.TABLES))
        self.assertNotRegex(shown, r"mlp_|chargpt|resnet16")
        self.assertIn(f'{self.kept["machine"]}, {self.kept["threads"]} threads, on {self.kept["date"]}', shown)

    def test_without_a_measurement_it_says_so(self):
        self.assertIn("Not run", self.shown(ROOT / "nowhere"))

    def test_the_points_are_the_products(self):
        dots = profile.points(self.kept)
        self.assertEqual({d["operation"] for d in dots}, {"linear", "conv2d", "self_attention"})
        self.assertEqual({d["network"] for d in dots}, set(profile.NAMES.values()))
        for dot in dots:
            self.assertGreater(dot["operations per byte"], 0)

    def test_every_point_is_under_the_roof(self):
        spec = profile.roofline(self.kept, "fig-roof")
        roofs, _, dots = (layer["data"]["values"] for layer in spec["layer"])
        peak = max(p["GFLOP/s"] for p in roofs)
        self.assertEqual(peak, profile.measured.most_flops(self.kept["limits"]))
        for dot in dots:
            self.assertLess(dot["GFLOP/s"], peak)
        for name in ("memory", "cache"):
            line = [(p["operations per byte"], p["GFLOP/s"]) for p in roofs if p["roof"] == name]
            self.assertEqual(line, sorted(line))
        self.assertEqual(spec["usermeta"]["recto"]["name"], "fig-roof")


if __name__ == "__main__":
    unittest.main()
