"""What a GPU measured of the kernel ladders: whose word it is, and for which kernels."""
import copy
import dataclasses
import json
import tempfile
import unittest
from pathlib import Path

from recto.gpu import ladder
from recto.place import Failure
from recto.register import evidence, register

MEASURED = {
    "kernels": "", "date": "2026-11-22", "device": "NVIDIA H200", "capability": "9.0", "gibibytes": 139.8,
    "toolkit": "CUDA 13.0", "driver": "CUDA 13.0", "size": 4096, "cublas": {"gflops": 5e4, "error": 1e-6},
    "products": [{"step": "naive", "gflops": 5e3, "of_cublas": 0.1, "error": 2e-6}],
    "count": 1 << 28, "copy": 4e3, "cublas_asum": 3e3,
    "sums": [{"step": "naive", "gbytes_per_s": 9.5, "of_copy": 0.002, "different_of_8": 1}],
    "transfer": {"size": 2048, "stays": 1e-3, "copied": 4e-3, "copy": 3e-3},
    "peaks": [{"precision": "FP32", "gflops": 5e4, "peak": 6.7e4}, {"precision": "TF32", "gflops": 3e5, "peak": None}]}
LINK = {"claim-transfer-bottleneck/b": "held", "claim-transfer-bottleneck/c": "held"}


class Ladder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        for name in ladder.KERNELS:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(f"__global__ void f() {{}}  // {name}\n")
        (self.root / "bench").mkdir()
        self.data = copy.deepcopy(MEASURED)
        self.data["kernels"] = ladder.mark(self.root)

    def tearDown(self):
        self.folder.cleanup()

    def proofs(self):
        (self.root / "bench" / "ladder.json").write_text(json.dumps(self.data))
        return {proof.part: proof for proof in evidence.ladder_measured(self.root)}

    def test_it_speaks_for_its_parts(self):
        found = self.proofs()
        self.assertEqual({part: proof.state for part, proof in found.items()},
                         {"sys-blocked-matmul/d": "held", "claim-gpu-peak/b": "held", "claim-gpu-peak/c": "held"} | LINK)
        self.assertEqual(found["claim-transfer-bottleneck/b"].measured, 4)
        self.assertEqual(found["sys-blocked-matmul/d"].measured, 2e-6)
        self.assertEqual(found["claim-gpu-peak/b"].devices, ("cuda",))

    def test_a_part_holds_where_there_is_no_gpu(self):
        proof = self.proofs()["claim-gpu-peak/c"]
        part = {"id": "c", "what": "its memory", "bound": "reported", "seeds": 1, "type": "gpu"}
        self.assertEqual(register.judge_part(part, [proof], False, register.silent)["state"], "held")
        here = dataclasses.replace(proof, where="lib/recto/a.test.cpp:1")       # the same from a test is no measurement
        self.assertEqual(register.judge_part(part, [here], False, register.silent)["state"], "not run")

    def test_what_does_not_hold_is_broken(self):
        self.data["products"][0]["error"] = 1e-3
        self.data["peaks"][0]["gflops"] = 7e4
        self.data["transfer"]["copied"] = 1.5e-3
        found = self.proofs()
        self.assertEqual(found["claim-transfer-bottleneck/b"].state, "broken")
        self.assertEqual(found["sys-blocked-matmul/d"].state, "broken")
        self.assertEqual(found["claim-gpu-peak/b"].state, "broken")

    def test_an_error_that_is_no_number_is_broken(self):
        self.data["cublas"]["error"] = "nan"
        self.assertEqual(self.proofs()["sys-blocked-matmul/d"].state, "broken")

    def test_other_kernels(self):
        (self.root / ladder.KERNELS[0]).write_text("__global__ void g() {}\n")
        self.assertEqual({proof.state for proof in self.proofs().values()}, {"not run"})

    def test_a_peak_that_nobody_knows(self):
        self.data["peaks"] = [{"precision": "FP32", "gflops": 5e4, "peak": None}]
        self.assertEqual({part: proof.state for part, proof in self.proofs().items()},
                         {"sys-blocked-matmul/d": "held", "claim-gpu-peak/b": "not run", "claim-gpu-peak/c": "held"} | LINK)

    def test_no_measurement(self):
        self.assertEqual([(proof.part, proof.state) for proof in evidence.ladder_measured(self.root)],
                         [(part, "not run") for part in ladder.PARTS])

    def test_what_is_no_measurement(self):
        for change in ({"products": []}, {"peaks": None}, {"device": "\x1b[2J"}, {"cublas": {"gflops": -1, "error": 0}}, {"sums": [3]}):
            with self.subTest(change), self.assertRaises(Failure):
                self.data = {**copy.deepcopy(MEASURED), **change}
                self.proofs()


if __name__ == "__main__":
    unittest.main()
