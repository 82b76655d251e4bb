#!/usr/bin/env python3
"""Asks the book's search what readers look for:  PYTHONPATH=tools python3 tests/book/check_search.py [BOOK]

For each term of book/taught.toml the page that teaches it must be among the first three answers, with a piece of its text, in a
browser, from a file and without a network. Of these pieces 98 in 100 have a word of the term. Prints what came first in its place. Ends with
`N passed, N failed, N skipped`; exit status 1 if any failed.
"""
import json
import sys
import time
import tomllib
import urllib.parse
from pathlib import Path

from browser import Browser, Trouble, find

ROOT = Path(__file__).resolve().parents[2]
FIRST = 3
LEAST = 80                  # terms: a shorter list would prove little
ANSWERS = """(() => document.querySelector("#search-results .search-summary")?.textContent.trim()
    && [...document.querySelectorAll("#search-results li > a")].map(a => a.getAttribute("href")))()"""

PIECE = """(async page => {
  for (let n = 0; n < 200; ++n, await new Promise(r => setTimeout(r, 25))) {
    const link = document.querySelector(`#search-results li:not(.kind-object) > a[href^="${page}.html"]`);
    const piece = link?.parentElement.querySelector(".rx-snippet");
    if (piece?.textContent.trim()) return piece.querySelector("mark") ? "marked" : "shown";
  }
  return "";
})(%s)"""


def asked() -> list[tuple[str, str]]:
    """(term, page) of everything that the book says it teaches."""
    listed = tomllib.loads((ROOT / "book/taught.toml").read_text(encoding="utf-8"))
    return [(term, f"{chapter}/{page}") for chapter, pages in listed.items() if chapter not in ("needs", "pictures")
            for page, terms in pages.items() for term in terms]


def answers(browser: Browser, book: Path, term: str) -> list[str]:
    """The first pages that the search finds; the list is ready when it stops growing."""
    browser.open(f"file://{book}/search.html?q={urllib.parse.quote(term)}")
    end, seen = time.monotonic() + 20, None
    while time.monotonic() < end:
        found = browser.value(ANSWERS)
        if found and (found == seen or len(found) >= FIRST):
            return [address.partition("#")[0].removesuffix(".html") for address in found[:FIRST]]
        seen = found
        time.sleep(0.05)
    return []


def main(words: list[str]) -> int:
    book = Path(words[0] if words else ROOT / "build/book").resolve()
    if not find():
        print("no browser here\n0 passed, 0 failed, 1 skipped")
        return 0
    terms = asked()
    wrong = [f"book/taught.toml has {len(terms)} terms, wanted at least {LEAST}"] if len(terms) < LEAST else []
    browser, plain = Browser(find()), []
    try:
        browser.look(1280, False)
        for term, page in terms:
            first = answers(browser, book, term)
            if page not in first:
                wrong.append(f"{term}: wanted {page} among the first {FIRST}, got {', '.join(first) or 'nothing'}")
                continue
            piece = browser.value(PIECE % json.dumps(page))
            if piece == "shown":
                plain.append(term)
            if not piece:
                wrong.append(f"{term}: {page} is found, and no piece of its text is shown")
        if len(plain) > 0.02 * len(terms):
            wrong.append(f"of {len(terms)} pieces {len(plain)} have no word that was looked for: those for {', '.join(plain)}")
    except Trouble as trouble:
        wrong.append(f"the browser: {trouble}")
    finally:
        browser.close()
    print(*wrong, f"{len(terms) - len(wrong)} passed, {len(wrong)} failed, 0 skipped", sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
