"""Receipts of a GPU: what counts as one, when it is stale, and what strangers may write into one."""
import copy
import json
import tempfile
import unittest
from pathlib import Path

from recto.gpu import kernels, receipts
from recto.place import Failure

LIBRARY = {
    "device/launch.hpp": "#include <recto/base/math.hpp>\ntemplate <class K> void each(K k) { k(0); }\n",
    "base/math.hpp": "// words\ninline float twice(float x) { return x + x; }\n",
    "core/text.cpp": "#include <recto/core/text.hpp>\n#ifdef RECTO_CUDA_ON_CPU\n#endif\n",
    "core/text.hpp": "int text();\n",
    "core/sum.hpp": "#include <recto/device/launch.hpp>\n",
    "device/storage.cpp": "#include <recto/device/cuda/memory.hpp>\n",
    "device/cuda/memory.cu": "#include <recto/device/cuda/memory.hpp>\n",
    "device/cuda/memory.hpp": "void* take();\n",
    "nn/loss.cpp": "#include <recto/core/sum.hpp>\n",
    "nn/linear.cpp": "#include <recto/base/math.hpp>\n",
    "ops/exp.cpp": "#include <recto/ops/exp.hpp>\n",
    "ops/exp.hpp": "float exp(float);\n",
    "ops/exp.test.cpp": "#include <recto/core/text.hpp>\n",
    "testing/every_op.cpp": 'const Op ops[] = {\n    {"exp", "nm", f},\n    {"sum", "nm", f},\n};\n',
    "testing/parity.cpp": "int compare();\n",
}


class Tree(unittest.TestCase):
    """A repository with a small library and receipts of it."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name).resolve()
        for name, text in LIBRARY.items():
            self.write(name, text)
        receipts.present.cache_clear()

    def tearDown(self):
        self.folder.cleanup()
        receipts.present.cache_clear()

    def write(self, name: str, text: str) -> None:
        path = self.root / "lib" / "recto" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        receipts.present.cache_clear()

    def receipt(self, **more) -> dict:
        """A good receipt of the library as it is."""
        files = kernels.digests(self.root)
        found = [{"name": name, "setting": "n = 1", "fault": "", "share": 0.5, "error": 1e-7, "bound": 2e-7, "numbers": 9}
                 for name in ("exp", "sum", *receipts.TRIPWIRES)]
        return {"receipt": "parity", "device": "cuda", "name": "NVIDIA H200", "gibibytes": 139.8, "capability": "9.0",
                "toolkit": "CUDA 13.0", "driver": "CUDA 13.0", "date": "2026-11-21", "precision": "float",
                "commit": "1de47a1", "kernels": kernels.total(files), "files": files, "whole": True, "found": found, **more}

    def put(self, receipt: dict, name: str = "one") -> Path:
        path = self.root / "tests" / "receipts" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(receipt))
        receipts.present.cache_clear()
        return path


class Sources(Tree):
    def test_what_runs_on_a_gpu_or_tells_it_what_to_run(self):
        self.assertEqual(kernels.sources(self.root), [f"lib/recto/{name}" for name in (
            "base/math.hpp", "core/sum.hpp", "device/cuda/memory.cu", "device/cuda/memory.hpp", "device/launch.hpp",
            "device/storage.cpp", "nn/loss.cpp", "ops/exp.cpp", "ops/exp.hpp", "testing/every_op.cpp", "testing/parity.cpp")])

    def test_the_library(self):
        found = kernels.sources()
        for name in ("kernels/gemm.cpp", "base/math.hpp", "device/team.hpp", "kernels/cuda/gemm.cu",
                     "ops/products/matmul.cpp", "optim/adam.cpp", "testing/every_op.cpp", "testing/parity.hpp"):
            self.assertIn(f"lib/recto/{name}", found)
        self.assertEqual([name for name in found if "/book/" in name or name.endswith(".test.cpp")], [])

    def test_comments_and_spaces_do_not_count(self):
        source = "#define A(x) x\nfloat f(float x) {  // why\n    return x + +x;\n}\n"
        for same in (source.replace("why", "because"), source.replace("return x", "/* */ return\n\n   x"),
                     source.replace("f(float x)", "f( float x )"), source.replace("    return", "return")):
            self.assertEqual(kernels.digest(same), kernels.digest(source), same)
        for other in (source.replace("+ +", "++"), source.replace("A(x) x", "A (x) x"), source.replace("x;", "y;"),
                      source.replace("return x", "returnx"), source + ";"):
            self.assertNotEqual(kernels.digest(other), kernels.digest(source), other)

    def test_header(self):
        made = kernels.header(self.root)
        self.assertIn('{"lib/recto/ops/exp.hpp", "' + kernels.digests(self.root)["lib/recto/ops/exp.hpp"] + '"},', made)
        self.assertIn(f'kernel_digest = "{kernels.total(kernels.digests(self.root))}"', made)
        self.assertIn('built_from = "unknown"', made)


class Standing(Tree):
    def standing(self):
        found = receipts.standing(self.root)
        return found.state, found.why

    def test_without_a_receipt_nothing_was_run(self):
        self.assertEqual(self.standing(), ("not run", "not run: there is no receipt of a GPU"))

    def test_a_receipt_of_these_sources(self):
        self.put(self.receipt())
        self.assertEqual(self.standing(), ("held", "passed on NVIDIA H200, CUDA 13.0, 2026-11-21"))
        self.write("base/math.hpp", LIBRARY["base/math.hpp"].replace("words", "other words"))
        self.assertEqual(self.standing()[0], "held")
        self.write("core/text.hpp", "long text();\n")        # no kernel
        self.assertEqual(self.standing()[0], "held")

    def test_stale(self):
        self.put(self.receipt())
        self.write("base/math.hpp", LIBRARY["base/math.hpp"].replace("x + x", "2 * x"))
        self.assertEqual(self.standing(), ("stale", "stale since lib/recto/base/math.hpp changed (run on NVIDIA H200, "
                                                    "CUDA 13.0, 2026-11-21)"))
        self.write("ops/cube.cpp", "")
        self.assertIn("stale since lib/recto/base/math.hpp and 1 more changed", self.standing()[1])
        self.put(self.receipt(name="NVIDIA L4"), "another")
        receipt = json.loads((self.root / "tests/receipts/another.json").read_text())
        self.assertEqual(self.standing(), ("held", "passed on NVIDIA L4, CUDA 13.0, 2026-11-21"), receipt["kernels"])

    def test_what_a_program_is_not_made_of_may_change(self):
        self.put(self.receipt())
        self.write("nn/loss.cpp", LIBRARY["nn/loss.cpp"] + "int more;\n")
        self.write("ops/cube.cpp", "")
        exp = {"lib/recto/ops/exp.cpp", "lib/recto/ops/exp.hpp", "lib/recto/core/text.hpp", "lib/recto/ops/exp.test.cpp"}
        self.assertEqual(receipts.standing(self.root, exp).state, "held")
        for changed in ("nn/loss.cpp", "ops/cube.cpp"):
            self.assertEqual(receipts.standing(self.root, exp | {f"lib/recto/{changed}"}).why,
                             f"stale since lib/recto/{changed} changed (run on NVIDIA H200, CUDA 13.0, 2026-11-21)")

    def test_a_difference_speaks_louder(self):
        self.put(self.receipt(), "good")
        bad = self.receipt()
        bad["found"][1] |= {"fault": "result 0: wanted 1, got 2", "share": "inf"}
        self.put(bad, "bad")
        self.assertEqual(self.standing(), ("broken", "differs on NVIDIA H200, CUDA 13.0, 2026-11-21: sum"))

    def test_no_fault_but_beyond_the_bound(self):
        bad = self.receipt()
        bad["found"][0]["share"] = "nan"
        self.put(bad)
        self.assertEqual(self.standing()[0], "broken")

    def test_an_operation_is_missing(self):
        short = self.receipt()
        del short["found"][1]
        self.put(short)
        with self.assertRaisesRegex(Failure, "one.json: it lacks sum"):
            receipts.standing(self.root)


class Strangers(Tree):
    def refused(self, receipt, why: str):
        path = self.put(receipt) if isinstance(receipt, dict) else self.root / "x.json"
        if isinstance(receipt, (str, bytes)):
            path.write_bytes(receipt.encode() if isinstance(receipt, str) else receipt)
        with self.assertRaises(Failure) as caught:
            receipts.accept(path)
        self.assertIn(why, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_of_another_device(self):
        self.refused(self.receipt(device="sim"), "a receipt of the device sim says nothing about cuda")
        self.refused(self.receipt(capability=""), "it does not name a GPU")
        self.refused(self.receipt(name="  "), "it does not name a GPU")
        self.refused(self.receipt(whole=False), "only some operations were run")

    def test_no_receipt(self):
        for text, why in [("", "Expecting value"), ("[]", "no receipt"), ("{}", "no receipt"), ("[" * 100_000, "recursion"),
                          ('{"a": 1, "a": 2}', "a name stands twice"), (b"\xff{}", "codec"), ("1" * 5000, "digit"),
                          ('{"receipt": "bench"}', "no receipt"), (" " * (1 << 21), "longer than 1048576 bytes")]:
            self.refused(text, why)
        with self.assertRaisesRegex(Failure, "nowhere.json: "):
            receipts.read(self.root / "nowhere.json")

    def test_fields(self):
        good = self.receipt()
        self.assertEqual(receipts.accept(self.put(good)).name, "NVIDIA H200")
        for name, value, why in [("name", "a\nb", "wanted a line"), ("name", 7, "wanted a line"), ("name", "x" * 81, "wanted a line"),
                                 ("date", "yesterday", "Invalid isoformat"), ("gibibytes", -1, "wanted a number"),
                                 ("gibibytes", True, "wanted a number"), ("files", [], "an object of files"),
                                 ("whole", 1, "whether it is whole"), ("kernels", "0" * 64, "is not that of its files"),
                                 ("found", [1], "of each comparison"), ("extra", 1, "extra")]:
            self.refused({**good, name: value}, why)
        for name, value, why in [("share", -1, "wanted a number"), ("share", "many", "wanted a number"), ("numbers", 0, "nothing was compared"),
                                 ("numbers", True, "nothing was compared"), ("fault", None, "wanted a line"), ("more", 1, "of each comparison")]:
            bad = copy.deepcopy(good)
            bad["found"][0][name] = value
            self.refused(bad, why)
        lacking = dict(good)
        del lacking["commit"]
        self.refused(lacking, "commit")
        self.refused(json.dumps(good).replace("139.8", "NaN"), "wanted a number")

    def test_kept_under_a_name_of_our_own(self):
        path = self.root / "parity.json"
        path.write_text(json.dumps(self.receipt(name="../../NVIDIA/H200 <b>")))
        kept = receipts.keep(path, self.root)
        self.assertEqual(kept, self.root / "tests/receipts/nvidia-h200-b-cuda-13.0.json")
        self.assertEqual(kept.read_text(), path.read_text())
        path.write_text(json.dumps(self.receipt(device="sim")))
        with self.assertRaises(Failure):
            receipts.keep(path, self.root)


if __name__ == "__main__":
    unittest.main()
