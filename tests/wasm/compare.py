#!/usr/bin/env python3
"""Runs every page of the book that a browser can run, under node, and compares its numbers with those of the native program.

    PYTHONPATH=tools python3 tests/wasm/compare.py [--full] [PAGE...]

Natively it runs on one thread and the plain class of processor, which has vectors of 128 bits too. Both runs are quick, with --full
standard. All that a run leaves is compared: what it says, claims, tables and the data of its figures, but for times. Numbers are
equal to the bit, unless BANDS says how far they may lie apart and why. Exit 3, with a reason, where there is nothing to run.
"""
import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recto.build import web
from recto.pages.pages import all_pages
from recto.place import BOOK, ROOT, read_json

# How far a number may lie from the native one, relative to the larger of the two, where numbers below the second count as that
# large; and why. All other pages must be equal to the bit.
LIBM = "exp and log of another C library round some numbers differently"
SOLVED = "OpenBLAS solves natively, and adds in another order"
BANDS: dict[str, tuple[float, float, str]] = {
    "density": (1e-12, 1.0, LIBM), "likelihood": (1e-12, 1.0, LIBM), "divergence": (1e-12, 1.0, LIBM),
    "sequences": (1e-12, 1.0, LIBM), "chain_rule": (1e-12, 1.0, LIBM), "micrograd": (1e-12, 1.0, LIBM),
    "tiny_network": (1e-12, 1.0, LIBM), "implicit": (1e-9, 1.0, LIBM),
    "overfitting": (1e-12, 1.0, SOLVED), "preferences": (1e-10, 1.0, SOLVED), "vocabulary": (1e-12, 1.0, SOLVED),
    "fit_curve": (0.02, 1.0, "conjugate gradients on a narrow valley magnify rounding: it shows in the steps on the way"),
    "penalties": (0.02, 1.0, "a ratio of two rounding errors is printed"),
}
TIMES = {"sequences": {"fig-passes.vl.json"}}          # figures of times, which are not compared
PLAIN = {"RECTO_CPU": "plain", "OPENBLAS_CORETYPE": "Prescott", "RECTO_THREADS": "1"}
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|\bnan\b|\binf\b")
LONGEST = 900         # seconds that one page may take


def pieces(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and text in a JSON value, with the way to it; numbers in texts come apart from the words around them."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from pieces(part, f"{place}.{key}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from pieces(part, f"{place}[{number}]")
    elif isinstance(value, str) and not value.startswith("data:image"):
        yield place, " ".join(NUMBER.sub("#", value).split())
        for number, part in enumerate(NUMBER.findall(value)):
            yield f"{place}({number})", float(part)
    elif not isinstance(value, str):
        yield place, value


def results(page: str, files: dict[str, str]) -> dict[str, Any]:
    """What a run left, without its times: records of the trace, and figures."""
    files = {name: text for name, text in files.items() if name not in TIMES.get(page, ())}
    records = [json.loads(line) for line in files["trace.jsonl"].splitlines()]
    kept = [record for record in records if record["kind"] not in ("timing", "page") and not record.get("timing")]
    figures = {name: json.loads(text) if name.endswith(".json") else text for name, text in sorted(files.items()) if name != "trace.jsonl"}
    return {"trace": kept, **figures}


def distance(here: Any, there: Any, least: float) -> float:
    """How far two values lie apart: 0 if they are equal, infinity if they are not numbers."""
    if here == there or (isinstance(here, float) and isinstance(there, float) and math.isnan(here) and math.isnan(there)):
        return 0
    if isinstance(here, (str, bool, type(None))) or isinstance(there, (str, bool, type(None))):
        return math.inf
    far = abs(here - there) / max(abs(here), abs(there), least)
    return far if far >= 0 else math.inf          # a NaN is far from everything


def compare(native: dict[str, Any], browser: dict[str, Any], band: tuple[float, float, str]) -> tuple[float, str]:
    """(the largest distance, what is wrong with it or nothing)."""
    here, there = list(pieces(native)), list(pieces(browser))
    if [place for place, _ in here] != [place for place, _ in there]:
        place = next((a[0] for a, b in zip(here, there) if a[0] != b[0]), "the end")
        return math.inf, f"the runs differ in what they show, first at {place}"
    worst = max(((distance(a, b, band[1]), place, a, b) for (place, a), (_, b) in zip(here, there)), key=lambda one: one[0],
                default=(0, "", 0, 0))
    far, place, a, b = worst
    return far, "" if far <= band[0] else f"{place}: native {a!r}, in a browser {b!r}; apart by {far:.2g}, allowed {band[0]:.2g}"


def run_native(program: Path, options: list[str]) -> dict[str, str]:
    """The files of a native run."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, "--out", out, *options], cwd=ROOT, env=os.environ | PLAIN, stdin=subprocess.DEVNULL,
                       capture_output=True, check=False, timeout=LONGEST)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(out).iterdir()}


def run_browser(need: dict[str, Any], options: list[str], book: Path = BOOK) -> dict[str, Any]:
    """A run under node."""
    done = subprocess.run(["node", str(Path(__file__).with_name("run.cjs")), str(book), need["module"], json.dumps(need["files"]),
                           need["program"], *options], capture_output=True, text=True, check=True, timeout=LONGEST)
    return json.loads(done.stdout)


def main() -> int:
    """The command."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("pages", nargs="*", metavar="PAGE", help="only these")
    words.add_argument("--full", action="store_true", help="at the standard settings")
    asked = words.parse_args()
    listed = read_json(web.LISTED, {})
    if not shutil.which("node") or not listed:
        print("not run: " + ("this book has no programs for the browser (./recto book --web)" if shutil.which("node")
                             else "node is not here (Debian's package nodejs)"))
        return 3
    options, failed, passed = [] if asked.full else ["--quick"], [], 0
    for page in all_pages():
        need = listed.get(page.name, {})
        if "module" not in need or asked.pages and page.name not in asked.pages:
            continue
        answer = run_browser(need, options)
        wrong, far = answer["error"].strip(), math.inf
        if "/out/trace.jsonl" in answer["written"]:
            written = {name.removeprefix("/out/"): text for name, text in answer["written"].items()}
            native = run_native(page.program, options)
            far, apart = compare(results(page.name, native), results(page.name, written), BANDS.get(page.name, (0, 1, "")))
            wrong = apart or wrong
        print(f"{page.name}: {answer['seconds']:.2f} s, {'equal to the bit' if far == 0 else f'apart by {far:.2g}'}{': ' + wrong if wrong else ''}",
              flush=True)
        passed, failed = passed + (not wrong), failed + [page.name] * bool(wrong)
    print(f"{passed} passed, {len(failed)} failed, {sum('why' in need for need in listed.values())} not for a browser")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
