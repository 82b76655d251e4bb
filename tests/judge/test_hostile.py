"""Submissions that cheat, break out, or break down: hostile/*.cpp, each with the outcome that it must get.

The first lines of a file are comments: `outcome: ...`, `says: regular expression` over what a student is told, and where
it is due `exercise: NAME` (default twice), `sanitized: yes` (also run with the sanitizers), and `wall: SECONDS` for those
that wait.
"""
import concurrent.futures
import dataclasses
import os
import re
import shutil
import socket
import tempfile
import unittest
from pathlib import Path

import support
from recto.judge import cage, grading
from recto.judge.reading import Source
from recto.judge.grading import Report
from recto.judge.judging import CRASHED, LATE, MEMORY, OUTCOMES
from support import HERE, ROOT

AT_ONCE = 4
ORDINARY = ("aborts", "claims_to_be_out_of_time", "deaf_to_signals", "divides_by_zero", "exit_at_once", "exit_in_a_destructor",
            "frame_too_long", "leaves_a_daemon", "loops_for_ever", "main_of_its_own", "memory_of_children",
            "memory_without_end", "not_a_number", "prints_for_ever", "sleeps", "templates_that_double", "throws_much_text",
            "writes_to_null")       # what must go right without namespaces too
LEFT = ("/tmp/large", "/tmp/pipe", "/tmp/link", "/tmp/fifo", "/tmp/d", "/tmp/program", "/tmp/0", "/dev/shm/0", "/usr/mine")


@dataclasses.dataclass(frozen=True)
class Submission:
    """A file, and what must become of it."""
    name: str
    text: str

    def label(self, word: str, default: str = "") -> str:
        """What its first lines say."""
        found = re.search(rf"^// {word}: ?(.*)$", "\n".join(self.text.splitlines()[:6]), re.M)
        return found[1] if found else default


SUBMISSIONS = {path.stem: Submission(path.stem, path.read_text(encoding="utf-8"))
               for path in sorted((HERE / "hostile").glob("*.cpp"))}


class Bank(unittest.TestCase):
    """Grades submissions, some at once, and looks that nothing stays behind."""
    names: list[str] = []

    @classmethod
    def setUpClass(cls) -> None:
        support.watch_over_orphans()
        cls.before = {path for path in LEFT if os.path.lexists(path)}
        cls.folder = cls.enterClassContext(support.tiny())
        cls.places = cls.enterClassContext(Outside())
        for name in ("twice", "halves", "texts"):       # our half first: the clock of no submission pays for it
            for variant in ("plain", "sanitized"):
                grading.building.objects(support.exercise(name), variant)
        cls.pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        cls.started: dict[str, concurrent.futures.Future] = {}

    @classmethod
    def tearDownClass(cls) -> None:
        cls.pool.shutdown(cancel_futures=True)
        left = [str(path) for path in cls.folder.iterdir() if not path.name.startswith("recto-reach-")]
        left += [path for path in LEFT if os.path.lexists(path) and path not in cls.before]
        left += [f"process {number}: {name}" for number, name in support.descendants().items()]
        left += [str(path) for path in (ROOT / "build" / "judge").rglob("making-*")]
        left += [str(path) for path in HERE.rglob("core*") if re.fullmatch(r"core(\.\d+)?", path.name)]
        if left:
            raise AssertionError(f"left behind: {left}")

    def report(self, name: str) -> Report:
        """The report on one submission; those that come next are begun as well."""
        at = self.names.index(name)
        for other in self.names[at:at + AT_ONCE]:
            if other not in self.started:
                self.started[other] = self.pool.submit(grade, SUBMISSIONS[other], self.places)
        return self.started[name].result()

    def judge(self, name: str) -> None:
        """Is its outcome the one that it must get, and is what is said of it harmless?"""
        submission = SUBMISSIONS[name]
        result = self.report(name).results[0]
        message = result.message
        where = f"{message.where}: " if message.where else ""
        said = message.about + (f"\n{where}expected {message.expected}, got {message.got}" if message.got else "")
        self.assertEqual(result.outcome, submission.label("outcome"), f"{said}\n{message.printed[-500:]}")
        self.assertRegex(said, re.compile(submission.label("says"), re.M))
        self.assertTrue(result.outcome == "passed" or said)
        for text in dataclasses.astuple(message):
            if isinstance(text, str):
                self.assertFalse([c for c in text if not (c.isprintable() or c in "\n\t")], name)
                self.assertLessEqual(len(text), grading.LONGEST)
        self.assertLess(len(said), 12_000)
        self.assertLess(max(map(len, said.splitlines() or [""])), 1500)


@unittest.skipIf(cage.why_not_full(), f"no full isolation here: {cage.why_not_full()}")
class Hostile(Bank):
    """All of them, in the sandbox."""
    names = list(SUBMISSIONS)


class OnlyLimits(Bank):
    """The ordinary ones, where the machine forbids namespaces."""
    names = [*ORDINARY, "fork_bomb"]

    @classmethod
    def setUpClass(cls) -> None:
        cls.enterClassContext(support.without_namespaces())
        super().setUpClass()

    def test_fork_bomb(self):
        """Here the processes are counted, not refused: whichever limit is seen first; their memory is added up too."""
        self.assertIn(self.report("fork_bomb").results[0].outcome, (CRASHED, LATE, MEMORY))


class Outside:
    """What a submission may look for: a server, sockets, and where things lie."""

    def __enter__(self) -> dict[str, str]:
        self.folder = tempfile.mkdtemp(prefix="recto-outside-", dir="/tmp")
        os.chmod(self.folder, 0o755)
        path, name = f"{self.folder}/socket", f"recto-test-{os.getpid()}"
        self.servers = [socket.create_server(("0.0.0.0", 0))]
        for place in (path, f"\0{name}"):
            server = socket.socket(socket.AF_UNIX)
            server.bind(place)
            server.listen(200)
            self.servers.append(server)
        os.chmod(path, 0o777)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
            try:
                line.connect(("192.0.2.1", 9))          # sends nothing, but says which address would be used
                address = line.getsockname()[0]
            except OSError:
                address = "127.0.0.1"
        return {"PORT": str(self.servers[0].getsockname()[1]), "ADDRESS": address, "SOCKET": path, "NAME": name,
                "ROOT": str(ROOT), "HERE": str(HERE), "HOME": str(Path.home())}

    def __exit__(self, *_) -> None:
        for server in self.servers:
            server.close()
        shutil.rmtree(self.folder)


def grade(submission: Submission, places: dict[str, str]) -> Report:
    """Grades one hostile submission."""
    text = re.sub(r"@([A-Z]+)@", lambda at: places[at[1]], submission.text)
    exercise = support.exercise(submission.label("exercise", "twice"))
    support.WALL.mine.seconds = float(submission.label("wall", "0"))
    return grading.grade_source(exercise, Source(exercise.file, text.encode()), 1, False,
                                submission.label("sanitized") == "yes", lambda line: None)


def add_tests() -> None:
    """One test for each submission."""
    for bank in (Hostile, OnlyLimits):
        for name in bank.names:
            if hasattr(bank, f"test_{name}"):
                continue
            setattr(bank, f"test_{name}", lambda self, name=name: self.judge(name))
    for submission in SUBMISSIONS.values():
        if submission.label("outcome") not in OUTCOMES:
            raise ValueError(f"{submission.name}: there is no outcome {submission.label('outcome')}")


add_tests()

if __name__ == "__main__":
    unittest.main()
