"""Reading what a page's program left: its trace, on the lines that the page has today."""
import json
from pathlib import Path
from typing import Any

from recto.pages.pages import Page
from recto.pages.snapshot import line_map
from recto.place import MAIN, ROOT


def read_trace(folder: Path) -> list[dict[str, Any]]:
    """The records of a run; what cannot be read is left out."""
    records = []
    path = folder / "trace.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            records.append(json.loads(line))
        except ValueError:
            break
    return records


def finished(records: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The `page` record, which is last: a trace without it is unfinished."""
    return records[-1] if records and records[-1].get("kind") == "page" else None


def page_lines(page: Page) -> list[int]:
    """Where the lines of a page's snapshot stand in the page today."""
    copy = MAIN / page.source.relative_to(ROOT) if page.source.is_relative_to(ROOT) else page.source
    text = page.source.read_text(encoding="utf-8")
    return line_map(copy.read_text(encoding="utf-8") if copy.exists() else text, text)
