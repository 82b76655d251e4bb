"""tests/check_rooms.py finds what is missing and nothing else."""
import tempfile
import unittest
from pathlib import Path

import check_rooms
from recto.place import ROOT


class Rooms(unittest.TestCase):
    def faults(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                home = "testing" if name == "every_op" else "ops"
                path = Path(folder, "recto", home, (name.replace("_test", ".test") + ".cpp").replace("_hpp.cpp", ".hpp"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return [s.split("recto/ops/")[1] for s in check_rooms.faults(Path(folder, "recto"))]

    def test_the_library_is_complete(self):
        self.assertEqual(check_rooms.faults(ROOT / "lib" / "recto"), [])

    def test_an_operation_with_its_gradient_test(self):
        self.assertEqual(self.faults(twice='return record("twice", y, {x}, rule);', twice_test='GRADIENT_TEST("twice") {}'), [])

    def test_an_operation_without_one(self):
        want = ['twice.cpp:2: the operation "twice" has no gradient test: write GRADIENT_TEST("twice") { ... }']
        self.assertEqual(self.faults(twice='\nreturn record("twice", y, {x}, rule);', twice_test="TEST_CASE()"), want)
        self.assertEqual(self.faults(twice='\nreturn record("twice", y);', twice_test='// GRADIENT_TEST("twice")'), want)

    def test_names_through_a_shared_function(self):
        shared = 'Tensor map(const char* name, const Tensor& x) { return record(name, y); }\nx = map<Exp>("exp", x);'
        self.assertEqual(self.faults(m=shared, m_test='GRADIENT_TEST("exp", "[more]") {}'), [])
        self.assertIn('the operation "exp"', self.faults(m=shared, m_test="")[0])

    def test_a_name_that_cannot_be_told(self):
        self.assertEqual(self.faults(m="record(title, y, {x}, rule);", m_test=""),
                         ["m.cpp:1: record() wants its name in quotes, or from a parameter `name`"])

    def test_an_operation_without_a_line_in_the_table_of_operations(self):
        room = {"twice": "", "twice_test": "", "twice_hpp": "/// Doubles.\nTensor twice(const Tensor& x,\n             Index by = {});\n"
                "PerAxis steps(const Tensor& x);\nTensor zeros(const Shape& shape);\ninline Tensor same(const Tensor& x);"}
        self.assertEqual(self.faults(**room, every_op='{"twice", {"nm"}, f},'), [])
        want = 'twice.hpp: nothing tries "twice" on views and other devices: give it a line in testing/every_op.cpp'
        self.assertEqual(self.faults(**room, every_op='// {"twice", {"nm"}, f},'), [want])
        self.assertEqual(self.faults(**room), [want])

    def test_a_room_without_tests(self):
        self.assertEqual(self.faults(empty=""), ["empty.cpp: the room has no tests: write empty.test.cpp beside it"])


if __name__ == "__main__":
    unittest.main()
