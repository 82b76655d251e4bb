"""The register: what each row of the inventory asks, and what this build found.

Reads book/register/*.json, the traces in build/runs and the test results; writes build/book/register.json:

    {"rows": [{"id", "chapter", "kind", "verdict", "basis", "page", "program", "tests", "measured", "wanted",
               "devices": {"cpu": "held", "sim": "not run", "cuda": "not run"},
               "parts": [{"id", "what", "bound", "seeds", "type", "state", "devices", "measured", "tests", "tried", "frozen",
                          "proofs"}],
               ... and what the list says of the row: "says", "sources", "cost", "gpu", "trap"}],
     "problems": ["..."]}

`basis` is `build`, or empty without evidence for the row.

Verdicts: `reproduced`, `open (2 of 3)`, `erratum`, `not reproduced`, `not run`, `stale`. The states of a part:
`held`, `broken` (expected to hold, and did not), `missed` (a timing that did not hold on this machine),
`not reproduced` (published so), `not run` (its test or its GPU is not here), `stale` (it rests on a GPU's receipt, but
the kernels have changed since), `open` (nothing proves it yet).
"""
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from recto.gpu import ladder, receipts
from recto.gpu.receipts import NO_RECEIPT, Standing
from recto.includes import linked
from recto.pages import pages
from recto.pages.trace import read_trace
from recto.place import BOOK, ROOT, RUNS, Failure, shown, write_json
from recto.register import evidence, frozen
from recto.register.evidence import DEVICES, Proof

Row = dict[str, Any]
Speaks = Callable[[list[Proof]], Standing]     # what the receipts say of the CUDA path that these tests run
EMPIRICAL = ("measured", "target")          # only these may be published as not reproduced
# Bounds in words, which no claim is compared with: these, and those that compare with something that has a name, as `< bigram`.
IN_WORDS = set("""!= 0|-> -inf|0 exceptions|0 missing|0 shared|0 smaller|2-cycle|3 parts|5 of 5 methods|= 2^-11|= 2^-8|= 2^d|= 5/32|
= 4.5, 5.0, 5.5, 6.0, 8.5|<= 2 sqrt(D) + O(1)|>= 8 of 10|>= 95 of 100|bit-equal|converges|decreasing|deep|det != 0|diverges|drawn|exact|
finite|hash equal|inside|linear|non-decreasing|non-increasing|not equal|ordered|passes the check|proportional to N^2|proportional to t|
reported|same grid point|shallow|shown|throws|to rounding|trains|unknown or wrong""".replace("\n", "").split("|"))
NAMED = re.compile(r"(?:[<>]=?|=) [^\W\d].*|near .*")
WORST_FIRST = ("broken", "missed", "not reproduced", "stale", "not run", "held")


def load_rows(root: Path = ROOT) -> list[Row]:
    """The list of all rows, in the order of the files."""
    rows: list[Row] = []
    for path in sorted((root / "book" / "register").glob("*.json")):
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise Failure(f"{shown(path)}: {error}") from error
        rows += data["rows"] if isinstance(data, dict) else data
    return rows


def worst(states: list[str]) -> str:
    """The state of a part with several proofs: the worst."""
    return next((state for state in WORST_FIRST if state in states), "open")


def silent(_: list[Proof]) -> Standing:
    """Without receipts."""
    return NO_RECEIPT


def judge_part(part: Row, proofs: list[Proof], gpu: bool, speaks: Speaks) -> Row:
    """A part with its state, overall and per device. What `speaks` is evidence for its CUDA path, if it needs one."""
    devices: dict[str, str] = {}
    for device in DEVICES:
        states = [proof.state for proof in proofs if device in proof.devices]
        devices[device] = worst(states) if states else "not run"
    # Its tests run on every device that is here; what they compute was compared where the receipt was made.
    by_receipt = part["type"] == "gpu" and devices["cuda"] == "not run" and devices["sim"] == "held"
    parity = speaks(proofs) if by_receipt else NO_RECEIPT
    if by_receipt:
        devices["cuda"] = parity.state
    if part["type"] == "gpu" and proofs:    # a statement about a GPU: only a GPU can prove it
        kept = any(proof.where == ladder.KEPT for proof in proofs)          # what one has measured
        state = devices["cuda"] if gpu or by_receipt or kept else "not run"
    else:
        state = worst([proof.state for proof in proofs])
    numbers = [proof for proof in proofs if proof.measured is not None]
    asked = part["bound"].removesuffix("x")             # the measured number that the bound names
    measured = next((proof.measured for proof in numbers if proof.wanted == asked),
                    numbers[0].measured if numbers else None)
    return {**part, "state": state, "devices": devices, "measured": measured, "receipt": parity.why if by_receipt else "",
            "tests": sorted({proof.test for proof in proofs if proof.test}),
            "tried": next((proof.tried for proof in proofs if proof.tried), ""),
            "frozen": sorted({origin for proof in proofs for origin in proof.frozen}),
            "proofs": [proof.as_json() for proof in proofs]}


def verdict(row: Row, parts: list[Row]) -> str:
    """The one word for a row, from the states of its parts."""
    states = {part["state"] for part in parts}
    if "stale" in states and states <= {"held", "not reproduced", "stale"}:
        return "stale"
    # In a row that is not about GPUs, a part for the GPU asks that its CUDA path agrees: until it ran, the row is open.
    parity = row["gpu"] and any(part["type"] == "gpu" and part["state"] == "not run" for part in parts)
    if parity or states - {"held", "not reproduced", "not run"}:
        held = sum(part["state"] == "held" for part in parts)
        return f"open ({held} of {len(parts)})"
    if "not run" in states:
        return "not run"
    if "not reproduced" in states:
        return "not reproduced"
    return "erratum" if (row.get("trap") or {}).get("kind") == "erratum" else "reproduced"


def judge_row(row: Row, proofs: dict[str, list[Proof]], gpu: bool, speaks: Speaks = silent) -> Row:
    """A row with all evidence of this build and of the receipts."""
    if not row["gpu"]:          # its statements are about GPUs; a receipt speaks for a row with a CUDA path
        speaks = silent
    parts = [judge_part(part, proofs.get(f"{row['id']}/{part['id']}", []), gpu, speaks) for part in row["parts"]]
    mine = [proof for part in row["parts"] for proof in proofs.get(f"{row['id']}/{part['id']}", [])]
    claims = [proof for proof in mine if proof.program]
    shown_part = next((part for part in parts if part["measured"] is not None), parts[0])
    devices = {device: worst([s for part in parts if (s := part["devices"][device]) != "not run"] or ["not run"])
               for device in DEVICES}
    return {**row, "verdict": verdict(row, parts), "basis": "build" if mine else "",
            "page": claims[0].document if claims else "", "program": claims[0].program if claims else "",
            "tests": sorted({proof.test for proof in mine if proof.test}),
            "measured": shown_part["measured"], "wanted": shown_part["bound"],
            "devices": devices, "parts": parts}


def problems_of(rows: list[Row], proofs: list[Proof]) -> list[str]:
    """Problems of the register: proofs of parts that do not exist, claims that the rules forbid."""
    parts = {f"{row['id']}/{part['id']}": (row, part) for row in rows for part in row["parts"]}
    found = []
    for proof in proofs:
        if proof.part not in parts:
            found.append(f"{proof.where}: the register has no part {proof.part}")
            continue
        row, part = parts[proof.part]
        if proof.program and proof.seeds < part["seeds"] and part["type"] in EMPIRICAL:
            found.append(f"{proof.where}: {proof.part} wants {part['seeds']} seeds, the claim has {proof.seeds}")
        if proof.program and part["type"] in EMPIRICAL and part["seeds"] < 3 and not part.get("once"):
            found.append(f"{proof.where}: {proof.part} is {part['type']}: wanted at least 3 seeds in the register, or `once`, which says "
                         f"why one is enough; got {part['seeds']}")
        if looser(proof, part["bound"]):
            found.append(f"{proof.where}: {proof.part} wants {part['bound']}, the claim asks only {proof.wanted}")
        if proof.state == "not reproduced":
            found += [f"{proof.where}: {proof.part} cannot be `not reproduced`: {why}"
                      for why in not_publishable(part, proof)]
    for name, (_, part) in parts.items():
        found += [f"{name}: the bound {clause} is no number that a claim can be compared with, nor in words that IN_WORDS lists"
                  for clause in part["bound"].split("; ")
                  if clause not in IN_WORDS and not NAMED.fullmatch(clause) and not ends(clause, Proof(name, "held", ""))]
        mine = [proof for proof in proofs if proof.part == name]
        found += [f"{mine[0].where}: {name} wants {clause}: its claims leave an end of that open" for clause in unasked(mine, part["bound"])]
    return sorted(set(found + forgotten_on_cuda(rows, {proof.part for proof in proofs})))


def forgotten_on_cuda(rows: list[Row], named: set[str]) -> list[str]:
    """Rows of which all else is named by claims and tests, but what they ask of their CUDA path by none."""
    found = []
    for row in rows:
        missing = [part for part in row["parts"] if f"{row['id']}/{part['id']}" not in named]
        if row["gpu"] and missing and all(part["type"] == "gpu" for part in missing):
            found += [f"{row['id']}/{part['id']}: no test on every device names it, and the row lacks nothing else"
                      for part in missing]
    return found


def problems_of_studies(listed: list[pages.Page], rows: list[Row]) -> list[str]:
    """Frozen studies that did not come out when they were done again, and those that name a part that does not exist."""
    parts = {f"{row['id']}/{part['id']}" for row in rows for part in row["parts"]}
    found = []
    for page in filter(frozen.studies, listed):
        if why := frozen.failed(page):
            found.append(f"{shown(page.source)}: its frozen studies were {why}")
        found += [f"{shown(page.source)}: the register has no part {part}, which the study {record['study']} names"
                  for record in read_trace(RUNS / page.name) if record.get("kind") == "frozen"
                  for part in record["parts"] if part not in parts]
    return sorted(set(found))


def bounds(proof: Proof) -> list[float] | None:
    """The numbers that a claim compares with; None of a test, or of a claim about words."""
    given = proof.bound if isinstance(proof.bound, (list, tuple)) else [proof.bound]
    try:
        return [float(one) for one in given] if proof.relation else None        # a trace says "inf" and "nan"
    except (TypeError, ValueError):
        return None


def ends(wanted: str, proof: Proof) -> tuple[float, float] | None:
    """Between what a claim's numbers may lie that is about one clause of a bound, `< 1e-8`, `>= 2x`, `<= 15 %`, `in [0.8, 0.9]`,
    `within 5 %`, `90 +- 0.1`, `= 9972`, `6 of 6`; None of a bound in words. A claim about how far off something is has one end."""
    number = r"(-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)"
    low, high, given = -math.inf, math.inf, bounds(proof) or [math.nan]
    below = proof.relation[:1] == "<"
    if wanted == "= 0 to rounding":
        return (low, 1e-5) if below else (-1e-5, 1e-5)
    if limit := re.fullmatch(rf"(<=?|>=?|==?) {number}( %|x| s| min| ulp| s\.e\.)?", wanted):
        # Of a share in percent a claim speaks as of a share, unless it says percent, or its number can be no share.
        share = limit[3] == " %" and abs(given[0]) <= 1 and not re.search(r"\bper ?cent\b|%", proof.text)
        share = share and (abs(given[0]) < 1 or float(limit[2]) == 100)
        value = float(limit[2]) / (100 if share else 1)
        return {"<": (low, value), ">": (value, high), "=": (value, value)}[limit[1][0]]
    if inside := re.fullmatch(rf"in \[{number}, {number}\]", wanted):
        return float(inside[1]), float(inside[2])
    if within := re.fullmatch(rf"within {number} %", wanted):       # of what is meant: of it as a multiple of that, or off it by
        off = float(within[1]) / 100
        return (low, off) if below and not given[0] >= 1 else (1 - off, 1 + off)
    if around := re.fullmatch(rf"{number} \+- {number}", wanted):
        middle, off = float(around[1]), float(around[2])
        return (low, off) if below and given[0] < abs(middle - off) else (middle - off, middle + off)
    if count := re.fullmatch(rf"{number} of {number}", wanted):     # those for which it is not so may be counted: none
        return (0.0, 0.0) if count[1] == count[2] and given[0] == 0 else (float(count[1]), float(count[1]))
    return None


def ends_of(proof: Proof) -> tuple[float, float]:
    """The ends that a claim itself sets; NaN sets none."""
    given = bounds(proof) or [math.nan]
    low, high = {"<": (-math.inf, given[0]), ">": (given[0], math.inf), "=": (given[0], given[0]),
                 "i": (given[0], given[-1])}.get(proof.relation[:1], (-math.inf, math.inf))
    return -math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high


def short_of(proof: Proof, wanted: tuple[float, float]) -> tuple[bool, bool]:
    """Whether a claim falls short of the lower and of the upper end; 1.05 is 1 + 5 / 100, but for the rounding."""
    (low, high), (least, most) = wanted, ends_of(proof)
    return least < low - 1e-9 * abs(low), most > high + 1e-9 * abs(high)


def looser(proof: Proof, wanted: str) -> bool:
    """Whether a claim sets an end that the register sets too, and asks for less than that. Of a bound that is half in words, as
    `< bigram; in [2.34, 2.54]`, a claim may be about that half: `unasked` looks at all claims."""
    clauses = [ends(one, proof) for one in wanted.split("; ")]
    if bounds(proof) is None or None in clauses:
        return False
    sets = list(map(math.isfinite, ends_of(proof)))
    return not any(sets) or any(short and here for clause in clauses for short, here in zip(short_of(proof, clause), sets, strict=True))


def unasked(proofs: list[Proof], wanted: str) -> list[str]:
    """The clauses of a bound of which the claims of a part, all together, leave an end open; none where a test, or a claim
    about words, stands beside them."""
    claims = [proof for proof in proofs if proof.relation]
    if not claims or len(claims) < len(proofs) or any(bounds(proof) is None for proof in claims):
        return []

    def open_end(clause: str) -> bool:
        demanded = [(proof, both) for proof in claims if (both := ends(clause, proof))]
        if not demanded:
            return False
        short = [short_of(proof, both) for proof, both in demanded]
        return any(all(one[end] for one in short) for end in (0, 1))
    return [clause for clause in wanted.split("; ") if open_end(clause)]


def not_publishable(part: Row, proof: Proof) -> list[str]:
    """Why a claim may not be published as not reproduced."""
    why = []
    if part["type"] not in EMPIRICAL:     # what an equation or a system does to a number may differ; that it holds is exact
        why.append(f"the part is {part['type']}")
    if proof.seeds < 5:
        why.append(f"{proof.seeds} seeds, at least 5 are needed")
    if not proof.interval:
        why.append("it has no interval")
    if not proof.tried:
        why.append("it does not say what was tried")
    return why


def first_pages(listed: list[pages.Page]) -> dict[str, pages.Page]:
    """Of each row the first page that covers it, in the book's order: others come back to it."""
    return {row: page for page in reversed(listed) for row in page.rows}


def made_of(tests: list[Proof], root: Path) -> set[str]:
    """The files that these tests are made of, as paths from `root`."""
    sources = {root / proof.where.partition(":")[0] for proof in tests}
    return {path.relative_to(root).as_posix() for path in linked(path for path in sources if path.suffix == ".cpp")}


def compute(root: Path = ROOT, gpu: bool = False) -> Row:
    """Computes the whole register."""
    rows = load_rows(root)
    found = evidence.collect(root, gpu)
    proofs: dict[str, list[Proof]] = {}
    for proof in found:
        proofs.setdefault(proof.part, []).append(proof)
    known = {row["id"] for row in rows}
    stray = [f"{shown(page.source)}: the register has no row {row}"
             for page in pages.all_pages(root) for row in page.rows if row not in known]
    judged = [judge_row(row, proofs, gpu, lambda tests: receipts.standing(root, made_of(tests, root))) for row in rows]
    covering = first_pages(pages.all_pages(root))
    for row in judged:
        if row["id"] in covering:
            row["page"], row["program"] = covering[row["id"]].document, covering[row["id"]].name
    return {"rows": judged, "problems": stray + problems_of(rows, found) + problems_of_studies(pages.all_pages(root), rows)}


def update(gpu: bool) -> Row:
    """Computes the register and writes it where the book reads it."""
    register = compute(gpu=gpu)
    write_json(BOOK / "register.json", register)
    return register
