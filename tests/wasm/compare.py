#!/usr/bin/env python3
"""Runs every page of the book that a browser can run, under node, and compares its numbers with those of the native program.

    PYTHONPATH=tools python3 tests/wasm/compare.py [--full] [PAGE...]
    PYTHONPATH=tools python3 tests/wasm/compare.py [--again|--sample] [--write] [--seconds N]

Natively it runs on one thread and the plain class of processor, which has vectors of 128 bits too. Both runs are quick, with --full
standard. All that a run leaves is compared: what it says, claims, tables and the data of its figures, but for TIMES and DRAWN. Numbers are
equal to the bit, unless bands.toml says how far they may lie apart and why. Pages that read Fashion-MNIST are compared with all of its images,
which node reads from Debian's package; then they run with those that the book carries, where no claim may be judged.

Quick runs that agree are kept and not made again until the page, a source that it links, a frozen study or web/ changes (recto/proofs.py);
--write puts them into tests/receipts/proofs/wasm.json. Exit 0 if all agree, 3, with a reason, where there is nothing to run or --seconds were over
before all had run.
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
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recto import proofs
from recto.build import web
from recto.includes import called_with, flags, linked
from recto.pages.pages import Page, all_pages
from recto.place import BOOK, ROOT, read_json
from recto.register import frozen

# How far the numbers of which page may lie apart, and why.
BANDS_FILE = ROOT / "tests" / "wasm" / "bands.toml"
BANDS: dict[str, dict[str, Any]] = tomllib.loads(BANDS_FILE.read_text(encoding="utf-8"))
TIMES = {"sequences": {"fig-passes.vl.json"}, "memory": {"fig-segments.vl.json"},    # figures of times, which are not compared
         "hardware": {"fig-products.vl.json", "fig-batching.vl.json"}, "multi_head": {"fig-attention-cost.vl.json"},
         "linear_attention": {"fig-linear-time.vl.json"}, "residual_blocks": {"fig-channel-cost.vl.json"},
         "scans": {"fig-serial.vl.json"}, "decoding": {"fig-decode-time.vl.json"}, "prompting": {"fig-context.vl.json"},
         "weight_files": {"fig-token-rate.vl.json"}, "shared_features": {"fig-shared-time.vl.json"}}
# What a threshold picks, or a draw from it: after a quick training many boxes are close to the threshold, and rounding moves them across it.
DRAWN = {"detector": {"fig-failures.vl.json", "fig-found.vl.json"}, "region_proposals": {"fig-proposals.vl.json"},
         "shared_features": {"fig-shared-map.vl.json"},
         "self_supervision": {"fig-neighbours.vl.json"}}       # the nearest of images that are almost equally near
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
    """What a run left, without its times and lines: records of the trace, and figures."""
    files = {name: text for name, text in files.items() if name not in TIMES.get(page, set()) | DRAWN.get(page, set())}
    records = [json.loads(line) for line in files["trace.jsonl"].splitlines()]
    # The line of a call that goes over several lines is another one with clang.
    kept = [{name: value for name, value in record.items() if name != "line"} for record in records
            if record["kind"] not in ("timing", "page") and not record.get("timing")]
    figures = {name: json.loads(text) if name.endswith(".json") else text for name, text in sorted(files.items()) if name != "trace.jsonl"}
    return {"trace": kept, **figures}


def distance(here: Any, there: Any) -> float:
    """How far two values lie apart: 0 if they are equal, infinity if they are not numbers."""
    if here == there or (isinstance(here, float) and isinstance(there, float) and math.isnan(here) and math.isnan(there)):
        return 0
    if isinstance(here, (str, bool, type(None))) or isinstance(there, (str, bool, type(None))):
        return math.inf
    far = abs(here - there) / max(abs(here), abs(there), 1)
    return far if far >= 0 else math.inf          # a NaN is far from everything


def compare(native: dict[str, Any], browser: dict[str, Any], within: float) -> tuple[float, str]:
    """(the largest distance, what is wrong with it or nothing)."""
    here, there = list(pieces(native)), list(pieces(browser))
    if [place for place, _ in here] != [place for place, _ in there]:
        place = next((a[0] for a, b in zip(here, there) if a[0] != b[0]), "the end")
        return math.inf, f"the runs differ in what they show, first at {place}"
    worst = max(((distance(a, b), place, a, b) for (place, a), (_, b) in zip(here, there)), key=lambda one: one[0],
                default=(0, "", 0, 0))
    far, place, a, b = worst
    return far, "" if far <= within else f"{place}: native {a!r}, in a browser {b!r}; apart by {far:.2g}, allowed {within:.2g}"


def run_native(program: Path, options: list[str]) -> dict[str, str]:
    """The files of a native run."""
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([program, "--out", out, *options], cwd=ROOT, env=os.environ | PLAIN, stdin=subprocess.DEVNULL,
                       capture_output=True, check=False, timeout=LONGEST)
        return {path.name: path.read_text(encoding="utf-8") for path in Path(out).iterdir()}


def run_browser(need: dict[str, Any], options: list[str], book: Path = BOOK) -> dict[str, Any]:
    """A run under node. With `"whole": True` the page reads the files of Fashion-MNIST that its native run read."""
    files = {path: path if need.get("whole") and web.CLOTHES in path else name for path, name in need["files"].items()}
    done = subprocess.run(["node", str(Path(__file__).with_name("run.cjs")), str(book), need["module"], json.dumps(files),
                           need["program"], *options], capture_output=True, text=True, check=True, timeout=LONGEST)
    return json.loads(done.stdout)


def written(answer: dict[str, Any]) -> dict[str, str]:
    """The files that a run under node wrote."""
    return {name.removeprefix("/out/"): text for name, text in answer["written"].items()}


def pretends(answer: dict[str, Any]) -> str:
    """What is wrong with a run on some of the images: it fails, or says that it is what the book shows."""
    if "/out/trace.jsonl" not in answer["written"]:
        return answer["error"].strip() or "it left nothing"
    records = [json.loads(line) for line in written(answer)["trace.jsonl"].splitlines()]
    if records[-1]["standard"] or any(record.get("judged") for record in records if record["kind"] == "claim"):
        return "claims are judged without all images"
    return ""


def inputs_of(page: Page) -> set[Path]:
    """What the two runs of a page may rest on: what it links, how that is compiled, its frozen studies, and how it becomes a program of
    the browser; the band of the page comes with them."""
    ours = [ROOT / "book" / "requirements-web.txt", ROOT / "book" / "_static" / "host.js", ROOT / "tools" / "recto" / "build" / "web.py"]
    return (linked([page.source]) | flags(ROOT / "chapters", page.source.parent) | frozen.files(page) | set(ours)
            | {path for folder in ("web", "tests/wasm") for path in (ROOT / folder).rglob("*")
               if path.is_file() and path.suffix != ".pyc" and path != BANDS_FILE})


def check(page: Page, need: dict[str, Any], options: list[str]) -> str:
    """What is wrong with a page, or nothing. Says how far its numbers are apart."""
    answer = run_browser(need | {"whole": "part" in need}, options)
    wrong, far = answer["error"].strip(), math.inf
    if "/out/trace.jsonl" in answer["written"]:
        native = run_native(page.program, options)
        far, apart = compare(results(page.name, native), results(page.name, written(answer)), BANDS.get(page.name, {}).get("within", 0))
        wrong = apart or wrong
    if "part" in need and not wrong:
        wrong = pretends(run_browser(need, options or [f"--{name}={value}" for name, value in need["start"].items()]))
    near = "equal to the bit" if far == 0 else f"apart by {far:.2g}"
    print(f"{page.name}: {answer['seconds']:.2f} s, {near}{': ' + wrong if wrong else ''}", flush=True)
    return wrong


def main() -> int:
    """The command."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("pages", nargs="*", metavar="PAGE", help="only these, receipt or not")
    words.add_argument("--full", action="store_true", help="at the standard settings; keeps nothing")
    words.add_argument("--again", action="store_true", help="also what a receipt says agrees")
    words.add_argument("--sample", action="store_true", help="also a tenth of it")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    words.add_argument("--seconds", type=float, default=math.inf, help="begin no further page after this time")
    asked = words.parse_args()
    listed = read_json(web.LISTED, {})
    if not shutil.which("node") or not listed:
        print("not run: " + ("this book has no programs for the browser (./recto book makes them)" if shutil.which("node")
                             else "node is not here (Debian's package nodejs)"))
        return 3
    pages = {page.name: page for page in all_pages() if "module" in listed.get(page.name, {})}
    kept, inputs = proofs.Kept("wasm"), {name: proofs.digest(ROOT, inputs_of(page), called_with(page.source), str(BANDS.get(name))) for name, page in pages.items()}
    if asked.pages or asked.full:
        plan = proofs.Plan([name for name in pages if name in asked.pages or not asked.pages], [])
    else:
        plan = proofs.plan(kept.known(inputs), inputs, asked.again, asked.sample)
    failed, left, end = [], [], time.monotonic() + asked.seconds
    for name in plan.now:
        if time.monotonic() > end:
            left.append(name)
            continue
        wrong = check(pages[name], listed[name], [] if asked.full else ["--quick"])
        failed += [name] * bool(wrong)
        if not asked.full:
            kept.keep({name: proofs.proof(inputs[name], wrong or proofs.PASSED, "ziglang, node")})
    if asked.write:
        kept.commit(inputs)
    now = len(plan.now) - len(left)
    print(f"{now + len(plan.by_receipt) - len(failed)} passed, {len(failed)} failed: {now} run now, "
          f"{len(plan.by_receipt)} by receipt; {sum('why' in need for need in listed.values())} not for a browser")
    if left:
        print(f"{len(left)} were not run, {asked.seconds:.0f} s were over: {', '.join(left)}")
    return 1 if failed else 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
