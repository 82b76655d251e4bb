#!/usr/bin/env python3
"""Runs every page on the older class of processor, its BLAS kernel included: the same claims must hold.

    PYTHONPATH=tools python3 tests/avx2.py [--again|--sample] [--write]

The pages are those that are built. What held is kept and not run again until the page, a source of the library that it links
or a frozen study changes (recto/proofs.py); --write puts it into tests/receipts/proofs/avx2.json. Exit 0 if all of it holds.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from recto import machine, proofs
from recto.includes import called_with, flags, linked
from recto.pages.pages import Page, all_pages
from recto.place import ROOT
from recto.register import frozen

OLDER = machine.COMMON | {"RECTO_THREADS": "1"}


def inputs_of(page: Page) -> set[Path]:
    """What a page may rest on: what it links and how that is compiled, and its frozen studies."""
    return linked([page.source]) | flags(ROOT / "chapters", page.source.parent) | frozen.files(page)


def run(page: Page) -> str:
    """`passed`, or the last that the page said."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([page.program, "--out", out], cwd=ROOT, env=os.environ | OLDER, capture_output=True,
                              text=True, errors="replace", stdin=subprocess.DEVNULL)
    said = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return proofs.PASSED if done.returncode == 0 else f"exit {done.returncode}: {' '.join(said[-5:])}"


def main() -> int:
    """Runs the pages that no fresh receipt covers and reports the failures."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--again", action="store_true", help="also what a receipt says holds")
    words.add_argument("--sample", action="store_true", help="also a tenth of it")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    asked = words.parse_args()
    kept, pages = proofs.Kept("avx2"), {page.name: page for page in all_pages(ROOT)}
    inputs = {name: proofs.digest(ROOT, inputs_of(page), called_with(page.source)) for name, page in pages.items()}
    plan = proofs.plan(kept.known(inputs), inputs, asked.again, asked.sample)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:     # one page for each core
        outcomes = dict(zip(plan.now, pool.map(run, map(pages.get, plan.now))))
    kept.keep({name: proofs.proof(inputs[name], outcome, proofs.compiler()) for name, outcome in outcomes.items()})
    if asked.write:
        kept.commit(inputs)
    bad = {name: outcome for name, outcome in outcomes.items() if outcome != proofs.PASSED}
    for name, outcome in bad.items():
        print(f"FAILED: {name}: {outcome}")
    print(f"{len(pages) - len(bad)} passed, {len(bad)} failed: {len(plan.now)} run now, {len(plan.by_receipt)} by receipt")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
