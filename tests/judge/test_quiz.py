"""The quizzes: a page of questions for each chapter, and `recto quiz`, which grades the answers (row ex-tp6-qcm)."""
import contextlib
import io
import json
import os
import pty
import re
import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

from recto_book.weave import weave

from recto.cli import quiz
from recto.cli.main import main
from recto.pages.pages import all_pages
from recto.place import ROOT, RUNS, Failure, Mistake

QUIZZES = [page for page in all_pages() if page.name.startswith("quiz_")]
ASKS = re.compile(r"(?m)^    ask\(quiz,")


def record(line: int, right: int = 1, **changed) -> dict:
    """A question as a page leaves it in its trace."""
    choices = [{"text": f"{n} parts", "right": n == right, "why": f"reason {n}"} for n in range(4)]
    return {"kind": "ask", "line": line, "question": f"How many, in line {line}?", "choices": choices} | changed


def as_asked(count: int) -> list[dict]:
    """Questions whose right answer is b."""
    return [record(n) | {"page": "softmax"} for n in range(1, count + 1)]


class Stdin(io.TextIOWrapper):
    """A file or a pipe as standard input."""

    def __init__(self, given: bytes):
        super().__init__(io.BytesIO(given), encoding="utf-8")


def run(*words: str, given: bytes = b"", count: int = 3) -> tuple[int, str, str]:
    """(exit status, standard output, standard error) of a `recto quiz` whose page has `count` questions."""
    out, err = io.StringIO(), io.StringIO()
    with (mock.patch.object(quiz, "questions", lambda page: as_asked(count)), mock.patch("sys.stdin", Stdin(given)),
          contextlib.redirect_stdout(out), contextlib.redirect_stderr(err)):
        code = main(["quiz", *words])
    return code, out.getvalue(), err.getvalue()


class Chapters(unittest.TestCase):
    def test_every_chapter_has_five_questions_that_are_shown_and_graded(self):
        """[row:ex-tp6-qcm/a]"""
        chapters = sorted(path.parent.name for path in (ROOT / "chapters").glob("*/index.md"))
        self.assertEqual(len(chapters), 6)
        self.assertEqual([page.source.parent.name for page in QUIZZES], chapters)
        for page in QUIZZES:
            source = page.source.read_text(encoding="utf-8")
            records = [record(source.count("\n", 0, found.start()) + 1, right=n % 4)
                       for n, found in enumerate(ASKS.finditer(source))]
            self.assertGreaterEqual(len(records), 5, page.name)
            self.assertIn(f"\n{page.name}\n", (page.source.parent / "index.md").read_text(encoding="utf-8"))
            shown = [json.loads(line) for line in weave(source, records).lines if line.startswith('{"kind": "ask"')]
            self.assertEqual([r["question"] for r in shown], [r["question"] for r in records], "the book shows other questions")
            graded = quiz.asked(records, source.splitlines(), list(range(source.count("\n") + 2)))
            self.assertEqual(len(graded), len(records))
            with contextlib.redirect_stdout(io.StringIO()):
                for n, question in enumerate(graded):
                    self.assertEqual([quiz.judged(question, letter) for letter in "abcd"], [k == n % 4 for k in range(4)])

    def test_each_question_names_a_page_of_its_chapter(self):
        pages = {page.name: page.source.parent for page in all_pages()}
        for page in QUIZZES:
            source = page.source.read_text(encoding="utf-8")
            lines = [source.count("\n", 0, found.start()) + 1 for found in ASKS.finditer(source)]
            for question in quiz.asked(list(map(record, lines)), source.splitlines(), list(range(source.count("\n") + 2))):
                self.assertEqual(pages.get(question["page"]), page.source.parent, f"{page.name}:{question['line']}")

    def test_what_the_programs_left(self):
        """Of the quizzes that have run here: four choices, one of them right, and places of the right ones that differ."""
        ran = [page for page in QUIZZES if (RUNS / page.name / "trace.jsonl").exists()]
        if not ran:
            self.skipTest("no quiz has run here: ./recto book")
        for page in ran:
            kept = (RUNS / page.name / "trace.jsonl").read_text(encoding="utf-8").splitlines()
            listed = [r for r in map(json.loads, kept) if r["kind"] == "ask"]
            self.assertGreaterEqual(len(listed), 8, page.name)
            places = [[choice["right"] for choice in r["choices"]] for r in listed]
            self.assertTrue(all(len(place) == 4 and sum(place) == 1 for place in places), page.name)
            self.assertGreaterEqual(len({place.index(True) for place in places}), 3, "the right answers are all at the same places")


class Grading(unittest.TestCase):
    def test_all_right_is_0_and_one_wrong_or_missing_is_1(self):
        for given, code, last in ((b"b\nb\nb\n", 0, "3 of 3 right"), (b"bbb", 0, "3 of 3 right"), (b"B b\nB", 0, "3 of 3 right"),
                                  (b"b\na\nb\n", 1, "2 of 3 right"), (b"b", 1, "1 of 3 right"), (b"", 1, "0 of 3 right")):
            with self.subTest(given=given):
                got, out, err = run("training", given=given)
                self.assertEqual((got, out.splitlines()[-1], err), (code, last, ""))

    def test_each_choice_has_its_reason_and_a_wrong_one_the_right_answer_and_a_page(self):
        _, out, _ = run("training", given=b"ba")
        self.assertIn("b: Right.\n     reason 1\n", out)
        self.assertIn("a: No.\n     reason 0\n  b: It is 1 parts: reason 1\n     To read on: softmax\n", out)
        self.assertEqual(out.count("No answer."), 1)
        self.assertEqual(out.count("reason 1"), 2, "an answer that was not given tells the right one")

    def test_wrong_usage_is_one_line_and_2_before_anything_is_asked(self):
        for words, given, said in ((("training",), b"b\nx\nb\n", "quiz: wanted one of abcd for question 2, got 'x'"),
                                   (("training",), b"bbbb", "quiz: wanted an answer for each of 3 questions, got 4"),
                                   (("training",), b"\xff\n", "quiz: wanted one of abcd for question 1, got '\ufffd'"),
                                   (("training",), b"\x1b[2J", "quiz: wanted an answer for each of 3 questions, got 4"),
                                   (("trainign",), b"", "quiz: there is no chapter trainign; did you mean training? (there are "
                                    "foundations, training, components, architectures, applications, fine-tuning)"),
                                   (("softmax",), b"", None), (("training", "more"), b"", None), (("--fast",), b"", None)):
            with self.subTest(words=words, given=given):
                code, out, err = run(*words, given=given)
                self.assertEqual((code, out, err.count("\n")), (2, "", 1))
                self.assertEqual(err, f"recto: {said}\n" if said else err)

    def test_a_chapter_by_name_number_and_page_and_all_without_one(self):
        for word in ("fine-tuning", "Fine-Tuning", "fine_tuning", "6", "quiz_fine_tuning"):
            self.assertEqual([page.name for page in quiz.chosen(word, all_pages())], ["quiz_fine_tuning"])
        self.assertEqual(quiz.chosen("", all_pages()), QUIZZES)
        self.assertEqual(run(given=b"b" * 18)[:1], (0,))
        with self.assertRaises(Mistake):
            quiz.chosen("7", all_pages())

    def test_without_standard_input(self):
        out = io.StringIO()
        with (mock.patch.object(quiz, "questions", lambda page: as_asked(1)), mock.patch("sys.stdin", None),
              contextlib.redirect_stdout(out)):
            self.assertEqual(main(["quiz", "training"]), 1)
        self.assertIn("0 of 1 right", out.getvalue())

    def test_at_a_terminal_it_asks_again_and_ends_with_ctrl_d(self):
        script = ("from unittest import mock\nfrom recto.cli import quiz\nfrom recto.cli.main import main\nimport sys\n"
                  f"asked = {as_asked(3)!r}\n"
                  "with mock.patch.object(quiz, 'questions', lambda page: asked):\n    sys.exit(main(['quiz', 'training']))\n")
        ours, theirs = pty.openpty()
        os.write(ours, b"x\nbb\nb\n\n\x04")
        done = subprocess.run([sys.executable, "-c", script], stdin=theirs, capture_output=True, text=True, timeout=60,
                              env=os.environ | {"PYTHONPATH": str(ROOT / "tools")})
        os.close(ours)
        os.close(theirs)
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertEqual(done.stdout.count("a to d?"), 5)
        self.assertEqual(done.stdout.splitlines()[-1], "1 of 3 right")

    def test_a_page_that_is_broken_grades_nothing(self):
        page = QUIZZES[0]
        outcome = mock.Mock(code=1, error="broken question: how many?", folder=Path("/nowhere"))
        with (mock.patch.object(quiz.cmake, "compile"), mock.patch.object(quiz.cmake, "configure"),
              mock.patch.object(quiz.runs, "standard", lambda _: (outcome, True)), self.assertRaises(Failure) as caught):
            quiz.questions(page)
        self.assertEqual(str(caught.exception), "quiz: quiz_foundations cannot say which answers are right: broken question: how many?")


if __name__ == "__main__":
    unittest.main()
