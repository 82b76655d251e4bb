"""The test binaries: what they hold, running them, and reading what they left."""
import dataclasses
import subprocess
import tempfile
import time
import xml.etree.ElementTree as xml
from dataclasses import dataclass
from pathlib import Path

from recto import term
from recto.place import MAIN, RESULTS, Failure, sha256

BINARIES = ("recto_tests", "recto_tests64")


@dataclass(frozen=True)
class Case:
    """A test case and its result."""
    name: str
    tags: tuple[str, ...]
    where: str                 # file:line
    state: str                 # passed, failed, skipped
    why: str                   # what failed, or why it was skipped
    seconds: float


def built() -> list[Path]:
    """The test binaries that are built."""
    return [path for path in (MAIN / name for name in BINARIES) if path.is_file()]


def results_of(binary: Path, kind: str = "all", digest: str = "") -> Path:
    """Where the results of this very binary are kept; kind is all or rows."""
    return RESULTS / f"{binary.name}-{(digest or sha256(binary))[:16]}-{kind}.xml"


def parse(path: Path) -> list[Case]:
    """The cases in a results file. Where it was cut short, the case that was running counts as failed."""
    cases: list[Case] = []
    running = None
    try:
        for event, node in xml.iterparse(path, ("start", "end")):
            if node.tag == "TestCase":
                running = node if event == "start" else None
                if event == "end":
                    cases.append(read_case(node))
    except OSError:
        return []
    except xml.ParseError:
        if running is not None:
            cases.append(read_case(running))
    return cases


def read_case(node: xml.Element) -> Case:
    """One <TestCase> of Catch2's XML reporter."""
    result = node.find("OverallResult")
    passed = result is not None and result.get("success") == "true"
    skips = [(skip.text or "").strip() for skip in node.iter("Skip")]
    state = "failed" if not passed else "skipped" if skips else "passed"
    why = "; ".join(dict.fromkeys(filter(None, skips))) if state == "skipped" else ""
    if state == "failed":
        why = "\n".join(explain(node))
    tags = tuple(tag for tag in node.get("tags", "").strip("[]").split("][") if tag)
    seconds = float(result.get("durationInSeconds", 0)) if result is not None else 0.0
    return Case(node.get("name", ""), tags, f"{node.get('filename')}:{node.get('line')}", state, why, seconds)


def explain(node: xml.Element) -> list[str]:
    """The failures of a test case, one line each: `file:line: what`."""
    found = []
    for item in node.iter():
        at = f"{item.get('filename')}:{item.get('line')}"
        if item.tag == "Expression" and item.get("success") == "false":
            original, expanded = (item.findtext(tag, "").strip() for tag in ("Original", "Expanded"))
            thrown = [f"threw {(item.findtext(tag) or '').strip()}" for tag in ("Exception", "FatalErrorCondition")
                      if item.find(tag) is not None]
            found.append(f"{at}: {original} was {' '.join([expanded, *thrown])}")
        elif item.tag in ("Failure", "Exception", "FatalErrorCondition") and item.get("filename"):
            found.append(f"{at}: {' '.join((item.text or '').split())}")
    why = "ended without a result" if node.find("OverallResult") is None else "one of its runs checked nothing"
    return found or [f"{node.get('filename')}:{node.get('line')}: {why}"]


def run(binary: Path, output: Path, arguments: list[str]) -> list[Case]:
    """Runs a test binary; the results file is there only when the run came to its end."""
    output.parent.mkdir(parents=True, exist_ok=True)
    part = output.with_suffix(".part")
    part.unlink(missing_ok=True)
    command = [str(binary), *arguments, "--reporter", f"xml::out={part}", "--durations", "yes",
               "--warn", "NoAssertions", "--allow-running-no-tests"]
    with tempfile.TemporaryFile("w+", errors="replace") as words:
        with subprocess.Popen(command, cwd=MAIN, stdin=subprocess.DEVNULL, stdout=words, stderr=words) as process:
            while process.poll() is None:
                done = part.read_bytes().count(b"<OverallResult ") if part.exists() else 0
                term.progress(f"{binary.name}: {term.plural(done, 'test')} done")
                try:
                    process.wait(0.5)
                except subprocess.TimeoutExpired:
                    continue
        term.clear()
        words.seek(0)
        said = words.read().strip().splitlines()
    cases = parse(part)
    if complete(part):
        part.replace(output)
    elif cases and cases[-1].state == "failed":
        how = f"ended the program with status {process.returncode}" + "".join(f"\n{line}" for line in said[-8:])
        cases[-1] = dataclasses.replace(cases[-1], why=how)
    else:
        raise Failure(f"{binary.name} ended with status {process.returncode}{': ' + said[-1] if said else ''}")
    return cases


def complete(path: Path) -> bool:
    """Whether a results file was written to its end."""
    return path.exists() and path.read_bytes()[-64:].rstrip().endswith(b"</Catch2TestRun>")


def row_tags(binary: Path) -> list[str]:
    """The [row:...] tags of a test binary."""
    said = subprocess.run([binary, "--list-tags", "--reporter", "xml"], capture_output=True, text=True, check=True)
    names = [name.text or "" for name in xml.fromstring(said.stdout).iter("Alias")]
    return sorted(name for name in names if name.startswith("row:"))


def run_rows(binary: Path) -> tuple[list[Case], float]:
    """Results of the tests of this binary that prove rows, read if kept, else run; and the seconds they took."""
    digest = sha256(binary)
    for kind in ("all", "rows"):
        if results_of(binary, kind, digest).exists():
            return parse(results_of(binary, kind, digest)), 0.0
    tags = row_tags(binary)
    if not tags:
        return [], 0.0
    start = time.monotonic()
    cases = run(binary, results_of(binary, "rows", digest), [",".join(f"[{tag}]" for tag in tags)])
    return cases, time.monotonic() - start


def forget_old(keep: list[Path]) -> None:
    """Removes the results of binaries that no longer exist."""
    digests = {f"{binary.name}-{sha256(binary)[:16]}" for binary in keep}
    for path in RESULTS.glob("*.xml"):
        if path.name.rpartition("-")[0] not in digests and path.name.startswith(BINARIES):
            path.unlink()
