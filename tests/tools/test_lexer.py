"""The one lexer for C++: what is a comment and what only looks like one."""
import tempfile
import unittest
from pathlib import Path

from recto.gpu import kernels, receipts
from recto.lexer import tokens, without_comments
from recto.register import evidence


class Comments(unittest.TestCase):
    def blanked(self, source: str, comment: str) -> None:
        """The comment becomes blanks, its line breaks and all else stay."""
        wanted = source.replace(comment, "".join(sign if sign == "\n" else " " for sign in comment))
        self.assertEqual(without_comments(source), wanted)

    def test_comments_become_blanks_and_lines_stay(self):
        self.blanked("int a; // claim(\"x/y\")\nint b;", '// claim("x/y")')
        self.blanked("int a; /* one\n two */ int b;", "/* one\n two */")
        self.blanked("int a; // goes on \\\n here\nint b;", "// goes on \\\n here")

    def test_what_only_looks_like_a_comment(self):
        for source in ('"http://x"', "'/'; \"/*\"; '*'", 'R"(// " )" "x"', 'u8R"m(/* )" */)m"', "1'000 + 2'0", "'\\''; \"\\\"//\""):
            self.assertEqual(without_comments(source), source)
        self.blanked("1'000; // it's here", "// it's here")
        self.blanked("'\"'; // \"", "// \"")

    def test_the_same_comments_as_the_tokens_have(self):
        for source in ("a // b\nc", "a /* ' */ 'c' // '\n", "x = 1'000; // 1'0\n", 'R"(//)" // "\n', "'//' // '"):
            self.assertEqual([text.strip() for text, _ in tokens(source)], [text.strip() for text, _ in tokens(without_comments(source))])


class Users(unittest.TestCase):
    """What searches the sources finds nothing in their comments."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_tags_of_tests(self):
        self.write("lib/recto/a.test.cpp", '// TEST_CASE("old", "[row:fig-1.1/b]")\nTEST_CASE("new", "[row:fig-1.1/a]") {}\n')
        self.assertEqual([(proof.part, proof.where) for proof in evidence.tests_declared(self.root)],
                         [("fig-1.1/a", "lib/recto/a.test.cpp:2")])

    def test_includes_and_macros_of_kernels(self):
        self.write("lib/recto/device/launch.hpp", "")
        self.write("lib/recto/core/a.cpp", "/*\n#include <recto/device/launch.hpp>\n*/\n// RECTO_CUDA is not asked for here\n")
        self.assertEqual(kernels.sources(self.root), [])

    def test_lines_of_the_table_of_operations(self):
        self.write("lib/recto/testing/every_op.cpp", '{"exp", "nm", f},\n/*\n{"log", "nm", f},\n*/\n')
        self.assertEqual(receipts.operations(self.root) - set(receipts.TRIPWIRES), {"exp"})


if __name__ == "__main__":
    unittest.main()
