"""What a class handed in: folders that may be called anything and hold anything."""
import os
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import made
from recto.judge import grading, handed_in
from pupils import Class


class Files(Class):
    """Which files count, and what else may lie there."""

    def test_files_that_are_missing_or_have_other_names(self):
        self.put("ann", "Double_It.cpp", "right")
        self.put("ann", "halve_it (1).cpp", "right")
        self.put("bob", "notes.txt", "nothing")
        (self.folder / "cid").mkdir()
        self.assertEqual(self.run_class(), 0)
        rows = self.rows()
        self.assertEqual(rows["ann"]["problems"], "double_it.cpp is missing, is it Double_It.cpp?; halve_it.cpp is missing, is it "
                                                  "halve_it (1).cpp?")
        for name in ("bob", "cid"):
            self.assertEqual(rows[name]["problems"], "double_it.cpp is missing; halve_it.cpp is missing")
        self.assertEqual([row["mark"] for row in rows.values()], ["0.00"] * 3)
        self.assertEqual(self.graded(), [])

    def test_where_files_may_lie(self):
        self.put("ann", "work/small/double_it/double_it.cpp", "right")
        self.put("ann", "a/b/c/halve_it.cpp", "right")
        self.put("bob", "double_it.cpp", "right")
        self.put("bob", "old/double_it.cpp", "wrong")
        self.put("bob", "halve_it/halve_it.cpp", "right")
        self.put("bob", "halve_it.cpp", "wrong")
        self.put("cid", "1/2/3/4/5/6/7/double_it.cpp", "right")
        self.run_class()
        rows = self.rows()
        self.assertEqual((rows["ann"]["mark"], rows["ann"]["problems"]), ("4.00", ""))
        self.assertEqual(rows["bob"]["problems"], "double_it.cpp is there 2 times: double_it.cpp, old/double_it.cpp")
        self.assertEqual((rows["bob"]["double_it"], rows["bob"]["halve_it"]), ("0", "3"))
        self.assertIn("double_it.cpp is missing", rows["cid"]["problems"])

    def test_hostile_folders(self):
        names = ["a b", "new\nline", "-rf", "naïve ☃", "=1+1", "+a", "@b", "\x1b[2J", "tab\there", "a\\nb", "a,b\"c", "--", "\udcff"]
        for name in names:
            self.put(name, "double_it.cpp", "right")
        self.put("zoe", "double_it.cpp", "right")
        (self.folder / "link").symlink_to(self.folder / "zoe")
        (self.folder / "dangling").symlink_to("/nowhere")
        (self.folder / "smith.zip").write_bytes(b"PK")
        (self.folder / ".DS_Store").write_bytes(b"")
        (self.folder / "__MACOSX").mkdir()
        self.assertEqual(self.run_class(), 0)
        rows = self.rows()
        self.assertEqual(set(rows), {"a b", "new\\nline", "'-rf", "naïve ☃", "'=1+1", "'+a", "'@b", "\\x1b[2J", "tab\\there",
                                     "a\\\\nb", 'a,b"c', "'--", "\\udcff", "zoe", "link", "dangling", "__MACOSX"})
        for name in ("link", "dangling"):
            self.assertEqual((rows[name]["problems"], rows[name]["mark"]), ("is a symbolic link, not a folder", "0.00"))
        self.assertIn("smith.zip: is no folder, left out", self.said)
        self.assertFalse([text for text in self.said if "\n" in text or "\x1b" in text])
        for line in self.csv.read_text(encoding="utf-8").split("\r\n"):
            self.assertNotRegex(line, "^[=+@\t-]")

    def test_links_and_pipes_in_a_folder(self):
        other = self.put("../elsewhere", "double_it.cpp", "right")
        (self.folder / "ann").mkdir()
        (self.folder / "ann" / "theirs").symlink_to(other.parent)
        (self.folder / "bob").mkdir()
        (self.folder / "bob" / "double_it.cpp").symlink_to(other)
        os.mkfifo(self.folder / "bob" / "halve_it.cpp")
        with mock.patch.object(grading, "grade", self.real_grade):
            self.assertEqual(self.run_class(), 0)
        rows = self.rows()
        self.assertIn("double_it.cpp is missing", rows["ann"]["problems"])
        self.assertEqual(rows["bob"]["problems"], "double_it.cpp: is a symbolic link; halve_it.cpp: is no ordinary file")

    real_grade = staticmethod(grading.grade)

    def test_exercises_that_share_a_file_name(self):
        toml = self.root / "exercises" / "small" / "halve_it" / "exercise.toml"
        toml.write_text(toml.read_text().replace("halve_it.cpp", "double_it.cpp"))
        made.catalogue.sets.cache_clear()
        self.put("ann", "halve_it/double_it.cpp", "right")
        self.run_class()
        self.assertEqual((self.rows()["ann"]["double_it"], self.rows()["ann"]["halve_it"]), ("0", "3"))

    def test_a_folder_without_end(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(handed_in, "MOST_FILES", 10):
            for at in range(30):
                Path(folder, f"d{at}").mkdir()
                Path(folder, f"f{at}").touch()
            files = handed_in.files_in(Path(folder))
            self.assertEqual(len(files), 10)
            wanted = SimpleNamespace(file="double_it.cpp", name="double_it")
            self.assertEqual(handed_in.find(wanted, Path(folder), files, [wanted.file]).problem,
                             "double_it.cpp is missing among the first 10 files of the folder, the others were not looked at")


if __name__ == "__main__":
    unittest.main()
