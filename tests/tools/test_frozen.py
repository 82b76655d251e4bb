"""What the register says of frozen studies: from where they are, and how they came out when they were done again."""
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from recto import includes, proofs
from recto.pages.pages import Page
from recto.place import Failure
from recto.register import evidence, frozen, register

SOURCE = """// # A page
const Study study({"widths", {"width"}, {"error"}, {"r/a"}}, cells, measure);
"""
TABLE = "# commit 630f450\n# machine a small one\n# date 2026-11-22\n# command none\nwidth,error,seconds\n1,0.5,3\n2,0.25,6\n"
ROWS = [{"id": "r", "parts": [{"id": "a"}, {"id": "b"}]}]


class Tree(unittest.TestCase):
    """A tree with one page that has one study, and its receipts."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for place in ("cmake", "figures", "chapters/1-one", "build/runs/page"):
            (self.root / place).mkdir(parents=True)
        for name in ("CMakeLists.txt", "CMakePresets.json", "lib/CMakeLists.txt", "chapters/CMakeLists.txt", "chapters/1-one/CMakeLists.txt"):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text("")
        (self.root / "chapters/1-one/CMakeLists.txt").write_text("recto_pages(page)\n")
        self.page = Page("page", "A page", ("r",), self.root / "chapters/1-one/page.cpp")
        self.page.source.write_text(SOURCE)
        self.table = self.root / "figures/widths.csv"
        self.table.write_text(TABLE)
        self.kept = proofs.Kept("frozen", self.root / "receipts", self.root / "own")
        for module, name, value in ((frozen, "ROOT", self.root), (frozen, "KEPT", self.kept), (includes, "ROOT", self.root),
                                    (includes, "LIBRARY", self.root / "lib"),
                                    (evidence, "RUNS", self.root / "build/runs"),
                                    (register, "RUNS", self.root / "build/runs")):
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def keep(self, outcome: str = proofs.PASSED, said: str = "widths: cell 2 done again") -> None:
        """Does the studies again."""
        self.kept.keep({"page": proofs.proof(frozen.inputs(self.page), outcome, "g++ 12", frozen.measured(said))})

    def proven(self, *parts: str) -> evidence.Proof:
        """What a claim about r/a proves, on a page with a study that names these parts."""
        records = [{"kind": "frozen", "study": "widths", "parts": list(parts)},
                   {"kind": "claim", "line": 1, "part": "r/a", "text": "it is so", "measured": 0.5, "relation": "<",
                    "bound": 1.0, "holds": True}]
        (self.root / "build/runs/page/trace.jsonl").write_text("\n".join(map(json.dumps, records)))
        return evidence.claims_of(self.page, self.root / "build/runs/page")[0]


class DoneAgain(Tree):
    def test_what_came_out(self):
        self.keep()
        proof = self.proven("r/a")
        self.assertEqual(proof.state, "held")
        self.assertRegex(proof.frozen[0], r"^figures/widths.csv of 2026-11-22, commit 630f450; 1 of 2 cells done again on \d{4}-\d\d-\d\d$")

    def test_a_receipt_names_the_cells(self):
        self.assertEqual(frozen.measured("widths: cell 2 done again\nwidths: width 2: error 1 was 1: equal\n"), {"widths: cells 2": 1})
        self.assertEqual(frozen.measured("widths: cell 2 done again\nwidths: cell 1 done again\n"), {"widths: all cells": 2})
        self.keep(said="")
        self.assertIn("; 0 of 2 cells done again on", self.proven("r/a").frozen[0])

    def test_what_did_not_come_out_breaks_its_parts_and_is_a_problem(self):
        self.keep("study widths: 'error' is not within 0.05")
        proof = self.proven("r/a")
        self.assertEqual(proof.state, "broken")
        self.assertRegex(proof.frozen[0], "did not come out: study widths: 'error' is not within 0.05$")
        [problem] = register.problems_of_studies([self.page], ROWS)
        self.assertRegex(problem, "page.cpp: its frozen studies were done again on .* is not within 0.05$")
        self.assertEqual(self.proven("r/b").state, "held")      # it does not rest on the study

    def test_what_has_changed_since_says_so(self):
        self.keep("it did not come out")
        self.page.source.write_text(SOURCE + "int more;\n")
        proof = self.proven("r/a")
        self.assertEqual((proof.state, register.problems_of_studies([self.page], ROWS)), ("held", []))
        self.assertRegex(proof.frozen[0], r"; done again on [0-9-]+, the code has changed since$")

    def test_how_a_page_is_compiled_counts(self):
        for name in ("CMakeLists.txt", "CMakePresets.json", "lib/CMakeLists.txt", "chapters/CMakeLists.txt", "chapters/1-one/CMakeLists.txt"):
            before = frozen.inputs(self.page)
            (self.root / name).write_text("recto_pages(PRECISION double page)")
            self.assertNotEqual(frozen.inputs(self.page), before, name)

    def test_how_a_page_draws_does_not_count(self):
        counts = {"figure/axis": False, "book/say": False, "book/study": True, "book/option": True, "book/command_line": True, "nn/linear": True}
        headers = {name: self.root / f"lib/recto/{name}.hpp" for name in counts}
        for header in headers.values():
            header.parent.mkdir(parents=True, exist_ok=True)
            header.write_text("int before;\n")
        self.page.source.write_text("".join(f"#include <recto/{name}.hpp>\n" for name in counts) + SOURCE)
        for name, header in headers.items():
            before = frozen.inputs(self.page)
            header.write_text("int after;\n")
            self.assertEqual(frozen.inputs(self.page) != before, counts[name], name)

    def test_the_files_of_a_model_count(self):
        self.page.source.write_text('const book::Model<Training> kept({"widths", "error"});\n')
        (self.root / "models").mkdir()
        for name in ("widths.safetensors", "widths.checkpoint.safetensors"):
            before = frozen.inputs(self.page)
            (self.root / "models" / name).write_text("weights")
            self.assertNotEqual(frozen.inputs(self.page), before, name)

    def test_what_was_never_done_again_says_so(self):
        proof = self.proven("r/a")
        self.assertEqual((proof.state, register.problems_of_studies([self.page], ROWS)), ("held", []))
        self.assertTrue(proof.frozen[0].endswith("; not done again yet"))

    def test_a_part_that_does_not_exist(self):
        self.proven("r/a", "r/z")
        [problem] = register.problems_of_studies([self.page], ROWS)
        self.assertRegex(problem, "page.cpp: the register has no part r/z, which the study widths names$")

    def test_a_table_that_does_not_say_where_it_is_from(self):
        for text in (TABLE.replace("# commit 630f450", "# commit"), TABLE.replace("# commit 630f450\n", "")):
            self.table.write_text(text)
            with self.assertRaisesRegex(Failure, "widths.csv: wanted a line `# commit ...`"):
                frozen.notes("widths")
        self.table.unlink()
        for wrong in (lambda: frozen.notes("widths"), lambda: frozen.inputs(self.page)):
            with self.assertRaisesRegex(Failure, "widths.csv: wanted the kept run of a study"):
                wrong()


if __name__ == "__main__":
    unittest.main()
