"""Reading JUnit's XML, which CTest and pytest write, each in its own way."""
import re
import xml.etree.ElementTree as xml
from collections.abc import Callable
from pathlib import Path

from recto.checks.catch import Case


def read(path: Path, case_of: Callable[[xml.Element], Case]) -> list[Case]:
    """The tests of a report."""
    return [case_of(node) for node in xml.parse(path).getroot().iter("testcase")]


def of_ctest(node: xml.Element) -> Case:
    """One test of CTest's report; its last words say why it failed or was skipped."""
    states = {"run": "passed", "fail": "failed", "notrun": "skipped", "disabled": "skipped"}
    state = "failed" if node.find("failure") is not None else states.get(node.get("status", ""), "failed")
    words = (node.findtext("system-out") or "").strip().splitlines()
    why = "\n".join(words[-30:] if state == "failed" else words[-1:])
    return Case(node.get("name", ""), (), "", state, why, float(node.get("time", 0)))


def of_pytest(node: xml.Element) -> Case:
    """One test of pytest's report: test_words.Words.test_one_line, with the tags that tests/conftest.py adds."""
    wrong = [one.text or one.get("message", "") for kind in ("error", "failure") for one in node.iter(kind)]
    skipped = node.find("skipped")
    state = "failed" if wrong else "passed" if skipped is None else "skipped"
    why = "\n".join(wrong) or ("" if skipped is None else skipped.get("message", ""))
    home = re.sub(r"^.*?\b(?=test_)", "", node.get("classname", ""))
    tags = tuple(one.get("value", "") for one in node.iter("property") if one.get("name") == "tag")
    return Case(f"{home}.{node.get('name')}".strip("."), tags, "", state, why, float(node.get("time", 0)))
