"""The pages of the book: chapters/*/NAME.cpp files that begin with a title in a comment."""
import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from recto.place import PAGES, ROOT, Mistake, shown


@dataclass(frozen=True)
class Page:
    """A program that is a page."""
    name: str                # fit_curve
    title: str               # Fitting a curve
    rows: tuple[str, ...]    # fig-1.1, eq-1.1
    source: Path             # chapters/1-foundations/fit_curve.cpp

    @property
    def document(self) -> str:
        """Its name in the book: foundations/fit_curve."""
        return f"{self.source.parent.name.partition('-')[2]}/{self.name}"

    @property
    def program(self) -> Path:
        """The built program."""
        return PAGES / self.name


def read_page(source: Path) -> Page | None:
    """Returns the page in a file, or None if the file is not a page."""
    text = source.read_text(encoding="utf-8")
    if not text.startswith("// # ") or source.name.endswith(".test.cpp"):
        return None
    rows = re.search(r"^// *```\{rows\} *(.*)$", text, re.M)
    title = text.partition("\n")[0].removeprefix("// # ").strip()
    return Page(source.stem, title, tuple(rows[1].split()) if rows else (), source)


def order(source: Path) -> tuple[int, int, str]:
    """Where a page stands in the book: its chapter's number, then its place in the chapter's index."""
    number = re.match(r"\d+", source.parent.name)
    index = source.parent / "index.md"
    listed = index.read_text(encoding="utf-8").split() if index.exists() else []
    place = listed.index(source.stem) if source.stem in listed else len(listed)
    return int(number[0]) if number else 99, place, source.stem


def all_pages(root: Path = ROOT) -> list[Page]:
    """Every page of the tree, in the book's order."""
    found = [read_page(source) for source in sorted((root / "chapters").glob("*/*.cpp"), key=order)]
    pages = [page for page in found if page]
    seen: dict[str, Page] = {}
    for page in pages:
        if page.name in seen:
            raise Mistake(f"two pages have one name: {shown(seen[page.name].source)} and {shown(page.source)}")
        seen[page.name] = page
    return pages


def nearest(word: str, known: list[str]) -> str:
    """', did you mean X?' for a mistyped name, or nothing when nothing is near."""
    near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.5)
    return f"; did you mean {near[0]}?" if near else ""


def find_page(word: str, pages: list[Page]) -> Page:
    """The page with this name, path or row."""
    name = Path(word).stem if word.endswith(".cpp") else word.replace("-", "_")
    for page in pages:
        if name == page.name or word in page.rows or word == page.document:
            return page
    known = [page.name for page in pages] + [row for page in pages for row in page.rows]
    raise Mistake(f"there is no page or row {word}{nearest(word, known)} (`recto list` shows them all)")
