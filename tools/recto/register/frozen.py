"""Frozen studies (lib/recto/book/study.hpp): which page has which, what they rest on, and what the register says of them."""
import csv
import re
from pathlib import Path

from recto import proofs
from recto.includes import linked
from recto.pages.pages import Page, all_pages
from recto.place import ROOT

STUDY = re.compile(r"^const (?:book::)?Study \w+\(\s*\{\"(\w+)\"", re.M)
KEPT = proofs.Kept("frozen")


def studies(page: Page) -> list[str]:
    """The names of a page's studies."""
    return STUDY.findall(page.source.read_text(encoding="utf-8"))


def pages() -> dict[str, Page]:
    """The pages that have studies, by name."""
    return {page.name: page for page in all_pages(ROOT) if studies(page)}


def table(study: str) -> Path:
    """Where the full run of a study is kept."""
    return ROOT / f"figures/{study}.csv"


def inputs(page: Page) -> str:
    """The digest of what decides how its studies come out when they are done again."""
    return proofs.digest(ROOT, {table(study) for study in studies(page)} | set((ROOT / "cmake").iterdir()) | linked([page.source]))


def notes(study: str) -> dict[str, str]:
    """What the table says of its origin: `commit`, `machine`, `date`, `command`."""
    lines = table(study).read_text(encoding="utf-8").splitlines()
    return dict(line[2:].split(" ", 1) for line in lines if line.startswith("# "))


def seconds(study: str) -> float:
    """How long the full run took one core."""
    lines = table(study).read_text(encoding="utf-8").splitlines()
    return sum(float(row["seconds"]) for row in csv.DictReader(line for line in lines if not line.startswith("#")))


def fresh(page: Page) -> proofs.Proof | None:
    """What came out when the page's studies were done again with the code as it is; None if they were not."""
    return KEPT.known({page.name: inputs(page)}).get(page.name)


def failed(page: Page) -> str:
    """What went wrong when the page's studies were done again with the code as it is; empty if nothing did."""
    done = fresh(page)
    return "" if not done or done.outcome == proofs.PASSED else f"done again on {done.date}, and it did not come out: {done.outcome}"


def origin(page: Page, study: str) -> str:
    """What the register says of a part that rests on a study."""
    about, done, before = notes(study), fresh(page), KEPT.all().get(page.name)
    again = (failed(page) or f"done again on {done.date}" if done else
             f"done again on {before.date}, the code has changed since" if before else "not done again yet")
    return f"figures/{study}.csv of {about['date']}, commit {about['commit']}; {again}"
