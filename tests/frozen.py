#!/usr/bin/env python3
"""Does two cells of each page's frozen studies again: what figures/ keeps must still come out, within the study's tolerance.

    PYTHONPATH=tools python3 tests/frozen.py [--again|--sample] [--write]

The pages are those that are built. What came out is kept and not done again until the page, a source of the library that it
links, or the kept study changes (recto/proofs.py); --write puts it into tests/receipts/proofs/frozen.json. Which cells, the page
draws anew each time, the long ones more rarely. Exit 0 if all of it came out.
"""
import argparse
import re
import subprocess
import sys

from recto import proofs
from recto.includes import linked
from recto.pages.pages import Page, all_pages
from recto.place import ROOT

CELLS = 2


def studied() -> dict[str, Page]:
    """The pages with a study that takes long, by name."""
    study = re.compile(r"^const (?:book::)?Study \w+\(", re.M)
    return {page.name: page for page in all_pages(ROOT) if study.search(page.source.read_text(encoding="utf-8"))}


def inputs(page: Page) -> str:
    """The digest of what the outcome depends on."""
    kept = {path for path in (ROOT / "figures").iterdir() if path.is_file()}
    return proofs.digest(ROOT, kept | set((ROOT / "cmake").iterdir()) | linked([page.source]))


def again(page: Page) -> str:
    """`passed`, or the last that the page said."""
    done = subprocess.run([page.program, "--again", str(CELLS)], cwd=ROOT, capture_output=True, text=True, errors="replace",
                          stdin=subprocess.DEVNULL)
    print(done.stdout, end="", flush=True)
    return proofs.PASSED if done.returncode == 0 else done.stderr.strip() or f"exit {done.returncode}"


def main() -> int:
    """The command."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--again", action="store_true", help="also what a receipt says came out")
    words.add_argument("--sample", action="store_true", help="also a tenth of it")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    asked = words.parse_args()
    pages = studied()
    kept, digests = proofs.Kept("frozen"), {name: inputs(page) for name, page in pages.items()}
    plan = proofs.plan(kept.known(digests), digests, asked.again, asked.sample)
    failed = 0
    for name in plan.now:
        outcome = again(pages[name])
        kept.keep({name: proofs.proof(digests[name], outcome, proofs.compiler())})
        if outcome != proofs.PASSED:
            failed += 1
            print(f"{name}: {outcome}", flush=True)
    if asked.write:
        kept.commit(digests)
    print(f"{len(pages) - failed} passed, {failed} failed: {len(plan.now)} done again now, {len(plan.by_receipt)} by receipt")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
