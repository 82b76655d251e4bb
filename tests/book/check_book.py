#!/usr/bin/env python3
"""Looks at every page of the built book in a browser:  PYTHONPATH=tools python3 tests/book/check_book.py [BOOK]
    [--only WORD] [--sample] [--write] [--again] [--all] [--seconds N]

In four settings (light and dark, 1280 and 380 pixels wide): no failed or outside request, no message on the
console, no sideways scroll, no violation of WCAG 2.1 A and AA (axe-core); and the Tab key reaches every
slider, fold, question and table. Writes build/checks.json, which the book's accessibility page shows.
Ends with `N passed, N failed, N skipped`, above it why; exit status 1 if anything failed.

What is not run, for the time it takes (--all runs it):
  * axe sees the first few of what is there many times: rows of a table, words of a listing, marks of a drawing;
  * axe's rules other than contrast and scrollable regions run in one setting, light and wide: what they look at is
    the same in all;
  * contrast is measured on two elements of each look (colours, large or not) the first three times that it appears, not
    on every word;
  * generated pages are of four kinds: api/, tests/, tests/*/ and the mistakes of an exercise. Of each kind the first and
    the largest are read by axe and walked through by keyboard; the others, made by the same code, are loaded in both
    widths, for requests, console and sideways scroll;
  * on pages of more than 12,000 elements, such as the register, the keyboard walk is made once;
  * a page that passed is not looked at again until its HTML, what it loads or these checks change (recto/proofs.py), with
    --sample but for a tenth of them. --write puts what passed into tests/receipts/proofs/browser.json.
When --seconds are over no further page is begun; those left count as skipped.
"""
import argparse
import collections
import concurrent.futures
import datetime
import json
import pathlib
import re
import sys
import threading
import time

from browser import Browser, Trouble, find
from in_page import ALIVE, AXE, BEGIN, CLIPPED, END, LOOKS, OPEN, OVER, THIN
from recto import proofs
from recto.place import ROOT

CHECKS = ("browser.py", "check_book.py", "in_page.py")
MET = ("sliders", "folds", "questions", "tables", "controls")       # what the Tab key meets
WIDTHS = {"wide": 1280, "380 px": 380}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
LARGE = 12_000                # elements: beyond, the Tab key takes a minute


def complaints(heard):
    """What a page must not cause: requests that fail or leave the book, words on the console."""
    out = []
    for m in heard:
        p = m.get("params", {})
        if m["method"] == "Network.requestWillBeSent" and not re.match("file:|data:|blob:", p["request"]["url"]):
            out.append(f"outside request: {p['request']['url']}")
        elif m["method"] == "Network.loadingFailed" and not p.get("canceled"):
            out.append(f"failed request: {p.get('errorText')} ({p.get('type')})")
        elif m["method"] == "Runtime.exceptionThrown":
            told = p["exceptionDetails"]
            out.append(f"exception: {told.get('exception', {}).get('description', told['text']).splitlines()[0]}")
        elif m["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            out.append("console: " + " ".join(str(a.get("value", a.get("description", ""))) for a in p["args"])[:200])
        elif m["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            out.append(f"log: {p['entry']['text'][:200]} {p['entry'].get('url', '')}")
    return out


class Depth:
    """How closely a page is looked at."""

    def __init__(self, everything, read):
        self.everything, self.read = everything, read

    def rules(self, light, wide, looks):
        """[(where, which rules)] that axe runs in one setting; `looks`: whether some are to be measured."""
        every = ("document", {"runOnly": {"type": "tag", "values": TAGS}})
        if self.everything:
            return [every]
        first = light and wide
        contrast = ("{include: looks}", {"runOnly": ["color-contrast"]})
        return ([(every[0], {**every[1], "rules": {"color-contrast": {"enabled": False}}})] * first + [contrast] * looks +
                [("document", {"runOnly": ["scrollable-region-focusable"]})] * (light and not wide))


def depth(book, pages, everything):
    """How closely each page is looked at; see the top."""
    kinds = {}
    for page in pages:
        parts = page.relative_to(book).parts
        generated = len(parts) > 1 and parts[0] in ("tests", "api") or page.stem.endswith("-mistakes")
        kinds.setdefault((parts[0], len(parts)) if generated else page, []).append(page)
    read = {page for kin in kinds.values() for page in (min(kin), max(kin, key=lambda p: p.stat().st_size))}
    return {page: Depth(everything, everything or page in read) for page in pages}


def visit(browser, address, axe, found, depth, looks):
    """One page in all settings; fills found with {setting: [what is wrong]} and returns what the Tab key met. `looks` counts
    how often each was seen."""
    keys = {}

    def show(light):
        browser.look(pixels, dark=not light)
        if axe and depth.read:
            time.sleep(.25)                                             # colours may be on their way

    def choose():
        new = browser.value(LOOKS % json.dumps([look for look, count in list(looks.items()) if count >= 3]))
        looks.update(new)
        return bool(new)

    for width, pixels in WIDTHS.items():
        browser.look(pixels, dark=False)
        browser.open(address)
        loaded = []
        if still := browser.value(ALIVE):
            loaded.append(f"{still} figures did not come alive")
        if over := browser.value(OVER):
            loaded.append(f"scrolls sideways by {over}")
        browser.value(OPEN)
        browser.value(ALIVE)
        if over := browser.value(OVER):
            loaded.append(f"scrolls sideways with open folds by {over}")
        loaded += [f"a formula is clipped: {formula}" for formula in browser.value(CLIPPED)]
        large = browser.value("document.querySelectorAll('*').length") > LARGE
        if depth.read and (depth.everything or width == "wide" or not large):
            count = browser.value(BEGIN)
            browser.press_tab(count + 5)
            met = browser.value(END)
            found.setdefault("keyboard", []).extend(f"Tab does not reach {u} ({width})" for u in met["unreached"])
            keys = keys or met
        new = False
        if axe and depth.read:
            browser.value(axe + ";0")
            if not depth.everything:
                new = choose()
                show(light=False)
                new |= choose()
                browser.value(THIN)
        for light in (False, True):
            show(light)
            wrong = found.setdefault(f"{'light' if light else 'dark'}, {width}", [])
            for where, which in depth.rules(light, width == "wide", new) if axe and depth.read else []:
                wrong += [f"axe {v}" for v in browser.value(AXE % (where, json.dumps(which)))]
            wrong += loaded + complaints(browser.heard)
    return keys


def rests_on(book, page, words):
    """The digest of a page, of what it loads, of these checks, and of words that say how it is looked at."""
    shared = [ROOT / "tests" / "book" / name for name in CHECKS] + [ROOT / "book" / "requirements-test.txt"]
    asked = re.findall(r'(?:src|href)="([^"#?:]+)', page.read_text(encoding="utf-8"))
    loaded = {path for path in ((page.parent / name).resolve() for name in asked)
              if path.is_file() and path.suffix != ".html" and path.is_relative_to(book)}
    return proofs.digest(ROOT, shared, proofs.digest(book, [page, *loaded]), *words)


def started(program):
    """Starts a browser; tries three times, since it may fail to start on a busy machine."""
    for _ in range(3):
        try:
            return Browser(program)
        except (Trouble, OSError) as trouble:
            why = trouble
    raise Trouble(f"the browser does not start: {why}")


def before(name, proof, read):
    """What the book's own page is told of a page that passed before."""
    counts = {word: int(proof.measured.get(word, 0)) for word in ("passed", *MET)}
    return {"page": name, "failed": 0, "violations": 0, "unreached": [] if read else ["not checked"], "read": read,
            "seconds": proof.measured.get("seconds", 0), **counts}


def axe_script():
    """axe-core's text from the test-only wheel, and its version."""
    homes = sorted((ROOT / "build").glob("venv/lib/python3*/site-packages/axe_*/**/axe.min.js"))
    text = homes[0].read_text(encoding="utf-8") if homes else ""
    return text, (re.search(r"axe v([\d.]+)", text[:200]) or [None, "?"])[1]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("book", nargs="?", type=pathlib.Path, default=ROOT / "build" / "book")
    words.add_argument("--only", default="", help="only pages with this in their name")
    words.add_argument("--sample", action="store_true", help="also a tenth of the pages that a receipt says passed")
    words.add_argument("--again", action="store_true", help="also every page that a receipt says passed")
    words.add_argument("--all", action="store_true", help="leave nothing out; takes half an hour")
    words.add_argument("--write", action="store_true", help="writes the receipt that is committed")
    words.add_argument("--seconds", type=float, default=float("inf"), help="begin no page after that time")
    asked = words.parse_args()
    if asked.write and asked.only:
        words.error("a receipt is written of all pages: --write goes without --only")
    book, program = asked.book.resolve(), find()
    pages = sorted(p for p in book.rglob("*.html") if asked.only in p.as_posix())
    if not program or not pages:
        print("skipped: " + ("no browser here (Debian's package chromium)" if pages else f"no book at {book}"))
        print("0 passed, 0 failed, 1 skipped")
        return 0 if pages else 1
    axe, version = axe_script()
    if not axe:
        print("skipped: no axe-core here (pip install --no-deps -r book/requirements-test.txt, into build/venv)")
        if asked.write:
            print("0 passed, 1 failed: a receipt is written of whole checks")
            return 1
    start, close, looks = time.monotonic(), depth(book, pages, asked.all), collections.Counter()
    lock, kept, made = threading.Lock(), proofs.Kept("browser"), {}
    named = {page.relative_to(book).as_posix(): page for page in pages}
    inputs = {name: rests_on(book, page, ["read" if close[page].read else "loaded", f"axe {version if axe else 'none'}"])
              for name, page in named.items()}
    own = book == ROOT / "build" / "book"                                       # what is said of another book is not kept
    known = kept.known(inputs) if own else {}
    plan = proofs.plan(known, inputs, asked.again or asked.all, asked.sample)
    queue = collections.deque(sorted((named[name] for name in plan.now), key=lambda p: -p.stat().st_size))   # the largest first

    def take():
        with lock:
            return queue.popleft() if queue and time.monotonic() - start < asked.seconds else None

    def look(browser):
        """One browser's pages: what the book's own page is told of each, and the browser's version."""
        told = []
        try:
            while page := take():
                name, found, keys, begun = page.relative_to(book).as_posix(), {}, {}, time.monotonic()
                try:
                    keys = visit(browser, page.as_uri(), axe, found, close[page], looks)
                except Trouble as trouble:
                    found.setdefault("browser", []).append(str(trouble))
                with lock:
                    for setting, wrong in found.items():
                        for line in dict.fromkeys(wrong):
                            print(f"{name}: {setting}: {line}", flush=True)
                wrong = [line for lines in found.values() for line in lines]
                told.append({"page": name, "passed": sum(not w for w in found.values()),
                             "failed": sum(bool(w) for w in found.values()),
                             "violations": sum(line.startswith("axe") for line in wrong),
                             **{word: keys.get(word, 0) for word in MET},
                             "unreached": [u.partition(":")[0] for u in keys.get("unreached", ["not checked"])],
                             "read": close[page].read, "seconds": round(time.monotonic() - begun, 1)})
                with lock:
                    numbers = {word: told[-1][word] for word in ("passed", *MET, "seconds")}
                    made[name] = proofs.proof(inputs[name], wrong[0] if wrong else proofs.PASSED, browser.version, numbers)
        finally:
            browser.close()
        return told, browser.version

    browsers = [started(program) for _ in range(2)]                 # a browser renders on one core
    with concurrent.futures.ThreadPoolExecutor(len(browsers)) as pool:
        shares = list(pool.map(look, browsers))
    if own:
        kept.keep(made)
    if own and asked.write:
        kept.commit(inputs)
    told = sorted([entry for entries, _ in shares for entry in entries] +
                  [before(name, known[name], close[named[name]].read) for name in plan.by_receipt], key=lambda entry: entry["page"])
    passed, failed = (sum(entry.pop(word) for entry in told) for word in ("passed", "failed"))
    skipped = len(queue) if axe else len(plan.now)
    partly = sum(not d.read for d in close.values())
    if partly:
        print(f"{partly} generated pages were loaded, not read by axe nor walked through by keyboard (--all)")
    slow = sorted(told, key=lambda entry: -entry["seconds"])[:3]
    late = f", {len(queue)} left out: {asked.seconds:.0f} s were over" if queue else ""
    print(f"{len(plan.now) - len(queue)} pages looked at now, {len(plan.by_receipt)} by receipt{late}, in {time.monotonic() - start:.0f} s; longest: "
          + ", ".join(f'{entry["page"]} {entry["seconds"]:.0f} s' for entry in slow))
    summary = f"{passed} passed, {failed} failed, {skipped} skipped"
    if not asked.only:
        (book.parent / "checks.json").write_text(json.dumps({
            "summary": f"{len(pages)} pages in four settings and by keyboard: {summary}", "failed": failed, "axe": version,
            "browser": shares[0][1], "date": datetime.date.today().isoformat(), "pages": told}, indent=1) + "\n")
    print(summary)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
