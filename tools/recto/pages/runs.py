"""Running page programs: the standard run is kept, and redone only when it could come out differently."""
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from recto import term
from recto.pages.pages import Page
from recto.pages.trace import finished, read_trace
from recto.place import RUNS, Failure, Mistake, read_json, replace_folder, sha256, write_json


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""
    folder: Path
    code: int
    error: str          # the program's last words on stderr, if it did not end well
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether the program finished, even with a broken claim."""
        return finished(read_trace(self.folder)) is not None


def key_of(page: Page, data: list[str]) -> dict[str, object]:
    """What a standard run depends on."""
    return {"program": sha256(page.program), "cpu": os.environ.get("RECTO_CPU", ""),
            "data": {path: sha256(Path(path)) for path in data}}


def kept(page: Page) -> Outcome | None:
    """The kept standard run, if it is up to date."""
    folder = RUNS / page.name
    noted = read_json(folder / "key.json", {})
    if not noted.get("complete") or key_of(page, list(noted["key"]["data"])) != noted["key"]:
        return None
    return Outcome(folder, noted["code"], noted["error"], noted["seconds"])


def execute(page: Page, folder: Path, options: list[str], show: bool = False) -> Outcome:
    """Runs a page program with --out; its output is shown or hidden, its errors are always kept."""
    folder.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    done = subprocess.run([str(page.program), "--out", str(folder), *options], stdin=subprocess.DEVNULL,
                          stdout=None if show else subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace")
    seconds = time.monotonic() - start
    words = done.stderr.strip().splitlines()
    error = words[-1] if words else f"ended with status {done.returncode}" if done.returncode else ""
    if done.returncode < 0:
        error = f"was stopped by signal {-done.returncode}" + (f": {error}" if words else "")
    return Outcome(folder, done.returncode, error if done.returncode else "", round(seconds, 2))


def standard(page: Page) -> tuple[Outcome, bool]:
    """The standard run of a built page, and whether it had to be run now."""
    here = kept(page)
    if here:
        return here, False
    fresh = RUNS / f".{page.name}.fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    term.progress(f"running {page.name} ...")
    outcome = execute(page, fresh, [])
    term.clear()
    if outcome.code == 2:
        raise Failure(f"{page.name} does not take --out: {outcome.error}")
    end = finished(read_trace(fresh)) or {}
    write_json(fresh / "key.json", {"key": key_of(page, end.get("data", [])), "complete": bool(end),
                                    "code": outcome.code, "error": outcome.error, "seconds": outcome.seconds})
    replace_folder(fresh, RUNS / page.name)
    return Outcome(RUNS / page.name, outcome.code, outcome.error, outcome.seconds), True


def changed(page: Page, folder: Path, options: list[str]) -> Outcome:
    """Runs a page with non-standard options."""
    fresh = folder.with_name(f".{folder.name}.fresh")
    shutil.rmtree(fresh, ignore_errors=True)
    term.progress(f"running {page.name} {' '.join(options)} ...")
    outcome = execute(page, fresh, options)
    term.clear()
    if outcome.code == 2:
        shutil.rmtree(fresh, ignore_errors=True)
        raise Mistake(outcome.error)
    if not outcome.complete:
        shutil.rmtree(fresh, ignore_errors=True)
        raise Failure(outcome.error or f"{page.name} left no results")
    replace_folder(fresh, folder)
    return Outcome(folder, outcome.code, outcome.error, outcome.seconds)


def forget_old(pages: list[Page]) -> None:
    """Removes the runs of pages that no longer exist."""
    names = {page.name for page in pages}
    for folder in RUNS.iterdir() if RUNS.is_dir() else ():
        if folder.name not in names:
            shutil.rmtree(folder, ignore_errors=True)
