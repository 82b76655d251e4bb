"""What comes back from a machine with a GPU, and what of it the page How fast is it shows."""
import json
import unittest
from unittest import mock

import test_receipts
from recto.gpu import bench, carry, receipts
from recto.place import Failure


class Back(test_receipts.Tree):
    def setUp(self):
        super().setUp()
        self.there = self.root / "measured"
        self.there.mkdir()
        (self.there / "parity.json").write_text(json.dumps(self.receipt()))
        ours = [{"machine": "NVIDIA H200"}, {"limit": "product of 1024 x 1024", "value": 3e4, "unit": "GFLOP/s"},
                *({"workload": "mlp", "samples_per_s": rate} for rate in (100, 300, 200)),
                {"workload": "tiny_scalar", "not_run": "single numbers are on the cpu only"}]
        theirs = [{"framework": "PyTorch 2.11.0", "workload": "mlp", "samples_per_s": 100.0},
                  {"framework": "PyTorch 2.11.0", "workload": "product of 1024 x 1024", "samples_per_s": 4e4}]
        self.write_lines("bench", ours)
        self.write_lines("peers", theirs)

    def write_lines(self, name, records):
        (self.there / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))

    def table(self):
        return carry.measured(self.there, receipts.accept(self.there / "parity.json"))

    def test_the_table(self):
        found = self.table()
        self.assertEqual(found["workloads"], [{"workload": "mlp", "ours": 200, "peer": 100, "ratio": 2}])
        self.assertEqual(found["limits"], [{"limit": "product of 1024 x 1024", "value": 3e4, "unit": "GFLOP/s", "peer": 4e4}])
        self.assertEqual((found["machine"], found["peers"]), ("NVIDIA H200, CUDA 13.0", "PyTorch 2.11.0"))

    def test_without_pytorch(self):
        self.write_lines("peers", [])
        found = self.table()
        self.assertEqual(found["workloads"], [{"workload": "mlp", "ours": 200, "peer": None, "ratio": None}])
        self.assertEqual(found["peers"], "")

    def test_what_is_no_measurement(self):
        for name, text in [("bench", "no JSON"), ("bench", "[1]\n"), ("bench", '{"workload": 7, "samples_per_s": 1}\n'),
                           ("peers", '{"framework": "x", "workload": "mlp", "samples_per_s": -1}\n'), ("bench", "[" * 100_000)]:
            with self.subTest(text[:40]):
                before = (self.there / f"{name}.jsonl").read_text()
                (self.there / f"{name}.jsonl").write_text(text)
                with self.assertRaises(Failure):
                    self.table()
                (self.there / f"{name}.jsonl").write_text(before)

    def test_nothing_is_kept_of_a_receipt_that_is_none(self):
        (self.there / "parity.json").write_text(json.dumps(self.receipt(device="sim")))
        with mock.patch.object(carry, "MEASURED", self.root / "measured.json"), self.assertRaises(Failure):
            carry.back(self.there)
        self.assertFalse((self.root / "measured.json").exists())


class Shown(unittest.TestCase):
    def test_not_run(self):
        said = bench.line({"workload": "tiny_scalar", "device": "cuda", "not_run": "single numbers are on the cpu only"})
        self.assertEqual(said.split(maxsplit=1), ["tiny_scalar", "not run on cuda: single numbers are on the cpu only"])

    def test_the_page_says_not_run(self):
        try:
            from recto_book import speed
        except ImportError as error:
            self.skipTest(f"the book's packages are not here: {error}")
        self.assertIn("On a GPU: not run.", speed.on_gpu({}))
        table = speed.on_gpu({"machine": "NVIDIA <H200>", "date": "2026-11-21", "commit": "1de47a1", "peers": "", "workloads": [
            {"workload": "mlp", "ours": 200, "peer": None}], "limits": [
            {"limit": "product", "value": 3e4, "unit": "GFLOP/s", "peer": 4e4}]})
        self.assertIn("NVIDIA &lt;H200&gt;", table)
        self.assertIn('<td class="num">not run</td>', table)
        self.assertIn("0.75", table)


if __name__ == "__main__":
    unittest.main()
