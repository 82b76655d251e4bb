#!/usr/bin/env python3
"""Touches figures of the built book in a browser:  PYTHONPATH=tools python3 tests/book/check_live.py [BOOK]

In both widths: a step moves the slider, a press in the panel of a mark moves it there and a drag further, the address keeps the
setting, and a page opened at this address shows it; a row of a matrix that is pointed at becomes the setting; the player runs to
the end. Ends with `N passed, N failed, N skipped`; exit
status 1 if any failed.
"""
import sys
import time
from pathlib import Path

from browser import Browser, Trouble, find
from recto.place import ROOT

# Figures with a mark that stands at the slider's setting, a rule or a dot, and the panel that it stands in. Some sliders have
# stops at even distances, some a list.
DRAGGED = {"fig-temperature": 1, "fig-kl": 1, "fig-udl-5-12": 2, "fig-capacity": 1, "fig-price": 1, "fig-likelihood": 2}
PLAYED = "fig-price"
POINTED = ("fig-masked", 2, "7")             # a figure, its panel with a matrix, and the row in the middle
WIDTHS = (1280, 380)


class Figure:
    """A figure of a page that is open."""

    def __init__(self, browser: Browser, name: str):
        self.browser, self.name = browser, name
        self.ask("scrollIntoView({behavior: 'instant'})")
        self.until("classList.contains('has-live')", True)

    def ask(self, words: str):
        """What an expression on the figure gives."""
        return self.browser.value(f"document.getElementById('{self.name}').{words}")

    def until(self, words: str, wanted, seconds: float = 15) -> bool:
        """Whether an expression comes to this value."""
        end = time.monotonic() + seconds
        while (got := self.ask(words)) != wanted and time.monotonic() < end:
            time.sleep(.05)
        return got == wanted

    def stop(self) -> float:
        """Where the slider stands, from 0 to 1."""
        value, low, high = (float(self.ask(f"querySelector('input[type=range]').{word}")) for word in ("value", "min", "max"))
        return (value - low) / (high - low)

    def setting(self) -> str:
        """What the slider says."""
        return self.ask("querySelector('input[type=range]').value")

    def mouse(self, kind: str, panel: int, part: float) -> None:
        """The mouse at a part of a panel's width."""
        place = f"querySelector('.rx-live .concat_{panel}_group .background')"
        self.ask(f"{place}.scrollIntoView({{behavior: 'instant', block: 'center'}})")
        left, top, wide, high = (self.ask(f"{place}.getBoundingClientRect().{word}") for word in ("left", "top", "width", "height"))
        self.browser("Input.dispatchMouseEvent", type=kind, x=left + part * wide, y=top + high / 2, button="left", clickCount=1)


def touched(browser: Browser, address: str, name: str, panel: int) -> list[str]:
    """What is wrong with a figure in one width."""
    wrong = []
    browser.open(address)
    figure = Figure(browser, name)
    before = figure.setting()
    figure.ask("querySelector('.rx-player button:last-child').click()")
    if figure.setting() == before and figure.stop() < 1:
        wrong.append("a step on leaves the slider where it was")
    found = []
    figure.mouse("mousePressed", panel, .25)
    found.append(figure.stop())
    figure.mouse("mouseMoved", panel, .75)
    found.append(figure.stop())
    figure.mouse("mouseReleased", panel, .75)
    figure.mouse("mouseMoved", panel, .1)
    found.append(figure.stop())
    if not (found[0] < .5 < found[1] == found[2]):
        wrong.append(f"pressed at a quarter, dragged to three quarters and let go, the slider stands at {found}")
    setting = figure.setting()
    if not figure.until(f"ownerDocument.location.hash === '#{name}={setting}'", True, 3):
        wrong.append("the address does not keep the setting")
    browser.open(f"about:blank#{name}")
    browser.open(f"{address}#{name}={setting}")
    if not Figure(browser, name).until("querySelector('input[type=range]').value", setting):
        wrong.append("opened at its address, the figure shows another setting")
    return wrong


def pointed(browser: Browser, address: str) -> list[str]:
    """What is wrong with the figure whose rows can be pointed at."""
    name, panel, row = POINTED
    browser.open(address)
    figure = Figure(browser, name)
    figure.mouse("mouseMoved", panel, .5)
    return [] if figure.until("querySelector('input[type=range]').value", row, 3) else [f"pointing at row {row} shows row {figure.setting()}"]


def played(browser: Browser, address: str, name: str) -> list[str]:
    """What is wrong with the player of a figure."""
    browser.open(address)
    figure = Figure(browser, name)
    figure.ask("querySelector('[title=Play]').click()")
    ended = figure.until("querySelector('input[type=range]').value === document.getElementById('" + name +
                         "').querySelector('input[type=range]').max", True, 20)
    return [] if ended and figure.until("querySelector('[title=Play]') !== null", True, 3) else ["it does not play to the end"]


def main(words: list[str]) -> int:
    """Checks every live figure of a built book in a browser and reports the failures."""
    book, program = Path(words[0] if words else ROOT / "build" / "book").resolve(), find()
    pages = {name: page for page in sorted(book.glob("*/*.html")) for name in (*DRAGGED, POINTED[0])
             if f' id="{name}"' in page.read_text(encoding="utf-8")}
    if not program or not pages:
        print("skipped: " + ("no browser here (Debian's package chromium)" if pages else f"no book at {book}"))
        print("0 passed, 0 failed, 1 skipped")
        return 0 if pages else 1
    wrong, passed = [f"{name}: no page has it" for name in (*DRAGGED, POINTED[0]) if name not in pages], 0
    browser = Browser(program)
    try:
        for width in WIDTHS:
            browser.look(width, dark=False)
            for name, page in pages.items():
                try:
                    told = touched(browser, page.as_uri(), name, DRAGGED[name]) if name in DRAGGED else pointed(browser, page.as_uri())
                    if name == PLAYED and width == WIDTHS[0]:
                        told += played(browser, page.as_uri(), name)
                except Trouble as trouble:
                    told = [str(trouble)]
                wrong += [f"{name}, {width} pixels wide: {line}" for line in told]
                passed += not told
    finally:
        browser.close()
    for line in wrong:
        print(line)
    print(f"{passed} passed, {len(wrong)} failed, 0 skipped")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
