"""Grading a class: whose folders may be called anything and hold anything."""
import csv
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import made
from judge import classroom, grading, handed_in, sandbox
from judge.grading import Report, Result
from judge.judging import CRASHED, LATE, OWN, PASSED, UNCOMPILED, WRONG, Message
from place import Failure, Mistake

RIGHT, WHOLE = made.RIGHT.format(name="double_it"), made.WHOLE.format(name="double_it")
FATES = {"right": PASSED, "wrong": WRONG, "crash": CRASHED, "uncompiled": UNCOMPILED, "judge": OWN, "late": LATE}


class Class(unittest.TestCase):
    """A set of two exercises, and a folder of students. Nothing is compiled here: a file says what becomes of it."""

    def setUp(self):
        tree = made.exercises("double_it", "halve_it")
        self.root = tree.__enter__()
        self.addCleanup(tree.__exit__, None, None, None)
        self.folder, self.csv = self.root / "class", self.root / "marks.csv"
        self.folder.mkdir()
        self.log = self.root / "log"
        self.log.touch()
        self.said = []
        for target, name, new in ((classroom, "KEPT", self.root / "kept"), (grading, "grade", self.grade),
                                  (classroom.building, "given", None), (classroom.building, "objects", None),
                                  (sandbox, "warden", None)):
            patch = mock.patch.object(target, name, new or (lambda *_: None))
            patch.start()
            self.addCleanup(patch.stop)
        for cached in (classroom.judge_digest, classroom.exercise_digest):
            cached.cache_clear()
            self.addCleanup(cached.cache_clear)

    def grade(self, exercise, path: Path, seed: int) -> Report:
        """Stands in for a grading, in the process of a student."""
        with self.log.open("a", errors="backslashreplace") as log:
            log.write(f"{path.relative_to(self.folder)}\n")
        word = path.read_text().split()[0]
        if word == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "slow":
            time.sleep(60)
        if word == "failure":
            raise Failure("the driver did not compile:\nmuch more")
        results = [Result(part, FATES[word], Message(about=f"it is {word}")) for part in exercise.parts]
        return Report(exercise, seed, results, "namespaces")

    def hand_in(self, **files: str) -> None:
        """Files of students; `a__b` stands for the file b.cpp of a."""
        for name, text in files.items():
            student, file = name.split("__")
            self.put(student, f"{file}.cpp", text)

    def put(self, student: str, file: str, text: str) -> Path:
        """One file of a student."""
        path = self.folder / student / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run_class(self, late=False, seed: int | None = 5, jobs: int = 4, group: str = "small") -> int:
        """Grades the class."""
        self.said.clear()
        self.log.write_text("")
        return classroom.grade_class(group, self.folder, self.csv, late, seed, jobs, self.said.append)

    def rows(self) -> dict[str, dict[str, str]]:
        """The table, by student."""
        with self.csv.open(newline="", encoding="utf-8") as file:
            return {row["student"]: row for row in csv.DictReader(file)}

    def graded(self) -> list[str]:
        """The files that were graded in the last run."""
        return sorted(self.log.read_text().splitlines())

    def test_the_table(self):
        self.hand_in(ann__double_it="right", ann__halve_it="right", bob__double_it="right", bob__halve_it="wrong")
        self.assertEqual(self.run_class(), 0)
        rows = self.rows()
        self.assertEqual(list(rows["ann"]), ["student", "double_it", "halve_it", "mark", "arithmetic", "problems", "seed"])
        self.assertEqual(list(rows["ann"].values()), ["ann", "3", "3", "4.00", "2 x 4/4 + 2 x 2/2 = 4.00", "", "5"])
        self.assertEqual(list(rows["bob"].values()), ["bob", "3", "0", "1.00", "2 x 2/4 = 1.00, starred parts count when the "
                                                      "base is complete", "", "5"])

    def test_only_what_changed_is_graded_again(self):
        self.hand_in(ann__double_it="right", ann__halve_it="right", bob__double_it="wrong", bob__halve_it="wrong 2")
        self.run_class()
        self.assertEqual(len(self.graded()), 4)
        first = self.csv.read_text()
        self.run_class()
        self.assertEqual(self.graded(), [])
        self.assertEqual(self.csv.read_text(), first)
        self.hand_in(bob__double_it="right now", cid__double_it="crash", cid__halve_it="right other")
        self.run_class()
        self.assertEqual(self.graded(), ["bob/double_it.cpp", "cid/double_it.cpp", "cid/halve_it.cpp"])
        self.assertEqual(self.rows()["cid"]["problems"], "double_it: crashed in whole, broken, far")
        judge = self.root / "solutions" / "small" / "double_it" / "judge.py"
        judge.write_text(f"{judge.read_text()}# changed\n")
        classroom.exercise_digest.cache_clear()
        self.run_class()
        self.assertEqual(self.graded(), ["ann/double_it.cpp", "bob/double_it.cpp", "cid/double_it.cpp"])

    def test_what_ran_out_of_time_is_tried_again(self):
        self.hand_in(ann__double_it="late", ann__halve_it="wrong")
        for _ in range(2):
            self.assertEqual(self.run_class(), 0)
            self.assertEqual(self.rows()["ann"]["problems"], "double_it: out of time in whole, broken, far")
        self.assertEqual(self.graded(), ["ann/double_it.cpp"])

    def test_seeds(self):
        self.hand_in(ann__double_it="right", ann__halve_it="right 2")
        self.run_class(seed=None)
        seed = self.rows()["ann"]["seed"]
        self.hand_in(bob__double_it="wrong", bob__halve_it="wrong 2")
        self.run_class(seed=None)
        self.assertEqual(self.rows()["bob"]["seed"], seed)
        self.assertEqual(self.graded(), ["bob/double_it.cpp", "bob/halve_it.cpp"])
        self.run_class(seed=int(seed) + 1)
        self.assertEqual(len(self.graded()), 4)

    def test_late(self):
        self.hand_in(ann__double_it="right", ann__halve_it="right", bob__double_it="right", bob__halve_it="right")
        self.run_class(late={"bob"})
        self.assertEqual([self.rows()[name]["mark"] for name in ("ann", "bob")], ["4.00", "1.00"])
        self.run_class(late=True)
        self.assertEqual([self.rows()[name]["mark"] for name in ("ann", "bob")], ["1.00", "1.00"])
        self.assertEqual(self.graded(), [])
        self.assertRaisesRegex(Mistake, "no student bobb; did you mean bob", self.run_class, late={"bobb"})

    def test_files_that_are_missing_or_have_other_names(self):
        self.put("ann", "Double_It.cpp", "right")
        self.put("ann", "halve_it (1).cpp", "right")
        self.put("bob", "notes.txt", "nothing")
        (self.folder / "cid").mkdir()
        self.assertEqual(self.run_class(), 0)
        rows = self.rows()
        self.assertEqual(rows["ann"]["problems"], "double_it.cpp is missing, is it Double_It.cpp?; halve_it.cpp is missing, is it "
                                                  "halve_it (1).cpp?")
        for name in ("bob", "cid"):
            self.assertEqual(rows[name]["problems"], "double_it.cpp is missing; halve_it.cpp is missing")
        self.assertEqual([row["mark"] for row in rows.values()], ["0.00"] * 3)
        self.assertEqual(self.graded(), [])

    def test_where_files_may_lie(self):
        self.put("ann", "work/small/double_it/double_it.cpp", "right")
        self.put("ann", "a/b/c/halve_it.cpp", "right")
        self.put("bob", "double_it.cpp", "right")
        self.put("bob", "old/double_it.cpp", "wrong")
        self.put("bob", "halve_it/halve_it.cpp", "right")
        self.put("bob", "halve_it.cpp", "wrong")
        self.put("cid", "1/2/3/4/5/6/7/double_it.cpp", "right")
        self.run_class()
        rows = self.rows()
        self.assertEqual((rows["ann"]["mark"], rows["ann"]["problems"]), ("4.00", ""))
        self.assertEqual(rows["bob"]["problems"], "double_it.cpp is there 2 times: double_it.cpp, old/double_it.cpp")
        self.assertEqual((rows["bob"]["double_it"], rows["bob"]["halve_it"]), ("0", "3"))
        self.assertIn("double_it.cpp is missing", rows["cid"]["problems"])

    def test_hostile_folders(self):
        names = ["a b", "new\nline", "-rf", "naïve ☃", "=1+1", "+a", "@b", "\x1b[2J", "tab\there", "a\\nb", "a,b\"c", "--", "\udcff"]
        for name in names:
            self.put(name, "double_it.cpp", "right")
        self.put("zoe", "double_it.cpp", "right")
        (self.folder / "link").symlink_to(self.folder / "zoe")
        (self.folder / "dangling").symlink_to("/nowhere")
        (self.folder / "smith.zip").write_bytes(b"PK")
        (self.folder / ".DS_Store").write_bytes(b"")
        (self.folder / "__MACOSX").mkdir()
        self.assertEqual(self.run_class(), 0)
        rows = self.rows()
        self.assertEqual(set(rows), {"a b", "new\\nline", "'-rf", "naïve ☃", "'=1+1", "'+a", "'@b", "\\x1b[2J", "tab\\there",
                                     "a\\\\nb", 'a,b"c', "'--", "\\udcff", "zoe", "link", "dangling", "__MACOSX"})
        for name in ("link", "dangling"):
            self.assertEqual((rows[name]["problems"], rows[name]["mark"]), ("is a symbolic link, not a folder", "0.00"))
        self.assertIn("smith.zip: is no folder, left out", self.said)
        self.assertFalse([text for text in self.said if "\n" in text or "\x1b" in text])
        for line in self.csv.read_text(encoding="utf-8").split("\r\n"):
            self.assertNotRegex(line, "^[=+@\t-]")

    def test_links_and_pipes_in_a_folder(self):
        other = self.put("../elsewhere", "double_it.cpp", "right")
        (self.folder / "ann").mkdir()
        (self.folder / "ann" / "theirs").symlink_to(other.parent)
        (self.folder / "bob").mkdir()
        (self.folder / "bob" / "double_it.cpp").symlink_to(other)
        os.mkfifo(self.folder / "bob" / "halve_it.cpp")
        with mock.patch.object(grading, "grade", self.real_grade):
            self.assertEqual(self.run_class(), 0)
        rows = self.rows()
        self.assertIn("double_it.cpp is missing", rows["ann"]["problems"])
        self.assertEqual(rows["bob"]["problems"], "double_it.cpp: is a symbolic link; halve_it.cpp: is no ordinary file")

    real_grade = staticmethod(grading.grade)

    def test_what_the_judge_cannot_do_is_nobodys_fault(self):
        """No points, no mark, exit 1; and the next run tries again."""
        self.hand_in(ann__double_it="failure", ann__halve_it="right", bob__double_it="judge", cid__double_it="killed",
                     cid__halve_it="right 2", dan__double_it="right", dan__halve_it="right")
        self.assertEqual(self.run_class(), 1)
        rows = self.rows()
        for name, words in (("ann", "the driver did not compile:"), ("bob", "it is judge"), ("cid", "the grading was lost")):
            self.assertEqual((rows[name]["mark"], rows[name]["double_it"]), ("", ""), name)
            self.assertIn(words, rows[name]["problems"])
        self.assertEqual(rows["ann"]["halve_it"], "3")
        self.assertEqual(rows["dan"]["mark"], "4.00")
        self.assertIn("run it again", self.said[-1])
        self.hand_in(ann__double_it="right a", bob__double_it="right b", cid__double_it="right c")
        self.assertEqual(self.run_class(), 0)
        self.assertNotIn("dan/double_it.cpp", self.graded())
        self.assertIn("cid/halve_it.cpp", self.graded())

    def test_what_a_teacher_should_know(self):
        self.hand_in(ann__double_it="uncompiled", ann__halve_it="wrong", bob__double_it="crash", bob__halve_it="right")
        self.run_class()
        self.assertEqual(self.rows()["ann"]["problems"], "double_it did not compile")
        self.assertEqual(self.rows()["bob"]["problems"], "double_it: crashed in whole, broken, far")

    def test_a_run_that_is_interrupted(self):
        """The table that was there stays; what was finished is not graded again; no process is left."""
        self.csv.write_text("as before")
        self.hand_in(ann__double_it="right", ann__halve_it="right", bob__double_it="slow")

        def tell(text):
            self.said.append(text)
            if "ann" in text:
                raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            classroom.grade_class("small", self.folder, self.csv, False, 5, 2, tell)
        self.assertEqual(self.csv.read_text(), "as before")
        self.assertEqual(classroom.multiprocessing.active_children(), [])
        self.hand_in(bob__double_it="right")
        self.run_class()
        self.assertEqual(self.graded(), [])
        self.assertEqual(self.rows()["ann"]["mark"], "4.00")
        self.assertEqual(list(self.root.glob("*.part")), [])

    def test_what_there_is_not(self):
        for folder in (self.folder, self.root / "nowhere", self.csv):
            with self.assertRaises(Mistake):
                classroom.grade_class("small", folder, self.csv, False, 1, 1, self.said.append)
        self.hand_in(ann__double_it="right")
        self.assertRaisesRegex(Mistake, "did you mean small", self.run_class, group="smal")
        for bad in (self.root, self.root / "no" / "marks.csv"):
            with self.assertRaisesRegex(Mistake, "is no place for a file"):
                classroom.grade_class("small", self.folder, bad, False, 1, 1, self.said.append)
        shutil.rmtree(self.root / "solutions")
        self.assertRaisesRegex(Failure, "its judge is not here", self.run_class)
        self.assertFalse(self.csv.exists())

    def test_exercises_that_share_a_file_name(self):
        toml = self.root / "exercises" / "small" / "halve_it" / "exercise.toml"
        toml.write_text(toml.read_text().replace("halve_it.cpp", "double_it.cpp"))
        made.catalogue.sets.cache_clear()
        self.put("ann", "halve_it/double_it.cpp", "right")
        self.run_class()
        self.assertEqual((self.rows()["ann"]["double_it"], self.rows()["ann"]["halve_it"]), ("0", "3"))


class Cells(unittest.TestCase):
    """What stands in a table."""

    def test_formulas(self):
        for text in ("=1", "+1", "-1", "@a", "\t=1", "\r=1"):
            self.assertEqual(classroom.cell(text), f"'{text}")
        for text in ("", "a=1", "4.00", "2 x 1/2"):
            self.assertEqual(classroom.cell(text), text)

    def test_names_that_look_alike_stay_apart(self):
        names = ["a\nb", "a\\nb", "a\\\nb", "a\tb", "a\\tb", "a\x1bb", "a\\x1bb"]
        self.assertEqual(len({classroom.line(name) for name in names}), len(names))

    def test_a_folder_without_end(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(handed_in, "MOST_FILES", 10):
            for at in range(30):
                Path(folder, f"d{at}").mkdir()
                Path(folder, f"f{at}").touch()
            self.assertEqual(len(handed_in.files_in(Path(folder))), 10)


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class Really(unittest.TestCase):
    """With the compiler, and from outside."""

    PROGRAM = """
import sys
sys.path[:0] = [sys.argv[1], sys.argv[2]]
import made
from pathlib import Path
from judge import catalogue, classroom
root = Path(sys.argv[3])
catalogue.EXERCISES, catalogue.SOLUTIONS, classroom.KEPT = root / "exercises", root / "solutions", root / "kept"
sys.exit(classroom.grade_class("small", root / "class", root / "marks.csv", False, 5, 2, lambda text: print(text, flush=True)))
"""

    def test_a_class(self):
        here = Path(__file__).resolve().parent
        with made.exercises("double_it") as root:
            for name, text in (("ann", RIGHT), ("bob b", WHOLE), ("cid", "int main( {}\n")):
                (root / "class" / name).mkdir(parents=True)
                (root / "class" / name / "double_it.cpp").write_text(text)
            done = subprocess.run([sys.executable, "-c", self.PROGRAM, str(made.support.ROOT / "tools"), str(here), str(root)],
                                  capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            with (root / "marks.csv").open(newline="") as file:
                rows = {row["student"]: row for row in csv.DictReader(file)}
            self.assertEqual([row["mark"] for row in rows.values()], ["4.00", "1.00", "0.00"])
            self.assertEqual(rows["cid"]["problems"], "double_it did not compile")


if __name__ == "__main__":
    unittest.main()
