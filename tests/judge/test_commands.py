"""The student's commands: what they say, what they keep, and what they never touch."""
import contextlib
import io
import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

from recto.cli.main import main
from recto.judge import building, catalogue, commands, desk, given, grading, watching
from recto.judge.bank import wrong_answers
from recto.place import ROOT, Failure
from test_formats import SCHEMA, faults

# Runs the tools as __main__, and says when their imports begin.
STARTS = "import runpy, sys; sys.argv = sys.argv[1:]; " \
         "sys.addaudithook(lambda event, about: event == 'import' and about[0] == 'argparse' and print(flush=True)); " \
         "runpy.run_path(sys.argv[0], run_name='__main__')"


class Desk(unittest.TestCase):
    """Commands on a work/ of our own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.work = Path(self.folder.name) / "work"
        for name, value in (("WORK", self.work), ("PROGRESS", self.work / ".progress.json")):
            patch = mock.patch.object(desk, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.softmax = catalogue.chosen("softmax")[0]
        self.mine = self.work / "foundations" / "softmax" / "softmax.cpp"

    def tearDown(self):
        self.folder.cleanup()

    def recto(self, *words: str) -> tuple[int, str, str]:
        """(exit status, what it said, what it complained of)."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(list(words))
        return code, out.getvalue(), err.getvalue()

    def hand_in(self, source: Path) -> None:
        self.recto("start", "softmax")
        shutil.copyfile(source, self.mine)

    def test_start_never_overwrites(self):
        code, said, _ = self.recto("start", "softmax")
        self.assertEqual((code, said.split()[0]), (0, "new"))
        self.assertEqual(self.mine.read_bytes(), self.softmax.stub.read_bytes())
        self.assertIn("Never write the solution", (self.work / "AGENTS.md").read_text())
        self.mine.write_text("// mine\n")
        (self.work / "AGENTS.md").write_text("mine too\n")
        code, said, _ = self.recto("start", "foundations")
        self.assertIn("yours", said)
        self.assertEqual(self.mine.read_text(), "// mine\n")
        self.assertEqual((self.work / "AGENTS.md").read_text(), "mine too\n")

    def test_start_prepares_what_grading_needs(self):
        for failure in (None, Failure("the compiler g++ does not run")):
            with mock.patch.object(building, "prepare", side_effect=failure) as prepare:
                code, said, complained = self.recto("start", "softmax")
            self.assertEqual((code, complained), (0, ""))
            self.assertIn("./recto watch softmax", said)
            self.assertEqual(prepare.call_args.args[:2], (self.softmax, ["plain", "sanitized"]))

    def test_start_without_a_word_takes_the_next(self):
        first, second = catalogue.exercises()[:2]
        self.assertIn(first.file, self.recto("start")[1])
        self.assertIn(f"{second.set}/{second.name}/", self.recto("start")[1])

    def test_hints_come_one_by_one(self):
        for number in (1, 2, 3, 3):
            self.assertIn(f"softmax, hint {number} of 3", self.recto("hint", "softmax")[1])

    def test_the_solution_waits(self):
        code, said, complaint = self.recto("solution", "softmax")
        self.assertEqual((code, said), (1, ""))
        self.assertIn("is not solved yet", complaint)
        self.assertIn("Matrix softmax", self.recto("solution", "softmax", "--give-up")[1])

    def test_grading_is_remembered(self):
        self.hand_in(self.softmax.reference)
        code, said, _ = self.recto("grade", "softmax", "--seed", "3")
        self.assertEqual(code, 0)
        self.assertRegex(said, r"foundations: \d\.\d\d of 4   \(\d x ")
        self.assertRegex(self.recto("exercises")[1], r"softmax +solved ")
        self.assertEqual(self.recto("solution", "softmax")[0], 0)
        self.mine.write_text(self.mine.read_text() + "// later\n")
        self.assertRegex(self.recto("exercises")[1], r"softmax +solved, changed since")

    def test_a_wrong_answer(self):
        wrong = Path(self.folder.name) / "over_all.cpp"
        wrong.write_text(next(answer.text() for answer in wrong_answers(self.softmax) if answer.path.stem == "over_all"))
        self.hand_in(wrong)
        code, said, _ = self.recto("grade", "softmax", "--seed", "3")
        self.assertEqual(code, 1)
        self.assertIn("sum to one over the whole matrix", said)
        again = said.partition("--replay ")[2].split()[0]
        code, said, _ = self.recto("grade", "softmax", "--replay", again)
        self.assertEqual(code, 1)
        self.assertRegex(said, r"softmax\(.*\)\n(.*\n)*  row 0, column 0: expected 1, got 0\.\d+")
        shutil.copyfile(self.softmax.reference, self.mine)
        code, said, _ = self.recto("grade", "softmax", "--replay", again)
        self.assertEqual(code, 0)
        self.assertRegex(said, r"softmax\(.*\)\n  answers \{.*\n  expected \{")

    def test_a_file_anywhere(self):
        odd = Path(self.folder.name) / "-a name\nwith lines.cpp"
        shutil.copyfile(self.softmax.reference, odd)
        self.assertEqual(self.recto("grade", "softmax", f"--file={odd}")[0], 0)
        self.assertFalse(desk.PROGRESS.exists())

    def test_mistakes_are_one_line(self):
        for words, complaint in ((("grade", "sofmax"), "did you mean softmax?"), (("grade", "softmax"), "./recto start softmax"),
                                 (("hint", "foundations"), "is a set"), (("grade", "--file", "x"), "--file needs the name"),
                                 (("grade", "softmax", "--file", "/nowhere.cpp"), "/nowhere.cpp: there is no such file"),
                                 (("grade", "softmax", "--json", "--file", "/tmp"), "/tmp: is no ordinary file"),
                                 (("solution",), "the following arguments are required")):
            with self.subTest(words):
                code, _, said = self.recto(*words)
                self.assertIn(code, (1, 2))
                self.assertIn(complaint, said)
                self.assertLessEqual(said.count("\n"), 1)

    def test_json_whatever_happens(self):
        """One JSON document on standard output, as the schema says, with the exit status that there is without --json."""
        self.hand_in(self.softmax.stub)
        broken = Path(self.folder.name) / "broken.cpp"
        broken.write_text("int a = ;")
        nowhere = mock.patch.object(catalogue, "SOLUTIONS", self.work / "nowhere")
        bug = mock.patch.object(commands, "submitted", side_effect=IndexError("list \udcff"))
        for words, patch, status, why in (
                (("softmax",), None, 1, None), (("softmax", f"--file={broken}"), None, 1, None),
                (("sofmax",), None, 2, "did you mean softmax?"), (("softmax",), nowhere, 1, "handed out without the judges"),
                (("--file",), None, 2, "expected one argument"), (("--seed", "x"), None, 2, "invalid int"),
                (("softmax", "--nothing"), None, 2, "--nothing"), (("softmax", "--file", "/tmp"), None, 1, "no ordinary file"),
                (("softmax", "--junit", "/sys/x/y"), None, 1, "/sys/x"), (("softmax", "--submissions", "x"), None, 2, "--csv"),
                (("softmax", "--replay", "x:y"), None, 2, "PART:CASE:SEED"), (("softmax", "--gdb"), None, 2, "takes no --gdb"),
                (("softmax", "--replay", "ordinary:1:7"), None, 1, None), (("softmax",), bug, None, "internal error: IndexError")):
            with self.subTest(words), patch or contextlib.nullcontext():
                said = io.StringIO()
                with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
                    if status is None:
                        self.assertRaises(IndexError, main, ["grade", *words, "--json"])
                    else:
                        self.assertEqual(main(["grade", "--json", *words]), status)
                got = json.loads(said.getvalue())
                self.assertEqual(faults(got, SCHEMA, SCHEMA), [])
                self.assertIn(why or "", got.get("error", ""))
                self.assertEqual("error" in got, bool(why))
                self.assertEqual("replay" in got, words[1:] == ("--replay", "ordinary:1:7"))
                self.assertEqual(bool(got["exercises"]), not why and "--replay" not in words)

    def test_the_debugger_is_refused_for_strangers(self):
        """It would run the program outside the sandbox."""
        self.hand_in(self.softmax.stub)
        with mock.patch.object(commands, "replay") as replay:
            code, _, complaint = self.recto("grade", "softmax", "--untrusted", "--replay", "large:1:7", "--gdb")
        self.assertEqual((code, complaint), (2, "recto: grade: --untrusted takes no --gdb: the debugger runs the program outside "
                                                "the sandbox\n"))
        replay.assert_not_called()

    def test_a_file_that_cannot_be_read(self):
        code, _, said = self.recto("grade", "softmax", "--file", "/proc/self/mem")
        self.assertEqual((code, said), (1, "recto: /proc/self/mem: Input/output error\n"))

    def test_a_tree_that_cannot_be_written(self):
        """/sys takes no folders, not even from root."""
        self.hand_in(self.softmax.stub)
        with mock.patch.object(given, "BUILD", Path("/sys/build")), mock.patch.object(building, "BUILD", Path("/sys/build")):
            self.unwritable("grade", "softmax")
            self.unwritable("watch", "softmax")
        nowhere = Path("/sys/work")
        with mock.patch.object(desk, "WORK", nowhere), mock.patch.object(desk, "PROGRESS", nowhere / ".progress.json"):
            self.unwritable("start", "softmax")
            self.unwritable("hint", "softmax")

    def unwritable(self, *words: str) -> None:
        """The command must fail with one line that names the folder."""
        with self.subTest(words[0]):
            code, _, said = self.recto(*words)
            self.assertEqual(code, 1)
            self.assertRegex(said, rf"^recto: {words[0]}: /sys/.*: .*; Recto needs a tree and a disk that it may write to\n$")

    def test_control_c_while_it_starts(self):
        """At whatever moment: neither a traceback nor a word."""
        script = str(ROOT / "tools")
        for moment in range(10):
            with subprocess.Popen([sys.executable, "-I", "-c", STARTS, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True) as process:
                process.stdout.readline()           # its imports begin
                time.sleep(moment / 50)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.communicate()[1], "")
                self.assertIn(process.returncode, (-signal.SIGINT, 130, 0))

    def test_what_was_graded_is_marked(self):
        """The file is saved again while it is graded."""
        self.hand_in(self.softmax.reference)
        source = self.mine.read_bytes()

        def meanwhile(*words):
            self.mine.write_text("int saved_later;\n")
            return grading.Report(words[0], 1, [grading.Result(part, "passed") for part in words[0].parts])
        with mock.patch.object(grading, "grade_source", meanwhile):
            self.assertEqual(self.recto("grade", "softmax")[0], 0)
        self.assertRegex(self.recto("exercises")[1], r"softmax +solved, changed since")
        self.mine.write_bytes(source)
        self.assertRegex(self.recto("exercises")[1], r"softmax +solved  ")

    def test_a_tree_that_was_handed_out(self):
        """It says what to do instead, and advertises no command that fails there."""
        with mock.patch.object(catalogue, "SOLUTIONS", self.work / "nowhere"):
            code, said, _ = self.recto("start", "softmax")
            self.assertEqual(code, 0)
            self.assertIn("hand it in: this tree was handed out without the judges", said)
            self.assertNotIn("./recto watch", said)
            hints = [self.recto("hint", "softmax")[1] for _ in range(3)]
            self.assertIn("Your teacher has a solution.", hints[2])
            self.assertNotIn("./recto solution", hints[2])
            for command in ("grade", "watch"):
                code, said, complaint = self.recto(command, "softmax")
                self.assertEqual((code, said, complaint), (1, "", f"recto: {command}: {commands.HANDED_OUT}. Hand in the file, or "
                                                           "grade with the bundle: ./recto grade EXERCISE --bundle FILE\n"))

    def test_a_judge_that_fails_touches_no_other(self):
        self.recto("start", "softmax")
        with mock.patch.object(grading, "judge_of", side_effect=commands.Failure("its judge is not here")):
            code, said, _ = self.recto("grade", "softmax")
        self.assertEqual(code, 1)
        self.assertIn("this is not your mistake: its judge is not here", said)

    def test_watching_goes_on(self):
        self.hand_in(self.softmax.reference)
        looks = []

        def sleep(_seconds: float) -> None:
            looks.append(1)
            if len(looks) > 3:
                raise KeyboardInterrupt
        clock = types.SimpleNamespace(sleep=sleep, strftime=time.strftime)
        with mock.patch.object(watching, "time", clock):
            code, said, _ = self.recto("watch", "softmax")
        self.assertIn("watching", said)
        self.assertIn("Next: " if len(catalogue.exercises()) > 1 else "everything is solved", said)
        self.assertIn(code, (0, 130))


if __name__ == "__main__":
    unittest.main()
