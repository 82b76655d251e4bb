#!/usr/bin/env python3
"""Proves exercises: PYTHONPATH=tools python3 tests/exercises/prove.py [EXERCISE|SET...] [--again|--sample] [--quick] [--write]

The stub fails and says that it is a stub. The reference passes in full. Every wrong answer in the bank fails as its header
says, each with a misconception of its own; a patch that does not apply to the reference is named. Every right answer passes.
Small changes of the reference, mutants, are wrong as well: the quick parts must catch nine in ten of those that change what
the program does. Answers that no function can give (fuzz.py) pass no part, and never make the judge fail.
What was proven is kept, for the register, and not done again until something it rests on changes (recto/proofs.py); --write
puts it into tests/receipts/proofs/exercises.json.
Exit 0 if all of it holds, 3 if --seconds were over before all was tried.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import math
import os
import random
import re
import sys
import time
from pathlib import Path

from fuzz import fuzz
from recto import proofs
from recto.judge import building, catalogue, grading, proven, sandbox
from recto.judge.bank import wrong_answers
from recto.judge.catalogue import Exercise
from recto.judge.complaints import CompileError
from recto.judge.reading import Source
from recto.judge.judging import CRASHED, PASSED, UNCOMPILED, WRONG
from recto.place import Failure

SEED = 20                   # of the cases, when an answer is proven
MUTANTS = 10                # of one reference
LIES = 10                   # spoilt answers in one part
CAUGHT = 0.9
SWAPS = [(r"(?<![+\-*/<>=!&|e\d(,\s])\s*\+\s(?!\+|=)", " - "), (r"(?<=[\w)\]]) - (?=[\w(])", " + "), (r"(?<=[\w)\]]) \* (?=[\w(])", " / "),
         (r"(?<=[\w)\]]) / (?=[\w(])", " * "), (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
         (r" == ", " != "), (r" != ", " == "), (r" \+= ", " -= "), (r" -= ", " += "), (r" && ", " || "), (r" \|\| ", " && "),
         (r"\bmax\b", "min"), (r"\bmin\b", "max"), (r"(?<![\w.])0(?![\w.])", "1"), (r"(?<![\w.])1(?![\w.])", "2"),
         (r" \*= ", " = "), (r" /= ", " *= "), (r"\brows\b", "cols"), (r"\bcols\b", "rows"), (r"\btrue\b", "false"),
         (r"\bexp\b", "log"), (r"\bcontinue;", ""), (r"\bbreak;", "")]


@dataclasses.dataclass(frozen=True)
class Trial:
    """One file and what must become of it."""
    exercise: Exercise
    kind: str               # stub, reference, wrong, right, mutant
    name: str
    text: bytes
    wanted: str = ""        # the misconception of a wrong answer
    outcome: str = WRONG


@dataclasses.dataclass(frozen=True)
class Verdict:
    """How a trial went; `complaint` is empty if it went as it must."""
    trial: Trial
    complaint: str
    seconds: float
    message: str = ""
    killed: bool = False
    measured: dict[str, float] = dataclasses.field(default_factory=dict)


def trials(exercise: Exercise) -> tuple[list[Trial], list[str]]:
    """The trials of everything that the bank holds for one exercise; and a complaint for each patch that does not apply."""
    found = [Trial(exercise, "stub", exercise.file, exercise.stub.read_bytes(), "unwritten"),
             Trial(exercise, "reference", exercise.file, exercise.reference.read_bytes())]
    stale = []
    for answer in wrong_answers(exercise):
        try:
            found.append(Trial(exercise, "wrong", answer.path.stem, answer.text().encode(), answer.misconception, answer.outcome))
        except Failure as why:
            stale.append(str(why))
    for path in sorted((exercise.solution / "right").glob(f"*{Path(exercise.file).suffix}")):
        found.append(Trial(exercise, "right", path.stem, path.read_bytes()))
    return found, stale


def shortfalls(exercise: Exercise, bank: list[Trial]) -> list[str]:
    """What the bank and the folder lack."""
    kinds = collections.Counter(trial.kind for trial in bank)
    wanted = 13 if exercise.central else 8
    said = []
    if kinds["wrong"] < wanted:
        said.append(f"{kinds['wrong']} wrong answers, {wanted} are due")
    if kinds["right"] < 8:
        said.append(f"{kinds['right']} unusual right answers, 8 are due")
    if not any(trial.outcome == UNCOMPILED for trial in bank):
        said.append("no wrong answer tries to take the library's own")
    if len(exercise.hints()) != 3:
        said.append(f"{len(exercise.hints())} hints, 3 are due")
    if not (exercise.folder / "statement.md").exists():
        said.append("no statement")
    names = collections.Counter(trial.wanted for trial in bank if trial.kind == "wrong")
    said += [f"{count} wrong answers are called {name or 'nothing'}" for name, count in names.items() if count > 1 or not name]
    return said


def try_out(trial: Trial) -> Verdict:
    """Grades one file."""
    started = time.monotonic()
    source = Source(trial.exercise.file, trial.text)
    mutant = trial.kind == "mutant"
    # What must fail mostly fails plain: half the time of compiling is saved where it does.
    careful = trial.kind in ("reference", "right") or trial.outcome == CRASHED
    report = grading.grade_source(trial.exercise, source, SEED, trial.kind == "reference", careful, lambda text: None)
    if not careful and report.quick_passed:
        report = grading.grade_source(trial.exercise, source, SEED + mutant, False, True, lambda text: None)
    failed = [result for result in report.results if result.outcome not in (PASSED, grading.NOT_RUN)]
    seconds = time.monotonic() - started
    first = failed[0] if failed else None
    said = f"{first.outcome} in {first.part.name}: {first.message.about} [{first.message.misconception}]" if first else "passes"
    message = re.sub(r"-?\d[\d.e+-]*|\{.*?\}", "#", f"{first.message.about} {first.message.says}") if first else ""
    if trial.kind == "reference":
        complaint = "" if report.solved else said
    elif trial.kind == "right":
        complaint = "" if report.quick_passed else said
    elif mutant:
        return Verdict(trial, "", seconds, said, bool(failed))
    elif not first:
        complaint = "passes"
    elif (first.outcome, first.message.misconception) != (trial.outcome, trial.wanted):
        complaint = f"{said}; it must be {trial.outcome} [{trial.wanted}]"
    else:
        complaint = "" if first.message.says else f"the misconception {trial.wanted} says nothing"
    measured = {result.part.name: result.measured for result in report.results if result.measured is not None}
    return Verdict(trial, complaint, seconds, message, measured=measured)


def spoil(exercise: Exercise) -> list[str]:
    """What is wrong with how the judge takes answers that no function can give."""
    with building.workshop() as home:
        source = Source(exercise.file, exercise.reference.read_bytes())
        try:
            return fuzz(exercise, building.build(exercise, source, "plain", home), LIES)
        except CompileError as error:
            return [f"the reference: {error}"]


def mutants(exercise: Exercise) -> list[Trial]:
    """Small changes of the reference, always the same ones. equivalent.txt lists those that change nothing."""
    text = exercise.reference.read_text()
    listed = exercise.solution / "equivalent.txt"
    equivalent = {line.split("  ")[0].strip() for line in listed.read_text().splitlines()} if listed.exists() else set()
    found = []
    for pattern, change in SWAPS:
        for at in re.finditer(pattern, text):
            line = text.count("\n", 0, at.start()) + 1
            whole = text.splitlines()[line - 1]
            if whole.lstrip().startswith(("#include", "//")):
                continue
            column = at.start() - (text.rfind("\n", 0, at.start()) + 1) + 1
            name = f"{line}:{column} {at[0].strip()} -> {change.strip() or 'nothing'}"
            if name not in equivalent:
                found.append(Trial(exercise, "mutant", name, (text[:at.start()] + change + text[at.end():]).encode()))
    random.Random(exercise.name).shuffle(found)
    return found[:MUTANTS]


def prove(exercise: Exercise, quick: bool, pool: concurrent.futures.Executor) -> list[str]:
    """All of it for one exercise: the complaints."""
    started = time.monotonic()
    rests_on = proven.inputs(exercise)
    bank, said = trials(exercise)
    for variant in ("plain", "sanitized"):      # once, not by every file that comes first
        building.objects(exercise, variant)
        building.precompiled(exercise, variant)
    lies = pool.submit(spoil, exercise)
    verdicts = list(pool.map(try_out, bank))
    said += shortfalls(exercise, bank) + lies.result()
    said += [f"{v.trial.kind} {v.trial.name}: {v.complaint}" for v in verdicts if v.complaint]
    messages = collections.defaultdict(list)
    for verdict in verdicts:
        if verdict.trial.kind == "wrong":
            messages[verdict.message].append(verdict.trial.name)
    said += [f"one message for {' and '.join(names)}" for names in messages.values() if len(names) > 1]
    slow = [f"{v.trial.name}: {v.seconds:.1f} s" for v in verdicts if v.seconds > 10 and v.trial.kind in ("wrong", "right")
            and v.trial.outcome == WRONG]
    words = f"{len(bank)} files"
    if not quick:
        changed = list(pool.map(try_out, mutants(exercise)))
        alive = [verdict for verdict in changed if not verdict.killed]
        words += f", {len(changed) - len(alive)} of {len(changed)} mutants caught"
        if len(changed) - len(alive) < CAUGHT * len(changed):
            said += [f"mutant {verdict.trial.name} passes" for verdict in alive]
        elif alive:
            words += f" (not {'; '.join(verdict.trial.name for verdict in alive)})"
        measured = next((verdict.measured for verdict in verdicts if verdict.trial.kind == "reference"), {})
        proven.keep(exercise, proofs.proof(rests_on, said[0] if said else proofs.PASSED, f"{proofs.compiler()}: {words}", measured))
    state = "FAILED" if said else "proven"
    print(f"{state}  {exercise.set}/{exercise.name}: {words}, {time.monotonic() - started:.0f} s", flush=True)
    for line in said + [f"slow: {line}" for line in slow]:
        print(f"    {line}", flush=True)
    return said


def main() -> int:
    """The command."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("names", nargs="*", metavar="EXERCISE|SET")
    words.add_argument("--again", action="store_true", help="also what a receipt says is proven")
    words.add_argument("--sample", action="store_true", help="also a tenth of what a receipt says is proven")
    words.add_argument("--quick", action="store_true", help="without mutants; keeps nothing")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    words.add_argument("--seconds", type=float, default=math.inf, help="no proof begins after this time; exit 3 if any is left")
    words.add_argument("--jobs", type=int, default=(os.cpu_count() or 1) + 1)      # one waits for its pipes
    asked = words.parse_args()
    exercises = {proven.subject(e): e for name in asked.names or [None] for e in catalogue.chosen(name)}
    inputs = {name: proven.inputs(exercise) for name, exercise in exercises.items()}
    plan = proofs.plan(proven.KEPT.known(inputs), inputs, asked.again or asked.quick, asked.sample)
    print(f"isolation: {sandbox.isolation()} {sandbox.why_not_full()}")
    sandbox.warden()
    end, left = time.monotonic() + asked.seconds, []

    def in_time(name: str) -> bool:
        """Whether a proof fails; one that would begin too late is left."""
        if time.monotonic() > end:
            left.append(name)
            return False
        return bool(prove(exercises[name], asked.quick, pool))

    # Two exercises at once: while the last file of one is judged, the other keeps all processors busy.
    with concurrent.futures.ThreadPoolExecutor(asked.jobs) as pool, concurrent.futures.ThreadPoolExecutor(2) as pair:
        bad = sum(pair.map(in_time, plan.now))
    if asked.write:
        every = {proven.subject(exercise): proven.inputs(exercise) for exercise in catalogue.exercises()}
        proven.KEPT.commit(every)
    tried = len(plan.now) - len(left)
    print(f"{len(exercises) - bad - len(left)} passed, {bad} failed: {tried} tried now, {len(plan.by_receipt)} by receipt")
    if left and not bad:
        print(f"{len(left)} were not proven again, {asked.seconds:.0f} s were over: {', '.join(map(str, left))}")
        return 3
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
