"""`recto book`: builds and runs what changed, computes the register, renders the pages."""
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from recto import machine, term
from recto.build import cmake, environment, web
from recto.checks import catch
from recto.judge import mistakes
from recto.pages import pages, runs
from recto.place import BOOK, BUILD, ROOT, TOOLS, Failure, read_json, shown, write_json
from recto.register import evidence, register


@dataclass
class Watch:
    """Times the steps of a build."""
    steps: list[dict[str, Any]] = field(default_factory=list)

    def note(self, name: str, seconds: float) -> None:
        """Notes the time of a step."""
        if seconds > 0.05:
            self.steps.append({"name": name, "seconds": round(seconds, 1)})

    def save(self) -> None:
        """Leaves the steps for the book; a build that did nothing leaves those of the one before."""
        if self.steps:
            kept = {step["name"]: step for step in read_json(BUILD / "times.json", {}).get("steps", [])}
            kept.update({step["name"]: step for step in self.steps})
            write_json(BUILD / "times.json", {"machine": machine.describe(), "steps": list(kept.values())})


def compile_all(found: list[pages.Page], tests: bool, at_once: int | None, watch: Watch) -> None:
    """Builds the page programs, and the tests if Catch2 is installed."""
    start = time.monotonic()
    cmake.configure(tests)
    targets = [f"page_{page.name}" for page in found] + (list(catch.BINARIES) if tests else [])
    if cmake.compile(targets, at_once):
        watch.note("compiling", time.monotonic() - start)


def run_all(found: list[pages.Page], watch: Watch) -> list[str]:
    """Runs the pages whose run is stale; returns the errors, broken claims excepted."""
    wrong, seconds = [], 0.0
    runs.forget_old(found)
    for page in found:
        outcome, now = runs.standard(page)
        seconds += outcome.seconds if now else 0
        broken = any(proof.state == "broken" for proof in evidence.claims_of(page, outcome.folder))
        if not outcome.complete or (outcome.code and not broken):
            wrong.append(f"{shown(page.source)}: the program failed: {outcome.error}")
    watch.note("running the pages", seconds)
    return wrong


def broken_claims(found: list[pages.Page]) -> list[str]:
    """Returns every broken claim."""
    return [evidence.complaint(proof) for page in found for proof in evidence.claims_of(page, runs.RUNS / page.name)
            if proof.state == "broken"]


def prove_rows(watch: Watch) -> list[str]:
    """Runs the tests that prove rows, if these binaries have not run them yet; those that failed."""
    wrong = []
    for binary in catch.built():
        cases, seconds = catch.run_rows(binary)
        watch.note(f"tests that prove rows, {binary.name}", seconds)
        wrong += [f"{case.where.replace(f'{ROOT}/', '')}: the test “{case.name}” of {binary.name} failed"
                  for case in cases if case.state == "failed"]
    catch.forget_old(catch.built())
    return wrong


def standing(rows: list[register.Row]) -> str:
    """The totals of the register: `36 reproduced, 481 open`."""
    count = Counter(row["verdict"].partition(" (")[0] for row in rows)
    return ", ".join(f"{count[word]} {word}" for word in ("reproduced", "erratum", "not reproduced", "not run", "open")
                     if count[word])


def render(strict: bool) -> list[str]:
    """Runs Doxygen and Sphinx by book/build.py; returns the warnings."""
    term.progress("rendering ...")
    warned = BUILD / "book.warned"
    if warned.exists():                     # Sphinx says a warning once: begin again, so that it is said again
        shutil.rmtree(BUILD / "doctrees", ignore_errors=True)
    command = [str(environment.PYTHON), str(ROOT / "book" / "build.py"), "--quiet", *(["--strict"] if strict else [])]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(TOOLS)}, capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL)
    term.clear()
    said = [line for line in done.stderr.splitlines() if line.strip()]
    warned.touch() if done.returncode else warned.unlink(missing_ok=True)
    if done.returncode not in (0, 1) or not (BOOK / "index.html").exists():
        raise Failure("\n".join(said) or "the book could not be written")
    return [line for line in said if not line.startswith("book: ")] if done.returncode else []


def for_browsers(found: list[pages.Page], at_once: int | None, watch: Watch) -> None:
    """The programs that a reader's browser runs."""
    start = time.monotonic()
    if web.build(found, at_once):
        watch.note("compiling for browsers", time.monotonic() - start)


def book(strict: bool, at_once: int | None, with_web: bool) -> int:
    """Runs `recto book`. On a reader's machine the book is always written, and problems are listed after it."""
    start, watch = time.monotonic(), Watch()
    found = pages.all_pages()
    environment.ensure(whole=True)
    if with_web and not web.here():
        web.install()
    watch.note("Python packages", time.monotonic() - start)
    tests = machine.has_catch2()
    compile_all(found, tests, at_once, watch)
    wrong = run_all(found, watch) + broken_claims(found)
    wrong += prove_rows(watch) if tests else []
    state = register.update(bool(machine.cuda_built() and machine.gpu()))
    mistakes.update()
    if with_web:
        for_browsers(found, at_once, watch)
    else:
        web.forget()
    watch.save()
    wrong += state["problems"]
    warnings = render(strict)
    for line in dict.fromkeys(wrong):
        term.warn(f"{term.paint('wrong:', 'red', sys.stderr)} {line}")
    for line in dict.fromkeys(warnings):
        term.warn(f"{term.paint('warning:', 'yellow', sys.stderr)} {re.sub('^warning: ', '', line)}")
    if not tests:
        term.say("Catch2 3 is not here: what tests prove is shown as not run")
    term.say(f"the register: {standing(state['rows'])}")
    term.say(f"{BOOK / 'index.html'}  ({term.duration(time.monotonic() - start)})")
    return 1 if wrong or warnings else 0
