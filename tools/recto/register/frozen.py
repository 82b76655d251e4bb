"""Frozen studies and models (lib/recto/book/study.hpp, model.hpp): which page has which, what they rest on, and what the register
says of them. A model is a study of one cell that keeps files beside its table."""
import csv
import re
from pathlib import Path

from recto import proofs
from recto.includes import called_with, flags, linked
from recto.pages.pages import Page, all_pages
from recto.place import ROOT, Failure, shown

STUDY = re.compile(r"^const (?:book::)?(?:Study|Model<\w+>) \w+\(\s*\{\"(\w+)\"", re.M)
KEPT = proofs.Kept("frozen")
SPEAKS = ("lib/recto/figure/", "lib/recto/book/")           # how a page draws and speaks, which decides no cell, but for
COUNTS = ("study", "model", "apart", "option", "command_line")   # these sources of lib/recto/book: cells, options, and the seed


def studies(page: Page) -> list[str]:
    """The names of a page's studies."""
    return STUDY.findall(page.source.read_text(encoding="utf-8"))


def pages() -> dict[str, Page]:
    """The pages that have studies, by name."""
    return {page.name: page for page in all_pages(ROOT) if studies(page)}


def table(study: str) -> Path:
    """Where the full run of a study is kept."""
    return ROOT / f"figures/{study}.csv"


def files(page: Page) -> set[Path]:
    """What is kept of a page's studies: tables, and of models the weights and the checkpoint."""
    return {path for study in studies(page) for path in (table(study), *(ROOT / "models").glob(f"{study}.*safetensors")) if path.exists()}


def decides(source: Path) -> bool:
    """Whether a source decides how a cell comes out."""
    return not source.relative_to(ROOT).as_posix().startswith(SPEAKS) or source.name.partition(".")[0] in COUNTS


def inputs(page: Page) -> str:
    """The digest of what decides how its studies come out when they are done again."""
    if missing := [path for path in sorted(map(table, studies(page))) if not path.exists()]:
        raise Failure(f"{shown(missing[0])}: wanted the kept run of a study, got nothing: ./recto run {page.name} --full makes it")
    sources = {path for path in linked([page.source]) if decides(path)}
    return proofs.digest(ROOT, files(page) | flags(page.source.parents[1], page.source.parent) | sources, called_with(page.source))


def lines(study: str) -> list[str]:
    """The lines of a table; a Failure if it is not there."""
    try:
        return table(study).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise Failure(f"{shown(table(study))}: wanted the kept run of a study, got {error}") from error


def notes(study: str) -> dict[str, str]:
    """What the table says of its origin: `commit`, `machine`, `date`, `command`."""
    found = dict(line[2:].partition(" ")[::2] for line in lines(study) if line.startswith("# "))
    if missing := [name for name in ("commit", "machine", "date", "command") if not found.get(name)]:
        raise Failure(f"{shown(table(study))}: wanted a line `# {missing[0]} ...` that says where it is from")
    return found


def rows(study: str) -> list[dict[str, str]]:
    """The cells of the full run."""
    return list(csv.DictReader(line for line in lines(study) if not line.startswith("#")))


def seconds(study: str) -> float:
    """How long the full run took one core."""
    return sum(float(row["seconds"]) for row in rows(study))


def measured(said: str) -> dict[str, float]:
    """Which cells a page did again, by what it said: `widths: cells 3, 7` and how many these are."""
    done: dict[str, list[int]] = {}
    for study, number in re.findall(r"^(\w+): cell (\d+) done again$", said, re.M):
        done.setdefault(study, []).append(int(number))
    return {f"{study}: all cells" if len(numbers) == len(rows(study)) else
            f"{study}: cells {', '.join(map(str, sorted(numbers)))}": len(numbers) for study, numbers in sorted(done.items())}


def share(study: str, done: proofs.Proof) -> str:
    """What of a study was done again: `2 of 42 cells`."""
    if (ROOT / f"models/{study}.safetensors").exists():
        return "the last tenth of the training"
    count = sum(number for name, number in done.measured.items() if name.startswith(f"{study}: "))
    return f"{count:.0f} of {len(rows(study))} cells"


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
    again = (failed(page) or f"{share(study, done)} done again on {done.date}" if done else
             f"done again on {before.date}, the code has changed since" if before else "not done again yet")
    return f"figures/{study}.csv of {about['date']}, commit {about['commit']}; {again}"
