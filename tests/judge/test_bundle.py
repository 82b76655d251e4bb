"""A bundle of answers, read as a stranger's file."""
import hashlib
import json
import os
import shutil
import stat
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import support  # noqa: F401
from recto.judge import release
from recto.place import Failure, Mistake


class Bundle(unittest.TestCase):
    """Zip files from other programs."""

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
