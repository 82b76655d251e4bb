"""Can a proof fail? Makes each deliberate mistake of tests/mistakes and shows which parts of the register turn red.

    PYTHONPATH=tools python3 tests/mistakes.py [--again|--sample] [--write] [--seconds N] [ROW | ROW/PART ...]

Rests on what `./recto book` and `./recto test` built, and changes nothing there: a changed copy of one file is compiled with
all that includes it, and linked in front of the library. The mistakes stand in one file for each page:

    [[mistake]]
    part = "fig-1.1/a"
    words = "the residual adds the targets instead of subtracting them"
    file = "lib/recto/classic/least_squares.cpp"    # if it is not the page itself
    old = "add_scaled(r, -1, y);"                   # stands once in the file
    new = "add_scaled(r, 1, y);"
    proof = "test double"                           # or "test float": what must turn red, if it is not the page

A mistake that turned its part red is kept and not made again until
the file, the page or the tests that must fail, a header that these include, the page's frozen studies or how it is compiled
changes (recto/proofs.py). --write puts it into tests/receipts/proofs/mistakes.json; ROW... makes only these, receipt or not.

Exit 0: every requested mistake turns its part red. 1: a mistake leaves its part green. 2: wrong usage. 3: --seconds were over
before all mistakes were made; the last line says how many were not.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from recto import proofs
from recto.includes import called_with, closure
from recto.pages import runs
from recto.pages.pages import all_pages
from recto.pages.trace import read_trace
from recto.place import ROOT
from recto.register import frozen

BUILD = ROOT / "build/main"
DRAWING = ROOT / "lib/recto/figure"
CORES = os.cpu_count() or 1
LONGEST = 600                                    # seconds of a page
ALONE = os.environ | {"RECTO_THREADS": "1"}      # one program for each core


class Broken(Exception):
    """A mistake that could not be judged; the text says why."""


@dataclasses.dataclass(frozen=True)
class Mistake:
    """A change of one file that makes a part of a row false."""
    where: str          # the part of the register
    words: str          # what is wrong, for a reader
    file: str
    old: str
    new: str
    proof: str          # `page NAME`, `test float` or `test double`

    @property
    def subject(self) -> str:
        """Its name in a receipt."""
        return f"{self.where}: {self.words}"

    @property
    def target(self) -> str:
        """What the build calls the program that must turn red."""
        kind, name = self.proof.split()
        return f"page_{name}" if kind == "page" else {"float": "recto_tests", "double": "recto_tests64"}[name]


def run(command: list[str | Path], seconds: int = LONGEST) -> subprocess.CompletedProcess[str]:
    """Runs a command in the folder of the build and keeps what it printed."""
    try:
        return subprocess.run(command, cwd=BUILD, env=ALONE, text=True, errors="replace", capture_output=True,
                              timeout=seconds, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise Broken(f"it ran for more than {seconds} s") from None


def tests_of(part: str) -> list[Path]:
    """The files with the tests that prove a part."""
    return [path for path in (ROOT / "lib").rglob("*.test.cpp") if f"[row:{part}]" in path.read_text(encoding="utf-8")]


def proving(mistake: Mistake) -> list[Path]:
    """The sources of the proof that must fail."""
    kind, name = mistake.proof.split()
    if kind == "page":
        return [page.source for page in all_pages(ROOT) if page.name == name]
    return tests_of(mistake.where)


def inputs(mistake: Mistake) -> str:
    """The digest of what decides whether it turns its part red; of a page its frozen studies and how it is compiled are
    among it. Of the library that is the file with the mistake: that the rest is sound is what the other tests show. How
    a figure is drawn decides nothing."""
    files = {path for path in closure([ROOT / mistake.file, *proving(mistake)])
             if path == ROOT / mistake.file or not path.is_relative_to(DRAWING)}
    words = [json.dumps(dataclasses.asdict(mistake))]
    for page in all_pages(ROOT):
        if mistake.proof == f"page {page.name}":
            files |= frozen.files(page)
            files |= {page.source.parent / "CMakeLists.txt", *(ROOT / "cmake").glob("Recto*.cmake")}
            words.append(called_with(page.source))
    return proofs.digest(ROOT, files, *words)


class Program:
    """How the build makes a program: a command for each source, and one that links."""

    def __init__(self, target: str):
        made = run(["cmake", "--build", str(BUILD), "-t", target], 1800)
        if made.returncode:
            raise Broken(f"without the mistake {target} does not build: {made.stdout.strip()[-300:]}")
        *lines, link = run(["ninja", "-t", "commands", target]).stdout.splitlines()
        self.link = shlex.split(link)[2:-2]                     # : && COMMAND && :
        self.path = BUILD / self.link[self.link.index("-o") + 1]
        self.compiled: dict[Path, list[str]] = {}               # by the source as it stands in the tree
        for words in map(shlex.split, lines):
            if "-c" in words and words[-1].endswith(".cpp"):
                source = Path(words[-1])
                if source.is_relative_to(BUILD):                # a page is compiled from a copy of itself
                    source = ROOT / source.relative_to(BUILD)
                self.compiled[source] = words

    def with_mistake(self, mistake: Mistake, folder: Path) -> Path:
        """The program with the mistake, made in a folder of its own."""
        file = ROOT / mistake.file
        text = file.read_text(encoding="utf-8")
        if text.count(mistake.old) != 1:
            raise Broken(f"wanted the old text once in {mistake.file}, found it {text.count(mistake.old)} times")
        changed = folder / mistake.file
        changed.parent.mkdir(parents=True)
        changed.write_text(text.replace(mistake.old, mistake.new), encoding="utf-8")
        touched = [source for source in self.compiled if file in closure([source])]
        if not touched:
            raise Broken(f"{mistake.file} is no part of {self.path.name}")
        words, front = list(self.link), []
        for number, source in enumerate(touched):
            command = [word for word in self.compiled[source] if word != "-Werror"]
            at, made = command.index("-o") + 1, str(folder / f"{number}.o")
            if command[at] in words:
                words[words.index(command[at])] = made
            else:
                front.append(made)                              # a part of the library, which is searched after it
            command[at], command[command.index("-MF") + 1] = made, f"{made}.d"
            if source == file:
                command[-1] = str(changed)
            if "-include" in command:                           # a precompiled header would be the unchanged one
                place = command.index("-include")
                del command[place:place + 2]
            first = next(place for place, word in enumerate(command) if word.startswith("-"))
            done = run([*command[:first], f"-I{folder / 'lib'}", *command[first:]])
            if done.returncode:
                raise Broken("it does not compile: " + next(
                    (line for line in done.stderr.splitlines() if "error:" in line), done.stderr.strip()[-300:]))
        first = next(place for place, word in enumerate(words) if word.endswith(".a"))
        words[first:first] = front
        program = folder / "program"
        words[words.index("-o") + 1] = str(program)
        done = run(words)
        if done.returncode:
            raise Broken(f"it does not link: {done.stderr.strip()[-300:]}")
        return program


class Verdict(NamedTuple):
    """What a proof says: the parts that it is about, those that are broken, and the sentences that claim each part alone."""
    named: set[str]
    broken: set[str]
    sentences: dict[str, set[str]]


def red(mistake: Mistake, program: Path, sentences: Collection[str] = ()) -> Verdict:
    """Runs the proof. A page ends as soon as it prints that one of these sentences is broken. A timing never is."""
    if mistake.proof.startswith("page"):
        return page_says(mistake, program, sentences)
    done = run([program, f"[row:{mistake.where}]"])             # Catch2 fails when there is no such test
    if "No test" in done.stdout + done.stderr:
        raise Broken(f"there is no test with the tag [row:{mistake.where}]")
    if done.returncode < 0:
        raise Broken(f"the tests ended with a signal ({-done.returncode}), not with a failed assertion")
    failed = done.returncode and re.search(r"^assertions: .*\b[1-9]\d* failed", done.stdout, re.M)
    if done.returncode and not failed:
        raise Broken(f"the tests ended with exit {done.returncode} and no failed assertion: {(done.stderr or done.stdout).strip()[-300:]}")
    return Verdict({mistake.where}, {mistake.where} if failed else set(), {})


def page_says(mistake: Mistake, program: Path, sentences: Collection[str]) -> Verdict:
    """Runs a page, up to the first of these sentences that is broken."""
    with tempfile.TemporaryDirectory() as out, subprocess.Popen(
            [program, "--out", out], cwd=BUILD, env=ALONE, text=True, errors="replace", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as page:
        late = threading.Timer(LONGEST, page.kill)
        late.start()
        try:
            for line in page.stdout or ():
                if line.startswith("BROKEN: ") and any(line[8:].startswith(sentence) for sentence in sentences):
                    page.kill()
                    return Verdict({mistake.where}, {mistake.where}, {})
            complaint = page.communicate()[1].strip()
        finally:
            late.cancel()
        if page.returncode == -signal.SIGKILL:
            raise Broken(f"it ran for more than {LONGEST} s")
        trace = Path(out) / "trace.jsonl"
        if not trace.exists():
            raise Broken(f"the page ended early: {complaint[-300:]}")
        return judged(read_trace(Path(out)), page.returncode)


def judged(records: list[dict[str, Any]], code: int) -> Verdict:
    """What a page says that left this trace."""
    claims = [record for record in records if record["kind"] == "claim" and record["judged"] and not record["timing"]]
    broken = {claim["part"] for claim in claims if claim["holds"] != (claim["expect"] == "holds")} - {""}
    if broken and code != 1:
        raise Broken(f"a claim is broken, and the page exits with {code}")
    parts = collections.defaultdict(set)
    for claim in claims:
        parts[claim["text"]].add(claim["part"])
    alone: dict[str, set[str]] = collections.defaultdict(set)
    for text, (part, *others) in parts.items():
        if not others:
            alone[part].add(text)
    return Verdict(set().union(*parts.values()), broken, alone)


def without(mistake: Mistake, program: Path) -> Verdict:
    """What the proof says without the mistake: for a page its standard run, if that is of this program."""
    for page in all_pages(ROOT):
        if mistake.proof == f"page {page.name}" and (run := runs.kept(page)):
            return judged(read_trace(run.folder), run.code)
    return red(mistake, program)


class Sound:
    """The programs without a mistake, and what they say; each is built once, and run if `./recto book` has not run it."""

    def __init__(self, mistakes: list[Mistake]):
        self.programs: dict[str, Program | Broken] = {}
        for target in sorted({mistake.target for mistake in mistakes}):
            try:
                self.programs[target] = Program(target)
            except Broken as why:
                self.programs[target] = why
        self.said: dict[str, concurrent.futures.Future[Verdict]] = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(CORES)
        for mistake in mistakes:
            program = self.programs[mistake.target]
            if isinstance(program, Program) and self.key(mistake) not in self.said:
                self.said[self.key(mistake)] = self.pool.submit(without, mistake, program.path)

    @staticmethod
    def key(mistake: Mistake) -> str:
        """Mistakes with the same key are judged by the same run."""
        return mistake.proof if mistake.proof.startswith("page") else f"{mistake.proof} {mistake.where}"

    def turned(self, mistake: Mistake) -> set[str]:
        """The parts that the mistake was seen to turn red, its own among them."""
        program = self.programs[mistake.target]
        if isinstance(program, Broken):
            raise program
        try:
            named, already, sentences = self.said[self.key(mistake)].result()
        except Broken as why:
            raise Broken(f"without the mistake, {why}") from None
        if mistake.where not in named or mistake.where in already:
            raise Broken("without the mistake it is " + ("red too" if mistake.where in already else "not claimed"))
        folder = BUILD / "mistakes" / hashlib.sha256(mistake.subject.encode()).hexdigest()[:16]     # the same every time, for ccache
        shutil.rmtree(folder, ignore_errors=True)
        try:
            turned = red(mistake, program.with_mistake(mistake, folder), sentences.get(mistake.where, ())).broken - already
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if mistake.where not in turned:
            raise Broken("STILL GREEN" + (f", but red: {', '.join(sorted(turned))}" if turned else ""))
        return turned


def listed() -> list[Mistake]:
    """Every mistake, in the order of the pages."""
    found = []
    for page in all_pages(ROOT):
        path = ROOT / f"tests/mistakes/{page.name}.toml"
        for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mistake"] if path.exists() else ():
            entry = {"file": page.source.relative_to(ROOT).as_posix(), "proof": f"page {page.name}"} | entry
            found.append(Mistake(where=entry.pop("part"), **entry))
    return found


def claimed() -> set[str]:
    """The parts of the register that pages claim."""
    claim = re.compile(r'\bclaim\w*\(\s*"([^"/\s]+/[^"\s]+)"')
    return {part for page in all_pages(ROOT) for part in claim.findall(page.source.read_text(encoding="utf-8"))}


def main() -> int:
    """Makes the mistakes that no fresh receipt covers and reports those that stay green."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--again", action="store_true", help="also what a receipt says turned red")
    words.add_argument("--sample", action="store_true", help="also a tenth of it")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    words.add_argument("--seconds", type=float, default=float("inf"), help="begin no further mistake after this time")
    words.add_argument("rows", metavar="ROW", nargs="*", help="a row, or one part of it: ROW/PART")
    asked = words.parse_args()
    mistakes = {mistake.subject: mistake for mistake in listed()}
    parts = {mistake.where for mistake in mistakes.values()}
    rows = {part.partition("/")[0] for part in parts}
    if unknown := set(asked.rows) - rows - parts:
        words.error(f"no mistake is listed for {', '.join(sorted(unknown))}")
    kept, digests = proofs.Kept("mistakes"), {subject: inputs(mistake) for subject, mistake in mistakes.items()}
    plan = proofs.plan(kept.known(digests), digests, asked.again, asked.sample)
    now = [subject for subject in mistakes if {mistakes[subject].where, mistakes[subject].where.partition("/")[0]} & set(asked.rows)] or plan.now
    end = time.monotonic() + asked.seconds
    sound = Sound([mistakes[subject] for subject in now])
    compiler, counts, one_at_a_time = proofs.compiler(), {"red": 0, "not": 0, "late": 0}, threading.Lock()

    def attempt(subject: str) -> None:
        if time.monotonic() > end:
            counts["late"] += 1
            return
        try:
            others = sorted(sound.turned(mistakes[subject]) - {mistakes[subject].where})
            outcome, said = proofs.PASSED, "red" + (f", with {', '.join(others)}" if others else "")
        except Broken as why:
            outcome = said = str(why)
        except Exception as why:        # of one mistake: the others are made, and what they showed is kept
            outcome = said = f"it could not be made: {type(why).__name__}: {why}"
        with one_at_a_time:
            counts["red" if outcome == proofs.PASSED else "not"] += 1
            kept.keep({subject: proofs.proof(digests[subject], outcome, compiler)})
            print(f"{'' if outcome == proofs.PASSED else 'FAILED: '}{subject}: {said}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        list(pool.map(attempt, now))
    if asked.write:
        kept.commit(digests)
    print(f"{counts['red']} passed, {counts['not']} failed, {counts['late']} not made for want of time, "
          f"{0 if asked.rows else len(plan.by_receipt)} by receipt; {len(claimed() - parts)} of {len(claimed())} parts that pages claim have no mistake")
    return 1 if counts["not"] else 3 if counts["late"] else 0


if __name__ == "__main__":
    sys.exit(main())
