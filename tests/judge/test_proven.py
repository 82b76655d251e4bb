"""What the proof of an exercise rests on."""
import unittest

from recto.judge import catalogue, proven
from recto.place import ROOT


class RestsOn(unittest.TestCase):
    """Whatever could change the outcome makes the proof stale."""

    def rests_on(self, name: str) -> set[str]:
        exercise, = catalogue.chosen(name)
        return {path.relative_to(ROOT).as_posix() for path in proven.sources(exercise)}

    def test_an_exercise_its_solution_the_kit_and_the_judge(self):
        found = self.rests_on("softmax")
        for name in ("exercises/foundations/softmax/driver.cpp", "exercises/foundations/softmax/exercise.toml",
                     "solutions/foundations/softmax/judge.py", "solutions/foundations/softmax/wrong/no_maximum.patch",
                     "exercises/kit/driver.cpp", "tools/recto/judge/grading.py", "tools/recto/judge/warden.cpp",
                     "tests/exercises/prove.py"):
            self.assertIn(name, found)
        self.assertFalse([name for name in found if "foundations/" in name and "softmax" not in name])

    def test_what_it_links_of_the_library_and_the_headers_behind_that(self):
        found = self.rests_on("bengio_mlp")
        for name in ("lib/recto/kernels/product.cpp", "lib/recto/autograd/tape.hpp", "lib/recto/core/tensor.cpp"):
            self.assertIn(name, found)
        self.assertNotIn("lib/recto/optim/adam.cpp", found)

    def test_the_emulator_where_there_are_kernels(self):
        self.assertIn("lib/recto/emulator/barriers.cpp", self.rests_on("transpose"))


if __name__ == "__main__":
    unittest.main()
