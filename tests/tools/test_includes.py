"""tests/check_includes.py finds a standard name whose header is not there, and nothing else."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import check_includes


class Includes(unittest.TestCase):
    """Each test writes a few files and says which names lack their header."""

    def lacking(self, name, **files):
        """The names that the file `name` uses without a header; a file is given as core__shape_hpp="text"."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(check_includes, "ROOT", Path(folder).resolve()):
            check_includes.included.cache_clear()
            for key, text in files.items():
                path = Path(folder, key.replace("__", "/").replace("_test_", ".test.").replace("_cpp", ".cpp").replace("_hpp", ".hpp"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return [f"{line}: {word}" for line, word, _ in check_includes.lacking(Path(folder).resolve() / name)]

    def test_a_name_without_its_header(self):
        self.assertEqual(self.lacking("a.cpp", a_cpp="#include <vector>\nint a = std::max({1, 2});"), ["2: max"])
        self.assertEqual(self.lacking("a.cpp", a_cpp="#include <vector>\n#include <algorithm>\nint a = std::max({1, 2});"), [])

    def test_each_name_is_named_once_at_its_first_use(self):
        self.assertEqual(self.lacking("a.cpp", a_cpp="double a = std::exp(1);\ndouble b = std::exp(2), c = std::max(a, b);"),
                         ["1: exp", "2: max"])

    def test_comments_and_texts_use_nothing(self):
        self.assertEqual(self.lacking("a.cpp", a_cpp='// std::max\n/* std::exp */ auto a = "std::min", b = R"(std::log)";'), [])

    def test_the_number_separator_starts_no_character(self):
        self.assertEqual(self.lacking("a.cpp", a_cpp="int a = 1'000'000, b = std::max(a, 1'0);"), ["1: max"])

    def test_names_of_c_with_and_without_std(self):
        self.assertEqual(self.lacking("a.cpp", a_cpp='void a() { printf(""); std::memcpy(0, 0, 0); }'), ["1: printf", "1: memcpy"])
        self.assertEqual(self.lacking("a.cpp", a_cpp='#include <stdio.h>\nvoid a() { printf(""); }'), [])

    def test_a_file_may_rely_on_the_header_of_its_room(self):
        files = {"lib__recto__ops__exp_hpp": "#include <cmath>", "lib__recto__ops__other_hpp": "#include <cmath>"}
        text = "double a = std::exp(1);"
        for include, said in (("exp", []), ("other", ["2: exp"])):
            text = f"#include <recto/ops/{include}.hpp>\ndouble a = std::exp(1);"
            self.assertEqual(self.lacking("lib/recto/ops/exp.cpp", lib__recto__ops__exp_cpp=text, **files), said)
            self.assertEqual(self.lacking("lib/recto/ops/exp.test.cpp", lib__recto__ops__exp_test_cpp=text, **files), said)

    def test_types_come_with_any_header_of_ours(self):
        files = {"lib__recto__core__tensor_hpp": "#include <recto/base/shape.hpp>", "lib__recto__base__shape_hpp": "#include <vector>"}
        text = "#include <recto/core/tensor.hpp>\nstd::vector<int> a; double b = std::exp(1);"
        self.assertEqual(self.lacking("lib/recto/ops/exp.cpp", lib__recto__ops__exp_cpp=text, **files), ["2: exp"])

    def test_a_page_may_rely_on_all_headers_of_ours(self):
        files = {"lib__recto__book__page_hpp": "#include <recto/book/say.hpp>", "lib__recto__book__say_hpp": "#include <cmath>"}
        text = "#include <recto/book/page.hpp>\ndouble b = std::exp(std::max(1, 2));"
        self.assertEqual(self.lacking("chapters/1-a/b.cpp", **{"chapters__1-a__b_cpp": text}, **files), ["2: max"])

    def test_an_answer_may_rely_on_what_the_exercise_gives(self):
        files = {"exercises__set__softmax__softmax_hpp": "#include <cmath>",
                 "solutions__set__softmax__right__other_cpp": '#include "softmax.hpp"\ndouble b = std::exp(std::max(1, 2));'}
        self.assertEqual(self.lacking("solutions/set/softmax/right/other.cpp", **files), ["2: max"])

    def test_a_name_that_the_table_lacks(self):
        self.assertEqual(self.lacking("a.cpp", a_cpp="#include <vector>\nstd::never_heard_of a;"), ["2: never_heard_of"])


if __name__ == "__main__":
    unittest.main()
