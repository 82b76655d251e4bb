"""What the tests in Python have beyond pytest: parts of the register in docstrings, and the filter of `recto test`."""
import re

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--named WORD` keeps the tests with WORD in their name, and those that prove the row or the part WORD."""
    parser.addoption("--named", default="", metavar="WORD", help="part of a name, or a row of the register")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes [row:ID/part] from docstrings into the report, as a property of the test, and leaves out what is not named."""
    word = config.getoption("--named")
    named, others = [], []
    for item in items:
        tags = re.findall(r"\[(row:[^\]]+)\]", getattr(item.obj, "__doc__", None) or "")
        item.user_properties += [("tag", tag) for tag in tags]
        proves = any(tag == f"row:{word}" or tag.startswith(f"row:{word}/") for tag in tags)
        (named if proves or word in item.nodeid.replace(".py::", ".").replace("::", ".") else others).append(item)
    items[:] = named
    config.hook.pytest_deselected(items=others)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Says in the report of a failed subtest which subtest failed."""
    context = getattr(report, "context", None)
    if report.failed and context:
        report.longrepr.addsection("subtest", " ".join(map(str, filter(None, [context.msg, dict(context.kwargs) or None]))))
