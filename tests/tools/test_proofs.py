"""Receipts of proofs: what is fresh, what is stale, and what may not be believed."""
import dataclasses
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from recto import proofs
from recto.includes import called_with
from recto.place import TOOLS


class Receipts(unittest.TestCase):
    """Each test has an empty folder."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.path = self.root / "receipts" / "some.json"

    def file(self, name, text):
        path = self.root / name
        path.write_text(text)
        return path

    def test_a_digest_changes_with_contents_names_and_words_and_not_with_the_order_of_files(self):
        a, b = self.file("a", "1"), self.file("b", "2")
        first = proofs.digest(self.root, [a, b], "-O1")
        self.assertEqual(first, proofs.digest(self.root, [b, a, a], "-O1"))
        others = {proofs.digest(self.root, [a, b], "-O2"), proofs.digest(self.root, [a], "-O1"),
                  proofs.digest(self.root, [a, self.file("c", "2")], "-O1")}
        self.file("b", "3")
        others.add(proofs.digest(self.root, [a, b], "-O1"))
        self.assertEqual(len(others | {first}), 5)

    def test_of_cpp_the_tokens_count_and_of_other_files_every_letter(self):
        for name, same, other in [("a.cpp", "int f();  // why\n", "int g();"), ("b.toml", "int f();", "int f(); ")]:
            first = proofs.digest(self.root, [self.file(name, "int f();")])
            self.assertEqual(first, proofs.digest(self.root, [self.file(name, same)]), name)
            self.assertNotEqual(first, proofs.digest(self.root, [self.file(name, other)]), name)

    def test_a_source_that_is_added_to_a_list_changes_no_digest_and_a_flag_does(self):
        lists = "set(nn module init)\nrecto_pages(lenet)\nset(CMAKE_CXX_STANDARD 20)\n"
        path = self.file("CMakeLists.txt", lists)
        first = proofs.digest(self.root, [path])
        self.file("CMakeLists.txt", "# Convolutional networks\n" + lists.replace("init", "init graph").replace("lenet", "lenet\n    gpt"))
        self.assertEqual(first, proofs.digest(self.root, [path]))
        self.file("CMakeLists.txt", lists.replace("20", "23"))
        self.assertNotEqual(first, proofs.digest(self.root, [path]))

    def test_how_a_page_is_compiled_is_what_its_call_says_beside_the_pages(self):
        for name in ("lenet.cpp", "gpt.cpp", "moments.cpp"):
            self.file(name, "")
        self.file("CMakeLists.txt", "recto_pages(lenet gpt)\nrecto_pages(PRECISION double\n            moments)\n")
        self.assertEqual([called_with(self.root / f"{name}.cpp") for name in ("lenet", "gpt", "moments")], ["", "", "PRECISION double"])
        with self.assertRaisesRegex(ValueError, "missing.cpp: wanted a recto_pages"):
            called_with(self.root / "missing.cpp")

    def test_fresh_stale_failed_and_missing(self):
        one = proofs.proof("1" * 64, proofs.PASSED, "g++ 14")
        two = proofs.proof("2" * 64, "line 3: error", "g++ 14")
        now = {"a": "1" * 64, "b": "3" * 64, "c": "2" * 64, "d": "4" * 64}
        standing = proofs.standing({"a": one, "b": one, "c": two, "gone": one}, now)
        self.assertEqual(standing, proofs.Standing(["a"], ["c"], ["b"], ["d"]))
        self.assertEqual(standing.due(), ["b", "c", "d"])

    def test_what_is_written_is_read_again_one_line_for_each_subject(self):
        known = {name: proofs.proof("a" * 64, proofs.PASSED, "g++ 14") for name in ("b.cpp", "a.cpp")}
        proofs.write(self.path, "compiles", known)
        self.assertEqual(proofs.read(self.path, "compiles"), known)
        lines = self.path.read_text().splitlines()
        self.assertEqual([line[:7] for line in lines[1:-1]], ['"a.cpp"', '"b.cpp"'])
        self.assertEqual(proofs.read(self.root / "none.json", "compiles"), {})

    def test_an_outcome_of_many_lines_fits_a_receipt(self):
        known = {"a": proofs.proof("a" * 64, "error:\n\x1b[1mno such thing\n" * 90, "g++"), "b": proofs.proof("a" * 64, " ", "g++")}
        proofs.write(self.path, "compiles", known)
        self.assertEqual(proofs.read(self.path, "compiles"), known)
        self.assertTrue(known["a"].outcome.startswith("error: ?[1mno such thing error:"))

    def test_a_write_that_fails_leaves_the_old_receipt_and_nothing_else(self):
        known = {"a": proofs.proof("a" * 64, proofs.PASSED, "g++ 14")}
        proofs.write(self.path, "compiles", known)
        with mock.patch("os.replace", side_effect=OSError("full")), self.assertRaises(OSError):
            proofs.write(self.path, "compiles", {})
        self.assertEqual(proofs.read(self.path, "compiles"), known)
        self.assertEqual([path.name for path in self.path.parent.iterdir()], ["some.json"])

    def test_what_cannot_be_believed_is_refused_with_the_reason(self):
        good = dataclasses.asdict(proofs.proof("a" * 64, proofs.PASSED, "g++ 14"))
        def receipt(**fields):
            return {"receipt": "compiles", "proofs": {"a.cpp": {**good, **fields}}}
        short = {name: good[name] for name in good if name != "date"}
        cases = [("[]", "wanted an object with"), ("{", "Expecting"), ("\xff", "decode"), ("[" * 100_000, "recursion"),
                 ('{"receipt": "x", "receipt": "y"}', "stands twice"),
                 (json.dumps({**receipt(), "more": 1}), "wanted an object with"),
                 (json.dumps({"receipt": "parity", "proofs": {}}), "wanted a receipt of compiles, got 'parity'"),
                 (json.dumps({"receipt": "compiles", "proofs": []}), "wanted an object with"),
                 (json.dumps({"receipt": "compiles", "proofs": {"a": short}}), "wanted inputs, outcome, by, machine, date"),
                 (json.dumps(receipt(inputs="A" * 64)), "wanted a SHA-256"), (json.dumps(receipt(date="today")), "isoformat"),
                 (json.dumps(receipt(by=7)), "wanted one line"), (json.dumps(receipt(by="a\nb")), "wanted one line"),
                 (json.dumps(receipt(measured={"loss": "1"})), "wanted finite numbers as measured"),
                 (json.dumps(receipt(measured={"loss": float("nan")})), "wanted finite numbers as measured"),
                 (json.dumps(receipt(measured={"a\nb": 1})), "wanted one line"),
                 (json.dumps(receipt(outcome="x" * 401)), "at most 400 letters as outcome"),
                 (" " * (proofs.MOST + 1), "it is longer than")]
        for text, reason in cases:
            with self.subTest(text[:60]):
                self.file("bad.json", "").write_bytes(text.encode("latin-1"))
                with self.assertRaises(proofs.BadReceipt) as raised:
                    proofs.read(self.root / "bad.json", "compiles")
                self.assertIn("bad.json: ", str(raised.exception))
                self.assertIn(reason, str(raised.exception))

    def test_a_tenth_of_what_is_fresh_is_proven_again_another_tenth_for_every_commit(self):
        inputs = {f"page {number}": f"{number:064}" for number in range(40)}
        known = {name: proofs.proof(key, proofs.PASSED, "g++") for name, key in inputs.items()}
        known["page 0"] = proofs.proof("f" * 64, proofs.PASSED, "g++")
        known["page 1"] = proofs.proof(inputs["page 1"], "it fails", "g++")
        plans = []
        for commit in ("a", "a", "b"):
            with mock.patch.object(proofs, "commit", return_value=commit):
                plans.append(proofs.plan(known, inputs, sampled=True))
        self.assertEqual(plans[0], plans[1])
        self.assertNotEqual(plans[0], plans[2])
        for plan in plans:
            self.assertEqual(len(plan.now), 2 + 4)        # stale, failed, and a tenth of 38
            self.assertLess({"page 0", "page 1"}, set(plan.now))
            self.assertEqual(sorted([*plan.now, *plan.by_receipt]), sorted(inputs))
        self.assertEqual(proofs.plan(known, inputs).now, ["page 0", "page 1"])
        self.assertEqual(proofs.plan(known, inputs, again=True).by_receipt, [])

    def test_a_sample_needs_one_build_if_one_will_do(self):
        subjects = [f"{kind} {number}" for kind in ("float", "double") for number in range(40)]
        drawn = {commit: proofs.sample(subjects, commit, lambda subject: subject.split()[0]) for commit in "abcdefgh"}
        kinds = {commit: {subject.split()[0] for subject in sample} for commit, sample in drawn.items()}
        self.assertEqual({len(sample) for sample in drawn.values()}, {8})
        self.assertEqual({len(kind) for kind in kinds.values()}, {1})
        self.assertEqual(set.union(*kinds.values()), {"float", "double"})
        self.assertGreater(len({tuple(sample) for sample in drawn.values()}), 2)

    def test_own_proofs_come_before_committed_ones_and_only_what_passed_is_committed(self):
        kept = proofs.Kept("some", self.root / "receipts", self.root / "own")
        inputs = {"a": "1" * 64, "b": "2" * 64}
        kept.keep({name: proofs.proof(key, proofs.PASSED, "g++", {"loss": 0.5}) for name, key in inputs.items()})
        kept.commit(inputs)
        kept.keep({"b": proofs.proof(inputs["b"], "it fails", "g++")})
        self.assertEqual({name: one.outcome for name, one in kept.known(inputs).items()}, {"a": proofs.PASSED, "b": "it fails"})
        kept.commit(inputs)
        self.assertEqual(proofs.read(kept.committed, "some"), {"a": kept.known(inputs)["a"]})
        self.assertEqual(kept.known(inputs)["a"].measured, {"loss": 0.5})
        self.assertEqual(kept.known({"a": "3" * 64}), {})

    def test_two_programs_that_keep_at_once_lose_nothing(self):
        one = "from recto import proofs\nfrom pathlib import Path\nimport sys\nkept = proofs.Kept('some', Path(), Path(sys.argv[1]))\n" \
              "for n in range(30):\n    kept.keep({f'{sys.argv[2]} {n}': proofs.proof('1' * 64, proofs.PASSED, 'g++')})\n"
        both = [subprocess.Popen([sys.executable, "-c", one, self.root, name], cwd=TOOLS) for name in "ab"]
        self.assertEqual([process.wait() for process in both], [0, 0])
        self.assertEqual(len(proofs.Kept("some", self.root / "receipts", self.root).all()), 60)


if __name__ == "__main__":
    unittest.main()
