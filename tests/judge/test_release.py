"""Handing out: a tree that gives nothing away and makes sense, and the bundle that belongs to it."""
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import support
from recto.judge import bank, catalogue, release, released
from recto.place import Failure, Mistake

LONG, SHORT, RUN = 70, 12, 3        # a line of LONG characters gives away an answer, or RUN lines of SHORT characters in a row


def is_repository() -> bool:
    """Is this the repository itself, with the answers?"""
    if not (support.ROOT / "solutions").is_dir():
        return False
    try:
        release.tracked()
    except Failure:
        return False
    return True


def answer_lines(name: str, text: str) -> list[str]:
    """The lines of an answer that say something; those of a patch without the sign at their beginning."""
    return squeezed("\n".join(line[1:] for line in text.splitlines()) if name.endswith(".patch") else text)


def squeezed(text: str) -> list[str]:
    """The lines of a text that say something, without the spaces in them."""
    lines = ["".join(line.split()) for line in text.splitlines()]
    return [line for line in lines if len(line) >= SHORT and not line.startswith(("#include", "import", "from", "namespace"))]


def prints(lines: list[str]) -> set[str]:
    """What makes a text known again: long lines, and lines in a row."""
    rows = {"\n".join(lines[at:at + RUN]) for at in range(len(lines) - RUN + 1)}
    return rows | {line for line in lines if len(line) >= LONG}


@unittest.skipUnless(is_repository(), "this tree is not the repository with the answers")
class Released(unittest.TestCase):
    """A release of this very tree."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="recto-tests-")
        cls.addClassCleanup(folder.cleanup)
        Path(folder.name).chmod(0o755)          # root grades as the user `nobody`
        cls.tree = Path(folder.name).resolve() / "to hand out"
        cls.bundle = cls.tree.with_name("to hand out.bundle.zip")
        with mock.patch.object(release.term, "say"):
            cls.status = release.release(cls.tree)
        cls.names = {path.name for path in cls.tree.iterdir()}

    def run_there(self, program: str, *words: str) -> subprocess.CompletedProcess:
        """Runs Python in the tree that was handed out, with its modules."""
        return subprocess.run([sys.executable, "-B", "-c", program, *words], cwd=self.tree, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(self.tree / "tools")})

    def test_what_there_is(self):
        self.assertEqual(self.status, 0)
        for name in ("recto", "README.md", "LICENSE", "exercises/kit/driver.hpp", "tools/recto/judge/grading.py", "lib/recto/recto.hpp",
                     "exercises/handed-out.json", "CMakeLists.txt"):
            self.assertTrue((self.tree / name).is_file(), name)
        self.assertTrue(os.access(self.tree / "recto", os.X_OK))
        self.assertEqual(stat.S_IMODE(self.tree.stat().st_mode), 0o755)
        self.assertEqual(stat.S_IMODE(self.bundle.stat().st_mode), 0o600)
        self.assertEqual({path.name for path in self.tree.parent.iterdir()}, {self.tree.name, self.bundle.name})

    def test_what_there_is_not(self):
        self.assertEqual(self.names & {".git", "build", "work", "solutions"}, set())
        for name in release.HIDDEN:
            self.assertFalse((self.tree / name).exists(), name)
        for pattern in ("judge.py", "equivalent.txt"):
            self.assertEqual(list(self.tree.rglob(pattern)), [])

    def test_no_line_of_an_answer_is_in_it(self):
        """Neither a long line nor three shorter ones in a row, in no file; but for what their own files, or headers, share."""
        with zipfile.ZipFile(self.bundle) as archive:
            answers = {name: archive.read(name).decode() for name in archive.namelist() if name.startswith("solutions/")}
        self.assertGreater(len(answers), 10)
        given = {line for path in (self.tree / "exercises").rglob("*.hpp") for line in squeezed(path.read_text())}
        known = {}
        for name, text in answers.items():
            public = self.tree / "exercises" / Path(*Path(name).parts[1:3])
            theirs = given | {line for path in public.iterdir() for line in squeezed(path.read_text())}
            known |= dict.fromkeys(prints([line for line in answer_lines(name, text) if line not in theirs]), name)
        self.assertGreater(len(known), 100)
        for path in self.tree.rglob("*"):
            if path.is_file() and path.relative_to(self.tree).parts[0] != "lib":     # which solves the same problems, in public
                found = prints(squeezed(path.read_bytes().decode("utf-8", errors="replace"))) & known.keys()
                self.assertEqual([(known[line], line) for line in found], [], path)

    def test_the_same_search_finds_an_answer(self):
        """If it were there: the reference, renamed and indented otherwise, in a file of another kind."""
        with zipfile.ZipFile(self.bundle) as archive:
            for name in archive.namelist():
                if re.fullmatch(r"solutions/[^/]+/[^/]+/(judge\.py|[^/]+\.[ch]pp|right/.*|wrong/.*)", name):
                    lines = answer_lines(name, archive.read(name).decode())
                    self.assertTrue(prints(lines) or len(lines) < RUN, name)

    def test_the_readme_says_so(self):
        readme = (self.tree / "README.md").read_text()
        self.assertTrue(readme.startswith("# Recto\n\n> **This tree was handed out.**"))
        self.assertIn(release.commit(), readme)
        for text in (readme, (self.tree / "exercises" / "index.md").read_text()):
            self.assertNotIn("./recto watch", text)

    def test_no_text_tells_of_what_is_not_there(self):
        texts = [self.tree / ".ci" / "run", *self.tree.glob("*.md"), *(self.tree / "exercises").rglob("*.md"),
                 *self.tree.rglob("CMakeLists.txt"), *self.tree.rglob("*.cmake"), self.tree / "CMakePresets.json"]
        self.assertGreater(len(texts), 20)
        for path in texts:
            text = path.read_text()
            for folder in (f"{name}/" for name in release.HIDDEN):
                self.assertNotIn(folder, text, path)
        for name in re.findall(r"(?<![\w/])(?:tests|bench|tools|book)/[\w./-]+\.\w+", (self.tree / ".ci" / "run").read_text()):
            self.assertTrue((self.tree / name).is_file(), name)
        for name in re.findall(r"\]\(([\w./-]+)\)", (self.tree / "README.md").read_text()):
            self.assertTrue((self.tree / name).exists(), name)
        self.assertTrue(os.access(self.tree / ".ci" / "run", os.X_OK))
        self.assertEqual(subprocess.run(["bash", "-n", self.tree / ".ci" / "run"]).returncode, 0)

    def test_words_that_are_not_there_any_more_stop_it(self):
        """A change of a sentence that the released tree replaces fails with the place of the replacement."""
        self.assertRaisesRegex(Failure, "README.md says 0 times .*released.py", released.once, "a", "b", "c", "README.md")
        with self.assertRaisesRegex(Failure, "says 0 times"):
            released.rewrite(self.tree)

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("ninja"), "there is no cmake or no ninja")
    def test_cmake_configures(self):
        """As in any tree: the library, its programs and the pages."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-G", "Ninja", "-S", self.tree, "-B", folder], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(Path(folder, "CMakeCache.txt").exists())

    def test_the_manifest(self):
        with zipfile.ZipFile(self.bundle) as archive:
            manifest = json.loads(archive.read("manifest.json"))
            names = set(archive.namelist()) - {"manifest.json"}
        self.assertEqual((manifest["form"], manifest["version"], manifest["commit"]), ("recto bundle", 1, release.commit()))
        self.assertEqual(set(manifest["files"]), names)
        self.assertEqual(names, {name for name in release.tracked() if name.startswith("solutions/")})

    def test_the_same_tree_gives_the_same_bundle(self):
        again = self.tree.with_name("again.zip")
        release.write_bundle(again, [name for name in release.tracked() if name.startswith("solutions/")])
        self.assertEqual(again.read_bytes(), self.bundle.read_bytes())
        again.unlink()

    def test_nothing_is_overwritten(self):
        for target in (self.tree, self.bundle):
            self.assertRaisesRegex(Mistake, "is there already", release.release, target)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "out.bundle.zip").touch()
            self.assertRaisesRegex(Mistake, "out.bundle.zip is there already", release.release, Path(folder, "out"))
            Path(folder, "link").symlink_to(folder)
            self.assertRaisesRegex(Mistake, "is there already", release.release, Path(folder, "link"))
            self.assertEqual(sorted(os.listdir(folder)), ["link", "out.bundle.zip"])

    def test_an_empty_folder_is_filled(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(release.term, "say"):
            target = Path(folder, "deeper", "out")
            target.mkdir(parents=True)
            self.assertEqual(release.release(target), 0)
            self.assertTrue((target / "README.md").exists())
            self.assertEqual(len(list(target.parent.iterdir())), 2)

    def test_an_answer_under_another_name_stops_it(self):
        name = next(name for name in release.tracked() if name.startswith("solutions/") and "/wrong/" in name)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(support.ROOT / name, Path(folder, "notes.txt"))
            self.assertRaisesRegex(Failure, "notes.txt is the same as solutions/", release.refuse_answers, Path(folder), [name])
        made = next(answer for answer in bank.wrong_answers(catalogue.chosen("softmax")[0]) if answer.is_patch)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "notes.txt").write_text(made.text())
            self.assertRaisesRegex(Failure, "notes.txt is the same as solutions/.*patch", release.refuse_answers, Path(folder), [])
        for name in ("exercises/a/b/judge.py", "exercises/a/b/wrong/x.cpp"):
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, name).parent.mkdir(parents=True)
                Path(folder, name).touch()
                self.assertRaisesRegex(Failure, "looks like an answer", release.refuse_answers, Path(folder), [])

    def test_there(self):
        """The tree knows what it is: it is not handed out again, and its judges are missed in one line."""
        done = self.run_there("from recto.judge import release; print(release.commit()); release.release(release.ROOT / 'x')")
        self.assertEqual(done.stdout.strip(), release.commit())
        self.assertIn("Failure: release: this tree was handed out", done.stderr)
        done = self.run_there("from recto.judge import catalogue, grading\ngrading.Grading(catalogue.exercises()[0], 1, print)")
        self.assertRegex(done.stderr.splitlines()[-1], "its judge is not here; a tree that was handed out grades with --bundle FILE$")

    def test_the_autograder_of_classroom_50(self):
        """Beside the tree that was handed out and its bundle, as its first lines say; damaged, it costs no points."""
        with tempfile.TemporaryDirectory() as folder:
            home, work = Path(folder, "autograders", "softmax"), Path(folder, "checkout")
            home.mkdir(parents=True)
            work.mkdir()
            shutil.copy(self.tree / "exercises" / "autograder.py", home)
            shutil.copy(self.bundle, home / "bundle.zip")
            (home / "recto").symlink_to(self.tree)
            command = [sys.executable, "-B", str(home / "autograder.py")]
            settings = {**os.environ, "ASSIGNMENT": "softmax", "SUBMISSION_TAG": "submit/1"}
            done = subprocess.run(command, cwd=work, env=settings, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("softmax.cpp is missing", (work / "release-body.md").read_text())
            (home / "bundle.zip").write_bytes(b"PK")
            done = subprocess.run(command, cwd=work, env=settings, capture_output=True, text=True)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1))
            self.assertIn("bundle.zip: ", done.stderr)

    @unittest.skipUnless(shutil.which("g++"), "there is no g++")
    def test_grading_there(self):
        """Stub and reference, in the tree that was handed out, with the bundle."""
        program = """
import sys
from pathlib import Path
from recto.judge import catalogue, grading, release
assert not catalogue.SOLUTIONS.exists()
catalogue.SOLUTIONS = release.open_bundle(Path(sys.argv[1]))
exercise = next(exercise for exercise in catalogue.exercises() if not exercise.cuda)
for path in (exercise.stub, exercise.reference):
    report = grading.grade(exercise, path, seed=1, training=False)
    print(report.quick_passed, report.results[0].message.misconception)
print(catalogue.SOLUTIONS)
"""
        done = self.run_there(program, str(self.bundle))
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        stub, reference, unpacked = done.stdout.splitlines()
        self.assertEqual((stub, reference), ("False unwritten", "True "))
        self.assertFalse(Path(unpacked).exists(), "the bundle stayed unpacked")
        self.assertEqual(list(self.tree.rglob("judge.py")), [])


if __name__ == "__main__":
    unittest.main()
