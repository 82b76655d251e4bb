"""What may be handed in, and what a student reads when it does not compile."""
import contextlib
import os
import shutil
import socket
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import made
import support
from recto.judge import building, cage, given, grading, sandbox
from recto.judge.complaints import CompileError, beyond, explain, warned
from recto.judge.reading import LARGEST, Source, Unreadable, read_source
from recto.judge.catalogue import Part
from recto.judge.judging import CRASHED
from recto.place import Failure


class Preparing(unittest.TestCase):
    """What grading needs of ours is compiled once, before there is a student's file."""

    def test_after_it_only_the_students_file_is_compiled(self):
        exercise = support.exercise("twice")
        with support.tiny() as folder, contextlib.ExitStack() as stack:
            for place in (building, given, cage):
                stack.enter_context(mock.patch.object(place, "BUILD", folder / "build"))
            told = []
            with mock.patch.object(building, "SOON", -1):
                building.prepare(exercise, ["plain", "sanitized"], told.append)
            self.assertEqual([line.rpartition(": ")[2] for line in told], [f"{done} of 6" for done in range(1, 7)])
            with mock.patch.object(building, "compile_ours") as ours, mock.patch.object(cage, "compile_ours", ours):
                told = []
                text = b'#include "twice.hpp"\nint twice(int x) { return 2 * x; }\n'
                report = grading.grade_source(exercise, Source(exercise.file, text), 1, False, True, told.append)
            self.assertEqual((report.solved, ours.call_count), (True, 0))
            self.assertFalse([line for line in told if line.startswith("preparing")])


class Reading(unittest.TestCase):
    """One ordinary file of text, of a sensible size; all else is refused in one line."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.path = self.folder / "mine.cpp"

    def refused(self, path: Path, words: str) -> None:
        """It cannot be graded, and this is why."""
        before = len(os.listdir("/proc/self/fd"))
        with self.assertRaisesRegex(Unreadable, words) as caught:
            read_source(path, "f.cpp")
        self.assertEqual(len(str(caught.exception).splitlines()), 1)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before, "a file is still open")

    def test_names_of_every_kind(self):
        for name in ("mine.cpp", "a b.cpp", "-o", "new\nline.cpp", "naïve ☃.cpp", "no suffix"):
            path = self.folder / name
            path.write_bytes(b"int a;\r\n")
            self.assertEqual(read_source(path, "f.cpp"), Source("f.cpp", b"int a;\r\n"))

    def test_what_is_no_file(self):
        self.refused(self.path, "there is no such file")
        self.refused(self.folder, "is no ordinary file")
        os.mkfifo(self.path)
        self.refused(self.path, "is no ordinary file")
        self.refused(Path("/dev/zero"), "is no ordinary file")
        link = self.folder / "link.cpp"
        link.symlink_to("/etc/passwd")
        self.refused(link, "is a symbolic link")
        loop = self.folder / "loop.cpp"
        loop.symlink_to(loop)
        self.refused(loop, "is a symbolic link")
        self.refused(self.folder / "a\nb", r"a\\nb: there is no such file")
        place = self.folder / "socket"
        with socket.socket(socket.AF_UNIX) as opened:
            opened.bind(str(place))
            self.refused(place, "socket: ")

    def test_what_is_too_large(self):
        with open(self.path, "wb") as file:
            file.truncate(1 << 30)
        self.refused(self.path, "has 1073741824 bytes, 262144 are the most")
        self.path.write_bytes(b"/" * LARGEST)
        self.assertEqual(len(read_source(self.path, "f.cpp").text), LARGEST)

    def test_what_is_no_text(self):
        self.path.write_bytes(b"int a;\0")
        self.refused(self.path, "byte 6 is zero")

    def test_a_name_that_would_harm_a_terminal(self):
        self.refused(self.folder / "\x1b[2J", r"\\x1b\[2J: there is no such file")


class Explaining(unittest.TestCase):
    """The compiler's words, in the student's order."""

    exercise = made.exercise(given=("double_it.hpp",))
    text = b'#include "double_it.hpp"\n\ndouble double_it(double x) {\n    return twice(x);\n}\n'

    def lines(self, said: str, text: bytes | None = None) -> list[str]:
        """What the student reads."""
        return explain(said.replace("/student/", ""), Source("double_it.cpp", self.text if text is None else text), self.exercise).splitlines()

    def test_the_students_own_line_comes_first(self):
        said = ("/student/double_it.cpp: In function 'double double_it(double)':\n"
                "/student/double_it.cpp:4:12: error: 'twice' was not declared in this scope\n    4 |     return twice(x);\n")
        lines = self.lines(said)
        self.assertEqual(lines[:2], ["double_it.cpp:4: 'twice' was not declared in this scope", "    return twice(x);"])
        self.assertEqual(lines[2:], said.replace("/student/", "").splitlines())

    def test_an_error_inside_a_template(self):
        said = ("In file included from /usr/include/c++/12/algorithm:61,\n                 from /student/double_it.cpp:2:\n"
                "/usr/include/c++/12/bits/predefined_ops.h: In instantiation of 'bool less(A, B)':\n"
                "/student/double_it.cpp:4:14:   required from here\n"
                "/usr/include/c++/12/bits/predefined_ops.h:45:23: error: no match for 'operator<'\n")
        self.assertEqual(self.lines(said)[:2], ["double_it.cpp:4: no match for 'operator<'", "    return twice(x);"])

    def test_a_header_that_is_not_offered(self):
        for name in ("recto/ops/reductions/softmax.hpp", "my own.hpp"):
            lines = self.lines(f"/student/double_it.cpp:1:10: fatal error: {name}: No such file or directory\n")
            self.assertEqual(lines[0], f"{name} is not among the files that this exercise may include: matrix.hpp, "
                                       "not_written.hpp, double_it.hpp, and the standard library")
            self.assertEqual(lines[1], f"double_it.cpp:1: {name}: No such file or directory")

    def test_a_function_that_is_nowhere(self):
        said = ("/usr/bin/ld: /tmp/cc1.o: in function `double_it(double)':\n"
                "/student/double_it.cpp:4: undefined reference to `twice(double)'\ncollect2: error: ld returned 1 exit status\n")
        lines = self.lines(said)
        self.assertEqual(lines[:2], ["double_it.cpp:4: undefined reference to `twice(double)'", "    return twice(x);"])
        self.assertTrue(lines[2].startswith("twice(double) is called, but neither double_it.cpp defines it"))

    def test_the_same_by_the_other_linker(self):
        said = "/student/double_it.cpp:4: error: undefined reference to 'twice(double)'\ncollect2: error: ld returned 1 exit status\n"
        lines = self.lines(said)
        self.assertEqual(lines[:2], ["double_it.cpp:4: undefined reference to 'twice(double)'", "    return twice(x);"])
        self.assertTrue(lines[2].startswith("twice(double) is called, but neither double_it.cpp defines it"))
        lines = self.lines("/usr/bin/ld.gold: error: /ours/kit.o: multiple definition of 'main'\n"
                           "/usr/bin/ld.gold: /tmp/cc1.o: previous definition here\n")
        self.assertIn("leave main out, because the judge calls your functions", lines[0])

    def test_the_students_function_that_is_nowhere(self):
        lines = self.lines("/usr/bin/ld: /ours/driver.o: undefined reference to `double_it(double)'\n", b"")
        self.assertTrue(lines[0].startswith("double_it(double) is called, but neither double_it.cpp defines it"))

    def test_an_array_in_dynamic_shared_memory(self):
        """It is an array, and no function that is missing."""
        said = "/student/double_it.cpp:4: error: undefined reference to '{}'\n".format
        for declared in ("extern __shared__ float part[];", "extern  __shared__ __align__(16) unsigned char\n part [];"):
            text = f"__global__ void twice(float* x) {{\n    {declared}\n    x[0] = part[0];\n}}\n"
            lines = self.lines(said("part"), text.encode())
            self.assertEqual(lines[2], "part is dynamic shared memory (extern __shared__), and the launch of this exercise passes 0 bytes "
                                       "of it: declare an array of constant size, such as `__shared__ float part[256];`")
            lines = self.lines(said("(anonymous namespace)::part"), f"{text}void f() {{ launch({{1, 1}}, twice, x); }}\n".encode())
            self.assertIn("or pass the bytes to launch, {blocks, threads, bytes}, and write `float* part = dynamic_shared<float>();`", lines[2])
            self.assertTrue(self.lines(said("part_of(int)"), text.encode())[2].startswith("part_of(int) is called, but neither"))

    def test_a_main_of_ones_own(self):
        lines = self.lines("/usr/bin/ld: /tmp/cc1.o: multiple definition of `main'; /ours/kit.o: first defined here\n")
        self.assertIn("leave main out, because the judge calls your functions", lines[0])
        lines = self.lines("ld: multiple definition of `helper()'; x\n")
        self.assertNotIn("main", lines[0])

    def test_very_long_messages(self):
        said = "".join(f"/student/double_it.cpp:4:1: error: {'std::vector<' * 200}{at}\n" for at in range(40))
        lines = self.lines(said, b"x;" * 100_000)
        self.assertLess(len(lines), 40)
        self.assertLess(max(map(len, lines)), 400)

    def test_lines_that_are_not_there(self):
        for number in ("0", "99", "2147483647", "9" * 30):
            self.assertEqual(self.lines(f"/student/double_it.cpp:{number}: error: no\n")[0], f"double_it.cpp:{int(number)}: no")

    def test_numbers_without_end(self):
        """No text of the student's own stops the judge: an attribute may say what looks like the compiler's words."""
        for kind, told in (("error", explain), ("warning", lambda said, source, _: warned(said, source))):
            said = told(f"double_it.cpp:{'9' * 5000}: {kind}: no\n", Source("double_it.cpp", self.text), self.exercise)
            self.assertLess(len(said), 400)

    def test_what_the_compiler_cannot_do(self):
        """A mistake with an earlier message comes first, and the message does not ask to report a compiler bug."""
        ice = ("double_it.cpp:3:1: internal compiler error: in f, at g.cc:1\nPlease submit a full bug report, with x.\n"
               "See <file:///x> for instructions.\n")
        source = Source("double_it.cpp", self.text)
        for said, wanted in ((ice, "double_it.cpp:3: the compiler itself fails here: write this line in a simpler way\n"
                                   "    double double_it(double x) {"),
                             ("g++: fatal error: Killed signal terminated program cc1plus\n", "double_it.cpp: the compiler was killed"),
                             ("double_it.cpp:4:10: error: #include nested depth 200 exceeds maximum of 200\n",
                              "double_it.cpp:4: includes are nested too deeply"),
                             ("double_it.cpp:4:1: error: no\n" + ice, ""), ("double_it.cpp:4:1: error: internal compiler error\n", ""),
                             (f"double_it.cpp:{'9' * 5000}:1: internal compiler error\n", "double_it.cpp: the compiler itself")):
            got = beyond(said, source, sandbox.Limits())
            self.assertTrue(got.startswith(wanted) and bool(got) == bool(wanted), got)
        self.assertNotIn("bug report", "".join(self.lines("double_it.cpp:4:1: error: no\n" + ice)))

    def test_nothing_said(self):
        self.assertEqual(self.lines(""), ["the compiler failed and said nothing"])

    def test_a_line_that_would_harm_a_terminal(self):
        lines = self.lines("/student/double_it.cpp:1:1: error: no\n", b'"\x1b[2J\xff";\n')
        self.assertEqual(lines[1], '    "\\x1b[2J\ufffd";')


class Warnings(unittest.TestCase):
    """What the compiler says about a file that compiles: about the student's own lines, and not much of it."""

    def lines(self, said: str, text: bytes = b"int a;\n\n  int b;\nint c;\n") -> list[str]:
        """What the student reads."""
        return warned(said, Source("double_it.cpp", text)).splitlines()

    def test_only_the_students_own_lines(self):
        said = ("double_it.cpp: In function 'double f()':\ndouble_it.cpp:3:7: warning: unused variable 'b'\n    3 | int b;\n"
                "double_it.cpp:1:5: note: declared here\nmatrix.hpp:4:1: warning: ours\n/driver.cpp:1:1: warning: ours\n"
                "my_double_it.cpp:1:1: warning: another's\n/usr/include/c++/12/vector:8:1: warning: theirs\n")
        self.assertEqual(self.lines(said), ["double_it.cpp:3: warning: unused variable 'b'", "    int b;"])
        self.assertEqual(self.lines(""), [])

    def test_parameters_of_what_is_still_to_be_written(self):
        said = "double_it.cpp:1:5: warning: unused parameter 'x'\ndouble_it.cpp:1:9: warning: unused variable 'y'\n"
        self.assertEqual(len(self.lines(said)), 4)
        self.assertEqual(self.lines(said, b'not_written("f");'),
                         ["double_it.cpp:1: warning: unused variable 'y'", '    not_written("f");'])

    def test_three_and_how_many_more(self):
        said = [f"double_it.cpp:{number}:1: warning: no {number}\n" for number in (1, 3, 4, 1, 9, 10)]
        for count, last in ((3, "    int c;"), (4, "    int c;"), (5, "and 1 more warning"), (6, "and 2 more warnings")):
            lines = self.lines("".join(said[:count]))       # the fourth says again what the first said
            self.assertEqual(lines[:2], ["double_it.cpp:1: warning: no 1", "    int a;"])
            self.assertEqual((len(lines), lines[-1]), (6 + (count > 4), last))

    def test_what_would_harm_a_terminal(self):
        said = f"double_it.cpp:1:1: warning: \x1b[2J{'x' * 5000}\n"
        lines = self.lines(said, b'"\x1b[2J\xff";' + b"y" * 5000)
        self.assertEqual([line[:50] for line in lines], ["double_it.cpp:1: warning: \\x1b[2J" + "x" * 17,
                                                         '    "\\x1b[2J\ufffd";' + "y" * 35])
        self.assertLess(max(map(len, lines)), 400)


@unittest.skipUnless(shutil.which("g++"), "there is no g++")
class Compiling(unittest.TestCase):
    """The same with the real compiler."""

    def said(self, text: str) -> list[str]:
        """What a student reads who hands in this."""
        with made.exercises("double_it"), building.workshop() as home:
            (exercise,) = made.catalogue.chosen("double_it")
            with self.assertRaises(CompileError) as caught:
                building.build(exercise, Source("double_it.cpp", text.encode()), "plain", home)
            return str(caught.exception).splitlines()

    def test_real_mistakes(self):
        start = '#include "double_it.hpp"\n#include <algorithm>\n#include <vector>\n'
        for text, words in ((start + "double double_it(double x) { return 2 * y; }\n", ["double_it.cpp:4:", "return 2 * y;"]),
                            (start + "struct A {};\ndouble double_it(double) {\n    std::vector<A> a(3);\n"
                             "    std::sort(a.begin(), a.end());\n    return 0;\n}\n",
                             ["double_it.cpp:7: no match for", "std::sort(a.begin(), a.end());"]),
                            ("#include <recto/recto.hpp>\n", ["recto/recto.hpp is not among the files", "double_it.cpp:1:"]),
                            (start, ["double_it(double) is called, but neither"]),
                            (made.RIGHT.format(name="double_it") + "int main() {}\n", ["leave main out"])):
            with self.subTest(words=words):
                got = self.said(text)
                for line, word in zip(got, words):
                    self.assertIn(word, line)
                self.assertNotIn(str(building.ROOT), "\n".join(got))

    def test_limits_of_the_compiler(self):
        """One sentence of ours and the student's line where it is known; no mention of a bug in the compiler."""
        start, end = '#include "double_it.hpp"\n', "\ndouble double_it(double x) { return x; }\n"
        deep = "template <int N> struct Deep { static const int value = Deep<N + 1>::value; };\n"
        nested = "".join(f"#define {'ABCD'[at]} {word * 10}\n" for at, word in enumerate(("(", "A ", "B ", "C ")))
        for text, line, words in (
                (f"{deep}int deep = Deep<0>::value;", 2, "templates exceed the compiler's maximum depth"),
                ("int table[50'000'000] = {1};", 0, "the program would be larger than 64 MiB"),
                (f"{nested}int nested = D D D D 1;", 0, "the compiler ran out of stack")):
            with self.subTest(words):
                lines = self.said(start + text + end)
                self.assertEqual(lines[0].split(": ")[0], f"double_it.cpp:{line}" if line else "double_it.cpp")
                self.assertIn(words, lines[0])
                self.assertEqual(lines[1:], [f"    {(start + text).splitlines()[line - 1]}"] if line else [])
        with mock.patch.object(building, "COMPILER", sandbox.Limits(cpu=30, wall=60, memory=100, address=4096, processes=32, file=64)):
            self.assertRegex(self.said(start + "#include <algorithm>\n#include <regex>\n" + end)[0], "needs more than 100 MiB of memory")

    def test_a_few_of_many_mistakes(self):
        """Only the first five of them."""
        said = "\n".join(self.said("int f() { return a1 + a2 + a3 + a4 + a5 + a6 + a7; }\n"))
        self.assertIn("a5", said)
        self.assertNotIn("error: 'a6'", said.replace("\u2018", "'").replace("\u2019", "'"))

    def test_a_library_in_a_folder_with_an_odd_name(self):
        for name in ("with a space", "with#a$sign"):
            with self.subTest(name), tempfile.TemporaryDirectory(prefix=name) as folder:
                library = Path(folder, "lib")
                (library / "recto" / "core").mkdir(parents=True)
                (library / "recto" / "core" / "shape.hpp").write_text("#pragma once\n")
                (library / "recto" / "rank.hpp").write_text('#include "recto/core/shape.hpp"\n')
                given.library_headers.cache_clear()
                self.addCleanup(given.library_headers.cache_clear)
                with mock.patch.object(given, "LIBRARY", library):
                    found = given.library_headers(("rank",))
                self.assertEqual(sorted(found), [library / "recto" / "core" / "shape.hpp", library / "recto" / "rank.hpp"])

    def test_the_precompiled_header_is_the_header(self):
        with made.exercises("double_it"):
            (exercise,) = made.catalogue.chosen("double_it")
            for variant, kept in (("plain", ["double_it.hpp.gch"]), ("sanitized", ["double_it.hpp.gch"]), ("training", [])):
                self.assertEqual([path.name for path in building.precompiled(exercise, variant).iterdir()], kept)
        # Where a macro would change it, it is read itself.
        self.assertIn("twice(double) is called, but neither", self.said(
            '#define double_it twice\n#include "double_it.hpp"\n#undef double_it\n\ndouble double_it(double x) { return twice(x); }\n')[2])

    def test_the_precompiled_headers_used_last_are_kept(self):
        with (made.exercises("double_it"), tempfile.TemporaryDirectory() as folder,
              mock.patch.multiple(building, KEPT_HEADERS=2, BUILD=Path(folder))):
            (exercise,) = made.catalogue.chosen("double_it")
            homes = [building.precompiled(exercise, variant) for variant in ("plain", "sanitized")]
            os.utime(homes[0], (1, 1))
            building.precompiled(exercise, "plain")         # used again
            os.utime(homes[1], (1, 1))
            building.precompiled(exercise, "training")
            self.assertEqual([home.exists() for home in homes], [True, False])

    def test_warnings_cost_nothing(self):
        text = ('#include "double_it.hpp"\n#warning "\x1b[2J"\n\ndouble double_it(double x) {\n    int unused = 3;\n'
                "    if (x > 0u && x == x);\n    return x + x;\n}\n")
        with made.exercises("double_it"):
            (exercise,) = made.catalogue.chosen("double_it")
            source = Source("double_it.cpp", text.encode())
            report = grading.grade_source(exercise, source, 1, False, False, lambda text: None)
        self.assertEqual([result.points for result in report.results], [1, 1, 1])
        lines = report.warnings.splitlines()
        self.assertEqual(lines[:2], ['double_it.cpp:2: warning: #warning "\\x1b[2J"', '    #warning "\\x1b[2J"'])
        self.assertIn("    if (x > 0u && x == x);", lines)
        self.assertTrue([line for line in lines if line.startswith("double_it.cpp:5: warning: unused variable")], lines)

    def test_what_is_not_the_students_fault(self):
        """No room for another process; a folder that was removed."""
        self.said("int a;")     # our own half is compiled by now
        for said in ("g++: fatal error: cannot execute '/usr/libexec/cc1plus': vfork: Resource temporarily unavailable\n",
                     "/usr/bin/ld: cannot open output file /out/program: No such file or directory\ncollect2: error: 1\n",
                     "/usr/bin/ld.gold: fatal error: /out/program: open: No space left on device\ncollect2: error: 1\n"):
            with mock.patch.object(sandbox, "run", lambda *_, said=said, **__: (sandbox.End("exit", 1), said)):
                self.assertRaisesRegex(Failure, f"could not do its work: {said.splitlines()[0][:30]}".replace("+", "."),
                                       self.said, "int a;")


class Exercises(unittest.TestCase):
    """What a student's file sees."""

    def test_headers(self):
        names = [name for name, _ in given.headers(made.exercise(given=("double_it.hpp",)))]
        self.assertEqual(names, ["matrix.hpp", "not_written.hpp", "double_it.hpp"])

    def test_a_digest_tells_parts_apart(self):
        self.assertNotEqual(given.digest("ab", "c"), given.digest("a", "bc"))
        self.assertEqual(given.digest(b"ab"), given.digest("ab"))

    def test_only_the_compiler_for_a_device_may_take_long(self):
        for limits in (building.COMPILER, building.HEADERS):
            self.assertEqual((limits.cpu, limits.memory, limits.address, limits.processes), (20, 1500, 4096, 32))
        self.assertGreater(building.DEVICE_COMPILER.cpu, building.COMPILER.cpu)

    def test_outcome_names(self):
        self.assertEqual(CRASHED, "crashed")
        self.assertEqual(Part("a", "b").points, 1)
        self.assertIn(sandbox.isolation(), (sandbox.FULL, sandbox.LIMITS))


if __name__ == "__main__":
    unittest.main()
