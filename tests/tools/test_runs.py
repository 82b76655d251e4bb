"""Pages, their runs, what tests leave, and the page of one run; the programs are shell scripts."""
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from recto.book import own_page
from recto.checks import catch
from recto.pages import pages, runs
from recto.pages import trace as trace_module
from recto.pages.trace import finished, read_trace
from recto.place import Failure, Mistake
from recto.register import evidence

SOURCE = """// # Fitting a curve
//
// ```{rows} fig-1.1 eq-1.1
// ```
// ## The points
void page() {
    say("hello");
    claim("fig-1.1/a", "it vanishes", 0.5, "<", 1);
    claim("fig-1.1/b", "it appears", 0.5, "<", 1);
}
"""


def trace(seed: str = "1", holds: bool = True, whole: bool = True) -> str:
    """What a program would leave."""
    records = [
        {"kind": "say", "line": 7, "text": f"seed {seed} <b>"},
        {"kind": "claim", "line": 8, "part": "fig-1.1/a", "text": "it vanishes", "measured": 0.5, "relation": "<",
         "bound": 1.0, "holds": holds, "judged": seed == "1", "expect": "holds", "timing": False, "seeds": 1},
        {"kind": "table", "line": 9, "name": "t", "caption": "c", "columns": ["n"], "rows": [[float(seed)]]},
        {"kind": "page", "program": "fit_curve", "device": "cpu", "seconds": 1.5, "threads": 2, "cpu": "avx2",
         "options": [{"name": "points", "default": "30", "value": "30", "help": "how many"}]}]
    return "\n".join(json.dumps(record) for record in (records if whole else records[:-1])) + "\n"


class Tree(unittest.TestCase):
    """A small tree with one page, and a build folder."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = Path(self.folder.name)
        chapter = self.root / "chapters" / "1-foundations"
        chapter.mkdir(parents=True)
        (chapter / "fit_curve.cpp").write_text(SOURCE)
        (chapter / "helper.cpp").write_text("// not a page\n")
        (chapter / "fit_curve.test.cpp").write_text("// # also not a page\n")
        patches = [mock.patch.object(module, name, self.root / "build" / path) for module, name, path in
                   ((runs, "RUNS", "runs"), (evidence, "RUNS", "runs"), (pages, "PAGES", "main/pages"),
                    (trace_module, "MAIN", "main"), (catch, "MAIN", "main"), (catch, "RESULTS", "results"))]
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(self.folder.cleanup)
        self.page = pages.all_pages(self.root)[0]

    def program(self, left: str, code: int = 0, words: str = "", data: str = "") -> None:
        """Makes the page's program a script that leaves this trace and counts its runs."""
        path = self.page.program
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.root / "left").write_text(left)
        path.write_text(f'#!/bin/sh\n[ "$3" != --bogus ] || {{ echo "fit_curve: no --bogus" >&2; exit 2; }}\n'
                        f'cp "{self.root}/left" "$2/trace.jsonl"; echo x >> "{self.root}/count"\n'
                        f"echo '{words}' >&2; exit {code} # {left!r} {data}\n")
        path.chmod(0o755)

    def count(self) -> int:
        path = self.root / "count"
        return len(path.read_text().split()) if path.exists() else 0


class Pages(Tree):
    def test_what_a_page_is(self):
        self.assertEqual([page.name for page in pages.all_pages(self.root)], ["fit_curve"])
        self.assertEqual((self.page.title, self.page.rows, self.page.document),
                         ("Fitting a curve", ("fig-1.1", "eq-1.1"), "foundations/fit_curve"))

    def test_finding(self):
        for word in ("fit_curve", "fit-curve", "fig-1.1", "eq-1.1", "chapters/1-foundations/fit_curve.cpp"):
            self.assertEqual(pages.find_page(word, [self.page]), self.page)
        with self.assertRaisesRegex(Mistake, "no page or row fig-1.2; did you mean fig-1.1?"):
            pages.find_page("fig-1.2", [self.page])
        with self.assertRaisesRegex(Mistake, "no page or row zebra \\("):
            pages.find_page("zebra", [self.page])


class Runs(Tree):
    def test_kept_until_the_program_changes(self):
        self.program(trace())
        self.assertEqual([runs.standard(self.page)[1] for _ in range(3)], [True, False, False])
        self.program(trace().replace("it vanishes", "it goes"))
        self.assertTrue(runs.standard(self.page)[1])
        self.assertEqual(self.count(), 2)

    def test_kept_until_the_data_changes(self):
        data = self.root / "data.bin"
        data.write_text("1")
        self.program(trace().replace('"kind": "page"', f'"data": ["{data}"], "kind": "page"'))
        self.assertEqual([runs.standard(self.page)[1] for _ in range(2)], [True, False])
        data.write_text("2")
        self.assertTrue(runs.standard(self.page)[1])

    def test_a_broken_claim_is_a_finished_run(self):
        self.program(trace(holds=False), code=1, words="fit_curve.cpp:8: broken claim")
        outcome = runs.standard(self.page)[0]
        self.assertTrue(outcome.complete)
        self.assertFalse(runs.standard(self.page)[1])
        self.assertEqual([proof.state for proof in evidence.claims_of(self.page, outcome.folder)],
                         ["broken", "not run"])

    def test_a_claim_in_prose_is_none(self):
        text = self.page.source.read_text()
        self.page.source.write_text(text.replace("void page()", '// Write `claim("fig-1.1/z", ...)` on your own page.\nvoid page()'))
        self.program(trace())
        proofs = evidence.claims_of(self.page, runs.standard(self.page)[0].folder)
        self.assertEqual([proof.part for proof in proofs if proof.state == "not run"], ["fig-1.1/b"])

    def test_a_failed_run_is_tried_again(self):
        self.program(trace(whole=False), code=1, words="fit_curve: no data")
        outcome = runs.standard(self.page)[0]
        self.assertEqual((outcome.complete, outcome.error), (False, "fit_curve: no data"))
        self.assertTrue(runs.standard(self.page)[1])

    def test_an_interrupted_run_leaves_the_old_one(self):
        self.program(trace())
        runs.standard(self.page)
        self.program(trace("3"))
        (runs.RUNS / ".fit_curve.fresh").mkdir()
        with mock.patch.object(runs, "execute", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            runs.standard(self.page)
        self.assertTrue(finished(read_trace(runs.RUNS / "fit_curve")))
        self.assertTrue(runs.standard(self.page)[1])
        runs.forget_old([self.page])
        self.assertEqual([path.name for path in runs.RUNS.iterdir()], ["fit_curve"])

    def test_wrong_options(self):
        self.program(trace())
        with self.assertRaisesRegex(Mistake, "no --bogus"):
            runs.changed(self.page, self.root / "own" / "x", ["--bogus"])
        self.program(trace(whole=False), code=1, words="fit_curve: it fell over")
        with self.assertRaisesRegex(Failure, "it fell over"):
            runs.changed(self.page, self.root / "own" / "x", ["--seed", "3"])


class Evidence(Tree):
    def test_shown_and_reported(self):
        self.program(trace().replace(
            '{"kind": "table"', '{"kind": "shows", "line": 9, "part": "fig-1.1/b", "name": "t"}\n'
            '{"kind": "say", "line": 9, "part": "eq-1.1/z", "text": "it is 3", "measured": 3, "seeds": 2}\n'
            '{"kind": "table"', 1))
        found = evidence.claims_of(self.page, runs.standard(self.page)[0].folder)
        self.assertEqual([(proof.part, proof.state, proof.measured) for proof in found],
                         [("fig-1.1/a", "held", 0.5), ("fig-1.1/b", "held", None), ("eq-1.1/z", "held", 3)])

    def test_a_complaint_says_everything(self):
        self.program(trace(holds=False))
        broken = evidence.claims_of(self.page, runs.standard(self.page)[0].folder)[0]
        self.assertEqual(evidence.complaint(broken), f"{self.page.source}:8: broken claim (fig-1.1/a): “it vanishes”: "
                                                     "wanted < 1, got 0.5")


class OwnPage(Tree):
    def test_both_runs_side_by_side(self):
        self.program(trace())
        standard = runs.standard(self.page)[0]
        self.program(trace("3"))
        mine = runs.changed(self.page, self.root / "own" / "seed-3", ["--seed", "3"])
        made = own_page.write_page(self.page, ["--seed", "3"], standard, mine, "/* </script> */")
        for words in ("seed 1 &lt;b&gt;", "seed 3 &lt;b&gt;", "not judged", "this run", "standard", "<h2>The points</h2>",
                      "./recto run fit_curve --seed 3", "<\\/script>", "--points"):
            self.assertIn(words, made)
        self.assertNotRegex(made, r'(src|href)="?http')

    def test_the_standard_run_alone(self):
        self.program(trace())
        made = own_page.write_page(self.page, [], runs.standard(self.page)[0], None, "")
        self.assertNotIn("this run</p>", made)
        self.assertIn("holds:", made)


XML = """<?xml version="1.0"?><Catch2TestRun name="recto_tests">
<TestCase name="a: definition" tags="[a][devices][row:fig-1.1/a]" filename="/x/a.test.cpp" line="3">
 <OverallResult success="true" skips="0" durationInSeconds="0.1"/></TestCase>
<TestCase name="b: edge" tags="[b]" filename="/x/b.test.cpp" line="9">
 <Expression success="false" type="CHECK" filename="/x/b.test.cpp" line="11"><Original>x == y</Original>
 <Expanded>1 == 2</Expanded></Expression><OverallResult success="false" skips="0" durationInSeconds="0.2"/></TestCase>
<TestCase name="c: gpu" tags="[c]" filename="/x/c.test.cpp" line="1"><Skip filename="/x/c.test.cpp" line="2">no device
 </Skip><OverallResult success="true" skips="1" durationInSeconds="0"/></TestCase>
"""


class Results(Tree):
    def parse(self, text: str) -> list[catch.Case]:
        path = self.root / "r.xml"
        path.write_text(text)
        return catch.parse(path)

    def test_states_and_reasons(self):
        cases = self.parse(XML + "</Catch2TestRun>\n")
        self.assertEqual([case.state for case in cases], ["passed", "failed", "skipped"])
        self.assertEqual([case.why for case in cases], ["", "/x/b.test.cpp:11: x == y was 1 == 2", "no device"])
        self.assertEqual(cases[0].tags, ("a", "devices", "row:fig-1.1/a"))

    def test_cut_short(self):
        cases = self.parse(XML + '<TestCase name="d" tags="" filename="/x/d.cpp" line="1">')
        self.assertEqual([(case.name, case.state) for case in cases][-1], ("d", "failed"))
        self.assertEqual(len(cases), 4)
        self.assertFalse(catch.complete(self.root / "r.xml"))

    def binary(self, ending: str) -> Path:
        """A test binary that leaves these results and counts its runs."""
        path = self.root / "build" / "main" / "recto_tests"
        path.parent.mkdir(parents=True, exist_ok=True)
        (self.root / "xml").write_text(XML + ending)
        path.write_text(f'#!/bin/sh\ncase "$*" in *list-tags*) echo "<T><Tag><Aliases><Alias>row:fig-1.1/a</Alias>'
                        f'</Aliases></Tag></T>"; exit;; esac\necho x >> "{self.root}/count"\n'
                        f'for word in "$@"; do case $word in xml::out=*) cp "{self.root}/xml" "${{word#xml::out=}}";; '
                        "esac; done\nexit 3\n")
        path.chmod(0o755)
        return path

    def test_rows_run_once_for_a_binary(self):
        binary = self.binary("</Catch2TestRun>\n")
        self.assertEqual([len(catch.run_rows(binary)[0]) for _ in range(2)], [3, 3])
        self.assertEqual(self.count(), 1)
        self.assertEqual([(proof.part, proof.state, proof.devices) for proof in evidence.tests_run(gpu=False)],
                         [("fig-1.1/a", "held", ("cpu", "sim"))])
        catch.forget_old([])
        self.assertEqual(list(catch.RESULTS.glob("*")), [])

    def test_a_crash_is_a_failure_and_is_not_kept(self):
        binary = self.binary('<TestCase name="d" tags="" filename="/x/d.cpp" line="1">')
        cases = catch.run(binary, catch.results_of(binary), [])
        self.assertEqual((cases[-1].name, cases[-1].why), ("d", "ended the program with status 3"))
        self.assertFalse(catch.results_of(binary).exists())


if __name__ == "__main__":
    unittest.main()
