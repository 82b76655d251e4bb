"""Exercises, reports and files made up for the tests beside it."""
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import support  # noqa: F401
from recto.judge import catalogue
from recto.judge.catalogue import Exercise, Part
from recto.judge.grading import NOT_RUN, Report, Result
from recto.judge.judging import PASSED, Message


def exercise(*parts: Part, name: str = "double_it", group: str = "small", **more) -> Exercise:
    """An exercise with these parts, or with one."""
    return Exercise(group, name, "Twice as much", f"{name}.cpp", parts or (Part("whole", "all of it"),), **more)


def report(*outcomes: str, stars: int = 0, points: tuple[float, ...] = (), name: str = "double_it", group: str = "small",
           message: Message | None = None) -> Report:
    """A report with these outcomes; the last parts are starred. Each part that is not passed has the message."""
    parts = [Part(f"part-{at}", f"the part {at}", (points or (1,) * len(outcomes))[at], at >= len(outcomes) - stars)
             for at in range(len(outcomes))]
    results = [Result(part, outcome, Message() if outcome in (PASSED, NOT_RUN) else message or Message("it is wrong"), 0.25)
               for part, outcome in zip(parts, outcomes)]
    return Report(exercise(*parts, name=name, group=group), 7, results, "namespaces", 1.5)


EXERCISE = """title = "Twice as much"
file = "{name}.cpp"
given = ["{name}.hpp"]

[[parts]]
name = "whole"
what = "whole numbers are doubled"

[[parts]]
name = "broken"
what = "numbers with a fraction are doubled"

[[parts]]
name = "far"
what = "large numbers are doubled"
star = true
"""
DRIVER = '#include "driver.hpp"\n#include "{name}.hpp"\n\nstatic const kit::Function {name}_("{name}", {name});\n'
JUDGE = '''"""Twice as much."""
from recto.judge.judging import Misconception, part

misconceptions = [Misconception("unchanged", "{name}", lambda x: x, "this is the number itself")]


@part("whole")
def whole(student):
    for x in (0.0, 1.0, -3.0):
        student.expect("{name}", x, gives=x + x, about="the double")


@part("broken")
def broken(student):
    x = student.random.random()
    student.expect("{name}", x, gives=x + x, about="the double")


@part("far")
def far(student):
    student.expect("{name}", 1e300, gives=2e300, about="the double")
'''
STUB = '#include "{name}.hpp"\n#include "not_written.hpp"\n\ndouble {name}(double) {{ not_written("{name}"); return 0; }}\n'
RIGHT = '#include "{name}.hpp"\n\ndouble {name}(double x) {{ return x + x; }}\n'
WHOLE = '#include "{name}.hpp"\n\ndouble {name}(double x) {{ return 2 * long(x); }}\n'


@contextlib.contextmanager
def exercises(*names: str, group: str = "small") -> Iterator[Path]:
    """A catalogue with one set of such exercises, in a folder of its own; the kit is the real one."""
    with tempfile.TemporaryDirectory(prefix="recto-tests-") as folder:
        root = Path(folder)
        root.chmod(0o755)
        for name in names:
            seen, kept = root / "exercises" / group / name, root / "solutions" / group / name
            files = {seen / "exercise.toml": EXERCISE, seen / "driver.cpp": DRIVER, seen / f"{name}.cpp": STUB,
                     seen / f"{name}.hpp": "#pragma once\ndouble {name}(double x);\n", kept / "judge.py": JUDGE,
                     kept / f"{name}.cpp": RIGHT}
            for path, text in files.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text.format(name=name))
        (root / "exercises" / group / "set.toml").write_text(f'title = "Small"\nchapter = 1\nexercises = {list(names)}\n')
        catalogue.sets.cache_clear()
        with mock.patch.multiple(catalogue, EXERCISES=root / "exercises", SOLUTIONS=root / "solutions"):
            yield root
        catalogue.sets.cache_clear()
