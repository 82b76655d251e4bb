"""Grading a class: a table of marks, and no student graded twice or for what is not their fault."""
import csv
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import made
from recto.judge import classroom
from recto.place import TOOLS, Failure, Mistake
from pupils import Class

RIGHT, WHOLE = made.RIGHT.format(name="double_it"), made.WHOLE.format(name="double_it")


class Table(Class):
    """The CSV file has one row for each student."""

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
            with self.assertRaisesRegex(Mistake, "is not a possible path for a file"):
                classroom.grade_class("small", self.folder, bad, False, 1, 1, self.said.append)
        shutil.rmtree(self.root / "solutions")
        self.assertRaisesRegex(Failure, "its judge is not here", self.run_class)
        self.assertFalse(self.csv.exists())


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


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class Really(unittest.TestCase):
    """With the compiler, and from outside."""

    PROGRAM = """
import sys
import made
from pathlib import Path
from recto.judge import catalogue, classroom
root = Path(sys.argv[1])
catalogue.EXERCISES, catalogue.SOLUTIONS, classroom.KEPT = root / "exercises", root / "solutions", root / "kept"
sys.exit(classroom.grade_class("small", root / "class", root / "marks.csv", False, 5, 2, lambda text: print(text, flush=True)))
"""

    def test_a_class(self):
        here = Path(__file__).resolve().parent
        with made.exercises("double_it") as root:
            for name, text in (("ann", RIGHT), ("bob b", WHOLE), ("cid", "int main( {}\n")):
                (root / "class" / name).mkdir(parents=True)
                (root / "class" / name / "double_it.cpp").write_text(text)
            done = subprocess.run([sys.executable, "-c", self.PROGRAM, str(root)], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": f"{TOOLS}:{here}"})
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            with (root / "marks.csv").open(newline="") as file:
                rows = {row["student"]: row for row in csv.DictReader(file)}
            self.assertEqual([row["mark"] for row in rows.values()], ["4.00", "1.00", "0.00"])
            self.assertEqual(rows["cid"]["problems"], "double_it did not compile")


if __name__ == "__main__":
    unittest.main()
