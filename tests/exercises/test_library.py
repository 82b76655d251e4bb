#!/usr/bin/env python3
"""What an exercise does not list of the library can be neither included nor linked."""
import subprocess
import unittest

from recto.judge import building, catalogue, given, sandbox
from recto.judge.complaints import CompileError
from recto.judge.given import BASE
from recto.judge.reading import Source
from recto.place import ROOT, Failure

EXERCISE = catalogue.chosen("bengio_mlp")[0]
REST = EXERCISE.stub.read_text()
ADDED = """
namespace recto::inline f32 {
Tensor cross_entropy(const Tensor& logits, const Integers& labels);
}
Tensor taken(const Tensor& logits, const Integers& labels) { return recto::cross_entropy(logits, labels); }
"""


def complaint(text: str) -> str:
    """What is said of a file that must not become a program."""
    with building.workshop() as home:
        try:
            building.build(EXERCISE, Source(EXERCISE.file, text.encode()), "plain", home)
        except CompileError as error:
            return str(error)
    return ""


class Library(unittest.TestCase):
    """An exercise that lists rooms of the library."""

    @classmethod
    def setUpClass(cls):
        cls.half = building.objects(EXERCISE, "plain")[0]

    def test_what_is_listed_can_be_used(self):
        self.assertEqual(complaint(EXERCISE.reference.read_text()), "")

    def test_no_other_header_can_be_included(self):
        for room in ("ops/losses/cross_entropy", "ops/products/linear", "nn/embedding", "nn/module", "optim/sgd", "core/random",
                     "recto"):
            with self.subTest(room):
                self.assertIn(f"recto/{room}.hpp is not among the files that this exercise may include",
                              complaint(f"#include <recto/{room}.hpp>\n{REST}"))

    @unittest.skipIf(sandbox.isolation() != sandbox.FULL, "not run: without namespaces other files can be seen")
    def test_not_by_its_full_path_either(self):
        self.assertIn("cross_entropy.hpp", complaint(f'#include "{ROOT}/lib/recto/ops/losses/cross_entropy.hpp"\n{REST}'))

    def test_what_is_declared_by_hand_does_not_link(self):
        self.assertIn("is called, but neither", complaint(REST + ADDED))

    def test_only_what_is_listed_lies_there_to_be_linked(self):
        rooms = {f"{room.replace('/', '-')}.o" for room in (*BASE, *EXERCISE.library)}
        self.assertEqual({path.name for path in self.half.iterdir()}, {"driver.o"} | rooms)

    def test_no_operation_comes_along_with_another(self):
        names = subprocess.run(["nm", "-C", "--defined-only", *map(str, self.half.glob("*.o"))], capture_output=True,
                               text=True).stdout
        self.assertIn(" T recto::f32::matmul(", names)
        for other in ("cross_entropy(", "linear(", "mse_loss(", "softmax(", "Sgd::", "Linear::"):
            self.assertNotIn(f" T recto::f32::{other}", names)

    def test_a_room_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(Failure, "no such room.*ops/nothing"):
            given.library_headers(("ops/nothing",))

    def test_other_exercises_see_nothing_of_it(self):
        softmax = catalogue.chosen("softmax")[0]
        self.assertFalse([name for name, _ in given.headers(softmax) if name.startswith("recto/")])
        self.assertEqual(given.library_objects(softmax.library), {})


if __name__ == "__main__":
    unittest.main()
