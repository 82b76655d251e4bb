#!/usr/bin/env python3
"""Does the frozen studies of each page again: what figures/ keeps must still come out, within the study's tolerance.

    PYTHONPATH=tools python3 tests/frozen.py [--again|--sample] [--write] [--seconds N]

Of each page every cell is done again, if all its studies together take one core less than ten minutes. Else two cells
are, drawn at random, long ones more rarely, and one of the longer half of every study that a part rests on. The receipt names them. All
compute what every x86 processor with AVX2 does (recto/machine.py).
Only built pages count. A result is kept until the page, a source of the library that it links, the flags or the kept study
change (recto/proofs.py); --write puts it into tests/receipts/proofs/frozen.json. Exit 0: all results came out. 1: one did not.
3: --seconds were over before all were done again; the last line says how many were not.
"""
import argparse
import os
import subprocess
import sys
import time

from recto import machine, proofs
from recto.pages.pages import Page
from recto.place import ROOT
from recto.register import frozen

LONG, FEW, ALL = 600, 2, 1000      # seconds, cells, cells


def again(page: Page) -> tuple[str, dict[str, float]]:
    """`passed`, or the last that the page said; and which cells came out."""
    cells = ALL if sum(map(frozen.seconds, frozen.studies(page))) < LONG else FEW
    done = subprocess.run([page.program, "--again", str(cells)], cwd=ROOT, env=os.environ | machine.COMMON,
                          capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    print(done.stdout, end="", flush=True)
    outcome = proofs.PASSED if done.returncode == 0 else done.stderr.strip() or f"exit {done.returncode}"
    return outcome, frozen.measured(done.stdout)


def main() -> int:
    """Repeats the studies that no fresh receipt covers and reports those with other results."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--again", action="store_true", help="also what a receipt says came out")
    words.add_argument("--sample", action="store_true", help="also a tenth of it")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    words.add_argument("--seconds", type=float, default=float("inf"), help="begin no further page after this time")
    asked = words.parse_args()
    pages = frozen.pages()
    absent = [name for name, page in pages.items() if not page.program.exists()]
    pages = {name: page for name, page in pages.items() if name not in absent}
    kept, digests = frozen.KEPT, {name: frozen.inputs(page) for name, page in pages.items()}
    plan = proofs.plan(kept.known(digests), digests, asked.again, asked.sample)
    failed, left, end = 0, [], time.monotonic() + asked.seconds
    for name in plan.now:
        if time.monotonic() > end:
            left.append(name)
            continue
        outcome, cells = again(pages[name])
        kept.keep({name: proofs.proof(digests[name], outcome, proofs.compiler(), cells)})
        if outcome != proofs.PASSED:
            failed += 1
            print(f"FAILED: {name}: {outcome}", flush=True)
    if asked.write:
        kept.commit(digests)
    if absent:
        print(f"left out, for they are not built: {', '.join(absent)}")
    print(f"{len(pages) - failed - len(left)} passed, {failed} failed: {len(plan.now) - len(left)} done again now, "
          f"{len(plan.by_receipt)} by receipt")
    if left:
        print(f"{len(left)} were not done again, {asked.seconds:.0f} s were over: {', '.join(left)}")
    return 1 if failed else 3 if left else 0


if __name__ == "__main__":
    sys.exit(main())
