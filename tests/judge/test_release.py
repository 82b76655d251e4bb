"""Handing out: a tree that gives nothing away, and a bundle that is read as a stranger's file."""
import hashlib
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
from judge import release
from place import Failure, Mistake

LONG, SHORT, RUN = 70, 12, 3        # a line of so many characters gives away an answer, or so many shorter ones in a row


def is_repository() -> bool:
    """Is this the repository itself, with the answers?"""
    if not (support.ROOT / "solutions").is_dir():
        return False
    try:
        release.tracked()
    except Failure:
        return False
    return True


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
        Path(folder.name).chmod(0o755)          # whoever is root grades as nobody
        cls.tree = Path(folder.name).resolve() / "to hand out"
        cls.bundle = cls.tree.with_name("to hand out.bundle.zip")
        with mock.patch.object(release.term, "say"):
            cls.status = release.release(cls.tree)
        cls.names = {path.name for path in cls.tree.iterdir()}

    def run_there(self, program: str, *words: str) -> subprocess.CompletedProcess:
        """Runs Python in the tree that was handed out, with its modules."""
        start = f"import sys; sys.path.insert(0, {str(self.tree / 'tools')!r})\n"
        return subprocess.run([sys.executable, "-B", "-c", start + program, *words], cwd=self.tree, capture_output=True, text=True)

    def test_what_there_is(self):
        self.assertEqual(self.status, 0)
        for name in ("recto", "README.md", "LICENSE", "exercises/kit/driver.hpp", "tools/judge/grading.py", "lib/recto/recto.hpp",
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
            known |= dict.fromkeys(prints([line for line in squeezed(text) if line not in theirs]), name)
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
                    lines = squeezed(archive.read(name).decode())
                    self.assertTrue(prints(lines) or len(lines) < RUN, name)

    def test_the_readme_says_so(self):
        readme = (self.tree / "README.md").read_text()
        self.assertTrue(readme.startswith("# Recto\n\n> **This tree was handed out.**"))
        self.assertIn(release.commit(), readme)

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
        for name in ("exercises/a/b/judge.py", "exercises/a/b/wrong/x.cpp"):
            with tempfile.TemporaryDirectory() as folder:
                Path(folder, name).parent.mkdir(parents=True)
                Path(folder, name).touch()
                self.assertRaisesRegex(Failure, "looks like an answer", release.refuse_answers, Path(folder), [])

    def test_there(self):
        """The tree knows what it is: it is not handed out again, and its judges are missed in one line."""
        done = self.run_there("from judge import release; print(release.commit()); release.release(release.ROOT / 'x')")
        self.assertEqual(done.stdout.strip(), release.commit())
        self.assertIn("Failure: release: this tree was handed out", done.stderr)
        done = self.run_there("from judge import catalogue, grading\ngrading.Grading(catalogue.exercises()[0], 1, print)")
        self.assertRegex(done.stderr.splitlines()[-1], "its judge is not here; a tree that was handed out grades with --bundle FILE$")

    def test_the_autograder_of_classroom_50(self):
        """Beside the tree that was handed out and its bundle, as its first lines say; damaged, it is nobody's fault."""
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
from pathlib import Path
from judge import catalogue, grading, release
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


class Bundle(unittest.TestCase):
    """Zip files that somebody else made."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "b.zip"

    def make(self, files: dict[str, bytes], manifest=None, about=lambda entry: None) -> None:
        """A bundle with these files; `about` may change how an entry is described."""
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        manifest = {"form": "recto bundle", "version": 1, "files": digests} if manifest is None else manifest
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in {"manifest.json": json.dumps(manifest).encode(), **files}.items():
                entry = zipfile.ZipInfo(name)
                entry.compress_type = zipfile.ZIP_DEFLATED
                about(entry)
                archive.writestr(entry, data)

    def refused(self, words: str, kind: type = Failure) -> None:
        """It is not opened, one line says why, and nothing is left of it."""
        before = set(Path(tempfile.gettempdir()).glob("recto-bundle-*"))
        with self.assertRaisesRegex(kind, words) as caught:
            release.open_bundle(self.path)
        self.assertEqual(len(str(caught.exception).splitlines()), 1)
        self.assertLessEqual(set(Path(tempfile.gettempdir()).glob("recto-bundle-*")), before)

    def test_a_good_one(self):
        self.make({"solutions/a/b/judge.py": b"x = 1\n", "solutions/a/b/wrong/no_sum.cpp": b""})
        opened = release.open_bundle(self.path)
        self.addCleanup(shutil.rmtree, opened.parent)
        self.assertEqual(opened.name, "solutions")
        self.assertEqual((opened / "a" / "b" / "judge.py").read_bytes(), b"x = 1\n")
        self.assertEqual(stat.S_IMODE(opened.parent.stat().st_mode), 0o700)
        self.assertNotEqual(release.open_bundle(self.path), opened)

    def test_what_is_no_bundle(self):
        self.refused("there is no such file", Mistake)
        for data in (b"", b"PK", b"PK\x05\x06" + bytes(18), os.urandom(1000), b"PK\x03\x04" + os.urandom(1000)):
            self.path.write_bytes(data)
            self.refused("not a zip file|no manifest|b.zip: ")
        self.path.unlink()
        self.path.mkdir()
        self.refused("no ordinary file")
        self.path.rmdir()
        os.mkfifo(self.path)
        self.refused("no ordinary file")
        self.path.unlink()
        with self.path.open("wb") as file:
            file.truncate(1 << 30)
        self.refused("has 1073741824 bytes")

    def test_names(self):
        for name in ("/etc/passwd", "../x", "solutions/../../x", "solutions/a/../b", "solutions/./a", "solutions//a", "solutions/",
                     "solutions", "other/a", "solutions/a\\..\\b", "C:/a", "solutions/.hidden", "solutions/a\nb", "solutions/\u00e9",
                     "solutions/-rf", "solutions/a/", " solutions/a", "", "Solutions/a", "solutions/a\x1b[2J"):
            self.make({name: b"x"})
            self.refused("which is no name for a file|not as long|manifest")
        name = "solutions/a_b"
        self.make({name: b"x"})
        self.path.write_bytes(self.path.read_bytes().replace(b"solutions/a_b", b"solutions/a\0b"))
        self.refused("no name for a file|b.zip: ")

    def test_links_and_the_like(self):
        for kind in (stat.S_IFLNK, stat.S_IFDIR, stat.S_IFIFO, stat.S_IFCHR):
            def about(entry, kind=kind):
                entry.external_attr = (kind | 0o777) << 16
            self.make({"solutions/a": b"/etc/passwd"}, about=about)
            self.refused("which is no ordinary file")

    def test_digests(self):
        good = {"solutions/a": b"x", "solutions/b": b"y"}
        digests = {name: hashlib.sha256(data).hexdigest() for name, data in good.items()}
        for files, words in (({**digests, "solutions/c": "0"}, "'solutions/c' is missing"), ({"solutions/a": digests["solutions/a"]},
                             "'solutions/b' is not as"), ({**digests, "solutions/a": digests["solutions/b"]}, "'solutions/a' is not as"),
                             ({**digests, "solutions/a": 7}, "'solutions/a' is not as"), ({**digests, "\x1b[2J": ""}, "x1b.* is missing")):
            self.make(good, {"form": "recto bundle", "version": 1, "files": files})
            self.refused(words)

    def test_manifests(self):
        for manifest, words in ((7, "no manifest"), ({}, "no manifest"), ({"form": "other", "version": 1, "files": {}}, "no manifest"),
                                ({"form": "recto bundle", "version": 1, "files": []}, "no manifest"),
                                ({"form": "recto bundle", "version": 2, "files": {}}, "version 2, this tree reads version 1")):
            self.make({"solutions/a": b"x"}, manifest)
            self.refused(words)
        for text in (b"", b"{", b"\xff", b"[" * 100_000):
            with zipfile.ZipFile(self.path, "w") as archive:
                archive.writestr("manifest.json", text)
            self.refused("b.zip: ")

    def test_twice_the_same_name(self):
        for first, second in (("solutions/a", "solutions/a"), ("solutions/a", "solutions/A")):
            with zipfile.ZipFile(self.path, "w") as archive, self.assertWarns(UserWarning) if first == second else mock.MagicMock():
                archive.writestr(first, b"x")
                archive.writestr(second, b"y")
            self.refused("twice")

    def test_sizes(self):
        with mock.patch.multiple(release, LARGEST_FILE=1000, LARGEST_TREE=2500, MOST_FILES=4):
            self.make({"solutions/a": bytes(1001)})
            self.refused("of 1001 bytes, 1000 are the most")
            self.make({f"solutions/{name}": bytes(900) for name in "abc"})
            self.refused("holds more than")
            self.make({f"solutions/{name}": b"" for name in "abcd"})
            self.refused("has 5 files, 4 are the most")

    def test_a_bomb_that_lies_about_its_size(self):
        self.make({"solutions/a": bytes(3 << 20)})
        data = self.path.read_bytes()
        size = (3 << 20).to_bytes(4, "little")
        self.assertIn(size, data)
        self.path.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
        self.refused("not as long as it says|CRC|b.zip: ")

    def test_what_is_damaged(self):
        self.make({"solutions/a": os.urandom(500)})
        data = self.path.read_bytes()
        opened = 0
        for at in range(0, len(data), 7):
            self.path.write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:])
            try:
                shutil.rmtree(release.open_bundle(self.path).parent)
                opened += 1                             # a time, a version: nothing that matters
            except Failure as why:
                self.assertEqual(len(str(why).splitlines()), 1)
        self.assertLess(opened, len(data) / 14)
        for at in range(0, len(data), 50):
            self.path.write_bytes(data[:at])
            self.refused("b.zip: ")

    def test_encrypted(self):
        self.make({"solutions/a": b"x"})
        data = bytearray(self.path.read_bytes())
        for mark, offset in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
            at = data.find(mark)
            while at >= 0:
                data[at + offset] |= 1
                at = data.find(mark, at + 1)
        self.path.write_bytes(bytes(data))
        self.refused("encrypted")


if __name__ == "__main__":
    unittest.main()
