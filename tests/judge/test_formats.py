"""What comes out of a grading for other programs, each held against what that program wants."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path
from unittest import mock

import made
import support
from recto.judge import formats, release
from recto.judge.grading import NOT_RUN
from recto.judge.judging import CRASHED, OUTCOMES, OWN, PASSED, UNCOMPILED, WRONG, Message
from recto.judge.marks import mark

SCHEMA = json.loads((support.ROOT / "exercises" / "result.schema.json").read_text())
KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int, "number": (int, float)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "additionalProperties", "required", "properties", "items",
         "const", "enum", "minimum", "maximum", "pattern", "minLength"}
NASTY = Message(about="expected <b>\x1b[31m & \0 \ud800\ufffe", expected='"]]>"', got="</failure>", where="row 0",
                call="f(\u202e)", case=3, misconception="none", says="think & <think>", printed="\x07 printed <i>\n")

# The contract of https://github.com/foundation50/classroom50/wiki/Advanced-Autograding, in the words of a schema.
TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
WORDS, POINTS = {"type": "string", "minLength": 1}, {"type": "integer", "minimum": 0}
CLASSROOM50 = {
    "type": "object", "additionalProperties": False,
    "required": ["schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release", "review",
                 "datetime", "score", "max-score", "tests"],
    "properties": {"schema": {"const": "classroom50/result/v1"}, "classroom": WORDS, "assignment": WORDS,
                   "assignment_type": {"enum": ["individual", "group", "team"]}, "owner": WORDS,
                   "submission": {"type": "string", "pattern": "^submit/"}, "commit": WORDS, "release": WORDS, "review": WORDS,
                   "datetime": TIME, "graded_at": TIME, "score": POINTS, "max-score": POINTS,
                   "tests": {"type": "array", "items": {
                       "type": "object", "required": ["test-name", "passed", "score", "max-score"],
                       "properties": {"test-name": WORDS, "passed": {"type": "boolean"}, "score": POINTS, "max-score": POINTS}}}}}

# The results.json of https://gradescope-autograders.readthedocs.io/en/latest/specs/, as a schema.
SEEN, FORM = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}, {"enum": ["text", "html", "simple_format", "md", "ansi"]}
GRADESCOPE = {
    "type": "object", "additionalProperties": False, "required": ["score", "tests"],
    "properties": {"score": {"type": "number"}, "execution_time": {"type": "number"}, "output": {"type": "string"},
                   "output_format": FORM, "visibility": SEEN, "stdout_visibility": SEEN,
                   "tests": {"type": "array", "items": {
                       "type": "object", "additionalProperties": False, "required": ["score", "max_score", "name", "output"],
                       "properties": {"score": {"type": "number"}, "max_score": {"type": "number"}, "name": WORDS,
                                      "name_format": FORM, "number": {"type": "string"}, "output": {"type": "string"},
                                      "output_format": FORM, "status": {"enum": ["passed", "failed"]}, "visibility": SEEN}}}}}


def faults(value, schema: dict, whole: dict, where: str = "it") -> list[str]:
    """What a schema has against a value; knows the words that our schemas use, and no others."""
    if set(schema) - KNOWN:
        raise ValueError(f"{where}: words of a schema that are not known: {set(schema) - KNOWN}")
    if "$ref" in schema:
        return faults(value, whole["$defs"][schema["$ref"].removeprefix("#/$defs/")], whole, where)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(isinstance(value, KINDS[kind]) and (kind == "boolean") == isinstance(value, bool) for kind in kinds):
        return [f"{where} is {value!r}, no {' or '.join(kinds)}"]
    said = []
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        said.append(f"{where} is {value!r}")
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        said.append(f"{where} is {value}, out of range")
    if isinstance(value, str) and (len(value) < schema.get("minLength", 0) or not re.search(schema.get("pattern", ""), value)):
        said.append(f"{where} is {value!r}, of another form")
    if isinstance(value, list):
        for at, item in enumerate(value):
            said += faults(item, schema.get("items", {}), whole, f"{where}[{at}]")
    if isinstance(value, dict):
        known = schema.get("properties", {})
        said += [f"{where}.{name} is missing" for name in schema.get("required", []) if name not in value]
        for name, item in value.items():
            if name in known:
                said += faults(item, known[name], whole, f"{where}.{name}")
            elif schema.get("additionalProperties") is False:
                said.append(f"{where}.{name} is not known")
    return said


def some() -> list:
    """Reports with everything in them."""
    return [made.report(PASSED, WRONG, CRASHED, NOT_RUN, message=NASTY),
            made.report(*OUTCOMES, name="other", message=NASTY, stars=2, points=(0.1, 0.2, 1, 1, 1, 1, 1, 3, 2)),
            made.report(UNCOMPILED, group="second", message=Message("x" * 70000))]


class Json(unittest.TestCase):
    """The JSON report of `recto grade --json`."""

    def valid(self, value) -> None:
        """The report satisfies the schema, also by an independent validator."""
        value = json.loads(json.dumps(value, allow_nan=False))
        self.assertEqual(faults(value, SCHEMA, SCHEMA), [])
        try:
            from jsonschema import Draft202012Validator
        except ImportError:
            return
        Draft202012Validator.check_schema(SCHEMA)
        self.assertEqual([error.message for error in Draft202012Validator(SCHEMA).iter_errors(value)], [])

    def test_reports_of_all_kinds(self):
        self.valid(formats.write_json(some(), {}, False))
        self.valid(formats.write_json(some(), {}, True))
        self.valid(formats.write_json([], {}, False))

    def test_everything_is_there(self):
        report = some()[0]
        report.warnings = "f.cpp:3: warning: x"
        with mock.patch.object(release, "commit", lambda: "abc"):
            got = formats.write_json([report], {}, True)
        self.assertEqual((got["commit"], got["late"], got["version"]), ("abc", True, 1))
        exercise, wrong = got["exercises"][0], got["exercises"][0]["parts"][1]
        self.assertEqual((exercise["set"], exercise["exercise"], exercise["seed"], exercise["points"], exercise["of"]),
                         ("small", "double_it", 7, 1, 4))
        self.assertEqual((wrong["outcome"], wrong["case"], wrong["replay"]),
                         (WRONG, 3, "./recto grade double_it --replay part-1:3:7"))
        self.assertEqual((wrong["message"]["got"], exercise["note"]), ("</failure>", report.warnings))
        self.assertIsNone(exercise["parts"][0]["replay"])
        self.assertEqual(got["marks"], [{"set": "small", "mark": 1, "of": 4, "base": 1, "base_of": 4, "star": 0, "star_of": 0,
                                         "late": True, "arithmetic": "4 x 1/4 = 1.00, handed in late: 1 at most"}])

    def test_a_mark_that_is_given_is_taken(self):
        given = mark([made.report(PASSED)])
        self.assertEqual(formats.write_json([made.report(WRONG)], {"small": given}, False)["marks"][0]["mark"], 4)

    def test_the_schema_notices(self):
        for change in ({"version": 2}, {"late": 1}, {"extra": 0}, {"exercises": [{}]}, {"marks": {}}):
            self.assertNotEqual(faults({**formats.write_json(some(), {}, False), **change}, SCHEMA, SCHEMA), [])
        got = formats.write_json(some(), {}, False)
        got["exercises"][0]["parts"][0]["outcome"] = "fine"
        self.assertEqual(faults(got, SCHEMA, SCHEMA), ["it.exercises[0].parts[0].outcome is 'fine'"])


class JUnit(unittest.TestCase):
    """The XML that many viewers open."""

    def setUp(self):
        self.text = formats.write_junit(some(), {"small": mark(some()[:2])})
        self.root = xml.fromstring(self.text.encode("utf-8"))

    def test_counts(self):
        self.assertEqual({name: self.root.get(name) for name in ("tests", "failures", "errors", "skipped")},
                         {"tests": "14", "failures": "10", "errors": "1", "skipped": "1"})
        for suite in self.root:
            for name, kind in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
                self.assertEqual(int(suite.get(name)), len(suite.findall(f"testcase/{kind}")))
            self.assertEqual(int(suite.get("tests")), len(suite.findall("testcase")))

    def test_outcomes(self):
        cases = {case.get("name"): case for case in self.root[1].findall("testcase")}
        kinds = {outcome: cases[f"part-{at}"] for at, outcome in enumerate(OUTCOMES)}
        self.assertEqual(len(kinds[PASSED].findall("*")), 0)
        self.assertEqual(kinds[OWN].find("error").get("type"), OWN)
        self.assertEqual(kinds[WRONG].find("failure").get("type"), WRONG)
        self.assertIn("got </failure>", kinds[WRONG].find("failure").text)
        self.assertEqual(self.root[0].findall("testcase")[3].find("skipped").attrib, {"message": NOT_RUN})

    def test_characters_that_xml_forbids(self):
        self.assertNotRegex(self.text, "[\0\x07\x1b\ud800\ufffe]")
        self.assertIn("&lt;b&gt;", self.text)
        self.assertTrue(self.text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites'))
        for text in ("\t\n\r a\ud7ff\ue000\ufffd\U0001f600", ""):
            self.assertEqual(formats.clean(text), text)
        self.assertEqual(formats.clean("\0\x01\x08\x0b\x1f\ud800\udfff\ufffe\uffffx"), "x")

    def test_properties(self):
        found = {node.get("name"): node.get("value") for node in self.root[0].find("properties")}
        self.assertEqual((found["seed"], found["isolation"]), ("7", "namespaces"))
        self.assertIn("of 4 (2 x", found["mark of the set"])
        self.assertEqual(self.root[0][0].tag, "properties")

    def test_nothing_to_report(self):
        self.assertEqual(xml.fromstring(formats.write_junit([], {}).encode()).get("tests"), "0")

    @unittest.skipUnless(shutil.which("xmllint"), "there is no xmllint")
    def test_another_reader(self):
        done = subprocess.run(["xmllint", "--noout", "-"], input=self.text.encode(), capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)


class Gradescope(unittest.TestCase):
    """Its documented results.json."""

    def test_reports_of_all_kinds(self):
        for late in (False, True):
            got = json.loads(json.dumps(formats.write_gradescope(some(), {}, late), allow_nan=False))
            self.assertEqual(faults(got, GRADESCOPE, GRADESCOPE), [])
            self.assertEqual(len(got["tests"]), 14)

    def test_the_score_is_the_mark(self):
        got = formats.write_gradescope([made.report(PASSED, WRONG, WRONG, stars=1, message=NASTY)], {}, False)
        self.assertEqual(got["score"], 1)
        self.assertIn("2 x 1/2 = 1.00", got["output"])
        self.assertEqual([(test["score"], test["max_score"], test["number"]) for test in got["tests"]],
                         [(1, 1, "1.1"), (0, 1, "1.2"), (0, 1, "1.3")])
        self.assertEqual(got["tests"][0]["output"], PASSED)
        self.assertIn("got </failure>", got["tests"][1]["output"])
        self.assertTrue(got["tests"][2]["name"].endswith("(*)"))

    def test_late(self):
        self.assertEqual(formats.write_gradescope([made.report(PASSED)], {}, True)["score"], 1)


class Classroom50(unittest.TestCase):
    """The result.json that every autograder of Classroom 50 writes."""

    def of(self, *reports, late: bool = False) -> dict:
        """The result, which is valid, and whose scores add up."""
        got = json.loads(json.dumps(formats.write_classroom50(list(reports), {}, late), allow_nan=False))
        self.assertEqual(faults(got, CLASSROOM50, CLASSROOM50), [])
        for name in ("score", "max-score"):
            self.assertEqual(got[name], sum(test[name] for test in got["tests"]))
        for test in got["tests"]:
            self.assertLessEqual(test["score"], test["max-score"])
        return got

    def test_reports_of_all_kinds(self):
        for late in (False, True):
            self.assertEqual(self.of(*some(), late=late)["max-score"], 800)

    def test_the_score_is_the_mark_in_hundredths(self):
        for passed in range(8):
            for stars in range(8):
                for late in (False, True):
                    report = made.report(*[PASSED] * passed, *[WRONG] * (7 - passed), stars=stars)
                    self.assertAlmostEqual(self.of(report, late=late)["score"], 100 * mark([report], late).value, delta=4)
        self.assertEqual(self.of(made.report(*[PASSED] * 3, *[WRONG] * 3, stars=3))["score"], 200)
        self.assertEqual(self.of(made.report(*[PASSED] * 6, stars=3))["score"], 400)
        self.assertEqual(self.of(made.report(*[PASSED] * 6, stars=3), late=True)["score"], 100)

    def test_nothing(self):
        self.assertEqual(self.of()["tests"], [])
        self.assertEqual(self.of(made.report())["score"], 0)

    def test_who_and_what(self):
        said = {"CLASSROOM": "deep", "ASSIGNMENT": "foundations", "OWNER": "alice", "SUBMISSION_TAG": "submit/1",
                "COMMIT_URL": "https://x/c", "RELEASE_URL": "https://x/r", "REVIEW_URL": "https://x/v", "ASSIGNMENT_TYPE": "group"}
        with mock.patch.dict(os.environ, said):
            got = self.of(made.report(PASSED))
        self.assertEqual([got[name] for name in ("classroom", "assignment", "owner", "submission", "commit", "release", "review",
                                                 "assignment_type")], list(said.values()))

    def test_whole_numbers(self):
        self.assertEqual(formats.whole([1, 1, 1], 100), [34, 33, 33])
        self.assertEqual(formats.whole([0.1] * 10, 1), [1] + [0] * 9)
        self.assertEqual(formats.whole([2, 0, 1], 3), [2, 0, 1])
        self.assertEqual(formats.whole([], 0), [])
        self.assertEqual(formats.whole([0, 0], 5), [0, 0])


class Autograder(unittest.TestCase):
    """exercises/autograder.py, as the runner of Classroom 50 calls it."""

    def run_in(self, files: dict[str, str], **environment: str) -> tuple[subprocess.CompletedProcess, Path]:
        """Runs it in a folder with these files."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        home = Path(folder.name)
        for name, text in files.items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text)
        script = support.ROOT / "exercises" / "autograder.py"
        done = subprocess.run([sys.executable, str(script)], cwd=home, capture_output=True, text=True,
                              env={**os.environ, "CLASSROOM": "deep", "SUBMISSION_TAG": "submit/1", "OWNER": "alice", **environment})
        return done, home

    @unittest.skipUnless((support.ROOT / "solutions").is_dir() and shutil.which("g++"), "the answers or g++ are not here")
    def test_a_submission(self):
        stub = (support.ROOT / "exercises/foundations/softmax/softmax.cpp").read_text()
        done, home = self.run_in({"src/softmax.cpp": stub, "result.json": "{}"}, ASSIGNMENT="softmax")
        self.assertEqual(done.returncode, 0, done.stderr)
        got = json.loads((home / "result.json").read_text())
        self.assertEqual(faults(got, CLASSROOM50, CLASSROOM50), [])
        self.assertEqual((got["assignment"], got["owner"], got["score"], got["max-score"]), ("softmax", "alice", 0, 400))
        self.assertIn("softmax is still to be written", (home / "release-body.md").read_text())

    @unittest.skipUnless((support.ROOT / "solutions").is_dir(), "the answers are not here")
    def test_a_file_that_is_missing(self):
        done, home = self.run_in({"Softmax.cpp": ""}, ASSIGNMENT="ignored", RECTO_SET="softmax")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("softmax.cpp is missing, is it Softmax.cpp?", (home / "release-body.md").read_text())
        self.assertEqual(json.loads((home / "result.json").read_text())["score"], 0)

    @unittest.skipUnless((support.ROOT / "solutions").is_dir(), "the answers are not here")
    def test_folders_where_its_own_files_go(self):
        done, home = self.run_in({"result.json/notes.txt": "", "release-body.md/a/b.txt": ""}, ASSIGNMENT="softmax")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((home / "result.json").read_text())["score"], 0)

    def test_modules_of_the_student_are_not_loaded(self):
        files = {f"{name}.py": "raise SystemExit(77)\n" for name in ("json", "recto", "re", "tomllib")}
        done, home = self.run_in(files, ASSIGNMENT="softmax")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("softmax.cpp is missing", (home / "release-body.md").read_text())

    def test_what_is_not_the_students_fault(self):
        done, home = self.run_in({"softmax.cpp": ""}, ASSIGNMENT="no-such-set")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1))
        self.assertIn("there is no exercise or set no-such-set", done.stderr)
        self.assertFalse((home / "result.json").exists())


if __name__ == "__main__":
    unittest.main()
