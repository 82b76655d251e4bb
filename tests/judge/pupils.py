"""A class made up for the tests beside it: students whose files say what becomes of them."""
import csv
import os
import signal
import time
import unittest
from pathlib import Path
from unittest import mock

import made
from recto.judge import classroom, grading, sandbox
from recto.judge.grading import Report, Result
from recto.judge.judging import CRASHED, LATE, OWN, PASSED, UNCOMPILED, WRONG, Message
from recto.place import Failure

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
        """Grades every submission in the folder and returns the exit status."""
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
