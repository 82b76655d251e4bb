"""The judge's walls: what an interruption leaves, many gradings at once."""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

import support
from recto.judge import building, cage, catalogue, folders, grading, sandbox
from recto.judge.reading import Source
from recto.place import Failure
from support import HERE, ROOT

RIGHT = "#include \"twice.hpp\"\n\nint twice(int x) { return x + x; }\n"
WRONG = RIGHT.replace("x + x", "x + x + 1")
FOR_EVER = RIGHT.replace("return x + x;", "for (;;) sleep(1000); return x;").replace("\n\n", "\n#include <unistd.h>\n\n", 1)
NOBODY = cage.NOBODY


class AtOnce(unittest.TestCase):
    """Many gradings beside each other."""

    def test_a_judge_that_does_not_load(self):
        folder = self.enterContext(support.tiny())
        broken = folder / "own" / "twice" / "judge.py"
        broken.parent.mkdir(parents=True)
        broken.write_text("raise SystemError('of its own')")
        with mock.patch.object(catalogue, "SOLUTIONS", folder), self.assertRaisesRegex(Failure, "^twice: its judge does not "
                                                                                       "load: SystemError: of its own$"):
            grading.grade_source(support.exercise("twice"), Source("twice.cpp", b""), 1, False, False, lambda line: None)

    def test_twenty(self):
        self.enterContext(support.tiny())
        exercise = support.exercise("twice")
        building.objects(exercise, "plain")
        texts = [RIGHT if number % 2 else WRONG for number in range(20)]

        def outcome(text: str) -> str:
            return grading.grade_source(exercise, Source("twice.cpp", text.encode()), 1, False, False,
                                        lambda line: None).results[0].outcome
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            found = list(pool.map(outcome, texts))
        self.assertEqual(found, ["passed" if number % 2 else "wrong answer" for number in range(20)])


class Programs(unittest.TestCase):
    """Gradings that are programs of their own, and what they leave."""

    def setUp(self) -> None:
        support.watch_over_orphans()
        self.folder = self.enterContext(support.open_folder())
        self.environment: dict[str, str] = {}
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.temporary.chmod(0o777)

    def copy(self) -> Path:
        """The judge with the tiny exercises, in a place of its own, where nothing is built."""
        copy = self.folder / "recto"
        for part in ("tools", "exercises/kit", "tests/judge"):
            shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("hostile", "__pycache__"))
        return copy

    def begin(self, text: str, tree: Path = ROOT, **words) -> subprocess.Popen:
        """Starts grading this program in the background."""
        path = self.folder / f"{hash(text)}.cpp"
        path.write_text(text)
        environment = {**os.environ, **self.environment, "TMPDIR": str(self.temporary), "PYTHONDONTWRITEBYTECODE": "1",
                       "PYTHONPATH": str(tree / "tools")}
        python = sys.executable if folders.open_to_all(Path(sys.executable)) else "/usr/bin/python3"
        # A shell's background commands, and what they start, ignore the key that interrupts.
        return subprocess.Popen([python, str(tree / "tests" / "judge" / "grade_one.py"), str(path)], env=environment,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **words)

    def outcome(self, process: subprocess.Popen) -> list[str]:
        """What it found: the outcome, what is said, the isolation."""
        said, complaint = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, complaint)
        return json.loads(said)

    def left(self) -> list[str]:
        """What is left of temporary files."""
        return [path.name for path in self.temporary.iterdir()]

    def wait_for_nobody(self) -> None:
        """Until all processes are gone; soon."""
        until = time.monotonic() + 60
        while support.descendants() and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(support.descendants(), {})

    def interrupt(self, number: signal.Signals) -> None:
        """Interrupts one while the student's program runs."""
        with self.begin(FOR_EVER) as process:
            for line in process.stderr:
                if line.startswith("twice"):
                    break
            until = time.monotonic() + 60
            while not any(name.startswith("program") for name in support.descendants().values()) and time.monotonic() < until:
                time.sleep(0.02)
            started = time.monotonic()
            process.send_signal(number)
            process.wait(60)
            self.assertLess(time.monotonic() - started, 15)     # and not the 30 that the program might have taken
        self.wait_for_nobody()

    def test_interrupted_by_hand(self):
        self.interrupt(signal.SIGINT)
        self.assertEqual(self.left(), [])

    def test_interrupted_while_compiling(self):
        text = (HERE / "hostile" / "templates_that_double.cpp").read_text()
        with self.begin(text) as process:
            for line in process.stderr:
                if line.startswith("compiling"):
                    break
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            process.wait(60)
        self.wait_for_nobody()
        self.assertEqual(self.left(), [])

    def test_killed(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.interrupt(number)
            self.assertTrue(self.left())
        self.assertEqual(self.outcome(self.begin(RIGHT))[0], "passed")
        self.assertEqual(self.left(), [])           # the next one clears up

    def test_killed_without_namespaces(self):
        self.environment["RECTO_ISOLATION"] = cage.LIMITS
        self.interrupt(signal.SIGKILL)
        self.assertEqual(self.outcome(self.begin(RIGHT)), ["passed", "", cage.LIMITS])
        self.assertEqual(self.left(), [])

    def test_two_beginners_at_once(self):
        tree = self.copy()
        both = [self.begin(text, tree) for text in (RIGHT, WRONG)]
        self.assertEqual([self.outcome(process)[0] for process in both], ["passed", "wrong answer"])
        self.assertEqual(self.left(), [])
        self.assertEqual([str(path) for path in (tree / "build").rglob("making-*")], [])

    @unittest.skipIf(os.getuid(), "only root can change its user")
    def test_as_another_user(self):
        tree = self.copy()
        for path in [tree, *tree.rglob("*")]:
            os.chown(path, NOBODY - 1, NOBODY - 1)
        found = self.outcome(self.begin(RIGHT, tree, user=NOBODY - 1, group=NOBODY - 1, extra_groups=[]))
        self.assertEqual(found, ["passed", "", sandbox.isolation()])
        self.assertEqual(self.left(), [])

    @unittest.skipIf(os.getuid(), "only root has another user in the sandbox")
    def test_in_a_home_that_is_closed(self):
        tree = self.copy()
        tree.chmod(0o700)
        self.assertEqual(self.outcome(self.begin(RIGHT, tree))[0], "passed")
        self.assertEqual(self.left(), [])


class Isolation(unittest.TestCase):
    """Which one is active, and who says so."""

    def test_without_namespaces(self):
        with support.without_namespaces():
            self.assertEqual(sandbox.isolation(), sandbox.LIMITS)
            with self.assertRaisesRegex(Failure, "^--untrusted: this machine has no full isolation .*nothing was run$"):
                sandbox.insist()

    @unittest.skipIf(cage.why_not_full(), f"no full isolation here: {cage.why_not_full()}")
    def test_with_namespaces(self):
        self.assertEqual(sandbox.isolation(), sandbox.FULL)
        sandbox.insist()

    def test_a_machine_without_bubblewrap(self):
        cage.why_not_full.cache_clear()
        self.addCleanup(cage.why_not_full.cache_clear)
        with mock.patch.object(shutil, "which", return_value=None):
            self.assertEqual(sandbox.why_not_full(), "bubblewrap is not installed")


class Folders(unittest.TestCase):
    """Temporary folders are removed once no process uses them."""

    def test_unused_folders_are_removed(self):
        parent = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (parent / "mine-old").mkdir()
        (parent / "mine-file").write_text("")
        (parent / "other").mkdir()
        with folders.held(parent, "mine-") as one, folders.held(parent, "mine-") as two:
            self.assertTrue(one.exists() and two.exists() and one != two)
            self.assertEqual({path.name for path in parent.iterdir()}, {one.name, two.name, "mine-file", "other"})
        self.assertEqual({path.name for path in parent.iterdir()}, {"mine-file", "other"})

    def test_what_is_deep_and_closed_goes_too(self):
        parent = Path(self.enterContext(tempfile.TemporaryDirectory()))
        with folders.held(parent, "mine-") as folder:
            subprocess.run(["sh", "-c", "for i in $(seq 1500); do mkdir d; cd d; done; chmod 0 ."], cwd=folder, check=True)
        self.assertEqual(list(parent.iterdir()), [])


class Speed(unittest.TestCase):
    """A sandbox costs little. Timings never fail here; the number is for who reads the log."""

    def test_one_run(self):
        times = []
        for _ in range(10):
            started = time.monotonic()
            end, _ = sandbox.run(["/usr/bin/true"], sandbox.Limits(), {})
            times.append(time.monotonic() - started)
            self.assertEqual((end.how, end.code), ("exit", 0))
        print(f"a sandbox from start to end: {1000 * sorted(times)[5]:.0f} ms")


if __name__ == "__main__":
    unittest.main()
