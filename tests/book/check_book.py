#!/usr/bin/env python3
"""Looks at every page of the built book in a browser:  python3 tests/book/check_book.py [BOOK] [--only WORD]

In four settings (light and dark, 1280 and 380 pixels wide): no failed or outside request, no message on the
console, no sideways scroll, no violation of WCAG 2.1 A and AA (axe-core); and the Tab key reaches every
slider, fold, question and table. Writes build/checks.json, which the book's accessibility page shows.
Ends with `N passed, N failed, N skipped`, above it why; exit status 1 if anything failed.
"""
import argparse
import datetime
import json
import pathlib
import re
import sys
import time

from browser import Browser, Trouble, find

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTHS = {"wide": 1280, "380 px": 380}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
AXE = """(async () => {                 // long pages piece by piece: what axe needs grows faster than a page
  const size = e => e.querySelectorAll('*').length + 1;
  const rows = [...document.querySelectorAll('.rx-register tbody tr')];
  const units = rows.length ? rows : [...document.querySelectorAll('article section section')].filter(s => !s.querySelector('section'));
  const pieces = [[]];
  let room = 1500;
  for (const u of size(document) > 3000 ? units : []) {
    if ((room -= size(u)) < 0 && pieces.at(-1).length) { pieces.push([]); room = 1500 - size(u); }
    pieces.at(-1).push(u);
  }
  const found = new Set();
  for (const piece of pieces) {
    const away = units.filter(u => pieces.length > 1 && !piece.includes(u)).map(u => [u, document.createComment('')]);
    for (const [u, mark] of away) u.replaceWith(mark);
    const told = await axe.run(document, {preload: false, runOnly: {type: 'tag', values: %s}, resultTypes: ['violations']});
    for (const v of told.violations) found.add(`${v.id}: ${v.help}: ` + v.nodes.slice(0, 3).map(n => n.target.join(' ') + ' ' +
      n.html.slice(0, 90) + ' ' + (n.any[0]?.message ?? '')).join(' | '));
    for (const [u, mark] of away) mark.replaceWith(u);
  }
  return [...found];
})()"""
ALIVE = """(async () => {
  const plots = [...document.querySelectorAll('.rx-plot')].filter(p => p.querySelector(':scope > script'));
  for (const p of plots) {
    p.scrollIntoView({behavior: 'instant'});
    for (let i = 0; i < 100 && !p.classList.contains('is-live'); ++i) await new Promise(r => setTimeout(r, 50));
  }
  window.scrollTo({top: 0, behavior: 'instant'});
  return plots.filter(p => !p.classList.contains('is-live')).length;
})()"""
OPEN = "document.querySelectorAll('details').forEach(d => { d.removeAttribute('name'); d.open = true; })"
OVER = """(() => {
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide <= 0) return '';
  const worst = [...document.querySelectorAll('article *')].find(e => e.getBoundingClientRect().right > innerWidth + 1);
  return `${wide} pixels, first ${worst ? worst.tagName + '.' + worst.className : 'outside the article'}`;
})()"""
BEGIN = """(() => {
  const shown = e => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.getClientRects().length;
  const scrolls = e => e.scrollWidth > e.clientWidth + 1;
  const all = s => [...document.querySelectorAll(s)].filter(shown);
  const boxes = all('.rx-values, .rx-table, .rx-listing, .table-wrapper, .rx-options');
  window.wanted = {
    sliders: all('input[type=range]'), folds: all('summary'),
    questions: all('.rx-ask summary, .rx-ask input, .rx-ask button'),
    tables: boxes.filter(b => scrolls(b) || b.tabIndex === 0),
    controls: all('article a[href], article button, article input, article select, article [tabindex="0"]'),
  };
  window.reached = new Set();
  document.addEventListener('focusin', e => reached.add(e.target));
  document.activeElement?.blur();
  return document.querySelectorAll('a[href], button, input, select, summary, textarea, [tabindex]').length;
})()"""
END = """(() => {
  const out = {unreached: []};
  for (const [kind, list] of Object.entries(wanted)) {
    out[kind] = list.length;
    const lost = list.filter(e => !reached.has(e));
    if (lost.length) out.unreached.push(`${lost.length} ${kind}: ` + lost[0].outerHTML.slice(0, 90));
  }
  out.tables = document.querySelectorAll('table').length;
  return out;
})()"""


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


def visit(browser, address, axe, found):
    """One page in all settings; fills found with {setting: [what is wrong]} and returns what the Tab key met."""
    keys = {}
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
        if axe:
            browser.value(axe + ";0")
        for light in ("light", "dark"):
            browser.look(pixels, dark=light == "dark")
            wrong = found.setdefault(f"{light}, {width}", [])
            if axe:
                time.sleep(.25)                                         # colours may be on their way
                wrong += [f"axe {v}" for v in browser.value(AXE % json.dumps(TAGS))]
            wrong += loaded + complaints(browser.heard)
        browser.look(pixels, dark=False)
        count = browser.value(BEGIN)
        browser.press_tab(count + 5)
        met = browser.value(END)
        found.setdefault("keyboard", []).extend(f"Tab does not reach {u} ({width})" for u in met["unreached"])
        keys = keys or met
    return keys


def axe_script():
    """axe-core's text from the test-only wheel, and its version."""
    homes = sorted((ROOT / "build").glob("venv/lib/python3*/site-packages/axe_*/**/axe.min.js"))
    text = homes[0].read_text(encoding="utf-8") if homes else ""
    return text, (re.search(r"axe v([\d.]+)", text[:200]) or [None, "?"])[1]


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("book", nargs="?", type=pathlib.Path, default=ROOT / "build" / "book")
    words.add_argument("--only", default="", help="only pages with this in their name")
    asked = words.parse_args()
    book, program = asked.book.resolve(), find()
    pages = sorted(p for p in book.rglob("*.html") if asked.only in p.as_posix())
    if not program or not pages:
        print("skipped: " + ("no browser here (Debian's package chromium)" if pages else f"no book at {book}"))
        print("0 passed, 0 failed, 1 skipped")
        return 0 if pages else 1
    axe, version = axe_script()
    if not axe:
        print("skipped: no axe-core here (pip install --no-deps -r book/requirements-test.in, into build/venv)")
    passed = failed = 0
    skipped, told, browser = 0 if axe else len(pages), [], Browser(program)
    try:
        for page in pages:
            name, found, keys = page.relative_to(book).as_posix(), {}, {}
            try:
                keys = visit(browser, page.as_uri(), axe, found)
            except Trouble as trouble:
                found.setdefault("browser", []).append(str(trouble))
            for setting, wrong in found.items():
                passed, failed = passed + (not wrong), failed + bool(wrong)
                for line in dict.fromkeys(wrong):
                    print(f"{name}: {setting}: {line}", flush=True)
            told.append({"page": name, "violations": sum(w.startswith("axe") for ws in found.values() for w in ws),
                         **{k: keys.get(k, 0) for k in ("sliders", "folds", "questions", "tables", "controls")},
                         "unreached": [u.partition(":")[0] for u in keys.get("unreached", ["not checked"])]})
    finally:
        browser.close()
    summary = f"{passed} passed, {failed} failed, {skipped} skipped"
    if not asked.only:
        (book.parent / "checks.json").write_text(json.dumps({
            "summary": f"{len(pages)} pages in four settings and by keyboard: {summary}", "failed": failed, "axe": version,
            "browser": browser.version, "date": datetime.date.today().isoformat(), "pages": told}, indent=1) + "\n")
    print(summary)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
