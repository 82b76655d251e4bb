"""`recto test`: every test there is, and one line that counts them."""
import concurrent.futures
import dataclasses
import re
import subprocess
import tempfile
from pathlib import Path

from recto import machine, term
from recto.build import cmake, environment
from recto.checks import catch, junit, results
from recto.checks.catch import Case
from recto.place import MAIN, ROOT, Failure

ENDED = (0, 1, 5)       # how pytest ends when it has written its report: all passed, some failed, none found


def selection(binary: Path, wanted: str) -> list[str]:
    """Translates a filter for a test binary: a row, Catch2's own [tag] notation, or part of a name."""
    if not wanted:
        return []
    rows = [tag for tag in catch.row_tags(binary) if tag == f"row:{wanted}" or tag.startswith(f"row:{wanted}/")]
    if rows:
        return [",".join(f"[{tag}]" for tag in rows)]
    return [wanted if "[" in wanted else f"*{wanted}*"]


def run_binary(binary: Path, wanted: str) -> list[Case]:
    """Runs the C++ tests in one precision."""
    output = catch.results_of(binary, "filtered" if wanted else "all")
    precision = "double" if binary.name.endswith("64") else "float"
    return [dataclasses.replace(case, name=f"{case.name} ({precision})")
            for case in catch.run(binary, output, selection(binary, wanted))]


def run_ctest(wanted: str) -> list[Case]:
    """Runs the other tests of CTest: checks that are separate programs or scripts."""
    chosen = ["--test-dir", str(MAIN), "-j", str(machine.cores()), "-E", "^recto_tests(64)?$",
              *(["-R", re.escape(wanted)] if wanted else [])]
    listed = subprocess.run(["ctest", *chosen, "-N"], capture_output=True, text=True).stdout
    if not re.search(r"Total Tests: [1-9]", listed):
        return []
    term.progress("checks ...")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "ctest.xml"
        subprocess.run(["ctest", *chosen, "--output-junit", str(report)], capture_output=True, stdin=subprocess.DEVNULL)
        cases = junit.read(report, junit.of_ctest)
    term.clear()
    return cases


def run_python(folder: Path, wanted: str) -> list[Case]:
    """The tests in one folder of tests/, by pytest, in a process of their own."""
    term.progress(f"tests/{folder.name} ...")
    with tempfile.TemporaryDirectory() as home:
        report = Path(home) / "pytest.xml"
        command = [str(environment.PYTHON), "-m", "pytest", str(folder), "--quiet", f"--named={wanted}", "--tb=short",
                   "--continue-on-collection-errors", f"--junitxml={report}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
        term.clear()
        if done.returncode in ENDED and report.exists():
            return junit.read(report, junit.of_pytest)
    return [Case(f"tests/{folder.name}", (), "", "failed", f"{done.stdout}\n{done.stderr}".strip(), 0)]


def report(cases: list[Case]) -> int:
    """Says what failed, what was skipped and why, and the totals in the last line."""
    for case in cases:
        if case.state == "failed":
            term.say(f"{term.paint('failed', 'red')}: {case.name}")
            for line in case.why.replace(f"{ROOT}/", "").splitlines():
                term.say(f"    {line}")
    skipped: dict[str, list[str]] = {}
    for case in cases:
        if case.state == "skipped":
            skipped.setdefault(case.why or "no reason given", []).append(case.name)
    for why, names in skipped.items():
        few = ", ".join(dict.fromkeys(names[:4])) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        term.say(f"{term.paint('skipped', 'yellow')} ({why}): {few}")
    on_devices = sum("devices" in case.tags for case in cases)
    if on_devices and not machine.gpu():
        term.say(f"not run on a GPU (no device here): the cuda side of {term.plural(on_devices, 'test')}")
    count = {state: sum(case.state == state for case in cases) for state in ("passed", "failed", "skipped")}
    term.say(", ".join(f"{count[state]} {state}" for state in count))
    return 1 if count["failed"] or not count["passed"] else 0


def test(wanted: str, at_once: int | None) -> int:
    """Runs `recto test`: builds, runs the selected tests and prints the totals."""
    if not machine.has_catch2():
        raise Failure("recto test needs Catch2 3, which is not here (`recto doctor` says more)")
    folders = sorted({path.parent for path in (ROOT / "tests").glob("*/test_*.py")})
    cmake.configure(tests=True)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        fetched = pool.submit(environment.ensure, whole=True) if folders else None     # it waits for the network
        cmake.compile(["all"], at_once)
    if fetched:
        fetched.result()
    with concurrent.futures.ThreadPoolExecutor(machine.cores()) as pool:        # most of them keep one core busy
        in_cpp = [pool.submit(run_binary, binary, wanted) for binary in catch.built()]
        beside = pool.submit(run_ctest, wanted)
        in_python = [pool.submit(run_python, folder, wanted) for folder in folders]
    cases = sum((run.result() for run in [*in_cpp, beside]), [])
    of_python = sum((run.result() for run in in_python), [])
    cases += of_python
    if not wanted:
        results.keep(of_python)
        catch.forget_old(catch.built())
    if not cases:
        raise Failure(f"no test matches {wanted}" if wanted else "there are no tests")
    return report(cases)
