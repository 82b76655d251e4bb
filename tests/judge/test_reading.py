"""What the judge reads: files that it refuses, and what strangers wrote."""
import os
import socket
import struct
import tempfile
import time
import unittest
from pathlib import Path

import support
from recto.judge import frames, grading, reading, sandbox
from recto.judge.frames import Array, Garbled
from recto.judge.judging import UNCOMPILED, show
from recto.judge.reading import Source, Unreadable

RIGHT = "#include \"twice.hpp\"\n\nint twice(int x) { return x + x; }\n"
WRONG = RIGHT.replace("x + x", "x + x + 1")


class Files(unittest.TestCase):
    """What may be handed in: one ordinary text file."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def refused(self, path: Path, words: str) -> None:
        """It is refused, at once and in one line."""
        started = time.monotonic()
        with self.assertRaisesRegex(Unreadable, words) as caught:
            reading.read_source(path, "twice.cpp")
        self.assertNotIn("\n", str(caught.exception))
        self.assertLess(time.monotonic() - started, 5)

    def test_what_is_no_file(self):
        (self.folder / "folder").mkdir()
        self.refused(self.folder / "folder", "is no ordinary file")
        os.mkfifo(self.folder / "pipe")
        self.refused(self.folder / "pipe", "is no ordinary file")
        (self.folder / "link").symlink_to("/etc/passwd")
        self.refused(self.folder / "link", "is a symbolic link")
        (self.folder / "lost").symlink_to("/nowhere")
        self.refused(self.folder / "lost", "is a symbolic link")
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.folder / "socket"))
            self.refused(self.folder / "socket", "No such device|is no ordinary file")
        self.refused(Path("/dev/zero"), "is no ordinary file")
        self.refused(self.folder / "missing", "there is no such file")
        self.refused(self.folder / "missing" / "too", "there is no such file")
        self.refused(self.folder / ("x" * 5000), "name too long")

    def test_what_is_too_large_or_no_text(self):
        with (self.folder / "large").open("wb") as file:
            file.truncate(1 << 30)
        self.refused(self.folder / "large", "has 1073741824 bytes, 262144 are the most")
        (self.folder / "zero").write_bytes(b"int x;\0")
        self.refused(self.folder / "zero", "is no text, byte 6 is zero")

    @unittest.skipIf(os.getuid() == 0, "root reads everything")
    def test_what_may_not_be_read(self):
        path = self.folder / "closed.cpp"
        path.write_text(RIGHT)
        path.chmod(0)
        self.refused(path, "Permission denied")

    def test_names_of_all_kinds(self):
        self.enterContext(support.tiny())
        for name in ("with space.cpp", "with\nnewline.cpp", "-o", "--help", "\x1b[31mred.cpp", "\udcff.cpp", "<b>.cpp"):
            path = self.folder / name
            path.write_text(WRONG)
            report = grading.grade(support.exercise("twice"), path, 1, sanitize=False)
            self.assertEqual(report.results[0].outcome, "wrong answer", name)
            path.write_bytes(b"\0")
            report = grading.grade(support.exercise("twice"), path, 1, sanitize=False)
            self.assertEqual(report.results[0].outcome, UNCOMPILED)
            self.assertTrue(report.results[0].message.about.isprintable(), report.results[0].message.about)

    def test_bytes_that_are_no_utf8(self):
        self.enterContext(support.tiny())
        source = Source("twice.cpp", b"#include \"twice.hpp\"\n\xff\xfe\x1b[31m <b> \x07\x80\n")
        message = grading.grade_source(support.exercise("twice"), source, 1, False, False, lambda line: None).results[0].message
        self.assertTrue(all(line.isprintable() for line in message.about.replace("\t", "").split("\n")), message.about)


class Texts(unittest.TestCase):
    """What a stranger wrote and a student or a teacher reads."""

    def test_harmless(self):
        self.assertEqual(sandbox.harmless("a\x1b[31m\r\x07\u202e\u200b\ud800\x7f\x9b\n\tb"),
                         "a\\x1b[31m\\r\\x07\\u202e\\u200b\\ud800\\x7f\\x9b\n\tb")
        self.assertEqual(sandbox.one_line("a\nb\tc" + "d" * 400, 10), "a\\nb cdddd...")

    def test_the_end_of_much_output(self):
        end, said = sandbox.run(["/bin/sh", "-c", "seq 100000; echo the end"], sandbox.Limits(), {})
        self.assertEqual((end.how, end.code), ("exit", 0))
        self.assertRegex(said, r"(?s)^1\n2\n.*\n\[\d+ more bytes\]\n.*the end\n$")
        self.assertLess(len(said), 70_000)

    def test_arrays_that_are_all_shape(self):
        self.assertLess(len(show(Array((1 << 20, 0), []))), 200)
        frame = struct.pack("<QB", 1, 0) + b"D" + struct.pack("<III", 2, 0xffffffff, 0)
        with self.assertRaises(Garbled):
            frames.answer(frame)

    def test_every_cut_of_an_answer_is_garbled_or_shorter(self):
        whole = struct.pack("<QB", 1, 0) + frames.encode([1.5, 2.5]) + frames.encode(["a", "bc"]) + frames.encode(3)
        self.assertEqual(frames.answer(whole)[2], [Array((2,), [1.5, 2.5]), ["a", "bc"], 3])
        for end in range(len(whole)):
            try:
                self.assertLess(len(frames.answer(whole[:end])[2]), 3)
            except Garbled as garbled:
                self.assertTrue(str(garbled).isprintable())


if __name__ == "__main__":
    unittest.main()
