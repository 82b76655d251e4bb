"""The tokeniser behind the snapshots: prose is free, code is not."""
import random
import tempfile
import unittest
from pathlib import Path

from recto.lexer import stream, tokens
from recto.pages.snapshot import line_map, take

PAGE = '''// # A page
//
// Some *prose* with "quotes", it's fine, R"( too.
//- includes
#include <cmath>
#include <recto//book/page.hpp>
#define WIDE(x) \\
    ((x) * 2)
//-
const char* text = R"x(not // a comment
)" still inside)x";
const char* other = "a // b \\" /* c */";
int big = 1'000'000; char quote = '"'; char tick = '\\'';
// more prose
void page() {
    say("{}", big /* inline */ + 1);
    // prose inside
    claim("fig-1.1/a",
          "it holds", 0.5e-3, "<", 1e-8);
}
'''


def with_prose(source: str, rng: random.Random) -> str:
    """The page with comment lines added, changed and taken away at random."""
    out = []
    for line in source.split("\n"):
        text = line.strip()
        if text.startswith("//") and rng.random() < 0.5:
            line = rng.choice(["", "// other words, don't \" care", "//", "  /// doc"])
            if not line:
                continue
        out.append(line)
        safe = not line.endswith("\\") and 'R"x(' not in line
        if safe and rng.random() < 0.3:
            out.append(rng.choice(["// new prose", "", "// 'tis \" odd", "/* a\n b */"]))
    return "\n".join(out)


class Tokens(unittest.TestCase):
    def test_comments_and_strings(self):
        words = [t.strip() for t in stream(PAGE)]
        self.assertIn('R"x(not // a comment\n)" still inside)x"', words)
        self.assertIn('"a // b \\" /* c */"', words)
        self.assertIn("1'000'000", words)
        self.assertIn("<recto//book/page.hpp>", words)
        self.assertIn("'\"'", words)
        self.assertFalse([w for w in words if "prose" in w or "inline" in w])

    def test_what_changes_the_program_changes_the_stream(self):
        def differ(a, b):
            self.assertNotEqual(stream(a), stream(b), (a, b))
        differ("a + +b", "a ++b")
        differ('"a b"', '"a  b"')
        differ("#define A 1\nB", "#define A 1 B")
        differ("#define f (x) y\n", "#define f(x) y\n")
        differ('R"(a\nb)"', 'R"(a\n\nb)"')
        differ("x = 1;", "x = 10;")
        differ("int a; // b", "int a; b")
        differ("'a'", "'b'")

    def test_what_does_not_does_not(self):
        for a, b in [("int  a;", "int a;"), ("f(1); // x", "f(1);"), ("a\n\n\nb", "a // hm\nb"),
                     ("#define A 1 // why\nB", "#define A 1\n\nB"), ("a /* x\ny */ b", "a b"),
                     ("// a \\\n still comment\nint x;", "// b\nint x;")]:
            self.assertEqual(stream(a), stream(b), (a, b))

    def test_lines(self):
        lines = {t.strip(): n for t, n in tokens(PAGE)}
        self.assertEqual(lines["cmath"] if "cmath" in lines else lines["<cmath>"], 5)
        self.assertEqual(lines["say"], 16)
        self.assertEqual(lines['"it holds"'], 19)


class Snapshots(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.page = Path(self.folder.name) / "page.cpp"
        self.copy = Path(self.folder.name) / "deep" / "page.cpp"
        self.page.write_text(PAGE)

    def tearDown(self):
        self.folder.cleanup()

    def test_rewritten_only_for_code(self):
        self.assertTrue(take(self.page, self.copy))
        self.assertTrue(self.copy.read_text().startswith('#line 2 "'))
        self.assertEqual(self.copy.read_text().split('\n')[1:], PAGE.split('\n')[1:])
        stamp = self.copy.stat().st_mtime_ns
        self.page.write_text(PAGE.replace("more prose", "less\n// \n// prose"))
        self.assertFalse(take(self.page, self.copy))
        self.assertEqual(self.copy.stat().st_mtime_ns, stamp)
        self.page.write_text(PAGE.replace("0.5e-3", "0.6e-3"))
        self.assertTrue(take(self.page, self.copy))

    def test_map_after_random_prose(self):
        take(self.page, self.copy)
        old = PAGE.split("\n")
        for seed in range(200):
            edited = with_prose(PAGE, random.Random(seed))
            self.page.write_text(edited)
            self.assertFalse(take(self.page, self.copy), f"seed {seed}:\n{edited}")
            new, lines = edited.split("\n"), line_map(self.copy.read_text(), edited)
            for number, text in enumerate(old, 1):
                if text.strip() and not text.strip().startswith("//"):
                    self.assertEqual(new[lines[number] - 1], text, f"seed {seed}, line {number}")

    def test_map_around_other_code(self):
        edited = "// one more\n" + PAGE.replace("+ 1);", "+\n        2);")
        lines = line_map(PAGE, edited)
        self.assertEqual(lines[10], 11)                      # before the change
        self.assertEqual(lines[18], 20)                      # after it


if __name__ == "__main__":
    unittest.main()
