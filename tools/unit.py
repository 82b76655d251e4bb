"""Runs the unittest files of one folder and prints, as one line of JSON, how each test ended.

    unit.py FOLDER [PART-OF-A-NAME]

A test names the parts of the register that it proves in its docstring, as Catch2's tests do in their tags: [row:ID/part].
"""
import contextlib
import io
import json
import re
import sys
import time
import unittest


class Record(unittest.TestResult):
    """Keeps how every test ended, in the form of catch.Case."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, dict[str, object]] = {}
        self.began = 0.0

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self.began = time.monotonic()

    def keep(self, test: unittest.TestCase, state: str, why: str) -> None:
        """Notes a state; the last one counts."""
        self.kept[test.id()] = {"name": test.id(), "where": "", "state": state, "why": why,
                                "tags": re.findall(r"\[(row:[^\]]+)\]", getattr(test, "_testMethodDoc", None) or ""),
                                "seconds": round(time.monotonic() - self.began, 3)}

    def addSuccess(self, test):
        self.keep(test, "passed", "")

    def addSkip(self, test, reason):
        self.keep(test, "skipped", reason)

    def addFailure(self, test, err):
        self.keep(test, "failed", self._exc_info_to_string(err, test))

    def addError(self, test, err):
        self.keep(test, "failed", self._exc_info_to_string(err, test))

    def addSubTest(self, test, subtest, err):
        if err:
            self.keep(test, "failed", f"{subtest}\n{self._exc_info_to_string(err, test)}")

    def addUnexpectedSuccess(self, test):
        self.keep(test, "failed", "was expected to fail")


def main() -> None:
    """The command line."""
    folder, wanted = sys.argv[1], (sys.argv[2:] + [""])[0]
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{wanted}*"] if wanted else None
    record = Record()
    with contextlib.redirect_stdout(io.StringIO()):
        loader.discover(folder).run(record)
    print(json.dumps(list(record.kept.values())))


if __name__ == "__main__":
    main()
