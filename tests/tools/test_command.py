"""The command as a newcomer types it, on machines that lack things."""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from recto.place import ROOT

TOOLS = ("sh", "awk", "cat", "grep", "tr", "fold", "sed", "dirname", "readlink", "mkdir", "rm", "date", "env", "tail")


class Command(unittest.TestCase):
    """Runs ./recto from a copy of the tree's tools, with a PATH of our own making."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        home = Path(self.folder.name)
        self.root = home / "a clone"
        shutil.copytree(ROOT / "tools", self.root / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "recto", self.root / "recto")
        self.bin = home / "bin"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool) or "/bin/false")

    def tearDown(self):
        self.folder.cleanup()

    def fake(self, name: str, script: str) -> None:
        """Puts a program of ours on the path."""
        path = self.bin / name
        path.unlink(missing_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def recto(self, *words: str, at: Path | None = None, cwd: str = "/") -> subprocess.CompletedProcess:
        """Runs the command with nothing but our PATH, and no terminal."""
        return subprocess.run([str(at or self.root / "recto"), *words], env={"PATH": str(self.bin)}, cwd=cwd,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)

    def with_python(self) -> None:
        self.fake("python3", f'exec {sys.executable} "$@"')

    def test_help_without_python(self):
        done = self.recto("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("./recto book", done.stdout)
        self.assertEqual(self.recto("list").returncode, 1)

    def test_no_apt(self):
        done = self.recto("book")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"docker run --rm -it -v '{self.root}':/recto -w /recto debian:12 ./recto book", done.stderr)

    def test_not_root_and_no_sudo(self):
        self.fake("dpkg-query", "echo g++ installed 12; exit 1")
        self.fake("apt-get", "exit 99")
        self.fake("id", "echo 1000")
        done = self.recto("run", "fig-1.1")
        self.assertEqual(done.returncode, 1)
        line = done.stderr.splitlines()[-1]
        self.assertRegex(line, r"^    apt-get update && apt-get install -y --no-install-recommends cmake .*zlib1g-dev")
        self.assertNotIn("g++", line)
        self.assertNotIn("doxygen", done.stderr)

    def test_root_installs_what_is_missing(self):
        self.fake("dpkg-query", r'for p in "$@"; do [ $p = cmake ] || [ $p = doxygen ] || echo "$p installed 3"; done')
        self.fake("apt-get", f'echo "$@" >> "{self.root}/apt.log"')
        self.fake("dpkg", "exit 0")
        self.fake("id", "echo 0")
        self.with_python()
        done = self.recto("run", "fig-1.1")
        self.assertIn("needs these packages", done.stderr)
        said = (self.root / "apt.log").read_text()
        self.assertIn("install -y --no-install-recommends cmake\n", said)
        self.assertNotIn("doxygen", said)

    def test_ranks_bring_mpi(self):
        self.fake("dpkg-query", r'for p in "$@"; do case $p in *openmpi*) ;; *) echo "$p installed 3";; esac; done')
        self.fake("apt-get", "exit 99")
        self.fake("id", "echo 1000")
        self.with_python()
        self.assertNotIn("openmpi", self.recto("run", "nothing").stderr)
        for words in ("--ranks", "2"), ("--ranks=2",):
            self.assertRegex(self.recto("run", "nothing", *words).stderr, "install -y .* libopenmpi-dev openmpi-bin")

    def test_nothing_missing_touches_nothing(self):
        self.fake("dpkg-query", 'for p in "$@"; do echo "$p installed 3"; done')
        self.fake("apt-get", f'touch "{self.root}/touched"')
        self.with_python()
        done = self.recto("run", "fig-1.1")
        self.assertFalse((self.root / "touched").exists())
        self.assertEqual(done.stderr, "recto: there is no page or row fig-1.1 (`recto list` shows them all)\n")
        self.assertEqual(done.returncode, 2)

    def test_without_catch2_everything_else_goes_on(self):
        self.fake("dpkg-query", r'for p in "$@"; do case $p in catch2) echo "catch2 installed 2.13";; '
                                r'*) echo "$p installed 3";; esac; done')
        self.fake("apt-get", "exit 0")
        self.fake("apt-cache", "echo 'catch2 | 2.13.10-1 | somewhere'")
        self.fake("dpkg", "exit 0")
        self.fake("id", "echo 0")
        self.fake("cp", "exit 0")
        self.fake("chmod", "exit 0")
        self.with_python()
        done = self.recto("test")
        self.assertEqual(done.returncode, 1)
        self.assertIn("going on without Catch2 3", done.stderr)
        self.assertIn("everything else works", done.stderr)
        self.assertTrue((self.root / "build" / "no-catch2").exists())

    def test_a_book_without_root_and_catch2(self):
        self.fake("dpkg-query", r'for p in "$@"; do [ $p = catch2 ] || echo "$p installed 3"; done')
        self.fake("apt-get", f'touch "{self.root}/touched"')
        self.fake("id", "echo 1000")
        done = self.recto("book", "--help=no")
        self.assertIn("going on without Catch2 3: installing it needs root", done.stderr)
        self.assertFalse((self.root / "touched").exists())
        self.assertNotIn("Catch2", self.recto("book", "--help=no").stderr)

    def test_tests_without_root_and_catch2(self):
        self.fake("dpkg-query", r'for p in "$@"; do [ $p = catch2 ] || echo "$p installed 3"; done')
        self.fake("apt-get", "exit 99")
        self.fake("id", "echo 1000")
        done = self.recto("test")
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.endswith(f"as root, run:\n    '{self.root}/recto' install --yes\n"), done.stderr)

    def test_data_that_the_library_reads_is_installed_for_pages_and_for_tests(self):
        sources = (path.read_text() for path in (ROOT / "lib").rglob("*.cpp"))
        named = {name for text in sources for name in re.findall(r"apt-get install ([\w-]+)", text)}
        self.assertGreaterEqual(len(named), 2)
        self.fake("dpkg-query", "exit 1")
        self.fake("apt-get", "exit 99")
        self.fake("id", "echo 1000")
        for command in ("run", "book", "test"):
            line = self.recto(command).stderr.split("needs root")[0]
            self.assertLessEqual(named, set(line.split()), command)

    def test_through_a_link_from_anywhere(self):
        self.with_python()
        links = Path(self.folder.name) / "links"
        links.mkdir()
        (links / "first").symlink_to("../a clone/recto")
        (links / "second").symlink_to("first")
        done = self.recto("lsit", at=links / "second")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "recto: there is no command lsit; did you mean list? (./recto --help)\n")

    def test_modules_in_the_folder_it_is_called_from_are_not_loaded(self):
        self.with_python()
        for name in ("json", "recto", "argparse", "pages"):
            (Path(self.folder.name) / f"{name}.py").write_text("raise SystemExit(77)\n")
        done = self.recto("list", cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "there are no pages yet\n", ""))

    def test_shellcheck(self):
        if not shutil.which("shellcheck"):
            self.skipTest("shellcheck is not installed")
        scripts = ("recto", "tools/install.sh", "tests/fuzz/run.sh", "bench/carry/run.sh")
        done = subprocess.run(["shellcheck", "-x", *scripts], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(done.stdout, "")


class Backports(unittest.TestCase):
    def derive(self, sources: str) -> str:
        """The source that is made of a machine's own."""
        return subprocess.run(["awk", "-v", "code=bookworm", "-f", str(ROOT / "tools/backports.awk")],
                              input=sources, capture_output=True, text=True, check=True).stdout

    def test_deb822(self):
        made = self.derive("# a comment\nTypes: deb deb-src\nURIs: https://one/security\nSuites: bookworm-security\n\n"
                           "Types: deb\n# old\nURIs: https://one/debian\nSuites: bookworm bookworm-updates\n"
                           "Components: main contrib\nSigned-By:\n -----BEGIN PGP-----\n .\n abc\n\n"
                           "Types: deb\nURIs: https://two\nSuites: bookworm\nComponents: main\n")
        self.assertEqual(made, "Types: deb\nSuites: bookworm-backports\nComponents: main\nURIs: https://one/debian\n"
                               "Signed-By:\n -----BEGIN PGP-----\n .\n abc\n")

    def test_one_line(self):
        made = self.derive("deb http://x/security bookworm-security main\ndeb-src http://x/debian bookworm main\n"
                           "deb [arch=amd64,arm64 signed-by=/k.gpg] http://x/debian bookworm main\n")
        self.assertEqual(made, "Types: deb\nSuites: bookworm-backports\nComponents: main\nURIs: http://x/debian\n"
                               "Architectures: amd64 arm64\nsigned-by: /k.gpg\n")

    def test_none(self):
        self.assertEqual(self.derive("deb http://x trixie main\n\nTypes: deb\nEnabled: no\nURIs: http://y\n"
                                     "Suites: bookworm\nComponents: main\n"), "")


if __name__ == "__main__":
    unittest.main()
