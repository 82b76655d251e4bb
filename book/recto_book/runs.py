"""What the programs left behind: traces, verdicts, times. Everything here may be missing."""
import functools
import json
import pathlib
import re

from recto_book.tools import snapshot


class Run:
    """The standard run of one page: its records, on the lines the page has now."""

    def __init__(self, config, program, source):
        self.home = pathlib.Path(config.recto_build) / "runs" / program
        self.problem, self.page, self.records = "", None, []
        trace = self.home / "trace.jsonl"
        if not trace.exists():
            self.problem = "This page's program has not run yet, so what it prints, claims and draws is missing."
            return
        try:
            self.records = [json.loads(t) for t in trace.read_text(encoding="utf-8").splitlines() if t.strip()]
        except ValueError as error:
            self.problem = f"The trace of this page's program cannot be read: {error}."
            return
        self.page = next((r for r in self.records if r["kind"] == "page"), None)
        if self.page is None:
            self.problem = "This page's program did not finish: what follows its last line below is missing."
        moved = line_map(config, source)
        for r in self.records:
            if "line" in r:
                r["line"] = moved(r["line"])


def page_record(config, program):
    """The last record of a trace, if the run was finished."""
    path = pathlib.Path(config.recto_build) / "runs" / program / "trace.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    last = json.loads(lines[-1]) if lines and lines[-1].endswith("}") else {}
    return last if last.get("kind") == "page" else None


def line_map(config, source):
    """The line of the page for each line of the snapshot it was compiled from (see tools/recto/pages/snapshot.py)."""
    page, copy = pathlib.Path(config.recto_root) / source, pathlib.Path(config.recto_build) / "main" / source
    if not copy.exists():
        return lambda line: line
    found = snapshot.line_map(copy.read_text(encoding="utf-8"), page.read_text(encoding="utf-8"))
    return lambda line: max(1, found[min(line, len(found) - 1)])


@functools.lru_cache
def origins(build):
    """Where each file of build/source comes from."""
    return json.loads((pathlib.Path(build) / "source/origins.json").read_text())


def stamp(config, program):
    """Changes when the run of a page does."""
    home = pathlib.Path(config.recto_build) / "runs" / program
    return sorted((p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in home.iterdir()) if home.is_dir() else []


@functools.lru_cache
def register(root, build):
    """Every row, by id: with verdicts if the register has been computed, else as listed, all open."""
    path = pathlib.Path(build) / "book" / "register.json"
    if path.exists():
        files = [path]
    else:
        files = sorted((pathlib.Path(root) / "book/register").glob("*.json"))
    found = [json.loads(p.read_text(encoding="utf-8")) for p in files]
    return {r["id"]: r for data in found for r in (data["rows"] if isinstance(data, dict) else data)}


def rows(config):
    return register(config.recto_root, config.recto_build)


def label(row):
    """A row, or a part of one, as readers see it: with whose numbering it is, where the source numbers it."""
    if row.startswith(("fig-udl-", "eq-udl-")):
        return f"udl:{row.replace('-udl', '', 1)}"
    return f"lbdl:{row}" if re.match(r"(fig|eq|table)-\d+\.\d", row) else row


def key(verdict):
    """The look of a verdict: `open (2 of 3)` looks like `open`."""
    word = (verdict or "open").split(" (")[0]
    return {"reproduced": "reproduced", "erratum": "erratum", "not reproduced": "differs", "not run": "not-run",
            "stale": "stale", "broken": "broken", "broken here": "broken"}.get(word, "open")


@functools.lru_cache
def catalogue(build):
    """Every test of the tree, by name."""
    return {t["name"]: t for t in json.loads((pathlib.Path(build) / "source/tests.json").read_text())}


def proving(config, ids):
    """The tests that carry a tag of one of these rows."""
    return [t for t in catalogue(config.recto_build).values() if any(r.split("/")[0] in ids for r in t["rows"])]


def load(path, otherwise):
    path = pathlib.Path(path)
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else otherwise
