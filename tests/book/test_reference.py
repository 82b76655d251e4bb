"""The reference of the library: its examples, and what it leaves out."""
import importlib.util
import pathlib
import unittest

from recto_book import examples, gather

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Reference(unittest.TestCase):
    def test_every_family_has_an_example_of_a_few_lines(self):
        found = examples.families((ROOT / examples.HOME).read_text(encoding="utf-8"))
        self.assertEqual(set(found), {p.name for p in (ROOT / "lib/recto/ops").iterdir() if p.is_dir()})
        self.assertEqual(set(found), set(gather.FAMILIES))
        for family, lines in found.items():
            self.assertTrue(5 <= len(list(filter(None, lines))) <= 12, family)
            self.assertGreaterEqual(sum(";  " in line and "  // " in line for line in lines), 3, f"{family}: says little")

    def test_an_assertion_becomes_an_expression_and_its_value(self):
        self.assertEqual(examples.written('const Tensor x = a;\n\n// Why.\nshows(sum(x), "21");\nCHECK(f(x) == 3);\n'),
                         ["const Tensor x = a;", "", "// Why.", f"{'sum(x);':36}  // 21", f"{'f(x) == 3;':36}  // true"])

    def test_what_is_private_is_left_out(self):
        spec = importlib.util.spec_from_file_location("build", ROOT / "book/build.py")
        build = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(build)
        found = build.public({
            "classA.xml": b'<a>\n<innerclass refid="structA_1_1In" prot="private">A::In</innerclass>\n'
                          b'<sectiondef kind="private-attrib"><memberdef/></sectiondef>\n<sectiondef kind="friend">f</sectiondef>\n'
                          b'<sectiondef kind="public-func">open</sectiondef></a>',
            "structA_1_1In.xml": b"hidden",
            "a_8hpp.xml": b'<innerclass refid="structA_1_1In" prot="public">A::In</innerclass><innerclass refid="classA">A</innerclass>',
            "index.xml": b'<compound refid="classA"></compound>\n<compound refid="structA_1_1In"><name>A::In</name>\n</compound>'})
        self.assertEqual(found, {"classA.xml": b'<a>\n<sectiondef kind="public-func">open</sectiondef></a>',
                                 "a_8hpp.xml": b'<innerclass refid="classA">A</innerclass>',
                                 "index.xml": b'<compound refid="classA"></compound>'})


if __name__ == "__main__":
    unittest.main()
