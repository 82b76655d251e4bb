"""What a page in a browser is given: its module, its files, and the part of Fashion-MNIST that the book carries."""
import gzip
import json
import struct
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from recto.build import web
from recto.pages.pages import Page
from recto.place import read_json


def idx(*extents: int, kind: int = 8) -> bytes:
    """An IDX file whose bytes count up."""
    size = 1
    for extent in extents:
        size *= extent
    return bytes([0, 0, kind, len(extents)]) + struct.pack(f">{len(extents)}I", *extents) + bytes(i % 251 for i in range(size))


class Needs(unittest.TestCase):
    def needs(self, name="a_page", text="// # A page\n", precision="float", data=(), options=()):
        """What a page of this text needs that left such a trace."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, f"{name}.cpp")
            source.write_text(text, encoding="utf-8")
            Path(folder, name).mkdir()
            record = {"kind": "page", "precision": precision, "data": [str(path) for path in data],
                      "options": [{"name": key, "default": value} for key, value in options]}
            Path(folder, name, "trace.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
            with mock.patch.object(web, "RUNS", Path(folder)):
                return web.needs(Page(name, "A page", (), source))

    def test_a_page_has_the_module_of_its_precision(self):
        self.assertEqual(self.needs(), {"program": "a_page", "module": "pages32", "files": {}})
        self.assertEqual(self.needs(precision="double")["module"], "pages64")

    def test_kernels_and_large_files_stay_out(self):
        self.assertIn("emulator", self.needs(text="// # A page\n#include <recto/a.cuh>\n")["why"])
        self.assertIn("one thread", self.needs(text="// # A page\n#include <recto/optim/mpi.hpp>\n")["why"])
        with tempfile.TemporaryDirectory() as folder:
            large = Path(folder, "large.gz")
            with large.open("wb") as file:
                file.truncate(web.LARGE + 1)
            self.assertIn("8 MB of", self.needs(data=[large])["why"])

    def test_frozen_studies_lie_in_figures_and_models_in_models(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = [Path(folder, "figures", "b.csv"), Path(folder, "models", "b.safetensors")]
            for path in kept:
                path.parent.mkdir()
                path.touch()
            self.assertEqual(self.needs(data=kept)["files"], {"/figures/b.csv": "b", "/models/b.safetensors": "b-model"})


class Carried(unittest.TestCase):
    FOLDER = Path("/usr/share/datasets", web.CLOTHES)
    TRAIN, TEST = FOLDER / "train-images-idx3-ubyte.gz", FOLDER / "t10k-images-idx3-ubyte.gz"
    needs = Needs.needs

    def test_a_page_is_told_how_many_images_it_has(self):
        self.assertEqual(self.needs(data=[self.TRAIN])["part"], "6,000 of 60,000 training images")
        self.assertEqual(self.needs(data=[self.TEST, self.TRAIN])["part"],
                         "6,000 of 60,000 training images and 2,000 of 10,000 test images")
        self.assertNotIn("part", self.needs())

    def test_options_that_ask_for_more_begin_with_what_there_is(self):
        options = [("pictures", "60000"), ("judges", "10000"), ("rate", "60000")]
        self.assertEqual(self.needs(data=[self.TRAIN], options=options)["start"], {"pictures": "6000", "judges": "2000"})
        self.assertEqual(self.needs(data=[self.TRAIN], options=[("pictures", "1000")])["start"], {})

    def test_the_first_images_and_their_labels(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(web, "CARRIED", {"train": (2, 5, "training")}):
            for name, extents in (("train-images-idx3-ubyte.gz", (5, 3, 4)), ("train-labels-idx1-ubyte.gz", (5,))):
                path = Path(folder, name)
                path.write_bytes(gzip.compress(idx(*extents)))
                self.assertEqual(web.first_images(path), idx(2, *extents[1:]))

    def test_other_files_come_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            plain, packed = Path(folder, "plain"), Path(folder, "packed.gz")
            plain.write_bytes(b"words")
            packed.write_bytes(gzip.compress(b"names"))
            self.assertEqual((web.content(plain), web.content(packed)), (b"words", b"names"))


class Size(unittest.TestCase):
    @unittest.skipUnless(web.LISTED.exists(), "this book has no programs for the browser")
    def test_the_data_take_six_megabytes_at_most_and_the_programs_forty_five_kilobytes_a_page(self):
        pages = sum("module" in need for need in read_json(web.LISTED, {}).values())
        self.assertLess(sum(path.stat().st_size for path in web.PROGRAMS.glob("*.js")), 6e6 + 45e3 * pages)


if __name__ == "__main__":
    unittest.main()
