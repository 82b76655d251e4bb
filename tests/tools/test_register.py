"""Verdicts are computed, and computed right."""
import unittest
from pathlib import Path

from recto.gpu.receipts import NO_RECEIPT, Standing
from recto.pages import pages
from recto.register import register
from recto.register.evidence import Proof


def row(*types: str, kind: str = "claim", gpu: bool = False, **more) -> dict:
    """A row with one part of each type, called a, b, c..."""
    parts = [{"id": "abcdef"[n], "what": "", "bound": "< 1", "seeds": 3 if kind_of in register.EMPIRICAL else 1, "type": kind_of}
             for n, kind_of in enumerate(types)]
    return {"id": "r", "kind": kind, "chapter": 1, "says": "", "sources": [], "cost": "S", "gpu": gpu,
            "trap": None, "parts": parts, **more}


def claim(part: str, state: str = "held", **more) -> Proof:
    """A claim of a page about a part of that row."""
    settings = {"where": "p.cpp:1", "devices": ("cpu",), "program": "p", "document": "one/p", "measured": 0.5}
    return Proof(f"r/{part}", state, **{**settings, **more})


def of_test(part: str, state: str = "held", devices: tuple = ("cpu", "sim")) -> Proof:
    """A test that carries the tag of a part."""
    return Proof(f"r/{part}", state, "t.cpp:1", devices, test="t: definition")


def judge(asked: dict, *proofs: Proof, gpu: bool = False, parity: Standing = NO_RECEIPT) -> dict:
    """The row as the register shows it."""
    by_part: dict[str, list[Proof]] = {}
    for proof in proofs:
        by_part.setdefault(proof.part, []).append(proof)
    return register.judge_row(asked, by_part, gpu, lambda tests: parity)


class Verdicts(unittest.TestCase):
    def verdict(self, *arguments, **more):
        return judge(*arguments, **more)["verdict"]

    def test_reproduced_only_when_every_part_held(self):
        asked = row("exact", "target", "exact")
        self.assertEqual(self.verdict(asked), "open (0 of 3)")
        self.assertEqual(self.verdict(asked, claim("a"), of_test("b")), "open (2 of 3)")
        self.assertEqual(self.verdict(asked, claim("a"), of_test("b"), claim("c")), "reproduced")
        self.assertEqual(self.verdict(asked, claim("a"), of_test("b"), claim("c", "broken")), "open (2 of 3)")

    def test_a_row_belongs_to_the_first_page_that_covers_it(self):
        one, two = (pages.Page(name, name, rows, Path(f"1-one/{name}.cpp")) for name, rows in
                    (("one", ("r",)), ("two", ("r", "s"))))
        self.assertEqual(register.first_pages([one, two]), {"r": one, "s": two})

    def test_one_broken_proof_breaks_a_part(self):
        found = judge(row("exact"), claim("a"), of_test("a", "broken"))
        self.assertEqual((found["verdict"], found["parts"][0]["state"]), ("open (0 of 1)", "broken"))
        self.assertEqual(found["parts"][0]["devices"], {"cpu": "broken", "sim": "broken", "cuda": "not run"})

    def test_tests_that_did_not_run(self):
        asked = row("exact", "exact")
        self.assertEqual(self.verdict(asked, claim("a"), of_test("b", "not run", ())), "not run")
        self.assertEqual(self.verdict(asked, of_test("b", "not run", ())), "open (0 of 2)")
        self.assertEqual(self.verdict(row("exact"), claim("a"), of_test("a", "not run", ())), "not run")

    def test_timing_that_missed_is_not_broken(self):
        found = judge(row("timing", "exact"), claim("a", "missed"), claim("b"))
        self.assertEqual((found["verdict"], found["parts"][0]["state"]), ("open (1 of 2)", "missed"))

    def test_not_reproduced(self):
        asked = row("exact", "target")
        self.assertEqual(self.verdict(asked, claim("a"), claim("b", "not reproduced")), "not reproduced")
        self.assertEqual(self.verdict(asked, claim("b", "not reproduced")), "open (0 of 2)")

    def test_erratum_when_both_versions_ran(self):
        asked = row("exact", "exact", trap={"kind": "erratum", "shows": "+", "right": "-"})
        self.assertEqual(self.verdict(asked, claim("a")), "open (1 of 2)")
        self.assertEqual(self.verdict(asked, claim("a"), claim("b")), "erratum")
        self.assertEqual(self.verdict(row("exact", trap={"kind": "note"}), claim("a")), "reproduced")

    def test_a_statement_about_a_gpu(self):
        asked = row("exact", "gpu")
        here = of_test("b", "held", ("cpu", "sim"))
        self.assertEqual(self.verdict(asked, claim("a"), here), "not run")
        self.assertEqual(self.verdict(asked, claim("a")), "open (1 of 2)")
        on_gpu = of_test("b", "held", ("cuda",))
        self.assertEqual(self.verdict(asked, claim("a"), on_gpu, gpu=True), "reproduced")
        self.assertEqual(self.verdict(asked, claim("a"), here, gpu=True), "not run")

    def test_parity_of_a_row_that_is_not_about_gpus(self):
        found = judge(row("exact", "gpu", gpu=True), of_test("a"), of_test("b"))
        self.assertEqual(found["verdict"], "open (1 of 2)")
        self.assertEqual(found["parts"][1]["state"], "not run")
        ran = judge(row("exact", "gpu", gpu=True), of_test("a"), of_test("b", "held", ("cuda",)), gpu=True)
        self.assertEqual(ran["verdict"], "reproduced")
        self.assertEqual(found["devices"], {"cpu": "held", "sim": "held", "cuda": "not run"})

    def test_receipts_speak_for_a_cuda_path(self):
        asked, tests = row("exact", "gpu", gpu=True), (of_test("a"), of_test("b"))
        passed = Standing("held", "passed on NVIDIA H200")
        found = judge(asked, *tests, parity=passed)
        self.assertEqual((found["verdict"], found["parts"][1]["receipt"]), ("reproduced", "passed on NVIDIA H200"))
        self.assertEqual(found["parts"][1]["devices"], {"cpu": "held", "sim": "held", "cuda": "held"})
        self.assertEqual(found["parts"][0]["devices"]["cuda"], "not run")     # it did not ask for a GPU
        for state, verdict in [("stale", "stale"), ("broken", "open (1 of 2)"), ("not run", "open (1 of 2)")]:
            found = judge(asked, *tests, parity=Standing(state, ""))
            self.assertEqual((found["verdict"], found["parts"][1]["state"]), (verdict, state))
            self.assertEqual(found["devices"]["cuda"], state)

    def test_receipts_do_not_speak(self):
        passed = Standing("held", "passed")
        asked = row("exact", "gpu", gpu=True)
        for b in (claim("b"), of_test("b", "not run", ()), of_test("b", "broken"), of_test("b", "not run", ("cuda",))):
            self.assertNotEqual(judge(asked, of_test("a"), b, parity=passed)["verdict"], "reproduced", b)
        self.assertEqual(judge(asked, of_test("a"), parity=passed)["verdict"], "open (1 of 2)")    # no test of that path
        about_gpus = row("exact", "gpu")
        self.assertEqual(judge(about_gpus, of_test("a"), of_test("b"), parity=passed)["verdict"], "not run")
        stale = judge(row("exact", "gpu", "exact", gpu=True), of_test("a"), of_test("b"), parity=Standing("stale", ""))
        self.assertEqual(stale["verdict"], "open (1 of 3)")

    def test_a_test_on_the_gpu_here_outranks_a_receipt(self):
        here = of_test("b", "held", ("cpu", "sim", "cuda"))
        found = judge(row("exact", "gpu", gpu=True), of_test("a"), here, gpu=True, parity=Standing("stale", ""))
        self.assertEqual(found["verdict"], "reproduced")

    def test_fields(self):
        found = judge(row("exact", "target"), of_test("a"), claim("b"))
        for name in ("id chapter kind verdict basis page program tests measured wanted devices parts").split():
            self.assertIn(name, found)
        self.assertEqual((found["page"], found["program"], found["tests"], found["measured"], found["basis"]),
                         ("one/p", "p", ["t: definition"], 0.5, "build"))
        self.assertEqual(judge(row("exact"))["basis"], "")

    def test_the_number_that_the_bound_speaks_of(self):
        place, size = claim("a", measured=500, wanted="= 500"), claim("a", measured=0.2, wanted="< 1")
        self.assertEqual(judge(row("exact"), place, size)["measured"], 0.2)
        self.assertEqual(judge(row("exact"), place)["measured"], 500)


class Rules(unittest.TestCase):
    def problems(self, asked, *proofs):
        return register.problems_of([asked], list(proofs))

    def test_a_part_that_does_not_exist(self):
        self.assertEqual(self.problems(row("exact"), claim("z")), ["p.cpp:1: the register has no part r/z"])
        self.assertEqual(self.problems(row("exact"), of_test("z")), ["t.cpp:1: the register has no part r/z"])

    def test_too_few_seeds(self):
        asked = row("target")
        asked["parts"][0]["seeds"] = 5
        self.assertEqual(len(self.problems(asked, claim("a", seeds=4))), 1)
        self.assertEqual(self.problems(asked, claim("a", seeds=5)), [])

    def test_a_claim_may_not_ask_for_less(self):
        for wanted, relation, bound, found in [
                ("< 1e-8", "<", 1e-8, 0), ("< 1e-8", "<", 1e-9, 0), ("< 1e-8", "<", 1e-7, 1), (">= 2x", ">=", 1.9, 1),
                (">= 2x", ">", 2, 0), ("in [0.8, 0.9]", "in", [0.8, 0.9], 0), ("in [0.8, 0.9]", "in", [0.7, 0.9], 1),
                ("drawn", "==", 1, 0), ("<= 15 %", "<=", 0.15, 0), ("<= 15 %", "<=", 0.2, 1), ("<= 15 %", "<=", 20, 1), ("< -0.3", "<", -0.3, 0), ("< -0.3", "<", -0.2, 1), ("within 5 %", "in", [0.95, 1.05], 0),
                ("within 5 %", "in", [0.9, 1.05], 1), ("within 5 %", "<=", 0.05, 0), ("within 10 %", "<=", 1.1, 0),
                ("within 5 %", "<=", 1.1, 1), ("90 +- 0.1", ">=", 89.9, 0), ("90 +- 0.1", "<=", 90.1, 0), ("90 +- 0.1", "<=", 91, 1),
                ("90 +- 0.1", ">=", 89, 1), ("1 +- 1e-6", "<=", 1e-6, 0), ("1 +- 1e-6", "<=", 1e-5, 1), ("= 41", "==", 41, 0),
                ("= 41", "==", 40, 1), ("6 of 6", "==", 6, 0), ("6 of 6", "==", 0, 0), ("6 of 6", "==", 5, 1), ("0 of 6", "==", 1, 1)]:
            asked = row("exact")
            asked["parts"][0]["bound"] = wanted
            given = claim("a", relation=relation, bound=bound, wanted=f"{relation} {bound}")
            self.assertEqual(register.looser(given, wanted), bool(found), (wanted, relation, bound))
            self.assertEqual(self.problems(asked, of_test("a")), [])
        asked["parts"][0]["bound"] = "< 1 %"
        self.assertEqual(self.problems(asked, claim("a", relation="<", bound=1, wanted="< 1", text="lost, in percent")), [])

    def asks_enough(self, wanted: str, *claims: tuple, text: str = "") -> bool:
        asked = row("exact")
        asked["parts"][0]["bound"] = wanted
        return not self.problems(asked, *(claim("a", relation=relation, bound=bound, wanted=f"{relation} {bound}", text=text)
                                          for relation, bound in claims))

    def test_a_claim_that_asks_for_something_else_is_not_enough(self):
        for wanted, relation, bound in [
                ("within 5 %", "<=", 0.5), ("in [0.8, 1.2]", "<", 1.2), ("in [0.8, 1.2]", ">", 0.8), ("= 9972", "<=", 20000),
                ("= 9972", "<=", 9972), ("< 1e-8", ">=", 0), (">= 2", "<=", 3), ("> 3 %", ">", 1), ("< 1e-8", "<", "inf"),
                ("< 1e-8", "<", "nan"), ("< 1e-8", "==", "inf"), ("< bigram; in [2.34, 2.54]", "in", [0, 9]),
                ("< bigram; in [2.34, 2.54]", "<", 9), ("< bigram; in [2.34, 2.54]", "<", 2.5), ("= 0 to rounding", "<", 9),
                ("90 +- 0.1", "<=", 90.1), ("within 10 %", "<=", 1.1), ("6 of 6", ">=", 0)]:
            self.assertFalse(self.asks_enough(wanted, (relation, bound)), (wanted, relation, bound))

    def test_a_bound_that_cannot_be_compared_is_a_problem(self):
        for wanted, known in [("about 3", False), ("< 1e-8 m", False), ("within 5", False), ("< 0.5; roughly", False), ("< 1..5", False),
                              ("exact", True), ("< bigram", True), ("near 0.4", True), ("> 3 s.e.", True)]:
            asked = row("exact")
            asked["parts"][0]["bound"] = wanted
            self.assertEqual(not self.problems(asked), known, wanted)

    def test_claims_that_ask_for_both_ends_together(self):
        for wanted, *claims in [
                ("in [0.8, 1.2]", (">", 0.8), ("<", 1.2)), ("90 +- 0.1", (">=", 89.9), ("<=", 90.1)), ("< 1e-8", ("<", 1e-9), (">=", 0)),
                ("within 10 %", (">=", 0.9), ("<=", 1.1)), ("< bigram; in [2.34, 2.54]", ("<", 0), ("in", [2.34, 2.54])),
                ("= 9972", ("in", [9972, 9972])), ("= 0 to rounding", ("<=", 1e-6)), ("= 100 %", ("==", 1)), ("> 3 %", (">", 0.03))]:
            self.assertTrue(self.asks_enough(wanted, *claims), (wanted, claims))
        self.assertTrue(self.asks_enough("> 3 %", (">", 3), text="by 4 %"))

    def test_three_seeds_or_a_reason(self):
        asked = row("measured")
        asked["parts"][0]["seeds"] = 1
        self.assertIn("wanted at least 3 seeds", self.problems(asked, claim("a"))[0])
        asked["parts"][0]["once"] = "a fixed list"
        self.assertEqual(self.problems(asked, claim("a")), [])

    def test_a_cuda_path_that_was_forgotten(self):
        said = "r/b: no test on every device names it, and the row lacks nothing else"
        asked = row("exact", "gpu", gpu=True)
        self.assertEqual(self.problems(asked, of_test("a")), [said])
        self.assertEqual(self.problems(asked, of_test("a"), of_test("b", "not run", ("cuda",))), [])
        self.assertEqual(self.problems(asked), [])                                  # nothing of it is done yet
        self.assertEqual(self.problems(row("exact", "gpu", "exact", gpu=True), of_test("a")), [])
        self.assertEqual(self.problems(row("exact", "gpu"), of_test("a")), [])         # a statement about GPUs

    def test_what_may_be_published_as_not_reproduced(self):
        good = {"seeds": 5, "interval": (0, 1), "tried": "other steps"}
        failed = claim("a", "not reproduced", **good)
        for allowed in (row("measured"), row("target", kind="system"), row("target", kind="equation")):
            self.assertEqual(self.problems(allowed, failed), [])
        for asked in (row("exact"), row("timing"), row("exact", kind="equation"), row("exact", kind="system")):
            self.assertEqual(len(self.problems(asked, failed)), 1, asked)
        for less in ({"seeds": 4}, {"interval": None}, {"tried": ""}):
            self.assertEqual(len(self.problems(row("target"), claim("a", "not reproduced", **{**good, **less}))), 1)


if __name__ == "__main__":
    unittest.main()
