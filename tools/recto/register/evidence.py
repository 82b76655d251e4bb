"""Evidence for the parts of the register: claims in the traces of pages, tests in the results."""
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from recto.checks import catch, results
from recto.gpu import ladder
from recto.judge import catalogue, proven
from recto.lexer import without_comments
from recto.pages.pages import Page, all_pages
from recto.pages.trace import finished, page_lines, read_trace
from recto.place import ROOT, RUNS, Failure, shown
from recto.proofs import PASSED
from recto.register import frozen

ENOUGH = 10**9                       # for what is not a matter of seeds
DEVICES = ("cpu", "sim", "cuda")
TAG = re.compile(r"\[row:([^\]/]+/[^\]]+)\]")
DOCSTRING = re.compile(r'"""\[row:([^\]/]+/[^\]]+)\]')
CLAIM = re.compile(r'\b(?:claim\w*|timing_claim|not_reproduced|shows|report)\(\s*"([^"/\s]+/[^"\s]+)"')


@dataclass(frozen=True)
class Proof:
    """A claim or test that names a part, and its result in this build."""
    part: str                        # fig-1.1/a
    state: str                       # held, broken, missed, not reproduced, not run
    where: str                       # chapters/1-foundations/fit_curve.cpp:73
    devices: tuple[str, ...] = ()
    text: str = ""
    measured: Any = None
    wanted: str = ""
    relation: str = ""
    bound: Any = None
    program: str = ""
    document: str = ""
    test: str = ""
    seeds: int = 1
    interval: tuple[Any, Any] | None = None
    tried: str = ""
    frozen: tuple[str, ...] = ()     # where the studies are from that it rests on

    def as_json(self) -> dict[str, Any]:
        """A proof as the register's JSON."""
        kept = {"state": self.state, "where": self.where, "devices": list(self.devices), "text": self.text,
                "measured": self.measured, "wanted": self.wanted, "program": self.program, "test": self.test,
                "seeds": self.seeds if self.seeds < ENOUGH else None, "interval": self.interval, "tried": self.tried}
        return {key: value for key, value in kept.items() if value not in (None, "", [])}


def claim_state(claim: dict[str, Any]) -> str:
    """The state of a claim."""
    if claim.get("expect") == "fails":
        return "broken" if claim["holds"] else "not reproduced"
    return "held" if claim["holds"] else "missed" if claim.get("timing") else "broken"


def asked(claim: dict[str, Any]) -> str:
    """What a claim asked for: `< 1e-08`, `in [0.8, 0.9]`."""
    bound = claim["bound"]
    if isinstance(bound, list):
        return f"in [{bound[0]:g}, {bound[1]:g}]" if all(isinstance(b, (int, float)) for b in bound) else f"in {bound}"
    relation = "=" if claim["relation"] == "==" else claim["relation"]
    return f"{relation} {bound:g}" if isinstance(bound, (int, float)) else f"{relation} {bound}"


def complaint(proof: Proof) -> str:
    """The message for a broken claim: place, sentence, bound, measured value."""
    part = f" ({proof.part})" if proof.part else ""
    over = f" over {proof.seeds} seeds" if proof.interval else ""
    but = ", published as not reproduced, and it holds" if proof.tried else ""
    return f"{proof.where}: broken claim{part}: “{proof.text}”: wanted {proof.wanted}{over}, got {proof.measured}{but}"


def spoken(page: Page, record: dict[str, Any], where: str, device: str) -> Proof | None:
    """What one record of a trace proves: a claim, a figure shown, or a number reported."""
    about = {"where": where, "devices": (device,), "program": page.name, "document": page.document}
    if record.get("kind") == "claim" and record.get("judged", True):
        interval = (record["low"], record["high"]) if record.get("seeds", 1) > 1 and "low" in record else None
        return Proof(record.get("part", ""), claim_state(record), text=record["text"], measured=record["measured"],
                     wanted=asked(record), relation=record["relation"], bound=record["bound"],
                     seeds=record.get("seeds", 1), interval=interval, tried=record.get("tried", ""), **about)
    if record.get("kind") == "shows":
        return Proof(record["part"], "held", text=f"shown in {record['name']}", seeds=ENOUGH, **about)
    if record.get("kind") == "say" and record.get("part"):
        state = "broken" if isinstance(record["measured"], str) else "held"        # "nan", "inf"
        return Proof(record["part"], state, text=record["text"], measured=record["measured"], wanted="a number",
                     seeds=record.get("seeds", 1), **about)
    return None


def rested(proof: Proof, page: Page, records: list[dict[str, Any]]) -> Proof:
    """The proof with the frozen studies that its part rests on; broken if they were done again and did not come out."""
    origins = tuple(frozen.origin(page, record["study"]) for record in records
                    if record.get("kind") == "frozen" and proof.part in record["parts"])
    return replace(proof, frozen=origins, state="broken" if origins and frozen.failed(page) else proof.state)


def claims_of(page: Page, folder: Path) -> list[Proof]:
    """What a page's standard run proves, part named or not, and the parts it never came to."""
    records = read_trace(folder)
    device = (finished(records) or {}).get("device", "cpu")
    lines = page_lines(page)
    source = shown(page.source)
    found = [spoken(page, record, f"{source}:{lines[min(record.get('line', 0), len(lines) - 1)]}", device)
             for record in records]
    proofs = [rested(proof, page, records) for proof in found if proof]
    heard = {proof.part for proof in proofs}
    text = without_comments(page.source.read_text(encoding="utf-8"))
    for match in CLAIM.finditer(text):
        if match[1] not in heard:
            line = text.count("\n", 0, match.start()) + 1
            proofs.append(Proof(match[1], "not run", f"{source}:{line}", program=page.name, document=page.document,
                                seeds=ENOUGH))
    return proofs


def tests_declared(root: Path) -> list[Proof]:
    """Every [row:...] tag in the sources, as a test that has not run."""
    found = []
    for top in ("lib", "chapters", "tests"):
        for path in sorted([*(root / top).rglob("*.cpp"), *(root / top).rglob("test_*.py")]):
            text = path.read_text(encoding="utf-8", errors="replace")
            python = path.suffix == ".py"
            for match in DOCSTRING.finditer(text) if python else TAG.finditer(without_comments(text)):
                line = text.count("\n", 0, match.start()) + 1
                found.append(Proof(match[1], "not run", f"{path.relative_to(root)}:{line}", test=path.name))
    return found


def tests_run(gpu: bool) -> list[Proof]:
    """Every test with a [row:...] tag that the test binaries of this build have run."""
    found = []
    every = DEVICES if gpu else ("cpu", "sim")
    for binary in catch.built():
        kept = [catch.results_of(binary, kind) for kind in ("all", "rows")]
        for case in next((catch.parse(path) for path in kept if path.exists()), []):
            state = {"passed": "held", "failed": "broken", "skipped": "not run"}[case.state]
            devices = every if "devices" in case.tags else ("cuda",) if "cuda" in case.tags else ("cpu",)
            found += [Proof(tag.removeprefix("row:"), state, case.where.replace(f"{ROOT}/", ""), devices,
                            test=case.name) for tag in case.tags if tag.startswith("row:")]
    return found


def python_run() -> list[Proof]:
    """Every test in Python that names a part, as it ended, if nothing has changed since."""
    states = {"passed": "held", "failed": "broken", "skipped": "not run"}
    return [Proof(tag.removeprefix("row:"), states[state], f"tests/judge/{name.split('.')[0]}.py:1", ("cpu",),
                  test=f"{name.split('.')[0]}: {name.rpartition('.')[2].removeprefix('test_').replace('_', ' ')}")
            for name, tags, state in results.kept() for tag in tags]


def ladder_measured(root: Path) -> list[Proof]:
    """The parts of the register about the kernel ladders: measured on a GPU, or not run."""
    try:
        found = {one.part: one for one in ladder.found(root)}
    except ValueError as error:
        raise Failure(f"bench/{error}") from error
    about = {"where": ladder.KEPT, "devices": ("cuda",), "program": "recto_ladder"}
    return ([Proof(part, "not run", **about) for part in ladder.PARTS if part not in found] +
            [Proof(part, "held" if one.holds else "broken", text=one.text, measured=one.measured, wanted=one.wanted, **about)
             for part, one in found.items()])


def exercises_proven() -> list[Proof]:
    """What the judge of each exercise shows of the register's parts, as far as tests/exercises/prove.py has run."""
    found = []
    for exercise in catalogue.exercises():
        outcome = proven.kept(exercise)
        state = "not run" if outcome is None else "held" if outcome.outcome == PASSED else "broken"
        found += [Proof(part_, state, f"{shown(exercise.solution / 'judge.py')}:1", ("cpu",), part.what,
                        outcome.measured.get(part.name) if outcome else None, document=f"exercises/{exercise.set}/{exercise.name}",
                        test=f"exercise {exercise.set}/{exercise.name}: {part.name}")
                  for part in exercise.parts for part_ in part.proves]
    return found


def collect(root: Path = ROOT, gpu: bool = False) -> list[Proof]:
    """Collects all proofs that name a part."""
    proofs = [proof for page in all_pages(root) for proof in claims_of(page, RUNS / page.name) if proof.part]
    run = tests_run(gpu) + python_run()
    heard = {proof.part for proof in run}
    return proofs + run + ladder_measured(root) + exercises_proven() + [proof for proof in tests_declared(root) if proof.part not in heard]
