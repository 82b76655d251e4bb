"""What a student's test is tried on runs beside the student's program, which holds nothing of it and cannot choose."""
import re
import subprocess
import unittest

from recto.judge import building, candidates, catalogue, grading, replaying
from recto.judge.bank import wrong_answers
from recto.judge.catalogue import Exercise
from recto.judge.frames import ANSWERED
from recto.judge.frames import answer as answer_of
from recto.judge.judging import WRONG
from recto.judge.reading import Source

TRIALS = [exercise for exercise in catalogue.exercises() if exercise.candidates]


def names(exercise: Exercise) -> set[str]:
    """The functions of the file with the candidates."""
    text = (exercise.solution / exercise.candidates).read_text()
    return set(re.findall(r"^(?:Row|Matrix|Point|Split|double) (\w{5,})\(", text, re.M)) - {"split", "softmax"}


class Apart(unittest.TestCase):
    """The student's program and that of the candidates."""

    def test_the_students_program_holds_no_name_of_a_candidate(self):
        self.assertEqual(len(TRIALS), 3)
        for exercise in TRIALS:
            with self.subTest(exercise.name), building.workshop() as home:
                source = Source(exercise.file, exercise.reference.read_bytes())
                program = building.build(exercise, source, "plain", home).folder / "program"
                listed = [subprocess.run(["nm", "-C", path], capture_output=True, text=True).stdout
                          for path in (program, building.candidates(exercise))]
                found = [{name for name in names(exercise) if re.search(rf"\b{name}\b", text)} for text in listed]
                self.assertEqual(found[0], set())
                self.assertGreater(len(found[1]), 8)

    def test_the_order_is_another_one_with_another_seed(self):
        exercise, = catalogue.chosen("test_softmax")
        source = Source(exercise.file, b"""#include "test_softmax.hpp"
            #include <cstdio>
            bool test_softmax(Softmax softmax) {
                Matrix x(2, 3);
                x.numbers = {1, 2, 5, 1000, 7, 3};
                for (const double y : softmax(x).numbers) std::printf("%.4g ", y);
                std::printf("\\n");
                return false;
            }""")
        printed = [grading.grade_source(exercise, source, seed, False, False, lambda text: None).results[0].message.printed
                   for seed in (1, 1, 2)]
        self.assertGreater(len(set(printed[0].splitlines())), 8)
        self.assertEqual(printed[0], printed[1])
        self.assertNotEqual(printed[0], printed[2])
        self.assertEqual(set(printed[0].splitlines()), set(printed[2].splitlines()))

    def test_a_replay_asks_about_the_same_candidate(self):
        exercise, = catalogue.chosen("test_softmax")
        answer = next(answer for answer in wrong_answers(exercise) if answer.path.stem == "one_case")
        with building.workshop() as home:
            path = home / exercise.file
            path.write_text(answer.text())
            report = grading.grade(exercise, path, 7, False, False)
            failed = next(result for result in report.results if result.outcome == WRONG)
            self.assertIn("normalises over the whole matrix", failed.message.about)
            found = replaying.replay(exercise, path, failed.part.name, failed.message.case, 7, home)
            self.assertEqual((found.got, found.expected, found.candidate[1]), ("1", "0", 13))
            with candidates.for_debugger(*found.candidate) as line:
                done = subprocess.run(f"{found.program} < {found.frames} 3>&1", shell=True, pass_fds=[line], capture_output=True,
                                      env={candidates.LINK: str(line)})
        number, status, values = answer_of(done.stdout[4:])
        self.assertEqual((number, status, values), (failed.message.case, ANSWERED, [1]))


if __name__ == "__main__":
    unittest.main()
