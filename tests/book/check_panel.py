#!/usr/bin/env python3
"""Presses the buttons of *Change and run* in the built book, from file:// in headless Chromium.

    PYTHONPATH=tools python3 tests/book/check_panel.py

Wide and at 380 pixels: the standard run of a page judges its claims and draws its figures, a changed option changes what is
printed and judges nothing, a wrong value is told in the sentence of the command line, and Stop stops. A page with some of the images of
Fashion-MNIST begins with as many, says so and judges nothing. On an image, a reader paints with the mouse and with keys, the
program draws the response, and it draws a setting of the slider that lies between the stops. A dot is dragged. It draws what several sliders say,
and so does the address. Exit 3, with a reason, where there is nothing to press.
"""
import json
import sys
import time

from browser import Browser, Trouble, find
from check_book import complaints
from recto.build import web
from recto.place import BOOK, read_json

PAGE, LONG = "foundations/fit_curve", "training/implicit"           # one that takes a moment, one that takes many
PART = "foundations/tensors"                                        # one with some of the images
PAINTED, CANVAS = "components/filters", "fig-edges"                 # one with a figure to paint on,
FILTER, RESPONSE = 1, 2                                             # and the panels that its program draws
FIELD, STACK = "components/receptive_field", "fig-field"            # one with a figure that has several sliders
DRAGGED = (("foundations/fit_curve", "fig-1-1"), ("training/descent", "fig-3-2"))       # figures with a dot to drag
BOX = "document.querySelector('.rx-here')"
ENDED = f"""new Promise((done) => {{ const timer = setInterval(() => {{
  if ({BOX}.getAttribute('aria-busy') === 'false') {{ clearInterval(timer); done(0); }} }}, 20); }})"""


class Panel:
    """The panel of one page."""

    def __init__(self, browser: Browser, page: str, place: str = "") -> None:
        self.browser = browser
        for tries in range(4, -1, -1):                              # on a busy machine a page may take more than a minute to load
            try:
                browser.open(f"{BOOK.as_uri()}/{page}.html{place}")
                break
            except Trouble:
                if not tries:
                    raise
        browser.value(f"{BOX}.open = true")

    def text(self, part: str) -> str:
        """What stands in a part of the panel."""
        return self.browser.value(f"{BOX}.querySelector('{part}').textContent")

    def count(self, part: str) -> int:
        """How many there are of a part."""
        return self.browser.value(f"{BOX}.querySelectorAll('{part}').length")

    def press(self, name: str) -> None:
        """Presses the button of the panel with this name."""
        self.browser.value(f"{BOX}.querySelector('[name={name}]').click()")

    def run(self, **changes: str) -> None:
        """Runs to the end with changed options."""
        self.press("reset")
        for name, value in changes.items():
            self.browser.value(f"{BOX}.querySelector('[name=\"--{name}\"]').value = '{value}'")
        self.press("run")
        self.browser.value(ENDED)


def check(browser: Browser) -> list[str]:
    """The failures of the open page's panel, one sentence each."""
    wrong = []

    def expect(what: str, holds: bool, told: str = "") -> None:
        if not holds:
            wrong.append(f"{what}{': ' + told if told else ''}")

    panel = Panel(browser, PAGE)
    panel.run()
    printed = panel.text("pre")
    expect("the standard run ends", panel.text("[role=status]").startswith("Done in"), panel.text("[role=status]"))
    expect("its claims hold", panel.count(".rx-claim.reproduced") == panel.count(".rx-claim") > 0)
    expect("its figures are drawn", panel.count("figure svg") == panel.count("figure") > 0)
    panel.run(bumps="14")
    expect("a changed option changes what is printed", panel.text("pre") != printed)
    expect("a changed run judges nothing", panel.count(".rx-claim.is-unjudged") == panel.count(".rx-claim") > 0)
    panel.run(bumps="one")
    expect("a wrong value is told", "--bumps: wanted a whole number from 2 to 200, got 'one'" in panel.text("pre"), panel.text("pre"))
    over = browser.value("document.documentElement.scrollWidth - innerWidth")
    expect("the page does not scroll sideways", over <= 0, f"{over} pixels")
    wrong += complaints(browser.heard)

    panel = Panel(browser, LONG)
    browser.value(f"{BOX}.querySelector('[name=\"--quick\"]').checked = false")
    panel.press("run")
    time.sleep(2)
    panel.press("stop")
    browser.value(ENDED)
    expect("Stop stops", panel.text("[role=status]") == "Stopped.", panel.text("[role=status]"))
    panel.run(seed="-3")
    expect("it runs again after Stop", "--seed: wanted a whole number" in panel.text("pre"), panel.text("pre"))
    wrong += complaints(browser.heard)

    panel = Panel(browser, PART)
    panel.run()
    told = panel.text("[role=status]")
    expect("it ends, and tells how many images it has", "No claim is judged: this copy carries 6,000 of 60,000" in told, told)
    expect("it prints how many it has", "6000" in panel.text("pre"), panel.text("pre"))
    expect("nothing is judged with some of the images", panel.count(".rx-claim.is-unjudged") == panel.count(".rx-claim"))
    browser.value(f"{BOX}.querySelector('[name=\"--quick\"]').checked = true")
    panel.press("run")
    browser.value(ENDED)
    expect("a quick run of it ends", panel.text("[role=status]").startswith("Done in"), panel.text("[role=status]"))
    wrong += complaints(browser.heard)

    Panel(browser, PAINTED)
    figure = f"document.getElementById('{CANVAS}')"
    browser.value(f"{figure}.scrollIntoView({{behavior: 'instant'}})")
    colours = f"new Set([...{figure}.querySelectorAll('.rx-live .concat_{RESPONSE}_group .mark-rect path')].map((cell) => cell.getAttribute('fill'))).size"

    def becomes(words: str, seconds: float = 60) -> bool:
        """Whether an expression comes to be true."""
        end = time.monotonic() + seconds
        while not (got := browser.value(words)) and time.monotonic() < end:
            time.sleep(.1)
        return bool(got)

    expect("the figure can be painted on", becomes(f"{figure}.querySelector('.rx-glass') !== null"))
    first = browser.value(colours)
    button = f"[...{figure}.querySelectorAll('.rx-paint button')].find((one) => one.textContent === '{{}}').click()".format
    browser.value(button("clear"))
    expect("on an empty image nothing responds", becomes(f"{colours} === 1"), f"{browser.value(colours)} colours")
    browser.value(f"{figure}.querySelector('.rx-glass').scrollIntoView({{behavior: 'instant', block: 'center'}})")
    left, top, wide, high = (browser.value(f"{figure}.querySelector('.rx-glass').getBoundingClientRect().{word}")
                             for word in ("left", "top", "width", "height"))
    for kind, part in (("mousePressed", .3), ("mouseMoved", .7), ("mouseReleased", .7)):
        browser("Input.dispatchMouseEvent", type=kind, x=left + part * wide, y=top + part * high, button="left", clickCount=1)
    expect("the filter responds to a stroke", becomes(f"{colours} > 1"), f"{browser.value(colours)} colours")
    browser.value(button("clear"))
    becomes(f"{colours} === 1")
    browser.value(f"{figure}.querySelector('.rx-glass').focus()")
    for key in ("ArrowLeft", " "):
        browser("Input.dispatchKeyEvent", type="keyDown", key=key, code="Space" if key == " " else key)
    expect("the space bar paints", becomes(f"{colours} > 1"), f"{browser.value(colours)} colours")
    browser.value(button("back to the image"))
    expect("the image comes back", becomes(f"{colours} === {first}"), f"{browser.value(colours)} of {first} colours")
    browser.value(f"(() => {{ const range = {figure}.querySelector('input[type=range]'); range.value = 44; "
                  "range.dispatchEvent(new Event('input', { bubbles: true })); })()")
    weights = f"[...{figure}.querySelectorAll('.rx-live .concat_{FILTER}_group .mark-text text')].map((one) => one.textContent)"
    expect("the program draws a setting between the stops", becomes(f"{weights}.includes('0.174')"), str(browser.value(weights)))
    wrong += complaints(browser.heard)

    Panel(browser, FIELD, f"#{STACK}=2,4,1,1")
    figure = f"document.getElementById('{STACK}')"
    browser.value(f"{figure}.scrollIntoView({{behavior: 'instant'}})")
    told = f"[...{figure}.querySelectorAll('.rx-live .mark-text text')].map((one) => one.textContent).join()"
    expect("several sliders begin where the address says", becomes(f"{told} === 'field: 7 pixels'"), str(browser.value(told)))
    browser.value(f"(() => {{ const range = {figure}.querySelectorAll('.rx-knobs input')[2]; range.value = 3; "
                  "range.dispatchEvent(new Event('input', { bubbles: true })); })()")
    expect("the program draws what they say", becomes(f"{told} === 'field: 13 pixels'"), str(browser.value(told)))
    expect("the address says it", becomes(f"location.hash === '#{STACK}=2,4,3,1'", 5), browser.value("location.hash"))
    wrong += complaints(browser.heard)

    for page, name in DRAGGED:
        Panel(browser, page)
        figure = f"document.getElementById('{name}')"
        browser.value(f"{figure}.scrollIntoView({{behavior: 'instant'}})")
        expect(f"{name}: there is a dot to drag", becomes(f"{figure}.querySelector('.rx-handle') !== null"))
        browser.value(f"{figure}.querySelector('.rx-handle').scrollIntoView({{behavior: 'instant', block: 'center'}})")
        box = f"{figure}.querySelector('.rx-handle').getBoundingClientRect()"
        left, top, wide, high = (browser.value(f"{box}.{word}") for word in ("left", "top", "width", "height"))
        drawn = f"[...{figure}.querySelectorAll('.rx-live .mark-line path')].map((one) => one.getAttribute('d')).join()"
        before = browser.value(drawn)
        for kind, part in (("mousePressed", .3), ("mouseMoved", .6), ("mouseReleased", .6)):
            browser("Input.dispatchMouseEvent", type=kind, x=left + part * wide, y=top + part * high, button="left", clickCount=1)
        expect(f"{name}: the program draws for the new place", becomes(f"{drawn} !== {json.dumps(before)}"))
        browser.value(f"{figure}.querySelector('.rx-handle').focus()")
        place = f"{figure}.querySelector('.rx-handle i').style.left"
        before = browser.value(place)
        browser("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft", code="ArrowLeft")
        expect(f"{name}: an arrow key moves it", becomes(f"{place} !== '{before}'", 5), before)
        wrong += complaints(browser.heard)
    return wrong


def main() -> int:
    """Checks the panel of a page in a browser, wide and narrow, and reports the failures."""
    program, listed = find(), read_json(web.LISTED, {})
    if not program or not listed:
        print("not run: " + ("this book has no programs for the browser (./recto book makes them)" if program else "no browser here"))
        return 3
    failed = 0
    browser = Browser(program)
    try:
        for width, dark in ((1280, False), (380, True)):
            browser.look(width, dark)
            wrong = check(browser)
            failed += bool(wrong)
            print(f"{width} pixels, {'dark' if dark else 'light'}: {'; '.join(wrong) or 'passed'}", flush=True)
    finally:
        browser.close()
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
