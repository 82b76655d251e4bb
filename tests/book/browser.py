"""A headless Chromium spoken to over a pipe (DevTools protocol); standard library only."""
import contextlib
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Trouble(Exception):
    """The browser did not answer, or answered with an error."""


def find():
    """The browser of this machine, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser with one tab. Events are kept in `heard` until they are forgotten."""

    def __init__(self, program):
        self.home = tempfile.mkdtemp(prefix="recto-browser-")
        there, self.out = os.pipe()
        self.back, here = os.pipe()
        def plumb():                                  # the browser reads from 3 and writes to 4
            a, b = os.dup(there), os.dup(here)
            os.dup2(a, 3)
            os.dup2(b, 4)
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={self.home}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=plumb, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(here)
        self.numbers, self.heard, self.answers, self.rest, self.session = itertools.count(1), [], {}, b"", None
        try:
            self.version = self("Browser.getVersion")["product"]
        except (Trouble, OSError):                    # it did not start: leave nothing of it
            self.close()
            raise
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self(f"{domain}.enable")
        self("Page.setLifecycleEventsEnabled", enabled=True)

    def __call__(self, method, timeout=60, **parameters):
        """Sends one command and waits for its answer."""
        return self.wait(self.send(method, **parameters), method, timeout)

    def send(self, method, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        return number

    def wait(self, number, method="", timeout=60):
        end = time.monotonic() + timeout
        while number not in self.answers:
            self.listen(end - time.monotonic(), method)
        answer = self.answers.pop(number)
        if "error" in answer:
            raise Trouble(f"{method}: {answer['error']['message']}")
        return answer.get("result", {})

    def listen(self, seconds, what=""):
        """Reads what the browser has to say."""
        if seconds <= 0 or not select.select([self.back], [], [], max(seconds, 0))[0]:
            raise Trouble(f"{what}: no answer")
        data = os.read(self.back, 1 << 20)
        if not data:
            raise Trouble("the browser ended")
        *messages, self.rest = (self.rest + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self.answers[message["id"]] = message
            else:
                self.heard.append(message)

    def value(self, expression, timeout=600):
        """The value of an expression in the page; promises are waited for."""
        got = self("Runtime.evaluate", timeout, expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in got:
            told = got["exceptionDetails"]
            raise Trouble(told.get("exception", {}).get("description", told["text"]))
        return got["result"].get("value")

    def look(self, width, dark, height=900):
        """The setting of the next pages."""
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, address):
        """Loads a page and waits until it has all it asked for."""
        self.heard.clear()
        loader = self("Page.navigate", url=address).get("loaderId")
        end = time.monotonic() + 60
        while not any(m["method"] == "Page.lifecycleEvent" and m["params"]["name"] == "load" and
                      m["params"]["loaderId"] == loader for m in self.heard):
            self.listen(end - time.monotonic(), address)

    def press_tab(self, times):
        """The Tab key, many times; to wait for each takes five times as long as for twenty together."""
        key = {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
        for begin in range(0, times, 20):
            sent = [self.send("Input.dispatchKeyEvent", type=way, **key)
                    for _ in range(min(20, times - begin)) for way in ("keyDown", "keyUp")]
            for number in sent:
                self.wait(number, "Tab")

    def close(self):
        with contextlib.suppress(Trouble, OSError):
            self.session = None
            self("Browser.close", timeout=5)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        if self.process.poll() is None:
            self.process.kill()
        os.close(self.out)
        os.close(self.back)
        shutil.rmtree(self.home, ignore_errors=True)
