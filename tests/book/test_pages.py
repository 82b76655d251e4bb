"""What every page of the book owes its reader, as data:  build/venv/bin/python -m pytest tests/book

A page names its rows if it has any, asks at least one question, has a `try` box, shows its idea and folds its plumbing, reads in
fifteen minutes, describes and explains every figure, stands in the toctree of its chapter, and ends with a link to the
page that follows.
"""
import json
import pathlib
import re
import unittest

from recto_book.weave import weave

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = 3000
RUNS = ROOT / "build" / "runs"


def prose(source):
    """The words of a page that are read as text: no code, no formulas, no directives."""
    text = re.sub(r"(?s)\$\$.*?\$\$|\$[^$]*\$|^`{3,}.*?$|^:\w+:.*?$", " ", "\n".join(
        line for line in weave(source, []).lines if not line.startswith("[")), flags=re.M)
    return re.findall(r"[^\W\d_]+", text)


def chapters():
    """(index.md, its text, the names in its toctree) of every chapter."""
    for index in sorted((ROOT / "chapters").glob("*/index.md")):
        text = index.read_text(encoding="utf-8")
        tree = re.search(r"```\{toctree\}\n(.*?)```", text, re.S)
        yield index, text, [n.strip() for n in tree[1].splitlines() if n.strip() and not n.startswith(":")] if tree else []


PAGES = sorted((ROOT / "chapters").glob("*/*.cpp"))


def each(given):
    """Makes a test of one page a test of all pages; `given(test)` lists (page, what the test is about)."""
    def wrap(check):
        def test(self):
            for path, *what in given(self):
                with self.subTest(page=path.relative_to(ROOT).as_posix()):
                    check(self, *what)
        return test
    return wrap


def sources(test):
    test.assertTrue(PAGES)
    return [(path, path.read_text(encoding="utf-8")) for path in PAGES]


def results(test):
    ran = [p for p in PAGES if (RUNS / p.stem / "trace.jsonl").exists()]
    if not ran:
        test.skipTest("no page has run here: ./recto book")
    return [(p, RUNS / p.stem, [json.loads(line) for line in
                                (RUNS / p.stem / "trace.jsonl").read_text(encoding="utf-8").splitlines()]) for p in ran]


class Pages(unittest.TestCase):
    @each(sources)
    def test_has_a_title_rows_a_question_and_things_to_try(self, source):
        self.assertTrue(source.startswith("// # "), "the first line is the title")
        self.assertRegex(source, r"(?m)^\s*// ```\{rows\}")
        self.assertRegex(source, r"(?m)^\s*(book::)?ask(_number)?\(", "no question")
        self.assertEqual(len(re.findall(r"(?m)^\s*// ```\{try\}", source)), 1, "one box of things to try")
        self.assertRegex(source, r"(?m)^\s*// ## (Summary and what|What) is missing$")

    @each(sources)
    def test_shows_its_idea_and_not_its_plumbing(self, source):
        self.assertEqual(list(weave(source, []).limits()), [])

    @each(sources)
    def test_reads_in_fifteen_minutes(self, source):
        self.assertLessEqual(len(prose(source)), WORDS)

    @each(sources)
    def test_tries_only_options_that_it_has(self, source):
        common = {"seed", "device", "threads", "quick", "out", "help"}
        own = set(re.findall(r'\bOption<[^>]+>\s+\w+\(\s*"([\w-]+)"', source))
        box = re.search(r"(?s)```\{try\}(.*?)// ```", source)[1]
        self.assertEqual(set(re.findall(r"`--([\w-]+)", box)) - own - common, set())

    def test_stands_in_its_chapter_and_leads_on(self):
        for index, _, names in chapters():
            self.assertEqual(sorted(names), sorted(p.stem for p in index.parent.glob("*.cpp")), index)
            for here, following in zip(names, names[1:]):
                with self.subTest(page=here):
                    last = (index.parent / f"{here}.cpp").read_text(encoding="utf-8").split("## What is missing")[-1]
                    self.assertIn(f"({following}.cpp)", last, "its end does not lead to the next page")


class Results(unittest.TestCase):
    """Of the pages that have run here."""

    @each(results)
    def test_every_figure_and_table_shows_something_and_says_what(self, folder, records):
        for r in records:
            if r["kind"] == "table":
                self.assertTrue(r["caption"].strip() and r["columns"] and r["rows"], r["name"])
                self.assertEqual({len(row) for row in r["rows"]}, {len(r["columns"])}, r["name"])
            elif r["kind"] == "figure" and r["spec"].endswith(".dot"):
                meta = json.loads((folder / r["spec"].replace(".dot", ".meta.json")).read_text(encoding="utf-8"))
                self.assertTrue(meta["description"].strip() and meta["usermeta"]["recto"]["caption"].strip(), r["name"])
                self.assertIn("->", (folder / r["spec"]).read_text(encoding="utf-8"))
            elif r["kind"] == "figure":
                text = (folder / r["spec"]).read_text(encoding="utf-8")
                spec = json.loads(text)
                self.assertGreater(len(spec["description"].split()), 8, f"{r['name']}: too short as a text alternative")
                self.assertGreater(len(spec["usermeta"]["recto"]["caption"].split()), 6, r["name"])
                self.assertRegex(text, r'"values":\s*\[\s*\{|data:image/png', r["name"])

    @each(results)
    def test_every_question_has_one_answer_and_every_choice_a_reason(self, _folder, records):
        asked = [r for r in records if r["kind"] == "ask"]
        self.assertTrue(asked)
        for r in asked:
            if "choices" in r:
                self.assertEqual(sum(c["right"] for c in r["choices"]), 1, r["question"])
                self.assertTrue(all(c["why"].strip() for c in r["choices"]), r["question"])
            else:
                self.assertTrue(r["why"].strip(), r["question"])

    @each(results)
    def test_every_number_of_a_claim_is_explained(self, _folder, records):
        for r in records:
            if r["kind"] == "claim":
                self.assertGreater(len(r["text"].split()), 2, r["text"])


if __name__ == "__main__":
    unittest.main()
